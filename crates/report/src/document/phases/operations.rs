//! Tables of phases of metadata operations.
//!
//! Never here: tables that transfers have too.

use results::record::is_kind;
use results::record::{Counts, Failed};

use super::super::words::{bytes_cell, count_cell, known_cell, or_none, seconds_cell, yes_no};
use super::super::{Cell, Table, Tone};
use super::RepetitionPhase;
use super::{counting, each, name};

pub(super) fn rates(measured: &[RepetitionPhase]) -> Table {
    let headings = ">rate | >Operations | >Failed | >Bytes | >Work | >Total";
    each("Operations measured", headings, measured, |one| {
        let phase = counting(one, Counts::Operations)?;
        let failed = phase.failed.as_ref().map_or(0, |failed| failed.operations);
        let tone = if failed == 0 { Tone::Plain } else { Tone::Fail };
        Some(vec![
            known_cell(phase.metric("rate").map(|metric| metric.value), "/s"),
            count_cell(phase.ops),
            count_cell(failed).toned(tone),
            bytes_cell(phase.bytes),
            seconds_cell(phase.spans.transfer_s),
            seconds_cell(phase.spans.total_s),
        ])
    })
}

pub(super) fn windows(measured: &[RepetitionPhase]) -> Table {
    let mut table = each("All ranks active", ">Operations | >Time | First rank to end", measured, |one| {
        let window = one.phase.window?;
        Some(vec![
            count_cell(window.ops),
            seconds_cell(window.seconds),
            Cell::new(format!("rank {}", window.first_rank)),
        ])
    });
    table.note =
        "From the common start until the first rank ended its work. The metric rate is that of this time."
            .into();
    table
}

pub(super) fn conditions(measured: &[RepetitionPhase]) -> Table {
    let headings =
        "Backend | >Ranks | Directories | >Bytes per file | Flushed to storage | Page cache bypassed | Path";
    each("Conditions of operations", headings, measured, |one| {
        let phase = counting(one, Counts::Operations)?;
        Some(vec![
            Cell::new(or_none(&phase.backend)),
            Cell::new(phase.ranks.to_string()),
            Cell::new(if phase.file_per_rank { "one per rank" } else { "shared" }),
            bytes_cell(phase.transfer_bytes),
            yes_no(phase.persisted),
            yes_no(phase.direct),
            Cell::literal(or_none(&phase.path)),
        ])
    })
}

pub(super) fn reasons(measured: &[RepetitionPhase]) -> Table {
    let mut table = Table::new("Failed operations by reason", "Phase | Repetition | Reason | >Count");
    for (one, failed) in failed(measured) {
        for (reason, count) in failed.counted() {
            table.row(name(one).into_iter().chain([Cell::new(reason), count_cell(count)]));
        }
    }
    table
}

pub(super) fn failures(measured: &[RepetitionPhase]) -> Table {
    let headings = "Phase | Repetition | >Rank | Call | Path | Reason";
    let mut table = Table::new("Failed operations by path", headings);
    let mut unlisted = 0;
    for (one, failed) in failed(measured) {
        unlisted += failed.operations.saturating_sub(failed.first.len() as u64);
        for first in &failed.first {
            let cells = [
                Cell::new(first.rank.to_string()),
                Cell::new(&first.operation),
                Cell::literal(&first.path),
                Cell::new(&first.why),
            ];
            table.row(name(one).into_iter().chain(cells));
        }
    }
    if unlisted > 0 {
        table.note = format!("{unlisted} more failed operations are counted but not listed.");
    }
    table
}

/// The phases with failures, without those whose failures another phase has, too.
fn failed<'m>(
    measured: &'m [RepetitionPhase<'m>],
) -> impl Iterator<Item = (&'m RepetitionPhase<'m>, &'m Failed)> {
    let own = measured.iter().filter(|one| !is_kind(&one.phase.phase));
    own.filter_map(|one| Some((one, one.phase.failed.as_ref()?)))
}
