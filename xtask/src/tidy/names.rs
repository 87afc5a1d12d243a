//! Rules: module names are specific, and no text contains a path of one machine.
//!
//! Never here: names inside the code, which need a human reviewer.

use super::Finding;
use super::tree::{Source, Tree};

/// Names without information.
const EMPTY_NAMES: &[&str] = &["utils", "util", "helpers", "helper", "manager", "managers", "misc"];

/// Root directories of the build machines, without slashes. Paths below them do not exist elsewhere.
const MACHINE_ROOTS: &[&str] = &["work", "farm"];

/// Rule: no module has a name without information.
pub(super) fn of_modules(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter_map(check_module).collect()
}

fn check_module(source: &Source) -> Option<Finding> {
    let parts = source.path.split('/').map(|part| part.strip_suffix(".rs").unwrap_or(part));
    let name = parts.into_iter().find(|part| EMPTY_NAMES.contains(part))?;
    let what = format!("`{name}` is no name for a module (name it after its content)");
    Some(Finding::new(&source.path, 1, what))
}

/// Rule: no text contains a path of a build machine.
pub(super) fn of_places(tree: &Tree) -> Vec<Finding> {
    tree.sources.iter().flat_map(check_places).collect()
}

fn check_places(source: &Source) -> Vec<Finding> {
    let numbered = source.text.lines().enumerate();
    let named = numbered.filter_map(|(at, line)| Some((at + 1, machine_root(line)?)));
    named
        .map(|(line, root)| {
            let what = format!("contains `/{root}/`, a path of one machine (write it relative to the root)");
            Finding::new(&source.path, line, what)
        })
        .collect()
}

/// The root directory in a line, unless it is the middle of a longer path.
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
    fn a_module_without_a_specific_name_is_found() {
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
