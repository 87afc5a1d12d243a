//! The calls of MPI that each workload makes, on every number of ranks. docs/validation/scale.md uses the
//! counts.
//!
//! The preloaded library counts the calls of the program itself, on ranks of the real MPI. MPICH simulates
//! two nodes, so that calls between nodes are counted, too.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::common::age::{Mounted, SMALL};
use crate::common::tmpfs::Tmpfs;
use crate::common::{self, Mpi, only_in_all, run};

/// Calls and bytes of one rank: by function, and by the size of its communicator.
type RankCalls = BTreeMap<(String, u32), [u64; 2]>;

/// Simulated nodes.
const NODES: u32 = 2;

/// Numbers of ranks on which the calls are compared.
const WORLDS: [u32; 2] = [8, 16];

/// The collectives of a rank among all ranks, within its node, and among the first ranks of the nodes.
type Collectives = [u64; 3];

/// Workloads, and their collectives.
const WORKLOADS: [(&str, Collectives); 9] = [
    ("ior -a DUMMY -w -r -t 4k -b 64k -o f", [45, 12, 8]),
    ("ior -a DUMMY -w -r -i 2 -t 4k -b 64k -o f", [66, 16, 12]),
    ("ior -w -r -F -t 4k -b 64k -o f", [48, 12, 8]),
    ("ior -a MPIIO -w -r -t 4k -b 64k -o f", [52, 12, 8]),
    ("mdtest -n 4 -d m", [128, 33, 27]),
    ("md-workbench -P 2 -D 1 -I 1 -R 1", [65, 17, 13]),
    ("ls-lr --make --walk --remove --entries 60 --per-dir 20 --fan-out 4 .", [67, 17, 12]),
    ("fdtree -l 1 -d 2 -f 2 -s 1 -o .", [54, 16, 12]),
    ("mpi-io --only access.write_at.contiguous-view .", [37, 8, 4]),
];

/// The calls of each rank of `assay WORDS`, which may fail. `None`, with the reason printed, without MPI.
fn calls(mpi: Mpi, dir: &Path, ranks: u32, words: &str) -> Option<Vec<RankCalls>> {
    let counts = tempfile::tempdir().unwrap();
    let mut command = mpi.command(dir, ranks, words)?;
    command
        .env("LD_PRELOAD", common::shim())
        .env("ASSAY_SHIM_COUNT", counts.path().join("rank"))
        .env("MPIR_CVAR_NUM_CLIQUES", NODES.to_string());
    run(&mut command);
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

/// The collectives of a rank, whose node has `on_node` of the `ranks` ranks.
fn collectives(calls: &RankCalls, ranks: u32, on_node: u32) -> Collectives {
    const NAMES: [&str; 6] =
        ["MPI_Ibarrier", "MPI_Iallreduce", "MPI_Ireduce", "MPI_Ibcast", "MPI_Igather", "MPI_Comm_split"];
    [ranks, on_node, NODES].map(|wanted| {
        let of_size = calls
            .iter()
            .filter(|((name, size), _)| *size == wanted && NAMES.iter().any(|known| name.starts_with(known)));
        of_size.map(|(_, [calls, _])| calls).sum()
    })
}

/// The collectives of rank 0 on `nodes` nodes. All ranks must have the same, except that only the first ranks
/// of the nodes have those among them.
fn of_each_rank(all: &[RankCalls], nodes: u32, words: &str) -> Collectives {
    let ranks = all.len() as u32;
    let found: Vec<_> = all.iter().map(|calls| collectives(calls, ranks, ranks / nodes)).collect();
    let [of_all, of_node, of_leaders] = found[0];
    for one in &found {
        assert!(one[..2] == [of_all, of_node] && [0, of_leaders].contains(&one[2]), "{words}: {found:?}");
    }
    let leaders = found.iter().filter(|one| one[2] > 0).count();
    assert!(leaders <= nodes as usize, "{words}: {found:?}");
    found[0]
}

#[test]
fn a_workload_has_the_same_collectives_on_all_ranks_of_every_world() {
    for ranks in WORLDS {
        let mut found = Vec::new();
        for (words, _) in WORKLOADS {
            let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let Some(all) = calls(Mpi::Mpich, dir.path(), ranks, words) else { return };
            found.push((words, of_each_rank(&all, NODES, words)));
        }
        assert_eq!(found, WORKLOADS, "{ranks} ranks");
    }
}

/// The calls of a rank and their bytes, with the size of the communicator in words. The bytes of reductions
/// to rank 0 are left out: latencies and timelines are as long as what was measured.
fn by_kind(calls: &RankCalls, ranks: u32) -> BTreeMap<String, [u64; 2]> {
    let size = |size: u32| match size {
        _ if size == ranks => "all",
        _ if size == ranks / NODES => "node",
        NODES => "first ranks",
        _ => "none",
    };
    let row = |((name, of), [calls, bytes]): (&(String, u32), &[u64; 2])| {
        let bytes = if name == "MPI_Ireduce" { 0 } else { *bytes };
        (format!("{name} {}", size(*of)), [*calls, bytes])
    };
    calls.iter().map(row).collect()
}

#[test]
fn calls_and_bytes_of_a_rank_are_the_same_in_every_world_and_those_at_rank_0_are_linear() {
    if !only_in_all("worlds of many sizes take half a minute") {
        return;
    }
    const GATHERED: &str = "MPI_Igather first ranks";
    // The greatest reduction has the latencies and the timeline.
    const REDUCED_MAX: u64 = 37_920 + 4_800;
    for (words, reductions) in [(WORKLOADS[0].0, 2), ("mdtest -n 4 -d m", 10)] {
        let mut last: Vec<BTreeMap<String, [u64; 2]>> = Vec::new();
        let mut gathered = Vec::new();
        for ranks in [8, 16, 32] {
            let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
            let Some(all) = calls(Mpi::Mpich, dir.path(), ranks, words) else { return };
            // Neither rank 0 nor the first of its node.
            last.push(by_kind(&all[ranks as usize - 1], ranks));
            let [count, bytes] = all[ranks as usize - 1][&("MPI_Ireduce".to_owned(), ranks)];
            assert!(count == reductions && bytes <= reductions * REDUCED_MAX, "{words}: {count} {bytes}");
            gathered.push(by_kind(&all[0], ranks)[GATHERED][1]);
        }
        assert!(last.iter().all(|calls| *calls == last[0]), "{words}: {last:#?}");
        // A world of twice the ranks has twice the bytes more than the one before.
        let more: Vec<u64> = gathered.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(more[0] > 0 && more[1] == 2 * more[0], "{words}: {gathered:?}");
    }
}

#[test]
fn age_has_the_same_collectives_on_all_ranks_of_every_world() {
    const WITHOUT_ROUNDS: Collectives = [64, 8, 4];
    const OF_A_ROUND: u64 = 9;
    for ranks in WORLDS {
        let Some(mounted) = Mounted::in_memory(SMALL) else { return };
        let words = "age aged --blocks 20% --cycles 0 --seed 8";
        let Some(all) = calls(Mpi::Mpich, &mounted.root, ranks, words) else { return };
        let found = of_each_rank(&all, NODES, words);
        // The rounds until the counters agree depend on the file system.
        let rounds = (found[0] - WITHOUT_ROUNDS[0]) / OF_A_ROUND;
        assert!(rounds <= 16, "{ranks} ranks: {rounds} rounds");
        let [of_all, of_node, of_leaders] = WITHOUT_ROUNDS;
        assert_eq!(found, [of_all + rounds * OF_A_ROUND, of_node, of_leaders], "{ranks} ranks");
    }
}

#[test]
fn flash_io_has_the_same_collectives_on_all_ranks_of_every_world() {
    if !only_in_all("the default set has the other workloads") {
        return;
    }
    for ranks in [4, 8] {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let words = "flash-io -f ./f_";
        let Some(all) = calls(Mpi::Open, dir.path(), ranks, words) else { return };
        let [of_all, ..] = of_each_rank(&all, 1, words);
        assert_eq!(of_all, 72, "{ranks} ranks");
    }
}

#[test]
fn sixty_four_ranks_have_the_same_collectives_as_few() {
    if !only_in_all("the default set counts the calls of 8, 16 and 32 ranks") {
        return;
    }
    let (words, wanted) = WORKLOADS[0];
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    if let Some(all) = calls(Mpi::Mpich, dir.path(), 64, words) {
        assert_eq!(of_each_rank(&all, NODES, words), wanted);
    }
    let few = calls(Mpi::Open, dir.path(), 4, words).map(|all| of_each_rank(&all, 1, words));
    let many = calls(Mpi::Open, dir.path(), 64, words).map(|all| of_each_rank(&all, 1, words));
    assert_eq!(few, many, "Open MPI has all ranks on one node");
}

#[test]
fn an_alarm_of_all_ranks_costs_no_rank_more_messages_than_it_has_neighbors() {
    const RANKS: u32 = 32;
    let received = |dir: &Path| {
        let all = calls(Mpi::Mpich, dir, RANKS, "ior -w -F -t 4k -b 64k -o f")?;
        let of = |calls: &RankCalls| -> u64 {
            let received = calls.iter().filter(|((name, _), _)| name == "MPI_Irecv");
            received.map(|(_, [calls, _])| calls).sum()
        };
        Some(all.iter().map(of).collect::<Vec<u64>>())
    };
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (Some(full), Some(sound)) = (Tmpfs::new("size=8k"), received(dir.path())) else { return };
    let failed = received(full.path()).unwrap();
    let alarms: Vec<u64> = failed.iter().zip(&sound).map(|(failed, sound)| failed - sound).collect();
    // Rank 0 has seven children with lower numbers than 8, and 8, 16 and 24. Before, it received 31 messages.
    assert_eq!((alarms[0], alarms.iter().max()), (10, Some(&10)), "{alarms:?}");
}
