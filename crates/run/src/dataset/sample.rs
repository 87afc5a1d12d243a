//! Samples of a dataset's files: always at the same offsets, and few enough to be read in seconds.
//!
//! A sample proves nothing about the bytes around it. It finds files that were recreated with old times, and
//! storage that lost data.
//!
//! Never here: which files exist.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use results::folder::{DatasetFile, Sample, sha256};
use rustix::fs::{Advice, fadvise};

use crate::path_error::named;

/// Bytes of one sample.
const SAMPLE: u64 = 16 << 10;
/// The maximum number of samples of a dataset.
pub(super) const MOST: usize = 256;
/// The maximum number of samples of a file.
const OF_A_FILE: usize = 4;

/// Reads samples of `files`, which are below `dir`. Stops after the time `most`.
pub(super) fn taken(dir: &Path, files: &[&DatasetFile], most: Duration) -> io::Result<Vec<Sample>> {
    let begin = Instant::now();
    let chosen = files.len().min(MOST);
    let each = (MOST / chosen.max(1)).clamp(1, OF_A_FILE);
    let mut samples = Vec::new();
    for at in 0..chosen {
        let file = files[at * files.len() / chosen];
        for offset in offsets(file, each) {
            if begin.elapsed() > most {
                return Ok(samples);
            }
            let bytes = SAMPLE.min(file.bytes - offset);
            let sha256 = read(dir, &file.path, offset, bytes)?;
            samples.push(Sample { path: file.path.clone(), offset, bytes, sha256 });
        }
    }
    Ok(samples)
}

/// The path and offset of the first of `samples` that differs, and the number that were compared.
pub fn differing<'s>(
    dir: &Path,
    samples: impl IntoIterator<Item = &'s Sample>,
) -> io::Result<(Option<(String, u64)>, u64)> {
    let mut compared = 0;
    for Sample { path, offset, bytes, sha256 } in samples {
        if read(dir, path, *offset, *bytes)? != *sha256 {
            return Ok((Some((path.clone(), *offset)), compared));
        }
        compared += 1;
    }
    Ok((None, compared))
}

/// The first and the last piece of a file, and pieces that depend on its name.
fn offsets(file: &DatasetFile, each: usize) -> BTreeSet<u64> {
    let pieces = file.bytes.div_ceil(SAMPLE);
    if pieces <= each as u64 {
        return (0..pieces).map(|piece| piece * SAMPLE).collect();
    }
    let mut chosen: BTreeSet<u64> = [0, pieces - 1].into_iter().take(each - 1).collect();
    let mut number = file
        .path
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    while chosen.len() < each {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        chosen.insert((number >> 20) % pieces);
    }
    chosen.into_iter().map(|piece| piece * SAMPLE).collect()
}

/// SHA-256 of a sample. Its pages are dropped from this node's memory, because the node may read them next.
fn read(dir: &Path, path: &str, offset: u64, bytes: u64) -> io::Result<String> {
    let path = dir.join(path);
    let read = || {
        let file = File::open(&path)?;
        let _ = fadvise(&file, 0, None, Advice::Random);
        let mut buffer = vec![0; bytes as usize];
        file.read_exact_at(&mut buffer, offset)?;
        let _ = fadvise(&file, offset, NonZeroU64::new(bytes), Advice::DontNeed);
        Ok(sha256(&buffer))
    };
    read().map_err(|error| named(&path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(dir: &Path, path: &str, bytes: u64) -> DatasetFile {
        let content: Vec<u8> = (0..bytes).map(|at| (at / 7) as u8).collect();
        std::fs::write(dir.join(path), content).unwrap();
        DatasetFile { path: path.into(), bytes, data: true, ..DatasetFile::default() }
    }

    #[test]
    fn samples_are_at_the_same_offsets_each_time_and_find_a_changed_byte() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let files = [written(dir, "a", 1 << 20), written(dir, "b", 5), written(dir, "c", 0)];
        let all: Vec<&DatasetFile> = files.iter().collect();
        let samples = taken(dir, &all, Duration::from_secs(60)).unwrap();
        assert_eq!(samples, taken(dir, &all, Duration::from_secs(60)).unwrap());
        let of = |path: &str| samples.iter().filter(|sample| sample.path == path).collect::<Vec<_>>();
        assert_eq!((of("a").len(), of("b").len(), of("c").len()), (4, 1, 0), "{samples:#?}");
        assert_eq!((of("a")[0].offset, of("a")[3].offset), (0, (1 << 20) - SAMPLE));
        assert_eq!(differing(dir, &samples).unwrap(), (None, 5));
        std::fs::write(dir.join("b"), "other").unwrap();
        let (found, compared) = differing(dir, &samples).unwrap();
        assert_eq!((found, compared), (Some(("b".to_owned(), 0)), 4));
    }

    #[test]
    fn a_dataset_of_many_files_has_few_samples() {
        let dir = tempfile::tempdir().unwrap();
        let files: Vec<DatasetFile> =
            (0..700).map(|number| written(dir.path(), &format!("f{number}"), 9)).collect();
        let all: Vec<&DatasetFile> = files.iter().collect();
        let samples = taken(dir.path(), &all, Duration::from_secs(60)).unwrap();
        assert_eq!(samples.len(), MOST);
        assert!(taken(dir.path(), &all, Duration::ZERO).unwrap().len() < MOST);
    }
}
