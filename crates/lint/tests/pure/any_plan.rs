//! For every accepted plan the linter gives its findings, and the table lists the code of each.

#[path = "../../../plan/tests/pure/language/changes.rs"]
mod changes;

use plan::Plan;
use proptest::collection::vec;
use proptest::prelude::*;
use results::reason::Code;

use self::changes::change;

/// The bundled plans.
fn bundled() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plans");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    files.map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn every_plan_that_is_accepted_has_findings_of_known_lints(
        base in any::<prop::sample::Index>(),
        changes in vec(change(), 0..4),
    ) {
        let text = changes.iter().fold(base.get(&bundled()).clone(), |text, change| change.of(&text));
        if let Ok(plan) = Plan::parse(&text, "p.toml") {
            for finding in lint::plan(&plan) {
                let known = lint::of_code(finding.code()).is_some() || finding.code() == Code::Waiver;
                prop_assert!(known, "{finding:?}");
            }
        }
    }
}
