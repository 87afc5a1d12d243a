//! Ctrl-C and SIGTERM on local ranks: one line lists the files that remain. Others list the calls on files
//! that ranks do not return from. The exit status is 130 or 143.
//!
//! Ranks of a launcher do not use this: the launcher and the MPI library end them, and the launcher forwards
//! no output that late. A second signal always ends the process at once. A signal that was ignored when the
//! program started stays ignored.
//!
//! Never here: anything that waits for a rank, or longer than a moment for a file system.

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

use crate::personalities::waiting::stuck_local_ranks;
use crate::speech::complain;

/// The signals, and the word for their effect.
const SIGNALS: [(i32, &str); 2] = [(SIGINT, "interrupted"), (SIGTERM, "terminated")];
/// How long a file system may take to report which files exist.
const PATIENCE: Duration = Duration::from_secs(1);
/// The most ranks whose calls are reported.
const REPORTED_MAX: usize = 16;
/// The most files that are looked for.
const LOOKED_FOR_MAX: usize = 1000;

/// Installs handlers for these signals. They report as `program` which of the paths in `all` remain, followed
/// by `advice`. If this fails, the signals keep their default effect.
pub(crate) fn watch(program: &'static str, all: impl Iterator<Item = PathBuf>, advice: &'static str) {
    let heeded: Vec<i32> =
        SIGNALS.iter().map(|(signal, _)| *signal).filter(|one| !is_ignored(*one)).collect();
    let left = LeftBehind::of(all);
    // Without a watcher only the line is missing.
    let _ = arrange(program, &heeded, left, advice);
}

fn arrange(program: &'static str, heeded: &[i32], left: LeftBehind, advice: &'static str) -> io::Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    for signal in heeded {
        flag::register_conditional_default(*signal, Arc::clone(&seen))?;
    }
    let mut signals = Signals::new(heeded)?;
    let watcher = thread::Builder::new().name("signals".to_owned());
    let (sender, started) = mpsc::channel();
    watcher.spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(());
        if let Some(signal) = signals.forever().next() {
            seen.store(true, Ordering::Release);
            let word = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("stopped", |(_, word)| word);
            let calls = stuck_local_ranks(REPORTED_MAX);
            let left = left.there();
            let advice = if left.paths.is_empty() { "" } else { advice };
            complain(&format!("{}{advice}", left.line(program, word)));
            calls.iter().for_each(|call| complain(&format!("{program}: {call}")));
            // The status that a shell shows for a program ended by this signal. Exits without cleanup,
            // because other threads may be in any state.
            low_level::exit(128 + signal);
        }
    })?;
    // Waits for the start of the thread, so that it falls into no measurement. Returns at once if the thread
    // failed.
    let _ = started.recv();
    Ok(())
}

/// Whether the signal is ignored, as shells set Ctrl-C for background programs.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal - 1) != 0
}

/// The files that a run may leave.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftBehind {
    pub(crate) paths: Vec<PathBuf>,
    /// Whether there may be more.
    more: bool,
    /// Whether it is unknown which of them exist.
    unseen: bool,
}

impl LeftBehind {
    /// Some of the paths in `all`, each once.
    pub(crate) fn of(all: impl Iterator<Item = PathBuf>) -> Self {
        let mut files = Self::default();
        let mut known = std::collections::HashSet::new();
        // Tests of a script may share their files. The number of repeated paths is limited, too.
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

    /// The paths that exist, or all if the file system does not answer in time.
    pub(crate) fn there(self) -> Self {
        let (sender, answer) = mpsc::channel();
        let asked = self.paths.clone();
        thread::spawn(move || {
            let found: Vec<PathBuf> = asked.into_iter().filter(|path| path.exists()).collect();
            // The receiver may be gone.
            let _ = sender.send(found);
        });
        match answer.recv_timeout(PATIENCE) {
            Ok(paths) => Self { paths, ..self },
            Err(_) => Self { unseen: true, ..self },
        }
    }

    /// The line to print: the first path, and the number of others.
    pub(crate) fn line(&self, program: &str, word: &str) -> String {
        let Some(first) = self.paths.first() else { return format!("{program}: {word}") };
        let left = if self.unseen { "Possibly left behind" } else { "Left behind" };
        let others = match (self.paths.len() - 1, self.more) {
            (0, false) => String::new(),
            (count, false) => format!(" and {count} more"),
            (0, true) => " and maybe more".to_owned(),
            (count, true) => format!(" and at least {count} more"),
        };
        format!("{program}: {word}. {left}: {}{others}", first.display())
    }
}
