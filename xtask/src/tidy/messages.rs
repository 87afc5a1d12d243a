//! Rule: no code branches on the text of a message.
//!
//! A message is for people, and its wording may change at any time. The rule finds comparisons of a literal
//! with a variable that has the name of a message, such as `why.contains("…")` or `error.to_string() == "…"`.
//!
//! Some other programs report a reason only in their output. A comparison with such output needs a comment
//! above it: `// tidy: by message text because …`.
//!
//! Never here: parsed texts, such as plans and command lines.

use super::Finding;
use super::tokens::{Token, reads};
use super::tree::{Source, Tree};

/// Names of variables that hold messages.
const MESSAGES: &[&str] =
    &["message", "what", "why", "said", "reason", "remedy", "sentence", "explanation", "complaint"];
/// Functions that search in a text.
const CALLS: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "find",
    "split_once",
    "matches",
];
const EXEMPTION: &str = "// tidy: by message text because ";
/// The exemption is at most this number of lines above the comparison.
const NEAR: usize = 12;

/// Rule: no message is compared with a literal.
pub(super) fn compared(tree: &Tree) -> Vec<Finding> {
    tree.rust().filter(|source| !source.is_beside_the_program()).flat_map(compared_in).collect()
}

fn compared_in(source: &Source) -> Vec<Finding> {
    let tokens = &source.tokens;
    let lines: Vec<&str> = source.text.lines().collect();
    let exempt = |line: usize| {
        lines[line.saturating_sub(NEAR)..line].iter().any(|line| line.trim_start().starts_with(EXEMPTION))
    };
    let compares = |at: &usize| !tokens[*at].is_test && is_compared(tokens, *at);
    let found = (0..tokens.len()).filter(compares).map(|at| tokens[at].line).filter(|line| !exempt(*line));
    let what =
        "a message is compared with a text (compare a type, or add `// tidy: by message text because …`)";
    found.map(|line| Finding::new(&source.path, line, what)).collect()
}

/// Whether the message or `to_string()` at `at` is compared with a literal.
fn is_compared(tokens: &[Token], at: usize) -> bool {
    let after = match tokens[at].text.as_str() {
        "to_string" if reads(tokens, at + 1, &["(", ")"]) => at + 3,
        word if MESSAGES.contains(&word) => {
            let called = reads(tokens, at + 1, &["(", ")"]);
            at + if called { 3 } else { 1 }
        }
        _ => return false,
    };
    let call = reads(tokens, after, &["."])
        && tokens.get(after + 1).is_some_and(|call| CALLS.contains(&call.text.as_str()))
        && (reads(tokens, after + 2, &["(", "\"\""]) || reads(tokens, after + 2, &["(", "&", "\"\""]));
    let equals = |sign: &str| reads(tokens, after, &[sign, "=", "\"\""]);
    call || equals("=") || equals("!")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> usize {
        compared(&Tree::of(&[("crates/judge/src/a.rs", text)])).len()
    }

    #[test]
    fn a_message_that_is_compared_with_a_text_is_found() {
        assert_eq!(found("fn f() { if why.contains(\"cached\") {} }"), 1);
        assert_eq!(found("fn f() { if verdict.reason == \"x\" {} }"), 1);
        assert_eq!(found("fn f() { error.to_string().starts_with(\"no\") }"), 1);
        assert_eq!(found("fn f() { error.message().find(\"no\"); }"), 1);
    }

    #[test]
    fn other_texts_tests_and_exemptions_with_a_reason_pass() {
        assert_eq!(found("fn f() { word.starts_with(\"-b\"); why.is_empty(); reason == Code::A }"), 0);
        assert_eq!(found("#[test] fn f() { assert!(why.contains(\"x\")) }"), 0);
        let reason = "// tidy: by message text because the launcher prints nothing else";
        assert_eq!(found(&format!("fn f() {{\n{reason}\nif message.contains(\"x\") {{}} }}")), 0);
    }
}
