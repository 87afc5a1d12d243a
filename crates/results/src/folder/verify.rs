//! Checking a campaign's folder: every file against the chain, the chain against itself.
//!
//! With a chain nothing can be changed, removed, added or moved unnoticed, but by somebody who makes the
//! whole chain anew: that one is found by comparing the head with a copy kept elsewhere. Folders of
//! schema 1 have only the hashes of their jobs.
//!
//! Invariant: one sentence for each fault, naming the file; what a kill leaves behind is no fault.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path};

use super::chain::{self, Chain, Head};
use super::resume::{as_it_lies, hidden, is_half};
use super::write::{sha256_of_any, staged};
use super::{CampaignInfo, JobInfo, SCHEMA, load::json, names, sha256_of, spelling};

/// One thing that is not as recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFault {
    /// The file or the directory that it is about, relative to the folder.
    pub about: String,
    /// What is wrong, one sentence with the file's name.
    pub said: String,
}

impl FolderFault {
    fn new(about: &str, said: String) -> Self {
        Self { about: about.to_owned(), said }
    }
}

/// What checking a folder found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Each file that is not as recorded.
    pub faults: Vec<FolderFault>,
    /// One sentence for each thing that a campaign which has not ended leaves half done.
    pub notes: Vec<String>,
    /// The head of the chain; absent without a chain.
    pub head: Option<Head>,
    /// Whether the campaign has ended, to its report; without a chain, whether there are verdicts.
    pub ended: bool,
}

impl Verification {
    /// The sentences of all faults.
    pub fn said(&self) -> Vec<String> {
        self.faults.iter().map(|fault| fault.said.clone()).collect()
    }

    /// The sentences of the faults of what was measured: not of verdicts, summary and report, which can be
    /// made of it again.
    pub fn of_evidence(&self) -> Vec<String> {
        let made = [names::VERDICTS, names::SUMMARY, names::REPORT];
        let of_evidence = self.faults.iter().filter(|fault| !made.contains(&fault.about.as_str()));
        of_evidence.map(|fault| fault.said.clone()).collect()
    }
}

/// Compares the folder with its chain, or without one with the hashes of its jobs. Files are only hashed,
/// so that one that cannot be read any more is named like every other. Fails where `dir` is no campaign.
pub fn check(dir: &Path) -> io::Result<Verification> {
    match chain::read(dir)? {
        Some(chain) => by_chain(dir, &chain),
        None => by_jobs(dir),
    }
}

fn by_chain(dir: &Path, chain: &Chain) -> io::Result<Verification> {
    // The report gets its name last of all.
    let ended = dir.join(names::REPORT).symlink_metadata().is_ok();
    let faults = chain.faults.iter().map(|said| FolderFault::new(names::CHAIN, said.clone())).collect();
    let mut found = FolderCheck { dir, chain, files: chain.files(), ended, faults, notes: Vec::new() };
    if chain.torn > 0 {
        let what = format!("{}: its last line is torn, {} bytes", names::CHAIN, chain.torn);
        found.left(names::CHAIN, what, "it was being written when the campaign was killed");
    }
    let gone = found.folders();
    found.compare(&gone);
    found.strangers("")?;
    let FolderCheck { faults, notes, .. } = found;
    Ok(Verification { faults, notes, head: chain.head(), ended })
}

/// A check under way.
struct FolderCheck<'a> {
    dir: &'a Path,
    chain: &'a Chain,
    /// The hash of each file that the chain has.
    files: BTreeMap<&'a str, &'a str>,
    ended: bool,
    faults: Vec<FolderFault>,
    notes: Vec<String>,
}

impl FolderCheck<'_> {
    fn fault(&mut self, about: &str, said: String) {
        self.faults.push(FolderFault::new(about, said));
    }

    /// Notes what a kill leaves; after the end of a campaign it is a fault.
    fn left(&mut self, about: &str, what: String, why: &str) {
        if self.ended { self.fault(about, what) } else { self.notes.push(format!("{what}; {why}")) }
    }

    /// Looks for the folders of jobs, and gives those that are not where they belong.
    fn folders(&mut self) -> BTreeSet<String> {
        let mut gone = BTreeSet::new();
        for path in self.chain.folders() {
            if self.dir.join(path).is_dir() {
                continue;
            }
            gone.insert(path.to_owned());
            if hidden(self.dir, path).is_dir() {
                let what = format!("{} has not got its name yet", as_it_lies(path));
                self.left(path, what, "resuming gives it");
            } else {
                self.fault(path, format!("{path} is missing"));
            }
        }
        for path in self.chain.pending() {
            if !hidden(self.dir, path).is_dir() {
                self.fault(path, format!("{path} was begun, and what it left is missing"));
            } else {
                let what = format!("{} has not ended", as_it_lies(path));
                self.left(path, what, "it runs, or was killed with its campaign");
            }
        }
        gone
    }

    /// Compares every file of the chain with its hash.
    fn compare(&mut self, gone: &BTreeSet<String>) {
        let folder = |path: &str| path.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
        for (path, recorded) in self.files.clone() {
            if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_))) {
                self.fault(path, format!("{} does not lie in the folder", spelling::shown(path)));
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
                    let what = format!("{} has not got its name yet", spelling::shown(path));
                    self.left(path, what, "resuming gives it");
                }
                Err(error) => self.fault(path, unread(path, &error)),
            }
        }
    }

    /// Names what lies in the folder, below `within`, and is not in the chain.
    fn strangers(&mut self, within: &str) -> io::Result<()> {
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
                    true => self.notes.push(format!("{shown} is half written; resuming takes it away")),
                    false => self.added(&path),
                }
            }
        }
        Ok(())
    }

    /// Whether a half-written file's whole one is in the chain and not there, which was noted then.
    fn will_get_its_name(&self, half: &str) -> bool {
        let name = half.trim_start_matches('.').trim_end_matches(".part");
        self.files.contains_key(name) && self.dir.join(name).symlink_metadata().is_err()
    }

    fn directory(&mut self, path: &str, name: &str) -> io::Result<()> {
        let folders = self.chain.folders();
        let known = path == names::JOBS || folders.contains(&path) || self.files.contains_key(path);
        if known {
            return self.strangers(path);
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
                self.notes.push(format!("{path} was made for a job that was never begun"));
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
    // An attempt that had ended was never set aside by a program that made no chain.
    let aside = |name: &&String| {
        name.contains(".killed-") && dir.join(names::JOBS).join(name).join(names::JOB).exists()
    };
    faults.extend(jobs.iter().filter(aside).map(|name| unchained(&format!("{}/{name}", names::JOBS))));
    // What was killed with its campaign has no hashes, and no verdict rests on it.
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

/// Fields that programs which kept no chain did not write into campaign.json.
const LATER_OF_CAMPAIGNS: [&str; 6] = ["hosts", "exclude", "batch_script", "build", "launcher", "env"];
/// The same of job.json.
const LATER_OF_JOBS: [&str; 5] = ["load_before", "fill_before", "fill_after", "layout", "libraries"];

/// Notes a file that has fields of programs which keep a chain.
fn newer(dir: &Path, file: &str, later: &[&str], faults: &mut Vec<FolderFault>) {
    let found = json::<serde_json::Map<String, serde_json::Value>>(&dir.join(file)).unwrap_or_default();
    if later.iter().any(|field| found.contains_key(*field)) {
        faults.push(unchained(file));
    }
}

/// That a folder which says that it never had a chain had one, as `file` shows: a fault of the chain, and so
/// of everything, also where the file itself could be made again.
fn unchained(file: &str) -> FolderFault {
    let chain = names::CHAIN;
    FolderFault::new(
        chain,
        format!("{file} was made by a program that keeps a chain, and {chain} is missing"),
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
    format!("{file} was changed: SHA-256 {found}, recorded was {recorded}")
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
