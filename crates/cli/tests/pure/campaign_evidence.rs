//! What a campaign leaves as evidence: that nothing of it can be changed unnoticed, that somebody else can
//! judge it from an archive, and what it holds.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common;
use crate::common::campaign::{Place, SmallFs, WRITTEN_AND_COMPARED, json, names, signal, tree, until};
use results::folder;

/// A file up to so many bytes is flipped at every byte, a longer one at as many places, first and last too.
const PLACES: usize = 512;

fn campaign() -> Place {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    place
}

fn files(dir: &Path) -> Vec<PathBuf> {
    tree(dir).into_keys().filter(|path| path.is_file()).collect()
}

/// What `text` says behind `key` on the line that begins with it.
fn said<'t>(text: &'t str, key: &str) -> &'t str {
    let line = text.lines().find(|line| line.starts_with(key));
    line.unwrap_or_else(|| panic!("no {key} in {text}"))[key.len()..].trim().split(' ').next().unwrap()
}

#[test]
fn any_byte_that_is_flipped_in_a_real_folder_is_found_and_its_file_is_named() {
    let place = campaign();
    let dir = place.folder();
    assert_eq!(folder::check(&dir).unwrap().said(), Vec::<String>::new());
    let mut flips = 0;
    for path in files(&dir) {
        let whole = fs::read(&path).unwrap();
        let name = path.strip_prefix(&dir).unwrap().to_string_lossy().into_owned();
        let count = whole.len().min(PLACES);
        // In its place: a file that is made anew is put on disk each time.
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for at in (0..count).map(|nth| nth * (whole.len() - 1) / (count - 1).max(1)) {
            file.write_all_at(&[whole[at] ^ 1 << (at % 8)], at as u64).unwrap();
            let faults = folder::check(&dir).unwrap().said();
            file.write_all_at(&[whole[at]], at as u64).unwrap();
            assert!(faults.first().is_some_and(|fault| fault.starts_with(&name)), "{name} {at}: {faults:?}");
            flips += 1;
        }
    }
    assert!(flips > 2000, "{flips}");
    assert_eq!(folder::check(&dir).unwrap().said(), Vec::<String>::new());
}

#[test]
fn the_head_is_told_at_the_end_by_verify_and_by_the_archive_and_the_report_shows_where_it_was_made() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    let head = said(&place.campaign().ok(), "Head").to_owned();
    assert_eq!(head.len(), 64);
    let at = place.folder().display().to_string();
    let out = place.assay(&format!("verify {at}")).ok();
    assert_eq!(said(&out, "Head"), head);
    assert_eq!(said(&place.assay(&format!("pack {at} -o a.tar.gz")).ok(), "Head"), head);
    assert_eq!(said(&place.assay("verify a.tar.gz").ok(), "Head"), head);
    let chain = fs::read_to_string(place.folder().join("chain.jsonl")).unwrap();
    let entries: Vec<serde_json::Value> =
        chain.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let whats: Vec<&str> = entries.iter().map(|entry| entry["what"].as_str().unwrap()).collect();
    let jobs = ["begun", "ended", "begun", "ended"];
    assert_eq!(
        whats,
        [&["campaign", "machine"], &jobs[..], &["machine", "verdicts", "verdicts", "report"]].concat()
    );
    assert_eq!(entries.last().unwrap()["hash"], head.as_str());
    let page = fs::read_to_string(place.folder().join("report.html")).unwrap();
    let shown = entries[entries.len() - 2]["hash"].as_str().unwrap();
    assert!(page.contains(shown));
    assert_eq!(said(&out, "Report"), shown);
}

/// Takes these fields out of a file, and sets its schema, if it has one, to 1.
fn strip(file: &Path, fields: &[&str]) {
    let mut all = json(file);
    let all = all.as_object_mut().unwrap();
    all.retain(|field, _| !fields.contains(&field.as_str()));
    all.entry("schema").and_modify(|schema| *schema = 1.into());
    fs::write(file, serde_json::to_vec(all).unwrap()).unwrap();
}

#[test]
fn a_folder_from_which_all_was_taken_that_a_chain_came_with_is_not_called_whole() {
    let place = campaign();
    let dir = place.folder();
    let verify = || place.assay(&format!("verify {}", dir.display()));
    fs::remove_file(dir.join("chain.jsonl")).unwrap();
    strip(&dir.join("campaign.json"), &["hosts", "exclude", "batch_script", "build", "launcher", "env"]);
    for job in fs::read_dir(dir.join("jobs")).unwrap() {
        let later = ["load_before", "fill_before", "fill_after", "layout", "libraries"];
        strip(&job.unwrap().path().join("job.json"), &later);
    }
    fs::remove_file(dir.join("report.html")).unwrap();
    let summary = verify();
    assert_eq!(summary.status, Some(3));
    assert!(summary.out.starts_with("summary.json was made by a program that keeps a chain"), "{summary:#?}");
    let judged = place.assay(&format!("judge {}", dir.display()));
    assert_eq!(judged.status, Some(3), "a lost chain is no matter of what can be made again: {judged:#?}");
    assert!(
        judged.out.contains("INVALID: Files are not as recorded (summary.json was made by "),
        "{judged:#?}"
    );
    fs::remove_file(dir.join("summary.json")).unwrap();
    let ran = verify();
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains(": made by schema 1, without a chain: only the plan and what each job left"));
    assert!(!ran.out.contains("whole"), "{ran:#?}");
}

#[test]
fn the_buyer_verifies_judges_and_reports_from_the_archive_alone() {
    let place = campaign();
    let folder = place.folder();
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let judged = place.assay(&format!("judge {}", folder.display())).ok();
    let packed = place.assay(&format!("pack {}", folder.display())).ok();
    assert_eq!(said(&packed, "Packed"), format!("{name}.tar.gz"));
    let report = fs::read(folder.join("report.html")).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let archive = fs::read(place.path(&format!("{name}.tar.gz"))).unwrap();
    let before = names(&place.path(""));
    assert_eq!(place.whole_jobs(format!("{name}.tar.gz")), 2);
    assert_eq!(place.assay(&format!("judge {name}.tar.gz")).ok(), judged);
    let ran = place.assay(&format!("report {name}.tar.gz"));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert_eq!(names(&place.path("")), before, "nothing is written beside an archive");
    place.assay(&format!("report {name}.tar.gz --out again.html")).ok();
    assert_eq!(fs::read(place.path("again.html")).unwrap(), report);
    assert_eq!(fs::read(place.path(&format!("{name}.tar.gz"))).unwrap(), archive);
    let mut tar = Command::new("tar");
    assert!(
        tar.args(["xzf", &format!("{name}.tar.gz")]).current_dir(place.path("")).status().unwrap().success()
    );
    assert_eq!(place.whole_jobs(&name), 2);
    assert_eq!(place.assay(&format!("judge {name}")).ok(), judged);
    fs::write(place.path("broken.tar.gz"), &archive[..archive.len() / 2]).unwrap();
    for command in ["verify", "judge", "report"] {
        let ran = place.assay(&format!("{command} broken.tar.gz"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.starts_with("assay: broken.tar.gz: "), "{ran:#?}");
    }
}

#[test]
fn what_does_not_verify_or_has_not_ended_is_packed_only_anyway_and_no_archive_is_written_over() {
    let place = campaign();
    let at = place.folder().display().to_string();
    place.assay(&format!("pack {at} -o a.tar.gz")).ok();
    let first = fs::read(place.path("a.tar.gz")).unwrap();
    let ran = place.assay(&format!("pack {at} -o a.tar.gz"));
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (Some(2), "assay: a.tar.gz exists and stays as it is; name another file with -o\n")
    );
    assert_eq!(place.assay(&format!("pack {at} -o {at}/a.tar.gz")).status, Some(2));
    assert_eq!(place.assay("pack a.tar.gz -o b.tar.gz").status, Some(2));
    place.assay(&format!("pack {at} -o b.tar.gz")).ok();
    assert_eq!(fs::read(place.path("b.tar.gz")).unwrap(), first, "the same folder, the same bytes");
    fs::write(place.folder().join("jobs/0001-W-r1/stdout.txt"), "better\n").unwrap();
    let ran = place.assay(&format!("pack {at}"));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert!(ran.err.contains(" is not packed: jobs/0001-W-r1/stdout.txt was changed: "), "{ran:#?}");
    let ran = place.assay(&format!("pack {at} --anyway"));
    assert!(ran.err.starts_with("assay: note: packed although jobs/0001-W-r1/stdout.txt was"), "{ran:#?}");
    let archive = said(&ran.ok(), "Packed").to_owned();
    assert!(archive.ends_with("-unverified.tar.gz"), "{archive}");
    let ran = place.assay(&format!("verify {archive}"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.starts_with("jobs/0001-W-r1/stdout.txt was changed: "), "{ran:#?}");
    let judged = place.assay(&format!("judge {archive}"));
    assert!(judged.status == Some(3) && judged.err.contains("are not as recorded"), "{judged:#?}");
    let overall = "INVALID: Files are not as recorded (jobs/0001-W-r1/stdout.txt was changed: ";
    assert!(judged.out.contains(overall) && !judged.out.contains("clauses are met"), "{judged:#?}");
    assert!(!judged.out.contains("PASS") && judged.out.contains("so this proves nothing."), "{judged:#?}");
    let made = place.assay(&format!("report {archive} --out edited.html"));
    assert!(made.status == Some(3) && made.out.contains(overall), "{made:#?}");
    let report = fs::read_to_string(place.path("edited.html")).unwrap();
    assert!(report.contains("so nothing here proves anything"), "the page says so too");
    assert!(!report.contains(">PASS<"), "no clause of the page passes");
    let csv = place.assay(&format!("report {archive} --csv"));
    assert_eq!(csv.status, Some(3), "{csv:#?}");
    let spoiled = ",INVALID,";
    let lines: Vec<&str> = csv.out.lines().filter(|line| line.contains(",judged,")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains(spoiled)), "{csv:#?}");
    assert!(!csv.out.contains("PASS") && csv.err.contains("are not as recorded"), "{csv:#?}");
}

#[test]
fn a_report_is_made_of_the_records_whatever_the_verdicts_file_says() {
    let place = campaign();
    let at = place.folder().display().to_string();
    let report = fs::read(place.folder().join("report.html")).unwrap();
    let verdicts = fs::read_to_string(place.folder().join("verdicts.json")).unwrap();
    fs::write(place.folder().join("verdicts.json"), verdicts.replace("PASS", "FAIL")).unwrap();
    let ran = place.assay(&format!("report {at} --out again.html"));
    assert!(ran.status == Some(0) && ran.out.contains("PASS") && !ran.out.contains("FAIL"), "{ran:#?}");
    assert_eq!(fs::read(place.path("again.html")).unwrap(), report);
    let notes: Vec<&str> = ran.err.lines().collect();
    assert_eq!(notes.len(), 3, "{ran:#?}");
    assert!(notes[2].contains("are not as recorded, so nothing above proves anything; "), "{ran:#?}");
    assert!(notes[0].contains("verdicts.json says FAIL of W write.bw, and the records say PASS"), "{ran:#?}");
    let csv = place.assay(&format!("report {at} --csv"));
    assert_eq!((csv.status, csv.err), (Some(0), ran.err));
}

#[test]
fn a_folder_that_cannot_be_written_is_judged_and_stays_as_it_is() {
    let place = Place::new();
    let Some(_mounted) = SmallFs::mount(&place.dir(), "64m") else { return };
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    let at = place.folder().display().to_string();
    fs::remove_file(place.folder().join("verdicts.json")).unwrap();
    let mount = |options: &str| {
        let words = ["-o".to_owned(), format!("remount,{options}")];
        assert!(Command::new("mount").args(words).arg(place.dir()).status().unwrap().success());
    };
    mount("ro");
    let ran = place.assay(&format!("judge {at}"));
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.err.contains("verdicts.json is missing and cannot be put back: "), "{ran:#?}");
    mount("rw");
    place.assay(&format!("judge {at}")).ok();
    assert_eq!(place.whole_jobs(&at), 2);
}

#[test]
fn the_folder_tells_what_ran_with_what_on_what_and_no_secrets() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    let mut command = place.command("run p.toml --dir dir");
    command.env("LOADEDMODULES", "mpi/5").env("SLURM_JWT_TOKEN", "geheim").env("SLURM_CLUSTER", "c");
    common::run(&mut command).ok();
    let campaign = json(&place.folder().join("campaign.json"));
    assert_eq!(campaign["build"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(campaign["build"]["target"].as_str().unwrap().ends_with("-linux"), "{campaign}");
    assert_eq!(campaign["launcher"], serde_json::Value::Null, "local ranks need none");
    assert_eq!(campaign["env"]["LOADEDMODULES"], "mpi/5");
    assert_eq!(campaign["env"]["SLURM_CLUSTER"], "c");
    for file in files(&place.folder()) {
        assert!(!String::from_utf8_lossy(&fs::read(&file).unwrap()).contains("geheim"), "{file:?}");
    }
    let machine = json(&place.folder().join("machine-before.json"));
    assert!(machine["limits"]["Max open files"].is_string(), "{machine}");
    assert!(!machine["file_systems"][0]["mounts"].as_array().unwrap().is_empty(), "{machine}");
    let job = json(&place.folder().join("jobs/0001-W-r1/job.json"));
    assert!(job["fill_before"]["bytes_free"].as_u64().unwrap() > 0, "{job}");
    assert!(job["fill_after"]["bytes_used"].as_u64().unwrap() > 0, "{job}");
    assert_eq!(job["env"]["LOADEDMODULES"], "mpi/5");
}

#[test]
fn a_dead_job_is_told_by_its_last_words_in_verdict_and_report() {
    let place = Place::new();
    let script = place.path("die.sh");
    fs::write(&script, "echo first >&2; echo node n7 fell over >&2; exit 9\n").unwrap();
    place.plan(&format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
         {WRITTEN_AND_COMPARED}"
    ));
    assert_eq!(place.campaign().status, Some(3));
    let verdicts = place.verdicts();
    assert_eq!(verdicts[0].1, "INVALID");
    let dead = |reason: &serde_json::Value| {
        assert_eq!(
            (&reason["code"], &reason["data"]["status"]),
            (&"job-failed".into(), &9.into()),
            "{reason}"
        );
        assert!(reason.to_string().contains("first / node n7 fell over"), "{reason}");
    };
    dead(&verdicts[0].2);
    assert_eq!(verdicts[1].1, "NOT_RUN");
    dead(&verdicts[1].2);
    let page = fs::read_to_string(place.folder().join("report.html")).unwrap();
    assert!(page.contains(">first &#x2f; node n7 fell over<"), "{page}");
}

/// A campaign that is killed with the reader of W's files under way.
fn killed_at_the_reader(place: &Place) -> PathBuf {
    place.plan(&format!("{}{WRITTEN_AND_COMPARED}", place.hanging("-R")));
    let mut child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(3));
    fs::remove_file(place.path("hang")).unwrap();
    place.folder()
}

#[test]
fn a_campaign_whose_files_were_purged_says_what_is_gone_and_what_would_do() {
    let place = Place::new();
    let folder = killed_at_the_reader(&place);
    let data = format!("{}.data", folder.display());
    fs::remove_dir_all(&data).unwrap();
    let ran = place.assay(&format!("run --resume {}", folder.display()));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 3), "{ran:#?}");
    let last = ran.err.lines().last().unwrap();
    let gone = "/tests/W-r1, which is gone; begin the campaign again, and see what this one has";
    assert!(last.contains("0002-R-r1 needs what earlier jobs left in ") && last.contains(gone), "{last}");
    let ran = place.assay(&format!("judge {}", folder.display()));
    assert!(ran.err.contains("this campaign has not ended, 1 of 2 jobs have; go on with: "), "{ran:#?}");
    assert_eq!(place.whole_jobs(&folder), 1);
}

#[test]
fn a_campaign_whose_files_were_purged_before_anybody_needs_them_goes_on() {
    let place = Place::new();
    place.plan(&format!("{}{WRITTEN_AND_COMPARED}", place.hanging("-w")));
    let mut child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    child.wait().unwrap();
    fs::remove_file(place.path("hang")).unwrap();
    fs::remove_dir_all(format!("{}.data", place.folder().display())).unwrap();
    place.assay(&format!("run --resume {}", place.folder().display())).ok();
    assert_eq!(place.outcomes(), ["W PASS", "R PASS"]);
    assert_eq!(names(&place.dir()).len(), 1, "the files made anew are gone, too");
}

#[test]
fn a_stopped_campaign_is_judged_as_far_as_it_went_with_what_was_killed() {
    let place = Place::new();
    let folder = killed_at_the_reader(&place);
    let ran = place.assay(&format!("judge {}", folder.display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains("NOT RUN") && ran.out.contains("jobs/.0002-R-r1"), "{ran:#?}");
    assert!(ran.err.contains("1 of 2 jobs have; go on with: assay run --resume "), "{ran:#?}");
}
