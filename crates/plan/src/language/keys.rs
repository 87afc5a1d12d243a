//! Everything derived from the keys of a plan: the schema for editors, the tables of docs/reference/plan.md,
//! and the expected form in a rejection. `wire` lists the keys.
//!
//! Never here: reading a plan, rules between its keys.

mod empty;
mod form;
mod meant;
mod schema;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use super::table::{KeyForm, KeyTable, PlanKey};
use super::wire::PlanFile;

pub(crate) use empty::drop_empty;
pub(crate) use form::{misplaced, missed, problems, problems_of, unknown_keys};
pub use schema::schema;

/// A key of this name with a value, from the first table that has it, or another key as an example.
pub(crate) fn example(name: &str) -> String {
    let with_example = |name: &str| {
        let all = tables().into_iter().filter_map(|table| table.key(name));
        all.map(|key| key.example).find(|example| !example.is_empty())
    };
    let such = with_example(name).map(|example| format!("{name} = {example}"));
    such.unwrap_or_else(|| "ior = \"-w -F\"".to_owned())
}

/// The whole file and every table in it, each once, in the order of the file.
fn tables() -> Vec<&'static KeyTable> {
    let mut all = vec![PlanFile::TABLE];
    let mut at = 0;
    while let Some(table) = all.get(at).copied() {
        let inner = table.keys.iter().filter_map(|key| key.form.table());
        for table in inner {
            if !all.iter().any(|known: &&KeyTable| known.name == table.name) {
                all.push(table);
            }
        }
        at += 1;
    }
    all
}

/// The tables of docs/reference/plan.md: the rows of each table of keys, by the table's name.
pub fn keys_paper() -> Vec<(String, String)> {
    tables().into_iter().map(|table| (table.name.to_owned(), page(table))).collect()
}

fn page(table: &KeyTable) -> String {
    let mut text = String::from("| key | example | meaning |\n|---|---|---|\n");
    for key in table.keys {
        let name = match key.must {
            true => format!("**`{}`**", key.name),
            false => format!("`{}`", key.name),
        };
        let such = match key.example {
            "" => String::new(),
            example => format!("`{}`", example.replace('|', "\\|")),
        };
        let words = match &key.form {
            KeyForm::Word(words) | KeyForm::CheckedWord(words) => {
                let others: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
                format!("{}: {}", others.join(" "), key.about)
            }
            _ => key.about.to_owned(),
        };
        writeln!(text, "| {name} | {such} | {words} |").expect("a string takes all");
    }
    text
}
