//! From a campaign to the facts that the checks of the later stages look at.
//!
//! Never here: checks, and what was not recorded.

use std::collections::{BTreeMap, BTreeSet};

use results::folder::{Campaign, Job, JobEnd};
use results::record::{self, Phase, Record};
use results::statistics;

use super::after::{self, AfterSubject, Part};
use super::before::{self, BeforeSubject};
use super::document::{self, ReportSubject};
use super::ior_facts::IorFacts;
use super::runs::{self, RunFacts, RunsSubject};
use super::{Finding, from_jobs, state, twins, waiver};
use crate::judge::{self, Span};
use plan::launcher::LaunchKind;
use plan::{Criterion, Group, Plan, Test};

/// Transfers up to so many bytes are small, and from so many on large: between them random ones may well be
/// as fast.
const SMALL: u64 = 64 << 10;
const LARGE: u64 = 256 << 10;

/// The findings of the stages before and after about a campaign, with the waivers of its plan.
///
/// What `judge` tells besides is told here too, under the id of its lint.
pub fn measured(plan: &Plan, campaign: &Campaign) -> Vec<Finding> {
    let mut findings: Vec<Finding> = file_systems(plan, campaign).iter().flat_map(before::findings).collect();
    for test in &plan.tests {
        findings.extend(from_jobs::subject(plan, campaign, test).iter().flat_map(state::findings));
        for name in judged(test) {
            let phases = phases(campaign, test, name);
            if !phases.is_empty() {
                let found = after::findings(&subject(plan, campaign, test, name, phases));
                findings.extend(found.into_iter().map(|one| Finding { phase: Some(name.to_owned()), ..one }));
            }
        }
    }
    findings.extend(run_subjects(plan, campaign).iter().flat_map(runs::findings));
    findings.extend(plan.groups.iter().flat_map(|group| after::findings(&of_group(plan, campaign, group))));
    waiver::sign(&mut findings, &super::waivers(plan));
    findings
}

/// The findings of the stage of the report about a campaign that has ended.
pub fn reported(campaign: &Campaign) -> Vec<Finding> {
    let Some(_ended) = &campaign.after else { return Vec::new() };
    let info = &campaign.info;
    let mut findings = document::findings(&ReportSubject {
        audit: vec![
            ("the hash of the plan", !info.plan_sha256.is_empty()),
            ("the hash of the program", !info.tool_sha256.is_empty()),
            ("the machine before the first job", campaign.before.is_some()),
        ],
        build: vec![
            ("the commit that the program is of", !info.build.commit.is_empty()),
            ("the compiler that built it", !info.build.rustc.is_empty()),
        ],
    });
    let unprinted = |job: &&Job| job.info.end != JobEnd::NotStarted && job.info.sha256.is_empty();
    let tests: BTreeSet<&str> =
        campaign.jobs.iter().filter(unprinted).map(|job| job.info.test.as_str()).collect();
    for test in tests {
        let subject = ReportSubject { audit: vec![("what its jobs printed", false)], build: Vec::new() };
        let found = document::findings(&subject).into_iter();
        findings.extend(found.map(|one| Finding { about: test.to_owned(), ..one }));
    }
    findings
}

/// The file systems that tests ran on, as they were found.
fn file_systems<'c>(plan: &Plan, campaign: &'c Campaign) -> Vec<BeforeSubject<'c>> {
    let used = used_by(&plan.tests);
    // Of those that a group uses at once the group tells.
    let at_once = |pair: &&[String; 3]| {
        plan.groups.iter().any(|group| pair[..2].iter().all(|fs| used_by(plan.parts(group)).contains(fs)))
    };
    let pairs = one_twice(campaign, &used);
    let of = |name: &&String| {
        let own = pairs.iter().filter(|pair| pair[0] == **name && !at_once(pair));
        BeforeSubject {
            fs: (*name).clone(),
            machine: campaign.before.as_ref(),
            twins: own.map(|[_, other, what]| (other.clone(), what.clone())).collect(),
            scaled: campaign.info.scale.is_some(),
        }
    };
    used.iter().map(of).collect()
}

/// Those of these file systems that are one, two and two, with what they are.
fn one_twice(campaign: &Campaign, used: &BTreeSet<&String>) -> Vec<[String; 3]> {
    let used: Vec<&String> = used.iter().copied().collect();
    let pairs =
        used.iter().enumerate().flat_map(|(at, one)| used[at + 1..].iter().map(move |two| (*one, *two)));
    let same = |(one, other): (&String, &String)| {
        let what = twins::same(campaign.before.as_ref(), one, other)?;
        Some([one.clone(), other.clone(), what])
    };
    pairs.filter_map(same).collect()
}

/// The file systems that tests work on.
fn used_by<'p>(tests: impl IntoIterator<Item = &'p Test>) -> BTreeSet<&'p String> {
    tests.into_iter().map(|test| &test.fs).collect()
}

/// The tests and datasets, with what the nodes of their jobs said.
fn run_subjects<'c>(plan: &Plan, campaign: &'c Campaign) -> Vec<RunsSubject<'c>> {
    let jobs = |id: &str, fs: &str| -> Vec<RunFacts<'c>> {
        let own = campaign.jobs.iter().filter(|job| job.info.test == id);
        own.filter_map(|job| run_facts(plan, job, fs)).collect()
    };
    let of_test = |test: &Test| {
        let states = test.states.iter().map(|state| &plan.states[*state]);
        let states = states.flat_map(|state| {
            let who = |run| RunFacts { which: state.job(), ..run };
            jobs(&state.job(), &state.fs).into_iter().map(who)
        });
        let runs = jobs(&test.id, &test.fs).into_iter().chain(states).collect();
        RunsSubject { id: test.id.clone(), at_once: test.part.is_some(), runs }
    };
    let made = plan.datasets.iter().map(|made| RunsSubject {
        id: made.job(),
        at_once: false,
        runs: jobs(&made.job(), &made.fs),
    });
    plan.tests.iter().map(of_test).chain(made).collect()
}

/// What a job on the file system `fs` of the plan recorded of its nodes and its time; `None` of one that
/// recorded nothing.
fn run_facts<'c>(plan: &Plan, job: &'c Job, fs: &str) -> Option<RunFacts<'c>> {
    let run = job.records.iter().find_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    })?;
    let phases = record::phases(&job.records).filter_map(|phase| judge::of_phase(phase).zip(phase.moments));
    let (mut span, mut uncertainty_s) = (None, 0.0_f64);
    for (one, moments) in phases {
        let so_far = span.unwrap_or((one.from, one.to));
        span = Some((one.from.min(so_far.0), one.to.max(so_far.1)));
        uncertainty_s = uncertainty_s.max(moments.uncertainty_ns as f64 * 1e-9);
    }
    Some(RunFacts {
        which: format!("repetition {}", job.info.repetition),
        folder: &job.folder,
        host: &run.host,
        nodes: run.nodes,
        clients: run.clients.as_deref(),
        meant: plan.file_systems.get(fs).and_then(|of| Some((fs.to_owned(), of.kind.clone()?))),
        phases: span,
        uncertainty_s,
        job: judge::from_start_to_end(job).map(|span| (span.from, span.to)),
    })
}

/// The phases that criteria of the test are about, but for those that count what is wrong.
fn judged(test: &Test) -> Vec<&str> {
    let rates = test.criteria.iter().filter(|criterion| is_rate_of(criterion, None));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rates.filter_map(|criterion| criterion.metric.split_once('.')) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a criterion is about how fast a phase was, and this one where it is named.
fn is_rate_of(criterion: &Criterion, phase: Option<&str>) -> bool {
    let rates = ["bw", "iops", "rate", "seconds", "sustained", "steady"];
    let parts = criterion.metric.split_once('.');
    parts.is_some_and(|(of, name)| rates.contains(&name) && phase.is_none_or(|phase| phase == of))
}

/// The phase of this name of every repetition that ended well.
fn phases<'c>(campaign: &'c Campaign, test: &Test, name: &str) -> Vec<&'c Phase> {
    let jobs = campaign.jobs.iter().filter(|job| job.info.test == test.id && job.info.end == JobEnd::Exit(0));
    jobs.flat_map(|job| record::phases(&job.records)).filter(|phase| phase.phase == name).collect()
}

fn subject<'c>(
    plan: &Plan,
    campaign: &'c Campaign,
    test: &Test,
    name: &str,
    phases: Vec<&'c Phase>,
) -> AfterSubject<'c> {
    let steady = test.course.steady.as_ref().map(|rule| {
        let all = phases.iter().all(|phase| judge::is_steady(phase, rule));
        (all, rule.within.unwrap_or(rule.window))
    });
    AfterSubject {
        id: test.id.clone(),
        steady,
        sequential: sequential(plan, campaign, test, name),
        walked: walked(test, &phases),
        most: plan.file_systems[&test.fs].rate,
        values: values(plan, campaign, test, name),
        scaled: campaign.info.scale.is_some(),
        phases,
        sustained_s: test.sustained_s,
        more: more(plan, campaign, test, name),
        ..AfterSubject::default()
    }
}

/// What is judged of each repetition by the criterion on a phase whose values scatter most.
fn values(plan: &Plan, campaign: &Campaign, test: &Test, name: &str) -> Vec<f64> {
    let rates = test.criteria.iter().filter(|criterion| is_rate_of(criterion, Some(name)));
    let all = rates.map(|criterion| judge::values(plan, campaign, test, criterion));
    let cov = |values: &Vec<f64>| statistics::cov(values).unwrap_or(0.0);
    let judged = all.filter(|values| !values.is_empty());
    judged.max_by(|a, b| cov(a).total_cmp(&cov(b))).unwrap_or_default()
}

/// The fewest entries that a rank of a walk listed.
fn walked(test: &Test, phases: &[&Phase]) -> Option<u64> {
    let phases = phases.iter().filter(|phase| test.line.workload() == "ls-lr" && phase.phase == "list");
    let each = phases.filter_map(|phase| phase.each_rank.as_ref());
    each.flat_map(|each| (0..each.ranks).filter_map(|rank| each.moved.of(rank))).min()
}

/// The parts of a group: when each was at work in the repetition that had least in common, and what each of
/// the file systems got.
fn of_group<'c>(plan: &Plan, campaign: &Campaign, group: &Group) -> AfterSubject<'c> {
    let repetition = |repetition: u32| {
        let part = |test: &Test| {
            let of = |job: &&Job| job.info.test == test.id && job.info.repetition == repetition;
            let span = judge::of_job(campaign.jobs.iter().find(of)?, "")?;
            Some((test.id.clone(), span))
        };
        plan.parts(group).map(part).collect::<Option<Vec<(String, Span)>>>()
    };
    let share = |parts: &Vec<(String, Span)>| {
        let spans = || parts.iter().map(|(_, span)| *span);
        let shortest = spans().map(Span::seconds).fold(f64::MAX, f64::min);
        spans().reduce(Span::and).map_or(0.0, Span::seconds) / shortest
    };
    let worst = (1..=group.repetitions).filter_map(repetition).min_by(|a, b| share(a).total_cmp(&share(b)));
    let part = |(name, span): (String, Span)| Part { name, span_s: (span.from, span.to) };
    let mut shares: BTreeMap<String, u64> = BTreeMap::new();
    // Only parts that do the same are to have the same share.
    let alike = |pair: &[usize]| {
        let [one, other] = [&plan.tests[pair[0]], &plan.tests[pair[1]]];
        one.line.words() == other.line.words() && one.placement.ranks == other.placement.ranks
    };
    for criterion in group.criteria.iter().filter(|_| group.tests.windows(2).all(alike)) {
        let name = criterion.metric.split('.').next().unwrap_or_default();
        for test in plan.parts(group) {
            *shares.entry(test.fs.clone()).or_default() += judge::moved_at_once(plan, campaign, test, name);
        }
    }
    let ran = campaign.jobs.iter().any(|job| plan.parts(group).any(|part| part.id == job.info.test));
    AfterSubject {
        id: group.id.clone(),
        twins: if ran { one_twice(campaign, &used_by(plan.parts(group))) } else { Vec::new() },
        scaled: campaign.info.scale.is_some(),
        parts: worst.unwrap_or_default().into_iter().map(part).collect(),
        overlap: group.overlap,
        shares: shares.into_iter().filter(|(_, bytes)| *bytes > 0).collect(),
        ..AfterSubject::default()
    }
}

/// The best rate of the same phase in a test that differs from this one, of small transfers at random, in
/// that its transfers are large and in order; `None` where there is none.
fn sequential(plan: &Plan, campaign: &Campaign, test: &Test, name: &str) -> Option<f64> {
    let facts = |test: &Test| Some(IorFacts::read(&test.line.as_ior()?.words));
    let transfer = |test: &Test| test.line.as_ior().map_or(0, |line| line.transfer_bytes);
    let own = facts(test).filter(|own| own.random && transfer(test) <= SMALL)?;
    // Shared files, other calls and data that need not be durable have other limits, and so are no measure.
    let how = |facts: &IorFacts| {
        let durable = (facts.fsync, facts.fsync_each, facts.direct);
        (facts.file_per_rank, facts.collective, facts.api.clone(), durable)
    };
    let twin = |other: &&Test| {
        let same = other.fs == test.fs && other.placement == test.placement && other.step == test.step;
        let facts = facts(other).filter(|facts| !facts.random && !facts.is_paced && how(facts) == how(&own));
        same && facts.is_some() && transfer(other) >= LARGE
    };
    let rates = plan.tests.iter().filter(twin).flat_map(|other| phases(campaign, other, name));
    rates.filter_map(after::rate).max_by(f64::total_cmp)
}

/// The rates of the same phase on more nodes, of the same test or of the next step of a series. Where nodes
/// are groups of one node's ranks there are no more.
fn more(plan: &Plan, campaign: &Campaign, test: &Test, name: &str) -> Option<(u64, Vec<f64>)> {
    if plan.launch.kind == LaunchKind::Local {
        return None;
    }
    let of = |other: &Test| {
        let rates: Vec<f64> = phases(campaign, other, name).into_iter().filter_map(after::rate).collect();
        Some((u64::from(other.placement.nodes?), rates))
    };
    if let Some(limit) = &test.course.client_limit {
        return of(plan.tests.get(*limit.probes.last()?)?);
    }
    let step = test.step.as_ref().filter(|step| plan.series[step.series].over == "nodes")?;
    let larger = plan.tests.iter().filter(|other| {
        let at = other.step.as_ref().filter(|at| at.series == step.series && at.value > step.value);
        at.is_some() && other.name == test.name
    });
    let value = |test: &Test| test.step.as_ref().map_or(0.0, |step| step.value);
    of(larger.min_by(|a, b| value(a).total_cmp(&value(b)))?)
}
