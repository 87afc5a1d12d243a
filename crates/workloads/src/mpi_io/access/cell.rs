//! The fourteen ways to move data: by which pointer, waiting or not, alone or together.

use storage::mpi_file::{At, Calls, Datatype, Done, Elements, MpiError, MpiFile, Progress, Request, Way};

/// By which pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mpi_io) enum By {
    /// An offset given with the call.
    Offset,
    /// The rank's own pointer.
    Own,
    /// The pointer that all ranks share.
    Shared,
}

/// When a call ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mpi_io) enum When {
    /// It waits.
    Waits,
    /// It is begun, and waited for as a request.
    Request,
    /// It is a collective call in two halves.
    Halves,
}

/// One way.
#[derive(Clone, Copy, Debug)]
pub(in crate::mpi_io) struct Cell {
    /// After the call that writes.
    pub(in crate::mpi_io) name: &'static str,
    pub(in crate::mpi_io) by: By,
    pub(in crate::mpi_io) when: When,
    pub(in crate::mpi_io) together: bool,
    /// The section of MPI 4.1 that promises it.
    pub(in crate::mpi_io) document: &'static str,
}

const OFFSETS: &str = "MPI 4.1 section 14.4.2";
const OWN: &str = "MPI 4.1 section 14.4.3";
const SHARED: &str = "MPI 4.1 section 14.4.4";
const SPLIT: &str = "MPI 4.1 section 14.4.5";

const fn cell(name: &'static str, by: By, when: When, together: bool, document: &'static str) -> Cell {
    Cell { name, by, when, together, document }
}

/// All of them.
pub(in crate::mpi_io) const CELLS: [Cell; 14] = [
    cell("write_at", By::Offset, When::Waits, false, OFFSETS),
    cell("iwrite_at", By::Offset, When::Request, false, OFFSETS),
    cell("write_at_all", By::Offset, When::Waits, true, OFFSETS),
    cell("iwrite_at_all", By::Offset, When::Request, true, OFFSETS),
    cell("write_at_all_begin", By::Offset, When::Halves, true, SPLIT),
    cell("write", By::Own, When::Waits, false, OWN),
    cell("iwrite", By::Own, When::Request, false, OWN),
    cell("write_all", By::Own, When::Waits, true, OWN),
    cell("iwrite_all", By::Own, When::Request, true, OWN),
    cell("write_all_begin", By::Own, When::Halves, true, SPLIT),
    cell("write_shared", By::Shared, When::Waits, false, SHARED),
    cell("iwrite_shared", By::Shared, When::Request, false, SHARED),
    cell("write_ordered", By::Shared, When::Waits, true, SHARED),
    cell("write_ordered_begin", By::Shared, When::Halves, true, SPLIT),
];

/// What one call moves: elements of a datatype in a buffer.
pub(in crate::mpi_io) struct Load<'t> {
    pub(in crate::mpi_io) kind: &'t Datatype,
    pub(in crate::mpi_io) count: i32,
    pub(in crate::mpi_io) buffer: Vec<u8>,
    /// Where it goes, in etypes of the view; taken by calls with an offset.
    pub(in crate::mpi_io) offset: i64,
    /// How MPI is told of the elements.
    pub(in crate::mpi_io) calls: Calls,
}

impl<'t> Load<'t> {
    fn elements(&self) -> Elements<'t> {
        Elements::new(self.kind, self.count).by(self.calls)
    }
}

/// What came of a call, with its buffer.
pub(in crate::mpi_io) type Came = (Result<Done, MpiError>, Vec<u8>);

impl Cell {
    fn at(&self, offset: i64) -> At {
        match self.by {
            By::Offset => At::Offset(offset),
            By::Own => At::Individual,
            By::Shared => At::Shared,
        }
    }

    fn way(&self) -> Way {
        if self.together { Way::Collective } else { Way::Independent }
    }

    /// The call that reads in the same way.
    pub(in crate::mpi_io) fn reading(&self) -> String {
        self.name.replacen("write", "read", 1)
    }

    /// Makes the calls, all of them under way at once where that can be; the last request is driven to its
    /// end by tests, the others are waited for.
    pub(in crate::mpi_io) fn calls(&self, file: &MpiFile, writes: bool, loads: Vec<Load<'_>>) -> Vec<Came> {
        match self.when {
            When::Waits => loads.into_iter().map(|load| self.waits(file, writes, load)).collect(),
            When::Halves => loads.into_iter().map(|load| self.halves(file, writes, load)).collect(),
            When::Request => self.requests(file, writes, loads),
        }
    }

    fn waits(&self, file: &MpiFile, writes: bool, load: Load<'_>) -> Came {
        let (at, way, elements) = (self.at(load.offset), self.way(), load.elements());
        let mut buffer = load.buffer;
        let done = if writes {
            file.write(at, way, &buffer, elements)
        } else {
            file.read(at, way, &mut buffer, elements)
        };
        (done, buffer)
    }

    fn halves(&self, file: &MpiFile, writes: bool, load: Load<'_>) -> Came {
        let (at, elements) = (self.at(load.offset), load.elements());
        let begun = if writes {
            file.begin_write(at, load.buffer, elements)
        } else {
            file.begin_read(at, load.buffer, elements)
        };
        match begun {
            Ok(half) => half.end(),
            Err(refused) => (Err(refused.error), refused.buffer),
        }
    }

    fn requests(&self, file: &MpiFile, writes: bool, loads: Vec<Load<'_>>) -> Vec<Came> {
        let begin = |load: Load<'_>| {
            let (at, elements) = (self.at(load.offset), load.elements());
            if writes {
                file.start_write(at, self.way(), load.buffer, elements)
            } else {
                file.start_read(at, self.way(), load.buffer, elements)
            }
        };
        let last = loads.len().saturating_sub(1);
        let begun: Vec<_> = loads.into_iter().map(begin).collect();
        let end = |(index, begun): (usize, Result<Request<'_>, _>)| match begun {
            Ok(request) if index == last => tested(request),
            Ok(request) => request.wait(),
            Err(storage::mpi_file::Refused { error, buffer }) => (Err(error), buffer),
        };
        begun.into_iter().enumerate().map(end).collect()
    }
}

/// Tests a request until it has ended.
fn tested(mut request: Request<'_>) -> Came {
    loop {
        match request.test() {
            Progress::Ended(done, buffer) => return (done, buffer),
            Progress::UnderWay(going) => request = going,
        }
        std::thread::yield_now();
    }
}
