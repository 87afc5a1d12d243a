//! `pfind` under each MPI.

use crate::common::ls_lr::{phases, place};
use crate::common::{assay, gnu_find, mpis, run};

#[test]
fn ranks_of_each_mpi_search_one_tree_together() {
    let dir = place();
    run(&mut assay(dir.path(), "ls-lr --make --entries 20000 --per-dir 50 t")).ok();
    let [files, directories, matched] = ["t -type f", "t -type d", "t -type f -size 0c -name f1*"]
        .map(|words| gnu_find(dir.path(), words) as u64);
    for &mpi in mpis() {
        let words = "pfind t -size 0c -name f1 -q 100 --record r";
        let Some(mut command) = mpi.command(dir.path(), 4, words) else { continue };
        let out = run(&mut command).ok();
        assert_eq!(out.matches("pfind: 4 ranks on 1 node").count(), 1, "only one rank prints: {out}");
        assert!(out.ends_with(&format!("\nMATCHED {matched}/{files}\n")), "{mpi:?}: {out}");
        let counts: Vec<u64> = phases(&dir.path().join("r")).iter().map(|phase| phase.ops).collect();
        assert_eq!(counts, [files, directories], "{mpi:?}");
        std::fs::remove_file(dir.path().join("r")).unwrap();
        let rejected = run(&mut mpi.command(dir.path(), 3, "pfind none").unwrap());
        let lines: Vec<_> = rejected.err.lines().filter(|line| line.starts_with("pfind: ")).collect();
        assert_eq!(lines, ["pfind: none: No such file or directory. Choose an existing directory."]);
        assert_eq!(rejected.status, Some(2), "{mpi:?}");
    }
}
