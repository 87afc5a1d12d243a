//! Small complete folders, and every way to change them.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use super::super::*;
use super::*;
use crate::record::{End, Record};
use crate::records::{RecordFile, Sink};

const PLAN: &str = "schema = 1\n";

/// The sentences of all faults.
pub(super) fn verify(dir: &Path) -> io::Result<Vec<String>> {
    Ok(check(dir)?.said())
}

pub(super) fn info(schema: u32) -> CampaignInfo {
    CampaignInfo { schema, plan: "p".into(), plan_sha256: sha256(PLAN.as_bytes()), ..Default::default() }
}

pub(super) fn job(dir: &Path, name: &str) -> JobInfo {
    let job = stage_job(dir, name, &CampaignProcess::default()).unwrap();
    fs::write(job.dir().join(names::STDOUT), "hello\n").unwrap();
    let mut records = RecordFile::create(&job.dir().join(names::RECORDS)).unwrap();
    records.put(&Record::End(End::default())).unwrap();
    job.finish(JobInfo { number: 1, test: "w".into(), ..Default::default() }).unwrap()
}

/// Resumes a campaign without parallel jobs.
pub(super) fn resumed(dir: &Path) -> io::Result<Resumed> {
    resume(dir, &|_| Vec::new())
}

/// A campaign with one job that ended.
pub(super) fn campaign(dir: &Path) -> JobInfo {
    create(dir, &info(SCHEMA), PLAN).unwrap();
    write_machine(dir, names::BEFORE, &Machine { host: "n1".into(), ..Default::default() }).unwrap();
    job(dir, "0001-w-r1")
}

/// A campaign with a killed attempt, to its end.
pub(super) fn whole_campaign(dir: &Path) {
    campaign(dir);
    let killed = stage_job(dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    fs::write(killed.dir().join(names::STDERR), "").unwrap();
    resumed(dir).unwrap();
    job(dir, "0002-r-r1");
    end(dir);
}

pub(super) fn end(dir: &Path) {
    write_machine(dir, names::AFTER, &Machine::default()).unwrap();
    write_verdicts(dir, &[]).unwrap();
    write_report(dir, b"<html>").unwrap();
}

pub(super) fn place() -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let dir = place.path().join("c");
    (place, dir)
}

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { all.append(&mut files(&path)) } else { all.push(path) }
    }
    all.sort();
    all
}

#[test]
fn a_folder_loads_as_it_was_written() {
    let (_place, dir) = place();
    let info = campaign(&dir);
    let loaded = load(&dir).unwrap();
    assert_eq!((loaded.info.plan.as_str(), loaded.plan.as_str()), ("p", PLAN));
    assert_eq!(loaded.before.unwrap().host, "n1");
    assert_eq!((loaded.after, loaded.verdicts), (None, vec![]));
    assert_eq!(loaded.jobs.len(), 1);
    assert_eq!(loaded.jobs[0].folder, "jobs/0001-w-r1");
    assert_eq!(loaded.jobs[0].info, info);
    assert_eq!(loaded.jobs[0].records, [Record::End(End::default())]);
    let checked = check(&dir).unwrap();
    assert_eq!((checked.said(), checked.notes, checked.ended), (vec![], vec![], false));
    assert_eq!(checked.head.unwrap().entry, 4, "campaign, machine, job begun, job ended");
    assert!(create(&dir, &CampaignInfo::default(), "").is_err(), "a folder is never overwritten");
}

#[test]
fn every_changed_byte_of_every_file_is_found_and_its_file_is_reported() {
    let (_place, dir) = place();
    whole_campaign(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    assert!(check(&dir).unwrap().ended);
    let mut flips = 0;
    for path in files(&dir) {
        let whole = fs::read(&path).unwrap();
        let name = path.strip_prefix(&dir).unwrap().to_string_lossy().into_owned();
        // Bytes are changed in place, because creating files takes longer.
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for at in 0..whole.len() {
            file.write_all_at(&[whole[at] ^ [1, 0x20, 0x80][at % 3]], at as u64).unwrap();
            let faults = verify(&dir).unwrap();
            file.write_all_at(&[whole[at]], at as u64).unwrap();
            assert!(faults.first().is_some_and(|fault| fault.starts_with(&name)), "{name} {at}: {faults:?}");
            flips += 1;
        }
        fs::write(&path, &whole[..whole.len().saturating_sub(1)]).unwrap();
        assert_eq!(verify(&dir).unwrap().is_empty(), whole.is_empty(), "{name} one byte shorter");
        fs::write(&path, [&whole[..], b" "].concat()).unwrap();
        assert!(!verify(&dir).unwrap().is_empty(), "{name} one byte longer");
        fs::remove_file(&path).unwrap();
        let faults = verify(&dir).unwrap_or_else(|error| vec![error.to_string()]);
        assert!(faults.iter().any(|fault| fault.starts_with(&name)), "{name} removed: {faults:?}");
        fs::write(&path, whole).unwrap();
    }
    assert!(flips > 3000, "{flips}");
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
}

#[test]
fn every_added_file_or_directory_is_found() {
    let (_place, dir) = place();
    whole_campaign(&dir);
    for name in ["a", ".a", ".verdicts.json.part", "jobs/a", "jobs/.0003-w-r1", "jobs/0001-w-r1/a/b"] {
        for is_dir in [false, true] {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if is_dir {
                fs::create_dir(&path).unwrap()
            } else {
                fs::write(&path, "").unwrap()
            }
            let faults = verify(&dir).unwrap();
            assert_eq!(faults.len(), 1, "{name}: {faults:?}");
            assert!(faults[0].contains(" was added: it is not in chain.jsonl"), "{faults:?}");
            if is_dir {
                fs::remove_dir(&path).unwrap()
            } else {
                fs::remove_file(&path).unwrap()
            }
            let _ = fs::remove_dir(dir.join("jobs/0001-w-r1/a"));
        }
    }
    std::os::unix::fs::symlink(dir.join("plan.toml"), dir.join("other.toml")).unwrap();
    assert_eq!(verify(&dir).unwrap(), ["other.toml was added: it is not in chain.jsonl"]);
    fs::rename(dir.join("other.toml"), dir.join("plan.toml")).unwrap();
    assert!(verify(&dir).unwrap()[0].starts_with("plan.toml was changed"), "a link is not a file");
}

#[test]
fn a_chain_with_missing_added_or_moved_entries_is_found() {
    let (_place, dir) = place();
    whole_campaign(&dir);
    let path = dir.join(names::CHAIN);
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let has_faults = |lines: &[&str], what: &str| {
        fs::write(&path, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        assert!(!verify(&dir).unwrap().is_empty(), "{what}");
    };
    for cut in 0..lines.len() {
        has_faults(&lines[..cut], &format!("cut after line {cut}"));
        has_faults(&lines[cut + 1..], &format!("cut before line {}", cut + 2));
        has_faults(&[&lines[..cut], &lines[cut + 1..]].concat(), &format!("without line {}", cut + 1));
        has_faults(&[&lines[..cut], &lines[cut..=cut], &lines[cut..]].concat(), "a line twice");
        for other in 0..cut {
            let mut swapped = lines.clone();
            swapped.swap(cut, other);
            has_faults(&swapped, &format!("lines {} and {} swapped", other + 1, cut + 1));
        }
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    fs::remove_file(path).unwrap();
    assert_eq!(verify(&dir).unwrap(), ["chain.jsonl is missing"]);
}

#[test]
fn a_removed_job_or_attempt_is_found_by_its_entry() {
    let (_place, dir) = place();
    whole_campaign(&dir);
    for folder in ["jobs/0001-w-r1", "jobs/0002-r-r1.killed-1"] {
        fs::rename(dir.join(folder), dir.join("../away")).unwrap();
        assert_eq!(verify(&dir).unwrap(), [format!("{folder} is missing")]);
        fs::rename(dir.join("../away"), dir.join(folder)).unwrap();
    }
    let (_place, dir) = place();
    campaign(&dir);
    let begun = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    fs::remove_dir(begun.dir()).unwrap();
    let faults = verify(&dir).unwrap();
    assert_eq!(faults, ["jobs/0002-r-r1 began, but its files are missing"]);
    assert!(resumed(&dir).unwrap_err().to_string().starts_with("jobs/0002-r-r1 began"));
}

#[test]
fn what_a_kill_leaves_is_not_a_fault_and_resuming_restores_it() {
    let (_place, dir) = place();
    campaign(&dir);
    let chain = dir.join(names::CHAIN);
    let whole = fs::read_to_string(&chain).unwrap();
    // A job is completely or partly recorded in the chain, and its folder does not have its name yet.
    let line = whole.lines().last().unwrap().len();
    for kept in [1, line / 2, line, line + 1] {
        fs::rename(dir.join("jobs/0001-w-r1"), dir.join("jobs/.0001-w-r1")).unwrap();
        fs::write(&chain, &whole[..whole.len() - line - 1 + kept]).unwrap();
        let checked = check(&dir).unwrap();
        assert_eq!(checked.said(), Vec::<String>::new(), "{kept}");
        let expected = ["jobs/.0001-w-r1 has not ended", "jobs/.0001-w-r1 does not have its final name"];
        let is_expected = |note: &String| expected.iter().any(|start| note.starts_with(start));
        assert!(checked.notes.iter().any(is_expected), "{checked:?}");
        let resumed = resumed(&dir).unwrap();
        assert_eq!(resumed.restored.len(), 1, "{kept}: {resumed:?}");
        assert_eq!(resumed.aside.len(), usize::from(kept <= line), "{kept}: {resumed:?}");
        let checked = check(&dir).unwrap();
        assert_eq!((checked.said(), checked.notes), (vec![], vec![]), "{kept}");
        let said = fs::read_to_string(&chain).unwrap();
        assert!(said.contains("\"what\":\"resumed\"") && said.contains("\"note\":\"restored: "), "{said}");
        if let Some(aside) = resumed.aside.first() {
            fs::rename(dir.join(aside), dir.join("jobs/0001-w-r1")).unwrap();
        }
        fs::write(&chain, &whole).unwrap();
    }
    // The verdicts are recorded in the chain, but their file does not have its name yet. Another file is
    // incomplete.
    write_verdicts(&dir, &[]).unwrap();
    fs::rename(dir.join("verdicts.json"), dir.join(".verdicts.json.part")).unwrap();
    fs::write(dir.join(".report.html.part"), "<ht").unwrap();
    assert_eq!(check(&dir).unwrap().notes.len(), 2);
    assert_eq!(resumed(&dir).unwrap().restored.len(), 2);
    assert!(dir.join("verdicts.json").exists() && !dir.join(".report.html.part").exists());
    assert_eq!(check(&dir).unwrap().notes, Vec::<String>::new());
}

#[test]
fn every_file_in_the_folder_of_a_job_is_evidence() {
    let (_place, dir) = place();
    campaign(&dir);
    let job = stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    fs::create_dir_all(job.dir().join("a/b")).unwrap();
    fs::write(job.dir().join("a/core"), "dump").unwrap();
    std::os::unix::fs::symlink("core", job.dir().join("a/link")).unwrap();
    job.finish(JobInfo::default()).unwrap();
    end(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    fs::remove_dir(dir.join("jobs/0002-r-r1/a/b")).unwrap();
    fs::write(dir.join("jobs/0002-r-r1/a/core"), "dumb").unwrap();
    fs::remove_file(dir.join("jobs/0002-r-r1/a/link")).unwrap();
    std::os::unix::fs::symlink("cork", dir.join("jobs/0002-r-r1/a/link")).unwrap();
    let faults = verify(&dir).unwrap();
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert_eq!(faults[0], "jobs/0002-r-r1/a/b is missing");
    assert!(faults[1].starts_with("jobs/0002-r-r1/a/core was changed"), "{faults:?}");
    assert!(faults[2].starts_with("jobs/0002-r-r1/a/link was changed"), "{faults:?}");
}

#[test]
fn a_changed_campaign_does_not_resume_and_stays_unchanged() {
    let (_place, dir) = place();
    campaign(&dir);
    stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
    fs::write(dir.join("jobs/0001-w-r1/stdout.txt"), "hullo\n").unwrap();
    let before = files(&dir);
    let rejected = resumed(&dir).unwrap_err().to_string();
    assert!(rejected.starts_with("jobs/0001-w-r1/stdout.txt was changed: its SHA-256 is "), "{rejected}");
    assert_eq!(files(&dir), before);
    assert!(dir.join("jobs/.0002-r-r1").exists());
}

#[test]
fn every_killed_attempt_is_kept_and_listed_but_is_not_a_job() {
    let (_place, dir) = place();
    campaign(&dir);
    for attempt in 1..=2 {
        stage_job(&dir, "0002-r-r1", &CampaignProcess::default()).unwrap();
        assert_eq!(resumed(&dir).unwrap().aside, [format!("jobs/0002-r-r1.killed-{attempt}")]);
    }
    let loaded = load(&dir).unwrap();
    assert_eq!(loaded.jobs.len(), 1);
    assert_eq!(loaded.killed, ["jobs/0002-r-r1.killed-1", "jobs/0002-r-r1.killed-2"]);
}

#[test]
fn jobs_that_ended_in_parallel_with_a_killed_job_are_set_aside_with_it() {
    let (_place, dir) = place();
    campaign(&dir);
    let beside = |job: &str| match job {
        "0002-a-r1" | "0003-b-r1" => ["0002-a-r1", "0003-b-r1"].map(str::to_owned).to_vec(),
        _ => Vec::new(),
    };
    job(&dir, "0002-a-r1");
    stage_job(&dir, "0003-b-r1", &CampaignProcess::default()).unwrap();
    // Killed between hiding the folder and recording it, then between recording and renaming.
    fs::rename(dir.join("jobs/0002-a-r1"), dir.join("jobs/.0002-a-r1")).unwrap();
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    let aside = ["jobs/0002-a-r1.killed-1", "jobs/0003-b-r1.killed-1"];
    assert_eq!(resume(&dir, &beside).unwrap().aside, aside);
    fs::rename(dir.join(aside[0]), dir.join("jobs/.0002-a-r1")).unwrap();
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    assert_eq!(resume(&dir, &beside).unwrap().aside, [""; 0]);
    let loaded = load(&dir).unwrap();
    assert_eq!((loaded.jobs.len(), loaded.killed), (1, aside.map(str::to_owned).to_vec()));
    for folder in aside {
        job(&dir, folder.trim_start_matches("jobs/").trim_end_matches(".killed-1"));
    }
    assert_eq!(resume(&dir, &beside).unwrap().aside, [""; 0]);
    end(&dir);
    assert_eq!(verify(&dir).unwrap(), Vec::<String>::new());
    fs::write(dir.join("jobs/0002-a-r1.killed-1/stdout.txt"), "hullo\n").unwrap();
    assert_eq!(verify(&dir).unwrap().len(), 1);
}

#[test]
fn a_folder_without_its_chain_has_a_fault_and_nothing_is_added_to_it() {
    let (_place, dir) = place();
    campaign(&dir);
    fs::remove_file(dir.join(names::CHAIN)).unwrap();
    let checked = check(&dir).unwrap();
    assert_eq!((checked.said(), checked.head.clone()), (vec!["chain.jsonl is missing".to_owned()], None));
    assert!(checked.forbids_writing().is_some());
    let error = write_verdicts(&dir, &[]).unwrap_err().to_string();
    assert!(error.contains("chain.jsonl") && !dir.join(names::CHAIN).exists(), "{error}");
}

#[test]
fn a_folder_of_another_format_is_not_read() {
    for schema in [1, SCHEMA + 1] {
        let (_place, dir) = place();
        create(&dir, &info(schema), PLAN).unwrap();
        let error = load(&dir).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        let why = format!("campaign.json: its format is {schema}, and this program reads 2. ");
        assert!(error.to_string().contains(&why), "{error}");
        assert!(check(&dir).is_ok_and(|checked| checked.faults.is_empty()), "its files can be compared");
        fs::remove_file(dir.join(names::CHAIN)).unwrap();
        assert_eq!(check(&dir).unwrap_err().kind(), ErrorKind::Unsupported);
    }
}

#[test]
fn only_files_that_can_be_made_again_are_not_evidence() {
    let (_place, dir) = place();
    whole_campaign(&dir);
    fs::write(dir.join(names::VERDICTS), "[ ]").unwrap();
    fs::write(dir.join(names::REPORT), "<p>").unwrap();
    assert_eq!(check(&dir).unwrap().of_evidence(), [""; 0]);
    fs::write(dir.join("report.html.old"), "").unwrap();
    assert_eq!(check(&dir).unwrap().of_evidence(), ["report.html.old was added: it is not in chain.jsonl"]);
}

#[test]
fn the_error_about_an_unreadable_file_names_it_and_an_empty_directory_is_not_a_campaign() {
    let (place, dir) = place();
    assert!(load(place.path()).is_err() && check(place.path()).is_err());
    campaign(&dir);
    fs::write(dir.join(names::VERDICTS), "[").unwrap();
    let error = load(&dir).unwrap_err().to_string();
    assert!(error.contains("verdicts.json: EOF"), "{error}");
}

#[test]
fn an_archive_is_reproducible_and_unpacks_to_the_same_folder() {
    let (place, dir) = place();
    whole_campaign(&dir);
    let out = |name: &str| place.path().join(name);
    let packed = pack(&dir, &out("a.tar.gz"), &[]).unwrap();
    fs::write(dir.join(names::PLAN), PLAN).unwrap();
    assert_eq!(pack(&dir, &out("b.tar.gz"), &[]).unwrap(), packed, "a later date of a file changes nothing");
    assert_eq!(fs::read(out("a.tar.gz")).unwrap(), fs::read(out("b.tar.gz")).unwrap());
    assert_eq!(pack(&dir, &out("b.tar.gz"), &[]).unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 3, "no incomplete archive is left");
    assert!(is_archive(&out("a.tar.gz")) && !is_archive(&dir.join(names::PLAN)) && !is_archive(&dir));
    fs::create_dir(out("u")).unwrap();
    let there = unpack(&out("a.tar.gz"), &out("u")).unwrap();
    assert_eq!(there, out("u").join("c"));
    assert_eq!(check(&there).unwrap(), check(&dir).unwrap());
    assert_eq!(load(&there).unwrap(), load(&dir).unwrap());
    pack(&dir, &out("c.tar.gz"), &["plan.toml was changed".into()]).unwrap();
    fs::create_dir(out("v")).unwrap();
    unpack(&out("c.tar.gz"), &out("v")).unwrap();
    assert_eq!(fs::read_to_string(out("v").join("UNVERIFIED.txt")).unwrap(), "plan.toml was changed\n");
    fs::write(out("d.tar.gz"), [0x1f, 0x8b, 8, 0]).unwrap();
    assert!(unpack(&out("d.tar.gz"), &out("v")).unwrap_err().to_string().contains("d.tar.gz: "));
}
