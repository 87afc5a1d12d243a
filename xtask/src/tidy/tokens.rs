//! Rust source as a flat list of tokens with their lines, by the lexer of `proc-macro2`.
//!
//! Comments and the content of strings are left out, so a rule that searches for a word finds code only.
//!
//! Invariant: a bracket and its partner have the same depth, and the tokens between them a greater one.
//! Never here: rules, except that a file lexes.

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, Literal, TokenStream, TokenTree};

use super::Finding;
use super::tree::Tree;

/// One token.
#[derive(Debug)]
pub(super) struct Token {
    /// A name, one punctuation character, or a bracket; `""` for a text, `0` for another literal.
    pub(super) text: String,
    /// Counted from 1.
    pub(super) line: usize,
    pub(super) depth: usize,
    /// True inside an item marked as test.
    pub(super) is_test: bool,
}

/// Rule: every Rust file lexes. The other rules find nothing in a file that does not.
pub(super) fn readable(tree: &Tree) -> Vec<Finding> {
    let unreadable = tree.rust().filter_map(|source| Some((source, lex(&source.text).err()?)));
    unreadable
        .map(|(source, why)| Finding::new(&source.path, 1, format!("is not valid Rust: {why}")))
        .collect()
}

/// All tokens of a file.
pub(super) fn lex(text: &str) -> Result<Vec<Token>> {
    let stream: TokenStream = text.parse().map_err(|why| anyhow!("{why}"))?;
    let mut tokens = Vec::new();
    flatten(stream, 0, &mut tokens);
    mark_tests(&mut tokens);
    Ok(tokens)
}

/// True if the tokens from `at` on are these, for example `["process", ":", ":", "exit"]`.
pub(super) fn reads(tokens: &[Token], at: usize, like: &[&str]) -> bool {
    let tail = tokens.get(at..at + like.len());
    tail.is_some_and(|tail| tail.iter().zip(like).all(|(token, text)| token.text == *text))
}

/// The index of the partner of the bracket at `open`.
pub(super) fn close_of(tokens: &[Token], open: usize) -> usize {
    let depth = tokens[open].depth;
    let inside = tokens[open + 1..].iter().take_while(|token| token.depth > depth).count();
    open + 1 + inside
}

fn flatten(stream: TokenStream, depth: usize, tokens: &mut Vec<Token>) {
    for tree in stream {
        let line = tree.span().start().line;
        let mut push =
            |text: &str, line| tokens.push(Token { text: text.to_owned(), line, depth, is_test: false });
        match tree {
            TokenTree::Ident(word) => push(&word.to_string(), line),
            TokenTree::Punct(sign) => push(&sign.as_char().to_string(), line),
            TokenTree::Literal(literal) => push(if is_text(&literal) { "\"\"" } else { "0" }, line),
            TokenTree::Group(group) => {
                let (open, close) = brackets(group.delimiter());
                push(open, group.span_open().start().line);
                flatten(group.stream(), depth + 1, tokens);
                let line = group.span_close().start().line;
                tokens.push(Token { text: close.to_owned(), line, depth, is_test: false });
            }
        }
    }
}

/// Whether a literal is a text or a character.
fn is_text(literal: &Literal) -> bool {
    literal.to_string().ends_with(['"', '\'', '#'])
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// Marks the items with `#[test]` or `#[cfg(test)]`.
fn mark_tests(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        if !(reads(tokens, at, &["#", "["]) && is_test_mark(tokens, at + 1)) {
            continue;
        }
        let end = end_of_item(tokens, close_of(tokens, at + 1) + 1);
        tokens[at..end].iter_mut().for_each(|token| token.is_test = true);
    }
}

fn is_test_mark(tokens: &[Token], open: usize) -> bool {
    let inside = &tokens[open + 1..close_of(tokens, open)];
    let has = |word| inside.iter().any(|token| token.text == word);
    match inside.first() {
        Some(first) if first.text == "test" => inside.len() == 1,
        Some(first) if first.text == "cfg" => has("test") && !has("not"),
        _ => false,
    }
}

/// The index after the `;` or closing brace of the item that begins at `from`.
fn end_of_item(tokens: &[Token], from: usize) -> usize {
    let Some(depth) = tokens.get(from).map(|token| token.depth) else { return from };
    let ends = |token: &Token| token.depth == depth && [";", "}"].contains(&token.text.as_str());
    tokens[from..].iter().position(ends).map_or(tokens.len(), |length| from + length + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        lex(text).unwrap().into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn comments_and_strings_give_no_words() {
        assert_eq!(words("let a = \"unsafe\"; // unsafe\n/* unsafe */"), ["let", "a", "=", "\"\"", ";"]);
    }

    #[test]
    fn a_bracket_finds_its_partner() {
        let tokens = lex("fn f() { if a { b } c }").unwrap();
        let open = tokens.iter().position(|token| token.text == "{").unwrap();
        assert_eq!(close_of(&tokens, open), tokens.len() - 1);
    }

    #[test]
    fn only_the_item_after_the_mark_is_a_test() {
        let text =
            "fn a() {} #[cfg(test)] mod tests { fn b() {} } #[cfg(not(test))] fn c() {} #[test] fn d() {}";
        let tokens = lex(text).unwrap();
        let marked = |name| tokens.iter().find(|token| token.text == name).unwrap().is_test;
        assert_eq!(["a", "b", "c", "d"].map(marked), [false, true, false, true]);
    }

    #[test]
    fn a_file_that_does_not_lex_is_found() {
        let tree = Tree::of(&[("a.rs", "//! A.\nfn f() { ("), ("b.rs", "//! B.\nfn f() {}")]);
        let found = readable(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "a.rs");
    }
}
