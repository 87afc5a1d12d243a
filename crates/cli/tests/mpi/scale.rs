//! The calls of MPI that each workload makes, on every number of ranks. docs/validation/scale.md uses the
//! counts.
//!
//! The preloaded library counts the calls of the program itself, on ranks of the real MPI. MPICH simulates
//! two nodes, so that calls between nodes are counted, too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::age::{Mounted, SMALL};
use crate::common::{self, Mpi, run};

/// Calls and bytes of one rank: by function, and by the size of its communicator.
type RankCalls = BTreeMap<(String, u32), [u64; 2]>;

/// Simulated nodes.
const NODES: u32 = 2;

/// Numbers of ranks on which the calls are compared.
const WORLDS: [u32; 2] = [4, 16];

/// A workload, and the collectives of a rank among all ranks and within its node.
const WORKLOADS: [(&str, [u64; 2]); 8] = [
    ("ior -a DUMMY -w -r -t 4k -b 64k -o f", [93, 11]),
    ("ior -a DUMMY -w -r -i 2 -t 4k -b 64k -o f", [156, 13]),
    ("ior -w -r -F -t 4k -b 64k -o f", [96, 11]),
    ("ior -a MPIIO -w -r -t 4k -b 64k -o f", [100, 11]),
    ("mdtest -n 4 -d m", [285, 22]),
    ("ls-lr --make --walk --remove --entries 60 --per-dir 20 --fan-out 4 .", [128, 13]),
    ("fdtree -l 1 -d 2 -f 2 -s 1 -o .", [118, 13]),
    ("mpi-io --only access.write_at.contiguous-view .", [41, 9]),
];

/// The calls of each rank of `assay WORDS`; `None`, with the reason printed, without this MPI.
fn calls(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Vec<RankCalls>> {
    let counts = tempfile::tempdir().unwrap();
    let mut command = mpi.command(dir, ranks, words)?;
    command
        .env("LD_PRELOAD", common::shim())
        .env("ASSAY_SHIM_COUNT", counts.path().join("rank"))
        .env("MPIR_CVAR_NUM_CLIQUES", NODES.to_string());
    run(&mut command).ok();
    let of_rank = |rank| {
        let text = fs::read_to_string(counts.path().join(format!("rank.{rank}"))).unwrap();
        let row = |line: &str| {
            let [name, size, calls, bytes] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            ((name.to_owned(), size.parse().unwrap()), [calls, bytes].map(|word| word.parse().unwrap()))
        };
        text.lines().map(row).collect()
    };
    Some((0..ranks).map(of_rank).collect())
}

/// The collectives of a rank among all ranks, and among fewer. The barriers are not among them, because their
/// number depends on the processors.
fn collectives(calls: &RankCalls, ranks: u32) -> [u64; 2] {
    const NAMES: [&str; 6] =
        ["MPI_Iallreduce", "MPI_Ireduce", "MPI_Ibcast", "MPI_Igather", "MPI_Igatherv", "MPI_Comm_split"];
    let of = |all: bool| {
        let wanted = calls.iter().filter(|((name, size), _)| {
            NAMES.iter().any(|known| name.starts_with(known)) && (*size == ranks) == all
        });
        wanted.map(|(_, [calls, _])| calls).sum()
    };
    [of(true), of(false)]
}

/// The collectives of the ranks, which must all have the same.
fn of_each_rank(all: &[RankCalls], words: &str) -> [u64; 2] {
    let found: Vec<_> = all.iter().map(|calls| collectives(calls, all.len() as u32)).collect();
    assert!(found.iter().all(|one| *one == found[0]), "{words}: {found:?}");
    found[0]
}

#[test]
fn a_workload_has_the_same_collectives_on_all_ranks_of_every_world() {
    for ranks in WORLDS {
        let mut found = Vec::new();
        for (words, _) in WORKLOADS {
            let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let Some(all) = calls(Mpi::Mpich, dir.path(), ranks, words) else { return };
            found.push((words, of_each_rank(&all, words)));
        }
        assert_eq!(found, WORKLOADS, "{ranks} ranks");
    }
}

#[test]
fn age_has_the_same_collectives_on_all_ranks_of_every_world() {
    const WITHOUT_ROUNDS: u64 = 73;
    const OF_A_ROUND: u64 = 10;
    for ranks in WORLDS {
        let Some(mounted) = Mounted::in_memory(SMALL) else { return };
        let words = "age aged --blocks 20% --cycles 0 --seed 8";
        let Some(all) = calls(Mpi::Mpich, &mounted.root, ranks, words) else { return };
        let [of_all, of_node] = of_each_rank(&all, words);
        // The rounds until the counters agree depend on the file system.
        let rounds = (of_all - WITHOUT_ROUNDS) / OF_A_ROUND;
        assert!(rounds <= 16, "{ranks} ranks: {rounds} rounds");
        assert_eq!((of_all - rounds * OF_A_ROUND, of_node), (WITHOUT_ROUNDS, 9), "{ranks} ranks");
    }
}

#[test]
fn flash_io_has_the_same_collectives_on_all_ranks_of_every_world() {
    for ranks in [2, 4, 8] {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let words = "flash-io -f ./f_";
        let Some(all) = calls(Mpi::Open, dir.path(), ranks, words) else { return };
        assert_eq!(of_each_rank(&all, words), [108, 0], "{ranks} ranks");
    }
}
