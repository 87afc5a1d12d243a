//! Tables of what the phases of a test measured.
//!
//! Invariant: each phase of each repetition has one row. A table without rows is not shown.
//! Never here: statistics over repetitions; verdicts have them.

use results::record::{Check, Counts, Failed, KernelCount, Latency, Phase, is_kind};

use super::words::{
    NONE, bytes_cell, count_cell, known_cell, nanoseconds_cell, or_none, path_cell, quantity_cell,
    seconds_cell, share, yes_no,
};
use super::{Cell, Table, Tone};

/// One phase with the name of its repetition.
pub(super) struct RepetitionPhase<'a> {
    /// What was measured.
    pub(super) phase: &'a Phase,
    /// Its repetition, such as `2`, or `2, job 7` if a test was attempted again.
    pub(super) repetition: String,
}

pub(super) fn tables(measured: &[RepetitionPhase]) -> Vec<Table> {
    let all = [
        rates(measured),
        operation_rates(measured),
        windows(measured),
        latencies(measured, Counts::Bytes, "transfers"),
        latencies(measured, Counts::Operations, "operations"),
        balance(measured),
        kernel(measured),
        conditions(measured),
        operation_conditions(measured),
        operation_reasons(measured),
        operation_failures(measured),
        stonewalls(measured),
        checks(measured),
        bad_ranges(measured),
    ];
    all.into_iter().filter_map(Table::unless_empty).collect()
}

/// The phase, if it counts bytes or operations as asked.
fn counting<'m>(one: &'m RepetitionPhase, counts: Counts) -> Option<&'m Phase> {
    Some(one.phase).filter(|phase| phase.counts == counts)
}

/// The first cells of each row.
fn name(measured: &RepetitionPhase) -> [Cell; 2] {
    [Cell::new(phase_title(measured)), Cell::new(&measured.repetition)]
}

/// The name of the phase, with the number of the test within its job if that is not the first.
pub(super) fn phase_title(measured: &RepetitionPhase) -> String {
    let Phase { phase, test, .. } = measured.phase;
    if *test == 0 { phase.clone() } else { format!("{phase}, test {}", test + 1) }
}

/// A table with a row for each phase for which `cells` gives a row.
pub(super) fn each(
    title: &str,
    headings: &str,
    measured: &[RepetitionPhase],
    cells: impl Fn(&RepetitionPhase) -> Option<Vec<Cell>>,
) -> Table {
    let mut table = Table::new(title, &format!("Phase | Repetition | {headings}"));
    for one in measured {
        if let Some(cells) = cells(one) {
            table.row(name(one).into_iter().chain(cells));
        }
    }
    table
}

fn rates(measured: &[RepetitionPhase]) -> Table {
    let headings = ">bw | >iops | >Bytes | >Operations | >Open | >Transfer | >Close | >Total";
    each("Transfers measured", headings, measured, |one| {
        let phase = counting(one, Counts::Bytes)?;
        let metric = |name: &str| phase.metric(name).map(|metric| metric.value);
        let mut bytes = bytes_cell(phase.bytes);
        if phase.bytes != phase.expected_bytes && phase.expected_bytes > 0 {
            bytes.text.push_str(&format!(" of {}", units::bytes_binary(phase.expected_bytes as f64)));
        }
        Some(vec![
            known_cell(metric("bw").filter(|_| phase.bytes > 0), "B/s"),
            known_cell(metric("iops"), "/s"),
            bytes,
            count_cell(phase.ops),
            seconds_cell(phase.spans.open_s),
            seconds_cell(phase.spans.transfer_s),
            seconds_cell(phase.spans.close_s),
            seconds_cell(phase.spans.total_s),
        ])
    })
}

fn latencies(measured: &[RepetitionPhase], counts: Counts, what: &str) -> Table {
    let headings = ">Count | >Min | >Mean | >p50 | >p90 | >p99 | >p99.9 | >Max";
    let cells = |latency: &Latency| {
        let whole = |nanoseconds: u64| nanoseconds_cell(nanoseconds as f64);
        vec![
            count_cell(latency.count),
            whole(latency.min_ns),
            nanoseconds_cell(latency.mean_ns),
            whole(latency.p50_ns),
            whole(latency.p90_ns),
            whole(latency.p99_ns),
            whole(latency.p999_ns),
            whole(latency.max_ns),
        ]
    };
    each(&format!("Latency of single {what}"), headings, measured, |one| {
        counting(one, counts)?.latency.as_ref().map(cells)
    })
}

fn balance(measured: &[RepetitionPhase]) -> Table {
    let headings = "Slowest rank | >Its rate | >Median rate | >Slowest / median | >Amount per rank | \
         >Time per rank";
    each("Balance between ranks", headings, measured, |one| {
        let balance = &one.phase.balance;
        let operations = one.phase.counts == Counts::Operations;
        let unit = if operations { "/s" } else { "B/s" };
        let known = one.phase.ranks > 0 && balance.seconds_max > 0.0;
        let median = Some(balance.median_rate).filter(|rate| *rate > 0.0);
        let ratio = median.map_or(NONE.into(), |median| share(balance.slowest_rate / median));
        let range = |low: String, high: String| if low == high { low } else { format!("{low} to {high}") };
        let amount = |amount: u64| match operations {
            true => units::count(amount as f64),
            false => units::bytes_binary(amount as f64),
        };
        known.then(|| {
            vec![
                Cell::new(format!("{} on {}", balance.slowest_rank, or_none(&balance.slowest_node))),
                quantity_cell(balance.slowest_rate, unit),
                known_cell(median, unit),
                Cell::new(ratio),
                Cell::new(range(amount(balance.bytes_min), amount(balance.bytes_max))),
                Cell::new(range(units::duration(balance.seconds_min), units::duration(balance.seconds_max))),
            ]
        })
    })
}

/// What the kernel counted beside the program: the amounts that bound a rate.
fn kernel(measured: &[RepetitionPhase]) -> Table {
    let headings = ">Bytes of the program | >Read from storage | >Written to storage | >Read by calls | \
         >Written by calls | >Repeated | Network file system";
    each("Bytes that the kernel counted", headings, measured, |one| {
        let phase = counting(one, Counts::Bytes).filter(|phase| phase.bytes > 0)?;
        let missing = || Cell::new("not available here");
        let of_kernel = |count: fn(&KernelCount) -> u64| {
            let counted = phase.kernel.as_ref().filter(|kernel| kernel.uncounted == 0);
            counted.map_or_else(missing, |kernel| bytes_cell(count(kernel)))
        };
        let mount = phase.kernel.as_ref().and_then(|kernel| kernel.mount.as_ref()).map(|mount| {
            let [read, written] =
                [mount.read_bytes, mount.written_bytes].map(|n| units::bytes_binary(n as f64));
            format!("{}: {read} read, {written} written", mount.source)
        });
        Some(vec![
            bytes_cell(phase.bytes),
            of_kernel(|kernel| kernel.read_bytes),
            of_kernel(|kernel| kernel.written_bytes),
            of_kernel(|kernel| kernel.read_call_bytes),
            of_kernel(|kernel| kernel.write_call_bytes),
            bytes_cell(phase.repeated_bytes),
            Cell::new(mount.unwrap_or(NONE.into())),
        ])
    })
}

fn conditions(measured: &[RepetitionPhase]) -> Table {
    let headings = "Backend | >Ranks | Files | >Segments | >Block | >Transfer | Flushed to storage | \
         Page cache bypassed | >In page cache before | >Smallest file | First file";
    each("Conditions of transfers", headings, measured, |one| {
        let phase = counting(one, Counts::Bytes)?;
        Some(vec![
            Cell::new(or_none(&phase.backend)),
            Cell::new(phase.ranks.to_string()),
            Cell::new(if phase.file_per_rank { "file per process" } else { "single shared file" }),
            count_cell(phase.segments),
            bytes_cell(phase.block_bytes),
            bytes_cell(phase.transfer_bytes),
            yes_no(phase.persisted),
            yes_no(phase.direct),
            Cell::new(phase.cached_before.map_or(NONE.into(), share)),
            phase.smallest_file_bytes.map_or_else(|| Cell::new(NONE), bytes_cell),
            path_cell(&phase.path),
        ])
    })
}

fn stonewalls(measured: &[RepetitionPhase]) -> Table {
    let headings = ">Deadline | >Reached after | >Bytes at the deadline | >Transfers per rank at the \
         deadline | Wear-out | >Ranks out of data";
    each("Deadline (stonewall)", headings, measured, |one| {
        one.phase.stonewall.as_ref().map(|wall| {
            vec![
                seconds_cell(wall.deadline_s),
                seconds_cell(wall.seconds),
                bytes_cell(wall.bytes),
                Cell::new(format!("{} to {}", wall.transfers_min, wall.transfers_max)),
                yes_no(wall.wear_out),
                Cell::new(wall.ran_dry.to_string()),
            ]
        })
    })
}

fn checks(measured: &[RepetitionPhase]) -> Table {
    let cells = |check: &Check| {
        let result = match check.bad_transfers {
            0 if check.bytes == 0 => Cell::new("nothing compared"),
            0 => Cell::new("all correct").toned(Tone::Pass),
            _ => Cell::new("wrong data").toned(Tone::Fail),
        };
        vec![bytes_cell(check.bytes), count_cell(check.bad_transfers), result]
    };
    let headings = ">Bytes compared | >Bad transfers | Result";
    each("Data check", headings, measured, |one| one.phase.check.as_ref().map(cells))
}

fn bad_ranges(measured: &[RepetitionPhase]) -> Table {
    let headings = "Phase | Repetition | >Found by rank | File | >Offset | >Length | Expected word | \
         Found word";
    let mut table = Table::new("Wrong data: all recorded ranges", headings);
    let mut unlisted = 0;
    for one in measured {
        let Some(check) = &one.phase.check else { continue };
        unlisted += check.ranges.max(check.bad_transfers).saturating_sub(check.bad.len() as u64);
        for bad in &check.bad {
            let cells = [
                Cell::new(bad.rank.to_string()),
                Cell::literal(&bad.path),
                Cell::new(format!("{} B", bad.offset)),
                Cell::new(format!("{} B", bad.length)),
                Cell::literal(&bad.expected),
                Cell::literal(&bad.found),
            ];
            table.row(name(one).into_iter().chain(cells));
        }
    }
    if unlisted > 0 {
        let cap = Check::CAP;
        table.note =
            format!("{unlisted} more bad ranges are counted but not listed. A record lists at most {cap}.");
    }
    table
}

fn operation_rates(measured: &[RepetitionPhase]) -> Table {
    let headings = ">rate | >Operations | >Failed | >Bytes | >Work | >Total";
    each("Operations measured", headings, measured, |one| {
        let phase = counting(one, Counts::Operations)?;
        let failed = phase.failed.as_ref().map_or(0, |failed| failed.operations);
        let tone = if failed == 0 { Tone::Plain } else { Tone::Fail };
        Some(vec![
            known_cell(phase.metric("rate").map(|metric| metric.value), "/s"),
            count_cell(phase.ops),
            count_cell(failed).toned(tone),
            bytes_cell(phase.bytes),
            seconds_cell(phase.spans.transfer_s),
            seconds_cell(phase.spans.total_s),
        ])
    })
}

fn windows(measured: &[RepetitionPhase]) -> Table {
    let table = each("All ranks active", ">Operations | >Time | First rank to end", measured, |one| {
        let window = one.phase.window?;
        Some(vec![
            count_cell(window.ops),
            seconds_cell(window.seconds),
            Cell::new(format!("rank {}", window.first_rank)),
        ])
    });
    table.noted(
        "From the common start until the first rank ended its work. The metric rate is that of this time.",
    )
}

fn operation_conditions(measured: &[RepetitionPhase]) -> Table {
    let headings =
        "Backend | >Ranks | Directories | >Bytes per file | Flushed to storage | Page cache bypassed | Path";
    each("Conditions of operations", headings, measured, |one| {
        let phase = counting(one, Counts::Operations)?;
        Some(vec![
            Cell::new(or_none(&phase.backend)),
            Cell::new(phase.ranks.to_string()),
            Cell::new(if phase.file_per_rank { "one per rank" } else { "shared" }),
            bytes_cell(phase.transfer_bytes),
            yes_no(phase.persisted),
            yes_no(phase.direct),
            Cell::literal(or_none(&phase.path)),
        ])
    })
}

fn operation_reasons(measured: &[RepetitionPhase]) -> Table {
    let mut table = Table::new("Failed operations by reason", "Phase | Repetition | Reason | >Count");
    for (one, failed) in failed(measured) {
        for (reason, count) in failed.counted() {
            table.row(name(one).into_iter().chain([Cell::new(reason), count_cell(count)]));
        }
    }
    table
}

fn operation_failures(measured: &[RepetitionPhase]) -> Table {
    let headings = "Phase | Repetition | >Rank | Call | Path | Reason";
    let mut table = Table::new("Failed operations by path", headings);
    let mut unlisted = 0;
    for (one, failed) in failed(measured) {
        unlisted += failed.operations.saturating_sub(failed.first.len() as u64);
        for first in &failed.first {
            let cells = [
                Cell::new(first.rank.to_string()),
                Cell::new(&first.operation),
                Cell::literal(&first.path),
                Cell::new(&first.why),
            ];
            table.row(name(one).into_iter().chain(cells));
        }
    }
    if unlisted > 0 {
        table.note = format!("{unlisted} more failed operations are counted but not listed.");
    }
    table
}

/// The phases with failures, without those whose failures another phase has, too.
fn failed<'m>(
    measured: &'m [RepetitionPhase<'m>],
) -> impl Iterator<Item = (&'m RepetitionPhase<'m>, &'m Failed)> {
    let own = measured.iter().filter(|one| !is_kind(&one.phase.phase));
    own.filter_map(|one| Some((one, one.phase.failed.as_ref()?)))
}
