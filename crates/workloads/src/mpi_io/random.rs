//! Pieces of random length at random places, from all ranks, round after round; the seed says which.

use storage::mpi_file::{At, Datatype, Elements, Named, Way};

use super::case::Case;
use super::files::MADE;
use super::look;
use super::scene::Scene;
use super::stop::{Told, Verdict};

/// The cases of this group.
pub(super) fn cases() -> Vec<Case> {
    vec![
        Case::new(
            "posix.random.pieces",
            "POSIX.1-2017 write",
            "random pieces (--seed) of all ranks, over each other in rounds, leave what the last round wrote",
            posix,
        ),
        Case::new(
            "consistency.random_pieces",
            "MPI 4.1 section 14.6.1",
            "the same by MPI's calls, alone and together in turn, with sync, barrier, sync between rounds",
            mpi,
        )
        .mpi(),
    ]
}

/// Bytes of the file.
const LENGTH: usize = 60_000;

const ROUNDS: u32 = 24;

/// A sequence of numbers that looks random, the same on all ranks.
struct Dice(u64);

impl Dice {
    /// A number below `bound`.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }
}

/// In each round, the place and length of each rank's piece; pieces of one round do not overlap.
fn rounds(seed: u64, ranks: u32) -> Vec<Vec<(usize, usize)>> {
    let mut dice = Dice(seed ^ 0x5eed);
    let room = LENGTH / ranks as usize;
    let mut round = || {
        // Each rank has a part of the file, another one in each round.
        let turn = dice.below(ranks as usize);
        let mut piece = |rank: u32| {
            let length = 1 + dice.below(room.min(9000));
            let part = (rank as usize + turn) % ranks as usize;
            (part * room + dice.below(room - length + 1), length)
        };
        (0..ranks).map(&mut piece).collect()
    };
    (0..ROUNDS).map(|_| round()).collect()
}

/// The file after all rounds.
fn picture(rounds: &[Vec<(usize, usize)>]) -> Vec<u8> {
    let mut picture = vec![look::UNTOUCHED; LENGTH];
    for (number, round) in rounds.iter().enumerate() {
        for (rank, (place, length)) in round.iter().enumerate() {
            picture[*place..place + length].copy_from_slice(&look::data(rank as u32, number as u32, *length));
        }
    }
    picture
}

fn posix(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, rounds) = (scene.rank(), rounds(scene.seed, scene.size()));
    scene.on_rank_0("make", || look::prefill(&path, LENGTH))?;
    let file = scene.agree("open", look::open(&path))?;
    for (number, round) in rounds.iter().enumerate() {
        let (place, length) = round[rank as usize];
        let data = look::data(rank, number as u32, length);
        scene.agree("write", look::write_at(&file, &data, place as u64))?;
    }
    drop(file);
    scene.comm.barrier()?;
    scene.all("look", || look::is_whole("the file after all rounds", &path, &picture(&rounds)))
}

fn mpi(scene: &mut Scene<'_>) -> Verdict {
    let path = scene.path("file");
    let (rank, rounds) = (scene.rank(), rounds(scene.seed, scene.size()));
    let byte = Datatype::named(scene.mpi()?, Named::Byte);
    scene.on_rank_0("make", || look::prefill(&path, LENGTH))?;
    let file = scene.open(&path, &MADE)?;
    for (number, round) in rounds.iter().enumerate() {
        let (place, length) = round[rank as usize];
        let data = look::data(rank, number as u32, length);
        let way = if number % 2 == 0 { Way::Independent } else { Way::Collective };
        scene.all("write", || {
            let elements = Elements::new(&byte, length as i32);
            file.write(At::Offset(place as i64), way, &data, elements).map(drop).told("write")
        })?;
        scene.agree("MPI_File_sync", file.sync())?;
        scene.comm.barrier()?;
        scene.agree("MPI_File_sync again", file.sync())?;
    }
    scene.close(file)?;
    scene
        .on_rank_0("look", || look::is_whole("the file after all rounds", &path, &picture(&rounds)))
        .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_a_round_do_not_overlap_and_the_seed_says_where_they_are() {
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
