//! Opening, closing and deleting.

use std::path::Path;

use storage::mpi_file::{At, Class, Elements, Flag, Info, MpiFile, Pointer, Way, Whose};

use super::{byte, noticed, of_rows, refused};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

const OPEN: &str = "MPI 4.1 section 14.2.1";
const DELETE: &str = "MPI 4.1 section 14.2.3";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of_rows(&[
        ("open.create", OPEN, "MPI_MODE_CREATE makes a file, and takes one that is there", create),
        ("open.missing", OPEN, "a file that is not there is refused as MPI_ERR_NO_SUCH_FILE", missing),
        ("open.exclusive", OPEN, "MPI_MODE_EXCL makes a file, and refuses one that is there", exclusive),
        ("open.append", OPEN, "MPI_MODE_APPEND opens with both pointers at the end of the file", append),
        ("open.delete_on_close", OPEN, "MPI_MODE_DELETE_ON_CLOSE removes the file when it is closed", gone),
        ("open.unique", OPEN, "MPI_MODE_UNIQUE_OPEN opens, and data goes and comes as without", unique),
        ("open.amode", "MPI 4.1 section 14.2.7", "MPI_File_get_amode gives the modes of opening", amode),
        ("open.group", "MPI 4.1 section 14.2.7", "MPI_File_get_group gives the ranks that opened", group),
        ("open.comm_freed", OPEN, "the communicator may be freed while the file is open", comm_freed),
        (
            "open.read_only",
            OPEN,
            "a write into a file that is open for reading is noticed, and changes nothing",
            write_refused,
        ),
        ("open.write_only", OPEN, "a read from a file that is open for writing is noticed", read_refused),
        ("open.different_modes", OPEN, "ranks that open with different modes are noticed", different),
        ("delete.there", DELETE, "MPI_File_delete removes a file", delete),
        (
            "delete.missing",
            DELETE,
            "deleting what is not there is refused as MPI_ERR_NO_SUCH_FILE",
            no_delete,
        ),
    ]);
    for (name, how) in WRONG {
        let promise = format!("modes that do not go together are refused as MPI_ERR_AMODE: {how:?}");
        let body = |scene: &mut Scene<'_>| wrong_modes(scene, how);
        cases.push(Case::new(*name, OPEN, promise, body).mpi());
    }
    cases
}

const WRONG: &[(&str, &[Flag])] = &[
    ("open.amode_two", &[Flag::ReadOnly, Flag::ReadWrite, Flag::Create]),
    ("open.amode_none", &[Flag::Create]),
    ("open.amode_sequential", &[Flag::Sequential, Flag::ReadWrite, Flag::Create]),
    ("open.amode_create", &[Flag::ReadOnly, Flag::Create]),
    ("open.amode_exclusive", &[Flag::ReadOnly, Flag::Exclusive]),
];

/// What comes of opening, closed again where it went well.
fn tried(
    scene: &Scene<'_>,
    path: &Path,
    how: &[Flag],
) -> Result<Result<(), storage::mpi_file::MpiError>, crate::mpi_io::stop::Stop> {
    let comm = scene.mpi()?;
    Ok(MpiFile::open(Whose::All(comm), path, how, &Info::none(comm)).and_then(MpiFile::close))
}

fn wrong_modes(scene: &mut Scene<'_>, how: &[Flag]) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || if how.contains(&Flag::Create) { Ok(()) } else { look::prefill(&path, 8) })?;
    let tried = tried(scene, &path, how)?;
    scene.agree("open", refused("MPI_File_open", tried, &[Class::Amode]))
}

fn create(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    for _ in 0..2 {
        let file = scene.open(&path, &MADE)?;
        scene.close(file)?;
        scene.all("look", || same("whether the file is there", &true, &path.is_file()))?;
    }
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    scene.close(file)
}

fn missing(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("missing");
    let tried = tried(scene, &path, &[Flag::ReadOnly])?;
    scene.agree("open", refused("MPI_File_open", tried, &[Class::NoSuchFile]))?;
    scene.all("look", || same("whether the file is there", &false, &path.exists()))
}

fn exclusive(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let how = [Flag::Create, Flag::Exclusive, Flag::ReadWrite];
    let file = scene.open(&path, &how)?;
    scene.close(file)?;
    let tried = tried(scene, &path, &how)?;
    scene
        .agree("open again", refused("MPI_File_open of a file that is there", tried, &[Class::FileExists]))?;
    scene.on_rank_0("delete", || std::fs::remove_file(&path).told("unlink"))?;
    let file = scene.open(&path, &how)?;
    scene.close(file)
}

fn append(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 1000))?;
    let file = scene.open(&path, &[Flag::Create, Flag::ReadWrite, Flag::Append])?;
    scene.all("look at the pointers", || {
        let own = file.position(Pointer::Individual).told("MPI_File_get_position")?;
        same("the rank's own pointer after opening", &1000, &own)
    })?;
    let byte = byte(scene)?;
    let data = look::data(scene.rank(), 1, 50);
    scene.all("write", || {
        file.write(At::Shared, Way::Collective, &data, Elements::new(&byte, 50))
            .map(drop)
            .told("write_ordered")
    })?;
    scene.close(file)?;
    let size = scene.size();
    let all = (0..size).flat_map(|rank| look::data(rank, 1, 50));
    let wanted: Vec<u8> = vec![look::UNTOUCHED; 1000].into_iter().chain(all).collect();
    scene.on_rank_0("look", || look::is_whole("appended by the shared pointer", &path, &wanted)).map(drop)
}

fn gone(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let file = scene.open(&path, &[Flag::Create, Flag::ReadWrite, Flag::DeleteOnClose])?;
    scene.close(file)?;
    scene.all("look", || same("whether the file is there", &false, &path.exists()))
}

fn unique(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let file = scene.open(&path, &[Flag::Create, Flag::ReadWrite, Flag::UniqueOpen])?;
    let byte = byte(scene)?;
    let (rank, data) = (scene.rank(), look::data(scene.rank(), 1, 64));
    let at = At::Offset(64 * i64::from(rank));
    scene.all("write", || {
        file.write(at, Way::Independent, &data, Elements::new(&byte, 64)).map(drop).told("write_at")
    })?;
    scene.close(file)?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(|rank| look::data(rank, 1, 64)).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}

fn amode(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    for how in
        [vec![Flag::ReadWrite, Flag::Create], vec![Flag::WriteOnly], vec![Flag::ReadOnly, Flag::UniqueOpen]]
    {
        let file = scene.open(&path, &how)?;
        scene.all("look", || same("the modes", &how, &file.amode().told("MPI_File_get_amode")?))?;
        scene.close(file)?;
    }
    Ok(())
}

fn group(scene: &mut Scene<'_>) -> Verdict {
    let (path, mine) = (scene.path("file"), scene.path(&format!("file.{}", scene.rank())));
    let comm = scene.mpi()?;
    let file = scene.open(&path, &MADE)?;
    let own = scene.open_as(Whose::Alone(comm), &mine, &MADE, &Info::none(comm))?;
    scene.all("look", || {
        same("whether the group is that of all", &true, &file.group_is(comm).told("MPI_File_get_group")?)?;
        let alone = own.group_is(comm).told("MPI_File_get_group")?;
        same("whether that of one rank is that of all", &(scene.size() == 1), &alone)
    })?;
    scene.close(own)?;
    scene.close(file)
}

fn comm_freed(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let copy = scene.comm.split(0)?;
    let file = match copy.mpi() {
        Some(comm) => scene.open_as(Whose::All(comm), &path, &MADE, &Info::none(comm))?,
        None => return Ok(()),
    };
    drop(copy);
    let byte = byte(scene)?;
    let data = look::data(scene.rank(), 1, 100);
    scene.all("write", || {
        let at = At::Offset(100 * i64::from(scene.rank()));
        file.write(at, Way::Collective, &data, Elements::new(&byte, 100)).map(drop).told("write_at_all")
    })?;
    scene.close(file)?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(|rank| look::data(rank, 1, 100)).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}

fn write_refused(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    scene.on_rank_0("make", || look::prefill(&path, 100))?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    let byte = byte(scene)?;
    let done = file.write(At::Offset(0), Way::Independent, &[1; 10], Elements::new(&byte, 10));
    scene.close(file)?;
    scene.on_rank_0("look", || look::is_whole("the file", &path, &[look::UNTOUCHED; 100]))?;
    scene.agree("write", noticed("write_at", done))
}

fn read_refused(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let file = scene.open(&path, &[Flag::WriteOnly, Flag::Create])?;
    let byte = byte(scene)?;
    scene.all("read", || {
        let done = file.read(At::Offset(0), Way::Independent, &mut [0; 10], Elements::new(&byte, 10));
        noticed("read_at", done)
    })?;
    scene.close(file)
}

fn different(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    if scene.size() == 1 {
        return scene.all("count ranks", || Err(Trouble::Skipped("one rank differs from nobody".to_owned())));
    }
    scene.on_rank_0("make", || look::prefill(&path, 10))?;
    let how = if scene.rank() == 0 { Flag::ReadWrite } else { Flag::ReadOnly };
    let comm = scene.mpi()?;
    let opened = MpiFile::open(Whose::All(comm), &path, &[how], &Info::none(comm));
    // Closing is collective, and only where all have it open can they do it.
    let all = scene.comm.reduce_one(u64::from(opened.is_ok()), ranks::Reduce::Min)? == 1;
    let opened = if all { opened.and_then(MpiFile::close) } else { opened.map(drop) };
    scene.agree("open", noticed("MPI_File_open", opened))
}

fn delete(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let comm = scene.mpi()?;
    scene.on_rank_0("delete", || {
        look::prefill(&path, 10)?;
        MpiFile::delete(comm, &path, &Info::none(comm)).told("MPI_File_delete")
    })?;
    scene.all("look", || same("whether the file is there", &false, &path.exists()))
}

fn no_delete(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path(&format!("missing.{}", scene.rank()));
    let comm = scene.mpi()?;
    let done = MpiFile::delete(comm, &path, &Info::none(comm));
    scene.agree("delete", refused("MPI_File_delete", done, &[Class::NoSuchFile]))
}
