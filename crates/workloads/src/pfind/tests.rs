//! Searches of real trees, and of large ones that exist only as answers.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use command::Settings;
use command::pfind::NamePattern;
use measure::CycleClock;
use results::Record;
use results::records::Sink;
use storage::{Directory, DirectoryIdentity, EntryKind, EntryStatus, ListedEntry};

use super::*;
use crate::kit::observer::EventObserver;

fn posix() -> Box<dyn Storage> {
    (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap()
}

fn parameters(dir: &Path) -> PfindParameters {
    PfindParameters { dir: dir.to_owned(), queue: 100, ..PfindParameters::default() }
}

/// Stores the numbers of a search.
#[derive(Default)]
struct Numbers {
    /// Files, matched, entries, unknown, directories.
    found: Option<[u64; 5]>,
    /// Failed calls on all entries, and on directories.
    failed: [u64; 2],
    ranks: Vec<FinderRow>,
    notices: Vec<String>,
}

impl EventObserver<PfindEvent<'_>> for Numbers {
    fn event(&mut self, event: &PfindEvent<'_>) {
        match event {
            PfindEvent::Started { .. } => {}
            PfindEvent::Found(found) => {
                let Found { find, directories, matched, entries, unknown, .. } = found;
                self.found = Some([find.ops, *matched, *entries, *unknown, directories.ops]);
                let failed = |phase: &Phase| phase.failed.as_ref().map_or(0, |failed| failed.operations);
                self.failed = [failed(find), failed(directories)];
                self.ranks.clone_from(&found.ranks);
            }
            PfindEvent::Notice(reason) => self.notices.push(reason.code.id().to_owned()),
        }
    }
}

/// Searches with `listing` on `ranks` ranks. Returns the result of rank 0.
fn search_with(
    ranks: u32,
    parameters: &PfindParameters,
    listing: Option<&dyn Listing>,
) -> (Result<bool, Halt>, Numbers) {
    let (storage, clock, numbers) = (posix(), CycleClock::new(), Mutex::new(Numbers::default()));
    let listing = listing.unwrap_or_else(|| storage.names().unwrap().listing().unwrap());
    let all = ranks::local::run(ranks, |comm| {
        let (mut clock, mut records) = (clock.clone(), Vec::<Record>::new());
        let sink: &mut dyn Sink = &mut records;
        let mut rank = Rank::begin(comm, &mut clock, sink, None, &[])?;
        let mut own = Numbers::default();
        let done = run_with(parameters, listing, &mut rank, &mut own);
        if comm.rank() == 0 {
            *numbers.lock().unwrap() = own;
        }
        done
    });
    (all.into_iter().next().unwrap().unwrap(), numbers.into_inner().unwrap())
}

/// Files by path with their sizes, directories and other entries below `dir`, by the standard library.
fn walked(dir: &Path) -> (BTreeMap<PathBuf, u64>, u64) {
    let (mut files, mut directories) = (BTreeMap::new(), 1);
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let found = path.symlink_metadata().unwrap();
        if found.is_dir() {
            let (below, more) = walked(&path);
            files.extend(below);
            directories += more;
        } else {
            files.insert(path, found.len());
        }
    }
    (files, directories)
}

/// A tree with files of several sizes and names, links, and empty and deep directories.
fn tree() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let mut deep = dir.path().to_owned();
    for level in 0..12 {
        deep.push(format!("level{level}"));
        fs::create_dir(&deep).unwrap();
        for number in 0..30 {
            fs::write(deep.join(format!("file.{level}.{number}")), vec![0; number % 3]).unwrap();
        }
        fs::create_dir(deep.join("empty")).unwrap();
        std::os::unix::fs::symlink(dir.path(), deep.join("link01")).unwrap();
    }
    dir
}

#[test]
fn every_file_of_a_tree_is_examined_once_on_any_number_of_ranks() {
    let dir = tree();
    let (files, directories) = walked(dir.path());
    let all = files.len() as u64;
    let entries = all + directories - 1;
    let count = |wanted: &dyn Fn(&str, u64) -> bool| {
        let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
        files.iter().filter(|(path, bytes)| wanted(&name(path), **bytes)).count() as u64
    };
    let name = |text| Some(NamePattern::parse(text).unwrap());
    for ranks in [1, 2, 5] {
        for queue in [10, 1000] {
            let plain = PfindParameters { queue, ..parameters(dir.path()) };
            for (parameters, matched) in [
                (plain.clone(), all),
                (
                    PfindParameters { name: name("*01*"), ..plain.clone() },
                    count(&|name, _| name.contains("01")),
                ),
                (PfindParameters { bytes: Some(2), ..plain.clone() }, count(&|_, bytes| bytes == 2)),
                (
                    PfindParameters { bytes: Some(1), name: name("file*1"), ..plain.clone() },
                    count(&|name, bytes| {
                        bytes == 1 && name["file".len()..].contains('1') && name != "link01"
                    }),
                ),
            ] {
                let (good, numbers) = search_with(ranks, &parameters, None);
                assert_eq!(good, Ok(true), "{parameters:?}");
                assert_eq!(numbers.found, Some([all, matched, entries, 0, directories]), "{parameters:?}");
                let sum = |value: fn(&FinderRow) -> u64| numbers.ranks.iter().map(value).sum::<u64>();
                assert_eq!((sum(|row| row.files), sum(|row| row.matched)), (all, matched));
                assert_eq!(sum(|row| row.directories), directories);
            }
        }
    }
}

#[test]
fn only_files_that_changed_with_the_file_of_newer_or_later_match() {
    // The clock of the file system has ticks of some milliseconds.
    let tick = || std::thread::sleep(std::time::Duration::from_millis(30));
    let dir = tree();
    tick();
    let reference = tempfile::NamedTempFile::new().unwrap();
    tick();
    let later = ["level0/new", "level0/level1/new"];
    later.iter().for_each(|name| fs::write(dir.path().join(name), "").unwrap());
    let newer = Some(reference.path().to_owned());
    let changed = PfindParameters { newer, ..parameters(dir.path()) };
    let (good, numbers) = search_with(3, &changed, None);
    assert_eq!((good, numbers.found.unwrap()[1]), (Ok(true), 2));
    let none = PfindParameters { bytes: Some(99), ..changed.clone() };
    let (good, numbers) = search_with(3, &none, None);
    assert_eq!(good, Ok(false));
    assert!(numbers.notices.contains(&"nothing-found".to_owned()), "{:?}", numbers.notices);
    let missing = PfindParameters { newer: Some("/none/here".into()), ..changed };
    let halt = search_with(3, &missing, None).0.unwrap_err();
    assert_eq!((halt.step.as_str(), halt.rank), ("newer", 0));
    assert!(halt.why.starts_with("/none/here: No such file"), "{halt}");
}

/// A tree that exists only as answers: each directory has `width` subdirectories down to `depth`, and `files`
/// files. Names and statuses are made on request.
struct Answers {
    width: u64,
    depth: usize,
    files: u64,
    /// Whether the kinds of entries are reported with their names.
    knows_kinds: bool,
    /// This directory cannot be opened, or not be read to its end.
    closed: Option<&'static str>,
    broken: Option<&'static str>,
    open: AtomicI64,
    open_max: AtomicI64,
    opened: AtomicU64,
}

impl Answers {
    fn new(width: u64, depth: usize, files: u64) -> Self {
        let (open, open_max, opened) = (AtomicI64::new(0), AtomicI64::new(0), AtomicU64::new(0));
        Self { width, depth, files, knows_kinds: true, closed: None, broken: None, open, open_max, opened }
    }

    fn directories(&self) -> u64 {
        (0..=self.depth as u32).map(|level| self.width.pow(level)).sum()
    }
}

struct Answer<'a> {
    tree: &'a Answers,
    subdirectories: u64,
    is_broken: bool,
    next: u64,
    name: CString,
}

impl Drop for Answer<'_> {
    fn drop(&mut self) {
        self.tree.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Directory for Answer<'_> {
    fn identity(&self) -> io::Result<DirectoryIdentity> {
        Ok(DirectoryIdentity::default())
    }

    fn next(&mut self) -> io::Result<Option<(&CStr, EntryKind)>> {
        let number = self.next;
        self.next += 1;
        if self.is_broken && number == 3 {
            return Err(io::Error::from_raw_os_error(5));
        }
        if number >= self.subdirectories + self.tree.files {
            return Ok(None);
        }
        let is_directory = number < self.subdirectories;
        self.name = CString::new(format!("{}{number}", if is_directory { "d" } else { "f" })).unwrap();
        let kind = if is_directory { EntryKind::Directory } else { EntryKind::Other };
        Ok(Some((&self.name, if self.tree.knows_kinds { kind } else { EntryKind::Unknown })))
    }
}

impl Listing for &'static Answers {
    fn open_dir(&self, path: &CStr) -> io::Result<Box<dyn Directory>> {
        let text = path.to_str().unwrap();
        if self.closed == Some(text) {
            return Err(io::Error::from_raw_os_error(13));
        }
        self.opened.fetch_add(1, Ordering::Relaxed);
        let open = self.open.fetch_add(1, Ordering::Relaxed) + 1;
        self.open_max.fetch_max(open, Ordering::Relaxed);
        let level = text.matches("/d").count();
        let subdirectories = if level < self.depth { self.width } else { 0 };
        let is_broken = self.broken == Some(text);
        Ok(Box::new(Answer { tree: self, subdirectories, is_broken, next: 0, name: CString::default() }))
    }

    fn shown(&self, _path: &CStr) -> io::Result<ListedEntry> {
        unreachable!("only ls calls this")
    }

    fn status(&self, path: &CStr) -> io::Result<EntryStatus> {
        let name = path.to_str().unwrap().rsplit('/').next().unwrap();
        let kind = if name.starts_with('d') { EntryKind::Directory } else { EntryKind::Other };
        let bytes = name[1..].parse().unwrap();
        Ok(EntryStatus { kind, bytes, changed: (1, 0) })
    }

    fn attribute(&self, _path: &CStr, _name: &CStr, _value: &mut [u8]) -> io::Result<usize> {
        unreachable!("only ls calls this")
    }

    fn own_attribute(&self, _path: &CStr, _name: &CStr, _value: &mut [u8]) -> io::Result<usize> {
        unreachable!("only ls calls this")
    }

    fn read_link(&self, _path: &CStr, _target: &mut [u8]) -> io::Result<usize> {
        unreachable!("only ls calls this")
    }
}

fn leaked(answers: Answers) -> &'static Answers {
    Box::leak(Box::new(answers))
}

#[test]
fn a_million_files_are_found_with_few_open_directories_also_if_all_have_to_be_queried() {
    for (knows_kinds, ranks) in [(true, 1), (true, 4), (false, 3)] {
        let tree = leaked(Answers { knows_kinds, ..Answers::new(10, 3, 1000) });
        let parameters = PfindParameters { bytes: Some(500), queue: 10, ..parameters(Path::new("/t")) };
        let (good, numbers) = search_with(ranks, &parameters, Some(&tree));
        let directories = tree.directories();
        assert_eq!((good, directories), (Ok(true), 1111));
        let (files, entries) = (directories * 1000, directories * 1001 - 1);
        let unknown = if knows_kinds { 0 } else { entries };
        // A file has the size of its number, and the first numbers are those of subdirectories.
        let wanted = [files, directories, entries, unknown, directories];
        assert_eq!(numbers.found, Some(wanted), "{ranks} ranks");
        let open_max = tree.open_max.load(Ordering::Relaxed);
        assert!(open_max <= i64::from(ranks) * 5, "a directory for each level and rank: {open_max}");
        assert_eq!(tree.open.load(Ordering::Relaxed), 0);
    }
}

#[test]
fn the_files_of_one_directory_are_queried_by_all_ranks() {
    let tree = leaked(Answers::new(0, 0, 300_000));
    let parameters = PfindParameters { bytes: Some(7), queue: 10_000, ..parameters(Path::new("/t")) };
    let (good, numbers) = search_with(4, &parameters, Some(&tree));
    assert_eq!((good, numbers.found), (Ok(true), Some([300_000, 1, 300_000, 0, 1])));
    assert!(numbers.ranks[1..].iter().any(|row| row.taken > 0 && row.files > 0), "{:?}", numbers.ranks);
}

#[test]
fn a_directory_that_cannot_be_read_ends_the_search_of_all_ranks_or_is_counted() {
    for (closed, broken) in [(Some("/t/d1"), None), (None, Some("/t/d1"))] {
        let tree = leaked(Answers { closed, broken, ..Answers::new(3, 4, 20) });
        for ranks in [1, 4] {
            let strict = parameters(Path::new("/t"));
            let halt = search_with(ranks, &strict, Some(&tree)).0.unwrap_err();
            let why =
                if closed.is_some() { "open: Permission denied" } else { "readdir: Input/output error" };
            assert!(halt.why.contains("/t/d1") && halt.why.ends_with(why), "{halt}");
            let lenient = PfindParameters { keep_going: true, ..strict };
            let (good, numbers) = search_with(ranks, &lenient, Some(&tree));
            assert_eq!((good, numbers.failed), (Ok(false), [1, 1]), "{:?}", numbers.found);
            let [files, matched, ..] = numbers.found.unwrap();
            assert!(files == matched && files < tree.directories() * 20, "{files}");
        }
    }
}
