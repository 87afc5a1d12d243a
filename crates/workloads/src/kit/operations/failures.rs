//! Operations that failed while the run went on: how many for each reason, and the first by name.

use std::io;
use std::path::Path;

use ranks::{Comm, Halt, Reduce};
use results::record::{Failed, FailedOperation};

use crate::kit::drive::words;
use crate::kit::few;

/// The system's numbers of errors are below this; number 0 stands for what has none.
const ERRORS: usize = 136;
/// How many failures each rank remembers by name.
const NAMED: usize = 8;
/// Bytes of a long path that are kept at its beginning, and as many at its end.
const KEPT: usize = 220;

/// The failures of one rank in one phase. Its memory does not grow with them.
pub(crate) struct Failures {
    pub(super) keep_going: bool,
    counts: Vec<u64>,
    named: Vec<(&'static str, String, String)>,
}

impl Failures {
    pub(crate) fn new(keep_going: bool) -> Self {
        Self { keep_going, counts: vec![0; ERRORS], named: Vec::with_capacity(NAMED) }
    }

    /// Counts a failure; false where the run does not go on after it.
    #[cold]
    pub(crate) fn take(&mut self, call: &'static str, path: &Path, error: &io::Error) -> bool {
        if !self.keep_going {
            return false;
        }
        let number = error.raw_os_error().and_then(|number| usize::try_from(number).ok());
        self.counts[number.filter(|number| *number < ERRORS).unwrap_or(0)] += 1;
        if self.named.len() < NAMED {
            self.named.push((call, shortened(path), words(error)));
        }
        true
    }

    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Those of all ranks, the named ones on rank 0 only. Collective.
    pub(crate) fn over_ranks(self, comm: &dyn Comm) -> Result<Option<Failed>, Halt> {
        let operations = comm.reduce_one(self.count(), Reduce::Sum)?;
        if operations == 0 {
            return Ok(None);
        }
        let mut counts = self.counts;
        comm.all_reduce(&mut counts, Reduce::Sum)?;
        let reason = |number: usize| match number {
            0 => "something else".to_owned(),
            _ => words(&io::Error::from_raw_os_error(number as i32)),
        };
        let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let mut reasons: Vec<_> = counted.map(|(number, count)| (reason(number), *count)).collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let lines = self.named.iter().map(|(call, path, why)| format!("{call}\t{why}\t{path}"));
        let mine = (!self.named.is_empty()).then(|| few::whole_lines(lines, few::BYTES));
        let heard = few::collect(comm, mine.as_deref())?;
        let first = heard.parcels.iter().map(|(rank, text)| named(*rank, text)).collect();
        Ok(Some(Failed { operations, reasons, first: few::in_turn(first, Failed::CAP) }))
    }
}

/// A path that can be brought: of one that is too long the middle is left out.
fn shortened(path: &Path) -> String {
    let path = path.display().to_string();
    if path.len() <= 2 * KEPT {
        return path;
    }
    format!(
        "{} ... {}",
        &path[..path.floor_char_boundary(KEPT)],
        &path[path.ceil_char_boundary(path.len() - KEPT)..]
    )
}

fn named(rank: u32, text: &str) -> Vec<FailedOperation> {
    let lines = text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        let (operation, why, path) = (parts.next()?, parts.next()?, parts.next()?);
        Some(FailedOperation { rank, operation, path, why })
    });
    lines.collect()
}
