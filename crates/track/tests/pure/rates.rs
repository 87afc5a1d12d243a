//! False alarms and detections are as often as docs/validation/change-points.md states.
//!
//! The worlds are those of the example `change_points`, which prints the tables.

#[path = "../../examples/change_points/worlds.rs"]
mod worlds;

use measure::statistics::Dice;
use testkit::complete::only_in_all;
use track::change::{ChangeSettings, analyse};
use worlds::{Counts, Shape, World};

fn counts(world: &World, histories: usize) -> Counts {
    Counts::of(world, histories, ChangeSettings::default())
}

#[test]
fn few_quiet_years_have_a_false_alarm() {
    for world in [World::quiet("", 0.1), World { shape: Shape::Heavy, ..World::quiet("", 0.1) }] {
        let counts = counts(&world, 2);
        assert_eq!(counts.wrong, 0, "{world:?}");
    }
}

#[test]
fn falls_of_twice_the_variability_are_found_with_a_short_delay() {
    let world = World { ratio: 0.8, ..World::quiet("", 0.1) };
    let counts = counts(&world, 4);
    assert_eq!(counts.percent(counts.found), 100.0);
    assert!(counts.median_delay().is_some_and(|delay| delay <= 20.0), "{counts:?}");
    assert!(counts.place_covered >= 3 && counts.ratio_covered >= 2, "{counts:?}");
}

/// The share of newest points that are slow outliers, in percent of the nights of histories of this length
/// and more.
fn slow_newest(world: &World, points: usize) -> f64 {
    let (mut dice, mut slow, mut nights) = (Dice::new(2026), 0, 0);
    for _ in 0..20 {
        let history = world.history(&mut dice);
        for newest in points..points + 10 {
            let analysis = analyse(&history[..=newest], &ChangeSettings::default());
            let level = analysis.segments.last().map_or(0.0, |segment| segment.level);
            let is_slow = history[newest].rate < 0.95 * level && analysis.outliers.contains(&newest);
            (slow, nights) = (slow + usize::from(is_slow), nights + 1);
        }
    }
    100.0 * slow as f64 / nights as f64
}

#[test]
fn few_newest_points_of_quiet_nights_are_slow() {
    for (world, most) in [
        (World::quiet("normal", 0.1), [1.5, 0.5, 0.5]),
        (World { shape: Shape::Heavy, ..World::quiet("heavy tails", 0.1) }, [3.0, 3.0, 3.0]),
        (World { shape: Shape::Slowdowns, ..World::quiet("slowdowns", 0.2) }, [6.0, 6.0, 6.0]),
    ] {
        let found = [10, 30, 90].map(|points| slow_newest(&world, points));
        println!("{}: {found:?} %", world.name);
        assert!(found.iter().zip(most).all(|(found, most)| *found <= most), "{}: {found:?} %", world.name);
    }
}

#[test]
fn false_alarms_stay_below_the_stated_rate_in_all_kinds_of_noise() {
    if !only_in_all("it simulates 500 years of daily points, which takes minutes") {
        return;
    }
    let worlds = [
        World::quiet("independent", 0.1),
        World { correlation: 0.5, ..World::quiet("correlated", 0.1) },
        World { outliers: 0.05, ..World::quiet("outliers", 0.1) },
        World { weekend: 0.1, ..World::quiet("weekends", 0.05) },
        World { shape: Shape::Slowdowns, ..World::quiet("slowdowns", 0.2) },
    ];
    for world in worlds {
        let counts = counts(&world, 100);
        // 5 % of 100 years, and three deviations.
        let wrong = counts.percent(counts.wrong_histories);
        assert!(wrong <= 11.5, "{}: {wrong} % of {} years", world.name, counts.histories);
    }
}
