//! The page of a campaign that runs: the view of `assay watch` as HTML.
//!
//! Invariant: it shows what the view shows, in the same words.
//! Never here: reading the campaign.

use report::document::{Cell, Fact, ServedDocument, ServedProgress, Table, Tone};
use results::Outcome;
use units::several;

use super::navigation;
use crate::commands::watch::shown::{CampaignShown, ClauseShown, ClauseStanding};

/// After this time a browser loads the page again, seconds.
const REFRESH_S: u32 = 3;
/// The same for a campaign that does not run any more, or that needs a person.
const REFRESH_SLOWLY_S: u32 = 30;
/// The most clauses and running jobs of the page.
const ROWS_MAX: usize = 1000;

/// The page of a campaign that has not ended.
pub(super) fn page(shown: &CampaignShown) -> ServedDocument {
    let tone = if shown.needs_care { Tone::Inconclusive } else { Tone::Plain };
    let title = if shown.title.is_empty() { &shown.folder } else { &shown.title };
    let jobs = (!shown.running.is_empty()).then(|| running(shown));
    ServedDocument {
        title: title.clone(),
        kind: "assay: a campaign that has not ended".to_owned(),
        navigation: navigation(),
        refresh_s: Some(if shown.needs_care { REFRESH_SLOWLY_S } else { REFRESH_S }),
        state: Some(Cell::new(&shown.state).toned(tone)),
        progress: (shown.jobs.1 > 0).then(|| progress(shown)),
        facts: vec![Fact::of("Folder", Cell::literal(&shown.folder))],
        tables: jobs.into_iter().chain((!shown.clauses.is_empty()).then(|| clauses(shown))).collect(),
        warnings: shown.warnings.iter().rev().cloned().collect(),
        footer: "This page loads itself again. A verdict so far may change with later jobs.".to_owned(),
    }
}

fn progress(shown: &CampaignShown) -> ServedProgress {
    let (done, of) = shown.jobs;
    let words = format!("{done} of {}", several(of as u64, "job"));
    let left = shown.time_left();
    let words = if left.is_empty() { words } else { format!("{words}, {left}") };
    ServedProgress { done, of, words }
}

fn running(shown: &CampaignShown) -> Table {
    let mut table = Table::new("Running now", "Job | ~Progress");
    for job in shown.running.iter().take(ROWS_MAX) {
        let parts = job.parts();
        let (name, rest) = parts.split_first().map_or((String::new(), &[][..]), |(a, b)| (a.clone(), b));
        table.row([Cell::literal(name), Cell::new(rest.join(", "))]);
    }
    table.note = left_out(shown.running.len(), "job");
    table
}

fn clauses(shown: &CampaignShown) -> Table {
    let columns = "Clause | Verdict so far | >Value | >Repetitions | ~Criterion";
    let mut table = Table::new("Clauses", columns);
    for clause in shown.clauses.iter().take(ROWS_MAX) {
        let ClauseShown { test, criterion, value, standing, repetitions: (ended, of), .. } = clause;
        table.row([
            Cell::literal(test),
            Cell::new(standing.words()).toned(tone(*standing)),
            Cell::new(value),
            Cell::new(format!("{ended}/{of}")),
            Cell::new(criterion),
        ]);
    }
    table.note = left_out(shown.clauses.len(), "clause");
    table
}

/// How many rows do not fit; empty if all fit.
fn left_out(count: usize, noun: &str) -> String {
    match count.saturating_sub(ROWS_MAX) {
        0 => String::new(),
        more => format!("Not shown: {more} more. In total there are {}.", several(count as u64, noun)),
    }
}

fn tone(standing: ClauseStanding) -> Tone {
    match standing.outcome() {
        Some(Outcome::Pass) => Tone::Pass,
        Some(Outcome::Fail) => Tone::Fail,
        Some(Outcome::Inconclusive) => Tone::Inconclusive,
        Some(Outcome::Invalid) => Tone::Invalid,
        Some(Outcome::NotRun) => Tone::NotRun,
        None => Tone::Plain,
    }
}
