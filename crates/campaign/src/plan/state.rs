//! The rules of states: what they are, and which tests can need them.

use toml::Spanned;

use super::check::{Checked, Defaults, among, name};
use super::place::Place;
use super::placement::Asked;
use super::{Plan, State, StateKind, Test, wire};

impl Defaults<'_> {
    pub(super) fn state(&self, key: &str, spanned: &Spanned<wire::State>) -> Checked<State> {
        let wire = spanned.get_ref();
        let who = format!("state.{key}");
        name(&Spanned::new(spanned.span(), key.to_owned()), "a state's name", self.place)?;
        let kind = match (&wire.age, &wire.preload) {
            (Some(line), None) => StateKind::Age(self.age_words(&who, line)?),
            (None, Some(files)) if files.get_ref().0 == 0 => {
                return Err(self.place.error(files, format!("{who}: preload is 0; it must be at least 1")));
            }
            (None, Some(files)) => {
                self.only_of_age(&who, "ranks", wire.ranks.as_ref())?;
                self.only_of_age(&who, "timeout", wire.timeout.as_ref())?;
                StateKind::Preload(files.get_ref().0)
            }
            _ => {
                let what = "write either `age = \"--blocks 80% --inodes 20%\"` or `preload = 1000000`";
                return Err(self.place.error(spanned, format!("{who}: {what}")));
            }
        };
        Ok(State {
            name: key.to_owned(),
            kind,
            placement: self
                .placement(&who, &Asked::new(&wire.ranks, &wire.nodes, &wire.ppn, spanned.span()))?,
            fs: self.fs(&who, wire.fs.as_ref(), spanned)?,
            timeout_s: self.timeout(&who, wire.timeout.as_ref())?,
            at: self.place.line_column(&wire.age.as_ref().map_or(spanned.span(), Spanned::span)),
        })
    }

    /// Says no to a key that only a job of its own could heed.
    fn only_of_age<T>(&self, who: &str, key: &str, given: Option<&Spanned<T>>) -> Checked<()> {
        given.map_or(Ok(()), |given| {
            let what = "has no effect on `preload`, which the test itself makes; give it there";
            Err(self.place.error(given, format!("{who}: `{key}` {what}")))
        })
    }

    /// The options of the line; the directory and the records are the campaign's own.
    fn age_words(&self, who: &str, line: &Spanned<String>) -> Checked<Vec<String>> {
        let words: Vec<String> = line.get_ref().split_whitespace().map(str::to_owned).collect();
        let own = |word: &&String| {
            ["--record", "--remove", "--resume", "--print-profile"].iter().any(|own| word.starts_with(own))
        };
        if let Some(word) = words.iter().find(own) {
            let what = format!("{who}: `{word}` is not for a campaign; leave it out");
            return Err(self.place.error(line, what));
        }
        if words.first().is_none_or(|first| !first.starts_with("--")) {
            let what =
                "give options only, such as `--blocks 80% --inodes 20%`; the directory is the campaign's";
            return Err(self.place.error(line, format!("{who}: {what}")));
        }
        Ok(words)
    }

    /// The place of a state that a test needs.
    pub(super) fn needed(
        &self,
        who: &str,
        state: &Spanned<String>,
        test: &Test,
        plan: &Plan,
    ) -> Checked<usize> {
        let word = state.get_ref().as_str();
        let refused = |what: String| Err(self.place.error(state, format!("{who}: {what}")));
        let known: Vec<&str> = plan.states.iter().map(|state| state.name.as_str()).collect();
        let Some(index) = known.iter().position(|known| *known == word) else {
            return refused(format!("no [state.{word}]{}", among(word, &known)));
        };
        let found = &plan.states[index];
        if test.states.contains(&index) {
            return refused(format!("state.{word} stands here twice"));
        }
        if found.fs != test.fs {
            return refused(format!("state.{word} is one of fs.{}, not of fs.{}", found.fs, test.fs));
        }
        let mut others = test.states.iter().map(|index| &plan.states[*index]);
        if let Some(other) = others.find(|other| other.is_made() == found.is_made()) {
            let (first, second) = (other.job(), found.job());
            return refused(match found.is_made() {
                true => format!("{second} would be made on top of {first}, which is then another state"),
                false => format!("{second} and {first} both say how full its directories are; leave one out"),
            });
        }
        if found.preload().is_some() && test.line.preloads() {
            return refused(format!("state.{word} and --preload of the line say the same; leave one out"));
        }
        let creates = test.line.workload() == "mdtest" && !test.line.only_reads();
        if found.preload().is_some() && !creates {
            return refused(format!(
                "state.{word} fills the directories of an mdtest line that creates (-C)"
            ));
        }
        Ok(index)
    }
}

/// Whether the newest test leaves every state of age as those found it that share it: a state is made before
/// its first test and stays until its last, and whatever runs in between runs on it.
pub(super) fn in_a_row(id: &Spanned<String>, plan: &Plan, place: &Place<'_>) -> Checked<()> {
    let Some((newest, before)) = plan.tests.split_last() else { return Ok(()) };
    let made = |test: &Test| test.states.iter().copied().find(|state| plan.states[*state].is_made());
    let Some(state) = made(newest) else { return Ok(()) };
    let first = before.iter().position(|test| made(test) == Some(state));
    let mut between = before[first.unwrap_or(before.len())..].iter().filter(|test| test.fs == newest.fs);
    let Some(other) = between.find(|test| made(test) != Some(state)) else { return Ok(()) };
    let (job, fs) = (plan.states[state].job(), &newest.fs);
    Err(place.error(
        id,
        format!(
            "test {}: {job} stays on fs.{fs} from its first test to this one, but test {} in between is not \
             to run on it; put the tests of {job} one after the other",
            newest.id, other.id
        ),
    ))
}
