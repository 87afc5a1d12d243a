//! External programs as tests: their command lines, and the lines of their output that are metrics or facts.
//!
//! Invariant: the output of a program stays unmodified in the folder. A metric is what a pattern finds in the
//! output, so the same lines can be evaluated again at any time.
//! Never here: processes.

pub mod log;
mod reported;

use std::borrow::Cow;

use command::{ior, mdtest};
use regex_lite::Regex;
use results::record::{APP, End, Record, Reported, Run, SCHEMA, Value};
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
    pub parse: Option<KnownProgram>,
    /// The pattern of the line with its number of processes.
    pub tasks: Option<String>,
    /// The pattern of the lines with the seconds that it measured.
    pub seconds: Option<String>,
    /// The stream that has its facts, and its metrics unless they name another.
    pub stream: Stream,
    /// The largest number of bytes that it writes, as the plan states it.
    pub writes_bytes: u64,
}

/// One number in the output of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct AppMetric {
    /// `PHASE.NAME`.
    pub name: String,
    /// The patterns of the line, each with one group for the number. The first that matches counts.
    pub lines: Vec<String>,
    /// The number's unit.
    pub unit: String,
    /// Which of several matching lines counts.
    pub pick: Pick,
    /// The stream that has the line.
    pub stream: Stream,
}

words! {
    /// A stream into which a program prints.
    #[derive(Default)]
    pub enum Stream {
        /// Standard output.
        #[default]
        Out = "stdout",
        /// Standard error.
        Err = "stderr",
    }
}

impl Stream {
    /// The other stream.
    fn other(self) -> Self {
        match self {
            Self::Out => Self::Err,
            Self::Err => Self::Out,
        }
    }

    /// The end of a message about a missing line of this stream. It names the other stream if that has such a
    /// line, with `verb`. Otherwise it shows how this stream ends.
    fn remedy(self, is_in_other: bool, verb: &str, printed: PrintedText<'_>) -> String {
        let other = self.other().word();
        match is_in_other {
            true => format!(", but a line of {other} {verb}. Write `stream = \"{other}\"`."),
            false => format!(". {}", end_of(self.word(), printed.of(self))),
        }
    }
}

/// What a job of an external program printed.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintedText<'t> {
    /// Its standard output.
    pub out: &'t str,
    /// Its standard error.
    pub err: &'t str,
}

impl<'t> PrintedText<'t> {
    /// The text of one stream.
    pub fn of(self, stream: Stream) -> &'t str {
        match stream {
            Stream::Out => self.out,
            Stream::Err => self.err,
        }
    }
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

words! {
    /// A program whose output is known.
    pub enum KnownProgram {
        /// IOR.
        Ior = "ior",
        /// mdtest.
        Mdtest = "mdtest",
        /// FLASH-IO.
        FlashIo = "flash-io",
    }
}

/// Name, lines and unit.
type KnownMetric = (&'static str, &'static [&'static str], &'static str);

/// A row of IOR's summary for one access.
macro_rules! summary_row {
    ($access:literal) => {
        concat!("^", $access, r"[ \t]+(\S+)(?:[ \t]+\S+){19,}[ \t]*$")
    };
}

/// A row of mdtest's table of rates. The last columns are the mean and the deviation; with
/// `--showRankStatistics` there are more before them. A phase that did not run has a row of zeros, which is
/// no rate.
macro_rules! rates_row {
    ($operation:literal) => {
        concat!(
            r"^[ \t]*",
            $operation,
            r"[ \t]*:?(?:[ \t]+\S+)+[ \t]+([0-9.]*[1-9][0-9.]*|[-+]?inf|[-+]?nan)[ \t]+\S+[ \t]*$"
        )
    };
}

impl KnownProgram {
    /// Recent releases of IOR print `Max Write` only with `-v`. The row of the summary begins with the same
    /// number. It has 20 or more columns after the number, and a row of one repetition has at most 10.
    fn metrics(self) -> &'static [KnownMetric] {
        match self {
            Self::Ior => &[
                ("write.bw", &[r"^Max Write:\s+(\S+) MiB/sec", summary_row!("write")], "MiB/s"),
                ("read.bw", &[r"^Max Read:\s+(\S+) MiB/sec", summary_row!("read")], "MiB/s"),
            ],
            Self::Mdtest => &[
                ("directory_creation.rate", &[rates_row!("Directory creation")], "/s"),
                ("directory_stat.rate", &[rates_row!("Directory stat")], "/s"),
                ("directory_rename.rate", &[rates_row!("Directory rename")], "/s"),
                ("directory_removal.rate", &[rates_row!("Directory removal")], "/s"),
                ("file_creation.rate", &[rates_row!("File creation")], "/s"),
                ("file_stat.rate", &[rates_row!("File stat")], "/s"),
                ("file_read.rate", &[rates_row!("File read")], "/s"),
                ("file_removal.rate", &[rates_row!("File removal")], "/s"),
            ],
            Self::FlashIo => &[(
                "total.bw",
                &[r"^\s*[0-9]+\s+[0-9]+ x\s+[0-9]+ x\s+[0-9]+\s+[0-9.]+\s+([0-9.]+)\s*$"],
                "MiB/s",
            )],
        }
    }
}

impl AppMetric {
    /// The metrics of a known program in this stream.
    pub fn known(program: KnownProgram, stream: Stream) -> Vec<Self> {
        let metric = |(name, lines, unit): &KnownMetric| Self {
            name: (*name).to_owned(),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
            unit: (*unit).to_owned(),
            pick: Pick::One,
            stream,
        };
        program.metrics().iter().map(metric).collect()
    }

    /// Its dimension, or the reason why it is not valid.
    pub fn dimension(&self) -> Result<Dimension, String> {
        self.lines.iter().try_for_each(|line| check(line))?;
        self.quantity(1.0).map(|quantity| quantity.dimension)
    }

    fn quantity(&self, number: f64) -> Result<Quantity, String> {
        format!("{number} {}", self.unit)
            .parse()
            .map_err(|_| format!("`{}` is not a unit. Write for example `GB/s`, `/s` or `s`.", self.unit))
    }

    /// The numbers in `text` by the first of its patterns that matches.
    fn numbers(&self, text: &str) -> Result<Vec<f64>, String> {
        let all =
            self.lines.iter().map(|line| numbers(line, text).map_err(|why| format!("{}: {why}", self.name)));
        all.collect::<Result<Vec<_>, _>>()
            .map(|all| all.into_iter().find(|found| !found.is_empty()))
            .map(Option::unwrap_or_default)
    }

    /// The number in the output, in the base unit.
    fn value(&self, printed: PrintedText<'_>) -> Result<Value, String> {
        let numbers = self.numbers(printed.of(self.stream))?;
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
        let number = picked.ok_or_else(|| self.missing(printed))?;
        let quantity = self.quantity(number)?;
        let unit = quantity.dimension.unit().to_owned();
        Ok(Value { name: self.name.clone(), value: quantity.value, unit, lines: count as u64 })
    }

    /// The message that no line matches, with the end of the output or the stream that has such a line.
    fn missing(&self, printed: PrintedText<'_>) -> String {
        let (name, stream, line) = (&self.name, self.stream.word(), self.lines.join("` or `"));
        let what = format!("{name}: no line of {stream} matches `{line}`");
        what + &self.stream.remedy(self.has_numbers(printed.of(self.stream.other())), "does", printed)
    }

    /// Whether a line of `text` has a number of this metric.
    fn has_numbers(&self, text: &str) -> bool {
        self.numbers(text).is_ok_and(|found| !found.is_empty())
    }
}

/// The number of lines, and of characters of each, that a message shows of an output.
const SHOWN: (usize, usize) = (3, 120);

/// The last lines of an output, for messages.
fn end_of(stream: &str, text: &str) -> String {
    let mut last: Vec<String> = text
        .lines()
        .rev()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .take(SHOWN.0)
        .map(|line| line.chars().take(SHOWN.1).collect())
        .collect();
    last.reverse();
    match last.is_empty() {
        true => format!("Nothing was printed to {stream}."),
        false => format!("{stream} ends with: {}", last.join(" / ")),
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

    /// The facts in the output of a job whose files are in `dir`.
    fn reported(&self, dir: &str, printed: PrintedText<'_>) -> Result<Reported, String> {
        let text = printed.of(self.stream);
        let mut facts = self.parse.map(|program| reported::parse(program, text)).unwrap_or_default();
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

    /// The message that the output of a known program has none of its results.
    fn no_result(&self, program: KnownProgram, printed: PrintedText<'_>) -> String {
        let what = format!("no line of {} is a result of {}", self.stream.word(), program.word());
        let other = printed.of(self.stream.other());
        let is_there = self.metrics.iter().any(|metric| metric.has_numbers(other));
        what + &self.stream.remedy(is_there, "is", printed)
    }

    /// The facts of the command line that IOR printed, if the program is IOR.
    pub fn ior_line(&self, facts: &Reported) -> Option<ior::Line> {
        self.options(KnownProgram::Ior, facts).map(ior::Line::read)
    }

    /// The facts of the command line that mdtest printed, if the program is mdtest.
    pub fn mdtest_line(&self, facts: &Reported) -> Option<mdtest::Line> {
        self.options(KnownProgram::Mdtest, facts).map(mdtest::Line::read)
    }

    /// The options on the command line that the program printed, if it is this one.
    fn options<'f>(&self, program: KnownProgram, facts: &'f Reported) -> Option<&'f [String]> {
        let is_printed = self.parse == Some(program) && !facts.argv.is_empty();
        is_printed.then(|| facts.arguments(program.word()))
    }

    /// The records of a job that printed this, or the reason why there are none. Its files are in `dir`.
    pub fn records(
        &self,
        argv: &[String],
        ranks: u32,
        dir: &str,
        printed: PrintedText<'_>,
    ) -> Result<Vec<Record>, String> {
        let is_mdtest = self.parse == Some(KnownProgram::Mdtest);
        let rates = |text| if is_mdtest { log::without_times(text) } else { Cow::Borrowed(text) };
        let (out, err) = (rates(printed.out), rates(printed.err));
        let printed = PrintedText { out: &out, err: &err };
        let run = Run {
            schema: SCHEMA,
            tool: argv.first().cloned().unwrap_or_default(),
            workload: APP.to_owned(),
            argv: argv.to_vec(),
            ranks,
            ..Run::default()
        };
        let mut records = vec![Record::Run(run)];
        // A known program prints only the phases that it ran.
        let is_there = |metric: &&AppMetric| {
            self.parse.is_none()
                || !metric.numbers(printed.of(metric.stream)).is_ok_and(|found| found.is_empty())
        };
        for metric in self.metrics.iter().filter(is_there) {
            records.push(Record::Value(metric.value(printed)?));
        }
        if let (Some(program), [_]) = (self.parse, &records[..]) {
            return Err(self.no_result(program, printed));
        }
        let facts = self.reported(dir, printed)?;
        if !facts.is_empty() {
            records.push(Record::Reported(Box::new(facts)));
        }
        records.push(Record::End(End::default()));
        Ok(records)
    }
}
