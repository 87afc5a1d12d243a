//! Rules: `unsafe` is in few places, and each use gives the reason why it is sound.
//!
//! Invariant: the list of places agrees with the style guide.

use super::Finding;
use super::tokens::Token;
use super::tree::{Source, Tree};

/// Prefixes of the allowed paths.
const PLACES: &[&str] = &[
    "crates/ffi/",
    "crates/ranks/src/mpi",
    "crates/shim/",
    "crates/storage/src/calls",
    "crates/storage/src/locks",
    "crates/storage/src/arrays/hdf5",
    "crates/storage/src/arrays/pnetcdf",
    "crates/storage/src/hdf5",
    "crates/storage/src/mpi_file/",
    "crates/storage/src/quota",
    "crates/storage/src/residency",
    "crates/storage/src/plain/extents",
    "crates/storage/src/plain/gpfs",
    "crates/storage/src/plain/lustre",
    "crates/storage/src/slots",
    "crates/storage/src/backends/uring",
    "crates/storage/src/backends/mmap",
    "crates/storage/src/backends/aio",
    "crates/storage/src/backends/cephfs",
    "crates/storage/src/backends/hdf5",
    "crates/workloads/src/kit/payload/body_cipher",
    "crates/workloads/src/kit/payload/lanes",
    "xtask/src/bench/usage",
];

/// Rule: code outside these places has no `unsafe`.
pub(super) fn places(tree: &Tree) -> Vec<Finding> {
    let elsewhere = tree.rust().filter(|source| !PLACES.iter().any(|place| source.path.starts_with(place)));
    let what =
        "`unsafe` may not be here (only in `ffi`, `ranks::mpi`, the backends that need it and the lanes)";
    elsewhere
        .flat_map(|source| uses(source).map(|(_, line)| Finding::new(&source.path, line, what)))
        .collect()
}

/// Rule: an `unsafe` block or `impl` has a comment `SAFETY:` before it.
pub(super) fn reasons(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(unexplained).collect()
}

fn unexplained(source: &Source) -> Vec<Finding> {
    let lines: Vec<&str> = source.text.lines().collect();
    let needs = |at: usize| {
        source.tokens.get(at + 1).is_some_and(|token: &Token| ["{", "impl"].contains(&token.text.as_str()))
    };
    let what = "`unsafe` without a reason (write `// SAFETY: …` on the line above)";
    let bare = uses(source).filter(|(at, line)| needs(*at) && !is_explained(&lines, *line));
    bare.map(|(_, line)| Finding::new(&source.path, line, what)).collect()
}

fn uses(source: &Source) -> impl Iterator<Item = (usize, usize)> {
    let tokens = source.tokens.iter().enumerate();
    tokens.filter(|(_, token)| token.text == "unsafe").map(|(at, token)| (at, token.line))
}

/// Whether the statement with this line has a `SAFETY:` comment before it.
fn is_explained(lines: &[&str], line: usize) -> bool {
    if lines[line - 1].contains("SAFETY:") {
        return true;
    }
    let above = lines[..line - 1].iter().rev().map(|line| line.trim());
    let mut in_comment = false;
    for text in above {
        let is_comment = text.starts_with("//") || text.starts_with('*') || text.starts_with("/*");
        if is_comment && text.contains("SAFETY:") {
            return true;
        }
        let ends = text.is_empty() || text.ends_with([';', '{', '}']);
        if !is_comment && (in_comment || ends) {
            return false;
        }
        in_comment |= is_comment;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> (usize, usize) {
        let tree = Tree::of(&[(path, text)]);
        (places(&tree).len(), reasons(&tree).len())
    }

    #[test]
    fn unsafe_code_outside_the_allowed_places_is_found() {
        let text = "fn f() {\n    // SAFETY: it is.\n    unsafe { g() }\n}";
        assert_eq!(found("crates/cli/src/a.rs", text), (1, 0));
        for place in
            ["crates/ffi/src/a.rs", "crates/ranks/src/mpi/a.rs", "crates/storage/src/backends/uring.rs"]
        {
            assert_eq!(found(place, text), (0, 0), "{place}");
        }
        assert_eq!(found("crates/storage/src/backends/posix/file.rs", text), (1, 0));
    }

    #[test]
    fn the_word_in_a_comment_a_string_or_a_longer_name_is_not_code() {
        let text = "#![forbid(unsafe_code)]\n// unsafe\nconst A: &str = \"unsafe {\";";
        assert_eq!(found("crates/cli/src/a.rs", text), (0, 0));
    }

    #[test]
    fn a_block_or_impl_without_a_reason_is_found() {
        assert_eq!(found("crates/ffi/src/a.rs", "fn f() {\n    g();\n    unsafe { h() }\n}"), (0, 1));
        let two = "// SAFETY: no state.\nunsafe impl Send for A {}\nunsafe impl Sync for A {}";
        assert_eq!(found("crates/ffi/src/a.rs", two), (0, 1));
        let far =
            "fn f() {\n    // SAFETY: of g.\n    unsafe { g() };\n    let a = 1;\n    unsafe { h() }\n}";
        assert_eq!(found("crates/ffi/src/a.rs", far), (0, 1));
    }

    #[test]
    fn the_reason_may_be_several_lines_above_the_whole_statement() {
        let text = "fn f() {\n    // SAFETY: the library is never closed,\n    // so its symbols stay.\n    \
                    let symbol =\n        unsafe { g() };\n}\nunsafe fn g() {}";
        assert_eq!(found("crates/ffi/src/a.rs", text), (0, 0));
    }
}
