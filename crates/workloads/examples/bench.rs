//! What the program itself costs: nanoseconds per transfer on `dummy`, and 4 KiB reads from the page
//! cache against a bare `pread` loop, interleaved in the same run. `cargo xtask bench` runs it.
//!
//! Printed are medians over rounds and ratios of pairs of neighbouring rounds: machines are shared
//! and noisy, so a single absolute time means little.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Instant;

use measure::CycleClock;
use ranks::ClockOffset;
use results::Record;
use results::record::Phase;
use workloads::ior::{Cx, Offsets, Parameters, Silent, run};

const ROUNDS: usize = 9;

/// Runs one test on one local rank and returns its phases.
fn phases(parameters: &Parameters) -> Vec<Phase> {
    let backend = storage::backend(&parameters.backend).expect("a known backend");
    let storage = (backend.open)(&parameters.settings).expect("settings it takes");
    parameters.check(1).expect("sound parameters");
    let comm = ranks::local::alone();
    let mut clock = CycleClock::new();
    let mut records: Vec<Record> = Vec::new();
    let offset = ClockOffset::default();
    let mut cx =
        Cx { clock: &mut clock, offset, records: &mut records, observer: &mut Silent, board: None, seed: 1 };
    run(parameters, &*storage, &comm, &mut cx).expect("the test runs");
    let phase = |record| if let Record::Phase(phase) = record { Some(*phase) } else { None };
    records.into_iter().filter_map(phase).collect()
}

fn ns_per_transfer(phase: &Phase) -> f64 {
    phase.spans.transfer_s * 1e9 / phase.ops as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn line(what: &str, value: f64, unit: &str, goal: &str) {
    println!("{what:<58} {value:>10.2} {unit:<12} {goal}");
}

fn dummy(offsets: Offsets, write: bool) -> f64 {
    let parameters = Parameters {
        backend: "DUMMY".into(),
        transfer: 4096,
        block: 4096 << 22,
        offsets,
        write,
        read: !write,
        ..Parameters::default()
    };
    median((0..ROUNDS).map(|_| ns_per_transfer(&phases(&parameters)[0])).collect())
}

/// Seconds that a bare loop of 4 KiB `pread`s takes over the whole file.
fn bare_reads(path: &Path, bytes: u64) -> f64 {
    let file = File::open(path).expect("the file was written");
    let mut buffer = vec![0_u8; 4096];
    let begin = Instant::now();
    for offset in (0..bytes).step_by(4096) {
        let moved = file.read_at(&mut buffer, offset).expect("a read of a cached page");
        assert_eq!(moved, 4096);
    }
    begin.elapsed().as_secs_f64()
}

fn page_cache(dir: &Path) {
    let path = dir.join("assay-bench.tmp");
    let bytes = 1 << 30;
    let base = Parameters {
        test_file: path.display().to_string(),
        transfer: 4096,
        block: bytes,
        keep: true,
        ..Parameters::default()
    };
    phases(&Parameters { write: true, transfer: 1 << 20, ..base.clone() });
    bare_reads(&path, bytes);
    let read = Parameters { read: true, ..base };
    let (mut ours, mut bare, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let before = bare_reads(&path, bytes);
        let mine = phases(&read)[0].spans.transfer_s;
        let after = bare_reads(&path, bytes);
        let around = (before + after) / 2.0;
        ratios.push(around / mine);
        bare.push(around);
        ours.push(mine);
    }
    std::fs::remove_file(&path).expect("the file is this program's own");
    let per_read = 1e9 / (bytes / 4096) as f64;
    line(
        "posix, 4 KiB reads from the page cache, bare pread loop",
        median(bare) * per_read,
        "ns/transfer",
        "",
    );
    line("posix, 4 KiB reads from the page cache, ior", median(ours) * per_read, "ns/transfer", "");
    line("  ior against the bare loop (1 = as fast)", median(ratios), "ratio", "goal >= 0.97");
}

fn main() {
    let dir = std::env::args().nth(1).unwrap_or_else(|| "/dev/shm".into());
    println!("median of {ROUNDS} rounds; histogram and timeline on\n");
    for (name, offsets, goal) in
        [("sequential", Offsets::Sequential, "goal <= 12"), ("random", Offsets::Shuffled, "goal <= 20")]
    {
        line(&format!("dummy, {name}, write"), dummy(offsets, true), "ns/transfer", goal);
        line(&format!("dummy, {name}, read"), dummy(offsets, false), "ns/transfer", goal);
    }
    line("dummy, IOR's own shuffle, read", dummy(Offsets::IorShuffled, false), "ns/transfer", "");
    page_cache(Path::new(&dir));
    let quality = CycleClock::new().quality();
    line(&format!("one look at the clock ({})", quality.source), quality.cost_ns, "ns", "");
}
