//! The progress of a campaign: a view on a terminal, plain lines elsewhere.
//!
//! The clauses are evaluated between jobs, in this process. While a job runs, its progress is read from its
//! folder, and there are at most four frames a second.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::run::Event;
use ::run::notify::NotifyCommand;
use measure::statistics;
use plan::schedule::PlannedJob;
use report::sentences::sentence;
use results::folder::{self, Job, JobEnd, RunningJob, names};
use results::record::{self, CaseOutcome, Counts, Phase};
use units::{Dimension, Quantity, count, duration, rate_decimal, several, visible};

use super::notifier::Notifier;
use crate::commands::watch::screen::{self, ScreenStream};
use crate::commands::watch::shown::{CampaignShown, RunningShown};
use crate::commands::watch::standing::CampaignStanding;
use crate::speech::complain;

/// Shortest time between two readings of what a job shows.
const READ_EVERY: Duration = Duration::from_millis(900);
/// Evaluations between jobs may take this share of the time of the campaign, and a second in any case.
const EVALUATION_SHARE: f64 = 0.01;
/// The most phases of a job that are listed one by one.
const PHASES_LISTED: usize = 4;

/// How a campaign is shown, and who receives its verdicts.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunDisplay {
    /// Whether to print plain lines, also on a terminal.
    pub(crate) is_plain: bool,
    /// The command of `--notify`.
    pub(crate) notify: Option<NotifyCommand>,
}

impl RunDisplay {
    /// Whether there is a view: standard error is a terminal that can show it.
    pub(super) fn has_view(&self) -> bool {
        !self.is_plain && ScreenStream::Err.can_show()
    }
}

/// A running job as last read from its folder.
struct ShownJob {
    folder: RunningJob,
    shown: RunningShown,
    read: Option<Instant>,
}

/// Shows events as they happen.
pub(super) struct Progress {
    folder: PathBuf,
    has_view: bool,
    jobs: usize,
    done: usize,
    /// The clauses, if there is a view or a command that receives verdicts.
    standing: Option<CampaignStanding>,
    running: BTreeMap<String, ShownJob>,
    /// What was printed while the view was open; it is printed again after it.
    lines: Vec<String>,
    begun: Instant,
    /// The time that evaluations took.
    evaluated: Duration,
    pub(super) notifier: Option<Notifier>,
}

impl Progress {
    /// A display of the campaign of `plan` in `folder`.
    pub(super) fn new(display: &RunDisplay, folder: &Path, plan: &str) -> Self {
        let command = display.notify.clone();
        Self {
            folder: folder.to_owned(),
            has_view: display.has_view(),
            jobs: 0,
            done: 0,
            standing: None,
            running: BTreeMap::new(),
            lines: Vec::new(),
            begun: Instant::now(),
            evaluated: Duration::ZERO,
            notifier: command.map(|command| Notifier::new(command, folder, plan)),
        }
    }

    /// The number of jobs that have ended, and of all, if the campaign has begun.
    pub(super) fn jobs(&self) -> Option<(usize, usize)> {
        (self.jobs > 0).then_some((self.done, self.jobs))
    }

    /// Closes the view, and prints the lines that it hid.
    pub(super) fn clear(&mut self) {
        if std::mem::take(&mut self.has_view) {
            screen::close();
            self.lines.drain(..).for_each(|line| complain(&line));
        }
    }

    pub(super) fn line(&mut self, text: &str) {
        let text = visible(text);
        match self.has_view {
            true => self.lines.push(text),
            false => complain(&text),
        }
    }

    /// A line that a person should read: it is among the warnings of the view, too.
    fn trouble(&mut self, text: &str) {
        self.line(text);
        if let Some(standing) = &mut self.standing {
            standing.warn(visible(text));
        }
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
                self.stand();
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
            Event::Starts(job) => self.starts(job),
            Event::Runs(job, seconds) => {
                if let Some(running) = self.running.get_mut(&job.folder) {
                    running.shown.seconds = *seconds;
                }
            }
            Event::PartEnds(job) => {
                if let Some(running) = self.running.get_mut(&job.folder) {
                    running.shown.has_ended = true;
                }
            }
            Event::Ends(job, ended) => self.ends(job, ended),
            Event::Repeats(job, cause) => {
                self.done -= 1;
                self.line(&format!("{}  runs again: {cause}", self.name(job)));
                if let Some(standing) = &mut self.standing {
                    standing.repeats(job);
                }
            }
            Event::LeftOut(job, why) => {
                self.line(&format!("{}  not run: {}", self.name(job), sentence(why)));
                self.done += 1;
                if let Some(standing) = &mut self.standing {
                    standing.left_out(job);
                }
            }
            Event::Beside(campaign) => self.trouble(&format!(
                "warning: another campaign works in the same directory: {campaign}. Each slows the other. \
                 Stop one of them."
            )),
            Event::Trouble(what) => self.trouble(&format!("not restored; restore it by hand: {what}")),
        }
        self.draw();
    }

    /// The clauses of the campaign in the folder, which an earlier run may have begun.
    fn stand(&mut self) {
        if self.has_view || self.notifier.is_some() {
            let loaded = folder::load(&self.folder).ok();
            // Without it the campaign runs all the same, and the view has no clauses.
            self.standing = loaded.and_then(|campaign| CampaignStanding::new(campaign).ok());
        }
    }

    fn starts(&mut self, job: &PlannedJob) {
        let folder = format!("{}/{}", names::JOBS, job.folder);
        let shown = RunningShown {
            test: job.test.clone(),
            repetition: job.repetition,
            limit_s: job.timeout_s,
            ..RunningShown::default()
        };
        let running = ShownJob { folder: RunningJob { folder, ..RunningJob::default() }, shown, read: None };
        self.running.insert(job.folder.clone(), running);
    }

    fn ends(&mut self, job: &PlannedJob, ended: &Job) {
        self.line(&format!("{}  {}", self.name(job), outcome(ended)));
        self.done += 1;
        self.running.remove(&job.folder);
        let Some(standing) = &mut self.standing else { return };
        standing.ended(ended);
        // The parts of a group end together, and the last of them decides.
        let may_last = self.begun.elapsed().mul_f64(EVALUATION_SHARE) + Duration::from_secs(1);
        if self.running.is_empty() && self.evaluated <= may_last {
            let begun = Instant::now();
            standing.evaluate();
            self.evaluated += begun.elapsed();
            if let Some(notifier) = &mut self.notifier {
                notifier.decided(standing.verdicts(), standing.decided());
            }
            self.show_troubles();
        }
    }

    /// Shows what the notifier could not report.
    pub(super) fn show_troubles(&mut self) {
        let troubles = self.notifier.as_mut().map(Notifier::troubles).unwrap_or_default();
        troubles.iter().for_each(|trouble| self.trouble(trouble));
    }

    /// Draws a frame, if there is a view and the last frame is long enough ago.
    fn draw(&mut self) {
        // Before the jobs are known there is nothing to show.
        if !self.has_view || self.jobs == 0 {
            return;
        }
        let now = Instant::now();
        let is_due = |job: &&mut ShownJob| job.read.is_none_or(|read| now - read >= READ_EVERY);
        for job in self.running.values_mut().filter(is_due) {
            job.folder.read(&self.folder);
            job.shown.progress.clone_from(&job.folder.progress);
            job.read = Some(now);
        }
        let shown = || self.shown();
        if !screen::show(ScreenStream::Err, &shown) {
            // A signal closed the view. The campaign ends its jobs, and says so in lines.
            self.clear();
        }
    }

    fn shown(&self) -> CampaignShown {
        let running: Vec<RunningShown> = self.running.values().map(|job| job.shown.clone()).collect();
        let state = match running.iter().filter(|job| !job.has_ended).count() {
            0 => "Between two jobs.".to_owned(),
            1 => "A job runs. Ctrl-C stops the campaign, which can be resumed.".to_owned(),
            many => format!("{many} jobs run. Ctrl-C stops the campaign, which can be resumed."),
        };
        let folder = self.folder.display().to_string();
        let shown = match &self.standing {
            Some(standing) => standing.shown(&folder, running),
            None => CampaignShown { folder: visible(&folder), running, ..CampaignShown::default() },
        };
        CampaignShown { state, ..shown }
    }
}

/// The result of a job, in half a line.
fn outcome(job: &Job) -> String {
    let cases = cases(job);
    if job.info.end != JobEnd::Exit(0) {
        let how = job.info.end.words();
        let reason = job.info.rejection.clone().or_else(|| job.failure());
        let why = reason.map(|reason| sentence(&reason)).or_else(|| job.error_lines.first().cloned());
        let why = why.map_or_else(String::new, |why| format!(": {}", why.trim_end_matches('.')));
        return format!("{how}{why} ({}) {cases}", job.folder).trim_end().to_owned();
    }
    if let Some(made) = job.dataset.as_ref().filter(|made| made.reused.is_some()) {
        return format!("reused: created by {} at {}", made.campaign, made.made);
    }
    let phases: Vec<&Phase> = record::phases(&job.records).collect();
    let values = record::values(&job.records);
    let values = values.map(|value| format!("{} {}", value.name, quantity(value.value, &value.unit)));
    let shown = of_phases(&phases).into_iter().chain(values);
    let shown: Vec<String> = shown.chain((!cases.is_empty()).then_some(cases)).collect();
    let recreated = job.dataset.as_ref().and_then(|made| made.instead_of.as_ref());
    let recreated = recreated.map(|why| format!("; recreated: {why}")).unwrap_or_default();
    format!("{:<28} {}{recreated}", shown.join(", "), duration(job.info.seconds))
}

/// The speed of each phase. Many phases are folded into their range, one for each kind of speed.
fn of_phases(phases: &[&Phase]) -> Vec<String> {
    if phases.len() <= PHASES_LISTED {
        let one = |phase: &&Phase| format!("{} {}", phase.phase.replace('_', " "), speed(phase));
        return phases.iter().map(one).collect();
    }
    let mut kinds: Vec<(&'static str, Vec<f64>)> = Vec::new();
    for phase in phases {
        let name = speed_name(phase);
        let Some(metric) = phase.metric(name) else { continue };
        match kinds.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(metric.value),
            None => kinds.push((name, vec![metric.value])),
        }
    }
    let range = |(name, values): &(&'static str, Vec<f64>)| {
        let one = |value: Option<f64>| value.map(|value| worded_speed(name, value)).unwrap_or_default();
        let [least, most] = [statistics::min(values), statistics::max(values)].map(one);
        let middle = one(statistics::median(values));
        let phases = several(values.len() as u64, "phase");
        format!("{phases} at {least} to {most}, median {middle}")
    };
    kinds.iter().map(range).collect()
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
    let number =
        |wanted: CaseOutcome| record::cases(&job.records).filter(|case| case.outcome == wanted).count();
    let counted = CaseOutcome::ALL.map(|outcome| (number(outcome), outcome.word()));
    let shown = counted.iter().filter(|(number, _)| *number > 0);
    shown.map(|(number, word)| format!("{number} {word}")).collect::<Vec<_>>().join(", ")
}

/// The metric of the speed of a phase, which a criterion usually has. This is `rate` for operations, `iops`
/// for small transfers, and `bw` for others.
fn speed_name(phase: &Phase) -> &'static str {
    let small = phase.transfer_bytes < 64 * units::KIB;
    match phase.counts {
        Counts::Operations => "rate",
        Counts::Bytes if small => "iops",
        Counts::Bytes => "bw",
    }
}

fn worded_speed(name: &str, value: f64) -> String {
    if name == "bw" { rate_decimal(value) } else { format!("{}/s", count(value)) }
}

/// The speed of a phase; empty if it has none.
fn speed(phase: &Phase) -> String {
    let name = speed_name(phase);
    phase.metric(name).map(|metric| worded_speed(name, metric.value)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use results::record::{Case, Record, Spans, Value, Window};

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
    fn many_phases_are_folded_into_their_range() {
        let phase = |ops: u64| {
            let spans = Spans { transfer_s: 1.0, total_s: 1.0, ..Spans::default() };
            let phase = Phase { counts: Counts::Operations, ops, spans, ..Phase::default() };
            Record::Phase(Box::new(Phase { phase: "file_creation".into(), ..phase }))
        };
        let mut job = Job { records: (1..=125).map(|at| phase(at * 100)).collect(), ..Job::default() };
        (job.info.end, job.info.seconds) = (JobEnd::Exit(0), 2.0);
        assert_eq!(outcome(&job), "125 phases at 100/s to 12.5 k/s, median 6.30 k/s 2.00 s");
        job.records.truncate(2);
        assert_eq!(outcome(&job), "file creation 100/s, file creation 200/s 2.00 s");
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
