//! The archive of a campaign: its folder as one file for somebody else, `.tar.gz`.
//!
//! Invariant: the same folder gives the same bytes, whoever packs it when: names in order, fixed owner,
//! mode and date. An archive gets its name when it is whole, and none is written over.
//! Never here: whether the folder is worth packing.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use tar::{Archive, Builder, EntryType, Header};

use super::write::staged;
use super::{load::named, sha256_of};

/// The date of everything in an archive: 2000-01-01, because `tar` warns of 1970.
const DATE: u64 = 946_684_800;
/// The longest target of a link that an entry itself holds, bytes.
const LINK_MAX: usize = 100;
/// How a compressed file begins.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The file beside the folder that says why the archive is not to be trusted.
const UNVERIFIED: &str = "UNVERIFIED.txt";

/// An archive that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedArchive {
    /// Its size, bytes.
    pub bytes: u64,
    /// SHA-256 of it, hexadecimal.
    pub sha256: String,
}

/// Packs the folder `dir` into the new file `out`, with the sentences `faults`, if any, in a file beside it.
pub fn pack(dir: &Path, out: &Path, faults: &[String]) -> io::Result<PackedArchive> {
    if out.symlink_metadata().is_ok() {
        return Err(io::Error::new(ErrorKind::AlreadyExists, "it exists"));
    }
    let part = staged(out);
    let packed = write(dir, &part, faults).and_then(|packed| {
        // A link, unlike a new name, is rejected where somebody made such a file meanwhile.
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

/// Puts a link with its target byte by byte: `append_link` would tidy it, and the chain knows it as it is.
fn put_link(archive: &mut Builder<impl Write>, name: &Path, target: &[u8]) -> io::Result<()> {
    let mut link = header(EntryType::Symlink, 0);
    if target.len() > LINK_MAX {
        // As GNU writes it: the whole target in an entry before, a beginning in the entry itself.
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
        // A file that grows meanwhile would spoil everything behind it.
        let bytes = file.take(facts.len());
        return archive.append_data(&mut header(EntryType::Regular, facts.len()), name, bytes);
    }
    if !facts.is_dir() {
        return Err(io::Error::new(ErrorKind::InvalidData, format!("{} is no file", path.display())));
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

/// Unpacks an archive into the empty directory `into`, and gives the campaign's folder in it.
pub fn unpack(archive: &Path, into: &Path) -> io::Result<PathBuf> {
    let read = || {
        let mut entries = Archive::new(GzDecoder::new(File::open(archive)?));
        for entry in entries.entries()? {
            // What would lie outside of `into` is left out by the crate, and then missing in the chain.
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
                format!("it holds more than the folder of one campaign: {}", names.join(", "))
            }
            _ => "there is no campaign in it".to_owned(),
        };
        Err(io::Error::new(ErrorKind::InvalidData, what))
    };
    read().map_err(|error| named(archive, &error))
}
