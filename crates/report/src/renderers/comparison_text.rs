//! A comparison for a terminal.
//!
//! Invariant: no line is longer than the width, unless a single word or a row of numbers is longer. No
//! control character of a path or message reaches the terminal.
//! Never here: numbers that the document does not hold.

use units::characters;

use super::text::{Text, clean};
use crate::document::{CampaignLine, Cell, ComparisonDocument, ConclusionLine, RowLine, Table};

/// The columns between two columns of the table.
const GAP: &str = "  ";
/// The most columns of the first column. A longer name has its own line.
const NAME_MAX: usize = 34;

/// A row of the table, with its conclusion toned after the padding.
struct TextRow {
    fields: [String; 5],
    conclusion: Cell,
    below: Vec<String>,
}

impl Text {
    pub(crate) fn comparison(&self, document: &ComparisonDocument) -> String {
        let mut out = format!("{}\n\n", document.title);
        document.campaigns.iter().enumerate().for_each(|(at, one)| self.campaign(&mut out, one, at == 0));
        self.ratio_rows(&mut out, document);
        out.push('\n');
        document.result.iter().for_each(|sentence| self.wrapped(&mut out, "", sentence));
        self.verdicts(&mut out, &document.verdicts);
        out.push_str("\nWhat differs\n");
        document.differences.iter().for_each(|table| self.differences(&mut out, table));
        out.push('\n');
        document.method.iter().for_each(|sentence| self.wrapped(&mut out, "", sentence));
        out
    }

    fn campaign(&self, out: &mut String, one: &CampaignLine, is_baseline: bool) {
        let role = if is_baseline { " (baseline)" } else { "" };
        out.push_str(&format!("{}{role}: {}\n", one.letter, clean(&one.name.text)));
        self.wrapped(out, "   ", &one.evidence);
        let about = format!("{} ({}), started {}, {}", one.title, one.plan.text, one.started, one.tool);
        self.wrapped(out, "   ", &about);
        out.push_str("   Result: ");
        out.push_str(&self.toned(one.overall.tone, &one.overall.text));
        out.push_str(&format!("\n   Evidence hash: {}\n\n", clean(&one.hash.text)));
    }

    fn ratio_rows(&self, out: &mut String, document: &ComparisonDocument) {
        let several = document.campaigns.len() > 2;
        let rows: Vec<TextRow> = document.rows.iter().flat_map(|row| text_rows(row, several)).collect();
        if rows.is_empty() {
            return;
        }
        let other = if several { "other" } else { "B" };
        let headings = ["test and metric", "A", other, "ratio to A", "interval"].map(str::to_owned);
        let mut widths = headings.each_ref().map(|heading| characters(heading));
        for row in &rows {
            for (at, field) in row.fields.iter().enumerate() {
                let own = characters(field);
                widths[at] = widths[at].max(if at == 0 { own.min(NAME_MAX) } else { own });
            }
        }
        out.push_str(&format!("{}{GAP}conclusion\n", padded(&headings, &widths)));
        for row in &rows {
            let mut fields = row.fields.clone();
            if characters(&fields[0]) > NAME_MAX {
                out.push_str(&format!("{}\n", fields[0]));
                fields[0] = String::new();
            }
            let conclusion = self.toned(row.conclusion.tone, &row.conclusion.text);
            out.push_str(&format!("{}{GAP}{conclusion}\n", padded(&fields, &widths)));
            row.below.iter().for_each(|sentence| self.wrapped(out, "    ", sentence));
        }
    }

    fn verdicts(&self, out: &mut String, table: &Table) {
        let changed = table.rows.iter().filter(|row| row.last().is_some_and(|cell| cell.text == "changed"));
        let changed: Vec<&Vec<Cell>> = changed.collect();
        if changed.is_empty() {
            return;
        }
        out.push_str("\nVerdicts that differ\n");
        for row in changed {
            let letters = &table.columns[3..row.len() - 1];
            let verdicts =
                letters.iter().zip(&row[3..]).map(|(letter, one)| format!("{} {}", letter.title, one.text));
            let verdicts = verdicts.collect::<Vec<_>>().join("; ");
            let text = format!("{}, {} {}: {verdicts}", row[0].text, row[1].text, row[2].text);
            self.wrapped(out, "  ", &text);
        }
    }

    fn differences(&self, out: &mut String, table: &Table) {
        out.push_str(&format!("  {}\n", table.title));
        for row in &table.rows {
            let about = if row[1].text == "–" { String::new() } else { format!(" of {}", row[1].text) };
            let values = table.columns[2..].iter().zip(&row[2..]);
            let values = values.map(|(letter, value)| format!("{}: {}", letter.title, value.text));
            let values = values.collect::<Vec<_>>().join("; ");
            self.wrapped(out, "    ", &format!("{}{about}. {values}", row[0].text));
        }
        if !table.note.is_empty() {
            self.wrapped(out, "    ", &table.note);
        }
    }
}

fn text_rows(row: &RowLine, several: bool) -> Vec<TextRow> {
    let value = |at: usize| match row.counts[at].as_str() {
        "" => row.values[at].text.clone(),
        count => format!("{} ({count})", row.values[at].text),
    };
    let text_row = |(at, one): (usize, &ConclusionLine)| {
        let other = value(at + 1);
        let name = format!("{} {}", clean(&row.test), clean(&row.metric));
        let other = if several { format!("{}: {other}", one.letter) } else { other };
        let caution = one.caution.iter().cloned();
        let reason = one.needs_reason.then(|| one.reason.clone());
        TextRow {
            fields: [name, value(0), other, one.ratio.clone(), one.interval.clone()],
            conclusion: one.conclusion.clone(),
            below: caution.chain(reason).collect(),
        }
    };
    row.against.iter().enumerate().map(text_row).collect()
}

/// The fields with the widths of their columns.
fn padded(fields: &[String; 5], widths: &[usize; 5]) -> String {
    let padded = fields
        .iter()
        .zip(widths)
        .map(|(field, width)| format!("{field}{}", " ".repeat(width.saturating_sub(characters(field)))));
    padded.collect::<Vec<_>>().join(GAP)
}
