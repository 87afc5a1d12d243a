//! Campaigns with tests that run `mpi-io`.

use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

use crate::common;
use crate::common::campaign::{Place, data_of, json, there};
use crate::common::only_in_all;

/// A launch table of one of the installed libraries.
fn launch(mpirun: &str) -> String {
    let flags =
        if mpirun.ends_with("openmpi") { "\"--allow-run-as-root\", \"--oversubscribe\", " } else { "" };
    format!("[launch]\nkind = \"mpirun\"\nargv = [\"{mpirun}\", {flags}\"-n\", \"{{ranks}}\", \"{{cmd}}\"]\n")
}

#[test]
fn the_groups_in_a_plan_are_those_of_the_suite() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"T\"\nmpi_io = \"\"\nrepetitions = 1\n\
         criterion = { metric = \"none.fail\", op = \"==\", value = \"0 cases\" }\n",
    );
    let ran = place.assay("plan check p.toml");
    let (_, listed) = ran.err.split_once("Its phases are cases, ").expect(&ran.err);
    let listed: BTreeSet<&str> = listed.trim().trim_end_matches('.').split(", ").collect();
    let cases = place.assay("mpi-io --list").out;
    let groups: BTreeSet<&str> = cases.lines().filter_map(|line| line.split('.').next()).collect();
    assert_eq!(listed, groups);
}

#[test]
fn the_bundled_plan_evaluates_the_functional_clause_of_purple() {
    if !only_in_all("the whole suite in a campaign takes a minute") {
        return;
    }
    if !there("mpirun.mpich") {
        return;
    }
    let place = Place::new();
    let mut command = place.command(
        "run purple-functional --scale small --set launch=mpich --set program=mpiexec.mpich --set \
         ppn=2 --dir dir",
    );
    // MPICH spins while it waits: 677 cases with other load take many minutes.
    let ran = common::run_for(&mut command, Duration::from_secs(1200));
    assert!(ran.passed(), "{ran:#?}");
    let passed: Vec<String> = place.outcomes();
    assert_eq!(passed.len(), 9, "{passed:?}");
    assert!(passed.iter().all(|outcome| outcome.ends_with(" PASS")), "{passed:?}");
    assert!(!ran.out.contains("Every rank reads its own data"), "read by another: {ran:#?}");
    let page = fs::read_to_string(place.folder().join("report.html")).unwrap();
    assert!(page.contains("Cases by group"), "{page}");
}

#[test]
fn a_file_system_that_ignores_locks_is_fail_with_the_case_and_its_evidence() {
    if !there("mpirun.openmpi") {
        return;
    }
    let place = Place::new();
    let shim = common::shim();
    let under = place.dir().canonicalize().unwrap();
    let env = format!(
        "env = {{ LD_PRELOAD = {shim:?}, ASSAY_SHIM_FAULT = \"locks\", ASSAY_SHIM_UNDER = {under:?} }}\n"
    );
    place.plan(&format!(
        "{}{env}[[test]]\nid = \"LOCKS\"\nmpi_io = \"--only posix.locks.* --only posix.append.*\"\n\
         repetitions = 1\ncriterion = [\n\
         {{ metric = \"posix.fail\", op = \"==\", value = \"0 cases\" }},\n\
         {{ metric = \"posix.pass\", op = \">=\", value = \"1 cases\" }},\n]\n",
        launch("mpirun.openmpi")
    ));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(place.outcomes(), ["LOCKS FAIL", "LOCKS PASS"], "{ran:#?}");
    let verdicts = json(&place.folder().join("verdicts.json"));
    let failed = data_of(&verdicts[0]["warnings"], "cases-failed");
    assert!(failed.to_string().contains("posix.locks."), "{failed}");
    let page = fs::read_to_string(place.folder().join("report.html")).unwrap();
    assert!(page.contains("Cases that failed") && page.contains("posix.locks."), "{page}");
}
