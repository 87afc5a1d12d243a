//! Columns of tables, facts of jobs and long notes that are always the same are shown once.
//!
//! Invariant: nothing is lost. A column that is removed is a fact above its table, unless it is empty. A note
//! that is removed names the section that has it.
//! Never here: renderers, and tables of the signed part.

use std::collections::BTreeMap;

use super::{Block, Fact, JobBlock, Section, Table};

/// The shortest note that a reference replaces, bytes.
const LONG: usize = 80;

/// Removes the constant columns of the tables of a section, and shows them above each table.
pub(super) fn fold(section: &mut Section) {
    for block in &mut section.blocks {
        if let Block::Table(table) = block {
            fold_table(table);
        }
    }
}

/// The long notes of earlier sections, each with the heading of its first section.
#[derive(Default)]
pub(super) struct SharedNotes(BTreeMap<String, String>);

impl SharedNotes {
    /// Replaces notes that an earlier section has by a reference to it.
    pub(super) fn share(&mut self, section: &mut Section) {
        let mut own = Vec::new();
        let notes = section.blocks.iter_mut().flat_map(|block| match block {
            Block::Plots(plots) => plots.iter_mut().map(|plot| &mut plot.note).collect(),
            Block::Table(table) => vec![&mut table.note],
            _ => Vec::new(),
        });
        for note in notes.filter(|note| note.len() >= LONG) {
            match self.0.get(note) {
                Some(title) => *note = format!("The note in {title} applies here."),
                None => own.push(note.clone()),
            }
        }
        self.0.extend(own.into_iter().map(|note| (note, section.title.clone())));
    }
}

/// Removes the constant columns of a table, and makes facts of them.
pub(super) fn fold_table(table: &mut Table) {
    let [first, others @ ..] = &table.rows[..] else { return };
    if others.is_empty() {
        return;
    }
    let mut is_constant: Vec<bool> =
        (0..table.columns.len()).map(|at| others.iter().all(|row| row[at] == first[at])).collect();
    // Rows without any column would be invisible.
    if is_constant.iter().all(|constant| *constant) {
        is_constant[0] = false;
    }
    let constants = table.columns.iter().zip(first).zip(&is_constant).filter(|(_, constant)| **constant);
    let facts: Vec<Fact> =
        constants.map(|((column, cell), _)| Fact::of(&column.title, cell.clone())).collect();
    table.constants = facts.into_iter().filter(|fact| !fact.value.text.is_empty()).collect();
    keep(&mut table.columns, &is_constant);
    table.rows.iter_mut().for_each(|row| keep(row, &is_constant));
}

/// Keeps the elements that are not constant.
fn keep<T>(all: &mut Vec<T>, is_constant: &[bool]) {
    let mut constants = is_constant.iter();
    all.retain(|_| !constants.next().copied().unwrap_or(false));
}

/// Removes the facts that all jobs have, and returns them. A single job keeps its facts.
pub(super) fn of_all_jobs(jobs: &mut [JobBlock]) -> Vec<Fact> {
    let [first, others @ ..] = &*jobs else { return Vec::new() };
    if others.is_empty() {
        return Vec::new();
    }
    let is_common = |fact: &&Fact| others.iter().all(|job| job.facts.contains(fact));
    let common: Vec<Fact> = first.facts.iter().filter(is_common).cloned().collect();
    for job in jobs {
        job.facts.retain(|fact| !common.contains(fact));
    }
    common
}

#[cfg(test)]
mod tests {
    use super::super::Cell;
    use super::*;

    fn table(rows: &[[&str; 4]]) -> Table {
        let mut table = Table::new("t", "A | >B | C | D");
        rows.iter().for_each(|row| table.row(row.map(Cell::new)));
        table
    }

    #[test]
    fn a_constant_column_becomes_a_fact_above_the_table_and_an_empty_one_is_left_out() {
        let mut folded = table(&[["w", "1", "", "x"], ["w", "2", "", "y"]]);
        fold_table(&mut folded);
        assert_eq!(folded.constants, [Fact::new("A", "w")]);
        let titles: Vec<&str> = folded.columns.iter().map(|column| column.title.as_str()).collect();
        assert_eq!(titles, ["B", "D"]);
        assert!(folded.columns[0].numeric && !folded.columns[1].numeric);
        assert_eq!(folded.rows, [["1", "x"], ["2", "y"]].map(|row| row.map(Cell::new).to_vec()));
    }

    #[test]
    fn a_long_note_is_in_the_first_section_that_has_it_and_others_name_this_section() {
        let long = "How to read it: ".repeat(6);
        let noted = |note: &str| Block::Table(Table { note: note.into(), ..table(&[]) });
        let section = |id: &str, notes: [&str; 2]| Section {
            id: id.into(),
            title: format!("Test {id}"),
            outcomes: vec![],
            blocks: notes.map(noted).into(),
        };
        let mut all =
            [section("A", [&long, &long]), section("B", ["short", &long]), section("C", ["short", &long])];
        let mut notes = SharedNotes::default();
        all.iter_mut().for_each(|section| notes.share(section));
        let expected = [
            section("A", [&long, &long]),
            section("B", ["short", "The note in Test A applies here."]),
            section("C", ["short", "The note in Test A applies here."]),
        ];
        assert_eq!(all, expected);
    }

    #[test]
    fn a_table_of_one_row_and_equal_rows_stay_visible() {
        let mut one = table(&[["w", "1", "", "x"]]);
        fold_table(&mut one);
        assert_eq!(one, table(&[["w", "1", "", "x"]]));
        let mut equal = table(&[["w", "1", "", "x"], ["w", "1", "", "x"]]);
        fold_table(&mut equal);
        assert_eq!(equal.rows, [[Cell::new("w")], [Cell::new("w")]]);
        assert_eq!(equal.constants, [Fact::new("B", "1"), Fact::new("D", "x")]);
    }
}
