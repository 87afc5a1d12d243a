//! Hints to GPFS, with a library in place of libgpfs that notes its arguments.

use std::path::Path;
use std::process::Command;

use crate::common::{Ran, assay, run};

/// Notes the name of the file and the words of 32 bits of each argument.
const LIBRARY: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int gpfs_fcntl(int file, void *argument) {
    const int *words = argument;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    const char *name = strrchr(path, '/');
    FILE *log = fopen(getenv("ASSAY_TEST_GPFS_LOG"), "a");
    fprintf(log, "%s:", name ? name + 1 : path);
    for (int word = 0; word < words[0] / 4; word++) fprintf(log, " %d", words[word]);
    fprintf(log, "\n");
    fclose(log);
    if (getenv("ASSAY_TEST_GPFS_FAILS") == NULL) return 0;
    errno = EINVAL;
    return -1;
}
"#;

/// Builds the library in a directory.
fn build(dir: &Path) {
    std::fs::write(dir.join("gpfs.c"), LIBRARY).unwrap();
    let mut compiler = Command::new("cc");
    compiler.current_dir(dir).args(["-shared", "-fPIC", "-o", "libgpfs.so", "gpfs.c"]);
    assert!(compiler.status().expect("a C compiler links this program").success());
}

/// A command in a directory with the library, and the calls that it made.
fn hinted(dir: &Path, words: &str, variables: &[&str]) -> (Ran, Vec<String>) {
    let mut command = assay(dir, words);
    command.env("ASSAY_GPFS_LIBRARY", dir).env("ASSAY_TEST_GPFS_LOG", dir.join("log"));
    variables.iter().for_each(|name| _ = command.env(name, "1"));
    let ran = run(&mut command);
    let calls = std::fs::read_to_string(dir.join("log")).unwrap_or_default();
    (ran, calls.lines().map(str::to_owned).collect())
}

/// Of the header: the length of the whole, the version, where an error is, and 0.
fn header(bytes: u32) -> String {
    format!("f: {bytes} 1 0 0")
}

fn access(start: u32, is_write: u32) -> String {
    format!("{} 32 1001 {start} 0 32768 0 {is_write} 0", header(48))
}

fn free(start: u32, bytes: u32) -> String {
    format!("{} 24 1002 {start} 0 {bytes} 0", header(40))
}

#[test]
fn ior_gives_each_hint_at_its_moment() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path());
    let words = "ior -w -r -k -b 64k -t 32k -o f --posix.gpfs.hintaccess --posix.gpfs.releasetoken \
                 --posix.gpfs.finegrainwritesharing --posix.gpfs.finegrainreadsharing";
    let (ran, calls) = hinted(dir.path(), words, &[]);
    assert!(ran.passed() && !ran.err.contains("no effect"), "{ran:#?}");
    let transfers = |is_write| {
        [0, 32768].into_iter().flat_map(move |start| [access(start, is_write), free(start, 32768)])
    };
    let opened = |hint: &str| [free(0, 0), hint.to_owned()];
    let written = opened(&format!("{} 24 1005 1 -1 -1 -1", header(40))).into_iter().chain(transfers(1));
    let read = opened(&format!("{} 16 1007 1 0", header(32))).into_iter().chain(transfers(0));
    assert_eq!(calls, written.chain(read).collect::<Vec<_>>());
}

#[test]
fn a_hint_that_is_not_requested_is_not_given_and_mdtest_gives_those_of_transfers() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path());
    let (ran, calls) = hinted(dir.path(), "ior -w -b 64k -t 32k -o f", &[]);
    assert!(ran.passed() && calls.is_empty(), "{calls:?} {ran:#?}");
    let words = "mdtest -C -F -n 2 -w 8 -d m --posix.gpfs.hintaccess";
    let (ran, calls) = hinted(dir.path(), words, &[]);
    ran.ok();
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert!(
        calls[0].ends_with(" 32 1001 0 0 8 0 1 0") && calls[1].ends_with(" 24 1002 0 0 8 0"),
        "{calls:?}"
    );
}

#[test]
fn a_hint_that_gpfs_rejects_ends_the_run_and_a_library_without_the_function_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    build(dir.path());
    let words = "ior -w -b 64k -t 32k -o f --posix.gpfs.releasetoken";
    let (ran, calls) = hinted(dir.path(), words, &["ASSAY_TEST_GPFS_FAILS"]);
    assert_eq!((ran.status, calls.len(), ran.complaints().len()), (Some(4), 1, 1), "{ran:#?}");
    let why = "GPFS does not take the hint; leave out --posix.gpfs.releasetoken: Invalid argument";
    assert!(ran.complaints()[0].contains(why), "{ran:#?}");
    std::fs::write(dir.path().join("gpfs.c"), "int other(void) { return 0; }").unwrap();
    let built = Command::new("cc").current_dir(&dir).args(["-shared", "-o", "libgpfs.so", "gpfs.c"]).status();
    assert!(built.unwrap().success());
    let (ran, _) = hinted(dir.path(), words, &[]);
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let note = "assay: note: --posix.gpfs.releasetoken has no effect: ";
    assert!(ran.err.contains(note) && ran.err.contains(": has no symbol gpfs_fcntl"), "{ran:#?}");
}
