//! The controls of `ior` under launchers of MPI.

use crate::common::Mpi;
use crate::common::campaign::names;

/// Lines of `text` that begin with `begin`.
fn lines<'a>(text: &'a str, begin: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(begin)).collect()
}

#[test]
fn all_controls_work_together_under_mpi() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-w -R -z --randomPrefill=16k -G 1 -j 60 -T 5 -M 1m -vvv -i 2 -b 64k -t 4k -o f";
    for mpi in [Mpi::Mpich, Mpi::Open] {
        let Some(ran) = mpi.ior(dir.path(), 3, words) else { continue };
        let text = ran.ok();
        assert_eq!(lines(&text, "Random prefill took: ").len(), 2, "{text}");
        assert_eq!(lines(&text, "Test 0: Iter=1, Task=2").len(), 2 * 6, "{text}");
        assert!(text.contains("This node hogging 104857"), "{text}");
    }
    let rejected = "-w -b 4k -t 4k -o f -O memoryPerTask=1p";
    if let Some(ran) = Mpi::Mpich.ior(dir.path(), 3, rejected) {
        assert_eq!(ran.complaints().len(), 1, "{ran:#?}");
        assert!(ran.status != Some(0) && names(dir.path()).is_empty());
    }
}
