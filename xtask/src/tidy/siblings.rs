//! Rule: siblings do not import each other. A workload imports only itself and `kit`, a backend no other
//! backend.
//!
//! The rule checks names in paths (`super::mdtest`, `use crate::{ior, kit}`), not variables.
//!
//! Invariant: the directory lists the siblings, so the rule covers a new one without a change here.

use std::collections::BTreeSet;

use super::Finding;
use super::tokens::{Token, close_of};
use super::tree::Tree;

struct Family {
    folder: &'static str,
    /// Files of the directory that are not members, such as the table of all members.
    tables: &'static [&'static str],
    /// True if only subdirectories are members, and files are shared.
    folders_only: bool,
    shared: &'static str,
    advice: &'static str,
}

const FAMILIES: &[Family] = &[
    Family {
        folder: "crates/workloads/src/",
        tables: &[],
        folders_only: true,
        shared: "kit",
        advice: "move shared code to `kit`",
    },
    Family {
        folder: "crates/storage/src/backends/",
        tables: &["mod", "tests"],
        folders_only: false,
        shared: "",
        advice: "move shared code to `storage`",
    },
];

/// Rule: no member of a family imports another member.
pub(super) fn apart(tree: &Tree) -> Vec<Finding> {
    FAMILIES.iter().flat_map(|family| imports(family, tree)).collect()
}

fn imports(family: &Family, tree: &Tree) -> Vec<Finding> {
    let inside = || tree.rust().filter_map(|source| Some((source, member(family, &source.path)?)));
    let members: BTreeSet<&str> = inside().map(|(_, member)| member).collect();
    let mut findings = Vec::new();
    for (source, member) in inside() {
        let others = |name: &str| name != member && name != family.shared && members.contains(name);
        for (name, line) in path_names(&source.tokens).filter(|(name, _)| others(name)) {
            let what = format!("`{member}` imports its sibling `{name}` ({})", family.advice);
            findings.push(Finding::new(&source.path, line, what));
        }
    }
    findings.dedup();
    findings
}

/// The member of a file: the first part of its path inside the directory.
fn member<'a>(family: &Family, path: &'a str) -> Option<&'a str> {
    let inside = path.strip_prefix(family.folder)?;
    let name = match inside.split_once('/') {
        Some((folder, _)) => folder,
        None if family.folders_only => return None,
        None => inside.strip_suffix(".rs")?,
    };
    (!family.tables.contains(&name)).then_some(name)
}

/// Names in paths, with their lines: before or after `::`, or anywhere in a `use`.
fn path_names(tokens: &[Token]) -> impl Iterator<Item = (&str, usize)> {
    let used = in_use(tokens);
    let is = |at: Option<usize>, text: &str| at.and_then(|at| tokens.get(at)).is_some_and(|t| t.text == text);
    let colons = move |a: Option<usize>, b: Option<usize>| is(a, ":") && is(b, ":");
    tokens.iter().enumerate().filter_map(move |(at, token)| {
        let before = colons(at.checked_sub(1), at.checked_sub(2));
        let after = colons(Some(at + 1), Some(at + 2));
        (before || after || used[at]).then_some((token.text.as_str(), token.line))
    })
}

fn in_use(tokens: &[Token]) -> Vec<bool> {
    let mut used = vec![false; tokens.len()];
    for at in (0..tokens.len()).filter(|at| tokens[*at].text == "use") {
        let depth = tokens[at].depth;
        let end = (at..tokens.len()).find(|end| tokens[*end].depth == depth && tokens[*end].text == ";");
        used[at..end.unwrap_or(at)].fill(true);
    }
    for open in (0..tokens.len()).filter(|at| tokens[*at].text == "#") {
        if tokens.get(open + 1).is_some_and(|token| token.text == "[") {
            used[open..close_of(tokens, open + 1)].fill(false);
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    const MDTEST: (&str, &str) = ("crates/workloads/src/mdtest/mod.rs", "//! M.");
    const KIT: (&str, &str) = ("crates/workloads/src/kit/layout.rs", "//! L.");

    fn found_in_ior(text: &str) -> usize {
        apart(&Tree::of(&[MDTEST, KIT, ("crates/workloads/src/ior/run.rs", text)])).len()
    }

    #[test]
    fn a_workload_that_imports_another_is_found() {
        assert_eq!(found_in_ior("use crate::mdtest::Tree;"), 1);
        assert_eq!(found_in_ior("use crate::{\n    kit,\n    mdtest,\n};"), 1);
        assert_eq!(found_in_ior("fn f() { super::super::mdtest::run() }"), 1);
    }

    #[test]
    fn a_workload_may_import_itself_and_the_kit_and_use_any_variable() {
        assert_eq!(found_in_ior("use crate::kit::layout;\nuse crate::ior::run;"), 0);
        assert_eq!(found_in_ior("fn f(mdtest: u64) -> u64 { mdtest } // crate::mdtest"), 0);
    }

    #[test]
    fn the_kit_imports_no_workload_and_the_table_imports_all() {
        let kit = ("crates/workloads/src/kit/layout.rs", "use crate::mdtest;");
        assert_eq!(apart(&Tree::of(&[MDTEST, kit])).len(), 1);
        let table = ("crates/workloads/src/lib.rs", "pub mod mdtest; pub use mdtest::Mdtest;");
        assert!(apart(&Tree::of(&[MDTEST, table])).is_empty());
    }

    #[test]
    fn a_backend_file_that_imports_a_backend_directory_is_found() {
        let posix = ("crates/storage/src/backends/posix/mod.rs", "use crate::Storage;");
        let bad = ("crates/storage/src/backends/uring.rs", "use super::posix::File;");
        let table = ("crates/storage/src/backends/mod.rs", "mod posix; mod uring; use posix::POSIX;");
        let found = apart(&Tree::of(&[posix, bad, table]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, bad.0);
    }
}
