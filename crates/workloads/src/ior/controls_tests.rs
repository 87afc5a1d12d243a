//! Limits, delays and progress reports of a test, on several local ranks.

use results::reason::Code;
use std::path::Path;

use command::ior::{Hog, Offsets, Reorder, Request};
use results::Record;
use testkit::{Fault, Faulty};

use super::scene::{IorRankResult, Late, play};

const NOT_LATE: Late = Late { rank: 0, from: 0, seconds: 0 };

fn parameters() -> Request {
    Request {
        test_file: "f".into(),
        block: 4096,
        transfer: 512,
        write: true,
        read_check: true,
        signature: Some(7),
        offset_seed: Some(3),
        ..Request::default()
    }
}

fn notices(left: &IorRankResult, code: Code) -> Vec<String> {
    let text = |record: &Record| match record {
        Record::Notice(notice) if notice.reason.code == code => Some(notice.reason.to_string()),
        _ => None,
    };
    left.records.iter().filter_map(text).collect()
}

/// Rank 0's clock is compared once in each phase. From comparison `from` on it is more than a minute later.
#[test]
fn phases_that_would_begin_too_late_are_skipped_on_all_ranks_together() {
    let parameters = Request { minutes_max: 1, repetitions: 4, write_check: true, ..parameters() };
    for (from, done, left_out) in [
        (0, vec!["write 0"], "phases write check read check, repetition 0, repetitions 3)"),
        (2, vec!["write 0", "write_check 0", "read_check 0"], "phases write write check read check"),
        (8, vec!["write 2", "write_check 2", "read_check 2"], "repetition 3"),
        (11, vec!["write 3", "write_check 3", "read_check 3"], ""),
    ] {
        let storage = Faulty::sound();
        let all = play(3, &parameters, &storage, Late { rank: 0, from, seconds: 61 });
        for left in &all {
            assert!(left.done.is_ok(), "{:?}", left.done);
        }
        let phases = all[0].phases();
        assert!(
            phases.ends_with(&done.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()),
            "{phases:?}"
        );
        let texts = notices(&all[0], Code::OutOfTime).join("\n");
        assert!(texts.contains(left_out) && texts.is_empty() == left_out.is_empty(), "{texts}");
        assert_eq!(storage.bytes(Path::new("f")), None, "the written file is removed nevertheless");
    }
}

#[test]
fn a_late_rank_other_than_0_does_not_end_the_test() {
    let parameters = Request { minutes_max: 1, ..parameters() };
    let all = play(3, &parameters, &Faulty::sound(), Late { rank: 2, from: 0, seconds: 600 });
    assert_eq!(all[0].phases(), ["write 0", "read_check 0"]);
}

#[test]
fn a_file_that_was_not_read_because_time_ran_out_is_not_removed() {
    let storage = Faulty::sound();
    let write = Request { keep: true, read_check: false, ..parameters() };
    play(2, &write, &storage, NOT_LATE);
    let read = Request { write: false, minutes_max: 1, repetitions: 2, multi_file: false, ..parameters() };
    // The first repetition is read and its file is removed. The second repetition is skipped.
    let all = play(2, &read, &storage, Late { rank: 0, from: 0, seconds: 61 });
    assert_eq!((all[0].phases(), storage.bytes(Path::new("f"))), (vec!["read_check 0".to_owned()], None));
    assert_eq!(all[0].events("Removed").len(), 1, "{:?}", all[0].events);
}

/// A shuffled write of a part of the file. The rest still holds the prefill.
#[test]
fn a_partial_shuffled_write_keeps_the_rest_of_the_prefill() {
    for (file_per_rank, files) in [(false, vec!["f"]), (true, vec!["f.00000000", "f.00000001"])] {
        let parameters = Request {
            offsets: Offsets::Shuffled,
            prefill: 2048,
            segments: 2,
            wear_out_transfers: 3,
            read_check: false,
            keep: true,
            file_per_rank,
            ..parameters()
        };
        let storage = Faulty::sound();
        let all = play(2, &parameters, &storage, NOT_LATE);
        assert!(all[0].done.is_ok(), "{:?}", all[0].done);
        let bytes: Vec<u8> = files.iter().flat_map(|file| storage.bytes(Path::new(file)).unwrap()).collect();
        assert_eq!(bytes.len(), 16384);
        let filled = bytes.chunks(512).filter(|transfer| transfer.iter().all(|byte| *byte == 0xff)).count();
        assert_eq!(filled, 32 - 2 * 3, "two ranks wrote three transfers each");
        let texts = notices(&all[0], Code::Prefill);
        assert!(texts[0].contains("(amount 16384, piece 2048, "), "{texts:?}");
        assert_eq!(all[0].events("Prefilled").len(), 1);
    }
}

#[test]
fn a_prefill_comes_before_the_clocks_and_only_before_writes() {
    let parameters = Request { offsets: Offsets::Shuffled, prefill: 1024, write_check: true, ..parameters() };
    let all = play(2, &parameters, &Faulty::sound(), NOT_LATE);
    let order: Vec<&str> = all[0]
        .events
        .iter()
        .filter_map(|event| ["Prefilled", "Begins"].into_iter().find(|word| event.starts_with(word)))
        .collect();
    assert_eq!(order, ["Prefilled", "Begins", "Begins", "Begins"]);
    assert_eq!(all[0].phases(), ["write 0", "write_check 0", "read_check 0"]);
}

#[test]
fn a_prefill_that_fails_on_one_rank_halts_all_and_leaves_nothing() {
    for (fault, why) in [
        (Fault::NoSpace(5000), "f at 5120: no storage space"),
        (Fault::Sync, "f: lost the disk"),
        (Fault::Close, "f: lost a write"),
    ] {
        let parameters = Request { offsets: Offsets::Shuffled, prefill: 1024, ..parameters() };
        let storage = Faulty::on_rank(1, fault);
        for left in play(3, &parameters, &storage, NOT_LATE) {
            let halt = left.done.expect_err("all halt");
            assert_eq!((halt.step.as_str(), halt.rank, halt.why.as_str()), ("prefill", 1, why));
            assert!(left.records.iter().all(|record| !matches!(record, Record::Phase(_))));
        }
        assert_eq!(storage.bytes(Path::new("f")), None);
    }
}

#[test]
fn a_prefill_continues_after_a_write_that_moved_only_a_part() {
    let parameters = Request { offsets: Offsets::Shuffled, prefill: 1024, ..parameters() };
    let all = play(2, &parameters, &Faulty::on_rank(0, Fault::ShortWrite(1024)), NOT_LATE);
    assert!(all[0].done.is_ok(), "{:?}", all[0].done);
}

#[test]
fn more_memory_than_the_node_has_is_rejected_before_anything_runs() {
    let parameters = Request { hog: Hog::PerNode(1 << 60), ..parameters() };
    let storage = Faulty::sound();
    for left in play(3, &parameters, &storage, NOT_LATE) {
        let halt = left.done.expect_err("all halt");
        let begin = "the test must take 1152921504606846976 bytes of memory on this node";
        assert!(halt.why.starts_with(begin), "{halt}");
        assert!(left.records.is_empty() && left.events.is_empty(), "{:?}", left.events);
    }
    assert_eq!(storage.bytes(Path::new("f")), None);
}

#[test]
fn the_ranks_of_a_node_share_its_memory() {
    for (hog, event) in [
        (Hog::PerNode(3 << 20), "Hog { node_bytes: 3145728, rank_bytes: 1048576 }"),
        (Hog::PerRank(8 << 10), "Hog { node_bytes: 0, rank_bytes: 8192 }"),
    ] {
        let all = play(3, &Request { hog, ..parameters() }, &Faulty::sound(), NOT_LATE);
        assert!(all[0].done.is_ok(), "{:?}", all[0].done);
        assert_eq!(all[0].events[0], event, "before the test begins");
    }
}

#[test]
fn a_rank_that_starts_and_ends_late_is_an_outlier() {
    let parameters = Request { outlier_seconds: 3, read_check: false, ..parameters() };
    let all = play(4, &parameters, &Faulty::sound(), Late { rank: 2, from: 0, seconds: 8 });
    let warnings = all[0].events("Warning");
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    for (line, name) in warnings.iter().zip(["start time", "end time"]) {
        // One of four ranks is 8 s later: the mean is 2 s later, the deviation 3.464 s. The ranks' own times
        // are added to that.
        assert!(line.starts_with(&format!("Warning(\"for here, task 2, write {name} is 8.")), "{line}");
        let (_, deviation) = line.split_once(", stddev=").expect("the line has a deviation");
        let deviation: f64 = deviation[..5].parse().unwrap();
        assert!(line.contains("(mean=2.") && (3.4..3.9).contains(&deviation), "{line}");
    }
    let patient = Request { outlier_seconds: 7, ..parameters };
    let all = play(4, &patient, &Faulty::sound(), Late { rank: 2, from: 0, seconds: 8 });
    assert!(all[0].events("Warning").is_empty());
}

#[test]
fn times_and_stamps_of_every_rank_are_reported_only_on_request() {
    let quiet = play(3, &Request { verbose: 2, ..parameters() }, &Faulty::sound(), NOT_LATE);
    assert!(quiet[0].events("RankTimes").is_empty() && quiet[0].events("Stamps").is_empty());
    assert!(quiet[0].events("Files").is_empty());
    let on_request = Request { rank_times: true, verbose: 3, file_per_rank: true, ..parameters() };
    let all = play(3, &on_request, &Faulty::sound(), NOT_LATE);
    for kind in ["RankTimes { phase: \"write\"", "Stamps { phase: \"write\", repetition: 0"] {
        let events = all[0].events(kind);
        assert_eq!(events.len(), 1, "{kind}");
        assert_eq!(events[0].matches("transfer").count(), 3, "a row for each rank: {}", events[0]);
    }
    assert_eq!(all[0].events("RankTimes { phase: \"read_check\"").len(), 1);
    assert!(all[0].events("RankTimes")[0].contains("bytes: 4096"), "{:?}", all[0].events("RankTimes"));
    let rows = "rows: [(0, \"f.00000000\"), (1, \"f.00000001\"), (2, \"f.00000002\")] }";
    for action in ["writing", "reading", "removing"] {
        assert_eq!(
            all[0].events(&format!("Files {{ action: \"{action}\"")),
            [format!("Files {{ action: \"{action}\", {rows}")],
            "no file was removed before the write"
        );
    }
}

#[test]
fn readers_at_random_are_counted_by_file() {
    let spread = Request {
        reorder: Reorder::Random,
        reorder_seed: 5,
        nodes: Some(4),
        ranks_on_node0: Some(1),
        file_per_rank: true,
        ..parameters()
    };
    let all = play(4, &Request { verbose: 2, ..spread.clone() }, &Faulty::sound(), NOT_LATE);
    // They read the files of ranks 3, 2, 3 and 1.
    assert_eq!(all[0].events("FileHits"), ["FileHits([1, 2, 1])"]);
    let all = play(4, &Request { verbose: 1, ..spread }, &Faulty::sound(), NOT_LATE);
    assert!(all[0].events("FileHits").is_empty());
}

#[test]
fn existing_files_of_all_ranks_are_reported_and_of_very_many_the_first() {
    let storage = Faulty::sound();
    let parameters = Request { file_per_rank: true, keep: true, read_check: false, ..parameters() };
    play(100, &parameters, &storage, NOT_LATE);
    let all = play(5, &parameters, &storage, NOT_LATE);
    let exists = |rank| format!("Exists {{ path: \"f.{rank:08}\", kept: false }}");
    assert_eq!(all[0].events("Exists"), (0..5).map(exists).collect::<Vec<_>>());
    let all = play(100, &parameters, &storage, NOT_LATE);
    assert_eq!(all[0].events("Exists"), (0..61).map(exists).collect::<Vec<_>>());
    let texts = notices(&all[0], Code::FilesExist);
    assert_eq!(texts, ["files-exist (kept false, ranks 100)"]);
}
