//! The status file of `-x`: the number of items that existed at the deadline of one run, for the next run.
//!
//! Its first line is the plain number of files, which mdtest 4.1 writes and reads. A run may also make
//! directories, which stop at a separate count. That count is on the second line.

use ranks::Halt;

use super::items::Stem;
use super::observer::MdtestEvent;
use super::state::{MdtestRun, stop_at_warning};
use crate::kit::status;

/// Items of a rank that an earlier run left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EarlierCounts {
    files: u64,
    directories: u64,
}

impl EarlierCounts {
    /// Parses a status file.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| line.trim().parse().ok());
        let files = lines.next()??;
        // A single count is valid for both kinds.
        Some(Self { files, directories: lines.next().map_or(Some(files), |number| number)? })
    }

    /// The count of one kind.
    pub(super) fn of(self, stem: Stem) -> u64 {
        match stem {
            Stem::Directory => self.directories,
            Stem::File => self.files,
        }
    }
}

/// Number of items of a rank that an earlier run left, if a status file has it. Collective.
pub(super) fn load(run: &mut MdtestRun<'_>) -> Result<Option<EarlierCounts>, Halt> {
    let parameters = run.parameters;
    let Some(path) = parameters.status_file.as_ref().filter(|_| !parameters.create) else { return Ok(None) };
    let Some(earlier) = EarlierCounts::read(&status::read(run.rank.comm, path)?) else {
        let text = "Could not read stonewall status file";
        run.observer.event(&MdtestEvent::Warning(text));
        stop_at_warning(parameters, run.rank.comm, Some(text))?;
        return Ok(None);
    };
    let items = earlier.files.max(earlier.directories);
    if items > run.counts.items() {
        let one_dir = run.counts.holders == 1 && run.counts.loops == 1;
        let more =
            || format!("{path}: a rank has {items} items, but -n or -I ask for fewer. Give at least {items}");
        run.rank.comm.agree("status file", one_dir.then_some(()).ok_or_else(more))?;
        run.counts.per_dir = items;
    }
    Ok(Some(earlier))
}

/// Writes the count of the items that were just created for the next run. If files follow, the count is
/// written with theirs. Collective.
pub(super) fn leave(run: &mut MdtestRun<'_>, stem: Stem) -> Result<(), Halt> {
    let before = run.directories_made.take();
    let Some(path) = &run.parameters.status_file else { return Ok(()) };
    if stem == Stem::Directory && run.parameters.files {
        run.directories_made = Some(run.items);
        return Ok(());
    }
    let mut text = run.items.to_string();
    if let Some(directories) = before {
        text.push_str(&format!("\n{directories}"));
    }
    status::write(run.rank.comm, path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_line_counts_directories_and_a_single_line_counts_both() {
        assert_eq!(EarlierCounts::read("12"), Some(EarlierCounts { files: 12, directories: 12 }));
        assert_eq!(EarlierCounts::read("12\n7"), Some(EarlierCounts { files: 12, directories: 7 }));
        assert_eq!(EarlierCounts::read("12\nmany"), None);
        assert_eq!(EarlierCounts::read(""), None);
    }
}
