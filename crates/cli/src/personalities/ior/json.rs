//! Results as one JSON document with the keys of IOR 4.1, in its order.
//!
//! Invariant: the document is valid whatever happens, and is written once, at the end. What the
//! classic does not have stands under the key `assay`, and nowhere else.

use results::record::Phase;
use storage::Space;
use units::MIB;
use workloads::ior::{IorEvent, first_path};
use workloads::kit::observer::EventObserver;

use super::output::{Edition, Look, Output};
use super::shown::{Shown, name_of};
use super::streams::Streams;
use super::summary::Operation;
use super::text::{date, machine, row_numbers};
use super::typed::Meant;
use super::value::{Members, Value};
use super::warnings::Warnings;
use super::{chatter, summary};
use crate::personalities::classic::space_words;

/// Collects what one run has measured.
pub(crate) struct Json {
    streams: Streams,
    edition: Edition,
    command: String,
    began: String,
    tests: Vec<Test>,
    /// Told at the end.
    warnings: Warnings,
}

/// One test.
struct Test {
    shown: Shown,
    started: String,
    space: Option<Space>,
    /// In the order in which they happened.
    rows: Vec<Row>,
    warnings: Vec<String>,
}

/// One element of `Results`.
enum Row {
    /// The phase of this number.
    Phase(usize),
    /// Files were removed in so many seconds.
    Removed(f64),
}

impl Json {
    /// A document about the run started as `argv`.
    pub(crate) fn new(streams: Streams, look: &Look, argv: &[String]) -> Self {
        let (command, tests, warnings) = (argv.join(" "), Vec::new(), Warnings::default());
        Self { streams, edition: look.edition, command, began: date(), tests, warnings }
    }

    fn test(&mut self) -> &mut Test {
        self.tests.last_mut().expect("events come after a test has begun")
    }

    fn document(&self, complete: bool) -> Value {
        let verbose = self.tests.first().map_or(0, |test| test.shown.parameters().verbose);
        let operations = |test: &Test| -> Vec<Value> {
            summary::operations(&test.shown).iter().map(|one| operation(&test.shown, one)).collect()
        };
        let mut all = vec![
            ("Version", Value::text("4.1.0+dev")),
            ("Began", Value::text(&self.began)),
            ("Command line", Value::text(&self.command)),
            ("Machine", Value::Text(machine(verbose))),
            ("tests", Value::List(self.tests.iter().map(Test::object).collect())),
            ("summary", Value::List(self.tests.iter().flat_map(operations).collect())),
        ];
        match complete {
            true => all.push(("Finished", Value::Text(date()))),
            false => all.push(("assay", Value::Object(vec![("complete", Value::Bool(false))]))),
        }
        Value::Object(all)
    }
}

impl Test {
    fn object(&self) -> Value {
        let parameters = self.shown.parameters();
        let mut all = vec![
            ("TestID", Value::whole(parameters.test)),
            ("StartTime", Value::text(&self.started)),
            ("Path", Value::Text(first_path(parameters, 0))),
        ];
        if let Some(space) = self.space {
            let keys = ["Capacity", "Used Capacity", "Inodes", "Used Inodes"];
            all.extend(keys.into_iter().zip(space_words(space).map(Value::Text)));
        }
        all.push(("Parameters", Value::Object(self.shown.settings())));
        all.push(("Options", Value::Object(self.shown.options(Edition::Ior41))));
        let rows = self.rows.iter().filter_map(|row| match row {
            Row::Phase(number) => result(&self.shown.phases[*number]),
            Row::Removed(seconds) => Some(Value::Object(vec![
                ("access", Value::text("remove")),
                ("totalTime", Value::Real(*seconds)),
            ])),
        });
        all.push(("Results", Value::List(rows.collect())));
        if parameters.verbose > 0 {
            all.push(("max", Value::Object(maxima(&self.shown))));
        }
        all.push(("assay", Value::Object(self.beyond())));
        Value::Object(all)
    }

    /// What has no place in the classic's keys: checks of what was written, and warnings.
    fn beyond(&self) -> Members {
        let checks = self.shown.phases.iter().filter(|phase| name_of(phase).is_none());
        vec![
            ("checks", Value::List(checks.map(|phase| Value::Record(Box::new(phase.clone()))).collect())),
            ("warnings", Value::List(self.warnings.iter().map(Value::text).collect())),
        ]
    }
}

fn result(phase: &Phase) -> Option<Value> {
    let [rate, iops, latency, block, transfer, open, access, close, total] =
        row_numbers(phase).map(Value::Real);
    Some(Value::Object(vec![
        ("access", Value::text(name_of(phase)?)),
        ("bwMiB", rate),
        ("blockKiB", block),
        ("xferKiB", transfer),
        ("iops", iops),
        ("latency", latency),
        ("openTime", open),
        ("wrRdTime", access),
        ("closeTime", close),
        ("totalTime", total),
        ("assay", Value::Record(Box::new(phase.clone()))),
    ]))
}

fn maxima(shown: &Shown) -> Members {
    let keys = |operation| match operation {
        "write" => ["writeMiB", "writeMB"],
        _ => ["readMiB", "readMB"],
    };
    let both = summary::best(shown).into_iter().flat_map(|(operation, rate)| {
        keys(operation).into_iter().zip([rate / MIB as f64, rate / 1e6].map(Value::Real))
    });
    both.collect()
}

/// One element of `summary`.
fn operation(shown: &Shown, operation: &Operation) -> Value {
    let parameters = shown.parameters();
    let mut all = vec![
        ("operation", Value::text(operation.name)),
        ("API", Value::text(&parameters.backend)),
        ("TestID", Value::whole(parameters.test)),
        ("ReferenceNumber", Value::whole(parameters.reference)),
        ("segmentCount", Value::whole(parameters.segments)),
        ("blockSize", Value::whole(parameters.block)),
        ("transferSize", Value::whole(parameters.transfer)),
        ("numTasks", Value::whole(shown.ranks)),
        ("tasksPerNode", Value::whole(shown.place.ranks_on_node0)),
        ("repetitions", Value::whole(parameters.repetitions)),
        ("filePerProc", Value::flag(parameters.file_per_rank)),
        ("reorderTasks", Value::whole(shown.meant.constant)),
        ("taskPerNodeOffset", Value::whole(parameters.task_offset)),
        ("reorderTasksRandom", Value::whole(shown.meant.random_ranks)),
        ("reorderTasksRandomSeed", Value::whole(parameters.reorder_seed)),
    ];
    let (rates, ops) = (operation.rates, operation.ops);
    all.extend(["bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB"].into_iter().zip(rates.map(Value::Real)));
    all.extend(["OPsMax", "OPsMin", "OPsMean", "OPsSD"].into_iter().zip(ops.map(Value::Real)));
    all.push(("MeanTime", Value::Real(operation.seconds)));
    if let Some((seconds, per_rank)) = operation.stonewall {
        all.push(("StoneWallTime", Value::Real(seconds)));
        all.push(("StoneWallbwMeanMIB", Value::Real(per_rank)));
    }
    all.push(("xsizeMiB", Value::Real(operation.mib)));
    Value::Object(all)
}

impl Output for Json {
    fn begin(&mut self, warnings: &str) {
        self.streams.begin(warnings);
    }

    fn test(&mut self, meant: &Meant, space: Option<Space>) {
        let shown = Shown::new(meant);
        let (rows, warnings) = (Vec::new(), Vec::new());
        self.tests.push(Test { shown, started: date(), space, rows, warnings });
    }

    fn end_test(&mut self) {}

    fn finish(&mut self, complete: bool) -> Result<(), String> {
        let text = serde_json::to_string_pretty(&self.document(complete)).map_err(|why| why.to_string())?;
        self.streams.put(&format!("{text}\n"));
        self.streams.say(&self.warnings.lines());
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
            IorEvent::Phase(_) => test.rows.push(Row::Phase(test.shown.phases.len() - 1)),
            IorEvent::Removed { seconds, .. } if test.shown.parameters().verbose > 0 => {
                test.rows.push(Row::Removed(*seconds));
            }
            IorEvent::Notice(text) if test.warnings.iter().any(|known| known == text) => {}
            IorEvent::Notice(text) | IorEvent::Warning(text) => test.warnings.push((*text).to_owned()),
            _ => {}
        }
        let words = chatter::words(event, &test.shown, edition);
        self.streams.say(&words);
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
