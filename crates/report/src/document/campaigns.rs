//! The index of many campaigns: a line for each, and for each plan a table of its clauses over the campaigns.
//!
//! Invariant: every campaign that was given has a line, also one that cannot be read. It states its evidence
//! beside its result.
//! Never here: reading folders, layout.

use std::collections::BTreeMap;

use results::folder::Head;
use results::reason::{Code, Reason, reason};
use results::{Outcome, Verdict};
use units::several;

use super::comparison::overall_cell;
use super::words::{
    grouped, hash_cell, known_cell, link_to, or_none, seconds_of, test_and_clause, time, tone_of,
};
use super::{Cell, Table, Tone};
use crate::sentences;

/// The most campaigns of a table of clauses. It has the last ones.
const COLUMNS_MAX: usize = 60;
/// The most clauses of a table.
const ROWS_MAX: usize = 500;

/// A folder or archive that was given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexEntry {
    /// Its path, as the user typed it.
    pub name: String,
    /// The path of its report from the index, if it has one.
    pub report: Option<String>,
    /// The campaign; absent if it cannot be read.
    pub campaign: Option<IndexedCampaign>,
    /// Why it cannot be read.
    pub error: String,
}

/// The facts of a campaign that the index shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexedCampaign {
    /// The id of its plan.
    pub plan: String,
    /// The title of its plan.
    pub title: String,
    /// Its start, RFC 3339.
    pub started: String,
    /// The machine and its file systems.
    pub system: String,
    /// Program and version.
    pub tool: String,
    /// What checking its evidence found.
    pub evidence: Reason,
    /// Whether its evidence allows to use its values.
    pub is_usable: bool,
    /// Its evidence hash.
    pub head: Option<Head>,
    /// Whether a finding is an error, or needs a waiver that is not approved.
    pub has_open_findings: bool,
    /// Its verdicts, as derived again.
    pub verdicts: Vec<Verdict>,
}

/// A sentence about the evidence of all campaigns, and the tables. First is what cannot be read, then the
/// campaigns by their starts, those that are not verified, and the clauses of each plan.
pub(crate) fn campaign_index(entries: &[IndexEntry]) -> (String, Vec<Table>) {
    let mut read: Vec<(&IndexEntry, &IndexedCampaign)> =
        entries.iter().filter_map(|entry| Some((entry, entry.campaign.as_ref()?))).collect();
    read.sort_by(|(_, one), (_, other)| {
        let at = |campaign: &IndexedCampaign| seconds_of(&campaign.started).unwrap_or(0.0);
        at(one).total_cmp(&at(other)).then_with(|| one.started.cmp(&other.started))
    });
    let intact = read.iter().filter(|(_, one)| is_verified(one)).count();
    let all = several(entries.len() as u64, "campaign");
    let unverified = unverified(&read).unless_empty();
    let tables = unread(entries).unless_empty().into_iter().chain([campaigns(&read)]);
    let tables = tables.chain(unverified).chain(plans(&read));
    let unread_count = entries.len() - read.len();
    let result = format!("{all}: the evidence of {intact} is intact, {unread_count} cannot be read.");
    (result, tables.collect())
}

fn campaigns(read: &[(&IndexEntry, &IndexedCampaign)]) -> Table {
    let columns = ">No. | Result | Folder | Started | Plan | >PASS | >FAIL | >INCONCLUSIVE | >INVALID | >NOT \
                   RUN | Verified | Evidence hash | ~System | Program";
    let mut table = Table::new("Campaigns", columns);
    table.note =
        "A folder links to its report. An archive, or a folder without a report, has no link.".into();
    for (number, (entry, one)) in (1..).zip(read) {
        let verdicts = one.shown_verdicts();
        let mut cells = vec![
            Cell::new(number.to_string()),
            one.overall(),
            folder_cell(entry),
            Cell::new(time(&one.started)),
            Cell::literal(or_none(&one.plan)).full(or_none(&one.title)),
        ];
        cells.extend(outcome_counts(verdicts.iter().map(|verdict| verdict.outcome)));
        let hash = one.head.as_ref().map_or_else(|| Cell::new("–"), |head| hash_cell(&head.hash));
        cells.extend([
            verified_cell(one),
            hash,
            Cell::new(or_none(&one.system)),
            Cell::new(or_none(&one.tool)),
        ]);
        table.row(cells);
    }
    table
}

/// The folder, with a link to its report.
fn folder_cell(entry: &IndexEntry) -> Cell {
    let cell = Cell::literal(&entry.name);
    match &entry.report {
        Some(report) => cell.linked(link_to(report)),
        None => cell,
    }
}

fn is_verified(one: &IndexedCampaign) -> bool {
    one.evidence.code == Code::EvidenceIntact
}

/// Whether the evidence of a campaign is intact.
pub(super) fn verified_cell(one: &IndexedCampaign) -> Cell {
    let (verified, tone) = match one.evidence.code {
        Code::EvidenceIntact => ("yes", Tone::Pass),
        _ if one.is_usable => ("no", Tone::Inconclusive),
        _ => ("no", Tone::Fail),
    };
    Cell::new(verified).toned(tone)
}

fn unverified(read: &[(&IndexEntry, &IndexedCampaign)]) -> Table {
    let others = (1..).zip(read).filter(|(_, (_, one))| !is_verified(one));
    let rows = others.map(|(number, (entry, one))| {
        let evidence = Cell::new(sentences::explained(&one.evidence));
        [Cell::new(number.to_string()), folder_cell(entry), evidence]
    });
    Table::with_rows("Campaigns that are not verified", ">No. | Folder | ~Evidence", rows)
}

/// The number of each outcome, in the order of the columns PASS, FAIL, INCONCLUSIVE, INVALID, NOT RUN.
pub(super) fn outcome_counts(outcomes: impl Iterator<Item = Outcome> + Clone) -> [Cell; 5] {
    use Outcome::{Fail, Inconclusive, Invalid, NotRun, Pass};
    [Pass, Fail, Inconclusive, Invalid, NotRun].map(|outcome| {
        let count = outcomes.clone().filter(|one| *one == outcome).count();
        Cell::new(count.to_string()).toned(if count > 0 { tone_of(outcome) } else { Tone::Plain })
    })
}

impl IndexedCampaign {
    /// The verdicts on the clauses that are shown. If the evidence is not intact, all of them are INVALID.
    pub(super) fn shown_verdicts(&self) -> Vec<Verdict> {
        let mut verdicts = Verdict::of_clauses(&self.verdicts);
        for verdict in verdicts.iter_mut().filter(|_| !self.is_usable) {
            (verdict.outcome, verdict.value) = (Outcome::Invalid, None);
        }
        verdicts
    }

    pub(super) fn overall(&self) -> Cell {
        let worst = if self.is_usable { Verdict::worst(&self.verdicts) } else { Outcome::Invalid };
        overall_cell(worst, self.has_open_findings)
    }
}

fn unread(entries: &[IndexEntry]) -> Table {
    let unread = entries.iter().filter(|entry| entry.campaign.is_none());
    let rows = unread.map(|entry| {
        let why = sentences::sentence(&reason!(EvidenceUnreadable { error: &entry.error }));
        [Cell::literal(&entry.name), Cell::new(why)]
    });
    Table::with_rows("Folders that cannot be read", "Folder | ~Reason", rows)
}

/// A table for each plan, in the order of its first campaign.
fn plans(read: &[(&IndexEntry, &IndexedCampaign)]) -> Vec<Table> {
    let by_plan = grouped((1..).zip(read).map(|(number, (_, one))| (one.plan.as_str(), (number, *one))));
    by_plan.iter().map(|(plan, all)| clauses(plan, all)).collect()
}

/// A clause: test, metric, and its number among the criteria of the metric.
type ClauseKey = (String, String, usize);

/// The last verdict on a clause, and its cell for each campaign.
type ClauseCells = (Verdict, Vec<Option<Cell>>);

/// The clauses of a plan over its campaigns: outcome and value.
fn clauses(plan: &str, all: &[(usize, &IndexedCampaign)]) -> Table {
    let campaigns = &all[all.len().saturating_sub(COLUMNS_MAX)..];
    // Only the characters of a date, because a heading must not contain the separator of headings.
    let day = |one: &IndexedCampaign| {
        let day = one.started.chars().take(10).filter(|c| c.is_ascii_digit() || *c == '-');
        day.collect::<String>()
    };
    let headings: Vec<String> =
        campaigns.iter().map(|(number, one)| format!("{number}: {}", day(one))).collect();
    let headings = headings.join(" | ");
    let mut table = Table::new(
        &format!("Clauses of {}", or_none(plan)),
        &format!("~Clause | Metric | Criterion of the last campaign | {headings}"),
    );
    let mut keys: Vec<ClauseKey> = Vec::new();
    let mut cells: BTreeMap<ClauseKey, ClauseCells> = BTreeMap::new();
    for (column, (_, one)) in campaigns.iter().enumerate() {
        let mut numbers: BTreeMap<(String, String), usize> = BTreeMap::new();
        for verdict in one.shown_verdicts() {
            // The criteria of a clause of the contract may change.
            let metric = if verdict.contract_clause.is_some() { "" } else { &verdict.metric };
            let name = (verdict.test.clone(), metric.to_owned());
            let number = numbers.entry(name.clone()).and_modify(|number| *number += 1).or_insert(1);
            let key = (name.0, name.1, *number);
            let (last, row) = cells.entry(key.clone()).or_insert_with(|| {
                keys.push(key);
                (verdict.clone(), vec![None; campaigns.len()])
            });
            let value = known_cell(verdict.value, &verdict.unit);
            let text = format!("{} {}", verdict.outcome, value.text);
            let full = value.full.unwrap_or_default();
            row[column] = Some(Cell::new(text).full(full).toned(tone_of(verdict.outcome)));
            *last = verdict;
        }
    }
    for key in keys.iter().take(ROWS_MAX) {
        let (last, row) = &cells[key];
        let words = test_and_clause(&last.test, &last.clause);
        let mut line = vec![Cell::new(words), Cell::literal(&last.metric), Cell::new(&last.criterion)];
        line.extend(row.iter().map(|cell| cell.clone().unwrap_or_else(|| Cell::new("–"))));
        table.row(line);
    }
    let more = [all.len() - campaigns.len(), keys.len().saturating_sub(ROWS_MAX)];
    if more != [0, 0] {
        table.note = format!("Not shown: {} earlier campaigns, {} more clauses.", more[0], more[1]);
    }
    table
}
