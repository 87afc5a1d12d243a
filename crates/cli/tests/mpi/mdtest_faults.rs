//! `mdtest` under launchers of MPI: ranks fail together, and no rank waits for a killed one.

use std::time::{Duration, Instant};

use crate::common::campaign::signal;
use crate::common::mdtest::complaints;
use crate::common::processes::ranks_below;
use crate::common::{Mpi, Running, mpis, run};

#[test]
fn runs_are_the_same_under_each_mpi_and_wrong_usage_is_reported_once() {
    for &mpi in mpis() {
        for ranks in [2, 4] {
            let dir = tempfile::tempdir().unwrap();
            let words = "mdtest -n 20 -u -N 1 -w 100 -e 100 -X -i 2 --saveRankPerformanceDetails=r.csv";
            let Some(mut command) = mpi.command(dir.path(), ranks, words) else { continue };
            let ran = run(&mut command);
            assert_eq!(ran.status, Some(0), "{mpi:?}: {ran:#?}");
            let launched =
                format!("\nmdtest-4.1.0+dev was launched with {ranks} total task(s) on 1 node(s)\n");
            assert_eq!(
                ran.out.matches("was launched with").count(),
                1,
                "{mpi:?}: only one rank prints: {ran:#?}"
            );
            assert!(ran.out.contains(&launched), "{mpi:?}: {ran:#?}");
            assert!(ran.out.contains(&format!("\n{ranks} tasks, {} files/directories\n", ranks * 20)));
            let rows = std::fs::read_to_string(dir.path().join("r.csv")).unwrap().lines().count();
            assert_eq!(rows, 2 + 2 * ranks as usize, "{mpi:?}");
            assert!(!dir.path().join("out").exists(), "{mpi:?}: all files are removed");
            let rejected = run(&mut mpi.command(dir.path(), ranks, "mdtest -n 2 -I 1 -u").unwrap());
            assert_eq!(rejected.status, Some(2), "{mpi:?}: {rejected:#?}");
            assert_eq!(complaints(&rejected).len(), 1, "{mpi:?}: {rejected:#?}");
        }
    }
}

#[test]
fn a_failed_operation_on_one_of_a_subset_of_ranks_ends_all_under_mpi() {
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

#[test]
fn a_killed_rank_ends_the_job() {
    for mpi in [Mpi::Open, Mpi::Mpich] {
        let dir = tempfile::tempdir().unwrap();
        let words = "mdtest -a DUMMY -n 1g -F -i 100";
        let Some(mut command) = mpi.command(dir.path(), 3, words) else { continue };
        let job = Running::piped(&mut command);
        let begun = Instant::now();
        let victim = loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "{mpi:?}: the ranks did not start");
            let ranks = ranks_below(job.id());
            if ranks.len() == 3 {
                break ranks[1];
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        // The ranks have synchronized and are inside the phase, which takes minutes.
        std::thread::sleep(Duration::from_secs(1));
        assert!(signal("-KILL", victim));
        let ended = job.end(Duration::from_secs(60));
        assert_ne!(ended.status, Some(0), "{mpi:?}: {ended:#?}");
    }
}
