//! A thread of root that works as another user for a while.
//!
//! Only the effective ids of this thread change. Root's effective capabilities go with them, also the one to
//! exceed limits.

use std::io;

use command::quota::UserAndGroup;
use rustix::process::{Gid, Uid, getegid, geteuid, getgroups};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

/// The ids that this thread had before. They are set again when this is dropped.
pub(super) struct Acting(Option<(Uid, Gid, Vec<Gid>)>);

impl Acting {
    /// Works as these ids from now on; with `None` nothing changes.
    pub(super) fn begin(ids: Option<UserAndGroup>) -> io::Result<Self> {
        let Some(UserAndGroup { uid, gid }) = ids else { return Ok(Self(None)) };
        let acting = Self(Some((geteuid(), getegid(), getgroups()?)));
        // The groups come first: another user than root may not change them.
        set_thread_groups(&[Gid::from_raw(gid)])?;
        set_thread_res_gid(None::<Gid>, Gid::from_raw(gid), None::<Gid>)?;
        set_thread_res_uid(None::<Uid>, Uid::from_raw(uid), None::<Uid>)?;
        Ok(acting)
    }
}

impl Drop for Acting {
    fn drop(&mut self) {
        let Some((uid, gid, groups)) = &self.0 else { return };
        // The saved ids are still those of root, so this cannot fail.
        let _ = set_thread_res_uid(None::<Uid>, *uid, None::<Uid>);
        let _ = set_thread_res_gid(None::<Gid>, *gid, None::<Gid>);
        let _ = set_thread_groups(groups);
    }
}
