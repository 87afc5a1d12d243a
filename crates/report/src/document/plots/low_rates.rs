//! Low rates in a timeline: times in which the rate was far below its median. A stall, in which nothing ended
//! (`Phase::stalls`), is one of them.
//!
//! Transfers that end in bursts make a comb in short intervals, although the rate is even. So it is first
//! taken over the shortest time over which it is stable.
//!
//! Invariant: a low rate has the bytes of its own steps, and lasts at least [`LEAST_S`].
//! Never here: words.

/// The shortest time that is marked, seconds.
pub(super) const LEAST_S: f64 = 0.2;
/// The rate below which a step is low, as a share of the median.
pub(super) const LOW: f64 = 0.2;
/// A rate is stable if three quarters of its steps are within this share of the median.
const STABLE: f64 = 0.25;
/// The fewest steps that show whether a rate is stable.
const STEPS: usize = 8;

/// A time with a low rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LowRate {
    /// Its start, seconds.
    pub(super) from: f64,
    /// Its end, seconds.
    pub(super) to: f64,
    /// Its rate, per second.
    pub(super) rate: f64,
    /// The median rate of all steps, per second.
    pub(super) median: f64,
}

/// The fewest intervals, from `least` to `most`, whose sums are stable. It is `most` if no smaller number is.
/// A short phase keeps several steps in any case.
pub(super) fn stable_step(intervals: &[u64], least: usize, most: usize) -> usize {
    let most = most.max(least).min(intervals.len() / STEPS).max(1);
    let mut joined = least.clamp(1, most);
    while joined < most {
        let sums = intervals.chunks_exact(joined);
        let sums: Vec<f64> = sums.map(|part| part.iter().map(|bytes| *bytes as f64).sum()).collect();
        if is_stable(sums) {
            return joined;
        }
        joined *= 2;
    }
    most
}

fn is_stable(sums: Vec<f64>) -> bool {
    let Some(median) = middle(sums.clone()).filter(|median| *median > 0.0) else { return false };
    let near = sums.iter().filter(|sum| (*sum - median).abs() <= STABLE * median).count();
    4 * near >= 3 * sums.len()
}

fn middle(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// The low rates among steps of equal length (from, to, bytes), in their order. The first and the last step
/// are not full, and do not count.
pub(super) fn low_rates(steps: &[(f64, f64, u64)], interval: f64) -> Vec<LowRate> {
    let rates: Vec<f64> = steps.iter().map(|(from, to, bytes)| *bytes as f64 / (to - from)).collect();
    let Some(median) = middle(rates.clone()).filter(|median| *median > 0.0 && median.is_finite()) else {
        return Vec::new();
    };
    if steps.len() < STEPS {
        return Vec::new();
    }
    let mut found: Vec<LowRate> = Vec::new();
    let mut run: Option<(f64, f64, u64)> = None;
    for (at, step) in steps.iter().enumerate().skip(1) {
        let is_low = rates[at] < LOW * median && at + 1 < steps.len();
        match (&mut run, is_low) {
            (Some(run), true) => *run = (run.0, step.1, run.2.saturating_add(step.2)),
            (None, true) => run = Some(*step),
            (_, false) => found.extend(run.take().map(|(from, to, bytes)| LowRate {
                from,
                to,
                rate: bytes as f64 / (to - from),
                median,
            })),
        }
    }
    // Intervals have fixed limits, so a low rate fills fewer of them than it is long.
    found.retain(|low| low.to - low.from + interval >= LEAST_S);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps of `length` seconds.
    fn steps(bytes: &[u64], length: f64) -> Vec<(f64, f64, u64)> {
        (0..)
            .zip(bytes)
            .map(|(n, bytes)| (f64::from(n) * length, f64::from(n + 1) * length, *bytes))
            .collect()
    }

    #[test]
    fn a_comb_is_joined_until_it_is_stable_and_a_smooth_rate_is_not_joined() {
        let comb: Vec<u64> = (0..600).map(|n| if n % 4 == 0 { 100 } else { 0 }).collect();
        assert_eq!(stable_step(&comb, 1, 100), 4);
        let smooth: Vec<u64> = (0..600).map(|n| 100 + n % 7).collect();
        assert_eq!((stable_step(&smooth, 1, 100), stable_step(&smooth, 3, 100)), (1, 3));
        // A single transfer in most intervals, and two in some, is no stable rate.
        let quantized: Vec<u64> = (0..600).map(|n| if n % 3 == 0 { 2 } else { 1 }).collect();
        assert!(stable_step(&quantized, 1, 100) > 1);
        assert_eq!(stable_step(&[5, 0, 9], 1, 1), 1);
        let few = [9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0];
        assert_eq!(stable_step(&few, 1, 10), 2, "a short phase keeps several steps");
    }

    #[test]
    fn a_low_rate_of_a_fifth_of_a_second_is_found_with_its_place_and_rate() {
        let mut bytes = vec![100; 1000];
        bytes[500] = 12;
        bytes[501] = 4;
        bytes[502] = 8;
        let found = low_rates(&steps(&bytes, 0.067), 0.067);
        assert_eq!(found.len(), 1, "{found:?}");
        let low = found[0];
        assert!((low.from - 33.5).abs() < 1e-9 && (low.to - 33.701).abs() < 1e-9, "{low:?}");
        assert!((low.rate - 24.0 / 0.201).abs() < 1e-6 && (low.median - 100.0 / 0.067).abs() < 1e-6);
    }

    #[test]
    fn ends_short_dips_and_phases_without_a_rate_have_no_low_rates() {
        let mut bytes = vec![100; 100];
        (bytes[0], bytes[99], bytes[50]) = (0, 0, 0);
        assert_eq!(low_rates(&steps(&bytes, 0.05), 0.05), []);
        assert_eq!(low_rates(&steps(&[0; 100], 0.5), 0.5), []);
        assert_eq!(low_rates(&steps(&[100, 0, 100], 0.5), 0.5), []);
        assert_eq!(low_rates(&[], 0.5), []);
    }
}
