//! Walks over the items of a rank or of all ranks: each by its number, with its path changed in place.
//!
//! Items are numbered from 0 through all directories of all test directories. Within one directory only the
//! digits at the end of the path change.
//!
//! Invariant: memory does not grow with the number of items.

use std::ffi::CStr;
use std::path::Path;

use command::mdtest::ItemCounts;
use command::mdtest::Request;

use super::names::{self, TreeShape};
use crate::kit::path::PathBuffer;

/// The kind of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stem {
    Directory,
    File,
}

/// The owners of the items of a walk, and the trees of the items.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemOwners<'r> {
    pub(super) parameters: &'r Request,
    pub(super) counts: ItemCounts,
    pub(super) iteration: u32,
    /// The rank that walks.
    pub(super) rank: u32,
    pub(super) ranks: u32,
    /// Distance in ranks from the owner of the items to the rank owners tree holds them.
    pub(super) tree_shift: i64,
    /// The first owner of these items.
    pub(super) first_owner: u32,
    /// Items of each owner.
    pub(super) each: u64,
}

/// A walk, with its current position.
pub(super) struct Items<'r> {
    owners: ItemOwners<'r>,
    stem: Stem,
    path: PathBuffer,
    /// Length of the path up to the number, and up to the directory.
    stem_length: usize,
    dir_length: usize,
    /// The directory in the path holds `span` items, from item `from`.
    from: u64,
    span: u64,
    /// The number in the name of item `from`.
    first_number: u64,
    number: u64,
    /// The owner of the item, and its test directory.
    owner: u32,
    test_dir: u64,
}

impl<'r> Items<'r> {
    pub(super) fn new(owners: ItemOwners<'r>, stem: Stem) -> Self {
        Self {
            owners,
            stem,
            path: PathBuffer::default(),
            stem_length: 0,
            dir_length: 0,
            from: 0,
            span: 0,
            first_number: 0,
            number: 0,
            owner: owners.first_owner,
            test_dir: 0,
        }
    }

    /// Moves to an item.
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

    /// Makes the path of the directory of an item.
    fn enter(&mut self, item: u64) {
        let ItemOwners { parameters, counts, iteration, rank, ranks, tree_shift, first_owner, each } =
            self.owners;
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

    /// The same, for uses other than system calls.
    pub(super) fn path(&self) -> &Path {
        self.path.as_path()
    }

    /// The last part of the path.
    pub(super) fn name(&self) -> &CStr {
        &self.path.as_c_str()[self.dir_length + 1..]
    }

    /// The number in the item's name.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The owner of the item. For files that all ranks share this is rank 0.
    pub(super) fn owner(&self) -> u32 {
        if self.owners.parameters.shared_file { 0 } else { self.owner }
    }

    /// The number of its test directory.
    pub(super) fn test_dir(&self) -> u64 {
        self.test_dir
    }

    /// The owners of the items of this walk.
    pub(super) fn owners(&self) -> &ItemOwners<'r> {
        &self.owners
    }
}

/// The rank that is `by` ranks after `rank`, in a circle.
pub(super) fn shifted(rank: u32, by: i64, ranks: u32) -> u32 {
    (i64::from(rank) + by).rem_euclid(i64::from(ranks.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owners(parameters: &Request) -> ItemOwners<'_> {
        let counts = ItemCounts::from_request(parameters).expect("within bounds");
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

    fn paths(owners: ItemOwners<'_>, count: u64) -> Vec<String> {
        let mut items = Items::new(owners, Stem::File);
        let path = |item| {
            items.go(item);
            assert!(items.path().ends_with(items.name().to_str().unwrap()));
            items.path().display().to_string()
        };
        (0..count).map(path).collect()
    }

    #[test]
    fn items_go_through_all_directories_of_all_test_directories() {
        let parameters = Request {
            dirs: vec!["d".into()],
            branching: 2,
            depth: 1,
            items: 4,
            items_per_dir: 2,
            leaf_only: true,
            ..Request::default()
        };
        let wanted: Vec<String> = ["2-0", "2-1"]
            .iter()
            .flat_map(|dir| [(1, 2), (1, 3), (2, 4), (2, 5)].map(|(node, item)| (dir, node, item)))
            .map(|(dir, node, item)| {
                format!("d/test-dir.{dir}/mdtest_tree.0/mdtest_tree.{node}/file.mdtest.1.{item}")
            })
            .collect();
        assert_eq!(paths(owners(&parameters), 8), wanted);
    }

    #[test]
    fn any_item_is_found_directly_in_any_order() {
        let parameters = Request { branching: 3, depth: 2, items_per_dir: 4, ..Request::default() };
        let all = paths(owners(&parameters), 52);
        let mut items = Items::new(owners(&parameters), Stem::File);
        for item in [51, 0, 17, 16, 15, 33, 3, 4, 51] {
            items.go(item);
            assert_eq!(items.path().display().to_string(), all[item as usize]);
            assert_eq!(items.number(), item);
        }
    }

    #[test]
    fn one_rank_walks_over_the_items_of_all() {
        let parameters = Request { items: 2, unique_dir: true, dirs: vec!["d".into()], ..Request::default() };
        let all = ItemOwners { first_owner: 0, tree_shift: 1, ..owners(&parameters) };
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
