//! A file system that takes no writes for a while. Which rank waits in which call is reported meanwhile, and
//! the stall afterwards. A real file system is frozen and thawed.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::age::Mounted;
use crate::common::campaign::{signal, there, until};
use crate::common::{PATIENCE, Running, assay, program};

/// A file system that is thawed at the end of the test, also if the test fails.
struct Freezer(Mounted);

impl Freezer {
    fn new() -> Option<Self> {
        there("fsfreeze").then(|| Mounted::on_loop("mkfs.ext4 -q -F", 256 << 20))?.map(Self)
    }

    fn freeze(&self, option: &str) -> bool {
        let mut command = Command::new("fsfreeze");
        command.arg(option).arg(&self.0.root).stderr(Stdio::null()).status().unwrap().success()
    }

    /// Starts `assay WORDS` outside the file system. `{}` in the words is its directory.
    fn start(&self, dir: &std::path::Path, words: &str) -> Child {
        let words = words.replace("{}", &self.0.root.display().to_string());
        let stream = |name: &str| std::fs::File::create(dir.join(name)).unwrap();
        let mut command = assay(dir, &words);
        command.env("ASSAY_WAIT_REPORT", "2").stdout(stream("out")).stderr(stream("err")).spawn().unwrap()
    }
}

impl Drop for Freezer {
    fn drop(&mut self) {
        self.freeze("-u");
    }
}

#[test]
fn a_write_that_does_not_return_is_reported_meanwhile_and_the_stall_afterwards() {
    let Some(frozen) = Freezer::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let words = "-n 2 ior -w -e -k -b 4m -t 64k -O minTimeDuration=6 -o {}/f --record r.jsonl";
    let mut child = frozen.start(dir.path(), words);
    let file = frozen.0.root.join("f");
    until("data in the file", || file.metadata().is_ok_and(|meta| meta.len() > 0));
    assert!(frozen.freeze("-f"));
    let wanted = format!(" of {} for ", file.display());
    until("a report", || read("err").contains(&wanted));
    std::thread::sleep(Duration::from_millis(1500));
    assert!(frozen.freeze("-u"));
    assert!(child.wait().unwrap().success(), "{}", read("err"));
    let err = read("err");
    let line = err.lines().find(|line| line.contains(&wanted)).unwrap();
    assert!(line.starts_with("assay: rank ") && line.contains(" has been in write at "), "{err}");
    let out = read("out");
    let stall = out.lines().find(|line| line.contains("no rank moved anything for ")).expect(&out);
    assert!(stall.starts_with("assay: warning: wr: ") && stall.contains(" s from "), "{stall}");
    let records = read("r.jsonl");
    assert!(records.contains("{\"code\":\"stall\"") && records.contains("\"sync\":{"), "{records}");
    assert!(out.contains("assay: iter 0: fsync took "), "{out}");
}

#[test]
fn reports_in_the_same_file_as_json_are_lines_before_the_document() {
    let Some(frozen) = Freezer::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let both = || std::fs::read_to_string(dir.path().join("both")).unwrap();
    let words = format!("ior -w -e -k -b 4m -t 64k -O summaryFormat=JSON -o {}/f", frozen.0.root.display());
    assert!(frozen.freeze("-f"));
    let out = std::fs::File::create(dir.path().join("both")).unwrap();
    let mut command = assay(dir.path(), &words);
    command.env("ASSAY_WAIT_REPORT", "2").stderr(out.try_clone().unwrap()).stdout(out);
    let mut child = command.spawn().unwrap();
    until("a report", || both().contains(" has been in "));
    assert!(frozen.freeze("-u"));
    assert!(child.wait().unwrap().success(), "{}", both());
    let both = both();
    let (reports, document): (Vec<&str>, Vec<&str>) =
        both.lines().partition(|line| line.starts_with("assay:"));
    assert!(!reports.is_empty() && both.starts_with(&reports.join("\n")), "{both}");
    let document: serde_json::Value = serde_json::from_str(&document.join("\n")).expect(&both);
    assert!(document["tests"][0]["Results"].is_array(), "{both}");
}

#[test]
fn a_stall_of_mdtest_is_reported_without_v() {
    let Some(frozen) = Freezer::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let mut child = frozen.start(dir.path(), "mdtest -C -F -n 30000 -d {}/m");
    let made = || std::fs::read_dir(frozen.0.root.join("m")).map_or(0, Iterator::count);
    until("files", || made() > 0);
    assert!(frozen.freeze("-f"));
    until("a report", || read("err").contains(" has been in "));
    assert!(frozen.freeze("-u"));
    assert!(child.wait().unwrap().success(), "{}", read("err"));
    let out = read("out");
    assert!(out.contains("assay: warning: ") && out.contains("no rank ended an operation for "), "{out}");
}

#[test]
fn a_single_rank_in_a_call_that_does_not_answer_is_terminated_too() {
    let Some(frozen) = Freezer::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let mut child = frozen.start(dir.path(), "ior -w -k -b 4m -t 64k -O minTimeDuration=60 -o {}/f");
    let file = frozen.0.root.join("f");
    until("data in the file", || file.metadata().is_ok_and(|meta| meta.len() > 0));
    assert!(frozen.freeze("-f"));
    until("the rank in a call", || read("err").contains("assay: rank 0 has been in write at "));
    signal("-TERM", child.id());
    until("a report", || read("err").contains("assay: rank 0 was in write at "));
    assert!(frozen.freeze("-u"));
    assert!(child.wait().unwrap().code().is_none_or(|status| status == 143));
}

#[test]
fn a_run_that_is_terminated_reports_the_call_of_each_rank() {
    let Some(frozen) = Freezer::new() else { return };
    let dir = tempfile::tempdir().unwrap();
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).unwrap();
    let mut child = frozen.start(dir.path(), "-n 2 ior -w -F -k -b 4m -t 64k -O minTimeDuration=60 -o {}/f");
    let there = |rank: u32| frozen.0.root.join(format!("f.0000000{rank}"));
    until("the files", || (0..2).all(|rank| there(rank).metadata().is_ok_and(|meta| meta.len() > 0)));
    assert!(frozen.freeze("-f"));
    until("both ranks in a call", || read("err").matches(" has been in write at ").count() >= 2);
    signal("-TERM", child.id());
    until("a report", || read("err").contains("ior: terminated"));
    assert!(frozen.freeze("-u"));
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let err = read("err");
    for rank in 0..2 {
        let begin = format!("assay: rank {rank} was in write at ");
        let line = err.lines().find(|line| line.starts_with(&begin)).unwrap_or_else(|| panic!("{err}"));
        assert!(line.ends_with(&format!(" of {}, in phase write", there(rank).display())), "{line}");
    }
}

/// The names of the threads that a process was seen with until its end.
fn threads_of(command: &mut Command) -> std::collections::BTreeSet<String> {
    let mut running = Running::piped(command);
    let tasks = format!("/proc/{}/task", running.id());
    let mut found = std::collections::BTreeSet::new();
    while !running.has_ended() {
        let all = std::fs::read_dir(&tasks).into_iter().flatten().flatten();
        found.extend(all.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok()));
        std::thread::sleep(Duration::from_millis(5));
    }
    running.end(PATIENCE).ok();
    found
}

#[test]
fn no_thread_waits_for_signals_that_are_ignored() {
    let dir = tempfile::tempdir().unwrap();
    for (option, watched) in [("--default-signal=INT,TERM", true), ("--ignore-signal=INT,TERM", false)] {
        let mut command = Command::new("env");
        command.current_dir(dir.path()).arg(option).arg(program());
        let words = "-n 2 ior -a DUMMY --dummy.delay-xfer=500000 -w -b 4k -t 4k";
        let threads = threads_of(command.args(words.split(' ')));
        assert_eq!(threads.contains("signals\n"), watched, "{option}: {threads:?}");
    }
}
