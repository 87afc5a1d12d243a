//! `Max` lines and the summary table (IOR 4.1).

use results::record::Phase;
use units::MIB;
use workloads::ior::Place;

use super::typed::Meant;

/// One test as far as it has come: what its tables are made of.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) meant: Meant,
    pub(crate) place: Place,
    pub(crate) ranks: u32,
    pub(crate) phases: Vec<Phase>,
}

impl Shown {
    /// The phases of one summary row: `write`, or `read` with or without comparing.
    fn of(&self, operation: &str) -> Vec<&Phase> {
        let wanted =
            |phase: &&Phase| phase.phase == operation || (operation == "read" && phase.phase == "read_check");
        self.phases.iter().filter(wanted).collect()
    }
}

/// `Max Write` and `Max Read`, always; classic `ior` shows them only with `-v`, which breaks readers.
pub(crate) fn maxima(shown: &Shown) -> String {
    let mut text = String::new();
    for (operation, label) in [("write", "Max Write: "), ("read", "Max Read:  ")] {
        let rates = shown.of(operation).into_iter().map(rate);
        if let Some(best) = rates.reduce(f64::max) {
            text.push_str(&format!("{label}{:.2} MiB/sec ({:.2} MB/sec)\n", best / MIB as f64, best / 1e6));
        }
    }
    text
}

fn rate(phase: &Phase) -> f64 {
    phase.metric("bw").map_or(0.0, |metric| metric.value)
}

/// The heading and a row for each operation of each test.
pub(crate) fn table(tests: &[Shown]) -> String {
    let mut text = String::from("\nSummary of all tests:\n");
    let names =
        ["Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev", "Max(OPs)", "Min(OPs)", "Mean(OPs)", "StdDev"];
    text.push_str(&format!("{:<9}", "Operation"));
    for name in names.into_iter().chain(["Mean(s)"]) {
        text.push_str(&format!(" {name:>10}"));
    }
    text.push_str(
        " Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   \
         blksiz    xsize aggs(MiB)   API RefNum\n",
    );
    for (shown, operation) in tests.iter().flat_map(|test| [(test, "write"), (test, "read")]) {
        let phases = shown.of(operation);
        if !phases.is_empty() {
            text.push_str(&row(shown, operation, &phases));
        }
    }
    text
}

/// Largest, smallest, mean and population standard deviation.
fn statistics(values: &[f64]) -> [f64; 4] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let max = values.iter().copied().fold(f64::MIN, f64::max);
    let min = values.iter().copied().fold(f64::MAX, f64::min);
    [max, min, mean, variance.sqrt()]
}

fn row(shown: &Shown, operation: &str, phases: &[&Phase]) -> String {
    let parameters = &shown.meant.parameters;
    let mib = MIB as f64;
    let rates: Vec<f64> = phases.iter().map(|phase| rate(phase) / mib).collect();
    let ops: Vec<f64> = phases.iter().map(|phase| rate(phase) / parameters.transfer as f64).collect();
    let seconds = phases.iter().map(|phase| phase.spans.total_s).sum::<f64>() / phases.len() as f64;
    let mut text = format!("{operation:<9} ");
    for value in statistics(&rates).into_iter().chain(statistics(&ops)) {
        text.push_str(&format!("{value:>10.2} "));
    }
    text.push_str(&format!("{seconds:>10.5} "));
    text.push_str(&stonewall(shown, phases));
    let aggregate = phases[0].bytes as f64 / mib;
    text.push_str(&format!(
        "{:>5} {:>6} {:>3} {:>4} {:>3} {:>5} {:>8} {:>9} {:>4} {:>6} {:>8} {:>8} \
         {aggregate:>9.1} {:>3} {:>6}\n",
        parameters.test,
        shown.ranks,
        shown.place.ranks_on_node0,
        parameters.repetitions,
        u32::from(parameters.file_per_rank),
        shown.meant.constant,
        parameters.task_offset,
        shown.meant.random_ranks,
        parameters.reorder_seed,
        parameters.segments,
        parameters.block,
        parameters.transfer,
        parameters.backend,
        parameters.reference,
    ));
    text
}

/// The two stonewall columns: seconds until the deadline, and mebibytes per second *of one rank*
/// until then, as the classic has it; `NA` without wear-out.
fn stonewall(shown: &Shown, phases: &[&Phase]) -> String {
    let walls: Vec<_> =
        phases.iter().filter_map(|phase| phase.stonewall.as_ref()).filter(|w| w.wear_out).collect();
    if walls.is_empty() {
        return format!("{:>10} {:>13} ", "NA", "NA");
    }
    let seconds: f64 = walls.iter().map(|wall| wall.seconds).sum();
    let bytes: f64 = walls.iter().map(|wall| wall.bytes as f64).sum();
    let per_rank = bytes / f64::from(shown.ranks.max(1)) / seconds / MIB as f64;
    format!("{:>10.2} {per_rank:>13.2} ", seconds / walls.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deviation_is_the_population_one_as_in_the_classic_table() {
        assert_eq!(statistics(&[2.0, 4.0]), [4.0, 2.0, 3.0, 1.0]);
    }
}
