//! The mesh in memory: blocks of zones with guard cells around them. All unknowns of a zone are adjacent.
//!
//! A file gets one unknown of the inner zones, and these values are not contiguous here. So they are packed
//! first, and packing is part of the time.

use command::flash_io::{FlashIoParameters, UNKNOWNS};
use storage::arrays::{ArrayValues, Element};

use super::files::{FileArray, FlashFile};

/// The blocks of one rank.
pub(super) struct Mesh {
    cells: Vec<f64>,
    zones: usize,
    guards: usize,
    /// Number of blocks for which memory is allocated.
    blocks_max: usize,
    /// Number of existing blocks.
    pub(super) blocks: u64,
}

impl Mesh {
    /// The blocks of `rank`. Every unknown is filled with its number. Fails without enough memory.
    pub(super) fn new(parameters: &FlashIoParameters, rank: u32) -> Result<Self, String> {
        let (zones, guards) = (parameters.zones as usize, parameters.guards as usize);
        let blocks_max = parameters.blocks_max as usize;
        let places = (zones + 2 * guards).pow(3) * blocks_max;
        let mut cells = Vec::new();
        let wanted = places * UNKNOWNS as usize;
        cells.try_reserve_exact(wanted).map_err(|_| no_memory(wanted as u64 * 8))?;
        for _ in 0..places {
            cells.extend((1..=UNKNOWNS).map(|number| number as f64));
        }
        Ok(Self { cells, zones, guards, blocks_max, blocks: parameters.blocks_of(rank) })
    }

    /// The index of an unknown of a cell. Guard cells count.
    #[inline]
    fn at(&self, block: usize, [z, y, x]: [usize; 3], unknown: usize) -> f64 {
        let side = self.zones + 2 * self.guards;
        self.cells[(((block * side + z) * side + y) * side + x) * UNKNOWNS as usize + unknown]
    }

    /// The values of an array for all existing blocks. For unknowns, which are packed later, this is only
    /// memory for the maximum number of blocks, as in the original. Fails without enough memory.
    pub(super) fn values(&self, array: &FileArray) -> Result<ArrayValues, String> {
        let blocks = if array.unknown.is_some() { self.blocks_max as u64 } else { self.blocks };
        let count = blocks * array.elements();
        let mut values = ArrayValues::zeros(array.element, count as usize)
            .ok_or_else(|| no_memory(count * array.element.bytes()))?;
        match &mut values {
            ArrayValues::Bytes(all) => all.fill(array.value as i8),
            ArrayValues::Ints(all) => all.fill(array.value as i32),
            ArrayValues::Floats(all) => all.fill(array.value as f32),
            ArrayValues::Doubles(all) => all.fill(array.value),
        }
        Ok(values)
    }

    /// Copies an unknown into `into`, in the form of `file`.
    pub(super) fn pack(&self, file: FlashFile, unknown: usize, into: &mut ArrayValues) {
        match (file, into) {
            (FlashFile::PlotCorner, ArrayValues::Floats(into)) => self.corners(unknown, into),
            (_, ArrayValues::Floats(into)) => self.inner(unknown, into, |value| value as f32),
            (_, ArrayValues::Doubles(into)) => self.inner(unknown, into, |value| value),
            (_, other) => unreachable!("no file has unknowns of {:?}", other.element()),
        }
    }

    /// Copies the zones without guard cells. Like the original, it copies all blocks that memory is allocated
    /// for.
    fn inner<T>(&self, unknown: usize, into: &mut [T], convert: impl Fn(f64) -> T) {
        let (side, guards) = (self.zones, self.guards);
        let mut places = into.iter_mut();
        for block in 0..self.blocks_max {
            for z in guards..guards + side {
                for y in guards..guards + side {
                    for (x, place) in (guards..guards + side).zip(&mut places) {
                        *place = convert(self.at(block, [z, y, x], unknown));
                    }
                }
            }
        }
    }

    /// Computes the means of the eight cells around each corner, for the existing blocks.
    fn corners(&self, unknown: usize, into: &mut [f32]) {
        let (side, guards) = (self.zones + 1, self.guards);
        let mut places = into.iter_mut();
        for block in 0..self.blocks as usize {
            for z in guards..guards + side {
                for y in guards..guards + side {
                    for (x, place) in (guards..guards + side).zip(&mut places) {
                        let cell = |dz, dy, dx| self.at(block, [z - dz, y - dy, x - dx], unknown);
                        let near = cell(0, 0, 1) + cell(0, 0, 0) + cell(0, 1, 0) + cell(0, 1, 1);
                        let far = cell(1, 0, 1) + cell(1, 0, 0) + cell(1, 1, 0) + cell(1, 1, 1);
                        *place = (0.125 * (near + far)) as f32;
                    }
                }
            }
        }
    }
}

/// Memory to read an array of this number of blocks. It is filled with values that no file has, so that a
/// missing element is detected. `None` without enough memory.
pub(super) fn room(array: &FileArray, blocks: u64) -> Option<ArrayValues> {
    let mut values = ArrayValues::zeros(array.element, usize::try_from(blocks * array.elements()).ok()?)?;
    match &mut values {
        ArrayValues::Bytes(all) => all.fill(i8::MIN),
        ArrayValues::Ints(all) => all.fill(i32::MIN),
        ArrayValues::Floats(all) => all.fill(f32::NAN),
        ArrayValues::Doubles(all) => all.fill(f64::NAN),
    }
    Some(values)
}

pub(super) fn no_memory(bytes: u64) -> String {
    format!("cannot allocate {bytes} bytes of memory. Choose a smaller --size or --blocks")
}

/// The value of an element as a number.
pub(super) fn number(values: &ArrayValues, at: usize) -> f64 {
    match values {
        ArrayValues::Bytes(all) => all[at].into(),
        ArrayValues::Ints(all) => all[at].into(),
        ArrayValues::Floats(all) => all[at].into(),
        ArrayValues::Doubles(all) => all[at],
    }
}

/// The bits of an element, and the bits of a number in the element's type.
pub(super) fn bits(values: &ArrayValues, at: usize) -> u64 {
    match values {
        ArrayValues::Bytes(all) => u64::from(all[at] as u8),
        ArrayValues::Ints(all) => u64::from(all[at] as u32),
        ArrayValues::Floats(all) => u64::from(all[at].to_bits()),
        ArrayValues::Doubles(all) => all[at].to_bits(),
    }
}

/// Converts the bits of a number to those of an element.
pub(super) fn bits_of(element: Element, number: f64) -> u64 {
    match element {
        Element::Byte => u64::from(number as i8 as u8),
        Element::Int => u64::from(number as i32 as u32),
        Element::Float => u64::from((number as f32).to_bits()),
        Element::Double => number.to_bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mesh in which every unknown of every cell has a different value.
    fn mesh(blocks: u64) -> (Mesh, FlashIoParameters) {
        let parameters =
            FlashIoParameters { zones: 2, guards: 1, blocks_max: blocks, ..FlashIoParameters::default() };
        let mut mesh = Mesh::new(&parameters, 0).unwrap();
        mesh.cells.iter_mut().enumerate().for_each(|(at, cell)| *cell = at as f64);
        (mesh, parameters)
    }

    #[test]
    fn packing_takes_one_unknown_of_the_inner_zones_in_the_order_of_the_file() {
        let (mesh, parameters) = mesh(3);
        let array = &FlashFile::Checkpoint.arrays(parameters.form, parameters.zones)[6 + 4];
        let mut packed = mesh.values(array).unwrap();
        mesh.pack(FlashFile::Checkpoint, 4, &mut packed);
        let cell = |block: u64, z: u64, y: u64, x: u64| ((((block * 4 + z) * 4 + y) * 4 + x) * 24 + 4) as f64;
        let mut wanted = Vec::new();
        for block in 0..3 {
            for (z, y, x) in [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1), (2, 1, 2), (2, 2, 1)] {
                wanted.push(cell(block, z, y, x));
            }
            wanted.push(cell(block, 2, 2, 2));
        }
        assert_eq!(packed, ArrayValues::Doubles(wanted));
    }

    #[test]
    fn a_corner_is_the_mean_of_the_eight_cells_around_it() {
        let (mesh, parameters) = mesh(2);
        let array = &FlashFile::PlotCorner.arrays(parameters.form, parameters.zones)[6];
        let mut packed = mesh.values(array).unwrap();
        mesh.pack(FlashFile::PlotCorner, 0, &mut packed);
        let ArrayValues::Floats(packed) = packed else { panic!("single precision") };
        let mean = |low: [usize; 3]| {
            let cells = (0..8)
                .map(|bits| mesh.at(0, [low[0] + bits / 4, low[1] + bits / 2 % 2, low[2] + bits % 2], 0));
            (cells.sum::<f64>() / 8.0) as f32
        };
        assert_eq!([packed[0], packed[1], packed[26]], [mean([0, 0, 0]), mean([0, 0, 1]), mean([2, 2, 2])]);
        // One of two allocated blocks exists.
        assert_eq!((mesh.blocks, packed.len(), packed[27]), (1, 54, 1.0));
    }
}
