//! The slowest node or rank, for criteria on single ones.

use measure::statistics::mean;
use results::reason::{Reason, reason};
use results::record::{EachRank, MetricRow, WorkPart};
use units::Quantity;

use crate::case::TestCriterion;

/// The node or rank with the lowest rate of all repetitions, if the criterion is about single ones.
pub(super) fn slowest(case: &TestCriterion<'_>) -> Option<Reason> {
    let part = MetricRow::named(case.metric())?.part()?;
    let all = case.numbered_phases().filter_map(|(repetition, phase)| {
        let each = phase.each_rank.as_ref()?;
        let rates = each.rates(part)?;
        let (number, rate) = rates.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((rate, repetition, phase, named(each, part, number), rates))
    });
    let (rate, repetition, phase, part, rates) = all.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let dimension = MetricRow::rate_of(phase.counts).dimension(phase.counts);
    let quantity = |value| Quantity { value, dimension };
    let n = rates.len();
    let mean = mean(&rates.into_iter().map(|(_, rate)| rate).collect::<Vec<f64>>())?;
    let (value, mean) = (quantity(rate), quantity(mean));
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
