//! The results of a campaign that are not verdicts: tables of systems and results, projections, hero runs,
//! findings.
//!
//! A projected rate never appears without the word, the letter of its system, its interval and its
//! extrapolation factor. Tables have names, not numbers.
//!
//! Never here: computing any of these results.

use std::collections::BTreeSet;

use results::finding::{Approval, Finding, Severity};
use results::folder::{Campaign, names};
use results::reason::Code;
use results::summary::{HeroRun, PROCUREMENT, Rate, Summary, System, SystemProjection, TABLES};
use serde::Serialize;

use crate::sentences::{self, sentence};

use super::words::{
    NONE, confidence as percent_of, exact, grouped, known_cell, link_to, or_none, quantity, quantity_cell,
    share,
};
use super::{Block, Cell, Section, Table, Tone};

pub(super) fn sections(campaign: &Campaign) -> Vec<Section> {
    let summary = &campaign.summary;
    let tables = match summary.layout.as_str() {
        PROCUREMENT => vec![systems(summary), purposes(summary), results(summary)],
        _ => Vec::new(),
    };
    [
        ("tables", "Tables of the procurement", tables),
        ("projections", "Projections", vec![projections(summary), steps(summary)]),
        ("heroes", "Hero runs", vec![heroes(summary)]),
        ("findings", "Findings and waivers", vec![findings(summary)]),
    ]
    .into_iter()
    .map(|(id, title, tables)| {
        let tables = tables.into_iter().filter_map(Table::unless_empty);
        Section::new(id, title, tables.map(Block::Table).collect())
    })
    .filter(|section| !section.blocks.is_empty())
    .collect()
}

/// Projections and hero runs, one line each. None of them was a clause.
pub(super) fn lines(campaign: &Campaign) -> Vec<String> {
    let summary = &campaign.summary;
    let projections = summary.projections.iter().map(|projection| {
        let SystemProjection { test, metric, .. } = projection;
        format!("PROJECTED {test} {metric}, {}: {}", target(projection), in_words(projection))
    });
    let heroes = summary.heroes.iter().map(|hero| {
        let HeroRun { test, metric, contract, .. } = hero;
        let mean = quantity(hero.hero_mean, &hero.unit);
        format!("HERO {test} {metric}: {mean}, {:.2} x {contract}", ratio(hero))
    });
    projections.chain(heroes).collect()
}

/// The system and the size that a projection is for.
pub(super) fn target(projection: &SystemProjection) -> String {
    let SystemProjection { system, to, over, .. } = projection;
    format!("system {}, {to} {over}", or_none(system))
}

/// A waiver that was needed and is approved.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApprovedWaiver {
    /// The code of the waived finding.
    pub code: String,
    /// What it is about.
    pub tests: String,
    /// What was found.
    pub finding: String,
    /// Who approved it.
    pub approved_by: String,
    /// Why.
    pub why: String,
}

/// The approved waivers, one for each code, approver and reason.
pub(super) fn waivers(summary: &Summary) -> Vec<ApprovedWaiver> {
    let waived = by_status(summary).into_iter().filter(|(status, ..)| *status == FindingStatus::Waived);
    let waiver = |(_, finding, tests): (FindingStatus, &Finding, Vec<&str>)| {
        let Approval { approved_by, why } = finding.waived.clone().unwrap_or_default();
        let code = finding.code().id().to_owned();
        ApprovedWaiver { code, tests: tests.join(", "), finding: sentence(&finding.reason), approved_by, why }
    };
    waived.map(waiver).collect()
}

/// The status of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FindingStatus {
    /// It is an error and cannot be waived.
    Error,
    /// It needs a waiver and is not waived.
    NotWaived,
    /// It is waived.
    Waived,
    /// It is about a waiver that is not needed.
    Unneeded,
}

/// The status of a finding; `None` if it is only listed.
fn status_of(finding: &Finding) -> Option<FindingStatus> {
    match (finding.severity, &finding.waived) {
        (Severity::Error, _) => Some(FindingStatus::Error),
        (Severity::NeedsWaiver, None) => Some(FindingStatus::NotWaived),
        (Severity::NeedsWaiver, Some(_)) => Some(FindingStatus::Waived),
        (Severity::Info, _) => (finding.code() == Code::Waiver).then_some(FindingStatus::Unneeded),
    }
}

/// What a finding is about.
fn about(finding: &Finding) -> &str {
    if finding.about.is_empty() { "the whole campaign" } else { &finding.about }
}

/// The findings of each code by status, with the tests that they are about, each once.
fn by_status(summary: &Summary) -> Vec<(FindingStatus, &Finding, Vec<&str>)> {
    let mut all: Vec<(FindingStatus, &Finding, Vec<&str>)> = Vec::new();
    for (status, finding) in summary.findings.iter().filter_map(|one| Some((status_of(one)?, one))) {
        let same = |known: &Finding| {
            let is_alike = status != FindingStatus::Unneeded || known.reason == finding.reason;
            is_alike && (known.code(), &known.waived) == (finding.code(), &finding.waived)
        };
        match all.iter_mut().find(|(other, known, _)| *other == status && same(known)) {
            Some((.., tests)) if tests.contains(&about(finding)) => {}
            Some((.., tests)) => tests.push(about(finding)),
            None => all.push((status, finding, vec![about(finding)])),
        }
    }
    all.sort_by_key(|(status, ..)| *status);
    all
}

/// Who approved the waiver of a finding, and why; empty if it is not waived.
fn approved_by(finding: &Finding) -> String {
    finding.waived.as_ref().map(|by| format!("{}: {}", by.approved_by, by.why)).unwrap_or_default()
}

/// A sentence about errors and findings that are not waived, as they are listed; `None` if there are none.
pub(super) fn open_findings(summary: &Summary) -> Option<String> {
    let all = by_status(summary);
    let number = |wanted: FindingStatus| -> usize {
        all.iter().filter(|(status, ..)| *status == wanted).map(|(.., tests)| tests.len()).sum()
    };
    let mut codes: Vec<&str> = Vec::new();
    for (_, finding, _) in all.iter().filter(|(status, ..)| *status == FindingStatus::NotWaived) {
        if !codes.contains(&finding.code().id()) {
            codes.push(finding.code().id());
        }
    }
    let (errors, not_waived) = (number(FindingStatus::Error), number(FindingStatus::NotWaived));
    sentences::campaign::open_findings(errors, not_waived, &codes)
}

/// The projected rate, or why there is none.
pub(super) fn in_words(projection: &SystemProjection) -> String {
    let SystemProjection { rate, low, high, unit, confidence, factor, rejection, is_simulated, .. } =
        projection;
    let of = if *is_simulated { ", from simulated nodes" } else { "" };
    let rejection = rejection.as_ref().map(sentence);
    let (Some(rate), Some(low), Some(high)) = (rate, low, high) else {
        return format!("no projection. {}", rejection.unwrap_or_default());
    };
    let [rate, low, high] = [rate, low, high].map(|value| quantity(*value, unit));
    let restriction = rejection.map_or(String::new(), |rejection| format!(". {rejection}"));
    let level = percent_of(*confidence);
    format!("{rate} ({level} interval {low} to {high}), extrapolation factor {factor:.2}{of}{restriction}")
}

/// The model with its parameters; empty if no model was chosen.
pub(super) fn model(projection: &SystemProjection) -> String {
    let Some(fit) = &projection.model else { return String::new() };
    let one = quantity(fit.scale.value, &projection.unit);
    let mut text = format!("{}, {one} for each of the {}", fit.model, projection.over);
    for (name, parameter) in [("sigma", fit.sigma), ("kappa", fit.kappa)] {
        if let Some(error) = parameter.standard_error {
            text.push_str(&format!(", {name} {:.2e} ± {error:.0e}", parameter.value));
        }
    }
    text
}

fn ratio(hero: &HeroRun) -> f64 {
    hero.hero_mean / hero.contract_mean
}

fn systems(summary: &Summary) -> Table {
    let headings = "System | Processor (declared) | Clock (declared) | Interconnect (declared) | \
         >Cores (declared) | Measured";
    let row = |system: &System| {
        let measured = if system.letter == summary.measured_on { "yes" } else { "no, projected" };
        let words = [&system.letter, &system.processor, &system.clock, &system.interconnect].map(Cell::new);
        words.into_iter().chain([Cell::new(system.cores.to_string()), Cell::new(measured)])
    };
    let table = Table::with_rows(TABLES[0], headings, summary.systems.iter().map(row));
    table.noted(sentences::campaign::DECLARED)
}

fn purposes(summary: &Summary) -> Table {
    let mut table = Table::new(TABLES[1], "Benchmark | ~Purpose | Role");
    for rate in &summary.rates {
        if table.rows.iter().all(|row| row[0].text != rate.test) {
            table.row([&rate.test, &rate.purpose, &rate.role].map(Cell::new));
        }
    }
    table
}

/// Every rate with its system, its unit and its COV, measured or projected.
fn results(summary: &Summary) -> Table {
    let headings = "Benchmark | Metric | System | >Benchmarked | >COV | >Runs | >Projected | ~Remarks";
    let mut table = Table::new(TABLES[2], headings);
    table.note =
        "Means over the runs. Each run is a separate job. COV is the sample standard deviation (n-1) \
                  divided by the mean. Projected rates were not measured."
            .into();
    for rate in &summary.rates {
        table.row([
            Cell::new(&rate.test),
            Cell::new(&rate.metric),
            Cell::new(or_none(&summary.measured_on)),
            linked(known_cell(rate.mean, &rate.unit), rate),
            Cell::new(rate.cov.map_or_else(|| NONE.into(), share)),
            Cell::new(rate.values.len().to_string()),
            Cell::new(NONE),
            Cell::new(rate.why.as_ref().map(sentence).unwrap_or_default()),
        ]);
        let own = |one: &&SystemProjection| one.test == rate.test && one.metric == rate.metric;
        for projection in summary.projections.iter().filter(own) {
            table.row(projected(projection));
        }
    }
    table
}

fn projected(projection: &SystemProjection) -> [Cell; 8] {
    let remark = format!("projected to {}", target(projection));
    [
        Cell::new(&projection.test),
        Cell::new(&projection.metric),
        Cell::new(&projection.system),
        Cell::new(NONE),
        Cell::new(NONE),
        Cell::new(NONE),
        known_cell(projection.rate, &projection.unit).linked("#projections"),
        Cell::new(remark),
    ]
}

/// The value with a link to the output of its first job.
fn linked(value: Cell, rate: &Rate) -> Cell {
    match rate.jobs.first() {
        Some(job) => value.linked(link_to(&format!("{job}/{}", names::STDOUT))),
        None => value,
    }
}

fn projections(summary: &Summary) -> Table {
    let headings = "Benchmark | Metric | Target | >Projected | >Interval | >Confidence | From series | \
         >Extrapolation factor | ~Model | >Residual | >Held-out error | ~Accepted?";
    let percent = |part: Option<f64>| {
        Cell::new(part.map_or_else(|| NONE.into(), |part| format!("{:+.1} %", part * 100.0)))
    };
    let row = |one: &SystemProjection| {
        let accepted = match &one.rejection {
            None => Cell::new("yes, within its limits"),
            Some(rejection) => Cell::new(format!("no. {}", sentence(rejection))).toned(Tone::Inconclusive),
        };
        [
            Cell::new(&one.test),
            Cell::new(&one.metric),
            Cell::new(target(one)),
            known_cell(one.rate, &one.unit),
            interval(one),
            Cell::new(percent_of(one.confidence)),
            Cell::literal(&one.from),
            Cell::new(format!("{:.2}", one.factor)),
            Cell::new(or_none(&model(one))),
            percent(one.residual),
            percent(one.held_out_error),
            accepted,
        ]
    };
    Table::with_rows("Projected rates", headings, summary.projections.iter().map(row)).noted(
        "These rates are projected, not measured. The model is the one that best predicts the largest step \
         from the other steps (held-out error). The interval is that of the true mean. The extrapolation \
         factor is the size of the system divided by the largest step.",
    )
}

/// The interval of the true mean.
fn interval(projection: &SystemProjection) -> Cell {
    let SystemProjection { low: Some(low), high: Some(high), unit, .. } = projection else {
        return Cell::new(NONE);
    };
    let [shown_low, shown_high] = [low, high].map(|value| quantity(*value, unit));
    let full = format!("{} to {}", exact(*low, unit), exact(*high, unit));
    Cell::new(format!("{shown_low} to {shown_high}")).full(full)
}

fn steps(summary: &Summary) -> Table {
    let rows = summary.projections.iter().flat_map(|one| {
        one.steps.iter().map(|(at, mean)| {
            let [from, metric] = [&one.from, &one.metric].map(Cell::new);
            let step = [Cell::new(at.to_string()), Cell::new(&one.over)];
            [from, metric].into_iter().chain(step).chain([quantity_cell(*mean, &one.unit)])
        })
    });
    Table::with_rows("Measured steps", "Series | Metric | >Step | Counts | >Mean", rows)
}

fn heroes(summary: &Summary) -> Table {
    let headings = "Hero run | Metric | >Mean | Contract test | >Mean of the contract test | >Ratio";
    let row = |hero: &HeroRun| {
        [
            Cell::new(&hero.test),
            Cell::new(&hero.metric),
            quantity_cell(hero.hero_mean, &hero.unit),
            Cell::new(&hero.contract),
            quantity_cell(hero.contract_mean, &hero.unit),
            Cell::new(format!("{:.2}", ratio(hero))),
        ]
    };
    Table::with_rows("Hero runs and contract tests", headings, summary.heroes.iter().map(row))
        .noted("Hero runs use other sizes, layouts or numbers of nodes. They do not satisfy a clause.")
}

fn findings(summary: &Summary) -> Table {
    // A finding that several tests have is listed once, with all of them.
    let keyed = summary.findings.iter().map(|finding| {
        let words = (finding.severity.to_string(), sentence(&finding.reason), approved_by(finding));
        ((finding.code(), words), finding)
    });
    let listed = grouped(keyed).into_iter().map(|(_, alike)| {
        let mut known = BTreeSet::new();
        let abouts = alike.iter().map(|finding| finding.about.as_str());
        (alike[0], abouts.filter(|about| known.insert(*about)).collect())
    });
    let row = |(finding, tests): (&Finding, Vec<&str>)| {
        [
            Cell::new(finding.code().id()),
            Cell::new(or_none(&tests.join(", "))),
            Cell::new(finding.severity.to_string()),
            Cell::new(sentence(&finding.reason)),
            Cell::new(or_none(&sentences::remedy(&finding.reason).unwrap_or_default())),
            Cell::new(or_none(&approved_by(finding))),
        ]
    };
    let headings = "Code | ~Tests | Severity | ~Finding | ~What to do | ~Waiver approved by";
    Table::with_rows("Findings", headings, listed.map(row))
}
