//! A plan to start from and the schema of plans, as somebody meets them who has no plan yet.

use std::fs;

use crate::common::campaign::{Place, names};

#[test]
fn a_new_plan_lies_beside_its_schema_and_can_be_checked_and_run_as_it_is() {
    let place = Place::new();
    let said = place.assay("plan init minimal").ok();
    assert!(said.contains("minimal.toml") && said.contains("assay-plan.schema.json"), "{said}");
    let text = fs::read_to_string(place.path("minimal.toml")).unwrap();
    assert_eq!(text.lines().next(), Some("#:schema ./assay-plan.schema.json"));
    let schema = fs::read_to_string(place.path("assay-plan.schema.json")).unwrap();
    assert_eq!(schema, place.assay("plan schema").ok());
    for scale in ["", " --scale small"] {
        let said = place.assay(&format!("plan check minimal.toml{scale}")).ok();
        assert!(said.starts_with("my-campaign: ") && !said.contains("lint: "), "{said}");
    }
    let ran = place.assay("run minimal.toml --dir dir --scale small --set block=1m");
    let outcomes = place.outcomes();
    let tests: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.split(' ').next()).collect();
    assert_eq!(tests, ["WRITE", "READ", "DATA"], "{ran:#?}");
}

#[test]
fn every_ready_plan_can_be_started_from() {
    let place = Place::new();
    let list = place.assay("plan list").ok();
    let ready: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(ready.contains(&"try"), "{list}");
    for name in ready {
        place.assay(&format!("plan init {name}")).ok();
        let text = fs::read_to_string(place.path(&format!("{name}.toml"))).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(
            (first, rest),
            ("#:schema ./assay-plan.schema.json", &*place.assay(&format!("plan show {name}")).ok())
        );
        place.assay(&format!("plan check {name}.toml")).ok();
    }
}

#[test]
fn a_directory_does_not_stand_for_the_ready_plan_of_its_name() {
    let place = Place::new();
    fs::create_dir(place.path("try")).unwrap();
    assert!(place.assay("plan check try").ok().contains("6 tests, "));
}

#[test]
fn nothing_that_is_there_is_written_over() {
    let place = Place::new();
    let before = names(&place.path("."));
    for (words, why) in [
        ("plan init minimla", "there is no bundled plan `minimla`; did you mean `minimal`?"),
        ("plan init cori-phas1", "there is no bundled plan `cori-phas1`; did you mean `cori-phase1`?"),
        ("plan check cori-phas1", "give a plan's file, or a bundled plan; did you mean `cori-phase1`?"),
        ("plan init minimal no/such/plan.toml", "no/such/plan.toml: "),
    ] {
        let ran = place.assay(words);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains(why), "{ran:#?}");
        assert_eq!(names(&place.path(".")), before, "nothing is left by {words}");
    }
    fs::write(place.path("mine.toml"), "mine").unwrap();
    let ran = place.assay("plan init minimal mine.toml");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("mine.toml is there already and stays as it is"), "{ran:#?}");
    assert_eq!(fs::read_to_string(place.path("mine.toml")).unwrap(), "mine");
    // Nor is a schema of another version, which is told.
    fs::write(place.path("assay-plan.schema.json"), "{}").unwrap();
    let said = place.assay("plan init minimal other.toml").ok();
    assert!(said.contains("another one, and stays as it is"), "{said}");
    assert_eq!(fs::read_to_string(place.path("assay-plan.schema.json")).unwrap(), "{}");
}

#[test]
fn the_schema_is_json_of_the_draft_that_editors_of_toml_read() {
    let schema = Place::new().assay("plan schema").ok();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(schema["definitions"]["test"]["required"], serde_json::json!(["id"]));
}
