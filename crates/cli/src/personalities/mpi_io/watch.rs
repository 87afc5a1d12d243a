//! The time limit of a case: a thread beside each rank, since a call that hangs can be left by nobody else.
//!
//! When a case takes too long, every rank leaves a note of where it stands in the case's directory; rank 0
//! then tells what is known, and ends its process, upon which the launcher ends the others. A rank whose
//! rank 0 has gone, or cannot, ends a little later by itself.
//!
//! Invariant: nothing here waits for a rank; a note that cannot be written is missing and no more.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use workloads::mpi_io::{Case, Watch};

/// How long rank 0 waits for the notes of others.
const NOTES: Duration = Duration::from_millis(1500);

/// How much later another rank ends by itself.
const GRACE: Duration = Duration::from_secs(8);

/// How long an exit may take before it is made the hard way.
const EXIT: Duration = Duration::from_secs(2);

/// How often the clock is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Where a rank stands.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    /// The case.
    pub(super) name: String,
    /// Its limit, seconds.
    pub(super) limit_s: u64,
    until: Instant,
    step: &'static str,
    waits: bool,
}

/// The watch of one rank.
pub(super) struct Watchdog {
    limit: Duration,
    now: Arc<Mutex<Option<Standing>>>,
}

/// What rank 0 does when a case took too long: it is given the case and where each rank stands.
pub(super) type Bark = Box<dyn Fn(&Standing, &[String]) + Send>;

impl Watchdog {
    /// Begins to watch rank `rank` of `ranks`; `own` is the run's own directory.
    pub(super) fn start(limit: Duration, rank: u32, ranks: u32, own: PathBuf, bark: Option<Bark>) -> Self {
        let now = Arc::new(Mutex::new(None));
        let seen = Arc::clone(&now);
        thread::spawn(move || watch(&seen, rank, ranks, &own, bark.as_deref()));
        Self { limit, now }
    }

    fn set(&self, change: impl FnOnce(&mut Option<Standing>)) {
        change(&mut self.now.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// The limit of a case, where others have `limit`.
pub(super) fn limit_of(case: &Case, limit: Duration) -> Duration {
    limit * case.patience
}

impl Watch for Watchdog {
    fn begin(&self, case: &Case) {
        let limit = limit_of(case, self.limit);
        let standing = Standing {
            name: case.name.to_string(),
            limit_s: limit.as_secs(),
            until: Instant::now() + limit,
            step: "the beginning",
            waits: false,
        };
        self.set(|now| *now = Some(standing));
    }

    fn step(&self, step: &'static str, waits: bool) {
        self.set(|now| {
            if let Some(standing) = now {
                (standing.step, standing.waits) = (step, waits);
            }
        });
    }

    fn end(&self) {
        self.set(|now| *now = None);
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

type Barked<'b> = Option<&'b (dyn Fn(&Standing, &[String]) + Send)>;

fn watch(now: &Mutex<Option<Standing>>, rank: u32, ranks: u32, own: &std::path::Path, bark: Barked<'_>) {
    let standing = loop {
        thread::sleep(LOOK);
        let seen = now.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(standing) = seen.filter(|standing| standing.until <= Instant::now()) {
            break standing;
        }
    };
    let place = own.join(&standing.name);
    let note = Note { rank, waits: standing.waits, step: standing.step.to_owned() };
    let Some(bark) = bark else {
        // The file system may be what hangs: the note has a thread of its own.
        thread::spawn(move || std::fs::File::create(place.join(note.name())));
        thread::sleep(GRACE);
        leave();
    };
    thread::sleep(NOTES);
    let (tell, told) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let found = std::fs::read_dir(place).into_iter().flatten().flatten();
        let mut notes: Vec<Note> =
            found.filter_map(|entry| Note::read(&entry.file_name().to_string_lossy())).collect();
        notes.push(note);
        let words = |rank: u32| {
            let note = notes.iter().find(|note| note.rank == rank);
            note.map_or_else(|| format!("rank {rank} does not answer"), Note::words)
        };
        tell.send((0..ranks).map(words).collect::<Vec<_>>())
    });
    let notes = told.recv_timeout(NOTES).unwrap_or_else(|_| vec!["the directory does not answer".to_owned()]);
    bark(&standing, &notes);
    leave();
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
