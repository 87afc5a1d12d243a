//! Operations that failed while the run continued: a count for each reason, and the first ones with their
//! paths.

use std::io;
use std::path::Path;

use ranks::{CallFailure, Comm, FailureCause, Halt, Reduce};
use results::record::{Failed, FailedOperation, FailureReason};
use storage::call_error;

use crate::kit::failed_call::{cause, words};
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
    named: Vec<FailureCause>,
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
            self.named.push(cause(call, Path::new(&shortened(path)), error, words(error)));
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
        let texts = self.named.iter().map(|cause| cause.encode(node));
        let parcel = (!self.named.is_empty()).then(|| few::whole_texts(texts, few::BYTES));
        let arrived = few::collect(comm, parcel.as_deref())?;
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

fn named(rank: u32, all: &str) -> Vec<FailedOperation> {
    let operations = few::split_texts(all).into_iter().filter_map(|text| {
        let (node, FailureCause { text: why, call }) = FailureCause::decode(text);
        let CallFailure { call: operation, path, offset, errno, is_short, at_unix_ms } = *call?;
        Some(FailedOperation { rank, node, operation, path, offset, errno, is_short, why, at_unix_ms })
    });
    operations.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_arrive_at_rank_0_with_any_path_and_text() {
        let arrived = ranks::local::run(2, |comm| {
            let mut failures = Failures::new(true);
            let path = Path::new("/a\nwrite\t5\t\t1\tn\twhy\t/b");
            assert!(failures.take("open", path, &io::Error::from_raw_os_error(13)));
            assert!(failures.take("read", Path::new("/c\t"), &call_error::short("too\tfew\n")));
            failures.over_ranks(comm, 4).unwrap()
        });
        let failed = arrived.into_iter().next().unwrap().unwrap().unwrap();
        let first = failed.first.iter();
        let facts = first.map(|one| (one.rank, one.operation.as_str(), one.path.as_str(), one.errno));
        let path = "/a\nwrite\t5\t\t1\tn\twhy\t/b";
        let each = |rank| [(rank, "open", path, Some(13)), (rank, "read", "/c\t", None)];
        assert_eq!(facts.collect::<Vec<_>>(), [each(0), each(1)].concat());
        assert!(failed.first[1].is_short && failed.first[1].why == "too\tfew\n");
        assert!(failed.first.iter().all(|one| one.at_unix_ms > 0 && !one.node.is_empty()));
    }
}
