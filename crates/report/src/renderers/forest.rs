//! The ratios of a comparison as SVG: a line for each, with its interval.
//!
//! Invariant: well-formed XML for any plot. Every text is escaped.
//! Never here: colours, and numbers that the document does not hold.

use std::fmt::Write;

use super::svg::escape;
use crate::document::{ForestLine, ForestPlot, Tone};

/// Width of the drawing, and of its area between the axes: left and right.
const WIDTH: f64 = 820.0;
const AREA: (f64, f64) = (300.0, 800.0);
/// The height of a line, of the space above the first, and of the axis below the last.
const LINE: f64 = 22.0;
const TOP: f64 = 8.0;
const AXIS: f64 = 26.0;
/// The most characters of a label that fit to the left of the area.
const LABEL_MAX: usize = 42;
/// The characters of a long label before the part that is left out.
const LABEL_BEGIN: usize = 8;

/// The plot as one `svg` element.
pub(super) fn draw(plot: &ForestPlot) -> String {
    let bottom = TOP + LINE * plot.lines.len() as f64;
    let height = bottom + AXIS;
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ =
        write!(svg, r#"<svg class="forest" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="Ratios">"#);
    for tick in &plot.ticks {
        let (at, label) = (x(tick.at), escape(&tick.label));
        let _ = write!(svg, r#"<path class="grid" d="M{at:.1} {TOP}V{bottom}"/>"#);
        let _ = write!(svg, r#"<text class="xtick" x="{at:.1}" y="{:.1}">{label}</text>"#, bottom + 17.0);
    }
    let _ = write!(svg, r#"<path class="base" d="M{:.1} {TOP}V{bottom}"/>"#, x(plot.baseline));
    for (number, line) in plot.lines.iter().enumerate() {
        draw_line(&mut svg, line, TOP + LINE * (number as f64 + 0.5));
    }
    svg.push_str("</svg>");
    svg
}

fn x(share: f64) -> f64 {
    AREA.0 + share * (AREA.1 - AREA.0)
}

fn draw_line(svg: &mut String, line: &ForestLine, y: f64) {
    let class = match line.tone {
        Tone::Plain => "",
        Tone::Pass => "pass",
        Tone::Fail => "fail",
        Tone::Inconclusive => "inconclusive",
        Tone::Invalid => "invalid",
        Tone::NotRun => "not-run",
    };
    let _ = write!(svg, r#"<g class="{class}"><title>{}</title>"#, escape(&line.title));
    let label = escape(&shortened(&line.label));
    let _ = write!(svg, r#"<text class="label" x="{:.1}" y="{:.1}">{label}</text>"#, AREA.0 - 10.0, y + 4.0);
    let [low, high] = [line.ends.0, line.ends.1].map(x);
    let _ = write!(svg, r#"<path class="thin" d="M{low:.1} {y:.1}H{high:.1}"/>"#);
    for (is_cut, at, way) in [(line.is_cut.0, low, -1.0), (line.is_cut.1, high, 1.0)] {
        match is_cut {
            true => {
                let (back, up, down) = (at - 7.0 * way, y - 4.0, y + 4.0);
                let _ =
                    write!(svg, r#"<path class="cut" d="M{at:.1} {y:.1}L{back:.1} {up:.1}V{down:.1}Z"/>"#);
            }
            false => {
                let _ = write!(svg, r#"<path class="thin" d="M{at:.1} {:.1}V{:.1}"/>"#, y - 4.0, y + 4.0);
            }
        }
    }
    let [low, high] = [line.alone.0, line.alone.1].map(x);
    let _ = write!(svg, r#"<path class="thick" d="M{low:.1} {y:.1}H{high:.1}"/>"#);
    let _ = write!(svg, r#"<circle class="point" cx="{:.1}" cy="{y:.1}" r="4"/></g>"#, x(line.at));
}

/// The begin and the end of a long label: the campaign, and the metric.
fn shortened(label: &str) -> String {
    let count = label.chars().count();
    if count <= LABEL_MAX {
        return label.to_owned();
    }
    let begin: String = label.chars().take(LABEL_BEGIN).collect();
    let end: String = label.chars().skip(count + LABEL_BEGIN + 1 - LABEL_MAX).collect();
    format!("{begin}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_label_keeps_its_campaign_and_its_metric() {
        let label = |campaign: &str| format!("{campaign}: random-reads-of-very-small-blocks read.iops");
        let [one, other] = ["B", "C"].map(|campaign| shortened(&label(campaign)));
        assert_eq!(one, "B: rando…ds-of-very-small-blocks read.iops");
        assert_eq!(one.chars().count(), LABEL_MAX);
        assert_ne!(one, other);
        assert_eq!(shortened("A: W write.bw"), "A: W write.bw");
    }
}
