//! `assay plan init` and `assay plan schema`: a first plan, and the schema of plans.

use std::fs;
use std::path::Path;

use crate::common::campaign::{Place, listed_plan, names};

#[test]
fn a_new_plan_comes_with_its_schema_and_can_be_checked_and_run_unchanged() {
    let place = Place::new();
    let text = place.assay("plan init minimal").ok();
    assert!(text.contains("minimal.toml") && text.contains("assay-plan.schema.json"), "{text}");
    let text = fs::read_to_string(place.path("minimal.toml")).unwrap();
    assert_eq!(text.lines().next(), Some("#:schema ./assay-plan.schema.json"));
    let schema = fs::read_to_string(place.path("assay-plan.schema.json")).unwrap();
    assert_eq!(schema, place.assay("plan schema").ok());
    for scale in ["", " --scale small"] {
        let text = place.assay(&format!("plan check minimal.toml{scale}")).ok();
        assert!(text.starts_with("my-campaign: ") && !text.contains("lint: "), "{text}");
    }
    let ran = place.assay("run minimal.toml --dir dir --scale small --set block=1m");
    let outcomes = place.outcomes();
    let tests: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.split(' ').next()).collect();
    assert_eq!(tests, ["WRITE", "READ", "DATA"], "{ran:#?}");
}

#[test]
fn a_checked_plan_has_the_probability_of_a_pass_for_each_clause_and_for_all() {
    let place = Place::new();
    let criterion = "criterion = { metric = \"write.bw\", stat = \"mean\", op = \">=\", value = \"1 B/s\" }";
    let test = |id: &str| {
        format!("[[test]]\nid = \"{id}\"\nior = \"-w -e -F -t 64k -b 256k\"\nrepetitions = 4\n{criterion}\n")
    };
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n";
    fs::write(place.path("p.toml"), [head, &test("A"), &test("B")].concat()).unwrap();
    let lines = |words: &str| {
        let text = place.assay(&format!("plan check p.toml {words}")).out;
        let own = text.lines().filter(|line| line.contains("% at 5 % better"));
        own.map(|line| line.trim().to_owned()).collect::<Vec<_>>()
    };
    let usual = lines("");
    assert_eq!(usual.len(), 3, "{usual:?}");
    let begin = "A: write.bw mean >= 1 B/s (n = 4, COV 5.0 %): ";
    assert!(usual[0].starts_with(begin) && usual[0].contains("; 90 % at 5 % better needs n = "), "{usual:?}");
    assert!(usual[2].starts_with("all 2 clauses together, if independent: 0."), "{usual:?}");
    assert!(
        lines("--cov 40%")[0].ends_with("; no n up to 200 gives 90 % at 5 % better"),
        "{:?}",
        lines("--cov 40%")
    );
    let ran = place.assay("plan check p.toml --cov 5");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    place.campaign();
    let measured = lines(&format!("--cov-from {}", place.folder().display()));
    assert!(measured.len() == 3 && !measured[0].contains("COV 5.0 %"), "{measured:?}");
}

#[test]
fn the_list_groups_every_plan_of_the_folder_by_its_users() {
    let list = Place::new().assay("plan list").ok();
    let mut listed: Vec<String> =
        list.lines().filter_map(listed_plan).map(|name| format!("{name}.toml")).collect();
    let (_, historic) = list.split_once("\nHistoric: ").expect("a group for old machines");
    assert!(historic.contains("\n  cori-phase1 ") && !historic.contains("\n  nersc10 "), "{list}");
    listed.sort();
    let files = names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans"));
    assert_eq!(listed, files);
}

#[test]
fn every_bundled_plan_can_be_the_start_of_a_plan() {
    let place = Place::new();
    let list = place.assay("plan list").ok();
    let ready: Vec<&str> = list.lines().filter_map(listed_plan).collect();
    assert_eq!(ready.first(), Some(&"try"), "{list}");
    for name in ready {
        place.assay(&format!("plan init {name}")).ok();
        let text = fs::read_to_string(place.path(&format!("{name}.toml"))).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        assert_eq!(
            (first, rest),
            ("#:schema ./assay-plan.schema.json", &*place.assay(&format!("plan show {name}")).ok())
        );
        let checked = place.assay(&format!("plan check {name}.toml")).ok();
        assert!(checked.starts_with(&format!("{name}: ")), "{checked}");
    }
}

#[test]
fn a_bundled_plan_has_priority_over_a_directory_of_its_name() {
    let place = Place::new();
    fs::create_dir(place.path("try")).unwrap();
    assert!(place.assay("plan check try").ok().contains("8 tests, "));
}

#[test]
fn no_existing_file_is_overwritten() {
    let place = Place::new();
    let before = names(&place.path("."));
    for (words, why) in [
        ("plan init minimla", "there is no bundled plan `minimla`. Did you mean `minimal`?"),
        ("plan init cori-phas1", "there is no bundled plan `cori-phas1`. Did you mean `cori-phase1`?"),
        ("plan check cori-phas1", "Give the file of a plan, or a bundled plan. Did you mean `cori-phase1`?"),
        ("plan init minimal no/such/plan.toml", "no/such/plan.toml: "),
    ] {
        let ran = place.assay(words);
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains(why), "{ran:#?}");
        assert_eq!(names(&place.path(".")), before, "{words} leaves no file");
    }
    fs::write(place.path("mine.toml"), "mine").unwrap();
    let ran = place.assay("plan init minimal mine.toml");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("mine.toml already exists. Give another name."), "{ran:#?}");
    assert_eq!(fs::read_to_string(place.path("mine.toml")).unwrap(), "mine");
    // A schema of another version is not overwritten either, and this is reported.
    fs::write(place.path("assay-plan.schema.json"), "{}").unwrap();
    let text = place.assay("plan init minimal other.toml").ok();
    assert!(text.contains("exists with other contents and was not changed"), "{text}");
    assert_eq!(fs::read_to_string(place.path("assay-plan.schema.json")).unwrap(), "{}");
}

#[test]
fn the_schema_is_json_of_the_draft_that_toml_editors_support() {
    let schema = Place::new().assay("plan schema").ok();
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    assert_eq!(schema["definitions"]["test"]["required"], serde_json::json!(["id"]));
}
