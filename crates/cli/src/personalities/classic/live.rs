//! The progress of a phase while it runs: a line on a terminal, and the same as JSON lines in a file. A
//! small file has the present state.
//!
//! A separate thread reads the values that the ranks show on the board of this node. The measuring loop does
//! not wait for it. Ranks of other nodes are not visible, and the line reports this.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use ranks::{Comm, Halt, Reduce};
use results::progress::ProgressShown;
use results::record::Phase;
use rustix::fs::OFlags;
use units::Usage;
use workloads::ior::PhaseStart;
use workloads::kit::board::{Board, phase_number};
use workloads::kit::failed_call::words;

use super::progress::{Running, ended, line, look};
use crate::session::Session;
use crate::speech::living_line;

/// Time between two reads of the board.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Shortest time between two writes of the file of `--progress`.
const STATE_EVERY: Duration = Duration::from_millis(900);

#[derive(Default)]
struct LiveState {
    test: u32,
    phases: u64,
    running: Option<Running>,
    /// What the file of `--progress` does not have yet.
    last: Option<ProgressShown>,
    over: bool,
}

struct LiveShared {
    state: Mutex<LiveState>,
    wake: Condvar,
    board: Board,
    bar: ProgressBar,
    file: Option<Mutex<Lines>>,
    state_file: Option<Mutex<StateFile>>,
}

/// The files of a live view.
#[derive(Default)]
pub(crate) struct LiveFiles {
    lines: Option<File>,
    state: Option<PathBuf>,
}

/// The file of `--progress`.
pub(crate) struct StateFile {
    path: PathBuf,
    written: Option<Instant>,
}

impl StateFile {
    /// Replaces the contents. The file is opened each time, because a network file system shows a change to
    /// other nodes when the file is closed. A failure must not disturb the run.
    pub(crate) fn write(&mut self, look: &ProgressShown) {
        if self.written.is_some_and(|written| written.elapsed() < STATE_EVERY) {
            return;
        }
        self.written = Some(Instant::now());
        let Some(bytes) = look.to_file() else { return };
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let opened = OpenOptions::new().write(true).custom_flags(flags).open(&self.path);
        let _ = opened.and_then(|file| file.write_all_at(&bytes, 0));
    }
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

impl LiveFiles {
    /// Creates the files of `--live` and `--progress`. Fails with one line if one exists or cannot be
    /// created. Then none is left.
    pub(crate) fn create(lines: Option<&str>, state: Option<&str>) -> Result<Self, Usage> {
        let create = |option: &str, path: &str| {
            File::create_new(Path::new(path)).map_err(|error| {
                Usage(format!("{option} {path}: {error}. Choose a file that does not exist yet."))
            })
        };
        let made = lines.map(|path| create("--live", path)).transpose()?;
        if let Err(usage) = state.map_or(Ok(()), |path| create("--progress", path).map(drop)) {
            lines.map_or(Ok(()), std::fs::remove_file).unwrap_or_default();
            return Err(usage);
        }
        Ok(Self { lines: made, state: state.map(PathBuf::from) })
    }

    /// The file of `--progress`, if there is one.
    pub(crate) fn state_file(self) -> Option<StateFile> {
        self.state.map(|path| StateFile { path, written: None })
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_none() && self.state.is_none()
    }
}

/// Where the ranks of this process show their progress.
pub(crate) struct Boards {
    /// Whether rank 0 wants to see the progress.
    wants: bool,
    is_local: bool,
    /// The board of local ranks.
    threads: Option<Board>,
}

impl Boards {
    pub(crate) fn new(session: &Session, wants: bool) -> Self {
        let is_local = session.mpi().is_none();
        let threads = if is_local && wants { Board::for_threads(session.size()).ok() } else { None };
        Self { wants, is_local, threads }
    }

    /// The board of a rank's node and its row, if rank 0 wants one. Collective, outside of any phase.
    pub(crate) fn row(&self, comm: &dyn Comm) -> Result<Option<(Board, u32)>, Halt> {
        if self.is_local {
            return Ok(self.threads.clone().map(|board| (board, comm.rank())));
        }
        let wanted = comm.reduce_one(self.wants.into(), Reduce::Max)? > 0;
        let board = if wanted { Board::for_node(comm)? } else { None };
        Ok(board.map(|board| (board, 0)))
    }
}

impl LiveView {
    /// Watches `board`. Writes the progress to `files`, and shows it if standard error is a terminal and the
    /// program `has_line`.
    pub(crate) fn start(board: Board, files: LiveFiles, has_line: bool) -> Self {
        let bar = if has_line { living_line("{msg}", None) } else { ProgressBar::hidden() };
        let file = files.lines.map(|file| Mutex::new(Lines { file, end: 0, broken: None }));
        let state_file = files.state.map(|path| Mutex::new(StateFile { path, written: None }));
        let (state, wake) = (Mutex::default(), Condvar::new());
        let shared = Arc::new(LiveShared { state, wake, board, bar, file, state_file });
        let watcher = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.watch()
        });
        Self { shared, watcher: Some(watcher) }
    }

    /// The test with this number begins.
    pub(crate) fn test(&self, test: u32) {
        let mut state = self.shared.lock();
        (state.test, state.phases) = (test, 0);
    }

    /// A phase begins.
    pub(crate) fn begins(&self, beginning: PhaseStart) {
        let mut state = self.shared.lock();
        state.phases += 1;
        let (number, now) = (phase_number(state.test, state.phases), Instant::now());
        state.running = Some(Running::since(now, beginning, number));
    }

    /// A phase has ended.
    pub(crate) fn ended(&self, phase: &Phase) {
        let mut state = self.shared.lock();
        let test = state.test;
        if let Some(running) = &mut state.running {
            let ended = ended(test, running, phase);
            // The second half of a mixed phase ends it again.
            running.over = true;
            self.shared.write(&ended);
            state.last = Some(ended);
        }
        self.shared.bar.set_message("");
    }

    /// Prints while the line is hidden from the terminal.
    pub(crate) fn beside(&self, print: impl FnOnce()) {
        self.shared.bar.suspend(print);
    }

    /// Stops the view. Gives the reason if lines are missing in the file.
    pub(crate) fn end(self) -> Option<String> {
        let shared = Arc::clone(&self.shared);
        drop(self);
        let lines = shared.file.as_ref()?.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        lines.broken.as_ref().map(words)
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
                state.last = Some(look);
            }
            if let (Some(file), Some(last)) = (&self.state_file, state.last.take()) {
                // The ranks begin and end phases meanwhile, also if the file system of the file is slow.
                drop(state);
                file.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).write(&last);
                state = self.lock();
            }
        }
    }

    fn write(&self, look: &ProgressShown) {
        let Some(file) = &self.file else { return };
        let text = serde_json::to_string(look).expect("numbers and words become JSON");
        file.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).write(&format!("{text}\n"));
    }
}
