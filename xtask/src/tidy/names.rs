//! Rules: a module is named after what it is, and the tree names no place of one machine.
//!
//! Never here: names inside the code, which only a reader can judge.

use super::Finding;
use super::tree::{Source, Tree};

/// Names that say nothing.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "manager", "managers", "misc"];

/// Roots of the machines that we build on, without their slashes: a path below one means nothing to others.
const MACHINE_ROOTS: &[&str] = &["work", "farm"];

/// Rule: no module is called after nothing.
pub(super) fn of_modules(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter_map(judge_module).collect()
}

fn judge_module(source: &Source) -> Option<Finding> {
    let parts = source.path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
    let name = parts.into_iter().find(|part| EMPTY_NAMES.contains(part))?;
    let what = format!("`{name}` says nothing (name the module after what it holds)");
    Some(Finding::new(&source.path, 1, what))
}

/// Rule: no text names a path of a machine that the project is built on.
pub(super) fn of_places(tree: &Tree) -> Vec<Finding> {
    tree.sources.iter().flat_map(judge_places).collect()
}

fn judge_places(source: &Source) -> Vec<Finding> {
    let numbered = source.text.lines().enumerate();
    let named = numbered.filter_map(|(at, line)| Some((at + 1, machine_root(line)?)));
    named
        .map(|(line, root)| {
            let what = format!("names `/{root}/` (a path of one machine: name it relative to the root)");
            Finding::new(&source.path, line, what)
        })
        .collect()
}

/// The root that a line names, unless it is the middle of a longer path.
fn machine_root(line: &str) -> Option<&'static str> {
    let in_path = |c: char| c.is_alphanumeric() || "._-~})$".contains(c);
    let names =
        |root: &&&str| line.match_indices(&format!("/{root}/")).any(|(at, _)| !line[..at].ends_with(in_path));
    MACHINE_ROOTS.iter().find(names).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_called_after_nothing_is_found() {
        for path in ["crates/a/src/utils.rs", "crates/a/src/helpers/text.rs", "xtask/src/misc.rs"] {
            assert_eq!(of_modules(&Tree::of(&[(path, "//! A.")])).len(), 1, "{path}");
        }
        assert!(of_modules(&Tree::of(&[("crates/a/src/management.rs", "//! A.")])).is_empty());
    }

    #[test]
    fn a_path_of_one_machine_is_found_in_any_text() {
        for root in MACHINE_ROOTS {
            let line = format!("see `/{root}/main` for more");
            assert_eq!(of_places(&Tree::of(&[("docs/A.md", &line)])).len(), 1, "{line}");
        }
    }

    #[test]
    fn the_same_word_in_the_middle_of_a_path_passes() {
        for line in ["/lustre/work/user", "$SCRATCH/work/a", "work/a", "{dir}/work/a", "the work/farm split"]
        {
            assert!(of_places(&Tree::of(&[("docs/A.md", line)])).is_empty(), "{line}");
        }
    }
}
