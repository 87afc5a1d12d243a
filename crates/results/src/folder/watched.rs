//! A campaign that is watched while another process, perhaps on another node, runs it.
//!
//! Invariant: nothing is written, locked or followed. Files may appear, change their names or vanish at any
//! time. A reading that this disturbs fails, and the reading before stays.
//! Never here: the wait between two readings, and whether a process is alive.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::chain::{self, Chain, ChainEntry, ChainEvent};
use super::job_names::{hidden_path, name_when_ended};
use super::load::load_with_chain;
use super::progress::{PROGRESS_BYTES, ProgressShown};
use super::{Campaign, CampaignProcess, beneath, names};
use crate::record::Record;

/// The most bytes of the record of an end.
const END_BYTES_MAX: u64 = 4096;

/// A job that began and has not ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunningJob {
    /// Its folder when it has ended, relative to the campaign folder, such as `jobs/0001-write-r1`.
    pub folder: String,
    /// When it began, RFC 3339.
    pub begun: String,
    /// What it shows; absent if it shows nothing.
    pub progress: Option<ProgressShown>,
    /// When its output or its progress last changed.
    pub changed: Option<SystemTime>,
    /// Whether its records have an end. Jobs of a group wait for each other after it.
    pub has_ended: bool,
}

/// A campaign that is watched.
#[derive(Debug, Default)]
pub struct WatchedCampaign {
    dir: PathBuf,
    /// The length of the chain at the last reading, bytes.
    length: Option<u64>,
    /// The campaign as last read; absent before it has begun.
    pub campaign: Option<Campaign>,
    /// The jobs that run.
    pub running: Vec<RunningJob>,
    /// The process that began the last job.
    pub process: Option<CampaignProcess>,
    /// When the last event happened, RFC 3339.
    pub last_event: String,
    /// Whether the report has ended the campaign.
    pub has_ended: bool,
}

impl WatchedCampaign {
    /// The campaign in the folder `dir`, which is read by [`Self::read`].
    pub fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), ..Self::default() }
    }

    /// Reads the folder again. Returns whether the campaign has changed. Otherwise only what the running jobs
    /// show was read.
    pub fn read(&mut self) -> io::Result<bool> {
        let length = match beneath::open(&self.dir, Path::new(names::CHAIN)) {
            Ok(chain) => chain.metadata()?.len(),
            // The first event is not there yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        let is_new = self.length != Some(length);
        if is_new && beneath::exists(&self.dir, Path::new(names::CAMPAIGN)) {
            let (mut campaign, chain) = load_with_chain(&self.dir)?;
            let chain = chain.unwrap_or_default();
            self.see(&chain);
            // A folder in this list would be taken for one that a kill left.
            campaign.killed.retain(|left| !self.running.iter().any(|job| hidden_path(&job.folder) == *left));
            self.campaign = Some(campaign);
            // A line that was just being written is read again.
            self.length = (chain.torn == 0).then_some(length);
        }
        let dir = &self.dir;
        self.running.iter_mut().for_each(|job| job.read(dir));
        Ok(is_new)
    }

    fn see(&mut self, chain: &Chain) {
        let last = chain.entries.last();
        self.last_event = last.map(|(entry, _)| entry.time.clone()).unwrap_or_default();
        let begun = |path: &str| {
            let mut entries = chain.entries.iter().rev().map(|(entry, _)| entry);
            entries.find(|entry| entry.what == ChainEvent::Begun && entry.path == path)
        };
        let mut notes = chain.entries.iter().rev().filter(|(entry, _)| entry.what == ChainEvent::Begun);
        self.process = notes.find_map(|(entry, _)| CampaignProcess::from_note(&entry.note));
        self.has_ended = chain.entries.iter().fold(false, |ended, (entry, _)| match entry.what {
            ChainEvent::Report => true,
            ChainEvent::Begun | ChainEvent::Resumed | ChainEvent::Extended => false,
            _ => ended,
        });
        let job = |path: &&str| RunningJob {
            folder: (*path).to_owned(),
            begun: begun(path).map(|entry| entry.time.clone()).unwrap_or_default(),
            ..RunningJob::default()
        };
        self.running = chain.pending().iter().map(job).collect();
    }
}

impl RunningJob {
    /// The name of its folder, such as `0001-write-r1`.
    pub fn name(&self) -> &str {
        name_when_ended(&self.folder)
    }

    /// Reads what the job in the campaign folder `dir` shows. A value that was just being written stays as it
    /// was.
    pub fn read(&mut self, dir: &Path) {
        let within = PathBuf::from(hidden_path(&self.folder));
        let files = [names::PROGRESS, names::STDOUT, names::STDERR].map(|name| within.join(name));
        self.changed = files.iter().filter_map(|file| beneath::modified(dir, file).ok()).max();
        let file = beneath::bytes(dir, &files[0], PROGRESS_BYTES as u64);
        if let Some(shown) = file.ok().and_then(|bytes| ProgressShown::of_file(&bytes)) {
            self.progress = Some(shown);
        }
        self.has_ended = last_record(dir, &within).is_some_and(|last| matches!(last, Record::End(_)));
    }
}

/// The last record of the job in the folder `within`, if it is complete and not longer than that of an end.
fn last_record(dir: &Path, within: &Path) -> Option<Record> {
    let mut file = beneath::open(dir, &within.join(names::RECORDS)).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END_BYTES_MAX))).ok()?;
    let mut bytes = Vec::new();
    file.take(END_BYTES_MAX).read_to_end(&mut bytes).ok()?;
    let lines = bytes.strip_suffix(b"\n")?;
    serde_json::from_slice(lines.rsplit(|byte| *byte == b'\n').next()?).ok()
}

/// Records in the chain of `dir` what the command of `--notify` received, in `note`.
pub fn note_notified(dir: &Path, note: String) -> io::Result<()> {
    chain::append(dir, ChainEntry { what: ChainEvent::Notified, note, ..ChainEntry::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_running_job_has_ended_when_its_records_have_an_end() {
        let dir = tempfile::tempdir().unwrap();
        let mut job = RunningJob { folder: "jobs/0001-A-r1".into(), ..RunningJob::default() };
        let within = dir.path().join(hidden_path(&job.folder));
        std::fs::create_dir_all(&within).unwrap();
        let line = |record: &Record| serde_json::to_string(record).unwrap() + "\n";
        let run = line(&Record::Run(Default::default()));
        let end = line(&Record::End(Default::default()));
        for (text, wanted) in [
            (String::new(), false),
            (run.clone(), false),
            (format!("{run}{end}"), true),
            (format!("{run}{}", end.trim_end()), false),
            (format!("{}{end}", run.repeat(99)), true),
        ] {
            std::fs::write(within.join(names::RECORDS), &text).unwrap();
            job.read(dir.path());
            assert_eq!(job.has_ended, wanted, "{text}");
        }
    }
}
