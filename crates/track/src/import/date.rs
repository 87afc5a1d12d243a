//! Times as programs write them.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Formats without a zone, which are local times: ISO 8601 with a space, and that of `ctime`.
const LOCAL: &[&str] =
    &["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%a %b %d %H:%M:%S %Y", "%m/%d/%Y %H:%M:%S"];

/// Seconds since 1970 of a time: a number of seconds, RFC 3339, or a local date with or without a time.
pub fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return number.is_finite().then_some(number);
    }
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.as_duration().as_secs_f64());
    }
    // ctime pads the day with a space.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let local = LOCAL.iter().find_map(|format| DateTime::strptime(format, &text).ok());
    let local = local.or_else(|| Some(text.parse::<jiff::civil::Date>().ok()?.at(0, 0, 0, 0)))?;
    let zoned: Zoned = local.to_zoned(TimeZone::system()).ok()?;
    Some(zoned.timestamp().as_duration().as_secs_f64())
}

/// The local time in the name of a folder of IO500, which is somewhere in the text.
pub(super) fn of_io500(text: &str) -> Option<f64> {
    let stamps = text.char_indices().filter_map(|(at, _)| text.get(at..at + 19));
    let local = stamps.filter_map(|stamp| DateTime::strptime("%Y.%m.%d-%H.%M.%S", stamp).ok()).next()?;
    let zoned: Zoned = local.to_zoned(TimeZone::system()).ok()?;
    Some(zoned.timestamp().as_duration().as_secs_f64())
}
