//! Fewer points where there are many, so that a page remains small.
//!
//! Each column of pixels keeps the lowest and the highest point of each look. So no extreme, verdict or
//! outlier disappears.
//!
//! Invariant: at most two points for each look and column. Kept points are in their order.

use std::collections::BTreeMap;

/// A point before thinning.
pub(super) struct PlacedPoint {
    /// Its place on the axis of time, from 0 to 1.
    pub(super) share: f64,
    /// Its value.
    pub(super) y: f64,
    /// Points that look different have different numbers.
    pub(super) look: u8,
}

/// A point that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeptPoint {
    /// Its place among the points.
    pub(super) place: usize,
    /// How many points of its look are in its column, with itself.
    pub(super) of: usize,
}

/// The points that a plot with this number of columns shows.
pub(super) fn kept(points: &[PlacedPoint], columns: usize) -> Vec<KeptPoint> {
    if points.len() <= columns {
        return (0..points.len()).map(|place| KeptPoint { place, of: 1 }).collect();
    }
    let mut cells: BTreeMap<(usize, u8), (usize, usize, usize)> = BTreeMap::new();
    for (place, point) in points.iter().enumerate() {
        let column = ((point.share * columns as f64) as usize).min(columns.saturating_sub(1));
        let (low, high, of) = cells.entry((column, point.look)).or_insert((place, place, 0));
        *of += 1;
        if point.y < points[*low].y {
            *low = place;
        }
        if point.y > points[*high].y {
            *high = place;
        }
    }
    let both = cells.into_values().flat_map(|(low, high, of)| [(low, of), (high, of)]);
    let mut all: Vec<KeptPoint> = both.map(|(place, of)| KeptPoint { place, of }).collect();
    all.sort_by_key(|kept| kept.place);
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_the_extremes_of_each_look_and_few_others() {
        let point = |n: u32| PlacedPoint {
            share: f64::from(n) / 100_000.0,
            y: f64::from(n % 97),
            look: u8::from(n == 50_000),
        };
        let mut points: Vec<PlacedPoint> = (0..100_000).map(point).collect();
        (points[31_234].y, points[77].y) = (-5.0, 500.0);
        let few = kept(&points, 200);
        assert!(few.len() <= 402, "{}", few.len());
        for place in [31_234, 77, 50_000] {
            assert!(few.iter().any(|kept| kept.place == place), "{place}");
        }
        assert!(few.is_sorted_by_key(|kept| kept.place));
        assert!(few.iter().find(|kept| kept.place == 77).unwrap().of > 400);
    }

    #[test]
    fn few_points_are_all_kept() {
        let points: Vec<PlacedPoint> = (0..7).map(|_| PlacedPoint { share: 0.5, y: 1.0, look: 0 }).collect();
        assert_eq!(kept(&points, 7).len(), 7);
        assert_eq!(kept(&points, 3).len(), 1, "equal points in one column are one");
    }
}
