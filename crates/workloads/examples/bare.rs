//! The bare loop that everything else is held against: open, `pread` or `pwrite`, nothing between the calls.
//!
//! `cargo xtask bench` starts it as a process of its own, as it does the other programs, and reads its one
//! line `ops N seconds S`; the seconds are those of the loop, without open and close. A file that was
//! written is new, and is removed.
//!
//! Never here: anything of ours in the loop, not even the clock.
#![allow(clippy::print_stdout)]

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::Instant;

const USAGE: &str = "bare read|write sequential|random|direct-random FILE BYTES TRANSFER PASSES";
/// What O_DIRECT asks of an address in memory, at most.
const ALIGNMENT: usize = 4096;

/// Every slot of a file once, in an order without a visible pattern.
struct Order {
    slots: u64,
    mask: u64,
    shift: u32,
    random: bool,
}

impl Order {
    fn new(slots: u64, random: bool) -> Self {
        let bits = slots.next_power_of_two().trailing_zeros().max(2);
        Self { slots, mask: (1 << bits) - 1, shift: bits / 2, random }
    }

    /// Odd factors and shifts to the right are one to one below a power of two; what falls beyond the
    /// last slot goes round again.
    fn slot(&self, index: u64) -> u64 {
        if !self.random {
            return index;
        }
        let mut slot = index;
        loop {
            for factor in [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f_u64] {
                slot = slot.wrapping_mul(factor) & self.mask;
                slot ^= slot >> self.shift;
            }
            if slot < self.slots {
                return slot;
            }
        }
    }
}

fn number(word: &str) -> u64 {
    word.parse().unwrap_or_else(|_| panic!("`{word}` is not a number; {USAGE}"))
}

fn open(path: &str, write: bool, direct: bool) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(!write).write(write).create_new(write);
    if direct {
        options.custom_flags(rustix::fs::OFlags::DIRECT.bits() as i32);
    }
    options.open(path)
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [kind, order, path, bytes, transfer, passes] = &words[..] else { panic!("{USAGE}") };
    let (write, random) = (kind == "write", order != "sequential");
    let (bytes, transfer, passes) = (number(bytes), number(transfer), number(passes));
    let mut memory = vec![0x5a_u8; transfer as usize + ALIGNMENT];
    let begin = memory.as_ptr().align_offset(ALIGNMENT);
    let buffer = &mut memory[begin..begin + transfer as usize];
    let order_of_slots = Order::new(bytes / transfer, random);
    let file = open(path, write, order == "direct-random")?;

    let clock = Instant::now();
    for _ in 0..passes {
        for index in 0..order_of_slots.slots {
            let offset = order_of_slots.slot(index) * transfer;
            let moved = if write { file.write_at(buffer, offset)? } else { file.read_at(buffer, offset)? };
            assert_eq!(moved as u64, transfer, "a short transfer at {offset}");
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    if write {
        std::fs::remove_file(path)?;
    }
    println!("ops {} seconds {seconds:.9}", order_of_slots.slots * passes);
    Ok(())
}
