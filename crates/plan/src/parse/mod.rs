//! Turns the text of a plan into a [`Plan`], or into one line that states the error and its position.
//!
//! Invariant: every rejection is one line, `FILE:LINE:COLUMN: what, where, remedy`.
//! Never here: running jobs, the state of a machine, the real type of a file system.

mod app;
mod check;
mod criterion;
mod dataset;
mod defaults;
mod exports;
mod fs;
mod goal;
mod group;
mod launch;
mod parameters;
mod placement;
mod projection;
mod score;
mod series;
mod state;
mod steady;
mod test;
mod uses;
mod waiver;

use serde::Deserialize;
use toml::de::{DeTable, Deserializer};
use units::Usage;

use crate::language::{keys, nearest, plan_text, wire};
use crate::model::{
    AlternatingTests, Choice, ClientLimit, Comparison, Course, Criterion, Dataset, DatasetDemand, Decide,
    Export, FileSystem, Goal, Group, Import, Plan, Projection, Role, Score, ScorePart, Search, Series, Stat,
    State, StateKind, Step, Test, Uses, Waiver,
};
use crate::placement::{ClientNodes, Placement};

pub use defaults::among;

impl Plan {
    /// Reads and checks the plan in `text`, with its parameters unchanged. Messages call the file `name`.
    pub fn parse(text: &str, name: &str) -> Result<Self, Usage> {
        Self::parse_with(text, name, &Choice::default())
    }

    /// The same with the values of `choice`.
    pub fn parse_with(text: &str, name: &str, choice: &Choice) -> Result<Self, Usage> {
        let place = plan_text::PlanText::new(text, name);
        let mut file = DeTable::parse(text).map_err(|error| place.not_toml(&error))?;
        let parameters = parameters::fill(&mut file, &place, choice)?;
        let read = wire::PlanFile::deserialize(Deserializer::from(file.clone()))
            .map_err(|error| place.rejected(&error, &file))?;
        let plan = check::plan(read, &place)?;
        parameters::stray_marks(file.get_ref(), &place)?;
        // Values that nothing has read, such as a default that every test overrides.
        if let Some(problem) = keys::problems(&file).into_iter().next() {
            return Err(place.at(problem.span, &problem.what));
        }
        let mut plan = Self { parameters, choice: choice.clone(), ..plan };
        plan.extend(&choice.extensions)?;
        Ok(plan)
    }
}
