//! Rule: a crate depends on the crates that the house allows it, and on no others of ours.
//!
//! Invariant: the table below is the one in the architecture paper; a new arrow is a change of both.
//! Never here: dependencies from outside.

use toml::{Table, Value};

use super::Finding;
use super::tree::Tree;

/// A crate, and those that it may use.
type Room = (&'static str, &'static str);

const ROOMS: &[Room] = &[
    ("units", ""),
    ("ffi", ""),
    ("measure", "units"),
    ("ranks", "units ffi"),
    ("storage", "units ranks ffi"),
    ("results", "units measure"),
    ("workloads", "units measure ranks storage results"),
    ("command", "units"),
    ("plan", "units results command"),
    ("lint", "units results command plan"),
    ("run", "units results plan"),
    ("judge", "units measure results plan"),
    ("conformance", "ranks storage results"),
    ("report", "units results"),
    (
        "cli",
        "units ffi measure ranks storage results workloads command plan lint run \
         conformance judge report",
    ),
    (TESTKIT, "units measure ranks storage results"),
    (SHIM, ""),
    ("xtask", ""),
];

/// The crates that others may use in tests only.
const TESTKIT: &str = "testkit";
const SHIM: &str = "shim";

/// Further arrows of tests: campaigns that run to their end are evaluated, and each reason has a sentence.
const IN_TESTS: &[(&str, &str)] = &[("judge", "run"), ("judge", "report")];

/// Compares every manifest with the table.
pub(super) fn between_crates(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.sources.iter().filter(|source| source.path.ends_with("/Cargo.toml"));
    manifests.flat_map(|source| judge(&source.path, &source.text)).collect()
}

fn judge(path: &str, text: &str) -> Vec<Finding> {
    let Ok(manifest) = text.parse::<Table>() else {
        return vec![Finding::new(path, 1, "is not TOML")];
    };
    let name = manifest.get("package").and_then(|p| p.get("name")).and_then(Value::as_str).unwrap_or("");
    let Some(room) = ROOMS.iter().find(|(room, _)| *room == name) else {
        return vec![Finding::new(
            path,
            1,
            format!("crate `{name}` has no row in the table of arrows (add one)"),
        )];
    };
    let arrows = arrows(&manifest);
    let wrong = arrows.iter().filter(|arrow| !allows(room, arrow));
    wrong.map(|arrow| Finding::new(path, line_of(text, &arrow.to), complaint(room, arrow))).collect()
}

struct Arrow {
    to: String,
    in_tests: bool,
}

fn allows((room, may_use): &Room, arrow: &Arrow) -> bool {
    let in_tests = arrow.in_tests && [TESTKIT, SHIM].contains(&&*arrow.to) && *room != "xtask";
    let listed = arrow.in_tests && IN_TESTS.contains(&(*room, &*arrow.to));
    in_tests || listed || may_use.split_whitespace().any(|name| name == arrow.to)
}

fn complaint((room, may_use): &Room, arrow: &Arrow) -> String {
    if [TESTKIT, SHIM].contains(&&*arrow.to) {
        return format!("`{room}` may not depend on `{}` (in tests: [dev-dependencies])", arrow.to);
    }
    let allowed = match *may_use {
        "" => "nothing of ours".to_owned(),
        names => names.replace(' ', ", "),
    };
    format!("`{room}` may not depend on `{}` (it may on {allowed})", arrow.to)
}

/// Every dependency on a crate of ours, in all sections, also those for one target.
fn arrows(manifest: &Table) -> Vec<Arrow> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let mut places: Vec<&Table> =
        targets.into_iter().flat_map(Table::values).filter_map(Value::as_table).collect();
    places.push(manifest);
    let sections = [("dependencies", false), ("build-dependencies", false), ("dev-dependencies", true)];
    let mut arrows = Vec::new();
    for (section, in_tests) in sections {
        let found = places.iter().filter_map(|place| place.get(section)?.as_table());
        let names = found.flat_map(|table| table.iter().map(|(key, value)| real_name(key, value)));
        let ours = names.filter(|name| ROOMS.iter().any(|(room, _)| room == name));
        arrows.extend(ours.map(|to| Arrow { to: to.to_owned(), in_tests }));
    }
    arrows
}

fn real_name<'a>(key: &'a str, value: &'a Value) -> &'a str {
    value.get("package").and_then(Value::as_str).unwrap_or(key)
}

fn line_of(text: &str, name: &str) -> usize {
    let names = |line: &str| line.trim_start().starts_with(name) || line.contains(&format!("\"{name}\""));
    text.lines().position(names).map_or(1, |line| line + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, rest: &str) -> Vec<String> {
        let text = format!("[package]\nname = \"{name}\"\n\n{rest}");
        judge("crates/x/Cargo.toml", &text).into_iter().map(|f| format!("{}: {}", f.line, f.what)).collect()
    }

    #[test]
    fn an_arrow_in_the_table_passes_and_others_are_found_with_their_line() {
        let rest = "[dependencies]\nserde = \"1\"\nunits.workspace = true\nresults.workspace = true\n";
        assert!(found("plan", rest).is_empty());
        let bad = "[dependencies]\nworkloads.workspace = true\n";
        let what = "5: `run` may not depend on `workloads` (it may on units, results, plan)";
        assert_eq!(found("run", bad), [what]);
    }

    #[test]
    fn testkit_is_for_tests_only() {
        assert!(found("storage", "[dev-dependencies]\ntestkit.workspace = true\n").is_empty());
        assert_eq!(found("storage", "[dependencies]\ntestkit.workspace = true\n").len(), 1);
        assert_eq!(found("xtask", "[dev-dependencies]\ntestkit.workspace = true\n").len(), 1);
    }

    #[test]
    fn an_arrow_under_another_name_or_for_one_target_is_seen() {
        assert_eq!(
            found("units", "[dependencies]\nfast = { package = \"measure\", path = \"../m\" }\n").len(),
            1
        );
        assert_eq!(found("units", "[target.'cfg(unix)'.dependencies]\nffi.workspace = true\n").len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        assert_eq!(found("extras", ""), ["1: crate `extras` has no row in the table of arrows (add one)"]);
    }
}
