//! The HDF5 files of flash-io under both MPIs of Debian's HDF5: `h5dump` reads every value.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::Place;
use crate::common::hdf5::able;
use crate::common::{Mpi, Ran, only_in_all, run};

const SUFFIXES: [&str; 3] = ["chk", "plt_cnt", "plt_crn"];
const UNKNOWNS: [&str; 24] = [
    "dens", "velx", "vely", "velz", "pres", "ener", "temp", "gamc", "game", "enuc", "gpot", "f1", "f2", "f3",
    "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12", "f13",
];

/// Runs `flash-io -f ./f_ --hdf5 WORDS` on this number of ranks; `None` without this MPI.
fn flash(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    Some(run(&mut mpi.command(dir, ranks, &format!("flash-io -f ./f_ --hdf5 {words}"))?))
}

fn file(suffix: &str) -> String {
    format!("f_hdf5_{suffix}_0000")
}

/// `h5dump WORDS` of a file.
fn dump(dir: &Path, words: &str, suffix: &str) -> String {
    run(Command::new("h5dump").current_dir(dir).args(words.split_whitespace()).arg(file(suffix))).ok()
}

/// The number of blocks of all ranks. Each rank has `least`, `least + 1` or `least + 2`.
fn blocks(ranks: u32, least: u64) -> u64 {
    (0..ranks).map(|rank| least + u64::from(rank % 3)).sum()
}

/// A dataset in the output of `h5dump`.
#[derive(Debug, PartialEq)]
struct Dumped {
    /// The type of its elements, in one line.
    kind: String,
    /// Lengths, such as `9, 3`.
    lengths: String,
    /// Its values, in one line.
    data: String,
}

/// All datasets of a file, with their values, by name.
fn dumped(dir: &Path, suffix: &str) -> BTreeMap<String, Dumped> {
    let text = dump(dir, "-y -w 0", suffix);
    let between = |text: &str, from: &str, to: &str| {
        let rest = text.split_once(from).unwrap_or_else(|| panic!("{from}: {text}")).1;
        let part = rest.split_once(to).unwrap_or_else(|| panic!("{to}: {rest}")).0;
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let one = |set: &str| {
        let name = set.split_once('"').unwrap().0.to_owned();
        let kind = between(set, "DATATYPE", "DATASPACE");
        let lengths = between(set, "SIMPLE { (", ") /");
        let data = between(set, "   DATA {", "\n      }\n");
        (name, Dumped { kind, lengths, data })
    };
    text.split("DATASET \"").skip(1).map(one).collect()
}

/// The type of a text of `bytes` bytes, in the form of `h5dump`.
fn text(bytes: usize) -> String {
    let rest = "STRPAD H5T_STR_NULLTERM; CSET H5T_CSET_ASCII; CTYPE H5T_C_S1; }";
    format!("H5T_STRING {{ STRSIZE {bytes}; {rest}")
}

/// The same number `count` times.
fn same(value: f64, count: u64) -> String {
    vec![value.to_string(); count as usize].join(", ")
}

/// The published content of each file: all datasets, by name.
fn published(suffix: &str, zones: u64, blocks: u64) -> BTreeMap<String, Dumped> {
    let real = if suffix == "chk" { "H5T_IEEE_F64LE" } else { "H5T_IEEE_F32LE" };
    let side = zones + u64::from(suffix == "plt_crn");
    let int = "H5T_STD_I32LE";
    let mut all = BTreeMap::new();
    let mut set = |name: &str, kind: &str, inner: &[u64], value: f64| {
        let lengths: Vec<String> = [blocks].iter().chain(inner).map(u64::to_string).collect();
        let data = same(value, blocks * inner.iter().product::<u64>());
        all.insert(name.to_owned(), Dumped { kind: kind.to_owned(), lengths: lengths.join(", "), data });
    };
    set("refine level", int, &[], 1.0);
    set("node type", int, &[], 1.0);
    set("gid", int, &[15], -1.0);
    set("coordinates", real, &[3], 0.25);
    set("block size", real, &[3], 0.5);
    set("bounding box", real, &[3, 2], 0.0);
    // Density, temperature, pressure and the first fluid are plotted.
    let numbers: Vec<usize> = if suffix == "chk" { (1..=24).collect() } else { vec![1, 7, 5, 12] };
    let labels: Vec<String> = numbers.iter().map(|number| format!("{:<4}", UNKNOWNS[number - 1])).collect();
    for (number, label) in numbers.iter().zip(&labels) {
        set(label, real, &[side; 3], *number as f64);
    }
    let mut small = |name: &str, kind: String, lengths: &str, data: String| {
        all.insert(name.to_owned(), Dumped { kind, lengths: lengths.to_owned(), data });
    };
    small("file creation time", text(40), "1", "\"now\"".to_owned());
    small("FLASH version", text(20), "1", "\"FLASH I/O benchmark\"".to_owned());
    let quoted: Vec<String> = labels.iter().map(|label| format!("\"{label}\"").replace("  ", " ")).collect();
    small("unknown names", text(4), &format!("{}, 1", labels.len()), quoted.join(", "));
    let members = format!(
        "{int} \"total blocks\"; {real} \"time\"; {real} \"timestep\"; {int} \"number of steps\"; \
         {int} \"nxb\"; {int} \"nyb\"; {int} \"nzb\";"
    );
    let values = format!("{{ {blocks}, 0, 0, 0, {side}, {side}, {side} }}");
    small("simulation parameters", format!("H5T_COMPOUND {{ {members} }}"), "1", values);
    all
}

/// Writes in all modes on `ranks` ranks. Checks that `h5dump` and flash-io read the published values.
fn check_published(mpi: Mpi, ranks: u32) {
    for mode in ["", "-i"] {
        let dir = tempfile::tempdir().unwrap();
        let words = format!("--size 3 --blocks 10 --verify {mode}");
        let Some(ran) = flash(mpi, dir.path(), ranks, &words) else { return };
        let out = ran.ok();
        assert_eq!(out.matches(": every value is right").count(), 3, "{out}");
        assert!(!out.contains("not collective"), "{out}");
        for suffix in SUFFIXES {
            let (found, wanted) = (dumped(dir.path(), suffix), published(suffix, 3, blocks(ranks, 8)));
            for (name, wanted) in &wanted {
                assert_eq!(found.get(name), Some(wanted), "{name} of {suffix}, {mpi:?}, {ranks} {mode}");
            }
            assert_eq!(found.len(), wanted.len(), "{:?}", found.keys());
        }
    }
}

#[test]
fn every_value_equals_the_published_one_under_open_mpi() {
    for mpi in able().filter(|mpi| *mpi == Mpi::Open) {
        [1, 2, 4].into_iter().for_each(|ranks| check_published(mpi, ranks));
    }
}

#[test]
fn every_value_equals_the_published_one_under_mpich() {
    if !only_in_all("the default set has it under Open MPI") {
        return;
    }
    for mpi in able().filter(|mpi| *mpi == Mpi::Mpich) {
        [1, 2, 4].into_iter().for_each(|ranks| check_published(mpi, ranks));
    }
}

/// The published bytes of a block are those of the arrays. The metadata of HDF5 and the small datasets are
/// extra.
#[test]
fn the_arrays_of_the_default_run_have_the_published_sizes() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let words = "--alignment 4096 --hint cb_nodes=1 --record r.jsonl";
        let Some(ran) = flash(mpi, dir.path(), 2, words) else { continue };
        let out = ran.ok();
        assert!(mpi == Mpi::Open || out.contains("cb_nodes, value =1\n"), "{out}");
        let records = fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
        for (suffix, block, phase) in [
            ("chk", 98_468, "checkpoint"),
            ("plt_cnt", 8308, "plot_centered"),
            ("plt_crn", 11_780, "plot_corner"),
        ] {
            let (header, all) = (dump(dir.path(), "-pH", suffix), 161 * block);
            let sizes = |small: bool| -> u64 {
                let sets = header.split("DATASET \"").skip(1);
                let sets = sets.filter(|set| set.contains("SIMPLE { ( 161") != small);
                sets.map(|set| number(set, "SIZE ")).sum()
            };
            assert_eq!(sizes(false), all, "{suffix}");
            let small = sizes(true);
            let record = if suffix == "chk" { 40 + 24 * 4 } else { 28 + 4 * 4 };
            assert_eq!(small, 40 + 20 + record, "{suffix}");
            let length = fs::metadata(dir.path().join(file(suffix))).unwrap().len();
            assert!(length > all + small && length < all + small + (1 << 18), "{suffix}: {length}");
            for set in header.split("DATASET \"").skip(1).filter(|set| number(set, "SIZE ") >= 4096) {
                assert!(number(set, "OFFSET ").is_multiple_of(4096), "{set}");
            }
            let line =
                records.lines().find(|line| line.contains(&format!("\"phase\":\"{phase}\""))).expect(phase);
            assert!(
                line.contains("\"backend\":\"hdf5\"") && line.contains(&format!("\"bytes\":{all},")),
                "{line}"
            );
        }
    }
}

#[test]
fn the_report_has_the_lines_of_2001_and_the_table_of_the_pnetcdf_form() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = flash(mpi, dir.path(), 2, "--size 2 --blocks 6 -i") else { continue };
        let out = ran.ok();
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines[0].starts_with(" HDF 5 v 1.10.8 test on ") && lines[0].len() > 24, "{out}");
        let run = [
            " processors = 2",
            " nxb, nyb, nzb = 2 2 2",
            " nguard = 4",
            " number of blocks = 4",
            " nvar = 24",
        ];
        assert_eq!(lines[1..6], run);
        for (at, suffix) in [6, 8, 10].into_iter().zip(SUFFIXES) {
            assert_eq!(lines[at], format!(" *** Wrote output to ./f_hdf5_{suffix}_0000 ( 9 blocks ) ***"));
            let seconds = lines[at + 1].strip_prefix(" time to output = ").expect("a time");
            assert!(seconds.parse::<f64>().is_ok_and(|seconds| seconds > 0.0), "{seconds}");
        }
        let ruler = format!(" {}", "-".repeat(55));
        assert_eq!(
            lines[12..16],
            [&ruler, "  Using HDF5 blocking APIs", "  Using MPI independent I/O", &ruler]
        );
        assert_eq!(out.matches(" number of guards ").count(), 1);
        let amounts =
            [164 + 192 * 8, 116 + 16 * 8, 116 + 16 * 27].map(|block| f64::from(9 * block) / 1_048_576.0);
        let amounts = amounts.into_iter().chain([amounts.iter().sum()]);
        let printed = lines.iter().filter(|line| line.contains("I/O amount"));
        let wrong = |(line, amount): (&&str, f64)| !line.ends_with(&format!("{amount:16.2}  MiB"));
        assert!(!printed.zip(amounts).any(wrong), "{out}");
        assert!(out.contains("\n    2     2 x   2 x   2   "), "{out}");
    }
}

#[test]
fn calls_that_the_library_made_independently_are_reported_with_the_numbers() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let words = "flash-io -f ./f_ --hdf5 --size 2 --blocks 6 --verify";
        let Some(mut command) = mpi.command(dir.path(), 2, words) else { continue };
        // A switch of HDF5 that makes it distrust the derived types of MPI.
        let out = run(command.env("HDF5_MPI_OPT_TYPES", "0")).ok();
        for (phase, calls) in [("chk", 60), ("plt-corner", 20), ("plt-centered-check", 20)] {
            let notice =
                format!("assay: {phase}: {calls} of {calls} transfers were not collective, although");
            assert!(out.contains(&notice), "{notice}: {out}");
        }
    }
}

/// The number after the last `name` in the text.
fn number(text: &str, name: &str) -> u64 {
    let rest = text.rsplit_once(&format!(" {name}")).unwrap_or_else(|| panic!("{name}: {text}")).1;
    rest.lines().next().unwrap().trim().parse().unwrap()
}

#[test]
fn a_flipped_byte_is_reported_with_its_variable_block_zone_and_offset() {
    for mpi in able() {
        let dir = tempfile::tempdir().unwrap();
        let words = "--size 4 --blocks 6";
        let Some(ran) = flash(mpi, dir.path(), 2, words) else { continue };
        ran.ok();
        let header = dump(dir.path(), "-pH -d pres", "chk");
        // The first rank has four blocks, the second five. The byte is in zone (1,2,3) of the first block of
        // rank 1.
        let place = number(&header, "OFFSET ") as usize + ((4 * 64) + 16 + 2 * 4 + 3) * 8;
        let path = dir.path().join(file("chk"));
        let mut data = fs::read(&path).unwrap();
        data[place + 7] ^= 0x80;
        fs::write(&path, data).unwrap();
        for mode in ["", "-i"] {
            let ran = flash(mpi, dir.path(), 2, &format!("{words} --verify-only {mode} -q")).unwrap();
            let wanted = format!(
                "assay:   rank 1: ./f_hdf5_chk_0000: variable pres, block 4 zone (1,2,3): expected 5, \
                 found -5 (flipped; 8 bytes from byte {place} of the file)"
            );
            assert_eq!(ran.status, Some(4), "{ran:?}");
            assert!(ran.out.lines().any(|line| line == wanted), "{wanted}: {ran:?}");
        }
    }
}

#[test]
fn a_plan_writes_and_reads_back_under_both_mpis() {
    for mpi in able() {
        let (launcher, more) = match mpi {
            Mpi::Open => ("mpirun.openmpi", "\"--oversubscribe\", \"--allow-run-as-root\", "),
            _ => ("mpirun.mpich", ""),
        };
        let place = Place::new();
        let argv = format!("\"{launcher}\", {more}\"-n\", \"{{ranks}}\", \"{{cmd}}\"");
        let test = |id: &str, more: &str, words: &str, metric: &str| {
            let criterion =
                format!("criterion = {{ metric = \"{metric}\", op = \"==\", value = \"0 errors\" }}");
            let line = format!("--hdf5 --alignment 4096 --hint cb_nodes=1 --size 2 --blocks 6 {words}");
            format!("[[test]]\nid = \"{id}\"\n{more}flash_io = \"{line}\"\nrepetitions = 1\n{criterion}\n")
        };
        let written = test("W", "", "--verify", "checkpoint_check.errors");
        let read = test("R", "uses = \"W\"\n", "--verify-only", "plot_corner_check.errors");
        place.plan(&format!("[launch]\nkind = \"mpirun\"\nargv = [{argv}]\n{written}{read}"));
        let ran = place.campaign();
        assert_eq!(ran.status, Some(0), "{mpi:?}: {ran:#?}");
        assert_eq!(place.outcomes(), ["W PASS", "R PASS"]);
    }
}
