//! The rules of states, and of the tests that need them.

use std::mem::discriminant;

use command::WorkloadName;
use toml::Spanned;

use super::defaults::{Defaults, ParseResult, name};
use super::placement::RanksRequest;
use super::plan_text::PlanText;
use super::{Placement, Plan, State, StateKind, Test, wire};

/// Types of file systems that report which storage targets are offline.
const REPORT_TARGETS: &[&str] = &["lustre", "fuse.glusterfs"];

impl Defaults<'_> {
    pub(super) fn state(&self, key: &str, spanned: &Spanned<wire::StateKeys>) -> ParseResult<State> {
        let wire = spanned.get_ref();
        let who = format!("state.{key}");
        name(&Spanned::new(spanned.span(), key.to_owned()), "a state's name", self.place)?;
        let kind = self.state_kind(&who, spanned)?;
        let fs = self.fs(&who, wire.fs.as_ref(), spanned)?;
        if let StateKind::Degrade { .. } = kind {
            self.reports_offline_parts(&who, &fs, spanned)?;
        }
        let asked = RanksRequest::new(&wire.ranks, &wire.nodes, &wire.ppn, spanned.span());
        Ok(State {
            name: key.to_owned(),
            placement: match kind {
                StateKind::Age(_) => self.placement(&who, &asked)?,
                StateKind::Preload(_) | StateKind::Degrade { .. } => Placement::default(),
            },
            kind,
            fs,
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            at: self.place.line_column(&wire.age.as_ref().map_or(spanned.span(), Spanned::span)),
        })
    }

    fn state_kind(&self, who: &str, spanned: &Spanned<wire::StateKeys>) -> ParseResult<StateKind> {
        let wire = spanned.get_ref();
        match (&wire.age, &wire.preload, &wire.degrade, &wire.restore) {
            (Some(line), None, None, None) => Ok(StateKind::Age(self.age_words(who, line)?)),
            (None, Some(files), None, None) if files.get_ref().0 == 0 => {
                Err(self.place.error(files, format!("{who}: preload is 0. It must be at least 1.")))
            }
            (None, Some(files), None, None) => {
                let why = "has no effect with `preload`, because the test creates these files. Set it there.";
                self.no_ranks(who, wire, why)?;
                self.no_effect(who, "timeout", wire.timeout.as_ref(), why)?;
                Ok(StateKind::Preload(files.get_ref().0))
            }
            (None, None, Some(degrade), Some(restore)) => {
                let why = "has no effect with `degrade`, which is a command. Remove it.";
                self.no_ranks(who, wire, why)?;
                let text = |command: &Spanned<String>| match command.get_ref().trim() {
                    "" => Err(self.place.error(command, format!("{who}: the command is empty. Write one."))),
                    text => Ok(text.to_owned()),
                };
                Ok(StateKind::Degrade { degrade: text(degrade)?, restore: text(restore)? })
            }
            (None, None, Some(only), None) | (None, None, None, Some(only)) => {
                let what = "give both `degrade` and `restore`";
                Err(self.place.error(only, format!("{who}: {what}")))
            }
            _ => {
                let what = "write one of `age = \"--blocks 80% --inodes 20%\"`, `preload = 1000000`, and \
                            `degrade` with `restore`";
                Err(self.place.error(spanned, format!("{who}: {what}")))
            }
        }
    }

    /// Rejects keys of ranks and nodes that have no effect.
    fn no_ranks(&self, who: &str, wire: &wire::StateKeys, why: &str) -> ParseResult<()> {
        self.no_effect(who, "ranks", wire.ranks.as_ref(), why)?;
        self.no_effect(who, "nodes", wire.nodes.as_ref(), why)?;
        self.no_effect(who, "ppn", wire.ppn.as_ref(), why)
    }

    /// Rejects a key that has no effect.
    fn no_effect<T>(&self, who: &str, key: &str, given: Option<&Spanned<T>>, why: &str) -> ParseResult<()> {
        given.map_or(Ok(()), |given| Err(self.place.error(given, format!("{who}: `{key}` {why}"))))
    }

    /// Whether the campaign can see that a part of the file system is offline. If the plan does not name the
    /// file system's type, that is checked before the first job.
    fn reports_offline_parts(&self, who: &str, fs: &str, at: &Spanned<wire::StateKeys>) -> ParseResult<()> {
        let found = &self.file_systems[fs];
        match &found.kind {
            Some(kind) if found.health.is_none() && !REPORT_TARGETS.contains(&kind.as_str()) => {
                let what = format!(
                    "{who}: {kind} does not report its offline parts. Give fs.{fs} a `health` command."
                );
                Err(self.place.error(at, what))
            }
            _ => Ok(()),
        }
    }

    /// The options of the command line. The campaign adds the directory and the records.
    fn age_words(&self, who: &str, line: &Spanned<String>) -> ParseResult<Vec<String>> {
        let words: Vec<String> = line.get_ref().split_whitespace().map(str::to_owned).collect();
        let own = |word: &&String| {
            ["--record", "--remove", "--resume", "--print-profile"].iter().any(|own| word.starts_with(own))
        };
        if let Some(word) = words.iter().find(own) {
            let what = format!("{who}: a campaign cannot use `{word}`. Remove it.");
            return Err(self.place.error(line, what));
        }
        if words.first().is_none_or(|first| !first.starts_with("--")) {
            let what =
                "the campaign sets the directory. Give only options, such as `--blocks 80% --inodes 20%`.";
            return Err(self.place.error(line, format!("{who}: {what}")));
        }
        Ok(words)
    }

    /// The index of a state that a test needs.
    pub(super) fn needed(
        &self,
        who: &str,
        state: &Spanned<String>,
        test: &Test,
        plan: &Plan,
    ) -> ParseResult<usize> {
        let word = state.get_ref().as_str();
        let rejected = |what: String| Err(self.place.error(state, format!("{who}: {what}")));
        let index = self.known(who, "state", (word, state), plan.states.iter().map(|state| &*state.name))?;
        let found = &plan.states[index];
        if test.states.contains(&index) {
            return rejected(format!("state.{word} is listed twice. Remove one."));
        }
        if found.fs != test.fs {
            return rejected(format!(
                "state.{word} is on fs.{}, but the test is on fs.{}",
                found.fs, test.fs
            ));
        }
        let mut others = test.states.iter().map(|index| &plan.states[*index]);
        let alike = |other: &&State| discriminant(&other.kind) == discriminant(&found.kind);
        if let Some(other) = others.find(alike) {
            let (first, second) = (other.job(), found.job());
            return rejected(match found.kind {
                StateKind::Age(_) => {
                    format!("{second} cannot be made on top of {first}, because that would change it")
                }
                StateKind::Preload(_) => {
                    format!("{second} and {first} both set the files of its directories. Remove one.")
                }
                StateKind::Degrade { .. } => {
                    format!("{second} and {first} would be offline together. Make one state of both.")
                }
            });
        }
        if found.preload().is_some() && test.line.preloads() {
            return rejected(format!(
                "state.{word} and --preload on the command line set the same. Remove one."
            ));
        }
        let creates = test.line.name() == Some(WorkloadName::Mdtest) && !test.line.only_reads();
        if found.preload().is_some() && !creates {
            return rejected(format!(
                "state.{word} fills the directories of an mdtest command line that creates (-C)"
            ));
        }
        Ok(index)
    }
}

/// Whether the newest test leaves every `age` state as the other tests of the state found it.
///
/// A state is made before its first test and stays until its last. Every test that runs in between or at the
/// same time runs on it.
pub(super) fn in_a_row(id: &Spanned<String>, plan: &Plan, place: &PlanText<'_>) -> ParseResult<()> {
    let Some((newest, before)) = plan.tests.split_last() else { return Ok(()) };
    let made = |test: &Test| test.states.iter().copied().find(|state| plan.states[*state].is_made());
    let fs = &newest.fs;
    let beside = |test: &&Test| newest.part.is_some() && test.part == newest.part && test.fs == *fs;
    if let Some(other) = before.iter().filter(beside).find(|test| made(test) != made(newest)) {
        let state = made(other).or(made(newest)).map_or_else(String::new, |state| plan.states[state].job());
        let what = format!(
            "test {}: {state} affects all of fs.{fs}, and test {} runs there at the same time. Give both the \
             same `states`.",
            newest.id, other.id
        );
        return Err(place.error(id, what));
    }
    let Some(state) = made(newest) else { return Ok(()) };
    let first = before.iter().position(|test| made(test) == Some(state));
    let mut between = before[first.unwrap_or(before.len())..].iter().filter(|test| test.fs == *fs);
    let Some(other) = between.find(|test| made(test) != Some(state)) else { return Ok(()) };
    let job = plan.states[state].job();
    Err(place.error(
        id,
        format!(
            "test {}: {job} stays on fs.{fs} from its first test to this one, but test {} in between does \
             not need it. Put the tests of {job} one after the other.",
            newest.id, other.id
        ),
    ))
}

/// The reason why tests cannot run at the same time: an offline part affects all of one file system.
pub(super) fn at_once(tests: &[usize], plan: &Plan) -> Option<String> {
    let down = |test: &Test| test.states.iter().copied().find(|state| plan.states[*state].is_degraded());
    let tests = || tests.iter().map(|test| &plan.tests[*test]);
    tests().find_map(|test| {
        let state = &plan.states[down(test)?];
        let other = tests().find(|other| other.fs == test.fs && down(other) != down(test))?;
        Some(format!(
            "{} needs {}, but {} runs at the same time on fs.{} without it. Give both the same `states`.",
            test.id,
            state.job(),
            other.id,
            test.fs
        ))
    })
}
