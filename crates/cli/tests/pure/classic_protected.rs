//! Runs that cannot begin, or stop at a warning, leave every file as it was.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{self, assay, ior, run};

/// The content of files that no run of these tests may change.
const PRECIOUS: &str = "precious\n";

/// Every path below `dir` with its size, sorted.
fn names(dir: &Path) -> Vec<(String, u64)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let path = entry.path();
        found.push((path.display().to_string(), entry.metadata().unwrap().len()));
        if path.is_dir() {
            found.extend(names(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn a_warning_of_an_existing_file_stops_a_strict_run_before_the_file_is_touched() {
    for words in
        ["", "-E", "-k", "-k -E", "-F", "-F -E", "-m", "-r", "-W -R", "-i 3", "-a AIO", "-u -F", "-s 2 -z"]
    {
        let dir = tempfile::tempdir().unwrap();
        let file = match words {
            "-u -F" => "1/f.00000001",
            _ if words.contains("-F") => "f.00000001",
            "-m" => "f.0",
            _ => "f",
        };
        fs::create_dir(dir.path().join("1")).unwrap();
        fs::write(dir.path().join(file), PRECIOUS).unwrap();
        let before = names(dir.path());
        let ran = ior(dir.path(), 2, &format!("-w -o f -b 64k -t 64k --warningAsErrors {words}"));
        assert_eq!(ran.status, Some(4), "{words}: {ran:#?}");
        assert!(ran.err.contains("ior: --warningAsErrors: rank 0 "), "{words}: {ran:#?}");
        assert_eq!(fs::read_to_string(dir.path().join(file)).unwrap(), PRECIOUS, "{words}");
        assert_eq!(names(dir.path()), before, "{words}");
    }
}

#[test]
fn a_strict_run_does_not_remove_a_file_that_it_only_reads() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, "-w -k -o f -b 128k -t 64k -G 1").ok();
    let before = names(dir.path());
    let ran = ior(dir.path(), 1, "-r -o f -b 64k -t 64k --warningAsErrors");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.out.contains("\nread  "), "the phase that was measured is printed: {ran:#?}");
    assert_eq!(names(dir.path()), before);
}

#[test]
fn a_strict_run_writes_nothing_into_existing_data_after_a_warning() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), vec![7; 65536]).unwrap();
    let ran = ior(dir.path(), 1, "-N 5 --rwmix 0 -G 1 -o f -b 64k -t 64k --warningAsErrors");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.complaints()[0].contains("More tasks requested (5) than available (1)"), "{ran:#?}");
    assert_eq!(fs::read(dir.path().join("f")).unwrap(), vec![7; 65536]);
}

#[test]
fn a_strict_script_stops_before_its_next_test() {
    let dir = tempfile::tempdir().unwrap();
    let script = "IOR START\nwriteFile=1\nblockSize=64k\ntransferSize=64k\nwarningAsErrors=1\n\
                  testFile=new\nRUN\ntestFile=old\nRUN\ntestFile=third\nRUN\nIOR STOP\n";
    fs::write(dir.path().join("script"), script).unwrap();
    fs::write(dir.path().join("old"), PRECIOUS).unwrap();
    fs::write(dir.path().join("third"), PRECIOUS).unwrap();
    let before = names(dir.path());
    let ran = ior(dir.path(), 1, "-f script");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.out.contains("\nwrite "), "the first test is printed: {ran:#?}");
    assert_eq!(names(dir.path()), before);
}

#[test]
fn a_warning_stops_a_strict_mdtest_before_it_creates_or_removes_anything() {
    let dir = tempfile::tempdir().unwrap();
    run(&mut assay(dir.path(), "-n 2 mdtest -C -F -n 3 -d d")).ok();
    let before = names(dir.path());
    for words in ["-r -F -n 3 -x missing -d d", "-E -r -F -n 3 -d d", "-F -n 3 -d new", "-F -n 3 -f 1 -d new"]
    {
        let ran = run(&mut assay(dir.path(), &format!("-n 2 mdtest --warningAsErrors {words}")));
        assert_eq!(ran.status, Some(4), "{words}: {ran:#?}");
        assert!(ran.err.contains("mdtest: --warningAsErrors: rank 0 "), "{words}: {ran:#?}");
        assert_eq!(names(dir.path()), before, "{words}");
    }
}

#[test]
fn what_a_write_lacks_is_found_before_the_file_is_removed() {
    for words in [
        "-O savePerOpDataCSV=no/where",
        "-k -D 9 -O stoneWallingWearOut=1 -O stoneWallingStatusFile=no/where",
    ] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("f"), PRECIOUS).unwrap();
        let ran = ior(dir.path(), 2, &format!("-w -o f -b 64k -t 64k {words}"));
        assert!(matches!(ran.status, Some(2 | 4)), "{words}: {ran:#?}");
        assert!(ran.complaints()[0].contains("no/where"), "{words}: {ran:#?}");
        assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), PRECIOUS, "{words}");
    }
}

#[test]
fn a_write_without_memory_for_its_transfers_leaves_the_file() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f"), PRECIOUS).unwrap();
    let line = format!("ulimit -v 2000000; exec {} ior -w -o f -b 64g -t 64g", common::program().display());
    let ran = run(Command::new("sh").current_dir(dir.path()).args(["-c", &line]));
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert_eq!(fs::read_to_string(dir.path().join("f")).unwrap(), PRECIOUS, "{ran:#?}");
}

#[test]
fn a_limit_of_file_sizes_fails_every_workload_with_one_line() {
    let dir = tempfile::tempdir().unwrap();
    for words in [
        "ior -w -o f -b 1m -t 64k",
        "ior -w -o f -b 1m -t 64k -a AIO",
        "ior -w -o f -b 1m -t 64k -a URING",
        "ior -w -o f -b 1m -t 64k -a MMAP",
        "ior -w -z -o f -b 1m -t 64k --randomPrefill=1m",
        "mdtest -C -F -n 1 -w 1m -d m",
        "md-workbench -1 -P 1 -D 1 -I 1 -S 1m -o w",
        "fdtree -C -l 1 -d 1 -f 1 -s 256 -o .",
        "ls-lr --make --entries 3 --bytes 1048576 .",
    ] {
        // In blocks of 512 bytes.
        let line = format!("ulimit -f 64; exec {} {words}", common::program().display());
        let ran = run(Command::new("sh").current_dir(dir.path()).args(["-c", &line]));
        assert_eq!(ran.status, Some(4), "{words}: {ran:#?}");
        let lines: Vec<&str> = ran.err.lines().filter(|line| !line.starts_with("assay: note: ")).collect();
        assert!(lines.len() == 1 && lines[0].contains("File too large"), "{words}: {ran:#?}");
    }
}
