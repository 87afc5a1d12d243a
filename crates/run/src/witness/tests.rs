//! Witnesses that answer, that do not, and that get what they do not expect.

use std::fs;
use std::net::TcpListener;
use std::time::Instant;

use super::*;

fn note(entry: u64) -> WitnessNote {
    let hash = |number: u64| format!("{number:064x}");
    WitnessNote { campaign: hash(1), nonce: String::new(), entry, hash: hash(entry) }
}

/// The entries in a log.
fn entries(log: &std::path::Path) -> Vec<u64> {
    let text = fs::read_to_string(log).unwrap();
    text.lines().filter_map(WitnessNote::read).map(|note| note.entry).collect()
}

/// Runs `test` with the address of a listener and its log.
fn listening(test: impl FnOnce(&str, &std::path::Path)) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let (log, stop) = (WitnessLog::open(&path).unwrap(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| listen(&listener, log, &stop, &|_| {}));
        test(&address, &path);
        stop.store(true, Ordering::Relaxed);
    });
}

/// What a listener answers to these bytes.
fn answer(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address.trim_start_matches("tcp://")).unwrap();
    // The listener may have ended the connection before the end of a long line.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_witness_is_a_file_a_command_or_an_address() {
    let place = |text: &str| Witness::parse(text).map(|witness| witness.place).ok();
    assert_eq!(place("tcp://buyer:7000"), Some(WitnessPlace::Listener("buyer:7000".into())));
    assert_eq!(place("tcp://[::1]:7000"), Some(WitnessPlace::Listener("[::1]:7000".into())));
    assert_eq!(place("exec:cat >> x"), Some(WitnessPlace::Command("cat >> x".into())));
    assert_eq!(place("/mnt/w"), Some(WitnessPlace::File("/mnt/w".into())));
    for bad in ["", "tcp://buyer", "tcp://:7", "tcp://buyer:0", "tcp://buyer:x", "exec: ", "http://buyer:7"] {
        assert_eq!(place(bad), None, "{bad}");
    }
}

#[test]
fn a_file_is_continued_and_a_file_of_another_kind_is_never_changed() {
    let dir = tempfile::tempdir().unwrap();
    let witness = |name: &str| Witness::parse(dir.path().join(name).to_str().unwrap()).unwrap();
    for entry in [1, 2] {
        witness("log").check().unwrap();
        witness("log").tell(&note(entry)).unwrap();
    }
    // A torn line, as a kill leaves it.
    let log = dir.path().join("log");
    fs::write(&log, fs::read_to_string(&log).unwrap() + "{\"time\":\"2026").unwrap();
    witness("log").tell(&note(3)).unwrap();
    assert_eq!(entries(&log), [1, 2, 3]);
    for (name, text) in [("letter", "Dear buyer"), ("short", "x"), ("json", "{\"assay_witness\":2}\n")] {
        fs::write(dir.path().join(name), text).unwrap();
        assert!(witness(name).check().is_err() && witness(name).tell(&note(1)).is_err());
        assert_eq!(fs::read_to_string(dir.path().join(name)).unwrap(), text);
    }
    assert!(Witness::parse("/").unwrap().check().is_err());
}

#[test]
fn a_command_gets_the_hash_and_its_failure_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let tell = |command: &str| Witness::parse(&format!("exec:{command}")).unwrap().tell(&note(7));
    tell(&format!("echo $1 > {0}; cat >> {0}", out.display())).unwrap();
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(written, format!("{}\n{}\n", note(7).hash, note(7).line()));
    assert!(tell("exit 3").is_err() && tell("true").is_ok());
}

#[test]
fn a_command_that_hangs_ends_with_its_children() {
    let began = Instant::now();
    assert!(Witness::parse("exec:sleep 600 & sleep 600").unwrap().tell(&note(1)).is_err());
    assert!(began.elapsed() < LIMIT + STEP);
}

#[test]
fn a_listener_logs_every_hash_before_it_answers() {
    listening(|address, log| {
        let witness = Witness::parse(address).unwrap();
        for entry in 1..=3 {
            witness.tell(&note(entry)).unwrap();
            assert_eq!(entries(log).last(), Some(&entry));
        }
        let two = format!("{}\n{}\n", note(4).line(), note(5).line());
        assert_eq!(answer(address, two.as_bytes()), format!("ok {}\nok {}\n", note(4).hash, note(5).hash));
        assert_eq!(entries(log), [1, 2, 3, 4, 5]);
    });
}

#[test]
fn a_listener_rejects_what_is_no_hash_and_stays() {
    listening(|address, log| {
        let no_end = note(1).line();
        let long = vec![b'x'; 1 << 20];
        for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"\n", b"\xff\xfe\n", no_end.as_bytes(), &long] {
            let answered = answer(address, bytes);
            assert!(answered.is_empty() || answered.starts_with("error "), "{answered}");
        }
        assert_eq!(answer(address, b""), "");
        Witness::parse(address).unwrap().tell(&note(2)).unwrap();
        assert_eq!(entries(log), [2]);
    });
}

#[test]
fn idle_clients_do_not_stop_others_and_too_many_are_rejected() {
    listening(|address, log| {
        let connect = || TcpStream::connect(address.trim_start_matches("tcp://")).unwrap();
        let idle: Vec<TcpStream> = (0..60).map(|_| connect()).collect();
        Witness::parse(address).unwrap().tell(&note(1)).unwrap();
        let more: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
        assert!(more.iter().any(|mut stream| {
            let mut answer = [0; 6];
            stream.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
            stream.read_exact(&mut answer).is_ok() && answer == *b"error "
        }));
        drop((idle, more));
        let began = Instant::now();
        while Witness::parse(address).unwrap().tell(&note(2)).is_err() {
            assert!(began.elapsed() < STEP);
        }
        assert_eq!(entries(log), [1, 2]);
    });
}

#[test]
fn a_listener_that_does_not_answer_is_reported_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let began = Instant::now();
    assert!(Witness::parse(&address).unwrap().tell(&note(1)).is_err());
    assert!(began.elapsed() < LIMIT + STEP);
    drop(listener);
    assert!(Witness::parse(&address).unwrap().tell(&note(1)).is_err());
}
