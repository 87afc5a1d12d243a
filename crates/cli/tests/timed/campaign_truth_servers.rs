//! Servers that fail during a test, or that a plan takes offline. With a replicated volume the clause has a
//! warning or is INVALID, as its test defines. With a distributed volume an attempt fails, but not the
//! campaign.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::campaign::{self, Place, names, until};
use crate::common::gluster::{Gluster, Volume};
use serde_json::{Value, json};

const MIB: u64 = 1 << 20;
/// The speed of a brick in bytes per second.
const RATE: u64 = 2 * MIB;
/// A file name that the hash of GlusterFS distributes evenly over two bricks, for twelve ranks.
const EVEN: &str = "f1269";

/// Runs a plan on the volume. As soon as the files of the job `during` are on all bricks, kills the server of
/// the brick that `which` selects. Gives the exit status, the folder of the campaign and the brick.
fn ran(
    gluster: &mut Gluster,
    bricks: usize,
    place: &Place,
    (during, which): (&str, fn(&Path) -> bool),
) -> (Option<i32>, PathBuf, usize) {
    fs::create_dir(place.path("evidence")).unwrap();
    let mount = gluster.mount();
    let mut child = place.start(&format!("run p.toml --dir {} --campaigns evidence", mount.display()));
    let data_on = |brick: usize| {
        let data = gluster.data(brick);
        names(&data).into_iter().find(|name| name.ends_with(".data")).map(|name| data.join(name))
    };
    let written = |brick: usize| {
        let files = data_on(brick).and_then(|data| fs::read_dir(data.join("tests").join(during)).ok());
        let is_written =
            |file: std::io::Result<fs::DirEntry>| file.is_ok_and(|file| length(&file.path()) > 0);
        files.is_some_and(|mut files| files.any(is_written))
    };
    until("files on all bricks", || child.try_wait().unwrap().is_some() || (1..=bricks).all(written));
    let brick = (1..=bricks).find(|brick| data_on(*brick).is_some_and(|data| which(&data)));
    let brick = brick.unwrap_or_else(|| panic!("{}", fs::read_to_string(place.path("err")).unwrap()));
    gluster.kill(brick);
    let status = child.wait().unwrap().code();
    let evidence = place.path("evidence");
    let all = names(&evidence);
    assert_eq!(all.len(), 1, "{}", fs::read_to_string(place.path("err")).unwrap());
    (status, evidence.join(&all[0]), brick)
}

/// Bytes of a file; 0 if it does not exist.
fn length(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

fn head(fs: &str) -> String {
    format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nclients = {{ delivered = 1 }}\n\
         defaults = {{ timeout = \"180 s\", repetitions = 1 }}\n[fs.s]\ndir = \"{{dir}}\"\n{fs}"
    )
}

/// Test, outcome, reason and reasons of the warnings, for each verdict.
fn verdicts(folder: &Path) -> Vec<(String, String, Value, Vec<Value>)> {
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let all = campaign::json(&folder.join("verdicts.json"));
    let one = |verdict: &Value| {
        let warnings = verdict["warnings"].as_array().unwrap().iter();
        let warnings = warnings.map(|warning| warning["reason"].clone()).collect();
        (word(&verdict["test"]), word(&verdict["outcome"]), verdict["reason"].clone(), warnings)
    };
    all.as_array().unwrap().iter().map(one).collect()
}

/// Whether a reason reports that one of `of` storage targets was missing before or after repetition 1.
fn is_missing(reason: &Value, name: &str, when: &str, of: u64) -> bool {
    let data = &reason["data"];
    reason["code"] == "degraded"
        && data["missing"].to_string().contains(name)
        && (&data["when"], &data["repetition"], &data["targets"]) == (&json!(when), &json!(1), &json!(of))
}

/// Whether a reason has the output of the health command on a brick before or after repetition 1.
fn is_down(reason: &Value, brick: usize, when: &str) -> bool {
    let data = &reason["data"];
    reason["code"] == "degraded"
        && data["health"] == format!("brick b{brick} is down")
        && (&data["when"], &data["repetition"]) == (&json!(when), &json!(1))
}

#[test]
fn loss_of_a_server_is_a_warning_if_the_test_allows_it_and_else_invalid() {
    let Some(mut gluster) = Gluster::start(Volume::Replicate, &[RATE; 3]) else { return };
    let place = Place::new();
    let plan = r#"
[[test]]
id = "W"
ranks = 4
repetitions = 2
degraded = true
ior = "-w -F -e -k -t 128k -b 1m -G 7"
criterion = { metric = "write.bw", op = ">=", value = "1 kB/s" }
[[test]]
id = "C"
ranks = 4
uses = "W"
degraded = true
ior = "-R -F -k -t 128k -b 1m -G 7 --drop-caches"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
[[test]]
id = "STRICT"
ranks = 4
uses = "W"
ior = "-R -F -k -t 128k -b 1m -G 7 --drop-caches"
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
"#;
    let asked = format!("health = \"{}\"\n", gluster.health());
    fs::write(place.path("p.toml"), head(&asked) + plan).unwrap();
    let (status, folder, brick) = ran(&mut gluster, 3, &place, ("W-r1", |_| true));
    let verdicts = verdicts(&folder);
    assert_eq!(status, Some(3), "{verdicts:#?}");
    let name = gluster.name(brick);
    let gone = |reason: &Value, when: &str| is_missing(reason, &name, when, 3);
    let down = |reason: &Value, when: &str| is_down(reason, brick, when);
    let [written, compared, strict] = &verdicts[..] else { panic!("{verdicts:#?}") };
    for ((test, outcome, reason, warnings), (wanted, when)) in
        [(written, ("W", "after")), (compared, ("C", "before"))]
    {
        assert_eq!((test.as_str(), outcome.as_str()), (wanted, "PASS"), "{reason}");
        assert!(warnings.iter().any(|one| gone(one, when)), "{test}: {warnings:#?}");
        assert!(warnings.iter().any(|one| down(one, when)), "{test}: {warnings:#?}");
    }
    assert_eq!((strict.0.as_str(), strict.1.as_str()), ("STRICT", "INVALID"));
    let measured = &strict.2["data"]["measured"]["code"];
    assert!(gone(&strict.2, "before") && *measured == "threshold-met", "{}", strict.2);
    assert!(strict.3.iter().any(|warning| down(warning, "before")), "{:#?}", strict.3);
    assert!(fs::read_to_string(folder.join("report.html")).unwrap().contains("degraded"));
    let facts = campaign::json(&folder.join("jobs/0001-W-r1/job.json"));
    let targets = |when: &str| facts[when]["targets"].as_array().unwrap().len();
    assert_eq!((targets("fill_before"), targets("fill_after")), (3, 2), "{facts:#}");
    assert_eq!(facts["down_before"], json!([]));
    assert_eq!(facts["down_after"], json!([format!("brick b{brick} is down")]));
}

#[test]
fn a_state_takes_a_brick_offline_for_its_tests_and_restores_it_for_the_others() {
    let Some(gluster) = Gluster::start(Volume::Replicate, &[RATE; 3]) else { return };
    let place = Place::new();
    let test = |id: &str, keys: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nranks = 2\nior = \"-w -F -e -t 128k -b 256k\"\n{keys}\n\
             criterion = {{ metric = \"write.bw\", stat = \"min\", op = \">=\", value = \"1 kB/s\" }}\n"
        )
    };
    let lost = "states = [\"lost\"]\nrepetitions = 2\nstripes = 2";
    let state = format!("[state.lost]\n{}timeout = \"90 s\"\n", gluster.without(2));
    let asked = format!("health = \"{}\"\n{state}", gluster.health());
    let tests = [test("BEFORE", "stripes = \"all\""), test("LOST", lost), test("AFTER", "stripes = 1")];
    fs::write(place.path("p.toml"), head(&asked) + &tests.concat()).unwrap();
    fs::create_dir(place.path("evidence")).unwrap();
    let ran = place.assay(&format!("run p.toml --dir {} --campaigns evidence", gluster.mount().display()));
    let folder = place.path("evidence").join(&names(&place.path("evidence"))[0]);
    let verdicts = verdicts(&folder);
    assert!(ran.passed(), "{verdicts:#?}");
    for (test, outcome, reason, warnings) in &verdicts {
        assert_eq!(outcome, "PASS", "{test}: {reason}");
        let losses: Vec<&Value> = warnings.iter().filter(|one| one["code"] == "degraded").collect();
        let expected = match losses[..] {
            [] => test != "LOST",
            [gone, down] => {
                test == "LOST"
                    && is_missing(gone, &gluster.name(2), "before", 3)
                    && is_down(down, 2, "before")
            }
            _ => false,
        };
        assert!(expected, "{test}: {losses:#?}");
    }
    // The placement of each file was read back. The file that was to be on one brick is on all.
    let summary = campaign::json(&folder.join("summary.json"));
    let layouts = summary["findings"].as_array().unwrap().iter();
    let layouts: Vec<&Value> =
        layouts.filter(|finding| finding["reason"]["code"] == "layout-undeclared").collect();
    assert_eq!(layouts.len(), 1, "{layouts:#?}");
    let data = &layouts[0]["reason"]["data"];
    assert_eq!((&data["asked"], &data["targets"]), (&1.into(), &3.into()), "{layouts:#?}");
}

#[test]
fn loss_of_a_server_of_a_distributed_volume_fails_attempts_but_not_the_campaign() {
    let Some(mut gluster) = Gluster::start(Volume::Distribute, &[RATE; 2]) else { return };
    let place = Place::new();
    let test = |id: &str, fs: &str, block: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nfs = \"{fs}\"\nranks = 12\n\
             ior = \"-w -F -e -k -t 128k -b {block} -o {{dir}}/{EVEN}\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 kB/s\" }}\n"
        )
    };
    let reader = format!(
        "[[test]]\nid = \"READER\"\nfs = \"s\"\nranks = 12\nuses = \"DURING\"\n\
         ior = \"-r -F -k -t 128k -b 1m -o {{dir}}/{EVEN} --drop-caches\"\n\
         criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 kB/s\" }}\n"
    );
    let other = head(&format!("[fs.other]\ndir = {:?}\n", place.dir()));
    // The phase during the kill takes seconds.
    let [before, during] = [test("BEFORE", "s", "256k"), test("DURING", "s", "1m")];
    let tests = [before, during, reader, test("AFTER", "s", "256k"), test("OTHER", "other", "256k")];
    fs::write(place.path("p.toml"), other + &tests.concat()).unwrap();
    // The marker of the campaign's directory is lost with the brick.
    let has_mark = |data: &Path| length(&data.join(".assay-campaign")) > 0;
    let (status, folder, brick) = ran(&mut gluster, 2, &place, ("DURING-r1", has_mark));
    let verdicts = verdicts(&folder);
    assert_eq!(status, Some(1), "{verdicts:#?}");
    let wanted = [
        ("BEFORE", "PASS", "threshold-met", ""),
        ("DURING", "FAIL", "file-call-failed", "ENOTCONN"),
        ("READER", "NOT_RUN", "job-failed", "DURING"),
        ("AFTER", "INVALID", "job-not-started", ".data/.assay-campaign"),
        ("OTHER", "PASS", "threshold-met", ""),
    ];
    for (test, outcome, code, why) in wanted {
        let found = verdicts.iter().find(|verdict| verdict.0 == test).unwrap();
        let reason = &found.2;
        assert!(
            found.1 == outcome && reason["code"] == code && reason.to_string().contains(why),
            "{found:#?}"
        );
    }
    let name = gluster.name(brick);
    let lost = |warning: &Value| is_missing(warning, &name, "after", 2);
    assert!(verdicts[1].3.iter().any(lost), "{:#?}", verdicts[1]);
    let err = fs::read_to_string(place.path("err")).unwrap();
    assert!(err.contains(". The files there were not removed."), "{err}");
    assert_eq!(place.whole_jobs(&folder), 4);
}
