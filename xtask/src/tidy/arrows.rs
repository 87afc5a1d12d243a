//! Rule: a crate of this workspace depends only on those crates of the workspace that its row allows.
//!
//! Invariant: the table below agrees with the architecture document. A new dependency changes both.
//! Never here: dependencies on crates of others.

use toml::{Table, Value};

use super::Finding;
use super::tree::Tree;

/// A crate, and the crates that it may use.
type CrateRow = (&'static str, &'static str);

const CRATES: &[CrateRow] = &[
    ("units", ""),
    ("ffi", ""),
    ("measure", "units"),
    ("ranks", "units ffi"),
    ("storage", "units command ranks ffi"),
    ("results", "units measure"),
    ("workloads", "units command measure ranks storage results"),
    ("command", "units"),
    ("plan", "units results command"),
    ("lint", "units results command plan"),
    ("run", "units results plan"),
    ("judge", "units command measure results plan"),
    ("track", "units command measure results"),
    ("conformance", "ranks storage results"),
    ("report", "units results judge track"),
    ("evidence", "units results plan lint judge report"),
    (
        "cli",
        "units ffi measure ranks storage results workloads command plan lint run \
         conformance judge report evidence track",
    ),
    (TESTKIT, "units measure ranks storage results"),
    (SHIM, ""),
    ("xtask", ""),
    ("fuzz", "results command plan"),
];

/// The crates for tests only.
const TESTKIT: &str = "testkit";
const SHIM: &str = "shim";

/// More dependencies of tests: they evaluate whole campaigns, and check that each reason has a sentence.
const IN_TESTS: &[(&str, &str)] = &[("judge", "run"), ("judge", "report"), ("workloads", "judge")];

/// Rule: every manifest agrees with the table.
pub(super) fn between_crates(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.sources.iter().filter(|source| source.path.ends_with("/Cargo.toml"));
    manifests.flat_map(|source| check(&source.path, &source.text)).collect()
}

fn check(path: &str, text: &str) -> Vec<Finding> {
    let Ok(manifest) = text.parse::<Table>() else {
        return vec![Finding::new(path, 1, "is not valid TOML")];
    };
    let name = manifest.get("package").and_then(|p| p.get("name")).and_then(Value::as_str).unwrap_or("");
    let Some(row) = CRATES.iter().find(|(known, _)| *known == name) else {
        return vec![Finding::new(
            path,
            1,
            format!("crate `{name}` has no row in the table of dependencies (add one)"),
        )];
    };
    let arrows = arrows(&manifest);
    let wrong = arrows.iter().filter(|arrow| !allows(row, arrow));
    wrong.map(|arrow| Finding::new(path, line_of(text, &arrow.to), complaint(row, arrow))).collect()
}

struct Arrow {
    to: String,
    in_tests: bool,
}

fn allows((name, may_use): &CrateRow, arrow: &Arrow) -> bool {
    let in_tests = arrow.in_tests && [TESTKIT, SHIM].contains(&&*arrow.to) && *name != "xtask";
    let listed = arrow.in_tests && IN_TESTS.contains(&(*name, &*arrow.to));
    in_tests || listed || may_use.split_whitespace().any(|allowed| allowed == arrow.to)
}

fn complaint((name, may_use): &CrateRow, arrow: &Arrow) -> String {
    if [TESTKIT, SHIM].contains(&&*arrow.to) {
        return format!("`{name}` may not depend on `{}` (use [dev-dependencies] for tests)", arrow.to);
    }
    let allowed = match *may_use {
        "" => "no crate of this workspace".to_owned(),
        names => names.replace(' ', ", "),
    };
    format!("`{name}` may not depend on `{}` (allowed: {allowed})", arrow.to)
}

/// Every dependency on a crate of this workspace, in all sections, also in those for one target.
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
        let ours = names.filter(|name| CRATES.iter().any(|(known, _)| known == name));
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
        check("crates/x/Cargo.toml", &text).into_iter().map(|f| format!("{}: {}", f.line, f.what)).collect()
    }

    #[test]
    fn a_dependency_in_the_table_passes_and_others_are_found_with_their_line() {
        let rest = "[dependencies]\nserde = \"1\"\nunits.workspace = true\nresults.workspace = true\n";
        assert!(found("plan", rest).is_empty());
        let bad = "[dependencies]\nworkloads.workspace = true\n";
        let what = "5: `run` may not depend on `workloads` (allowed: units, results, plan)";
        assert_eq!(found("run", bad), [what]);
    }

    #[test]
    fn testkit_is_for_tests_only() {
        assert!(found("storage", "[dev-dependencies]\ntestkit.workspace = true\n").is_empty());
        assert_eq!(found("storage", "[dependencies]\ntestkit.workspace = true\n").len(), 1);
        assert_eq!(found("xtask", "[dev-dependencies]\ntestkit.workspace = true\n").len(), 1);
    }

    #[test]
    fn a_renamed_dependency_and_one_for_a_single_target_are_found() {
        assert_eq!(
            found("units", "[dependencies]\nfast = { package = \"measure\", path = \"../m\" }\n").len(),
            1
        );
        assert_eq!(found("units", "[target.'cfg(unix)'.dependencies]\nffi.workspace = true\n").len(), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_found() {
        assert_eq!(
            found("extras", ""),
            ["1: crate `extras` has no row in the table of dependencies (add one)"]
        );
    }
}
