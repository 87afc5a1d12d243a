//! Series with known changes: their parts, events and standings.

use std::collections::BTreeMap;

use measure::statistics::Dice;
use results::comparison::MetricDirection;
use results::history::{EntryFact, EntrySource, HistoryEntry, MeasuredPoint, SeriesId};
use results::reason::{Code, Datum};
use track::change::ChangeSettings;
use track::course::SeriesCourse;
use track::event::{HistoryEvent, differing, events};
use track::note::{baseline_s, notes_of};
use track::retention::removable;
use track::standing::{SpeedChange, Standing, slow_newest, standing};
use track::store::{Added, EntrySummary, HistoryNote, Store};

const DAY_S: f64 = 86_400.0;

/// A day of a series: the value (NaN if it cannot be used), the command line and the kernel.
struct Day {
    test: &'static str,
    day: u32,
    value: f64,
    command: &'static str,
    kernel: &'static str,
}

/// Noise of 3 % on both sides without a pattern, the same in each run.
fn noise(day: u32) -> f64 {
    let mut dice = Dice::new(u64::from(day) + 1);
    1.0 + 0.06 * (dice.share() - 0.5)
}

fn entry(day: &Day, unit: &str, direction: MetricDirection) -> HistoryEntry {
    let series = SeriesId {
        system: "edison".into(),
        test: day.test.into(),
        metric: "write.bw".into(),
        unit: unit.into(),
        ..SeriesId::default()
    };
    let time_s = f64::from(day.day) * DAY_S;
    let hash = format!("{} {}", day.test, day.day);
    HistoryEntry {
        campaign: hash.clone(),
        hash,
        started_s: time_s,
        source: EntrySource::Csv,
        facts: vec![EntryFact { fact: "kernel".into(), about: String::new(), value: day.kernel.into() }],
        points: vec![MeasuredPoint {
            series: series.into(),
            direction,
            time_s,
            values: if day.value.is_nan() { vec![] } else { vec![day.value * noise(day.day)] },
            why: day.value.is_nan().then_some(Code::CachedRead),
            outcome: None,
            threshold: None,
            setup: BTreeMap::from([("command".to_owned(), day.command.to_owned())]),
            fill: None,
            concurrency: None,
        }],
        ..HistoryEntry::default()
    }
}

fn courses(days: &[Day], direction: MetricDirection) -> (Vec<SeriesCourse>, Vec<HistoryEvent>) {
    let unit = if direction == MetricDirection::LowerIsFaster { "s" } else { "B/s" };
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open_or_create(&place.path().join("h.sqlite")).unwrap();
    let entries: Vec<HistoryEntry> = days.iter().map(|day| entry(day, unit, direction)).collect();
    store.add(&entries, 0.0).unwrap();
    let (all, entries) = read(&store);
    let events = events(&all, &entries);
    (all, events)
}

/// The courses of all series, and the entries by their ids.
fn read(store: &Store) -> (Vec<SeriesCourse>, BTreeMap<i64, EntrySummary>) {
    let settings = ChangeSettings::default();
    let series = store.series().unwrap();
    let all = SeriesCourse::all(store, series.clone(), &settings, 3, &|| ()).unwrap();
    let one_by_one = series.into_iter().map(|one| SeriesCourse::of(store, one, &settings).unwrap());
    assert_eq!(all, one_by_one.collect::<Vec<_>>(), "threads change nothing, not even the order");
    (all, store.entries().unwrap().into_iter().map(|one| (one.id, one)).collect())
}

/// 80 days at 1e9, with this factor and kernel from day 40 on.
fn step(test: &'static str, factor: f64) -> Vec<Day> {
    let at = |day| Day {
        test,
        day,
        value: if day < 40 { 1e9 } else { factor * 1e9 },
        command: "ior -w",
        kernel: if day < 40 { "5.1" } else { "5.2" },
    };
    (0..80).map(at).collect()
}

fn change(days: &[Day], direction: MetricDirection, since_s: Option<f64>) -> SpeedChange {
    let (courses, _) = courses(days, direction);
    match standing(&courses[0], since_s) {
        Standing::Changed(change) => change,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_fall_since_the_baseline_is_found_with_its_day_and_its_size() {
    let fell = change(&step("A", 0.8), MetricDirection::HigherIsFaster, None);
    assert!((fell.ratio - 0.8).abs() < 0.02 && fell.low < 0.8 && 0.8 < fell.high, "{fell:?}");
    assert!((fell.since_s / DAY_S - 40.0).abs() < 2.0 && !fell.is_drift, "{fell:?}");
    assert!(fell.is_shown_below(0.95) && !fell.is_shown_below(0.7));
    let rose = change(&step("A", 1.25), MetricDirection::HigherIsFaster, None);
    assert!(rose.low > 1.0 && !rose.is_shown_below(0.95), "{rose:?}");
}

/// Days at 1e9; the last ones have these factors.
fn nights(days: u32, last: &[f64]) -> Vec<Day> {
    let first = days - last.len() as u32;
    let factor = |day: u32| day.checked_sub(first).map_or(1.0, |at| last[at as usize]);
    let at = |day| Day { test: "A", day, value: 1e9 * factor(day), command: "ior -w", kernel: "" };
    (0..days).map(at).collect()
}

#[test]
fn a_newest_point_far_below_its_level_is_slow() {
    use MetricDirection::{HigherIsFaster, LowerIsFaster, Neither};
    let slow = |days: &[Day], direction| slow_newest(&courses(days, direction).0[0], None);
    for last in [&[0.3][..], &[0.3, 0.3], &[0.3, 1.0, 0.3]] {
        let found = slow(&nights(40, last), HigherIsFaster).unwrap();
        assert!((found.ratio - 0.3).abs() < 0.02 && found.time_s == 39.0 * DAY_S, "{last:?}: {found:?}");
    }
    let found = slow(&nights(40, &[1.0 / 0.3]), LowerIsFaster).unwrap();
    assert!((found.ratio - 0.3).abs() < 0.02, "of a time the speed is the reciprocal: {found:?}");
    for (days, direction) in [
        (nights(40, &[]), HigherIsFaster),
        (nights(40, &[3.0]), HigherIsFaster),
        (nights(40, &[0.3]), LowerIsFaster),
        (nights(40, &[0.3]), Neither),
        (nights(40, &[0.3, 1.0]), HigherIsFaster),
        (nights(40, &[0.3, f64::NAN]), HigherIsFaster),
        (nights(40, &[0.3; 8]), HigherIsFaster),
        (nights(9, &[0.3]), HigherIsFaster),
    ] {
        assert_eq!(slow(&days, direction), None, "{} days, {direction:?}", days.len());
    }
}

#[test]
fn a_slow_newest_point_is_silent_once_it_is_accepted() {
    let course = &courses(&nights(40, &[0.3]), MetricDirection::HigherIsFaster).0[0];
    let is_slow = |day: f64| slow_newest(course, Some(day * DAY_S)).is_some();
    assert!(is_slow(0.0) && is_slow(38.0), "another point is accepted too");
    assert!(!is_slow(38.5) && !is_slow(39.0) && !is_slow(60.0));
}

#[test]
fn a_young_level_of_equal_points_is_as_uncertain_as_the_noise_before_it() {
    let mut days = step("A", 0.8);
    days.truncate(46);
    // The values are divided by the noise that is added later.
    days[40..].iter_mut().for_each(|day| day.value /= noise(day.day));
    let fell = change(&days, MetricDirection::HigherIsFaster, None);
    // Six points with the noise of the forty before, of 1.7 %, have an error of 0.7 %.
    assert!((fell.ratio - 0.8).abs() < 0.01 && fell.high - fell.low > 0.02, "{fell:?}");
}

#[test]
fn a_longer_time_is_a_lower_speed() {
    let fell = change(&step("A", 1.25), MetricDirection::LowerIsFaster, None);
    assert!((fell.ratio - 0.8).abs() < 0.02 && fell.is_shown_below(0.95), "{fell:?}");
    assert!(fell.low < fell.ratio && fell.ratio < fell.high, "{fell:?}");
}

#[test]
fn a_fall_before_the_baseline_does_not_count() {
    let (courses, _) = courses(&step("A", 0.8), MetricDirection::HigherIsFaster);
    assert_eq!(standing(&courses[0], Some(50.0 * DAY_S)), Standing::Unchanged);
    let (courses, _) = self::courses(&step("A", 1.0), MetricDirection::HigherIsFaster);
    assert_eq!(standing(&courses[0], None), Standing::Unchanged);
}

#[test]
fn the_last_accepted_note_about_a_series_begins_its_baseline() {
    let note = |day: f64, scope: &[&str], is_accepted| HistoryNote {
        time_s: day * DAY_S,
        scope: scope.iter().map(|text| (*text).to_owned()).collect(),
        is_accepted,
        ..HistoryNote::default()
    };
    let notes = [
        note(50.0, &["edison", "write.bw"], true),
        note(10.0, &[], true),
        note(60.0, &["cori"], true),
        note(70.0, &["edison"], false),
    ];
    let (courses, events) = courses(&step("A", 0.8), MetricDirection::HigherIsFaster);
    let series = &courses[0].summary.series;
    assert_eq!(baseline_s(&notes, series), Some(50.0 * DAY_S));
    assert_eq!(
        (baseline_s(&notes[1..], series), baseline_s(&notes[2..], series)),
        (Some(10.0 * DAY_S), None)
    );
    let near = [note(38.0, &["A"], false), note(38.0, &["B"], false), note(30.0, &["A"], false)];
    assert_eq!(notes_of(&events[0], &courses, &near), [&near[0]]);
}

#[test]
fn old_imported_points_are_removed_and_the_baseline_and_the_accepted_level_stay() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("h.sqlite");
    let mut store = Store::open_or_create(&path).unwrap();
    // Levels of 40 days: 1, 0.8, 0.6 and 0.5.
    let level = |day: u32| [1.0, 0.8, 0.6, 0.5][day as usize / 40];
    let days: Vec<Day> = (0..160)
        .map(|day| Day { test: "A", day, value: 1e9 * level(day), command: "c", kernel: "5.1" })
        .collect();
    let mut entries: Vec<HistoryEntry> =
        days.iter().map(|day| entry(day, "B/s", MetricDirection::HigherIsFaster)).collect();
    // One of the points that could be removed is from a campaign.
    entries[95].source = EntrySource::Campaign;
    store.add(&entries, 0.0).unwrap();
    let (all, known) = read(&store);
    let before = standing(&all[0], None);
    let accepted = HistoryNote { time_s: 41.0 * DAY_S, is_accepted: true, ..HistoryNote::default() };
    let found = removable(&all[0], std::slice::from_ref(&accepted), &known, 150.0 * DAY_S);
    assert_eq!(found.points, 69, "the third level, and the fourth up to the date: {found:?}");
    assert_eq!(store.prune(&[(all[0].summary.id, found)]), Ok(69));

    let (all, known) = read(&Store::open(&path).unwrap());
    let left: Vec<f64> = all[0].points.iter().map(|point| point.time_s / DAY_S).collect();
    let kept = |day: &u32| *day < 80 || *day == 95 || *day >= 150;
    assert_eq!(left, (0..160).filter(kept).map(f64::from).collect::<Vec<_>>());
    let (Standing::Changed(one), Standing::Changed(other)) = (before, standing(&all[0], None)) else {
        panic!("{before:?}")
    };
    assert!((one.ratio / other.ratio - 1.0).abs() < 0.02, "{one:?} {other:?}");
    let again = removable(&all[0], &[accepted], &known, 150.0 * DAY_S);
    assert_eq!((again.points, again.times.len()), (0, 0));
    assert_eq!(store.add(&entries[100..101], 0.0).unwrap(), [Added::Known], "it is not added again");
}

#[test]
fn a_steady_loss_is_a_gradual_change() {
    let days: Vec<Day> = (0..120)
        .map(|day| Day {
            test: "A",
            day,
            value: 1e9 * 0.95_f64.powf(f64::from(day) / 30.44),
            command: "c",
            kernel: "5.1",
        })
        .collect();
    let fell = change(&days, MetricDirection::HigherIsFaster, None);
    let lost = 0.95_f64.powf(119.0 / 30.44);
    assert!(fell.is_drift && (fell.ratio - lost).abs() < 0.03, "{fell:?} {lost}");
    assert!(fell.is_shown_below(0.95), "{fell:?}");
}

#[test]
fn few_points_decide_nothing_and_amounts_are_not_speeds() {
    let mut days = step("A", 0.5);
    days.truncate(9);
    let (few, _) = courses(&days, MetricDirection::HigherIsFaster);
    assert_eq!(standing(&few[0], None), Standing::TooFew(9));
    let (amounts, _) = courses(&step("A", 0.5), MetricDirection::Neither);
    assert_eq!(standing(&amounts[0], None), Standing::NotASpeed);
}

#[test]
fn another_command_line_is_another_part_and_never_a_fall() {
    let mut days = step("A", 0.8);
    days.iter_mut().skip(40).for_each(|day| day.command = "ior -w -Y");
    let (courses, events) = courses(&days, MetricDirection::HigherIsFaster);
    let parts: Vec<(usize, &[String])> =
        courses[0].parts.iter().map(|part| (part.places.len(), part.differs.as_slice())).collect();
    assert_eq!(parts, [(40, [].as_slice()), (40, ["command".to_owned()].as_slice())]);
    assert_eq!((standing(&courses[0], None), events.len()), (Standing::Unchanged, 0));
}

#[test]
fn shifts_of_several_series_at_one_time_are_one_event_with_what_changed() {
    let mut days = step("A", 0.8);
    days.extend(step("B", 1.3));
    days.extend(step("C", 1.0));
    let (courses, events) = courses(&days, MetricDirection::HigherIsFaster);
    assert_eq!(events.len(), 1, "{events:#?}");
    let tests: Vec<&str> =
        events[0].changes.iter().map(|change| courses[change.series].summary.series.test.as_str()).collect();
    assert_eq!((events[0].system.as_str(), tests), ("edison", vec!["A", "B"]));
    let facts: Vec<(&str, String)> = events[0]
        .facts
        .iter()
        .map(|fact| (fact.fact.as_str(), format!("{:?} {:?}", fact.before, fact.after)))
        .collect();
    assert_eq!(facts, [("kernel", "Some(Text(\"5.1\")) Some(Text(\"5.2\"))".to_owned())]);
    let day = |time_s: f64| time_s / DAY_S;
    assert!(day(events[0].from_s) <= 40.0 && 39.0 <= day(events[0].to_s), "{:?}", events[0]);
}

/// The same days, without usable values on these.
fn unusable(mut days: Vec<Day>, which: std::ops::Range<usize>, command: &'static str) -> Vec<Day> {
    for day in &mut days[which] {
        (day.value, day.command) = (f64::NAN, command);
    }
    days
}

#[test]
fn a_failed_campaign_belongs_to_the_part_before_it_and_hides_no_fall() {
    // A job that failed recorded no ranks, so its setup is another one.
    for which in [20..22, 60..61, 79..80, 0..2] {
        let days = unusable(step("A", 0.8), which.clone(), "");
        let (courses, _) = courses(&days, MetricDirection::HigherIsFaster);
        assert_eq!(courses[0].parts.len(), 1, "{which:?}");
        assert_eq!(courses[0].parts[0].places.len(), 80, "{which:?}");
        assert!(matches!(standing(&courses[0], None), Standing::Changed(_)), "{which:?}");
    }
}

#[test]
fn a_series_that_ends_without_usable_values_is_not_unchanged() {
    let of = |which| {
        let (courses, _) =
            courses(&unusable(step("A", 1.0), which, "ior -w"), MetricDirection::HigherIsFaster);
        standing(&courses[0], None)
    };
    assert_eq!(of(76..80), Standing::Unchanged);
    assert_eq!(of(75..80), Standing::Unusable(5));
    assert_eq!(of(70..79), Standing::Unchanged, "the last point is usable again");
    assert_eq!(of(0..80), Standing::Unusable(80));
}

#[test]
fn a_fall_and_its_recovery_are_two_events() {
    let hourly = |day: Day| Day { value: if (40..60).contains(&day.day) { 8e8 } else { 1e9 }, ..day };
    let days: Vec<Day> = step("A", 1.0).into_iter().map(hourly).collect();
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open_or_create(&place.path().join("h.sqlite")).unwrap();
    let mut entries: Vec<HistoryEntry> =
        days.iter().map(|day| entry(day, "B/s", MetricDirection::HigherIsFaster)).collect();
    entries.iter_mut().for_each(|entry| entry.points[0].time_s /= 24.0);
    store.add(&entries, 0.0).unwrap();
    let settings = ChangeSettings::default();
    let course = SeriesCourse::of(&store, store.series().unwrap().remove(0), &settings).unwrap();
    let events = events(&[course], &BTreeMap::new());
    let falls: Vec<bool> = events.iter().map(|event| event.changes[0].shift.ratio < 1.0).collect();
    assert_eq!(falls, [true, false], "{events:#?}");
    assert!(events.iter().all(|event| event.changes.len() == 1));
}

fn fact(fact: &str, about: &str, value: impl Into<Datum>) -> EntryFact {
    EntryFact { fact: fact.into(), about: about.into(), value: value.into() }
}

/// The facts that differ, each with what it is about.
fn names(before: &[EntryFact], after: &[EntryFact]) -> Vec<(String, String)> {
    differing(before, after).into_iter().map(|one| (one.fact, one.about)).collect()
}

#[test]
fn facts_differ_by_the_rules_of_a_comparison_and_those_of_the_plan_are_last() {
    let fill = |low: f64| fact("utilization", "s", vec![Datum::share(low), Datum::share(low + 0.001)]);
    assert_eq!(names(&[fill(0.120)], &[fill(0.125)]), []);
    assert_eq!(names(&[fill(0.12)], &[fill(0.14)]), [("utilization".into(), "s".into())]);

    let before =
        [fact("plan-sha256", "", "1"), fact("kernel", "", "5.1"), fact("fs-options", "s", "noatime")];
    let after = [
        fact("plan-sha256", "", "2"),
        fact("kernel", "", "5.2"),
        fact("fs-options", "s", "relatime"),
        fact("test", "NEW", true),
        fact("command", "NEW", "ior -w"),
    ];
    let wanted = [("fs-options", "s"), ("kernel", ""), ("plan-sha256", ""), ("test", "NEW")];
    let wanted = wanted.map(|(fact, about)| (fact.to_owned(), about.to_owned()));
    assert_eq!(names(&before, &after), wanted, "a new test is one fact");
    assert_eq!(names(&[], &after), [], "an import has no facts");
    assert_eq!(names(&[fact("later", "", "1")], &[fact("later", "", "2")]).len(), 1);
}
