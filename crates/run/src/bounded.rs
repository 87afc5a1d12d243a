//! A program beside a campaign: a command of `--witness exec:` and of `--notify`, of a batch system, or one
//! that is asked for a fact.
//!
//! Invariant: it ends within its time limit, with all its children, and the kept part of its output is
//! limited.
//! Never here: jobs, and commands of a plan.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// How often it is checked.
const POLL: Duration = Duration::from_millis(2);
/// The most of each output that is kept, bytes. The rest is read and dropped.
const KEPT_BYTES: usize = 1 << 20;
/// The most reads of an output between two checks, so that a program that never stops writing is ended, too.
const READS: usize = 16;

/// A program that ended, and its output. Bytes that are no UTF-8 are replaced.
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: String,
    /// Its error output.
    pub err: String,
}

/// Runs `command` with `input`, which must fit into a pipe, on its standard input. Fails if it cannot start,
/// and with [`io::ErrorKind::TimedOut`] if it did not end within `limit`. What is left of its process group
/// is killed.
pub fn ended(command: &mut Command, input: &str, limit: Duration) -> io::Result<Ended> {
    let mut child = started(command.stdin(Stdio::piped()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that needs only its arguments or its environment need not read it.
        let _ = stdin.write_all(input.as_bytes());
    }
    waited(child, limit)
}

/// Runs `command` like [`ended`] with this file as its standard input.
pub(crate) fn ended_with(command: &mut Command, input: File, limit: Duration) -> io::Result<Ended> {
    waited(started(command.stdin(input))?, limit)
}

fn started(command: &mut Command) -> io::Result<Child> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).spawn()
}

fn waited(mut child: Child, limit: Duration) -> io::Result<Ended> {
    let mut out = Output::new(child.stdout.take().map(OwnedFd::from))?;
    let mut err = Output::new(child.stderr.take().map(OwnedFd::from))?;
    let began = Instant::now();
    let in_time = loop {
        out.read();
        err.read();
        if has_ended(&child)? {
            break true;
        }
        if began.elapsed() > limit {
            break false;
        }
        std::thread::sleep(POLL);
    };
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let status = child.wait()?;
    if !in_time {
        let what = format!("no answer within {} s", limit.as_secs());
        return Err(io::Error::new(io::ErrorKind::TimedOut, what));
    }
    Ok(Ended { status, out: out.text(), err: err.text() })
}

/// The output of a program. A process that left the group may keep it open, so no read waits for its end.
struct Output {
    stream: Option<File>,
    kept: Vec<u8>,
}

impl Output {
    fn new(stream: Option<OwnedFd>) -> io::Result<Self> {
        let stream = stream.map(File::from);
        stream.as_ref().map_or(Ok(()), |stream| fcntl_setfl(stream, OFlags::NONBLOCK))?;
        Ok(Self { stream, kept: Vec::new() })
    }

    /// Reads what is there.
    fn read(&mut self) {
        let Some(stream) = &mut self.stream else { return };
        let mut buffer = [0; 1 << 16];
        for _ in 0..READS {
            match stream.read(&mut buffer) {
                Ok(bytes @ 1..) => {
                    let fits = bytes.min(KEPT_BYTES - self.kept.len());
                    self.kept.extend_from_slice(&buffer[..fits]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // The end, or nothing yet.
                _ => return,
            }
        }
    }

    /// All that was written.
    fn text(mut self) -> String {
        self.read();
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

/// Whether a process has ended. It is not reaped yet. So no other process can get its id, which is also the
/// id of its group.
pub(crate) fn has_ended(child: &Child) -> io::Result<bool> {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), options)?.is_some())
}

/// Runs `command` like [`ended`]. Fails also if it does not end with status 0.
pub(crate) fn succeeded(command: &mut Command, input: &str, limit: Duration) -> io::Result<()> {
    let status = ended(command, input, limit)?.status;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("the command ended with {status}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_that_ends_or_hangs_leaves_no_child() {
        let dir = tempfile::tempdir().unwrap();
        for (last, in_time) in [("exit 7", true), ("sleep 60", false)] {
            let mut command = shell(&format!("sleep 60 & echo $! > pid; {last}"));
            let ran = ended(command.current_dir(dir.path()), "", Duration::from_secs(1));
            match ran {
                Ok(ran) => assert_eq!((ran.status.code(), in_time), (Some(7), true)),
                Err(error) => assert_eq!((error.kind(), in_time), (io::ErrorKind::TimedOut, false)),
            }
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

    #[test]
    fn input_and_outputs_are_passed_and_a_large_output_is_cut() {
        let mut command = shell("cat; echo wrong >&2; head -c 3000000 /dev/zero");
        let ran = ended(&mut command, "words\n", Duration::from_secs(30)).unwrap();
        assert!(ran.status.success() && ran.out.starts_with("words\n\0"), "{}", ran.status);
        assert_eq!((ran.out.len(), ran.err.as_str()), (KEPT_BYTES, "wrong\n"));
    }

    #[test]
    fn a_process_that_leaves_the_group_or_writes_for_ever_holds_nothing_up() {
        let ran = ended(&mut shell("setsid sleep 5 & echo done"), "", Duration::from_secs(4)).unwrap();
        assert_eq!(ran.out, "done\n");
        let endless = ended(&mut shell("yes"), "", Duration::from_millis(100));
        assert!(endless.is_err_and(|error| error.kind() == io::ErrorKind::TimedOut));
    }
}
