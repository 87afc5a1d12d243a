//! Reading a campaign back from its folder.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use serde::de::DeserializeOwned;

use super::{Campaign, Job, JobEnd, JobInfo, chain, names};
use crate::{Record, records};

/// How many lines of the beginning, and of the end, of a job's error stream are kept beside it.
const FIRST_WORDS: usize = 2;
const LAST_WORDS: usize = 20;
/// How much of the beginning and of the end of an error stream is looked at, bytes.
const LOOK_BACK: u64 = 4096;

/// Loads the campaign in `dir`. What a later step would have added (machine facts afterwards,
/// verdicts) may be missing; what is there must be readable, else the error names the file.
pub fn load(dir: &Path) -> io::Result<Campaign> {
    let (jobs, killed) = jobs(dir)?;
    Ok(Campaign {
        info: json(&dir.join(names::CAMPAIGN))?,
        plan: fs::read_to_string(dir.join(names::PLAN))
            .map_err(|error| named(&dir.join(names::PLAN), &error))?,
        before: optional(json(&dir.join(names::BEFORE)))?,
        after: optional(json(&dir.join(names::AFTER)))?,
        jobs,
        killed,
        verdicts: optional(json(&dir.join(names::VERDICTS)))?.unwrap_or_default(),
        summary: optional(json(&dir.join(names::SUMMARY)))?.unwrap_or_default(),
        head: chain::read(dir)?.and_then(|chain| chain.before_report()),
        faults: Vec::new(),
    })
}

fn jobs(dir: &Path) -> io::Result<(Vec<Job>, Vec<String>)> {
    let path = dir.join(names::JOBS);
    let entries = fs::read_dir(&path).map_err(|error| named(&path, &error))?;
    let mut folders = Vec::new();
    for entry in entries {
        folders.push(entry?.file_name().to_string_lossy().into_owned());
    }
    folders.sort();
    let (mut jobs, mut killed) = (Vec::new(), Vec::new());
    for name in folders {
        let folder = format!("{}/{name}", names::JOBS);
        let path = dir.join(&folder);
        if name.starts_with('.') || name.contains(".killed-") {
            killed.push(folder);
        } else if path.join(names::JOB).exists() {
            let info = json(&path.join(names::JOB))?;
            let dataset = optional(json(&path.join(names::DATASET)))?;
            jobs.push(Job { dataset, ..Job::read(dir, folder, info) });
        }
    }
    // Names have four digits, and more from the ten-thousandth job on.
    jobs.sort_by_key(|job| job.info.number);
    Ok((jobs, killed))
}

/// What the folder of a job is for, such as `write-r1` of `jobs/0001-write-r1`; also of one that has not got
/// its name yet or was set aside.
pub fn job_of(folder: &str) -> &str {
    let name = name_when_ended(folder);
    name.split_once('-').map_or(name, |(_, job)| job)
}

/// The name that a job's folder has when the job has ended, of one in whatever state.
pub(super) fn name_when_ended(folder: &str) -> &str {
    let name = folder.rsplit('/').next().unwrap_or_default();
    let name = name.strip_prefix('.').unwrap_or(name);
    name.split_once(".killed-").map_or(name, |(job, _)| job)
}

impl Job {
    /// A job whose files lie in `folder` of the campaign's folder `dir`. Records that cannot be read cost
    /// this job, not the campaign.
    pub fn read(dir: &Path, folder: String, info: JobInfo) -> Self {
        let at = dir.join(&folder).join(names::RECORDS);
        let (records, unreadable) = match optional(records::load(&at)) {
            Ok(records) => (records.unwrap_or_default(), None),
            Err(error) => {
                // Where the campaign's folder lies is no part of what is wrong.
                let why = error.to_string().replace(&format!("{}/", dir.display()), "");
                let named = why.contains(names::RECORDS);
                (Vec::new(), Some(if named { why } else { format!("{}: {why}", names::RECORDS) }))
            }
        };
        let well = info.end == JobEnd::Exit(0) && records.iter().any(|one| matches!(one, Record::End(_)));
        let last_words = match well {
            true => Vec::new(),
            false => last_words(&dir.join(&folder).join(names::STDERR)).unwrap_or_default(),
        };
        Self { folder, info, records, unreadable, last_words, dataset: None }
    }
}

/// The first lines of a text that say something, and the last, in their order.
pub fn last_words(path: &Path) -> io::Result<Vec<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let is_short = length <= 2 * LOOK_BACK;
    let mut said = lines(&mut (&mut file).take(if is_short { length } else { LOOK_BACK }))?;
    file.seek(SeekFrom::Start(if is_short { length } else { length - LOOK_BACK }))?;
    said.extend(lines(&mut file)?);
    let first = said.len().min(FIRST_WORDS);
    let last = said.len().saturating_sub(LAST_WORDS).max(first);
    said.drain(first..last);
    Ok(said)
}

/// The lines that say something.
fn lines(text: &mut dyn Read) -> io::Result<Vec<String>> {
    let mut bytes = Vec::new();
    text.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let said = text.lines().map(|line| line.replace(|c: char| c.is_control(), " ").trim().to_owned());
    Ok(said.filter(|line| line.chars().any(char::is_alphanumeric)).collect())
}

pub(super) fn json<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    let text = fs::read(path).map_err(|error| named(path, &error))?;
    serde_json::from_slice(&text)
        .map_err(|error| io::Error::new(ErrorKind::InvalidData, format!("{}: {error}", path.display())))
}

/// The error with the file it is about.
pub(super) fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn optional<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_error_stream_the_first_lines_are_kept_and_the_last() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("stderr.txt");
        for (lines, kept) in [(1, 1), (22, 22), (23, 22), (5000, 22)] {
            let text: String = (1..=lines).map(|line| format!("line {line}\n-----\n")).collect();
            fs::write(&file, text).expect("a file");
            let words = last_words(&file).expect("words");
            assert_eq!(words.len(), kept, "{lines}: {words:?}");
            assert_eq!(words[0], "line 1");
            assert_eq!(words[kept - 1], format!("line {lines}"));
        }
    }
}
