//! Failures are reported with path and call, on all ranks together, or counted. Also: what is not removed.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::Command;

use command::mdtest::Request;

use super::recording::Recording;
use super::scene::{MdtestRankResult, all_phases, names_in, only_create, play_in, play_on, within};

const ENOSPC: i32 = 28;
const EACCES: i32 = 13;

fn files(items: u64) -> Request {
    Request { directories: false, items, ..all_phases() }
}

/// All ranks halted with the same message. Returns step, rank and reason.
fn halted(left: &[MdtestRankResult]) -> (String, u32, String) {
    let halt = left[0].done.clone().expect_err("it must halt");
    assert!(left.iter().all(|rank| rank.done.as_ref().err() == Some(&halt)), "all ranks report the same");
    (halt.step, halt.rank, halt.why)
}

#[test]
fn a_failed_operation_halts_all_ranks_with_path_call_and_the_remaining_tree() {
    for (call, on, phase, words) in [
        ("mkdir", "dir.mdtest.0.1", "directory creation", "mkdir: No space left on device"),
        ("stat", "dir.mdtest.0.1", "directory stat", "stat: No space left on device"),
        ("rename", "dir.mdtest.0.1", "directory rename", "rename: No space left on device"),
        ("open-write", "file.mdtest.0.1", "file creation", "open: No space left on device"),
        ("open-read", "file.mdtest.0.1", "file read", "open: No space left on device"),
    ] {
        for ranks in [1, 2, 3] {
            let dir = tempfile::tempdir().unwrap();
            let storage = Recording::failing(call, on, ENOSPC);
            let parameters = within(dir.path(), &Request { items: 4, ..all_phases() });
            let (step, rank, why) = halted(&play_on(ranks, &parameters, &storage));
            let test_dir = dir.path().join("A/test-dir.0-0").display().to_string();
            let left = format!("this run's tree is not removed: {test_dir}");
            let wanted = format!("{test_dir}/mdtest_tree.0/{on}: {words} ({left})");
            assert_eq!((step.as_str(), rank, why), (phase, 0, wanted), "{ranks} ranks");
            assert!(names_in(dir.path()).len() >= 3, "nothing is removed after a halt");
        }
    }
}

#[test]
fn with_continue_failures_are_counted_by_reason_and_the_rest_is_done() {
    for ranks in [1, 2, 3] {
        let dir = tempfile::tempdir().unwrap();
        let storage = Recording::failing("open-write", ".1", EACCES);
        let parameters = Request { keep_going: true, items: 4, read: false, stat: false, ..files(4) };
        let left = play_on(ranks, &within(dir.path(), &parameters), &storage);
        // Item 1 of every rank, and all items of rank 1. Their removal fails, too.
        let created = u64::from(ranks) + if ranks > 1 { 3 } else { 0 };
        let failed = left[0].phase("file_creation").failed.clone().expect("some failed");
        assert_eq!(failed.operations, created);
        assert_eq!(failed.counted(), [("Permission denied", created)]);
        assert!(failed.first[0].path.ends_with("file.mdtest.0.1") && failed.first[0].operation == "open");
        assert_eq!(left[0].phase("file_creation").ops, u64::from(ranks) * 4 - created);
        let removed = left[0].phase("file_removal").failed.clone().expect("they do not exist");
        assert_eq!(removed.counted(), [("No such file or directory", created)]);
        for rank in &left {
            assert_eq!(rank.done.as_ref().map(|done| done.failed), Ok(2 * created));
        }
        assert_eq!(names_in(dir.path()), [""; 0], "the created files are removed");
    }
}

#[test]
fn failed_opens_after_a_creation_are_counted_but_do_not_reduce_its_operations() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Recording::failing("open-update", "file.mdtest.1.", EACCES);
    let parameters = Request { collective: true, keep_going: true, ..files(3) };
    let left = play_on(2, &within(dir.path(), &parameters), &storage);
    let created = left[0].phase("file_creation");
    assert_eq!((created.ops, created.failed.as_ref().map(|failed| failed.operations)), (6, Some(3)));
    assert_eq!(left[1].done.as_ref().map(|done| done.failed), Ok(3));
    let halting = Request { keep_going: false, ..within(dir.path(), &parameters) };
    let (step, rank, why) = halted(&play_on(2, &halting, &storage));
    assert_eq!((step.as_str(), rank), ("file creation", 1));
    assert!(why.contains("file.mdtest.1.0: open: Permission denied"), "{why}");
}

#[test]
fn a_directory_removed_during_the_run_is_reported_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    play_in(dir.path(), 2, &Request { directories: false, items: 3, ..only_create() });
    std::fs::remove_dir_all(dir.path().join("A/test-dir.0-0/mdtest_tree.0")).unwrap();
    let stat = Request { create: false, stat: true, directories: false, items: 3, ..only_create() };
    let (step, rank, why) = halted(&play_in(dir.path(), 2, &stat));
    let path = dir.path().join("A/test-dir.0-0/mdtest_tree.0/file.mdtest.0.0").display().to_string();
    let wanted = format!("{path}: stat: No such file or directory");
    // Both ranks fail. The lower rank's message is reported, unless the alarm reached that rank first.
    assert_eq!(step, "file stat");
    assert_eq!(why, wanted.replace(".0.0", &format!(".{rank}.0")));
    let left = play_in(dir.path(), 2, &Request { keep_going: true, ..stat });
    assert_eq!(left[0].done.as_ref().map(|done| done.failed), Ok(6));
}

#[test]
fn without_a_tree_every_operation_is_counted_as_failed() {
    let dir = tempfile::tempdir().unwrap();
    let nothing = Request { create: false, keep_going: true, items: 2, ..all_phases() };
    let left = play_in(dir.path(), 2, &nothing);
    // Two phases of each kind (renames included) of 4 items. What is missing need not be removed.
    assert_eq!(left[0].done.as_ref().map(|done| done.failed), Ok(4 * 4));
    assert!(left[0].phases().iter().all(|phase| phase.ops == 0));
}

#[test]
fn a_path_that_is_too_long_is_reported_completely() {
    let dir = tempfile::tempdir().unwrap();
    let deep = Request { depth: 400, items: 1, ..all_phases() };
    let (step, rank, why) = halted(&play_in(dir.path(), 2, &deep));
    assert_eq!((step.as_str(), rank), ("tree creation", 0));
    assert!(why.contains(": mkdir: File name too long (this run's tree is not removed: "), "{why}");
}

#[test]
fn a_tree_of_another_run_is_reported_as_such_and_not_removed() {
    let dir = tempfile::tempdir().unwrap();
    play_in(dir.path(), 1, &Request { items: 2, ..only_create() })[0].done.as_ref().expect("it is made");
    let before = names_in(dir.path());
    let (step, rank, why) = halted(&play_in(dir.path(), 1, &Request { items: 2, ..all_phases() }));
    assert_eq!((step.as_str(), rank), ("tree creation", 0));
    let test_dir = dir.path().join("A/test-dir.0-0").display().to_string();
    let wanted = format!(
        "{test_dir}/mdtest_tree.0: mkdir: File exists: an earlier or running mdtest made it. Remove it with \
         -r and the options of that run, or use another -d (not removed: this run's items in {test_dir}, \
         which existed before)"
    );
    assert_eq!(why, wanted);
    assert_eq!(names_in(dir.path()), before);
}

#[test]
fn a_missing_parent_is_reported_before_the_first_phase() {
    let dir = tempfile::tempdir().unwrap();
    let parameters = Request { dirs: vec!["no/A".into()], ..files(1) };
    let (step, rank, why) = halted(&play_in(dir.path(), 2, &parameters));
    let path = dir.path().join("no/A").display().to_string();
    assert_eq!((step.as_str(), rank), ("directory", 0));
    assert_eq!(why, format!("{path}: mkdir: No such file or directory"));
}

#[test]
fn foreign_files_and_directories_that_existed_before_are_not_removed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("A")).unwrap();
    let left = play_in(dir.path(), 2, &files(2));
    assert!(left[0].done.is_ok());
    assert_eq!(names_in(dir.path()), ["A/"], "this run did not make it");
    std::fs::create_dir(dir.path().join("A/test-dir.0-0")).unwrap();
    std::fs::write(dir.path().join("A/test-dir.0-0/mine"), "").unwrap();
    let left = play_in(dir.path(), 2, &files(2));
    assert_eq!(left[0].done.as_ref().map(|done| done.failed), Ok(0));
    assert_eq!(names_in(dir.path()), ["A/", "A/test-dir.0-0/", "A/test-dir.0-0/mine"]);
    let notice = left[0].events("Notice").concat();
    assert!(notice.contains("kept (directories 1, first "), "{notice}");
}

#[test]
fn of_several_directories_the_remaining_one_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let (b, in_b) = (dir.path().join("B").display().to_string(), dir.path().join("B/mine"));
    let own = Request { dirs: vec!["A".into(), "B".into()], unique_dir: true, ..files(2) };
    let put = |path: &Path| Some(format!("touch {}", path.display()));
    let left = play_in(dir.path(), 2, &Request { before_phase: put(&in_b), ..own.clone() });
    assert_eq!(left[0].events("Warning"), [format!("Warning(\"{b} is not empty and is not removed\")")]);
    std::fs::remove_dir_all(&b).unwrap();
    let in_test = dir.path().join("B/test-dir.0-0/mine");
    let left = play_in(dir.path(), 2, &Request { before_phase: put(&in_test), ..own });
    let notice = left[0].events("Notice").concat();
    assert!(notice.contains(&format!("first {b}/test-dir.0-0/mine)")), "{notice}");
}

#[test]
fn an_existing_tree_is_not_used_as_the_runs_own() {
    let dir = tempfile::tempdir().unwrap();
    let create = Request { directories: false, items: 3, ..only_create() };
    assert!(play_in(dir.path(), 2, &create)[0].done.is_ok());
    let (step, _, why) = halted(&play_in(dir.path(), 2, &create));
    assert_eq!(step, "tree creation");
    assert!(why.contains("mdtest_tree.0: mkdir: File exists"), "{why}");
}

#[test]
fn a_halt_in_a_scan_reaches_the_idle_ranks() {
    let dir = tempfile::tempdir().unwrap();
    let storage = Recording::failing("stat", "file.mdtest.1.0", EACCES);
    let parameters = Request { first_ranks: 1, last_ranks: 2, ..files(1) };
    let (step, rank, why) = halted(&play_on(3, &within(dir.path(), &parameters), &storage));
    assert_eq!((step.as_str(), rank), ("file stat", 1));
    assert!(why.contains("file.mdtest.1.0: stat: Permission denied"), "{why}");
}

/// Runs `what` as a user without privileges if this process is root's, otherwise as the current user.
fn as_unprivileged<T: Send>(what: impl FnOnce() -> T + Send) -> T {
    let body = || {
        if rustix::process::geteuid().is_root() {
            let unprivileged = rustix::process::Uid::from_raw(65534);
            // Only for this thread, which ends here.
            rustix::thread::set_thread_res_uid(unprivileged, unprivileged, unprivileged).expect("root may");
        }
        what()
    };
    std::thread::scope(|scope| scope.spawn(body).join().expect("no panic"))
}

#[test]
fn an_ordinary_user_reads_files_of_option_k_and_sees_where_permission_is_denied() {
    use std::os::unix::fs::{PermissionsExt, chown};
    let dir = tempfile::tempdir().unwrap();
    if rustix::process::geteuid().is_root() {
        chown(dir.path(), Some(65534), None).unwrap();
    }
    let nodes = Request { make_node: true, ..files(3) };
    let left = as_unprivileged(|| play_in(dir.path(), 1, &nodes));
    assert!(left[0].done.is_ok(), "{:?}", left[0].done);
    assert_eq!(left[0].phase("file_read").ops, 3);
    let locked = dir.path().join("locked");
    std::fs::create_dir(&locked).unwrap();
    std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(0o555)).unwrap();
    let parameters = Request { dirs: vec!["locked".into()], ..files(3) };
    let (step, _, why) = halted(&as_unprivileged(|| play_in(dir.path(), 1, &parameters)));
    let test_dir = locked.join("test-dir.0-0").display().to_string();
    assert_eq!(step, "test directory");
    assert_eq!(why, format!("{test_dir}: mkdir: Permission denied"), "and nothing was created");
}

/// A small file system that is mounted as long as this value lives; `None` if the mount fails.
struct MountedTmpfs<'a>(&'a Path);

impl<'a> MountedTmpfs<'a> {
    fn new(dir: &'a Path, options: &str) -> Option<Self> {
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(dir).output();
        done.is_ok_and(|done| done.status.success()).then_some(Self(dir))
    }
}

impl Drop for MountedTmpfs<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).output();
    }
}

#[test]
fn running_out_of_inodes_or_space_is_reported_with_path_and_call() {
    for (options, bytes, call) in [("nr_inodes=20", 0, "open"), ("size=64k", 16384, "write")] {
        let dir = tempfile::tempdir().unwrap();
        let Some(_mounted) = MountedTmpfs::new(dir.path(), options) else {
            println!("SKIPPED: this user cannot mount a file system");
            return;
        };
        let full = Request { items: 40, write_bytes: bytes, unique_dir: true, ..files(40) };
        let (step, _, why) = halted(&play_in(dir.path(), 2, &full));
        assert_eq!(step, "file creation");
        assert!(why.contains(&format!(": {call}: No space left on device (this run's tree")), "{why}");
        std::fs::remove_dir_all(dir.path().join("A")).unwrap();
        let left = play_in(dir.path(), 2, &Request { keep_going: true, ..full });
        let created = left[0].phase("file_creation");
        let failed = created.failed.as_ref().expect("most failed");
        assert_eq!(failed.operations + created.ops, 80);
        assert_eq!(failed.counted(), [("No space left on device", failed.operations)]);
        assert_eq!(failed.first[0].operation, call);
    }
}
