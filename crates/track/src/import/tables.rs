//! The comma-separated outputs of `ior` (`summaryFormat=CSV`) and `mdtest` (`--saveRankPerformanceDetails`).
//!
//! Neither has a date or a command line, so the user gives time and test.

use results::history::EntrySource;
use results::record::{Reported, ReportedPhase};
use units::{KIB, MIB};

use super::ImportError;
use super::json::rates;
use super::outputs::{LoggedRate, LoggedRun, LoggedTest};

/// The begin of each header.
const HEADERS: [(EntrySource, &str); 2] =
    [(EntrySource::Ior, "access,bw(MiB/s),"), (EntrySource::Mdtest, "rank,items,rate-")];

/// The program whose table a text has.
pub fn program(text: &str) -> Option<EntrySource> {
    let found = |line: &str| HEADERS.iter().find(|(_, header)| line.starts_with(header));
    text.lines().find_map(found).map(|(program, _)| *program)
}

/// The run in the table of a program.
pub fn run(program: EntrySource, text: &str) -> Result<LoggedRun, ImportError> {
    let test = if program == EntrySource::Mdtest { mdtest(text)? } else { ior(text)? };
    Ok(LoggedRun { program, time_s: None, tests: vec![test] })
}

/// The number in a column, and its line for an error.
fn number(line: u64, text: Option<&str>) -> Result<f64, ImportError> {
    super::number(text.unwrap_or_default()).map_err(|what| ImportError::at(line, what))
}

/// A second table has no date of its own: it may be of another night, or of the next test of a script.
fn second(line: u64) -> ImportError {
    ImportError::at(line, "a second table begins here. Put each table into its own file.")
}

/// Messages can be between the rows.
fn ior(text: &str) -> Result<LoggedTest, ImportError> {
    let mut test = LoggedTest::default();
    let mut header: Vec<&str> = Vec::new();
    for (line, row) in (1..).zip(text.lines()) {
        let cells: Vec<&str> = row.split(',').collect();
        if row.starts_with(HEADERS[0].1) {
            if !header.is_empty() {
                return Err(second(line));
            }
            header = cells;
            continue;
        }
        if header.is_empty() || !matches!(cells[0], "write" | "read") {
            continue;
        }
        let cell = |name: &str| {
            let place = header.iter().position(|column| *column == name);
            number(line, place.and_then(|place| cells.get(place)).copied())
        };
        let facts = &mut test.reported;
        facts.block_bytes = Some(cell("block(KiB)")? * KIB as f64);
        facts.transfer_bytes = Some(cell("xfer(KiB)")? * KIB as f64);
        facts.tasks = Some(cell("numTasks")? as u64);
        let rate = cell("bw(MiB/s)")? * MIB as f64;
        facts.phases.push(ReportedPhase { phase: cells[0].to_owned(), rate, seconds: 0.0 });
    }
    test.rates = rates(&test.reported.phases);
    Ok(test)
}

/// The rates of the row of all ranks are those of the first iteration, as the program defines them. The rows
/// of single ranks count the ranks.
fn mdtest(text: &str) -> Result<LoggedTest, ImportError> {
    let mut test = LoggedTest::default();
    let mut header: Vec<&str> = Vec::new();
    let Reported { total_items, tasks, .. } = &mut test.reported;
    for (line, row) in (1..).zip(text.lines()) {
        let cells: Vec<&str> = row.split(',').collect();
        match cells[0] {
            "rank" if header.is_empty() => header = cells,
            "rank" => return Err(second(line)),
            "all" if total_items.is_some() => return Err(second(line)),
            "all" => {
                *total_items = Some(number(line, cells.get(1).copied())? as u64);
                for (column, cell) in header.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty()) {
                    let Some(operation) = column.strip_prefix("rate-") else { continue };
                    let metric = format!("{}.rate", operation.to_lowercase().replace(' ', "_"));
                    let values = vec![number(line, Some(cell))?];
                    test.rates.push(LoggedRate { metric, unit: "/s".to_owned(), values });
                }
            }
            rank if total_items.is_some() => {
                let rank = number(line, Some(rank))? as u64;
                *tasks = (*tasks).max(Some(rank.saturating_add(1)));
            }
            _ => {}
        }
    }
    *total_items = total_items.zip(*tasks).map(|(items, tasks)| items.saturating_mul(tasks));
    Ok(test)
}
