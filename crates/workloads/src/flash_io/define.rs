//! What a file is before its data: its arrays, and what is kept beside them.

use std::io;

use storage::arrays::{ArrayFile, Attribute, Element, Number, Variable};

use super::files::{FileArray, Form};
use super::write::FileWork;

/// What the benchmark of PnetCDF says of itself in each file.
const VERSION: &str = "FLASH I/O benchmark using Pnetcdf";
/// The same with HDF5, where there is room for 20 letters.
const VERSION_HDF5: &str = "FLASH I/O benchmark";
/// When the file was made, as the benchmark of PnetCDF has it.
const TIME: &str = "now";

/// Defines a file of arrays over so many blocks, all in the order of the original.
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

/// What the benchmark of PnetCDF keeps as attributes.
fn keep_attributes(open: &mut dyn ArrayFile, work: &FileWork<'_>, blocks: u64) -> io::Result<()> {
    let attributes = open.attributes().ok_or_else(|| io::Error::other("the library keeps no attributes"))?;
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

/// What the benchmark of HDF5 keeps as datasets of their own.
fn keep_records(
    open: &mut dyn ArrayFile,
    work: &FileWork<'_>,
    arrays: &[FileArray],
    blocks: u64,
) -> io::Result<()> {
    let records = open.records().ok_or_else(|| io::Error::other("the library keeps no records"))?;
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
