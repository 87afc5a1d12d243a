//! The text form of quantities: three significant figures and the unit, never a bare number. Also how C
//! writes numbers, for files that other programs read.

/// `value` with the largest prefix that keeps the rounded number at 1 or more, with three significant
/// figures.
fn scaled(value: f64, base: f64, steps: &[&str]) -> String {
    let mut value = value;
    let mut step = 0;
    while value.abs() >= base - 0.5 && step + 1 < steps.len() {
        value /= base;
        step += 1;
    }
    let digits = match value.abs() {
        v if v >= 99.95 || v == 0.0 => 0,
        v if v >= 9.995 => 1,
        _ => 2,
    };
    format!("{value:.digits$}{}", steps[step])
}

/// Bytes in powers of 1024: `1.50 GiB`.
pub fn bytes_binary(bytes: f64) -> String {
    scaled(bytes, 1024.0, &[" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"])
}

/// Bytes per second in powers of 1000, as in contracts: `3.43 TB/s`.
pub fn rate_decimal(bytes_per_second: f64) -> String {
    scaled(bytes_per_second, 1000.0, &[" B/s", " kB/s", " MB/s", " GB/s", " TB/s", " PB/s"])
}

/// Bytes per second in powers of 1024, as in IOR: `3.12 TiB/s`.
pub fn rate_binary(bytes_per_second: f64) -> String {
    format!("{}/s", bytes_binary(bytes_per_second))
}

/// A count with a decimal prefix: `24.8 M`.
pub fn count(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1000.0 {
        return format!("{value:.0}");
    }
    scaled(value, 1000.0, &["", " k", " M", " G", " T"])
}

/// A number with a noun: `1 rank`, `2 ranks`, `2 directories`, `2 criteria`.
pub fn several(number: u64, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        _ if noun == "criterion" => format!("{number} criteria"),
        _ if noun.ends_with("series") => format!("{number} {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

/// Seconds in the most readable unit: `4.20 ms`, `75.0 s`, `2 h 05 min`.
pub fn duration(seconds: f64) -> String {
    match seconds.abs() {
        s if s >= 7170.0 => long(seconds),
        s if s >= 119.95 => format!("{:.1} min", seconds / 60.0),
        s if s >= 0.9995 || s == 0.0 => scaled(seconds, 1e9, &[" s"]),
        s if s >= 0.9995e-3 => scaled(seconds * 1e3, 1e9, &[" ms"]),
        s if s >= 0.9995e-6 => scaled(seconds * 1e6, 1e9, &[" us"]),
        _ => scaled(seconds * 1e9, 1e9, &[" ns"]),
    }
}

/// Hours and minutes, and days from one day on.
fn long(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "-" } else { "" };
    let minutes = (seconds.abs() / 60.0).round() as u64;
    match (minutes / 1440, minutes / 60 % 24, minutes % 60) {
        (0, hours, minutes) => format!("{sign}{hours} h {minutes:02} min"),
        (days, hours, minutes) => format!("{sign}{days} d {hours:02} h {minutes:02} min"),
    }
}

/// A share in percent with this number of decimals: `33.3 %`.
pub fn percent(share: f64, decimals: usize) -> String {
    format!("{:.decimals$} %", share * 100.0)
}

/// A share in percent with enough decimals to differ from 0 % and 100 %: `43.1 %`, `99.96 %`, `95 %`. With a
/// sign, a positive one has a plus.
pub fn percent_apart(share: f64, has_sign: bool) -> String {
    let with = |decimals: usize| match has_sign {
        true => format!("{:+.decimals$}", share * 100.0),
        false => format!("{:.decimals$}", share * 100.0),
    };
    let differs = |decimals: &usize| {
        let read: f64 = with(*decimals).parse().unwrap_or_default();
        let of_whole = (read < 100.0) == (share < 1.0) && (read > 100.0) == (share > 1.0);
        of_whole && (read.abs() >= 10_f64.powi(-(*decimals as i32)) || share == 0.0)
    };
    let text = with((1..=9).find(differs).unwrap_or(1));
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// A confidence such as `95 %`, `99.83 %`. One with an error of at least 10⁻¹⁴ is not rounded to 100 %.
pub fn confidence(confidence: f64) -> String {
    let error = (1.0 - confidence) * 100.0;
    let decimals = if error > 0.0 { (2.0 - error.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 };
    format!("{} %", trimmed(&format!("{:.decimals$}", confidence * 100.0)))
}

/// A number without zeros at the end of its decimals: `1.50` is `1.5`, and `2.00` is `2`. One with a
/// power of ten stays as it is.
pub fn trimmed(number: &str) -> &str {
    match number.contains('.') && !number.contains('e') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

/// A number as C's `%.<digits>e` writes it.
pub fn exponential(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, power) = power.strip_prefix('-').map_or(('+', power), |power| ('-', power));
    format!("{digits}e{sign}{power:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_are_written_with_three_figures_and_a_unit() {
        assert_eq!(bytes_binary(1_610_612_736.0), "1.50 GiB");
        assert_eq!(rate_decimal(3.427e12), "3.43 TB/s");
        assert_eq!(rate_binary(1_048_576.0), "1.00 MiB/s");
        assert_eq!(count(24_807_129.0), "24.8 M");
        assert_eq!(count(12.0), "12");
        assert_eq!([0, 1, 2].map(|number| several(number, "rank")), ["0 ranks", "1 rank", "2 ranks"]);
        assert_eq!(["criterion", "directory"].map(|one| several(2, one)), ["2 criteria", "2 directories"]);
        assert_eq!(["1.50", "2.00", "20", "2.00e30"].map(trimmed), ["1.5", "2", "20", "2.00e30"]);
        assert_eq!(duration(0.0042), "4.20 ms");
        assert_eq!(duration(0.000_000_012), "12.0 ns");
        assert_eq!(duration(75.0), "75.0 s");
        assert_eq!(duration(0.0), "0 s");
    }

    #[test]
    fn a_value_that_rounds_up_to_the_next_unit_is_written_in_that_unit() {
        assert_eq!(duration(0.9996), "1.00 s");
        assert_eq!(duration(0.000_999_6), "1.00 ms");
        assert_eq!(duration(119.96), "2.0 min");
        assert_eq!(duration(7169.0), "119.5 min");
        assert_eq!(duration(7170.0), "2 h 00 min");
        assert_eq!(duration(230_400.0), "2 d 16 h 00 min");
        assert_eq!(rate_decimal(999_600.0), "1.00 MB/s");
        assert_eq!(bytes_binary(1023.7 * 1024.0), "1.00 MiB");
        assert_eq!((count(99.96), count(9.996), count(999.4)), ("100".into(), "10.0".into(), "999".into()));
    }

    #[test]
    fn shares_differ_from_nothing_and_from_all_and_a_confidence_from_certainty() {
        for (share, text) in
            [(0.95, "95 %"), (0.431, "43.1 %"), (0.9996, "99.96 %"), (0.000_03, "0.003 %"), (0.0, "0 %")]
        {
            assert_eq!(percent_apart(share, false), text);
        }
        assert_eq!([0.1, -0.1].map(|share| percent_apart(share, true)), ["+10 %", "-10 %"]);
        for (share, text) in
            [(0.95, "95 %"), (0.9983, "99.83 %"), (0.99999, "99.999 %"), (1.0 - 0.05 / 3.0, "98.33 %")]
        {
            assert_eq!(confidence(share), text);
        }
        assert_eq!([percent(1.0 / 3.0, 1), percent(0.5, 0)], ["33.3 %", "50 %"]);
        assert_eq!(["1.50", "2.00", "100"].map(trimmed), ["1.5", "2", "100"]);
    }

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        let texts =
            [2.447_080_612_2e-2, 4.285_008_000_1e7, 0.0, 1.0, 1e-120].map(|value| exponential(value, 10));
        assert_eq!(
            texts,
            [
                "2.4470806122e-02",
                "4.2850080001e+07",
                "0.0000000000e+00",
                "1.0000000000e+00",
                "1.0000000000e-120"
            ]
        );
    }
}
