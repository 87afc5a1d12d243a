//! What the linter says of commands, plans, machines, measurements and reports.

mod criteria;
mod defects;
mod lines;
mod plans;
mod runs;
mod stages;
mod states;

use campaign::lint;
use campaign::lint::Finding;
use campaign::lint::LINTS;
use campaign::lint::LineSubject;
use campaign::lint::Role;
use campaign::lint::Stage;
use campaign::lint::launcher::Command;
use campaign::lint::table::Check;
use units::Quantity;

/// A command as facts; `facts` are `key=value` words such as `nodes=28 ram=512g role=write`.
fn subject(facts: &str, command: &str) -> LineSubject {
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let mut subject = LineSubject::of(&Command::read(&words).expect(command));
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
            "role" => subject.role = Role::ALL.iter().find(|(word, _)| *word == value).map(|(_, role)| *role),
            other => panic!("no fact `{other}`"),
        }
    }
    subject
}

/// The ids of the findings about one command.
fn ids(subject: &LineSubject) -> Vec<&'static str> {
    lint::line(subject).into_iter().map(|finding| finding.lint).collect()
}

/// The finding of this lint.
fn finding<'f>(findings: &'f [Finding], lint: &str) -> &'f Finding {
    let known: Vec<&str> = findings.iter().map(|finding| finding.lint).collect();
    findings.iter().find(|finding| finding.lint == lint).unwrap_or_else(|| panic!("no {lint} in {known:?}"))
}

/// Lints that have a check of the kind.
fn with_check(is: fn(&Check) -> bool) -> Vec<&'static str> {
    LINTS.iter().filter(|lint| lint.checks.iter().any(is)).map(|lint| lint.id).collect()
}

#[test]
fn the_table_is_sound() {
    let mut ids: Vec<&str> = LINTS.iter().map(|lint| lint.id).collect();
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "an id stands twice");
    for lint in LINTS {
        let id = lint.id;
        assert!(id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{id}");
        assert!(!lint.checks.is_empty() && !lint.source.is_empty(), "{id}");
        assert!(!lint.reason.is_empty() && !lint.reason.ends_with('.'), "{id}");
        assert!(lint.stages().is_sorted(), "{id}");
    }
    for stage in [Stage::Plan, Stage::Before, Stage::After, Stage::Report] {
        assert!(LINTS.iter().any(|lint| lint.stages().contains(&stage)), "no lint at {stage}");
    }
}

#[test]
fn what_is_less_grave_is_so_by_its_findings() {
    let texts = [include_str!("../plans/seeds-literal.toml"), include_str!("../plans/more-defects.toml")];
    let of = |text| lint::plan(&plan::Plan::parse(text, "p.toml").unwrap());
    let found: Vec<Finding> = texts.into_iter().flat_map(of).collect();
    for (id, level, _) in lint::LESS_GRAVE {
        let levels =
            found.iter().filter(|finding| finding.lint == *id).map(|finding| finding.level.to_string());
        assert!(levels.into_iter().any(|own| level.contains(&own)), "no {id} is {level}");
    }
}

#[test]
fn the_paper_is_made_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/LINTS.md");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, lint::paper()).expect("docs/LINTS.md");
    }
    let text = std::fs::read_to_string(path).expect("docs/LINTS.md");
    assert!(text == lint::paper(), "made anew by BLESS=1, or assay lint --list --markdown > docs/LINTS.md");
}
