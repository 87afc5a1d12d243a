//! The memory of a run while it works.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::program;

/// Resident memory, in KiB, of a process that has not ended.
pub fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    resident.split_whitespace().next().unwrap().parse().unwrap()
}

/// Repetitions in which buffers may still grow to their final size.
const WARM_UP: usize = 500;

/// Repetitions between two readings of the memory.
const STRETCH: usize = 400;

/// Bytes by which a run of many repetitions grows with each of them. `counts` recognizes a line that each
/// repetition prints once.
pub fn growth(line: &str, plain: &str, counts: fn(&str) -> bool) -> u64 {
    growth_in(Path::new("."), line, plain, counts)
}

/// The same in a directory: the median of five stretches of one run. What grows with the repetitions grows in
/// each stretch. The allocator takes some hundred KiB now and then, in one of them.
pub fn growth_in(dir: &Path, line: &str, plain: &str, counts: fn(&str) -> bool) -> u64 {
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
    let mut after = |count: usize| rows.by_ref().nth(count - 1).map(|_| resident(&child));
    let sizes = [WARM_UP, STRETCH, STRETCH, STRETCH, STRETCH, STRETCH].map(&mut after);
    child.kill().unwrap();
    child.wait().unwrap();
    let sizes = sizes.map(|size| size.expect("the run has not ended"));
    let mut grown: Vec<u64> = sizes.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    grown.sort_unstable();
    grown[grown.len() / 2] * 1024 / STRETCH as u64
}
