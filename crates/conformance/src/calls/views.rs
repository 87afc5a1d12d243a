//! File views: their queries, and erroneous views.

use storage::mpi_file::{
    At, Datatype, DimensionOrder, Elements, Flag, Info, MpiError, Participation, Pointer, TypeShape,
    ViewStart,
};

use super::{byte, check_detected, int, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseResult, ProblemContext, check_bytes, check_equal};
use crate::system_file;
use crate::test_data;

const VIEW: &str = "MPI 4.1 section 14.3";
const TYPES: &str = "MPI 4.1 section 14.1.1";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
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
            "MPI_DISPLACEMENT_CURRENT begins a view at the current position of a sequential file",
            current,
        ),
        (
            "views.current_elsewhere",
            VIEW,
            "MPI_DISPLACEMENT_CURRENT is rejected where a file is not open for sequential access",
            current_elsewhere,
        ),
        (
            "views.overlap_read",
            TYPES,
            "a filetype that overlaps itself shows bytes twice where the file is open for reading only",
            overlap_read,
        ),
        ("views.empty_on_some", VIEW, "ranks whose filetype is empty take part in collective calls", empty),
        ("views.new_hints", VIEW, "hints given with a view are taken or ignored, never rejected", new_hints),
        ("views.changing", VIEW, "views that change between calls show each its own part", changing),
    ])
}

fn shape(kind: &Datatype, is_named: bool) -> TypeShape {
    TypeShape { size: kind.size(), extent: kind.extent(), is_named }
}

fn default(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let byte = byte(cx)?;
    cx.all("look", || {
        let view = file.view().context("MPI_File_get_view")?;
        check_equal("displacement", &0, &view.displacement)?;
        check_equal("etype", &shape(&byte, true), &view.etype)?;
        check_equal("size of the filetype", &1, &view.filetype.size)?;
        check_equal("representation", &"native".to_owned(), &view.datarep)
    })?;
    cx.close(file)
}

fn get(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let int = int(cx)?;
    let made = int.subarray(&[6, 8], &[2, 3], &[1, 4], DimensionOrder::C);
    let filetype = cx.agree("make a filetype", made)?;
    let start = 1000 + 8 * i64::from(cx.rank());
    cx.set_view(&file, start, &int, &filetype)?;
    cx.all("look", || {
        let view = file.view().context("MPI_File_get_view")?;
        check_equal("displacement", &start, &view.displacement)?;
        check_equal("etype", &shape(&int, true), &view.etype)?;
        check_equal("filetype", &shape(&filetype, false), &view.filetype)
    })?;
    cx.close(file)
}

/// Sets an erroneous view of integers.
fn bad_view(
    cx: &CaseContext<'_>,
    start: i64,
    make: impl FnOnce(&Datatype) -> Result<Datatype, MpiError>,
) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let (int, none) = (int(cx)?, Info::none(cx.mpi()?));
    let filetype = cx.agree("make a filetype", make(&int))?;
    let set = file.set_view(ViewStart::Byte(start), &int, &filetype, "native", &none);
    cx.agree("set_view", check_detected("MPI_File_set_view", set))?;
    cx.close(file)
}

fn negative(cx: &mut CaseContext<'_>) -> CaseResult {
    bad_view(cx, -8, |int| int.contiguous(1))
}

fn mismatch(cx: &mut CaseContext<'_>) -> CaseResult {
    let byte = byte(cx)?;
    bad_view(cx, 0, |_| byte.contiguous(3))
}

fn decreasing(cx: &mut CaseContext<'_>) -> CaseResult {
    bad_view(cx, 0, |int| int.hindexed(&[1, 1], &[16, 0]))
}

fn overlap(cx: &mut CaseContext<'_>) -> CaseResult {
    bad_view(cx, 0, |int| int.hindexed(&[2, 2], &[0, 4]))
}

fn current_elsewhere(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let (int, none) = (int(cx)?, Info::none(cx.mpi()?));
    let set = file.set_view(ViewStart::Current, &int, &int, "native", &none);
    cx.agree("set_view", check_detected("MPI_File_set_view", set))?;
    cx.close(file)
}

fn overlap_read(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let data = test_data::bytes(0, 1, 48);
    cx.on_rank_0("make", || std::fs::write(&path, &data).context("write"))?;
    let file = cx.open(&path, &[Flag::ReadOnly])?;
    let int = int(cx)?;
    let filetype = cx.agree("make a filetype", int.hindexed(&[2, 2], &[0, 4]))?;
    cx.set_view(&file, 0, &int, &filetype)?;
    let mut found = vec![0; 32];
    cx.all("read", || {
        file.read(At::Offset(0), Participation::Independent, &mut found, Elements::new(&int, 8))
            .context("read_at")?;
        let shown = [0, 1, 1, 2, 3, 4, 4, 5];
        let wanted: Vec<u8> = shown.iter().flat_map(|at| &data[4 * at..4 * at + 4]).copied().collect();
        check_bytes("the buffer", &path, 0, &wanted, &found)
    })?;
    cx.close(file)
}

fn current(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (int, none) = (int(cx)?, Info::none(cx.mpi()?));
    let (rank, size) = (cx.rank(), cx.size());
    let mine = (20 / size as usize).max(1);
    let head = mine * size as usize;
    let all: Vec<u8> = test_data::bytes(9, 0, head + 40 * size as usize);
    cx.on_rank_0("make", || std::fs::write(&path, &all).context("write"))?;
    let file = cx.open(&path, &[Flag::ReadOnly, Flag::Sequential])?;
    let mut room = vec![0; mine];
    cx.all("read the head", || {
        file.read(At::Shared, Participation::Collective, &mut room, file.bytes(mine)).context("read_ordered")
    })?;
    let set = file.set_view(ViewStart::Current, &int, &int, "native", &none);
    cx.agree("MPI_File_set_view", set)?;
    let mut data = vec![0; 40];
    cx.all("read behind it", || {
        let view = file.view().context("MPI_File_get_view")?;
        check_equal("displacement", &(head as i64), &view.displacement)?;
        file.read(At::Shared, Participation::Collective, &mut data, Elements::new(&int, 10))
            .context("read_ordered")?;
        let at = head + 40 * rank as usize;
        check_bytes("behind the head", &path, at as u64, &all[at..at + 40], &data)
    })?;
    cx.close(file)
}

fn empty(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let int = int(cx)?;
    let (rank, size) = (cx.rank(), cx.size());
    let sees = rank.is_multiple_of(2);
    let extent = 8 * size as isize;
    let starts: &[i32] = if sees { &[2 * rank as i32] } else { &[] };
    let made = int.indexed_block(2, starts).and_then(|kind| kind.resized(0, extent));
    let filetype = cx.agree("make a filetype", made)?;
    cx.on_rank_0("make", || system_file::prefill(&path, 16 * size as usize))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    cx.set_view(&file, 0, &int, &filetype)?;
    let count = if sees { 2 } else { 0 };
    let mut wanted = vec![test_data::UNTOUCHED; 16 * size as usize];
    for call in 0..2 {
        let data = test_data::bytes(rank, call, 4 * count as usize);
        cx.all("write", || {
            let done =
                file.write(At::Individual, Participation::Collective, &data, Elements::new(&int, count));
            check_equal(
                "bytes moved",
                &(4 * count as u64),
                &done.context("write_all")?.bytes().context("status")?,
            )
        })?;
        for rank in (0..size).step_by(2) {
            let at = (8 * size * call + 8 * rank) as usize;
            wanted[at..at + 8].copy_from_slice(&test_data::bytes(rank, call, 8));
        }
    }
    cx.close(file)?;
    cx.check_file("the file", &path, &wanted)
}

fn new_hints(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let int = int(cx)?;
    let info =
        cx.hints([("access_style", "write_once"), ("cb_buffer_size", "65536"), ("assay_unknown", "yes")])?;
    cx.agree("MPI_File_set_view", file.set_view(ViewStart::Byte(0), &int, &int, "native", &info))?;
    cx.close(file)
}

fn changing(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let int = int(cx)?;
    let (rank, size) = (cx.rank(), cx.size());
    cx.on_rank_0("make", || system_file::prefill(&path, 3 * 64 * size as usize))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let mut wanted = vec![test_data::UNTOUCHED; 3 * 64 * size as usize];
    for call in 0..3 {
        // Each call has the stripes of another rank, with another length.
        let stripe = 1 << call;
        let made =
            int.contiguous(stripe).and_then(|kind| kind.resized(0, 4 * stripe as isize * size as isize));
        let filetype = cx.agree("make a filetype", made)?;
        let place = (rank + call) % size;
        let start = i64::from(64 * size * call) + 4 * i64::from(stripe) * i64::from(place);
        cx.set_view(&file, start, &int, &filetype)?;
        cx.all("write", || {
            let data = test_data::bytes(rank, call, 64);
            check_equal("the pointer", &0, &file.position(Pointer::Individual).context("position")?)?;
            file.write(At::Individual, Participation::Collective, &data, Elements::new(&int, 16))
                .context("write_all")
        })?;
        for writer in 0..size {
            let (data, bytes) = (test_data::bytes(writer, call, 64), 4 * stripe as usize);
            for (number, piece) in data.chunks(bytes).enumerate() {
                let tile = (64 * size * call) as usize + number * bytes * size as usize;
                let at = tile + ((writer + call) % size) as usize * bytes;
                wanted[at..at + bytes].copy_from_slice(piece);
            }
        }
    }
    cx.close(file)?;
    cx.check_file("the file", &path, &wanted)
}
