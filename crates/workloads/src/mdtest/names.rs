//! The names of a run, and the shape of its trees (mdtest 4.1).
//!
//! ```text
//! <d>/test-dir.<iteration>-<loop>/mdtest_tree.0/mdtest_tree.<node>/…     one tree for all ranks
//!                                 mdtest_tree.<rank>.0/…                 a tree for each
//!                                    dir.mdtest.<rank>.<item>, file.mdtest.<rank>.<item>
//!                                    file.mdtest.shared.<item>           one set of files for all ranks
//! ```
//! Directories are numbered by level: the children of k are b*k+1 … b*k+b.
//!
//! Pure, so that any code that announces or draws a tree may call it.

use std::path::Path;

use command::mdtest::ItemCounts;
use command::mdtest::Request;

use crate::kit::path::PathBuffer;

/// The suffix of the directory that is renamed out of the way.
pub(super) const ASIDE: &str = "-XX";

/// The test directory of `rank`, by iteration and loop.
pub fn test_dir(parameters: &Request, rank: u32, iteration: u32, number: u64) -> String {
    let prefix = parameters.test_dir_prefix;
    format!("{}/{prefix}{iteration}-{number}", own_dir(parameters, rank))
}

/// The one of the `-d` directories that `rank` uses.
pub fn own_dir(parameters: &Request, rank: u32) -> &str {
    &parameters.dirs[rank as usize % parameters.dirs.len()]
}

/// The shape of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeShape {
    /// Children of each directory that is not a leaf.
    pub branching: u64,
    /// Number of directories.
    pub directories: u64,
}

impl TreeShape {
    /// The shape of each tree of a run.
    pub fn of(parameters: &Request, counts: ItemCounts) -> Self {
        Self { branching: parameters.branching, directories: counts.directories }
    }

    /// The directory that holds `node`, which is not the root.
    pub fn parent(self, node: u64) -> u64 {
        (node - 1) / self.branching
    }

    fn first_child(self, node: u64) -> Option<u64> {
        let child = self.branching.checked_mul(node)?.checked_add(1)?;
        (self.branching > 0 && child < self.directories).then_some(child)
    }

    /// Number of directories in `node`.
    pub fn children(self, node: u64) -> u64 {
        self.first_child(node).map_or(0, |_| self.branching)
    }

    fn is_last_child(self, node: u64) -> bool {
        node.is_multiple_of(self.branching)
    }

    /// The directory after `node` in an order with each directory before its children. The root is first.
    pub fn next_down(self, mut node: u64) -> Option<u64> {
        if let Some(child) = self.first_child(node) {
            return Some(child);
        }
        while node > 0 && self.is_last_child(node) {
            node = self.parent(node);
        }
        (node > 0).then_some(node + 1)
    }

    /// The first directory at or below `from` in an order with each directory after its children. The root is
    /// last.
    pub fn first_up(self, from: u64) -> u64 {
        let mut node = from;
        while let Some(child) = self.first_child(node) {
            node = child;
        }
        node
    }

    /// The directory after `node` in that order.
    pub fn next_up(self, node: u64) -> Option<u64> {
        match node {
            0 => None,
            _ if self.is_last_child(node) => Some(self.parent(node)),
            _ => Some(self.first_up(node + 1)),
        }
    }
}

/// Appends `/mdtest_tree.…` for each directory from the root of a tree (of `rank`, or of all ranks) to
/// `node`.
fn push_node(path: &mut PathBuffer, shape: TreeShape, rank: Option<u32>, node: u64) {
    let mut chain = vec![node];
    let mut above = node;
    while above > 0 {
        above = shape.parent(above);
        chain.push(above);
    }
    for number in chain.iter().rev() {
        path.push("/mdtest_tree.");
        if let Some(rank) = rank {
            path.number(rank.into()).push(".");
        }
        path.number(*number);
    }
}

/// The full path of one directory of a tree.
pub fn node(
    parameters: &Request,
    shape: TreeShape,
    (iteration, number): (u32, u64),
    (rank, tree): (u32, u32),
    node: u64,
) -> PathBuffer {
    let mut path = PathBuffer::new(Path::new(&test_dir(parameters, rank, iteration, number)));
    push_node(&mut path, shape, parameters.unique_dir.then_some(tree), node);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_walked_down_and_up_with_every_directory_once() {
        for (branching, depth) in [(0, 0), (1, 0), (5, 0), (1, 4), (2, 1), (2, 3), (3, 3), (10, 2)] {
            let directories = match branching {
                0 => 1,
                1 => 1 + depth,
                b => (0..=depth).map(|level| u64::pow(b, level as u32)).sum(),
            };
            let shape = TreeShape { branching, directories };
            let down: Vec<u64> = std::iter::successors(Some(0), |node| shape.next_down(*node)).collect();
            let up: Vec<u64> =
                std::iter::successors(Some(shape.first_up(0)), |node| shape.next_up(*node)).collect();
            for (order, parent_first) in [(&down, true), (&up, false)] {
                let place = |node: u64| order.iter().position(|other| *other == node);
                for node in 1..directories {
                    assert_eq!(place(shape.parent(node)) < place(node), parent_first, "{branching} {depth}");
                }
                for node in 0..directories {
                    let held = (1..directories).filter(|other| shape.parent(*other) == node).count() as u64;
                    assert_eq!(shape.children(node), held, "{branching} {depth}");
                }
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..directories), "{branching} {depth}");
            }
        }
    }

    #[test]
    fn directories_come_depth_first_with_children_in_order() {
        let shape = TreeShape { branching: 2, directories: 7 };
        let down: Vec<u64> = std::iter::successors(Some(0), |node| shape.next_down(*node)).collect();
        assert_eq!(down, [0, 1, 3, 4, 2, 5, 6]);
        let up: Vec<u64> =
            std::iter::successors(Some(shape.first_up(0)), |node| shape.next_up(*node)).collect();
        assert_eq!(up, [3, 4, 1, 5, 6, 2, 0]);
    }

    #[test]
    fn paths_contain_all_directories_from_the_root() {
        let mut parameters = Request { dirs: vec!["/a".into(), "/b".into()], ..Request::default() };
        let shape = TreeShape { branching: 2, directories: 7 };
        let path = |parameters: &Request, rank| {
            node(parameters, shape, (3, 1), (rank, rank + 1), 4).as_path().display().to_string()
        };
        let shared = "/a/test-dir.3-1/mdtest_tree.0/mdtest_tree.1/mdtest_tree.4";
        assert_eq!(path(&parameters, 0), shared);
        parameters.unique_dir = true;
        let own = "/b/test-dir.3-1/mdtest_tree.2.0/mdtest_tree.2.1/mdtest_tree.2.4";
        assert_eq!(path(&parameters, 1), own);
    }
}
