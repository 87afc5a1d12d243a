//! The files that a stopped `assay ls-lr` leaves, and their removal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::campaign::signal;
use crate::common::ls_lr::{SMALL, place};
use crate::common::{Ran, assay, program, run};

/// Runs `assay -n RANKS ls-lr WORDS` in `dir`.
fn ls_lr(dir: &Path, ranks: u32, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n {ranks} ls-lr {words}")))
}

/// A tree after an interrupted creation: all its directories, but only the files of the first one.
fn interrupted(dir: &Path) {
    ls_lr(dir, 1, SMALL).ok();
    let root = dir.join("t/ls-lr.0");
    let mut pending = vec![root.clone()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(&next).unwrap().map(Result::unwrap) {
            match entry.file_type().unwrap().is_dir() {
                true => pending.push(entry.path()),
                false if next != root => fs::remove_file(entry.path()).unwrap(),
                false => {}
            }
        }
    }
    let marker = root.join(".ls-lr-tree");
    let text = fs::read_to_string(&marker).unwrap();
    fs::write(&marker, text.replace("state whole", "state making")).unwrap();
}

#[test]
fn removal_of_an_incomplete_tree_counts_only_existing_entries_and_prints_no_rate() {
    let dir = place();
    interrupted(dir.path());
    let mut command = assay(dir.path(), "ls-lr -n 1 --remove --record r t");
    let traces = Command::new("strace").arg("-V").output().is_ok();
    if traces {
        command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "trace", "-e", "trace=unlink,unlinkat,rmdir"]).arg(program());
        command.args(["ls-lr", "-n", "1", "--remove", "--record", "r", "t"]).current_dir(dir.path());
    }
    let out = run(&mut command).ok();
    // 20 files in the root, and 28 directories below it.
    assert!(out.contains("removed 48 entries in ") && !out.contains("entries/s"), "{out}");
    assert!(fs::read_to_string(dir.path().join("r")).unwrap().contains("remove-partial"), "{out}");
    assert_eq!(fs::read_dir(dir.path().join("t")).unwrap().count(), 0);
    if !traces {
        println!("SKIPPED in part: strace is not installed; `cargo xtask setup` installs it");
        return;
    }
    let trace = fs::read_to_string(dir.path().join("trace")).unwrap();
    let asked = |line: &&str| line.contains("/f") && line.contains("ENOENT");
    assert_eq!(trace.lines().filter(asked).count(), 0, "{trace}");
}

#[test]
fn ctrl_c_prints_the_trees_that_remain_and_how_to_continue() {
    let dir = place();
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(program()).current_dir(dir.path());
    command.args(["-n", "2", "ls-lr", "--make", "--entries", "100000000", "--per-dir", "0", "t"]);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    while !(0..2).all(|tree| dir.path().join(format!("t/ls-lr.{tree}/d0")).exists()) {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run did not begin");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(signal("-INT", child.id()));
    let ended = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{message}");
    let wanted = "ls-lr: interrupted. Left behind: t/ls-lr.0 and 1 more. Continue with --make, or remove it \
                  with --remove.\n";
    assert_eq!(message, wanted);
}
