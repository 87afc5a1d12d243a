//! The places of level shifts: divide a range at its most significant place, and repeat for both parts.
//!
//! The whole range hides a short change in its middle. So the statistic is also computed in shorter windows
//! that cover the range (seeded intervals: Kovács, Bühlmann, Li and Munk 2023), and in windows that end at
//! the newest point. At the end, the weakest place is removed until all are significant between their
//! neighbours.
//!
//! Invariant: the cost is n log² n for each level of the division.

use super::energy::divisive_statistic;
use super::welch::LevelTest;
use super::{ChangeSettings, HistoryNoise};

/// Each window is shorter than the one before by this factor.
const SHORTER: usize = 2;

/// Values that are divided, with the rules.
pub(super) struct Division<'a> {
    /// The values.
    pub(super) values: &'a [f64],
    /// Their noise.
    pub(super) noise: HistoryNoise,
    /// The least number of points of a part.
    pub(super) part_min: usize,
    /// The largest p-value.
    pub(super) p_max: f64,
    /// The smallest difference.
    pub(super) difference_min: f64,
}

/// A place that may divide a range.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: usize,
    p: f64,
    t: f64,
}

impl<'a> Division<'a> {
    /// The division of the logarithms of rates into levels.
    pub(super) fn of_levels(values: &'a [f64], noise: HistoryNoise, settings: &ChangeSettings) -> Self {
        Self {
            values,
            noise,
            part_min: settings.segment_min.max(2),
            p_max: settings.shift_p_max,
            difference_min: settings.change_min.ln_1p(),
        }
    }

    /// All significant places, ascending: each is the first point of a new part.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = Vec::new();
        let mut ranges = vec![(0, self.values.len())];
        while let Some((start, end)) = ranges.pop() {
            if let Some(place) = self.best_of(start, end) {
                places.push(place.at);
                ranges.extend([(start, place.at), (place.at, end)]);
            }
        }
        places.sort_unstable();
        self.without_weak(places)
    }

    /// The test of a place between its neighbours.
    pub(super) fn test(&self, start: usize, at: usize, end: usize) -> LevelTest {
        LevelTest::of(&self.values[start..at], &self.values[at..end], &self.noise)
    }

    fn is_significant(&self, test: &LevelTest) -> bool {
        test.difference.abs() >= self.difference_min && test.p() <= self.p_max
    }

    /// The most significant place of a range over all windows; `None` if no place is significant.
    fn best_of(&self, start: usize, end: usize) -> Option<Place> {
        let windows = windows(start, end, 2 * self.part_min);
        let places = windows.into_iter().filter_map(|(start, end)| {
            let at = self.most_different(start, end)?;
            let test = self.test(start, at, end);
            self.is_significant(&test).then(|| Place { at, p: test.p(), t: test.t() })
        });
        places.min_by(|one, other| one.p.total_cmp(&other.p).then(other.t.total_cmp(&one.t)))
    }

    /// The place with the largest statistic, if the range has room for two parts.
    fn most_different(&self, start: usize, end: usize) -> Option<usize> {
        let statistic = divisive_statistic(&self.values[start..end]);
        let last = (end - start).checked_sub(self.part_min)?;
        let places = self.part_min..=last;
        places.max_by(|one, other| statistic[*one].total_cmp(&statistic[*other])).map(|at| start + at)
    }

    /// Moves each place to the best one between its neighbours, and removes the weakest one until all are
    /// significant.
    fn without_weak(&self, mut places: Vec<usize>) -> Vec<usize> {
        loop {
            for which in 0..places.len() {
                let (start, end) = self.neighbours(&places, which);
                if let Some(at) = self.most_different(start, end) {
                    places[which] = at;
                }
            }
            let tests = (0..places.len()).map(|which| {
                let (start, end) = self.neighbours(&places, which);
                (which, self.test(start, places[which], end))
            });
            let weak = tests.filter(|(_, test)| !self.is_significant(test));
            let weakest = weak.max_by(|one, other| one.1.p().total_cmp(&other.1.p()));
            match weakest {
                Some((which, _)) => places.remove(which),
                None => return places,
            };
        }
    }

    /// The range in which a place divides two parts.
    pub(super) fn neighbours(&self, places: &[usize], which: usize) -> (usize, usize) {
        let start = if which == 0 { 0 } else { places[which - 1] };
        (start, places.get(which + 1).copied().unwrap_or(self.values.len()))
    }
}

/// The windows of a range, from the whole range down to `shortest`. Each length covers the range with
/// overlaps of one half.
fn windows(start: usize, end: usize, shortest: usize) -> Vec<(usize, usize)> {
    let mut windows = Vec::new();
    let mut length = end - start;
    while length >= shortest {
        let starts = (start..).step_by((length / 2).max(1)).take_while(|start| start + length < end);
        windows.extend(starts.map(|start| (start, start + length)));
        windows.push((end - length, end));
        length /= SHORTER;
    }
    windows
}
