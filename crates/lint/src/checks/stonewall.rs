//! Deadlines, and whether there is enough data to reach them: sustained rates, wear-out, datasets.
//!
//! The records of the run decide whether ranks ran out of data, and for how long a rate was sustained. Before
//! the run such a finding is info. A read after the end of a file cannot be repaired, so that is an error.

use command::{PlannedLine, ior};
use results::finding::Finding;
use results::finding::Severity::{Error, Info, NeedsWaiver};
use results::reason::{Reason, reason};

use crate::subject::{LineRole, LineSubject, MakerFacts};

/// Factor by which the data must exceed what the target rate moves within the deadline.
const MARGIN: f64 = 1.5;

/// wearout-on-measured
pub(crate) fn wear_out(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.wears_out() && line.deadline > 0)?;
    let measured = matches!(subject.role, Some(LineRole::Write | LineRole::Read | LineRole::Hero))
        || !subject.criteria.is_empty()
        || subject.sustained_s.is_some();
    // It leaves its files, and nothing states that it is measured: it creates a dataset.
    let makes = line.writes() && line.keep && !measured;
    let meant = makes || subject.role == Some(LineRole::Dataset);
    // Without a sustained rate the requirement may be that of a benchmark that is defined with wear-out.
    let severity = if subject.sustained_s.is_some() { Error } else { NeedsWaiver };
    (!meant).then(|| {
        Finding::new(severity, reason!(WearoutOnMeasured { deadline: deadline(line) })).at(subject.word('O'))
    })
}

/// In seconds.
fn deadline(line: &ior::Line) -> f64 {
    f64::from(line.deadline)
}

/// no-wearout-on-dataset
pub(crate) fn no_wear_out(subject: &LineSubject) -> Option<Finding> {
    let dataset = subject.role == Some(LineRole::Dataset);
    let line = subject.ior().filter(|line| dataset && line.deadline > 0)?;
    let uneven = !line.wears_out() && line.status_file.is_none();
    uneven.then(|| {
        Finding::new(Error, reason!(NoWearoutOnDataset { deadline: deadline(line) })).at(subject.word('D'))
    })
}

/// sustained-not-met, from the command line alone
pub(crate) fn sustained(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|_| subject.role != Some(LineRole::Dataset))?;
    let seconds = subject.sustained_s?;
    let reason = reason!(SustainedNotMet { sustained: seconds, .. });
    if line.deadline > 0 {
        let found = Finding::new(Info, reason!(SustainedNotMet { deadline: deadline(line), ..reason }));
        return (deadline(line) < seconds).then(|| found.at(subject.word('D')));
    }
    let bytes = subject.bytes()? as f64;
    let Some(rate) = subject.target_bytes() else {
        return Some(Finding::new(Info, reason!(SustainedNotMet { rate_max: bytes / seconds, ..reason })));
    };
    let (lasts, least) = (bytes / rate, rate * seconds * MARGIN);
    let reason = reason!(SustainedNotMet { bytes, rate, lasts, least, ..reason });
    (bytes < rate * seconds).then(|| Finding::new(Info, reason).at(subject.word('b')))
}

/// out-of-data
pub(crate) fn out_of_data(subject: &LineSubject) -> Option<Finding> {
    let line = subject.ior().filter(|line| line.deadline > 0)?;
    let bytes = subject.bytes().filter(|_| subject.role != Some(LineRole::Dataset))?;
    let (seconds, bytes) = (f64::from(line.deadline), bytes as f64);
    let reason = match subject.target_bytes() {
        Some(rate) if bytes < MARGIN * rate * seconds => reason!(OutOfData {
            bytes,
            deadline: deadline(line),
            rate,
            lasts: bytes / rate,
            least: MARGIN * rate * seconds
        }),
        None if subject.sustained_s.is_some() => {
            reason!(OutOfData { bytes, deadline: deadline(line), rate_max: bytes / (MARGIN * seconds) })
        }
        _ => return None,
    };
    Some(Finding::new(Info, reason).at(subject.word('D')))
}

/// dataset-too-small
pub(crate) fn too_small(subject: &LineSubject) -> Vec<Finding> {
    let Some(line) = subject.ior() else { return Vec::new() };
    if subject.role == Some(LineRole::Dataset) {
        return made(subject, line);
    }
    let Some(source) = subject.source.as_ref().filter(|_| line.deadline > 0 && !line.writes()) else {
        return Vec::new();
    };
    let (Some(there), Some(rate)) = (source.bytes(), subject.target_bytes()) else { return Vec::new() };
    let asked = rate * f64::from(line.deadline);
    if there >= asked * MARGIN {
        return Vec::new();
    }
    let reason = reason!(DatasetTooSmall {
        maker: &source.name,
        bytes: there,
        rate,
        deadline: deadline(line),
        read: asked,
        least: asked * MARGIN
    });
    vec![Finding::new(Info, reason)]
}

/// A command line that creates a dataset, from what is stated of its reader.
fn made(subject: &LineSubject, line: &ior::Line) -> Vec<Finding> {
    let Some(bytes) = subject.bytes().map(|bytes| bytes as f64) else { return Vec::new() };
    let mut found = Vec::new();
    if let (Some(rate), Some(seconds)) = (subject.target_bytes(), subject.sustained_s)
        && bytes < rate * seconds * MARGIN
    {
        let reason = reason!(DatasetTooSmall {
            bytes,
            rate,
            lasts: bytes / rate,
            sustained: seconds,
            least: rate * seconds * MARGIN
        });
        found.push(Finding::new(Info, reason).at(subject.word('b')));
    }
    if line.deadline > 0 && line.status_file.is_none() {
        let full = bytes / f64::from(line.deadline);
        found.push(
            Finding::new(Info, reason!(DatasetTooSmall { bytes, deadline: deadline(line), rate_full: full }))
                .at(subject.word('D')),
        );
    }
    found
}

/// The files that a command line reads but that its maker did not write. The maker wrote a single shared file
/// and the reader needs a file per process, or the reverse, or more ranks read than wrote.
fn other_files(subject: &LineSubject, line: &ior::Line, source: &MakerFacts) -> Option<Reason> {
    match (line.file_per_rank, source.line.file_per_rank) {
        (true, false) => Some(reason!(ReadBeyondWritten { maker: &source.name, remove: "-F" })),
        (false, true) => Some(reason!(ReadBeyondWritten { maker: &source.name, add: "-F" })),
        (true, true) => {
            let (asked, there) = subject.ranks().zip(source.ranks)?;
            (asked > there).then(|| {
                reason!(ReadBeyondWritten { maker: &source.name, files_read: asked, files_made: there })
            })
        }
        (false, false) => None,
    }
}

/// read-beyond-written
pub(crate) fn beyond(subject: &LineSubject) -> Option<Finding> {
    let (line, source) =
        (subject.ior().filter(|line| line.reads() && !line.writes())?, subject.source.as_ref()?);
    if let Some(reason) = other_files(subject, line, source) {
        return Some(Finding::new(Error, reason).at(subject.word('F')));
    }
    let share = |line: &ior::Line, ranks: Option<u64>| match line.file_per_rank {
        true => line.bytes_per_rank(),
        false => line.bytes_per_rank()?.checked_mul(ranks?),
    };
    let (asked, there) = (share(line, subject.ranks())?, share(&source.line, source.ranks)?);
    let reason = reason!(ReadBeyondWritten { maker: &source.name, .. });
    let found = |reason: Reason| Some(Finding::new(Error, reason).at(subject.word('b')));
    if asked > there {
        return found(reason!(ReadBeyondWritten { read: asked, written: there, ..reason }));
    }
    let stopped =
        source.line.deadline > 0 && !(source.line.status_file.is_some() && line.status_file.is_some());
    if !stopped || (line.deadline > 0 && !line.is_random()) {
        return None;
    }
    let seconds = f64::from(source.line.deadline);
    let reason = reason!(ReadBeyondWritten {
        deadline: seconds,
        full: source.bytes(),
        rate_full: source.bytes().map(|full| full / seconds),
        ..reason
    });
    found(reason)
}
