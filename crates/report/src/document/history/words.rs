//! Words about a history: names of series, dates, standings, and facts that changed.
//!
//! Never here: layout.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use results::comparison::ComparedFact;
use results::history::SeriesId;
use results::reason::Datum;
use track::course::SeriesCourse;
use track::event::FactChange;
use track::standing::{POINTS_MIN, SlowPoint, SpeedChange, Standing, unusable_at_the_end};
use track::store::{EntrySummary, HistoryNote};
use units::{percent, several, visible};

use super::super::comparison::fact_label;
use super::view::HistoryView;
use crate::sentences::datum;

/// How many digits of a hash are shown.
const HASH_SHOWN: usize = 12;

/// The name within its file system.
pub fn short_name(series: &SeriesId) -> String {
    let SeriesId { plan, scale, test, metric, .. } = series;
    joined(&[plan, scale, test, metric])
}

/// The name of its system and file system.
pub fn place_name(series: &SeriesId) -> String {
    match joined(&[&series.system, &series.place]) {
        empty if empty.is_empty() => "System without a name".to_owned(),
        name => name,
    }
}

fn joined(parts: &[&String]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    parts.map(|part| part.as_str()).collect::<Vec<_>>().join(" / ")
}

/// The date of a time in seconds since 1970, by UTC.
pub fn day(time_s: f64) -> String {
    formatted(time_s, TimeZone::UTC, "%Y-%m-%d")
}

/// The date and the minute, by UTC.
pub fn minute(time_s: f64) -> String {
    formatted(time_s, TimeZone::UTC, "%Y-%m-%d %H:%M")
}

/// The date, by the clock of this machine.
pub fn local_day(time_s: f64) -> String {
    formatted(time_s, TimeZone::system(), "%Y-%m-%d")
}

/// The date and the minute, by the clock of this machine.
pub fn local_minute(time_s: f64) -> String {
    formatted(time_s, TimeZone::system(), "%Y-%m-%d %H:%M")
}

fn formatted(time_s: f64, zone: TimeZone, format: &str) -> String {
    let moment = Timestamp::from_second(time_s as i64);
    moment.map_or_else(|_| "?".to_owned(), |moment| moment.to_zoned(zone).strftime(format).to_string())
}

/// A value in the base unit of a series.
pub fn value(value: f64, unit: &str) -> String {
    datum(&Datum::Quantity { value, unit: unit.to_owned() })
}

/// The speed now as a share of that of the baseline, with its interval.
pub fn limits(change: &SpeedChange) -> String {
    let decimals = decimals(&[change.ratio, change.low, change.high]);
    let [low, high] = [change.low, change.high].map(|share| 100.0 * share);
    format!("{} ({low:.decimals$} to {high:.decimals$})", percent(change.ratio, decimals))
}

/// The decimals with which shares of a level differ from 100 %.
fn decimals(shares: &[f64]) -> usize {
    if shares.iter().any(|share| (share - 1.0).abs() < 0.005) { 2 } else { 0 }
}

/// The standing of a series in a few words, with dates by `day`.
pub fn standing(view: &HistoryView, series: usize, day: fn(f64) -> String) -> String {
    let (course, standing) = (&view.courses[series], &view.standings[series]);
    let words = match standing {
        Standing::TooFew(points) => few(course, *points, day),
        Standing::Unusable(points) => return unusable(course, *points),
        Standing::Unchanged => "no change found".to_owned(),
        Standing::NotASpeed => "not a speed".to_owned(),
        Standing::Changed(change) => changed(change, view.has_fallen(series), day),
    };
    match unusable_at_the_end(course) {
        0 => words,
        points => format!("{words}; {}", unusable(course, points)),
    }
}

/// A newest point that is slow.
pub fn slow(point: &SlowPoint, day: fn(f64) -> String) -> String {
    format!("SLOW on {}: {} of its level", day(point.time_s), percent(point.ratio, decimals(&[point.ratio])))
}

/// How many points there are, and which change of the test began a new part.
fn few(course: &SeriesCourse, points: usize, day: fn(f64) -> String) -> String {
    let part = course.current().filter(|part| !part.differs.is_empty());
    let began = part.and_then(|part| Some((part, part.places.first()?)));
    let why = began.map(|(part, first)| {
        let changed = part.differs.join(" and ");
        format!(" since {changed} changed on {}", day(course.points[*first].time_s))
    });
    format!("too few points: {points}{}", why.unwrap_or_default())
}

/// How many points at the end have no values, and the code of the last one.
fn unusable(course: &SeriesCourse, points: usize) -> String {
    let why = course.points.last().and_then(|point| point.why);
    let why = why.map_or(String::new(), |code| format!(" ({})", code.id()));
    format!("last {} without usable values{why}", several(points as u64, "point"))
}

fn changed(change: &SpeedChange, has_fallen: bool, day: fn(f64) -> String) -> String {
    let word = match (has_fallen, change.low > 1.0) {
        (true, _) => "FELL",
        (false, true) => "rose",
        (false, false) => "changed",
    };
    let how = if change.is_drift { "gradually since" } else { "on" };
    format!("{word} {how} {}", day(change.since_s))
}

/// The least number of usable points that decide about a fall, in words.
pub fn too_few() -> String {
    format!("fewer than {POINTS_MIN} usable points")
}

/// A fact before and after an event.
pub fn fact(change: &FactChange) -> String {
    let about = if change.about.is_empty() { String::new() } else { format!(" of {}", change.about) };
    let [before, after] = [&change.before, &change.after].map(fact_value);
    let label = ComparedFact::named(&change.fact).map(fact_label).unwrap_or(&change.fact);
    format!("{label}{about}: {before}, then {after}")
}

/// The value of a fact; of a hash, its beginning.
fn fact_value(value: &Option<Datum>) -> String {
    match value {
        None => "not known".to_owned(),
        Some(Datum::Text(hash)) if hash.len() == 64 && hash.bytes().all(|one| one.is_ascii_hexdigit()) => {
            units::shortened(hash, HASH_SHOWN)
        }
        Some(value) => datum(value),
    }
}

/// A note in one line, with the minute by UTC: it was given as a local time.
pub fn note(note: &HistoryNote) -> String {
    note_on(&minute(note.time_s), note)
}

/// A note in one line, after its date.
pub fn note_on(date: &str, note: &HistoryNote) -> String {
    let accepted = if note.is_accepted { ", accepted" } else { "" };
    let [author, words] = [&note.author, &note.words].map(|text| visible(text));
    format!("{date} ({author}{accepted}): {words}")
}

/// A ratio, such as `×0.80`.
pub fn ratio(ratio: f64) -> String {
    if (0.1..100.0).contains(&ratio) { format!("×{ratio:.2}") } else { format!("×{ratio:.2e}") }
}

/// Two dates, or one if they are the same.
pub fn period(from_s: f64, to_s: f64) -> String {
    match (day(from_s), day(to_s)) {
        (from, to) if from == to => from,
        (from, to) => format!("{from} to {to}"),
    }
}

/// The link name of an event, by its place in the events.
pub(super) fn event_anchor(number: usize) -> String {
    format!("event-{}", number + 1)
}

/// The last part of the place of an entry, with at most `most` characters.
pub fn entry_name(entry: &EntrySummary, most: usize) -> String {
    let location = entry.location.trim_end_matches('/');
    units::shortened(location.rsplit('/').next().unwrap_or(location), most)
}

/// Two texts from shortly before their first difference, each with at most about `most` characters.
pub(super) fn shortened_pair(one: &str, other: &str, most: usize) -> [String; 2] {
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let is_long = one.chars().count().max(other.chars().count()) > most;
    let skipped = if is_long { same.saturating_sub(most / 4) } else { 0 };
    let lead = if skipped > 0 { "…" } else { "" };
    let part = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        format!("{lead}{}", units::shortened(&rest, most))
    };
    [part(one), part(other)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_shown_from_shortly_before_their_difference() {
        let one = format!("{}transfer 4k, block 1m", "x".repeat(100));
        let other = format!("{}transfer 8k, block 1m", "x".repeat(100));
        let [one, other] = shortened_pair(&one, &other, 40);
        assert_eq!((one.as_str(), other.as_str()), ("…xtransfer 4k, block 1m", "…xtransfer 8k, block 1m"));
        assert_eq!(shortened_pair("a", "b", 40), ["a", "b"]);
        assert_eq!(shortened_pair("same", "same and more", 40), ["same", "same and more"]);
    }

    #[test]
    fn a_small_change_does_not_read_as_none() {
        let shown =
            |ratio, low, high| limits(&SpeedChange { ratio, low, high, since_s: 0.0, is_drift: false });
        assert_eq!(shown(0.943, 0.921, 0.968), "94 % (92 to 97)");
        assert_eq!(shown(0.996, 0.994, 0.998), "99.60 % (99.40 to 99.80)");
    }

    #[test]
    fn a_ratio_has_digits_at_any_size() {
        assert_eq!([0.8, 3.0, 0.0012, 5e7].map(ratio), ["×0.80", "×3.00", "×1.20e-3", "×5.00e7"]);
    }
}
