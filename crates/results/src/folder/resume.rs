//! Resuming a campaign that was stopped or killed. Steps in progress are completed, and unfinished attempts
//! are set aside. If the campaign was killed before it began, its folder is removed.
//!
//! Invariant: a folder that is not intact stays unchanged. Every attempt stays in the evidence. Only
//! incomplete copies of the campaign's own files are removed.
//! Never here: running.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::chain::{self, Chain, ChainEntry, ChainEvent};
use super::hash::sha256_of_any;
use super::job_names::{folder_name, hidden_path};
use super::json::{json, named};
use super::looks::name_before;
use super::staging::{complete_part, final_name, parts};
use super::verify::check;
use super::write::{hashes_below, only_evidence};
use super::{CampaignInfo, beneath, looks, names, spelling};

/// The changes of a folder before its campaign resumes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// One clause for each restored item.
    pub restored: Vec<String>,
    /// The folders of attempts that were set aside, relative to the campaign folder.
    pub aside: Vec<String>,
}

/// Prepares the folder `dir` for resuming, and records it in the chain. If its chain or files are not intact,
/// nothing changes, and the error has the first fault.
///
/// `beside` returns the folder names of the jobs in the same group as the job of this folder name. If this
/// job began and has not ended, they are set aside with it, even if they ended.
pub fn resume(dir: &Path, beside: &dyn Fn(&str) -> Vec<String>) -> io::Result<Resumed> {
    let checked = check(dir)?;
    if let Some(fault) = checked.faults.first() {
        return Err(io::Error::new(ErrorKind::InvalidData, fault.said.clone()));
    }
    let mut resumed = Resumed::default();
    if let Some(mut chain) = chain::read(dir)? {
        if chain.torn > 0 {
            chain::restore(dir, chain.torn)?;
            resumed.restored.push(format!(
                "{}: {} bytes of an incomplete line removed",
                names::CHAIN,
                chain.torn
            ));
            chain.torn = 0;
        }
        roll_forward(dir, &chain, &mut resumed)?;
        remove_halves(dir, &mut resumed)?;
        // The job that has not ended still exists, so a kill in between leaves the same work.
        for job in ended_beside(&chain, beside) {
            resumed.aside.push(put_aside(dir, &job, ChainEvent::Killed, "")?);
        }
        for (job, why) in to_repeat(dir, &chain)? {
            resumed.aside.push(put_aside(dir, &job, ChainEvent::Repeated, &why)?);
        }
    }
    resumed.aside.extend(set_aside(dir)?);
    let note = match &resumed.restored[..] {
        [] => String::new(),
        restored => format!("restored: {}", restored.join(", ")),
    };
    chain::append(dir, ChainEntry { what: ChainEvent::Resumed, note, ..ChainEntry::default() })?;
    Ok(resumed)
}

/// Renames files and folders that are in the chain but do not have their names yet.
fn roll_forward(dir: &Path, chain: &Chain, resumed: &mut Resumed) -> io::Result<()> {
    let mut rename = |from: Option<PathBuf>, to: &Path, path: &str| {
        if let Some(from) = from.filter(|from| beneath::exists(dir, from) && !beneath::exists(dir, to)) {
            beneath::rename(dir, &from, to).map_err(|error| named(&dir.join(to), &error))?;
            resumed.restored.push(format!("{}: renamed to its final name", spelling::shown(path)));
        }
        Ok::<(), io::Error>(())
    };
    for path in chain.folders() {
        rename(Some(hidden_path(path).into()), Path::new(path), path)?;
    }
    let files = chain.files();
    for (path, hash) in &files {
        let to = spelling::path(path);
        if !beneath::exists(dir, &to) {
            let part = complete_part(dir, &to, hash).or_else(|| name_before(path, &files).map(PathBuf::from));
            rename(part, &to, path)?;
        }
    }
    Ok(())
}

/// Removes incomplete copies of the campaign's own files. Their contents are written again later.
fn remove_halves(dir: &Path, resumed: &mut Resumed) -> io::Result<()> {
    for entry in beneath::names(dir, Path::new(""))? {
        let name = entry.to_string_lossy();
        if is_half(&name) {
            beneath::remove(dir, Path::new(&entry)).map_err(|error| named(&dir.join(&entry), &error))?;
            resumed.restored.push(format!("{name}: incomplete file removed"));
        }
    }
    Ok(())
}

/// Whether a file next to the plan is an incomplete copy.
fn is_half(name: &str) -> bool {
    final_name(name).is_some()
}

/// The folder names of jobs that ended and ran in parallel with one that has not.
fn ended_beside(chain: &Chain, beside: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
    let name = |path: &&str| folder_name(path).to_owned();
    let ended: BTreeSet<String> = chain.folders().iter().map(name).collect();
    let open = chain.pending().iter().map(name).collect::<Vec<_>>();
    let all: BTreeSet<String> = open.iter().flat_map(|job| beside(job)).collect();
    all.intersection(&ended).cloned().collect()
}

/// The jobs that the last extension repeats and that were not set aside yet, with the reason.
fn to_repeat(dir: &Path, chain: &Chain) -> io::Result<Vec<(String, String)>> {
    let Some(last) = looks::extensions(dir, Some(chain))?.pop() else { return Ok(Vec::new()) };
    let before = chain.before_extension();
    let job = |path: &String| {
        let name = path.strip_prefix(names::JOBS)?.strip_prefix('/')?;
        before.contains(path.as_str()).then(|| (name.to_owned(), format!("{}: {}", last.user, last.reason)))
    };
    Ok(last.jobs.iter().filter_map(job).collect())
}

/// Sets the folder of a job aside that died, so that the job can run again. `job` is the name of the folder,
/// and `why` the cause. It returns the new name, relative to `dir`.
pub fn set_died_aside(dir: &Path, job: &str, why: &str) -> io::Result<String> {
    put_aside(dir, job, ChainEvent::Died, why)
}

/// Hides the folder of a job that ended, and sets it aside.
fn put_aside(dir: &Path, job: &str, what: ChainEvent, why: &str) -> io::Result<String> {
    let path = format!("{}/{job}", names::JOBS);
    let hidden = hidden_path(&path);
    beneath::rename(dir, Path::new(&path), Path::new(&hidden))
        .map_err(|error| named(&dir.join(&path), &error))?;
    aside(dir, job, what, why)
}

/// Gives the hidden folders of jobs that did not end their own names, so that every attempt stays in the
/// evidence. It returns the new names, relative to `dir`.
fn set_aside(dir: &Path) -> io::Result<Vec<String>> {
    let jobs = Path::new(names::JOBS);
    let mut hidden: Vec<String> = Vec::new();
    for entry in beneath::names(dir, jobs)? {
        let is_dir = beneath::is_dir(dir, &jobs.join(&entry));
        let name = entry.to_string_lossy();
        hidden.extend(name.strip_prefix('.').filter(|_| is_dir).map(str::to_owned));
    }
    hidden.iter().map(|job| aside(dir, job, ChainEvent::Killed, "")).collect()
}

/// Renames the hidden folder of a job to the first free name `JOB.killed-K`, and records it.
fn aside(dir: &Path, job: &str, what: ChainEvent, why: &str) -> io::Result<String> {
    let paths = (1..).map(|k| format!("{}/{job}.killed-{k}", names::JOBS));
    let mut free = paths.filter(|path| !beneath::exists(dir, Path::new(path)));
    let path = free.next().unwrap_or_default();
    let from = PathBuf::from(format!("{}/.{job}", names::JOBS));
    let removed = only_evidence(dir, &from)?;
    let note = [why, &removed].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    let files = hashes_below(dir, &from, &path)?;
    chain::append(dir, ChainEntry { what, path: path.clone(), files, note, ..ChainEntry::default() })?;
    beneath::rename(dir, &from, Path::new(&path))?;
    Ok(path)
}

/// The facts of a campaign that was killed before it began in the folder `dir`, if they had been written.
pub fn unbegun(dir: &Path) -> Option<CampaignInfo> {
    let mut parts = parts(dir, Path::new(names::CAMPAIGN)).into_iter();
    parts.find_map(|part| json(dir, part.to_str()?).ok())
}

/// Removes the folder of a campaign that was killed before it began, or an empty folder, and returns whether
/// it did. A folder with any other contents stays unchanged.
pub fn discard(dir: &Path) -> io::Result<bool> {
    let chain = match chain::read(dir) {
        Ok(chain) => chain.unwrap_or_default(),
        Err(_) => return Ok(false),
    };
    if chain.entries.len() > 1 || !chain.faults.is_empty() {
        return Ok(false);
    }
    let files = chain.files();
    let mut parts = Vec::new();
    for entry in beneath::names(dir, Path::new(""))? {
        let path = Path::new(&entry);
        let is_file = beneath::kind(dir, path)? == FileType::RegularFile;
        let own = match entry.to_string_lossy().as_ref() {
            names::CHAIN => is_file,
            names::JOBS => beneath::is_dir(dir, path) && beneath::names(dir, path)?.is_empty(),
            // The plan gets its name before campaign.json does.
            names::PLAN => is_file && files.get(names::PLAN) == Some(&sha256_of_any(dir, path)?.as_str()),
            name => is_file && is_half(name),
        };
        if !own {
            return Ok(false);
        }
        if entry != names::CHAIN && entry != names::JOBS {
            parts.push(dir.join(path));
        }
    }
    parts.iter().try_for_each(fs::remove_file)?;
    for gone in [fs::remove_dir(dir.join(names::JOBS)), fs::remove_file(dir.join(names::CHAIN))] {
        match gone {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(dir)?;
    Ok(true)
}
