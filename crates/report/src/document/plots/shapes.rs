//! What a plot consists of: axes, lines, bands, marks, cells and texts on hover, in coordinates of the data.
//!
//! Invariant: all coordinates are finite and linear. A logarithmic axis holds logarithms.
//! Never here: pixels, colours, fonts.

use serde::Serialize;

use crate::document::{Cell, Tone};

/// A drawing over two axes.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plot {
    /// Its caption.
    pub title: String,
    /// How to read the plot, in a few sentences.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Areas behind the lines.
    pub bands: Vec<PlotBand>,
    /// Cells of a heat map; empty in other plots.
    pub cells: Vec<PlotCell>,
    /// The lines.
    pub lines: Vec<PlotLine>,
    /// Points, with or without a label.
    pub marks: Vec<PlotMark>,
    /// Horizontal lines over the whole width, such as a threshold. The legend has their labels.
    pub rules: Vec<PlotRule>,
    /// What each kind of line, mark or cell means; empty if there is only one kind.
    pub legend: Vec<LegendEntry>,
    /// Texts on hover for ranges of the horizontal axis.
    pub hovers: Vec<PlotHover>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Axis {
    /// Its quantity with its unit.
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
    /// The coordinate.
    pub at: f64,
    /// The text, with the unit.
    pub label: String,
}

/// One line of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlotLine {
    /// Its name, for the legend and on hover.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// The number of its style: lines with the same number look alike.
    pub style: usize,
}

/// The area between a lower and an upper line of steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlotBand {
    /// Its text on hover.
    pub text: String,
    /// From, to, lowest and highest coordinate of each step, from left to right.
    pub steps: Vec<(f64, f64, f64, f64)>,
    /// The number of the style of its line.
    pub style: usize,
}

/// The shape of a point. It distinguishes kinds of points without colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum MarkShape {
    /// A filled circle.
    #[default]
    Dot,
    /// An empty circle.
    Ring,
    /// A filled diamond.
    Diamond,
    /// A triangle that points down.
    Triangle,
    /// A filled square.
    Square,
}

/// A point of a plot.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PlotMark {
    /// Horizontal coordinate.
    pub x: f64,
    /// Vertical coordinate.
    pub y: f64,
    /// The label; empty for none. A label without space is left out, and is then only shown on hover.
    pub label: String,
    /// The text on hover; may be empty.
    pub text: String,
    /// The number of its style.
    pub style: usize,
    /// Its shape.
    pub shape: MarkShape,
    /// The ends of a vertical interval through the point.
    pub interval: Option<(f64, f64)>,
}

/// The meaning of a horizontal line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RuleKind {
    /// A threshold.
    Required,
    /// The statistic that was compared with it.
    Compared,
    /// A confidence limit.
    Limit,
}

/// A horizontal line over the whole width.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotRule {
    /// Its vertical coordinate.
    pub at: f64,
    /// Its meaning and value, for the legend and on hover.
    pub label: String,
    /// Its kind.
    pub kind: RuleKind,
}

/// What an entry of a legend shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LegendKey {
    /// The style of a line.
    Line(usize),
    /// A point of this style and shape.
    Mark(usize, MarkShape),
    /// A horizontal line.
    Rule(RuleKind),
    /// A level of a heat map.
    Level(usize),
}

/// One entry of a legend.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LegendEntry {
    /// What it shows.
    pub key: LegendKey,
    /// Its meaning.
    pub label: String,
}

impl LegendEntry {
    /// An entry.
    pub(in crate::document) fn new(key: LegendKey, label: impl Into<String>) -> Self {
        Self { key, label: label.into() }
    }
}

/// A text on hover for a range of the horizontal axis.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotHover {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// The values in this range.
    pub text: String,
}

/// One cell of a heat map: a square of length 1 around its coordinates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlotCell {
    /// Horizontal coordinate of its centre.
    pub x: f64,
    /// Vertical coordinate of its centre.
    pub y: f64,
    /// Its level: 0 for usual, higher for slower.
    pub level: usize,
    /// Whether it is marked by a cross.
    pub is_marked: bool,
    /// The text on hover; may be empty.
    pub text: String,
}

/// All clauses on one axis, relative to their thresholds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ClausePicture {
    /// How to read it.
    pub note: String,
    /// The axis: the value divided by the threshold.
    pub axis: Axis,
    /// The coordinate of the threshold.
    pub threshold: f64,
    /// One row for each clause, in their order.
    pub rows: Vec<ClauseRow>,
    /// What the symbols mean.
    pub legend: Vec<LegendEntry>,
}

/// One clause of the picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClauseRow {
    /// The test, with a link to its section.
    pub test: Cell,
    /// The metric and the criterion.
    pub criterion: String,
    /// The outcome in words.
    pub verdict: String,
    /// Its tone.
    pub tone: Tone,
    /// The measured value; a dash if there is none.
    pub value: String,
    /// Why there is no mark; empty if there is one.
    pub missing: String,
    /// The failing side: from and to.
    pub failing: Option<(f64, f64)>,
    /// The compared value, with its text on hover.
    pub mark: Option<RowMark>,
    /// The shape of this mark.
    pub shape: MarkShape,
    /// The number of its style.
    pub style: usize,
    /// From the mean to its confidence limit, with its text on hover.
    pub interval: Option<(f64, f64, String)>,
    /// The repetitions.
    pub dots: Vec<RowMark>,
}

/// A point of a row, with its text on hover.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowMark {
    /// The coordinate.
    pub at: f64,
    /// The text.
    pub text: String,
}
