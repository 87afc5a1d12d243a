//! Ticks of an axis of dates, by UTC: minutes, hours, days, months or years.
//!
//! Invariant: ticks are within the axis, are at round times, and are at most as many as asked for.
//! Never here: what an axis shows.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::PlotTick;

const MINUTE_S: f64 = 60.0;
const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// Unix time 0 was a Thursday. Steps of weeks begin on Mondays.
const MONDAY_S: f64 = 4.0 * DAY_S;

/// The distance of neighbouring ticks.
#[derive(Clone, Copy)]
enum TickStep {
    /// A fixed length in seconds, the first tick after Unix time 0, and the format of labels.
    Length(f64, f64, &'static str),
    /// A number of months.
    Months(i64),
}

const MINUTES: &str = "%m-%d %H:%M";
const DAYS: &str = "%Y-%m-%d";
/// All steps, the shortest first.
const STEPS: [TickStep; 21] = [
    TickStep::Length(MINUTE_S, 0.0, MINUTES),
    TickStep::Length(5.0 * MINUTE_S, 0.0, MINUTES),
    TickStep::Length(15.0 * MINUTE_S, 0.0, MINUTES),
    TickStep::Length(HOUR_S, 0.0, MINUTES),
    TickStep::Length(3.0 * HOUR_S, 0.0, MINUTES),
    TickStep::Length(6.0 * HOUR_S, 0.0, MINUTES),
    TickStep::Length(12.0 * HOUR_S, 0.0, MINUTES),
    TickStep::Length(DAY_S, 0.0, DAYS),
    TickStep::Length(2.0 * DAY_S, 0.0, DAYS),
    TickStep::Length(7.0 * DAY_S, MONDAY_S, DAYS),
    TickStep::Length(14.0 * DAY_S, MONDAY_S, DAYS),
    TickStep::Months(1),
    TickStep::Months(2),
    TickStep::Months(3),
    TickStep::Months(6),
    TickStep::Months(12),
    TickStep::Months(24),
    TickStep::Months(60),
    TickStep::Months(120),
    TickStep::Months(1200),
    TickStep::Months(12_000),
];
/// The mean length of a month.
const MONTH_S: f64 = 30.44 * DAY_S;

/// At most about `most` ticks between two times in seconds since 1970. Times without a date have none.
pub(in crate::document) fn ticks(from_s: f64, to_s: f64, most: usize) -> Vec<PlotTick> {
    let (Some(from), Some(to)) = (date(from_s), date(to_s)) else { return Vec::new() };
    let length = |step: &TickStep| match step {
        TickStep::Length(seconds, ..) => *seconds,
        TickStep::Months(months) => *months as f64 * MONTH_S,
    };
    let fits = |step: &TickStep| (to_s - from_s) / length(step) <= most as f64;
    let place = STEPS.iter().position(fits).unwrap_or(STEPS.len() - 1);
    let of = |step: TickStep| {
        let mut all = match step {
            TickStep::Length(seconds, first, format) => by_length(from_s, to_s, (seconds, first, format)),
            TickStep::Months(months) => by_month(from, to, months),
        };
        all.retain(|tick| (from_s..=to_s).contains(&tick.at));
        all
    };
    match of(STEPS[place]) {
        // One label alone shows no distance.
        few if few.len() < 2 && place > 0 => of(STEPS[place - 1]),
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

    fn labels(from: &str, to: &str, most: usize) -> Vec<String> {
        let seconds = |text: &str| text.parse::<Timestamp>().unwrap().as_second() as f64;
        let all = ticks(seconds(from), seconds(to), most);
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
            assert_eq!(labels(from, to, most), wanted, "{from} {to}");
        }
    }

    #[test]
    fn times_beyond_the_calendar_have_no_ticks_and_long_times_have_few() {
        assert!(ticks(0.0, 1e300, 4).is_empty() && ticks(f64::NAN, 1.0, 4).is_empty());
        assert!(ticks(-6e10, 2.5e11, 4).len() <= 30);
        assert!(ticks(5.0, 5.0, 4).is_empty());
    }
}
