//! Hints: a library may use or ignore them; they cause no error and do not change data.

use storage::mpi_file::{At, Flag, Info, MpiFile, Opener, Participation};

use super::{check_rejected, mpi_cases};
use crate::access::{self, HintPairs, Routine};
use crate::case::ConformanceCase;
use crate::context::CaseContext;
use crate::mpi_files::CREATE_READ_WRITE;
use crate::problem::{CaseProblem, CaseResult, ProblemContext, check_equal};
use crate::test_data;

const SECTION: &str = "MPI 4.1 section 14.2.8";

/// Hints that must not change data.
struct HintSet {
    name: &'static str,
    hints: HintPairs,
    /// A library may reject independent calls on a file that was opened with them.
    collective_only: bool,
}

const fn set(name: &'static str, hints: HintPairs) -> HintSet {
    HintSet { name, hints, collective_only: false }
}

const SETS: &[HintSet] = &[
    set(
        "buffering_on",
        &[("collective_buffering", "true"), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")],
    ),
    set(
        "buffering_off",
        &[("collective_buffering", "false"), ("romio_cb_write", "disable"), ("romio_cb_read", "disable")],
    ),
    set("one_aggregator", &[("cb_nodes", "1"), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")]),
    set(
        "tiny_buffers",
        &[("cb_buffer_size", "100"), ("ind_wr_buffer_size", "52"), ("ind_rd_buffer_size", "52")],
    ),
    set("sieving_off", &[("romio_ds_write", "disable"), ("romio_ds_read", "disable")]),
    set("sieving_on", &[("romio_ds_write", "enable"), ("romio_ds_read", "enable")]),
    HintSet {
        name: "deferred_open",
        hints: &[("romio_no_indep_rw", "true"), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")],
        collective_only: true,
    },
    set(
        "striping",
        &[("striping_factor", "2"), ("striping_unit", "65536"), ("access_style", "read_once,random")],
    ),
];

pub(super) fn cases() -> Vec<ConformanceCase> {
    let mut cases = mpi_cases(&[
        ("hints.unknown", SECTION, "unknown keys are ignored, at opening and afterwards", unknown),
        ("hints.reserved", SECTION, "all keys that the standard reserves are taken or ignored", reserved),
        (
            "hints.deferred_exclusive",
            SECTION,
            "MPI_MODE_EXCL rejects a file that is there also where hints let few ranks open it",
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
    for routine in ["write_at_all", "write", "iwrite_all"] {
        let is_collective = Routine::named(routine).collective;
        for HintSet { name, hints, .. } in SETS.iter().filter(|set| is_collective || !set.collective_only) {
            let promise = format!("{routine} and its twin move the same with hints: {name}");
            cases.push(access::case_with(format!("hints.{name}.{routine}"), promise, routine, hints, false));
        }
    }
    cases
}

fn unknown(cx: &mut CaseContext<'_>) -> CaseResult {
    let comm = cx.mpi()?;
    let info = cx.hints([("assay_nobody", "knows")])?;
    let file = cx.open_as(Opener::All(comm), &cx.path("file"), &CREATE_READ_WRITE, &info)?;
    cx.agree("MPI_File_set_info", file.set_info(&info))?;
    cx.close(file)
}

/// The reserved keys, with valid values.
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

fn reserved(cx: &mut CaseContext<'_>) -> CaseResult {
    let comm = cx.mpi()?;
    for (number, hint) in RESERVED.iter().enumerate() {
        let info = cx.hints([*hint])?;
        let path = cx.path(&format!("file.{number}"));
        let file = cx.open_as(Opener::All(comm), &path, &CREATE_READ_WRITE, &info)?;
        cx.agree("MPI_File_set_info", file.set_info(&info))?;
        cx.close(file)?;
    }
    Ok(())
}

/// Bytes that each rank writes with hints that came from the library.
const LENGTH: usize = 3000;

/// Hints by which ROMIO opens the file on one rank, and on the others only when they need it.
const DEFERRED: &[(&str, &str)] =
    &[("romio_no_indep_rw", "true"), ("cb_nodes", "1"), ("cb_config_list", "*:1")];

fn deferred_exclusive(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, comm) = (cx.path("file"), cx.mpi()?);
    let info = cx.hints(DEFERRED.iter().copied())?;
    let how = [Flag::Create, Flag::Exclusive, Flag::ReadWrite];
    for turn in 0..2 {
        let file = cx.open_as(Opener::All(comm), &path, &how, &info)?;
        cx.close(file)?;
        let again = MpiFile::open(Opener::All(comm), &path, &how, &info).and_then(MpiFile::close);
        cx.agree("open again", check_rejected("MPI_File_open of a file that is there", again, &[]))?;
        cx.on_rank_0("delete", || {
            check_equal("whether the file is there", &true, &path.exists())?;
            if turn == 0 { MpiFile::delete(comm, &path, &info).context("MPI_File_delete") } else { Ok(()) }
        })?;
    }
    Ok(())
}

/// Keys and values of a hints file. A line that begins with `#` is a comment; the first value of a key
/// counts.
fn parse_hints_file(words: &str) -> Vec<(String, String)> {
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

fn environment(cx: &mut CaseContext<'_>) -> CaseResult {
    let hints = cx.agree("read the file of hints", {
        let none = || CaseProblem::Skipped("ROMIO_HINTS names no file".to_owned());
        let words = cx.hints_file.ok_or_else(none);
        words
            .and_then(|path| std::fs::read_to_string(path).context(path.display()))
            .map(|words| parse_hints_file(&words))
    })?;
    let file = cx.open(&cx.path("file"), &CREATE_READ_WRITE)?;
    let given = cx.agree("MPI_File_get_info", file.info().and_then(|info| info.pairs()))?;
    cx.all("compare", || {
        if !given.iter().any(|(key, _)| key.starts_with("romio_")) {
            return Err(CaseProblem::Unsupported("the library has no hints of ROMIO".to_owned()));
        }
        hints.iter().try_for_each(|(key, value)| {
            let found = given.iter().find(|(known, _)| known == key).map(|(_, value)| value);
            check_equal(&format!("hint {key}"), &Some(value), &found)
        })
    })?;
    cx.close(file)
}

fn round_trip(cx: &mut CaseContext<'_>) -> CaseResult {
    let (path, comm) = (cx.path("file"), cx.mpi()?);
    let info = cx.hints([("cb_nodes", "1"), ("cb_buffer_size", "131072")])?;
    let file = cx.open_as(Opener::All(comm), &path, &CREATE_READ_WRITE, &info)?;
    let given = cx.agree("MPI_File_get_info", file.info())?;
    // The library decides which hints it gives back, and with which values.
    let pairs = cx.agree("read hints", given.pairs())?;
    cx.agree("MPI_File_set_info", file.set_info(&given))?;
    cx.close(file)?;
    let pairs = pairs.iter().map(|(key, value)| (key.as_str(), value.as_str()));
    let again = cx.agree("make hints of what was read", Info::new(comm, pairs))?;
    let file = cx.open_as(Opener::All(comm), &path, &CREATE_READ_WRITE, &again)?;
    let rank = cx.rank();
    let (at, data) = (At::Offset(LENGTH as i64 * i64::from(rank)), test_data::bytes(rank, 1, LENGTH));
    cx.all("write", || {
        file.write(at, Participation::Collective, &data, file.bytes(LENGTH)).context("write_at_all")
    })?;
    cx.close(file)?;
    cx.check_file("the file", &path, &test_data::of_ranks(cx.size(), 1, LENGTH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_hints_file_the_first_value_of_a_key_counts_and_comments_are_ignored() {
        let hints =
            parse_hints_file("# cb_nodes 3\ncb_nodes 1\n\n  cb_nodes 2\nlonely\nromio_cb_read enable more\n");
        let pair = |key: &str, value: &str| (key.to_owned(), value.to_owned());
        assert_eq!(hints, [pair("cb_nodes", "1"), pair("romio_cb_read", "enable")]);
    }
}
