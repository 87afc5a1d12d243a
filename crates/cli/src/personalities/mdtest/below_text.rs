//! The own lines below the classic output: failures, wrong data, percentiles and warnings. They follow the
//! finish line.

use measure::Histogram;
use results::record::{Failed, Latency, Phase};
use workloads::kit::reduce;

use super::results::{MeasuredPhase, Results, STOPPED_BELOW};
use crate::personalities::failures::{Leads, named, reasons, wrong_ranges};
use crate::personalities::latency;
use crate::personalities::own_lines::{kept, own_lines, phase_name};

/// How many failed operations of a phase are listed.
const NAMED: usize = 8;

/// The lines about latencies, with `-v`; empty if there is nothing to report.
pub(crate) fn of_latencies(runs: &[Results], verbose: u32) -> String {
    let runs_shown = if verbose > 0 { runs } else { &[] };
    own_lines(&runs_shown.iter().map(|run| latencies(run, runs.len() > 1)).collect::<String>())
}

/// The lines about failures, wrong data and warnings; empty if there are none.
pub(crate) fn of_faults(runs: &[Results], notices: &[String]) -> String {
    let measured: Vec<&MeasuredPhase> = runs.iter().flat_map(|run| run.iterations.iter().flatten()).collect();
    let mut text = String::new();
    for (label, phase) in measured.iter().filter_map(|one| Some((one.label, one.phase.as_deref()?))) {
        if let Some(failed) = &phase.failed {
            text.push_str(&failures(label, phase, failed));
        }
        text.push_str(&wrong(label, phase));
        text.push_str(&stopped(label, phase));
    }
    for notice in notices {
        text.push_str(&format!("warning: {notice}\n"));
    }
    own_lines(&text)
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
    text.push_str(&named(failed, NAMED, "  ", Leads::Call, kept));
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
    let verdict = match check.bad_transfers {
        0 => "all as written".to_owned(),
        bad => format!("{bad} files WRONG"),
    };
    let bytes = units::bytes_binary(check.bytes as f64);
    let name = phase_name(label);
    let mut text = format!("{name}, iteration {}: {bytes} compared, {verdict}\n", phase.repetition);
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

fn latencies(run: &Results, several: bool) -> String {
    let mut kinds: Vec<(&str, Merged)> = Vec::new();
    for one in run.iterations.iter().flatten() {
        let Some(phase) = &one.phase else { continue };
        let Some(latency) = &phase.latency else { continue };
        let at = kinds.iter().position(|(label, _)| *label == one.label).unwrap_or_else(|| {
            kinds.push((one.label, Merged::default()));
            kinds.len() - 1
        });
        kinds[at].1.add(phase, latency);
    }
    if kinds.is_empty() {
        return String::new();
    }
    let ranks = if several { format!(" of {} ranks", run.ranks) } else { String::new() };
    let mut text = format!(
        "latency of single operations{ranks}, all ranks and iterations\n\
         {:<14}{}  slowest rank of any iteration\n",
        "operation",
        latency::headings()
    );
    for (label, merged) in &kinds {
        let merged_latency = reduce::latency(&merged.histogram).unwrap_or_default();
        text.push_str(&format!("{:<14}{}", phase_name(label), latency::columns(&merged_latency)));
        if let Some((rate, rank, node, iteration)) = &merged.slowest {
            let rate = units::count(*rate);
            text.push_str(&format!("  {rank} on {}: {rate}/s, iteration {iteration}", kept(node)));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use results::record::{BadRange, Check, FailedOperation, Stonewall};

    use super::super::results::tests::measured;
    use super::*;

    fn run(change: impl Fn(&mut Phase)) -> Results {
        let mut one = measured("File stat", 100, 0.5);
        change(one.phase.as_mut().unwrap());
        let mut other = measured("File stat", 300, 0.5);
        other.phase.as_mut().unwrap().repetition = 1;
        Results { ranks: 2, items: 100, iterations: vec![vec![one], vec![other]] }
    }

    #[test]
    fn percentiles_are_over_all_iterations_and_only_with_v() {
        assert_eq!(of_latencies(&[run(|_| ())], 0), "");
        let text = of_latencies(&[run(|phase| phase.balance.slowest_rate = 3.0)], 1);
        let row = text.lines().last().unwrap();
        assert!(text.starts_with("assay: latency of single operations, all ranks"), "{text}");
        assert!(row.starts_with("assay: st-file ") && row.ends_with("0 on n0: 0/s, iteration 1"), "{row}");
        let words: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(&words[2..6], ["1.00", "us", "64.0", "us"], "{row}");
    }

    #[test]
    fn the_percentiles_of_the_text_are_those_of_the_record() {
        let mut histogram = Histogram::new();
        [63_800, 63_800, 63_800, 100_000].iter().for_each(|ns| histogram.add(*ns));
        let record = reduce::latency(&histogram).unwrap();
        let mut one = measured("File stat", 100, 0.5);
        one.phase.as_mut().unwrap().latency = Some(record.clone());
        let run = Results { ranks: 2, items: 100, iterations: vec![vec![one]] };
        let text = of_latencies(&[run], 1);
        let shown = latency::columns(&record);
        assert!(
            text.lines().last().unwrap().starts_with(&format!("assay: {:<14}{shown}", "st-file")),
            "{text}"
        );
        // The middle of its bucket, whose lower bound is 63.7.
        assert!(shown.trim_start().starts_with("63.9 us"), "{shown}");
    }

    #[test]
    fn directories_that_a_deadline_stopped_are_reported() {
        let mut one = measured("Directory creation", 100, 0.5);
        let wall =
            Stonewall { deadline_s: 2.0, transfers_min: 90, transfers_max: 100, ..Stonewall::default() };
        let phase = one.phase.as_mut().unwrap();
        (phase.stonewall, phase.ranks) = (Some(wall), 2);
        let run = Results { ranks: 2, items: 1000, iterations: vec![vec![one]] };
        assert_eq!(
            of_faults(&[run], &[]),
            "assay: mk-dir, iteration 0: stopped after 2 s at 90 to 100 items per rank; \
             all continued to 100\n"
        );
    }

    #[test]
    fn failures_and_wrong_data_are_always_reported() {
        let text = of_faults(
            &[run(|phase| {
                let first = FailedOperation {
                    rank: 1,
                    operation: "mkdir".into(),
                    path: "d/x".into(),
                    why: "No space left".into(),
                };
                phase.ops = 197;
                phase.failed = Some(Failed {
                    operations: 3,
                    reasons: vec![("No space left".into(), 2), ("Permission denied".into(), 1)],
                    first: vec![first],
                });
                let bad = BadRange { rank: 1, path: "f".into(), offset: 8, length: 8, ..BadRange::default() };
                let bad = vec![bad];
                phase.check =
                    Some(Check { bytes: 1024, bad_transfers: 1, ranges: 3, bad, ..Check::default() });
            })],
            &["so".to_owned()],
        );
        assert_eq!(
            text,
            "assay: st-file, iteration 0: 3 of 200 operations failed: \
             2 No space left, 1 Permission denied\n\
             assay:   rank 1: mkdir d/x: No space left\nassay:   ... and more\n\
             assay: st-file, iteration 0: 1.00 Ki bytes compared, 1 files WRONG\n\
             assay:   rank 1: f at 8: 8 bytes wrong, expected , found \nassay:   ... and 2 more ranges\n\
             assay: warning: so\n"
        );
    }
}
