//! The slowest part of several: nodes and ranks, for criteria on single ones, and parts of a group.

use measure::statistics::mean;
use results::reason::{Reason, reason};
use results::record::{EachRank, MetricRow, WorkPart};
use units::Quantity;

use crate::case::TestCriterion;

/// The slowest part of all repetitions, among all parts of its own repetition.
pub(crate) struct Slowest<P> {
    pub(crate) repetition: u32,
    pub(crate) part: P,
    pub(crate) value: f64,
    /// The number and the mean of all parts.
    pub(crate) n: usize,
    pub(crate) mean: f64,
}

/// The slowest part, from the values of all parts in each repetition: rates, or times.
pub(crate) fn slowest_part<P: Copy>(
    repetitions: impl Iterator<Item = (u32, Vec<(P, f64)>)>,
    are_times: bool,
) -> Option<Slowest<P>> {
    let slower = |a: f64, b: f64| if are_times { b.total_cmp(&a) } else { a.total_cmp(&b) };
    let of_repetition = |(repetition, parts): (u32, Vec<(P, f64)>)| {
        let (part, value) = parts.iter().copied().min_by(|a, b| slower(a.1, b.1))?;
        let values: Vec<f64> = parts.iter().map(|(_, value)| *value).collect();
        Some(Slowest { repetition, part, value, n: values.len(), mean: mean(&values)? })
    };
    repetitions.filter_map(of_repetition).min_by(|a, b| slower(a.value, b.value))
}

/// The slowest node or rank of all repetitions, if the criterion is about single ones.
pub(super) fn slowest(case: &TestCriterion<'_>) -> Option<Reason> {
    let row = MetricRow::named(case.metric())?;
    let work_part = row.part()?;
    let repetitions = case.numbered_phases().filter_map(|(repetition, phase)| {
        let values = row.part_values(phase)?.into_iter();
        Some((repetition, values.map(|(number, value)| ((phase, number), value)).collect()))
    });
    let Slowest { repetition, part: (phase, number), value, n, mean } =
        slowest_part(repetitions, row.is_time())?;
    let dimension = row.part_dimension(phase.counts);
    let [value, mean] = [value, mean].map(|value| Quantity { value, dimension });
    let part = named(phase.each_rank.as_ref()?, work_part, number);
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
