//! Why a job was left out though all that it needs had ended well.
//!
//! Never here: jobs that others kept from running.

use results::folder::Campaign;
use results::reason::Reason;

use crate::dataset_check::unfit_for;
use crate::late::{self, records_of};
use crate::model::Plan;
use crate::schedule::PlannedJob;

/// The reason, if there is one: its dataset is not fit for it, a search ended before it, or what it has from
/// an earlier test is not known.
pub fn left_out(plan: &Plan, campaign: &Campaign, job: &PlannedJob) -> Option<Reason> {
    let records = |test: &str, repetition: u32| records_of(campaign, test, repetition);
    unfit_for(plan, campaign, job)
        .or_else(|| late::unneeded(plan, job, &records))
        .or_else(|| late::bind(plan, &mut job.clone(), &records).err())
}

#[cfg(test)]
mod tests {
    use results::folder::{Job, JobEnd};
    use results::record::{End, Phase, Record, Spans};

    use super::*;
    use crate::schedule;

    #[test]
    fn steps_behind_the_end_of_a_search_were_left_out_and_others_were_not() {
        let plan = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.scratch = { dir = "{dir}" }
[[test]]
id = "T"
ior = "-w -F"
nodes = { search = [2, 4, 8, 16], gain = "3 %" }
criterion = { metric = "write.bw", op = ">=", value = "1 GB/s" }
"#;
        let plan = Plan::parse(plan, "p.toml").unwrap();
        let spans = Spans { total_s: 1.0, ..Spans::default() };
        let mut campaign = Campaign::default();
        for (test, bytes) in [("T.n2", 100), ("T.n4", 190), ("T.n8", 192)] {
            let phase = Phase { phase: "write".into(), bytes, spans, ..Phase::default() };
            let records = vec![Record::Phase(Box::new(phase)), Record::End(End::default())];
            let mut job = Job { records, ..Job::default() };
            (job.info.test, job.info.repetition, job.info.end) = (test.to_owned(), 1, JobEnd::Exit(0));
            campaign.jobs.push(job);
        }
        let jobs = schedule::jobs(&plan, &[]).unwrap();
        let out: Vec<&str> = jobs
            .iter()
            .filter(|job| left_out(&plan, &campaign, job).is_some())
            .map(|job| job.test.as_str())
            .collect();
        assert_eq!(out, ["T.n16"]);
        campaign.jobs[2].info.end = JobEnd::Signal(9);
        let why = left_out(&plan, &campaign, &jobs[3]);
        assert_eq!(why, None, "what was killed ends no search");
        let why = left_out(&plan, &campaign, &jobs[4]).unwrap();
        assert_eq!((why.code, why.text("test")), (results::Code::SearchStepFailed, Some("T.n8")));
    }
}
