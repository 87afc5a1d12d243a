//! Published command lines of contracts and papers.

use crate::common::{Mpi, ior};

/// The command lines of published acceptance tests, with smaller sizes, counts and times.
const SEEDS: &[&str] = &[
    "-w -a POSIX -F -C -e -g -k -b 4k -t 4k -s 16 -o F -v",
    "-r -a POSIX -F -C -e -g -k -b 4k -t 4k -s 16 -o F -v",
    "-a POSIX -F -e -g -t 4k -b 64k -o F -v",
    "-a POSIX -F -e -g -t 4k -b 64k -o F -v -z",
    "-a POSIX -F -e -g -t 1K -b 64K -o F -v",
    "-w -r -z -e -C -F -t 4k -b 64k -o F",
    "-w -r -e -C -F -t 16k -b 64k -o F",
    "-w -t 1k -b 1k -s 64 -a POSIX -F -e -g -vv -C -o F -D 1",
    "-w -F -e -g -vv -O lustrestripecount=1 -t 8k -b 64k -D 1 -k -o F",
    "-w -t 1k -b 1k -s 64 -a POSIX -F -e -g -vv -C -o F -k -O stoneWallingWearOut=1 -D 1",
    "-r -t 1k -b 1k -s 64 -a POSIX -F -e -g -vv -C -o F -k -D 1",
    "-w -t 4k -z -a POSIX -F -b 64k -e -g -vv -C -D 1 -o F",
    "-w -t 4k -k -a POSIX -F -b 64k -e -g -vv -C -D 1 -o F -O stoneWallingWearOut=1",
    "-r -t 4k -z -a POSIX -F -b 64k -e -g -vv -C -D 1 -o F -k",
    "-a POSIX -w -o F -D 1 -b 64k -E -C -g -k -s 1 -t 4k -F -e",
    "-a POSIX -r -o F -D 1 -b 65536 -E -C -g -k -s 1 -t 4k -F -e",
    "-w -a POSIX -b 64k -E -C -e -g -k -s 1 -t 16k -F -o F",
];

/// The command lines that need MPI.
const SEEDS_MPI: &[&str] = &[
    "-w -a MPIIO -c -C -g -b 8k -t 8k -k -H -v -s 4 -o S",
    "-r -a MPIIO -c -C -g -b 8k -t 8k -k -H -v -s 4 -o S",
    "-a MPIIO -g -t 512 -b 8k -o S -v",
    "-a MPIIO -g -t 1K -b 8K -o S -v",
];

#[test]
fn every_published_command_line_runs_with_smaller_sizes() {
    let dir = tempfile::tempdir().unwrap();
    for words in SEEDS {
        let ran = ior(dir.path(), 2, words);
        assert_eq!(ran.status, Some(0), "{words}: {ran:#?}");
        assert!(ran.out.contains("\nFinished "), "{words}");
    }
    for mpi in [Mpi::Open, Mpi::Mpich] {
        for words in SEEDS_MPI {
            let Some(ran) = mpi.ior(dir.path(), 2, words) else { break };
            assert_eq!(ran.status, Some(0), "{mpi:?} {words}: {ran:#?}");
        }
    }
}
