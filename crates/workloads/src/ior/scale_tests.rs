//! What a test with many ranks costs. docs/validation/scale.md uses these counts.

use command::ior::{Offsets, Reorder, Request};
use measure::Histogram;
use testkit::Faulty;
use testkit::complete::by_set;

use super::scene::{Call, Late, play};

const WORLDS: [u32; 3] = [2, 8, 64];

/// docs/validation/scale.md: collectives before the first phase, of a write, and of a read.
const BEFORE: usize = 6;
const OF_A_WRITE: usize = 12;
const OF_A_READ: usize = 11;
/// The row of a rank in the gather of a phase's record.
const OF_THE_RECORD: Call = Call { name: "gather", bytes: 112 };

fn parameters() -> Request {
    Request { write: true, keep: true, block: 1 << 16, transfer: 4096, ..Request::default() }
}

/// The calls of each rank of a world.
fn calls(ranks: u32, parameters: &Request) -> Vec<Vec<Call>> {
    let all = play(ranks, parameters, &Faulty::sound(), Late::default());
    all.into_iter()
        .map(|left| {
            assert!(left.done.is_ok(), "{:?}", left.done);
            left.calls
        })
        .collect()
}

fn names(calls: &[Call]) -> Vec<&'static str> {
    calls.iter().map(|call| call.name).collect()
}

#[test]
fn a_phase_has_the_same_collectives_on_all_ranks_of_every_world() {
    for ranks in WORLDS {
        let counts: Vec<usize> = [(1, false), (2, false), (2, true)]
            .map(|(repetitions, read)| {
                let all = calls(ranks, &Request { repetitions, read, ..parameters() });
                assert!(all.iter().all(|calls| names(calls) == names(&all[0])), "{ranks} ranks");
                all[0].len()
            })
            .to_vec();
        let write = counts[1] - counts[0];
        let found = (counts[0] - write, write, (counts[2] - counts[1]) / 2);
        assert_eq!(found, (BEFORE, OF_A_WRITE, OF_A_READ), "{ranks} ranks");
    }
}

#[test]
fn the_bytes_of_a_rank_in_a_collective_do_not_grow_with_the_number_of_ranks() {
    // Both are limits for one rank's measurements, independent of the number of ranks.
    let histogram = 8 * (Histogram::BUCKETS + 4);
    let timeline = 8 * 600;
    for ranks in WORLDS {
        for calls in calls(ranks, &Request { read: true, ..parameters() }) {
            let mut long: Vec<usize> =
                calls.iter().map(|call| call.bytes).filter(|bytes| *bytes > 320).collect();
            let gathers: Vec<&Call> = calls.iter().filter(|call| call.name == "gather").collect();
            assert_eq!(gathers, [&OF_THE_RECORD; 2], "one row of each rank in each phase");
            long.sort_unstable();
            // For each phase: latencies and timeline together.
            assert!(long.len() <= 2 && long.iter().all(|bytes| *bytes <= histogram + timeline), "{long:?}");
        }
    }
}

/// The exponent with which a number grows with the ranks: the slope of a line through the logarithms.
fn exponent(points: &[(u32, usize)]) -> f64 {
    let logs = points.iter().map(|(ranks, number)| (f64::from(*ranks).ln(), (*number as f64).ln()));
    let logs: Vec<(f64, f64)> = logs.collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|log| log.0), mean(|log| log.1));
    let above: f64 = logs.iter().map(|log| (log.0 - x) * (log.1 - y)).sum();
    above / logs.iter().map(|log| (log.0 - x).powi(2)).sum::<f64>()
}

#[test]
fn only_the_bytes_at_rank_0_grow_with_the_ranks_and_in_proportion() {
    // A thousand ranks in a debug build take half a minute of two processors.
    let worlds = by_set([2, 8, 32, 128], [2, 16, 128, 1024]);
    let (mut of_a_rank, mut bytes_of_a_rank, mut at_rank_0) = (Vec::new(), Vec::new(), Vec::new());
    for ranks in worlds {
        let all = calls(ranks, &Request { read: true, ..parameters() });
        let last = all.last().expect("a rank");
        of_a_rank.push((ranks, last.len()));
        // Latencies and the timeline have a limit of their own.
        let short = last.iter().filter(|call| call.name != "reduce").map(|call| call.bytes).sum();
        bytes_of_a_rank.push((ranks, short));
        let gathered = all.iter().flatten().filter(|call| call.name == "gather").map(|call| call.bytes);
        at_rank_0.push((ranks, gathered.sum()));
    }
    let found = [of_a_rank, bytes_of_a_rank, at_rank_0].map(|points| exponent(&points));
    assert!(found[0].abs() < 0.001 && found[1].abs() < 0.001, "{found:?}");
    assert!((found[2] - 1.0).abs() < 0.001, "{found:?}");
}

#[test]
fn only_reports_about_every_rank_are_gathered() {
    let gathered = |change: &dyn Fn(&mut Request)| -> Vec<Vec<Call>> {
        let mut parameters = Request { read: true, ..parameters() };
        change(&mut parameters);
        let of = |ranks| {
            let all = calls(ranks, &parameters).swap_remove(1);
            all.into_iter().filter(|call| call.name == "gather").collect()
        };
        WORLDS.into_iter().map(of).collect()
    };
    let gather = |bytes| Call { name: "gather", bytes };
    let record = || OF_THE_RECORD;
    for world in gathered(&|p| p.rank_times = true) {
        assert_eq!(world, [record(), gather(24), record(), gather(24)], "one more row of each rank");
    }
    for world in gathered(&|p| p.verbose = 3) {
        assert_eq!(world.iter().filter(|call| [48, 112].contains(&call.bytes)).count(), 4, "{world:?}");
    }
    let quiet = |p: &mut Request| {
        (p.outlier_seconds, p.minutes_max, p.verbose) = (1000, 1000, 2);
        (p.reorder, p.file_per_rank) = (Reorder::Random, true);
    };
    for world in gathered(&quiet) {
        assert_eq!(world, [record(), record()]);
    }
}

#[test]
fn the_optional_controls_cost_a_fixed_number_of_collectives() {
    let of = |ranks, change: &dyn Fn(&mut Request)| {
        let mut parameters = parameters();
        change(&mut parameters);
        calls(ranks, &parameters)[0].len()
    };
    for ranks in WORLDS {
        let more = |change: &dyn Fn(&mut Request)| of(ranks, change) - of(ranks, &|_| ());
        assert_eq!(more(&|p| p.minutes_max = 9), 1);
        assert_eq!(more(&|p| p.outlier_seconds = 1000), 4, "three for the statistics, one for no report");
        let filled = |p: &mut Request| (p.offsets, p.prefill) = (Offsets::Shuffled, 4096);
        assert_eq!(more(&filled), 5);
        let spread = |verbose| {
            move |p: &mut Request| {
                (p.reorder, p.file_per_rank, p.read, p.verbose) = (Reorder::Random, true, true, verbose);
            }
        };
        assert_eq!(more(&spread(2)) - more(&spread(0)), 1);
    }
}
