//! The number of separate pieces of a file on the medium, as the kernel reports it (`FS_IOC_FIEMAP`).
//!
//! Numbers and structures are those of the kernel's `fiemap.h` (uapi/linux). Some file systems split an
//! extent into parts of a maximum size (ext4: 128 MiB) that are still adjacent; those count as one.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, Mode, OFlags};

use crate::calls::answered;

/// `FS_IOC_FIEMAP`.
const FIEMAP: libc::Ioctl = libc::_IOWR::<Header>(b'f' as u32, 11);
/// `FIEMAP_FLAG_SYNC`: writes the file back first, so that all its data has a position.
const SYNC: u32 = 1;
/// `FIEMAP_EXTENT_LAST`.
const LAST: u32 = 1;
/// `ENOTSUPP`, an error code internal to the kernel; Lustre returns it to programs for striped files.
const ENOTSUPP: i32 = 524;
/// Extents that one call returns.
const AT_ONCE: usize = 128;

/// `struct fiemap` without its extents.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Header {
    start: u64,
    length: u64,
    flags: u32,
    mapped: u32,
    room: u32,
    reserved: u32,
}

/// `struct fiemap_extent`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved: [u64; 2],
    flags: u32,
    reserved_too: [u32; 3],
}

/// The input and output of one call.
#[repr(C)]
struct ExtentRequest {
    header: Header,
    extents: [Extent; AT_ONCE],
}

/// Counts the pieces of the file; `None` where the file system does not report them.
pub(crate) fn count(path: &Path) -> io::Result<Option<u64>> {
    let fd = fs::open(path, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    match count_by(&mut |from, request| ask(&fd, from, request)) {
        Err(error) if is_unsupported(&error) => Ok(None),
        counted => counted.map(Some),
    }
}

/// Counts the pieces by calls that give the extents from a place on.
fn count_by(ask: &mut dyn FnMut(u64, &mut ExtentRequest) -> io::Result<()>) -> io::Result<u64> {
    let mut request = ExtentRequest { header: Header::default(), extents: [Extent::default(); AT_ONCE] };
    let (mut pieces, mut from, mut end) = (0, 0, None);
    loop {
        let begin = from;
        ask(begin, &mut request)?;
        let mapped = (request.header.mapped as usize).min(AT_ONCE);
        for extent in &request.extents[..mapped] {
            pieces += u64::from(end != Some((extent.logical, extent.physical)));
            from = extent.logical.saturating_add(extent.length);
            end = Some((from, extent.physical.saturating_add(extent.length)));
        }
        // A file system that reports an extent without a length would be asked for it forever.
        if from <= begin || request.extents[mapped - 1].flags & LAST != 0 {
            return Ok(pieces);
        }
    }
}

fn ask(fd: &OwnedFd, from: u64, request: &mut ExtentRequest) -> io::Result<()> {
    request.header = Header {
        start: from,
        length: u64::MAX - from,
        flags: SYNC,
        room: AT_ONCE as u32,
        ..Header::default()
    };
    // SAFETY: the call writes at most `room` extents after the header. The structure has them in the kernel's
    // layout and outlives the call, and the descriptor is open.
    answered(unsafe { libc::ioctl(fd.as_raw_fd(), FIEMAP, std::ptr::from_mut(request)) })
}

/// Whether the file system lacks this call or a requested feature of it.
fn is_unsupported(error: &io::Error) -> bool {
    let none = [libc::EOPNOTSUPP, libc::ENOTTY, libc::ENOSYS, libc::EBADR, ENOTSUPP];
    error.raw_os_error().is_some_and(|code| none.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::unix::fs::FileExt;

    #[test]
    fn pieces_are_counted_until_the_last_one_or_one_without_a_length() {
        let counted = |extents: &[(u64, u64, u64, u32)]| {
            let mut calls = 0;
            let pieces = count_by(&mut |from, request| {
                calls += 1;
                assert!(calls < 9, "it does not end");
                let next = extents.iter().filter(|extent| extent.0 >= from);
                request.header.mapped = 0;
                for (place, extent) in request.extents.iter_mut().zip(next.take(1)) {
                    let (logical, physical, length, flags) = *extent;
                    *place = Extent { logical, physical, length, flags, ..Extent::default() };
                    request.header.mapped = 1;
                }
                Ok(())
            });
            pieces.unwrap()
        };
        assert_eq!(counted(&[]), 0);
        assert_eq!(counted(&[(0, 4, 4, 0), (4, 8, 4, 0), (8, 20, 4, LAST)]), 2, "two lie side by side");
        assert_eq!(counted(&[(0, 4, 4, 0), (4, 8, 0, 0)]), 1);
        assert_eq!(counted(&[(0, 4, 0, 0)]), 1);
        assert_eq!(counted(&[(0, 4, u64::MAX, 0)]), 1);
    }

    #[test]
    fn a_file_in_memory_reports_no_extents_and_a_missing_file_is_an_error() {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = dir.path().join("f");
        File::create(&path).unwrap().write_all_at(&[1; 4096], 0).unwrap();
        assert_eq!(count(&path).unwrap(), None);
        assert_eq!(count(&dir.path().join("g")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn every_error_code_for_missing_support_means_unknown() {
        for code in [libc::EOPNOTSUPP, libc::ENOTTY, libc::ENOSYS, libc::EBADR, 524] {
            assert!(is_unsupported(&io::Error::from_raw_os_error(code)), "{code}");
        }
        assert!(!is_unsupported(&io::Error::from_raw_os_error(libc::EIO)));
    }

    #[test]
    #[allow(clippy::print_stdout)]
    fn holes_split_a_file_also_into_more_pieces_than_one_call_returns() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        let file = File::create(&path).unwrap();
        if count(&path).unwrap().is_none() {
            println!("SKIPPED: the file system of {} does not report extents (FIEMAP)", dir.path().display());
            return;
        }
        assert_eq!(count(&path).unwrap(), Some(0), "an empty file has none");
        let pieces = 2 * AT_ONCE as u64 + 3;
        for piece in 0..pieces {
            file.write_all_at(&[7; 4096], piece * 3 * 65536).unwrap();
        }
        assert_eq!(count(&path).unwrap(), Some(pieces));
    }
}
