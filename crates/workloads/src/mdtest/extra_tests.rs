//! Operations beyond mdtest 4.1 restore everything, and preloaded files are counted.
#![allow(clippy::print_stdout)]

use std::path::Path;

use command::mdtest::Request;
use results::Record;

use super::recording::Recording;
use super::scene::{all_phases, names_in, only_create, play_in, play_on, within};

fn everything() -> Vec<String> {
    command::mdtest::operation_names().map(str::to_owned).collect()
}

/// Whether the test directory supports user attributes.
fn keeps_attributes(dir: &Path) -> bool {
    let kept = rustix::fs::setxattr(dir, c"user.mdtest", b"x", rustix::fs::XattrFlags::empty());
    let _ = rustix::fs::removexattr(dir, c"user.mdtest");
    kept.is_ok()
}

#[test]
fn all_operations_together_leave_the_same_files_as_the_classic_ones() {
    let base = Request { branching: 2, depth: 1, items: 12, write_bytes: 5, ..only_create() };
    for (unique_dir, shared_file, shift) in
        [(false, false, 0), (true, false, 0), (false, true, 0), (true, false, 1), (false, false, 1)]
    {
        let dir = tempfile::tempdir().unwrap();
        let mut extra = everything();
        if !keeps_attributes(dir.path()) {
            println!("SKIPPED: the file system has no user attributes; all other operations are tested");
            extra.retain(|name| !name.starts_with("xattr"));
        }
        let classic = Request { unique_dir, shared_file, shift, ..base.clone() };
        let more = Request { extra: extra.clone(), ..classic.clone() };
        play_in(dir.path(), 3, &classic);
        let cut = |name: String| name.split(' ').next().unwrap_or_default().to_owned();
        let before: Vec<String> = names_in(dir.path()).into_iter().map(cut).collect();
        std::fs::remove_dir_all(dir.path().join("A")).unwrap();
        let left = play_in(dir.path(), 3, &more);
        assert!(left[0].done.is_ok(), "{:?}", left[0].done);
        let after: Vec<String> = names_in(dir.path()).into_iter().map(cut).collect();
        assert_eq!(after, before, "{unique_dir} {shared_file}");
        let classic = if shared_file { 2 } else { 3 };
        assert_eq!(left[0].phases().len(), classic + extra.len());
        std::fs::remove_dir_all(dir.path().join("A")).unwrap();
        let whole = Request { stat: true, read: true, rename: true, remove: true, ..more };
        let left = play_in(dir.path(), 3, &whole);
        assert!(left[0].done.is_ok(), "{:?}", left[0].done);
        assert_eq!(names_in(dir.path()), [""; 0]);
    }
}

#[test]
fn each_operation_makes_its_call_on_each_item() {
    for (name, phase, calls) in [
        ("statx", "file_statx", ["statx file.mdtest.0.0", "statx file.mdtest.0.1"]),
        ("list", "directory_listing", ["list mdtest_tree.0", ""]),
        (
            "link",
            "file_link",
            ["link file.mdtest.0.0 file.mdtest.0.0.link.0", "link file.mdtest.0.1 file.mdtest.0.1.link.0"],
        ),
        (
            "symlink",
            "file_symlink",
            [
                "symlink file.mdtest.0.0 file.mdtest.0.0.symlink.0",
                "symlink file.mdtest.0.1 file.mdtest.0.1.symlink.0",
            ],
        ),
        ("chmod", "file_chmod", ["chmod file.mdtest.0.0", "chmod file.mdtest.0.1"]),
        ("truncate", "file_truncate", ["truncate file.mdtest.0.0", "truncate file.mdtest.0.1"]),
        (
            "shared-open",
            "shared_open",
            ["open-read file.mdtest.shared-open", "open-read file.mdtest.shared-open"],
        ),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let storage = Recording::new();
        let parameters = Request { extra: vec![name.into()], items: 2, directories: false, ..only_create() };
        let left = play_on(1, &within(dir.path(), &parameters), &storage);
        let word = calls[0].split(' ').next().unwrap();
        let wanted: Vec<&str> = calls.into_iter().filter(|call| !call.is_empty()).collect();
        assert_eq!(storage.calls(0, &[word]), wanted, "{name}");
        assert_eq!(left[0].phase(phase).ops, wanted.len() as u64);
    }
    let dir = tempfile::tempdir().unwrap();
    let storage = Recording::new();
    let extra = vec!["rename-across".into()];
    let parameters = Request { extra, items: 2, directories: false, ..only_create() };
    let left = play_on(1, &within(dir.path(), &parameters), &storage);
    let file = |item| format!("rename file.mdtest.0.{item} file.mdtest.0.{item}");
    assert_eq!(storage.calls(0, &["rename"]), [file(0), file(1), file(0), file(1)], "there, then back");
    assert_eq!(left[0].phase("file_rename_across").ops, 4);
}

#[test]
fn a_failed_removal_of_an_attribute_is_not_a_missing_attribute() {
    for (shared_file, keep_going) in [(true, false), (false, true)] {
        let dir = tempfile::tempdir().unwrap();
        if !keeps_attributes(dir.path()) {
            println!("SKIPPED: the file system has no user attributes");
            return;
        }
        let parameters = Request {
            extra: vec!["xattr-set".into()],
            directories: false,
            items: 2,
            shared_file,
            keep_going,
            ..only_create()
        };
        let storage = Recording::failing("removexattr", "file.mdtest.", 5);
        let halt = play_on(2, &within(dir.path(), &parameters), &storage)[0].done.clone();
        let halt = halt.expect_err("they are not removed");
        assert!(halt.why.contains(": removexattr: Input/output error"), "{halt}");
        // If no attribute could be set, none is to be removed.
        let dir = tempfile::tempdir().unwrap();
        let storage = Recording::failing("setxattr", "file.mdtest.", 13);
        let parameters = Request { keep_going: true, ..parameters };
        let left = play_on(2, &within(dir.path(), &parameters), &storage);
        assert_eq!(left[0].done.as_ref().map(|done| done.failed), Ok(4));
    }
}

#[test]
fn directories_alone_are_listed_too() {
    let dir = tempfile::tempdir().unwrap();
    let extra = vec!["list".into()];
    let parameters = Request { extra, files: false, items: 4, branching: 3, depth: 1, ..all_phases() };
    let left = play_in(dir.path(), 2, &parameters);
    assert_eq!(left[0].phase("directory_listing").ops, 8);
}

#[test]
fn a_listing_with_missing_entries_is_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let extra = vec!["list".into()];
    // The command removes half of the files before the listing, which then finds the other half.
    let remove = format!("rm -f {}/A/test-dir.0-0/mdtest_tree.0/file.mdtest.0.0", dir.path().display());
    let parameters =
        Request { extra, directories: false, items: 2, before_phase: Some(remove), ..only_create() };
    let left = play_in(dir.path(), 1, &parameters);
    let halt = left[0].done.clone().expect_err("one is missing");
    assert!(halt.why.contains("mdtest_tree.0: list: 1 of at least 2 entries were listed"), "{halt}");
    // A missing directory of the tree, which the count of items does not cover.
    let dir = tempfile::tempdir().unwrap();
    let gone = dir.path().join("A/test-dir.0-0/mdtest_tree.0/mdtest_tree.2").display().to_string();
    let remove = format!("test ! -e {gone}/file.mdtest.0.2 || rm -r {gone}");
    let tree = Request { items: 3, branching: 2, depth: 1, before_phase: Some(remove), ..parameters };
    let halt = play_in(dir.path(), 1, &tree)[0].done.clone().expect_err("one is missing");
    assert!(halt.why.contains("mdtest_tree.0: list: 2 of at least 3 entries were listed"), "{halt}");
}

#[test]
fn preloaded_files_are_counted_and_removed_with_the_rest() {
    for (unique_dir, ranks, directories) in [(false, 2, 6), (true, 2, 12), (true, 1, 6), (false, 3, 6)] {
        let base = Request {
            branching: 2,
            depth: 1,
            preload: 50,
            unique_dir,
            extra: vec!["list".into()],
            ..all_phases()
        };
        let counted = if unique_dir {
            Request { items: 6, ..base.clone() }
        } else {
            Request { items: 4, items_per_dir: 2, ..base.clone() }
        };
        let trees = if unique_dir { directories / 2 } else { directories };
        let dir = tempfile::tempdir().unwrap();
        let left = play_in(dir.path(), ranks, &counted);
        assert!(left[0].done.is_ok(), "{:?}", left[0].done);
        let event = left[0].events("Preloaded").concat();
        assert!(event.starts_with(&format!("Preloaded {{ directories: {trees}, files_each: 50,")), "{event}");
        let state = left[0].records.iter().find_map(|record| match record {
            Record::State(state) => Some((state.kind.as_str(), state.directories, state.files)),
            _ => None,
        });
        assert_eq!(state, Some(("preload", trees, 50 * trees)));
        assert_eq!(names_in(dir.path()), [""; 0]);
    }
}

#[test]
fn preloaded_files_stay_if_nothing_is_removed() {
    let dir = tempfile::tempdir().unwrap();
    let parameters = Request { preload: 7, items: 1, directories: false, ..only_create() };
    assert!(play_in(dir.path(), 2, &parameters)[0].done.is_ok());
    let names = names_in(dir.path());
    assert_eq!(names.iter().filter(|name| name.contains("/preload.mdtest.")).count(), 7);
    let remove = Request { create: false, remove: true, ..parameters };
    assert!(play_in(dir.path(), 2, &remove)[0].done.is_ok());
    assert_eq!(names_in(dir.path()), ["A/"]);
}

#[test]
fn removing_a_preloaded_tree_without_its_preload_names_the_missing_option() {
    let dir = tempfile::tempdir().unwrap();
    let parameters = Request { preload: 7, items: 2, remove: false, ..all_phases() };
    assert!(play_in(dir.path(), 1, &parameters)[0].done.is_ok());
    let only = Request { create: false, stat: false, read: false, rename: false, remove: true, ..parameters };
    let left = play_in(dir.path(), 1, &Request { preload: 0, ..only.clone() });
    // The tree and its test directory stay.
    assert_eq!(left[0].done.as_ref().map(|done| done.failed), Ok(2));
    let notices = left[0].events("Notice").concat();
    assert!(notices.contains("preloaded (files 7, "), "{notices}");
    let items_gone = Request { directories: false, files: true, items: 0, ..only };
    assert!(play_in(dir.path(), 1, &items_gone)[0].done.is_ok());
    assert_eq!(names_in(dir.path()), ["A/"]);
}

#[test]
fn a_directory_that_cannot_be_preloaded_ends_the_run_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Recording::failing("mknod", "preload.mdtest.5", 28);
    let parameters = Request { preload: 9, items: 1, ..all_phases() };
    let left = play_on(2, &within(dir.path(), &parameters), &storage);
    for rank in &left {
        let halt = rank.done.clone().expect_err("all halt");
        assert_eq!((halt.step.as_str(), halt.rank), ("preload", 1));
        let wanted = "mdtest_tree.0/preload.mdtest.5: mknod: No space left on device (this run's tree";
        assert!(halt.why.contains(wanted), "{halt}");
    }
}

#[test]
fn a_preloaded_file_that_is_not_listed_is_a_failed_call_on_its_directory() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Recording::failing("mknod", "preload.mdtest.5", 0);
    let parameters = Request { preload: 9, items: 1, ..all_phases() };
    let halt = play_on(1, &within(dir.path(), &parameters), &storage)[0].done.clone().expect_err("it halts");
    assert!(halt.why.contains("mdtest_tree.0: 9 files were created, but 8 are listed"), "{halt}");
    let call = halt.call.expect("a failed call");
    assert!(call.call == "list" && call.is_short && call.path.ends_with("mdtest_tree.0"), "{call:?}");
}
