//! Files of CephFS by libcephfs, without a mount: each process is a client of its own.
//!
//! Options are those of IOR 4.1; each has the library's default, so that none is required. A path may begin
//! with `cephfs:`, or with the `prefix` of IOR. The rest is a path below `remote_prefix`.
//!
//! Written data lies in the memory of the process until it is flushed: by a sync, at the latest by the end.
//! The library also answers reads from this memory, and does not report whether it did. So all that the
//! process has moved counts as cached: an upper limit, since old data leaves the memory.
#![allow(unsafe_code)]

mod mount;

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use command::{CEPHFS, Settings};
use ffi::cephfs::{BASIC_STATS, CephMountInfo, CephStatx, CephfsLibrary, Functions};
use ranks::Comm;
use units::Usage;

use crate::backends::Driver;
use crate::libraries::LibraryKind;
use crate::{File, Mode, NameStatus, Names, Open, PageCache, Space, Storage, StorageLibrary, files};
use mount::Mount;

pub(super) const DRIVER: Driver = Driver { name: "cephfs", library: Some(&KIND), open };

/// The library, with the file names of its releases.
pub(super) const KIND: LibraryKind = LibraryKind {
    name: "libcephfs",
    variable: "ASSAY_CEPHFS_LIBRARY",
    homes: &["CEPH_ROOT"],
    folders: &[],
    names: &["libcephfs.so.2", "libcephfs.so"],
    is_on_mpi: false,
    version: |path| CephfsLibrary::load(path).map(|library| library.version).map_err(|error| error.why),
    advice: "Debian: apt-get install libcephfs2",
};

/// The most bytes of one transfer: the library returns their count as an `int`.
const BYTES_MAX: usize = 1 << 30;

type Handle = *mut CephMountInfo;
type Text = *const c_char;

/// What the settings ask for.
#[derive(Debug, Default)]
struct CephfsSettings {
    user: Option<CString>,
    config: Option<CString>,
    root: Option<CString>,
    prefix: Vec<u8>,
    lazy: bool,
}

struct Cephfs {
    settings: CephfsSettings,
    mount: OnceLock<Result<Arc<Mount>, String>>,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let text = |name: &str| {
        let given = settings.text(&format!("cephfs.{name}"));
        given.map(|text| CString::new(text).map_err(|_| Usage(format!("--cephfs.{name}: has a zero byte"))))
    };
    let settings = CephfsSettings {
        user: text("user").transpose()?,
        config: text("conf").transpose()?,
        root: text("remote_prefix").transpose()?,
        prefix: text("prefix").transpose()?.map(CString::into_bytes).unwrap_or_default(),
        lazy: settings.flag("cephfs.olazy"),
    };
    Ok(Box::new(Cephfs { settings, mount: OnceLock::new() }))
}

impl Cephfs {
    /// The mount, which the first caller makes.
    fn mount(&self) -> io::Result<&Arc<Mount>> {
        let made = self.mount.get_or_init(|| Mount::make(&self.settings).map(Arc::new));
        made.as_ref().map_err(|why| io::Error::other(why.clone()))
    }

    /// A path of CephFS: without its scheme or prefix, and absolute.
    fn inner(&self, path: &[u8]) -> io::Result<CString> {
        let short = path
            .strip_prefix(CEPHFS.as_bytes())
            .or_else(|| path.strip_prefix(self.settings.prefix.as_slice()));
        let short = short.unwrap_or(path);
        let slash: &[u8] = if short.starts_with(b"/") { b"" } else { b"/" };
        CString::new([slash, short].concat()).map_err(|_| io::ErrorKind::InvalidInput.into())
    }

    /// Makes a call on a path.
    fn at(&self, path: &[u8], call: impl FnOnce(&Functions, Handle, Text) -> c_int) -> io::Result<usize> {
        let inner = self.inner(path)?;
        self.mount()?.call(|f, mount| call(f, mount, inner.as_ptr()))
    }

    /// The same for a call that returns no number.
    fn name(&self, path: &CStr, call: impl FnOnce(&Functions, Handle, Text) -> c_int) -> io::Result<()> {
        self.at(path.to_bytes(), call).map(|_| ())
    }

    fn status(&self, path: &[u8], flags: c_int) -> io::Result<CephStatx> {
        let (mut status, flags) = (MaybeUninit::zeroed(), flags as c_uint);
        let into = status.as_mut_ptr();
        // SAFETY: the place has the library's layout.
        self.at(path, |f, mount, path| unsafe { (f.statx)(mount, path, into, BASIC_STATS, flags) })?;
        // SAFETY: all fields are numbers, for which zero is a value.
        Ok(unsafe { status.assume_init() })
    }
}

impl StorageLibrary for Cephfs {
    fn load(&self) -> Result<(), Usage> {
        self.mount().map(|_| ()).map_err(|error| Usage(error.to_string()))
    }

    fn version(&self) -> String {
        self.mount().map_or(String::new(), |mount| mount.version().to_owned())
    }
}

impl Storage for Cephfs {
    fn open(&self, _comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let (flags, permissions) = match how.mode {
            Mode::Write => (libc::O_RDWR | libc::O_CREAT, 0o664),
            Mode::Read => (libc::O_RDONLY, 0),
            Mode::Update => (libc::O_WRONLY, 0),
            Mode::Truncate => (libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC, 0o666),
        };
        let (mount, path) = (Arc::clone(self.mount()?), self.inner(path.as_os_str().as_bytes())?);
        // SAFETY: the mount is live and the path is a text; so for all calls on a path.
        let number = mount.call(|f, mount| unsafe { (f.open)(mount, path.as_ptr(), flags, permissions) })?;
        let file = CephfsFile { mount, path, number: Some(number as c_int), moved: Vec::new() };
        if self.settings.lazy {
            // SAFETY: the mount is live and the number is an open file; so for all calls on a file.
            file.call(|f, mount, file| unsafe { (f.lazyio)(mount, file, 1) })?;
        }
        Ok(Box::new(file))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        // SAFETY: see `open`.
        let unlink = |f: &Functions, mount, path| unsafe { (f.unlink)(mount, path) };
        self.at(path.as_os_str().as_bytes(), unlink).map(|_| ())
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        match self.status(path.as_os_str().as_bytes(), 0) {
            Ok(status) => Ok(Some(status.size)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn space(&self, path: &Path) -> io::Result<Option<Space>> {
        let mut found = MaybeUninit::<libc::statvfs>::zeroed();
        let into = found.as_mut_ptr();
        // SAFETY: the place is a `struct statvfs`.
        let statfs = |f: &Functions, mount, path| unsafe { (f.statfs)(mount, path, into) };
        self.at(path.as_os_str().as_bytes(), statfs)?;
        // SAFETY: all fields are numbers, for which zero is a value.
        Ok(Some(files::space_of(&unsafe { found.assume_init() })))
    }

    fn library(&self) -> Option<&dyn StorageLibrary> {
        Some(self)
    }

    fn names(&self) -> Option<&dyn Names> {
        Some(self)
    }

    fn mounted(&self) -> Option<&dyn Names> {
        None
    }

    fn page_cache(&self, path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        let moved = self.mount()?.moved_of(&self.inner(path.as_os_str().as_bytes())?);
        Ok(Some(Box::new(ClientMemory(moved))))
    }

    fn sync_all(&self, _path: &Path) -> io::Result<()> {
        // SAFETY: the mount is live.
        self.mount()?.call(|f, mount| unsafe { (f.sync_fs)(mount) }).map(|_| ())
    }

    fn direct(&self) -> bool {
        false
    }
}

impl Names for Cephfs {
    fn make_dir(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        // SAFETY: see `open`; so in all methods.
        self.name(path, |f, mount, path| unsafe { (f.mkdir)(mount, path, permissions) })
    }

    fn remove_dir(&self, path: &CStr) -> io::Result<()> {
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.rmdir)(mount, path) })
    }

    fn make_node(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        let mode = libc::S_IFREG | permissions;
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.mknod)(mount, path, mode, 0) })
    }

    fn unlink(&self, path: &CStr) -> io::Result<()> {
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.unlink)(mount, path) })
    }

    fn stat(&self, path: &CStr) -> io::Result<NameStatus> {
        self.status(path.to_bytes(), 0).map(|found| entry(&found))
    }

    fn lstat(&self, path: &CStr) -> io::Result<NameStatus> {
        self.status(path.to_bytes(), libc::AT_SYMLINK_NOFOLLOW).map(|found| entry(&found))
    }

    fn statx(&self, path: &CStr) -> io::Result<NameStatus> {
        self.stat(path)
    }

    fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        let to = self.inner(to.to_bytes())?;
        // SAFETY: see above.
        self.name(from, |f, mount, from| unsafe { (f.rename)(mount, from, to.as_ptr()) })
    }

    fn link(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        let to = self.inner(to.to_bytes())?;
        // SAFETY: see above.
        self.name(from, |f, mount, from| unsafe { (f.link)(mount, from, to.as_ptr()) })
    }

    fn symlink(&self, target: &CStr, path: &CStr) -> io::Result<()> {
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.symlink)(mount, target.as_ptr(), path) })
    }

    fn chmod(&self, path: &CStr, permissions: u32) -> io::Result<()> {
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.chmod)(mount, path, permissions) })
    }

    fn truncate(&self, path: &CStr, bytes: u64) -> io::Result<()> {
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.truncate)(mount, path, bytes as i64) })
    }

    fn set_attribute(&self, path: &CStr, name: &CStr, value: &[u8]) -> io::Result<()> {
        let (name, from, bytes) = (name.as_ptr(), value.as_ptr().cast(), value.len());
        // SAFETY: as above; the value has these bytes, and the call only reads them.
        self.name(path, |f, mount, path| unsafe { (f.setxattr)(mount, path, name, from, bytes, 0) })
    }

    fn get_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        let (name, into, bytes) = (name.as_ptr(), value.as_mut_ptr().cast(), value.len());
        // SAFETY: as above; the place has these bytes, and only this call uses it.
        self.at(path.to_bytes(), |f, mount, path| unsafe { (f.getxattr)(mount, path, name, into, bytes) })
    }

    fn remove_attribute(&self, path: &CStr, name: &CStr) -> io::Result<()> {
        // SAFETY: see above.
        self.name(path, |f, mount, path| unsafe { (f.removexattr)(mount, path, name.as_ptr()) })
    }

    fn list(&self, path: &CStr, each: &mut dyn FnMut(&CStr, Option<bool>)) -> io::Result<u64> {
        let (mount, mut directory, mut count) = (self.mount()?, std::ptr::null_mut(), 0);
        let opened = &raw mut directory;
        // SAFETY: as above; the place is live.
        self.name(path, |f, mount, path| unsafe { (f.opendir)(mount, path, opened) })?;
        let mut entry = MaybeUninit::<libc::dirent>::zeroed();
        let into = entry.as_mut_ptr();
        // SAFETY: the directory is open, and the place is the C library's `struct dirent`.
        let next = || mount.call(|f, mount| unsafe { (f.readdir_r)(mount, directory, into) });
        let ended = loop {
            match next() {
                Ok(0) => break Ok(count),
                Err(error) => break Err(error),
                Ok(_) => {}
            }
            // SAFETY: the call has written the entry, whose name ends in a zero byte.
            let (name, kind) = unsafe { (CStr::from_ptr((*into).d_name.as_ptr()), (*into).d_type) };
            if name != c"." && name != c".." {
                count += 1;
                each(name, (kind != libc::DT_UNKNOWN).then_some(kind == libc::DT_DIR));
            }
        };
        // SAFETY: the directory is open, and is not used again.
        let closed = mount.call(|f, mount| unsafe { (f.closedir)(mount, directory) });
        ended.and_then(|count| closed.map(|_| count))
    }
}

fn entry(found: &CephStatx) -> NameStatus {
    let kind = libc::mode_t::from(found.mode) & libc::S_IFMT;
    NameStatus { directory: kind == libc::S_IFDIR, bytes: found.size }
}

/// An open file.
struct CephfsFile {
    mount: Arc<Mount>,
    path: CString,
    /// The library's number of it; `None` once it is closed.
    number: Option<c_int>,
    /// The ranges that were moved through it, joined if they follow each other.
    moved: Vec<(u64, u64)>,
}

/// The ranges of a file, as offset and end, that may be in the memory of this process: in order and apart.
struct ClientMemory(Vec<(u64, u64)>);

impl PageCache for ClientMemory {
    fn resident(&mut self, ranges: &[(u64, u64)]) -> io::Result<f64> {
        let all: u64 = ranges.iter().map(|(_, length)| length).sum();
        let within = |(from, length): &(u64, u64)| -> u64 {
            let (end, first) = (from + length, self.0.partition_point(|(_, stop)| stop <= from));
            let each = self.0[first..].iter().take_while(|(begin, _)| *begin < end);
            each.map(|(begin, stop)| end.min(*stop) - *begin.max(from)).sum()
        };
        Ok(ranges.iter().map(within).sum::<u64>() as f64 / all.max(1) as f64)
    }

    fn evict(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl CephfsFile {
    fn call(&self, call: impl FnOnce(&Functions, Handle, c_int) -> c_int) -> io::Result<usize> {
        let number = self.number.expect("only closing takes it");
        self.mount.call(|f, mount| call(f, mount, number))
    }

    fn note(&mut self, moved: &io::Result<usize>, offset: u64) {
        let Ok(bytes) = moved else { return };
        let end = offset + *bytes as u64;
        match self.moved.last_mut() {
            Some(last) if last.1 == offset => last.1 = end,
            _ => self.moved.push((offset, end)),
        }
    }

    fn close_once(&mut self) -> io::Result<()> {
        let Some(number) = self.number.take() else { return Ok(()) };
        self.mount.note_moved(&self.path, std::mem::take(&mut self.moved));
        // SAFETY: the mount is live and the number is an open file, which is not used again.
        self.mount.call(|f, mount| unsafe { (f.close)(mount, number) }).map(|_| ())
    }
}

impl File for CephfsFile {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let (from, bytes) = (data.as_ptr().cast(), data.len().min(BYTES_MAX) as i64);
        // SAFETY: see `open`; the data has at least these bytes, and the call only reads them.
        let moved = self.call(|f, mount, file| unsafe { (f.write)(mount, file, from, bytes, offset as i64) });
        self.note(&moved, offset);
        moved
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let (into, bytes) = (data.as_mut_ptr().cast(), data.len().min(BYTES_MAX) as i64);
        // SAFETY: see `open`; the place has at least these bytes, and only this call uses it.
        let moved = self.call(|f, mount, file| unsafe { (f.read)(mount, file, into, bytes, offset as i64) });
        self.note(&moved, offset);
        moved
    }

    fn sync(&mut self) -> io::Result<()> {
        // SAFETY: see `open`.
        self.call(|f, mount, file| unsafe { (f.fsync)(mount, file, 0) }).map(|_| ())
    }

    fn size(&mut self) -> io::Result<u64> {
        let mut status = MaybeUninit::<CephStatx>::zeroed();
        let into = status.as_mut_ptr();
        // SAFETY: see `open`; the place has the library's layout.
        self.call(|f, mount, file| unsafe { (f.fstatx)(mount, file, into, BASIC_STATS, 0) })?;
        // SAFETY: all fields are numbers, for which zero is a value.
        Ok(unsafe { status.assume_init() }.size)
    }

    fn close(mut self: Box<Self>) -> io::Result<()> {
        self.close_once()
    }
}

impl Drop for CephfsFile {
    fn drop(&mut self) {
        // The phase that leaves a file open reports an error of its own.
        let _ = self.close_once();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_the_process_has_moved_counts_as_cached() {
        let mut moved = vec![(400, 500), (0, 100), (50, 150)];
        mount::join(&mut moved);
        assert_eq!(moved, [(0, 150), (400, 500)]);
        let mut memory = ClientMemory(moved);
        for (ranges, share) in [
            (&[(0, 100)][..], 1.0),
            (&[(100, 100)], 0.5),
            (&[(200, 100)], 0.0),
            (&[(350, 100), (200, 100)], 0.25),
            (&[], 0.0),
        ] {
            assert_eq!(memory.resident(ranges).unwrap(), share, "{ranges:?}");
        }
        assert!(memory.evict().is_err());
    }

    #[test]
    fn a_path_is_taken_without_its_scheme_or_prefix_and_is_absolute() {
        let settings = CephfsSettings { prefix: b"/mnt/ceph".to_vec(), ..CephfsSettings::default() };
        let storage = Cephfs { settings, mount: OnceLock::new() };
        for (path, inner) in [
            ("cephfs:/bench/f", c"/bench/f"),
            ("cephfs:f", c"/f"),
            ("/mnt/ceph/f", c"/f"),
            ("/mnt/ceph", c"/"),
            ("/bench/f", c"/bench/f"),
            ("f", c"/f"),
        ] {
            assert_eq!(storage.inner(path.as_bytes()).unwrap().as_c_str(), inner, "{path}");
        }
    }
}
