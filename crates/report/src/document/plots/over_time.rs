//! Bandwidth or operations over time, a line for each repetition, with times of a low rate.
//!
//! Invariant: no byte is lost. A step of a line has the rate of all bytes of its intervals.
//! Never here: which intervals have a low rate.

use results::Verdict;
use results::record::{Counts, MetricRow, Phase};

use super::low_rates::{LEAST_S, LOW, low_rates, stable_step};
use super::{NamedPhase, PlotDetail, left_out, threshold};
use crate::document::chart::axes::{from_zero, short, time_ticks};
use crate::document::phases::RepetitionPhase;
use crate::document::words::quantity;
use crate::document::{
    Axis, LegendEntry, LineStyle, MarkShape, MarkStyle, Plot, PlotBand, PlotLine, PlotMark, PlotSpan,
};

/// The minimum number of transfers of a rank in a step, if the phase has as many and they end in bursts.
const SEVERAL: f64 = 5.0;
/// The minimum number of transfers of all ranks together in a step.
const TRANSFERS: f64 = 8.0;
/// The shortest step, seconds. Stalls are several times longer.
const STEP_S: f64 = 0.05;
/// The most lines whose lowest and highest rates are shown as a band.
const BANDS: usize = 4;
/// The most low rates that are marked in a line: the longest.
const MARKED: usize = 8;
/// The highest band, as a multiple of the highest line.
const BAND_MAX: f64 = 1.6;

/// Steps of a line: from, to, and bytes.
type Steps = Vec<(f64, f64, u64)>;

struct RepetitionSteps<'m> {
    one: &'m RepetitionPhase<'m>,
    /// The intervals of a step of the line.
    step: usize,
    /// The intervals of a step of its band and of its low rates: the shortest time with a stable rate.
    fine: usize,
}

/// The plot of a phase; `None` if no repetition recorded a rate.
pub(super) fn plot(phase: &NamedPhase, verdicts: &[&Verdict], detail: PlotDetail) -> Option<Plot> {
    let (shown, total) = phase.shown();
    let courses: Vec<RepetitionSteps> =
        shown.iter().filter_map(|one| RepetitionSteps::from_phase(one, detail)).collect();
    let counts = courses.first()?.one.phase.counts;
    let (title, each, label) = match counts {
        Counts::Bytes => ("Bandwidth", "transfer", "bytes per second, all ranks"),
        Counts::Operations => ("Rate", "operation", "operations per second, all ranks"),
    };
    let rate = MetricRow::rate_of(counts);
    let (metric, unit) = (rate.name, rate.dimension(counts).unit());
    let required = threshold(&format!("{}.{metric}", phase.name), unit, verdicts);
    let mut lines: Vec<PlotLine> =
        courses.iter().enumerate().filter_map(|(style, one)| one.line(style)).collect();
    let all = || lines.iter().flat_map(|line| &line.points);
    let end = all().map(|point| point.0).max_by(f64::total_cmp)?;
    let line_top = all().map(|point| point.1).chain(required).max_by(f64::total_cmp)?;
    let bands = bands(&courses, line_top * BAND_MAX);
    let band_top = bands.iter().flat_map(|band| &band.steps).map(|step| step.3).fold(0.0, f64::max);
    let marks = marks(&courses, unit);
    let x = from_zero("time since the first transfer or operation", end, |_| String::new());
    let mut legend = LegendEntry::from_lines(&lines);
    lines.extend(
        required.map(|at| {
            PlotLine::across(&x, at, format!("required {}", quantity(at, unit)), LineStyle::Required)
        }),
    );
    legend.extend(required.and(lines.last()).map(LegendEntry::from_line));
    let low = LegendEntry::for_marks(7, MarkShape::Triangle, "low rate (see the value on hover)");
    legend.extend(marks.first().map(|_| low));
    Some(Plot {
        title: format!("{title} of {} over time", phase.title),
        note: note(&courses, each, (!bands.is_empty(), marks.first())) + &left_out(total, courses.len()),
        x: Axis { ticks: time_ticks(end), ..x },
        y: from_zero(label, line_top.max(band_top) * 1.06, |at| short(&quantity(at, unit))),
        legend,
        spans: hovers(&courses, end, unit, detail),
        bands,
        lines,
        marks,
        ..Plot::default()
    })
}

/// A time on the axis, with enough digits for a low rate.
fn moment(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

fn name(one: &RepetitionPhase) -> String {
    format!("repetition {}", one.repetition)
}

impl<'m> RepetitionSteps<'m> {
    /// `None` if there is nothing to plot.
    fn from_phase(one: &'m RepetitionPhase<'m>, detail: PlotDetail) -> Option<Self> {
        let timeline = one.phase.timeline.as_ref()?;
        if timeline.interval_ns == 0 || timeline.bytes.iter().all(|bytes| *bytes == 0) {
            return None;
        }
        let intervals = timeline.bytes.len();
        let holding = |seconds: f64| (seconds / (timeline.interval_ns as f64 * 1e-9)).ceil() as usize;
        // All ranks together end a transfer this often.
        let apart = one.phase.apart_s().unwrap_or(0.0) / f64::from(one.phase.ranks.max(1));
        let least = holding(STEP_S.max(TRANSFERS * apart));
        let fine = stable_step(&timeline.bytes, least, holding(SEVERAL * transfer_s(one.phase)));
        let step = intervals.div_ceil(detail.points).next_multiple_of(fine);
        Some(Self { one, step, fine })
    }

    fn interval_s(&self) -> f64 {
        self.one.phase.timeline.as_ref().map_or(0.0, |timeline| timeline.interval_ns as f64 * 1e-9)
    }

    /// Steps of `joined` intervals; empty without a timeline.
    fn steps(&self, joined: usize) -> Steps {
        steps(self.one.phase, joined).unwrap_or_default()
    }

    /// The corners of the line.
    fn line(&self, style: usize) -> Option<PlotLine> {
        let corners = |(from, to, bytes): (f64, f64, u64)| {
            let rate = bytes as f64 / (to - from);
            [(from, rate), (to, rate)]
        };
        let points: Vec<(f64, f64)> = self.steps(self.step).into_iter().flat_map(corners).collect();
        let is_drawable = points.iter().all(|(x, y)| x.is_finite() && y.is_finite());
        let style = LineStyle::Series(style);
        (is_drawable && !points.is_empty()).then(|| PlotLine { label: name(self.one), points, style })
    }

    /// The lowest and highest rate within each step of the line; `None` if a step has only one rate.
    fn band(&self, style: usize, most: f64) -> Option<PlotBand> {
        if self.step == self.fine {
            return None;
        }
        let fine: Steps = self.steps(self.fine);
        let mut extremes = Vec::new();
        for (from, to, _) in self.steps(self.step) {
            let within = fine.iter().filter(|one| one.0 >= from - 1e-9 && one.1 <= to + 1e-9);
            let rates = within.map(|(from, to, bytes)| *bytes as f64 / (to - from));
            let (low, high) =
                rates.fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)));
            if low.is_finite() && high.is_finite() {
                extremes.push((from, to, low.min(most), high.min(most)));
            }
        }
        let text = format!("{}: lowest and highest rate within each step", name(self.one));
        (!extremes.is_empty()).then_some(PlotBand { text, steps: extremes, style })
    }
}

fn bands(courses: &[RepetitionSteps], most: f64) -> Vec<PlotBand> {
    if courses.len() > BANDS {
        return Vec::new();
    }
    courses.iter().enumerate().filter_map(|(style, one)| one.band(style, most)).collect()
}

/// The longest low rates of each repetition, at the bottom of the plot.
fn marks(courses: &[RepetitionSteps], unit: &str) -> Vec<PlotMark> {
    let mut marks = Vec::new();
    for (style, course) in courses.iter().enumerate() {
        let Some(timeline) = &course.one.phase.timeline else { continue };
        let mut found = low_rates(&course.steps(course.fine), course.interval_s());
        found.sort_by(|a, b| (b.to - b.from).total_cmp(&(a.to - a.from)));
        for low in found.into_iter().take(MARKED).filter(|_| timeline.interval_ns > 0) {
            let (from, length) = (moment(low.from), units::duration(low.to - low.from));
            let text = format!(
                "{}: {} for {length}, from {from} on. The median is {}.",
                name(course.one),
                quantity(low.rate, unit),
                quantity(low.median, unit)
            );
            let (x, shape) = (f64::midpoint(low.from, low.to), MarkShape::Triangle);
            let style = MarkStyle::Series(style);
            marks.push(PlotMark { x, y: 0.0, text, style, shape, ..PlotMark::default() });
        }
    }
    marks
}

/// The rates of all repetitions in equal ranges of time.
fn hovers(courses: &[RepetitionSteps], end: f64, unit: &str, detail: PlotDetail) -> Vec<PlotSpan> {
    let longest = courses.iter().map(|one| one.step as f64 * one.interval_s()).fold(0.0, f64::max);
    let number = (end / longest.max(end * 1e-6)).floor().clamp(1.0, detail.hovers as f64);
    let length = end / number;
    let lines: Vec<(String, Steps)> =
        courses.iter().map(|one| (name(one.one), one.steps(one.step))).collect();
    let text = |from: f64, to: f64| {
        let mut text = String::new();
        for (name, steps) in &lines {
            // The step around the middle: its rate is that of the line at this place.
            let middle = f64::midpoint(from, to);
            let Some(step) = steps.iter().find(|step| step.0 <= middle && middle < step.1) else { continue };
            let rate = quantity(step.2 as f64 / (step.1 - step.0), unit);
            let (from, to) = (moment(step.0), moment(step.1));
            text.push_str(&format!(
                "{}{name}: {rate} from {from} to {to}",
                if text.is_empty() { "" } else { "\n" }
            ));
        }
        text
    };
    let range = |n: f64| {
        let (from, to) = (n * length, (n + 1.0) * length);
        PlotSpan { from, to, text: text(from, to), ..PlotSpan::default() }
    };
    (0..number as u32).map(|n| range(f64::from(n))).filter(|hover| !hover.text.is_empty()).collect()
}

/// The duration of a typical transfer of a rank, seconds: half of all time was spent in transfers up to this
/// long. A single low rate does not change it.
fn transfer_s(phase: &Phase) -> f64 {
    let buckets = phase.latency.as_ref().map_or(&[][..], |latency| &latency.buckets);
    let spent = |(bound, transfers): &(u64, u64)| *bound as f64 * *transfers as f64;
    let half = buckets.iter().map(spent).sum::<f64>() / 2.0;
    let mut so_far = 0.0;
    let middle = buckets.iter().find(|bucket| {
        so_far += spent(bucket);
        so_far >= half
    });
    middle.map_or(0.0, |(bound, _)| *bound as f64 * 1e-9).max(phase.apart_s().unwrap_or(0.0))
}

fn note(courses: &[RepetitionSteps], each: &str, (has_bands, mark): (bool, Option<&PlotMark>)) -> String {
    let longest = |of: fn(&RepetitionSteps) -> usize| {
        let lengths = courses.iter().map(|one| of(one) as f64 * one.interval_s());
        lengths.fold(0.0, f64::max)
    };
    let (step, fine) = (longest(|one| one.step), longest(|one| one.fine));
    let several = courses.iter().all(|one| SEVERAL * transfer_s(one.one.phase) <= step);
    let held = if several { "several" } else { "only a few" };
    // Repetitions may have steps of different lengths.
    let lengths = courses.iter().map(|one| one.step as f64 * one.interval_s());
    let shortest = lengths.fold(f64::INFINITY, f64::min);
    let up_to = if shortest < 0.99 * step { "up to " } else { "" };
    let mut note = format!(
        "Each step is {up_to}{} long and holds {held} {each}s per rank. Each {each} counts when it ends. A \
         shorter last step is divided by its own length.",
        units::duration(step)
    );
    if has_bands {
        note.push_str(&format!(
            " The band has the lowest and the highest rate over {} within each step.",
            units::duration(fine)
        ));
    }
    if let Some(mark) = mark {
        note.push_str(&format!(
            " A triangle marks a low rate: below {} of the median rate for about {} or more, in whole \
             intervals. At most {MARKED} of each repetition are marked. The first: {}",
            units::percent(LOW, 0),
            units::duration(LEAST_S),
            mark.text,
        ));
    }
    let after = courses.iter().filter_map(|one| unseen(one.one.phase)).fold(0.0, f64::max);
    if after > 0.0 {
        note.push_str(&format!(
            " After its last {each} a repetition waited up to {} more, for example for fsync. bw includes \
             this time, the lines do not.",
            units::duration(after)
        ));
    }
    note
}

/// The part of the transfer span after the last interval, seconds, if it is above 5 % of the span.
fn unseen(phase: &Phase) -> Option<f64> {
    let timeline = phase.timeline.as_ref()?;
    let after = phase.spans.transfer_s - timeline.bytes.len() as f64 * timeline.interval_ns as f64 * 1e-9;
    (after > 0.05 * phase.spans.transfer_s).then_some(after)
}

/// The steps of `joined` intervals: from, to, and bytes. `None` if there is nothing to plot.
fn steps(phase: &Phase, joined: usize) -> Option<Steps> {
    let timeline = phase.timeline.as_ref()?;
    let interval = timeline.interval_ns as f64 * 1e-9;
    if interval <= 0.0 || timeline.bytes.iter().all(|bytes| *bytes == 0) {
        return None;
    }
    let whole = timeline.bytes.len() as f64 * interval;
    let cut = whole - interval < phase.spans.transfer_s && phase.spans.transfer_s < whole;
    let end = if cut { phase.spans.transfer_s } else { whole };
    let mut steps: Steps = vec![];
    for (number, bytes) in timeline.bytes.chunks(joined.max(1)).enumerate() {
        let from = number as f64 * joined as f64 * interval;
        let moved = bytes.iter().fold(0_u64, |sum, bytes| sum.saturating_add(*bytes));
        steps.push((from, (from + joined as f64 * interval).min(end), moved));
    }
    // A much shorter last step would show a rate that is mostly noise.
    if let [.., before, last] = &mut steps[..]
        && last.1 - last.0 < 0.5 * (before.1 - before.0)
    {
        *before = (before.0, last.1, before.2.saturating_add(last.2));
        steps.pop();
    }
    Some(steps)
}

#[cfg(test)]
mod tests;
