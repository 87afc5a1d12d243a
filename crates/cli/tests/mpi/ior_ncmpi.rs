//! `ior -a NCMPI` under real launchers. An independent reader of the format reads the data, which must equal
//! the data that the same command line writes with POSIX.

use std::path::Path;
use std::process::Command;

use crate::common::cdf5::{Cdf5, Variable};
use crate::common::{self, Mpi, OPEN_MPI_AS_ROOT, Ran, run};

const LINE: &str = "-b 48k -t 16k -s 3 -k -G 1234";

fn ior(dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    Mpi::Open.ior(dir, ranks, words)
}

/// The variable in a file from `ranks` ranks with [`LINE`]. Asserts that it has the form of IOR.
fn variable(cdf: &Cdf5, ranks: u64) -> &Variable {
    let dimensions = [("segments_times_np", 0), ("number_of_transfers", 3), ("transfer_size", 16384)];
    assert_eq!(cdf.dimensions, dimensions.map(|(name, length)| (name.to_owned(), length)));
    assert_eq!((cdf.records, cdf.variables.len()), (3 * ranks, 1));
    assert!(cdf.attributes.is_empty());
    let only = &cdf.variables[0];
    let wanted = "byte data_var(segments_times_np, number_of_transfers, transfer_size)";
    assert_eq!(cdf.declared(only), wanted);
    only
}

#[test]
fn the_variable_has_the_data_of_posix() {
    for ranks in [1, 2, 4] {
        let dir = tempfile::tempdir().unwrap();
        let Some(posix) = ior(dir.path(), ranks, &format!("-a POSIX -w {LINE} -o p")) else { return };
        posix.ok();
        let wanted = std::fs::read(dir.path().join("p")).unwrap();
        let line = LINE.replace("-G", "-l stamped -G");
        for (mode, line) in
            [("", LINE), ("-c", LINE), ("-e", LINE), ("-Y", LINE), ("-c -Y", LINE), ("-c", &line)]
        {
            let text = ior(dir.path(), ranks, &format!("-a NCMPI {mode} -w -W -R {line} -o n")).unwrap().ok();
            assert_eq!(text.matches(" compared, all as written").count(), 2, "{mode}: {text}");
            assert!(
                !text.contains("Stat() of aggregate file size"),
                "the header is not reported as missing data: {text}"
            );
            let cdf = Cdf5::read(&dir.path().join("n"));
            let found = cdf.bytes_of(variable(&cdf, ranks.into()));
            if line == LINE {
                assert!(found == wanted, "{mode} on {ranks} ranks");
            }
            std::fs::remove_file(dir.path().join("n")).unwrap();
        }
    }
}

#[test]
fn ncmpidump_reads_the_written_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let Some(ran) = ior(dir.path(), 2, "-a NCMPI -c -w -b 32 -t 16 -s 2 -k -G 1234 -o n") else { return };
    ran.ok();
    let mut command = Command::new("ncmpidump");
    command.current_dir(dir.path()).args(["-v", "data_var", "./n"]);
    command.envs(OPEN_MPI_AS_ROOT);
    if Command::new("ncmpidump").output().is_err() {
        #[allow(clippy::print_stdout)]
        {
            println!("SKIPPED: ncmpidump is not installed; `cargo xtask setup` installs it");
        }
        return;
    }
    let text = run(&mut command).ok();
    assert!(text.contains("segments_times_np = UNLIMITED ; // (4 currently)"), "{text}");
    let data = text.split_once("data_var =").expect("the data").1;
    let bytes: Vec<u8> = data
        .split([',', ';', '}'])
        .filter_map(|number| number.trim().parse::<i8>().ok())
        .map(i8::cast_unsigned)
        .collect();
    ior(dir.path(), 2, "-a POSIX -w -b 32 -t 16 -s 2 -k -G 1234 -o p").unwrap().ok();
    assert_eq!(bytes, std::fs::read(dir.path().join("p")).unwrap());
}

#[test]
fn ranks_read_the_data_of_other_ranks() {
    let dir = tempfile::tempdir().unwrap();
    // With one rank on each node, a shift by a node is a shift by a rank. The original shifts wrongly here.
    let words = format!("-a NCMPI -w -R -C -O numTasksOnNode0=1,numNodes=4 {LINE} -o n");
    let Some(ran) = ior(dir.path(), 4, &words) else { return };
    let text = ran.ok();
    assert!(text.contains("ordering inter file : constant task offset"), "{text}");
    assert!(text.contains("all as written") && !text.contains("-C has no effect"), "{text}");
}

#[test]
fn wrong_and_missing_data_is_reported_with_its_offset() {
    let dir = tempfile::tempdir().unwrap();
    let Some(ran) = ior(dir.path(), 2, &format!("-a NCMPI -w {LINE} -o n")) else { return };
    ran.ok();
    let file = dir.path().join("n");
    let cdf = Cdf5::read(&file);
    let begin = variable(&cdf, 2).begin as usize;
    // Segment 1, rank 1, transfer 2.
    let offset = 2 * 49152 + 49152 + 2 * 16384 + 808;
    let mut data = cdf.data.clone();
    data[begin + offset] ^= 4;
    std::fs::write(&file, &data).unwrap();
    for mode in ["", "-c"] {
        let ran = ior(dir.path(), 2, &format!("-a NCMPI {mode} -R {LINE} -o n --record r{mode}")).unwrap();
        assert_eq!(ran.status, Some(4), "{ran:?}");
        let records = std::fs::read_to_string(dir.path().join(format!("r{mode}"))).unwrap();
        let found = format!("\"bad\":[{{\"rank\":1,\"path\":\"n\",\"offset\":{offset},\"length\":8");
        assert!(records.contains(&found) && records.contains("\"kind\":\"flipped\""), "{records}");
    }
    // The last transfer is truncated.
    std::fs::write(&file, &cdf.data[..cdf.data.len() - 100]).unwrap();
    for mode in ["", "-c"] {
        let ran = ior(dir.path(), 2, &format!("-a NCMPI {mode} -R {LINE} -o n --record t{mode}")).unwrap();
        assert_eq!(ran.status, Some(4), "{ran:?}");
        let records = std::fs::read_to_string(dir.path().join(format!("t{mode}"))).unwrap();
        assert!(
            records.contains("\"kind\":\"truncated\"") && records.contains("\"bad_transfers\":1"),
            "{records}"
        );
    }
}

#[test]
fn hints_reach_the_file_and_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("h"), "IOR_HINT__MPI__nc_var_align_size=4096\n").unwrap();
    let words = format!(
        "-a NCMPI -w {LINE} -o n --ncmpi.hintsFileName=h --ncmpi.showHints --ncmpi.preallocate \
         --ncmpi.useFileView --ncmpi.useStridedDatatype"
    );
    let Some(ran) = ior(dir.path(), 2, &words) else { return };
    let text = ran.ok();
    let passed = "\nhints passed to MPI_File_open() {\n\tnc_var_align_size = 4096\n}\n\n\
                  hints returned from opened file {\n";
    assert!(text.contains(passed), "{text}");
    let cdf = Cdf5::read(&dir.path().join("n"));
    assert_eq!(variable(&cdf, 2).begin, 4096, "the hint is in effect");
}

#[test]
fn a_file_of_another_kind_is_rejected_in_one_line_and_not_changed() {
    let dir = tempfile::tempdir().unwrap();
    let Some(ran) = ior(dir.path(), 2, &format!("-a NCMPI -w {LINE} -o n")) else { return };
    ran.ok();
    let before = std::fs::read(dir.path().join("n")).unwrap();
    std::fs::write(dir.path().join("text"), "no file of arrays\n".repeat(9999)).unwrap();
    for (words, why) in [
        ("-r -b 48k -t 8k -s 3 -o n", "it was written with -b 49152 -t 16384. Give the same"),
        ("-w -E -b 96k -t 16k -o n", "it was written with -b 49152 -t 16384. Give the same"),
        ("-r -b 48k -t 16k -s 3 -o text", "text: "),
        ("-r -b 48k -t 16k -s 4 -o n", "end of file"),
    ] {
        for mode in ["", "-c"] {
            let ran = ior(dir.path(), 2, &format!("-a NCMPI {mode} -k {words}")).unwrap();
            let lines = ran.complaints();
            assert_eq!((ran.status, lines.len()), (Some(4), 1), "{words}: {ran:?}");
            assert!(lines[0].contains(why), "{words}: {lines:?}");
        }
    }
    assert!(std::fs::read(dir.path().join("n")).unwrap() == before);
}

#[test]
fn options_that_the_library_does_not_support_are_rejected_before_a_file_is_created() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("n"), "mine").unwrap();
    for (words, why) in [
        ("-F", "-F: file-per-proc not available in current NCMPI"),
        ("-z", "-z: random offset not available with NCMPI"),
    ] {
        let Some(ran) = ior(dir.path(), 2, &format!("-a NCMPI -w {LINE} -o n {words}")) else { return };
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{ran:?}");
        assert!(ran.complaints()[0].contains(why), "{ran:?}");
    }
    for ranks in [1, 2] {
        let Some(ran) = Mpi::Mpich.ior(dir.path(), ranks, &format!("-a NCMPI -w {LINE} -o n")) else { break };
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{ran:?}");
        let line = ran.complaints()[0];
        assert!(
            line.contains("is built on libmpi.so.40") && line.contains("ASSAY_PNETCDF_LIBRARY"),
            "{line}"
        );
    }
    assert_eq!(std::fs::read(dir.path().join("n")).unwrap(), b"mine");
}

#[test]
fn a_collective_deadline_ends_all_ranks_at_one_transfer() {
    let dir = tempfile::tempdir().unwrap();
    // More data than any machine writes in a second.
    let words = "-a NCMPI -c -w -D 1 -b 1g -t 64k -s 64 -o n --record r";
    let Some(ran) = ior(dir.path(), 3, words) else { return };
    ran.ok();
    let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
    let number = |key: &str| -> u64 {
        let rest = records.split_once(&format!("\"{key}\":")).expect(key).1;
        rest.split([',', '}']).next().unwrap().parse().unwrap()
    };
    assert!(number("transfers_min") > 0, "{records}");
    assert_eq!(number("transfers_min"), number("transfers_max"), "{records}");
    assert_eq!(number("ran_dry"), 0, "{records}");
}

/// ROMIO has names of drivers; OMPIO has none.
#[test]
fn the_name_of_a_driver_before_the_path_is_passed_to_the_library_only() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().canonicalize().unwrap().join("n");
    let words = format!("ior -a NCMPI -w -r -R {LINE} -o ufs:{}", file.display());
    let Some(mut command) = Mpi::Open.command(dir.path(), 2, &words) else { return };
    let out = common::run(command.env("OMPI_MCA_io", "romio321")).ok();
    assert!(out.contains("all as written"), "{out}");
    variable(&Cdf5::read(&file), 2);
}
