//! Numbers and dates as `ior` prints them (IOR 4.1).

use jiff::Zoned;

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

/// A date in the form of C's `ctime`.
pub(crate) fn date() -> String {
    Zoned::now().strftime("%a %b %e %H:%M:%S %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

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
