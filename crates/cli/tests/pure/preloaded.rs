//! A preloaded library sees the calls of the workloads, as it sees those of the original programs. The checks
//! of a measurement do not believe it.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::campaign::{skipped, until};
use crate::common::witness::{WitnessedCalls, recorded_ops};
use crate::common::{assay, on_path, run, shim};

/// The functions of a call, in the original programs and here.
const OPENS: [&str; 2] = ["open", "open64"];
const WRITES: [&str; 3] = ["write", "pwrite", "pwrite64"];
const READS: [&str; 3] = ["read", "pread", "pread64"];

#[test]
fn each_open_transfer_sync_close_and_removal_of_ior_is_seen() {
    for words in ["-e -F", "-e", "-Y -z", "--posix.rangelocks"] {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().canonicalize().unwrap().join("data");
        std::fs::create_dir(&place).unwrap();
        let line = format!("-n 2 ior -w -r -t 4k -b 64k -s 2 -i 2 -o data/f --record r {words}");
        let (ran, calls) = WitnessedCalls::from_run(&mut assay(dir.path(), &line), &place);
        ran.ok();
        let [writes, reads] = ["write", "read"].map(|phase| recorded_ops(&dir.path().join("r"), phase));
        assert_eq!((writes, reads), (128, 128), "{words}");
        assert_eq!([calls.count(&WRITES), calls.count(&READS)], [writes, reads], "{words}: {calls:?}");
        // Two ranks, two repetitions and two phases.
        assert_eq!([calls.count(&OPENS), calls.count(&["close"])], [8, 8], "{words}: {calls:?}");
        let syncs = match words {
            "-Y -z" => writes,
            "--posix.rangelocks" => 0,
            _ => 4,
        };
        assert_eq!(calls.count(&["fsync"]), syncs, "{words}: {calls:?}");
        let files = if words.contains("-F") { 4 } else { 2 };
        assert_eq!(calls.count(&["unlink"]), files, "{words}: {calls:?}");
    }
}

#[test]
fn each_operation_of_mdtest_is_seen_by_the_function_of_its_name() {
    let dir = tempfile::tempdir().unwrap();
    // Its parent exists or not, so calls on the parent are left out.
    let under = dir.path().canonicalize().unwrap().join("out/test-dir.0-0");
    let line = "-n 2 mdtest -n 10 -w 100 -e 100 -y -z 1 -b 2 -d out --record r";
    let (ran, calls) = WitnessedCalls::from_run(&mut assay(dir.path(), line), &under);
    ran.ok();
    let ops = |phases: &[&str]| -> u64 {
        phases.iter().map(|phase| recorded_ops(&dir.path().join("r"), phase)).sum()
    };
    // The test directory is in no phase.
    for (names, expected) in [
        (&["mkdir"][..], 1 + ops(&["tree_creation", "directory_creation"])),
        (&["rmdir"], 1 + ops(&["tree_removal", "directory_removal"])),
        (&["stat"], ops(&["directory_stat", "file_stat"])),
        (&["rename"], ops(&["directory_rename"])),
        (&OPENS, ops(&["file_creation", "file_read"])),
        (&["close"], ops(&["file_creation", "file_read"])),
        (&WRITES, ops(&["file_creation"])),
        (&["fsync"], ops(&["file_creation"])),
        (&READS, ops(&["file_read"])),
        (&["unlink"], ops(&["file_removal"])),
    ] {
        assert!(expected >= 4, "{names:?}");
        assert_eq!(calls.count(names), expected, "{names:?}: {calls:?}");
    }
}

#[test]
fn each_directory_and_entry_of_ls_lr_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let make = "ls-lr --make --entries 500 --per-dir 10 .";
    run(&mut assay(dir.path(), &format!("-n 2 {make}"))).ok();
    let under = dir.path().canonicalize().unwrap().join("ls-lr.0");
    let (ran, calls) = WitnessedCalls::from_run(&mut assay(dir.path(), "ls-lr ls-lr.0 --record r"), &under);
    ran.ok();
    let records = dir.path().join("r");
    let [entries, directories] = ["list", "directories"].map(|phase| recorded_ops(&records, phase));
    assert_eq!((entries, calls.count(&["opendir"])), (500, directories), "{calls:?}");
    assert_eq!(calls.count(&["closedir"]), directories, "{calls:?}");
    // In each directory two names with dots and the end, and in the root the file that marks the tree.
    assert_eq!(calls.count(&["readdir"]), entries + 3 * directories + 1, "{calls:?}");
    assert!(calls.count(&["statx"]) > entries, "{calls:?}");
}

#[test]
fn the_originals_make_the_same_calls_if_they_are_installed() {
    for (name, words) in [
        ("ior", "-w -r -t 4k -b 64k -s 2 -i 2 -e -o f"),
        ("mdtest", "-n 10 -w 100 -e 100 -y -z 1 -b 2 -d out"),
    ] {
        let Some(original) = on_path(name) else {
            skipped(&format!("the original {name} is not on the PATH"));
            continue;
        };
        let found = |program: &mut Command| {
            let dir = tempfile::tempdir().unwrap();
            let under = dir.path().canonicalize().unwrap();
            let (ran, calls) = WitnessedCalls::from_run(program.current_dir(&dir), &under);
            ran.ok();
            let metadata = ["mkdir", "rmdir", "rename", "unlink", "fsync", "close"];
            let mut counts = metadata.map(|name| calls.count(&[name])).to_vec();
            counts.extend([&OPENS[..], &WRITES, &READS].map(|names| calls.count(names)));
            counts
        };
        let theirs = found(Command::new(original).args(words.split(' ')));
        let ours = found(&mut assay(Path::new("/"), &format!("{name} {words}")));
        assert_eq!(theirs, ours, "{name}");
    }
}

#[test]
fn a_preloaded_library_has_a_note_and_so_have_transfers_that_it_does_not_see() {
    let dir = tempfile::tempdir().unwrap();
    let notes = |words: &str| -> Vec<String> {
        let mut command = assay(dir.path(), words);
        let ran = run(command.env("LD_PRELOAD", shim()));
        assert!(ran.passed(), "{ran:#?}");
        let lines = ran.err.lines().filter(|line| line.starts_with("assay: note: "));
        lines.filter(|line| line.contains("libassay_shim.so")).map(str::to_owned).collect()
    };
    let ior = "ior -w -r -t 4k -b 16k -o f";
    for (words, count) in [
        (format!("{ior} -a POSIX"), 1),
        (format!("{ior} -a DUMMY"), 1),
        (format!("{ior} -a MMAP"), 2),
        (format!("{ior} -a AIO"), 2),
        ("mdtest -n 2 -d d".to_owned(), 1),
        ("md-workbench -D 1 -P 1 -I 1 -o w".to_owned(), 1),
        ("fdtree -l 1 -d 1 -f 1 -s 1 -o .".to_owned(), 1),
        ("ls-lr .".to_owned(), 1),
        ("pfind .".to_owned(), 1),
    ] {
        let notes = notes(&words);
        assert_eq!(notes.len(), count, "{words}: {notes:#?}");
    }
    let unseen = notes(&format!("{ior} -a MMAP"));
    assert!(unseen[1].contains("-a MMAP"), "{unseen:#?}");
    let alone = run(&mut assay(dir.path(), &format!("{ior} -a MMAP")));
    assert_eq!((alone.status, alone.err.as_str()), (Some(0), ""), "without such a library");
}

#[test]
fn a_preloaded_library_cannot_answer_for_the_counters_of_the_kernel() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = assay(dir.path(), "ior -w -t 4k -b 64k -o f --record r");
    command
        .env("LD_PRELOAD", shim())
        .env("ASSAY_SHIM_FAULT", "open")
        .env("ASSAY_SHIM_UNDER", "/proc/self/io");
    run(&mut command).ok();
    let text = std::fs::read_to_string(dir.path().join("r")).unwrap();
    let mut records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let phase = records.find(|record| record["record"] == "phase").unwrap();
    if std::fs::read("/proc/self/io").is_err() {
        return skipped("this kernel does not count the bytes of a process");
    }
    assert!(phase["kernel"]["write_call_bytes"].as_u64().is_some_and(|bytes| bytes >= 65_536), "{phase:#}");
}

#[test]
fn a_tracer_that_is_attached_while_a_phase_runs_is_recorded() {
    if on_path("strace").is_none() {
        return skipped("strace is not installed; `cargo xtask setup` installs it");
    }
    let dir = tempfile::tempdir().unwrap();
    let traced = |is_attached: bool| {
        let line = "-n 2 ior -a DUMMY -w -t 4k -b 40m --rate 5000/s --record r --live l";
        let mut ran = assay(dir.path(), line).stdout(Stdio::null()).spawn().unwrap();
        let live = dir.path().join("l");
        until("the first phase", || std::fs::read_to_string(&live).is_ok_and(|text| !text.is_empty()));
        let pid = ran.id().to_string();
        let strace = ["-f", "-e", "trace=none", "-o", "/dev/null", "-p", &pid];
        let tracer = is_attached.then(|| Command::new("strace").args(strace).stderr(Stdio::null()).spawn());
        assert!(ran.wait().unwrap().success());
        let tracer = tracer.map(|tracer| tracer.unwrap().wait().unwrap());
        let text = std::fs::read_to_string(dir.path().join("r")).unwrap();
        ["r", "l"].iter().for_each(|file| std::fs::remove_file(dir.path().join(file)).unwrap());
        let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let phase = records.into_iter().find(|record| record["record"] == "phase").unwrap();
        (tracer.is_none_or(|ended| ended.success()), phase["kernel"]["traced"].as_u64())
    };
    assert_eq!(traced(false), (true, None));
    match traced(true) {
        (true, found) => assert_eq!(found, Some(1)),
        (false, _) => skipped("strace may not attach to a process here"),
    }
}
