//! One case of a conformance suite: the promise, the document that makes it, and whether it was kept.

use serde::{Deserialize, Serialize};

/// How a case ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseOutcome {
    /// The promise was kept.
    #[default]
    Pass,
    /// The promise was not kept.
    Fail,
    /// The library or the file system reports that it does not support this.
    Unsupported,
    /// It was not run. The record has the reason.
    Skipped,
    /// The promise was not kept, which is a known failure of this release of the library.
    Library,
    /// Its time limit passed, or its job was ended, before the promise was seen to be kept or broken.
    Undecided,
}

impl CaseOutcome {
    /// All outcomes, in the order of tables.
    pub const ALL: [Self; 6] =
        [Self::Pass, Self::Fail, Self::Unsupported, Self::Skipped, Self::Library, Self::Undecided];

    /// The outcome with this word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }

    /// Its word in records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unsupported => "unsupported",
            Self::Skipped => "skipped",
            Self::Library => "library",
            Self::Undecided => "undecided",
        }
    }
}

/// One case, with its outcome over all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Case {
    /// Its name, with its group before the first dot.
    pub name: String,
    /// The promise, in one sentence.
    pub promise: String,
    /// The document and section that make the promise.
    pub document: String,
    /// Participating ranks.
    pub ranks: u32,
    /// How it ended.
    pub outcome: CaseOutcome,
    /// Why it is not a pass. For a pass, additional information.
    pub why: String,
    /// The evidence of the lowest rank that failed.
    pub evidence: Option<Evidence>,
    /// How many ranks failed.
    pub failed_ranks: u32,
    /// How long it took, seconds.
    pub seconds: f64,
}

impl Case {
    /// Its group: the part of its name before the first dot.
    pub fn group(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

/// The evidence that a promise was not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// The rank that saw it.
    pub rank: u32,
    /// Its node.
    pub node: String,
    /// The step of the case after which it was seen.
    pub step: String,
    /// The file, if any.
    pub path: String,
    /// The first wrong byte in the file; absent if the case is not about bytes.
    pub offset: Option<u64>,
    /// The expected value.
    pub expected: String,
    /// The found value.
    pub found: String,
    /// What was examined.
    pub what: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn a_case_loads_with_all_fields_with_some_fields_and_with_unknown_fields() {
        let evidence = Evidence { rank: 2, offset: Some(4096), found: "0x00".into(), ..Evidence::default() };
        let case = Case {
            name: "posix.append.records".into(),
            outcome: CaseOutcome::Fail,
            evidence: Some(evidence),
            failed_ranks: 1,
            ..Case::default()
        };
        let record = Record::Case(Box::new(case));
        let text = serde_json::to_string(&record).unwrap();
        assert!(text.starts_with(r#"{"record":"case","name":"posix.append.records""#), "{text}");
        assert!(text.contains(r#""outcome":"fail""#), "{text}");
        assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
        let part = r#"{"record":"case","name":"a.b","outcome":"library","added_later":1}"#;
        let wanted = Case { name: "a.b".into(), outcome: CaseOutcome::Library, ..Case::default() };
        assert_eq!(serde_json::from_str::<Record>(part).unwrap(), Record::Case(Box::new(wanted)));
    }

    #[test]
    fn the_words_of_outcomes_are_those_of_records() {
        for outcome in CaseOutcome::ALL {
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.word());
            assert_eq!(CaseOutcome::named(outcome.word()), Some(outcome));
        }
    }
}
