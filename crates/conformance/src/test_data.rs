//! Test data: bytes that depend on the rank and the call that write them, and on their place.
//!
//! Invariant: no byte is 0 or [`UNTOUCHED`], so that checks detect holes and places that nothing was written
//! to.

/// Fills a file before a case writes into it; no case writes this byte.
pub(super) const UNTOUCHED: u8 = 0xa5;

/// Data of a rank's call: each byte depends on rank, call and place.
pub(super) fn bytes(rank: u32, call: u32, length: usize) -> Vec<u8> {
    let key = u64::from(rank) << 40 | u64::from(call) << 24;
    let words = (0..length.div_ceil(8) as u64).flat_map(|word| mixed(key | word).to_le_bytes());
    words.take(length).map(|byte| if byte == UNTOUCHED || byte == 0 { 0x5a } else { byte }).collect()
}

/// Data of a call of each rank, end to end.
pub(super) fn of_ranks(ranks: u32, call: u32, length: usize) -> Vec<u8> {
    (0..ranks).flat_map(|rank| bytes(rank, call, length)).collect()
}

/// Data of the first `calls` calls of each rank, end to end.
pub(super) fn of_calls(ranks: u32, calls: u32, length: usize) -> Vec<u8> {
    (0..ranks).flat_map(|rank| (0..calls).flat_map(move |call| bytes(rank, call, length))).collect()
}

/// Four bytes that identify a rank and one of its first two calls.
pub(super) fn key(rank: u32, call: u32) -> [u8; 4] {
    let mut number = u64::from(rank) * 2 + u64::from(call);
    [(); 4].map(|()| {
        let digit = 1 + (number % 254) as u8;
        number /= 254;
        if digit >= UNTOUCHED { digit + 1 } else { digit }
    })
}

/// Every bit of the result depends on every bit of the number (the last steps of SplitMix64).
fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn keys_of_100_000_ranks_differ_and_are_valid_data() {
        let mut keys = HashSet::new();
        for rank in 0..100_000 {
            for call in 0..2 {
                let key = key(rank, call);
                assert!(keys.insert(key), "rank {rank}, call {call}");
                assert!(key.iter().all(|byte| ![0, UNTOUCHED].contains(byte)), "{key:?}");
            }
        }
    }

    #[test]
    fn data_of_ranks_with_large_numbers_differs() {
        let ranks = [0, 1, 1 << 16, (1 << 16) + 1, (1 << 24) - 1];
        let all: HashSet<Vec<u8>> = ranks.iter().map(|rank| bytes(*rank, 1, 64)).collect();
        assert_eq!(all.len(), ranks.len());
    }
}
