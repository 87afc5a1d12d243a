//! Jobs that died of something else, and jobs that ran elsewhere than the plan asks for.

use plan::Plan;
use results::Outcome;
use results::folder::JobEnd;
use results::reason::Code;
use results::record::Record;

use super::{READ, WRITE, numbers, of, one, outcome, plan, rates};

/// The plan with three repetitions of T, launched by srun on two nodes.
fn placed(kind: &str) -> Plan {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n[launch]\nkind \
         = \"{kind}\"\n\
         [[test]]\nid = \"T\"\nrepetitions = 3\nnodes = 2\nppn = 1\n{WRITE}\n"
    );
    Plan::parse(&text, "p.toml").unwrap()
}

fn words(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

#[test]
fn an_attempt_whose_node_died_is_invalid_with_the_end_of_its_error_stream() {
    let mut campaign = rates("write", [120, 121, 122]);
    let dead = &mut campaign.jobs[1];
    (dead.info.end, dead.records) = (JobEnd::Exit(137), vec![]);
    dead.last_words = words(&[
        "srun: error: Node failure on node3",
        "srun: error: node1: task 0: Killed",
        "srun: error: node4: task 3: Killed",
        "srun: Force Terminated StepId=1.0",
    ]);
    let verdict = one(&plan(WRITE), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::JobFailed));
    assert_eq!(numbers(&verdict.reason, ["repetition", "status"]), [Some(2.0), Some(137.0)]);
    assert_eq!(verdict.reason.text("launcher"), Some("node-died"));
    let output = verdict.reason.text("output").unwrap();
    assert!(output.starts_with("srun: error: Node failure on node3 / "), "{output}");
    assert!(output.ends_with(" / srun: Force Terminated StepId=1.0"), "{output}");
    assert_eq!(verdict.jobs.len(), 3, "every attempt is listed");
}

#[test]
fn a_job_out_of_time_says_what_its_launcher_waited_for() {
    let mut campaign = rates("write", [120, 121, 122]);
    let late = &mut campaign.jobs[0];
    (late.info.end, late.records) = (JobEnd::TimedOut, vec![]);
    late.last_words = words(&["srun: Job 1 step creation temporarily disabled, retrying"]);
    let reason = one(&plan(WRITE), &campaign).reason;
    assert_eq!(numbers(&reason, ["repetition", "timeout"]), [Some(1.0), Some(60.0)]);
    let output = "srun: Job 1 step creation temporarily disabled, retrying";
    assert_eq!((reason.code, reason.text("output")), (Code::JobFailed, Some(output)));
}

#[test]
fn a_reader_of_files_whose_maker_died_says_why_it_died() {
    let mut campaign = rates("read", [120, 121, 122]);
    for job in &mut campaign.jobs {
        job.info.test = "dataset.d".into();
        (job.info.end, job.records) = (JobEnd::NotStarted, vec![]);
        job.last_words = words(&["cannot start `srun`: No such file or directory"]);
    }
    let reason = one(&plan(READ), &campaign).reason;
    assert_eq!((reason.code, reason.text("job")), (Code::JobNotStarted, Some("dataset.d")));
    assert_eq!(reason.text("output"), Some("cannot start `srun`: No such file or directory"));
}

#[test]
fn a_job_on_other_nodes_than_the_plans_is_invalid_and_on_local_ranks_a_warning() {
    let mut campaign = rates("write", [120, 121, 122]);
    for job in &mut campaign.jobs {
        let Record::Run(run) = &mut job.records[0] else { panic!("the first record is the run's") };
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
    assert_eq!(simulated.number("nodes"), Some(2.0));
    let Record::Run(run) = &mut campaign.jobs[2].records[0] else { panic!("the first record is the run's") };
    run.ranks = 1;
    let verdict = one(&placed("local"), &campaign);
    assert_eq!(verdict.reason.code, Code::RanksDiffer);
    assert_eq!(
        numbers(&verdict.reason, ["repetition", "ranks", "planned"]),
        [Some(3.0), Some(1.0), Some(2.0)]
    );
}

#[test]
fn a_reader_of_files_that_others_made_elsewhere_is_invalid() {
    let mut campaign = rates("read", [120, 121, 122]);
    let mut maker = campaign.jobs[0].clone();
    maker.info.test = "dataset.d".into();
    let Record::Run(run) = &mut maker.records[0] else { panic!("the first record is the run's") };
    run.ranks = 7;
    campaign.jobs.push(maker);
    let reason = one(&plan(READ), &campaign).reason;
    assert_eq!((reason.code, reason.text("job")), (Code::RanksDiffer, Some("dataset.d")));
    assert_eq!(numbers(&reason, ["ranks", "planned"]), [Some(7.0), Some(1.0)]);
}

#[test]
fn of_pages_that_a_dead_job_prints_the_first_and_the_last_lines_are_told_and_where_the_others_are() {
    let mut campaign = rates("write", [120, 121, 122]);
    let dead = &mut campaign.jobs[1];
    (dead.info.end, dead.records) = (JobEnd::Exit(1), vec![]);
    dead.last_words = (1..=9).map(|line| format!("line {line}")).collect();
    let reason = one(&plan(WRITE), &campaign).reason;
    let output = "line 1 / line 2 / line 7 / line 8 / line 9; all of it: jobs/0002-T-r2/stderr.txt";
    assert_eq!(reason.text("output"), Some(output));
}
