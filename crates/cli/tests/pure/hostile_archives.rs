//! Folders and archives that an attacker made. No command follows a link out of them, writes outside, hangs,
//! fills a disk, or lets their text reach the terminal.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::campaign::{HEAD, Place, WRITTEN_AND_COMPARED, json, tree};
use crate::common::{Ran, forged};

/// The text of a file of the victim. No output may have it.
const SECRET: &str = "the victim's secret";

fn campaign() -> Place {
    let place = Place::new();
    place.plan(WRITTEN_AND_COMPARED);
    place.campaign().ok();
    place
}

/// A file of the victim outside of the folder.
fn victim(place: &Place) -> PathBuf {
    let file = place.path("authorized_keys");
    fs::write(&file, SECRET).unwrap();
    file
}

/// Runs every command that a buyer uses on `at`. None may print the secret.
fn all_commands(place: &Place, at: &str) -> Vec<(&'static str, Ran)> {
    let commands =
        ["verify", "judge", "report", "report --csv", "report --out page.html", "pack --anyway -o a.tgz"];
    let ran = commands.map(|command| {
        let (word, rest) = command.split_once(' ').unwrap_or((command, ""));
        let ran = place.assay(&format!("{word} {at} {rest}"));
        assert!(!format!("{ran:?}").contains(SECRET), "{command}: {ran:#?}");
        (command, ran)
    });
    let page = fs::read_to_string(place.path("page.html")).unwrap_or_default();
    assert!(!page.contains(SECRET), "{page}");
    ran.into_iter().collect()
}

#[test]
fn links_under_the_former_names_of_incomplete_files_are_not_written_through() {
    let place = campaign();
    let (dir, victim) = (place.folder(), victim(&place));
    let at = dir.display().to_string();
    for name in ["report.html", "verdicts.json"] {
        fs::remove_file(dir.join(name)).unwrap();
        symlink(&victim, dir.join(format!(".{name}.part"))).unwrap();
    }
    all_commands(&place, &at);
    place.assay(&format!("run --resume {at}"));
    assert_eq!(fs::read_to_string(&victim).unwrap(), SECRET);
    // The archive next to the folder gets a name in a directory of others, too.
    symlink(&victim, place.path(".b.tgz.part")).unwrap();
    place.assay(&format!("pack {at} --anyway -o b.tgz"));
    assert_eq!(fs::read_to_string(&victim).unwrap(), SECRET);
}

#[test]
fn links_in_place_of_written_files_are_not_written_through() {
    let place = campaign();
    let (dir, victim) = (place.folder(), victim(&place));
    let at = dir.display().to_string();
    for name in ["report.html", "verdicts.json", "summary.json", "chain.jsonl", "campaign.json", "plan.toml"]
    {
        let kept = fs::read(dir.join(name)).unwrap();
        fs::remove_file(dir.join(name)).unwrap();
        symlink(&victim, dir.join(name)).unwrap();
        let verified = all_commands(&place, &at).remove(0).1;
        assert!(matches!(verified.status, Some(2 | 3)), "{name}: {verified:#?}");
        assert_eq!(place.assay(&format!("run --resume {at}")).status, Some(2), "{name}");
        assert_eq!(fs::read_to_string(&victim).unwrap(), SECRET, "{name}");
        fs::remove_file(dir.join(name)).unwrap();
        fs::write(dir.join(name), kept).unwrap();
        let _ = fs::remove_file(place.path("a.tgz"));
    }
    // A whole directory elsewhere.
    let away = place.path("away");
    fs::rename(dir.join("jobs"), &away).unwrap();
    symlink(&away, dir.join("jobs")).unwrap();
    let before = tree(&away);
    all_commands(&place, &at);
    assert_eq!(place.assay(&format!("run --resume {at}")).status, Some(2));
    assert_eq!(tree(&away), before);
}

#[test]
fn nothing_is_written_into_a_folder_that_does_not_verify() {
    let place = campaign();
    let dir = place.folder();
    let at = dir.display().to_string();
    fs::remove_file(dir.join("report.html")).unwrap();
    fs::remove_file(dir.join("verdicts.json")).unwrap();
    fs::write(dir.join("jobs/0001-W-r1/stdout.txt"), "better\n").unwrap();
    let before = tree(&dir);
    all_commands(&place, &at);
    assert_eq!(tree(&dir), before);
    // A folder without a hash chain cannot be verified at all.
    fs::remove_file(dir.join("chain.jsonl")).unwrap();
    let before = tree(&dir);
    all_commands(&place, &at);
    assert_eq!(tree(&dir), before);
}

#[test]
fn a_linked_output_is_not_shown_even_if_the_chain_fits() {
    let place = Place::new();
    place.plan(
        "[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 64k -o {dir}/nowhere/f\"\n\
         criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n",
    );
    assert_eq!(place.campaign().status, Some(3));
    let (dir, victim) = (place.folder(), victim(&place));
    let at = dir.display().to_string();
    for name in ["stderr.txt", "stdout.txt", "records.jsonl", "job.json"] {
        let path = dir.join("jobs/0001-W-r1").join(name);
        let kept = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        symlink(&victim, &path).unwrap();
        forged::chain(&dir, &|_| {});
        for (command, ran) in all_commands(&place, &at) {
            assert!(ran.status != Some(0) || command.starts_with("pack"), "{name} {command}: {ran:#?}");
        }
        fs::remove_file(&path).unwrap();
        fs::write(&path, kept).unwrap();
        let _ = fs::remove_file(place.path("a.tgz"));
    }
}

#[test]
fn pipes_and_endless_files_do_not_hang_a_command() {
    let place = campaign();
    let dir = place.folder();
    let at = dir.display().to_string();
    for name in [
        "jobs/0001-W-r1/stderr.txt",
        "jobs/0001-W-r1/records.jsonl",
        "plan.toml",
        "chain.jsonl",
        "report.html",
    ] {
        let kept = fs::read(dir.join(name)).unwrap();
        for is_pipe in [true, false] {
            fs::remove_file(dir.join(name)).unwrap();
            match is_pipe {
                true => assert!(Command::new("mkfifo").arg(dir.join(name)).status().unwrap().success()),
                false => symlink("/dev/zero", dir.join(name)).unwrap(),
            }
            let ran = place.assay(&format!("verify {at}"));
            assert!(matches!(ran.status, Some(2 | 3)), "{name}: {ran:#?}");
            all_commands(&place, &at);
            let _ = fs::remove_file(place.path("a.tgz"));
        }
        fs::remove_file(dir.join(name)).unwrap();
        fs::write(dir.join(name), kept).unwrap();
    }
}

#[test]
fn a_chain_with_jobs_outside_of_the_folder_is_rejected() {
    let place = campaign();
    let dir = place.folder();
    let outside = place.path("outside");
    fs::create_dir(&outside).unwrap();
    for path in [
        "../../outside",
        "jobs/../../../outside",
        outside.to_str().unwrap(),
        "jobs/",
        "jobs/.x",
        "elsewhere/x",
    ] {
        let kept = fs::read(dir.join("chain.jsonl")).unwrap();
        forged::chain(&dir, &|entry| {
            if entry["path"] == "jobs/0002-R-r1" {
                entry["path"] = path.into();
            }
        });
        let ran = place.assay(&format!("verify {}", dir.display()));
        assert_eq!(ran.status, Some(3), "{path}: {ran:#?}");
        assert!(ran.out.contains("which is not a job's folder"), "{path}: {ran:#?}");
        fs::write(dir.join("chain.jsonl"), kept).unwrap();
    }
}

/// Packs the campaign with GNU tar after `change`, as an attacker would. Returns the name of the archive.
fn tarred(place: &Place, options: &[&str], change: &dyn Fn(&Path)) -> String {
    let dir = place.folder();
    change(&dir);
    let name = dir.file_name().unwrap().to_str().unwrap();
    let mut tar = Command::new("tar");
    tar.arg("czf").arg(place.path("evil.tgz")).args(options).arg(name).current_dir(place.dir());
    assert!(tar.status().unwrap().success());
    "evil.tgz".to_owned()
}

/// Every command rejects the archive as wrong usage, in one line that contains `why`.
fn rejected(place: &Place, archive: &str, why: &str) {
    for command in ["verify", "judge", "report", "report --csv"] {
        let ran = place.assay(&format!("{command} {archive}"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{command}: {ran:#?}");
        assert!(ran.err.contains(why), "{command}: {ran:#?}");
    }
}

#[test]
fn an_archive_as_tar_packs_it_is_accepted() {
    let place = campaign();
    let archive = tarred(&place, &[], &|_| {});
    assert_eq!(place.whole_jobs(&archive), 2);
}

#[test]
fn an_archive_with_a_link_out_of_its_folder_is_rejected() {
    for target in ["/etc/hosts", "../../../hosts", "a/../../../../hosts"] {
        let place = campaign();
        let archive = tarred(&place, &[], &|dir| symlink(target, dir.join("jobs/0001-W-r1/l")).unwrap());
        rejected(&place, &archive, "is a link that leads out of the folder");
    }
}

#[test]
fn an_archive_with_an_entry_outside_of_its_folder_is_rejected() {
    let place = campaign();
    for transform in ["s,.*/plan.toml,../../plan.toml,", "s,.*/plan.toml,/tmp/assay-plan.toml,"] {
        let archive = tarred(&place, &["-P", "--transform", transform], &|_| {});
        rejected(&place, &archive, "lies outside of its folder");
    }
    assert!(!Path::new("/tmp/assay-plan.toml").exists());
}

#[test]
fn an_archive_that_writes_through_its_own_link_is_rejected() {
    let place = campaign();
    // First a link `x` to a directory, then a file below `x`.
    let transform = "s,.*/jobs/0001-W-r1/stdout.txt,x/away/stdout.txt,";
    let archive = tarred(&place, &["--transform", transform, "--transform", "s,^assay[^/]*,x,"], &|dir| {
        symlink("jobs", dir.join("away")).unwrap();
    });
    let ran = place.assay(&format!("verify {archive}"));
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
}

#[test]
fn an_archive_with_a_device_a_pipe_or_a_hard_link_is_rejected() {
    let place = campaign();
    let pipe = |dir: &Path| {
        assert!(Command::new("mkfifo").arg(dir.join("jobs/pipe")).status().unwrap().success());
    };
    let archive = tarred(&place, &[], &pipe);
    rejected(&place, &archive, "is neither a file, a directory nor a link");
    fs::remove_file(place.folder().join("jobs/pipe")).unwrap();
    let hard = |dir: &Path| fs::hard_link(dir.join("plan.toml"), dir.join("zz")).unwrap();
    let archive = tarred(&place, &[], &hard);
    rejected(&place, &archive, "is neither a file, a directory nor a link");
}

#[test]
fn an_archive_that_is_unpacked_to_a_thousand_times_its_size_is_rejected() {
    let place = campaign();
    let archive = tarred(&place, &[], &|dir| {
        fs::File::create(dir.join("jobs/zeros")).unwrap().set_len(200 << 20).unwrap();
    });
    rejected(&place, &archive, "the limit for an archive");
    // `pack` does not write what no one can unpack.
    let ran = place.assay(&format!("pack {} --anyway -o b.tgz", place.folder().display()));
    assert!(ran.status != Some(0) && !place.path("b.tgz").exists(), "{ran:#?}");
}

/// A command line and a criterion.
const WRITE: &str = r#"ior = "-w -e -t 64k -b 128k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;

/// Characters that a terminal obeys, or that a reader does not see.
fn is_dangerous(c: char) -> bool {
    let is_invisible = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    c != '\n' && (c.is_control() || is_invisible || ('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn names_and_titles_do_not_reach_the_terminal_unescaped() {
    let place = Place::new();
    let evil = "evil\\u001B[2J\\u009b31m\\rPASS\\nassay: intact\\u202Ecod\\u200B\\uFEFF";
    let test = format!("[[test]]\nid = \"W\"\nclause = \"{evil}\"\n{WRITE}");
    let waiver = format!("waive = [{{ lint = \"none\", approved_by = \"{evil}\", why = \"{evil}\" }}]\n");
    let plan = format!("{HEAD}{test}").replace("A plan of the tests", evil);
    fs::write(place.path("p.toml"), plan.clone() + &waiver).unwrap();
    let mut all = vec![place.assay("plan check p.toml")];
    // A waiver of an unknown lint is rejected. Its message is checked, and the plan without it is run.
    fs::write(place.path("p.toml"), plan).unwrap();
    all.push(place.assay("plan check p.toml"));
    all.push(place.campaign());
    let dir = place.folder();
    let at = dir.display().to_string();
    let name = "a\u{1b}[2J\r\nPASS\u{202e}";
    fs::write(dir.join("jobs/0001-W-r1").join(name), "").unwrap();
    let ran = all_commands(&place, &at);
    let verify = &ran[0].1;
    assert_eq!((verify.status, verify.out.lines().count()), (Some(3), 2), "{verify:#?}");
    all.extend(ran.into_iter().map(|(_, ran)| ran));
    for ran in all {
        assert!(!(ran.out.clone() + &ran.err).contains(is_dangerous), "{ran:#?}");
        assert!(
            !ran.out.lines().chain(ran.err.lines()).any(|line| line.starts_with("assay: intact")),
            "{ran:#?}"
        );
    }
    let page = fs::read_to_string(place.path("page.html")).unwrap();
    assert!(!page.contains(is_dangerous));
}

#[test]
fn a_clause_is_not_a_formula_in_the_table_of_numbers() {
    let place = Place::new();
    let clause = "=HYPERLINK(\\\"http://x\\\",\\\"y\\\")";
    place.plan(&format!("[[test]]\nid = \"W\"\nclause = \"{clause}\"\n{WRITE}"));
    place.campaign().ok();
    let csv = place.assay(&format!("report {} --csv", place.folder().display())).ok();
    assert!(csv.contains(",\"'=HYPERLINK("), "{csv}");
    assert!(json(&place.folder().join("verdicts.json"))[0]["clause"].as_str().unwrap().starts_with('='));
}
