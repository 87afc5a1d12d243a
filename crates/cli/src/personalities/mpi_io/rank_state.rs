//! The state of each rank when the time limit of a case has passed. Each rank leaves a note, and rank 0 makes
//! a text of all notes.
//!
//! Never here: waiting, and reading directories.

use std::time::Duration;

use units::bytes_binary;

use super::activity::Activity;

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
    /// What it has done.
    pub(super) activity: Activity,
}

impl Note {
    /// The beginning of the names of notes.
    const PREFIX: &'static str = ".rank ";

    /// The note of a rank after `step`, or at its end.
    pub(super) fn new(rank: u32, step: &str, waits: bool, activity: Activity) -> Self {
        let step = step.replace('/', " ");
        let state = if waits { RankState::Waiting(step) } else { RankState::Running(step) };
        Self { rank, state, activity }
    }

    pub(super) fn file_name(&self) -> String {
        let (state, step) = match &self.state {
            RankState::Waiting(step) => ("waits", step.as_str()),
            RankState::Running(step) => ("within", step.as_str()),
            RankState::Silent => ("silent", ""),
        };
        let Activity { steps, bytes, idle } = self.activity;
        format!("{}{} {state} {steps} {bytes} {} {step}", Self::PREFIX, self.rank, idle.as_millis())
    }

    /// The note in the name of a file, if it is one.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix(Self::PREFIX)?.splitn(6, ' ');
        let rank = parts.next()?.parse().ok()?;
        let state = parts.next()?;
        let (steps, bytes) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let idle = Duration::from_millis(parts.next()?.parse().ok()?);
        let step = parts.next()?.to_owned();
        let state = match state {
            "waits" => RankState::Waiting(step),
            "within" => RankState::Running(step),
            _ => return None,
        };
        Some(Self { rank, state, activity: Activity { steps, bytes, idle } })
    }
}

/// How a case stands whose time limit has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CaseStanding {
    /// A rank still did something, in these words.
    Slow(String),
    /// No rank is known to have done anything in the second half of the time. The directory of the case or a
    /// rank does not answer.
    NoAnswer,
    /// All ranks answer, and none did anything in the second half of the time.
    Hangs,
}

/// The states of all ranks by number; empty if the directory of the case does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RankStates {
    states: Vec<RankState>,
    /// The rank that did something last.
    latest: Option<(u32, Activity)>,
}

impl RankStates {
    /// The states of `ranks` ranks, as far as they left notes.
    pub(super) fn of(notes: &[Note], ranks: u32) -> Self {
        let state = |rank: u32| {
            let note = notes.iter().find(|note| note.rank == rank);
            note.map_or(RankState::Silent, |note| note.state.clone())
        };
        Self { states: (0..ranks).map(state).collect(), latest: latest(notes) }
    }

    /// The states where the directory of the case does not answer. Only the own activity is known.
    pub(super) fn unknown(own: &Note) -> Self {
        Self { states: Vec::new(), latest: Some((own.rank, own.activity)) }
    }

    /// How the case stands after its limit.
    pub(super) fn standing(&self, limit: Duration) -> CaseStanding {
        match self.latest {
            Some((rank, Activity { steps, bytes, idle })) if idle * 2 < limit => CaseStanding::Slow(format!(
                "rank {rank} still worked {:.1} s before the end, and had ended {steps} steps and moved {}",
                idle.as_secs_f64(),
                bytes_binary(bytes as f64)
            )),
            // Nothing is known of a rank without a note. It may still work.
            _ if self.states.is_empty() || self.states.contains(&RankState::Silent) => CaseStanding::NoAnswer,
            _ => CaseStanding::Hangs,
        }
    }

    /// The lowest rank that does not wait for others; 0 if all wait or nothing is known.
    pub(super) fn first_stuck(&self) -> u32 {
        self.states.iter().position(|state| !state.is_waiting()).unwrap_or(0) as u32
    }

    /// Number of ranks that do not wait for others; 1 if nothing is known.
    pub(super) fn stuck(&self) -> u32 {
        if self.states.is_empty() {
            1
        } else {
            self.states.iter().filter(|state| !state.is_waiting()).count() as u32
        }
    }

    /// All states in one line: first the ranks that do not wait for others, up to a limit.
    pub(super) fn summary(&self) -> String {
        const MOST: usize = 8;
        if self.states.is_empty() {
            return "the directory does not answer".to_owned();
        }
        let all = || self.states.iter().enumerate();
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
                format!("{text}; {} ranks wait for them at `{step}`", self.states.len() - stuck.len())
            }
            None => text,
        }
    }
}

fn latest(notes: &[Note]) -> Option<(u32, Activity)> {
    notes.iter().map(|note| (note.rank, note.activity)).min_by_key(|(_, activity)| activity.idle)
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Activity = Activity { steps: 4, bytes: 2048, idle: Duration::from_millis(9100) };

    #[test]
    fn a_note_is_read_from_the_name_of_its_file() {
        for (waits, name, text) in [
            (
                false,
                ".rank 3 within 4 2048 9100 read or write",
                "rank 3 is still in it, after `read or write`",
            ),
            (
                true,
                ".rank 3 waits 4 2048 9100 read or write",
                "rank 3 waits for the others at `read or write`",
            ),
        ] {
            let note = Note::new(3, "read/or/write", waits, IDLE);
            assert_eq!(note.file_name(), name);
            let read = Note::parse(name).expect("it is a note");
            assert_eq!((read.rank, read.state.text(3).as_str(), read.activity), (3, text, IDLE));
        }
        assert!(Note::parse("file.3").is_none());
        assert!(
            Note::parse(".rank 3 sleeps 4 2048 9100 read").is_none(),
            "an unknown state is not taken for another"
        );
    }

    #[test]
    fn a_summary_names_the_ranks_that_do_not_wait() {
        let notes = [
            Note::new(0, "write", true, IDLE),
            Note::new(1, "open", false, IDLE),
            Note::new(2, "write", true, IDLE),
        ];
        let states = RankStates::of(&notes, 3);
        assert_eq!(states.summary(), "rank 1 is still in it, after `open`; 2 ranks wait for them at `write`");
        assert_eq!((states.first_stuck(), states.stuck()), (1, 1));
        let all_wait = RankStates::of(&notes[..1], 1);
        assert_eq!(all_wait.summary(), "rank 0 waits for the others at `write`, as do all");
        assert_eq!((all_wait.first_stuck(), all_wait.stuck()), (0, 0));
    }

    #[test]
    fn ranks_without_a_note_and_a_directory_without_an_answer_are_reported() {
        let states = RankStates::of(&[Note::new(0, "write", true, IDLE)], 11);
        let shown: Vec<String> = (1..9).map(|rank| format!("rank {rank} does not answer")).collect();
        let wanted = format!("{}; and 2 more; 1 ranks wait for them at `write`", shown.join("; "));
        assert_eq!((states.summary(), states.first_stuck(), states.stuck()), (wanted, 1, 10));
        let unknown = RankStates::unknown(&Note::new(0, "write", true, IDLE));
        assert_eq!(unknown.summary(), "the directory does not answer");
        assert_eq!((unknown.first_stuck(), unknown.stuck()), (0, 1));
    }

    #[test]
    fn a_case_is_slow_if_any_rank_worked_in_the_second_half_of_the_time_and_hangs_otherwise() {
        let limit = Duration::from_secs(10);
        let late = Activity { steps: 7, bytes: 81920, idle: Duration::from_millis(300) };
        let notes = |activity| [Note::new(0, "write", true, IDLE), Note::new(1, "open", false, activity)];
        let slow = "rank 1 still worked 0.3 s before the end, and had ended 7 steps and moved 80.0 KiB";
        assert_eq!(RankStates::of(&notes(late), 2).standing(limit), CaseStanding::Slow(slow.to_owned()));
        assert_eq!(RankStates::of(&notes(IDLE), 2).standing(limit), CaseStanding::Hangs);
        let [own, _] = notes(IDLE);
        assert_eq!(RankStates::unknown(&own).standing(limit), CaseStanding::NoAnswer);
        assert!(matches!(RankStates::unknown(&own).standing(limit * 2), CaseStanding::Slow(_)));
    }
}
