//! Memory types, each as MPI is told of it and as a plain list of places in the buffer.

use ranks::mpi::MpiComm;
use storage::mpi_file::{Datatype, MpiError, Named};

/// Bytes of a buffer that no call may touch.
pub(in crate::mpi_io) const GAP: u8 = 0x77;

/// Makes the datatype for so many numbers, and tells how many of its elements they are.
type Tell = fn(&Datatype, i32) -> Result<(Datatype, i32), MpiError>;

/// A kind of memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Its elements lie on top of each other: it can only be written from.
    pub(super) only_writes: bool,
    told: Tell,
    /// Bytes from one four-byte number to the next; the numbers of a pair lie apart by the second.
    steps: (usize, usize),
}

/// All kinds; the first has no gaps.
pub(super) const KINDS: [Kind; 5] = [
    Kind {
        name: "contiguous",
        only_writes: false,
        told: |int, count| Ok((int.contiguous(1)?, count)),
        steps: (8, 4),
    },
    Kind {
        name: "vector",
        only_writes: false,
        told: |int, count| Ok((int.vector(count, 1, 3)?, 1)),
        steps: (24, 12),
    },
    Kind { name: "struct", only_writes: false, told: gapped, steps: (20, 12) },
    Kind {
        name: "resized",
        only_writes: false,
        told: |int, count| Ok((int.resized(-4, 12)?, count)),
        steps: (24, 12),
    },
    Kind {
        name: "stride_0",
        only_writes: true,
        told: |int, count| Ok((int.hvector(count, 1, 0)?, 1)),
        steps: (0, 0),
    },
];

/// Pairs of numbers with a gap in the middle and one behind.
fn gapped(int: &Datatype, count: i32) -> Result<(Datatype, i32), MpiError> {
    assert!(count % 2 == 0, "pairs");
    Ok((Datatype::structure(&[1, 1], &[0, 12], &[int, int])?.resized(0, 20)?, count / 2))
}

/// So many numbers in memory.
pub(super) struct Memory {
    pub(super) kind: Datatype,
    pub(super) count: i32,
    ints: usize,
    steps: (usize, usize),
}

impl Kind {
    /// Room for `bytes` of data: whole pairs of numbers.
    pub(super) fn room(&self, comm: &MpiComm, bytes: u64) -> Result<Memory, MpiError> {
        let int = Datatype::named(comm, Named::Int32);
        let ints = bytes as usize / 4;
        let (kind, count) = (self.told)(&int, ints as i32)?;
        Ok(Memory { kind, count, ints, steps: self.steps })
    }
}

impl Memory {
    fn place(&self, at: usize) -> usize {
        let number = at / 4;
        number / 2 * self.steps.0 + number % 2 * self.steps.1 + at % 4
    }

    /// Bytes of the buffer.
    fn length(&self) -> usize {
        if self.ints == 0 { 0 } else { self.place(self.ints * 4 - 1) + 1 + 24 }
    }

    /// A buffer that holds no data.
    pub(super) fn empty(&self) -> Vec<u8> {
        vec![GAP; self.length()]
    }

    /// A buffer with this data in its places.
    pub(super) fn holding(&self, data: &[u8]) -> Vec<u8> {
        let mut buffer = self.empty();
        data.iter().enumerate().for_each(|(at, byte)| buffer[self.place(at)] = *byte);
        buffer
    }

    /// The first `bytes` of data in the places of a buffer.
    pub(super) fn out_of(&self, buffer: &[u8], bytes: usize) -> Vec<u8> {
        (0..bytes).map(|at| buffer[self.place(at)]).collect()
    }
}
