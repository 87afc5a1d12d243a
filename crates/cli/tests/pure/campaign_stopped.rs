//! Campaigns that are killed or interrupted, or that have a job that never ends.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::campaign::{Place, SmallFs, THREE_TESTS, alive, json, names, signal, tree, until};

/// Four jobs; the third reads the files of the second.
fn tests() -> String {
    let last = r#"[[test]]
id = "D"
ior = "-w -e -t 64k -b 128k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;
    [THREE_TESTS, last].concat()
}

/// Starts a campaign and waits until its job C hangs. Gives the campaign and the process number of the
/// child of C.
fn hanging(place: &Place) -> (std::process::Child, String) {
    place.plan(&format!("{}{}", place.hanging("-R"), tests()));
    let child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    let sleeper = fs::read_to_string(place.path("hang.pid")).unwrap().trim().to_owned();
    assert!(alive(&sleeper));
    (child, sleeper)
}

/// The evidence of the jobs that had ended.
fn ended(folder: &Path) -> std::collections::BTreeMap<PathBuf, (Vec<u8>, i64)> {
    let mut all = tree(folder);
    all.retain(|path, _| path.to_string_lossy().contains("/jobs/000") && !path.is_dir());
    all
}

fn resume_to_the_end(place: &Place, before: &std::collections::BTreeMap<PathBuf, (Vec<u8>, i64)>) {
    fs::remove_file(place.path("hang")).unwrap();
    let folder = place.folder();
    let ran = place.assay(&format!("run --resume {}", folder.display()));
    assert!(ran.passed(), "{ran:#?}");
    let kept = "kept: jobs/0003-C-r1.killed-1, which ended with its campaign\n";
    assert!(ran.err.starts_with(&format!("{kept}2 of 4 jobs ended before\n  3/4  C ")), "{ran:#?}");
    let after = tree(&folder);
    assert_eq!(before.len(), 8, "two jobs, four files each: {before:#?}");
    assert!(
        before.iter().all(|(path, file)| after.get(path) == Some(file)),
        "the evidence of ended jobs is unchanged"
    );
    assert_eq!(place.outcomes(), ["A PASS", "B PASS", "C PASS", "D PASS"]);
    let course = &json(&folder.join("summary.json"))["course"];
    assert_eq!(course["resumed"], 1);
    assert_eq!(course["killed"][0], "jobs/0003-C-r1.killed-1");
    assert_eq!(course["repeated"][0], "jobs/0003-C-r1");
    for line in ["Resumed: 1 time\n", "Killed attempts: jobs/0003-C-r1.killed-1\n"] {
        assert!(ran.out.contains(line), "{ran:#?}");
    }
    let page = fs::read_to_string(folder.join("report.html")).unwrap();
    let signed = page.split("</main>").next().unwrap().replace("&#x2f;", "/");
    assert!(signed.contains("href=\"jobs/0003-C-r1.killed-1\""), "in the signed part: {signed}");
    let jobs = ["0001-A-r1", "0002-B-r1", "0003-C-r1", "0003-C-r1.killed-1", "0004-D-r1"];
    assert_eq!(names(&folder.join("jobs")), jobs);
    assert!(
        place
            .assay(&format!("verify {}", folder.display()))
            .ok()
            .contains("is intact: 4 jobs, 1 killed attempt\nEvidence hash: ")
    );
    assert_eq!(names(&place.dir()).len(), 1, "the campaign's files are removed");
}

#[test]
fn an_ended_campaign_does_not_resume_and_one_killed_before_its_verdicts_gets_them() {
    let place = Place::new();
    place.plan(&tests());
    place.campaign().ok();
    let folder = place.folder();
    let before = tree(&folder);
    let resume = || place.assay(&format!("run --resume {}", folder.display()));
    let ran = resume();
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert!(ran.err.contains("has ended, so nothing is left to resume."), "{ran:#?}");
    assert_eq!(tree(&folder), before);
    let last = ["machine-after.json", "summary.json", "verdicts.json", "report.html"];
    for file in last {
        fs::remove_file(folder.join(file)).unwrap();
    }
    let ran = resume();
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    let rejected = "is not intact, so the campaign cannot resume: machine-after.json is missing";
    assert!(ran.err.contains(rejected), "{ran:#?}");
    // A campaign that is killed before it writes these files has no lines for them in its hash chain.
    let chain = fs::read_to_string(folder.join("chain.jsonl")).unwrap();
    let lines: Vec<&str> = chain.split_inclusive('\n').collect();
    fs::write(folder.join("chain.jsonl"), lines[..lines.len() - last.len()].concat()).unwrap();
    resume().ok();
    assert_eq!(ended(&folder).len(), 16, "no job was run again");
    let after = tree(&folder);
    assert!(ended(&folder).iter().all(|(path, file)| before.get(path) == Some(file)));
    assert_eq!(after[&folder.join("verdicts.json")].0, before[&folder.join("verdicts.json")].0);
}

#[test]
fn a_killed_campaign_resumes_at_the_first_job_that_had_not_ended() {
    let place = Place::new();
    let (mut child, sleeper) = hanging(&place);
    let before = ended(&place.folder());
    let at = place.folder().display().to_string();
    let ran = place.assay(&format!("run --resume {at}"));
    assert_eq!(ran.status, Some(2), "a running campaign cannot resume: {ran:#?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(alive(&sleeper), "the job outlives its campaign");
    let ran = place.assay(&format!("run --resume {at}"));
    assert_eq!(ran.status, Some(2), "a campaign with a running job cannot resume: {ran:#?}");
    assert!(ran.err.contains("still works on this campaign"), "{ran:#?}");
    assert!(place.assay(&format!("verify {at}")).ok().contains("; the campaign has not ended"));
    let judged = place.assay(&format!("judge {at}"));
    assert_eq!(judged.status, Some(3), "{judged:#?}");
    assert!(judged.err.contains("Resume it with: assay run --resume "), "{judged:#?}");
    let stat = fs::read_to_string(format!("/proc/{sleeper}/stat")).unwrap();
    let launcher = stat.rsplit(") ").next().unwrap().split(' ').nth(1).unwrap().to_owned();
    signal("-KILL", launcher.parse().unwrap());
    signal("-KILL", sleeper.parse().unwrap());
    until("the end of the job", || !alive(&sleeper) && !alive(&launcher));
    resume_to_the_end(&place, &before);
}

#[test]
fn ctrl_c_ends_the_job_and_prints_how_to_resume() {
    let place = Place::new();
    let (mut child, sleeper) = hanging(&place);
    let before = ended(&place.folder());
    signal("-INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(3));
    until("the end of the job's child", || !alive(&sleeper));
    let err = fs::read_to_string(place.path("err")).unwrap();
    let name = place.folder().file_name().unwrap().to_string_lossy().into_owned();
    let how = format!("assay: stopped after 2 of 4 jobs. Resume with: assay run --resume dir/{name}\n");
    assert!(err.ends_with(&how), "{err}");
    assert!(!place.folder().join("verdicts.json").exists());
    resume_to_the_end(&place, &before);
}

#[test]
fn a_job_that_hangs_is_killed_with_its_children_and_the_campaign_continues() {
    let place = Place::new();
    let tests = tests().replace("id = \"C\"\n", "id = \"C\"\ntimeout = \"3 s\"\n");
    place.plan(&format!("{}{tests}", place.hanging("-R")));
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(place.outcomes(), ["A PASS", "B PASS", "C INVALID", "D PASS"]);
    let reason = &place.verdicts()[2].2;
    assert_eq!(
        (&reason["code"], &reason["data"]["timeout"]["value"]),
        (&"job-failed".into(), &3.0.into()),
        "{reason}"
    );
    let sleeper = fs::read_to_string(place.path("hang.pid")).unwrap();
    until("the end of the job's child", || !alive(sleeper.trim()));
}

#[test]
fn a_job_that_exceeds_its_time_limit_is_killed() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"SLOW\"\nior = \"-w -e -t 64k -b 64k -i 2 -d 600\"\ntimeout = \"1 s\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n",
    );
    let ran = place.campaign();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(place.outcomes(), ["SLOW INVALID"]);
    assert_eq!(names(&place.dir()).len(), 1, "the files of the killed job are removed: {ran:#?}");
}

/// A launch table with jobs that use all remaining inodes for their own files when they have ended.
fn filling(place: &Place, but: &str) -> String {
    let script = format!(
        "ranks=$1; shift; program=$1; shift\n\"$program\" -n \"$ranks\" \"$@\"; status=$?\n\
         case \"$*\" in *\"{but}\"*) ;; *) exit $status;; esac\n\
         for data in {0}/*.data/tests/*; do :; done\n\
         i=0; while : 2>/dev/null >\"$data/full.$i\"; do i=$((i+1)); done\nexit $status\n",
        place.dir().display()
    );
    fs::write(place.path("full.sh"), script).unwrap();
    let script = place.path("full.sh");
    format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"bash\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
         probe = false\n"
    )
}

#[test]
fn the_files_of_a_job_that_filled_the_file_system_are_removed_before_its_evidence_is_written() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "64m,nr_inodes=300") else { return };
    place.plan(&format!("{}{}", filling(&place, "-b 128k"), tests()));
    let ran = place.campaign();
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["A PASS", "B PASS", "C PASS", "D PASS"]);
}

#[test]
fn a_file_system_filled_by_files_of_later_jobs_stops_the_campaign_and_it_can_resume() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "64m,nr_inodes=300") else { return };
    place.plan(&format!("{}{}", filling(&place, "-w -e -t 64k -b 256k -k"), tests()));
    let ran = place.campaign();
    assert_eq!((ran.status, ran.err.lines().count()), (Some(5), 3), "{ran:#?}");
    let folder = place.folder();
    for words in ["No space left on device", ".data. Free space on", "--campaigns on another file system"] {
        assert!(ran.err.contains(words), "{ran:#?}");
    }
    fs::write(place.path("full.sh"), "ranks=$1; shift; program=$1; shift; \"$program\" -n $ranks \"$@\"")
        .unwrap();
    let resumed = place.assay(&format!("run --resume {}", folder.display()));
    assert!(resumed.passed(), "{resumed:#?}");
    assert_eq!(place.outcomes(), ["A PASS", "B PASS", "C PASS", "D PASS"]);
}

#[test]
fn an_existing_folder_resumes_only_with_its_original_plan_and_options() {
    let place = Place::new();
    let head = "[parameters]\nBLOCK = \"256k\"\n[scale.large]\nBLOCK = \"512k\"\n";
    place.plan(&format!("{head}{}", tests().replace("256k", "${BLOCK}")));
    let words = "run p.toml --dir dir --folder F --scale large --only A";
    let ran = place.assay(words);
    assert_eq!(ran.status, Some(3), "the others were not run: {ran:#?}");
    let ended = place.assay(words);
    assert!(
        ended.err.contains("F has ended, so nothing is left to resume."),
        "the same command selects the same campaign: {ended:#?}"
    );
    let ended = place.assay("run p.toml --folder F");
    assert!(ended.err.contains("F has ended, so nothing is left to resume."), "{ended:#?}");
    fs::create_dir(place.path("other")).unwrap();
    let text = fs::read_to_string(place.path("p.toml")).unwrap();
    fs::write(place.path("q.toml"), text.replace("1 B/s", "2 B/s")).unwrap();
    for (words, other) in [
        ("run q.toml --dir dir --folder F", "another plan"),
        ("run p.toml --dir dir --folder F --set BLOCK=192k", "other values of the plan's parameters"),
        ("run p.toml --dir dir --folder F --only B", "other tests"),
        ("run p.toml --dir other --folder F", "another --dir"),
        ("run --resume F --dir other", "another --dir"),
    ] {
        let ran = place.assay(words);
        assert_eq!(ran.status, Some(2), "{words}: {ran:#?}");
        let wanted = format!(
            "assay: the campaign in F was started with {other}. Resume it with `assay run --resume F`"
        );
        assert!(ran.err.starts_with(&wanted), "{words}: {ran:#?}");
    }
}
