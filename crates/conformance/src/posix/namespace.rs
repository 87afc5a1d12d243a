//! Changes of names and directories that are visible to all ranks, with and without an open file.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::link_problem;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

pub(super) fn cases() -> Vec<ConformanceCase> {
    vec![
        ConformanceCase::new(
            "posix.rename.over_open",
            "POSIX.1-2017 rename",
            "who has a file open that another is renamed over keeps the old one; who opens, gets the new",
            over_open,
        ),
        ConformanceCase::new(
            "posix.unlink.while_open",
            "POSIX.1-2017 unlink",
            "a file whose name is gone can be read and written by all who have it open, and opened by none",
            while_open,
        ),
        ConformanceCase::new(
            "posix.directory.entries",
            "POSIX.1-2017 readdir",
            "entries that each rank makes in one directory are seen by all, each once; removed, by none",
            entries,
        ),
        ConformanceCase::new(
            "posix.link.count",
            "POSIX.1-2017 link",
            "links that each rank makes to one file are counted, as all ranks see it",
            links,
        ),
        ConformanceCase::new(
            "posix.times.mtime",
            "POSIX.1-2017 write",
            "a write marks the time of modification, as all ranks see it",
            mtime,
        ),
    ]
}

const LENGTH: usize = 5000;

fn over_open(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, new) = (cx.path("target"), cx.path("new"));
    let [old_data, new_data] = [1, 2].map(|call| test_data::bytes(0, call, LENGTH));
    cx.on_rank_0("make two files", || {
        fs::write(&path, &old_data).context("write target")?;
        fs::write(&new, &new_data).context("write new")
    })?;
    let file = cx.agree("open the old one", File::open(&path).context("open target"))?;
    cx.on_rank_0("rename over it", || fs::rename(&new, &path).context("rename new to target"))?;
    cx.all("look", || {
        system_file::check_at("the old file, held open", &path, &file, 0, &old_data)?;
        system_file::check_all("the new file under the old name", &path, &new_data)?;
        check_missing(&new)
    })
}

/// Fails if the name exists.
fn check_missing(path: &Path) -> Result<(), CaseProblem> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).context(path.display()),
        Ok(_) => Err(CaseProblem::fail(format!("{}: can still be opened", path.display()))),
    }
}

fn while_open(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("gone");
    let size = cx.size();
    let before = test_data::bytes(0, 1, LENGTH);
    cx.on_rank_0("make", || fs::write(&path, &before).context("write"))?;
    let file = cx.agree("open", system_file::open(&path))?;
    cx.on_rank_0("unlink", || fs::remove_file(&path).context("unlink"))?;
    let place = |rank: u32| (LENGTH + rank as usize * LENGTH) as u64;
    cx.all("use it without a name", || {
        check_missing(&path)?;
        check_equal("links of the file", &0, &file.metadata().context("fstat")?.nlink())?;
        system_file::check_at("what was written before", &path, &file, 0, &before)?;
        system_file::write_at(&file, &test_data::bytes(cx.rank(), 2, LENGTH), place(cx.rank()))
    })?;
    cx.all("read what others wrote", || {
        (0..size).try_for_each(|rank| {
            let wanted = test_data::bytes(rank, 2, LENGTH);
            system_file::check_at("written after the name was gone", &path, &file, place(rank), &wanted)
        })
    })
}

/// Directory entries that each rank makes.
const ENTRIES: u32 = 40;

fn entries(cx: &mut CaseContext<'_>) -> CaseResult {
    let dir = cx.path("entries");
    let (rank, size) = (cx.rank(), cx.size());
    cx.on_rank_0("make the directory", || fs::create_dir(&dir).context("mkdir"))?;
    let mine = || (0..ENTRIES).map(|number| dir.join(format!("{rank}.{number}")));
    cx.all("make entries", || {
        mine().try_for_each(|path| File::create_new(&path).map(drop).context("create"))
    })?;
    cx.all("list", || {
        let mut wanted: Vec<String> =
            (0..size).flat_map(|rank| (0..ENTRIES).map(move |number| format!("{rank}.{number}"))).collect();
        wanted.sort_unstable();
        check_names(&wanted, &list_directory(&dir)?)
    })?;
    cx.all("remove entries", || mine().try_for_each(|path| fs::remove_file(&path).context("unlink")))?;
    cx.all("list again", || check_names(&[], &list_directory(&dir)?))
}

fn list_directory(dir: &Path) -> Result<Vec<String>, CaseProblem> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).context("opendir")? {
        names.push(entry.context("readdir")?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

/// Fails with the first difference of two sorted lists of names.
fn check_names(wanted: &[String], found: &[String]) -> Result<(), CaseProblem> {
    let at = wanted.iter().zip(found).take_while(|(one, other)| one == other).count();
    let name = |list: &[String]| list.get(at).cloned().unwrap_or_else(|| "the end".to_owned());
    let what = format!("entry {at} of {} in order, {} found", wanted.len(), found.len());
    check_equal(&what, &name(wanted), &name(found))
}

fn links(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let size = u64::from(cx.size());
    let mine = cx.path(&format!("link.{}", cx.rank()));
    cx.on_rank_0("make", || fs::write(&path, b"x").context("write"))?;
    cx.agree("link", fs::hard_link(&path, &mine).map_err(link_problem))?;
    let count = || Ok::<_, CaseProblem>(fs::metadata(&path).context("stat")?.nlink());
    cx.all("count", || check_equal("links", &(size + 1), &count()?))?;
    cx.all("unlink", || fs::remove_file(&mine).context("unlink"))?;
    cx.all("count again", || check_equal("links", &1, &count()?))
}

fn mtime(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    cx.on_rank_0("make", || system_file::prefill(&path, 1))?;
    let file = cx.agree("open", system_file::open(&path))?;
    let stamp = || fs::metadata(&path).and_then(|entry| entry.modified()).context("stat");
    for turn in cx.turns() {
        cx.on_rank_0("set an old time", || file.set_modified(long_ago()).context("futimens"))?;
        // This caches the old time on the client, which must then be invalidated.
        cx.agree("look before", stamp())?;
        cx.on_rank(turn, "write", || {
            system_file::write_at(&file, b"y", u64::from(turn))?;
            file.sync_all().context("fsync")
        })?;
        cx.all("look after", || {
            let what = format!("whether the time of modification is later than 2001 after rank {turn} wrote");
            check_equal(&what, &true, &(stamp()? > long_ago()))
        })?;
    }
    Ok(())
}

/// A day in 2001. Every clock is later, however wrong or coarse it is.
fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}
