//! The calls that replace those of the C library.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::slice;
use std::sync::OnceLock;

use crate::counts;
use crate::fault::{self, Fate, InjectedFault};
use crate::next::{
    AioWrite, ClockGettime, Mincore, OpenCall, Plain, Pread, Pwrite, Pwritev, Write, Writev, find,
};

/// A write at an offset, or at the file's current position (`None`), with its injected fate.
unsafe fn written(fd: c_int, from: *const c_void, bytes: usize, offset: Option<i64>) -> isize {
    let real = |bytes: usize| {
        // SAFETY: the arguments are the caller's, and `bytes` is at most the caller's number.
        unsafe {
            match offset {
                Some(offset) => find::<Pwrite>(c"pwrite64")(fd, from, bytes, offset),
                None => find::<Write>(c"write")(fd, from, bytes),
            }
        }
    };
    if bytes == 0 {
        return real(0);
    }
    match (fault::fate(fd), offset) {
        (Fate::Dropped, _) => bytes as isize,
        (Fate::Full, _) => reject(libc::ENOSPC) as isize,
        (Fate::Torn, _) => {
            let half = real(bytes / 2);
            if half < 0 { half } else { bytes as isize }
        }
        (Fate::Held, Some(offset)) => {
            // SAFETY: the caller passes a buffer of this many bytes.
            let data = unsafe { slice::from_raw_parts(from.cast::<u8>(), bytes) };
            fault::hold(fd, offset, data.to_vec());
            bytes as isize
        }
        (Fate::Done | Fate::Held, _) => real(bytes),
    }
}

/// Fails with this error code.
pub(crate) fn reject(reason: c_int) -> c_int {
    // SAFETY: errno belongs to this thread.
    unsafe { *libc::__errno_location() = reason };
    -1
}

/// The pieces of a vector, joined.
unsafe fn joined(pieces: *const libc::iovec, count: c_int) -> Vec<u8> {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: the caller passes this many pieces.
    let pieces = unsafe { slice::from_raw_parts(pieces, count) };
    let mut all = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.iov_len > 0) {
        // SAFETY: each piece is a buffer of its length.
        all.extend_from_slice(unsafe { slice::from_raw_parts(piece.iov_base.cast::<u8>(), piece.iov_len) });
    }
    all
}

/// Makes the delayed writes of a descriptor.
fn flush(fd: c_int) {
    for (offset, data) in fault::release(fd) {
        // SAFETY: this function owns the buffer, which has this many bytes.
        unsafe { find::<Pwrite>(c"pwrite64")(fd, data.as_ptr().cast(), data.len(), offset) };
    }
}

/// `write`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn write(fd: c_int, from: *const c_void, bytes: usize) -> isize {
    counts::on_descriptor("write", fd);
    // SAFETY: the arguments are passed on.
    unsafe { written(fd, from, bytes, None) }
}

/// `pwrite`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite(fd: c_int, from: *const c_void, bytes: usize, offset: i64) -> isize {
    counts::on_descriptor("pwrite", fd);
    // SAFETY: the arguments are passed on.
    unsafe { written(fd, from, bytes, Some(offset)) }
}

/// `pwrite64`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwrite64(fd: c_int, from: *const c_void, bytes: usize, offset: i64) -> isize {
    counts::on_descriptor("pwrite64", fd);
    // SAFETY: the arguments are passed on.
    unsafe { written(fd, from, bytes, Some(offset)) }
}

/// `writev`; as a single write if the file has the fault.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn writev(fd: c_int, pieces: *const libc::iovec, count: c_int) -> isize {
    if fault::of(fd).is_none() {
        // SAFETY: the arguments are passed on.
        return unsafe { find::<Writev>(c"writev")(fd, pieces, count) };
    }
    // SAFETY: the arguments are passed on; the joined buffer has its length.
    unsafe {
        let all = joined(pieces, count);
        written(fd, all.as_ptr().cast(), all.len(), None)
    }
}

/// `pwritev`; as a single write if the file has the fault.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwritev(fd: c_int, pieces: *const libc::iovec, count: c_int, offset: i64) -> isize {
    if fault::of(fd).is_none() {
        // SAFETY: the arguments are passed on.
        return unsafe { find::<Pwritev>(c"pwritev")(fd, pieces, count, offset) };
    }
    // SAFETY: the arguments are passed on; the joined buffer has its length.
    unsafe {
        let all = joined(pieces, count);
        written(fd, all.as_ptr().cast(), all.len(), Some(offset))
    }
}

/// `pwritev64`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pwritev64(
    fd: c_int,
    pieces: *const libc::iovec,
    count: c_int,
    offset: i64,
) -> isize {
    // SAFETY: the arguments are passed on.
    unsafe { pwritev(fd, pieces, count, offset) }
}

/// `aio_write`, the asynchronous write of libraries. A dropped one goes to `/dev/null`; one that would be
/// delayed is done.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aio_write(control: *mut libc::aiocb) -> c_int {
    // SAFETY: the caller passes a request that is not outstanding.
    let request = unsafe { &mut *control };
    let fate = fault::fate(request.aio_fildes);
    if fate == Fate::Torn {
        let (from, half) = (request.aio_buf.cast_const(), request.aio_nbytes / 2);
        // SAFETY: the request has a buffer of its length.
        unsafe { find::<Pwrite>(c"pwrite64")(request.aio_fildes, from, half, request.aio_offset) };
    }
    if matches!(fate, Fate::Dropped | Fate::Torn) {
        // SAFETY: the name ends in a zero byte; the descriptor stays open until the process ends.
        request.aio_fildes = unsafe { libc::open(c"/dev/null".as_ptr(), libc::O_WRONLY) };
    }
    // SAFETY: the argument is passed on.
    unsafe { find::<AioWrite>(c"aio_write")(control) }
}

/// `pread`: a process sees its own writes, delayed or not.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pread(fd: c_int, into: *mut c_void, bytes: usize, offset: i64) -> isize {
    counts::on_descriptor("pread", fd);
    // SAFETY: the arguments are passed on.
    unsafe { read_at(fd, into, bytes, offset) }
}

unsafe fn read_at(fd: c_int, into: *mut c_void, bytes: usize, offset: i64) -> isize {
    // SAFETY: the arguments are passed on.
    let read = unsafe { find::<Pread>(c"pread64")(fd, into, bytes, offset) };
    let Ok(mut read) = usize::try_from(read) else { return read };
    fault::each_held(fd, |at, data| {
        let (from, to) = (at.max(offset), (at + data.len() as i64).min(offset + bytes as i64));
        if from < to {
            let place = (from - offset) as usize;
            let piece = &data[(from - at) as usize..(to - at) as usize];
            // SAFETY: the piece is inside the caller's buffer, as are the bytes before it.
            unsafe {
                let buffer = slice::from_raw_parts_mut(into.cast::<u8>(), bytes);
                buffer[read.min(place)..place].fill(0);
                buffer[place..place + piece.len()].copy_from_slice(piece);
            }
            read = read.max(place + piece.len());
        }
    });
    read as isize
}

/// `pread64`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pread64(fd: c_int, into: *mut c_void, bytes: usize, offset: i64) -> isize {
    counts::on_descriptor("pread64", fd);
    // SAFETY: the arguments are passed on.
    unsafe { read_at(fd, into, bytes, offset) }
}

/// `open`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    counts::on_path("open", path);
    // SAFETY: the arguments are passed on.
    unsafe { opened(path, flags, mode) }
}

unsafe fn opened(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    // SAFETY: the caller passes a text that ends in a zero byte.
    if fault::rejects(unsafe { CStr::from_ptr(path) }) {
        return reject(libc::EMFILE);
    }
    // SAFETY: the arguments are passed on.
    unsafe { find::<OpenCall>(c"open64")(path, flags, mode) }
}

/// `open64`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
    counts::on_path("open64", path);
    // SAFETY: the arguments are passed on.
    unsafe { opened(path, flags, mode) }
}

/// Syncs with the call of that name, including delayed writes. With `lie` and `no_sync` it only reports
/// success.
fn synced(fd: c_int, name: &CStr) -> c_int {
    fault::before_sync(fd);
    if fault::of(fd).is_some_and(|(fault, _)| matches!(fault, InjectedFault::Lie | InjectedFault::NoSync)) {
        return 0;
    }
    flush(fd);
    // SAFETY: the argument is passed on.
    unsafe { find::<Plain>(name)(fd) }
}

/// `fsync`.
#[unsafe(no_mangle)]
pub extern "C" fn fsync(fd: c_int) -> c_int {
    counts::on_descriptor("fsync", fd);
    synced(fd, c"fsync")
}

/// `fdatasync`.
#[unsafe(no_mangle)]
pub extern "C" fn fdatasync(fd: c_int) -> c_int {
    counts::on_descriptor("fdatasync", fd);
    synced(fd, c"fdatasync")
}

/// `close`.
#[unsafe(no_mangle)]
pub extern "C" fn close(fd: c_int) -> c_int {
    counts::on_descriptor("close", fd);
    flush(fd);
    // SAFETY: the argument is passed on.
    unsafe { find::<Plain>(c"close")(fd) }
}

/// `clock_gettime`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: libc::clockid_t, into: *mut libc::timespec) -> c_int {
    // Called so often that a lookup each time would be noticeable.
    static NEXT: OnceLock<ClockGettime> = OnceLock::new();
    let next = NEXT.get_or_init(|| find(c"clock_gettime"));
    // SAFETY: the arguments are passed on.
    let done = unsafe { next(clock, into) };
    if done != 0 {
        return done;
    }
    // SAFETY: the call has just written there.
    let time = unsafe { &mut *into };
    if clock == libc::CLOCK_REALTIME {
        time.tv_sec += fault::ahead();
    } else {
        let ns = (i128::from(time.tv_sec) * SECOND_NS + i128::from(time.tv_nsec)) * i128::from(fault::pace())
            / 100;
        (time.tv_sec, time.tv_nsec) = ((ns / SECOND_NS) as i64, (ns % SECOND_NS) as i64);
    }
    done
}

const SECOND_NS: i128 = 1_000_000_000;

/// `mincore`.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mincore(at: *mut c_void, length: usize, states: *mut u8) -> c_int {
    let next: Mincore = find(c"mincore");
    // SAFETY: the arguments are passed on.
    let done = unsafe { next(at, length, states) };
    if done == 0 && fault::is_cold() {
        // SAFETY: the call has just written a byte for each page.
        unsafe { states.write_bytes(0, length.div_ceil(4096)) };
    }
    done
}
