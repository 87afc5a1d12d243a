//! The output formats of `ior`, compared with those of the original.

use std::path::Path;

use crate::common::masked::Golden;
use crate::common::{self, Ran, ior, run};
use serde_json::Value;

/// Repeats the runs of a golden text, with the options `more` added to the last run.
fn replay(dir: &Path, golden: &Golden<'_>, more: &str) -> Ran {
    let (last, before) = golden.runs.split_last().unwrap();
    for words in before {
        ior(dir, 2, words).ok();
    }
    ior(dir, 2, &format!("{more} {last}"))
}

/// Asserts that the output equals the golden text, and returns the run.
fn same(text: &str, more: &str) -> Ran {
    let dir = tempfile::tempdir().unwrap();
    let golden = Golden::new(text);
    let ran = replay(dir.path(), &golden, more);
    let place = dir.path().canonicalize().unwrap().display().to_string();
    golden.assert(&ran.out.replace(&place, "DIR"));
    ran
}

/// Asserts success and the golden text.
fn same_and_ok(text: &str, more: &str) -> String {
    same(text, more).ok()
}

#[test]
fn the_text_equals_that_of_the_original_line_by_line() {
    let text = same_and_ok(include_str!("../golden/default.txt"), "");
    assert!(text.contains("\nMax Write: ") && text.contains("\nMax Read:  "), "{text}");
    same_and_ok(include_str!("../golden/sync-barriers.txt"), "");
    same_and_ok(include_str!("../golden/exists.txt"), "");
}

#[test]
fn every_level_of_verbosity_prints_the_lines_of_the_original() {
    same_and_ok(include_str!("../golden/fpp-shifted-v.txt"), "");
    same_and_ok(include_str!("../golden/check-vv.txt"), "");
}

#[test]
fn the_line_on_the_file_system_is_printed_as_in_the_original() {
    let dir = tempfile::tempdir().unwrap();
    let line = |words: &str| {
        let text = ior(dir.path(), 2, &format!("-w -b 64k -t 64k {words}")).ok();
        text.lines().find(|line| line.starts_with("FS   ")).map(str::to_owned)
    };
    let none = "FS                  : 0.0 GiB   Used FS: 0.0%   Inodes: 0.0 Mi   Used Inodes: 0.0%";
    assert_eq!(line("-a DUMMY").as_deref(), Some(none));
    for words in ["-o f", "-u -F -o f", "-u -F -o ./f"] {
        let shown = line(words).unwrap_or_else(|| panic!("{words}"));
        assert!(shown.contains("Used FS: ") && shown != none, "{words}: {shown}");
    }
    let text = ior(dir.path(), 2, "-a DUMMY -w -O summaryFormat=JSON").ok();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["tests"][0]["Capacity"], "0.0 GiB");
}

/// The script of the golden texts with several tests.
const SCRIPT: &str = "IOR START\ntestFile=sf\nblockSize=64k\ntransferSize=16k\nRUN\ntransferSize=32k\n\
                      filePerProc=1\nRUN\nIOR STOP\n";

#[test]
fn the_tests_of_a_script_are_printed_in_order_as_in_the_original() {
    for (text, more) in [
        (include_str!("../golden/script.txt"), ""),
        (include_str!("../golden/script-v-summaries.txt"), ""),
        (include_str!("../golden/3.3-script.txt"), "--compat 3.3"),
        (include_str!("../golden/3.3-script-v-summaries.txt"), "--compat 3.3"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("s.txt"), SCRIPT).unwrap();
        let golden = Golden::new(text);
        let place = dir.path().canonicalize().unwrap().display().to_string();
        golden.assert(&replay(dir.path(), &golden, more).ok().replace(&place, "DIR"));
    }
}

#[test]
fn at_level_3_every_rank_prints_its_file_and_six_time_stamps_before_the_row() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-w -F -b 64k -t 16k -o f -vvv -O memoryPerTask=1m").ok();
    let results = text.split_once("\nResults: \n").unwrap().1;
    let lines: Vec<&str> = results.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(lines[0], "This task hogging 1048576 bytes of memory");
    assert!(lines[1].starts_with("Using Time Stamp ") && lines[2].starts_with("access "), "{text}");
    assert_eq!(&lines[4..6], ["task 0 writing f.00000000", "task 1 writing f.00000001"]);
    assert!(lines[6].starts_with("Commencing write performance test: "), "{text}");
    let moment = |line: &str| {
        let (head, rest) = line.split_once(", Time=").unwrap();
        let (seconds, part) = rest.split_once(", write ").unwrap();
        (head.to_owned(), seconds.parse::<f64>().unwrap(), part.to_owned())
    };
    let parts = ["open start", "open stop", "start", "stop", "close start", "close stop"];
    for (rank, stamps) in lines[7..19].chunks(6).enumerate() {
        let stamps: Vec<_> = stamps.iter().map(|line| moment(line)).collect();
        assert!(stamps.iter().all(|(head, ..)| *head == format!("Test 0: Iter=0, Task={rank}")), "{text}");
        assert_eq!(stamps.iter().map(|(.., part)| part.as_str()).collect::<Vec<_>>(), parts);
        assert!(stamps.is_sorted_by(|one, next| one.1 <= next.1), "{text}");
    }
    assert!(lines[19].starts_with("write "), "{text}");
    assert_eq!(&lines[20..22], ["task 0 removing f.00000000", "task 1 removing f.00000001"]);
}

#[test]
fn the_two_parts_of_a_mixed_phase_have_rows_but_no_summary() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-w -r --rwmix 50 -b 64k -t 4k -o f").ok();
    let classic: String =
        text.lines().filter(|line| !line.starts_with("assay: ")).map(|line| format!("{line}\n")).collect();
    let rows = ["write", "mix-write", "mix-read", "read"];
    let starts = classic.lines().filter_map(|line| line.split_once(' ')).map(|(word, _)| word);
    let found: Vec<&str> = starts.filter(|word| rows.contains(word)).collect();
    assert_eq!(found, ["write", "mix-write", "mix-read", "read", "write", "read"], "{text}");
}

#[test]
fn every_rank_has_a_row_of_times_with_its_throughput() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-b 64k -t 16k -o f -i 2 -W -w -r -O saveRankPerformanceDetailsCSV=r.csv";
    ior(dir.path(), 2, words).ok();
    let text = std::fs::read_to_string(dir.path().join("r.csv")).unwrap();
    let mut lines = text.lines();
    let heading = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput";
    assert_eq!(lines.next(), Some(heading));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let who: Vec<String> = rows.iter().map(|row| format!("{} {}", row[0], row[1])).collect();
    assert_eq!(who, ["write 0", "write 1", "read 0", "read 1", "write 0", "write 1", "read 0", "read 1"]);
    for row in rows {
        let [whole, own, slow, fast] = [2, 3, 4, 5].map(|at| row[at].parse::<f64>().unwrap());
        assert!(whole >= own && own > 0.0, "{row:?}");
        let bytes = [slow * whole, fast * own];
        assert!(bytes.iter().all(|bytes| (bytes / 65536.0 - 1.0).abs() < 1e-6), "{row:?}");
    }
}

#[test]
fn the_prefix_of_single_transfers_matches_only_the_files_of_the_last_phase() {
    let dir = tempfile::tempdir().unwrap();
    for (words, last, others) in [
        ("-w -W -r", "read", &["write", "write_check"][..]),
        ("-w -R", "read_check", &["write"]),
        ("-r -k", "read", &[]),
        ("-w -r --rwmix 50", "read", &["write", "mixed"]),
        ("-w --rwmix 50", "write", &["mixed"]),
    ] {
        std::fs::write(dir.path().join("f"), [0; 131_072]).unwrap();
        let logs = dir.path().join("logs");
        std::fs::create_dir(&logs).unwrap();
        let words = format!("{words} -b 64k -t 16k -o f -i 2 -O savePerOpDataCSV=logs/p --record r");
        ior(dir.path(), 2, &words).ok();
        let mut names = common::campaign::names(&logs);
        let matched: Vec<String> = names.extract_if(.., |name| name.starts_with("p-")).collect();
        assert_eq!(matched, ["p-0-00000.csv", "p-0-00001.csv", "p-1-00000.csv", "p-1-00001.csv"], "{words}");
        let mut expected: Vec<String> = Vec::new();
        for phase in others {
            for number in ["0-00000", "0-00001", "1-00000", "1-00001"] {
                expected.push(format!("p.{phase}-{number}.csv"));
            }
        }
        expected.sort();
        assert_eq!(names, expected, "{words}");
        let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
        let has_last = records.contains(&format!("\"phase\":\"{last}\""));
        assert!(has_last, "{words}: {records}");
        std::fs::remove_file(dir.path().join("r")).unwrap();
        std::fs::remove_dir_all(&logs).unwrap();
    }
}

#[test]
fn the_file_with_the_classic_name_has_the_last_phase() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a DUMMY --dummy.delay-xfer=2000 -w -r -b 64k -t 16k -O savePerOpDataCSV=p --record r";
    ior(dir.path(), 1, words).ok();
    let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let phases: Vec<Value> = records.filter(|record| record["record"] == "phase").collect();
    for (phase, name) in phases.iter().zip(["p.write-0-00000.csv", "p-0-00000.csv"]) {
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        let longest = text.lines().skip(1).map(|row| row.split(',').nth(1).unwrap().parse::<f64>().unwrap());
        let longest = longest.fold(0.0, f64::max);
        let recorded = phase["latency"]["max_ns"].as_f64().unwrap() * 1e-9;
        assert!((longest / recorded - 1.0).abs() < 1e-6, "{name}: {longest} and {recorded}");
    }
}

#[test]
fn the_lines_on_wear_out_equal_those_of_the_original() {
    same_and_ok(include_str!("../golden/wear-out-v.txt"), "");
}

#[test]
fn wrong_data_is_counted_as_in_the_original_and_has_an_address() {
    let ran = same(include_str!("../golden/wrong-data.txt"), "");
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("\nassay: rank 0: f at 0: 16384 bytes "), "{}", ran.out);
}

#[test]
fn the_text_for_3_3_equals_that_of_ior_3_3_line_by_line() {
    let compat = "--compat 3.3";
    same_and_ok(include_str!("../golden/3.3-default.txt"), compat);
    same_and_ok(include_str!("../golden/3.3-fpp-shifted-v.txt"), compat);
    same_and_ok(include_str!("../golden/3.3-sync-barriers.txt"), compat);
    same_and_ok(include_str!("../golden/3.3-wear-out-v.txt"), compat);
    assert_eq!(same(include_str!("../golden/3.3-wrong-data.txt"), compat).status, Some(4));
}

/// At level 3 the lines of each rank are between the others, in any order.
#[test]
fn level_3_shows_the_parameters_but_never_the_environment() {
    let dir = tempfile::tempdir().unwrap();
    let golden = Golden::new(include_str!("../golden/level-vvv.txt"));
    let text = replay(dir.path(), &golden, "").ok();
    let is_of_a_rank =
        |line: &&str| line.starts_with("task ") && !line.contains(':') || line.starts_with("Test 0: ");
    let others: Vec<&str> = text.lines().filter(|line| !is_of_a_rank(line)).collect();
    golden.assert(&others.join("\n"));
    assert!(!text.contains("PATH=") && !text.contains("ENVIRON"), "{text}");
}

#[test]
fn csv_has_only_a_row_for_each_phase() {
    let text = same_and_ok(include_str!("../golden/csv.txt"), "");
    let zero = |field: &str| field.parse::<f64>().is_ok_and(|number| number == 0.0);
    for row in text.lines().filter(|line| !line.starts_with("access")) {
        let fields: Vec<&str> = row.split(',').collect();
        assert_eq!(fields.len(), 12, "{row}");
        assert!(
            !fields[..10].iter().any(|field| zero(field)),
            "microseconds are not lost by rounding: {row}"
        );
    }
}

/// Every path of keys in a formatted document, in order of first appearance, without assay's own keys.
fn paths(document: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut stack: Vec<(usize, &str)> = Vec::new();
    for line in document.lines() {
        let indent = line.len() - line.trim_start().len();
        let Some((key, _)) = line.trim_start().strip_prefix('"').and_then(|rest| rest.split_once("\": "))
        else {
            continue;
        };
        while stack.last().is_some_and(|(depth, _)| *depth >= indent) {
            stack.pop();
        }
        stack.push((indent, key));
        let path: String = stack.iter().map(|(_, key)| format!("/{key}")).collect();
        if !path.contains("/assay") && !all.contains(&path) {
            all.push(path);
        }
    }
    all
}

/// Asserts that the JSON of a run has the golden keys in order, and returns the JSON.
fn same_keys(text: &str, words: &str) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, &format!("{words} -O summaryFormat=JSON"));
    let out = ran.ok();
    let golden = Golden::new(text);
    assert_eq!(paths(&out).join("\n"), golden.lines.join("\n"), "{out}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

#[test]
fn json_has_the_keys_of_the_original_in_order() {
    for text in [
        include_str!("../golden/default.keys"),
        include_str!("../golden/fpp-shifted-v.keys"),
        include_str!("../golden/wear-out-v.keys"),
        include_str!("../golden/random-ranks.keys"),
    ] {
        let words = Golden::new(text).runs[0];
        let json = same_keys(text, words);
        let row = &json["tests"][0]["Results"][0];
        assert_eq!(row["access"], "write");
        assert!(row["latency"].as_f64().unwrap() > 0.0, "microseconds are not lost by rounding");
        assert_eq!(row.get("assay"), None);
        assert_eq!(json["tests"][0]["assay"]["phases"][0]["phase"], "write");
        let mib = row["bwMiB"].as_f64().unwrap() * row["totalTime"].as_f64().unwrap();
        assert!((mib - json["summary"][0]["xsizeMiB"].as_f64().unwrap()).abs() < 1e-9);
    }
}

#[test]
fn standard_output_has_only_the_json_and_standard_error_nothing() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 2, "-w -k -b 64k -t 16k -o f -G 3").ok();
    let words =
        "-b 64k -t 16k -o f -O summaryFormat=JSON -vvv -i 2 -D 30 -O stoneWallingWearOut=1 -E -k -G 3";
    let ran = ior(dir.path(), 2, words);
    let json: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:#?}"));
    assert_eq!(json["tests"][0]["Results"].as_array().unwrap().len(), 4);
    let messages = json["tests"][0]["assay"]["messages"].to_string();
    for message in
        ["exists already and will be overwritten", "stonewalling pairs", "Commencing", "Using Time Stamp 3"]
    {
        assert!(messages.contains(message), "{message}: {messages}");
    }
    assert_eq!(ran.err, "");
    let wrong = ior(dir.path(), 2, "-R -k -b 64k -t 16k -o f -G 9 -O summaryFormat=json");
    assert_eq!(wrong.status, Some(4));
    let json: Value = serde_json::from_str(&wrong.out).unwrap();
    assert_eq!(json["tests"][0]["assay"]["phases"][0]["check"]["bad_transfers"], 8);
    let messages = json["tests"][0]["assay"]["messages"].to_string();
    assert!(messages.contains("WARNING: Incorrect data on read (8 errors found)."), "{messages}");
    assert_eq!(wrong.err, "");
}

#[test]
fn both_streams_in_one_file_are_valid_json_whatever_a_run_reports() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 2, "-w -k -b 64k -t 16k -o f -G 3").ok();
    for (words, status) in [
        ("-w -r -b 64k -t 16k -o f -k", 0),
        ("-B --mmap.madv_pattern -a DUMMY -w -N 5", 0),
        ("-w -r -b 64k -t 16k -o f -k --warningAsErrors", 4),
        ("-R -b 64k -t 16k -o f -k -G 4", 4),
        ("-r -b 64k -t 16k -o missing", 4),
        ("-f script -vv", 0),
    ] {
        std::fs::write(dir.path().join("script"), SCRIPT).unwrap();
        let program = common::program().display().to_string();
        let line = format!("{program} -n 2 ior {words} -O summaryFormat=JSON > both 2>&1");
        let mut command = std::process::Command::new("sh");
        let ran = run(command.current_dir(dir.path()).args(["-c", &line]));
        let both = std::fs::read_to_string(dir.path().join("both")).unwrap();
        let json: Value = serde_json::from_str(&both).unwrap_or_else(|error| panic!("{error}: {both}"));
        assert_eq!(ran.status, Some(status), "{words}: {both}");
        if words.contains("missing") {
            assert!(json["assay"]["error"].as_str().unwrap().contains("missing: No such file"), "{both}");
        }
        if words.contains("-B ") {
            let notes = json["tests"][0]["assay"]["notes"].to_string();
            assert!(notes.contains("-B is now --posix.odirect"), "{both}");
        }
        if words.contains("AsErrors") {
            let error = json["assay"]["error"].as_str().unwrap();
            assert!(error.starts_with("--warningAsErrors: rank 0 "), "{both}");
        }
    }
}

#[test]
fn csv_and_its_messages_in_one_file_are_valid_csv() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 2, "-w -k -b 64k -t 16k -o f -G 3").ok();
    let ran = ior(dir.path(), 2, "-B -w -r -b 64k -t 16k -o f -k -N 5 -O summaryFormat=CSV");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{ran:#?}");
    let ran = ior(dir.path(), 2, "-R -b 64k -t 16k -o f -k -G 4 -O summaryFormat=CSV");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.starts_with("assay: rd-check: 8 transfers WRONG\nassay: rank 0: f at 0: "), "{ran:#?}");
}

#[test]
fn a_failed_run_leaves_valid_json_with_the_failure() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-r -b 64k -t 16k -o missing -O summaryFormat=JSON");
    assert_eq!(ran.status, Some(4));
    let json: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:#?}"));
    assert_eq!((&json["assay"]["complete"], &json["Finished"]), (&Value::Bool(false), &Value::Null));
    assert!(json["assay"]["error"].as_str().unwrap().contains("missing: No such file"), "{ran:#?}");
    assert_eq!(ran.err, "");
}

#[test]
fn a_quote_in_a_path_is_escaped() {
    let dir = tempfile::tempdir().unwrap();
    let path = "q\"uo\\té";
    let mut command = common::assay(dir.path(), "-n 1 ior -b 64k -t 64k -O summaryFormat=JSON -o");
    let json: Value = serde_json::from_str(&run(command.arg(path)).ok()).unwrap();
    assert_eq!(json["tests"][0]["Path"], path);
    assert!(json["Command line"].as_str().unwrap().ends_with(path));
}

#[test]
fn a_summary_file_has_the_results_and_standard_output_the_messages() {
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    ior(dir.path(), 2, "-w -k -b 64k -t 16k -o f").ok();
    let ran = ior(dir.path(), 2, "-b 64k -t 16k -o f -vv -G 7 -O summaryFile=s.txt").ok();
    assert!(ran.starts_with("Writing output to s.txt\nWARNING: The file \"f\" exists already"), "{ran}");
    assert!(ran.contains("Using Time Stamp 7") && !ran.contains("write   "), "{ran}");
    let text = read("s.txt");
    assert!(text.starts_with("IOR-4.1.0+dev: ") && text.contains("\nFinished "), "{text}");
    assert!(!text.contains("WARNING:") && !text.contains("Using Time Stamp"), "{text}");
    for (format, name) in [("JSON", "s.json"), ("CSV", "s.csv")] {
        let out =
            ior(dir.path(), 2, &format!("-b 64k -t 16k -o f -O summaryFormat={format},summaryFile={name}"));
        assert!(out.ok().starts_with(&format!("Writing output to {name}\n")));
    }
    assert!(serde_json::from_str::<Value>(&read("s.json")).is_ok());
    assert!(read("s.csv").starts_with("access,bw(MiB/s),"));
}

#[test]
fn files_that_cannot_be_written_are_rejected_in_one_line_before_the_start() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["summaryFile", "saveRankPerformanceDetailsCSV"] {
        let ran = ior(dir.path(), 2, &format!("-b 64k -t 16k -o f -O {name}=no/where"));
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
        let complaint = format!("ior: -O {name}: cannot write no/where: No such file or directory");
        assert!(ran.err.starts_with(&complaint) && ran.err.lines().count() == 1, "{}", ran.err);
    }
    let both = ior(dir.path(), 1, "-o f -O summaryFile=x,saveRankPerformanceDetailsCSV=x");
    assert_eq!(both.status, Some(2));
    let kept = ior(dir.path(), 2, "-b 64k -t 16k -o f --record new -O summaryFile=no/where");
    assert_eq!(kept.status, Some(2));
    for name in ["f", "x", "new"] {
        assert!(!dir.path().join(name).exists(), "{name}");
    }
}
