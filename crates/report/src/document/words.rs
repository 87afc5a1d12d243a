//! Values as cells and text: quantities, times, hashes, command lines, links, and the ends of jobs.
//!
//! Invariant: it never fails. Any input gives a text, and malformed input is shown unchanged.
//! Never here: markup, and large types of a campaign.

use std::collections::BTreeMap;

use jiff::Timestamp;
use results::Outcome;
use results::folder::JobEnd;
use units::Dimension;
pub(crate) use units::confidence;

use super::{Cell, Tone};
pub(crate) use crate::values::{BINARY_RATE, apart, distinguished, exact, quantity, threshold_among};

/// The text for a missing value.
pub(super) const NONE: &str = "–";

/// A cell with a value that has enough digits to differ from the threshold.
pub(crate) fn distinguished_cell(value: f64, threshold: Option<f64>, unit: &str) -> Cell {
    Cell::new(distinguished(value, threshold, unit)).full(exact(value, unit))
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

/// `yes` or `no`.
pub(super) fn yes_no(fact: bool) -> Cell {
    Cell::new(if fact { "yes" } else { "no" })
}

/// `text`, or a dash if it is empty.
pub(super) fn or_none(text: &str) -> String {
    if text.is_empty() { NONE.into() } else { text.into() }
}

/// The requirement text after the id of its test, unless it is the id.
pub(crate) fn test_and_clause(test: &str, clause: &str) -> String {
    if clause == test || clause.is_empty() { test.to_owned() } else { format!("{test}: {clause}") }
}

/// A shortened SHA-256, with its full form.
pub(super) fn hash_cell(hash: &str) -> Cell {
    if units::characters(hash) <= 16 {
        return Cell::literal(or_none(hash));
    }
    Cell::literal(units::shortened(hash, 12)).full(hash)
}

/// A path. A long path is shown by its end, with its full form.
pub(super) fn path_cell(path: &str) -> Cell {
    match path.rmatch_indices('/').nth(1) {
        Some((at, _)) if path.chars().count() > 40 => Cell::literal(format!("…{}", &path[at..])).full(path),
        _ => Cell::literal(or_none(path)),
    }
}

pub(super) fn tone_of(outcome: Outcome) -> Tone {
    match outcome {
        Outcome::Pass => Tone::Pass,
        Outcome::Fail => Tone::Fail,
        Outcome::Inconclusive => Tone::Inconclusive,
        Outcome::Invalid => Tone::Invalid,
        Outcome::NotRun => Tone::NotRun,
    }
}

pub(super) fn overall_tone(outcome: Outcome, has_open_findings: bool) -> Tone {
    match outcome {
        Outcome::Pass if has_open_findings => Tone::Inconclusive,
        _ => tone_of(outcome),
    }
}

/// The values of each key. The keys are in the order in which they come first.
pub(super) fn grouped<K: Ord + Clone, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    let mut places: BTreeMap<K, usize> = BTreeMap::new();
    for (key, value) in pairs {
        let place = *places.entry(key).or_insert_with_key(|key| {
            groups.push((key.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(value);
    }
    groups
}

pub(super) fn end_cell(end: &JobEnd) -> Cell {
    match end {
        JobEnd::Exit(0) => Cell::new("exit 0"),
        JobEnd::Exit(status) => Cell::new(format!("exit {status}")).toned(Tone::Fail),
        JobEnd::Signal(signal) => Cell::new(format!("signal {signal}")).toned(Tone::Fail),
        JobEnd::TimedOut => Cell::new("timed out").toned(Tone::Fail),
        JobEnd::NotStarted => Cell::new("not started").toned(Tone::Fail),
    }
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
    fn a_long_path_is_shown_by_its_end_and_keeps_its_full_form() {
        let long = "/scratch/project/assay-p-20260302-080000.data/tests/W-r1/data.00000000";
        assert_eq!(path_cell(long), Cell::literal("…/W-r1/data.00000000").full(long));
        assert_eq!(path_cell("/s/f"), Cell::literal("/s/f"));
        assert_eq!(path_cell(""), Cell::literal(NONE));
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
}
