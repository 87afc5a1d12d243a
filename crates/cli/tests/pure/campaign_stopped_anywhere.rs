//! Campaigns that are killed before each of their own calls that change a file system, and at any other time.
//! After a resume, each has the result of an uninterrupted campaign.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::campaign::{Place, data_of, json, names, there, until};
use crate::common::{self, Ran, by_set, only_in_all, program, run};

/// Three jobs and an independent one. The second and third job read the files of the first.
const TESTS: &str = r#"
[[test]]
id = "W"
ior = "-w -e -t 64k -b 128k -k -G 3"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
uses = "W"
ior = "-R -t 64k -b 128k -k -G 3"
repetitions = 2
criterion = { metric = "read_check.errors", op = "==", value = "0 errors" }
[[test]]
id = "BAD"
ior = "-w -e -t 64k -b 64k -o {dir}/nowhere/f"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;
const OUTCOMES: [&str; 3] = ["W PASS", "R PASS", "BAD INVALID"];
const JOBS: [&str; 4] = ["0001-W-r1", "0002-R-r1", "0003-R-r2", "0004-BAD-r1"];

/// The calls of a campaign that change its folder or its files. A kill at an fsync leaves the same files as a
/// kill at the next of these calls.
const CALLS: [&str; 7] = ["write", "mkdir", "rename", "renameat", "unlink", "unlinkat", "rmdir"];
const RUN: &str = "run p.toml --dir dir --campaigns dir";
/// The number of test functions that share the moments of a kill, to run in parallel.
const PARTS: usize = 4;
const EVERY_TWELFTH: &str = "the default set kills a campaign at every twelfth call";

/// The existing folders of campaigns, with or without a campaign in them.
fn folders(place: &Place) -> Vec<PathBuf> {
    let is_campaign = |name: &String| name.starts_with("assay-") && !name.ends_with(".data");
    names(&place.dir()).iter().filter(|name| is_campaign(name)).map(|name| place.dir().join(name)).collect()
}

/// Resumes a killed campaign after the end of its last running job.
fn resume(place: &Place, folder: &str) -> Ran {
    let mut ran = place.assay(&format!("run --resume {folder}"));
    until("the end of the job that still runs", || {
        let waits = ran.err.contains("still works on this campaign");
        if waits {
            ran = place.assay(&format!("run --resume {folder}"));
        }
        !waits
    });
    ran
}

/// Checks the files after a kill, resumes, and checks that the result is that of an uninterrupted campaign.
fn check_after_kill(place: &Place, when: &str) {
    let begun = folders(place).into_iter().find(|folder| folder.join("campaign.json").exists());
    let Some(folder) = begun else {
        // It was killed before it began. Its folder is empty, and a new campaign can start.
        for at in folders(place) {
            let ran = place.assay(&format!("run --resume {}", at.display()));
            assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{when}: {ran:#?}");
            fs::remove_dir_all(at).unwrap();
        }
        assert_eq!(place.campaign().status, Some(3), "{when}");
        return;
    };
    let at = folder.display().to_string();
    let ran = place.assay(&format!("verify {at}"));
    assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{when}: {ran:#?}");
    let ended = folder.join("report.html").exists();
    assert_eq!(ran.out.contains("has not ended"), !ended, "{when}: {ran:#?}");
    let ran = place.assay(&format!("judge {at}"));
    assert_eq!(ran.status, Some(3), "{when}: {ran:#?}");
    let ran = resume(place, &at);
    assert_eq!(ran.status, Some(if ended { 2 } else { 3 }), "{when}: {ran:#?}");
    assert_eq!(place.outcomes(), OUTCOMES, "{when}");
    let mut jobs = names(&folder.join("jobs"));
    jobs.retain(|name| !name.contains(".killed-"));
    assert_eq!(jobs, JOBS, "{when}");
    let verified = place.assay(&format!("verify {at}"));
    assert_eq!(verified.whole_jobs(), 4, "{when}");
    assert!(!verified.out.contains("note: "), "{when}: {verified:#?}");
    let mut left = names(&place.dir());
    // A campaign that was killed before it began has only created an empty directory for its files.
    left.retain(|name| names(&place.dir().join(name)).iter().any(|inside| inside != ".assay-campaign"));
    assert_eq!(left, [folder.file_name().unwrap().to_str().unwrap()], "{when}");
}

/// Runs `assay WORDS` and kills it when it enters its system call of this name and number. Gives whether the
/// program made such a call.
pub(crate) fn killed_at(place: &Place, words: &str, call: &str, number: usize) -> bool {
    let mut command = Command::new("strace");
    let inject = format!("inject={call}:signal=KILL:when={number}");
    command.args(["-o", "/dev/null", "-e", &format!("trace={call}"), "-e", &inject]);
    command.arg(program()).args(words.split(' ')).current_dir(place.path(""));
    run(&mut command).status.is_none()
}

fn part(first: usize) {
    if !there("strace") {
        return;
    }
    let mut kills = 0;
    for call in CALLS {
        for number in (first..).step_by(by_set(3 * PARTS, PARTS)) {
            let place = Place::new();
            place.plan(TESTS);
            if !killed_at(&place, RUN, call, number) {
                break;
            }
            check_after_kill(&place, &format!("killed at {call} {number}"));
            kills += 1;
        }
    }
    assert!(kills > by_set(6, 12), "{kills} moments");
}

#[test]
fn a_campaign_killed_at_any_call_has_an_uninterrupted_result_part_1() {
    part(1);
}

#[test]
fn a_campaign_killed_at_any_call_has_an_uninterrupted_result_part_2() {
    if only_in_all(EVERY_TWELFTH) {
        part(2);
    }
}

#[test]
fn a_campaign_killed_at_any_call_has_an_uninterrupted_result_part_3() {
    if only_in_all(EVERY_TWELFTH) {
        part(3);
    }
}

#[test]
fn a_campaign_killed_at_any_call_has_an_uninterrupted_result_part_4() {
    if only_in_all(EVERY_TWELFTH) {
        part(4);
    }
}

#[test]
fn a_campaign_killed_again_during_its_resume_can_resume() {
    if !only_in_all("the default set has a single kill") {
        return;
    }
    if !there("strace") {
        return;
    }
    let mut kills = 0;
    // The first kill is in the evidence of a job, or before the rename of the verdicts.
    for (first, calls) in [(5, &["write", "renameat"][..]), (12, &["write", "renameat", "unlinkat"])] {
        for call in calls {
            for number in 1..=4 {
                let place = Place::new();
                place.plan(TESTS);
                assert!(killed_at(&place, RUN, "renameat", first));
                let at = folders(&place)[0].display().to_string();
                kills += u32::from(killed_at(&place, &format!("run --resume {at}"), call, number));
                check_after_kill(&place, &format!("killed at renameat {first}, then at {call} {number}"));
            }
        }
    }
    assert!(kills > 12, "{kills} moments");
}

/// Two parts at once. Each takes a second, so that they overlap on a busy machine too.
const GROUP: &str = r#"
[[group]]
id = "G"
overlap = "1%"
[[group.parts]]
id = "a"
ior = "-w -e -t 64k -b 2m --rate=4MB/s"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[group.parts]]
id = "b"
ior = "-w -e -t 64k -b 2m --rate=4MB/s"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;

#[test]
fn all_parts_of_a_group_run_again_if_one_had_ended_and_another_was_killed() {
    if !there("strace") {
        return;
    }
    let mut between = 0;
    for (call, step) in [("renameat", 1), ("write", 3)] {
        for number in (1..).step_by(step) {
            let place = Place::new();
            place.plan(GROUP);
            if !killed_at(&place, RUN, call, number) {
                break;
            }
            between += check_group_after_kill(&place, &format!("killed at {call} {number}"));
        }
    }
    assert!(between > 1, "{between} kills between the ends of the two parts");
}

/// Resumes a group and checks that its parts pass. Gives 1 if one part had ended and the other had not.
fn check_group_after_kill(place: &Place, when: &str) -> u32 {
    let folder = folders(place).into_iter().find(|folder| folder.join("campaign.json").exists());
    let Some(folder) = folder else { return 0 };
    let chain = fs::read_to_string(folder.join("chain.jsonl")).unwrap();
    let ended = chain.matches(r#""what":"ended""#).count();
    let at = folder.display().to_string();
    assert_eq!(place.assay(&format!("verify {at}")).status, Some(0), "{when}");
    let ran = resume(place, &at);
    assert!(ran.passed() || ran.status == Some(2), "{when}: {ran:#?}");
    assert_eq!(place.outcomes(), ["G.a PASS", "G.b PASS"], "{when}");
    assert_eq!(place.whole_jobs(&at), 2, "{when}");
    if ended == 1 {
        let mut killed = names(&folder.join("jobs"));
        killed.retain(|name| name.contains(".killed-"));
        assert_eq!(killed, ["0001-G.a-r1.killed-1", "0002-G.b-r1.killed-1"], "{when}");
        let verdicts = json(&folder.join("verdicts.json"));
        let again = data_of(&verdicts[0]["warnings"], "attempts-repeated");
        assert!(again.to_string().contains("jobs/0001-G.a-r1.killed-1"), "{when}: {again}");
    }
    u32::from(ended == 1)
}

/// Three parts at once.
const THREE: &str = r#"
[[group.parts]]
id = "c"
ior = "-w -e -t 64k -b 2m --rate=4MB/s"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;

#[test]
fn a_folder_stays_intact_while_ended_parts_of_a_group_are_renamed() {
    if !there("strace") {
        return;
    }
    let place = Place::new();
    place.plan(&format!("{GROUP}{THREE}"));
    place.campaign().ok();
    // The state after a kill between the ends of the second and the third part.
    let folder = folders(&place).remove(0);
    let chain = fs::read_to_string(folder.join("chain.jsonl")).unwrap();
    let third = chain.match_indices(r#""what":"ended""#).nth(2).unwrap().0;
    fs::write(folder.join("chain.jsonl"), &chain[..chain[..third].rfind('\n').unwrap() + 1]).unwrap();
    fs::rename(folder.join("jobs/0003-G.c-r1"), folder.join("jobs/.0003-G.c-r1")).unwrap();
    for name in ["machine-after.json", "verdicts.json", "summary.json", "report.html"] {
        let _ = fs::remove_file(folder.join(name));
    }
    let at = folder.display().to_string();
    assert_eq!(place.assay(&format!("verify {at}")).status, Some(0));
    let kept = place.path("kept");
    let copied = |from: &std::path::Path, to: &std::path::Path| {
        assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
    };
    copied(&folder, &kept);
    for number in 1..=6 {
        fs::remove_dir_all(&folder).unwrap();
        copied(&kept, &folder);
        assert!(killed_at(&place, &format!("run --resume {at}"), "renameat", number), "{number}");
        let ran = place.assay(&format!("verify {at}"));
        assert_eq!(ran.status, Some(0), "killed at renameat {number}: {ran:#?}");
    }
}

/// Kills every process of a session, its leader (the campaign) first. Else the campaign would have the time
/// to record that its job was killed.
fn kill_session(session: u32) {
    common::campaign::signal("-KILL", session);
    for process in names(std::path::Path::new("/proc")) {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        let belongs = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(3));
        if belongs == Some(&session.to_string()) {
            common::campaign::signal("-KILL", process.parse().unwrap());
        }
    }
}

#[test]
fn a_campaign_killed_with_its_jobs_at_any_time_can_resume_repeatedly() {
    let mut hits = 0;
    for seed in 1..=6_u64 {
        let place = Place::new();
        place.plan(TESTS);
        let mut kills = 0;
        for attempt in 1..=3 {
            let begun = folders(&place).into_iter().find(|folder| folder.join("campaign.json").exists());
            if begun.as_ref().is_some_and(|folder| folder.join("report.html").exists()) {
                break;
            }
            if begun.is_none() {
                folders(&place).iter().for_each(|folder| fs::remove_dir_all(folder).unwrap());
            }
            let words = match begun {
                Some(folder) => vec!["run".to_owned(), "--resume".to_owned(), folder.display().to_string()],
                None => ["run", "p.toml", "--dir", "dir", "--campaigns", "dir"].map(str::to_owned).to_vec(),
            };
            let mut command = Command::new("setsid");
            command.arg(program()).args(words).current_dir(place.path("")).stdin(Stdio::null());
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(seed * 37 * attempt % 170 + 10));
            kill_session(child.id());
            kills += u32::from(child.wait().unwrap().code().is_none());
        }
        check_after_kill(&place, &format!("seed {seed}, killed {kills} times"));
        hits += kills;
    }
    assert!(hits >= 6, "only {hits} kills hit a running campaign");
}

#[test]
fn campaigns_of_one_plan_that_begin_at_once_have_separate_folders() {
    let place = Place::new();
    place.plan(TESTS);
    fs::create_dir(place.path("elsewhere")).unwrap();
    let all = ["", "", "", "--campaigns elsewhere", "--campaigns elsewhere"];
    let children = all.map(|more| {
        let mut command = place.command(&format!("run p.toml --dir dir {more}"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0).spawn().unwrap()
    });
    for mut child in children {
        assert_eq!(child.wait().unwrap().code(), Some(3));
    }
    let elsewhere = names(&place.path("elsewhere"));
    let elsewhere = elsewhere.iter().map(|name| place.path("elsewhere").join(name));
    let all: Vec<PathBuf> = folders(&place).into_iter().chain(elsewhere).collect();
    assert_eq!(all.len(), 5, "{all:?}");
    for folder in all {
        assert_eq!(place.whole_jobs(&folder), 4);
        assert_eq!(json(&folder.join("verdicts.json")).as_array().unwrap().len(), 3);
    }
    assert_eq!(names(&place.dir()).len(), 3, "no files are left");
}
