//! The bytes of keyed data, and what a program without the key can do.

use proptest::prelude::*;

use super::super::stamped::{BlockStamp, key_of_stamp, read_stamp};
use super::super::{DataIdentity, Packet, Payload, file_id, native};
use super::*;

const SECRET: &[u8] = b"0123456789abcdef0123456789abcdef";

fn identity(key: Option<DataKey>) -> DataIdentity {
    let file = file_id(b"f");
    DataIdentity { packet: Packet::Stamped, signature: 77, rank: 3, file, generation: 2, key }
}

fn block(identity: DataIdentity, offset: u64) -> Vec<u8> {
    let mut block = vec![0; BLOCK as usize];
    Payload::new(identity).fill(&mut block, offset);
    block
}

/// Words 6, 7, 8 and 511 of the block at 40960, and word 8 of the next, with a secret and a nonce, with the
/// secret alone, and with the nonce alone. Another program computed them from the description in
/// docs/reference/stamped-data.md.
const GOLDEN: [(&[u8], &str, u64, [u64; 5]); 3] = [
    (
        SECRET,
        "tender 7",
        0xff37_a5cc_03a2_8945,
        [
            0xc890_8a92_1cf3_d634,
            0x37a7_2f5e_1f51_5f71,
            0x57ed_013b_4c09_597b,
            0xe6ff_f5b0_cb21_3dba,
            0x85fe_e22f_733f_9eee,
        ],
    ),
    (
        SECRET,
        "",
        0x9fa2_c3b2_dd91_a5da,
        [
            0xc6ee_8229_3f2b_29f8,
            0x594c_419b_e2ba_8c22,
            0x195b_3a98_a6d2_6428,
            0x5da6_d646_d3d7_fec4,
            0x193b_f060_e67b_abd3,
        ],
    ),
    (
        b"",
        "tender 7",
        0x160f_fb96_1cf6_a722,
        [
            0xea12_d91c_92d6_b8c1,
            0xfc1d_228a_8e20_1fe3,
            0x2505_5270_ff9d_e777,
            0xe2a5_9b11_48cb_20ad,
            0xf843_8402_c388_eeb5,
        ],
    ),
];

#[test]
fn the_golden_vectors_of_keyed_data_hold() {
    for (secret, nonce, id, words) in GOLDEN {
        let key = DataKey::new(secret, nonce);
        let mut buffer = vec![0; 8192];
        Payload::new(identity(Some(key))).fill(&mut buffer, 40_960);
        let made: Vec<u64> = buffer.chunks_exact(8).map(native).map(u64::from_le).collect();
        assert_eq!(&buffer[..8], b"assaypk\x02");
        assert_eq!(made[1..6], [77, file_id(b"f"), 3, 2, 40_960]);
        assert_eq!((key.id(), [made[6], made[7], made[8], made[511], made[512 + 8]]), (id, words));
    }
}

#[test]
fn only_the_key_reads_a_stamp_and_any_other_program_sees_which_key_it_is() {
    let key = DataKey::new(SECRET, "");
    let origin = identity(Some(key));
    let mut data = block(origin, 40_960);
    assert_eq!(read_stamp(&data, Some(key)), Some(BlockStamp { origin, offset: 40_960 }));
    assert_eq!(read_stamp(&data, None), None);
    assert_eq!(read_stamp(&data, Some(DataKey::new(b"another", ""))), None);
    assert_eq!(key_of_stamp(&data), Some(key.id()));
    for byte in 0..64 {
        data[byte] ^= 1;
        assert_eq!(read_stamp(&data, Some(key)), None, "byte {byte}");
        data[byte] ^= 1;
    }
    assert_eq!(key_of_stamp(&block(identity(None), 0)), None);
}

#[test]
fn a_server_that_regenerates_the_pattern_without_the_key_is_found() {
    let key = DataKey::new(SECRET, "n");
    let own = identity(Some(key));
    let guesses =
        [(&b""[..], "n"), (SECRET, ""), (b"", "")].map(|(secret, nonce)| Some(DataKey::new(secret, nonce)));
    for guess in guesses.into_iter().chain([None]) {
        assert!(!Payload::new(own).holds(&block(identity(guess), 4096), 4096));
    }
    // Even the stamp is not made from the stamps of other blocks.
    let mut forged = block(own, 4096);
    forged[40..48].copy_from_slice(&8192_u64.to_le_bytes());
    assert_eq!(read_stamp(&forged, Some(key)), None);
    assert!(!Payload::new(own).holds(&forged[..64], 8192));
}

#[test]
fn a_block_that_is_moved_to_another_place_file_rank_generation_or_campaign_is_found() {
    let own = identity(Some(DataKey::new(SECRET, "")));
    let others = [
        DataIdentity { signature: 78, ..own },
        DataIdentity { rank: 2, ..own },
        DataIdentity { file: file_id(b"g"), ..own },
        DataIdentity { generation: 1, ..own },
        DataIdentity { key: Some(DataKey::new(SECRET, "later")), ..own },
    ];
    let data = block(own, 4096);
    assert!(Payload::new(own).holds(&data, 4096));
    assert!(!Payload::new(own).holds(&data, 8192));
    for other in others {
        for range in [0..4096, 0..64, 64..4096, 64..72] {
            let offset = 4096 + range.start as u64;
            assert!(!Payload::new(other).holds(&data[range], offset), "{other:?}");
        }
    }
}

#[test]
fn keyed_data_looks_random_and_does_not_repeat() {
    let payload = Payload::new(identity(Some(DataKey::new(SECRET, ""))));
    let mut buffer = vec![0; 1 << 20];
    payload.fill(&mut buffer, 0);
    let mut counts = [0_u32; 256];
    let mut seen = std::collections::HashSet::new();
    for block in buffer.chunks(4096) {
        block[64..].iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        assert!(block[64..].chunks(16).all(|bytes| seen.insert(bytes.to_vec())));
    }
    // 4032 of each are expected, with a standard deviation of 63.
    assert!(counts.iter().all(|count| (3600..4500).contains(count)), "{counts:?}");
}

#[test]
fn the_secret_is_not_in_the_text_of_a_key() {
    let key = DataKey::new(SECRET, "n");
    let text = format!("{key:?} {:?} {:?}", key.facts(), identity(Some(key)));
    assert!(!text.contains("0123456789abcdef"), "{text}");
    let hash = "3eb1bd439947eb762998e566ccc2e099c791118b2f40579cc4f7da2b5061b7f9";
    assert_eq!(key.facts().sha256, hash, "as sha256sum prints it");
}

proptest! {
    #[test]
    fn any_part_of_keyed_data_is_that_of_the_whole(
        offset in 0_u64..1 << 42, cut in 0_usize..1500, words in 1_usize..1500, from in 0_u64..1 << 42,
        rank in 0_u64..1000, generation: u32,
    ) {
        let key = Some(DataKey::new(SECRET, "n"));
        let payload = Payload::new(DataIdentity { rank, generation, ..identity(key) });
        let (offset, cut) = (offset * 8, cut.min(words));
        let mut whole = vec![0; words * 8];
        payload.fill(&mut whole, from * 8);
        payload.prepare(&mut whole, offset);
        let (front, back) = whole.split_at(cut * 8);
        prop_assert!(payload.holds(front, offset) && payload.holds(back, offset + cut as u64 * 8));
        let mut stream = payload.stream(offset);
        let mut piece = vec![0; back.len()];
        stream.fill(cut * 8, &mut piece);
        prop_assert_eq!(piece, back);
    }

    #[test]
    fn any_changed_bit_of_keyed_data_is_found(words in 1_usize..1500, offset in 0_u64..1 << 42, bit: usize) {
        let payload = Payload::new(identity(Some(DataKey::new(SECRET, "n"))));
        let mut data = vec![0; words * 8];
        payload.fill(&mut data, offset * 8);
        let bit = bit % (data.len() * 8);
        data[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(!payload.holds(&data, offset * 8));
    }
}
