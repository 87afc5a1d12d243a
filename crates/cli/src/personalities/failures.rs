//! How all programs print failures: operations by reason and by path, and ranges of wrong data.
//!
//! Never here: headings and counts, which each program words itself.

use std::fmt::Write as _;

use results::record::{BadRange, Failed};
use units::visible;

/// What the line of a failed operation begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leads {
    /// `PATH: CALL: why`
    Path,
    /// `CALL PATH: why`
    Call,
}

/// The number of failed operations for each reason, in one line.
pub(crate) fn reasons(failed: &Failed) -> String {
    let reasons: Vec<String> = failed.counted().iter().map(|(why, count)| format!("{count} {why}")).collect();
    reasons.join(", ")
}

/// Calls that failed: how many for each reason, and the first by path.
pub(crate) fn failed_calls(failed: &Failed) -> String {
    let mut text = format!("  FAILED     {} calls\n", failed.operations);
    for (why, count) in failed.counted() {
        let _ = writeln!(text, "  {count:>10} {why}");
    }
    text + &named(failed, usize::MAX, "             ", Leads::Path, str::to_owned)
}

/// The first `most` failed operations by path, each in a line that begins with `indent`. `call` gives the
/// form of a call, such as [`phase_name`](super::own_lines::phase_name) for own lines.
pub(crate) fn named(
    failed: &Failed,
    most: usize,
    indent: &str,
    leads: Leads,
    call: fn(&str) -> String,
) -> String {
    let line = |one: &results::record::FailedOperation| {
        let (rank, path, call, why) = (one.rank, visible(&one.path), call(&one.operation), &one.why);
        match leads {
            Leads::Path => format!("{indent}rank {rank}: {path}: {call}: {why}\n"),
            Leads::Call => format!("{indent}rank {rank}: {call} {path}: {why}\n"),
        }
    };
    failed.first.iter().take(most).map(line).collect()
}

/// One own line per range of wrong data, with the expected and the found value. Each begins with `indent`.
pub(crate) fn wrong_ranges(ranges: &[BadRange], indent: &str) -> String {
    let line = |bad: &BadRange| {
        let kind = if bad.kind.is_empty() { "wrong" } else { &bad.kind };
        let detail = if bad.detail.is_empty() { String::new() } else { format!(" ({})", bad.detail) };
        format!(
            "{indent}rank {}: {} at {}: {} bytes {kind}, expected {}, found {}{detail}\n",
            bad.rank,
            visible(&bad.path),
            bad.offset,
            bad.length,
            bad.expected,
            bad.found
        )
    };
    ranges.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use results::record::{FailedOperation, FailureReason};

    use super::*;

    #[test]
    fn a_failed_operation_is_listed_with_its_path_or_its_call_first() {
        let first = FailedOperation {
            rank: 2,
            operation: "stat".into(),
            path: "d/f".into(),
            why: "Permission denied".into(),
            ..FailedOperation::default()
        };
        let reason =
            |why: &str, operations| FailureReason { why: why.into(), operations, ..FailureReason::default() };
        let failed = Failed {
            operations: 3,
            reasons: vec![reason("Permission denied", 2), reason("Is a directory", 1)],
            first: vec![first; 3],
        };
        assert_eq!(reasons(&failed), "2 Permission denied, 1 Is a directory");
        let named = |most, indent, leads| named(&failed, most, indent, leads, str::to_owned);
        assert_eq!(named(1, "  ", Leads::Path), "  rank 2: d/f: stat: Permission denied\n");
        assert_eq!(named(1, "  ", Leads::Call), "  rank 2: stat d/f: Permission denied\n");
        assert_eq!(named(8, "", Leads::Call).lines().count(), 3);
    }

    #[test]
    fn wrong_data_is_reported_with_its_place_and_kind() {
        let range = BadRange {
            rank: 1,
            path: "f".into(),
            offset: 4096,
            length: 8,
            expected: "0x1".into(),
            found: "0x2".into(),
            ..BadRange::default()
        };
        let torn = BadRange { kind: "torn".into(), detail: "generation 2".into(), ..range.clone() };
        let ranges = [range, torn];
        let text = wrong_ranges(&ranges, "");
        assert!(text.starts_with("rank 1: f at 4096: 8 bytes wrong, expected 0x1, found 0x2\n"), "{text}");
        assert!(text.contains("8 bytes torn, expected 0x1, found 0x2 (generation 2)\n"), "{text}");
    }
}
