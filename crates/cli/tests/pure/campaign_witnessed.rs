//! Campaigns that hand out the hash of their chain to a witness, and folders that were cut behind its back.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::common::campaign::{Place, THREE_TESTS, codes_of, json, names, signal, until};

/// A listener of the buyer, until dropped.
struct Listener {
    child: Child,
    address: String,
}

impl Listener {
    fn new(place: &Place, log: &str) -> Self {
        let mut command = place.command(&format!("witness --listen 127.0.0.1:0 --log {log}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address =
            line.trim().strip_prefix("Listening on ").unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a campaign with the witness `log`, and stops it in its job C.
fn stopped_in_c(place: &Place) {
    place.plan(&format!("{}{THREE_TESTS}", place.hanging("-R")));
    let mut child = place.start("run p.toml --dir dir --witness log");
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    child.wait().unwrap();
    fs::remove_file(place.path("hang")).unwrap();
}

fn resumed(place: &Place) {
    place.assay(&format!("run --resume {}", place.folder().display())).ok();
}

/// The exit status of `assay verify`.
fn verified(place: &Place, words: &str) -> Option<i32> {
    place.assay(&format!("verify {words} {}", place.folder().display())).status
}

/// Removes the lines of the chain from the first one with this text on.
fn cut_chain(folder: &Path, from: &str) {
    let path = folder.join("chain.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let kept: String = text.split_inclusive('\n').take_while(|line| !line.contains(from)).collect();
    assert!(kept.len() < text.len());
    fs::write(path, kept).unwrap();
}

#[test]
fn a_listener_has_every_begin_and_end_and_the_evidence_hash_and_continues_its_log() {
    let place = Place::new();
    place.plan(THREE_TESTS);
    for folder in ["one", "two"] {
        let listener = Listener::new(&place, "log");
        let words = format!("--folder {folder} --nonce {folder} --witness tcp://{}", listener.address);
        place.assay(&format!("run p.toml --dir dir {words}")).ok();
    }
    for folder in ["one", "two"] {
        let out = place.assay(&format!("verify --witness log --nonce {folder} {folder}")).ok();
        // The campaign, three jobs, and the evidence hash.
        assert!(out.contains("Witnessed:     8 entries in log, the promptest after "), "{out}");
        let other = if folder == "one" { "two" } else { "one" };
        assert!(out.contains(&format!("note: log has 1 other campaign with the nonce {other}\n")), "{out}");
        let course = &json(&place.path(folder).join("summary.json"))["course"]["witness"];
        assert_eq!((course["taken"].as_u64(), course["missed"].as_u64()), (Some(7), Some(0)), "{course}");
    }
}

#[test]
fn a_rollback_before_a_bad_repetition_and_a_resume_are_found_by_the_witness() {
    let place = Place::new();
    stopped_in_c(&place);
    let folder = place.folder();
    cut_chain(&folder, "\"what\":\"begun\",\"path\":\"jobs/0002-B-r1\"");
    for job in names(&folder.join("jobs")).iter().filter(|job| !job.contains("0001")) {
        fs::remove_dir_all(folder.join("jobs").join(job)).unwrap();
    }
    resumed(&place);
    assert_eq!(place.outcomes(), ["A PASS", "B PASS", "C PASS"]);
    assert_eq!(verified(&place, ""), Some(0), "the folder alone does not show it");
    let ran = place.assay(&format!("verify --witness log {}", folder.display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains("the chain was cut"), "{ran:#?}");
}

#[test]
fn a_campaign_that_was_honestly_stopped_and_resumed_verifies_with_its_witness() {
    let place = Place::new();
    stopped_in_c(&place);
    assert_eq!(verified(&place, "--witness log"), Some(0), "before it has ended");
    resumed(&place);
    assert_eq!(verified(&place, "--witness log"), Some(0));
    let course = &json(&place.folder().join("summary.json"))["course"];
    assert_eq!((course["resumed"].as_u64(), course["witness"]["missed"].as_u64()), (Some(1), Some(0)));
}

#[test]
fn a_job_that_ran_while_the_witness_was_cut_off_is_found() {
    let place = Place::new();
    place.plan(THREE_TESTS);
    place.assay("run p.toml --dir dir --witness log").ok();
    let log = fs::read_to_string(place.path("log")).unwrap();
    let without: String =
        log.split_inclusive('\n').enumerate().filter(|(at, _)| *at != 3).map(|(_, line)| line).collect();
    fs::write(place.path("log"), without).unwrap();
    assert_eq!(verified(&place, "--witness log"), Some(3));
}

#[test]
fn a_witness_that_does_not_answer_is_said_and_is_an_open_finding() {
    let place = Place::new();
    place.plan(THREE_TESTS);
    let ran = crate::common::run(place.command("run p.toml --dir dir --witness").arg("exec:exit 1"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.err.contains("exec:exit 1 did not take the hash"), "{ran:#?}");
    let summary = json(&place.folder().join("summary.json"));
    assert!(codes_of(&summary["findings"]).contains(&"witness-silent"), "{summary:#}");
    assert_eq!(summary["course"]["witness"]["missed"], 7);
    assert_eq!(verified(&place, ""), Some(0));
}

#[test]
fn a_file_that_is_no_log_of_a_witness_is_never_changed() {
    let place = Place::new();
    place.plan(THREE_TESTS);
    fs::write(place.path("letter"), "Dear buyer\n").unwrap();
    for words in [
        "run p.toml --dir dir --witness letter",
        "witness --listen 127.0.0.1:0 --log letter",
        "witness --listen nowhere --log log",
        "run p.toml --dir dir --witness tcp://nowhere",
    ] {
        assert_eq!(place.assay(words).status, Some(2), "{words}");
    }
    assert_eq!(fs::read_to_string(place.path("letter")).unwrap(), "Dear buyer\n");
    assert!(names(&place.dir()).is_empty());
    place.campaign().ok();
    assert_eq!(verified(&place, "--witness letter"), Some(2));
}

#[test]
fn the_time_from_the_nonce_to_the_first_hash_is_stated_and_a_hash_before_the_nonce_is_a_fault() {
    let place = Place::new();
    place.plan(THREE_TESTS);
    place.assay("run p.toml --dir dir --folder one --nonce lot --witness log").ok();
    let verify = |given: &str| place.assay(&format!("verify --witness log --nonce-given {given} one"));
    let out = verify("2026-01-01T00:00:00Z").ok();
    assert!(out.contains(" s after the nonce was given\n"), "{out}");
    let early = verify("2100-01-01T00:00:00Z");
    assert_eq!(early.status, Some(3), "{early:#?}");
    assert!(early.out.contains(" s before the nonce was given\n"), "{early:#?}");
    let removed = fs::read_to_string(place.path("log")).unwrap().replace("\"nonce\":\"lot\",", "");
    fs::write(place.path("log"), removed).unwrap();
    let ran = place.assay("verify --witness log one");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains("the witness received the campaign without its nonce"), "{ran:#?}");
}
