//! Hints: taken or ignored, never an error, and never other data.

use storage::mpi_file::{At, Elements, Info, Way, Whose};

use super::{byte, of_rows};
use crate::mpi_io::access::{self, Hints};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Verdict};

const SECTION: &str = "MPI 4.1 section 14.2.8";

/// Sets of hints under which data has to be the same.
const SETS: &[(&str, Hints)] = &[
    (
        "buffering_on",
        &[("collective_buffering", "true"), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")],
    ),
    (
        "buffering_off",
        &[("collective_buffering", "false"), ("romio_cb_write", "disable"), ("romio_cb_read", "disable")],
    ),
    ("one_aggregator", &[("cb_nodes", "1"), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")]),
    (
        "tiny_buffers",
        &[("cb_buffer_size", "100"), ("ind_wr_buffer_size", "52"), ("ind_rd_buffer_size", "52")],
    ),
    ("sieving_off", &[("romio_ds_write", "disable"), ("romio_ds_read", "disable")]),
    ("sieving_on", &[("romio_ds_write", "enable"), ("romio_ds_read", "enable")]),
    (
        "deferred_open",
        &[("romio_no_indep_rw", "true"), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")],
    ),
    (
        "striping",
        &[("striping_factor", "2"), ("striping_unit", "65536"), ("access_style", "read_once,random")],
    ),
];

pub(super) fn cases() -> Vec<Case> {
    let mut cases = of_rows(&[
        ("hints.unknown", SECTION, "keys that nobody knows are ignored, at opening and afterwards", unknown),
        ("hints.reserved", SECTION, "all keys that the standard reserves are taken or ignored", reserved),
        (
            "hints.round_trip",
            SECTION,
            "hints that a file gives back can be given to it again, and its data is the same",
            round_trip,
        ),
    ]);
    for cell in ["write_at_all", "write", "iwrite_all"] {
        for (name, hints) in SETS {
            // Without independent calls they may be refused.
            if *name == "deferred_open" && cell == "write" {
                continue;
            }
            let promise = format!("{cell} and its twin move the same with hints: {name}");
            cases.push(access::with(format!("hints.{name}.{cell}"), promise, cell, hints, false));
        }
    }
    cases
}

fn unknown(scene: &mut Scene<'_>) -> Verdict {
    let comm = scene.mpi()?;
    let info = scene.agree("make hints", Info::new(comm, [("assay_nobody", "knows")]))?;
    let file = scene.open_as(Whose::All(comm), &scene.path("file"), &MADE, &info)?;
    scene.agree("MPI_File_set_info", file.set_info(&info))?;
    scene.close(file)
}

/// Reserved keys, with values of the kind that the standard gives them.
const RESERVED: &[(&str, &str)] = &[
    ("access_style", "write_mostly,sequential"),
    ("collective_buffering", "true"),
    ("cb_block_size", "4096"),
    ("cb_buffer_size", "1048576"),
    ("cb_nodes", "1"),
    ("chunked", "8,8"),
    ("chunked_item", "4"),
    ("chunked_size", "4,4"),
    ("filename", "file"),
    ("file_perm", "0644"),
    ("io_node_list", "localhost"),
    ("nb_proc", "1"),
    ("num_io_nodes", "1"),
    ("striping_factor", "1"),
    ("striping_unit", "65536"),
];

fn reserved(scene: &mut Scene<'_>) -> Verdict {
    let comm = scene.mpi()?;
    for (number, hint) in RESERVED.iter().enumerate() {
        let info = scene.agree("make hints", Info::new(comm, [*hint]))?;
        let path = scene.path(&format!("file.{number}"));
        let file = scene.open_as(Whose::All(comm), &path, &MADE, &info)?;
        scene.agree("MPI_File_set_info", file.set_info(&info))?;
        scene.close(file)?;
    }
    Ok(())
}

/// Bytes that each rank writes with hints that were given back.
const LENGTH: usize = 3000;

fn round_trip(scene: &mut Scene<'_>) -> Verdict {
    let (path, comm) = (scene.path("file"), scene.mpi()?);
    let info =
        scene.agree("make hints", Info::new(comm, [("cb_nodes", "1"), ("cb_buffer_size", "131072")]))?;
    let file = scene.open_as(Whose::All(comm), &path, &MADE, &info)?;
    let given = scene.agree("MPI_File_get_info", file.info())?;
    // Which of them it gives back, and with which values, is the system's choice.
    let pairs = scene.agree("read hints", given.pairs())?;
    scene.agree("MPI_File_set_info", file.set_info(&given))?;
    scene.close(file)?;
    let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let again = scene.agree("make hints of what was read", Info::new(comm, pairs))?;
    let file = scene.open_as(Whose::All(comm), &path, &MADE, &again)?;
    let (rank, byte) = (scene.rank(), byte(scene)?);
    let (at, data) = (At::Offset(LENGTH as i64 * i64::from(rank)), look::data(rank, 1, LENGTH));
    scene.all("write", || {
        let elements = Elements::new(&byte, LENGTH as i32);
        file.write(at, Way::Collective, &data, elements).map(drop).told("write_at_all")
    })?;
    scene.close(file)?;
    let wanted: Vec<u8> = (0..scene.size()).flat_map(|rank| look::data(rank, 1, LENGTH)).collect();
    scene.on_rank_0("look", || look::is_whole("the file", &path, &wanted)).map(drop)
}
