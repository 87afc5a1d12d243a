//! A case that has not ended yet: what its record needs if the case itself cannot report it.

use std::collections::VecDeque;

use conformance::ConformanceCase;
use results::record::Case as CaseRecord;

/// A case that has no outcome yet.
#[derive(Clone, Debug)]
pub(super) struct PendingCase {
    /// The name of the case.
    pub(super) name: String,
    promise: String,
    document: &'static str,
}

impl PendingCase {
    /// Of this case.
    pub(super) fn of(case: &ConformanceCase) -> Self {
        Self { name: case.name.to_string(), promise: case.promise.to_string(), document: case.document }
    }

    /// Its record on this number of ranks, still without an outcome.
    pub(super) fn record(&self, ranks: u32) -> CaseRecord {
        CaseRecord {
            name: self.name.clone(),
            promise: self.promise.clone(),
            document: self.document.to_owned(),
            ranks,
            ..CaseRecord::default()
        }
    }
}

/// The names of cases, in order.
pub(super) fn names(pending: &VecDeque<PendingCase>) -> Vec<String> {
    pending.iter().map(|pending| pending.name.clone()).collect()
}
