//! Finds the writer of stamped data that has no stamp, and where the data belongs.
//!
//! A word and its index give the key of its block. The key and a possible writer give the offset of that
//! block. Two neighbouring words also show whether they are stamped data at all.

use crate::kit::layout::DataLayout;
use crate::kit::payload::DataIdentity;
use crate::kit::payload::stamped::{FoundWord, Stamped, blocks_with};

/// Generations around the expected one in which data of other ranks is searched.
const NEAR: u32 = 8;
/// The same for data of the same rank.
const FAR: u32 = 256;
/// Number of origins that are tried for unexplained words.
const TRIES: usize = 1 << 20;

/// Words that no candidate explains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clue {
    /// The first word, in the byte order of memory.
    pub(super) word: u64,
    /// The next word of the same sector, if that is unexplained too.
    pub(super) next: Option<u64>,
    /// The offset of the first word.
    pub(super) here: u64,
}

/// The writer of unexplained words.
#[derive(Clone, Copy, Debug)]
pub(super) enum WordOwner {
    /// This origin, and the offset of the words in its data.
    Known(DataIdentity, u64),
    /// Words of a block of an unknown writer.
    Stranger(FoundWord),
}

/// Where the data of an origin may lie.
#[derive(Clone, Copy, Debug)]
struct Reach {
    /// It lies below this, bytes.
    end: u64,
    here: u64,
    layout: Option<DataLayout>,
}

impl Reach {
    /// Whether this rank writes the place in the file, or the data was found at this place.
    fn is_theirs(&self, rank: u64, place: u64) -> bool {
        let owns = |layout: DataLayout| place < layout.file_bytes() && layout.owner(place) == rank;
        place == self.here || self.layout.is_some_and(owns)
    }
}

/// Finds the writer of `clue` where `own` was expected. `others` are tried first.
pub(super) fn find_owner(
    clue: Clue,
    own: DataIdentity,
    others: &[DataIdentity],
    layout: Option<DataLayout>,
) -> Option<WordOwner> {
    // No place can be computed from a word of keyed data.
    let found: Vec<FoundWord> = match own.key {
        None => blocks_with(clue.word, clue.next, clue.here).collect(),
        Some(_) => Vec::new(),
    };
    if found.is_empty() {
        return None;
    }
    // In a large file a single word fits somewhere by chance.
    let whole = layout.map(|layout| layout.file_bytes()).filter(|_| clue.next.is_none());
    let reach = Reach { end: whole.unwrap_or(u64::MAX), here: clue.here, layout };
    let place = |origin: DataIdentity| {
        let stamped = Stamped::new(origin);
        let fits = |found: &FoundWord| stamped.place_of(*found).filter(|place| *place < reach.end);
        Some((origin, found.iter().find_map(fits)?))
    };
    // A single word is searched in fewer generations, because more give more chance matches.
    let far = if clue.next.is_some() { FAR } else { NEAR };
    let same_rank = near(own.generation, far).map(|generation| DataIdentity { generation, ..own });
    let known = others.iter().copied().chain(same_rank).find_map(place).or_else(|| {
        let fits = |origin| place(origin).filter(|(origin, place)| reach.is_theirs(origin.rank, *place));
        of_other_ranks(own, layout).take(TRIES / found.len()).find_map(fits)
    });
    match known {
        Some((origin, place)) => Some(WordOwner::Known(origin, place)),
        // The last match: if a stamp may be in the first words, this one has words in the whole sector.
        None => found.last().filter(|_| clue.next.is_some()).map(|found| WordOwner::Stranger(*found)),
    }
}

/// The data that other ranks write to a shared file.
fn of_other_ranks(own: DataIdentity, layout: Option<DataLayout>) -> impl Iterator<Item = DataIdentity> {
    let ranks = layout.filter(|layout| !layout.file_per_rank).map_or(0, |layout| layout.ranks);
    near(own.generation, NEAR)
        .flat_map(move |generation| (0..ranks).map(move |rank| DataIdentity { rank, generation, ..own }))
}

/// The generations at a distance of up to `reach`, the nearest first.
fn near(expected: u32, reach: u32) -> impl Iterator<Item = u32> {
    let away = move |by: u32| [expected.checked_sub(by), expected.checked_add(by).filter(|_| by > 0)];
    (0..=reach).flat_map(away).flatten()
}
