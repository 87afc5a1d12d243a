//! The state of each rank when the time limit of a case has passed. Each rank leaves a note, and rank 0 makes
//! a text of all notes.
//!
//! Never here: waiting, and reading directories.

/// What a rank is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RankState {
    /// It has finished its part of this step and waits for the other ranks.
    Waiting(String),
    /// It has finished this step and is in the next.
    Running(String),
    /// It left no note.
    Silent,
}

impl RankState {
    fn is_waiting(&self) -> bool {
        matches!(self, Self::Waiting(_))
    }

    fn text(&self, rank: usize) -> String {
        match self {
            Self::Waiting(step) => format!("rank {rank} waits for the others at `{step}`"),
            Self::Running(step) => format!("rank {rank} is still in it, after `{step}`"),
            Self::Silent => format!("rank {rank} does not answer"),
        }
    }
}

/// A note: the name of an empty file in the directory of the case. The state is in the name because the file
/// system may be unable to write data.
pub(super) struct Note {
    /// The rank that left it.
    pub(super) rank: u32,
    /// What it is doing: never [`RankState::Silent`].
    pub(super) state: RankState,
}

impl Note {
    /// The beginning of the names of notes.
    const PREFIX: &'static str = ".rank ";

    /// The note of a rank after `step`, or at its end.
    pub(super) fn new(rank: u32, step: &str, waits: bool) -> Self {
        let step = step.replace('/', " ");
        Self { rank, state: if waits { RankState::Waiting(step) } else { RankState::Running(step) } }
    }

    pub(super) fn file_name(&self) -> String {
        let (state, step) = match &self.state {
            RankState::Waiting(step) => ("waits", step.as_str()),
            RankState::Running(step) => ("within", step.as_str()),
            RankState::Silent => ("silent", ""),
        };
        format!("{}{} {state} {step}", Self::PREFIX, self.rank)
    }

    /// The note in the name of a file, if it is one.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(Self::PREFIX)?.splitn(3, ' ');
        let rank = parts.next()?.parse().ok()?;
        let (state, step) = (parts.next()?, parts.next()?.to_owned());
        let state = match state {
            "waits" => RankState::Waiting(step),
            "within" => RankState::Running(step),
            _ => return None,
        };
        Some(Self { rank, state })
    }
}

/// The states of all ranks by number; empty if the directory of the case does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RankStates(Vec<RankState>);

impl RankStates {
    /// The states of `ranks` ranks, as far as they left notes.
    pub(super) fn of(notes: &[Note], ranks: u32) -> Self {
        let state = |rank: u32| {
            let note = notes.iter().find(|note| note.rank == rank);
            note.map_or(RankState::Silent, |note| note.state.clone())
        };
        Self((0..ranks).map(state).collect())
    }

    /// The states where the directory of the case does not answer.
    pub(super) fn unknown() -> Self {
        Self(Vec::new())
    }

    /// The lowest rank that does not wait for others; 0 if all wait or nothing is known.
    pub(super) fn first_stuck(&self) -> u32 {
        self.0.iter().position(|state| !state.is_waiting()).unwrap_or(0) as u32
    }

    /// Number of ranks that do not wait for others; 1 if nothing is known.
    pub(super) fn stuck(&self) -> u32 {
        if self.0.is_empty() { 1 } else { self.0.iter().filter(|state| !state.is_waiting()).count() as u32 }
    }

    /// All states in one line: first the ranks that do not wait for others, up to a limit.
    pub(super) fn summary(&self) -> String {
        const MOST: usize = 8;
        if self.0.is_empty() {
            return "the directory does not answer".to_owned();
        }
        let all = || self.0.iter().enumerate();
        let stuck: Vec<_> = all().filter(|(_, state)| !state.is_waiting()).collect();
        let shown: Vec<String> = stuck.iter().take(MOST).map(|(rank, state)| state.text(*rank)).collect();
        let mut text = shown.join("; ");
        if stuck.len() > MOST {
            text += &format!("; and {} more", stuck.len() - MOST);
        }
        let waiting = all().find_map(|(rank, state)| match state {
            RankState::Waiting(step) => Some((state.text(rank), step)),
            _ => None,
        });
        match waiting {
            Some((first, _)) if stuck.is_empty() => format!("{first}, as do all"),
            Some((_, step)) => {
                format!("{text}; {} ranks wait for them at `{step}`", self.0.len() - stuck.len())
            }
            None => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_read_from_the_name_of_its_file() {
        for (waits, name, text) in [
            (false, ".rank 3 within read or write", "rank 3 is still in it, after `read or write`"),
            (true, ".rank 3 waits read or write", "rank 3 waits for the others at `read or write`"),
        ] {
            let note = Note::new(3, "read/or/write", waits);
            assert_eq!(note.file_name(), name);
            let read = Note::parse(name).expect("it is a note");
            assert_eq!((read.rank, read.state.text(3).as_str()), (3, text));
        }
        assert!(Note::parse("file.3").is_none());
        assert!(Note::parse(".rank 3 sleeps read").is_none(), "an unknown state is not taken for another");
    }

    #[test]
    fn a_summary_names_the_ranks_that_do_not_wait() {
        let notes = [Note::new(0, "write", true), Note::new(1, "open", false), Note::new(2, "write", true)];
        let states = RankStates::of(&notes, 3);
        assert_eq!(states.summary(), "rank 1 is still in it, after `open`; 2 ranks wait for them at `write`");
        assert_eq!((states.first_stuck(), states.stuck()), (1, 1));
        let all_wait = RankStates::of(&notes[..1], 1);
        assert_eq!(all_wait.summary(), "rank 0 waits for the others at `write`, as do all");
        assert_eq!((all_wait.first_stuck(), all_wait.stuck()), (0, 0));
    }

    #[test]
    fn ranks_without_a_note_and_a_directory_without_an_answer_are_reported() {
        let states = RankStates::of(&[Note::new(0, "write", true)], 11);
        let shown: Vec<String> = (1..9).map(|rank| format!("rank {rank} does not answer")).collect();
        let wanted = format!("{}; and 2 more; 1 ranks wait for them at `write`", shown.join("; "));
        assert_eq!((states.summary(), states.first_stuck(), states.stuck()), (wanted, 1, 10));
        let unknown = RankStates::unknown();
        assert_eq!(unknown.summary(), "the directory does not answer");
        assert_eq!((unknown.first_stuck(), unknown.stuck()), (0, 1));
    }
}
