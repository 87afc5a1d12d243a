//! The changes of a series on its chart: levels, drifts, thresholds, shifts, cuts, and the bands of events.
//!
//! Never here: points.

use std::collections::{BTreeMap, BTreeSet};

use results::comparison::MetricDirection;
use track::change::{LevelDrift, LevelSegment, LevelShift, MONTH_S};
use track::course::{CoursePart, SeriesCourse};
use track::event::HistoryEvent;
use track::store::StoredPoint;

use super::super::{Axis, LineStyle, PlotLine, PlotSpan, SpanKind, Tone};
use super::view::HistoryView;
use super::words;

/// The steps in which a drift is plotted. It is exponential, and so not straight.
const STEPS: u32 = 16;
/// The most cuts of a chart.
const CUTS_MAX: usize = 12;
/// The most bands of a chart.
const BANDS_MAX: usize = 40;
/// The most parts of a setup that a text on hover has.
const PARTS_MAX: usize = 6;
/// The most characters of a part of a setup in a text on hover.
const PART_MAX: usize = 60;
/// The most lines of levels and thresholds.
const LINES_MAX: usize = 400;

/// The lines of all levels, drifts and thresholds. A threshold beyond the axis is left out.
pub(super) fn lines(course: &SeriesCourse, axis: &Axis) -> Vec<PlotLine> {
    let mut lines = thresholds(course, axis);
    for part in &course.parts {
        lines.extend(part.analysis.segments.iter().filter_map(|segment| level(course, part, segment)));
    }
    lines.retain(|line| line.points.iter().all(|(at, y)| at.is_finite() && y.is_finite()));
    lines.truncate(LINES_MAX);
    lines
}

/// The line of a segment. A segment with one point has no line.
fn level(course: &SeriesCourse, part: &CoursePart, segment: &LevelSegment) -> Option<PlotLine> {
    let time = |index: usize| course.points[part.places[index]].time_s;
    let (from, to) = (time(segment.first), time(segment.last));
    let value = |value: f64| words::value(value, &course.summary.series.unit);
    let dates = format!("{} to {}", words::day(from), words::day(to));
    let drift =
        part.analysis.drifts.iter().find(|drift| (drift.first, drift.last) == (segment.first, segment.last));
    if segment.points < 2 {
        return None;
    }
    let Some(drift) = drift else {
        let label = format!("Level {}, {dates}, {} points", value(segment.level), segment.points);
        let points = vec![(from, segment.level), (to, segment.level)];
        return Some(PlotLine { style: LineStyle::Level, points, label });
    };
    let usable = (segment.first..=segment.last).map(time);
    let middle = usable.clone().sum::<f64>() / usable.count() as f64;
    let at = |step: u32| {
        let time = from + (to - from) * f64::from(step) / f64::from(STEPS);
        (time, segment.level * (1.0 + drift.percent_per_month / 100.0).powf((time - middle) / MONTH_S))
    };
    let label = format!("Drift {}, {dates}", monthly(drift));
    Some(PlotLine { style: LineStyle::Drift, points: (0..=STEPS).map(at).collect(), label })
}

pub(super) fn drifts(course: &SeriesCourse) -> impl Iterator<Item = (&CoursePart, &LevelDrift)> {
    course.parts.iter().flat_map(|part| part.analysis.drifts.iter().map(move |drift| (part, drift)))
}

/// The outliers of all parts, with their values and the ratios to their levels.
pub(super) fn outliers(course: &SeriesCourse) -> impl Iterator<Item = (&StoredPoint, f64, String)> {
    let all = course.parts.iter().flat_map(|part| part.analysis.outliers.iter().map(move |at| (part, *at)));
    all.filter_map(|(part, index)| {
        let point = &course.points[part.places[index]];
        let (mean, segment) = (point.mean?, part.segment_of(index)?);
        Some((point, mean, words::ratio(mean / segment.level)))
    })
}

/// A drift per month, with its interval.
pub(super) fn monthly(drift: &LevelDrift) -> String {
    let LevelDrift { percent_per_month, percent_low, percent_high, .. } = drift;
    format!("{percent_per_month:+.1} % per month ({percent_low:+.1} to {percent_high:+.1})")
}

/// A line for each threshold that follows another one.
fn thresholds(course: &SeriesCourse, axis: &Axis) -> Vec<PlotLine> {
    let mut found: Vec<(f64, f64, f64)> = Vec::new();
    for point in &course.points {
        let Some(threshold) = point.threshold else { continue };
        match found.last_mut() {
            Some((_, to, same)) if *same == threshold => *to = point.time_s,
            _ => found.push((point.time_s, point.time_s, threshold)),
        }
    }
    let within = found.into_iter().filter(|(_, _, y)| (axis.from..=axis.to).contains(y)).take(LINES_MAX / 2);
    let line = |(from, to, y): (f64, f64, f64)| PlotLine {
        style: LineStyle::Threshold,
        points: vec![(from, y), (to, y)],
        label: format!("Threshold {}", words::value(y, &course.summary.series.unit)),
    };
    within.map(line).collect()
}

/// The shifts of all parts, the largest first.
pub(super) fn shifts(course: &SeriesCourse) -> Vec<PlotSpan> {
    let all = course.parts.iter().flat_map(|part| &part.analysis.shifts);
    let is_finite =
        |shift: &&LevelShift| [shift.time_s, shift.earliest_s, shift.latest_s].iter().all(|s| s.is_finite());
    let mut shifts: Vec<&LevelShift> = all.filter(is_finite).collect();
    shifts.sort_by(|one, other| other.ratio.ln().abs().total_cmp(&one.ratio.ln().abs()));
    let span = |shift: &LevelShift| {
        let arrow = if shift.ratio < 1.0 { '▼' } else { '▲' };
        let tone = tone(course.summary.direction, shift.ratio);
        PlotSpan {
            kind: SpanKind::Shift,
            at: shift.time_s,
            from: shift.earliest_s,
            to: shift.latest_s,
            tone,
            label: format!("{arrow}{}", words::ratio(shift.ratio)),
            text: format!(
                "{}: {} ({} to {}), {}\nnot before {}, not after {}",
                words::day(shift.time_s),
                words::ratio(shift.ratio),
                words::ratio(shift.ratio_low),
                words::ratio(shift.ratio_high),
                match tone {
                    Tone::Pass => "faster",
                    Tone::Fail => "slower",
                    Tone::Plain | Tone::Inconclusive | Tone::Invalid | Tone::NotRun => "another level",
                },
                words::day(shift.earliest_s),
                words::day(shift.latest_s)
            ),
            link: String::new(),
        }
    };
    shifts.into_iter().map(span).collect()
}

/// The tone of values that change by a ratio: pass if the speed grows, fail if it falls, plain if they are no
/// speed.
pub(super) fn tone(direction: MetricDirection, ratio: f64) -> Tone {
    match (direction, ratio < 1.0) {
        (MetricDirection::HigherIsFaster, true) | (MetricDirection::LowerIsFaster, false) => Tone::Fail,
        (MetricDirection::HigherIsFaster, false) | (MetricDirection::LowerIsFaster, true) => Tone::Pass,
        (MetricDirection::Neither | MetricDirection::Count, _) => Tone::Plain,
    }
}

/// Where points are not comparable with those before, and what is left out.
pub(super) fn cuts(view: &HistoryView, course: &SeriesCourse) -> (Vec<PlotSpan>, String) {
    let is_cut = |pair: &&[StoredPoint]| pair[0].setup != pair[1].setup;
    let pairs: Vec<_> = course.points.windows(2).filter(is_cut).collect();
    let all = pairs.len();
    let none = BTreeMap::new();
    let cut = |pair: &[StoredPoint]| {
        let [before, after] =
            [&pair[0], &pair[1]].map(|point| view.setups.get(&point.setup).unwrap_or(&none));
        let at = f64::midpoint(pair[0].time_s, pair[1].time_s);
        let text = format!("Not comparable from here on\n{}", differing(before, after, PART_MAX));
        PlotSpan { kind: SpanKind::Cut, at, from: at, to: at, text, ..PlotSpan::default() }
    };
    let cuts: Vec<PlotSpan> =
        pairs.into_iter().take(CUTS_MAX).map(cut).filter(|cut| cut.at.is_finite()).collect();
    let more = match all > CUTS_MAX {
        true => format!("The setup changes {all} times; the first {CUTS_MAX} changes are plotted. "),
        false => String::new(),
    };
    (cuts, more)
}

/// The parts of two setups that differ, each with its values in at most `most` characters.
pub(super) fn differing(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
    most: usize,
) -> String {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let unknown = "not known".to_owned();
    let line = |name: &String| {
        let [one, other] = [before, after].map(|setup| setup.get(name).unwrap_or(&unknown));
        let [one, other] = words::shortened_pair(one, other, most);
        format!("{name}: {one}, then {other}")
    };
    let differ = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    let mut lines: Vec<String> = differ.map(line).collect();
    let more = lines.len().saturating_sub(PARTS_MAX);
    if more > 0 {
        lines.truncate(PARTS_MAX);
        lines.push(format!("and {more} more"));
    }
    lines.join("\n")
}

/// The different series of an event.
pub(super) fn series_of(event: &HistoryEvent) -> BTreeSet<usize> {
    event.changes.iter().map(|change| change.series).collect()
}

/// The events of several series of the same system. Those of one series are its shifts.
pub(super) fn bands(view: &HistoryView, series: usize, is_large: bool) -> Vec<PlotSpan> {
    let system = &view.courses[series].summary.series.system;
    let of_several =
        |(_, event): &(usize, &HistoryEvent)| event.system == *system && series_of(event).len() > 1;
    let all = view.events.iter().enumerate().filter(of_several);
    let band = |(number, event): (usize, &HistoryEvent)| {
        let (from, to) = (event.from_s, event.to_s);
        let series = units::several(series_of(event).len() as u64, "series");
        PlotSpan {
            kind: SpanKind::Event,
            from,
            to,
            link: if is_large { String::new() } else { format!("#{}", words::event_anchor(number)) },
            text: format!("{}: {series} changed", words::period(from, to)),
            ..PlotSpan::default()
        }
    };
    let finite = all.filter(|(_, event)| event.from_s.is_finite() && event.to_s.is_finite());
    finite.take(BANDS_MAX).map(band).collect()
}
