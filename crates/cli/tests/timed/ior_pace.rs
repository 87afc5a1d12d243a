//! assay's additions to `ior`: mixed phases, rate limit, ramp, minimum time, pauses, logs and live lines.

use std::path::Path;
use std::time::Instant;

use crate::common::{ior, mpis};
use serde_json::Value;

/// The records of a run of `ior WORDS`, which must succeed. Files are kept in `dir`.
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
fn a_mixed_phase_has_its_percentage_of_reads_and_the_file_verifies() {
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
fn ranks_with_collective_transfers_mix_in_the_same_order() {
    for &mpi in mpis() {
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
fn a_mixed_phase_needs_complete_files_and_keeps_existing_ones() {
    let dir = tempfile::tempdir().unwrap();
    let rejected = ior(dir.path(), 1, "--rwmix 50 -G 5 -b 64k -t 4k -o f");
    assert_eq!(rejected.status, Some(4), "{rejected:#?}");
    assert!(rejected.err.contains("the file has 0 bytes and --rwmix needs 65536"), "{rejected:#?}");
    assert!(!dir.path().join("f").exists(), "no file is created");
    let sparse = std::fs::File::create(dir.path().join("f")).unwrap();
    sparse.set_len(65536).unwrap();
    let rejected = ior(dir.path(), 1, "--rwmix 50 -G 5 -b 64k -t 4k -o f");
    assert_eq!(rejected.status, Some(4), "{rejected:#?}");
    assert!(rejected.err.contains("the file has a hole at 0, which --rwmix"), "{rejected:#?}");
    ior(dir.path(), 1, "-w -k -G 5 -b 64k -t 4k -o f").ok();
    ior(dir.path(), 1, "--rwmix 50 -G 5 -b 64k -t 4k -o f").ok();
    assert_eq!(std::fs::metadata(dir.path().join("f")).unwrap().len(), 65536);
}

#[test]
fn a_rate_limit_holds_for_all_ranks_together_and_for_a_queue() {
    let dir = tempfile::tempdir().unwrap();
    for (backend, rate) in [("POSIX", "2000/s"), ("DUMMY", "8192kB/s"), ("AIO", "2000/s")] {
        let words = format!("-a {backend} -w -b 2m -t 4k --rate {rate} -o f");
        let records = records(dir.path(), 2, &words);
        let write = phase(&records, "write");
        // 1,024 transfers at 2,000 per second take at least half a second.
        let seconds = write["spans"]["transfer_s"].as_f64().unwrap();
        assert!(seconds >= 0.5, "{backend}: {seconds} s");
        assert!((write["rate_limit"].as_f64().unwrap() / 2000.0 - 1.0).abs() < 0.001, "{write}");
    }
}

#[test]
fn transfers_within_the_ramp_are_excluded() {
    let dir = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    let records = records(dir.path(), 1, "-a DUMMY -w -b 4m -t 4k --rate 500/s --ramp 1 -o f");
    let write = phase(&records, "write");
    // 1,024 transfers at 500 per second, without those of the first second: 524 remain, or more if the
    // machine delayed some transfers until the end of the ramp.
    let ops = write["ops"].as_u64().unwrap();
    assert!((500..1024).contains(&ops), "{ops}");
    assert_eq!((write["latency"]["count"].as_u64(), write["ramp_s"].as_f64()), (Some(ops), Some(1.0)));
    let seconds = write["spans"]["total_s"].as_f64().unwrap();
    assert!(seconds > 1023.0 / 500.0 - 1.0 - 0.05, "{seconds} s without the ramp");
    assert!(seconds + 1.0 < begun.elapsed().as_secs_f64(), "{seconds} s include the ramp");
}

#[test]
fn the_pattern_is_repeated_until_the_minimum_time_has_passed() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        "-w -r -b 64k -t 4k -O minTimeDuration=1 -o f",
        "-a URING -w -r -b 64k -t 4k -O minTimeDuration=1 -o g",
    ] {
        let records = records(dir.path(), 2, words);
        let write = phase(&records, "write");
        assert!(write["spans"]["transfer_s"].as_f64().unwrap() >= 1.0, "{write}");
        let ops = write["ops"].as_u64().unwrap();
        assert!(ops > 32 && ops.is_multiple_of(16), "complete passes: {ops}");
        assert_eq!(write["smallest_file_bytes"], 131072, "all passes use the same file");
    }
}

#[test]
fn a_pause_between_transfers_is_in_the_phase_time_but_not_in_latencies() {
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
fn the_log_has_a_line_for_each_transfer_and_writes_have_a_separate_log() {
    for backend in ["POSIX", "URING"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("-a {backend} -w -r -i 2 -b 64k -t 4k -O savePerOpDataCSV=ops -o f");
        ior(dir.path(), 2, &words).ok();
        for rank in 0..2 {
            for repetition in 0..2 {
                for phase in ["", ".write"] {
                    let path = dir.path().join(format!("ops{phase}-{repetition}-{rank:05}.csv"));
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
        assert!(
            rejected.err.contains("the directory /nowhere does not exist. Create it first"),
            "{rejected:#?}"
        );
    }
}

#[test]
fn the_log_of_a_mixed_phase_marks_the_reads() {
    for backend in ["POSIX", "URING"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("-a {backend} -w --rwmix 30 -b 400k -t 4k -O savePerOpDataCSV=ops -o f");
        let records = records(dir.path(), 1, &words);
        let text = std::fs::read_to_string(dir.path().join("ops.mixed-0-00000.csv")).unwrap();
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
fn live_lines_report_the_progress_and_the_end_of_a_phase() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -r -b 8m -t 4k --rate 2000/s --live live.jsonl -o f";
    ior(dir.path(), 2, words).ok();
    check_live_lines(&lines(&dir.path().join("live.jsonl")), "local ranks");
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = mpi.ior(dir.path(), 2, words) else { continue };
        ran.ok();
        check_live_lines(&lines(&dir.path().join("live.jsonl")), &format!("{mpi:?}"));
    }
}

#[test]
fn a_rejected_run_leaves_no_empty_files() {
    let dir = tempfile::tempdir().unwrap();
    let rejected = ior(dir.path(), 1, "-w -o f --live l --record r -O summaryFile=/nowhere/s");
    assert_eq!(rejected.status, Some(2), "{rejected:#?}");
    assert!(rejected.err.contains("cannot write /nowhere/s"), "{rejected:#?}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
    // Existing files remain.
    std::fs::write(dir.path().join("l"), "mine").unwrap();
    assert_eq!(ior(dir.path(), 1, "-w -o f --live l --record r").status, Some(2));
    assert_eq!(std::fs::read(dir.path().join("l")).unwrap(), b"mine");
    assert!(!dir.path().join("r").exists());
}

/// Checks the live lines of 4,096 transfers at 2,000 per second, which take two seconds. There are two lines
/// per second.
fn check_live_lines(states: &[Value], context: &str) {
    for phase in ["write", "read"] {
        let states: Vec<&Value> = states.iter().filter(|state| state["phase"] == phase).collect();
        let (last, before) = states.split_last().expect("at least the line of the end");
        assert_eq!(
            (last["ended"].as_bool(), last["transfers"].as_u64()),
            (Some(true), Some(4096)),
            "{context}"
        );
        assert!(!before.is_empty(), "{context}: {states:#?}");
        let done: Vec<f64> = before.iter().map(|state| state["done"].as_f64().unwrap()).collect();
        assert!(done.is_sorted() && done[0] > 0.0 && done[0] < 1.0, "{context}: {done:?}");
        assert_eq!(before[0]["ranks_seen"], 2, "{context}");
        assert!(before[0]["bytes_per_second"].as_f64().unwrap() > 0.0, "{context}: {states:#?}");
    }
}

/// The live lines during `phase`, and the one at its end.
fn states_of(all: &[Value], phase: &str) -> (Vec<Value>, Value) {
    let mut states: Vec<Value> = all.iter().filter(|state| state["phase"] == phase).cloned().collect();
    let last = states.pop().expect("at least the line of the end");
    assert_eq!(last["ended"], true);
    assert!(!states.is_empty() && states.iter().all(|state| state["ended"] == false), "{states:#?}");
    (states, last)
}

fn number(state: &Value, key: &str) -> f64 {
    state[key].as_f64().unwrap_or_else(|| panic!("{key}: {state:#?}"))
}

#[test]
fn live_lines_have_the_rate_within_the_ramp_but_exclude_its_transfers() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -b 64m -t 64k -F -D 2 -s 1000 --ramp 2 --rate 1000/s -o x --live L";
    ior(dir.path(), 2, words).ok();
    let (states, last) = states_of(&lines(&dir.path().join("L")), "write");
    let ramp: Vec<&Value> = states.iter().filter(|state| number(state, "seconds") < 1.9).collect();
    assert!(!ramp.is_empty() && ramp.iter().all(|state| state["transfers"] == 0), "{states:#?}");
    assert!(ramp.iter().any(|state| number(state, "bytes_per_second") > 0.0), "{states:#?}");
    let counts: Vec<f64> = states.iter().chain([&last]).map(|state| number(state, "transfers")).collect();
    assert!(counts.is_sorted(), "{counts:?}");
    for state in &states {
        let share = number(state, "seconds") / 4.0;
        assert!((number(state, "done") - share.min(1.0)).abs() < 0.01, "{state:#?}");
    }
}

#[test]
fn live_lines_of_a_mixed_phase_end_with_its_reads_and_writes() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w --rwmix 50 -b 4m -t 4k --rate 1000/s -d 2 -i 2 -o x --live L";
    ior(dir.path(), 2, words).ok();
    let all = lines(&dir.path().join("L"));
    let of =
        |state: &Value| (state["repetition"].as_u64().unwrap(), state["phase"].as_str().unwrap().to_owned());
    let found: Vec<(u64, String)> = all.iter().map(of).collect();
    let mut runs = found.clone();
    runs.dedup();
    let phases = ["write", "mixed", "mixed_write", "mixed_read"];
    let wanted: Vec<(u64, String)> =
        (0..2).flat_map(|repetition| phases.map(|phase| (repetition, phase.to_owned()))).collect();
    assert_eq!(runs, wanted, "{found:?}");
    for half in ["mixed_write", "mixed_read"] {
        assert!(
            all.iter().filter(|state| state["phase"] == half).all(|state| state["ended"] == true),
            "{found:?}"
        );
    }
}

#[test]
fn live_lines_of_a_phase_with_a_minimum_time_are_not_done_before_it() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY -w -b 64k -t 4k --rate 200/s -O minTimeDuration=2 -o x --live L";
    ior(dir.path(), 2, words).ok();
    let (states, _) = states_of(&lines(&dir.path().join("L")), "write");
    for state in &states {
        let (seconds, done) = (number(state, "seconds"), number(state, "done"));
        assert!(seconds > 1.9 || done < 1.0, "{state:#?}");
        assert!(seconds > 1.5 || done == 0.0 || number(state, "seconds_left") > 0.2, "{state:#?}");
    }
}
