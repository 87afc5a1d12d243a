//! The metrics of a phase, by name, as criteria use them.

use units::Dimension;

use super::{Counts, Latency, Phase};
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

/// The metrics that a phase can have, without the phase's name before the dot, each with its dimension.
pub const METRICS: &[(&str, Dimension)] = &[
    ("bw", Dimension::BytesPerSecond),
    ("rate", Dimension::PerSecond),
    ("iops", Dimension::PerSecond),
    ("bytes", Dimension::Bytes),
    ("seconds", Dimension::Seconds),
    ("open", Dimension::Seconds),
    ("latency.mean", Dimension::Seconds),
    ("latency.p50", Dimension::Seconds),
    ("latency.p90", Dimension::Seconds),
    ("latency.p99", Dimension::Seconds),
    ("latency.p999", Dimension::Seconds),
    ("latency.max", Dimension::Seconds),
    ("errors", Dimension::Count),
    ("failures", Dimension::Count),
    ("cached", Dimension::Fraction),
];

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
    ///
    /// `bw` is bytes divided by the total span, and `iops` operations divided by the transfer span, like
    /// IOR's columns of these names. `seconds` is the transfer span. `rate` is operations divided by the
    /// total span, from barrier to barrier, like mdtest. If the phase records when all ranks were active,
    /// `rate` is that of this time. `errors` is failed calls, wrong transfers and wrong sampled blocks. A
    /// call that fails may also end the job, which then has no such phase.
    pub fn metric(&self, name: &str) -> Option<Metric> {
        let dimension = METRICS.iter().find(|(known, _)| *known == name)?.1;
        let rate = |amount: u64, seconds: f64| (seconds > 0.0).then(|| amount as f64 / seconds);
        let latency = |pick: fn(&Latency) -> f64| self.latency.as_ref().map(|l| pick(l) * 1e-9);
        let value = match name {
            "bw" => rate(self.bytes, self.spans.total_s),
            "iops" => rate(self.ops, self.spans.transfer_s),
            "rate" => match self.window {
                Some(window) => rate(window.ops, window.seconds),
                None => rate(self.ops, self.spans.total_s),
            },
            "bytes" => Some(self.bytes as f64),
            "seconds" => Some(self.spans.transfer_s),
            "open" => Some(self.spans.open_s),
            "latency.mean" => latency(|l| l.mean_ns),
            "latency.p50" => latency(|l| l.p50_ns as f64),
            "latency.p90" => latency(|l| l.p90_ns as f64),
            "latency.p99" => latency(|l| l.p99_ns as f64),
            "latency.p999" => latency(|l| l.p999_ns as f64),
            "latency.max" => latency(|l| l.max_ns as f64),
            "errors" => {
                let wrong = self.check.as_ref().map_or(0, |check| check.bad_transfers)
                    + self.sampled.map_or(0, |sampled| sampled.wrong);
                Some((wrong + self.failed.as_ref().map_or(0, |failed| failed.operations)) as f64)
            }
            "failures" => match (&self.failed, self.counts) {
                (Some(failed), _) => Some(failed.operations as f64),
                (None, Counts::Operations) => Some(0.0),
                (None, Counts::Bytes) => None,
            },
            "cached" => self.cached_before,
            _ => None,
        }?;
        Some(Metric { value, dimension })
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
