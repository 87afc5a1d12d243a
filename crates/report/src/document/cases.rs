//! Tables of the cases of a conformance suite.
//!
//! Invariant: every case that failed has a row with its evidence. The counts include every case.
//! Never here: what the outcomes mean for a clause. Verdicts state that.

use std::collections::BTreeMap;

use results::folder::Job;
use results::record::{Case, CaseOutcome, cases};

use super::words::{count_cell, or_none};
use super::{Cell, Table, Tone};

pub(super) fn tables(jobs: &[&Job]) -> Vec<Table> {
    let all = [groups(jobs), failed(jobs), others(jobs)];
    all.into_iter().filter_map(Table::unless_empty).collect()
}

/// The number of cases by group and outcome.
fn groups(jobs: &[&Job]) -> Table {
    let outcomes = CaseOutcome::ALL.map(|outcome| format!(" | >{}", outcome.word())).concat();
    let mut table = Table::new("Cases by group", &format!("Group | >Repetition{outcomes}"));
    for job in jobs {
        let mut groups: BTreeMap<&str, [u64; CaseOutcome::ALL.len()]> = BTreeMap::new();
        let mut all = [0; CaseOutcome::ALL.len()];
        for case in cases(&job.records) {
            let column = CaseOutcome::ALL.iter().position(|outcome| *outcome == case.outcome).unwrap_or(0);
            groups.entry(case.group()).or_default()[column] += 1;
            all[column] += 1;
        }
        let mut row = |name: &str, counts: &[u64]| {
            let cells = counts.iter().zip(CaseOutcome::ALL).map(|(count, outcome)| match outcome {
                CaseOutcome::Fail if *count > 0 => count_cell(*count).toned(Tone::Fail),
                _ => count_cell(*count),
            });
            let name = [Cell::new(name), Cell::new(job.info.repetition.to_string())];
            table.row(name.into_iter().chain(cells));
        };
        groups.iter().for_each(|(name, counts)| row(name, counts));
        if groups.len() > 1 {
            row("all", &all);
        }
    }
    table
}

/// Each case that failed, with its evidence.
fn failed(jobs: &[&Job]) -> Table {
    let all = jobs.iter().flat_map(|job| cases(&job.records).map(move |case| (job, case)));
    let rows = all.filter_map(|(job, case)| {
        let tone = match case.outcome {
            CaseOutcome::Fail => Tone::Fail,
            CaseOutcome::Library | CaseOutcome::Undecided => Tone::Plain,
            CaseOutcome::Pass | CaseOutcome::Unsupported | CaseOutcome::Skipped => return None,
        };
        Some([
            Cell::literal(&case.name),
            Cell::new(job.info.repetition.to_string()),
            Cell::new(case.outcome.word()).toned(tone),
            Cell::new(format!("{} ({})", case.promise, case.document)),
            Cell::new(format!("{} of {}", case.failed_ranks.max(1), case.ranks)),
            Cell::new(or_none(&evidence_of(case))),
        ])
    });
    let headings = "Case | >Repetition | Outcome | ~Promise | >Ranks failed | ~Evidence";
    Table::with_rows("Cases that failed or are undecided", headings, rows).noted(
        "The outcome `library` is a known failure of this release of the MPI library, with its reason. It \
         says nothing about the file system. The outcome `undecided` is a case whose time limit passed \
         before the promise was seen to be kept or broken.",
    )
}

/// What was seen, on which rank, and why the case did not pass.
fn evidence_of(case: &Case) -> String {
    let mut parts = Vec::new();
    if let Some(seen) = &case.evidence {
        let node = if seen.node.is_empty() { String::new() } else { format!(" (node {})", seen.node) };
        parts.push(format!("rank {}{node}, at {}: {}", seen.rank, seen.step, seen.what));
        if !seen.path.is_empty() {
            let at = seen.offset.map_or(String::new(), |offset| format!(" at {offset} B"));
            parts.push(format!("{}{at}", seen.path));
        }
        if !(seen.expected.is_empty() && seen.found.is_empty()) {
            parts.push(format!("expected {}, found {}", seen.expected, seen.found));
        }
    }
    if !case.why.is_empty() {
        parts.push(case.why.clone());
    }
    parts.join("; ")
}

/// Cases that were not run or are not supported, by reason.
fn others(jobs: &[&Job]) -> Table {
    let headings = "Outcome | >Repetition | ~Reason | >Cases | First case";
    let mut table = Table::new("Cases not run or not supported, by reason", headings);
    for job in jobs {
        let mut reasons: BTreeMap<(CaseOutcome, &str), (u64, &str)> = BTreeMap::new();
        for case in cases(&job.records)
            .filter(|case| matches!(case.outcome, CaseOutcome::Unsupported | CaseOutcome::Skipped))
        {
            reasons.entry((case.outcome, &case.why)).or_insert((0, &case.name)).0 += 1;
        }
        for ((outcome, why), (count, first)) in reasons {
            let repetition = Cell::new(job.info.repetition.to_string());
            let why = Cell::new(or_none(why));
            table.row([Cell::new(outcome.word()), repetition, why, count_cell(count), Cell::literal(first)]);
        }
    }
    table
}
