//! The groups of operations on names: the phases of mdtest beside bare loops of the same calls and beside
//! the original.
//!
//! Each program does all phases in a run, so that all find directories as full, and has a line for each.

use super::group::{Bound, Contender, Goal, Group, Unit};
use super::lines::words;
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
    let line = |program: &str, rest: String| [vec![program.to_owned()], words(&rest)].concat();
    let goal = |against: &str, bound| {
        let against = Some(against.to_owned());
        Goal { of: OURS.into(), against, bound: Bound::AtLeast(bound) }
    };
    let group = |(phase, row): &(&'static str, &'static str)| {
        let mut group = Group::new(format!("metadata, {phase}, {place}"), Unit::NsPerName);
        group.against = Some(0);
        let bare = line(&tools.bare, format!("names {dir}/bare {}", sizes.names));
        let ours = line(&tools.inside, format!("mdtest {dir}/ours {}", sizes.names));
        group.contenders.push(Contender::new(BARE, bare, Tongue::Phase(phase)));
        group.contenders.push(Contender::new(OURS, ours, Tongue::Phase(phase)));
        group.goals.push(goal(BARE, GOAL));
        if let Some(program) = &tools.mdtest {
            let original = line(program, format!("-n {} -d {dir}/original", sizes.names));
            group.contenders.push(Contender::new(ORIGINAL, original, Tongue::Mdtest(row)));
            group.goals.push(goal(ORIGINAL, 1.0));
        }
        group
    };
    PHASES.iter().map(group).collect()
}

/// What the phases cost where every call returns at once; the groups share their runs.
pub(super) fn nothing(tools: &Tools, sizes: &Sizes) -> Vec<Group> {
    let group = |(phase, _): &(&'static str, &str)| {
        let mut group = Group::new(format!("metadata, {phase}, DUMMY"), Unit::NsPerName);
        let ours = words(&format!("mdtest DUMMY {}", sizes.names * 10));
        let ours = [vec![tools.inside.clone()], ours].concat();
        group.contenders.push(Contender::new(OURS, ours, Tongue::Phase(phase)));
        group
    };
    PHASES.iter().map(group).collect()
}
