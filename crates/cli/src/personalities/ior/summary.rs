//! `Max` lines and the summary table (IOR 4.1).

use results::record::Phase;
use units::MIB;

use super::shown::ShownTest;

/// `Max Write` and `Max Read`, always. The classic `ior` prints them only with `-v`, which breaks programs
/// that read them.
pub(crate) fn maxima(shown: &ShownTest) -> String {
    let label = |operation| if operation == "write" { "Max Write: " } else { "Max Read:  " };
    let lines = best(shown).into_iter().map(|(operation, rate)| {
        format!("{}{:.2} MiB/sec ({:.2} MB/sec)\n", label(operation), rate / MIB as f64, rate / 1e6)
    });
    lines.collect()
}

/// The best rate of each operation, bytes per second.
pub(crate) fn best(shown: &ShownTest) -> Vec<(&'static str, f64)> {
    let of = |operation| Some((operation, shown.of(operation).into_iter().map(rate).reduce(f64::max)?));
    ["write", "read"].into_iter().filter_map(of).collect()
}

fn rate(phase: &Phase) -> f64 {
    phase.metric("bw").map_or(0.0, |metric| metric.value)
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

/// The operations of a test.
pub(crate) fn operations(shown: &ShownTest) -> Vec<OperationSummary> {
    let both = ["write", "read"].into_iter().map(|name| (name, shown.of(name)));
    both.filter(|(_, phases)| !phases.is_empty())
        .map(|(name, phases)| operation(shown, name, &phases))
        .collect()
}

fn operation(shown: &ShownTest, name: &'static str, phases: &[&Phase]) -> OperationSummary {
    let per_transfer = shown.parameters().transfer as f64;
    let rates: Vec<f64> = phases.iter().map(|phase| rate(phase) / MIB as f64).collect();
    let ops: Vec<f64> = phases.iter().map(|phase| rate(phase) / per_transfer).collect();
    OperationSummary {
        name,
        rates: statistics(&rates),
        ops: statistics(&ops),
        seconds: phases.iter().map(|phase| phase.spans.total_s).sum::<f64>() / phases.len() as f64,
        stonewall: stonewall(shown, phases),
        mib: phases[0].bytes as f64 / MIB as f64,
    }
}

/// Maximum, minimum, mean and population standard deviation.
fn statistics(values: &[f64]) -> [f64; 4] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let max = values.iter().copied().fold(f64::MIN, f64::max);
    let min = values.iter().copied().fold(f64::MAX, f64::min);
    [max, min, mean, variance.sqrt()]
}

fn stonewall(shown: &ShownTest, phases: &[&Phase]) -> Option<(f64, f64)> {
    let walls: Vec<_> =
        phases.iter().filter_map(|phase| phase.stonewall.as_ref()).filter(|w| w.wear_out).collect();
    let seconds: f64 = walls.iter().map(|wall| wall.seconds).sum();
    let bytes: f64 = walls.iter().map(|wall| wall.bytes as f64).sum();
    let per_rank = bytes / f64::from(shown.ranks.max(1)) / seconds / MIB as f64;
    (!walls.is_empty()).then(|| (seconds / walls.len() as f64, per_rank))
}

/// The heading and a row for each operation of these tests.
pub(crate) fn table<'a>(tests: impl IntoIterator<Item = &'a ShownTest>) -> String {
    let names =
        ["Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev", "Max(OPs)", "Min(OPs)", "Mean(OPs)", "StdDev"];
    let mut text = format!("{:<9}", "Operation");
    for name in names.into_iter().chain(["Mean(s)"]) {
        text.push_str(&format!(" {name:>10}"));
    }
    text.push_str(
        " Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   \
         blksiz    xsize aggs(MiB)   API RefNum\n",
    );
    for shown in tests {
        let rows = operations(shown).into_iter().map(|operation| row(shown, &operation));
        text.extend(rows);
    }
    text
}

fn row(shown: &ShownTest, operation: &OperationSummary) -> String {
    let parameters = shown.parameters();
    let mut text = format!("{:<9} ", operation.name);
    for value in operation.rates.into_iter().chain(operation.ops) {
        text.push_str(&format!("{value:>10.2} "));
    }
    text.push_str(&format!("{:>10.5} ", operation.seconds));
    text.push_str(&match operation.stonewall {
        None => format!("{:>10} {:>13} ", "NA", "NA"),
        Some((seconds, per_rank)) => format!("{seconds:>10.2} {per_rank:>13.2} "),
    });
    text.push_str(&format!(
        "{:>5} {:>6} {:>3} {:>4} {:>3} {:>5} {:>8} {:>9} ",
        parameters.test,
        shown.ranks,
        shown.place.ranks_on_node0,
        parameters.repetitions,
        u32::from(parameters.file_per_rank),
        shown.meant.constant,
        parameters.task_offset,
        shown.meant.random_ranks
    ));
    text.push_str(&format!(
        "{:>4} {:>6} {:>8} {:>8} {:>9.1} {:>3} {:>6}\n",
        parameters.reorder_seed,
        parameters.segments,
        parameters.block,
        parameters.transfer,
        operation.mib,
        parameters.backend,
        parameters.reference,
    ));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_that_of_the_population_as_in_the_classic_table() {
        assert_eq!(statistics(&[2.0, 4.0]), [4.0, 2.0, 3.0, 1.0]);
    }
}
