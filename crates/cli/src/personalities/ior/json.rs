//! Results as one JSON document with the keys of IOR 4.1, in its order.
//!
//! Invariant: the document is always valid and is written once, at the end. Values that the classic program
//! does not have are only under the key `assay`, in a test and at the top. The schema of the document is
//! docs/reference/ior.schema.json.

use command::ior::Edition;
use report::sentences::sentence;
use results::record::Phase;
use storage::Space;
use workloads::ior::{IorEvent, first_path};

use super::shown::{OperationTotals, ShownTest, row_name, row_numbers};
use super::text::{date, machine};
use super::value::{JsonValue, Members};
use crate::personalities::classic::space_words;

/// What one run has measured.
pub(super) struct Document {
    began: String,
    /// Messages before the first test.
    pub(super) opening: String,
    pub(super) tests: Vec<JsonTest>,
}

/// What the document has of a test beside its [`ShownTest`].
pub(super) struct JsonTest {
    started: String,
    space: Option<Space>,
    /// The record of each phase. The document has them all, so the memory grows with the repetitions.
    pub(super) phases: Vec<Phase>,
    /// In the order in which they happened.
    rows: Vec<JsonValue>,
    warnings: Vec<String>,
    /// The classic program's messages, as lines.
    messages: Vec<String>,
}

impl Default for Document {
    fn default() -> Self {
        Self { began: date(), opening: String::new(), tests: Vec::new() }
    }
}

impl Document {
    pub(super) fn begin_test(&mut self, space: Option<Space>) {
        let messages = lines(&std::mem::take(&mut self.opening)).collect();
        let (phases, rows, warnings) = (Vec::new(), Vec::new(), Vec::new());
        self.tests.push(JsonTest { started: date(), space, phases, rows, warnings, messages });
    }

    /// Takes an event of the current test, with its message.
    pub(super) fn hear(&mut self, event: &IorEvent<'_>, shown: &ShownTest, message: &str) {
        let Some(test) = self.tests.last_mut() else { return };
        match event {
            IorEvent::Phase(phase) => test.add(phase),
            IorEvent::Removed { seconds, .. } if shown.parameters().verbose > 0 => {
                test.rows.push(JsonValue::Object(vec![
                    ("access", JsonValue::text("remove")),
                    ("totalTime", JsonValue::Real(*seconds)),
                ]));
            }
            IorEvent::Notice(reason) => {
                let text = sentence(reason);
                if !test.warnings.contains(&text) {
                    test.warnings.push(text);
                }
            }
            IorEvent::Warning(text) => {
                test.warnings.push((*text).to_owned());
                return;
            }
            _ => {}
        }
        test.messages.extend(lines(message));
    }

    /// The document about these tests. `failure` is the reason why the exit status is not 0.
    pub(super) fn value(
        &self,
        command: &str,
        tests: &[ShownTest],
        complete: bool,
        failure: Option<&str>,
    ) -> JsonValue {
        let verbose = tests.first().map_or(0, |test| test.parameters().verbose);
        let operations =
            tests.iter().flat_map(|test| test.totals.operations().map(|totals| operation(test, totals)));
        let objects = self.tests.iter().zip(tests).map(|(test, shown)| test.object(shown));
        let mut all = vec![
            ("Version", JsonValue::text("4.1.0+dev")),
            ("Began", JsonValue::text(&self.began)),
            ("Command line", JsonValue::text(command)),
            ("Machine", JsonValue::Text(machine(verbose))),
            ("tests", JsonValue::List(objects.collect())),
            ("summary", JsonValue::List(operations.collect())),
        ];
        if complete {
            all.push(("Finished", JsonValue::Text(date())));
        }
        if !complete || failure.is_some() {
            let mut own = vec![("complete", JsonValue::Bool(complete))];
            own.extend(failure.map(|failure| ("error", JsonValue::text(failure))));
            all.push(("assay", JsonValue::Object(own)));
        }
        JsonValue::Object(all)
    }
}

impl JsonTest {
    /// Keeps the row and the record of a phase. The document does not have its buckets and its timeline.
    fn add(&mut self, phase: &Phase) {
        let mut phase = phase.clone();
        phase.timeline = None;
        if let Some(latency) = &mut phase.latency {
            latency.buckets = Vec::new();
        }
        self.rows.extend(result(&phase));
        self.phases.push(phase);
    }

    fn object(&self, shown: &ShownTest) -> JsonValue {
        let parameters = shown.parameters();
        let mut all = vec![
            ("TestID", JsonValue::whole(parameters.test)),
            ("StartTime", JsonValue::text(&self.started)),
            ("Path", JsonValue::Text(first_path(parameters, 0))),
        ];
        if let Some(space) = self.space {
            let keys = ["Capacity", "Used Capacity", "Inodes", "Used Inodes"];
            all.extend(keys.into_iter().zip(space_words(space).map(JsonValue::Text)));
        }
        all.push(("Parameters", JsonValue::Object(shown.settings())));
        all.push(("Options", JsonValue::Object(shown.options(Edition::Ior41))));
        all.push(("Results", JsonValue::List(self.rows.clone())));
        if parameters.verbose > 0 {
            all.push(("max", JsonValue::Object(maxima(shown))));
        }
        let record = |phase: &Phase| JsonValue::Record(Box::new(phase.clone()));
        let list = |texts: &[String]| JsonValue::List(texts.iter().map(JsonValue::text).collect());
        let notes: Vec<String> = shown.parsed.taken.notes.iter().map(ToString::to_string).collect();
        // What the classic's keys do not cover: the record of each phase, and what the text would report.
        let beyond = vec![
            ("phases", JsonValue::List(self.phases.iter().map(record).collect())),
            ("warnings", list(&self.warnings)),
            ("notes", list(&notes)),
            ("messages", list(&self.messages)),
        ];
        all.push(("assay", JsonValue::Object(beyond)));
        JsonValue::Object(all)
    }
}

/// The lines of a text that are not empty.
fn lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned)
}

fn result(phase: &Phase) -> Option<JsonValue> {
    let [rate, iops, latency, block, transfer, open, access, close, total] =
        row_numbers(phase).map(JsonValue::Real);
    Some(JsonValue::Object(vec![
        ("access", JsonValue::text(row_name(&phase.phase)?)),
        ("bwMiB", rate),
        ("blockKiB", block),
        ("xferKiB", transfer),
        ("iops", iops),
        ("latency", latency),
        ("openTime", open),
        ("wrRdTime", access),
        ("closeTime", close),
        ("totalTime", total),
    ]))
}

fn maxima(shown: &ShownTest) -> Members {
    let keys = |operation| match operation {
        "write" => ["writeMiB", "writeMB"],
        _ => ["readMiB", "readMB"],
    };
    let both = shown
        .totals
        .operations()
        .flat_map(|totals| keys(totals.name).into_iter().zip(totals.best_rates().map(JsonValue::Real)));
    both.collect()
}

/// One element of `summary`.
fn operation(shown: &ShownTest, operation: &OperationTotals) -> JsonValue {
    let parameters = shown.parameters();
    let mut all = vec![
        ("operation", JsonValue::text(operation.name)),
        ("API", JsonValue::text(&parameters.backend)),
        ("TestID", JsonValue::whole(parameters.test)),
        ("ReferenceNumber", JsonValue::whole(parameters.reference)),
        ("segmentCount", JsonValue::whole(parameters.segments)),
        ("blockSize", JsonValue::whole(parameters.block)),
        ("transferSize", JsonValue::whole(parameters.transfer)),
        ("numTasks", JsonValue::whole(shown.ranks)),
        ("tasksPerNode", JsonValue::whole(shown.place.ranks_on_node0)),
        ("repetitions", JsonValue::whole(parameters.repetitions)),
        ("filePerProc", JsonValue::flag(parameters.file_per_rank)),
        ("reorderTasks", JsonValue::whole(shown.parsed.constant)),
        ("taskPerNodeOffset", JsonValue::whole(parameters.task_offset)),
        ("reorderTasksRandom", JsonValue::whole(shown.parsed.random_ranks)),
        ("reorderTasksRandomSeed", JsonValue::whole(parameters.reorder_seed)),
    ];
    let [rates, ops] = operation.statistics(parameters.transfer);
    all.extend(["bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB"].into_iter().zip(rates.map(JsonValue::Real)));
    all.extend(["OPsMax", "OPsMin", "OPsMean", "OPsSD"].into_iter().zip(ops.map(JsonValue::Real)));
    all.push(("MeanTime", JsonValue::Real(operation.mean_seconds())));
    if let Some((seconds, per_rank)) = operation.stonewall(shown.ranks) {
        all.push(("StoneWallTime", JsonValue::Real(seconds)));
        all.push(("StoneWallbwMeanMIB", JsonValue::Real(per_rank)));
    }
    all.push(("xsizeMiB", JsonValue::Real(operation.first_mib())));
    JsonValue::Object(all)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
