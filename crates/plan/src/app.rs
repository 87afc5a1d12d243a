//! External programs as tests: their command lines, and the lines of their output that are metrics or facts.
//!
//! Invariant: the output of a program stays unmodified in the folder. A metric is what a pattern finds in the
//! output, so the same lines can be evaluated again at any time.
//! Never here: processes.

mod reported;

use command::IorFacts;
use regex_lite::Regex;
use results::record::{End, Record, Reported, Run, SCHEMA, Value};
use units::{Dimension, Quantity};

use crate::words::words;

/// An external program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct App {
    /// Its arguments, with `{dir}` and other placeholders in them.
    pub words: Vec<String>,
    /// Its metrics, by `PHASE.NAME`.
    pub metrics: Vec<AppMetric>,
    /// The known program whose output it prints.
    pub parse: Option<String>,
    /// The pattern of the line with its number of processes.
    pub tasks: Option<String>,
    /// The pattern of the lines with the seconds that it measured.
    pub seconds: Option<String>,
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
        check(&self.line)?;
        self.quantity(1.0).map(|quantity| quantity.dimension)
    }

    fn quantity(&self, number: f64) -> Result<Quantity, String> {
        format!("{number} {}", self.unit)
            .parse()
            .map_err(|_| format!("`{}` is not a unit. Write for example `GB/s`, `/s` or `s`.", self.unit))
    }

    /// The number in `text`, in the base unit.
    fn value(&self, text: &str) -> Result<Value, String> {
        let numbers = numbers(&self.line, text).map_err(|why| format!("{}: {why}", self.name))?;
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

/// Whether a pattern is one with one group, or why not.
pub(crate) fn check(line: &str) -> Result<(), String> {
    // The whole match is a group too.
    match pattern(line)?.captures_len() {
        2 => Ok(()),
        _ => Err(format!("`{line}` needs one group in ( ) for the number. Add it.")),
    }
}

fn pattern(line: &str) -> Result<Regex, String> {
    Regex::new(&format!("(?m){line}")).map_err(|error| format!("`{line}`: {error}"))
}

/// The numbers in all lines of `text` that match.
fn numbers(line: &str, text: &str) -> Result<Vec<f64>, String> {
    let mut numbers = Vec::new();
    for found in pattern(line)?.captures_iter(text) {
        let word = found.get(1).map_or("", |group| group.as_str());
        let number: f64 = word.parse().map_err(|_| format!("`{word}` is not a number"))?;
        if !number.is_finite() {
            return Err(format!("the program printed `{word}`, which is not a finite number"));
        }
        numbers.push(number);
    }
    Ok(numbers)
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

    /// The facts in the output `text` of a job whose files are in `dir`.
    fn reported(&self, dir: &str, text: &str) -> Result<Reported, String> {
        let mut facts = self.parse.as_ref().map(|name| reported::of(name, text)).unwrap_or_default();
        facts.dir = dir.to_owned();
        let of = |line: &String, name: &str| numbers(line, text).map_err(|why| format!("{name}: {why}"));
        if let Some(line) = &self.tasks {
            // A number that no process can count is none of the plan.
            facts.tasks = of(line, "tasks")?.first().map(|number| *number as u64);
        }
        if let Some(line) = &self.seconds {
            facts.seconds = Some(of(line, "seconds")?.iter().sum());
        }
        Ok(facts)
    }

    /// The facts of the command line that IOR printed, if the program is IOR.
    pub fn ior_line(&self, facts: &Reported) -> Option<IorFacts> {
        let words = facts.argv.get(1..).filter(|_| self.parse.as_deref() == Some("ior"))?;
        // The options of this program come before the name of the workload.
        let from = words.iter().position(|word| word == "ior").map_or(0, |at| at + 1);
        Some(IorFacts::read(&words[from..]))
    }

    /// The records of a job that printed `text`, or the reason why there are none. Its files are in `dir`.
    pub fn records(&self, argv: &[String], ranks: u32, dir: &str, text: &str) -> Result<Vec<Record>, String> {
        let run = Run {
            schema: SCHEMA,
            tool: argv.first().cloned().unwrap_or_default(),
            workload: "app".to_owned(),
            argv: argv.to_vec(),
            ranks,
            ..Run::default()
        };
        let mut records = vec![Record::Run(run)];
        // A known program prints only the phases that it ran.
        let is_there = |metric: &AppMetric| {
            self.parse.is_none() || numbers(&metric.line, text).is_ok_and(|found| !found.is_empty())
        };
        for metric in self.metrics.iter().filter(|metric| is_there(metric)) {
            records.push(Record::Value(metric.value(text)?));
        }
        let facts = self.reported(dir, text)?;
        if !facts.is_empty() {
            records.push(Record::Reported(Box::new(facts)));
        }
        records.push(Record::End(End::default()));
        Ok(records)
    }
}
