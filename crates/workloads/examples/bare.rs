//! The bare loop that everything else is held against: open, `pread` or `pwrite`, nothing between the calls.
//! With `names` it is the calls of a metadata benchmark on names that differ in their last number.
//!
//! `cargo xtask bench` starts it as a process of its own, as it does the other programs, and reads its one
//! line `ops N seconds S`; the seconds are those of the loop, without open and close. A file that was
//! written is new, and is removed.
//!
//! Never here: anything of ours in the loop, not even the clock.
#![allow(clippy::print_stdout)]

use std::ffi::CStr;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::time::Instant;

use rustix::fs::{self, Mode, OFlags};

const USAGE: &str = "bare read|write sequential|random|direct-random FILE BYTES TRANSFER PASSES | \
                     names DIR COUNT";
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
        options.custom_flags(OFlags::DIRECT.bits() as i32);
    }
    options.open(path)
}

/// A path whose last digits change.
struct Name {
    bytes: Vec<u8>,
    stem: usize,
}

impl Name {
    fn new(stem: String) -> Self {
        Self { stem: stem.len(), bytes: stem.into_bytes() }
    }

    fn at(&mut self, mut number: u64) -> &CStr {
        let mut digits = [0; 21];
        let mut first = digits.len() - 1;
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.bytes.truncate(self.stem);
        self.bytes.extend_from_slice(&digits[first..]);
        CStr::from_bytes_with_nul(&self.bytes).expect("one NUL, at the end")
    }
}

/// The calls are functions, as they are in every library of C: the first return after a system call can cost
/// 0.3 us where the kernel empties the processor's memory of returns, which no program is spared.
mod calls {
    use super::{CStr, Mode, OFlags, fs};
    use rustix::io::Result;

    #[inline(never)]
    pub(crate) fn mkdir(path: &CStr) -> Result<()> {
        fs::mkdir(path, Mode::from_raw_mode(0o775))
    }

    #[inline(never)]
    pub(crate) fn rmdir(path: &CStr) -> Result<()> {
        fs::rmdir(path)
    }

    #[inline(never)]
    pub(crate) fn stat(path: &CStr) -> Result<i64> {
        fs::stat(path).map(|found| found.st_size)
    }

    #[inline(never)]
    pub(crate) fn open(path: &CStr, flags: OFlags) -> Result<rustix::fd::OwnedFd> {
        fs::open(path, flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o664))
    }

    #[inline(never)]
    pub(crate) fn close(fd: rustix::fd::OwnedFd) {
        drop(fd);
    }

    #[inline(never)]
    pub(crate) fn unlink(path: &CStr) -> Result<()> {
        fs::unlink(path)
    }
}

/// Seconds of `count` calls.
fn timed(
    name: &mut Name,
    count: u64,
    call: impl Fn(&CStr) -> rustix::io::Result<()>,
) -> std::io::Result<f64> {
    let clock = Instant::now();
    for number in 0..count {
        call(name.at(number))?;
    }
    Ok(clock.elapsed().as_secs_f64())
}

/// Creates, stats and removes `count` files in the directories of mdtest. Returns the seconds of each phase.
fn names(dir: &str, count: u64) -> std::io::Result<Vec<(&'static str, f64)>> {
    let tree = format!("{dir}/test-dir.0-0/mdtest_tree.0");
    std::fs::create_dir_all(&tree)?;
    let create = |path: &CStr| calls::open(path, OFlags::RDWR | OFlags::CREATE).map(calls::close);
    let read = |path: &CStr| calls::open(path, OFlags::RDONLY).map(calls::close);
    let stat = |path: &CStr| calls::stat(path).map(|_| ());
    let mut seconds = Vec::new();
    let mut name = Name::new(format!("{tree}/dir.mdtest.0."));
    seconds.push(("directory_creation", timed(&mut name, count, calls::mkdir)?));
    seconds.push(("directory_stat", timed(&mut name, count, stat)?));
    seconds.push(("directory_removal", timed(&mut name, count, calls::rmdir)?));
    let mut name = Name::new(format!("{tree}/file.mdtest.0."));
    seconds.push(("file_creation", timed(&mut name, count, create)?));
    seconds.push(("file_stat", timed(&mut name, count, stat)?));
    seconds.push(("file_read", timed(&mut name, count, read)?));
    seconds.push(("file_removal", timed(&mut name, count, calls::unlink)?));
    std::fs::remove_dir(&tree)?;
    std::fs::remove_dir(format!("{dir}/test-dir.0-0"))?;
    Ok(seconds)
}

fn main() -> std::io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [kind, dir, count] = &words[..]
        && kind == "names"
    {
        for (phase, seconds) in names(dir, number(count))? {
            println!("{phase} ops {count} seconds {seconds:.9}");
        }
        return Ok(());
    }
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
