//! Campaigns whose data is keyed by a secret and by the buyer's nonce.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::common::campaign::{Place, json, names, signal, tree, until};
use crate::common::options::secret;

/// A write, and a dataset that another job reads and compares.
const TESTS: &str = r#"
[dataset.d]
ior = "-w -e -k -F -t 64k -b 256k -G 3"
[[test]]
id = "R"
uses = "dataset.d"
ior = "-R -k -F -t 64k -b 256k -G 3"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
[[test]]
id = "M"
mdtest = "-F -C -E -n 4 -w 4096 -e 4096 -X -G 3 --dataPacketType stamped"
criterion = { metric = "file_creation.rate", op = ">=", value = "1/s" }
"#;

/// A place with a key and a plan.
fn place(head: &str) -> Place {
    let place = Place::new();
    secret(&place.path("key"));
    place.plan(&format!("{head}{TESTS}"));
    place
}

/// A launcher that removes the argument that begins with `start`.
fn stripping(place: &Place, start: &str) -> String {
    let script = place.path("strip.sh");
    let text = format!(
        "ranks=$1 program=$2\nshift 2\nfor word do shift\n  case \"$word\" in {start}*) ;; *) set -- \"$@\" \
         \"$word\";; esac\ndone\nexec \"$program\" -n \"$ranks\" \"$@\"\n"
    );
    fs::write(&script, text).unwrap();
    format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
         probe = false\n"
    )
}

/// The phases of all jobs of a campaign.
fn phases(folder: &Path) -> Vec<Value> {
    let jobs = names(&folder.join("jobs")).into_iter();
    let read = |job: String| fs::read_to_string(folder.join("jobs").join(job).join("records.jsonl")).unwrap();
    let text: String = jobs.map(read).collect();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["record"] == "phase").collect()
}

/// Jobs that write the same command line, and a job that compares what one of them wrote.
const ALIKE: &str = r#"
[[test]]
id = "W"
ior = "-w -e -k -F -t 64k -b 256k -G 3"
repetitions = 2
role = "reported"
[[test]]
id = "R"
uses = "W"
ior = "-R -k -F -t 64k -b 256k -G 3"
repetitions = 2
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;

#[test]
fn each_job_writes_its_own_data_and_a_launcher_that_makes_it_the_same_is_invalid() {
    let texts = |place: &Place| {
        let jobs = place.folder().join("jobs");
        let text = |job: &String| {
            let words = json(&jobs.join(job).join("job.json"))["argv"].clone();
            let words: Vec<String> = serde_json::from_value(words).unwrap();
            words.into_iter().find_map(|word| word.strip_prefix("--data-of=").map(str::to_owned)).unwrap()
        };
        names(&jobs).iter().map(text).collect::<Vec<_>>()
    };
    let place = Place::new();
    place.plan(ALIKE);
    place.assay("run p.toml --dir dir").ok();
    let found = texts(&place);
    let jobs = names(&place.folder().join("jobs"));
    let text = |part: &str| found[jobs.iter().position(|job| job.contains(part)).unwrap()].clone();
    assert_ne!(text("W-r1"), text("W-r2"));
    assert_eq!([text("R-r1"), text("R-r2")], [text("W-r1"), text("W-r2")]);
    let place = Place::new();
    place.plan(&format!("{}{ALIKE}", stripping(&place, "--data-of")));
    let ran = place.assay("run p.toml --dir dir");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(place.codes(), ["command-differs"], "{ran:#?}");
}

#[test]
fn a_campaign_with_a_key_and_a_nonce_passes_and_the_secret_is_in_none_of_its_files() {
    let place = place("");
    place.assay("run p.toml --dir dir --data-key key --nonce lot-7").ok();
    assert_eq!(place.outcomes(), ["R PASS", "M PASS"]);
    let folder = place.folder();
    let written: Vec<u8> = tree(&folder).into_values().flat_map(|(bytes, _)| bytes).collect();
    assert!(!written.windows(16).any(|bytes| bytes == [b'k'; 16]), "the secret is in the evidence");
    let info = json(&folder.join("campaign.json"));
    let key = &info["data_key"];
    assert_eq!((key["nonce"].as_str(), key["sha256"].as_str().map(str::len)), (Some("lot-7"), Some(64)));
    let chain = fs::read_to_string(folder.join("chain.jsonl")).unwrap();
    assert!(chain.lines().next().unwrap().contains("\"note\":\"nonce: lot-7\""), "{chain}");
    let keyed: Vec<Value> =
        phases(&folder).into_iter().filter(|phase| phase["transfer_bytes"] != 0).collect();
    assert!(keyed.len() >= 4 && keyed.iter().all(|phase| phase["data_key"]["id"] == key["id"]), "{keyed:#?}");
    // The first digits of the SHA-256 of the nonce.
    let data = info["data"]["s"].as_str().unwrap();
    assert!(data.ends_with(".f5a47f4882c5c8e6.data"), "{data}");
    let at = folder.display();
    place.assay(&format!("verify --nonce lot-7 {at}")).ok();
    assert_eq!(place.assay(&format!("verify --nonce lot-8 {at}")).status, Some(3));
}

#[test]
fn a_launcher_that_removes_the_key_or_the_nonce_is_found() {
    for start in ["--data-key", "--nonce"] {
        let place = Place::new();
        secret(&place.path("key"));
        place.plan(&format!("{}{TESTS}", stripping(&place, start)));
        let ran = place.assay("run p.toml --dir dir --data-key key --nonce lot-7");
        assert_eq!(ran.status, Some(3), "{ran:#?}");
        assert_eq!(place.codes(), ["data-key-differs", "data-key-differs"], "{start}");
    }
}

#[test]
fn a_campaign_without_a_nonce_does_not_verify_with_one() {
    let place = place("");
    place.campaign().ok();
    let ran = place.assay(&format!("verify --nonce lot-7 {}", place.folder().display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
}

#[test]
fn a_campaign_resumes_only_with_its_own_key_and_nonce() {
    let place = Place::new();
    secret(&place.path("key"));
    secret(&place.path("other"));
    fs::write(place.path("other"), [b'x'; 32]).unwrap();
    place.plan(&format!("{}{TESTS}", place.hanging("-R")));
    let mut child = place.start("run p.toml --dir dir --data-key key --nonce lot-7");
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    child.wait().unwrap();
    fs::remove_file(place.path("hang")).unwrap();
    let resume = |words: &str| place.assay(&format!("run --resume {} {words}", place.folder().display()));
    for words in ["--nonce lot-8", "--data-key other", "--nonce lot-7 --data-key other"] {
        let ran = resume(words);
        assert_eq!(ran.status, Some(2), "{words}: {ran:#?}");
    }
    fs::rename(place.path("key"), place.path("moved")).unwrap();
    assert_eq!(resume("").status, Some(2), "the recorded file is missing");
    resume("--data-key moved --nonce lot-7").ok();
    assert_eq!(place.outcomes(), ["R PASS", "M PASS"]);
    place.assay(&format!("verify {}", place.folder().display())).ok();
}

#[test]
fn a_bad_nonce_or_key_is_rejected_before_anything_starts() {
    let place = place("");
    fs::write(place.path("open"), [b'k'; 32]).unwrap();
    let long = "n".repeat(129);
    for words in ["--nonce=", &format!("--nonce {long}"), "--data-key open", "--data-key missing"] {
        let ran = place.assay(&format!("run p.toml --dir dir {words}"));
        assert_eq!(ran.status, Some(2), "{words}: {ran:#?}");
    }
    let ran = crate::common::run(place.command("run p.toml --dir dir --nonce").arg("a\nb"));
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(names(&place.dir()).is_empty());
}

#[test]
fn a_kept_dataset_of_another_nonce_is_made_again() {
    let place = Place::new();
    place.plan(&TESTS.replacen("ior = ", "keep = \"1 day\"\nior = ", 1));
    let reused = |nonce: &str| {
        let folder = place.path(nonce);
        place.assay(&format!("run p.toml --dir dir --folder {nonce} --nonce {nonce}")).ok();
        let job = names(&folder.join("jobs")).remove(0);
        !json(&folder.join("jobs").join(job).join("dataset.json"))["reused"].is_null()
    };
    assert_eq!(["first", "second"].map(reused), [false, false]);
    fs::remove_dir_all(place.path("first")).unwrap();
    assert!(reused("first"), "of the same nonce it is found");
}
