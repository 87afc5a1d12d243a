//! Views: what is told of them, and which are refused.

use storage::mpi_file::{
    At, Datatype, Elements, Flag, Info, MpiError, Order, Pointer, Start, TypeShape, Way,
};

use super::{byte, int, noticed, of_rows};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict, same, same_bytes};

const VIEW: &str = "MPI 4.1 section 14.3";
const TYPES: &str = "MPI 4.1 section 14.1.1";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
        ("views.default", VIEW, "a file is opened with a view of bytes from its beginning, native", default),
        ("views.get", VIEW, "MPI_File_get_view gives the view that was set, of derived types too", get),
        ("views.negative", VIEW, "a negative displacement is noticed", negative),
        ("views.mismatch", TYPES, "a filetype that is not made of the etype is noticed", mismatch),
        ("views.decreasing", TYPES, "a filetype whose displacements decrease is noticed", decreasing),
        (
            "views.overlap",
            TYPES,
            "a filetype that overlaps itself is noticed where the file is open for writing",
            overlap,
        ),
        (
            "views.current",
            VIEW,
            "MPI_DISPLACEMENT_CURRENT begins a view where a sequential file stands",
            current,
        ),
        (
            "views.current_elsewhere",
            VIEW,
            "MPI_DISPLACEMENT_CURRENT is refused where a file is not open for sequential access",
            current_elsewhere,
        ),
        (
            "views.overlap_read",
            TYPES,
            "a filetype that overlaps itself shows bytes twice where the file is open for reading only",
            overlap_read,
        ),
        ("views.empty_on_some", VIEW, "ranks whose filetype is empty take part in collective calls", empty),
        ("views.new_hints", VIEW, "hints given with a view are taken or ignored, never refused", new_hints),
        ("views.changing", VIEW, "views that change between calls show each its own part", changing),
    ])
}

fn shape(kind: &Datatype, is_named: bool) -> TypeShape {
    TypeShape { size: kind.size(), extent: kind.extent(), is_named }
}

fn default(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let byte = byte(scene)?;
    scene.all("look", || {
        let view = file.view().told("MPI_File_get_view")?;
        same("displacement", &0, &view.displacement)?;
        same("etype", &shape(&byte, true), &view.etype)?;
        same("size of the filetype", &1, &view.filetype.size)?;
        same("representation", &"native".to_owned(), &view.datarep)
    })?;
    scene.close(file)
}

fn get(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let made = int.subarray(&[6, 8], &[2, 3], &[1, 4], Order::C);
    let filetype = scene.agree("make a filetype", made)?;
    let start = 1000 + 8 * i64::from(scene.rank());
    scene.agree("MPI_File_set_view", file.set_view(Start::Byte(start), &int, &filetype, "native", &none))?;
    scene.all("look", || {
        let view = file.view().told("MPI_File_get_view")?;
        same("displacement", &start, &view.displacement)?;
        same("etype", &shape(&int, true), &view.etype)?;
        same("filetype", &shape(&filetype, false), &view.filetype)
    })?;
    scene.close(file)
}

/// A view of numbers that is erroneous.
fn bad_view(
    scene: &Scene<'_>,
    start: i64,
    make: impl FnOnce(&Datatype) -> Result<Datatype, MpiError>,
) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let filetype = scene.agree("make a filetype", make(&int))?;
    let set = file.set_view(Start::Byte(start), &int, &filetype, "native", &none);
    scene.agree("set_view", noticed("MPI_File_set_view", set))?;
    scene.close(file)
}

fn negative(scene: &mut Scene<'_>) -> Verdict {
    bad_view(scene, -8, |int| int.contiguous(1))
}

fn mismatch(scene: &mut Scene<'_>) -> Verdict {
    let byte = byte(scene)?;
    bad_view(scene, 0, |_| byte.contiguous(3))
}

fn decreasing(scene: &mut Scene<'_>) -> Verdict {
    bad_view(scene, 0, |int| int.hindexed(&[1, 1], &[16, 0]))
}

fn overlap(scene: &mut Scene<'_>) -> Verdict {
    bad_view(scene, 0, |int| int.hindexed(&[2, 2], &[0, 4]))
}

fn current_elsewhere(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let set = file.set_view(Start::Current, &int, &int, "native", &none);
    scene.agree("set_view", noticed("MPI_File_set_view", set))?;
    scene.close(file)
}

fn overlap_read(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let data = look::data(0, 1, 48);
    scene.on_rank_0("make", || std::fs::write(&path, &data).told("write"))?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let filetype = scene.agree("make a filetype", int.hindexed(&[2, 2], &[0, 4]))?;
    scene.agree("MPI_File_set_view", file.set_view(Start::Byte(0), &int, &filetype, "native", &none))?;
    let mut found = vec![0; 32];
    scene.all("read", || {
        file.read(At::Offset(0), Way::Independent, &mut found, Elements::new(&int, 8)).told("read_at")?;
        let shown = [0, 1, 1, 2, 3, 4, 4, 5];
        let wanted: Vec<u8> = shown.iter().flat_map(|at| &data[4 * at..4 * at + 4]).copied().collect();
        same_bytes("the buffer", &path, 0, &wanted, &found)
    })?;
    scene.close(file)
}

fn current(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (byte, int, none) = (byte(scene)?, int(scene)?, Info::none(scene.mpi()?));
    let (rank, size) = (scene.rank(), scene.size());
    let mine = (20 / size as usize).max(1);
    let head = mine * size as usize;
    let all: Vec<u8> = look::data(9, 0, head + 40 * size as usize);
    scene.on_rank_0("make", || std::fs::write(&path, &all).told("write"))?;
    let file = scene.open(&path, &[Flag::ReadOnly, Flag::Sequential])?;
    let mut room = vec![0; mine];
    scene.all("read the head", || {
        let elements = Elements::new(&byte, mine as i32);
        file.read(At::Shared, Way::Collective, &mut room, elements).map(drop).told("read_ordered")
    })?;
    let set = file.set_view(Start::Current, &int, &int, "native", &none);
    scene.agree("MPI_File_set_view", set)?;
    let mut data = vec![0; 40];
    scene.all("read behind it", || {
        let view = file.view().told("MPI_File_get_view")?;
        same("displacement", &(head as i64), &view.displacement)?;
        file.read(At::Shared, Way::Collective, &mut data, Elements::new(&int, 10)).told("read_ordered")?;
        let at = head + 40 * rank as usize;
        same_bytes("behind the head", &path, at as u64, &all[at..at + 40], &data)
    })?;
    scene.close(file)
}

fn empty(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let (rank, size) = (scene.rank(), scene.size());
    let sees = rank.is_multiple_of(2);
    let extent = 8 * size as isize;
    let starts: &[i32] = if sees { &[2 * rank as i32] } else { &[] };
    let made = int.indexed_block(2, starts).and_then(|kind| kind.resized(0, extent));
    let filetype = scene.agree("make a filetype", made)?;
    scene.on_rank_0("make", || look::prefill(&path, 16 * size as usize))?;
    let file = scene.open(&path, &MADE)?;
    scene.agree("MPI_File_set_view", file.set_view(Start::Byte(0), &int, &filetype, "native", &none))?;
    let count = if sees { 2 } else { 0 };
    let mut wanted = vec![look::UNTOUCHED; 16 * size as usize];
    for call in 0..2 {
        let data = look::data(rank, call, 4 * count as usize);
        scene.all("write", || {
            let done = file.write(At::Individual, Way::Collective, &data, Elements::new(&int, count));
            same("bytes moved", &(4 * count as u64), &done.told("write_all")?.bytes().told("status")?)
        })?;
        for rank in (0..size).step_by(2) {
            let at = (8 * size * call + 8 * rank) as usize;
            wanted[at..at + 8].copy_from_slice(&look::data(rank, call, 8));
        }
    }
    scene.close(file)?;
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}

fn new_hints(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let (int, comm) = (int(scene)?, scene.mpi()?);
    let hints = [("access_style", "write_once"), ("cb_buffer_size", "65536"), ("assay_unknown", "yes")];
    let info = scene.agree("make hints", Info::new(comm, hints))?;
    scene.agree("MPI_File_set_view", file.set_view(Start::Byte(0), &int, &int, "native", &info))?;
    scene.close(file)
}

fn changing(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let (rank, size) = (scene.rank(), scene.size());
    scene.on_rank_0("make", || look::prefill(&path, 3 * 64 * size as usize))?;
    let file = scene.open(&path, &MADE)?;
    let mut wanted = vec![look::UNTOUCHED; 3 * 64 * size as usize];
    for call in 0..3 {
        // In each call another rank's stripes, of another length.
        let stripe = 1 << call;
        let made =
            int.contiguous(stripe).and_then(|kind| kind.resized(0, 4 * stripe as isize * size as isize));
        let filetype = scene.agree("make a filetype", made)?;
        let place = (rank + call) % size;
        let start = i64::from(64 * size * call) + 4 * i64::from(stripe) * i64::from(place);
        scene.agree(
            "MPI_File_set_view",
            file.set_view(Start::Byte(start), &int, &filetype, "native", &none),
        )?;
        scene.all("write", || {
            let data = look::data(rank, call, 64);
            same("the pointer", &0, &file.position(Pointer::Individual).told("position")?)?;
            file.write(At::Individual, Way::Collective, &data, Elements::new(&int, 16))
                .map(drop)
                .told("write_all")
        })?;
        for writer in 0..size {
            let (data, bytes) = (look::data(writer, call, 64), 4 * stripe as usize);
            for (number, piece) in data.chunks(bytes).enumerate() {
                let tile = (64 * size * call) as usize + number * bytes * size as usize;
                let at = tile + ((writer + call) % size) as usize * bytes;
                wanted[at..at + bytes].copy_from_slice(piece);
            }
        }
    }
    scene.close(file)?;
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}
