//! Sentences about a campaign as a whole: its result, its restrictions, and the signed part of its report.
//!
//! They have no code, because they are made from counts and from what the user selected.
//! Never here: decisions.

use std::collections::BTreeMap;

use results::Outcome;
use units::several;

pub(crate) const NO_WARNING: &str = "There are no warnings.";
pub(crate) const NO_WAIVER: &str = "No finding was waived.";
/// What the margin of a clause is.
pub(crate) const MARGIN: &str = "\
    Margin: the distance of the measured value from the threshold, in percent of the threshold. A positive \
    margin meets the threshold.";
/// What is written on the line for the evidence hash.
pub(crate) const HASH_LINE: &str = "\
    Evidence hash: the hash that `assay verify` prints. It includes this report, so the report cannot \
    contain it. Compare it, then write down at least its first 16 digits.";
/// What facts of systems are that only the plan states.
pub(crate) const DECLARED: &str = "\
    Declared: the plan states it, and assay did not check it. The appendix lists what this program found on \
    the machine.";

/// The number of clauses with each outcome.
pub(crate) fn result(outcomes: &[Outcome]) -> String {
    use Outcome::{Fail, Inconclusive, Invalid, NotRun, Pass};
    let having = |outcome| outcomes.iter().filter(|own| **own == outcome).count();
    match outcomes {
        [] => "No clause was evaluated.".to_owned(),
        [only] => format!("The only clause {}.", of_clauses(*only, 1)),
        [first, ..] if having(*first) == outcomes.len() => {
            let count = outcomes.len();
            format!("All {} {}.", several(count as u64, "clause"), of_clauses(*first, count))
        }
        all => {
            let counts =
                [Fail, Invalid, Inconclusive, NotRun, Pass].map(|outcome| (having(outcome), outcome));
            let counts = counts.into_iter().filter(|(count, _)| *count > 0);
            let counts: Vec<String> =
                counts.map(|(count, outcome)| format!("{count} {}", of_clauses(outcome, count))).collect();
            format!("Of {}, {}.", several(all.len() as u64, "clause"), counts.join(", "))
        }
    }
}

/// The words for the overall result. Clauses that are met count only after all waivers that they need are
/// approved. If tests were selected, they are a part of the plan.
pub fn overall(outcome: Outcome, has_open_findings: bool, is_part: bool) -> String {
    match outcome {
        Outcome::Pass if has_open_findings => format!("{outcome} WITH OPEN FINDINGS"),
        Outcome::Pass if is_part => format!("{outcome} OF A PART"),
        _ => outcome.to_string(),
    }
}

/// The end of a sentence about this number of clauses with an outcome.
fn of_clauses(outcome: Outcome, count: usize) -> &'static str {
    let words = match outcome {
        Outcome::Pass => ["is met", "are met"],
        Outcome::Fail => ["is not met", "are not met"],
        Outcome::Inconclusive => ["is inconclusive", "are inconclusive"],
        Outcome::Invalid => ["is invalid", "are invalid"],
        Outcome::NotRun => ["was not run", "were not run"],
    };
    words[usize::from(count != 1)]
}

/// Which tests were selected; `None` for all.
pub(crate) fn selected(tests: &[String]) -> Option<String> {
    match tests {
        [] => None,
        [one] => Some(format!("Only the test {one} was selected.")),
        many => Some(format!("Only the tests {} were selected.", many.join(", "))),
    }
}

/// Which parameters of the plan had other values than their defaults; `None` if none had.
pub(crate) fn other_values(scale: Option<&str>, set: &BTreeMap<String, String>) -> Option<String> {
    let set = set.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ");
    Some(match (scale, set.as_str()) {
        (None, "") => return None,
        (Some(scale), "") => {
            format!("The campaign used the scale \"{scale}\", not the plan's own scale.")
        }
        (None, set) => format!("The campaign changed values of the plan: {set}."),
        (Some(scale), set) => {
            format!("The campaign used the scale \"{scale}\" and changed values of the plan: {set}.")
        }
    })
}

/// Despite how many errors of the linter the campaign was started; `None` for none.
pub(crate) fn despite_errors(errors: usize) -> Option<String> {
    (errors > 0)
        .then(|| format!("The campaign was started despite {}.", several(errors as u64, "lint error")))
}

/// How many errors and findings are open, with the codes of the findings; `None` for none.
pub(crate) fn open_findings(errors: usize, not_waived: usize, codes: &[&str]) -> Option<String> {
    let errors = (errors > 0).then(|| format!("{} cannot be waived.", several(errors as u64, "error")));
    let codes = codes.join(", ");
    let not_waived = match not_waived {
        0 => None,
        1 => Some(format!("1 finding is not waived ({codes}).")),
        findings => Some(format!("{findings} findings are not waived ({codes}).")),
    };
    let all: Vec<String> = errors.into_iter().chain(not_waived).collect();
    (!all.is_empty()).then(|| all.join(" "))
}

/// That files of the evidence are not intact, with the first fault; `None` if all are.
pub(crate) fn not_intact(faults: &[String]) -> Option<String> {
    let (first, more) = faults.split_first()?;
    let more = if more.is_empty() { String::new() } else { format!(", and {} more", more.len()) };
    Some(format!(
        "Files of the campaign are not intact ({first}{more}), so its verdicts are not valid. List these \
         files with `assay verify FOLDER`."
    ))
}

/// How many kinds of warnings only the appendix lists; empty for none.
pub(crate) fn more_warnings(kinds: usize) -> String {
    match kinds {
        0 => String::new(),
        1 => "The appendix lists 1 more kind of warning.".to_owned(),
        more => format!("The appendix lists {more} more kinds of warnings."),
    }
}
