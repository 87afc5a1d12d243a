//! The stage after: what was measured, against what makes it the number that the clause is about.
//!
//! Never here: the threshold, and what `judge` tells already; the table says which.

use results::record::{Counts, Phase};
use results::statistics::{self, ratio_interval};
use units::{bytes_binary, count, duration, rate_decimal};

use super::before::APART;
use super::table::{Check, all_found};
use super::{Finding, Found, Level};

/// Share of the mean below which the slowest rank of a stonewalled run is a straggler.
const STRAGGLER: f64 = 0.8;
/// Coefficient of variation above which somebody has to explain it.
const COV: f64 = 0.10;
/// Share by which more clients may raise the number of what is said to be the file system's.
const CLIENTS: f64 = 0.05;
/// Entries of a tree below which a walk says little (Purple).
const WALKED: u64 = 100_000;
/// Operations, and seconds, below which a rate of names says little.
const NAMES: (u64, f64) = (1_000_000, 30.0);
/// Seconds below which a rate of bytes says little, and below which somebody has to answer for it.
const SHORT_S: f64 = 1.0;
const INSTANT_S: f64 = 0.05;
/// Confidence at which more clients are told from noise.
const CONFIDENCE: f64 = 0.95;
/// Wear-out longer than so many times the deadline.
const TAIL: f64 = 1.0;
/// Share by which the mean of rates and the rate of all bytes may differ.
const HARMONIC: f64 = 0.01;
/// Share of the mean by which halves of the servers may differ.
const BALANCE: f64 = 0.1;

/// Parts of a group that ran at once: their begin and end, seconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// When it began and ended.
    pub span_s: (f64, f64),
}

/// One test after its jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AfterSubject<'a> {
    /// The test.
    pub id: String,
    /// Its judged phase of each repetition, in their order.
    pub phases: Vec<&'a Phase>,
    /// How long the rate was to be sustained, seconds.
    pub sustained_s: Option<f64>,
    /// What is judged of each repetition; empty where nothing may be judged.
    pub values: Vec<f64>,
    /// Whether the plan was run at a scale that was chosen for a smaller system than the contract's.
    pub scaled: bool,
    /// The nodes and the rates of the same test on more nodes.
    pub more: Option<(u64, Vec<f64>)>,
    /// What the file system is said to do at most, bytes per second.
    pub most: Option<f64>,
    /// The rate of the sequential twin of a random test, bytes per second.
    pub sequential: Option<f64>,
    /// Of a test that is to become steady: whether it did, and after how many seconds at most.
    pub steady: Option<(bool, f64)>,
    /// Parts of the group.
    pub parts: Vec<Part>,
    /// Share of the shortest of them for which all have to be at work.
    pub overlap: f64,
    /// Bytes on each of the file systems that are used at once.
    pub shares: Vec<(String, u64)>,
    /// Of a group: its file systems that are one, two and two, with what they are.
    pub twins: Vec<[String; 3]>,
    /// Of walks: the fewest entries that any of them listed.
    pub walked: Option<u64>,
}

impl AfterSubject<'_> {
    /// The rates of the repetitions, bytes per second.
    fn rates(&self) -> Vec<f64> {
        self.phases.iter().filter_map(|phase| rate(phase)).collect()
    }
}

/// Bytes, or operations, per second of a phase; `None` of one that took no time.
pub(super) fn rate(phase: &Phase) -> Option<f64> {
    let moved = if phase.counts == Counts::Bytes { phase.bytes } else { phase.ops };
    (phase.spans.total_s > 0.0).then(|| moved as f64 / phase.spans.total_s)
}

/// The findings of this stage, in the order of the table.
pub fn findings(subject: &AfterSubject<'_>) -> Vec<Finding> {
    let mut findings = all_found(|check| match check {
        Check::After(check) => check(subject),
        _ => Vec::new(),
    });
    for finding in &mut findings {
        finding.about.clone_from(&subject.id);
    }
    findings
}

/// sustained-not-met
pub(super) fn sustained(subject: &AfterSubject<'_>) -> Vec<Found> {
    let Some(wanted) = subject.sustained_s else { return Vec::new() };
    let short = |phase: &&&Phase| phase.spans.transfer_s < wanted;
    let Some(phase) =
        subject.phases.iter().filter(short).min_by(|a, b| a.spans.transfer_s.total_cmp(&b.spans.transfer_s))
    else {
        return Vec::new();
    };
    let what = format!(
        "{} lasted {} and {} are to be sustained",
        phase.phase,
        duration(phase.spans.transfer_s),
        duration(wanted)
    );
    vec![Found::new(what, "move more, and stop by -D")]
}

/// straggler
pub(super) fn straggler(subject: &AfterSubject<'_>) -> Vec<Found> {
    let share = |phase: &Phase| {
        let mean = phase.bytes as f64 / f64::from(phase.ranks.max(1));
        let known = phase.stonewall.is_some() && phase.balance.bytes_max > 0 && mean > 0.0;
        known.then(|| phase.balance.bytes_min as f64 / mean)
    };
    let shares = subject.phases.iter().filter_map(|phase| Some((*phase, share(phase)?)));
    let Some((phase, share)) =
        shares.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| *share < STRAGGLER)
    else {
        return Vec::new();
    };
    let what = format!(
        "{}: the slowest rank moved {}, {:.0} % of the mean of {}",
        phase.phase,
        bytes_binary(phase.balance.bytes_min as f64),
        share * 100.0,
        bytes_binary(phase.bytes as f64 / f64::from(phase.ranks.max(1)))
    );
    vec![Found::new(what, "find the node or target that holds it back, or explain it")]
}

/// wearout-tail
pub(super) fn tail(subject: &AfterSubject<'_>) -> Vec<Found> {
    let tails = subject.phases.iter().filter_map(|phase| {
        let wall = phase.stonewall.as_ref().filter(|wall| wall.wear_out && wall.deadline_s > 0.0)?;
        Some(((phase.spans.transfer_s - wall.deadline_s).max(0.0), wall.deadline_s))
    });
    let Some((tail, deadline)) =
        tails.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(tail, d)| *tail > TAIL * d)
    else {
        return Vec::new();
    };
    let what = format!("wear-out took {} after a deadline of {}", duration(tail), duration(deadline));
    vec![Found::new(what, "find what holds the slowest ranks back")]
}

/// cov-missing
pub(super) fn no_scatter(subject: &AfterSubject<'_>) -> Vec<Found> {
    if subject.phases.len() != 1 {
        return Vec::new();
    }
    vec![Found::new("one repetition has no scatter to tell", "repeat it at least three times")]
}

/// cov-high
///
/// No error however much it is: what scatter does to a mean is in its bound, by which it is judged.
pub(super) fn scatter(subject: &AfterSubject<'_>) -> Vec<Found> {
    let values = &subject.values;
    let Some(cov) = statistics::cov(values).filter(|cov| *cov > COV) else { return Vec::new() };
    let what = format!("{} repetitions scatter by {:.1} % (n−1)", values.len(), cov * 100.0);
    vec![Found::new(what, "find the cause, or explain it; more repetitions narrow the mean only")]
}

/// harmonic
pub(super) fn harmonic(subject: &AfterSubject<'_>) -> Vec<Found> {
    let phases = &subject.phases;
    let fixed = phases.windows(2).all(|pair| pair[0].bytes == pair[1].bytes);
    let timed = phases.iter().any(|phase| phase.stonewall.is_some());
    let rates = subject.rates();
    if subject.values.is_empty()
        || rates.len() < 2
        || !fixed
        || timed
        || phases.iter().any(|phase| phase.counts != Counts::Bytes)
    {
        return Vec::new();
    }
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let bytes: u64 = phases.iter().map(|phase| phase.bytes).sum();
    let whole = bytes as f64 / phases.iter().map(|phase| phase.spans.total_s).sum::<f64>();
    if mean <= whole * (1.0 + HARMONIC) {
        return Vec::new();
    }
    let what = format!(
        "the mean of rates is {}, and all bytes over all time are {}: repetitions of fixed size favour the \
         fast ones",
        rate_decimal(mean),
        rate_decimal(whole)
    );
    vec![Found::new(what, "tell both, or stop by -D")]
}

/// client-limited
pub(super) fn client_limited(subject: &AfterSubject<'_>) -> Vec<Found> {
    let rates = subject.rates();
    let Some((nodes, more)) = &subject.more else { return Vec::new() };
    let Some(times) = statistics::mean(&rates).and_then(|mean| Some(statistics::mean(more)? / mean)) else {
        return Vec::new();
    };
    // Of single repetitions nobody knows the noise.
    let noise = ratio_interval(more, &rates, CONFIDENCE).is_some_and(|interval| interval.low <= 1.0);
    if noise || !times.is_finite() || times <= 1.0 + CLIENTS {
        return Vec::new();
    }
    let what = format!(
        "{nodes} nodes reach {times:.2} times as much: the number is the clients', and a lower bound"
    );
    vec![Found::new(what, "report it as a lower bound of the file system")]
}

/// above-physics
pub(super) fn physics(subject: &AfterSubject<'_>) -> Vec<Found> {
    if subject.phases.iter().any(|phase| phase.counts != Counts::Bytes) {
        return Vec::new();
    }
    let most = subject.rates().into_iter().fold(0.0, f64::max);
    let mut found = Vec::new();
    if let Some(said) = subject.most.filter(|said| most > *said) {
        let what = format!("{} is more than the {} it is said to do", rate_decimal(most), rate_decimal(said));
        found.push(Found::new(what, "find the cache that answered"));
    }
    if let Some(sequential) = subject.sequential.filter(|sequential| most >= *sequential) {
        let what = format!(
            "random transfers reach {}, and sequential ones {}",
            rate_decimal(most),
            rate_decimal(sequential)
        );
        found.push(Found::new(what, "find the cache that answered, or the offsets that repeat"));
    }
    found
}

/// no-steady-state
pub(super) fn unsteady(subject: &AfterSubject<'_>) -> Vec<Found> {
    let Some((false, seconds)) = subject.steady else { return Vec::new() };
    let what = format!("the rate had not become steady after {}", duration(seconds));
    vec![Found::new(what, "find what still changes: caches that fill, a rebuild, other users")]
}

/// overlap
pub(super) fn overlap(subject: &AfterSubject<'_>) -> Vec<Found> {
    let parts = &subject.parts;
    if parts.len() < 2 {
        return Vec::new();
    }
    let begin = parts.iter().map(|part| part.span_s.0).fold(f64::MIN, f64::max);
    let end = parts.iter().map(|part| part.span_s.1).fold(f64::MAX, f64::min);
    let shortest = parts.iter().map(|part| part.span_s.1 - part.span_s.0).fold(f64::MAX, f64::min);
    let common = (end - begin).max(0.0);
    if common >= subject.overlap * shortest {
        return Vec::new();
    }
    let what = format!(
        "all parts were at work for {} of the {} of the shortest",
        duration(common),
        duration(shortest)
    );
    vec![Found::new(what, "start them together, and let each last as long")]
}

/// two-fs-balance
pub(super) fn balance(subject: &AfterSubject<'_>) -> Vec<Found> {
    let mean = subject.shares.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>()
        / subject.shares.len().max(1) as f64;
    let far = |share: &&(String, u64)| (share.1 as f64 - mean).abs() > BALANCE * mean;
    let Some((name, bytes)) = subject.shares.iter().find(far) else { return Vec::new() };
    let what =
        format!("{name} took {}, and {} are a fair share", bytes_binary(*bytes as f64), bytes_binary(mean));
    vec![Found::new(what, "let even ranks write to one file system and odd ones to the other")]
}

/// one-fs-twice
pub(super) fn twice(subject: &AfterSubject<'_>) -> Vec<Found> {
    let level = if subject.scaled { Level::Waiver } else { Level::Error };
    let found = |[one, other, what]: &[String; 3]| {
        let what = format!("its parts work on fs.{one} and fs.{other}, which are one file system: {what}");
        Found::new(what, APART).level(level)
    };
    subject.twins.iter().map(found).collect()
}

/// ls-walk
pub(super) fn walk(subject: &AfterSubject<'_>) -> Vec<Found> {
    let Some(entries) = subject.walked.filter(|entries| *entries < WALKED) else { return Vec::new() };
    let (entries, least) = (count(entries as f64), count(WALKED as f64));
    let what = format!("a walk listed {entries} entries, and more than {least} are usual in contracts");
    vec![Found::new(what, "make larger trees").level(Level::Waiver)]
}

/// md-too-short
pub(super) fn too_short(subject: &AfterSubject<'_>) -> Vec<Found> {
    let short = |phase: &&&Phase| {
        phase.counts == Counts::Operations && (phase.ops < NAMES.0 || phase.spans.transfer_s < NAMES.1)
    };
    let Some(phase) = subject.phases.iter().find(short) else { return Vec::new() };
    let (ops, seconds) = (count(phase.ops as f64), duration(phase.spans.transfer_s));
    let what = format!("{}: {ops} operations in {seconds}", phase.phase);
    vec![Found::new(what, "at least a million, and half a minute")]
}

/// rate-too-short
pub(super) fn instant(subject: &AfterSubject<'_>) -> Vec<Found> {
    let bytes = subject.phases.iter().filter(|phase| phase.counts == Counts::Bytes && phase.bytes > 0);
    let least = bytes.min_by(|a, b| a.spans.transfer_s.total_cmp(&b.spans.transfer_s));
    let Some(phase) = least.filter(|phase| phase.spans.transfer_s < SHORT_S) else { return Vec::new() };
    let seconds = phase.spans.transfer_s;
    let what = format!("{}: {} in {}", phase.phase, bytes_binary(phase.bytes as f64), duration(seconds));
    let more = match seconds > 0.0 {
        true => format!("{:.0} times as much", (SHORT_S / seconds).ceil()),
        false => "more".to_owned(),
    };
    let found =
        Found::new(what, format!("move {more}, so that it lasts a second at least (ior: -b, -s, or -D)"));
    // Who measures on a small scale, or on a disk that is faster than was thought, knows how much is moved.
    vec![if subject.scaled || seconds >= INSTANT_S { found.level(Level::Info) } else { found }]
}
