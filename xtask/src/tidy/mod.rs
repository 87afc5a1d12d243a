//! `cargo xtask tidy`: the source rules that no compiler checks.
//!
//! Each rule reads the tree in memory and returns findings, `path:line: what (remedy)`. The same check is a
//! test, so that `cargo test` fails if the tree breaks a rule.
//!
//! Invariant: the tree is the only input of a rule, so each rule has tests on snippets.
//! Never here: the rules themselves; this file has their table.

mod arrows;
mod backends;
mod bans;
mod cycles;
mod messages;
mod names;
mod prose;
mod shape;
mod siblings;
mod tokens;
mod tree;
mod unsafe_code;
mod words;

use std::path::Path;

use anyhow::Result;

use self::tree::Tree;

/// One breach of a rule.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: String,
    line: usize,
    /// The problem and, in brackets, the remedy.
    what: String,
}

impl Finding {
    fn new(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, what: what.into() }
    }
}

type Rule = fn(&Tree) -> Vec<Finding>;

const RULES: &[Rule] = &[
    arrows::between_crates,
    backends::named,
    bans::calls,
    bans::attributes,
    cycles::between_modules,
    messages::compared,
    names::of_modules,
    names::of_places,
    shape::files,
    shape::functions,
    siblings::apart,
    tokens::readable,
    unsafe_code::places,
    unsafe_code::reasons,
    words::banned,
    words::sentences,
];

/// All findings under this root, sorted by path and line.
pub(crate) fn check(root: &Path) -> Result<Vec<String>> {
    let tree = Tree::read(root)?;
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    findings.sort();
    Ok(findings.iter().map(|f| format!("{}:{}: {}", f.path, f.line, f.what)).collect())
}

/// Checks the tree, and prints the findings, one line each, and their number.
pub(crate) fn print(root: &Path) -> Result<Vec<String>> {
    let findings = check(root)?;
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => println!("tidy"),
        count => println!("{count} findings"),
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let findings = check(&crate::root().unwrap()).unwrap();
        assert!(findings.is_empty(), "\n{}\n", findings.join("\n"));
    }

    #[test]
    fn findings_are_sorted_and_have_path_line_and_problem() {
        let root = tempfile::tempdir().unwrap();
        let write = |place: &str, text: &str| {
            let path = root.path().join("crates").join(place);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("command/src/backends.rs", "//! Rows.\n\nconst A: B = B {\n    name: \"aio\",\n};\n");
        write("units/src/b.rs", "//! B.\n\nfn f() {\n    todo!()\n}\n");
        write("units/src/a.rs", "fn f() {}\n");
        let found = check(root.path()).unwrap();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("crates/units/src/a.rs:1: "), "{found:?}");
        assert!(found[1].starts_with("crates/units/src/b.rs:4: "), "{found:?}");
    }
}
