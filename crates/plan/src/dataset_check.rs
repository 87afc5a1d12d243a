//! Checks whether a dataset is what its command line should write, and enough for its readers.
//!
//! Invariant: pure. It reads only the manifest and the records of the job that wrote the dataset, so the same
//! folder always gives the same result.

use command::{FileForm, ior};
use results::folder::{Campaign, DatasetFile, Job, Manifest};
use results::reason::{Reason, reason};
use results::record::{self, Phase, Record};

use crate::model::{Dataset, Plan, Test};
use crate::schedule::PlannedJob;

/// Share of a file that must have blocks.
const ALLOCATED: f64 = 0.9;
/// Bytes of a small file that a file system may keep outside of blocks.
const INLINE: u64 = 4096;

/// The reason why what a job made is not fit for `test`, if there is one. A job that made none has no
/// manifest.
pub fn unfit_job(dataset: &Dataset, test: &Test, job: &Job) -> Option<Reason> {
    unfit(dataset, test, job.dataset.as_ref()?, &job.records)
}

/// The reason why the dataset is not fit for a job's test, if there is one.
pub(crate) fn unfit_for(plan: &Plan, campaign: &Campaign, job: &PlannedJob) -> Option<Reason> {
    let test = plan.tests.iter().find(|test| test.id == job.test)?;
    let dataset = plan.dataset_of(test)?;
    let (name, repetition) = (dataset.job(), job.repetition_of(&dataset.job()));
    let made = |other: &&Job| other.info.test == name && other.info.repetition == repetition;
    unfit_job(dataset, test, campaign.jobs.iter().find(made)?)
}

/// The reason why the dataset is not fit for `test`, if there is one.
pub fn unfit(dataset: &Dataset, test: &Test, made: &Manifest, records: &[Record]) -> Option<Reason> {
    lacking(dataset, made, records).or_else(|| read_beyond(dataset, test, made))
}

/// The reason why the dataset is incomplete or smaller than `cover`, if there is one.
pub fn lacking(dataset: &Dataset, made: &Manifest, records: &[Record]) -> Option<Reason> {
    let reason = match (&made.fault, dataset.line.as_ior()) {
        (Some(fault), _) => Some(reason!(DatasetUnreadable { error: fault, .. })),
        (None, Some(line)) => match written(records).last() {
            None => Some(reason!(DatasetNotWritten { .. })),
            Some(phase) => {
                wrong(records).or_else(|| part(line, phase, made)).or_else(|| too_small(dataset, phase))
            }
        },
        (None, None) => names_missing(made, records),
    };
    reason.map(|reason| reason!(DatasetNotWritten { dataset: dataset.job(), ..reason }))
}

fn written(records: &[Record]) -> impl Iterator<Item = &Phase> {
    record::phases(records).filter(|phase| phase.phase == "write")
}

/// The wrong data that was found when the dataset was read back, if it was.
fn wrong(records: &[Record]) -> Option<Reason> {
    let mut checks = record::phases(records).filter_map(|phase| phase.check.as_ref());
    let check = checks.find(|check| check.bad_transfers > 0)?;
    Some(reason!(DatasetWrongData { transfers: check.bad_transfers, .. }))
}

/// The common beginning of the names of all data files: the first file's name without its rank.
pub fn stem(records: &[Record]) -> String {
    let Some(phase) = written(records).last() else { return String::new() };
    let name = phase.path.rsplit('/').next().unwrap_or_default();
    match name.rsplit_once('.') {
        Some((stem, rank)) if phase.file_per_rank && is_rank(rank) => stem.to_owned(),
        _ => name.to_owned(),
    }
}

fn is_rank(text: &str) -> bool {
    text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a file of this name is a data file of the records.
pub fn is_data(name: &str, stem: &str) -> bool {
    name == stem || name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.')).is_some_and(is_rank)
}

/// Whether large parts of the file were never written.
pub fn is_sparse(file: &DatasetFile) -> bool {
    file.data && (file.allocated_bytes as f64 + INLINE as f64) < file.bytes as f64 * ALLOCATED
}

/// What is missing from the files, compared with the records.
fn part(line: &ior::Line, phase: &Phase, made: &Manifest) -> Option<Reason> {
    if command::discards_data(&phase.backend) {
        return Some(reason!(DatasetNotStored { .. }));
    }
    let planned = if phase.file_per_rank { u64::from(phase.ranks) } else { 1 };
    let found = made.data().count() as u64;
    if found != planned {
        return Some(reason!(DatasetFilesMissing { found, planned, .. }));
    }
    let bytes = file_bytes(line, phase);
    let exact = command::backend(&phase.backend)
        .is_ok_and(|backend| backend.abilities.form == FileForm::Bytes && backend.abilities.keeps_data);
    let wrong = made.data().find(|file| if exact { file.bytes != bytes } else { file.bytes < bytes });
    if let Some(file) = wrong {
        return Some(reason!(DatasetFileSize { path: &file.path, bytes: file.bytes, recorded: bytes, .. }));
    }
    // With a deadline, the last segment of a shared file may have gaps for ranks that did not reach it.
    let holes = !phase.file_per_rank && phase.stonewall.is_some();
    let sparse = made.data().find(|file| is_sparse(file));
    let sparse = sparse.filter(|_| made.allocated_bytes.is_some() && !holes)?;
    Some(reason!(DatasetSparse {
        path: &sparse.path,
        allocated: sparse.allocated_bytes,
        bytes: sparse.bytes,
        ..
    }))
}

/// Bytes of each file, for ranks that all moved the same amount.
fn file_bytes(line: &ior::Line, phase: &Phase) -> u64 {
    let ranks = u64::from(phase.ranks.max(1));
    let whole = line.block.saturating_mul(line.segments);
    let of_rank = (phase.bytes / ranks).min(whole);
    if phase.file_per_rank {
        return of_rank;
    }
    let (blocks, rest) = (of_rank / line.block.max(1), of_rank % line.block.max(1));
    match rest {
        0 => of_rank.saturating_mul(ranks),
        // The last rank's block begins after those of the others.
        _ => {
            let blocks = blocks.saturating_mul(ranks).saturating_add(ranks - 1);
            blocks.saturating_mul(line.block).saturating_add(rest)
        }
    }
}

/// Whether the dataset is smaller than its readers need.
fn too_small(dataset: &Dataset, phase: &Phase) -> Option<Reason> {
    let cover = dataset.cover.filter(|cover| phase.bytes < cover.bytes())?;
    Some(reason!(DatasetTooSmall {
        bytes: phase.bytes,
        needed: cover.bytes(),
        rate: cover.rate,
        time: cover.seconds,
        margin: cover.margin,
        ..
    }))
}

/// Whether a test reads more than the smallest file has. IOR would reach its end and abort.
fn read_beyond(dataset: &Dataset, test: &Test, made: &Manifest) -> Option<Reason> {
    let (line, written) = (test.line.as_ior()?, dataset.line.as_ior()?);
    let sized = line.status_file.is_some() && written.status_file.is_some();
    if line.write || sized || !test.imports.is_empty() {
        return None;
    }
    let asked = if line.file_per_rank { line.bytes(1) } else { line.bytes(test.placement.ranks) };
    let smallest = made.data().min_by_key(|file| file.bytes).filter(|file| file.bytes < asked)?;
    Some(reason!(ReadBeyondDataset {
        dataset: dataset.job(),
        path: &smallest.path,
        bytes: smallest.bytes,
        test: &test.id,
        asked
    }))
}

/// Whether there are fewer or more files and directories than were created.
fn names_missing(made: &Manifest, records: &[Record]) -> Option<Reason> {
    let phases = |wanted| record::phases(records).filter(move |phase| phase.phase == wanted);
    let made_of = |wanted| phases(wanted).map(|phase| phase.ops).sum::<u64>();
    let (files, directories) = (made_of("file_creation"), made_of("directory_creation"));
    if made.files != files {
        return Some(reason!(DatasetNamesDiffer { files_counted: made.files, files_made: files, .. }));
    }
    let counted = made.counted.len() as u64;
    (counted < directories).then(|| {
        reason!(DatasetNamesDiffer { directories_counted: counted, directories_made: directories, .. })
    })
}

#[cfg(test)]
mod tests {
    use results::reason::{Code, row};

    use results::record::Check;

    use super::*;
    use crate::Plan;

    fn dataset(line: &str, more: &str) -> Dataset {
        let text = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n[dataset.d]\n\
             {line}\nranks = 2\n{more}\n[[test]]\nid = \"T\"\nior = \"-w\"\nrole = \"reported\"\n"
        );
        Plan::parse(&text, "p.toml").unwrap().datasets.remove(0)
    }

    fn of(file_per_rank: bool, bytes: u64, sizes: &[u64]) -> (Vec<Record>, Manifest) {
        let path = if file_per_rank { "/s/data.00000000" } else { "/s/data" };
        let phase = Phase {
            phase: "write".into(),
            backend: "posix".into(),
            path: path.into(),
            ranks: 2,
            file_per_rank,
            bytes,
            ..Phase::default()
        };
        let records = vec![Record::Phase(Box::new(phase))];
        let file = |(number, bytes): (usize, &u64)| DatasetFile {
            path: if file_per_rank { format!("data.{number:08}") } else { "data".into() },
            data: true,
            bytes: *bytes,
            allocated_bytes: *bytes,
            ..DatasetFile::default()
        };
        let list: Vec<DatasetFile> = sizes.iter().enumerate().map(file).collect();
        let allocated: u64 = sizes.iter().sum();
        (records, Manifest { list, allocated_bytes: Some(allocated), ..Manifest::default() })
    }

    const OWN: &str = "ior = \"-w -k -F -t 1m -b 4m -D 9 -O stoneWallingWearOut=1\"";
    const SHARED: &str = "ior = \"-w -k -t 1m -b 4m -s 2 -D 9 -O stoneWallingWearOut=1\"";
    const MIB: u64 = 1 << 20;

    #[test]
    fn a_file_is_complete_if_it_has_the_size_in_the_records() {
        let (recorded, planned) = (row::DatasetFileSize::recorded, row::DatasetFilesMissing::planned);
        for (line, bytes, sizes, why) in [
            (OWN, 8 * MIB, &[4 * MIB, 4 * MIB][..], None),
            (OWN, 6 * MIB, &[3 * MIB, 3 * MIB], None),
            (OWN, 6 * MIB, &[4 * MIB, 2 * MIB], Some((Code::DatasetFileSize, recorded, 3.0 * MIB as f64))),
            (OWN, 8 * MIB, &[4 * MIB], Some((Code::DatasetFilesMissing, planned, 2.0))),
            (SHARED, 16 * MIB, &[16 * MIB], None),
            (SHARED, 8 * MIB, &[8 * MIB], None),
            // Three transfers in each rank's second block: the last rank's block begins at 12 MiB.
            (SHARED, 14 * MIB, &[15 * MIB], None),
            (SHARED, 14 * MIB, &[14 * MIB], Some((Code::DatasetFileSize, recorded, 15_728_640.0))),
        ] {
            let dataset = dataset(line, "");
            let (records, made) = of(line == OWN, bytes, sizes);
            let found = lacking(&dataset, &made, &records);
            let wanted = why.map(|(code, _, value)| (code, Some(value)));
            let is = found.zip(why).map(|(found, (_, field, _))| (found.code, found.get(field)));
            assert_eq!(is, wanted, "{line} {bytes}");
        }
    }

    #[test]
    fn data_that_was_read_back_wrong_makes_the_dataset_unfit() {
        let (mut records, made) = of(true, 8 * MIB, &[4 * MIB, 4 * MIB]);
        let check = Check { bad_transfers: 3, ..Check::default() };
        let phase = Phase { phase: "write_check".into(), check: Some(check), ..Phase::default() };
        records.push(Record::Phase(Box::new(phase)));
        let why = lacking(&dataset(OWN, ""), &made, &records).unwrap();
        assert_eq!(
            (why.code, why.get(row::DatasetWrongData::transfers)),
            (Code::DatasetWrongData, Some(3.0))
        );
    }

    #[test]
    fn a_file_whose_blocks_are_missing_is_sparse() {
        let (records, mut made) = of(true, 8 * MIB, &[4 * MIB, 4 * MIB]);
        made.list[1].allocated_bytes = MIB;
        let why = lacking(&dataset(OWN, ""), &made, &records).unwrap();
        assert_eq!(
            (why.code, why.get(row::DatasetSparse::path)),
            (Code::DatasetSparse, Some("data.00000001"))
        );
        assert_eq!(why.get(row::DatasetSparse::allocated), Some(MIB as f64));
        made.allocated_bytes = None;
        assert_eq!(lacking(&dataset(OWN, ""), &made, &records), None, "without any block count");
    }

    #[test]
    fn a_dataset_that_is_too_small_is_reported_with_both_sizes() {
        let cover = "cover = { rate = \"2 MB/s\", time = \"2 s\", margin = 1.5 }";
        let dataset = dataset(OWN, cover);
        let (records, made) = of(true, 4 * MIB, &[2 * MIB, 2 * MIB]);
        let why = lacking(&dataset, &made, &records).unwrap();
        assert_eq!(
            (why.code, why.get(row::DatasetTooSmall::bytes)),
            (Code::DatasetTooSmall, Some(4.0 * MIB as f64))
        );
        assert_eq!(why.get(row::DatasetTooSmall::needed), Some(6_000_000.0));
        let (records, made) = of(true, 6 * MIB, &[3 * MIB, 3 * MIB]);
        assert_eq!(lacking(&dataset, &made, &records), None);
    }

    #[test]
    fn only_files_with_the_recorded_name_and_a_rank_are_data() {
        for (name, data) in
            [("data", true), ("data.00000012", true), ("data.1", false), ("pairs", false), ("data.x", false)]
        {
            assert_eq!(is_data(name, "data"), data, "{name}");
        }
    }
}
