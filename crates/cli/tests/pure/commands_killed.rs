//! All tests rely on it: a command that does not end is killed with its children, and no other process is.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::time::Duration;

use crate::common::Running;
use crate::common::campaign::{alive, until};

/// A command with one child. Neither ends soon. Gives also the number of the child.
fn parent_of_one() -> (Running, String) {
    let dir = tempfile::tempdir().unwrap();
    let pid = dir.path().join("pid");
    let script = format!("sleep 1000 & echo $! > {}; wait", pid.display());
    let running = Running::piped(Command::new("sh").args(["-c", &script]));
    let read = || fs::read_to_string(&pid).unwrap_or_default();
    until("the child", || read().ends_with('\n'));
    (running, read().trim().to_owned())
}

#[test]
fn a_command_that_does_not_end_in_its_time_fails_the_test_and_is_killed_with_its_children_and_no_other() {
    let mut other = Running::piped(Command::new("sleep").arg("1000"));
    let (running, child) = parent_of_one();
    let failed = catch_unwind(AssertUnwindSafe(|| running.end(Duration::from_millis(10))));
    let words = failed.unwrap_err().downcast::<String>().unwrap();
    assert!(words.contains("did not end in 10ms"), "{words}");
    until("the end of the child", || !alive(&child));
    assert!(!other.has_ended(), "another command was killed");
}

#[test]
fn a_command_is_killed_with_its_children_when_a_test_fails_for_another_reason() {
    let (running, child) = parent_of_one();
    drop(running);
    until("the end of the child", || !alive(&child));
}
