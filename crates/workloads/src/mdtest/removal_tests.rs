//! Removals continue: after missing names, after failures, and around names that mdtest did not make.

use command::mdtest::Request;

use super::recording::Recording;
use super::scene::{MdtestRankResult, all_phases, names_in, only_create, play_in, play_on, within};

const EACCES: i32 = 13;

/// The removal of what `made` created.
fn removal(made: &Request) -> Request {
    Request { create: false, remove: true, ..made.clone() }
}

fn failed(left: &[MdtestRankResult]) -> u64 {
    let failed = left[0].done.as_ref().expect("it ends").failed;
    assert!(left.iter().all(|rank| rank.done.as_ref().map(|done| done.failed) == Ok(failed)));
    failed
}

/// The creation of a tree of seven directories, with two files of each rank in each of them.
fn files_in_a_tree() -> Request {
    Request { branching: 2, depth: 2, items_per_dir: 2, directories: false, ..only_create() }
}

#[test]
fn a_partial_tree_is_removed_and_its_missing_names_are_no_failures() {
    for unique_dir in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let made = Request { unique_dir, ..files_in_a_tree() };
        assert!(play_in(dir.path(), 2, &made)[0].done.is_ok());
        let names = names_in(dir.path());
        let (file, gone) = ("file.mdtest.1.0", "mdtest_tree.1");
        let first = names.iter().find(|name| name.ends_with(file)).expect(file);
        std::fs::remove_file(dir.path().join(first)).unwrap();
        let node = names.iter().find(|name| name.contains(&format!("{gone}/")) || name.contains(".1.1/"));
        std::fs::remove_dir_all(dir.path().join(node.expect(gone))).unwrap();
        let left = play_in(dir.path(), 2, &removal(&made));
        assert_eq!(failed(&left), 0, "{left:#?}");
        assert_eq!(names_in(dir.path()), ["A/"], "all else is removed");
        let files = left[0].phase("file_removal");
        assert!(files.ops > 0 && files.ops < 28 && files.failed.is_none(), "{files:?}");
        assert_eq!(files.latency.as_ref().map(|latency| latency.count), Some(files.ops));
        let notices = left[0].events("Notice").concat();
        let missing = 28 - files.ops;
        let text = format!("missing (files true, iteration 0, label File removal, missing {missing})");
        assert!(notices.contains(&text), "{notices}");
        assert!(notices.contains("missing (iteration 0, label Tree removal, missing 3)"), "{notices}");
    }
}

#[test]
fn a_second_removal_finds_nothing_and_is_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    let made = Request { items: 3, ..only_create() };
    assert!(play_in(dir.path(), 2, &made)[0].done.is_ok());
    for ops in [12, 0] {
        let left = play_in(dir.path(), 2, &Request { directories: true, ..removal(&made) });
        assert_eq!(failed(&left), 0);
        let phases = ["file_removal", "directory_removal"].map(|phase| left[0].phase(phase));
        assert_eq!(phases.iter().map(|phase| phase.ops).sum::<u64>(), ops);
        for phase in phases {
            let timed = phase.latency.as_ref().map_or(0, |latency| latency.count);
            let shown = phase.timeline.as_ref().map_or(0, |timeline| timeline.bytes.iter().sum());
            assert_eq!((timed, shown), (phase.ops, phase.ops), "{phase:?}");
        }
    }
}

#[test]
fn a_failed_removal_is_counted_and_the_others_are_done() {
    for (call, on) in [("unlink", "file.mdtest.0.1"), ("rmdir", "dir.mdtest.0.1")] {
        for ranks in [1, 2, 3] {
            let dir = tempfile::tempdir().unwrap();
            let storage = Recording::failing(call, on, EACCES);
            let all = within(dir.path(), &Request { items: 4, ..all_phases() });
            let left = play_on(ranks, &all, &storage);
            let phase = if call == "unlink" { "file_removal" } else { "directory_removal" };
            let counted = left[0].phase(phase).failed.clone().expect("one failed");
            assert_eq!(counted.counted(), [("Permission denied", 1)], "{ranks} ranks");
            assert_eq!(left[0].phase(phase).ops, u64::from(ranks) * 4 - 1);
            // The item, the tree and the test directory stay.
            assert_eq!(failed(&left), 3);
            let rest = names_in(dir.path()).into_iter().filter(|name| name.contains(".mdtest.")).count();
            assert_eq!(rest, 1, "{ranks} ranks");
        }
    }
}

#[test]
fn a_name_that_this_run_made_and_lost_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let lost = dir.path().join("A/test-dir.0-0/mdtest_tree.0/file.mdtest.0.1");
    let command = format!("rm -f {}", lost.display());
    let all = Request { items: 3, directories: false, after_phase: Some(command), ..all_phases() };
    let left = play_in(dir.path(), 1, &Request { stat: false, read: false, ..all });
    assert_eq!(failed(&left), 1, "{left:#?}");
    let counted = left[0].phase("file_removal").failed.clone().expect("one failed");
    assert_eq!(counted.counted(), [("No such file or directory", 1)]);
}

#[test]
fn a_test_directory_that_this_run_made_and_lost_is_a_failure_also_with_two_paths_to_it() {
    for (dirs, lost) in [("A A", 0), ("A A", 1), ("A B", 1)] {
        let dir = tempfile::tempdir().unwrap();
        let dirs = dirs.split(' ').map(str::to_owned).collect();
        let command = format!("mv {0}/A/test-dir.0-0 {0}/gone || true", dir.path().display());
        let after_phase = (lost > 0).then_some(command);
        let all = Request { dirs, items: 0, unique_dir: true, after_phase, ..all_phases() };
        let left = play_in(dir.path(), 2, &all);
        assert_eq!(failed(&left) > 0, lost > 0, "{left:#?}");
    }
}

#[test]
fn foreign_names_at_any_depth_stay_and_are_no_failure() {
    let (root, deep) = ("A/test-dir.0-0/mdtest_tree.0", "mdtest_tree.2/mdtest_tree.6");
    for (place, stays) in [
        (format!("{root}/{deep}/notes"), "mdtest_tree.6"),
        (format!("{root}/notes"), "mdtest_tree.0"),
        (format!("{root}/dir.mdtest.0.1/notes"), "dir.mdtest.0.1"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let made = Request { directories: true, ..files_in_a_tree() };
        assert!(play_in(dir.path(), 2, &made)[0].done.is_ok());
        let foreign = dir.path().join(&place);
        std::fs::write(&foreign, "").unwrap();
        let left = play_in(dir.path(), 2, &removal(&made));
        assert_eq!(failed(&left), 0, "{place}: {left:#?}");
        let names = names_in(dir.path());
        assert!(foreign.exists() && names.iter().any(|name| name.ends_with(&format!("{stays}/"))));
        assert!(names.iter().all(|name| name.contains("notes") || name.ends_with('/')), "{names:?}");
        let notices = left[0].events("Notice").concat();
        assert!(notices.contains(&format!("first {})", foreign.display())), "{notices}");
    }
}

#[test]
fn items_of_a_larger_run_are_not_foreign_and_fail_the_removal() {
    let dir = tempfile::tempdir().unwrap();
    let made = Request { items: 4, directories: false, ..only_create() };
    assert!(play_in(dir.path(), 1, &made)[0].done.is_ok());
    let left = play_in(dir.path(), 1, &Request { items: 3, ..removal(&made) });
    assert_eq!(failed(&left), 2, "the tree and the test directory");
    let tree = left[0].phase("tree_removal").failed.clone().expect("it is not empty");
    assert_eq!(tree.counted(), [("Directory not empty", 1)]);
}
