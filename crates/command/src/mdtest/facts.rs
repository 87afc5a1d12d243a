//! What plan, linter and judge conclude from a command line of `mdtest`, also from one that is rejected.
//!
//! Amounts are upper limits. An option whose value cannot be read has its default.
//!
//! Never here: what any run rejects.

use units::Usage;

use super::operations::{ItemOperation, OPERATIONS};
use super::options::MdtestOption::{self, *};
use super::parsed::Parsed;
use super::request::Request;
use crate::Packet;
use crate::classic::{ClassicOption, ReadLine};
use crate::planned::{self, PlannedLine, check_place};

/// A command line of `mdtest`, as far as it can be read.
pub type Line = ReadLine<Parsed>;

/// An option that decides which items exist, with its value.
type ItemOption<T> = (MdtestOption, fn(&Request) -> T);

/// Numbers that decide which items exist.
const NUMBERS: &[ItemOption<u64>] = &[
    (ItemsPerDirectory, |request| request.items_per_dir),
    (Shift, |request| request.shift.try_into().unwrap_or(0)),
    (Branching, |request| request.branching),
    (Depth, |request| request.depth.into()),
];
/// Flags that decide it.
const FLAGS: &[ItemOption<bool>] = &[
    (UniqueDirectory, |request| request.unique_dir),
    (LeafOnly, |request| request.leaf_only),
    (SharedFile, |request| request.shared_file),
];
/// Numbers of which a reader may not have more than the maker.
const AMOUNTS: &[ItemOption<u64>] =
    &[(Items, |request| request.items), (Iterations, |request| request.iterations.into())];

/// Directories of a tree with `levels` levels below its root.
pub(crate) fn tree(fan_out: u64, levels: u32) -> u64 {
    let level = |level: u32| fan_out.saturating_pow(level);
    (0..=levels).map(level).fold(0, u64::saturating_add)
}

impl Line {
    /// Whether it stats or reads what it finds.
    pub fn looks_up(&self) -> bool {
        self.stat || self.read
    }

    /// Ranks between the creator of an item and the rank that stats it; `None` if it is not known.
    pub fn rank_shift(&self) -> Option<u64> {
        self.if_read(Shift, self.shift)?.try_into().ok()
    }

    /// Files of one rank and repetition, where known: `-n` in total, or `-I` in each directory of the tree.
    pub fn items_known(&self) -> Option<u64> {
        let is_unread = [Items, ItemsPerDirectory, Branching, Depth].map(|option| self.is_unread(option));
        let of_tree = self.items_per_dir.saturating_mul(self.directories_each());
        (!is_unread.contains(&true)).then_some(if self.items == 0 { of_tree } else { self.items })
    }

    /// The index of `-k`, by which files are created by mknod, if it is on.
    pub fn mknod_place(&self) -> Option<usize> {
        let mut places = self.occurrences.iter().filter(|given| given.option() == Some(MakeNode));
        places.next().filter(|_| self.make_node).map(|given| given.at)
    }

    /// Directories of one tree.
    fn directories_each(&self) -> u64 {
        if self.branching == 0 { 1 } else { tree(self.branching, self.depth.min(64)) }
    }

    /// Items of one rank.
    fn items_each(&self) -> u64 {
        match (self.items, self.items_per_dir) {
            (items, 0) => items,
            (0, each) => each.saturating_mul(self.directories_each()),
            // `-n` counts whole trees of `-I` items per directory.
            (items, each) => (items / each).saturating_mul(each).saturating_mul(self.directories_each()),
        }
    }

    /// Ranks that have items of their own.
    fn owners(&self, ranks: u64) -> u64 {
        if self.shared_file { 1 } else { ranks }
    }

    /// The reason why this command line cannot find the items of `made`, which `maker` created. `None` if the
    /// two command lines show no such reason.
    pub fn misses(&self, made: &Self, maker: &str) -> Option<String> {
        let tree = self.depth > 0 || made.depth > 0;
        let own_trees = self.unique_dir && made.unique_dir;
        let counts = |option: MdtestOption| match option {
            Branching | LeafOnly => tree,
            // Each rank's own tree takes part in the shift, also when it is created.
            Shift => own_trees,
            _ => true,
        };
        let differs = |option: MdtestOption, there: u64, asked: u64| {
            let letter = letter(option);
            format!(
                "{maker} ran with -{letter} {there}, but this command line has -{letter} {asked}. Use \
                 the same value in both."
            )
        };
        for (option, number) in NUMBERS.iter().filter(|(option, _)| counts(*option)) {
            let [asked, there] = [self, made].map(|line| number(line));
            if asked != there {
                return Some(differs(*option, there, asked));
            }
        }
        for (flag, is_on) in FLAGS.iter().filter(|(flag, _)| counts(*flag)) {
            let [asked, there] = [self, made].map(|line| is_on(line));
            let letter = letter(*flag);
            if asked != there {
                let (with, change) = if there { ("with", "Add") } else { ("without", "Remove") };
                return Some(format!(
                    "{maker} ran {with} -{letter}, so its items have other names. {change} -{letter} here."
                ));
            }
        }
        // It needs more items than exist, or as many in other directories of the tree.
        for (option, number) in AMOUNTS {
            let [asked, there] = [self, made].map(|line| number(line));
            let elsewhere = *option == Items && tree && !made.has(ItemsPerDirectory) && asked != there;
            // The status file then gives the number of items.
            let kept = *option == Items && self.status_file.is_some() && made.status_file.is_some();
            if (asked > there || elsewhere) && !kept {
                return Some(differs(*option, there, asked));
            }
        }
        self.misses_kind(made, maker)
    }

    /// It needs files where only directories exist, or directories where only files exist.
    fn misses_kind(&self, made: &Self, maker: &str) -> Option<String> {
        let (asked, there) = (self.phases(), made.phases());
        for (what, prefix, creation, other) in [
            ("files", "file_", "file_creation", "-D"),
            ("directories", "directory_", "directory_creation", "-F"),
        ] {
            let looks =
                asked.iter().find(|phase| phase.starts_with(prefix) && **phase != "directory_listing");
            if let Some(phase) = looks.filter(|_| !there.contains(&creation)) {
                return Some(format!(
                    "{maker} created no {what}, but `{phase}` needs them. Add {other} here, or create them \
                     there."
                ));
            }
        }
        None
    }
}

impl PlannedLine for Line {
    fn check_planned(&self) -> Result<(), Usage> {
        planned::check(
            self,
            |_, option, value| {
                if option == Directory { check_place("-d", value) } else { Ok(()) }
            },
        )
    }

    fn backend(&self) -> Option<&str> {
        Some(&self.backend)
    }

    fn phases(&self) -> Vec<&'static str> {
        let mut rows: Vec<&ItemOperation> = OPERATIONS.iter().filter(|row| row.is_done(self)).collect();
        // Those of mdtest come first, by the kind of their items; then the others, by name.
        rows.sort_by_key(|row| (row.name, row.when));
        rows.iter().map(|row| row.phase).collect()
    }

    fn dir(&self) -> Option<&str> {
        self.parsed.dirs.as_deref()
    }

    fn creates(&self) -> bool {
        self.create
    }

    fn removes(&self) -> bool {
        self.remove
    }

    // Items of each kind, trees, and preloaded files.
    fn set_names(&self, ranks: u64, preload: u64) -> u64 {
        let kinds = u64::from(self.create && self.directories) + u64::from(self.create && self.files);
        let items = self.items_each().saturating_mul(kinds);
        let trees = if self.unique_dir { ranks } else { 1 };
        let preload = preload.max(self.preload);
        let each = preload.saturating_add(1).saturating_mul(self.directories_each());
        items.saturating_mul(self.owners(ranks)).saturating_add(each.saturating_mul(trees))
    }

    fn set_bytes(&self, ranks: u64) -> u64 {
        self.items_each().saturating_mul(self.write_bytes).saturating_mul(ranks)
    }

    fn operations(&self, _phase: &str, ranks: u64) -> u64 {
        self.items_each().saturating_mul(self.owners(ranks)).saturating_mul(self.repetitions())
    }

    // Each repetition works in a directory of its own, and so does each number of ranks of `-f`, `-l`, `-s`.
    fn sets(&self) -> u64 {
        let (first, last, stride) = (self.first_ranks.max(1), self.last_ranks, self.stride.max(1));
        let tests = if last > 0 { u64::from(last.saturating_sub(first) / stride) + 1 } else { 1 };
        self.repetitions().saturating_mul(tests)
    }

    fn runs_commands(&self) -> bool {
        self.before_phase.is_some() || self.after_phase.is_some()
    }

    fn preloads(&self) -> bool {
        self.has(Preload)
    }

    fn repetitions(&self) -> u64 {
        u64::from(self.iterations).max(1)
    }

    fn deadline_s(&self) -> u64 {
        self.deadline.into()
    }

    fn has_status_file(&self) -> bool {
        self.status_file.is_some()
    }

    // Reading with `-X`, creation with `--verify-write`.
    fn compares(&self, phase: &str) -> bool {
        match phase {
            "file_read" => self.verify_read,
            "file_creation" => self.verify_write && self.write_bytes > 0,
            _ => false,
        }
    }

    fn shift(&self) -> u64 {
        self.rank_shift().unwrap_or(0)
    }

    fn shares_names(&self) -> bool {
        self.shared_file || self.collective
    }

    fn has_own_trees(&self) -> bool {
        self.unique_dir
    }

    fn has_stamped_data(&self) -> bool {
        self.packet == Packet::Stamped
    }
}

fn letter(option: MdtestOption) -> char {
    option.row().short.unwrap_or_default()
}
