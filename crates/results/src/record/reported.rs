//! What an external program printed about its own run.
//!
//! Invariant: nothing here was measured by this program. A field is absent if the output does not have it.
//! Never here: whether it agrees with the plan.

use serde::{Deserialize, Serialize};

/// The facts in the output of an external program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reported {
    /// The command line, in single words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    /// The directory that the job was given for its files.
    pub dir: String,
    /// The files or directories of the test.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Processes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<u64>,
    /// Nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Processes on each node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks_per_node: Option<u64>,
    /// Bytes of a block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block_bytes: Option<f64>,
    /// Bytes of a transfer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer_bytes: Option<f64>,
    /// Segments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segments: Option<u64>,
    /// Bytes of all processes in one phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<f64>,
    /// Files or directories of all processes in one phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_items: Option<u64>,
    /// Whether each process has its own file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_per_task: Option<bool>,
    /// Whether processes read the data that others wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shifted: Option<bool>,
    /// The size that the program expected and the smaller one that it found, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found_less: Option<(f64, f64)>,
    /// The measured phases, in the order of the output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<ReportedPhase>,
    /// Seconds of all measured phases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// One phase in the output of a program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReportedPhase {
    /// Its name, as in metrics.
    pub phase: String,
    /// Bytes or operations per second.
    pub rate: f64,
    /// Its length.
    pub seconds: f64,
}

impl Reported {
    /// Whether the program printed anything about its run.
    pub fn is_empty(&self) -> bool {
        *self == Self { dir: self.dir.clone(), ..Self::default() }
    }

    /// Whether one of its numbers is below zero or not finite.
    pub(super) fn is_impossible(&self) -> bool {
        let numbers = [self.block_bytes, self.transfer_bytes, self.total_bytes, self.seconds];
        let pairs = self.found_less.iter().flat_map(|(expected, found)| [*expected, *found]);
        let of_phases = self.phases.iter().flat_map(|phase| [phase.rate, phase.seconds]);
        let mut all = numbers.into_iter().flatten().chain(pairs).chain(of_phases);
        all.any(|number| !number.is_finite() || number < 0.0)
    }
}
