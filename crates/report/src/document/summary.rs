//! What a campaign comes to besides its verdicts: tables of systems and results, projections, hero runs,
//! findings.
//!
//! A projected rate is never beside a measured one without the word, the letter of its system, its interval
//! and how far it reaches; tables are known by their names, not by numbers.
//!
//! Never here: computing any of it.

use results::folder::{Campaign, names};
use results::summary::{Finding, Hero, PROCUREMENT, Projection, Rate, Summary, TABLES};

use super::words::{NONE, counted, link_to, or_none, quantity, quantity_cell, share};
use super::{Block, Cell, Section, Table, Tone};

/// The sections, as far as there is something to show.
pub(super) fn sections(campaign: &Campaign) -> Vec<Section> {
    let summary = &campaign.summary;
    let tables = match summary.layout.as_str() {
        PROCUREMENT => vec![systems(summary), purposes(summary), results(summary)],
        _ => Vec::new(),
    };
    let blocks = |tables: Vec<Table>| -> Vec<Block> {
        tables.into_iter().filter(|table| !table.rows.is_empty()).map(Block::Table).collect()
    };
    [
        ("tables", "Tables of the procurement", tables),
        ("projections", "Projections", vec![projections(summary), steps(summary)]),
        ("heroes", "Hero runs", vec![heroes(summary)]),
        ("findings", "Findings of the linter", vec![findings(summary)]),
    ]
    .into_iter()
    .map(|(id, title, tables)| Section { id: id.into(), title: title.into(), blocks: blocks(tables) })
    .filter(|section| !section.blocks.is_empty())
    .collect()
}

/// One line each for a terminal.
pub(super) fn lines(campaign: &Campaign) -> Vec<String> {
    let summary = &campaign.summary;
    let projections = summary.projections.iter().map(|projection| {
        let Projection { test, metric, system, to, over, .. } = projection;
        format!("PROJECTED {test} {metric}, system {system}, {to} {over}: {}", in_words(projection))
    });
    let heroes = summary.heroes.iter().map(|hero| {
        let Hero { test, metric, contract, .. } = hero;
        let mean = quantity(hero.hero_mean, &hero.unit);
        format!("HERO {test} {metric}: {mean}, {:.2} x {contract}", ratio(hero))
    });
    projections.chain(heroes).chain(of_linter(summary)).collect()
}

/// What became of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// Nobody can answer for it.
    Error,
    /// Nobody answers for it.
    Open,
    /// Somebody does.
    Waived,
    /// A waiver that was not needed.
    Idle,
}

/// What became of a finding; `None` of one that is only told.
fn standing(finding: &Finding) -> Option<Standing> {
    match finding.level.as_str() {
        "error" => Some(Standing::Error),
        "info" if finding.lint == "waiver" => Some(Standing::Idle),
        "info" => None,
        _ if finding.waived.is_empty() => Some(Standing::Open),
        _ => Some(Standing::Waived),
    }
}

/// The findings of each lint of which the same became, and what they are about, each once.
fn stood(summary: &Summary) -> Vec<(Standing, &Finding, Vec<&str>)> {
    let mut all: Vec<(Standing, &Finding, Vec<&str>)> = Vec::new();
    for (standing, finding) in summary.findings.iter().filter_map(|one| Some((standing(one)?, one))) {
        let test = if finding.test.is_empty() { "the whole campaign" } else { &finding.test };
        let same = |known: &Finding| {
            let is_said = standing != Standing::Idle || known.found == finding.found;
            is_said && (&known.lint, &known.waived) == (&finding.lint, &finding.waived)
        };
        match all.iter_mut().find(|(other, known, _)| *other == standing && same(known)) {
            Some((.., tests)) if tests.contains(&test) => {}
            Some((.., tests)) => tests.push(test),
            None => all.push((standing, finding, vec![test])),
        }
    }
    all.sort_by_key(|(standing, ..)| *standing);
    all
}

/// What became of the findings, a line for each lint.
fn of_linter(summary: &Summary) -> Vec<String> {
    let line = |(standing, finding, tests): (Standing, &Finding, Vec<&str>)| {
        let Finding { lint, found, remedy, waived, .. } = finding;
        let how = match standing {
            Standing::Error => "an error, which nobody can waive".to_owned(),
            Standing::Open => "nobody answers for it".to_owned(),
            Standing::Waived => return format!("LINT {lint} ({}): waived by {waived}", tests.join(", ")),
            Standing::Idle => return format!("LINT {lint} ({}): {found}; {remedy}", tests.join(", ")),
        };
        format!("LINT {lint} ({}): {how}; `assay lint --explain {lint}`", tests.join(", "))
    };
    stood(summary).into_iter().map(line).collect()
}

/// How many findings nobody can, and how many nobody does answer for, as they are listed; `None` where
/// there is none.
pub(super) fn open_findings(summary: &Summary) -> Option<String> {
    let all = stood(summary);
    let number = |wanted: Standing| -> usize {
        all.iter().filter(|(standing, ..)| *standing == wanted).map(|(.., tests)| tests.len()).sum()
    };
    let errors = match number(Standing::Error) {
        0 => None,
        errors => Some(format!("Nobody can waive {} of the linter.", counted(errors, "error"))),
    };
    let open = match number(Standing::Open) {
        0 => None,
        open => Some(format!("Nobody answers for {} of the linter.", counted(open, "finding"))),
    };
    let said: Vec<String> = errors.into_iter().chain(open).collect();
    (!said.is_empty()).then(|| said.join(" "))
}

/// What was projected, or why nothing was.
fn in_words(projection: &Projection) -> String {
    let Projection { rate, low, high, unit, confidence, factor, refusal, .. } = projection;
    let (Some(rate), Some(low), Some(high)) = (rate, low, high) else {
        return format!("none, {refusal}");
    };
    let [rate, low, high] = [rate, low, high].map(|value| quantity(*value, unit));
    let but = if refusal.is_empty() { String::new() } else { format!("; {refusal}") };
    let percent = confidence * 100.0;
    format!("{rate} ({percent:.0} % interval {low} to {high}), {factor:.2} x the largest measured{but}")
}

fn ratio(hero: &Hero) -> f64 {
    hero.hero_mean / hero.contract_mean
}

fn systems(summary: &Summary) -> Table {
    let headings = ["System", "Processor", "Clock", "Interconnect", ">Cores", "Measured"];
    let mut table = Table::new(TABLES[0], &headings);
    for system in &summary.systems {
        let measured = if system.letter == summary.measured_on { "yes" } else { "no, projected to" };
        let words = [&system.letter, &system.processor, &system.clock, &system.interconnect];
        let cores = system.cores.to_string();
        table.row(words.into_iter().map(String::as_str).chain([cores.as_str(), measured]).map(Cell::new));
    }
    table
}

fn purposes(summary: &Summary) -> Table {
    let mut table = Table::new(TABLES[1], &["Benchmark", "~Purpose", "Role"]);
    for rate in &summary.rates {
        if table.rows.iter().all(|row| row[0].text != rate.test) {
            table.row([&rate.test, &rate.purpose, &rate.role].map(Cell::new));
        }
    }
    table
}

/// Every rate with its system, measured or projected, its unit and its scatter.
fn results(summary: &Summary) -> Table {
    let headings =
        ["Benchmark", "Metric", "System", ">Benchmarked", ">COV", ">Runs", ">Projected", "~Remarks"];
    let mut table = Table::new(TABLES[2], &headings);
    table.note = "Means over the runs, each a launch of its own; COV is the sample deviation (n-1) over the \
                  mean. What is projected was not measured."
        .into();
    for rate in &summary.rates {
        let value = rate.mean.map_or_else(|| Cell::new(NONE), |mean| quantity_cell(mean, &rate.unit));
        table.row([
            Cell::new(&rate.test),
            Cell::new(&rate.metric),
            Cell::new(or_none(&summary.measured_on)),
            linked(value, rate),
            Cell::new(rate.cov.map_or_else(|| NONE.into(), share)),
            Cell::new(rate.values.len().to_string()),
            Cell::new(NONE),
            Cell::new(&rate.why),
        ]);
        let own = |one: &&Projection| one.test == rate.test && one.metric == rate.metric;
        for projection in summary.projections.iter().filter(own) {
            table.row(projected(projection));
        }
    }
    table
}

fn projected(projection: &Projection) -> [Cell; 8] {
    let value = projection.rate.map_or_else(|| Cell::new(NONE), |rate| quantity_cell(rate, &projection.unit));
    let Projection { to, over, from, .. } = projection;
    let remark = format!("projected to {to} {over} from {from}: {}", in_words(projection));
    [
        Cell::new(&projection.test),
        Cell::new(&projection.metric),
        Cell::new(&projection.system),
        Cell::new(NONE),
        Cell::new(NONE),
        Cell::new(NONE),
        value.linked("#projections"),
        Cell::new(remark),
    ]
}

/// The value with its log: the folder of its first job.
fn linked(value: Cell, rate: &Rate) -> Cell {
    match rate.jobs.first() {
        Some(job) => value.linked(link_to(&format!("{job}/{}", names::STDOUT))),
        None => value,
    }
}

fn projections(summary: &Summary) -> Table {
    let headings = [
        "Benchmark",
        "Metric",
        "System",
        ">Projected",
        ">From",
        ">To",
        ">Reach",
        "~Model",
        ">Residual",
        ">Held out",
        "~May it be trusted?",
    ];
    let mut table = Table::new("What was projected", &headings);
    table.note =
        "Projected, not measured. The model is the one that foretold the largest step best from the \
                  others (held out); the interval is of the true mean; reach is how many times the largest \
                  step the system is."
            .into();
    for one in &summary.projections {
        let value = |value: Option<f64>| {
            value.map_or_else(|| Cell::new(NONE), |value| quantity_cell(value, &one.unit))
        };
        let percent = |part: Option<f64>| {
            Cell::new(part.map_or_else(|| NONE.into(), |part| format!("{:+.1} %", part * 100.0)))
        };
        let trust = match one.refusal.as_str() {
            "" => Cell::new("yes, within the interval"),
            why => Cell::new(format!("no: {why}")).toned(Tone::Inconclusive),
        };
        table.row([
            Cell::new(&one.test),
            Cell::new(&one.metric),
            Cell::new(&one.system),
            value(one.rate),
            value(one.low),
            value(one.high),
            Cell::new(format!("{:.2} x", one.factor)),
            Cell::new(or_none(&one.model)),
            percent(one.residual),
            percent(one.held_out_error),
            trust,
        ]);
    }
    table
}

/// What was measured at the steps that projections come from.
fn steps(summary: &Summary) -> Table {
    let mut table = Table::new("What it was projected from", &["From", "Metric", ">Step", "Of", ">Mean"]);
    for one in &summary.projections {
        for (at, mean) in &one.steps {
            let words = [&one.from, &one.metric].map(Cell::new);
            let numbers = [Cell::new(at.to_string()), Cell::new(&one.over), quantity_cell(*mean, &one.unit)];
            table.row(words.into_iter().chain(numbers));
        }
    }
    table
}

fn heroes(summary: &Summary) -> Table {
    let headings = ["Hero run", "Metric", ">Mean", "Test of the contract", ">Mean of that", ">Ratio"];
    let mut table = Table::new("Hero runs beside the contract's tests", &headings);
    table.note = "What other sizes, layouts or numbers of nodes show; none of it satisfies a clause.".into();
    for hero in &summary.heroes {
        table.row([
            Cell::new(&hero.test),
            Cell::new(&hero.metric),
            quantity_cell(hero.hero_mean, &hero.unit),
            Cell::new(&hero.contract),
            quantity_cell(hero.contract_mean, &hero.unit),
            Cell::new(format!("{:.2}", ratio(hero))),
        ]);
    }
    table
}

fn findings(summary: &Summary) -> Table {
    let mut table = Table::new(
        "What the lints found",
        &["Lint", "~Tests", "Level", "~Found", "~What would do", "~Waived by"],
    );
    // What is said of several tests stands once, with all of them.
    let mut told: Vec<(&Finding, Vec<&str>)> = Vec::new();
    for finding in &summary.findings {
        let alike = |known: &Finding| Finding { test: finding.test.clone(), ..known.clone() } == *finding;
        match told.iter_mut().find(|(known, _)| alike(known)) {
            Some((_, tests)) if tests.contains(&finding.test.as_str()) => {}
            Some((_, tests)) => tests.push(&finding.test),
            None => told.push((finding, vec![&finding.test])),
        }
    }
    for (Finding { lint, level, found, remedy, waived, .. }, tests) in told {
        let tests = tests.join(", ");
        let words = [lint, &tests, level, found, remedy, waived];
        table.row(words.map(|word| Cell::new(or_none(word))));
    }
    table
}
