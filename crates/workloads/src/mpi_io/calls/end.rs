//! Reading past the end of the file, in every way.

use storage::mpi_file::{At, Elements, Flag, MpiFile, Way};

use super::byte;
use crate::mpi_io::case::Case;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

/// How a read is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Waits(Way),
    Request(Way),
    Halves,
}

/// Which pointer, without the offset of those that have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Offset,
    Own,
    Shared,
}

const ALONE: Way = Way::Independent;
const TOGETHER: Way = Way::Collective;

/// The reads, by name, document, pointer and manner.
const READS: [(&str, &str, By, How); 14] = [
    ("read_at", "MPI 4.1 section 14.4.2", By::Offset, How::Waits(ALONE)),
    ("iread_at", "MPI 4.1 section 14.4.2", By::Offset, How::Request(ALONE)),
    ("read_at_all", "MPI 4.1 section 14.4.2", By::Offset, How::Waits(TOGETHER)),
    ("iread_at_all", "MPI 4.1 section 14.4.2", By::Offset, How::Request(TOGETHER)),
    ("read_at_all_begin", "MPI 4.1 section 14.4.5", By::Offset, How::Halves),
    ("read", "MPI 4.1 section 14.4.3", By::Own, How::Waits(ALONE)),
    ("iread", "MPI 4.1 section 14.4.3", By::Own, How::Request(ALONE)),
    ("read_all", "MPI 4.1 section 14.4.3", By::Own, How::Waits(TOGETHER)),
    ("iread_all", "MPI 4.1 section 14.4.3", By::Own, How::Request(TOGETHER)),
    ("read_all_begin", "MPI 4.1 section 14.4.5", By::Own, How::Halves),
    ("read_shared", "MPI 4.1 section 14.4.4", By::Shared, How::Waits(ALONE)),
    ("iread_shared", "MPI 4.1 section 14.4.4", By::Shared, How::Request(ALONE)),
    ("read_ordered", "MPI 4.1 section 14.4.4", By::Shared, How::Waits(TOGETHER)),
    ("read_ordered_begin", "MPI 4.1 section 14.4.5", By::Shared, How::Halves),
];

pub(super) fn cases() -> Vec<Case> {
    let case = |(name, document, by, how): (&'static str, &'static str, By, How)| {
        let promise =
            format!("{name} brings what is before the end of the file, says how much, and touches no more");
        Case::new(format!("end.{name}"), document, promise, move |scene| past(scene, name, by, how)).mpi()
    };
    READS.into_iter().map(case).collect()
}

/// Bytes of the file, and bytes asked for.
const LENGTH: usize = 500;
const ASKED: usize = 800;

const GAP: u8 = 0x77;

fn past(scene: &Scene<'_>, name: &str, by: By, how: How) -> Verdict {
    let path = scene.path("file");
    let data = look::data(0, 1, LENGTH);
    scene.on_rank_0("make", || std::fs::write(&path, &data).told("write"))?;
    let file = scene.open(&path, &[Flag::ReadOnly])?;
    let byte = byte(scene)?;
    let read = |file: &MpiFile| {
        let at = match by {
            By::Offset => At::Offset(0),
            By::Own => At::Individual,
            By::Shared => At::Shared,
        };
        let (mut buffer, elements) = (vec![GAP; ASKED], Elements::new(&byte, ASKED as i32));
        match how {
            How::Waits(way) => {
                let done = file.read(at, way, &mut buffer, elements);
                (done, buffer)
            }
            How::Request(way) => match file.start_read(at, way, buffer, elements) {
                Ok(request) => request.wait(),
                Err(refused) => (Err(refused.error), refused.buffer),
            },
            How::Halves => match file.begin_read(at, buffer, elements) {
                Ok(half) => half.end(),
                Err(refused) => (Err(refused.error), refused.buffer),
            },
        }
    };
    let (done, buffer) = read(&file);
    let found =
        scene.agree("read", done.told(name).and_then(|done| done.bytes().told("MPI_Get_elements")))?;
    scene.all("look", || {
        // At the shared pointer the first one takes all there is; others find the end.
        let wanted = if by == By::Shared && found == 0 { 0 } else { LENGTH };
        same("bytes that the status tells", &(wanted as u64), &found)?;
        let mut expected = data[..wanted].to_vec();
        expected.resize(ASKED, GAP);
        same_bytes("the buffer", "the buffer".as_ref(), 0, &expected, &buffer)
    })?;
    if by == By::Shared {
        let all = scene.comm.reduce_one(found, ranks::Reduce::Sum)?;
        scene.all("count", || same("bytes that all ranks read together", &(LENGTH as u64), &all))?;
    }
    let (done, _) = read(&file);
    scene.all("read at the end", || {
        let bytes = done.told(name)?.bytes().told("MPI_Get_elements")?;
        let wanted = if by == By::Offset { LENGTH as u64 } else { 0 };
        same::<u64>("bytes of a second read", &wanted, &bytes).map_err(|trouble: Trouble| trouble.of(name))
    })?;
    scene.close(file)
}
