//! `assay track` with a history in a database.

use std::fs;

use crate::common::campaign::{Place, until};
use crate::common::server::{Server, links};

#[test]
fn a_history_in_postgresql_gives_the_same_results_as_a_file() {
    let place = Place::new();
    let server = match testkit::PostgresServer::start() {
        Ok(server) => server,
        Err(why) => return println!("SKIPPED: {why}"),
    };
    let database = server.new_database("perf");
    let mut table = "time,value,test,unit\n".to_owned();
    for day in 0..40_u32 {
        let (time, level) = (1_500_000_000 + 86_400 * u64::from(day), if day < 20 { 100.0 } else { 70.0 });
        table += &format!("{time},{},b,MB/s\n{time},7,A b,s\n", level + f64::from(day % 3));
    }
    fs::write(place.path("t.csv"), table).unwrap();
    let missing = place.assay(&format!("track list --store {database}"));
    assert_eq!(missing.status, Some(2), "{missing:#?}");
    assert_eq!(
        missing.err,
        format!("assay: there is no history at {database}. Make one with assay track add.\n")
    );
    let both = |words: &str| {
        let of = |store: &str| {
            let ran = place.assay(&format!("track {words} --store {store}"));
            (ran.status, ran.out.replace(store, "PLACE"), ran.err)
        };
        let (file, database) = (of("h.sqlite"), of(&database));
        assert_eq!(file, database, "{words}");
        file
    };
    assert!(both("add t.csv --system lab").1.starts_with("Added: 1 entry, 80 points. Known before: 0."));
    assert!(both("add t.csv --system lab").1.contains("Known before: 1."));
    let check = both("check");
    assert!(check.0 == Some(1) && check.1.contains("FELL"), "{check:?}");
    for words in ["list", "list A", "export", "export --format jsonl", "export --format openmetrics"] {
        assert_eq!(both(words).0, Some(0));
    }
    let by_variable = place.command("track list").env("ASSAY_STORE", &database).output().unwrap();
    assert!(String::from_utf8_lossy(&by_variable.stdout).contains(&format!("History: {database}")));
}

#[test]
fn a_history_in_postgresql_is_served_with_what_was_added_since_the_start() {
    let place = Place::new();
    let postgres = match testkit::PostgresServer::start() {
        Ok(server) => server,
        Err(why) => return println!("SKIPPED: {why}"),
    };
    let database = postgres.new_database("perf");
    let add = |test: &str| {
        fs::write(place.path("t.csv"), format!("time,value,test,unit\n1,7,{test},s\n2,8,{test},s\n"))
            .unwrap();
        place.assay(&format!("track add t.csv --store {database}")).ok();
    };
    add("first");
    let server = Server::start(&place, &database);
    let overview = server.page("/");
    let series = links(&overview, "/series/");
    assert!(series.len() == 1 && server.page(&series[0]).contains("csv / first / value"), "{overview}");
    add("second");
    // A page is answered again for a second.
    until("the page with both series", || server.page("/").contains("second &#x2f; value"));
}

#[test]
fn an_address_that_cannot_be_read_is_one_line_without_its_password() {
    let place = Place::new();
    for (address, wanted) in [
        ("postgres://ann:sesame@h:port/x", "the address of the history cannot be read. Write postgres://"),
        ("mysql://ann:sesame@h/x", "a history cannot be in mysql://. Give a file, or postgres://"),
    ] {
        let ran = place.assay(&format!("track list --store {address}"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.contains(wanted) && !ran.err.contains("sesame"), "{}", ran.err);
    }
}
