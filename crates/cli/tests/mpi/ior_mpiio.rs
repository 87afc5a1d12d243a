//! The files of the MPI-IO backend in every mode, read back as plain bytes, under each library for MPI-IO, on
//! 1, 2 and 4 ranks.

use std::fs::{read, write};
use std::path::Path;
use std::process::Command;

use crate::common::{Mpi, Ran, ior, run};
use serde_json::Value;

/// A library for MPI-IO: its name, its MPI, and its name in Open MPI.
const LIBRARIES: [(&str, Mpi, Option<&str>); 3] = [
    ("ompio", Mpi::Open, None),
    ("ROMIO of Open MPI", Mpi::Open, Some("romio321")),
    ("ROMIO of MPICH", Mpi::Mpich, None),
];

/// Kinds of file views: a letter, and the lines of a script for it. Each kind includes those before it.
const VIEWS: [(&str, &str); 3] = [
    ("e", ""),
    ("v", "--mpiio.useFileView=1\n"),
    ("s", "--mpiio.useFileView=1\n--mpiio.useStridedDatatype=1\n"),
];

/// The data of all tests here: three segments of four transfers, with words that depend on rank and offset.
const DATA: &str = "-b 64k -t 16k -s 3 -k -G 7 -l r";

/// Every mode: with each view, independent or collective, single shared file or file per process. Gives the
/// name of the file and the lines of the script.
fn ways() -> Vec<(String, String)> {
    let mut ways = Vec::new();
    for (letter, lines) in VIEWS {
        for (collective, per_process) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let name = format!("{letter}{collective}{per_process}");
            ways.push((name.clone(), format!("{lines}collective={collective}\nfilePerProc={per_process}\n")));
        }
    }
    ways
}

/// Runs `ior WORDS` under a library; `None` without its MPI.
fn under(library: (&str, Mpi, Option<&str>), dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    let mut command = library.1.command(dir, ranks, &format!("ior {words}"))?;
    if let Some(name) = library.2 {
        command.env("OMPI_MCA_io", name);
    }
    Some(run(&mut command))
}

fn script(dir: &Path) {
    let mut text = "IOR START\napi=MPIIO\n".to_owned();
    for (name, lines) in ways() {
        text.push_str(&format!("{lines}testFile={name}\nRUN\n"));
    }
    write(dir.join("script"), text + "IOR STOP\n").unwrap();
}

/// The files of a mode: one, or one per rank.
fn files(name: &str, ranks: u32) -> Vec<String> {
    match name.ends_with('1') {
        false => vec![name.to_owned()],
        true => (0..ranks).map(|rank| format!("{name}.{rank:08}")).collect(),
    }
}

/// The phases of `r`.
fn phases(dir: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(dir.join("r")).unwrap();
    let records = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    records.filter(|record| record["record"] == "phase").collect()
}

#[test]
fn every_mode_writes_the_same_bytes_as_posix_and_reads_them_back() {
    for library in LIBRARIES {
        for ranks in [1, 2, 4] {
            let dir = tempfile::tempdir().unwrap();
            let (dir, context) = (dir.path(), format!("{}, {ranks} ranks", library.0));
            script(dir);
            let Some(ran) = under(library, dir, ranks, &format!("-f script -w -W -R {DATA} --record r"))
            else {
                continue;
            };
            let text = ran.ok();
            ior(dir, ranks, &format!("{DATA} -w -o posix0")).ok();
            ior(dir, ranks, &format!("{DATA} -w -F -o posix1")).ok();
            for (name, _) in ways() {
                let sound = files(&format!("posix{}", &name[2..]), ranks);
                for (ours, theirs) in files(&name, ranks).iter().zip(&sound) {
                    let (ours, theirs) = (read(dir.join(ours)).unwrap(), read(dir.join(theirs)).unwrap());
                    assert!(ours == theirs, "{context}: {name} differs from that of POSIX");
                }
            }
            assert_eq!(text.matches("all as written").count(), 2 * ways().len(), "{context}: {text}");
            for phase in phases(dir) {
                let (bytes, test) = (phase["bytes"].as_u64(), phase["test"].as_u64().unwrap());
                assert_eq!(bytes, Some(u64::from(ranks) * 3 * 65536), "{context}: {phase}");
                // A call that moves all segments is one transfer.
                let calls = u64::from(ranks) * if test < 8 { 12 } else { 4 };
                assert_eq!(phase["ops"].as_u64(), Some(calls), "{context}: {phase}");
            }
        }
    }
}

#[test]
fn every_mode_reports_a_flipped_byte_with_its_offset() {
    for library in LIBRARIES {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        script(dir);
        ior(dir, 2, &format!("{DATA} -w -o posix0")).ok();
        ior(dir, 2, &format!("{DATA} -w -F -o posix1")).ok();
        for (name, _) in ways() {
            for (number, ours) in files(&name, 2).iter().enumerate() {
                let sound = &files(&format!("posix{}", &name[2..]), 2)[number];
                let mut bytes = read(dir.join(sound)).unwrap();
                // In a shared file the byte is in a transfer of rank 1 in the last segment.
                let at = if name.ends_with('1') { 150_000 } else { 2 * 131_072 + 65536 + 20000 };
                bytes[at] ^= 4;
                write(dir.join(ours), bytes).unwrap();
            }
        }
        let Some(ran) = under(library, dir, 2, &format!("-f script -R {DATA}")) else { continue };
        assert_eq!(ran.status, Some(4), "{}: {ran:#?}", library.0);
        for (name, _) in ways() {
            let places: &[String] = match name.ends_with('1') {
                false => &[format!("rank 1: {name} at 347680: 8 bytes flipped")],
                true => {
                    &[0, 1].map(|rank| format!("rank {rank}: {name}.{rank:08} at 150000: 8 bytes flipped"))
                }
            };
            for place in places {
                assert!(ran.out.contains(place), "{}: no `{place}` in {}", library.0, ran.out);
            }
        }
    }
}

#[test]
fn a_collective_stonewall_stops_all_ranks_at_one_transfer() {
    for library in LIBRARIES {
        for (ranks, more) in [(1, ""), (2, "-O stoneWallingWearOut=1"), (4, "--mpiio.useFileView"), (2, "-Y")]
        {
            let dir = tempfile::tempdir().unwrap();
            let dir = dir.path();
            let collective = if more == "-Y" { "" } else { "-c" };
            let words =
                format!("-a MPIIO {collective} -D 1 -w -k -b 16m -t 16k -s 1000 {more} -o f --record r");
            let Some(ran) = under(library, dir, ranks, &words) else { continue };
            ran.ok();
            let write = &phases(dir)[0];
            let (wall, context) =
                (&write["stonewall"], format!("{}, {ranks} ranks {more}: {write}", library.0));
            let made = wall["transfers_max"].as_u64().unwrap();
            assert_eq!(wall["transfers_min"].as_u64(), Some(made), "{context}");
            assert!(made > 0 && made < 1024 * 1000, "{context}");
            assert_eq!(write["ops"].as_u64(), Some(made * u64::from(ranks)), "{context}");
            assert_eq!(wall["ran_dry"], 0, "{context}");
        }
    }
}

#[test]
fn all_ranks_repeat_a_short_pattern_until_the_deadline() {
    for library in [LIBRARIES[0], LIBRARIES[2]] {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let words = "-a MPIIO -c -w -k -b 64k -t 16k -O minTimeDuration=30 -D 1 -o f --record r";
        let Some(ran) = under(library, dir, 2, words) else { continue };
        ran.ok();
        let write = &phases(dir)[0];
        let made = write["stonewall"]["transfers_max"].as_u64().unwrap();
        assert!(made > 4, "more than one round of the pattern: {write}");
        assert_eq!(write["stonewall"]["transfers_min"].as_u64(), Some(made), "{write}");
        assert_eq!(dir.join("f").metadata().unwrap().len(), 2 * 65536, "all rounds write the same bytes");
    }
}

#[test]
fn the_command_line_of_cori_runs_as_written_and_shows_its_collective_buffering() {
    let hints = "IOR_HINT__MPI__romio_cb_write=enable\nIOR_HINT__MPI__romio_cb_read=enable\n\
                 IOR_HINT__MPI__cb_nodes=1\n";
    for library in LIBRARIES {
        for by_file in [true, false] {
            let dir = tempfile::tempdir().unwrap();
            let dir = dir.path();
            write(dir.join("hints"), hints).unwrap();
            let options = if by_file { "--mpiio.hintsFileName=hints" } else { "" };
            let words =
                format!("ior -a MPIIO -c -C -g -b 8m -t 8m -k -H -v -s 2 --mpiio.showHints {options} -o f");
            let Some(mut command) = library.1.command(dir, 2, &words) else { continue };
            command.env("OMPI_MCA_io", library.2.unwrap_or("ompio"));
            if !by_file {
                let lines = hints.lines().filter_map(|line| line.split_once('='));
                for (key, value) in lines {
                    command.env(key, value);
                }
            }
            let text = run(&mut command).ok();
            let (_, shown) =
                text.split_once("\nhints passed to MPI_File_open() {\n").expect("the passed hints");
            let (passed, rest) = shown.split_once("}\n").unwrap();
            let mut passed: Vec<&str> = passed.lines().collect();
            passed.sort_unstable();
            let asked = ["\tcb_nodes = 1", "\tromio_cb_read = enable", "\tromio_cb_write = enable"];
            assert_eq!(passed, asked, "{}: {text}", library.0);
            let (_, returned) =
                rest.split_once("\nhints returned from opened file {\n").expect("the returned hints");
            let returned = returned.split_once("}\n").unwrap().0;
            if library.0.starts_with("ROMIO") {
                let has = |hint: &str| returned.lines().any(|line| line.trim() == hint);
                assert!(has("romio_cb_write = enable") && has("cb_nodes = 1"), "{}: {text}", library.0);
            }
            assert_eq!(dir.join("f").metadata().unwrap().len(), 2 * 2 * (8 << 20));
        }
    }
}

#[test]
fn contradictory_options_are_rejected_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    for (words, why) in [
        ("-z -b 64k -t 16k --mpiio.useFileView", "a view has its own order"),
        ("-z -c -b 64k -t 16k", "ranks would not make the same calls"),
    ] {
        let words = format!("-a MPIIO -w -o f {words}");
        let Some(ran) = Mpi::Open.ior(dir.path(), 2, &words) else { continue };
        assert_eq!(ran.status, Some(2), "{ran:#?}");
        let complaints = ran.complaints();
        assert!(complaints.len() == 1 && complaints[0].contains(why), "{ran:#?}");
        assert!(!dir.path().join("f").exists(), "no file was created");
    }
}

/// The version of the standard that a library itself reports, asked without this program.
fn reported(mpi: Mpi) -> String {
    let library = if mpi == Mpi::Open { "libmpi.so.40" } else { "libmpich.so.12" };
    let ask = format!(
        "import ctypes\nlibrary = ctypes.CDLL('{library}', ctypes.RTLD_GLOBAL)\n\
         parts = [ctypes.c_int(), ctypes.c_int()]\n\
         assert library.MPI_Get_version(*map(ctypes.byref, parts)) == 0\n\
         print('.'.join(str(part.value) for part in parts))"
    );
    run(Command::new("python3").args(["-c", &ask])).ok().trim().to_owned()
}

#[test]
fn the_header_has_the_version_of_the_mpi_standard_that_the_library_reports() {
    for library in LIBRARIES {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = under(library, dir.path(), 1, "-a MPIIO -w -b 64k -t 64k -o f") else { continue };
        let text = ran.ok();
        let line = text.lines().find_map(|line| line.strip_prefix("apiVersion          : ")).unwrap();
        assert_eq!(line, format!("({})", reported(library.1)), "{}: {text}", library.0);
    }
}
