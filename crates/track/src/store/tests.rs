//! Stores with entries, other files, and several writers.

use std::collections::BTreeMap;

use results::Outcome;
use results::comparison::MetricDirection;
use results::history::{EntryFact, EntrySource, MeasuredPoint};
use results::reason::Code;
use rusqlite::Connection;

use super::RemovablePoints;
use super::*;

fn series(test: &str) -> SeriesId {
    SeriesId {
        system: "edison".into(),
        place: "lustre 10.0.0.1@o2ib:/scratch1".into(),
        plan: "daily".into(),
        scale: "full".into(),
        test: test.into(),
        metric: "write.bw".into(),
        unit: "B/s".into(),
    }
}

fn point(test: &str, time_s: f64, values: &[f64]) -> MeasuredPoint {
    MeasuredPoint {
        series: series(test).into(),
        direction: MetricDirection::HigherIsFaster,
        time_s,
        values: values.to_vec(),
        why: values.is_empty().then_some(Code::NoneRan),
        outcome: Some(Outcome::Pass),
        threshold: Some(5e8),
        setup: BTreeMap::from([("command".to_owned(), format!("ior -w {test}"))]),
        fill: Some(0.5),
        concurrency: None,
    }
}

fn entry(hash: &str, points: Vec<MeasuredPoint>) -> HistoryEntry {
    HistoryEntry {
        hash: hash.into(),
        campaign: hash.into(),
        location: "/e/one".into(),
        plan: "daily".into(),
        started_s: 17.5,
        overall: Some(Outcome::NotRun),
        facts: vec![EntryFact { fact: "kernel".into(), about: String::new(), value: "6.1".into() }],
        points,
        ..HistoryEntry::default()
    }
}

/// Where a test makes its stores.
trait Places {
    /// A place without a store.
    fn new_place(&mut self) -> StoreLocation;
}

/// Files in a directory.
struct Files(tempfile::TempDir, u32);

impl Places for Files {
    fn new_place(&mut self) -> StoreLocation {
        self.1 += 1;
        (&self.0.path().join(format!("h{}.sqlite", self.1))).into()
    }
}

/// Databases of a server.
struct Databases(testkit::PostgresServer, u32);

impl Places for Databases {
    fn new_place(&mut self) -> StoreLocation {
        self.1 += 1;
        self.0.new_database(&format!("h{}", self.1)).parse().unwrap()
    }
}

fn new_store(places: &mut dyn Places) -> Store {
    Store::open_or_create(places.new_place()).unwrap()
}

/// Makes a test of each of these functions, on SQLite. One more test runs all of them on PostgreSQL.
macro_rules! on_both_databases {
    ($($name:ident,)*) => {
        mod on_sqlite {
            $(
                #[test]
                fn $name() {
                    super::$name(&mut super::Files(tempfile::tempdir().unwrap(), 0));
                }
            )*
        }

        #[test]
        fn all_of_this_is_true_on_postgresql() {
            let Some(mut databases) = databases() else { return };
            $($name(&mut databases);)*
        }
    };
}

on_both_databases! {
    what_was_added_is_read_by_time_from_another_connection,
    an_entry_that_is_added_again_is_there_once,
    only_the_longest_entry_of_a_campaign_counts_in_any_order,
    of_equal_extents_the_entry_that_was_added_last_counts,
    after_a_failed_entry_none_of_its_call_is_there,
    a_number_that_is_not_finite_is_rejected_with_its_series,
    two_writers_at_once_both_succeed,
    notes_are_read_by_their_time_and_a_withdrawn_one_stays_in_the_file,
    the_means_are_those_of_all_points_by_time,
    every_number_of_rows_is_inserted_with_few_statements,
    the_stamp_changes_with_each_kind_of_write_and_with_no_read,
}

/// A server, or `None` with the reason printed.
#[allow(clippy::print_stdout)]
fn databases() -> Option<Databases> {
    match testkit::PostgresServer::start() {
        Ok(server) => Some(Databases(server, 0)),
        Err(why) => {
            println!("SKIPPED: {why}");
            None
        }
    }
}

fn what_was_added_is_read_by_time_from_another_connection(places: &mut dyn Places) {
    let mut store = new_store(places);
    let points = vec![point("B.1", 20.0, &[2e9, 4e9]), point("B.1", 10.0, &[]), point("A.1", 15.0, &[1.0])];
    assert_eq!(store.add(&[entry("e1", points)], 99.0), Ok(vec![Added::New(3)]));

    let other = Store::open(store.location()).unwrap();
    let all = other.series().unwrap();
    let names: Vec<(&str, u64, f64, f64)> =
        all.iter().map(|one| (one.series.test.as_str(), one.points, one.first_s, one.last_s)).collect();
    assert_eq!(names, [("A.1", 1, 15.0, 15.0), ("B.1", 2, 10.0, 20.0)]);
    assert_eq!((all[1].id, &all[1].series), (series_id(&series("B.1")), &series("B.1")));
    assert_eq!(all[1].direction, MetricDirection::HigherIsFaster);
    let points = other.points(all[1].id).unwrap();
    assert_eq!((points[0].mean, points[0].why), (None, Some(Code::NoneRan)));
    assert_eq!((points[1].mean, points[1].values.as_slice()), (Some(3e9), [2e9, 4e9].as_slice()));
    assert_eq!((points[1].outcome, points[1].threshold), (Some(Outcome::Pass), Some(5e8)));
    assert_eq!(other.setup(points[1].setup).unwrap()["command"], "ior -w B.1");
    let entries = other.entries().unwrap();
    assert_eq!((entries.len(), entries[0].id), (1, points[0].entry));
    assert_eq!((entries[0].hash.as_str(), entries[0].overall), ("e1", Some(Outcome::NotRun)));
    assert_eq!(entries[0].facts[0].value, "6.1".into());
}

fn an_entry_that_is_added_again_is_there_once(places: &mut dyn Places) {
    let mut store = new_store(places);
    let one = entry("e1", vec![point("A", 1.0, &[1.0])]);
    assert_eq!(store.add(&[one.clone(), one.clone()], 0.0), Ok(vec![Added::New(1), Added::Known]));
    assert_eq!(store.add(&[one], 1.0), Ok(vec![Added::Known]));
    assert_eq!(store.points(series_id(&series("A"))).unwrap().len(), 1);
}

fn of_equal_extents_the_entry_that_was_added_last_counts(places: &mut dyn Places) {
    let mut store = new_store(places);
    for (test, added_s, added) in
        [("A", 1.0, Added::New(1)), ("B", 2.0, Added::New(1)), ("A", 3.0, Added::Known)]
    {
        let one = HistoryEntry { campaign: "c".into(), ..entry(test, vec![point(test, 1.0, &[1.0])]) };
        assert_eq!(store.add(&[one], added_s), Ok(vec![added]));
        let all = store.series().unwrap();
        assert_eq!(all.iter().map(|one| &*one.series.test).collect::<Vec<_>>(), [test]);
    }
}

fn a_number_that_is_not_finite_is_rejected_with_its_series(places: &mut dyn Places) {
    let mut store = new_store(places);
    let sound = entry("a", vec![point("A", 1.0, &[2.0])]);
    for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let fill = MeasuredPoint { fill: Some(number), ..point("B", 1.0, &[2.0]) };
        for wrong in [fill, point("B", 1.0, &[2.0, number]), point("B", number, &[2.0])] {
            let wrong = entry("b", vec![point("A", 1.0, &[2.0]), wrong]);
            let error = store.add(&[sound.clone(), wrong], 1.0).unwrap_err().to_string();
            assert!(error.contains("/e/one: ") && error.contains(" / B / write.bw"), "{error}");
            assert_eq!(store.series().unwrap(), [], "nothing is added");
        }
    }
}

fn only_the_longest_entry_of_a_campaign_counts_in_any_order(places: &mut dyn Places) {
    let of = |hash: &str, extent| HistoryEntry {
        campaign: "c".into(),
        extent,
        ..entry(hash, vec![point("A", 1.0, &[extent as f64])])
    };
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut store = new_store(places);
        let all = [of("e1", 10), of("e2", 20), of("e3", 30)];
        for at in order {
            assert_eq!(store.add(&[all[at].clone()], 0.0), Ok(vec![Added::New(1)]));
        }
        let points = store.points(series_id(&series("A"))).unwrap();
        assert_eq!(points.iter().map(|point| point.mean).collect::<Vec<_>>(), [Some(30.0)], "{order:?}");
        let hashes: Vec<String> = store.entries().unwrap().into_iter().map(|one| one.hash).collect();
        assert_eq!((hashes, store.series().unwrap()[0].points), (vec!["e3".to_owned()], 1));
    }
}

fn after_a_failed_entry_none_of_its_call_is_there(places: &mut dyn Places) {
    let mut store = new_store(places);
    // NaN is stored as NULL, which the column rejects.
    let good = entry("e1", vec![point("A", 1.0, &[1.0])]);
    let bad = entry("e2", vec![point("A", 2.0, &[1.0]), point("A", f64::NAN, &[1.0])]);
    let error = store.add(&[good.clone(), bad], 0.0).unwrap_err();
    assert!(matches!(error, StoreError::Failed(..)), "{error}");
    assert_eq!((store.entries().unwrap().len(), store.series().unwrap().len()), (0, 0));
    assert_eq!(store.add(&[good], 0.0), Ok(vec![Added::New(1)]));
}

#[test]
fn other_files_are_rejected_and_left_as_they_are() {
    let place = tempfile::tempdir().unwrap();
    let missing = place.path().join("none");
    assert_eq!(Store::open(&missing).err(), Some(StoreError::Missing((&missing).into())));
    assert!(!missing.exists());

    let text = place.path().join("text");
    std::fs::write(&text, "not a database, but longer than a header of a hundred bytes ".repeat(3)).unwrap();
    let before = std::fs::read(&text).unwrap();
    assert_eq!(Store::open_or_create(&text).err(), Some(StoreError::Foreign((&text).into())));
    assert_eq!(std::fs::read(&text).unwrap(), before);

    let other = place.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a); PRAGMA user_version = 1").unwrap();
    assert_eq!(Store::open_or_create(&other).err(), Some(StoreError::Foreign((&other).into())));

    let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n";
    for (name, change) in [
        ("view", format!("DROP TABLE series; CREATE VIEW series AS {endless}")),
        (
            "trigger",
            format!("CREATE TRIGGER t AFTER INSERT ON entries BEGIN INSERT INTO notes {endless}; END"),
        ),
        ("columns", "ALTER TABLE points ADD COLUMN more TEXT".to_owned()),
    ] {
        let path = place.path().join(name);
        drop(Store::open_or_create(&path).unwrap());
        Connection::open(&path).unwrap().execute_batch(&change).unwrap();
        assert_eq!(Store::open(&path).err(), Some(StoreError::Foreign((&path).into())), "{name}");
    }
    let with_more = place.path().join("more");
    drop(Store::open_or_create(&with_more).unwrap());
    let more = format!("CREATE TABLE mine (a); CREATE VIEW own AS {endless}");
    Connection::open(&with_more).unwrap().execute_batch(&more).unwrap();
    assert!(Store::open(&with_more).is_ok(), "tables and views of the user are not read");

    let newer = place.path().join("newer.sqlite");
    drop(Store::open_or_create(&newer).unwrap());
    Connection::open(&newer).unwrap().execute_batch("PRAGMA user_version = 2").unwrap();
    assert_eq!(Store::open(&newer).err(), Some(StoreError::Newer((&newer).into(), 2)));
}

fn two_writers_at_once_both_succeed(places: &mut dyn Places) {
    let store = new_store(places);
    let path = store.location().clone();
    let write = |name: &'static str| {
        let path = path.clone();
        std::thread::spawn(move || {
            let mut store = Store::open_or_create(&path).unwrap();
            for at in 0..50 {
                let points = vec![point(name, f64::from(at), &[1.0])];
                store.add(&[entry(&format!("{name}{at}"), points)], 0.0).unwrap();
            }
        })
    };
    [write("A"), write("B")].into_iter().for_each(|writer| writer.join().unwrap());
    let counts: Vec<u64> = store.series().unwrap().iter().map(|one| one.points).collect();
    assert_eq!(counts, [50, 50]);
}

fn notes_are_read_by_their_time_and_a_withdrawn_one_stays_in_the_file(places: &mut dyn Places) {
    let mut store = new_store(places);
    let note = |time_s: f64, words: &str| {
        let scope = vec!["edison".to_owned()];
        HistoryNote { time_s, words: words.into(), author: "ann".into(), scope, ..Default::default() }.named()
    };
    let (late, early) = (note(30.0, "late"), note(20.0, "early"));
    let accepted = HistoryNote { is_accepted: true, ..note(25.0, "new servers") }.named();
    for one in [&late, &early, &accepted] {
        store.add_note(one).unwrap();
    }
    assert_eq!(store.notes(), Ok(vec![early.clone(), accepted.clone(), late]));
    assert_eq!(store.withdraw_note(early.id, 40.0), Ok(true));
    assert_eq!(store.withdraw_note(early.id, 41.0), Ok(false), "it is withdrawn once");
    let other = Store::open(store.location()).unwrap();
    assert_eq!(other.notes().unwrap()[0], accepted);
    let rows = other.rows("SELECT count(*) FROM notes", &[], |row| row.integer(0));
    assert_eq!(rows, Ok(vec![3]));
}

fn the_means_are_those_of_all_points_by_time(places: &mut dyn Places) {
    let mut store = new_store(places);
    let points = (0..100).map(|at| point("A", f64::from(at * 37 % 101), &[f64::from(at)])).collect();
    store.add(&[entry("e1", points)], 0.0).unwrap();
    let id = series_id(&series("A"));
    let all = store.points(id).unwrap();
    assert!(all.len() == 100 && all.is_sorted_by_key(|point| point.time_s));
    let means: Vec<Option<f64>> = all.iter().map(|point| point.mean).collect();
    assert_eq!((store.means(id).unwrap(), means[3]), (means.clone(), Some(f64::from(3 * 71 % 101))));
}

fn every_number_of_rows_is_inserted_with_few_statements(places: &mut dyn Places) {
    // 64 rows and more, a power of two, and others.
    for count in [0, 1, 2, 3, 63, 64, 65, 127, 200] {
        let mut store = new_store(places);
        let name = |at: u32| format!("T{at:03}");
        let points = (0..count).map(|at| point(&name(at), f64::from(at), &[f64::from(at)])).collect();
        assert_eq!(store.add(&[entry("e1", points)], 0.0), Ok(vec![Added::New(count as usize)]));
        let all = store.series().unwrap();
        let found = |at: u32| store.points(all[at as usize].id).unwrap()[0].mean;
        assert_eq!(all.len(), count as usize);
        assert!((0..count).all(|at| found(at) == Some(f64::from(at))), "{count}");
    }
}

fn the_stamp_changes_with_each_kind_of_write_and_with_no_read(places: &mut dyn Places) {
    let place = places.new_place();
    let mut store = Store::open_or_create(&place).unwrap();
    let points = vec![point("A", 1.0, &[1.0])];
    let one = HistoryEntry { source: EntrySource::Records, ..entry("e1", points) };
    let note = HistoryNote { words: "new disks".into(), ..HistoryNote::default() };
    let old = RemovablePoints { times: vec![(0.0, 2.0)], ..RemovablePoints::default() };
    let writes: [&dyn Fn(&mut Store); 3] = [
        &|store| _ = store.add(std::slice::from_ref(&one), 0.0).unwrap(),
        &|store| store.add_note(&note).unwrap(),
        &|store| assert_eq!(store.prune(&[(series_id(&series("A")), old.clone())]), Ok(1)),
    ];
    for write in writes {
        let before = place.stamp();
        write(&mut store);
        let after = place.stamp();
        assert!(before.is_some() && after.is_some() && before != after, "{before:?} {after:?}");
        // A server may clean up at any moment, which can look like a write.
        assert!((0..5).any(|_| {
            let before = place.stamp();
            Store::open(&place).unwrap().series().unwrap();
            before == place.stamp()
        }));
    }
}

#[test]
fn a_database_with_other_tables_keeps_them_and_a_foreign_schema_is_left_as_it_is() {
    let Some(mut databases) = databases() else { return };
    let place = databases.new_place();
    assert_eq!(Store::open(&place).err(), Some(StoreError::Missing(place.clone())));
    assert_eq!(Store::open_to_write(&place).err(), Some(StoreError::Missing(place.clone())));
    databases.0.ask("h1", "CREATE TABLE public.entries (a TEXT); CREATE TABLE public.format (b TEXT)");
    let mut store = Store::open_or_create(&place).unwrap();
    store.add(&[entry("e1", vec![point("A", 1.0, &[1.0])])], 0.0).unwrap();
    assert_eq!(databases.0.ask("h1", "SELECT count(*) FROM public.entries"), "0");
    assert_eq!(databases.0.ask("h1", "SELECT count(*) FROM assay.entries"), "1");
    databases.0.ask("h1", "UPDATE assay.format SET version = 7");
    assert_eq!(Store::open(&place).err(), Some(StoreError::Newer(place, 7)));

    for other in ["CREATE TABLE assay.other (a TEXT)", "CREATE TABLE assay.format (a TEXT)"] {
        let place = databases.new_place();
        let name = format!("h{}", databases.1);
        databases.0.ask(&name, &format!("CREATE SCHEMA assay; {other}"));
        assert_eq!(Store::open(&place).err(), Some(StoreError::Foreign(place.clone())));
        assert_eq!(Store::open_or_create(&place).err(), Some(StoreError::Foreign(place)));
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'assay'";
        assert_eq!(databases.0.ask(&name, tables), "1");
    }
}

#[test]
fn a_reader_of_a_database_cannot_change_it_and_a_second_writer_does_not_wait_for_ever() {
    let Some(mut databases) = databases() else { return };
    let place = databases.new_place();
    let mut first = Store::open_or_create(&place).unwrap();
    let mut reader = Store::open(&place).unwrap();
    let one = entry("e1", vec![point("A", 1.0, &[1.0])]);
    let error = reader.add(std::slice::from_ref(&one), 0.0).unwrap_err();
    assert!(error.to_string().contains("read-only"), "{error}");

    let StoreLocation::Postgres(address) = &place else { panic!("{place}") };
    let second = PostgresDatabase::open(address, StoreAccess::Write, Duration::from_millis(50)).unwrap();
    first.database.begin().unwrap();
    assert_eq!(second.begin(), Err(DatabaseError::Busy));
    first.database.commit().unwrap();
    assert_eq!((second.begin(), second.commit()), (Ok(()), Ok(())));
    assert_eq!(first.add(&[one], 0.0), Ok(vec![Added::New(1)]));
}

#[test]
fn a_password_is_used_and_never_shown() {
    let Some(mut databases) = databases() else { return };
    databases.new_place();
    let sql = "CREATE ROLE locked LOGIN PASSWORD 'open sesame'; GRANT CREATE ON DATABASE h1 TO locked";
    databases.0.ask("h1", sql);
    let place: StoreLocation = databases.0.address("locked:open%20sesame", "h1").parse().unwrap();
    Store::open_or_create(&place).unwrap();
    let without: StoreLocation = databases.0.address("locked", "h1").parse().unwrap();
    Store::open(without.clone().or_password("open sesame")).unwrap();
    let wrong = without.clone().or_password("close sesame");
    for error in [Store::open(without).err(), Store::open(wrong).err()].map(Option::unwrap) {
        let text = format!("{error} {error:?} {place} {place:?}");
        assert!(text.contains("password") && !text.contains("sesame"), "{text}");
        assert!(matches!(error, StoreError::Failed(..)), "{error}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_an_error_with_its_address() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let place: StoreLocation = format!("postgresql://ann:secret@127.0.0.1:{port}/h").parse().unwrap();
    let line = Store::open_or_create(&place).err().unwrap().to_string();
    assert!(line.starts_with(&format!("postgres://ann@127.0.0.1:{port}/h: error connecting")), "{line}");
}
