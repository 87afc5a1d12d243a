//! Answer sheets over campaigns: the tables of a document with their values, and the evidence behind them.
//!
//! Invariant: a value that is not a usable measurement of the plan itself is marked in its own cell, in every
//! format.
//! Never here: finding values, layout.

use std::collections::{BTreeMap, BTreeSet};

use results::Outcome;
use results::answers::{AnswerLine, AnswerSheet, AnsweredCell, AnsweredValue};
use results::folder::Campaign;
use results::reason::{Code, Reason};
use results::statistics::Stat;
use units::several;

use super::build::{anchors, shown_verdicts};
use super::campaigns::{IndexedCampaign, verified_cell};
use super::csv::quoted;
use super::summary::{in_words, target};
use super::words::{NONE, exact, grouped, link_to, or_none, time, tone_of};
use super::{Cell, Table, TableColumn, Tone};
use crate::sentences::campaign::other_values;
use crate::sentences::explained;

/// A campaign whose values fill answer sheets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnsweredCampaign {
    /// The tier or protocol that it measured, or else its folder.
    pub name: String,
    /// The path of its folder or archive, as the user typed it.
    pub folder: String,
    /// The path of its report from the sheet, if it has one.
    pub report: Option<String>,
    /// The source of its plan.
    pub source: String,
    /// How it differs from the plan and from a real system.
    pub limits: CampaignLimits,
    /// The places of its tests in its report.
    pub places: BTreeMap<String, String>,
    /// Its facts.
    pub facts: IndexedCampaign,
    /// Its sheets.
    pub sheets: Vec<AnswerSheet>,
}

/// How a campaign differs from its plan as written and from a real system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CampaignLimits {
    /// Whether it used a scale of the plan.
    pub is_reduced: bool,
    /// Whether its nodes were simulated.
    pub is_simulated: bool,
    /// The values of the plan that it changed, in a sentence; absent if it changed none.
    pub values: Option<String>,
}

impl CampaignLimits {
    /// Those of a campaign whose nodes were real ones or simulated.
    pub fn from_campaign(campaign: &Campaign, is_simulated: bool) -> Self {
        let info = &campaign.info;
        let values = other_values(info.scale.as_deref(), &info.set);
        Self { is_reduced: info.scale.is_some(), is_simulated, values }
    }
}

/// The places of the tests of a campaign in its report, such as `#C.3`.
pub fn places_of_tests(campaign: &Campaign) -> BTreeMap<String, String> {
    let verdicts = shown_verdicts(campaign);
    anchors(campaign, &verdicts).0.into_links()
}

/// Answer sheets, ready for a renderer.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerDocument {
    /// The words above the table.
    pub title: String,
    /// When and with what it was made.
    pub made: String,
    /// The same with the state of the evidence.
    pub result: String,
    /// The sheets.
    sheets: Vec<SheetTable>,
    /// What the cells without a usable value and the projections are, and the campaigns.
    appendix: Vec<Table>,
}

/// A sheet over its campaigns.
#[derive(Clone, Debug, PartialEq)]
struct SheetTable {
    table: Table,
    origins: Vec<RowOrigin>,
}

/// Where a row comes from: the fields that only comma-separated values have.
#[derive(Clone, Debug, PartialEq)]
struct RowOrigin {
    campaign: usize,
    jobs: String,
    remarks: String,
}

/// A mark in a cell, with its meaning.
const MARKS: [(&str, &str); 4] = [
    ("projected", "not measured, but extrapolated"),
    ("reduced", "the campaign used a scale of the plan, not the plan as written"),
    ("simulated nodes", "nodes of one machine"),
    ("as reported", "measured by an external program"),
];

/// The further columns of comma-separated values, after those of the table.
const ORIGIN: [&str; 13] = [
    "Folder",
    "Jobs",
    "Remarks",
    "Plan",
    "Title",
    "Source",
    "Values of the plan",
    "Started",
    "Verified",
    "Evidence",
    "Evidence hash",
    "Program",
    "Sheet made",
];

/// The sheets of all campaigns, or only those with an id. `made` states when and with what.
pub fn answers(campaigns: &[AnsweredCampaign], only: Option<&str>, made: &str) -> AnswerDocument {
    let all = campaigns.iter().enumerate().flat_map(|(at, campaign)| {
        let sheets = campaign.sheets.iter().filter(|sheet| only.is_none_or(|id| sheet.id == id));
        sheets.map(move |sheet| {
            let AnswerSheet { id, title, source, labels, columns, .. } = sheet;
            ((id, title, source, labels, columns), (at, sheet))
        })
    });
    let sheets = grouped(all).into_iter().map(|(_, sheets)| sheet_table(campaigns, &sheets)).collect();
    let intact = campaigns.iter().filter(|one| is_verified(&one.facts.evidence)).count();
    let of = several(campaigns.len() as u64, "campaign");
    let titles: BTreeSet<&str> = campaigns.iter().map(|one| one.facts.title.as_str()).collect();
    AnswerDocument {
        title: format!("Answers: {}", titles.into_iter().collect::<Vec<_>>().join("; ")),
        made: made.to_owned(),
        result: format!("{made} from {of}. The evidence of {intact} is intact."),
        sheets,
        appendix: remarks(campaigns, only).unless_empty().into_iter().chain([evidence(campaigns)]).collect(),
    }
}

impl AnswerDocument {
    /// All tables, the sheets first.
    pub(crate) fn tables(&self) -> impl Iterator<Item = &Table> {
        self.sheets.iter().map(|sheet| &sheet.table).chain(&self.appendix)
    }

    /// The number of sheets. Only one fits into a file of comma-separated values.
    pub fn sheet_count(&self) -> usize {
        self.sheets.len()
    }
}

fn is_verified(evidence: &Reason) -> bool {
    evidence.code == Code::EvidenceIntact
}

/// A column; its heading may have any characters.
fn column(title: &str, numeric: bool, prose: bool) -> TableColumn {
    TableColumn { title: title.to_owned(), numeric, prose }
}

/// One sheet of several campaigns, whose headings are the same.
fn sheet_table(campaigns: &[AnsweredCampaign], sheets: &[(usize, &AnswerSheet)]) -> SheetTable {
    let AnswerSheet { title, source, labels, columns, .. } = sheets[0].1;
    let headings = columns.iter().map(|(title, unit)| match unit.as_str() {
        "" => title.clone(),
        unit => format!("{title} ({unit})"),
    });
    let mut table = Table::new(title, "Campaign");
    table.columns.extend(labels.iter().map(|label| column(label, false, false)));
    table.columns.extend(headings.map(|heading| column(&heading, true, false)));
    table.columns.extend(["Values", "Test"].map(|heading| column(heading, false, false)));
    let mut origins = Vec::new();
    for (at, sheet) in sheets {
        for line in &sheet.lines {
            let campaign = &campaigns[*at];
            table.row(row(campaign, sheet, line));
            let jobs: BTreeSet<&str> =
                values(line).flat_map(|value| &value.jobs).map(String::as_str).collect();
            let remarks =
                remarks_of(campaign, sheet, line).map(|(column, _, why)| format!("{column}: {why}"));
            let remarks = remarks.collect::<Vec<_>>().join(" ");
            let jobs = jobs.into_iter().collect::<Vec<_>>().join(" ");
            origins.push(RowOrigin { campaign: *at, jobs, remarks });
        }
    }
    table.note = note(source, &table);
    SheetTable { table, origins }
}

/// The place in the document, and the meaning of the marks in the table.
fn note(source: &str, table: &Table) -> String {
    let is_used = |mark: &str| {
        let cells = table.rows.iter().flatten();
        cells.filter_map(|cell| cell.text.split_once(" (")).any(|(_, marks)| marks.contains(mark))
    };
    let marks = MARKS.iter().filter(|(mark, _)| is_used(mark)).map(|(mark, is)| format!("{mark}: {is}."));
    let source = Some(source).filter(|source| !source.is_empty()).map(|source| format!("Source: {source}."));
    source.into_iter().chain(marks).collect::<Vec<_>>().join(" ")
}

fn row(campaign: &AnsweredCampaign, sheet: &AnswerSheet, line: &AnswerLine) -> Vec<Cell> {
    let mut cells = vec![Cell::new(&campaign.name)];
    cells.extend(line.labels.iter().map(Cell::new));
    cells.extend(line.cells.iter().map(|cell| match cell {
        AnsweredCell::Fact(fact) => Cell::new(or_none(fact)),
        AnsweredCell::Value(value) => value_cell(campaign, value),
    }));
    cells.push(Cell::new(or_none(&how_all(campaign, sheet, line))));
    let tests = Cell::literal(line.sources.join(", "));
    let link = line.sources.first().and_then(|test| link(campaign, test));
    cells.push(link.into_iter().fold(tests, Cell::linked));
    cells
}

fn values(line: &AnswerLine) -> impl Iterator<Item = &AnsweredValue> {
    line.cells.iter().filter_map(|cell| match cell {
        AnsweredCell::Value(value) => Some(&**value),
        AnsweredCell::Fact(_) => None,
    })
}

/// The link to a test in the report of its campaign.
fn link(campaign: &AnsweredCampaign, test: &str) -> Option<String> {
    let report = link_to(campaign.report.as_ref()?);
    Some(format!("{report}{}", campaign.places.get(test).map_or("", String::as_str)))
}

/// Which of the repetitions the values of a line are of, and which of them are maxima.
fn how_all(campaign: &AnsweredCampaign, sheet: &AnswerSheet, line: &AnswerLine) -> String {
    let usable = values(line).filter(|_| campaign.facts.is_usable);
    let distinct = grouped(usable.filter_map(how).map(|how| (how, ())));
    let how = distinct.into_iter().map(|(how, _)| how).collect::<Vec<_>>().join(", ");
    let is_maximum = |cell: &AnsweredCell| matches!(cell, AnsweredCell::Value(value) if value.is_maximum);
    let maxima = sheet.columns.iter().zip(&line.cells).filter(|(_, cell)| is_maximum(cell));
    let maxima: Vec<&str> = maxima.map(|((title, _), _)| title.as_str()).collect();
    if how.is_empty() || maxima.is_empty() { how } else { format!("{how} (maximum: {})", maxima.join(", ")) }
}

/// Which of the repetitions the value is of; `None` without a value.
fn how(value: &AnsweredValue) -> Option<String> {
    match (value.repetitions, value.repetition) {
        _ if value.value.is_none() => None,
        _ if value.projection.is_some() => Some("projection".to_owned()),
        (n, Some(repetition)) if n > 1 => Some(format!("repetition {repetition} of {n}")),
        (_, None) if value.statistic == Stat::Best.row().word => Some("best repetitions".to_owned()),
        (1, _) => Some("1 repetition".to_owned()),
        (n, _) => Some(format!("{} of {n} repetitions", value.statistic)),
    }
}

/// The number in the unit of the document with its marks, or the outcome that leaves none.
fn value_cell(campaign: &AnsweredCampaign, value: &AnsweredValue) -> Cell {
    let AnsweredValue { test, metric, base_unit, jobs, .. } = value;
    let from = format!("{test} {metric}, jobs: {}", or_none(&jobs.join(" ")));
    let outcome = outcome(campaign, value);
    let Some(base) = value.value.filter(|_| campaign.facts.is_usable) else {
        return Cell::new(outcome.to_string()).toned(tone(outcome)).full(from);
    };
    let limits = &campaign.limits;
    let is_simulated = value.projection.as_ref().map_or(limits.is_simulated, |one| one.is_simulated);
    let marked = [value.projection.is_some(), limits.is_reduced, is_simulated, value.as_reported];
    let marks = MARKS.iter().zip(marked).filter(|(_, is_marked)| *is_marked);
    let failed = (outcome != Outcome::Pass).then(|| outcome.to_string());
    let marks: Vec<String> =
        failed.into_iter().chain(marks.map(|((mark, _), _)| (*mark).to_owned())).collect();
    let number = figures(base / value.unit_value);
    let text = if marks.is_empty() { number } else { format!("{number} ({})", marks.join(", ")) };
    let cell = Cell::new(text).full(format!("{}, {from}", exact(base, base_unit))).toned(tone(outcome));
    link(campaign, test).into_iter().fold(cell, Cell::linked)
}

fn outcome(campaign: &AnsweredCampaign, value: &AnsweredValue) -> Outcome {
    if campaign.facts.is_usable { value.outcome } else { Outcome::Invalid }
}

/// Only cells without a usable value have a tone. A sheet has no verdicts.
fn tone(outcome: Outcome) -> Tone {
    if outcome == Outcome::Pass { Tone::Plain } else { tone_of(outcome) }
}

/// A number with six digits, or all digits of a whole number.
fn figures(number: f64) -> String {
    match number.abs() {
        large if large >= 1e15 => format!("{number:e}"),
        _ if number.fract() == 0.0 => format!("{number}"),
        size => {
            let decimals = (5.0 - size.log10().floor()).clamp(0.0, 15.0) as usize;
            format!("{number:.decimals$}")
        }
    }
}

/// The column, the mark and the explanation of each cell without a usable value, and of each projection.
fn remarks_of<'a>(
    campaign: &'a AnsweredCampaign,
    sheet: &'a AnswerSheet,
    line: &'a AnswerLine,
) -> impl Iterator<Item = (&'a str, Cell, String)> {
    let cells = sheet.columns.iter().zip(&line.cells).filter_map(|((title, _), cell)| match cell {
        AnsweredCell::Value(value) => Some((title.as_str(), &**value)),
        AnsweredCell::Fact(_) => None,
    });
    cells.filter_map(|(title, value)| {
        let outcome = outcome(campaign, value);
        let why = match (&value.projection, &value.reason) {
            _ if !campaign.facts.is_usable => explained(&campaign.facts.evidence),
            (Some(one), _) => {
                let steps: Vec<String> = one.steps.iter().map(|(at, _)| at.to_string()).collect();
                let (from, steps, over) = (&one.from, steps.join(", "), &one.over);
                format!("Projected from {from} ({steps} {over}) to {}: {}.", target(one), in_words(one))
            }
            (None, Some(reason)) => explained(reason),
            (None, None) => return None,
        };
        let mark = if outcome == Outcome::Pass { "projected".to_owned() } else { outcome.to_string() };
        Some((title, Cell::new(mark).toned(tone(outcome)), why))
    })
}

fn remarks(campaigns: &[AnsweredCampaign], only: Option<&str>) -> Table {
    let mut table = Table::new("Cells with remarks", "Campaign | Sheet | ~Row | Column | Mark | ~Why");
    for campaign in campaigns {
        if !campaign.facts.is_usable {
            let [name, all] = [&campaign.name, "all"].map(Cell::new);
            let mark = Cell::new(Outcome::Invalid.to_string()).toned(Tone::Invalid);
            let why = Cell::new(explained(&campaign.facts.evidence));
            table.row([name, all.clone(), all.clone(), all, mark, why]);
            continue;
        }
        for sheet in campaign.sheets.iter().filter(|sheet| only.is_none_or(|id| sheet.id == id)) {
            for line in &sheet.lines {
                for (column, mark, why) in remarks_of(campaign, sheet, line) {
                    let row = line.labels.join(", ");
                    let [name, id, row, column] = [&campaign.name, &sheet.id, &row, column].map(Cell::new);
                    table.row([name, id, row, column, mark, Cell::new(why)]);
                }
            }
        }
    }
    table
}

/// A fact of a campaign.
type CampaignFact = fn(&AnsweredCampaign) -> Cell;

/// A fact of each campaign in each row.
fn evidence(campaigns: &[AnsweredCampaign]) -> Table {
    let mut table = Table::new("Campaigns and evidence", "Fact");
    table.columns.extend(campaigns.iter().map(|one| column(&one.name, false, true)));
    let rows: [(&str, CampaignFact); 11] = [
        ("Folder", |one| {
            let cell = Cell::literal(&one.folder);
            one.report.iter().fold(cell, |cell, report| cell.linked(link_to(report)))
        }),
        ("Plan", |one| Cell::literal(or_none(&one.facts.plan))),
        ("Title", |one| Cell::new(or_none(&one.facts.title))),
        ("Source", |one| Cell::new(or_none(&one.source))),
        ("Values of the plan", |one| Cell::new(values_of_plan(one))),
        ("Result", |one| one.facts.overall()),
        ("Started", |one| Cell::new(time(&one.facts.started))),
        ("Verified", |one| verified_cell(&one.facts)),
        ("Evidence", |one| Cell::new(explained(&one.facts.evidence))),
        ("Evidence hash", |one| Cell::literal(or_none(hash(one)))),
        ("Program", |one| Cell::new(or_none(&one.facts.tool))),
    ];
    for (fact, cell) in rows {
        table.row(std::iter::once(Cell::new(fact)).chain(campaigns.iter().map(cell)));
    }
    table
}

fn values_of_plan(campaign: &AnsweredCampaign) -> String {
    campaign.limits.values.clone().unwrap_or_else(|| "As written.".to_owned())
}

fn hash(campaign: &AnsweredCampaign) -> &str {
    campaign.facts.head.as_ref().map_or("", |head| &head.hash)
}

/// The sheets as comma-separated values, by RFC 4180. Each line also has the campaign, its evidence and its
/// jobs. Only one sheet has one set of columns, so give a document with one.
pub fn answers_csv(document: &AnswerDocument, campaigns: &[AnsweredCampaign]) -> String {
    let mut text = String::new();
    let mut line = |fields: &mut dyn Iterator<Item = &str>| {
        text.push_str(&fields.map(quoted).collect::<Vec<_>>().join(","));
        text.push_str("\r\n");
    };
    for SheetTable { table, origins } in &document.sheets {
        line(&mut table.columns.iter().map(|column| column.title.as_str()).chain(ORIGIN));
        for (row, origin) in table.rows.iter().zip(origins) {
            let one = &campaigns[origin.campaign];
            let cells = row.iter().map(|cell| if cell.text == NONE { "" } else { cell.text.as_str() });
            let (verified, evidence) = (verified_cell(&one.facts).text, explained(&one.facts.evidence));
            let (started, values) = (time(&one.facts.started), values_of_plan(one));
            let origin: [&str; ORIGIN.len()] = [
                &one.folder,
                &origin.jobs,
                &origin.remarks,
                &one.facts.plan,
                &one.facts.title,
                &one.source,
                &values,
                &started,
                &verified,
                &evidence,
                hash(one),
                &one.facts.tool,
                &document.made,
            ];
            line(&mut cells.chain(origin));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_six_digits_and_a_whole_number_all_of_them() {
        for (number, text) in [
            (20.001_349, "20.0013"),
            (1_234.567_89, "1234.57"),
            (1_234_567.8, "1234568"),
            (1_048_576.0, "1048576"),
            (0.018_626_451, "0.0186265"),
            (0.0, "0"),
            (999_999.96, "1000000"),
            (1e20, "1e20"),
        ] {
            assert_eq!(figures(number), text);
        }
    }
}
