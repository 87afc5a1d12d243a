//! The archive of a campaign: its folder as one `.tar.gz` file.
//!
//! Invariant: the same folder always gives the same bytes: files are in order, with fixed owner, mode and
//! date. An archive gets its name when it is complete. Existing files are never overwritten.
//! Never here: whether the folder is intact.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Archive, Builder, EntryType, Header};

use super::write::staged;
use super::{load::named, sha256_of};

/// The date of all entries of an archive: 2000-01-01, because `tar` warns about 1970.
const DATE: u64 = 946_684_800;
/// The longest link target that an entry can hold, bytes.
const LINK_MAX: usize = 100;
/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The file next to the folder that states why the archive cannot be trusted.
const UNVERIFIED: &str = "UNVERIFIED.txt";

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
    let part = staged(out);
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
    let gzip =
        GzBuilder::new().mtime(0).operating_system(255).write(File::create(part)?, Compression::new(6));
    let mut archive = Builder::new(gzip);
    if !faults.is_empty() {
        let text: String = faults.iter().map(|fault| format!("{fault}\n")).collect();
        let header = header(EntryType::Regular, text.len() as u64);
        archive.append_data(&mut { header }, UNVERIFIED, text.as_bytes())?;
    }
    put(&mut archive, dir, &name)?;
    let mut file = archive.into_inner()?.finish()?;
    file.flush()?;
    file.sync_all()?;
    Ok(PackedArchive { bytes: file.metadata()?.len(), sha256: sha256_of(part)? })
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

fn put(archive: &mut Builder<impl Write>, path: &Path, name: &Path) -> io::Result<()> {
    let facts = path.symlink_metadata().map_err(|error| named(path, &error))?;
    if facts.is_symlink() {
        return put_link(archive, name, fs::read_link(path)?.as_os_str().as_bytes());
    }
    if facts.is_file() {
        let file = File::open(path).map_err(|error| named(path, &error))?;
        // A file that grows meanwhile would corrupt the entries after it.
        let bytes = file.take(facts.len());
        return archive.append_data(&mut header(EntryType::Regular, facts.len()), name, bytes);
    }
    if !facts.is_dir() {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("{} is not a file", path.display())));
    }
    archive.append_data(&mut header(EntryType::Directory, 0), name.join(""), io::empty())?;
    let mut entries: Vec<_> = fs::read_dir(path)?.collect::<Result<_, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        put(archive, &entry.path(), &name.join(entry.file_name()))?;
    }
    Ok(())
}

/// Whether `path` is a compressed file, as [`pack`] writes them.
pub fn is_archive(path: &Path) -> bool {
    let mut begin = [0; 2];
    let mut read = || File::open(path)?.read_exact(&mut begin);
    path.is_file() && read().is_ok() && begin == GZIP
}

/// Unpacks an archive into the empty directory `into`, and returns the campaign folder in it.
pub fn unpack(archive: &Path, into: &Path) -> io::Result<PathBuf> {
    let read = || {
        let mut entries = Archive::new(GzDecoder::new(File::open(archive)?));
        for entry in entries.entries()? {
            // The crate skips entries that would lie outside `into`. The chain then reports them as missing.
            entry?.unpack_in(into)?;
        }
        let mut names: Vec<_> =
            fs::read_dir(into)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
        names.retain(|name| name != UNVERIFIED);
        names.sort();
        let what = match &names[..] {
            [name] if into.join(name).join(super::names::CAMPAIGN).exists() => return Ok(into.join(name)),
            [_, _, ..] => {
                let names: Vec<_> = names.iter().map(|name| name.to_string_lossy()).collect();
                format!("it contains more than one campaign folder: {}", names.join(", "))
            }
            _ => "it contains no campaign".to_owned(),
        };
        Err(io::Error::new(ErrorKind::InvalidData, what))
    };
    read().map_err(|error| named(archive, &error))
}
