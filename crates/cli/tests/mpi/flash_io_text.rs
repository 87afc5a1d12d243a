//! The text of flash-io, which equals that of the original, and one line for each wrong use.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::searches::{ClassicLines, assert_found, assert_safe};
use crate::common::{self, Mpi, OPEN_MPI_AS_ROOT, Ran, assay, program, run};

/// The report of the original on two ranks, with N for times and rates.
const REPORT: &str = " -------------------------------------------------------
  Using PnetCDF nonblocking APIs
  Using MPI collective I/O
 -------------------------------------------------------
 number of guards      :             4
 number of guards      :             4
 number of blocks      :             8
 number of variables   :            24
 checkpoint time       : ssssssssssssN  sec
        max header     : ssssssssssssN  sec
        max unknown    : ssssssssssssN  sec
        max close      : ssssssssssssN  sec
        I/O amount     :             1.60  MiB
 plot no corner        : ssssssssssssN  sec
        max header     : ssssssssssssN  sec
        max unknown    : ssssssssssssN  sec
        max close      : ssssssssssssN  sec
        I/O amount     :             0.14  MiB
 plot    corner        : ssssssssssssN  sec
        max header     : ssssssssssssN  sec
        max unknown    : ssssssssssssN  sec
        max close      : ssssssssssssN  sec
        I/O amount     :             0.19  MiB
 -------------------------------------------------------
 File base name        : ./f_
 Total I/O amount      :             1.93  MiB
 -------------------------------------------------------
 nproc    array size      exec (sec)   bandwidth (MiB/s)
    2     8 x   8 x   8   sssN  ssssssN


 MPI File Info: nkeys =
";

/// A field of this width, with its number masked.
fn masked(field: &str, width: usize) -> String {
    assert_eq!(field.len(), width, "`{field}`");
    field.trim_start().parse::<f64>().unwrap_or_else(|_| panic!("`{field}` is not a number"));
    format!("{}N", "s".repeat(width - 4))
}

/// The text up to the hints with masked times and rates, and the lines of the hints.
fn parts(text: &str) -> (String, Vec<String>) {
    let mut report = String::new();
    let mut lines = text.lines();
    for line in &mut lines {
        let at = line.find(": ").map(|at| at + 2);
        if let (Some(at), true) = (at, line.ends_with("  sec")) {
            let number = masked(&line[at..line.len() - 5], 16);
            report.push_str(&format!("{}{number}  sec\n", &line[..at]));
        } else if let Some(rest) = line.strip_prefix("    2     8 x   8 x   8   ") {
            let (seconds, rate) = (masked(&rest[..7], 7), masked(&rest[9..], 10));
            report.push_str(&format!("    2     8 x   8 x   8   {seconds}  {rate}\n"));
        } else if let Some(count) = line.strip_prefix(" MPI File Info: nkeys =") {
            assert_eq!(count.len(), 12, "`{count}`");
            report.push_str(" MPI File Info: nkeys =\n");
            break;
        } else {
            report.push_str(&format!("{line}\n"));
        }
    }
    (report, lines.map(str::to_owned).collect())
}

fn flash(dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    Some(run(&mut Mpi::Open.command(dir, ranks, &format!("flash-io {words}"))?))
}

#[test]
fn the_report_equals_that_of_the_original() {
    let dir = tempfile::tempdir().unwrap();
    let Some(ran) = flash(dir.path(), 2, "-f ./f_ --blocks 10") else { return };
    let (report, hints) = parts(&ran.ok());
    assert_eq!(report, REPORT);
    let (last, hints) = hints.split_last().expect("hints");
    assert_eq!(last, " ", "a blank line at the end");
    assert!(hints.contains(&"MPI File Info: [ 0] key =         romio_no_indep_rw, value =true".to_owned()));
    for (number, hint) in hints.iter().enumerate() {
        assert!(hint.starts_with(&format!("MPI File Info: [{number:2}] key = ")), "{hint}");
        assert_eq!(hint.find(", value =").map(|at| at - hint.find("= ").unwrap()), Some(27), "{hint}");
    }
}

#[test]
fn other_modes_are_reported_and_quiet_prints_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-f ./f_ --blocks 4 --size 1 --guards 2 --repetitions 2 -blocking -indep";
    let Some(ran) = flash(dir.path(), 2, words) else { return };
    let text = ran.ok();
    for line in [
        "  Using PnetCDF blocking APIs",
        "  Using MPI independent I/O",
        " number of guards      :             2",
    ] {
        assert_eq!(
            text.lines().filter(|found| *found == line).count(),
            if line.ends_with('2') { 4 } else { 2 },
            "{line}"
        );
    }
    assert!(text.contains("key =         romio_no_indep_rw, value =false"), "{text}");
    assert!(text.starts_with("assay: repetition 1 of 2\n") && text.contains("\nassay: repetition 2 of 2\n"));
    let quiet = flash(dir.path(), 2, &format!("{words} -q")).unwrap();
    assert_eq!((quiet.status, quiet.out.as_str(), quiet.err.as_str()), (Some(0), "", ""));
    let latency = flash(dir.path(), 1, "-f ./f_ --blocks 4 --size 1 --latency").unwrap().ok();
    assert!(latency.contains("assay: plt-corner: 10 calls: p50 "), "{latency}");
}

/// Searches in the report by shell scripts and in the way of benchmark frameworks.
const SEARCHES: &[&str] = &[
    r"grep -i checkpoint | tail -n 1 | awk '{print $(NF-1)}'",
    r"grep plot | tail -n 1 | awk '{print $(NF-1)}'",
    r"grep -oP 'corner\s+:\s+\K[0-9.]+' | tail -n 1",
    r"grep -iE 'header|unknown|close' | tail -n 1",
    r"grep -i amount | tail -n 1 | awk '{print $(NF-1)}'",
    r"grep -oP 'I/O amount\s+:\s+\K[0-9.]+' | tail -n 1",
    r"grep -i mib | tail -n 1",
    r"grep -iA 1 bandwidth | tail -n 1",
    r"awk '/bandwidth/ {getline; last = $NF} END {print last}'",
    r"grep ' sec$' | tail -n 1",
    r"grep -iE 'blocking|collective' | tail -n 1",
    r"grep -i 'file base name' | awk '{print $NF}'",
];

#[test]
fn every_search_in_flash_io_finds_the_classic_values() {
    let known = ClassicLines::in_text(
        REPORT,
        &["  Using PnetCDF blocking APIs", "2 2 x 2 x 2 0.06 0.38", "MPI File Info: [ 0] key = x"],
    );
    let rows = ["checkpoint", "plot", "header", "unknown", "close", "amount", "bandwidth", "exec", "mib"];
    for words in ["--latency --verify", "--latency --repetitions 2 -b", "--verify-only"] {
        let dir = tempfile::tempdir().unwrap();
        let small = "-f ./f_ --blocks 4 --size 2";
        let Some(first) = flash(dir.path(), 2, small) else { return };
        first.ok();
        let ran = flash(dir.path(), 2, &format!("{small} {words}")).unwrap();
        assert_eq!(ran.status, Some(0), "{words}: {ran:#?}");
        let matched = assert_found(&known, SEARCHES, &ran);
        assert!(matched.len() == SEARCHES.len() || words == "--verify-only", "{words}: {matched:#?}");
        assert_safe(&ran, &rows);
    }
}

#[test]
fn the_old_name_starts_the_same_program() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("flash_benchmark_io");
    symlink(program(), &link).unwrap();
    let help = run(Command::new(&link).arg("-help")).ok();
    let usage =
        " Usage: flash_benchmark_io [-hqbi] -f <ouput file prefix name>\n        -h: print this message\n";
    assert!(help.starts_with(usage) && help.contains("--verify-only"), "{help}");
    let help = run(&mut assay(dir.path(), "flash-io -h")).ok();
    assert!(help.starts_with(" Usage: flash-io [-hqbi] -f <ouput file prefix name>\n"), "{help}");
    let links = run(&mut assay(dir.path(), "links .")).out;
    assert!(
        links.contains("flash_benchmark_io already exists") || links.contains("flash_benchmark_io -> "),
        "{links}"
    );
}

/// The only line that the program wrote to standard error.
fn complaint(ran: &Ran) -> String {
    let lines: Vec<_> = ran.err.lines().filter(|line| line.contains("flash-io: ")).collect();
    assert_eq!((lines.len(), ran.status, ran.out.as_str()), (1, Some(2), ""), "{ran:?}");
    lines[0].to_owned()
}

#[test]
fn wrong_usage_gives_one_line_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    for (words, why) in [
        ("flash-io", "-f: no prefix for the names of the files. Use one such as -f /scratch/you/flash_"),
        ("flash-io -f", "-f takes the prefix of the file names from the next argument"),
        ("-n 4 flash-io -f f_", "needs MPI. Start the ranks with mpirun instead of -n."),
        ("flash-io -f f_ -n 4", "Start the MPI ranks with mpirun -n RANKS."),
        ("flash-io -f f_ --size x", "--size x: not a whole number of 0 or more"),
    ] {
        let line = complaint(&run(&mut assay(dir.path(), words)));
        assert!(line.contains(why), "{words}: {line}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no file was created");
    let Some(ran) = flash(dir.path(), 3, "-f f_ --blocks 5") else { return };
    assert!(complaint(&ran).contains("--blocks 5: some of 3 ranks need 6, which is more. Use at least 6"));
    for (words, why) in [
        ("-f nowhere/f_", "create: rank 0 (node "),
        ("-f f_ --size 2000", "2 ranks of this node need 309050582630400 bytes each"),
    ] {
        let ran = flash(dir.path(), 2, words).unwrap();
        let lines: Vec<_> = ran.err.lines().filter(|line| line.contains("flash-io: ")).collect();
        assert_eq!((lines.len(), ran.status, ran.out.as_str()), (1, Some(4), ""), "{ran:?}");
        assert!(lines[0].contains(why), "{ran:?}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "no file was created");
}

#[test]
fn a_bare_prefix_is_accepted_as_in_versions_before_2020() {
    let dir = tempfile::tempdir().unwrap();
    let Some(ran) = flash(dir.path(), 1, "g_ --blocks 2 --size 1") else { return };
    assert!(ran.err.contains("assay: note: taken as -f g_, as in versions before 2020"), "{ran:?}");
    assert!(ran.ok().contains(" File base name        : g_\n"));
    assert!(dir.path().join("g_ncmpi_chk_0000.nc").exists());
}

#[test]
fn a_library_on_another_mpi_is_rejected_on_all_ranks_before_a_file_is_created() {
    let dir = tempfile::tempdir().unwrap();
    let kept = dir.path().join("f_ncmpi_chk_0000.nc");
    std::fs::write(&kept, "mine").unwrap();
    let Some(mut command) = Mpi::Mpich.command(dir.path(), 2, "flash-io -f f_") else { return };
    let line = complaint(&run(&mut command));
    assert!(line.contains("PnetCDF") && line.contains("set ASSAY_PNETCDF_LIBRARY to"), "{line}");
    assert_eq!(std::fs::read(&kept).unwrap(), b"mine");
    let Some(mut command) = Mpi::Open.command(dir.path(), 2, "flash-io -f f_") else { return };
    let line = complaint(&run(command.env("ASSAY_PNETCDF_LIBRARY", "/nowhere/libpnetcdf.so")));
    assert!(line.contains("no PnetCDF library was found"), "{line}");
}

/// One rank without a launcher has no given MPI, so it uses the MPI of the library.
#[test]
fn one_rank_without_a_launcher_uses_the_mpi_of_the_library() {
    let dir = tempfile::tempdir().unwrap();
    if Mpi::Open.command(dir.path(), 1, "").is_none() {
        return;
    }
    for (words, file) in [
        ("flash-io -q -f ./f_ --size 2 --blocks 2", "f_ncmpi_chk_0000.nc"),
        ("flash-io --hdf5 -q -f ./f_ --size 2 --blocks 2", "f_hdf5_chk_0000"),
        ("ior -a NCMPI -w -k -o ./n -b 64k -t 16k", "n"),
    ] {
        let mut command = common::assay(dir.path(), words);
        command.env_remove("ASSAY_MPI_LIBRARY");
        command.envs(OPEN_MPI_AS_ROOT);
        run(&mut command).ok();
        assert!(dir.path().join(file).exists(), "{words}");
    }
}

#[test]
fn a_reader_that_has_closed_the_pipe_is_not_an_error() {
    let dir = tempfile::tempdir().unwrap();
    if Mpi::Open.command(dir.path(), 1, "").is_none() {
        return;
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = assay(dir.path(), "flash-io -f ./f_ --size 2 --blocks 2");
    command.env_remove("ASSAY_MPI_LIBRARY").envs(OPEN_MPI_AS_ROOT).stdin(Stdio::null());
    let ran = command.stdout(writer).stderr(Stdio::piped()).output().unwrap();
    assert_eq!((ran.status.code(), String::from_utf8_lossy(&ran.stderr).as_ref()), (Some(0), ""));
}
