//! The evidence of a campaign: its content, the detection of any change, and its evaluation from an archive.

use std::fs;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::campaign::{
    Place, SmallFs, WRITTEN_AND_COMPARED, codes_of, data_of, json, names, signal, tree, until,
};
use crate::common::forged;
use crate::common::{self, by_set};
use results::folder;

/// The most bytes to flip in a file, one after the other. The first and the last byte are among them.
const FLIPS_MAX: usize = 512;

fn campaign() -> Place {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    place
}

fn files(dir: &Path) -> Vec<PathBuf> {
    tree(dir).into_keys().filter(|path| path.is_file()).collect()
}

/// The first word after `key` on the line that begins with `key`.
fn word_after<'t>(text: &'t str, key: &str) -> &'t str {
    let line = text.lines().find(|line| line.starts_with(key));
    line.unwrap_or_else(|| panic!("no {key} in {text}"))[key.len()..].trim().split(' ').next().unwrap()
}

#[test]
fn any_flipped_byte_in_a_campaign_folder_is_reported_with_its_file() {
    let place = campaign();
    let dir = place.folder();
    assert_eq!(folder::check(&dir).unwrap().said(), Vec::<String>::new());
    let mut flips = 0;
    for path in files(&dir) {
        let whole = fs::read(&path).unwrap();
        let name = path.strip_prefix(&dir).unwrap().to_string_lossy().into_owned();
        let count = whole.len().min(by_set(FLIPS_MAX / 8, FLIPS_MAX));
        // Changes the file in place: rewriting it would flush it to the disk each time.
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for at in (0..count).map(|nth| nth * (whole.len() - 1) / (count - 1).max(1)) {
            file.write_all_at(&[whole[at] ^ 1 << (at % 8)], at as u64).unwrap();
            let faults = folder::check(&dir).unwrap().said();
            file.write_all_at(&[whole[at]], at as u64).unwrap();
            assert!(faults.first().is_some_and(|fault| fault.starts_with(&name)), "{name} {at}: {faults:?}");
            flips += 1;
        }
    }
    assert!(flips > by_set(500, 2000), "{flips}");
    assert_eq!(folder::check(&dir).unwrap().said(), Vec::<String>::new());
}

#[test]
fn run_verify_and_pack_print_the_same_evidence_hash_and_the_report_has_its_own() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    let head = word_after(&place.campaign().ok(), "Evidence hash:").to_owned();
    assert_eq!(head.len(), 64);
    let at = place.folder().display().to_string();
    let out = place.assay(&format!("verify {at}")).ok();
    assert_eq!(word_after(&out, "Evidence hash:"), head);
    assert_eq!(word_after(&place.assay(&format!("pack {at} -o a.tar.gz")).ok(), "Evidence hash:"), head);
    assert_eq!(word_after(&place.assay("verify a.tar.gz").ok(), "Evidence hash:"), head);
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
    assert_eq!(word_after(&out, "In the report:"), shown);
}

#[test]
fn a_folder_with_a_removed_hash_chain_is_not_reported_as_intact() {
    let place = campaign();
    let dir = place.folder();
    fs::remove_file(dir.join("chain.jsonl")).unwrap();
    let ran = place.assay(&format!("verify {}", dir.display()));
    assert_eq!(ran.status, Some(3));
    assert!(ran.out.starts_with("chain.jsonl is missing\n"), "{ran:#?}");
    let judged = place.assay(&format!("judge {}", dir.display()));
    assert_eq!(judged.status, Some(3), "a missing hash chain cannot be recreated: {judged:#?}");
    assert!(
        judged.out.contains("INVALID: Files of the campaign are not intact (chain.jsonl is missing)"),
        "{judged:#?}"
    );
}

#[test]
fn a_folder_of_another_format_is_rejected_in_one_line() {
    let place = campaign();
    let file = place.folder().join("campaign.json");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"schema\": 2", "\"schema\": 1")).unwrap();
    forged::chain(&place.folder(), &|_| {});
    for command in ["judge", "report"] {
        let ran = place.assay(&format!("{command} {}", place.folder().display()));
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""));
        let why =
            "campaign.json: its format is 1, and this program reads 2. Use the build of assay that wrote it.";
        assert!(ran.err.contains(why) && ran.err.lines().count() == 1, "{ran:#?}");
    }
}

#[test]
fn verify_judge_and_report_need_only_the_archive() {
    let place = campaign();
    let folder = place.folder();
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    let judged = place.assay(&format!("judge {}", folder.display())).ok();
    let packed = place.assay(&format!("pack {}", folder.display())).ok();
    assert_eq!(word_after(&packed, "Archive:"), format!("{name}.tar.gz"));
    let report = fs::read(folder.join("report.html")).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    let archive = fs::read(place.path(&format!("{name}.tar.gz"))).unwrap();
    let before = names(&place.path(""));
    assert_eq!(place.whole_jobs(format!("{name}.tar.gz")), 2);
    assert_eq!(place.assay(&format!("judge {name}.tar.gz")).ok(), judged);
    let ran = place.assay(&format!("report {name}.tar.gz"));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert_eq!(names(&place.path("")), before, "no file is written next to an archive");
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
fn changed_evidence_is_packed_only_with_anyway_and_no_archive_is_overwritten() {
    let place = campaign();
    let at = place.folder().display().to_string();
    place.assay(&format!("pack {at} -o a.tar.gz")).ok();
    let first = fs::read(place.path("a.tar.gz")).unwrap();
    let ran = place.assay(&format!("pack {at} -o a.tar.gz"));
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (Some(2), "assay: a.tar.gz already exists. Give another file with -o.\n")
    );
    symlink(&at, place.path("link")).unwrap();
    for inside in [&format!("{at}/a.tar.gz"), "link/a.tar.gz", "link/jobs/a.tar.gz"] {
        let ran = place.assay(&format!("pack {at} -o {inside}"));
        assert!(ran.status == Some(2) && ran.err.contains("is inside the campaign folder"), "{ran:#?}");
    }
    assert_eq!(place.assay("pack a.tar.gz -o b.tar.gz").status, Some(2));
    place.assay(&format!("pack {at} -o b.tar.gz")).ok();
    assert_eq!(fs::read(place.path("b.tar.gz")).unwrap(), first, "the same folder gives the same bytes");
    fs::write(place.folder().join("jobs/0001-W-r1/stdout.txt"), "better\n").unwrap();
    let ran = place.assay(&format!("pack {at}"));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert!(ran.err.contains(" is not packed: jobs/0001-W-r1/stdout.txt was changed: "), "{ran:#?}");
    let ran = place.assay(&format!("pack {at} --anyway"));
    assert!(
        ran.err.starts_with("assay: note: packed with this fault: jobs/0001-W-r1/stdout.txt was"),
        "{ran:#?}"
    );
    let archive = word_after(&ran.ok(), "Archive:").to_owned();
    assert!(archive.ends_with("-unverified.tar.gz"), "{archive}");
    let ran = place.assay(&format!("verify {archive}"));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.starts_with("jobs/0001-W-r1/stdout.txt was changed: "), "{ran:#?}");
    let judged = place.assay(&format!("judge {archive}"));
    assert!(judged.status == Some(3) && judged.err.contains("were modified"), "{judged:#?}");
    let overall = "INVALID: Files of the campaign are not intact (jobs/0001-W-r1/stdout.txt was changed: ";
    assert!(judged.out.contains(overall) && !judged.out.contains("clauses are met"), "{judged:#?}");
    assert!(
        !judged.out.contains("PASS") && judged.out.contains("so its verdicts are not valid."),
        "{judged:#?}"
    );
    let made = place.assay(&format!("report {archive} --out edited.html"));
    assert!(made.status == Some(3) && made.out.contains(overall), "{made:#?}");
    let report = fs::read_to_string(place.path("edited.html")).unwrap();
    assert!(report.contains("so its verdicts are not valid"), "the page has the same sentence");
    assert!(!report.contains(">PASS<"), "no clause on the page is PASS");
    let csv = place.assay(&format!("report {archive} --csv"));
    assert_eq!(csv.status, Some(3), "{csv:#?}");
    let spoiled = ",INVALID,";
    let lines: Vec<&str> = csv.out.lines().filter(|line| line.contains(",judged,")).collect();
    assert!(lines.len() == 2 && lines.iter().all(|line| line.contains(spoiled)), "{csv:#?}");
    assert!(!csv.out.contains("PASS") && csv.err.contains("were modified"), "{csv:#?}");
}

#[test]
fn a_report_uses_the_records_and_not_the_verdicts_file() {
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
    assert!(notes[2].contains("were modified, so the results above prove nothing. "), "{ran:#?}");
    assert!(notes[0].contains("W write.bw: verdicts.json has FAIL, but the records give PASS"), "{ran:#?}");
    let csv = place.assay(&format!("report {at} --csv"));
    assert_eq!((csv.status, csv.err), (Some(0), ran.err));
}

#[test]
fn a_read_only_folder_is_evaluated_and_not_changed() {
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
    assert!(ran.passed(), "{ran:#?}");
    assert!(ran.err.contains("verdicts.json is missing and cannot be written: "), "{ran:#?}");
    mount("rw");
    place.assay(&format!("judge {at}")).ok();
    assert_eq!(place.whole_jobs(&at), 2);
}

#[test]
fn the_folder_describes_build_environment_and_machine_without_secrets() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    let mut command = place.command("run p.toml --dir dir");
    command.env("LOADEDMODULES", "mpi/5").env("SLURM_JWT_TOKEN", "geheim").env("SLURM_CLUSTER", "c");
    common::run(&mut command).ok();
    let campaign = json(&place.folder().join("campaign.json"));
    assert_eq!(campaign["build"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(campaign["build"]["target"].as_str().unwrap().ends_with("-linux"), "{campaign}");
    assert_eq!(campaign["launcher"], serde_json::Value::Null, "local ranks need no launcher");
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
fn verdict_and_report_have_the_last_output_of_a_failed_job() {
    let place = Place::new();
    let script = place.path("die.sh");
    fs::write(&script, "echo first >&2; echo node n7 fell over >&2; exit 9\n").unwrap();
    place.plan(&format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
         probe = false\n\
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

/// Interrupts a campaign while the job that reads the files of W runs.
fn interrupted_at_the_reader(place: &Place) -> PathBuf {
    place.plan(&format!("{}{WRITTEN_AND_COMPARED}", place.hanging("-R")));
    let mut child = place.start("run p.toml --dir dir");
    until("the job that hangs", || place.path("hang.pid").exists());
    signal("-INT", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(3));
    fs::remove_file(place.path("hang")).unwrap();
    place.folder()
}

#[test]
fn resume_reports_files_that_are_missing_and_needed_with_a_remedy() {
    let place = Place::new();
    let folder = interrupted_at_the_reader(&place);
    let data = format!("{}.data", folder.display());
    fs::remove_dir_all(&data).unwrap();
    let ran = place.assay(&format!("run --resume {}", folder.display()));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 3), "{ran:#?}");
    let last = ran.err.lines().last().unwrap();
    let gone = "/tests/W-r1, but this directory is missing. Start a new campaign.";
    assert!(last.contains("0002-R-r1 needs the files of earlier jobs in ") && last.contains(gone), "{last}");
    let ran = place.assay(&format!("judge {}", folder.display()));
    assert!(ran.err.contains("this campaign has not ended: 1 of 2 jobs have. Resume it with: "), "{ran:#?}");
    assert_eq!(place.whole_jobs(&folder), 1);
}

#[test]
fn resume_does_not_need_missing_files_that_no_job_reads() {
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
    assert_eq!(names(&place.dir()).len(), 1, "the recreated files are removed, too");
}

#[test]
fn a_stopped_campaign_is_evaluated_with_not_run_for_the_killed_job() {
    let place = Place::new();
    let folder = interrupted_at_the_reader(&place);
    let ran = place.assay(&format!("judge {}", folder.display()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(ran.out.contains("NOT RUN") && ran.out.contains("jobs/.0002-R-r1"), "{ran:#?}");
    assert!(ran.err.contains("1 of 2 jobs have. Resume it with: assay run --resume "), "{ran:#?}");
}

#[test]
fn the_evidence_is_written_to_the_current_directory_and_its_place_on_the_tested_file_system_is_stated() {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    let started = |words: &str| common::run(&mut common::assay(&place.path(""), words));
    let ran = started("run p.toml --dir dir");
    let folders: Vec<String> =
        names(&place.path("")).into_iter().filter(|name| name.starts_with("assay-p-")).collect();
    assert_eq!((folders.len(), names(&place.dir())), (1, vec![]), "{ran:#?}");
    let note =
        |ran: &common::Ran| ran.err.lines().filter(|line| line.starts_with("note: The evidence")).count();
    assert_eq!(note(&ran), 1, "{ran:#?}");
    let findings = |folder: &Path| json(&folder.join("summary.json"))["findings"].clone();
    let found = findings(&place.path(&folders[0]));
    assert_eq!(data_of(&found, "evidence-on-tested")["fs"], "s", "{found:#}");

    let Some(_mounted) = SmallFs::mount(&place.dir(), "16m") else { return };
    let ran = started("run p.toml --dir dir --folder elsewhere");
    assert_eq!(note(&ran), 0, "{ran:#?}");
    let found = findings(&place.path("elsewhere"));
    assert!(!codes_of(&found).contains(&"evidence-on-tested"), "{found:#}");
    let ran = started("run p.toml --dir dir --campaigns dir");
    assert_eq!(note(&ran), 1, "{ran:#?}");
}
