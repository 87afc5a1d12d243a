//! The examples in the project's documents: fenced blocks with their language and place, and parts of plans.
//!
//! Never here: what an example means, which the crate that reads it tests.

use std::fs;
use std::path::{Path, PathBuf};

/// A fenced block of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// `path:line` of its first line.
    pub place: String,
    /// The word after the fence: `sh`, `toml`, `text`.
    pub language: String,
    /// Its lines, without the indentation of a list item.
    pub text: String,
}

/// The documents under the project's root: the book, and those beside it.
///
/// # Panics
/// If a document cannot be read.
pub fn documents(root: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"].iter().map(|name| root.join(name)).collect();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder of the book") {
            let path = entry.expect("an entry of the book").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The examples of a document.
///
/// # Panics
/// If it cannot be read.
pub fn examples(path: &Path) -> Vec<Example> {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found: Vec<Example> = Vec::new();
    let mut indent = None;
    for (number, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (indent, fence) {
            (None, Some(language)) => {
                indent = Some(line.len() - line.trim_start().len());
                let place = format!("{}:{}", path.display(), number + 2);
                found.push(Example { place, language: language.trim().to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => indent = None,
            (Some(columns), None) => {
                let example = found.last_mut().expect("a block has begun");
                example.text.push_str(line.get(columns..).unwrap_or_default());
                example.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

/// Tables that a part of a plan may depend on. A table is left out if the part has it itself.
const REST: &[(&str, &str)] = &[
    ("[plan]", "[plan]\nid = \"p\"\ntitle = \"t\"\n"),
    ("[fs.scratch]", "[fs.scratch]\ndir = \"{dir}\"\n"),
    ("[clients]", "[clients]\ndelivered = 22600\n"),
    ("[launch]", "[launch]\nkind = \"srun\"\n"),
    ("[defaults]", "[defaults]\nfs = \"scratch\"\n"),
    ("[known.phase1]", "[known.phase1]\nvalue = \"716886 MiB/s\"\nsource = \"a report\"\n"),
    ("[dataset.big]", "[dataset.big]\nior = \"-w -F -e -g -t 1m -b 4g -k -G 7\"\n"),
    (
        "id = \"B.1\"",
        "[[test]]\nid = \"B.1\"\nior = \"-w -F -e -g -t 1m -b 4g\"\ncriterion = { metric = \"write.bw\", \
         op = \">=\", value = \"2.5 GB/s\" }\n",
    ),
];

/// A part of a plan as a whole plan: the tables that it may depend on come first. A text with a `schema` is a
/// whole plan already. If the part has a `[[clause]]`, no criterion comes first, because it would belong to
/// no clause.
pub fn whole_plan(part: &str) -> String {
    if part.lines().any(|line| line.starts_with("schema =")) {
        return part.to_owned();
    }
    let has_clauses = part.lines().any(|line| line.starts_with("[[clause]]"));
    let missing = REST.iter().filter(|(mark, rest)| {
        let is_given = part.lines().any(|line| line.contains(mark));
        let has_no_clause = has_clauses && rest.contains("criterion");
        !is_given && !has_no_clause
    });
    let rest: String = missing.map(|(_, rest)| *rest).collect();
    format!("schema = 1\n{rest}{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_have_their_place_language_and_text() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "a\n```sh\nls\n```\n- b\n\n  ```toml\n  x = 1\n\n  ```\n").unwrap();
        let found = examples(file.path());
        let at = |line: u32| format!("{}:{line}", file.path().display());
        let of = |line, language: &str, text: &str| Example {
            place: at(line),
            language: language.into(),
            text: text.into(),
        };
        assert_eq!(found, [of(3, "sh", "ls\n"), of(8, "toml", "x = 1\n\n")]);
    }

    #[test]
    fn a_part_with_clauses_of_a_contract_gets_no_criterion() {
        let clause = "[[clause]]\nid = \"4\"\ntext = \"t\"\n";
        assert!(!whole_plan(clause).contains("criterion"));
        assert!(whole_plan(clause).contains("[launch]"));
        assert!(whole_plan("[[test]]\nid = \"4\"\n").contains("criterion"));
    }
}
