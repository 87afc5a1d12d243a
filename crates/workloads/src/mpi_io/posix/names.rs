//! Names that one rank changes and the others see, with and without a file open.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::no_links;
use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "posix.rename.over_open",
            "POSIX.1-2017 rename",
            "who has a file open that another is renamed over keeps the old one; who opens, gets the new",
            over_open,
        ),
        Case::new(
            "posix.unlink.while_open",
            "POSIX.1-2017 unlink",
            "a file whose name is gone can be read and written by all who have it open, and opened by none",
            while_open,
        ),
        Case::new(
            "posix.directory.entries",
            "POSIX.1-2017 readdir",
            "entries that each rank makes in one directory are seen by all, each once; removed, by none",
            entries,
        ),
        Case::new(
            "posix.link.count",
            "POSIX.1-2017 link",
            "links that each rank makes to one file are counted, as all ranks see it",
            links,
        ),
        Case::new(
            "posix.times.mtime",
            "POSIX.1-2017 write",
            "a write marks the time of modification, as all ranks see it",
            mtime,
        ),
    ]
}

const LENGTH: usize = 5000;

fn over_open(scene: &mut Scene<'_>) -> Verdict {
    let (path, new) = (scene.path("target"), scene.path("new"));
    let [old_data, new_data] = [1, 2].map(|call| look::data(0, call, LENGTH));
    scene.on_rank_0("make two files", || {
        fs::write(&path, &old_data).told("write target")?;
        fs::write(&new, &new_data).told("write new")
    })?;
    let file = scene.agree("open the old one", File::open(&path).told("open target"))?;
    scene.on_rank_0("rename over it", || fs::rename(&new, &path).told("rename new to target"))?;
    scene.all("look", || {
        look::holds("the old file, held open", &path, &file, 0, &old_data)?;
        look::is_whole("the new file under the old name", &path, &new_data)?;
        is_gone(&new)
    })
}

/// Trouble unless there is no such name.
fn is_gone(path: &Path) -> Result<(), Trouble> {
    match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).told(path.display()),
        Ok(_) => Err(Trouble::fail(format!("{}: can still be opened", path.display()))),
    }
}

fn while_open(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("gone");
    let size = scene.size();
    let before = look::data(0, 1, LENGTH);
    scene.on_rank_0("make", || fs::write(&path, &before).told("write"))?;
    let file = scene.agree("open", look::open(&path))?;
    scene.on_rank_0("unlink", || fs::remove_file(&path).told("unlink"))?;
    let place = |rank: u32| (LENGTH + rank as usize * LENGTH) as u64;
    scene.all("use it without a name", || {
        is_gone(&path)?;
        same("links of the file", &0, &file.metadata().told("fstat")?.nlink())?;
        look::holds("what was written before", &path, &file, 0, &before)?;
        look::write_at(&file, &look::data(scene.rank(), 2, LENGTH), place(scene.rank()))
    })?;
    scene.all("read what others wrote", || {
        (0..size).try_for_each(|rank| {
            let wanted = look::data(rank, 2, LENGTH);
            look::holds("written after the name was gone", &path, &file, place(rank), &wanted)
        })
    })
}

/// Entries of each rank.
const ENTRIES: u32 = 40;

fn entries(scene: &mut Scene<'_>) -> Verdict {
    let dir = scene.path("entries");
    let (rank, size) = (scene.rank(), scene.size());
    scene.on_rank_0("make the directory", || fs::create_dir(&dir).told("mkdir"))?;
    let mine = || (0..ENTRIES).map(|number| dir.join(format!("{rank}.{number}")));
    scene.all("make entries", || {
        mine().try_for_each(|path| File::create_new(&path).map(drop).told("create"))
    })?;
    scene.all("list", || {
        let mut wanted: Vec<String> =
            (0..size).flat_map(|rank| (0..ENTRIES).map(move |number| format!("{rank}.{number}"))).collect();
        wanted.sort_unstable();
        same_names(&wanted, &listed(&dir)?)
    })?;
    scene.all("remove entries", || mine().try_for_each(|path| fs::remove_file(&path).told("unlink")))?;
    scene.all("list again", || same_names(&[], &listed(&dir)?))
}

fn listed(dir: &Path) -> Result<Vec<String>, Trouble> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir).told("opendir")? {
        names.push(entry.told("readdir")?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}

/// Trouble with the first name that one list has and the other has not.
fn same_names(wanted: &[String], found: &[String]) -> Result<(), Trouble> {
    let at = wanted.iter().zip(found).take_while(|(one, other)| one == other).count();
    let name = |list: &[String]| list.get(at).cloned().unwrap_or_else(|| "the end".to_owned());
    let what = format!("entry {at} of {} in order, {} found", wanted.len(), found.len());
    same(&what, &name(wanted), &name(found))
}

fn links(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let size = u64::from(scene.size());
    let mine = scene.path(&format!("link.{}", scene.rank()));
    scene.on_rank_0("make", || fs::write(&path, b"x").told("write"))?;
    scene.agree("link", fs::hard_link(&path, &mine).map_err(no_links))?;
    let count = || Ok::<_, Trouble>(fs::metadata(&path).told("stat")?.nlink());
    scene.all("count", || same("links", &(size + 1), &count()?))?;
    scene.all("unlink", || fs::remove_file(&mine).told("unlink"))?;
    scene.all("count again", || same("links", &1, &count()?))
}

fn mtime(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 1))?;
    let file = scene.agree("open", look::open(&path))?;
    let stamp = || fs::metadata(&path).and_then(|entry| entry.modified()).told("stat");
    for turn in scene.turns() {
        scene.on_rank_0("set an old time", || file.set_modified(long_ago()).told("futimens"))?;
        // A client that remembers the old time has to be told.
        scene.agree("look before", stamp())?;
        scene.all("write", || {
            if scene.rank() != turn {
                return Ok(());
            }
            look::write_at(&file, b"y", u64::from(turn))?;
            file.sync_all().told("fsync")
        })?;
        scene.all("look after", || {
            let what = format!("whether the time of modification is later than 2001 after rank {turn} wrote");
            same(&what, &true, &(stamp()? > long_ago()))
        })?;
    }
    Ok(())
}

/// A day of 2001: later than it are all clocks, whatever they are set to and however coarse they are.
fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}
