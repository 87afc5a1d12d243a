//! Failures of `mdtest`. Wrong usage gives one line and status 2. Failed operations end all ranks with one
//! line, or are counted. `mpi/mdtest_faults.rs` tests the ranks of a launcher.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::campaign::signal;
use crate::common::mdtest::{complaints, mdtest};
use crate::common::{self, Ran};

/// The only line of error of a run that failed with `status`.
fn complaint(ran: &Ran, status: i32) -> String {
    assert_eq!(ran.status, Some(status), "{ran:#?}");
    let complaints = complaints(ran);
    assert_eq!(complaints.len(), 1, "{ran:#?}");
    complaints[0].to_owned()
}

#[test]
fn direct_transfers_of_partial_sectors_fail_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-C -F -n 1 --posix.odirect -d d";
    let sound = mdtest(dir.path(), 1, &format!("{words} -i 1 -w 4k -r")).status == Some(0);
    let odd = mdtest(dir.path(), 1, &format!("{words} -w 3901"));
    if !sound || odd.status == Some(0) {
        println!("SKIPPED: O_DIRECT is rejected here, or accepts partial sectors");
        return;
    }
    let remedy =
        "write: Invalid argument. O_DIRECT moves whole sectors. Choose the sizes of files as multiples of 4k";
    assert!(complaint(&odd, 4).contains(remedy), "{odd:#?}");
    let words = "-n 1 md-workbench -1 -P 1 -D 1 -I 1 -S 3901 --posix.odirect -o w";
    let ran = common::run(&mut common::assay(dir.path(), words));
    assert!(
        ran.err.contains("O_DIRECT moves whole sectors. Choose the sizes of files as multiples of 4k"),
        "{ran:#?}"
    );
}

#[test]
fn two_paths_to_one_directory_are_no_failure() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("a")).unwrap();
    std::os::unix::fs::symlink("a", dir.path().join("b")).unwrap();
    for dirs in ["a@b", "a@a", "b@a"] {
        let ran = mdtest(dir.path(), 2, &format!("-n 3 -u -i 2 -d {dirs}"));
        assert_eq!(ran.status, Some(0), "{dirs}: {ran:#?}");
        assert_eq!(std::fs::read_dir(dir.path().join("a")).unwrap().count(), 0, "{dirs}");
    }
}

#[test]
fn a_status_file_may_lie_in_the_new_test_directory() {
    let dir = tempfile::tempdir().unwrap();
    let ran = mdtest(dir.path(), 1, "-C -F -n 2 -W 9 -x D/sw -d D --savePerOpDataCSV=D/log");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert_eq!(std::fs::read_to_string(dir.path().join("D/sw")).unwrap(), "2");
}

#[test]
fn wrong_usage_is_one_line_with_a_remedy_and_status_2_and_creates_no_file() {
    let dir = tempfile::tempdir().unwrap();
    for (words, expected) in [
        ("-n", "mdtest: -n takes a value: create this many items per rank in the whole tree"),
        ("-n five", "`five` is not a whole number"),
        ("-n 1.5k", "`1.5k`"),
        ("-n -5", "-5 is negative"),
        ("-n 99999999999999999999", "`99999999999999999999` is too large"),
        ("-n 8q", "unknown size suffix `q`"),
        ("-n 2 stray", "`stray` is not an option. Options begin with `-`; `mdtest -h` lists them."),
        ("-n 2 -Q", "unknown option `-Q`. `mdtest -h` lists all options."),
        ("--verify-raed", "Did you mean `--verify-read`? `mdtest -h` lists all."),
        ("--posix.odirekt", "Did you mean `--posix.odirect`?"),
        ("-a POSIXX", "POSIXX"),
        ("-a MPIIO", "Backend doesn't support MDTest"),
        ("-a HDF5", "Backend doesn't support MDTest"),
        ("-n 2 -I 1 -u", "only specify the number of items or the number of items per directory"),
        ("-n 5 -I 2", "items must be a multiple of items per directory"),
        ("-c -S", "-c not compatible with -S"),
        ("-u -S", "-u not compatible with -S"),
        ("-k -w 8 -n 1", "-k not compatible with -w"),
        ("-X -n 1", "Verify read requires that read bytes is > 0"),
        ("-X -C -e 8 -n 1", "Verify read requires that the read test is used"),
        ("-X -E -e 8 -n 1", "Add -G NUMBER"),
        ("-e 9 -w 8 -n 1", "read bytes must be smaller than write bytes"),
        ("-W 1 -b 2 -z 1", "stone wall timer does only work with a branch factor <= 1"),
        ("-b 0 -z 1", "branch factor"),
        ("-z -1", "-1 is negative"),
        ("-i 0", "-i 0"),
        ("-f 3 -l 2", "first > last"),
        ("-l 9", "last > number of processes"),
        ("-d a@b", "shared directory mode is not compatible with multiple directory paths"),
        ("-d a@b -u -N 1", "cannot have multiple directory paths with -N"),
        ("-d a@b@c -u", "cannot have more directory paths than MPI tasks"),
        ("-d a@@b -u", "a directory has no name"),
        ("-b 1000 -z 1000", "Choose fewer"),
        ("--operations list,nothing", "unknown operation nothing. Known operations: "),
        ("--compat 4.2", "`4.2` is not 1.9, 3.3 or 4.1"),
        ("--saveRankPerformanceDetails=no/where.csv", "no/where.csv: No such file or directory"),
        ("--record no/where", "--record no/where: No such file or directory"),
        ("-n 2 -C -W 1 -x no/where", "-x no/where: No such file or directory"),
        ("-n 2 --savePerOpDataCSV=no/where", "--savePerOpDataCSV no/where-"),
        ("-n 2 -F -e 8", "read bytes must be smaller than write bytes"),
        ("--dataPacketType=x", "unknown packet type `x`"),
        ("-G 99999999999", "is too large"),
    ] {
        let ran = mdtest(dir.path(), 2, words);
        let line = complaint(&ran, 2);
        assert!(line.contains(expected), "{words}: {line}");
        assert_eq!((ran.out.as_str(), ran.err.lines().count()), ("", 1), "{words}: {ran:#?}");
        assert_eq!(dir.path().read_dir().unwrap().count(), 0, "{words}");
    }
}

#[test]
fn the_new_records_are_removed_if_the_file_of_rows_cannot_be_created() {
    let dir = tempfile::tempdir().unwrap();
    complaint(&mdtest(dir.path(), 2, "-n 1 --record r --saveRankPerformanceDetails no/r.csv"), 2);
    assert!(!dir.path().join("r").exists());
}

#[test]
fn a_failed_operation_ends_all_ranks_and_is_reported_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let ran = mdtest(dir.path(), 3, "-T -F -n 5");
    let line = complaint(&ran, 4);
    assert!(line.starts_with("mdtest: file stat: rank ") && line.contains("file.mdtest."), "{line}");
    assert!(line.contains("stat: No such file or directory"), "{line}");
    assert!(ran.out.contains("\nassay: the run ended early: 0 of 1 iterations are complete"), "{ran:#?}");
    assert!(!ran.out.contains("SUMMARY") && !ran.out.contains("finished"), "{ran:#?}");
    let ran = mdtest(dir.path(), 2, "-n 2 -d no/where");
    assert!(complaint(&ran, 4).contains("no/where: mkdir: No such file or directory"), "{ran:#?}");
}

#[test]
fn failures_are_counted_by_reason_and_the_status_is_not_0() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 2, "-C -F -n 4").ok();
    std::fs::remove_file(dir.path().join("out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.2")).unwrap();
    let ran = mdtest(dir.path(), 2, "-T -E -r -F -n 4 --continue --record r");
    assert_eq!((ran.status, complaints(&ran).len()), (Some(4), 0), "{ran:#?}");
    for phase in ["st-file", "rd-file"] {
        let expected = format!(
            "\nassay: {phase}, iteration 0: 1 of 8 operations failed: 1 No such file or directory\n\
             assay:   rank 1: "
        );
        assert!(ran.out.contains(&expected), "{phase}: {ran:#?}");
    }
    assert!(ran.out.contains("file.mdtest.1.2: No such file or directory\n"), "{ran:#?}");
    let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
    assert!(records.contains("\"failed\":{\"operations\":1,"), "{records}");
    assert!(records.contains("\"exit\":4"), "{records}");
}

#[test]
fn a_partial_tree_and_foreign_names_do_not_fail_a_removal() {
    let dir = tempfile::tempdir().unwrap();
    let create = "-C -F -b 2 -z 1 -I 2";
    mdtest(dir.path(), 2, create).ok();
    let tree = dir.path().join("out/test-dir.0-0/mdtest_tree.0");
    std::fs::remove_file(tree.join("file.mdtest.0.0")).unwrap();
    std::fs::remove_dir_all(tree.join("mdtest_tree.2")).unwrap();
    std::fs::write(tree.join("mdtest_tree.1/notes"), "").unwrap();
    let ran = mdtest(dir.path(), 2, &create.replace("-C", "-r"));
    assert_eq!((ran.status, complaints(&ran).len()), (Some(0), 0), "{ran:#?}");
    for text in [
        "rm-file, iteration 0: 5 files were missing",
        "rm-tree, iteration 0: 1 directory was missing",
        "1 test directory is kept, because of names that mdtest did not make: ",
        "mdtest_tree.1/notes",
    ] {
        assert!(ran.out.contains(text), "{text}: {ran:#?}");
    }
    assert_eq!(std::fs::read_dir(&tree).unwrap().count(), 1, "only the directory of the foreign name stays");
    std::fs::remove_file(tree.join("mdtest_tree.1/notes")).unwrap();
    mdtest(dir.path(), 2, &create.replace("-C", "-r")).ok();
    assert!(!dir.path().join("out/test-dir.0-0").exists());
}

#[test]
fn a_directory_whose_name_is_a_number_is_used() {
    for words in ["-n 2 -d 0.1 -C", "-n 2 -d0.1 -C", "-C -n 2 -d=0.1"] {
        let dir = tempfile::tempdir().unwrap();
        mdtest(dir.path(), 2, words).ok();
        assert!(dir.path().join("0.1/test-dir.0-0/mdtest_tree.0/file.mdtest.1.1").exists(), "{words}");
    }
}

#[test]
fn a_status_file_without_a_deadline_is_accepted_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let ran = mdtest(dir.path(), 2, "-C -F -n 2 -x st");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    let note = "assay: note: -x has no effect without -W SECONDS: no count is stored in st\n";
    assert!(ran.err.contains(note), "{ran:#?}");
    assert!(!dir.path().join("st").exists());
    let ran = mdtest(dir.path(), 2, "-r -F -n 2 -x st");
    assert_eq!(ran.status, Some(0), "{ran:#?}");
    assert!(!ran.err.contains("-x has no effect"), "{ran:#?}");
}

#[test]
fn wrong_data_is_reported_with_its_place_and_a_status() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 2, "-C -F -n 2 -w 4096 -G 5").ok();
    let file = dir.path().join("out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.0");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[800] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let ran = mdtest(dir.path(), 2, "-E -F -n 2 -e 4096 -G 5 -X");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(
        ran.out.contains("\nERROR: verifying the data on read (1 errors)! Take the performance"),
        "{ran:#?}"
    );
    assert!(ran.out.contains("  rank 1: ") && ran.out.contains("file.mdtest.1.0 at 800: "), "{ran:#?}");
}

#[test]
fn ctrl_c_prints_the_test_directory_that_remains() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(common::program());
    command.args(["-n", "2", "mdtest", "-F", "-n", "2", "-i", "1000000000", "-d", "x"]);
    command.current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // Without -r the directory is not removed, so it exists at the check.
    let child = command.args(["-C", "-T", "-p", "30"]).spawn().unwrap();
    let begun = Instant::now();
    while !dir.path().join("x/test-dir.0-0").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run did not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(signal("-INT", child.id()));
    let ended = child.wait_with_output().unwrap();
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{message}");
    assert_eq!(message, "mdtest: interrupted. Left behind: x/test-dir.0-0\n");
}
