//! Rule: modules of one crate do not import each other in a cycle.
//!
//! The rule compares sibling modules at every level. A module and its parent may import each other, as is
//! usual in Rust.
//!
//! Never here: dependencies between crates, which the compiler and `arrows` check.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::tokens::{Token, close_of};
use super::tree::{Source, Tree};

/// A module, as the names from the root of the crate.
type ModulePath = Vec<String>;

/// Rule: no cycle. A cycle is reported at each of its imports.
pub(super) fn between_modules(tree: &Tree) -> Vec<Finding> {
    let name_of = |source: &Source| source.path.strip_prefix("crates/")?.split('/').next().map(str::to_owned);
    let names: BTreeSet<String> = tree.rust().filter_map(name_of).collect();
    names.iter().flat_map(|name| of_crate(name, tree)).collect()
}

fn of_crate(name: &str, tree: &Tree) -> Vec<Finding> {
    let root = format!("crates/{name}/src/");
    let of_this_crate = || {
        tree.rust()
            .filter(|source| !source.is_beside_the_program())
            .filter_map(|source| Some((source, module_of(source.path.strip_prefix(&root)?))))
    };
    let modules: BTreeSet<ModulePath> = of_this_crate().map(|(_, module)| module).collect();
    let mut arrows: BTreeMap<ModulePath, BTreeMap<ModulePath, (&Source, usize)>> = BTreeMap::new();
    for (source, module) in of_this_crate() {
        for (path, line) in paths(&source.tokens) {
            let Some(target) = resolve(&module, &path, &modules) else { continue };
            if let Some((from, to)) = apart(&module, &target) {
                arrows.entry(from).or_default().entry(to).or_insert((source, line));
            }
        }
    }
    let edges = arrows.iter().flat_map(|(from, all)| all.iter().map(move |(to, place)| (from, to, place)));
    let back = |from: &ModulePath, to: &ModulePath| way(&arrows, to, from);
    edges
        .filter_map(|(from, to, (source, line))| {
            let back = back(from, to)?;
            let names: Vec<String> = back.iter().map(|module| module.join("::")).collect();
            let what = format!(
                "`{}` imports `{}`, which leads back to it (move the shared code to a module below both)",
                from.join("::"),
                names.join("` -> `")
            );
            Some(Finding::new(&source.path, *line, what))
        })
        .collect()
}

/// The module of a file below `src`.
fn module_of(path: &str) -> ModulePath {
    let mut names: ModulePath = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if ["lib", "main", "mod"].contains(&names.last().map_or("", String::as_str)) {
        names.pop();
    }
    names
}

/// The longest known module at the start of a path in `module`; `None` for paths to other crates.
fn resolve(module: &ModulePath, path: &[String], modules: &BTreeSet<ModulePath>) -> Option<ModulePath> {
    let mut at = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "self" | "super" => module.clone(),
        _ => return None,
    };
    for name in path {
        match name.as_str() {
            "crate" | "self" => {}
            "super" => {
                at.pop();
            }
            name => {
                at.push(name.to_owned());
                if !modules.contains(&at) {
                    at.pop();
                    break;
                }
            }
        }
    }
    Some(at)
}

/// The sibling modules that contain two modules; `None` if one contains the other.
fn apart(one: &ModulePath, other: &ModulePath) -> Option<(ModulePath, ModulePath)> {
    let common = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    (common < one.len() && common < other.len()).then(|| (one[..=common].to_vec(), other[..=common].to_vec()))
}

/// The modules on a path of imports from one to another, both included.
fn way<T>(
    arrows: &BTreeMap<ModulePath, BTreeMap<ModulePath, T>>,
    from: &ModulePath,
    to: &ModulePath,
) -> Option<Vec<ModulePath>> {
    let mut ways = vec![vec![from.clone()]];
    let mut seen: BTreeSet<ModulePath> = BTreeSet::new();
    while let Some(way) = ways.pop() {
        let last = way.last()?.clone();
        if last == *to {
            return Some(way);
        }
        if seen.insert(last.clone()) {
            let next = arrows.get(&last).into_iter().flat_map(BTreeMap::keys);
            ways.extend(next.map(|next| [&way[..], std::slice::from_ref(next)].concat()));
        }
    }
    None
}

/// All paths that begin with `crate`, `self` or `super`, with their lines. Each path in braces is separate.
fn paths(tokens: &[Token]) -> Vec<(Vec<String>, usize)> {
    let mut all = Vec::new();
    for at in 0..tokens.len() {
        let begins = ["crate", "self", "super"].contains(&tokens[at].text.as_str());
        let within = at >= 2 && tokens[at - 1].text == ":" && tokens[at - 2].text == ":";
        if begins && !within && !tokens[at].is_test {
            follow(tokens, at, Vec::new(), &mut all);
        }
    }
    all
}

/// Collects the paths that begin with `path` and continue with the word at `at`.
fn follow(tokens: &[Token], at: usize, mut path: Vec<String>, all: &mut Vec<(Vec<String>, usize)>) {
    path.push(tokens[at].text.clone());
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    if !(is(at + 1, ":") && is(at + 2, ":")) {
        all.push((path, tokens[at].line));
        return;
    }
    if !is(at + 3, "{") {
        if tokens.get(at + 3).is_some_and(|next| next.text.starts_with(|c: char| c.is_alphanumeric())) {
            follow(tokens, at + 3, path, all);
        } else {
            all.push((path, tokens[at].line));
        }
        return;
    }
    let (open, close) = (at + 3, close_of(tokens, at + 3));
    let inside = tokens[open].depth + 1;
    let begins = |place: &usize| {
        let first = *place == open + 1 || tokens[*place - 1].text == ",";
        tokens[*place].depth == inside && first && tokens[*place].text != ","
    };
    for place in (open + 1..close).filter(begins) {
        follow(tokens, place, path.clone(), all);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        between_modules(&Tree::of(files)).into_iter().map(|f| f.what).collect()
    }

    #[test]
    fn two_modules_that_import_each_other_are_two_findings() {
        let one = ("crates/plan/src/a.rs", "use crate::{b::{C, d::E}, F};");
        let two = ("crates/plan/src/b.rs", "fn f() { super::a::g() }");
        let found = found(&[one, two]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].starts_with("`a` imports `b` -> `a`, "), "{found:?}");
    }

    #[test]
    fn a_cycle_of_three_is_found_across_directories() {
        let files = [
            ("crates/judge/src/a/mod.rs", "use super::b::X;"),
            ("crates/judge/src/b.rs", "use crate::c;"),
            ("crates/judge/src/c.rs", "use crate::a::inner::Y;"),
            ("crates/judge/src/a/inner.rs", ""),
        ];
        assert_eq!(found(&files).len(), 3);
    }

    #[test]
    fn a_module_may_import_its_parent_and_tests_may_import_any_module() {
        let files = [
            ("crates/run/src/a/mod.rs", "mod inner; use inner::X; use self::inner::Z;"),
            ("crates/run/src/a/inner.rs", "use super::Y; use crate::a::Y;"),
            ("crates/run/src/b.rs", "use crate::c::X;"),
            ("crates/run/src/c.rs", "#[cfg(test)] mod tests { use crate::b::X; }"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }
}
