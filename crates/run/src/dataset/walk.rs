//! Walks the files of a dataset: which files exist, and whether they have changed.
//!
//! Never here: contents, except where times cannot decide (`sample` compares them).

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use results::folder::{DatasetFile, Manifest};
use results::reason::{Reason, reason};

use super::sample;
use crate::machine;
use crate::path_error::named;
use plan::dataset_check::is_sparse;

/// How long to wait until a file system has allocated the blocks of written files. Some allocate them only
/// when they write them back.
const BLOCKS_WAIT: Duration = Duration::from_secs(6);
/// Modification times that differ by less may be of one write. Some file systems keep a time on each of
/// several servers, and report that of any of them.
const SAME_WRITE_NS: u64 = 1_000_000_000;
/// How often this is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(200);

/// All regular files below `dir`, by path, once their blocks are allocated. `data` selects the names of files
/// with recorded data. `kind` is the type of the file system.
pub(super) fn settled(dir: &Path, kind: &str, data: &dyn Fn(&str) -> bool) -> io::Result<Vec<DatasetFile>> {
    let begin = Instant::now();
    loop {
        let mut found = Vec::new();
        walk(dir, "", &mut |path, name, facts| found.push(file(path, data(name), facts)))?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        if begin.elapsed() > BLOCKS_WAIT || !found.iter().any(is_sparse) || kind.starts_with("fuse") {
            for file in &mut found {
                file.layout = machine::layout_of(kind, &dir.join(&file.path));
            }
            return Ok(found);
        }
        std::thread::sleep(CHECK_INTERVAL);
    }
}

fn file(path: &str, data: bool, facts: &Metadata) -> DatasetFile {
    DatasetFile {
        path: path.to_owned(),
        data,
        bytes: facts.len(),
        allocated_bytes: facts.blocks() * 512,
        mtime_ns: mtime_ns(facts),
        layout: None,
    }
}

fn mtime_ns(facts: &Metadata) -> i64 {
    facts.mtime().saturating_mul(1_000_000_000).saturating_add(facts.mtime_nsec())
}

/// Calls `each` with the path, name and metadata of every regular file below `dir`.
fn walk(dir: &Path, within: &str, each: &mut dyn FnMut(&str, &str, &Metadata)) -> io::Result<()> {
    let here = dir.join(within);
    for entry in fs::read_dir(&here).map_err(|error| named(&here, &error))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if within.is_empty() { name.clone() } else { format!("{within}/{name}") };
        let facts = entry.metadata().map_err(|error| named(&entry.path(), &error))?;
        if facts.is_dir() {
            walk(dir, &path, each)?;
        } else if facts.is_file() {
            each(&path, &name, &facts);
        }
    }
    Ok(())
}

/// The number of files in each directory below `dir`, by path. The files are not examined.
pub(super) fn count(dir: &Path) -> io::Result<Vec<(String, u64)>> {
    let mut counted = Vec::new();
    let mut left = vec![String::new()];
    while let Some(within) = left.pop() {
        let (here, mut files) = (dir.join(&within), 0);
        for entry in fs::read_dir(&here).map_err(|error| named(&here, &error))? {
            let entry = entry?;
            if !entry.file_type()?.is_dir() {
                files += 1;
                continue;
            }
            let name = entry.file_name().to_string_lossy().into_owned();
            left.push(if within.is_empty() { name } else { format!("{within}/{name}") });
        }
        counted.push((within, files));
    }
    counted.sort();
    Ok(counted)
}

/// The first difference between `dir` and its manifest. If `rewritten` is set, a test of the plan writes into
/// the dataset, so only sizes count.
pub fn changed(dir: &Path, made: &Manifest, rewritten: bool) -> io::Result<Option<Reason>> {
    if !made.counted.is_empty() {
        return Ok(counted_otherwise(&made.counted, &count(dir)?));
    }
    let mut near = BTreeMap::new();
    for file in &made.list {
        let path = dir.join(&file.path);
        let found = match path.symlink_metadata() {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(lost(&file.path, "gone")));
            }
            Err(error) => return Err(named(&path, &error)),
        };
        let (name, had, has) = (&file.path, file.bytes, found.len());
        if !found.is_file() {
            return Ok(Some(lost(name, "not-a-file")));
        }
        if file.data && had != has {
            let change = "size";
            return Ok(Some(reason!(DatasetChanged { path: name, change, bytes: has, bytes_before: had })));
        }
        let now = mtime_ns(&found);
        if file.data && !rewritten && now != file.mtime_ns {
            let reason = written(name, file.mtime_ns, now);
            if now.abs_diff(file.mtime_ns) >= SAME_WRITE_NS {
                return Ok(Some(reason));
            }
            // An empty file has no data that could differ.
            if has > 0 {
                near.insert(name.as_str(), reason);
            }
        }
    }
    differing_data(dir, made, near)
}

/// The reason that a file was written to, with both of its times.
fn written(path: &str, before: i64, now: i64) -> Reason {
    let text =
        |ns: i64| Timestamp::from_nanosecond(ns.into()).map_or_else(|_| ns.to_string(), |at| at.to_string());
    reason!(DatasetWritten { path, modified_before: text(before), modified: text(now) })
}

/// The reason of the first of these files that was written to. Their times are `near` the recorded ones, so
/// their samples decide. The time decides for a file without a sample.
///
/// A dataset with very many files has no sample of most. There other files count too. If the samples of some
/// `near` files are the same, the file system gives such times to unchanged files.
fn differing_data(
    dir: &Path,
    made: &Manifest,
    mut near: BTreeMap<&str, Reason>,
) -> io::Result<Option<Reason>> {
    let of_near = made.samples.iter().filter(|sample| near.contains_key(sample.path.as_str()));
    let (found, compared) = sample::differing(dir, of_near)?;
    if let Some((path, offset)) = found {
        let reason = near.remove(path.as_str());
        return Ok(reason.map(|reason| reason!(DatasetWritten { differs: path, offset, ..reason })));
    }
    if made.data().count() > sample::MOST && compared > 0 {
        return Ok(None);
    }
    let sampled: BTreeSet<&str> = made.samples.iter().map(|sample| sample.path.as_str()).collect();
    let without = near.keys().copied().find(|path| !sampled.contains(path));
    Ok(without.and_then(|path| near.remove(path)))
}

/// A change that the file system itself may have caused.
fn lost(path: &str, change: &str) -> Reason {
    reason!(DatasetChanged { path, change })
}

/// The first file below `dir` that is not in the manifest. If the manifest only has counts, the first
/// directory with more files.
pub(super) fn unlisted(dir: &Path, made: &Manifest) -> io::Result<Option<String>> {
    if !dir.exists() {
        return Ok(None);
    }
    if !made.counted.is_empty() {
        let had = |path: &str| {
            let at = made.counted.binary_search_by(|(known, _)| known.as_str().cmp(path)).ok()?;
            Some(made.counted[at].1)
        };
        let mut more =
            count(dir)?.into_iter().filter(|(path, files)| had(path).is_none_or(|had| had < *files));
        return Ok(more.next().map(|(path, _)| path));
    }
    let mut first = None;
    walk(dir, "", &mut |path, _, _| {
        let known = made.list.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
        if !known && first.is_none() {
            first = Some(path.to_owned());
        }
    })?;
    Ok(first)
}

fn counted_otherwise(had: &[(String, u64)], has: &[(String, u64)]) -> Option<Reason> {
    if had == has {
        return None;
    }
    let sum = |counted: &[(String, u64)]| counted.iter().map(|(_, files)| files).sum::<u64>();
    let same = had.iter().zip(has).take_while(|(had, has)| had == has).count();
    let place = [had.get(same), has.get(same)].into_iter().flatten().map(|(path, _)| path.as_str()).min();
    Some(reason!(DatasetChanged {
        path: place.unwrap_or_default(),
        change: "count",
        files: sum(has),
        files_before: sum(had),
        directories: has.len(),
        directories_before: had.len(),
    }))
}

#[cfg(test)]
mod tests {
    use results::reason::{Code, row};

    use std::time::SystemTime;

    use super::*;

    /// A dataset of one file with samples.
    fn dataset(dir: &Path) -> Manifest {
        fs::write(dir.join("f"), vec![7; 100_000]).unwrap();
        described(dir)
    }

    /// The manifest of the files in `dir`, with samples of all of them.
    fn described(dir: &Path) -> Manifest {
        let list = settled(dir, "fuse", &|_| true).unwrap();
        let samples = sample::taken(dir, &list.iter().collect::<Vec<_>>(), Duration::from_secs(60)).unwrap();
        Manifest { list, samples, ..Manifest::default() }
    }

    fn shift(path: &Path, by: Duration) {
        let file = fs::File::options().write(true).open(path).unwrap();
        let was: SystemTime = file.metadata().unwrap().modified().unwrap();
        file.set_modified(was + by).unwrap();
    }

    #[test]
    fn a_time_that_is_off_by_less_than_a_second_is_no_change_if_the_samples_are_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let made = dataset(dir.path());
        shift(&dir.path().join("f"), Duration::from_micros(600));
        assert_eq!(changed(dir.path(), &made, false).unwrap(), None);
        let without = Manifest { samples: Vec::new(), ..made.clone() };
        let reason = changed(dir.path(), &without, false).unwrap().expect("the times decide");
        assert_eq!(reason.code, Code::DatasetWritten);
        let times = [row::DatasetWritten::modified_before, row::DatasetWritten::modified];
        let times = times.map(|field| reason.get(field).unwrap());
        assert!(times[0] < times[1] && times[0].ends_with('Z'), "{times:?}");
        shift(&dir.path().join("f"), Duration::from_secs(1));
        assert!(changed(dir.path(), &made, false).unwrap().is_some(), "a second later is another write");
    }

    #[test]
    fn other_data_under_a_near_time_is_a_change_with_its_place() {
        let dir = tempfile::tempdir().unwrap();
        let made = dataset(dir.path());
        let path = dir.path().join("f");
        let was = path.metadata().unwrap().modified().unwrap();
        fs::write(&path, vec![8; 100_000]).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(was).unwrap();
        shift(&path, Duration::from_micros(200));
        let reason = changed(dir.path(), &made, false).unwrap().expect("the data differs");
        assert_eq!((reason.code, reason.get(row::DatasetWritten::offset)), (Code::DatasetWritten, Some(0.0)));
    }

    #[test]
    fn the_samples_of_other_files_do_not_clear_a_file_without_samples() {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("empty", 0), ("f", 100_000), ("g", 100_000)] {
            fs::write(dir.path().join(name), vec![7; bytes]).unwrap();
        }
        let mut made = described(dir.path());
        for name in ["empty", "f", "g"] {
            shift(&dir.path().join(name), Duration::from_micros(200));
        }
        assert_eq!(changed(dir.path(), &made, false).unwrap(), None, "all data was compared");
        made.samples.retain(|sample| sample.path != "g");
        let reason = changed(dir.path(), &made, false).unwrap().expect("the time of g decides");
        assert_eq!((reason.code, reason.get(row::DatasetWritten::path)), (Code::DatasetWritten, Some("g")));
    }

    #[test]
    fn in_a_dataset_of_very_many_files_the_samples_of_some_decide_about_near_times() {
        let dir = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..=sample::MOST).map(|number| format!("f{number:03}")).collect();
        for name in &names {
            fs::write(dir.path().join(name), "data").unwrap();
        }
        let made = described(dir.path());
        let has_sample = |name: &&String| made.samples.iter().any(|sample| sample.path == **name);
        let without = names.iter().find(|name| !has_sample(name)).expect("one file has no sample");
        shift(&dir.path().join(without), Duration::from_micros(200));
        let reason = changed(dir.path(), &made, false).unwrap().expect("its time decides");
        assert_eq!(reason.get(row::DatasetWritten::path), Some(without.as_str()));
        let sampled = dir.path().join(names.iter().find(has_sample).unwrap());
        shift(&sampled, Duration::from_micros(200));
        assert_eq!(changed(dir.path(), &made, false).unwrap(), None, "a file with the same data is near too");
        fs::write(&sampled, "xxxx").unwrap();
        assert!(changed(dir.path(), &made, false).unwrap().is_some(), "its data differs");
    }

    #[test]
    fn only_the_samples_of_files_with_another_time_are_compared() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["f", "g"] {
            fs::write(dir.path().join(name), vec![7; 100_000]).unwrap();
        }
        let mut made = described(dir.path());
        for sample in made.samples.iter_mut().filter(|sample| sample.path == "f") {
            sample.sha256 = "not of these bytes".into();
        }
        shift(&dir.path().join("g"), Duration::from_micros(200));
        assert_eq!(changed(dir.path(), &made, false).unwrap(), None, "f has its recorded time");
        shift(&dir.path().join("f"), Duration::from_micros(200));
        let reason = changed(dir.path(), &made, false).unwrap().expect("the data of f differs");
        let of = (
            reason.get(row::DatasetWritten::path),
            reason.get(row::DatasetWritten::differs),
            reason.get(row::DatasetWritten::offset),
        );
        assert_eq!(of, (Some("f"), Some("f"), Some(0.0)));
    }
}
