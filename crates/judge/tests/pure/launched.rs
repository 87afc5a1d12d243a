//! Jobs that failed for external reasons, and jobs that ran on other nodes than the plan requires.

use plan::Plan;
use results::Outcome;
use results::finding::Severity;
use results::folder::{DeadProcess, JobEnd};
use results::reason::{Code, any, row};
use results::record::Record;
use results::summary::RepeatedAttempt;

use super::{READ, WRITE, campaign, job, numbers, of, one, outcome, phase, plan, rates, summary};

/// A plan with three repetitions of T on two nodes, started by this launcher.
fn placed(kind: &str) -> Plan {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n[launch]\nkind \
         = \"{kind}\"\n\
         [[test]]\nid = \"T\"\nrepetitions = 3\nnodes = 2\nppn = 1\n{WRITE}\n"
    );
    Plan::parse(&text, "p.toml").unwrap()
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn a_job_whose_node_failed_is_invalid_with_its_error_output() {
    let mut campaign = rates("write", [120, 121, 122]);
    let dead = &mut campaign.jobs[1];
    (dead.info.end, dead.records) = (JobEnd::Exit(137), vec![]);
    dead.error_lines = owned(&[
        "srun: error: Node failure on node3",
        "srun: error: node1: task 0: Killed",
        "srun: error: node4: task 3: Killed",
        "srun: Force Terminated StepId=1.0",
    ]);
    let verdict = one(&plan(WRITE), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::JobFailed));
    assert_eq!(numbers(&verdict.reason, ["repetition", "status"]), [Some(2.0), Some(137.0)]);
    assert_eq!(verdict.reason.get(row::JobFailed::launcher), Some("node-died"));
    let output = verdict.reason.get(row::JobFailed::output).unwrap();
    assert!(output.starts_with("srun: error: Node failure on node3 / "), "{output}");
    assert!(output.ends_with(" / srun: Force Terminated StepId=1.0"), "{output}");
    assert_eq!(verdict.jobs.len(), 3, "every job is listed");
}

#[test]
fn a_rank_that_was_killed_is_reported_also_if_only_the_output_of_the_launcher_says_so() {
    let mut campaign = rates("write", [120, 121, 122]);
    let dead = &mut campaign.jobs[1];
    (dead.info.end, dead.records) = (JobEnd::Exit(9), vec![]);
    dead.info.dead_process = Some(DeadProcess { pid: 77, signal: Some(9), ..DeadProcess::default() });
    let verdict = one(&plan(WRITE), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::JobFailed));
    assert_eq!(verdict.reason.get(row::JobFailed::launcher), Some("killed"));
    assert_eq!(verdict.reason.get(row::JobFailed::dead_process), Some(77.0));
}

#[test]
fn a_job_over_its_time_limit_has_the_error_output_of_its_launcher() {
    let mut campaign = rates("write", [120, 121, 122]);
    let late = &mut campaign.jobs[0];
    (late.info.end, late.records) = (JobEnd::TimedOut, vec![]);
    late.error_lines = owned(&["srun: Job 1 step creation temporarily disabled, retrying"]);
    let reason = one(&plan(WRITE), &campaign).reason;
    assert_eq!(numbers(&reason, ["repetition", "timeout"]), [Some(1.0), Some(60.0)]);
    let output = "srun: Job 1 step creation temporarily disabled, retrying";
    assert_eq!((reason.code, reason.get(row::JobFailed::output)), (Code::JobFailed, Some(output)));
}

#[test]
fn a_reader_of_a_dataset_has_the_reason_why_its_job_failed() {
    let mut campaign = rates("read", [120, 121, 122]);
    for job in &mut campaign.jobs {
        job.info.test = "dataset.d".into();
        (job.info.end, job.records) = (JobEnd::NotStarted, vec![]);
        job.error_lines = owned(&["cannot start `srun`: No such file or directory"]);
    }
    let reason = one(&plan(READ), &campaign).reason;
    assert_eq!((reason.code, reason.get(any::job)), (Code::JobNotStarted, Some("dataset.d")));
    assert_eq!(
        reason.get(row::JobNotStarted::output),
        Some("cannot start `srun`: No such file or directory")
    );
}

#[test]
fn a_wrong_number_of_nodes_is_invalid_and_for_local_ranks_a_warning() {
    let mut campaign = rates("write", [120, 121, 122]);
    for job in &mut campaign.jobs {
        let Record::Run(run) = &mut job.records[0] else { panic!("the first record is that of the run") };
        run.ranks = 2;
    }
    let verdict = one(&placed("srun"), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NodesDiffer));
    assert_eq!(
        numbers(&verdict.reason, ["repetition", "nodes", "planned"]),
        [Some(1.0), Some(1.0), Some(2.0)]
    );
    let verdict = one(&placed("local"), &campaign);
    assert_eq!(verdict.outcome, Outcome::Pass, "{verdict:#?}");
    let simulated = of(&verdict.warnings, Code::SimulatedNodes).unwrap();
    assert_eq!(simulated.get(row::SimulatedNodes::nodes), Some(2.0));
    let Record::Run(run) = &mut campaign.jobs[2].records[0] else {
        panic!("the first record is that of the run")
    };
    run.ranks = 1;
    let verdict = one(&placed("local"), &campaign);
    assert_eq!(verdict.reason.code, Code::RanksDiffer);
    assert_eq!(
        numbers(&verdict.reason, ["repetition", "ranks", "planned"]),
        [Some(3.0), Some(1.0), Some(2.0)]
    );
}

#[test]
fn a_reader_of_a_dataset_from_a_wrong_number_of_ranks_is_invalid() {
    let mut campaign = rates("read", [120, 121, 122]);
    let mut maker = campaign.jobs[0].clone();
    maker.info.test = "dataset.d".into();
    let Record::Run(run) = &mut maker.records[0] else { panic!("the first record is that of the run") };
    run.ranks = 7;
    campaign.jobs.push(maker);
    let reason = one(&plan(READ), &campaign).reason;
    assert_eq!((reason.code, reason.get(any::job)), (Code::RanksDiffer, Some("dataset.d")));
    assert_eq!(numbers(&reason, ["ranks", "planned"]), [Some(7.0), Some(1.0)]);
}

#[test]
fn long_error_output_is_cut_to_its_first_and_last_lines_with_the_path_of_the_file() {
    let mut campaign = rates("write", [120, 121, 122]);
    let dead = &mut campaign.jobs[1];
    (dead.info.end, dead.records) = (JobEnd::Exit(1), vec![]);
    dead.error_lines = (1..=9).map(|line| format!("line {line}")).collect();
    let reason = one(&plan(WRITE), &campaign).reason;
    let output = "line 1 / line 2 / line 7 / line 8 / line 9 (complete: jobs/0002-T-r2/stderr.txt)";
    assert_eq!(reason.get(row::ProbeFailed::output), Some(output));
}

#[test]
fn a_job_that_lasted_much_longer_than_its_program_needs_a_waiver() {
    let found = |lasted: f64, ran_s: u32| {
        let mut job = job("T", 1, phase("write", 1000));
        job.info.seconds = lasted;
        for record in &mut job.records {
            match record {
                Record::Run(run) => run.started = "2026-11-29T10:00:00.000Z".into(),
                Record::End(end) => {
                    end.finished = format!("2026-11-29T10:{:02}:{:02}.000Z", ran_s / 60, ran_s % 60);
                }
                _ => {}
            }
        }
        let findings = summary(&plan(WRITE), &campaign(vec![job])).findings;
        let found = findings.into_iter().find(|one| one.code() == Code::UnexplainedTime)?;
        assert_eq!((found.about.as_str(), found.severity), ("T", Severity::NeedsWaiver));
        Some(found.reason.get(row::UnexplainedTime::outside).unwrap())
    };
    // A launcher that runs a program of a minute three times, and one that starts it slowly.
    assert_eq!(found(180.0, 60), Some(120.0));
    assert_eq!([found(115.0, 60), found(31.0, 1), found(60.0, 60)], [None; 3]);
    assert_eq!(found(33.0, 1), Some(32.0));
}

#[test]
fn more_than_two_attempts_of_a_test_that_were_stopped_with_the_campaign_need_a_waiver() {
    let found = |stopped: usize, died: usize| {
        let mut campaign = rates("write", [1000, 1001, 1002]);
        campaign.killed = (1..=stopped).map(|at| format!("jobs/0002-T-r2.killed-{at}")).collect();
        let died = campaign.killed.iter().take(died);
        campaign.course.died =
            died.map(|folder| RepeatedAttempt { folder: folder.clone(), ..Default::default() }).collect();
        let findings = summary(&plan(WRITE), &campaign).findings;
        let found = findings.into_iter().find(|one| one.code() == Code::AttemptsRepeated);
        found.map(|one| (one.about.clone(), one.severity))
    };
    let needs = Some(("T".to_owned(), Severity::NeedsWaiver));
    assert_eq!([found(0, 0), found(2, 0), found(3, 1)], [None, None, None]);
    assert_eq!([found(3, 0), found(5, 2)], [needs.clone(), needs]);
}
