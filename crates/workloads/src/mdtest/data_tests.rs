//! The data of files: equal to the original in every byte, and wrong data by item and place.

use std::path::{Path, PathBuf};

use command::mdtest::Request;

use super::scene::{MdtestRankResult, all_phases, only_create, play_in};
use crate::kit::payload::Packet;

fn file(dir: &Path, name: &str) -> PathBuf {
    dir.join(format!("A/test-dir.0-0/mdtest_tree.0/file.mdtest.{name}"))
}

fn writing(packet: Packet, bytes: u64) -> Request {
    Request { packet, write_bytes: bytes, signature: Some(42), directories: false, items: 3, ..only_create() }
}

fn reading(packet: Packet, bytes: u64) -> Request {
    Request { create: false, read: true, verify_read: true, read_bytes: bytes, ..writing(packet, bytes) }
}

fn checksum(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

const TYPES: [Packet; 4] = [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random];

#[test]
fn files_equal_those_of_the_original_in_every_byte() {
    // FNV-1a of files 0.0, 0.1 and 1.2 that mdtest 4.1 made with -w 8205 -G 42.
    let golden = [
        [0x172e_1eaa_ae7d_4731, 0x172e_1eaa_ae7d_4731, 0xbbdb_cee0_3b34_8dfa],
        [0x56fb_def1_e9b1_d135, 0x0e8a_aed6_cd6d_a241, 0xafb2_bfc7_dd86_67a6],
        [0xb957_22c0_84ab_cd4f, 0x70a0_95f8_6f0d_b0d7, 0xa185_82ee_b965_ed38],
        [0x90f4_9017_8b08_024c, 0xee23_c37a_2b1b_a5c9, 0xa21d_8329_c4a2_8c49],
    ];
    for (packet, wanted) in TYPES.into_iter().zip(golden) {
        let dir = tempfile::tempdir().unwrap();
        play_in(dir.path(), 2, &writing(packet, 8205));
        let sums =
            ["0.0", "0.1", "1.2"].map(|name| checksum(&std::fs::read(file(dir.path(), name)).unwrap()));
        assert_eq!(sums, wanted, "{packet:?}");
    }
    let dir = tempfile::tempdir().unwrap();
    play_in(dir.path(), 1, &writing(Packet::Random, 5));
    assert_eq!(std::fs::read(file(dir.path(), "0.1")).unwrap(), [0, 1, 2, 3, 4]);
}

/// What a reader finds after `spoil` has changed the files.
fn found(packet: Packet, bytes: u64, spoil: impl Fn(&Path)) -> (u64, Vec<String>, Vec<MdtestRankResult>) {
    found_by(&reading(packet, bytes), bytes, spoil)
}

/// The same with other reader settings.
fn found_by(
    reader: &Request,
    bytes: u64,
    spoil: impl Fn(&Path),
) -> (u64, Vec<String>, Vec<MdtestRankResult>) {
    let dir = tempfile::tempdir().unwrap();
    play_in(dir.path(), 2, &writing(reader.packet, bytes));
    spoil(dir.path());
    let left = play_in(dir.path(), 2, reader);
    let wrong = left[0].done.clone().expect("wrong data ends nothing").wrong;
    assert!(left.iter().all(|rank| rank.done == left[0].done));
    let check = left[0].phase("file_read").check.clone().expect("it was compared");
    assert_eq!(check.bad_transfers, wrong);
    let bad = check.bad.iter().map(|bad| {
        let name = bad.path.rsplit('/').next().unwrap();
        format!("rank {} {name} at {} {}: {}", bad.rank, bad.offset, bad.kind, bad.detail)
    });
    (wrong, bad.collect(), left)
}

fn flip(path: &Path, at: usize) {
    let mut bytes = std::fs::read(path).unwrap();
    bytes[at] ^= 4;
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn correct_data_verifies_completely_and_in_part_for_every_type_and_length() {
    for packet in TYPES.into_iter().chain([Packet::Stamped]) {
        let whole = packet == Packet::Stamped;
        for bytes in
            [1_u64, 8, 13, 4096, 8205].map(|bytes| if whole { bytes.next_multiple_of(8) } else { bytes })
        {
            let lengths = [bytes, bytes / 2].map(|read| if whole { read / 8 * 8 } else { read });
            for (read, known) in lengths.into_iter().flat_map(|read| [(read, bytes), (read, 0)]) {
                if read == 0 {
                    continue;
                }
                // A reader may know the length of the files, or not.
                let reader = Request { write_bytes: known, ..reading(packet, read) };
                let (wrong, bad, left) = found_by(&reader, bytes, |_| ());
                assert_eq!((wrong, bad), (0, vec![]), "{packet:?}, {read} of {bytes}");
                let compared = left[0].phase("file_read").check.as_ref().map(|check| check.bytes);
                assert_eq!(compared, Some(6 * read), "{packet:?}, {read} of {bytes}");
            }
        }
    }
}

#[test]
fn a_flipped_byte_is_named_by_item_and_offset() {
    for packet in TYPES.into_iter().chain([Packet::Stamped]) {
        let (wrong, bad, _) = found(packet, 8200, |dir| flip(&file(dir, "1.2"), 1237));
        let wanted = "rank 1 file.mdtest.1.2 at 1232 flipped: item 2: 1 bit differs";
        assert_eq!((wrong, bad.as_slice()), (1, &[wanted.to_owned()][..]), "{packet:?}");
    }
    let (wrong, bad, left) = found(Packet::Timestamp, 13, |dir| flip(&file(dir, "0.0"), 10));
    assert_eq!((wrong, bad.len()), (1, 1));
    assert_eq!(bad[0], "rank 0 file.mdtest.0.0 at 8 wrong: item 0");
    let notice = left[0].events("Notice").concat();
    assert!(notice.contains("wrong-kinds (bad 1, files true, kinds 1 wrong, label File read)"), "{notice}");
}

#[test]
fn all_wrong_ranges_are_counted_and_the_worst_ranks_are_named_if_the_list_is_incomplete() {
    // Zeros and flips in turn, so that no two form one range: 150 of rank 1, one of rank 0.
    let spoil = |dir: &Path| {
        flip(&file(dir, "0.0"), 24);
        let mut bytes = std::fs::read(file(dir, "1.2")).unwrap();
        for number in 0..75 {
            bytes[48 * number] ^= 4;
            bytes[48 * number + 24..][..8].fill(0);
        }
        std::fs::write(file(dir, "1.2"), bytes).unwrap();
    };
    let (wrong, bad, left) = found(Packet::Timestamp, 4096, spoil);
    let check = left[0].phase("file_read").check.clone().expect("it was compared");
    assert_eq!((wrong, check.bad_ranks, bad.len()), (2, 2, 64), "{bad:?}");
    assert_eq!(check.ranges, 151);
    assert_eq!(
        check.worst.iter().map(|worst| (worst.rank, worst.bad_transfers)).collect::<Vec<_>>(),
        [(0, 1), (1, 1)]
    );
    let notice = left[0].events("Notice").concat();
    let text = "wrong-ranks (files true, label File read, listed 64, ranges 151, ranks 2, worst 1 of rank 0 \
                1 of rank 1)";
    assert!(notice.contains(text), "{notice}");
}

#[test]
fn a_file_cut_short_is_wrong_data_and_the_rest_is_still_read() {
    let cut = |dir: &Path| {
        let file = std::fs::File::options().write(true).open(file(dir, "0.1")).unwrap();
        file.set_len(100).unwrap();
    };
    let (wrong, bad, left) = found(Packet::Timestamp, 4096, cut);
    assert_eq!(wrong, 1);
    assert!(bad[0].starts_with("rank 0 file.mdtest.0.1 at 100 truncated: item 1"), "{bad:?}");
    assert_eq!(left[0].phase("file_read").ops, 6);
}

#[test]
fn data_of_another_item_is_reported_as_misplaced() {
    for (packet, wanted) in [
        (Packet::Timestamp, "data of rank 0"),
        (Packet::Offset, "data of item 1 of rank 0"),
        (Packet::Incompressible, "data of item 1 of rank 0"),
        // 42 + 0 + 1 is also 42 + 1 + 0. Types that mix rank and item cannot distinguish more.
        (Packet::Random, "data of item 0 of rank 1, or of a rank near it"),
    ] {
        let copy = |dir: &Path| {
            let _bytes = std::fs::copy(file(dir, "0.1"), file(dir, "1.2")).unwrap();
        };
        let (wrong, bad, _) = found(packet, 8192, copy);
        let bad_range = format!("rank 1 file.mdtest.1.2 at 0 misplaced: item 2: {wanted}");
        assert_eq!((wrong, bad), (1, vec![bad_range]), "{packet:?}");
    }
}

#[test]
fn writes_are_read_back_at_once_and_shifted_readers_know_the_writer() {
    let parameters = Request {
        verify_write: true,
        verify_read: true,
        read_bytes: 3901,
        shift: 1,
        read: true,
        stat: true,
        remove: true,
        ..writing(Packet::Offset, 3901)
    };
    for (shared_file, collective) in [(false, false), (true, false), (false, true)] {
        let verify_write = !collective;
        let parameters = Request { shared_file, collective, verify_write, ..parameters.clone() };
        let dir = tempfile::tempdir().unwrap();
        let left = play_in(dir.path(), 3, &parameters);
        assert_eq!(left[0].done.as_ref().map(|done| (done.wrong, done.failed)), Ok((0, 0)));
        for name in ["file_creation", "file_read"] {
            let check = left[0].phase(name).check.clone();
            let expected = if name == "file_read" || verify_write { Some(9 * 3901) } else { None };
            assert_eq!(check.map(|check| check.bytes), expected, "{name}");
        }
    }
}

#[test]
fn a_short_file_that_is_not_compared_fails_the_read_where_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let made = play_in(dir.path(), 1, &writing(Packet::Timestamp, 10));
    assert_eq!(made[0].phase("file_creation").smallest_file_bytes, Some(10));
    let long = Request { verify_read: false, write_bytes: 0, ..reading(Packet::Timestamp, 100) };
    let halt = play_in(dir.path(), 1, &long)[0].done.clone().expect_err("it ends");
    assert!(halt.why.ends_with("file.mdtest.0.0: read: the file has 10 of 100 bytes"), "{halt}");
    let call = halt.call.expect("it is a call");
    assert_eq!((call.offset, call.is_short), (Some(10), true));
    let continuing = Request { keep_going: true, ..long };
    let left = play_in(dir.path(), 1, &continuing);
    assert_eq!(left[0].done.as_ref().map(|done| done.failed), Ok(3));
    let first = &left[0].phase("file_read").failed.as_ref().expect("some failed").first[0];
    assert_eq!((first.offset, first.is_short), (Some(10), true));
    assert!(all_phases().create);
}
