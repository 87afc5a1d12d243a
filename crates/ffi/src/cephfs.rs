//! libcephfs: the functions that open a CephFS without a mount, as `libcephfs.h` of Ceph 16 declares them.
//! Releases since 15 have the same declarations.
//!
//! A call returns 0 or a count, or the negative number of an error.
//!
//! Invariant: a [`CephfsLibrary`] is complete (every function was found) and lives forever.
//! Never here: the search for the library, mounts, paths.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::Path;

use crate::loaded::{LoadError, functions, open};

/// `struct ceph_mount_info`, an opened file system.
#[repr(C)]
#[derive(Debug)]
pub struct CephMountInfo([u8; 0]);

/// `struct ceph_dir_result`, an open directory.
#[repr(C)]
#[derive(Debug)]
pub struct CephDirectory([u8; 0]);

/// `struct ceph_statx`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the names are those of the library")]
pub struct CephStatx {
    pub mask: u32,
    pub blksize: u32,
    pub nlink: u32,
    pub uid: u32,
    pub gid: u32,
    pub mode: u16,
    pub ino: u64,
    pub size: u64,
    pub blocks: u64,
    pub dev: libc::dev_t,
    pub rdev: libc::dev_t,
    pub atime: libc::timespec,
    pub ctime: libc::timespec,
    pub mtime: libc::timespec,
    pub btime: libc::timespec,
    pub version: u64,
}

/// `CEPH_STATX_BASIC_STATS`: the fields of `struct stat`.
pub const BASIC_STATS: c_uint = 0x7ff;

functions! {
    /// The functions of a loaded libcephfs.
    ///
    /// Calling one is `unsafe`: the mount and all pointers must be live, and pointers must fit the counts.
    /// Calls on files and names are allowed between `mount` and `unmount`, by any thread.

    version = "ceph_version" (major: *mut c_int, minor: *mut c_int, patch: *mut c_int) -> *const c_char;
    create = "ceph_create" (mount: *mut *mut CephMountInfo, user: *const c_char);
    conf_read_file = "ceph_conf_read_file" (mount: *mut CephMountInfo, path: *const c_char);
    conf_parse_env = "ceph_conf_parse_env" (mount: *mut CephMountInfo, variable: *const c_char);
    mount = "ceph_mount" (mount: *mut CephMountInfo, root: *const c_char);
    unmount = "ceph_unmount" (mount: *mut CephMountInfo);
    release = "ceph_release" (mount: *mut CephMountInfo);
    statfs = "ceph_statfs" (mount: *mut CephMountInfo, path: *const c_char, into: *mut libc::statvfs);
    sync_fs = "ceph_sync_fs" (mount: *mut CephMountInfo);

    // Files.
    open = "ceph_open" (
        mount: *mut CephMountInfo, path: *const c_char, flags: c_int, permissions: libc::mode_t
    );
    lazyio = "ceph_lazyio" (mount: *mut CephMountInfo, file: c_int, enable: c_int);
    read = "ceph_read" (
        mount: *mut CephMountInfo, file: c_int, into: *mut c_char, bytes: i64, offset: i64
    );
    write = "ceph_write" (
        mount: *mut CephMountInfo, file: c_int, from: *const c_char, bytes: i64, offset: i64
    );
    fsync = "ceph_fsync" (mount: *mut CephMountInfo, file: c_int, only_data: c_int);
    fstatx = "ceph_fstatx" (
        mount: *mut CephMountInfo, file: c_int, into: *mut CephStatx, fields: c_uint, flags: c_uint
    );
    close = "ceph_close" (mount: *mut CephMountInfo, file: c_int);

    // Names.
    statx = "ceph_statx" (
        mount: *mut CephMountInfo, path: *const c_char, into: *mut CephStatx, fields: c_uint, flags: c_uint
    );
    mkdir = "ceph_mkdir" (mount: *mut CephMountInfo, path: *const c_char, permissions: libc::mode_t);
    rmdir = "ceph_rmdir" (mount: *mut CephMountInfo, path: *const c_char);
    mknod = "ceph_mknod" (
        mount: *mut CephMountInfo, path: *const c_char, mode: libc::mode_t, device: libc::dev_t
    );
    unlink = "ceph_unlink" (mount: *mut CephMountInfo, path: *const c_char);
    rename = "ceph_rename" (mount: *mut CephMountInfo, from: *const c_char, to: *const c_char);
    link = "ceph_link" (mount: *mut CephMountInfo, from: *const c_char, to: *const c_char);
    symlink = "ceph_symlink" (mount: *mut CephMountInfo, target: *const c_char, path: *const c_char);
    chmod = "ceph_chmod" (mount: *mut CephMountInfo, path: *const c_char, permissions: libc::mode_t);
    truncate = "ceph_truncate" (mount: *mut CephMountInfo, path: *const c_char, bytes: i64);
    setxattr = "ceph_setxattr" (
        mount: *mut CephMountInfo, path: *const c_char, name: *const c_char, value: *const c_void,
        bytes: libc::size_t, flags: c_int
    );
    getxattr = "ceph_getxattr" (
        mount: *mut CephMountInfo, path: *const c_char, name: *const c_char, into: *mut c_void,
        bytes: libc::size_t
    );
    removexattr = "ceph_removexattr" (mount: *mut CephMountInfo, path: *const c_char, name: *const c_char);
    opendir = "ceph_opendir" (
        mount: *mut CephMountInfo, path: *const c_char, directory: *mut *mut CephDirectory
    );
    readdir_r = "ceph_readdir_r" (
        mount: *mut CephMountInfo, directory: *mut CephDirectory, entry: *mut libc::dirent
    );
    closedir = "ceph_closedir" (mount: *mut CephMountInfo, directory: *mut CephDirectory);
}

/// A loaded libcephfs.
#[derive(Debug)]
pub struct CephfsLibrary {
    /// The table of its C functions.
    pub functions: Functions,
    /// Its version, such as `16.2.15`.
    pub version: String,
}

impl CephfsLibrary {
    /// Loads the library at `path`, or of that name in the system's search path, until the program ends.
    ///
    /// Fails if there is no such library, or if it lacks a function.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        // SAFETY: the caller requests libcephfs, whose constructors require nothing from the program.
        let loaded = unsafe { open(path) }?;
        let functions = Functions::find(loaded).map_err(|why| LoadError { library: path.to_owned(), why })?;
        let nowhere = std::ptr::null_mut();
        // SAFETY: a number without a place is not written, and the text is a constant.
        let version = unsafe { CStr::from_ptr((functions.version)(nowhere, nowhere, nowhere)) };
        Ok(Self { version: version.to_string_lossy().into_owned(), functions })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_libcephfs_is_rejected_with_the_missing_symbol() {
        let error = CephfsLibrary::load("libc.so.6").expect_err("libc is not libcephfs");
        assert_eq!(error.to_string(), "libc.so.6: has no symbol ceph_version");
    }
}
