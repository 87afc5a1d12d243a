//! Errors and misleading results of the original mdtest, which `assay mdtest` does not have.
//! docs/reference/compatibility/mdtest.md lists them.

use std::path::Path;

use crate::common::mdtest::{complaints, mdtest};
use serde_json::Value;

/// Runs a command line that succeeds on two ranks. Gives its phases in order, with their operations.
fn phases(dir: &Path, words: &str) -> Vec<(String, u64)> {
    mdtest(dir, 2, &format!("{words} --record r")).ok();
    let records = std::fs::read_to_string(dir.join("r")).unwrap();
    std::fs::remove_file(dir.join("r")).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let phase = |record: Value| Some((record["phase"].as_str()?.to_owned(), record["ops"].as_u64()?));
    records.filter_map(phase).collect()
}

fn of(phases: &[(String, u64)], name: &str) -> Vec<u64> {
    phases.iter().filter(|(phase, _)| phase == name).map(|(_, operations)| *operations).collect()
}

#[test]
fn b_has_no_effect_and_takes_no_value() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-F -B -n 3", "-F -B 1 -n 3", "-FB -n 3", "-F -n 3 -B"] {
        let ran = mdtest(dir.path(), 2, words);
        assert_eq!((ran.status, complaints(&ran).len()), (Some(0), 0), "{words}: {ran:#?}");
        assert!(ran.out.contains("\n2 tasks, 6 files\n"), "{words}: {ran:#?}");
        assert!(ran.err.starts_with("assay: note: -B has no effect"), "{words}: {ran:#?}");
    }
}

#[test]
fn the_deadline_stops_directories_and_the_real_count_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY --dummy.delay-create=1000 -D -C -T -r -W 1 -n 1g";
    let ran = mdtest(dir.path(), 2, &format!("{words} --record r"));
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let text = std::fs::read_to_string(dir.path().join("r")).unwrap();
    let made = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let made: Vec<u64> = made
        .filter(|record| record["phase"].as_str().is_some_and(|phase| phase.starts_with("directory")))
        .map(|record| record["ops"].as_u64().unwrap())
        .collect();
    assert!(made[0] < 2 << 30 && made.iter().all(|count| *count == made[0]), "{made:?}");
    assert!(ran.out.contains("\nassay: mk-dir, iteration 0: stopped after 1 s at "), "{ran:#?}");
}

#[test]
fn a_deadline_on_directories_prints_no_lines_on_files() {
    let dir = tempfile::tempdir().unwrap();
    let text = mdtest(dir.path(), 2, "-a DUMMY --dummy.delay-create=1000 -D -C -W 1 -v -n 1g").ok();
    assert!(text.contains(" Line  1125    Directory creation: "), "{text}");
    assert!(!text.contains("File creation") && !text.contains("(stonewall)"), "{text}");
}

#[test]
fn items_and_items_per_directory_in_a_tree_are_the_same_in_every_iteration() {
    let dir = tempfile::tempdir().unwrap();
    // 3 test directories with 3 tree nodes of 2 items, for 2 ranks.
    let seen = phases(dir.path(), "-F -n 6 -I 2 -b 2 -z 1 -i 3");
    for phase in ["file_creation", "file_stat", "file_read", "file_removal"] {
        assert_eq!(of(&seen, phase), [36; 3], "{phase}");
    }
}

#[test]
fn one_rank_creates_the_trees_of_all_ranks_in_one_run() {
    let dir = tempfile::tempdir().unwrap();
    let seen = phases(dir.path(), "-c -u -n 6 -b 2 -z 1");
    for phase in ["directory_creation", "directory_stat", "directory_removal", "file_creation", "file_read"] {
        assert_eq!(of(&seen, phase), [12], "{phase}");
    }
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
}

#[test]
fn files_shift_between_the_trees_of_ranks_at_any_depth() {
    let dir = tempfile::tempdir().unwrap();
    let seen = phases(dir.path(), "-u -N 1 -n 6 -b 2 -z 1 -w 64 -e 64 -X");
    assert_eq!((of(&seen, "file_read"), of(&seen, "file_removal")), (vec![12], vec![12]));
    assert_eq!(dir.path().read_dir().unwrap().count(), 0);
}

#[test]
fn operations_on_shared_files_are_counted_per_rank() {
    let dir = tempfile::tempdir().unwrap();
    let seen = phases(dir.path(), "-S -n 5");
    assert_eq!(
        (of(&seen, "file_creation"), of(&seen, "file_stat")),
        (vec![10], vec![10]),
        "each rank counts its operations"
    );
    assert_eq!(of(&seen, "file_removal"), [5], "once");
    let text = mdtest(dir.path(), 2, "-S -n 5 -v").ok();
    assert!(text.contains("\n2 tasks, 1 file\n"), "{text}");
}

#[test]
fn the_list_of_parameters_shows_whether_the_run_removes() {
    let dir = tempfile::tempdir().unwrap();
    let text = mdtest(dir.path(), 2, "-C -L -n 1 -v").ok();
    assert!(text.contains("leaf_only               : True\n"), "{text}");
    assert!(text.contains("remove_only             : False\n"), "{text}");
}

#[test]
fn a_seed_without_r_gives_the_same_order_on_all_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let order = |words: &str| -> Vec<String> {
        let text = mdtest(dir.path(), 1, &format!("-F -n 30 -vvv {words}")).ok();
        let names = text.lines().filter_map(|line| line.split_once("mdtest_stat file: "));
        names.map(|(_, name)| name.rsplit('.').next().unwrap().to_owned()).collect()
    };
    let (plain, seeded) = (order(""), order("--random-seed=4"));
    assert_eq!((plain.len(), seeded.len()), (30, 30));
    assert_ne!(plain, seeded);
    assert_eq!(seeded, order("--random-seed=4"), "the same seed gives the same order");
    let (mut sorted, mut all) = (seeded, plain);
    sorted.sort();
    all.sort();
    assert_eq!(sorted, all, "every item appears once");
}
