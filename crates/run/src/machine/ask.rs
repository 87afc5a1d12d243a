//! Asking another program something, with an end to the wait.
//!
//! Invariant: a program that is not there, fails or does not answer says nothing.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How long a program may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often it is looked at.
const LOOK: Duration = Duration::from_millis(2);

/// What `program`, found as the shell finds it, prints; `None` where it says nothing or fails.
pub(super) fn said(program: &str, arguments: &[&str]) -> Option<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .ok()?;
    let mut stream = child.stdout.take()?;
    let text = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let began = Instant::now();
    let ended = loop {
        match child.try_wait() {
            Ok(None) if began.elapsed() < PATIENCE => std::thread::sleep(LOOK),
            Ok(Some(status)) => break status.success(),
            _ => break false,
        }
    };
    // Children of a program that has ended may hold its output open.
    let _ = kill_process_group(Pid::from_child(&child), Signal::KILL);
    let _ = child.wait();
    let text = text.join().ok()?;
    (ended && !text.trim().is_empty()).then_some(text)
}
