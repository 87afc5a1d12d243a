//! Campaigns with tests that run `fdtree`.

use crate::common;
use crate::common::campaign::Place;
use crate::common::fdtree::complaint;

const SHAPE: &str = "-l 2 -d 2 -f 3 -s 1";

#[test]
fn a_test_removes_the_trees_of_an_earlier_test() {
    let place = Place::new();
    place.plan(&format!(
        r#"
[[test]]
id = "ALL"
clause = "a tree is made and removed"
fdtree = "{SHAPE}"
ranks = 1
repetitions = 1
criterion = [
  {{ metric = "file_creation.rate", op = ">", value = "1/s" }},
  {{ metric = "directory_removal.failures", op = "==", value = "0 count" }},
]
[[test]]
id = "MADE"
fdtree = "-C {SHAPE}"
repetitions = 1
criterion = {{ metric = "directory_creation.latency.p99", op = "<", value = "1 h" }}
[[test]]
id = "GONE"
uses = "MADE"
fdtree = "-R {SHAPE}"
repetitions = 1
criterion = {{ metric = "file_removal.rate", op = ">", value = "1/s" }}
"#
    ));
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["ALL PASS", "ALL PASS", "MADE PASS", "GONE PASS"]);
}

#[test]
fn a_plan_with_a_command_line_that_fdtree_rejects_is_rejected() {
    for (line, why) in [
        ("-l two", "test T: -l two: not a whole number of 0 or more"),
        ("-C -l 1 -s 2k", "test T: -s 2k: not a whole number of 0 or more"),
        ("-l 90 -d 9", "more than 2^63 directories, files or bytes"),
        ("-h", "the command line runs nothing"),
        ("-x", "unknown option `-x`"),
    ] {
        let place = Place::new();
        place.plan(&format!(
            "[[test]]\nid = \"T\"\nfdtree = \"{line}\"\nrepetitions = 1\n\
             criterion = {{ metric = \"file_creation.rate\", op = \">\", value = \"1/s\" }}\n"
        ));
        let ran = common::run(&mut place.command("plan check p.toml"));
        let err = ran.err.replace("assay: ", "fdtree: ");
        let error = complaint(&common::Ran { err, ..ran }, 2);
        assert!(error.contains(why), "{line}: {error}");
    }
}
