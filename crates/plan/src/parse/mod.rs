//! Turns the text of a plan into a [`Plan`], or into its errors, each in one line with its position.
//!
//! Invariant: every rejection is one line, `FILE:LINE:COLUMN: what, where, remedy`.
//! Never here: running jobs, the state of a machine, the real type of a file system.

mod answer;
mod app;
mod best_of;
mod check;
mod clause;
mod criterion;
mod dataset;
mod defaults;
mod exports;
mod fs;
mod goal;
mod group;
mod launch;
mod like;
mod parameters;
mod placement;
mod projection;
mod require;
mod score;
mod series;
mod state;
mod steady;
mod test;
mod uses;
mod waiver;

use toml::de::DeTable;
use units::Usage;

use crate::language::read::{TextRules, read_file};
use crate::language::rejections::{Rejection, Rejections};
use crate::language::toml_errors::not_toml;
use crate::language::{PlanErrors, nearest, plan_text, wire};
use crate::model::{
    AlternatingTests, Answer, AnswerCell, AnswerColumn, AnswerFact, AnswerRow, AnswerRuns, AnswerSource,
    AnswerValue, BestOf, BytesPerNode, Choice, ClientLimit, Comparison, ContractClause, Course, Criterion,
    CriterionTerms, Dataset, DatasetDemand, Decide, Export, FileSystem, Goal, Group, Import, Plan,
    Projection, Requirements, Role, Score, ScoreFormula, ScorePart, Search, Series, Stat, State, StateKind,
    Step, Test, Uses, Waiver,
};
use crate::placement::{ClientNodes, Placement};
use defaults::ParseResult;

pub use defaults::among;

impl Plan {
    /// Reads and checks the plan in `text`, with its parameters unchanged. Messages call the file `name`. The
    /// error is the first one in the file.
    pub fn parse(text: &str, name: &str) -> Result<Self, Usage> {
        Self::parse_with(text, name, &Choice::default())
    }

    /// The same with the values of `choice`.
    pub fn parse_with(text: &str, name: &str, choice: &Choice) -> Result<Self, Usage> {
        Self::check(text, name, choice).map_err(|errors| errors.first().clone())
    }

    /// The same with all errors of the file.
    pub fn check(text: &str, name: &str, choice: &Choice) -> Result<Self, PlanErrors> {
        Self::read(text, name, choice, false)
    }

    /// Reads the plan of a recorded campaign. Rules that were added later do not reject it.
    pub fn recorded(text: &str, name: &str, choice: &Choice) -> Result<Self, Usage> {
        Self::read(text, name, choice, true).map_err(|errors| errors.first().clone())
    }

    fn read(text: &str, name: &str, choice: &Choice, is_recorded: bool) -> Result<Self, PlanErrors> {
        let place = plan_text::PlanText { text, name };
        let errors = Rejections::default();
        let plan = checked(&place, choice, &errors, is_recorded).map_err(|rejection| errors.add(rejection));
        match (plan, errors.errors()) {
            (Ok(mut plan), None) => {
                plan.extend(&choice.extensions).map_err(|error| PlanErrors::of(vec![error]))?;
                Ok(plan)
            }
            (_, Some(all)) => Err(all),
            (Err(()), None) => unreachable!("nothing follows from no error"),
        }
    }
}

/// The plan as far as it can be used. Its errors are added to `errors`, or returned if nothing can be checked
/// after them.
fn checked(
    place: &plan_text::PlanText<'_>,
    choice: &Choice,
    errors: &Rejections,
    is_recorded: bool,
) -> ParseResult<Plan> {
    let mut file = DeTable::parse(place.text).map_err(|error| not_toml(&error, place))?;
    let filled = parameters::fill(&mut file, place, choice)?;
    filled.errors.into_iter().for_each(|error| errors.add(error));
    let unresolved = like::resolve(file.get_mut(), place, errors);
    let unfilled = [filled.unfilled, unresolved].concat();
    let texts = TextRules { unfilled: &unfilled, errors: parameters::stray_marks };
    let (read, late) = read_file(&file, &texts, place, errors)?;
    let plan = check::plan(read, place, errors, is_recorded)?;
    late.of_texts.into_iter().for_each(|error| errors.add(error));
    // Values that nothing has read, such as a default that every test overrides. A value with another error
    // would be reported twice.
    if errors.number() == 0 {
        late.of_forms.into_iter().for_each(|error| errors.add(error));
    }
    Ok(Plan { parameters: filled.values, choice: choice.clone(), ..plan })
}
