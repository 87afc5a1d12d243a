//! The cases of `assay mpi-io` that do not pass, compared with those that are known not to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use results::Record;
use results::record::CaseOutcome;

use super::Ran;

/// A large case, which runs only on request.
pub const SPARSE: &str = "posix.sparse.10tb";

/// The cases of a run that did not pass.
#[derive(Debug)]
pub struct OpenCases {
    /// Those that failed.
    failed: BTreeSet<String>,
    /// Those that neither passed nor failed, with the outcome and its reason.
    not_shown: BTreeMap<String, (CaseOutcome, String)>,
}

impl OpenCases {
    /// Those in the records of a run, which must have come to its end.
    pub fn of(ran: &Ran, records: &Path) -> Self {
        let records = results::records::load(records).unwrap();
        assert!(matches!(records.last(), Some(Record::End(_))), "{ran:#?}");
        let mut open = Self { failed: BTreeSet::new(), not_shown: BTreeMap::new() };
        let mut passed = 0;
        for record in records {
            let Record::Case(case) = record else { continue };
            match case.outcome {
                CaseOutcome::Pass => passed += 1,
                CaseOutcome::Fail => _ = open.failed.insert(case.name),
                outcome => {
                    let why = format!("{} ({} s)", case.why, case.seconds);
                    open.not_shown.insert(case.name, (outcome, why));
                }
            }
        }
        assert!(passed > 0, "{ran:#?}");
        open
    }
}

/// What is known of a file system. All other cases pass.
pub struct KnownCases {
    /// Cases that fail each time.
    pub broken: &'static [&'static str],
    /// Cases that fail in some runs, because caches expire or ranks have to meet in a short time. `*` at
    /// the end means any end.
    pub sometimes: &'static [&'static str],
    /// Cases that need more time in some runs than they have. They are undecided then.
    pub slow: &'static [&'static str],
    /// Cases that do not show whether their promise holds, each time.
    pub not_shown: &'static [&'static str],
}

impl KnownCases {
    /// Whether a case fails in some runs.
    pub fn may_fail(&self, case: &str) -> bool {
        let mut all = self.sometimes.iter();
        all.any(|one| one.strip_suffix('*').map_or(*one == case, |start| case.starts_with(start)))
    }

    /// Asserts that the open cases are exactly the known ones.
    pub fn assert_are(&self, open: &OpenCases) {
        let is_slow = |case: &str, outcome| outcome == CaseOutcome::Undecided && self.slow.contains(&case);
        let failed = open.failed.iter().filter(|case| !self.may_fail(case)).cloned();
        let is_known = |case: &str, outcome| self.may_fail(case) || is_slow(case, outcome);
        let not_shown = open.not_shown.iter().filter(|(case, (outcome, _))| !is_known(case, *outcome));
        let not_shown = not_shown.map(|(case, _)| case.clone());
        let found: (BTreeSet<_>, BTreeSet<_>) = (failed.collect(), not_shown.collect());
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found, (names(self.broken), names(self.not_shown)), "{open:#?}");
    }
}
