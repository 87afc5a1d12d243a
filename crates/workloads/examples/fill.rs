//! How fast data of each packet type is made and compared: one core, one buffer of 1 MiB that stays in
//! the processor's cache.
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::Instant;

use workloads::kit::payload::{Identity, Packet, Payload};

const BYTES: usize = 1 << 20;
const ROUNDS: u64 = 2000;
const TRIES: usize = 7;

/// The best of some tries, in 10^9 bytes per second.
fn best(mut work: impl FnMut(u64)) -> f64 {
    let once = |_| {
        let begin = Instant::now();
        (0..ROUNDS).for_each(&mut work);
        (ROUNDS * BYTES as u64) as f64 / begin.elapsed().as_secs_f64() / 1e9
    };
    (0..TRIES).map(once).fold(0.0, f64::max)
}

fn main() {
    println!("GB/s on one core, 1 MiB in cache, best of {TRIES}\n");
    println!("{:<16} {:>8} {:>8} {:>8}", "packet", "fill", "prepare", "check");
    let packets =
        [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random, Packet::Stamped];
    for packet in packets {
        let payload = Payload::new(Identity { packet, signature: 77, rank: 3, file: 5, generation: 1 });
        let mut buffer = storage::Buffer::new(BYTES).expect("memory for 1 MiB");
        let fill = best(|round| payload.fill(black_box(buffer.bytes_mut()), round << 20));
        let prepare = best(|round| payload.prepare(black_box(buffer.bytes_mut()), round << 20));
        payload.fill(buffer.bytes_mut(), 0);
        let check = best(|_| assert!(payload.holds(black_box(buffer.bytes()), black_box(0))));
        let name = format!("{packet:?}").to_lowercase();
        println!("{name:<16} {fill:>8.1} {prepare:>8.1} {check:>8.1}");
    }
}
