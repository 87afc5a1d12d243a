//! Jobs that died of something else, and jobs that ran elsewhere than the plan asks for.

use plan::Plan;
use results::Outcome;
use results::folder::JobEnd;
use results::record::Record;

use super::{READ, WRITE, one, plan, rates};

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
    assert_eq!(verdict.outcome, Outcome::Invalid);
    assert_eq!(
        verdict.reason,
        "repetition 2 ended with status 137 (a node died): srun: error: Node failure on node3 / srun: error: \
         node1: task 0: Killed / srun: error: node4: task 3: Killed / srun: Force Terminated StepId=1.0"
    );
    assert_eq!(verdict.jobs.len(), 3, "every attempt is listed");
}

#[test]
fn a_job_out_of_time_says_what_its_launcher_waited_for() {
    let mut campaign = rates("write", [120, 121, 122]);
    let late = &mut campaign.jobs[0];
    (late.info.end, late.records) = (JobEnd::TimedOut, vec![]);
    late.last_words = words(&["srun: Job 1 step creation temporarily disabled, retrying"]);
    assert_eq!(
        one(&plan(WRITE), &campaign).reason,
        "repetition 1 did not end in time and was killed after 60.0 s: srun: Job 1 step creation temporarily \
         disabled, retrying"
    );
}

#[test]
fn a_reader_of_files_whose_maker_died_says_why_it_died() {
    let mut campaign = rates("read", [120, 121, 122]);
    for job in &mut campaign.jobs {
        job.info.test = "dataset.d".into();
        (job.info.end, job.records) = (JobEnd::NotStarted, vec![]);
        job.last_words = words(&["cannot start `srun`: No such file or directory"]);
    }
    assert_eq!(
        one(&plan(READ), &campaign).reason,
        "dataset.d, whose files it reads, could not be started (cannot start `srun`: No such file or \
         directory)"
    );
}

#[test]
fn a_job_on_other_nodes_than_the_plans_is_invalid_and_on_local_ranks_a_warning() {
    let mut campaign = rates("write", [120, 121, 122]);
    for job in &mut campaign.jobs {
        let Record::Run(run) = &mut job.records[0] else { panic!("the first record is the run's") };
        run.ranks = 2;
    }
    let verdict = one(&placed("srun"), &campaign);
    assert_eq!(verdict.outcome, Outcome::Invalid);
    assert_eq!(verdict.reason, "repetition 1 ran on 1 node, and the plan asks for 2");
    let verdict = one(&placed("local"), &campaign);
    assert_eq!(verdict.outcome, Outcome::Pass, "{verdict:#?}");
    let told = "launch.kind `local` has one node: the 2 of the plan were groups of its ranks";
    assert!(verdict.warnings.iter().any(|warning| warning == told), "{verdict:#?}");
    let Record::Run(run) = &mut campaign.jobs[2].records[0] else { panic!("the first record is the run's") };
    run.ranks = 1;
    let verdict = one(&placed("local"), &campaign);
    assert_eq!(verdict.reason, "repetition 3 ran on 1 rank, and the plan asks for 2");
}

#[test]
fn a_reader_of_files_that_others_made_elsewhere_is_invalid() {
    let mut campaign = rates("read", [120, 121, 122]);
    let mut maker = campaign.jobs[0].clone();
    maker.info.test = "dataset.d".into();
    let Record::Run(run) = &mut maker.records[0] else { panic!("the first record is the run's") };
    run.ranks = 7;
    campaign.jobs.push(maker);
    assert_eq!(
        one(&plan(READ), &campaign).reason,
        "dataset.d, whose files it reads, ran on 7 ranks, and the plan asks for 1"
    );
}

#[test]
fn of_pages_that_a_dead_job_prints_the_first_and_the_last_lines_are_told_and_where_the_others_are() {
    let mut campaign = rates("write", [120, 121, 122]);
    let dead = &mut campaign.jobs[1];
    (dead.info.end, dead.records) = (JobEnd::Exit(1), vec![]);
    dead.last_words = (1..=9).map(|line| format!("line {line}")).collect();
    assert_eq!(
        one(&plan(WRITE), &campaign).reason,
        "repetition 2 ended with status 1: line 1 / line 2 / line 7 / line 8 / line 9; all of it: \
         jobs/0002-T-r2/stderr.txt"
    );
}
