//! Times in the files of a campaign.

use jiff::Timestamp;

/// The most that the clock of a node may differ from that of the campaign, seconds. Launchers that check
/// credentials (MUNGE) reject nodes that differ by more than 300 s.
pub const NODE_CLOCK_S: f64 = 600.0;

/// A time of RFC 3339 in seconds since 1970.
pub fn unix_s(time: &str) -> Option<f64> {
    time.parse::<Timestamp>().ok().map(|time| time.as_nanosecond() as f64 * 1e-9)
}
