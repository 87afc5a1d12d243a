//! What happened to one series: its comparable parts, and the changes in each of them.
//!
//! Points with another setup, such as another command line, are another part. Parts are never joined, also
//! if they alternate. A point without usable values never begins one.
//!
//! Never here: other series.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, mpsc};
use std::thread;

use crate::change::{Analysis, ChangeSettings, HistoryPoint, LevelSegment, LevelShift, analyse};
use crate::store::{SeriesSummary, Store, StoreError, StoredPoint};

/// A series with its points and changes.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesCourse {
    /// The series.
    pub summary: SeriesSummary,
    /// All points, by time.
    pub points: Vec<StoredPoint>,
    /// The comparable parts, by their first points.
    pub parts: Vec<CoursePart>,
}

/// Points of a series that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CoursePart {
    /// The places of its points in the points of the series.
    pub places: Vec<usize>,
    /// What differs from the part before, by name; empty for the first part.
    pub differs: Vec<String>,
    /// Its changes. Indices are those of `places`.
    pub analysis: Analysis,
}

impl CoursePart {
    /// The segment with this point, by its index in `places`.
    pub fn segment_of(&self, index: usize) -> Option<&LevelSegment> {
        self.analysis.segments.iter().find(|segment| (segment.first..=segment.last).contains(&index))
    }

    /// The points before and after a shift that it lies between, as places in the points of the series.
    pub fn around(&self, shift: &LevelShift) -> (usize, usize) {
        (self.places[shift.earliest.saturating_sub(1)], self.places[shift.latest])
    }
}

impl SeriesCourse {
    /// Reads a series and finds its changes.
    pub fn of(store: &Store, summary: SeriesSummary, settings: &ChangeSettings) -> Result<Self, StoreError> {
        Ok(ReadSeries::of(store, summary)?.course(settings))
    }

    /// The same for several series, in their order. One thread reads. `threads` others find the changes, and
    /// at least one. `progress` is called after each series.
    pub fn all(
        store: &Store,
        series: Vec<SeriesSummary>,
        settings: &ChangeSettings,
        threads: usize,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Vec<Self>, StoreError> {
        let (give, take) = mpsc::channel::<(usize, ReadSeries)>();
        let take = Mutex::new(take);
        let next = || take.lock().expect("no thread panics while it waits").recv().ok();
        let find = || {
            let given = std::iter::from_fn(next);
            let found = given.map(|(place, one)| (place, one.course(settings)));
            found.inspect(|_| progress()).collect::<Vec<_>>()
        };
        let mut found = thread::scope(|scope| {
            let finders: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(find)).collect();
            let read = series.into_iter().enumerate().try_for_each(|(place, one)| {
                let _ = give.send((place, ReadSeries::of(store, one)?));
                Ok(())
            });
            drop(give);
            let found = finders.into_iter().flat_map(|one| one.join().expect("no analysis panics"));
            let found: Vec<(usize, Self)> = found.collect();
            read.map(|()| found)
        })?;
        found.sort_unstable_by_key(|(place, _)| *place);
        Ok(found.into_iter().map(|(_, course)| course).collect())
    }

    /// The part with the last point.
    pub fn current(&self) -> Option<&CoursePart> {
        self.parts.iter().max_by_key(|part| part.places.last())
    }
}

/// The places of points with the same setup, by their first points.
///
/// A job that failed recorded less than others, so its setup is not complete. Such a point belongs to the
/// part of the point before it.
fn comparable(points: &[StoredPoint]) -> Vec<(i64, Vec<usize>)> {
    let usable: BTreeSet<i64> =
        points.iter().filter(|point| point.mean.is_some()).map(|point| point.setup).collect();
    let known = |point: &&StoredPoint| usable.is_empty() || usable.contains(&point.setup);
    let Some(mut setup) = points.iter().find(known).map(|point| point.setup) else { return Vec::new() };
    let mut parts: Vec<(i64, Vec<usize>)> = Vec::new();
    let mut part_of: HashMap<i64, usize> = HashMap::new();
    for (place, point) in points.iter().enumerate() {
        setup = if known(&point) { point.setup } else { setup };
        let part = *part_of.entry(setup).or_insert(parts.len());
        if part == parts.len() {
            parts.push((setup, Vec::new()));
        }
        parts[part].1.push(place);
    }
    parts
}

/// A series as the store has it.
struct ReadSeries {
    summary: SeriesSummary,
    points: Vec<StoredPoint>,
    /// The setup and the places of each part.
    parts: Vec<(BTreeMap<String, String>, Vec<usize>)>,
}

impl ReadSeries {
    fn of(store: &Store, summary: SeriesSummary) -> Result<Self, StoreError> {
        let points = store.points(summary.id)?;
        let parts = comparable(&points).into_iter().map(|(setup, places)| Ok((store.setup(setup)?, places)));
        let parts = parts.collect::<Result<_, StoreError>>()?;
        Ok(Self { summary, points, parts })
    }

    /// The series with its changes.
    fn course(self, settings: &ChangeSettings) -> SeriesCourse {
        let mut before: Option<BTreeMap<String, String>> = None;
        let mut parts = Vec::with_capacity(self.parts.len());
        for (setup, places) in self.parts {
            let differs = before.as_ref().map_or(Vec::new(), |before| differing(before, &setup));
            before = Some(setup);
            let rates: Vec<HistoryPoint> = places.iter().map(|place| rate(&self.points[*place])).collect();
            parts.push(CoursePart { differs, analysis: analyse(&rates, settings), places });
        }
        SeriesCourse { summary: self.summary, points: self.points, parts }
    }
}

/// A point as the analysis reads it. A point without a value is not usable there.
fn rate(point: &StoredPoint) -> HistoryPoint {
    HistoryPoint { time_s: point.time_s, rate: point.mean.unwrap_or(f64::NAN) }
}

/// The names with different texts, and those that only one of them has.
fn differing(one: &BTreeMap<String, String>, other: &BTreeMap<String, String>) -> Vec<String> {
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().filter(|name| one.get(*name) != other.get(*name)).cloned().collect()
}
