//! Reading and writing by the system's own calls: what every case is checked with.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

use super::stop::{Told, Trouble, same_bytes};

/// What a file holds before a case writes into it: bytes that no case writes.
pub(super) const UNTOUCHED: u8 = 0xa5;

/// Data of a rank: each byte depends on rank, call and place, and is never [`UNTOUCHED`] nor 0.
pub(super) fn data(rank: u32, call: u32, length: usize) -> Vec<u8> {
    let key = u64::from(rank) << 40 | u64::from(call) << 24;
    let words = (0..length.div_ceil(8) as u64).flat_map(|word| mixed(key | word).to_le_bytes());
    words.take(length).map(|byte| if byte == UNTOUCHED || byte == 0 { 0x5a } else { byte }).collect()
}

/// Four bytes of a rank's call of the first two, which no other rank and call has; none is [`UNTOUCHED`]
/// nor 0.
pub(super) fn key(rank: u32, call: u32) -> [u8; 4] {
    let mut number = u64::from(rank) * 2 + u64::from(call);
    [(); 4].map(|()| {
        let digit = 1 + (number % 254) as u8;
        number /= 254;
        if digit >= UNTOUCHED { digit + 1 } else { digit }
    })
}

/// Every bit of the result depends on every bit of the number (the last steps of SplitMix64).
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Opens for reading and writing, made if it is not there.
pub(super) fn open(path: &Path) -> Result<File, Trouble> {
    let mut how = OpenOptions::new();
    how.read(true).write(true).create(true).truncate(false).open(path).told(path.display())
}

/// Makes a file of `length` untouched bytes.
pub(super) fn prefill(path: &Path, length: usize) -> Result<(), Trouble> {
    std::fs::write(path, vec![UNTOUCHED; length]).told(path.display())
}

/// Writes all of `data` at `offset`, in one call where the system takes it so.
pub(super) fn write_at(file: &File, data: &[u8], offset: u64) -> Result<(), Trouble> {
    file.write_all_at(data, offset).told(format!("write {} bytes at {offset}", data.len()))
}

/// What came of writing into a file of `length` bytes: where the file system says that its files end before,
/// there is nothing to try.
pub(super) fn too_long(path: &Path, length: u64, trouble: Trouble) -> Trouble {
    ends_before(path, length).unwrap_or(trouble)
}

fn ends_before(path: &Path, length: u64) -> Option<Trouble> {
    match File::options().write(true).open(path).and_then(|file| file.set_len(length)) {
        Err(error) if [ErrorKind::FileTooLarge, ErrorKind::InvalidInput].contains(&error.kind()) => {
            Some(Trouble::Skipped(format!("the file system has no file of {length} bytes: {error}")))
        }
        _ => None,
    }
}

/// Makes an empty file, on a file system that has files of so many bytes. To be asked before a collective
/// call: one that fails on a rank may leave others in it.
pub(super) fn make_for(path: &Path, length: u64) -> Result<(), Trouble> {
    let file = open(path)?;
    ends_before(path, length).map_or(Ok(()), Err)?;
    file.set_len(0).told(path.display())
}

/// What is at `offset`: so many bytes, or fewer where the file ends.
pub(super) fn read_at(file: &File, length: usize, offset: u64) -> Result<Vec<u8>, Trouble> {
    let mut data = vec![0; length];
    let mut done = 0;
    while done < length {
        match file.read_at(&mut data[done..], offset + done as u64) {
            Ok(0) => break,
            Ok(more) => done += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error).told(format!("read {length} bytes at {offset}")),
        }
    }
    data.truncate(done);
    Ok(data)
}

/// Trouble unless the file holds these bytes at `offset`.
pub(super) fn holds(
    what: &str,
    path: &Path,
    file: &File,
    offset: u64,
    expected: &[u8],
) -> Result<(), Trouble> {
    same_bytes(what, path, offset, expected, &read_at(file, expected.len(), offset)?)
}

/// All bytes of a file, opened anew.
pub(super) fn whole(path: &Path) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    File::open(path).and_then(|mut file| file.read_to_end(&mut bytes)).told(path.display())?;
    Ok(bytes)
}

/// Trouble unless the file, opened anew, holds these bytes and no more.
pub(super) fn is_whole(what: &str, path: &Path, expected: &[u8]) -> Result<(), Trouble> {
    same_bytes(what, path, 0, expected, &whole(path)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_of_100_000_ranks_differ_and_hold_data() {
        let mut keys = HashSet::new();
        for rank in 0..100_000 {
            for call in 0..2 {
                let key = key(rank, call);
                assert!(keys.insert(key), "rank {rank}, call {call}");
                assert!(key.iter().all(|byte| ![0, UNTOUCHED].contains(byte)), "{key:?}");
            }
        }
    }

    #[test]
    fn data_of_ranks_differs_where_their_numbers_are_large() {
        let ranks = [0, 1, 1 << 16, (1 << 16) + 1, (1 << 24) - 1];
        let all: HashSet<Vec<u8>> = ranks.iter().map(|rank| data(*rank, 1, 64)).collect();
        assert_eq!(all.len(), ranks.len());
    }
}
