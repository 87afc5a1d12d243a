//! Terms of the contract: whether criteria compare with the numbers of their clauses, and how sure a verdict
//! must be.
//!
//! Invariant: a number that a clause has in any unit of the criterion's dimension is recognized.
//! Never here: what the words of a clause ask for.

use results::finding::Finding;
use results::finding::Severity::{Info, NeedsWaiver};
use results::reason::{Datum, reason};
use units::{Dimension, Quantity};

use super::prose::ascii_digits;
use crate::subject::{CriterionFacts, LineSubject, PlanSubject};

/// The least confidence level that needs no waiver.
const CONFIDENCE_MIN: f64 = 0.9;
/// The largest `cov_max` that needs no waiver.
const COV_MAX: f64 = 0.5;

/// clause-number
pub(crate) fn number(subject: &LineSubject) -> Vec<Finding> {
    let of_criterion = |criterion: &CriterionFacts| {
        let clause = criterion.clause.as_ref().unwrap_or(&subject.clause);
        // A test without a clause has its id in place of the text.
        (!clause.is_empty() && *clause != subject.id).then(|| missing(criterion, &numbers(clause))).flatten()
    };
    subject.criteria.iter().filter_map(of_criterion).collect()
}

/// The finding about a criterion with a threshold that is not in the clause.
fn missing(criterion: &CriterionFacts, numbers: &[ClauseNumber]) -> Option<Finding> {
    // A share of what another test measures is at the beginning of the text: `90 % of linear`.
    let share = || self::numbers(&criterion.written).first().and_then(|share| share.value);
    // A clause has "no error" in words.
    let wanted = criterion.value.or_else(share).filter(|wanted| wanted.value != 0.0)?;
    if numbers.iter().any(|number| number.is(wanted, criterion)) || is_part(wanted, numbers) {
        return None;
    }
    let same = numbers.iter().filter(|number| number.dimension() == Some(wanted.dimension));
    let others: Vec<&str> = same.map(|number| number.written.as_str()).collect();
    let reason = reason!(ClauseNumber { metric: &criterion.metric, value: &criterion.written, .. });
    Some(match others[..] {
        [] => Finding::new(Info, reason),
        _ => {
            Finding::new(NeedsWaiver, reason!(ClauseNumber { clause_values: Datum::list(others), ..reason }))
        }
    })
}

/// Whether the value is a share in the clause of a value in the clause: `90 % of 3 TB/s`, `10 % below`.
fn is_part(wanted: Quantity, numbers: &[ClauseNumber]) -> bool {
    let having = |dimension| {
        numbers.iter().filter_map(|number| number.value).filter(move |value| value.dimension == dimension)
    };
    let parts = |whole: Quantity| {
        having(Dimension::Fraction)
            .flat_map(move |part| [part.value, 1.0 - part.value].map(|share| whole.value * share))
    };
    let whole = (wanted.dimension == Dimension::Fraction)
        .then_some(Quantity { value: 1.0, dimension: Dimension::Fraction });
    having(wanted.dimension).chain(whole).flat_map(parts).any(|value| is_same(value, wanted.value))
}

fn is_same(value: f64, wanted: f64) -> bool {
    (value - wanted).abs() <= 1e-9 * wanted.abs()
}

/// A number in a clause.
#[derive(Debug)]
struct ClauseNumber {
    /// The number with the word after it, as written.
    written: String,
    /// The number without a unit.
    bare: f64,
    /// The value, if the word after it is a unit.
    value: Option<Quantity>,
}

impl ClauseNumber {
    fn dimension(&self) -> Option<Dimension> {
        self.value.map(|value| value.dimension)
    }

    /// Whether the criterion compares with this number. Only rates of operations and counts are written
    /// with a word that is no unit: `25000 creates per second`.
    fn is(&self, wanted: Quantity, criterion: &CriterionFacts) -> bool {
        match self.value {
            Some(value) => value.dimension == wanted.dimension && is_same(value.value, wanted.value),
            None if !matches!(wanted.dimension, Dimension::PerSecond | Dimension::Count) => false,
            None => {
                is_same(self.bare, wanted.value)
                    || leading_number(&criterion.written).is_some_and(|(bare, _)| is_same(self.bare, bare))
            }
        }
    }
}

/// The number at the beginning of a text and the rest. A comma or a space before three digits separates
/// thousands.
fn leading_number(text: &str) -> Option<(f64, &str)> {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let thousands = |at: usize| (1..4).all(|more| is_digit(at + more)) && !is_digit(at + 4);
    let mut end = 0;
    let mut number = String::new();
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'0'..=b'9' => number.push(char::from(*byte)),
            b'.' if is_digit(end + 1) => number.push('.'),
            b'_' | b',' | b' ' if end > 0 && thousands(end) => {}
            _ => break,
        }
        end += 1;
    }
    Some((number.parse().ok()?, &text[end..]))
}

/// The numbers in a clause, each with the word after it.
fn numbers(clause: &str) -> Vec<ClauseNumber> {
    let (mut found, clause) = (Vec::new(), ascii_digits(clause));
    let mut rest = clause.as_str();
    while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
        let Some((bare, after)) = leading_number(&rest[at..]) else { break };
        let is_name = rest[..at].ends_with(|c: char| c.is_alphanumeric() || "_-".contains(c));
        let unit = after.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
        let unit = unit.split(|c: char| c.is_whitespace() || ",;:()".contains(c)).next().unwrap_or_default();
        let unit = unit.trim_end_matches('.');
        let value = format!("{bare} {unit}").parse().ok();
        if !is_name {
            found.push(ClauseNumber { written: format!("{bare} {unit}"), bare, value });
        }
        rest = after;
    }
    found
}

/// low-confidence
pub(crate) fn confidence(subject: &LineSubject) -> Option<Finding> {
    let confidence = subject.confidence.filter(|confidence| *confidence < CONFIDENCE_MIN)?;
    Some(Finding::new(NeedsWaiver, reason!(LowConfidence { confidence, least: CONFIDENCE_MIN })))
}

/// as-written
pub(crate) fn as_written(subject: &LineSubject) -> Option<Finding> {
    let metrics = subject.criteria.iter().filter(|criterion| criterion.as_written);
    let mut metrics: Vec<&str> = metrics.map(|criterion| criterion.metric.as_str()).collect();
    metrics.dedup();
    (!metrics.is_empty())
        .then(|| Finding::new(Info, reason!(AsWritten { metrics: Datum::list(metrics.iter().copied()) })))
}

/// clause-untested, over the whole plan
pub(crate) fn untested(plan: &PlanSubject) -> Vec<Finding> {
    let reason = |clause: &String| reason!(ClauseUntested { clause });
    plan.untested.iter().map(|clause| Finding::new(Info, reason(clause))).collect()
}

/// high-cov-max
pub(crate) fn cov_max(subject: &LineSubject) -> Option<Finding> {
    let cov_max = subject.cov_max.filter(|cov_max| *cov_max > COV_MAX)?;
    Some(Finding::new(NeedsWaiver, reason!(HighCovMax { cov_max, limit: COV_MAX })))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(metric: &str, written: &str) -> CriterionFacts {
        CriterionFacts {
            metric: metric.into(),
            stat: None,
            op: plan::Comparison::AtLeast,
            value: Some(written.parse().unwrap()),
            counts: false,
            written: written.into(),
            clause: None,
            as_written: false,
        }
    }

    fn severity(clause: &str, written: &str) -> Option<results::finding::Severity> {
        missing(&facts("write.bw", written), &numbers(clause)).map(|finding| finding.severity)
    }

    #[test]
    fn a_threshold_is_found_in_a_clause_in_any_unit() {
        for (clause, written) in [
            ("the file system sustains 3.0 TB/s.", "3000 GB/s"),
            ("at least (3 TB/s), on 4 nodes", "3.0 TB/s"),
            ("at least 25,000 creates per second", "25000/s"),
            ("at least 25 000/s", "25000/s"),
            ("90 % of 3 TB/s", "2.7 TB/s"),
            ("rates within 10 %", "90 %"),
            ("no byte is wrong", "0 count"),
            ("read rate >=512MiB/s", "512 MiB/s"),
        ] {
            assert_eq!(severity(clause, written), None, "{clause}");
        }
    }

    #[test]
    fn a_threshold_that_differs_from_its_clause_needs_a_waiver() {
        assert_eq!(severity("at least 900 GB/s", "9 GB/s"), Some(NeedsWaiver));
        assert_eq!(severity("at least 3 GiB/s", "3 GB/s"), Some(NeedsWaiver));
        assert_eq!(severity("at least ９００ GB/s", "9 GB/s"), Some(NeedsWaiver));
        assert_eq!(severity("على الأقل ٩٠٠ GB/s", "900 GB/s"), None);
        assert_eq!(severity("4 nodes write", "3 GB/s"), Some(Info));
        assert_eq!(severity("the shared rate", "3 GB/s"), Some(Info));
        assert_eq!(severity("IOR-3 on ost3 and 3 nodes", "3/s"), None);
        assert_eq!(severity("IOR-3 on ost3", "3/s"), Some(Info));
        assert_eq!(severity("3 nodes write", "3 GB/s"), Some(Info));
    }
}
