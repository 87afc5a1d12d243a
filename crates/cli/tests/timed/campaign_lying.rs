//! File systems that are slow, answer from memory, lose written data or fill up. Each clause of a plan gets
//! its outcome for the right reason, and clauses on correct tests pass.

use std::fs;
use std::path::Path;

use crate::common;
use crate::common::campaign::{Place, SmallFs, json, names, there, until};
use crate::common::gluster::{Gluster, Volume};
use serde_json::Value;

const MIB: u64 = 1 << 20;

/// The expected verdict of a clause: test, outcome, code of the reason, and a text in the data of the reason.
type Expected<'a> = (&'a str, &'a str, &'a str, &'a str);

/// Asserts the verdicts of a campaign, in order.
fn assert_verdicts(folder: &Path, wanted: &[Expected<'_>]) {
    let verdicts = json(&folder.join("verdicts.json"));
    let all = verdicts.as_array().unwrap();
    assert_eq!(all.len(), wanted.len(), "{verdicts:#}");
    let word = |verdict: &Value, key: &str| verdict[key].as_str().unwrap().to_owned();
    for (verdict, (test, outcome, code, why)) in all.iter().zip(wanted) {
        let found = (word(verdict, "test"), word(verdict, "outcome"));
        assert_eq!(found, ((*test).to_owned(), (*outcome).to_owned()), "{verdict:#}");
        let reason = &verdict["reason"];
        assert!(reason["code"] == *code && reason.to_string().contains(why), "{code} {why}: {verdict:#}");
    }
}

/// A test with a lower limit of its write rate.
fn floor(id: &str, keys: &str, ior: &str, floor: &str) -> String {
    let metric = if ior.contains("-w") { "write.bw" } else { "read.bw" };
    format!(
        "[[test]]\nid = \"{id}\"\n{keys}\nior = \"{ior}\"\n\
         criterion = {{ metric = \"{metric}\", op = \">=\", value = \"{floor}\" }}\n"
    )
}

/// A test that compares every transfer in the files of another test.
fn check(id: &str, uses: &str, keys: &str, ior: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nuses = \"{uses}\"\n{keys}\nior = \"{ior}\"\n\
         criterion = {{ metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }}\n"
    )
}

#[test]
fn a_slow_file_system_is_fail_and_rates_of_client_memory_are_invalid() {
    let rate = 2 * MIB;
    let Some(gluster) = Gluster::start(Volume::Distribute, &[rate]) else { return };
    let place = Place::new();
    let cold = format!("uses = \"SLOW\"\nsetup = [\"{}\"]", gluster.forget());
    let read = "-r -F -k -t 128k -b 1m";
    place.plan(
        &[
            floor("SLOW", "", "-w -F -e -k -t 128k -b 1m", "8 MiB/s"),
            floor("ENOUGH", "", "-w -F -e -t 128k -b 512k", "256 KiB/s"),
            floor("SHORT", "sustained = \"60 s\"", "-w -F -e -t 128k -b 512k", "1 B/s"),
            floor("CACHED", "uses = \"SLOW\"", read, "8 MiB/s"),
            floor("COLD", &cold, &format!("{read} --drop-caches"), "8 MiB/s"),
        ]
        .concat(),
    );
    fs::create_dir(place.path("evidence")).unwrap();
    let ran = place.assay(&format!("run p.toml --dir {} --campaigns evidence", gluster.mount().display()));
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let folder = place.path("evidence").join(&names(&place.path("evidence"))[0]);
    let wanted = [
        ("SLOW", "FAIL", "threshold-not-met", ""),
        ("ENOUGH", "PASS", "threshold-met", ""),
        ("SHORT", "INVALID", "sustained-not-met", "60.0"),
        ("CACHED", "INVALID", "cached-read", ""),
        ("COLD", "FAIL", "threshold-not-met", ""),
    ];
    assert_verdicts(&folder, &wanted);
    // A rate of memory is not the rate of the device, so the verdict has no value.
    let verdicts = json(&folder.join("verdicts.json"));
    assert!(verdicts[3]["value"].is_null(), "{verdicts:#}");
    // An idle device saves up speed for some tenths of a second, and this phase lasted one second.
    for verdict in [&verdicts[0], &verdicts[4]] {
        assert!(verdict["value"].as_f64().unwrap() < rate as f64 * 2.0, "{verdict:#}");
    }
}

#[test]
fn lost_data_fails_the_write_and_a_lost_end_of_file_the_read() {
    let place = Place::new();
    let write = "-w -F -e -k -t 64k -b 512k -G 7";
    let lose = "setup = [\"dd if=/dev/zero of={dir}/data.00000001 bs=4k seek=20 count=1 conv=notrunc\"]";
    let cut = "uses = \"TAIL\"\ncache = \"warm\"\nsetup = [\"truncate -s 300k {dir}/data.00000000\"]";
    let check_line = "-R -F -k -t 64k -b 512k -G 7";
    place.plan(
        &[
            floor("LOST", "", write, "1 B/s"),
            check("LOST-C", "LOST", lose, check_line),
            floor("TAIL", "", write, "1 B/s"),
            floor("TAIL-R", cut, "-r -F -k -t 64k -b 512k", "1 B/s"),
            floor("SOUND", "", write, "1 B/s"),
            check("SOUND-C", "SOUND", "", check_line),
        ]
        .concat(),
    );
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let wanted = [
        ("LOST", "FAIL", "wrong-data", "jobs/0002-LOST-C-r1"),
        ("LOST-C", "FAIL", "wrong-data", "threshold-not-met"),
        ("TAIL", "PASS", "threshold-met", ""),
        ("TAIL-R", "FAIL", "file-call-failed", "data.00000000"),
        ("SOUND", "PASS", "threshold-met", ""),
        ("SOUND-C", "PASS", "threshold-met", ""),
    ];
    assert_verdicts(&place.folder(), &wanted);
}

#[test]
fn dropped_writes_that_are_reported_as_synced_are_detected_by_a_read_back() {
    if !there("mpirun.openmpi") {
        return;
    }
    for fault in ["drop:3", "tear:2"] {
        let place = Place::new();
        fs::create_dir(place.path("sound")).unwrap();
        let (shim, under) = (common::shim(), place.dir().canonicalize().unwrap());
        let sound = place.path("sound");
        let head = format!(
            "[fs.sound]\ndir = {sound:?}\n[launch]\nkind = \"mpirun\"\n\
             argv = [\"mpirun.openmpi\", \"--oversubscribe\", \"--allow-run-as-root\", \"-n\", \
             \"{{ranks}}\", \"{{cmd}}\"]\n\
             env = {{ LD_PRELOAD = {shim:?}, ASSAY_SHIM_FAULT = {fault:?}, ASSAY_SHIM_UNDER = {under:?} }}\n\
             probe = false\n"
        );
        let (write, read) = ("-a MPIIO -w -Fek -t 64k -b 512k -G7", "-a MPIIO -R -Fk -t 64k -b 512k -G7");
        let on_sound = "fs = \"sound\"";
        place.plan(&format!(
            "{head}{}",
            [
                floor("LIAR", "fs = \"s\"", write, "1 B/s"),
                check("LIAR-C", "LIAR", "fs = \"s\"", read),
                floor("SOUND", on_sound, write, "1 B/s"),
                check("SOUND-C", "SOUND", on_sound, read),
            ]
            .concat()
        ));
        fs::create_dir(place.path("evidence")).unwrap();
        let ran = place.assay("run p.toml --dir dir --campaigns evidence");
        assert_eq!(ran.status, Some(1), "{ran:#?}");
        let folder = place.path("evidence").join(&names(&place.path("evidence"))[0]);
        let wanted = [
            ("LIAR", "FAIL", "wrong-data", "jobs/0002-LIAR-C-r1"),
            ("LIAR-C", "FAIL", "wrong-data", "threshold-not-met"),
            ("SOUND", "PASS", "threshold-met", ""),
            ("SOUND-C", "PASS", "threshold-met", ""),
        ];
        assert_verdicts(&folder, &wanted);
    }
}

#[test]
fn a_file_system_that_fills_up_in_the_middle_of_a_job_costs_no_clause() {
    let place = Place::new();
    let dir = place.dir();
    let Some(_mounted) = SmallFs::mount(&dir, "16m") else { return };
    let filler = dir.join("filler");
    let write = "-w -F -e -k -t 64k -b 2m";
    place.plan(
        &[
            floor("BEFORE", "", "-w -F -e -t 64k -b 2m", "1 B/s"),
            floor("DURING", "", &format!("{write} --rate 500kB/s"), "1 B/s"),
            floor("READER", "uses = \"DURING\"\ncache = \"warm\"", "-r -F -k -t 64k -b 2m", "1 B/s"),
            floor("AFTER", "", write, "1 B/s"),
        ]
        .concat(),
    );
    fs::create_dir(place.path("evidence")).unwrap();
    let mut child = place.start("run p.toml --dir dir --campaigns evidence");
    let half_way = || {
        let data = names(&dir).into_iter().find(|name| name.ends_with(".data"));
        let file = data.map(|data| dir.join(data).join("tests/DURING-r1/data.00000000"));
        file.and_then(|file| file.metadata().ok()).is_some_and(|file| file.len() >= 256 << 10)
    };
    until("half of the files", || child.try_wait().unwrap().is_some() || half_way());
    assert!(fs::write(&filler, vec![7; 16 << 20]).is_err(), "no free space is left");
    let status = child.wait().unwrap().code();
    let err = fs::read_to_string(place.path("err")).unwrap();
    assert_eq!(status, Some(5), "{err}");
    assert!(err.contains("stopped after 1 of 4 jobs: /") && err.contains("No space left on device"), "{err}");
    fs::remove_file(&filler).unwrap();
    let folder = format!("evidence/{}", names(&place.path("evidence"))[0]);
    let ran = place.assay(&format!("run --resume {folder}"));
    let passed = ["BEFORE", "DURING", "READER", "AFTER"].map(|test| (test, "PASS", "threshold-met", ""));
    assert_verdicts(&place.path(&folder), &passed);
    assert_eq!(ran.status, Some(3), "findings that need a waiver: {ran:#?}");
}
