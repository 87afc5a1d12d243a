//! The layout of a new file on Lustre, set through the kernel's interface: no library is needed.
//!
//! A file that needs a layout is created without one (`O_LOV_DELAY_CREATE`). The call `LL_IOC_LOV_SETSTRIPE`
//! then sets the layout; its argument is a `lov_user_md_v1`, or a `lov_user_md_v3` with a pool. Numbers and
//! structures are those of Lustre's `lustre_user.h` (uapi/linux/lustre).
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use command::Settings;
use rustix::fs::{self, OFlags};
use rustix::io::Errno;
use units::Usage;

use crate::calls::{self, answered};
use crate::files;

/// `LL_SUPER_MAGIC`, the type that `statfs` returns for Lustre.
pub(crate) const LUSTRE: u64 = 0x0BD0_0BD0;
/// `LL_IOC_LOV_SETSTRIPE`.
const SET_STRIPE: libc::Ioctl = libc::_IOW::<libc::c_long>(b'f' as u32, 154);
/// `LL_IOC_SETFLAGS`.
const SET_FLAGS: libc::Ioctl = libc::_IOW::<libc::c_long>(b'f' as u32, 152);
/// `LL_FILE_IGNORE_LOCK`.
const IGNORE_LOCK: libc::c_int = 1;
/// `O_LOV_DELAY_CREATE`: the old bit, and the two that replaced it.
const DELAY_CREATE: u32 = 0o100_000_000 | libc::O_NOCTTY as u32 | libc::O_ASYNC as u32;
/// `LOV_USER_MAGIC_V1` and `LOV_USER_MAGIC_V3`.
pub(crate) const MAGIC_V1: u32 = 0x0BD1_0BD0;
pub(crate) const MAGIC_V3: u32 = 0x0BD3_0BD0;
/// `LOV_PATTERN_RAID0`.
const RAID0: u32 = 1;
/// `LOV_MAXPOOLNAME`, bytes.
const POOL_NAME_MAX: usize = 15;
/// `LOV_MAX_STRIPE_COUNT`.
const STRIPE_COUNT_MAX: i64 = 2000;
/// `LOV_MIN_STRIPE_SIZE`, bytes.
const STRIPE_SIZE_MIN: i64 = 65536;

/// The layout of new files that the settings request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LustreLayout {
    /// In Lustre's encoding: 0 is the directory's default, all ones are all targets.
    stripe_count: u16,
    /// Bytes; 0 is the directory's default.
    stripe_size: u32,
    /// In Lustre's encoding: all ones let the system choose.
    first_target: u16,
    pool: String,
    ignore_locks: bool,
}

impl LustreLayout {
    /// The layout that the settings request, if Lustre allows it.
    pub(super) fn new(settings: &Settings) -> Result<Self, Usage> {
        let number = |name: &str| settings.number(&format!("posix.lustre.{name}"));
        let count = number("stripecount").unwrap_or(0);
        if !(-1..=STRIPE_COUNT_MAX).contains(&count) {
            return Err(Usage(format!(
                "--posix.lustre.stripecount={count}: give 0 to {STRIPE_COUNT_MAX}, or -1 for all targets"
            )));
        }
        let size = number("stripesize").unwrap_or(0);
        let stripe_size =
            u32::try_from(size).ok().filter(|_| size % STRIPE_SIZE_MIN == 0).ok_or_else(|| {
                Usage(format!("--posix.lustre.stripesize={size}: give a multiple of 64k below 4g, or 0"))
            })?;
        let start = number("startost").unwrap_or(-1);
        if !(-1..i64::from(u16::MAX)).contains(&start) {
            return Err(Usage(format!("--posix.lustre.startost={start}: give a target's number, or -1")));
        }
        let pool = settings.text("posix.lustre.pool").unwrap_or_default().to_owned();
        if pool.len() > POOL_NAME_MAX {
            return Err(Usage(format!(
                "--posix.lustre.pool={pool}: a pool's name has at most {POOL_NAME_MAX} bytes"
            )));
        }
        let ignore_locks = settings.flag("posix.lustre.ignorelocks");
        let (stripe_count, first_target) = (count as i16 as u16, start as i32 as u16);
        Ok(Self { stripe_count, stripe_size, first_target, pool, ignore_locks })
    }

    /// Whether new files get a layout other than their directory's default.
    pub(super) fn is_set(&self) -> bool {
        self.stripe_count != 0 || self.only_lustre_has_it()
    }

    /// Whether the layout is more than one stripe: a file on any file system has one stripe.
    fn only_lustre_has_it(&self) -> bool {
        let free = self.first_target == u16::MAX && self.stripe_size == 0 && self.pool.is_empty();
        self.stripe_count > 1 || !free
    }

    /// Creates a file with this layout; `None` where every file has the layout anyway.
    pub(super) fn create(&self, path: &Path, flags: OFlags) -> io::Result<Option<OwnedFd>> {
        let dir = files::directory_of(path);
        let found = fs::statfs(dir)?.f_type as u64;
        if found != LUSTRE {
            return if self.only_lustre_has_it() { Err(elsewhere(found)) } else { Ok(None) };
        }
        let flags = flags | OFlags::CREATE | OFlags::EXCL | OFlags::from_bits_retain(DELAY_CREATE);
        let fd = match calls::open(path, flags, 0o664) {
            Err(Errno::EXIST) => {
                let why = "its Lustre layout cannot be changed. Remove it, leave out -E, \
                           or leave out the lustre options";
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
            opened => opened?,
        };
        let layout = self.user_md();
        // SAFETY: the first word of the bytes names their version of `lov_user_md`, and the call reads this
        // version; the descriptor is open.
        let set = answered(unsafe { libc::ioctl(fd.as_raw_fd(), SET_STRIPE, layout.as_ptr()) });
        set.map(|()| Some(fd)).map_err(|error| {
            // An empty file without the requested layout would block the next attempt.
            let _ = calls::unlink(path);
            crate::call_error::reworded(&error, format!("cannot set the Lustre layout: {error}"))
        })
    }

    /// Disables Lustre's locks for this file, if the settings request it.
    pub(super) fn ignore_locks(&self, fd: &OwnedFd, path: &Path) -> io::Result<()> {
        if !self.ignore_locks {
            return Ok(());
        }
        let found = fs::fstatfs(fd)?.f_type as u64;
        if found != LUSTRE {
            return Err(elsewhere(found));
        }
        let flags = IGNORE_LOCK;
        // SAFETY: the call reads an `int`, which outlives it; the descriptor is open.
        answered(unsafe { libc::ioctl(fd.as_raw_fd(), SET_FLAGS, &raw const flags) }).map_err(|error| {
            let what = format!("{}: cannot switch off Lustre's locks: {error}", path.display());
            crate::call_error::reworded(&error, what)
        })
    }

    /// The layout as `lov_user_md_v1`, or `lov_user_md_v3` with a pool; both are packed.
    fn user_md(&self) -> Vec<u8> {
        let magic = if self.pool.is_empty() { MAGIC_V1 } else { MAGIC_V3 };
        let mut bytes = Vec::with_capacity(48);
        bytes.extend(magic.to_ne_bytes());
        bytes.extend(RAID0.to_ne_bytes());
        // lmm_oi: the object's identifier, which the system sets.
        bytes.extend([0; 16]);
        bytes.extend(self.stripe_size.to_ne_bytes());
        bytes.extend(self.stripe_count.to_ne_bytes());
        bytes.extend(self.first_target.to_ne_bytes());
        if magic == MAGIC_V3 {
            let mut name = [0; POOL_NAME_MAX + 1];
            name[..self.pool.len()].copy_from_slice(self.pool.as_bytes());
            bytes.extend(name);
        }
        bytes
    }
}

/// The error that a path is not on Lustre, with the file system type from `statfs`.
fn elsewhere(magic: u64) -> io::Error {
    let name = match magic {
        0xef53 => "ext4".to_owned(),
        0x5846_5342 => "xfs".to_owned(),
        0x9123_683e => "btrfs".to_owned(),
        0x0102_1994 => "tmpfs".to_owned(),
        0x794c_7630 => "overlayfs".to_owned(),
        0x6969 => "nfs".to_owned(),
        0x4750_4653 => "gpfs".to_owned(),
        0x1983_0326 => "beegfs".to_owned(),
        0x00c3_6400 => "cephfs".to_owned(),
        0x6573_5546 => "fuse".to_owned(),
        0x2fc1_2fc1 => "zfs".to_owned(),
        other => format!("a file system of type {other:#x}"),
    };
    io::Error::new(
        io::ErrorKind::Unsupported,
        format!("not on Lustre (found {name}). Leave out the lustre options"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(words: &[(&str, &str)]) -> Result<LustreLayout, Usage> {
        let mut settings = Settings::default();
        words.iter().for_each(|(name, value)| settings.set(&format!("posix.lustre.{name}"), *value));
        LustreLayout::new(&settings)
    }

    #[test]
    fn the_ioctl_numbers_equal_those_of_the_header() {
        // The values that a C compiler computes from lustre_user.h on x86_64 and aarch64.
        assert_eq!(SET_STRIPE, 0x4008_669a);
        assert_eq!(SET_FLAGS, 0x4008_6698);
        if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            assert_eq!(DELAY_CREATE, 0o100_020_400);
        }
    }

    #[test]
    fn a_layout_without_a_pool_is_a_v1_of_32_bytes() {
        let layout = layout(&[("stripecount", "4"), ("stripesize", "1048576"), ("startost", "3")]).unwrap();
        let mut expected = vec![0xd0, 0x0b, 0xd1, 0x0b, 1, 0, 0, 0];
        expected.extend([0; 16]);
        expected.extend([0, 0, 0x10, 0, 4, 0, 3, 0]);
        assert_eq!(layout.user_md(), expected);
        assert!(layout.is_set());
    }

    #[test]
    fn a_layout_with_a_pool_is_a_v3_of_48_bytes() {
        let layout = layout(&[("pool", "flash"), ("stripecount", "-1")]).unwrap();
        let mut expected = vec![0xd0, 0x0b, 0xd3, 0x0b, 1, 0, 0, 0];
        expected.extend([0; 16]);
        expected.extend([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
        expected.extend(*b"flash\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(layout.user_md(), expected);
    }

    #[test]
    fn invalid_layout_options_are_rejected_with_the_valid_values() {
        for (name, value, word) in [
            ("stripecount", "2001", "0 to 2000"),
            ("stripecount", "-2", "0 to 2000"),
            ("stripesize", "100000", "multiple of 64k"),
            ("stripesize", "4294967296", "below 4g"),
            ("startost", "65535", "target's number"),
            ("pool", "sixteen-letters-", "15 bytes"),
        ] {
            let error = layout(&[(name, value)]).expect_err("rejected");
            assert!(error.0.contains(word) && error.0.contains(value), "{}", error.0);
        }
    }

    #[test]
    fn outside_lustre_only_one_stripe_is_accepted_and_the_error_names_the_file_system() {
        let dir = tempfile::tempdir_in("/dev/shm").unwrap();
        let path = dir.path().join("f");
        for count in ["0", "1"] {
            let one = layout(&[("stripecount", count)]).unwrap();
            assert!(one.create(&path, OFlags::RDWR).unwrap().is_none());
        }
        for more in [("stripecount", "2"), ("stripesize", "65536"), ("startost", "0"), ("pool", "p")] {
            let error = layout(&[more]).unwrap().create(&path, OFlags::RDWR).unwrap_err();
            assert_eq!(
                error.to_string(),
                "not on Lustre (found tmpfs). Leave out the lustre options",
                "{more:?}"
            );
        }
        assert!(!path.exists(), "no file was created");
    }
}
