//! The chart of a series as SVG, small or large, and the legend of several charts.
//!
//! Classes of the style sheet `history.css` color it. Shapes and dashes distinguish what colors do.
//!
//! Invariant: well-formed XML for any chart. Every text is escaped.
//! Never here: colours, and numbers that the chart does not hold.

use std::fmt::Write;

use super::svg::{RelativePath, escape, number, share, symbol};
use crate::document::history::{
    ChangeSide, ChartBand, ChartLineKind, ChartNote, ChartPanel, ChartPoint, ChartShift, HistoryChart,
    PointLook,
};
use crate::document::{Axis, MarkShape};

/// The sizes of a chart, in its own units.
#[derive(Clone, Copy)]
pub(super) struct ChartSize {
    class: &'static str,
    width: f64,
    left: f64,
    right: f64,
    /// The space above each panel.
    above: f64,
    /// The height of the first panel, and of the others.
    heights: (f64, f64),
    /// The radius of points.
    radius: f64,
    /// The least distance of labels of the axis of values.
    between: f64,
    /// Whether panels have titles.
    has_titles: bool,
}

/// A small multiple.
pub(super) const SMALL: ChartSize = ChartSize {
    class: "small-chart",
    width: 300.0,
    left: 60.0,
    right: 294.0,
    above: 17.0,
    heights: (88.0, 88.0),
    radius: 1.7,
    between: 24.0,
    has_titles: false,
};
/// The chart of a page.
pub(super) const LARGE: ChartSize = ChartSize {
    class: "large-chart",
    width: 1060.0,
    left: 78.0,
    right: 1050.0,
    above: 36.0,
    heights: (300.0, 84.0),
    radius: 2.9,
    between: 16.0,
    has_titles: true,
};
/// Up to this number, points are larger, and above the other one smaller.
const FEW_POINTS: usize = 60;
const MANY_POINTS: usize = 300;
/// The space of the labels of the axis of time.
const TIME_LABELS: f64 = 24.0;
/// The width of a letter, about.
const LETTER: f64 = 6.6;
/// The least width of a band.
const BAND_MIN: f64 = 3.0;
/// Half the width of a cut.
const CUT: f64 = 3.0;

/// Where a panel is.
#[derive(Clone, Copy)]
struct PanelPlace<'c> {
    time: &'c Axis,
    size: ChartSize,
    top: f64,
    bottom: f64,
}

impl PanelPlace<'_> {
    fn x(&self, at: f64) -> f64 {
        self.size.left + share(self.time, at) * (self.size.right - self.size.left)
    }

    fn y(&self, axis: &Axis, at: f64) -> f64 {
        self.bottom - share(axis, at) * (self.bottom - self.top)
    }
}

/// The chart as one `svg` element.
pub(super) fn draw(chart: &HistoryChart, size: ChartSize) -> String {
    let mut top = 0.0;
    let mut places = Vec::new();
    for number in 0..chart.panels.len() {
        let height = if number == 0 { size.heights.0 } else { size.heights.1 };
        top += size.above;
        places.push(PanelPlace { time: &chart.time, size, top, bottom: top + height });
        top += height;
    }
    let (class, width, height) = (size.class, size.width, top + TIME_LABELS);
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        r#"<svg class="chart {class}" viewBox="0 0 {width} {height}" role="img" aria-label="{}">"#,
        escape(&chart.label)
    );
    for (panel, place) in chart.panels.iter().zip(&places) {
        chart.bands.iter().for_each(|band| draw_band(&mut svg, band, *place));
        draw_panel(&mut svg, panel, *place);
        chart.cuts.iter().for_each(|cut| draw_cut(&mut svg, cut, *place));
    }
    if let Some(place) = places.last() {
        time_labels(&mut svg, *place);
    }
    svg + "</svg>"
}

fn draw_panel(svg: &mut String, panel: &ChartPanel, place: PanelPlace<'_>) {
    frame(svg, panel, place);
    panel.shifts.iter().for_each(|shift| draw_shift(svg, shift, place));
    let size = match panel.points.len() {
        few if few <= FEW_POINTS => place.size.radius * 1.3,
        many if many > MANY_POINTS => place.size.radius * 0.8,
        _ => place.size.radius,
    };
    panel.points.iter().for_each(|point| draw_point(svg, point, &panel.axis, place, size));
    for line in &panel.lines {
        let mut path = RelativePath::default();
        line.points.iter().for_each(|(at, y)| path.to(place.x(*at), place.y(&panel.axis, *y)));
        let (class, text) = (line_class(line.kind), escape(&line.text));
        let _ = write!(svg, r#"<path class="{class}" d="{}"><title>{text}</title></path>"#, path.text);
    }
    for note in &panel.unusable {
        let (x, y) = (number(place.x(note.at) - 2.5), number(place.bottom - 7.5));
        let text = escape(&note.text);
        let _ =
            write!(svg, r#"<path class="unusable" d="M{x} {y}l5 5m-5 0l5 -5"><title>{text}</title></path>"#);
    }
    shift_labels(svg, &panel.shifts, place);
}

fn line_class(kind: ChartLineKind) -> &'static str {
    match kind {
        ChartLineKind::Level => "level",
        ChartLineKind::Drift => "drift",
        ChartLineKind::Threshold => "threshold-line",
    }
}

fn frame(svg: &mut String, panel: &ChartPanel, place: PanelPlace<'_>) {
    let ChartSize { left, right, between, has_titles, .. } = place.size;
    let (mut grid, mut texts, mut labelled) = (String::new(), String::new(), f64::INFINITY);
    for tick in &panel.axis.ticks {
        let at = place.y(&panel.axis, tick.at);
        let _ = write!(grid, "M{left} {}H{right}", number(at));
        if labelled - at >= between {
            let _ = write!(
                texts,
                r#"<text class="ytick" x="{}" y="{}">{}</text>"#,
                number(left - 6.0),
                number(at + 4.0),
                escape(&tick.label)
            );
            labelled = at;
        }
    }
    let (top, bottom) = (number(place.top), number(place.bottom));
    for tick in &place.time.ticks {
        let _ = write!(grid, "M{} {top}V{bottom}", number(place.x(tick.at)));
    }
    if has_titles {
        let title = escape(&panel.axis.label);
        let _ =
            write!(texts, r#"<text class="ylabel" x="4" y="{}">{title}</text>"#, number(place.top - 10.0));
    }
    let _ = write!(
        svg,
        r#"<path class="grid" d="{grid}"/><path class="axis" d="M{left} {top}V{bottom}H{right}"/>{texts}"#
    );
}

fn time_labels(svg: &mut String, place: PanelPlace<'_>) {
    let mut written = f64::MIN;
    for tick in &place.time.ticks {
        let half = LETTER / 2.0 * tick.label.chars().count() as f64;
        let at = place.x(tick.at).clamp(half, place.size.width - half);
        if at - half > written {
            let (x, y, label) = (number(at), number(place.bottom + 17.0), escape(&tick.label));
            let _ = write!(svg, r#"<text class="xtick" x="{x}" y="{y}">{label}</text>"#);
            written = at + half + 8.0;
        }
    }
}

/// A vertical area between two times, at least `BAND_MIN` wide.
fn area(place: PanelPlace<'_>, from: f64, to: f64) -> String {
    let (from, to) = (place.x(from), place.x(to));
    let missing = (BAND_MIN - (to - from)).max(0.0);
    let (from, width) = (from - missing / 2.0, to - from + missing);
    let (x, y, height) = (number(from), number(place.top), number(place.bottom - place.top));
    format!(r#"x="{x}" y="{y}" width="{}" height="{height}""#, number(width))
}

fn draw_band(svg: &mut String, band: &ChartBand, place: PanelPlace<'_>) {
    let (area, text) = (area(place, band.from, band.to), escape(&band.text));
    let rect = format!(r#"<rect class="event" {area}><title>{text}</title></rect>"#);
    match band.link.is_empty() {
        true => svg.push_str(&rect),
        false => {
            let _ = write!(svg, r#"<a href="{}">{rect}</a>"#, escape(&band.link));
        }
    }
}

fn draw_cut(svg: &mut String, cut: &ChartNote, place: PanelPlace<'_>) {
    let (x, text) = (place.x(cut.at), escape(&cut.text));
    let (top, bottom) = (number(place.top - 4.0), number(place.bottom + 4.0));
    let (left, right, width) = (number(x - CUT), number(x + CUT), 2.0 * CUT);
    let height = number(place.bottom - place.top + 8.0);
    let _ = write!(svg, r#"<g class="cut"><title>{text}</title><rect x="{left}" y="{top}" width="{width}" "#);
    let _ = write!(svg, r#"height="{height}"/>"#);
    let _ = write!(svg, r#"<path d="M{left} {top}V{bottom}M{right} {top}V{bottom}"/></g>"#);
}

fn side_class(side: ChangeSide) -> &'static str {
    match side {
        ChangeSide::Faster => "faster",
        ChangeSide::Slower => "slower",
        ChangeSide::Neither => "other-level",
    }
}

fn draw_shift(svg: &mut String, shift: &ChartShift, place: PanelPlace<'_>) {
    let (class, text) = (side_class(shift.side), escape(&shift.text));
    let (x, top, bottom) = (number(place.x(shift.at)), number(place.top), number(place.bottom));
    let area = area(place, shift.from, shift.to);
    let _ = write!(svg, r#"<g class="shift {class}"><title>{text}</title><rect {area}/>"#);
    let _ = write!(svg, r#"<path d="M{x} {top}V{bottom}"/></g>"#);
}

/// The labels of shifts above the panel, the largest first. A label without space is left out.
fn shift_labels(svg: &mut String, shifts: &[ChartShift], place: PanelPlace<'_>) {
    let mut by_size: Vec<&ChartShift> = shifts.iter().collect();
    by_size.sort_by(|one, other| other.size.total_cmp(&one.size));
    let mut taken: Vec<(f64, f64)> = Vec::new();
    for shift in by_size {
        let half = LETTER / 2.0 * shift.label.chars().count() as f64 + 2.0;
        let x = place.x(shift.at).clamp(place.size.left + half, place.size.width - half);
        if taken.iter().any(|(left, right)| x - half < *right && x + half > *left) {
            continue;
        }
        taken.push((x - half, x + half));
        let (class, label, text) = (side_class(shift.side), escape(&shift.label), escape(&shift.text));
        let (x, y) = (number(x), number(place.top - 4.0));
        let _ = write!(
            svg,
            r#"<text class="shift-label {class}" x="{x}" y="{y}">{label}<title>{text}</title></text>"#
        );
    }
}

/// The class and the shape of a look.
fn appearance(look: PointLook) -> (&'static str, MarkShape) {
    match look {
        PointLook::Pass => ("pass", MarkShape::Dot),
        PointLook::Fail => ("fail", MarkShape::Square),
        PointLook::Inconclusive => ("inconclusive", MarkShape::Diamond),
        PointLook::Invalid => ("invalid", MarkShape::Triangle),
        PointLook::Unjudged => ("unjudged", MarkShape::Dot),
    }
}

fn draw_point(svg: &mut String, point: &ChartPoint, axis: &Axis, place: PanelPlace<'_>, size: f64) {
    let (class, shape) = appearance(point.look);
    let (x, y) = (place.x(point.at), place.y(axis, point.y));
    let _ = write!(svg, r#"<g class="point {class}"><title>{}</title>"#, escape(&point.text));
    if let Some((low, high)) = point.spread {
        let [low, high] = [low, high].map(|end| number(place.y(axis, end)));
        let _ = write!(svg, r#"<path class="spread" d="M{} {low}V{high}"/>"#, number(x));
    }
    if point.is_outlier {
        let _ = write!(
            svg,
            r#"<circle class="outlier" cx="{}" cy="{}" r="{}"/>"#,
            number(x),
            number(y),
            size + 1.8
        );
    }
    svg.push_str(&symbol(shape, (x, y), size));
    svg.push_str("</g>");
}

/// What the symbols of these charts mean.
pub(super) fn legend<'c>(charts: impl Iterator<Item = &'c HistoryChart> + Clone) -> String {
    let panels = || charts.clone().flat_map(|chart| &chart.panels);
    let values = || charts.clone().filter_map(|chart| chart.panels.first());
    let mut html = String::from(r#"<p class="keys">"#);
    let mut add = |is_used: bool, drawn: &str, label: &str| {
        if is_used {
            let _ = write!(
                html,
                r#"<span><svg class="key chart" aria-hidden="true">{drawn}</svg> {label}</span> "#
            );
        }
    };
    for (look, label) in [
        (PointLook::Pass, "PASS"),
        (PointLook::Fail, "FAIL"),
        (PointLook::Inconclusive, "INCONCLUSIVE"),
        (PointLook::Invalid, "INVALID"),
        (PointLook::Unjudged, "no clause"),
    ] {
        let (class, shape) = appearance(look);
        let y = if shape == MarkShape::Triangle { 11.0 } else { 7.0 };
        let drawn = format!(r#"<g class="point {class}">{}</g>"#, symbol(shape, (13.0, y), 3.4));
        add(values().any(|panel| panel.points.iter().any(|point| point.look == look)), &drawn, label);
    }
    let has = |kind: ChartLineKind| panels().any(|panel| panel.lines.iter().any(|line| line.kind == kind));
    let has_outlier = values().any(|panel| panel.points.iter().any(|point| point.is_outlier));
    add(has_outlier, r#"<g class="point"><circle class="outlier" cx="13" cy="7" r="5"/></g>"#, "outlier");
    for (kind, label) in [
        (ChartLineKind::Level, "level"),
        (ChartLineKind::Drift, "drift"),
        (ChartLineKind::Threshold, "threshold"),
    ] {
        add(has(kind), &format!(r#"<path class="{}" d="M1 7H25"/>"#, line_class(kind)), label);
    }
    let shift =
        r#"<g class="shift other-level"><rect x="4" y="0" width="18" height="14"/><path d="M13 0V14"/></g>"#;
    add(panels().any(|panel| !panel.shifts.is_empty()), shift, "level shift, and when it can be");
    let event = r#"<rect class="event" x="4" y="0" width="18" height="14"/>"#;
    add(charts.clone().any(|chart| !chart.bands.is_empty()), event, "event of several series");
    let cut = r#"<g class="cut"><rect x="10" y="0" width="6" height="14"/><path d="M10 0V14M16 0V14"/></g>"#;
    add(charts.clone().any(|chart| !chart.cuts.is_empty()), cut, "not comparable from here on");
    let cross = r#"<path class="unusable" d="M10 4l6 6m-6 0l6 -6"/>"#;
    add(panels().any(|panel| !panel.unusable.is_empty()), cross, "no usable values");
    html + "</p>"
}
