//! Answer sheets: the tables that a document wants filled with the results of its tests.
//!
//! Never here: the values.

use super::Criterion;

/// A table of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Its id, by which one sheet of several is chosen.
    pub id: String,
    /// The words above the table.
    pub title: String,
    /// Its place in the document; empty if it is not given.
    pub source: String,
    /// The headings of the texts that identify a row.
    pub labels: Vec<String>,
    /// The lines that a row has.
    pub runs: AnswerRuns,
    /// Its further columns.
    pub columns: Vec<AnswerColumn>,
    /// Its rows.
    pub rows: Vec<AnswerRow>,
}

/// The lines that a row has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AnswerRuns {
    /// One, with the values that verdicts compare: of one repetition, or a statistic of all.
    #[default]
    Reported,
    /// One for each repetition in which a value of the row is the highest of all repetitions.
    Maxima,
    /// One for each repetition.
    All,
}

/// A column after the labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerColumn {
    /// Its heading.
    pub title: String,
    /// The unit of all its values, as written; empty for facts, and if each row has its own unit.
    pub unit: String,
}

/// A row, with a cell for each column.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRow {
    /// The texts that identify it, one for each heading.
    pub labels: Vec<String>,
    /// Its tests, groups or scores.
    pub sources: Vec<AnswerSource>,
    /// Its cells.
    pub cells: Vec<AnswerCell>,
}

/// What gives the values of a row, by its place in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerSource {
    /// A test.
    Test(usize),
    /// A group.
    Group(usize),
    /// A score.
    Score(usize),
}

/// What a cell shows.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerCell {
    /// A fact of the first test of the row.
    Fact(AnswerFact),
    /// A value.
    Value(Box<AnswerValue>),
}

/// A measured or projected value of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerValue {
    /// What gives it.
    pub source: AnswerSource,
    /// A criterion that only reads it, with its metric and its statistic. Every value meets it.
    pub criterion: Criterion,
    /// The unit in which the document wants it, as written.
    pub unit: String,
    /// The value of this unit in the base unit.
    pub unit_value: f64,
    /// The projection that replaces the measured value, by its place in [`super::Plan::projections`].
    pub projection: Option<usize>,
}

/// A fact about the jobs of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerFact {
    /// The number of nodes.
    Nodes,
    /// The number of ranks.
    Ranks,
    /// The number of ranks of a node.
    RanksPerNode,
    /// The unit of the values of the row.
    Unit,
    /// The arguments of the workload.
    Command,
}
