//! The examples of `integrations/`: real patterns over real output, and the library of ReFrame under ReFrame.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::common::campaign::{Place, json};
use crate::common::{Ran, only_in_all, program, run};

/// Tests with outcomes that do not depend on the speed of this machine: outcome, storage, keys, threshold.
const OUTCOMES: [(&str, &str, &str, &str); 4] = [
    ("PASS", "POSIX", "repetitions = 1", "1 B/s"),
    ("FAIL", "POSIX", "repetitions = 1", "100 TB/s"),
    ("INCONCLUSIVE", "POSIX", "repetitions = 2\ncov_max = \"0.000001 %\"", "1 B/s"),
    ("INVALID", "DUMMY", "repetitions = 1", "1 B/s"),
];

/// The test of a plan with this row of the table. Its id is the outcome.
fn test_of((id, storage, keys, threshold): (&str, &str, &str, &str)) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nior = \"-a {storage} -w -F -e -t 64k -b 256k\"\n{keys}\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"{threshold}\" }}\n"
    )
}

/// The test of a plan whose second clause PASSes whenever the job of this row counts.
fn with_two_clauses(row: (&str, &str, &str, &str)) -> String {
    let one = test_of(row);
    let second = "{ metric = \"write.iops\", op = \">\", value = \"1/s\" }";
    let (before, criterion) = one.trim_end().split_once("criterion = ").expect("a criterion");
    format!("{before}criterion = [ {criterion}, {second} ]\n")
}

/// The Python of the environment with ReFrame. `None`, with the reason printed, if it is not installed.
fn python() -> Option<PathBuf> {
    if !only_in_all("ReFrame is a large environment of Python, which is installed for the complete set only")
    {
        return None;
    }
    let venv = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/reframe-venv");
    let there = Some(venv.join("bin/python")).filter(|_| venv.join("complete.stamp").exists());
    if there.is_none() {
        println!("SKIPPED: ReFrame is not installed; `cargo xtask setup` installs it");
    }
    there
}

fn integrations() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations").canonicalize().unwrap()
}

/// The rate of a phase in records, as classic ior counts it, in units of `unit` bytes per second.
fn rate(records: &Path, phase: &str, unit: f64) -> f64 {
    let text = fs::read_to_string(records).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let one = lines.into_iter().find(|record| record["phase"] == phase).unwrap();
    one["bytes"].as_f64().unwrap() / one["spans"]["total_s"].as_f64().unwrap() / unit
}

/// The number in a JSON string or list of one string.
fn number(found: &Value) -> f64 {
    let text = found.as_str().or_else(|| found[0].as_str()).or_else(|| found[0][0].as_str());
    text.unwrap_or_else(|| panic!("no text in {found}")).parse().unwrap()
}

#[test]
fn the_patterns_of_the_examples_find_the_numbers_of_real_output() {
    let Some(python) = python() else { return };
    let place = Place::new();
    let outputs = place.path("outputs");
    fs::create_dir(&outputs).unwrap();
    let keep = |name: &str, words: &str| fs::write(outputs.join(name), place.assay(words).ok()).unwrap();
    keep("ior.txt", "-n 2 ior -w -r -C -F -e -t 64k -b 1m -o dir/f --record=outputs/records.jsonl");
    keep("mdtest.txt", "-n 2 mdtest -F -n 10 -d dir/md");
    place.plan(&OUTCOMES.map(test_of).concat());
    let ran = place.assay("run p.toml --dir dir --folder campaign");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    keep("verdicts.csv", "report --csv campaign");

    let mut reader = Command::new(python);
    reader.arg(integrations().join("read_outputs.py")).arg(&outputs);
    let found: Value = serde_json::from_str(&run(&mut reader).ok()).unwrap();
    let records = outputs.join("records.jsonl");
    for phase in ["write", "read"] {
        let mib = rate(&records, phase, 1_048_576.0);
        let short = format!("{phase}_mib");
        let of_ramble = &found["ramble"][format!("{phase} bandwidth")];
        for found in [&found["jube"][&short], &found["pavilion2"][&short], of_ramble] {
            assert!(
                (number(found) / mib - 1.0).abs() < 0.001,
                "{phase}: {found}; the records have {mib} MiB/s"
            );
        }
        let iops = found["iops"][format!("{phase}_bytes_per_second")].as_f64().unwrap();
        assert!((iops / mib / 1_048_576.0 - 1.0).abs() < 1e-9, "{phase}: {iops}");
    }
    for operation in ["File creation", "File stat", "File removal"] {
        assert!(number(&found["ramble"][operation]) > 0.0, "{operation}: {found}");
    }
    let counts = ["passed", "failed", "undecided"].map(|name| found["jube"][name].as_array().unwrap().len());
    assert_eq!(counts, [1, 1, 2], "{found}");
    let outcomes = OUTCOMES.map(|(outcome, ..)| outcome);
    assert_eq!(found["pavilion2"]["outcomes"], serde_json::json!(outcomes.map(|outcome| [outcome, outcome])));
    assert_eq!(found["ramble"]["outcome"], serde_json::json!(outcomes));
}

/// Checks of a site: the two workloads, and a plan for each outcome.
fn checks(place: &Place) -> String {
    let mut text = "import reframe as rfm\nfrom assay_reframe import AssayIor, AssayMdtest, AssayPlan\n\n\
        @rfm.simple_test\nclass Ior(AssayIor):\n    options = '-w -r -C -F -e -t 64k -b 256k -i 2'\n\n\
        @rfm.simple_test\nclass Slow(AssayIor):\n    options = '-w -F -e -t 64k -b 256k'\n    \
        reference = {'*': {'write.bw': (1e15, -0.05, None, 'B/s')}}\n\n\
        @rfm.simple_test\nclass Broken(AssayIor):\n    options = '-w -Q no-such-option'\n\n\
        @rfm.simple_test\nclass Mdtest(AssayMdtest):\n    options = '-F -n 10'\n\n"
        .to_owned();
    for (id, ..) in OUTCOMES {
        let plan = place.path(&format!("{id}.toml"));
        text += &format!("@rfm.simple_test\nclass Plan_{id}(AssayPlan):\n    plan = {plan:?}\n\n");
    }
    text
}

/// The tests of a report of ReFrame: name, result, phase of the failure, names of the performance variables.
fn results(report: &Value) -> Vec<(String, String, String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let cases = report["runs"][0]["testcases"].as_array().unwrap();
    let mut all: Vec<_> = cases
        .iter()
        .map(|case| {
            let values = case["perfvalues"].as_object().into_iter().flatten();
            let names = values.map(|(name, _)| name.rsplit(':').next().unwrap().to_owned()).collect();
            (text(&case["name"]), text(&case["result"]), text(&case["fail_phase"]), names)
        })
        .collect();
    all.sort();
    all
}

fn reframe(place: &Place, python: &Path) -> Ran {
    let mut command = Command::new(python.with_file_name("reframe"));
    command.current_dir(place.path("")).env("PYTHONDONTWRITEBYTECODE", "1");
    // It writes its log and its history there.
    command.env("HOME", place.path("")).env("TMPDIR", place.path(""));
    command.env("PYTHONPATH", integrations().join("reframe"));
    command.args(["-c", "checks.py", "-r", "--prefix=reframe", "--report-file=report.json"]);
    command.args(["-S", &format!("program={}", program().display())]);
    command.args(["-S", &format!("directory={}", place.dir().display())]);
    run(&mut command)
}

#[test]
fn reframe_passes_and_fails_by_the_verdicts_of_a_plan() {
    let Some(python) = python() else { return };
    let place = Place::new();
    for row in OUTCOMES {
        place.plan(&with_two_clauses(row));
        fs::rename(place.path("p.toml"), place.path(&format!("{}.toml", row.0))).unwrap();
    }
    fs::write(place.path("checks.py"), checks(&place)).unwrap();
    let ran = reframe(&place, &python);
    assert_eq!(ran.status, Some(1), "some tests fail as they must: {ran:#?}");
    let found = results(&json(&place.path("report.json")));
    let brief: Vec<(&str, &str, &str)> =
        found.iter().map(|one| (one.0.as_str(), one.1.as_str(), one.2.as_str())).collect();
    let wanted = [
        ("Broken", "fail", "sanity"),
        ("Ior", "pass", ""),
        ("Mdtest", "pass", ""),
        ("Plan_FAIL", "fail", "performance"),
        ("Plan_INCONCLUSIVE", "fail", "sanity"),
        ("Plan_INVALID", "fail", "sanity"),
        ("Plan_PASS", "pass", ""),
        ("Slow", "fail", "performance"),
    ];
    assert_eq!(brief, wanted, "{ran:#?}");
    let names = |test: &str| &found.iter().find(|one| one.0 == test).unwrap().3;
    assert_eq!(*names("Ior"), ["read.bw", "write.bw"]);
    assert!(names("Mdtest").contains(&"file_creation.rate".to_owned()), "{found:?}");
    for plan in ["PASS", "FAIL"] {
        let wanted = [&format!("{plan}.write.bw.mean"), &format!("{plan}.write.iops.mean"), "failed"];
        assert_eq!(*names(&format!("Plan_{plan}")), wanted, "a variable for each clause");
    }
}
