//! Campaigns with tests that need a state: an aged file system, preloaded directories.

use crate::common;
use crate::common::campaign::{Place, SmallFs, codes_of, data_of, json, names};

const STATES: &str = r#"
[state.aged]
age = "--blocks 50% --inodes 20% --cycles 0.2"
[state.full]
preload = 40
[[test]]
id = "TREE"
fdtree = "-l 1 -d 2 -f 2 -s 1"
repetitions = 1
states = ["aged"]
criterion = { metric = "file_creation.rate", op = ">", value = "1/s" }
[[test]]
id = "NAMES"
mdtest = "-F -C -T -r -n 20"
repetitions = 1
states = ["aged", "full"]
criterion = [
  { metric = "file_creation.rate", op = ">", value = "1/s" },
  { metric = "file_stat.failures", op = "==", value = "0 errors" },
]
"#;

#[test]
fn verdicts_report_the_aged_file_system_and_the_preloaded_directories() {
    let place = Place::new();
    let dir = place.dir();
    // A file system in memory, because its counters of blocks and inodes are exact.
    let Some(_mounted) = SmallFs::mount(&dir, "48m,nr_inodes=6k") else { return };
    place.plan(STATES);
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["TREE PASS", "NAMES PASS", "NAMES PASS"]);
    let job = json(&place.folder().join("jobs/0001-state.aged-r1/job.json"));
    assert!(job["argv"].to_string().contains("\"--progress\""), "the view shows how far it is: {job}");
    let verdict = &json(&place.folder().join("verdicts.json"))[1];
    let state = data_of(&verdict["notes"], "state-reached");
    let blocks = state["blocks"]["value"].as_f64().unwrap();
    assert!(state["state"] == "state.aged" && (0.49..0.51).contains(&blocks), "{state}");
    assert!(state["inodes"]["value"].is_number(), "{state}");
    let warnings = &verdict["warnings"];
    assert!(
        !codes_of(warnings).contains(&"fits-memory"),
        "a file without data does not fit into memory: {warnings}"
    );
    let counted = data_of(warnings, "preload");
    assert!(counted["files"] == 40 && counted["directories"] == 1, "{warnings}");
    assert_eq!(names(&dir).len(), 1, "states are removed after their last test: {:?}", names(&dir));
}

#[test]
fn a_plan_with_a_profile_that_the_job_of_a_state_cannot_read_is_rejected() {
    let place = Place::new();
    std::fs::write(place.path("mine.toml"), common::run(&mut place.command("age --print-profile")).ok())
        .unwrap();
    std::fs::write(place.path("bad.toml"), "no = 1\n").unwrap();
    let whole = |name: &str| place.path(name).display().to_string();
    for (file, why) in [
        ("mine.toml".to_owned(), Some("a job runs in its own directory. Give the absolute path.")),
        (whole("none.toml"), Some("No such file or directory")),
        (whole("bad.toml"), Some("bad.toml: ")),
        (whole("mine.toml"), None),
    ] {
        place.plan(&STATES.replace("--cycles 0.2", &format!("--profile {file}")));
        let ran = place.assay("plan check p.toml");
        assert_eq!(ran.status, Some(if why.is_some() { 2 } else { 0 }), "{file}: {ran:#?}");
        let is_reported =
            why.is_none_or(|why| ran.err.contains("state.aged: --profile ") && ran.err.contains(why));
        assert!(is_reported, "{file}: {ran:#?}");
    }
}

#[test]
fn plan_check_reports_that_a_state_fills_the_file_system() {
    let place = Place::new();
    place.plan(STATES);
    let summary = place.assay("plan check p.toml").ok();
    let filled = "fs.s: in addition, state.aged fills it: --blocks 50% --inodes 20% --cycles 0.2\n";
    assert!(summary.contains(filled), "{summary}");
}

#[test]
fn plan_check_rejects_wrong_options_of_a_state() {
    let place = Place::new();
    place.plan(&STATES.replace("--cycles 0.2", "--cycle 0.2"));
    let ran = common::run(&mut place.command("plan check p.toml"));
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    let wanted = "assay: p.toml:8:7: state.aged: unexpected argument '--cycle' found";
    assert!(ran.err.starts_with(wanted), "{}", ran.err);
}

#[test]
fn a_dataset_of_a_state_is_written_on_the_aged_file_system_and_read_there() {
    let place = Place::new();
    let dir = place.dir();
    let Some(_mounted) = SmallFs::mount(&dir, "48m,nr_inodes=6k") else { return };
    place.plan(
        "[state.aged]\nage = \"--blocks 50% --inodes 20% --cycles 0.2\"\n[dataset.d]\n\
         ior = \"-w -k -F -e -t 64k -b 1m\"\nstates = [\"aged\"]\n[[test]]\nid = \"R\"\n\
         uses = \"dataset.d\"\nstates = [\"aged\"]\ncache = \"warm\"\nior = \"-r -k -F -t 64k -b 1m\"\n\
         criterion = { metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }\n",
    );
    let ran = place.campaign();
    assert_eq!(names(&place.folder().join("jobs")), ["0001-state.aged-r1", "0002-dataset.d-r1", "0003-R-r1"]);
    assert_eq!(place.outcomes(), ["R PASS"], "{ran:#?}");
    let job = json(&place.folder().join("jobs/0002-dataset.d-r1/job.json"));
    let bytes = |key: &str| job["fill_before"][key].as_f64().unwrap();
    let (used, free) = (bytes("bytes_used"), bytes("bytes_free"));
    assert!(used / (used + free) > 0.45, "the dataset is written after the ageing: {job:#}");
    assert_eq!(names(&dir).len(), 1, "state and dataset are removed after the reader");
}
