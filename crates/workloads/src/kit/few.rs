//! Brings the words of the few ranks that have something to say to rank 0.
//!
//! A gather would cost rank 0 memory for every rank, also for those that are silent. Here every rank has
//! one of 61 slots, by its number; in each slot the lowest rank that has something to say is heard, and
//! the others are counted. 61 is prime, so that ranks of one node and ranks that lie evenly
//! apart fall into different slots; up to 61 ranks are all heard.
//!
//! Invariant: four reductions at most, one when nobody speaks; memory does not grow with the ranks.

use ranks::{Comm, Halt, Reduce};

/// From how many ranks at most the words arrive.
pub const SLOTS: usize = 61;
/// How many bytes of one rank arrive at most.
pub const BYTES: usize = 4096;
/// Bytes in a word that travels: values of a reduction stay below 2^63.
const WIDTH: usize = 7;

/// What was heard.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Few {
    /// How many ranks had something to say; the same on all ranks.
    pub total: u64,
    /// Rank and words of those that were heard, by rank; on rank 0 only.
    pub parcels: Vec<(u32, String)>,
}

/// Collects what the ranks have to say: the first [`BYTES`] of `mine`. Collective.
pub fn collect(comm: &dyn Comm, mine: Option<&str>) -> Result<Few, Halt> {
    collect_within(comm, mine, BYTES)
}

/// The same for the first `most` bytes of `mine`.
pub fn collect_within(comm: &dyn Comm, mine: Option<&str>, most: usize) -> Result<Few, Halt> {
    let total = comm.reduce_one(mine.is_some().into(), Reduce::Sum)?;
    if total == 0 {
        return Ok(Few::default());
    }
    let mine = mine.map(|text| &text.as_bytes()[..text.len().min(most)]);
    let longest = comm.reduce_one(mine.map_or(0, <[u8]>::len) as u64, Reduce::Max)? as usize;
    let slot = comm.rank() as usize % SLOTS;
    let mut speakers = [u64::from(comm.size()); SLOTS];
    if mine.is_some() {
        speakers[slot] = comm.rank().into();
    }
    comm.all_reduce(&mut speakers, Reduce::Min)?;

    let heard: Vec<u64> = speakers.into_iter().filter(|rank| *rank < comm.size().into()).collect();
    let width = 1 + longest.div_ceil(WIDTH);
    let mut table = vec![0; heard.len() * width];
    let own = heard.iter().position(|rank| *rank == u64::from(comm.rank()));
    if let (Some(bytes), Some(own)) = (mine, own) {
        pack(bytes, &mut table[own * width..][..width]);
    }
    comm.all_reduce(&mut table, Reduce::Sum)?;
    if comm.rank() > 0 {
        return Ok(Few { total, parcels: Vec::new() });
    }
    let words = heard.iter().zip(table.chunks(width));
    let mut parcels: Vec<_> = words.map(|(rank, words)| (*rank as u32, unpack(words))).collect();
    parcels.sort_unstable();
    Ok(Few { total, parcels })
}

/// As many lines as arrive whole where `most` bytes do, each with its end.
pub fn whole_lines(lines: impl IntoIterator<Item = String>, most: usize) -> String {
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() + 1 > most {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The first of what each rank has, then the second, as far as there is `room`; in the order of ranks, and of
/// each rank in its own.
pub fn in_turn<T>(ranks: Vec<Vec<T>>, room: usize) -> Vec<T> {
    let mut taken = vec![0; ranks.len()];
    let mut left = room;
    for turn in 0..room {
        for (mine, taken) in ranks.iter().zip(&mut taken).filter(|(mine, _)| mine.len() > turn) {
            if left > 0 && *taken < mine.len() {
                (*taken, left) = (turn + 1, left - 1);
            }
        }
    }
    ranks.into_iter().zip(taken).flat_map(|(mine, taken)| mine.into_iter().take(taken)).collect()
}

/// The length, then the bytes, seven to a word.
fn pack(bytes: &[u8], words: &mut [u64]) {
    words[0] = bytes.len() as u64;
    for (word, part) in words[1..].iter_mut().zip(bytes.chunks(WIDTH)) {
        let mut whole = [0; 8];
        whole[..part.len()].copy_from_slice(part);
        *word = u64::from_le_bytes(whole);
    }
}

fn unpack(words: &[u64]) -> String {
    let bytes = words[1..].iter().flat_map(|word| word.to_le_bytes().into_iter().take(WIDTH));
    let bytes: Vec<u8> = bytes.take(words[0] as usize).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranks::local;

    fn heard(ranks: u32, says: impl Fn(u32) -> Option<String> + Sync) -> Few {
        let all = local::run(ranks, |comm| collect(comm, says(comm.rank()).as_deref()).expect("no halt"));
        all.into_iter().next().expect("there is a rank").expect("no panic")
    }

    #[test]
    fn what_a_few_ranks_say_arrives_whole_and_in_order() {
        let says = |rank: u32| {
            (rank % 3 == 1).then(|| char::from(rank as u8).to_string().repeat(rank as usize % 20))
        };
        for ranks in [1, 2, 7, 61] {
            let few = heard(ranks, says);
            let wanted: Vec<_> = (0..ranks).filter_map(|rank| Some((rank, says(rank)?))).collect();
            assert_eq!(few, Few { total: wanted.len() as u64, parcels: wanted }, "{ranks} ranks");
        }
    }

    #[test]
    fn of_more_ranks_than_slots_the_lowest_are_heard_and_all_are_counted() {
        let few = heard(150, |rank| Some(rank.to_string()));
        assert_eq!(few.total, 150);
        let wanted: Vec<_> = (0..61_u32).map(|rank| (rank, rank.to_string())).collect();
        assert_eq!(few.parcels, wanted);
        // A node of 40 neighbours, and ranks that lie 32 apart.
        assert_eq!(heard(150, |rank| (80..120).contains(&rank).then(String::new)).parcels.len(), 40);
        assert_eq!(heard(150, |rank| (rank % 32 == 5).then(String::new)).parcels.len(), 5);
    }

    #[test]
    fn a_long_speech_is_cut() {
        let few = heard(2, |rank| Some("x".repeat(if rank == 0 { 9000 } else { 3 })));
        assert_eq!(few.parcels, [(0, "x".repeat(BYTES)), (1, "xxx".to_owned())]);
    }

    #[test]
    fn a_list_has_room_for_every_rank_and_is_filled_by_those_that_have_more() {
        let of = |rank: u32, count: u32| -> Vec<(u32, u32)> { (0..count).map(|item| (rank, item)).collect() };
        let listed = in_turn(vec![of(0, 100), of(3, 2), of(7, 64), of(9, 0)], 64);
        let count = |rank| listed.iter().filter(|(whose, _)| *whose == rank).count();
        assert_eq!((listed.len(), count(0), count(3), count(7)), (64, 31, 2, 31));
        assert!(listed.is_sorted());
        let crowd = in_turn((0..61).map(|rank| of(rank, 5)).collect(), 64);
        assert_eq!((crowd.len(), crowd[63].0), (64, 60));
    }
}
