//! The numbers of a phase agree with each other, whatever ended it or cut it short.

use std::path::Path;

use results::Record;
use results::record::Phase;
use storage::{Mode, Storage};
use testkit::{Fault, Faulty};

use super::scene::{IorRankResult, Late, play};
use super::{IorParameters, RateLimit};
use crate::kit::beneath;

const NOT_LATE: Late = Late { rank: 0, from: 0, seconds: 0 };

fn parameters() -> IorParameters {
    IorParameters {
        test_file: "f".into(),
        block: 4096,
        transfer: 512,
        segments: 25,
        write: true,
        signature: Some(7),
        keep: true,
        ..IorParameters::default()
    }
}

fn phase<'l>(left: &'l IorRankResult, name: &str) -> &'l Phase {
    let named = left.records.iter().find_map(|record| match record {
        Record::Phase(phase) if phase.phase == name => Some(&**phase),
        _ => None,
    });
    named.expect("the phase is recorded")
}

#[test]
fn each_half_of_a_mixed_phase_has_its_own_bytes_at_the_deadline() {
    let parameters = IorParameters { mix: Some(25), deadline: 600, wear_out: true, ..parameters() };
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
    let how = beneath::alone(Mode::Write, 0);
    let mut file = storage.open(&ranks::local::alone(), Path::new("f"), how).unwrap();
    // Of the 16 transfers of two ranks ten are there, an eleventh for a quarter.
    file.write_at(&[0; 10 * 512 + 128], 0).unwrap();
    let read = IorParameters { write: false, read_check: true, segments: 1, deadline: 600, ..parameters() };
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
    let parameters = IorParameters { ramp: 1, seconds_min: 1, rank_times: true, ..parameters() };
    let all = play(1, &parameters, &Faulty::sound(), NOT_LATE);
    let total = phase(&all[0], "write").spans.total_s;
    let told = all[0].told("RankTimes { phase: \"write\"")[0];
    let own = told.split_once("total_s: ").and_then(|(_, rest)| rest.split_once(',')).unwrap().0;
    let own: f64 = own.parse().unwrap();
    assert!((own - total).abs() < 1e-6, "of one rank they are the same: {own} and {total}");
}

#[test]
fn a_mixed_phase_of_reads_or_writes_alone_has_no_other_half() {
    for (percent, names) in [(0, "mixed_write 0"), (100, "mixed_read 0")] {
        let parameters = IorParameters { mix: Some(percent), verbose: 3, ..parameters() };
        let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
        assert_eq!(all[0].phases(), ["write 0", names]);
        assert_eq!(all[0].told("Stamps").len(), 2, "each phase has its ranks' stamps");
    }
}

#[test]
fn a_phase_that_ended_within_its_ramp_has_no_numbers_and_fails_on_all_ranks() {
    let parameters = IorParameters { ramp: 3600, ..parameters() };
    for left in play(3, &parameters, &Faulty::sound(), NOT_LATE) {
        let halt = left.done.as_ref().expect_err("nothing counted");
        let told = "all ranks ended within the ramp of 3600 s, so nothing was measured; \
                    give a shorter --ramp, more data, or -D";
        assert_eq!((halt.step.as_str(), halt.why.as_str()), ("write", told));
        assert!(left.phases().is_empty());
    }
}

#[test]
fn wrong_data_is_told_also_where_it_was_read_within_the_ramp() {
    let (write, storage) = (parameters(), Faulty::on_rank(1, Fault::FlippedBit(4096 + 512)));
    play(2, &write, &storage, NOT_LATE);
    let read = IorParameters { write: false, read_check: true, ramp: 3600, ..parameters() };
    let all = play(2, &read, &storage, NOT_LATE);
    assert!(all[0].done.is_err());
    let told = all[0].told("BadData")[0];
    assert!(told.contains("transfers: 1,") && told.contains("offset: 4864"), "{told}");
}

#[test]
fn a_rate_that_was_not_reached_is_told_with_what_was() {
    let of = |parameters: &IorParameters| {
        let all = play(2, parameters, &Faulty::sound(), NOT_LATE);
        let told = all[0].records.iter().filter_map(|record| match record {
            Record::Notice(notice) if notice.id == "rate-not-reached" => Some(notice.text.clone()),
            _ => None,
        });
        told.collect::<Vec<String>>()
    };
    for rate in [RateLimit::Bytes(1e15), RateLimit::Transfers(1e12)] {
        let told = of(&IorParameters { rate: Some(rate), mix: Some(25), ..parameters() });
        assert_eq!(told.len(), 2, "a mixed phase is told once: {told:?}");
        let asked = if matches!(rate, RateLimit::Bytes(_)) { "1.00 PB/s" } else { "1.00 T/s" };
        let begin = format!("write: --rate asked for {asked} and ");
        assert!(told[0].starts_with(&begin) && told[1].starts_with("mixed: --rate"), "{told:?}");
        let end = " were reached; latencies count from when each transfer was due";
        assert!(told[0].ends_with(end), "{told:?}");
    }
    let reached =
        IorParameters { segments: 1, rate: Some(RateLimit::Transfers(20.0)), mix: Some(25), ..parameters() };
    assert_eq!(of(&reached), [""; 0]);
}

#[test]
fn what_a_mixed_phase_moved_in_parts_is_told_once() {
    let parameters = IorParameters { mix: Some(0), ..parameters() };
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
        let parameters = IorParameters { ramp, deadline, ..parameters() };
        let all = play(1, &parameters, &Faulty::sound(), NOT_LATE);
        assert!(all[0].told("Begins")[0].contains(told), "{:?}", all[0].told("Begins"));
    }
}

#[test]
fn times_without_measure_are_no_overflow() {
    for (ramp, deadline, minutes_max, rate) in
        [(u32::MAX, u32::MAX, 0, None), (0, 0, u32::MAX, None), (0, 1, 0, Some(RateLimit::Transfers(1e-300)))]
    {
        let parameters = IorParameters { ramp, deadline, minutes_max, rate, ..parameters() };
        let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
        let (done, phases) = (format!("{:?}", all[0].done), all[0].phases());
        let within = ramp > 0 && done.contains("all ranks ended within the ramp of 4294967295 s");
        assert!(within || (all[0].done.is_ok() && phases == ["write 0"]), "{done}, {phases:?}");
    }
}

#[test]
fn the_columns_of_ranks_add_up_to_the_phase_and_its_moments_to_its_spans() {
    let parameters = IorParameters { read: true, deadline: 600, wear_out: true, ..parameters() };
    let all = play(3, &parameters, &Faulty::sound(), NOT_LATE);
    for name in ["write", "read"] {
        let phase = phase(&all[0], name);
        let each = phase.each_rank.as_ref().expect("rank 0 has it");
        assert_eq!((each.ranks, (0..3).filter_map(|rank| each.moved.of(rank)).sum()), (3, phase.bytes));
        let longest = (0..3).filter_map(|rank| each.seconds.of(rank)).fold(0.0, f64::max);
        assert!((longest - phase.balance.seconds_max).abs() < 2e-6, "{longest} {:?}", phase.balance);
        let ends = |rank| each.ended_s.of(rank).unwrap();
        assert!((0..3).all(|rank| ends(rank) > phase.began_s - 2e-6), "{each:?}");
        assert_eq!((each.moved_at_deadline.of(0), each.node_of(2)), (Some(phase.bytes / 3), Some("here")));
        assert!(each.layout.is_empty(), "nothing is mounted here");
        let moments = phase.moments.expect("rank 0 has them");
        let span = (moments.last_end_unix_ns - moments.first_start_unix_ns) as f64 * 1e-9;
        assert!((span - phase.spans.transfer_s).abs() < 1e-8, "{span} {:?}", phase.spans);
        assert!(moments.timeline_unix_ns <= moments.first_start_unix_ns, "{moments:?}");
    }
}
