//! Findings about the measured phases of a test: facts that make a number differ from what the clause means.
//!
//! Never here: the threshold.

use command::{WorkloadName, ior};
use plan::{Criterion, Goal, Test};
use results::finding::{Finding, Severity};
use results::folder::JobEnd;
use results::reason::{Reason, reason, row};
use results::record::{Counts, MetricRow, Phase};
use results::statistics::{self, RepetitionAmount, Side};
use units::Quantity;

use crate::case::TestCriterion;
use crate::index::{Index, phases};
use crate::validity;

/// If the slowest rank of a phase with a deadline moved less than this share of the mean, it is a straggler.
/// The sentence about it states 80 %.
const STRAGGLER: f64 = 0.8;
/// A larger coefficient of variation is reported and needs an explanation, if the plan has no `cov_max`.
const COV: f64 = 0.10;
/// With fewer entries in a tree, a walk is not meaningful (Purple).
const WALKED: u64 = 100_000;
/// With fewer operations, or fewer seconds, a metadata rate is not meaningful.
const NAMES: (u64, f64) = (1_000_000, 30.0);
/// In shorter phases, seconds, a rate of bytes is not meaningful, and in still shorter ones it needs a
/// waiver.
const SHORT_S: f64 = 1.0;
const INSTANT_S: f64 = 0.05;
/// A wear-out is reported if it is longer than this multiple of the deadline.
const TAIL: f64 = 1.0;
/// The maximum difference between the mean of the rates and the rate of all repetitions, as a share.
const HARMONIC: f64 = 0.01;
/// Transfers up to the first size are small, and from the second size on they are large, bytes. Between the
/// two, random transfers may be as fast as sequential ones.
const SMALL: u64 = 64 << 10;
const LARGE: u64 = 256 << 10;

/// The findings about the phases of a test with evaluated rates.
pub(super) fn of(index: &Index<'_>, test: &Test) -> Vec<Finding> {
    let mut findings = Vec::new();
    for name in evaluated_phases(test) {
        let phases = ended_phases(index, test, name);
        if phases.is_empty() {
            continue;
        }
        let cases = rate_cases(index, test, name);
        // A value that decides as written is not supported by its repetitions.
        let supported = cases.iter().any(|case| !case.criterion.terms.as_written);
        let of_repetitions = if supported { Severity::NeedsWaiver } else { Severity::Info };
        let waiver = [
            straggler(&phases).map(needs_waiver),
            tail(&phases).map(needs_waiver),
            missing_variability(phases.len()).map(|reason| Finding::new(of_repetitions, reason)),
            most_variable(&cases),
            harmonic_of(&cases),
            walk(test, &phases).map(needs_waiver),
            short_operations(&phases).map(needs_waiver),
        ];
        let waiver = waiver.into_iter().flatten();
        let physics = physics(index, test, name, &phases).into_iter();
        let errors = physics.map(|reason| Finding::new(Severity::Error, reason));
        let all = waiver.chain(errors).chain(short_transfers(index, &phases));
        findings.extend(all.map(|finding| finding.about(&test.id).of_phase(name)));
    }
    findings
}

/// The phases of the test's criteria, without criteria that count errors.
fn evaluated_phases(test: &Test) -> Vec<&str> {
    let rates = test.criteria.iter().filter(|criterion| is_rate_of(criterion, None));
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in rates.filter_map(|criterion| criterion.metric.split_once('.')) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether a criterion is about the speed of a phase, and of this phase if one is given.
fn is_rate_of(criterion: &Criterion, phase: Option<&str>) -> bool {
    let Some((of, name)) = criterion.metric.split_once('.') else { return false };
    let is_speed = name == "seconds" || MetricRow::named(name).is_some_and(|row| row.kind.is_speed());
    is_speed && phase.is_none_or(|phase| phase == of)
}

/// The phase of this name of every repetition that ended successfully.
fn ended_phases<'a>(index: &Index<'a>, test: &Test, name: &str) -> Vec<&'a Phase> {
    let jobs = index.jobs(&test.id).iter().filter(|job| job.info.end == JobEnd::Exit(0));
    jobs.flat_map(|job| phases(job)).filter(|phase| phase.phase == name).collect()
}

/// Bytes or operations per second of a phase; `None` if it took no time.
fn rate(phase: &Phase) -> Option<f64> {
    let moved = if phase.counts == Counts::Bytes { phase.bytes } else { phase.ops };
    (phase.spans.total_s > 0.0).then(|| moved as f64 / phase.spans.total_s)
}

fn straggler(phases: &[&Phase]) -> Option<Reason> {
    let mean = |phase: &Phase| phase.bytes as f64 / f64::from(phase.ranks.max(1));
    let share = |phase: &Phase| {
        let known = phase.stonewall.is_some() && phase.balance.bytes_max > 0 && mean(phase) > 0.0;
        known.then(|| phase.balance.bytes_min as f64 / mean(phase))
    };
    let shares = phases.iter().filter_map(|phase| Some((*phase, share(phase)?)));
    let (phase, share) = shares.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share < STRAGGLER)?;
    Some(reason!(Straggler { phase: &phase.phase, share, bytes: phase.balance.bytes_min, mean: mean(phase) }))
}

fn tail(phases: &[&Phase]) -> Option<Reason> {
    let tails = phases.iter().filter_map(|phase| {
        let wall = phase.stonewall.as_ref().filter(|wall| wall.wear_out && wall.deadline_s > 0.0)?;
        Some(((phase.spans.transfer_s - wall.deadline_s).max(0.0), wall.deadline_s))
    });
    let longest = tails.max_by(|a, b| a.0.total_cmp(&b.0));
    let (tail, deadline) = longest.filter(|(tail, deadline)| *tail > TAIL * deadline)?;
    Some(reason!(WearoutTail { wear_out: tail, deadline }))
}

/// The reason that a single repetition has no variability.
pub(crate) fn missing_variability(repetitions: usize) -> Option<Reason> {
    (repetitions == 1).then(|| reason!(CovMissing))
}

/// The reason that the repetitions vary by more than `cov_max` of the plan, or 10 %. It is never an error,
/// because the confidence limit includes the variability.
pub(crate) fn variability(values: &[f64], cov_max: Option<f64>) -> Option<Reason> {
    let most = cov_max.unwrap_or(COV);
    let cov = statistics::cov(values).filter(|cov| *cov > most)?;
    Some(reason!(CovHigh { n: values.len(), cov, cov_max: most }))
}

/// The criteria on the speed of a phase.
fn rate_cases<'a>(index: &'a Index<'a>, test: &'a Test, name: &str) -> Vec<TestCriterion<'a>> {
    let rates = test.criteria.iter().filter(|criterion| is_rate_of(criterion, Some(name)));
    rates.map(|criterion| TestCriterion { index, test, criterion }).collect()
}

fn needs_waiver(reason: Reason) -> Finding {
    Finding::new(Severity::NeedsWaiver, reason)
}

/// The finding about the criterion with the highest variability, of those that vary by more than allowed.
fn most_variable(cases: &[TestCriterion<'_>]) -> Option<Finding> {
    let one = |case: &TestCriterion<'_>| {
        let terms = &case.criterion.terms;
        let reason = variability(&validity::measured(case).unwrap_or_default(), terms.cov_max)?;
        let mild = terms.as_written && terms.cov_max.is_none();
        Some(Finding::new(if mild { Severity::Info } else { Severity::NeedsWaiver }, reason))
    };
    let cov = |finding: &Finding| finding.reason.get(row::CovHigh::cov).unwrap_or(0.0);
    let found = cases.iter().filter_map(one);
    found.max_by(|a, b| a.severity.cmp(&b.severity).then(cov(a).total_cmp(&cov(b))))
}

/// The finding about the total rate, for the criterion that it matters most to.
fn harmonic_of(cases: &[TestCriterion<'_>]) -> Option<Finding> {
    let usable = cases.iter().filter(|case| validity::measured(case).is_ok_and(|values| !values.is_empty()));
    let one = |case: &TestCriterion<'_>| {
        let reason = harmonic(case)?;
        let noise = reason.flag(row::Harmonic::within_limit) && !reason.has(row::Harmonic::required);
        let mild = case.criterion.terms.as_written || noise;
        Some(Finding::new(if mild { Severity::Info } else { Severity::NeedsWaiver }, reason))
    };
    let found: Vec<Finding> = usable.filter_map(one).collect();
    let gravest = found.iter().position(|finding| finding.severity > Severity::Info).unwrap_or(0);
    found.into_iter().nth(gravest)
}

/// The rate of all repetitions together, if each moved the same amount and the mean of the rates is higher.
pub(crate) fn harmonic(case: &TestCriterion<'_>) -> Option<Reason> {
    let name = case.metric();
    let meant = case.criterion.stat.row().is_mean && case.is_rate() && case.test.part.is_none();
    let phases = case.all_phases();
    let fixed = phases.windows(2).all(|pair| (pair[0].bytes, pair[0].ops) == (pair[1].bytes, pair[1].ops));
    let timed = phases.iter().any(|phase| phase.stonewall.is_some() || phase.window.is_some());
    if !meant || !fixed || timed || phases.len() < 2 {
        return None;
    }
    let row = MetricRow::named(name)?;
    let parts = phases.iter().filter_map(|phase| row.rate_parts(phase));
    let moved: Vec<RepetitionAmount> =
        parts.map(|(amount, seconds)| RepetitionAmount { amount: amount as f64, seconds }).collect();
    let rates: Vec<f64> =
        phases.iter().filter_map(|phase| phase.metric(name)).map(|metric| metric.value).collect();
    let (mean, whole) = (statistics::mean(&rates)?, statistics::total_rate(&moved)?);
    let dimension = row.dimension(phases[0].counts);
    (mean > whole * (1.0 + HARMONIC)).then(|| {
        // Then the difference is no more than what the repetitions vary by.
        let limit = statistics::limit_of_mean(&rates, Side::Lower, case.confidence());
        let limit = limit.filter(|_| !case.criterion.terms.as_written);
        let within = limit.is_some_and(|limit| whole >= limit).then_some(true);
        reason!(Harmonic {
            whole: Quantity { value: whole, dimension },
            mean: Quantity { value: mean, dimension },
            share: mean / whole - 1.0,
            within_limit: within,
            required: only_the_mean_meets(case.criterion, mean, whole)
        })
    })
}

/// The threshold, if the mean of the rates meets it and the rate of all repetitions does not.
fn only_the_mean_meets(criterion: &Criterion, mean: f64, whole: f64) -> Option<Quantity> {
    let Goal::Value(threshold) = criterion.goal else { return None };
    let holds = |value| criterion.op.holds(value, threshold.value);
    (holds(mean) && !holds(whole)).then_some(threshold)
}

/// A walk in which a rank listed few entries.
fn walk(test: &Test, phases: &[&Phase]) -> Option<Reason> {
    let is_walk = test.line.name() == Some(WorkloadName::LsLr);
    let walks = phases.iter().filter(|phase| is_walk && phase.phase == "list");
    let each = walks.filter_map(|phase| phase.each_rank.as_ref());
    let fewest = each.flat_map(|each| (0..each.ranks).filter_map(|rank| each.moved.of(rank))).min();
    let entries = fewest.filter(|entries| *entries < WALKED)?;
    Some(reason!(LsWalk { entries, entries_min: WALKED }))
}

fn short_operations(phases: &[&Phase]) -> Option<Reason> {
    let short = |phase: &&&Phase| {
        phase.counts == Counts::Operations && (phase.ops < NAMES.0 || phase.spans.transfer_s < NAMES.1)
    };
    let phase = phases.iter().find(short)?;
    Some(reason!(MdTooShort { phase: &phase.phase, operations: phase.ops, lasted: phase.spans.transfer_s }))
}

fn short_transfers(index: &Index<'_>, phases: &[&Phase]) -> Option<Finding> {
    let bytes = phases.iter().filter(|phase| phase.counts == Counts::Bytes && phase.bytes > 0);
    let least = bytes.min_by(|a, b| a.spans.transfer_s.total_cmp(&b.spans.transfer_s));
    let phase = least.filter(|phase| phase.spans.transfer_s < SHORT_S)?;
    let seconds = phase.spans.transfer_s;
    let times = (seconds > 0.0).then(|| (SHORT_S / seconds).ceil() as u64);
    // With a small scale, or with a disk that is faster than expected, the amount is known to be small.
    let mild = index.is_scaled() || seconds >= INSTANT_S;
    let severity = if mild { Severity::Info } else { Severity::NeedsWaiver };
    let reason = reason!(RateTooShort { phase: &phase.phase, bytes: phase.bytes, lasted: seconds, times });
    Some(Finding::new(severity, reason))
}

/// Rates above the stated maximum of the file system, or above those of large sequential transfers.
fn physics(index: &Index<'_>, test: &Test, name: &str, phases: &[&Phase]) -> Vec<Reason> {
    if phases.iter().any(|phase| phase.counts != Counts::Bytes) {
        return Vec::new();
    }
    let most = phases.iter().filter_map(|phase| rate(phase)).fold(0.0, f64::max);
    let stated = index.plan.file_systems.get(&test.fs).and_then(|fs| fs.rate).filter(|stated| most > *stated);
    let sequential = sequential(index, test, name).filter(|sequential| most >= *sequential);
    let stated = stated.map(|stated| reason!(AbovePhysics { rate: most, rate_max: stated }));
    let sequential = sequential.map(|sequential| reason!(AbovePhysics { rate: most, sequential }));
    stated.into_iter().chain(sequential).collect()
}

/// The best rate of the same phase in a comparable test with large sequential transfers, for a test with
/// small random transfers; `None` if there is none.
fn sequential(index: &Index<'_>, test: &Test, name: &str) -> Option<f64> {
    let own = test.line.as_ior().filter(|own| own.is_random() && own.transfer <= SMALL)?;
    let twin = |other: &&Test| {
        let same = other.fs == test.fs && other.placement == test.placement && other.step == test.step;
        // Shared files, other calls and data without a flush have other limits, so they are not comparable.
        let is_alike = |line: &ior::Line| {
            !line.is_rate_limited() && !line.is_random() && line.is_like(own) && line.transfer >= LARGE
        };
        same && other.line.as_ior().is_some_and(is_alike)
    };
    let rates = index.plan.tests.iter().filter(twin).flat_map(|other| ended_phases(index, other, name));
    rates.filter_map(rate).max_by(f64::total_cmp)
}
