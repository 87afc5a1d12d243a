//! All errors of a plan are printed at once, by every command that reads it.

use std::fs;

use crate::common::campaign::{Place, names};

#[test]
fn a_plan_with_several_errors_is_rejected_with_all_of_them_and_nothing_is_created() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"A\"\nior = \"-w\"\nrepetition = 3\n[[test]]\nid = \"B\"\nior = \"-w\"\n\
         timeout = \"10\"\nrole = \"reported\"\n[[test]]\nid = \"C\"\nuses = \"A\"\nior = \"-r -k\"\n\
         role = \"reported\"\n",
    );
    for command in ["plan check p.toml", "run p.toml --dir dir"] {
        let ran = place.assay(command);
        let lines: Vec<&str> = ran.err.lines().collect();
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
        assert_eq!(
            lines,
            [
                "assay: p.toml:9:1: unknown key `repetition`. Did you mean `repetitions`?",
                "assay: p.toml:13:11: test B: timeout: `10` has no unit. Write for example `30 s`.",
            ]
        );
    }
    assert_eq!(names(&place.dir()), [""; 0]);
}

#[test]
fn command_lines_that_a_workload_rejects_are_reported_together() {
    let place = Place::new();
    let test =
        |id: &str, line: &str| format!("[[test]]\nid = \"{id}\"\nior = \"{line}\"\nrole = \"reported\"\n");
    place.plan(&[test("A", "-w -b 3 -t 2"), test("B", "-w"), test("C", "-w -a NONE")].concat());
    let ran = place.assay("plan check p.toml");
    let places: Vec<&str> = ran.err.lines().filter_map(|line| line.split(": ").nth(1)).collect();
    assert_eq!((ran.status, &places[..]), (Some(2), &["p.toml:8:7", "p.toml:16:7"][..]), "{ran:#?}");
    assert!(fs::exists(place.path("p.toml")).unwrap());
}
