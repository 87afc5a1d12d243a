//! Views: each as MPI datatypes, and as a list of places in the file that is computed here.
//!
//! Invariant: the places follow from the standard and do not come from MPI, so that a library that places
//! data wrongly does not confirm itself.

use storage::mpi_file::{Datatype, DimensionOrder, Distribution, MpiError};

/// Size of the etype of all views but the default one, bytes.
pub(super) const INT: u64 = 4;

/// The places in the file that a view shows to a rank: the pieces of a tile, repeated tile after tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ViewLayout {
    /// Offset of the first tile, bytes.
    pub(super) displacement: u64,
    /// Pieces of a tile in order: start and length, bytes.
    pub(super) pieces: Vec<(u64, u64)>,
    /// Bytes from one tile to the next.
    pub(super) extent: u64,
    /// Size of the etype, bytes.
    pub(super) etype: u64,
    /// Position at which this rank's data begins, in etypes. It is not 0 where all ranks have the same view.
    pub(super) start: u64,
    /// Etypes that one call moves.
    pub(super) each: u64,
}

impl ViewLayout {
    /// Data of a tile, bytes.
    fn tile(&self) -> u64 {
        self.pieces.iter().map(|(_, length)| length).sum()
    }

    /// The offset in the file of byte `at` of the view.
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

/// A rank and the size of its group.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankInGroup {
    pub(super) rank: u32,
    pub(super) size: u32,
}

impl RankInGroup {
    fn as_u64(self) -> (u64, u64) {
        (self.rank.into(), self.size.into())
    }

    /// The numbers as MPI takes them.
    fn as_i32(self) -> (i32, i32) {
        (self.rank as i32, self.size as i32)
    }

    /// Rows and columns of a grid of the ranks: as square as possible, with no more rows than columns.
    fn grid(self) -> (u64, u64) {
        let size = u64::from(self.size);
        let rows = (1..=size)
            .filter(|rows| size.is_multiple_of(*rows) && rows * rows <= size)
            .max()
            .expect("a group has ranks");
        (rows, size / rows)
    }

    fn grid_as_i32(self) -> (i32, i32) {
        let (rows, columns) = self.grid();
        (rows as i32, columns as i32)
    }
}

/// Makes the filetype of a view from its etype, an integer.
type MakeFiletype = fn(&Datatype, RankInGroup) -> Result<Datatype, MpiError>;

/// A kind of view.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewKind {
    pub(super) name: &'static str,
    /// All ranks have the same view, as routines with the shared file pointer need it.
    pub(super) is_common: bool,
    pub(super) layout: fn(RankInGroup) -> ViewLayout,
    /// `None` for the view that a file is opened with.
    pub(super) make_filetype: Option<MakeFiletype>,
}

impl ViewKind {
    /// The kind of this name.
    ///
    /// Panics if there is none: a case with a misspelt name must not test another view.
    pub(super) fn named(name: &str) -> &'static Self {
        let found = VIEWS.iter().find(|view| view.name == name);
        found.unwrap_or_else(|| panic!("no view is named `{name}`"))
    }
}

const fn per_rank(
    name: &'static str,
    layout: fn(RankInGroup) -> ViewLayout,
    make_filetype: MakeFiletype,
) -> ViewKind {
    ViewKind { name, is_common: false, layout, make_filetype: Some(make_filetype) }
}

const fn same_for_all(
    name: &'static str,
    layout: fn(RankInGroup) -> ViewLayout,
    make_filetype: MakeFiletype,
) -> ViewKind {
    ViewKind { name, is_common: true, layout, make_filetype: Some(make_filetype) }
}

/// All kinds.
pub(super) const VIEWS: [ViewKind; 26] = [
    ViewKind { name: "byte", is_common: true, layout: byte, make_filetype: None },
    same_for_all("contiguous", contiguous, |int, _| int.contiguous(7)),
    same_for_all("displaced", displaced, |int, _| int.contiguous(1)),
    same_for_all("holes", holes, |int, _| int.vector(4, 2, 3)?.resized(0, 4 * 12)),
    per_rank("vector", vector, |int, member| {
        int.vector(4, 3, 3 * member.size as i32)?.resized(0, 4 * 12 * member.size as isize)
    }),
    per_rank("hvector", vector, |int, member| {
        let row = 12 * member.size as isize;
        int.hvector(4, 3, row)?.resized(0, 4 * row)
    }),
    per_rank("indexed", indexed, |int, member| {
        let starts = blocks(member).map(|(start, _)| start as i32);
        int.indexed(&[2, 1, 3], &starts)?.resized(0, 24 * member.size as isize)
    }),
    per_rank("hindexed", indexed, |int, member| {
        let starts = blocks(member).map(|(start, _)| 4 * start as isize);
        int.hindexed(&[2, 1, 3], &starts)?.resized(0, 24 * member.size as isize)
    }),
    per_rank("indexed_block", pairs, |int, member| {
        let starts = pair_starts(member).map(|start| start as i32);
        int.indexed_block(2, &starts)?.resized(0, 24 * member.size as isize)
    }),
    per_rank("hindexed_block", pairs, |int, member| {
        let starts = pair_starts(member).map(|start| 4 * start as isize);
        int.hindexed_block(2, &starts)?.resized(0, 24 * member.size as isize)
    }),
    per_rank("struct", indexed, |int, member| {
        let starts = blocks(member).map(|(start, _)| 4 * start as isize);
        let extent = 24 * member.size as isize;
        Datatype::structure(&[2, 1, 3], &starts, &[int, int, int])?.resized(0, extent)
    }),
    per_rank("zero_blocks", zero_blocks, |int, member| {
        let rank = member.rank as i32;
        let starts = [0, 3 * rank, 3 * rank + 2, 3 * rank + 2];
        int.indexed(&[0, 2, 0, 1], &starts)?.resized(0, 12 * member.size as isize)
    }),
    per_rank("subarray_2d_c", columns, |int, member| {
        let (rank, size) = member.as_i32();
        int.subarray(&[4, 3 * size], &[4, 3], &[0, 3 * rank], DimensionOrder::C)
    }),
    per_rank("subarray_2d_fortran", columns, |int, member| {
        let (rank, size) = member.as_i32();
        int.subarray(&[3 * size, 4], &[3, 4], &[3 * rank, 0], DimensionOrder::Fortran)
    }),
    per_rank("subarray_3d", cubes, |int, member| {
        let (rank, size) = member.as_i32();
        int.subarray(&[2, 4, 3 * size], &[2, 2, 3], &[0, 1, 3 * rank], DimensionOrder::C)
    }),
    per_rank("subarray_3d_fortran", cubes, |int, member| {
        let (rank, size) = member.as_i32();
        int.subarray(&[3 * size, 4, 2], &[3, 2, 2], &[3 * rank, 1, 0], DimensionOrder::Fortran)
    }),
    per_rank("darray_block", columns, |int, member| {
        let place = member.as_i32();
        let distribution = [Distribution::None, Distribution::Block(None)];
        int.darray(place, &[4, 3 * place.1], &distribution, &[1, place.1], DimensionOrder::C)
    }),
    per_rank("darray_cyclic", cyclic_1, |int, member| darray_1d(int, member, Distribution::Cyclic(None))),
    per_rank("darray_cyclic_3", cyclic_3, |int, member| {
        darray_1d(int, member, Distribution::Cyclic(Some(3)))
    }),
    per_rank("darray_2d_mixed", mixed, |int, member| {
        let (rows, columns) = member.grid_as_i32();
        let distribution = [Distribution::Cyclic(Some(2)), Distribution::Block(None)];
        let sizes = [4 * rows, 5 * columns];
        int.darray(member.as_i32(), &sizes, &distribution, &[rows, columns], DimensionOrder::C)
    }),
    per_rank("darray_2d_fortran", dealt_by_threes, |int, member| {
        let (rows, columns) = member.grid_as_i32();
        let distribution = [Distribution::Cyclic(Some(3)); 2];
        let sizes = [4 * rows, 4 * columns];
        int.darray(member.as_i32(), &sizes, &distribution, &[rows, columns], DimensionOrder::Fortran)
    }),
    per_rank("darray_3d_block", boxes, |int, member| {
        let (rows, columns) = member.grid_as_i32();
        let distribution = [Distribution::Block(None); 3];
        let sizes = [2 * rows, 3 * columns, 4];
        int.darray(member.as_i32(), &sizes, &distribution, &[rows, columns, 1], DimensionOrder::C)
    }),
    same_for_all("resized_lower", lower_bound, |int, _| int.resized(4, 12)),
    per_rank("resized", resized, |int, member| int.resized(0, 4 * member.size as isize)),
    per_rank("hole_in_front", leading_hole, |int, member| {
        let start = 8 + 8 * member.rank as isize;
        int.hindexed(&[2], &[start])?.resized(0, 8 + 8 * member.size as isize)
    }),
    per_rank("different", different, |int, member| match member.rank.is_multiple_of(2) {
        true => int.vector(3, 2, 4)?.resized(0, 48),
        false => int.contiguous(5),
    }),
];

fn darray_1d(int: &Datatype, member: RankInGroup, distribution: Distribution) -> Result<Datatype, MpiError> {
    let place = member.as_i32();
    int.darray(place, &[6 * place.1], &[distribution], &[place.1], DimensionOrder::C)
}

/// A layout of integers; pieces and extent are given in integers. A call moves one and a half tiles.
fn integers(pieces: impl IntoIterator<Item = (u64, u64)>, extent: u64) -> ViewLayout {
    let scaled = pieces.into_iter().filter(|(_, length)| *length > 0);
    let pieces: Vec<_> = scaled.map(|(start, length)| (start * INT, length * INT)).collect();
    let tile = pieces.iter().map(|(_, length)| length / INT).sum::<u64>();
    ViewLayout {
        displacement: 0,
        pieces,
        extent: extent * INT,
        etype: INT,
        start: 0,
        each: tile + tile.div_ceil(2),
    }
}

/// A view that is the same for all ranks, in which each rank has a region of its own.
fn at_rank_offset(layout: ViewLayout, member: RankInGroup, each: u64) -> ViewLayout {
    // Two calls, and a gap after them.
    ViewLayout { start: u64::from(member.rank) * (2 * each + 5), each, ..layout }
}

fn byte(member: RankInGroup) -> ViewLayout {
    let each = 136;
    let start = u64::from(member.rank) * (2 * each + 20);
    ViewLayout { displacement: 0, pieces: vec![(0, 1)], extent: 1, etype: 1, start, each }
}

fn contiguous(member: RankInGroup) -> ViewLayout {
    at_rank_offset(integers([(0, 7)], 7), member, 34)
}

fn displaced(member: RankInGroup) -> ViewLayout {
    ViewLayout { displacement: 1028, ..at_rank_offset(integers([(0, 1)], 1), member, 34) }
}

fn holes(member: RankInGroup) -> ViewLayout {
    at_rank_offset(integers((0..4).map(|block| (3 * block, 2)), 12), member, 20)
}

fn vector(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    let layout = integers((0..4).map(|block| (block * 3 * size, 3)), 12 * size);
    ViewLayout { displacement: 12 * rank, ..layout }
}

/// Starts and lengths of three blocks in a tile that has six etypes for each rank.
fn blocks(member: RankInGroup) -> [(u64, u64); 3] {
    let (rank, size) = member.as_u64();
    [(2 * rank, 2), (2 * size + rank, 1), (3 * size + 3 * rank, 3)]
}

fn indexed(member: RankInGroup) -> ViewLayout {
    integers(blocks(member), 6 * u64::from(member.size))
}

fn pair_starts(member: RankInGroup) -> [u64; 3] {
    let (rank, size) = member.as_u64();
    [0, 1, 2].map(|block| 2 * (block * size + rank))
}

fn pairs(member: RankInGroup) -> ViewLayout {
    integers(pair_starts(member).map(|start| (start, 2)), 6 * u64::from(member.size))
}

fn zero_blocks(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    integers([(3 * rank, 2), (3 * rank + 2, 1)], 3 * size)
}

/// Three columns each of an array of four rows.
fn columns(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    integers((0..4).map(|row| (row * 3 * size + 3 * rank, 3)), 12 * size)
}

/// The two middle rows of three columns each in an array of two planes of four rows.
fn cubes(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    let rows = [1, 2, 5, 6];
    integers(rows.map(|row| (row * 3 * size + 3 * rank, 3)), 24 * size)
}

fn cyclic_1(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    integers((0..6).map(|turn| (turn * size + rank, 1)), 6 * size)
}

fn cyclic_3(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    integers((0..2).map(|turn| (3 * (turn * size + rank), 3)), 6 * size)
}

/// Rows distributed cyclically in pairs, columns in blocks of five.
fn mixed(member: RankInGroup) -> ViewLayout {
    let (rows, columns) = member.grid();
    let (row, column) = (u64::from(member.rank) / columns, u64::from(member.rank) % columns);
    let mine = (0..4 * rows).filter(move |line| line / 2 % rows == row);
    integers(mine.map(|line| (line * 5 * columns + 5 * column, 5)), 20 * rows * columns)
}

/// Both dimensions distributed cyclically by threes, with a remainder; the first dimension is contiguous.
fn dealt_by_threes(member: RankInGroup) -> ViewLayout {
    let (rows, columns) = member.grid();
    let (row, column) = (u64::from(member.rank) / columns, u64::from(member.rank) % columns);
    let mine = move |ranks: u64, place: u64| (0..4 * ranks).filter(move |at| at / 3 % ranks == place);
    let lines = mine(columns, column);
    let all = lines.flat_map(|line| mine(rows, row).map(move |at| (line * 4 * rows + at, 1)));
    integers(all, 16 * rows * columns)
}

/// Two planes each of three rows of four.
fn boxes(member: RankInGroup) -> ViewLayout {
    let (rows, columns) = member.grid();
    let (row, column) = (u64::from(member.rank) / columns, u64::from(member.rank) % columns);
    let planes = 2 * row..2 * row + 2;
    integers(planes.map(|plane| ((plane * 3 * columns + 3 * column) * 4, 12)), 24 * rows * columns)
}

/// One integer of every three: the lower bound of the datatype does not move its data.
fn lower_bound(member: RankInGroup) -> ViewLayout {
    at_rank_offset(integers([(0, 1)], 3), member, 20)
}

fn resized(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    ViewLayout { displacement: 4 * rank, each: 20, ..integers([(0, 1)], size) }
}

fn leading_hole(member: RankInGroup) -> ViewLayout {
    let (rank, size) = member.as_u64();
    integers([(2 + 2 * rank, 2)], 2 + 2 * size)
}

/// Even ranks have pairs with gaps, odd ranks contiguous data, each in a region of its own.
fn different(member: RankInGroup) -> ViewLayout {
    let pairs = [(0, 2), (4, 2), (8, 2)];
    let layout = if member.rank.is_multiple_of(2) { integers(pairs, 12) } else { integers([(0, 5)], 5) };
    ViewLayout { displacement: 400 * u64::from(member.rank), ..layout }
}

#[cfg(test)]
mod tests;
