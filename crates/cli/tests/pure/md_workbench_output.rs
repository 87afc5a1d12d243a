//! The text of `md-workbench` on any output, and its notes.

use std::path::Path;
use std::process::{Command, Stdio};

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
