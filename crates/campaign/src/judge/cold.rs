//! Whether what was looked at came from the file system, or from the memory of the client that looked.
//!
//! Never here: what a plan may allow.

use results::folder::Job;
use results::record::Record;

use super::Case;
use super::home::{self, Home};

/// Share of a read that may come from the client's cache before the read is one of memory.
pub(super) const CACHED_SHARE: f64 = 0.01;

/// The notices by which a workload says that a client's memory may have answered for names.
pub(super) const WARM_NAMES: &[&str] = &["caches-not-dropped", "warm", "warm-names"];

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
fn looks(case: &Case<'_>) -> bool {
    !case.counts_errors() && LOOKING.contains(&case.metric().0)
}

/// Whether it wants them from the file system besides.
pub(super) fn wants_names(case: &Case<'_>) -> bool {
    !case.test.cache_warm && looks(case)
}

/// What the reader of the rate has to know of an earlier job that had the names, where that is no reason.
pub(super) fn told(case: &Case<'_>, jobs: &[&Job]) -> Option<String> {
    match home::of(case, jobs).filter(|_| looks(case))? {
        Home::Had(text) => case.test.cache_warm.then_some(text),
        Home::Commanded(text) | Home::Unknown(text) => Some(text),
    }
}

/// Why what was measured is a client's memory, where the plan does not allow that.
pub(super) fn read(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    data(case, jobs)?;
    names(case, jobs)
}

/// Names that the workload itself says may have come from memory.
fn names(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    if !wants_names(case) {
        return Ok(());
    }
    for job in jobs {
        for record in &job.records {
            if let Record::Notice(notice) = record
                && WARM_NAMES.contains(&notice.id.as_str())
            {
                let (repetition, text) = (job.info.repetition, &notice.text);
                return Err(format!(
                    "repetition {repetition}: {text}; where that is meant, allow it with `cache = \"warm\"`"
                ));
            }
        }
    }
    match home::of(case, jobs) {
        Some(Home::Had(text)) => {
            let way_out = home::way_out(&case.test.line);
            Err(format!("{text}; {way_out}, or allow it with `cache = \"warm\"`"))
        }
        _ => Ok(()),
    }
}

/// Whether it wants the data that it reads from the file system.
pub(super) fn wants_data(case: &Case<'_>) -> bool {
    !case.test.cache_warm && !case.counts_errors() && case.metric().1 != "cached"
}

/// Data that was in the page cache before it was read, in whatever phase.
fn data(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    if !wants_data(case) {
        return Ok(());
    }
    let shares = jobs.iter().flat_map(|job| case.phases(job)).filter_map(|phase| phase.cached_before);
    let most = shares.fold(0.0, f64::max);
    if most > CACHED_SHARE {
        let percent = most * 100.0;
        return Err(format!(
            "{percent:.0} % of the data was in this client's page cache before it was read; {}",
            way_out(case)
        ));
    }
    Ok(())
}

/// What would make a read cold, or why nothing would.
fn way_out(case: &Case<'_>) -> String {
    let fs = case.campaign.before.as_ref().and_then(|machine| machine.file_system(&case.test.fs));
    let kind = fs.map_or("", |fs| fs.kind.as_str());
    if matches!(kind, "tmpfs" | "ramfs") {
        return format!("{kind} is memory, so nothing was read from storage");
    }
    let dropped = case.test.line.words().iter().any(|word| word.starts_with("--drop-caches"));
    let remedy = if dropped { "--drop-caches did not help here" } else { "read with --drop-caches" };
    format!("{remedy}, or allow it with `cache = \"warm\"`")
}
