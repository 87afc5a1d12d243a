//! Locks of the system: of byte ranges (`fcntl`), by a process or an open file description, and of whole
//! files (`flock`).
//!
//! All threads of a process share its locks, so these do not exclude other threads. The process loses the
//! locks when it closes any descriptor of the file. A lock of an open file description belongs to that
//! description only.
//!
//! Never here: waiting with a time limit; a call that waits may wait forever.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use crate::calls::answered;

/// Who owns a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The process: POSIX.
    Process,
    /// The open file description: Linux, POSIX.1-2024.
    Description,
    /// The open file description, by flock(2). The lock is always of the whole file.
    Flock,
}

impl Owner {
    /// All owners.
    pub const ALL: [Self; 3] = [Self::Process, Self::Description, Self::Flock];

    /// The name of the owner in a command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Description => "description",
            Self::Flock => "flock",
        }
    }
}

/// What a lock excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// Others may lock for reading, but not for writing.
    Read,
    /// Others may not lock.
    Write,
    /// No lock: the call releases the range.
    None,
}

/// A range of bytes of a file; a length of 0 reaches to the end of the file, also when the file grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// First byte.
    pub start: u64,
    /// How many bytes.
    pub length: u64,
}

impl Range {
    /// All bytes of a file.
    pub const WHOLE: Self = Self { start: 0, length: 0 };
}

/// Locks or unlocks a range; without `wait`, a lock that others hold is an error of kind `WouldBlock`.
pub fn set(fd: BorrowedFd<'_>, owner: Owner, lock: Lock, range: Range, wait: bool) -> io::Result<()> {
    let command = match (owner, wait) {
        (Owner::Process, false) => Some(libc::F_SETLK),
        (Owner::Process, true) => Some(libc::F_SETLKW),
        (Owner::Description, false) => Some(libc::F_OFD_SETLK),
        (Owner::Description, true) => Some(libc::F_OFD_SETLKW),
        (Owner::Flock, _) => None,
    };
    let mut asked = described(lock, range)?;
    loop {
        let done = match command {
            Some(command) => call(fd, command, &mut asked),
            None => flock(fd, lock, wait),
        };
        match done {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // POSIX permits both error codes.
            Err(error) if error.raw_os_error() == Some(libc::EACCES) => {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            done => return done,
        }
    }
}

/// Whether others hold a conflicting lock, and which process holds it (0: not known). `Unsupported` for
/// flock(2), which has no such question.
pub fn holder(fd: BorrowedFd<'_>, owner: Owner, lock: Lock, range: Range) -> io::Result<Option<u32>> {
    let command = match owner {
        Owner::Process => libc::F_GETLK,
        Owner::Description => libc::F_OFD_GETLK,
        Owner::Flock => return Err(io::ErrorKind::Unsupported.into()),
    };
    let mut asked = described(lock, range)?;
    call(fd, command, &mut asked)?;
    let free = i32::from(asked.l_type) == libc::F_UNLCK;
    Ok((!free).then(|| u32::try_from(asked.l_pid).unwrap_or(0)))
}

fn described(lock: Lock, range: Range) -> io::Result<libc::flock> {
    let number =
        |bytes: u64| libc::off_t::try_from(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput));
    let kind = match lock {
        Lock::Read => libc::F_RDLCK,
        Lock::Write => libc::F_WRLCK,
        Lock::None => libc::F_UNLCK,
    };
    let (l_start, l_len) = (number(range.start)?, number(range.length)?);
    let (l_type, l_whence) = (kind as libc::c_short, libc::SEEK_SET as libc::c_short);
    Ok(libc::flock { l_type, l_whence, l_start, l_len, l_pid: 0 })
}

fn flock(fd: BorrowedFd<'_>, lock: Lock, wait: bool) -> io::Result<()> {
    let operation = match lock {
        Lock::Read => libc::LOCK_SH,
        Lock::Write => libc::LOCK_EX,
        Lock::None => libc::LOCK_UN,
    };
    let or_fail = if wait { 0 } else { libc::LOCK_NB };
    // SAFETY: the descriptor is open while it is borrowed.
    answered(unsafe { libc::flock(fd.as_raw_fd(), operation | or_fail) })
}

fn call(fd: BorrowedFd<'_>, command: libc::c_int, lock: &mut libc::flock) -> io::Result<()> {
    // SAFETY: the descriptor is open while it is borrowed, and these commands read and write one `flock`.
    answered(unsafe { libc::fcntl(fd.as_raw_fd(), command, std::ptr::from_mut(lock)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;

    #[test]
    fn a_lock_of_one_description_excludes_another_until_it_is_released() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let [one, other] = [(); 2].map(|()| file.reopen().unwrap());
        let range = Range { start: 10, length: 5 };
        let lock = |file: &std::fs::File, lock, start| {
            set(file.as_fd(), Owner::Description, lock, Range { start, length: 1 }, false)
        };
        set(one.as_fd(), Owner::Description, Lock::Write, range, false).unwrap();
        let rejected = lock(&other, Lock::Read, 14).unwrap_err();
        assert_eq!(rejected.kind(), io::ErrorKind::WouldBlock);
        assert!(holder(other.as_fd(), Owner::Description, Lock::Read, range).unwrap().is_some());
        lock(&other, Lock::Write, 15).expect("after the range");
        set(one.as_fd(), Owner::Description, Lock::None, range, false).unwrap();
        lock(&other, Lock::Write, 14).expect("released");
        assert_eq!(holder(other.as_fd(), Owner::Description, Lock::Write, range).unwrap(), None);
    }

    #[test]
    fn a_flock_excludes_another_description_from_the_whole_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let [one, other] = [(); 2].map(|()| file.reopen().unwrap());
        let lock = |file: &std::fs::File, lock, start| {
            set(file.as_fd(), Owner::Flock, lock, Range { start, length: 1 }, false)
        };
        lock(&one, Lock::Read, 0).unwrap();
        lock(&other, Lock::Read, 0).expect("both read");
        assert_eq!(lock(&other, Lock::Write, 9).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(one);
        lock(&other, Lock::Write, 9).expect("closed");
    }

    #[test]
    fn a_range_beyond_the_largest_offset_is_rejected() {
        let file = tempfile::tempfile().unwrap();
        let range = Range { start: u64::MAX, length: 1 };
        let rejected = set(file.as_fd(), Owner::Process, Lock::Write, range, false).unwrap_err();
        assert_eq!(rejected.kind(), io::ErrorKind::InvalidInput);
    }
}
