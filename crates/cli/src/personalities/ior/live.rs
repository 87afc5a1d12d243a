//! How far a phase is, while it runs: a line on a terminal, and the same as JSON lines in a file.
//!
//! A thread of its own reads what the ranks show on the board of this node; the measuring loop neither waits
//! for it nor knows of it. Ranks of other nodes are not seen, and the line says so.

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use units::{Usage, duration, rate_binary};
use workloads::ior::{Beginning, Event, Observer};
use workloads::kit::board::{Board, phase_number};

/// Between two looks at the board.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// What one look showed; a line of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
struct Look {
    /// Number of the test.
    test: u32,
    /// In which repetition.
    repetition: u32,
    /// `write`, `read`, …
    phase: String,
    /// Seconds since the phase began.
    seconds: f64,
    /// Transfers done by the ranks seen.
    transfers: u64,
    /// Bytes they moved.
    bytes: u64,
    /// Bytes per second since the look before.
    bytes_per_second: f64,
    /// Highest 99th percentile of latency that a rank showed for its last tenth of a second, seconds.
    p99_seconds: f64,
    /// The rank with the fewest transfers.
    slowest_rank: u32,
    /// Its transfers.
    slowest_transfers: u64,
    /// Share done, 0 to 1: of the transfers, or of the time where that ends the phase sooner.
    done: f64,
    /// Seconds left at this pace; absent where that cannot be known.
    seconds_left: Option<f64>,
    /// Ranks seen.
    ranks_seen: u32,
    /// Ranks there are.
    ranks: u32,
    /// The phase has ended; the numbers are those of its record.
    ended: bool,
}

/// The phase that runs.
struct Running {
    beginning: Beginning,
    number: u64,
    begun: Instant,
    /// When the board was last looked at, and how many transfers it showed.
    last: (Instant, u64),
}

#[derive(Default)]
struct State {
    test: u32,
    phases: u64,
    running: Option<Running>,
    over: bool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    board: Board,
    bar: ProgressBar,
    file: Option<Mutex<File>>,
}

/// Watches one run.
pub(crate) struct Live {
    shared: Arc<Shared>,
    watcher: Option<JoinHandle<()>>,
}

/// The file of `--live`, made new. Fails in one line where it is there already or cannot be made.
pub(crate) fn create(path: &str) -> Result<File, Usage> {
    File::create_new(Path::new(path))
        .map_err(|error| Usage(format!("--live {path}: {error}; name a file that does not exist yet")))
}

/// Whether anybody would see the line.
pub(crate) fn has_terminal() -> bool {
    std::io::stderr().is_terminal()
}

impl Live {
    /// Watches `board`; writes looks to `file`, and shows them where the standard error is a terminal.
    pub(crate) fn start(board: Board, file: Option<File>) -> Self {
        let bar = if has_terminal() {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            bar.with_style(ProgressStyle::with_template("{msg}").expect("a sound template"))
        } else {
            ProgressBar::hidden()
        };
        let file = file.map(Mutex::new);
        let shared = Arc::new(Shared { state: Mutex::default(), wake: Condvar::new(), board, bar, file });
        let watcher = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.watch()
        });
        Self { shared, watcher: Some(watcher) }
    }
}

/// Passes every event on while no line is on the terminal.
pub(crate) struct Followed<'a> {
    pub(crate) live: Option<&'a Live>,
    pub(crate) output: &'a mut dyn Observer,
}

impl Observer for Followed<'_> {
    fn event(&mut self, event: &Event<'_>) {
        match self.live {
            None => self.output.event(event),
            Some(live) => {
                live.shared.hear(event);
                live.shared.bar.suspend(|| self.output.event(event));
            }
        }
    }
}

impl Drop for Live {
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

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn hear(&self, event: &Event<'_>) {
        let mut state = self.lock();
        match event {
            Event::Test { test, .. } => (state.test, state.phases) = (*test, 0),
            Event::Begins(beginning) => {
                state.phases += 1;
                let (number, now) = (phase_number(state.test, state.phases), Instant::now());
                state.running = Some(Running { beginning: *beginning, number, begun: now, last: (now, 0) });
            }
            Event::Phase(phase) => {
                if let Some(running) = &state.running {
                    self.write(&ended(state.test, running, phase));
                }
                // The other half of a mixed phase is still to come.
                if phase.phase != "mixed_write" {
                    state.running = None;
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
            if let Some(running) =
                state.running.as_mut().filter(|running| running.begun.elapsed() >= LOOK_EVERY)
            {
                let look = look(test, running, &self.board);
                self.bar.set_message(line(&look));
                self.write(&look);
            }
        }
    }

    fn write(&self, look: &Look) {
        let Some(file) = &self.file else { return };
        let text = serde_json::to_string(look).expect("numbers and words become JSON");
        // Who follows a run must not stop it; a file that is full stays short.
        let _ = writeln!(file.lock().unwrap_or_else(|poisoned| poisoned.into_inner()), "{text}");
    }
}

/// Looks at the board.
fn look(test: u32, running: &mut Running, board: &Board) -> Look {
    let beginning = running.beginning;
    let rows: Vec<_> = board.look().into_iter().flatten().collect();
    let here: Vec<_> = rows.iter().filter(|row| row.phase == running.number).collect();
    let now = Instant::now();
    let seconds = (now - running.begun).as_secs_f64();
    // A row that was just being written is missing for once; a count never goes back.
    let transfers = here.iter().map(|row| row.transfers).sum::<u64>().max(running.last.1);
    let since = (now - running.last.0).as_secs_f64().max(1e-9);
    let bytes_per_second = ((transfers - running.last.1) * beginning.transfer_bytes) as f64 / since;
    running.last = (now, transfers);
    let slowest = here.iter().min_by_key(|row| row.transfers);
    // Ranks beyond those that take part have a row and never use it.
    let ranks_seen = beginning.ranks.min(rows.len() as u32);
    let wanted = beginning.transfers * u64::from(ranks_seen);
    let of_transfers = if wanted == 0 { 0.0 } else { transfers as f64 / wanted as f64 };
    let deadline = f64::from(beginning.deadline);
    let of_time = if deadline > 0.0 { seconds / deadline } else { 0.0 };
    let done = of_transfers.max(of_time).min(1.0);
    Look {
        test,
        repetition: beginning.repetition,
        phase: beginning.phase.to_owned(),
        seconds,
        transfers,
        bytes: transfers * beginning.transfer_bytes,
        bytes_per_second,
        p99_seconds: here.iter().map(|row| row.p99_ns).max().unwrap_or(0) as f64 * 1e-9,
        slowest_rank: slowest.map_or(0, |row| row.rank),
        slowest_transfers: slowest.map_or(0, |row| row.transfers),
        done,
        seconds_left: (done > 0.0).then(|| seconds / done - seconds),
        ranks_seen,
        ranks: beginning.ranks,
        ended: false,
    }
}

/// The last line of a phase, from its record.
fn ended(test: u32, running: &Running, phase: &results::record::Phase) -> Look {
    Look {
        test,
        repetition: phase.repetition,
        phase: phase.phase.clone(),
        seconds: running.begun.elapsed().as_secs_f64(),
        transfers: phase.ops,
        bytes: phase.bytes,
        bytes_per_second: phase.metric("bw").map_or(0.0, |metric| metric.value),
        p99_seconds: phase.metric("latency.p99").map_or(0.0, |metric| metric.value),
        slowest_rank: phase.balance.slowest_rank,
        slowest_transfers: phase.balance.bytes_min / phase.transfer_bytes.max(1),
        done: 1.0,
        seconds_left: Some(0.0),
        ranks_seen: phase.ranks,
        ranks: phase.ranks,
        ended: true,
    }
}

/// The line on a terminal.
fn line(look: &Look) -> String {
    let left = look.seconds_left.map_or_else(String::new, |left| format!("  {} left", duration(left)));
    let seen = match look.ranks_seen < look.ranks {
        true => format!("  (this node's {} of {} ranks)", look.ranks_seen, look.ranks),
        false => String::new(),
    };
    format!(
        "{} {}  {:>3.0} %  {}  p99 {}  slowest rank {}: {} transfers{left}{seen}",
        look.phase.replace('_', " "),
        look.repetition,
        look.done * 100.0,
        rate_binary(look.bytes_per_second),
        duration(look.p99_seconds),
        look.slowest_rank,
        look.slowest_transfers,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::{Meter, Scale, Tick};

    fn beginning(deadline: u32) -> Beginning {
        Beginning {
            phase: "write",
            repetition: 2,
            transfers: 100,
            transfer_bytes: 1 << 20,
            ranks: 8,
            deadline,
        }
    }

    fn running(deadline: u32) -> Running {
        let begun = Instant::now() - Duration::from_secs(10);
        Running { beginning: beginning(deadline), number: phase_number(0, 1), begun, last: (begun, 0) }
    }

    /// A board on which rank 0 has done 20 transfers of the phase and rank 1 has done 30.
    fn board() -> Board {
        let board = Board::for_threads(2).unwrap();
        let mut meter = Meter::new(Scale::NANOSECONDS, 1 << 20);
        meter.take(&[Tick(0)], &[Tick(4_000_000)]);
        for (rank, transfers) in [(0, 20), (1, 30)] {
            let mut row = board.row(rank, rank, phase_number(0, 1), Scale::NANOSECONDS);
            row.show(Tick(1), transfers, &meter, None);
        }
        board
    }

    #[test]
    fn a_look_tells_share_speed_slowest_rank_and_time_left() {
        let mut running = running(0);
        let look = look(0, &mut running, &board());
        assert_eq!((look.transfers, look.slowest_rank, look.slowest_transfers), (50, 0, 20));
        assert!((look.done - 0.25).abs() < 1e-9, "{look:?}");
        let left = look.seconds_left.unwrap();
        assert!((left - 30.0).abs() < 0.5, "{look:?}");
        assert!((look.bytes_per_second / (5.0 * 1048576.0) - 1.0).abs() < 0.05, "{look:?}");
        let line = line(&look);
        assert!(
            line.starts_with("write 2   25 %  5.0") && line.contains("slowest rank 0: 20 transfers"),
            "{line}"
        );
        assert!(line.ends_with("(this node's 2 of 8 ranks)"), "{line}");
    }

    #[test]
    fn where_the_deadline_comes_first_it_is_the_measure() {
        let look = look(0, &mut running(20), &board());
        assert!((look.done - 0.5).abs() < 0.05, "{look:?}");
    }

    #[test]
    fn rows_of_an_earlier_phase_do_not_count() {
        let mut running = Running { number: phase_number(0, 2), ..running(0) };
        assert_eq!(look(0, &mut running, &board()).transfers, 0);
    }
}
