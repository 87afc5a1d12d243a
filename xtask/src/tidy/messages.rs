//! Rule: nothing is decided by the words of a message.
//!
//! A message is what a program says to people; its words may change on any day. Looked for are comparisons
//! of a text with something that is called like one, such as `why.contains("…")` or
//! `error.to_string() == "…"`.
//!
//! A comparison with what another program prints, which has nothing better, says so on a line above:
//! `// tidy: by words because …`.
//!
//! Never here: texts that are parsed, such as plans and command lines.

use super::Finding;
use super::tokens::{Token, reads};
use super::tree::{Source, Tree};

/// What messages are called.
const MESSAGES: &[&str] =
    &["message", "what", "why", "said", "reason", "remedy", "sentence", "told", "explanation", "complaint"];
/// Calls that look for a text in another.
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
const EXEMPTION: &str = "// tidy: by words because ";
/// Lines above a comparison in which the exemption may stand.
const NEAR: usize = 12;

/// Every comparison of a message with a literal.
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
    let what = "a message is compared with a text (decide by a type; or say `// tidy: by words because …`)";
    found.map(|line| Finding::new(&source.path, line, what)).collect()
}

/// Whether the message at `at`, or the `to_string()` there, is compared with a literal.
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
    fn other_texts_tests_and_what_says_its_reason_pass() {
        assert_eq!(found("fn f() { word.starts_with(\"-b\"); why.is_empty(); reason == Code::A }"), 0);
        assert_eq!(found("#[test] fn f() { assert!(why.contains(\"x\")) }"), 0);
        let reason = "// tidy: by words because the launcher prints nothing else";
        assert_eq!(found(&format!("fn f() {{\n{reason}\nif message.contains(\"x\") {{}} }}")), 0);
    }
}
