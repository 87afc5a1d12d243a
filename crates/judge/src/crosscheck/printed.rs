//! Whether the rows that `ior` printed are those of its records.
//!
//! Never here: the output of external programs, which only a plan explains.

use super::of_job::run_of;
use command::WorkloadName;
use results::folder::{IorRow, Job};
use results::reason::Reason;
use results::record::{Phase, phases};

/// Whether a row is about a phase.
fn is_about(row: &IorRow<'_>, phase: &Phase) -> bool {
    let names: &[&str] = match row.access {
        "write" => &["write"],
        "read" => &["read", "read_check"],
        "mix-write" => &["mixed_write"],
        "mix-read" => &["mixed_read"],
        _ => &[],
    };
    names.contains(&phase.phase.as_str()) && phase.repetition == row.repetition
}

/// The rate of a phase as it is printed, MiB/s.
fn bw(phase: &Phase) -> f64 {
    phase.metric("bw").map_or(0.0, |metric| metric.value) / f64::from(1 << 20)
}

/// The first printed row that none of its phases has.
pub(super) fn contradiction(job: &Job) -> Option<Reason> {
    run_of(job).filter(|run| run.workload == WorkloadName::Ior.command())?;
    job.printed.as_deref()?.lines().filter_map(IorRow::parse).find_map(|row| {
        let mut about = phases(&job.records).filter(|phase| is_about(&row, phase)).peekable();
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
