//! Findings about the plan that are changed in the folder. They follow from the plan, so every command finds
//! them again.

use std::fs;

use serde_json::{Value, json};

use crate::common::campaign::Place;
use crate::common::forged;

/// Writes without a flush, or with one.
fn campaign(flush: &str) -> Place {
    let place = Place::new();
    place.plan(&format!(
        "[[test]]\nid = \"W\"\nior = \"-w -F {flush} -t 64k -b 16m\"\nrepetitions = 3\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\", rule = \"as-written\" }}\n"
    ));
    let ran = place.assay("run p.toml --dir dir --allow-lint-errors");
    assert!(matches!(ran.status, Some(0 | 3)), "{ran:#?}");
    place
}

/// Removes verdicts and report, changes the findings, and makes a hash chain that fits. A finding stays if
/// `change` gives true.
fn forge(place: &Place, change: fn(&mut Value) -> bool) {
    let dir = place.folder();
    for name in ["verdicts.json", "summary.json", "report.html"] {
        let _ = fs::remove_file(dir.join(name));
    }
    let mut info = crate::common::campaign::json(&dir.join("campaign.json"));
    info["findings"].as_array_mut().unwrap().retain_mut(change);
    fs::write(dir.join("campaign.json"), info.to_string()).unwrap();
    let chain = fs::read_to_string(dir.join("chain.jsonl")).unwrap();
    let of_verdicts = |line: &&str| line.contains("\"what\":\"verdicts\"");
    let before: Vec<&str> = chain.lines().take_while(|line| !of_verdicts(line)).collect();
    fs::write(dir.join("chain.jsonl"), format!("{}\n", before.join("\n"))).unwrap();
    forged::chain(&dir, &|_| {});
}

fn is_other(one: &mut Value) -> bool {
    one["reason"]["code"] != "missing-persist"
}

fn less_severe(one: &mut Value) -> bool {
    one["severity"] = json!("info");
    true
}

fn waived(one: &mut Value) -> bool {
    one["waived"] = json!({"approved_by": "n", "why": "w"});
    true
}

#[test]
fn a_finding_about_the_plan_counts_although_the_folder_leaves_it_out_or_changes_it() {
    for change in [is_other, less_severe, waived] {
        let place = campaign("");
        let dir = place.folder();
        forge(&place, change);
        assert_eq!(place.assay(&format!("judge {}", dir.display())).status, Some(3));
        let resumed = place.assay(&format!("run --resume {}", dir.display()));
        assert_ne!(resumed.status, Some(0), "{resumed:#?}");
        let verified = place.assay(&format!("verify {} --plan p.toml", dir.display()));
        assert_eq!(verified.status, Some(3), "{verified:#?}");
        let fault =
            "campaign.json does not have the error missing-persist about W, which follows from the plan";
        assert!(verified.out.contains(fault), "{verified:#?}");
    }
}

#[test]
fn an_honest_campaign_has_all_findings_about_its_plan() {
    let place = campaign("-e");
    let dir = place.folder();
    forge(&place, |_| true);
    place.assay(&format!("run --resume {}", dir.display())).ok();
    place.assay(&format!("verify {} --plan p.toml", dir.display())).ok();
    // Also one with findings.
    let place = campaign("");
    let verified = place.assay(&format!("verify {} --plan p.toml", place.folder().display()));
    assert_eq!(verified.status, Some(0), "{verified:#?}");
}
