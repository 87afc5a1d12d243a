//! Writing a campaign folder: each file is written under another name, recorded in the chain, and renamed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::FileType;

use super::chain::{self, ChainEntry, ChainEvent};
use super::hash::{sha256, sha256_of_any};
use super::json::{named, to_json};
use super::{
    CampaignInfo, CampaignProcess, JobInfo, Machine, beneath, limits,
    links::leads_out,
    names,
    spelling::{self, shown, spelled},
    staging::{parts, stage, stage_by, unstage},
};
use crate::Verdict;
use crate::summary::Summary;

/// The contents of the file `name` of the campaign folder `dir`. A link is not followed.
pub fn read_file(dir: &Path, name: &str) -> io::Result<Vec<u8>> {
    beneath::bytes(dir, Path::new(name), limits::REPORT_BYTES_MAX)
        .map_err(|error| named(&dir.join(name), &error))
}

/// Whether the campaign folder `dir` has an entry `name` of any kind.
pub fn has(dir: &Path, name: &str) -> bool {
    beneath::exists(dir, Path::new(name))
}

/// Writes `bytes` to `path`. A file with this name is always complete, and it survives a crash. The chain
/// does not change.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (dir, name) = beneath::split(path);
    whole(dir, name, bytes)
}

/// The same for bytes that `fill` writes.
pub fn write_whole_by<E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> Result<(), E>,
) -> Result<(), E> {
    let (dir, name) = beneath::split(path);
    let left = parts(dir, name);
    let part = stage_by(dir, name, fill)?;
    unstage(dir, &part, name)?;
    Ok(left.iter().try_for_each(|left| beneath::remove(dir, left))?)
}

/// The same for the file `name` below `dir`. Incomplete copies that a kill left are removed.
fn whole(dir: &Path, name: &Path, bytes: &[u8]) -> io::Result<()> {
    let left = parts(dir, name);
    let part = stage(dir, name, bytes)?;
    unstage(dir, &part, name)?;
    left.iter().try_for_each(|left| beneath::remove(dir, left))
}

/// Creates the folder of a new campaign in `dir`. It must be empty or not exist yet; its parent must exist.
pub fn create(dir: &Path, info: &CampaignInfo, plan: &str) -> io::Result<()> {
    let there = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none());
    if !there {
        fs::create_dir(dir)?;
    }
    fs::create_dir(dir.join(names::JOBS))?;
    chain::begin(dir)?;
    let files = [(names::PLAN, plan.as_bytes().to_vec()), (names::CAMPAIGN, to_json(info)?)];
    let note = match info.nonce() {
        "" => String::new(),
        nonce => format!("nonce: {nonce}"),
    };
    let path = names::CAMPAIGN.to_owned();
    let mut entry = ChainEntry { what: ChainEvent::Campaign, path, note, ..ChainEntry::default() };
    let mut parts = Vec::new();
    for (name, bytes) in &files {
        parts.push((stage(dir, Path::new(name), bytes)?, Path::new(name)));
        entry.files.insert((*name).to_owned(), sha256(bytes));
    }
    chain::append(dir, entry)?;
    parts.iter().try_for_each(|(part, name)| unstage(dir, part, name))?;
    beneath::flush(dir, Path::new(""));
    Ok(())
}

/// Adds a final file with this name to the evidence.
fn add(dir: &Path, what: ChainEvent, name: &str, bytes: &[u8]) -> io::Result<()> {
    let part = stage(dir, Path::new(name), bytes)?;
    let files = BTreeMap::from([(name.to_owned(), sha256(bytes))]);
    let entry = ChainEntry { what, path: name.to_owned(), files, ..ChainEntry::default() };
    chain::append(dir, entry).inspect_err(|_| drop(beneath::remove(dir, &part)))?;
    unstage(dir, &part, Path::new(name))?;
    beneath::flush(dir, Path::new(""));
    Ok(())
}

/// Restores a file if the chain has exactly these bytes, and returns whether it does. Without a chain any
/// bytes are written.
pub fn restore(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<bool> {
    let known = match chain::read(dir)? {
        Some(chain) => chain.files().get(name).is_some_and(|hash| *hash == sha256(bytes)),
        None => true,
    };
    if known {
        whole(dir, Path::new(name), bytes)?;
    }
    Ok(known)
}

/// Writes the machine's facts under `name`, [`names::BEFORE`] or [`names::AFTER`].
pub fn write_machine(dir: &Path, name: &str, machine: &Machine) -> io::Result<()> {
    add(dir, ChainEvent::Machine, name, &to_json(machine)?)
}

/// Adds the verdicts.
pub fn write_verdicts(dir: &Path, verdicts: &[Verdict]) -> io::Result<()> {
    add(dir, ChainEvent::Verdicts, names::VERDICTS, &to_json(&verdicts)?)
}

/// Adds the results that are not verdicts. If there are none, no file is written.
pub fn write_summary(dir: &Path, summary: &Summary) -> io::Result<()> {
    if summary.is_empty() {
        return Ok(());
    }
    add(dir, ChainEvent::Verdicts, names::SUMMARY, &to_json(summary)?)
}

/// The bytes that [`write_verdicts`] writes.
pub fn verdicts_bytes(verdicts: &[Verdict]) -> io::Result<Vec<u8>> {
    to_json(&verdicts)
}

/// Adds the report, with which the campaign ends.
pub fn write_report(dir: &Path, page: &[u8]) -> io::Result<()> {
    add(dir, ChainEvent::Report, names::REPORT, page)
}

/// The hidden folder of a job that has not ended.
#[derive(Debug)]
pub struct StagedJob {
    dir: PathBuf,
    name: String,
}

/// Creates the hidden folder of the job `name`, such as `0001-write-r1`, and records that it begins, and in
/// which process.
pub fn stage_job(dir: &Path, name: &str, process: &CampaignProcess) -> io::Result<StagedJob> {
    let job = StagedJob { dir: dir.to_owned(), name: name.to_owned() };
    fs::create_dir(job.dir()).map_err(|error| named(&job.dir(), &error))?;
    beneath::flush(dir, Path::new(names::JOBS));
    let (path, note) = (job.path(), process.note());
    chain::append(dir, ChainEntry { what: ChainEvent::Begun, path, note, ..ChainEntry::default() })?;
    Ok(job)
}

impl StagedJob {
    /// The directory in which the job writes its files until it ends.
    pub fn dir(&self) -> PathBuf {
        self.dir.join(self.hidden())
    }

    /// The same, relative to the campaign folder.
    fn hidden(&self) -> PathBuf {
        Path::new(names::JOBS).join(format!(".{}", self.name))
    }

    /// Its final folder, relative to the campaign folder.
    fn path(&self) -> String {
        format!("{}/{}", names::JOBS, self.name)
    }

    /// Removes the file with the progress of the job, which is no evidence.
    fn remove_progress(&self) -> io::Result<()> {
        let path = self.hidden().join(names::PROGRESS);
        match beneath::kind(&self.dir, &path) {
            Ok(FileType::RegularFile | FileType::Symlink) => beneath::remove(&self.dir, &path),
            _ => Ok(()),
        }
    }

    /// Adds `job.json` with the hashes of the files, records all files in the chain, and renames the folder.
    /// It returns the job's facts as written. After a failure it can be called again.
    pub fn finish(&self, mut info: JobInfo) -> io::Result<JobInfo> {
        let (dir, staged) = (&self.dir, self.hidden());
        let mut hashes = BTreeMap::new();
        for name in [names::STDOUT, names::STDERR, names::RECORDS] {
            let path = staged.join(name);
            if beneath::kind(dir, &path).is_ok_and(|kind| kind == FileType::RegularFile) {
                hashes.insert(name.to_owned(), sha256_of_any(dir, &path)?);
            }
        }
        info.sha256 = hashes;
        whole(dir, &staged.join(names::JOB), &to_json(&info)?)?;
        self.remove_progress()?;
        let note = only_evidence(dir, &staged)?;
        let entry = ChainEntry { what: ChainEvent::Ended, path: self.path(), note, ..ChainEntry::default() };
        chain::append(dir, ChainEntry { files: hashes_below(dir, &staged, &self.path())?, ..entry })?;
        beneath::rename(dir, &staged, Path::new(&self.path()))?;
        beneath::flush(dir, Path::new(names::JOBS));
        Ok(info)
    }
}

/// The hash of each file and directory in `within` below `dir`, by its path with `below` in place of
/// `within`. Hashed files are flushed to storage.
pub(super) fn hashes_below(dir: &Path, within: &Path, below: &str) -> io::Result<BTreeMap<String, String>> {
    limits::depth(within)?;
    let mut hashes = BTreeMap::new();
    for entry in beneath::names(dir, within)? {
        let path = within.join(&entry);
        let name = format!("{below}/{}", spelled(&entry));
        match beneath::kind(dir, &path)? {
            FileType::Directory => hashes.append(&mut hashes_below(dir, &path, &name)?),
            FileType::RegularFile => {
                let flushed = beneath::open(dir, &path).and_then(|file| file.sync_all());
                flushed.map_err(|error| named(&dir.join(&path), &error))?;
            }
            _ => {}
        }
        let hash = sha256_of_any(dir, &path).map_err(|error| named(&dir.join(&path), &error))?;
        hashes.insert(name, hash);
    }
    beneath::flush(dir, within);
    Ok(hashes)
}

/// Entries that were removed from the folder of a job, because they cannot be evidence.
#[derive(Default)]
struct RemovedEntries {
    /// Pipes, sockets and devices, which have no contents.
    specials: Vec<String>,
    /// Links with their targets, which another machine does not have.
    links: Vec<String>,
}

/// Removes entries in `within` below `dir` that no archive can hold: pipes, sockets, devices, and links that
/// lead out of the folder `dir`. It returns a note about removed entries, or an empty text.
pub(super) fn only_evidence(dir: &Path, within: &Path) -> io::Result<String> {
    let mut removed = RemovedEntries::default();
    remove_others(dir, within, "", &mut removed)?;
    let RemovedEntries { specials, links } = removed;
    let notes = [("not a regular file", specials), ("a link out of the folder", links)];
    let notes = notes.into_iter().filter(|(_, gone)| !gone.is_empty()).map(|(what, mut gone)| {
        gone.sort();
        format!("removed, because {what}: {}", gone.join(", "))
    });
    Ok(notes.collect::<Vec<_>>().join("; "))
}

fn remove_others(
    dir: &Path,
    within: &Path,
    shown_within: &str,
    removed: &mut RemovedEntries,
) -> io::Result<()> {
    limits::depth(within)?;
    for entry in beneath::names(dir, within)? {
        let path = within.join(&entry);
        let name = format!("{shown_within}{}", shown(&spelled(&entry)));
        match beneath::kind(dir, &path)? {
            FileType::Directory => remove_others(dir, &path, &format!("{name}/"), removed)?,
            FileType::RegularFile => {}
            FileType::Symlink => {
                let target = beneath::target(dir, &path)?;
                if leads_out(&path, &target) {
                    beneath::remove(dir, &path).map_err(|error| named(&dir.join(&path), &error))?;
                    removed.links.push(format!("{name} -> {}", spelling::bytes_shown(&target)));
                }
            }
            _ => {
                beneath::remove(dir, &path).map_err(|error| named(&dir.join(&path), &error))?;
                removed.specials.push(name);
            }
        }
    }
    Ok(())
}
