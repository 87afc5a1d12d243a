//! The points of a chart with their texts, and the panels below the values.
//!
//! Never here: changes of the level.

use std::collections::{BTreeMap, BTreeSet};

use results::Outcome;
use results::history::EntrySource;
use results::statistics::mean;
use track::course::SeriesCourse;
use track::store::{EntrySummary, StoredPoint};

use super::super::words::tone_of;
use super::super::{Axis, MarkShape, MarkStyle, Plot, PlotMark, Tone};
use super::view::HistoryView;
use super::{ChartDetail, value_axis, words};

/// With more points, repetitions are not plotted.
const SPREADS_MAX: usize = 200;
/// The most characters of the name of a campaign.
const NAME_MAX: usize = 60;
/// The characters of a hash that are shown on hover.
const HASH: usize = 12;

/// The values of a series, and what is left out.
pub(super) fn values(
    view: &HistoryView,
    course: &SeriesCourse,
    time: &Axis,
    detail: ChartDetail,
) -> (Plot, String) {
    let outliers = outliers(course);
    let placed: Vec<(usize, f64)> = finite(course, |point| point.mean);
    let looks: Vec<u8> = placed
        .iter()
        .map(|(place, _)| {
            look(course.points[*place].outcome).0 as u8 + 8 * u8::from(outliers.contains(place))
        })
        .collect();
    let few = thinned(course, &placed, Some(&looks), time, detail.columns);
    let has_spread = detail.is_large && few.len() <= SPREADS_MAX;
    let unit = &course.summary.series.unit;
    let mut marks: Vec<PlotMark> = few
        .iter()
        .map(|one| {
            let (place, y) = placed[one.place];
            let point = &course.points[place];
            let (tone, shape) = look(point.outcome);
            let is_outlier = outliers.contains(&place);
            PlotMark {
                x: point.time_s,
                y,
                style: MarkStyle::Toned(tone),
                shape,
                is_outlier,
                interval: spread(&point.values).filter(|_| has_spread),
                text: text(view, point, unit, is_outlier, one.of),
                label: String::new(),
            }
        })
        .collect();
    let ends = marks.iter().filter_map(|mark| mark.interval).flat_map(|(low, high)| [low, high]);
    let thresholds = near_thresholds(course, &placed);
    let of_axis = placed.iter().map(|(_, value)| *value).chain(ends).chain(thresholds);
    let y = value_axis(&course.summary.series.metric, of_axis, unit);
    let left_out = match marks.len() {
        few if few < placed.len() => format!(
            "{few} of {} points are plotted: the lowest and the highest of each kind in each column. ",
            placed.len()
        ),
        _ => String::new(),
    };
    marks.extend(unusable(view, course, (time, y.from), detail.columns));
    (Plot { x: time.clone(), y, marks, ..Plot::default() }, left_out)
}

/// The thresholds that are near the values, so that an axis with both shows both.
fn near_thresholds(course: &SeriesCourse, placed: &[(usize, f64)]) -> Vec<f64> {
    let values = || placed.iter().map(|(_, value)| *value);
    let (low, high) = (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let all = course.points.iter().filter_map(|point| point.threshold);
    all.filter(|threshold| (low / 2.0..=high * 2.0).contains(threshold)).collect()
}

/// The panels of what is known beside the values: their variability, the utilization, and other jobs.
pub(super) fn beside(course: &SeriesCourse, time: &Axis, detail: ChartDetail) -> Vec<Plot> {
    type Quantity = (&'static str, &'static str, fn(&StoredPoint) -> Option<f64>);
    const BESIDE: [Quantity; 3] = [
        ("Variability of repetitions (COV)", "1", |point| variation(&point.values)),
        ("Utilization of the file system", "1", |point| point.fill),
        ("Other jobs at the same time", "", |point| point.concurrency),
    ];
    let panel = |(label, unit, of): Quantity| {
        let placed = finite(course, of);
        let few = thinned(course, &placed, None, time, detail.columns);
        let mark = |one: &KeptPoint| {
            let (place, y) = placed[one.place];
            let x = course.points[place].time_s;
            let text = format!("{} UTC: {}", words::minute(x), words::value(y, unit));
            PlotMark { x, y, text, style: MarkStyle::Toned(Tone::Plain), ..PlotMark::default() }
        };
        let y = value_axis(label, placed.iter().map(|(_, value)| *value).chain([0.0]), unit);
        let marks = few.iter().map(mark).collect();
        (!placed.is_empty()).then(|| Plot { x: time.clone(), y, marks, ..Plot::default() })
    };
    BESIDE.into_iter().filter_map(panel).collect()
}

/// The coefficient of variation of several values.
pub(super) fn variation(values: &[f64]) -> Option<f64> {
    let mean = mean(values).filter(|mean| values.len() > 1 && *mean > 0.0)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt() / mean).filter(|share| share.is_finite())
}

/// The places of outliers in the points of the series.
pub(super) fn outliers(course: &SeriesCourse) -> BTreeSet<usize> {
    let of_part = course.parts.iter().flat_map(|part| {
        let places = part.analysis.outliers.iter().map(|index| part.places[*index]);
        places.collect::<Vec<_>>()
    });
    of_part.collect()
}

/// The tone and the shape of the point of a clause with this outcome.
fn look(outcome: Option<Outcome>) -> (Tone, MarkShape) {
    let shape = match outcome {
        Some(Outcome::Pass | Outcome::NotRun) | None => MarkShape::Dot,
        Some(Outcome::Fail) => MarkShape::Square,
        Some(Outcome::Inconclusive) => MarkShape::Diamond,
        Some(Outcome::Invalid) => MarkShape::Triangle,
    };
    let outcome = outcome.filter(|outcome| *outcome != Outcome::NotRun);
    (outcome.map_or(Tone::Plain, tone_of), shape)
}

/// The places and values of points where the value is known and finite.
fn finite(course: &SeriesCourse, of: impl Fn(&StoredPoint) -> Option<f64>) -> Vec<(usize, f64)> {
    let value = |(place, point): (usize, &StoredPoint)| {
        let value = of(point).filter(|value| value.is_finite() && point.time_s.is_finite())?;
        Some((place, value))
    };
    course.points.iter().enumerate().filter_map(value).collect()
}

fn thinned(
    course: &SeriesCourse,
    placed: &[(usize, f64)],
    looks: Option<&[u8]>,
    time: &Axis,
    columns: usize,
) -> Vec<KeptPoint> {
    let point = |(at, (place, y)): (usize, &(usize, f64))| PlacedPoint {
        share: ((course.points[*place].time_s - time.from) / (time.to - time.from)).clamp(0.0, 1.0),
        y: *y,
        look: looks.map_or(0, |looks| looks[at]),
    };
    kept(&placed.iter().enumerate().map(point).collect::<Vec<_>>(), columns)
}

fn spread(values: &[f64]) -> Option<(f64, f64)> {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    (finite().count() > 1)
        .then(|| (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max)))
}

/// The points without a value, at most one for each column, at the lower end of the axis.
fn unusable(
    view: &HistoryView,
    course: &SeriesCourse,
    (time, y): (&Axis, f64),
    columns: usize,
) -> Vec<PlotMark> {
    let without = course.points.iter().enumerate();
    let without = without.filter(|(_, point)| !point.mean.is_some_and(f64::is_finite));
    let placed: Vec<(usize, f64)> =
        without.filter(|(_, point)| point.time_s.is_finite()).map(|(place, _)| (place, 0.0)).collect();
    let few = thinned(course, &placed, None, time, columns);
    let note = |one: &KeptPoint| {
        let point = &course.points[placed[one.place].0];
        let why = point.why.map_or(String::new(), |code| format!(": {}", code.meaning()));
        let more = others(one.of);
        let campaign = campaign(view, point);
        let when = words::minute(point.time_s);
        let text = format!("{when} UTC: no usable values{why}{more}\n{campaign}");
        let style = MarkStyle::Toned(Tone::Plain);
        PlotMark { x: point.time_s, y, text, style, shape: MarkShape::Cross, ..PlotMark::default() }
    };
    few.iter().map(note).collect()
}

fn text(view: &HistoryView, point: &StoredPoint, unit: &str, is_outlier: bool, of: usize) -> String {
    let value = |value: f64| words::value(value, unit);
    let mut text = format!("{} UTC: {}", words::minute(point.time_s), value(point.mean.unwrap_or(f64::NAN)));
    if let Some((low, high)) = spread(&point.values) {
        text += &format!("\n{} repetitions: {} to {}", point.values.len(), value(low), value(high));
    }
    match (point.outcome, point.threshold) {
        (Some(outcome), Some(threshold)) => {
            text += &format!("\n{outcome}, threshold {}", value(threshold));
        }
        (Some(outcome), None) => text += &format!("\n{outcome}"),
        (None, _) => {}
    }
    if is_outlier {
        text += "\noutlier";
    }
    text += &others(of);
    format!("{text}\n{}", campaign(view, point))
}

fn others(of: usize) -> String {
    if of > 1 { format!("\nlowest or highest of {of} points here") } else { String::new() }
}

/// The entry of a point in one line: what it is, its name, and the start of its hash.
fn campaign(view: &HistoryView, point: &StoredPoint) -> String {
    let Some(entry) = view.entries.get(&point.entry) else { return "entry not known".to_owned() };
    let EntrySummary { source, hash, .. } = entry;
    let what = if *source == EntrySource::Campaign { "campaign" } else { source.word() };
    let hash: String = hash.chars().take(HASH).collect();
    format!("{what} {} ({hash})", words::entry_name(entry, NAME_MAX))
}

/// A point before thinning.
struct PlacedPoint {
    /// Its place on the axis of time, from 0 to 1.
    share: f64,
    y: f64,
    /// Points that look different have different numbers.
    look: u8,
}

/// A point that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct KeptPoint {
    /// Its place among the points.
    place: usize,
    /// How many points of its look are in its column, with itself.
    of: usize,
}

/// The points that a plot with this number of columns shows, in their order. Each column keeps the lowest and
/// the highest point of each look, so that no extreme, verdict or outlier disappears.
fn kept(points: &[PlacedPoint], columns: usize) -> Vec<KeptPoint> {
    if points.len() <= columns {
        return (0..points.len()).map(|place| KeptPoint { place, of: 1 }).collect();
    }
    let mut cells: BTreeMap<(usize, u8), (usize, usize, usize)> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        let column = ((point.share * columns as f64) as usize).min(columns.saturating_sub(1));
        let (low, high, of) = cells.entry((column, point.look)).or_insert((place, place, 0));
        *of += 1;
        if point.y < points[*low].y {
            *low = place;
        }
        if point.y > points[*high].y {
            *high = place;
        }
    }
    let both = cells.into_values().flat_map(|(low, high, of)| [(low, of), (high, of)]);
    let mut all: Vec<KeptPoint> = both.map(|(place, of)| KeptPoint { place, of }).collect();
    all.sort_by_key(|kept| kept.place);
    all.dedup();
    all
}
