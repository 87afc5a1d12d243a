//! Collects on rank 0 what each rank did in a phase. One gather has a fixed number of bytes for each rank. If
//! files lie on storage targets, the target names follow, once for each different layout.
//!
//! Invariant: the bytes of a rank do not depend on the number of ranks. All of this runs after the clock has
//! stopped.
//! Never here: queries to the file system.

use std::collections::HashMap;

use measure::Histogram;
use ranks::{Comm, Halt};
use results::record::{Balance, Column, EachRank};

use super::balance::{RankWork, add_slowest};
use super::node::Node;
use super::reduce;

/// Number of different file layouts that are named. Files with other layouts have no known targets.
const PLACES: usize = 4096;
/// The numbers that a rank sends, in their order.
#[derive(Clone, Copy)]
enum Number {
    Amount,
    Ns,
    Given,
    Ended,
    Opened,
    Closed,
    P95,
    P99,
    DataOf,
    AtDeadline,
    WearOut,
    KernelRead,
    KernelWritten,
    Place,
}

/// The numbers of a rank.
type Row = [u64; Number::Place as usize + 1];

/// Marks a missing number.
const NONE: u64 = u64::MAX;

/// What one rank did. Times are nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct RankReport {
    /// What it moved in its own time: bytes, or operations, from the start to the end of its transfers.
    pub work: RankWork,
    /// When its transfers ended, since the start of the job.
    pub ended_ns: u64,
    /// How long its open and its close took; `None` if they are operations, or parts of them.
    pub opened_closed_ns: Option<[u64; 2]>,
    /// The 95th and 99th percentile of its latencies, see [`percentiles`].
    pub percentiles_ns: [u64; 2],
    /// The rank that wrote what it read; `None` if it read nothing.
    pub data_of: Option<u32>,
    /// What it had moved at its deadline, and how long it continued after it, if it did.
    pub wear_out: Option<(u64, u64)>,
    /// Bytes that the kernel fetched from and sent to storage for its process alone; `None` if ranks share a
    /// process.
    pub kernel: Option<[u64; 2]>,
    /// The targets of its own file. `None` on all ranks if no rank queried them.
    pub targets: Option<Vec<String>>,
}

/// The columns of all ranks, on rank 0. There the slowest rank is added to the balance, too. Collective.
pub fn collect(
    comm: &dyn Comm,
    node: &Node,
    report: &RankReport,
    balance: &mut Balance,
) -> Result<Option<EachRank>, Halt> {
    let place = report.targets.as_deref().map(|targets| targets.join("\n")).unwrap_or_default();
    let row = numbers(report, &place);
    let rows: Option<Vec<Row>> = reduce::gather(comm, row)?;
    let places = match report.targets {
        None => None,
        Some(_) => FilePlaces::gather(comm, rows.as_deref(), &place)?,
    };
    if let Some(rows) = &rows {
        let work = |row: &Row| RankWork {
            amount: row[Number::Amount as usize],
            ns: row[Number::Ns as usize],
            given: row[Number::Given as usize] > 0,
        };
        add_slowest(balance, rows.iter().map(work), node);
    }
    Ok(rows.map(|rows| columns(&rows, node, places.as_ref())))
}

/// The numbers that a rank sends. One that it does not have is [`NONE`].
fn numbers(report: &RankReport, place: &str) -> Row {
    let mut row = [NONE; _];
    let mut set = |number: Number, value: u64| row[number as usize] = value;
    let RankWork { amount, ns, given } = report.work;
    set(Number::Amount, amount);
    set(Number::Ns, ns);
    set(Number::Given, given.into());
    set(Number::Ended, report.ended_ns);
    if let Some([opened, closed]) = report.opened_closed_ns {
        set(Number::Opened, opened);
        set(Number::Closed, closed);
    }
    let [p95, p99] = report.percentiles_ns;
    set(Number::P95, p95);
    set(Number::P99, p99);
    if let Some(rank) = report.data_of {
        set(Number::DataOf, rank.into());
    }
    if let Some((at_deadline, wear_out)) = report.wear_out {
        set(Number::AtDeadline, at_deadline);
        set(Number::WearOut, wear_out);
    }
    if let Some([read, written]) = report.kernel {
        set(Number::KernelRead, read);
        set(Number::KernelWritten, written);
    }
    set(Number::Place, hash(place));
    row
}

/// The 95th and 99th percentile of the latencies of a rank. They must be read before the latencies of all
/// ranks are put together.
pub fn percentiles(latency: &Histogram) -> [u64; 2] {
    [0.95, 0.99].map(|share| latency.quantile(share))
}

/// FNV-1a of 64 bits, the same on every machine. Only the empty text hashes to 0.
fn hash(text: &str) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step).max(1)
}

/// The different layouts of files: the number of each by its hash, and its targets.
struct FilePlaces {
    numbers: HashMap<u64, u32>,
    names: Vec<String>,
}

impl FilePlaces {
    /// The lowest rank with each layout sends its targets to rank 0. Collective.
    fn gather(comm: &dyn Comm, rows: Option<&[Row]>, place: &str) -> Result<Option<Self>, Halt> {
        let mut numbers = HashMap::new();
        let mut senders = Vec::new();
        for (rank, row) in rows.unwrap_or_default().iter().enumerate() {
            let hash = row[Number::Place as usize];
            if hash != 0 && numbers.len() < PLACES && !numbers.contains_key(&hash) {
                numbers.insert(hash, numbers.len() as u32);
                senders.extend((rank as u32).to_le_bytes());
            }
        }
        comm.broadcast(0, &mut senders)?;
        if senders.is_empty() {
            return Ok(None);
        }
        let sends = senders.chunks_exact(4).any(|rank| rank == comm.rank().to_le_bytes());
        let sent = comm.gather(if sends { place.as_bytes() } else { &[] })?;
        let name = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let names = sent.map(|sent| sent.into_iter().filter(|name| !name.is_empty()).map(name).collect());
        Ok(names.map(|names| Self { numbers, names }))
    }
}

fn columns(rows: &[Row], node: &Node, places: Option<&FilePlaces>) -> EachRank {
    let column = |number: Number| rows.iter().map(move |row| row[number as usize]);
    let amounts = |number: Number| -> Column<u64> { column(number).collect::<Vec<_>>().into() };
    // Microseconds are precise enough for any comparison and halve the size.
    let seconds = |number: Number| -> Column<f64> {
        column(number).map(|ns| (ns / 1000) as f64 / 1e6).collect::<Vec<_>>().into()
    };
    // Times of work are rounded up, so that no rate is too high.
    let seconds_up = |number: Number| -> Column<f64> {
        column(number).map(|ns| ns.div_ceil(1000) as f64 / 1e6).collect::<Vec<_>>().into()
    };
    let all_have = |number: Number| column(number).all(|value| value != NONE);
    let mut each = EachRank {
        ranks: rows.len() as u32,
        moved: amounts(Number::Amount),
        seconds: seconds_up(Number::Ns),
        ended_s: seconds(Number::Ended),
        p95_ns: amounts(Number::P95),
        p99_ns: amounts(Number::P99),
        ..EachRank::default()
    };
    if all_have(Number::Opened) {
        (each.open_s, each.close_s) = (seconds_up(Number::Opened), seconds_up(Number::Closed));
    }
    if all_have(Number::DataOf) {
        each.data_of = column(Number::DataOf).map(|rank| rank as u32).collect::<Vec<_>>().into();
    }
    if all_have(Number::AtDeadline) {
        each.moved_at_deadline = amounts(Number::AtDeadline);
        each.wear_out_s = seconds(Number::WearOut);
    }
    if all_have(Number::KernelRead) {
        (each.kernel_read, each.kernel_written) =
            (amounts(Number::KernelRead), amounts(Number::KernelWritten));
    }
    if let Some(table) = &node.table {
        (each.node, each.nodes) = (table.of.clone().into(), table.names.clone());
    }
    if let Some(places) = places {
        let unknown = places.names.len() as u32;
        let layout = |row: &Row| places.numbers.get(&row[Number::Place as usize]).copied().unwrap_or(unknown);
        each.layout = rows.iter().map(layout).collect::<Vec<_>>().into();
        (each.layouts, each.targets) = layouts(&places.names);
    }
    each
}

/// The layouts as lists of targets, followed by the unknown one, and the targets by name.
fn layouts(places: &[String]) -> (Vec<Vec<u32>>, Vec<String>) {
    let mut targets: Vec<&str> = places.iter().flat_map(|place| place.lines()).collect();
    targets.sort_unstable();
    targets.dedup();
    let number = |target: &str| targets.binary_search(&target).expect("it is one of them") as u32;
    let place = |place: &String| place.lines().map(&number).collect();
    let layouts = places.iter().map(place).chain([Vec::new()]).collect();
    (layouts, targets.into_iter().map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranks::local;

    fn collected(ranks: u32, report: impl Fn(u32) -> RankReport + Sync) -> EachRank {
        let one = |comm: &dyn Comm| {
            let node = Node::find(comm).expect("no halt");
            collect(comm, &node, &report(comm.rank()), &mut Balance::default()).expect("no halt")
        };
        let mut all: Vec<_> =
            local::run(ranks, one).into_iter().map(|each| each.expect("no panic")).collect();
        assert!(all[1..].iter().all(Option::is_none), "only rank 0 has them");
        all.swap_remove(0).expect("rank 0 has them")
    }

    #[test]
    fn rank_0_has_the_work_of_every_rank_and_the_targets_of_its_file() {
        let targets = |rank: u32| match rank {
            3 => vec![],
            5 => vec!["OST0001".to_owned(), "OST0000".to_owned()],
            rank => vec![format!("OST000{}", rank % 2)],
        };
        let each = collected(6, |rank| RankReport {
            work: RankWork { amount: 1 << 40 | u64::from(rank), ns: 1_500_000_001, given: true },
            ended_ns: u64::from(rank) * 1_000_000,
            opened_closed_ns: Some([1, 2_000_000]),
            percentiles_ns: [95, u64::from(rank)],
            data_of: Some((rank + 2) % 6),
            wear_out: Some((7, 2_000_999)),
            kernel: Some([u64::from(rank) << 20, 0]),
            targets: Some(targets(rank)),
        });
        assert_eq!((each.ranks, each.moved.of(5)), (6, Some(1 << 40 | 5)));
        assert_eq!((each.seconds.of(4), each.ended_s.of(4)), (Some(1.500_001), Some(0.004)));
        assert_eq!((each.open_s.of(1), each.close_s.of(1)), (Some(1e-6), Some(0.002)));
        assert_eq!([0, 5].map(|rank| each.data_of.of(rank)), [Some(2), Some(1)]);
        assert_eq!((each.p95_ns.of(3), each.p99_ns.of(3)), (Some(95), Some(3)));
        assert_eq!((each.moved_at_deadline.of(2), each.wear_out_s.of(2)), (Some(7), Some(0.002)));
        assert_eq!((each.node.of(5), each.nodes.len()), (Some(0), 1));
        assert_eq!((each.kernel_read.of(3), each.kernel_written.of(3)), (Some(3 << 20), Some(0)));
        let names = |rank| each.targets_of(rank).collect::<Vec<_>>();
        assert_eq!((names(0), names(4), names(1)), (vec!["OST0000"], vec!["OST0000"], vec!["OST0001"]));
        assert_eq!((names(3), names(5)), (vec![], vec!["OST0001", "OST0000"]));
        assert_eq!(each.targets, ["OST0000", "OST0001"]);
    }

    #[test]
    fn without_a_query_or_an_answer_there_are_no_targets() {
        for targets in [None, Some(vec![])] {
            let each = collected(3, |_| RankReport { targets: targets.clone(), ..RankReport::default() });
            assert!(each.layout.is_empty() && each.targets.is_empty(), "{each:?}");
            assert!(each.moved_at_deadline.is_empty(), "no rank continued after a deadline");
            assert!(each.kernel_read.is_empty(), "ranks share a process");
            assert!(each.data_of.is_empty(), "nothing is read");
            assert!(each.open_s.is_empty() && each.close_s.is_empty(), "they are parts of operations");
        }
    }
}
