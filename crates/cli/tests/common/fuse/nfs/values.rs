//! Values of the protocol and those of FUSE.

use std::io;
use std::time::SystemTime;

use fuser::{FileAttr, FileType, TimeOrNow};
use nfs3_client::nfs3_types::nfs3::{Nfs3Option, fattr3, ftype3, nfsstat3, nfstime3};
use nfs3_client::nfs3_types::xdr_codec::{Pack, Unpack};
use rustix::io::Errno;

/// The error number of Linux.
pub(super) fn number(status: nfsstat3) -> Errno {
    match status {
        nfsstat3::NFS3ERR_NAMETOOLONG => Errno::NAMETOOLONG,
        nfsstat3::NFS3ERR_NOTEMPTY => Errno::NOTEMPTY,
        nfsstat3::NFS3ERR_DQUOT => Errno::DQUOT,
        nfsstat3::NFS3ERR_STALE | nfsstat3::NFS3ERR_BADHANDLE => Errno::STALE,
        nfsstat3::NFS3ERR_NOTSUPP => Errno::OPNOTSUPP,
        nfsstat3::NFS3ERR_JUKEBOX => Errno::AGAIN,
        // The others are those of the protocol alone, or have the numbers of Linux.
        other if other as i32 > Errno::RANGE.raw_os_error() => Errno::IO,
        other => Errno::from_raw_os_error(other as i32),
    }
}

pub(super) fn kind(kind: ftype3) -> FileType {
    match kind {
        ftype3::NF3DIR => FileType::Directory,
        ftype3::NF3LNK => FileType::Symlink,
        // Tests make no devices, sockets and pipes.
        _ => FileType::RegularFile,
    }
}

pub(super) fn attributes(found: &fattr3) -> FileAttr {
    FileAttr {
        ino: found.fileid,
        size: found.size,
        blocks: found.used.div_ceil(512),
        atime: found.atime.into(),
        mtime: found.mtime.into(),
        ctime: found.ctime.into(),
        crtime: SystemTime::UNIX_EPOCH,
        kind: kind(found.type_),
        perm: (found.mode & 0o7777) as u16,
        nlink: found.nlink,
        uid: found.uid,
        gid: found.gid,
        rdev: 0,
        blksize: super::PART_BYTES as u32,
        flags: 0,
    }
}

/// A value that is set, if it is given.
pub(super) fn set<T: Pack + Unpack>(value: Option<T>) -> Nfs3Option<T> {
    value.map_or(Nfs3Option::None, Nfs3Option::Some)
}

/// A time that is set: that of the server without a value.
pub(super) fn time(time: TimeOrNow) -> io::Result<Option<nfstime3>> {
    match time {
        TimeOrNow::Now => Ok(None),
        TimeOrNow::SpecificTime(time) => {
            nfstime3::try_from(time).map(Some).map_err(|_| Errno::OVERFLOW.into())
        }
    }
}
