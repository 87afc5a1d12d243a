//! `like = "B.1"`: a test with the keys of another test, except those that it gives itself.
//!
//! The keys are copied before the file is read, so every rule holds for the result. A key that is given
//! replaces the whole value. The id, the requirement text, waivers and exports are never copied: they are
//! about one test only.
//!
//! Never here: rules between keys.

use std::ops::Range;

use results::record::APP;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::defaults::among;
use super::plan_text::PlanText;
use crate::language::rejections::Rejections;

/// The key.
const LIKE: &str = "like";
/// Keys that are about one test only.
const OWN: &[&str] = &["id", "clause", "waive", "exports", LIKE];
/// Keys that the steps of a series or the parts of a group cannot have.
const OF_SERIES: &[&str] = &["order", "client_limit"];
const OF_GROUP: &[&str] = &["order", "client_limit", "repetitions", "warm_up"];

/// Copies the keys of other tests. Returns the places of `like` keys with an error, which is added.
pub(super) fn resolve(
    file: &mut DeTable<'_>,
    place: &PlanText<'_>,
    errors: &Rejections,
) -> Vec<Range<usize>> {
    let tests = file.get("test").and_then(|tests| tests.get_ref().as_array());
    let Some(tests) = tests.map(|all| all.to_vec()) else { return Vec::new() };
    let found = LikeTests { tests: &tests, place, errors };
    let mut wrong = Vec::new();
    for (at, test) in tests.iter().enumerate() {
        let Some(resolved) = found.resolved(test, &mut vec![at], &mut wrong) else { continue };
        if let Some(DeValue::Array(all)) = file.get_mut("test").map(Spanned::get_mut)
            && let Some(DeValue::Table(own)) = all.get_mut(at).map(Spanned::get_mut)
        {
            *own = resolved;
        }
    }
    for (entries, inner, left_out) in [("series", "phases", OF_SERIES), ("group", "parts", OF_GROUP)] {
        let Some(DeValue::Array(all)) = file.get_mut(entries).map(Spanned::get_mut) else { continue };
        for entry in all.iter_mut() {
            let DeValue::Table(entry) = entry.get_mut() else { continue };
            let sets_ranks =
                matches!(text(entry, "over"), Some("nodes" | "ranks")) || entry.contains_key("nodes");
            let Some(DeValue::Array(tests)) = entry.get_mut(inner).map(Spanned::get_mut) else { continue };
            for test in tests.iter_mut() {
                let Some(mut resolved) = found.resolved(test, &mut Vec::new(), &mut wrong) else { continue };
                let DeValue::Table(own) = test.get_mut() else { continue };
                let placed: &[&str] =
                    if sets_ranks && entries == "series" { &["ranks", "nodes"] } else { &[] };
                for name in left_out.iter().chain(placed).filter(|name| !own.contains_key(**name)) {
                    resolved.remove(*name);
                }
                *own = resolved;
            }
        }
    }
    wrong
}

/// The tests that can be named.
struct LikeTests<'a, 'i> {
    tests: &'a [Spanned<DeValue<'i>>],
    place: &'a PlanText<'a>,
    errors: &'a Rejections,
}

impl<'a, 'i> LikeTests<'a, 'i> {
    /// The test with the keys of the one that it names; `None` if it names none, or after an error. `chain`
    /// has the tests that led to it.
    fn resolved(
        &self,
        test: &Spanned<DeValue<'i>>,
        chain: &mut Vec<usize>,
        wrong: &mut Vec<Range<usize>>,
    ) -> Option<DeTable<'i>> {
        let own = test.get_ref().as_table()?;
        let like = own.get(LIKE)?;
        let wanted = like.get_ref().as_str().filter(|wanted| !wanted.is_empty())?;
        let who = format!("test {}", text(own, "id").unwrap_or_default());
        // The id of a test is empty if it has none.
        let id =
            |test: &'a Spanned<DeValue<'i>>| test.get_ref().get("id").and_then(|id| id.get_ref().as_str());
        let ids: Vec<&str> = self.tests.iter().map(|test| id(test).unwrap_or_default()).collect();
        let mut reject = |what: String| {
            // Each test of a circle, and each test that is like a rejected one, has the same error.
            if !wrong.contains(&like.span()) {
                self.errors.add(self.place.error(like, format!("{who}: like: {what}")));
            }
            wrong.push(like.span());
        };
        let known: Vec<&str> = ids.iter().copied().filter(|id| !id.is_empty()).collect();
        let Some(at) = ids.iter().position(|id| *id == wanted) else {
            reject(format!("`{wanted}` is not the id of a [[test]]{}", among(wanted, &known)));
            return None;
        };
        if chain.contains(&at) {
            reject(format!("`{wanted}` has its keys from this test. Write the keys in one of them."));
            return None;
        }
        chain.push(at);
        let base = &self.tests[at];
        let copied = self.resolved(base, chain, wrong);
        let base = base.get_ref().as_table()?;
        if copied.is_none() && base.contains_key(LIKE) {
            // Its error is added. Without its keys this test cannot be checked.
            wrong.push(like.span());
            return None;
        }
        Some(merged(copied.as_ref().unwrap_or(base), own))
    }
}

/// The keys of `own`, and those of `base` that it does not replace.
fn merged<'i>(base: &DeTable<'i>, own: &DeTable<'i>) -> DeTable<'i> {
    let has = |name: &str| own.contains_key(name);
    let is_line = |name: &str| name == APP || command::plan_keys().any(|key| key == name);
    let has_line = own.keys().any(|key| is_line(key.get_ref()));
    let is_replaced = |name: &str| match name {
        name if OWN.contains(&name) || has(name) => true,
        name if is_line(name) => has_line,
        "ranks" => has("nodes"),
        "nodes" => has("ranks"),
        // A test with another role has no criteria, and one with criteria has no other role.
        "criterion" => text(own, "role").is_some_and(|role| role != "contract"),
        "role" | "compare_to" => has("criterion") || has("role"),
        _ => false,
    };
    let mut all = own.clone();
    for (key, value) in base {
        if !is_replaced(key.get_ref()) {
            all.insert(key.clone(), value.clone());
        }
    }
    all
}

/// The text of a key.
fn text<'a>(table: &'a DeTable<'_>, name: &str) -> Option<&'a str> {
    table.get(name)?.get_ref().as_str()
}
