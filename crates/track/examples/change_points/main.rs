//! Prints how often shifts are reported that are not there, and how often and when true ones are found: the
//! tables of docs/validation/change-points.md. Run it with
//! `cargo run --release -p track --example change_points`.
//!
//! Arguments select tables. `series` prints the histories for other programs: the name of the world, then the
//! rates. `analyse FILE...` prints the changes of files with lines of `time,rate`.
#![allow(clippy::print_stdout)]

mod files;
mod worlds;

use measure::statistics::Dice;
use track::change::{ChangeSettings, analyse};
use worlds::{Counts, Shape, World};

const HISTORIES: usize = 150;
/// The number of histories of each world with a shift.
const SHIFTED: usize = 60;
/// The number of histories that `series` prints for each world.
const PRINTED: usize = 60;

/// The worlds without a change of the level.
const QUIET: [World; 12] = [
    World::quiet("independent, COV 5 %", 0.05),
    World::quiet("independent, COV 10 %", 0.1),
    World::quiet("independent, COV 30 %", 0.3),
    World { correlation: 0.3, ..World::quiet("correlation 0.3, COV 10 %", 0.1) },
    World { correlation: 0.5, ..World::quiet("correlation 0.5, COV 10 %", 0.1) },
    World { correlation: 0.7, ..World::quiet("correlation 0.7, COV 10 %", 0.1) },
    World { weekend: 0.1, ..World::quiet("weekends 10 % slower, COV 5 %", 0.05) },
    World { outliers: 0.05, ..World::quiet("5 % outliers, COV 10 %", 0.1) },
    World { shape: Shape::Heavy, ..World::quiet("heavy tails, COV 10 %", 0.1) },
    World { shape: Shape::Slowdowns, ..World::quiet("slowdowns, COV 20 %", 0.2) },
    World { growth: 2.0, ..World::quiet("variability doubles, COV 5 %", 0.05) },
    World { drift: -0.02, ..World::quiet("drift of −2 % a month, COV 5 %", 0.05) },
];

/// The worlds with a shift.
fn shifted() -> Vec<World> {
    let mut worlds = Vec::new();
    for (cov, name) in [(0.05, "COV 5 %"), (0.1, "COV 10 %"), (0.2, "COV 20 %"), (0.3, "COV 30 %")] {
        let falls = [0.95, 0.9, 0.8].map(|ratio| World { ratio, ..World::quiet(name, cov) });
        worlds.extend(falls);
    }
    let rest = [
        World { correlation: 0.5, ..World::quiet("COV 10 %, correlation 0.5", 0.1) },
        World { weekend: 0.1, ..World::quiet("COV 10 %, weekends 10 % slower", 0.1) },
        World { outliers: 0.05, ..World::quiet("COV 10 %, 5 % outliers", 0.1) },
        World { shape: Shape::Heavy, ..World::quiet("COV 10 %, heavy tails", 0.1) },
        World { shape: Shape::Slowdowns, ..World::quiet("COV 10 %, slowdowns", 0.1) },
    ];
    worlds.extend(rest.iter().flat_map(|world| [0.9, 0.8].map(|ratio| World { ratio, ..*world })));
    worlds
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).collect();
    match named.first().map(String::as_str) {
        Some("analyse") => return named[1..].iter().for_each(|file| files::print_changes(file)),
        Some("series") => return series(),
        Some("speed") => return speed(),
        _ => {}
    }
    let wanted = |name: &str| named.is_empty() || named.iter().any(|one| one == name);
    if wanted("quiet") {
        quiet();
    }
    if wanted("shifts") {
        shifts();
    }
    if wanted("kinds") {
        kinds();
    }
    if wanted("short") {
        short();
    }
}

/// The counts of all worlds, on two threads.
fn counts_of(worlds: &[World], histories: usize) -> Vec<Counts> {
    let (even, odd): (Vec<_>, Vec<_>) = worlds.iter().enumerate().partition(|(place, _)| place % 2 == 0);
    let count = |half: &[(usize, &World)]| -> Vec<(usize, Counts)> {
        let of = |world: &World| Counts::of(world, histories, ChangeSettings::default());
        half.iter().map(|(place, world)| (*place, of(world))).collect()
    };
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(|| count(&odd));
        let mut all = count(&even);
        all.extend(other.join().expect("the simulation does not panic"));
        all
    });
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, counts)| counts).collect()
}

fn quiet() {
    println!("\nNo change of the level. {HISTORIES} years of daily points, each point is a decision.\n");
    println!("| noise | years with a false alarm | false alarms per 100 points |\n|---|---|---|");
    for (world, counts) in QUIET.iter().zip(counts_of(&QUIET, HISTORIES)) {
        let wrong = counts.percent(counts.wrong_histories);
        let per_100 = 100.0 * counts.wrong as f64 / (counts.histories * worlds::YEAR) as f64;
        println!("| {} | {wrong:.1} % | {per_100:.4} |", world.name);
    }
}

fn shifts() {
    println!("\nA fall after 180 days. {SHIFTED} years of daily points.\n");
    println!(
        "| noise | fall | found | median delay, points | years with a false alarm | place in its range | \
         ratio in its interval |"
    );
    println!("|---|---|---|---|---|---|---|");
    let worlds = shifted();
    for (world, counts) in worlds.iter().zip(counts_of(&worlds, SHIFTED)) {
        let delay = counts.median_delay().map_or("–".into(), |delay| format!("{delay:.0}"));
        let share = |count: usize| match counts.found {
            0 => "–".to_owned(),
            found => format!("{:.0} %", 100.0 * count as f64 / found as f64),
        };
        println!(
            "| {} | {:.0} % | {:.0} % | {delay} | {:.1} % | {} | {} |",
            world.name,
            100.0 * (1.0 - world.ratio),
            counts.percent(counts.found),
            counts.percent(counts.wrong_histories),
            share(counts.place_covered),
            share(counts.ratio_covered),
        );
    }
}

/// Which kind of change is reported, at the end of the year.
fn kinds() {
    println!("\nHow a whole year is described at its end, in percent of {HISTORIES} years.\n");
    println!("| history | a shift | a drift | a change of the variability | outliers, mean number |");
    println!("|---|---|---|---|---|");
    let fall = World { ratio: 0.9, ..World::quiet("fall of 10 %, COV 5 %", 0.05) };
    let slow = World { drift: -0.01, ..World::quiet("drift of −1 % a month, COV 5 %", 0.05) };
    for world in QUIET.iter().chain([&slow, &fall]) {
        let mut dice = Dice::new(2024);
        let mut sums = [0_usize; 4];
        for _ in 0..HISTORIES {
            let found = analyse(&world.history(&mut dice), &ChangeSettings::default());
            let kinds = [found.shifts.len(), found.drifts.len(), found.variability.len()];
            (0..3).for_each(|kind| sums[kind] += kinds[kind].min(1));
            sums[3] += found.outliers.len();
        }
        let share = |kind: usize| 100.0 * sums[kind] as f64 / HISTORIES as f64;
        println!(
            "| {} | {:.1} | {:.1} | {:.1} | {:.1} |",
            world.name,
            share(0),
            share(1),
            share(2),
            share(3) / 100.0
        );
    }
}

/// Points before and after the fall of short histories.
const SHORT: [(usize, usize); 6] = [(5, 5), (7, 7), (10, 5), (10, 10), (20, 5), (20, 10)];

/// How often a fall is found in a short history.
fn short() {
    println!("\nA fall is found in a short history, in percent of {HISTORIES} histories.\n");
    let heads: Vec<String> = SHORT.iter().map(|(before, after)| format!("{before} + {after}")).collect();
    println!("| noise | fall | {} |\n|---|---|{}", heads.join(" | "), "---|".repeat(SHORT.len()));
    let correlated = World { correlation: 0.5, ..World::quiet("COV 5 %, correlation 0.5", 0.05) };
    let noises = [
        World::quiet("COV 2 %", 0.02),
        World::quiet("COV 5 %", 0.05),
        World::quiet("COV 10 %", 0.1),
        correlated,
    ];
    for world in noises {
        for fall in [0.1, 0.2, 0.4] {
            let shares: Vec<String> =
                SHORT.iter().map(|size| format!("{:.0}", short_found(&world, fall, *size))).collect();
            println!("| {} | {:.0} % | {} |", world.name, 100.0 * fall, shares.join(" | "));
        }
    }
}

/// The percentage of histories of `before` and `after` points in which the fall is found within two points.
fn short_found(world: &World, fall: f64, (before, after): (usize, usize)) -> f64 {
    let mut dice = Dice::new(2025);
    let is_found = |_: &usize| {
        let mut history = world.history(&mut dice);
        history.truncate(before + after);
        history[before..].iter_mut().for_each(|point| point.rate *= 1.0 - fall);
        let shifts = analyse(&history, &ChangeSettings::default()).shifts;
        shifts.iter().any(|shift| shift.index.abs_diff(before) <= 2)
    };
    100.0 * (0..HISTORIES).filter(is_found).count() as f64 / HISTORIES as f64
}

/// The first histories of each world, the same as those of the tables.
fn series() {
    for world in QUIET.iter().copied().chain(shifted()) {
        let mut dice = Dice::new(2023);
        for _ in 0..PRINTED {
            let rates: Vec<String> =
                world.history(&mut dice).iter().map(|point| format!("{:.3}", point.rate)).collect();
            println!("{};{};{}", world.name, world.ratio, rates.join(","));
        }
    }
}

/// Long histories, for a clock outside.
fn speed() {
    let mut dice = Dice::new(1);
    let world = World { correlation: 0.3, ..World::quiet("", 0.1) };
    let years: Vec<_> = (0..28).flat_map(|_| world.history(&mut dice)).collect();
    let times = (0_u32..).map(|hour| 3600.0 * f64::from(hour));
    let points: Vec<_> = years.into_iter().zip(times).take(10_000).collect();
    let points: Vec<_> =
        points.into_iter().map(|(point, time_s)| track::change::HistoryPoint { time_s, ..point }).collect();
    let found = analyse(&points, &ChangeSettings::default());
    println!("{} points, {} shifts", points.len(), found.shifts.len());
}
