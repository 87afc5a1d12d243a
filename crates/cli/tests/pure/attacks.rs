//! Attempts to get a PASS for numbers that are not those of the file system, each with the reason that it
//! ends with. An honest campaign with the same clauses passes.

mod findings;
mod identity;
mod programs;
mod regenerating;
mod stores;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common;
use crate::common::age::Mounted;
use crate::common::campaign::{Place, json, names};

/// A file system of its own on a loop device, and a place for plan and evidence.
struct Scene {
    place: Place,
    mounted: Mounted,
}

impl Scene {
    fn new() -> Option<Self> {
        Self::mounted("loop")
    }

    fn mounted(options: &str) -> Option<Self> {
        let mounted = Mounted::on_loop_with("mkfs.ext4 -q -F", options, 512 << 20)?;
        Some(Self { place: Place::new(), mounted })
    }

    fn dir(&self) -> &Path {
        &self.mounted.root
    }

    /// Runs a plan with these tests. Returns test, outcome and code of each verdict.
    fn run(&self, plan: &str) -> Vec<(String, String, String)> {
        let evidence = self.evidence();
        self.place.plan(plan);
        let ran =
            self.place.assay(&format!("run p.toml --dir {} --campaigns evidence", self.dir().display()));
        assert!(matches!(ran.status, Some(0 | 1 | 3)), "{ran:#?}");
        let folder = evidence.join(names(&evidence).last().expect("a campaign"));
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let verdicts = json(&folder.join("verdicts.json"));
        let one = |one: &Value| (word(&one["test"]), word(&one["outcome"]), word(&one["reason"]["code"]));
        verdicts.as_array().unwrap().iter().map(one).collect()
    }

    /// The codes of the findings of the last campaign that are not waived, with their data.
    fn open_findings(&self) -> Vec<(String, Value)> {
        let evidence = self.place.path("evidence");
        let folder = evidence.join(names(&evidence).last().expect("a campaign"));
        let summary = json(&folder.join("summary.json"));
        let findings = summary["findings"].as_array().into_iter().flatten();
        let open = findings.filter(|one| one["severity"] == "needs-waiver" && one["waived"].is_null());
        let of = |one: &Value| {
            let reason = &one["reason"];
            (reason["code"].as_str().unwrap_or_default().to_owned(), reason["data"].clone())
        };
        open.map(of).collect()
    }

    fn evidence(&self) -> PathBuf {
        let evidence = self.place.path("evidence");
        let _ = fs::remove_dir_all(&evidence);
        fs::create_dir(&evidence).unwrap();
        evidence
    }

    /// The only verdict of a plan that begins with `head`.
    fn verdict(&self, head: &str, tests: &str) -> (String, String) {
        let mut all = self.run(&format!("{head}{tests}"));
        assert_eq!(all.len(), 1, "{all:?}");
        let (_, outcome, code) = all.remove(0);
        (outcome, code)
    }
}

/// A write that is flushed, and a test that reads its files after `setup` in another job.
fn read_after(setup: &str, line: &str) -> String {
    format!(
        "[dataset.d]\nior = \"-w -F -e -k -t 1m -b 16m\"\n\
         [[test]]\nid = \"R\"\nuses = \"dataset.d\"\n{setup}ior = \"-r -F -k -t 1m -b 16m {line}\"\n\
         criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }}\n"
    )
}

const WRITE: &str = "[[test]]\nid = \"W\"\nior = \"-w -F -e -t 1m -b 16m\"\n\
                     criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";

fn invalid(code: &str) -> (String, String) {
    ("INVALID".to_owned(), code.to_owned())
}

fn pass() -> (String, String) {
    ("PASS".to_owned(), "threshold-met".to_owned())
}

#[test]
fn an_honest_write_and_an_honest_cold_read_pass() {
    let Some(scene) = Scene::new() else { return };
    assert_eq!(scene.verdict("", WRITE), pass());
    assert_eq!(scene.verdict("", &read_after("", "--drop-caches")), pass());
}

#[test]
fn a_warm_read_is_invalid_also_with_a_preloaded_mincore_that_reports_no_page() {
    let Some(scene) = Scene::new() else { return };
    let warm = read_after("setup = [\"cat {dir}/* > /dev/null\"]\n", "");
    assert_eq!(scene.verdict("", &warm), invalid("cached-read"));
    let shim = common::shim();
    let head = format!(
        "[launch]\nkind = \"local\"\nenv = {{ LD_PRELOAD = {shim:?}, ASSAY_SHIM_FAULT = \"cold\", \
         ASSAY_SHIM_UNDER = \"/\" }}\n"
    );
    assert_eq!(scene.verdict(&head, &warm), invalid("cached-read"));
}

#[test]
fn a_file_without_data_in_storage_is_no_cold_read() {
    let Some(scene) = Scene::new() else { return };
    // The files keep their size, and all of their data becomes a hole.
    let holes = "setup = [\"for f in {dir}/*; do fallocate -p -o 0 -l 16777216 $f; done\"]\n";
    let wrong = ("FAIL".to_owned(), "sampled-wrong".to_owned());
    for (packet, wanted) in [("stamped", wrong), ("offset", invalid("kernel-read-less"))] {
        let plan = format!(
            "[[test]]\nid = \"W\"\nior = \"-w -F -e -k -t 1m -b 16m -l {packet}\"\nrole = \"reported\"\n\
             [[test]]\nid = \"R\"\nuses = \"W\"\n{holes}ior = \"-r -F -k -t 1m -b 16m -l {packet}\"\n\
             criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }}\n"
        );
        assert_eq!(scene.verdict("", &plan), wanted);
    }
}

#[test]
fn a_dataset_that_was_replaced_by_other_data_is_no_read_of_it() {
    let Some(scene) = Scene::new() else { return };
    let other = "setup = [\"for f in {dir}/*; do dd if=/dev/urandom of=$f bs=1M count=16; done; sync\"]\n";
    let plan = format!(
        "[[test]]\nid = \"W\"\nior = \"-w -F -e -k -t 1m -b 16m\"\nrole = \"reported\"\n\
         [[test]]\nid = \"R\"\nuses = \"W\"\n{other}ior = \"-r -F -k -t 1m -b 16m --drop-caches\"\n\
         criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }}\n"
    );
    assert_eq!(scene.verdict("", &plan), ("FAIL".to_owned(), "sampled-wrong".to_owned()));
}

#[test]
fn a_file_that_is_a_link_into_memory_is_not_on_the_file_system_under_test() {
    let Some(scene) = Scene::new() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").unwrap();
    let link = format!("setup = [\"ln -s {}/f {{dir}}/f\"]\n", memory.path().display());
    let plan = WRITE.replace("ior = ", &format!("{link}ior = ")).replace("-F -e", "-e -E -o {dir}/f");
    fs::write(memory.path().join("f"), "").unwrap();
    let (outcome, code) = scene.verdict("", &plan);
    assert_eq!((outcome.as_str(), code.as_str()), ("INVALID", "stray-file"));
}

#[test]
fn the_same_data_again_is_not_read_or_flushed_again() {
    let Some(scene) = Scene::new() else { return };
    // Longer than one pass, also on a disk that others use.
    let again = "-O minTimeDuration=4";
    let code = |verdict: (String, String)| {
        assert_eq!(verdict.0, "INVALID");
        verdict.1
    };
    assert_eq!(code(scene.verdict("", &read_after("", &format!("--drop-caches {again}")))), "repeated-data");
    assert_eq!(
        code(scene.verdict("", &WRITE.replace("-b 16m", &format!("-b 16m {again}")))),
        "repeated-data"
    );
}

#[test]
fn a_preloaded_clock_that_runs_slowly_is_found() {
    let Some(scene) = Scene::new() else { return };
    let shim = common::shim();
    let head = format!(
        "[launch]\nkind = \"local\"\nenv = {{ LD_PRELOAD = {shim:?}, ASSAY_SHIM_FAULT = \"pace:50\", \
         ASSAY_SHIM_UNDER = \"/\" }}\n"
    );
    assert_eq!(scene.verdict(&head, WRITE), invalid("clock-pace"));
}

#[test]
fn a_write_whose_fsync_does_nothing_is_invalid_by_the_count_of_the_device() {
    let Some(scene) = Scene::new() else { return };
    let shim = common::shim();
    let head = format!(
        "[launch]\nkind = \"local\"\nenv = {{ LD_PRELOAD = {shim:?}, ASSAY_SHIM_FAULT = \"no_sync\", \
         ASSAY_SHIM_UNDER = \"/\" }}\n"
    );
    assert_eq!(scene.verdict(&head, WRITE), invalid("kernel-wrote-less"));
    let folder = scene.place.path("evidence");
    let verdicts = fs::read_to_string(folder.join(&names(&folder)[0]).join("verdicts.json")).unwrap();
    assert!(verdicts.contains("\"/sys/dev/block/"), "not by the process itself: {verdicts}");
    assert_eq!(scene.verdict("", WRITE), pass());
}

#[test]
fn a_direct_write_through_the_page_cache_of_a_journal_does_not_count_as_flushed() {
    let plan = WRITE.replace("-e", "--posix.odirect");
    for (options, is_flushed) in [("loop,data=journal", false), ("loop", true)] {
        let Some(scene) = Scene::mounted(options) else { return };
        assert_eq!(scene.verdict("", &plan), pass());
        let folder = scene.place.path("evidence");
        let verdicts = json(&folder.join(&names(&folder)[0]).join("verdicts.json"));
        let warnings = verdicts[0]["warnings"].as_array().unwrap();
        let warns = warnings.iter().any(|one| one["reason"]["code"] == "not-flushed");
        assert_eq!(warns, !is_flushed, "{options}: {warnings:#?}");
    }
}

/// A launcher that changes its arguments by a command of sed.
fn launcher(scene: &Scene, change: &str) -> String {
    let script = scene.place.path("launch.sh");
    let text = format!(
        "ranks=$1 program=$2\nshift 2\nfor word do shift\n  word=$(printf '%s\\n' \"$word\" | sed \
         '{change}')\n  if [ -n \"$word\" ]; then set -- \"$@\" \"$word\"; fi\ndone\nexec \"$program\" -n \
         \"$ranks\" \"$@\"\n"
    );
    fs::write(&script, text).unwrap();
    format!(
        "[launch]\nkind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\n\
         probe = false\n"
    )
}

#[test]
fn a_launcher_that_removes_or_shrinks_arguments_is_found() {
    let Some(scene) = Scene::new() else { return };
    assert_eq!(scene.verdict(&launcher(&scene, "s/^x$/y/"), WRITE), pass());
    for change in ["/^-e$/d", "s/^16m$/1m/"] {
        assert_eq!(scene.verdict(&launcher(&scene, change), WRITE), invalid("command-differs"), "{change}");
    }
}
