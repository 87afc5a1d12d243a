//! The files that a run of `ior` makes beside its data: names that clash, and disks that are full.

mod common;

use std::fs;
use std::path::Path;

use common::campaign::names;
use common::{Mpi, Ran, ior};

/// Asserts that a run was refused in one line that names the two options, and made no file.
fn refused(dir: &Path, ran: &Ran, one: &str, other: &str) {
    assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{ran:#?}");
    assert_eq!(ran.err.lines().count(), 1, "{ran:#?}");
    assert!(ran.err.starts_with(&format!("ior: {one} and {other} name the same file, ")), "{}", ran.err);
    assert!(names(dir).is_empty(), "{:?}", names(dir));
}

#[test]
fn results_that_would_go_into_the_data_or_into_each_other_are_refused() {
    for (words, one, other) in [
        ("-o s.txt -O summaryFile=s.txt", "-o", "-O summaryFile"),
        ("-o zz --record ./zz", "-o", "--record"),
        ("-k --live x -o x", "-o", "--live"),
        ("-F -o x --record x.00000001", "-o", "--record"),
        ("-F -m -i 2 -o x --record x.00000001.1", "-o", "--record"),
        ("-u -F -o x --record 1/x.00000001", "-o", "--record"),
        ("-k -D 9 -O stoneWallingWearOut=1,stoneWallingStatusFile=x -o x", "-o", "-O stoneWallingStatusFile"),
        ("-o x -O summaryFile=r,saveRankPerformanceDetailsCSV=r", "-O summaryFile", "-O saveRankPerformance"),
        ("-o x -O summaryFile=r --record r", "--record", "-O summaryFile"),
        ("-o x --live r --record r", "--record", "--live"),
        ("-o x -O savePerOpDataCSV=p --record p-0-00001.csv", "--record", "-O savePerOpDataCSV"),
        ("-w -r -o x -O savePerOpDataCSV=p,summaryFile=p-0-00001.read.csv", "-O summaryFile", "-O savePerOp"),
        ("-o p-0-00000.csv -O savePerOpDataCSV=p", "-o", "-O savePerOpDataCSV"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let ran = ior(dir.path(), 2, &format!("-w -b 64k -t 16k {words}"));
        let one_line = ran.err.lines().count() == 1 && ran.err.contains(" name the same file, ");
        assert!(one_line && ran.err.contains(one) && ran.err.contains(other), "{words}: {ran:#?}");
        assert_eq!((ran.status, names(dir.path()).len()), (Some(2), 0), "{words}: {ran:#?}");
    }
}

#[test]
fn a_file_is_the_same_under_another_name_and_for_ranks_of_a_launcher() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().canonicalize().unwrap();
    fs::create_dir(place.join("d")).unwrap();
    fs::write(place.join("f"), "kept").unwrap();
    std::os::unix::fs::symlink("f", place.join("soft")).unwrap();
    fs::hard_link(place.join("f"), place.join("hard")).unwrap();
    let whole = place.join("f").display().to_string();
    for name in ["./f", "d/../f", "soft", "hard", &whole] {
        let ran = ior(&place, 2, &format!("-w -b 64k -t 16k -o f -O summaryFile={name}"));
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{name}: {ran:#?}");
    }
    fs::write(place.join("s"), "IOR START\nblockSize=64k\ntransferSize=16k\ntestFile=f\nRUN\nIOR STOP\n")
        .unwrap();
    let script = ior(&place, 2, "-w -f s -O summaryFile=s");
    assert!(script.err.starts_with("ior: -f and -O summaryFile name the same file, s; "), "{script:#?}");
    if let Some(ran) = Mpi::Mpich.ior(&place, 2, "-w -b 64k -t 16k -o f -O summaryFile=f") {
        assert_eq!(ran.complaints().len(), 1, "{ran:#?}");
        assert!(ran.status != Some(0), "{ran:#?}");
    }
    assert_eq!(fs::read_to_string(place.join("f")).unwrap(), "kept");
    assert!(fs::read_to_string(place.join("s")).unwrap().starts_with("IOR START"));
}

#[test]
fn names_that_only_look_alike_are_taken() {
    for words in [
        "-F -o x --record x",
        "-F -o x --record x.00000002",
        "-F -o x --record x.1",
        "-o x -O savePerOpDataCSV=p --record p-0-1.csv",
        "-a DUMMY -o x --record x",
        "-o x -O summaryFile=/dev/null,saveRankPerformanceDetailsCSV=/dev/null",
    ] {
        let dir = tempfile::tempdir().unwrap();
        ior(dir.path(), 2, &format!("-w -b 64k -t 16k {words}")).ok();
    }
}

#[test]
fn a_dry_run_refuses_clashing_names_too() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-w -b 64k -t 16k -o zz --record zz --dryRun");
    refused(dir.path(), &ran, "-o", "--record");
}
