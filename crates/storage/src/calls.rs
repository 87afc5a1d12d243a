//! Calls on the files under test, each through the function of the C library that IOR, mdtest and ls call.
//!
//! A preloaded library replaces functions of the C library: a file system in user space, or a profiler. It
//! sees the calls that are made here, and no system call that this program makes itself. Both matter: the
//! workloads measure what the user preloaded, and the checks of a measurement cannot be fooled by it.
//!
//! Invariant: a function is one call of the C library.
//! Never here: calls of checks and records, which go to the kernel directly (`rustix`,
//! `ffi::system_call`).
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::ptr::NonNull;

use rustix::fs::{FileType, OFlags};
use rustix::io::{Errno, Result};
use rustix::path::Arg;

/// Converts the return value of a call; a value below 0 is a failure.
pub(crate) fn answered(answer: c_int) -> io::Result<()> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The error of the last call of this thread.
fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::IO)
}

fn done(answer: c_int) -> Result<()> {
    if answer < 0 { Err(last_error()) } else { Ok(()) }
}

fn counted(answer: isize) -> Result<usize> {
    usize::try_from(answer).map_err(|_| last_error())
}

/// What the call wrote, if it succeeded.
///
/// # Safety
///
/// A call that returns 0 has filled the value.
unsafe fn filled<T>(call: impl FnOnce(*mut T) -> c_int) -> Result<T> {
    let mut value = MaybeUninit::<T>::uninit();
    done(call(value.as_mut_ptr()))?;
    // SAFETY: by the contract of this function.
    Ok(unsafe { value.assume_init() })
}

/// Opens a file.
pub(crate) fn open(path: impl Arg, flags: OFlags, permissions: u32) -> Result<OwnedFd> {
    let flags = flags.bits().cast_signed();
    path.into_with_c_str(|path| {
        // SAFETY: the path ends in a zero byte and outlives the call.
        let fd = unsafe { libc::open64(path.as_ptr(), flags, permissions) };
        done(fd)?;
        // SAFETY: the call has just opened this descriptor for its caller.
        Ok(unsafe { OwnedFd::from_raw_fd(fd) })
    })
}

/// Closes a descriptor and returns whether that failed.
pub(crate) fn close(fd: OwnedFd) -> io::Result<()> {
    // SAFETY: `fd` owned the descriptor and gave it up, so no other code closes or uses it.
    answered(unsafe { libc::close(fd.into_raw_fd()) })
}

/// Reads at an offset; returns the number of bytes.
#[inline]
pub(crate) fn pread(fd: impl AsFd, data: &mut [u8], offset: u64) -> Result<usize> {
    let (fd, offset) = (fd.as_fd().as_raw_fd(), offset.cast_signed());
    // SAFETY: the descriptor is open, and the buffer has this many bytes.
    counted(unsafe { libc::pread64(fd, data.as_mut_ptr().cast(), data.len(), offset) })
}

/// Writes at an offset; returns the number of bytes.
#[inline]
pub(crate) fn pwrite(fd: impl AsFd, data: &[u8], offset: u64) -> Result<usize> {
    let (fd, offset) = (fd.as_fd().as_raw_fd(), offset.cast_signed());
    // SAFETY: the descriptor is open, and the buffer has this many bytes.
    counted(unsafe { libc::pwrite64(fd, data.as_ptr().cast(), data.len(), offset) })
}

/// Flushes a file to storage.
pub(crate) fn fsync(fd: impl AsFd) -> Result<()> {
    // SAFETY: the descriptor is open.
    done(unsafe { libc::fsync(fd.as_fd().as_raw_fd()) })
}

/// Flushes the file system of an open file to storage.
pub(crate) fn syncfs(fd: impl AsFd) -> Result<()> {
    // SAFETY: the descriptor is open.
    done(unsafe { libc::syncfs(fd.as_fd().as_raw_fd()) })
}

/// Sets the length of an open file.
pub(crate) fn ftruncate(fd: impl AsFd, bytes: u64) -> Result<()> {
    // SAFETY: the descriptor is open.
    done(unsafe { libc::ftruncate64(fd.as_fd().as_raw_fd(), bytes.cast_signed()) })
}

/// Moves the position of an open file or device to its end (`SEEK_END`) or its first hole (`SEEK_HOLE`).
/// Returns the new position, bytes.
pub(crate) fn lseek(fd: impl AsFd, whence: c_int) -> Result<u64> {
    // SAFETY: the descriptor is open.
    let position = unsafe { libc::lseek64(fd.as_fd().as_raw_fd(), 0, whence) };
    u64::try_from(position).map_err(|_| last_error())
}

/// The attributes of an open file.
pub(crate) fn fstat(fd: impl AsFd) -> Result<libc::stat> {
    // SAFETY: the descriptor is open, and the call fills the value.
    unsafe { filled(|stat| libc::fstat(fd.as_fd().as_raw_fd(), stat)) }
}

/// The attributes of the file that a path leads to.
pub(crate) fn stat(path: impl Arg) -> Result<libc::stat> {
    // SAFETY: the path ends in a zero byte and outlives the call, which fills the value.
    path.into_with_c_str(|path| unsafe { filled(|stat| libc::stat(path.as_ptr(), stat)) })
}

/// The attributes of the name itself, also of a link.
pub(crate) fn lstat(path: impl Arg) -> Result<libc::stat> {
    // SAFETY: the path ends in a zero byte and outlives the call, which fills the value.
    path.into_with_c_str(|path| unsafe { filled(|stat| libc::lstat(path.as_ptr(), stat)) })
}

/// Some attributes of a name. A link is not followed.
pub(crate) fn statx(path: &CStr, flags: c_int, mask: u32) -> Result<libc::statx> {
    let flags = flags | libc::AT_SYMLINK_NOFOLLOW;
    // SAFETY: the path ends in a zero byte and outlives the call, which fills the value.
    unsafe { filled(|found| libc::statx(libc::AT_FDCWD, path.as_ptr(), flags, mask, found)) }
}

/// Whether this process may access a file so: a union of `R_OK`, `W_OK` and `X_OK`.
pub(crate) fn access(path: impl Arg, wanted: c_int) -> Result<()> {
    // SAFETY: the path ends in a zero byte and outlives the call.
    path.into_with_c_str(|path| done(unsafe { libc::access(path.as_ptr(), wanted) }))
}

/// Capacity and free space of the file system of a path.
pub(crate) fn statvfs(path: impl Arg) -> Result<libc::statvfs> {
    // SAFETY: the path ends in a zero byte and outlives the call, which fills the value.
    path.into_with_c_str(|path| unsafe { filled(|found| libc::statvfs(path.as_ptr(), found)) })
}

/// Removes a file or a link.
pub(crate) fn unlink(path: impl Arg) -> Result<()> {
    // SAFETY: the path ends in a zero byte and outlives the call.
    path.into_with_c_str(|path| done(unsafe { libc::unlink(path.as_ptr()) }))
}

/// Creates a directory.
pub(crate) fn mkdir(path: &CStr, permissions: u32) -> Result<()> {
    // SAFETY: the path ends in a zero byte and outlives the call.
    done(unsafe { libc::mkdir(path.as_ptr(), permissions) })
}

/// Removes an empty directory.
pub(crate) fn rmdir(path: &CStr) -> Result<()> {
    // SAFETY: the path ends in a zero byte and outlives the call.
    done(unsafe { libc::rmdir(path.as_ptr()) })
}

/// Creates an empty regular file without opening it.
pub(crate) fn mknod(path: &CStr, permissions: u32) -> Result<()> {
    // SAFETY: the path ends in a zero byte and outlives the call.
    done(unsafe { libc::mknod(path.as_ptr(), libc::S_IFREG | permissions, 0) })
}

/// Renames a file or a directory.
pub(crate) fn rename(from: &CStr, to: &CStr) -> Result<()> {
    // SAFETY: the paths end in a zero byte and outlive the call.
    done(unsafe { libc::rename(from.as_ptr(), to.as_ptr()) })
}

/// Creates a further name of a file.
pub(crate) fn link(from: &CStr, to: &CStr) -> Result<()> {
    // SAFETY: the paths end in a zero byte and outlive the call.
    done(unsafe { libc::link(from.as_ptr(), to.as_ptr()) })
}

/// Creates a symbolic link.
pub(crate) fn symlink(target: &CStr, path: &CStr) -> Result<()> {
    // SAFETY: the texts end in a zero byte and outlive the call.
    done(unsafe { libc::symlink(target.as_ptr(), path.as_ptr()) })
}

/// Reads the target of a symbolic link; returns its length in bytes.
pub(crate) fn readlink(path: &CStr, target: &mut [u8]) -> Result<usize> {
    // SAFETY: the path ends in a zero byte, and the buffer has this many bytes.
    counted(unsafe { libc::readlink(path.as_ptr(), target.as_mut_ptr().cast(), target.len()) })
}

/// Sets the permissions of a file.
pub(crate) fn chmod(path: &CStr, permissions: u32) -> Result<()> {
    // SAFETY: the path ends in a zero byte and outlives the call.
    done(unsafe { libc::chmod(path.as_ptr(), permissions) })
}

/// Sets the length of a file by its name.
pub(crate) fn truncate(path: &CStr, bytes: u64) -> Result<()> {
    let bytes = bytes.try_into().map_err(|_| Errno::INVAL)?;
    // SAFETY: the path ends in a zero byte and outlives the call.
    done(unsafe { libc::truncate64(path.as_ptr(), bytes) })
}

/// Sets an extended attribute.
pub(crate) fn setxattr(path: &CStr, name: &CStr, value: &[u8]) -> Result<()> {
    // SAFETY: the texts end in a zero byte, and the value has this many bytes.
    done(unsafe { libc::setxattr(path.as_ptr(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0) })
}

/// Reads an extended attribute of the file that a path leads to; returns its length in bytes.
pub(crate) fn getxattr(path: &CStr, name: &CStr, value: &mut [u8]) -> Result<usize> {
    let (into, room) = (value.as_mut_ptr().cast(), value.len());
    // SAFETY: the texts end in a zero byte, and the buffer has this many bytes.
    counted(unsafe { libc::getxattr(path.as_ptr(), name.as_ptr(), into, room) })
}

/// The same of the name itself, also of a link.
pub(crate) fn lgetxattr(path: &CStr, name: &CStr, value: &mut [u8]) -> Result<usize> {
    let (into, room) = (value.as_mut_ptr().cast(), value.len());
    // SAFETY: the texts end in a zero byte, and the buffer has this many bytes.
    counted(unsafe { libc::lgetxattr(path.as_ptr(), name.as_ptr(), into, room) })
}

/// Removes an extended attribute.
pub(crate) fn removexattr(path: &CStr, name: &CStr) -> Result<()> {
    // SAFETY: the texts end in a zero byte and outlive the call.
    done(unsafe { libc::removexattr(path.as_ptr(), name.as_ptr()) })
}

/// A stream of the entries of a directory; it is closed when dropped.
#[derive(Debug)]
pub(crate) struct DirectoryStream(NonNull<libc::DIR>);

impl DirectoryStream {
    /// Opens a directory.
    pub(crate) fn open(path: &CStr) -> Result<Self> {
        // SAFETY: the path ends in a zero byte and outlives the call.
        NonNull::new(unsafe { libc::opendir(path.as_ptr()) }).map(Self).ok_or_else(last_error)
    }

    /// The next entry with its type; `None` after the last one. `.` and `..` are left out.
    pub(crate) fn next_entry(&mut self) -> Result<Option<(&CStr, FileType)>> {
        loop {
            // SAFETY: errno belongs to this thread. The call sets it only if it fails.
            unsafe { *libc::__errno_location() = 0 };
            // SAFETY: the stream is open.
            let Some(entry) = NonNull::new(unsafe { libc::readdir(self.0.as_ptr()) }) else {
                let error = io::Error::last_os_error().raw_os_error().unwrap_or(0);
                return if error == 0 { Ok(None) } else { Err(Errno::from_raw_os_error(error)) };
            };
            // SAFETY: an entry is valid until the next call on its stream, and its name ends in a zero byte.
            // No reference to the whole structure is made: an entry may be shorter.
            let (name, kind) = unsafe {
                let entry = entry.as_ptr();
                (CStr::from_ptr((&raw const (*entry).d_name).cast()), (&raw const (*entry).d_type).read())
            };
            if name != c"." && name != c".." {
                // The type of an entry is that part of its mode.
                return Ok(Some((name, FileType::from_raw_mode(u32::from(kind) << 12))));
            }
        }
    }

    /// Some attributes of the directory itself.
    pub(crate) fn statx(&self, flags: c_int, mask: u32) -> Result<libc::statx> {
        let flags = flags | libc::AT_EMPTY_PATH;
        // SAFETY: the stream is open, and the call fills the value.
        unsafe {
            let fd = libc::dirfd(self.0.as_ptr());
            filled(|found| libc::statx(fd, c"".as_ptr(), flags, mask, found))
        }
    }
}

impl Drop for DirectoryStream {
    fn drop(&mut self) {
        // SAFETY: this value owns the stream, which is not used afterwards.
        unsafe { libc::closedir(self.0.as_ptr()) };
    }
}
