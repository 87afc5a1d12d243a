//! From the repetitions' values to an answer: literally first, then whether the repetitions support it.
//!
//! Never here: whether the values may be used.

use results::folder::Job;
use results::record::Counts;
use results::statistics::{self, Answer, Side, Step, Tolerance, proportion};
use results::{Outcome, Statistics};
use units::{Dimension, Quantity, bytes_binary};

use super::Case;
use super::goal::Aim;
use plan::{Criterion, Op, Stat, Test};

/// An answer with its reason.
pub(super) struct Decision {
    pub(super) outcome: Outcome,
    pub(super) reason: String,
    pub(super) value: Option<f64>,
    pub(super) statistics: Option<Statistics>,
}

/// Decides `criterion` by the values of the repetitions, in base units.
pub(super) fn decide(criterion: &Criterion, test: &Test, aim: &Aim, values: &[f64]) -> Decision {
    let weighing = Weighing { criterion, test, aim, values };
    let side = weighing.unfavourable();
    let Some(mut statistics) = Statistics::of(values, side, test.decide.confidence) else {
        let reason = "no repetition has a value".to_owned();
        return Decision { outcome: Outcome::Invalid, reason, value: None, statistics: None };
    };
    if !weighing.scatters() {
        statistics.bound = None;
    }
    let value = match criterion.stat {
        Stat::Mean => statistics.mean,
        Stat::Median => statistics.median,
        Stat::Min => statistics.min,
        Stat::Max => statistics.max,
    };
    let (outcome, reason) = weighing.weigh(value, statistics.cov);
    Decision { outcome, reason, value: Some(value), statistics: Some(statistics) }
}

/// No error at all, with how much was compared, and how often there may be one though none was seen: at 95 %
/// confidence in no more than 3 of n.
pub(super) fn of_compared(case: &Case<'_>, jobs: &[&Job], mut decision: Decision) -> Decision {
    let phases = jobs.iter().flat_map(|job| case.phases(job));
    let checked = phases.filter_map(|phase| Some((phase.check.as_ref()?.bytes, phase.ops, phase.counts)));
    let checked: Vec<(u64, u64, Counts)> = checked.collect();
    let (bytes, n) = checked.iter().fold((0, 0), |(bytes, n), one| (bytes + one.0, n + one.1));
    if case.metric().1 == "errors" && decision.value == Some(0.0) && n >= 6 {
        let names = checked.iter().all(|one| one.2 == Counts::Operations);
        let (all, what) = (bytes_binary(bytes as f64), if names { "operations" } else { "transfers" });
        decision.reason.push_str(&format!(
            "; {all} in {n} {what} were compared, so with 95 % confidence no more than 1 in {} is wrong \
             (3/n)",
            n / 3
        ));
    }
    decision
}

struct Weighing<'a> {
    criterion: &'a Criterion,
    test: &'a Test,
    aim: &'a Aim,
    values: &'a [f64],
}

impl Weighing<'_> {
    fn weigh(&self, value: f64, cov: Option<f64>) -> (Outcome, String) {
        let Self { criterion, test, aim, .. } = self;
        let met = criterion.op.holds(value, aim.threshold.value);
        let said = format!("{} {}", criterion.stat, self.shown(value));
        let needed = format!("{} {}", criterion.op, aim.written);
        let n = self.values.len();
        if let Some(answer) = self.part(value, met) {
            return self.scattered(met, cov, answer);
        }
        let toward = if met { self.unfavourable() } else { opposite(self.unfavourable()) };
        let bound = self.bound(toward);
        if test.decide.by_bound && bound.is_none() && criterion.stat == Stat::Mean && self.scatters() {
            return (
                Outcome::Inconclusive,
                format!("{said}: {n} repetition has no bound, and the plan decides by it"),
            );
        }
        if let Some(bound) = bound
            && criterion.op.holds(bound, aim.threshold.value) != met
        {
            let meets = if met { "meets" } else { "misses" };
            let reach = if toward == Side::Lower { "low" } else { "high" };
            let reason = format!(
                "{said} {meets} {needed}, but after {n} repetitions the truth may be as {reach} as {}; {}",
                self.shown(bound),
                self.remedy()
            );
            return (Outcome::Inconclusive, reason);
        }
        if !met {
            return (Outcome::Fail, format!("{said} misses {needed}"));
        }
        let supported = match (bound, self.scatters()) {
            (Some(bound), true) => {
                format!("; {:.0} % bound {}", test.decide.confidence * 100.0, self.shown(bound))
            }
            _ => String::new(),
        };
        self.scattered(met, cov, (Outcome::Pass, format!("{said} meets {needed}{supported}")))
    }

    /// A pass that scatters more than the plan allows is none.
    fn scattered(&self, met: bool, cov: Option<f64>, answer: (Outcome, String)) -> (Outcome, String) {
        match (cov, self.test.cov_max) {
            (Some(cov), Some(most)) if answer.0 == Outcome::Pass && cov > most && met => {
                let (cov, most) = (cov * 100.0, most * 100.0);
                let but = format!("but the repetitions scatter by {cov:.1} % and {most:.0} % is allowed");
                (Outcome::Inconclusive, format!("{}, {but}", answer.1))
            }
            _ => answer,
        }
    }

    /// The answer where the goal is itself measured: whether the ratio of the two is told from 1. `None`
    /// where it is not, or where what is compared is no mean.
    fn part(&self, value: f64, met: bool) -> Option<(Outcome, String)> {
        let Self { criterion, test, aim, values } = self;
        if aim.measured.is_empty() || criterion.stat != Stat::Mean || criterion.op == Op::Equal {
            return None;
        }
        let at = |values| Step { at: 1.0, values };
        let turned = self.unfavourable() == Side::Upper;
        let (over, under) = match turned {
            false => (at(values), at(&aim.measured)),
            true => (at(&aim.measured), at(values)),
        };
        let tolerance = Tolerance { below: 0.0, above: None };
        let step = proportion(under, over, tolerance, test.decide.confidence, aim.among);
        let said = format!("{} {}", criterion.stat, self.shown(value));
        let how = if met { "meets" } else { "misses" };
        let said = format!("{said} {how} {} {}", criterion.op, aim.written);
        let n = values.len().min(aim.measured.len());
        Some(match (step.interval, step.answer) {
            (None, _) if test.decide.by_bound => (
                Outcome::Inconclusive,
                format!("{said}: {n} repetition has no bound, and the plan decides by it"),
            ),
            (None, _) => (if met { Outcome::Pass } else { Outcome::Fail }, said),
            (Some(lies), answer) => {
                // Of what was divided the other way round the bounds are those of the reciprocal.
                let (low, high) =
                    if turned { (1.0 / lies.high, 1.0 / lies.low) } else { (lies.low, lies.high) };
                let between = match high.is_finite() {
                    true => format!("it is between {} and {} of that", percent(low), percent(high)),
                    false => format!("it is at least {} of that", percent(low)),
                };
                match answer {
                    Answer::Supported => (Outcome::Pass, format!("{said}; {between}")),
                    Answer::Refuted => (Outcome::Fail, format!("{said}; {between}")),
                    Answer::Undecided => {
                        let high = match high.is_finite() {
                            true => percent(high),
                            false => "any multiple".to_owned(),
                        };
                        let lies = format!("between {} and {high} of that", percent(low.max(0.0)));
                        let (asked, scatter) = (self.asked(), self.who_scatters());
                        let more = remedy(step.repetitions.map(|n| (n, " of each side")));
                        let reason = format!(
                            "{said}, but after {n} repetitions the truth may be anything {lies}, and 100 % \
                             is {asked}; {scatter}; {more}"
                        );
                        (Outcome::Inconclusive, reason)
                    }
                }
            }
        })
    }

    /// What the goal is to a value: a floor or a ceiling.
    fn asked(&self) -> &'static str {
        match self.unfavourable() {
            Side::Lower => "the least that is asked for",
            Side::Upper => "the most that is allowed",
        }
    }

    /// Which of the two sides keeps their ratio open: the scatter of both, the larger first.
    fn who_scatters(&self) -> String {
        let cov = |values: &[f64]| statistics::cov(values).unwrap_or(0.0) * 100.0;
        let (own, other) = (cov(self.values), cov(&self.aim.measured));
        match own >= other {
            true => format!("it scatters by {own:.1} % (COV), and what it is compared with by {other:.1} %"),
            false => format!("what it is compared with scatters by {other:.1} % (COV), and it by {own:.1} %"),
        }
    }

    /// The side on which being wrong would turn a pass into a miss.
    fn unfavourable(&self) -> Side {
        match self.criterion.op {
            Op::AtMost | Op::Below => Side::Upper,
            Op::AtLeast | Op::Above | Op::Equal => Side::Lower,
        }
    }

    /// Whether the value is one that scatters; a count of errors is what it is, and so are extremes.
    fn scatters(&self) -> bool {
        self.aim.threshold.dimension != Dimension::Count && self.criterion.op != Op::Equal
    }

    fn bound(&self, side: Side) -> Option<f64> {
        let confidence = self.test.decide.confidence;
        match self.criterion.stat {
            _ if !self.scatters() => None,
            Stat::Mean => statistics::bound_of_mean(self.values, side, confidence),
            Stat::Median => statistics::bound_of_median(self.values, side, confidence),
            Stat::Min | Stat::Max => None,
        }
    }

    fn remedy(&self) -> String {
        let (threshold, confidence) = (self.aim.threshold.value, self.test.decide.confidence);
        let wanted = statistics::repetitions_to_decide(self.values, threshold, confidence);
        match wanted {
            Some(n) if n as usize <= self.values.len() => "more repetitions would decide".to_owned(),
            wanted => remedy(wanted.map(|n| (n, ""))),
        }
    }

    /// A value with its unit; a bound below zero says nothing of what cannot be negative.
    fn shown(&self, value: f64) -> String {
        let value = value.max(0.0);
        // In the family of the threshold's unit, or a sentence compares 2.57 GB/s with 2.5 GiB/s.
        match self.aim.threshold.dimension {
            Dimension::BytesPerSecond if self.aim.written.contains("iB/s") => {
                return units::rate_binary(value);
            }
            _ => {}
        }
        Quantity { value, dimension: self.aim.threshold.dimension }.to_string()
    }
}

/// A share in percent, with as many digits as tell it from the whole.
fn percent(share: f64) -> String {
    let shown = |digits: usize| format!("{:.digits$}", share * 100.0);
    let tells = |digits: &usize| {
        let shown: f64 = shown(*digits).parse().unwrap_or(100.0);
        (shown < 100.0) == (share < 1.0) && (shown > 100.0) == (share > 1.0)
    };
    format!("{} %", shown((1..=4).find(tells).unwrap_or(1)))
}

/// What would settle it: so many repetitions, and of what.
fn remedy(repetitions: Option<(u32, &str)>) -> String {
    match repetitions {
        Some((n, of)) => format!("about {n} repetitions{of} would decide"),
        None => "no practical number of repetitions would decide".to_owned(),
    }
}

fn opposite(side: Side) -> Side {
    match side {
        Side::Lower => Side::Upper,
        Side::Upper => Side::Lower,
    }
}
