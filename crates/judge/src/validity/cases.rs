//! Cases of a conformance suite: how many had an outcome.
//!
//! Never here: whether the number is one that was asked for.

use results::folder::Job;
use results::reason::{Code, Reason};
use results::record::{Case as Tried, CaseOutcome, Record};

use crate::case::TestCriterion;

/// How many cases of one job had this outcome; why that cannot be said where none was tried.
pub(super) fn value(case: &TestCriterion<'_>, job: &Job, outcome: CaseOutcome) -> Result<f64, Reason> {
    let of = |reason: Reason| Err(reason.with("repetition", job.info.repetition));
    let all: Vec<&Tried> = matching(case, job).collect();
    let Some(first) = all.first() else {
        return Err(case.missing(job));
    };
    let tried = |tried: &&&Tried| !matches!(tried.outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    let asks_of_these = matches!(outcome, CaseOutcome::Skipped | CaseOutcome::Unsupported);
    if !asks_of_these && all.iter().find(tried).is_none() {
        let reason = Reason::new(Code::CasesUntried).with("cases", all.len()).with("group", case.phase());
        return of(reason.with("error", &first.why));
    }
    Ok(all.iter().filter(|tried| tried.outcome == outcome).count() as f64)
}

/// The first case of a job that failed.
pub(super) fn failed(job: &Job) -> Option<&Tried> {
    tried(job).find(|tried| tried.outcome == CaseOutcome::Fail)
}

/// The cases of a job that the criterion is about.
pub(crate) fn matching<'j>(case: &TestCriterion<'_>, job: &'j Job) -> impl Iterator<Item = &'j Tried> {
    let group = case.phase().to_owned();
    tried(job).filter(move |tried| group == "cases" || tried.group() == group)
}

fn tried(job: &Job) -> impl Iterator<Item = &Tried> {
    job.records.iter().filter_map(|record| match record {
        Record::Case(tried) => Some(&**tried),
        _ => None,
    })
}
