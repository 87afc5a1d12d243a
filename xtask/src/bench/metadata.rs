//! The groups of operations on names: the phases of mdtest beside bare loops of the same calls.
//!
//! Each program does all phases and tells the time of one, so that both find directories as full.

use super::group::{Bound, Contender, Goal, Group, Unit};
use super::lines::words;
use super::options::Sizes;
use super::tools::Tools;
use super::words::Tongue;

/// The bare loop's word for each phase.
const PHASES: &[(&str, &str)] = &[
    ("mkdir", "directory_creation"),
    ("stat-dir", "directory_stat"),
    ("rmdir", "directory_removal"),
    ("create", "file_creation"),
    ("stat", "file_stat"),
    ("open", "file_read"),
    ("unlink", "file_removal"),
];
/// What a phase of mdtest may cost beside the same calls in a bare loop, as a part of the loop's rate.
const GOAL: f64 = 0.95;
const OURS: &str = "assay mdtest";
const BARE: &str = "bare loop";

/// A group for each phase, in `dir`, which is on what `place` says.
pub(super) fn phases(tools: &Tools, sizes: &Sizes, place: &str, dir: &str) -> Vec<Group> {
    let group = |(word, phase): &(&str, &str)| {
        let mut group = Group::new(format!("metadata, {word}, {place}"), Unit::NsPerName);
        group.against = Some(0);
        let line = |program: &str, rest: String| [vec![program.to_owned()], words(&rest)].concat();
        let bare = line(&tools.bare, format!("names {word} {dir}/bare {}", sizes.names));
        let ours = line(&tools.inside, format!("mdtest {phase} {dir}/ours {}", sizes.names));
        group.contenders =
            vec![Contender::new(BARE, bare, Tongue::Line), Contender::new(OURS, ours, Tongue::Line)];
        let goal = Goal { of: OURS.into(), against: Some(BARE.into()), bound: Bound::AtLeast(GOAL) };
        group.goals = vec![goal];
        group
    };
    PHASES.iter().map(group).collect()
}

/// What the phases cost where every call returns at once.
pub(super) fn nothing(tools: &Tools, sizes: &Sizes) -> Group {
    let mut group = Group::new("metadata, DUMMY", Unit::NsPerName);
    for (word, phase) in PHASES {
        let ours = words(&format!("mdtest {phase} DUMMY {}", sizes.names * 10));
        let ours = [vec![tools.inside.clone()], ours].concat();
        group.contenders.push(Contender::new(format!("{OURS}, {word}"), ours, Tongue::Line));
    }
    group
}
