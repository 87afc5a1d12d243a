//! The one description of a chart: axes, areas, lines, marks, cells and labels, in coordinates of the data.
//!
//! A new kind of chart is such a value. The renderers (SVG, characters) know no kinds of charts.
//!
//! Invariant: all coordinates are finite and linear. A logarithmic axis holds logarithms.
//! Never here: pixels, colours, fonts.

pub(super) mod axes;

use super::{Cell, Tone};

/// A drawing over two axes. Plots below each other with the same horizontal axis are one chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// Also what a reader who does not see the drawing hears; empty in plots below the first.
    pub title: String,
    /// How to read the plot, in a few sentences.
    pub note: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// Ranges of the horizontal axis over the whole height. Labels of earlier ones are more important.
    pub spans: Vec<PlotSpan>,
    /// Areas behind the lines.
    pub bands: Vec<PlotBand>,
    /// Cells of a heat map; empty in other plots.
    pub cells: Vec<PlotCell>,
    /// In front of the bands, the later ones on top.
    pub lines: Vec<PlotLine>,
    /// Points, with or without a label. Labels of earlier ones are more important.
    pub marks: Vec<PlotMark>,
    /// What each kind of line, mark or cell means; empty if there is only one kind.
    pub legend: Vec<LegendEntry>,
}

/// An axis of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Its quantity with its unit; may be empty.
    pub label: String,
    /// Lowest coordinate.
    pub from: f64,
    /// Highest coordinate, above `from`.
    pub to: f64,
    /// Labelled coordinates.
    pub ticks: Vec<PlotTick>,
}

impl Axis {
    /// The position of a coordinate, 0 to 1; 0 if the axis has no length.
    pub(crate) fn share(&self, at: f64) -> f64 {
        let share = (at - self.from) / (self.to - self.from);
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// A labelled coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotTick {
    /// In the axis; a logarithm on a logarithmic axis.
    pub at: f64,
    /// The text, with the unit.
    pub label: String,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// One of several lines of the same kind, by its number.
    Series(usize),
    /// A threshold of the whole plot.
    Required,
    /// The statistic that was compared with it.
    Compared,
    /// A confidence limit.
    Limit,
    /// The level between two shifts.
    Level,
    /// A gradual change.
    Drift,
    /// The threshold at some times.
    Threshold,
    /// An interval that holds for all values together.
    Together(Tone),
    /// The interval of a value alone.
    Alone(Tone),
}

/// One line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotLine {
    /// Its name, for the legend and on hover.
    pub label: String,
    /// Its points, from left to right.
    pub points: Vec<(f64, f64)>,
    /// What it shows.
    pub style: LineStyle,
}

impl PlotLine {
    /// A horizontal line over the whole width.
    pub(super) fn across(x: &Axis, at: f64, label: String, style: LineStyle) -> Self {
        Self { label, points: vec![(x.from, at), (x.to, at)], style }
    }
}

/// The area between a lower and an upper line of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotBand {
    /// Its text on hover.
    pub text: String,
    /// From, to, lowest and highest coordinate of each step, from left to right.
    pub steps: Vec<(f64, f64, f64, f64)>,
    /// The number of the style of its line.
    pub style: usize,
}

/// What a span shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpanKind {
    /// The values in a range, on hover only.
    #[default]
    Hover,
    /// An event of several series.
    Event,
    /// When a level can have shifted, with its most likely time.
    Shift,
    /// A place from which values are not comparable with those before it.
    Cut,
    /// The side of a threshold that does not meet a criterion.
    Failing,
    /// The place with which all values are compared.
    Base,
}

/// A range of the horizontal axis over the whole height.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotSpan {
    /// What it shows.
    pub kind: SpanKind,
    /// Coordinate of the axis.
    pub from: f64,
    /// Not below `from`; equal for a cut.
    pub to: f64,
    /// The most likely place in it.
    pub at: f64,
    /// The colour of a shift: pass if faster, fail if slower. Other kinds ignore it.
    pub tone: Tone,
    /// The label above it; empty for none. A label without space is left out.
    pub label: String,
    /// The text on hover.
    pub text: String,
    /// The link to its description; may be empty.
    pub link: String,
}

/// The shape of a point. It distinguishes kinds of points without colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// A cross above a place without a value.
    Cross,
    /// The end of a horizontal interval.
    End,
    /// The lower end of an interval that is beyond the axis.
    CutLow,
    /// The upper end of an interval that is beyond the axis.
    CutHigh,
}

/// What the colour of a point means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkStyle {
    /// That of the line with this number.
    Series(usize),
    /// A verdict or a conclusion.
    Toned(Tone),
}

impl Default for MarkStyle {
    fn default() -> Self {
        Self::Series(0)
    }
}

/// A point of a plot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlotMark {
    /// Horizontal coordinate.
    pub x: f64,
    /// Vertical coordinate.
    pub y: f64,
    /// The label; empty for none. A label without space is left out, and is then only shown on hover.
    pub label: String,
    /// The text on hover; may be empty.
    pub text: String,
    /// What its colour means.
    pub style: MarkStyle,
    /// Distinguishes outcomes without colours; the legend explains it.
    pub shape: MarkShape,
    /// The ends of a vertical interval through the point.
    pub interval: Option<(f64, f64)>,
    /// Whether it is far from the level.
    pub is_outlier: bool,
}

/// One cell of a heat map: a square of length 1 around its coordinates.
#[derive(Clone, Debug, PartialEq)]
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

/// What an entry of a legend shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegendKey {
    /// A line.
    Line(LineStyle),
    /// A point of this style and shape.
    Mark(MarkStyle, MarkShape),
    /// A point that is far from the level.
    Outlier,
    /// A range.
    Span(SpanKind),
    /// A level of a heat map.
    Level(usize),
}

/// One entry of a legend.
#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    /// What it shows.
    pub key: LegendKey,
    /// What it means, in a few words.
    pub label: String,
}

impl LegendEntry {
    /// The entries of several lines; a single line needs none.
    pub(super) fn from_lines(lines: &[PlotLine]) -> Vec<Self> {
        lines.iter().filter(|_| lines.len() > 1).map(Self::from_line).collect()
    }

    pub(super) fn from_line(line: &PlotLine) -> Self {
        Self { key: LegendKey::Line(line.style), label: line.label.clone() }
    }

    /// The entry of points of the line with this number.
    pub(super) fn for_marks(series: usize, shape: MarkShape, label: impl Into<String>) -> Self {
        Self { key: LegendKey::Mark(MarkStyle::Series(series), shape), label: label.into() }
    }
}

impl Plot {
    /// Whether it has something that this entry of a legend explains.
    pub(super) fn shows(&self, key: LegendKey) -> bool {
        match key {
            LegendKey::Line(style) => self.lines.iter().any(|line| line.style == style),
            LegendKey::Mark(style, shape) => {
                self.marks.iter().any(|mark| (mark.style, mark.shape) == (style, shape))
            }
            LegendKey::Outlier => self.marks.iter().any(|mark| mark.is_outlier),
            LegendKey::Span(kind) => self.spans.iter().any(|span| span.kind == kind),
            LegendKey::Level(level) => self.cells.iter().any(|cell| cell.level == level),
        }
    }
}

/// All clauses on one axis, relative to their thresholds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClausePicture {
    /// How to read it.
    pub note: String,
    /// The axis of all rows: the value divided by the threshold.
    pub axis: Axis,
    /// One row for each clause, in their order.
    pub rows: Vec<ClauseRow>,
    /// What the symbols mean.
    pub legend: Vec<LegendEntry>,
}

/// One clause of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct ClauseRow {
    /// The test, with a link to its section.
    pub test: Cell,
    /// The metric and the criterion.
    pub criterion: String,
    /// The outcome in words, with its tone.
    pub verdict: Cell,
    /// The measured value; a dash if there is none.
    pub value: String,
    /// Why there is no mark; empty if there is one.
    pub missing: String,
    /// The failing side, the threshold, the limit of the mean, the repetitions at 0, the compared value at 1.
    pub plot: Plot,
}
