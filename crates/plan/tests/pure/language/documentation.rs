//! docs/reference/plan.md: its tables are those of the keys, and each example of a plan in it is valid.
//!
//! With `BLESS` set in the environment, the tables are written instead of compared.

use std::fs;
use std::path::Path;

use plan::Plan;
use testkit::documents::{self, Example, whole_plan};
use testkit::schema::faults;

use super::schema::read;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/plan.md");

#[test]
fn the_tables_of_the_documentation_are_those_of_the_keys() {
    let mut text = fs::read_to_string(PATH).expect(PATH);
    let mut missing = Vec::new();
    for (name, page) in plan::keys_paper() {
        let mark = format!("<!-- keys: {name} -->\n");
        let Some(begin) = text.find(&mark).map(|at| at + mark.len()) else {
            missing.push(name);
            continue;
        };
        let rows = text[begin..].lines().take_while(|line| line.starts_with('|'));
        let length: usize = rows.map(|row| row.len() + 1).sum();
        text.replace_range(begin..begin + length, &page);
    }
    assert!(missing.is_empty(), "docs/reference/plan.md has no `<!-- keys: NAME -->` for {missing:?}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(PATH, &text).expect(PATH);
    }
    assert!(
        text == fs::read_to_string(PATH).expect(PATH),
        "BLESS=1 writes the tables of docs/reference/plan.md"
    );
}

/// The examples of plans in the documentation.
pub(super) fn pieces() -> Vec<Example> {
    let all = documents::examples(Path::new(PATH));
    all.into_iter().filter(|example| example.language == "toml").collect()
}

#[test]
fn every_example_of_a_plan_in_the_documentation_is_valid() {
    let schema = plan::schema();
    let pieces = pieces();
    assert!(pieces.len() > 10, "{} examples", pieces.len());
    for Example { place, text, .. } in pieces {
        let text = whole_plan(&text);
        if let Err(rejected) = Plan::parse(&text, "piece") {
            panic!("{place}: {rejected}\n{text}");
        }
        assert_eq!(faults(&schema, &read(&text)), Vec::<String>::new(), "{place}");
    }
}
