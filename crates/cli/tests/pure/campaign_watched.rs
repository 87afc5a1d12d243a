//! Campaigns that are watched from another process, in each of their states, and the command that receives
//! verdicts.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::Ran;
use crate::common::campaign::{Place, alive, json, names, signal, three_tests_with_a_failure, tree, until};

/// Starts a campaign that hangs in its job C.
fn hanging(place: &Place) -> std::process::Child {
    place.plan(&format!("{}{}", place.hanging("-R"), three_tests_with_a_failure()));
    let child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    child
}

fn once(place: &Place, folder: &Path) -> Ran {
    place.assay(&format!("watch --once {}", folder.display()))
}

/// The line of a clause in the view.
fn clause<'r>(ran: &'r Ran, test: &str) -> &'r str {
    let line = ran.out.lines().find(|line| line.starts_with(&format!("{test} ")));
    line.unwrap_or_else(|| panic!("no {test}: {ran:#?}"))
}

#[test]
fn a_running_campaign_shows_verdicts_the_running_job_and_its_process_and_nothing_is_written() {
    let place = Place::new();
    let mut child = hanging(&place);
    let folder = place.folder();
    let before = tree(&folder);
    let ran = once(&place, &folder);
    assert_eq!(ran.status, Some(3), "it has not ended: {ran:#?}");
    assert!(clause(&ran, "A").ends_with(" 1/1  PASS"), "{ran:#?}");
    assert!(clause(&ran, "B").ends_with(" 1/1  FAIL"), "{ran:#?}");
    assert!(clause(&ran, "C").ends_with(" 0/1  open"), "{ran:#?}");
    assert!(ran.out.contains("2 of 3 jobs") && ran.out.contains("\n> C 1  "), "{ran:#?}");
    assert!(ran.out.contains(&format!("It runs as process {} on ", child.id())), "{ran:#?}");
    assert_eq!(tree(&folder), before, "the folder is only read");
    signal("-INT", child.id());
    child.wait().unwrap();
}

#[test]
fn the_watch_of_a_killed_campaign_ends_and_says_how_to_resume() {
    let place = Place::new();
    let mut child = hanging(&place);
    let sleeper = fs::read_to_string(place.path("hang.pid")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let folder = place.folder();
    let ran = once(&place, &folder);
    assert!(ran.out.contains(" is gone, and the campaign has not ended."), "{ran:#?}");
    let ran = place.assay(&format!("watch {}", folder.display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let resume = format!("2 of 3 jobs have ended. Resume it with: assay run --resume {}", folder.display());
    assert!(ran.err.contains(&resume), "{ran:#?}");
    signal("-KILL", sleeper.trim().parse().unwrap());
    until("the end of the job", || !alive(sleeper.trim()));
}

#[test]
fn the_view_of_a_stopped_campaign_says_that_its_process_is_gone() {
    let place = Place::new();
    let mut child = hanging(&place);
    signal("-INT", child.id());
    child.wait().unwrap();
    let ran = once(&place, &place.folder());
    assert!(ran.out.contains(&format!("The process {} on ", child.id())), "{ran:#?}");
    assert!(ran.out.contains(" is gone, and the campaign has not ended. The last change was "), "{ran:#?}");
}

#[test]
fn a_campaign_that_ended_shows_its_verdicts_with_their_status() {
    let place = Place::new();
    place.plan(&three_tests_with_a_failure());
    let ran = place.campaign();
    let folder = place.folder();
    let before = tree(&folder);
    let watched = place.assay(&format!("watch {}", folder.display()));
    assert_eq!((watched.status, ran.status), (Some(1), Some(1)), "{watched:#?}");
    let verdicts = ran.out.split("\n\nReport:").next().unwrap();
    assert!(watched.out.contains(verdicts.trim_end()), "{watched:#?}\n{ran:#?}");
    assert_eq!(once(&place, &folder).status, Some(1));
    assert_eq!(tree(&folder), before);
    assert!(!names(&folder.join("jobs/0001-A-r1")).contains(&".progress.json".to_owned()));
}

#[test]
fn a_folder_that_has_not_begun_is_waited_for_and_other_folders_are_rejected() {
    let place = Place::new();
    let ran = once(&place, &place.dir());
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("is not a campaign folder"), "{ran:#?}");
    assert_eq!(once(&place, &place.path("none")).status, Some(2));
    let begins = place.path("begins");
    fs::create_dir_all(begins.join("jobs")).unwrap();
    fs::write(begins.join("chain.jsonl"), "").unwrap();
    let ran = once(&place, &begins);
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains("The campaign has not begun its first job."), "{ran:#?}");
}

#[test]
fn hostile_progress_is_not_shown_and_no_link_is_followed() {
    let place = Place::new();
    let mut child = hanging(&place);
    let folder = place.folder();
    let job = folder.join("jobs/.0003-C-r1");
    let progress = job.join(".progress.json");
    let _ = fs::remove_file(&progress);
    let shown = r#"{"phase":"\u001b[2Jwrite","bytes":1,"bytes_per_second":5e9,"ranks":1,"ranks_seen":1}"#;
    let padded = format!("{shown:<1007}");
    let digits = results::folder::sha256(padded.as_bytes());
    fs::write(place.path("elsewhere"), format!("{padded}{}\n", &digits[..16])).unwrap();
    std::os::unix::fs::symlink(place.path("elsewhere"), &progress).unwrap();
    assert!(!once(&place, &folder).out.contains("GB/s"), "a link is not followed");
    fs::remove_file(&progress).unwrap();
    fs::copy(place.path("elsewhere"), &progress).unwrap();
    let ran = once(&place, &folder);
    assert!(ran.out.contains("5.00 GB/s") && ran.out.contains("\\u001b[2Jwrite"), "{ran:#?}");
    assert!(!ran.out.contains('\u{1b}'), "{ran:#?}");
    fs::write(&progress, "x".repeat(5000)).unwrap();
    assert!(once(&place, &folder).out.contains("> C 1"), "a file that is too long is ignored");
    signal("-INT", child.id());
    child.wait().unwrap();
}

#[test]
fn a_command_gets_each_decided_verdict_and_the_end_and_the_folder_verifies() {
    let place = Place::new();
    place.plan(&three_tests_with_a_failure());
    let script = "echo $ASSAY_EVENT $ASSAY_TEST $ASSAY_OUTCOME $ASSAY_STATUS $ASSAY_EVIDENCE_HASH >> heard";
    let mut command = place.command("run p.toml --dir dir --notify");
    let ran = crate::common::run(command.arg(script));
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let heard = fs::read_to_string(place.path("heard")).unwrap();
    let lines: Vec<&str> = heard.lines().collect();
    assert_eq!(lines[..3], ["verdict A PASS", "verdict B FAIL", "verdict C PASS"], "{heard}");
    let hash = ran.out.split("Evidence hash: ").nth(1).unwrap().split_whitespace().next().unwrap();
    assert_eq!(lines[3..], [format!("end FAIL 1 {hash}")], "{heard}");
    let folder = place.folder();
    assert_eq!(json(&folder.join("campaign.json"))["notify"], script);
    let chain = fs::read_to_string(folder.join("chain.jsonl")).unwrap();
    assert_eq!(chain.matches("\"what\":\"notified\"").count(), 3, "{chain}");
    let verified = place.assay(&format!("verify {}", folder.display()));
    assert_eq!(verified.status, Some(0), "{verified:#?}");
}

#[test]
fn a_command_that_fails_is_a_warning_and_changes_no_verdict() {
    let place = Place::new();
    place.plan(&three_tests_with_a_failure());
    let mut command = place.command("run p.toml --dir dir --notify");
    let ran = crate::common::run(command.arg("exit 7"));
    assert_eq!(ran.status, Some(1), "that of the verdicts: {ran:#?}");
    assert!(
        ran.err.contains("did not take the verdict on A: the command ended with exit status: 7"),
        "{ran:#?}"
    );
    assert!(ran.err.contains("it gets no further verdicts, only the end."), "{ran:#?}");
    assert!(ran.err.contains("did not take the end"), "{ran:#?}");
    let empty = crate::common::run(place.command("run p.toml --dir dir --notify").arg(" "));
    assert_eq!(empty.status, Some(2), "{empty:#?}");
}

#[test]
fn a_stopped_campaign_tells_that_it_was_stopped() {
    let place = Place::new();
    place.plan(&format!("{}{}", place.hanging("-R"), three_tests_with_a_failure()));
    let mut command = place.command("run p.toml --dir dir --notify");
    command.arg("echo $ASSAY_EVENT $ASSAY_DONE $ASSAY_JOBS >> heard");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    child.wait().unwrap();
    let heard = fs::read_to_string(place.path("heard")).unwrap();
    assert!(heard.ends_with("stopped 2 3\n"), "{heard}");
}
