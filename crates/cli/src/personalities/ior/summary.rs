//! `Max` lines and the summary table (IOR 4.1).

use units::MIB;

use super::shown::ShownTest;
use super::totals::OperationSummary;

/// `Max Write` and `Max Read`, always. The classic `ior` prints them only with `-v`, which breaks programs
/// that read them.
pub(crate) fn maxima(shown: &ShownTest) -> String {
    let label = |operation| if operation == "write" { "Max Write: " } else { "Max Read:  " };
    let lines = best(shown).map(|(operation, rate)| {
        format!("{}{:.2} MiB/sec ({:.2} MB/sec)\n", label(operation), rate / MIB as f64, rate / 1e6)
    });
    lines.collect()
}

/// The best rate of each operation, bytes per second.
pub(crate) fn best(shown: &ShownTest) -> impl Iterator<Item = (&'static str, f64)> {
    shown.totals.operations().map(|totals| (totals.name, totals.rates.max * MIB as f64))
}

/// The operations of a test.
pub(crate) fn operations(shown: &ShownTest) -> Vec<OperationSummary> {
    shown.totals.operations().map(|totals| totals.summary(shown.ranks)).collect()
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
