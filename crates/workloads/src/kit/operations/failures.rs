//! Operations that failed while the run continued: a count for each reason, and the first ones with their
//! paths.

use std::io;
use std::path::Path;

use measure::unix_seconds;
use ranks::{Comm, Halt, Reduce};
use results::record::{Failed, FailedOperation, FailureReason};
use storage::call_error;

use crate::kit::failed_call::words;
use crate::kit::few;

/// The system's error numbers are below this. Number 0 counts errors without a number, and this one calls
/// that moved too few bytes.
const ERRORS: usize = 136;
/// Number of failures that each rank keeps with their paths.
const NAMED: usize = 8;
/// Number of bytes that are kept at the beginning of a long path, and at its end.
const KEPT: usize = 220;

/// The failures of one rank in one phase. The memory does not grow with their number.
pub(crate) struct Failures {
    pub(crate) keep_going: bool,
    /// Operations that had nothing to do.
    pub(super) skipped: u64,
    counts: Vec<u64>,
    /// The call, the path, the error, and when it failed, milliseconds since 1970.
    named: Vec<(&'static str, String, io::Error, u64)>,
}

impl Failures {
    pub(crate) fn new(keep_going: bool) -> Self {
        Self { keep_going, skipped: 0, counts: vec![0; ERRORS + 1], named: Vec::with_capacity(NAMED) }
    }

    /// Counts a failure. Returns false if the run must not continue after it.
    #[cold]
    pub(crate) fn take(&mut self, call: &'static str, path: &Path, error: &io::Error) -> bool {
        if !self.keep_going {
            return false;
        }
        let number = call_error::errno(error).and_then(|number| usize::try_from(number).ok());
        let number = number.filter(|number| *number < ERRORS);
        self.counts[number.unwrap_or(if call_error::is_short(error) { ERRORS } else { 0 })] += 1;
        if self.named.len() < NAMED {
            let at = (unix_seconds() * 1e3) as u64;
            self.named.push((call, shortened(path), call_error::reworded(error, words(error)), at));
        }
        true
    }

    pub(crate) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The failures of all ranks, which are `operations` together. Only rank 0 gets their reasons and the
    /// ones with paths. Collective.
    pub(crate) fn over_ranks(self, comm: &dyn Comm, operations: u64) -> Result<Option<Failed>, Halt> {
        if operations == 0 {
            return Ok(None);
        }
        let mut counts = self.counts;
        comm.reduce(&mut counts, Reduce::Sum)?;
        let counted = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let mut reasons: Vec<_> = counted.map(|(number, count)| reason(number, *count)).collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.operations));
        let node = comm.node_name();
        let lines = self.named.iter().map(|(call, path, error, at)| {
            let errno = call_error::errno(error).map_or_else(String::new, |errno| errno.to_string());
            let short = if call_error::is_short(error) { "short" } else { "" };
            format!("{call}\t{errno}\t{short}\t{at}\t{node}\t{error}\t{path}")
        });
        let mine = (!self.named.is_empty()).then(|| few::whole_lines(lines, few::BYTES));
        let arrived = few::collect(comm, mine.as_deref())?;
        let first = arrived.parcels.iter().map(|(rank, text)| named(*rank, text)).collect();
        Ok(Some(Failed { operations, reasons, first: few::in_turn(first, Failed::CAP) }))
    }
}

/// The reason that is counted under `number`.
fn reason(number: usize, operations: u64) -> FailureReason {
    let reason = FailureReason { operations, ..FailureReason::default() };
    match number {
        0 => FailureReason { why: "another error".to_owned(), ..reason },
        ERRORS => FailureReason { why: "too few bytes or entries".to_owned(), is_short: true, ..reason },
        _ => {
            let errno = number as i32;
            let why = words(&io::Error::from_raw_os_error(errno));
            FailureReason { why, errno: Some(errno), ..reason }
        }
    }
}

/// A path that fits into a message. If it is too long, the middle is left out.
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
        let mut parts = line.splitn(7, '\t').map(str::to_owned);
        let (operation, errno, short) = (parts.next()?, parts.next()?, parts.next()?);
        let (at, node, why, path) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        Some(FailedOperation {
            rank,
            node,
            operation,
            path,
            errno: errno.parse().ok(),
            is_short: !short.is_empty(),
            why,
            at_unix_ms: at.parse().unwrap_or_default(),
        })
    });
    lines.collect()
}
