//! Own ways to run a test: mixed phases, a rate limit, a ramp, least time, pauses, logs and live lines.

use std::path::Path;
use std::time::Instant;

use crate::common::{ALL_MPI, ior};
use serde_json::Value;

/// The records of a run of `ior WORDS`, which has to succeed; files are kept in `dir`.
fn records(dir: &Path, ranks: u32, words: &str) -> Vec<Value> {
    let record = dir.join("r.jsonl");
    let _ = std::fs::remove_file(&record);
    ior(dir, ranks, &format!("{words} --record r.jsonl")).ok();
    lines(&record)
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn phase<'a>(records: &'a [Value], name: &str) -> &'a Value {
    let found = records.iter().find(|record| record["phase"] == name && record["record"] == "phase");
    found.unwrap_or_else(|| panic!("no phase {name} in {records:#?}"))
}

#[test]
fn a_mixed_phase_has_its_share_of_reads_and_the_file_still_verifies() {
    for backend in ["POSIX", "MMAP", "AIO", "URING"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("-a {backend} -w -R -G 5 -l o -b 400k -t 4k --rwmix 70 -z -k -o f");
        let records = records(dir.path(), 2, &words);
        let (reads, writes) = (phase(&records, "mixed_read"), phase(&records, "mixed_write"));
        assert_eq!((reads["ops"].as_u64(), writes["ops"].as_u64()), (Some(140), Some(60)), "{backend}");
        assert_eq!(reads["latency"]["count"], 140);
        assert_eq!(phase(&records, "read_check")["check"]["bad_transfers"], 0, "{backend}");
    }
}

#[test]
fn ranks_that_make_every_transfer_together_mix_alike() {
    for mpi in ALL_MPI {
        for how in ["-c", "-Y"] {
            let dir = tempfile::tempdir().unwrap();
            let words = format!("-a MPIIO {how} -w -k --rwmix 37 -b 600k -t 4k -o f --record r.jsonl");
            let Some(ran) = mpi.ior(dir.path(), 3, &words) else { continue };
            ran.ok();
            let records = lines(&dir.path().join("r.jsonl"));
            let reads = phase(&records, "mixed_read")["ops"].as_u64().unwrap();
            let writes = phase(&records, "mixed_write")["ops"].as_u64().unwrap();
            assert_eq!((reads + writes, reads % 3), (450, 0), "{mpi:?} {how}");
        }
    }
}

#[test]
fn a_mixed_phase_needs_its_files_in_full_and_leaves_found_ones_alone() {
    let dir = tempfile::tempdir().unwrap();
    let rejected = ior(dir.path(), 1, "--rwmix 50 -G 5 -b 64k -t 4k -o f");
    assert_eq!(rejected.status, Some(4), "{rejected:#?}");
    assert!(rejected.err.contains("0 bytes are there and --rwmix needs 65536; add -w"), "{rejected:#?}");
    assert!(!dir.path().join("f").exists(), "it made no file");
    let sparse = std::fs::File::create(dir.path().join("f")).unwrap();
    sparse.set_len(65536).unwrap();
    let rejected = ior(dir.path(), 1, "--rwmix 50 -G 5 -b 64k -t 4k -o f");
    assert_eq!(rejected.status, Some(4), "{rejected:#?}");
    assert!(rejected.err.contains("f: at 0 nothing is stored (a hole), which --rwmix"), "{rejected:#?}");
    ior(dir.path(), 1, "-w -k -G 5 -b 64k -t 4k -o f").ok();
    ior(dir.path(), 1, "--rwmix 50 -G 5 -b 64k -t 4k -o f").ok();
    assert_eq!(std::fs::metadata(dir.path().join("f")).unwrap().len(), 65536);
}

#[test]
fn a_rate_limit_is_kept_by_all_ranks_together_and_by_a_queue() {
    let dir = tempfile::tempdir().unwrap();
    for (backend, rate) in [("POSIX", "2000/s"), ("DUMMY", "8192kB/s"), ("AIO", "2000/s")] {
        let words = format!("-a {backend} -w -b 2m -t 4k --rate {rate} -o f");
        let records = records(dir.path(), 2, &words);
        let write = phase(&records, "write");
        // 1,024 transfers at 2,000 a second: never less than half a second, however slow the machine is.
        let seconds = write["spans"]["transfer_s"].as_f64().unwrap();
        assert!(seconds >= 0.5, "{backend}: {seconds} s");
        assert!((write["rate_limit"].as_f64().unwrap() / 2000.0 - 1.0).abs() < 0.001, "{write}");
    }
}

#[test]
fn what_is_done_within_the_ramp_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let records = records(dir.path(), 1, "-a DUMMY -w -b 4m -t 4k --rate 500/s --ramp 1 -o f");
    let write = phase(&records, "write");
    // 1,024 transfers at 500 a second, of which the first second's do not count: 524 are left, and more where
    // the machine held some of the first ones up until the ramp was over.
    let ops = write["ops"].as_u64().unwrap();
    assert!((500..1024).contains(&ops), "{ops}");
    assert_eq!((write["latency"]["count"].as_u64(), write["ramp_s"].as_f64()), (Some(ops), Some(1.0)));
    let seconds = write["spans"]["total_s"].as_f64().unwrap();
    assert!(seconds > 1023.0 / 500.0 - 1.0 - 0.05, "{seconds} s without the ramp");
    assert!(seconds + 1.0 < begun.elapsed().as_secs_f64(), "{seconds} s hold the ramp, too");
}

#[test]
fn the_pattern_is_repeated_until_the_least_time_has_passed() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        "-w -r -b 64k -t 4k -O minTimeDuration=1 -o f",
        "-a URING -w -r -b 64k -t 4k -O minTimeDuration=1 -o g",
    ] {
        let records = records(dir.path(), 2, words);
        let write = phase(&records, "write");
        assert!(write["spans"]["transfer_s"].as_f64().unwrap() >= 1.0, "{write}");
        let ops = write["ops"].as_u64().unwrap();
        assert!(ops > 32 && ops.is_multiple_of(16), "whole passes: {ops}");
        assert_eq!(write["smallest_file_bytes"], 131072, "the same file again and again");
    }
}

#[test]
fn a_pause_between_transfers_is_in_the_span_and_in_no_latency() {
    for backend in ["DUMMY", "AIO", "URING"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("-a {backend} -w -b 80k -t 4k -O interIODelay=20000 -o f");
        let records = records(dir.path(), 1, &words);
        let write = phase(&records, "write");
        assert!(write["spans"]["transfer_s"].as_f64().unwrap() >= 19.0 * 0.02, "{write}");
        assert!(write["latency"]["p50_ns"].as_u64().unwrap() < 20_000_000, "{write}");
    }
}

#[test]
fn the_log_of_single_transfers_has_a_line_for_each_and_reads_do_not_overwrite_writes() {
    for backend in ["POSIX", "URING"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("-a {backend} -w -r -i 2 -b 64k -t 4k -O savePerOpDataCSV=ops -o f");
        ior(dir.path(), 2, &words).ok();
        for rank in 0..2 {
            for repetition in 0..2 {
                for suffix in ["", ".read"] {
                    let path = dir.path().join(format!("ops-{repetition}-{rank:05}{suffix}.csv"));
                    let text =
                        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
                    let mut lines = text.lines();
                    assert_eq!(lines.next(), Some("time,runtime,tp"));
                    let rows: Vec<f64> =
                        lines.map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
                    assert_eq!(rows.len(), 16, "{path:?}");
                }
            }
        }
        let rejected = ior(dir.path(), 2, "-w -b 64k -t 4k -O savePerOpDataCSV=/nowhere/ops -o f");
        assert_eq!(rejected.status, Some(2), "{rejected:#?}");
        assert!(rejected.err.contains("there is no directory /nowhere; make it first"), "{rejected:#?}");
    }
}

#[test]
fn the_log_of_a_mixed_phase_says_which_transfers_were_reads() {
    for backend in ["POSIX", "URING"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("-a {backend} -w --rwmix 30 -b 400k -t 4k -O savePerOpDataCSV=ops -o f");
        let records = records(dir.path(), 1, &words);
        let text = std::fs::read_to_string(dir.path().join("ops-0-00000.mixed.csv")).unwrap();
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!((rows[0], rows.len()), ("time,runtime,tp,access", 101));
        for access in ["read", "write"] {
            let count = rows.iter().filter(|row| row.ends_with(&format!(",{access}"))).count() as u64;
            let ops = phase(&records, &format!("mixed_{access}"))["ops"].as_u64();
            assert_eq!(Some(count), ops, "{backend} {access}");
        }
        let writes = std::fs::read_to_string(dir.path().join("ops-0-00000.csv")).unwrap();
        assert!(writes.starts_with("time,runtime,tp\n"), "{writes}");
    }
}

#[test]
fn live_lines_tell_how_far_a_phase_is_and_how_it_ended() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -r -b 8m -t 4k --rate 2000/s --live live.jsonl -o f";
    ior(dir.path(), 2, words).ok();
    told(&lines(&dir.path().join("live.jsonl")), "local ranks");
    for mpi in ALL_MPI {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = mpi.ior(dir.path(), 2, words) else { continue };
        ran.ok();
        told(&lines(&dir.path().join("live.jsonl")), &format!("{mpi:?}"));
    }
}

#[test]
fn a_run_that_is_rejected_leaves_no_empty_files_that_would_reject_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let rejected = ior(dir.path(), 1, "-w -o f --live l --record r -O summaryFile=/nowhere/s");
    assert_eq!(rejected.status, Some(2), "{rejected:#?}");
    assert!(rejected.err.contains("cannot write /nowhere/s"), "{rejected:#?}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
    // What was there before stays.
    std::fs::write(dir.path().join("l"), "mine").unwrap();
    assert_eq!(ior(dir.path(), 1, "-w -o f --live l --record r").status, Some(2));
    assert_eq!(std::fs::read(dir.path().join("l")).unwrap(), b"mine");
    assert!(!dir.path().join("r").exists());
}

/// 4,096 transfers at 2,000 a second take two seconds, of which looks are taken twice a second.
fn told(looks: &[Value], whose: &str) {
    for phase in ["write", "read"] {
        let looks: Vec<&Value> = looks.iter().filter(|look| look["phase"] == phase).collect();
        let (last, before) = looks.split_last().expect("at least the end is told");
        assert_eq!(
            (last["ended"].as_bool(), last["transfers"].as_u64()),
            (Some(true), Some(4096)),
            "{whose}"
        );
        assert!(!before.is_empty(), "{whose}: {looks:#?}");
        let done: Vec<f64> = before.iter().map(|look| look["done"].as_f64().unwrap()).collect();
        assert!(done.is_sorted() && done[0] > 0.0 && done[0] < 1.0, "{whose}: {done:?}");
        assert_eq!(before[0]["ranks_seen"], 2, "{whose}");
        assert!(before[0]["bytes_per_second"].as_f64().unwrap() > 0.0, "{whose}: {looks:#?}");
    }
}

/// The looks of `phase` while it ran, and the one at its end.
fn looks_of(all: &[Value], phase: &str) -> (Vec<Value>, Value) {
    let mut looks: Vec<Value> = all.iter().filter(|look| look["phase"] == phase).cloned().collect();
    let last = looks.pop().expect("at least the end is told");
    assert_eq!(last["ended"], true);
    assert!(!looks.is_empty() && looks.iter().all(|look| look["ended"] == false), "{looks:#?}");
    (looks, last)
}

fn number(look: &Value, key: &str) -> f64 {
    look[key].as_f64().unwrap_or_else(|| panic!("{key}: {look:#?}"))
}

#[test]
fn live_lines_tell_the_speed_within_the_ramp_and_count_what_the_end_counts() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -b 64m -t 64k -F -D 2 -s 1000 --ramp 2 --rate 1000/s -o x --live L";
    ior(dir.path(), 2, words).ok();
    let (looks, last) = looks_of(&lines(&dir.path().join("L")), "write");
    let ramp: Vec<&Value> = looks.iter().filter(|look| number(look, "seconds") < 1.9).collect();
    assert!(!ramp.is_empty() && ramp.iter().all(|look| look["transfers"] == 0), "{looks:#?}");
    assert!(ramp.iter().any(|look| number(look, "bytes_per_second") > 0.0), "{looks:#?}");
    let counts: Vec<f64> = looks.iter().chain([&last]).map(|look| number(look, "transfers")).collect();
    assert!(counts.is_sorted(), "{counts:?}");
    for look in &looks {
        let share = number(look, "seconds") / 4.0;
        assert!((number(look, "done") - share.min(1.0)).abs() < 0.01, "{look:#?}");
    }
}

#[test]
fn live_lines_of_a_mixed_phase_end_with_its_halves() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w --rwmix 50 -b 4m -t 4k --rate 1000/s -d 2 -i 2 -o x --live L";
    ior(dir.path(), 2, words).ok();
    let all = lines(&dir.path().join("L"));
    let of =
        |look: &Value| (look["repetition"].as_u64().unwrap(), look["phase"].as_str().unwrap().to_owned());
    let told: Vec<(u64, String)> = all.iter().map(of).collect();
    let mut runs = told.clone();
    runs.dedup();
    let phases = ["write", "mixed", "mixed_write", "mixed_read"];
    let wanted: Vec<(u64, String)> =
        (0..2).flat_map(|repetition| phases.map(|phase| (repetition, phase.to_owned()))).collect();
    assert_eq!(runs, wanted, "{told:?}");
    for half in ["mixed_write", "mixed_read"] {
        assert!(
            all.iter().filter(|look| look["phase"] == half).all(|look| look["ended"] == true),
            "{told:?}"
        );
    }
}

#[test]
fn live_lines_of_a_phase_with_a_least_time_are_not_done_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -b 64k -t 4k --rate 200/s -O minTimeDuration=2 -o x --live L";
    ior(dir.path(), 2, words).ok();
    let (looks, _) = looks_of(&lines(&dir.path().join("L")), "write");
    for look in &looks {
        let (seconds, done) = (number(look, "seconds"), number(look, "done"));
        assert!(seconds > 1.9 || done < 1.0, "{look:#?}");
        assert!(seconds > 1.5 || done == 0.0 || number(look, "seconds_left") > 0.2, "{look:#?}");
    }
}
