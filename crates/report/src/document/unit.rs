//! Values of a clause in the unit that its criterion is written in.
//!
//! Invariant: a value never reads like the threshold unless it is equal. A value that would be unreadable in
//! that unit is shown in its usual unit.
//! Never here: comparisons.

use results::reason::{Reason, any, row};
use results::{AS_WRITTEN, Verdict};
use units::Quantity;

use super::Cell;
use super::words::{BINARY_RATE, apart, distinguished_cell, exact};

/// The comparisons of criteria, longer ones first.
const COMPARISONS: [&str; 5] = [">=", "<=", "==", ">", "<"];

/// The smallest and the largest number that is shown in the unit of the criterion.
const READABLE: std::ops::Range<f64> = 0.01..1e6;

/// The comparison of a verdict, such as `>=`; `None` if it has none.
pub(super) fn comparison(verdict: &Verdict) -> Option<&str> {
    let of_criterion = || verdict.criterion.split(' ').find(|word| COMPARISONS.contains(word));
    of_reason(&verdict.reason).or_else(of_criterion)
}

/// The comparison in the data of a reason, or of the reason that it was measured with.
fn of_reason(reason: &Reason) -> Option<&str> {
    let inner = || reason.get(any::measured)?.get(row::ThresholdMet::comparison);
    reason.get(row::ThresholdMet::comparison).or_else(inner).filter(|word| COMPARISONS.contains(word))
}

/// The unit in which the values of a verdict are shown. It is that of the criterion, so that they compare.
pub(super) fn unit_of(verdict: &Verdict) -> &str {
    if verdict.criterion.contains("iB/s") { BINARY_RATE } else { &verdict.unit }
}

/// The threshold as it is written in a criterion, such as `3.0 GB/s`.
pub(super) struct WrittenThreshold<'v> {
    /// Number and unit.
    pub(super) text: &'v str,
    /// The unit, with the space before it if there is one.
    unit: &'v str,
    /// The value of 1 in this unit, in the base unit.
    step: f64,
}

/// The written threshold; `None` if the criterion is relative to another test.
pub(super) fn written(verdict: &Verdict) -> Option<WrittenThreshold<'_>> {
    let (_, text) = verdict.criterion.split_once(&format!(" {} ", comparison(verdict)?))?;
    let text = text.strip_suffix(AS_WRITTEN).unwrap_or(text);
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '+');
    let unit = &text[text.find(|c| !is_number(c)).unwrap_or(text.len())..];
    let [read, step] = [text, &format!("1{unit}")].map(|text| text.parse::<Quantity>().ok());
    let (read, step) = (read?.value, step?.value);
    // The threshold of the verdict decides. A text that differs from it is not used.
    let is_same = (read - verdict.threshold?).abs() <= 1e-12 * read.abs();
    (is_same && step > 0.0).then_some(WrittenThreshold { text, unit, step })
}

/// A value of the clause, in the unit of its criterion if possible.
pub(super) fn cell(verdict: &Verdict, value: f64) -> Cell {
    let usual = || distinguished_cell(value, verdict.threshold, unit_of(verdict));
    let Some(WrittenThreshold { unit, step, .. }) = written(verdict) else { return usual() };
    let number = value / step;
    if number != 0.0 && !READABLE.contains(&number.abs()) {
        return usual();
    }
    let threshold = verdict.threshold.filter(|threshold| *threshold != value);
    match apart(number, threshold.map(|threshold| threshold / step), digits(number)) {
        Some(figures) => Cell::new(format!("{figures}{unit}")).full(exact(value, unit_of(verdict))),
        None => usual(),
    }
}

/// The decimals of a number with three digits. A whole number below 1000 has none.
fn digits(number: f64) -> usize {
    match number.abs() {
        whole if whole.fract() == 0.0 && whole < 10.0 => 0,
        number if number >= 100.0 => 0,
        number if number >= 10.0 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(criterion: &str, threshold: f64, unit: &str) -> Verdict {
        let (criterion, unit) = (criterion.to_owned(), unit.to_owned());
        Verdict { criterion, threshold: Some(threshold), unit, ..Verdict::default() }
    }

    #[test]
    fn a_value_has_the_unit_of_its_criterion_and_differs_visibly_from_the_threshold() {
        for (criterion, threshold, unit, value, shown) in [
            ("mean >= 500 kB/s", 5e5, "B/s", 9.82e6, "9820 kB/s"),
            ("mean >= 0.5 GB/s", 5e8, "B/s", 4.1e8, "0.41 GB/s"),
            ("mean >= 3.0 GB/s", 3e9, "B/s", 2.9988e9, "2.999 GB/s"),
            ("sum of 2: mean >= 3.0 GB/s", 3e9, "B/s", 3.4e9, "3.40 GB/s"),
            ("mean >= 2 MiB/s", 2_097_152.0, "B/s", 3_145_728.0, "3 MiB/s"),
            ("min > 1000/s", 1e3, "/s", 4003.2, "4003/s"),
            ("max <= 2 ms", 2e-3, "s", 1.25e-3, "1.25 ms"),
            ("cov <= 10 %", 0.1, "1", 0.1234, "12.3 %"),
            ("max == 0 errors", 0.0, "", 128.0, "128 errors"),
            ("max == 0 errors", 0.0, "", 0.0, "0 errors"),
        ] {
            assert_eq!(cell(&verdict(criterion, threshold, unit), value).text, shown, "{criterion}");
        }
    }

    #[test]
    fn a_value_that_would_be_unreadable_and_a_relative_criterion_keep_the_usual_unit() {
        for (criterion, threshold, value, shown) in [
            ("mean >= 1 B/s", 1.0, 3.4e9, "3.40 GB/s"),
            ("mean >= 1 TB/s", 1e12, 3.4e9, "3.40 GB/s"),
            ("mean >= 40 % of X", 8.08e5, 2e6, "2.00 MB/s"),
            ("mean >= 3 GB/s", 1e9, 2e9, "2.00 GB/s"),
        ] {
            let verdict = verdict(criterion, threshold, "B/s");
            assert_eq!(cell(&verdict, value).text, shown, "{criterion}");
        }
        assert!(written(&verdict("mean >= 3 GB/s", 1e9, "B/s")).is_none(), "the text is not the threshold");
    }
}
