//! Rules: a file starts with a module header; files, functions and lines have a limited size.
//!
//! The exemption is a comment `// tidy: long because …`. It is on the line above the function (or above its
//! attributes and doc), or among the comments at the start of the file.
//!
//! Invariant: an exemption without a reason has no effect.

use super::Finding;
use super::tokens::{Token, close_of};
use super::tree::{Source, Tree};

const LINE_CHARS_MAX: usize = 110;
const FILE_LINES_MAX: usize = 600;
const FUNCTION_LINES_MAX: usize = 60;
const EXEMPTION: &str = "// tidy: long because ";

/// Rule: module header, number of lines, length of lines.
pub(super) fn files(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(check_file).collect()
}

fn check_file(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.text.starts_with("//!") {
        findings.push(Finding::new(
            &source.path,
            1,
            "has no module header (start the file with `//!`: what it is, and why)",
        ));
    }
    let count = source.text.lines().count();
    let opening = source.text.lines().take_while(|line| line.is_empty() || line.starts_with("//"));
    if count > FILE_LINES_MAX && !opening.into_iter().any(is_exemption) {
        let what = format!("has {count} lines ({FILE_LINES_MAX} at most, or `{EXEMPTION}…` at the top)");
        findings.push(Finding::new(&source.path, 1, what));
    }
    for (at, line) in source.text.lines().enumerate() {
        let chars = line.chars().count();
        if chars > LINE_CHARS_MAX {
            let what = format!("line of {chars} characters ({LINE_CHARS_MAX} at most)");
            findings.push(Finding::new(&source.path, at + 1, what));
        }
    }
    findings
}

/// Rule: the body of a function, between its braces, is not too long.
pub(super) fn functions(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(check_functions).collect()
}

fn check_functions(source: &Source) -> Vec<Finding> {
    let lines: Vec<&str> = source.text.lines().collect();
    let tokens = &source.tokens;
    let mut findings = Vec::new();
    for (at, body) in (0..tokens.len()).filter_map(|at| Some((at, body_of(tokens, at)?))) {
        let count = tokens[close_of(tokens, body)].line.saturating_sub(tokens[body].line + 1);
        if count > FUNCTION_LINES_MAX && !is_exempt(&lines, tokens[at].line) {
            let name = &tokens[at + 1].text;
            let what =
                format!("`fn {name}` has {count} lines ({FUNCTION_LINES_MAX} at most, or `{EXEMPTION}…`)");
            findings.push(Finding::new(&source.path, tokens[at].line, what));
        }
    }
    findings
}

/// The opening brace of the function with its `fn` at `at`; `None` for a type or a signature.
fn body_of(tokens: &[Token], at: usize) -> Option<usize> {
    let is_name = |token: &Token| token.text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    if tokens[at].text != "fn" || !tokens.get(at + 1).is_some_and(is_name) {
        return None;
    }
    let depth = tokens[at].depth;
    let mut same_level = (at + 1..tokens.len()).take_while(|at| tokens[*at].depth >= depth);
    let end = same_level
        .find(|at| tokens[*at].depth == depth && ["{", ";"].contains(&tokens[*at].text.as_str()))?;
    (tokens[end].text == "{").then_some(end)
}

/// Whether the attributes and comments above the `fn` have an exemption.
fn is_exempt(lines: &[&str], line: usize) -> bool {
    let above = lines[..line - 1].iter().rev().map(|line| line.trim_start());
    above.take_while(|line| line.starts_with("//") || line.starts_with("#[")).any(is_exemption)
}

fn is_exemption(line: &str) -> bool {
    line.strip_prefix(EXEMPTION).is_some_and(|reason| !reason.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        let tree = Tree::of(&[("crates/units/src/a.rs", text)]);
        files(&tree).len() + functions(&tree).len()
    }

    fn function(lines: usize, above: &str) -> String {
        format!("//! A.\n\n{above}fn f() where u8: Copy {{\n{}}}\n", "    g();\n".repeat(lines))
    }

    #[test]
    fn a_file_without_a_module_header_is_found() {
        assert_eq!(found("use a::b;\n"), 1);
        assert_eq!(found("//! A header.\nuse a::b;\n"), 0);
    }

    #[test]
    fn a_file_of_601_lines_is_found_without_an_exemption() {
        let long = |top: &str| format!("//! A.\n{top}\n{}", "const A: u8 = 1;\n".repeat(598));
        assert_eq!(found(&long("")), 0);
        assert_eq!(found(&long("//\n")), 1);
        assert_eq!(found(&long("// tidy: long because it is a table of options\n")), 0);
        assert_eq!(found(&long("// tidy: long because \n")), 1, "no reason given");
    }

    #[test]
    fn a_line_of_111_characters_is_found_and_bytes_do_not_matter() {
        assert_eq!(found(&format!("//! {}\n", "é".repeat(106))), 0);
        assert_eq!(found(&format!("//! {}\n", "é".repeat(107))), 1);
    }

    #[test]
    fn a_function_of_61_lines_is_found_without_an_exemption() {
        assert_eq!(found(&function(60, "")), 0);
        assert_eq!(found(&function(61, "")), 1);
        assert_eq!(found(&function(61, "// tidy: long because it is one list\n#[inline]\n")), 0);
        assert_eq!(
            found(&function(61, "// tidy: long because it is one list\n\n")),
            1,
            "not on the line above"
        );
    }

    #[test]
    fn braces_in_strings_and_function_signatures_are_not_bodies() {
        let text = format!(
            "//! A.\ntrait T {{\n    fn a();\n    fn b(f: fn() -> u8);\n}}\nfn g() {{\n h(\"}}\");\n{}}}\n",
            "    h('{');\n".repeat(60)
        );
        assert_eq!(found(&text), 1);
    }

    #[test]
    fn functions_in_macros_are_checked_too() {
        let inner = function(61, "").replace("//! A.\n", "");
        assert_eq!(found(&format!("//! A.\nmacro_rules! m {{ () => {{ {inner} }} }}\n")), 1);
    }
}
