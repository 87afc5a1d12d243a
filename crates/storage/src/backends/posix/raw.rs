//! The two things about an open file that safe Rust has no word for: whether its close failed, and
//! which of its pages are in memory.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};

/// Bytes looked at per sample.
const WINDOW: u64 = 256 << 10;
/// How many samples are taken of a longer range.
const SAMPLES: u64 = 64;

/// Closes and says whether that failed.
pub(super) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned by `fd`, which gave it up, so nobody else closes or uses it.
    match unsafe { libc::close(fd.into_raw_fd()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Share of the pages in `start..end` that are in memory, from up to 64 windows spread over it.
pub(super) fn resident(fd: BorrowedFd<'_>, start: u64, end: u64) -> io::Result<f64> {
    let page = rustix::param::page_size() as u64;
    let (mut pages, mut present) = (0, 0);
    for window in windows(start, end, page) {
        let found = window_pages(fd, window.0, window.1)?;
        pages += found.len();
        present += found.iter().filter(|state| **state & 1 == 1).count();
    }
    Ok(if pages == 0 { 0.0 } else { present as f64 / pages as f64 })
}

/// Windows as (offset, length), page-aligned: the whole range when it is short, else samples of it.
fn windows(start: u64, end: u64, page: u64) -> Vec<(u64, usize)> {
    let start = start / page * page;
    let length = end.saturating_sub(start);
    let whole = WINDOW * SAMPLES;
    let count = if length <= whole { length.div_ceil(WINDOW) } else { SAMPLES };
    (0..count)
        .map(|index| {
            let step = if length <= whole { WINDOW } else { length / SAMPLES / page * page };
            let offset = start + index * step;
            (offset, (end - offset).min(WINDOW) as usize)
        })
        .collect()
}

/// The residency byte of every page of one window.
fn window_pages(fd: BorrowedFd<'_>, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let offset = libc::off_t::try_from(offset).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    let mut states = vec![0_u8; length.div_ceil(rustix::param::page_size())];
    // SAFETY: a fresh read-only mapping that the kernel places; it is never read through, only asked
    // about, and unmapped below.
    let at = unsafe {
        libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_SHARED, fd.as_raw_fd(), offset)
    };
    if at == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `at` maps `length` bytes, and `states` has one byte for each of its pages.
    let asked = unsafe { libc::mincore(at, length, states.as_mut_ptr()) };
    let error = io::Error::last_os_error();
    // SAFETY: the mapping made above, which nothing points into.
    unsafe { libc::munmap(at, length) };
    if asked == 0 { Ok(states) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_cover_a_short_range_whole_and_spread_over_a_long_one() {
        let short = windows(0, 1 << 20, 4096);
        assert_eq!(short.iter().map(|(_, length)| length).sum::<usize>(), 1 << 20);
        let long = windows(8192, 1 << 40, 4096);
        assert_eq!(long.len(), 64);
        assert!(long.iter().all(|(offset, _)| offset % 4096 == 0));
        assert!(long.last().unwrap().0 > 1_000_000_000_000, "the last sample is near the end");
        assert!(windows(0, 0, 4096).is_empty());
    }
}
