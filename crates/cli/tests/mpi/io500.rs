//! `io500` under each MPI, with collective transfers.

use crate::common::{assay, mpis, run};

const CONFIG: &str = "[global]\ndatadir = data\nresultdir = results\n[debug]\nstonewall-time = 1\n\
                      [ior-easy]\nblockSize = 4m\n[ior-hard]\nAPI = MPIIO\ncollective = TRUE\n\
                      segmentCount = 20\n[mdtest-easy]\nn = 60\n[mdtest-hard]\nn = 120\n";

#[test]
fn all_phases_run_in_one_job_of_each_mpi() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("c.ini"), CONFIG).unwrap();
    for &mpi in mpis() {
        let words = "io500 c.ini --timestamp t";
        let Some(mut command) = mpi.command(dir.path(), 3, words) else { continue };
        let out = run(&mut command).ok();
        assert_eq!(out.matches("[RESULT]").count(), 12, "{mpi:?}: {out}");
        assert!(out.contains("[SCORE ] Bandwidth ") && !out.contains(" 0.000000 GiB/s"), "{mpi:?}: {out}");
        let hard = std::fs::read_to_string(dir.path().join("results/t/ior-hard-read.txt")).unwrap();
        assert!(hard.contains("\napi                 : MPIIO\n"), "{mpi:?}: {hard}");
        assert!(hard.contains("\ntype                : collective\n"), "{mpi:?}: {hard}");
        assert!(!dir.path().join("data/t").exists(), "{mpi:?}");
        let verified = run(&mut assay(dir.path(), "io500 c.ini --verify results/t/result.txt"));
        assert!(verified.out.ends_with("\n[OK] But this is an invalid run!\n"), "{mpi:?}: {verified:?}");
        let again = run(&mut mpi.command(dir.path(), 3, words).unwrap());
        let lines: Vec<_> = again.err.lines().filter(|line| line.starts_with("io500: ")).collect();
        assert_eq!((again.status, lines.len()), (Some(2), 1), "{mpi:?}: {again:?}");
        std::fs::remove_dir_all(dir.path().join("results")).unwrap();
    }
}
