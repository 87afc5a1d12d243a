//! Ctrl-C on local ranks: one line names the files that stay behind, and the status is 130.
//!
//! Ranks of a launcher have none of this: launcher and library end them as they always do, and the launcher
//! passes no line on that late. A second Ctrl-C always ends the process at once, and whoever started this
//! program with the signal ignored keeps it ignored.
//!
//! Never here: anything that waits for a rank, or for a file system for longer than a moment.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use signal_hook::consts::SIGINT;
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use workloads::ior::{Parameters, first_path};

use crate::speech::complain;

/// What a shell shows for a program that ended at Ctrl-C.
const STATUS: i32 = 128 + SIGINT;
/// How long a file system may take to say what is there.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many files of `-m` are looked for.
const REPETITIONS: u32 = 1000;

/// From now on tells at Ctrl-C what the writing tests leave. Where that cannot be arranged Ctrl-C does what
/// it always does.
pub(crate) fn watch<'a>(tests: impl Iterator<Item = &'a Parameters>) {
    if is_ignored() {
        return;
    }
    let paths: Vec<PathBuf> = tests.filter(|test| test.write).flat_map(files).collect();
    let seen = Arc::new(AtomicBool::new(false));
    let hooked = flag::register_conditional_default(SIGINT, Arc::clone(&seen))
        .and_then(|_| Signals::new([SIGINT]))
        .and_then(|mut signals| {
            let watcher = thread::Builder::new().name("ctrl-c".to_owned());
            watcher.spawn(move || {
                if signals.forever().next().is_some() {
                    seen.store(true, Ordering::Release);
                    complain(&line(&there(paths)));
                    // Without asking anybody: other threads may be anywhere.
                    low_level::exit(STATUS);
                }
            })
        });
    // Without a watcher the line is missing, and nothing else.
    drop(hooked);
}

/// Whether the signal is ignored, as shells have it for programs in the background.
fn is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (SIGINT - 1) != 0
}

/// Files of rank 0 that a test may leave.
fn files(test: &Parameters) -> Vec<PathBuf> {
    let first = first_path(test, 0);
    match test.multi_file {
        false => vec![PathBuf::from(first)],
        true => {
            let numbers = 0..test.repetitions.clamp(1, REPETITIONS);
            numbers.map(|number| PathBuf::from(format!("{first}.{number}"))).collect()
        }
    }
}

/// Those of the files that are there, or all where the file system does not answer in time.
fn there(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let (tell, answer) = mpsc::channel();
    let asked = paths.clone();
    thread::spawn(move || {
        let found: Vec<PathBuf> = asked.into_iter().filter(|path| path.exists()).collect();
        // The one who asked may have gone.
        let _ = tell.send(found);
    });
    answer.recv_timeout(PATIENCE).unwrap_or(paths)
}

/// What is said: the first file, and dots for those of other ranks, tests and repetitions.
fn line(paths: &[PathBuf]) -> String {
    match paths.first() {
        None => "ior: interrupted".to_owned(),
        Some(first) => format!("ior: interrupted; left behind: {} ...", first.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_are_there_are_named() {
        let dir = tempfile::tempdir().unwrap();
        let test_file = dir.path().join("f").display().to_string();
        let test = Parameters { multi_file: true, repetitions: 3, test_file, ..Parameters::default() };
        assert_eq!(files(&test).len(), 3);
        assert_eq!(line(&there(files(&test))), "ior: interrupted");
        fs::write(dir.path().join("f.1"), "x").unwrap();
        let told = line(&there(files(&test)));
        assert!(told.ends_with("/f.1 ..."), "{told}");
    }
}
