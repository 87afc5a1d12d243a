//! What the texts of a contract suggest: clauses, titles, sources.
//!
//! Invariant: every finding is info, because prose decides nothing.
//! Never here: facts of command lines and criteria alone; the numbers of a clause, which are in `terms`.

use plan::Comparison;
use results::finding::{Finding, Severity};
use results::reason::{Datum, Reason, reason, row};

use super::names::directories;
use super::shape::against_role;
use crate::subject::{LineSubject, PlanSubject};

fn info(reason: Reason) -> Finding {
    Finding::new(Severity::Info, reason)
}

/// Whether the clause text contains one of these texts.
fn mentions(subject: &LineSubject, texts: &[&str]) -> bool {
    let clause = subject.clause.to_lowercase();
    texts.iter().any(|text| clause.contains(text))
}

/// stat-unnamed, where the text mentions an average and the criterion compares a statistic above it
pub(crate) fn average(subject: &LineSubject) -> Vec<Finding> {
    if !mentions(subject, &["average", "mean "]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for criterion in &subject.criteria {
        let floor = matches!(criterion.op, Comparison::AtLeast | Comparison::Above);
        let stat = criterion.stat.filter(|stat| stat.row().exceeds_mean && floor && !criterion.counts);
        if let (Some(stat), Some(_)) = (stat, criterion.value) {
            let (statistic, metric) = (stat.row().word, &criterion.metric);
            found.push(info(reason!(StatUnnamed { statistic, metric })));
        }
    }
    found
}

/// threshold-missing
pub(crate) fn threshold(subject: &LineSubject) -> Option<Finding> {
    let asks = ["at least", "at most", "required", "must", "no more than", ">=", "≥", "<=", "under "];
    let missing = subject.criteria.is_empty() && subject.reported && mentions(subject, &asks);
    missing.then(|| info(reason!(ThresholdMissing)))
}

/// role-mismatch, by the verb of the clause
pub(crate) fn verb(subject: &LineSubject) -> Option<Finding> {
    let role = subject.worded_role.filter(|_| subject.role.is_none())?;
    against_role(subject, role, row::RoleMismatch::worded_role).map(info)
}

/// The two families of byte units: powers of 1000 and of 1024.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UnitFamily {
    Decimal,
    Binary,
}

impl UnitFamily {
    fn word(self) -> &'static str {
        match self {
            Self::Decimal => "decimal",
            Self::Binary => "binary",
        }
    }
}

/// The unit family of a quantity in bytes.
pub(super) fn family(text: &str) -> Option<UnitFamily> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || ". _,".contains(c));
    let unit = unit.split(['/', ' ', ',', ';', ')']).next().unwrap_or_default();
    let (prefix, rest) = (unit.chars().next()?, unit.get(1..)?);
    match rest {
        "iB" if "KMGTPE".contains(prefix) => Some(UnitFamily::Binary),
        "B" if "kKMGTPE".contains(prefix) => Some(UnitFamily::Decimal),
        _ => None,
    }
}

/// The zeros of decimal digits in other scripts (Unicode category Nd), each followed by its nine others.
const ZEROS: &str = "\u{660}\u{6f0}\u{7c0}\u{966}\u{9e6}\u{a66}\u{ae6}\u{b66}\u{be6}\u{c66}\u{ce6}\u{d66}\
                     \u{e50}\u{ed0}\u{f20}\u{1040}\u{17e0}\u{1810}\u{ff10}\u{1d7ce}\u{1d7d8}\u{1d7e2}\
                     \u{1d7ec}\u{1d7f6}";

/// The text of a clause with its digits in ASCII. Copies of contracts have others, such as wide ones.
pub(super) fn ascii_digits(text: &str) -> String {
    let value =
        |c: char| ZEROS.chars().map(|zero| u32::from(c).wrapping_sub(u32::from(zero))).find(|of| *of < 10);
    text.chars().map(|c| value(c).and_then(|of| char::from_digit(of, 10)).unwrap_or(c)).collect()
}

/// The unit families of the quantities in a text: `1 TB/s`, `512MiB`.
fn families(text: &str) -> Vec<UnitFamily> {
    let text = ascii_digits(text);
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &'_ str| word.trim_start_matches(['>', '<', '=', '~', '(']).to_owned();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = bare(word);
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            found.extend(family(&word).or_else(|| words.get(at + 1).and_then(|unit| family(unit))));
        }
    }
    found
}

/// units, for a clause and a criterion
pub(crate) fn units(subject: &LineSubject) -> Vec<Finding> {
    let of_clause = families(&subject.clause);
    let Some(clause) = of_clause.first() else { return Vec::new() };
    let other = subject.criteria.iter().filter_map(|criterion| {
        let own = family(criterion.written.trim()).filter(|own| !of_clause.contains(own))?;
        Some(info(reason!(Units {
            metric: &criterion.metric,
            value: &criterion.written,
            value_units: own.word(),
            clause_units: clause.word()
        })))
    });
    other.collect()
}

/// optimal-undefined
pub(crate) fn optimal(subject: &LineSubject) -> Vec<Finding> {
    let undefined = |key: &str| info(reason!(OptimalUndefined { key }));
    let mut found = Vec::new();
    if mentions(subject, &["of optimal"]) && subject.criteria.is_empty() {
        found.push(undefined("value"));
    }
    let counted = subject.stated.nodes.is_some() || subject.launched.nodes.is_some();
    if mentions(subject, &["optimal number"]) && !counted {
        found.push(undefined("nodes"));
    }
    if mentions(subject, &["every step", "each step", "at each interval"]) && !subject.has_steps {
        found.push(undefined("steps"));
    }
    found
}

/// A number, in words or digits, shortly before `repetitions` or `iterations`.
fn repetitions(clause: &str) -> Option<u32> {
    let words: Vec<String> = clause
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let at = words.iter().position(|word| matches!(word.as_str(), "repetitions" | "iterations"))?;
    let names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    words[at.saturating_sub(2)..at].iter().rev().find_map(|word| {
        let named = names.iter().position(|name| name == word).map(|at| at as u32 + 1);
        word.parse().ok().or(named)
    })
}

/// reps-short, from the clause text
pub(crate) fn short(subject: &LineSubject) -> Option<Finding> {
    let (mentioned, planned) = repetitions(&subject.clause).zip(subject.repetitions)?;
    (planned < mentioned).then(|| info(reason!(RepsShort { mentioned, planned })))
}

/// Texts of a clause for one directory for all ranks.
const SHARED: &[&str] = &["single directory", "same directory", "one directory", "shared directory"];
/// Texts of a clause for one directory per rank.
const UNIQUE: &[&str] = &["separate director", "unique director", "own directory", "directory of its own"];

/// shared-unique-pair, from the clause text
pub(crate) fn pair(subject: &LineSubject) -> Option<Finding> {
    let line = subject.mdtest().filter(|_| !subject.criteria.is_empty() || subject.reported)?;
    let mentioned: &[&str] = match (mentions(subject, SHARED), mentions(subject, UNIQUE), line.unique_dir) {
        (true, false, true) => &["shared"],
        (false, true, false) => &["separate"],
        (true, true, _) => &["shared", "separate"],
        _ => return None,
    };
    Some(info(reason!(SharedUniquePair {
        mentioned: Datum::list(mentioned.iter().copied()),
        directories: directories(line.unique_dir)
    })))
}

/// table-label
pub(crate) fn tables(plan: &PlanSubject) -> Vec<Finding> {
    if plan.tables.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (whose, text) in &plan.texts {
        for after in text.match_indices("Table ").map(|(at, table)| &text[at + table.len()..]) {
            let number: String = after.chars().take_while(char::is_ascii_digit).collect();
            let label = format!("Table {number}");
            if number.is_empty() || plan.tables.contains(&label.as_str()) {
                continue;
            }
            let tables = Datum::list(plan.tables.iter().copied());
            all.push(info(reason!(TableLabel { label, tables })).about(whose));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_repetitions_are_read_from_a_text() {
        let decimal =
            |text| families(text).iter().map(|family| *family == UnitFamily::Decimal).collect::<Vec<_>>();
        assert_eq!(decimal("at least 1 TB/s when"), [true]);
        assert_eq!(decimal(">=512MiB and 3.0 GiB/s, 25000/s"), [false, false]);
        assert_eq!(decimal("at least １ TiB/s, or ३ GB/s"), [false, true]);
        assert!(decimal("4 ranks, a Big file").is_empty());
        assert_eq!(repetitions("the average across 10 repetitions"), Some(10));
        assert_eq!(repetitions("at least three separate iterations"), Some(3));
        assert_eq!(repetitions("repetitions"), None);
    }
}
