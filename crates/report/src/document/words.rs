//! Values as text: quantities, times, hashes, command lines, links, and the ends of jobs.
//!
//! Invariant: it never fails. Any input gives a text, and malformed input is shown unchanged.
//! Never here: markup, and large types of a campaign.

use jiff::Timestamp;
use results::Outcome;
use results::folder::JobEnd;
use units::{Dimension, Quantity};

use super::{Cell, Tone};

/// The text for a missing value.
pub(super) const NONE: &str = "–";

/// The unit for bytes per second in powers of 1024, as the criterion writes them.
pub(crate) const BINARY_RATE: &str = "iB/s";

/// No measurement is larger, in any base unit. Digits of larger numbers would only fill the page.
const HUGE: f64 = 1e24;

/// A value in a base unit, formatted for readers.
pub(crate) fn quantity(value: f64, unit: &str) -> String {
    match Dimension::of_unit(unit) {
        _ if value.abs() >= HUGE && unit == BINARY_RATE => quantity(value, "B/s"),
        _ if value.abs() >= HUGE => format!("{value:.2e} {unit}").trim_end().into(),
        _ if unit == BINARY_RATE => units::rate_binary(value),
        Some(dimension) => Quantity { value, dimension }.to_string(),
        None => format!("{value} {unit}"),
    }
}

/// A value in a base unit, unrounded. A fraction is in percent.
pub(super) fn exact(value: f64, unit: &str) -> String {
    match unit {
        BINARY_RATE => exact(value, "B/s"),
        _ if value.abs() >= HUGE => format!("{value:e} {unit}").trim_end().into(),
        "1" => format!("{} %", value * 100.0),
        "B" | "B/s" | "/s" => format!("{} {unit}", (value * 1000.0).round() / 1000.0),
        _ => format!("{value} {unit}").trim_end().into(),
    }
}

/// The digits after which two floating point numbers of the same size differ.
const FIGURES: usize = 18;

/// A value with enough digits to differ from the threshold.
pub(crate) fn distinguished(value: f64, threshold: Option<f64>, unit: &str) -> Cell {
    let cell = quantity_cell(value, unit);
    let same = |other: &str| match (cell.text.parse::<Quantity>(), other.parse::<Quantity>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => cell.text == other,
    };
    let Some(threshold) = threshold.filter(|t| *t != value && same(&quantity(*t, unit))) else {
        return cell;
    };
    let text = cell.text.split_once([' ', '/']).map(|(number, _)| &cell.text[number.len()..]);
    let step = text.and_then(|unit| format!("1{unit}").parse::<Quantity>().ok());
    let (Some(shown), Some(step)) = (text, step) else {
        return Cell { text: exact(value, unit), ..cell };
    };
    let figures = |value: f64, digits: usize| format!("{:.digits$}", value / step.value);
    match (0..FIGURES).find(|digits| figures(value, *digits) != figures(threshold, *digits)) {
        Some(digits) => Cell { text: format!("{}{shown}", figures(value, digits)), ..cell },
        None => Cell { text: format!("{value:?} {unit}"), ..cell },
    }
}

/// A threshold with enough digits to differ from the values that it is compared with, if rounding changes it.
pub(crate) fn threshold_among(threshold: f64, values: &[f64], unit: &str) -> String {
    let shown = quantity(threshold, unit);
    let of_unit = if unit == BINARY_RATE { "B/s" } else { unit };
    let is_exact = shown.parse::<Quantity>().is_ok_and(|read| {
        read.dimension.unit() == of_unit && (read.value - threshold).abs() <= 1e-12 * threshold.abs()
    });
    if is_exact {
        return shown;
    }
    let all = values.iter().map(|value| distinguished(threshold, Some(*value), unit).text);
    all.max_by_key(String::len).unwrap_or(shown)
}

/// A confidence such as `95 %`, `99.83 %`: it never rounds to 100 %.
pub(crate) fn confidence(confidence: f64) -> String {
    let error = (1.0 - confidence) * 100.0;
    let digits = if error > 0.0 { (2.0 - error.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 };
    let text = format!("{:.digits$}", confidence * 100.0);
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

/// A cell with a value in a base unit, and with its unrounded form.
pub(super) fn quantity_cell(value: f64, unit: &str) -> Cell {
    Cell::new(quantity(value, unit)).full(exact(value, unit))
}

/// The same cell for a value that may be missing.
pub(super) fn known_cell(value: Option<f64>, unit: &str) -> Cell {
    value.map_or_else(|| Cell::new(NONE), |value| quantity_cell(value, unit))
}

/// A number of bytes, with the exact number.
pub(super) fn bytes_cell(bytes: u64) -> Cell {
    Cell::new(units::bytes_binary(bytes as f64)).full(format!("{bytes} B"))
}

/// A count, with the exact number.
pub(super) fn count_cell(count: u64) -> Cell {
    Cell::new(units::count(count as f64)).full(count.to_string())
}

/// A duration in seconds.
pub(super) fn seconds_cell(seconds: f64) -> Cell {
    quantity_cell(seconds, "s")
}

/// A duration in nanoseconds.
pub(super) fn nanoseconds_cell(nanoseconds: f64) -> Cell {
    Cell::new(units::duration(nanoseconds * 1e-9)).full(format!("{nanoseconds} ns"))
}

/// A share of a whole, in percent.
pub(super) fn share(fraction: f64) -> String {
    quantity(fraction, Dimension::Fraction.unit())
}

/// A share in percent, with enough decimals to differ from 0 % and 100 %.
pub(crate) fn percent(share: f64, signed: bool) -> String {
    let with = |digits: usize| match signed {
        true => format!("{:+.digits$}", share * 100.0),
        false => format!("{:.digits$}", share * 100.0),
    };
    let differs = |digits: &usize| {
        let read: f64 = with(*digits).parse().unwrap_or_default();
        let of_whole = (read < 100.0) == (share < 1.0) && (read > 100.0) == (share > 1.0);
        of_whole && (read.abs() >= 10_f64.powi(-(*digits as i32)) || share == 0.0)
    };
    let text = with((1..=9).find(differs).unwrap_or(1));
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// `yes` or `no`.
pub(super) fn yes_no(fact: bool) -> Cell {
    Cell::new(if fact { "yes" } else { "no" })
}

/// `text`, or a dash if it is empty.
pub(super) fn or_none(text: &str) -> String {
    if text.is_empty() { NONE.into() } else { text.into() }
}

/// A shortened SHA-256, with its full form.
pub(super) fn hash_cell(hash: &str) -> Cell {
    if hash.chars().count() <= 16 {
        return Cell::literal(or_none(hash));
    }
    Cell::literal(format!("{}…", hash.chars().take(12).collect::<String>())).full(hash)
}

/// A path. A long path is shown by its end, with its full form.
pub(super) fn path_cell(path: &str) -> Cell {
    match path.rmatch_indices('/').nth(1) {
        Some((at, _)) if path.chars().count() > 40 => Cell::literal(format!("…{}", &path[at..])).full(path),
        _ => Cell::literal(or_none(path)),
    }
}

/// The tone of an outcome.
pub(super) fn tone_of(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Pass => Tone::Pass,
        Outcome::Fail => Tone::Fail,
        Outcome::Inconclusive => Tone::Inconclusive,
        Outcome::Invalid => Tone::Invalid,
        Outcome::NotRun => Tone::NotRun,
    }
}

/// The tone of the overall result.
pub(super) fn overall_tone(outcome: Outcome, has_open_findings: bool) -> Tone {
    match outcome {
        Outcome::Pass if has_open_findings => Tone::Inconclusive,
        _ => tone_of(outcome),
    }
}

/// How a job ended.
pub(super) fn end_cell(end: &JobEnd) -> Cell {
    match end {
        JobEnd::Exit(0) => Cell::new("exit 0"),
        JobEnd::Exit(status) => Cell::new(format!("exit {status}")).toned(Tone::Fail),
        JobEnd::Signal(signal) => Cell::new(format!("signal {signal}")).toned(Tone::Fail),
        JobEnd::TimedOut => Cell::new("timed out").toned(Tone::Fail),
        JobEnd::NotStarted => Cell::new("not started").toned(Tone::Fail),
    }
}

/// A command line, quoted for a POSIX shell.
pub(super) fn shell_line(argv: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    let quoted = |word: &String| match word {
        word if !word.is_empty() && word.chars().all(plain) => word.clone(),
        word => format!("'{}'", word.replace('\'', r"'\''")),
    };
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A path relative to the campaign folder, as a link.
pub(super) fn link_to(path: &str) -> String {
    let mut link = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                link.push(byte as char)
            }
            _ => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

/// An RFC 3339 time for readers: without `T` and fraction, with its offset.
pub(super) fn time(rfc3339: &str) -> String {
    match (rfc3339.get(..10), rfc3339.get(11..19), offset_of(rfc3339)) {
        (Some(date), Some(clock), Some("Z" | "z")) => format!("{date} {clock} UTC"),
        (Some(date), Some(clock), Some(offset)) => format!("{date} {clock} {offset}"),
        _ => or_none(rfc3339),
    }
}

/// The part of an RFC 3339 time after the seconds and their fraction.
fn offset_of(rfc3339: &str) -> Option<&str> {
    let rest = rfc3339.get(19..)?;
    let rest =
        rest.strip_prefix('.').map_or(rest, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.starts_with(['Z', 'z', '+', '-']).then_some(rest)
}

/// Whole seconds since the epoch of an RFC 3339 time; `None` if it cannot be parsed.
pub(super) fn seconds_of(rfc3339: &str) -> Option<f64> {
    rfc3339.parse::<Timestamp>().ok().map(|moment| moment.as_second() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_that_rounding_would_make_equal_to_a_value_shows_more_digits() {
        let of = |threshold, values: &[f64]| threshold_among(threshold, values, "B/s");
        assert_eq!(of(3e9, &[3.0002e9]), "3.00 GB/s", "an exact threshold is enough");
        assert_eq!(of(3.0004e9, &[3.0002e9]), "3.0004 GB/s");
        assert_eq!(distinguished(3.0002e9, Some(3.0004e9), "B/s").text, "3.0002 GB/s");
        assert_eq!(of(3.0004e9, &[2.5e9, 3.000_41e9]), "3.00040 GB/s");
        assert_eq!(of(3.0004e9, &[2.5e9]), "3.00 GB/s");
    }

    #[test]
    fn a_confidence_is_never_rounded_to_certainty() {
        for (share, text) in
            [(0.95, "95 %"), (0.9983, "99.83 %"), (0.99999, "99.999 %"), (1.0 - 0.05 / 3.0, "98.33 %")]
        {
            assert_eq!(confidence(share), text);
        }
    }

    #[test]
    fn a_long_path_is_shown_by_its_end_and_keeps_its_full_form() {
        let long = "/scratch/project/assay-p-20260302-080000.data/tests/W-r1/data.00000000";
        assert_eq!(path_cell(long), Cell::literal("…/W-r1/data.00000000").full(long));
        assert_eq!(path_cell("/s/f"), Cell::literal("/s/f"));
        assert_eq!(path_cell(""), Cell::literal(NONE));
    }

    #[test]
    fn a_command_line_is_quoted_so_that_a_shell_reads_it_back() {
        let argv = ["srun", "-n", "4", "ior", "-o", "/s/it's <here>", ""].map(String::from);
        assert_eq!(shell_line(&argv), r"srun -n 4 ior -o '/s/it'\''s <here>' ''");
    }

    #[test]
    fn times_are_parsed_with_their_offsets() {
        assert_eq!(seconds_of("1970-01-01T00:00:00Z"), Some(0.0));
        assert_eq!(seconds_of("2000-03-01T00:00:00Z"), Some(951_868_800.0));
        assert_eq!(seconds_of("2024-02-29T12:00:00.5+01:00"), Some(1_709_204_400.0));
        assert_eq!(seconds_of("yesterday"), None);
        assert_eq!(time("2024-02-29T12:00:00.5+01:00"), "2024-02-29 12:00:00 +01:00");
        assert_eq!(time("2024-02-29T12:00:00Z"), "2024-02-29 12:00:00 UTC");
        assert_eq!(time("yesterday"), "yesterday");
    }

    #[test]
    fn links_hold_nothing_that_a_browser_would_interpret() {
        assert_eq!(link_to("jobs/0001-a b#c/stdout.txt"), "jobs/0001-a%20b%23c/stdout.txt");
        assert_eq!(link_to("javascript:x"), "javascript%3Ax");
    }

    #[test]
    fn a_value_of_a_known_unit_is_scaled_and_a_value_of_an_unknown_unit_is_kept() {
        assert_eq!(quantity(3.43e12, "B/s"), "3.43 TB/s");
        assert_eq!(quantity(0.1, "1"), "10.0 %");
        assert_eq!(quantity(2.0, "furlongs"), "2 furlongs");
        assert_eq!(distinguished(2.9988e9, Some(3e9), "B/s").text, "2.999 GB/s");
        assert_eq!(distinguished(2.9e9, Some(3e9), "B/s").text, "2.90 GB/s");
        assert_eq!(distinguished(99_990.0, Some(1e5), "/s").text, "99.99 k/s");
        assert_eq!(distinguished(100_040.0, Some(1e5), "/s").text, "100.04 k/s");
        assert_eq!(distinguished(0.10001, Some(0.1), "1").text, "10.001 %");
        assert_eq!(distinguished(0.5, Some(1.0), "").text, "0.50");
        let next = f64::from_bits(3e9_f64.to_bits() - 1);
        assert_eq!(distinguished(next, Some(3e9), "B/s").text, "2.9999999999999996 GB/s");
        assert_eq!(exact(2_996_123_456_789.0, "B/s"), "2996123456789 B/s");
        assert_eq!(quantity(f64::MAX, "B/s"), "1.80e308 B/s");
        assert_eq!(exact(f64::MAX, "iB/s"), "1.7976931348623157e308 B/s");
    }
}
