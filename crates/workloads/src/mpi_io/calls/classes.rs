//! Error classes, each by what provokes it. Those that no program can provoke on a file system that works are
//! named in the project's method, with the reason.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use storage::mpi_file::{At, Class, Elements, Flag, Info, MpiError, MpiFile, Pointer, Way, Whence, Whose};

use super::{byte, noticed, of_rows, refused};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

const SECTION: &str = "MPI 4.1 section 14.7";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
        ("errors.no_file", SECTION, "a call on MPI_FILE_NULL is refused as MPI_ERR_FILE", no_file),
        ("errors.bad_name", SECTION, "a name too long for any file is refused as MPI_ERR_BAD_FILE", bad_name),
        ("errors.access", SECTION, "a file that may not be opened is refused as MPI_ERR_ACCESS", access),
        (
            "errors.no_space",
            SECTION,
            "a full file system is told as MPI_ERR_NO_SPACE, at the latest when the file is closed",
            no_space,
        ),
        (
            "errors.sequential",
            "MPI 4.1 section 14.2.1",
            "seeks and offsets in a file that is open for sequential access are refused",
            sequential,
        ),
        (
            "delete.open",
            "MPI 4.1 section 14.2.3",
            "a file that is open is deleted, or refused as MPI_ERR_FILE_IN_USE and stays",
            delete_open,
        ),
    ])
}

fn no_file(scene: &mut Scene<'_>) -> Verdict {
    let asked = MpiFile::size_of_none(scene.mpi()?);
    scene.agree("MPI_File_get_size", refused("MPI_File_get_size of MPI_FILE_NULL", asked, &[Class::File]))
}

/// Letters of a name: more than any file system takes.
const LETTERS: usize = 300;

fn bad_name(scene: &mut Scene<'_>) -> Verdict {
    let (path, comm) = (scene.path(&"x".repeat(LETTERS)), scene.mpi()?);
    let opened = MpiFile::open(Whose::All(comm), &path, &MADE, &Info::none(comm));
    let opened = opened.and_then(MpiFile::close);
    scene.agree("open", refused("MPI_File_open", opened, &[Class::BadFile]))
}

fn access(scene: &mut Scene<'_>) -> Verdict {
    let (path, comm) = (scene.path("file"), scene.mpi()?);
    scene.on_rank_0("make", || {
        look::prefill(&path, 10)?;
        fs::set_permissions(&path, Permissions::from_mode(0o000)).told("chmod")
    })?;
    scene.all("look", || match fs::File::open(&path) {
        Ok(_) => Err(Trouble::Skipped("this user may open every file; run it as another".to_owned())),
        Err(_) => Ok(()),
    })?;
    let opened = MpiFile::open(Whose::All(comm), &path, &[Flag::ReadWrite], &Info::none(comm));
    let opened = opened.and_then(MpiFile::close);
    scene.agree("open", refused("MPI_File_open", opened, &[Class::Access]))
}

/// Only a file system with no more room than this is filled.
const SMALL: u64 = 16 << 20;

/// Bytes of one write.
const PIECE: usize = 1 << 20;

/// Room of the file system that holds a directory, bytes.
fn room(dir: &Path) -> Result<u64, Trouble> {
    Ok(storage::space(dir).told("statvfs")?.map_or(u64::MAX, |space| space.bytes_available))
}

fn no_space(scene: &mut Scene<'_>) -> Verdict {
    let (path, byte) = (scene.path("file"), byte(scene)?);
    let room = scene.agree("statvfs", room(scene.dir))?;
    scene.all("look for room", || {
        let why = format!("{} MiB are free, and only a file system with less than 16 is filled", room >> 20);
        if room > SMALL { Err(Trouble::Skipped(why)) } else { Ok(()) }
    })?;
    let file = scene.open(&path, &MADE)?;
    let data = look::data(scene.rank(), 1, PIECE);
    // The ranks write more than there is room for, in turn by offset.
    let pieces = room / PIECE as u64 + 4;
    let mine = (0..pieces).filter(|piece| piece % u64::from(scene.size()) == u64::from(scene.rank()));
    let written: Result<(), MpiError> = { mine }.try_for_each(|piece| {
        let at = At::Offset((piece * PIECE as u64) as i64);
        file.write(at, Way::Independent, &data, Elements::new(&byte, PIECE as i32)).map(drop)
    });
    let synced = file.sync();
    let closed = file.close();
    let all = written.and(synced).and(closed);
    let failed = u64::from(all.is_err());
    let failed = scene.comm.reduce_one(failed, ranks::Reduce::Sum)?;
    scene.all("look", || match all {
        Ok(()) => same("whether any rank was told that the file system is full", &true, &(failed > 0)),
        full => refused("a write into a full file system", full, &[Class::NoSpace]),
    })
}

fn sequential(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 100))?;
    let file = scene.open(&path, &[Flag::WriteOnly, Flag::Sequential])?;
    let byte = byte(scene)?;
    scene.all("seek", || noticed("MPI_File_seek", file.seek(Pointer::Individual, 10, Whence::Start)))?;
    let seek = file.seek(Pointer::Shared, 10, Whence::Start);
    scene.agree("seek together", noticed("MPI_File_seek_shared", seek))?;
    scene.all("write", || {
        let done = file.write(At::Offset(10), Way::Independent, &[1; 4], Elements::new(&byte, 4));
        noticed("MPI_File_write_at", done)?;
        let done = file.write(At::Individual, Way::Independent, &[1; 4], Elements::new(&byte, 4));
        noticed("MPI_File_write", done)
    })?;
    scene.close(file)?;
    scene.on_rank_0("look", || look::is_whole("the file", &path, &[look::UNTOUCHED; 100])).map(drop)
}

fn delete_open(scene: &mut Scene<'_>) -> Verdict {
    let (path, comm) = (scene.path("file"), scene.mpi()?);
    let file = scene.open(&path, &MADE)?;
    scene.on_rank_0("delete", || {
        let deleted = MpiFile::delete(comm, &path, &Info::none(comm));
        let stays = deleted.is_err();
        if stays {
            refused("MPI_File_delete of a file that is open", deleted, &[Class::FileInUse])?;
        }
        same("whether the file is there", &stays, &path.exists())
    })?;
    scene.close(file)
}
