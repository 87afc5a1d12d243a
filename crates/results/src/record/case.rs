//! One case of a conformance suite: what is promised, by which document, and whether it was kept.

use serde::{Deserialize, Serialize};

/// How a case ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseOutcome {
    /// The promise was kept.
    #[default]
    Pass,
    /// It was not.
    Fail,
    /// The library or the file system says that it does not do this.
    Unsupported,
    /// It was not tried, for the reason given.
    Skipped,
    /// It was not kept, as is known of this release of the library.
    Library,
}

impl CaseOutcome {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [Self::Pass, Self::Fail, Self::Unsupported, Self::Skipped, Self::Library];

    /// The outcome of that word.
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.word() == word)
    }

    /// The word of the record.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unsupported => "unsupported",
            Self::Skipped => "skipped",
            Self::Library => "library",
        }
    }
}

/// One case, as it ended on all ranks together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Case {
    /// Its name, with its group before the first dot.
    pub name: String,
    /// What is promised, in a sentence.
    pub promise: String,
    /// By which document and section.
    pub document: String,
    /// Participating ranks.
    pub ranks: u32,
    /// How it ended.
    pub outcome: CaseOutcome,
    /// Why it is not a pass; of a pass, what else is to be known.
    pub why: String,
    /// What shows it, as the lowest rank that failed has it.
    pub evidence: Option<Evidence>,
    /// How many ranks failed.
    pub failed_ranks: u32,
    /// How long it took, seconds.
    pub seconds: f64,
}

impl Case {
    /// Its group: what stands before the first dot of its name.
    pub fn group(&self) -> &str {
        self.name.split('.').next().unwrap_or_default()
    }
}

/// What shows that a promise was not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// The rank that saw it.
    pub rank: u32,
    /// Its node.
    pub node: String,
    /// After which step of the case.
    pub step: String,
    /// The file, where there is one.
    pub path: String,
    /// The first wrong byte in the file; absent where it is not a matter of bytes.
    pub offset: Option<u64>,
    /// What should be there.
    pub expected: String,
    /// What is.
    pub found: String,
    /// What was looked at.
    pub what: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Record;

    #[test]
    fn a_case_reads_back_whole_in_part_and_with_what_a_later_format_adds() {
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
