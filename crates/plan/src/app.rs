//! External programs as tests: their command lines, and the lines of their output that are metrics.
//!
//! Invariant: the output of a program stays unmodified in the folder. A metric is what a pattern finds in the
//! output, so the same lines can be evaluated again at any time.
//! Never here: processes.

use regex_lite::Regex;
use results::record::{End, Record, Run, SCHEMA, Value};
use units::{Dimension, Quantity};

use crate::words::words;

/// An external program.
#[derive(Clone, Debug, PartialEq)]
pub struct App {
    /// Its arguments, with `{dir}` and other placeholders in them.
    pub words: Vec<String>,
    /// Its metrics, by `PHASE.NAME`.
    pub metrics: Vec<AppMetric>,
    /// The largest number of bytes that it writes, as the plan states it.
    pub writes_bytes: u64,
}

/// One number in the output of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct AppMetric {
    /// `PHASE.NAME`.
    pub name: String,
    /// The pattern of the line, with one group for the number.
    pub line: String,
    /// The number's unit.
    pub unit: String,
    /// Which of several matching lines counts.
    pub pick: Pick,
}

words! {
    /// The number of a job that counts if several lines match.
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

/// The metrics of known programs, which a plan selects by the program's name: name, line, unit.
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
    /// The metrics of the program that plans call `name`, or the known names.
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

    /// Its dimension, or the reason why it is not valid.
    pub fn dimension(&self) -> Result<Dimension, String> {
        let pattern = self.pattern()?;
        // The whole match is a group too.
        if pattern.captures_len() != 2 {
            return Err(format!("`{}` needs one group in ( ) for the number. Add it.", self.line));
        }
        self.quantity(1.0).map(|quantity| quantity.dimension)
    }

    fn pattern(&self) -> Result<Regex, String> {
        Regex::new(&format!("(?m){}", self.line)).map_err(|error| format!("`{}`: {error}", self.line))
    }

    fn quantity(&self, number: f64) -> Result<Quantity, String> {
        format!("{number} {}", self.unit)
            .parse()
            .map_err(|_| format!("`{}` is not a unit. Write for example `GB/s`, `/s` or `s`.", self.unit))
    }

    /// The number in `text`, in the base unit.
    fn value(&self, text: &str) -> Result<Value, String> {
        let mut numbers = Vec::new();
        for found in self.pattern()?.captures_iter(text) {
            let word = found.get(1).map_or("", |group| group.as_str());
            let number: f64 = word.parse().map_err(|_| format!("{}: `{word}` is not a number", self.name))?;
            if !number.is_finite() {
                return Err(format!(
                    "{}: the program printed `{word}`, which is not a finite number",
                    self.name
                ));
            }
            numbers.push(number);
        }
        let (count, first) = (numbers.len(), numbers.first().copied());
        let picked = match self.pick {
            Pick::One if count > 1 => {
                return Err(format!("{}: {count} lines match. Select one with `pick`.", self.name));
            }
            Pick::One | Pick::First => first,
            Pick::Last => numbers.last().copied(),
            Pick::Min => numbers.iter().copied().reduce(f64::min),
            Pick::Max => numbers.iter().copied().reduce(f64::max),
            Pick::Mean => first.map(|_| numbers.iter().sum::<f64>() / count as f64),
        };
        let number = picked.ok_or_else(|| format!("{}: no line matches `{}`", self.name, self.line))?;
        let quantity = self.quantity(number)?;
        let unit = quantity.dimension.unit().to_owned();
        Ok(Value { name: self.name.clone(), value: quantity.value, unit, lines: count as u64 })
    }
}

impl App {
    /// Names of the phases: the part of a metric's name before the first dot.
    pub fn phases(&self) -> Vec<String> {
        let mut phases: Vec<String> = self
            .metrics
            .iter()
            .filter_map(|metric| Some(metric.name.split_once('.')?.0.to_owned()))
            .collect();
        phases.dedup();
        phases
    }

    /// The dimension of a metric, or the known names.
    pub fn dimension(&self, name: &str) -> Result<Dimension, Vec<&str>> {
        let found = self.metrics.iter().find(|metric| metric.name == name);
        found
            .and_then(|metric| metric.dimension().ok())
            .ok_or_else(|| self.metrics.iter().map(|metric| metric.name.as_str()).collect())
    }

    /// The records of a job that printed `text`, or the reason why there are none.
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
