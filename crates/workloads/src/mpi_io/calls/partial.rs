//! Reads that end within an element: what the status tells by bytes, by elements and by basic elements.

use storage::mpi_file::{At, Datatype, Done, Elements, Flag, Info, MpiFile, Start, Way};

use super::int;
use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

pub(super) fn cases() -> Vec<Case> {
    let rows = [
        ("partial.read_at", How::Waits(Way::Independent), false),
        ("partial.read_at_all", How::Waits(Way::Collective), false),
        ("partial.iread_at", How::Request, false),
        ("partial.read_at_all_begin", How::Halves, false),
        ("partial.view.read_at", How::Waits(Way::Independent), true),
        ("partial.view.read_at_all", How::Waits(Way::Collective), true),
    ];
    let case = |(name, how, view): (&'static str, How, bool)| {
        let at = if view { ", in a view with gaps" } else { "" };
        let promise = format!(
            "a read that finds half an element tells no count of elements, but how many basic ones came{at}"
        );
        let body = move |scene: &mut Scene<'_>| partial(scene, how, view);
        Case::new(name, "MPI 4.1 section 5.1.11", promise, body).mpi()
    };
    rows.into_iter().map(case).collect()
}

#[derive(Clone, Copy)]
enum How {
    Waits(Way),
    Request,
    Halves,
}

/// Numbers in the file: three elements of two, and half of a fourth.
const INTS: usize = 7;

/// Elements asked for.
const ASKED: i32 = 6;

const GAP: u8 = 0x77;

/// Bytes from one element to the next in memory, and from its first number to its second.
const STEPS: (usize, usize) = (20, 12);

/// Bytes of two numbers of the view and the gap behind them.
const TILE: usize = 20;

fn read(file: &MpiFile, how: How, kind: &Datatype) -> Result<(Done, Vec<u8>), Trouble> {
    let (at, elements) = (At::Offset(0), Elements::new(kind, ASKED));
    let mut buffer = vec![GAP; ASKED as usize * STEPS.0];
    let (done, buffer) = match how {
        How::Waits(way) => (file.read(at, way, &mut buffer, elements), buffer),
        How::Request => match file.start_read(at, Way::Independent, buffer, elements) {
            Ok(request) => request.wait(),
            Err(refused) => (Err(refused.error), refused.buffer),
        },
        How::Halves => match file.begin_read(at, buffer, elements) {
            Ok(half) => half.end(),
            Err(refused) => (Err(refused.error), refused.buffer),
        },
    };
    Ok((done.told("read")?, buffer))
}

/// Where number `at` lies in the file.
fn place(at: usize, view: bool) -> usize {
    if view { at / 2 * TILE + at % 2 * 4 } else { at * 4 }
}

fn partial(scene: &Scene<'_>, how: How, view: bool) -> Verdict {
    let path = scene.path("file");
    let int = int(scene)?;
    let data = look::data(0, 1, place(INTS - 1, view) + 4);
    scene.on_rank_0("make", || std::fs::write(&path, &data).told("write"))?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    if view {
        let made = int.contiguous(2).and_then(|two| two.resized(0, TILE as isize));
        let (filetype, none) = (scene.agree("make a view", made)?, Info::none(scene.mpi()?));
        scene.agree("MPI_File_set_view", file.set_view(Start::Byte(0), &int, &filetype, "native", &none))?;
    }
    let kind = scene.agree("make a datatype", gapped(&int))?;
    let (done, buffer) = scene.agree("read", read(&file, how, &kind))?;
    scene.all("look", || {
        let mut wanted = vec![GAP; buffer.len()];
        for at in 0..INTS {
            let (from, to) = (place(at, view), at / 2 * STEPS.0 + at % 2 * STEPS.1);
            wanted[to..to + 4].copy_from_slice(&data[from..from + 4]);
        }
        told(&done, &kind, &int)?;
        same_bytes("the buffer", "the buffer".as_ref(), 0, &wanted, &buffer)
    })?;
    scene.close(file)
}

fn gapped(int: &Datatype) -> Result<Datatype, storage::mpi_file::MpiError> {
    Datatype::structure(&[1, 1], &[0, STEPS.1 as isize], &[int, int])?.resized(0, STEPS.0 as isize)
}

/// What the status has to tell of the numbers that there are.
fn told(done: &Done, kind: &Datatype, int: &Datatype) -> Result<(), Trouble> {
    same("bytes that the status tells", &(4 * INTS as u64), &done.bytes().told("MPI_Get_elements_x")?)?;
    same("elements by MPI_Get_count", &None, &done.count(kind).told("MPI_Get_count")?)?;
    let some = Some(INTS as u64);
    same("numbers by MPI_Get_elements", &some, &done.few_elements(kind).told("MPI_Get_elements")?)?;
    same("numbers by MPI_Get_elements_x", &some, &done.elements(kind).told("MPI_Get_elements_x")?)?;
    same("numbers by MPI_Get_count", &some, &done.count(int).told("MPI_Get_count")?)
}
