//! Sectors of a file are moved, and transfers of any length read them. The checker must report moved sectors
//! as misplaced, and sectors of another campaign or file as foreign.

use proptest::prelude::*;

use super::super::layout::DataLayout;
use super::super::payload::{DataIdentity, Packet, file_id};
use super::*;

const SECTOR: u64 = 512;
const BLOCK: u64 = 4096;

/// A file as it was written, and how it is read.
#[derive(Clone, Copy, Debug)]
struct Scene {
    layout: DataLayout,
    signature: i32,
    name: &'static str,
    generation: u32,
}

impl Scene {
    fn payload(&self, rank: u64) -> Payload {
        let Self { signature, name, generation, .. } = *self;
        let file = file_id(name.as_bytes());
        Payload::new(DataIdentity { packet: Packet::Stamped, signature, rank, file, generation, key: None })
    }

    /// Where the transfers of the file begin, with the rank of each.
    fn transfers(&self) -> impl Iterator<Item = (u64, u64)> + use<> {
        let layout = self.layout;
        let starts = (0..layout.file_bytes()).step_by(layout.transfer as usize);
        starts.map(move |offset| (layout.owner(offset), offset))
    }

    fn written(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.layout.file_bytes() as usize];
        for (rank, offset) in self.transfers() {
            let transfer = &mut bytes[offset as usize..][..self.layout.transfer as usize];
            self.payload(rank).fill(transfer, offset);
        }
        bytes
    }

    /// The bad ranges of all transfers, each with the start of its transfer.
    fn reported(&self, bytes: &[u8]) -> Vec<(u64, Bad)> {
        let mut reported = Vec::new();
        for (rank, offset) in self.transfers() {
            let mut checker = Checker::new(self.payload(rank), 4096).among(self.layout);
            checker.compare(&bytes[offset as usize..][..self.layout.transfer as usize], offset);
            reported.extend(checker.bad.into_iter().map(|bad| (offset, bad)));
        }
        reported
    }
}

/// Sectors that come from one place and are found at another.
#[derive(Clone, Copy, Debug)]
struct Move {
    from: u64,
    to: u64,
    length: u64,
}

impl Move {
    fn new(scene: &Scene, from: u64, to: u64, sectors: u64) -> Self {
        let all = scene.layout.file_bytes() / SECTOR;
        let (from, to) = (from % all, to % all);
        let sectors = sectors.min(all - from.max(to));
        Self { from: from * SECTOR, to: to * SECTOR, length: sectors * SECTOR }
    }

    fn covers(&self, bad: &Bad) -> bool {
        bad.offset >= self.to && bad.offset + bad.length <= self.to + self.length
    }

    /// Whether the checker can name the writer of the sector around `here` from the transfer that begins at
    /// `start`. For this the transfer must hold `words` neighbouring words of the sector that are not part of
    /// a stamp.
    fn is_identifiable(&self, scene: &Scene, start: u64, here: u64, words: u64) -> bool {
        let begin = start.max(here / SECTOR * SECTOR);
        let end = (start + scene.layout.transfer).min(here / SECTOR * SECTOR + SECTOR);
        let source = |at: u64| (at + self.from).wrapping_sub(self.to) % BLOCK;
        (begin..end).step_by(8).filter(|at| source(*at) >= 64).count() as u64 >= words
    }
}

fn scenes() -> impl Strategy<Value = Scene> {
    let sizes =
        prop::sample::select(vec![8_u64, 24, 64, 72, 512, 520, 1000, 1536, 4096, 5000, 12_288, 65_536]);
    (sizes, 1_u64..4, 1_u64..4, 0_u32..12).prop_map(|(transfer, ranks, segments, generation)| {
        // Whole sectors, and about 96 KiB of each rank.
        let block = transfer * (32_768 / transfer).max(1).next_multiple_of(64);
        let block = if block > 1 << 18 { transfer * 2 } else { block };
        let layout = DataLayout { ranks, segments, block, transfer, file_per_rank: false };
        Scene { layout, signature: 77, name: "f", generation }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn moved_sectors_are_misplaced_and_the_report_names_their_origin(
        scene in scenes(), from: u32, to: u32, near in -9_i64..9, sectors in 1_u64..40, is_near: bool,
    ) {
        let to = if is_near { (u64::from(from) + 1000).wrapping_add_signed(near) } else { to.into() };
        let from = if is_near { u64::from(from) + 1000 } else { from.into() };
        let moved = Move::new(&scene, from, to, sectors);
        let mut bytes = scene.written();
        bytes.copy_within(moved.from as usize..(moved.from + moved.length) as usize, moved.to as usize);
        let layout = scene.layout;
        let reported = scene.reported(&bytes);
        prop_assert_eq!(reported.is_empty(), moved.from == moved.to, "{:?}", moved);
        for (start, bad) in reported {
            let what = format!("{moved:?}, transfer at {start}: {bad:?}");
            prop_assert!(moved.covers(&bad), "{}", what);
            if moved.is_identifiable(&scene, start, bad.offset, 1) {
                prop_assert_eq!(bad.kind, DamageKind::Misplaced, "{}", what);
            } else {
                let may_be = matches!(bad.kind, DamageKind::Misplaced | DamageKind::Wrong | DamageKind::Zero);
                prop_assert!(may_be, "{}", what);
            }
            let source = bad.offset + moved.from - moved.to;
            let place = format!("belongs to offset {source} of rank {}", layout.owner(source));
            let is_named =
                !moved.is_identifiable(&scene, start, bad.offset, 1) || bad.detail.starts_with(&place);
            prop_assert!(is_named, "{}", what);
        }
    }

    #[test]
    fn sectors_of_another_campaign_or_file_are_foreign(
        scene in scenes(), from: u32, to: u32, aligned: bool, sectors in 1_u64..40, by_name: bool,
    ) {
        let other = if by_name { Scene { name: "g", ..scene } } else { Scene { signature: -5, ..scene } };
        let to = if aligned { from } else { to };
        let moved = Move::new(&scene, from.into(), to.into(), sectors);
        let (mut bytes, theirs) = (scene.written(), other.written());
        let (from, length) = (moved.from as usize, moved.length as usize);
        bytes[moved.to as usize..][..length].copy_from_slice(&theirs[from..from + length]);
        let reported = scene.reported(&bytes);
        prop_assert!(!reported.is_empty());
        for (start, bad) in reported {
            let what = format!("{moved:?}, transfer at {start}: {bad:?}");
            prop_assert!(moved.covers(&bad), "{}", what);
            if moved.is_identifiable(&scene, start, bad.offset, 2) {
                prop_assert_eq!(bad.kind, DamageKind::Foreign, "{}", what);
            } else {
                prop_assert!(bad.kind != DamageKind::Flipped && bad.kind != DamageKind::Torn, "{}", what);
            }
        }
    }
}

#[test]
fn data_that_moved_back_within_the_first_transfer_is_misplaced() {
    let layout =
        DataLayout { ranks: 2, segments: 1, block: 1 << 16, transfer: 1 << 16, file_per_rank: false };
    let scene = Scene { layout, signature: 77, name: "f", generation: 0 };
    for (from, to) in [(4096, 12_288), (0, 8192), (0, 4096), (512, 61_440), (65_536, 512)] {
        let mut bytes = scene.written();
        bytes.copy_within(from..from + 4096, to);
        for (_, bad) in scene.reported(&bytes) {
            assert_eq!(bad.kind, DamageKind::Misplaced, "{from} to {to}: {bad:?}");
        }
        let mut bytes = scene.written();
        let theirs = Scene { signature: 78, ..scene }.written();
        bytes[to..to + 4096].copy_from_slice(&theirs[from..from + 4096]);
        for (_, bad) in scene.reported(&bytes) {
            assert_eq!(bad.kind, DamageKind::Foreign, "{from} to {to}: {bad:?}");
        }
    }
}
