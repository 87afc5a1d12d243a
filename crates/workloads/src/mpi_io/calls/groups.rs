//! Collective calls of several groups of ranks, under way at once.

use storage::mpi_file::{At, Datatype, Elements, Info, MpiFile, Pointer, Request, Way, Whence, Whose};

use super::byte;
use crate::mpi_io::case::Case;
use crate::mpi_io::files::{MADE, Opened};
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same, same_bytes};

pub(super) fn cases() -> Vec<Case> {
    let row = |name, call: &str, explicit: bool| {
        let promise = format!(
            "{call} and its twin may be under way at once for several groups of ranks, and end in any order"
        );
        let body = move |scene: &mut Scene<'_>| at_once(scene, explicit);
        Case::new(name, "MPI 4.1 section 14.6.5", promise, body).mpi()
    };
    vec![
        row("groups.iwrite_all", "MPI_File_iwrite_all", false),
        row("groups.iwrite_at_all", "MPI_File_iwrite_at_all", true),
    ]
}

const EACH: usize = 5000;

/// Every rank is in three groups: all ranks, all in the opposite order, and the even or the odd ones.
fn at_once(scene: &Scene<'_>, explicit: bool) -> Verdict {
    let world = scene.mpi()?;
    let (half, reversed) = (scene.comm.split(scene.rank() % 2)?, world.reversed()?);
    let Some(half) = half.mpi() else { return Ok(()) };
    let names = ["world".to_owned(), "reversed".to_owned(), format!("half.{}", scene.rank() % 2)];
    let groups = [world, &reversed, half];
    let none = Info::none(world);
    let mut files: Vec<Opened> = Vec::new();
    for (name, group) in names.iter().zip(groups) {
        files.push(scene.open_as(Whose::All(group), &scene.path(name), &MADE, &none)?);
    }
    let ranks = groups.map(ranks::Comm::rank);
    let byte = byte(scene)?;
    for writes in [true, false] {
        let mut going = Vec::new();
        for (number, file) in files.iter().enumerate() {
            let part = Part { rank: ranks[number], number: number as u32, explicit };
            going.push(scene.agree("begin", part.begin(file, &byte, writes))?);
        }
        // Ranks wait for them in different orders.
        let mut numbered: Vec<_> = going.into_iter().enumerate().collect();
        numbered.rotate_left(scene.rank() as usize % 3);
        scene.agree("end", ended(numbered, ranks, writes))?;
    }
    for file in files {
        scene.close(file)?;
    }
    scene.all("look", || {
        names.iter().zip(groups).enumerate().try_for_each(|(number, (name, group))| {
            let all = (0..ranks::Comm::size(group)).flat_map(|rank| look::data(rank, number as u32, EACH));
            look::is_whole("the file of a group", &scene.path(name), &all.collect::<Vec<u8>>())
        })
    })
}

/// What a rank moves in one of its groups.
struct Part {
    rank: u32,
    number: u32,
    explicit: bool,
}

impl Part {
    fn begin<'f>(&self, file: &'f MpiFile, byte: &Datatype, writes: bool) -> Result<Request<'f>, Trouble> {
        let place = i64::from(self.rank) * EACH as i64;
        let at = if self.explicit { At::Offset(place) } else { At::Individual };
        if !self.explicit {
            file.seek(Pointer::Individual, place, Whence::Start).told("MPI_File_seek")?;
        }
        let elements = Elements::new(byte, EACH as i32);
        let begun = if writes {
            file.start_write(at, Way::Collective, look::data(self.rank, self.number, EACH), elements)
        } else {
            file.start_read(at, Way::Collective, vec![0; EACH], elements)
        };
        begun.map_err(|refused| refused.error).told("begin")
    }
}

fn ended(going: Vec<(usize, Request<'_>)>, ranks: [u32; 3], writes: bool) -> Result<(), Trouble> {
    for (number, request) in going {
        let (done, buffer) = request.wait();
        same("bytes moved", &(EACH as u64), &done.told("MPI_Wait")?.bytes().told("status")?)?;
        let wanted = look::data(ranks[number], number as u32, EACH);
        let what = if writes { "memory that was only to be read" } else { "read by one of three groups" };
        same_bytes(what, "the buffer".as_ref(), 0, &wanted, &buffer)?;
    }
    Ok(())
}
