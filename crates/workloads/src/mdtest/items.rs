//! Walks over the items of a rank, or of all of them: each by its number, its path made in place.
//!
//! Items are numbered from 0 through all directories of all test directories. While the directory stays the
//! same only the digits at the end of the path change.
//!
//! Invariant: memory does not grow with the items.

use std::ffi::CStr;
use std::path::Path;

use super::counts::ItemCounts;
use super::names::{self, TreeShape};
use super::parameters::MdtestParameters;
use crate::kit::path::PathBuffer;

/// What items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stem {
    Directory,
    File,
}

/// Whose items are walked over, and in which of the trees they are.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemOwners<'r> {
    pub(super) parameters: &'r MdtestParameters,
    pub(super) counts: ItemCounts,
    pub(super) iteration: u32,
    /// The rank that walks.
    pub(super) rank: u32,
    pub(super) ranks: u32,
    /// By how many ranks the tree is after the one whose items are in it.
    pub(super) tree_shift: i64,
    /// The first rank whose items these are.
    pub(super) first_owner: u32,
    /// Items of each owner, the one after the other.
    pub(super) each: u64,
}

/// Where a walk is.
pub(super) struct Items<'r> {
    whose: ItemOwners<'r>,
    stem: Stem,
    path: PathBuffer,
    /// Length of the path up to the number, and up to the directory.
    stem_length: usize,
    dir_length: usize,
    /// The items `from` and `span` more from there are in the directory that the path names.
    from: u64,
    span: u64,
    /// The number in the name of item `from`.
    first_number: u64,
    number: u64,
    /// Whose item it is, and in which test directory.
    owner: u32,
    test_dir: u64,
}

impl<'r> Items<'r> {
    pub(super) fn new(whose: ItemOwners<'r>, stem: Stem) -> Self {
        Self {
            whose,
            stem,
            path: PathBuffer::default(),
            stem_length: 0,
            dir_length: 0,
            from: 0,
            span: 0,
            first_number: 0,
            number: 0,
            owner: whose.first_owner,
            test_dir: 0,
        }
    }

    /// Goes to an item.
    #[inline]
    pub(super) fn go(&mut self, item: u64) {
        let mut within = item.wrapping_sub(self.from);
        if within >= self.span {
            self.enter(item);
            within = item - self.from;
        }
        self.number = self.first_number + within;
        self.path.cut(self.stem_length);
        self.path.number(self.number);
    }

    /// Makes the path of the directory that an item is in.
    fn enter(&mut self, item: u64) {
        let ItemOwners { parameters, counts, iteration, rank, ranks, tree_shift, first_owner, each } =
            self.whose;
        let owners_before = item / each;
        let of_owner = item % each;
        let place = of_owner / counts.per_dir;
        let node = counts.first_holder() + place % counts.holders;
        self.test_dir = place / counts.holders;
        self.owner = first_owner + owners_before as u32;
        self.from = item - of_owner % counts.per_dir;
        self.span = counts.per_dir.min((owners_before + 1) * each - self.from);
        self.first_number = node * counts.per_dir;
        let tree = shifted(self.owner, tree_shift, ranks);
        let at = (iteration, self.test_dir);
        self.path = names::node(parameters, TreeShape::of(parameters, counts), at, (rank, tree), node);
        self.dir_length = self.path.len();
        self.path.push(match self.stem {
            Stem::Directory => "/dir.mdtest.",
            Stem::File => "/file.mdtest.",
        });
        match parameters.shared_file {
            true => self.path.push("shared."),
            false => self.path.number(self.owner.into()).push("."),
        };
        self.stem_length = self.path.len();
    }

    /// The path of the item.
    #[inline]
    pub(super) fn c_path(&self) -> &CStr {
        self.path.as_c_str()
    }

    /// The same, to be copied.
    pub(super) fn buffer(&self) -> &PathBuffer {
        &self.path
    }

    /// The same, for all but system calls.
    pub(super) fn path(&self) -> &Path {
        self.path.as_path()
    }

    /// The last part of it.
    pub(super) fn name(&self) -> &CStr {
        &self.path.as_c_str()[self.dir_length + 1..]
    }

    /// The number in the item's name.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whose item it is; of files that all ranks share, nobody's, which counts as rank 0.
    pub(super) fn owner(&self) -> u32 {
        if self.whose.parameters.shared_file { 0 } else { self.owner }
    }

    /// Which of the test directories it is in.
    pub(super) fn test_dir(&self) -> u64 {
        self.test_dir
    }

    /// The rank that walks, and who they all are.
    pub(super) fn whose(&self) -> &ItemOwners<'r> {
        &self.whose
    }
}

/// The rank that is `by` after `rank`, around the circle.
pub(super) fn shifted(rank: u32, by: i64, ranks: u32) -> u32 {
    (i64::from(rank) + by).rem_euclid(i64::from(ranks.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whose(parameters: &MdtestParameters) -> ItemOwners<'_> {
        let counts = ItemCounts::of(parameters).expect("within bounds");
        let each = counts.items();
        ItemOwners {
            parameters,
            counts,
            iteration: 2,
            rank: 1,
            ranks: 3,
            tree_shift: 0,
            first_owner: 1,
            each,
        }
    }

    fn paths(whose: ItemOwners<'_>, count: u64) -> Vec<String> {
        let mut items = Items::new(whose, Stem::File);
        let path = |item| {
            items.go(item);
            assert!(items.path().ends_with(items.name().to_str().unwrap()));
            items.path().display().to_string()
        };
        (0..count).map(path).collect()
    }

    #[test]
    fn items_go_through_all_directories_of_all_test_directories() {
        let parameters = MdtestParameters {
            dirs: vec!["d".into()],
            branching: 2,
            depth: 1,
            items: 4,
            items_per_dir: 2,
            leaf_only: true,
            ..MdtestParameters::default()
        };
        let wanted: Vec<String> = ["2-0", "2-1"]
            .iter()
            .flat_map(|dir| [(1, 2), (1, 3), (2, 4), (2, 5)].map(|(node, item)| (dir, node, item)))
            .map(|(dir, node, item)| {
                format!("d/test-dir.{dir}/mdtest_tree.0/mdtest_tree.{node}/file.mdtest.1.{item}")
            })
            .collect();
        assert_eq!(paths(whose(&parameters), 8), wanted);
    }

    #[test]
    fn any_item_is_found_at_once_in_any_order() {
        let parameters =
            MdtestParameters { branching: 3, depth: 2, items_per_dir: 4, ..MdtestParameters::default() };
        let all = paths(whose(&parameters), 52);
        let mut items = Items::new(whose(&parameters), Stem::File);
        for item in [51, 0, 17, 16, 15, 33, 3, 4, 51] {
            items.go(item);
            assert_eq!(items.path().display().to_string(), all[item as usize]);
            assert_eq!(items.number(), item);
        }
    }

    #[test]
    fn one_rank_walks_over_the_items_of_all() {
        let parameters = MdtestParameters {
            items: 2,
            unique_dir: true,
            dirs: vec!["d".into()],
            ..MdtestParameters::default()
        };
        let all = ItemOwners { first_owner: 0, tree_shift: 1, ..whose(&parameters) };
        let wanted = [(0, 1, 0), (0, 1, 1), (1, 2, 0), (1, 2, 1), (2, 0, 0), (2, 0, 1)];
        let wanted: Vec<String> = wanted
            .iter()
            .map(|(owner, tree, item)| {
                format!("d/test-dir.2-0/mdtest_tree.{tree}.0/file.mdtest.{owner}.{item}")
            })
            .collect();
        assert_eq!(paths(all, 6), wanted);
    }
}
