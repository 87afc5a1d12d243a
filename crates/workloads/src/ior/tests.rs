//! IOR on several local ranks: they finish together and fail together.

use command::ior::{Offsets, Request};
use measure::CycleClock;
use ranks::{ClockOffset, Comm, Halt, local};
use results::Record;
use results::reason::{Code, Reason, row};
use results::record::Phase;
use testkit::{Fault, Faulty};

use super::{IorContext, IorSummary, run};
use crate::kit::observer::Silent;
use crate::kit::payload::Packet;

fn parameters() -> Request {
    Request {
        test_file: "f".into(),
        block: 4096,
        transfer: 512,
        segments: 2,
        write: true,
        read_check: true,
        signature: Some(7),
        keep: true,
        ..Request::default()
    }
}

/// Runs a test on `ranks` ranks. Returns the result of each, and the records of rank 0.
fn run_on(
    ranks: u32,
    parameters: &Request,
    storage: &Faulty,
) -> Vec<(Result<IorSummary, Halt>, Vec<Record>)> {
    parameters.check(ranks).expect("sound parameters");
    let clock = CycleClock::new();
    let body = |comm: &dyn Comm| {
        let (mut clock, mut records) = (clock.clone(), Vec::new());
        let offset = ClockOffset::default();
        let mut cx = IorContext {
            clock: &mut clock,
            offset,
            records: &mut records,
            observer: &mut Silent,
            board: None,
            seed: 1,
            warning: None,
            sentence: ToString::to_string,
            data_key: None,
        };
        let done = run(parameters, storage, comm, &mut cx);
        (done, records)
    };
    local::run(ranks, body).into_iter().map(|rank| rank.expect("no rank panics")).collect()
}

fn phases(records: &[Record]) -> Vec<&Phase> {
    records
        .iter()
        .filter_map(|record| if let Record::Phase(phase) = record { Some(&**phase) } else { None })
        .collect()
}

#[test]
fn every_rank_gets_the_same_summary_and_only_rank_0_keeps_records() {
    for ranks in [1, 2, 5] {
        for offsets in [Offsets::Sequential, Offsets::Shuffled, Offsets::IorShuffled] {
            let parameters = Request { offsets, offset_seed: Some(3), ..parameters() };
            let all = run_on(ranks, &parameters, &Faulty::sound());
            for (rank, (done, records)) in all.iter().enumerate() {
                assert_eq!(*done, Ok(IorSummary { bad_transfers: 0 }), "{ranks} ranks, {offsets:?}");
                assert_eq!(records.is_empty(), rank > 0);
            }
            let phases = phases(&all[0].1);
            assert_eq!(
                phases.iter().map(|phase| phase.phase.as_str()).collect::<Vec<_>>(),
                ["write", "read_check"]
            );
            for phase in phases {
                assert_eq!(phase.bytes, u64::from(ranks) * 8192);
                assert_eq!(phase.ops, phase.latency.as_ref().unwrap().count);
                assert_eq!(phase.timeline.as_ref().unwrap().bytes.iter().sum::<u64>(), phase.bytes);
                assert!(phase.spans.total_s >= phase.spans.transfer_s, "{:?}", phase.spans);
            }
        }
    }
}

#[test]
fn a_fault_on_one_rank_halts_all_with_the_same_message() {
    for (fault, why) in [
        (Fault::NoSpace(0), "f at 8192: no storage space"),
        (Fault::Sync, "fsync f: lost the disk"),
        (Fault::Close, "close f: lost a write"),
    ] {
        let parameters = Request { sync: true, ..parameters() };
        let all = run_on(4, &parameters, &Faulty::on_rank(2, fault));
        for (done, records) in all {
            // Rank 2's block begins at 2 * 4096.
            let halt = done.expect_err("all halt");
            assert_eq!((halt.step.as_str(), halt.rank, halt.why.as_str()), ("write", 2, why));
            assert!(phases(&records).is_empty(), "a phase that failed has no bandwidth");
        }
    }
}

#[test]
fn the_earliest_failure_is_reported_even_if_a_lower_rank_then_fails_in_its_fsync() {
    let parameters = Request { sync: true, ..parameters() };
    // Rank 0 would wait for ever in its sync, if rank 1 did not fail first.
    let storage = Faulty::on_rank(1, Fault::NoSpace(0)).and_on_rank(0, Fault::SyncAfterAnother);
    for (done, _) in run_on(3, &parameters, &storage) {
        let halt = done.expect_err("all halt");
        assert_eq!(
            (halt.step.as_str(), halt.rank, halt.why.as_str()),
            ("write", 1, "f at 4096: no storage space")
        );
    }
}

#[test]
fn the_time_of_the_fsync_is_recorded_with_its_slowest_rank_and_no_latency_has_it() {
    let slow = Faulty::on_rank(2, Fault::SlowSync(80));
    let all = run_on(3, &Request { sync: true, ..parameters() }, &slow);
    let phases = phases(&all[0].1);
    let sync = phases[0].sync.as_ref().expect("the write is synced");
    assert_eq!(sync.slowest_rank, 2);
    assert!(sync.seconds_max >= 0.08 && sync.seconds_mean < sync.seconds_max, "{sync:?}");
    assert!(sync.share > 0.0 && sync.share <= 1.0 && !sync.slowest_node.is_empty(), "{sync:?}");
    assert_eq!(phases[1].sync, None, "a read has no fsync");
    let without = run_on(3, &parameters(), &slow);
    assert_eq!(self::phases(&without[0].1)[0].sync, None);
}

#[test]
fn a_failed_read_names_the_remaining_files_and_keeps_the_record_of_the_write() {
    let parameters = Request { keep: false, ..parameters() };
    let storage = Faulty::on_rank(1, Fault::Unreadable(4096));
    let all = run_on(2, &parameters, &storage);
    let halt = all[0].0.clone().expect_err("all halt");
    assert_eq!(halt.why, "f at 4096: lost the sector (the files of this run are not removed: f ...)");
    assert_eq!(phases(&all[0].1).len(), 1, "the write is recorded");
    assert!(storage.bytes(std::path::Path::new("f")).is_some());
}

#[test]
fn a_file_shorter_than_the_written_data_is_a_failure_even_if_every_call_succeeded() {
    let all = run_on(2, &parameters(), &Faulty::on_rank(1, Fault::LostWrite(16384 - 512)));
    for (done, records) in all {
        let halt = done.expect_err("all halt");
        assert_eq!(
            halt.to_string().split_once("): ").unwrap().1,
            "f: 16384 bytes were written, but the file has 15872"
        );
        assert!(phases(&records).is_empty(), "lost data has no bandwidth");
    }
}

#[test]
fn wrong_data_on_one_rank_is_known_to_all_and_located() {
    let all = run_on(3, &parameters(), &Faulty::on_rank(1, Fault::FlippedBit(4096 + 512)));
    for (done, _) in &all {
        assert_eq!(*done, Ok(IorSummary { bad_transfers: 1 }));
    }
    let read = phases(&all[0].1)[1];
    let check = read.check.as_ref().unwrap();
    assert_eq!((check.bad_transfers, check.bad[0].rank, check.bad[0].offset), (1, 1, 4096 + 512 + 256));
}

/// The kinds that a comparing read of rank 0 finds.
fn kinds(parameters: &Request, storage: &Faulty) -> Vec<String> {
    let all = run_on(2, parameters, storage);
    let found = phases(&all[0].1);
    let check = found.last().unwrap().check.as_ref().unwrap();
    check.bad.iter().map(|bad| format!("{}: {}", bad.kind, bad.detail)).collect()
}

#[test]
fn a_reader_finds_the_generation_or_uses_the_given_one() {
    let packet = Packet::Stamped;
    let storage = Faulty::sound();
    let writer = Request { packet, generation: Some(4), repetitions: 2, ..parameters() };
    assert_eq!(kinds(&writer, &storage), [""; 0], "a run expects what it has just written");
    let reader = |generation| Request { packet, generation, write: false, ..parameters() };
    assert_eq!(kinds(&reader(None), &storage), [""; 0]);
    assert_eq!(kinds(&reader(Some(5)), &storage), [""; 0], "the second repetition wrote generation 5");
    let found = kinds(&reader(Some(6)), &storage);
    assert_eq!(found.len(), 32);
    assert!(found.iter().all(|bad| bad == "stale: generation 5 of this place, expected 6"), "{found:?}");
}

#[test]
fn the_list_of_wrong_data_has_every_rank_and_states_what_it_omits() {
    let packet = Packet::Stamped;
    for (ranks, shown) in [(1, vec![16]), (8, vec![8; 8]), (70, [vec![2; 3], vec![1; 58]].concat())] {
        let storage = Faulty::sound();
        let writer = Request { packet, generation: Some(5), ..parameters() };
        run_on(ranks, &writer, &storage);
        let reader = Request { generation: Some(6), write: false, ..writer };
        let all = run_on(ranks, &reader, &storage);
        let check = phases(&all[0].1)[0].check.clone().unwrap();
        let total = 16 * u64::from(ranks);
        assert_eq!((check.bad_transfers, check.ranges, check.bad_ranks), (total, total, ranks.into()));
        let counts = (0..61).map(|rank| check.bad.iter().filter(|bad| bad.rank == rank).count());
        assert_eq!(counts.take(shown.len()).collect::<Vec<_>>(), shown);
        assert_eq!(check.bad.len(), shown.iter().sum::<usize>());
        let worst: Vec<_> = check.worst.iter().map(|worst| (worst.rank, worst.bad_transfers)).collect();
        assert_eq!(worst, (0..ranks.min(5)).map(|rank| (rank, 16)).collect::<Vec<_>>());
        let notices = all[0].1.iter().filter_map(|record| match record {
            Record::Notice(notice) if notice.reason.code == Code::WrongRanks => Some(&notice.reason),
            _ => None,
        });
        let notices: Vec<&Reason> = notices.collect();
        assert_eq!(notices.is_empty(), ranks == 1, "one rank, all listed: {notices:?}");
        let numbers = [row::WrongRanks::listed, row::WrongRanks::ranges, row::WrongRanks::ranks];
        let wanted = [64.0, 16.0 * f64::from(ranks), f64::from(ranks)].map(Some);
        assert!(notices.iter().all(|notice| numbers.map(|field| notice.get(field)) == wanted), "{notices:?}");
    }
}

#[test]
fn each_file_of_a_test_with_many_has_the_generation_of_its_repetition() {
    let packet = Packet::Stamped;
    let storage = Faulty::sound();
    let writer = Request { packet, multi_file: true, repetitions: 2, ..parameters() };
    assert_eq!(kinds(&writer, &storage), [""; 0]);
    let reader = Request { write: false, generation: Some(0), ..writer };
    assert_eq!(kinds(&reader, &storage), [""; 0]);
    assert_eq!(kinds(&Request { generation: None, ..reader }, &storage), [""; 0]);
}

#[test]
fn a_deadline_with_wear_out_leaves_all_ranks_with_equal_counts() {
    let parameters = Request {
        block: 1 << 30,
        transfer: 4096,
        segments: 1,
        deadline: 1,
        wear_out: true,
        read_check: false,
        file_per_rank: true,
        backend: "dummy".into(),
        ..parameters()
    };
    let all = run_on(3, &parameters, &Faulty::on_rank(9, Fault::Close));
    let phase = phases(&all[0].1)[0];
    let wall = phase.stonewall.as_ref().unwrap();
    assert!(wall.transfers_max >= wall.transfers_min && wall.seconds >= 1.0, "{wall:?}");
    assert_eq!(phase.ops, 3 * wall.transfers_max, "the slower ranks caught up");
    assert_eq!(phase.balance.bytes_min, phase.balance.bytes_max);
}
