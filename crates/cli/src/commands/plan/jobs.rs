//! `assay plan check`: the table of jobs with their commands, and how long they probably take.
//!
//! Never here: what an estimate is made of, which `plan::estimate` decides.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use evidence::folder::EvidenceFolder;
use plan::Plan;
use plan::estimate::{self, Basis, EarlierResults, Estimate};
use plan::launcher::{LauncherJob, Nodes};
use plan::schedule::{self, PlannedJob};
use results::folder::JobEnd;
use results::record::APP;
use units::{duration, several, visible};

use crate::personalities::drifted;

/// The jobs of one table row: repetitions of the same command line.
struct JobRow<'a> {
    job: &'a PlannedJob,
    estimate: &'a Estimate,
    count: u64,
}

/// The times and rates of the campaign in this folder or archive; none without one.
pub(super) fn earlier(folder: Option<&Path>) -> Result<EarlierResults> {
    let Some(folder) = folder else { return Ok(EarlierResults::default()) };
    let before = EvidenceFolder::open(folder)?.evaluated(drifted)?;
    let jobs = schedule::jobs(&before.plan, &before.campaign.info.only)?;
    let ended: BTreeMap<(&str, u32), f64> = before
        .campaign
        .jobs
        .iter()
        .filter(|job| job.info.end == JobEnd::Exit(0) && job.info.seconds > 0.0)
        .map(|job| ((job.info.test.as_str(), job.info.repetition), job.info.seconds))
        .collect();
    let seconds = |job: &PlannedJob| ended.get(&(job.test.as_str(), job.repetition)).copied();
    let rates = before.campaign.summary.rates.iter();
    let rates = rates.filter_map(|rate| Some((rate.test.clone(), rate.metric.clone(), rate.mean?)));
    Ok(EarlierResults::new(&jobs, &seconds, rates))
}

/// The table of all jobs, and the estimate of all of them together.
pub(super) fn table(plan: &Plan, jobs: &[PlannedJob], earlier: &EarlierResults) -> String {
    let estimates = estimate::of_jobs(plan, jobs, earlier);
    let rows = rows(jobs, &estimates);
    let mut lines =
        vec!["jobs, with the probable duration of each; {dir} is the directory of its files:".to_owned()];
    let names: Vec<String> = rows.iter().map(name).collect();
    let widest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    for (row, name) in rows.iter().zip(&names) {
        lines.push(format!("  {name:<widest$}  {}", words(row.estimate)));
        lines.push(format!("      {}", command(plan, row.job).join(" ")));
    }
    let total = estimate::total(jobs, &estimates);
    lines.push(format!("estimated duration: {}", words(&total)));
    lines.extend(explanation(&total));
    let open: Vec<&str> =
        rows.iter().filter(|row| row.estimate.is_open).map(|row| row.job.test.as_str()).collect();
    if !open.is_empty() {
        lines.push(format!("duration not known, or only in part: {}", open.join(", ")));
    }
    let limit: f64 = jobs.iter().map(|job| job.timeout_s).sum();
    lines.push(format!("time limits of all jobs together, which --submit requests: {}", duration(limit)));
    lines.iter().map(|line| format!("{}\n", visible(line))).collect()
}

/// What a reader must know of the estimate.
fn explanation(total: &Estimate) -> Option<String> {
    let at_threshold = total.rests_on.contains(&Basis::Threshold);
    let what = "A rate with a threshold is supposed to be at its threshold.";
    at_threshold.then(|| format!("{what} A faster system needs less time."))
}

/// The rows in the order of their first jobs.
fn rows<'a>(jobs: &'a [PlannedJob], estimates: &'a [Estimate]) -> Vec<JobRow<'a>> {
    let mut rows: Vec<JobRow<'a>> = Vec::new();
    for (job, estimate) in jobs.iter().zip(estimates) {
        match rows.iter_mut().find(|row| row.job.test == job.test && row.job.words == job.words) {
            Some(row) => row.count += 1,
            None => rows.push(JobRow { job, estimate, count: 1 }),
        }
    }
    rows
}

/// `B.1w  5 jobs, 16 ranks on 4 nodes`.
fn name(row: &JobRow<'_>) -> String {
    let placed = &row.job.placement;
    let nodes =
        placed.nodes.map_or_else(String::new, |nodes| format!(" on {}", several(nodes.into(), "node")));
    let ranks = several(placed.ranks.into(), "rank");
    format!("{}: {}, {ranks}{nodes}", row.job.test, several(row.count, "job"))
}

/// `12 s (threshold)`, `at least 12 s (deadline)` or `unknown`.
fn words(estimate: &Estimate) -> String {
    if estimate.is_unknown() {
        return "unknown".to_owned();
    }
    let rests_on: Vec<&str> = estimate.rests_on.iter().map(|basis| basis.words()).collect();
    let least = if estimate.is_open { "at least " } else { "" };
    format!("{least}{} ({})", duration(estimate.seconds), rests_on.join(", "))
}

/// The command line of a job, as far as it is known before it runs.
fn command(plan: &Plan, job: &PlannedJob) -> Vec<String> {
    let external = job.workload == APP;
    let mut words = job.words.clone();
    let program = if external && !words.is_empty() { words.remove(0) } else { "assay".to_owned() };
    if !external {
        words.insert(0, job.workload.to_owned());
    }
    let named = plan.clients.hostfile.is_some() || !plan.clients.exclude.is_empty();
    let hosts = if named { vec!["NODES".to_owned()] } else { Vec::new() };
    plan.launch_for(job).kind.command(&LauncherJob {
        program,
        placement: job.placement.clone(),
        nodes: Nodes { hosts, ..Nodes::default() },
        words,
        starts_ranks: job.starts_ranks,
        external,
    })
}
