//! The own lines below the classic output: percentiles, stragglers, checks and warnings. They follow
//! `Finished`.
//!
//! Invariant: all result formats print the same warnings.

use std::sync::Arc;

use results::record::{Latency, Phase};
use units::{duration, percent, visible};
use workloads::ior::IorEvent;

use crate::personalities::latency;
use crate::personalities::own_lines::{self, compared, own_lines, own_sentence, phase_name};

/// A slowest rank below this share of the median rate is marked.
const SLOW: f64 = 0.8;

/// What the own lines need of the phases so far: a row for each phase, and no record, whose size grows with
/// the ranks.
#[derive(Default)]
pub(super) struct BelowText {
    rows: Vec<PhaseRow>,
    /// The lines about syncs and checks, each with its test.
    others: Vec<(u32, String)>,
    /// The names of phases and nodes, each once.
    texts: Vec<Arc<str>>,
    has_phases: bool,
}

/// A phase with transfers.
struct PhaseRow {
    test: u32,
    repetition: u32,
    name: Arc<str>,
    /// Without buckets.
    latency: Latency,
    slowest_rank: u32,
    slowest_node: Arc<str>,
    slowest_rate: f64,
    median_rate: f64,
    depth: u32,
    ramp_s: f64,
    rate_limit: Option<f64>,
}

impl BelowText {
    /// Takes what is printed of a phase.
    pub(super) fn add(&mut self, phase: &Phase) {
        self.has_phases = true;
        if let Some(latency) = &phase.latency {
            let (name, slowest_node) =
                (self.shared(&phase_name(&phase.phase)), self.shared(&phase.balance.slowest_node));
            self.rows.push(PhaseRow {
                test: phase.test,
                repetition: phase.repetition,
                name,
                latency: Latency { buckets: Vec::new(), ..*latency },
                slowest_rank: phase.balance.slowest_rank,
                slowest_node,
                slowest_rate: phase.balance.slowest_rate,
                median_rate: phase.balance.median_rate,
                depth: phase.depth,
                ramp_s: phase.ramp_s,
                rate_limit: phase.rate_limit,
            });
        }
        if let Some(sync) = &phase.sync {
            self.others.push((phase.test, format!("iter {}: {}\n", phase.repetition, sync.text())));
        }
        if let Some(check) = &phase.check {
            let (name, result) = (phase_name(&phase.phase), compared(check, "transfers"));
            self.others.push((phase.test, format!("{name}, iter {}: {result}\n", phase.repetition)));
        }
    }

    /// The same text, kept once.
    fn shared(&mut self, text: &str) -> Arc<str> {
        let known = self.texts.iter().find(|known| &***known == text);
        known.cloned().unwrap_or_else(|| {
            let new: Arc<str> = text.into();
            self.texts.push(Arc::clone(&new));
            new
        })
    }

    /// The own lines; empty if there is nothing to report. The number of the test is shown if there are
    /// several.
    pub(super) fn lines(&self, of_several: bool, verbose: bool) -> String {
        if !self.has_phases {
            return String::new();
        }
        let mut text = latencies(&self.rows, of_several);
        if verbose {
            text.push_str(&whole(&self.rows, of_several));
        }
        for (test, line) in &self.others {
            let test = if of_several { format!("test {test}, ") } else { String::new() };
            text.push_str(&(test + line));
        }
        own_lines(&text)
    }
}

impl PhaseRow {
    /// Its first columns.
    fn columns(&self, of_several: bool) -> String {
        let test = if of_several { format!("{:>4} ", self.test) } else { String::new() };
        format!("{test}{:<8} {:>4}", self.name, self.repetition)
    }
}

/// The headings of the first columns.
fn headings(of_several: bool) -> String {
    let test = if of_several { "test " } else { "" };
    format!("{test}{:<8} {:>4}", "phase", "iter")
}

fn latencies(rows: &[PhaseRow], of_several: bool) -> String {
    let mut text = format!(
        "latency of single transfers over all ranks\n{}{}  slowest rank (share of the median rate)\n",
        headings(of_several),
        latency::headings(),
    );
    for row in rows {
        text.push_str(&(row.columns(of_several) + &latency::columns(&row.latency)));
        let mark = if row.slowest_rate < SLOW * row.median_rate { "  <- slow" } else { "" };
        let share = if row.median_rate > 0.0 { row.slowest_rate / row.median_rate } else { 1.0 };
        text.push_str(&format!(
            "  {} on {}: {}{mark}\n",
            row.slowest_rank,
            visible(&row.slowest_node),
            percent(share, 0)
        ));
    }
    text
}

/// With `-v`: the extremes and the mean of the same latencies, and the conditions of the measurement. The
/// rates are those of the slowest and of the median rank.
fn whole(rows: &[PhaseRow], of_several: bool) -> String {
    let mut text = format!(
        "the same, with rates in bytes a second and the conditions of the measurement\n{}",
        headings(of_several)
    );
    for heading in ["transfers", "min", "mean", "slowest", "median", "depth"] {
        text.push_str(&format!(" {heading:>10}"));
    }
    text.push('\n');
    for row in rows {
        text.push_str(&format!(
            "{} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            row.columns(of_several),
            row.latency.count,
            duration(row.latency.min_ns as f64 * 1e-9),
            duration(row.latency.mean_ns * 1e-9),
            own_lines::bytes(row.slowest_rate),
            own_lines::bytes(row.median_rate),
            row.depth
        ));
        if row.ramp_s > 0.0 {
            text.push_str(&format!("  after a ramp of {}", duration(row.ramp_s)));
        }
        if let Some(limit) = row.rate_limit {
            let limit = units::count(limit);
            text.push_str(&format!("  at most {limit} transfers/s, each timed from its planned start"));
        }
        text.push('\n');
    }
    text
}

/// The most places that are listed with one warning.
const PLACES_MAX: usize = 8;

/// Consecutive repetitions of one test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RepetitionSpan {
    test: u32,
    first: u32,
    last: u32,
}

/// The warnings of a run.
#[derive(Debug, Default)]
pub(super) struct Warnings {
    all: Vec<(String, Vec<RepetitionSpan>)>,
    /// The current test and repetition.
    now: (u32, u32),
    several_tests: bool,
    several_repetitions: bool,
}

impl Warnings {
    /// Takes the warning of an event.
    pub(super) fn hear(&mut self, event: &IorEvent<'_>) {
        match event {
            IorEvent::Test { test, .. } => {
                self.now = (*test, 0);
                self.several_tests |= *test > 0;
            }
            IorEvent::Repetition { repetition, .. } => {
                self.now.1 = *repetition;
                self.several_repetitions |= *repetition > 0;
            }
            IorEvent::Notice(reason) => self.add(&own_sentence(reason)),
            _ => {}
        }
    }

    fn add(&mut self, text: &str) {
        let (test, now) = self.now;
        let here = RepetitionSpan { test, first: now, last: now };
        let Some((_, places)) = self.all.iter_mut().find(|(known, _)| known == text) else {
            self.all.push((text.to_owned(), vec![here]));
            return;
        };
        match places.last_mut() {
            Some(place) if place.test == test && now.saturating_sub(place.last) <= 1 => place.last = now,
            _ => places.push(here),
        }
    }

    /// A line for each warning. A single test or repetition is not listed.
    pub(super) fn lines(&self) -> String {
        self.all
            .iter()
            .map(|(text, places)| own_lines(&format!("warning: {text}{}", self.named(places))))
            .collect()
    }

    fn named(&self, places: &[RepetitionSpan]) -> String {
        if !self.several_tests && !self.several_repetitions {
            return String::new();
        }
        let one = |place: &RepetitionSpan| {
            let RepetitionSpan { test, first, last } = place;
            let test = if self.several_tests { format!("test {test} ") } else { String::new() };
            let to = if last > first { format!("-{last}") } else { String::new() };
            format!("{test}iter {first}{to}")
        };
        let shown: Vec<String> = places.iter().take(PLACES_MAX).map(one).collect();
        let more = if places.len() > PLACES_MAX { ", ..." } else { "" };
        format!(" ({}{more})", shown.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use workloads::ior::RankPlacement as Where;

    use super::super::shown::tests::phase;
    use super::*;

    fn text(phases: &[Phase]) -> BelowText {
        let mut text = BelowText::default();
        phases.iter().for_each(|phase| text.add(phase));
        text
    }

    #[test]
    fn with_v_the_mean_rates_depth_ramp_and_rate_limit_are_printed() {
        let of = |verbose| {
            let mut limited = phase("mixed_read", 1);
            (limited.depth, limited.ramp_s, limited.rate_limit) = (16, 2.0, Some(1500.0));
            (limited.balance.slowest_rate, limited.balance.median_rate) = (512.0, 1024.0);
            text(&[phase("write_check", 0), limited]).lines(false, verbose)
        };
        let (short, long) = (of(false), of(true));
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
        let text = text(&[phase("write", 0), phase("read_check", 0)]).lines(false, true);
        assert!(text.lines().count() > 4 && text.lines().all(|line| line.starts_with("assay: ")), "{text}");
    }

    fn lines(of: &[(u32, u32)], runs: u32) -> String {
        let mut warnings = Warnings::default();
        for test in 0..runs {
            warnings.hear(&IorEvent::Test { test, place: Where::default(), ranks: 1 });
            for repetition in 0..runs {
                warnings.hear(&IorEvent::Repetition { repetition, signature: 1 });
                if of.contains(&(test, repetition)) {
                    warnings.hear(&IorEvent::Notice(&results::reason!(HintsNotTaken { changed: vec!["w"] })));
                }
            }
        }
        warnings.lines()
    }

    #[test]
    fn each_warning_is_printed_once_with_its_tests_and_repetitions() {
        assert_eq!(lines(&[(0, 0)], 1), "assay: warning: w\n");
        assert_eq!(
            lines(&[(0, 1), (0, 2), (1, 0), (1, 2)], 3),
            "assay: warning: w (test 0 iter 1-2, test 1 iter 0, test 1 iter 2)\n"
        );
        assert_eq!(lines(&[], 2), "");
        let every_other: Vec<(u32, u32)> = (0..20).map(|number| (0, 2 * number)).collect();
        assert!(lines(&every_other, 40).ends_with("test 0 iter 14, ...)\n"));
    }
}
