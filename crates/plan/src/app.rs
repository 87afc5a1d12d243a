//! External programs as tests: how one is called, and which lines of what it prints are its metrics.
//!
//! Invariant: what a program printed stays in the folder as it was; a metric is what a pattern finds in it,
//! so that another reading of the same lines is possible at any time.
//! Never here: processes.

use regex_lite::Regex;
use results::record::{End, Record, Run, SCHEMA, Value};
use units::{Dimension, Quantity};

use crate::words::words;

/// An external program.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Its words, with `{dir}` and the like in them.
    pub words: Vec<String>,
    /// What it measures, by `PHASE.NAME`.
    pub metrics: Vec<AppMetric>,
    /// Bytes that it writes at most, as the plan says.
    pub writes_bytes: u64,
}

/// One number in what a program prints.
#[derive(Clone, Debug, PartialEq)]
pub struct AppMetric {
    /// `PHASE.NAME`.
    pub name: String,
    /// The line, with one group for the number.
    pub line: String,
    /// The number's unit.
    pub unit: String,
    /// Which of several.
    pub pick: Pick,
}

words! {
    /// Which number of a launch counts where several lines fit.
    #[derive(Default)]
    pub enum Pick {
        /// The only one; several are rejected.
        #[default]
        One = "one",
        /// The first.
        First = "first",
        /// The last.
        Last = "last",
        /// The smallest.
        Min = "min",
        /// The largest.
        Max = "max",
        /// Their arithmetic mean.
        Mean = "mean",
    }
}

/// Name, line and unit.
type KnownMetric = (&'static str, &'static str, &'static str);

/// A program's metrics under a name that plans may give instead: name, line, unit.
const KNOWN: &[(&str, &[KnownMetric])] = &[
    (
        "ior",
        &[
            ("write.bw", r"^Max Write:\s+([0-9.]+) MiB/sec", "MiB/s"),
            ("read.bw", r"^Max Read:\s+([0-9.]+) MiB/sec", "MiB/s"),
        ],
    ),
    (
        "mdtest",
        &[
            ("directory_creation.rate", r"^\s*Directory creation\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
            ("directory_stat.rate", r"^\s*Directory stat\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
            ("directory_removal.rate", r"^\s*Directory removal\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
            ("file_creation.rate", r"^\s*File creation\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
            ("file_stat.rate", r"^\s*File stat\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
            ("file_read.rate", r"^\s*File read\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
            ("file_removal.rate", r"^\s*File removal\s*:?(?:\s+[0-9.]+){2}\s+([0-9.]+)", "/s"),
        ],
    ),
    (
        "flash-io",
        &[("total.bw", r"^\s*[0-9]+\s+[0-9]+ x\s+[0-9]+ x\s+[0-9]+\s+[0-9.]+\s+([0-9.]+)\s*$", "MiB/s")],
    ),
];

impl AppMetric {
    /// Those of the program that plans call `name`; the names there are where it is none.
    pub fn known(name: &str) -> Result<Vec<Self>, Vec<&'static str>> {
        let Some((_, metrics)) = KNOWN.iter().find(|(known, _)| *known == name) else {
            return Err(KNOWN.iter().map(|(known, _)| *known).collect());
        };
        let metric = |(name, line, unit): &KnownMetric| Self {
            name: (*name).to_owned(),
            line: (*line).to_owned(),
            unit: (*unit).to_owned(),
            pick: Pick::One,
        };
        Ok(metrics.iter().map(metric).collect())
    }

    /// What it measures, or why it cannot.
    pub fn dimension(&self) -> Result<Dimension, String> {
        let pattern = self.pattern()?;
        // The whole match is one of them.
        if pattern.captures_len() != 2 {
            return Err(format!("`{}` needs one group in ( ) for the number", self.line));
        }
        self.quantity(1.0).map(|quantity| quantity.dimension)
    }

    fn pattern(&self) -> Result<Regex, String> {
        Regex::new(&format!("(?m){}", self.line)).map_err(|error| format!("`{}`: {error}", self.line))
    }

    fn quantity(&self, number: f64) -> Result<Quantity, String> {
        format!("{number} {}", self.unit)
            .parse()
            .map_err(|_| format!("`{}` is no unit; write it as in `GB/s`, `/s` or `s`", self.unit))
    }

    /// The number in `text`, in the base unit.
    fn value(&self, text: &str) -> Result<Value, String> {
        let mut numbers = Vec::new();
        for found in self.pattern()?.captures_iter(text) {
            let word = found.get(1).map_or("", |group| group.as_str());
            let number: f64 = word.parse().map_err(|_| format!("{}: `{word}` is no number", self.name))?;
            numbers.push(number);
        }
        let (count, first) = (numbers.len(), numbers.first().copied());
        let picked = match self.pick {
            Pick::One if count > 1 => {
                return Err(format!("{}: {count} lines fit; say with `pick` which counts", self.name));
            }
            Pick::One | Pick::First => first,
            Pick::Last => numbers.last().copied(),
            Pick::Min => numbers.iter().copied().reduce(f64::min),
            Pick::Max => numbers.iter().copied().reduce(f64::max),
            Pick::Mean => first.map(|_| numbers.iter().sum::<f64>() / count as f64),
        };
        let number = picked.ok_or_else(|| format!("{}: no line fits `{}`", self.name, self.line))?;
        let quantity = self.quantity(number)?;
        let unit = quantity.dimension.unit().to_owned();
        Ok(Value { name: self.name.clone(), value: quantity.value, unit, lines: count as u64 })
    }
}

impl App {
    /// Names of the phases, what stands before the first dot of its metrics.
    pub fn phases(&self) -> Vec<String> {
        let mut phases: Vec<String> = self
            .metrics
            .iter()
            .filter_map(|metric| Some(metric.name.split_once('.')?.0.to_owned()))
            .collect();
        phases.dedup();
        phases
    }

    /// What the metric measures; the names there are where there is none such.
    pub fn dimension(&self, name: &str) -> Result<Dimension, Vec<&str>> {
        let found = self.metrics.iter().find(|metric| metric.name == name);
        found
            .and_then(|metric| metric.dimension().ok())
            .ok_or_else(|| self.metrics.iter().map(|metric| metric.name.as_str()).collect())
    }

    /// The records of a launch that printed `text`, or why there are none.
    pub fn records(&self, argv: &[String], ranks: u32, text: &str) -> Result<Vec<Record>, String> {
        let run = Run {
            schema: SCHEMA,
            tool: argv.first().cloned().unwrap_or_default(),
            workload: "app".to_owned(),
            argv: argv.to_vec(),
            ranks,
            ..Run::default()
        };
        let mut records = vec![Record::Run(run)];
        for metric in &self.metrics {
            records.push(Record::Value(metric.value(text)?));
        }
        records.push(Record::End(End::default()));
        Ok(records)
    }
}
