//! One run of a program: its output, processor time and peak memory.
//!
//! Invariant: one child at a time; a child that exceeds the time limit is killed, and this is an error.
//! Never here: the meaning of the output.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::others::machine_cpu_s;
use super::usage::children_cpu_s;

/// The time limit; every run of the table takes less than a tenth of it.
const LIMIT: Duration = Duration::from_secs(600);
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The result of a run.
pub(super) struct ChildRun {
    /// Standard output.
    pub(super) output: String,
    /// User and system seconds of the program and its children, with start-up.
    pub(super) cpu_s: f64,
    /// Wall-clock seconds from start to end.
    pub(super) wall_s: f64,
    /// Processor seconds of all other processes during the run.
    pub(super) others_s: f64,
    /// Peak memory (`VmHWM`) in bytes, as last read before the end.
    pub(super) peak_bytes: u64,
}

/// Runs a command line to its end, with its output in `folder`. An exit status other than 0 is an error.
pub(super) fn run(words: &[String], folder: &Path, stop: &AtomicBool) -> Result<ChildRun> {
    run_ending(words, &[0], folder, stop)
}

/// The same for other exit statuses.
pub(super) fn run_ending(
    words: &[String],
    statuses: &[i32],
    folder: &Path,
    stop: &AtomicBool,
) -> Result<ChildRun> {
    let (out, errors) = (folder.join("stdout"), folder.join("stderr"));
    let before = (children_cpu_s(), machine_cpu_s(), Instant::now());
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).current_dir(folder).stdin(Stdio::null());
    command.stdout(File::create(&out)?).stderr(File::create(&errors)?);
    let mut child = command.spawn().with_context(|| format!("cannot start {}", words[0]))?;
    let (status, peak_bytes) = watch(&mut child, stop)?;
    let (cpu_s, wall_s) = (children_cpu_s() - before.0, before.2.elapsed().as_secs_f64());
    let others_s = (machine_cpu_s() - before.1 - cpu_s).max(0.0);
    let read = |path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let output = read(&out)?;
    if !status.code().is_some_and(|code| statuses.contains(&code)) {
        let complaint = read(&errors)? + &output;
        let line = complaint.lines().find(|line| !line.trim().is_empty()).unwrap_or("no message");
        bail!("{status}: {line}");
    }
    Ok(ChildRun { output, cpu_s, wall_s, others_s, peak_bytes })
}

/// Waits for the child, and reads its peak memory until then.
fn watch(child: &mut Child, stop: &AtomicBool) -> Result<(ExitStatus, u64)> {
    let begun = Instant::now();
    let mut peak_bytes = 0;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, peak_bytes));
        }
        let stopped = stop.load(Ordering::Relaxed);
        if stopped || begun.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            bail!(if stopped { "stopped on request" } else { "killed after ten minutes" });
        }
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
        peak_bytes = peak_of(&status).unwrap_or(0).max(peak_bytes);
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Bytes in the line `VmHWM` of `/proc/PID/status`. A process that has ended has no such line.
fn peak_of(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, stop: bool) -> Result<ChildRun> {
        let folder = tempfile::tempdir().unwrap();
        run(&["sh", "-c", script].map(str::to_owned), folder.path(), &AtomicBool::new(stop))
    }

    #[test]
    fn a_run_has_its_output_and_peak_memory() {
        let ran = sh("echo hello; sleep 0.1", false).unwrap();
        assert_eq!(ran.output, "hello\n");
        assert!(ran.peak_bytes > 100_000, "{}", ran.peak_bytes);
    }

    #[test]
    fn a_failure_has_the_first_line_of_the_error_output() {
        let error = sh("echo >&2; echo no such file >&2; exit 3", false).err().unwrap();
        assert_eq!(error.to_string(), "exit status: 3: no such file");
    }

    #[test]
    fn a_request_to_stop_ends_the_child() {
        let error = sh("exec sleep 1000", true).err().unwrap();
        assert_eq!(error.to_string(), "stopped on request");
    }

    #[test]
    fn the_peak_of_a_process_that_has_ended_is_unknown() {
        assert_eq!(peak_of("Name:\tior\nVmPeak:\t  9000 kB\nVmHWM:\t    2612 kB\n"), Some(2612 * 1024));
        assert_eq!(peak_of("Name:\tior\nState:\tZ (zombie)\n"), None);
    }
}
