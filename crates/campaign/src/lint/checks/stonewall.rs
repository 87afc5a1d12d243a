//! Deadlines, and whether there are enough bytes to reach them: sustained rates, wear-out, datasets.

use units::{bytes_binary, duration, rate_decimal};

use crate::lint::ior_facts::IorFacts;
use crate::lint::subject::{LineSubject, Role, Source};
use crate::lint::{Found, Level};

/// Bytes there have to be, over those that the target moves within the deadline.
const MARGIN: f64 = 1.5;

/// wearout-on-measured
pub(crate) fn wear_out(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| line.wear_out && line.deadline_s > 0) else {
        return Vec::new();
    };
    let said = matches!(subject.role, Some(Role::Write | Role::Read | Role::Hero))
        || !subject.criteria.is_empty()
        || subject.sustained_s.is_some();
    // Nobody says that it is measured, and it leaves its files: it makes a dataset.
    let makes = line.write && line.keep && !said;
    if makes || subject.role == Some(Role::Dataset) {
        return Vec::new();
    }
    let what = "after -D all ranks go on until they have done as much as the fastest, so the number is that \
                of the slowest rank's tail, not of what was sustained";
    let remedy = "leave stoneWallingWearOut out where a rate is measured; only datasets need it";
    vec![Found::new(what, remedy).at(line.place('O'))]
}

/// no-wearout-on-dataset
pub(crate) fn no_wear_out(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|_| subject.role == Some(Role::Dataset)) else { return Vec::new() };
    if line.deadline_s == 0 || line.wear_out || line.status_file {
        return Vec::new();
    }
    let what = format!(
        "the dataset is stopped after {}, and its files are then as unequal as its ranks were fast",
        duration(line.deadline_s as f64)
    );
    let remedy = "add -O stoneWallingWearOut=1, or let its readers read no more than the smallest file";
    vec![Found::new(what, remedy).at(line.place('D'))]
}

/// sustained-not-met, as far as the words tell it
pub(crate) fn sustained(subject: &LineSubject) -> Vec<Found> {
    let (Some(line), Some(seconds)) = (subject.ior(), subject.sustained_s) else { return Vec::new() };
    if subject.role == Some(Role::Dataset) {
        return Vec::new();
    }
    let wanted = duration(seconds);
    if line.deadline_s > 0 && (line.deadline_s as f64) < seconds {
        let what =
            format!("-D {} ends the phase before the {wanted} that are to be sustained", line.deadline_s);
        let remedy = format!("give -D {} or more", seconds.ceil());
        return vec![Found::new(what, remedy).at(line.place('D'))];
    }
    if line.deadline_s > 0 {
        return Vec::new();
    }
    match (subject.bytes(), subject.target_bytes()) {
        (Some(bytes), Some(rate)) if (bytes as f64) < rate * seconds => {
            let (moved, took) = (bytes_binary(bytes as f64), duration(bytes as f64 / rate));
            let what = format!(
                "{moved} are moved in {took} at {}, and {wanted} are to be sustained",
                rate_decimal(rate)
            );
            let least = bytes_binary(rate * seconds * MARGIN);
            let remedy = format!("move at least {least}, and stop by -D {}", seconds.ceil());
            vec![Found::new(what, remedy).at(line.place('b'))]
        }
        (Some(bytes), None) => {
            let most = rate_decimal(bytes as f64 / seconds);
            let what = format!("without -D the {wanted} are not reached at {most} and more");
            let remedy = format!("stop by -D {} a line that would move more", seconds.ceil());
            vec![Found::new(what, remedy).level(Level::Info)]
        }
        _ => Vec::new(),
    }
}

/// runs-dry
pub(crate) fn runs_dry(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior().filter(|line| line.deadline_s > 0) else { return Vec::new() };
    let Some(bytes) = subject.bytes().filter(|_| subject.role != Some(Role::Dataset)) else {
        return Vec::new();
    };
    let (seconds, bytes) = (line.deadline_s as f64, bytes as f64);
    let all = bytes_binary(bytes);
    match subject.target_bytes() {
        Some(rate) if bytes < MARGIN * rate * seconds => {
            let what = format!(
                "{all} of all ranks are moved in {} at {}, and the slowest must have some left after {}",
                duration(bytes / rate),
                rate_decimal(rate),
                duration(seconds)
            );
            let remedy =
                format!("give the ranks {} in all, by -b or -s", bytes_binary(MARGIN * rate * seconds));
            vec![Found::new(what, remedy).at(line.place('D'))]
        }
        None if subject.sustained_s.is_some() => {
            let rate = rate_decimal(bytes / (MARGIN * seconds));
            let what = format!("{all} last for the {} of -D up to {rate}", duration(seconds));
            let remedy = "nothing at a lower rate; a criterion, or --target, has it checked";
            vec![Found::new(what, remedy).level(Level::Info).at(line.place('D'))]
        }
        _ => Vec::new(),
    }
}

/// dataset-too-small
pub(crate) fn too_small(subject: &LineSubject) -> Vec<Found> {
    let Some(line) = subject.ior() else { return Vec::new() };
    if subject.role == Some(Role::Dataset) {
        return made(subject, line);
    }
    let Some(source) = subject.source.as_ref().filter(|_| line.deadline_s > 0 && !line.write) else {
        return Vec::new();
    };
    let there =
        source.line.bytes_per_rank().zip(source.ranks).map(|(bytes, ranks)| bytes as f64 * ranks as f64);
    let (Some(there), Some(rate)) = (there, subject.target_bytes()) else { return Vec::new() };
    let needed = rate * line.deadline_s as f64 * MARGIN;
    if there >= needed {
        return Vec::new();
    }
    let what = format!(
        "{} has {}, and reading for {} at {} takes {}",
        source.name,
        bytes_binary(there),
        duration(line.deadline_s as f64),
        rate_decimal(rate),
        bytes_binary(needed / MARGIN)
    );
    vec![Found::new(what, format!("make it at least {}", bytes_binary(needed)))]
}

/// A line that makes a dataset, by what is said of its reader.
fn made(subject: &LineSubject, line: &IorFacts) -> Vec<Found> {
    let Some(bytes) = subject.bytes().map(|bytes| bytes as f64) else { return Vec::new() };
    let all = bytes_binary(bytes);
    let mut found = Vec::new();
    if let (Some(rate), Some(seconds)) = (subject.target_bytes(), subject.sustained_s)
        && bytes < rate * seconds * MARGIN
    {
        let (read, needed) = (rate_decimal(rate), bytes_binary(rate * seconds * MARGIN));
        let what = format!("{all} are read in {} at {read}", duration(bytes / rate));
        let remedy =
            format!("make it at least {needed}, so that {} of reading find no end", duration(seconds));
        found.push(Found::new(what, remedy).at(line.place('b')));
    }
    if line.deadline_s > 0 && !line.status_file {
        let rate = rate_decimal(bytes / line.deadline_s as f64);
        let what =
            format!("-D {} stops it before it has {all}, unless it is written at {rate}", line.deadline_s);
        let remedy = "let its readers know what is there: -O stoneWallingStatusFile=F on both lines, or -b \
                      of the smallest file";
        found.push(Found::new(what, remedy).level(Level::Info).at(line.place('D')));
    }
    found
}

/// Files that a line reads and that were not made: one for each rank of a file that all share, or the
/// reverse, or those of more ranks than there were.
fn other_files(subject: &LineSubject, line: &IorFacts, source: &Source) -> Option<Found> {
    let name = &source.name;
    match (line.file_per_rank, source.line.file_per_rank) {
        (true, false) => {
            let what = format!("reads a file for each rank (-F), and {name} is one file that all share");
            Some(Found::new(what, "take -F out of this line, or put it into both").at(line.place('F')))
        }
        (false, true) => {
            let what = format!("reads one file that all share, and {name} has one for each rank (-F)");
            Some(Found::new(what, "put -F into this line, or take it out of both"))
        }
        (true, true) => {
            let (asked, there) = subject.ranks().zip(source.ranks)?;
            (asked > there).then(|| {
                let what = format!("reads {asked} files (-F), and {name} has {there}");
                Found::new(what, "read with no more ranks than wrote").at(line.place('F'))
            })
        }
        (false, false) => None,
    }
}

/// read-beyond-written
pub(crate) fn beyond(subject: &LineSubject) -> Vec<Found> {
    let (Some(line), Some(source)) = (subject.ior(), &subject.source) else { return Vec::new() };
    if line.write || !line.read {
        return Vec::new();
    }
    if let Some(found) = other_files(subject, line, source) {
        return vec![found];
    }
    let share = |line: &IorFacts, ranks: Option<u64>| match line.file_per_rank {
        true => line.bytes_per_rank(),
        false => line.bytes_per_rank()?.checked_mul(ranks?),
    };
    let (Some(asked), Some(there)) = (share(line, subject.ranks()), share(&source.line, source.ranks)) else {
        return Vec::new();
    };
    let told = |bytes: u64| bytes_binary(bytes as f64);
    if asked > there {
        let what = format!("reads {} of a file of {}, which {} has", told(asked), told(there), source.name);
        return vec![Found::new(what, "read no more than was written").at(line.place('b'))];
    }
    let stopped = source.line.deadline_s > 0 && !(source.line.status_file && line.status_file);
    if !stopped || (line.deadline_s > 0 && !line.random) {
        return Vec::new();
    }
    let seconds = source.line.deadline_s;
    let full = source.line.bytes_per_rank().zip(source.ranks);
    let full = full.map(|(bytes, ranks)| bytes as f64 * ranks as f64);
    let rate = full.map(|full| {
        let rate = rate_decimal(full / seconds as f64);
        format!(": it is full, {}, only if {rate} were written", bytes_binary(full))
    });
    let anywhere = if line.random { " anywhere in its files" } else { "" };
    let what = format!(
        "{} is stopped after {}, and this line reads{anywhere} as if it were full{}",
        source.name,
        duration(seconds as f64),
        rate.unwrap_or_default()
    );
    let remedy =
        "-O stoneWallingStatusFile=F on both lines, -b of the smallest file, or a dataset without -D";
    vec![Found::new(what, remedy).at(line.place('b'))]
}
