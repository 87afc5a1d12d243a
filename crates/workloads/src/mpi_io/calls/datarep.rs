//! Data representations.

use storage::mpi_file::{
    At, Class, Conversion, Datatype, Elements, Info, Named, Start, Way, datarep_calls, register_datarep,
};

use super::{int, of_rows, refused};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Stop, Told, Trouble, Verdict, same, same_bytes};

const SECTION: &str = "MPI 4.1 section 14.5";
const USERS: &str = "MPI 4.1 section 14.5.3";

pub(super) fn cases() -> Vec<Case> {
    of_rows(&[
        ("datarep.native", SECTION, "native data lies in the file as in memory", native),
        ("datarep.internal", SECTION, "internal data comes back as it was written", internal),
        ("datarep.unknown", SECTION, "an unknown representation is refused as such", unknown),
        ("datarep.duplicate", USERS, "a representation can be registered once, and not twice", duplicate),
        (
            "datarep.registered",
            USERS,
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

/// Small positive numbers, as a C `double` has them in memory.
fn doubles(rank: u32) -> Vec<u8> {
    let number = |at: usize| (rank as usize % 5 * 20 + at + 1) as u8;
    (0..COUNT).flat_map(|at| f64::from(number(at)).to_ne_bytes()).collect()
}

/// What a rank writes by a representation: elements of an etype, each so wide in the file.
pub(super) struct Numbers<'t> {
    pub(super) etype: &'t Datatype,
    pub(super) data: &'t [u8],
    pub(super) count: usize,
    pub(super) bytes: usize,
}

/// Writes each rank's numbers by this representation, and reads them back.
pub(super) fn written(scene: &Scene<'_>, datarep: &str, numbers: &Numbers<'_>) -> Result<(), Stop> {
    let Numbers { etype, data, count, bytes } = *numbers;
    let none = Info::none(scene.mpi()?);
    let file = scene.open(&scene.path("file"), &MADE)?;
    let start = Start::Byte((count * bytes) as i64 * i64::from(scene.rank()));
    scene.agree("MPI_File_set_view", file.set_view(start, etype, etype, datarep, &none))?;
    scene.all("write", || {
        let elements = Elements::new(etype, count as i32);
        file.write(At::Offset(0), Way::Collective, data, elements).map(drop).told("write_at_all")
    })?;
    let mut back = vec![0; data.len()];
    scene.agree("sync", file.sync())?;
    scene.all("read", || {
        let elements = Elements::new(etype, count as i32);
        file.read(At::Offset(0), Way::Collective, &mut back, elements).told("read_at_all")?;
        same_bytes("read back", "the buffer".as_ref(), 0, data, &back)
    })?;
    scene.close(file)
}

/// The same for doubles, which are so wide in the file.
fn written_doubles(scene: &Scene<'_>, datarep: &str, bytes: usize) -> Result<(), Stop> {
    let (etype, data) = (Datatype::named(scene.mpi()?, Named::Double), doubles(scene.rank()));
    written(scene, datarep, &Numbers { etype: &etype, data: &data, count: COUNT, bytes })
}

fn native(scene: &mut Scene<'_>) -> Verdict {
    written_doubles(scene, "native", 8)?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(doubles).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &scene.path("file"), &wanted)).map(drop)
}

fn internal(scene: &mut Scene<'_>) -> Verdict {
    // Room for whatever the library makes of it.
    written_doubles(scene, "internal", 16)
}

fn unknown(scene: &mut Scene<'_>) -> Verdict {
    let file = scene.open(&scene.path("file"), &MADE)?;
    let (int, none) = (int(scene)?, Info::none(scene.mpi()?));
    let set = file.set_view(Start::Byte(0), &int, &int, "assay-no-such", &none);
    scene.agree("set_view", refused("MPI_File_set_view", set, &[Class::UnsupportedDatarep]))?;
    scene.close(file)
}

fn duplicate(scene: &mut Scene<'_>) -> Verdict {
    let comm = scene.mpi()?;
    let register = |name: &str| register_datarep(comm, name, Conversion::None);
    scene.agree("register", register("assay-twice"))?;
    scene.agree(
        "register again",
        refused("MPI_Register_datarep", register("assay-twice"), &[Class::DupDatarep]),
    )?;
    scene.agree(
        "register native",
        refused("MPI_Register_datarep of native", register("native"), &[Class::DupDatarep]),
    )
}

fn registered(scene: &mut Scene<'_>) -> Verdict {
    let comm = scene.mpi()?;
    let made = register_datarep(comm, "assay-copies", Conversion::Copies);
    let made = made.map_err(|error| match error.class {
        // How libraries say that they call no conversions.
        Class::Conversion => Trouble::Unsupported(error.words),
        _ => Trouble::from(error),
    });
    scene.agree("register", made)?;
    let before = datarep_calls();
    written_doubles(scene, "assay-copies", 8)?;
    let after = datarep_calls();
    scene.all("count calls", || {
        same("whether the conversion for writing was called", &true, &(after.writes > before.writes))?;
        same("whether the conversion for reading was called", &true, &(after.reads > before.reads))
    })?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(doubles).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &scene.path("file"), &wanted)).map(drop)
}

fn extent(scene: &mut Scene<'_>) -> Verdict {
    let comm = scene.mpi()?;
    let file = scene.open(&scene.path("file"), &MADE)?;
    let (int, none) = (int(scene)?, Info::none(comm));
    let [double, long] = [Named::Double, Named::Long].map(|kind| Datatype::named(comm, kind));
    let look = |kind: &Datatype, wanted: i64| {
        same("bytes", &wanted, &file.type_extent(kind).told("MPI_File_get_type_extent")?)
    };
    scene.all("ask of native", || look(&int, 4).and_then(|()| look(&double, 8)))?;
    let set = file.set_view(Start::Byte(0), &int, &int, "external32", &none);
    scene.agree("MPI_File_set_view", set)?;
    scene.all("ask of external32", || look(&int, 4).and_then(|()| look(&double, 8)))?;
    scene.all("ask of external32 for MPI_LONG", || look(&long, 4))?;
    scene.close(file)
}
