//! The variable of a file, and the position of the data in it.

use std::io::{self, ErrorKind};
use std::path::Path;

use crate::arrays::pnetcdf::NcFile;
use crate::arrays::{ArrayFile, Element, Slab, Variable};
use crate::{File, Hints, Parts, files};

/// IOR's names.
const VARIABLE: &str = "data_var";
const RECORDS: &str = "segments_times_np";
const TRANSFERS: &str = "number_of_transfers";
const TRANSFER: &str = "transfer_size";

/// The contents of a record: one block, in whole transfers. Bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cells {
    block: u64,
    transfer: u64,
}

/// A piece of the data that one call moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VariablePiece {
    start: [u64; 3],
    count: [u64; 3],
    bytes: usize,
}

impl Cells {
    /// The cells of a file with these parts.
    pub(super) fn new(parts: Parts) -> io::Result<Self> {
        let Parts { block, transfer, .. } = parts;
        if transfer == 0 || block == 0 || block % transfer != 0 {
            let what = "a PnetCDF file needs blocks (-b) that are a multiple of the transfer size (-t)";
            return Err(io::Error::new(ErrorKind::InvalidInput, what));
        }
        Ok(Self { block, transfer })
    }

    /// Defines the variable of a new file.
    pub(super) fn define(self, file: &mut NcFile) -> io::Result<Variable> {
        let records = file.define(RECORDS, None)?;
        let transfers = file.define(TRANSFERS, Some(self.block / self.transfer))?;
        let transfer = file.define(TRANSFER, Some(self.transfer))?;
        let variable = file.variable(VARIABLE, Element::Byte, &[records, transfers, transfer])?;
        file.end_definition()?;
        Ok(variable)
    }

    /// Finds the variable of an existing file.
    pub(super) fn find(self, file: &mut NcFile) -> io::Result<Variable> {
        let variable = file.known(VARIABLE, Element::Byte)?;
        let lengths = file.lengths(variable)?;
        let [_, transfers, transfer] = lengths[..] else {
            let what = format!("its {VARIABLE} has {} dimensions, not 3", lengths.len());
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        };
        if (transfers, transfer) != (self.block / self.transfer, self.transfer) {
            let block = transfers.saturating_mul(transfer);
            let what = format!("it was written with -b {block} -t {transfer}. Give the same options");
            return Err(io::Error::new(ErrorKind::InvalidData, what));
        }
        Ok(variable)
    }

    /// The position of the data of the variable; `there` is the path of a file that existed before.
    pub(super) fn lie(
        self,
        file: &NcFile,
        variable: Variable,
        there: Option<&Path>,
    ) -> io::Result<DataPosition> {
        let begin = file.place(variable)?.unwrap_or(0);
        let stored = match there {
            None => None,
            Some(path) => {
                // The library does not report that a file is shorter than its header states.
                let size = files::size(path).ok().flatten();
                let behind = size.map_or(u64::MAX, |size| size.saturating_sub(begin));
                Some(self.defined(file, variable)?.min(behind))
            }
        };
        Ok(DataPosition { begin, stored })
    }

    /// Bytes of the data according to the header.
    fn defined(self, file: &NcFile, variable: Variable) -> io::Result<u64> {
        Ok(file.lengths(variable)?[0].saturating_mul(self.block))
    }

    /// The part of `length` bytes at `offset` that one call can move. It is a part of a transfer, or whole
    /// transfers of one block.
    fn piece(self, offset: u64, length: usize) -> VariablePiece {
        let Self { block, transfer } = self;
        let (record, in_block) = (offset / block, offset % block);
        let (number, within) = (in_block / transfer, in_block % transfer);
        let whole = (length as u64 / transfer).min((block - in_block) / transfer);
        let (count, bytes) = if within > 0 || whole == 0 {
            let bytes = (length as u64).min(transfer - within);
            ([1, 1, bytes], bytes)
        } else {
            ([1, whole, transfer], whole * transfer)
        };
        VariablePiece { start: [record, number, within], count, bytes: bytes as usize }
    }
}

/// The position of the data in the file. Bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct DataPosition {
    /// Where it begins in the file.
    begin: u64,
    /// How many bytes of the data an existing file has stored.
    stored: Option<u64>,
}

/// An open file.
pub(super) struct DataVariable {
    pub(super) file: NcFile,
    pub(super) variable: Variable,
    pub(super) cells: Cells,
    /// The passed hints, if there are any or if they are to be shown.
    pub(super) passed: Option<Vec<(String, String)>>,
    pub(super) lies: DataPosition,
}

impl File for DataVariable {
    fn write_at(&mut self, data: &[u8], offset: u64) -> io::Result<usize> {
        let VariablePiece { start, count, bytes } = self.cells.piece(offset, data.len());
        let slab = Slab { start: &start, count: &count };
        self.file.put_bytes(self.variable, slab, &data[..bytes])?;
        Ok(bytes)
    }

    fn read_at(&mut self, data: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.lies.stored.unwrap_or(u64::MAX).saturating_sub(offset);
        let wanted = (data.len() as u64).min(left) as usize;
        let mut piece = self.cells.piece(offset, wanted);
        if wanted == 0 {
            // Other ranks may be waiting for this call. For an empty piece the library requires the start
            // position.
            piece = VariablePiece { start: [0; 3], count: [0; 3], bytes: 0 };
        }
        let slab = Slab { start: &piece.start, count: &piece.count };
        self.file.get_bytes(self.variable, slab, &mut data[..piece.bytes])?;
        Ok(piece.bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.file.sync()
    }

    /// Bytes of the data, without the header.
    fn size(&mut self) -> io::Result<u64> {
        self.lies.stored.map_or_else(|| self.cells.defined(&self.file, self.variable), Ok)
    }

    fn hints(&self) -> io::Result<Option<Hints>> {
        let Some(passed) = self.passed.clone() else { return Ok(None) };
        Ok(Some(Hints { to: "MPI_File_open()", passed, returned: self.file.hints()? }))
    }

    fn place(&self, offset: u64) -> Option<String> {
        let [record, transfer, byte] = self.cells.piece(offset, 1).start;
        Some(format!(
            "{VARIABLE}[{record}][{transfer}][{byte}], byte {} of the file",
            self.lies.begin + offset
        ))
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        Box::new(self.file).close()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(block: u64, transfer: u64) -> Cells {
        Cells::new(Parts { segment: 4 * block, block, transfer, owner: None }).unwrap()
    }

    #[test]
    fn the_pieces_of_any_bytes_lie_end_to_end_and_within_their_blocks() {
        let cells = cells(24, 8);
        for offset in 0..80_u64 {
            for length in 1..60_usize {
                let mut done = 0;
                while done < length {
                    let at = offset + done as u64;
                    let VariablePiece { start, count, bytes } = cells.piece(at, length - done);
                    assert_eq!(start[0] * 24 + start[1] * 8 + start[2], at);
                    assert_eq!(count.iter().product::<u64>(), bytes as u64);
                    assert!(start[1] + count[1] <= 3 && start[2] + count[2] <= 8 && bytes > 0);
                    assert!(count[1] == 1 || (start[2], count[2]) == (0, 8), "{start:?} {count:?}");
                    done += bytes;
                }
                assert_eq!(done, length);
            }
        }
    }

    #[test]
    fn a_transfer_is_one_call_at_its_rank_and_segment() {
        // Two ranks, block 64, transfers of 16: segment 1, rank 1, transfer 2.
        let piece = cells(64, 16).piece(128 + 64 + 32, 16);
        assert_eq!(piece, VariablePiece { start: [3, 2, 0], count: [1, 1, 16], bytes: 16 });
    }

    #[test]
    fn a_file_without_parts_is_rejected() {
        assert!(Cells::new(Parts::NONE).is_err());
        assert!(Cells::new(Parts { segment: 24, block: 12, transfer: 8, owner: None }).is_err());
    }
}
