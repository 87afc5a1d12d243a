//! All tests rely on it: a command that does not end is killed with its children, and no other process is.

use std::fs;
use std::os::unix::process::CommandExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common::campaign::{alive, until};
use crate::common::{Running, run_for};

/// A command with one child, whose process number is in this file. Neither ends soon.
fn parent_of_one(pid: &Path) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("sleep 1000 & echo $! > {}; wait", pid.display())]);
    command
}

#[test]
fn a_command_that_does_not_end_in_its_time_fails_the_test_and_is_killed_with_its_children_and_no_other() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let mut other = Command::new("sleep").arg("1000").process_group(0).spawn().unwrap();
    let failed = catch_unwind(AssertUnwindSafe(|| run_for(&mut parent_of_one(&pid), Duration::from_secs(1))));
    let words = failed.unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("did not end in 1s"), "{words}");
    let child = fs::read_to_string(&pid).unwrap();
    until("the end of the child", || !alive(child.trim()));
    assert!(other.try_wait().unwrap().is_none(), "another command was killed");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn a_command_is_killed_with_its_children_when_a_test_fails_for_another_reason() {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let running = Running::piped(&mut parent_of_one(&pid));
    let is_there = || fs::read_to_string(&pid).is_ok_and(|text| text.ends_with('\n'));
    until("the child", is_there);
    drop(running);
    let child = fs::read_to_string(&pid).unwrap();
    until("the end of the child", || !alive(child.trim()));
}
