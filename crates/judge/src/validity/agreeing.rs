//! Whether the facts of the jobs of a test agree with each other.
//!
//! Never here: the comparisons.

use results::reason::Reason;

use crate::case::TestCriterion;

/// Numbers that contradict others, in a job of the test or of the dataset that it reads.
pub(super) fn facts(case: &TestCriterion<'_>) -> Result<(), Reason> {
    let TestCriterion { index, test, .. } = case;
    let maker = test.uses.as_ref().map(|uses| uses.maker(index.plan));
    let makers = maker.as_ref().map_or(&[][..], |maker| index.jobs(maker));
    let mut jobs = case.jobs().iter().chain(makers);
    jobs.find_map(|job| index.contradiction(job)).map_or(Ok(()), |reason| Err(reason.clone()))
}
