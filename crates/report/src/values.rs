//! Numbers with units as text.
//!
//! Invariant: it never fails. A value of an unknown unit is shown unchanged.
//! Never here: cells, markup.

use units::{Dimension, Quantity};

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
pub(crate) fn exact(value: f64, unit: &str) -> String {
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
pub(crate) fn distinguished(value: f64, threshold: Option<f64>, unit: &str) -> String {
    let usual = quantity(value, unit);
    let same = |other: &str| match (usual.parse::<Quantity>(), other.parse::<Quantity>()) {
        (Ok(one), Ok(other)) => one == other,
        _ => usual == other,
    };
    let Some(threshold) = threshold.filter(|t| *t != value && same(&quantity(*t, unit))) else {
        return usual;
    };
    let text = usual.split_once([' ', '/']).map(|(number, _)| &usual[number.len()..]);
    let step = text.and_then(|unit| format!("1{unit}").parse::<Quantity>().ok());
    let (Some(shown), Some(step)) = (text, step) else {
        return exact(value, unit);
    };
    match apart(value / step.value, Some(threshold / step.value), 0) {
        Some(figures) => format!("{figures}{shown}"),
        None => format!("{value:?} {unit}"),
    }
}

/// A number with at least this number of decimals, and enough to differ from the other one if there is one;
/// `None` if no number of digits is enough.
pub(crate) fn apart(number: f64, other: Option<f64>, least: usize) -> Option<String> {
    let mut all = (least..FIGURES).map(|digits| (digits, format!("{number:.digits$}")));
    let differs = |(digits, text): &(usize, String)| {
        other.is_none_or(|other| format!("{other:.digits$}", digits = *digits) != *text)
    };
    all.find(differs).map(|(_, text)| text)
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
    let all = values.iter().map(|value| distinguished(threshold, Some(*value), unit));
    all.max_by_key(String::len).unwrap_or(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_that_rounding_would_make_equal_to_a_value_shows_more_digits() {
        let shown = |threshold, values: &[f64]| threshold_among(threshold, values, "B/s");
        assert_eq!(shown(3e9, &[3.0002e9]), "3.00 GB/s", "an exact threshold is enough");
        assert_eq!(shown(3.0004e9, &[3.0002e9]), "3.0004 GB/s");
        assert_eq!(distinguished(3.0002e9, Some(3.0004e9), "B/s"), "3.0002 GB/s");
        assert_eq!(shown(3.0004e9, &[2.5e9, 3.000_41e9]), "3.00040 GB/s");
        assert_eq!(shown(3.0004e9, &[2.5e9]), "3.00 GB/s");
    }

    #[test]
    fn a_value_of_a_known_unit_is_scaled_and_a_value_of_an_unknown_unit_is_kept() {
        assert_eq!(quantity(3.43e12, "B/s"), "3.43 TB/s");
        assert_eq!(quantity(0.1, "1"), "10.0 %");
        assert_eq!(quantity(2.0, "furlongs"), "2 furlongs");
        assert_eq!(distinguished(2.9988e9, Some(3e9), "B/s"), "2.999 GB/s");
        assert_eq!(distinguished(2.9e9, Some(3e9), "B/s"), "2.90 GB/s");
        assert_eq!(distinguished(99_990.0, Some(1e5), "/s"), "99.99 k/s");
        assert_eq!(distinguished(100_040.0, Some(1e5), "/s"), "100.04 k/s");
        assert_eq!(distinguished(0.10001, Some(0.1), "1"), "10.001 %");
        assert_eq!(distinguished(0.5, Some(1.0), ""), "0.50");
        let next = f64::from_bits(3e9_f64.to_bits() - 1);
        assert_eq!(distinguished(next, Some(3e9), "B/s"), "2.9999999999999996 GB/s");
        assert_eq!(exact(2_996_123_456_789.0, "B/s"), "2996123456789 B/s");
        assert_eq!(quantity(f64::MAX, "B/s"), "1.80e308 B/s");
        assert_eq!(exact(f64::MAX, "iB/s"), "1.7976931348623157e308 B/s");
    }
}
