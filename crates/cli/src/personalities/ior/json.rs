//! Results as one JSON document with the keys of IOR 4.1, in its order.
//!
//! Invariant: the document is always valid and is written once, at the end. Values that the classic program
//! does not have are only under the key `assay`, in a test and at the top. The schema of the document is
//! docs/reference/ior.schema.json.

use command::ior::{Edition, Output, Parsed};
use report::sentences::sentence;
use results::record::Phase;
use storage::Space;
use units::MIB;
use workloads::ior::{IorEvent, first_path};
use workloads::kit::observer::EventObserver;

use super::numbers::date;
use super::output::ResultOutput;
use super::shown::{ShownTest, name_of};
use super::streams::Streams;
use super::text::{machine, row_numbers};
use super::totals::OperationSummary;
use super::value::{JsonValue, Members};
use super::warnings::Warnings;
use super::{chatter, summary};
use crate::personalities::classic::space_words;

/// Collects what one run has measured.
pub(crate) struct Json {
    streams: Streams,
    edition: Edition,
    command: String,
    began: String,
    /// Messages before the first test.
    opening: String,
    tests: Vec<JsonTest>,
    /// Printed at the end, unless standard output has the document.
    warnings: Warnings,
}

struct JsonTest {
    shown: ShownTest,
    started: String,
    space: Option<Space>,
    /// The record of each phase. The document has them all, so the memory grows with the repetitions.
    phases: Vec<Phase>,
    /// In the order in which they happened.
    rows: Vec<ResultRow>,
    warnings: Vec<String>,
    /// The classic program's messages, as lines.
    messages: Vec<String>,
}

/// One element of `Results`.
enum ResultRow {
    /// The phase of this number.
    Phase(usize),
    /// Files were removed; this took this number of seconds.
    Removed(f64),
}

impl Json {
    /// A document about the run started as `argv`.
    pub(crate) fn new(streams: Streams, look: &Output, argv: &[String]) -> Self {
        let (command, opening, tests) = (argv.join(" "), String::new(), Vec::new());
        let warnings = Warnings::default();
        Self { streams, edition: look.edition(), command, began: date(), opening, tests, warnings }
    }

    fn test(&mut self) -> &mut JsonTest {
        self.tests.last_mut().expect("events come after a test has begun")
    }

    fn document(&self, complete: bool, failure: Option<&str>) -> JsonValue {
        let verbose = self.tests.first().map_or(0, |test| test.shown.parameters().verbose);
        let operations = |test: &JsonTest| -> Vec<JsonValue> {
            summary::operations(&test.shown).iter().map(|one| operation(&test.shown, one)).collect()
        };
        let mut all = vec![
            ("Version", JsonValue::text("4.1.0+dev")),
            ("Began", JsonValue::text(&self.began)),
            ("Command line", JsonValue::text(&self.command)),
            ("Machine", JsonValue::Text(machine(verbose))),
            ("tests", JsonValue::List(self.tests.iter().map(JsonTest::object).collect())),
            ("summary", JsonValue::List(self.tests.iter().flat_map(operations).collect())),
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
    /// Keeps the record of a phase, without buckets and timeline, which the document does not have.
    fn add(&mut self, phase: &Phase) {
        let mut phase = phase.clone();
        phase.timeline = None;
        if let Some(latency) = &mut phase.latency {
            latency.buckets = Vec::new();
        }
        self.rows.push(ResultRow::Phase(self.phases.len()));
        self.phases.push(phase);
    }

    fn object(&self) -> JsonValue {
        let parameters = self.shown.parameters();
        let mut all = vec![
            ("TestID", JsonValue::whole(parameters.test)),
            ("StartTime", JsonValue::text(&self.started)),
            ("Path", JsonValue::Text(first_path(parameters, 0))),
        ];
        if let Some(space) = self.space {
            let keys = ["Capacity", "Used Capacity", "Inodes", "Used Inodes"];
            all.extend(keys.into_iter().zip(space_words(space).map(JsonValue::Text)));
        }
        all.push(("Parameters", JsonValue::Object(self.shown.settings())));
        all.push(("Options", JsonValue::Object(self.shown.options(Edition::Ior41))));
        let rows = self.rows.iter().filter_map(|row| match row {
            ResultRow::Phase(number) => result(&self.phases[*number]),
            ResultRow::Removed(seconds) => Some(JsonValue::Object(vec![
                ("access", JsonValue::text("remove")),
                ("totalTime", JsonValue::Real(*seconds)),
            ])),
        });
        all.push(("Results", JsonValue::List(rows.collect())));
        if parameters.verbose > 0 {
            all.push(("max", JsonValue::Object(maxima(&self.shown))));
        }
        all.push(("assay", JsonValue::Object(self.beyond())));
        JsonValue::Object(all)
    }

    /// What the classic's keys do not cover: the record of each phase, and what the text would report.
    fn beyond(&self) -> Members {
        let record = |phase: &Phase| JsonValue::Record(Box::new(phase.clone()));
        let list = |texts: &[String]| JsonValue::List(texts.iter().map(JsonValue::text).collect());
        let notes: Vec<String> = self.shown.meant.taken.notes.iter().map(ToString::to_string).collect();
        vec![
            ("phases", JsonValue::List(self.phases.iter().map(record).collect())),
            ("warnings", list(&self.warnings)),
            ("notes", list(&notes)),
            ("messages", list(&self.messages)),
        ]
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
        ("access", JsonValue::text(name_of(&phase.phase)?)),
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
    let both = summary::best(shown).flat_map(|(operation, rate)| {
        keys(operation).into_iter().zip([rate / MIB as f64, rate / 1e6].map(JsonValue::Real))
    });
    both.collect()
}

/// One element of `summary`.
fn operation(shown: &ShownTest, operation: &OperationSummary) -> JsonValue {
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
        ("reorderTasks", JsonValue::whole(shown.meant.constant)),
        ("taskPerNodeOffset", JsonValue::whole(parameters.task_offset)),
        ("reorderTasksRandom", JsonValue::whole(shown.meant.random_ranks)),
        ("reorderTasksRandomSeed", JsonValue::whole(parameters.reorder_seed)),
    ];
    let (rates, ops) = (operation.rates, operation.ops);
    all.extend(["bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB"].into_iter().zip(rates.map(JsonValue::Real)));
    all.extend(["OPsMax", "OPsMin", "OPsMean", "OPsSD"].into_iter().zip(ops.map(JsonValue::Real)));
    all.push(("MeanTime", JsonValue::Real(operation.seconds)));
    if let Some((seconds, per_rank)) = operation.stonewall {
        all.push(("StoneWallTime", JsonValue::Real(seconds)));
        all.push(("StoneWallbwMeanMIB", JsonValue::Real(per_rank)));
    }
    all.push(("xsizeMiB", JsonValue::Real(operation.mib)));
    JsonValue::Object(all)
}

impl ResultOutput for Json {
    fn begin(&mut self, warnings: &str) {
        warnings.clone_into(&mut self.opening);
        self.streams.begin(warnings);
    }

    fn test(&mut self, meant: &Parsed, space: Option<Space>) {
        let shown = ShownTest::new(meant);
        let (phases, rows, warnings) = (Vec::new(), Vec::new(), Vec::new());
        let messages = lines(&std::mem::take(&mut self.opening)).collect();
        self.tests.push(JsonTest { shown, started: date(), space, phases, rows, warnings, messages });
    }

    fn finish(&mut self, complete: bool, failure: Option<&str>) -> Result<(), String> {
        let document = self.document(complete, failure);
        let text = serde_json::to_string_pretty(&document).map_err(|why| why.to_string())?;
        self.streams.put(&format!("{text}\n"));
        self.streams.say_own(&self.warnings.lines());
        self.streams.finish()
    }
}

impl EventObserver<IorEvent<'_>> for Json {
    fn event(&mut self, event: &IorEvent<'_>) {
        let edition = self.edition;
        self.warnings.hear(event);
        let test = self.test();
        test.shown.hear(event);
        match event {
            IorEvent::Phase(phase) => test.add(phase),
            IorEvent::Removed { seconds, .. } if test.shown.parameters().verbose > 0 => {
                test.rows.push(ResultRow::Removed(*seconds));
            }
            IorEvent::Notice(reason) => {
                let text = sentence(reason);
                if !test.warnings.contains(&text) {
                    test.warnings.push(text);
                }
            }
            IorEvent::Warning(text) => test.warnings.push((*text).to_owned()),
            _ => {}
        }
        let words = chatter::words(event, &test.shown, edition);
        if !matches!(event, IorEvent::Warning(_)) {
            test.messages.extend(lines(&words));
        }
        self.streams.say(&words);
        self.streams.say_own(&chatter::own_words(event));
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
