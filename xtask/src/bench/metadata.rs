//! The groups of operations on names: the phases of mdtest beside bare loops of the same calls and beside
//! the original.
//!
//! Each program does all phases in a run, so that all find directories as full, and has a line for each.

use super::group::{Bound, Group, Unit};
use super::lines::command;
use super::options::Sizes;
use super::tools::Tools;
use super::words::Tongue;

/// The phases by our names, with those of the original's table.
const PHASES: &[(&str, &str)] = &[
    ("directory_creation", "Directory creation"),
    ("directory_stat", "Directory stat"),
    ("directory_removal", "Directory removal"),
    ("file_creation", "File creation"),
    ("file_stat", "File stat"),
    ("file_read", "File read"),
    ("file_removal", "File removal"),
];
/// What a phase of mdtest may cost beside the same calls in a bare loop, as a part of the loop's rate.
const GOAL: f64 = 0.95;
const OURS: &str = "assay mdtest";
const BARE: &str = "bare loop";
const ORIGINAL: &str = "mdtest";

/// A group for each phase, in `dir`, which is on what `place` says; they share their runs.
pub(super) fn phases(tools: &Tools, sizes: &Sizes, place: &str, dir: &str) -> Vec<Group> {
    let group = |(phase, row): &(&'static str, &'static str)| {
        let mut group = Group::against_first(format!("metadata, {phase}, {place}"), Unit::NsPerName);
        let bare = command(&tools.bare, &format!("names {dir}/bare {}", sizes.names));
        let ours = command(&tools.inside, &format!("mdtest {dir}/ours {}", sizes.names));
        group.add(BARE, bare, Tongue::Phase(phase));
        group.add(OURS, ours, Tongue::Phase(phase));
        group.aim(OURS, Some(BARE), Bound::AtLeast(GOAL));
        if let Some(program) = &tools.mdtest {
            let original = command(program, &format!("-n {} -d {dir}/original", sizes.names));
            group.add(ORIGINAL, original, Tongue::Mdtest(row));
            group.aim(OURS, Some(ORIGINAL), Bound::AtLeast(1.0));
        }
        group
    };
    PHASES.iter().map(group).collect()
}

/// What the phases cost where every call returns at once; the groups share their runs.
pub(super) fn nothing(tools: &Tools, sizes: &Sizes) -> Vec<Group> {
    let group = |(phase, _): &(&'static str, &str)| {
        let mut group = Group::new(format!("metadata, {phase}, DUMMY"), Unit::NsPerName);
        let ours = command(&tools.inside, &format!("mdtest DUMMY {}", sizes.names * 10));
        group.add(OURS, ours, Tongue::Phase(phase));
        group
    };
    PHASES.iter().map(group).collect()
}
