//! Reading past the end of the file, in every way.

use storage::mpi_file::{Calls, Flag};

use super::byte;
use crate::mpi_io::access::{By, CELLS, Cell, GAP, Load};
use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

pub(super) fn cases() -> Vec<Case> {
    let case = |cell: &'static Cell| {
        let name = cell.reading();
        let promise =
            format!("{name} brings what is before the end of the file, says how much, and touches no more");
        Case::new(format!("end.{name}"), cell.document, promise, move |scene| past(scene, cell)).mpi()
    };
    CELLS.iter().map(case).collect()
}

/// Bytes of the file, and bytes asked for.
const LENGTH: usize = 500;
const ASKED: usize = 800;

fn past(scene: &Scene<'_>, cell: &Cell) -> Verdict {
    let (path, name) = (scene.path("file"), cell.reading());
    let data = look::data(0, 1, LENGTH);
    scene.on_rank_0("make", || std::fs::write(&path, &data).told("write"))?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    let byte = byte(scene)?;
    let read = || {
        let load = Load {
            kind: &byte,
            count: ASKED as i32,
            buffer: vec![GAP; ASKED],
            offset: 0,
            calls: Calls::Plain,
        };
        cell.calls(&file, false, vec![load]).remove(0)
    };
    let (done, buffer) = read();
    let found =
        scene.agree("read", done.told(&name).and_then(|done| done.bytes().told("MPI_Get_elements")))?;
    scene.all("look", || {
        // At the shared pointer the first one takes all there is; others find the end.
        let wanted = if cell.by == By::Shared && found == 0 { 0 } else { LENGTH };
        same("bytes that the status tells", &(wanted as u64), &found)?;
        let mut expected = data[..wanted].to_vec();
        expected.resize(ASKED, GAP);
        same_bytes("the buffer", "the buffer".as_ref(), 0, &expected, &buffer)
    })?;
    if cell.by == By::Shared {
        let all = scene.comm.reduce_one(found, ranks::Reduce::Sum)?;
        scene.all("count", || same("bytes that all ranks read together", &(LENGTH as u64), &all))?;
    }
    let (done, _) = read();
    scene.all("read at the end", || {
        let bytes = done.told(&name)?.bytes().told("MPI_Get_elements")?;
        let wanted = if cell.by == By::Offset { LENGTH as u64 } else { 0 };
        same::<u64>("bytes of a second read", &wanted, &bytes).map_err(|trouble: Trouble| trouble.of(&name))
    })?;
    scene.close(file)
}
