//! Rule: the names of backends are in the table of `command` only. Other code reads a row of the table, and
//! decides by what the backend can do.
//!
//! The rule finds literals that are such a name, in any case. Tests may have them.

use super::Finding;
use super::tree::{Source, Tree};

/// The file with the table.
const TABLE: &str = "crates/command/src/backends.rs";

/// Places that may have the names, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/command/", "the table and its command lines"),
    ("crates/conformance/src/posix/", "names of system calls"),
    ("crates/storage/src/backends/", "the drivers"),
    ("crates/storage/src/arrays/", "the name of the library"),
    ("crates/storage/src/hdf5/", "the name of the library"),
    ("crates/storage/src/plain/lustre.rs", "the kernel's name of a type of file system"),
    ("crates/cli/src/personalities/flash_io/text.rs", "the output of the original"),
];

/// Rule: no name of a backend outside of the table.
pub(super) fn named(tree: &Tree) -> Vec<Finding> {
    let table = tree.rust().find(|source| source.path == TABLE);
    let rows = table.map_or("", |table| table.text.as_str()).lines();
    let name = |row: &str| Some(row.trim().strip_prefix("name: \"")?.strip_suffix("\",")?.to_owned());
    let names: Vec<String> = rows.filter_map(name).chain(["posix".to_owned()]).collect();
    if names.len() < 2 {
        return vec![Finding::new(TABLE, 1, "no names of backends are found here, so nothing is checked")];
    }
    let is_allowed = |path: &str| ALLOWED.iter().any(|(place, _)| path.starts_with(place));
    let is_test = |source: &Source| source.is_beside_the_program() || source.stem().ends_with("_tests");
    let sources = tree.rust().filter(|source| !is_test(source) && !is_allowed(&source.path));
    sources.flat_map(|source| named_in(source, &names)).collect()
}

fn named_in(source: &Source, names: &[String]) -> Vec<Finding> {
    let lines: Vec<String> = source.text.lines().map(str::to_lowercase).collect();
    let in_line = |line: usize| names.iter().find(|name| lines[line - 1].contains(&format!("\"{name}\"")));
    let mut literals: Vec<usize> = source
        .tokens
        .iter()
        .filter(|token| token.text == "\"\"" && !token.is_test)
        .map(|token| token.line)
        .collect();
    literals.dedup();
    let found = literals.into_iter().filter_map(|line| {
        let what = format!("`{}` is the name of a backend (read its row in `command`)", in_line(line)?);
        Some(Finding::new(&source.path, line, what))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_a_backend_is_found_outside_of_the_table_and_of_tests() {
        let table = (TABLE, "const A: B = B {\n    name: \"aio\",\n};");
        let found = |text: &str| named(&Tree::of(&[table, ("crates/judge/src/a.rs", text)])).len();
        assert_eq!(found("fn f() { a == \"AIO\" }"), 1);
        assert_eq!(found("fn f() { [\"-a\", \"POSIX\"] }"), 1);
        assert_eq!(found("fn f() { a == \"aiox\" }"), 0);
        assert_eq!(found("#[cfg(test)]\nmod tests { fn f() { \"aio\" } }"), 0);
    }
}
