//! Campaigns that keep a dataset, killed before each of their own calls that change a file system. An
//! unfinished dataset is never used as a complete one, and no unnamed files remain.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::common::campaign::{Place, json, names, there, until};
use crate::common::{Ran, by_set, only_in_all, program, run};

const PLAN: &str = r#"
[dataset.d]
ior = "-w -e -F -t 64k -b 128k -k -G 3"
keep = "7 days"
[[test]]
id = "R"
uses = "dataset.d"
ior = "-R -F -t 64k -b 128k -k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;
/// The system calls that create, name and remove datasets.
const CALLS: [&str; 7] = ["mkdir", "rename", "renameat", "symlink", "unlink", "unlinkat", "rmdir"];
/// The number of test functions that share the moments of a kill, to run in parallel.
const PARTS: usize = 3;
const ANOTHER_PART: &str = "the default set kills at every ninth call";

fn folders(place: &Place) -> Vec<PathBuf> {
    let is_campaign =
        |name: &String| name.starts_with("assay-") && !name.ends_with(".data") && name != "assay-datasets";
    names(&place.dir()).iter().filter(|name| is_campaign(name)).map(|name| place.dir().join(name)).collect()
}

/// Runs `words` again while a job that outlived its campaign still uses the campaign or its dataset.
fn run_when_free(place: &Place, words: &str) -> Ran {
    let mut ran = place.assay(words);
    until("the end of the job that still runs", || {
        let waits = ran.err.contains("still works on this") || ran.err.contains("works on this dataset");
        if waits {
            ran = place.assay(words);
        }
        !waits
    });
    ran
}

/// The only dataset. Asserts that it is complete.
fn complete_dataset(place: &Place, when: &str) -> PathBuf {
    let home = place.dir().join("assay-datasets");
    let mut found = names(&home);
    found.retain(|name| name != ".assay-datasets");
    assert_eq!(found.len(), 1, "{when}: {found:?}");
    let dataset = home.join(&found[0]);
    let there = [".assay-dataset", "dataset.json", "files", "job.json", "records.jsonl", "stderr.txt"];
    assert_eq!(names(&dataset), [&there[..], &["stdout.txt"]].concat(), "{when}");
    assert_eq!(names(&dataset.join("files")), ["data.00000000", "data.00000001"], "{when}");
    dataset
}

/// Resumes a killed campaign, or starts it again if it had not begun. Then another campaign uses the dataset.
fn check_after_kill(place: &Place, when: &str) {
    let begun = folders(place).into_iter().find(|folder| folder.join("campaign.json").exists());
    let ran = match &begun {
        Some(folder) => run_when_free(place, &format!("run --resume {}", folder.display())),
        None => {
            folders(place).iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
            run_when_free(place, "run p.toml --dir dir")
        }
    };
    let ended = ran.err.contains("has ended, so nothing is left to resume.");
    assert!(ran.status == Some(0) || ended, "{when}: {ran:#?}");
    let dataset = complete_dataset(place, when);
    let first = place.folder();
    assert_eq!(place.outcomes(), ["R PASS"], "{when}");
    let verdict = json(&first.join("verdicts.json"))[0].to_string();
    assert!(!verdict.contains("used again"), "{when}: {verdict}");
    fs::create_dir(place.path("again")).unwrap();
    let ran = place.assay("run p.toml --dir dir --campaigns again");
    assert!(ran.passed(), "{when}: {ran:#?}");
    assert!(ran.err.contains("reused: "), "{when}: {ran:#?}");
    let made = json(&dataset.join("dataset.json"));
    assert_eq!(made["campaign"], first.file_name().unwrap().to_str().unwrap(), "{when}");
    assert_eq!(place.whole_jobs(&first), 2, "{when}");
    // A campaign that was killed before its folder was created leaves its directory for files.
    let data = |name: &String| name.ends_with(".data");
    let left: Vec<String> = names(&place.dir()).into_iter().filter(|name| !data(name)).collect();
    assert_eq!(left.len(), 2, "{when}: {left:?}");
}

fn part(first: usize) {
    if !there("strace") {
        return;
    }
    let mut kills = 0;
    for call in CALLS {
        for number in (first..).step_by(by_set(3 * PARTS, PARTS)) {
            let place = Place::new();
            place.plan(PLAN);
            let mut command = Command::new("strace");
            let inject = format!("inject={call}:signal=KILL:when={number}");
            command.args(["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
            command
                .arg(program())
                .args(["run", "p.toml", "--dir", "dir", "--campaigns", "dir"])
                .current_dir(place.path(""));
            if run(&mut command).status.is_some() {
                break;
            }
            check_after_kill(&place, &format!("killed at {call} {number}"));
            kills += 1;
        }
    }
    assert!(kills > by_set(4, 6), "{kills} moments");
}

#[test]
fn a_dataset_is_complete_or_recreated_after_a_kill_at_any_call_part_1() {
    part(1);
}

#[test]
fn a_dataset_is_complete_or_recreated_after_a_kill_at_any_call_part_2() {
    if only_in_all(ANOTHER_PART) {
        part(2);
    }
}

#[test]
fn a_dataset_is_complete_or_recreated_after_a_kill_at_any_call_part_3() {
    if only_in_all(ANOTHER_PART) {
        part(3);
    }
}
