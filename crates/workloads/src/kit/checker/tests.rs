//! Every kind of wrong data, with the checker alone: what each packet type can distinguish.

use super::super::payload::{DataIdentity, Packet, file_id};
use super::*;

const LENGTH: usize = 16 << 10;
const OFFSET: u64 = 1 << 20;

fn own() -> DataIdentity {
    let file = file_id(b"f");
    DataIdentity { packet: Packet::Stamped, signature: 77, rank: 3, file, generation: 12, key: None }
}

fn data(identity: DataIdentity, offset: u64) -> Vec<u8> {
    let mut buffer = vec![0; LENGTH];
    Payload::new(identity).fill(&mut buffer, offset);
    buffer
}

/// Kind, offset within the transfer and length of each range of a transfer at `offset`, and the details.
fn found_at(identity: DataIdentity, offset: u64, data: &[u8]) -> (Vec<(DamageKind, u64, u64)>, Vec<String>) {
    let mut checker = Checker::new(Payload::new(identity), 64);
    checker.compare(data, offset);
    assert_eq!(checker.bad_transfers, u64::from(!checker.bad.is_empty()));
    let range = |bad: &Bad| (bad.kind, bad.offset - offset, bad.length);
    let details = checker.bad.iter().map(|bad| bad.detail.clone()).collect();
    (checker.bad.iter().map(range).collect(), details)
}

fn found(data: &[u8]) -> (Vec<(DamageKind, u64, u64)>, Vec<String>) {
    found_at(own(), OFFSET, data)
}

fn one(range: (DamageKind, u64, u64), detail: &str) -> (Vec<(DamageKind, u64, u64)>, Vec<String>) {
    (vec![range], vec![detail.to_owned()])
}

#[test]
fn sound_data_is_sound() {
    assert_eq!(found(&data(own(), OFFSET)), (vec![], vec![]));
}

#[test]
fn bits_that_differ_are_flipped_also_in_a_stamp() {
    for byte in [0, 9, 32, 41, 60, 64, 5001, LENGTH - 1] {
        let mut data = data(own(), OFFSET);
        data[byte] ^= 0x10;
        assert_eq!(
            found(&data),
            one((DamageKind::Flipped, byte as u64 / 8 * 8, 8), "1 bit differs"),
            "{byte}"
        );
        data[byte] ^= 0x05;
        assert_eq!(found(&data).1, ["3 bits differ"]);
    }
}

#[test]
fn a_transfer_of_any_older_generation_with_its_stamps_is_stale() {
    for (generation, offset) in [(11, 0), (4, 0), (0, 0), (11, 64), (0, 2048), (0, 4088)] {
        let old = data(DataIdentity { generation, ..own() }, OFFSET + offset);
        let detail = format!("generation {generation} of this place, expected 12");
        let (ranges, details) = found_at(own(), OFFSET + offset, &old);
        assert_eq!(details, [detail], "{ranges:?}");
        assert_eq!(ranges[0].0, DamageKind::Stale);
        assert!(ranges[0].2 >= LENGTH as u64 - 40, "{ranges:?}");
    }
}

#[test]
fn a_later_generation_than_expected_is_not_stale() {
    let (ranges, details) = found(&data(DataIdentity { generation: 13, ..own() }, OFFSET));
    assert_eq!(ranges[0].0, DamageKind::Wrong);
    assert_eq!(details, ["generation 13 of this place, expected 12; it was written after the expected one"]);
}

#[test]
fn a_part_of_an_older_generation_is_torn_at_any_word_boundary() {
    let old = data(DataIdentity { generation: 11, ..own() }, OFFSET);
    for (from, to) in [(0, 8192), (8192, LENGTH), (512, 1024), (4096, 4608), (5000, 5008), (4088, 4136)] {
        let mut data = data(own(), OFFSET);
        data[from..to].copy_from_slice(&old[from..to]);
        let (ranges, details) = found(&data);
        assert_eq!(details, ["generation 11 of this place, expected 12"], "{from}..{to}");
        let (kind, at, length) = ranges[0];
        assert_eq!(kind, DamageKind::Torn);
        // The first words of a stamp are the same in all generations.
        assert!(at >= from as u64 && at <= from as u64 + 32 && at + length == to as u64, "{ranges:?}");
    }
}

#[test]
fn a_transfer_of_two_older_generations_is_torn_and_both_are_named() {
    let [mut data, older] = [11, 10].map(|generation| data(DataIdentity { generation, ..own() }, OFFSET));
    data[6144..].copy_from_slice(&older[6144..]);
    let (ranges, details) = found(&data);
    assert_eq!(ranges, [(DamageKind::Torn, 32, 6112), (DamageKind::Torn, 6144, LENGTH as u64 - 6144)]);
    assert_eq!(details, [11, 10].map(|number| format!("generation {number} of this place, expected 12")));
}

#[test]
fn zeros_are_reported_with_other_damage() {
    let mut mixed = data(own(), OFFSET);
    mixed[4096..8192].fill(0);
    assert_eq!(found(&mixed), one((DamageKind::Zero, 4096, 4096), ""));
    mixed[12_300] ^= 1;
    assert_eq!(found(&mixed).0, [(DamageKind::Zero, 4096, 4096), (DamageKind::Flipped, 12_296, 8)]);
    let stale = data(DataIdentity { generation: 0, ..own() }, OFFSET);
    mixed[..4096].copy_from_slice(&stale[..4096]);
    assert_eq!(
        found(&mixed).0,
        [(DamageKind::Torn, 32, 4064), (DamageKind::Zero, 4096, 4096), (DamageKind::Flipped, 12_296, 8)]
    );
}

#[test]
fn data_of_another_place_or_rank_is_misplaced_with_the_place_it_belongs_to() {
    let elsewhere = data(own(), OFFSET + (1 << 16));
    let detail = "belongs to offset 1114152 of rank 3";
    assert_eq!(found(&elsewhere), one((DamageKind::Misplaced, 40, LENGTH as u64 - 40), detail));
    let theirs = data(DataIdentity { rank: 4, ..own() }, OFFSET);
    let detail = "belongs to offset 1048600 of rank 4";
    assert_eq!(found(&theirs), one((DamageKind::Misplaced, 24, LENGTH as u64 - 24), detail));
    let old = data(DataIdentity { generation: 5, ..own() }, 0);
    assert_eq!(found(&old).1, ["belongs to offset 32 of rank 3, generation 5"]);
}

#[test]
fn a_piece_without_a_stamp_is_also_assigned_to_its_place() {
    let elsewhere = data(own(), OFFSET + (1 << 16) + 1536);
    // One sector within a block, and a whole small transfer.
    let mut one_sector = data(own(), OFFSET);
    one_sector[512..1024].copy_from_slice(&elsewhere[..512]);
    let detail = "belongs to offset 1115648 of rank 3".to_owned();
    assert_eq!(
        found(&one_sector),
        one((DamageKind::Misplaced, 512, 512), "belongs to offset 1115648 of rank 3")
    );
    let small = found_at(own(), OFFSET + 3072, &elsewhere[..1024]);
    assert_eq!(small, (vec![(DamageKind::Misplaced, 0, 1024)], vec![detail]));
}

#[test]
fn swapped_pages_are_two_ranges() {
    let mut swapped = data(own(), OFFSET);
    let (first, second) = swapped.split_at_mut(4096);
    first.swap_with_slice(&mut second[..4096]);
    let (ranges, details) = found(&swapped);
    assert_eq!(ranges, [(DamageKind::Misplaced, 40, 4056), (DamageKind::Misplaced, 4136, 4056)]);
    assert_eq!(details, ["belongs to offset 1052712 of rank 3", "belongs to offset 1048616 of rank 3"]);
}

#[test]
fn data_of_another_file_or_campaign_is_foreign_and_its_writer_is_named() {
    let campaign = data(DataIdentity { signature: -5, ..own() }, OFFSET);
    let (ranges, details) = found(&campaign);
    assert_eq!(ranges, [(DamageKind::Foreign, 8, LENGTH as u64 - 8)]);
    let id = file_id(b"f");
    assert_eq!(details, [format!("campaign -5, file id {id:#018x}, rank 3, generation 12, offset 1048584")]);
    let file = data(DataIdentity { file: file_id(b"g"), generation: 11, ..own() }, OFFSET);
    assert_eq!(found(&file).0, [(DamageKind::Foreign, 16, LENGTH as u64 - 16)]);
}

#[test]
fn data_of_no_known_writer_is_wrong() {
    let mut data = data(own(), OFFSET);
    data[1000..3000].fill(0x5a);
    assert_eq!(found(&data), one((DamageKind::Wrong, 1000, 2000), ""));
}

#[test]
fn missing_data_is_truncated_and_counts_as_one_transfer_with_the_part_that_was_read() {
    let mut checker = Checker::new(Payload::new(own()), 64);
    let mut part = data(own(), OFFSET)[..4099].to_vec();
    checker.compare(&part, OFFSET);
    checker.missing(OFFSET, part.len(), LENGTH);
    part[4097] ^= 1;
    checker.compare(&part, OFFSET);
    checker.missing(OFFSET, part.len(), LENGTH);
    checker.missing(OFFSET + LENGTH as u64, 0, LENGTH);
    assert_eq!(checker.bad_transfers, 3);
    let found: Vec<_> = checker.bad.iter().map(|bad| (bad.kind, bad.offset - OFFSET, bad.length)).collect();
    let cut = (DamageKind::Truncated, 4099, LENGTH as u64 - 4099);
    let beyond = (DamageKind::Truncated, LENGTH as u64, LENGTH as u64);
    assert_eq!(found, [cut, (DamageKind::Flipped, 4096, 8), cut, beyond]);
    assert_eq!(checker.bad[0].detail, "the data ended after 4099 of 16384 bytes");
    assert_eq!(checker.kinds[DamageKind::Truncated as usize], 3);
}

#[test]
fn the_list_stops_at_its_cap_and_the_counts_continue() {
    let mut checker = Checker::new(Payload::new(own()), 3);
    for _ in 0..10 {
        checker.compare(&[0; 4096], OFFSET);
    }
    assert_eq!((checker.bad.len(), checker.bad_transfers), (3, 10));
    assert_eq!(checker.kinds[DamageKind::Zero as usize], 10);
}

/// One of IOR's types, a change of a transfer, and the kind that the checker reports.
type Case = (Packet, fn(DataIdentity) -> Vec<u8>, DamageKind);

#[test]
fn iors_own_types_distinguish_what_they_can() {
    use Packet::{Incompressible, Offset, Random, Timestamp};
    let flip: fn(DataIdentity) -> Vec<u8> = |own| {
        let mut data = data(own, OFFSET);
        data[5000] ^= 2;
        data
    };
    let zero: fn(DataIdentity) -> Vec<u8> = |own| {
        let mut data = data(own, OFFSET);
        data[4096..8192].fill(0);
        data
    };
    let moved: fn(DataIdentity) -> Vec<u8> = |own| data(own, OFFSET + (5 << 16));
    let shifted: fn(DataIdentity) -> Vec<u8> = |own| [&data(own, OFFSET)[8..], &[1; 8]].concat();
    let theirs: fn(DataIdentity) -> Vec<u8> = |own| data(DataIdentity { rank: own.rank + 1, ..own }, OFFSET);
    let signed: fn(DataIdentity) -> Vec<u8> = |own| data(DataIdentity { signature: 1, ..own }, OFFSET);
    let cases: Vec<Case> = vec![
        (Timestamp, flip, DamageKind::Flipped),
        (Offset, flip, DamageKind::Flipped),
        (Incompressible, flip, DamageKind::Flipped),
        (Random, flip, DamageKind::Flipped),
        (Timestamp, zero, DamageKind::Zero),
        (Offset, zero, DamageKind::Zero),
        (Incompressible, zero, DamageKind::Zero),
        (Random, zero, DamageKind::Zero),
        (Offset, moved, DamageKind::Misplaced),
        (Incompressible, moved, DamageKind::Misplaced),
        (Random, moved, DamageKind::Misplaced),
        (Timestamp, shifted, DamageKind::Wrong),
        (Random, shifted, DamageKind::Wrong),
        (Timestamp, theirs, DamageKind::Wrong),
        (Offset, theirs, DamageKind::Misplaced),
        (Incompressible, theirs, DamageKind::Misplaced),
        (Timestamp, signed, DamageKind::Wrong),
        (Incompressible, signed, DamageKind::Wrong),
        (Random, signed, DamageKind::Wrong),
    ];
    for (packet, harm, kind) in cases {
        let own = DataIdentity { packet, signature: 1_234_567, rank: 3, ..DataIdentity::default() };
        let (ranges, details) = found_at(own, OFFSET, &harm(own));
        let kinds: Vec<DamageKind> = ranges.iter().map(|(kind, ..)| *kind).collect();
        assert_eq!(kinds, [kind], "{packet:?}: {ranges:?} {details:?}");
        assert_eq!(
            kind == DamageKind::Misplaced,
            details[0].starts_with("belongs to offset 1"),
            "{details:?}"
        );
    }
    // The data is the same everywhere, so type `t` cannot detect that it was moved.
    let own = DataIdentity { signature: 7, ..DataIdentity::default() };
    assert_eq!(found_at(own, OFFSET, &moved(own)).0, []);
}
