//! Writing a campaign's folder: under another name first, renamed when whole.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{CampaignInfo, JobInfo, Machine, load::named, names};
use crate::Verdict;

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

/// Writes `bytes` to `path` so that a file of that name is always whole, and survives a crash.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let staged = path.with_file_name(format!(".{name}.part"));
    let write = || {
        let mut file = File::create(&staged)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&staged, path)
    };
    write().map_err(|error| named(path, &error))
}

fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    write_whole(path, &text)
}

/// Makes the folder of a new campaign in `dir`, which must not exist yet; its parent must.
pub fn create(dir: &Path, info: &CampaignInfo, plan: &str) -> io::Result<()> {
    fs::create_dir(dir)?;
    fs::create_dir(dir.join(names::JOBS))?;
    write_whole(&dir.join(names::PLAN), plan.as_bytes())?;
    write_json(&dir.join(names::CAMPAIGN), info)
}

/// Writes the machine's facts under `name`, [`names::BEFORE`] or [`names::AFTER`].
pub fn write_machine(dir: &Path, name: &str, machine: &Machine) -> io::Result<()> {
    write_json(&dir.join(name), machine)
}

/// Writes the verdicts, in place of earlier ones: they can always be reached again from the rest.
pub fn write_verdicts(dir: &Path, verdicts: &[Verdict]) -> io::Result<()> {
    write_json(&dir.join(names::VERDICTS), &verdicts)
}

/// The folder of a job that has not ended, hidden until it has.
#[derive(Debug)]
pub struct StagedJob {
    staged: PathBuf,
    whole: PathBuf,
}

/// Makes the hidden folder for the job `name`, such as `0001-write-r1`.
pub fn stage_job(dir: &Path, name: &str) -> io::Result<StagedJob> {
    let jobs = dir.join(names::JOBS);
    let job = StagedJob { staged: jobs.join(format!(".{name}")), whole: jobs.join(name) };
    fs::create_dir(&job.staged).map_err(|error| named(&job.staged, &error))?;
    Ok(job)
}

impl StagedJob {
    /// Where the job writes its files until it has ended.
    pub fn dir(&self) -> &Path {
        &self.staged
    }

    /// Adds `job.json` with the files' hashes and gives the folder its name; returns the job's facts
    /// as written. What failed can be tried again.
    pub fn finish(&self, mut info: JobInfo) -> io::Result<JobInfo> {
        let mut hashes = BTreeMap::new();
        for name in [names::STDOUT, names::STDERR, names::RECORDS] {
            let path = self.staged.join(name);
            if path.exists() {
                File::open(&path)?.sync_all()?;
                hashes.insert(name.to_owned(), sha256_of(&path)?);
            }
        }
        info.sha256 = hashes;
        write_json(&self.staged.join(names::JOB), &info)?;
        fs::rename(&self.staged, &self.whole)?;
        Ok(info)
    }
}

/// Gives the hidden folders of jobs that never ended a name of their own, `NAME.killed-K`, so that
/// every attempt stays in evidence; returns the new names, relative to `dir`.
pub fn set_aside(dir: &Path) -> io::Result<Vec<String>> {
    let jobs = dir.join(names::JOBS);
    let mut aside = Vec::new();
    for entry in fs::read_dir(&jobs)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(job) = name.strip_prefix('.').filter(|_| entry.path().is_dir()) else { continue };
        let free = (1..).map(|k| format!("{job}.killed-{k}")).find(|name| !jobs.join(name).exists());
        let free = free.unwrap_or_default();
        fs::rename(entry.path(), jobs.join(&free))?;
        aside.push(format!("{}/{free}", names::JOBS));
    }
    aside.sort();
    Ok(aside)
}
