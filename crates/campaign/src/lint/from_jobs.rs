//! From the jobs of a test to what its file system was while they ran.
//!
//! Never here: checks, and what was not recorded.

use std::collections::BTreeSet;

use results::folder::{Campaign, Fill, Job, JobEnd, Target};
use results::record::{self, Counts, Phase};

use super::from_plan::all_targets;
use super::state::{Degraded, Moment, StateSubject, Traffic};
use plan::{Plan, Test};

/// The file system of a test; `None` where none of its jobs was started.
pub(super) fn subject(plan: &Plan, campaign: &Campaign, test: &Test) -> Option<StateSubject> {
    let ran = |job: &&Job| job.info.test == test.id && job.info.end != JobEnd::NotStarted;
    let jobs: Vec<&Job> = campaign.jobs.iter().filter(ran).collect();
    if jobs.is_empty() {
        return None;
    }
    let asked_down = test.states.iter().any(|state| plan.states[*state].is_degraded());
    let unasked = jobs.iter().filter_map(|job| Some((job.info.repetition, job.info.unasked.clone()?)));
    Some(StateSubject {
        id: test.id.clone(),
        fs: test.fs.clone(),
        moments: moments(campaign, test, &jobs),
        degraded: match (asked_down, test.degraded) {
            (true, _) => Degraded::Must,
            (false, true) => Degraded::Maybe,
            (false, false) => Degraded::No,
        },
        band: plan.file_systems.get(&test.fs).and_then(|fs| fs.fill),
        traffic: jobs.iter().filter_map(|job| traffic(plan, campaign, test, job)).collect(),
        stripes: test.stripes,
        found_stripes: stripes(&jobs),
        targets: holding_data(campaign, test),
        all_targets: all_targets(plan, test).map(i64::from),
        unasked: unasked.collect(),
    })
}

/// What was down while the test ran, a sentence each, where it may be.
pub(crate) fn losses(plan: &Plan, campaign: &Campaign, test: &Test) -> Vec<String> {
    let losses = subject(plan, campaign, test).filter(|_| test.degraded).map(|subject| subject.losses());
    losses.unwrap_or_default().into_iter().map(|loss| format!("degraded: {loss}")).collect()
}

/// The file system before and after each job that was started.
fn moments(campaign: &Campaign, test: &Test, jobs: &[&Job]) -> Vec<Moment> {
    let whole = campaign.before.as_ref().and_then(|machine| machine.file_system(&test.fs));
    let of_fill = |fill: &Option<Fill>| fill.as_ref().map(|fill| names(&fill.targets)).unwrap_or_default();
    let mut all = whole.filter(|_| !sets_servers(test)).map(|fs| names(&fs.targets)).unwrap_or_default();
    for job in jobs {
        all.extend(of_fill(&job.info.fill_before).into_iter().chain(of_fill(&job.info.fill_after)));
    }
    let of_job = |job: &&Job| {
        let info = &job.info;
        let ends =
            [("before", &info.down_before, &info.fill_before), ("after", &info.down_after, &info.fill_after)];
        ends.map(|(when, down, fill)| {
            let there = of_fill(fill);
            // Where nothing is known of any target, none is known to be missing.
            let missing = (!there.is_empty()).then(|| all.difference(&there).cloned().collect());
            Moment {
                repetition: info.repetition,
                when,
                down: down.clone(),
                missing,
                targets: all.len(),
                fill: fill.as_ref().and_then(|fill| share(fill, whole.map(|fs| fs.bytes))),
            }
        })
    };
    jobs.iter().flat_map(of_job).collect()
}

/// Whether the plan takes servers off for the test, so that others were there before.
fn sets_servers(test: &Test) -> bool {
    test.step.as_ref().is_some_and(|step| step.servers.is_some())
}

fn names(targets: &[Target]) -> BTreeSet<String> {
    targets.iter().map(|target| target.name.clone()).collect()
}

/// How many targets hold data, as far as is known.
fn holding_data(campaign: &Campaign, test: &Test) -> Option<i64> {
    let before = campaign.before.as_ref().filter(|_| !sets_servers(test));
    let targets =
        before.and_then(|machine| machine.file_system(&test.fs)).into_iter().flat_map(|fs| &fs.targets);
    // Those of Lustre that hold names are called so.
    let data = targets.filter(|target| !target.name.contains("-MDT")).count() as i64;
    (data > 0).then_some(data)
}

/// Share of the blocks in use; of a size that was not recorded, of what is in use and free.
fn share(fill: &Fill, size: Option<u64>) -> Option<f64> {
    let size = size.filter(|size| *size > 0).unwrap_or(fill.bytes_used + fill.bytes_free);
    (size > 0).then(|| fill.bytes_used as f64 / size as f64)
}

/// What the servers and the jobs moved that ran at once with this one; `None` where that is not known, or
/// nothing was moved.
fn traffic(plan: &Plan, campaign: &Campaign, test: &Test, job: &Job) -> Option<Traffic> {
    let repetition = job.info.repetition;
    let beside = |id: &String| match test.part {
        None => *id == test.id,
        Some(group) => plan.parts(&plan.groups[group]).any(|part| part.id == *id && part.fs == test.fs),
    };
    let at_once = campaign.jobs.iter().filter(|job| job.info.repetition == repetition);
    let own = at_once.filter(|job| beside(&job.info.test)).flat_map(phases).map(|phase| phase.bytes).sum();
    let servers = job.info.traffic_bytes.filter(|_| phases(job).any(|phase| phase.bytes > 0))?;
    Some(Traffic { repetition, servers, own })
}

/// The phases of a job that moved bytes.
fn phases(job: &Job) -> impl Iterator<Item = &Phase> {
    record::phases(&job.records).filter(|phase| phase.counts == Counts::Bytes)
}

/// On how many targets files lay, each number once: as the layout says that was read back, and else as each
/// rank's file says.
fn stripes(jobs: &[&Job]) -> Vec<i64> {
    let mut all = BTreeSet::new();
    for job in jobs {
        if let Some(layout) = &job.info.layout {
            all.insert(layout.stripe_count);
            continue;
        }
        for each in phases(job).filter_map(|phase| phase.each_rank.as_ref()) {
            let of_rank = |rank| each.targets_of(rank).collect::<BTreeSet<_>>().len() as i64;
            all.extend((0..each.ranks).map(of_rank).filter(|targets| *targets > 0));
        }
    }
    all.into_iter().collect()
}
