//! The own lines below the classic output: failures, wrong data, percentiles and warnings. They follow the
//! finish line.

use measure::Histogram;
use results::record::{Failed, Latency, Phase};
use units::visible;
use workloads::kit::reduce;

use super::results::STOPPED_BELOW;
use crate::personalities::failures::{Leads, named, reasons, wrong_ranges};
use crate::personalities::latency;
use crate::personalities::own_lines::{compared, phase_name};

/// How many failed operations of a phase are listed.
const NAMED: usize = 8;

/// The lines about failures and wrong data in a phase; empty if there are none. They have no mark yet.
pub(crate) fn of_phase(label: &str, phase: &Phase) -> String {
    let failed = phase.failed.as_ref().map_or(String::new(), |failed| failures(label, phase, failed));
    failed + &wrong(label, phase) + &stopped(label, phase)
}

fn failures(label: &str, phase: &Phase, failed: &Failed) -> String {
    let attempted = phase.ops + failed.operations;
    let mut text = format!(
        "{}, iteration {}: {} of {attempted} operations failed: {}\n",
        phase_name(label),
        phase.repetition,
        failed.operations,
        reasons(failed)
    );
    text.push_str(&named(failed, NAMED, "  ", Leads::Call, phase_name));
    if failed.operations > NAMED.min(failed.first.len()) as u64 {
        text.push_str("  ... and more\n");
    }
    text
}

/// The effect of the deadline on directories, for which the classic output has no line.
fn stopped(label: &str, phase: &Phase) -> String {
    match &phase.stonewall {
        Some(wall) if label == STOPPED_BELOW && wall.ran_dry < phase.ranks => format!(
            "{}, iteration {}: stopped after {} s at {} to {} items per rank; all continued to {}\n",
            phase_name(label),
            phase.repetition,
            wall.deadline_s,
            wall.transfers_min,
            wall.transfers_max,
            wall.transfers_max
        ),
        _ => String::new(),
    }
}

/// The result of the verification in a phase.
fn wrong(label: &str, phase: &Phase) -> String {
    let Some(check) = &phase.check else { return String::new() };
    let (name, result) = (phase_name(label), compared(check, "files"));
    let mut text = format!("{name}, iteration {}: {result}\n", phase.repetition);
    text.push_str(&wrong_ranges(&check.bad, "  "));
    match check.ranges.saturating_sub(check.bad.len() as u64) {
        0 => {}
        more => text.push_str(&format!("  ... and {more} more ranges\n")),
    }
    text
}

/// The latencies of one kind of operation over all iterations.
#[derive(Default)]
struct Merged {
    histogram: Histogram,
    /// The slowest rank of any iteration: its rate, number and node, and the iteration.
    slowest: Option<(f64, u32, String, u32)>,
}

impl Merged {
    fn add(&mut self, phase: &Phase, latency: &Latency) {
        self.histogram.merge(&reduce::recorded(latency));
        let balance = &phase.balance;
        if self.slowest.as_ref().is_none_or(|(rate, ..)| balance.slowest_rate < *rate) {
            let node = balance.slowest_node.clone();
            self.slowest = Some((balance.slowest_rate, balance.slowest_rank, node, phase.repetition));
        }
    }
}

/// The latencies of a run on one number of ranks, by label.
pub(crate) struct RunLatencies {
    ranks: u32,
    kinds: Vec<(&'static str, Merged)>,
}

impl RunLatencies {
    pub(crate) fn new(ranks: u32) -> Self {
        Self { ranks, kinds: Vec::new() }
    }

    /// Adds those of a phase.
    pub(crate) fn add(&mut self, label: &'static str, phase: &Phase) {
        let Some(latency) = &phase.latency else { return };
        let at = self.kinds.iter().position(|(known, _)| *known == label).unwrap_or_else(|| {
            self.kinds.push((label, Merged::default()));
            self.kinds.len() - 1
        });
        self.kinds[at].1.add(phase, latency);
    }

    fn text(&self, several: bool) -> String {
        if self.kinds.is_empty() {
            return String::new();
        }
        let ranks = if several { format!(" of {} ranks", self.ranks) } else { String::new() };
        let mut text = format!(
            "latency of single operations{ranks}, all ranks and iterations\n\
             {:<14}{}  slowest rank of any iteration\n",
            "operation",
            latency::headings()
        );
        for (label, merged) in &self.kinds {
            let merged_latency = reduce::latency(&merged.histogram).unwrap_or_default();
            text.push_str(&format!("{:<14}{}", phase_name(label), latency::columns(&merged_latency)));
            if let Some((rate, rank, node, iteration)) = &merged.slowest {
                let rate = units::count(*rate);
                text.push_str(&format!("  {rank} on {}: {rate}/s, iteration {iteration}", visible(node)));
            }
            text.push('\n');
        }
        text
    }
}

/// The lines about the latencies of all runs; empty if there are none. They have no mark yet.
pub(crate) fn of_latencies(runs: &[RunLatencies]) -> String {
    runs.iter().map(|run| run.text(runs.len() > 1)).collect()
}

#[cfg(test)]
mod tests {
    use results::record::{BadRange, Check, FailedOperation, FailureReason, Stonewall};

    use super::super::results::tests::ended;
    use super::*;

    /// A phase of two ranks with `change` applied.
    fn phase(label: &'static str, items: u64, change: impl Fn(&mut Phase)) -> Phase {
        let mut phase = Phase::default();
        ended(label, items, 0.5, &mut phase, &mut Vec::new());
        change(&mut phase);
        phase
    }

    #[test]
    fn percentiles_are_over_all_iterations() {
        let mut run = RunLatencies::new(2);
        assert_eq!(of_latencies(&[RunLatencies::new(2)]), "");
        run.add("File stat", &phase("File stat", 100, |phase| phase.balance.slowest_rate = 3.0));
        run.add("File stat", &phase("File stat", 300, |phase| phase.repetition = 1));
        let text = of_latencies(&[run]);
        let row = text.lines().last().unwrap();
        assert!(text.starts_with("latency of single operations, all ranks"), "{text}");
        assert!(row.starts_with("st-file ") && row.ends_with("0 on n0: 0/s, iteration 1"), "{row}");
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(&words[1..5], ["1.00", "us", "64.0", "us"], "{row}");
    }

    #[test]
    fn the_percentiles_of_the_text_are_those_of_the_record() {
        let mut histogram = Histogram::new();
        [63_800, 63_800, 63_800, 100_000].iter().for_each(|ns| histogram.add(*ns));
        let record = reduce::latency(&histogram).unwrap();
        let mut run = RunLatencies::new(2);
        run.add("File stat", &phase("File stat", 100, |phase| phase.latency = Some(record.clone())));
        let text = of_latencies(&[run]);
        let shown = latency::columns(&record);
        assert!(text.lines().last().unwrap().starts_with(&format!("{:<14}{shown}", "st-file")), "{text}");
        // The middle of its bucket, whose lower bound is 63.7.
        assert!(shown.trim_start().starts_with("63.9 us"), "{shown}");
    }

    #[test]
    fn directories_that_a_deadline_stopped_are_reported() {
        let wall =
            Stonewall { deadline_s: 2.0, transfers_min: 90, transfers_max: 100, ..Stonewall::default() };
        let label = "Directory creation";
        let one = phase(label, 100, |phase| (phase.stonewall, phase.ranks) = (Some(wall.clone()), 2));
        assert_eq!(
            of_phase(label, &one),
            "mk-dir, iteration 0: stopped after 2 s at 90 to 100 items per rank; \
             all continued to 100\n"
        );
    }

    #[test]
    fn failures_and_wrong_data_are_always_reported() {
        let text = of_phase(
            "File stat",
            &phase("File stat", 100, |phase| {
                let first = FailedOperation {
                    rank: 1,
                    operation: "mkdir".into(),
                    path: "d/x".into(),
                    why: "No space left".into(),
                    ..FailedOperation::default()
                };
                let reason = |why: &str, operations| FailureReason {
                    why: why.into(),
                    operations,
                    ..FailureReason::default()
                };
                phase.ops = 197;
                phase.failed = Some(Failed {
                    operations: 3,
                    reasons: vec![reason("No space left", 2), reason("Permission denied", 1)],
                    first: vec![first],
                });
                let bad = BadRange { rank: 1, path: "f".into(), offset: 8, length: 8, ..BadRange::default() };
                let bad = vec![bad];
                phase.check =
                    Some(Check { bytes: 1024, bad_transfers: 1, ranges: 3, bad, ..Check::default() });
            }),
        );
        assert_eq!(
            text,
            "st-file, iteration 0: 3 of 200 operations failed: \
             2 No space left, 1 Permission denied\n\
             \x20 rank 1: mkdir d/x: No space left\n  ... and more\n\
             st-file, iteration 0: 1.00 Ki bytes compared, 1 files WRONG\n\
             \x20 rank 1: f at 8: 8 bytes wrong, expected , found \n  ... and 2 more ranges\n"
        );
    }
}
