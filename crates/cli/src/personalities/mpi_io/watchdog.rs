//! The time limit of a case: a thread beside each rank, because a rank cannot leave a call that hangs.
//!
//! When the limit of a case has passed, every rank leaves a note of its state in the directory of the case.
//! Rank 0 then reports the failure with these states and ends its process, and the launcher ends the others.
//! A rank ends by itself a little later if rank 0 has not ended the job.
//!
//! A case that ends after its limit, but before it is reported, ends like any other, and the thread watches
//! the next one.
//!
//! Invariant: nothing here waits for a rank. A note that cannot be written is only missing. A case is
//! reported once: by this thread while it holds the lock that the end of the case takes, or by the rank.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use conformance::{CaseWatch, ConformanceCase, KnownFailure, RankLibrary, StepWatch};

use super::activity::ActivityMeter;
use super::rank_state::{Note, RankStates};
use crate::status::UNDECIDED;

/// How long ranks wait after the limit of a case.
#[derive(Clone, Copy)]
struct CaseDelays {
    /// Rank 0, for the notes of the others.
    notes: Duration,
    /// Another rank, for the end of the case or of the job.
    grace: Duration,
}

const DELAYS: CaseDelays = CaseDelays { notes: Duration::from_millis(1500), grace: Duration::from_secs(8) };

/// How long an orderly exit may take before the process kills itself.
const EXIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A case that is known to end or hang the job has this part of the time limit of others.
const FATAL_PART: u32 = 6;

/// How often the thread reads the clock.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The case that a rank is in.
#[derive(Clone, Debug)]
pub(super) struct RunningCase {
    pub(super) name: String,
    /// Its time limit, seconds.
    pub(super) limit_s: u64,
    /// The time limit of most cases, seconds. That of this case may be a multiple or a part of it.
    pub(super) usual_limit_s: u64,
    /// Its calls move so much data that a single one may last longer than the limit.
    pub(super) large: bool,
    /// Its number among the cases that this rank has begun.
    number: u64,
    began: Instant,
    until: Instant,
    /// The last step that the rank has finished, or (`waits`) at whose end it waits for the others.
    step: &'static str,
    waits: bool,
    meter: ActivityMeter,
}

impl RunningCase {
    /// The case begins now, on the thread of the rank. `number` is its number among those of this rank.
    pub(super) fn begin(case: &ConformanceCase, limits: &Limits, number: u64) -> Self {
        let limit = limits.of(case);
        let began = Instant::now();
        Self {
            name: case.name.to_string(),
            limit_s: limit.as_secs(),
            usual_limit_s: limits.most.as_secs(),
            large: case.large,
            number,
            began,
            until: began + limit,
            step: "the beginning",
            waits: false,
            meter: ActivityMeter::begin(),
        }
    }
}

/// The progress of a rank. The lock on it decides how a late case ends: by the rank, or by the watchdog.
#[derive(Default)]
struct CaseProgress {
    begun: u64,
    running: Option<RunningCase>,
}

/// The watchdog of one rank.
pub(super) struct Watchdog {
    limits: Limits,
    progress: Arc<Mutex<CaseProgress>>,
}

/// What rank 0 does when the limit of a case has passed. It gets the case and the states of all ranks, and
/// gives the exit status.
pub(super) type OnTimeout = Box<dyn Fn(&RunningCase, &RankStates) -> u8 + Send>;

impl Watchdog {
    /// Starts the watchdog of rank `rank` of `ranks`; `run_dir` is the directory of the run.
    pub(super) fn start(
        limits: Limits,
        rank: u32,
        ranks: u32,
        run_dir: PathBuf,
        on_timeout: Option<OnTimeout>,
    ) -> Self {
        let progress = Arc::default();
        let monitor = Monitor {
            progress: Arc::clone(&progress),
            rank,
            ranks,
            run_dir,
            on_timeout,
            exit: Box::new(|status| exit_process(status)),
        };
        Self::start_with(limits, progress, monitor, DELAYS)
    }

    fn start_with(
        limits: Limits,
        progress: Arc<Mutex<CaseProgress>>,
        monitor: Monitor,
        delays: CaseDelays,
    ) -> Self {
        thread::spawn(move || monitor.watch(delays));
        Self { limits, progress }
    }
}

fn lock(progress: &Mutex<CaseProgress>) -> MutexGuard<'_, CaseProgress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time limits of cases.
#[derive(Clone)]
pub(super) struct Limits {
    /// Of most cases.
    pub(super) most: Duration,
    /// What cases that wait for the release of a lock have in addition.
    pub(super) lock_release: Duration,
    /// The library, some of whose known failures have a shorter limit.
    pub(super) library: RankLibrary,
}

impl Limits {
    /// The time limit of a case.
    pub(super) fn of(&self, case: &ConformanceCase) -> Duration {
        let more = if case.waits_for_release { self.lock_release } else { Duration::ZERO };
        let whole = self.most * case.time_factor + more;
        let is_fatal =
            KnownFailure::listed_for(&case.name, &self.library).iter().any(|known| known.is_fatal());
        if is_fatal { (self.most / FATAL_PART).max(Duration::from_secs(1)) } else { whole }
    }
}

impl CaseWatch for Watchdog {
    fn begin(&self, case: &ConformanceCase) {
        let mut progress = lock(&self.progress);
        progress.begun += 1;
        progress.running = Some(RunningCase::begin(case, &self.limits, progress.begun));
    }

    fn end(&self) -> Duration {
        let ended = lock(&self.progress).running.take();
        ended.map_or(Duration::ZERO, |running| running.began.elapsed())
    }
}

impl StepWatch for Watchdog {
    fn step(&self, step: &'static str, waits: bool) {
        if let Some(running) = &mut lock(&self.progress).running {
            (running.step, running.waits) = (step, waits);
            running.meter.step(!waits);
        }
    }

    fn now_ns(&self) -> u64 {
        // Local ranks compare their moments without a correction, so their clocks have one origin.
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
    }
}

/// What the thread beside a rank works with.
struct Monitor {
    progress: Arc<Mutex<CaseProgress>>,
    rank: u32,
    ranks: u32,
    run_dir: PathBuf,
    /// On rank 0.
    on_timeout: Option<OnTimeout>,
    /// Ends the process with a status.
    exit: Box<dyn Fn(u8) + Send>,
}

impl Monitor {
    /// Watches until the limit of a case has passed and the process is ended for it.
    fn watch(&self, delays: CaseDelays) {
        loop {
            thread::sleep(POLL_INTERVAL);
            let late = {
                let mut progress = lock(&self.progress);
                if let Some(running) = &mut progress.running {
                    running.meter.sample();
                }
                progress.running.clone()
            };
            if let Some(running) = late.filter(|running| running.until <= Instant::now())
                && self.handle_timeout(&running, delays)
            {
                return;
            }
        }
    }

    /// Handles a case whose limit has passed; gives whether the process was ended for it.
    fn handle_timeout(&self, running: &RunningCase, delays: CaseDelays) -> bool {
        let place = self.run_dir.join(&running.name);
        let note = Note::new(self.rank, running.step, running.waits, running.meter.activity());
        let Some(on_timeout) = &self.on_timeout else {
            // Another thread writes the note, because the file system may hang.
            thread::spawn(move || std::fs::File::create(place.join(note.file_name())));
            return !self.ended_within(running, delays.grace) && self.end_process(running, || UNDECIDED);
        };
        if self.ended_within(running, delays.notes) {
            return false;
        }
        let states = collect_states(place, note, self.ranks, delays.notes);
        self.end_process(running, || on_timeout(running, &states))
    }

    /// Waits for the end of a case for at most this time; gives whether it ended.
    fn ended_within(&self, running: &RunningCase, time: Duration) -> bool {
        let until = Instant::now() + time;
        while self.is_running(&lock(&self.progress), running) {
            if until <= Instant::now() {
                return false;
            }
            thread::sleep(POLL_INTERVAL);
        }
        true
    }

    fn is_running(&self, progress: &CaseProgress, running: &RunningCase) -> bool {
        progress.running.as_ref().is_some_and(|here| here.number == running.number)
    }

    /// Reports the case and ends the process, unless the case has ended meanwhile. Gives whether it did. The
    /// rank cannot end its case between the two.
    fn end_process(&self, running: &RunningCase, report: impl FnOnce() -> u8) -> bool {
        let progress = lock(&self.progress);
        let late = self.is_running(&progress, running);
        if late {
            (self.exit)(report());
        }
        late
    }
}

/// The states of all ranks, from the notes that can be read in `place` within this time.
fn collect_states(place: PathBuf, own_note: Note, ranks: u32, time: Duration) -> RankStates {
    let (sender, receiver) = std::sync::mpsc::channel();
    let unknown = RankStates::unknown(&own_note);
    // Another thread reads the directory, because the file system may hang.
    thread::spawn(move || {
        let found = std::fs::read_dir(place).and_then(|entries| entries.collect::<io::Result<Vec<_>>>());
        sender.send(found.map(|entries| {
            let names = entries.iter().map(|entry| entry.file_name());
            let mut notes: Vec<Note> =
                names.filter_map(|name| Note::parse(&name.to_string_lossy())).collect();
            notes.push(own_note);
            RankStates::of(&notes, ranks)
        }))
    });
    // A directory that gives an error answers as little as one that hangs.
    receiver.recv_timeout(time).ok().and_then(Result::ok).unwrap_or(unknown)
}

/// Ends this process in any state of its other threads.
fn exit_process(status: u8) -> ! {
    thread::spawn(move || std::process::exit(status.into()));
    thread::sleep(EXIT_TIMEOUT);
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}

#[cfg(test)]
mod tests {
    use super::super::activity::Activity;
    use super::super::rank_state::CaseStanding;
    use super::*;
    use std::path::Path;
    use std::sync::mpsc::{Receiver, channel};

    const SHORT: CaseDelays = CaseDelays { notes: Duration::from_secs(2), grace: Duration::from_secs(2) };

    /// A watchdog with a limit of 0. The receiver gets the reports of rank 0, and `exit` instead of an exit.
    fn watchdog(is_rank_0: bool, run_dir: &Path) -> (Watchdog, Receiver<String>) {
        let (sender, reports) = channel();
        let (reported, exited) = (sender.clone(), sender);
        let on_timeout = is_rank_0.then(|| -> OnTimeout {
            Box::new(move |running, states| {
                let text = format!("{} {}", running.name, states.summary());
                reported.send(text).unwrap();
                3
            })
        });
        let exit = Box::new(move |status| exited.send(format!("exit {status}")).unwrap());
        let progress = Arc::default();
        let monitor = Monitor {
            progress: Arc::clone(&progress),
            rank: u32::from(!is_rank_0),
            ranks: 1,
            run_dir: run_dir.to_owned(),
            on_timeout,
            exit,
        };
        let limits =
            Limits { most: Duration::ZERO, lock_release: Duration::ZERO, library: RankLibrary::default() };
        (Watchdog::start_with(limits, progress, monitor, SHORT), reports)
    }

    fn case(name: &'static str) -> ConformanceCase {
        ConformanceCase::new(name, "POSIX", "takes its time", |_| Ok(()))
    }

    #[test]
    fn a_case_that_ends_just_after_its_limit_is_not_reported_and_the_next_one_is_watched() {
        let run_dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(run_dir.path().join("a.hangs")).unwrap();
        for is_rank_0 in [true, false] {
            let (watchdog, reports) = watchdog(is_rank_0, run_dir.path());
            watchdog.begin(&case("a.late"));
            // Longer than the thread takes to see that the limit has passed.
            thread::sleep(Duration::from_millis(500));
            assert!(watchdog.end() >= Duration::from_millis(500), "the result is the duration of the case");
            watchdog.begin(&case("a.hangs"));
            watchdog.step("open", false);
            if is_rank_0 {
                let words = reports.recv().unwrap();
                assert!(words.starts_with("a.hangs rank 0 is still in it, after"), "{words}");
            }
            assert_eq!(reports.recv().unwrap(), "exit 3");
            assert!(reports.recv().is_err(), "reported once");
        }
    }

    #[test]
    fn a_missing_note_or_an_unreadable_directory_is_no_answer_rather_than_a_hang() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let standing = |place: &Path, ranks: u32| {
            let idle = Activity { steps: 1, bytes: 0, idle: Duration::from_secs(9) };
            let own = Note::new(0, "write", true, idle);
            let states = collect_states(place.to_owned(), own, ranks, Duration::from_secs(60));
            states.standing(Duration::from_secs(10))
        };
        assert_eq!(standing(dir.path(), 1), CaseStanding::Hangs, "the only rank left its note");
        assert_eq!(standing(dir.path(), 2), CaseStanding::NoAnswer, "rank 1 left none");
        assert_eq!(standing(&file, 1), CaseStanding::NoAnswer, "the directory cannot be read");
    }

    #[test]
    fn a_step_that_all_ranks_end_together_counts_once() {
        let (watchdog, _reports) = watchdog(false, Path::new(""));
        watchdog.begin(&case("a.case"));
        for step in ["open", "write"] {
            watchdog.step(step, true);
            watchdog.step(step, false);
        }
        watchdog.step("close", true);
        let activity = lock(&watchdog.progress).running.as_ref().map(|running| running.meter.activity());
        assert_eq!(activity.unwrap().steps, 2, "the others have not ended `close`");
        watchdog.end();
    }

    #[test]
    fn a_case_cannot_end_while_it_is_reported_as_late() {
        let (watchdog, reports) = watchdog(true, Path::new(""));
        let progress = Arc::clone(&watchdog.progress);
        let monitor = Monitor {
            progress: Arc::clone(&progress),
            rank: 0,
            ranks: 1,
            run_dir: PathBuf::new(),
            on_timeout: None,
            exit: Box::new(|_| ()),
        };
        watchdog.begin(&case("a.late"));
        let running = lock(&progress).running.clone().unwrap();
        assert!(monitor.end_process(&running, || {
            assert!(progress.try_lock().is_err(), "its end has to wait");
            UNDECIDED
        }));
        watchdog.end();
        assert!(!monitor.end_process(&running, || panic!("it has ended")));
        drop(reports);
    }

    #[test]
    fn a_case_that_is_known_to_hang_has_a_shorter_limit() {
        let minute = Duration::from_secs(60);
        let of = |words: &str, name: &'static str| {
            let limits = Limits { most: minute, lock_release: minute, library: RankLibrary::read(words) };
            limits.of(&case(name))
        };
        let open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI";
        let mut ompio = RankLibrary::read(open_mpi);
        ompio.io_component = "ompio".to_owned();
        let limit = Limits { most: minute, lock_release: minute, library: ompio }.of(&case("end.iread_at"));
        assert_eq!(limit, Duration::from_secs(10));
        assert_eq!(of(open_mpi, "posix.append.records"), minute);
        assert_eq!(of("MPICH Version: 4.0.2", "end.iread_at"), minute);
    }
}
