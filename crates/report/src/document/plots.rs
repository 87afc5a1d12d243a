//! Plots of a test: bandwidth or operations over time, and percentiles of latency. Each repetition has a
//! line.
//!
//! Invariant: no byte is lost. A point of a bandwidth line represents all bytes of its interval.
//! Never here: pixels, colours.

use results::Verdict;
use results::record::{Counts, Latency, Phase};

use super::test_section::RepetitionPhase;
use super::words::{NONE, quantity};
use super::{Axis, Plot, PlotLine, PlotMark, PlotTick};

/// The maximum number of intervals of a line. In longer timelines neighbouring intervals are summed.
const INTERVALS: usize = 240;
/// The minimum number of transfers of a rank in a step, if the phase has as many. Bytes count when their
/// transfer ends. Shorter steps would show when transfers end, not how fast they are.
const SEVERAL: f64 = 5.0;
/// The approximate maximum number of points of a percentile line.
const POINTS: f64 = 300.0;

/// All plots of a test, two for each phase that moved bytes.
pub(super) fn of(measured: &[RepetitionPhase], verdicts: &[&Verdict]) -> Vec<Plot> {
    let mut names: Vec<(u32, &str)> = vec![];
    for one in measured {
        let name = (one.phase.test, one.phase.phase.as_str());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut plots = vec![];
    for (test, name) in names {
        let same: Vec<&RepetitionPhase> = measured
            .iter()
            .filter(|one| (one.phase.test, one.phase.phase.as_str()) == (test, name))
            .collect();
        let title = if test == 0 { name.to_string() } else { format!("{name}, test {}", test + 1) };
        plots.extend(over_time(&title, &same, name, verdicts));
        plots.extend(latency(&title, &same));
    }
    plots
}

/// The texts of a plot over time.
struct Wording {
    title: &'static str,
    each: &'static str,
    y: &'static str,
    unit: &'static str,
    metric: &'static str,
}

const BANDWIDTH: Wording = Wording {
    title: "Bandwidth",
    each: "transfer",
    y: "bytes per second, all ranks",
    unit: "B/s",
    metric: "bw",
};
const RATE: Wording = Wording {
    title: "Rate",
    each: "operation",
    y: "operations per second, all ranks",
    unit: "/s",
    metric: "rate",
};

impl Wording {
    /// The threshold of a verdict on this phase.
    fn threshold(&self, phase: &str, verdicts: &[&Verdict]) -> Option<f64> {
        let metric = format!("{phase}.{}", self.metric);
        let asks = |verdict: &&&Verdict| verdict.metric == metric && verdict.unit == self.unit;
        verdicts.iter().find(asks).and_then(|verdict| verdict.threshold)
    }
}

fn over_time(title: &str, measured: &[&RepetitionPhase], phase: &str, verdicts: &[&Verdict]) -> Option<Plot> {
    let operations = measured.iter().any(|one| one.phase.counts == Counts::Operations);
    let wording = if operations { RATE } else { BANDWIDTH };
    let (threshold, unit) = (wording.threshold(phase, verdicts), wording.unit);
    let joined = joined(measured);
    let line = |one: &&RepetitionPhase| {
        let points = rates(one.phase, joined)?;
        Some(PlotLine { label: format!("repetition {}", one.repetition), points })
    };
    let lines: Vec<PlotLine> = measured.iter().filter_map(line).collect();
    let all = || lines.iter().flat_map(|line| &line.points);
    let end = all().map(|point| point.0).max_by(f64::total_cmp)?;
    let top = all().map(|point| point.1).chain(threshold).max_by(f64::total_cmp)?;
    let rules = threshold.map(|at| PlotTick { at, label: format!("required {}", quantity(at, unit)) });
    let axis =
        |label: &str, to: f64, ticks: Vec<PlotTick>| Axis { label: label.into(), from: 0.0, to, ticks };
    Some(Plot {
        title: format!("{} of {title} over time", wording.title),
        note: interval_note(measured, joined, wording.each),
        x: axis("time since the first transfer or operation", end, time_ticks(end)),
        y: axis(wording.y, top * 1.08, linear_ticks(top * 1.08, |at| short(&quantity(at, unit)))),
        lines,
        marks: vec![],
        rules: rules.into_iter().collect(),
    })
}

/// The number of intervals in a step.
fn joined(measured: &[&RepetitionPhase]) -> usize {
    let of_phase = |one: &&RepetitionPhase| {
        let timeline = one.phase.timeline.as_ref()?;
        let (intervals, seconds) = (timeline.bytes.len(), timeline.interval_ns.max(1) as f64 * 1e-9);
        let holding = (SEVERAL * transfer_s(one.phase) / seconds).ceil() as usize;
        Some(holding.max(intervals.div_ceil(INTERVALS)).min(intervals))
    };
    measured.iter().filter_map(of_phase).max().unwrap_or(1).max(1)
}

/// The duration of a typical transfer of a rank, seconds: half of all time was spent in transfers up to this
/// long. A single stall does not change it.
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

fn interval_note(measured: &[&RepetitionPhase], joined: usize, each: &str) -> String {
    let timelines = || measured.iter().filter_map(|one| one.phase.timeline.as_ref());
    let interval = timelines().map(|timeline| timeline.interval_ns).max().unwrap_or(0) as f64 * 1e-9;
    let after = measured.iter().filter_map(|one| unseen(one.phase)).fold(0.0, f64::max);
    let unseen = match after > 0.0 {
        true => format!(
            " After its last {each} a repetition waited up to {} more, for example for fsync. bw includes \
             this time, the lines do not.",
            units::duration(after)
        ),
        false => String::new(),
    };
    let step = interval * joined as f64;
    let several = measured.iter().all(|one| SEVERAL * transfer_s(one.phase) <= step);
    let held = if several { "several" } else { "only a few" };
    format!(
        "Each step is {} long and holds {held} {each}s per rank. Each {each} counts when it ends. A shorter \
         last step is divided by its own length.{unseen}",
        units::duration(step)
    )
}

/// The part of the transfer span after the last interval, seconds, if it is above 5 % of the span.
fn unseen(phase: &Phase) -> Option<f64> {
    let timeline = phase.timeline.as_ref()?;
    let after = phase.spans.transfer_s - timeline.bytes.len() as f64 * timeline.interval_ns as f64 * 1e-9;
    (after > 0.05 * phase.spans.transfer_s).then_some(after)
}

/// The corners of a step line: each interval at its rate. `None` if there is nothing to plot.
fn rates(phase: &Phase, joined: usize) -> Option<Vec<(f64, f64)>> {
    let timeline = phase.timeline.as_ref()?;
    let interval = timeline.interval_ns as f64 * 1e-9;
    if interval <= 0.0 || timeline.bytes.iter().all(|bytes| *bytes == 0) {
        return None;
    }
    let whole = timeline.bytes.len() as f64 * interval;
    let cut = whole - interval < phase.spans.transfer_s && phase.spans.transfer_s < whole;
    let end = if cut { phase.spans.transfer_s } else { whole };
    let mut steps: Vec<(f64, f64, u64)> = vec![];
    for (number, bytes) in timeline.bytes.chunks(joined).enumerate() {
        let from = number as f64 * joined as f64 * interval;
        steps.push((from, (from + joined as f64 * interval).min(end), bytes.iter().sum()));
    }
    // A much shorter last step would show a rate that is mostly noise.
    if let [.., before, last] = &mut steps[..]
        && last.1 - last.0 < 0.5 * (before.1 - before.0)
    {
        *before = (before.0, last.1, before.2 + last.2);
        steps.pop();
    }
    let corners = |(from, to, bytes): (f64, f64, u64)| {
        let rate = bytes as f64 / (to - from);
        [(from, rate), (to, rate)]
    };
    Some(steps.into_iter().flat_map(corners).collect())
}

fn latency(title: &str, measured: &[&RepetitionPhase]) -> Option<Plot> {
    let plotted: Vec<(&&RepetitionPhase, &Latency)> = measured
        .iter()
        .filter_map(|one| one.phase.latency.as_ref().map(|latency| (one, latency)))
        .filter(|(_, latency)| latency.count > 0 && latency.max_ns > 0)
        .collect();
    let floor = plotted.iter().map(|(_, latency)| latency.min_ns.max(1)).min()? as f64;
    let ceiling = plotted.iter().map(|(_, latency)| latency.max_ns).max()? as f64;
    let count = plotted.iter().map(|(_, latency)| latency.count).max()?;
    let line = |(one, latency): &(&&RepetitionPhase, &Latency)| PlotLine {
        label: format!("repetition {}", one.repetition),
        points: percentiles(latency),
    };
    let right = nines(count, count);
    let (bottom, top) = ((floor * 0.8).log10(), (ceiling * 1.6).log10());
    Some(Plot {
        title: format!("Latency of {title}, by percentile"),
        note: "Both axes are logarithmic. The labels show the slowest repetition at each percentile.".into(),
        x: Axis {
            label: "share of transfers or operations that took at most this long".into(),
            from: 0.0,
            to: right,
            ticks: percentile_ticks(right),
        },
        y: Axis { label: "latency".into(), from: bottom, to: top, ticks: decade_ticks(bottom, top) },
        lines: plotted.iter().map(line).collect(),
        marks: marks(&plotted.iter().map(|(_, latency)| *latency).collect::<Vec<_>>()),
        rules: vec![],
    })
}

/// The coordinate of the share `below` of `count` on an axis of nines: 0.9 at 1, 0.99 at 2. The share 1 is
/// placed half a transfer below 1.
fn nines(below: u64, count: u64) -> f64 {
    let count = count as f64;
    let rest = (1.0 - below as f64 / count).max(0.5 / count);
    -rest.log10()
}

/// The percentile line, without points that are too close to be seen.
fn percentiles(latency: &Latency) -> Vec<(f64, f64)> {
    let height = |nanoseconds: u64| (nanoseconds.max(1) as f64).log10();
    let right = nines(latency.count, latency.count);
    let mut points = vec![(0.0, height(latency.min_ns))];
    let mut below = 0;
    let mut last = (0.0, height(latency.min_ns));
    for (bound, transfers) in &latency.buckets {
        below += transfers;
        let value = (*bound).clamp(latency.min_ns, latency.max_ns.max(latency.min_ns));
        let point = (nines(below.min(latency.count), latency.count), height(value));
        if point.0 - last.0 > right / POINTS || point.1 - last.1 > 0.02 {
            points.push(point);
            last = point;
        }
    }
    points.push((right, height(latency.max_ns)));
    points
}

/// p50, p90, p99, p99.9 and max, each of the slowest repetition.
fn marks(latencies: &[&Latency]) -> Vec<PlotMark> {
    type Pick = fn(&Latency) -> (f64, u64);
    let picks: [(&str, u64, Pick); 5] = [
        ("p50", 1, |l| (0.5_f64.recip().log10(), l.p50_ns)),
        ("p90", 10, |l| (1.0, l.p90_ns)),
        ("p99", 100, |l| (2.0, l.p99_ns)),
        ("p99.9", 1000, |l| (3.0, l.p999_ns)),
        ("max", 1, |l| (nines(l.count, l.count), l.max_ns)),
    ];
    let mark = |(name, least, pick): &(&str, u64, Pick)| {
        let seen = latencies.iter().enumerate().filter(|(_, latency)| latency.count > *least);
        let (line, slowest) = seen.max_by_key(|(_, latency)| pick(latency).1)?;
        let (x, nanoseconds) = pick(slowest);
        let label = format!("{name} {}", units::duration(nanoseconds as f64 * 1e-9));
        Some(PlotMark { x, y: (nanoseconds.max(1) as f64).log10(), label, line })
    };
    picks.iter().filter_map(mark).collect()
}

fn percentile_ticks(right: f64) -> Vec<PlotTick> {
    let known = [(0.5_f64.recip().log10(), "50 %"), (1.0, "90 %"), (2.0, "99 %")];
    let nines = (3..=9).map(|nines| (f64::from(nines), format!("99.{} %", "9".repeat(nines as usize - 2))));
    let all = known.into_iter().map(|(at, label)| (at, label.to_string())).chain(nines);
    all.filter(|(at, _)| *at <= right).map(|(at, label)| PlotTick { at, label }).collect()
}

/// Ticks at powers of ten of nanoseconds. Within a single decade there are also ticks at 2 and 5.
fn decade_ticks(from: f64, to: f64) -> Vec<PlotTick> {
    let steps: &[f64] = if to - from < 1.7 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let decades = (from.floor() as i32)..=(to.ceil() as i32);
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
    let tick =
        |value: f64| PlotTick { at: value.log10(), label: short(&units::duration(value * 1.000_000_1e-9)) };
    all.map(tick).filter(|tick| (from..=to).contains(&tick.at)).collect()
}

/// The step of 1, 2 or 5 times a power of ten that gives three to six ticks up to `to`.
fn step(to: f64) -> f64 {
    let power = 10_f64.powf((to / 5.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| to / step <= 6.0).unwrap_or(to)
}

fn ticks(to: f64, step: f64, label: impl Fn(f64) -> String) -> Vec<PlotTick> {
    let number = (to / step + 1e-9).floor() as u32;
    (0..=number).map(|n| f64::from(n) * step).map(|at| PlotTick { at, label: label(at) }).collect()
}

/// Three to six round ticks from 0 to `to`.
pub(super) fn linear_ticks(to: f64, label: impl Fn(f64) -> String) -> Vec<PlotTick> {
    ticks(to, step(to), label)
}

fn time_ticks(to: f64) -> Vec<PlotTick> {
    if to < 240.0 {
        return linear_ticks(to, |at| short(&units::duration(at)));
    }
    let minutes = step(to / 60.0).max(1.0);
    ticks(to, minutes * 60.0, |at| format!("{:.0} min", at / 60.0))
}

/// The same quantity without trailing zeros: `1.00 GB/s` is `1 GB/s`.
pub(super) fn short(quantity: &str) -> String {
    match quantity.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ if quantity.is_empty() => NONE.into(),
        _ => quantity.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use results::record::{Spans, Timeline};

    fn phase(bytes: &[u64], transfer_s: f64) -> Phase {
        let timeline = Some(Timeline { interval_ns: 1_000_000_000, bytes: bytes.to_vec() });
        Phase { timeline, spans: Spans { transfer_s, ..Spans::default() }, ..Phase::default() }
    }

    #[test]
    fn a_shorter_last_interval_is_divided_by_its_own_length() {
        let corners = rates(&phase(&[10, 10, 5], 2.5), 1).unwrap();
        assert_eq!(corners, [(0.0, 10.0), (1.0, 10.0), (1.0, 10.0), (2.0, 10.0), (2.0, 10.0), (2.5, 10.0)]);
    }

    #[test]
    fn a_very_short_last_interval_is_joined_to_the_one_before_it() {
        let corners = rates(&phase(&[8, 8, 2], 2.25), 1).unwrap();
        assert_eq!(corners, [(0.0, 8.0), (1.0, 8.0), (1.0, 8.0), (2.25, 8.0)]);
    }

    #[test]
    fn long_timelines_keep_all_bytes() {
        let phase = phase(&vec![7; 1001], 1001.0);
        let joined = joined(&[&RepetitionPhase { phase: &phase, repetition: "1".into() }]);
        let corners = rates(&phase, joined).unwrap();
        let bytes: f64 = corners.chunks(2).map(|step| (step[1].0 - step[0].0) * step[0].1).sum();
        assert!((bytes - 7007.0).abs() < 1e-6 && corners.len() <= 2 * INTERVALS, "{bytes}");
    }

    #[test]
    fn a_step_holds_several_transfers_and_one_long_stall_does_not_lengthen_it() {
        // Every second interval holds a transfer of 2 s. Single intervals would give a comb.
        let mut comb = phase(&[0, 20, 0, 20, 0, 20, 0, 20, 0, 20, 0, 20], 12.0);
        comb.ops = 6;
        let stalled = |stalls: u64| {
            let buckets = vec![(2_000_000_000, 6), (9_000_000_000, stalls)];
            let phase = Phase { latency: Some(Latency { buckets, ..Latency::default() }), ..comb.clone() };
            joined(&[&RepetitionPhase { phase: &phase, repetition: "1".into() }])
        };
        assert_eq!((stalled(0), stalled(1)), (10, 10));
        let corners = rates(&comb, 10).unwrap();
        assert_eq!(corners, [(0.0, 10.0), (12.0, 10.0)], "the rest is joined to it");
    }

    #[test]
    fn a_step_holds_several_transfers_of_each_rank_but_is_not_longer_than_the_phase() {
        let of = |ranks: u32, ops: u64| {
            let phase = Phase { ranks, ops, ..phase(&[20; 12], 12.0) };
            let measured = RepetitionPhase { phase: &phase, repetition: "1".into() };
            let joined = joined(&[&measured]);
            (joined, interval_note(&[&measured], joined, "transfer"))
        };
        let (joined, note) = of(8, 48);
        assert_eq!(joined, 10, "each rank ends one every 2 s, all ranks together end four per second");
        assert!(
            note.starts_with("Each step is 10.0 s long and holds several transfers per rank. "),
            "{note}"
        );
        let (joined, note) = of(8, 8);
        assert_eq!(joined, 12);
        assert!(
            note.starts_with("Each step is 12.0 s long and holds only a few transfers per rank. "),
            "{note}"
        );
    }

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let labels = |ticks: Vec<PlotTick>| ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>();
        assert_eq!(labels(time_ticks(10.5)), ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"]);
        assert_eq!(labels(time_ticks(600.0)), ["0 min", "2 min", "4 min", "6 min", "8 min", "10 min"]);
        assert_eq!(labels(decade_ticks(3.1, 6.2)), ["10 us", "100 us", "1 ms"]);
    }
}
