//! What differs between the verdicts of a folder and those that its records give now.
//!
//! Never here: whether the folder verifies.

use std::collections::BTreeMap;

use results::Verdict;
use results::folder::names;
use results::reason::Reason;

/// A difference between an earlier and the present evaluation of a clause.
pub struct Difference {
    /// One sentence.
    pub text: String,
    /// What differs.
    pub kind: DifferenceKind,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// An outcome, or a clause that only one of them has.
    Outcome,
    /// A value with the same outcome.
    Value,
    /// Only code or data of a reason.
    Reason,
    /// The report.
    Report,
    /// Everything: the plan cannot be read.
    Unreadable,
}

/// The clauses that were evaluated differently before: in outcome, value, or code and data of the reason.
pub fn differences(kept: &[Verdict], now: &[Verdict]) -> Vec<Difference> {
    let grave = |text: String| Difference { text, kind: DifferenceKind::Outcome };
    let (before, after) = (by_clause(kept), by_clause(now));
    let changed = now.iter().filter_map(|verdict| {
        let was = before.get(&key(verdict)).map(|kept| kept.outcome);
        let was_text = was.map_or_else(|| "nothing".to_owned(), |outcome| outcome.to_string());
        let Verdict { test, metric, outcome, .. } = verdict;
        (was != Some(*outcome)).then(|| {
            let verdicts = names::VERDICTS;
            grave(format!("{test} {metric}: {verdicts} has {was_text}, but the records give {outcome}"))
        })
    });
    let altered = now.iter().filter_map(|verdict| {
        let before = before.get(&key(verdict)).filter(|kept| kept.outcome == verdict.outcome)?;
        let is_same_value = alike(before.value, verdict.value);
        let (kind, (was, is)) = match (is_same_value, before.reason == verdict.reason) {
            (true, true) => return None,
            (false, _) => (DifferenceKind::Value, (exact(before), exact(verdict))),
            (true, false) => (DifferenceKind::Reason, reasons(&before.reason, &verdict.reason)),
        };
        let Verdict { test, metric, .. } = verdict;
        let text = format!("{test} {metric}: {} has {was}, but the records give {is}", names::VERDICTS);
        Some(Difference { text, kind })
    });
    let gone = kept.iter().filter(|verdict| !after.contains_key(&key(verdict))).map(|verdict| {
        let Verdict { test, metric, outcome, .. } = verdict;
        grave(format!("{test} {metric}: {} has {outcome}, but the plan has no such clause", names::VERDICTS))
    });
    changed.chain(altered).chain(gone).collect()
}

/// What a verdict is about: test, metric and criterion.
type VerdictKey<'v> = (&'v str, &'v str, &'v str);

fn key(verdict: &Verdict) -> VerdictKey<'_> {
    (&verdict.test, &verdict.metric, &verdict.criterion)
}

/// The first verdict of each clause.
fn by_clause(verdicts: &[Verdict]) -> BTreeMap<VerdictKey<'_>, &Verdict> {
    verdicts.iter().rev().map(|verdict| (key(verdict), verdict)).collect()
}

/// The difference of two reasons: their codes, or the first data that differ.
fn reasons(one: &Reason, other: &Reason) -> (String, String) {
    if one.code != other.code {
        return (one.code.to_string(), other.code.to_string());
    }
    let mut names = one.data.keys().chain(other.data.keys());
    let differs = names.find(|name| one.data.get(*name) != other.data.get(*name)).map_or("", String::as_str);
    let shown = |reason: &Reason| {
        let datum = reason.data.get(differs).and_then(|datum| serde_json::to_string(datum).ok());
        let datum = datum.unwrap_or_else(|| "nothing".to_owned());
        format!("{} with {differs} = {datum}", reason.code)
    };
    (shown(one), shown(other))
}

/// The value of a verdict with all its digits.
fn exact(verdict: &Verdict) -> String {
    let Verdict { value, unit, .. } = verdict;
    value.map_or_else(|| "nothing".to_owned(), |value| format!("{value} {unit}").trim_end().to_owned())
}

/// Whether two values are equal except for the last digit of their text form.
fn alike(one: Option<f64>, other: Option<f64>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => (one - other).abs() <= 1e-9 * one.abs().max(other.abs()),
        (one, other) => one.is_none() && other.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use results::Outcome;
    use results::reason::{Datum, reason};

    use super::*;

    #[test]
    fn a_difference_has_enough_digits_to_be_visible() {
        let verdict = |value: f64| Verdict {
            test: "W".into(),
            metric: "write.bw".into(),
            criterion: "mean >= 1 B/s".into(),
            outcome: Outcome::Pass,
            reason: reason!(ThresholdMet { .. }),
            value: Some(value),
            unit: "B/s".into(),
            ..Verdict::default()
        };
        let found = differences(&[verdict(62_500_000.25)], &[verdict(62_500_001.0)]);
        let wanted = "W write.bw: verdicts.json has 62500000.25 B/s, but the records give 62500001 B/s";
        let kind = DifferenceKind::Value;
        assert_eq!((found[0].text.as_str(), found[0].kind, found.len()), (wanted, kind, 1));
        assert!(differences(&[verdict(1.0)], &[verdict(1.0)]).is_empty());
        let failed = Verdict { outcome: Outcome::Fail, ..verdict(1.0) };
        let is_outcome = |one: &Difference| one.kind == DifferenceKind::Outcome;
        assert!(differences(&[failed], &[verdict(1.0)]).iter().all(is_outcome));
    }

    #[test]
    fn reasons_are_compared_by_code_and_data() {
        let verdict = |reason: Reason| Verdict { test: "W".into(), reason, ..Verdict::default() };
        let met = reason!(ThresholdMet { value: Datum::rate(2.0), .. });
        let found = differences(&[verdict(met.clone())], &[verdict(reason!(NoValues))]);
        assert!(
            found[0].kind == DifferenceKind::Reason && found[0].text.contains("threshold-met"),
            "{}",
            found[0].text
        );
        let more = reason!(ThresholdMet { value: Datum::rate(3.0), ..met.clone() });
        let found = differences(&[verdict(met.clone())], &[verdict(more)]);
        let wanted = "threshold-met with value = {\"value\":2.0,\"unit\":\"B/s\"}";
        assert!(found[0].text.contains(wanted), "{}", found[0].text);
        assert!(differences(&[verdict(met.clone())], &[verdict(met)]).is_empty());
    }
}
