//! Simulated histories of a year, with one point a day and a known change.

use measure::statistics::{Dice, median};
use track::change::{ChangeSettings, Detector, HistoryPoint, LevelShift};

/// The points of a year.
pub(crate) const YEAR: usize = 365;
/// The first point after a change.
pub(crate) const CHANGE: usize = 180;
/// A shift counts as the true one up to this number of points from it.
const NEAR: usize = 14;
const DAY_S: f64 = 86_400.0;

/// The distribution of the noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    /// Normal logarithms.
    Normal,
    /// Student's t with 3 degrees of freedom: heavy tails on both sides.
    Heavy,
    /// Exponential slowdowns: a sharp upper limit and a tail of slow days.
    Slowdowns,
}

/// What a history is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct World {
    pub(crate) name: &'static str,
    /// Coefficient of variation of the noise.
    pub(crate) cov: f64,
    pub(crate) shape: Shape,
    /// Correlation of neighbouring points.
    pub(crate) correlation: f64,
    /// Share of points that lose 30 % to 70 % of their rate.
    pub(crate) outliers: f64,
    /// Share of the rate that is lost on Saturdays and Sundays.
    pub(crate) weekend: f64,
    /// Level after the change over the level before.
    pub(crate) ratio: f64,
    /// Change per month as a share, over the whole year.
    pub(crate) drift: f64,
    /// Variability after the change over that before.
    pub(crate) growth: f64,
}

impl World {
    /// Independent normal noise and no change.
    pub(crate) const fn quiet(name: &'static str, cov: f64) -> Self {
        Self {
            name,
            cov,
            shape: Shape::Normal,
            correlation: 0.0,
            outliers: 0.0,
            weekend: 0.0,
            ratio: 1.0,
            drift: 0.0,
            growth: 1.0,
        }
    }

    /// One history.
    pub(crate) fn history(&self, dice: &mut Dice) -> Vec<HistoryPoint> {
        let deviation = self.cov.powi(2).ln_1p().sqrt();
        let mut noise = self.deviate(dice);
        let point = |day: usize| {
            let fresh = (1.0 - self.correlation.powi(2)).sqrt();
            noise = self.correlation * noise + fresh * self.deviate(dice);
            let after = day >= CHANGE;
            let mut value = deviation * noise * if after { self.growth } else { 1.0 };
            value += if after { self.ratio.ln() } else { 0.0 };
            value += self.drift.ln_1p() * day as f64 / 30.44;
            // Unix time 0 was a Thursday.
            value += if [2, 3].contains(&(day % 7)) { (-self.weekend).ln_1p() } else { 0.0 };
            if dice.share() < self.outliers {
                value += (0.3 + 0.4 * dice.share()).ln();
            }
            HistoryPoint { time_s: day as f64 * DAY_S + 3600.0, rate: 20_000.0 * value.exp() }
        };
        (0..YEAR).map(point).collect()
    }

    /// A number with mean 0 and deviation 1.
    fn deviate(&self, dice: &mut Dice) -> f64 {
        match self.shape {
            Shape::Normal => dice.normal(),
            Shape::Heavy => {
                let squares: f64 = (0..3).map(|_| dice.normal().powi(2)).sum();
                // Student's t with 3 degrees has the variance 3.
                dice.normal() / (squares / 3.0).sqrt() / 3.0_f64.sqrt()
            }
            Shape::Slowdowns => 1.0 + (1.0 - dice.share()).ln(),
        }
    }
}

/// What a detector reported about histories of one world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) histories: usize,
    /// Histories in which the true shift was reported.
    pub(crate) found: usize,
    /// Reports of shifts that are not there.
    pub(crate) wrong: usize,
    /// Histories with at least one such report.
    pub(crate) wrong_histories: usize,
    /// Points from each found shift to its report.
    pub(crate) delays: Vec<f64>,
    /// Found shifts whose range of places, and whose interval of the ratio, contain the true values.
    pub(crate) place_covered: usize,
    pub(crate) ratio_covered: usize,
}

impl Counts {
    /// Feeds histories to a detector, point by point.
    pub(crate) fn of(world: &World, histories: usize, settings: ChangeSettings) -> Self {
        let mut dice = Dice::new(2023);
        let mut counts = Self { histories, ..Self::default() };
        for _ in 0..histories {
            let history = world.history(&mut dice);
            let mut detector = Detector::new(settings);
            let reports = history.iter().enumerate();
            let reports: Vec<(usize, LevelShift)> = reports
                .flat_map(|(day, point)| detector.push(*point).into_iter().map(move |shift| (day, shift)))
                .collect();
            counts.add(world, &reports, &detector.analysis().shifts);
        }
        counts
    }

    fn add(&mut self, world: &World, reports: &[(usize, LevelShift)], last: &[LevelShift]) {
        let is_true = |shift: &LevelShift| {
            let covered = shift.earliest <= CHANGE && CHANGE <= shift.latest;
            let near = covered || shift.index.abs_diff(CHANGE) <= NEAR;
            world.ratio != 1.0 && near && (shift.ratio > 1.0) == (world.ratio > 1.0)
        };
        let wrong = reports.iter().filter(|(_, shift)| !is_true(shift)).count();
        self.wrong += wrong;
        self.wrong_histories += usize::from(wrong > 0);
        let Some((day, _)) = reports.iter().find(|(_, shift)| is_true(shift)) else { return };
        self.found += 1;
        self.delays.push(*day as f64 - CHANGE as f64 + 1.0);
        let Some(shift) = last.iter().find(|shift| is_true(shift)) else { return };
        self.place_covered += usize::from(shift.earliest <= CHANGE && CHANGE <= shift.latest);
        self.ratio_covered += usize::from(shift.ratio_low <= world.ratio && world.ratio <= shift.ratio_high);
    }

    /// Percent of the histories.
    pub(crate) fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.histories as f64
    }

    pub(crate) fn median_delay(&self) -> Option<f64> {
        median(&self.delays)
    }
}
