//! Going on with a campaign that was stopped or killed: what it was about to do is done, what it left
//! half is told and set aside. Of one that was killed before it had begun, the folder is taken away.
//!
//! Invariant: nothing happens to a folder that is not what the campaign left. Every attempt stays in
//! evidence; only half-written copies of the campaign's own files go.
//! Never here: running.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::chain::{self, Chain, ChainEntry, ChainEvent};
use super::verify::check;
use super::write::{hashes_below, sha256_of_any, staged, without_specials};
use super::{
    CampaignInfo,
    load::{json, name_when_ended, named},
    names, sha256_of, spelling,
};

/// What was done to a folder before its campaign goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// One clause for each thing that was restored.
    pub restored: Vec<String>,
    /// The folders of attempts that were set aside, relative to the campaign's.
    pub aside: Vec<String>,
}

/// Makes the folder `dir` ready to go on, and enters that it does. Of a folder whose chain or files are not
/// as recorded nothing is touched: the error names the first fault.
///
/// `beside` gives the folder names of the jobs that run at once with the job of this folder name. Where that
/// one was begun and has not ended, they are set aside with it, also if they had ended.
pub fn resume(dir: &Path, beside: &dyn Fn(&str) -> Vec<String>) -> io::Result<Resumed> {
    let checked = check(dir)?;
    if let Some(fault) = checked.faults.first() {
        return Err(io::Error::new(ErrorKind::InvalidData, fault.said.clone()));
    }
    let mut resumed = Resumed::default();
    if let Some(mut chain) = chain::read(dir)? {
        if chain.torn > 0 {
            chain::restore(dir, chain.torn)?;
            resumed.restored.push(format!("{} bytes of a torn last line of {}", chain.torn, names::CHAIN));
            chain.torn = 0;
        }
        roll_forward(dir, &chain, &mut resumed)?;
        remove_halves(dir, &mut resumed)?;
        // While one that has not ended is still there, a kill in between finds the same to do.
        for job in ended_beside(&chain, beside) {
            resumed.aside.push(put_aside(dir, &job)?);
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

/// Where a job's folder lies before it gets its name, `path` being relative to the campaign's folder.
pub(super) fn hidden(dir: &Path, path: &str) -> PathBuf {
    dir.join(as_it_lies(path))
}

/// The same, relative to the campaign's folder.
pub(super) fn as_it_lies(path: &str) -> String {
    format!("{}/.{}", names::JOBS, name_when_ended(path))
}

/// Gives their names to files and folders that the chain has and that were about to get them.
fn roll_forward(dir: &Path, chain: &Chain, resumed: &mut Resumed) -> io::Result<()> {
    let mut rename = |from: PathBuf, path: &str| {
        let to = dir.join(spelling::path(path));
        if from.symlink_metadata().is_ok() && to.symlink_metadata().is_err() {
            fs::rename(&from, &to).map_err(|error| named(&to, &error))?;
            resumed.restored.push(format!("{} had been entered and got its name", spelling::shown(path)));
        }
        Ok::<(), io::Error>(())
    };
    for path in chain.folders() {
        rename(hidden(dir, path), path)?;
    }
    for (path, hash) in chain.files() {
        let from = staged(&dir.join(spelling::path(path)));
        if sha256_of_any(&from).is_ok_and(|found| found == hash) {
            rename(from, path)?;
        }
    }
    Ok(())
}

/// Removes half-written copies of the campaign's own files: what they were to hold is made again.
fn remove_halves(dir: &Path, resumed: &mut Resumed) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if is_half(&name) {
            fs::remove_file(entry.path()).map_err(|error| named(&entry.path(), &error))?;
            resumed.restored.push(format!("{name} was half written and went"));
        }
    }
    Ok(())
}

/// Whether a file beside the plan is the copy of one that was being written.
pub(super) fn is_half(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(".part")
}

/// The folder names of jobs that ended and ran at once with one that has not.
fn ended_beside(chain: &Chain, beside: &dyn Fn(&str) -> Vec<String>) -> Vec<String> {
    let name = |path: &&str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let ended: BTreeSet<String> = chain.folders().iter().map(name).collect();
    let open = chain.pending().iter().map(name).collect::<Vec<_>>();
    let all: BTreeSet<String> = open.iter().flat_map(|job| beside(job)).collect();
    all.intersection(&ended).cloned().collect()
}

/// Takes its name from the folder of a job that ended, and sets it aside.
fn put_aside(dir: &Path, job: &str) -> io::Result<String> {
    let jobs = dir.join(names::JOBS);
    fs::rename(jobs.join(job), jobs.join(format!(".{job}")))
        .map_err(|error| named(&jobs.join(job), &error))?;
    killed(dir, job)
}

/// Gives the hidden folders of jobs that never ended a name of their own, so that every attempt stays in
/// evidence; returns the new names, relative to `dir`.
fn set_aside(dir: &Path) -> io::Result<Vec<String>> {
    let mut hidden: Vec<String> = Vec::new();
    for entry in fs::read_dir(dir.join(names::JOBS))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        hidden.extend(name.strip_prefix('.').filter(|_| entry.path().is_dir()).map(str::to_owned));
    }
    hidden.sort();
    hidden.iter().map(|job| killed(dir, job)).collect()
}

/// Gives the hidden folder of a job the name `JOB.killed-K`, the first that is free, and enters it.
fn killed(dir: &Path, job: &str) -> io::Result<String> {
    let jobs = dir.join(names::JOBS);
    let free = (1..).map(|k| format!("{job}.killed-{k}")).find(|name| !jobs.join(name).exists());
    let path = format!("{}/{}", names::JOBS, free.unwrap_or_default());
    let from = jobs.join(format!(".{job}"));
    let note = without_specials(&from)?;
    let files = hashes_below(&from, &path)?;
    chain::append(
        dir,
        ChainEntry { what: ChainEvent::Killed, path: path.clone(), files, note, ..ChainEntry::default() },
    )?;
    fs::rename(from, dir.join(&path))?;
    Ok(path)
}

/// Who was to run which plan in the folder `dir`, as far as that had been written.
pub fn unbegun(dir: &Path) -> Option<CampaignInfo> {
    json(&staged(&dir.join(names::CAMPAIGN))).ok()
}

/// Takes away the folder of a campaign that was killed before it had begun, or one that is empty; tells
/// whether it did. One that holds anything else is not touched.
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
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name().to_string_lossy().into_owned(), entry.file_type()?);
        let own = match name.as_str() {
            names::CHAIN => kind.is_file(),
            names::JOBS => kind.is_dir() && fs::read_dir(entry.path())?.next().is_none(),
            // It gets its name before campaign.json does.
            names::PLAN => {
                kind.is_file() && files.get(names::PLAN) == Some(&sha256_of(&entry.path())?.as_str())
            }
            name => kind.is_file() && is_half(name),
        };
        if !own {
            return Ok(false);
        }
        if name != names::CHAIN && name != names::JOBS {
            parts.push(entry.path());
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
