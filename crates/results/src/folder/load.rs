//! Reading a campaign from its folder.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use serde::de::DeserializeOwned;

use super::chain::{Chain, ChainEntry};
use super::job_names::is_probe;
use super::json::{json, named, optional};
use super::limits::{PLAN_BYTES_MAX, PRINTED_BYTES_MAX, WAITS_MAX, WaitsLimit};
use super::parallel::in_parallel;
use super::printed_rows::rows_of_ior;
use super::{
    Campaign, CampaignInfo, ChainedJob, DifferingHash, Job, JobEnd, JobInfo, SCHEMA, beneath, chain, looks,
    names, records,
};
use crate::record::{self, WAITS, WaitingCall};

/// The numbers of first and of last lines of a job's error stream that are kept in memory.
const FIRST_KEPT: usize = 2;
const LAST_KEPT: usize = 20;
/// The size of the parts that are read at the start and at the end of an error stream, bytes.
const PART_BYTES: u64 = 4096;

/// Loads the campaign in `dir`. Files of later steps (machine facts after the run, verdicts) may be missing.
/// Existing files must be readable. Otherwise the error has the file name.
pub fn load(dir: &Path) -> io::Result<Campaign> {
    load_with_chain(dir).map(|(campaign, _)| campaign)
}

/// The same with its hash chain, if it has one.
pub(super) fn load_with_chain(dir: &Path) -> io::Result<(Campaign, Option<Chain>)> {
    let (mut jobs, killed) = jobs(dir)?;
    let mut probes: Vec<Job> = jobs.extract_if(.., |job| is_probe(&job.folder)).collect();
    let chain = chain::read(dir)?;
    let extensions = looks::extensions(dir, chain.as_ref())?;
    let is_extended = chain.as_ref().is_some_and(Chain::is_extended_now);
    let chained = chain.as_ref().map(Chain::jobs).unwrap_or_default();
    for job in jobs.iter_mut().chain(&mut probes) {
        job.chained = chained.get(job.folder.as_str()).map(|(begun, end)| of_chain(job, begun, end));
    }
    let campaign = Campaign {
        course: chain.as_ref().map(Chain::course).unwrap_or_default(),
        info: campaign_info(dir)?,
        plan: plan(dir).map_err(|error| named(&dir.join(names::PLAN), &error))?,
        before: optional(json(dir, names::BEFORE))?,
        after: of_look(dir, names::AFTER, is_extended)?,
        jobs,
        probes,
        killed: killed.into_iter().filter(|folder| !is_probe(folder)).collect(),
        verdicts: of_look(dir, names::VERDICTS, is_extended)?.unwrap_or_default(),
        summary: of_look(dir, names::SUMMARY, is_extended)?.unwrap_or_default(),
        head: chain.as_ref().and_then(Chain::before_report),
        faults: Vec::new(),
        extensions,
    };
    Ok((campaign, chain))
}

/// Who ran which plan, and when. The error for a folder of another format has the kind
/// [`ErrorKind::Unsupported`].
pub(super) fn campaign_info(dir: &Path) -> io::Result<CampaignInfo> {
    let info: CampaignInfo = json(dir, names::CAMPAIGN)?;
    if info.schema == SCHEMA {
        return Ok(info);
    }
    let at = dir.join(names::CAMPAIGN);
    let why = format!(
        "{}: its format is {}, and this program reads {SCHEMA}. Use the build of assay that wrote it.",
        at.display(),
        info.schema
    );
    Err(io::Error::new(ErrorKind::Unsupported, why))
}

/// What the hash chain has about a job.
fn of_chain(job: &Job, begun: &str, end: &ChainEntry) -> ChainedJob {
    let differing = job.info.sha256.iter().find_map(|(file, in_job)| {
        let in_chain = end.files.get(&format!("{}/{file}", job.folder)).cloned().unwrap_or_default();
        (in_chain != *in_job).then(|| DifferingHash { file: file.clone(), in_job: in_job.clone(), in_chain })
    });
    ChainedJob { begun: begun.to_owned(), ended: end.time.clone(), differing }
}

/// A result of the present look. A campaign that was just extended has none yet.
fn of_look<T: DeserializeOwned>(dir: &Path, name: &str, is_extended: bool) -> io::Result<Option<T>> {
    if is_extended { Ok(None) } else { optional(json(dir, name)) }
}

fn plan(dir: &Path) -> io::Result<String> {
    let text = beneath::bytes(dir, Path::new(names::PLAN), PLAN_BYTES_MAX)?;
    String::from_utf8(text).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn jobs(dir: &Path) -> io::Result<(Vec<Job>, Vec<String>)> {
    let path = Path::new(names::JOBS);
    let entries = beneath::names(dir, path).map_err(|error| named(&dir.join(path), &error))?;
    let entries = entries.iter().map(|name| name.to_string_lossy());
    let (killed, entries): (Vec<_>, Vec<_>) =
        entries.partition(|name| name.starts_with('.') || name.contains(".killed-"));
    let folder = |name: &Cow<'_, str>| format!("{}/{name}", names::JOBS);
    let read = in_parallel(&entries, |name| job(dir, folder(name)));
    let mut jobs = read.into_iter().filter_map(Result::transpose).collect::<io::Result<Vec<Job>>>()?;
    // Folder names have four digits, and more from job 10 000 on.
    jobs.sort_by_key(|job| (job.info.number, job.info.repetition));
    Ok((jobs, killed.iter().map(folder).collect()))
}

/// The job in a folder; `None` if it has no file with its facts.
fn job(dir: &Path, folder: String) -> io::Result<Option<Job>> {
    let file = format!("{folder}/{}", names::JOB);
    if !beneath::exists(dir, Path::new(&file)) {
        return Ok(None);
    }
    let info = json(dir, &file)?;
    let dataset = optional(json(dir, &format!("{folder}/{}", names::DATASET)))?;
    Ok(Some(Job { dataset, ..Job::read(dir, folder, info) }))
}

impl Job {
    /// A job with its files in `folder` of the campaign folder `dir`. If records cannot be read, only this
    /// job is affected.
    pub fn read(dir: &Path, folder: String, info: JobInfo) -> Self {
        let at = format!("{folder}/{}", names::RECORDS);
        let read = beneath::open(dir, Path::new(&at));
        let read =
            read.map_err(|error| named(Path::new(&at), &error)).and_then(|file| records::read(file, &at));
        let (records, unreadable) = match optional(read) {
            Ok(records) => (records.unwrap_or_default(), None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        let well = info.end == JobEnd::Exit(0) && record::is_complete(&records);
        let error_lines = match well {
            true => Vec::new(),
            false => {
                let file = beneath::open(dir, Path::new(&format!("{folder}/{}", names::STDERR)));
                file.and_then(ends).unwrap_or_default()
            }
        };
        let text = |name: &str| {
            let text = beneath::bytes(dir, Path::new(&format!("{folder}/{name}")), PRINTED_BYTES_MAX);
            text.ok().map(|text| String::from_utf8_lossy(&text).into_owned())
        };
        // Only what records are compared with is kept: all outputs of a large campaign may have gigabytes.
        let has_values = record::values(&records).next().is_some();
        let is_ior = record::runs(&records).any(|run| run.workload == "ior");
        let printed = match (has_values, is_ior) {
            (true, _) => text(names::STDOUT),
            (false, true) => text(names::STDOUT).map(|text| rows_of_ior(&text)),
            (false, false) => None,
        };
        let printed_errors = if has_values { text(names::STDERR) } else { None };
        let waits = if info.end == JobEnd::TimedOut { waits(dir, &folder) } else { Vec::new() };
        Self {
            folder,
            info,
            records,
            unreadable,
            error_lines,
            printed,
            printed_errors,
            waits,
            ..Self::default()
        }
    }
}

/// The calls that the ranks of a job were in, in the order of their ranks.
fn waits(dir: &Path, folder: &str) -> Vec<WaitingCall> {
    waits_up_to(WAITS_MAX, dir, folder)
}

fn waits_up_to(mut left: WaitsLimit, dir: &Path, folder: &str) -> Vec<WaitingCall> {
    let names = beneath::names(dir, Path::new(folder)).unwrap_or_default();
    let mut all = Vec::new();
    for name in names.into_iter().filter_map(|name| name.into_string().ok()) {
        if left.calls == 0 {
            break;
        }
        if !name.starts_with(WAITS) {
            continue;
        }
        let most = left.bytes.min(PRINTED_BYTES_MAX);
        let Ok(text) = beneath::bytes(dir, Path::new(&format!("{folder}/{name}")), most) else { continue };
        let calls = WaitingCall::read_all(&String::from_utf8_lossy(&text));
        let taken = calls.len().min(left.calls);
        all.extend(calls.into_iter().take(taken));
        left = WaitsLimit { calls: left.calls - taken, bytes: left.bytes - text.len() as u64 };
    }
    all.sort_by_key(|call| call.rank);
    all
}

/// The first and the last lines of a file that contain text, in their order. A link is not followed.
pub fn error_lines(path: &Path) -> io::Result<Vec<String>> {
    let (dir, name) = beneath::split(path);
    ends(beneath::open(dir, name)?)
}

fn ends(mut file: File) -> io::Result<Vec<String>> {
    let length = file.metadata()?.len();
    let is_short = length <= 2 * PART_BYTES;
    let mut kept = lines(&mut (&mut file).take(if is_short { length } else { PART_BYTES }))?;
    file.seek(SeekFrom::Start(if is_short { length } else { length - PART_BYTES }))?;
    kept.extend(lines(&mut file)?);
    let first = kept.len().min(FIRST_KEPT);
    let last = kept.len().saturating_sub(LAST_KEPT).max(first);
    kept.drain(first..last);
    Ok(kept)
}

/// The lines that contain text.
fn lines(text: &mut dyn Read) -> io::Result<Vec<String>> {
    let mut bytes = Vec::new();
    text.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines = text.lines().map(|line| line.replace(|c: char| c.is_control(), " ").trim().to_owned());
    Ok(lines.filter(|line| line.chars().any(char::is_alphanumeric)).collect())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::record::{Record, Run, SCHEMA, Value};

    #[test]
    fn of_the_outputs_only_that_which_is_compared_with_records_is_kept() {
        let row = "write     70.64      80.00      0.019000    97656      977        0.100000   2.50       \
                   0.100000   2.70       0";
        let kept = |records: &[Record]| {
            let place = tempfile::tempdir().expect("a directory");
            let job = place.path().join("jobs/0001-w-r1");
            fs::create_dir_all(&job).expect("a folder");
            let lines: String =
                records.iter().map(|one| serde_json::to_string(one).expect("a record") + "\n").collect();
            fs::write(job.join(names::RECORDS), lines).expect("records");
            fs::write(job.join(names::STDOUT), format!("Results:\n{row}\nMax Write: 70.64\n"))
                .expect("output");
            fs::write(job.join(names::STDERR), "a warning\n").expect("output");
            let read = Job::read(place.path(), "jobs/0001-w-r1".into(), JobInfo::default());
            assert_eq!((read.unreadable, read.records.len()), (None, records.len()));
            (read.printed, read.printed_errors)
        };
        let run =
            |workload: &str| Record::Run(Run { schema: SCHEMA, workload: workload.into(), ..Run::default() });
        let value = Record::Value(Value { name: "step.bw".into(), ..Value::default() });
        assert_eq!(kept(&[run("mdtest")]), (None, None));
        assert_eq!(kept(&[run("ior")]), (Some(format!("{row}\n")), None));
        let whole = Some(format!("Results:\n{row}\nMax Write: 70.64\n"));
        // Values are compared for any program that the records name.
        for program in ["app", "ior", "mdtest"] {
            assert_eq!(kept(&[run(program), value.clone()]), (whole.clone(), Some("a warning\n".into())));
        }
    }

    #[test]
    fn a_hash_that_the_chain_has_otherwise_or_not_at_all_is_kept_with_both() {
        let hash = |file: &str, hash: &str| (file.to_owned(), hash.to_owned());
        let job = Job {
            folder: "jobs/0001-w-r1".into(),
            info: JobInfo { sha256: [hash("a", "1"), hash("b", "2")].into(), ..JobInfo::default() },
            ..Job::default()
        };
        let differing = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(file, one)| hash(&format!("jobs/0001-w-r1/{file}"), one));
            let end = ChainEntry { files: files.collect(), ..ChainEntry::default() };
            of_chain(&job, "", &end).differing.map(|one| (one.file, one.in_job, one.in_chain))
        };
        let b = |in_chain: &str| Some(("b".to_owned(), "2".to_owned(), in_chain.to_owned()));
        assert_eq!(differing(&[("a", "1"), ("b", "2"), ("c", "3")]), None);
        assert_eq!(differing(&[("a", "1"), ("b", "1")]), b("1"));
        assert_eq!(differing(&[("a", "1")]), b(""));
    }

    #[test]
    fn calls_that_did_not_return_are_read_up_to_a_limit_of_all_files_together() {
        let place = tempfile::tempdir().expect("a directory");
        let job = place.path().join("job");
        fs::create_dir(&job).expect("a folder");
        let write = |first: u32, count: u32| {
            let call = |rank| WaitingCall { rank, path: "/s/f".into(), ..WaitingCall::default() };
            let calls: Vec<WaitingCall> = (first..first + count).map(call).collect();
            WaitingCall::write_all(&job, &calls).expect("a file");
        };
        let read = |limit| {
            let read = waits_up_to(limit, place.path(), "job");
            read.iter().map(|call| call.rank).collect::<Vec<_>>()
        };
        write(40, 2);
        write(7, 1);
        assert_eq!(read(WaitsLimit { calls: 9, bytes: 1 << 20 }), [7, 40, 41]);
        assert_eq!(read(WaitsLimit { calls: 2, bytes: 1 << 20 }), [40, 41]);
        let first = fs::metadata(job.join("waits.40.jsonl")).expect("a file").len();
        assert_eq!(read(WaitsLimit { calls: 9, bytes: first }), [40, 41]);
    }

    #[test]
    fn the_first_and_the_last_lines_of_a_long_error_stream_are_kept() {
        let place = tempfile::tempdir().expect("a directory");
        let file = place.path().join("stderr.txt");
        for (lines, kept) in [(1, 1), (22, 22), (23, 22), (5000, 22)] {
            let text: String = (1..=lines).map(|line| format!("line {line}\n-----\n")).collect();
            fs::write(&file, text).expect("a file");
            let words = error_lines(&file).expect("words");
            assert_eq!(words.len(), kept, "{lines}: {words:?}");
            assert_eq!(words[0], "line 1");
            assert_eq!(words[kept - 1], format!("line {lines}"));
        }
    }
}
