//! Whether some node has more ranks than processors.
//!
//! The processors that the ranks of a node may use, all together, are counted: ranks that are bound to one
//! core each are not oversubscribed, and many ranks in a small container on a large machine are.

use super::comm::MpiComm;
use crate::comm::{Comm, Halt, Reduce};

/// Whether some node has fewer processors for its ranks than ranks; all ranks call it together and get the
/// same answer, since how many steps a barrier has depends on it.
pub(super) fn detect(world: &MpiComm) -> Result<bool, Halt> {
    if world.size == 1 {
        return Ok(false);
    }
    let node = world.node_ranks()?;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let masks = node.gather(mask_of(&status).as_bytes())?;
    let mut answer = Vec::new();
    if let Some(masks) = masks {
        let masks: Vec<_> = masks.iter().map(|mask| String::from_utf8_lossy(mask)).collect();
        answer.push(u8::from(processors(masks.iter().map(AsRef::as_ref)) < node.size));
    }
    let here = u64::from(answer == [1]);
    Ok((world as &dyn Comm).reduce_one(here, Reduce::Max)? == 1)
}

/// The mask of processors in `/proc/self/status`: groups of hexadecimal digits with commas between.
fn mask_of(status: &str) -> &str {
    let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:"));
    line.map_or("", str::trim)
}

/// How many processors the masks have together.
fn processors<'a>(masks: impl Iterator<Item = &'a str>) -> u32 {
    let mut union: Vec<u32> = Vec::new();
    for mask in masks {
        let digits = mask.chars().rev().filter_map(|digit| digit.to_digit(16));
        for (place, digit) in digits.enumerate() {
            if union.len() <= place {
                union.push(0);
            }
            union[place] |= digit;
        }
    }
    union.iter().map(|digit| digit.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_of_bound_ranks_are_counted_together() {
        assert_eq!(processors(["1", "2", "4", "8"].into_iter()), 4);
        assert_eq!(processors(["3", "3", "3"].into_iter()), 2);
        assert_eq!(processors(["ff,ffffffff", "1,00000000"].into_iter()), 40);
        assert_eq!(processors([].into_iter()), 0);
    }

    #[test]
    fn the_mask_is_read_from_the_status() {
        assert_eq!(mask_of("Name:\tx\nCpus_allowed:\tff,00000003\nCpus_allowed_list:\t0-1\n"), "ff,00000003");
        assert_eq!(mask_of(""), "");
    }
}
