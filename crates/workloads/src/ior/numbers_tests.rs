//! The numbers of a phase agree with each other, whatever ended it or cut it short.

use std::path::Path;

use results::Record;
use results::record::Phase;
use storage::{Mode, Open, Storage};
use testkit::{Fault, Faulty};

use super::scene::{Late, Left, play};
use super::{Parameters, Rate};

const NOT_LATE: Late = Late { rank: 0, from: 0, seconds: 0 };

fn parameters() -> Parameters {
    Parameters {
        test_file: "f".into(),
        block: 4096,
        transfer: 512,
        segments: 25,
        write: true,
        signature: Some(7),
        keep: true,
        ..Parameters::default()
    }
}

fn phase<'l>(left: &'l Left, name: &str) -> &'l Phase {
    let named = left.records.iter().find_map(|record| match record {
        Record::Phase(phase) if phase.phase == name => Some(&**phase),
        _ => None,
    });
    named.expect("the phase is recorded")
}

#[test]
fn each_half_of_a_mixed_phase_has_its_own_bytes_at_the_deadline() {
    let parameters = Parameters { mix: Some(25), deadline: 600, wear_out: true, ..parameters() };
    let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
    // Both ranks finish their 200 transfers long before.
    for (name, transfers) in [("mixed_write", 150), ("mixed_read", 50)] {
        let half = phase(&all[0], name);
        let wall = half.stonewall.as_ref().unwrap();
        assert_eq!((half.ops, half.bytes, wall.bytes), (2 * transfers, 1024 * transfers, 1024 * transfers));
        assert_eq!((wall.transfers_min, wall.transfers_max), (transfers, transfers), "{name}");
    }
}

#[test]
fn what_a_file_that_ends_early_lacks_is_in_none_of_the_numbers() {
    let storage = Faulty::sound();
    let how = Open { mode: Mode::Write, shared: false, collective: false, bytes: 0 };
    let mut file = storage.open(&ranks::local::alone(), Path::new("f"), how).unwrap();
    // Of the 16 transfers of two ranks ten are there, an eleventh for a quarter.
    file.write_at(&[0; 10 * 512 + 128], 0).unwrap();
    let read = Parameters { write: false, read_check: true, segments: 1, deadline: 600, ..parameters() };
    let all = play(2, &read, &storage, NOT_LATE);
    let read = phase(&all[0], "read_check");
    assert_eq!((read.bytes, read.ops), (10 * 512 + 128, 10));
    assert_eq!(read.latency.as_ref().unwrap().count, 10, "of what did not come nothing is known");
    assert_eq!(read.timeline.as_ref().unwrap().bytes.iter().sum::<u64>(), read.bytes);
    assert_eq!((read.balance.bytes_min, read.balance.bytes_max), (2 * 512 + 128, 8 * 512));
    assert_eq!(read.stonewall.as_ref().unwrap().bytes, read.bytes);
}

#[test]
fn a_ranks_own_total_begins_after_the_ramp_as_its_bytes_do() {
    let parameters = Parameters { ramp: 1, seconds_min: 1, rank_times: true, ..parameters() };
    let all = play(1, &parameters, &Faulty::sound(), NOT_LATE);
    let total = phase(&all[0], "write").spans.total_s;
    let told = all[0].told("RankTimes { phase: \"write\"")[0];
    let own = told.split_once("total_s: ").and_then(|(_, rest)| rest.split_once(',')).unwrap().0;
    let own: f64 = own.parse().unwrap();
    assert!((own - total).abs() < 1e-6, "of one rank they are the same: {own} and {total}");
}

#[test]
fn what_a_mixed_phase_moved_in_parts_is_told_once() {
    let parameters = Parameters { mix: Some(0), ..parameters() };
    let all = play(1, &parameters, &Faulty::on_rank(0, Fault::ShortWrite(1024)), NOT_LATE);
    let told = all[0].records.iter().filter_map(|record| match record {
        Record::Notice(notice) if notice.id == "short-transfer" => Some(notice.text.as_str()),
        _ => None,
    });
    let told: Vec<&str> = told.collect();
    assert_eq!(
        told,
        [
            "write: 1 of 200 transfers moved only a part and were taken up again",
            "mixed: 1 of its transfers moved only a part and were taken up again"
        ]
    );
}

#[test]
fn a_phase_is_said_to_end_so_long_after_the_ramp() {
    for (ramp, deadline, told) in
        [(0, 600, "deadline: 600, "), (1, 600, "deadline: 601, "), (1, 0, "deadline: 0, ")]
    {
        let parameters = Parameters { ramp, deadline, ..parameters() };
        let all = play(1, &parameters, &Faulty::sound(), NOT_LATE);
        assert!(all[0].told("Begins")[0].contains(told), "{:?}", all[0].told("Begins"));
    }
}

#[test]
fn times_without_measure_are_no_overflow() {
    for (ramp, deadline, minutes_max, rate) in
        [(u32::MAX, u32::MAX, 0, None), (0, 0, u32::MAX, None), (0, 1, 0, Some(Rate::Transfers(1e-300)))]
    {
        let parameters = Parameters { ramp, deadline, minutes_max, rate, ..parameters() };
        let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
        assert!(all[0].done.is_ok(), "{:?}", all[0].done);
        assert_eq!(all[0].phases(), ["write 0"], "no time is over before it begins");
    }
}
