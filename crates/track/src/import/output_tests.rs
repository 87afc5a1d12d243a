//! Outputs of `ior` and `mdtest` in the forms of their releases.

use results::history::{EntrySource, HistoryEntry};
use units::MIB;

use super::outputs::LoggedRun;
use super::*;

fn named(test: &'static str) -> ImportNames<'static> {
    ImportNames { test: Some(test), time_s: Some(100.0), ..ImportNames::default() }
}

fn entry(run: &LoggedRun, names: ImportNames<'_>) -> Result<HistoryEntry, String> {
    outputs::entry(run, "h", "/f", names).map_err(|error| error.to_string())
}

/// The test, the metric and the values in MiB/s of each point.
fn points(entry: &HistoryEntry, unit: f64) -> Vec<(&str, &str, Vec<f64>)> {
    let point =
        |one: &'_ results::history::MeasuredPoint| one.values.iter().map(|value| value / unit).collect();
    entry
        .points
        .iter()
        .map(|one| (one.series.test.as_str(), one.series.metric.as_str(), point(one)))
        .collect()
}

/// A test in the JSON of a release; `results` is what its list has.
fn json(results: &str) -> String {
    format!(
        r#"  "Began": "Tue Feb 14 09:35:00 2017",
  "Command line": "./ior -w -r -i 2 -o "/d/f" -O summaryFormat=JSON",
  "tests": [ {{
    "TestID": 0,
    "StartTime": "Tue Feb 14 09:35:01 2017"    , "Path": "/d","Used Capacity": "14.0%",
    "Parameters": {{ "nodes": 0, "segmentCount": 1, "transferSize": 65536, "blockSize": 262144 }},
    "Options": {{ "access": "file-per-process", "segments": 1, "nodes": 1, "tasks": 2 }},
    "Results": [ {results} ],
    "max": {{ "writeMiB": 9.0 }} }} ],
  "summary": [ {{ "operation": "write", "blockSize": 1, "numTasks": 2, "bwMaxMIB": 9.0 }} ],
  "Finished": "Tue Feb 14 09:35:02 2017"
"#
    )
}

const FLAT: &str = r#"{ "access": "write", "bwMiB": 2.0000 }, { "access": "read", "bwMiB": 8.5 },
 { "access": "write", "bwMiB": 3.0000 }, { "access": "remove", "totalTime": 0.1 }"#;

#[test]
fn json_of_ior_has_the_points_and_the_parameters_of_its_text() {
    // Release 3.2 opens and closes more brackets, 3.3 has a list for each repetition, 4.0 has one list.
    let nested = format!("[ [ {FLAT} ]\n, [ ]\n ], \"x\": 1 ]");
    for (text, begin) in [(json(FLAT), "{\n"), (json(&nested), "IOR-3.2.1: MPI Coordinated Test\n{\n")] {
        let text = format!("{begin}{text}}}\n}}\n");
        assert!(json::is_json(&text), "{text}");
        let [(line, output)] = json::texts(&text)[..] else { panic!("{text}") };
        let run = json::run(line, output).unwrap();
        let entry = entry(&run, ImportNames::default()).unwrap();
        assert_eq!(Some(entry.started_s), seconds("2017-02-14 09:35:00"));
        let wanted = [("-w -r -i 2", "write.bw", vec![2.0, 3.0]), ("-w -r -i 2", "read.bw", vec![8.5])];
        assert_eq!(points(&entry, MIB as f64), wanted);
        assert_eq!((entry.source, entry.points[0].fill), (EntrySource::Ior, Some(0.14)));
        let setup: Vec<_> =
            entry.points[0].setup.iter().map(|(name, text)| format!("{name} {text}")).collect();
        let wanted = "block 262144, command -w -r -i 2, file_per_rank true, nodes 1, ranks 2, segments 1, \
                      transfer 65536";
        assert_eq!(setup.join(", "), wanted);
    }
}

#[test]
fn several_runs_in_one_json_text_keep_their_own_output() {
    let run = format!("{{\n{}}}\n", json(FLAT));
    let log = format!("night 1\n{run}night 2\n{run}");
    let texts = json::texts(&log);
    let second = 2 + run.lines().count() as u64 + 2;
    assert_eq!(texts.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [3, second]);
    assert!(texts[0].1 == texts[1].1 && texts[0].1.ends_with("09:35:02 2017\""), "{texts:?}");
}

#[test]
fn json_of_a_killed_run_or_with_an_impossible_rate_is_rejected_with_its_line() {
    let text = json(FLAT);
    let killed = &text[..text.find("\"Finished\"").unwrap()];
    assert_eq!(json::run(3, killed).unwrap_err().line, 3);
    for rate in ["-nan", "-2.0", "inf"] {
        let results = format!("{{ \"access\": \"write\", \"bwMiB\": {rate} }}");
        let wrong = json::run(3, &json(&results)).unwrap_err();
        assert_eq!(wrong.to_string(), format!("line 10: `{rate}` is not a number of 0 or more"));
    }
    let full = json(FLAT).replace("14.0%", "nan%");
    assert_eq!(json::run(3, &full).unwrap().tests[0].fill, None);
}

#[test]
fn a_run_of_many_tests_with_a_long_command_line_is_rejected_with_its_line() {
    let text = json(FLAT).replace("-w", &"-w ".repeat(50_000));
    let test = text.find("    \"TestID\"").unwrap();
    let end = test + text[test..].find("\"max\"").unwrap();
    let many = [&text[..test], &text[test..end].repeat(100), &text[end..]].concat();
    let error = json::run(3, &many).unwrap_err();
    assert!(error.line == 3 && error.what.ends_with("Divide it."), "{error}");
    assert_eq!(json::run(3, &text).unwrap().tests.len(), 1);
    assert_eq!(outputs::check_repeated(3, usize::MAX, 2).unwrap_err().line, 3);
    assert_eq!(outputs::check_repeated(3, 1500, 5000), Ok(()));
}

const IOR_CSV: &str = "\
access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter
write,2.0000,495.5317,0.0001,512.0000,256.0000,0.0080,0.0081,0.0080,0.0082,2,0
WARNING: a message
write,3.0000,495.5317,0.0001,512.0000,256.0000,0.0080,0.0081,0.0080,0.0082,2,1
read,8.0000,129055.5077,0.0000,512.0000,256.0000,0.0000,0.0000,0.0000,0.0000,2,0
";

#[test]
fn csv_of_ior_has_the_repetitions_of_each_access() {
    assert_eq!(tables::program(IOR_CSV), Some(EntrySource::Ior));
    let run = tables::run(EntrySource::Ior, IOR_CSV).unwrap();
    let entry = entry(&run, named("A")).unwrap();
    let wanted = [("A", "write.bw", vec![2.0, 3.0]), ("A", "read.bw", vec![8.0])];
    assert_eq!((points(&entry, MIB as f64), entry.started_s), (wanted.to_vec(), 100.0));
    let setup = &entry.points[1].setup;
    assert_eq!((&*setup["block"], &*setup["transfer"], &*setup["ranks"]), ("524288", "262144", "2"));
    for rate in ["-nan", "-3.0000"] {
        let wrong = tables::run(EntrySource::Ior, &IOR_CSV.replace("3.0000", rate)).unwrap_err();
        assert_eq!(wrong.to_string(), format!("line 4: `{rate}` is not a number of 0 or more"));
    }
}

const MDTEST_CSV: &str = "\
rank,items,rate-Directory creation,time-Directory creation,rate-File creation,time-File creation
all,4,,,5.0e+04,1.4e-04
0,,,,4.0e+04,9.9e-05
1,,,,2.9e+04,1.4e-04
0,,,,4.0e+04,9.9e-05
1,,,,2.9e+04,1.4e-04
";

#[test]
fn csv_of_mdtest_has_the_rates_of_all_ranks() {
    assert_eq!(tables::program(MDTEST_CSV), Some(EntrySource::Mdtest));
    let entry = entry(&tables::run(EntrySource::Mdtest, MDTEST_CSV).unwrap(), named("A")).unwrap();
    assert_eq!(points(&entry, 1.0), [("A", "file_creation.rate", vec![50_000.0])]);
    let setup = &entry.points[0].setup;
    assert_eq!((&*setup["ranks"], &*setup["items"], entry.source), ("2", "8", EntrySource::Mdtest));
}

#[test]
fn a_second_table_in_a_file_is_rejected_with_its_line() {
    let (header, rows) = MDTEST_CSV.split_once('\n').unwrap();
    for (program, text, line) in [
        (EntrySource::Ior, IOR_CSV.repeat(2), 6),
        (EntrySource::Mdtest, MDTEST_CSV.repeat(2), 7),
        (EntrySource::Mdtest, format!("{header}\n{rows}{rows}"), 7),
    ] {
        let error = tables::run(program, &text).unwrap_err();
        assert!(error.line == line && error.what.ends_with("into its own file."), "{error}");
    }
}

#[test]
fn an_output_without_date_or_command_line_needs_them_from_the_user() {
    let run = tables::run(EntrySource::Ior, IOR_CSV).unwrap();
    let given = |test, time_s| entry(&run, ImportNames { test, time_s, ..ImportNames::default() });
    assert!(given(Some("A"), None).unwrap_err().ends_with("--set time=DATE."));
    assert!(given(None, Some(1.0)).unwrap_err().ends_with("--set test=NAME."));
    assert!(given(Some("A"), Some(1.0)).is_ok());
}

proptest::proptest! {
    #[test]
    fn any_text_is_read_or_rejected(text in ".{0,200}", cut in 0..IOR_CSV.len()) {
        for text in [&*text, &IOR_CSV[..cut], &json(&text)] {
            for (line, output) in json::texts(text) {
                let _ = json::run(line, output);
            }
            let _ = tables::program(text);
            let _ = tables::run(EntrySource::Ior, text);
            let _ = tables::run(EntrySource::Mdtest, text);
        }
    }
}
