//! Axes: round ticks of numbers, times and dates, their labels, and fewer points where there are many.
//!
//! Invariant: ticks are within the axis, and no axis is empty or infinite.
//! Never here: what an axis shows.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::{Axis, PlotTick};
use crate::document::words::NONE;

/// The most ticks of an axis.
const TICKS: usize = 60;

/// An axis from 0. An axis up to 0, or to a number that is not finite, gets the length 1.
pub(in crate::document) fn from_zero(label: &str, to: f64, label_of: impl Fn(f64) -> String) -> Axis {
    let to = if to.is_finite() && to > 0.0 { to } else { 1.0 };
    Axis { label: label.into(), from: 0.0, to, ticks: linear_ticks(to, label_of) }
}

/// The step of 1, 2 or 5 times a power of ten that gives three to six ticks over `length`.
pub(in crate::document) fn step(length: f64) -> f64 {
    let power = 10_f64.powf((length / 5.0).log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0].into_iter();
    factors.map(|factor| factor * power).find(|step| length / step <= 6.0).unwrap_or(length)
}

fn ticks(from: f64, to: f64, step: f64, label: impl Fn(f64) -> String) -> Vec<PlotTick> {
    if !(step > 0.0 && step.is_finite() && from.is_finite() && to.is_finite()) {
        return Vec::new();
    }
    let first = (from / step - 1e-9).ceil();
    let last = (to / step + 1e-9).floor();
    let number = (last - first).clamp(-1.0, TICKS as f64 - 1.0) as i32;
    let tick = |n: i32| {
        let at = (first + f64::from(n)) * step;
        PlotTick { at, label: label(at) }
    };
    (0..=number).map(tick).collect()
}

/// Three to six round ticks from 0 to `to`.
pub(in crate::document) fn linear_ticks(to: f64, label: impl Fn(f64) -> String) -> Vec<PlotTick> {
    ticks(0.0, to, step(to), label)
}

/// Three to six round ticks between `from` and `to`.
pub(in crate::document) fn ticks_between(from: f64, to: f64, label: impl Fn(f64) -> String) -> Vec<PlotTick> {
    ticks(from, to, step(to - from), label)
}

/// Ticks of a time in seconds from 0: seconds, minutes, hours or days, at steps that clocks have.
pub(in crate::document) fn time_ticks(to: f64) -> Vec<PlotTick> {
    const UNITS: [(&str, f64, &[f64]); 3] = [
        ("d", 86_400.0, &[1.0, 2.0]),
        ("h", 3600.0, &[1.0, 2.0, 3.0, 6.0, 12.0]),
        ("min", 60.0, &[1.0, 2.0, 5.0, 10.0, 15.0, 30.0]),
    ];
    for (unit, seconds, steps) in UNITS {
        if to >= 3.5 * seconds {
            let length = to / seconds;
            let of_clock = steps.iter().copied().find(|step| length / step <= 6.0);
            let step = of_clock.unwrap_or_else(|| step(length).max(1.0));
            return ticks(0.0, to, step * seconds, |at| format!("{:.0} {unit}", at / seconds));
        }
    }
    linear_ticks(to, |at| short(&units::duration(at)))
}

/// Ticks at powers of ten of nanoseconds. Within few decades there are also ticks at 2 and 5.
pub(in crate::document) fn decade_ticks(from: f64, to: f64) -> Vec<PlotTick> {
    log_ticks(from, to, |value| short(&units::duration(value * 1.000_000_1e-9)))
}

/// Ticks at powers of ten on an axis of logarithms. Within few decades there are also ticks at 2 and 5.
pub(in crate::document) fn log_ticks(from: f64, to: f64, label: impl Fn(f64) -> String) -> Vec<PlotTick> {
    let steps: &[f64] = if to - from < 1.7 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let every = ((to - from) / 8.0).ceil().max(1.0) as usize;
    let decades = ((from.max(-300.0).floor() as i32)..=(to.min(300.0).ceil() as i32)).step_by(every);
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10_f64.powi(decade)));
    let tick = |value: f64| PlotTick { at: value.log10(), label: label(value) };
    all.map(tick).filter(|tick| (from..=to).contains(&tick.at)).collect()
}

/// The same quantity without trailing zeros: `1.00 GB/s` is `1 GB/s`.
pub(in crate::document) fn short(quantity: &str) -> String {
    match quantity.split_once(' ') {
        Some((number, unit)) => {
            format!("{} {unit}", units::trimmed(number))
        }
        _ if quantity.is_empty() => NONE.into(),
        _ => quantity.into(),
    }
}

/// At most about `most` of `values`, with their places. Each part of many values keeps its lowest and its
/// highest value, so that no outlier is lost. Values that are not finite are left out.
pub(in crate::document) fn thinned(values: &[f64], most: usize) -> Vec<(usize, f64)> {
    let finite: Vec<(usize, f64)> =
        values.iter().copied().enumerate().filter(|(_, value)| value.is_finite()).collect();
    if finite.len() <= most {
        return finite;
    }
    let parts = finite.chunks(finite.len().div_ceil((most / 2).max(1)));
    let extremes = |part: &[(usize, f64)]| {
        let by_value = |a: &&(usize, f64), b: &&(usize, f64)| a.1.total_cmp(&b.1);
        let mut both: Vec<(usize, f64)> = [part.iter().min_by(by_value), part.iter().max_by(by_value)]
            .into_iter()
            .flatten()
            .copied()
            .collect();
        both.sort_by_key(|(place, _)| *place);
        both.dedup();
        both
    };
    parts.flat_map(extremes).collect()
}

const MINUTE_S: f64 = 60.0;
const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// Unix time 0 was a Thursday. Steps of weeks begin on Mondays.
const MONDAY_S: f64 = 4.0 * DAY_S;

const MINUTES: &str = "%m-%d %H:%M";
const DAYS: &str = "%Y-%m-%d";
/// Steps of a fixed length in seconds, the shortest first; the first tick after Unix time 0, and the format.
const LENGTHS: [(f64, f64, &str); 11] = [
    (MINUTE_S, 0.0, MINUTES),
    (5.0 * MINUTE_S, 0.0, MINUTES),
    (15.0 * MINUTE_S, 0.0, MINUTES),
    (HOUR_S, 0.0, MINUTES),
    (3.0 * HOUR_S, 0.0, MINUTES),
    (6.0 * HOUR_S, 0.0, MINUTES),
    (12.0 * HOUR_S, 0.0, MINUTES),
    (DAY_S, 0.0, DAYS),
    (2.0 * DAY_S, 0.0, DAYS),
    (7.0 * DAY_S, MONDAY_S, DAYS),
    (14.0 * DAY_S, MONDAY_S, DAYS),
];
/// Longer steps, in months.
const MONTHS: [i64; 10] = [1, 2, 3, 6, 12, 24, 60, 120, 1200, 12_000];
/// The mean length of a month.
const MONTH_S: f64 = 30.44 * DAY_S;

/// At most about `most` ticks between two times in seconds since 1970. Times without a date have none.
pub(in crate::document) fn date_ticks(from_s: f64, to_s: f64, most: usize) -> Vec<PlotTick> {
    let (Some(from), Some(to)) = (date(from_s), date(to_s)) else { return Vec::new() };
    let lengths = LENGTHS.map(|(length, ..)| length).into_iter();
    let fits = |length: f64| (to_s - from_s) / length <= most as f64;
    let all = lengths.chain(MONTHS.map(|months| months as f64 * MONTH_S));
    let place = all.clone().position(fits).unwrap_or(all.count() - 1);
    let ticks = |place: usize| {
        let mut all = match LENGTHS.get(place) {
            Some(step) => by_length(from_s, to_s, *step),
            None => by_month(from, to, MONTHS[place - LENGTHS.len()]),
        };
        all.retain(|tick| (from_s..=to_s).contains(&tick.at));
        all
    };
    match ticks(place) {
        // One label alone shows no distance.
        few if few.len() < 2 && place > 0 => ticks(place - 1),
        all => all,
    }
}

fn by_length(from_s: f64, to_s: f64, (step, first, format): (f64, f64, &str)) -> Vec<PlotTick> {
    let (begin, end) = (((from_s - first) / step).ceil() as i64, ((to_s - first) / step).floor() as i64);
    let tick = |n: i64| {
        let at = first + step * n as f64;
        let moment = Timestamp::from_second(at as i64).ok()?;
        Some(PlotTick { at, label: moment.strftime(format).to_string() })
    };
    (begin..=end).filter_map(tick).collect()
}

fn by_month(from: Date, to: Date, step: i64) -> Vec<PlotTick> {
    let number = |date: Date| i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
    let (begin, end) = (number(from).div_euclid(step), number(to).div_euclid(step));
    let tick = |n: i64| {
        let month = n * step;
        let (year, of_year) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let date = Date::new(i16::try_from(year).ok()?, of_year as i8, 1).ok()?;
        let at = date.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second() as f64;
        let format = if step % 12 == 0 { "%Y" } else { "%Y-%m" };
        Some(PlotTick { at, label: date.strftime(format).to_string() })
    };
    (begin..=end).filter_map(tick).collect()
}

fn date(time_s: f64) -> Option<Date> {
    let moment = Timestamp::from_second(time_s as i64).ok().filter(|_| time_s.is_finite())?;
    Some(moment.to_zoned(TimeZone::UTC).date())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        let labels = |ticks: Vec<PlotTick>| ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>();
        assert_eq!(labels(time_ticks(10.5)), ["0 s", "2 s", "4 s", "6 s", "8 s", "10 s"]);
        assert_eq!(labels(time_ticks(600.0)), ["0 min", "2 min", "4 min", "6 min", "8 min", "10 min"]);
        assert_eq!(labels(time_ticks(20_000.0)), ["0 h", "1 h", "2 h", "3 h", "4 h", "5 h"]);
        assert_eq!(labels(time_ticks(8_000.0)), ["0 min", "30 min", "60 min", "90 min", "120 min"]);
        assert_eq!(labels(time_ticks(1e6)), ["0 d", "2 d", "4 d", "6 d", "8 d", "10 d"]);
        assert_eq!(labels(decade_ticks(3.1, 6.2)), ["10 us", "100 us", "1 ms"]);
        assert_eq!(labels(ticks_between(0.93, 1.07, |at| format!("{at:.2}"))), ["0.95", "1.00", "1.05"]);
    }

    #[test]
    fn thinned_values_keep_the_extremes_and_are_few() {
        let mut values: Vec<f64> = (0..10_000).map(|n| f64::from(n % 7)).collect();
        (values[4321], values[77], values[5]) = (-90.0, 90.0, f64::NAN);
        let few = thinned(&values, 200);
        assert!(few.len() <= 200 && few.contains(&(4321, -90.0)) && few.contains(&(77, 90.0)));
        assert!(few.is_sorted_by_key(|(place, _)| *place) && few.iter().all(|(_, value)| value.is_finite()));
        assert_eq!(thinned(&values[..3], 200).len(), 3);
    }

    fn date_labels(from: &str, to: &str, most: usize) -> Vec<String> {
        let seconds = |text: &str| text.parse::<Timestamp>().unwrap().as_second() as f64;
        let all = date_ticks(seconds(from), seconds(to), most);
        assert!(all.iter().all(|tick| (seconds(from)..=seconds(to)).contains(&tick.at)), "{all:?}");
        all.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_at_round_times_of_the_calendar() {
        for (from, to, most, wanted) in [
            ("2017-02-14T00:00:00Z", "2018-02-15T00:00:00Z", 4, &["2017-07", "2018-01"][..]),
            (
                "2016-12-31T00:00:00Z",
                "2017-04-02T00:00:00Z",
                4,
                &["2017-01", "2017-02", "2017-03", "2017-04"],
            ),
            ("2010-05-01T00:00:00Z", "2014-05-01T00:00:00Z", 4, &["2011", "2012", "2013", "2014"]),
            ("2017-03-02T07:00:00Z", "2017-03-04T08:00:00Z", 4, &["2017-03-03", "2017-03-04"]),
            (
                "2017-03-02T07:10:00Z",
                "2017-03-02T10:10:00Z",
                4,
                &["03-02 08:00", "03-02 09:00", "03-02 10:00"],
            ),
            (
                "2017-03-02T07:10:00Z",
                "2017-03-02T07:12:30Z",
                4,
                &["03-02 07:10", "03-02 07:11", "03-02 07:12"],
            ),
        ] {
            assert_eq!(date_labels(from, to, most), wanted, "{from} {to}");
        }
    }

    #[test]
    fn times_beyond_the_calendar_have_no_ticks_and_long_times_have_few() {
        assert!(date_ticks(0.0, 1e300, 4).is_empty() && date_ticks(f64::NAN, 1.0, 4).is_empty());
        assert!(date_ticks(-6e10, 2.5e11, 4).len() <= 30);
        assert!(date_ticks(5.0, 5.0, 4).is_empty());
    }
}
