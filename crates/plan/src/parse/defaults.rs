//! What the rules of all tables share: what holds where a test or dataset says nothing itself, what makes a
//! test one of several that stand as one in the file, and how numbers, names and choices are read.
//!
//! Never here: the rules of one table.

use std::collections::BTreeMap;

use toml::Spanned;
use units::{Dimension, Quantity, Usage};

use super::nearest::nearest;
use super::plan_text::PlanText;
use super::wire::{Count, CountOrNone};
use super::{AlternatingTests, ClientNodes, Dataset, FileSystem, Placement, Plan, State, Step, wire};
use crate::launcher::LaunchKind;

/// Seconds a job may take where the plan says nothing.
const TIMEOUT_S: f64 = 3600.0;

/// Confidence of a bound or an interval where the plan says nothing.
const CONFIDENCE: f64 = 0.95;

/// The most launches of one test.
const LAUNCHES_MAX: u64 = 100_000;

pub(super) type ParseResult<T> = Result<T, Usage>;

/// A number that the plan knows beforehand.
#[derive(Clone)]
pub(super) struct KnownNumber {
    pub(super) name: String,
    pub(super) value: Quantity,
    /// As the plan has it.
    pub(super) written: String,
}

/// A word that becomes part of file names.
pub(super) fn name(word: &Spanned<String>, what: &str, place: &PlanText<'_>) -> ParseResult<()> {
    let text = word.get_ref();
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() || !text.chars().all(fit) || text.starts_with('.') || text.contains(".killed-") {
        let rule = "names files, so it consists of letters, digits, `-`, `_` and `.`";
        return Err(place.error(word, format!("`{text}`: {what} {rule}")));
    }
    Ok(())
}

/// What of the plan has the name `id` already, such as `test B.1`, but for the family of tests called `own`.
pub(super) fn holder(plan: &Plan, id: &str, own: Option<&str>) -> Option<String> {
    let dataset = plan.datasets.iter().map(Dataset::job).find(|job| job == id);
    let state = || plan.states.iter().map(State::job).find(|job| job == id);
    let test = || plan.tests.iter().find(|test| test.id == id).map(|test| format!("test {}", test.id));
    let family = || {
        let other = plan.tests.iter().find(|test| test.family == id && Some(id) != own)?;
        let kind = match (&other.step, other.part) {
            (Some(_), _) => "series",
            (_, Some(_)) => "group",
            _ => "test",
        };
        Some(format!("{kind} {id}"))
    };
    dataset.or_else(state).or_else(test).or_else(family)
}

/// What makes a test one of several that stand as one in the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Variant {
    /// What stands before its id: the series and the step.
    pub(super) before: String,
    /// What it is one of: the id of a series or group; `None` for the test's own.
    pub(super) family: Option<String>,
    /// What stands behind it: the step.
    pub(super) behind: String,
    /// Its clause where it has none itself.
    pub(super) clause: String,
    /// Its repetitions where it says nothing itself.
    pub(super) repetitions: Option<Spanned<Count>>,
    /// The step of a series.
    pub(super) step: Option<Step>,
    /// Whether it only shows at how many nodes the test itself is to run: once, without criteria.
    pub(super) is_probe: bool,
    /// The group that it is a part of.
    pub(super) part: Option<usize>,
    /// Whether the group has a criterion, so that a part needs none.
    pub(super) floors: bool,
    /// The file system of a series, where it says nothing itself.
    pub(super) fs: Option<Spanned<String>>,
    /// Ranks on each node, of a series, where it says nothing itself.
    pub(super) ppn: Option<Spanned<Count>>,
    /// Placement that the step decides.
    pub(super) placement: Option<Placement>,
    /// With which others it takes turns.
    pub(super) turns: Option<AlternatingTests>,
    /// Whose files it reads instead of those that it says.
    pub(super) uses: Option<Spanned<String>>,
}

impl Variant {
    /// The text with the step's word in the place of `{step}`.
    pub(super) fn at_step(&self, text: &str) -> String {
        self.step.as_ref().map_or_else(|| text.to_owned(), |step| text.replace("{step}", &step.word))
    }
}

/// What holds where a test or dataset says nothing itself.
pub(super) struct Defaults<'a> {
    pub(super) file: &'a wire::DefaultsKeys,
    pub(super) file_systems: &'a BTreeMap<String, FileSystem>,
    pub(super) clients: ClientNodes,
    pub(super) launch: &'a LaunchKind,
    pub(super) known: Vec<KnownNumber>,
    pub(super) place: &'a PlanText<'a>,
}

impl Defaults<'_> {
    pub(super) fn count(
        &self,
        who: &str,
        key: &str,
        own: Option<&Spanned<Count>>,
        default: Option<&Spanned<Count>>,
        otherwise: u32,
    ) -> ParseResult<u32> {
        match own.or(default) {
            Some(count) if count.get_ref().0 == 0 => {
                Err(self.place.error(count, format!("{who}: {key} is 0; it must be at least 1")))
            }
            // Each is a job, and jobs are held in memory.
            Some(count) if ["repetitions", "warm_up"].contains(&key) && count.get_ref().0 > LAUNCHES_MAX => {
                let what = format!("{who}: {key} is {}; {LAUNCHES_MAX} at most", count.get_ref().0);
                Err(self.place.error(count, what))
            }
            count => Ok(whole(count, &format!("{who}: {key}"), self.place)?.unwrap_or(otherwise)),
        }
    }

    pub(super) fn timeout(&self, who: &str, own: Option<&Spanned<String>>) -> ParseResult<f64> {
        match own.or(self.file.timeout.as_ref()) {
            Some(text) => self.place.quantity(who, "timeout", text, Dimension::Seconds),
            None => Ok(TIMEOUT_S),
        }
    }

    /// The confidence of a bound or an interval.
    pub(super) fn confidence(&self, own: Option<&Spanned<f64>>) -> ParseResult<f64> {
        match own {
            None => Ok(CONFIDENCE),
            Some(share) if (0.5..1.0).contains(share.get_ref()) => Ok(*share.get_ref()),
            Some(share) => Err(self.place.error(share, "confidence lies between 0.5 and 1, such as 0.95")),
        }
    }

    pub(super) fn fs<T>(
        &self,
        who: &str,
        own: Option<&Spanned<String>>,
        at: &Spanned<T>,
    ) -> ParseResult<String> {
        let known: Vec<&str> = self.file_systems.keys().map(String::as_str).collect();
        match own.or(self.file.fs.as_ref()) {
            Some(word) if known.contains(&word.get_ref().as_str()) => Ok(word.get_ref().clone()),
            Some(word) => {
                let wanted = word.get_ref();
                Err(self.place.error(word, format!("{who}: no [fs.{wanted}]{}", among(wanted, &known))))
            }
            None => match known[..] {
                [only] => Ok(only.to_owned()),
                [] => Err(self.place.at(0..0, "a plan needs an [fs.NAME] with a `dir`")),
                _ => Err(self.place.error(at, format!("{who}: say `fs = …`, one of {}", known.join(", ")))),
            },
        }
    }
}

impl PlanText<'_> {
    /// A number with a unit of this dimension, above 0.
    pub(super) fn quantity(
        &self,
        who: &str,
        key: &str,
        text: &Spanned<String>,
        wanted: Dimension,
    ) -> ParseResult<f64> {
        let rejected = |what: &str| self.error(text, format!("{who}: {key}: {what}"));
        let (word, example) = (text.get_ref(), wanted.example());
        if word.trim().parse::<f64>().is_ok() {
            return Err(rejected(&format!("`{word}` has no unit; write it as in `{example}`")));
        }
        let quantity: Quantity = word.parse().map_err(|error: Usage| rejected(&error.0))?;
        if quantity.dimension != wanted || quantity.value <= 0.0 {
            return Err(rejected(&format!("`{word}` does not fit; write for example `{example}`")));
        }
        Ok(quantity.value)
    }
}

/// `; did you mean …` or the words there are.
pub fn among(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None if known.is_empty() => "; there is none".to_owned(),
        None => format!("; there is {}", known.join(", ")),
    }
}

/// The number, where there is one and not `""`.
pub(super) fn known(count: Option<&Spanned<CountOrNone>>) -> Option<Spanned<Count>> {
    count.and_then(|count| Some(Spanned::new(count.span(), count.get_ref().0?)))
}

/// A number as large as numbers of nodes, ranks and repetitions can be.
pub(super) fn whole(
    count: Option<&Spanned<Count>>,
    what: &str,
    place: &PlanText<'_>,
) -> ParseResult<Option<u32>> {
    let Some(count) = count else { return Ok(None) };
    let number = count.get_ref().0;
    let small = u32::try_from(number);
    small.map(Some).map_err(|_| place.error(count, format!("{what} is {number}; that is too many")))
}
