//! A program beside a campaign, such as the command of `--witness exec:` and of `--notify`.
//!
//! Invariant: it ends within its time limit, with all its children.
//! Never here: jobs, and commands of a plan.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How often it is checked.
const POLL: Duration = Duration::from_millis(10);

/// Waits until the leader of a process group ends; `None` if it did not end within `limit`. What is left of
/// the group is killed.
pub fn ended_within(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if began.elapsed() > limit => break None,
            None => std::thread::sleep(POLL),
        }
    };
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    if status.is_none() {
        child.wait()?;
    }
    Ok(status)
}

/// Runs `command` with `input` on its standard input, which must fit into a pipe. Its output is dropped.
/// Fails if it cannot start, does not end with status 0, or does not end within `limit`. Then it is killed.
pub(crate) fn run(command: &mut Command, input: &str, limit: Duration) -> io::Result<()> {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that needs only its arguments or its environment need not read it.
        let _ = stdin.write_all(input.as_bytes());
    }
    match ended_within(&mut child, limit)? {
        Some(status) if status.success() => Ok(()),
        Some(status) => Err(io::Error::other(format!("the command ended with {status}"))),
        None => {
            let what = format!("the command did not end within {} s", limit.as_secs());
            Err(io::Error::new(io::ErrorKind::TimedOut, what))
        }
    }
}
