//! The table of stretches that verdicts looked at besides whole phases.
//!
//! Invariant: numbers are those of the verdicts, never computed again.
//! Never here: which stretch to look at.

use results::{Stretch, StretchKind, Verdict};

use super::words::quantity_cell;
use super::{Cell, Table};

/// Each stretch of each repetition once; `None` where no verdict looked at any.
pub(super) fn table(verdicts: &[&Verdict]) -> Option<Table> {
    let headings = ["Phase", ">Repetition", "Stretch", ">From", ">Length", ">Rate", ">Times the mean"];
    let mut table = Table::new("Stretches looked at besides whole phases", &headings);
    table.note = "From the common start of the phase, in whole intervals of its timeline. Worst: no other \
                  stretch of that length was slower. Steady: measured after the rate had become steady. \
                  Common: all parts of the group were at work."
        .into();
    for stretch in verdicts.iter().flat_map(|verdict| &verdict.stretches) {
        let row = row(stretch);
        if !table.rows.contains(&row) {
            table.row(row);
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

fn row(stretch: &Stretch) -> Vec<Cell> {
    let kind = match stretch.kind {
        StretchKind::Worst => "worst",
        StretchKind::Steady => "steady",
        StretchKind::Common => "common",
    };
    vec![
        Cell::literal(&stretch.phase),
        Cell::new(stretch.repetition.to_string()),
        Cell::new(kind),
        Cell::new(units::duration(stretch.from_s)),
        Cell::new(units::duration(stretch.seconds)),
        quantity_cell(stretch.rate, &stretch.unit),
        Cell::new(format!("{:.2}", stretch.share)),
    ]
}
