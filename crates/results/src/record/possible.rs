//! Which numbers a record can have. A record may come from a stranger, and later steps divide by its numbers
//! and repeat work as often as they say.
//!
//! Invariant: every record that a job writes is possible.
//! Never here: whether numbers agree with each other; that is a question for the evaluation.

use measure::{ByteTimeline, Histogram};

use super::{Column, EachRank, Latency, Phase, QuotaUse, Record, Timeline};

/// The most ranks of a job. The largest machines have fewer processors.
const RANKS_MAX: u32 = 1 << 24;

/// A field, and why no measurement gives its value.
type Flaw = (&'static str, &'static str);

impl Record {
    /// Why no job can have written this record, if so: a field with its problem.
    pub(crate) fn impossible(&self) -> Option<String> {
        let flaw = match self {
            Self::Phase(phase) => phase.flaw(),
            Self::Run(run) => ranks(run.ranks),
            Self::Case(case) => ranks(case.ranks).or_else(|| negative("seconds", case.seconds)),
            Self::State(state) => negative("seconds", state.seconds),
            Self::Value(value) => (!value.value.is_finite()).then_some(("value", "is not a number")),
            Self::Reported(reported) => {
                reported.is_impossible().then_some(("reported", "has a number that no run has"))
            }
            Self::Failure(_) | Self::Notice(_) | Self::End(_) => None,
        };
        flaw.map(|(field, what)| format!("{field} {what}"))
    }

    /// The number of ranks whose results the record has.
    pub(crate) fn rank_count(&self) -> u64 {
        match self {
            Self::Phase(phase) => phase.ranks.into(),
            _ => 0,
        }
    }
}

const NEGATIVE: &str = "is below 0";

impl Phase {
    fn flaw(&self) -> Option<Flaw> {
        let Self { spans, balance, .. } = self;
        let window = self.window.map_or(0.0, |window| window.seconds);
        let wall = self.stonewall.as_ref().map_or(0.0, |wall| wall.seconds.min(wall.deadline_s));
        let seconds = [
            ("spans.open_s", spans.open_s),
            ("spans.transfer_s", spans.transfer_s),
            ("spans.close_s", spans.close_s),
            ("spans.total_s", spans.total_s),
            ("balance.seconds_min", balance.seconds_min),
            ("balance.seconds_max", balance.seconds_max),
            ("balance.slowest_rate", balance.slowest_rate),
            ("balance.median_rate", balance.median_rate),
            ("began_s", self.began_s),
            ("ramp_s", self.ramp_s),
            ("rate_limit", self.rate_limit.unwrap_or(0.0)),
            ("window.seconds", window),
            ("stonewall", wall),
        ];
        ranks(self.ranks)
            .or_else(|| {
                (self.test.max(self.repetition) == u32::MAX).then_some(("test or repetition", "is too large"))
            })
            .or_else(|| seconds.into_iter().find_map(|(field, value)| negative(field, value)))
            .or_else(|| {
                let share = self.cached_before.unwrap_or(0.0);
                (!(0.0..=1.0).contains(&share)).then_some(("cached_before", "is not between 0 and 1"))
            })
            .or_else(|| self.quota.as_deref().and_then(QuotaUse::flaw))
            .or_else(|| self.timeline.as_ref().and_then(Timeline::flaw))
            .or_else(|| self.latency.as_ref().and_then(Latency::flaw))
            .or_else(|| self.each_rank.as_ref().and_then(|each| each.flaw(self.ranks)))
    }
}

impl QuotaUse {
    fn flaw(&self) -> Option<Flaw> {
        let moments = [self.reached_s, self.first_rejection_s, self.last_rejection_s, self.lag_s];
        let moments = moments.into_iter().flatten().chain([self.reached_within_s]);
        moments.into_iter().find_map(|seconds| negative("quota", seconds))
    }
}

impl Timeline {
    fn flaw(&self) -> Option<Flaw> {
        let total = self.bytes.iter().try_fold(0_u64, |sum, bytes| sum.checked_add(*bytes));
        match self.interval_ns {
            0 => Some(("timeline.interval_ns", "is 0")),
            _ if self.bytes.len() > ByteTimeline::SLOTS => Some(("timeline.bytes", "has too many intervals")),
            _ if total.is_none() => Some(("timeline.bytes", "has too large a sum")),
            _ => None,
        }
    }
}

impl Latency {
    fn flaw(&self) -> Option<Flaw> {
        let counted = self.buckets.iter().try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count));
        let edges = self.buckets.windows(2).all(|pair| pair[0].0 < pair[1].0);
        match counted {
            _ if self.buckets.len() > Histogram::BUCKETS => Some(("latency.buckets", "has too many buckets")),
            _ if !edges => Some(("latency.buckets", "is not in order")),
            None => Some(("latency.buckets", "has too large a sum")),
            _ => negative("latency.mean_ns", self.mean_ns),
        }
    }
}

impl EachRank {
    fn flaw(&self, of_phase: u32) -> Option<Flaw> {
        let ranks = self.ranks as usize;
        let times = [&self.seconds, &self.ended_s, &self.open_s, &self.close_s, &self.wear_out_s];
        let amounts = [
            &self.moved,
            &self.moved_at_deadline,
            &self.kernel_read,
            &self.kernel_written,
            &self.p95_ns,
            &self.p99_ns,
        ];
        let fits = amounts.iter().all(|column| column.fits(ranks))
            && times.iter().all(|column| column.fits(ranks))
            && self.node.fits(ranks)
            && self.data_of.fits(ranks)
            && self.layout.fits(ranks);
        match self.ranks {
            count if count != of_phase => Some(("each_rank.ranks", "is not the number of ranks")),
            _ if !fits => Some(("each_rank", "has a column of another length")),
            _ if times.iter().any(|column| column.any(|value| value.is_nan() || value < 0.0)) => {
                Some(("each_rank", NEGATIVE))
            }
            _ if self.data_of.any(|rank| rank >= self.ranks) => {
                Some(("each_rank.data_of", "is a number without a rank"))
            }
            _ if self.node.any(|node| node as usize >= self.nodes.len()) => {
                Some(("each_rank.node", "is a number without a node"))
            }
            _ => None,
        }
    }
}

impl<T: Copy + PartialEq> Column<T> {
    /// Whether the column has no value, one for all ranks, or one for each.
    fn fits(&self, ranks: usize) -> bool {
        [0, 1, ranks].contains(&self.len())
    }
}

fn ranks(count: u32) -> Option<Flaw> {
    (count > RANKS_MAX).then_some(("ranks", "is more than any machine has"))
}

fn negative(field: &'static str, value: f64) -> Option<Flaw> {
    (value.is_nan() || value < 0.0).then_some((field, NEGATIVE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Spans, Value};

    type Change = fn(&mut Phase);

    /// Whether `change` makes a possible phase impossible.
    fn rejects(change: Change) -> Option<String> {
        let mut phase = Phase { ranks: 2, bytes: 9, ops: 3, cached_before: Some(1.0), ..Phase::default() };
        phase.timeline = Some(Timeline { interval_ns: 1 << 20, bytes: vec![4, 5] });
        phase.latency = Some(Latency { count: 3, buckets: vec![(5, 2), (7, 1)], ..Latency::default() });
        phase.each_rank = Some(EachRank { ranks: 2, moved: vec![4, 5].into(), ..EachRank::default() });
        assert_eq!(Record::Phase(Box::new(phase.clone())).impossible(), None);
        change(&mut phase);
        Record::Phase(Box::new(phase)).impossible()
    }

    #[test]
    fn numbers_that_no_measurement_has_are_found_with_their_field() {
        let cases: [(Change, &str); 11] = [
            (|phase| phase.ranks = u32::MAX, "ranks is more than any machine has"),
            (|phase| phase.spans = Spans { total_s: -1.0, ..Spans::default() }, "spans.total_s is below 0"),
            (|phase| phase.cached_before = Some(-0.5), "cached_before is not between 0 and 1"),
            (|phase| phase.began_s = f64::NAN, "began_s is below 0"),
            (|phase| phase.timeline.as_mut().unwrap().interval_ns = 0, "timeline.interval_ns is 0"),
            (
                |phase| phase.timeline.as_mut().unwrap().bytes = vec![1; 1 << 20],
                "timeline.bytes has too many",
            ),
            (
                |phase| phase.timeline.as_mut().unwrap().bytes = vec![u64::MAX; 2],
                "timeline.bytes has too large",
            ),
            (
                |phase| phase.latency.as_mut().unwrap().buckets = vec![(7, 1), (5, 1)],
                "latency.buckets is not in",
            ),
            (|phase| phase.each_rank.as_mut().unwrap().ranks = 3, "each_rank.ranks is not the number"),
            (
                |phase| phase.each_rank.as_mut().unwrap().moved = vec![1, 2, 3].into(),
                "each_rank has a column",
            ),
            (|phase| phase.each_rank.as_mut().unwrap().node = vec![0].into(), "each_rank.node is a number"),
        ];
        for (change, wanted) in cases {
            let found = rejects(change).unwrap_or_default();
            assert!(found.starts_with(wanted), "{wanted}: {found}");
        }
        let value = Value { value: f64::INFINITY, ..Value::default() };
        assert!(Record::Value(value).impossible().is_some());
    }
}
