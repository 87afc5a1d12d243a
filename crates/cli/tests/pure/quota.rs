//! `assay quota` on a file system of the tests that rejects at a known byte, and on one that never rejects.
//! `timed/quota_kernel.rs` has the quotas of a kernel.

use std::path::Path;
use std::process::{Command, Stdio};

use rustix::io::Errno;

use crate::common::campaign::{Place, json, names, signal, until};
use crate::common::fuse::faults::{Call, Fault, FaultLayer};
use crate::common::system::make_dir_of;
use crate::common::{Ran, is_root, program, run};

/// The limit that the command lines state, what the file system accepts, and what the ranks may write.
const LIMIT: u64 = 1 << 20;
const ACCEPTED: u64 = LIMIT + (256 << 10);
const LINE: &str = "--only bytes --limit 1m --used 0B --transfer 128k --beyond 50% --wait 1s";
const REJECTS: Fault = Fault::Fails(Call::Write, Errno::DQUOT, ACCEPTED);

/// Whether this process has the right to exceed limits, `CAP_SYS_RESOURCE`.
fn exceeds_limits() -> bool {
    let effective = rustix::thread::capabilities(None).unwrap().effective;
    effective.contains(rustix::thread::CapabilitySet::SYS_RESOURCE)
}

/// The program without the right to exceed limits.
fn limited() -> Command {
    if !exceeds_limits() {
        return Command::new(program());
    }
    let mut command = Command::new("setpriv");
    command.arg("--bounding-set=-sys_resource").arg(program());
    command
}

fn quota(dir: &Path, words: &str) -> Ran {
    run(limited().current_dir(dir).args(["quota", "--record", "r"]).args(words.split_whitespace()))
}

/// The records of phases in the file `r`, which is removed.
fn phases(dir: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(dir.join("r")).unwrap();
    std::fs::remove_file(dir.join("r")).unwrap();
    let records = text.lines().map(|line| serde_json::from_str(line).unwrap());
    records.filter(|record: &serde_json::Value| record["record"] == "phase").collect()
}

#[test]
fn what_a_file_system_accepts_beyond_the_limit_is_reported_to_the_byte() {
    let Some(layer) = FaultLayer::mount() else { return };
    let dir = tempfile::tempdir().unwrap();
    layer.set("data", REJECTS);
    let words = format!("{LINE} {}", layer.path().display());
    let out = quota(dir.path(), &words).ok();
    let phases = phases(dir.path());
    let found: Vec<_> =
        phases.iter().map(|phase| (phase["phase"].as_str().unwrap(), &phase["quota"])).collect();
    assert_eq!(found.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["write", "truncate", "rewrite"]);
    for (name, used) in &found {
        assert_eq!(used["accepted_max"], ACCEPTED, "{name}");
        let rejected = serde_json::json!([{"call": "write", "errno": 122, "ranks": 1}]);
        assert_eq!(used["rejections"], rejected, "{name}");
    }
    let row = format!("write      1.25 MiB ({ACCEPTED} B) accepted in ");
    assert!(out.contains(&row) && out.contains(", 256 KiB (262144 B) beyond the limit\n"), "{out}");
    assert!(out.contains("1 rank rejected: 1 in write with EDQUOT\n"), "{out}");
    assert_eq!(names(&layer.path()), [""; 0], "everything is removed");
}

#[test]
fn a_limit_that_nothing_enforces_ends_with_status_4_and_the_files_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    let words = "-n 2 --limit 1m --used 0B --limit-inodes 20 --used-inodes 0 --transfer 128k --wait 1s d";
    let ran = run(limited()
        .current_dir(dir.path())
        .args(words.split_whitespace().take(2))
        .arg("quota")
        .args(words.split_whitespace().skip(2)));
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    for (phase, beyond) in [("write", "256 KiB"), ("create", "2")] {
        let warning = format!(
            "assay: warning: {phase}: the quota rejected 0 of 2 ranks, and calls accepted {beyond} beyond \
             the limit"
        );
        assert!(ran.out.contains(&warning), "{phase}: {}", ran.out);
    }
    assert_eq!(names(&dir.path().join("d")), [""; 0]);
}

#[test]
fn a_run_that_cannot_test_a_quota_is_rejected_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("d/assay-quota")).unwrap();
    std::fs::create_dir(dir.path().join("e")).unwrap();
    for (words, why) in [
        ("e", "quota: e: the system does not report the quota of user "),
        ("d", "quota: d/assay-quota: exists. Remove what an earlier run left there"),
        ("f", "quota: f/assay-quota: No such file or directory. Choose another directory"),
        ("e --limit 1m", "quota: e: the system does not report the usage. State what is used before"),
        ("e --beyond 10", "quota: --beyond 10: write it for example as `10 %`."),
    ] {
        let ran = quota(dir.path(), words);
        assert!(
            ran.status == Some(2) && ran.err.starts_with(why) && ran.err.lines().count() == 1,
            "{ran:#?}"
        );
        assert!(names(&dir.path().join("e")).is_empty() && !dir.path().join("r").exists(), "{words}");
    }
    if exceeds_limits() {
        let ran = run(Command::new(program()).current_dir(dir.path()).args(["quota", "e"]));
        assert!(ran.status == Some(2) && ran.err.contains("this process may exceed limits"), "{ran:#?}");
    }
    if !is_root() {
        let ran = quota(dir.path(), "e --as 5:5");
        assert!(ran.status == Some(2) && ran.err.contains("only root can work as another user"), "{ran:#?}");
    }
}

#[test]
fn root_works_as_another_user_whose_files_they_are() {
    if !is_root() {
        println!("SKIPPED: only root can work as another user; run the tests as root");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (name, id) in [("d", 1234), ("others", 1235)] {
        make_dir_of(dir.path(), name, id);
    }
    let words = "--as 1234:1234 --other-dir others --other-as 1235:1235 --limit 1m --used 0B --record r d";
    let mut command = Command::new(program());
    let ran = run(command.current_dir(dir.path()).args(["-n", "2", "quota"]).args(words.split_whitespace()));
    assert!(ran.status == Some(4) && ran.out.contains("2 ranks on 1 node, files of user 1234\n"), "{ran:#?}");
    assert!(ran.out.contains("others     at the limit of bytes: written\n"), "{ran:#?}");
    let of_others = |phase: &serde_json::Value| phase["phase"] == "others" && phase["ops"] == 1;
    assert_eq!(phases(dir.path()).iter().filter(|phase| of_others(phase)).count(), 3);
    assert!(names(&dir.path().join("d")).is_empty() && names(&dir.path().join("others")).is_empty());
    // A campaign makes directories that only root may write to.
    let rooted = dir.path().join("rooted");
    std::fs::create_dir(&rooted).unwrap();
    std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ran = run(Command::new(program())
        .current_dir(dir.path())
        .args(["-n", "2", "quota"])
        .args("--as 1234:1234 --limit 1m --used 0B rooted".split(' ')));
    assert!(ran.status == Some(4) && ran.out.contains("files of user 1234\n"), "{ran:#?}");
    assert!(names(&rooted).is_empty(), "{ran:#?}");
    // Root as others may exceed limits.
    let alone = words.replace(" --other-as 1235:1235", " --of group");
    let ran =
        run(Command::new(program()).current_dir(dir.path()).arg("quota").args(alone.split_whitespace()));
    assert!(ran.status == Some(2) && ran.err.contains("Add --other-as UID:GID."), "{ran:#?}");
    // The same user is no other one.
    let words = words.replace("1235:1235", "1234:1234").replace("--other-dir others", "--other-dir d");
    let ran =
        run(Command::new(program()).current_dir(dir.path()).arg("quota").args(words.split_whitespace()));
    assert!(ran.status == Some(2) && ran.err.contains("this file belongs to user 1234, too"), "{ran:#?}");
}

#[test]
fn a_stopped_run_names_the_directory_that_it_leaves() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    let limited = limited();
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(limited.get_program()).args(limited.get_args());
    command.args("quota --limit 100g --used 0B --transfer 4k --fsync d".split(' ')).current_dir(dir.path());
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let data = dir.path().join("d/assay-quota/0/data");
    until("data", || data.metadata().is_ok_and(|data| data.len() > 0));
    assert!(signal("-INT", child.id()));
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(message, "quota: interrupted. Left behind: d/assay-quota. Remove it.\n");
}

/// Outcome and code of each verdict of a campaign with criteria on a quota.
fn verdicts(layer: &FaultLayer) -> Vec<(String, String)> {
    let place = Place::new();
    let criterion =
        |metric: &str, value: &str| format!("{{ metric = \"{metric}\", op = \"<=\", value = \"{value}\" }}");
    let criteria = [
        criterion("write.overshoot_bytes", "256 KiB"),
        criterion("rewrite.overshoot_bytes", "255 KiB"),
        criterion("write.rejection", "60 s"),
    ];
    place.plan(&format!(
        "[[test]]\nid = \"T\"\nquota = \"{LINE}\"\nranks = 1\ncriterion = [{}]\n",
        criteria.join(", ")
    ));
    let limited = limited();
    let mut command = Command::new(limited.get_program());
    let (dir, campaigns) = (layer.path(), place.path("c"));
    std::fs::create_dir(&campaigns).unwrap();
    command.args(limited.get_args()).args(["run", "p.toml", "--allow-lint-errors", "--dir"]).arg(dir);
    let ran = run(command.arg("--campaigns").arg(&campaigns).current_dir(place.path("")));
    let folder = names(&campaigns).into_iter().find(|name| name.starts_with("assay-p-"));
    let folder = folder.unwrap_or_else(|| panic!("{ran:#?}"));
    let verdicts = json(&campaigns.join(folder).join("verdicts.json"));
    let word = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let verdicts = verdicts.as_array().unwrap().iter();
    verdicts.map(|verdict| (word(&verdict["outcome"]), word(&verdict["reason"]["code"]))).collect()
}

#[test]
fn a_campaign_decides_about_the_overshoot_and_a_quota_that_is_not_enforced_fails() {
    let Some(layer) = FaultLayer::mount() else { return };
    layer.set("data", REJECTS);
    let wanted = |outcome: &str, code: &str| (outcome.to_owned(), code.to_owned());
    let (met, not_met) = (wanted("PASS", "threshold-met"), wanted("FAIL", "threshold-not-met"));
    assert_eq!(verdicts(&layer), [met.clone(), not_met, met]);
    layer.remove_fault();
    assert_eq!(verdicts(&layer), vec![wanted("FAIL", "quota-not-enforced"); 3]);
}
