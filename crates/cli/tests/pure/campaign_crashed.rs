//! Campaigns whose file system crashes, or whose directory for files becomes unusable. No job is spent on it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::campaign::{
    Place, SmallFs, THREE_TESTS, names, shell_test, signal, skipped, there, until,
};

const MARK: &str = ".assay-campaign";

/// An XFS on a loop device over a directory, which can crash.
struct CrashingFs {
    dir: PathBuf,
    /// The device stays attached over a crash, so that it keeps its name.
    device: String,
}

impl CrashingFs {
    fn mount(dir: &Path, image: &Path) -> Option<Self> {
        if !there("mkfs.xfs") || !there("xfs_io") {
            return None;
        }
        fs::File::create_new(image).unwrap().set_len(512 << 20).unwrap();
        assert!(done(Command::new("mkfs.xfs").arg("-q").arg(image)));
        let attached = Command::new("losetup").args(["--find", "--show"]).arg(image).output().unwrap();
        let device = String::from_utf8(attached.stdout).unwrap().trim().to_owned();
        let fs = Self { dir: dir.to_owned(), device };
        if fs.is_mounted() {
            return Some(fs);
        }
        skipped("mounting a loop device is not allowed here; run the tests as root");
        None
    }

    fn is_mounted(&self) -> bool {
        done(Command::new("mount").arg(&self.device).arg(&self.dir))
    }

    /// Loses everything that is not on the device, and mounts the rest again.
    fn crash(&self, end_jobs: impl FnOnce()) {
        assert!(done(Command::new("xfs_io").args(["-x", "-c", "shutdown"]).arg(&self.dir)));
        end_jobs();
        until("the end of all users", || done(Command::new("umount").arg(&self.dir)));
        assert!(self.is_mounted());
    }
}

impl Drop for CrashingFs {
    fn drop(&mut self) {
        done(Command::new("umount").arg("-l").arg(&self.dir));
        done(Command::new("losetup").arg("--detach").arg(&self.device));
    }
}

fn done(command: &mut Command) -> bool {
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Kills a process and the one that started it.
fn kill_with_parent(process: u32) {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let parent = stat.rsplit_once(") ").unwrap().1.split(' ').nth(1).unwrap();
    signal("-KILL", parent.parse().unwrap());
    signal("-KILL", process);
}

/// The only directory for files below `dir`.
fn data(dir: &Path) -> PathBuf {
    dir.join(names(dir).into_iter().find(|name| name.ends_with(".data")).unwrap())
}

#[test]
fn the_mark_of_the_files_survives_a_crash_and_the_campaign_resumes() {
    let place = Place::new();
    let Some(crashing) = CrashingFs::mount(&place.dir(), &place.path("image")) else { return };
    fs::create_dir(place.path("c")).unwrap();
    place.plan(&format!("{}{THREE_TESTS}", place.hanging("-k -G 3")));
    let mut campaign = place.start("run p.toml --dir dir --campaigns c");
    until("the job that hangs", || place.path("hang.pid").exists());
    let hanging: u32 = fs::read_to_string(place.path("hang.pid")).unwrap().trim().parse().unwrap();
    crashing.crash(|| {
        signal("-KILL", campaign.id());
        campaign.wait().unwrap();
        kill_with_parent(hanging);
    });
    let mark = fs::read_to_string(data(&place.dir()).join(MARK)).unwrap();
    assert!(mark.starts_with("made by campaign p of "), "{mark:?}");
    fs::remove_file(place.path("hang")).unwrap();
    let folder = format!("c/{}", names(&place.path("c"))[0]);
    let ran = place.assay(&format!("run --resume {folder}"));
    assert!(ran.passed(), "{ran:#?}");
}

/// A plan of five tests, with the command of the first.
fn plan_with(place: &Place, first: &str) {
    let others: String = ["B", "C", "D", "E"].iter().map(|id| shell_test(id, "true")).collect();
    place.plan(&format!("{}{others}", shell_test("A", first)));
    fs::create_dir(place.path("c")).unwrap();
}

#[test]
fn an_empty_mark_that_a_crash_left_is_written_again() {
    let place = Place::new();
    plan_with(
        &place,
        &format!("for mark in {}/*.data/{MARK}; do : > \"$mark\"; done", place.dir().display()),
    );
    let ran = place.assay("run p.toml --dir dir --campaigns c");
    assert!(ran.passed(), "{ran:#?}");
}

#[test]
fn a_campaign_pauses_after_jobs_in_a_row_that_could_not_start_and_spends_no_more() {
    let place = Place::new();
    let marks = format!("{}/*.data/{MARK}", place.dir().display());
    let saved = place.path("mark");
    let spoil =
        format!("cp {marks} {}; for mark in {marks}; do echo other > \"$mark\"; done", saved.display());
    plan_with(&place, &spoil);
    let ran = place.assay("run p.toml --dir dir --campaigns c");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert!(
        ran.err.contains("assay: paused after 3 of 5 jobs: 3 jobs in a row could not start."),
        "{ran:#?}"
    );
    assert!(ran.err.contains("does not name this campaign"), "{ran:#?}");
    let folder = format!("c/{}", names(&place.path("c"))[0]);
    let again = place.assay(&format!("run --resume {folder}"));
    assert_eq!(again.status, Some(3), "{again:#?}");
    assert!(again.err.contains("paused after 3 of 5 jobs: fs.s: "), "no job was spent: {again:#?}");
    fs::copy(&saved, data(&place.dir()).join(MARK)).unwrap();
    let resumed = place.assay(&format!("run --resume {folder}"));
    assert_eq!(resumed.status, Some(3), "two jobs were spent: {resumed:#?}");
    assert_eq!(place.outcomes_in(&folder), ["A PASS", "B INVALID", "C INVALID", "D PASS", "E PASS"]);
    let mut repeat = place.command(&format!("run --extend {folder} --repeat B --repeat C"));
    let repeated = crate::common::run(repeat.args(["--reason", "the mark was restored"]));
    assert!(repeated.passed(), "{repeated:#?}");
}

#[test]
fn a_read_only_campaign_folder_has_its_own_exit_status_and_the_campaign_resumes() {
    let place = Place::new();
    let (folders, image) = (place.path("c"), place.path("image"));
    let (once, dir) = (place.path("once"), folders.display());
    plan_with(
        &place,
        &format!("if ! [ -e {0} ]; then : > {0}; mount -o remount,abort {dir}; fi", once.display()),
    );
    let Some(_mounted) = SmallFs::on_loop(&folders, &image, 64 << 20) else { return };
    let ran = place.assay("run p.toml --dir dir --campaigns c");
    assert_eq!(ran.status, Some(5), "{ran:#?}");
    assert!(ran.err.contains("Read-only file system"), "{ran:#?}");
    assert!(
        ran.err.contains("Make that file system writable again, then run `assay run --resume "),
        "{ran:#?}"
    );
    let name = names(&folders).into_iter().find(|name| name.starts_with("assay-p-")).unwrap();
    let again = place.assay(&format!("run --resume c/{name}"));
    assert_eq!(again.status, Some(5), "{again:#?}");
    assert!(done(Command::new("umount").arg(&folders)));
    assert!(done(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&folders)));
    let resumed = place.assay(&format!("run --resume c/{name}"));
    assert!(resumed.passed(), "{resumed:#?}");
}
