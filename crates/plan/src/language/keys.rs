//! What is made of the keys of a plan for people: the schema for editors, and the tables of
//! docs/reference/plan.md. `wire` lists the keys.
//!
//! Never here: reading a plan, rules between its keys.

mod schema;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use super::read::TableKeys as _;
use super::table::{KeyForm, KeyTable};
use super::wire::PlanFile;

pub use schema::schema;

/// A key of this name with a value, from the first table that has it, or another key as an example.
pub(crate) fn example(name: &str) -> String {
    let with_example = |name: &str| {
        let all = PlanFile::TABLE.with_inner().into_iter().filter_map(|table| table.key(name));
        all.map(|key| key.example).find(|example| !example.is_empty())
    };
    let such = with_example(name).map(|example| format!("{name} = {example}"));
    such.unwrap_or_else(|| "ior = \"-w -F\"".to_owned())
}

/// The tables of docs/reference/plan.md: the rows of each table of keys, by the table's name.
pub fn keys_paper() -> Vec<(String, String)> {
    PlanFile::TABLE.with_inner().into_iter().map(|table| (table.name.to_owned(), page(table))).collect()
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
