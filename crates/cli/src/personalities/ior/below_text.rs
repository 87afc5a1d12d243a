//! The own lines below the classic output: percentiles, stragglers and wrong data. They follow `Finished`.

use results::record::Phase;
use units::duration;

use super::shown::ShownTest;
use crate::personalities::latency;
use crate::personalities::own_lines::{self, kept, own_lines, phase_name};

/// A slowest rank below this share of the median rate is marked.
const SLOW: f64 = 0.8;

/// The own lines; empty if there is nothing to report.
pub(crate) fn lines(tests: &[ShownTest]) -> String {
    let phases: Vec<NumberedPhase<'_>> = tests.iter().flat_map(|test| named(test, tests.len() > 1)).collect();
    if phases.is_empty() {
        return String::new();
    }
    let mut text = latencies(&phases);
    if tests.iter().any(|test| test.parameters().verbose > 0) {
        text.push_str(&whole(&phases));
    }
    for NumberedPhase { test, phase } in phases {
        let test = test.map_or_else(String::new, |test| format!("test {test}, "));
        if let Some(sync) = &phase.sync {
            text.push_str(&format!("{test}iter {}: {}\n", phase.repetition, sync.text()));
        }
        if let Some(check) = &phase.check {
            let name = phase_name(&phase.phase);
            let bytes = units::bytes_binary(check.bytes as f64);
            let verdict = match check.bad_transfers {
                0 => "all as written".to_owned(),
                bad => format!("{bad} transfers WRONG"),
            };
            text.push_str(&format!("{test}{name}, iter {}: {bytes} compared, {verdict}\n", phase.repetition));
        }
    }
    own_lines(&text)
}

/// A phase, with the number of its test if there are several tests.
struct NumberedPhase<'a> {
    test: Option<u32>,
    phase: &'a Phase,
}

impl NumberedPhase<'_> {
    /// The first columns of its row.
    fn columns(&self) -> String {
        let test = self.test.map_or_else(String::new, |test| format!("{test:>4} "));
        format!("{test}{:<8} {:>4}", phase_name(&self.phase.phase), self.phase.repetition)
    }
}

fn named(test: &ShownTest, of_several: bool) -> impl Iterator<Item = NumberedPhase<'_>> {
    let number = of_several.then(|| test.parameters().test);
    test.phases.iter().map(move |phase| NumberedPhase { test: number, phase })
}

/// The headings of the first columns.
fn headings(phases: &[NumberedPhase<'_>]) -> String {
    let test = if phases.iter().any(|named| named.test.is_some()) { "test " } else { "" };
    format!("{test}{:<8} {:>4}", "phase", "iter")
}

fn latencies(phases: &[NumberedPhase<'_>]) -> String {
    let mut text = format!(
        "latency of single transfers over all ranks\n{}{}  slowest rank (share of the median rate)\n",
        headings(phases),
        latency::headings(),
    );
    for named in phases {
        let phase = named.phase;
        let Some(latency) = &phase.latency else { continue };
        text.push_str(&(named.columns() + &latency::columns(latency)));
        let balance = &phase.balance;
        let mark = if balance.slowest_rate < SLOW * balance.median_rate { "  <- slow" } else { "" };
        let share = if balance.median_rate > 0.0 { balance.slowest_rate / balance.median_rate } else { 1.0 };
        text.push_str(&format!(
            "  {} on {}: {:.0} %{mark}\n",
            balance.slowest_rank,
            kept(&balance.slowest_node),
            share * 100.0
        ));
    }
    text
}

/// With `-v`: the extremes and the mean of the same latencies, and the conditions of the measurement. The
/// rates are those of the slowest and of the median rank.
fn whole(phases: &[NumberedPhase<'_>]) -> String {
    let mut text = format!(
        "the same, with rates in bytes a second and the conditions of the measurement\n{}",
        headings(phases)
    );
    for heading in ["transfers", "min", "mean", "slowest", "median", "depth"] {
        text.push_str(&format!(" {heading:>10}"));
    }
    text.push('\n');
    for named in phases {
        let phase = named.phase;
        let Some(latency) = &phase.latency else { continue };
        text.push_str(&format!(
            "{} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            named.columns(),
            latency.count,
            duration(latency.min_ns as f64 * 1e-9),
            duration(latency.mean_ns * 1e-9),
            own_lines::bytes(phase.balance.slowest_rate),
            own_lines::bytes(phase.balance.median_rate),
            phase.depth
        ));
        if phase.ramp_s > 0.0 {
            text.push_str(&format!("  after a ramp of {}", duration(phase.ramp_s)));
        }
        if let Some(limit) = phase.rate_limit {
            let limit = units::count(limit);
            text.push_str(&format!("  at most {limit} transfers/s, each timed from its planned start"));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::shown::tests::{phase, shown};
    use super::*;

    #[test]
    fn with_v_the_mean_rates_depth_ramp_and_rate_limit_are_printed() {
        let of = |verbose| {
            let mut test = shown(|parameters| parameters.verbose = verbose);
            let mut limited = phase("mixed_read", 1);
            (limited.depth, limited.ramp_s, limited.rate_limit) = (16, 2.0, Some(1500.0));
            (limited.balance.slowest_rate, limited.balance.median_rate) = (512.0, 1024.0);
            test.phases = vec![phase("write_check", 0), limited];
            lines(&[test])
        };
        let (short, long) = (of(0), of(1));
        assert!(
            short.contains("\nassay: wr-check    0 ") && short.contains("\nassay: mix-rd      1 "),
            "{short}"
        );
        assert!(short.ends_with("  0 on n0: 50 %  <- slow\n"), "{short}");
        assert!(!short.contains("depth") && long.starts_with(&short), "{long}");
        let row = long.lines().last().unwrap();
        assert!(row.contains(" 2.00 ms        512    1.00 Ki         16  after a ramp of 2.00 s  "), "{row}");
        assert!(row.contains("  at most 1.50 k transfers/s"), "{row}");
    }

    #[test]
    fn every_line_begins_with_assay() {
        let mut test = shown(|parameters| parameters.verbose = 1);
        test.phases = vec![phase("write", 0), phase("read_check", 0)];
        let text = lines(&[test]);
        assert!(text.lines().count() > 4 && text.lines().all(|line| line.starts_with("assay: ")), "{text}");
    }
}
