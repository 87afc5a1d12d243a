//! The utilization of file systems over the campaign, before and after each job.
//!
//! Invariant: a file system is named only if the job's command line has its directory.
//! Never here: what a job wrote.

use results::folder::{Campaign, Fill, Job};

use crate::document::chart::axes::{from_zero, thinned, time_ticks};
use crate::document::words::{seconds_of, share};
use crate::document::{Axis, LegendEntry, LineStyle, MarkStyle, Plot, PlotLine, PlotMark};

/// The most points of a line.
const POINTS: usize = 200;

/// How to read the plot.
const NOTE: &str = "Used space, divided by used and free space, before and after each job. The files of a \
                    job may be removed after it.";

/// The recorded utilization of one file system.
struct FillLine {
    name: String,
    /// Seconds after the start, used share, and the job with its moment.
    points: Vec<(f64, f64, String)>,
}

/// The plot; `None` if less than two moments are recorded.
pub(super) fn of(campaign: &Campaign) -> Option<Plot> {
    let start = seconds_of(&campaign.info.started)?;
    let mut lines: Vec<FillLine> = Vec::new();
    for job in &campaign.jobs {
        let Some(began) = seconds_of(&job.info.started).map(|at| at - start).filter(|at| *at >= 0.0) else {
            continue;
        };
        let name = system_of(campaign, job);
        let line = match lines.iter().position(|line| line.name == name) {
            Some(known) => &mut lines[known],
            None => {
                lines.push(FillLine { name, points: Vec::new() });
                lines.last_mut()?
            }
        };
        let moments = [
            (began, &job.info.fill_before, "before"),
            (began + job.info.seconds.max(0.0), &job.info.fill_after, "after"),
        ];
        for (at, fill, when) in moments {
            if let Some(used) = fill.as_ref().and_then(used_share).filter(|_| at.is_finite()) {
                line.points.push((at, used, format!("{when} job {} ({})", job.info.number, job.info.test)));
            }
        }
    }
    lines.retain(|line| line.points.len() > 1);
    let end = lines.iter().flat_map(|line| &line.points).map(|point| point.0).max_by(f64::total_cmp)?;
    let x = from_zero("time since the start of the campaign", end, |_| String::new());
    let top = lines.iter().flat_map(|line| &line.points).map(|point| point.1).fold(0.0, f64::max);
    let marks = lines.iter().enumerate().flat_map(|(style, line)| marks(line, style)).collect();
    let lines: Vec<PlotLine> = lines.iter().enumerate().map(|(style, line)| plotted(line, style)).collect();
    Some(Plot {
        title: "Utilization of the file system over the campaign".into(),
        note: NOTE.into(),
        x: Axis { ticks: time_ticks(x.to), ..x },
        y: from_zero("used share of the space", (top * 1.1).clamp(0.01, 1.0), |at| {
            share(at).replace(".0 %", " %")
        }),
        legend: LegendEntry::of_lines(&lines),
        marks,
        lines,
        ..Plot::default()
    })
}

/// The used share of the space that is used or free.
fn used_share(fill: &Fill) -> Option<f64> {
    let whole = fill.bytes_used.checked_add(fill.bytes_free).filter(|whole| *whole > 0)?;
    Some(fill.bytes_used as f64 / whole as f64)
}

/// The file system that a job used, by the directory in its command line.
fn system_of(campaign: &Campaign, job: &Job) -> String {
    let data = &campaign.info.data;
    let known =
        data.iter().find(|(_, dir)| !dir.is_empty() && job.info.argv.iter().any(|word| word.contains(*dir)));
    match known {
        Some((name, _)) => format!("file system {name}"),
        None if data.len() == 1 => data.keys().map(|name| format!("file system {name}")).collect(),
        None => "file system not known".into(),
    }
}

fn shown(line: &FillLine) -> Vec<&(f64, f64, String)> {
    let values: Vec<f64> = line.points.iter().map(|point| point.1).collect();
    thinned(&values, POINTS).into_iter().map(|(place, _)| &line.points[place]).collect()
}

fn plotted(line: &FillLine, style: usize) -> PlotLine {
    let points = shown(line).into_iter().map(|(at, used, _)| (*at, *used)).collect();
    PlotLine { label: line.name.clone(), points, style: LineStyle::Series(style) }
}

fn marks(line: &FillLine, style: usize) -> Vec<PlotMark> {
    let mark = |(at, used, when): &(f64, f64, String)| PlotMark {
        x: *at,
        y: *used,
        text: format!("{}: {} used {when}", line.name, share(*used)),
        style: MarkStyle::Series(style),
        ..PlotMark::default()
    };
    shown(line).into_iter().map(mark).collect()
}
