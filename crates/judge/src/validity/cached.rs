//! Whether data and metadata came from the file system, or from the memory of the client that read them.
//!
//! Never here: what a plan allows.

use command::WorkloadName;
use results::folder;
use results::reason::{Code, Reason, reason, row};
use results::record::{CACHED_SHARE, MetricKind, Record};

use super::names::{self, CacheOrigin};
use crate::case::TestCriterion;

/// The notices of a workload that a client's cache may have served files and directories.
pub(crate) const WARM_NAMES: &[Code] = &[Code::CachesNotDropped, Code::Warm, Code::WarmNames];

/// The phases that read metadata and change nothing, with their names in records.
const READ_ONLY_PHASES: &[&str] = &[
    "benchmark_read",
    "benchmark_stat",
    "directories",
    "directory_listing",
    "directory_stat",
    "file_read",
    "file_stat",
    "file_statx",
    "file_xattr_get",
    "find",
    "list",
    "shared_open",
];

/// Whether the criterion measures reading of metadata.
pub(crate) fn is_metadata_read(case: &TestCriterion<'_>) -> bool {
    let counts = case.counts_errors() || case.kind() == Some(MetricKind::Matches);
    !counts && (READ_ONLY_PHASES.contains(&case.phase()) || is_of_reads_in_benchmark(case))
}

/// Whether the criterion is about the whole benchmark of md-workbench, and stats and reads decide. They are
/// all operations of `--read-only`. Otherwise they are half of the latencies, and the shorter ones.
fn is_of_reads_in_benchmark(case: &TestCriterion<'_>) -> bool {
    let line = &case.test.line;
    let only_reads = || !line.phases().iter().any(|phase| phase == "benchmark_create");
    line.name() == Some(WorkloadName::MdWorkbench)
        && case.phase() == "benchmark"
        && (case.kind() == Some(MetricKind::Latency) || only_reads())
}

/// Whether it also requires that the metadata come from the file system.
pub(crate) fn needs_cold_metadata(case: &TestCriterion<'_>) -> bool {
    !case.test.cache_warm && is_metadata_read(case)
}

/// Whether it requires that the data come from the file system.
pub(crate) fn needs_cold_data(case: &TestCriterion<'_>) -> bool {
    !case.test.cache_warm && !case.counts_errors() && case.kind() != Some(MetricKind::Share)
}

/// Why the measurement is one of a client's memory, if the plan does not allow that.
pub(super) fn cold(case: &TestCriterion<'_>) -> Result<(), Reason> {
    data(case)?;
    names(case)
}

/// Metadata that may have come from memory, as reported by the workload, or because the node had it.
fn names(case: &TestCriterion<'_>) -> Result<(), Reason> {
    if !needs_cold_metadata(case) {
        return Ok(());
    }
    for job in case.jobs() {
        for record in &job.records {
            if let Record::Notice(notice) = record
                && WARM_NAMES.contains(&notice.reason.code)
            {
                let (repetition, cause) = (job.info.repetition, &notice.reason);
                return Err(reason!(NamesCached { repetition, cause }));
            }
        }
    }
    match names::origin(case) {
        Some(CacheOrigin::SameNode(reason)) => {
            let walk = case.test.line.name() == Some(WorkloadName::LsLr);
            let field = if walk { row::NamesOnOwnNode::walk } else { row::NamesOnOwnNode::operations };
            Err(reason.with(field, true))
        }
        _ => Ok(()),
    }
}

/// Data that was in the page cache before the read, in any phase.
fn data(case: &TestCriterion<'_>) -> Result<(), Reason> {
    if !needs_cold_data(case) {
        return Ok(());
    }
    let shares = case.numbered_phases().filter_map(|(_, phase)| phase.cached_before);
    let most = shares.fold(0.0, f64::max);
    if most <= CACHED_SHARE {
        return Ok(());
    }
    let kind = case.index.file_system(&case.test.fs).map_or("", |fs| fs.kind.as_str());
    if folder::is_memory(kind) {
        return Err(reason!(CachedRead { share: most, memory: kind }));
    }
    Err(if case.test.line.drops_caches() {
        reason!(CachedRead { share: most, dropped: true })
    } else {
        reason!(CachedRead { share: most, not_dropped: true })
    })
}
