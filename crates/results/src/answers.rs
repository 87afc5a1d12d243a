//! Filled answer sheets of a campaign: the tables of a document, with a value or the reason for none in each
//! cell.
//!
//! Never here: how a value is found, and how it is written.

use crate::reason::Reason;
use crate::summary::SystemProjection;
use crate::verdict::Outcome;

/// A table of the document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerSheet {
    /// Its id in the plan.
    pub id: String,
    /// The words above the table.
    pub title: String,
    /// Its place in the document; may be empty.
    pub source: String,
    /// The headings of the labels.
    pub labels: Vec<String>,
    /// The headings of the cells, each with the unit of all its values; empty if they have none in common.
    pub columns: Vec<(String, String)>,
    /// Its lines.
    pub lines: Vec<AnswerLine>,
}

/// A line of the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerLine {
    /// The texts that identify it.
    pub labels: Vec<String>,
    /// The ids of its tests, groups or scores.
    pub sources: Vec<String>,
    /// A cell for each column.
    pub cells: Vec<AnsweredCell>,
}

/// A cell of the table.
#[derive(Clone, Debug, PartialEq)]
pub enum AnsweredCell {
    /// A fact about the jobs; empty if it is not known.
    Fact(String),
    /// A value, or why there is none.
    Value(Box<AnsweredValue>),
}

/// A value of the table, with how it was found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnsweredValue {
    /// The test, group or score.
    pub test: String,
    /// `PHASE.NAME`, or `score`.
    pub metric: String,
    /// The value in the base unit; absent if there is none that can be used.
    pub value: Option<f64>,
    /// The base unit.
    pub base_unit: String,
    /// The unit in which the document wants it.
    pub unit: String,
    /// The value of this unit in the base unit.
    pub unit_value: f64,
    /// PASS if the value can be used. A threshold has no influence.
    pub outcome: Outcome,
    /// Why the value cannot be used; absent if it can.
    pub reason: Option<Reason>,
    /// The statistic of the repetitions, such as `mean`.
    pub statistic: String,
    /// The number of repetitions.
    pub repetitions: usize,
    /// The repetition whose value it is, from 1; absent for a statistic of all.
    pub repetition: Option<usize>,
    /// Whether the line is about one repetition, and the value is the highest of all.
    pub is_maximum: bool,
    /// Whether an external program reported it.
    pub as_reported: bool,
    /// The projection that it comes from; absent for what was measured.
    pub projection: Option<SystemProjection>,
    /// Folders of its jobs, relative to the campaign folder.
    pub jobs: Vec<String>,
}
