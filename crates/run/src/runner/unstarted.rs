//! Jobs that could not start. One may have a reason of its own. Several in a row have a common one, and every
//! further job would be spent on it, so the campaign pauses.
//!
//! A command of the plan that prepares a job, and a changed dataset, are reasons of this job. A directory for
//! files that cannot be used, or a program that cannot be started, are common ones.
//!
//! Never here: why a single job does not start.

use super::attempt::{Attempt, AttemptEnd};
use super::site::CampaignSite;
use super::{EndedJobs, Trouble, key, takes_no_writes};
use plan::schedule::PlannedJob;

/// The campaign pauses instead of spending this job in a row that could not start.
const IN_A_ROW: usize = 3;

/// The number of jobs in a row, up to now, that could not start for a common reason.
#[derive(Debug, Default)]
pub(super) struct UnstartedJobs(usize);

impl UnstartedJobs {
    /// Notes jobs that ended together and are not recorded yet. Gives why the campaign pauses, if it does.
    pub(super) fn note(&mut self, ended: &[(&Attempt<'_>, &AttemptEnd)]) -> Option<String> {
        let whys = ended.iter().map(|(attempt, ran)| attempt.common_reason(ran)).collect();
        self.note_reasons(whys)
    }

    fn note_reasons(&mut self, whys: Vec<Option<String>>) -> Option<String> {
        let jobs = whys.len();
        if jobs == 0 {
            // All jobs of the group were left out, so none has shown that jobs can start.
            return None;
        }
        let Some(last) = whys.into_iter().collect::<Option<Vec<String>>>().and_then(|mut whys| whys.pop())
        else {
            self.0 = 0;
            return None;
        };
        self.0 += jobs;
        let text = || format!("{} jobs in a row could not start. The last one: {}", self.0, last.trim_end());
        (self.0 >= IN_A_ROW).then(text)
    }
}

/// Why the campaign pauses before its first job: a directory for files cannot be used.
pub(super) fn unusable_data(
    site: &CampaignSite,
    jobs: &[PlannedJob],
    done: &EndedJobs<'_>,
) -> Result<Option<String>, Trouble> {
    let open = jobs.iter().filter(|job| !done.ends.contains_key(&key(job)));
    let mut known: Vec<&str> = Vec::new();
    for job in open {
        if known.contains(&job.fs.as_str()) {
            continue;
        }
        known.push(&job.fs);
        match site.data(job) {
            Ok(_) => {}
            Err(Trouble::Io(error)) if !takes_no_writes(&error) => {
                return Ok(Some(format!("fs.{}: {error}", job.fs)));
            }
            Err(trouble) => return Err(trouble),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_started_or_had_a_reason_of_its_own_ends_the_row_but_a_left_out_job_does_not() {
        let common = || Some("no disk\n".to_owned());
        let mut row = UnstartedJobs::default();
        for (jobs, wanted) in [
            (vec![common()], None),
            (vec![common()], None),
            (vec![common(), None], None),
            (vec![common()], None),
            (vec![None], None),
            (vec![common(), common()], None),
            (vec![], None),
            (vec![common()], Some("3 jobs in a row could not start. The last one: no disk")),
        ] {
            assert_eq!(row.note_reasons(jobs).as_deref(), wanted);
        }
    }
}
