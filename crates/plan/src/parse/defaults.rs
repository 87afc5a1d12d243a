//! What the rules of all tables share: defaults, variants of a test, reading of numbers, names and choices.
//!
//! Never here: the rules of one table.

use std::collections::BTreeMap;

use toml::Spanned;
use units::{Dimension, Quantity, Usage};

use super::nearest::nearest;
use super::plan_text::PlanText;
use super::wire::{Count, CountOrNone};
use super::{
    AlternatingTests, ClientNodes, ContractClause, Dataset, FileSystem, Placement, Plan, State, Step, wire,
};
use crate::language::rejections::{Rejection, Rejections};
use crate::launcher::LaunchKind;

/// Default time limit of a job, seconds.
const TIMEOUT_S: f64 = 3600.0;

/// Default confidence level of a limit or an interval.
const CONFIDENCE: f64 = 0.95;

/// The largest number of jobs of one test.
const LAUNCHES_MAX: u64 = 100_000;

pub(super) type ParseResult<T> = Result<T, Rejection>;

/// A number that is known before the campaign.
#[derive(Clone)]
pub(super) struct KnownNumber {
    pub(super) name: String,
    pub(super) value: Quantity,
    /// The value as the plan writes it.
    pub(super) written: String,
}

/// Checks a word that becomes part of file names.
pub(super) fn name(word: &Spanned<String>, what: &str, place: &PlanText<'_>) -> ParseResult<()> {
    let text = word.get_ref();
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() || !text.chars().all(fit) || text.starts_with('.') || text.contains(".killed-") {
        let rule = "becomes part of file names. Use only letters, digits, `-`, `_` and `.`.";
        return Err(place.error(word, format!("`{text}`: {what} {rule}")));
    }
    Ok(())
}

/// The part of the plan that already has the name `id`, such as `test B.1`. The family `own` is excluded.
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
    let score = || plan.scores.iter().find(|score| score.id == id).map(|_| format!("score {id}"));
    dataset.or_else(state).or_else(test).or_else(family).or_else(score)
}

/// What makes a test one of several that the file writes as one.
#[derive(Clone, Debug, Default)]
pub(super) struct Variant {
    /// The text before its id: the series and the step.
    pub(super) before: String,
    /// The id of its series or group; `None` for a test of its own.
    pub(super) family: Option<String>,
    /// The text after its id: the step.
    pub(super) behind: String,
    /// Its clause, if it has none itself.
    pub(super) clause: Option<Spanned<String>>,
    /// Its repetitions, if it does not set them.
    pub(super) repetitions: Option<Spanned<Count>>,
    /// The step of a series.
    pub(super) step: Option<Step>,
    /// Whether it only shows at which number of nodes the test itself runs, or whether more nodes reach more.
    /// Then it has no criteria.
    pub(super) is_probe: bool,
    /// The group that it is a part of.
    pub(super) part: Option<usize>,
    /// Whether the group has a criterion, so that a part needs none.
    pub(super) floors: bool,
    /// The file system of a series, if the test does not set it.
    pub(super) fs: Option<Spanned<String>>,
    /// Ranks per node of a series, if the test does not set them.
    pub(super) ppn: Option<Spanned<Count>>,
    /// Whether its placement has an error, so that only its other keys can be checked.
    pub(super) has_error: bool,
    /// The placement that the step decides.
    pub(super) placement: Option<Placement>,
    /// The tests that it alternates with.
    pub(super) turns: Option<AlternatingTests>,
    /// The maker of the files that it reads instead of those that it names.
    pub(super) uses: Option<Spanned<String>>,
}

impl Variant {
    /// The text with the step in place of `{step}`.
    pub(super) fn at_step(&self, text: &str) -> String {
        self.step.as_ref().map_or_else(|| text.to_owned(), |step| text.replace("{step}", &step.word))
    }
}

/// The values for tests and datasets that do not set them.
pub(super) struct Defaults<'a> {
    pub(super) file: &'a wire::DefaultsKeys,
    pub(super) file_systems: &'a BTreeMap<String, FileSystem>,
    pub(super) clients: ClientNodes,
    pub(super) launch: &'a LaunchKind,
    /// Environment variables of every job.
    pub(super) launch_env: &'a BTreeMap<String, String>,
    /// How often a job of the plan's launcher runs again that died.
    pub(super) launch_attempts: u32,
    /// The numbers that are known before the campaign.
    pub(super) numbers: Vec<KnownNumber>,
    /// The clauses of the contract.
    pub(super) clauses: &'a [ContractClause],
    pub(super) place: &'a PlanText<'a>,
    pub(super) errors: &'a Rejections,
    /// Whether the plan is that of a recorded campaign, which later rules do not reject.
    pub(super) is_recorded: bool,
}

impl Defaults<'_> {
    /// The place of `[kind.name]` among those with the names `known`.
    pub(super) fn known<'k>(
        &self,
        who: &str,
        kind: &str,
        (name, at): (&str, &Spanned<String>),
        known: impl Iterator<Item = &'k str>,
    ) -> ParseResult<usize> {
        let known: Vec<&str> = known.collect();
        match known.iter().position(|known| *known == name) {
            Some(place) => Ok(place),
            None if self.errors.is_spoiled(&format!("{kind}.{name}")) => Err(Rejection::Follows),
            None => {
                let near = among(name, &known);
                Err(self.place.error(at, format!("{who}: no [{kind}.{name}]{near}")))
            }
        }
    }

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
                Err(self.place.error(count, format!("{who}: {key} is 0. It must be at least 1.")))
            }
            // Each repetition is a job, and jobs are held in memory.
            Some(count) if ["repetitions", "warm_up"].contains(&key) && count.get_ref().0 > LAUNCHES_MAX => {
                let number = count.get_ref().0;
                let what = format!("{who}: {key} is {number}. It must be at most {LAUNCHES_MAX}.");
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

    /// The confidence level of a limit or an interval.
    pub(super) fn confidence(&self, own: Option<&Spanned<f64>>) -> ParseResult<f64> {
        match own {
            None => Ok(CONFIDENCE),
            Some(share) if (0.5..1.0).contains(share.get_ref()) => Ok(*share.get_ref()),
            Some(share) => {
                Err(self.place.error(share, "confidence must be at least 0.5 and below 1, such as 0.95"))
            }
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
            Some(word) => {
                let at = self.known(who, "fs", (word.get_ref(), word), known.iter().copied())?;
                Ok(known[at].to_owned())
            }
            None if self.errors.spoils_kind("fs.") => Err(Rejection::Follows),
            None => match known[..] {
                [only] => Ok(only.to_owned()),
                [] => Err(self.place.at(0..0, "the plan needs an [fs.NAME] with a `dir`")),
                _ => {
                    let known = known.join(", ");
                    let what = format!("{who}: there are several file systems. Set `fs` to one of {known}.");
                    Err(self.place.error(at, what))
                }
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
            return Err(rejected(&format!("`{word}` has no unit. Write for example `{example}`.")));
        }
        let quantity: Quantity = word.parse().map_err(|error: Usage| rejected(&error.0))?;
        if quantity.dimension != wanted || quantity.value <= 0.0 {
            return Err(rejected(&format!("`{word}` does not fit. Write for example `{example}`.")));
        }
        Ok(quantity.value)
    }
}

/// The end of a message about an unknown word: the nearest known one, or the list of known ones.
pub fn among(word: &str, known: &[&str]) -> String {
    match nearest(word, known) {
        Some(near) => format!(". Did you mean `{near}`?"),
        None if known.is_empty() => ". There is none.".to_owned(),
        None => format!(". Known: {}.", known.join(", ")),
    }
}

/// The number, if it is given and not `""`.
pub(super) fn known(count: Option<&Spanned<CountOrNone>>) -> Option<Spanned<Count>> {
    count.and_then(|count| Some(Spanned::new(count.span(), count.get_ref().0?)))
}

/// A number within the range of nodes, ranks and repetitions.
pub(super) fn whole(
    count: Option<&Spanned<Count>>,
    what: &str,
    place: &PlanText<'_>,
) -> ParseResult<Option<u32>> {
    let Some(count) = count else { return Ok(None) };
    let number = count.get_ref().0;
    let small = u32::try_from(number);
    small.map(Some).map_err(|_| place.error(count, format!("{what} is {number}, which is too large")))
}
