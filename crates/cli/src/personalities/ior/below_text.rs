//! The lines below the classic output: percentiles, stragglers, wrong data, page-cache residency.
//!
//! They follow `Finished`. None begins with a word that readers of the classic output search for.

use results::record::Phase;
use units::{duration, rate_binary};

use super::shown::{ShownTest, name_of};
use crate::personalities::latency;

/// A slowest rank below this share of the median rate is marked.
const SLOW: f64 = 0.8;

/// The lines, followed by the `warnings`; empty if there is nothing to report.
pub(crate) fn lines(tests: &[ShownTest], warnings: &str) -> String {
    let phases: Vec<NumberedPhase<'_>> = tests.iter().flat_map(|test| named(test, tests.len() > 1)).collect();
    if phases.is_empty() {
        return warnings.to_owned();
    }
    let mut text = latencies(&phases);
    if tests.iter().any(|test| test.parameters().verbose > 0) {
        text.push_str(&whole(&phases));
    }
    for NumberedPhase { test, phase } in phases {
        if let Some(check) = &phase.check {
            let test = test.map_or_else(String::new, |test| format!("test {test}, "));
            let name = name(phase);
            let bytes = units::bytes_binary(check.bytes as f64);
            let verdict = match check.bad_transfers {
                0 => "all as written".to_owned(),
                bad => format!("{bad} transfers WRONG"),
            };
            text.push_str(&format!(
                "assay: {test}{name}, iter {}: {bytes} compared, {verdict}\n",
                phase.repetition
            ));
        }
    }
    text + warnings
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
        format!("  {test}{:<12} {:>4}", name(self.phase), self.phase.repetition)
    }
}

fn named(test: &ShownTest, of_several: bool) -> impl Iterator<Item = NumberedPhase<'_>> {
    let number = of_several.then(|| test.parameters().test);
    test.phases.iter().map(move |phase| NumberedPhase { test: number, phase })
}

/// The headings of the first columns.
fn headings(phases: &[NumberedPhase<'_>]) -> String {
    let test = if phases.iter().any(|named| named.test.is_some()) { "test " } else { "" };
    format!("  {test}{:<12} {:>4}", "phase", "iter")
}

fn latencies(phases: &[NumberedPhase<'_>]) -> String {
    let mut text = format!(
        "\nassay: latency of single transfers over all ranks\n\
         {}{}  slowest rank (median of all)\n",
        headings(phases),
        latency::headings(),
    );
    for named in phases {
        let phase = named.phase;
        let Some(latency) = &phase.latency else { continue };
        text.push_str(&(named.columns() + &latency::columns(latency)));
        let balance = &phase.balance;
        let mark = if balance.slowest_rate < SLOW * balance.median_rate { "  <- slow" } else { "" };
        text.push_str(&format!(
            "  {} on {}: {} ({}){mark}\n",
            balance.slowest_rank,
            balance.slowest_node,
            rate_binary(balance.slowest_rate),
            rate_binary(balance.median_rate)
        ));
    }
    text
}

/// The name of a phase in these lines.
fn name(phase: &Phase) -> String {
    name_of(&phase.phase)
        .filter(|name| name.starts_with("mix"))
        .map_or(phase.phase.replace('_', " "), str::to_owned)
}

/// With `-v`: the extremes and the mean of the same latencies, and the conditions of the measurement.
fn whole(phases: &[NumberedPhase<'_>]) -> String {
    let mut text = format!(
        "assay: the same, with the conditions of the measurement\n{} {:>10} {:>10} {:>10} {:>10}\n",
        headings(phases),
        "transfers",
        "min",
        "mean",
        "depth"
    );
    for named in phases {
        let phase = named.phase;
        let Some(latency) = &phase.latency else { continue };
        text.push_str(&format!(
            "{} {:>10} {:>10} {:>10} {:>10}",
            named.columns(),
            latency.count,
            duration(latency.min_ns as f64 * 1e-9),
            duration(latency.mean_ns * 1e-9),
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
    fn with_v_the_mean_depth_ramp_and_rate_limit_are_printed() {
        let of = |verbose| {
            let mut test = shown(|parameters| parameters.verbose = verbose);
            let mut limited = phase("mixed_read", 1);
            (limited.depth, limited.ramp_s, limited.rate_limit) = (16, 2.0, Some(1500.0));
            test.phases = vec![phase("write_check", 0), limited];
            lines(&[test], "")
        };
        let (short, long) = (of(0), of(1));
        assert!(
            short.contains("\n  write check     0 ") && short.contains("\n  mix-read        1 "),
            "{short}"
        );
        assert!(!short.contains("depth") && long.starts_with(&short), "{long}");
        let row = long.lines().last().unwrap();
        assert!(
            row.contains(" 2.00 ms         16  after a ramp of 2.00 s  at most 1.50 k transfers/s"),
            "{row}"
        );
    }
}
