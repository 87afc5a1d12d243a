//! A chart as SVG with its legend. Classes of the style sheets color it, so that it follows the light and
//! dark schemes. Its shapes and dashes also distinguish what colors do.
//!
//! A plotting crate is not needed: a few elements suffice, and the page decides text and colours.
//!
//! Invariant: well-formed XML for any chart. Every text is escaped. No two labels overlap.
//! Never here: colours, and numbers that the document does not hold.

mod labels;
mod picture;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::document::{
    Axis, LegendEntry, LegendKey, LineStyle, MarkShape, MarkStyle, Plot, PlotBand, PlotLine, PlotMark,
    PlotSpan, SpanKind, Tone,
};

use labels::{Anchor, LabelArea};
pub(super) use picture::draw as draw_picture;

/// The number of line classes in the style sheet. Further lines start again with the first.
const CLASSES: usize = 8;
/// Half the width of an end of an interval.
const CAP: f64 = 5.0;

/// The layout of a chart, in its own units.
#[derive(Clone, Copy)]
pub(super) struct ChartLayout {
    class: &'static str,
    width: f64,
    left: f64,
    right: f64,
    /// The space above each panel, and below the last.
    above: f64,
    below: f64,
    /// The height of the first panel, and of the others.
    heights: (f64, f64),
    /// The radius of up to 60 marks, of up to 300, and of more.
    radii: [f64; 3],
    /// The width of a letter, about.
    letter: f64,
    /// The least distance of labels of the vertical axis.
    between: f64,
    /// Whether the vertical axis has a title.
    has_title: bool,
    /// Whether labels of the horizontal axis stay within the width.
    is_closed: bool,
    /// Whether the vertical axis has names of rows, so that neither it nor its ticks have lines.
    has_rows: bool,
}

/// A plot of a report.
pub(super) const PLOT: ChartLayout = ChartLayout {
    class: "drawing",
    width: 460.0,
    left: 84.0,
    right: 448.0,
    above: 26.0,
    below: 48.0,
    heights: (208.0, 208.0),
    radii: [3.6, 2.2, 2.2],
    // Letters are largest in a narrow window.
    letter: 7.8,
    between: 13.0,
    has_title: true,
    is_closed: false,
    has_rows: false,
};
/// A small multiple of a history.
pub(super) const SMALL: ChartLayout = ChartLayout {
    class: "chart small-chart",
    width: 300.0,
    left: 60.0,
    right: 294.0,
    above: 17.0,
    below: 24.0,
    heights: (88.0, 88.0),
    radii: [2.21, 1.7, 1.36],
    letter: 6.6,
    between: 24.0,
    has_title: false,
    is_closed: true,
    has_rows: false,
};
/// The chart of the page of a series.
pub(super) const LARGE: ChartLayout = ChartLayout {
    class: "chart large-chart",
    width: 1060.0,
    left: 78.0,
    right: 1050.0,
    above: 36.0,
    heights: (300.0, 84.0),
    radii: [3.77, 2.9, 2.32],
    between: 16.0,
    has_title: true,
    ..SMALL
};

/// The layout of the ratios of a comparison, a row for each.
pub(super) fn rows_layout(rows: usize) -> ChartLayout {
    ChartLayout {
        class: "forest",
        width: 820.0,
        left: 300.0,
        right: 800.0,
        above: 8.0,
        below: 26.0,
        heights: (22.0 * rows as f64, 0.0),
        radii: [4.0; 3],
        between: 0.0,
        is_closed: false,
        has_rows: true,
        ..SMALL
    }
}

struct Panel<'c> {
    plot: &'c Plot,
    layout: &'c ChartLayout,
    area: LabelArea,
}

impl Panel<'_> {
    fn x(&self, at: f64) -> f64 {
        self.area.left + self.plot.x.share(at) * (self.area.right - self.area.left)
    }

    fn y(&self, at: f64) -> f64 {
        self.area.bottom - self.plot.y.share(at) * (self.area.bottom - self.area.top)
    }

    fn place(&self, point: &(f64, f64)) -> (f64, f64) {
        (self.x(point.0), self.y(point.1))
    }

    fn draw(&self, svg: &mut String) {
        use SpanKind::{Base, Cut, Event, Failing, Hover, Shift};
        self.frame(svg);
        self.draw_spans(svg, &[Event, Shift, Failing, Base]);
        self.plot.bands.iter().for_each(|band| self.draw_band(svg, band));
        self.draw_cells(svg);
        self.draw_lines(svg, false);
        self.draw_spans(svg, &[Hover]);
        self.draw_marks(svg);
        self.draw_lines(svg, true);
        self.draw_mark_labels(svg);
        self.draw_span_labels(svg);
        self.draw_spans(svg, &[Cut]);
    }

    fn frame(&self, svg: &mut String) {
        let LabelArea { left, top, right, bottom } = self.area;
        let (mut grid, mut texts) = (String::new(), String::new());
        let mut labelled: Vec<f64> = Vec::new();
        for tick in &self.plot.y.ticks {
            let at = self.y(tick.at);
            if !self.layout.has_rows {
                let _ = write!(grid, "M{left} {}H{right}", number(at));
            }
            if labelled.iter().all(|other| (other - at).abs() >= self.layout.between) {
                texts += &text("ytick", left - 6.0, at + 4.0, &tick.label);
                labelled.push(at);
            }
        }
        for tick in &self.plot.x.ticks {
            let _ = write!(grid, "M{} {top}V{bottom}", number(self.x(tick.at)));
        }
        if self.layout.has_title {
            texts += &text("ylabel", 4.0, top - 11.0, &self.plot.y.label);
        }
        let _ = write!(svg, r#"<path class="grid" d="{grid}"/>"#);
        if !self.layout.has_rows {
            let _ = write!(svg, r#"<path class="axis" d="M{left} {top}V{bottom}H{right}"/>"#);
        }
        svg.push_str(&texts);
    }

    /// The labels of the horizontal axis, as far as there is space.
    fn draw_x_labels(&self, svg: &mut String) {
        let LabelArea { left, right, bottom, .. } = self.area;
        let mut written = f64::MIN;
        for tick in &self.plot.x.ticks {
            let half = self.layout.letter / 2.0 * tick.label.chars().count() as f64;
            let at = self.x(tick.at);
            let at = if self.layout.is_closed { at.clamp(half, self.layout.width - half) } else { at };
            if at - half > written {
                svg.push_str(&text("xtick", at, bottom + 18.0, &tick.label));
                written = at + half + 6.0;
            }
        }
        if !self.plot.x.label.is_empty() {
            svg.push_str(&text("xlabel", (left + right) / 2.0, bottom + 40.0, &self.plot.x.label));
        }
    }

    /// Spans of these kinds. Those of a later kind cover the others.
    fn draw_spans(&self, svg: &mut String, kinds: &[SpanKind]) {
        let spans = kinds.iter().flat_map(|kind| self.plot.spans.iter().filter(|span| span.kind == *kind));
        spans.for_each(|span| {
            let drawn = self.span(span);
            match span.link.is_empty() {
                true => svg.push_str(&drawn),
                false => {
                    let _ = write!(svg, r#"<a href="{}">{drawn}</a>"#, escape(&span.link));
                }
            }
        });
    }

    fn span(&self, span: &PlotSpan) -> String {
        // The least width, and how far it extends above and below.
        let (least, beyond) = match span.kind {
            SpanKind::Hover | SpanKind::Failing | SpanKind::Base => (0.0, 0.0),
            SpanKind::Event | SpanKind::Shift => (3.0, 0.0),
            SpanKind::Cut => (6.0, 4.0),
        };
        let (from, to) = (self.x(span.from), self.x(span.to));
        let missing = (least - (to - from)).max(0.0);
        let (from, width) = (from - missing / 2.0, to - from + missing);
        let [top, bottom] = [self.area.top - beyond, self.area.bottom + beyond];
        let rect = format!(
            r#"<rect x="{}" y="{}" width="{}" height="{}"/>"#,
            number(from),
            number(top),
            number(width),
            number(bottom - top)
        );
        let lines = match span.kind {
            SpanKind::Hover | SpanKind::Event | SpanKind::Failing => vec![],
            SpanKind::Shift | SpanKind::Base => vec![self.x(span.at)],
            SpanKind::Cut => vec![from, from + width],
        };
        let d: String =
            lines.iter().map(|x| format!("M{} {}V{}", number(*x), number(top), number(bottom))).collect();
        let line = if d.is_empty() { d } else { format!(r#"<path d="{d}"/>"#) };
        format!(r#"<g class="{}">{}{rect}{line}</g>"#, span_class(span), hover_text(&span.text))
    }

    fn draw_span_labels(&self, svg: &mut String) {
        let mut taken: Vec<(f64, f64)> = Vec::new();
        for span in self.plot.spans.iter().filter(|span| !span.label.is_empty()) {
            let half = self.layout.letter / 2.0 * span.label.chars().count() as f64 + 2.0;
            let x = self.x(span.at).clamp(self.area.left + half, self.layout.width - half);
            if taken.iter().any(|(left, right)| x - half < *right && x + half > *left) {
                continue;
            }
            taken.push((x - half, x + half));
            let (tone, x, y) = (tone_class(span.tone), number(x), number(self.area.top - 4.0));
            let (label, hover) = (escape(&span.label), hover_text(&span.text));
            let _ = write!(svg, r#"<text class="span-label {tone}" x="{x}" y="{y}">{label}{hover}</text>"#);
        }
    }

    fn draw_band(&self, svg: &mut String, band: &PlotBand) {
        let Some(first) = band.steps.first() else { return };
        let mut path = RelativePath::default();
        path.to(self.x(first.0), self.y(first.3));
        let mut last = first.0;
        for (_, to, _, high) in &band.steps {
            path.to(self.x(last), self.y(*high));
            path.to(self.x(*to), self.y(*high));
            last = *to;
        }
        for (from, to, low, _) in band.steps.iter().rev() {
            path.to(self.x(*to), self.y(*low));
            path.to(self.x(*from), self.y(*low));
        }
        let (class, hover, path) = (series_class(band.style), hover_text(&band.text), path.text);
        let _ = write!(svg, r#"<path class="band {class}" d="{path}z">{hover}</path>"#);
    }

    /// The cells. Those without a text of their own are one path for each level.
    fn draw_cells(&self, svg: &mut String) {
        let mut paths: BTreeMap<usize, String> = BTreeMap::new();
        for cell in &self.plot.cells {
            let [left, right] = [-0.5, 0.5].map(|half| self.x(cell.x + half));
            let [top, bottom] = [0.5, -0.5].map(|half| self.y(cell.y + half));
            let (width, height) = ((right - left - 1.0).max(0.5), (bottom - top - 1.0).max(0.5));
            let [x, y, across, down] = [left + 0.5, top + 0.5, width, height].map(number);
            if cell.text.is_empty() {
                let path = paths.entry(cell.level).or_default();
                let _ = write!(path, "M{x} {y}h{across}v{down}h-{across}z");
            } else {
                let (level, hover) = (cell.level, hover_text(&cell.text));
                let _ = write!(svg, r#"<rect class="cell h{level}" x="{x}" y="{y}" width="{across}" "#);
                let _ = write!(svg, r#"height="{down}">{hover}</rect>"#);
            }
            if cell.is_marked {
                let side = (width.min(height) / 2.0 - 1.0).clamp(1.0, 6.0);
                let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
                let [x, y, half] = [x - side / 2.0, y - side / 2.0, side].map(number);
                let _ = write!(
                    svg,
                    r#"<path class="cross" d="M{x} {y}l{half} {half}m0-{half}l-{half} {half}"/>"#
                );
            }
        }
        for (level, path) in paths {
            let _ = write!(svg, r#"<path class="cell h{level}" d="{path}"/>"#);
        }
    }

    /// The lines behind the marks, or those in front of them: what was found about many points.
    fn draw_lines(&self, svg: &mut String, in_front: bool) {
        for line in &self.plot.lines {
            if line.points.is_empty() || is_in_front(line.style) != in_front {
                continue;
            }
            let mut path = RelativePath::default();
            line.points.iter().map(|point| self.place(point)).for_each(|(x, y)| path.to(x, y));
            let (class, hover, path) = (line_class(line.style), hover_text(&line.label), path.text);
            let _ = write!(svg, r#"<path class="{class}" d="{path}">{hover}</path>"#);
        }
    }

    fn draw_marks(&self, svg: &mut String) {
        let mut dots: BTreeMap<String, String> = BTreeMap::new();
        for mark in &self.plot.marks {
            let is_plain = mark.text.is_empty() && mark.label.is_empty() && mark.interval.is_none();
            match (mark.style, mark.shape) {
                (MarkStyle::Series(style), MarkShape::Dot) if is_plain => {
                    // A line without length has round ends, which are the dot.
                    let [x, y] = [self.x(mark.x), self.y(mark.y)].map(number);
                    let _ = write!(dots.entry(series_class(style)).or_default(), "M{x} {y}h0");
                }
                _ => self.draw_mark(svg, mark),
            }
        }
        for (class, path) in dots {
            let _ = write!(svg, r#"<path class="dots {class}" d="{path}"/>"#);
        }
    }

    fn draw_mark(&self, svg: &mut String, mark: &PlotMark) {
        let (x, y) = self.place(&(mark.x, mark.y));
        let size = match self.plot.marks.len() {
            _ if !mark.label.is_empty() => self.layout.radii[0],
            ..=60 => self.layout.radii[0],
            61..=300 => self.layout.radii[1],
            _ => self.layout.radii[2],
        };
        let mut drawn = String::new();
        if let Some((low, high)) = mark.interval {
            let [across, low, high] = [x - CAP, self.y(low), self.y(high)].map(number);
            let ends = match mark.style {
                MarkStyle::Series(_) => format!("M{across} {low}h10M{across} {high}h10"),
                MarkStyle::Toned(_) => String::new(),
            };
            let _ = write!(drawn, r#"<path class="interval" d="M{} {low}V{high}{ends}"/>"#, number(x));
        }
        if mark.is_outlier {
            let _ = write!(
                drawn,
                r#"<circle class="outlier" cx="{}" cy="{}" r="{}"/>"#,
                number(x),
                number(y),
                number(size + 1.8)
            );
        }
        drawn += &symbol(mark.shape, (x, y), size);
        let _ = write!(svg, r#"<g class="{}">{}{drawn}</g>"#, mark_class(mark.style), hover_text(&mark.text));
    }

    /// The labels of marks where there is space. They avoid lines and intervals.
    fn draw_mark_labels(&self, svg: &mut String) {
        let labelled = || self.plot.marks.iter().filter(|mark| !mark.label.is_empty());
        let anchor = |mark: &PlotMark| {
            let (x, y) = self.place(&(mark.x, mark.y));
            Anchor { x, y, width: self.layout.letter * mark.label.chars().count() as f64 }
        };
        let lines = self.plot.lines.iter().filter(|line| matches!(line.style, LineStyle::Series(_)));
        let points = lines.flat_map(|line: &PlotLine| &line.points).copied();
        let intervals = self.plot.marks.iter().filter_map(|mark| Some((mark.x, mark.interval?)));
        let parts = intervals.flat_map(|(x, (low, high))| {
            (0..=8).map(move |part| (x, low + (high - low) * f64::from(part) / 8.0))
        });
        let avoided: Vec<(f64, f64)> = points.chain(parts).map(|point| self.place(&point)).collect();
        let anchors: Vec<Anchor> = labelled().map(anchor).collect();
        for (mark, place) in labelled().zip(labels::place(&anchors, &avoided, &self.area)) {
            let Some(place) = place else { continue };
            let _ = write!(
                svg,
                r#"<text class="mark" text-anchor="{}" x="{}" y="{}">{}</text>"#,
                if place.is_end { "end" } else { "start" },
                number(place.x),
                number(place.y),
                escape(&mark.label)
            );
        }
    }
}

/// Plots below each other as one `svg` element. `label` is for a reader who does not see it.
pub(super) fn draw<'c>(
    label: &str,
    plots: impl IntoIterator<Item = &'c Plot>,
    layout: &ChartLayout,
) -> String {
    let (mut drawn, mut bottom) = (String::new(), 0.0);
    let mut last: Option<Panel<'_>> = None;
    for plot in plots {
        let height = if last.is_none() { layout.heights.0 } else { layout.heights.1 };
        let top = bottom + layout.above;
        bottom = top + height;
        let area = LabelArea { left: layout.left, top, right: layout.right, bottom };
        let panel = Panel { plot, layout, area };
        panel.draw(&mut drawn);
        last = Some(panel);
    }
    if let Some(last) = last {
        last.draw_x_labels(&mut drawn);
    }
    let (class, width, height, label) = (layout.class, layout.width, bottom + layout.below, escape(label));
    format!(
        r#"<svg class="{class}" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{drawn}</svg>"#
    )
}

fn text(class: &str, x: f64, y: f64, text: &str) -> String {
    format!(r#"<text class="{class}" x="{}" y="{}">{}</text>"#, number(x), number(y), escape(text))
}

/// The element with the text on hover; nothing without a text.
fn hover_text(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("<title>{}</title>", escape(text)) }
}

fn series_class(style: usize) -> String {
    format!("s{}", style % CLASSES)
}

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Pass => "pass",
        Tone::Fail => "fail",
        Tone::Inconclusive => "inconclusive",
        Tone::Invalid => "invalid",
        Tone::NotRun => "not-run",
    }
}

fn is_in_front(style: LineStyle) -> bool {
    match style {
        LineStyle::Level | LineStyle::Drift | LineStyle::Threshold => true,
        LineStyle::Series(_) | LineStyle::Required | LineStyle::Compared | LineStyle::Limit => false,
        LineStyle::Together(_) | LineStyle::Alone(_) => false,
    }
}

fn line_class(style: LineStyle) -> String {
    match style {
        LineStyle::Series(style) => format!("line {}", series_class(style)),
        LineStyle::Required => "rule required".into(),
        LineStyle::Compared => "rule compared".into(),
        LineStyle::Limit => "rule limit".into(),
        LineStyle::Level => "level".into(),
        LineStyle::Drift => "drift".into(),
        LineStyle::Threshold => "threshold-line".into(),
        LineStyle::Together(tone) => format!("thin {}", tone_class(tone)),
        LineStyle::Alone(tone) => format!("thick {}", tone_class(tone)),
    }
}

fn mark_class(style: MarkStyle) -> String {
    match style {
        MarkStyle::Series(style) => format!("mark {}", series_class(style)),
        MarkStyle::Toned(tone) => format!("point {}", tone_class(tone)),
    }
}

fn span_class(span: &PlotSpan) -> String {
    match span.kind {
        SpanKind::Hover => "hover".into(),
        SpanKind::Event => "event".into(),
        SpanKind::Shift => format!("shift {}", tone_class(span.tone)),
        SpanKind::Cut => "cut".into(),
        SpanKind::Failing => "failing".into(),
        SpanKind::Base => "base".into(),
    }
}

/// A position with one digit, without a needless zero.
fn number(position: f64) -> String {
    let text = format!("{position:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The points of a path, each relative to the one before, which takes fewer characters.
#[derive(Default)]
struct RelativePath {
    /// The value of the attribute `d`.
    text: String,
    /// The last point, in tenths, so that roundings do not add up.
    last: Option<(i64, i64)>,
}

impl RelativePath {
    /// A line to this point, or the start of the path.
    fn to(&mut self, x: f64, y: f64) {
        let at = ((x * 10.0).round() as i64, (y * 10.0).round() as i64);
        let short = |tenths: i64| number(tenths as f64 / 10.0);
        let text = match self.last.map(|last| (at.0 - last.0, at.1 - last.1)) {
            None => format!("M{} {}", short(at.0), short(at.1)),
            Some((0, 0)) => return,
            Some((right, 0)) => format!("h{}", short(right)),
            Some((0, down)) => format!("v{}", short(down)),
            Some((right, down)) => {
                let space = if down < 0 { "" } else { " " };
                format!("l{}{space}{}", short(right), short(down))
            }
        };
        self.text.push_str(&text);
        self.last = Some(at);
    }
}

fn symbol(shape: MarkShape, (x, y): (f64, f64), size: f64) -> String {
    // A path through these corners, in sizes from the place.
    let corners = |class: &str, corners: &[(f64, f64)]| {
        let at =
            |(right, down): &(f64, f64)| format!("{} {}", number(x + right * size), number(y + down * size));
        let d = corners.iter().map(at).collect::<Vec<_>>().join("L");
        format!(r#"<path{class} d="M{d}Z"/>"#)
    };
    let circle =
        |class: &str| format!(r#"<circle{class} cx="{}" cy="{}" r="{size}"/>"#, number(x), number(y));
    match shape {
        MarkShape::Dot => circle(""),
        MarkShape::Ring => circle(r#" class="ring""#),
        MarkShape::Diamond => corners("", &[(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)]),
        // It points at the place from above.
        MarkShape::Triangle => corners("", &[(-1.25, -2.2), (1.25, -2.2), (0.0, 0.0)]),
        MarkShape::Square => corners("", &[(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]),
        MarkShape::Cross => {
            format!(r#"<path class="unusable" d="M{} {}l5 5m-5 0l5 -5"/>"#, number(x - 2.5), number(y - 7.5))
        }
        MarkShape::End => format!(r#"<path class="end" d="M{} {}v8"/>"#, number(x), number(y - 4.0)),
        MarkShape::CutLow => corners("", &[(0.0, 0.0), (1.75, -1.0), (1.75, 1.0)]),
        MarkShape::CutHigh => corners("", &[(0.0, 0.0), (-1.75, -1.0), (-1.75, 1.0)]),
    }
}

/// What a key shows, 26 wide and 14 high.
fn key(key: LegendKey) -> String {
    match key {
        LegendKey::Line(style) => format!(r#"<path class="{}" d="M1 7H25"/>"#, line_class(style)),
        LegendKey::Mark(style, shape) => {
            let y = if matches!(shape, MarkShape::Triangle | MarkShape::Cross) { 11.0 } else { 7.0 };
            format!(r#"<g class="{}">{}</g>"#, mark_class(style), symbol(shape, (13.0, y), 3.6))
        }
        LegendKey::Outlier => r#"<g class="point"><circle class="outlier" cx="13" cy="7" r="5"/></g>"#.into(),
        LegendKey::Span(kind) => {
            let axis = Axis { to: 26.0, ..Axis::default() };
            let (from, to, top) = if kind == SpanKind::Cut { (10.0, 16.0, 4.0) } else { (4.0, 22.0, 0.0) };
            let span = PlotSpan { kind, from, to, at: 13.0, ..PlotSpan::default() };
            let area = LabelArea { left: 0.0, top, right: 26.0, bottom: 14.0 - top };
            let plot = Plot { x: axis, ..Plot::default() };
            Panel { plot: &plot, layout: &SMALL, area }.span(&span)
        }
        LegendKey::Level(level) => {
            format!(r#"<rect class="cell h{level}" x="5" y="1" width="16" height="12"/>"#)
        }
    }
}

/// A legend; nothing without entries.
pub(super) fn legend(entries: &[LegendEntry]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut html = String::from(r#"<p class="keys">"#);
    for entry in entries {
        let (drawn, label) = (key(entry.key), escape(&entry.label));
        let _ = write!(html, r#"<span><svg class="key" aria-hidden="true">{drawn}</svg> {label}</span> "#);
    }
    html + "</p>"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
