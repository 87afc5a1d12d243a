//! Numbers as `ior` reads and prints them (IOR 4.1).

use command::classic::parse_number;
use units::{Dimension, Quantity};
use workloads::ior::{Hog, RateLimit};

/// The memory of `-M`: `2g`, or `75%` of the memory of a node.
pub(crate) fn hog(text: &str) -> Result<Hog, String> {
    if let Some(percent) = text.trim().strip_suffix('%') {
        return match percent.trim_end().parse() {
            Ok(0) => Ok(Hog::Nothing),
            Ok(percent @ 1..=100) => Ok(Hog::PercentOfNode(percent)),
            _ => Err(format!("`{text}` is not a whole number of percent from 0 to 100")),
        };
    }
    let bare = text.ends_with(|last: char| last.is_ascii_digit());
    match parse_number(text)? {
        0 => Ok(Hog::Nothing),
        ..0 => Err(format!("`{text}` is negative")),
        // IOR 4.1 reads any number up to 100 as percent, also that of `100m`.
        small @ 1..=100 if bare => {
            Err(format!("`{text}` may be percent or bytes. Write {small}% or {small}m."))
        }
        bytes => Ok(Hog::PerNode(bytes.unsigned_abs())),
    }
}

/// The limit of `--rate`: bytes or transfers per second.
pub(crate) fn rate(text: &str) -> Result<RateLimit, String> {
    // The parser's own error would list units that no rate has.
    let other = || "not a rate, such as 200MB/s, 1GiB/s or 5000/s".to_owned();
    let Quantity { value, dimension } = text.parse::<Quantity>().map_err(|_| other())?;
    match dimension {
        _ if !(value.is_finite() && value > 0.0) => Err("the rate must be above 0".to_owned()),
        Dimension::BytesPerSecond => Ok(RateLimit::Bytes(value)),
        Dimension::PerSecond => Ok(RateLimit::Transfers(value)),
        _ => Err(other()),
    }
}

/// A size as in the Options block.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(units::TIB, "TiB"), (units::GIB, "GiB"), (units::MIB, "MiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} bytes"),
        Some((unit, name)) if bytes.is_multiple_of(*unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.2} {name}", bytes as f64 / *unit as f64),
    }
}

/// A number of a result row: ten columns, left-aligned, with six, two or no decimals by size.
pub(crate) fn column(value: f64) -> String {
    let decimals = match value {
        v if v < 1.0 => 6,
        v if v < 3600.0 => 2,
        _ => 0,
    };
    format!("{:<10}", format!("{value:.decimals$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_to_take_has_a_unit_and_rates_are_per_second() {
        assert_eq!(hog("2g"), Ok(Hog::PerNode(2 << 30)));
        assert_eq!(hog("100m"), Ok(Hog::PerNode(100 << 20)));
        assert_eq!(hog("75%"), Ok(Hog::PercentOfNode(75)));
        assert_eq!((hog("0"), hog("0%")), (Ok(Hog::Nothing), Ok(Hog::Nothing)));
        assert!(hog("75").unwrap_err().contains("Write 75% or 75m"));
        assert_eq!(hog("4096"), Ok(Hog::PerNode(4096)));
        assert!(hog("101%").is_err() && hog("-1").is_err() && hog("x%").is_err() && hog("").is_err());
        assert_eq!(rate("200MB/s"), Ok(RateLimit::Bytes(2e8)));
        assert_eq!(rate("1 GiB/s"), Ok(RateLimit::Bytes((1_u64 << 30) as f64)));
        assert_eq!(rate("5000/s"), Ok(RateLimit::Transfers(5e3)));
        for text in ["20", "5 s", "5%", "x", "", "5 MB"] {
            assert_eq!(rate(text).unwrap_err(), "not a rate, such as 200MB/s, 1GiB/s or 5000/s");
        }
        assert!(rate("0/s").is_err() && rate("-1MB/s").is_err());
    }

    #[test]
    fn sizes_and_columns_have_the_form_of_the_tables() {
        assert_eq!(size(262_144), "262144 bytes");
        assert_eq!(size(1 << 20), "1 MiB");
        assert_eq!(size(3 << 29), "1.50 GiB");
        assert_eq!(column(0.000_211), "0.000211  ");
        assert_eq!(column(899.734), "899.73    ");
        assert_eq!(column(6933.4), "6933      ");
        assert_eq!(column(12_345_678_901.0), "12345678901");
    }
}
