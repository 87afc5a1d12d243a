//! `quota` under each MPI.

use crate::common::campaign::names;
use crate::common::system::make_dir_of;
use crate::common::{is_root, mpis, run};

#[test]
fn ranks_of_each_mpi_find_that_a_limit_is_not_enforced_and_stop_together() {
    if !is_root() {
        println!("SKIPPED: only root can work as another user; run the tests as root");
        return;
    }
    for &mpi in mpis() {
        let dir = tempfile::tempdir().unwrap();
        let place = make_dir_of(dir.path(), "d", 1234);
        let limits = "--limit 1536k --used 0B --transfer 64k --limit-inodes 55 --used-inodes 0";
        let line = format!("quota {limits} --as 1234:1234 d");
        let Some(mut command) = mpi.command(dir.path(), 3, &line) else { continue };
        let ran = run(&mut command);
        assert_eq!(ran.status, Some(4), "{mpi:?}: {ran:#?}");
        let heads = ran.out.matches("quota: 3 ranks on 1 node, files of user 1234\n").count();
        assert_eq!(heads, 1, "only one rank prints: {ran:#?}");
        for beyond in ["192 KiB (196608 B) beyond the limit", "5 inodes beyond the limit"] {
            assert!(ran.out.contains(beyond), "{mpi:?}: {ran:#?}");
        }
        assert_eq!(names(&place), [""; 0], "{mpi:?}");
    }
}
