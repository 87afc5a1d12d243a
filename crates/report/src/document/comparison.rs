//! The document of a comparison of campaigns: their evidence, a row for each metric, the verdicts, and what
//! differs.
//!
//! Invariant: it states the evidence of each campaign before any number of it.
//! Never here: comparing, layout.

mod forest;

use std::collections::BTreeMap;

use results::Outcome;
use results::comparison::{
    CampaignComparison, ComparedCampaign, ComparedClause, ComparedFact, ComparedRow, Conclusion, FactArea,
    FactDifference, RowConclusion, RowSample, letter,
};
use results::reason::{Datum, row};
use serde::Serialize;
use units::several;

use super::words::{
    confidence, hash_cell, known_cell, or_none, overall_tone, share, test_and_clause, time, tone_of,
};
use super::{Cell, Plot, Table, Tone};
use crate::sentences;

/// The most rows of a table of differences that are shown. The values as CSV have all of them.
const SHOWN_MAX: usize = 200;

/// A comparison for readers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonDocument {
    /// The title.
    pub title: String,
    /// The result in sentences: how many rows have which conclusion.
    pub result: Vec<String>,
    /// The campaigns, the baseline first.
    pub campaigns: Vec<CampaignLine>,
    /// The rows, in the order of the plans.
    pub rows: Vec<RowLine>,
    /// The ratios with their intervals.
    #[serde(skip)]
    pub forest: Plot,
    /// The verdicts of all clauses.
    pub verdicts: Table,
    /// What differs, a table for each part of the campaigns.
    pub differences: Vec<Table>,
    /// How the ratios and their intervals are computed, a sentence or two each.
    pub method: Vec<String>,
}

/// A campaign of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CampaignLine {
    /// Its letter.
    pub letter: String,
    /// Its folder or archive.
    pub name: Cell,
    /// The title of its plan.
    pub title: String,
    /// Its plan.
    pub plan: Cell,
    /// Its start.
    pub started: String,
    /// The program.
    pub tool: String,
    /// The worst outcome of its clauses.
    pub overall: Cell,
    /// What checking its evidence found, and what to do.
    pub evidence: String,
    /// Whether its values are used.
    pub is_usable: bool,
    /// Its evidence hash.
    pub hash: Cell,
}

/// A metric of a test.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowLine {
    /// The test.
    pub test: String,
    /// The metric.
    pub metric: String,
    /// The requirement text, if it is not the test's id.
    pub clause: Option<String>,
    /// The mean of each campaign, with the number of repetitions.
    pub values: Vec<Cell>,
    /// The repetitions of each campaign, in words.
    pub counts: Vec<String>,
    /// The conclusions about the other campaigns.
    pub against: Vec<ConclusionLine>,
}

/// The conclusion about a campaign.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConclusionLine {
    /// The letter of the campaign.
    pub letter: String,
    /// The conclusion, in a few words, toned.
    pub conclusion: Cell,
    /// The ratio of the means.
    pub ratio: String,
    /// The interval that decides.
    pub interval: String,
    /// The reason in sentences.
    pub reason: String,
    /// Whether the reason states more than the columns.
    pub needs_reason: bool,
    /// How the tests differ, if they were compared although they do.
    pub caution: Option<String>,
}

/// Builds the document of a comparison.
pub fn comparison(comparison: &CampaignComparison) -> ComparisonDocument {
    let letters: Vec<String> = (0..comparison.campaigns.len()).map(letter).collect();
    ComparisonDocument {
        title: format!("Comparison of {}", several(letters.len() as u64, "campaign")),
        result: result(comparison),
        campaigns: comparison.campaigns.iter().zip(&letters).map(campaign_line).collect(),
        rows: comparison.rows.iter().map(|row| row_line(row, &letters)).collect(),
        forest: forest::plot(comparison, &letters),
        verdicts: verdicts(&comparison.clauses, &letters),
        differences: fact_tables(&comparison.differences, &letters),
        method: method(comparison),
    }
}

fn campaign_line((one, letter): (&ComparedCampaign, &String)) -> CampaignLine {
    CampaignLine {
        letter: letter.clone(),
        name: Cell::literal(&one.name),
        title: or_none(&one.title),
        plan: Cell::literal(or_none(&one.plan)),
        started: time(&one.started),
        tool: or_none(&one.tool),
        overall: overall_cell(one.overall, one.has_open_findings),
        evidence: sentences::explained(&one.evidence),
        is_usable: one.is_usable,
        hash: one.head.as_ref().map_or_else(|| Cell::new("–"), |head| Cell::literal(&head.hash)),
    }
}

pub(super) fn overall_cell(outcome: Outcome, has_open_findings: bool) -> Cell {
    // What was selected is a row of the facts.
    let word = sentences::overall(outcome, has_open_findings, false);
    Cell::new(word).toned(overall_tone(outcome, has_open_findings))
}

fn row_line(row: &ComparedRow, letters: &[String]) -> RowLine {
    let mean = |sample: &RowSample| {
        let cell = known_cell(sample.mean, &sample.unit);
        let values: Vec<String> =
            sample.values.iter().map(|value| known_cell(Some(*value), &sample.unit).text).collect();
        if values.is_empty() {
            cell
        } else {
            cell.full(format!("n = {}: {}", values.len(), values.join(", ")))
        }
    };
    let count = |sample: &RowSample| match sample.values.len() {
        0 => String::new(),
        n => format!("n = {n}"),
    };
    RowLine {
        test: row.test.clone(),
        metric: row.metric.clone(),
        clause: (row.clause != row.test).then(|| row.clause.clone()),
        values: row.samples.iter().map(mean).collect(),
        counts: row.samples.iter().map(count).collect(),
        against: row.against.iter().zip(&letters[1..]).map(conclusion_line).collect(),
    }
}

fn conclusion_line((one, letter): (&RowConclusion, &String)) -> ConclusionLine {
    let interval = one.together.map(|interval| match interval.high.is_finite() {
        true => format!("{} to {}", percent(interval.low), percent(interval.high)),
        false => format!("above {}", percent(interval.low)),
    });
    let is_said = one.together.is_some() || one.conclusion == Conclusion::SameCount;
    let has_more = one.reason.has(row::NoDifferenceShown::alone_low) || !is_said;
    ConclusionLine {
        letter: letter.clone(),
        conclusion: Cell::new(one.conclusion.word()).toned(tone(one.conclusion)),
        ratio: one.ratio.map_or_else(|| or_none(""), percent),
        interval: interval.unwrap_or_else(|| or_none("")),
        reason: sentences::explained(&one.reason),
        needs_reason: has_more,
        caution: one.caution.as_ref().map(sentences::sentence),
    }
}

/// A ratio in percent, with enough digits to differ from 100 %.
fn percent(ratio: f64) -> String {
    sentences::datum(&Datum::share(ratio))
}

fn tone(conclusion: Conclusion) -> Tone {
    match conclusion {
        Conclusion::Faster => Tone::Pass,
        Conclusion::Slower => Tone::Fail,
        Conclusion::NotComparable => Tone::Invalid,
        Conclusion::NoDifferenceShown | Conclusion::SameCount => Tone::Plain,
        Conclusion::Larger | Conclusion::Smaller | Conclusion::MoreCounted | Conclusion::FewerCounted => {
            Tone::Inconclusive
        }
    }
}

/// How many conclusions of each kind there are, for each campaign.
fn result(comparison: &CampaignComparison) -> Vec<String> {
    let rows = &comparison.rows;
    let mut all = Vec::new();
    for other in 1..comparison.campaigns.len() {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for one in rows.iter().filter_map(|row| row.against.get(other - 1)) {
            *counts.entry(one.conclusion.word()).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(word, count)| format!("{count} {word}")).collect();
        let counts = if counts.is_empty() { "none".to_owned() } else { counts.join(", ") };
        let rows = several(rows.len() as u64, "row");
        all.push(format!("Campaign {} against the baseline A, {rows}: {counts}.", letter(other)));
    }
    let changed = comparison.clauses.iter().filter(|clause| clause.is_changed()).count();
    all.push(match (comparison.clauses.len(), changed) {
        (0, _) => "No plan has a clause.".to_owned(),
        (all, 0) => {
            format!("The verdicts are the same in all campaigns ({}).", several(all as u64, "clause"))
        }
        (all, changed) => format!("Verdicts differ in {changed} of {}.", several(all as u64, "clause")),
    });
    let rejected = comparison.campaigns.iter().filter(|campaign| !campaign.is_usable).count();
    if rejected > 0 {
        let rejected = several(rejected as u64, "campaign");
        all.push(format!("The evidence of {rejected} is not intact, so its values are not used."));
    }
    all
}

fn method(comparison: &CampaignComparison) -> Vec<String> {
    let level = confidence(comparison.confidence);
    let ratios = several(comparison.ratios as u64, "ratio");
    let each = 1.0 - (1.0 - comparison.confidence) / comparison.ratios.max(1) as f64;
    vec![
        "Each ratio is the mean of the repetitions of a campaign, divided by that of the baseline.".into(),
        "Its interval is Fieller's, with Student's t and Welch's degrees of freedom. The variances of the \
         two campaigns may differ. Repetitions are taken as independent; where neighbours are significantly \
         alike, the interval is wider."
            .into(),
        format!(
            "The intervals hold together: all {ratios} are inside with a confidence of {level} (Bonferroni, \
             {} each, two-sided). A difference is stated only where such an interval does not contain 100 %.",
            confidence(each)
        ),
        "A lower time is better, and a higher rate. Counts are exact and have no interval.".into(),
        "Repetitions show how one system varied during one campaign. They do not show how it varies from day \
         to day."
            .into(),
    ]
}

fn verdicts(clauses: &[ComparedClause], letters: &[String]) -> Table {
    let of_letters = letters.join(" | ");
    let mut table = Table::new(
        "Verdicts of all clauses",
        &format!("~Clause | Metric | Criterion | {of_letters} | Change"),
    );
    for clause in clauses {
        let mut criteria: Vec<&str> =
            clause.verdicts.iter().flatten().map(|verdict| verdict.criterion.as_str()).collect();
        criteria.dedup();
        let verdict = |letter: usize| match &clause.verdicts[letter] {
            Some(one) => {
                let value = known_cell(one.value, &one.unit).text;
                Cell::new(format!("{} {value}", one.outcome)).toned(tone_of(one.outcome))
            }
            None => Cell::new("no such clause"),
        };
        let change = if clause.is_changed() { "changed" } else { "same" };
        let words = test_and_clause(&clause.test, &clause.clause);
        let mut cells = vec![Cell::new(words), Cell::literal(&clause.metric), Cell::new(criteria.join("; "))];
        cells.extend((0..letters.len()).map(verdict));
        cells.push(Cell::new(change));
        table.row(cells);
    }
    table
}

/// A share of the file system, for a range of two shares.
fn range(low: f64, high: f64) -> String {
    if share(low) == share(high) { share(low) } else { format!("{} to {}", share(low), share(high)) }
}

/// The facts in which campaigns differ.
const AREAS: [(FactArea, &str); 4] = [
    (FactArea::Plan, "Plan"),
    (FactArea::Program, "Program"),
    (FactArea::Machine, "Machine"),
    (FactArea::FileSystem, "File systems and layout"),
];

/// A table for each part of the campaigns. A part without a difference says so.
fn fact_tables(differences: &[FactDifference], letters: &[String]) -> Vec<Table> {
    let of_area = |(area, title): (FactArea, &str)| {
        let own: Vec<&FactDifference> = differences.iter().filter(|one| one.fact.area() == area).collect();
        let mut table = Table::new(title, &format!("Fact | Of | ~{}", letters.join(" | ~")));
        for one in own.iter().take(SHOWN_MAX) {
            let values = one.values.iter().map(|value| value_cell(one.fact, value.as_ref()));
            let label = Cell::new(fact_label(one.fact));
            table.row([label, Cell::literal(or_none(&one.about))].into_iter().chain(values));
        }
        table.note = match own.len() {
            0 => "No difference was recorded.".to_owned(),
            count if count > SHOWN_MAX => {
                format!("{} more differences are not shown. The CSV has all of them.", count - SHOWN_MAX)
            }
            _ => String::new(),
        };
        table
    };
    AREAS.map(of_area).into()
}

fn value_cell(fact: ComparedFact, value: Option<&Datum>) -> Cell {
    let Some(value) = value else {
        return Cell::new(if fact == ComparedFact::TestPlanned { "no" } else { "–" });
    };
    match (fact, value) {
        (ComparedFact::PlanHash | ComparedFact::ProgramHash, Datum::Text(hash)) => hash_cell(hash),
        (ComparedFact::TestPlanned, _) => Cell::new("yes"),
        (ComparedFact::StripeCount, Datum::Count(-1)) => Cell::new("all"),
        (ComparedFact::Fill, Datum::List(ends)) => match &ends[..] {
            [Datum::Quantity { value: low, .. }, Datum::Quantity { value: high, .. }] => {
                Cell::new(range(*low, *high))
            }
            _ => Cell::new(sentences::datum(value)),
        },
        _ => Cell::literal(sentences::datum(value)),
    }
}

/// The words for a fact.
pub(super) fn fact_label(fact: ComparedFact) -> &'static str {
    use ComparedFact as F;
    match fact {
        F::PlanId => "Plan",
        F::PlanHash => "SHA-256 of the plan",
        F::Scale => "Scale",
        F::Parameter => "Value",
        F::Selected => "Selected tests",
        F::TestPlanned => "Test in the plan",
        F::Criteria => "Criteria",
        F::Repetitions => "Repetitions",
        F::Command => "Command line",
        F::Setup => "Commands before the job",
        F::Source => "Files that are read",
        F::State => "State",
        F::Course => "Other requirements",
        F::Waived => "Approved waivers",
        F::Nonce => "Nonce",
        F::ProgramVersion => "Program",
        F::ProgramHash => "SHA-256 of the program",
        F::ProgramCommit => "Commit",
        F::ProgramProfile => "Build profile",
        F::Host => "Host",
        F::Kernel => "Kernel",
        F::Os => "Distribution",
        F::Cpu => "Processor",
        F::Cores => "Usable cores",
        F::Memory => "Memory",
        F::Governor => "Scaling governor",
        F::Launcher => "Launcher",
        F::Mpi => "MPI library",
        F::Libraries => "Loaded libraries",
        F::Nodes => "Nodes",
        F::Ranks => "Ranks",
        F::NodeNames => "Nodes that took part",
        F::Directory => "Directory under test",
        F::FsKind => "File system type",
        F::FsDevice => "Device",
        F::FsOptions => "Mount options",
        F::FsBytes => "Size",
        F::FsTargets => "Storage targets",
        F::FsBacking => "Lies on",
        F::StripeCount => "Stripe count",
        F::StripeBytes => "Stripe size",
        F::Pool => "Pool",
        F::Fill => "Utilization before jobs",
        F::Parameters => "Recorded parameter",
    }
}
