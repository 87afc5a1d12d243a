//! One case of data access: two calls that write, the whole file looked at by the system's own reads, and two
//! calls that read.

use std::path::{Path, PathBuf};

use ranks::Comm;
use ranks::mpi::MpiComm;
use storage::mpi_file::{Calls, Info, MpiFile, Pointer, Start, Whence, Whose};

use super::cell::{By, Came, Cell, Load};
use super::memory::{self, GAP, Memory};
use super::view::{self, Here, Seen};
use crate::mpi_io::files::{MADE, Opened};
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Stop, Told, Trouble, Verdict, same, same_bytes};

/// How much a call moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Some tiles.
    Usual,
    /// Nothing.
    Nothing,
    /// Some tiles on even ranks, nothing on odd ones.
    SomeNothing,
    /// One etype.
    One,
    /// More than buffers of libraries hold, and no whole number of them.
    Much,
}

/// Who opens the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    /// All ranks.
    World,
    /// Each rank a file of its own.
    Alone,
    /// All ranks, in the opposite order.
    Reversed,
    /// All but rank 0, who is alone on a file of its own; one rank is all there are.
    Subset,
}

/// Hints by key and value.
pub(in crate::mpi_io) type Hints = &'static [(&'static str, &'static str)];

/// A case.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub(super) cell: &'static Cell,
    pub(super) view: &'static view::Kind,
    pub(super) memory: &'static memory::Kind,
    pub(super) amount: Amount,
    pub(super) group: Group,
    pub(super) hints: Hints,
    pub(super) atomic: bool,
    pub(super) calls: Calls,
    /// Where the file begins to be used, bytes.
    pub(super) far: u64,
}

/// Bytes of a call that moves much: more than the buffers of [`SMALL`], and no multiple of them.
const MUCH: u64 = 80_008;

/// Hints for buffers smaller than what is moved.
pub(super) const SMALL: Hints =
    &[("cb_buffer_size", "16384"), ("ind_wr_buffer_size", "16384"), ("ind_rd_buffer_size", "16384")];

/// Untouched bytes behind all that is moved.
pub(super) const BEHIND: u64 = 96;

/// One rank's part in it.
pub(super) struct Part<'a> {
    pub(super) plan: &'a Plan,
    pub(super) comm: &'a MpiComm,
    pub(super) here: Here,
    pub(super) whose: Whose<'a>,
    pub(super) path: PathBuf,
    /// Whether this rank looks at the whole file.
    pub(super) looks: bool,
}

/// Runs the case.
pub(super) fn play(scene: &Scene<'_>, plan: &Plan) -> Verdict {
    let world = scene.mpi()?;
    let made: Option<Box<dyn Comm>> = match plan.group {
        Group::World | Group::Alone => None,
        Group::Reversed => Some(Box::new(world.reversed()?)),
        Group::Subset => Some(world.split(u32::from(scene.rank() == 0))?),
    };
    let comm = made.as_ref().and_then(|comm| comm.mpi()).unwrap_or(world);
    let alone = plan.group == Group::Alone;
    let whose = if alone { Whose::Alone(comm) } else { Whose::All(comm) };
    let here = if alone { Here { rank: 0, size: 1 } } else { Here { rank: comm.rank(), size: comm.size() } };
    let name = match plan.group {
        Group::Alone => format!("file.{}", scene.rank()),
        Group::Subset if scene.rank() == 0 => "file.0".to_owned(),
        _ => "file".to_owned(),
    };
    let looks = alone || here.rank == 0;
    let part = Part { plan, comm, here, whose, path: scene.path(&name), looks };
    if plan.cell.by == By::Shared { super::shared::play(scene, &part) } else { part.play(scene) }
}

impl Part<'_> {
    /// What rank `rank` of the file's ranks sees, and how much it moves.
    pub(super) fn seen(&self, rank: u32) -> Seen {
        let mut seen = (self.plan.view.seen)(Here { rank, ..self.here });
        seen.each = match self.plan.amount {
            Amount::Usual => seen.each,
            Amount::Nothing => 0,
            Amount::SomeNothing if rank % 2 == 1 => 0,
            Amount::SomeNothing => seen.each,
            Amount::One => 4 / seen.etype,
            Amount::Much => MUCH / seen.etype,
        };
        seen.displacement += self.plan.far;
        seen
    }

    /// What rank `rank` writes in a call, as it lies in the file.
    fn data(&self, rank: u32, call: u32) -> Vec<u8> {
        let seen = self.seen(rank);
        self.piece(rank, call, (seen.each * seen.etype) as usize)
    }

    /// So many bytes of a rank's data, told apart from those of all other ranks and calls.
    pub(super) fn piece(&self, rank: u32, call: u32, length: usize) -> Vec<u8> {
        if self.plan.memory.only_writes {
            // Elements on top of each other are all the first one, which is the last one.
            look::key(rank, call).into_iter().cycle().take(length).collect()
        } else {
            look::data(rank, call, length)
        }
    }

    /// The file behind `far`, as it has to be after both calls of all ranks.
    fn picture(&self) -> Vec<u8> {
        let mut end = 0;
        let mut written = Vec::new();
        for rank in 0..self.here.size {
            let seen = self.seen(rank);
            for call in 0..2 {
                let first = (seen.start + u64::from(call) * seen.each) * seen.etype;
                for (at, byte) in self.data(rank, call).into_iter().enumerate() {
                    let place = seen.place(first + at as u64) - self.plan.far;
                    end = end.max(place);
                    written.push((place, byte));
                }
            }
        }
        let mut picture = vec![look::UNTOUCHED; (end + 1 + BEHIND) as usize];
        written.into_iter().for_each(|(place, byte)| picture[place as usize] = byte);
        picture
    }

    /// Untouched bytes where the picture will be.
    pub(super) fn prefill(&self, length: usize) -> Result<(), Trouble> {
        let file = look::open(&self.path)?;
        let wrote = look::write_at(&file, &vec![look::UNTOUCHED; length], self.plan.far);
        wrote.map_err(|trouble| look::too_long(&self.path, self.plan.far + length as u64, trouble))
    }

    /// Opens, with the view, hints and atomic mode of the plan. Collective.
    pub(super) fn open(&self, scene: &Scene<'_>) -> Result<Opened, Stop> {
        let plan = self.plan;
        let info = if plan.hints.is_empty() {
            Ok(Info::none(self.comm))
        } else {
            Info::new(self.comm, plan.hints.iter().copied())
        };
        let info = scene.agree("make hints", info)?;
        let file = scene.open_as(self.whose, &self.path, &MADE, &info)?;
        if let Some(told) = plan.view.told {
            let told = scene.agree("make the view", told(self.comm, self.here))?;
            let start = Start::Byte(self.seen(self.here.rank).displacement as i64);
            let set = file.set_view(start, &told.etype, &told.filetype, "native", &info);
            scene.agree("MPI_File_set_view", set)?;
        }
        if plan.atomic {
            scene.agree("MPI_File_set_atomicity", file.set_atomicity(true))?;
        }
        Ok(file)
    }

    fn play(&self, scene: &Scene<'_>) -> Verdict {
        let picture = self.picture();
        scene.all("prefill", || if self.looks { self.prefill(picture.len()) } else { Ok(()) })?;
        let file = self.open(scene)?;
        scene.agree("write", self.write(&file))?;
        scene.close(file)?;
        scene.all("look at the whole file", || if self.looks { self.holds(&picture) } else { Ok(()) })?;
        let file = self.open(scene)?;
        scene.agree("read", self.read(&file))?;
        scene.close(file)
    }

    fn holds(&self, picture: &[u8]) -> Result<(), Trouble> {
        let file = look::open(&self.path)?;
        let length = file.metadata().told("fstat")?.len();
        let found = look::read_at(&file, picture.len(), self.plan.far)?;
        let what = format!("the file after {}", self.plan.cell.name);
        same_bytes(&what, &self.path, self.plan.far, picture, &found)?;
        same("length of the file", &(self.plan.far + picture.len() as u64), &length)
    }

    /// What this rank moves in both calls: each from or into a buffer made from its data.
    fn loads<'m>(&self, memory: &'m Memory, buffers: [Vec<u8>; 2]) -> Vec<Load<'m>> {
        let seen = self.seen(self.here.rank);
        let load = |(call, buffer): (usize, Vec<u8>)| {
            let offset = (seen.start + call as u64 * seen.each) as i64;
            Load { kind: &memory.kind, count: memory.count, buffer, offset, calls: self.plan.calls }
        };
        buffers.into_iter().enumerate().map(load).collect()
    }

    fn write(&self, file: &MpiFile) -> Result<(), Trouble> {
        let seen = self.seen(self.here.rank);
        let memory = self.plan.memory.room(self.comm, seen.each * seen.etype)?;
        let buffers = [0, 1].map(|call| memory.holding(&self.data(self.here.rank, call)));
        self.go_to_start(file, &seen)?;
        let came = self.plan.cell.calls(file, true, self.loads(&memory, buffers.clone()));
        moved(self.plan.cell.name, &came, &memory, &seen)?;
        for (before, (_, after)) in buffers.iter().zip(&came) {
            same_bytes("memory that was only to be read", Path::new("the buffer"), 0, before, after)?;
        }
        self.points_right(file, &seen)
    }

    fn read(&self, file: &MpiFile) -> Result<(), Trouble> {
        let seen = self.seen(self.here.rank);
        let kind = if self.plan.memory.only_writes { &memory::KINDS[0] } else { self.plan.memory };
        let memory = kind.room(self.comm, seen.each * seen.etype)?;
        self.go_to_start(file, &seen)?;
        let loads = self.loads(&memory, [memory.empty(), memory.empty()]);
        let came = self.plan.cell.calls(file, false, loads);
        moved(&self.plan.cell.reading(), &came, &memory, &seen)?;
        for (call, (_, found)) in came.iter().enumerate() {
            let expected = memory.holding(&self.data(self.here.rank, call as u32));
            let what = format!("the buffer of {} (gaps hold 0x{GAP:02x})", self.plan.cell.reading());
            same_bytes(&what, Path::new("the buffer"), 0, &expected, found)?;
        }
        self.points_right(file, &seen)
    }

    fn go_to_start(&self, file: &MpiFile, seen: &Seen) -> Result<(), Trouble> {
        if self.plan.cell.by != By::Own {
            return Ok(());
        }
        file.seek(Pointer::Individual, seen.start as i64, Whence::Start).told("MPI_File_seek")
    }

    /// Calls with an offset move no pointer; others move the rank's own by what they move.
    fn points_right(&self, file: &MpiFile, seen: &Seen) -> Result<(), Trouble> {
        let wanted = if self.plan.cell.by == By::Own { (seen.start + 2 * seen.each) as i64 } else { 0 };
        let found = file.position(Pointer::Individual).told("MPI_File_get_position")?;
        same("the rank's own pointer after both calls, in etypes", &wanted, &found)
    }
}

/// Trouble unless all calls went well and say that they moved all.
pub(super) fn moved(name: &str, came: &[Came], memory: &Memory, seen: &Seen) -> Result<(), Trouble> {
    for (number, (done, _)) in came.iter().enumerate() {
        let call = format!("call {number} of {name}");
        let done = done.clone().told(&call)?;
        let bytes = done.bytes().told("MPI_Get_elements")?;
        same(&format!("bytes that {call} says it moved"), &(seen.each * seen.etype), &bytes)?;
        let count = done.count(&memory.kind).told("MPI_Get_count")?;
        // Of a type without data any count is right.
        if memory.kind.size() > 0 {
            same(&format!("elements that {call} says it moved"), &Some(memory.count as u64), &count)?;
        }
    }
    Ok(())
}
