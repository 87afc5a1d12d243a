//! A campaign's progress on standard error: a living line on a terminal, plain lines elsewhere.

use std::io::{self, IsTerminal};
use std::time::Duration;

use campaign::schedule::PlannedJob;
use campaign::{Event, Observer};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use results::Record;
use results::folder::{Job, JobEnd};
use units::{count, duration, rate_decimal};

use crate::speech::complain;

/// Shows events as they come.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    jobs: usize,
    done: usize,
}

impl Progress {
    /// Finds out what standard error is.
    pub(super) fn new() -> Self {
        let bar = io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or(ProgressStyle::default_spinner());
            bar.set_style(style);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar, jobs: 0, done: 0 }
    }

    /// Takes the living line away.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| complain(text)),
            None => complain(text),
        }
    }

    fn name(&self, job: &PlannedJob) -> String {
        let of = format!("{:>3}/{}", self.done + 1, self.jobs);
        format!("{of}  {:<18} {}", job.test, job.repetition)
    }
}

impl Observer for Progress {
    fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Begins { jobs, done } => {
                (self.jobs, self.done) = (jobs.len(), *done);
                if *done > 0 {
                    self.line(&format!("{done} of {} jobs had ended before", jobs.len()));
                }
            }
            Event::Starts(job) => self.living(self.name(job)),
            Event::Runs(job, seconds) => self.living(format!("{}  {seconds:.0} s", self.name(job))),
            Event::Ends(job, ended) => {
                self.line(&format!("{}  {}", self.name(job), outcome(ended)));
                self.done += 1;
            }
            Event::LeftOut(job, why) => {
                self.line(&format!("{}  left out: {why}", self.name(job)));
                self.done += 1;
            }
        }
    }
}

impl Progress {
    fn living(&self, text: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(text);
        }
    }
}

/// What a job showed, in half a line.
fn outcome(job: &Job) -> String {
    if job.info.end != JobEnd::Exit(0) {
        return format!("{} ({})", campaign::judge::how(&job.info.end), job.folder);
    }
    let phases = job.records.iter().filter_map(|record| match record {
        Record::Phase(phase) => Some(phase),
        _ => None,
    });
    let shown = phases.map(|phase| {
        let small = phase.transfer_bytes < 64 * units::KIB;
        let number = match (small, phase.metric("iops"), phase.metric("bw")) {
            (true, Some(iops), _) => format!("{}/s", count(iops.value)),
            (false, _, Some(bw)) => rate_decimal(bw.value),
            _ => String::new(),
        };
        format!("{} {number}", phase.phase.replace('_', " "))
    });
    let shown: Vec<String> = shown.collect();
    format!("{:<28} {}", shown.join(", "), duration(job.info.seconds))
}

/// Columns of the terminal that standard output is, if it is one.
pub(super) fn width() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.filter(|columns| *columns >= 40)
}
