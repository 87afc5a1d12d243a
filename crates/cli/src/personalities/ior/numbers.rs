//! Numbers as `ior` reads and writes them (IOR 4.1).

use units::{Dimension, Quantity};
use workloads::ior::{Hog, Rate};
use workloads::kit::payload::Packet;

/// A whole number with an optional suffix `k m g t p` (powers of 1024, either case), which `ib`, `iB`,
/// `b` or `B` may follow.
pub(crate) fn parse(text: &str) -> Result<i64, String> {
    let trimmed = text.trim_start();
    let end = trimmed.find(|c: char| !c.is_ascii_digit() && c != '-' && c != '+').unwrap_or(trimmed.len());
    let (digits, suffix) = trimmed.split_at(end);
    let number: i64 =
        digits.parse().map_err(|_| format!("`{text}` is not a whole number, such as 4096, 4k or 16m"))?;
    let mut letters = suffix.chars();
    let power = match letters.next().map(|letter| letter.to_ascii_lowercase()) {
        None => 0,
        Some('k') => 1,
        Some('m') => 2,
        Some('g') => 3,
        Some('t') => 4,
        Some('p') => 5,
        Some('.') => {
            return Err(format!("`{text}`: fractions are not taken; write it in the next smaller unit"));
        }
        Some(_) => {
            return Err(format!("unknown size suffix `{suffix}` in `{text}`; known are k, m, g, t, p"));
        }
    };
    if !matches!(letters.as_str().to_ascii_lowercase().as_str(), "" | "b" | "ib") {
        return Err(format!("unknown size suffix `{suffix}` in `{text}`; known are k, m, g, t, p"));
    }
    number.checked_mul(1 << (10 * power)).ok_or_else(|| format!("`{text}` is beyond 2^63"))
}

/// The packet type of `-l`, by its first letter.
pub(crate) fn packet(text: &str) -> Result<Packet, String> {
    match text.chars().next() {
        Some('t') => Ok(Packet::Timestamp),
        Some('o') => Ok(Packet::Offset),
        Some('i') => Ok(Packet::Incompressible),
        Some('r') => Ok(Packet::Random),
        Some('s') => Ok(Packet::Stamped),
        _ => Err(format!(
            "unknown packet type `{text}`; known are timestamp, offset, incompressible, random, stamped"
        )),
    }
}

/// The memory of `-M`: `2g`, or `75%` of a node's.
pub(crate) fn hog(text: &str) -> Result<Hog, String> {
    if let Some(percent) = text.trim().strip_suffix('%') {
        return match percent.trim_end().parse() {
            Ok(0) => Ok(Hog::Nothing),
            Ok(percent @ 1..=100) => Ok(Hog::PercentOfNode(percent)),
            _ => Err(format!("`{text}` is not a whole number of percent from 0 to 100")),
        };
    }
    let bare = text.ends_with(|last: char| last.is_ascii_digit());
    match parse(text)? {
        0 => Ok(Hog::Nothing),
        ..0 => Err(format!("`{text}` is negative")),
        // IOR 4.1 takes any number as percent, also that of `100m`.
        small @ 1..=100 if bare => Err(format!("`{text}` is percent or bytes? say {small}% or {small}m")),
        bytes => Ok(Hog::PerNode(bytes.unsigned_abs())),
    }
}

/// The limit of `--rate`: bytes or transfers per second.
pub(crate) fn rate(text: &str) -> Result<Rate, String> {
    let Quantity { value, dimension } = text.parse::<Quantity>().map_err(|usage| usage.0)?;
    match dimension {
        _ if !(value.is_finite() && value > 0.0) => Err("a rate is more than nothing".to_owned()),
        Dimension::BytesPerSecond => Ok(Rate::Bytes(value)),
        Dimension::PerSecond => Ok(Rate::Transfers(value)),
        _ => Err(format!("`{text}` is not a rate, such as 200MB/s, 1GiB/s or 5000/s")),
    }
}

/// A size as the Options block shows it.
pub(crate) fn size(bytes: u64) -> String {
    let units = [(units::TIB, "TiB"), (units::GIB, "GiB"), (units::MIB, "MiB")];
    match units.iter().find(|(unit, _)| bytes >= *unit) {
        None => format!("{bytes} bytes"),
        Some((unit, name)) if bytes.is_multiple_of(*unit) => format!("{} {name}", bytes / unit),
        Some((unit, name)) => format!("{:.2} {name}", bytes as f64 / *unit as f64),
    }
}

/// A number of a result row: ten columns, left-aligned, six, two or no decimals by size.
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
    fn sizes_are_read_in_powers_of_1024_in_any_case() {
        assert_eq!(parse("4k"), Ok(4096));
        assert_eq!(parse("8G"), Ok(8 << 30));
        assert_eq!(parse("1p"), Ok(1 << 50));
        assert_eq!(parse("1mib"), Ok(1 << 20));
        assert_eq!(parse("1MB"), Ok(1 << 20));
        assert_eq!(parse("-3"), Ok(-3));
        for wrong in ["", "x", "1.5m", "8q", "4kk", "99999999999999p"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("8q").unwrap_err().starts_with("unknown size suffix `q` in `8q`"));
    }

    #[test]
    fn memory_to_take_away_has_a_unit_and_rates_are_per_second() {
        assert_eq!(hog("2g"), Ok(Hog::PerNode(2 << 30)));
        assert_eq!(hog("100m"), Ok(Hog::PerNode(100 << 20)));
        assert_eq!(hog("75%"), Ok(Hog::PercentOfNode(75)));
        assert_eq!((hog("0"), hog("0%")), (Ok(Hog::Nothing), Ok(Hog::Nothing)));
        assert!(hog("75").unwrap_err().contains("say 75% or 75m"));
        assert_eq!(hog("4096"), Ok(Hog::PerNode(4096)));
        assert!(hog("101%").is_err() && hog("-1").is_err() && hog("x%").is_err() && hog("").is_err());
        assert_eq!(rate("200MB/s"), Ok(Rate::Bytes(2e8)));
        assert_eq!(rate("1 GiB/s"), Ok(Rate::Bytes((1_u64 << 30) as f64)));
        assert_eq!(rate("5000/s"), Ok(Rate::Transfers(5e3)));
        assert!(rate("5 s").unwrap_err().contains("not a rate") && rate("5000").is_err());
        assert!(rate("0/s").is_err() && rate("-1MB/s").is_err());
    }

    #[test]
    fn sizes_and_columns_are_written_as_in_the_tables() {
        assert_eq!(size(262_144), "262144 bytes");
        assert_eq!(size(1 << 20), "1 MiB");
        assert_eq!(size(3 << 29), "1.50 GiB");
        assert_eq!(column(0.000_211), "0.000211  ");
        assert_eq!(column(899.734), "899.73    ");
        assert_eq!(column(6933.4), "6933      ");
        assert_eq!(column(12_345_678_901.0), "12345678901");
    }
}
