//! Writers of a history that are killed at any moment, and several at once.

use std::fmt::Write;
use std::fs;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::common::campaign::Place;

/// Enough points that a writer writes to the file before its transaction ends.
const MANY: usize = 20_000;
/// The moments at which a writer is killed.
const MOMENTS: u32 = 8;
/// The growth of the file between two such moments, in bytes.
const PART_BYTES: u64 = 50_000;

/// Writes a table with this number of points of a test of this name.
fn table(place: &Place, name: &str, points: usize) {
    let mut text = "time,value,unit,test\n".to_owned();
    for point in 0..points {
        writeln!(text, "{},{},MB/s,{name}", 1_500_000_000 + 3600 * point, 100 + point % 7).unwrap();
    }
    fs::write(place.path(&format!("{name}.csv")), text).unwrap();
}

fn start(place: &Place, name: &str) -> Child {
    let mut command = place.command(&format!("track add --store h.sqlite {name}.csv"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The points of a test that a reader finds.
fn points(place: &Place, name: &str) -> usize {
    let list = place.assay(&format!("track list --store h.sqlite {name}")).ok();
    let row = list.lines().find_map(|line| line.split_once(&format!("csv / {name} / value ")));
    row.map_or(0, |(_, columns)| columns.split_whitespace().next().unwrap().parse().unwrap())
}

/// Kills writers of these tables at several moments: after a part of the time that one of them needs, and
/// after it wrote a part of its points to the file. Returns how often this was within a change of the file.
fn killed_within(place: &Place, names: &[&str], whole: Duration) -> usize {
    let store = place.path("h.sqlite");
    let sound = fs::read(&store).unwrap();
    let mut within = 0;
    for moment in 1..=MOMENTS {
        fs::write(&store, &sound).unwrap();
        let mut writers: Vec<Child> = names.iter().map(|name| start(place, name)).collect();
        if moment % 2 == 0 {
            std::thread::sleep(whole * moment / MOMENTS);
        } else {
            let size = sound.len() as u64 + u64::from(moment) * PART_BYTES;
            let is_done = |writer: &mut Child| writer.try_wait().unwrap().is_some();
            while fs::metadata(&store).unwrap().len() < size && !writers.iter_mut().all(is_done) {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        for writer in &mut writers {
            writer.kill().unwrap();
            writer.wait().unwrap();
        }
        let journal = fs::read(place.path("h.sqlite-journal")).unwrap_or_default();
        // The first byte is written when the file changes.
        within += usize::from(journal.first().is_some_and(|first| *first != 0));
        // A reader is the first to open the store.
        assert_eq!(points(place, "early"), 3, "moment {moment}");
        for name in names {
            let found = points(place, name);
            assert!([0, MANY].contains(&found), "{found} points of {name} at moment {moment}");
        }
    }
    within
}

#[test]
fn a_writer_that_is_killed_leaves_what_was_there_and_can_add_again() {
    let place = Place::new();
    table(&place, "early", 3);
    table(&place, "many", MANY);
    let add = |name: &str| place.assay(&format!("track add --store h.sqlite {name}.csv")).ok();
    add("early");
    let begin = Instant::now();
    place.assay("track add --store measured.sqlite many.csv").ok();
    let within = killed_within(&place, &["many"], begin.elapsed());
    assert!(within > 0, "no moment was within a change");
    let added = add("many");
    assert!(added.starts_with("Added: ") && (points(&place, "many"), points(&place, "early")) == (MANY, 3));
}

#[test]
fn two_writers_that_are_killed_at_once_leave_a_sound_history() {
    let place = Place::new();
    table(&place, "early", 3);
    table(&place, "many", MANY);
    table(&place, "more", MANY);
    let add = |name: &str| place.assay(&format!("track add --store h.sqlite {name}.csv")).ok();
    add("early");
    let begin = Instant::now();
    place.assay("track add --store measured.sqlite many.csv more.csv").ok();
    killed_within(&place, &["many", "more"], begin.elapsed());
    add("many");
    add("more");
    assert_eq!(["early", "many", "more"].map(|name| points(&place, name)), [3, MANY, MANY]);
}

#[test]
fn four_writers_at_once_add_all_their_points() {
    let place = Place::new();
    let names = ["north", "east", "south", "west"];
    names.iter().for_each(|name| table(&place, name, 2_000));
    // There is no history yet: each of them may be the one that makes it.
    let mut writers: Vec<Child> = names.iter().map(|name| start(&place, name)).collect();
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    assert_eq!(names.map(|name| points(&place, name)), [2_000; 4]);
}
