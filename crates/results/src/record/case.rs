//! One case of a conformance suite: the promise, the document that makes it, and whether it was kept.

use serde::{Deserialize, Serialize};

use units::words;

words! {
    /// How a case ended.
    #[derive(Default, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum CaseOutcome {
        /// The promise was kept.
        #[default]
        Pass = "pass",
        /// The promise was not kept.
        Fail = "fail",
        /// The library or the file system reports that it does not support this.
        Unsupported = "unsupported",
        /// It was not run. The record has the reason.
        Skipped = "skipped",
        /// The promise was not kept, which is a known failure of this release of the library.
        Library = "library",
        /// Its time limit passed, or its job was ended, before the promise was seen to be kept or broken.
        Undecided = "undecided",
    }
}

/// One case, with its outcome over all ranks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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
    fn a_case_loads_also_with_an_unknown_field() {
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
        let later = text.replacen('{', r#"{"added_later":1,"#, 1);
        assert_eq!(serde_json::from_str::<Record>(&later).unwrap(), record);
    }

    #[test]
    fn the_words_of_outcomes_are_those_of_records() {
        for outcome in CaseOutcome::ALL {
            assert_eq!(serde_json::to_value(outcome).unwrap(), outcome.word());
            assert_eq!(CaseOutcome::named(outcome.word()), Some(outcome));
        }
    }
}
