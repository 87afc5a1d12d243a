//! Sends the texts of the few ranks that have something to report to rank 0.
//!
//! A gather would cost rank 0 memory for every rank, even for those without a text. Here every rank has one
//! of 61 slots, by its number. In each slot the text of the lowest rank arrives, and the others are counted.
//! Because 61 is prime, ranks of one node, and ranks with a regular distance, use different slots. Up to 61
//! ranks all arrive.
//!
//! Invariant: at most four reductions, and one if no rank has a text. Memory does not grow with the ranks.

use ranks::{Comm, Halt, Reduce};

/// Most ranks whose texts arrive.
pub const SLOTS: usize = 61;
/// Most bytes of one rank that arrive.
pub const BYTES: usize = 4096;
/// Bytes in a word that is sent, because values of a reduction stay below 2^63.
const WIDTH: usize = 7;

/// The texts that arrived.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Few {
    /// The number of ranks that had a text; the same on all ranks.
    pub total: u64,
    /// Rank and text of those that arrived, by rank; on rank 0 only.
    pub parcels: Vec<(u32, String)>,
}

/// Collects the texts of the ranks: the first [`BYTES`] of `mine`. Collective.
pub fn collect(comm: &dyn Comm, mine: Option<&str>) -> Result<Few, Halt> {
    collect_within(comm, mine, BYTES)
}

/// The same for the first `most` bytes of `mine`.
pub fn collect_within(comm: &dyn Comm, mine: Option<&str>, most: usize) -> Result<Few, Halt> {
    let total = comm.reduce_one(mine.is_some().into(), Reduce::Sum)?;
    collect_known(comm, total, mine, most)
}

/// The same if all ranks know that `total` ranks have a text.
pub fn collect_known(comm: &dyn Comm, total: u64, mine: Option<&str>, most: usize) -> Result<Few, Halt> {
    if total == 0 {
        return Ok(Few::default());
    }
    let mine = mine.map(|text| &text.as_bytes()[..text.len().min(most)]);
    let longest = comm.reduce_one(mine.map_or(0, <[u8]>::len) as u64, Reduce::Max)? as usize;
    let slot = comm.rank() as usize % SLOTS;
    let mut senders = [u64::from(comm.size()); SLOTS];
    if mine.is_some() {
        senders[slot] = comm.rank().into();
    }
    comm.all_reduce(&mut senders, Reduce::Min)?;

    let arrived: Vec<u64> = senders.into_iter().filter(|rank| *rank < comm.size().into()).collect();
    let width = 1 + longest.div_ceil(WIDTH);
    let mut table = vec![0; arrived.len() * width];
    let own = arrived.iter().position(|rank| *rank == u64::from(comm.rank()));
    if let (Some(bytes), Some(own)) = (mine, own) {
        pack(bytes, &mut table[own * width..][..width]);
    }
    comm.all_reduce(&mut table, Reduce::Sum)?;
    if comm.rank() > 0 {
        return Ok(Few { total, parcels: Vec::new() });
    }
    let words = arrived.iter().zip(table.chunks(width));
    let mut parcels: Vec<_> = words.map(|(rank, words)| (*rank as u32, unpack(words))).collect();
    parcels.sort_unstable();
    Ok(Few { total, parcels })
}

/// As many complete lines as fit into `most` bytes, each with its line end.
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

/// As many complete texts as fit into `most` bytes. Each follows its length, so it can have any character.
pub fn whole_texts(texts: impl IntoIterator<Item = String>, most: usize) -> String {
    let mut all = String::new();
    for text in texts {
        let text = format!("{} {text}", text.len());
        if all.len() + text.len() > most {
            break;
        }
        all.push_str(&text);
    }
    all
}

/// The texts of [`whole_texts`].
pub fn split_texts(mut all: &str) -> Vec<&str> {
    let mut texts = Vec::new();
    while let Some((length, rest)) = all.split_once(' ')
        && let Some((text, rest)) = length.parse().ok().and_then(|length| rest.split_at_checked(length))
    {
        texts.push(text);
        all = rest;
    }
    texts
}

/// The first item of each rank, then the second, up to `most` items. The result is in the order of the ranks,
/// and for each rank in its own order.
pub fn in_turn<T>(ranks: Vec<Vec<T>>, most: usize) -> Vec<T> {
    let mut taken = vec![0; ranks.len()];
    let mut left = most;
    for turn in 0..most {
        for (mine, taken) in ranks.iter().zip(&mut taken).filter(|(mine, _)| mine.len() > turn) {
            if left > 0 && *taken < mine.len() {
                (*taken, left) = (turn + 1, left - 1);
            }
        }
    }
    ranks.into_iter().zip(taken).flat_map(|(mine, taken)| mine.into_iter().take(taken)).collect()
}

/// The length, then the bytes, seven in a word.
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

    fn arrived(ranks: u32, text: impl Fn(u32) -> Option<String> + Sync) -> Few {
        let all = local::run(ranks, |comm| collect(comm, text(comm.rank()).as_deref()).expect("no halt"));
        all.into_iter().next().expect("there is a rank").expect("no panic")
    }

    #[test]
    fn texts_of_a_few_ranks_arrive_complete_and_in_order() {
        let text = |rank: u32| {
            (rank % 3 == 1).then(|| char::from(rank as u8).to_string().repeat(rank as usize % 20))
        };
        for ranks in [1, 2, 7, 61] {
            let few = arrived(ranks, text);
            let wanted: Vec<_> = (0..ranks).filter_map(|rank| Some((rank, text(rank)?))).collect();
            assert_eq!(few, Few { total: wanted.len() as u64, parcels: wanted }, "{ranks} ranks");
        }
    }

    #[test]
    fn with_more_ranks_than_slots_the_lowest_arrive_and_all_are_counted() {
        let few = arrived(150, |rank| Some(rank.to_string()));
        assert_eq!(few.total, 150);
        let wanted: Vec<_> = (0..61_u32).map(|rank| (rank, rank.to_string())).collect();
        assert_eq!(few.parcels, wanted);
        // A node of 40 neighbours, and ranks at a distance of 32.
        assert_eq!(arrived(150, |rank| (80..120).contains(&rank).then(String::new)).parcels.len(), 40);
        assert_eq!(arrived(150, |rank| (rank % 32 == 5).then(String::new)).parcels.len(), 5);
    }

    #[test]
    fn a_long_text_is_cut() {
        let few = arrived(2, |rank| Some("x".repeat(if rank == 0 { 9000 } else { 3 })));
        assert_eq!(few.parcels, [(0, "x".repeat(BYTES)), (1, "xxx".to_owned())]);
    }

    #[test]
    fn texts_with_any_character_are_joined_and_split_up_to_a_limit() {
        let texts = ["", "a b\n3 c", "\0é", "long"].map(str::to_owned);
        let all = whole_texts(texts.clone(), BYTES);
        assert_eq!(split_texts(&all), texts);
        assert_eq!(split_texts(&whole_texts(texts.clone(), all.len() - 1)), texts[..3]);
        for damaged in ["", "x", "5 abc", "-1 a", "1 é"] {
            assert_eq!(split_texts(damaged), [""; 0], "{damaged}");
        }
    }

    #[test]
    fn a_list_has_space_for_every_rank_and_is_filled_by_ranks_that_have_more() {
        let of = |rank: u32, count: u32| -> Vec<(u32, u32)> { (0..count).map(|item| (rank, item)).collect() };
        let listed = in_turn(vec![of(0, 100), of(3, 2), of(7, 64), of(9, 0)], 64);
        let count = |rank| listed.iter().filter(|(of, _)| *of == rank).count();
        assert_eq!((listed.len(), count(0), count(3), count(7)), (64, 31, 2, 31));
        assert!(listed.is_sorted());
        let many = in_turn((0..61).map(|rank| of(rank, 5)).collect(), 64);
        assert_eq!((many.len(), many[63].0), (64, 60));
    }
}
