//! Checking a campaign folder: every file against the hash chain, and the chain against itself.
//!
//! Every change of a file is found: modified, removed, added or moved files. Only a person who writes the
//! whole chain again can hide a change. The evidence hash detects this if a copy is kept elsewhere.
//!
//! Invariant: each fault has one sentence with the file name. What a kill leaves is not a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;

use super::chain::{self, Chain, ChainEvent, Head};
use super::hash::sha256_of_any;
use super::job_names::hidden_path;
use super::links::leads_out;
use super::looks::name_before;
use super::parallel::in_parallel;
use super::staging::{complete_part, final_name};
use super::times::{NODE_CLOCK_S, unix_s};
use super::{beneath, limits, load::campaign_info, names, spelling};

/// One file or directory that is not intact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderFault {
    /// The file or directory, relative to the folder.
    pub about: String,
    /// The fault, in one sentence with the file name.
    pub said: String,
    /// Whether it is only missing.
    pub is_missing: bool,
}

impl FolderFault {
    /// A fault that is not a missing file.
    pub fn new(about: &str, said: String) -> Self {
        Self { about: about.to_owned(), said, is_missing: false }
    }

    /// An entry that cannot be read.
    fn unread(about: &str, error: &io::Error) -> Self {
        let is_missing = error.kind() == ErrorKind::NotFound;
        let file = spelling::shown(about);
        let said = match is_missing {
            true => format!("{file} is missing"),
            false => format!("{file} cannot be read: {error}"),
        };
        Self { is_missing, ..Self::new(about, said) }
    }

    /// Whether it is about a file that can be made again from the others.
    fn is_of_made(&self) -> bool {
        [names::VERDICTS, names::SUMMARY, names::REPORT].contains(&self.about.as_str())
    }
}

/// The result of checking a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verification {
    /// Each file that is not intact.
    pub faults: Vec<FolderFault>,
    /// One sentence for each incomplete item of a campaign that has not ended.
    pub notes: Vec<String>,
    /// The head of the hash chain; absent without a chain, which is a fault.
    pub head: Option<Head>,
    /// Whether the campaign has ended: there is a report.
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
        let of_evidence = self.faults.iter().filter(|fault| !fault.is_of_made());
        of_evidence.map(|fault| fault.said.clone()).collect()
    }

    /// The first fault because of which nothing may be written into the folder, if any. Missing files that
    /// can be made again are no such fault.
    pub fn forbids_writing(&self) -> Option<&FolderFault> {
        self.faults.iter().find(|fault| !(fault.is_missing && fault.is_of_made()))
    }
}

/// Compares the folder with its chain. Files are only hashed, so that a file that cannot be read is reported
/// like every other fault. It fails if `dir` is not a campaign, or one of another format.
pub fn check(dir: &Path) -> io::Result<Verification> {
    match chain::read(dir)? {
        Some(chain) => by_chain(dir, &chain),
        None => {
            campaign_info(dir)?;
            let missing = FolderFault::new(names::CHAIN, format!("{} is missing", names::CHAIN));
            Ok(Verification { faults: vec![missing], ..Verification::default() })
        }
    }
}

fn by_chain(dir: &Path, chain: &Chain) -> io::Result<Verification> {
    // The report is the last file that gets its name.
    let ended = beneath::exists(dir, Path::new(names::REPORT)) && !chain.is_extended_now();
    let faults = chain.faults.iter().map(|said| FolderFault::new(names::CHAIN, said.clone())).collect();
    let mut found = FolderCheck {
        dir,
        chain,
        files: chain.files(),
        folders: chain.folders(),
        pending: chain.pending(),
        hidden: BTreeSet::new(),
        ended,
        faults,
        notes: Vec::new(),
    };
    if chain.torn > 0 {
        let what = format!("{}: its last line is incomplete ({} bytes)", names::CHAIN, chain.torn);
        found.left(names::CHAIN, what, "The campaign was killed while it wrote this line");
    }
    found.times();
    // Later steps use the paths of jobs, so they must be paths of jobs.
    if found.job_paths() {
        let gone = found.folders();
        found.hidden = gone.iter().map(|path| hidden_path(path)).collect();
        found.compare(&gone);
        found.unknown_entries("")?;
    }
    let FolderCheck { faults, notes, .. } = found;
    Ok(Verification { faults, notes, head: chain.head(), ended })
}

/// A check in progress.
struct FolderCheck<'a> {
    dir: &'a Path,
    chain: &'a Chain,
    /// The hash of each file in the chain.
    files: BTreeMap<&'a str, &'a str>,
    /// The folders of jobs in the chain.
    folders: BTreeSet<&'a str>,
    /// The folders of jobs that have not ended.
    pending: BTreeSet<&'a str>,
    /// The hidden paths of folders that do not have their final names.
    hidden: BTreeSet<String>,
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

    /// Checks that no entry is much older than one before it.
    fn times(&mut self) {
        let mut latest = f64::MIN;
        for (entry, _) in &self.chain.entries {
            let (number, time) = (entry.entry, spelling::shown(&entry.time));
            let said = match unix_s(&entry.time) {
                None => format!("{}: entry {number} has {time}, which is not a time", names::CHAIN),
                Some(now) if now < latest - NODE_CLOCK_S => {
                    format!("{}: entry {number} was made at {time}, before an earlier entry", names::CHAIN)
                }
                Some(now) => {
                    latest = latest.max(now);
                    continue;
                }
            };
            self.faults.push(FolderFault::new(names::CHAIN, said));
        }
    }

    /// Checks that each entry about a job has the path of a folder in `jobs`, and returns whether it does.
    fn job_paths(&mut self) -> bool {
        let of_job =
            |what: ChainEvent| matches!(what, ChainEvent::Begun | ChainEvent::Ended) || what.sets_aside();
        let before = self.faults.len();
        for (entry, _) in self.chain.entries.iter().filter(|(entry, _)| of_job(entry.what)) {
            let name = entry.path.strip_prefix(names::JOBS).and_then(|path| path.strip_prefix('/'));
            let is_folder = |name: &str| {
                let mut parts = Path::new(name).components();
                let is_one = matches!(parts.next(), Some(Component::Normal(part)) if part == name);
                is_one && parts.next().is_none() && !name.starts_with('.')
            };
            if !name.is_some_and(is_folder) {
                let (number, path) = (entry.entry, spelling::shown(&entry.path));
                let what =
                    format!("{}: entry {number} has {path}, which is not a job's folder", names::CHAIN);
                self.faults.push(FolderFault::new(names::CHAIN, what));
            }
        }
        self.faults.len() == before
    }

    /// Checks the folders of jobs, and returns those that do not have their final names.
    fn folders(&mut self) -> BTreeSet<String> {
        let mut gone = BTreeSet::new();
        for path in self.folders.clone() {
            if self.is_dir(path) {
                continue;
            }
            gone.insert(path.to_owned());
            if self.is_dir(&hidden_path(path)) {
                let what = format!("{} does not have its final name yet", hidden_path(path));
                self.left(path, what, "Resuming the campaign renames it");
            } else {
                let missing = FolderFault::unread(path, &ErrorKind::NotFound.into());
                self.faults.push(missing);
            }
        }
        for path in self.pending.clone() {
            if !self.is_dir(&hidden_path(path)) {
                self.fault(path, format!("{path} began, but its files are missing"));
            } else {
                let what = format!("{} has not ended", hidden_path(path));
                self.left(path, what, "It still runs, or was killed with its campaign");
            }
        }
        gone
    }

    fn is_dir(&self, path: &str) -> bool {
        beneath::is_dir(self.dir, Path::new(path))
    }

    /// Compares every file in the chain with its hash.
    fn compare(&mut self, gone: &BTreeSet<String>) {
        let folder = |path: &str| path.splitn(3, '/').take(2).collect::<Vec<_>>().join("/");
        let files = self.files.clone();
        let place = |path: &str| match gone.contains(&folder(path)) {
            true => {
                let within = path.splitn(3, '/').nth(2).unwrap_or_default();
                PathBuf::from(hidden_path(&folder(path))).join(spelling::path(within))
            }
            false => spelling::path(path),
        };
        let is_within =
            |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        let places: Vec<_> = files.keys().map(|path| is_within(path).then(|| place(path))).collect();
        let hashes = in_parallel(&places, |at| at.as_ref().map(|at| sha256_of_any(self.dir, at)));
        for (((path, recorded), at), hash) in files.into_iter().zip(places).zip(hashes) {
            let (Some(at), Some(hash)) = (at, hash) else {
                self.fault(path, format!("{} is outside the campaign folder", spelling::shown(path)));
                continue;
            };
            match hash {
                Ok(found) if found == recorded => {}
                Ok(found) => self.fault(path, changed(path, &found, recorded)),
                Err(_) if gone.contains(&folder(path)) && !self.is_dir(&hidden_path(&folder(path))) => {}
                Err(_) if complete_part(self.dir, &at, recorded).is_some() => {
                    let what = format!("{} does not have its final name yet", spelling::shown(path));
                    self.left(path, what, "Resuming the campaign renames it");
                }
                Err(_) if self.has_former_name(path, recorded) => {
                    let what = format!("{} does not have its final name yet", spelling::shown(path));
                    self.left(path, what, "Resuming the campaign renames it");
                }
                Err(error) => self.faults.push(FolderFault::unread(path, &error)),
            }
        }
    }

    /// Whether a file of an earlier look is there under the name that it had before.
    fn has_former_name(&self, path: &str, recorded: &str) -> bool {
        let name = name_before(path, &self.files);
        name.is_some_and(|name| sha256_of_any(self.dir, Path::new(name)).is_ok_and(|found| found == recorded))
    }

    /// Reports entries of the folder, below `within`, that are not in the chain, and links that lead out.
    fn unknown_entries(&mut self, within: &str) -> io::Result<()> {
        let here = spelling::path(within);
        if let Err(error) = limits::depth(&here) {
            self.faults.push(FolderFault::unread(within, &error));
            return Ok(());
        }
        for name in beneath::names(self.dir, &here)? {
            let at = here.join(&name);
            let name = spelling::spelled(&name);
            let path = if within.is_empty() { name.clone() } else { format!("{within}/{name}") };
            match beneath::kind(self.dir, &at)? {
                FileType::Directory => self.directory(&path, &name)?,
                kind => self.file(&path, &name, kind)?,
            }
        }
        Ok(())
    }

    /// Reports a file, a link or another entry, unless it is in the chain.
    fn file(&mut self, path: &str, name: &str, kind: FileType) -> io::Result<()> {
        let (at, shown) = (spelling::path(path), spelling::shown(path));
        if path == names::CHAIN || self.files.contains_key(path) {
            if kind == FileType::Symlink && leads_out(&at, &beneath::target(self.dir, &at)?) {
                self.fault(path, format!("{shown} is a link that leads out of the folder"));
            }
            return Ok(());
        }
        match final_name(name).filter(|_| path == name && !self.ended) {
            // It was noted before.
            Some(own) if self.is_part_of(own, &at) => {}
            Some(_) => self.notes.push(format!("{shown} is incomplete. Resuming the campaign removes it")),
            // It gets the name of an earlier look.
            None if self.is_renamed_later(path) => {}
            None => self.added(path),
        }
        Ok(())
    }

    /// Whether a file gets the name that the chain has for an earlier look.
    fn is_renamed_later(&self, path: &str) -> bool {
        let mut later = self.files.keys().filter(|own| name_before(own, &self.files) == Some(path));
        later.any(|own| !beneath::exists(self.dir, &spelling::path(own)))
    }

    /// Whether the incomplete file `part` has the hash that the chain has for the file `name`, which does not
    /// exist yet.
    fn is_part_of(&self, name: &str, part: &Path) -> bool {
        let hash = self.files.get(name).filter(|_| !beneath::exists(self.dir, Path::new(name)));
        hash.is_some_and(|hash| complete_part(self.dir, Path::new(name), hash).as_deref() == Some(part))
    }

    fn directory(&mut self, path: &str, name: &str) -> io::Result<()> {
        let known = path == names::JOBS || self.folders.contains(path) || self.files.contains_key(path);
        if known {
            return self.unknown_entries(path);
        }
        let job = path.starts_with(names::JOBS).then(|| name.strip_prefix('.')).flatten();
        let named = job.map(|job| format!("{}/{job}", names::JOBS)).unwrap_or_default();
        let begun = self.pending.contains(named.as_str()) || self.hidden.contains(path);
        let empty = beneath::names(self.dir, &spelling::path(path))?.is_empty();
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

fn changed(file: &str, found: &str, recorded: &str) -> String {
    let file = spelling::shown(file);
    format!("{file} was changed: its SHA-256 is {found}, but {recorded} was recorded")
}

#[cfg(test)]
mod left_tests;
#[cfg(test)]
mod tests;
