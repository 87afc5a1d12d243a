//! Kinds of memory: each as an MPI datatype, and as a list of places in the buffer that is computed here.
//!
//! Invariant: the places do not come from MPI, so that a wrong datatype does not go unnoticed.

use ranks::mpi::MpiComm;
use storage::mpi_file::{Datatype, MpiError, NamedDatatype};

/// Fills the parts of a buffer that no call may touch.
pub(crate) const GAP_BYTE: u8 = 0x77;

/// Makes the datatype for a number of integers; gives it and the count of its elements.
type MakeType = fn(&Datatype, i32) -> Result<(Datatype, i32), MpiError>;

/// A kind of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryKind {
    pub(super) name: &'static str,
    /// All its elements share one place: a call can write from it, and not read into it.
    pub(super) write_only: bool,
    make_type: MakeType,
    /// Bytes from one pair of four-byte integers to the next, and from the first integer of a pair to the
    /// second.
    steps: (usize, usize),
}

/// The kind that has no gaps, and can be written and read.
pub(super) const PLAIN_MEMORY: &str = "contiguous";

const fn kind(name: &'static str, steps: (usize, usize), make_type: MakeType) -> MemoryKind {
    MemoryKind { name, write_only: false, make_type, steps }
}

/// All kinds.
pub(super) const KINDS: [MemoryKind; 5] = [
    kind(PLAIN_MEMORY, (8, 4), |int, count| Ok((int.contiguous(1)?, count))),
    kind("vector", (24, 12), |int, count| Ok((int.vector(count, 1, 3)?, 1))),
    kind("struct", (20, 12), gapped),
    kind("resized", (24, 12), |int, count| Ok((int.resized(-4, 12)?, count))),
    MemoryKind {
        write_only: true,
        ..kind("stride_0", (0, 0), |int, count| Ok((int.hvector(count, 1, 0)?, 1)))
    },
];

/// Pairs of integers with a gap between them and another after them.
fn gapped(int: &Datatype, count: i32) -> Result<(Datatype, i32), MpiError> {
    assert!(count % 2 == 0, "pairs");
    Ok((Datatype::structure(&[1, 1], &[0, 12], &[int, int])?.resized(0, 20)?, count / 2))
}

/// A number of integers in one kind of memory.
pub(super) struct MemoryLayout {
    pub(super) datatype: Datatype,
    pub(super) count: i32,
    integers: usize,
    steps: (usize, usize),
}

impl MemoryKind {
    /// The kind of this name.
    ///
    /// Panics if there is none: a case with a misspelt name must not test another kind.
    pub(super) fn named(name: &str) -> &'static Self {
        let found = KINDS.iter().find(|kind| kind.name == name);
        found.unwrap_or_else(|| panic!("no kind of memory is named `{name}`"))
    }

    /// The layout of `bytes` of data; they are whole pairs of integers.
    pub(super) fn layout(&self, comm: &MpiComm, bytes: u64) -> Result<MemoryLayout, MpiError> {
        let int = Datatype::named(comm, NamedDatatype::Int32);
        let integers = bytes as usize / 4;
        let (datatype, count) = (self.make_type)(&int, integers as i32)?;
        Ok(MemoryLayout { datatype, count, integers, steps: self.steps })
    }
}

impl MemoryLayout {
    fn place(&self, at: usize) -> usize {
        let number = at / 4;
        number / 2 * self.steps.0 + number % 2 * self.steps.1 + at % 4
    }

    /// Size of the buffer, bytes.
    fn length(&self) -> usize {
        if self.integers == 0 { 0 } else { self.place(self.integers * 4 - 1) + 1 + 24 }
    }

    /// A buffer that holds no data.
    pub(super) fn empty_buffer(&self) -> Vec<u8> {
        vec![GAP_BYTE; self.length()]
    }

    /// A buffer with this data in its places.
    pub(super) fn buffer_with(&self, data: &[u8]) -> Vec<u8> {
        let mut buffer = self.empty_buffer();
        data.iter().enumerate().for_each(|(at, byte)| buffer[self.place(at)] = *byte);
        buffer
    }

    /// The first `bytes` of data in the places of a buffer.
    pub(super) fn extract(&self, buffer: &[u8], bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| buffer[self.place(at)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "no kind of memory is named `vectr`")]
    fn a_misspelt_kind_is_not_taken_for_another() {
        MemoryKind::named("vectr");
    }
}
