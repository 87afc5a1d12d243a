//! The contract of the tutorial: its plan runs on a file system of its own, at the scale for one machine,
//! under Open MPI and under MPICH. Each clause has its verdict for its reason.
//!
//! Rate limits, counts and the content of files decide, so the speed of the machine does not.

use std::time::Duration;

use serde_json::Value;

use crate::common::campaign::{Place, SmallFs, json, names, there};
use crate::common::{self, OPEN_MPI_AS_ROOT, only_in_all};

const PLAN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tutorial/ten-clauses.toml");

/// Test, metric, outcome and code of the reason of each clause.
const VERDICTS: [[&str; 4]; 16] = [
    ["C.1", "write.bw", "PASS", "threshold-met"],
    ["C.2", "read.bw", "PASS", "threshold-met"],
    ["C.3", "write.bw", "PASS", "threshold-met"],
    ["C.4", "read.iops", "FAIL", "threshold-not-met"],
    ["C.4", "read.latency.p99", "PASS", "threshold-met"],
    ["C.5u", "file_creation.rate", "PASS", "threshold-met"],
    ["C.5u", "file_stat.rate", "INVALID", "names-cached"],
    ["C.5u", "file_removal.rate", "PASS", "threshold-met"],
    ["C.5s", "file_creation.rate", "PASS", "threshold-met"],
    ["C.5s", "file_stat.rate", "INVALID", "names-cached"],
    ["C.5s", "file_removal.rate", "PASS", "threshold-met"],
    ["C.6.r2.w", "write.bw", "PASS", "threshold-met"],
    ["C.7", "read_check.errors", "PASS", "threshold-met"],
    ["C.8", "write.bw", "INCONCLUSIVE", "no-limit"],
    ["C.9.w", "write.bw", "PASS", "threshold-met"],
    ["C.10", "copy.seconds", "PASS", "threshold-met"],
];

/// The longest wait for one campaign, on a machine with other load.
const PATIENCE: Duration = Duration::from_secs(900);

/// The number of jobs of the plan.
const JOBS: usize = 56;

/// The data of the reason of this clause.
fn data<'v>(verdicts: &'v [Value], test: &str, metric: &str) -> &'v Value {
    let mut all = verdicts.iter();
    let found = all.find(|verdict| verdict["test"] == test && verdict["metric"] == metric);
    &found.unwrap_or_else(|| panic!("no {test} {metric}"))["reason"]["data"]
}

fn has_the_verdicts(kind: &str, program: &str) {
    let place = Place::new();
    if !there(program) {
        return;
    }
    let Some(_mounted) = SmallFs::on_loop(&place.dir(), &place.path("image"), 128 << 20) else { return };
    let words = format!("--scale laptop --set launcher={kind} --set program={program} --dir dir");
    let mut command = place.command(&format!("run {PLAN} {words} --folder evidence"));
    let ran = common::run_for(command.envs(OPEN_MPI_AS_ROOT), PATIENCE);
    assert_eq!(ran.status, Some(1), "a clause is FAIL: {ran:#?}");

    let evidence = place.path("evidence");
    let verdicts = json(&evidence.join("verdicts.json"));
    let verdicts = verdicts.as_array().unwrap();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let found: Vec<[String; 4]> = verdicts
        .iter()
        .map(|one| [&one["test"], &one["metric"], &one["outcome"], &one["reason"]["code"]].map(word))
        .collect();
    assert_eq!(found, VERDICTS, "{ran:#?}");

    // The limited rate is below the threshold, and no machine can change that.
    let iops = data(verdicts, "C.4", "read.iops");
    let value = iops["value"]["value"].as_f64().unwrap();
    assert!(value < 500.0 && iops["threshold"]["value"] == 1000.0, "{iops}");
    let aged = data(verdicts, "C.8", "write.bw");
    assert_eq!((&aged["n"], &aged["n_min"]), (&1.into(), &2.into()), "{aged}");
    let checked = data(verdicts, "C.7", "read_check.errors");
    assert_eq!(checked["compared"]["value"], (2 * (4 << 20)) as f64, "{checked}");
    // This launcher started the ranks, and the external program had none.
    let argv = |job: &str| word(&json(&evidence.join("jobs").join(job).join("job.json"))["argv"][0]);
    assert_eq!(argv("0001-C.1-r1"), program);
    assert_eq!(argv("0052-C.10-r1"), "dd");
    assert_eq!(place.whole_jobs(&evidence), JOBS);
    assert_eq!(names(&place.dir()), ["lost+found"], "the files of the state and of all tests are removed");
}

#[test]
fn the_contract_of_ten_clauses_has_a_verdict_for_its_reason_under_open_mpi() {
    if only_in_all("the default set runs the contract under MPICH") {
        has_the_verdicts("openmpi", "mpirun.openmpi");
    }
}

#[test]
fn the_contract_of_ten_clauses_has_a_verdict_for_its_reason_under_mpich() {
    if !only_in_all("the default set has it under Open MPI") {
        return;
    }
    has_the_verdicts("mpich", "mpirun.mpich");
}

#[test]
fn the_contract_of_ten_clauses_has_no_open_finding_before_it_runs() {
    let place = Place::new();
    for (scale, waived) in [("", 1), (" --scale laptop", 0)] {
        let text = place.assay(&format!("plan check {PLAN}{scale}")).ok();
        let lints: Vec<&str> = text.lines().filter(|line| line.starts_with("lint: ")).collect();
        let needed = lints.iter().filter(|line| line.contains(": needs-waiver ")).count();
        let approved = lints.iter().filter(|line| line.contains("(waived by ")).count();
        assert_eq!((needed, approved), (waived, waived), "{scale}: {lints:#?}");
        assert!(!lints.iter().any(|line| line.contains(": error ")), "{scale}: {lints:#?}");
    }
}
