//! The output of `mdtest`: files with the numbers of each rank and each operation, records, standard output
//! and standard error.

use crate::common::mdtest::{complaints, mdtest};
use crate::common::memory::assert_growth;
use crate::common::{self, only_in_all, run};
use serde_json::Value;

fn number(text: &str) -> f64 {
    // The format of C: one digit, the decimals, and an exponent of at least two digits.
    let (digits, power) = text.split_once('e').unwrap_or_else(|| panic!("{text}"));
    assert!(digits.split_once('.').is_some_and(|(whole, _)| whole.len() == 1), "{text}");
    assert!(power.len() == 3 && power.starts_with(['+', '-']), "{text}");
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_file_of_ranks_has_a_row_for_all_and_one_per_rank_and_iteration() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 3, "-n 4 -i 2 --saveRankPerformanceDetails=r.csv").ok();
    let text = std::fs::read_to_string(dir.path().join("r.csv")).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows.iter().map(|row| row[0]).collect::<Vec<_>>(),
        ["rank", "all", "0", "1", "2", "0", "1", "2"]
    );
    assert_eq!((rows[0].len(), rows[1].len(), rows[1][1]), (24, 24, "4"));
    let at = rows[0].iter().position(|name| *name == "rate-File creation").unwrap();
    assert_eq!(rows[0][at + 1], "time-File creation");
    let (rate, seconds) = (number(rows[1][at]), number(rows[1][at + 1]));
    assert!((rate * seconds - 12.0).abs() < 1e-6, "all operations of all ranks: {rate} {seconds}");
    for row in &rows[2..] {
        assert_eq!((row.len(), row[1]), (20, ""), "a rank has no tree and no items: {row:?}");
        assert!(
            (number(row[at]) * number(row[at + 1]) - 4.0).abs() < 1e-6,
            "the numbers of one rank: {row:?}"
        );
        assert!(number(row[at + 1]) <= seconds * 1e3);
    }
    let read = rows[0].iter().position(|name| *name == "rate-Directory read").unwrap();
    assert!(rows[1..].iter().all(|row| row[read].is_empty()), "directories are not read");
}

#[test]
fn each_number_of_ranks_adds_its_rows_to_the_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("r.csv"), "old").unwrap();
    mdtest(dir.path(), 2, "-F -n 4 -f 1 -l 2 --saveRankPerformanceDetails r.csv").ok();
    let text = std::fs::read_to_string(dir.path().join("r.csv")).unwrap();
    let firsts: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(firsts, ["rank", "all", "0", "all", "0", "1"]);
}

#[test]
fn each_operation_has_a_row_and_each_iteration_a_file() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 2, "-n 5 -w 10 -e 10 -i 2 --savePerOpDataCSV=op").ok();
    let mut names: Vec<String> =
        dir.path().read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 4 * 2 * 2, "{names:?}");
    for phase in ["File creation", "File read", "File removal", "File stat"] {
        for name in [format!("op-{phase}-00000.csv"), format!("op.0-{phase}-00001.csv")] {
            let text = std::fs::read_to_string(dir.path().join(&name))
                .unwrap_or_else(|_| panic!("{name}: {names:?}"));
            let rows: Vec<&str> = text.lines().collect();
            assert_eq!((rows[0], rows.len()), ("time,runtime,tp", 6), "{name}");
            let mut last = 0.0;
            for row in &rows[1..] {
                let cells: Vec<f64> = row.split(',').map(number).collect();
                assert!(cells[0] >= last, "in order of time: {text}");
                last = cells[0];
                let amount = if phase.ends_with("creation") || phase.ends_with("read") { 10.0 } else { 1.0 };
                assert!((cells[1] * cells[2] / amount - 1.0).abs() < 1e-4, "{name}: {row}");
            }
        }
    }
}

#[test]
fn the_prefix_of_single_operations_matches_only_the_files_of_the_last_iteration() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 2, "-C -r -F -n 5 -i 3 --savePerOpDataCSV=op").ok();
    let mut names = common::campaign::names(dir.path());
    let matched: Vec<String> = names.extract_if(.., |name| name.starts_with("op-")).collect();
    let last = |phase: &str| [0, 1].map(|rank| format!("op-File {phase}-0000{rank}.csv"));
    assert_eq!(matched, [last("creation"), last("removal")].concat());
    let earlier = |iteration: u32| {
        let of = |phase: &str| [0, 1].map(|rank| format!("op.{iteration}-File {phase}-0000{rank}.csv"));
        [of("creation"), of("removal")].concat()
    };
    assert_eq!(names, [earlier(0), earlier(1)].concat());
}

#[test]
fn each_number_of_ranks_keeps_its_files_of_single_operations() {
    let dir = tempfile::tempdir().unwrap();
    // A file of an earlier run is not taken for one of this run.
    std::fs::write(dir.path().join("op-File creation-00001.csv"), "old").unwrap();
    mdtest(dir.path(), 3, "-C -r -F -n 5 -i 2 -f 1 -l 3 -s 2 --savePerOpDataCSV=op").ok();
    let names = common::campaign::names(dir.path());
    let creations: Vec<&str> =
        names.iter().filter(|name| name.contains("creation")).map(String::as_str).collect();
    assert_eq!(
        creations,
        [
            "op-File creation-00000.csv",
            "op-File creation-00001.csv",
            "op-File creation-00002.csv",
            "op.0-File creation-00000.csv",
            "op.1-0-File creation-00000.csv",
            "op.1-0-File creation-00001.csv",
            "op.1-0-File creation-00002.csv",
            "op.1-File creation-00000.csv",
        ]
    );
    for name in creations {
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert_eq!(text.lines().count(), 6, "{name}");
    }
}

#[test]
fn records_have_every_phase_with_the_numbers_of_the_table() {
    let dir = tempfile::tempdir().unwrap();
    let text = mdtest(dir.path(), 2, "-F -n 50 --record r").ok();
    let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
    let records: Vec<Value> = records.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&records[0]["record"], &records[0]["workload"]), (&"run".into(), &"mdtest".into()));
    let last = records.last().unwrap();
    assert_eq!((&last["record"], &last["exit"]), (&"end".into(), &0.into()));
    let creation = records.iter().find(|record| record["phase"] == "file_creation").unwrap();
    assert_eq!((&creation["ops"], &creation["counts"]), (&100.into(), &"operations".into()));
    let row = text.lines().find(|line| line.starts_with("   File creation")).unwrap();
    let shown: f64 = row.split_whitespace().nth(2).unwrap().parse().unwrap();
    let recorded = 100.0 / creation["spans"]["total_s"].as_f64().unwrap();
    assert!((shown / recorded - 1.0).abs() < 0.01, "{shown} and {recorded}");
    let again = mdtest(dir.path(), 2, "-F -n 1 --record r");
    assert_eq!((again.status, again.out.as_str()), (Some(2), ""), "records are never overwritten");
    assert!(again.err.contains("--record r: "), "{again:#?}");
}

#[test]
fn a_plain_run_prints_nothing_on_standard_error() {
    let dir = tempfile::tempdir().unwrap();
    let ran = mdtest(dir.path(), 2, "-n 2 -v");
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn a_dry_run_counts_the_operations_of_a_run() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-n 12 -b 2 -z 1 -w 100 -e 10", "-I 2 -b 3 -z 1 -L -u -F", "-S -n 3", "-D -n 6 -I 2"] {
        let dry_run = mdtest(dir.path(), 2, &format!("{words} --dryRun")).ok();
        assert!(dir.path().read_dir().unwrap().next().is_none(), "{words}");
        mdtest(dir.path(), 2, &format!("{words} --record r")).ok();
        let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
        for record in records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
            let (Some(phase), Some(done)) = (record["phase"].as_str(), record["ops"].as_u64()) else {
                continue;
            };
            let label = phase.replace('_', " ");
            let line = dry_run.lines().find(|line| line.trim_start().to_lowercase().starts_with(&label));
            let line = line.unwrap_or_else(|| panic!("{words}: {label}: {dry_run}"));
            let counted: u64 = line.split(": ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            assert_eq!(counted, done, "{words}: {line}");
        }
        std::fs::remove_file(dir.path().join("r")).unwrap();
    }
}

#[test]
fn nodes_can_be_simulated() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = common::mdtest::command(dir.path(), 4, "-F -n 1 -N 1");
    command.env("IOR_FAKE_NODES", "2").env("IOR_FAKE_TASK_PER_NODES", "2");
    let ran = run(&mut command);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.out.contains(" with 4 total task(s) on 2 node(s)\n"), "{ran:#?}");
    assert!(ran.out.contains("\nNodemap: 1100\n") && ran.out.contains("Shifting ranks by 2 for"), "{ran:#?}");
    assert!(ran.err.contains("IOR_FAKE_NODES=2 in the environment replaces the detected number"), "{ran:#?}");
    command = common::mdtest::command(dir.path(), 4, "-F -n 1");
    let ran = run(command.env("IOR_FAKE_NODES", "none"));
    assert_eq!((ran.status, complaints(&ran).len()), (Some(2), 1), "{ran:#?}");
}

#[test]
fn memory_does_not_grow_with_the_iterations_unless_the_numbers_of_each_rank_are_printed() {
    if !only_in_all("many iterations take half a minute") {
        return;
    }
    for (words, plain, expected) in [
        ("", "0", 0..=100),
        ("-F --showRankStatistics", "1", 0..=100),
        ("-F --print-all-procs", "0", 500..=4000),
    ] {
        let dir = tempfile::tempdir().unwrap();
        // With -v each iteration prints a line, and the latencies of all iterations are printed at the end.
        let line = format!("mdtest -a DUMMY -v -n 1 -d d -i 1000000 {words}");
        assert_growth(dir.path(), &line, plain, |line| line.contains("main: * iteration "), expected);
    }
}
