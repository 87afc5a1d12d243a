//! Campaigns in batch jobs of a simulated batch system. Each test sets the answers of its commands.

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

/// Commands of Slurm as scripts that print the content of the files next to them.
struct FakeSlurm(Place);

impl FakeSlurm {
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
        fake.answer("sbatch", "123\n", "", 0);
        fake.answer("squeue", "", "", 0);
        fake.answer("sacct", "", "Slurm accounting storage is disabled", 1);
        fake
    }

    fn answer(&self, command: &str, out: &str, err: &str, status: u8) {
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

    /// Submits a campaign and gives its folder, which does not exist yet.
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
fn an_answer_of_a_busy_batch_system_is_not_the_end_of_a_job() {
    let fake = FakeSlurm::new();
    let folder = fake.submitted();
    for (out, err, status) in [
        ("", BUSY, 1),
        ("", "slurm_load_jobs error: Unable to contact slurm controller (connect failure)", 1),
        ("", "", 1),
    ] {
        fake.answer("squeue", out, err, status);
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
        fake.answer("squeue", out, err, status);
        let ran = fake.assay(&format!("run --wait {folder}"));
        let begins = format!("assay: Slurm job 123 ended ({word}) before the campaign. ");
        assert!(ran.status == Some(3) && ran.err.starts_with(&begins), "{ran:#?}");
    }
    // If squeue fails, sacct may know how the job ended.
    fake.answer("squeue", "", BUSY, 1);
    fake.answer("sacct", "TIMEOUT\n", "", 0);
    assert!(fake.assay(&format!("run --wait {folder}")).err.contains("ended (TIMEOUT) before"));
}

#[test]
fn run_wait_asks_a_busy_batch_system_again() {
    let fake = FakeSlurm::new();
    let folder = fake.submitted();
    fake.answer("squeue", "", BUSY, 1);
    let err = fs::File::create(fake.0.path("err")).unwrap();
    let mut waiting = fake.command(&format!("run --wait {folder}")).stderr(err).spawn().unwrap();
    let err_text = || fs::read_to_string(fake.0.path("err")).unwrap();
    until("a message on the batch system", || err_text().contains("failed, and is repeated"));
    assert_eq!(
        err_text(),
        format!(
            "assay: the query of Slurm job 123 failed, and is repeated: {BUSY} / Slurm accounting storage \
             is disabled\n"
        )
    );
    fake.answer("squeue", "COMPLETED\n", "", 0);
    assert_eq!(waiting.wait().unwrap().code(), Some(3));
    assert!(err_text().contains("Slurm job 123 ended (COMPLETED) before the campaign"), "{}", err_text());
}

#[test]
fn a_rejected_submission_leaves_no_files_and_its_folder_name_stays_free() {
    let fake = FakeSlurm::new();
    fake.answer("sbatch", "", "sbatch: error: invalid partition specified: x", 1);
    for words in ["--folder G", "--folder G --only X", ""] {
        let ran = fake.assay(&format!("{SUBMIT} {words}"));
        let line = "assay: sbatch rejected the batch job: sbatch: error: invalid partition specified: x. \
                    Give other options with --batch.\n";
        let line = if words.ends_with('X') { "assay: plan p has no test `X`. Known: W.\n" } else { line };
        assert_eq!((ran.status, ran.err.as_str()), (Some(2), line), "no file that was removed is named");
        assert_eq!(names(&fake.0.path("")), ["bin", "dir", "p.toml"], "{words}");
        assert_eq!(names(&fake.0.dir()), [""; 0], "{words}");
    }
    fake.answer("sbatch", "123\n", "", 0);
    fake.assay(&format!("{SUBMIT} --folder G")).ok();
    let ran = fake.assay(&format!("{SUBMIT} --folder G"));
    assert!(
        ran.status == Some(2) && ran.err.contains("G was already submitted. Wait for it with"),
        "{ran:#?}"
    );
    assert_eq!(names(&fake.0.path("")), ["G.batch", "bin", "dir", "p.toml"]);
}

#[test]
fn a_campaign_killed_before_its_report_resumes_in_another_job() {
    let fake = FakeSlurm::new();
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
    fake.answer("squeue", "NODE_FAIL\n", "", 0);
    let ran = fake.assay(&format!("run --wait {folder}"));
    assert!(
        ran.status == Some(3) && ran.err.contains("Resume with: assay run --submit --resume"),
        "{ran:#?}"
    );
    fake.assay(&format!("run --submit --resume {folder}")).ok();
    assert_eq!(fake.submissions(), 2);
    inside(&format!("run G.batch/plan.toml --folder {folder} --dir dir")).ok();
    assert_eq!(fake.assay(&format!("verify {folder}")).whole_jobs(), 1);
    assert!(fake.assay(&format!("run --wait {folder}")).ok().contains("PASS"));
    let ran = fake.assay(&format!("run --submit --resume {folder}"));
    assert!(ran.status == Some(2) && ran.err.contains("has ended, so it cannot be resumed"), "{ran:#?}");
}

#[test]
fn a_requeued_job_starts_again_after_a_kill_during_the_creation_of_its_folder() {
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
    assert!(ran.err.contains("H exists and is not a campaign folder. Give another folder."), "{ran:#?}");
    assert!(place.path("H/jobs").exists() && place.path("H/mine").exists());
}

#[test]
fn the_printed_batch_script_is_the_one_that_is_handed_over_and_nothing_is_written() {
    let slurm = FakeSlurm::new();
    let before = names(&slurm.0.path(""));
    let ran = slurm.assay(&format!("{SUBMIT} --folder dir/c --batch --exclusive --print-batch"));
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(ran.out.starts_with("#!/bin/") && ran.out.contains("#SBATCH"), "{ran:#?}");
    assert!(
        ran.err.contains("submitted with: sbatch") && ran.err.contains("dir/c.batch/script.sh"),
        "{ran:#?}"
    );
    assert_eq!((names(&slurm.0.path("")), names(&slurm.0.dir())), (before, vec![]));
    assert!(!slurm.0.path("bin/sbatch.calls").exists(), "nothing is submitted");

    slurm.assay(&format!("{SUBMIT} --folder dir/c")).ok();
    assert_eq!(fs::read_to_string(slurm.0.path("dir/c.batch/script.sh")).unwrap(), ran.out);
    let alone = slurm.assay("run p.toml --dir dir --print-batch");
    assert_eq!(alone.status, Some(2), "{alone:#?}");
}
