//! Campaigns with tests that run `mdtest`.

use crate::common;
use crate::common::campaign::{Place, shell_test};
use crate::common::mdtest::complaints;

#[test]
fn later_tests_stat_and_remove_the_files_of_an_earlier_test() {
    let place = Place::new();
    place.plan(
        r#"
[[test]]
id = "MADE"
clause = "files are created"
mdtest = "-F -C -n 200 -u -z 1 -b 2 -w 64 -G 7"
repetitions = 1
criterion = { metric = "file_creation.rate", op = ">", value = "1/s" }
[[test]]
id = "COLD"
uses = "MADE"
mdtest = "-F -T -n 200 -u -z 1 -b 2"
repetitions = 1
criterion = { metric = "file_stat.rate", op = ">", value = "1/s" }
[[test]]
id = "SEEN"
uses = "MADE"
cache = "warm"
mdtest = "-F -T -E -r -n 200 -u -z 1 -b 2 -e 64 -X -G 7 --operations list,link"
repetitions = 1
criterion = [
  { metric = "file_stat.rate", op = ">", value = "1/s" },
  { metric = "file_read.latency.p99", op = "<", value = "1 h" },
  { metric = "file_removal.failures", op = "==", value = "0 count" },
  { metric = "file_link.rate", op = ">", value = "1/s" },
]
"#,
    );
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "the node that created the files stat'ed them: {ran:#?}");
    assert_eq!(
        place.outcomes(),
        ["MADE PASS", "COLD INVALID", "SEEN PASS", "SEEN PASS", "SEEN PASS", "SEEN PASS"]
    );
}

#[test]
fn a_stat_of_files_on_the_node_that_created_them_is_evaluated_only_with_a_warm_cache() {
    let place = Place::new();
    let test = |id: &str, cache: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nmdtest = \"-F -C -T -r -n 50\"\nrepetitions = 1\n{cache}\n\
             criterion = [\n\
             {{ metric = \"file_creation.rate\", op = \">\", value = \"1/s\" }},\n\
             {{ metric = \"file_stat.rate\", op = \">\", value = \"1/s\" }},\n]\n"
        )
    };
    place.plan(&[test("COLD", ""), test("WARM", "cache = \"warm\"")].concat());
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(place.outcomes(), ["COLD PASS", "COLD INVALID", "WARM PASS", "WARM PASS"]);
}

#[test]
fn a_plan_with_a_command_line_that_mdtest_rejects_is_rejected() {
    for (line, why) in [
        ("-F -n two", "test T: -n: `two` is not a whole number"),
        ("-F -n 1 -c -S", "-c not compatible with -S"),
        ("-F -n 1 -a MPIIO", "Backend doesn't support MDTest"),
        ("-h", "the command line runs nothing"),
    ] {
        let place = Place::new();
        place.plan(&format!(
            "[[test]]\nid = \"T\"\nmdtest = \"{line}\"\nrepetitions = 1\n\
             criterion = {{ metric = \"file_creation.rate\", op = \">\", value = \"1/s\" }}\n"
        ));
        let ran = common::run(&mut place.command("plan check p.toml"));
        let ran = common::Ran { err: ran.err.replace("assay: ", "mdtest: "), ..ran };
        assert_eq!(ran.status, Some(2), "{line}: {ran:#?}");
        assert!(complaints(&ran).iter().any(|error| error.contains(why)), "{line}: {ran:#?}");
    }
}

/// A plan knows the phases of an operation without running it.
#[test]
fn a_criterion_may_use_any_operation_of_mdtest() {
    let dir = tempfile::tempdir().unwrap();
    let help = common::mdtest::mdtest(dir.path(), 1, "-h").out;
    let names = help.lines().find_map(|line| line.strip_prefix("Operations for --operations: ")).unwrap();
    let names: Vec<&str> = names.trim_end_matches('.').split(", ").collect();
    assert!(names.len() > 5, "{help}");
    for name in names {
        let line = format!("-F -n 1 --operations {name}");
        let file = format!("{name}.records");
        common::mdtest::mdtest(dir.path(), 1, &format!("-a DUMMY {line} --record {file}"));
        let records = std::fs::read_to_string(dir.path().join(file)).unwrap();
        let classic =
            ["file_creation", "file_stat", "file_read", "file_removal", "tree_creation", "tree_removal"];
        let mut phases = records.lines().filter_map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            record["phase"].as_str().filter(|phase| !classic.contains(phase)).map(str::to_owned)
        });
        let phase = phases.next().unwrap_or_else(|| panic!("{name} has no phase: {records}"));
        let place = Place::new();
        place.plan(&format!(
            "[[test]]\nid = \"T\"\nmdtest = \"{line}\"\nrepetitions = 1\n\
             criterion = {{ metric = \"{phase}.rate\", op = \">\", value = \"1/s\" }}\n"
        ));
        let ran = common::run(&mut place.command("plan check p.toml"));
        assert!(ran.passed(), "{name}: {ran:#?}");
    }
}

#[test]
fn variables_for_the_text_of_a_workload_do_not_reach_the_jobs() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"A\"\nmdtest = \"-D -n 5\"\nrepetitions = 1\ncache = \"warm\"\n\
         criterion = { metric = \"directory_rename.rate\", op = \">\", value = \"1/s\" }\n",
    );
    let mut command = place.command("run p.toml --dir dir");
    let ran = common::run(command.env("ASSAY_COMPAT", "1.9").env("ASSAY_PLAIN", "yes"));
    assert_eq!(place.outcomes(), ["A PASS"], "version 1.9 has no renames: {ran:#?}");
    let out = std::fs::read_to_string(place.folder().join("jobs/0001-A-r1/stdout.txt")).unwrap();
    assert!(out.contains("mdtest-4.1.0+dev was launched"), "{out}");
}

#[test]
fn the_time_after_which_a_call_is_reported_follows_from_the_time_limit_of_the_job() {
    let place = Place::new();
    place.plan(&shell_test("A", "echo after $ASSAY_WAIT_REPORT"));
    let mut command = place.command("run p.toml --dir dir");
    let ran = common::run(command.env("ASSAY_WAIT_REPORT", "99999"));
    let out = std::fs::read_to_string(place.folder().join("jobs/0001-A-r1/stdout.txt")).unwrap();
    assert!(out.starts_with("after 22\n"), "a quarter of 90 s: {out} {ran:#?}");
}
