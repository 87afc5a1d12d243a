//! One example of each lint: a command line or a part of a plan that has the defect, and the corrected one.
//!
//! `cli` tests that each example has its finding, and generates the reference pages from them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::Lint;

/// A text with the defect of a lint, and the corrected text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LintExample {
    /// The text that has the finding: an `assay lint` command line, or a part of a plan.
    pub found: String,
    /// The text that does not have it.
    pub corrected: String,
}

impl LintExample {
    /// Whether the texts are parts of a plan.
    pub fn is_plan(&self) -> bool {
        self.found.starts_with('[')
    }
}

static EXAMPLES: LazyLock<BTreeMap<String, LintExample>> = LazyLock::new(|| {
    toml::from_str(include_str!("examples.toml")).expect("examples.toml has valid examples")
});

impl Lint {
    /// Its example.
    ///
    /// # Panics
    /// If there is none, which a test of this crate rules out.
    pub fn example(&self) -> &'static LintExample {
        &EXAMPLES[self.id()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LINTS;

    #[test]
    fn every_lint_has_one_example_and_every_example_one_lint() {
        let ids: Vec<&str> = LINTS.iter().map(Lint::id).collect();
        assert_eq!(EXAMPLES.len(), ids.len());
        ids.iter().for_each(|id| assert!(EXAMPLES.contains_key(*id), "{id}"));
    }
}
