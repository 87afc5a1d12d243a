//! Two campaigns in one directory at the same time.

use std::fs;
use std::process::{Child, Stdio};

use crate::common::campaign::{Place, codes_of, data_of, json, passing_test, signal, until};

/// Starts a campaign whose only job hangs. Gives it with the process that makes the job hang.
fn hanging(place: &Place, folder: &str) -> (Child, u32) {
    let file = place.path("hang.pid");
    let _ = fs::remove_file(&file);
    let mut command = place.command(&format!("run p.toml --dir dir --folder {folder}"));
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    until("the job to hang", || file.exists());
    (child, fs::read_to_string(&file).unwrap().trim().parse().unwrap())
}

/// Lets the job continue. Gives what the campaign printed to standard error.
fn released((child, sleep): (Child, u32)) -> String {
    assert!(signal("-KILL", sleep));
    String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
}

#[test]
fn commands_of_a_plan_can_unmount_a_file_system_on_which_the_campaign_has_no_open_file() {
    let place = Place::new();
    let open = format!("find /proc/[0-9]*/fd -lname '{}/*' 2>/dev/null", place.dir().display());
    let setup = format!("setup = [{:?}]\nrepetitions = 2", format!("[ -z \"$({open})\" ]"));
    place.plan(&passing_test("writes").replace("id = \"W\"", &format!("id = \"W\"\n{setup}")));
    let ran = place.assay("run p.toml --dir dir --folder f");
    assert!(ran.out.contains("W") && !ran.out.contains("INVALID"), "{ran:#?}");
}

#[test]
fn two_campaigns_at_once_in_one_directory_warn_each_other() {
    let place = Place::new();
    place.plan(&format!("{}{}", place.hanging("no job has this"), passing_test("writes")));
    place.assay("run p.toml --dir dir --folder before").ok();
    fs::write(place.path("hang"), "-w").unwrap();
    let first = hanging(&place, "first");
    let second = hanging(&place, "second");
    fs::remove_file(place.path("hang")).unwrap();
    for (running, other) in [(first, "second.data"), (second, "first.data")] {
        let printed = released(running);
        let warning = format!("another campaign works in the same directory: {other}.");
        assert_eq!(printed.matches(&warning).count(), 1, "{printed}");
    }
    for (folder, other) in [("first", "second.data"), ("second", "first.data")] {
        let findings = &json(&place.path(folder).join("summary.json"))["findings"];
        let beside = data_of(findings, "campaign-beside");
        assert_eq!(beside["campaigns"], serde_json::json!([other]), "{findings}");
        assert_eq!(place.assay(&format!("judge {folder}")).status, Some(3), "a person must approve it");
    }
    place.assay("run p.toml --dir dir --folder after").ok();
    for folder in ["before", "after"] {
        let findings = &json(&place.path(folder).join("summary.json"))["findings"];
        assert!(!codes_of(findings).contains(&"campaign-beside"), "{folder}: {findings}");
    }
}
