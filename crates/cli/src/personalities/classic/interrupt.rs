//! Ctrl-C and SIGTERM on local ranks: one line lists the files that remain. Others list the calls on files
//! that ranks do not return from. The exit status is 130 or 143.
//!
//! Launchers end their ranks by SIGTERM and forward what the ranks still print. Open MPI kills them after a
//! second, MPICH does not. So a rank of a launcher reports the call that it does not return from, and no
//! files. Rank 0 reports that it waits for others. The signal then ends them.
//!
//! A second signal ends the process at once, except while the first one waits to be handled. A signal that
//! was ignored when the program started stays ignored.
//!
//! Never here: anything that waits for a rank, or longer than a moment for a file system.

use std::fs;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

use crate::personalities::waiting::{complain_of, stuck_ranks};
use crate::speech::complain;

/// The signals, and the word for their effect.
const SIGNALS: [(i32, &str); 2] = [(SIGINT, "interrupted"), (SIGTERM, "terminated")];
/// How long a file system may take to report which files exist.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long after the signal a rank of a launcher ends. Open MPI kills it after a second.
const TOGETHER: Duration = Duration::from_millis(850);
/// How often the kernel is asked for a signal that could not be handled.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long a rank may take to return from the handling of a signal.
const RETURN: Duration = Duration::from_millis(20);
/// The most ranks whose calls are reported.
const REPORTED_MAX: usize = 16;
/// The most files that are looked for.
const LOOKED_FOR_MAX: usize = 1000;

/// Installs handlers for these signals. They report as `program` which of the paths in `all` remain, followed
/// by `advice`. If this fails, the signals have their default effect.
pub(crate) fn watch(program: &'static str, all: impl Iterator<Item = PathBuf>, advice: &'static str) {
    let heeded: Vec<i32> =
        SIGNALS.iter().map(|(signal, _)| *signal).filter(|one| !is_ignored(*one)).collect();
    let left = LeftBehind::of(all);
    // Without a watcher only the line is missing.
    let _ = arrange(&heeded, move |signal| {
        let word = SIGNALS.iter().find(|(known, _)| *known == signal).map_or("stopped", |(_, word)| word);
        let calls = stuck_ranks(REPORTED_MAX);
        let left = left.there();
        let advice = if left.paths.is_empty() { "" } else { advice };
        complain(&format!("{}{advice}", left.line(program, word)));
        calls.iter().for_each(|call| complain_of(call));
        // The status that a shell shows for a program ended by this signal. Exits without cleanup, because
        // other threads may be in any state.
        low_level::exit(128 + signal);
    });
}

/// Installs a handler for SIGTERM on a rank of a launcher. It reports the call on a file that the rank does
/// not return from, if there is one. On rank 0 it also reports a wait for others. If this fails, the signal
/// has its default effect.
pub(crate) fn watch_rank() {
    if is_ignored(SIGTERM) {
        return;
    }
    let _ = arrange(&[SIGTERM], move |signal| {
        let ends = Instant::now() + TOGETHER;
        stuck_ranks(REPORTED_MAX).iter().for_each(|call| complain_of(call));
        // The launcher kills the other ranks when the first has ended. So none ends before all had the time
        // to report.
        thread::sleep(ends.saturating_duration_since(Instant::now()));
        // If this fails, another signal ends the process.
        let _ = low_level::emulate_default_handler(signal);
    });
}

/// Runs `end` in a thread of its own when the first of these signals has come. Another one ends the process.
/// If this fails, every one does.
fn arrange(heeded: &[i32], end: impl FnOnce(i32) + Send + 'static) -> io::Result<()> {
    if heeded.is_empty() {
        return Ok(());
    }
    let seen = Arc::new(AtomicBool::new(false));
    let arranged = arrange_first(heeded, &seen, end);
    if arranged.is_err() {
        seen.store(true, Ordering::Release);
    }
    arranged
}

/// The same. From when `seen` is set on, a signal has its default effect.
fn arrange_first(
    heeded: &[i32],
    seen: &Arc<AtomicBool>,
    end: impl FnOnce(i32) + Send + 'static,
) -> io::Result<()> {
    let came = Arc::new(AtomicUsize::new(0));
    let (mut wakes, waker) = UnixStream::pair()?;
    wakes.set_read_timeout(Some(LOOK_EVERY))?;
    for signal in heeded {
        flag::register_conditional_default(*signal, Arc::clone(seen))?;
        flag::register_usize(*signal, Arc::clone(&came), *signal as usize)?;
        low_level::pipe::register(*signal, waker.try_clone()?)?;
    }
    let (heeded, seen) = (heeded.to_vec(), Arc::clone(seen));
    let watcher = thread::Builder::new().name("signals".to_owned());
    let (sender, started) = mpsc::channel();
    watcher.spawn(move || {
        // The receiver may be gone.
        let _ = sender.send(());
        let signal = loop {
            // Its end is a signal or the time.
            let _ = wakes.read(&mut [0]);
            let came = came.load(Ordering::Acquire) as i32;
            if came > 0 {
                seen.store(true, Ordering::Release);
                break came;
            }
            // Its handler may still run, so it is not yet the first of two.
            if let Some(signal) = heeded.iter().find(|signal| is_pending(**signal)) {
                break *signal;
            }
        };
        // A signal that interrupted a rank has to leave it in its call again.
        thread::sleep(RETURN);
        end(signal);
    })?;
    // Waits for the start of the thread, so that it falls into no measurement. Returns at once if the thread
    // failed.
    let _ = started.recv();
    Ok(())
}

/// Whether the signal is ignored, as shells set Ctrl-C for background programs.
fn is_ignored(signal: i32) -> bool {
    is_in("SigIgn:", signal)
}

/// Whether the signal has come but is not handled. The kernel gives it to the main thread, which cannot
/// handle it inside a call on a file system that does not answer.
fn is_pending(signal: i32) -> bool {
    is_in("ShdPnd:", signal)
}

/// Whether the signal is in a set that the kernel shows under this name.
fn is_in(name: &str, signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix(name));
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
