//! The status file of `-x`: how many items the deadline of one run left for the next.
//!
//! Its first line is the bare number that mdtest 4.1 writes and reads, that of files. Where a run makes
//! directories too, which stop at a count of their own, that count is on the second line.

use ranks::Halt;

use super::items::Stem;
use super::observer::MdtestEvent;
use super::run::MdtestRun;
use crate::kit::status;

/// Items of a rank that an earlier run left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct There {
    files: u64,
    directories: u64,
}

impl There {
    /// What a status file says.
    fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines().map(|line| line.trim().parse().ok());
        let files = lines.next()??;
        // One count is that of whatever was made.
        Some(Self { files, directories: lines.next().map_or(Some(files), |number| number)? })
    }

    /// Those of one kind.
    pub(super) fn of(self, stem: Stem) -> u64 {
        match stem {
            Stem::Directory => self.directories,
            Stem::File => self.files,
        }
    }
}

/// How many items of a rank an earlier run left, where a status file says so. Collective.
pub(super) fn load(run: &mut MdtestRun<'_>) -> Result<Option<There>, Halt> {
    let parameters = run.parameters;
    let Some(path) = parameters.status_file.as_ref().filter(|_| !parameters.create) else { return Ok(None) };
    let Some(there) = There::read(&status::read(run.rank.comm, path)?) else {
        run.observer.event(&MdtestEvent::Warning("Could not read stonewall status file"));
        return Ok(None);
    };
    let items = there.files.max(there.directories);
    if items > run.counts.items() {
        let one_dir = run.counts.holders == 1 && run.counts.loops == 1;
        let more =
            || format!("{path}: {items} items of a rank, and -n or -I ask for fewer; give at least as many");
        run.rank.comm.agree("status file", one_dir.then_some(()).ok_or_else(more))?;
        run.counts.per_dir = items;
    }
    Ok(Some(there))
}

/// Leaves the count of the items that were just made for the next run; where files follow, with theirs.
/// Collective.
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
    fn a_second_line_counts_directories_and_one_alone_counts_what_was_made() {
        assert_eq!(There::read("12"), Some(There { files: 12, directories: 12 }));
        assert_eq!(There::read("12\n7"), Some(There { files: 12, directories: 7 }));
        assert_eq!(There::read("12\nmany"), None);
        assert_eq!(There::read(""), None);
    }
}
