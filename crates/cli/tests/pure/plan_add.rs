//! `assay plan add` and the questions of `assay plan init`: clauses from templates.

use std::fs;

use crate::common::campaign::{Place, json, names};
use crate::common::{Ran, only_in_all, run};

const KINDS: [&str; 22] = [
    "bandwidth",
    "iops",
    "metadata",
    "shared-file",
    "integrity",
    "aged",
    "under-load",
    "scaling",
    "projection",
    "external",
    "best-run",
    "sum-score",
    "geometric-score",
    "rules",
    "node-floor",
    "rank-latency",
    "equal-jobs",
    "share-of-accepted",
    "quota",
    "listing",
    "search",
    "no-failure",
];

/// Runs `assay` with arguments that contain blanks.
fn with(place: &Place, words: &[&str]) -> Ran {
    run(place.command("").args(words))
}

/// The findings of `plan check` that are errors or need a waiver.
fn open_findings(text: &str) -> Vec<&str> {
    let found = text.lines().filter(|line| line.starts_with("lint: "));
    found.filter(|line| line.contains(": error ") || line.contains(": needs-waiver ")).collect()
}

#[test]
fn a_plan_from_answers_with_every_kind_of_clause_has_no_open_finding_at_either_scale() {
    let place = Place::new();
    for (launcher, nodes) in [("local", 1), ("srun", 64), ("openmpi", 8)] {
        let file = format!("{launcher}.toml");
        let words = format!(
            "plan init --out {file} --fs-kind any --nodes {nodes} --launcher {launcher} --memory 256GiB \
             --clauses {}",
            KINDS.join(",")
        );
        let shown = place.assay(&words).ok();
        assert!(shown.contains(&file), "{shown}");
        for scale in ["", " --scale small"] {
            let checked = place.assay(&format!("plan check {file}{scale}")).ok();
            assert_eq!(open_findings(&checked), [""; 0], "{file}{scale}: {checked}");
        }
    }
}

#[test]
fn each_kind_becomes_one_clause_of_a_plan_with_clauses_of_a_contract() {
    let place = Place::new();
    let before = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                  [[clause]]\nid = \"C.1\"\ntext = \"1 B/s\"\n[[test]]\nid = \"W\"\nclause = \"C.1\"\n\
                  ior = \"-w -F -e -g -t 1m -b 4m -k\"\ncriterion = { metric = \"write.bw\", op = \">=\", \
                  value = \"1 B/s\" }\n";
    for kind in KINDS {
        fs::write(place.path("p.toml"), before).unwrap();
        let shown = place.assay(&format!("plan add {kind} p.toml")).ok();
        assert!(shown.contains("C.2 is added at its end."), "{shown}");
        let checked = place.assay("plan check p.toml").ok();
        assert!(!checked.contains("clause-untested") && !checked.contains("clause-number"), "{checked}");
        let text = fs::read_to_string(place.path("p.toml")).unwrap();
        assert_eq!(text.matches("[[clause]]").count(), 1 + usize::from(kind != "projection"), "{kind}");
    }
}

#[test]
fn each_kind_can_be_added_to_a_plan_without_parameters_and_keeps_what_was_there() {
    let place = Place::new();
    let before = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n[[test]]\n\
                  id = \"C.1\"\nior = \"-w -F -e -g -t 1m -b 4m -k\"\nrole = \"reported\"";
    for kind in KINDS {
        fs::write(place.path("p.toml"), before).unwrap();
        let shown = place.assay(&format!("plan add {kind} p.toml")).ok();
        assert!(shown.contains("C.2 is added at its end."), "{shown}");
        let text = fs::read_to_string(place.path("p.toml")).unwrap();
        let added = text.strip_prefix(before).unwrap();
        assert!(added.contains("\n# ") && added.contains("C.2"), "a commented clause: {added}");
        let has_mark =
            added.split('<').skip(1).any(|rest| rest.starts_with(|next: char| next.is_uppercase()));
        assert!(!has_mark, "no mark is left: {added}");
        place.assay("plan check p.toml").ok();
    }
}

#[test]
fn id_threshold_and_file_system_are_those_of_the_user() {
    let place = Place::new();
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.a = { dir = \"{dir}/a\" }\n\
                fs.b = { dir = \"{dir}/b\" }\n[[test]]\nid = \"T\"\nfs = \"a\"\nior = \"-w -e\"\n\
                role = \"reported\"\n";
    fs::write(place.path("p.toml"), head).unwrap();
    let unnamed = place.assay("plan add bandwidth p.toml");
    assert_eq!(unnamed.status, Some(2), "{unnamed:#?}");
    assert!(unnamed.err.contains("Add --fs with one of: a, b."), "{unnamed:#?}");
    assert_eq!(fs::read_to_string(place.path("p.toml")).unwrap(), head, "nothing is written");
    let added = ["plan", "add", "bandwidth", "p.toml", "--fs", "b", "--id", "D.7", "--value", "3 TB/s"];
    let ran = with(&place, &added);
    assert!(ran.passed(), "{ran:#?}");
    let text = fs::read_to_string(place.path("p.toml")).unwrap();
    for part in
        ["id = \"D.7w\"", "id = \"D.7r\"", "fs = \"b\"", "value = \"3 TB/s\"", "reach 3 TB/s on average"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let words = ["plan", "add", "integrity", "p.toml", "--fs", "b", "--value", "1 GB/s"];
    let ran = with(&place, &words);
    assert!(ran.status == Some(2) && ran.err.contains("has no threshold"), "{ran:#?}");
}

#[test]
fn a_clause_that_makes_the_plan_invalid_is_not_written() {
    let place = Place::new();
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n[[test]]\n\
                id = \"T\"\nmdtest = \"-F -C -n 5\"\nrole = \"reported\"\n";
    fs::write(place.path("p.toml"), head).unwrap();
    for (words, why) in [
        ("plan add bandwidth p.toml --value 3", "has no unit"),
        ("plan add bandwidth p.toml --id T/x", "nothing was written"),
        ("plan add projection p.toml", "Add one first, with `assay plan add bandwidth`."),
        ("plan add bandwith p.toml", "a similar value exists: 'bandwidth'"),
        ("plan add bandwidth none.toml", "`assay plan init` writes one."),
    ] {
        let ran = place.assay(words);
        assert!(ran.status == Some(2) && ran.err.contains(why), "{words}: {ran:#?}");
        assert_eq!(fs::read_to_string(place.path("p.toml")).unwrap(), head, "{words}");
    }
    assert!(!names(&place.path(".")).contains(&"none.toml".to_owned()));
}

#[test]
fn without_a_terminal_init_asks_nothing_and_names_what_it_needs() {
    let place = Place::new();
    let ran = place.assay("plan init");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert!(ran.err.contains("assay plan init --nodes 8 --launcher srun"), "{ran:#?}");
    for (words, why) in [
        ("plan init --nodes 0", "'0'"),
        ("plan init --launcher slurm", "invalid value 'slurm'"),
        ("plan init --memory 3", "is not an amount of memory. Write for example `256 GiB`."),
        ("plan init --nodes 2 --launcher srun --clauses scaling", "needs at least 4 nodes"),
        ("plan init --clauses projection", "Name `bandwidth` before it."),
    ] {
        let ran = place.assay(words);
        assert!(ran.status == Some(2) && ran.err.contains(why), "{words}: {ran:#?}");
    }
    assert!(!place.path("plan.toml").exists(), "nothing is written");
    place.assay("plan init --clauses integrity").ok();
    assert!(place.path("plan.toml").exists());
    let again = place.assay("plan init --clauses integrity");
    assert!(again.status == Some(2) && again.err.contains("plan.toml already exists."), "{again:#?}");
}

#[test]
fn a_plan_from_answers_runs_at_the_small_scale() {
    let place = Place::new();
    place.assay("plan init --clauses bandwidth,integrity --memory 1GiB").ok();
    let ran = place.assay("run plan.toml --scale small --set block=1m --dir dir");
    let outcomes = place.outcomes();
    let tests: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.split(' ').next()).collect();
    assert_eq!(tests, ["C.1w", "C.1r", "C.2"], "{ran:#?}");
    assert!(outcomes.contains(&"C.2 PASS".to_owned()), "{outcomes:?}");
}

#[test]
fn a_plan_with_the_families_of_clauses_measures_each_of_them() {
    if !only_in_all("a campaign of nine kinds of clauses takes half a minute") {
        return;
    }
    let place = Place::new();
    let kinds = "best-run,sum-score,geometric-score,rules,node-floor,rank-latency,listing,search,no-failure";
    place.assay(&format!("plan init --clauses {kinds} --memory 1GiB")).ok();
    let ran =
        place.assay("run plan.toml --scale small --set block=1m --set deadline= --set files=300 --dir dir");
    let verdicts = json(&place.folder().join("verdicts.json"));
    let found = |metric: &str, key: &str| -> Vec<String> {
        let all = verdicts.as_array().unwrap().iter().filter(|one| one["metric"] == metric);
        all.map(|one| one[key].to_string()).collect()
    };
    // Rates differ from machine to machine, so only their presence counts.
    for (metric, count) in [
        ("write.bw", 2),
        ("read.bw", 2),
        ("score", 2),
        ("write.node.min", 1),
        ("write.latency.p95.rank_max", 1),
        ("find.rate", 1),
    ] {
        let values = found(metric, "value");
        assert!(values.len() == count && values.iter().all(|value| value != "null"), "{metric}: {ran:#?}");
    }
    for metric in ["directory_listing.failures", "find.failures", "write.errors", "read.own_node_share"] {
        assert_eq!(found(metric, "outcome"), ["\"PASS\""], "{metric}: {ran:#?}");
    }
}
