//! A plot as SVG with its legend. Classes of the style sheet `plots.css` color it, so that it follows the
//! light and dark schemes. Its shapes and dashes also distinguish what colors do.
//!
//! A plotting crate is not needed: a few elements suffice, and the page decides text and colours.
//!
//! Invariant: well-formed XML for any plot. Every text is escaped. No two labels overlap.
//! Never here: colours, and numbers that the document does not hold.

mod labels;
mod picture;

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::document::{
    Axis, LegendEntry, LegendKey, MarkShape, Plot, PlotBand, PlotLine, PlotMark, PlotRule, RuleKind,
};

use labels::{Anchor, LabelArea};
pub(super) use picture::draw as draw_picture;

/// Width and height of the drawing, in its own units.
const SIZE: (f64, f64) = (460.0, 282.0);
/// The area between the axes.
const AREA: LabelArea = LabelArea { left: 84.0, top: 26.0, right: 448.0, bottom: 234.0 };
/// The number of line classes in the style sheet. Further lines start again with the first.
const CLASSES: usize = 8;
/// With more marks, those without a label are smaller.
const FEW_MARKS: usize = 60;
/// The width of a letter in a narrow window, where letters are largest.
const LETTER: f64 = 7.8;

/// The plot as one `svg` element, followed by its legend.
pub(super) fn draw(plot: &Plot) -> String {
    let mut svg = String::new();
    let (width, height) = SIZE;
    let title = escape(&plot.title);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        r#"<svg class="drawing" viewBox="0 0 {width} {height}" role="img" aria-label="{title}">"#
    );
    frame(&mut svg, plot);
    for band in &plot.bands {
        draw_band(&mut svg, plot, band);
    }
    draw_cells(&mut svg, plot);
    for line in plot.lines.iter().filter(|line| !line.points.is_empty()) {
        draw_line(&mut svg, plot, line);
    }
    for rule in &plot.rules {
        draw_rule(&mut svg, plot, rule);
    }
    for hover in &plot.hovers {
        let (from, to) = (x(&plot.x, hover.from), x(&plot.x, hover.to));
        let (top, height, text) = (AREA.top, AREA.bottom - AREA.top, escape(&hover.text));
        let (from, width) = (number(from), number(to - from));
        let _ = write!(svg, r#"<rect class="hover" x="{from}" y="{top}" width="{width}" height="{height}">"#);
        let _ = write!(svg, "<title>{text}</title></rect>");
    }
    draw_marks(&mut svg, plot);
    svg.push_str("</svg>");
    svg + &legend(&plot.legend)
}

/// The class of a style.
fn class(style: usize) -> String {
    format!("s{}", style % CLASSES)
}

fn x(axis: &Axis, at: f64) -> f64 {
    AREA.left + share(axis, at) * (AREA.right - AREA.left)
}

fn y(axis: &Axis, at: f64) -> f64 {
    AREA.bottom - share(axis, at) * (AREA.bottom - AREA.top)
}

/// The position of a coordinate on its axis, 0 to 1; 0 if the axis has no length.
pub(super) fn share(axis: &Axis, at: f64) -> f64 {
    let share = (at - axis.from) / (axis.to - axis.from);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

/// A position with one digit, without a needless zero.
pub(super) fn number(position: f64) -> String {
    let text = format!("{position:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The points of a path, each relative to the one before, which takes fewer characters.
#[derive(Default)]
pub(super) struct RelativePath {
    /// The value of the attribute `d`.
    pub(super) text: String,
    /// The last point, in tenths, so that roundings do not add up.
    last: Option<(i64, i64)>,
}

impl RelativePath {
    fn tenths(position: f64) -> i64 {
        (position * 10.0).round() as i64
    }

    /// A line to this point, or the start of the path.
    pub(super) fn to(&mut self, x: f64, y: f64) {
        let at = (Self::tenths(x), Self::tenths(y));
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

fn frame(svg: &mut String, plot: &Plot) {
    let LabelArea { left, top, right, bottom } = AREA;
    let (mut grid, mut texts) = (String::new(), String::new());
    let mut labelled = Vec::new();
    for tick in &plot.y.ticks {
        let (at, label) = (y(&plot.y, tick.at), escape(&tick.label));
        let _ = write!(grid, "M{left} {}H{right}", number(at));
        if labelled.iter().all(|other: &f64| (other - at).abs() >= 13.0) {
            let _ = write!(
                texts,
                r#"<text class="ytick" x="{}" y="{}">{label}</text>"#,
                number(left - 6.0),
                number(at + 4.0)
            );
            labelled.push(at);
        }
    }
    let mut written = f64::MIN;
    for tick in &plot.x.ticks {
        let (at, label) = (x(&plot.x, tick.at), escape(&tick.label));
        let _ = write!(grid, "M{} {top}V{bottom}", number(at));
        let half = LETTER / 2.0 * tick.label.chars().count() as f64;
        if at - half > written {
            let _ = write!(
                texts,
                r#"<text class="xtick" x="{}" y="{}">{label}</text>"#,
                number(at),
                bottom + 18.0
            );
            written = at + half + 6.0;
        }
    }
    let _ = write!(
        svg,
        r#"<path class="grid" d="{grid}"/><path class="axis" d="M{left} {top}V{bottom}H{right}"/>"#
    );
    let (across, label) = ((left + right) / 2.0, escape(&plot.x.label));
    let _ = write!(svg, r#"{texts}<text class="xlabel" x="{across}" y="{}">{label}</text>"#, bottom + 40.0);
    let _ = write!(svg, r#"<text class="ylabel" x="4" y="15">{}</text>"#, escape(&plot.y.label));
}

fn draw_band(svg: &mut String, plot: &Plot, band: &PlotBand) {
    let Some(first) = band.steps.first() else { return };
    let mut path = RelativePath::default();
    path.to(x(&plot.x, first.0), y(&plot.y, first.3));
    let mut last = first.0;
    for (_, to, _, high) in &band.steps {
        path.to(x(&plot.x, last), y(&plot.y, *high));
        path.to(x(&plot.x, *to), y(&plot.y, *high));
        last = *to;
    }
    for (from, to, low, _) in band.steps.iter().rev() {
        path.to(x(&plot.x, *to), y(&plot.y, *low));
        path.to(x(&plot.x, *from), y(&plot.y, *low));
    }
    let (class, text, path) = (class(band.style), escape(&band.text), path.text);
    let _ = write!(svg, r#"<path class="band {class}" d="{path}z"><title>{text}</title></path>"#);
}

/// The cells. Those without a text of their own are one path for each level.
fn draw_cells(svg: &mut String, plot: &Plot) {
    let mut paths: BTreeMap<usize, String> = BTreeMap::new();
    for cell in &plot.cells {
        let [left, right] = [-0.5, 0.5].map(|half| x(&plot.x, cell.x + half));
        let [top, bottom] = [0.5, -0.5].map(|half| y(&plot.y, cell.y + half));
        let (width, height) = ((right - left - 1.0).max(0.5), (bottom - top - 1.0).max(0.5));
        let [x, y, across, down] = [left + 0.5, top + 0.5, width, height].map(number);
        if cell.text.is_empty() {
            let path = paths.entry(cell.level).or_default();
            let _ = write!(path, "M{x} {y}h{across}v{down}h-{across}z");
        } else {
            let (level, text) = (cell.level, escape(&cell.text));
            let _ = write!(
                svg,
                r#"<rect class="cell h{level}" x="{x}" y="{y}" width="{across}" height="{down}">"#
            );
            let _ = write!(svg, "<title>{text}</title></rect>");
        }
        if cell.is_marked {
            let side = (width.min(height) / 2.0 - 1.0).clamp(1.0, 6.0);
            let half = number(side);
            let (x, y) = (f64::midpoint(left, right), f64::midpoint(top, bottom));
            let _ = write!(
                svg,
                r#"<path class="cross" d="M{} {}l{half} {half}m0-{half}l-{half} {half}"/>"#,
                number(x - side / 2.0),
                number(y - side / 2.0)
            );
        }
    }
    for (level, path) in paths {
        let _ = write!(svg, r#"<path class="cell h{level}" d="{path}"/>"#);
    }
}

fn draw_line(svg: &mut String, plot: &Plot, line: &PlotLine) {
    let mut path = RelativePath::default();
    for point in &line.points {
        path.to(x(&plot.x, point.0), y(&plot.y, point.1));
    }
    let (class, label, path) = (class(line.style), escape(&line.label), path.text);
    let _ = write!(svg, r#"<path class="line {class}" d="{path}"><title>{label}</title></path>"#);
}

fn rule_class(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Required => "required",
        RuleKind::Compared => "compared",
        RuleKind::Limit => "limit",
    }
}

/// A horizontal line. Its label is in the legend.
fn draw_rule(svg: &mut String, plot: &Plot, rule: &PlotRule) {
    let LabelArea { left, right, .. } = AREA;
    let (at, kind, label) = (number(y(&plot.y, rule.at)), rule_class(rule.kind), escape(&rule.label));
    let _ =
        write!(svg, r#"<path class="rule {kind}" d="M{left} {at}H{right}"><title>{label}</title></path>"#);
}

/// The marks, then their labels where there is space.
fn draw_marks(svg: &mut String, plot: &Plot) {
    let mut dots: BTreeMap<usize, String> = BTreeMap::new();
    for mark in &plot.marks {
        let is_plain = mark.text.is_empty() && mark.label.is_empty() && mark.interval.is_none();
        if is_plain && mark.shape == MarkShape::Dot {
            // A line without length has round ends, which are the dot.
            let (x, y) = (number(x(&plot.x, mark.x)), number(y(&plot.y, mark.y)));
            let _ = write!(dots.entry(mark.style).or_default(), "M{x} {y}h0");
        } else {
            draw_mark(svg, plot, mark);
        }
    }
    for (style, path) in dots {
        let _ = write!(svg, r#"<path class="dots {}" d="{path}"/>"#, class(style));
    }
    let labelled: Vec<&PlotMark> = plot.marks.iter().filter(|mark| !mark.label.is_empty()).collect();
    let anchor = |mark: &PlotMark| Anchor {
        x: x(&plot.x, mark.x),
        y: y(&plot.y, mark.y),
        width: LETTER * mark.label.chars().count() as f64,
    };
    let anchors: Vec<Anchor> = labelled.iter().map(|mark| anchor(mark)).collect();
    let lines = plot.lines.iter().flat_map(|line| &line.points);
    let lines = lines.map(|point| (x(&plot.x, point.0), y(&plot.y, point.1)));
    let of_interval = |mark: &PlotMark| {
        let (low, high) = mark.interval?;
        let at = |part: u32| y(&plot.y, low + (high - low) * f64::from(part) / 8.0);
        Some((0..=8).map(|part| (x(&plot.x, mark.x), at(part))).collect::<Vec<_>>())
    };
    let intervals = plot.marks.iter().filter_map(of_interval).flatten();
    let lines: Vec<(f64, f64)> = lines.chain(intervals).collect();
    for (mark, place) in labelled.iter().zip(labels::place(&anchors, &lines, &AREA)) {
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

fn draw_mark(svg: &mut String, plot: &Plot, mark: &PlotMark) {
    let at = (x(&plot.x, mark.x), y(&plot.y, mark.y));
    let (class, text) = (class(mark.style), escape(&mark.text));
    let _ = write!(svg, r#"<g class="mark {class}">"#);
    if !text.is_empty() {
        let _ = write!(svg, "<title>{text}</title>");
    }
    if let Some((low, high)) = mark.interval {
        let [low, high] = [low, high].map(|end| number(y(&plot.y, end)));
        let across = number(at.0 - 5.0);
        let _ = write!(
            svg,
            r#"<path class="interval" d="M{} {low}V{high}M{across} {low}h10M{across} {high}h10"/>"#,
            number(at.0)
        );
    }
    let size = if plot.marks.len() > FEW_MARKS && mark.label.is_empty() { 2.2 } else { 3.6 };
    svg.push_str(&symbol(mark.shape, at, size));
    svg.push_str("</g>");
}

/// The element of a shape.
pub(super) fn symbol(shape: MarkShape, (x, y): (f64, f64), size: f64) -> String {
    let at = |right: f64, down: f64| format!("{} {}", number(x + right * size), number(y + down * size));
    match shape {
        MarkShape::Dot => format!(r#"<circle cx="{}" cy="{}" r="{size}"/>"#, number(x), number(y)),
        MarkShape::Ring => {
            format!(r#"<circle class="ring" cx="{}" cy="{}" r="{size}"/>"#, number(x), number(y))
        }
        MarkShape::Diamond => {
            let [top, right, bottom, left] = [at(0.0, -1.35), at(1.35, 0.0), at(0.0, 1.35), at(-1.35, 0.0)];
            format!(r#"<path d="M{top}L{right}L{bottom}L{left}Z"/>"#)
        }
        // It points at the place from above.
        MarkShape::Triangle => {
            let [left, right, tip] = [at(-1.25, -2.2), at(1.25, -2.2), at(0.0, 0.0)];
            format!(r#"<path d="M{left}L{right}L{tip}Z"/>"#)
        }
        MarkShape::Square => {
            let [one, two, three, four] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
            format!(r#"<path d="M{one}L{two}L{three}L{four}Z"/>"#)
        }
    }
}

/// What a key shows, 26 wide and 14 high.
fn key(key: LegendKey) -> String {
    match key {
        LegendKey::Line(style) => format!(r#"<path class="line {}" d="M1 7H25"/>"#, class(style)),
        LegendKey::Mark(style, shape) => {
            let y = if shape == MarkShape::Triangle { 11.0 } else { 7.0 };
            format!(r#"<g class="mark {}">{}</g>"#, class(style), symbol(shape, (13.0, y), 3.6))
        }
        LegendKey::Rule(kind) => format!(r#"<path class="rule {}" d="M1 7H25"/>"#, rule_class(kind)),
        LegendKey::Level(level) => {
            format!(r#"<rect class="cell h{level}" x="5" y="1" width="16" height="12"/>"#)
        }
    }
}

/// A legend; nothing without entries.
fn legend(entries: &[LegendEntry]) -> String {
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

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
