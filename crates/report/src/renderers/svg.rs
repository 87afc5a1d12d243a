//! A plot as SVG. Classes of the page's style sheet colour it, so that it follows the light and dark schemes.
//!
//! A plotting crate is not needed: a few elements suffice, and the page decides text and colours.
//!
//! Invariant: well-formed XML for any plot. Every text is escaped.
//! Never here: colours, and numbers that the document does not hold.

use std::fmt::Write;

use crate::document::{Axis, Plot, PlotLine, PlotMark, PlotTick};

/// Width and height of the drawing, in its own units.
const SIZE: (f64, f64) = (520.0, 300.0);
/// The corners of the area between the axes: left, top, right, bottom.
const AREA: (f64, f64, f64, f64) = (74.0, 24.0, 508.0, 252.0);
/// The number of line classes in the style sheet. Further lines start again with the first.
const CLASSES: usize = 8;

/// The plot as one `svg` element.
pub(super) fn draw(plot: &Plot) -> String {
    let mut svg = String::new();
    let (width, height) = SIZE;
    let title = escape(&plot.title);
    // Writing to a string cannot fail.
    let _ = write!(svg, r#"<svg viewBox="0 0 {width} {height}" role="img" aria-label="{title}">"#);
    frame(&mut svg, plot);
    for (number, line) in plot.lines.iter().enumerate().filter(|(_, line)| !line.points.is_empty()) {
        draw_line(&mut svg, plot, number, line);
    }
    for rule in &plot.rules {
        draw_rule(&mut svg, plot, rule);
    }
    let mut below = 0;
    for mark in &plot.marks {
        draw_mark(&mut svg, plot, mark, &mut below);
    }
    svg.push_str("</svg>");
    svg
}

/// The class of a line, also for its legend.
pub(super) fn class(line: usize) -> String {
    format!("s{}", line % CLASSES)
}

fn x(axis: &Axis, at: f64) -> f64 {
    AREA.0 + share(axis, at) * (AREA.2 - AREA.0)
}

fn y(axis: &Axis, at: f64) -> f64 {
    AREA.3 - share(axis, at) * (AREA.3 - AREA.1)
}

/// The position of a coordinate on its axis, 0 to 1; 0 if the axis has no length.
fn share(axis: &Axis, at: f64) -> f64 {
    let share = (at - axis.from) / (axis.to - axis.from);
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 }
}

fn frame(svg: &mut String, plot: &Plot) {
    let (left, top, right, bottom) = AREA;
    for tick in &plot.y.ticks {
        let (at, label) = (y(&plot.y, tick.at), escape(&tick.label));
        let _ = write!(svg, r#"<path class="grid" d="M{left} {at:.1}H{right}"/>"#);
        let _ =
            write!(svg, r#"<text class="ytick" x="{:.1}" y="{:.1}">{label}</text>"#, left - 6.0, at + 4.0);
    }
    let mut written = f64::MIN;
    for tick in &plot.x.ticks {
        let (at, label) = (x(&plot.x, tick.at), escape(&tick.label));
        let _ = write!(svg, r#"<path class="grid" d="M{at:.1} {top}V{bottom}"/>"#);
        let half = 3.4 * tick.label.chars().count() as f64;
        if at - half > written {
            let _ = write!(svg, r#"<text class="xtick" x="{at:.1}" y="{:.1}">{label}</text>"#, bottom + 17.0);
            written = at + half + 4.0;
        }
    }
    let _ = write!(svg, r#"<path class="axis" d="M{left} {top}V{bottom}H{right}"/>"#);
    let (across, label) = ((left + right) / 2.0, escape(&plot.x.label));
    let _ = write!(svg, r#"<text class="xlabel" x="{across}" y="{:.1}">{label}</text>"#, bottom + 38.0);
    let _ = write!(svg, r#"<text class="ylabel" x="4" y="14">{}</text>"#, escape(&plot.y.label));
}

fn draw_line(svg: &mut String, plot: &Plot, number: usize, line: &PlotLine) {
    let mut path = String::new();
    for (at, point) in line.points.iter().enumerate() {
        let pen = if at == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{pen}{:.1} {:.1}", x(&plot.x, point.0), y(&plot.y, point.1));
    }
    let (class, label) = (class(number), escape(&line.label));
    let _ = write!(svg, r#"<path class="line {class}" d="{path}"><title>{label}</title></path>"#);
}

/// A horizontal line. Its label is at the top right, where there are no data.
fn draw_rule(svg: &mut String, plot: &Plot, rule: &PlotTick) {
    let (left, _, right, _) = AREA;
    let (at, label) = (y(&plot.y, rule.at), escape(&rule.label));
    let _ = write!(svg, r#"<path class="rule" d="M{left} {at:.1}H{right}"/>"#);
    let _ = write!(svg, r#"<text class="rule" x="{right}" y="14">– – {label}</text>"#);
}

/// A dot with its label above and to the left, where a rising line leaves space. Labels of marks near the
/// left edge are below and to the right, each below the previous one.
fn draw_mark(svg: &mut String, plot: &Plot, mark: &PlotMark, below: &mut u32) {
    let (x, y, label) = (x(&plot.x, mark.x), y(&plot.y, mark.y), escape(&mark.label));
    let class = class(mark.line);
    if mark.label.is_empty() {
        let _ = write!(svg, r#"<circle class="dot {class}" cx="{x:.1}" cy="{y:.1}" r="2"/>"#);
        return;
    }
    let _ = write!(svg, r#"<circle class="mark {class}" cx="{x:.1}" cy="{y:.1}" r="3.5"/>"#);
    let width = 7.0 * mark.label.chars().count() as f64;
    let (anchor, at, height) = if x - width < AREA.0 {
        *below += 1;
        ("start", x + 4.0, y + 3.0 + 14.0 * f64::from(*below))
    } else {
        ("end", x - 3.0, y - 7.0)
    };
    let _ = write!(svg, r#"<text class="mark {anchor}" x="{at:.1}" y="{height:.1}">{label}</text>"#);
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
