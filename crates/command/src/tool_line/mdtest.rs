//! What a campaign learns by the options of a line of mdtest.
//!
//! Never here: the other workloads.

use crate::MdtestOption::{self, *};
use crate::classic::OptionValues;

/// The options of a line.
type Given = OptionValues<MdtestOption>;

/// A number; `otherwise` also where it cannot be read.
fn number(given: &Given, option: MdtestOption, otherwise: u64) -> u64 {
    given.number(option, otherwise).unwrap_or(otherwise)
}

/// Directories of a tree with so many levels below its root.
pub(super) fn tree(fan_out: u64, levels: u32) -> u64 {
    let level = |level: u32| fan_out.saturating_pow(level);
    (0..=levels).map(level).fold(0, u64::saturating_add)
}

/// Directories of one tree.
pub(crate) fn directories(branching: u64, depth: u64) -> u64 {
    if branching == 0 { 1 } else { tree(branching, depth.min(64) as u32) }
}

/// Those of the line's tree.
fn directories_of(given: &Given) -> u64 {
    directories(number(given, Branching, 1), number(given, Depth, 0))
}

/// Names, at most: items of each kind, trees, and what is there before.
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
        // So many whole trees.
        (items, each) => (items / each).saturating_mul(each).saturating_mul(directories_of(given)),
    }
}

/// How often it repeats everything.
pub(super) fn iterations(given: &Given) -> u64 {
    number(given, Iterations, 1).max(1)
}

/// How many sets of files it makes: each repetition works in a directory of its own, and so does each number
/// of ranks of `-f`, `-l`, `-s`.
pub(super) fn sets(given: &Given) -> u64 {
    let [first, last, stride] = [FirstRanks, LastRanks, Stride].map(|option| number(given, option, 0));
    let tests = if last > 0 { last.saturating_sub(first.max(1)) / stride.max(1) + 1 } else { 1 };
    iterations(given).saturating_mul(tests)
}

/// Whether it does the phases of this option: none of the five given means all.
pub(crate) fn does(given: &Given, phase: MdtestOption) -> bool {
    let named = [Create, Stat, ReadFiles, Rename, Remove].into_iter().any(|phase| given.on(phase));
    given.on(phase) || !named
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
        // All of them are of files, but for the listing of what there is.
        let items = files || (name == "list" && directories);
        items && extra.split(',').any(|word| word.trim() == name)
    };
    phases.extend(EXTRA.iter().filter(|(name, _)| wanted(name)).map(|(_, phase)| *phase));
    phases
}

/// What it does besides: the names that `--operations` has for it, and those of records.
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
