//! The table of states that a file system or its directories were brought to.
//!
//! Never here: whether that was enough; verdicts say so.

use results::Record;
use results::folder::Job;
use results::record::{ReachedState, StateExtents};

use super::words::{NONE, count_cell, share};
use super::{Cell, Table};

/// The kind of state that is one of the whole file system.
const AGE: &str = "age";

/// What was asked for and what was reached, for each state that the jobs recorded.
pub(super) fn table(jobs: &[&Job]) -> Option<Table> {
    let headings = ["State", ">Repetition", "What", ">Asked", ">Before", ">Reached"];
    let mut table = Table::new("State reached", &headings);
    let mut aged = false;
    for job in jobs {
        for record in &job.records {
            let Record::State(state) = record else { continue };
            aged |= state.kind == AGE;
            for (what, numbers) in rows(state) {
                let name = [Cell::new(&state.kind), Cell::new(job.info.repetition.to_string())];
                table.row(name.into_iter().chain([Cell::new(what)]).chain(numbers));
            }
        }
    }
    if aged {
        table.note =
            "Shares are of the whole file system, with what others hold there. Files in several pieces \
                      before are those after the first fill."
                .into();
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Each with what was asked, before and reached.
fn rows(state: &ReachedState) -> Vec<(&'static str, [Cell; 3])> {
    let none = || Cell::new(NONE);
    let of = |fraction: f64| Cell::new(share(fraction));
    let inodes = |fraction: f64| if state.fs_inodes > 0 { of(fraction) } else { none() };
    let asked = |fraction: Option<f64>| fraction.map_or_else(none, of);
    let left = |number: u64| [none(), none(), count_cell(number)];
    let mut rows = vec![("Files", left(state.files)), ("Directories", left(state.directories))];
    if state.kind != AGE {
        return rows;
    }
    let turnovers = |number: f64| Cell::new(format!("{number:.2}"));
    let pieces = |extents: &Option<StateExtents>| {
        let counted = extents.as_ref().filter(|extents| extents.files > 0);
        counted.map_or_else(none, |extents| of(extents.fragmented as f64 / extents.files as f64))
    };
    rows.extend([
        ("Blocks in use", [asked(state.blocks_target), of(state.blocks_before), of(state.blocks)]),
        ("Inodes in use", [asked(state.inodes_target), inodes(state.inodes_before), inodes(state.inodes)]),
        ("Turnovers", [turnovers(state.turnovers_target), none(), turnovers(state.turnovers)]),
        ("Files in several pieces", [none(), pieces(&state.extents_first), pieces(&state.extents)]),
    ]);
    rows
}
