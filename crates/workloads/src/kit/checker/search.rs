//! Whose stamped data is, and where it belongs, where no stamp came with it.
//!
//! A word tells the key of its block, for each index that it may have there, and so with whoever may have
//! written it where that block lies. Two neighbours tell besides whether it is stamped data at all.

use crate::kit::layout::DataLayout;
use crate::kit::payload::DataIdentity;
use crate::kit::payload::stamped::{FoundWord, Stamped, blocks_with};

/// Generations around the expected one in which the data of other ranks is looked for.
const NEAR: u32 = 8;
/// The same for the data of the same rank.
const FAR: u32 = 256;
/// How many origins are tried for words that nobody explains.
const TRIES: usize = 1 << 20;

/// Words that nobody explains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clue {
    /// The first, as it lies in memory.
    pub(super) word: u64,
    /// The one behind it in the same sector, if nobody explains that either.
    pub(super) next: Option<u64>,
    /// Where the first was found.
    pub(super) here: u64,
}

/// Whose words are.
#[derive(Clone, Copy, Debug)]
pub(super) enum WordOwner {
    /// This origin's, from this offset.
    Known(DataIdentity, u64),
    /// Those of a block that nobody known wrote.
    Stranger(FoundWord),
}

/// Where an origin's data may lie.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// It is below this, bytes.
    end: u64,
    here: u64,
    layout: Option<DataLayout>,
}

impl Reach {
    /// Whether the place is one that this rank writes in the file, or the place where the data stands.
    fn is_theirs(&self, rank: u64, place: u64) -> bool {
        let owns = |layout: DataLayout| place < layout.file_bytes() && layout.owner(place) == rank;
        place == self.here || self.layout.is_some_and(owns)
    }
}

/// Whose words `clue` are where `own` was expected, or one of `others`.
pub(super) fn whose(
    clue: Clue,
    own: DataIdentity,
    others: &[DataIdentity],
    layout: Option<DataLayout>,
) -> Option<WordOwner> {
    let found: Vec<FoundWord> = blocks_with(clue.word, clue.next, clue.here).collect();
    if found.is_empty() {
        return None;
    }
    // One word fits somewhere in a large file by chance.
    let whole = layout.map(|layout| layout.file_bytes()).filter(|_| clue.next.is_none());
    let reach = Reach { end: whole.unwrap_or(u64::MAX), here: clue.here, layout };
    let place = |origin: DataIdentity| {
        let stamped = Stamped::new(origin);
        let fits = |found: &FoundWord| stamped.place_of(*found).filter(|place| *place < reach.end);
        Some((origin, found.iter().find_map(fits)?))
    };
    // A single word is looked for in fewer, as it is found by chance in more.
    let far = if clue.next.is_some() { FAR } else { NEAR };
    let same_rank = near(own.generation, far).map(|generation| DataIdentity { generation, ..own });
    let known = others.iter().copied().chain(same_rank).find_map(place).or_else(|| {
        let fits = |origin| place(origin).filter(|(origin, place)| reach.is_theirs(origin.rank, *place));
        of_other_ranks(own, layout).take(TRIES / found.len()).find_map(fits)
    });
    match known {
        Some((origin, place)) => Some(WordOwner::Known(origin, place)),
        // The last: where a stamp may stand in the first, it has words in all of the sector.
        None => found.last().filter(|_| clue.next.is_some()).map(|found| WordOwner::Stranger(*found)),
    }
}

/// What the other ranks of a shared file write.
fn of_other_ranks(own: DataIdentity, layout: Option<DataLayout>) -> impl Iterator<Item = DataIdentity> {
    let ranks = layout.filter(|layout| !layout.file_per_rank).map_or(0, |layout| layout.ranks);
    near(own.generation, NEAR)
        .flat_map(move |generation| (0..ranks).map(move |rank| DataIdentity { rank, generation, ..own }))
}

/// The generations up to `reach` away, the nearest first.
fn near(expected: u32, reach: u32) -> impl Iterator<Item = u32> {
    let away = move |by: u32| [expected.checked_sub(by), expected.checked_add(by).filter(|_| by > 0)];
    (0..=reach).flat_map(away).flatten()
}
