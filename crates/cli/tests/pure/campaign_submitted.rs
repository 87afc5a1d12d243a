//! Campaigns in batch jobs, by a batch system that says what a test wants it to say.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::{Place, names, until};
use crate::common::{self, Ran, run};

const TESTS: &str = r#"
[[test]]
id = "W"
ior = "-w -e -t 64k -b 128k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
"#;
const SUBMIT: &str = "run p.toml --dir dir --submit=slurm";
const BUSY: &str = "slurm_load_jobs error: Socket timed out on send/recv operation";

/// A Slurm of scripts: each says what the files beside it hold.
struct Fake(Place);

impl Fake {
    fn new() -> Self {
        let place = Place::new();
        place.plan(TESTS);
        fs::create_dir(place.path("bin")).unwrap();
        for name in ["sbatch", "squeue", "sacct"] {
            let text = "#!/bin/sh\necho \"$*\" >> \"$0.calls\"\ncat \"$0.out\"\ncat \"$0.err\" >&2\nexit \
             $(cat \"$0.status\")\n";
            common::script(&place.path("bin").join(name), text);
        }
        let fake = Self(place);
        fake.says("sbatch", "123\n", "", 0);
        fake.says("squeue", "", "", 0);
        fake.says("sacct", "", "Slurm accounting storage is disabled", 1);
        fake
    }

    fn says(&self, command: &str, out: &str, err: &str, status: u8) {
        let write = |kind: &str, text: &str| {
            let path = self.0.path(&format!("bin/{command}.{kind}"));
            fs::write(path.with_extension("part"), text).unwrap();
            fs::rename(path.with_extension("part"), path).unwrap();
        };
        write("err", err);
        write("status", &status.to_string());
        write("out", out);
    }

    fn command(&self, words: &str) -> Command {
        let mut command = self.0.command(words);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.0.path("bin").display()));
        command
    }

    fn assay(&self, words: &str) -> Ran {
        run(&mut self.command(words))
    }

    /// The folder of the campaign that is submitted, which it does not make.
    fn submitted(&self) -> String {
        let folder = self.0.path("G").display().to_string();
        self.assay(&format!("{SUBMIT} --folder {folder}")).ok();
        folder
    }

    fn submissions(&self) -> usize {
        fs::read_to_string(self.0.path("bin/sbatch.calls")).unwrap().lines().count()
    }
}

#[test]
fn a_batch_system_that_is_busy_says_nothing_of_a_job() {
    let fake = Fake::new();
    let folder = fake.submitted();
    for (out, err, status) in [
        ("", BUSY, 1),
        ("", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)", 1),
        ("", "", 1),
    ] {
        fake.says("squeue", out, err, status);
        for words in ["--resume", "--submit --resume"] {
            let ran = fake.assay(&format!("run {words} {folder}"));
            assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
            assert!(ran.err.starts_with(&format!("assay: Slurm job 123: {err}")), "{ran:#?}");
        }
    }
    assert_eq!(fake.submissions(), 1);
    for (out, err, status, word) in [
        ("", "slurm_load_jobs error: Invalid job id specified", 1, "Slurm does not know it any more"),
        ("", "", 0, "Slurm does not know it any more"),
        ("CANCELLED\n", "", 0, "CANCELLED"),
    ] {
        fake.says("squeue", out, err, status);
        let ran = fake.assay(&format!("run --wait {folder}"));
        let begins = format!("assay: Slurm job 123 ended ({word}) before the campaign had; ");
        assert!(ran.status == Some(3) && ran.err.starts_with(&begins), "{ran:#?}");
    }
    // Who keeps books may know what has become of a job that nobody can be asked about now.
    fake.says("squeue", "", BUSY, 1);
    fake.says("sacct", "TIMEOUT\n", "", 0);
    assert!(fake.assay(&format!("run --wait {folder}")).err.contains("ended (TIMEOUT) before"));
}

#[test]
fn whoever_waits_asks_a_busy_batch_system_again() {
    let fake = Fake::new();
    let folder = fake.submitted();
    fake.says("squeue", "", BUSY, 1);
    let err = fs::File::create(fake.0.path("err")).unwrap();
    let mut waiting = fake.command(&format!("run --wait {folder}")).stderr(err).spawn().unwrap();
    let said = || fs::read_to_string(fake.0.path("err")).unwrap();
    until("a word about the batch system", || said().contains("cannot be asked now"));
    assert_eq!(
        said(),
        format!(
            "assay: Slurm job 123 cannot be asked now, waiting on: {BUSY} / Slurm accounting storage is \
             disabled\n"
        )
    );
    fake.says("squeue", "COMPLETED\n", "", 0);
    assert_eq!(waiting.wait().unwrap().code(), Some(3));
    assert!(said().contains("Slurm job 123 ended (COMPLETED) before the campaign had"), "{}", said());
}

#[test]
fn a_submission_that_is_rejected_leaves_nothing_and_a_chosen_name_stays() {
    let fake = Fake::new();
    fake.says("sbatch", "", "sbatch: error: invalid partition specified: x", 1);
    for words in ["--folder G", "--folder G --only X", ""] {
        let ran = fake.assay(&format!("{SUBMIT} {words}"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert_eq!(names(&fake.0.path("")), ["bin", "dir", "p.toml"], "{words}");
        assert_eq!(names(&fake.0.dir()), [""; 0], "{words}");
    }
    fake.says("sbatch", "123\n", "", 0);
    fake.assay(&format!("{SUBMIT} --folder G")).ok();
    let ran = fake.assay(&format!("{SUBMIT} --folder G"));
    assert!(
        ran.status == Some(2) && ran.err.contains("G was submitted already; wait for it with"),
        "{ran:#?}"
    );
    assert_eq!(names(&fake.0.path("")), ["G.batch", "bin", "dir", "p.toml"]);
}

#[test]
fn a_campaign_that_was_killed_before_its_report_goes_on_in_another_job() {
    let fake = Fake::new();
    let folder = fake.submitted();
    let script = fs::read_to_string(fake.0.path("G.batch/script.sh")).unwrap();
    assert!(script.contains(&format!("--folder {folder}")), "{script}");
    let inside = |words: &str| {
        let mut command = fake.command(words);
        run(command.env("SLURM_JOB_ID", "123").env("SLURM_JOB_NODELIST", "n1"))
    };
    inside(&format!("run G.batch/plan.toml --folder {folder} --dir dir")).ok();
    let at = Path::new(&folder);
    let chain = fs::read_to_string(at.join("chain.jsonl")).unwrap();
    let cut = chain.trim_end().rfind('\n').unwrap() + 1;
    fs::write(at.join("chain.jsonl"), &chain[..cut]).unwrap();
    fs::remove_file(at.join("report.html")).unwrap();
    assert!(at.join("verdicts.json").exists());
    fake.assay(&format!("verify {folder}")).ok();
    fake.says("squeue", "NODE_FAIL\n", "", 0);
    let ran = fake.assay(&format!("run --wait {folder}"));
    assert!(ran.status == Some(3) && ran.err.contains("go on with: assay run --submit --resume"), "{ran:#?}");
    fake.assay(&format!("run --submit --resume {folder}")).ok();
    assert_eq!(fake.submissions(), 2);
    inside(&format!("run G.batch/plan.toml --folder {folder} --dir dir")).ok();
    assert_eq!(fake.assay(&format!("verify {folder}")).whole_jobs(), 1);
    assert!(fake.assay(&format!("run --wait {folder}")).ok().contains("PASS"));
    let ran = fake.assay(&format!("run --submit --resume {folder}"));
    assert!(ran.status == Some(2) && ran.err.contains("has ended, nothing is left to resume"), "{ran:#?}");
}

#[test]
fn a_job_that_is_queued_again_begins_anew_what_was_killed_while_its_folder_was_made() {
    let place = Place::new();
    place.plan(TESTS);
    fs::create_dir_all(place.path("G/jobs")).unwrap();
    fs::write(place.path("G/chain.jsonl"), "").unwrap();
    fs::write(place.path("G/.plan.toml.part"), "sch").unwrap();
    place.assay("run p.toml --dir dir --folder G").ok();
    assert_eq!(place.whole_jobs("G"), 1);
    fs::create_dir_all(place.path("H/jobs")).unwrap();
    fs::write(place.path("H/mine"), "precious").unwrap();
    let ran = place.assay("run p.toml --dir dir --folder H");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert!(ran.err.contains("H is there and is no campaign's folder; name another"), "{ran:#?}");
    assert!(place.path("H/jobs").exists() && place.path("H/mine").exists());
}
