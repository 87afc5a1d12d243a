//! Unpacking an archive, which may come from a stranger.
//!
//! Invariant: only files, directories and links are created, each beneath the given directory and each once.
//! No link is followed, and none leads out of the campaign folder. Size, number of entries and ratio of
//! compression have limits, so a small archive cannot fill a disk.
//! Never here: whether the folder is intact.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use flate2::bufread::GzDecoder;
use tar::{Archive, Entry, EntryType};

use super::limits::{ENTRY_BYTES, NAME_BYTES_MAX, UnpackLimits};
use super::links::leads_out;
use super::pack::UNVERIFIED;
use super::{beneath, json::named, names, spelling};

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The most zeros after the last entry, bytes. The largest record of GNU tar has 2 GiB, the usual one 10 KiB.
const PADDING_BYTES_MAX: u64 = 1 << 20;

/// Whether `path` is a compressed file, as [`super::pack`] writes them.
pub fn is_archive(path: &Path) -> bool {
    let mut begin = [0; 2];
    let mut read = || File::open(path)?.read_exact(&mut begin);
    path.is_file() && read().is_ok() && begin == GZIP
}

/// Unpacks an archive into the empty directory `into`, and returns the campaign folder in it.
pub fn unpack(archive: &Path, into: &Path) -> io::Result<PathBuf> {
    unpack_within(archive, into, &UnpackLimits::default())
}

/// The same with other limits.
pub(super) fn unpack_within(archive: &Path, into: &Path, limits: &UnpackLimits) -> io::Result<PathBuf> {
    let read = || {
        let file = File::open(archive)?;
        let packed = file.metadata()?.len();
        let mut unpacking = Unpacking { into, limits, packed, bytes: 0, entries: 0 };
        let mut archive = Archive::new(GzDecoder::new(BufReader::new(file)));
        unpacking.all(&mut archive)?;
        ends(archive.into_inner())?;
        campaign_in(into)
    };
    read().map_err(|error| named(archive, &error))
}

/// Rejects bytes after the end of the archive or of its compressed data. They would be part of a signed file
/// that no command shows.
fn ends(mut archive: GzDecoder<BufReader<File>>) -> io::Result<()> {
    let mut padding = Vec::new();
    archive.by_ref().take(PADDING_BYTES_MAX + 1).read_to_end(&mut padding)?;
    let is_padding = padding.len() as u64 <= PADDING_BYTES_MAX && padding.iter().all(|byte| *byte == 0);
    if is_padding && archive.into_inner().fill_buf()?.is_empty() {
        return Ok(());
    }
    Err(rejected("it has bytes after its end".to_owned()))
}

/// The only campaign folder in the directory `into`.
fn campaign_in(into: &Path) -> io::Result<PathBuf> {
    let mut found = beneath::names(into, Path::new(""))?;
    found.retain(|name| name != UNVERIFIED);
    match &found[..] {
        [name] if beneath::exists(into, &Path::new(name).join(names::CAMPAIGN)) => Ok(into.join(name)),
        [_, _, ..] => {
            let names: Vec<_> = found.iter().map(|name| name.to_string_lossy()).collect();
            Err(rejected(format!("it contains more than one campaign folder: {}", names.join(", "))))
        }
        _ => Err(rejected("it contains no campaign".to_owned())),
    }
}

/// An archive that is being unpacked.
struct Unpacking<'a> {
    into: &'a Path,
    limits: &'a UnpackLimits,
    /// The size of the archive, bytes.
    packed: u64,
    /// The bytes of all entries so far, and their number.
    bytes: u64,
    entries: u64,
}

impl Unpacking<'_> {
    fn all(&mut self, archive: &mut Archive<impl Read>) -> io::Result<()> {
        // Names and link targets that are too long for the entry itself, from the extra entries before it.
        let (mut long_name, mut long_target) = (None, None);
        // The reader would hold extra entries of any size in memory, so they are read here.
        for entry in archive.entries()?.raw(true) {
            let mut entry = entry?;
            let kind = entry.header().entry_type();
            self.count(entry.size())?;
            match kind {
                EntryType::GNULongName => long_name = Some(long_text(&mut entry)?),
                EntryType::GNULongLink => long_target = Some(long_text(&mut entry)?),
                _ => {
                    let name = long_name.take().unwrap_or_else(|| entry.path_bytes().into_owned());
                    let own = || entry.link_name_bytes().map(|target| target.into_owned());
                    let target = long_target.take().or_else(own);
                    self.put(&mut entry, kind, &name, target.as_deref())?;
                }
            }
        }
        Ok(())
    }

    /// Adds an entry of this size to the counts, and rejects the archive above a limit.
    fn count(&mut self, bytes: u64) -> io::Result<()> {
        self.entries += 1;
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(ENTRY_BYTES);
        self.limits.accept(self.bytes, self.entries, self.packed)
    }

    fn put(
        &mut self,
        entry: &mut Entry<'_, impl Read>,
        kind: EntryType,
        name: &[u8],
        target: Option<&[u8]>,
    ) -> io::Result<()> {
        let shown = spelling::bytes_shown(name);
        // `tar` may write `./` before each name.
        let name = Path::new(OsStr::from_bytes(name));
        let name = &name.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
        let is_inside = name.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside || name.file_name().is_none() {
            return Err(rejected(format!("its entry {shown} lies outside of its folder")));
        }
        let made = match (kind, target) {
            (EntryType::Directory, _) => beneath::create_dir(self.into, name, false),
            (EntryType::Symlink, Some(target)) => {
                // Links are relative to the campaign folder, the first directory of the archive.
                let within: PathBuf = name.components().skip(1).collect();
                if leads_out(&within, target) || within == Path::new("") {
                    return Err(rejected(format!(
                        "its entry {shown} is a link that leads out of the folder"
                    )));
                }
                beneath::link(self.into, name, target)
            }
            (EntryType::Regular, _) => {
                let size = entry.size();
                beneath::create(self.into, name).and_then(|mut file| {
                    match io::copy(&mut entry.take(size), &mut file)? == size {
                        true => Ok(()),
                        false => Err(ErrorKind::UnexpectedEof.into()),
                    }
                })
            }
            _ => {
                return Err(rejected(format!("its entry {shown} is neither a file, a directory nor a link")));
            }
        };
        made.map_err(|error| io::Error::new(error.kind(), format!("its entry {shown}: {error}")))
    }
}

/// The text of an extra entry, without its final NUL.
fn long_text(entry: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    entry.take(NAME_BYTES_MAX + 2).read_to_end(&mut text)?;
    if text.last() == Some(&0) {
        text.pop();
    }
    match text.len() as u64 > NAME_BYTES_MAX {
        true => Err(rejected(format!("the name of an entry has more than {NAME_BYTES_MAX} bytes"))),
        false => Ok(text),
    }
}

fn rejected(what: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, what)
}
