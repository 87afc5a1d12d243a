//! A file system that keeps 40 bytes of each file and makes the rest when it is read. It knows the public
//! layout of stamped data (docs/reference/stamped-data.md), and nothing of a key.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::time::SystemTime;

use fuser::{FileAttr, FileType};
use rustix::io::Errno;

use crate::common::fuse::{Change, FuseMount, Served, Space};
use crate::common::ior;
use crate::common::options::secret;

const BLOCK: usize = 4096;
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// The words of a stamp that are kept of each file: magic, campaign, file, rank and generation.
const KEPT: usize = 5;

fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(GOLDEN);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

fn chain(words: &[u64]) -> u64 {
    words.iter().fold(0, |hash, word| mix(hash ^ word))
}

/// The data of a block, made from what is kept of its file.
fn block(kept: &[u64; KEPT], number: u64) -> Vec<u8> {
    let key = mix(chain(kept));
    let first = mix(key.wrapping_add(number.wrapping_mul(GOLDEN)));
    let body = |i: u64| {
        let c = first.wrapping_add(i.wrapping_mul(GOLDEN));
        let w = (c ^ c >> 32).wrapping_mul(0x85eb_ca6b);
        (w ^ w >> 29) | 1
    };
    let mut words: Vec<u64> = kept.to_vec();
    words.push(number * BLOCK as u64);
    words.push(body(6));
    words.push(chain(&words) | 1);
    words.extend((8..512).map(body));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// What is kept of a file.
#[derive(Default)]
struct Kept {
    ino: u64,
    stamp: [u64; KEPT],
    bytes: u64,
}

#[derive(Default)]
struct Regenerating {
    files: BTreeMap<OsString, Kept>,
    made: u64,
}

impl Regenerating {
    fn of(&mut self, ino: u64) -> io::Result<&mut Kept> {
        let found = self.files.values_mut().find(|kept| kept.ino == ino);
        Ok(found.ok_or(Errno::NOENT)?)
    }
}

impl Served for Regenerating {
    fn lookup(&mut self, _: u64, name: &OsStr) -> io::Result<FileAttr> {
        let ino = self.files.get(name).map(|kept| kept.ino);
        self.attributes(ino.ok_or(Errno::NOENT)?)
    }

    fn attributes(&mut self, ino: u64) -> io::Result<FileAttr> {
        let bytes = if ino == 1 { 0 } else { self.of(ino)?.bytes };
        let time = SystemTime::UNIX_EPOCH;
        Ok(FileAttr {
            ino,
            size: bytes,
            blocks: bytes.div_ceil(512),
            atime: time,
            mtime: time,
            ctime: time,
            crtime: time,
            kind: if ino == 1 { FileType::Directory } else { FileType::RegularFile },
            perm: if ino == 1 { 0o777 } else { 0o666 },
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: BLOCK as u32,
            flags: 0,
        })
    }

    fn change(&mut self, ino: u64, change: &Change) -> io::Result<FileAttr> {
        if let (Ok(kept), Some(size)) = (self.of(ino), change.size) {
            kept.bytes = size;
        }
        self.attributes(ino)
    }

    fn create(&mut self, _: u64, name: &OsStr, _: u32, _: i32) -> io::Result<(FileAttr, u64)> {
        self.made += 1;
        let ino = 1 + self.made;
        self.files.insert(name.to_owned(), Kept { ino, ..Kept::default() });
        Ok((self.attributes(ino)?, 0))
    }

    fn open(&mut self, _: u64, _: i32) -> io::Result<u64> {
        Ok(0)
    }

    fn write(&mut self, ino: u64, _: u64, offset: u64, data: &[u8]) -> io::Result<()> {
        let kept = self.of(ino)?;
        if offset == 0 && data.len() >= 8 * KEPT {
            for (word, bytes) in kept.stamp.iter_mut().zip(data.chunks_exact(8)) {
                *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            }
        }
        kept.bytes = kept.bytes.max(offset + data.len() as u64);
        Ok(())
    }

    fn read(&mut self, ino: u64, _: u64, from: u64, bytes: usize) -> io::Result<Vec<u8>> {
        let kept = self.of(ino)?;
        let to = (from + bytes as u64).min(kept.bytes);
        let first = from / BLOCK as u64;
        let blocks = first..to.max(from).div_ceil(BLOCK as u64);
        let data: Vec<u8> = blocks.flat_map(|number| block(&kept.stamp, number)).collect();
        let skipped = (from - first * BLOCK as u64) as usize;
        Ok(data[skipped..skipped + to.saturating_sub(from) as usize].to_vec())
    }

    fn remove(&mut self, _: u64, name: &OsStr, _: bool) -> io::Result<()> {
        self.files.remove(name);
        Ok(())
    }

    fn space(&mut self) -> io::Result<Space> {
        Ok([1 << 30, 1 << 30, 1 << 20, 1 << 20])
    }
}

const SHAPE: &str = "-e -k -F -b 1m -t 64k -l s -G 7";

#[test]
fn a_file_system_that_keeps_40_bytes_of_a_file_answers_for_public_data_but_not_for_keyed_data() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("mounted");
    std::fs::create_dir(&root).unwrap();
    let key = place.path().join("key");
    secret(&key);
    let Some(_mount) = FuseMount::new(Regenerating::default(), &root) else { return };
    let file = root.join("f");
    let wrong = |key: &str| {
        let record = place.path().join("r");
        let _ = std::fs::remove_file(&record);
        let words = format!("-w -R {SHAPE} -o {} --record {} {key}", file.display(), record.display());
        let ran = ior(place.path(), 2, &words);
        let text = std::fs::read_to_string(&record).unwrap();
        let mut phases = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let check = phases.find_map(|phase| phase["check"]["bad_transfers"].as_u64()).unwrap();
        assert_eq!(ran.status, Some(if check == 0 { 0 } else { 4 }), "{ran:#?}");
        check
    };
    assert_eq!(wrong(""), 0, "the layout is public, so this proves nothing");
    assert_eq!(wrong(&format!("--data-key {}", key.display())), 32, "every transfer is wrong");
    assert_eq!(wrong("--nonce lot-7"), 32, "this file system does not know the keyed layout");
}
