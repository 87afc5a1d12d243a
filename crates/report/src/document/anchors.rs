//! Link names in the report: those of tests are their ids, such as `C.3`.
//!
//! Invariant: a link name is unique, and has only characters that mean nothing in a link, a style or a page.
//! Never here: headings.

use std::collections::{BTreeMap, BTreeSet};

/// Names of places that every report has. A test with such an id gets another name.
pub(super) const RESERVED: &[&str] = &[
    "all",
    "appendix",
    "clauses",
    "course",
    "evidence",
    "findings",
    "heroes",
    "jobs",
    "machine",
    "method",
    "picture",
    "projections",
    "proof",
    "remarks",
    "scaling",
    "signatures",
    "signed",
    "tables",
    "waivers",
    "warnings",
];

/// The most characters of a link name before the number that makes it unique.
const LONGEST: usize = 80;

/// The link names that are taken.
pub(super) struct Anchors(BTreeSet<String>);

impl Anchors {
    /// Only the reserved names are taken.
    pub(super) fn new() -> Self {
        Self(RESERVED.iter().map(ToString::to_string).collect())
    }

    /// Takes the link name for `name`: the name itself if it is safe and unused.
    pub(super) fn take(&mut self, name: &str) -> String {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
        let safe: String = name.chars().take(LONGEST).map(|c| if is_safe(c) { c } else { '_' }).collect();
        let safe = if safe.is_empty() { "unnamed".to_owned() } else { safe };
        let numbered = (1_u64..).map(|number| match number {
            1 => safe.clone(),
            _ => format!("{safe}-{number}"),
        });
        let free = numbered.into_iter().find(|name| !self.0.contains(name)).unwrap_or_default();
        self.0.insert(free.clone());
        free
    }
}

/// The link name of the section of each test, by the id of the test.
pub(super) struct TestAnchors(BTreeMap<String, String>);

impl TestAnchors {
    /// Takes a name for each id.
    pub(super) fn for_tests<'i>(ids: impl Iterator<Item = &'i str>, anchors: &mut Anchors) -> Self {
        Self(ids.map(|id| (id.to_owned(), anchors.take(id))).collect())
    }

    /// The link name of a test; empty if it has none.
    pub(super) fn name(&self, id: &str) -> &str {
        self.0.get(id).map_or("", String::as_str)
    }

    /// The links to the sections of all tests, such as `#C.3`, by their ids.
    pub(super) fn into_links(self) -> BTreeMap<String, String> {
        self.0.into_iter().map(|(id, name)| (id, format!("#{name}"))).collect()
    }

    /// The link to the section of a test, such as `#C.3`; `None` if there is none.
    pub(super) fn link(&self, id: &str) -> Option<String> {
        self.0.get(id).map(|name| format!("#{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_own_link_name_unless_it_is_taken_or_unsafe() {
        let mut anchors = Anchors::new();
        for (id, name) in [
            ("C.3", "C.3"),
            ("C.3", "C.3-2"),
            ("jobs", "jobs-2"),
            ("all", "all-2"),
            ("\"><script>", "___script_"),
            ("a b", "a_b"),
            ("a_b", "a_b-2"),
            ("", "unnamed"),
            ("Ü", "_"),
        ] {
            assert_eq!(anchors.take(id), name, "{id}");
        }
        assert_eq!(anchors.take(&"x".repeat(500)).len(), LONGEST);
    }
}
