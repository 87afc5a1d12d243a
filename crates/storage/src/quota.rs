//! Limits and usage of a user, group or project, as the kernel reports them.
//!
//! The calls are `quotactl_fd(2)`, since Linux 5.14, and `quotactl(2)` before. Their generic structures
//! (`if_dqblk`, `if_dqinfo` of linux/quota.h) are also those of XFS. The kernel reports to each user the
//! limits of this user and of their groups, and to root all limits. Network file systems do not answer.
//!
//! Never here: setting a limit.
#![allow(unsafe_code)]

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use command::quota::QuotaOf;
use rustix::fs::{self, Mode, OFlags};
use rustix::io::Errno;

use crate::calls::{self, answered};

/// A limit, and the usage that it is for. Bytes or inodes; times in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaLimit {
    /// What is rejected above it; 0 for no limit.
    pub hard: u64,
    /// What may be exceeded for a time; 0 for no limit.
    pub soft: u64,
    /// The usage.
    pub used: u64,
    /// How long the soft limit may be exceeded; 0 if it is not known.
    pub grace_s: u64,
    /// When that time ends, since 1970; 0 while the soft limit is not exceeded.
    pub grace_ends_s: u64,
}

/// The limits of a user, group or project on a file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuotaLimits {
    /// Of bytes.
    pub bytes: QuotaLimit,
    /// Of files and directories.
    pub inodes: QuotaLimit,
}

/// The ability to report limits of users, groups or projects.
pub trait Quotas: Sync {
    /// The user, group or project that a file belongs to.
    fn id_of(&self, path: &Path, of: QuotaOf) -> io::Result<u32>;

    /// The limits of `id` on the file system that holds `path`; an error where it does not report them.
    fn limits(&self, path: &Path, of: QuotaOf, id: u32) -> io::Result<QuotaLimits>;
}

/// The limits on mounted file systems.
pub(crate) struct MountedQuotas;

impl Quotas for MountedQuotas {
    fn id_of(&self, path: &Path, of: QuotaOf) -> io::Result<u32> {
        match of {
            QuotaOf::User => Ok(calls::lstat(path)?.st_uid),
            QuotaOf::Group => Ok(calls::lstat(path)?.st_gid),
            QuotaOf::Project => project_of(path),
        }
    }

    fn limits(&self, path: &Path, of: QuotaOf, id: u32) -> io::Result<QuotaLimits> {
        let dir = fs::open(path, OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let mut found = libc::dqblk {
            dqb_bhardlimit: 0,
            dqb_bsoftlimit: 0,
            dqb_curspace: 0,
            dqb_ihardlimit: 0,
            dqb_isoftlimit: 0,
            dqb_curinodes: 0,
            dqb_btime: 0,
            dqb_itime: 0,
            dqb_valid: 0,
        };
        // SAFETY: the command fills such a structure.
        unsafe { query(&dir, GET_QUOTA, of, id, (&raw mut found).cast())? };
        let mut times = Info::default();
        // Without an answer only the length of the grace is not known.
        // SAFETY: the command fills such a structure.
        let _ = unsafe { query(&dir, GET_INFO, of, id, (&raw mut times).cast()) };
        Ok(QuotaLimits {
            bytes: QuotaLimit {
                hard: found.dqb_bhardlimit.saturating_mul(BLOCK),
                soft: found.dqb_bsoftlimit.saturating_mul(BLOCK),
                used: found.dqb_curspace,
                grace_s: times.block_grace,
                grace_ends_s: found.dqb_btime,
            },
            inodes: QuotaLimit {
                hard: found.dqb_ihardlimit,
                soft: found.dqb_isoftlimit,
                used: found.dqb_curinodes,
                grace_s: times.inode_grace,
                grace_ends_s: found.dqb_itime,
            },
        })
    }
}

/// `Q_GETQUOTA` and `Q_GETINFO`.
const GET_QUOTA: u32 = 0x80_0007;
const GET_INFO: u32 = 0x80_0005;
/// `QIF_DQBLKSIZE`: the unit of the limits of bytes.
const BLOCK: u64 = 1024;
/// `FS_IOC_FSGETXATTR`.
const GET_ATTRIBUTES: libc::Ioctl = libc::_IOR::<Attributes>(b'X' as u32, 31);

/// `struct if_dqinfo`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Info {
    block_grace: u64,
    inode_grace: u64,
    flags: u32,
    valid: u32,
}

/// `struct fsxattr`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Attributes {
    flags: u32,
    extent_size: u32,
    extents: u32,
    project: u32,
    copied_extent_size: u32,
    reserved: [u8; 8],
}

fn project_of(path: &Path) -> io::Result<u32> {
    // Its owner may replace the file, also by a pipe, which must not hold the run.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = fs::open(path, flags, Mode::empty())?;
    let mut found = Attributes::default();
    // SAFETY: the descriptor is open, and the call fills such a structure.
    answered(unsafe { libc::ioctl(file.as_raw_fd(), GET_ATTRIBUTES, &raw mut found) })?;
    Ok(found.project)
}

/// Queries the quotas of the file system of an open directory.
///
/// # Safety
///
/// `into` is a structure that the command fills.
unsafe fn query(
    dir: &OwnedFd,
    command: u32,
    of: QuotaOf,
    id: u32,
    into: *mut libc::c_char,
) -> io::Result<()> {
    let kind = match of {
        QuotaOf::User => 0,
        QuotaOf::Group => 1,
        QuotaOf::Project => 2,
    };
    let command = command << 8 | kind;
    // SAFETY: the descriptor is open, and the caller gives what the command fills.
    let answer = unsafe { libc::syscall(libc::SYS_quotactl_fd, dir.as_raw_fd(), command, id, into) };
    match answered(answer as libc::c_int) {
        Err(error) if Errno::from_io_error(&error) == Some(Errno::NOSYS) => {}
        done => return done,
    }
    // Also the answer of a file system without quotas; the call by device then has the same answer.
    let device = device(dir)?;
    // SAFETY: the text ends in a zero byte, and the caller gives what the command fills.
    answered(unsafe { libc::quotactl(command.cast_signed(), device.as_ptr(), id.cast_signed(), into) })
}

/// The device of the file system of an open directory, from the mount table.
fn device(dir: impl AsFd) -> io::Result<CString> {
    let facts = calls::fstat(dir)?;
    let number = format!("{}:{}", fs::major(facts.st_dev), fs::minor(facts.st_dev));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    let source = mounts.lines().find_map(|line| source_of(line, &number));
    let source = source.ok_or_else(|| io::Error::from(Errno::NODEV))?;
    CString::new(source).map_err(|_| Errno::NODEV.into())
}

/// The source of a mount, if its device has this number.
fn source_of<'l>(line: &'l str, number: &str) -> Option<&'l str> {
    let (mount, kind) = line.split_once(" - ")?;
    let is_there = mount.split(' ').nth(2) == Some(number);
    kind.split(' ').nth(1).filter(|_| is_there)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_its_user_and_group() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let facts = calls::lstat(file.path()).unwrap();
        for (of, id) in [(QuotaOf::User, facts.st_uid), (QuotaOf::Group, facts.st_gid)] {
            assert_eq!(MountedQuotas.id_of(file.path(), of).unwrap(), id);
        }
    }

    #[test]
    fn a_file_system_without_quotas_is_an_error() {
        let error = MountedQuotas.limits(Path::new("/proc"), QuotaOf::User, 0).unwrap_err();
        assert!(error.raw_os_error().is_some(), "{error}");
    }

    #[test]
    fn the_device_of_a_mount_is_found_by_its_number() {
        let line = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue";
        assert_eq!(source_of(line, "98:0"), Some("/dev/root"));
        assert_eq!(source_of(line, "98:1"), None);
    }
}
