//! The metrics of a phase, by name, as criteria use them.

use units::Dimension;

use GroupValue::{Rates, Starts};
use MetricKind::{
    Amount, Errors, Excess, Fairness, Latency, Matches, PartRate, Rate, Share, Span, Unevenness, WindowRate,
};
use MetricValue::{OfGroup, OfQuota, OfTimeline, OfWriter, One, Over, Quotient};
use WorkPart::{Node, Rank};
use measure::statistics::{jain, max, max_over_min, min, min_of_mean, range, spread};

use super::{Counts, EachRank, Phase, QuotaUse, WorkPart};
use crate::reason::Datum;

/// The maximum share of a read that may come from the client's page cache. The sentences about it state 1 %.
pub const CACHED_SHARE: f64 = 0.01;

/// One metric of a phase, in its base unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// The value.
    pub value: f64,
    /// Its dimension.
    pub dimension: Dimension,
}

/// What a metric states, which decides how it is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Bytes or operations per second of the phase. Parts of a group have a sum.
    Rate,
    /// Bytes or operations per second of a window in the phase, which the plan defines.
    WindowRate,
    /// Bytes or operations per second of the slowest node, rank or part of a group.
    PartRate,
    /// How much the rates of nodes, ranks or parts of a group differ.
    Unevenness,
    /// How alike the rates of nodes, ranks or parts of a group are.
    Fairness,
    /// Seconds of the phase, or of one of its steps.
    Span,
    /// Seconds of single transfers or operations.
    Latency,
    /// Bytes.
    Amount,
    /// Bytes or inodes beyond a limit.
    Excess,
    /// Failures or wrong data. Each one counts.
    Errors,
    /// Files that met the conditions of a search.
    Matches,
    /// A share.
    Share,
}

impl MetricKind {
    /// Whether more is better; `None` if that depends on the contract.
    pub fn more_is_better(self) -> Option<bool> {
        match self {
            Self::Rate | Self::WindowRate | Self::PartRate | Self::Fairness => Some(true),
            Self::Span | Self::Latency | Self::Errors | Self::Unevenness | Self::Excess => Some(false),
            Self::Amount | Self::Matches | Self::Share => None,
        }
    }

    /// Whether it is a rate of all ranks together.
    pub fn is_rate(self) -> bool {
        matches!(self, Self::Rate | Self::WindowRate)
    }

    /// Whether it is a rate, of all ranks or of a part.
    pub fn is_speed(self) -> bool {
        self.is_rate() || self == Self::PartRate
    }
}

/// How the value of a metric comes from the record of a phase.
enum MetricValue {
    /// The value, or `None` if the phase does not have it.
    One(fn(&Phase) -> Option<f64>),
    /// Amount and seconds, whose quotient is the value.
    Quotient(fn(&Phase) -> (u64, f64)),
    /// A statistic over a value of each node or rank.
    Over(WorkPart, PartValues, PartStatistic),
    /// A statistic over the parts of a group, which have this phase at the same time.
    OfGroup(GroupValue, PartStatistic),
    /// From the use of a quota, in these phases.
    OfQuota(&'static [&'static str], fn(&QuotaUse) -> Option<f64>),
    /// From this phase and the one that wrote its data.
    OfWriter,
    /// From its timeline, by a rule of the plan.
    OfTimeline,
}

/// What is compared among the parts of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupValue {
    /// The usual rates, see [`MetricRow::rate_of`].
    Rates,
    /// The starts of the phase, seconds.
    Starts,
}

/// A statistic over the values of nodes, ranks or parts of a group; `None` with too few.
pub type PartStatistic = fn(&[f64]) -> Option<f64>;

/// The values of the nodes or ranks, with their numbers.
type PartValues = fn(&EachRank, WorkPart) -> Option<Vec<(u32, f64)>>;

/// One metric that a phase can have.
pub struct MetricRow {
    /// Its name in criteria, after that of the phase and a dot.
    pub name: &'static str,
    /// What it states.
    pub kind: MetricKind,
    /// Its dimension; `None` for what the phase counts, per second.
    dimension: Option<Dimension>,
    /// What the phases count that have it; `None` for both.
    counts: Option<Counts>,
    value: MetricValue,
}

impl MetricRow {
    /// The metric with this name, without that of a phase.
    pub fn named(name: &str) -> Option<&'static Self> {
        METRICS.iter().find(|row| row.name == name)
    }

    /// The metric in `PHASE.NAME`.
    pub fn in_phase(metric: &str) -> Option<&'static Self> {
        Self::named(metric.split_once('.')?.1)
    }

    /// The usual rate of phases that count these.
    pub fn rate_of(counts: Counts) -> &'static Self {
        let usual = METRICS.iter().find(|row| row.kind == MetricKind::Rate && row.counts == Some(counts));
        usual.expect("the table has a rate of both")
    }

    /// Its dimension in phases that count these.
    pub fn dimension(&self, counts: Counts) -> Dimension {
        self.dimension.unwrap_or(match counts {
            Counts::Bytes => Dimension::BytesPerSecond,
            Counts::Operations => Dimension::PerSecond,
        })
    }

    /// Whether phases that count these can have it.
    pub fn is_of(&self, counts: Counts) -> bool {
        self.counts.is_none_or(|own| own == counts)
    }

    /// Whether its value depends on a rule of the plan.
    pub fn needs_rule(&self) -> bool {
        matches!(self.value, OfTimeline)
    }

    /// The phases that have it, for a metric of a quota.
    pub fn of_quota(&self) -> Option<&'static [&'static str]> {
        if let OfQuota(phases, _) = self.value { Some(phases) } else { None }
    }

    /// The amount and the seconds that a rate is the quotient of.
    pub fn rate_parts(&self, phase: &Phase) -> Option<(u64, f64)> {
        match self.value {
            Quotient(parts) => Some(parts(phase)),
            _ => None,
        }
    }

    /// The parts of the work whose rates it compares; `None` for a metric of all together.
    pub fn part(&self) -> Option<WorkPart> {
        match self.value {
            Over(part, _, _) => Some(part),
            _ => None,
        }
    }

    /// The values of the parts that it compares, with the number of each; `None` for a metric of all
    /// together, and if the phase does not have them.
    pub fn part_values(&self, phase: &Phase) -> Option<Vec<(u32, f64)>> {
        let Over(part, values, _) = self.value else { return None };
        // Transfers have an open and a close, whose times a record must have.
        let is_whole = |each: &&EachRank| {
            phase.counts == Counts::Operations || !(each.open_s.is_empty() || each.close_s.is_empty())
        };
        values(phase.each_rank.as_ref().filter(is_whole)?, part)
    }

    /// The dimension of these values in phases that count these.
    pub fn part_dimension(&self, counts: Counts) -> Dimension {
        if self.is_time() { Dimension::Seconds } else { Self::rate_of(counts).dimension(counts) }
    }

    /// Whether it is a time.
    pub fn is_time(&self) -> bool {
        matches!(self.kind, Span | Latency)
    }

    /// What it compares among the parts of a group, and the statistic; `None` for a metric of one test.
    pub fn of_group(&self) -> Option<(GroupValue, PartStatistic)> {
        match self.value {
            OfGroup(what, statistic) => Some((what, statistic)),
            _ => None,
        }
    }

    /// Its value in this phase; `None` if the phase does not have it.
    fn value(&self, phase: &Phase) -> Option<f64> {
        match self.value {
            One(value) => value(phase),
            Quotient(parts) => {
                let (amount, seconds) = parts(phase);
                (seconds > 0.0).then(|| amount as f64 / seconds)
            }
            Over(_, _, statistic) => {
                let values = self.part_values(phase)?;
                statistic(&values.into_iter().map(|(_, value)| value).collect::<Vec<f64>>())
            }
            OfQuota(phases, value) => {
                phase.quota.as_deref().filter(|_| phases.contains(&&*phase.phase)).and_then(value)
            }
            OfGroup(..) | OfWriter | OfTimeline => None,
        }
    }
}

const fn row(
    name: &'static str,
    kind: MetricKind,
    dimension: Option<Dimension>,
    counts: Option<Counts>,
    value: MetricValue,
) -> MetricRow {
    MetricRow { name, kind, dimension, counts, value }
}

const S: Option<Dimension> = Some(Dimension::Seconds);
const SHARE: Option<Dimension> = Some(Dimension::Fraction);
const BYTES: Option<Counts> = Some(Counts::Bytes);
const OPERATIONS: Option<Counts> = Some(Counts::Operations);

/// The phases of `quota` that use bytes or inodes, in which ranks are rejected, and after which usage is
/// shown.
const WRITES: &[&str] = &["write", "truncate", "rewrite"];
const CREATES: &[&str] = &["create"];
const REJECTS: &[&str] = &["write", "rewrite", "create"];
const SHOWS: &[&str] = &["write", "truncate", "rewrite", "create"];

/// The metrics that a phase can have: name, kind, dimension, what the phases count, value.
///
/// `bw` is bytes divided by the total span, and `iops` operations divided by the transfer span, like IOR's
/// columns of these names. `seconds` is the transfer span. `rate` is operations divided by the total span,
/// from barrier to barrier, like mdtest. If the phase records when all ranks were active, `rate` is that of
/// this time. Those of nodes and ranks are over their own rates, times or latencies, see
/// [`EachRank::rates`]. Those of a quota are in [`QuotaUse`]. `errors` is failed calls, wrong transfers and
/// wrong sampled blocks. A call that fails may also end the job, which then has no such phase.
pub const METRICS: &[MetricRow] = &[
    row("bw", Rate, None, BYTES, Quotient(|phase| (phase.bytes, phase.spans.total_s))),
    row("rate", Rate, None, OPERATIONS, Quotient(operations)),
    row(
        "iops",
        Rate,
        Some(Dimension::PerSecond),
        None,
        Quotient(|phase| (phase.ops, phase.spans.transfer_s)),
    ),
    row("bytes", Amount, Some(Dimension::Bytes), BYTES, One(|phase| Some(phase.bytes as f64))),
    row("seconds", Span, S, None, One(|phase| Some(phase.spans.transfer_s))),
    row("open", Span, S, BYTES, One(|phase| Some(phase.spans.open_s))),
    row("latency.mean", Latency, S, None, One(|phase| latency(phase, |l| l.mean_ns))),
    row("latency.p50", Latency, S, None, One(|phase| latency(phase, |l| l.p50_ns as f64))),
    row("latency.p90", Latency, S, None, One(|phase| latency(phase, |l| l.p90_ns as f64))),
    row("latency.p95", Latency, S, None, One(p95)),
    row("latency.p99", Latency, S, None, One(|phase| latency(phase, |l| l.p99_ns as f64))),
    row("latency.p999", Latency, S, None, One(|phase| latency(phase, |l| l.p999_ns as f64))),
    row("latency.max", Latency, S, None, One(|phase| latency(phase, |l| l.max_ns as f64))),
    row("errors", Errors, Some(Dimension::Count), None, One(errors)),
    row("failures", Errors, Some(Dimension::Count), OPERATIONS, One(failures)),
    row(
        "matched",
        Matches,
        Some(Dimension::Count),
        OPERATIONS,
        One(|phase| phase.matched.map(|matched| matched as f64)),
    ),
    row("cached", Share, SHARE, BYTES, One(|phase| phase.cached_before)),
    row("own_node_share", Share, SHARE, BYTES, OfWriter),
    row("node.min", PartRate, None, None, Over(Node, EachRank::rates, min)),
    row("node.min_of_mean", Fairness, SHARE, None, Over(Node, EachRank::rates, min_of_mean)),
    row("node.spread", Unevenness, SHARE, None, Over(Node, EachRank::rates, spread)),
    row("node.max_over_min", Unevenness, SHARE, None, Over(Node, EachRank::rates, max_over_min)),
    row("node.jain", Fairness, SHARE, None, Over(Node, EachRank::rates, jain)),
    row("rank.min", PartRate, None, None, Over(Rank, EachRank::rates, min)),
    row("rank.min_of_mean", Fairness, SHARE, None, Over(Rank, EachRank::rates, min_of_mean)),
    row("rank.spread", Unevenness, SHARE, None, Over(Rank, EachRank::rates, spread)),
    row("rank.max_over_min", Unevenness, SHARE, None, Over(Rank, EachRank::rates, max_over_min)),
    row("rank.jain", Fairness, SHARE, None, Over(Rank, EachRank::rates, jain)),
    row("duration.rank_max", Span, S, None, Over(Rank, EachRank::durations, max)),
    row("latency.p95.rank_max", Latency, S, None, Over(Rank, EachRank::p95, max)),
    row("latency.p99.rank_max", Latency, S, None, Over(Rank, EachRank::p99, max)),
    row("part.min", PartRate, None, None, OfGroup(Rates, min)),
    row("part.min_of_mean", Fairness, SHARE, None, OfGroup(Rates, min_of_mean)),
    row("part.spread", Unevenness, SHARE, None, OfGroup(Rates, spread)),
    row("part.max_over_min", Unevenness, SHARE, None, OfGroup(Rates, max_over_min)),
    row("part.jain", Fairness, SHARE, None, OfGroup(Rates, jain)),
    row("part.skew", Span, S, None, OfGroup(Starts, range)),
    row("overshoot_bytes", Excess, Some(Dimension::Bytes), OPERATIONS, OfQuota(WRITES, overshoot)),
    row("overshoot_inodes", Excess, Some(Dimension::Count), OPERATIONS, OfQuota(CREATES, overshoot)),
    row("rejection", Span, S, OPERATIONS, OfQuota(REJECTS, QuotaUse::rejection_s)),
    row("lag", Span, S, OPERATIONS, OfQuota(SHOWS, |quota| quota.lag_s)),
    row("sustained", WindowRate, None, None, OfTimeline),
    row("steady", WindowRate, None, None, OfTimeline),
];

/// Operations and the time in which all ranks were active, if it is known.
fn operations(phase: &Phase) -> (u64, f64) {
    match phase.window {
        Some(window) => (window.ops, window.seconds),
        None => (phase.ops, phase.spans.total_s),
    }
}

fn overshoot(quota: &QuotaUse) -> Option<f64> {
    Some(quota.overshoot() as f64)
}

fn latency(phase: &Phase, pick: fn(&super::Latency) -> f64) -> Option<f64> {
    phase.latency.as_ref().map(|latency| pick(latency) * 1e-9)
}

/// From the buckets, because the record does not state it.
fn p95(phase: &Phase) -> Option<f64> {
    Some(phase.latency.as_ref()?.histogram().quantile(0.95) as f64 * 1e-9)
}

fn errors(phase: &Phase) -> Option<f64> {
    let wrong = phase.check.as_ref().map_or(0, |check| check.bad_transfers);
    let sampled = phase.sampled.map_or(0, |sampled| sampled.wrong);
    let failed = phase.failed.as_ref().map_or(0, |failed| failed.operations);
    Some((wrong + sampled + failed) as f64)
}

fn failures(phase: &Phase) -> Option<f64> {
    match (&phase.failed, phase.counts) {
        (Some(failed), _) => Some(failed.operations as f64),
        (None, Counts::Operations) => Some(0.0),
        (None, Counts::Bytes) => None,
    }
}

impl Phase {
    /// The parameters that decide the rate of the phase apart from the system, by name.
    pub fn parameters(&self) -> Vec<(&'static str, Datum)> {
        vec![
            ("backend", self.backend.clone().into()),
            ("transfer", Datum::bytes(self.transfer_bytes as f64)),
            ("block", Datum::bytes(self.block_bytes as f64)),
            ("segments", self.segments.into()),
            ("file_per_rank", self.file_per_rank.into()),
            ("ranks", self.ranks.into()),
            ("depth", self.depth.into()),
            ("direct", self.direct.into()),
            ("persisted", self.persisted.into()),
            ("persisted_each", self.persisted_each.into()),
            ("rate_limit", self.rate_limit.unwrap_or(0.0).into()),
        ]
    }

    /// Whether it writes data, and does not compare it.
    pub fn writes(&self) -> bool {
        self.counts == Counts::Bytes && !self.phase.contains("read") && !self.phase.ends_with("_check")
    }

    /// The least size of each file of the phase, bytes: what the calls wrote. What the system reports after a
    /// write does not count, because it may have lost data. `None` if the phase did not write whole files.
    pub fn written_file_bytes(&self) -> Option<u64> {
        match self.counts {
            // A creation of small files records the size as written.
            Counts::Operations => self.smallest_file_bytes,
            Counts::Bytes if self.phase != "write" => None,
            // The same data may be written several times.
            Counts::Bytes if self.file_per_rank => {
                Some(self.balance.bytes_min.min(self.block_bytes.saturating_mul(self.segments)))
            }
            Counts::Bytes => Some(self.bytes.min(self.expected_bytes)),
        }
    }

    /// The mean time from the end of one transfer or operation of a rank to the end of its next one, over all
    /// ranks, seconds; `None` if nothing was done.
    pub fn apart_s(&self) -> Option<f64> {
        let done = self.ops > 0 && self.spans.transfer_s > 0.0;
        done.then(|| self.spans.transfer_s * f64::from(self.ranks.max(1)) / self.ops as f64)
    }

    /// The value of one of [`METRICS`] in this phase; `None` if the phase does not have it.
    pub fn metric(&self, name: &str) -> Option<Metric> {
        let row = MetricRow::named(name)?;
        Some(Metric { value: row.value(self)?, dimension: row.dimension(self.counts) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Balance, Spans, Window};

    #[test]
    fn a_written_file_has_the_bytes_that_were_moved_and_not_those_that_the_system_shows() {
        let shared = |bytes| Phase {
            phase: "write".into(),
            bytes,
            expected_bytes: 8192,
            smallest_file_bytes: Some(0),
            ..Phase::default()
        };
        let own = |bytes_min| Phase {
            file_per_rank: true,
            balance: Balance { bytes_min, ..Balance::default() },
            block_bytes: 2048,
            segments: 2,
            ..shared(8192)
        };
        let created = Phase { counts: Counts::Operations, smallest_file_bytes: Some(10), ..Phase::default() };
        for (phase, bytes) in [
            (shared(8192), Some(8192)),
            (shared(4096), Some(4096)),
            (shared(16384), Some(8192)),
            (own(4096), Some(4096)),
            (own(1024), Some(1024)),
            (own(8192), Some(4096)),
            (Phase { phase: "read".into(), ..shared(8192) }, None),
            (created, Some(10)),
        ] {
            assert_eq!(phase.written_file_bytes(), bytes, "{phase:?}");
        }
    }

    #[test]
    fn a_rate_is_that_of_the_time_with_all_ranks_active_if_it_is_known() {
        let spans = Spans { transfer_s: 8.0, total_s: 10.0, ..Spans::default() };
        let mut phase = Phase { ops: 400, spans, ..Phase::default() };
        let value = |phase: &Phase, name| phase.metric(name).unwrap().value;
        assert_eq!((value(&phase, "rate"), value(&phase, "iops")), (40.0, 50.0));
        phase.window = Some(Window { ops: 300, seconds: 5.0, first_rank: 1 });
        assert_eq!((value(&phase, "rate"), value(&phase, "iops")), (60.0, 50.0));
    }
}
