//! The bytes of all packet types.

use std::collections::HashSet;

use proptest::prelude::*;

use super::stamped::blocks_with;
use super::*;

const PACKETS: [Packet; 5] =
    [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random, Packet::Stamped];

fn payload(packet: Packet, signature: i32, rank: u64) -> Payload {
    Payload::new(DataIdentity { packet, signature, rank, ..DataIdentity::default() })
}

fn words_at(packet: Packet, rank: u64, offset: u64, at: [usize; 3]) -> [u64; 3] {
    let mut buffer = vec![0; 8192];
    payload(packet, 1_234_567, rank).fill(&mut buffer, offset);
    at.map(|word| native(&buffer[word * 8..word * 8 + 8]))
}

fn words(packet: Packet, rank: u64, offset: u64) -> [u64; 3] {
    words_at(packet, rank, offset, [0, 1, 512])
}

#[test]
fn the_golden_vectors_hold_for_all_packet_types_of_ior() {
    use Packet::{Incompressible, Offset, Random, Timestamp};
    assert_eq!(words(Timestamp, 0, 0), [0x12d687, 0x12d688, 0x12d887]);
    assert_eq!(words(Timestamp, 1, 8192), [0x1_0012_d687, 0x1_0012_d688, 0x1_0012_d887]);
    assert_eq!(words(Offset, 0, 0), [0, 0x12d688, 0]);
    assert_eq!(words(Offset, 1, 8192), [0x1_0000_2000, 0x1_0012_d688, 0x1_0000_4000]);
    assert_eq!(words(Incompressible, 0, 0), [0, 0x0cc0_45cb_13c9_905d, 0]);
    assert_eq!(words(Incompressible, 1, 8192), [0x1_0000_2000, 0x292a_ce49_7428_1439, 0x1_0000_4000]);
    // For `r` the golden vectors give words 0, 1 and 2; word 512 is what IOR 4.1 writes.
    let start = |rank, offset| words_at(Random, rank, offset, [0, 1, 2]);
    assert_eq!(start(0, 0), [0x11cc_f99f_deb2_88b9, 0x0838_afda_b779_d117, 0x06fa_ba3e_6e63_ba22]);
    assert_eq!(start(1, 8192), [0x111f_dcfc_05d1_00bc, 0x19c9_f8b7_005c_2017, 0x0dbe_bee8_d000_0402]);
    assert_eq!(words(Random, 0, 0)[2], 0x18d5_1fab_adfc_b273);
    assert_eq!(words(Random, 1, 8192)[2], 0x1feb_e875_020e_49ed);
}

fn stamped(file: &str, rank: u64, generation: u32) -> Payload {
    let file = file_id(file.as_bytes());
    Payload::new(DataIdentity { packet: Packet::Stamped, signature: 77, rank, file, generation, key: None })
}

#[test]
fn a_stamp_names_the_writer_and_place_of_its_block_and_a_damaged_one_is_ignored() {
    let mut buffer = vec![0; 8192];
    stamped("f", 3, 2).fill(&mut buffer, 40_960);
    let (packet, file) = (Packet::Stamped, file_id(b"f"));
    let origin = DataIdentity { packet, signature: 77, rank: 3, file, generation: 2, key: None };
    assert_eq!(read_stamp(&buffer, None), Some(BlockStamp { origin, offset: 40_960 }));
    assert_eq!(read_stamp(&buffer[4096..], None), Some(BlockStamp { origin, offset: 45_056 }));
    for byte in 0..64 {
        buffer[byte] ^= 1;
        assert_eq!(read_stamp(&buffer, None), None, "byte {byte}");
        buffer[byte] ^= 1;
    }
    assert_eq!(read_stamp(&buffer[..63], None), None);
    assert_eq!(read_stamp(&buffer[8..], None), None);
}

#[test]
fn the_golden_vectors_of_stamped_data_hold() {
    let mut buffer = vec![0; 8192];
    stamped("f", 3, 2).fill(&mut buffer, 40_960);
    let words: Vec<u64> = buffer.chunks_exact(8).map(native).map(u64::from_le).collect();
    assert_eq!(&buffer[..8], b"assaypk\x01");
    assert_eq!((words[1], words[3], words[4], words[5]), (77, 3, 2, 40_960));
    assert_eq!([words[2], words[6], words[7], words[8], words[511], words[512 + 8]], GOLDEN);
}

/// File id of `f`, words 6, 7, 8 and 511 of the block at 40960, and word 8 of the next. Another program
/// computed them from the description in docs/reference/stamped-data.md.
const GOLDEN: [u64; 6] = [
    0x19e7_518d_efa0_f0b1,
    0x9897_2c54_d188_a48d,
    0x4a96_73b1_41a1_85f1,
    0xbcd1_ab69_de4a_f407,
    0xfdc6_afd9_6af0_4651,
    0xed91_3969_0dcf_0e6f,
];

#[test]
fn all_words_of_stamped_data_outside_the_stamps_are_different_and_odd() {
    let mut seen = HashSet::new();
    for (file, rank, generation) in [("f", 0, 0), ("f", 0, 1), ("f", 1, 0), ("g", 0, 0)] {
        let mut buffer = vec![0; 1 << 18];
        stamped(file, rank, generation).fill(&mut buffer, 1 << 20);
        for block in buffer.chunks(4096) {
            for word in block[64..].chunks_exact(8).map(native).map(u64::from_le) {
                assert!(seen.insert(word) && word % 2 == 1, "{word:#x}");
            }
        }
    }
}

#[test]
fn stamped_data_has_no_byte_that_is_much_more_frequent_than_others() {
    let mut buffer = vec![0; 1 << 20];
    stamped("f", 0, 0).fill(&mut buffer, 0);
    for lane in 1..8 {
        let mut counts = [0_u32; 256];
        buffer.iter().skip(lane).step_by(8).for_each(|byte| counts[usize::from(*byte)] += 1);
        // 512 of each are expected. The stamps (one word in 64) add to a few.
        let most = counts.iter().filter(|count| !(350..700).contains(*count)).count();
        assert!(most <= 8, "byte {lane} of the words: {counts:?}");
    }
}

#[test]
fn the_place_of_stamped_data_follows_from_two_words() {
    let payload = stamped("f", 3, 2);
    for offset in [0, 4096, 1 << 20, (1 << 45) + 4096] {
        let mut buffer = vec![0; 4096];
        payload.fill(&mut buffer, offset);
        for at in [64, 72, 2048, 4080] {
            let words = [native(&buffer[at..at + 8]), native(&buffer[at + 8..at + 16])];
            let place = |of: &Payload, here: u64| {
                let found: Vec<_> = blocks_with(words[0], Some(words[1]), here).collect();
                assert!(!found.is_empty(), "for any writer");
                found.iter().find_map(|found| of.stamped.place_of(*found))
            };
            for here in [0, 512, 3584, 1 << 30].map(|far| far + at as u64) {
                assert_eq!(place(&payload, here), Some(offset + at as u64));
                assert_eq!(place(&stamped("f", 3, 1), here), None);
                // A single word does not determine its index.
                let alone: Vec<_> = blocks_with(words[0], None, here).collect();
                let places = alone.iter().filter_map(|found| payload.stamped.place_of(*found));
                assert_eq!(places.collect::<Vec<u64>>(), [offset + at as u64]);
            }
            assert_eq!(blocks_with(words[0], Some(words[1] ^ 2), at as u64).count(), 0);
        }
    }
}

#[test]
fn a_flipped_bit_is_detected() {
    for packet in PACKETS {
        let payload = payload(packet, 7, 3);
        let mut buffer = vec![0; 16384];
        payload.fill(&mut buffer, 1 << 20);
        for byte in [0, 7, 8, 63, 64, 4095, 4096, 9001, 16383] {
            buffer[byte] ^= 4;
            assert!(!payload.holds(&buffer, 1 << 20), "{packet:?}, byte {byte}");
            buffer[byte] ^= 4;
        }
        assert!(payload.holds(&buffer, 1 << 20), "{packet:?}");
    }
}

#[test]
fn missing_data_is_detected() {
    for packet in PACKETS {
        let payload = payload(packet, -7, 3);
        let mut buffer = vec![0; 16384];
        payload.fill(&mut buffer, 4096 + 24);
        poison_pages(&mut buffer[8192..8200]);
        assert!(!payload.holds(&buffer, 4096 + 24), "{packet:?}");
    }
}

proptest! {
    #[test]
    fn data_prepared_for_an_offset_is_accepted_there(
        words in 1_usize..2000, rank in 0_u64..100_000, signature: i32,
        offset in 0_u64..1 << 42, from in 0_u64..1 << 42,
    ) {
        for packet in PACKETS {
            let (offset, from) = (offset * 8, from * 8);
            let payload = payload(packet, signature, rank);
            let mut buffer = vec![0; words * 8];
            payload.fill(&mut buffer, from);
            payload.prepare(&mut buffer, offset);
            prop_assert!(payload.holds(&buffer, offset));
            let mut filled = vec![0; words * 8];
            payload.fill(&mut filled, offset);
            prop_assert!(filled == buffer, "{packet:?}");
        }
    }

    #[test]
    fn stamped_data_does_not_depend_on_the_transfer_size(
        offset in 0_u64..1 << 42, cut in 0_usize..1500, words in 1_usize..1500, generation: u32,
    ) {
        let (payload, offset, cut) = (stamped("f", 9, generation), offset * 8, cut.min(words));
        let mut whole = vec![0; words * 8];
        payload.fill(&mut whole, offset);
        let (front, back) = whole.split_at(cut * 8);
        prop_assert!(payload.holds(front, offset) && payload.holds(back, offset + cut as u64 * 8));
    }

    #[test]
    fn a_stream_makes_the_same_pieces_even_if_some_are_skipped(
        cuts in prop::collection::vec(1_usize..900, 1..6), skip in 0_usize..6,
    ) {
        for packet in PACKETS {
            let payload = payload(packet, 5, 2);
            let mut whole = vec![0; cuts.iter().sum::<usize>() * 8];
            payload.fill(&mut whole, 1 << 16);
            let (mut stream, mut at) = (payload.stream(1 << 16), 0);
            for (number, words) in cuts.iter().enumerate() {
                let mut piece = vec![0; words * 8];
                if number != skip {
                    stream.fill(at, &mut piece);
                    prop_assert!(piece == whole[at..at + words * 8], "{packet:?}");
                }
                at += words * 8;
            }
        }
    }
}

#[test]
fn pieces_that_are_separate_in_the_file_each_have_the_data_of_a_single_transfer() {
    use super::super::checker::Checker;
    let spread = SpreadPieces { piece: 4096, stride: 65536 };
    for packet in PACKETS {
        let alone = payload(packet, 7, 1);
        let mut buffer = vec![0; 3 * 4096];
        alone.spread(spread).fill(&mut buffer, 0);
        alone.spread(spread).prepare(&mut buffer, 8192);
        for (number, piece) in buffer.chunks(4096).enumerate() {
            assert!(alone.holds(piece, 8192 + number as u64 * 65536), "{packet:?}, piece {number}");
        }
        let mut checker = Checker::new(alone.spread(spread), 8);
        checker.compare(&buffer, 8192);
        assert_eq!((checker.bytes, checker.bad_transfers), (3 * 4096, 0), "{packet:?}");
        buffer[2 * 4096 + 80] ^= 1;
        checker.compare(&buffer, 8192);
        assert_eq!(checker.bad_transfers, 1, "{packet:?}");
        assert_eq!(checker.bad[0].offset, 8192 + 2 * 65536 + 80, "{packet:?}: the offset in the file");
        // The file ends within the second piece.
        let mut checker = Checker::new(alone.spread(spread), 8);
        checker.compare(&buffer[..6000], 8192);
        checker.missing(8192, 6000, buffer.len());
        let ends: Vec<_> = checker.bad.iter().map(|bad| (bad.offset, bad.length)).collect();
        assert_eq!(ends, [(8192 + 65536 + 1904, 2192), (8192 + 2 * 65536, 4096)], "{packet:?}");
    }
}
