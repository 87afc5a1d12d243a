//! The classic text of `ior` 4.1 or 3.3, to the letter. The messages during a test are those of all formats.
//!
//! Invariant: no engine here. All numbers come from a record or an event.

use command::ior::{Edition, Output, Request};
use jiff::Zoned;
use results::record::Phase;
use storage::Space;
use workloads::ior::{IorEvent, PhaseStart, RankStamps, WearOut, first_path};

use super::shown::{OperationTotals, ShownTest, row_name, row_numbers};
use super::value::Members;
use crate::personalities::classic::{space_line, whole_header_dir};

/// The heading of the table. It comes once in each test, before the first event in the table.
pub(super) const TABLE_HEADING: &str = "\naccess    bw(MiB/s)  IOPS       Latency(s)  block(KiB) \
     xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter\n\
     ------    ---------  ----       ----------  ---------- ---------  --------   --------   \
     --------   --------   ----\n";

/// The header above all tests. It has more details with a higher verbosity of the first test.
pub(super) fn head(edition: Edition, command: &str, verbose: u32) -> String {
    let version = edition.version();
    format!("IOR-{version}: MPI Coordinated Test of Parallel I/O\n")
        + &line("Began", &date())
        + &line("Command line", command)
        + &line("Machine", &machine(verbose))
}

/// The header of a test. `space` is the space of its file system.
pub(super) fn test_head(parameters: &Request, edition: Edition, space: Option<Space>) -> String {
    let path = first_path(parameters, 0);
    let shown_path = match edition {
        Edition::Ior33 => whole_header_dir(&path).display().to_string(),
        Edition::Ior41 => path,
    };
    line("TestID", &parameters.test.to_string())
        + &line("StartTime", &date())
        + &line("Path", &shown_path)
        + &space.map_or(String::new(), |space| line("FS", &space_line(space)))
}

/// What an event adds to the results: the blocks above them, or a row.
pub(super) fn results_of(event: &IorEvent<'_>, shown: &ShownTest, edition: Edition) -> String {
    match event {
        IorEvent::Test { .. } => blocks(shown, edition),
        IorEvent::Phase(phase) => row(phase).unwrap_or_default(),
        IorEvent::Removed { repetition, seconds }
            if shown.parameters().verbose > 0 || edition == Edition::Ior33 =>
        {
            let dash = format!("{:<10}", "-");
            let dashes = format!("{dash} {dash} {dash}  {dash} {dash} {dash} {dash} {dash} ");
            format!("{:<10}{dashes}{} {repetition:<4}\n", "remove", column(*seconds))
        }
        _ => String::new(),
    }
}

fn blocks(shown: &ShownTest, edition: Edition) -> String {
    let verbose = shown.parameters().verbose;
    let mut text = String::new();
    if verbose >= 3 {
        text.push_str(&block("Parameters", &shown.settings()));
    }
    if edition == Edition::Ior33 && verbose > 0 {
        text.push_str(&format!("Participating tasks: {}\n", shown.ranks));
        if shown.parsed.constant > 0 {
            text.push_str("Using reorderTasks '-C' (useful to avoid read cache in client)\n");
        }
    }
    text + &block("Options", &shown.options(edition)) + "\nResults: \n"
}

fn block(name: &str, members: &Members) -> String {
    let lines: String = members.iter().map(|(key, value)| line(key, &value.to_string())).collect();
    format!("\n{name}: \n{lines}")
}

/// A line of the header or of a block.
fn line(key: &str, value: &str) -> String {
    format!("{key:<20}: {value}\n")
}

fn row(phase: &Phase) -> Option<String> {
    let mut text = format!("{:<10}", row_name(&phase.phase)?);
    for (value, gap) in row_numbers(phase).into_iter().zip([" ", " ", "  ", " ", " ", " ", " ", " ", " "]) {
        text.push_str(&(column(value) + gap));
    }
    Some(format!("{text}{:<4}\n", phase.repetition))
}

/// A number of a result row: ten columns, left-aligned, with six, two or no decimals by size.
fn column(value: f64) -> String {
    let decimals = match value {
        v if v < 1.0 => 6,
        v if v < 3600.0 => 2,
        _ => 0,
    };
    format!("{:<10}", format!("{value:.decimals$}"))
}

/// The text below the results of a test: its maxima or its summary.
pub(super) fn end_of_test(shown: &ShownTest, look: &Output) -> String {
    let verbose = shown.parameters().verbose > 0;
    if look.summary_always && verbose {
        return format!("\n{}", summary([shown]));
    }
    // IOR 4.1 prints the maxima only with `-v`, which breaks programs that read them.
    if look.plain && look.edition() == Edition::Ior41 && !verbose {
        return String::new();
    }
    let label = |operation| if operation == "write" { "Max Write: " } else { "Max Read:  " };
    let lines = shown.totals.operations().map(|totals| {
        let [mib, mb] = totals.best_rates();
        format!("{}{mib:.2} MiB/sec ({mb:.2} MB/sec)\n", label(totals.name))
    });
    lines.collect()
}

/// The last lines. `complete` is false if a test failed.
pub(super) fn end(tests: &[ShownTest], complete: bool) -> String {
    let mut text = String::new();
    if tests.iter().any(|test| test.totals.phases > 0) {
        text.push_str(&format!("\nSummary of all tests:\n{}", summary(tests)));
    }
    if complete {
        text.push_str(&line("Finished", &date()));
    }
    text
}

/// The heading and a row for each operation of these tests.
fn summary<'a>(tests: impl IntoIterator<Item = &'a ShownTest>) -> String {
    let names =
        ["Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev", "Max(OPs)", "Min(OPs)", "Mean(OPs)", "StdDev"];
    let mut text = format!("{:<9}", "Operation");
    for name in names.into_iter().chain(["Mean(s)"]) {
        text.push_str(&format!(" {name:>10}"));
    }
    text.push_str(
        " Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   \
         blksiz    xsize aggs(MiB)   API RefNum\n",
    );
    for shown in tests {
        text.extend(shown.totals.operations().map(|operation| summary_row(shown, operation)));
    }
    text
}

fn summary_row(shown: &ShownTest, operation: &OperationTotals) -> String {
    let parameters = shown.parameters();
    let mut text = format!("{:<9} ", operation.name);
    for value in operation.statistics(parameters.transfer).concat() {
        text.push_str(&format!("{value:>10.2} "));
    }
    text.push_str(&format!("{:>10.5} ", operation.mean_seconds()));
    text.push_str(&match operation.stonewall(shown.ranks) {
        None => format!("{:>10} {:>13} ", "NA", "NA"),
        Some((seconds, per_rank)) => format!("{seconds:>10.2} {per_rank:>13.2} "),
    });
    text.push_str(&format!(
        "{:>5} {:>6} {:>3} {:>4} {:>3} {:>5} {:>8} {:>9} ",
        parameters.test,
        shown.ranks,
        shown.place.ranks_on_node0,
        parameters.repetitions,
        u32::from(parameters.file_per_rank),
        shown.parsed.constant,
        parameters.task_offset,
        shown.parsed.random_ranks
    ));
    text.push_str(&format!(
        "{:>4} {:>6} {:>8} {:>8} {:>9.1} {:>3} {:>6}\n",
        parameters.reorder_seed,
        parameters.segments,
        parameters.block,
        parameters.transfer,
        operation.first_mib(),
        parameters.backend,
        parameters.reference,
    ));
    text
}

/// The name of the system and of the node; from `-vv` on all that the system reports about itself.
pub(super) fn machine(verbose: u32) -> String {
    let uname = rustix::system::uname();
    let all = [uname.sysname(), uname.nodename(), uname.release(), uname.version(), uname.machine()];
    let shown = if verbose >= 2 { all.len() } else { 2 };
    let words: Vec<_> = all[..shown].iter().map(|part| part.to_string_lossy()).collect();
    words.join(" ")
}

/// A date in the form of C's `ctime`.
pub(super) fn date() -> String {
    Zoned::now().strftime("%a %b %e %H:%M:%S %Y").to_string()
}

/// The warnings before the first test, each once.
pub(super) fn before_tests<'a>(warnings: impl Iterator<Item = &'a String>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    warnings.for_each(|warning| {
        if !distinct.contains(&warning.as_str()) {
            distinct.push(warning);
        }
    });
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("WARNING: {line}\n") };
    distinct.into_iter().flat_map(|warning| warning.split('\n').map(line)).collect()
}

/// The message for an event; empty if it has none.
pub(super) fn message(event: &IorEvent<'_>, shown: &ShownTest, edition: Edition) -> String {
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
#[path = "../../../tests/common/masked.rs"]
mod masked;

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
