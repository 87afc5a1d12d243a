//! The representation `external32`: every type of the standard's table, with the bytes that it has there.

use storage::mpi_file::{At, Datatype, Elements, Info, Named, Start, Way};

use super::datarep::{Numbers, written};
use super::of_rows;
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

const SECTION: &str = "MPI 4.1 section 14.5.2";

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of_rows(&[(
        "datarep.derived",
        SECTION,
        "external32 takes an etype that is derived, with gaps, and leaves the gaps as they are",
        derived,
    )]);
    for kind in KINDS {
        let what = if kind.parts == 2 { ", twice" } else { "" };
        let promise = format!(
            "external32 has {} bytes of {}, the most significant first{what}",
            kind.bytes * kind.parts,
            kind.mpi
        );
        let body = move |scene: &mut Scene<'_>| external32(scene, kind);
        cases.push(Case::new(format!("datarep.external32_{}", kind.name), SECTION, promise, body).mpi());
    }
    cases
}

/// What the bytes of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// A whole number, or a letter.
    Whole,
    /// True or false.
    Truth,
    /// An IEEE number of 4, 8 or 16 bytes.
    Real,
    /// What C calls a `long double`, 16 bytes in memory.
    LongDouble,
}

/// A type of the table.
#[derive(Clone, Copy, Debug)]
struct Kind {
    name: &'static str,
    mpi: &'static str,
    form: Form,
    /// Bytes of a part in memory.
    memory: usize,
    /// Bytes of a part in the file.
    bytes: usize,
    /// Two of a complex number.
    parts: usize,
}

const fn kind(name: &'static str, mpi: &'static str, form: Form, memory: usize, bytes: usize) -> Kind {
    Kind { name, mpi, form, memory, bytes, parts: 1 }
}

const fn pair(name: &'static str, mpi: &'static str, form: Form, bytes: usize) -> Kind {
    Kind { name, mpi, form, memory: bytes, bytes, parts: 2 }
}

/// The table, with the bytes of a 64-bit machine's memory.
const KINDS: &[Kind] = &[
    kind("packed", "MPI_PACKED", Form::Whole, 1, 1),
    kind("byte", "MPI_BYTE", Form::Whole, 1, 1),
    kind("char", "MPI_CHAR", Form::Whole, 1, 1),
    kind("unsigned_char", "MPI_UNSIGNED_CHAR", Form::Whole, 1, 1),
    kind("signed_char", "MPI_SIGNED_CHAR", Form::Whole, 1, 1),
    kind("wchar", "MPI_WCHAR", Form::Whole, 4, 2),
    kind("short", "MPI_SHORT", Form::Whole, 2, 2),
    kind("unsigned_short", "MPI_UNSIGNED_SHORT", Form::Whole, 2, 2),
    kind("int", "MPI_INT", Form::Whole, 4, 4),
    kind("unsigned", "MPI_UNSIGNED", Form::Whole, 4, 4),
    kind("long", "MPI_LONG", Form::Whole, 8, 4),
    kind("unsigned_long", "MPI_UNSIGNED_LONG", Form::Whole, 8, 4),
    kind("long_long", "MPI_LONG_LONG_INT", Form::Whole, 8, 8),
    kind("unsigned_long_long", "MPI_UNSIGNED_LONG_LONG", Form::Whole, 8, 8),
    kind("float", "MPI_FLOAT", Form::Real, 4, 4),
    kind("double", "MPI_DOUBLE", Form::Real, 8, 8),
    kind("long_double", "MPI_LONG_DOUBLE", Form::LongDouble, 16, 16),
    kind("c_bool", "MPI_C_BOOL", Form::Truth, 1, 1),
    kind("int8", "MPI_INT8_T", Form::Whole, 1, 1),
    kind("int16", "MPI_INT16_T", Form::Whole, 2, 2),
    kind("int32", "MPI_INT32_T", Form::Whole, 4, 4),
    kind("int64", "MPI_INT64_T", Form::Whole, 8, 8),
    kind("uint8", "MPI_UINT8_T", Form::Whole, 1, 1),
    kind("uint16", "MPI_UINT16_T", Form::Whole, 2, 2),
    kind("uint32", "MPI_UINT32_T", Form::Whole, 4, 4),
    kind("uint64", "MPI_UINT64_T", Form::Whole, 8, 8),
    kind("aint", "MPI_AINT", Form::Whole, 8, 8),
    kind("count", "MPI_COUNT", Form::Whole, 8, 8),
    kind("offset", "MPI_OFFSET", Form::Whole, 8, 8),
    pair("c_float_complex", "MPI_C_FLOAT_COMPLEX", Form::Real, 4),
    pair("c_double_complex", "MPI_C_DOUBLE_COMPLEX", Form::Real, 8),
    pair("c_long_double_complex", "MPI_C_LONG_DOUBLE_COMPLEX", Form::LongDouble, 16),
    kind("character", "MPI_CHARACTER", Form::Whole, 1, 1),
    kind("logical", "MPI_LOGICAL", Form::Truth, 4, 4),
    kind("integer", "MPI_INTEGER", Form::Whole, 4, 4),
    kind("real", "MPI_REAL", Form::Real, 4, 4),
    kind("double_precision", "MPI_DOUBLE_PRECISION", Form::Real, 8, 8),
    pair("complex", "MPI_COMPLEX", Form::Real, 4),
    pair("double_complex", "MPI_DOUBLE_COMPLEX", Form::Real, 8),
    kind("cxx_bool", "MPI_CXX_BOOL", Form::Truth, 1, 1),
    pair("cxx_float_complex", "MPI_CXX_FLOAT_COMPLEX", Form::Real, 4),
    pair("cxx_double_complex", "MPI_CXX_DOUBLE_COMPLEX", Form::Real, 8),
    pair("cxx_long_double_complex", "MPI_CXX_LONG_DOUBLE_COMPLEX", Form::LongDouble, 16),
    kind("integer1", "MPI_INTEGER1", Form::Whole, 1, 1),
    kind("integer2", "MPI_INTEGER2", Form::Whole, 2, 2),
    kind("integer4", "MPI_INTEGER4", Form::Whole, 4, 4),
    kind("integer8", "MPI_INTEGER8", Form::Whole, 8, 8),
    kind("real4", "MPI_REAL4", Form::Real, 4, 4),
    kind("real8", "MPI_REAL8", Form::Real, 8, 8),
    kind("real16", "MPI_REAL16", Form::Real, 16, 16),
    pair("complex8", "MPI_COMPLEX8", Form::Real, 4),
    pair("complex16", "MPI_COMPLEX16", Form::Real, 8),
    pair("complex32", "MPI_COMPLEX32", Form::Real, 16),
];

/// Numbers that each rank writes.
const COUNT: usize = 10;

/// The bits of an IEEE number of 16 bytes: those of a double, with a wider exponent and more behind.
fn quadruple(number: f64) -> u128 {
    let bits = number.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    // No number here is 0, infinite or too small for the usual form.
    u128::from(bits >> 63) << 127 | u128::from(exponent + 16383 - 1023) << 112 | u128::from(fraction) << 60
}

/// The bits of x86's number of 80 bits, whose first digit is told.
fn extended(number: f64) -> u128 {
    let bits = number.to_bits();
    let (exponent, fraction) = (bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    let digits = 1 << 63 | fraction << 11;
    u128::from(bits >> 63) << 79 | u128::from(exponent + 16383 - 1023) << 64 | u128::from(digits)
}

/// The low `bytes` of some bits, the most significant first.
fn big(bits: u128, bytes: usize) -> Vec<u8> {
    bits.to_be_bytes()[16 - bytes..].to_vec()
}

/// The same as this machine's memory has them.
fn own(bits: u128, bytes: usize) -> Vec<u8> {
    let big = big(bits, bytes);
    if cfg!(target_endian = "big") { big } else { big.into_iter().rev().collect() }
}

impl Kind {
    /// Number `at` of a rank, which no other rank has there: small, positive, and no power of two.
    fn number(self, rank: u32, at: usize) -> u8 {
        match self.form {
            Form::Truth => (rank as usize + at / 2).is_multiple_of(2).into(),
            _ => (rank as usize % 5 * 20 + at + 1) as u8,
        }
    }

    /// Its bits, in memory or in the file.
    fn bits(self, number: u8, in_memory: bool) -> u128 {
        let real = f64::from(number) + 0.5;
        match (self.form, self.bytes) {
            (Form::Whole | Form::Truth, _) => number.into(),
            (Form::Real, 4) => (real as f32).to_bits().into(),
            (Form::Real, 8) => real.to_bits().into(),
            (Form::LongDouble, _) if in_memory && cfg!(target_arch = "x86_64") => extended(real),
            (Form::Real | Form::LongDouble, _) => quadruple(real),
        }
    }

    /// All numbers of a rank.
    fn all(self, rank: u32, in_memory: bool) -> Vec<u8> {
        let part = |at| {
            let bits = self.bits(self.number(rank, at), in_memory);
            if in_memory { own(bits, self.memory) } else { big(bits, self.bytes) }
        };
        (0..COUNT * self.parts).flat_map(part).collect()
    }
}

/// The datatype, if the library has it with the bytes of this machine's memory.
fn datatype(scene: &Scene<'_>, kind: &Kind) -> Result<Datatype, Trouble> {
    let comm = scene.comm.mpi().ok_or_else(|| Trouble::fail("ranks of MPI have a communicator"))?;
    let found = match kind.name {
        "byte" => Some(Datatype::named(comm, Named::Byte)),
        "char" => Some(Datatype::named(comm, Named::Char)),
        "int16" => Some(Datatype::named(comm, Named::Int16)),
        "int32" => Some(Datatype::named(comm, Named::Int32)),
        "int64" => Some(Datatype::named(comm, Named::Int64)),
        "float" => Some(Datatype::named(comm, Named::Float)),
        "double" => Some(Datatype::named(comm, Named::Double)),
        "long" => Some(Datatype::named(comm, Named::Long)),
        _ => Datatype::listed(comm, kind.mpi),
    };
    let none = || Trouble::Unsupported(format!("the library has no {}", kind.mpi));
    let found = found.ok_or_else(none)?;
    let bytes = (kind.memory * kind.parts) as u64;
    if found.size() != bytes {
        let why = format!("{} has {} bytes here, where {bytes} are known", kind.mpi, found.size());
        return Err(Trouble::Skipped(why));
    }
    Ok(found)
}

fn external32(scene: &mut Scene<'_>, kind: &Kind) -> Verdict {
    let etype = scene.agree("look for the datatype", datatype(scene, kind))?;
    let (data, bytes) = (kind.all(scene.rank(), true), kind.bytes * kind.parts);
    written(scene, "external32", &Numbers { etype: &etype, data: &data, count: COUNT, bytes })?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(|rank| kind.all(rank, false)).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &scene.path("file"), &wanted)).map(drop)
}

/// Pairs of numbers of two bytes, and as much of a gap behind them.
fn derived(scene: &mut Scene<'_>) -> Verdict {
    let (path, comm) = (scene.path("file"), scene.mpi()?);
    let short = Datatype::named(comm, Named::Int16);
    let made = short.contiguous(2).and_then(|two| two.resized(0, 8));
    let etype = scene.agree("make an etype", made)?;
    let each = 8 * COUNT;
    scene.on_rank_0("make", || look::prefill(&path, each * scene.size() as usize))?;
    let file = scene.open(&path, &MADE)?;
    let start = Start::Byte(i64::from(scene.rank()) * each as i64);
    let set = file.set_view(start, &etype, &etype, "external32", &Info::none(comm));
    scene.agree("MPI_File_set_view", set)?;
    let numbers = |rank: u32| (0..2 * COUNT as u16).map(move |at| 300 + 100 * rank as u16 + at);
    let data: Vec<u8> = numbers(scene.rank()).flat_map(u16::to_ne_bytes).collect();
    scene.all("write", || {
        let elements = Elements::new(&short, 2 * COUNT as i32);
        let done = file.write(At::Offset(0), Way::Collective, &data, elements).told("write_at_all")?;
        same("bytes moved", &(4 * COUNT as u64), &done.bytes().told("status")?)
    })?;
    scene.close(file)?;
    let mut wanted = vec![look::UNTOUCHED; each * scene.size() as usize];
    for rank in 0..scene.size() {
        for (at, number) in numbers(rank).enumerate() {
            let place = rank as usize * each + at / 2 * 8 + at % 2 * 2;
            wanted[place..place + 2].copy_from_slice(&number.to_be_bytes());
        }
    }
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_numbers_have_the_bits_that_the_formats_say() {
        assert_eq!(quadruple(1.5), 0x3fff_8000_0000_0000_0000_0000_0000_0000);
        assert_eq!(quadruple(-2.5), 0xc000_4000_0000_0000_0000_0000_0000_0000);
        assert_eq!(extended(1.5), 0x3fff_c000_0000_0000_0000);
        assert_eq!(extended(-2.5), 0xc000_a000_0000_0000_0000);
    }

    #[test]
    fn every_type_that_is_listed_is_one_that_libraries_are_asked_for() {
        let asked = |kind: &&Kind| ffi_names().contains(&kind.mpi);
        let plain = ["byte", "char", "int16", "int32", "int64", "float", "double", "long"];
        for kind in KINDS {
            assert!(asked(&kind) || plain.contains(&kind.name), "{kind:?}");
        }
        assert_eq!(KINDS.iter().filter(asked).count(), ffi_names().len(), "each is tried");
    }

    fn ffi_names() -> Vec<&'static str> {
        storage::mpi_file::listed_names().collect()
    }
}
