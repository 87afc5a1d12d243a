//! The names of jobs' folders, in any state.
//!
//! Never here: reading them.

use super::names;

/// The test and repetition of a job's folder, such as `write-r1` for `jobs/0001-write-r1`. This also works
/// for a hidden folder and for one that was set aside.
pub fn job_of(folder: &str) -> &str {
    let name = name_when_ended(folder);
    name.split_once('-').map_or(name, |(_, job)| job)
}

/// Whether a folder is that of a probe, in any state. No other job has such a name.
pub fn is_probe(folder: &str) -> bool {
    name_when_ended(folder).starts_with(names::PROBE)
}

/// The name of a job's folder, such as `0001-write-r1` for `jobs/0001-write-r1`.
pub fn folder_name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap_or_default()
}

/// The final name of a job's folder, in any state.
pub(super) fn name_when_ended(folder: &str) -> &str {
    let name = folder_name(folder);
    let name = name.strip_prefix('.').unwrap_or(name);
    name.split_once(".killed-").map_or(name, |(job, _)| job)
}

/// The folder of a job before it gets its name. Paths are relative to the campaign folder.
pub(super) fn hidden_path(path: &str) -> String {
    format!("{}/.{}", names::JOBS, name_when_ended(path))
}
