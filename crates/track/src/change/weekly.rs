//! The pattern of the days of the week: removed only if it is significant.
//!
//! Residuals about a running median are ranked. Fisher's F compares the ranks of the days: the rank transform
//! of Conover and Iman 1981, equivalent to the test of Kruskal and Wallis. Few outliers hardly change ranks.
//!
//! Invariant: without a significant pattern, the values are unchanged.

use measure::statistics::{f_beyond, mean, median};

use super::noise::{middle, near};
use super::{ChangeSettings, WeeklyPattern};

const DAY_S: f64 = 86_400.0;
/// A pattern is sought in at least this time, and on days with at least this number of points.
const WEEKS_MIN: f64 = 4.0;
const POINTS_MIN: usize = 4;
/// Points on either side of the running median.
const REACH: usize = 10;

/// The significant pattern of these logarithms of rates, and the values without it.
pub(super) fn without_week(
    values: &[f64],
    times_s: &[f64],
    settings: &ChangeSettings,
) -> (Option<WeeklyPattern>, Vec<f64>) {
    let days: Vec<usize> = times_s.iter().map(|time| weekday(*time)).collect();
    let Some((pattern, effects)) = pattern(values, times_s, &days, settings) else {
        return (None, values.to_vec());
    };
    (Some(pattern), values.iter().zip(days).map(|(value, day)| value - effects[day]).collect())
}

/// Days since Thursday, in UTC.
fn weekday(time_s: f64) -> usize {
    (time_s / DAY_S).floor().rem_euclid(7.0) as usize
}

fn pattern(
    values: &[f64],
    times_s: &[f64],
    days: &[usize],
    settings: &ChangeSettings,
) -> Option<(WeeklyPattern, [f64; 7])> {
    let span_s = times_s.last()? - times_s.first()?;
    if span_s < WEEKS_MIN * 7.0 * DAY_S {
        return None;
    }
    let residuals = residuals(values);
    let ranks = ranks(&residuals);
    let of_day = |source: &[f64], day: usize| -> Vec<f64> {
        source.iter().zip(days).filter(|(_, one)| **one == day).map(|(value, _)| *value).collect()
    };
    let ranked: Vec<Vec<f64>> =
        (0..7).map(|day| of_day(&ranks, day)).filter(|day| day.len() >= POINTS_MIN).collect();
    let p = p_of_groups(&ranked)?;
    if p > settings.weekly_p_max {
        return None;
    }
    let typical = (0..7)
        .map(|day| of_day(&residuals, day))
        .map(|day| if day.len() >= POINTS_MIN { median(&day) } else { None });
    let typical: Vec<Option<f64>> = typical.collect();
    let known: Vec<f64> = typical.iter().flatten().copied().collect();
    let centre = mean(&known)?;
    let effects: [f64; 7] = std::array::from_fn(|day| typical[day].map_or(0.0, |one| one - centre));
    Some((WeeklyPattern { ratios: effects.map(f64::exp), p }, effects))
}

/// The values minus the median of their neighbours.
fn residuals(values: &[f64]) -> Vec<f64> {
    values.iter().enumerate().map(|(place, value)| value - middle(&mut near(values, place, REACH))).collect()
}

/// The rank of each value; equal values share their mean rank.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|one, other| values[*one].total_cmp(&values[*other]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for equal in order.chunk_by(|one, other| values[*one] == values[*other]) {
        let rank = before as f64 + (equal.len() as f64 + 1.0) / 2.0;
        equal.iter().for_each(|place| ranks[*place] = rank);
        before += equal.len();
    }
    ranks
}

/// The p-value of Fisher's F for equal means of the groups; `None` without two groups or without variation.
fn p_of_groups(groups: &[Vec<f64>]) -> Option<f64> {
    let all: Vec<f64> = groups.iter().flatten().copied().collect();
    let centre = mean(&all)?;
    let (mut between, mut within) = (0.0, 0.0);
    for group in groups {
        let own = mean(group)?;
        between += group.len() as f64 * (own - centre).powi(2);
        within += group.iter().map(|value| (value - own).powi(2)).sum::<f64>();
    }
    let (over, under) = (groups.len().checked_sub(1)? as f64, (all.len() - groups.len()) as f64);
    (over > 0.0 && within > 0.0).then(|| f_beyond((between / over) / (within / under), over, under))
}

#[cfg(test)]
mod tests {
    use super::*;
    use measure::statistics::Dice;

    fn days(n: usize) -> Vec<f64> {
        (0..n).map(|day| day as f64 * DAY_S + 3600.0).collect()
    }

    #[test]
    fn a_pattern_of_weekends_is_found_with_its_size_and_removed() {
        let mut dice = Dice::new(5);
        // Thursday is day 0, so Saturday and Sunday are days 2 and 3.
        let weekend = |day: usize| if [2, 3].contains(&(day % 7)) { 0.1 } else { 0.0 };
        let values: Vec<f64> = (0..140).map(|day| weekend(day) + 0.03 * dice.normal()).collect();
        let (found, without) = without_week(&values, &days(140), &ChangeSettings::default());
        let ratios = found.unwrap().ratios;
        assert!((ratios[2] / ratios[0] - 1.105).abs() < 0.03, "{ratios:?}");
        let (again, unchanged) = without_week(&without, &days(140), &ChangeSettings::default());
        assert_eq!((again, &unchanged), (None, &without));
    }

    #[test]
    fn noise_has_a_pattern_as_seldom_as_the_threshold_states() {
        let mut dice = Dice::new(6);
        let settings = ChangeSettings { weekly_p_max: 0.01, ..ChangeSettings::default() };
        let found = (0..1000).filter(|_| {
            let values: Vec<f64> = (0..60).map(|_| dice.normal()).collect();
            without_week(&values, &days(60), &settings).0.is_some()
        });
        let found = found.count();
        assert!(found <= 20, "1 % of 1000 are 10, with a deviation of 3: {found}");
    }
}
