//! Whether a node looks up and reads objects that it has created or read before in this run, and so may have
//! in its cache.

use command::md_workbench::Request;

use crate::kit::node::NodeTable;

/// Whether any rank uses an object that its own node creates in this run, or uses one again.
pub(super) fn uses_own_objects(parameters: &Request, table: &NodeTable, ranks: u32) -> bool {
    let ranks = u64::from(ranks);
    let benchmarks = u64::from(parameters.iterations) * u64::from(parameters.benchmarks_each());
    // Each benchmark that renews nothing has the objects of the one before.
    if parameters.read_only && benchmarks > 1 && parameters.objects > 0 {
        return true;
    }
    let renewed = parameters.objects.saturating_mul(benchmarks) > parameters.per_set;
    // The data set of a rank has the objects that the rank creates first. Later ones come from another rank,
    // which is as far behind.
    let makers = [(1, parameters.precreate), (2, renewed && !parameters.read_only)];
    let on_one_node = |by: u64| {
        (0..ranks).any(|rank| table.number(rank as u32) == table.number(((rank + by) % ranks) as u32))
    };
    (1..=parameters.sets.min(ranks)).any(|set| {
        let by = u64::from(parameters.offset) * set;
        makers.iter().any(|(times, is_used)| *is_used && on_one_node(by * times % ranks))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether ranks on these nodes use objects of their own node.
    fn warm(nodes: &[u32], change: fn(&mut Request)) -> bool {
        let mut parameters = Request { per_set: 4, objects: 2, sets: 1, ..Request::default() };
        change(&mut parameters);
        let table = NodeTable { of: nodes.to_vec(), names: Vec::new() };
        uses_own_objects(&parameters, &table, nodes.len() as u32)
    }

    #[test]
    fn objects_are_warm_if_a_rank_of_the_same_node_creates_them() {
        assert!(!warm(&[0, 1, 2], |_| {}), "one rank on each of three nodes");
        assert!(warm(&[0, 0, 1, 1, 2, 2], |_| {}), "two ranks on each node");
        assert!(!warm(&[0, 0, 1, 1, 2, 2], |p| p.offset = 2), "a whole node");
        assert!(warm(&[0, 1, 2], |p| p.offset = 0), "its own objects");
        assert!(warm(&[0, 1, 2], |p| p.sets = 3), "the third data set is its own");
        assert!(!warm(&[0, 1, 2], |p| p.sets = 2));
    }

    #[test]
    fn objects_of_iterations_are_used_only_if_there_are_more_than_those_of_the_beginning() {
        assert!(warm(&[0, 1], |_| {}), "two steps of two ranks lead back");
        assert!(!warm(&[0, 1], |p| p.iterations = 2));
        let adaptive = |p: &mut Request| (p.iterations, p.adaptive) = (1, true);
        assert!(warm(&[0, 1], adaptive), "-T makes eight benchmarks of one iteration");
        assert!(!warm(&[0, 1], |p| (p.read_only, p.iterations) = (true, 1)));
        assert!(!warm(&[0, 0, 1, 1, 2, 2], |p| (p.precreate, p.offset) = (false, 1)), "others made them");
    }

    #[test]
    fn a_second_benchmark_that_renews_nothing_has_warm_objects() {
        let read_only = |p: &mut Request| (p.read_only, p.iterations) = (true, 2);
        assert!(warm(&[0, 1, 2], read_only), "two iterations");
        let adaptive = |p: &mut Request| (p.read_only, p.iterations, p.adaptive) = (true, 1, true);
        assert!(warm(&[0, 1, 2], adaptive), "eight benchmarks");
    }
}
