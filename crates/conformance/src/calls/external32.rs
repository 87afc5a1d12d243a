//! The representation `external32`: every type of the standard's table, with its size there.

use storage::mpi_file::{At, Datatype, Elements, Info, NamedDatatype, Participation, ViewStart};

use super::datarep::{RankData, write_and_read};
use super::mpi_cases;
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::system_file;
use crate::test_data;

const SECTION: &str = "MPI 4.1 section 14.5.2";

pub(super) fn cases() -> Vec<ConformanceCase> {
    let mut cases = mpi_cases(&[(
        "datarep.derived",
        SECTION,
        "external32 takes an etype that is derived, with gaps, and leaves the gaps as they are",
        derived,
    )]);
    for table_type in TABLE {
        let what = if table_type.parts == 2 { ", twice" } else { "" };
        let promise = format!(
            "external32 has {} bytes of {}, the most significant first{what}",
            table_type.bytes * table_type.parts,
            table_type.mpi
        );
        let body = move |cx: &mut CaseContext<'_>| external32(cx, table_type);
        cases.push(
            ConformanceCase::new(format!("datarep.external32_{}", table_type.name), SECTION, promise, body)
                .mpi(),
        );
    }
    cases
}

/// How the bytes of a type are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteFormat {
    /// An integer, or a character.
    Integer,
    /// True or false.
    Logical,
    /// An IEEE number of 4, 8 or 16 bytes.
    Real,
    /// A C `long double`, 16 bytes in memory.
    LongDouble,
}

/// A type of the table.
#[derive(Clone, Copy, Debug)]
struct TableType {
    name: &'static str,
    mpi: &'static str,
    format: ByteFormat,
    /// Bytes in memory: of the number, or of each part of a complex number.
    memory_bytes: usize,
    /// Bytes in the file: of the number, or of each part of a complex number.
    bytes: usize,
    /// 2 for a complex number, 1 for others.
    parts: usize,
}

const fn single(
    name: &'static str,
    mpi: &'static str,
    format: ByteFormat,
    memory_bytes: usize,
    bytes: usize,
) -> TableType {
    TableType { name, mpi, format, memory_bytes, bytes, parts: 1 }
}

const fn complex(name: &'static str, mpi: &'static str, format: ByteFormat, bytes: usize) -> TableType {
    TableType { name, mpi, format, memory_bytes: bytes, bytes, parts: 2 }
}

/// The table, with the sizes in memory of a 64-bit machine.
const TABLE: &[TableType] = &[
    single("packed", "MPI_PACKED", ByteFormat::Integer, 1, 1),
    single("byte", "MPI_BYTE", ByteFormat::Integer, 1, 1),
    single("char", "MPI_CHAR", ByteFormat::Integer, 1, 1),
    single("unsigned_char", "MPI_UNSIGNED_CHAR", ByteFormat::Integer, 1, 1),
    single("signed_char", "MPI_SIGNED_CHAR", ByteFormat::Integer, 1, 1),
    single("wchar", "MPI_WCHAR", ByteFormat::Integer, 4, 2),
    single("short", "MPI_SHORT", ByteFormat::Integer, 2, 2),
    single("unsigned_short", "MPI_UNSIGNED_SHORT", ByteFormat::Integer, 2, 2),
    single("int", "MPI_INT", ByteFormat::Integer, 4, 4),
    single("unsigned", "MPI_UNSIGNED", ByteFormat::Integer, 4, 4),
    single("long", "MPI_LONG", ByteFormat::Integer, 8, 4),
    single("unsigned_long", "MPI_UNSIGNED_LONG", ByteFormat::Integer, 8, 4),
    single("long_long", "MPI_LONG_LONG_INT", ByteFormat::Integer, 8, 8),
    single("unsigned_long_long", "MPI_UNSIGNED_LONG_LONG", ByteFormat::Integer, 8, 8),
    single("float", "MPI_FLOAT", ByteFormat::Real, 4, 4),
    single("double", "MPI_DOUBLE", ByteFormat::Real, 8, 8),
    single("long_double", "MPI_LONG_DOUBLE", ByteFormat::LongDouble, 16, 16),
    single("c_bool", "MPI_C_BOOL", ByteFormat::Logical, 1, 1),
    single("int8", "MPI_INT8_T", ByteFormat::Integer, 1, 1),
    single("int16", "MPI_INT16_T", ByteFormat::Integer, 2, 2),
    single("int32", "MPI_INT32_T", ByteFormat::Integer, 4, 4),
    single("int64", "MPI_INT64_T", ByteFormat::Integer, 8, 8),
    single("uint8", "MPI_UINT8_T", ByteFormat::Integer, 1, 1),
    single("uint16", "MPI_UINT16_T", ByteFormat::Integer, 2, 2),
    single("uint32", "MPI_UINT32_T", ByteFormat::Integer, 4, 4),
    single("uint64", "MPI_UINT64_T", ByteFormat::Integer, 8, 8),
    single("aint", "MPI_AINT", ByteFormat::Integer, 8, 8),
    single("count", "MPI_COUNT", ByteFormat::Integer, 8, 8),
    single("offset", "MPI_OFFSET", ByteFormat::Integer, 8, 8),
    complex("c_float_complex", "MPI_C_FLOAT_COMPLEX", ByteFormat::Real, 4),
    complex("c_double_complex", "MPI_C_DOUBLE_COMPLEX", ByteFormat::Real, 8),
    complex("c_long_double_complex", "MPI_C_LONG_DOUBLE_COMPLEX", ByteFormat::LongDouble, 16),
    single("character", "MPI_CHARACTER", ByteFormat::Integer, 1, 1),
    single("logical", "MPI_LOGICAL", ByteFormat::Logical, 4, 4),
    single("integer", "MPI_INTEGER", ByteFormat::Integer, 4, 4),
    single("real", "MPI_REAL", ByteFormat::Real, 4, 4),
    single("double_precision", "MPI_DOUBLE_PRECISION", ByteFormat::Real, 8, 8),
    complex("complex", "MPI_COMPLEX", ByteFormat::Real, 4),
    complex("double_complex", "MPI_DOUBLE_COMPLEX", ByteFormat::Real, 8),
    single("cxx_bool", "MPI_CXX_BOOL", ByteFormat::Logical, 1, 1),
    complex("cxx_float_complex", "MPI_CXX_FLOAT_COMPLEX", ByteFormat::Real, 4),
    complex("cxx_double_complex", "MPI_CXX_DOUBLE_COMPLEX", ByteFormat::Real, 8),
    complex("cxx_long_double_complex", "MPI_CXX_LONG_DOUBLE_COMPLEX", ByteFormat::LongDouble, 16),
    single("integer1", "MPI_INTEGER1", ByteFormat::Integer, 1, 1),
    single("integer2", "MPI_INTEGER2", ByteFormat::Integer, 2, 2),
    single("integer4", "MPI_INTEGER4", ByteFormat::Integer, 4, 4),
    single("integer8", "MPI_INTEGER8", ByteFormat::Integer, 8, 8),
    single("real4", "MPI_REAL4", ByteFormat::Real, 4, 4),
    single("real8", "MPI_REAL8", ByteFormat::Real, 8, 8),
    single("real16", "MPI_REAL16", ByteFormat::Real, 16, 16),
    complex("complex8", "MPI_COMPLEX8", ByteFormat::Real, 4),
    complex("complex16", "MPI_COMPLEX16", ByteFormat::Real, 8),
    complex("complex32", "MPI_COMPLEX32", ByteFormat::Real, 16),
];

/// Numbers that each rank writes.
const COUNT: usize = 10;

/// The bits of an IEEE number of 16 bytes: those of a double with a wider exponent and a longer fraction.
fn quadruple(number: f64) -> u128 {
    let bits = number.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    // No number here is 0, infinite or subnormal.
    u128::from(bits >> 63) << 127 | u128::from(exponent + 16383 - 1023) << 112 | u128::from(fraction) << 60
}

/// The bits of x86's number of 80 bits, which stores its leading 1.
fn extended(number: f64) -> u128 {
    let bits = number.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let digits = 1 << 63 | fraction << 11;
    u128::from(bits >> 63) << 79 | u128::from(exponent + 16383 - 1023) << 64 | u128::from(digits)
}

/// The low `bytes` bytes of `bits`, the most significant first.
fn big_endian(bits: u128, bytes: usize) -> Vec<u8> {
    bits.to_be_bytes()[16 - bytes..].to_vec()
}

/// The same in the byte order of this machine.
fn native_endian(bits: u128, bytes: usize) -> Vec<u8> {
    let big_endian = big_endian(bits, bytes);
    if cfg!(target_endian = "big") { big_endian } else { big_endian.into_iter().rev().collect() }
}

impl TableType {
    /// The datatype, for a type that every library has. Others are looked up in the library by name.
    fn required(self) -> Option<NamedDatatype> {
        Some(match self.mpi {
            "MPI_BYTE" => NamedDatatype::Byte,
            "MPI_CHAR" => NamedDatatype::Char,
            "MPI_INT16_T" => NamedDatatype::Int16,
            "MPI_INT32_T" => NamedDatatype::Int32,
            "MPI_INT64_T" => NamedDatatype::Int64,
            "MPI_FLOAT" => NamedDatatype::Float,
            "MPI_DOUBLE" => NamedDatatype::Double,
            "MPI_LONG" => NamedDatatype::Long,
            _ => return None,
        })
    }

    /// Number `at` of a rank: small and positive. Ranks next to each other have different numbers there.
    fn number(self, rank: u32, at: usize) -> u8 {
        match self.format {
            ByteFormat::Logical => (rank as usize + at / 2).is_multiple_of(2).into(),
            _ => (rank as usize % 5 * 20 + at + 1) as u8,
        }
    }

    /// The bits of a number, in memory or in the file.
    fn bits(self, number: u8, in_memory: bool) -> u128 {
        let real = f64::from(number) + 0.5;
        match (self.format, self.bytes) {
            (ByteFormat::Integer | ByteFormat::Logical, _) => number.into(),
            (ByteFormat::Real, 4) => (real as f32).to_bits().into(),
            (ByteFormat::Real, 8) => real.to_bits().into(),
            (ByteFormat::LongDouble, _) if in_memory && cfg!(target_arch = "x86_64") => extended(real),
            (ByteFormat::Real | ByteFormat::LongDouble, _) => quadruple(real),
        }
    }

    /// All numbers of a rank as bytes, in memory or in the file.
    fn encoded(self, rank: u32, in_memory: bool) -> Vec<u8> {
        let part = |at| {
            let bits = self.bits(self.number(rank, at), in_memory);
            if in_memory { native_endian(bits, self.memory_bytes) } else { big_endian(bits, self.bytes) }
        };
        (0..COUNT * self.parts).flat_map(part).collect()
    }
}

/// The datatype, if the library has it with the expected size in memory.
fn datatype(cx: &CaseContext<'_>, table_type: &TableType) -> Result<Datatype, CaseProblem> {
    let comm = cx.comm.mpi().ok_or_else(|| CaseProblem::fail("ranks of MPI have a communicator"))?;
    let found = match table_type.required() {
        Some(named) => Some(Datatype::named(comm, named)),
        None => Datatype::listed(comm, table_type.mpi),
    };
    let none = || CaseProblem::Unsupported(format!("the library has no {}", table_type.mpi));
    let found = found.ok_or_else(none)?;
    let bytes = (table_type.memory_bytes * table_type.parts) as u64;
    if found.size() != bytes {
        let why = format!("{} has {} bytes here, where {bytes} are known", table_type.mpi, found.size());
        return Err(CaseProblem::Skipped(why));
    }
    Ok(found)
}

fn external32(cx: &mut CaseContext<'_>, table_type: &TableType) -> CaseResult {
    let etype = cx.agree("look for the datatype", datatype(cx, table_type))?;
    let (data, bytes) = (table_type.encoded(cx.rank(), true), table_type.bytes * table_type.parts);
    write_and_read(cx, "external32", &RankData { etype: &etype, data: &data, count: COUNT, bytes })?;
    let wanted: Vec<u8> = (0..cx.size()).flat_map(|rank| table_type.encoded(rank, false)).collect();
    cx.check_file("the file", &cx.path("file"), &wanted)
}

/// An etype of two integers of two bytes and a gap of four bytes.
fn derived(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, comm) = (cx.path("file"), cx.mpi()?);
    let short = Datatype::named(comm, NamedDatatype::Int16);
    let made = short.contiguous(2).and_then(|two| two.resized(0, 8));
    let etype = cx.agree("make an etype", made)?;
    let each = 8 * COUNT;
    cx.on_rank_0("make", || system_file::prefill(&path, each * cx.size() as usize))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    let start = ViewStart::Byte(i64::from(cx.rank()) * each as i64);
    let set = file.set_view(start, &etype, &etype, "external32", &Info::none(comm));
    cx.agree("MPI_File_set_view", set)?;
    let numbers = |rank: u32| (0..2 * COUNT as u16).map(move |at| 300 + 100 * rank as u16 + at);
    let data: Vec<u8> = numbers(cx.rank()).flat_map(u16::to_ne_bytes).collect();
    cx.all("write", || {
        let elements = Elements::new(&short, 2 * COUNT as i32);
        let done =
            file.write(At::Offset(0), Participation::Collective, &data, elements).context("write_at_all")?;
        check_equal("bytes moved", &(4 * COUNT as u64), &done.bytes().context("status")?)
    })?;
    cx.close(file)?;
    let mut wanted = vec![test_data::UNTOUCHED; each * cx.size() as usize];
    for rank in 0..cx.size() {
        for (at, number) in numbers(rank).enumerate() {
            let place = rank as usize * each + at / 2 * 8 + at % 2 * 2;
            wanted[place..place + 2].copy_from_slice(&number.to_be_bytes());
        }
    }
    cx.check_file("the file", &path, &wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_have_the_bits_of_their_formats() {
        assert_eq!(quadruple(1.5), 0x3fff_8000_0000_0000_0000_0000_0000_0000);
        assert_eq!(quadruple(-2.5), 0xc000_4000_0000_0000_0000_0000_0000_0000);
        assert_eq!(extended(1.5), 0x3fff_c000_0000_0000_0000);
        assert_eq!(extended(-2.5), 0xc000_a000_0000_0000_0000);
    }

    #[test]
    fn every_type_of_the_table_has_an_mpi_datatype() {
        let asked = |table_type: &&TableType| ffi_names().contains(&table_type.mpi);
        for table_type in TABLE {
            assert!(asked(&table_type) != table_type.required().is_some(), "{table_type:?}");
        }
        assert_eq!(TABLE.iter().filter(asked).count(), ffi_names().len(), "each is tried");
    }

    fn ffi_names() -> Vec<&'static str> {
        storage::mpi_file::listed_names().collect()
    }
}
