//! Runs the commands of a file system that report what is offline, how much its servers have moved, and what
//! a quota leaves.
//!
//! Invariant: output in any other form counts as no answer.
//! Never here: opinions about the answers.

use std::io;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::CampaignRequest;
use super::shell::{CommandDirectory, Shell, placed};
use plan::schedule::PlannedJob;

/// The time limit of a command that runs although the campaign must stop, seconds.
const AFTER_S: f64 = 60.0;
/// The time limit of the quota command, seconds.
const QUOTA_S: f64 = 600.0;

/// The answers of the file system of a job at one moment.
#[derive(Debug, Default)]
pub(super) struct FileSystemAnswers {
    /// What is offline or being rebuilt, one line each; `None` without a `health` command.
    pub(super) down: Option<Vec<String>>,
    /// The bytes that its servers have moved so far.
    pub(super) moved: Option<u64>,
}

/// Asks before a job. Returns the reason if the job must not start.
pub(super) fn before(
    asked: &CampaignRequest,
    job: &PlannedJob,
    dir: &Path,
) -> io::Result<Result<FileSystemAnswers, String>> {
    let shell = |name| Shell::new(asked, dir, name, job.timeout_s);
    let down = match down(&mut shell("health-before"), &job.fs)? {
        Ok(down) => down,
        Err(why) => return Ok(Err(why)),
    };
    // This runs last before the job, so that the traffic of earlier work does not count for the job.
    let moved = moved(&mut shell("traffic-before"), &job.fs)?;
    Ok(moved.map(|moved| FileSystemAnswers { down, moved }))
}

/// Asks after a job, even if the campaign must stop: the job has ended, and without the answers it would run
/// again.
pub(super) fn after(
    asked: &CampaignRequest,
    job: &PlannedJob,
    dir: &Path,
) -> io::Result<(FileSystemAnswers, Option<String>)> {
    let never = AtomicBool::new(false);
    let shell = |name| Shell::new(asked, dir, name, job.timeout_s.min(AFTER_S)).stopped_by(&never);
    let moved = moved(&mut shell("traffic-after"), &job.fs)?;
    let down = down(&mut shell("health-after"), &job.fs)?;
    let mut unasked = None;
    let answers = FileSystemAnswers {
        moved: moved.unwrap_or_else(|why| {
            unasked = Some(why);
            None
        }),
        down: down.unwrap_or_else(|why| {
            unasked = Some(why);
            None
        }),
    };
    Ok((answers, unasked))
}

fn down(shell: &mut Shell<'_>, fs: &str) -> io::Result<Result<Option<Vec<String>>, String>> {
    let Some(hook) = &shell.asked.plan.file_systems[fs].health else { return Ok(Ok(None)) };
    let hook = placed(shell.asked, fs, hook);
    let lines = |printed: String| {
        let lines = printed.lines().map(str::trim).filter(|line| !line.is_empty());
        Some(lines.map(str::to_owned).collect())
    };
    let printed = shell.run(&hook)?;
    Ok(printed.map(lines).map_err(|why| format!("fs.{fs}: the `health` command failed: {why}")))
}

fn moved(shell: &mut Shell<'_>, fs: &str) -> io::Result<Result<Option<u64>, String>> {
    let Some(hook) = &shell.asked.plan.file_systems[fs].traffic else { return Ok(Ok(None)) };
    let hook = placed(shell.asked, fs, hook);
    let number = |printed: String| match printed.trim().parse() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(_) => Err(format!("`{hook}` printed `{}` instead of a number of bytes", printed.trim())),
    };
    let moved = shell.run(&hook)?.and_then(number);
    Ok(moved.map_err(|why| format!("fs.{fs}: the `traffic` command failed: {why}")))
}

/// What a quota leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quota {
    /// Bytes; `None` without a limit.
    pub(super) bytes: Option<u64>,
    /// Files and directories; `None` without a limit.
    pub(super) names: Option<u64>,
}

/// What the quota of a file system leaves; no limit if the plan has no `quota` command.
pub(super) fn quota(asked: &CampaignRequest, fs: &str) -> io::Result<Result<Quota, String>> {
    let Some(hook) = &asked.plan.file_systems[fs].quota else { return Ok(Ok(Quota::default())) };
    let hook = placed(asked, fs, hook);
    let aside = CommandDirectory::make()?;
    let printed = Shell::new(asked, aside.dir(), "quota", QUOTA_S).run(&hook)?;
    let left = printed.and_then(|printed| {
        left(&printed).ok_or_else(|| {
            let wanted = "a number of bytes and a number of files (`-` for no limit)";
            format!("`{hook}` printed `{}` instead of {wanted}", printed.trim())
        })
    });
    Ok(left.map_err(|why| format!("fs.{fs}: the `quota` command failed: {why}")))
}

/// Two numbers, or `-` for no limit.
fn left(printed: &str) -> Option<Quota> {
    let number = |word: &str| match word {
        "-" => Some(None),
        word => word.parse().ok().map(Some),
    };
    let words: Vec<&str> = printed.split_whitespace().collect();
    let [bytes, names] = words[..] else { return None };
    Some(Quota { bytes: number(bytes)?, names: number(names)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_two_numbers_or_dashes() {
        let quota = |bytes, names| Some(Quota { bytes, names });
        assert_eq!(left("1000 5\n"), quota(Some(1000), Some(5)));
        assert_eq!(left("- -"), quota(None, None));
        assert_eq!(left("1000\t-"), quota(Some(1000), None));
        assert!(["", "1000", "1 2 3", "-1 5", "1k 5", "1000 many"].iter().all(|text| left(text).is_none()));
    }
}
