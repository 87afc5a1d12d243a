//! Checking a campaign folder: every file against the hash chain, and the chain against itself.
//!
//! With a hash chain every change of a file is found: modified, removed, added or moved files. Only a person
//! who writes the whole chain again can hide a change. The evidence hash detects this if a copy is kept
//! elsewhere. Folders of schema 1 have only the hashes of their jobs.
//!
//! Invariant: each fault has one sentence with the file name. What a kill leaves is not a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path};

use super::chain::{self, Chain, Head};
use super::resume::{hidden, hidden_path, is_half};
use super::write::{sha256_of_any, staged};
use super::{CampaignInfo, JobInfo, SCHEMA, load::json, names, sha256_of, spelling};

/// One file or directory that is not intact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFault {
    /// The file or directory, relative to the folder.
    pub about: String,
    /// The fault, in one sentence with the file name.
    pub said: String,
}

impl FolderFault {
    fn new(about: &str, said: String) -> Self {
        Self { about: about.to_owned(), said }
    }
}

/// The result of checking a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Each file that is not intact.
    pub faults: Vec<FolderFault>,
    /// One sentence for each incomplete item of a campaign that has not ended.
    pub notes: Vec<String>,
    /// The head of the hash chain; absent without a chain.
    pub head: Option<Head>,
    /// Whether the campaign has ended: there is a report; without a chain, whether there are verdicts.
    pub ended: bool,
}

impl Verification {
    /// The sentences of all faults.
    pub fn said(&self) -> Vec<String> {
        self.faults.iter().map(|fault| fault.said.clone()).collect()
    }

    /// The sentences of faults in the measured data. Verdicts, summary and report are excluded, because they
    /// can be made again.
    pub fn of_evidence(&self) -> Vec<String> {
        let made = [names::VERDICTS, names::SUMMARY, names::REPORT];
        let of_evidence = self.faults.iter().filter(|fault| !made.contains(&fault.about.as_str()));
        of_evidence.map(|fault| fault.said.clone()).collect()
    }
}

/// Compares the folder with its chain, or without a chain with the hashes of its jobs. Files are only hashed,
/// so that a file that cannot be read is reported like every other fault. It fails if `dir` is not a
/// campaign.
pub fn check(dir: &Path) -> io::Result<Verification> {
    match chain::read(dir)? {
        Some(chain) => by_chain(dir, &chain),
        None => by_jobs(dir),
    }
}

fn by_chain(dir: &Path, chain: &Chain) -> io::Result<Verification> {
    // The report is the last file that gets its name.
    let ended = dir.join(names::REPORT).symlink_metadata().is_ok();
    let faults = chain.faults.iter().map(|said| FolderFault::new(names::CHAIN, said.clone())).collect();
    let mut found = FolderCheck { dir, chain, files: chain.files(), ended, faults, notes: Vec::new() };
    if chain.torn > 0 {
        let what = format!("{}: its last line is incomplete ({} bytes)", names::CHAIN, chain.torn);
        found.left(names::CHAIN, what, "The campaign was killed while it wrote this line");
    }
    let gone = found.folders();
    found.compare(&gone);
    found.unknown_entries("")?;
    let FolderCheck { faults, notes, .. } = found;
    Ok(Verification { faults, notes, head: chain.head(), ended })
}

/// A check in progress.
struct FolderCheck<'a> {
    dir: &'a Path,
    chain: &'a Chain,
    /// The hash of each file in the chain.
    files: BTreeMap<&'a str, &'a str>,
    ended: bool,
    faults: Vec<FolderFault>,
    notes: Vec<String>,
}

impl FolderCheck<'_> {
    fn fault(&mut self, about: &str, said: String) {
        self.faults.push(FolderFault::new(about, said));
    }

    /// Notes what a kill leaves. After the end of a campaign it is a fault.
    fn left(&mut self, about: &str, what: String, why: &str) {
        if self.ended { self.fault(about, what) } else { self.notes.push(format!("{what}. {why}")) }
    }

    /// Checks the folders of jobs, and returns those that do not have their final names.
    fn folders(&mut self) -> BTreeSet<String> {
        let mut gone = BTreeSet::new();
        for path in self.chain.folders() {
            if self.dir.join(path).is_dir() {
                continue;
            }
            gone.insert(path.to_owned());
            if hidden(self.dir, path).is_dir() {
                let what = format!("{} does not have its final name yet", hidden_path(path));
                self.left(path, what, "Resuming the campaign renames it");
            } else {
                self.fault(path, format!("{path} is missing"));
            }
        }
        for path in self.chain.pending() {
            if !hidden(self.dir, path).is_dir() {
                self.fault(path, format!("{path} began, but its files are missing"));
            } else {
                let what = format!("{} has not ended", hidden_path(path));
                self.left(path, what, "It still runs, or was killed with its campaign");
            }
        }
        gone
    }

    /// Compares every file in the chain with its hash.
    fn compare(&mut self, gone: &BTreeSet<String>) {
        let folder = |path: &str| path.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
        for (path, recorded) in self.files.clone() {
            if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
                self.fault(path, format!("{} is outside the campaign folder", spelling::shown(path)));
                continue;
            }
            let at = match gone.contains(&folder(path)) {
                true => {
                    let within = path.splitn(3, '/').nth(2).unwrap_or_default();
                    hidden(self.dir, &folder(path)).join(spelling::path(within))
                }
                false => self.dir.join(spelling::path(path)),
            };
            match sha256_of_any(&at) {
                Ok(found) if found == recorded => {}
                Ok(found) => self.fault(path, changed(path, &found, recorded)),
                Err(_) if gone.contains(&folder(path)) && !hidden(self.dir, &folder(path)).is_dir() => {}
                Err(_) if sha256_of_any(&staged(&at)).is_ok_and(|found| found == recorded) => {
                    let what = format!("{} does not have its final name yet", spelling::shown(path));
                    self.left(path, what, "Resuming the campaign renames it");
                }
                Err(error) => self.fault(path, unread(path, &error)),
            }
        }
    }

    /// Reports entries of the folder, below `within`, that are not in the chain.
    fn unknown_entries(&mut self, within: &str) -> io::Result<()> {
        let mut entries: Vec<_> =
            fs::read_dir(self.dir.join(spelling::path(within)))?.collect::<Result<_, _>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = spelling::spelled(&entry.file_name());
            let path = if within.is_empty() { name.clone() } else { format!("{within}/{name}") };
            let shown = spelling::shown(&path);
            if entry.file_type()?.is_dir() {
                self.directory(&path, &name)?;
            } else if path != names::CHAIN && !self.files.contains_key(path.as_str()) {
                let half = within.is_empty() && is_half(&name);
                match half && !self.ended {
                    true if self.will_get_its_name(&name) => {}
                    true => {
                        self.notes.push(format!("{shown} is incomplete. Resuming the campaign removes it"));
                    }
                    false => self.added(&path),
                }
            }
        }
        Ok(())
    }

    /// Whether the chain has the complete file of an incomplete copy that is not renamed yet. It was noted
    /// before.
    fn will_get_its_name(&self, half: &str) -> bool {
        let name = half.trim_start_matches('.').trim_end_matches(".part");
        self.files.contains_key(name) && self.dir.join(name).symlink_metadata().is_err()
    }

    fn directory(&mut self, path: &str, name: &str) -> io::Result<()> {
        let folders = self.chain.folders();
        let known = path == names::JOBS || folders.contains(&path) || self.files.contains_key(path);
        if known {
            return self.unknown_entries(path);
        }
        let job = path.starts_with(names::JOBS).then(|| name.strip_prefix('.')).flatten();
        let named = job.map(|job| format!("{}/{job}", names::JOBS)).unwrap_or_default();
        let begun = self.chain.pending().contains(&named.as_str())
            || folders.iter().any(|folder| {
                hidden(self.dir, folder) == self.dir.join(spelling::path(path))
                    && !self.dir.join(folder).is_dir()
            });
        let empty = fs::read_dir(self.dir.join(spelling::path(path)))?.next().is_none();
        if !self.ended && job.is_some() && (begun || empty) {
            if !begun {
                self.notes.push(format!("{path} belongs to a job that never began"));
            }
            return Ok(());
        }
        self.added(path);
        Ok(())
    }

    fn added(&mut self, path: &str) {
        self.fault(path, format!("{} was added: it is not in {}", spelling::shown(path), names::CHAIN));
    }
}

fn by_jobs(dir: &Path) -> io::Result<Verification> {
    let info: CampaignInfo = json(&dir.join(names::CAMPAIGN))?;
    let mut faults = Vec::new();
    if info.schema >= SCHEMA {
        faults.push(FolderFault::new(names::CHAIN, format!("{} is missing", names::CHAIN)));
    } else {
        newer(dir, names::CAMPAIGN, &LATER_OF_CAMPAIGNS, &mut faults);
        faults.extend(dir.join(names::SUMMARY).exists().then(|| unchained(names::SUMMARY)));
    }
    compare(dir, names::PLAN, &info.plan_sha256, &mut faults);
    let mut jobs = Vec::new();
    for entry in fs::read_dir(dir.join(names::JOBS))? {
        jobs.push(entry?.file_name().to_string_lossy().into_owned());
    }
    jobs.sort();
    // Programs without a chain never set aside an attempt that had ended.
    let aside = |name: &&String| {
        name.contains(".killed-") && dir.join(names::JOBS).join(name).join(names::JOB).exists()
    };
    faults.extend(jobs.iter().filter(aside).map(|name| unchained(&format!("{}/{name}", names::JOBS))));
    // Attempts that were stopped with their campaign have no hashes, and no verdict is based on them.
    for name in jobs.iter().filter(|name| !name.starts_with('.') && !name.contains(".killed-")) {
        let folder = format!("{}/{name}", names::JOBS);
        let file = format!("{folder}/{}", names::JOB);
        match fs::read(dir.join(&file)).map(|text| serde_json::from_slice::<JobInfo>(&text)) {
            Err(error) => faults.push(FolderFault::new(&file, unread(&file, &error))),
            Ok(Err(error)) => faults.push(FolderFault::new(&file, format!("{file} was changed: {error}"))),
            Ok(Ok(job)) => {
                if info.schema < SCHEMA {
                    newer(dir, &file, &LATER_OF_JOBS, &mut faults);
                }
                for (name, recorded) in job.sha256 {
                    compare(dir, &format!("{folder}/{name}"), &recorded, &mut faults);
                }
            }
        }
    }
    Ok(Verification { faults, ended: dir.join(names::VERDICTS).exists(), ..Verification::default() })
}

/// Fields of campaign.json that programs without a chain did not write.
const LATER_OF_CAMPAIGNS: [&str; 6] = ["hosts", "exclude", "batch_script", "build", "launcher", "env"];
/// The same for job.json.
const LATER_OF_JOBS: [&str; 5] = ["load_before", "fill_before", "fill_after", "layout", "libraries"];

/// Notes a file with fields that only programs with a chain write.
fn newer(dir: &Path, file: &str, later: &[&str], faults: &mut Vec<FolderFault>) {
    let found = json::<serde_json::Map<String, serde_json::Value>>(&dir.join(file)).unwrap_or_default();
    if later.iter().any(|field| found.contains_key(*field)) {
        faults.push(unchained(file));
    }
}

/// The fault of a folder that had a chain, as `file` shows, but states that it never had one. It is a fault
/// of the chain, and so of all evidence, even if the file itself could be made again.
fn unchained(file: &str) -> FolderFault {
    let chain = names::CHAIN;
    FolderFault::new(
        chain,
        format!("{file} was written by a program with a hash chain, but {chain} is missing"),
    )
}

fn compare(dir: &Path, file: &str, recorded: &str, faults: &mut Vec<FolderFault>) {
    match sha256_of(&dir.join(file)) {
        Ok(found) if found == recorded => {}
        Ok(found) => faults.push(FolderFault::new(file, changed(file, &found, recorded))),
        Err(error) => faults.push(FolderFault::new(file, unread(file, &error))),
    }
}

fn changed(file: &str, found: &str, recorded: &str) -> String {
    let file = spelling::shown(file);
    format!("{file} was changed: its SHA-256 is {found}, but {recorded} was recorded")
}

fn unread(file: &str, error: &io::Error) -> String {
    let file = spelling::shown(file);
    match error.kind() {
        ErrorKind::NotFound => format!("{file} is missing"),
        _ => format!("{file} cannot be read: {error}"),
    }
}

#[cfg(test)]
mod left_tests;
#[cfg(test)]
mod tests;
