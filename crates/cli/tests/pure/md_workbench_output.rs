//! The text of `md-workbench` on any output, its notes, and its result files.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::campaign::names;
use crate::common::{Ran, assay, program, run};

/// The smallest run.
const SMALL: &str = "-P 1 -D 1 -I 1 -R 1";

fn workbench(dir: &Path, words: &str) -> Ran {
    run(&mut assay(dir, &format!("-n 2 md-workbench {words}")))
}

#[test]
fn a_reader_that_has_closed_the_pipe_is_not_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = assay(dir.path(), &format!("-n 2 md-workbench {SMALL}"));
    let ran = command.stdout(writer).stderr(Stdio::piped()).stdin(Stdio::null()).output().unwrap();
    assert_eq!((ran.status.code(), String::from_utf8_lossy(&ran.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn hidden_characters_of_the_directory_are_escaped() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.current_dir(dir.path()).args("-n 2 md-workbench".split(' ')).args(SMALL.split(' '));
    let out = run(command.args(["-o", "red\u{1b}[31m"])).ok();
    assert!(out.contains("\"red\\u001b[31m\"") && !out.contains('\u{1b}'), "{out}");
}

#[test]
fn a_note_is_an_own_line() {
    let dir = tempfile::tempdir().unwrap();
    let ran = workbench(dir.path(), &format!("{SMALL} -v"));
    assert!(ran.err.starts_with("assay: note: -v has no effect"), "{ran:#?}");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(0), 1), "{ran:#?}");
}

#[test]
fn a_result_file_that_cannot_be_written_is_rejected_before_the_work() {
    let dir = tempfile::tempdir().unwrap();
    for (words, file) in [
        ("-1 --run-info-file no/where", "--run-info-file no/where"),
        ("-L no/lat", "-L no/lat-0.00-0-precreate.csv"),
        ("-L no/lat --latency-all", "-L no/lat-0.00-0-precreate-all.csv"),
    ] {
        let ran = workbench(dir.path(), &format!("{SMALL} --record rows {words}"));
        let line = format!(
            "md-workbench: {file}: No such file or directory (os error 2). Choose a file that can be"
        );
        assert!(ran.err.starts_with(&line), "{words}: {ran:#?}");
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(names(dir.path()).is_empty(), "{words}: {:?}", names(dir.path()));
    }
}

#[test]
fn a_file_that_a_run_does_not_write_is_not_checked() {
    let dir = tempfile::tempdir().unwrap();
    workbench(dir.path(), &format!("{SMALL} --run-info-file no/where")).ok();
    assert!(names(dir.path()).is_empty(), "{:?}", names(dir.path()));
}
