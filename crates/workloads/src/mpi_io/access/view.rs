//! Views, each as MPI is told of it and, beside that, as a plain list of places in the file.
//!
//! The list is worked out here from what the datatypes mean by the standard; MPI is not asked.

use ranks::mpi::MpiComm;
use storage::mpi_file::{Datatype, Distribution, MpiError, Named, Order};

/// Bytes of the etype of all views but the default one.
pub(super) const INT: u64 = 4;

/// What a rank sees of the file: pieces of one tile, and tile after tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    /// Where the first tile begins, bytes.
    pub(super) displacement: u64,
    /// Pieces of a tile: start and length, bytes, in order.
    pub(super) pieces: Vec<(u64, u64)>,
    /// Bytes from one tile to the next.
    pub(super) extent: u64,
    /// Bytes of an etype.
    pub(super) etype: u64,
    /// Where this rank's data begins, in etypes; not 0 where all ranks see the same.
    pub(super) start: u64,
    /// Etypes that one call moves.
    pub(super) each: u64,
}

impl Seen {
    /// Bytes of data in a tile.
    fn tile(&self) -> u64 {
        self.pieces.iter().map(|(_, length)| length).sum()
    }

    /// The place in the file of byte number `at` of what is seen.
    pub(super) fn place(&self, at: u64) -> u64 {
        let (tile, mut rest) = (at / self.tile(), at % self.tile());
        for (start, length) in &self.pieces {
            if rest < *length {
                return self.displacement + tile * self.extent + start + rest;
            }
            rest -= length;
        }
        unreachable!("the rest of a tile is less than its pieces hold")
    }
}

/// A view as MPI is told.
pub(super) struct Told {
    pub(super) etype: Datatype,
    pub(super) filetype: Datatype,
}

/// Where a rank is among how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Here {
    pub(super) rank: u32,
    pub(super) size: u32,
}

impl Here {
    fn numbers(self) -> (u64, u64) {
        (self.rank.into(), self.size.into())
    }

    /// Ranks as the rows and columns of a grid, with the most rows that do not exceed the columns.
    fn grid(self) -> (u64, u64) {
        let size = u64::from(self.size);
        let rows =
            (1..=size).filter(|rows| size.is_multiple_of(*rows) && rows * rows <= size).max().unwrap_or(1);
        (rows, size / rows)
    }
}

/// Makes the datatypes of a view.
type Tell = fn(&MpiComm, Here) -> Result<Told, MpiError>;

/// A kind of view.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// All ranks see the same, which calls at the shared pointer need.
    pub(super) is_common: bool,
    pub(super) seen: fn(Here) -> Seen,
    /// `None`: the view that a file is opened with.
    pub(super) told: Option<Tell>,
}

const fn own(name: &'static str, seen: fn(Here) -> Seen, told: Tell) -> Kind {
    Kind { name, is_common: false, seen, told: Some(told) }
}

const fn common(name: &'static str, seen: fn(Here) -> Seen, told: Tell) -> Kind {
    Kind { name, is_common: true, seen, told: Some(told) }
}

/// All kinds; the first is the view that a file is opened with.
pub(super) const VIEWS: [Kind; 26] = [
    Kind { name: "byte", is_common: true, seen: byte, told: None },
    common("contiguous", contiguous, |comm, _| told(comm, |int| int.contiguous(7))),
    common("displaced", displaced, |comm, _| told(comm, |int| int.contiguous(1))),
    common("holes", holes, |comm, _| told(comm, |int| int.vector(4, 2, 3)?.resized(0, 4 * 12))),
    own("vector", vector, |comm, here| {
        told(comm, |int| int.vector(4, 3, 3 * here.size as i32)?.resized(0, 4 * 12 * here.size as isize))
    }),
    own("hvector", vector, |comm, here| {
        let row = 12 * here.size as isize;
        told(comm, |int| int.hvector(4, 3, row)?.resized(0, 4 * row))
    }),
    own("indexed", indexed, |comm, here| {
        let starts = blocks(here).map(|(start, _)| start as i32);
        told(comm, |int| int.indexed(&[2, 1, 3], &starts)?.resized(0, 24 * here.size as isize))
    }),
    own("hindexed", indexed, |comm, here| {
        let starts = blocks(here).map(|(start, _)| 4 * start as isize);
        told(comm, |int| int.hindexed(&[2, 1, 3], &starts)?.resized(0, 24 * here.size as isize))
    }),
    own("indexed_block", pairs, |comm, here| {
        let starts = pair_starts(here).map(|start| start as i32);
        told(comm, |int| int.indexed_block(2, &starts)?.resized(0, 24 * here.size as isize))
    }),
    own("hindexed_block", pairs, |comm, here| {
        let starts = pair_starts(here).map(|start| 4 * start as isize);
        told(comm, |int| int.hindexed_block(2, &starts)?.resized(0, 24 * here.size as isize))
    }),
    own("struct", indexed, |comm, here| {
        let starts = blocks(here).map(|(start, _)| 4 * start as isize);
        let extent = 24 * here.size as isize;
        told(comm, |int| Datatype::structure(&[2, 1, 3], &starts, &[int, int, int])?.resized(0, extent))
    }),
    own("zero_blocks", zero_blocks, |comm, here| {
        let rank = here.rank as i32;
        let starts = [0, 3 * rank, 3 * rank + 2, 3 * rank + 2];
        told(comm, |int| int.indexed(&[0, 2, 0, 1], &starts)?.resized(0, 12 * here.size as isize))
    }),
    own("subarray_2d_c", columns, |comm, here| {
        let (rank, size) = (here.rank as i32, here.size as i32);
        told(comm, |int| int.subarray(&[4, 3 * size], &[4, 3], &[0, 3 * rank], Order::C))
    }),
    own("subarray_2d_fortran", columns, |comm, here| {
        let (rank, size) = (here.rank as i32, here.size as i32);
        told(comm, |int| int.subarray(&[3 * size, 4], &[3, 4], &[3 * rank, 0], Order::Fortran))
    }),
    own("subarray_3d", cubes, |comm, here| {
        let (rank, size) = (here.rank as i32, here.size as i32);
        told(comm, |int| int.subarray(&[2, 4, 3 * size], &[2, 2, 3], &[0, 1, 3 * rank], Order::C))
    }),
    own("subarray_3d_fortran", cubes, |comm, here| {
        let (rank, size) = (here.rank as i32, here.size as i32);
        told(comm, |int| int.subarray(&[3 * size, 4, 2], &[3, 2, 2], &[3 * rank, 1, 0], Order::Fortran))
    }),
    own("darray_block", columns, |comm, here| {
        let place = (here.rank as i32, here.size as i32);
        let dealt = [Distribution::None, Distribution::Block(None)];
        told(comm, |int| int.darray(place, &[4, 3 * place.1], &dealt, &[1, place.1], Order::C))
    }),
    own("darray_cyclic", cyclic_1, |comm, here| darray_1d(comm, here, Distribution::Cyclic(None))),
    own("darray_cyclic_3", cyclic_3, |comm, here| darray_1d(comm, here, Distribution::Cyclic(Some(3)))),
    own("darray_2d_mixed", mixed, |comm, here| {
        let (rows, columns) = here.grid();
        let place = (here.rank as i32, here.size as i32);
        let dealt = [Distribution::Cyclic(Some(2)), Distribution::Block(None)];
        let sizes = [4 * rows as i32, 5 * columns as i32];
        told(comm, |int| int.darray(place, &sizes, &dealt, &[rows as i32, columns as i32], Order::C))
    }),
    own("darray_2d_fortran", dealt_by_threes, |comm, here| {
        let (rows, columns) = here.grid();
        let place = (here.rank as i32, here.size as i32);
        let (rows, columns) = (rows as i32, columns as i32);
        let dealt = [Distribution::Cyclic(Some(3)); 2];
        let sizes = [4 * rows, 4 * columns];
        told(comm, |int| int.darray(place, &sizes, &dealt, &[rows, columns], Order::Fortran))
    }),
    own("darray_3d_block", boxes, |comm, here| {
        let (rows, columns) = here.grid();
        let place = (here.rank as i32, here.size as i32);
        let (rows, columns) = (rows as i32, columns as i32);
        let dealt = [Distribution::Block(None); 3];
        let sizes = [2 * rows, 3 * columns, 4];
        told(comm, |int| int.darray(place, &sizes, &dealt, &[rows, columns, 1], Order::C))
    }),
    common("resized_lower", lower, |comm, _| told(comm, |int| int.resized(4, 12))),
    own("resized", resized, |comm, here| told(comm, |int| int.resized(0, 4 * here.size as isize))),
    own("hole_in_front", in_front, |comm, here| {
        let start = 8 + 8 * here.rank as isize;
        told(comm, |int| int.hindexed(&[2], &[start])?.resized(0, 8 + 8 * here.size as isize))
    }),
    own("different", different, |comm, here| {
        let even = here.rank.is_multiple_of(2);
        told(comm, |int| if even { int.vector(3, 2, 4)?.resized(0, 48) } else { int.contiguous(5) })
    }),
];

fn told(
    comm: &MpiComm,
    make: impl FnOnce(&Datatype) -> Result<Datatype, MpiError>,
) -> Result<Told, MpiError> {
    let etype = Datatype::named(comm, Named::Int32);
    let filetype = make(&etype)?;
    Ok(Told { etype, filetype })
}

fn darray_1d(comm: &MpiComm, here: Here, dealt: Distribution) -> Result<Told, MpiError> {
    let place = (here.rank as i32, here.size as i32);
    told(comm, |int| int.darray(place, &[6 * place.1], &[dealt], &[place.1], Order::C))
}

/// Pieces given in etypes of an extent in etypes, of which a call moves half as many again as a tile has.
fn ints(pieces: impl IntoIterator<Item = (u64, u64)>, extent: u64) -> Seen {
    let scaled = pieces.into_iter().filter(|(_, length)| *length > 0);
    let pieces: Vec<_> = scaled.map(|(start, length)| (start * INT, length * INT)).collect();
    let tile = pieces.iter().map(|(_, length)| length / INT).sum::<u64>();
    Seen {
        displacement: 0,
        pieces,
        extent: extent * INT,
        etype: INT,
        start: 0,
        each: tile + tile.div_ceil(2),
    }
}

/// The same view for all, in which each rank has a part of its own.
fn parted(seen: Seen, here: Here, each: u64) -> Seen {
    // Two calls, and a gap behind them.
    Seen { start: u64::from(here.rank) * (2 * each + 5), each, ..seen }
}

fn byte(here: Here) -> Seen {
    let each = 136;
    let seen = Seen { displacement: 0, pieces: vec![(0, 1)], extent: 1, etype: 1, start: 0, each };
    Seen { start: u64::from(here.rank) * (2 * each + 20), ..seen }
}

fn contiguous(here: Here) -> Seen {
    parted(ints([(0, 7)], 7), here, 34)
}

fn displaced(here: Here) -> Seen {
    Seen { displacement: 1028, ..parted(ints([(0, 1)], 1), here, 34) }
}

fn holes(here: Here) -> Seen {
    parted(ints((0..4).map(|block| (3 * block, 2)), 12), here, 20)
}

fn vector(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    let seen = ints((0..4).map(|block| (block * 3 * size, 3)), 12 * size);
    Seen { displacement: 12 * rank, ..seen }
}

/// Starts and lengths of three blocks in a tile of six etypes a rank.
fn blocks(here: Here) -> [(u64, u64); 3] {
    let (rank, size) = here.numbers();
    [(2 * rank, 2), (2 * size + rank, 1), (3 * size + 3 * rank, 3)]
}

fn indexed(here: Here) -> Seen {
    ints(blocks(here), 6 * u64::from(here.size))
}

fn pair_starts(here: Here) -> [u64; 3] {
    let (rank, size) = here.numbers();
    [0, 1, 2].map(|block| 2 * (block * size + rank))
}

fn pairs(here: Here) -> Seen {
    ints(pair_starts(here).map(|start| (start, 2)), 6 * u64::from(here.size))
}

fn zero_blocks(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    ints([(3 * rank, 2), (3 * rank + 2, 1)], 3 * size)
}

/// Three columns each of an array of four rows.
fn columns(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    ints((0..4).map(|row| (row * 3 * size + 3 * rank, 3)), 12 * size)
}

/// The two middle rows of three columns each in an array of two planes of four rows.
fn cubes(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    let rows = [1, 2, 5, 6];
    ints(rows.map(|row| (row * 3 * size + 3 * rank, 3)), 24 * size)
}

fn cyclic_1(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    ints((0..6).map(|turn| (turn * size + rank, 1)), 6 * size)
}

fn cyclic_3(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    ints((0..2).map(|turn| (3 * (turn * size + rank), 3)), 6 * size)
}

/// Rows dealt out in pairs, columns in blocks of five.
fn mixed(here: Here) -> Seen {
    let (rows, columns) = here.grid();
    let (row, column) = (u64::from(here.rank) / columns, u64::from(here.rank) % columns);
    let mine = (0..4 * rows).filter(move |line| line / 2 % rows == row);
    ints(mine.map(|line| (line * 5 * columns + 5 * column, 5)), 20 * rows * columns)
}

/// Both dimensions dealt out by threes, which does not go even; the first one is contiguous.
fn dealt_by_threes(here: Here) -> Seen {
    let (rows, columns) = here.grid();
    let (row, column) = (u64::from(here.rank) / columns, u64::from(here.rank) % columns);
    let mine = move |ranks: u64, place: u64| (0..4 * ranks).filter(move |at| at / 3 % ranks == place);
    let lines = mine(columns, column);
    let all = lines.flat_map(|line| mine(rows, row).map(move |at| (line * 4 * rows + at, 1)));
    ints(all, 16 * rows * columns)
}

/// Two planes each of three rows of four.
fn boxes(here: Here) -> Seen {
    let (rows, columns) = here.grid();
    let (row, column) = (u64::from(here.rank) / columns, u64::from(here.rank) % columns);
    let planes = 2 * row..2 * row + 2;
    ints(planes.map(|plane| ((plane * 3 * columns + 3 * column) * 4, 12)), 24 * rows * columns)
}

/// A lower bound moves no data: one of every three.
fn lower(here: Here) -> Seen {
    parted(ints([(0, 1)], 3), here, 20)
}

fn resized(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    Seen { displacement: 4 * rank, each: 20, ..ints([(0, 1)], size) }
}

fn in_front(here: Here) -> Seen {
    let (rank, size) = here.numbers();
    ints([(2 + 2 * rank, 2)], 2 + 2 * size)
}

/// Even ranks see pairs with gaps, odd ones everything, each in a region of its own.
fn different(here: Here) -> Seen {
    let pairs = [(0, 2), (4, 2), (8, 2)];
    let seen = if here.rank.is_multiple_of(2) { ints(pairs, 12) } else { ints([(0, 5)], 5) };
    Seen { displacement: 400 * u64::from(here.rank), ..seen }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_ranks_see_the_same_byte_in_what_they_move() {
        for kind in VIEWS {
            for size in 1..=6 {
                let mut places = HashSet::new();
                for rank in 0..size {
                    let seen = (kind.seen)(Here { rank, size });
                    let first = seen.start * seen.etype;
                    for at in first..first + 2 * seen.each * seen.etype {
                        assert!(places.insert(seen.place(at)), "{}: rank {rank} of {size}, {at}", kind.name);
                    }
                }
            }
        }
    }

    #[test]
    fn a_call_moves_parts_of_tiles_and_what_is_common_is_the_same_for_all() {
        let of = |kind: &Kind, rank| (kind.seen)(Here { rank, size: 4 });
        for kind in VIEWS {
            let (one, other) = (of(&kind, 0), of(&kind, 3));
            let same = (&one.pieces, one.displacement, one.extent)
                == (&other.pieces, other.displacement, other.extent);
            assert_eq!(same, kind.is_common, "{}", kind.name);
            assert!(one.each * one.etype >= one.tile(), "{}", kind.name);
        }
    }
}
