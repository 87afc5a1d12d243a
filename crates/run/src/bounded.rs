//! A program beside a campaign, such as the command of `--witness exec:` and of `--notify`.
//!
//! Invariant: it ends within its time limit, with all its children.
//! Never here: jobs, and commands of a plan.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How often it is checked.
const POLL: Duration = Duration::from_millis(2);

/// Waits until the leader of a process group ends; `None` if it did not end within `limit`. What is left of
/// the group is killed.
pub fn ended_within(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    let in_time = loop {
        match has_ended(child)? {
            true => break true,
            false if began.elapsed() > limit => break false,
            false => std::thread::sleep(POLL),
        }
    };
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let status = child.wait()?;
    Ok(in_time.then_some(status))
}

/// Whether a process has ended. It is not reaped yet. So no other process can get its id, which is also the
/// id of its group.
pub(crate) fn has_ended(child: &Child) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_ends_or_hangs_leaves_no_child() {
        let dir = tempfile::tempdir().unwrap();
        for (last, in_time) in [("exit 7", true), ("sleep 60", false)] {
            let script = format!("sleep 60 & echo $! > pid; {last}");
            let mut command = Command::new("sh");
            let command = command.args(["-c", &script]).current_dir(dir.path()).process_group(0);
            let status = ended_within(&mut command.spawn().unwrap(), Duration::from_secs(1)).unwrap();
            assert_eq!(status.map(|status| status.code()), in_time.then_some(Some(7)), "{last}");
            let child = std::fs::read_to_string(dir.path().join("pid")).unwrap();
            let state =
                || std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
            let killed = Instant::now();
            while !(state().is_empty() || state().contains(") Z")) {
                assert!(killed.elapsed() < Duration::from_secs(30), "{last}: {}", state());
                std::thread::sleep(POLL);
            }
        }
    }
}
