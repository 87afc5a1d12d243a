//! The keys as docs/PLAN.md has them: a table for each table.

use std::fmt::Write as _;

use super::{KeyForm, KeyTable, tables};

/// The rows of each table, under what opens it.
pub fn paper() -> Vec<(String, String)> {
    tables().into_iter().map(|table| (table.name.to_owned(), page(table))).collect()
}

fn page(table: &KeyTable) -> String {
    let mut text = String::from("| key | such as | what it is |\n|---|---|---|\n");
    for key in table.keys {
        let name = match key.must {
            true => format!("**`{}`**", key.name),
            false => format!("`{}`", key.name),
        };
        let such = match (key.example, &key.form) {
            ("", _) => String::new(),
            (example, _) => format!("`{}`", example.replace('|', "\\|")),
        };
        let words = match &key.form {
            KeyForm::Word(words) => {
                let others: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
                format!("{}: {}", others.join(" "), key.about)
            }
            _ => key.about.to_owned(),
        };
        writeln!(text, "| {name} | {such} | {words} |").expect("a string takes all");
    }
    text
}
