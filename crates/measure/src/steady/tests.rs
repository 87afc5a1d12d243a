//! Timelines with known properties.

use proptest::prelude::*;

use crate::statistics::Dice;

use super::*;

const RULE: SteadyRule =
    SteadyRule { window: 30.0, slope: 0.1, range: 0.2, within: Some(300.0), measured: 60.0 };

/// Intervals of one second, all complete.
fn seconds(moved: &[u64]) -> IntervalSeries<'_> {
    IntervalSeries { moved, interval: 1.0, span: moved.len() as f64 }
}

/// The first `count` seconds of a system whose rate falls by a share in 30 s. Its intervals vary by a COV.
/// Neighbours are alike for the seconds of its memory.
fn noisy(dice: &mut Dice, count: usize, [fall, cov, memory]: [f64; 3]) -> Vec<u64> {
    let alike = (-1.0 / memory).exp();
    let fresh = (1.0 - alike * alike).sqrt();
    let mut value = dice.normal();
    let mut next = |second: usize| {
        value = alike * value + fresh * dice.normal();
        let rate = 1e6 * (1.0 - fall * second as f64 / 30.0) * (1.0 + cov * value);
        rate.max(0.0) as u64
    };
    (0..count).map(&mut next).collect()
}

#[test]
fn the_slowest_window_is_found_at_any_start() {
    let mut moved = vec![100; 100];
    moved[41..48].fill(30);
    let worst = sustained(&seconds(&moved), 10.0).unwrap();
    assert_eq!((worst.window, worst.at, worst.rate), (10.0, 38.0, 51.0));
    assert!((worst.mean - 95.1).abs() < 1e-9 && (worst.share - 51.0 / 95.1).abs() < 1e-12);
}

#[test]
fn the_incomplete_last_interval_is_excluded_and_idle_intervals_at_the_end_are_not() {
    let ended = IntervalSeries { moved: &[10, 10, 10, 10, 1], interval: 2.0, span: 8.2 };
    let worst = sustained(&ended, 4.0).unwrap();
    assert_eq!((worst.rate, worst.mean, worst.share), (5.0, 5.0, 1.0));
    let silent = IntervalSeries { span: 14.0, ..ended };
    let worst = sustained(&silent, 4.0).unwrap();
    assert_eq!((worst.at, worst.rate), (10.0, 0.0), "no rank moved anything in the last four seconds");
}

#[test]
fn a_window_is_never_shorter_than_requested_and_a_shorter_run_has_none() {
    let series = IntervalSeries { moved: &[7; 40], interval: 1.073_741_824, span: 43.0 };
    let worst = sustained(&series, 30.0).unwrap();
    assert!((worst.window - 28.0 * 1.073_741_824).abs() < 1e-9, "{}", worst.window);
    assert_eq!(sustained(&IntervalSeries { span: 29.9, ..series }, 30.0), None);
    assert_eq!(sustained(&IntervalSeries { interval: 0.0, ..series }, 30.0), None);
    assert_eq!(sustained(&IntervalSeries { moved: &[0; 40], ..series }, 30.0).unwrap().share, 1.0);
}

#[test]
fn sums_do_not_overflow() {
    let worst = sustained(&seconds(&[u64::MAX; 50]), 30.0).unwrap();
    assert!((worst.rate / u64::MAX as f64 - 1.0).abs() < 1e-12);
}

#[test]
fn a_run_is_steady_once_the_warm_up_is_outside_its_window() {
    let mut moved = vec![1000; 200];
    (0..40).for_each(|second| moved[second] = 1000 + 50 * (40 - second as u64));
    let found = steady(&seconds(&moved), &RULE);
    assert_eq!(found.state, SteadyState::Steady);
    let seen = found.seen.unwrap();
    assert!(seen.end > 50.0 && seen.end <= 70.0, "{seen:?}");
    let measured = found.measured.unwrap();
    assert_eq!((measured.from, measured.to - measured.from, measured.rate), (seen.end, 60.0, 1000.0));
}

#[test]
fn a_run_that_keeps_falling_is_not_steady_and_reports_its_slope() {
    let moved: Vec<u64> = (0..300).map(|second| (1e6 * 0.99_f64.powi(second)) as u64).collect();
    let found = steady(&seconds(&moved), &RULE);
    assert_eq!((found.state, found.measured), (SteadyState::NotReached, None));
    let seen = found.seen.unwrap();
    assert!(seen.end == 300.0 && seen.slope < -0.25 && seen.range > 0.2, "{seen:?}");
}

#[test]
fn a_run_that_oscillates_has_no_slope_and_is_not_steady_by_its_range() {
    let moved: Vec<u64> = (0..200).map(|second| if second / 15 % 2 == 0 { 100 } else { 60 }).collect();
    let found = steady(&seconds(&moved), &RULE);
    assert_eq!(found.state, SteadyState::NotReached);
}

#[test]
fn an_early_end_and_a_slowdown_in_the_measured_time_are_reported() {
    let short = steady(&seconds(&[100; 60]), &RULE);
    assert_eq!((short.state, short.measured, short.left), (SteadyState::Unmeasured, None, None));
    let mut moved = vec![100; 120];
    moved[70..].fill(50);
    let left = steady(&seconds(&moved), &RULE);
    assert_eq!(left.state, SteadyState::Left);
    assert!(left.left.is_some_and(|at| at > 70.0 && at <= 78.0), "{left:?}");
}

#[test]
fn a_fall_too_slow_for_any_window_is_detected_over_the_measured_time() {
    let moved: Vec<u64> = (0..400).map(|second| (1e6 * 0.9985_f64.powi(second)) as u64).collect();
    let rule = SteadyRule { measured: 360.0, ..RULE };
    let found = steady(&seconds(&moved), &rule);
    assert_eq!((found.state, found.clear), (SteadyState::Left, true));
    assert!(found.left.is_some_and(|at| at > 150.0 && at < 180.0), "20 % below the first window: {found:?}");
}

#[test]
fn a_steady_fall_within_what_a_window_allows_is_found_over_the_measured_time() {
    let rule = SteadyRule { measured: 30.0, ..RULE };
    for (percent, state) in [(8, SteadyState::Left), (4, SteadyState::Steady)] {
        let moved: Vec<u64> =
            (0..120).map(|second| 1_000_000 - second * percent * 1_000_000 / 3000).collect();
        let found = steady(&seconds(&moved), &rule);
        assert_eq!((found.state, found.clear), (state, true), "{percent} %: {found:?}");
        let fall = found.trend.unwrap().slope;
        assert!((fall + percent as f64 * 0.02).abs() < 0.02, "{percent} % in 30 s, over 60 s: {fall}");
    }
}

/// How often a system came out steady, not steady, and unclear, in percent.
fn rates(fall: f64, cov: f64, memory: f64, measured: f64) -> [f64; 3] {
    let (mut dice, trials) = (Dice::new(17), 200_u32);
    let mut counts = [0_u32; 3];
    for _ in 0..trials {
        let moved = noisy(&mut dice, 400, [fall, cov, memory]);
        let found = steady(&seconds(&moved), &SteadyRule { measured, ..RULE });
        let index = match found.state {
            _ if !found.clear => 2,
            SteadyState::Steady => 0,
            _ => 1,
        };
        counts[index] += 1;
    }
    counts.map(|count| f64::from(count) * 100.0 / f64::from(trials))
}

#[test]
fn a_stationary_system_is_hardly_ever_called_not_steady_and_noise_is_unclear() {
    for (cov, memory) in [(0.02, 2.0), (0.05, 2.0), (0.05, 5.0), (0.1, 1.0), (0.2, 1.0)] {
        let [_, not, _] = rates(0.0, cov, memory, 60.0);
        assert!(not <= 2.0, "{cov} {memory}: {not} %");
    }
    let [steady, _, unclear] = rates(0.0, 0.05, 2.0, 60.0);
    assert!(steady >= 90.0, "{steady} {unclear}");
    let [steady, _, unclear] = rates(0.0, 0.4, 2.0, 60.0);
    assert!(steady <= 2.0 && unclear >= 95.0, "{steady} {unclear}");
}

#[test]
fn a_falling_system_is_seldom_called_steady_however_noisy_it_is() {
    for cov in [0.02, 0.05, 0.1] {
        let [steady, _, _] = rates(0.08, cov, 2.0, 60.0);
        assert!(steady <= 10.0, "8 % in 30 s, {cov}: {steady} %");
    }
}

#[test]
fn a_run_that_is_steady_too_late_or_moved_nothing_is_not_steady() {
    let mut moved = vec![100; 200];
    (0..50).for_each(|second| moved[second] = 3 * second as u64);
    let hasty = SteadyRule { within: Some(40.0), ..RULE };
    assert_eq!(steady(&seconds(&moved), &hasty).state, SteadyState::NotReached);
    assert_eq!(steady(&seconds(&moved), &RULE).state, SteadyState::Steady);
    assert_eq!(steady(&seconds(&[0; 200]), &RULE).state, SteadyState::NotReached);
    assert_eq!(steady(&seconds(&[]), &RULE).seen, None);
}

proptest! {
    #[test]
    fn a_constant_run_is_steady_at_once(rate in 1_u64..1 << 50, shift in 0..4) {
        let interval = 1.0 / f64::from(1 << shift);
        let moved = vec![rate; (100.0 / interval) as usize];
        let found = steady(&IntervalSeries { moved: &moved, interval, span: 100.0 }, &RULE);
        prop_assert_eq!(found.state, SteadyState::Steady);
        prop_assert_eq!(found.seen.unwrap().end, 30.0);
        prop_assert!((sustained(&seconds(&moved), 30.0).unwrap().share - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_ramp_is_not_steady(step in 1_u64..1 << 30, whole in 30_usize..280) {
        let up: Vec<u64> = (1..=whole as u64).map(|second| second * step).collect();
        let down: Vec<u64> = up.iter().rev().copied().collect();
        prop_assert_eq!(steady(&seconds(&up), &RULE).state, SteadyState::NotReached);
        prop_assert_eq!(steady(&seconds(&down), &RULE).state, SteadyState::NotReached);
    }

    #[test]
    fn a_planted_dip_is_found_exactly(
        depth in 1_u64..1000, at in 0_usize..170, length in 1_usize..30, window in 30_usize..40,
    ) {
        let mut moved = vec![1000; 200];
        moved[at..at + length].fill(1000 - depth);
        let worst = sustained(&seconds(&moved), window as f64).unwrap();
        let lost = depth * length as u64;
        prop_assert_eq!(worst.rate, (1000 * window as u64 - lost) as f64 / window as f64);
        prop_assert!(worst.at <= at as f64 && (at + length) as f64 <= worst.at + worst.window);
    }

    #[test]
    fn no_window_is_slower_than_the_reported_one(
        moved in prop::collection::vec(0_u64..1000, 1..80), window in 1_usize..20,
    ) {
        let worst = sustained(&seconds(&moved), window as f64);
        prop_assert_eq!(worst.is_some(), window <= moved.len());
        if let Some(worst) = worst {
            let slowest = moved.windows(window).map(|part| part.iter().sum::<u64>()).min().unwrap();
            prop_assert_eq!(worst.rate, slowest as f64 / window as f64);
        }
    }
}
