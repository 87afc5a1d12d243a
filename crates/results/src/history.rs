//! A campaign as an entry of a history. It has the rates, what must be the same to compare them, and facts
//! that may explain a change.
//!
//! Invariant: an entry has all that a history needs, so that the evidence can lie elsewhere later.
//! Never here: several entries, English.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::comparison::MetricDirection;
use crate::reason::{Code, Datum};
use crate::verdict::Outcome;
use units::words;

/// What a history keeps of one campaign, or of one imported file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HistoryEntry {
    /// The evidence hash of the campaign, or the SHA-256 of the imported output and of what the user says
    /// about it.
    pub hash: String,
    /// The campaign: the same before and after it was extended or judged again. For an import,
    /// the SHA-256 of the output.
    pub campaign: String,
    /// How far its hash chain reached. Of two entries of a campaign, the one that reaches further counts.
    pub extent: u64,
    /// Where it comes from.
    pub source: EntrySource,
    /// The folder, archive or file, absolute.
    pub location: String,
    /// The id of the plan; for an import the name of its format.
    pub plan: String,
    /// The title of the plan; empty for an import.
    pub title: String,
    /// Program and version that measured.
    pub tool: String,
    /// The start of the campaign, seconds since 1970.
    pub started_s: f64,
    /// The worst outcome of its clauses; absent for an import.
    pub overall: Option<Outcome>,
    /// Facts that may explain a change.
    pub facts: Vec<EntryFact>,
    /// One for each metric of each test.
    pub points: Vec<MeasuredPoint>,
}

words! {
    /// Where an entry comes from.
    #[derive(Default)]
    pub enum EntrySource {
        /// A campaign whose evidence was checked.
        #[default]
        Campaign = "campaign",
        /// The output of `ior`.
        Ior = "ior",
        /// The output of `mdtest`.
        Mdtest = "mdtest",
        /// The summary of an IO500 run.
        Io500 = "io500",
        /// Comma-separated values.
        Csv = "csv",
        /// The records of one run, as `--record` writes them.
        Records = "records",
    }
}

/// A fact of an entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryFact {
    /// The word of the fact, such as `kernel`.
    pub fact: String,
    /// The test, file system or parameter that it is about; empty for the whole entry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// Its value.
    pub value: Datum,
}

/// The series that a point belongs to. A revision of the plan does not change it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesId {
    /// The system, as the user or the campaign names it.
    pub system: String,
    /// The file system.
    pub place: String,
    /// The id of the plan, or the name of the imported format.
    pub plan: String,
    /// The scale of the plan; empty without one.
    pub scale: String,
    /// The test.
    pub test: String,
    /// `PHASE.NAME`.
    pub metric: String,
    /// The base unit of its values.
    pub unit: String,
}

impl fmt::Display for SeriesId {
    /// Its parts that are not empty, without the unit.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { system, place, plan, scale, test, metric, unit: _ } = self;
        let parts = [system, place, plan, scale, test, metric].map(String::as_str);
        let known: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        out.write_str(&known.join(" / "))
    }
}

/// A metric of a test in one entry.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPoint {
    /// The series. Points of one file share it.
    pub series: Arc<SeriesId>,
    /// Which values are better.
    pub direction: MetricDirection,
    /// Seconds since 1970.
    pub time_s: f64,
    /// One value for each repetition, in the base unit; empty if they cannot be used.
    pub values: Vec<f64>,
    /// Why there are no values.
    pub why: Option<Code>,
    /// The outcome of the clause; absent without one.
    pub outcome: Option<Outcome>,
    /// The threshold of the clause, in the base unit.
    pub threshold: Option<f64>,
    /// What must be the same for two points to be compared, by name.
    pub setup: BTreeMap<String, String>,
    /// The used share of the file system before the test.
    pub fill: Option<f64>,
    /// How many other jobs ran at the same time.
    pub concurrency: Option<f64>,
}
