//! What the end tables need of the phases of a test: totals and statistics over its repetitions.

use results::record::Phase;
use units::MIB;

/// What the end tables need of the phases of a test. Its memory does not grow with the repetitions.
#[derive(Clone, Debug)]
pub(crate) struct PhaseTotals {
    /// `write` and `read`.
    operations: [OperationTotals; 2],
    /// Most transfers of a rank up to the deadline of the first phase, if the others then had to reach them.
    pub(crate) first_worn_out: Option<u64>,
    /// Number of phases of any name.
    pub(crate) phases: u64,
}

impl Default for PhaseTotals {
    fn default() -> Self {
        let operations = ["write", "read"].map(|name| OperationTotals { name, ..OperationTotals::default() });
        Self { operations, first_worn_out: None, phases: 0 }
    }
}

impl PhaseTotals {
    /// Counts a phase whose transfers have this size.
    pub(crate) fn add(&mut self, phase: &Phase, transfer: u64) {
        let worn_out = phase.stonewall.as_ref().filter(|wall| wall.wear_out);
        if self.phases == 0 {
            self.first_worn_out = worn_out.map(|wall| wall.transfers_max);
        }
        self.phases += 1;
        let row = row_of(&phase.phase);
        if let Some(totals) = self.operations.iter_mut().find(|totals| Some(totals.name) == row) {
            totals.add(phase, transfer);
        }
    }

    /// The operations that were measured.
    pub(super) fn operations(&self) -> impl Iterator<Item = &OperationTotals> {
        self.operations.iter().filter(|totals| totals.rates.count > 0)
    }
}

/// The totals of one operation over the repetitions.
#[derive(Clone, Debug, Default)]
pub(super) struct OperationTotals {
    pub(super) name: &'static str,
    /// Mebibytes per second.
    pub(super) rates: RunningSpread,
    /// Transfers per second.
    ops: RunningSpread,
    /// Seconds of all phases.
    seconds: f64,
    /// Bytes of the first phase.
    first_bytes: u64,
    /// Phases with wear-out; their seconds and bytes until the deadline.
    walls: u64,
    wall_seconds: f64,
    wall_bytes: f64,
}

impl OperationTotals {
    fn add(&mut self, phase: &Phase, transfer: u64) {
        if self.rates.count == 0 {
            self.first_bytes = phase.bytes;
        }
        let rate = phase.metric("bw").map_or(0.0, |metric| metric.value);
        self.rates.add(rate / MIB as f64);
        self.ops.add(rate / transfer as f64);
        self.seconds += phase.spans.total_s;
        if let Some(wall) = phase.stonewall.as_ref().filter(|wall| wall.wear_out) {
            self.walls += 1;
            self.wall_seconds += wall.seconds;
            self.wall_bytes += wall.bytes as f64;
        }
    }

    /// The statistics for the tables, of this number of ranks.
    pub(super) fn summary(&self, ranks: u32) -> OperationSummary {
        let per_rank = self.wall_bytes / f64::from(ranks.max(1)) / self.wall_seconds / MIB as f64;
        let walls = self.walls;
        OperationSummary {
            name: self.name,
            rates: self.rates.statistics(),
            ops: self.ops.statistics(),
            seconds: self.seconds / self.rates.count as f64,
            stonewall: (walls > 0).then(|| (self.wall_seconds / walls as f64, per_rank)),
            mib: self.first_bytes as f64 / MIB as f64,
        }
    }
}

/// Extremes, mean and deviation of values that are not kept (the method of Welford).
#[derive(Clone, Copy, Debug)]
pub(super) struct RunningSpread {
    count: u64,
    pub(super) max: f64,
    min: f64,
    sum: f64,
    /// The mean up to now, and the sum of squared distances from it.
    mean: f64,
    squares: f64,
}

impl Default for RunningSpread {
    fn default() -> Self {
        Self { count: 0, max: f64::MIN, min: f64::MAX, sum: 0.0, mean: 0.0, squares: 0.0 }
    }
}

impl RunningSpread {
    fn add(&mut self, value: f64) {
        self.count += 1;
        (self.max, self.min) = (self.max.max(value), self.min.min(value));
        self.sum += value;
        let distance = value - self.mean;
        self.mean += distance / self.count as f64;
        self.squares += distance * (value - self.mean);
    }

    /// Maximum, minimum, mean and population standard deviation.
    fn statistics(&self) -> [f64; 4] {
        let count = self.count as f64;
        [self.max, self.min, self.sum / count, (self.squares / count).sqrt()]
    }
}

/// Statistics over the repetitions of one operation of a test.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OperationSummary {
    /// `write` or `read`.
    pub(crate) name: &'static str,
    /// Mebibytes per second: maximum, minimum, mean and population standard deviation.
    pub(crate) rates: [f64; 4],
    /// Transfers per second of the whole phase, the same four.
    pub(crate) ops: [f64; 4],
    /// Mean seconds of a phase.
    pub(crate) seconds: f64,
    /// With wear-out: seconds until the deadline, and mebibytes per second *of one rank* until then.
    pub(crate) stonewall: Option<(f64, f64)>,
    /// Mebibytes moved in the first repetition.
    pub(crate) mib: f64,
}

/// The summary row of a phase; `None` for a half of a mixed phase and for a write check.
pub(crate) fn row_of(phase: &str) -> Option<&'static str> {
    match phase {
        "write" => Some("write"),
        "read" | "read_check" => Some("read"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_the_population_as_in_the_classic_table() {
        let statistics = |values: &[f64]| {
            let mut spread = RunningSpread::default();
            values.iter().for_each(|value| spread.add(*value));
            spread.statistics()
        };
        assert_eq!(statistics(&[2.0, 4.0]), [4.0, 2.0, 3.0, 1.0]);
        assert_eq!(statistics(&[7.1]), [7.1, 7.1, 7.1, 0.0]);
        // A mean far from zero costs no digits.
        assert_eq!(statistics(&[1e12, 1e12 + 2.0, 1e12, 1e12 + 2.0])[3], 1.0);
    }
}
