//! Command lines of the classic programs, as their users and their own test scripts write them: flags joined
//! in one word, values behind `=`, files that one run leaves for the next. Each succeeds, under each MPI.

use std::path::Path;

use crate::common::{ALL_MPI, Mpi, Ran, run};

/// The ranks and the arguments of one command line.
type Line = (u32, &'static str);

/// Runs `PROGRAM LINE` in `dir`; `None` without this MPI.
fn started(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Ran> {
    mpi.command(dir, ranks, words).map(|mut command| run(&mut command))
}

/// Runs each command line in turn, in one directory of each MPI.
fn all_succeed(program: &str, lines: &[Line]) {
    for mpi in ALL_MPI {
        let dir = tempfile::tempdir().unwrap();
        for (ranks, words) in lines {
            let Some(ran) = started(mpi, dir.path(), *ranks, &format!("{program} {words}")) else { break };
            assert_eq!(ran.status, Some(0), "{mpi:?}: {program} {words}: {ran:#?}");
            assert!(!ran.out.contains("errs!!!"), "{mpi:?}: {program} {words}: {ran:#?}");
        }
    }
}

#[test]
fn files_of_one_ior_run_are_read_by_the_next_in_another_order() {
    all_succeed(
        "ior",
        &[
            (2, "-a POSIX -wCkem -i1 -t 100k -b 200k -o f"),
            (2, "-a POSIX -r -k -i1 -m -t 100k -b 200k -s 10 -z -z -o f"),
            (2, "-a POSIX -r -z-k -e -i1 -m -t 100k -b 200k -o f"),
            (1, "-a POSIX -w -z -F -Y -e -m -t 100k -b 2000k -o g"),
            (1, "-a POSIX -w -z -F -k -e -i2 -m -t 100k -b 200k -o g"),
            (1, "-a MMAP -r -z -F -k -m -t 100k -b 200k -o g"),
            (2, "-a POSIX -w -z -C -Q 1 -F -k -m -t 100k -b 200k -o h"),
            (2, "-a POSIX -r -z -Z -Q 3 -X 13 -F -k -m -t 100k -b 200k -o h"),
            (3, "-a POSIX -w -z -Z -Q 1 -X -13 -F -e -m -t 100k -b 200k -o h"),
            (2, "-a POSIX -w -Z -m -t 100k -b 100k -d 0.1 -o f"),
        ],
    );
}

#[test]
fn a_status_file_of_a_deadline_limits_later_runs() {
    all_succeed(
        "ior",
        &[
            (2, "-a DUMMY -w -O stoneWallingStatusFile=s,stoneWallingWearOut=1 -D 1 -t 1k -b 1k -s 15 -k"),
            (2, "-a DUMMY -r -O stoneWallingStatusFile=s -D 1 -t 1k -b 1k -s 30 -k"),
            (2, "-a DUMMY -r -O stoneWallingStatusFile=s -t 1k -b 1k -s 30 -k"),
        ],
    );
    all_succeed(
        "mdtest",
        &[
            (2, "-I 20 -a DUMMY -W 1 -x s -C -d d -V=4"),
            (2, "-I 20 -a DUMMY -x s -T -v -d d -V=4"),
            (2, "-I 20 -a DUMMY -x s -D -v -d d -V=4"),
        ],
    );
}

#[test]
fn trees_and_numbers_of_ranks_of_mdtest_are_taken() {
    all_succeed(
        "mdtest",
        &[
            (1, "-a POSIX -d d -V=4"),
            (2, "-a POSIX -W 2 -d d -V=4"),
            (1, "-C -T -r -F -I 1 -z 1 -b 1 -L -u -d d -V=4"),
            (1, "-CT -I 1 -z 1 -b 1 -u -d e -V=4"),
            (1, "-r -I 1 -z 1 -b 1 -u -d e"),
            (2, "-n 1 -f 1 -l 2 -d d -V=4"),
        ],
    );
}

#[test]
fn the_phases_of_md_workbench_run_together_or_one_by_one() {
    all_succeed(
        "md-workbench",
        &[
            (3, "-a POSIX -O=1 -D=1 -G=10 -P=1 -I=1 -R=2 -X -o w"),
            (3, "-a POSIX -O=1 -D=4 -G=10 -P=4 -I=1 -R=2 -X -t=0.001 -L=latency -o w"),
            (3, "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -R=2 -X -W -w 1 -o w"),
            (
                3,
                "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -1 -W -w 1 --run-info-file=i --print-detailed-stats -o w",
            ),
            (
                3,
                "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --run-info-file=i --print-detailed-stats -o w",
            ),
            (3, "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -2 -W -w 1 --read-only --run-info-file=i -o w"),
            (3, "-a POSIX -O=1 -D=2 -G=10 -P=4 -I=3 -3 -W -w 1 --run-info-file=i -o w"),
            (2, "-a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -1 -o w"),
            (2, "-a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -2 -o w"),
            (2, "-a POSIX -D=1 -P=2 -I=2 -R=2 -X -G=2252 -S 772 --dataPacketType=i -3 -o w"),
        ],
    );
}

#[test]
fn a_failed_rank_of_md_workbench_ends_all_with_one_line() {
    for mpi in ALL_MPI {
        let dir = tempfile::tempdir().unwrap();
        let Some(ran) = started(mpi, dir.path(), 3, "md-workbench -1 -P 3 -D 2") else { continue };
        assert_eq!(ran.status, Some(0), "{mpi:?}: {ran:#?}");
        std::fs::remove_file(dir.path().join("out/1_1/file-0")).unwrap();
        let ran = started(mpi, dir.path(), 3, "md-workbench -2 -P 3 -D 2 -I 2").unwrap();
        assert!(ran.status.is_some_and(|status| status != 0), "{mpi:?}: {ran:#?}");
        let lines: Vec<&str> = ran.err.lines().filter(|line| line.starts_with("md-workbench: ")).collect();
        assert_eq!(lines.len(), 1, "{mpi:?}: {ran:#?}");
        assert!(lines[0].contains("out/1_1/file-0: stat: No such file or directory"), "{mpi:?}: {ran:#?}");
    }
}
