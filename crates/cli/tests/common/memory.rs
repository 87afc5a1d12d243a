//! The memory of a run while it works.

use std::fs;
use std::io::{BufRead, BufReader};
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::program;

/// Resident memory, in KiB, of a process that has not ended. The pages of the program's file do not count:
/// they are mapped when they are first used, and many at once.
pub fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    resident.split_whitespace().next().unwrap().parse().unwrap()
}

/// How often a run is tried whose growth is not the expected one.
const TRIES: usize = 3;

/// Asserts by how many bytes a run in this directory grows with each of its many repetitions. `counts`
/// recognizes a line that each repetition prints once.
///
/// What the run keeps grows in every try. The allocator takes some hundred KiB once in a while.
pub fn assert_growth(
    dir: &Path,
    line: &str,
    plain: &str,
    counts: fn(&str) -> bool,
    expected: RangeInclusive<u64>,
) {
    let mut found = Vec::new();
    while found.len() < TRIES {
        let grown = growth(dir, line, plain, counts);
        if expected.contains(&grown) {
            return;
        }
        found.push(grown);
    }
    panic!("`{line}`, plain {plain}: {found:?} bytes for each repetition, not {expected:?}");
}

/// Bytes for each repetition, between two moments of one run.
fn growth(dir: &Path, line: &str, plain: &str, counts: fn(&str) -> bool) -> u64 {
    let (begin, end) = (500_u64, 2500);
    let mut child = Command::new(program())
        .current_dir(dir)
        .args(line.split_whitespace())
        .env("ASSAY_PLAIN", plain)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    // The run waits for the reader, and is ahead of it only by what a pipe holds.
    let mut rows = out.lines().map_while(Result::ok).filter(|line| counts(line));
    let mut after = |count: u64| rows.by_ref().nth(count as usize - 1).map(|_| resident(&child));
    let sizes = [after(begin), after(end - begin)];
    child.kill().unwrap();
    child.wait().unwrap();
    let [first, last] = sizes.map(|size| size.expect("the run has not ended"));
    last.saturating_sub(first) * 1024 / (end - begin)
}
