//! Data representations.

use storage::mpi_file::{
    At, Class, Conversion, Datatype, Elements, Info, NamedDatatype, Participation, ViewStart, datarep_calls,
    register_datarep,
};

use super::{check_rejected, int, mpi_cases};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext, check_bytes, check_equal};

const SECTION: &str = "MPI 4.1 section 14.5";
const USER_DEFINED: &str = "MPI 4.1 section 14.5.3";

pub(super) fn cases() -> Vec<ConformanceCase> {
    mpi_cases(&[
        ("datarep.native", SECTION, "native data lies in the file as in memory", native),
        ("datarep.internal", SECTION, "internal data comes back as it was written", internal),
        ("datarep.unknown", SECTION, "an unknown representation is rejected as such", unknown),
        (
            "datarep.duplicate",
            USER_DEFINED,
            "a representation can be registered once, and not twice",
            duplicate,
        ),
        (
            "datarep.registered",
            USER_DEFINED,
            "a registered representation converts what is written and read",
            registered,
        ),
        (
            "datarep.extent",
            "MPI 4.1 section 14.5.1",
            "MPI_File_get_type_extent gives the extents of the file's representation",
            extent,
        ),
    ])
}

/// Numbers that each rank writes.
const COUNT: usize = 10;

/// Small positive numbers as C `double`s in memory.
fn doubles(rank: u32) -> Vec<u8> {
    let number = |at: usize| (rank as usize % 5 * 20 + at + 1) as u8;
    (0..COUNT).flat_map(|at| f64::from(number(at)).to_ne_bytes()).collect()
}

/// The data that a rank writes: `count` elements of an etype, each of `bytes` bytes in the file.
pub(super) struct RankData<'t> {
    pub(super) etype: &'t Datatype,
    pub(super) data: &'t [u8],
    pub(super) count: usize,
    pub(super) bytes: usize,
}

/// Writes each rank's data in a representation, and reads it back.
pub(super) fn write_and_read(
    cx: &CaseContext<'_>,
    datarep: &str,
    numbers: &RankData<'_>,
) -> Result<(), EarlyEnd> {
    let RankData { etype, data, count, bytes } = *numbers;
    let none = Info::none(cx.mpi()?);
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let start = ViewStart::Byte((count * bytes) as i64 * i64::from(cx.rank()));
    cx.agree("MPI_File_set_view", file.set_view(start, etype, etype, datarep, &none))?;
    cx.all("write", || {
        let elements = Elements::new(etype, count as i32);
        file.write(At::Offset(0), Participation::Collective, data, elements).context("write_at_all")
    })?;
    let mut back = vec![0; data.len()];
    cx.agree("sync", file.sync())?;
    cx.all("read", || {
        let elements = Elements::new(etype, count as i32);
        file.read(At::Offset(0), Participation::Collective, &mut back, elements).context("read_at_all")?;
        check_bytes("read back", "the buffer".as_ref(), 0, data, &back)
    })?;
    cx.close(file)
}

/// The same for doubles, each of `bytes` bytes in the file.
fn write_and_read_doubles(cx: &CaseContext<'_>, datarep: &str, bytes: usize) -> Result<(), EarlyEnd> {
    let (etype, data) = (Datatype::named(cx.mpi()?, NamedDatatype::Double), doubles(cx.rank()));
    write_and_read(cx, datarep, &RankData { etype: &etype, data: &data, count: COUNT, bytes })
}

/// Fails unless the file has the doubles of all ranks as they lie in memory.
fn check_doubles(cx: &CaseContext<'_>) -> CaseResult {
    let wanted: Vec<u8> = (0..cx.size()).flat_map(doubles).collect();
    cx.check_file("the file", &cx.path("file"), &wanted)
}

fn native(cx: &mut CaseContext<'_>) -> CaseResult {
    write_and_read_doubles(cx, "native", 8)?;
    check_doubles(cx)
}

fn internal(cx: &mut CaseContext<'_>) -> CaseResult {
    // The width in the file is the library's choice; 16 bytes are enough for all.
    write_and_read_doubles(cx, "internal", 16)
}

fn unknown(cx: &mut CaseContext<'_>) -> CaseResult {
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let (int, none) = (int(cx)?, Info::none(cx.mpi()?));
    let set = file.set_view(ViewStart::Byte(0), &int, &int, "assay-no-such", &none);
    cx.agree("set_view", check_rejected("MPI_File_set_view", set, &[Class::UnsupportedDatarep]))?;
    cx.close(file)
}

fn duplicate(cx: &mut CaseContext<'_>) -> CaseResult {
    let comm = cx.mpi()?;
    let register = |name: &str| register_datarep(comm, name, Conversion::None);
    cx.agree("register", register("assay-twice"))?;
    cx.agree(
        "register again",
        check_rejected("MPI_Register_datarep", register("assay-twice"), &[Class::DupDatarep]),
    )?;
    cx.agree(
        "register native",
        check_rejected("MPI_Register_datarep of native", register("native"), &[Class::DupDatarep]),
    )
}

fn registered(cx: &mut CaseContext<'_>) -> CaseResult {
    let comm = cx.mpi()?;
    let made = register_datarep(comm, "assay-copies", Conversion::Copies);
    let made = made.map_err(|error| match error.class {
        // The error by which libraries report that they do not call conversions.
        Class::Conversion => CaseProblem::Unsupported(error.words),
        _ => CaseProblem::from(error),
    });
    cx.agree("register", made)?;
    let before = datarep_calls();
    write_and_read_doubles(cx, "assay-copies", 8)?;
    let after = datarep_calls();
    cx.all("count calls", || {
        check_equal("whether the conversion for writing was called", &true, &(after.writes > before.writes))?;
        check_equal("whether the conversion for reading was called", &true, &(after.reads > before.reads))
    })?;
    check_doubles(cx)
}

fn extent(cx: &mut CaseContext<'_>) -> CaseResult {
    let comm = cx.mpi()?;
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let (int, none) = (int(cx)?, Info::none(comm));
    let [double, long] = [NamedDatatype::Double, NamedDatatype::Long].map(|kind| Datatype::named(comm, kind));
    let check_extent = |kind: &Datatype, wanted: i64| {
        check_equal("bytes", &wanted, &file.type_extent(kind).context("MPI_File_get_type_extent")?)
    };
    cx.all("ask of native", || check_extent(&int, 4).and_then(|()| check_extent(&double, 8)))?;
    let set = file.set_view(ViewStart::Byte(0), &int, &int, "external32", &none);
    cx.agree("MPI_File_set_view", set)?;
    cx.all("ask of external32", || check_extent(&int, 4).and_then(|()| check_extent(&double, 8)))?;
    cx.all("ask of external32 for MPI_LONG", || check_extent(&long, 4))?;
    cx.close(file)
}
