//! The report as a value: titles, facts, clauses, tables, plots and links, without layout.
//!
//! Numbers already have their units, plots have the coordinates of their axes, and hashes are shortened. A
//! renderer adds layout and escaping.
//!
//! Invariant: renderers compute nothing. All formats of one document have the same content.
//! Never here: markup, colours, widths, escaping.

mod anchors;
mod answers;
mod appendix;
mod build;
mod campaigns;
mod cases;
mod chart;
pub(crate) mod clauses;
mod comparison;
mod constants;
mod csv;
pub(crate) mod history;
mod jobs;
mod machine;
mod margin;
mod method;
mod phases;
mod plots;
mod served;
mod signed;
mod stragglers;
mod summary;
mod test_section;
mod unit;
mod warnings;

pub(crate) mod words;

pub use answers::{AnswerDocument, AnsweredCampaign, CampaignLimits, answers, answers_csv, places_of_tests};
pub use appendix::Appendix;
pub use build::of;
pub(crate) use campaigns::campaign_index;
pub use campaigns::{IndexEntry, IndexedCampaign};
pub use chart::{
    Axis, ClausePicture, ClauseRow, LegendEntry, LegendKey, LineStyle, MarkShape, MarkStyle, Plot, PlotBand,
    PlotCell, PlotLine, PlotMark, PlotSpan, PlotTick, SpanKind,
};
pub use comparison::{CampaignLine, ComparisonDocument, ConclusionLine, RowLine, comparison};
pub use csv::{comparison_csv, csv};
pub use served::{ListedCampaign, ListedState, ServedDocument, ServedProgress, campaign_list};
pub use signed::SignedPart;
pub use summary::ApprovedWaiver;
pub use warnings::{RankedWarning, RankedWarnings};

use serde::Serialize;

/// A report without its [`Appendix`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Document {
    /// The plan's title.
    pub title: String,
    /// The overall result.
    pub overall: OverallResult,
    /// When, where, with what, how long.
    pub facts: Vec<Fact>,
    /// All clauses with their verdicts, in the plan's order.
    pub clauses: Vec<Clause>,
    /// All clauses on one axis; absent if no value has a ratio to its threshold.
    #[serde(skip)]
    pub picture: Option<ClausePicture>,
    /// Projections and hero runs, one line each. None of them is a clause.
    pub summary_lines: Vec<String>,
    /// What is signed after the clauses.
    pub signed: SignedPart,
    /// The machine and its file systems, in one line.
    pub machine: String,
    /// The distinct remarks of all verdicts, warnings first. The appendix begins with them.
    pub remarks: Vec<Remark>,
}

/// The meaning that a renderer may colour. The word next to it always states the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// A criterion is met, or data is correct.
    Pass,
    /// A criterion is not met, or data is wrong.
    Fail,
    /// The measurements do not decide the criterion.
    Inconclusive,
    /// Measurements that cannot be used.
    Invalid,
    /// Nothing was measured.
    NotRun,
}

/// The overall result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverallResult {
    /// The worst outcome of all clauses.
    pub word: String,
    /// Its tone.
    pub tone: Tone,
    /// The result in one sentence.
    pub sentence: String,
}

/// One cell of a table, or the value of a fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// The text, with the unit.
    pub text: String,
    /// The link target: a file of the campaign folder, already percent-encoded, or `#id` in this report.
    pub link: Option<String>,
    /// The full form of a shortened `text`: a whole hash, an unrounded number.
    pub full: Option<String>,
    /// Its tone.
    pub tone: Tone,
    /// Whether every character matters: a path, a hash, a command.
    pub literal: bool,
}

impl Cell {
    /// A plain cell.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), link: None, full: None, tone: Tone::Plain, literal: false }
    }

    /// A cell in which every character matters.
    pub fn literal(text: impl Into<String>) -> Self {
        Self { literal: true, ..Self::new(text) }
    }

    /// The same cell with a link to `link`.
    pub fn linked(self, link: impl Into<String>) -> Self {
        Self { link: Some(link.into()), ..self }
    }

    /// The same cell with its unshortened form.
    pub fn full(self, full: impl Into<String>) -> Self {
        Self { full: Some(full.into()), ..self }
    }

    /// The same cell with a tone.
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

/// A labelled value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// Its name.
    pub label: String,
    /// Its value.
    pub value: Cell,
}

impl Fact {
    /// A fact with a plain value.
    pub fn new(label: &str, value: impl Into<String>) -> Self {
        Self::of(label, Cell::new(value))
    }

    /// A fact with any cell as its value.
    pub fn of(label: &str, value: Cell) -> Self {
        Self { label: label.into(), value }
    }
}

/// A clause of the contract with its verdict over all of its criteria.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContractHead {
    /// Its id in the contract.
    pub id: String,
    /// The requirement text.
    pub words: String,
    /// Its place in the contract; may be empty.
    pub source: String,
    /// The outcome.
    pub verdict: String,
    /// Its tone.
    pub tone: Tone,
    /// Why, if no criterion belongs to it; else empty, because its criteria have their reasons.
    pub reason: String,
}

/// One criterion with its verdict. It is a clause of its own, unless it belongs to a clause of the contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clause {
    /// The clause of the contract that begins with this criterion.
    pub contract: Option<ContractHead>,
    /// Whether it has a criterion. A clause of the contract can have none.
    pub has_criterion: bool,
    /// The test's id, with a link to its section.
    pub test: Cell,
    /// The requirement text, or the name of a criterion of a clause of the contract.
    pub words: String,
    /// The metric of the criterion. A column of criteria needs it.
    pub metric: String,
    /// The criterion as written, without the metric.
    pub criterion: String,
    /// The measured value, with its unit.
    pub value: Cell,
    /// How the value was obtained: the statistic, its repetitions, their variability and the limit.
    pub basis: String,
    /// The comparison with the threshold, in the same unit.
    pub threshold: String,
    /// The distance of the value from the threshold, positive if the threshold is met, or a dash.
    pub margin: Cell,
    /// Coefficient of variation, or a dash.
    pub cov: String,
    /// The outcome.
    pub verdict: String,
    /// Its tone.
    pub tone: Tone,
    /// The reason in sentences.
    pub reason: String,
    /// Statistics over the repetitions; empty if nothing was measured.
    pub statistics: Vec<Fact>,
    /// Warnings and notes.
    pub remarks: Vec<Remark>,
    /// The jobs that the verdict is based on.
    pub jobs: Vec<Cell>,
}

/// A warning or note about measurements, with the tests that it is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remark {
    /// Whether it is a warning or a note.
    pub kind: RemarkKind,
    /// The sentence.
    pub text: String,
    /// The tests; empty in the clause or the section of a single test.
    pub tests: Vec<Cell>,
}

impl Remark {
    /// A remark in a place that already names its test.
    pub(crate) fn new(kind: RemarkKind, text: String) -> Self {
        Self { kind, text, tests: Vec::new() }
    }
}

/// The kind of a remark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemarkKind {
    /// It speaks against the measurement.
    Warning,
    /// It explains how the measurement was made.
    Note,
}

/// A section of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// A link name that is unique in the document.
    pub id: String,
    /// The heading.
    pub title: String,
    /// What the closed section shows next to its heading: its outcomes; may be empty.
    pub outcomes: Vec<Cell>,
    /// The content, in reading order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section that shows nothing next to its heading.
    fn new(id: &str, title: &str, blocks: Vec<Block>) -> Self {
        Self { id: id.into(), title: title.into(), outcomes: vec![], blocks }
    }
}

/// One piece of a section.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", content = "content", rename_all = "snake_case")]
pub enum Block {
    /// Running text.
    Paragraph(String),
    /// Labelled values.
    Facts(Vec<Fact>),
    /// A table.
    Table(Table),
    /// The clauses that this section is about, in short.
    Clauses(Vec<Clause>),
    /// Plots that are shown side by side.
    #[serde(skip)]
    Plots(Vec<Plot>),
    /// Warnings and notes, one sentence each.
    Remarks(Vec<Remark>),
    /// References to the jobs of a section, which the section of all jobs describes.
    References(Vec<Cell>),
    /// One job.
    Job(Box<JobBlock>),
}

/// One job: its command line, its end, its files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobBlock {
    /// A link name that is unique in the document.
    pub id: String,
    /// The heading.
    pub title: String,
    /// How it ended.
    pub end: Cell,
    /// Its duration, with the unit.
    pub duration: String,
    /// The exact command line, quoted for a shell.
    pub command: String,
    /// Where and how it ran.
    pub facts: Vec<Fact>,
    /// Its files, each with its hash. A fact has the label, the link and the full hash.
    pub files: Vec<Fact>,
    /// Its failures, verbatim.
    pub failures: Vec<String>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Its caption.
    pub title: String,
    /// What is the same in all rows. It is shown once above the table.
    pub constants: Vec<Fact>,
    /// A sentence below the table; may be empty.
    pub note: String,
    /// Its columns.
    pub columns: Vec<TableColumn>,
    /// Its rows. Each row has as many cells as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableColumn {
    /// Its heading.
    pub title: String,
    /// Whether it holds numbers, which are right-aligned.
    pub numeric: bool,
    /// Whether it holds sentences, which may wrap.
    pub prose: bool,
}

impl Table {
    /// An empty table. ` | ` separates the headings. A heading starts with `>` for a column of numbers and
    /// with `~` for a column of sentences.
    pub fn new(title: &str, headings: &str) -> Self {
        let column = |heading: &str| {
            let [numeric, prose] = ['>', '~'].map(|mark| heading.starts_with(mark));
            TableColumn { title: heading.trim_start_matches(['>', '~']).into(), numeric, prose }
        };
        Self {
            title: title.into(),
            constants: vec![],
            note: String::new(),
            columns: headings.split(" | ").map(column).collect(),
            rows: vec![],
        }
    }

    /// A table with these rows, like [`Table::new`] and [`Table::row`].
    pub(crate) fn with_rows<R: IntoIterator<Item = Cell>>(
        title: &str,
        headings: &str,
        rows: impl IntoIterator<Item = R>,
    ) -> Self {
        let mut table = Self::new(title, headings);
        rows.into_iter().for_each(|row| table.row(row));
        table
    }

    /// The same table with a sentence below it.
    pub(crate) fn noted(self, note: impl Into<String>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// The table, unless it has no rows.
    pub(crate) fn unless_empty(self) -> Option<Self> {
        Some(self).filter(|table| !table.rows.is_empty())
    }

    /// Adds a row. It panics if the row does not have one cell per column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "a row of `{}`", self.title);
        self.rows.push(row);
    }
}
