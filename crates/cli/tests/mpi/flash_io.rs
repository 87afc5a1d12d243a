//! The files of flash-io under a real launcher, read by independent readers.

use std::path::Path;
use std::process::Command;

use crate::common::cdf5::{Cdf5, Value};
use crate::common::{Mpi, OPEN_MPI_AS_ROOT, Ran, by_set, only_in_all, run};

const MODES: [&str; 4] = ["", "-b", "-i", "-i -b"];
const SUFFIXES: [&str; 3] = ["chk", "plt_cnt", "plt_crn"];
const HYDRO: [&str; 11] =
    ["dens", "velx", "vely", "velz", "pres", "ener", "temp", "gamc", "game", "enuc", "gpot"];

/// Runs `flash-io -f ./f_ WORDS` on this number of ranks; `None` without Open MPI.
fn flash(dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    Some(run(&mut Mpi::Open.command(dir, ranks, &format!("flash-io -f ./f_ {words}"))?))
}

fn path(dir: &Path, suffix: &str) -> std::path::PathBuf {
    dir.join(format!("f_ncmpi_{suffix}_0000.nc"))
}

/// The number of blocks of all ranks. Each rank has `least`, `least + 1` or `least + 2`.
fn blocks(ranks: u32, least: u64) -> u64 {
    (0..ranks).map(|rank| least + u64::from(rank % 3)).sum()
}

/// The published name, type and value of each array of a file.
fn arrays(suffix: &str) -> Vec<(String, &'static str, f64)> {
    let real = if suffix == "chk" { "double" } else { "float" };
    let mut all: Vec<(String, &str, f64)> = [
        ("lrefine(dim_tot_blocks)", "int", 1.0),
        ("nodetype(dim_tot_blocks)", "int", 1.0),
        ("gid(dim_tot_blocks, dim_NGID)", "int", -1.0),
        ("coordinates(dim_tot_blocks, dim_NDIM)", real, 0.25),
        ("blocksize(dim_tot_blocks, dim_NDIM)", real, 0.5),
        ("bndbox(dim_tot_blocks, dim_NDIM, dim_2)", real, 0.0),
    ]
    .map(|(name, kind, value)| (name.to_owned(), kind, value))
    .to_vec();
    let zones = |name: &str| format!("{name}(dim_tot_blocks, dim_nzb, dim_nyb, dim_nxb)");
    if suffix == "chk" {
        let fluids = (1..=13).map(|fluid| format!("{:_<4}", format!("f{fluid}")));
        let names = HYDRO.map(str::to_owned).into_iter().chain(fluids);
        all.extend(names.zip(1..).map(|(name, value)| (zones(&name), real, f64::from(value))));
    } else {
        let plotted = [("dens", 1.0), ("temp", 7.0), ("pres", 5.0), ("f1__", 12.0)];
        all.extend(plotted.map(|(name, value)| (zones(name), real, value)));
    }
    all
}

/// Compares a file with its published form.
fn check(dir: &Path, suffix: &str, zones: u64, blocks: u64) {
    let cdf = Cdf5::read(&path(dir, suffix));
    let side = zones + u64::from(suffix == "plt_crn");
    let lengths = [blocks, side, side, side, 15, 3, 2];
    let names = ["dim_tot_blocks", "dim_nxb", "dim_nyb", "dim_nzb", "dim_NGID", "dim_NDIM", "dim_2"]
        .map(str::to_owned);
    assert_eq!(cdf.dimensions, names.into_iter().zip(lengths).collect::<Vec<_>>());
    let int = |name: &str, value: u64| (name.to_owned(), Value::Int(value as i32));
    let text = |name: &str, value: &str| (name.to_owned(), Value::Text(value.to_owned()));
    let attributes = [
        text("file_creation_time", "now"),
        text("flash_version", "FLASH I/O benchmark using Pnetcdf"),
        int("total_blocks", blocks),
        int("nsteps", 0),
        int("nxb", side),
        int("nyb", side),
        int("nzb", side),
        ("time".to_owned(), Value::Double(0.0)),
    ];
    assert_eq!(cdf.attributes, attributes);
    assert_eq!(cdf.header, if suffix == "chk" { 2968 } else { 1288 }, "bytes of the header");
    assert_eq!(cdf.records, 0);
    // Older libraries begin the data at the next multiple of 512.
    let mut end = cdf.variables[0].begin;
    assert!([cdf.header as u64, cdf.header.next_multiple_of(512) as u64].contains(&end), "{end}");
    for (variable, (name, kind, value)) in cdf.variables.iter().zip(arrays(suffix)) {
        assert_eq!(cdf.declared(variable), format!("{kind} {name}"));
        assert_eq!(variable.begin, end, "{name} follows without a gap");
        end += variable.bytes;
        let values = cdf.values(variable);
        assert!(values.iter().all(|found| *found == value), "{name} of {suffix}");
        let count: u64 = variable.dimensions.iter().map(|at| cdf.dimensions[*at].1).product();
        assert_eq!(values.len() as u64, count);
    }
    assert_eq!(cdf.variables.len(), arrays(suffix).len());
    assert_eq!(cdf.data.len() as u64, end, "no data after the last variable");
    let block = if suffix == "chk" { 164 + 192 * side.pow(3) } else { 116 + 16 * side.pow(3) };
    assert_eq!(end - cdf.variables[0].begin, blocks * block, "the published amount of data");
}

#[test]
fn the_three_files_have_their_published_form_in_all_write_modes() {
    for &ranks in by_set(&[2][..], &[1, 2, 4]) {
        let mut first: Option<Vec<Vec<u8>>> = None;
        for mode in MODES {
            let dir = tempfile::tempdir().unwrap();
            let Some(ran) = flash(dir.path(), ranks, &format!("--size 3 --blocks 10 --verify {mode}")) else {
                return;
            };
            let text = ran.ok();
            assert_eq!(text.matches(": every value is right").count(), 3, "{text}");
            let all = SUFFIXES.map(|suffix| std::fs::read(path(dir.path(), suffix)).unwrap()).to_vec();
            match &first {
                None => {
                    SUFFIXES.into_iter().for_each(|suffix| check(dir.path(), suffix, 3, blocks(ranks, 8)));
                    first = Some(all);
                }
                Some(first) => assert!(*first == all, "{mode} on {ranks} ranks"),
            }
        }
    }
}

/// `ncmpidump WORDS` of a file; `None`, with the reason printed, if it is not installed.
fn dump(dir: &Path, words: &str, suffix: &str) -> Option<String> {
    let mut command = Command::new("ncmpidump");
    command.current_dir(dir).args(words.split(' ')).arg(format!("./f_ncmpi_{suffix}_0000.nc"));
    command.envs(OPEN_MPI_AS_ROOT);
    if Command::new("ncmpidump").arg("-h").output().is_err() {
        #[allow(clippy::print_stdout)]
        {
            println!("SKIPPED: ncmpidump is not installed; `cargo xtask setup` installs it");
        }
        return None;
    }
    Some(run(&mut command).ok())
}

#[test]
fn the_default_run_writes_the_published_header_and_data_that_ncmpidump_reads() {
    let dir = tempfile::tempdir().unwrap();
    let Some(ran) = flash(dir.path(), 2, "") else { return };
    ran.ok();
    SUFFIXES.into_iter().for_each(|suffix| check(dir.path(), suffix, 8, 161));
    for suffix in SUFFIXES {
        let Some(header) = dump(dir.path(), "-h", suffix) else { return };
        let side = if suffix == "plt_crn" { 9 } else { 8 };
        let variables: String =
            arrays(suffix).iter().map(|(name, kind, _)| format!("\t{kind} {name} ;\n")).collect();
        let wanted = format!(
            "netcdf f_ncmpi_{suffix}_0000 {{\n// file format: CDF-5 (big variables)\ndimensions:\n\
             \tdim_tot_blocks = 161 ;\n\tdim_nxb = {side} ;\n\tdim_nyb = {side} ;\n\tdim_nzb = {side} ;\n\
             \tdim_NGID = 15 ;\n\tdim_NDIM = 3 ;\n\tdim_2 = 2 ;\nvariables:\n{variables}\n\
             // global attributes:\n\t\t:file_creation_time = \"now\" ;\n\
             \t\t:flash_version = \"FLASH I/O benchmark using Pnetcdf\" ;\n\t\t:total_blocks = 161 ;\n\
             \t\t:nsteps = 0 ;\n\t\t:nxb = {side} ;\n\t\t:nyb = {side} ;\n\t\t:nzb = {side} ;\n\
             \t\t:time = 0. ;\n}}\n"
        );
        assert_eq!(header, wanted);
    }
    let Some(data) = dump(dir.path(), "-v pres", "plt_crn") else { return };
    let data = data.split_once("pres =").expect("the data").1;
    let numbers: Vec<&str> = data.split([',', ';', '}']).map(str::trim).filter(|n| !n.is_empty()).collect();
    assert_eq!(numbers.len(), 161 * 9 * 9 * 9);
    assert!(numbers.iter().all(|number| *number == "5"));
}

#[test]
fn sixty_four_ranks_write_the_calculated_amount() {
    if !only_in_all("64 ranks start on few processors") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let words = "--size 2 --guards 1 --blocks 20 --record r.jsonl";
    let Some(ran) = flash(dir.path(), 64, words) else { return };
    let text = ran.ok();
    let all = blocks(64, 16);
    assert_eq!(all, 1087);
    let amounts = [(164 + 192 * 8) * all + 2968, (116 + 16 * 8) * all + 1288, (116 + 16 * 27) * all + 1288];
    let printed: Vec<&str> = text.lines().filter(|line| line.contains("I/O amount")).collect();
    let total: u64 = amounts.iter().sum();
    for (line, amount) in printed.iter().zip(amounts.into_iter().chain([total])) {
        assert!(line.ends_with(&format!("{:16.2}  MiB", amount as f64 / 1_048_576.0)), "{line}: {amount}");
    }
    assert_eq!(printed.len(), 4);
    assert!(text.contains("\n   64     2 x   2 x   2   "), "{text}");
    SUFFIXES.into_iter().for_each(|suffix| check(dir.path(), suffix, 2, all));
    let records = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
    for (phase, bytes, ops) in [("checkpoint", amounts[0] - 2968, 30), ("plot_corner", amounts[2] - 1288, 10)]
    {
        let line =
            records.lines().find(|line| line.contains(&format!("\"phase\":\"{phase}\""))).expect(phase);
        let has = |what: String| assert!(line.contains(&what), "{what}: {line}");
        has(format!("\"bytes\":{bytes},\"ops\":{}", 64 * ops));
        has(format!("\"expected_bytes\":{bytes}"));
        has("\"backend\":\"pnetcdf\"".to_owned());
    }
}

#[test]
fn a_flipped_byte_is_reported_with_its_variable_block_and_zone() {
    let dir = tempfile::tempdir().unwrap();
    let words = "--size 4 --blocks 6";
    let Some(ran) = flash(dir.path(), 2, words) else { return };
    ran.ok();
    let again = flash(dir.path(), 2, &format!("{words} --verify-only")).unwrap().ok();
    assert!(
        !again.contains("checkpoint time") && again.matches("every value is right").count() == 3,
        "{again}"
    );
    let file = path(dir.path(), "chk");
    let cdf = Cdf5::read(&file);
    // The first rank has four blocks, the second five. The byte is in zone (1,2,3) of the first block of rank
    // 1.
    let place = cdf.variable("pres").begin as usize + ((4 * 64) + 16 + 2 * 4 + 3) * 8;
    let mut data = cdf.data.clone();
    data[place] ^= 0x80;
    std::fs::write(&file, data).unwrap();
    for mode in ["", "-i"] {
        let ran = flash(dir.path(), 2, &format!("{words} --verify-only {mode} -q --record r{mode}")).unwrap();
        assert_eq!(ran.status, Some(4), "{ran:?}");
        let wanted = format!(
            "assay:   rank 1: ./f_ncmpi_chk_0000.nc: variable pres, block 4 zone (1,2,3): expected 5, \
             found -5 (flipped; 8 bytes from byte {place} of the file)"
        );
        assert!(ran.out.lines().any(|line| line == wanted), "{wanted}: {ran:?}");
        assert!(
            ran.err.contains("flash-io: wrong data: 1 reads returned values that were not written"),
            "{ran:?}"
        );
        let records = std::fs::read_to_string(dir.path().join(format!("r{mode}"))).unwrap();
        let found = format!(
            "\"bad_transfers\":1,\"bad\":[{{\"rank\":1,\"path\":\"./f_ncmpi_chk_0000.nc\",\"offset\":{place}"
        );
        assert!(records.contains(&found), "{records}");
    }
}

#[test]
fn a_truncated_or_different_file_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let words = "--size 2 --blocks 6";
    let Some(ran) = flash(dir.path(), 2, words) else { return };
    ran.ok();
    let other = flash(dir.path(), 2, "--size 3 --blocks 6 --verify-only").unwrap();
    assert_eq!(other.status, Some(4), "{other:?}");
    let why = "f_ncmpi_chk_0000.nc: its variable dens has lengths [9, 2, 2, 2], not [9, 3, 3, 3]";
    assert!(
        other.err.contains(why) && other.err.lines().filter(|line| line.contains("flash-io")).count() == 1
    );
    let file = path(dir.path(), "plt_cnt");
    let length = std::fs::metadata(&file).unwrap().len();
    std::fs::File::options().write(true).open(&file).unwrap().set_len(length - 40).unwrap();
    let cut = flash(dir.path(), 2, &format!("{words} --verify-only")).unwrap();
    assert_eq!(cut.status, Some(4), "{cut:?}");
    let place = format!("(truncated; 40 bytes from byte {} of the file)", length - 40);
    let why = "variable f1__, block 7 zone (1,1,0): expected 12, and the file ends before it";
    assert!(cut.out.contains(&format!("{why} {place}")), "{cut:?}");
    std::fs::remove_file(&file).unwrap();
    let gone = flash(dir.path(), 2, &format!("{words} --verify-only")).unwrap();
    assert!(gone.err.contains("./f_ncmpi_plt_cnt_0000.nc: No such file or directory"), "{gone:?}");
}
