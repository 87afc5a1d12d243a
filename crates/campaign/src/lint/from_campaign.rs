//! From a campaign to the facts that the checks of the later stages look at.
//!
//! Never here: checks, and what was not recorded.

use results::folder::{Campaign, JobEnd};
use results::record::{Phase, Record};

use super::after::{self, AfterSubject};
use super::before::{self, BeforeSubject};
use super::{Finding, waiver};
use crate::plan::{Plan, Test};

/// The findings of the stages before and after about a campaign, with the waivers of its plan.
///
/// What `judge` tells besides is told here too, under the id of its lint.
pub fn measured(plan: &Plan, campaign: &Campaign) -> Vec<Finding> {
    let mut findings: Vec<Finding> = file_systems(plan, campaign).iter().flat_map(before::findings).collect();
    for test in &plan.tests {
        for name in judged(test) {
            let phases = phases(campaign, test, name);
            if !phases.is_empty() {
                findings.extend(after::findings(&subject(plan, campaign, test, name, phases)));
            }
        }
    }
    waiver::sign(&mut findings, &super::waivers(plan));
    findings
}

/// The file systems that tests ran on, as they were found.
fn file_systems<'c>(plan: &Plan, campaign: &'c Campaign) -> Vec<BeforeSubject<'c>> {
    let used = plan.file_systems.iter().filter(|(name, _)| plan.tests.iter().any(|test| test.fs == **name));
    used.map(|(name, _)| BeforeSubject {
        fs: name.clone(),
        machine: campaign.before.as_ref(),
        ..BeforeSubject::default()
    })
    .collect()
}

/// The phases that criteria of the test are about, but for those that count what is wrong.
fn judged(test: &Test) -> Vec<&str> {
    let rates = test.criteria.iter().filter(|criterion| {
        [".bw", ".iops", ".rate", ".seconds"].iter().any(|metric| criterion.metric.ends_with(metric))
    });
    let mut names: Vec<&str> =
        rates.filter_map(|criterion| Some(criterion.metric.split_once('.')?.0)).collect();
    names.dedup();
    names
}

/// The phase of this name of every repetition that ended well.
fn phases<'c>(campaign: &'c Campaign, test: &Test, name: &str) -> Vec<&'c Phase> {
    let jobs = campaign.jobs.iter().filter(|job| job.info.test == test.id && job.info.end == JobEnd::Exit(0));
    let phases = jobs.flat_map(|job| &job.records).filter_map(|record| match record {
        Record::Phase(phase) if phase.phase == name => Some(&**phase),
        _ => None,
    });
    phases.collect()
}

fn subject<'c>(
    plan: &Plan,
    campaign: &'c Campaign,
    test: &Test,
    name: &str,
    phases: Vec<&'c Phase>,
) -> AfterSubject<'c> {
    AfterSubject {
        id: test.id.clone(),
        phases,
        sustained_s: test.sustained_s,
        more: more(plan, campaign, test, name),
        ..AfterSubject::default()
    }
}

/// The mean rate of the same phase of the same series on the next larger number of nodes.
fn more(plan: &Plan, campaign: &Campaign, test: &Test, name: &str) -> Option<(u64, f64)> {
    let step = test.step.as_ref().filter(|step| plan.series[step.series].over == "nodes")?;
    let own = test.id.rsplit('.').next();
    let larger = plan.tests.iter().filter(|other| {
        let at = other.step.as_ref().filter(|at| at.series == step.series && at.value > step.value);
        at.is_some() && other.id.rsplit('.').next() == own
    });
    let next = larger.min_by(|a, b| {
        let value = |test: &Test| test.step.as_ref().map_or(0.0, |step| step.value);
        value(a).total_cmp(&value(b))
    })?;
    let rates: Vec<f64> = phases(campaign, next, name).into_iter().filter_map(after::rate).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    Some((u64::from(next.placement.nodes?), mean)).filter(|_| !rates.is_empty())
}
