//! The messages during a test, in the classic's words (IOR 4.1 and 3.3). They are the same for all result
//! formats.
//!
//! Never here: results.

use command::ior::Edition;
use workloads::ior::{IorEvent, PhaseStart, RankStamps, WearOut};

use super::numbers::date;
use super::shown::ShownTest;
use crate::personalities::failures::wrong_ranges;
use crate::personalities::own_lines::own_lines;

/// The warnings before the first test, each once.
pub(crate) fn before_tests<'a>(warnings: impl Iterator<Item = &'a String>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    warnings.for_each(|warning| {
        if !distinct.contains(&warning.as_str()) {
            distinct.push(warning);
        }
    });
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("WARNING: {line}\n") };
    distinct.into_iter().flat_map(|warning| warning.split('\n').map(line)).collect()
}

/// A text of several lines in one line, for `--warningAsErrors`.
pub(crate) fn in_one_line(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The message for an event; empty if it has none.
pub(crate) fn words(event: &IorEvent<'_>, shown: &ShownTest, edition: Edition) -> String {
    let verbose = shown.parameters().verbose;
    let newer = edition == Edition::Ior41;
    match event {
        IorEvent::Test { .. } if verbose >= 3 => hog(shown.hog),
        IorEvent::Repetition { signature, .. } if verbose >= 2 && newer => {
            format!("Using Time Stamp {signature} ({signature:#x}) for Data Signature\n")
        }
        IorEvent::Exists { path, kept } => {
            let fate = if *kept { "overwritten" } else { "deleted" };
            format!("WARNING: The file \"{path}\" exists already and will be {fate}\n")
        }
        IorEvent::Delay(seconds) if verbose > 0 => format!("delaying {seconds} seconds . . .\n"),
        IorEvent::Files { action, rows } if verbose >= 3 => {
            rows.iter().map(|(rank, path)| format!("task {rank} {action} {path}\n")).collect()
        }
        IorEvent::FileHits(ranks) if verbose >= 2 => file_hits(ranks),
        IorEvent::Prefilled(seconds) if verbose >= 2 => format!("Random prefill took: {seconds:.6}s\n"),
        IorEvent::Begins(beginning) => begins(beginning, verbose, newer),
        IorEvent::RankTransfers(all) => {
            let line = |(rank, count)| format!("{rank}: stonewalling pairs accessed: {count}\n");
            all.iter().enumerate().map(line).collect()
        }
        IorEvent::Hints(hints) => hints.to_string(),
        IorEvent::WearOut(wall) => wear_out(wall),
        IorEvent::Stamps { phase, repetition, rows } if verbose >= 3 => {
            stamps(shown.parameters().test, *repetition, operation(phase), rows)
        }
        IorEvent::Size { expected, found, moved } => {
            size_warning([*expected, *found, *moved], shown.parameters().deadline > 0, newer)
        }
        IorEvent::BadData { phase, transfers, signature, .. } => {
            bad_data(phase, *transfers, *signature, newer)
        }
        IorEvent::Warning(text) => format!("WARNING: {text}\n"),
        _ => String::new(),
    }
}

/// The own lines for an event: the places of wrong data. Empty if it has none.
pub(crate) fn own_words(event: &IorEvent<'_>) -> String {
    match event {
        IorEvent::BadData { ranges, .. } => own_lines(&wrong_ranges(ranges, "")),
        _ => String::new(),
    }
}

/// The classic's word for a phase, either write or read. A mixed phase gets its own word.
fn operation(phase: &str) -> &'static str {
    match phase {
        "write" | "write_check" => "write",
        "mixed" | "mixed_write" | "mixed_read" => "mixed",
        _ => "read",
    }
}

fn hog((node_bytes, rank_bytes): (u64, u64)) -> String {
    let line = |who, bytes| match bytes {
        0 => String::new(),
        bytes => format!("This {who} hogging {bytes} bytes of memory\n"),
    };
    line("node", node_bytes) + &line("task", rank_bytes)
}

/// The counts per rank, up to the rank at which every rank is counted.
fn file_hits(ranks: &[u64]) -> String {
    let all: u64 = ranks.iter().sum();
    let mut counted = 0;
    let mut text = String::from("#File Hits Dist:");
    for count in ranks {
        if counted == all {
            break;
        }
        counted += count;
        text.push_str(&format!(" {count}"));
    }
    text.push('\n');
    text
}

fn begins(beginning: &PhaseStart, verbose: u32, newer: bool) -> String {
    let from = if newer { 3 } else { 1 };
    match (beginning.phase, operation(beginning.phase)) {
        ("write_check", _) if verbose > 0 => {
            format!("Verifying contents of the file(s) just written.\n{}\n\n", date())
        }
        ("write_check", _) => String::new(),
        (_, operation) if verbose >= from => {
            let gap = if operation == "read" { "\n" } else { "" };
            format!("Commencing {operation} performance test: {}\n{gap}", date())
        }
        _ => String::new(),
    }
}

fn wear_out(wall: &WearOut) -> String {
    let gib = units::GIB as f64;
    format!(
        "stonewalling pairs accessed min: {} max: {} -- \
         min data: {:.1} GiB mean data: {:.1} GiB time: {:.1}s\n",
        wall.transfers_min,
        wall.transfers_max,
        wall.bytes_min as f64 / gib,
        wall.bytes_mean / gib,
        wall.seconds
    )
}

fn stamps(test: u32, repetition: u32, what: &str, rows: &[RankStamps]) -> String {
    let mut text = String::new();
    for (rank, row) in rows.iter().enumerate() {
        let parts = [
            (row.open.0, "open start"),
            (row.open.1, "open stop"),
            (row.transfer.0, "start"),
            (row.transfer.1, "stop"),
            (row.close.0, "close start"),
            (row.close.1, "close stop"),
        ];
        for (seconds, part) in parts {
            text.push_str(&format!(
                "Test {test}: Iter={repetition}, Task={rank}, Time={seconds:.6}, {what} {part}\n"
            ));
        }
    }
    text
}

fn size_warning([expected, found, moved]: [u64; 3], deadline: bool, newer: bool) -> String {
    let (end, maybe) = if newer { ("", "Maybe") } else { (".", "maybe") };
    let mut text = format!(
        "WARNING: Expected aggregate file size       = {expected}{end}\n\
         WARNING: Stat() of aggregate file size      = {found}{end}\n\
         WARNING: Using actual aggregate bytes moved = {moved}{end}\n"
    );
    if deadline {
        text.push_str(&format!("WARNING: {maybe} caused by deadlineForStonewalling\n"));
    }
    text
}

fn bad_data(phase: &str, transfers: u64, signature: i32, newer: bool) -> String {
    let what = if phase == "write_check" { "write" } else { "read" };
    let (incorrect, gap) = if newer { ("Incorrect", "\n") } else { ("incorrect", "") };
    format!(
        "WARNING: {incorrect} data on {what} ({transfers} errors found).\n{gap}\
         Used Time Stamp {signature} ({signature:#x}) for Data Signature\n"
    )
}

#[cfg(test)]
mod tests {
    use results::record::BadRange;

    use super::super::shown::tests::{beginning, shown};
    use super::*;

    fn said(event: &IorEvent<'_>, verbose: u32, edition: Edition) -> String {
        words(event, &shown(|parameters| (parameters.verbose, parameters.test) = (verbose, 2)), edition)
    }

    #[test]
    fn the_distribution_of_hits_ends_once_every_rank_is_counted() {
        assert_eq!(file_hits(&[1, 1, 1, 0, 0]), "#File Hits Dist: 1 1 1\n");
        assert_eq!(file_hits(&[0, 3, 0]), "#File Hits Dist: 0 3\n");
        assert_eq!(said(&IorEvent::FileHits(&[1, 0, 1]), 1, Edition::Ior41), "");
        assert_eq!(said(&IorEvent::FileHits(&[1, 0, 1]), 2, Edition::Ior41), "#File Hits Dist: 1 0 1\n");
    }

    #[test]
    fn at_level_3_every_rank_has_six_stamps_and_its_file() {
        let rows = [RankStamps { open: (1.0, 1.5), transfer: (2.0, 2.5), close: (3.0, 3.25) }];
        let stamps = IorEvent::Stamps { phase: "read_check", repetition: 4, rows: &rows };
        assert_eq!(said(&stamps, 2, Edition::Ior41), "");
        let text = said(&stamps, 3, Edition::Ior41);
        assert!(text.starts_with("Test 2: Iter=4, Task=0, Time=1.000000, read open start\n"), "{text}");
        assert!(text.ends_with("Test 2: Iter=4, Task=0, Time=3.250000, read close stop\n"), "{text}");
        assert_eq!(text.lines().count(), 6);
        let rows = [(1, "f.00000001".to_owned())];
        let files = IorEvent::Files { action: "reading", rows: &rows };
        assert_eq!(said(&files, 3, Edition::Ior41), "task 1 reading f.00000001\n");
    }

    #[test]
    fn the_beginning_of_a_phase_is_printed_from_level_3_and_in_3_3_from_level_1() {
        let (read, check) = (IorEvent::Begins(beginning("read")), IorEvent::Begins(beginning("write_check")));
        assert_eq!(said(&read, 2, Edition::Ior41), "");
        assert!(said(&read, 3, Edition::Ior41).starts_with("Commencing read performance test: "));
        assert!(said(&read, 1, Edition::Ior33).ends_with("\n\n"));
        assert_eq!(said(&read, 0, Edition::Ior33), "");
        assert_eq!(said(&check, 0, Edition::Ior41), "");
        assert!(
            said(&check, 1, Edition::Ior41).starts_with("Verifying contents of the file(s) just written.")
        );
    }

    #[test]
    fn each_edition_has_its_own_warnings() {
        let size = IorEvent::Size { expected: 3, found: 2, moved: 1 };
        assert!(said(&size, 0, Edition::Ior41).contains("size       = 3\n"));
        assert!(said(&size, 0, Edition::Ior33).contains("size       = 3.\n"));
        let bad = IorEvent::BadData { phase: "read_check", transfers: 8, ranges: &[], signature: 4 };
        let newer = "WARNING: Incorrect data on read (8 errors found).\n\nUsed Time Stamp 4 (0x4) for";
        assert!(said(&bad, 0, Edition::Ior41).starts_with(newer));
        assert!(
            said(&bad, 0, Edition::Ior33)
                .starts_with("WARNING: incorrect data on read (8 errors found).\nUsed")
        );
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
        let bad = IorEvent::BadData { phase: "write_check", transfers: 2, ranges: &ranges, signature: 4 };
        let text = own_words(&bad);
        assert!(
            text.starts_with("assay: rank 1: f at 4096: 8 bytes wrong, expected 0x1, found 0x2\n"),
            "{text}"
        );
        assert!(text.contains("8 bytes torn, expected 0x1, found 0x2 (generation 2)\n"), "{text}");
    }

    #[test]
    fn the_memory_taken_is_printed_at_level_3() {
        assert_eq!(hog((0, 8)), "This task hogging 8 bytes of memory\n");
        assert_eq!(hog((16, 8)).lines().next(), Some("This node hogging 16 bytes of memory"));
        assert_eq!(hog((0, 0)), "");
    }
}
