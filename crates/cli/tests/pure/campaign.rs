//! Campaigns with the real program from end to end: their files, their results, and what they must not
//! change.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::{Place, SmallFs, WRITTEN_AND_READ, json, names, signal, tree, until};
use crate::common::{self, forged};
use results::folder;

#[test]
fn a_passed_campaign_leaves_complete_evidence_that_can_be_evaluated_again() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert!(ran.out.contains("PASS WITH OPEN FINDINGS: All 3 clauses are met."), "{ran:#?}");
    for text in [&ran.out, &ran.err] {
        assert!(
            !text.chars().any(|c| c.is_control() && c != '\n'),
            "no control characters without a terminal: {text:?}"
        );
    }
    let folder = place.folder();
    let machines = ["machine-after.json", "machine-before.json"];
    let files = [&["campaign.json", "chain.jsonl", "jobs"], &machines[..], &["plan.toml"]].concat();
    assert_eq!(names(&folder), [&files[..], &["report.html", "summary.json", "verdicts.json"]].concat());
    let jobs = ["0001-W-r1", "0002-W-r2", "0003-dataset.d-r1", "0004-R-r1", "0005-C-r1"];
    assert_eq!(names(&folder.join("jobs")), jobs);
    assert_eq!(fs::read(folder.join("plan.toml")).unwrap(), fs::read(place.path("p.toml")).unwrap());
    for job in jobs {
        let mut files = vec!["job.json", "records.jsonl", "stderr.txt", "stdout.txt"];
        if job.contains("dataset") {
            files.insert(0, "dataset.json");
        }
        let job = folder.join("jobs").join(job);
        assert_eq!(names(&job), files);
        let facts = json(&job.join("job.json"));
        assert!(facts["argv"].as_array().unwrap().iter().any(|word| word == "ior"), "{facts}");
        assert!(facts["env"]["PATH"].is_string(), "{facts}");
        assert!(fs::read_to_string(job.join("stdout.txt")).unwrap().contains("Max "), "{job:?}");
    }
    assert_eq!(place.outcomes(), ["W PASS", "R PASS", "C PASS"]);
    assert!(fs::read_to_string(folder.join("report.html")).unwrap().contains("two ranks write"));

    let before = tree(&folder);
    let at = folder.to_string_lossy().into_owned();
    let table = place.assay(&format!("judge {at}")).ok();
    assert!(ran.out.starts_with(&table), "{table}");
    assert_eq!(place.whole_jobs(&at), 5);
    assert!(place.assay(&format!("report {at}")).ok().contains("report.html (unchanged)"));
    assert_eq!(tree(&folder), before, "reading changes nothing");
}

#[test]
fn a_changed_or_missing_file_of_evidence_is_reported() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    place.campaign().ok();
    let folder = place.folder();
    let verify = || place.assay(&format!("verify {}", folder.display()));
    let changed = |file: &str, change: &dyn Fn(&[u8]) -> Vec<u8>| {
        let path = folder.join(file);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, change(&whole)).unwrap();
        let ran = verify();
        fs::write(&path, whole).unwrap();
        assert_eq!((ran.status, ran.err.as_str()), (Some(3), ""), "{file}: {ran:#?}");
        assert!(ran.out.starts_with(file), "{file}: {ran:#?}");
        assert_eq!(ran.out.lines().count(), 2, "one sentence and the sum: {ran:#?}");
    };
    let flip = |whole: &[u8], at: usize| {
        let mut bytes = whole.to_vec();
        bytes[at] ^= 1;
        bytes
    };
    for file in ["jobs/0001-W-r1/stdout.txt", "plan.toml"] {
        changed(file, &|whole| flip(whole, whole.len() / 2));
    }
    // A change in the middle may hit a digit of a number in a verdict, which is a second finding.
    changed("jobs/0004-R-r1/records.jsonl", &|whole| flip(whole, 0));
    let better = |from: &'static str, to: &'static str| {
        move |whole: &[u8]| {
            let text = String::from_utf8_lossy(whole);
            assert!(text.contains(from), "{text}");
            text.replacen(from, to, 1).into_bytes()
        }
    };
    changed("verdicts.json", &better("threshold-met", "no-values"));
    changed("report.html", &better("meets", "surely meets"));
    let swap = |whole: &[u8]| String::from_utf8_lossy(whole).replace("PASS", "FAIL").into_bytes();
    let ran = {
        let path = folder.join("verdicts.json");
        let whole = fs::read(&path).unwrap();
        fs::write(&path, swap(&whole)).unwrap();
        let ran = verify();
        assert!(
            place
                .assay(&format!("judge {}", folder.display()))
                .err
                .contains("W write.bw: verdicts.json has FAIL")
        );
        fs::write(&path, whole).unwrap();
        ran
    };
    assert!(ran.out.starts_with("verdicts.json was changed: its SHA-256 is "), "{ran:#?}");
    fs::remove_dir_all(folder.join("jobs/0002-W-r2")).unwrap();
    let ran = verify();
    assert_eq!(ran.status, Some(3));
    assert!(ran.out.starts_with("jobs/0002-W-r2 is missing\n"), "{ran:#?}");
    fs::write(folder.join("jobs/0004-R-r1/job.json"), "{").unwrap();
    let ran = verify();
    assert_eq!(ran.status, Some(3));
    assert!(ran.out.contains("jobs/0004-R-r1/job.json was changed: its SHA-256 is "), "{ran:#?}");
    assert_eq!(place.assay("verify dir").status, Some(2), "it is not a campaign");
}

/// Changes verdicts.json, and makes the hash chain fit it.
fn change_verdicts(folder: &Path, from: &str, to: &str) {
    let verdicts = folder.join("verdicts.json");
    let text = fs::read_to_string(&verdicts).unwrap();
    fs::write(&verdicts, text.replace(from, to)).unwrap();
    forged::chain(folder, &|_| {});
}

#[test]
fn a_folder_is_intact_only_if_its_verdicts_and_its_report_are_reproduced() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    let other = place.path("other");
    fs::copy(common::program(), &other).unwrap();
    fs::OpenOptions::new().append(true).open(&other).unwrap().write_all(b"\n").unwrap();
    let by_other = |words: &str| {
        let mut command = Command::new(&other);
        command.current_dir(place.path("")).args(words.split_whitespace());
        common::run(&mut command)
    };
    by_other("run p.toml --dir dir --campaigns dir").ok();
    let folder = place.folder();
    let verify = format!("verify {}", folder.display());
    // Another build that comes to the same result verifies the folder.
    assert!(place.assay(&verify).ok().contains(" is intact: "));
    change_verdicts(&folder, "threshold-met", "no-values");
    for (ran, why) in [
        (place.assay(&verify), "because another build of assay made its verdicts and its report"),
        (by_other(&verify), "because its verdicts or its report cannot be reproduced"),
    ] {
        assert!(ran.status == Some(3) && ran.out.contains(why), "{ran:#?}");
        assert_eq!(ran.out.matches(": verdicts.json has ").count(), 3, "{ran:#?}");
    }
    change_verdicts(&folder, "PASS", "FAIL");
    for ran in [place.assay(&verify), by_other(&verify)] {
        assert_eq!(ran.status, Some(1), "{ran:#?}");
        let first = "W write.bw: verdicts.json has FAIL, but the records give PASS\n";
        assert!(ran.out.starts_with(first), "{ran:#?}");
        assert!(ran.out.contains("is not verified, because this program derives other outcomes"), "{ran:#?}");
    }
}

#[test]
fn a_forged_report_is_not_verified() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    place.campaign().ok();
    let folder = place.folder();
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    fs::write(folder.join("report.html"), page.replace("PASS", "pass")).unwrap();
    forged::chain(&folder, &|_| {});
    let ran = place.assay(&format!("verify {}", folder.display()));
    assert!(ran.status == Some(3) && ran.out.contains(" is not verified, "), "{ran:#?}");
    // The page has the hash of the chain before, so a new chain alone is found, too.
    fs::write(folder.join("report.html"), page).unwrap();
    forged::chain(&folder, &|entry| {
        if entry["what"] == "machine" {
            entry["note"] = "later".into();
        }
    });
    assert_eq!(place.assay(&format!("verify {}", folder.display())).status, Some(3));
}

#[test]
fn verify_compares_the_folder_with_the_buyers_own_copies() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    let printed = place.campaign().ok();
    let hash = printed.lines().find_map(|line| line.strip_prefix("Evidence hash: ")).unwrap().trim();
    let program = folder::sha256_of(common::program().as_ref()).unwrap();
    let verify = format!("verify {}", place.folder().display());
    let own = format!("--plan p.toml --evidence-hash {hash} --program-sha256 {program}");
    assert!(place.assay(&format!("{verify} {own}")).ok().contains(" is intact: "));
    assert!(place.assay(&format!("{verify} --evidence-hash {}", hash.to_uppercase())).status == Some(0));
    fs::write(place.path("q.toml"), "schema = 1\n").unwrap();
    let other = "0".repeat(64);
    for (own, about) in [
        ("--plan q.toml".to_owned(), "plan.toml is not the plan q.toml"),
        (format!("--evidence-hash {other}"), "the evidence hash is "),
        (format!("--program-sha256 {other}"), "the SHA-256 of the program is "),
    ] {
        let ran = place.assay(&format!("{verify} {own}"));
        assert!(ran.status == Some(3) && ran.out.starts_with(about), "{ran:#?}");
        assert!(!ran.out.contains("intact"), "{ran:#?}");
    }
    for own in ["--plan none.toml", "--evidence-hash 12", "--program-sha256 x"] {
        assert_eq!(place.assay(&format!("{verify} {own}")).status, Some(2), "{own}");
    }
}

/// Two clauses with a threshold that each campaign can set.
const TWO_CLAUSES: &str = r#"
[parameters]
need = "1 B/s"
[scale.low]
need = "2 B/s"
[[test]]
id = "A"
ior = "-w -e -t 64k -b 256k"
criterion = { metric = "write.bw", op = ">=", value = "${need}" }
[[test]]
id = "B"
ior = "-w -e -t 64k -b 256k"
criterion = { metric = "write.bw", op = ">=", value = "1 TB/s" }
"#;

#[test]
fn a_part_of_a_plan_or_other_values_are_not_the_plan_of_the_buyer() {
    for (choice, status, difference) in [
        ("--set need=3B/s", 1, "used `need=3B/s`, not the plan's values"),
        ("--scale low", 1, "used the scale `low`, not the plan's own scale"),
        ("--only A", 3, "ran `A`, not the whole plan"),
        ("", 1, ""),
    ] {
        let place = Place::new();
        place.plan(TWO_CLAUSES);
        let ran = place.assay(&format!("run p.toml --dir dir {choice}"));
        assert_eq!(ran.status, Some(status), "{ran:#?}");
        let verify = format!("verify {} --plan p.toml", place.folder().display());
        let ran = place.assay(&verify);
        let expected = if difference.is_empty() { 0 } else { 3 };
        assert!(ran.status == Some(expected) && ran.out.contains(difference), "{choice}: {ran:#?}");
        assert_eq!(place.assay(&format!("{verify} {choice}")).status, Some(0), "{choice}");
        let other = place.assay(&format!("{verify} --only B --set need=4B/s"));
        assert_eq!(other.status, Some(3), "{choice}");
    }
}

#[test]
fn judge_never_ends_with_0_for_a_folder_that_does_not_verify() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    place.campaign().ok();
    let folder = place.folder();
    let judge = format!("judge {}", folder.display());
    let job = format!("jobs/{}/job.json", names(&folder.join("jobs"))[0]);
    for name in ["verdicts.json", "report.html", "summary.json", "chain.jsonl", &job] {
        let kept = fs::read(folder.join(name)).unwrap();
        fs::write(folder.join(name), [&kept[..], b" "].concat()).unwrap();
        assert_eq!(place.assay(&judge).status, Some(3), "{name}");
        fs::write(folder.join(name), kept).unwrap();
    }
    fs::write(folder.join("added"), "").unwrap();
    assert_eq!(place.assay(&judge).status, Some(3));
    fs::remove_file(folder.join("added")).unwrap();
    assert!(place.assay(&judge).passed());
    fs::remove_file(folder.join("chain.jsonl")).unwrap();
    assert_eq!(place.assay(&judge).status, Some(3));
}

#[test]
fn missing_verdicts_and_report_are_recreated_and_a_changed_report_is_not_overwritten() {
    let place = Place::new();
    place.plan(WRITTEN_AND_READ);
    place.campaign().ok();
    let folder = place.folder();
    let before = tree(&folder);
    fs::remove_file(folder.join("verdicts.json")).unwrap();
    fs::remove_file(folder.join("report.html")).unwrap();
    let at = folder.to_string_lossy().into_owned();
    place.assay(&format!("judge {at}")).ok();
    place.assay(&format!("report {at}")).ok();
    for (path, (content, _)) in &before {
        assert!(path.is_dir() || fs::read(path).unwrap() == *content, "{path:?}");
    }
    fs::write(folder.join("report.html"), "mine").unwrap();
    let ran = place.assay(&format!("report {at}"));
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("is not changed. Write the new one elsewhere with --out FILE"), "{ran:#?}");
    for inside in ["report.html", "new.html", "jobs/new.html"] {
        let ran = place.assay(&format!("report {at} --out {at}/{inside}"));
        assert_eq!(ran.status, Some(2), "{ran:#?}");
        assert!(ran.err.contains("is inside the campaign folder"), "{ran:#?}");
    }
    assert_eq!(fs::read_to_string(folder.join("report.html")).unwrap(), "mine");
    place.assay(&format!("report {at} --out new.html")).ok();
    assert_eq!(fs::read(place.path("new.html")).unwrap(), before[&folder.join("report.html")].0);
}

#[test]
fn a_criterion_that_cannot_be_met_fails() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 256k\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"900 PB/s\" }\n",
    );
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(place.outcomes(), ["W FAIL"]);
    assert_eq!(place.assay(&format!("judge {}", place.folder().display())).status, Some(1));
}

#[test]
fn a_failed_job_is_invalid_and_its_error_output_is_kept() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"BAD\"\nior = \"-w -e -t 64k -b 256k -o {dir}/nowhere/f\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n\
         [[test]]\nid = \"GOOD\"\nior = \"-w -e -t 64k -b 256k\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n",
    );
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(place.outcomes(), ["BAD INVALID", "GOOD PASS"]);
    let reason = &place.verdicts()[0].2;
    assert_eq!(reason["code"], "job-failed", "{reason}");
    assert!(reason.to_string().contains("nowhere/f"), "{reason}");
    let stderr = fs::read_to_string(place.folder().join("jobs/0001-BAD-r1/stderr.txt")).unwrap();
    assert!(stderr.contains("nowhere/f") && stderr.contains("No such file or directory"), "{stderr}");
    assert_eq!(place.whole_jobs(place.folder()), 2);
}

#[test]
fn a_file_system_that_another_fills_up_pauses_the_campaign_and_the_foreign_file_stays() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "8m") else { return };
    place.plan(&format!(
        "{}[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 2m\"\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n",
        place.hanging("-w")
    ));
    fs::create_dir(place.path("evidence")).unwrap();
    let mut child = place.start("run p.toml --dir dir --campaigns evidence");
    until("the job that hangs", || place.path("hang.pid").exists());
    fs::write(place.dir().join("filler"), vec![7; 7 << 20]).unwrap();
    signal("-KILL", fs::read_to_string(place.path("hang.pid")).unwrap().trim().parse().unwrap());
    assert_eq!(child.wait().unwrap().code(), Some(5));
    assert_eq!(fs::read(place.dir().join("filler")).unwrap(), vec![7; 7 << 20]);
    let folder = format!("evidence/{}", names(&place.path("evidence"))[0]);
    fs::remove_file(place.path("hang")).unwrap();
    assert_eq!(place.assay(&format!("run --resume {folder}")).status, Some(5), "it is still full");
    fs::remove_file(place.dir().join("filler")).unwrap();
    let ran = place.assay(&format!("run --resume {folder}"));
    assert_eq!(place.outcomes_in(&folder), ["W PASS"], "{ran:#?}");
    let stderr = fs::read_to_string(place.path(&folder).join("jobs/0001-W-r1.killed-1/stderr.txt")).unwrap();
    assert!(stderr.contains("No space left on device"), "{stderr}");
    assert_eq!(names(&place.dir()), [""; 0]);
}

#[test]
fn wrong_data_fails_a_criterion_about_errors() {
    let place = Place::new();
    place.plan(
        "[dataset.d]\nior = \"-w -e -F -t 64k -b 256k -k -G 1\"\n[[test]]\nid = \"C\"\n\
         uses = \"dataset.d\"\nior = \"-R -F -C -t 64k -b 256k -k -G 1\"\n\
         setup = [\"dd if=/dev/zero of={dir}/data.00000001 bs=4k seek=20 count=1 conv=notrunc\"]\n\
         criterion = { metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }\n",
    );
    let ran = place.campaign();
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    let (test, outcome, reason) = place.verdicts().remove(0);
    assert_eq!((test.as_str(), outcome.as_str()), ("C", "FAIL"), "{reason}");
    assert_eq!(reason["code"], "wrong-data", "{reason}");
    assert_eq!(reason["data"]["measured"]["code"], "threshold-not-met", "{reason}");
}

#[test]
fn a_campaign_touches_only_its_own_files() {
    let place = Place::new();
    fs::write(place.path("outside"), "outside").unwrap();
    for dir in ["tests", "datasets/d", "assay-p-20200101-000000.data/tests"] {
        fs::create_dir_all(place.dir().join(dir)).unwrap();
    }
    for file in ["data", "data.00000000", "tests/data", "assay-p-20200101-000000.data/tests/old"] {
        fs::write(place.dir().join(file), file).unwrap();
    }
    symlink(place.path("outside"), place.dir().join("link")).unwrap();
    let before = tree(place.path("").as_path());
    place.plan(WRITTEN_AND_READ);
    place.campaign().ok();
    let folder = place.folder();
    let mut after = tree(place.path("").as_path());
    after.retain(|path, _| !path.starts_with(&folder) && *path != place.path("p.toml"));
    assert_eq!(after, before);
}

/// Clause texts that once changed the result: a number that is not the number of repetitions, a rate of the
/// sum that is not that of the parts, and verbs that the command line does not match.
#[test]
fn the_text_of_a_clause_does_not_change_the_result() {
    let place = Place::new();
    let test = |kind: &str, id: &str, clause: &str| {
        format!(
            "[[{kind}]]\nid = \"{id}\"\nclause = \"{clause}\"\nior = \"-w -e -F -t 64k -b 4m\"\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 kB/s\" }}\n"
        )
    };
    let tests = [
        // The best of three, because repetitions of a few milliseconds vary with the disk.
        test("test", "EVERY", "checkpoint every 100 iterations").replace("op =", "stat = \"max\", op =")
            + "repetitions = 3\n",
        test("test", "VERBS", "random reads of 10 PB in transfers of 4 KiB, 25000 per second"),
        "[[group]]\nid = \"SUM\"\nclause = \"at least 1 MB/s\"\noverlap = \"1%\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 kB/s\" }\n"
            .to_owned(),
        test("group.parts", "a", "").replace("-b 4m", "-b 4m --rate=8MB/s"),
        test("group.parts", "b", "").replace("-b 4m", "-b 4m --rate=8MB/s"),
    ];
    place.plan(&tests.concat());
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["EVERY PASS", "VERBS PASS", "SUM.a PASS", "SUM.b PASS", "SUM PASS"]);
}

#[test]
fn a_selection_prints_and_returns_only_what_was_asked_for() {
    let place = Place::new();
    let test = |id: &str, ior: &str, criterion: &str| {
        format!("[[test]]\nid = \"{id}\"\nior = \"{ior}\"\nrepetitions = 1\ncriterion = {criterion}\n")
    };
    // The written data is right, but W is slower than its clause, and B would fail too.
    let fails = "{ metric = \"write.bw\", op = \">=\", value = \"900 PB/s\" }";
    let right = "{ metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }";
    place.plan(
        &[
            test("W", "-w -e -t 64k -b 128k -k -G 3", fails),
            test("R", "-R -t 64k -b 128k -k -G 3\"\nuses = \"W", right),
            test("B", "-w -e -t 64k -b 128k", fails),
        ]
        .concat(),
    );
    let ran = place.assay("run p.toml --dir dir --only R");
    let clauses = |id: &str| ran.out.lines().filter(|line| line.starts_with(&format!("{id} "))).count();
    assert_eq!([clauses("R"), clauses("W"), clauses("B")], [1, 0, 0], "{ran:#?}");
    let about = "Selected with --only: R. The plan has 2 other clauses. Also run, because a selected test \
                 needs it: W.";
    assert!(ran.out.contains(about), "{ran:#?}");
    let outcomes: Vec<String> = place.outcomes();
    assert_eq!(outcomes, ["W FAIL", "R PASS", "B NOT_RUN"], "the evidence has all of them");
    assert!(ran.passed(), "the failed clause was not asked for: {ran:#?}");
    let judged = place.assay(&format!("judge {}", place.folder().display()));
    assert!(judged.status == ran.status && judged.out.contains(about), "{judged:#?}");
}
