//! The state of a file system during the repetitions of a test.
//!
//! Never here: whether a required state was reached.

use std::collections::BTreeSet;

use plan::{Stripes, Test};
use results::finding::{Finding, Severity};
use results::folder::{Fill, Job, JobEnd, Target};
use results::reason::{Reason, any, reason, row};
use results::record::{CACHED_SHARE, Counts, Phase};

use crate::index::{Index, phases};

/// The maximum share of others in the servers' traffic. The sentence about it states 1 %.
const FOREIGN: f64 = 0.01;
/// The least share of the bytes that jobs moved to and from storage which the servers must have counted. The
/// rest is for counts that a server reports late.
const COUNTED: f64 = 0.9;

/// A file system before or after a repetition.
struct FileSystemMoment {
    repetition: u32,
    /// `before` or `after`.
    when: &'static str,
    /// What was offline or being rebuilt, from the plan's `health` command; `None` without this command.
    down: Option<Vec<String>>,
    /// Its targets that existed at another time; `None` if no target is known.
    missing: Option<Vec<String>>,
    /// The number of targets that existed at any time.
    targets: usize,
    /// The share of used blocks.
    fill: Option<f64>,
}

impl FileSystemMoment {
    /// Whether anything was offline; `None` if it is not known.
    fn is_degraded(&self) -> Option<bool> {
        let some = |all: &Option<Vec<String>>| all.as_ref().map(|all| !all.is_empty());
        match (some(&self.down), some(&self.missing)) {
            (None, None) => None,
            (down, missing) => Some(down == Some(true) || missing == Some(true)),
        }
    }

    fn at(&self, reason: Reason) -> Reason {
        reason!(Degraded { when: self.when, ..reason.with(any::repetition, self.repetition) })
    }
}

/// The findings about the file system of a test during its jobs.
pub(super) fn during(index: &Index<'_>, test: &Test) -> Vec<Finding> {
    let jobs = started(index, test);
    if jobs.is_empty() {
        return Vec::new();
    }
    let moments = moments(index, test, &jobs);
    let mut found = degraded(index, test, &jobs, &moments);
    found.extend(foreign_traffic(index, test, &jobs));
    found.extend(campaign_beside(&jobs));
    found.extend(outside_band(index, test, &moments));
    found.extend(layout(index, test, &jobs));
    let of = |finding: Finding| {
        let reason = finding.reason.with(any::fs, &test.fs);
        Finding { reason, ..finding }.about(&test.id)
    };
    found.into_iter().map(of).collect()
}

/// What was offline during a test that tolerates it.
pub(crate) fn losses(index: &Index<'_>, test: &Test) -> Vec<Reason> {
    if !test.degraded {
        return Vec::new();
    }
    let all = losses_at(&moments(index, test, &started(index, test)));
    all.into_iter().map(|reason| reason.with(any::fs, &test.fs)).collect()
}

fn started<'a>(index: &Index<'a>, test: &Test) -> Vec<&'a Job> {
    let jobs = index.jobs(&test.id).iter().copied();
    jobs.filter(|job| job.info.end != JobEnd::NotStarted).collect()
}

/// What was offline before or after a repetition, each item once, where it was first found.
fn losses_at(moments: &[FileSystemMoment]) -> Vec<Reason> {
    let (mut lines, mut names) = (BTreeSet::new(), BTreeSet::new());
    let mut losses = Vec::new();
    for moment in moments {
        let missing = moment.missing.iter().flatten();
        let missing: Vec<&String> = missing.filter(|name| names.insert(*name)).collect();
        if !missing.is_empty() {
            losses.push(moment.at(reason!(Degraded { missing, targets: moment.targets, .. })));
        }
        let down = moment.down.iter().flatten().filter(|line| lines.insert(*line));
        losses.extend(down.map(|line| moment.at(reason!(Degraded { health: line, .. }))));
    }
    losses
}

fn degraded(index: &Index<'_>, test: &Test, jobs: &[&Job], moments: &[FileSystemMoment]) -> Vec<Finding> {
    let unasked = jobs.iter().filter_map(|job| {
        Some(reason!(HealthUnknown {
            repetition: job.info.repetition,
            error: job.info.unasked.as_ref()?,
            ..
        }))
    });
    let must = test.states.iter().any(|state| index.plan.states[*state].is_degraded());
    let found = match (must, test.degraded) {
        (true, _) => moments
            .iter()
            .find(|moment| moment.is_degraded() != Some(true))
            .map(|moment| {
                let is_known = moment.is_degraded().is_some();
                let known = if is_known { row::NotDegraded::known } else { row::NotDegraded::unknown };
                moment.at(reason!(NotDegraded { .. })).with(known, true)
            })
            .into_iter()
            .collect(),
        (false, true) => Vec::new(),
        (false, false) => losses_at(moments),
    };
    unasked.chain(found).map(|reason| Finding::new(Severity::Error, reason)).collect()
}

fn foreign_traffic(index: &Index<'_>, test: &Test, jobs: &[&Job]) -> Vec<Finding> {
    let traffic: Vec<Traffic> = jobs.iter().filter_map(|job| traffic(index, test, job)).collect();
    let foreign = |one: &Traffic| {
        let share = (one.servers as f64 - one.own as f64) / one.servers as f64;
        (one.servers > 0).then_some((one.repetition, share))
    };
    let shares = traffic.iter().filter_map(foreign);
    let worst = shares.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share > FOREIGN);
    let worst = worst.map(|(repetition, share)| {
        Finding::new(Severity::NeedsWaiver, reason!(Exclusive { repetition, share, .. }))
    });
    let restarted = traffic
        .iter()
        .find(|one| one.servers < 0)
        .map(|one| Finding::new(Severity::Info, reason!(TrafficUnknown { repetition: one.repetition, .. })));
    let is_less = |one: &&Traffic| one.servers >= 0 && (one.servers as f64) < COUNTED * one.stored as f64;
    let less = traffic.iter().find(is_less).map(|one| {
        let Traffic { repetition, servers, stored, .. } = *one;
        let reason = reason!(TrafficLess { repetition, served: servers as f64, bytes: stored, .. });
        Finding::new(Severity::Error, reason)
    });
    worst.into_iter().chain(restarted).chain(less).collect()
}

/// The first job beside another campaign. Each of them slows the other.
fn campaign_beside(jobs: &[&Job]) -> Option<Finding> {
    let job = jobs.iter().find(|job| !job.info.beside.is_empty())?;
    let reason =
        reason!(CampaignBeside { repetition: job.info.repetition, campaigns: job.info.beside.clone() });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// Bytes during a repetition.
struct Traffic {
    repetition: u32,
    /// Of the servers; below 0 if their count restarted.
    servers: i64,
    /// Of the jobs that ran in parallel.
    own: u64,
    /// Those of `own` that the servers must have moved: flushed or direct writes, and reads that were cold.
    stored: u64,
}

/// The traffic during a job; `None` if it is not known, or if nothing was moved.
fn traffic(index: &Index<'_>, test: &Test, job: &Job) -> Option<Traffic> {
    let repetition = job.info.repetition;
    let parallel: Vec<&str> = match test.part {
        None => vec![&test.id],
        Some(group) => {
            let parts = index.plan.parts(&index.plan.groups[group]);
            parts.filter(|part| part.fs == test.fs).map(|part| part.id.as_str()).collect()
        }
    };
    let jobs = parallel.iter().flat_map(|id| index.jobs(id));
    let at_once = jobs.filter(|job| job.info.repetition == repetition);
    let phases: Vec<&Phase> = at_once.flat_map(|job| transfers(job)).collect();
    let own = phases.iter().map(|phase| phase.bytes).sum();
    let must = |phase: &Phase| match phase.phase.as_str() {
        "write" | "mixed_write" => phase.persisted || phase.direct,
        _ => phase.direct || phase.cached_before.is_some_and(|share| share <= CACHED_SHARE),
    };
    let once = |phase: &Phase| {
        if phase.direct { phase.bytes } else { phase.bytes.saturating_sub(phase.repeated_bytes) }
    };
    let stored = phases.iter().filter(|phase| must(phase)).map(|phase| once(phase)).sum();
    let servers = job.info.traffic_bytes.filter(|_| transfers(job).any(|phase| phase.bytes > 0))?;
    Some(Traffic { repetition, servers, own, stored })
}

/// The phases of a job that moved bytes.
fn transfers(job: &Job) -> impl Iterator<Item = &Phase> {
    phases(job).filter(|phase| phase.counts == Counts::Bytes)
}

fn outside_band(index: &Index<'_>, test: &Test, moments: &[FileSystemMoment]) -> Option<Finding> {
    let (low, high) = index.plan.file_systems.get(&test.fs)?.fill?;
    let (moment, fill) = moments.iter().find_map(|moment| {
        let fill = moment.fill.filter(|fill| !(low..=high).contains(fill))?;
        Some((moment, fill))
    })?;
    let reason = reason!(FillRecorded { fill, low, high, ..moment.at(reason!(FillRecorded { .. })) });
    Some(Finding::new(Severity::NeedsWaiver, reason))
}

/// The file system before and after each job that was started.
fn moments(index: &Index<'_>, test: &Test, jobs: &[&Job]) -> Vec<FileSystemMoment> {
    let whole = index.file_system(&test.fs);
    let of_fill =
        |fill: &Option<Fill>| fill.as_ref().map(|fill| target_names(&fill.targets)).unwrap_or_default();
    let mut all =
        whole.filter(|_| !sets_servers(test)).map(|fs| target_names(&fs.targets)).unwrap_or_default();
    for job in jobs {
        all.extend(of_fill(&job.info.fill_before).into_iter().chain(of_fill(&job.info.fill_after)));
    }
    let of_job = |job: &&Job| {
        let info = &job.info;
        let ends =
            [("before", &info.down_before, &info.fill_before), ("after", &info.down_after, &info.fill_after)];
        ends.map(|(when, down, fill)| {
            let there = of_fill(fill);
            // If no target is known, it is not known whether one is missing.
            let missing = (!there.is_empty()).then(|| all.difference(&there).cloned().collect());
            FileSystemMoment {
                repetition: info.repetition,
                when,
                down: down.clone(),
                missing,
                targets: all.len(),
                fill: fill.as_ref().and_then(|fill| utilization(fill, whole.map(|fs| fs.bytes))),
            }
        })
    };
    jobs.iter().flat_map(of_job).collect()
}

/// Whether the plan changes the number of servers for the test, so that other servers were active before.
fn sets_servers(test: &Test) -> bool {
    test.step.as_ref().is_some_and(|step| step.servers.is_some())
}

fn target_names(targets: &[Target]) -> BTreeSet<String> {
    targets.iter().map(|target| target.name.clone()).collect()
}

/// The share of used blocks. If the size was not recorded, it is the sum of used and free bytes.
fn utilization(fill: &Fill, size: Option<u64>) -> Option<f64> {
    let (used, free) = (fill.bytes_used as f64, fill.bytes_free as f64);
    let size = size.filter(|size| *size > 0).map_or(used + free, |size| size as f64);
    (size > 0.0).then(|| used / size)
}

/// The number of known targets that hold data.
fn holding_data(index: &Index<'_>, test: &Test) -> Option<i64> {
    let targets = &index.file_system(&test.fs).filter(|_| !sets_servers(test))?.targets;
    // Metadata targets of Lustre have this in their names.
    let data = targets.iter().filter(|target| !target.name.contains("-MDT")).count() as i64;
    (data > 0).then_some(data)
}

/// Compares the required layout with the layout that was read.
fn layout(index: &Index<'_>, test: &Test, jobs: &[&Job]) -> Option<Finding> {
    let asked = test.stripes?;
    let found_stripes = stripes(jobs);
    let reason = match asked {
        Stripes::Count(count) => reason!(LayoutUndeclared { asked: count, .. }),
        Stripes::All => reason!(LayoutUndeclared { asked_all: true, .. }),
    };
    if found_stripes.is_empty() {
        return Some(Finding::new(Severity::Info, reason));
    }
    let targets = holding_data(index, test);
    let planned = index.plan.file_systems.get(&test.fs).filter(|_| !sets_servers(test));
    let all = planned.and_then(|fs| fs.targets).map(i64::from);
    let other = |found: &i64| match (asked, *found) {
        (Stripes::Count(count), -1) => targets.is_none_or(|targets| targets as u64 != count),
        (Stripes::Count(count), found) => found as u64 != count,
        (Stripes::All, -1) => all.is_some_and(|all| targets.is_some_and(|there| there != all)),
        // Targets on other machines may be unknown.
        (Stripes::All, found) => match all {
            Some(all) => found != all,
            None => targets.is_some_and(|targets| found < targets),
        },
    };
    let found = found_stripes.iter().copied().find(other)?;
    let of = all.filter(|_| asked == Stripes::All).or(targets);
    let reason = match (asked, found, targets) {
        (Stripes::All, -1, Some(targets)) => reason!(LayoutUndeclared { found: targets, ..reason }),
        (_, -1, _) => reason!(LayoutUndeclared { found_all: true, ..reason }),
        _ => reason!(LayoutUndeclared { found, ..reason }),
    };
    Some(Finding::new(Severity::NeedsWaiver, reason!(LayoutUndeclared { targets: of, ..reason })))
}

/// The numbers of targets of files, each once, -1 for all. They come from the recorded layout, or else from
/// the file of each rank.
fn stripes(jobs: &[&Job]) -> BTreeSet<i64> {
    let mut all = BTreeSet::new();
    for job in jobs {
        if let Some(layout) = &job.info.layout {
            all.insert(layout.stripe_count);
            continue;
        }
        for each in transfers(job).filter_map(|phase| phase.each_rank.as_ref()) {
            let of_rank = |rank| each.targets_of(rank).collect::<BTreeSet<_>>().len() as i64;
            all.extend((0..each.ranks).map(of_rank).filter(|targets| *targets > 0));
        }
    }
    all
}
