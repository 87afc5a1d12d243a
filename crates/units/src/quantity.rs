//! A number with its unit, as in contracts: `3.0 TB/s`, `512 MiB`, `25000/s`, `45 s`, `10 %`.

use std::fmt;
use std::str::FromStr;

use crate::{Usage, format};

/// The kind of a quantity; two quantities can be compared only within one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Amount of data, in bytes.
    Bytes,
    /// Bandwidth, in bytes per second.
    BytesPerSecond,
    /// Operations per second.
    PerSecond,
    /// Time, in seconds.
    Seconds,
    /// A share of a whole; 1.0 is the whole.
    Fraction,
    /// A plain count.
    Count,
    /// A score: a mean of numbers that have different units.
    Points,
}

impl Dimension {
    /// The base unit's symbol, as printed in records.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Bytes => "B",
            Self::BytesPerSecond => "B/s",
            Self::PerSecond => "/s",
            Self::Seconds => "s",
            Self::Fraction => "1",
            Self::Count => "",
            Self::Points => "points",
        }
    }

    /// The dimension with this base unit.
    pub fn of_unit(unit: &str) -> Option<Self> {
        let all = [
            Self::Bytes,
            Self::BytesPerSecond,
            Self::PerSecond,
            Self::Seconds,
            Self::Fraction,
            Self::Count,
            Self::Points,
        ];
        all.into_iter().find(|dimension| dimension.unit() == unit)
    }

    /// An example of a value in this dimension, for error messages.
    pub fn example(self) -> &'static str {
        match self {
            Self::Bytes => "512 MiB",
            Self::BytesPerSecond => "3.0 GB/s",
            Self::PerSecond => "25000/s",
            Self::Seconds => "30 s",
            Self::Fraction => "10 %",
            Self::Count => "0 count",
            Self::Points => "10 points",
        }
    }
}

/// A value in the base unit of its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantity {
    /// The number, in the dimension's base unit.
    pub value: f64,
    /// What it counts.
    pub dimension: Dimension,
}

/// Factor of a byte unit with a prefix: SI prefixes are powers of 1000, IEC prefixes powers of 1024.
fn byte_factor(unit: &str) -> Option<f64> {
    let prefixes = [("k", 1), ("K", 1), ("M", 2), ("G", 3), ("T", 4), ("P", 5), ("E", 6)];
    if unit == "B" {
        return Some(1.0);
    }
    prefixes.iter().find_map(|(prefix, power)| {
        let rest = unit.strip_prefix(prefix)?;
        match rest {
            "B" => Some(1000_f64.powi(*power)),
            "iB" => Some(1024_f64.powi(*power)),
            _ => None,
        }
    })
}

/// Factor of a count prefix before `/s`: none, `k`, `M` or `G`.
fn count_factor(prefix: &str) -> Option<f64> {
    match prefix {
        "" | "op" | "ops" => Some(1.0),
        "k" | "kop" | "kops" => Some(1e3),
        "M" | "Mop" | "Mops" => Some(1e6),
        "G" | "Gop" | "Gops" => Some(1e9),
        _ => None,
    }
}

fn unit_of(unit: &str) -> Option<(f64, Dimension)> {
    let seconds = match unit {
        "ns" => Some(1e-9),
        "us" | "µs" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "min" => Some(60.0),
        "h" => Some(3600.0),
        "day" | "days" => Some(86400.0),
        _ => None,
    };
    if let Some(factor) = seconds {
        return Some((factor, Dimension::Seconds));
    }
    match unit {
        "%" => return Some((0.01, Dimension::Fraction)),
        "count" | "errors" | "cases" => return Some((1.0, Dimension::Count)),
        "point" | "points" => return Some((1.0, Dimension::Points)),
        "IOPS" => return Some((1.0, Dimension::PerSecond)),
        "kIOPS" => return Some((1e3, Dimension::PerSecond)),
        "MIOPS" => return Some((1e6, Dimension::PerSecond)),
        _ => {}
    }
    if let Some(rate) = unit.strip_suffix("/s") {
        if let Some(factor) = byte_factor(rate) {
            return Some((factor, Dimension::BytesPerSecond));
        }
        return count_factor(rate).map(|factor| (factor, Dimension::PerSecond));
    }
    byte_factor(unit).map(|factor| (factor, Dimension::Bytes))
}

/// The advice for an unknown unit: the unit that the user probably advice_for.
fn advice_for(unit: &str) -> Option<String> {
    let (before, rate) = match unit.rsplit_once('/') {
        Some((before, "s" | "sec" | "second")) => (before, true),
        None => match unit.strip_suffix("ps") {
            Some(before) if before.ends_with(['b', 'B', 't']) => (before, true),
            _ => (unit, false),
        },
        Some(_) => return None,
    };
    let small = before.trim_end().to_lowercase();
    let bits = before.ends_with('b') && small != "b" || small.ends_with("bit") || small.ends_with("bits");
    let bytes = format!("{}{}", in_capitals(&small), if rate { "/s" } else { "" });
    if bits && before == small && unit_of(&bytes).is_some() {
        return Some(format!("Did you mean `{bytes}`? Bits are not accepted."));
    }
    if bits {
        let such = if rate { "GB/s" } else { "GB" };
        return Some(format!("Bits are not accepted. Write bytes, such as `{such}`."));
    }
    if ["week", "weeks", "month", "months", "year", "years"].contains(&small.as_str()) {
        return Some("Write days, such as `7 days`.".to_owned());
    }
    let word = match small.as_str() {
        "sec" | "secs" | "second" | "seconds" => "s",
        "minute" | "minutes" | "mins" | "m" => "min",
        "hour" | "hours" | "hr" | "hrs" => "h",
        "percent" => "%",
        "iops" => "IOPS",
        "files" | "creates" | "stats" | "deletes" | "op" | "ops" => "",
        "b" | "byte" | "bytes" => "B",
        _ => &in_capitals(&small),
    };
    let known = format!("{word}{}", if rate { "/s" } else { "" });
    unit_of(&known).map(|_| format!("Did you mean `{known}`?"))
}

/// A byte unit in its usual capitals: `gib` as `GiB`.
fn in_capitals(small: &str) -> String {
    let mut letters = small.to_uppercase().replace("IB", "iB");
    if letters == "KB" {
        letters = "kB".to_owned();
    }
    letters
}

impl FromStr for Quantity {
    type Err = Usage;

    /// Reads `NUMBER UNIT`; the unit is required, because a number without one in a contract causes disputes.
    fn from_str(text: &str) -> Result<Self, Usage> {
        let text = text.trim();
        let split = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '+')));
        let (number, unit) = text.split_at(split.unwrap_or(text.len()));
        let unit = unit.trim();
        let number: f64 = number.replace('_', "").parse().map_err(|_| {
            Usage(format!("`{text}` is not a number with a unit, such as `3.0 GB/s`, `25000/s` or `30 s`"))
        })?;
        if unit.is_empty() {
            return Err(Usage(format!(
                "`{text}` has no unit. Write for example `{text} MB/s`, `{text}/s` or `{text} s`."
            )));
        }
        if unit.starts_with(',') {
            let (whole, part) = (text.replace(',', ""), text.replace(',', "."));
            return Err(Usage(format!(
                "`{text}` has a comma, which numbers cannot have. Write `{whole}` or `{part}`."
            )));
        }
        let Some((factor, dimension)) = unit_of(unit) else {
            if unit.contains(|c: char| c.is_ascii_digit()) {
                return Err(Usage(format!(
                    "`{text}` is not one number with one unit. Write for example `90 min`."
                )));
            }
            if let Some(advice) = advice_for(unit) {
                return Err(Usage(format!("unknown unit `{unit}` in `{text}`. {advice}")));
            }
            return Err(Usage(format!(
                "unknown unit `{unit}` in `{text}`. Known units: B kB MB GB TB PB, KiB MiB GiB TiB PiB, \
                 each with /s; /s k/s M/s G/s IOPS; ns us ms s min h days; %; count."
            )));
        };
        Ok(Self { value: number * factor, dimension })
    }
}

/// The bytes of a size: `64 MiB`, `1.4 TB`, or with one letter as IOR writes it, `64m`.
///
/// A letter of `k m g t p` alone, in either case, is a power of 1024. Units end with `B`: `MiB` is 2^20 bytes
/// and `MB` is 10^6 bytes. A number without both is rejected.
pub fn size(text: &str) -> Result<f64, Usage> {
    let text = text.trim();
    let letter = text.chars().last().map(|last| last.to_ascii_lowercase());
    let power = letter.and_then(|letter| "kmgtp".find(letter));
    let number = text.get(..text.len().saturating_sub(1)).and_then(|number| number.parse::<f64>().ok());
    if let (Some(power), Some(number)) = (power, number.filter(|number| number.is_finite())) {
        return Ok(number * 1024_f64.powi(power as i32 + 1));
    }
    match text.parse::<Quantity>()? {
        Quantity { value, dimension: Dimension::Bytes } => Ok(value),
        _ => Err(Usage(format!("`{text}` is not a size. Write for example `64m` or `64 MiB`."))),
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&match self.dimension {
            Dimension::Bytes => format::bytes_binary(self.value),
            Dimension::BytesPerSecond => format::rate_decimal(self.value),
            Dimension::PerSecond => format!("{}/s", format::count(self.value)),
            Dimension::Seconds => format::duration(self.value),
            Dimension::Fraction => format::percent(self.value, 1),
            Dimension::Count => format::count(self.value),
            Dimension::Points => format!("{} points", format::count(self.value)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (f64, Dimension) {
        let quantity: Quantity = text.parse().expect(text);
        (quantity.value, quantity.dimension)
    }

    #[test]
    fn a_size_has_a_letter_as_in_ior_or_a_unit() {
        for (text, bytes) in [
            ("64m", 64.0 * 1_048_576.0),
            ("64M", 64.0 * 1_048_576.0),
            ("64 MiB", 64.0 * 1_048_576.0),
            ("64MiB", 64.0 * 1_048_576.0),
            ("64 MB", 64e6),
            ("64MB", 64e6),
            ("1.5g", 1.5 * 1_073_741_824.0),
            (" 4k ", 4096.0),
            ("1t", 1024_f64.powi(4)),
            ("2p", 2.0 * 1024_f64.powi(5)),
            ("512 B", 512.0),
        ] {
            assert_eq!(size(text).unwrap(), bytes, "{text}");
        }
        for text in ["", "64", "m", "64 m b", "4 s", "10 GB/s", "64q", "infm", "nank"] {
            assert!(size(text).is_err(), "{text}");
        }
        assert_eq!(size("4 s").unwrap_err().0, "`4 s` is not a size. Write for example `64m` or `64 MiB`.");
    }

    #[test]
    fn units_of_other_programs_are_rejected_with_the_known_ones() {
        for (text, end) in [
            ("3 GIB/s", "Did you mean `GiB/s`?"),
            ("3 gb/s", "Did you mean `GB/s`? Bits are not accepted."),
            ("16 gb", "unknown unit `gb` in `16 gb`. Did you mean `GB`? Bits are not accepted."),
            ("16 Gb", "Bits are not accepted. Write bytes, such as `GB`."),
            ("1 week", "unknown unit `week` in `1 week`. Write days, such as `7 days`."),
            ("1h30m", "`1h30m` is not one number with one unit. Write for example `90 min`."),
            ("1 h 30 min", "`1 h 30 min` is not one number with one unit. Write for example `90 min`."),
            ("1,500 MB/s", "numbers cannot have. Write `1500 MB/s` or `1.500 MB/s`."),
            ("3 MiB/sec", "Did you mean `MiB/s`?"),
            ("3 MBps", "Did you mean `MB/s`?"),
            ("3 KB/S", "each with /s; /s k/s M/s G/s IOPS; ns us ms s min h days; %; count."),
            ("3 minutes", "Did you mean `min`?"),
            ("3 creates/s", "Did you mean `/s`?"),
            ("3 percent", "Did you mean `%`?"),
            ("3 Gb/s", "Bits are not accepted. Write bytes, such as `GB/s`."),
            ("3 Gbps", "Bits are not accepted. Write bytes, such as `GB/s`."),
            ("3 furlongs", "each with /s; /s k/s M/s G/s IOPS; ns us ms s min h days; %; count."),
        ] {
            let error = text.parse::<Quantity>().unwrap_err().0;
            assert!(error.ends_with(end), "{error}");
        }
    }

    #[test]
    fn values_of_contracts_are_read_with_their_units() {
        assert_eq!(read("3.0 TB/s"), (3e12, Dimension::BytesPerSecond));
        assert_eq!(read("512MiB"), (512.0 * 1_048_576.0, Dimension::Bytes));
        assert_eq!(read("25000/s"), (25_000.0, Dimension::PerSecond));
        assert_eq!(read("20 M/s"), (2e7, Dimension::PerSecond));
        assert_eq!(read("1 MiB/s"), (1_048_576.0, Dimension::BytesPerSecond));
        assert_eq!(read("1_000 IOPS"), (1000.0, Dimension::PerSecond));
        assert_eq!(read("250 us").1, Dimension::Seconds);
        assert!((read("90%").0 - 0.9).abs() < 1e-12);
        assert_eq!(read("0 errors"), (0.0, Dimension::Count));
        assert_eq!(read("3 cases"), (3.0, Dimension::Count));
    }

    #[test]
    fn a_number_without_a_unit_is_rejected_with_a_remedy() {
        let error = "100".parse::<Quantity>().unwrap_err();
        assert!(error.0.contains("has no unit") && error.0.contains("100 MB/s"), "{error}");
        let error = "3 parsecs".parse::<Quantity>().unwrap_err();
        assert!(error.0.starts_with("unknown unit `parsecs` in `3 parsecs`"), "{error}");
        assert!("fast".parse::<Quantity>().is_err());
        assert!("".parse::<Quantity>().is_err());
    }

    #[test]
    fn every_dimensions_example_reads_back_in_that_dimension() {
        use Dimension::{Bytes, BytesPerSecond, Count, Fraction, PerSecond, Seconds};
        for dimension in [Bytes, BytesPerSecond, PerSecond, Seconds, Fraction, Count] {
            assert_eq!(read(dimension.example()).1, dimension);
        }
    }
}
