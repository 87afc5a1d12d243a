//! Trees are created, walked and removed, and every call is recorded.

use results::reason::Code;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use command::Settings;
use command::ls_lr::LsLrShape;
use measure::CycleClock;
use results::Record;
use results::records::Sink;
use storage::{Client, Directory, EntryStatus, ListedEntry};

use super::walk::Walker;
use super::*;
use crate::kit::observer::Silent;
use crate::kit::operations::Operating;

/// Lists like `inner`, and stores the paths that were requested.
struct Noted<'a> {
    inner: &'a dyn Listing,
    opened: Mutex<Vec<String>>,
    shown: Mutex<Vec<String>>,
    further: Mutex<Vec<&'static str>>,
    /// Opening this directory fails.
    denied: Option<&'a str>,
    /// Opening the first of these directories removes the second one.
    takes: Option<(&'a str, &'a Path)>,
}

fn text(path: &CStr) -> String {
    path.to_str().unwrap().to_owned()
}

impl Listing for Noted<'_> {
    fn open_dir(&self, path: &CStr) -> io::Result<Box<dyn Directory>> {
        if self.denied.is_some_and(|denied| text(path).ends_with(denied)) {
            return Err(io::Error::from_raw_os_error(13));
        }
        if let Some((at, gone)) = self.takes
            && text(path).ends_with(at)
        {
            fs::remove_dir_all(gone).unwrap();
        }
        self.opened.lock().unwrap().push(text(path));
        self.inner.open_dir(path)
    }

    fn shown(&self, path: &CStr) -> io::Result<ListedEntry> {
        self.shown.lock().unwrap().push(text(path));
        self.inner.shown(path)
    }

    fn status(&self, path: &CStr) -> io::Result<EntryStatus> {
        unreachable!("only a search calls this: {path:?}")
    }

    fn attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        self.further.lock().unwrap().push("getxattr");
        self.inner.attribute(path, name, value)
    }

    fn own_attribute(&self, path: &CStr, name: &CStr, value: &mut [u8]) -> io::Result<usize> {
        self.further.lock().unwrap().push("lgetxattr");
        self.inner.own_attribute(path, name, value)
    }

    fn read_link(&self, path: &CStr, target: &mut [u8]) -> io::Result<usize> {
        self.further.lock().unwrap().push("readlink");
        self.inner.read_link(path, target)
    }
}

fn posix() -> Box<dyn Storage> {
    (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap()
}

/// A walk by one rank: the opened directories, the requested entries, and the phase or the reason of its
/// failure.
struct Walked {
    opened: Vec<String>,
    shown: Vec<String>,
    further: Vec<&'static str>,
    phase: Result<results::record::Phase, Halt>,
    entries: u64,
}

fn walk(root: &Path, calls: EntryCalls, denied: Option<&str>, keep_going: bool) -> Walked {
    walk_while(root, calls, keep_going, denied, None)
}

fn walk_while(
    root: &Path,
    calls: EntryCalls,
    keep_going: bool,
    denied: Option<&str>,
    takes: Option<(&str, &Path)>,
) -> Walked {
    let storage = posix();
    let inner = storage.names().unwrap().listing().unwrap();
    let none = || Mutex::new(Vec::new());
    let noted = Noted { inner, opened: none(), shown: none(), further: Mutex::default(), denied, takes };
    let (mut clock, mut kept) = (CycleClock::new(), Vec::<Record>::new());
    let comm = ranks::local::alone();
    let mut rank = Rank::begin(&comm, &mut clock, &mut kept, None, &[]).unwrap();
    let setting = OperationSetting { keep_going, ..OperationSetting::default() };
    let mut walker = Walker::new(&noted, calls, rank.clock, keep_going);
    let mut doing = Operating::begin(&mut rank, setting, None).unwrap();
    walker.walk(&rank, &mut doing, root);
    let phase = doing.end(&mut rank, || Ok(())).map(|done| done.phase);
    let entries = walker.seen.entries;
    let [opened, shown] = [noted.opened, noted.shown].map(|list| list.into_inner().unwrap());
    Walked { opened, shown, further: noted.further.into_inner().unwrap(), phase, entries }
}

/// Runs `parameters` on `ranks` ranks. Returns the result of rank 0 and its records.
fn run_on(ranks: u32, parameters: &LsLrParameters) -> (Result<bool, Halt>, Vec<Record>) {
    let (storage, clock, kept) = (posix(), CycleClock::new(), Mutex::new(Vec::<Record>::new()));
    let all = ranks::local::run(ranks, |comm| {
        let (mut clock, mut mine) = (clock.clone(), Vec::<Record>::new());
        let sink: &mut dyn Sink = &mut mine;
        let mut rank = Rank::begin(comm, &mut clock, sink, None, &[])?;
        let done = run(parameters, &*storage, &mut rank, &mut Silent);
        if comm.rank() == 0 {
            kept.lock().unwrap().extend(mine);
        }
        done
    });
    (all.into_iter().next().unwrap().unwrap(), kept.into_inner().unwrap())
}

fn made_under(dir: &Path, shape: LsLrShape) -> LsLrParameters {
    let trees = Trees::Under(dir.to_owned());
    LsLrParameters { trees, shape, make: true, walk: false, ..LsLrParameters::default() }
}

const SMALL: LsLrShape = LsLrShape { entries: 230, per_dir: 7, fan_out: 3, bytes: 5 };

fn notices(records: &[Record]) -> BTreeSet<&str> {
    let ids = records.iter().filter_map(|record| match record {
        Record::Notice(notice) => Some(notice.reason.code.id()),
        _ => None,
    });
    ids.collect()
}

fn phases(records: &[Record]) -> Vec<(&str, u64)> {
    let phases = records.iter().filter_map(|record| match record {
        Record::Phase(phase) => Some((phase.phase.as_str(), phase.ops)),
        _ => None,
    });
    phases.collect()
}

#[test]
fn a_walk_asks_for_exactly_what_was_made_directory_by_directory_in_the_order_of_ls() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run_on(1, &made_under(dir.path(), SMALL)).0.unwrap());
    let root = dir.path().join("ls-lr.0");
    let walked = walk(&root, EntryCalls::All, None, false);
    let phase = walked.phase.unwrap();
    assert_eq!((phase.ops, walked.entries), (230, 230));
    let mut wanted = BTreeSet::from([root.display().to_string()]);
    let mut places = entry_paths::EntryPaths::new(&root, SMALL);
    let name = |path: &crate::kit::path::PathBuffer| path.as_path().display().to_string();
    let directories: BTreeSet<_> = (0..SMALL.directories()).map(|at| name(places.directory(at))).collect();
    wanted.extend(directories.iter().cloned());
    wanted.extend((0..SMALL.files()).map(|at| name(places.file(at))));
    assert_eq!(walked.shown.len(), 231, "each once, and the root");
    assert_eq!(walked.shown.iter().cloned().collect::<BTreeSet<_>>(), wanted);
    // Depth first, sorted by name. No name here is a prefix of another, so the paths have the same order.
    assert_eq!(walked.opened, directories.into_iter().collect::<Vec<_>>());
    let count = |call: &str| walked.further.iter().filter(|made| **made == call).count();
    let acl = count("getxattr");
    assert!(acl == 231 + 29 || acl == 1, "of every entry, of directories twice: {acl}");
    assert_eq!(count("readlink"), 0);
    assert!(walk(&root, EntryCalls::Stat, None, false).further.is_empty());
}

#[test]
fn names_with_a_dot_are_passed_over_and_links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    fs::create_dir_all(at(".hidden/c")).unwrap();
    for (target, link) in [("..", "a/up"), (".", "self"), ("nowhere", "dangling"), ("a", "a/b/loop")] {
        std::os::unix::fs::symlink(target, at(link)).unwrap();
    }
    let walked = walk(dir.path(), EntryCalls::All, None, false);
    let names: Vec<_> = walked.opened.iter().map(|path| &path[dir.path().as_os_str().len()..]).collect();
    assert_eq!(names, ["", "/a", "/a/b"]);
    assert_eq!((walked.entries, walked.phase.unwrap().ops), (6, 6));
    assert_eq!(walked.further.iter().filter(|call| **call == "readlink").count(), 4);
}

#[test]
fn a_chain_of_directories_is_walked_to_its_end_and_paths_too_long_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let chain = LsLrShape { entries: 500, per_dir: 0, fan_out: 1, bytes: 0 };
    assert!(run_on(1, &made_under(dir.path(), chain)).0.unwrap());
    let root = dir.path().join("ls-lr.0");
    let walked = walk(&root, EntryCalls::All, None, false);
    assert_eq!((walked.opened.len(), walked.entries), (501, 500));
    // Deeper than the longest path: 200 names of 30 bytes below a root that is reached step by step.
    let deep = tempfile::tempdir().unwrap();
    let fd =
        |path: &Path| rustix::fs::open(path, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    let mut at = fd(deep.path());
    let name = "n".repeat(30);
    for _ in 0..200 {
        rustix::fs::mkdirat(&at, &name, rustix::fs::Mode::RWXU).unwrap();
        at = rustix::fs::openat(&at, &name, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    }
    let walked = walk(deep.path(), EntryCalls::All, None, true);
    let failed = walked.phase.unwrap().failed.unwrap();
    // The entry and, if it is a directory, its listing.
    let reasons = failed.counted();
    assert_eq!(reasons, [("File name too long", 2)]);
    assert_eq!(failed.first.iter().map(|one| one.operation.as_str()).collect::<Vec<_>>(), ["statx", "open"]);
    let named = &failed.first[0].path;
    assert!(named.len() < 500 && named.contains("nnn ... nnn"), "{named}");
    assert!(walked.entries > 100 && walked.entries < 140, "{}", walked.entries);
}

#[test]
fn a_directory_that_cannot_be_read_ends_the_walk_or_is_counted_and_named() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run_on(1, &made_under(dir.path(), SMALL)).0.unwrap());
    let root = dir.path().join("ls-lr.0");
    let halt = walk(&root, EntryCalls::All, Some("ls-lr.0/d1"), false).phase.unwrap_err();
    assert_eq!(halt.to_string().rsplit_once("ls-lr.0").unwrap().1, "/d1: open: Permission denied");
    let walked = walk(&root, EntryCalls::All, Some("ls-lr.0/d1"), true);
    let phase = walked.phase.unwrap();
    let failed = phase.failed.clone().unwrap();
    assert_eq!((failed.operations, failed.first[0].operation.as_str()), (1, "open"));
    assert_eq!(phase.ops, walked.entries, "what was listed was asked for");
    assert!(phase.ops < 230 && !walked.opened.iter().any(|path| path.contains("ls-lr.0/d1")));
}

#[test]
fn a_directory_that_is_removed_during_the_walk_is_named_and_the_rest_is_listed() {
    for (at, first) in [("ls-lr.0/d0", "open"), ("ls-lr.0/d2", "statx")] {
        let dir = tempfile::tempdir().unwrap();
        assert!(run_on(1, &made_under(dir.path(), SMALL)).0.unwrap());
        let (root, gone) = (dir.path().join("ls-lr.0"), dir.path().join("ls-lr.0/d2"));
        let walked = walk_while(&root, EntryCalls::All, true, None, Some((at, &gone)));
        let phase = walked.phase.unwrap();
        // Removed before the open, the open fails. Removed afterwards, the directory is empty or its entries
        // are missing.
        if first == "open" {
            let failed = phase.failed.unwrap();
            assert_eq!((failed.operations, failed.first[0].operation.as_str()), (1, first));
            assert_eq!(Path::new(&failed.first[0].path), gone);
            assert_eq!(failed.reasons[0].why, "No such file or directory");
        }
        assert!(walked.opened.iter().any(|path| path.ends_with("ls-lr.0/d1")), "the walk continued");
        assert!(phase.ops < 230 && phase.ops > 100, "{}", phase.ops);
    }
}

#[test]
fn all_trees_are_made_walked_and_removed_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("mine"), "stays").unwrap();
    let all = LsLrParameters {
        walk: true,
        remove: true,
        repetitions: 2,
        least_window_s: 1e6,
        ..made_under(dir.path(), SMALL)
    };
    let (done, records) = run_on(3, &all);
    assert!(done.unwrap());
    let of = |name, ops| (name, ops);
    let twice = [of("list", 690), of("directories", 87), of("list", 690), of("directories", 87)];
    let wanted = [&[of("make", 690)][..], &twice, &[of("remove", 690)]].concat();
    assert_eq!(phases(&records), wanted);
    let ids = notices(&records);
    assert!(ids.is_superset(&BTreeSet::from(["small-tree", "short-window", "warm"])), "{ids:?}");
    let of_all = |record: &Record| match record {
        Record::Notice(notice) => notice.reason.code == Code::Warm && notice.phase.is_empty(),
        _ => false,
    };
    assert!(records.iter().any(of_all), "directories are as warm as entries");
    let with_ranks = |record: &Record| match record {
        Record::Phase(phase) => phase.each_rank.is_some() == (phase.phase != "directories"),
        _ => true,
    };
    assert!(records.iter().all(with_ranks), "the ranks' entries are not their directories");
    let list = records.iter().find_map(|record| match record {
        Record::Phase(phase) if phase.phase == "list" => Some(phase),
        _ => None,
    });
    let (list, window) = (list.unwrap(), list.unwrap().window.unwrap());
    assert!(window.ops <= 690 && window.ops >= 230, "the first walker had done all of its tree: {window:?}");
    assert!(window.seconds <= list.spans.transfer_s);
    let rate = list.metric("rate").unwrap().value;
    assert!((rate - window.ops as f64 / window.seconds).abs() < 1e-6 * rate);
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["mine"]);
}

#[test]
fn a_making_that_was_interrupted_is_taken_up_and_a_whole_tree_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ls-lr.0");
    let begun = make::begin(posix().names().unwrap(), &root, SMALL).unwrap();
    assert_eq!(begun, make::Before::Nothing, "begun and left");
    fs::create_dir(root.join("d0")).unwrap();
    fs::write(root.join("f0"), "12345").unwrap();
    let (done, records) = run_on(1, &made_under(dir.path(), SMALL));
    assert!(done.unwrap());
    assert!(notices(&records).contains("make-resumed"));
    assert_eq!(Marker::load(&root).unwrap().unwrap().state, TreeState::Whole);
    let (done, records) = run_on(2, &made_under(dir.path(), SMALL));
    assert!(done.unwrap());
    assert_eq!(phases(&records), [("make", 230)], "only the second tree");
    // A tree that is created again is new to the client, even if it was complete.
    let client = Client { dentry_state: dir.path().join("none"), ..Client::default() };
    let walked = LsLrParameters { walk: true, client, ..made_under(dir.path(), SMALL) };
    let (_, records) = run_on(2, &walked);
    assert!(!notices(&records).contains("warm"), "{:?}", notices(&records));
    let (_, records) = run_on(3, &walked);
    assert!(notices(&records).contains("warm"), "the third tree was made: {:?}", notices(&records));
    fs::remove_dir_all(dir.path().join("ls-lr.2")).unwrap();
    let other = LsLrShape { entries: 231, ..SMALL };
    let halt = run_on(2, &made_under(dir.path(), other)).0.unwrap_err();
    assert!(halt.why.contains("this tree has another shape"), "{halt}");
    // The count by listing includes entries that do not belong to the tree.
    fs::remove_file(root.join("f0")).unwrap();
    Marker { state: TreeState::Making, shape: SMALL }.keep(&root).unwrap();
    fs::write(root.join("foreign"), "").unwrap();
    let halt = run_on(1, &made_under(dir.path(), SMALL)).0.unwrap_err();
    assert!(halt.why.ends_with("ls-lr.0: the listing returns 231 entries instead of 230"), "{halt}");
    let call = halt.call.expect("the listing");
    assert!(call.call == "list" && !call.is_short, "other programs may create entries: {call:?}");
    // One entry more was created than is listed.
    fs::remove_file(root.join("foreign")).unwrap();
    fs::remove_file(root.join("f1")).unwrap();
    let error = make::end(posix().names().unwrap(), &root, SMALL).unwrap_err();
    assert!(error.to_string().ends_with("229 entries instead of 230"), "{error}");
    assert!(storage::call_error::is_short(&error), "{error}");
}

#[test]
fn what_others_put_into_a_tree_or_instead_of_it_survives_the_removal() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ls-lr.0");
    let parameters = made_under(dir.path(), SMALL);
    assert!(run_on(1, &parameters).0.unwrap());
    let foreign = [root.join("d0/d1/theirs"), root.join("d2/.theirs")];
    foreign.iter().for_each(|path| fs::write(path, "x").unwrap());
    // A directory of the tree is replaced by a link to other files with the same names.
    let elsewhere = dir.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("d0")).unwrap();
    fs::write(elsewhere.join("f0"), "x").unwrap();
    fs::write(elsewhere.join("d0/f0"), "x").unwrap();
    let moved: PathBuf = dir.path().join("moved");
    fs::rename(root.join("d1"), &moved).unwrap();
    std::os::unix::fs::symlink(&elsewhere, root.join("d1")).unwrap();
    let remove = LsLrParameters { make: false, remove: true, ..parameters };
    assert!(!run_on(1, &remove).0.unwrap(), "something stays");
    for path in foreign.iter().chain(&[elsewhere.join("f0"), elsewhere.join("d0/f0"), moved.join("f0")]) {
        assert!(path.exists(), "{}", path.display());
    }
    assert!(!root.join("f0").exists() && !root.join("d0/d0").exists());
    assert_eq!(Marker::load(&root).unwrap().unwrap().state, TreeState::Removing);
    foreign.iter().for_each(|path| fs::remove_file(path).unwrap());
    fs::remove_file(root.join("d1")).unwrap();
    assert!(run_on(1, &remove).0.unwrap());
    assert!(!root.exists());
    let (done, records) = run_on(1, &remove);
    assert!(done.unwrap(), "there is nothing to remove");
    assert_eq!(phases(&records), [("remove", 0)]);
    fs::create_dir(&root).unwrap();
    fs::write(root.join("theirs"), "x").unwrap();
    let halt = run_on(1, &remove).0.unwrap_err();
    assert!(
        halt.why.ends_with("ls-lr did not create this directory, so it is not removed") && root.exists(),
        "{halt}"
    );
    assert!(root.join("theirs").exists());
}

#[test]
fn a_directory_that_is_not_listed_is_a_failure_of_the_directories_and_an_entry_is_none() {
    let dir = tempfile::tempdir().unwrap();
    assert!(run_on(2, &made_under(dir.path(), SMALL)).0.unwrap());
    // The path is too long: the calls on the entry and on its listing fail separately.
    let mut long = dir.path().join("ls-lr.1");
    let name = "n".repeat(250);
    while long.as_os_str().len() + 251 < 4096 {
        long.push(&name);
        fs::create_dir(&long).unwrap();
    }
    let fd = rustix::fs::open(&long, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty()).unwrap();
    rustix::fs::mkdirat(&fd, &name, rustix::fs::Mode::RWXU).unwrap();
    let walk = LsLrParameters { make: false, walk: true, keep_going: true, ..made_under(dir.path(), SMALL) };
    let (done, records) = run_on(2, &walk);
    assert!(!done.unwrap());
    let failures: Vec<_> = records
        .iter()
        .filter_map(|record| match record {
            Record::Phase(phase) => Some((phase.phase.as_str(), phase.metric("failures").unwrap().value)),
            _ => None,
        })
        .collect();
    assert_eq!(failures, [("list", 2.0), ("directories", 1.0)]);
}

#[test]
fn a_tree_that_has_not_its_entries_is_not_as_it_was_made() {
    let dir = tempfile::tempdir().unwrap();
    let parameters = made_under(dir.path(), SMALL);
    assert!(run_on(2, &parameters).0.unwrap());
    let walk = LsLrParameters { make: false, walk: true, shift: 1, ..parameters };
    assert!(run_on(2, &walk).0.unwrap());
    fs::remove_file(dir.path().join("ls-lr.1/d0/f3")).unwrap();
    let (done, records) = run_on(2, &walk);
    assert!(!done.unwrap());
    assert!(notices(&records).contains("entries-mismatch"));
}
