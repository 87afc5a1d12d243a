//! The progress of a phase while it runs: a line on a terminal, and the same as JSON lines in a file.
//!
//! A separate thread reads the values that the ranks show on the board of this node. The measuring loop does
//! not wait for it. Ranks of other nodes are not visible, and the line reports this.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use units::Usage;
use workloads::ior::{IorEvent, IorListener};
use workloads::kit::board::{Board, phase_number};
use workloads::kit::drive::words;
use workloads::kit::observer::EventObserver;

use super::progress::{ProgressShown, Running, ended, line, look};
use crate::speech::living_line;

/// Time between two reads of the board.
const LOOK_EVERY: Duration = Duration::from_millis(500);

#[derive(Default)]
struct LiveState {
    test: u32,
    phases: u64,
    running: Option<Running>,
    over: bool,
}

struct LiveShared {
    state: Mutex<LiveState>,
    wake: Condvar,
    board: Board,
    bar: ProgressBar,
    file: Option<Mutex<Lines>>,
}

/// The lines of `--live`.
struct Lines {
    file: File,
    /// Offset of the end of the last complete line, in bytes.
    end: u64,
    /// The error after which no lines are written.
    broken: Option<std::io::Error>,
}

impl Lines {
    /// Writes a line. A full file must not stop the run, so it stays short but has no partial line.
    fn write(&mut self, line: &str) {
        if self.broken.is_some() {
            return;
        }
        match self.file.write_all(line.as_bytes()) {
            Ok(()) => self.end += line.len() as u64,
            Err(error) => {
                // If this fails too, nothing else can be done.
                let _ = self.file.set_len(self.end);
                self.broken = Some(error);
            }
        }
    }
}

/// The live view of one run.
pub(crate) struct LiveView {
    shared: Arc<LiveShared>,
    watcher: Option<JoinHandle<()>>,
}

/// Creates the file of `--live`. Fails with one line if it exists or cannot be created.
pub(crate) fn create(path: &str) -> Result<File, Usage> {
    File::create_new(Path::new(path))
        .map_err(|error| Usage(format!("--live {path}: {error}. Choose a file that does not exist yet.")))
}

impl LiveView {
    /// Watches `board`. Writes the progress to `file`, and shows it if standard error is a terminal.
    pub(crate) fn start(board: Board, file: Option<File>) -> Self {
        let bar = living_line("{msg}", None);
        let file = file.map(|file| Mutex::new(Lines { file, end: 0, broken: None }));
        let shared = Arc::new(LiveShared { state: Mutex::default(), wake: Condvar::new(), board, bar, file });
        let watcher = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.watch()
        });
        Self { shared, watcher: Some(watcher) }
    }

    /// Stops the view. Gives the reason if lines are missing in the file.
    pub(crate) fn end(self) -> Option<String> {
        let shared = Arc::clone(&self.shared);
        drop(self);
        let lines = shared.file.as_ref()?.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        lines.broken.as_ref().map(words)
    }
}

/// Forwards every event while the line is hidden from the terminal.
pub(crate) struct Followed<'a> {
    pub(crate) live: Option<&'a LiveView>,
    pub(crate) output: &'a mut IorListener<'a>,
}

impl EventObserver<IorEvent<'_>> for Followed<'_> {
    fn event(&mut self, event: &IorEvent<'_>) {
        match self.live {
            None => self.output.event(event),
            Some(live) => {
                live.shared.hear(event);
                live.shared.bar.suspend(|| self.output.event(event));
            }
        }
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.wake.notify_all();
        self.shared.bar.finish_and_clear();
        if let Some(watcher) = self.watcher.take() {
            // A watcher that panicked has nothing more to show.
            let _ = watcher.join();
        }
    }
}

impl LiveShared {
    fn lock(&self) -> MutexGuard<'_, LiveState> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn hear(&self, event: &IorEvent<'_>) {
        let mut state = self.lock();
        match event {
            IorEvent::Test { test, .. } => (state.test, state.phases) = (*test, 0),
            IorEvent::Begins(beginning) => {
                state.phases += 1;
                let (number, now) = (phase_number(state.test, state.phases), Instant::now());
                state.running = Some(Running::since(now, *beginning, number));
            }
            IorEvent::Phase(phase) => {
                let test = state.test;
                if let Some(running) = &mut state.running {
                    self.write(&ended(test, running, phase));
                    // The second half of a mixed phase ends it again.
                    running.over = true;
                }
                self.bar.set_message("");
            }
            _ => {}
        }
    }

    fn watch(&self) {
        let mut state = self.lock();
        while !state.over {
            let woken = self.wake.wait_timeout(state, LOOK_EVERY);
            state = woken.unwrap_or_else(|poisoned| poisoned.into_inner()).0;
            let test = state.test;
            if let Some(running) = state
                .running
                .as_mut()
                .filter(|running| !running.over && running.begun.elapsed() >= LOOK_EVERY)
            {
                let look = look(test, running, &self.board);
                self.bar.set_message(line(&look));
                self.write(&look);
            }
        }
    }

    fn write(&self, look: &ProgressShown) {
        let Some(file) = &self.file else { return };
        let text = serde_json::to_string(look).expect("numbers and words become JSON");
        file.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).write(&format!("{text}\n"));
    }
}
