//! What goes wrong with `mdtest`: wrong usage is one line and status 2, operations that fail end all ranks
//! with one line, or are counted; a killed rank leaves nobody waiting; launchers' ranks fail together.
#![allow(clippy::print_stdout)]

mod common;

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::mdtest::{complaints, mdtest};
use common::{ALL_MPI, Mpi, Ran, run};

/// The one complaint of a run that failed with `status`.
fn complaint(ran: &Ran, status: i32) -> String {
    assert_eq!(ran.status, Some(status), "{ran:#?}");
    let complaints = complaints(ran);
    assert_eq!(complaints.len(), 1, "{ran:#?}");
    complaints[0].to_owned()
}

#[test]
fn wrong_usage_is_one_line_with_a_remedy_and_status_2_and_nothing_is_made() {
    let dir = tempfile::tempdir().unwrap();
    for (words, told) in [
        ("-n", "mdtest: -n takes a value: items of a rank in the whole tree"),
        ("-n five", "`five` is not a whole number"),
        ("-n 1.5k", "`1.5k`"),
        ("-n -5", "-5 is negative"),
        ("-n 99999999999999999999", "is not a whole number"),
        ("-n 8q", "unknown size suffix `q`"),
        ("-n 2 stray", "`stray` is not an option; options begin with `-` (mdtest -h lists them)"),
        ("-n 2 -Q", "unknown option `-Q` (mdtest -h lists the options)"),
        ("--verify-raed", "the nearest is `--verify-read` (mdtest -h lists all)"),
        ("--posix.odirekt", "the nearest is `--posix.odirect`"),
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
        ("-X -E -e 8 -n 1", "add -G NUMBER"),
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
        ("-d a@@b -u", "a directory without a name"),
        ("-b 1000 -z 1000", "choose fewer"),
        ("--operations list,nothing", "there is no operation nothing; there are "),
        ("--compat 4.2", "`4.2` is none of 1.9, 3.3 and 4.1"),
        ("--saveRankPerformanceDetails=no/where.csv", "no/where.csv: No such file or directory"),
        ("--record no/where", "--record no/where: No such file or directory"),
        ("-n 2 -C -W 1 -x no/where", "-x no/where: No such file or directory"),
        ("-n 2 --savePerOpDataCSV=no/where", "--savePerOpDataCSV no/where-"),
        ("-n 2 -F -e 8", "read bytes must be smaller than write bytes"),
        ("--dataPacketType=x", "unknown packet type `x`"),
        ("-G 99999999999", "more than can be"),
    ] {
        let ran = mdtest(dir.path(), 2, words);
        let line = complaint(&ran, 2);
        assert!(line.contains(told), "{words}: {line}");
        assert_eq!((ran.out.as_str(), ran.err.lines().count()), ("", 1), "{words}: {ran:#?}");
        assert_eq!(dir.path().read_dir().unwrap().count(), 0, "{words}");
    }
}

#[test]
fn a_file_of_rows_that_cannot_be_made_takes_the_new_records_with_it() {
    let dir = tempfile::tempdir().unwrap();
    complaint(&mdtest(dir.path(), 2, "-n 1 --record r --saveRankPerformanceDetails no/r.csv"), 2);
    assert!(!dir.path().join("r").exists());
}

#[test]
fn an_operation_that_fails_ends_all_ranks_with_its_path_and_what_was_done_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let ran = mdtest(dir.path(), 3, "-T -F -n 5");
    let line = complaint(&ran, 1);
    assert!(line.starts_with("mdtest: file stat: rank ") && line.contains("file.mdtest."), "{line}");
    assert!(line.contains("stat: No such file or directory"), "{line}");
    assert!(ran.out.contains("\nassay: the run ended early: 0 of 1 iterations are whole"), "{ran:#?}");
    assert!(!ran.out.contains("SUMMARY") && !ran.out.contains("finished"), "{ran:#?}");
    let ran = mdtest(dir.path(), 2, "-n 2 -d no/where");
    assert!(complaint(&ran, 1).contains("no/where: mkdir: No such file or directory"), "{ran:#?}");
}

#[test]
fn what_fails_is_counted_by_reason_and_named_and_never_status_0() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 2, "-C -F -n 4").ok();
    std::fs::remove_file(dir.path().join("out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.2")).unwrap();
    let ran = mdtest(dir.path(), 2, "-T -E -r -F -n 4 --continue --record r");
    assert_eq!((ran.status, complaints(&ran).len()), (Some(1), 0), "{ran:#?}");
    for phase in ["File stat", "File read", "File removal"] {
        let told = format!(
            "\nassay: {phase}, iteration 0: 1 of 8 operations failed: 1 No such file or directory\n  rank 1: "
        );
        assert!(ran.out.contains(&told), "{phase}: {ran:#?}");
    }
    assert!(ran.out.contains("file.mdtest.1.2: No such file or directory\n"), "{ran:#?}");
    let records = std::fs::read_to_string(dir.path().join("r")).unwrap();
    assert!(records.contains("\"failed\":{\"operations\":1,"), "{records}");
    assert!(records.contains("\"exit\":1"), "{records}");
}

#[test]
fn wrong_data_says_where_and_is_status_1() {
    let dir = tempfile::tempdir().unwrap();
    mdtest(dir.path(), 2, "-C -F -n 2 -w 4096 -G 5").ok();
    let file = dir.path().join("out/test-dir.0-0/mdtest_tree.0/file.mdtest.1.0");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[800] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let ran = mdtest(dir.path(), 2, "-E -F -n 2 -e 4096 -G 5 -X");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert!(
        ran.out.contains("\nERROR: verifying the data on read (1 errors)! Take the performance"),
        "{ran:#?}"
    );
    assert!(ran.out.contains("  rank 1: ") && ran.out.contains("file.mdtest.1.0 at 800: "), "{ran:#?}");
}

#[test]
fn under_every_mpi_the_run_is_the_same_and_usage_is_refused_once() {
    for mpi in ALL_MPI {
        for ranks in [2, 4] {
            let dir = tempfile::tempdir().unwrap();
            let words = "mdtest -n 20 -u -N 1 -w 100 -e 100 -X -i 2 --saveRankPerformanceDetails=r.csv";
            let Some(mut command) = mpi.command(dir.path(), ranks, words) else { continue };
            let ran = run(&mut command);
            assert_eq!(ran.status, Some(0), "{mpi:?}: {ran:#?}");
            let launched =
                format!("\nmdtest-4.1.0+dev was launched with {ranks} total task(s) on 1 node(s)\n");
            assert_eq!(ran.out.matches("was launched with").count(), 1, "{mpi:?}: one voice: {ran:#?}");
            assert!(ran.out.contains(&launched), "{mpi:?}: {ran:#?}");
            assert!(ran.out.contains(&format!("\n{ranks} tasks, {} files/directories\n", ranks * 20)));
            let rows = std::fs::read_to_string(dir.path().join("r.csv")).unwrap().lines().count();
            assert_eq!(rows, 2 + 2 * ranks as usize, "{mpi:?}");
            assert!(!dir.path().join("out").exists(), "{mpi:?}: all is removed");
            let refused = run(&mut mpi.command(dir.path(), ranks, "mdtest -n 2 -I 1 -u").unwrap());
            assert_eq!(refused.status, Some(2), "{mpi:?}: {refused:#?}");
            assert_eq!(complaints(&refused).len(), 1, "{mpi:?}: {refused:#?}");
        }
    }
}

#[test]
fn fewer_ranks_than_there_are_and_an_operation_that_fails_on_one_end_all_under_mpi() {
    for mpi in [Mpi::Open, Mpi::Mpich] {
        let dir = tempfile::tempdir().unwrap();
        let Some(mut command) = mpi.command(dir.path(), 3, "mdtest -F -n 5 -f 1 -l 3") else { continue };
        let text = run(&mut command).ok();
        assert_eq!(text.matches("\nSUMMARY ").count(), 3, "{mpi:?}: {text}");
        run(&mut mpi.command(dir.path(), 3, "mdtest -C -F -n 5").unwrap()).ok();
        std::fs::remove_file(dir.path().join("out/test-dir.0-0/mdtest_tree.0/file.mdtest.2.3")).unwrap();
        let ran = run(&mut mpi.command(dir.path(), 3, "mdtest -T -F -n 5").unwrap());
        assert!(ran.status.is_some_and(|status| status != 0), "{mpi:?}: {ran:#?}");
        let line = complaints(&ran).join("\n");
        assert!(line.contains("rank 2 ") && line.contains("file.mdtest.2.3: stat"), "{mpi:?}: {ran:#?}");
    }
}

/// The ranks of this program below `ancestor`.
fn ranks_below(ancestor: u32) -> Vec<u32> {
    let mut found = Vec::new();
    let mut ancestors = vec![ancestor];
    let mut next = 0;
    while let Some(parent) = ancestors.get(next).copied() {
        next += 1;
        let tasks = std::fs::read_dir(format!("/proc/{parent}/task")).into_iter().flatten().flatten();
        for task in tasks {
            let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            ancestors.extend(children.split_whitespace().filter_map(|pid| pid.parse::<u32>().ok()));
        }
        let name = std::fs::read_link(format!("/proc/{parent}/exe")).unwrap_or_default();
        if name == common::program() {
            found.push(parent);
        }
    }
    found
}

#[test]
fn a_killed_rank_ends_the_job() {
    for mpi in [Mpi::Open, Mpi::Mpich] {
        let dir = tempfile::tempdir().unwrap();
        let words = "mdtest -a DUMMY -n 1g -F -i 100";
        let Some(mut command) = mpi.command(dir.path(), 3, words) else { continue };
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut job = command.spawn().unwrap();
        let begun = Instant::now();
        let victim = loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "{mpi:?}: its ranks never came");
            let ranks = ranks_below(job.id());
            if ranks.len() == 3 {
                break ranks[1];
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        // Ranks that have met are inside the phase, which takes minutes.
        std::thread::sleep(Duration::from_secs(1));
        assert!(Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap().success());
        let killed = Instant::now();
        let ended = loop {
            if let Some(status) = job.try_wait().unwrap() {
                break status;
            }
            if killed.elapsed() > Duration::from_secs(60) {
                let _ = Command::new("kill").args(["-9", &format!("-{}", job.id())]).status();
                panic!("{mpi:?} hangs after a rank was killed");
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        assert!(!ended.success(), "{mpi:?}: {ended}");
    }
}

#[test]
fn ctrl_c_names_the_test_directory_that_stays_behind() {
    let dir = tempfile::tempdir().unwrap();
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(common::program());
    command.args(["-n", "2", "mdtest", "-F", "-n", "2", "-i", "1000000000", "-d", "x"]);
    command.current_dir(dir.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    // Without -r nothing is removed, so that the directory is there when it is looked for.
    let child = command.args(["-C", "-T", "-p", "30"]).spawn().unwrap();
    let begun = Instant::now();
    while !dir.path().join("x/test-dir.0-0").exists() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ended = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(130), "{told}");
    assert_eq!(told, "mdtest: interrupted; left behind: x/test-dir.0-0\n");
}
