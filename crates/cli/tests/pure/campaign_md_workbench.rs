//! Campaigns with tests that run `md-workbench`.

use std::fs;

use crate::common;
use crate::common::campaign::Place;

const SET: &str = "-P 40 -I 20 -D 2 -R 2 -S 100";

#[test]
fn a_test_is_evaluated_by_each_phase_and_each_kind_of_operation() {
    let place = Place::new();
    // Small sets vary much, so the mean of two would often be INCONCLUSIVE.
    place.plan(&format!(
        r#"
[[test]]
id = "WARM"
clause = "a working set of small objects is renewed"
md_workbench = "{SET} -X"
ranks = 2
repetitions = 2
decide = {{ rule = "min" }}
cache = "warm"
criterion = [
  {{ metric = "precreate.rate", op = ">", value = "1/s" }},
  {{ metric = "benchmark.rate", op = ">", value = "1/s" }},
  {{ metric = "benchmark_create.latency.p99", op = "<", value = "1 h" }},
  {{ metric = "benchmark_stat.iops", op = ">", value = "1/s" }},
  {{ metric = "benchmark_delete.rate", op = ">", value = "1000 G/s" }},
  {{ metric = "cleanup.failures", op = "==", value = "0 count" }},
  {{ metric = "benchmark_read.errors", op = "==", value = "0 errors" }},
]
[[test]]
id = "COLD"
md_workbench = "{SET}"
ranks = 2
repetitions = 2
decide = {{ rule = "min" }}
criterion = [
  {{ metric = "benchmark.rate", op = ">", value = "1/s" }},
  {{ metric = "benchmark_read.rate", op = ">", value = "1/s" }},
]
"#
    ));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(
        place.outcomes(),
        [
            "WARM PASS",
            "WARM PASS",
            "WARM PASS",
            "WARM PASS",
            "WARM FAIL",
            "WARM PASS",
            "WARM PASS",
            "COLD PASS",
            "COLD INVALID"
        ],
        "one node reads what it has created: {ran:#?}"
    );
}

#[test]
fn missing_objects_fail_a_criterion_on_failures_and_make_rates_invalid() {
    let place = Place::new();
    // One rank creates only four objects, and looks for seven.
    place.plan(
        r#"
[[test]]
id = "T"
md_workbench = "-P 4 -I 7 -D 1 -R 1 -S 100 -X --read-only"
ranks = 1
repetitions = 1
cache = "warm"
criterion = [
  { metric = "benchmark.failures", op = "==", value = "0 count" },
  { metric = "benchmark_stat.failures", op = "==", value = "3 count" },
  { metric = "benchmark_read.failures", op = "==", value = "0 count" },
  { metric = "benchmark_read.errors", op = "==", value = "0 errors" },
  { metric = "cleanup.failures", op = "==", value = "0 count" },
  { metric = "benchmark.rate", op = ">", value = "1/s" },
]
"#,
    );
    let ran = place.campaign();
    assert_eq!(place.outcomes(), ["T FAIL", "T PASS", "T PASS", "T PASS", "T PASS", "T INVALID"], "{ran:#?}");
    assert_eq!(place.whole_jobs(place.folder()), 1);
    let report = fs::read_to_string(place.folder().join("report.html")).unwrap();
    let (_, table) = report.split_once("Failed operations by path").expect("a table of failed operations");
    let (table, _) = table.split_once("</table>").unwrap();
    assert_eq!(table.matches("<tr><td>").count(), 3, "each failed operation is listed once: {table}");
}

#[test]
fn a_plan_with_a_command_line_that_md_workbench_rejects_is_rejected() {
    for (line, metric, why) in [
        ("-P two", "benchmark.rate", "`two` is not a whole number"),
        ("-P 1 -a MPIIO", "benchmark.rate", "Backend doesn't support MD-Workbench"),
        ("-P 1 -3", "benchmark.rate", "a test of md-workbench runs all three phases"),
        ("-P 1 --read-only", "benchmark_create.rate", "does not yield `benchmark_create.rate`"),
        ("-P 1 --red-only", "benchmark.rate", "Did you mean `--read-only`?"),
    ] {
        let place = Place::new();
        place.plan(&format!(
            "[[test]]\nid = \"T\"\nmd_workbench = \"{line}\"\nrepetitions = 1\n\
             criterion = {{ metric = \"{metric}\", op = \">\", value = \"1/s\" }}\n"
        ));
        let ran = common::run(&mut place.command("plan check p.toml"));
        assert_eq!(ran.status, Some(2), "{line}: {ran:#?}");
        assert!(ran.err.contains("test T: ") && ran.err.contains(why), "{line}: {ran:#?}");
    }
}
