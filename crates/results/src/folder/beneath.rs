//! Access to the entries of a folder that may come from a stranger.
//!
//! The kernel resolves each path beneath a handle of the folder and rejects links (`openat2`). On an older
//! kernel each component is opened by itself.
//!
//! Invariant: no link below the folder is followed, and nothing outside the folder is opened. Only regular
//! files are read or written. A pipe or a device never blocks.
//! Never here: what the files contain.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};
use std::time::{Duration, SystemTime};

use rustix::fs::{self, AtFlags, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Flags of every opened entry. Without `NONBLOCK`, opening a pipe would wait for its other end.
const SAFE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);
/// A handle of a directory that is only used to reach its entries.
const HANDLE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
/// The same below the folder.
const HANDLE_WITHIN: OFlags = HANDLE.union(OFlags::NOFOLLOW);
/// A directory that is read or flushed.
const LISTED: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(SAFE);
/// The mode of new files, before the umask.
const NEW_FILE: Mode = Mode::from_raw_mode(0o666);

/// Opens the regular file `name` below `dir` for reading.
pub(crate) fn open(dir: &Path, name: &Path) -> io::Result<File> {
    regular(at(dir, name, OFlags::RDONLY | SAFE, Mode::empty())?)
}

/// Opens the regular file `name` below `dir` for reading and appending.
pub(super) fn append(dir: &Path, name: &Path) -> io::Result<File> {
    regular(at(dir, name, OFlags::RDWR | OFlags::APPEND | SAFE, Mode::empty())?)
}

/// Opens the existing regular file `name` below `dir` for writing.
pub(super) fn write(dir: &Path, name: &Path) -> io::Result<File> {
    regular(at(dir, name, OFlags::WRONLY | SAFE, Mode::empty())?)
}

/// Creates the new file `name` below `dir`. It fails if anything has this name, also a link.
pub(super) fn create(dir: &Path, name: &Path) -> io::Result<File> {
    Ok(at(dir, name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | SAFE, NEW_FILE)?.into())
}

/// The contents of the regular file `name` below `dir`. A file with more than `most` bytes is rejected.
pub(super) fn bytes(dir: &Path, name: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(dir, name)?;
    // One byte more, so that the end is found without another buffer.
    let size = file.metadata()?.len().min(most) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(most + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(too_long(most)),
        false => Ok(bytes),
    }
}

/// The error for a file with more than `most` bytes.
pub(super) fn too_long(most: u64) -> io::Error {
    invalid(format!("it has more than {most} bytes, the limit for this file"))
}

/// Renames an entry below `dir`. An entry with the new name is replaced; a link is replaced itself.
pub(super) fn rename(dir: &Path, from: &Path, to: &Path) -> io::Result<()> {
    let ((old, from), (new, to)) = (parent(dir, from)?, parent(dir, to)?);
    Ok(fs::renameat(old, from, new, to)?)
}

/// Removes the entry `name` below `dir`, which is not a directory.
pub(super) fn remove(dir: &Path, name: &Path) -> io::Result<()> {
    let (parent, name) = parent(dir, name)?;
    Ok(fs::unlinkat(parent, name, AtFlags::empty())?)
}

/// Creates the directory `name` below `dir`. An existing directory is accepted if `or_existing` is set.
pub(super) fn create_dir(dir: &Path, name: &Path, or_existing: bool) -> io::Result<()> {
    let (parent, last) = parent(dir, name)?;
    match fs::mkdirat(parent, last, Mode::from_raw_mode(0o777)) {
        Err(Errno::EXIST) if or_existing && kind(dir, name)? == FileType::Directory => Ok(()),
        made => Ok(made?),
    }
}

/// Creates the link `name` below `dir`.
pub(super) fn link(dir: &Path, name: &Path, target: &[u8]) -> io::Result<()> {
    let (parent, name) = parent(dir, name)?;
    Ok(fs::symlinkat(OsStr::from_bytes(target), parent, name)?)
}

/// The kind of the entry `name` below `dir`. A link is a link.
pub(super) fn kind(dir: &Path, name: &Path) -> io::Result<FileType> {
    let (parent, name) = parent(dir, name)?;
    let facts = fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(FileType::from_raw_mode(facts.st_mode))
}

/// When the entry `name` below `dir` last changed.
pub(super) fn modified(dir: &Path, name: &Path) -> io::Result<SystemTime> {
    let (parent, name) = parent(dir, name)?;
    let facts = fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let since = Duration::new(u64::try_from(facts.st_mtime).unwrap_or_default(), 0);
    SystemTime::UNIX_EPOCH.checked_add(since).ok_or_else(|| invalid("it is from the far future".to_owned()))
}

/// The kind of the entry `name` below `dir`, and numbers of which one changes with each change of it. A link
/// is a link.
pub(super) fn numbers(dir: &Path, name: &Path) -> io::Result<(FileType, [u64; 7])> {
    let (parent, name) = parent(dir, name)?;
    let facts = fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?;
    let signed = |number: i64| number as u64;
    let numbers = [
        u64::from(facts.st_mode),
        facts.st_ino,
        signed(facts.st_size),
        signed(facts.st_mtime),
        facts.st_mtime_nsec,
        signed(facts.st_ctime),
        facts.st_ctime_nsec,
    ];
    Ok((FileType::from_raw_mode(facts.st_mode), numbers))
}

/// Whether there is an entry `name` below `dir` of any kind.
pub(super) fn exists(dir: &Path, name: &Path) -> bool {
    kind(dir, name).is_ok()
}

/// Whether `name` below `dir` is a directory.
pub(super) fn is_dir(dir: &Path, name: &Path) -> bool {
    kind(dir, name).is_ok_and(|kind| kind == FileType::Directory)
}

/// The target of the link `name` below `dir`.
pub(super) fn target(dir: &Path, name: &Path) -> io::Result<Vec<u8>> {
    let (parent, name) = parent(dir, name)?;
    Ok(fs::readlinkat(parent, name, Vec::new())?.into_bytes())
}

/// The names in the directory `name` below `dir`, in order. An empty name is `dir` itself.
pub(super) fn names(dir: &Path, name: &Path) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in fs::Dir::read_from(at(dir, name, LISTED, Mode::empty())?)? {
        let name = OsString::from_vec(entry?.file_name().to_bytes().to_vec());
        if name != "." && name != ".." {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// Flushes the directory `name` below `dir` to storage, if the file system supports it.
pub(super) fn flush(dir: &Path, name: &Path) {
    let _ = at(dir, name, LISTED, Mode::empty()).map(fs::fsync);
}

/// The directory and the name of a file with the path `path`.
pub(crate) fn split(path: &Path) -> (&Path, &Path) {
    let dir = path.parent().filter(|dir| *dir != Path::new("")).unwrap_or(Path::new("."));
    (dir, path.file_name().map_or(Path::new(""), Path::new))
}

/// A handle of the directory that contains `name` below `dir`, and the last component of `name`.
fn parent<'n>(dir: &Path, name: &'n Path) -> io::Result<(OwnedFd, &'n OsStr)> {
    let last = name.file_name().ok_or_else(|| outside(name))?;
    Ok((at(dir, name.parent().unwrap_or(Path::new("")), HANDLE_WITHIN, Mode::empty())?, last))
}

fn at(dir: &Path, name: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    if !name.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(outside(name));
    }
    let root = fs::open(dir, HANDLE, Mode::empty())?;
    let name = if name == Path::new("") { Path::new(".") } else { name };
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let opened = match fs::openat2(&root, name, flags, mode, within) {
        // The kernel is older than Linux 5.6, or a sandbox does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => stepwise(root.as_fd(), name, flags, mode),
        opened => opened,
    };
    opened.map_err(plain)
}

/// Opens `name` one component at a time, none of which is a link.
fn stepwise(root: BorrowedFd<'_>, name: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let mut parts = name.components().map(Component::as_os_str).peekable();
    let mut at: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let here = at.as_ref().map_or(root, OwnedFd::as_fd);
        match parts.peek() {
            None => return fs::openat(here, part, flags, mode),
            Some(_) => at = Some(fs::openat(here, part, HANDLE_WITHIN, Mode::empty())?),
        }
    }
    Err(Errno::INVAL)
}

fn regular(file: OwnedFd) -> io::Result<File> {
    match FileType::from_raw_mode(fs::fstat(&file)?.st_mode) {
        FileType::RegularFile => Ok(file.into()),
        _ => Err(invalid("it is not a regular file".to_owned())),
    }
}

/// The error of an entry that cannot be opened because of its kind, in plain words.
fn plain(error: Errno) -> io::Error {
    match error {
        Errno::LOOP => {
            invalid("it is a link, or is reached through one, and links are not followed".to_owned())
        }
        Errno::NXIO | Errno::ISDIR => invalid("it is not a regular file".to_owned()),
        error => error.into(),
    }
}

fn outside(name: &Path) -> io::Error {
    invalid(format!("{} is outside the folder", name.display()))
}

fn invalid(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}

#[cfg(test)]
mod tests {
    use std::fs as std_fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder `c` with a file, a directory and links, next to a file that is not of the folder.
    fn place() -> (tempfile::TempDir, std::path::PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let dir = place.path().join("c");
        std_fs::create_dir_all(dir.join("d")).unwrap();
        std_fs::write(place.path().join("secret"), "secret").unwrap();
        std_fs::write(dir.join("d/file"), "text").unwrap();
        symlink("../secret", dir.join("out")).unwrap();
        symlink("d/file", dir.join("in")).unwrap();
        symlink("d", dir.join("way")).unwrap();
        symlink("..", dir.join("up")).unwrap();
        (place, dir)
    }

    #[test]
    fn no_link_is_followed_and_nothing_outside_is_opened() {
        let (place, dir) = place();
        let root = fs::open(&dir, HANDLE, Mode::empty()).unwrap();
        let older = |name: &str| {
            let opened = stepwise(root.as_fd(), Path::new(name), OFlags::RDONLY | SAFE, Mode::empty());
            opened.map_err(plain).and_then(regular)
        };
        assert_eq!(bytes(&dir, Path::new("d/file"), 4).unwrap(), b"text");
        assert!(older("d/file").is_ok());
        for name in ["out", "in", "way/file", "up/secret", "d", "d/none"] {
            assert!(open(&dir, Path::new(name)).is_err() && older(name).is_err(), "{name}");
        }
        for name in ["../secret", "d/../../secret", place.path().join("secret").to_str().unwrap()] {
            let error = open(&dir, Path::new(name)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidData, "{name}");
        }
        for name in ["out", "in", "way/new", "up/new", "../new", "d/file"] {
            assert!(create(&dir, Path::new(name)).is_err(), "{name}");
            assert!(append(&dir, Path::new(name)).is_err() || name == "d/file", "{name}");
        }
        assert_eq!(std_fs::read_to_string(place.path().join("secret")).unwrap(), "secret");
        assert!(!place.path().join("new").exists());
    }

    #[test]
    fn a_link_is_renamed_and_removed_itself() {
        let (place, dir) = place();
        let path = Path::new;
        create(&dir, path("new")).unwrap();
        rename(&dir, path("new"), path("out")).unwrap();
        assert_eq!(kind(&dir, path("out")).unwrap(), FileType::RegularFile);
        remove(&dir, path("in")).unwrap();
        assert!(dir.join("d/file").exists() && place.path().join("secret").exists());
        assert_eq!(target(&dir, path("way")).unwrap(), b"d");
        assert_eq!(names(&dir, path("")).unwrap(), ["d", "out", "up", "way"]);
        assert!(names(&dir, path("way")).is_err() && rename(&dir, path("way/file"), path("f")).is_err());
        assert!(create_dir(&dir, path("way"), true).is_err() && create_dir(&dir, path("d"), true).is_ok());
    }

    #[test]
    fn a_pipe_does_not_block_and_a_long_file_is_rejected() {
        let (_place, dir) = place();
        let made = std::process::Command::new("mkfifo").arg(dir.join("pipe")).status().unwrap();
        assert!(made.success());
        assert_eq!(open(&dir, Path::new("pipe")).unwrap_err().kind(), ErrorKind::InvalidData);
        assert_eq!(bytes(&dir, Path::new("d/file"), 3).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
