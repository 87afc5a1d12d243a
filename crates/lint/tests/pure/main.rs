//! The findings of the linter on commands, plans and machines. Tests compare codes and data, never sentences.

mod any_plan;
mod bundled;
mod clauses;
mod criteria;
mod decks;
mod defects;
mod layouts;
mod lines;
mod machines;
mod plans;

use command::TypedCommand;
use lint::{LINTS, LineRole, LineSubject, LintCheck, LintStage};
use results::finding::Finding;
use results::reason::Datum;
use units::Quantity;

/// A command as facts; `facts` are `key=value` words such as `nodes=28 ram=512g role=write`.
fn subject(facts: &str, command: &str) -> LineSubject {
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let mut subject = LineSubject::of(&TypedCommand::read(&words).expect(command));
    for fact in facts.split_whitespace() {
        let (key, value) = fact.split_once('=').expect(fact);
        let number = || Some(value.parse().expect(fact));
        match key {
            "nodes" => subject.stated.nodes = number(),
            "ppn" => subject.stated.ppn = number(),
            "ranks" => subject.stated.ranks = number(),
            "cores" => subject.cores = number(),
            "ram" => subject.ram_bytes = lint::size(value),
            "total" => subject.total_bytes = lint::size(value),
            "mount" => subject.fs.mount = Some(value.to_owned()),
            "kind" => subject.fs.kind = Some(value.to_owned()),
            "stripes" => subject.fs.stripes = Some(value.parse().expect(fact)),
            "reduces" => subject.fs.reduces = true,
            "sustained" => subject.sustained_s = Some(value.parse().expect(fact)),
            "target" => subject.target = Some(value.parse::<Quantity>().expect(fact)),
            "warm" => subject.cache_warm = true,
            "role" => {
                subject.role = LineRole::ALL.iter().find(|(word, _)| *word == value).map(|(_, role)| *role)
            }
            other => panic!("no fact `{other}`"),
        }
    }
    subject
}

/// The ids of the findings about one command.
fn ids(subject: &LineSubject) -> Vec<&'static str> {
    lint::line(subject).into_iter().map(|finding| finding.code().id()).collect()
}

/// The finding of this lint.
fn finding<'f>(findings: &'f [Finding], lint: &str) -> &'f Finding {
    let known: Vec<&str> = findings.iter().map(|finding| finding.code().id()).collect();
    findings
        .iter()
        .find(|finding| finding.code().id() == lint)
        .unwrap_or_else(|| panic!("no {lint} in {known:?}"))
}

/// Lints that have a check of this kind.
fn with_check(is: fn(&LintCheck) -> bool) -> Vec<&'static str> {
    LINTS.iter().filter(|lint| lint.checks.iter().any(is)).map(|lint| lint.id()).collect()
}

/// The data of a finding as text, by name, as programs read it.
fn data(finding: &Finding) -> Vec<String> {
    let all = finding.reason.data.iter();
    all.map(|(name, datum)| format!("{name}={}", shown(datum))).collect()
}

fn shown(datum: &Datum) -> String {
    match datum {
        Datum::Flag(flag) => flag.to_string(),
        Datum::Count(count) => count.to_string(),
        Datum::Number(number) => format!("{number:.2}"),
        Datum::Text(text) => text.clone(),
        Datum::List(all) => all.iter().map(shown).collect::<Vec<_>>().join(", "),
        Datum::Quantity { value, unit } => format!("{value:.3e} {unit}").trim_end().to_owned(),
        Datum::Reason(reason) => reason.code.to_string(),
    }
}

#[test]
fn the_table_is_sound() {
    let mut ids: Vec<&str> = LINTS.iter().map(lint::Lint::id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "an id is listed twice");
    for lint in LINTS {
        let id = lint.id();
        assert!(!lint.source.is_empty() && !lint.why.is_empty() && !lint.why.ends_with('.'), "{id}");
        assert!(lint.checks.is_empty() == (id == "waiver"), "{id}");
    }
    for stage in [LintStage::Plan, LintStage::Machine] {
        assert!(LINTS.iter().any(|lint| lint.stage() == stage), "no lint at {stage}");
    }
}

/// The findings of the two plans that contain all defects.
fn all_defects() -> Vec<Finding> {
    let texts = [
        include_str!("../plans/seeds-literal.toml"),
        include_str!("../plans/more-defects.toml"),
        include_str!("../plans/contract.toml"),
    ];
    texts.into_iter().flat_map(|text| lint::plan(&plan::Plan::parse(text, "p.toml").unwrap())).collect()
}

#[test]
fn no_finding_is_more_severe_than_its_lint() {
    for finding in all_defects() {
        let lint = lint::of_code(finding.code()).expect("of the table");
        assert!(finding.severity <= lint.severity, "{finding:#?}");
    }
}

#[test]
fn every_less_severe_case_has_a_finding_of_that_severity() {
    let found = all_defects();
    for (code, (severity, _)) in LINTS.iter().filter_map(|lint| Some((lint.code, lint.less_severe?))) {
        let mut own = found.iter().filter(|finding| finding.code() == code);
        let is_found = own.any(|own| severity.contains(&own.severity.to_string()));
        assert!(is_found, "no {code} is {severity}: add a test to a plan in tests/plans");
    }
}
