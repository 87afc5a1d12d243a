//! Regression tests of `ior` under MPI.

use crate::common::Mpi;

#[test]
fn a_colon_in_a_name_does_not_remove_another_file() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("3"), "precious").unwrap();
    for mpi in [Mpi::Open, Mpi::Mpich] {
        mpi.ior(dir.path(), 2, "-a MPIIO -w -b 64k -t 64k -o run:3");
    }
    assert_eq!(std::fs::read_to_string(dir.path().join("3")).unwrap(), "precious");
}

#[test]
fn syncs_that_are_collective_do_not_hang_ranks_that_stop_at_different_transfers() {
    let dir = tempfile::tempdir().unwrap();
    // A deadline stops all ranks at the same transfer. An order with different amounts per rank does not.
    for (words, status) in [("-Y -D 1 -b 1m -s 100 -t 4k", 0), ("-Y -z --random-order=ior -b 128k -t 16k", 2)]
    {
        let Some(ran) = Mpi::Open.ior(dir.path(), 3, &format!("-a MPIIO -w -o f {words}")) else {
            return;
        };
        assert_eq!(ran.status, Some(status), "{ran:#?}");
        if status == 2 {
            assert_eq!(ran.complaints().len(), 1, "{ran:#?}");
        }
    }
}

#[test]
fn a_shared_file_that_one_rank_cannot_open_ends_all_ranks() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-a MPIIO -r -o nothing", "-a MPIIO -c -w -o no/such/f"] {
        let Some(ran) = Mpi::Open.ior(dir.path(), 2, words) else { return };
        assert!(ran.status.is_some_and(|status| status != 0), "{ran:#?}");
        assert!(ran.complaints()[0].contains("No such file or directory"), "{ran:#?}");
    }
}
