//! A series on a terminal: a chart of characters with lists below it, and a sparkline.
//!
//! Invariant: no line is wider than asked for, unless a single word is wider.
//! Never here: numbers that the chart does not hold.

use units::{characters, wrap};

use super::text::clean;
use crate::document::history::SeriesText;
use crate::document::{Axis, LineStyle, MarkShape, MarkStyle, Plot, SpanKind, Tone};

/// The rows of a chart.
const ROWS: usize = 12;
/// The columns to the left of a chart.
const LABELS: usize = 11;

/// The characters of charts and sparklines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawingCharacters {
    /// Lines and blocks of Unicode.
    Unicode,
    /// Only ASCII, for a terminal with another encoding.
    Ascii,
}

/// The columns of the chart on a terminal of this width.
pub(crate) fn chart_columns(width: usize) -> usize {
    width.saturating_sub(LABELS + 2).clamp(20, 100)
}

/// The series in lines of at most `width` columns.
pub(crate) fn series(text: &SeriesText, width: usize, characters: DrawingCharacters) -> String {
    let mut out = String::new();
    for line in [&text.title, &text.summary] {
        wrapped(&mut out, "", line, width);
    }
    out.push('\n');
    draw(&mut out, &text.chart, width, characters);
    for list in &text.lists {
        out += &format!("\n{}\n", list.title);
        list.lines.iter().for_each(|line| wrapped(&mut out, "  ", line, width));
    }
    out
}

/// Lines of a text. Two spaces after each other stay, unless they end a line.
fn wrapped(out: &mut String, lead: &str, text: &str, width: usize) {
    let text = clean(text);
    if characters(lead) + characters(&text) <= width {
        *out += &format!("{lead}{text}\n");
        return;
    }
    let most = width.saturating_sub(characters(lead) + 2);
    for (at, line) in wrap(&text, most, most, characters).iter().enumerate() {
        *out += &format!("{lead}{}{line}\n", if at > 0 { "  " } else { "" });
    }
}

/// What a cell shows, the more important later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum CellMark {
    Shift,
    Threshold,
    Unjudged,
    Pass,
    Drift,
    Level,
    Outlier,
    Inconclusive,
    Invalid,
    Fail,
    Unusable,
    Cut,
}

/// Marks with their characters, in Unicode and in ASCII, and their meanings.
const MARKS: [(CellMark, char, char, &str); 12] = [
    (CellMark::Unjudged, '·', '.', "no clause"),
    (CellMark::Pass, '+', '+', "PASS"),
    (CellMark::Fail, 'F', 'F', "FAIL"),
    (CellMark::Inconclusive, '?', '?', "INCONCLUSIVE"),
    (CellMark::Invalid, '!', '!', "INVALID"),
    (CellMark::Outlier, 'o', 'o', "outlier"),
    (CellMark::Level, '─', '-', "level"),
    (CellMark::Drift, '╌', '~', "drift"),
    (CellMark::Threshold, '┈', '_', "threshold"),
    (CellMark::Shift, '┊', ':', "shift"),
    (CellMark::Cut, '║', '#', "not comparable from here"),
    (CellMark::Unusable, '×', 'x', "no usable values"),
];

struct CellChart {
    cells: Vec<Option<CellMark>>,
    columns: usize,
}

impl CellChart {
    fn new(plot: &Plot, columns: usize) -> Self {
        let mut all = Self { cells: vec![None; columns * ROWS], columns };
        for span in &plot.spans {
            let mark = match span.kind {
                SpanKind::Shift => CellMark::Shift,
                SpanKind::Cut => CellMark::Cut,
                SpanKind::Hover | SpanKind::Event | SpanKind::Failing | SpanKind::Base => continue,
            };
            let column = all.column(&plot.x, span.at);
            (0..ROWS).for_each(|row| all.mark(column, row, mark));
        }
        for point in &plot.marks {
            let mark = match point.style {
                _ if point.shape == MarkShape::Cross => CellMark::Unusable,
                MarkStyle::Toned(Tone::Fail) => CellMark::Fail,
                MarkStyle::Toned(Tone::Inconclusive) => CellMark::Inconclusive,
                MarkStyle::Toned(Tone::Invalid) => CellMark::Invalid,
                _ if point.is_outlier => CellMark::Outlier,
                MarkStyle::Toned(Tone::Pass) => CellMark::Pass,
                MarkStyle::Toned(Tone::Plain | Tone::NotRun) | MarkStyle::Series(_) => CellMark::Unjudged,
            };
            all.mark(all.column(&plot.x, point.x), row(&plot.y, point.y), mark);
        }
        for line in &plot.lines {
            let mark = match line.style {
                LineStyle::Drift => CellMark::Drift,
                LineStyle::Threshold | LineStyle::Required | LineStyle::Limit => CellMark::Threshold,
                LineStyle::Level
                | LineStyle::Series(_)
                | LineStyle::Compared
                | LineStyle::Together(_)
                | LineStyle::Alone(_) => CellMark::Level,
            };
            for pair in line.points.windows(2) {
                let (from, to) = (all.column(&plot.x, pair[0].0), all.column(&plot.x, pair[1].0));
                for column in from..=to {
                    let part = (column - from) as f64 / (to - from).max(1) as f64;
                    let y = pair[0].1 + (pair[1].1 - pair[0].1) * part;
                    all.mark(column, row(&plot.y, y), mark);
                }
            }
        }
        all
    }

    fn mark(&mut self, column: usize, row: usize, mark: CellMark) {
        let cell = &mut self.cells[row * self.columns + column];
        *cell = (*cell).max(Some(mark));
    }

    fn column(&self, x: &Axis, at: f64) -> usize {
        ((x.share(at) * self.columns as f64) as usize).min(self.columns - 1)
    }
}

fn row(axis: &Axis, y: f64) -> usize {
    ROWS - 1 - ((axis.share(y) * ROWS as f64) as usize).min(ROWS - 1)
}

fn draw(out: &mut String, plot: &Plot, width: usize, characters: DrawingCharacters) {
    let is_ascii = characters == DrawingCharacters::Ascii;
    let all = CellChart::new(plot, chart_columns(width));
    let (edge, corner, line) = if is_ascii { ('|', '+', '-') } else { ('│', '└', '─') };
    let character = |mark: CellMark| {
        let found = MARKS.iter().find(|(one, ..)| *one == mark);
        found.map_or(' ', |(_, unicode, ascii, _)| if is_ascii { *ascii } else { *unicode })
    };
    for (at, cells) in all.cells.chunks(all.columns).enumerate() {
        let tick = plot.y.ticks.iter().find(|tick| row(&plot.y, tick.at) == at);
        let label = tick.map_or(String::new(), |tick| clean(&tick.label));
        let cells: String = cells.iter().map(|cell| cell.map_or(' ', character)).collect();
        *out += format!("{label:>LABELS$} {edge}{cells}").trim_end();
        out.push('\n');
    }
    *out += &format!("{:LABELS$} {corner}{}\n", "", line.to_string().repeat(all.columns));
    *out += &time_labels(&plot.x, &all);
    let used = MARKS.iter().filter(|(mark, ..)| all.cells.contains(&Some(*mark)));
    let keys: Vec<String> =
        used.map(|(mark, _, _, meaning)| format!("{} {meaning}", character(*mark))).collect();
    wrapped(out, "  ", &keys.join(", "), width);
}

fn time_labels(time: &Axis, all: &CellChart) -> String {
    let mut line = String::new();
    for tick in &time.ticks {
        let half = tick.label.chars().count() / 2;
        let start = (LABELS + 2 + all.column(time, tick.at)).saturating_sub(half);
        let is_free = line.is_empty() || start > line.chars().count() + 1;
        if is_free && start + tick.label.chars().count() <= LABELS + 2 + all.columns {
            line += &" ".repeat(start - line.chars().count());
            line += &tick.label;
        }
    }
    line + "\n"
}

/// Values in at most `columns` characters, from the lowest to the highest. Each character has an equal
/// share of the values, and shows their median; `×` or `x` is a share without a value.
pub fn sparkline(values: &[Option<f64>], columns: usize, characters: DrawingCharacters) -> String {
    let (levels, unusable): (&[char], char) = match characters {
        DrawingCharacters::Unicode => (&['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'], '×'),
        DrawingCharacters::Ascii => (&['_', '.', '-', '=', '+', '*', '#', '@'], 'x'),
    };
    let columns = columns.min(values.len());
    let median = |column: usize| {
        let part = &values[column * values.len() / columns..(column + 1) * values.len() / columns];
        let mut known: Vec<f64> = part.iter().flatten().copied().filter(|value| value.is_finite()).collect();
        known.sort_by(f64::total_cmp);
        known.get(known.len() / 2).copied()
    };
    let shown: Vec<Option<f64>> = (0..columns).map(median).collect();
    let known = || shown.iter().flatten().copied();
    let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max));
    let level = |value: f64| {
        let share = if high > low { (value - low) / (high - low) } else { 0.5 };
        levels[((share * levels.len() as f64) as usize).min(levels.len() - 1)]
    };
    shown.into_iter().map(|value| value.map_or(unusable, level)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_goes_from_the_lowest_to_the_highest_value() {
        let spark = |values: &[Option<f64>]| sparkline(values, 24, DrawingCharacters::Unicode);
        assert_eq!(spark(&[Some(0.0), None, Some(7.0), Some(8.0), Some(4.0)]), "▁×██▅");
        assert_eq!(spark(&[Some(3.0)]), "▅", "one value is in the middle");
        assert_eq!(spark(&[]), "");
        assert_eq!(sparkline(&[Some(0.0), Some(9.0), None], 24, DrawingCharacters::Ascii), "_@x");
    }

    #[test]
    fn a_sparkline_of_many_values_shows_the_whole_time_without_single_extremes() {
        let mut many = vec![Some(9.0); 500];
        many.extend(vec![Some(1.0); 500]);
        many[3] = Some(1e9);
        assert_eq!(sparkline(&many, 24, DrawingCharacters::Unicode), "█".repeat(12) + &"▁".repeat(12));
    }
}
