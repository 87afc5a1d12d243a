//! Prints what a history of a million points costs: a table of docs/validation/change-points.md. Run it with
//! `cargo run --release -p track --example million_points`.
//!
//! The stores are files in a temporary directory. The largest memory is that of each step.
#![allow(clippy::print_stdout)]

use std::fmt::Write as _;
use std::fs;
use std::io::{BufWriter, sink};
use std::time::Instant;

use measure::statistics::Dice;
use track::change::ChangeSettings;
use track::course::SeriesCourse;
use track::event::events;
use track::export;
use track::import::csv::{self, CsvMapping};
use track::standing::standing;
use track::store::{Store, StoreLocation};

/// Series, and the points of each.
const SHAPES: [(usize, usize); 3] = [(1000, 1000), (100, 10_000), (10, 100_000)];
/// Clock ticks in a second, as /proc has them.
const TICKS: f64 = 100.0;

fn main() {
    println!("| series x points | step | time, s | processor time, s | largest memory, MiB |");
    println!("|---|---|---|---|---|");
    let dir = tempfile::tempdir().expect("a temporary directory");
    for (series, points) in SHAPES {
        let name = format!("{series} x {points}");
        let place = StoreLocation::from(&dir.path().join(&name));
        history(&name, &place, series, points);
    }
}

/// Fills a store and uses it, with a row for each step.
fn history(name: &str, place: &StoreLocation, series: usize, points: usize) {
    let text = table(series, points);
    let mut entries = Vec::new();
    step(name, "read the table", || {
        let entry = csv::entry(&text, &CsvMapping::default(), name.to_owned(), name);
        entries.push(entry.expect("a sound table"));
    });
    step(name, "add", || {
        let mut store = Store::open_or_create(place).expect("an empty store");
        store.add(&entries, 0.0).expect("all points");
    });
    drop((text, entries));
    let store = Store::open(place).expect("the store");
    step(name, "list", || {
        let all = store.series().expect("all series");
        all.iter().for_each(|one| drop(store.means(one.id).expect("the means")));
    });
    let mut courses = Vec::new();
    for threads in [1, 2] {
        courses.clear();
        step(name, &format!("analyse, threads: {threads}"), || {
            let all = store.series().expect("all series");
            let settings = ChangeSettings::default();
            courses = SeriesCourse::all(&store, all, &settings, threads, &|| ()).expect("all courses");
        });
    }
    step(name, "events", || {
        let entries = store.entries().expect("all entries").into_iter().map(|one| (one.id, one)).collect();
        courses.iter().for_each(|course| _ = standing(course, None));
        drop(events(&courses, &entries));
    });
    drop(courses);
    step(name, "export", || {
        let all = store.series().expect("all series");
        export::csv(&store, &all, &mut BufWriter::new(sink())).expect("all points");
    });
}

/// A table in the order of time: three of ten series have one fall.
fn table(series: usize, points: usize) -> String {
    let mut dice = Dice::new(7);
    let mut text = "time,value,unit,system,place,test,metric\n".to_owned();
    let falls: Vec<usize> = (0..series)
        .map(|_| if dice.share() < 0.3 { (dice.share() * points as f64) as usize } else { points })
        .collect();
    for point in 0..points {
        let time_s = 1_400_000_000 + point * 3600;
        for (test, fall) in falls.iter().enumerate() {
            let level = if point < *fall { 2000.0 } else { 1600.0 };
            let value = level * (0.08 * dice.normal()).exp();
            writeln!(text, "{time_s},{value:.2},MiB/s,edison,scratch1,test{test},write.bw").expect("memory");
        }
    }
    text
}

fn step(name: &str, what: &str, work: impl FnOnce()) {
    // Resets the largest resident memory.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let (begun, used) = (Instant::now(), processor_s());
    work();
    let (time_s, used) = (begun.elapsed().as_secs_f64(), processor_s() - used);
    println!("| {name} | {what} | {time_s:.1} | {used:.1} | {} |", largest_mib());
}

/// The processor time of this process so far.
fn processor_s() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ').skip(11).take(2);
    fields.filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / TICKS
}

/// The largest resident memory since it was reset.
fn largest_mib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}
