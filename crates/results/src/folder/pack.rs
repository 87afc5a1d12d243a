//! The archive of a campaign: its folder as one `.tar.gz` file.
//!
//! Invariant: the same folder always gives the same bytes: files are in order, with fixed owner, mode and
//! date. An archive gets its name when it is complete. Existing files are never overwritten.
//! Never here: whether the folder is intact, unpacking.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder};
use rustix::fs::FileType;
use tar::{Builder, EntryType, Header};

use super::limits::{self, UnpackLimits};
use super::staging::staged;
use super::{beneath, json::named, sha256_of};

/// The date of all entries of an archive: 2000-01-01, because `tar` warns about 1970.
const DATE: u64 = 946_684_800;
/// The longest link target that an entry can hold, bytes.
const LINK_MAX: usize = 100;
/// The file next to the folder that states why the archive cannot be trusted.
pub(super) const UNVERIFIED: &str = "UNVERIFIED.txt";

/// An archive that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedArchive {
    /// Its size, bytes.
    pub bytes: u64,
    /// Its SHA-256, hexadecimal.
    pub sha256: String,
}

/// Packs the folder `dir` into the new file `out`. The sentences `faults`, if any, are in a file next to it.
pub fn pack(dir: &Path, out: &Path, faults: &[String]) -> io::Result<PackedArchive> {
    if out.symlink_metadata().is_ok() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "it already exists"));
    }
    let part = staged(out)?;
    let packed = write(dir, &part, faults).and_then(|packed| {
        // A link fails if another program made the file meanwhile. A rename would overwrite it.
        match fs::hard_link(&part, out) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => fs::rename(&part, out)?,
            linked => linked?,
        }
        Ok(packed)
    });
    let _ = fs::remove_file(&part);
    packed
}

fn write(dir: &Path, part: &Path, faults: &[String]) -> io::Result<PackedArchive> {
    let name = PathBuf::from(dir.canonicalize()?.file_name().unwrap_or_default());
    let file = File::options().read(true).write(true).create_new(true).open(part)?;
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(file, Compression::new(6));
    let mut archive = Archived { builder: Builder::new(gzip), bytes: 0, entries: 0 };
    if !faults.is_empty() {
        let text: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
        let header = header(EntryType::Regular, text.len() as u64);
        archive.builder.append_data(&mut { header }, UNVERIFIED, text.as_bytes())?;
    }
    archive.put(dir, Path::new(""), &name)?;
    let mut file = archive.builder.into_inner()?.finish()?;
    file.flush()?;
    file.sync_all()?;
    let bytes = file.metadata()?.len();
    // An archive that no one can unpack again is an error now, not at the other party.
    UnpackLimits::default().accept(archive.bytes, archive.entries, bytes)?;
    Ok(PackedArchive { bytes, sha256: sha256_of(part)? })
}

fn header(kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(if kind == EntryType::Directory { 0o755 } else { 0o644 });
    header.set_mtime(DATE);
    header.set_size(size);
    header
}

/// Adds a link with its target byte by byte, because `append_link` would normalize it and change its hash.
fn put_link(archive: &mut Builder<impl Write>, name: &Path, target: &[u8]) -> io::Result<()> {
    let mut link = header(EntryType::Symlink, 0);
    if target.len() > LINK_MAX {
        // As in GNU tar: an extra entry has the whole target, and the entry itself has its beginning.
        let mut long = header(EntryType::GNULongLink, target.len() as u64 + 1);
        long.set_path("././@LongLink")?;
        long.set_cksum();
        archive.append(&long, &[target, b"\0"].concat()[..])?;
    }
    link.set_link_name_literal(&target[..target.len().min(LINK_MAX)])?;
    archive.append_data(&mut link, name, io::empty())
}

/// An archive in progress.
struct Archived<W: Write> {
    builder: Builder<W>,
    /// The bytes of all files so far.
    bytes: u64,
    /// The entries so far.
    entries: u64,
}

impl<W: Write> Archived<W> {
    /// Adds the entry `path` below `dir` under `name`, with everything in it.
    fn put(&mut self, dir: &Path, path: &Path, name: &Path) -> io::Result<()> {
        limits::depth(path)?;
        self.entries += 1;
        let kind = match path == Path::new("") {
            true => FileType::Directory,
            false => beneath::kind(dir, path).map_err(|error| named(&dir.join(path), &error))?,
        };
        match kind {
            FileType::Symlink => put_link(&mut self.builder, name, &beneath::target(dir, path)?),
            FileType::RegularFile => {
                let file = beneath::open(dir, path).map_err(|error| named(&dir.join(path), &error))?;
                let length = file.metadata()?.len();
                self.bytes += length;
                // A file that grows meanwhile would corrupt the entries after it.
                self.builder.append_data(&mut header(EntryType::Regular, length), name, file.take(length))
            }
            FileType::Directory => {
                let mut header = header(EntryType::Directory, 0);
                self.builder.append_data(&mut header, name.join(""), io::empty())?;
                for entry in beneath::names(dir, path)? {
                    self.put(dir, &path.join(&entry), &name.join(&entry))?;
                }
                Ok(())
            }
            _ => {
                let what = format!("{} is not a file", dir.join(path).display());
                Err(io::Error::new(ErrorKind::InvalidData, what))
            }
        }
    }
}
