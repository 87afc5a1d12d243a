//! Latency by percentile, a line for each repetition.
//!
//! Invariant: the labelled percentiles are those of the record, never read from the line.
//! Never here: where a label has space.

use results::record::Latency;

use super::{NamedPhase, PlotDetail, left_out};
use crate::document::chart::axes::decade_ticks;
use crate::document::{Axis, LegendEntry, LineStyle, MarkStyle, Plot, PlotLine, PlotMark, PlotTick};

/// The plot of a phase; `None` if no repetition recorded latencies.
pub(super) fn plot(phase: &NamedPhase, detail: PlotDetail) -> Option<Plot> {
    let (shown, total) = phase.shown();
    let plotted: Vec<(String, &Latency)> = shown
        .iter()
        .filter_map(|one| Some((format!("repetition {}", one.repetition), one.phase.latency.as_ref()?)))
        .filter(|(_, latency)| latency.count > 0 && latency.max_ns > 0)
        .collect();
    let floor = plotted.iter().map(|(_, latency)| latency.min_ns.max(1)).min()? as f64;
    let ceiling = plotted.iter().map(|(_, latency)| latency.max_ns).max()? as f64;
    let count = plotted.iter().map(|(_, latency)| latency.count).max()?;
    let right = nines(count, count);
    let (bottom, top) = ((floor * 0.8).log10(), (ceiling.max(floor) * 1.6).log10());
    let line = |(style, (label, latency)): (usize, &(String, &Latency))| PlotLine {
        label: label.clone(),
        points: percentiles(latency, detail.points),
        style: LineStyle::Series(style),
    };
    let lines: Vec<PlotLine> = plotted.iter().enumerate().map(line).collect();
    Some(Plot {
        title: format!("Latency of {}, by percentile", phase.title),
        note: "Both axes are logarithmic. The labels show the slowest repetition at each percentile."
            .to_owned()
            + &left_out(total, shown.len()),
        x: Axis {
            label: "share of transfers that took at most this long".into(),
            from: 0.0,
            to: right,
            ticks: percentile_ticks(right),
        },
        y: Axis { label: "latency".into(), from: bottom, to: top, ticks: decade_ticks(bottom, top) },
        legend: LegendEntry::from_lines(&lines),
        lines,
        marks: marks(&plotted),
        ..Plot::default()
    })
}

/// The coordinate of the share `below` of `count` on an axis of nines: 0.9 at 1, 0.99 at 2. The share 1 is
/// placed half a transfer below 1.
fn nines(below: u64, count: u64) -> f64 {
    let count = count.max(1) as f64;
    let rest = (1.0 - below as f64 / count).max(0.5 / count);
    -rest.log10()
}

fn height(nanoseconds: u64) -> f64 {
    (nanoseconds.max(1) as f64).log10()
}

/// The percentile line, without points that are too close to be seen.
fn percentiles(latency: &Latency, most: usize) -> Vec<(f64, f64)> {
    let right = nines(latency.count, latency.count);
    let highest = (height(latency.max_ns) - height(latency.min_ns)).max(0.1);
    let mut points = vec![(0.0, height(latency.min_ns))];
    let mut below: u64 = 0;
    let mut last = (0.0, height(latency.min_ns));
    for (bound, transfers) in &latency.buckets {
        below = below.saturating_add(*transfers);
        let value = (*bound).clamp(latency.min_ns, latency.max_ns.max(latency.min_ns));
        let point = (nines(below.min(latency.count), latency.count), height(value));
        let (across, up) = ((point.0 - last.0) / right, (point.1 - last.1) / highest);
        if across.max(up) * most as f64 > 2.0 {
            points.push(point);
            last = point;
        }
    }
    points.push((right, height(latency.max_ns)));
    points
}

/// max, p99, p50, p99.9 and p90, each of the slowest repetition. The most important labels come first.
fn marks(latencies: &[(String, &Latency)]) -> Vec<PlotMark> {
    type Pick = fn(&Latency) -> (f64, u64);
    let picks: [(&str, u64, Pick); 5] = [
        ("max", 0, |l| (nines(l.count, l.count), l.max_ns)),
        ("p99", 100, |l| (2.0, l.p99_ns)),
        ("p50", 1, |l| (0.5_f64.recip().log10(), l.p50_ns)),
        ("p99.9", 1000, |l| (3.0, l.p999_ns)),
        ("p90", 10, |l| (1.0, l.p90_ns)),
    ];
    let mark = |(name, least, pick): &(&str, u64, Pick)| {
        let seen = latencies.iter().enumerate().filter(|(_, (_, latency))| latency.count > *least);
        let (style, (repetition, slowest)) = seen.max_by_key(|(_, (_, latency))| pick(latency).1)?;
        let (x, nanoseconds) = pick(slowest);
        let label = format!("{name} {}", units::duration(nanoseconds as f64 * 1e-9));
        let text = format!("{label}, {repetition}");
        let (y, style) = (height(nanoseconds), MarkStyle::Series(style));
        Some(PlotMark { x, y, label, text, style, ..PlotMark::default() })
    };
    picks.iter().filter_map(mark).collect()
}

fn percentile_ticks(right: f64) -> Vec<PlotTick> {
    let known = [(0.5_f64.recip().log10(), "50 %"), (1.0, "90 %"), (2.0, "99 %")];
    let nines = (3..=9).map(|nines| (f64::from(nines), format!("99.{} %", "9".repeat(nines as usize - 2))));
    let all = known.into_iter().map(|(at, label)| (at, label.to_string())).chain(nines);
    all.filter(|(at, _)| *at <= right).map(|(at, label)| PlotTick { at, label }).collect()
}
