//! The mount of this process.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_int};
use std::io;
use std::ptr::{null, null_mut};
use std::sync::{Mutex, PoisonError};

use ffi::cephfs::{CephMountInfo, CephfsLibrary, Functions};

use super::{CephfsSettings, KIND};

/// A mounted file system. Its end flushes what was written and unmounts it.
#[derive(Debug)]
pub(super) struct Mount {
    library: CephfsLibrary,
    handle: *mut CephMountInfo,
    /// The ranges, as offset and end, that were moved through files that are closed now, by path.
    moved: Mutex<HashMap<CString, Vec<(u64, u64)>>>,
}

// SAFETY: the library serializes the calls of several threads on a mount, and binds none to a thread.
unsafe impl Send for Mount {}
// SAFETY: as above.
unsafe impl Sync for Mount {}

/// The number that a call returns, or its error.
fn answered(answer: c_int) -> io::Result<usize> {
    usize::try_from(answer).map_err(|_| io::Error::from_raw_os_error(answer.saturating_neg()))
}

/// A text, or null.
fn text(given: Option<&CString>) -> *const c_char {
    given.map_or(null(), |text| text.as_ptr())
}

impl Mount {
    /// Loads the library and mounts as the settings say; an error is one line with a remedy.
    pub(super) fn make(settings: &CephfsSettings) -> Result<Self, String> {
        let found = KIND.found().into_iter().next().ok_or_else(|| KIND.missing())?;
        let library = CephfsLibrary::load(found.path).map_err(|error| error.to_string())?;
        let mut handle = null_mut();
        // SAFETY: the place for the handle is live, and the name is null or a text.
        answered(unsafe { (library.functions.create)(&raw mut handle, text(settings.user.as_ref())) })
            .map_err(|error| format!("libcephfs: {error}"))?;
        match mount(&library.functions, handle, settings) {
            Ok(()) => Ok(Self { library, handle, moved: Mutex::default() }),
            Err(why) => {
                // SAFETY: the handle is live and not mounted, and is not used again.
                unsafe { (library.functions.release)(handle) };
                Err(why)
            }
        }
    }

    /// The version of the library.
    pub(super) fn version(&self) -> &str {
        &self.library.version
    }

    /// Notes ranges that were moved through a file.
    pub(super) fn note_moved(&self, path: &CStr, ranges: Vec<(u64, u64)>) {
        if !ranges.is_empty() {
            let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
            moved.entry(path.to_owned()).or_default().extend(ranges);
        }
    }

    /// The ranges of a file that were moved, in order and apart. They are joined here and not when they are
    /// noted, because a file is closed within the clock.
    pub(super) fn moved_of(&self, path: &CStr) -> Vec<(u64, u64)> {
        let mut moved = self.moved.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(ranges) = moved.get_mut(path) else { return Vec::new() };
        join(ranges);
        ranges.clone()
    }

    /// Makes a call on the mount.
    pub(super) fn call(
        &self,
        call: impl FnOnce(&Functions, *mut CephMountInfo) -> c_int,
    ) -> io::Result<usize> {
        answered(call(&self.library.functions, self.handle))
    }
}

/// Sorts ranges, and makes one of those that touch.
pub(super) fn join(ranges: &mut Vec<(u64, u64)>) {
    ranges.sort_unstable();
    ranges.dedup_by(|next, last| {
        let touches = next.0 <= last.1;
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
}

/// Reads the configuration, then the options of `CEPH_ARGS`, as all programs of Ceph do; and mounts.
fn mount(functions: &Functions, handle: *mut CephMountInfo, settings: &CephfsSettings) -> Result<(), String> {
    let shown = |given: Option<&CString>, default: &CStr| {
        given.map_or(default, CString::as_c_str).to_string_lossy().into_owned()
    };
    let config = settings.config.as_ref();
    // SAFETY: the handle is live and not mounted. The path is a text, or null for those of Ceph.
    answered(unsafe { (functions.conf_read_file)(handle, text(config)) }).map_err(|error| {
        let named = shown(config, c"of Ceph");
        format!("CephFS: cannot read the configuration {named}: {error}. Give --cephfs.conf=FILE")
    })?;
    // SAFETY: as above.
    answered(unsafe { (functions.conf_parse_env)(handle, null()) })
        .map_err(|error| format!("CephFS: CEPH_ARGS: {error}"))?;
    let root = settings.root.as_ref();
    // SAFETY: as above.
    answered(unsafe { (functions.mount)(handle, text(root)) }).map(|_| ()).map_err(|error| {
        let root = shown(root, c"/");
        format!("CephFS: cannot mount {root}: {error}. Check --cephfs.conf and --cephfs.user")
    })
}

impl Drop for Mount {
    fn drop(&mut self) {
        // SAFETY: the handle is live and mounted. All files are closed, since each has a share of the mount.
        unsafe {
            (self.library.functions.unmount)(self.handle);
            (self.library.functions.release)(self.handle);
        }
    }
}
