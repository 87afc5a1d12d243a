//! Ticks of an axis of dates, by UTC: minutes, hours, days, months or years.
//!
//! Invariant: ticks are within the axis, are at round times, and are at most as many as asked for.
//! Never here: what an axis shows.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::super::PlotTick;

const MINUTE_S: f64 = 60.0;
const HOUR_S: f64 = 3600.0;
const DAY_S: f64 = 86_400.0;
/// Unix time 0 was a Thursday. Steps of weeks begin on Mondays.
const MONDAY_S: f64 = 4.0 * DAY_S;

/// Steps of a fixed length in seconds, the first tick after Unix time 0, and the format of their labels.
const FIXED: [(f64, f64, &str); 12] = [
    (MINUTE_S, 0.0, "%m-%d %H:%M"),
    (5.0 * MINUTE_S, 0.0, "%m-%d %H:%M"),
    (15.0 * MINUTE_S, 0.0, "%m-%d %H:%M"),
    (HOUR_S, 0.0, "%m-%d %H:%M"),
    (3.0 * HOUR_S, 0.0, "%m-%d %H:%M"),
    (6.0 * HOUR_S, 0.0, "%m-%d %H:%M"),
    (12.0 * HOUR_S, 0.0, "%m-%d %H:%M"),
    (DAY_S, 0.0, "%Y-%m-%d"),
    (2.0 * DAY_S, 0.0, "%Y-%m-%d"),
    (7.0 * DAY_S, MONDAY_S, "%Y-%m-%d"),
    (14.0 * DAY_S, MONDAY_S, "%Y-%m-%d"),
    (28.0 * DAY_S, MONDAY_S, "%Y-%m-%d"),
];
/// Steps in months.
const MONTHS: [i64; 9] = [1, 2, 3, 6, 12, 24, 60, 120, 600];
/// The mean length of a month.
const MONTH_S: f64 = 30.44 * DAY_S;

/// At most about `most` ticks between two times in seconds since 1970. Times without a date
/// have none.
pub(super) fn ticks(from_s: f64, to_s: f64, most: usize) -> Vec<PlotTick> {
    let (Some(from), Some(to)) = (date(from_s), date(to_s)) else { return Vec::new() };
    let fits = |step_s: f64| (to_s - from_s) / step_s <= most as f64;
    // Weeks are read less easily than months.
    let fixed = FIXED.iter().find(|(step, ..)| fits(*step)).filter(|_| !fits(MONTH_S));
    let months = MONTHS.iter().find(|months| fits(**months as f64 * MONTH_S)).unwrap_or(&MONTHS[8]);
    let is_early = |tick: &PlotTick| tick.at < from_s;
    let of_months = || {
        let mut all = by_month(from, to, *months);
        all.retain(|tick| !is_early(tick) && tick.at <= to_s);
        all
    };
    match fixed {
        Some(step) => by_length(from_s, to_s, *step),
        None if *months == 1 => Some(of_months()).filter(|all| all.len() > 1).unwrap_or_else(|| {
            let step = FIXED.iter().find(|(step, ..)| fits(*step)).unwrap_or(&FIXED[11]);
            by_length(from_s, to_s, *step)
        }),
        None => of_months(),
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
            ("2017-03-02T07:00:00Z", "2017-03-04T07:00:00Z", 4, &["2017-03-03", "2017-03-04"]),
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
        assert_eq!(ticks(5.0, 5.0, 4), []);
    }
}
