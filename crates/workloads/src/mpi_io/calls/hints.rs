//! Hints: taken or ignored, never an error, and never other data.

use storage::mpi_file::{At, Elements, Flag, Info, MpiFile, Way, Whose};

use super::{byte, of_rows, refused};
use crate::mpi_io::access::{self, Hints};
use crate::mpi_io::case::Case;
use crate::mpi_io::files::MADE;
use crate::mpi_io::look;
use crate::mpi_io::scene::Scene;
use crate::mpi_io::stop::{Told, Trouble, Verdict, same};

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
            "hints.deferred_exclusive",
            SECTION,
            "MPI_MODE_EXCL refuses a file that is there also where hints let few ranks open it",
            deferred_exclusive,
        ),
        (
            "hints.environment",
            SECTION,
            "hints of the file that ROMIO_HINTS names are in effect where the program gives none",
            environment,
        ),
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

/// Hints by which ROMIO has one rank open, and the others when they need it.
const DEFERRED: &[(&str, &str)] =
    &[("romio_no_indep_rw", "true"), ("cb_nodes", "1"), ("cb_config_list", "*:1")];

fn deferred_exclusive(scene: &mut Scene<'_>) -> Verdict {
    let (path, comm) = (scene.path("file"), scene.mpi()?);
    let info = scene.agree("make hints", Info::new(comm, DEFERRED.iter().copied()))?;
    let how = [Flag::Create, Flag::Exclusive, Flag::ReadWrite];
    for turn in 0..2 {
        let file = scene.open_as(Whose::All(comm), &path, &how, &info)?;
        scene.close(file)?;
        let again = MpiFile::open(Whose::All(comm), &path, &how, &info).and_then(MpiFile::close);
        scene.agree("open again", refused("MPI_File_open of a file that is there", again, &[]))?;
        scene.on_rank_0("delete", || {
            same("whether the file is there", &true, &path.exists())?;
            if turn == 0 { MpiFile::delete(comm, &path, &info).told("MPI_File_delete") } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Keys and values of a file of hints; a line that begins with `#` is a remark, and of two the first holds.
fn in_file(words: &str) -> Vec<(String, String)> {
    let mut hints: Vec<(String, String)> = Vec::new();
    for line in words.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let mut two = line.split_whitespace();
        if let (Some(key), Some(value)) = (two.next(), two.next())
            && hints.iter().all(|(known, _)| known != key)
        {
            hints.push((key.to_owned(), value.to_owned()));
        }
    }
    hints
}

fn environment(scene: &mut Scene<'_>) -> Verdict {
    let hints = scene.agree("read the file of hints", {
        let none = || Trouble::Skipped("ROMIO_HINTS names no file".to_owned());
        let words = scene.hints_file.ok_or_else(none);
        words.and_then(|path| std::fs::read_to_string(path).told(path.display())).map(|words| in_file(&words))
    })?;
    let file = scene.open(&scene.path("file"), &MADE)?;
    let given = scene.agree("MPI_File_get_info", file.info().and_then(|info| info.pairs()))?;
    scene.all("compare", || {
        if !given.iter().any(|(key, _)| key.starts_with("romio_")) {
            return Err(Trouble::Unsupported("the library has no hints of ROMIO".to_owned()));
        }
        hints.iter().try_for_each(|(key, value)| {
            let found = given.iter().find(|(known, _)| known == key).map(|(_, value)| value);
            same(&format!("hint {key}"), &Some(value), &found)
        })
    })?;
    scene.close(file)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_of_hints_the_first_of_two_holds_and_remarks_do_not() {
        let hints = in_file("# cb_nodes 3\ncb_nodes 1\n\n  cb_nodes 2\nlonely\nromio_cb_read enable more\n");
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(hints, [pair("cb_nodes", "1"), pair("romio_cb_read", "enable")]);
    }
}
