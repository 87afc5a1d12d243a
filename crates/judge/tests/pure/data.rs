//! The data of reasons by the names that they have in files.

use results::reason::{Datum, Reason};

/// Several numbers of a reason, rounded to three significant digits.
pub(crate) fn numbers<const N: usize>(reason: &Reason, names: [&str; N]) -> [Option<f64>; N] {
    let rounded = |value: f64| {
        let scale = 10_f64.powi(2 - value.abs().max(1e-300).log10().floor() as i32);
        if value == 0.0 { 0.0 } else { (value * scale).round() / scale }
    };
    names.map(|name| number(reason, name).map(rounded))
}

/// The number with this name in the file.
pub(crate) fn number(reason: &Reason, name: &str) -> Option<f64> {
    match reason.data.get(name)? {
        Datum::Count(count) => Some(*count as f64),
        Datum::Number(value) | Datum::Quantity { value, .. } => Some(*value),
        _ => None,
    }
}

/// The texts of a list.
pub(crate) fn texts<'r>(reason: &'r Reason, name: &str) -> Vec<&'r str> {
    let Some(Datum::List(items)) = reason.data.get(name) else { return Vec::new() };
    let text = |item: &'r Datum| match item {
        Datum::Text(text) => Some(text.as_str()),
        _ => None,
    };
    items.iter().filter_map(text).collect()
}
