//! `assay serve` with clients that do not behave, its end, and command lines that it rejects.

use std::fs;
use std::io::{Read, Write};
use std::time::{Duration, Instant};

use crate::common::campaign::Place;
use crate::common::server::{Server, answer_of};

/// A place with a history of one point.
fn with_history() -> Place {
    let place = Place::new();
    fs::write(place.path("p.csv"), "time,value\n1700000000,1\n").unwrap();
    place.assay("track add --store h.sqlite p.csv --set unit=B/s --set test=t").ok();
    place
}

#[test]
fn idle_connections_do_not_keep_others_out() {
    let place = with_history();
    let server = Server::start(&place, "h.sqlite");
    let mut idle: Vec<_> = (0..200).map(|_| server.connect()).collect();
    assert_eq!(server.page("/healthz"), "ok\n");
    assert!(server.page("/").contains("History"));
    // More than the server takes at once, and each with a request that never becomes complete.
    idle.extend((0..200).map(|_| {
        let mut stream = server.connect();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ");
        stream
    }));
    let began = Instant::now();
    assert_eq!(server.page("/healthz"), "ok\n");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let mut last = idle.pop().unwrap();
    let mut rest = Vec::new();
    let _ = last.read_to_end(&mut rest);
    let waited = began.elapsed();
    assert!(waited < Duration::from_secs(60), "an incomplete request is given up after {waited:?}");
}

#[test]
fn a_header_that_is_too_long_is_rejected_and_a_connection_takes_several_requests() {
    let place = with_history();
    let server = Server::start(&place, "h.sqlite");
    let long = "x".repeat(100_000);
    let mut stream = server.connect();
    let _ = stream.write_all(format!("GET /{long} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes());
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    let mut stream = server.connect();
    let one = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    stream.write_all(format!("{one}\r\n{one}Connection: close\r\n\r\n").as_bytes()).unwrap();
    let answer = answer_of(&mut stream);
    assert!(answer.status == 200 && answer.body.matches("ok\n").count() == 2, "{answer:#?}");
}

#[test]
fn it_ends_with_status_0_at_each_signal_also_with_open_connections() {
    let place = with_history();
    for signal in ["-TERM", "-INT", "-HUP"] {
        let server = Server::start(&place, "h.sqlite");
        let _idle = server.connect();
        let mut begun = server.connect();
        begun.write_all(b"GET /").unwrap();
        assert_eq!(server.page("/healthz"), "ok\n");
        let began = Instant::now();
        let ran = server.end(signal);
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{signal}: {ran:#?}");
        assert!(began.elapsed() < Duration::from_secs(10), "{signal}: {:?}", began.elapsed());
    }
}

#[test]
fn another_address_is_noted_and_answers_under_any_name() {
    let place = with_history();
    let server = Server::listening(&place, "h.sqlite --listen 0.0.0.0:0");
    assert!(server.printed.starts_with("Serving on http://0.0.0.0:"), "{}", server.printed);
    assert_eq!(server.ask("GET", "login1.example", "/healthz").status, 200);
    let ran = server.end("-TERM");
    assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    let note = "is not a loopback address. Everyone who can connect to it can read";
    assert!(ran.err.contains(note), "{ran:#?}");
}

#[test]
fn a_wrong_history_directory_or_address_is_one_line_with_status_2() {
    let place = with_history();
    fs::write(place.path("foreign"), "no history at all, but a text that is long enough").unwrap();
    fs::copy(place.path("h.sqlite"), place.path("newer")).unwrap();
    // The version is a number of four bytes at 60 (SQLite file format, 1.3).
    let mut bytes = fs::read(place.path("newer")).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(place.path("newer"), bytes).unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("h.sqlite --listen {}", taken.local_addr().unwrap());
    for (words, wanted) in [
        ("none.sqlite", "there is no history at none.sqlite. Make one with assay track add."),
        ("none.sqlite --campaigns dir", "there is no history at none.sqlite."),
        (
            "foreign",
            "foreign is not a history of assay, and is left as it is. Name another place for the history.",
        ),
        ("newer", "newer has format 99, and this program reads up to "),
        ("h.sqlite --campaigns none", "--campaigns none: No such file or directory"),
        ("h.sqlite --campaigns h.sqlite", "--campaigns h.sqlite: Not a directory"),
        ("h.sqlite --listen 7118", "--listen 7118: "),
        ("h.sqlite --listen 127.0.0.1:99999", "--listen 127.0.0.1:99999: "),
        ("h.sqlite --listen 192.0.2.1:80", "--listen 192.0.2.1:80: "),
        (&taken, "Address already in use"),
    ] {
        let ran = place.assay(&format!("serve {words}"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words}: {ran:#?}");
        assert!(ran.err.contains(wanted) && ran.out.is_empty(), "{words}: {ran:#?}");
    }
}

#[test]
fn campaigns_are_served_without_a_history_at_its_usual_place() {
    let place = with_history();
    let command = |words: &str| {
        let mut command = place.command(&format!("serve --listen 127.0.0.1:0 {words}"));
        command.env("XDG_DATA_HOME", place.path("data")).env_remove("ASSAY_STORE");
        command
    };
    let ran = crate::common::run(&mut command(""));
    assert!(ran.status == Some(2) && ran.err.contains("there is no history at "), "{ran:#?}");
    let server = Server::of(command("--campaigns dir"));
    assert!(server.page("/campaigns").contains("There is no campaign in the directories"));
    assert_eq!(server.get("/").status, 503);
    assert!(!place.path("data").exists(), "nothing is made");
}
