//! The signed part of the report for a terminal: clauses with their verdicts, warnings, waivers, evidence.
//!
//! Invariant: no line is longer than the width, unless a single word is longer. No control character of a
//! path or message reaches the terminal. Without colour no information is lost.
//! Never here: the appendix and lines for signatures; only the page has them.

use std::fmt::Write;

use units::{characters, wrap};

use crate::document::words::test_and_clause;
use crate::document::{
    ApprovedWaiver, Clause, ContractHead, Document, Fact, OverallResult, RankedWarning, SignedPart, Tone,
};
use crate::sentences::campaign::{NO_WAIVER, NO_WARNING};

pub(crate) struct Text {
    width: usize,
    emphasis: Emphasis,
}

/// How verdicts differ from other text on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emphasis {
    /// Not at all, without ANSI sequences.
    None,
    /// They are bold.
    Bold,
    /// They are bold and have colours.
    Colour,
}

/// Columns between two columns of the table.
const GAP: usize = 2;
/// The minimum width of the clause column. With less space, each clause is on lines of its own.
const CLAUSE_MIN: usize = 24;
/// Indentation of the lines below a clause.
const INDENT: &str = "    ";

/// The widths of the table's columns. The first column takes the remaining width.
struct Columns {
    clause: usize,
    criterion: usize,
    value: usize,
    margin: usize,
    /// The columns before a criterion of a clause of the contract.
    indent: usize,
}

impl Text {
    /// For a terminal with this number of columns, at least 40.
    pub(crate) fn new(width: usize, emphasis: Emphasis) -> Self {
        Self { width: width.max(40), emphasis }
    }

    /// The whole text. It has the order of the page, and the result also at its end.
    pub(crate) fn string(&self, document: &Document) -> String {
        let mut out = String::new();
        self.wrapped(&mut out, "", &document.title);
        out.push('\n');
        self.result(&mut out, document);
        out.push('\n');
        if !document.clauses.is_empty() {
            self.table(&mut out, &document.clauses);
            out.push('\n');
        }
        for line in &document.summary_lines {
            self.wrapped(&mut out, "", line);
        }
        if !document.summary_lines.is_empty() {
            out.push('\n');
        }
        self.signed(&mut out, &document.signed);
        self.wrapped(&mut out, "Machine: ", &document.machine);
        self.result(&mut out, document);
        out
    }

    fn result(&self, out: &mut String, document: &Document) {
        let OverallResult { word, tone, sentence } = &document.overall;
        let start = out.len();
        self.wrapped(out, "", &format!("{word}: {sentence}"));
        out.replace_range(start..start + word.len(), &self.toned(*tone, word));
    }

    /// The warnings, the waivers, the course of the campaign and the proof of its evidence.
    fn signed(&self, out: &mut String, signed: &SignedPart) {
        out.push_str("Most severe warnings\n");
        for (number, warning) in (1..).zip(&signed.warnings.shown) {
            let RankedWarning { label, code, text, often, places, .. } = warning;
            let places: Vec<&str> = places.iter().map(|place| place.text.as_str()).collect();
            let places = if places.is_empty() { String::new() } else { format!(": {}", places.join(", ")) };
            let line = format!("{label}: {text} ({code}, {often}{places})");
            self.wrapped(out, &format!("  {number}. "), &line);
        }
        let without = if signed.warnings.shown.is_empty() { NO_WARNING } else { &signed.warnings.more };
        self.wrapped(out, "  ", without);
        out.push_str("\nWaivers\n");
        for ApprovedWaiver { code, tests, approved_by, why, .. } in &signed.waivers {
            self.wrapped(out, "  ", &format!("{code} ({tests}), approved by {approved_by}: {why}"));
        }
        if signed.waivers.is_empty() {
            self.wrapped(out, "  ", NO_WAIVER);
        }
        for (heading, facts) in [("Course of the campaign", &signed.course), ("Evidence", &signed.proof)] {
            let _ = writeln!(out, "\n{heading}");
            for Fact { label, value } in facts {
                self.wrapped(out, "  ", &format!("{label}: {}", value.text));
            }
        }
        out.push('\n');
    }

    fn table(&self, out: &mut String, clauses: &[Clause]) {
        let widest = |heading: &str, pick: &dyn Fn(&Clause) -> usize| {
            clauses.iter().map(pick).max().unwrap_or(0).max(heading.len())
        };
        let value = widest("value", &|clause| characters(&clause.value.text));
        let margin = widest("margin", &|clause| characters(&clause.margin.text));
        let verdict = widest("verdict", &|clause| characters(&clause.verdict));
        // A criterion may wrap to leave space for the clauses, but its longest word must fit.
        let word = |clause: &Clause| criterion_of(clause).split(' ').map(characters).max().unwrap_or(0);
        let room = self.width.saturating_sub(value + margin + verdict + 4 * GAP + CLAUSE_MIN);
        let criterion = widest("criterion", &|clause| characters(&criterion_of(clause)))
            .min(room.min(self.width / 3).max(widest("criterion", &word)));
        let rest = self.width.saturating_sub(criterion + value + margin + verdict + 4 * GAP);
        let indent = if clauses.iter().any(|clause| clause.contract.is_some()) { GAP } else { 0 };
        let wide = Columns { clause: rest, criterion, value, margin, indent };
        if rest >= CLAUSE_MIN {
            let row = [["clause", "criterion", "value", "margin"].map(String::from)];
            self.rows(out, &row, &wide, "verdict");
        }
        let shown: Vec<String> = clauses.iter().map(|clause| self.clause(clause, &wide)).collect();
        let is_spaced = shown.iter().any(|clause| clause.lines().count() > 1);
        out.push_str(&shown.join(if is_spaced { "\n" } else { "" }));
    }

    /// One clause with the lines below it.
    fn clause(&self, clause: &Clause, columns: &Columns) -> String {
        let mut out = String::new();
        if let Some(head) = &clause.contract {
            self.head(&mut out, head, columns);
        }
        if !clause.has_criterion {
            return out;
        }
        if columns.clause >= CLAUSE_MIN {
            self.wide(&mut out, clause, columns);
        } else {
            self.narrow(&mut out, clause);
        }
        if clause.tone != Tone::Pass && !clause.reason.is_empty() {
            self.wrapped(&mut out, INDENT, &clause.reason);
        }
        out
    }

    /// A clause of the contract, above its criteria.
    fn head(&self, out: &mut String, head: &ContractHead, columns: &Columns) {
        let ContractHead { id, words, source, verdict, tone, reason } = head;
        let source = if source.is_empty() { String::new() } else { format!(" ({source})") };
        let text = clean(&format!("{id}: {words}{source}"));
        if columns.clause >= CLAUSE_MIN {
            let Columns { clause, criterion, value, margin, .. } = *columns;
            let wide = clause + criterion + value + margin + 3 * GAP;
            for (at, line) in wrap(&text, wide, wide, characters).iter().enumerate() {
                let last = if at == 0 { self.toned(*tone, verdict) } else { String::new() };
                out.push_str(format!("{line:wide$}  {last}").trim_end());
                out.push('\n');
            }
        } else {
            let start = out.len();
            self.wrapped(out, "", &format!("{verdict}: {text}"));
            out.replace_range(start..start + verdict.len(), &self.toned(*tone, verdict));
        }
        if !reason.is_empty() {
            self.wrapped(out, INDENT, reason);
        }
    }

    /// One clause as a row of the table. Its text and its criterion wrap in their columns.
    fn wide(&self, out: &mut String, clause: &Clause, columns: &Columns) {
        let indent = " ".repeat(columns.indent);
        let words =
            wrapped_in(&test_and_clause(&clause.test.text, &clause.words), columns.clause - columns.indent);
        let words: Vec<String> = words.iter().map(|line| format!("{indent}{line}")).collect();
        let criterion = wrapped_in(&criterion_of(clause), columns.criterion);
        let line = |lines: &[String], at: usize| lines.get(at).cloned().unwrap_or_default();
        let rows: Vec<[String; 4]> = (0..words.len().max(criterion.len()).max(1))
            .map(|at| {
                let first = |text: &str| if at == 0 { clean(text) } else { String::new() };
                [
                    line(&words, at),
                    line(&criterion, at),
                    first(&clause.value.text),
                    first(&clause.margin.text),
                ]
            })
            .collect();
        self.rows(out, &rows, columns, &self.toned(clause.tone, &clause.verdict));
    }

    fn rows(&self, out: &mut String, rows: &[[String; 4]], columns: &Columns, verdict: &str) {
        let Columns { clause, criterion, value, margin, .. } = *columns;
        for (at, [a, b, c, d]) in rows.iter().enumerate() {
            let last = if at == 0 { verdict } else { "" };
            let line = format!("{a:clause$}  {b:criterion$}  {c:>value$}  {d:>margin$}  {last}");
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }

    /// One clause if a table does not fit.
    fn narrow(&self, out: &mut String, clause: &Clause) {
        let start = out.len();
        self.wrapped(
            out,
            "",
            &format!("{}: {}", clause.verdict, test_and_clause(&clause.test.text, &clause.words)),
        );
        out.replace_range(start..start + clause.verdict.len(), &self.toned(clause.tone, &clause.verdict));
        self.wrapped(out, INDENT, &format!("criterion {}", criterion_of(clause)));
        self.wrapped(out, INDENT, &format!("value {}, margin {}", clause.value.text, clause.margin.text));
    }

    /// `text`, wrapped. The first line follows `lead`, and the other lines have the same indentation.
    pub(super) fn wrapped(&self, out: &mut String, lead: &str, text: &str) {
        let indent = characters(lead);
        for (at, line) in wrapped_in(text, self.width.saturating_sub(indent).max(1)).iter().enumerate() {
            match at {
                0 => out.push_str(lead),
                _ => out.push_str(&" ".repeat(indent)),
            }
            out.push_str(line);
            out.push('\n');
        }
    }

    pub(super) fn toned(&self, tone: Tone, word: &str) -> String {
        let code = match tone {
            _ if self.emphasis == Emphasis::None => return word.into(),
            Tone::Plain => return word.into(),
            _ if self.emphasis == Emphasis::Bold => return format!("\x1b[1m{word}\x1b[0m"),
            Tone::Pass => "32",
            Tone::Fail => "31",
            Tone::Inconclusive => "33",
            Tone::Invalid => "35",
            Tone::NotRun => "36",
        };
        format!("\x1b[1;{code}m{word}\x1b[0m")
    }
}

/// Metric and criterion. Two criteria of one test may differ only in the metric.
fn criterion_of(clause: &Clause) -> String {
    format!("{} {}", clause.metric, clause.criterion)
}

/// Lines of at most this number of columns.
fn wrapped_in(text: &str, width: usize) -> Vec<String> {
    wrap(&clean(text), width, width, characters)
}

/// The text in one line, with control characters and invisible characters escaped.
pub(super) fn clean(text: &str) -> String {
    units::visible(&text.replace(['\n', '\t'], " "))
}
