//! Defines a file before its data is written: its arrays, and the attributes or datasets that describe the
//! run.

use std::io;

use command::flash_io::Form;
use storage::arrays::{ArrayFile, Attribute, Element, Number, Variable};

use super::files::FileArray;
use super::write::FileWork;

/// The text by which PnetCDF's benchmark identifies itself in each file.
const VERSION: &str = "FLASH I/O benchmark using Pnetcdf";
/// The same text of the HDF5 benchmark, whose field has 20 letters.
const VERSION_HDF5: &str = "FLASH I/O benchmark";
/// The creation date in the form of PnetCDF's benchmark.
const TIME: &str = "now";

/// Defines a file with arrays for `blocks` blocks. All definitions are in the order of the original.
pub(super) fn define(
    open: &mut dyn ArrayFile,
    work: &FileWork<'_>,
    arrays: &[FileArray],
    blocks: u64,
) -> io::Result<Vec<Variable>> {
    if work.parameters.form == Form::Hdf5 {
        keep_records(open, work, arrays, blocks)?;
    }
    let lengths = work.file.dimensions(work.parameters.zones, blocks);
    let dimensions = lengths.map(|(name, length)| open.dimension(name, length));
    let dimensions = dimensions.into_iter().collect::<io::Result<Vec<_>>>()?;
    let mut variables = Vec::with_capacity(arrays.len());
    for array in arrays {
        let over: Vec<_> = [0].iter().chain(array.inner).map(|at| dimensions[*at]).collect();
        variables.push(open.variable(&array.name, array.element, &over)?);
    }
    if work.parameters.form == Form::Pnetcdf {
        keep_attributes(open, work, blocks)?;
    }
    open.end_definition()?;
    Ok(variables)
}

/// The values that PnetCDF's benchmark stores as attributes.
fn keep_attributes(open: &mut dyn ArrayFile, work: &FileWork<'_>, blocks: u64) -> io::Result<()> {
    let attributes =
        open.attributes().ok_or_else(|| io::Error::other("this library does not support attributes"))?;
    let int = |value| Attribute::Number(Number::Int(value));
    let side = int(work.file.side(work.parameters.zones) as i32);
    let all = [
        ("file_creation_time", Attribute::Text(TIME)),
        ("flash_version", Attribute::Text(VERSION)),
        ("total_blocks", int(blocks as i32)),
        ("nsteps", int(0)),
        ("nxb", side),
        ("nyb", side),
        ("nzb", side),
        ("time", Attribute::Number(Number::Double(0.0))),
    ];
    all.into_iter().try_for_each(|(name, value)| attributes.attribute(name, value))
}

/// The values that the HDF5 benchmark stores as separate datasets.
fn keep_records(
    open: &mut dyn ArrayFile,
    work: &FileWork<'_>,
    arrays: &[FileArray],
    blocks: u64,
) -> io::Result<()> {
    let records =
        open.records().ok_or_else(|| io::Error::other("this library does not support compound datasets"))?;
    records.texts("file creation time", 40, &[1], &[TIME])?;
    records.texts("FLASH version", 20, &[1], &[VERSION_HDF5])?;
    let zero = match work.file.real() {
        Element::Double => Number::Double(0.0),
        _ => Number::Float(0.0),
    };
    let side = Number::Int(work.file.side(work.parameters.zones) as i32);
    let members = [
        ("total blocks", Number::Int(blocks as i32)),
        ("time", zero),
        ("timestep", zero),
        ("number of steps", Number::Int(0)),
        ("nxb", side),
        ("nyb", side),
        ("nzb", side),
    ];
    records.record("simulation parameters", &members)?;
    let unknowns = arrays.iter().filter(|array| array.unknown.is_some());
    let names: Vec<&str> = unknowns.map(|array| array.name.as_str()).collect();
    records.texts("unknown names", 4, &[names.len() as u64, 1], &names)
}
