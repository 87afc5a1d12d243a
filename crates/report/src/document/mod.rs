//! The report as a value: titles, facts, clauses, tables, plots and links, without any look.
//!
//! Every number is already written with its unit, every plot already in the coordinates of its axes,
//! every hash already shortened. What a renderer adds is layout and escaping.
//!
//! Invariant: renderers compute nothing; all formats made of one document say the same.
//! Never here: markup, colours, widths, escaping.

mod build;
mod cases;
mod clauses;
mod csv;
mod jobs;
mod machine;
mod method;
mod phases;
mod plots;
mod stragglers;
mod summary;
mod test_section;

pub(crate) mod words;

pub use build::of;
pub use csv::csv;

use serde::Serialize;

/// A whole report.
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
    /// What was projected and what hero runs show, a line each; none of it is a clause.
    pub beside: Vec<String>,
    /// The distinct remarks of all verdicts, warnings first.
    pub remarks: Vec<Remark>,
    /// The machine and its file systems in one line.
    pub machine: String,
    /// Everything else, in reading order.
    pub sections: Vec<Section>,
}

/// How something is meant, for a renderer to colour; the word beside it always says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// A criterion met, data correct.
    Pass,
    /// A criterion missed, data wrong.
    Fail,
    /// Not to be decided from these measurements.
    Inconclusive,
    /// Measurements that may not be used.
    Invalid,
    /// Nothing measured.
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

/// One entry of a table, or the value of a fact.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cell {
    /// What it says, with the unit.
    pub text: String,
    /// Where it leads: a file of the campaign's folder, already percent-encoded, or `#id` in this report.
    pub link: Option<String>,
    /// The same in full where `text` is shortened: a whole hash, an unrounded number.
    pub full: Option<String>,
    /// How it is meant.
    pub tone: Tone,
    /// Whether it is to be read letter by letter: a path, a hash, a command.
    pub literal: bool,
}

impl Cell {
    /// A plain cell.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), link: None, full: None, tone: Tone::Plain, literal: false }
    }

    /// A cell to be read letter by letter.
    pub fn literal(text: impl Into<String>) -> Self {
        Self { literal: true, ..Self::new(text) }
    }

    /// The same, leading to `link`.
    pub fn linked(self, link: impl Into<String>) -> Self {
        Self { link: Some(link.into()), ..self }
    }

    /// The same, with the unshortened form.
    pub fn full(self, full: impl Into<String>) -> Self {
        Self { full: Some(full.into()), ..self }
    }

    /// The same, with a tone.
    pub fn toned(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }
}

/// A labelled value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fact {
    /// What it is.
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

/// One clause of the contract with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Clause {
    /// The test's id, leading to its section.
    pub test: Cell,
    /// The clause in the contract's words.
    pub words: String,
    /// The metric judged; what is beside it in a column says nothing without it.
    pub metric: String,
    /// The criterion as written, without the metric.
    pub criterion: String,
    /// The measured value with its unit.
    pub value: Cell,
    /// Coefficient of variation, or a dash.
    pub cov: String,
    /// The verdict's word.
    pub verdict: String,
    /// Its tone.
    pub tone: Tone,
    /// Why, in one sentence.
    pub reason: String,
    /// Statistics over the repetitions; empty where nothing was measured.
    pub statistics: Vec<Fact>,
    /// What is to be known besides.
    pub remarks: Vec<Remark>,
    /// The jobs the verdict rests on.
    pub jobs: Vec<Cell>,
}

/// What is to be known of measurements, and the tests to which they belong.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Remark {
    /// Whether it speaks against them.
    pub kind: RemarkKind,
    /// The sentence.
    pub text: String,
    /// The tests; none where it stands in the clause or the section of one.
    pub tests: Vec<Cell>,
}

impl Remark {
    /// One that stands where its test is known.
    pub(crate) fn new(kind: RemarkKind, text: String) -> Self {
        Self { kind, text, tests: Vec::new() }
    }
}

/// Whether a remark speaks against what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemarkKind {
    /// It does.
    Warning,
    /// It says how that came about.
    Note,
}

impl RemarkKind {
    /// The word before it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A section of the report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Section {
    /// A name for links, unique in the document.
    pub id: String,
    /// The heading.
    pub title: String,
    /// What it holds, in reading order.
    pub blocks: Vec<Block>,
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
    /// Plots that belong beside each other.
    Plots(Vec<Plot>),
    /// What the reader of the numbers has to know, one sentence each.
    Remarks(Vec<Remark>),
    /// One launch.
    Job(Box<JobBlock>),
}

/// One launch: what was started, how it ended, what it left.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobBlock {
    /// A name for links, unique in the document.
    pub id: String,
    /// The heading.
    pub title: String,
    /// How it ended.
    pub end: Cell,
    /// How long it took, with the unit.
    pub duration: String,
    /// The exact command line, quoted for a shell.
    pub command: String,
    /// Where and how it ran.
    pub facts: Vec<Fact>,
    /// Its files, each with its hash: label, then value with link and full hash.
    pub files: Vec<Fact>,
    /// Its failures, word for word.
    pub failures: Vec<String>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Table {
    /// Its caption.
    pub title: String,
    /// A sentence beneath it, may be empty.
    pub note: String,
    /// Its columns.
    pub columns: Vec<TableColumn>,
    /// Its rows, each as long as `columns`.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableColumn {
    /// Its heading.
    pub title: String,
    /// Whether it holds numbers, which are set flush right.
    pub numeric: bool,
    /// Whether it holds sentences, which may take several lines.
    pub prose: bool,
}

impl Table {
    /// An empty table; headings have ` | ` between them. One that starts with `>` is of a column of numbers,
    /// one with `~` of sentences.
    pub fn new(title: &str, headings: &str) -> Self {
        let column = |heading: &str| {
            let [numeric, prose] = ['>', '~'].map(|mark| heading.starts_with(mark));
            TableColumn { title: heading.trim_start_matches(['>', '~']).into(), numeric, prose }
        };
        Self {
            title: title.into(),
            note: String::new(),
            columns: headings.split(" | ").map(column).collect(),
            rows: vec![],
        }
    }

    /// Adds a row; panics if it is not as long as the table has columns.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "a row of `{}`", self.title);
        self.rows.push(row);
    }
}

/// Lines over two axes. All coordinates are linear in what is drawn: a logarithmic axis holds logarithms.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Plot {
    /// Its caption.
    pub title: String,
    /// How to read it, one or two sentences.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<PlotLine>,
    /// Labelled points.
    pub marks: Vec<PlotMark>,
    /// Labelled horizontal lines, such as a threshold.
    pub rules: Vec<PlotTick>,
}

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Axis {
    /// What it shows.
    pub label: String,
    /// Lowest coordinate.
    pub from: f64,
    /// Highest coordinate, above `from`.
    pub to: f64,
    /// Labelled coordinates.
    pub ticks: Vec<PlotTick>,
}

/// A labelled coordinate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotTick {
    /// Where.
    pub at: f64,
    /// What it says, with the unit.
    pub label: String,
}

/// One line of a plot; without points it only names its marks in the legend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotLine {
    /// Its name in the legend.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A point of a plot, with a label or without.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotMark {
    /// Horizontal coordinate.
    pub x: f64,
    /// Vertical coordinate.
    pub y: f64,
    /// What it says; may be empty.
    pub label: String,
    /// Which of the lines it lies on.
    pub line: usize,
}
