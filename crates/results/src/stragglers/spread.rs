//! How far the ranks of one phase lie apart.

use measure::statistics;

use crate::record::Phase;

/// The numbers that show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The rank that moved least.
    pub least_rank: u32,
    /// What that moved over the mean of all; where ranks went on after their deadline, what they had then.
    pub least_share: f64,
    /// The time that 99 % of the ranks had ended within, over the median rank's.
    pub late: f64,
    /// How long the rank with the longest way went on after its deadline, over the deadline; `None` where
    /// none did.
    pub wear_out: Option<f64>,
    /// Share of the phase's transfer span in which only the slowest 1 % of the ranks were still at work.
    pub lost: f64,
    /// How many ranks these are.
    pub slowest: usize,
}

impl Spread {
    /// Those of a phase; `None` for a single rank, or where its ranks are not known.
    pub fn of(phase: &Phase) -> Option<Self> {
        let each = phase.each_rank.as_ref().filter(|each| each.ranks > 1)?;
        let ranks = 0..each.ranks;
        let amounts = if each.moved_at_deadline.is_empty() { &each.moved } else { &each.moved_at_deadline };
        let moved: Vec<f64> = ranks.clone().filter_map(|rank| amounts.of(rank)).map(|n| n as f64).collect();
        let sorted = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            values
        };
        let seconds = sorted(ranks.clone().filter_map(|rank| each.seconds.of(rank)).collect());
        let ended = sorted(ranks.clone().filter_map(|rank| each.ended_s.of(rank)).collect());
        if [moved.len(), seconds.len(), ended.len()].contains(&0) {
            return None;
        }
        let least = (0_u32..).zip(&moved).min_by(|a, b| a.1.total_cmp(b.1))?;
        let slowest = ended.len().div_ceil(100).min(ended.len() - 1);
        let behind = ended[ended.len() - 1] - ended[ended.len() - 1 - slowest];
        let over = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
        let longest = ranks.filter_map(|rank| each.wear_out_s.of(rank)).max_by(f64::total_cmp);
        let wall = phase.stonewall.as_ref().map(|wall| wall.deadline_s).filter(|deadline| *deadline > 0.0);
        Some(Self {
            least_rank: least.0,
            least_share: over(*least.1, statistics::mean(&moved)?),
            late: over(seconds[(seconds.len() * 99).div_ceil(100) - 1], statistics::median(&seconds)?),
            wear_out: longest.zip(wall).map(|(longest, deadline)| longest / deadline),
            lost: over(behind, phase.spans.transfer_s).min(1.0),
            slowest,
        })
    }
}
