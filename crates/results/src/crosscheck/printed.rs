//! Whether the rows that `ior` printed are those of its records.
//!
//! Never here: the output of external programs, which only a plan explains.

use super::of_job::run_of;
use crate::folder::Job;
use crate::reason::Reason;
use crate::record::{Phase, phases};

/// The largest difference of two computations of one number, as a share.
const SAME_NUMBER: f64 = 1e-9;
/// The columns of a row: access, nine numbers, and the repetition.
const COLUMNS: usize = 11;

/// A printed number, with the largest difference of its rounding.
#[derive(Clone, Copy)]
struct Printed<'a> {
    text: &'a str,
    value: f64,
    rounding: f64,
}

impl<'a> Printed<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        Some(Self { text, value, rounding: 0.5 * 10_f64.powi(-(decimals as i32)) })
    }

    fn is(&self, found: f64) -> bool {
        (self.value - found).abs() <= self.rounding + SAME_NUMBER * found.abs()
    }
}

/// A row of the results.
struct Row<'a> {
    access: &'a str,
    /// MiB/s.
    bw: Printed<'a>,
    total_s: Printed<'a>,
    repetition: u32,
}

impl<'a> Row<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbers: Option<Vec<Printed<'_>>> = words.iter().skip(1).map(|word| Printed::of(word)).collect();
        let numbers = numbers.filter(|_| words.len() == COLUMNS)?;
        let repetition = words.last()?.parse().ok()?;
        Some(Self { access: words[0], bw: numbers[0], total_s: numbers[COLUMNS - 3], repetition })
    }

    fn is_about(&self, phase: &Phase) -> bool {
        let names: &[&str] = match self.access {
            "write" => &["write"],
            "read" => &["read", "read_check"],
            "mix-write" => &["mixed_write"],
            "mix-read" => &["mixed_read"],
            _ => &[],
        };
        names.contains(&phase.phase.as_str()) && phase.repetition == self.repetition
    }
}

/// The rows of results in what `ior` printed, a line each.
pub(crate) fn rows_of_ior(text: &str) -> String {
    text.lines().filter(|line| Row::of(line).is_some()).flat_map(|line| [line, "\n"]).collect()
}

/// The rate of a phase as it is printed, MiB/s.
fn bw(phase: &Phase) -> f64 {
    phase.metric("bw").map_or(0.0, |metric| metric.value) / f64::from(1 << 20)
}

/// The first printed row that none of its phases has.
pub(super) fn contradiction(job: &Job) -> Option<Reason> {
    run_of(job).filter(|run| run.workload == "ior")?;
    job.printed.as_deref()?.lines().filter_map(Row::of).find_map(|row| {
        let mut about = phases(&job.records).filter(|phase| row.is_about(phase)).peekable();
        let first = *about.peek()?;
        if about.any(|phase| row.bw.is(bw(phase)) && row.total_s.is(phase.spans.total_s)) {
            return None;
        }
        let (column, printed, found) = match row.total_s.is(first.spans.total_s) {
            true => ("bw(MiB/s)", row.bw.text, bw(first)),
            false => ("total(s)", row.total_s.text, first.spans.total_s),
        };
        let printed = (&*format!("{column} of {} in stdout.txt", row.access), printed.to_owned());
        Some(super::contradiction(job, printed, ("its value in the records", found.to_string())))
    })
}
