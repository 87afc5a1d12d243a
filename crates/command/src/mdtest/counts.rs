//! The number of directories and items of a run, computed from the options (mdtest 4.1).
//!
//! Pure, so that any code that announces or draws a tree may call it.

use super::request::Request;

/// Upper bound of all counts. Sums over all ranks of fewer than 2^24 still fit.
const MOST: u64 = 1 << 39;

/// What one rank has in all test directories. Numbers of items are of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemCounts {
    /// Directories of one tree.
    pub directories: u64,
    /// Number of directories that hold items: all, or the leaves, which have the highest numbers.
    pub holders: u64,
    /// Items in each directory that holds items.
    pub per_dir: u64,
    /// Test directories, each with a whole tree.
    pub loops: u64,
}

impl ItemCounts {
    /// The counts for `parameters`; `None` if they are above the upper bound.
    pub fn from_request(parameters: &Request) -> Option<Self> {
        let Request { branching, depth, items, items_per_dir, leaf_only, .. } = *parameters;
        let (mut directories, mut leaves) = (1_u64, 1_u64);
        if branching == 1 {
            directories += u64::from(depth);
        } else if branching > 1 {
            for _ in 0..depth {
                leaves = leaves.checked_mul(branching)?;
                directories = directories.checked_add(leaves).filter(|sum| *sum < MOST)?;
            }
        }
        let holders = if leaf_only { leaves } else { directories };
        let per_dir = if items_per_dir > 0 { items_per_dir } else { items / holders };
        let loops = if items > 0 && items_per_dir > 0 { items / items_per_dir } else { 1 };
        let counts = Self { directories, holders, per_dir, loops };
        let all = per_dir.checked_mul(holders)?.checked_mul(loops)?;
        (all < MOST && directories.checked_mul(loops)? < MOST).then_some(counts)
    }

    /// Items of one rank in all its directories.
    pub fn items(&self) -> u64 {
        self.per_dir * self.holders * self.loops
    }

    /// The number of the first directory that holds items.
    pub fn first_holder(&self) -> u64 {
        self.directories - self.holders
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(change: impl Fn(&mut Request)) -> ItemCounts {
        let mut parameters = Request::default();
        change(&mut parameters);
        ItemCounts::from_request(&parameters).expect("within bounds")
    }

    #[test]
    fn counts_follow_the_formulas() {
        let of = |b, z, n, i, leaf| {
            let counts = counts(|p| {
                (p.branching, p.depth, p.items, p.items_per_dir, p.leaf_only) = (b, z, n, i, leaf);
            });
            (counts.directories, counts.first_holder(), counts.per_dir, counts.loops, counts.items())
        };
        assert_eq!(of(1, 0, 7, 0, false), (1, 0, 7, 1, 7));
        assert_eq!(of(2, 2, 16, 0, false), (7, 0, 2, 1, 14), "rounded down to whole directories");
        assert_eq!(of(2, 2, 6, 0, false), (7, 0, 0, 1, 0), "fewer items than directories");
        assert_eq!(of(2, 2, 16, 0, true), (7, 3, 4, 1, 16));
        assert_eq!(of(3, 3, 0, 900, false), (40, 0, 900, 1, 36_000), "the acceptance command");
        assert_eq!(of(1, 4, 10, 0, true), (5, 4, 10, 1, 10), "a chain has one leaf");
        assert_eq!(of(0, 0, 10, 0, false), (1, 0, 10, 1, 10));
        assert_eq!(of(2, 1, 6, 2, false), (3, 0, 2, 3, 18), "three test directories of whole trees");
        assert_eq!(of(2, 1, 6, 2, true), (3, 1, 2, 3, 12));
        assert_eq!(of(5, 0, 0, 0, false), (1, 0, 0, 1, 0), "no items");
    }

    #[test]
    fn counts_above_the_upper_bound_are_none() {
        let rejected = |change: fn(&mut Request)| {
            let mut parameters = Request::default();
            change(&mut parameters);
            ItemCounts::from_request(&parameters).is_none()
        };
        assert!(rejected(|p| (p.branching, p.depth) = (1 << 20, 2)));
        assert!(rejected(|p| (p.branching, p.depth) = (u64::MAX, u32::MAX)));
        assert!(rejected(|p| p.items = u64::MAX));
        assert!(rejected(|p| (p.branching, p.depth, p.items_per_dir) = (2, 30, 1 << 20)));
    }
}
