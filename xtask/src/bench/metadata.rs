//! The groups of metadata operations: the phases of `assay mdtest`, bare loops of the same calls, and the
//! original mdtest.
//!
//! Each program runs all phases in one run and reports each on its own line. So all of them work on
//! directories of the same size.

use super::group::{Bound, Group, Unit};
use super::lines::command;
use super::options::Sizes;
use super::outputs::OutputFormat;
use super::tools::Tools;

/// The phases: name in assay, and row in the table of the original.
const PHASES: &[(&str, &str)] = &[
    ("directory_creation", "Directory creation"),
    ("directory_stat", "Directory stat"),
    ("directory_removal", "Directory removal"),
    ("file_creation", "File creation"),
    ("file_stat", "File stat"),
    ("file_read", "File read"),
    ("file_removal", "File removal"),
];
/// The goal for a phase of mdtest, as a fraction of the rate of the bare loop.
const GOAL: f64 = 0.95;
const OURS: &str = "assay mdtest";
const BARE: &str = "bare loop";
const ORIGINAL: &str = "mdtest";

/// A group for each phase, in `dir` on the storage named `place`. The groups share their runs.
pub(super) fn phases(tools: &Tools, sizes: &Sizes, place: &str, dir: &str) -> Vec<Group> {
    let group = |(phase, row): &(&'static str, &'static str)| {
        let mut group = Group::against_first(format!("metadata, {phase}, {place}"), Unit::NsPerMetadataOp);
        let bare = command(&tools.bare, &format!("names {dir}/bare {}", sizes.names));
        let ours = command(&tools.inside, &format!("mdtest {dir}/ours {}", sizes.names));
        group.add(BARE, bare, OutputFormat::Phase(phase));
        group.add(OURS, ours, OutputFormat::Phase(phase));
        group.add_goal(OURS, Some(BARE), Bound::AtLeast(GOAL));
        if let Some(program) = &tools.mdtest {
            let original = command(program, &format!("-n {} -d {dir}/original", sizes.names));
            group.add(ORIGINAL, original, OutputFormat::Mdtest(row));
            group.add_goal(OURS, Some(ORIGINAL), Bound::AtLeast(1.0));
        }
        group
    };
    PHASES.iter().map(group).collect()
}

/// A group for each phase with DUMMY, where every call returns at once. The groups share their runs.
pub(super) fn nothing(tools: &Tools, sizes: &Sizes) -> Vec<Group> {
    let group = |(phase, _): &(&'static str, &str)| {
        let mut group = Group::new(format!("metadata, {phase}, DUMMY"), Unit::NsPerMetadataOp);
        let ours = command(&tools.inside, &format!("mdtest DUMMY {}", sizes.names * 10));
        group.add(OURS, ours, OutputFormat::Phase(phase));
        group
    };
    PHASES.iter().map(group).collect()
}
