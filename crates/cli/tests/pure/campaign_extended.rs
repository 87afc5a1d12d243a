//! Repetitions that are added to a campaign after its verdicts were known.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::campaign_stopped_anywhere::killed_at;
use crate::common::campaign::{Place, codes_of, data_of, json, names, there};

/// A test that writes, one that reads what it wrote, and one that reads a dataset.
const TESTS: &str = r#"
[dataset.d]
ior = "-w -e -k -F -t 64k -b 128k -G 3"
[[test]]
id = "W"
repetitions = 2
ior = "-w -e -t 64k -b 128k -k -G 3"
criterion = { metric = "write.bw", stat = "median", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
uses = "W"
ior = "-R -t 64k -b 128k -k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
[[test]]
id = "D"
uses = "dataset.d"
ior = "-R -t 64k -b 128k -k -F -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

#[test]
fn a_campaign_lists_those_that_the_same_plan_had_before() {
    let place = Place::new();
    place.plan(TESTS);
    place.campaign();
    let first = place.folder();
    let hash = |folder: &Path| fs::read_to_string(folder.join("chain.jsonl")).unwrap();
    let hash = hash(&first).trim_end().rsplit_once("\"hash\":\"").unwrap().1[..64].to_owned();
    place.assay("run p.toml --dir dir --folder second");
    let info = json(&place.path("second/campaign.json"));
    let earlier = &info["earlier"];
    assert_eq!(earlier.as_array().unwrap().len(), 1, "{earlier}");
    let name = first.file_name().unwrap().to_str().unwrap();
    let found = ["folder", "outcome", "evidence_hash"].map(|key| earlier[0][key].as_str().unwrap());
    assert_eq!(found, [name, "INCONCLUSIVE", &hash]);
    let page = fs::read_to_string(place.path("second/report.html")).unwrap();
    assert!(page.contains(&format!("{name}: INCONCLUSIVE")), "page one lists it");
    assert_eq!(place.whole_jobs("second"), 5);
}

const EXTEND: &str = "run --reason certainty --repetitions 2 --extend";

#[test]
fn an_extended_campaign_has_the_repetitions_of_all_looks_and_stricter_limits() {
    let place = Place::new();
    place.plan(TESTS);
    assert_eq!(place.campaign().status, Some(3), "two repetitions have no limit of their median");
    let folder = place.folder();
    let at = folder.display().to_string();
    let first = fs::read(folder.join("verdicts.json")).unwrap();
    let ran = place.assay(&format!("{EXTEND} {at}"));
    assert!(ran.err.contains("12/12"), "{ran:#?}");
    assert_eq!(fs::read(folder.join("look-1-verdicts.json")).unwrap(), first);
    let extension = json(&folder.join("look-1-extension.json"));
    assert_eq!((&extension["repetitions"], &extension["reason"]), (&2.into(), &"certainty".into()));
    let jobs = names(&folder.join("jobs"));
    assert_eq!(
        jobs[5..],
        ["0006-W-r3", "0007-W-r4", "0008-R-r2", "0009-R-r3", "0010-dataset.d-r2", "0011-D-r2", "0012-D-r3"]
    );
    let verdicts = json(&folder.join("verdicts.json"));
    let statistics = &verdicts[0]["statistics"];
    assert_eq!(statistics["values"].as_array().unwrap().len(), 4, "{statistics}");
    let findings = &json(&folder.join("summary.json"))["findings"];
    let looks = data_of(findings, "unplanned-looks");
    assert_eq!((&looks["looks"], &looks["planned_looks"]), (&2.into(), &1.into()), "{looks}");
    assert!(looks["wrong_max"].to_string().contains("0.075"), "0.05 and half of it: {looks}");
    assert!(looks["confidence"].to_string().contains("0.975"), "{looks}");
    assert_eq!(place.whole_jobs(&at), 12);
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains("2 repetitions more of all tests. Reason: certainty"));
    let left = names(&place.dir());
    assert_eq!(left.len(), 1, "files of the extension are removed: {left:?}");
}

#[test]
fn an_extension_keeps_the_nonce_and_the_witness_of_its_campaign() {
    let place = Place::new();
    place.plan(TESTS);
    place.assay("run p.toml --dir dir --nonce lot-7 --witness seen");
    let at = place.folder().display().to_string();
    let rejected = place.assay(&format!("{EXTEND} {at} --nonce other"));
    assert_eq!(rejected.status, Some(2), "{rejected:#?}");
    place.assay(&format!("{EXTEND} {at}"));
    let ran = place.assay(&format!("verify {at} --nonce lot-7 --witness seen"));
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let run = json(&place.folder().join("campaign.json"))["data_key"]["nonce"].clone();
    assert_eq!(run, "lot-7");
}

#[test]
fn planned_looks_share_the_error_and_need_no_waiver() {
    let place = Place::new();
    place.plan(&format!("{TESTS}decide = {{ rule = \"mean\", looks = 2 }}\n"));
    place.campaign();
    let at = place.folder().display().to_string();
    let extend =
        |only: &str| place.assay(&format!("run --reason c --repetitions 1 --only {only} --extend {at}"));
    extend("D");
    let findings = json(&place.folder().join("summary.json"))["findings"].clone();
    assert!(data_of(&findings, "planned-looks")["wrong_max"].to_string().contains("0.05"), "{findings:#}");
    assert!(!codes_of(&findings).contains(&"unplanned-looks"), "only D was extended");
    extend("D");
    let findings = json(&place.folder().join("summary.json"))["findings"].clone();
    assert_eq!(data_of(&findings, "unplanned-looks")["looks"], 3);
    assert_eq!(place.whole_jobs(&at), 5 + 2 + 2);
}

#[test]
fn a_campaign_that_has_not_ended_or_is_not_intact_is_not_extended() {
    let place = Place::new();
    place.plan(TESTS);
    place.campaign();
    let folder = place.folder();
    let at = folder.display().to_string();
    let chain = fs::read(folder.join("chain.jsonl")).unwrap();
    let unchanged = || assert_eq!(fs::read(folder.join("chain.jsonl")).unwrap(), chain);
    for (words, says) in [
        (format!("{EXTEND} {at} --only X"), "has no test `X`"),
        (format!("run --repetitions 0 --reason c --extend {at}"), "0"),
        (format!("run --repetitions 1 --extend {at}"), "--reason"),
        (format!("{EXTEND} {at} --resume {at}"), "--resume"),
        (format!("{EXTEND} {at}/jobs"), "is not a campaign folder"),
    ] {
        let ran = place.assay(&words);
        assert!(ran.status == Some(2) && ran.err.contains(says), "{words}: {ran:#?}");
        unchanged();
    }
    fs::write(folder.join("jobs/0001-W-r1/stdout.txt"), "faster").unwrap();
    let ran = place.assay(&format!("{EXTEND} {at}"));
    assert!(ran.status == Some(2) && ran.err.contains("is not intact, so it cannot be extended"), "{ran:#?}");
    unchanged();
    fs::remove_file(folder.join("report.html")).unwrap();
    let ran = place.assay(&format!("{EXTEND} {at}"));
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    unchanged();
}

#[test]
fn an_extension_killed_at_any_rename_is_completed_by_resuming() {
    if !there("strace") {
        return;
    }
    let place = Place::new();
    place.plan(TESTS);
    place.campaign();
    let folder = place.folder();
    let at = folder.display().to_string();
    let kept = place.path("kept");
    let copied = |from: &Path, to: &Path| {
        assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
    };
    copied(&folder, &kept);
    // Four files of the first look, the extension, and two of the first job.
    for number in 1..=7 {
        fs::remove_dir_all(&folder).unwrap();
        copied(&kept, &folder);
        assert!(killed_at(&place, &format!("{EXTEND} {at}"), "renameat", number), "{number}");
        let ran = place.assay(&format!("verify {at}"));
        assert_eq!(ran.status, Some(0), "killed at renameat {number}: {ran:#?}");
        let ran = place.assay(&format!("run --resume {at}"));
        assert!(matches!(ran.status, Some(0 | 3)), "killed at renameat {number}: {ran:#?}");
        assert_eq!(place.whole_jobs(&at), 12, "killed at renameat {number}");
    }
}

#[test]
fn a_file_that_is_added_under_a_name_of_the_last_look_is_found() {
    let place = Place::new();
    place.plan(TESTS);
    place.campaign();
    let folder = place.folder();
    let at = folder.display().to_string();
    place.assay(&format!("{EXTEND} {at}"));
    for name in ["look-2-verdicts.json", "look-1-other.json", "look-1-verdicts.json.old"] {
        fs::write(folder.join(name), "[]").unwrap();
        let ran = place.assay(&format!("verify {at}"));
        assert!(ran.status == Some(3) && ran.out.contains(name), "{ran:#?}");
        fs::remove_file(folder.join(name)).unwrap();
    }
    assert_eq!(place.whole_jobs(&at), 12);
}
