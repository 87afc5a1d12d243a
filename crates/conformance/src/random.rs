//! Pieces of random length at random places, written by all ranks in rounds; the seed decides which.

use storage::mpi_file::{At, Participation};

use super::case::ConformanceCase;
use super::context::CaseContext;
use super::mpi_files::CREATE_READ_WRITE;
use super::problem::{CaseResult, ProblemContext};
use super::system_file;
use super::test_data;

/// The cases of this group.
pub(super) fn cases() -> Vec<ConformanceCase> {
    vec![
        ConformanceCase::new(
            "posix.random.pieces",
            "POSIX.1-2017 write",
            "random pieces (--seed) of all ranks, over each other in rounds, leave what the last round wrote",
            posix,
        ),
        ConformanceCase::new(
            "consistency.random_pieces",
            "MPI 4.1 section 14.6.1",
            "the same by MPI's calls, alone and together in turn, with sync, barrier, sync between rounds",
            mpi,
        )
        .mpi(),
    ]
}

/// Length of the file, bytes.
const LENGTH: usize = 60_000;

const ROUNDS: u32 = 24;

/// Pseudorandom numbers, the same on all ranks for the same seed.
struct SharedRandom(u64);

impl SharedRandom {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// For each round, the offset and length of each rank's piece. Pieces of one round do not overlap.
fn rounds(seed: u64, ranks: u32) -> Vec<Vec<(usize, usize)>> {
    let mut random = SharedRandom(seed ^ 0x5eed);
    let room = LENGTH / ranks as usize;
    let mut round = || {
        // Each rank has one part of the file; which part it is changes from round to round.
        let turn = random.below(ranks as usize);
        let mut piece = |rank: u32| {
            let length = 1 + random.below(room.min(9000));
            let part = (rank as usize + turn) % ranks as usize;
            (part * room + random.below(room - length + 1), length)
        };
        (0..ranks).map(&mut piece).collect()
    };
    (0..ROUNDS).map(|_| round()).collect()
}

/// The expected file after all rounds.
fn expected_file(rounds: &[Vec<(usize, usize)>]) -> Vec<u8> {
    let mut expected = vec![test_data::UNTOUCHED; LENGTH];
    for (number, round) in rounds.iter().enumerate() {
        for (rank, (place, length)) in round.iter().enumerate() {
            expected[*place..place + length].copy_from_slice(&test_data::bytes(
                rank as u32,
                number as u32,
                *length,
            ));
        }
    }
    expected
}

fn posix(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, rounds) = (cx.rank(), rounds(cx.seed, cx.size()));
    cx.on_rank_0("make", || system_file::prefill(&path, LENGTH))?;
    let file = cx.agree("open", system_file::open(&path))?;
    for (number, round) in rounds.iter().enumerate() {
        let (place, length) = round[rank as usize];
        let data = test_data::bytes(rank, number as u32, length);
        cx.agree("write", system_file::write_at(&file, &data, place as u64))?;
    }
    drop(file);
    cx.comm.barrier()?;
    cx.all("look", || system_file::check_all("the file after all rounds", &path, &expected_file(&rounds)))
}

fn mpi(cx: &mut CaseContext<'_>) -> CaseResult {
    let path = cx.path("file");
    let (rank, rounds) = (cx.rank(), rounds(cx.seed, cx.size()));
    cx.on_rank_0("make", || system_file::prefill(&path, LENGTH))?;
    let file = cx.open(&path, &CREATE_READ_WRITE)?;
    for (number, round) in rounds.iter().enumerate() {
        let (place, length) = round[rank as usize];
        let data = test_data::bytes(rank, number as u32, length);
        let way = if number % 2 == 0 { Participation::Independent } else { Participation::Collective };
        cx.all("write", || {
            file.write(At::Offset(place as i64), way, &data, file.bytes(length)).context("write")
        })?;
        cx.sync(&file)?;
    }
    cx.close(file)?;
    cx.check_file("the file after all rounds", &path, &expected_file(&rounds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_round_do_not_overlap_and_depend_on_the_seed() {
        for ranks in 1..6 {
            for round in rounds(7, ranks) {
                let mut sorted = round.clone();
                sorted.sort_unstable();
                assert!(sorted.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0), "{sorted:?}");
                assert!(sorted.iter().all(|(place, length)| place + length <= LENGTH && *length > 0));
            }
        }
        assert_eq!(rounds(7, 3), rounds(7, 3));
        assert_ne!(rounds(7, 3), rounds(8, 3));
    }
}
