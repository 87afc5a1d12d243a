//! Clauses of a contract, from the plan to every place that counts them.

use crate::common::campaign::{Place, json};

/// Three clauses: the first over two tests, the second by a value as written, the third without a criterion.
const CONTRACT: &str = r#"
[[clause]]
id = "4.2"
text = "files are written and read at 1 B/s"
source = "page 12"
[[clause]]
id = "4.3"
text = "the mean of two runs is at least 100 TB/s"
[[clause]]
id = "4.4"
text = "the file system is available"
[[test]]
id = "W"
clause = "4.2"
ior = "-w -e -t 64k -b 256k -k -G 3"
criterion = [
  { metric = "write.bw", stat = "max", op = ">=", value = "1 B/s", label = "write" },
  { metric = "write.bw", op = ">=", value = "100 TB/s", clause = "4.3", rule = "as-written" },
]
[[test]]
id = "R"
clause = "4.2"
uses = "W"
ior = "-R -t 64k -b 256k -k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors", label = "read" }
"#;

/// Id and outcome of the clause of each criterion.
fn clauses(place: &Place) -> Vec<(String, String)> {
    let verdicts = json(&place.folder().join("verdicts.json"));
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let one = |verdict: &serde_json::Value| {
        let clause = &verdict["contract_clause"];
        (word(&clause["id"]), word(&clause["outcome"]))
    };
    verdicts.as_array().unwrap().iter().map(one).collect()
}

#[test]
fn a_campaign_counts_the_clauses_of_its_contract_and_each_has_one_verdict() {
    let place = Place::new();
    place.plan(CONTRACT);
    let checked = place.assay("plan check p.toml");
    assert!(checked.out.contains("clause-untested") && checked.out.contains("(as written)"), "{checked:#?}");
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert!(ran.out.contains("Of 3 clauses"), "{ran:#?}");
    let told: Vec<(String, String)> = clauses(&place);
    let wanted = [("4.2", "PASS"), ("4.2", "PASS"), ("4.3", "FAIL"), ("4.4", "NOT_RUN")];
    assert_eq!(told, wanted.map(|(id, outcome)| (id.to_owned(), outcome.to_owned())));
    let at = place.folder().display().to_string();
    let csv = place.assay(&format!("report {at} --csv")).out;
    assert!(csv.lines().next().unwrap().ends_with(",clause,clause_outcome,label"), "{csv}");
    let watched = place.assay(&format!("watch {at}"));
    let lines = watched.out.lines().filter(|line| line.starts_with("4."));
    assert!(lines.count() >= 3 && watched.out.contains("2 criteria"), "{watched:#?}");
    let only = place.assay("run p.toml --dir dir --only W --folder dir/only");
    assert!(only.out.contains("The plan has 1 other clause."), "{only:#?}");
    let compared = place.assay(&format!("compare {at} dir/only"));
    assert!(compared.out.contains("Verdicts differ in 1 of 3 clauses."), "{compared:#?}");
    assert!(place.assay(&format!("verify {at}")).out.contains("is intact"));
}

#[test]
fn the_verdict_on_a_selected_clause_is_that_of_all_its_criteria_also_of_tests_that_were_not_selected() {
    let place = Place::new();
    place.plan(&CONTRACT.replace(r#"value = "1 B/s""#, r#"value = "900 PB/s""#));
    for (only, status, counts) in [("R", Some(1), "The only clause is not met."), ("W", Some(1), "2 clauses")]
    {
        let ran = place.assay(&format!("run p.toml --dir dir --only {only} --folder dir/{only}"));
        assert!(ran.status == status && ran.out.contains(counts), "{ran:#?}");
        let judged = place.assay(&format!("judge dir/{only}"));
        assert!(judged.status == status && judged.out.contains(counts), "{judged:#?}");
    }
    place.plan(CONTRACT);
    let ran = place.assay("run p.toml --dir dir --only R --folder dir/met");
    assert!(ran.passed() && ran.out.contains("The plan has 2 other clauses."), "{ran:#?}");
}
