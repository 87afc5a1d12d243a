//! Failures of `fdtree` are counted and reported with call and path. Other files stay unchanged.

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::campaign::signal;
use crate::common::fdtree::{complaint, fdtree, names_below, trees};
use crate::common::tmpfs::Tmpfs;
use crate::common::{self, Ran, is_root, program, run};

/// The number of files of a tree with less than `bytes`.
fn short_files(tree: &Path, bytes: u64) -> u64 {
    let names = names_below(tree).into_iter().filter(|name| !name.ends_with('/'));
    names.filter(|name| name.rsplit(' ').next().unwrap().parse::<u64>().unwrap() < bytes).count() as u64
}

#[test]
fn a_full_file_system_stops_the_run_with_one_line_and_reports_the_remaining_tree() {
    let Some(small) = Tmpfs::new("size=400k") else { return };
    let records = tempfile::tempdir().unwrap();
    let record = records.path().join("r.jsonl");
    let words = format!("-l 1 -d 2 -f 10 -s 10 --record {}", record.display());
    let ran = fdtree(small.path(), 1, &words);
    let line = complaint(&ran, 4);
    assert!(line.starts_with("fdtree: file creation: rank 0 (node "), "{line}");
    assert!(line.contains("/L1D2/L0F") && line.ends_with(": write: No space left on device"), "{line}");
    let last = ran.out.lines().next_back().unwrap();
    assert!(last.starts_with("assay: stopped. The existing part of ./LEVEL0."), "{}", ran.out);
    assert!(ran.out.contains("\nDIRECTORY CREATE TIME") && !ran.out.contains("\nFILE CREATE"), "{}", ran.out);
    let kept = std::fs::read_to_string(record).unwrap();
    assert!(kept.contains("\"record\":\"failure\"") && kept.contains("\"exit\":4"), "{kept}");
    // The command in the last line removes the remaining tree.
    let [tree] = &trees(small.path())[..] else { panic!("the tree is left") };
    let remedy = last.split('`').nth(1).unwrap().strip_prefix("fdtree ").unwrap();
    let rejected = fdtree(small.path(), 1, &format!("-R -l 1 -d 2 -f 10 --base {}", tree.display()));
    assert!(complaint(&rejected, 2).contains("remove its existing part with --continue"), "{rejected:?}");
    let ran = fdtree(small.path(), 1, remedy);
    assert!(complaint(&ran, 4).contains(" operations failed. Each phase lists its failures."), "{ran:?}");
    assert!(ran.out.contains(" No such file or directory\n"), "{}", ran.out);
    assert!(!tree.exists(), "the tree is removed");
}

#[test]
fn with_continue_all_failures_on_a_full_file_system_are_counted() {
    let Some(small) = Tmpfs::new("size=400k") else { return };
    // 30 files of 10 pages do not fit into 100 pages. The last ones are shorter.
    let ran = fdtree(small.path(), 1, "-C -l 1 -d 2 -f 10 -s 10 --continue");
    let [tree] = &trees(small.path())[..] else { panic!("{ran:?}") };
    let short = short_files(tree, 40_960);
    assert!((20..30).contains(&short), "{short} of 30 files are short");
    assert_eq!(
        complaint(&ran, 4),
        format!("fdtree: {short} operations failed. Each phase lists its failures.")
    );
    let text = &ran.out;
    assert!(text.contains(&format!("assay: {short} FAILED: {short} No space left on device\n")), "{text}");
    assert!(text.contains(&format!("assay: {} files made in ", 30 - short)), "{text}");
    assert!(text.contains("assay:   rank 0: ./LEVEL0.") && text.contains(": wr: No space"), "{text}");
    let ran = fdtree(small.path(), 1, "-R -l 1 -d 2 -f 10 -s 10");
    assert_eq!((ran.status, trees(small.path()).len()), (Some(0), 0), "all files exist: {ran:?}");
}

#[test]
fn the_command_in_the_last_line_removes_the_tree_of_a_run_with_failures() {
    let Some(small) = Tmpfs::new("nr_inodes=20,size=1m") else { return };
    let remedy = |ran: &Ran| {
        let last = ran.out.lines().next_back().unwrap().to_owned();
        assert!(last.starts_with("assay: operations failed. The existing part of ./LEVEL0."), "{}", ran.out);
        last.split('`').nth(1).unwrap().strip_prefix("fdtree ").unwrap().to_owned()
    };
    let ran = fdtree(small.path(), 1, "-C -l 1 -d 3 -f 10 -s 0 --continue");
    assert!(complaint(&ran, 4).contains(" operations failed"), "{ran:?}");
    let [tree] = &trees(small.path())[..] else { panic!("{ran:?}") };
    // A failed removal leaves files, and prints the command that removes them.
    let notes = tree.join("L1D3/notes.txt");
    std::fs::write(&notes, "mine").unwrap_or_else(|_| {
        std::fs::remove_file(tree.join("L1F1")).unwrap();
        std::fs::write(&notes, "mine").unwrap();
    });
    let removed = fdtree(small.path(), 1, &remedy(&ran));
    assert_eq!(removed.status, Some(4), "{removed:?}");
    std::fs::remove_file(&notes).unwrap();
    let removed = fdtree(small.path(), 1, &remedy(&removed));
    assert!(!tree.exists(), "{removed:?}");
    assert!(!removed.out.contains("The existing part of"), "no files are left: {removed:?}");
}

#[test]
fn the_message_on_missing_inodes_has_the_directory_or_file() {
    let Some(small) = Tmpfs::new("nr_inodes=8,size=1m") else { return };
    let line = complaint(&fdtree(small.path(), 1, "-l 1 -d 10 -f 0"), 4);
    assert!(line.starts_with("fdtree: directory creation: rank 0 (node "), "{line}");
    assert!(line.contains("/L1D") && line.ends_with("/: mkdir: No space left on device"), "{line}");
    std::fs::remove_dir_all(&trees(small.path())[0]).unwrap();
    let line = complaint(&fdtree(small.path(), 1, "-l 0 -f 10 -s 0"), 4);
    assert!(line.contains("/L0F") && line.ends_with(": open: No space left on device"), "{line}");
}

/// Runs the program in `dir` as a user without write permission.
fn as_other_user(dir: &Path, words: &str) -> Ran {
    let copy = tempfile::Builder::new().prefix("assay").tempdir_in("/tmp").unwrap();
    let theirs = copy.path().join("assay");
    common::copy_of_program(&theirs);
    for path in [copy.path(), dir] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut command = Command::new(theirs);
    command.current_dir(dir).args(words.split_whitespace());
    if is_root() {
        command.uid(65534).gid(65534);
    } else {
        std::fs::set_permissions(dir, PermissionsExt::from_mode(0o555)).unwrap();
    }
    run(&mut command)
}

#[test]
fn missing_write_permission_is_reported_with_its_path_and_no_rank_hangs() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-n 1 fdtree -l 1 -d 1", "-n 3 fdtree -l 1 -d 1", "fdtree -l 1 -d 1 --continue"] {
        let ran = as_other_user(dir.path(), words);
        let line = complaint(&ran, 4);
        // All ranks fail, and any of them may be the first.
        assert!(line.starts_with("fdtree: directory creation: rank "), "{line}");
        assert!(line.contains("./LEVEL0.") && line.ends_with("/: mkdir: Permission denied"), "{line}");
        assert!(!ran.out.contains("stopped. The existing part"), "no tree exists: {}", ran.out);
        assert_eq!(ran.out.lines().count(), if words.contains("3") { 7 } else { 6 }, "{}", ran.out);
    }
}

#[test]
fn a_foreign_file_in_the_tree_is_reported_and_survives() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 2 -d 2 -f 1 -s 1";
    for keep_going in [false, true] {
        fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
        let [tree] = &trees(dir.path())[..] else { panic!("there is one tree") };
        let notes = tree.join("L2D1/L1D2/notes.txt");
        std::fs::write(&notes, "mine").unwrap();
        let how = if keep_going { "--continue" } else { "" };
        let ran = fdtree(dir.path(), 1, &format!("-R {shape} {how}"));
        let line = complaint(&ran, 4);
        assert_eq!(std::fs::read(&notes).unwrap(), b"mine");
        let name = "/L2D1/L1D2/notes.txt";
        if keep_going {
            // The directory of the file and the two above it remain.
            assert_eq!(line, "fdtree: 3 operations failed. Each phase lists its failures.");
            assert!(ran.out.contains("assay: 3 FAILED: 3 Directory not empty\n"), "{}", ran.out);
            assert!(
                ran.out.contains(&format!("{name} does not belong to the tree and is left"))
                    && ran.out.contains("assay: 4 directories deleted"),
                "{}",
                ran.out
            );
            assert_eq!(names_below(tree), ["L2D1/", "L2D1/L1D2/", "L2D1/L1D2/notes.txt 4"]);
            let last = ran.out.lines().next_back().unwrap();
            assert!(
                last.contains(&format!("is left. Move ./{}/", tree.file_name().unwrap().display())),
                "{last}"
            );
            assert!(
                last.contains("L2D1/L1D2/notes.txt away first. Delete it with `fdtree -R --continue "),
                "{last}"
            );
        } else {
            assert!(line.starts_with("fdtree: directory removal: rank 0 (node "), "{line}");
            assert!(line.contains("/L2D1/L1D2/: rmdir: Directory not empty; ./LEVEL0."), "{line}");
            assert!(
                line.contains(&format!("{name} does not belong to the tree and was not removed")),
                "{line}"
            );
            std::fs::remove_dir_all(tree).unwrap();
        }
    }
}

#[test]
fn an_empty_base_is_removed_without_a_failure() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 1 -d 2 -f 1 -s 1";
    fdtree(dir.path(), 2, &format!("-C {shape}")).ok();
    let all = trees(dir.path());
    let base = all[0].to_str().unwrap().strip_suffix(".0").unwrap().to_owned();
    all.iter().for_each(|tree| std::fs::write(tree.join("notes.txt"), "mine").unwrap());
    let words = format!("-R {shape} --continue --base {base}");
    assert_eq!(fdtree(dir.path(), 2, &words).status, Some(4));
    all.iter().for_each(|tree| std::fs::remove_file(tree.join("notes.txt")).unwrap());
    let text = fdtree(dir.path(), 2, &words).ok();
    assert!(text.contains("assay: 2 directories deleted in "), "{text}");
    assert_eq!(trees(dir.path()).len(), 0);
}

#[test]
fn a_warning_on_missing_space_precedes_the_creation() {
    let Some(small) = Tmpfs::new("size=400k") else { return };
    let ran = fdtree(small.path(), 1, "-l 1 -d 2 -f 10 -s 10");
    let warning = "assay: warning: needs 1.17 Mi bytes and 33 inodes; 400 Ki bytes";
    let at = |what: &str| ran.out.find(what);
    assert!(at(warning).is_some_and(|place| Some(place) < at("\nDIRECTORY CREATE")), "{}", ran.out);
    trees(small.path()).iter().for_each(|tree| std::fs::remove_dir_all(tree).unwrap());
    let ran = fdtree(small.path(), 1, "-l 1 -d 2 -f 1 -s 1");
    assert!(!ran.out.contains("warning"), "{}", ran.out);
}

#[test]
fn a_link_in_place_of_a_directory_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("L0F1"), "mine").unwrap();
    fdtree(dir.path(), 1, "-C -l 1 -d 1 -f 1 -s 1").ok();
    let [tree] = &trees(dir.path())[..] else { panic!("there is one tree") };
    std::fs::remove_file(tree.join("L1D1/L0F1")).unwrap();
    std::fs::remove_dir(tree.join("L1D1")).unwrap();
    std::os::unix::fs::symlink(&outside, tree.join("L1D1")).unwrap();
    let line = complaint(&fdtree(dir.path(), 1, "-R -l 1 -d 1 -f 1 -s 1"), 2);
    assert!(line.contains("holds L1D1"), "{line}");
    assert_eq!(std::fs::read(outside.join("L0F1")).unwrap(), b"mine");
}

#[test]
fn a_missing_file_is_a_failure_and_not_a_removal() {
    let dir = tempfile::tempdir().unwrap();
    let shape = "-l 1 -d 2 -f 3 -s 0";
    fdtree(dir.path(), 1, &format!("-C {shape}")).ok();
    let [tree] = &trees(dir.path())[..] else { panic!("there is one tree") };
    // The check of the shape does not read this directory.
    std::fs::remove_file(tree.join("L1D2/L0F2")).unwrap();
    let line = complaint(&fdtree(dir.path(), 1, &format!("-R {shape}")), 4);
    assert!(line.ends_with("/L1D2/L0F2: unlink: No such file or directory"), "{line}");
    let base = tree.display();
    let ran = fdtree(dir.path(), 1, &format!("-R {shape} --continue --base {base}"));
    assert_eq!((ran.status, tree.exists()), (Some(4), false), "{ran:?}");
}

#[test]
fn ctrl_c_prints_the_trees_that_remain() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(program());
    command.args(["-n", "2", "fdtree", "-C", "-l", "5", "-d", "10", "-f", "10", "-s", "0"]);
    command.current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let begun = Instant::now();
    while trees(dir.path()).len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run did not begin");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(signal("-INT", child.id()));
    let ended = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{message}");
    let first = trees(dir.path())[0].file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(message, format!("fdtree: interrupted. Left behind: ./{first} and 1 more\n"));
}
