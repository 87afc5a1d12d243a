//! The fourteen data access routines, by positioning, synchronism and coordination (MPI 4.1 section 14.4.1).

use storage::Op;
use storage::mpi_file::{
    At, CallStatus, Datatype, ElementCalls, Elements, MpiError, MpiFile, MpiRequest, Participation,
    RejectedCall, RequestProgress, Split,
};

/// How a routine finds its place in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positioning {
    /// By an offset given with the call.
    ExplicitOffset,
    /// By the individual file pointer of the rank.
    IndividualPointer,
    /// By the file pointer that all ranks share.
    SharedPointer,
}

/// When a routine returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Synchronism {
    /// When the data is moved.
    Blocking,
    /// At once, with a request to wait for.
    Nonblocking,
    /// At once, as the first of two collective calls (split collective).
    Split,
}

/// One routine, for writing and for reading.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Routine {
    /// The name of the routine that writes, without `MPI_File_`.
    pub(crate) name: &'static str,
    pub(crate) positioning: Positioning,
    pub(crate) synchronism: Synchronism,
    pub(crate) collective: bool,
    /// The section of MPI 4.1 that defines it.
    pub(crate) document: &'static str,
}

const EXPLICIT_OFFSETS: &str = "MPI 4.1 section 14.4.2";
const INDIVIDUAL_POINTERS: &str = "MPI 4.1 section 14.4.3";
const SHARED_POINTER: &str = "MPI 4.1 section 14.4.4";
const SPLIT: &str = "MPI 4.1 section 14.4.5";

const fn routine(
    name: &'static str,
    positioning: Positioning,
    synchronism: Synchronism,
    collective: bool,
    document: &'static str,
) -> Routine {
    Routine { name, positioning, synchronism, collective, document }
}

/// All routines.
pub(crate) const ROUTINES: [Routine; 14] = [
    routine("write_at", Positioning::ExplicitOffset, Synchronism::Blocking, false, EXPLICIT_OFFSETS),
    routine("iwrite_at", Positioning::ExplicitOffset, Synchronism::Nonblocking, false, EXPLICIT_OFFSETS),
    routine("write_at_all", Positioning::ExplicitOffset, Synchronism::Blocking, true, EXPLICIT_OFFSETS),
    routine("iwrite_at_all", Positioning::ExplicitOffset, Synchronism::Nonblocking, true, EXPLICIT_OFFSETS),
    routine("write_at_all_begin", Positioning::ExplicitOffset, Synchronism::Split, true, SPLIT),
    routine("write", Positioning::IndividualPointer, Synchronism::Blocking, false, INDIVIDUAL_POINTERS),
    routine("iwrite", Positioning::IndividualPointer, Synchronism::Nonblocking, false, INDIVIDUAL_POINTERS),
    routine("write_all", Positioning::IndividualPointer, Synchronism::Blocking, true, INDIVIDUAL_POINTERS),
    routine(
        "iwrite_all",
        Positioning::IndividualPointer,
        Synchronism::Nonblocking,
        true,
        INDIVIDUAL_POINTERS,
    ),
    routine("write_all_begin", Positioning::IndividualPointer, Synchronism::Split, true, SPLIT),
    routine("write_shared", Positioning::SharedPointer, Synchronism::Blocking, false, SHARED_POINTER),
    routine("iwrite_shared", Positioning::SharedPointer, Synchronism::Nonblocking, false, SHARED_POINTER),
    routine("write_ordered", Positioning::SharedPointer, Synchronism::Blocking, true, SHARED_POINTER),
    routine("write_ordered_begin", Positioning::SharedPointer, Synchronism::Split, true, SPLIT),
];

/// The data of one call: elements of a datatype in a buffer.
pub(crate) struct Transfer<'t> {
    pub(crate) datatype: &'t Datatype,
    pub(crate) count: i32,
    pub(crate) buffer: Vec<u8>,
    /// Explicit offset, in etypes of the view.
    pub(crate) offset: i64,
    /// How the call describes the elements to MPI.
    pub(crate) calls: ElementCalls,
}

impl<'t> Transfer<'t> {
    fn elements(&self) -> Elements<'t> {
        Elements::new(self.datatype, self.count).by(self.calls)
    }
}

/// The result of a call, with its buffer.
pub(crate) type Completion = (Result<CallStatus, MpiError>, Vec<u8>);

impl Routine {
    /// The routine of this name.
    ///
    /// Panics if there is none: a case with a misspelt name must not test another routine.
    pub(crate) fn named(name: &str) -> &'static Self {
        let found = ROUTINES.iter().find(|routine| routine.name == name);
        found.unwrap_or_else(|| panic!("no data access routine is named `{name}`"))
    }

    fn at(&self, offset: i64) -> At {
        match self.positioning {
            Positioning::ExplicitOffset => At::Offset(offset),
            Positioning::IndividualPointer => At::Individual,
            Positioning::SharedPointer => At::Shared,
        }
    }

    fn way(&self) -> Participation {
        if self.collective { Participation::Collective } else { Participation::Independent }
    }

    /// The name of the routine that reads in the same way.
    pub(crate) fn read_name(&self) -> String {
        self.name.replacen("write", "read", 1)
    }

    /// The name of the routine that writes, or of the one that reads.
    pub(crate) fn name_of(&self, op: Op) -> String {
        match op {
            Op::Write => self.name.to_owned(),
            Op::Read => self.read_name(),
        }
    }

    /// Makes the calls. Nonblocking ones are all outstanding at once; the last of them is completed by tests,
    /// the others by waits.
    pub(crate) fn perform(&self, file: &MpiFile, op: Op, transfers: Vec<Transfer<'_>>) -> Vec<Completion> {
        match self.synchronism {
            Synchronism::Blocking => {
                transfers.into_iter().map(|transfer| self.blocking(file, op, transfer)).collect()
            }
            Synchronism::Split => {
                transfers.into_iter().map(|transfer| self.split(file, op, transfer)).collect()
            }
            Synchronism::Nonblocking => self.nonblocking(file, op, transfers),
        }
    }

    fn blocking(&self, file: &MpiFile, op: Op, transfer: Transfer<'_>) -> Completion {
        let (at, way, elements) = (self.at(transfer.offset), self.way(), transfer.elements());
        let mut buffer = transfer.buffer;
        let done = match op {
            Op::Write => file.write(at, way, &buffer, elements),
            Op::Read => file.read(at, way, &mut buffer, elements),
        };
        (done, buffer)
    }

    fn split(&self, file: &MpiFile, op: Op, transfer: Transfer<'_>) -> Completion {
        let (at, elements) = (self.at(transfer.offset), transfer.elements());
        file.begin(op, at, transfer.buffer, elements).map_or_else(RejectedCall::ended, Split::end)
    }

    fn nonblocking(&self, file: &MpiFile, op: Op, transfers: Vec<Transfer<'_>>) -> Vec<Completion> {
        let begin = |transfer: Transfer<'_>| {
            let (at, elements) = (self.at(transfer.offset), transfer.elements());
            file.start(op, at, self.way(), transfer.buffer, elements)
        };
        let last = transfers.len().saturating_sub(1);
        let begun: Vec<_> = transfers.into_iter().map(begin).collect();
        let end = |(index, begun): (usize, Result<MpiRequest<'_>, RejectedCall>)| match begun {
            Ok(request) if index == last => poll_to_end(request),
            begun => begun.map_or_else(RejectedCall::ended, MpiRequest::wait),
        };
        begun.into_iter().enumerate().map(end).collect()
    }
}

/// Tests a request until it is complete.
fn poll_to_end(mut request: MpiRequest<'_>) -> Completion {
    loop {
        match request.test() {
            RequestProgress::Ended(done, buffer) => return (done, buffer),
            RequestProgress::Outstanding(pending) => request = pending,
        }
        std::thread::yield_now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_routine_is_found_by_its_name() {
        for routine in &ROUTINES {
            let of = |routine: &Routine| (routine.name, routine.positioning, routine.synchronism);
            assert_eq!(of(Routine::named(routine.name)), of(routine));
        }
    }

    #[test]
    #[should_panic(expected = "no data access routine is named `write_at_al`")]
    fn a_misspelt_routine_is_not_taken_for_another() {
        Routine::named("write_at_al");
    }
}
