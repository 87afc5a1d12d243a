//! What the program itself costs, in process: one measurement a call, for `cargo xtask bench`.
//!
//! `dummy` drives the measuring loop on storage that moves nothing, with histogram and timeline on, as
//! every run has them. `fill` and `check` make and compare data of one packet type in a buffer of 1 MiB,
//! at an offset that changes. `copy` copies such a buffer. The answer is one line, `ops N seconds S`.
//! `mdtest` does all phases of a metadata run on one rank and gives each such a line, after its name.
//! `packets` lists the types.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use command::ior::{Offsets, Request};
use measure::CycleClock;
use ranks::ClockOffset;
use results::Record;
use results::record::Phase;
use workloads::ior::{IorContext, run};
use workloads::kit::observer::Silent;
use workloads::kit::payload::{DataIdentity, DataKey, Packet, Payload};
use workloads::mdtest;

const USAGE: &str = "bench packets | dummy sequential|random|ior write|read OPS | copy OPS | \
                     fill|check PACKET OPS | mdtest DIR OPS";
const MEBIBYTE: usize = 1 << 20;
const PACKETS: &[(&str, Packet)] = &[
    ("timestamp", Packet::Timestamp),
    ("offset", Packet::Offset),
    ("incompressible", Packet::Incompressible),
    ("random", Packet::Random),
    ("stamped", Packet::Stamped),
    ("keyed", Packet::Stamped),
];

/// Runs one test on one local rank and returns its first phase.
fn phase(parameters: &Request) -> Phase {
    let backend = storage::driver(&parameters.backend).expect("a known backend");
    let storage = (backend.open)(&parameters.settings).expect("settings it takes");
    parameters.check(1).expect("sound parameters");
    let comm = ranks::local::alone();
    let mut clock = CycleClock::new();
    let mut records: Vec<Record> = Vec::new();
    let offset = ClockOffset::default();
    let mut cx = IorContext {
        clock: &mut clock,
        offset,
        records: &mut records,
        observer: &mut Silent,
        board: None,
        seed: 1,
        warning: None,
        sentence: ToString::to_string,
        data_key: None,
    };
    run(parameters, &*storage, &comm, &mut cx).expect("the test runs");
    let phase = |record| if let Record::Phase(phase) = record { Some(*phase) } else { None };
    records.into_iter().find_map(phase).expect("the test has a phase")
}

fn dummy(order: &str, op: &str, ops: u64) -> f64 {
    let offsets = match order {
        "sequential" => Offsets::Sequential,
        "random" => Offsets::Shuffled,
        "ior" => Offsets::IorShuffled,
        _ => panic!("{USAGE}"),
    };
    let parameters = Request {
        backend: "DUMMY".into(),
        transfer: 4096,
        block: 4096 * ops,
        offsets,
        write: op == "write",
        read: op == "read",
        ..Request::default()
    };
    let phase = phase(&parameters);
    assert_eq!(phase.ops, ops);
    phase.spans.transfer_s
}

fn data(what: &str, name: &str, ops: u64) -> f64 {
    let packet = PACKETS.iter().find(|(known, _)| *known == name).expect(USAGE).1;
    let key = (name == "keyed").then(|| DataKey::new(b"any secret", ""));
    let payload = Payload::new(DataIdentity { packet, signature: 77, rank: 3, file: 5, generation: 1, key });
    let mut buffer = storage::Buffer::new(MEBIBYTE).expect("memory for 1 MiB");
    let buffer = buffer.bytes_mut();
    payload.fill(buffer, 0);
    let clock = Instant::now();
    for op in 0..ops {
        if what == "fill" {
            payload.fill(black_box(buffer), op * MEBIBYTE as u64);
        } else {
            assert!(payload.holds(black_box(buffer), black_box(0)));
        }
    }
    clock.elapsed().as_secs_f64()
}

/// Copies a buffer as large as that of [`data`].
fn copy(ops: u64) -> f64 {
    let mut buffer = storage::Buffer::new(MEBIBYTE).expect("memory for 1 MiB");
    let source = vec![1; MEBIBYTE];
    let clock = Instant::now();
    for _ in 0..ops {
        black_box(buffer.bytes_mut()).copy_from_slice(black_box(&source));
    }
    clock.elapsed().as_secs_f64()
}

/// The phases of a run of mdtest on one local rank; with `DUMMY` for a directory it makes nothing.
fn mdtest(dir: &str, items: u64) -> Vec<Phase> {
    let (dirs, backend) = (vec![dir.to_owned()], if dir == "DUMMY" { dir } else { "POSIX" }.to_owned());
    let base = command::mdtest::Request { rename: false, ..command::mdtest::Request::default() };
    let parameters = command::mdtest::Request { dirs, items, backend, ..base };
    parameters.check(1).expect("sound parameters");
    let storage = storage::driver(&parameters.backend).expect("a known backend");
    let storage = (storage.open)(&parameters.settings).expect("settings it takes");
    let (comm, mut clock, mut records) = (ranks::local::alone(), CycleClock::new(), Vec::new());
    let done =
        mdtest::run(&parameters, &*storage, &comm, &mut clock, &mut records, None, &mut Silent, 1, None);
    assert_eq!(done.expect("the run ends"), mdtest::MdtestSummary::default());
    let phase = |record| if let Record::Phase(phase) = record { Some(*phase) } else { None };
    records.into_iter().filter_map(phase).collect()
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is not a number; {USAGE}"))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (ops, seconds) = match words[..] {
        ["packets"] => return PACKETS.iter().for_each(|(name, _)| println!("{name}")),
        ["dummy", order, op @ ("write" | "read"), ops] => (ops, dummy(order, op, number(ops))),
        ["mdtest", dir, ops] => {
            for phase in mdtest(dir, number(ops)) {
                println!("{} ops {} seconds {:.9}", phase.phase, phase.ops, phase.spans.transfer_s);
            }
            return;
        }
        ["copy", ops] => (ops, copy(number(ops))),
        [what @ ("fill" | "check"), packet, ops] => (ops, data(what, packet, number(ops))),
        _ => panic!("{USAGE}"),
    };
    println!("ops {ops} seconds {seconds:.9}");
}
