//! Findings about a campaign as a whole, its file systems and its groups.
//!
//! Never here: what single tests measured.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use plan::{Criterion, Group, Test, file_systems_of};
use results::finding::{Finding, Severity};
use results::folder::{self, BackingLayer, Job, JobEnd, LayerKind};
use results::reason::{Code, Reason, reason, row};
use results::record;
use results::same_fs;
use results::summary::{RepeatedAttempt, WitnessCourse};
use units::Dimension;

use crate::case::{TestCriterion, measuring};
use crate::index::{Index, runs};
use crate::validity::at_once;

/// Maximum difference between the file systems of a group, as a share of the mean. The sentence about it
/// states 10 %.
const BALANCE: f64 = 0.1;

/// A launcher may take this time, seconds, and this share of the time of its program.
const OUTSIDE_S: f64 = 30.0;
const OUTSIDE_SHARE: f64 = 0.5;
/// How many attempts of a test may be stopped with the campaign and run again. The documents state 2.
const STOPPED_MAX: usize = 2;

/// Whether the utilization of the file systems of tests was recorded, and whether two of them are the same.
pub(super) fn same_file_systems(index: &Index<'_>) -> Vec<Finding> {
    let plan = index.plan;
    let used = file_systems_of(&plan.tests);
    // A pair that a group uses in parallel is a finding about the group.
    let at_once = |pair: &Reason| {
        let fs = [pair.get(row::OneFsTwice::fs), pair.get(row::OneFsTwice::other)];
        plan.groups.iter().any(|group| {
            let used = file_systems_of(plan.parts(group));
            fs.iter().all(|fs| fs.is_some_and(|fs| used.contains(fs)))
        })
    };
    let severity = if index.is_scaled() { Severity::Info } else { Severity::NeedsWaiver };
    let pairs = same_fs::pairs(index.campaign.before.as_ref(), &used);
    let mut findings = Vec::new();
    for name in &used {
        if index.file_system(name).is_none_or(|fs| fs.bytes == 0) {
            findings.push(
                Finding::new(Severity::Error, reason!(FillRecorded { fs: *name }))
                    .about(format!("fs.{name}")),
            );
        }
        let own = pairs.iter().filter(|pair| pair.get(row::OneFsTwice::fs) == Some(*name) && !at_once(pair));
        findings.extend(own.map(|pair| Finding::new(severity, pair.clone()).about(format!("fs.{name}"))));
    }
    findings
}

/// Tests, groups and scores to which repetitions were added after an evaluation. Unplanned looks raise the
/// chance of a wrong verdict.
pub(super) fn looks(index: &Index<'_>) -> Vec<Finding> {
    let plan = index.plan;
    let tests = plan.tests.iter().map(|test| (test.id.as_str(), test, &test.criteria[..]));
    let groups = plan
        .groups
        .iter()
        .filter_map(|group| Some((group.id.as_str(), plan.parts(group).next()?, &group.criteria[..])));
    let scores = plan
        .scores
        .iter()
        .map(|score| (score.id.as_str(), &plan.tests[score.parts[0].test], score.criterion.as_slice()));
    let all = tests.chain(groups).chain(scores);
    all.flat_map(|(id, test, criteria)| looks_of(test, criteria).map(move |one| one.about(id))).collect()
}

/// Findings about the looks of criteria that the rule of this test decides.
fn looks_of(test: &Test, criteria: &[Criterion]) -> impl Iterator<Item = Finding> {
    let decide = test.decide;
    let most = |is_as_written: bool| {
        let own = criteria.iter().filter(move |one| one.terms.as_written == is_as_written);
        own.map(Criterion::looks).max().filter(|taken| *taken > 1)
    };
    // Without a confidence there is no error that looks could share.
    let of_values =
        most(true).map(|taken| Finding::new(Severity::NeedsWaiver, reason!(AsWrittenLooks { looks: taken })));
    let of_limits = most(false).map(|taken| {
        let severity = if taken <= decide.looks { Severity::Info } else { Severity::NeedsWaiver };
        let code = if taken <= decide.looks { Code::PlannedLooks } else { Code::UnplannedLooks };
        let reason = reason!(UnplannedLooks {
            looks: taken,
            planned_looks: decide.looks,
            confidence: decide.confidence_at(taken),
            wrong_max: decide.error_at(taken),
            ..Reason::new(code)
        });
        Finding::new(severity, reason)
    });
    of_values.into_iter().chain(of_limits)
}

/// Jobs that lasted much longer than the run that their records are of. A launcher may have run the program
/// several times, and chosen one of the runs.
pub(super) fn unexplained_time(index: &Index<'_>) -> Vec<Finding> {
    let of_job = |job: &&Job| {
        let begun = runs(&[*job]).next().and_then(|run| run.started.parse::<Timestamp>().ok())?;
        let ended = record::ends(&job.records).find_map(|end| end.finished.parse::<Timestamp>().ok())?;
        let ran = ended.duration_since(begun).as_secs_f64().max(0.0);
        let outside = job.info.seconds - ran;
        (outside > OUTSIDE_S + OUTSIDE_SHARE * ran)
            .then(|| reason!(UnexplainedTime { folder: &job.folder, lasted: job.info.seconds, ran, outside }))
    };
    let found = index.tests().filter_map(|(test, jobs)| {
        let worst = jobs.iter().filter_map(of_job).max_by(|one, other| {
            let outside = |reason: &Reason| reason.get(row::UnexplainedTime::outside).unwrap_or_default();
            outside(one).total_cmp(&outside(other))
        });
        worst.map(|reason| Finding::new(Severity::NeedsWaiver, reason).about(test))
    });
    found.collect()
}

/// Tests of which more attempts were stopped with the campaign, and run again, than are usual. A user who
/// stops a campaign in each bad repetition chooses the others.
pub(super) fn stopped_attempts(index: &Index<'_>) -> Vec<Finding> {
    let course = &index.campaign.course;
    let of_job: BTreeSet<&str> =
        course.died.iter().chain(&course.asked).map(|one| one.folder.as_str()).collect();
    let found = index.plan.tests.iter().filter_map(|test| {
        let mut attempts = index.attempts(test);
        attempts.retain(|attempt| index.was_repeated(attempt) && !of_job.contains(attempt));
        (attempts.len() > STOPPED_MAX).then(|| {
            let reason = reason!(AttemptsRepeated { folders: attempts, attempts_max: STOPPED_MAX as u64 });
            Finding::new(Severity::NeedsWaiver, reason).about(&test.id)
        })
    });
    found.collect()
}

/// Tests whose jobs were run again. The plan may want it for jobs that died. A repetition that a user chose
/// after the verdicts were known needs a waiver.
pub(super) fn repeats(index: &Index<'_>) -> Vec<Finding> {
    let course = &index.campaign.course;
    let all = [
        (&course.died, Severity::Info, Code::DiedRepeated),
        (&course.asked, Severity::NeedsWaiver, Code::AskedRepeated),
    ];
    let mut findings = Vec::new();
    for (attempts, severity, code) in all {
        let mut by_test: BTreeMap<&str, Vec<&RepeatedAttempt>> = BTreeMap::new();
        for attempt in attempts {
            let job = folder::job_of(&attempt.folder);
            by_test.entry(job.rsplit_once("-r").map_or(job, |(test, _)| test)).or_default().push(attempt);
        }
        for (test, attempts) in by_test {
            let folders: Vec<&String> = attempts.iter().map(|attempt| &attempt.folder).collect();
            let reason = reason!(AskedRepeated { folders, why: &attempts[0].why, ..Reason::new(code) });
            findings.push(Finding::new(severity, reason).about(test));
        }
    }
    findings
}

/// What the file systems of tests lie on. A loop device has a second page cache, and memory is no storage. An
/// overlay only adds names. A place that is not known can be memory.
pub(super) fn backing(index: &Index<'_>) -> Vec<Finding> {
    let of = |name: &str| {
        let facts = index.file_system(name)?;
        if folder::is_memory(&facts.kind) {
            let reason = reason!(BackingStore {
                fs: name,
                how: "memory",
                layers: vec![format!("memory: {}", facts.kind)]
            });
            return Some(Finding::new(Severity::NeedsWaiver, reason).about(format!("fs.{name}")));
        }
        let memory = facts.backing.iter().find(|layer| layer.is_in_memory());
        let expected = index.plan.file_systems.get(name).and_then(|fs| fs.backing);
        let planned = |layer: &&BackingLayer| expected == Some(layer.kind.word());
        let asks =
            |layer: &&BackingLayer| !layer.is_resolved() || layer.kind == LayerKind::Loop && !planned(layer);
        let layer = memory.or_else(|| facts.backing.iter().find(asks));
        let severity = if layer.is_some() { Severity::NeedsWaiver } else { Severity::Info };
        let layer = layer.or_else(|| facts.backing.first())?;
        let all: Vec<String> = facts.backing.iter().map(BackingLayer::words).collect();
        let how = if memory.is_some() { "memory" } else { layer.kind.word() };
        let direct = layer.direct.then_some(true);
        let reason = reason!(BackingStore { fs: name, layers: all, how, direct });
        Some(Finding::new(severity, reason).about(format!("fs.{name}")))
    };
    file_systems_of(&index.plan.tests).into_iter().filter_map(of).collect()
}

/// Findings about the groups.
pub(super) fn groups(index: &Index<'_>) -> Vec<Finding> {
    index.plan.groups.iter().flat_map(|group| of_group(index, group)).collect()
}

fn of_group(index: &Index<'_>, group: &Group) -> Vec<Finding> {
    let plan = index.plan;
    let ran = plan.parts(group).any(|part| !index.jobs(&part.id).is_empty());
    let severity = if index.is_scaled() { Severity::NeedsWaiver } else { Severity::Error };
    let twice = if ran {
        same_fs::pairs(index.campaign.before.as_ref(), &file_systems_of(plan.parts(group)))
    } else {
        Vec::new()
    };
    let twice = twice.into_iter().map(|pair| Finding::new(severity, pair));
    let balance = balance(index, group).map(|reason| Finding::new(Severity::Error, reason));
    balance.into_iter().chain(twice).map(|finding| finding.about(&group.id)).collect()
}

/// The bytes of each file system while all parts were active.
fn balance(index: &Index<'_>, group: &Group) -> Option<Reason> {
    let plan = index.plan;
    // Only equal parts should have equal shares.
    let alike = |pair: &[usize]| {
        let [one, other] = [&plan.tests[pair[0]], &plan.tests[pair[1]]];
        one.line.words() == other.line.words() && one.placement.ranks == other.placement.ranks
    };
    let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
    for criterion in group.criteria.iter().filter(|_| group.tests.windows(2).all(alike)) {
        let phase = criterion.metric.split('.').next().unwrap_or_default();
        for test in plan.parts(group) {
            *shares.entry(&test.fs).or_default() += moved_at_once(index, test, phase);
        }
    }
    shares.retain(|_, bytes| *bytes > 0);
    let mean = shares.values().map(|bytes| *bytes as f64).sum::<f64>() / shares.len().max(1) as f64;
    let far = |share: &(&&str, &u64)| (*share.1 as f64 - mean).abs() > BALANCE * mean;
    let (fs, bytes) = shares.iter().find(far)?;
    Some(reason!(TwoFsBalance { fs: *fs, bytes: *bytes, fair: mean }))
}

/// The bytes that phases of this name of a part moved while all parts of its group were active, in all
/// repetitions. If this time is not known, whole phases count.
fn moved_at_once(index: &Index<'_>, test: &Test, phase: &str) -> u64 {
    let criterion = measuring(&format!("{phase}.bw"), Dimension::BytesPerSecond);
    let case = TestCriterion { index, test, criterion: &criterion };
    let moved = |job: &&Job| match at_once::amount(&case, job) {
        Some(Ok(amount)) => amount.moved as u64,
        _ => case.phases(job).map(|phase| phase.bytes).sum(),
    };
    case.jobs().iter().map(moved).sum()
}

/// The witness did not take every hash, so that a part of the campaign is without a witness.
pub(super) fn witness(index: &Index<'_>) -> Vec<Finding> {
    let missed = index.campaign.course.witness.iter().filter(|witness| witness.missed > 0);
    let finding = |witness: &WitnessCourse| {
        let reason = reason!(WitnessSilent {
            witness: witness.place.clone(),
            times: u64::from(witness.missed),
            error: witness.why.clone()
        });
        Finding::new(Severity::NeedsWaiver, reason)
    };
    missed.map(finding).collect()
}

/// Evidence that an auditor needs and that is missing in a campaign that has ended.
pub(super) fn audit(index: &Index<'_>) -> Vec<Finding> {
    if !index.has_ended() {
        return Vec::new();
    }
    let info = &index.campaign.info;
    let gap = |severity, all: &[(&'static str, bool)]| {
        let missing: Vec<&str> = all.iter().filter(|(_, there)| !there).map(|(what, _)| *what).collect();
        (!missing.is_empty()).then(|| Finding::new(severity, reason!(AuditGap { missing })))
    };
    let evidence = [
        ("plan hash", !info.plan_sha256.is_empty()),
        ("program hash", !info.tool_sha256.is_empty()),
        ("machine facts", index.campaign.before.is_some()),
    ];
    // Only this build of the program has these facts.
    let build = [("commit", !info.build.commit.is_empty()), ("compiler", !info.build.rustc.is_empty())];
    let unprinted = |job: &&Job| job.info.end != JobEnd::NotStarted && job.info.sha256.is_empty();
    let silent = index.tests().filter(|(_, jobs)| jobs.iter().any(&unprinted));
    let of_jobs = silent.filter_map(|(test, _)| {
        gap(Severity::Error, &[("job output", false)]).map(|finding| finding.about(test))
    });
    let whole = [gap(Severity::Error, &evidence), gap(Severity::Info, &build)];
    whole.into_iter().flatten().chain(of_jobs).collect()
}
