//! How every look shows the latency of single operations: the same percentiles, in columns or in words.
//!
//! Invariant: what is shown is what the record has; `measure` defines a percentile, nothing here does.

use std::fmt::Write as _;

use results::record::Latency;
use units::duration;

/// What is shown of a latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Percentile {
    /// The median.
    P50,
    /// The 90th.
    P90,
    /// The 99th.
    P99,
    /// The 99.9th.
    P999,
    /// The longest.
    Max,
}

impl Percentile {
    /// All of them, in order.
    pub(crate) const ALL: [Self; 5] = [Self::P50, Self::P90, Self::P99, Self::P999, Self::Max];

    fn name(self) -> &'static str {
        match self {
            Self::P50 => "p50",
            Self::P90 => "p90",
            Self::P99 => "p99",
            Self::P999 => "p99.9",
            Self::Max => "max",
        }
    }

    fn of(self, latency: &Latency) -> String {
        let ns = match self {
            Self::P50 => latency.p50_ns,
            Self::P90 => latency.p90_ns,
            Self::P99 => latency.p99_ns,
            Self::P999 => latency.p999_ns,
            Self::Max => latency.max_ns,
        };
        duration(ns as f64 * 1e-9)
    }
}

/// The headings of [`columns`], each with a space before it.
pub(crate) fn headings() -> String {
    Percentile::ALL.iter().fold(String::new(), |mut text, one| {
        let _ = write!(text, " {:>10}", one.name());
        text
    })
}

/// All of them, in columns of ten characters, each with a space before it.
pub(crate) fn columns(latency: &Latency) -> String {
    Percentile::ALL.iter().fold(String::new(), |mut text, one| {
        let _ = write!(text, " {:>10}", one.of(latency));
        text
    })
}

/// Those that are `wanted`, by name.
pub(crate) fn in_words(latency: &Latency, wanted: &[Percentile]) -> String {
    let words: Vec<_> = wanted.iter().map(|one| format!("{} {}", one.name(), one.of(latency))).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_their_headings_and_words_name_what_is_wanted() {
        let latency = Latency { p50_ns: 34_400, p999_ns: 1_000, max_ns: 4_130_000, ..Latency::default() };
        assert_eq!(headings(), "        p50        p90        p99      p99.9        max");
        assert_eq!(columns(&latency), "    34.4 us        0 s        0 s    1.00 us    4.13 ms");
        assert_eq!(in_words(&latency, &[Percentile::P50, Percentile::Max]), "p50 34.4 us, max 4.13 ms");
    }
}
