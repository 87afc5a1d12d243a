//! The picture of all clauses: a strip of SVG for each clause between its name and its verdict.
//!
//! Positions are percentages, so that the strips fill any width while texts and symbols keep their size.
//!
//! Invariant: the words of a verdict and the shape of its mark state the same as its color.
//! Never here: numbers that the document does not hold.

use std::fmt::Write;

use super::{escape, hover_text, legend, mark_class, span_class, symbol, tone_class};
use crate::document::{Axis, ClausePicture, ClauseRow, PlotMark, SpanKind};

/// The height of a strip.
const STRIP: f64 = 26.0;
/// The distance from the upper edge at the lower and at the upper end of the vertical axis.
const ENDS: (f64, f64) = (20.0, 9.0);

pub(in crate::renderers) fn draw(picture: &ClausePicture, leads: impl Fn(Option<&str>) -> bool) -> String {
    let mut html = String::from(
        "<figure class=\"picture\"><figcaption>All clauses, relative to their thresholds</figcaption>\n",
    );
    for row in &picture.rows {
        let (test, tone) = (escape(&row.test.text), tone_class(row.verdict.tone));
        let test = match row.test.link.as_deref().filter(|link| leads(Some(link))) {
            Some(link) => format!(r#"<a href="{}">{test}</a>"#, escape(link)),
            None => test,
        };
        let [criterion, verdict, value] =
            [&row.criterion, &row.verdict.text, &row.value].map(|text| escape(text));
        let strip = strip(row);
        let _ = writeln!(
            html,
            "<div class=\"row {tone}\"><p class=\"clause\"><b>{test}</b> <span>{criterion}</span></p>{strip}\
             <p class=\"outcome\"><b>{verdict}</b> <span>{value}</span></p></div>"
        );
    }
    draw_axis(&mut html, &picture.axis);
    html + &legend(&picture.legend) + "<p class=\"small\">" + &escape(&picture.note) + "</p></figure>\n"
}

fn percent(share: f64) -> String {
    format!("{}%", units::trimmed(&format!("{:.2}", share * 100.0)))
}

fn strip(row: &ClauseRow) -> String {
    let plot = &row.plot;
    let x = |at: f64| plot.x.share(at);
    let y = |at: f64| ENDS.0 + plot.y.share(at) * (ENDS.1 - ENDS.0);
    let label = escape(&format!("{}: {} {}", row.test.text, row.verdict.text, row.value));
    let mut svg = format!(r#"<svg class="strip" height="{STRIP}" role="img" aria-label="{label}">"#);
    for span in &plot.spans {
        let from = percent(x(span.from));
        if span.kind == SpanKind::Base {
            svg += &vertical("threshold", &from, (0.0, STRIP));
            continue;
        }
        let (class, hover, width) =
            (span_class(span), hover_text(&span.text), percent(x(span.to) - x(span.from)));
        let _ = write!(
            svg,
            r#"<rect class="{class}" x="{from}" y="0" width="{width}" height="{STRIP}">{hover}</rect>"#
        );
    }
    if !row.missing.is_empty() {
        let _ = write!(svg, r#"<text x="6" y="17">{}</text>"#, escape(&row.missing));
    }
    for line in &plot.lines {
        let _ = write!(svg, r#"<g class="interval">{}"#, hover_text(&line.label));
        let [from, to] = [line.points.first(), line.points.last()].map(|point| *point.unwrap_or(&(0.0, 0.0)));
        let (at, [from, to]) = (y(from.1), [from.0, to.0].map(|end| percent(x(end))));
        let _ = write!(svg, r#"<line x1="{from}" x2="{to}" y1="{at}" y2="{at}"/>"#);
        for end in [from, to] {
            svg += &vertical("end", &end, (at - 4.0, at + 4.0));
        }
        svg.push_str("</g>");
    }
    for PlotMark { x: at, y: up, text, style, shape, .. } in &plot.marks {
        let (at, up, size) = (percent(x(*at)), y(*up), if *up > 0.0 { 4.6 } else { 2.4 });
        let (class, hover, symbol) = (mark_class(*style), hover_text(text), symbol(*shape, (0.0, 0.0), size));
        let _ =
            write!(svg, r#"<svg class="at" x="{at}" y="{up}"><g class="{class}">{hover}{symbol}</g></svg>"#);
    }
    svg + "</svg>"
}

fn vertical(class: &str, at: &str, (from, to): (f64, f64)) -> String {
    format!(r#"<line class="{class}" x1="{at}" x2="{at}" y1="{from}" y2="{to}"/>"#)
}

fn draw_axis(html: &mut String, axis: &Axis) {
    let _ = write!(
        html,
        r#"<div class="row axis"><p class="clause"></p><svg class="strip" height="38" aria-hidden="true">"#
    );
    html.push_str(r#"<line class="axis" x1="0%" x2="100%" y1="0.5" y2="0.5"/>"#);
    for tick in &axis.ticks {
        let at = percent(axis.share(tick.at));
        *html += &vertical("axis", &at, (0.0, 5.0));
        let _ = write!(html, r#"<text x="{at}" y="18" text-anchor="middle">{}</text>"#, escape(&tick.label));
    }
    let label = escape(&axis.label);
    let _ = writeln!(
        html,
        r#"<text x="50%" y="34" text-anchor="middle">{label}</text></svg><p class="outcome"></p></div>"#
    );
}
