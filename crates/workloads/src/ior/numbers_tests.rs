//! The numbers of a phase are consistent, even if it was stopped or cut short.

use results::reason::Code;
use std::path::Path;

use command::ior::{Offsets, RateLimit, Request};
use results::Record;
use results::record::Phase;
use storage::{Mode, Storage};
use testkit::{Fault, Faulty};

use super::scene::{IorRankResult, Late, play};
use crate::kit::beneath;

const NOT_LATE: Late = Late { rank: 0, from: 0, seconds: 0 };

fn parameters() -> Request {
    Request {
        test_file: "f".into(),
        block: 4096,
        transfer: 512,
        segments: 25,
        write: true,
        signature: Some(7),
        keep: true,
        ..Request::default()
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
    let parameters = Request { mix: Some(25), deadline: 600, wear_out: true, ..parameters() };
    let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
    // Both ranks finish their 200 transfers long before the deadline.
    for (name, transfers) in [("mixed_write", 150), ("mixed_read", 50)] {
        let half = phase(&all[0], name);
        let wall = half.stonewall.as_ref().unwrap();
        assert_eq!((half.ops, half.bytes, wall.bytes), (2 * transfers, 1024 * transfers, 1024 * transfers));
        assert_eq!((wall.transfers_min, wall.transfers_max), (transfers, transfers), "{name}");
    }
}

#[test]
fn the_writes_of_a_mixed_phase_are_flushed_as_requested_and_compared_afterwards() {
    for (sync, sync_each) in [(true, false), (false, true), (false, false)] {
        let storage = Faulty::sound();
        let shuffled = Request { offsets: Offsets::Shuffled, offset_seed: Some(3), ..parameters() };
        play(2, &shuffled, &storage, NOT_LATE);
        let mixed = Request { write: false, mix: Some(25), read_check: true, sync, sync_each, ..shuffled };
        let all = play(2, &mixed, &storage, NOT_LATE);
        let flushed = |name: &str| {
            let phase = phase(&all[0], name);
            (phase.persisted, phase.persisted_each)
        };
        assert_eq!(flushed("mixed_write"), (sync || sync_each, sync_each));
        assert_eq!((flushed("mixed_read"), flushed("read_check")), ((false, false), (false, false)));
        let check = phase(&all[0], "read_check").check.clone().unwrap();
        assert_eq!((check.bytes, check.bad_transfers), (2 * 25 * 4096, 0));
    }
}

#[test]
fn missing_data_of_a_file_that_ends_early_is_in_none_of_the_numbers() {
    let storage = Faulty::sound();
    let how = beneath::alone(Mode::Write, 0);
    let mut file = storage.open(&ranks::local::alone(), Path::new("f"), how).unwrap();
    // Of the 16 transfers of two ranks the file holds ten, and a quarter of an eleventh.
    file.write_at(&[0; 10 * 512 + 128], 0).unwrap();
    let read = Request { write: false, read_check: true, segments: 1, deadline: 600, ..parameters() };
    let all = play(2, &read, &storage, NOT_LATE);
    let read = phase(&all[0], "read_check");
    assert_eq!((read.bytes, read.ops), (10 * 512 + 128, 10));
    assert_eq!(read.latency.as_ref().unwrap().count, 10, "missing transfers have no latency");
    assert_eq!(read.timeline.as_ref().unwrap().bytes.iter().sum::<u64>(), read.bytes);
    assert_eq!((read.balance.bytes_min, read.balance.bytes_max), (2 * 512 + 128, 8 * 512));
    assert_eq!(read.stonewall.as_ref().unwrap().bytes, read.bytes);
}

#[test]
fn the_total_time_of_a_rank_begins_after_the_ramp_as_its_bytes_do() {
    let parameters = Request { ramp: 1, seconds_min: 1, rank_times: true, ..parameters() };
    let all = play(1, &parameters, &Faulty::sound(), NOT_LATE);
    let total = phase(&all[0], "write").spans.total_s;
    let events = all[0].events("RankTimes { phase: \"write\"")[0];
    let own = events.split_once("total_s: ").and_then(|(_, rest)| rest.split_once(',')).unwrap().0;
    let own: f64 = own.parse().unwrap();
    assert!((own - total).abs() < 1e-6, "with one rank they are the same: {own} and {total}");
}

#[test]
fn a_mixed_phase_of_only_reads_or_only_writes_has_one_half() {
    for (percent, names) in [(0, "mixed_write 0"), (100, "mixed_read 0")] {
        let parameters = Request { mix: Some(percent), verbose: 3, ..parameters() };
        let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
        assert_eq!(all[0].phases(), ["write 0", names]);
        assert_eq!(all[0].events("Stamps").len(), 2, "each phase has its ranks' stamps");
    }
}

#[test]
fn a_phase_that_ended_within_its_ramp_has_no_numbers_and_fails_on_all_ranks() {
    let parameters = Request { ramp: 3600, ..parameters() };
    for left in play(3, &parameters, &Faulty::sound(), NOT_LATE) {
        let halt = left.done.as_ref().expect_err("nothing counted");
        let why = "all ranks ended within the ramp of 3600 s, so nothing was measured. \
                   Use a shorter --ramp, more data, or -D";
        assert_eq!((halt.step.as_str(), halt.why.as_str()), ("write", why));
        assert!(left.phases().is_empty());
    }
}

#[test]
fn wrong_data_is_reported_even_if_it_was_read_within_the_ramp() {
    let (write, storage) = (parameters(), Faulty::on_rank(1, Fault::FlippedBit(4096 + 512)));
    play(2, &write, &storage, NOT_LATE);
    let read = Request { write: false, read_check: true, ramp: 3600, ..parameters() };
    let all = play(2, &read, &storage, NOT_LATE);
    assert!(all[0].done.is_err());
    let bad = all[0].events("BadData")[0];
    assert!(bad.contains("transfers: 1,") && bad.contains("offset: 4864"), "{bad}");
}

#[test]
fn a_missed_rate_limit_is_reported_with_the_reached_rate() {
    let on = |storage: &Faulty, parameters: &Request| {
        let all = play(2, parameters, storage, NOT_LATE);
        let texts = all[0].records.iter().filter_map(|record| match record {
            Record::Notice(notice) if notice.reason.code == Code::RateNotReached => {
                Some(notice.reason.to_string())
            }
            _ => None,
        });
        texts.collect::<Vec<String>>()
    };
    let of = |parameters: &Request| on(&Faulty::sound(), parameters);
    for rate in [RateLimit::Bytes(1e15), RateLimit::Transfers(1e12)] {
        let texts = of(&Request { rate: Some(rate), mix: Some(25), ..parameters() });
        assert_eq!(texts.len(), 2, "a mixed phase is reported once: {texts:?}");
        let asked =
            if matches!(rate, RateLimit::Bytes(_)) { "1000000000000000 B/s" } else { "1000000000000 /s" };
        let begin = "rate-not-reached (label ";
        assert!(texts[0].starts_with(&format!("{begin}write, limit {asked}, ")), "{texts:?}");
        assert!(texts[1].starts_with(&format!("{begin}mixed, limit {asked}, ")), "{texts:?}");
    }
    let reached =
        Request { segments: 1, rate: Some(RateLimit::Transfers(20.0)), mix: Some(25), ..parameters() };
    assert_eq!(of(&reached), [""; 0]);
    let slow_sync = Faulty::on_rank(1, Fault::SlowSync(500));
    let writes = Request { mix: None, sync: true, ..reached };
    assert_eq!(on(&slow_sync, &writes), [""; 0], "the fsync is not a transfer");
}

#[test]
fn transfers_that_a_mixed_phase_moved_in_parts_are_reported_once() {
    let parameters = Request { mix: Some(0), ..parameters() };
    let all = play(1, &parameters, &Faulty::on_rank(0, Fault::ShortWrite(1024)), NOT_LATE);
    let texts = all[0].records.iter().filter_map(|record| match record {
        Record::Notice(notice) if notice.reason.code == Code::ShortTransfer => {
            Some(notice.reason.to_string())
        }
        _ => None,
    });
    let texts: Vec<String> = texts.collect();
    assert_eq!(
        texts,
        ["short-transfer (label write, of 200, short 1)", "short-transfer (label mixed, short 1)"]
    );
}

#[test]
fn the_deadline_of_a_phase_counts_from_the_end_of_the_ramp() {
    for (ramp, deadline, deadline_text) in
        [(0, 600, "deadline: 600, "), (1, 600, "deadline: 601, "), (1, 0, "deadline: 0, ")]
    {
        let parameters = Request { ramp, deadline, ..parameters() };
        let all = play(1, &parameters, &Faulty::sound(), NOT_LATE);
        assert!(all[0].events("Begins")[0].contains(deadline_text), "{:?}", all[0].events("Begins"));
    }
}

#[test]
fn very_long_times_do_not_overflow() {
    for (ramp, deadline, minutes_max, rate) in
        [(u32::MAX, u32::MAX, 0, None), (0, 0, u32::MAX, None), (0, 1, 0, Some(RateLimit::Transfers(1e-300)))]
    {
        let parameters = Request { ramp, deadline, minutes_max, rate, ..parameters() };
        let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
        let (done, phases) = (format!("{:?}", all[0].done), all[0].phases());
        let within = ramp > 0 && done.contains("all ranks ended within the ramp of 4294967295 s");
        assert!(within || (all[0].done.is_ok() && phases == ["write 0"]), "{done}, {phases:?}");
    }
}

#[test]
fn the_columns_of_ranks_add_up_to_the_phase_and_its_moments_to_its_spans() {
    let parameters = Request { read: true, deadline: 600, wear_out: true, ..parameters() };
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
        assert!(each.layout.is_empty(), "no file system is mounted here");
        let moments = phase.moments.expect("rank 0 has them");
        let span = (moments.last_end_unix_ns - moments.first_start_unix_ns) as f64 * 1e-9;
        assert!((span - phase.spans.transfer_s).abs() < 1e-8, "{span} {:?}", phase.spans);
        assert!(moments.timeline_unix_ns <= moments.first_start_unix_ns, "{moments:?}");
    }
}
