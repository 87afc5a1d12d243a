//! The picture of all clauses: a strip of SVG for each clause between its name and its verdict.
//!
//! Positions are percentages, so that the strips fill any width while texts and symbols keep their size.
//!
//! Invariant: the words of a verdict and the shape of its mark state the same as its color.
//! Never here: numbers that the document does not hold.

use std::fmt::Write;

use super::{class, escape, legend, share, symbol};
use crate::document::{ClausePicture, ClauseRow, RowMark, Tone};

/// The height of a strip, and of its marks and dots from its upper edge.
const STRIP: f64 = 26.0;
const MARK: f64 = 9.0;
const DOT: f64 = 20.0;

/// The picture with its legend.
pub(in crate::renderers) fn draw(picture: &ClausePicture, leads: impl Fn(Option<&str>) -> bool) -> String {
    let mut html = String::from(
        "<figure class=\"picture\"><figcaption>All clauses, relative to their thresholds</figcaption>\n",
    );
    for row in &picture.rows {
        draw_row(&mut html, picture, row, leads(row.test.link.as_deref()));
    }
    axis(&mut html, picture);
    html + &legend(&picture.legend) + "<p class=\"small\">" + &escape(&picture.note) + "</p></figure>\n"
}

fn percent(picture: &ClausePicture, at: f64) -> String {
    let text = format!("{:.2}", share(&picture.axis, at) * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn draw_row(html: &mut String, picture: &ClausePicture, row: &ClauseRow, leads: bool) {
    let tone = tone(row);
    let test = escape(&row.test.text);
    let test = match row.test.link.as_ref().filter(|_| leads) {
        Some(link) => format!(r#"<a href="{}">{test}</a>"#, escape(link)),
        None => test,
    };
    let (criterion, verdict, value) = (escape(&row.criterion), escape(&row.verdict), escape(&row.value));
    let _ = write!(
        html,
        r#"<div class="row {tone}"><p class="clause"><b>{test}</b> <span>{criterion}</span></p>"#
    );
    strip(html, picture, row);
    let _ = writeln!(html, r#"<p class="outcome"><b>{verdict}</b> <span>{value}</span></p></div>"#);
}

/// The class of a tone.
fn tone(row: &ClauseRow) -> &'static str {
    match row.tone {
        Tone::Plain => "plain",
        Tone::Pass => "pass",
        Tone::Fail => "fail",
        Tone::Inconclusive => "inconclusive",
        Tone::Invalid => "invalid",
        Tone::NotRun => "not-run",
    }
}

fn strip(html: &mut String, picture: &ClausePicture, row: &ClauseRow) {
    let place = |at: f64| percent(picture, at);
    let label = escape(&format!("{}: {} {}", row.test.text, row.verdict, row.value));
    let _ = write!(html, r#"<svg class="strip" height="{STRIP}" role="img" aria-label="{label}">"#);
    if let Some((from, to)) = row.failing {
        let width = (share(&picture.axis, to) - share(&picture.axis, from)) * 100.0;
        let _ = write!(
            html,
            r#"<rect class="failing" x="{}%" y="0" width="{width:.2}%" height="{STRIP}">"#,
            place(from)
        );
        html.push_str("<title>does not meet the criterion</title></rect>");
    }
    if row.missing.is_empty() {
        let at = place(picture.threshold);
        let _ = write!(html, r#"<line class="threshold" x1="{at}%" x2="{at}%" y1="0" y2="{STRIP}"/>"#);
    } else {
        let _ = write!(html, r#"<text x="6" y="17">{}</text>"#, escape(&row.missing));
    }
    for dot in &row.dots {
        let _ = write!(
            html,
            r#"<circle class="repetition" cx="{}%" cy="{DOT}" r="2.4"><title>{}</title></circle>"#,
            place(dot.at),
            escape(&dot.text)
        );
    }
    if let Some((from, to, words)) = &row.interval {
        let (from, to, words) = (place(*from), place(*to), escape(words));
        let _ = write!(html, r#"<g class="interval"><title>{words}</title>"#);
        let _ = write!(html, r#"<line x1="{from}%" x2="{to}%" y1="{MARK}" y2="{MARK}"/>"#);
        for end in [from, to] {
            let (top, bottom) = (MARK - 4.0, MARK + 4.0);
            let _ = write!(html, r#"<line x1="{end}%" x2="{end}%" y1="{top}" y2="{bottom}"/>"#);
        }
        html.push_str("</g>");
    }
    if let Some(RowMark { at, text }) = &row.mark {
        let _ = write!(
            html,
            r#"<svg class="at" x="{}%" y="{MARK}"><g class="mark {}"><title>{}</title>{}</g></svg>"#,
            place(*at),
            class(row.style),
            escape(text),
            symbol(row.shape, (0.0, 0.0), 4.6)
        );
    }
    html.push_str("</svg>");
}

fn axis(html: &mut String, picture: &ClausePicture) {
    let _ = write!(
        html,
        r#"<div class="row axis"><p class="clause"></p><svg class="strip" height="38" aria-hidden="true">"#
    );
    html.push_str(r#"<line class="axis" x1="0%" x2="100%" y1="0.5" y2="0.5"/>"#);
    for tick in &picture.axis.ticks {
        let at = percent(picture, tick.at);
        let _ = write!(html, r#"<line class="axis" x1="{at}%" x2="{at}%" y1="0" y2="5"/>"#);
        let _ = write!(html, r#"<text x="{at}%" y="18" text-anchor="middle">{}</text>"#, escape(&tick.label));
    }
    let label = escape(&picture.axis.label);
    let _ = writeln!(
        html,
        r#"<text x="50%" y="34" text-anchor="middle">{label}</text></svg><p class="outcome"></p></div>"#
    );
}
