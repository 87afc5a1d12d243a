//! The margin of a clause: the distance of its measured value from its threshold.
//!
//! Invariant: a positive margin meets the threshold, for lower and for upper limits. A margin that is not
//! zero is never rounded to zero.
//! Never here: outcomes.

use results::{Outcome, Verdict};

use super::unit::{comparison, unit_of};
use super::words::{NONE, exact, threshold_among};
use super::{Cell, unit};

/// The margin above which only this limit is shown, as a share of the threshold.
const LARGE: f64 = 10.0;

/// The margin as a share of the threshold, positive if the threshold is met. `None` for an exact comparison,
/// a threshold of zero, and measurements that cannot be used.
pub(super) fn margin(verdict: &Verdict) -> Option<f64> {
    let is_usable = !matches!(verdict.outcome, Outcome::Invalid | Outcome::NotRun);
    let (value, threshold) = (verdict.value.filter(|_| is_usable)?, verdict.threshold?);
    let above = match comparison(verdict)? {
        ">=" | ">" => value - threshold,
        "<=" | "<" => threshold - value,
        _ => return None,
    };
    Some(above / threshold.abs()).filter(|margin| margin.is_finite())
}

/// The margin in percent, such as `+13.7 %`, or a dash.
pub(super) fn cell(verdict: &Verdict) -> Cell {
    let Some(margin) = margin(verdict) else { return Cell::new(NONE) };
    Cell::new(text(margin)).full(exact(margin, "1"))
}

fn text(margin: f64) -> String {
    if margin == 0.0 {
        return "0 %".to_owned();
    }
    // More digits of a large margin would say nothing. The unrounded margin is its full form.
    if margin.abs() > LARGE {
        return format!("{} {:+.0} %", if margin > 0.0 { ">" } else { "<" }, LARGE.copysign(margin) * 100.0);
    }
    let text = units::percent_apart(margin, true);
    let is_zero = text.chars().filter(char::is_ascii_digit).all(|digit| digit == '0');
    if is_zero { format!("{:+.0e} %", margin * 100.0) } else { text }
}

/// The comparison with the threshold, as the criterion has it, or a dash. A threshold that comes from another
/// test has enough digits to differ from the measured value.
pub(super) fn threshold(verdict: &Verdict) -> String {
    let Some(threshold) = verdict.threshold else { return NONE.into() };
    let text = match unit::written(verdict) {
        Some(written) => written.text.to_owned(),
        None => {
            let values: Vec<f64> = verdict.value.into_iter().collect();
            threshold_among(threshold, &values, unit_of(verdict))
        }
    };
    format!("{} {}", comparison(verdict).unwrap_or_default(), text.trim_end()).trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use results::reason::{any, reason};

    use super::*;

    fn verdict(criterion: &str, value: f64, threshold: f64) -> Verdict {
        Verdict {
            criterion: criterion.into(),
            outcome: Outcome::Pass,
            value: Some(value),
            threshold: Some(threshold),
            unit: "B/s".into(),
            ..Verdict::default()
        }
    }

    #[test]
    fn a_positive_margin_meets_the_threshold_in_both_directions() {
        for (criterion, value, threshold, shown) in [
            ("mean >= 3.0 GB/s", 3.3e9, 3e9, "+10 %"),
            ("mean >= 3.0 GB/s", 2.7e9, 3e9, "-10 %"),
            ("max <= 2 ms", 1.0, 2.0, "+50 %"),
            ("max <= 2 ms", 3.0, 2.0, "-50 %"),
            ("sum of 2: mean > 1 GB/s", 1.5e9, 1e9, "+50 %"),
            ("mean < 1 GB/s", 0.0, 1e9, "+100 %"),
            ("mean >= 3.0 GB/s", 3e9, 3e9, "0 %"),
            ("mean >= 1 GB/s", 11e9, 1e9, "+1000 %"),
            ("mean >= 1 GB/s", 11.1e9, 1e9, "> +1000 %"),
            ("max <= 1 s", 12.1, 1.0, "< -1000 %"),
            ("max == 0 errors", 0.0, 0.0, NONE),
            ("max <= 0 errors", 4.0, 0.0, NONE),
            ("max == 4 errors", 5.0, 4.0, NONE),
        ] {
            assert_eq!(cell(&verdict(criterion, value, threshold)).text, shown, "{criterion}");
        }
    }

    #[test]
    fn a_margin_is_never_rounded_to_zero() {
        assert_eq!(cell(&verdict("mean >= 3 GB/s", 2.9988e9, 3e9)).text, "-0.04 %");
        assert_eq!(cell(&verdict("mean >= 3 GB/s", 3.000_000_3e9, 3e9)).text, "+0.00001 %");
        let next = f64::from_bits(3e9_f64.to_bits() - 1);
        assert_eq!(cell(&verdict("mean >= 3 GB/s", next, 3e9)).text, "-2e-14 %");
    }

    #[test]
    fn measurements_that_cannot_be_used_have_no_margin() {
        for outcome in [Outcome::Invalid, Outcome::NotRun] {
            let unusable = Verdict { outcome, ..verdict("mean >= 3 GB/s", 3.3e9, 3e9) };
            assert_eq!(cell(&unusable).text, NONE);
        }
        let inconclusive =
            Verdict { outcome: Outcome::Inconclusive, ..verdict("mean >= 3 GB/s", 3.3e9, 3e9) };
        assert_eq!(cell(&inconclusive).text, "+10 %");
    }

    #[test]
    fn the_comparison_comes_from_the_reason_and_the_threshold_keeps_its_unit() {
        let met = reason!(ThresholdMet { comparison: "<=", .. });
        let nested = reason!(WrongData { .. }).with(any::measured, &met);
        for reason in [met, nested] {
            let verdict = Verdict { reason, ..verdict("as in the contract", 1e9, 2e9) };
            assert_eq!(comparison(&verdict), Some("<="));
            assert_eq!(threshold(&verdict), "<= 2.00 GB/s");
        }
        assert_eq!(threshold(&verdict("mean >= 3.0 GB/s", 3.0002e9, 3.0004e9)), ">= 3.0004 GB/s");
        assert_eq!(threshold(&Verdict { threshold: None, ..Verdict::default() }), NONE);
    }
}
