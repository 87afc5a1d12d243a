//! Rule: no two types of the workspace have the same name.
//!
//! The rule covers structs, enums, traits, unions and aliases in modules. It excludes types inside functions,
//! tests, examples and chores.
//!
//! Never here: names of modules, functions and constants.

use std::collections::BTreeMap;

use super::Finding;
use super::tokens::Token;
use super::tree::{Source, Tree};

const KINDS: &[&str] = &["struct", "enum", "trait", "union", "type"];

/// Rule: no declaration has the name of another one.
pub(super) fn once(tree: &Tree) -> Vec<Finding> {
    let mut declared: BTreeMap<&str, Vec<(&Source, usize)>> = BTreeMap::new();
    for source in tree.rust().filter(|source| !source.is_beside_the_program()) {
        for token in declarations(&source.tokens) {
            declared.entry(&token.text).or_default().push((source, token.line));
        }
    }
    let twice = declared.into_iter().filter(|(_, places)| places.len() > 1);
    twice.flat_map(|(name, places)| findings(name, &places)).collect()
}

fn findings(name: &str, places: &[(&Source, usize)]) -> Vec<Finding> {
    let one = |(at, (source, line)): (usize, &(&Source, usize))| {
        let (other, other_line) = places[(at + 1) % places.len()];
        let what =
            format!("type `{name}` is also declared in {}:{other_line} (give each its own name)", other.path);
        Finding::new(&source.path, *line, what)
    };
    places.iter().enumerate().map(one).collect()
}

/// The names of the types that modules declare.
fn declarations(tokens: &[Token]) -> impl Iterator<Item = &Token> {
    let declares = |at: &usize| {
        let token = &tokens[*at];
        token.depth == 0 && !token.is_test && KINDS.contains(&token.text.as_str())
    };
    let name = |at: usize| tokens.get(at + 1).filter(|name| is_type(&name.text));
    (0..tokens.len()).filter(declares).filter_map(name)
}

/// Whether a word is the name of a type. Some types of C interfaces have names in lower case; they are left
/// out.
fn is_type(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        once(&Tree::of(files)).into_iter().map(|f| format!("{}:{}", f.path, f.line)).collect()
    }

    #[test]
    fn two_types_of_one_name_are_two_findings() {
        let one = ("crates/a/src/lib.rs", "struct Step;\nenum Other {}");
        let two = ("crates/b/src/x.rs", "\npub type Step = u8;");
        assert_eq!(found(&[one, two]), ["crates/a/src/lib.rs:1", "crates/b/src/x.rs:2"]);
    }

    #[test]
    fn associated_types_tests_and_types_inside_functions_are_left_out() {
        let one = ("crates/a/src/lib.rs", "impl T for X { type Item = u8; } fn f() { struct Local; }");
        let two = ("crates/b/src/lib.rs", "impl T for Y { type Item = u8; } #[cfg(test)] struct Local;");
        let three = ("crates/b/tests/pure/main.rs", "struct Item; struct Local;");
        assert_eq!(found(&[one, two, three]), [""; 0]);
    }
}
