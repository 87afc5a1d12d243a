//! Whether what was read came from the file system, or from the memory of the client that read it.
//!
//! Never here: what a plan may allow.

use results::reason::{Code, Datum, Reason};
use results::record::Record;

use super::names::{self, NamesOrigin};
use crate::case::TestCriterion;

/// Share of a read that may come from the client's cache before the read is one of memory.
pub(crate) const CACHED_SHARE: f64 = 0.01;

/// The notices by which a workload says that a client's memory may have answered for names.
pub(crate) const WARM_NAMES: &[&str] = &["caches-not-dropped", "warm", "warm-names"];

/// The phases that look at names and change nothing, as records name them.
const LOOKING: &[&str] = &[
    "directories",
    "directory_listing",
    "directory_stat",
    "file_read",
    "file_stat",
    "file_statx",
    "file_xattr_get",
    "list",
    "shared_open",
];

/// Whether the criterion measures names that are looked at.
pub(crate) fn looks(case: &TestCriterion<'_>) -> bool {
    !case.counts_errors() && LOOKING.contains(&case.phase())
}

/// Whether it wants them from the file system besides.
pub(crate) fn wants_names(case: &TestCriterion<'_>) -> bool {
    !case.test.cache_warm && looks(case)
}

/// Whether it wants the data that it reads from the file system.
pub(crate) fn wants_data(case: &TestCriterion<'_>) -> bool {
    !case.test.cache_warm && !case.counts_errors() && case.metric() != "cached"
}

/// Why what was measured is a client's memory, where the plan does not allow that.
pub(super) fn cold(case: &TestCriterion<'_>) -> Result<(), Reason> {
    data(case)?;
    names(case)
}

/// Names that the workload itself says may have come from memory, or that the node had.
fn names(case: &TestCriterion<'_>) -> Result<(), Reason> {
    if !wants_names(case) {
        return Ok(());
    }
    for job in case.jobs() {
        for record in &job.records {
            if let Record::Notice(notice) = record
                && WARM_NAMES.contains(&notice.id.as_str())
            {
                let reason = Reason::new(Code::NamesCached).with("repetition", job.info.repetition);
                return Err(reason.with("notice", &notice.id).with("text", &notice.text));
            }
        }
    }
    match names::origin(case) {
        Some(NamesOrigin::Had(reason)) => {
            let walk = case.test.line.workload() == "ls-lr";
            Err(reason.with(if walk { "walk" } else { "operations" }, true))
        }
        _ => Ok(()),
    }
}

/// Data that was in the page cache before it was read, in whatever phase.
fn data(case: &TestCriterion<'_>) -> Result<(), Reason> {
    if !wants_data(case) {
        return Ok(());
    }
    let shares = case.numbered_phases().filter_map(|(_, phase)| phase.cached_before);
    let most = shares.fold(0.0, f64::max);
    if most <= CACHED_SHARE {
        return Ok(());
    }
    let reason = Reason::new(Code::CachedRead).with("share", Datum::share(most));
    let kind = case.index.file_system(&case.test.fs).map_or("", |fs| fs.kind.as_str());
    if matches!(kind, "tmpfs" | "ramfs") {
        return Err(reason.with("memory", kind));
    }
    let dropped = case.test.line.words().iter().any(|word| word.starts_with("--drop-caches"));
    Err(reason.with(if dropped { "dropped" } else { "not_dropped" }, true))
}
