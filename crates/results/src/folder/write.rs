//! Writing a campaign folder: each file is written under another name, recorded in the chain, and renamed.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::chain::{self, ChainEntry, ChainEvent};
use super::{
    CampaignInfo, JobInfo, Machine,
    load::named,
    names,
    spelling::{shown, spelled},
};
use crate::Verdict;
use crate::summary::Summary;

/// SHA-256 of `bytes`, hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// SHA-256 of the file at `path`, hexadecimal.
pub fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hexadecimal(&digest.finalize())),
            count => digest.update(&buffer[..count]),
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of the entry at `path`, hexadecimal: of a file's bytes, of a link's target after `link:`, or of
/// the kind of any other entry.
pub(super) fn sha256_of_any(path: &Path) -> io::Result<String> {
    let kind = path.symlink_metadata()?.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(path)?.into_os_string().into_encoded_bytes();
        return Ok(sha256(&[b"link:", &target[..]].concat()));
    }
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => sha256_of(path),
        (_, true) => Ok(sha256(b"directory:")),
        _ => Ok(sha256(b"special:")),
    }
}

/// The name of a file until it is complete.
pub(super) fn staged(path: &Path) -> PathBuf {
    path.with_file_name(format!(".{}.part", path.file_name().unwrap_or_default().to_string_lossy()))
}

fn stage(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let write = || {
        let mut file = File::create(staged(path))?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().map_err(|error| named(path, &error))
}

fn unstage(path: &Path) -> io::Result<()> {
    fs::rename(staged(path), path).map_err(|error| named(path, &error))
}

/// Flushes the renames in `dir` to storage, if the file system supports it.
fn flush_dir(dir: &Path) {
    let _ = File::open(dir).and_then(|dir| dir.sync_all());
}

/// Writes `bytes` to `path`. A file with this name is always complete, and it survives a crash. The chain
/// does not change.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    stage(path, bytes)?;
    unstage(path)
}

/// A value as JSON for its file.
pub(super) fn to_json(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(text)
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
    let mut entry =
        ChainEntry { what: ChainEvent::Campaign, path: names::CAMPAIGN.to_owned(), ..ChainEntry::default() };
    for (name, bytes) in &files {
        stage(&dir.join(name), bytes)?;
        entry.files.insert((*name).to_owned(), sha256(bytes));
    }
    chain::append(dir, entry)?;
    files.iter().try_for_each(|(name, _)| unstage(&dir.join(name)))?;
    flush_dir(dir);
    Ok(())
}

/// Adds a final file with this name to the evidence.
fn add(dir: &Path, what: ChainEvent, name: &str, bytes: &[u8]) -> io::Result<()> {
    let path = dir.join(name);
    stage(&path, bytes)?;
    let files = BTreeMap::from([(name.to_owned(), sha256(bytes))]);
    chain::append(dir, ChainEntry { what, path: name.to_owned(), files, ..ChainEntry::default() })?;
    unstage(&path)?;
    flush_dir(dir);
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
        write_whole(&dir.join(name), bytes)?;
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

/// Creates the hidden folder of the job `name`, such as `0001-write-r1`, and records that it begins.
pub fn stage_job(dir: &Path, name: &str) -> io::Result<StagedJob> {
    let job = StagedJob { dir: dir.to_owned(), name: name.to_owned() };
    fs::create_dir(job.dir()).map_err(|error| named(&job.dir(), &error))?;
    flush_dir(&dir.join(names::JOBS));
    chain::append(dir, ChainEntry { what: ChainEvent::Begun, path: job.path(), ..ChainEntry::default() })?;
    Ok(job)
}

impl StagedJob {
    /// The directory in which the job writes its files until it ends.
    pub fn dir(&self) -> PathBuf {
        self.dir.join(names::JOBS).join(format!(".{}", self.name))
    }

    /// Its final folder, relative to the campaign folder.
    fn path(&self) -> String {
        format!("{}/{}", names::JOBS, self.name)
    }

    /// Adds `job.json` with the hashes of the files, records all files in the chain, and renames the folder.
    /// It returns the job's facts as written. After a failure it can be called again.
    pub fn finish(&self, mut info: JobInfo) -> io::Result<JobInfo> {
        let staged = self.dir();
        let mut hashes = BTreeMap::new();
        for name in [names::STDOUT, names::STDERR, names::RECORDS] {
            let path = staged.join(name);
            if path.is_file() {
                hashes.insert(name.to_owned(), sha256_of(&path)?);
            }
        }
        info.sha256 = hashes;
        write_whole(&staged.join(names::JOB), &to_json(&info)?)?;
        let note = without_specials(&staged)?;
        let entry = ChainEntry { what: ChainEvent::Ended, path: self.path(), note, ..ChainEntry::default() };
        chain::append(&self.dir, ChainEntry { files: hashes_below(&staged, &self.path())?, ..entry })?;
        fs::rename(&staged, self.dir.join(self.path()))?;
        flush_dir(&self.dir.join(names::JOBS));
        Ok(info)
    }
}

/// The hash of each file and directory below `dir`, by its path with `below` in place of `dir`. Hashed files
/// are flushed to storage.
pub(super) fn hashes_below(dir: &Path, below: &str) -> io::Result<BTreeMap<String, String>> {
    let mut hashes = BTreeMap::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = format!("{below}/{}", spelled(&entry.file_name()));
        if kind.is_dir() {
            hashes.append(&mut hashes_below(&path, &name)?);
        } else if kind.is_file() {
            File::open(&path).and_then(|file| file.sync_all()).map_err(|error| named(&path, &error))?;
        }
        let hash = sha256_of_any(&path).map_err(|error| named(&path, &error))?;
        hashes.insert(name, hash);
    }
    flush_dir(dir);
    Ok(hashes)
}

/// Removes entries below `dir` that are not files, directories or links. Pipes, sockets and devices have no
/// contents, and an archive cannot store them. It returns a note about removed entries, or an empty text.
pub(super) fn without_specials(dir: &Path) -> io::Result<String> {
    let mut gone = Vec::new();
    remove_specials(dir, "", &mut gone)?;
    Ok(match gone.is_empty() {
        true => String::new(),
        false => format!("removed, because not a regular file: {}", gone.join(", ")),
    })
}

fn remove_specials(dir: &Path, within: &str, gone: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let (path, kind) = (entry.path(), entry.file_type()?);
        let name = format!("{within}{}", shown(&spelled(&entry.file_name())));
        if kind.is_dir() {
            remove_specials(&path, &format!("{name}/"), gone)?;
        } else if !kind.is_file() && !kind.is_symlink() {
            fs::remove_file(&path).map_err(|error| named(&path, &error))?;
            gone.push(name);
        }
    }
    gone.sort();
    Ok(())
}
