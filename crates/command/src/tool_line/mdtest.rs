//! The facts that a campaign reads from the options of mdtest.
//!
//! Never here: the other workloads.

use crate::MdtestOption::{self, *};
use crate::classic::OptionValues;

/// The options of a command line.
type Given = OptionValues<MdtestOption>;

/// A number; `otherwise` also where it cannot be parsed.
fn number(given: &Given, option: MdtestOption, otherwise: u64) -> u64 {
    given.number(option, otherwise).unwrap_or(otherwise)
}

/// Directories of a tree with `levels` levels below its root.
pub(super) fn tree(fan_out: u64, levels: u32) -> u64 {
    let level = |level: u32| fan_out.saturating_pow(level);
    (0..=levels).map(level).fold(0, u64::saturating_add)
}

/// Directories of one tree.
pub(crate) fn directories(branching: u64, depth: u64) -> u64 {
    if branching == 0 { 1 } else { tree(branching, depth.min(64) as u32) }
}

/// Directories of the command line's tree.
fn directories_of(given: &Given) -> u64 {
    directories(number(given, Branching, 1), number(given, Depth, 0))
}

/// Files and directories, at most: items of each kind, trees, and preloaded files.
pub(super) fn names(given: &Given, ranks: u64, preload: u64) -> u64 {
    let phases = phases(given);
    let made = ["directory_creation", "file_creation"].iter().filter(|made| phases.contains(*made));
    let items = items(given).saturating_mul(made.count() as u64);
    let sharers = if given.on(SharedFile) { 1 } else { ranks };
    let trees = if given.on(UniqueDirectory) { ranks } else { 1 };
    let preload = preload.max(number(given, Preload, 0));
    let each = preload.saturating_add(1).saturating_mul(directories_of(given));
    items.saturating_mul(sharers).saturating_add(each.saturating_mul(trees))
}

/// Bytes that one rank writes into its items, at most.
pub(super) fn bytes(given: &Given) -> u64 {
    items(given).saturating_mul(number(given, WriteBytes, 0))
}

/// Items of one rank, at most.
fn items(given: &Given) -> u64 {
    match (number(given, Items, 0), number(given, ItemsPerDirectory, 0)) {
        (items, 0) => items,
        (0, each) => each.saturating_mul(directories_of(given)),
        // `-n` counts whole trees of `-I` items per directory.
        (items, each) => (items / each).saturating_mul(each).saturating_mul(directories_of(given)),
    }
}

/// Operations of a phase on the items of all ranks, with all repetitions, at most.
pub(super) fn operations(given: &Given, ranks: u64) -> u64 {
    let sharers = if given.on(SharedFile) { 1 } else { ranks };
    items(given).saturating_mul(sharers).saturating_mul(iterations(given))
}

/// How often it repeats everything.
pub(super) fn iterations(given: &Given) -> u64 {
    number(given, Iterations, 1).max(1)
}

/// Number of sets of files that it creates. Each repetition works in a directory of its own, and so does each
/// number of ranks of `-f`, `-l`, `-s`.
pub(super) fn sets(given: &Given) -> u64 {
    let [first, last, stride] = [FirstRanks, LastRanks, Stride].map(|option| number(given, option, 0));
    let tests = if last > 0 { last.saturating_sub(first.max(1)) / stride.max(1) + 1 } else { 1 };
    iterations(given).saturating_mul(tests)
}

/// Whether it does the phases of this option. Without any of the five options it does all phases. Renames
/// exist since 4.0, so a command line for an older version does not include them.
pub(crate) fn does(given: &Given, phase: MdtestOption) -> bool {
    let phases = [Create, Stat, ReadFiles, Rename, Remove];
    let is_named = phases.into_iter().any(|phase| given.on(phase));
    let is_older = given.text(Edition).is_some_and(|edition| !edition.starts_with('4'));
    given.on(phase) || !(is_named || (phase == Rename && is_older))
}

/// The phases that it yields.
pub(super) fn phases(given: &Given) -> Vec<&'static str> {
    let directories = (given.on(OnlyDirectories) || !given.on(OnlyFiles)) && !given.on(SharedFile);
    let files = given.on(OnlyFiles) || !given.on(OnlyDirectories);
    let all = [
        ("tree_creation", true, Create),
        ("directory_creation", directories, Create),
        ("directory_stat", directories, Stat),
        ("directory_rename", directories, Rename),
        ("directory_removal", directories, Remove),
        ("file_creation", files, Create),
        ("file_stat", files, Stat),
        ("file_read", files, ReadFiles),
        ("file_removal", files, Remove),
        ("tree_removal", true, Remove),
    ];
    let classic = all.into_iter().filter(|(_, there, phase)| *there && does(given, *phase));
    let mut phases: Vec<&'static str> = classic.map(|(name, ..)| name).collect();
    let extra = given.text(Operations).unwrap_or_default();
    let wanted = |name: &str| {
        // All of these work on files, except the listing of directories.
        let items = files || (name == "list" && directories);
        items && extra.split(',').any(|word| word.trim() == name)
    };
    phases.extend(EXTRA.iter().filter(|(name, _)| wanted(name)).map(|(_, phase)| *phase));
    phases
}

/// The further operations: their names in `--operations` and in records.
const EXTRA: &[(&str, &str)] = &[
    ("chmod", "file_chmod"),
    ("link", "file_link"),
    ("list", "directory_listing"),
    ("rename-across", "file_rename_across"),
    ("shared-open", "shared_open"),
    ("statx", "file_statx"),
    ("symlink", "file_symlink"),
    ("truncate", "file_truncate"),
    ("xattr-get", "file_xattr_get"),
    ("xattr-set", "file_xattr_set"),
];
