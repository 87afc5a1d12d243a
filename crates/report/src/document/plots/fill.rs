//! The utilization of file systems over the campaign, before and after each job.
//!
//! Invariant: a file system is named only if the job's command line has its directory.
//! Never here: what a job wrote.

use results::folder::{Campaign, Fill, Job};

use crate::document::chart::axes::{from_zero, thinned, time_ticks};
use crate::document::words::{grouped, seconds_of, share};
use crate::document::{Axis, LegendEntry, LineStyle, MarkStyle, Plot, PlotLine, PlotMark};

/// The most points of a line.
const POINTS: usize = 200;

/// How to read the plot.
const NOTE: &str = "Used space, divided by used and free space, before and after each job. The files of a \
                    job may be removed after it.";

/// The plot; `None` if less than two moments are recorded.
pub(super) fn plot(campaign: &Campaign) -> Option<Plot> {
    let start = seconds_of(&campaign.info.started)?;
    let points = campaign.jobs.iter().filter_map(|job| {
        let began = seconds_of(&job.info.started).map(|at| at - start).filter(|at| *at >= 0.0)?;
        Some((job, began))
    });
    let points = points.flat_map(|(job, began)| {
        let ended = began + job.info.seconds.max(0.0);
        let (name, info) = (system_of(campaign, job), &job.info);
        let moments = [(began, &info.fill_before, "before"), (ended, &info.fill_after, "after")];
        moments.into_iter().filter(|(at, ..)| at.is_finite()).filter_map(move |(at, fill, when)| {
            let used = used_share(fill.as_ref()?)?;
            let when = format!("{when} job {} ({})", info.number, info.test);
            let text = format!("{name}: {} used {when}", share(used));
            Some((name.clone(), PlotMark { x: at, y: used, text, ..PlotMark::default() }))
        })
    });
    let mut systems = grouped(points);
    systems.retain(|(_, marks)| marks.len() > 1);
    let all = || systems.iter().flat_map(|(_, marks)| marks);
    let end = all().map(|mark| mark.x).max_by(f64::total_cmp)?;
    let top = all().map(|mark| mark.y).fold(0.0, f64::max);
    let x = from_zero("time since the start of the campaign", end, |_| String::new());
    let (mut lines, mut marks) = (Vec::new(), Vec::new());
    for (style, (label, all)) in systems.into_iter().enumerate() {
        let values: Vec<f64> = all.iter().map(|mark| mark.y).collect();
        let shown = thinned(&values, POINTS).into_iter().map(|(place, _)| all[place].clone());
        let shown: Vec<PlotMark> =
            shown.map(|mark| PlotMark { style: MarkStyle::Series(style), ..mark }).collect();
        let points = shown.iter().map(|mark| (mark.x, mark.y)).collect();
        lines.push(PlotLine { label, points, style: LineStyle::Series(style) });
        marks.extend(shown);
    }
    Some(Plot {
        title: "Utilization of the file system over the campaign".into(),
        note: NOTE.into(),
        x: Axis { ticks: time_ticks(x.to), ..x },
        y: from_zero("used share of the space", (top * 1.1).clamp(0.01, 1.0), |at| {
            share(at).replace(".0 %", " %")
        }),
        legend: LegendEntry::from_lines(&lines),
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
