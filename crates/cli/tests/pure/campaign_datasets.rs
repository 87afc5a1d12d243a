//! Datasets of one campaign: described, checked before each reader, rejected if they are incomplete or
//! changed.

use crate::common::campaign::{Place, SmallFs, json, names};

const MADE: &str = "ior = \"-w -e -F -t 64k -b 1m -k -G 7\"\n";

/// A reader of `dataset.d` that compares every byte.
fn reader(id: &str, more: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nuses = \"dataset.d\"\nior = \"-R -F -C -t 64k -b 1m -k -G 7\"\n{more}\n\
         criterion = {{ metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }}\n"
    )
}

#[test]
fn a_dataset_is_described_in_the_evidence_and_removed_after_its_last_reader() {
    let place = Place::new();
    place.plan(&format!("[dataset.d]\n{MADE}{}{}", reader("A", ""), reader("B", "ranks = 1")));
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    let made = json(&place.folder().join("jobs/0001-dataset.d-r1/dataset.json"));
    assert_eq!((made["files"].as_u64(), made["bytes"].as_u64()), (Some(2), Some(2 << 20)), "{made:#}");
    assert_eq!(made["list"][1]["path"], "data.00000001");
    assert_eq!(made["samples"].as_array().unwrap().len(), 8);
    assert_eq!(made["campaign"], place.folder().file_name().unwrap().to_str().unwrap());
    assert_eq!(place.whole_jobs(place.folder()), 3);
    let report = std::fs::read_to_string(place.folder().join("report.html")).unwrap();
    let is_described = report.replace('\u{a0}', " ").contains("2 files of 2.00 MiB, 8 samples taken");
    assert!(is_described, "the report describes the dataset");
    assert_eq!(names(&place.dir()).len(), 1, "{:?}", names(&place.dir()));
}

#[test]
fn a_dataset_that_was_changed_between_two_readers_is_not_read_by_the_second() {
    for (command, why) in [
        ("printf x | dd of={dir}/data.00000001 bs=1 seek=9 conv=notrunc", "data.00000001"),
        ("truncate -s 1000000 {dir}/data.00000000", "data.00000000"),
        ("printf x >> {dir}/data.00000000", "data.00000000"),
        ("rm {dir}/data.00000001", "data.00000001"),
    ] {
        let place = Place::new();
        let changing = reader("A", &format!("setup = ['{command}']\nrepetitions = 2"));
        place.plan(&format!("[dataset.d]\n{MADE}{changing}{}", reader("B", "")));
        let ran = place.campaign();
        let lost = command.starts_with("truncate") || command.starts_with("rm");
        assert_eq!(ran.status, Some(if lost { 1 } else { 3 }), "{command}: {ran:#?}");
        for (test, outcome, reason) in place.verdicts() {
            let first = test == "A" && reason["code"] == "file-call-failed";
            let data = &reason["data"];
            let inner = [data.pointer("/rejection"), data.pointer("/also/data/rejection")];
            let rejection = inner.into_iter().flatten().next().unwrap_or(&reason);
            let changed =
                ["dataset-changed", "dataset-written"].iter().any(|code| rejection["code"] == *code);
            let of_file = changed && rejection["data"]["path"] == why;
            // A file system may lose a file or its end by itself.
            let is_gone = rejection["data"]["change"] == "gone";
            let wanted = if test == "A" && lost || is_gone { "FAIL" } else { "INVALID" };
            assert!(outcome == wanted && (first || of_file), "{reason}");
        }
        let err = std::fs::read_to_string(place.folder().join("jobs/0004-B-r1/stderr.txt")).unwrap();
        assert!(err.contains(why), "{err}");
        assert_eq!(place.whole_jobs(place.folder()), 4, "every attempt is in evidence");
        assert_eq!(names(&place.dir()).len(), 1, "{:?}", names(&place.dir()));
    }
}

#[test]
fn a_dataset_that_is_too_small_is_not_read_and_the_reason_has_both_sizes() {
    let place = Place::new();
    let line = "-w -F -t 64k -b 16m -k -G 7 --rate 20/s -D 1 -O stoneWallingWearOut=1,\
                stoneWallingStatusFile={dir}/pairs";
    let cover = "cover = { rate = \"20 MB/s\", time = \"1 s\", margin = 1.5 }";
    let reader = reader("A", "repetitions = 3")
        .replace("-b 1m", "-b 16m")
        .replace("-G 7", "-G 7 -O stoneWallingStatusFile={dir}/pairs");
    place.plan(&format!("[dataset.d]\nior = \"{line}\"\n{cover}\n{reader}"));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let (_, outcome, reason) = &place.verdicts()[0];
    assert_eq!(outcome, "INVALID");
    assert_eq!(
        (&reason["code"], &reason["data"]["needed"]["value"]),
        (&"dataset-too-small".into(), &3e7.into())
    );
    assert!(ran.err.contains("not run: "), "{ran:#?}");
    assert_eq!(names(&place.folder().join("jobs")), ["0001-dataset.d-r1"], "no reader was started");
    assert_eq!(place.whole_jobs(place.folder()), 1);
}

#[test]
fn a_dataset_whose_files_differ_from_the_records_is_not_read() {
    let launcher = |then: &str| {
        format!(
            "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", \"-c\", '''ranks=$1; shift; program=$1; shift\n\
             \"$program\" -n \"$ranks\" \"$@\" || exit; case \"$*\" in *\" -w \"*) ;; *) exit;; esac\n\
             cd {{dir}}/*.data/datasets/d && {then}''', \"sh\", \"{{ranks}}\", \"{{cmd}}\"]\nprobe = false\n"
        )
    };
    for (then, code) in [
        ("rm data.00000001", "dataset-files-missing"),
        ("truncate -s 5 data.00000000", "dataset-file-size"),
        ("rm data.00000000; truncate -s 1048576 data.00000000", "dataset-sparse"),
    ] {
        let place = Place::new();
        let launch = launcher(then).replace("{dir}", &place.dir().display().to_string());
        place.plan(&format!("{launch}[dataset.d]\n{MADE}{}", reader("A", "")));
        let ran = place.campaign();
        assert_eq!(place.outcomes(), ["A INVALID"], "{then}: {ran:#?}");
        assert_eq!(place.codes(), [code], "{:?}", place.verdicts());
        assert_eq!(names(&place.folder().join("jobs")), ["0001-dataset.d-r1"], "no reader was started");
    }
}

#[test]
fn a_file_system_that_fills_up_costs_no_job_of_a_dataset_and_no_data_remains() {
    for keep in ["", "keep = \"7 days\"\n"] {
        let place = Place::new();
        let Some(_mounted) = SmallFs::mount(&place.dir(), "24m") else { return };
        let fill = place.dir().join("fill").display().to_string();
        let setup = format!("setup = [\"head -c 12M /dev/zero > {fill}\"]\n");
        let made = MADE.replace("-b 1m", "-b 8m");
        place.plan(&format!("[dataset.d]\n{made}{setup}{keep}{}", reader("A", "").replace("-b 1m", "-b 8m")));
        let ran = place.campaign();
        assert_eq!(ran.status, Some(5), "{ran:#?}");
        assert!(ran.err.contains("No space left on device"), "{ran:#?}");
        let data = names(&place.dir()).into_iter().find(|name| name.ends_with(".data")).unwrap();
        let files = names(&place.dir().join(data).join("datasets"));
        assert!(files.iter().all(|name| name != "d"), "{files:?}");
    }
}

#[test]
fn files_are_counted_before_each_reader() {
    let place = Place::new();
    let stat_test = |id: &str, more: &str| {
        format!(
            "[[test]]\nid = \"{id}\"\nuses = \"dataset.n\"\nmdtest = \"-F -T -n 40 -u\"\n\
             cache = \"warm\"\n{more}\n\
             criterion = {{ metric = \"file_stat.failures\", op = \"==\", value = \"0 errors\" }}\n"
        )
    };
    let made = "[dataset.n]\nmdtest = \"-F -C -n 40 -u\"\n";
    place.plan(&format!("{made}{}{}", stat_test("A", ""), stat_test("B", "")));
    place.campaign().ok();
    let counted = json(&place.folder().join("jobs/0001-dataset.n-r1/dataset.json"));
    assert_eq!(counted["files"].as_u64(), Some(80), "{counted:#}");
    let place = Place::new();
    let more = "setup = ['rm $(find {dir} -name file.mdtest.1.7)']";
    place.plan(&format!("{made}{}{}", stat_test("A", more), stat_test("B", "")));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "A lost a name: {ran:#?}");
    let (_, outcome, reason) = &place.verdicts()[1];
    assert_eq!((outcome.as_str(), &reason["code"]), ("INVALID", &"job-not-started".into()), "{reason}");
    let changed = &reason["data"]["rejection"];
    let counts = (&changed["data"]["files"], &changed["data"]["files_before"]);
    assert_eq!((&changed["code"], counts), (&"dataset-changed".into(), (&79.into(), &80.into())), "{reason}");
}

#[test]
fn a_stat_of_dataset_files_that_the_same_node_created_is_invalid() {
    let place = Place::new();
    place.plan(
        "[dataset.n]\nmdtest = \"-F -C -n 40\"\n[[test]]\nid = \"A\"\nuses = \"dataset.n\"\n\
         mdtest = \"-F -T -n 40\"\n\
         criterion = { metric = \"file_stat.rate\", op = \">\", value = \"1/s\" }\n",
    );
    assert_eq!(place.campaign().status, Some(3));
    let (_, outcome, reason) = &place.verdicts()[0];
    assert_eq!((outcome.as_str(), &reason["code"]), ("INVALID", &"names-on-own-node".into()), "{reason}");
    assert!(reason.to_string().contains("0001-dataset.n-r1"), "{reason}");
}

#[test]
fn the_length_of_a_shared_file_after_a_deadline_is_known_to_the_byte() {
    let place = Place::new();
    let pairs = "-O stoneWallingStatusFile={dir}/pairs";
    let line = format!("-w -t 64k -b 256k -s 400 -k -G 7 --rate 100/s -D 1 -O stoneWallingWearOut=1 {pairs}");
    let reader = reader("A", "").replace("-F -C -t 64k -b 1m", &format!("-t 64k -b 256k -s 400 {pairs}"));
    place.plan(&format!(
        "[dataset.d]\nranks = 3\nior = \"{line}\"\n{}",
        reader.replace("id = ", "ranks = 3\nid = ")
    ));
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    let made = json(&place.folder().join("jobs/0001-dataset.d-r1/dataset.json"));
    let data = |file: &serde_json::Value| (file["path"].as_str().unwrap().to_owned(), file["data"] == true);
    let files: Vec<_> = made["list"].as_array().unwrap().iter().map(data).collect();
    assert_eq!(files, [("data".to_owned(), true), ("pairs".to_owned(), false)]);
}

#[test]
fn a_dataset_that_tests_write_through_another_test_keeps_its_size() {
    let place = Place::new();
    let writes = "[[test]]\nid = \"W\"\nuses = \"A\"\nior = \"-w -e -E -z -F -t 4k -b 1m -k -G 7\"\n\
                  criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n\
                  [[test]]\nid = \"MIX\"\nuses = \"A\"\nrepetitions = 2\ncache = \"warm\"\n\
                  ior = \"-e -F -t 4k -b 1m -k -G 7 --rwmix=50\"\n\
                  criterion = { metric = \"mixed_write.bw\", op = \">=\", value = \"1 B/s\" }\n";
    place.plan(&format!("[dataset.d]\n{MADE}{}{writes}{}", reader("A", ""), reader("B", "")));
    let ran = place.campaign();
    let outcomes = place.outcomes();
    assert_eq!(
        (&outcomes[..2], &outcomes[3]),
        (&["A PASS", "W PASS"].map(str::to_owned)[..], &"B PASS".to_owned())
    );
    assert!(!outcomes[2].ends_with("INVALID"), "{ran:#?}");
}
