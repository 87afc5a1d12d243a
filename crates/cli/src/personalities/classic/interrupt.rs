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

use crate::speech::complain;

/// The signals, and the word for what they do.
const SIGNALS: [(i32, &str); 2] = [(SIGINT, "interrupted"), (SIGTERM, "terminated")];
/// How long a file system may take to say what is there.
const PATIENCE: Duration = Duration::from_secs(1);
/// How many files are looked for.
const LOOKED_FOR_MAX: usize = 1000;

/// From now on tells at these signals, as `program`, which of `all` paths stay behind, and what to do about
/// it. Where that cannot be arranged they do what they always do.
pub(crate) fn watch(program: &'static str, all: impl Iterator<Item = PathBuf>, advice: &'static str) {
    let heeded: Vec<i32> =
        SIGNALS.iter().map(|(signal, _)| *signal).filter(|one| !is_ignored(*one)).collect();
    let left = LeftBehind::of(all);
    // Without a watcher the line is missing, and nothing else.
    let _ = arrange(program, &heeded, left, advice);
}

fn arrange(program: &'static str, heeded: &[i32], left: LeftBehind, advice: &'static str) -> io::Result<()> {
    let seen = Arc::new(AtomicBool::new(false));
    for signal in heeded {
        flag::register_conditional_default(*signal, Arc::clone(&seen))?;
    }
    let mut signals = Signals::new(heeded)?;
    let watcher = thread::Builder::new().name("signals".to_owned());
    let (tell, began) = mpsc::channel();
    watcher.spawn(move || {
        // The one who asked may have gone.
        let _ = tell.send(());
        if let Some(signal) = signals.forever().next() {
            seen.store(true, Ordering::Release);
            let word = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("stopped", |(_, word)| word);
            let left = left.there();
            let advice = if left.paths.is_empty() { "" } else { advice };
            complain(&format!("{}{advice}", left.line(program, word)));
            // What a shell shows for a program that ended so; without asking anybody: other threads may be
            // anywhere.
            low_level::exit(128 + signal);
        }
    })?;
    // Its beginning is in nobody's measurement. Where it ended at once, nobody waits.
    let _ = began.recv();
    Ok(())
}

/// Whether the signal is ignored, as shells have Ctrl-C for programs in the background.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & 1 << (signal - 1) != 0
}

/// What a run may leave.
#[derive(Clone, Debug, Default)]
pub(crate) struct LeftBehind {
    pub(crate) paths: Vec<PathBuf>,
    /// There may be others.
    more: bool,
    /// Nobody has looked whether they are there.
    unseen: bool,
}

impl LeftBehind {
    /// Some of `all`, each once.
    pub(crate) fn of(all: impl Iterator<Item = PathBuf>) -> Self {
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
    pub(crate) fn there(self) -> Self {
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
    pub(crate) fn line(&self, program: &str, word: &str) -> String {
        let Some(first) = self.paths.first() else { return format!("{program}: {word}") };
        let maybe = if self.unseen { "maybe " } else { "" };
        let others = match (self.paths.len() - 1, self.more) {
            (0, false) => String::new(),
            (count, false) => format!(" and {count} more"),
            (0, true) => " and maybe more".to_owned(),
            (count, true) => format!(" and at least {count} more"),
        };
        format!("{program}: {word}; {maybe}left behind: {}{others}", first.display())
    }
}
