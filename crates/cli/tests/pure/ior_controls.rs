//! Options that limit, prepare or watch a test: time, memory, prefill, outliers. Also very many ranks, and
//! Ctrl-C.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::campaign::names;
use crate::common::memory::{assert_growth, resident};
use crate::common::{ior, only_in_all, program, stopped};

/// Lines of `text` that begin with `begin`.
fn lines<'a>(text: &'a str, begin: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(begin)).collect()
}

#[test]
fn a_thousand_local_ranks_move_all_their_bytes() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1000, "-a DUMMY -t 4k -b 1m -w -r --record r").ok();
    let records = fs::read_to_string(dir.path().join("r")).unwrap();
    let phases: Vec<serde_json::Value> =
        records.lines().map(|line| serde_json::from_str(line).unwrap()).filter(is_phase).collect();
    assert_eq!(phases.len(), 2);
    for phase in phases {
        assert_eq!((phase["ranks"].as_u64(), phase["bytes"].as_u64()), (Some(1000), Some(1000 << 20)));
        assert_eq!(phase["latency"]["count"], 256_000);
    }
}

fn is_phase(record: &serde_json::Value) -> bool {
    record["record"] == "phase"
}

/// Three of the 64 transfers of a rank are written. The others keep the earlier content.
#[test]
fn a_shuffled_write_goes_into_a_prefilled_file() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-w -k -z --randomPrefill=16k -b 64k -t 1k -o f -O stoneWallingWearOutIterations=3 -vv";
    let text = ior(dir.path(), 2, words).ok();
    let bytes = fs::read(dir.path().join("f")).unwrap();
    let filled = bytes.chunks(1024).filter(|transfer| transfer.iter().all(|byte| *byte == 0xff)).count();
    assert_eq!((bytes.len(), filled), (128 << 10, 128 - 6));
    assert_eq!(lines(&text, "Random prefill took: ").len(), 1, "{text}");
    assert!(text.contains("131072 bytes were written sequentially, in pieces of 16384"), "{text}");
    // The transfers that are read back were written completely, over the prefill.
    ior(dir.path(), 2, "-w -W -R -G 3 -z --randomPrefill=16k -b 64k -t 1k -o f").ok();
}

#[test]
fn a_rank_far_from_the_others_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY --dummy.delay-close=3000000 --dummy.delay-only-rank0 -w -b 4k -t 4k -j 1";
    let text = ior(dir.path(), 2, words).ok();
    let far = lines(&text, "WARNING: for ");
    let names: Vec<&str> = far.iter().map(|line| line.split(", ").nth(2).unwrap()).collect();
    // The kernel slept 3 s by another clock, so the value may be slightly different.
    let slept = names[0].strip_prefix("write elapsed close time is ").expect("the first is the close's");
    let slept: f64 = slept.split(' ').next().unwrap().parse().unwrap();
    assert!((2.99..4.0).contains(&slept), "{far:?}");
    assert!(names[1].starts_with("write elapsed close time is 0."), "{far:?}");
    assert!(far[0].contains(", task 0, ") && far[1].contains(", task 1, ") && far.len() == 4, "{far:?}");
    assert!(far[0].contains(" (mean=1.") && far[0].contains(", stddev=1."), "{far:?}");
    let text = ior(dir.path(), 2, &words.replace("-j 1", "-j 2")).ok();
    assert_eq!(lines(&text, "WARNING: for "), [""; 0]);
}

#[test]
fn memory_that_a_node_does_not_have_is_rejected_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 3, "-w -k -b 4k -t 4k -o f -O memoryPerTask=1p");
    assert_eq!((ran.status, ran.complaints().len()), (Some(4), 1), "{ran:#?}");
    assert!(
        ran.err.contains("the test must take 3377699720527872 bytes of memory on this node"),
        "{}",
        ran.err
    );
    assert!(names(dir.path()).is_empty());
    let text = ior(dir.path(), 2, "-w -b 4k -t 4k -o f -O memoryPerNode=4m -vvv").ok();
    assert!(text.contains("This node hogging 4194304 bytes of memory\n"), "{text}");
    assert!(text.contains("This task hogging 2097152 bytes of memory\n"), "{text}");
}

/// Resident memory, in KiB, of a run that waits before its write.
fn resident_while_waiting(words: &str) -> u64 {
    let line = format!("ior -a DUMMY -w -b 4k -t 4k -d 60 -v {words}");
    let mut child = Command::new(program())
        .args(line.split_whitespace())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let waits = out.lines().any(|line| line.is_ok_and(|line| line.starts_with("delaying 60 seconds")));
    let resident = resident(&child);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(waits, "the run ended before it waited");
    resident
}

#[test]
fn memory_does_not_grow_with_the_repetitions_except_for_the_lines_that_are_printed_at_the_end() {
    if !only_in_all("many repetitions take seconds") {
        return;
    }
    for (words, plain, expected) in
        [("", "1", 0..=100), ("-O summaryFormat=CSV", "0", 0..=100), ("", "0", 200..=1000)]
    {
        let line = format!("ior -a DUMMY -w -r -b 4k -t 4k -i 1000000 {words}");
        assert_growth(Path::new("."), &line, plain, |line| line.starts_with("read"), expected);
    }
}

#[test]
fn memory_is_held_while_the_test_runs() {
    let (without, with) = (resident_while_waiting(""), resident_while_waiting("-O memoryPerTask=64m"));
    assert!(with >= without + 60_000, "KiB: {without} {with}");
}

#[test]
fn each_socket_has_its_own_directory() {
    let dir = tempfile::tempdir().unwrap();
    let sockets: Vec<String> = (0..8).map(|socket| format!("d{socket}")).collect();
    sockets.iter().for_each(|socket| fs::create_dir(dir.path().join(socket)).unwrap());
    let text = ior(dir.path(), 2, "-w -r -R -G 1 -k -F -y -b 4k -t 4k -o d").ok();
    let files: Vec<String> = sockets.iter().flat_map(|socket| names(&dir.path().join(socket))).collect();
    let mut sorted = files.clone();
    sorted.sort();
    assert_eq!(sorted, ["data.00000000", "data.00000001"]);
    assert!(lines(&text, "Path ")[0].ends_with("/data.00000000"), "{text}");
}

#[test]
fn random_readers_are_counted_by_file_at_vv_and_above() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-w -r -F -Z -X 5 -b 4k -t 4k -o f -O numNodes=4,numTasksOnNode0=1";
    let text = ior(dir.path(), 4, &format!("{words} -vv")).ok();
    assert_eq!(lines(&text, "#File Hits Dist:"), ["#File Hits Dist: 1 2 1"]);
    assert!(!ior(dir.path(), 4, words).ok().contains("#File Hits"));
}

#[test]
fn at_vvv_every_rank_prints_six_time_stamps_and_its_files() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 3, "-w -r -F -b 4k -t 4k -o f -vvv").ok();
    assert_eq!(lines(&text, "Test 0: Iter=0, Task=").len(), 2 * 3 * 6, "{text}");
    for action in ["writing", "reading", "removing"] {
        assert!(text.contains(&format!("task 2 {action} f.00000002\n")), "{action}: {text}");
    }
}

#[test]
fn no_phase_is_left_out_within_the_time_limit() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-w -r -i 3 -T 5 -b 4k -t 4k -o f").ok();
    assert_eq!((lines(&text, "write  ").len(), lines(&text, "read  ").len()), (4, 4), "{text}");
    assert!(!text.contains("left out"), "{text}");
}

#[test]
fn ctrl_c_and_sigterm_print_the_files_that_remain() {
    for (words, there, left) in [
        ("-o f", "f", "f"),
        ("-F -o f", "f.00000000 f.00000001", "f.00000000 and 1 more"),
        ("-m -i 2 -o f", "f.0", "f.0"),
    ] {
        for (signal, status, word) in [("INT", 130, "interrupted"), ("TERM", 143, "terminated")] {
            let dir = tempfile::tempdir().unwrap();
            let (ended, message) = stopped(dir.path(), signal, words, there);
            let line = format!("ior: {word}. Left behind: {left}\n");
            assert_eq!((ended, message), (Some(status), line), "{words}");
        }
    }
}
