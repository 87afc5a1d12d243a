//! The progress of a campaign on standard error: an updated line on a terminal, plain lines elsewhere.

use std::time::Duration;

use indicatif::ProgressBar;
use plan::schedule::PlannedJob;
use results::folder::{Job, JobEnd};
use results::record::{CaseOutcome, Counts, Phase, Record};
use run::Event;
use units::{Dimension, Quantity, count, duration, rate_decimal, visible};

use crate::speech::{complain, living_line};

/// Shows events as they happen.
pub(super) struct Progress {
    bar: ProgressBar,
    jobs: usize,
    done: usize,
}

impl Progress {
    /// A display for the kind of standard error.
    pub(super) fn new() -> Self {
        let bar = living_line("{spinner} {msg}", None);
        if !bar.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self { bar, jobs: 0, done: 0 }
    }

    /// Removes the updated line.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn line(&self, text: &str) {
        self.bar.suspend(|| complain(&visible(text)));
    }

    fn name(&self, job: &PlannedJob) -> String {
        let of = format!("{:>3}/{}", self.done + 1, self.jobs);
        format!("{of}  {:<18} {}", job.test, job.repetition)
    }

    pub(super) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Begins { jobs, done } => {
                (self.jobs, self.done) = (jobs.len(), *done);
                if *done > 0 {
                    self.line(&format!("{done} of {} jobs ended before", jobs.len()));
                }
            }
            Event::Resumes { restored, aside } => {
                restored.iter().for_each(|what| self.line(&format!("restored: {what}")));
                aside.iter().for_each(|attempt| {
                    self.line(&format!("kept: {attempt}, which ended with its campaign"))
                });
            }
            Event::Probed(probe) => {
                let how = match probe.info.end {
                    JobEnd::Exit(0) => format!("ranks started in {}", duration(probe.info.seconds)),
                    _ => probe.info.end.words(),
                };
                self.line(&format!("probe of the launcher: {how} ({})", probe.folder));
            }
            Event::Starts(job) => self.bar.set_message(visible(&self.name(job))),
            Event::Runs(job, seconds) => {
                let limit = duration(job.timeout_s);
                let name = self.name(job);
                self.bar.set_message(visible(&format!("{name}  runs {seconds:.0} s of at most {limit}")));
            }
            Event::Ends(job, ended) => {
                self.line(&format!("{}  {}", self.name(job), outcome(ended)));
                self.done += 1;
            }
            Event::Repeats(job, cause) => {
                self.done -= 1;
                self.line(&format!("{}  runs again: {cause}", self.name(job)));
            }
            Event::LeftOut(job, why) => {
                self.line(&format!("{}  not run: {why}", self.name(job)));
                self.done += 1;
            }
            Event::Trouble(what) => self.line(&format!("not restored; restore it by hand: {what}")),
        }
    }
}

/// The result of a job, in half a line.
fn outcome(job: &Job) -> String {
    let cases = cases(job);
    if job.info.end != JobEnd::Exit(0) {
        let how = job.info.end.words();
        return format!("{how} ({}) {cases}", job.folder).trim_end().to_owned();
    }
    if let Some(made) = job.dataset.as_ref().filter(|made| made.reused.is_some()) {
        return format!("reused: created by {} at {}", made.campaign, made.made);
    }
    let phases = job.records.iter().filter_map(|record| match record {
        Record::Phase(phase) => Some(phase),
        _ => None,
    });
    let shown = phases.map(|phase| format!("{} {}", phase.phase.replace('_', " "), speed(phase)));
    let values = job.records.iter().filter_map(|record| match record {
        Record::Value(value) => Some(format!("{} {}", value.name, quantity(value.value, &value.unit))),
        _ => None,
    });
    let shown: Vec<String> = shown.chain(values).chain((!cases.is_empty()).then_some(cases)).collect();
    let recreated = job.dataset.as_ref().and_then(|made| made.instead_of.as_ref());
    let recreated = recreated.map(|why| format!("; recreated: {why}")).unwrap_or_default();
    format!("{:<28} {}{recreated}", shown.join(", "), duration(job.info.seconds))
}

/// A value in a base unit, for people.
fn quantity(value: f64, unit: &str) -> String {
    match Dimension::of_unit(unit) {
        Some(dimension) => Quantity { value, dimension }.to_string(),
        None => format!("{value} {unit}"),
    }
}

/// The number of cases with each outcome; empty without cases.
fn cases(job: &Job) -> String {
    let number = |wanted: CaseOutcome| {
        let such = |record: &&Record| matches!(record, Record::Case(case) if case.outcome == wanted);
        job.records.iter().filter(such).count()
    };
    let counted = CaseOutcome::ALL.map(|outcome| (number(outcome), outcome.word()));
    let shown = counted.iter().filter(|(number, _)| *number > 0);
    shown.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

/// The speed of a phase, by the metric that a criterion usually has. This is `rate` for operations, `iops`
/// for small transfers, and `bw` for others.
fn speed(phase: &Phase) -> String {
    let operations = phase.counts == Counts::Operations;
    let small = phase.transfer_bytes < 64 * units::KIB;
    let name = if operations { "rate" } else { ["bw", "iops"][usize::from(small)] };
    match phase.metric(name) {
        Some(metric) if name == "bw" => rate_decimal(metric.value),
        Some(metric) => format!("{}/s", count(metric.value)),
        None => String::new(),
    }
}

/// The number of columns of the terminal, if it is known.
pub(super) fn width() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|columns| *columns >= 40)
}

#[cfg(test)]
mod tests {
    use results::record::{Case, Spans, Value, Window};

    use super::*;

    #[test]
    fn the_shown_speed_is_the_one_that_is_evaluated() {
        let spans = Spans { transfer_s: 1.0, total_s: 2.0, ..Spans::default() };
        let files = Phase {
            counts: Counts::Operations,
            ops: 3000,
            bytes: 8 << 30,
            transfer_bytes: 1 << 20,
            spans,
            ..Phase::default()
        };
        assert_eq!(speed(&files), "1.50 k/s", "operations until the last rank ended");
        let window = Some(Window { ops: 1000, seconds: 0.5, first_rank: 0 });
        assert_eq!(speed(&Phase { window, ..files.clone() }), "2.00 k/s", "while all ranks were active");
        let data = Phase { counts: Counts::Bytes, bytes: 4_000_000_000, ..files };
        assert_eq!(speed(&data), "2.00 GB/s");
        assert_eq!(speed(&Phase { transfer_bytes: 4096, ..data.clone() }), "3.00 k/s");
        assert_eq!(speed(&Phase { spans: Spans::default(), ..data }), "");
    }

    #[test]
    fn an_external_program_shows_the_values_in_its_output() {
        let value = Value { name: "step.bw".into(), value: 5e9, unit: "B/s".into(), lines: 1 };
        let mut job = Job { records: vec![Record::Value(value)], ..Job::default() };
        (job.info.end, job.info.seconds) = (JobEnd::Exit(0), 7500.0);
        assert_eq!(outcome(&job), "step.bw 5.00 GB/s            2 h 05 min");
    }

    #[test]
    fn a_suite_shows_its_cases_by_outcome_also_if_it_failed() {
        let case = |outcome| Record::Case(Box::new(Case { outcome, ..Case::default() }));
        let records = [CaseOutcome::Pass, CaseOutcome::Skipped, CaseOutcome::Pass].map(case).to_vec();
        let mut job = Job { records, ..Job::default() };
        (job.info.end, job.info.seconds) = (JobEnd::Exit(0), 2.0);
        assert_eq!(outcome(&job), "2 pass, 1 skipped            2.00 s");
        job.records.push(case(CaseOutcome::Fail));
        (job.info.end, job.folder) = (JobEnd::Exit(1), "jobs/1".into());
        assert_eq!(outcome(&job), "ended with status 1 (jobs/1) 2 pass, 1 fail, 1 skipped");
    }
}
