//! The bytes that `ior` writes equal those of the original, on all kinds of ranks.

use std::path::Path;

use crate::common::{ior, mpis};
use sha2::{Digest, Sha256};

/// SHA-256 of the file that IOR 4.1.0+dev writes with `-w -b 64k -t 16k -s 2 -G 1234567 -k -l TYPE` on
/// this number of ranks.
const GOLDEN: [(u32, &str, &str); 16] = [
    (1, "t", "6bdba72fdbdb5489a9c51ed18353644b5450fe51151be6eb5d11b18e8d77a9f3"),
    (1, "o", "ee6d707c9cc34445e49bd58a1c8b792b4b621e011b7e06b58b42be76072bcd20"),
    (1, "i", "2c8aaf3f791937a19d8d579e5ca3f2b8e7b49d584dc7f7ed7e5a6ce390d0087d"),
    (1, "r", "d1d2de72a5b938f5d5ff54aeafc535b251fa4a013ca1730717f4012af1ef43a5"),
    (2, "t", "ab3549764e7e9cb3d6295ef3f439ba378ccc59a444b75fbeb5fdc388e468b401"),
    (2, "o", "79c291f763e1fbf94dd1d8f182d19d29ba60d44a7423a62c9ab80bfc506c0c4e"),
    (2, "i", "204c8ecd9ed0cf02eae4519ce506bfb2a886b8a722caa7987201298157aa615e"),
    (2, "r", "f5361464b623104d2bf46cb4067c7840e5b2558145624cc689e7967283ba0cd2"),
    (3, "t", "ce34c944bd3147f758565cbca1e56a733e1ca516d0640bbd8ce4243b2b9501ad"),
    (3, "o", "4c2edd554e3c41914e2a4e4e0db9b8eac687a4170625daad51bcaab32ef01654"),
    (3, "i", "d20e8dde889658437da09342c936493b0b986706896f24f2a3c2a376bf652ba0"),
    (3, "r", "fa13c5fe662b1c79dd7709c001def74caf160b2fb301757ad248eb8c41267f4f"),
    (4, "t", "e6dfe55142e50ac31416faa105b36f9080cce1dd2f12ff6fe7a55ef2d72a2166"),
    (4, "o", "577f45658f6de86dfaba1ed03cd08f158886387dba674d413d32c7ba96a65e33"),
    (4, "i", "821e59deead73cbbb3db16a0da55aa15fcd088dac542eb5ef971d2c6f020899e"),
    (4, "r", "2dfa72bcbef6ca6aabe7ff44d869367ddf7cc71b3e2ffa82b61865120fe05a71"),
];

fn hash(path: &Path) -> String {
    Sha256::digest(std::fs::read(path).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn line(packet: &str, more: &str) -> String {
    format!("-w -b 64k -t 16k -s 2 -G 1234567 -k -o f -l {packet} {more}")
}

#[test]
fn local_ranks_write_the_bytes_of_the_original_in_every_order() {
    for (ranks, packet, golden) in GOLDEN {
        // In a shared file a shuffle assigns transfers to other ranks, and the data of ranks differs.
        let orders = ["", "-Y", "-g -e", "-z --random-offset-seed=3", "-z --random-order=ior"];
        for order in &orders[..if ranks == 1 { 5 } else { 3 }] {
            let dir = tempfile::tempdir().unwrap();
            ior(dir.path(), ranks, &line(packet, order)).ok();
            assert_eq!(hash(&dir.path().join("f")), golden, "{ranks} ranks, -l {packet} {order}");
        }
    }
}

#[test]
fn mpi_ranks_write_the_bytes_of_the_original_under_every_library() {
    for &mpi in mpis() {
        for (ranks, packet, golden) in GOLDEN.into_iter().filter(|(ranks, ..)| [1, 2, 4].contains(ranks)) {
            let dir = tempfile::tempdir().unwrap();
            let Some(ran) = mpi.ior(dir.path(), ranks, &line(packet, "-e")) else { break };
            ran.ok();
            assert_eq!(hash(&dir.path().join("f")), golden, "{mpi:?}, {ranks} ranks, -l {packet}");
        }
    }
}

#[test]
fn mpi_io_writes_the_same_bytes_in_independent_and_collective_mode() {
    for &mpi in mpis() {
        for (ranks, packet, golden) in GOLDEN.into_iter().filter(|(ranks, ..)| *ranks == 2) {
            for how in ["-a MPIIO", "-a MPIIO -c -e"] {
                let dir = tempfile::tempdir().unwrap();
                let Some(ran) = mpi.ior(dir.path(), ranks, &line(packet, how)) else { return };
                ran.ok();
                assert_eq!(hash(&dir.path().join("f")), golden, "{mpi:?}, -l {packet} {how}");
                let check = format!("-R -b 64k -t 16k -s 2 -G 1234567 -k -o f -l {packet} {how}");
                mpi.ior(dir.path(), ranks, &check).expect("this MPI is installed").ok();
            }
        }
    }
}

#[test]
fn a_shuffled_shared_file_is_complete_and_reads_back_with_its_seed() {
    for order in ["-z --random-offset-seed=3", "-z --random-order=ior --random-offset-seed=3"] {
        for ranks in 1..=4 {
            let dir = tempfile::tempdir().unwrap();
            ior(dir.path(), ranks, &line("o", order)).ok();
            let bytes = std::fs::read(dir.path().join("f")).unwrap();
            assert_eq!(bytes.len(), (ranks as usize * 128) << 10);
            // The first word of every transfer has its offset, so missing or misplaced transfers are visible.
            for (index, transfer) in bytes.chunks(16 << 10).enumerate() {
                let word = u64::from_ne_bytes(transfer[..8].try_into().unwrap());
                assert_eq!(word & 0xffff_ffff, (index as u64) << 14, "{order}, {ranks} ranks");
            }
            let check = format!("-R -b 64k -t 16k -s 2 -G 1234567 -k -o f -l o {order}");
            ior(dir.path(), ranks, &check).ok();
        }
    }
}

#[test]
fn a_file_per_process_has_the_blocks_of_its_rank() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    ior(path, 3, &line("o", "-F")).ok();
    ior(path, 3, "-R -b 64k -t 16k -s 2 -G 1234567 -k -o f -l o -F -z --random-offset-seed=1").ok();
    for rank in 0..3 {
        assert_eq!(path.join(format!("f.{rank:08}")).metadata().unwrap().len(), 128 << 10);
    }
}
