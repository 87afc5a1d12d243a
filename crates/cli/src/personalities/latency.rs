//! How all programs print the latency of single operations: the same percentiles, in columns or in a
//! sentence.
//!
//! Invariant: all values come from the record. `measure` defines the percentiles.

use results::record::Latency;
use units::duration;

/// The printed values of a latency: names and nanoseconds, in order.
fn percentiles(latency: &Latency) -> [(&'static str, u64); 5] {
    [
        ("p50", latency.p50_ns),
        ("p90", latency.p90_ns),
        ("p99", latency.p99_ns),
        ("p99.9", latency.p999_ns),
        ("max", latency.max_ns),
    ]
}

/// The headings of [`columns`], each with a space before it.
pub(crate) fn headings() -> String {
    percentiles(&Latency::default()).map(|(name, _)| format!(" {name:>10}")).concat()
}

/// All values in columns of ten characters, each with a space before it.
pub(crate) fn columns(latency: &Latency) -> String {
    percentiles(latency).map(|(_, ns)| format!(" {:>10}", duration(ns as f64 * 1e-9))).concat()
}

/// The values whose names are `wanted`, each with its name.
pub(crate) fn in_words(latency: &Latency, wanted: impl Fn(&str) -> bool) -> String {
    let shown = percentiles(latency).into_iter().filter(|(name, _)| wanted(name));
    let words: Vec<_> = shown.map(|(name, ns)| format!("{name} {}", duration(ns as f64 * 1e-9))).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_with_their_headings_and_the_sentence_has_the_wanted_names() {
        let latency = Latency { p50_ns: 34_400, p999_ns: 1_000, max_ns: 4_130_000, ..Latency::default() };
        assert_eq!(headings(), "        p50        p90        p99      p99.9        max");
        assert_eq!(columns(&latency), "    34.4 us        0 s        0 s    1.00 us    4.13 ms");
        assert_eq!(in_words(&latency, |name| ["p50", "max"].contains(&name)), "p50 34.4 us, max 4.13 ms");
    }
}
