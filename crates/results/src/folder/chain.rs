//! The hash chain: one line for each event of a campaign, with the hashes of the files that became final.
//!
//! An entry holds the hash of the previous entry and its own hash. If an entry is changed, removed, added or
//! moved, all later entries change. The hash of the last entry, the *head*, is the evidence hash. A reader
//! who noted it also detects a chain that was written again from the start.
//!
//! Invariant: an entry is appended with one write and flushed to storage before its files get their names.
//! Appended entries are never written again.
//! Never here: the contents of files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Bound;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::hash::sha256;
use super::job_names::is_probe;
use super::json::named;
use super::limits::CHAIN_BYTES_MAX;
use super::names::OF_LOOK;
use super::{beneath, names};
use crate::summary::{CampaignCourse, RepeatedAttempt};

/// The kind of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ChainEvent {
    /// The campaign began: its plan, and who runs it.
    Campaign,
    /// Facts of the machine.
    Machine,
    /// A job is about to be started; there are no files yet.
    Begun,
    /// A job ended.
    Ended,
    /// A job that was stopped with its campaign was set aside, or one that ended while others in its group
    /// did not.
    Killed,
    /// A job that died without a result was set aside, to run again as planned. The note has the cause.
    Died,
    /// The same, because a user asked for it after the verdicts were known. The note has the reason.
    Repeated,
    /// The campaign resumed after it was stopped or killed. The note states what was restored.
    Resumed,
    /// Repetitions were added after the report. Files of the look before have other names.
    Extended,
    /// The witness took the hash of an entry, or did not. The note has its answer.
    Witness,
    /// The command of `--notify` was run. The note has what it received.
    Notified,
    /// The verdicts.
    Verdicts,
    /// The report, which ends the campaign.
    Report,
    /// Something else that belongs to the evidence.
    #[default]
    #[serde(other)]
    Other,
}

impl ChainEvent {
    /// Whether the folder of an attempt got another name.
    pub(super) fn sets_aside(self) -> bool {
        matches!(self, Self::Killed | Self::Died | Self::Repeated)
    }
}

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ChainEntry {
    /// Its number, from 1.
    pub(super) entry: u64,
    /// When, RFC 3339.
    pub(super) time: String,
    /// Its kind.
    pub(super) what: ChainEvent,
    /// The file or the job's folder, relative to the campaign folder.
    pub(super) path: String,
    /// SHA-256, hexadecimal, of each file that became final, by path relative to the campaign folder.
    pub(super) files: BTreeMap<String, String>,
    /// Additional information for readers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) note: String,
    /// The hash of the previous entry; empty in the first entry.
    pub(super) before: String,
}

impl ChainEntry {
    /// The former folder of a job that was set aside.
    fn before_aside(&self) -> Option<&str> {
        self.what.sets_aside().then(|| self.path.rsplit_once(".killed-").map_or("", |(job, _)| job))
    }
}

/// An attempt that was set aside, and why.
fn aside(entry: &ChainEntry) -> RepeatedAttempt {
    RepeatedAttempt { folder: entry.path.clone(), why: entry.note.clone() }
}

/// What an entry of the chain states about a witness.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WitnessAnswer {
    /// The witness, as given.
    pub(super) witness: String,
    /// The entry whose hash was handed out.
    pub(super) entry: u64,
    /// Why it did not take the hash; empty if it did.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) why: String,
}

/// The end of a hash chain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The number of its last entry.
    pub entry: u64,
    /// The hash of its last entry.
    pub hash: String,
}

/// The text between an entry and its own hash.
const HASH: &str = ",\"hash\":\"";
/// The most bytes of the first line.
const LIMIT_OF_FIRST: u64 = 1 << 16;
/// How far before the end of the chain the last line is searched first, bytes.
const TAIL: u64 = 1 << 16;

/// A hash chain that was read.
#[derive(Debug, Default)]
pub(super) struct Chain {
    /// Its entries, each with its hash.
    pub(super) entries: Vec<(ChainEntry, String)>,
    /// One sentence for each modified line.
    pub(super) faults: Vec<String>,
    /// The number of bytes after the last complete line.
    pub(super) torn: u64,
}

impl Chain {
    /// The end of the chain.
    pub(super) fn head(&self) -> Option<Head> {
        self.entries.last().map(|(entry, hash)| Head { entry: entry.entry, hash: hash.clone() })
    }

    /// The end of the chain before the report was made.
    pub(super) fn before_report(&self) -> Option<Head> {
        let kept = self.entries.iter().rev().find(|(entry, _)| entry.what != ChainEvent::Report)?;
        Some(Head { entry: kept.0.entry, hash: kept.1.clone() })
    }

    /// How the campaign ran until its verdicts. Later interruptions do not concern a measurement.
    pub(super) fn course(&self) -> CampaignCourse {
        let last = self.entries.iter().rposition(|(entry, _)| entry.what == ChainEvent::Ended).unwrap_or(0);
        let (jobs, rest) = self.entries.split_at(last);
        let before_verdicts = rest.iter().take_while(|(entry, _)| entry.what != ChainEvent::Verdicts);
        let mut course = CampaignCourse::default();
        // The jobs of attempts that were set aside, and the folders of those that ended afterwards, by entry.
        let (mut set_aside, mut repeated) = (BTreeSet::new(), BTreeMap::new());
        for (entry, _) in jobs.iter().chain(before_verdicts) {
            set_aside.extend(entry.before_aside().filter(|_| !is_probe(&entry.path)));
            match entry.what {
                ChainEvent::Resumed => course.resumed += 1,
                ChainEvent::Killed if is_probe(&entry.path) => {}
                ChainEvent::Killed => course.killed.push(entry.path.clone()),
                ChainEvent::Died => course.died.push(aside(entry)),
                ChainEvent::Repeated => course.asked.push(aside(entry)),
                ChainEvent::Ended if set_aside.contains(entry.path.as_str()) => {
                    repeated.insert(entry.path.as_str(), entry.entry);
                }
                ChainEvent::Witness => {
                    let answer: WitnessAnswer = serde_json::from_str(&entry.note).unwrap_or_default();
                    let witness = course.witness.get_or_insert_default();
                    witness.place = answer.witness;
                    if answer.why.is_empty() {
                        witness.taken += 1;
                    } else {
                        witness.missed += 1;
                        witness.why =
                            Some(&witness.why).filter(|w| !w.is_empty()).unwrap_or(&answer.why).clone();
                    }
                }
                _ => {}
            }
        }
        let mut repeated: Vec<_> = repeated.into_iter().collect();
        repeated.sort_by_key(|(_, entry)| *entry);
        course.repeated = repeated.into_iter().map(|(path, _)| path.to_owned()).collect();
        course
    }

    /// The hash of each file, from the last entry about it.
    pub(super) fn files(&self) -> BTreeMap<&str, &str> {
        let mut files: BTreeMap<&str, &str> = BTreeMap::new();
        for (entry, _) in &self.entries {
            if let Some(job) = entry.before_aside() {
                let within = format!("{job}/");
                let from = files.range::<str, _>((Bound::Included(within.as_str()), Bound::Unbounded));
                let paths = from.map(|(path, _)| *path).take_while(|path| path.starts_with(&within));
                for path in paths.collect::<Vec<_>>() {
                    files.remove(path);
                }
            }
            if entry.what == ChainEvent::Extended {
                for path in OF_LOOK {
                    files.remove(path);
                }
            }
            files.extend(entry.files.iter().map(|(path, hash)| (path.as_str(), hash.as_str())));
        }
        files
    }

    /// Whether repetitions were added, and nothing has happened since.
    pub(super) fn is_extended_now(&self) -> bool {
        self.entries.last().is_some_and(|(entry, _)| entry.what == ChainEvent::Extended)
    }

    /// The folders of jobs that ended before the last extension, and were neither set aside nor run since.
    pub(super) fn before_extension(&self) -> BTreeSet<&str> {
        let last = self.entries.iter().rposition(|(entry, _)| entry.what == ChainEvent::Extended);
        let (before, after) = self.entries.split_at(last.unwrap_or(0));
        let mut ended = BTreeSet::new();
        for (entry, _) in before {
            if let Some(path) = entry.before_aside() {
                ended.remove(path);
            }
            if entry.what == ChainEvent::Ended {
                ended.insert(entry.path.as_str());
            }
        }
        for path in after.iter().filter_map(|(entry, _)| entry.before_aside()) {
            ended.remove(path);
        }
        ended
    }

    /// The current folders of jobs, relative to the campaign folder.
    pub(super) fn folders(&self) -> BTreeSet<&str> {
        let mut folders = BTreeSet::new();
        for (entry, _) in &self.entries {
            if let Some(path) = entry.before_aside() {
                folders.remove(path);
            }
            if entry.what == ChainEvent::Ended || entry.what.sets_aside() {
                folders.insert(entry.path.as_str());
            }
        }
        folders
    }

    /// When each job that has ended began, and the entry of its end, by folder.
    pub(super) fn jobs(&self) -> BTreeMap<&str, (&str, &ChainEntry)> {
        let (mut begun, mut jobs) = (BTreeMap::new(), BTreeMap::new());
        for (entry, _) in &self.entries {
            let folder = entry.path.as_str();
            match entry.what {
                ChainEvent::Begun => _ = begun.insert(folder, entry.time.as_str()),
                ChainEvent::Ended => {
                    jobs.extend(begun.get(folder).map(|begun| (folder, (*begun, entry))));
                }
                _ => {}
            }
        }
        jobs
    }

    /// Folders of jobs that began and have neither ended nor been set aside.
    pub(super) fn pending(&self) -> BTreeSet<&str> {
        let mut pending = BTreeSet::new();
        for (entry, _) in &self.entries {
            if let Some(path) = entry.before_aside() {
                pending.remove(path);
            }
            match entry.what {
                ChainEvent::Begun => _ = pending.insert(entry.path.as_str()),
                ChainEvent::Ended => _ = pending.remove(entry.path.as_str()),
                _ => {}
            }
        }
        pending
    }
}

/// The hash chain of the folder `dir`; `None` without one.
pub(super) fn read(dir: &Path) -> io::Result<Option<Chain>> {
    match beneath::open(dir, Path::new(names::CHAIN)).and_then(entries) {
        Ok(chain) => Ok(Some(chain)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(named(&dir.join(names::CHAIN), &error)),
    }
}

/// The entries in the file of a chain.
fn entries(file: File) -> io::Result<Chain> {
    if file.metadata()?.len() > CHAIN_BYTES_MAX {
        return Err(beneath::too_long(CHAIN_BYTES_MAX));
    }
    let (mut lines, mut line) = (BufReader::new(file.take(CHAIN_BYTES_MAX)), Vec::new());
    let mut chain = Chain::default();
    // The hash that the next line must have as that of the previous entry; unknown after a line that cannot
    // be parsed.
    let mut before = Some(String::new());
    for number in 1.. {
        line.clear();
        lines.read_until(b'\n', &mut line)?;
        let Some(text) = line.strip_suffix(b"\n") else {
            chain.torn = line.len() as u64;
            break;
        };
        let text = std::str::from_utf8(text).unwrap_or_default();
        let mut fault = |what: String| chain.faults.push(format!("{} was changed: {what}", names::CHAIN));
        let Some((entry, hash)) = parse(text) else {
            fault(format!("line {number} was modified"));
            before = None;
            continue;
        };
        if entry.entry != number {
            fault(format!("line {number} has entry {}, so entries are missing or were moved", entry.entry));
        } else if before.is_some_and(|before| before != entry.before) {
            fault(format!("entry {number} does not have the hash of the previous entry"));
        }
        before = Some(hash.clone());
        chain.entries.push((entry, hash));
    }
    Ok(chain)
}

/// An entry and its hash, from an unmodified line.
fn parse(line: &str) -> Option<(ChainEntry, String)> {
    let (body, rest) = line.rsplit_once(HASH)?;
    let hash = rest.strip_suffix("\"}")?;
    let body = format!("{body}}}");
    (sha256(body.as_bytes()) == hash).then_some(())?;
    Some((serde_json::from_str(&body).ok()?, hash.to_owned()))
}

fn line(entry: &ChainEntry) -> io::Result<String> {
    let body = serde_json::to_string(entry)?;
    let hash = sha256(body.as_bytes());
    Ok(format!("{}{HASH}{hash}\"}}\n", body.strip_suffix('}').unwrap_or(&body)))
}

/// Creates the hash chain of a new folder.
pub(super) fn begin(dir: &Path) -> io::Result<()> {
    let made = beneath::create(dir, Path::new(names::CHAIN));
    made.map_err(|error| named(&dir.join(names::CHAIN), &error)).map(drop)
}

/// Appends an entry. This function sets the number, the time and the
/// previous hash. If the file system is full, the chain stays unchanged.
pub(super) fn append(dir: &Path, mut entry: ChainEntry) -> io::Result<()> {
    let path = dir.join(names::CHAIN);
    let mut file = beneath::append(dir, Path::new(names::CHAIN)).map_err(|error| named(&path, &error))?;
    let mut write = || {
        // On a file system without locks there is only one writer, because a campaign has one lock holder.
        let _ = file.lock();
        let end = file.seek(SeekFrom::End(0))?;
        let last = last(&mut file, end)?;
        (entry.entry, entry.before) = last.map_or((1, String::new()), |head| (head.entry + 1, head.hash));
        entry.time = now();
        let line = line(&entry)?;
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
        if written.is_err() {
            let _ = file.set_len(end);
        }
        written
    };
    write().map_err(|error| named(&path, &error))
}

/// The last entry of a chain that ends with a complete line. The file has `end` bytes.
fn last(file: &mut File, end: u64) -> io::Result<Option<Head>> {
    if end == 0 {
        return Ok(None);
    }
    let mut from = end.saturating_sub(TAIL);
    loop {
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let body = &bytes[..bytes.len().saturating_sub(1)];
        let begin = body.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        if begin.is_some() || from == 0 {
            let line = std::str::from_utf8(&body[begin.unwrap_or(0)..]).unwrap_or_default();
            let head = parse(line).filter(|_| bytes.ends_with(b"\n"));
            let head = head.map(|(entry, hash)| Some(Head { entry: entry.entry, hash }));
            return head.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "its last line was modified"));
        }
        from = from.saturating_sub(TAIL);
    }
}

/// The hash of the first entry of the chain in `dir`, and its head; `None` without a chain or an entry.
pub(super) fn ends(dir: &Path) -> io::Result<Option<(String, Head)>> {
    let path = dir.join(names::CHAIN);
    let mut file = match beneath::open(dir, Path::new(names::CHAIN)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(named(&path, &error)),
    };
    let mut read = || {
        let end = file.seek(SeekFrom::End(0))?;
        let Some(head) = last(&mut file, end)? else { return Ok(None) };
        file.seek(SeekFrom::Start(0))?;
        let mut first = String::new();
        BufReader::new((&mut file).take(LIMIT_OF_FIRST)).read_line(&mut first)?;
        Ok(parse(first.trim_end()).map(|(_, hash)| (hash, head)))
    };
    read().map_err(|error: io::Error| named(&path, &error))
}

/// Removes the `torn` bytes after the last complete line.
pub(super) fn restore(dir: &Path, torn: u64) -> io::Result<()> {
    let path = dir.join(names::CHAIN);
    let cut = || {
        let file = beneath::write(dir, Path::new(names::CHAIN))?;
        let length = file.metadata()?.len();
        file.set_len(length.saturating_sub(torn))?;
        file.sync_all()
    };
    cut().map_err(|error| named(&path, &error))
}

/// The time now, RFC 3339 with the local offset, to the millisecond.
pub fn now() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%.3f%:z").to_string()
}
