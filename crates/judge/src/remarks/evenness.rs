//! The slowest node or rank, for criteria on single ones.

use measure::statistics::mean;
use results::reason::{Reason, reason};
use results::record::{EachRank, MetricRow, WorkPart};
use units::Quantity;

use crate::case::TestCriterion;

/// The slowest node or rank of all repetitions, if the criterion is about single ones.
pub(super) fn slowest(case: &TestCriterion<'_>) -> Option<Reason> {
    let row = MetricRow::named(case.metric())?;
    let part = row.part()?;
    let slower = |a: f64, b: f64| if row.is_time() { b.total_cmp(&a) } else { a.total_cmp(&b) };
    let all = case.numbered_phases().filter_map(|(repetition, phase)| {
        let (values, dimension) = row.part_values(phase)?;
        let (number, value) = values.iter().copied().min_by(|a, b| slower(a.1, b.1))?;
        Some((value, repetition, phase, number, values, dimension))
    });
    let (value, repetition, phase, number, values, dimension) = all.min_by(|a, b| slower(a.0, b.0))?;
    let quantity = |value| Quantity { value, dimension };
    let n = values.len();
    let mean = mean(&values.into_iter().map(|(_, value)| value).collect::<Vec<f64>>())?;
    let (value, mean) = (quantity(value), quantity(mean));
    let part = named(phase.each_rank.as_ref()?, part, number);
    Some(reason!(SlowestPart { phase: &phase.phase, repetition, part, n, value, mean }))
}

/// A part in words: `node n17`, `rank 3 (n17)`.
fn named(each: &EachRank, part: WorkPart, number: u32) -> String {
    match part {
        WorkPart::Node => format!("node {}", each.nodes.get(number as usize).map_or("?", String::as_str)),
        WorkPart::Rank => {
            let node = each.node_of(number).map(|node| format!(" ({node})"));
            format!("rank {number}{}", node.unwrap_or_default())
        }
    }
}
