//! Histories whose changes are known.

use measure::statistics::Dice;
use proptest::prelude::*;
use track::change::{Analysis, ChangeSettings, Detector, HistoryPoint, analyse};

const DAY_S: f64 = 86_400.0;

/// A point each day, with these logarithms of rates.
fn days(logarithms: impl IntoIterator<Item = f64>) -> Vec<HistoryPoint> {
    let point = |(day, value): (usize, f64)| HistoryPoint { time_s: day as f64 * DAY_S, rate: value.exp() };
    logarithms.into_iter().enumerate().map(point).collect()
}

/// Normal noise with this deviation about a level.
fn noisy(seed: u64, n: usize, deviation: f64, level: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut dice = Dice::new(seed);
    (0..n).map(|day| 10.0 + level(day) + deviation * dice.normal()).collect()
}

fn found(points: &[HistoryPoint]) -> Analysis {
    analyse(points, &ChangeSettings::default())
}

#[test]
fn a_step_of_known_size_is_found_at_its_place() {
    for (seed, ratio) in [(1, 0.8_f64), (2, 1.25), (3, 0.5)] {
        let step = |day: usize| if day < 70 { 0.0 } else { ratio.ln() };
        let found = found(&days(noisy(seed, 150, 0.05, step)));
        let [shift] = found.shifts[..] else { panic!("one shift: {found:?}") };
        assert!(shift.index.abs_diff(70) <= 1, "{shift:?}");
        assert!(shift.earliest <= 70 && 70 <= shift.latest, "{shift:?}");
        assert!(shift.ratio_low <= ratio && ratio <= shift.ratio_high, "{shift:?}");
        assert!((shift.ratio / ratio - 1.0).abs() < 0.03, "{shift:?}");
        assert_eq!(shift.time_s, shift.index as f64 * DAY_S);
        assert_eq!(shift.earliest_s, (shift.earliest - 1) as f64 * DAY_S);
        assert_eq!(found.segments.len(), 2);
        assert_eq!((found.segments[1].first, found.segments[1].last), (shift.index, 149));
    }
}

#[test]
fn a_constant_history_has_no_change_and_a_step_in_it_is_exact() {
    let constant = found(&days(vec![5.0; 60]));
    assert!(constant.shifts.is_empty() && constant.drifts.is_empty() && constant.variability.is_empty());
    assert!(constant.outliers.is_empty() && constant.weekly.is_none(), "{constant:?}");
    let step = found(&days((0..60).map(|day| if day < 33 { 5.0 } else { 5.1 })));
    let [shift] = step.shifts[..] else { panic!("one shift: {step:?}") };
    assert_eq!(shift.index, 33);
    assert!((shift.ratio - 0.1_f64.exp()).abs() < 1e-3, "{shift:?}");
}

#[test]
fn a_fall_that_recovers_is_two_shifts() {
    let fall = |day: usize| if (100..120).contains(&day) { -0.3 } else { 0.0 };
    let found = found(&days(noisy(4, 300, 0.08, fall)));
    let places: Vec<usize> = found.shifts.iter().map(|shift| shift.index).collect();
    assert_eq!(places.len(), 2, "{found:?}");
    assert!(places[0].abs_diff(100) <= 2 && places[1].abs_diff(120) <= 2, "{places:?}");
    assert!(found.shifts[0].ratio < 0.8 && found.shifts[1].ratio > 1.25, "{:?}", found.shifts);
}

#[test]
fn a_single_slow_day_is_an_outlier_and_no_shift() {
    let slow = |day: usize| if day == 50 { -1.0 } else { 0.0 };
    let found = found(&days(noisy(5, 120, 0.05, slow)));
    assert_eq!((found.shifts.len(), &found.outliers[..]), (0, &[50][..]));
}

#[test]
fn a_gradual_fall_is_one_drift_with_its_slope() {
    let drift = |day: usize| -0.02 * day as f64 / 30.44;
    let found = found(&days(noisy(6, 365, 0.05, drift)));
    assert!(found.shifts.is_empty(), "{:?}", found.shifts);
    let [drift] = found.drifts[..] else { panic!("one drift: {found:?}") };
    let truth = 100.0 * (-0.02_f64).exp_m1();
    assert!(drift.percent_low <= truth && truth <= drift.percent_high, "{drift:?}");
    assert!(drift.percent_high - drift.percent_low < 1.0, "{drift:?}");
    assert_eq!((drift.first, drift.last), (0, 364));
}

#[test]
fn growing_variability_is_reported_and_is_no_shift() {
    let calm = noisy(7, 100, 0.03, |_| 0.0);
    let wild = noisy(8, 100, 0.09, |_| 0.0);
    let found = found(&days(calm.into_iter().chain(wild)));
    assert!(found.shifts.is_empty(), "{:?}", found.shifts);
    let [change] = found.variability[..] else { panic!("one change: {found:?}") };
    assert!(change.index.abs_diff(100) <= 10 && (2.0..4.5).contains(&change.ratio), "{change:?}");
}

#[test]
fn slow_weekends_are_a_pattern_and_no_shift() {
    let weekend = |day: usize| if [2, 3].contains(&(day % 7)) { -0.2 } else { 0.0 };
    let found = found(&days(noisy(9, 200, 0.05, weekend)));
    let ratios = found.weekly.expect("a pattern").ratios;
    assert!((ratios[2] / ratios[0] - (-0.2_f64).exp()).abs() < 0.03, "{ratios:?}");
    assert!(found.shifts.is_empty() && found.outliers.is_empty(), "{found:?}");
}

#[test]
fn points_without_a_rate_are_listed_and_change_nothing() {
    let step = |day: usize| if day < 40 { 0.0 } else { -0.5 };
    let good = days(noisy(10, 80, 0.05, step));
    let mut all = good.clone();
    for (place, rate) in [(20, 0.0), (41, f64::NAN), (60, -1.0)] {
        all.insert(place, HistoryPoint { time_s: all[place].time_s, rate });
    }
    let (without, with) = (found(&good), found(&all));
    assert_eq!(with.unusable, [20, 41, 60]);
    assert_eq!(with.shifts[0].ratio, without.shifts[0].ratio);
    assert_eq!(with.shifts[0].time_s, without.shifts[0].time_s);
    assert_eq!((without.shifts[0].index, with.shifts[0].index), (40, 42));
}

#[test]
fn an_analysis_has_a_form_for_stores_and_programs() {
    let step = |day: usize| if day < 40 { 0.0 } else { -0.5 };
    let found = found(&days(noisy(10, 80, 0.05, step)));
    let json = serde_json::to_value(&found).expect("only numbers");
    assert_eq!(json["shifts"][0]["index"], 40);
    assert_eq!(json["segments"][1]["points"], 40);
    assert!(json["shifts"][0]["ratio_low"].as_f64() < json["shifts"][0]["ratio"].as_f64());
    assert!(json["weekly"].is_null() && json["noise"]["deviation"].is_f64());
}

#[test]
fn points_at_one_time_have_shifts_and_no_drift() {
    let step = |day: usize| if day < 40 { 0.0 } else { -0.5 };
    let mut points = days(noisy(11, 80, 0.05, step));
    points.iter_mut().for_each(|point| point.time_s = 7.0);
    let found = found(&points);
    assert_eq!((found.shifts.len(), found.drifts.len()), (1, 0));
}

#[test]
fn a_detector_reports_a_fall_soon_and_once_and_ends_with_the_analysis() {
    let step = |day: usize| if day < 90 { 0.0 } else { 0.8_f64.ln() };
    let points = days(noisy(12, 150, 0.05, step));
    let mut detector = Detector::new(ChangeSettings::default());
    let mut reports = Vec::new();
    for (day, point) in points.iter().enumerate() {
        reports.extend(detector.push(*point).into_iter().map(|shift| (day, shift)));
    }
    let [(day, shift)] = reports[..] else { panic!("one report: {reports:?}") };
    assert!((94..=100).contains(&day) && shift.index.abs_diff(90) <= 1, "{day} {shift:?}");
    assert_eq!(detector.analysis(), found(&points));
}

#[test]
fn the_example_of_the_documents_has_the_stated_result() {
    // docs/explanation/change-points.md
    let rates = [
        20.1, 19.6, 20.4, 19.9, 20.8, 19.3, 20.2, 20.0, 19.7, 20.5, 19.8, 20.3, 9.8, 20.1, 19.5, 20.6, 17.2,
        16.9, 17.5, 17.1, 16.6, 17.4, 17.0, 17.3_f64,
    ];
    let points = days(rates.map(f64::ln));
    let found = found(&points);
    let [shift] = found.shifts[..] else { panic!("one shift: {found:?}") };
    assert_eq!((shift.index, shift.earliest_s / DAY_S, shift.latest_s / DAY_S), (16, 14.0, 17.0));
    let rounded = |value: f64| (value * 1000.0).round() / 1000.0;
    assert_eq!([shift.ratio, shift.ratio_low, shift.ratio_high].map(rounded), [0.861, 0.834, 0.889]);
    assert!((2e-12..3e-12).contains(&shift.p), "{shift:?}");
    assert_eq!(found.outliers, [12]);
    let mut detector = Detector::new(ChangeSettings::default());
    let reported = points.iter().position(|point| !detector.push(*point).is_empty());
    assert_eq!(reported, Some(20));
}

#[test]
fn a_week_of_low_rates_is_a_level_and_four_days_are_not() {
    let low = |length: usize| move |day: usize| if (60..60 + length).contains(&day) { -0.7 } else { 0.0 };
    let week = found(&days(noisy(13, 120, 0.05, low(7))));
    assert_eq!(week.shifts.iter().map(|shift| shift.index).collect::<Vec<_>>(), [60, 67]);
    let four_days = found(&days(noisy(13, 120, 0.05, low(4))));
    assert!(four_days.shifts.is_empty(), "{:?}", four_days.shifts);
    assert_eq!(four_days.outliers, [60, 61, 62, 63]);
}

#[test]
fn a_fall_far_beyond_the_noise_is_found_in_a_short_history() {
    for (before, after) in [(5, 5), (7, 7), (10, 5), (5, 10), (20, 5)] {
        for seed in 0..20 {
            let step = |day: usize| if day < before { 0.0 } else { 0.6_f64.ln() };
            let found = found(&days(noisy(seed, before + after, 0.02, step)));
            let [shift] = found.shifts[..] else { panic!("{before} + {after}, seed {seed}: {found:?}") };
            assert_eq!(shift.index, before, "seed {seed}");
            assert!((shift.ratio / 0.6 - 1.0).abs() < 0.1, "{shift:?}");
        }
    }
    // Writes of seven campaigns to a device, and of seven after its limit was set to 60 %, in MB/s.
    let writes = [3.59, 3.56, 3.51, 3.62, 3.47, 3.50, 3.64, 2.18, 2.23, 2.25, 2.27, 2.22, 2.24, 2.27_f64];
    let found = found(&days(writes.map(f64::ln)));
    assert_eq!(found.shifts.iter().map(|shift| shift.index).collect::<Vec<_>>(), [7], "{found:?}");
}

proptest! {
    #[test]
    fn a_factor_on_all_rates_changes_nothing(seed in 0_u64..1000, factor in 1e-6_f64..1e6) {
        let step = |day: usize| if day < 50 { 0.0 } else { -0.2 };
        let points = days(noisy(seed, 90, 0.1, step));
        let scaled: Vec<HistoryPoint> =
            points.iter().map(|point| HistoryPoint { rate: point.rate * factor, ..*point }).collect();
        let (one, other) = (found(&points), found(&scaled));
        prop_assert_eq!(one.shifts.len(), other.shifts.len());
        for (one, other) in one.shifts.iter().zip(&other.shifts) {
            prop_assert_eq!((one.index, one.earliest), (other.index, other.earliest));
            prop_assert!((one.ratio / other.ratio - 1.0).abs() < 1e-9);
        }
        prop_assert_eq!(one.outliers, other.outliers);
    }

    #[test]
    fn any_points_give_places_inside_the_history(
        points in prop::collection::vec((any::<f64>(), any::<f64>()), 0..80),
    ) {
        let points: Vec<HistoryPoint> =
            points.into_iter().map(|(time_s, rate)| HistoryPoint { time_s, rate }).collect();
        let found = found(&points);
        let in_order = |one: usize, next: usize| one <= next && next < points.len();
        for shift in &found.shifts {
            prop_assert!(in_order(shift.earliest, shift.index) && in_order(shift.index, shift.latest));
        }
        prop_assert!(found.shifts.is_sorted_by(|one, next| one.index < next.index));
        let usable = points.len() - found.unusable.len();
        prop_assert_eq!(found.segments.iter().map(|segment| segment.points).sum::<usize>(), usable);
    }
}
