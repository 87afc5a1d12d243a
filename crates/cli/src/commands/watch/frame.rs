//! The frame of a view: a campaign in the cells of a terminal.
//!
//! Invariant: it fits into any size. What does not fit is folded, and the fold is stated. Colours add nothing
//! that the words do not say.
//! Never here: the terminal, and computing.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Span;
use results::Outcome;
use units::{several, wrap};

use super::shown::{CampaignShown, ClauseShown, ClauseStanding, RunningShown};

/// The most running jobs that are listed.
const RUNNING_MAX: usize = 4;
/// The most lines of a running job.
const RUNNING_LINES_MAX: usize = 3;
/// The share of the height that warnings may take: one of this many lines.
const WARNINGS_SHARE: usize = 4;
/// Columns between two columns of the table.
const GAP: usize = 2;
/// The fewest columns of a criterion that is cut.
const CRITERION_MIN: usize = 16;
/// The heading of the verdicts.
const HEADING_OF_VERDICT: &str = "verdict so far";
/// The longest word of a verdict.
const VERDICT_COLUMNS: usize = "INCONCLUSIVE so far".len();

/// The most lines of the frame as text.
const TEXT_LINES_MAX: usize = 20_000;

/// A line of the frame, in pieces with their styles.
type FrameLine = Vec<(String, Style)>;

fn plain(text: impl Into<String>) -> FrameLine {
    vec![(text.into(), Style::new())]
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn dim() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// Draws `shown` into `buffer`.
pub(crate) fn draw(shown: &CampaignShown, buffer: &mut Buffer) {
    let lines = lines(shown, buffer.area.width.into(), buffer.area.height.into());
    draw_lines(&lines, buffer);
}

fn draw_lines(lines: &[FrameLine], buffer: &mut Buffer) {
    let area = buffer.area;
    for (row, line) in lines.iter().enumerate() {
        let Ok(row) = u16::try_from(row) else { return };
        let mut column = 0;
        for (text, style) in line {
            let left = area.width.saturating_sub(column);
            column = buffer.set_stringn(area.x + column, area.y + row, text, left.into(), *style).0 - area.x;
        }
    }
}

/// The frame as text, with as many lines as it needs.
pub(crate) fn text(shown: &CampaignShown, width: usize) -> String {
    let lines = lines(shown, width, TEXT_LINES_MAX);
    let area = Rect::new(0, 0, width as u16, lines.len() as u16);
    let mut buffer = Buffer::empty(area);
    draw_lines(&lines, &mut buffer);
    rows(&buffer).iter().map(|row| format!("{row}\n")).collect()
}

/// The rows of a buffer as text, without blanks at their ends.
pub(crate) fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    let row = |y: u16| {
        let cells = (0..area.width).filter_map(|x| buffer.cell(Position::new(area.x + x, area.y + y)));
        cells.map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()
    };
    (0..area.height).map(row).collect()
}

/// The lines of the frame, at most `height` of them.
fn lines(shown: &CampaignShown, width: usize, height: usize) -> Vec<FrameLine> {
    let mut lines = head(shown, width);
    lines.truncate(height.saturating_sub(1).max(1));
    let left = height.saturating_sub(lines.len());
    // Small terminals have fewer lines for running jobs and warnings, so that clauses remain visible.
    let mut running = running(shown, width);
    running.truncate((left / 3).max(1));
    let warnings_max = (left / WARNINGS_SHARE).max(1);
    let warnings = warnings(shown, width, warnings_max);
    let blank = |rows: usize| usize::from(left > 12 && rows > 0);
    let taken = running.len() + warnings.len() + blank(running.len()) + blank(warnings.len());
    let clauses = clauses(shown, width, left.saturating_sub(taken + blank(1)));
    for part in [running, clauses, warnings] {
        if blank(part.len()) > 0 {
            lines.push(plain(""));
        }
        lines.extend(part);
    }
    lines.truncate(height);
    lines
}

/// The plan, the progress, and what the campaign does.
fn head(shown: &CampaignShown, width: usize) -> Vec<FrameLine> {
    let (done, of) = shown.jobs;
    let bar_columns = if width < 70 { 6 } else { (width / 4).min(30) };
    let filled = (done * bar_columns).checked_div(of).unwrap_or(0);
    let bar = format!("[{}{}]", "#".repeat(filled), "-".repeat(bar_columns - filled));
    let progress = format!("{bar} {done} of {}  {}", several(of as u64, "job"), shown.time_left());
    let state = if shown.needs_care { bold().fg(Color::Yellow) } else { Style::new() };
    vec![
        vec![(shown.title.clone(), bold())],
        plain(progress),
        vec![(shown.state.clone(), state)],
        vec![(shown.folder.clone(), dim())],
    ]
}

/// The running jobs. Parts that do not fit into a line continue on the next.
fn running(shown: &CampaignShown, width: usize) -> Vec<FrameLine> {
    let mut lines: Vec<FrameLine> = Vec::new();
    for job in shown.running.iter().take(RUNNING_MAX) {
        lines.extend(job_lines(job, width).into_iter().map(plain));
    }
    if let Some(more) = shown.running.len().checked_sub(RUNNING_MAX).filter(|more| *more > 0) {
        lines.push(plain(format!("and {} more at the same time", several(more as u64, "job"))));
    }
    lines
}

fn job_lines(job: &RunningShown, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for part in job.parts() {
        let last = lines.last_mut().expect("there is one");
        if last.is_empty() {
            last.push_str(&format!("> {part}"));
        } else if columns(last) + GAP + columns(&part) <= width {
            last.push_str(&format!("  {part}"));
        } else {
            lines.push(format!("  {part}"));
        }
    }
    lines.truncate(RUNNING_LINES_MAX);
    lines
}

/// The table of clauses in at most `height` lines. The most important clauses are listed, in their order. Up
/// to half of the lines are for those that run, so that many failures do not hide them.
fn clauses(shown: &CampaignShown, width: usize, height: usize) -> Vec<FrameLine> {
    let all = &shown.clauses;
    if all.is_empty() {
        return Vec::from_iter((height > 0).then(|| plain("The plan has no clauses.")));
    }
    let fits = all.len() < height;
    let rows = if fits { all.len() } else { height.saturating_sub(2) };
    let mut order: Vec<usize> = (0..all.len()).collect();
    let running: Vec<usize> =
        order.iter().copied().filter(|at| shown.runs(&all[*at])).take(rows / 2).collect();
    order.sort_by_key(|at| (!running.contains(at), all[*at].standing.rank(), *at));
    let (listed, folded) = order.split_at(rows);
    let mut listed = listed.to_vec();
    listed.sort_unstable();
    let columns = ClauseColumns::fitting(all, width, true);
    // A criterion without space in its row is on the next line, if all clauses still fit.
    let is_below = columns.criterion < criterion_columns(all) && 2 * all.len() < height;
    let columns = if is_below { ClauseColumns::fitting(all, width, false) } else { columns };
    let mut lines = Vec::new();
    if height >= 3 {
        lines.push(columns.heading());
    }
    for clause in listed.iter().map(|at| &all[*at]) {
        lines.push(columns.line(clause));
        if is_below {
            lines.push(vec![(format!("    {}", cut(&clause.criterion, width.saturating_sub(4))), dim())]);
        }
    }
    if !folded.is_empty() && height > 0 {
        lines.push(vec![(fold(all, folded), dim())]);
    }
    lines.truncate(height);
    lines
}

/// `and 970 more clauses: 800 PASS, 170 waiting`
fn fold(all: &[ClauseShown], folded: &[usize]) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for at in folded {
        let words = all[*at].standing.words();
        match counts.iter_mut().find(|(known, _)| *known == words) {
            Some((_, number)) => *number += 1,
            None => counts.push((words, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(words, number)| format!("{number} {words}")).collect();
    let noun = if folded.len() == 1 { "clause" } else { "clauses" };
    format!("and {} more {noun}: {}", folded.len(), counts.join(", "))
}

/// The columns of the table of clauses; a column of width 0 is left out.
struct ClauseColumns {
    test: usize,
    criterion: usize,
    value: usize,
    repetitions: usize,
}

impl ClauseColumns {
    fn fitting(all: &[ClauseShown], width: usize, has_criterion: bool) -> Self {
        let longest = |columns: &dyn Fn(&ClauseShown) -> usize, least: usize, most: usize| {
            all.iter().map(columns).max().unwrap_or(0).clamp(least, most)
        };
        let test = longest(&|one| columns(&one.test), 6, 20);
        let value = longest(&|one| columns(&one.value), 5, 14);
        let repetitions = longest(&|one| columns(&repetitions(one)), 4, 9);
        let verdict =
            longest(&|one| columns(&one.standing.words()), HEADING_OF_VERDICT.len(), VERDICT_COLUMNS);
        let left = |taken: usize| width.saturating_sub(taken + verdict + GAP);
        // The verdict always has its place. The repetitions are the first to go, then the criterion.
        let test = test.min(left(0).max(6));
        let value = if left(test + GAP) >= value { value } else { 0 };
        let taken = test + GAP + value + GAP;
        let criterion = criterion_columns(all).min(left(taken).saturating_sub(GAP));
        let criterion = if has_criterion && criterion >= CRITERION_MIN { criterion } else { 0 };
        let taken = if criterion > 0 { taken + criterion + GAP } else { taken };
        let repetitions = if left(taken) > repetitions { repetitions } else { 0 };
        Self { test, criterion, value, repetitions }
    }

    fn heading(&self) -> FrameLine {
        let mut text = self.cells("clause", "criterion", "value", "reps");
        text.push_str(HEADING_OF_VERDICT);
        vec![(text, dim())]
    }

    fn line(&self, clause: &ClauseShown) -> FrameLine {
        let cells = self.cells(&clause.test, &clause.criterion, &clause.value, &repetitions(clause));
        vec![(cells, Style::new()), (clause.standing.words(), style(clause.standing))]
    }

    fn cells(&self, test: &str, criterion: &str, value: &str, repetitions: &str) -> String {
        let cells = [
            (test, self.test, false),
            (criterion, self.criterion, false),
            (value, self.value, true),
            (repetitions, self.repetitions, true),
        ];
        let mut text = String::new();
        for (cell, wanted, is_right) in cells.into_iter().filter(|(_, wanted, _)| *wanted > 0) {
            let cell = cut(cell, wanted);
            let blanks = " ".repeat(wanted - columns(&cell));
            text.push_str(&if is_right { blanks + &cell } else { cell + &blanks });
            text.push_str(&" ".repeat(GAP));
        }
        text
    }
}

/// The columns of the longest criterion.
fn criterion_columns(all: &[ClauseShown]) -> usize {
    all.iter().map(|one| columns(&one.criterion)).max().unwrap_or(0).max(9)
}

/// The columns that a terminal needs for `text`.
fn columns(text: &str) -> usize {
    Span::raw(text).width()
}

/// `text` in at most this number of columns. A cut is visible.
fn cut(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let mut short = String::new();
    for c in text.chars() {
        short.push(c);
        if columns(&short) >= most {
            short.pop();
            break;
        }
    }
    short + "~"
}

fn repetitions(clause: &ClauseShown) -> String {
    let (ended, of) = clause.repetitions;
    format!("{ended}/{of}")
}

fn style(standing: ClauseStanding) -> Style {
    let colour = match standing.outcome() {
        Some(Outcome::Pass) => Color::Green,
        Some(Outcome::Fail) => Color::Red,
        Some(Outcome::Invalid | Outcome::Inconclusive) => Color::Yellow,
        Some(Outcome::NotRun) | None => return dim(),
    };
    match standing {
        ClauseStanding::Decided(_) => bold().fg(colour),
        _ => Style::new().fg(colour),
    }
}

/// The last warnings in at most `most` lines, the latest last.
fn warnings(shown: &CampaignShown, width: usize, most: usize) -> Vec<FrameLine> {
    let mut parts: Vec<Vec<FrameLine>> = Vec::new();
    let (mut left, wide) = (most, width.saturating_sub(GAP));
    for text in shown.warnings.iter().rev() {
        let mut lines: Vec<FrameLine> = wrap(text, wide, wide, columns).into_iter().map(indented).collect();
        let Some(first) = lines.first_mut() else { continue };
        first[0] = ("! ".to_owned(), bold().fg(Color::Yellow));
        // The latest is always there, and the others only as a whole.
        if lines.len() > left && !parts.is_empty() {
            break;
        }
        lines.truncate(left);
        left -= lines.len();
        parts.push(lines);
        if left == 0 {
            break;
        }
    }
    parts.into_iter().rev().flatten().collect()
}

fn indented(text: String) -> FrameLine {
    vec![(" ".repeat(GAP), Style::new()), (text, Style::new())]
}

#[cfg(test)]
#[path = "frame_tests.rs"]
mod tests;
