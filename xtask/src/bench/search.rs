//! The groups of searches: `assay pfind`, GNU find, and the original pfind, on one tree.
//!
//! Never here: what a search finds.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use super::group::{Bound, Group, Unit};
use super::lines::command;
use super::outputs::OutputFormat;
use super::scratch::Scratch;
use super::tools::Tools;

pub(super) const TITLE: &str = "search of a tree";
/// The conditions of IO500 without a time stamp. One file in 17 has to be queried.
const CONDITIONS: &str = "-size 0c -name *01*";

/// Makes a tree of this number of entries, and returns its path.
pub(super) fn tree(tools: &Tools, place: &Scratch, entries: u64) -> Result<String> {
    let dir = place.name(&format!("tree-{entries}"));
    std::fs::create_dir(&dir)?;
    let words = ["ls-lr", "--make", "--entries", &entries.to_string(), "--per-dir", "1000", &dir];
    let made = Command::new(&tools.assay).args(words).stdin(Stdio::null()).output()?;
    ensure!(made.status.success(), "no tree: {}", String::from_utf8_lossy(&made.stderr));
    Ok(Path::new(&dir).join("ls-lr.0").display().to_string())
}

/// The groups of the time and of the memory, on a tree of `entries` and on one of a tenth of them.
pub(super) fn groups(tools: &Tools, [small, large]: [&(u64, String); 2]) -> Vec<Group> {
    let mut time = Group::against_first(format!("{TITLE} of {} entries", large.0), Unit::Seconds);
    let count = OutputFormat::Jobs(1);
    let find = format!("exec find {} -size 0c -name '*01*' -printf x", large.1);
    time.add("GNU find", vec!["sh".into(), "-c".into(), find], count);
    for ranks in [1, 2] {
        let words = format!("-n {ranks} pfind {} {CONDITIONS} -q 10000", large.1);
        time.add(format!("assay pfind, {ranks} ranks"), command(&tools.assay, &words), count);
    }
    if let Some(original) = &tools.pfind {
        time.add("pfind", command(original, &format!("{} {CONDITIONS} -C -q 10000", large.1)), count);
        time.add_goal("assay pfind, 1 ranks", Some("pfind"), Bound::AtLeast(1.0));
    }
    time.add_goal("assay pfind, 1 ranks", Some("GNU find"), Bound::AtLeast(1.0));
    let mut memory = Group::against_first(format!("{TITLE}, memory"), Unit::PeakMib);
    for (entries, dir) in [small, large] {
        let words = command(&tools.assay, &format!("pfind {dir} {CONDITIONS} -q 10000"));
        memory.add(format!("assay pfind, {entries} entries"), words, count);
    }
    let [small, large] = [small, large].map(|(entries, _)| format!("assay pfind, {entries} entries"));
    memory.add_goal(&large, Some(&small), Bound::AtMost(1.05));
    vec![time, memory]
}
