//! The system calls of each phase of `mdtest`, with their paths, flags, permissions and order. They equal
//! those of mdtest 4.1, with the exceptions in docs/reference/compatibility/mdtest.md.

use std::path::Path;
use std::process::Command;

use crate::common::{self, program, run};

/// The calls of `mdtest WORDS` below the test directory. Each has its name, the last part of its paths, and
/// its relevant arguments. `None` if strace is not installed.
fn calls(dir: &Path, ranks: u32, words: &str) -> Option<Vec<String>> {
    if Command::new("strace").arg("-V").output().is_err() {
        println!("SKIPPED: strace is not installed; `cargo xtask setup` installs it");
        return None;
    }
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "0", "-o", "trace", "-e", "trace=%file,%desc"]).arg(program());
    command.args(["-n", &ranks.to_string(), "mdtest"]).args(words.split(' ')).current_dir(dir);
    run(&mut command).ok();
    let trace = std::fs::read_to_string(dir.join("trace")).unwrap();
    // The first part of an interrupted line has the call and its arguments.
    let lines = trace.lines().filter(|line| !line.contains(" resumed>"));
    let whole = lines.map(|line| line.replace(" <unfinished ...>", ")"));
    Some(whole.filter_map(|line| call(line.split_once(' ')?.1.trim_start())).collect())
}

/// One line of the trace; `None` if it has no path of the test.
fn call(line: &str) -> Option<String> {
    let (name, arguments) = line.split_once('(')?;
    let arguments = arguments.rsplit_once(" = ").map_or(arguments, |(arguments, _)| arguments);
    // The whole path follows a descriptor; a path argument is in quotes.
    let paths: Vec<&str> =
        arguments.split(['"', '<', '>']).filter(|part| part.contains("out/test-dir")).collect();
    if paths.is_empty() {
        return None;
    }
    let base = |path: &&str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let names: Vec<String> = paths.iter().map(base).collect();
    let kept = ["O_RDWR", "O_RDONLY", "O_WRONLY", "O_CREAT", "O_TRUNC", "O_EXCL", "S_IFREG|0400"];
    // An argument that returns a result is not compared.
    let asked = if name.contains("stat") { "" } else { arguments };
    let mut words: Vec<&str> = kept.into_iter().filter(|word| asked.contains(word)).collect();
    words.extend(["0664", "0775"].into_iter().filter(|mode| arguments.contains(&format!(", {mode})"))));
    let moved = arguments.trim_end_matches(')').split(", ").collect::<Vec<_>>();
    if let ("pwrite64" | "pread64", [.., bytes, offset]) = (name, &moved[..]) {
        words.extend([*bytes, *offset]);
    }
    let name = match name {
        "openat" | "open" => "open",
        "newfstatat" | "stat" => "stat",
        // Processors without the call of that name.
        "unlinkat" if asked.contains("AT_REMOVEDIR") => "rmdir",
        other => other.trim_end_matches("at").trim_end_matches("64"),
    };
    let words = words.join(" ");
    Some(format!("{name} {} {words}", names.join(" ")).trim_end().to_owned())
}

macro_rules! sees {
    ($dir:expr, $words:literal, [$($call:literal),* $(,)?]) => {
        let Some(seen) = calls($dir, 1, $words) else { return };
        let wanted: Vec<&str> = vec![$($call),*];
        assert_eq!(seen, wanted, "{}", $words);
    };
}

#[test]
fn each_phase_as_a_separate_run_makes_the_calls_of_mdtest() {
    let dir = tempfile::tempdir().unwrap();
    sees!(
        dir.path(),
        "-C -n 2 -w 64 -y",
        [
            "mkdir test-dir.0-0 0775",
            "mkdir mdtest_tree.0 0775",
            "mkdir dir.mdtest.0.0 0775",
            "mkdir dir.mdtest.0.1 0775",
            "open file.mdtest.0.0 O_RDWR O_CREAT 0664",
            "pwrite file.mdtest.0.0 64 0",
            "fsync file.mdtest.0.0",
            "close file.mdtest.0.0",
            "open file.mdtest.0.1 O_RDWR O_CREAT 0664",
            "pwrite file.mdtest.0.1 64 0",
            "fsync file.mdtest.0.1",
            "close file.mdtest.0.1",
        ]
    );
    sees!(
        dir.path(),
        "-T -n 2",
        ["stat dir.mdtest.0.0", "stat dir.mdtest.0.1", "stat file.mdtest.0.0", "stat file.mdtest.0.1",]
    );
    sees!(
        dir.path(),
        "-E -n 2 -e 64",
        [
            "open file.mdtest.0.0 O_RDONLY",
            "pread file.mdtest.0.0 64 0",
            "close file.mdtest.0.0",
            "open file.mdtest.0.1 O_RDONLY",
            "pread file.mdtest.0.1 64 0",
            "close file.mdtest.0.1",
        ]
    );
    sees!(
        dir.path(),
        "-U -n 2",
        ["rename dir.mdtest.0.0 dir.mdtest.0.0-XX", "rename dir.mdtest.0.0-XX dir.mdtest.0.0",]
    );
    sees!(
        dir.path(),
        "-r -n 2",
        [
            "rmdir dir.mdtest.0.0",
            "rmdir dir.mdtest.0.1",
            "unlink file.mdtest.0.0",
            "unlink file.mdtest.0.1",
            "rmdir mdtest_tree.0",
            "rmdir test-dir.0-0",
        ]
    );
}

#[test]
fn files_from_mknod_are_not_opened_for_writing() {
    let dir = tempfile::tempdir().unwrap();
    sees!(
        dir.path(),
        "-F -n 1 -k",
        [
            "mkdir test-dir.0-0 0775",
            "mkdir mdtest_tree.0 0775",
            "mknod file.mdtest.0.0 S_IFREG|0400",
            "stat file.mdtest.0.0",
            "open file.mdtest.0.0 O_RDONLY",
            "close file.mdtest.0.0",
            "unlink file.mdtest.0.0",
            "rmdir mdtest_tree.0",
            "rmdir test-dir.0-0",
        ]
    );
}

#[test]
fn directories_are_renamed_in_a_ring() {
    let dir = tempfile::tempdir().unwrap();
    let Some(all) = calls(dir.path(), 1, "-D -n 3") else { return };
    let renames: Vec<&String> = all.iter().filter(|call| call.starts_with("rename")).collect();
    assert_eq!(
        renames,
        [
            "rename dir.mdtest.0.0 dir.mdtest.0.0-XX",
            "rename dir.mdtest.0.1 dir.mdtest.0.0",
            "rename dir.mdtest.0.0-XX dir.mdtest.0.1",
        ],
        "{all:?}"
    );
}

#[test]
fn a_tree_is_created_from_its_root_and_removed_from_its_leaves() {
    let dir = tempfile::tempdir().unwrap();
    let Some(all) = calls(dir.path(), 1, "-F -b 2 -z 2 -n 0") else { return };
    let trees = |call: &str, rest: &str| -> Vec<String> {
        let begin = format!("{call} mdtest_tree.");
        let found = all.iter().filter_map(|line| line.strip_prefix(&begin)?.strip_suffix(rest));
        found.map(str::to_owned).collect()
    };
    assert_eq!(
        trees("mkdir", " 0775"),
        ["0", "1", "3", "4", "2", "5", "6"],
        "depth first, children ascending"
    );
    let removed = trees("rmdir", "");
    assert_eq!(removed.last().map(String::as_str), Some("0"));
    assert_eq!(removed.len(), 7);
}

#[test]
fn with_c_rank_0_creates_and_removes_all_files_and_each_rank_opens_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut all) = calls(dir.path(), 2, "-F -n 1 -c -w 8") else { return };
    all.retain(|call| call.contains("file.mdtest") && !call.starts_with("close"));
    all.sort();
    assert_eq!(
        all,
        [
            "open file.mdtest.0.0 O_RDONLY",
            "open file.mdtest.0.0 O_RDWR O_CREAT 0664",
            "open file.mdtest.0.0 O_WRONLY",
            "open file.mdtest.1.0 O_RDONLY",
            "open file.mdtest.1.0 O_RDWR O_CREAT 0664",
            "open file.mdtest.1.0 O_WRONLY",
            "pwrite file.mdtest.0.0 8 0",
            "pwrite file.mdtest.1.0 8 0",
            "stat file.mdtest.0.0",
            "stat file.mdtest.1.0",
            "unlink file.mdtest.0.0",
            "unlink file.mdtest.1.0",
        ]
    );
}

#[test]
fn all_ranks_open_shared_files_and_one_removes_them() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut all) = calls(dir.path(), 2, "-S -n 1") else { return };
    all.retain(|call| call.contains("file.mdtest") && !call.starts_with("close"));
    all.sort();
    assert_eq!(
        all,
        [
            "open file.mdtest.shared.0 O_RDONLY",
            "open file.mdtest.shared.0 O_RDONLY",
            "open file.mdtest.shared.0 O_RDWR O_CREAT 0664",
            "open file.mdtest.shared.0 O_RDWR O_CREAT 0664",
            "stat file.mdtest.shared.0",
            "stat file.mdtest.shared.0",
            "unlink file.mdtest.shared.0",
        ]
    );
}

#[test]
fn files_shift_by_the_given_number_of_ranks_per_phase() {
    let dir = tempfile::tempdir().unwrap();
    let text = common::mdtest::mdtest(dir.path(), 4, "-F -n 1 -N 1 -vvv").ok();
    // The calls of rank 0: it creates its own files, and uses those of rank 1, 2 and 3 for stat, read and
    // removal.
    for line in [
        "(non-dirs create): curr_item is './out/test-dir.0-0/mdtest_tree.0/file.mdtest.0.0'",
        "mdtest_stat file: ./out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.0",
        "mdtest_read file: ./out/test-dir.0-0/mdtest_tree.0/file.mdtest.2.0",
        "(non-dirs remove): curr_item is './out/test-dir.0-0/mdtest_tree.0/file.mdtest.3.0'",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}
