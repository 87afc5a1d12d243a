//! The time limit of a case: a thread beside each rank, since a call that hangs can be left by nobody else.
//!
//! When a case takes too long, every rank leaves a note of where it stands in the case's directory; rank 0
//! then tells what is known, and ends its process, upon which the launcher ends the others. A rank whose
//! rank 0 has gone, or cannot, ends a little later by itself.
//!
//! A case that ends after its limit and before it is told has ended as any other: the watch goes back to
//! watching.
//!
//! Invariant: nothing here waits for a rank; a note that cannot be written is missing and no more. A case is
//! told once: by the watch, with the lock held that its end takes, or by the rank.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use workloads::mpi_io::{Case, Known, Library, Watch};

/// How long what is late is waited for.
#[derive(Clone, Copy)]
struct Times {
    /// Rank 0 for the notes of others.
    notes: Duration,
    /// Another rank for the end of the case, or for rank 0 to end the job.
    grace: Duration,
}

const TIMES: Times = Times { notes: Duration::from_millis(1500), grace: Duration::from_secs(8) };

/// How long an exit may take before it is made the hard way.
const EXIT: Duration = Duration::from_secs(2);

/// Which part of the time of others a case has of which the library is known to end or hang the job.
const KNOWN: u32 = 6;

/// How often the clock is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Where a rank stands.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// The case.
    pub(super) name: String,
    /// Its limit, seconds.
    pub(super) limit_s: u64,
    /// Which of the cases that have begun it is.
    number: u64,
    until: Instant,
    step: &'static str,
    waits: bool,
}

/// The case that a rank is in. Who holds the lock decides how it ends: as the rank found, or by the watch.
#[derive(Default)]
struct Now {
    begun: u64,
    standing: Option<Standing>,
}

/// The watch of one rank.
pub(super) struct Watchdog {
    limits: Limits,
    now: Arc<Mutex<Now>>,
}

/// What rank 0 does when a case took too long: it is given the case and where each rank stands.
pub(super) type Bark = Box<dyn Fn(&Standing, &[String]) + Send>;

impl Watchdog {
    /// Begins to watch rank `rank` of `ranks`; `own` is the run's own directory.
    pub(super) fn start(limits: Limits, rank: u32, ranks: u32, own: PathBuf, bark: Option<Bark>) -> Self {
        let now = Arc::default();
        let post = Post { now: Arc::clone(&now), rank, ranks, own, bark, leave: Box::new(|| leave()) };
        Self::with(limits, now, post, TIMES)
    }

    fn with(limits: Limits, now: Arc<Mutex<Now>>, post: Post, times: Times) -> Self {
        thread::spawn(move || post.watch(times));
        Self { limits, now }
    }
}

fn lock(now: &Mutex<Now>) -> MutexGuard<'_, Now> {
    now.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How long cases may take.
#[derive(Clone)]
pub(super) struct Limits {
    /// Of most cases.
    pub(super) most: Duration,
    /// On this library.
    pub(super) library: Library,
}

impl Limits {
    /// Of this one.
    pub(super) fn of(&self, case: &Case) -> Duration {
        let whole = self.most * case.patience;
        let hangs = Known::of(&case.name, &self.library).iter().any(|known| known.is_fatal);
        if hangs { (self.most / KNOWN).max(Duration::from_secs(1)) } else { whole }
    }
}

impl Watch for Watchdog {
    fn begin(&self, case: &Case) {
        let limit = self.limits.of(case);
        let mut now = lock(&self.now);
        now.begun += 1;
        now.standing = Some(Standing {
            name: case.name.to_string(),
            limit_s: limit.as_secs(),
            number: now.begun,
            until: Instant::now() + limit,
            step: "the beginning",
            waits: false,
        });
    }

    fn step(&self, step: &'static str, waits: bool) {
        if let Some(standing) = &mut lock(&self.now).standing {
            (standing.step, standing.waits) = (step, waits);
        }
    }

    fn end(&self) {
        lock(&self.now).standing = None;
    }
}

/// Where a rank stands, told by the name of an empty file: data may be what cannot be written.
struct Note {
    rank: u32,
    waits: bool,
    step: String,
}

impl Note {
    /// How such names begin.
    const MARK: &'static str = ".stands ";

    fn name(&self) -> String {
        let step = self.step.replace('/', " ");
        format!("{}{} {} {step}", Self::MARK, self.rank, if self.waits { "waits" } else { "within" })
    }

    fn read(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(Self::MARK)?.splitn(3, ' ');
        let rank = parts.next()?.parse().ok()?;
        let waits = parts.next()? == "waits";
        Some(Self { rank, waits, step: parts.next()?.to_owned() })
    }

    fn words(&self) -> String {
        let Self { rank, waits, step } = self;
        if *waits {
            format!("rank {rank} waits for the others at `{step}`")
        } else {
            format!("rank {rank} is still in it, after `{step}`")
        }
    }
}

/// Where the watch of a rank stands.
struct Post {
    now: Arc<Mutex<Now>>,
    rank: u32,
    ranks: u32,
    own: PathBuf,
    /// Of rank 0.
    bark: Option<Bark>,
    /// Ends the process.
    leave: Box<dyn Fn() + Send>,
}

impl Post {
    /// Watches until a case has taken too long, and has not ended while it was told.
    fn watch(&self, times: Times) {
        loop {
            thread::sleep(LOOK);
            let seen = lock(&self.now).standing.clone();
            if let Some(standing) = seen.filter(|standing| standing.until <= Instant::now())
                && self.ends(&standing, times)
            {
                return;
            }
        }
    }

    /// What is to be done for a case at its limit; whether the process was ended for it.
    fn ends(&self, standing: &Standing, times: Times) -> bool {
        let place = self.own.join(&standing.name);
        let note = Note { rank: self.rank, waits: standing.waits, step: standing.step.to_owned() };
        let Some(bark) = &self.bark else {
            // The file system may be what hangs: the note has a thread of its own.
            thread::spawn(move || std::fs::File::create(place.join(note.name())));
            return !self.over_within(standing, times.grace) && self.settle(standing, || ());
        };
        if self.over_within(standing, times.notes) {
            return false;
        }
        let notes = notes(place, note, self.ranks, times.notes);
        self.settle(standing, || bark(standing, &notes))
    }

    /// Waits for the end of a case, so long and no longer; whether it came.
    fn over_within(&self, standing: &Standing, time: Duration) -> bool {
        let until = Instant::now() + time;
        while self.is_in(&lock(&self.now), standing) {
            if until <= Instant::now() {
                return false;
            }
            thread::sleep(LOOK);
        }
        true
    }

    fn is_in(&self, now: &Now, standing: &Standing) -> bool {
        now.standing.as_ref().is_some_and(|here| here.number == standing.number)
    }

    /// Tells and leaves, unless the case has ended meanwhile; whether it was so. The rank cannot end its case
    /// between the two.
    fn settle(&self, standing: &Standing, tell: impl FnOnce()) -> bool {
        let now = lock(&self.now);
        let late = self.is_in(&now, standing);
        if late {
            tell();
            (self.leave)();
        }
        late
    }
}

/// Where each rank stands, as far as the notes in `place` tell within so long.
fn notes(place: PathBuf, own: Note, ranks: u32, time: Duration) -> Vec<String> {
    let (tell, told) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let found = std::fs::read_dir(place).into_iter().flatten().flatten();
        let mut notes: Vec<Note> =
            found.filter_map(|entry| Note::read(&entry.file_name().to_string_lossy())).collect();
        notes.push(own);
        let words = |rank: u32| {
            let note = notes.iter().find(|note| note.rank == rank);
            note.map_or_else(|| format!("rank {rank} does not answer"), Note::words)
        };
        tell.send((0..ranks).map(words).collect::<Vec<_>>())
    });
    told.recv_timeout(time).unwrap_or_else(|_| vec!["the directory does not answer".to_owned()])
}

/// Ends this process, whatever its other threads do.
fn leave() -> ! {
    thread::spawn(|| std::process::exit(1));
    thread::sleep(EXIT);
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    std::process::abort()
}

/// The notes as one line: those that are still in it first, at most a few.
pub(super) fn summary(notes: &[String]) -> String {
    const MOST: usize = 8;
    let (waiting, others): (Vec<&String>, Vec<&String>) =
        notes.iter().partition(|note| note.contains(" waits for the others"));
    let told: Vec<&str> = others.iter().take(MOST).map(|note| note.as_str()).collect();
    let mut text = told.join("; ");
    if others.len() > MOST {
        text += &format!("; and {} more", others.len() - MOST);
    }
    match (waiting.first(), others.is_empty()) {
        (Some(first), true) => format!("{first}, as do all"),
        (Some(first), false) => {
            let step = first.split('`').nth(1).unwrap_or_default();
            format!("{text}; {} ranks wait for them at `{step}`", waiting.len())
        }
        (None, _) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{Receiver, channel};

    const SHORT: Times = Times { notes: Duration::from_secs(2), grace: Duration::from_secs(2) };

    /// A watch with a limit of 0, whose bark, or whose leaving where it has none, is told by name.
    fn dog(barks: bool) -> (Watchdog, Receiver<String>) {
        let (tell, told) = channel();
        let (barked, left) = (tell.clone(), tell);
        let bark = barks.then(|| -> Bark {
            Box::new(move |standing, notes| barked.send(format!("{} {}", standing.name, notes[0])).unwrap())
        });
        let leave = Box::new(move || left.send("left".to_owned()).unwrap());
        let now = Arc::default();
        let own = std::env::temp_dir().join("assay-no-such-run");
        let post = Post { now: Arc::clone(&now), rank: u32::from(!barks), ranks: 1, own, bark, leave };
        let limits = Limits { most: Duration::ZERO, library: Library::default() };
        (Watchdog::with(limits, now, post, SHORT), told)
    }

    fn case(name: &'static str) -> Case {
        Case::new(name, "POSIX", "takes its time", |_| Ok(()))
    }

    #[test]
    fn a_case_that_ends_just_after_its_limit_is_not_told_and_the_next_one_is_watched() {
        for barks in [true, false] {
            let (dog, told) = dog(barks);
            dog.begin(&case("a.late"));
            // Longer than it takes the watch to see that the limit has passed.
            thread::sleep(Duration::from_millis(500));
            dog.end();
            dog.begin(&case("a.hangs"));
            dog.step("open", false);
            if barks {
                let words = told.recv().unwrap();
                assert!(words.starts_with("a.hangs rank 0 is still in it, after"), "{words}");
            }
            assert_eq!(told.recv().unwrap(), "left");
            assert!(told.recv().is_err(), "told once");
        }
    }

    #[test]
    fn a_case_cannot_end_while_it_is_told_as_late() {
        let (dog, told) = dog(true);
        let now = Arc::clone(&dog.now);
        let post = Post {
            now: Arc::clone(&now),
            rank: 0,
            ranks: 1,
            own: PathBuf::new(),
            bark: None,
            leave: Box::new(|| ()),
        };
        dog.begin(&case("a.late"));
        let standing = lock(&now).standing.clone().unwrap();
        assert!(post.settle(&standing, || assert!(now.try_lock().is_err(), "its end has to wait")));
        dog.end();
        assert!(!post.settle(&standing, || panic!("it has ended")));
        drop(told);
    }

    #[test]
    fn a_case_that_is_known_to_hang_is_waited_for_less() {
        let minute = Duration::from_secs(60);
        let of = |words: &str, name: &'static str| {
            let limits = Limits { most: minute, library: Library::read(words) };
            limits.of(&case(name))
        };
        let open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI";
        let mut ompio = Library::read(open_mpi);
        ompio.files = "ompio".to_owned();
        let hangs = Limits { most: minute, library: ompio }.of(&case("end.iread_at"));
        assert_eq!(hangs, Duration::from_secs(10));
        assert_eq!(of(open_mpi, "posix.append.records"), minute);
        assert_eq!(of("MPICH Version: 4.0.2", "end.iread_at"), minute);
    }

    #[test]
    fn a_note_is_read_from_the_name_of_its_file() {
        let note = Note { rank: 3, waits: false, step: "read or write".into() };
        assert_eq!(note.name(), ".stands 3 within read or write");
        let read = Note::read(&note.name()).expect("it is one");
        assert_eq!(read.words(), "rank 3 is still in it, after `read or write`");
        assert!(Note::read("file.3").is_none());
    }

    #[test]
    fn a_summary_names_those_who_are_still_in_it() {
        let notes = [
            "rank 0 waits for the others at `write`".to_owned(),
            "rank 1 is still in it, after `open`".to_owned(),
            "rank 2 waits for the others at `write`".to_owned(),
        ];
        let text = summary(&notes);
        assert_eq!(text, "rank 1 is still in it, after `open`; 2 ranks wait for them at `write`");
        assert_eq!(summary(&notes[..1]), "rank 0 waits for the others at `write`, as do all");
    }
}
