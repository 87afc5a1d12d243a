//! Ctrl-C and SIGTERM on local ranks: one line names the files that stay behind; the status is 130 or 143.
//!
//! Ranks of a launcher have none of this: launcher and library end them as they always do, and the launcher
//! passes no line on that late. A second signal always ends the process at once, and whoever started this
//! program with a signal ignored keeps it ignored.
//!
//! Never here: anything that waits for a rank, or for a file system for longer than a moment.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::{flag, low_level};
use workloads::ior::{Parameters, first_path};

use super::flow::Ready;
use crate::speech::complain;

/// The signals, and the word for what they do.
const SIGNALS: [(i32, &str); 2] = [(SIGINT, "interrupted"), (SIGTERM, "terminated")];
/// How long a file system may take to say what is there.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many files are looked for.
const LOOKED_FOR_MAX: usize = 1000;

/// From now on tells at these signals what the writing tests leave. Where that cannot be arranged they do
/// what they always do.
pub(crate) fn watch(tests: &[Ready]) {
    let heeded: Vec<i32> =
        SIGNALS.iter().map(|(signal, _)| *signal).filter(|one| !is_ignored(*one)).collect();
    let files = Files::of(tests.iter().map(|test| (&test.meant.parameters, test.ranks)));
    // Without a watcher the line is missing, and nothing else.
    let _ = arrange(&heeded, files);
}

fn arrange(heeded: &[i32], files: Files) -> io::Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    for signal in heeded {
        flag::register_conditional_default(*signal, Arc::clone(&seen))?;
    }
    let mut signals = Signals::new(heeded)?;
    let watcher = thread::Builder::new().name("signals".to_owned());
    watcher.spawn(move || {
        if let Some(signal) = signals.forever().next() {
            seen.store(true, Ordering::Release);
            let word = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("stopped", |(_, word)| word);
            complain(&files.there().line(word));
            // What a shell shows for a program that ended so; without asking anybody: other threads may be
            // anywhere.
            low_level::exit(128 + signal);
        }
    })?;
    Ok(())
}

/// Whether the signal is ignored, as shells have Ctrl-C for programs in the background.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal - 1) != 0
}

/// Files that tests may leave.
#[derive(Clone, Debug, Default)]
struct Files {
    paths: Vec<PathBuf>,
    /// There may be others.
    more: bool,
    /// Nobody has looked whether they are there.
    unseen: bool,
}

impl Files {
    /// Those of the tests that write, on so many ranks.
    fn of<'a>(tests: impl Iterator<Item = (&'a Parameters, u32)>) -> Self {
        let all = tests.filter(|(test, _)| test.write).flat_map(|(test, ranks)| {
            let repetitions = if test.multi_file { test.repetitions } else { 1 };
            let ranks = if test.file_per_rank { ranks } else { 1 };
            let of_repetition = move |number| (0..ranks).map(move |rank| path(test, rank, number));
            (0..repetitions).flat_map(of_repetition)
        });
        let mut files = Self::default();
        let mut known = std::collections::HashSet::new();
        // Tests of a script may share their files; how often one is seen again has an end, too.
        for path in all.take(10 * LOOKED_FOR_MAX) {
            if files.paths.len() == LOOKED_FOR_MAX {
                files.more = true;
                break;
            }
            if known.insert(path.clone()) {
                files.paths.push(path);
            }
        }
        files
    }

    /// Those that are there, or all where the file system does not answer in time.
    fn there(self) -> Self {
        let (tell, answer) = mpsc::channel();
        let asked = self.paths.clone();
        thread::spawn(move || {
            let found: Vec<PathBuf> = asked.into_iter().filter(|path| path.exists()).collect();
            // The one who asked may have gone.
            let _ = tell.send(found);
        });
        match answer.recv_timeout(PATIENCE) {
            Ok(paths) => Self { paths, ..self },
            Err(_) => Self { unseen: true, ..self },
        }
    }

    /// What is said: the first file, and how many others there are.
    fn line(&self, word: &str) -> String {
        let Some(first) = self.paths.first() else { return format!("ior: {word}") };
        let maybe = if self.unseen { "maybe " } else { "" };
        let others = match (self.paths.len() - 1, self.more) {
            (0, false) => String::new(),
            (count, false) => format!(" and {count} more"),
            (0, true) => " and maybe more".to_owned(),
            (count, true) => format!(" and at least {count} more"),
        };
        format!("ior: {word}; {maybe}left behind: {}{others}", first.display())
    }
}

/// The file of a rank in a repetition.
fn path(test: &Parameters, rank: u32, repetition: u32) -> PathBuf {
    let name = first_path(test, rank);
    PathBuf::from(if test.multi_file { format!("{name}.{repetition}") } else { name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_that_are_there_are_named_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let test_file = dir.path().join("f").display().to_string();
        let test = Parameters {
            write: true,
            multi_file: true,
            file_per_rank: true,
            repetitions: 3,
            test_file,
            ..Parameters::default()
        };
        let line =
            |ranks| Files::of([(&test, ranks), (&test, ranks)].into_iter()).there().line("interrupted");
        assert_eq!(Files::of([(&test, 2)].into_iter()).paths.len(), 6);
        assert_eq!(line(2), "ior: interrupted");
        fs::write(dir.path().join("f.00000001.1"), "x").unwrap();
        assert!(line(2).ends_with("/f.00000001.1"), "{}", line(2));
        fs::write(dir.path().join("f.00000000.2"), "x").unwrap();
        assert!(line(2).ends_with("/f.00000001.1 and 1 more"), "{}", line(2));
        for (rank, others) in [(0, "maybe more"), (7, "at least 1 more")] {
            fs::write(dir.path().join(format!("f.0000000{rank}.0")), "x").unwrap();
            assert!(line(2000).ends_with(&format!("/f.00000000.0 and {others}")), "{}", line(2000));
        }
    }
}
