//! The complete sequence, without a file system.

use std::collections::HashSet;

use measure::statistics::Dice;
use proptest::prelude::*;

use super::act::{Act, Name};
use super::model::{AgeingModel, Leg, LiveFile};
use super::part::{next_of_all, replay};
use super::plan::{AgeingGoal, Geometry, RankShare, part, plan};
use super::profile::Profile;
use super::sizes::{SizeDeck, SizeFit, normal_quantile, quantile, taken};
use super::state::{AgeingState, SEQUENCE};
use super::tree::DirectoryTree;
use crate::kit::permutation::seed_of;

const BLOCK: u64 = 4096;
const MIB: u64 = 1 << 20;

fn profile() -> Profile {
    Profile::read("").unwrap()
}

fn goal(blocks: Option<f64>, inodes: Option<f64>) -> AgeingGoal {
    AgeingGoal { blocks, inodes, ceiling: 0.9, cycles: 1.0, seed: 7 }
}

fn geometry() -> Geometry {
    let bytes = 2 << 30;
    Geometry {
        bytes,
        bytes_used: bytes / 10,
        bytes_available: bytes,
        inodes: 65536,
        inodes_used: 500,
        block: BLOCK,
    }
}

/// The sequence of a single rank, with ten files per directory.
fn model(files: u64, mean: f64, seed: u64) -> AgeingModel {
    let fit = SizeFit { files, block: BLOCK, largest: 16 * MIB, mean: Some(mean) };
    let share = RankShare { fit, dirs: files / 10 };
    AgeingModel::new(seed, (0, 1), &profile(), share).unwrap()
}

/// Does all operations of a leg.
fn whole(model: &mut AgeingModel, leg: Leg) -> Vec<Act> {
    model.begin(leg);
    std::iter::from_fn(|| model.next()).collect()
}

#[test]
fn the_quantile_of_the_normal_distribution_is_that_of_the_tables() {
    for (p, wanted) in [(0.5, 0.0), (0.975, 1.959_963_985), (0.01, -2.326_347_874), (0.999, 3.090_232_306)] {
        assert!((normal_quantile(p) - wanted).abs() < 1e-8, "{p}: {}", normal_quantile(p));
    }
}

#[test]
fn the_body_has_the_moments_of_a_lognormal_distribution() {
    let size = profile().size;
    let n = 200_000;
    let body = 1.0 - size.tail_share;
    let logs: Vec<f64> =
        (0..n).map(|i| quantile(&size, (f64::from(i) + 0.5) / f64::from(n) * body).ln()).collect();
    let mean = logs.iter().sum::<f64>() / f64::from(n);
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / f64::from(n);
    assert!((mean - size.median_bytes.ln()).abs() < 1e-6, "{mean}");
    assert!((variance.sqrt() - size.sigma).abs() < 1e-3, "{}", variance.sqrt());
}

#[test]
fn the_tail_falls_as_a_pareto_distribution_does() {
    let mut size = profile().size;
    size.tail_share = 0.1;
    for (share_above, ratio) in [(0.1, 1.0), (0.01, 10.0), (0.0001, 1000.0)] {
        let wanted = size.tail_from_bytes * f64::powf(ratio, 1.0 / size.tail_exponent);
        let found = quantile(&size, 1.0 - share_above + 1e-15);
        assert!((found / wanted - 1.0).abs() < 1e-6, "{share_above}: {found} for {wanted}");
    }
}

#[test]
fn a_deck_has_the_mean_that_is_asked_for_and_is_dealt_whole_before_the_next() {
    for mean in [700.0, 5000.0, 120_000.0, 3e6] {
        let fit = SizeFit { files: 5000, block: BLOCK, largest: 64 * MIB, mean: Some(mean) };
        let mut sizes = SizeDeck::fit(&profile().size, fit, 3).unwrap();
        assert!((sizes.mean(BLOCK) / mean - 1.0).abs() < 0.002, "{mean}: {}", sizes.mean(BLOCK));
        let mut deck = |deck: u64| (0..5000).map(|card| sizes.deal(deck * 5000 + card)).collect::<Vec<_>>();
        let (mut first, mut second) = (deck(0), deck(1));
        assert_ne!(first, second, "another order");
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!(first, second, "the same cards");
    }
    let fit = SizeFit { files: 5000, block: BLOCK, largest: MIB, mean: Some(2e6) };
    assert!(SizeDeck::fit(&profile().size, fit, 3).is_none(), "no mean above the largest");
}

#[test]
fn a_fill_reaches_any_targets_with_any_number_of_ranks() {
    for (blocks, inodes, ranks) in
        [(0.8, 0.2, 1), (0.8, 0.2, 3), (0.3, 0.8, 2), (0.85, 0.02, 7), (0.5, 0.5, 16)]
    {
        let (goal, space) = (goal(Some(blocks), Some(inodes)), geometry());
        let (mut bytes, mut names) = (space.bytes_used, space.inodes_used);
        for rank in 0..ranks {
            let share = plan(&goal, &profile(), &space, ranks, rank).unwrap();
            let mut model = AgeingModel::new(1, (rank, ranks), &profile(), share).unwrap();
            whole(&mut model, Leg::Fill);
            bytes += model.taken + model.tree.count() * BLOCK;
            names += model.files.len() as u64 + model.tree.count() + 4;
        }
        let reached = (bytes as f64 / space.bytes as f64, names as f64 / space.inodes as f64);
        assert!((reached.0 - blocks).abs() < 0.005, "{ranks} ranks: blocks {reached:?} for {blocks}");
        assert!((reached.1 - inodes).abs() < 0.005, "{ranks} ranks: inodes {reached:?} for {inodes}");
    }
}

#[test]
fn what_cannot_be_reached_is_rejected_in_words() {
    let space = geometry();
    let why = |goal: AgeingGoal, space: Geometry| plan(&goal, &profile(), &space, 2, 0).unwrap_err();
    assert_eq!(
        why(goal(Some(0.9), None), space),
        "--blocks 90.0 %: is not below the ceiling of 90.0 %; raise --ceiling"
    );
    assert_eq!(why(goal(Some(0.05), None), space), "--blocks 5.0 %: 10.0 % are in use already");
    let uncounted = Geometry { inodes: 0, inodes_used: 0, ..space };
    assert_eq!(
        why(goal(None, Some(0.2)), uncounted),
        "this file system counts no inodes; leave --inodes out"
    );
    let reserved = Geometry { bytes_available: 1000, ..space };
    let why_not = why(goal(Some(0.8), None), reserved);
    assert!(
        why_not.ends_with(" bytes are missing, and 1000 are free; the rest is reserved, and not filled"),
        "{why_not}"
    );
    assert!(why(goal(None, Some(0.0077)), space).starts_with("too little is missing for 2 ranks"));
}

#[test]
fn churn_stays_in_its_band_does_everything_and_writes_what_it_should() {
    let mut model = model(3000, 100_000.0, 5);
    whole(&mut model, Leg::Fill);
    let (files, taken, bytes, written) = (3000.0, model.taken as f64, model.bytes, model.written);
    let before = model.done;
    model.begin(Leg::Churn { cycles: 2.0 });
    while model.next().is_some() {
        let now = (model.files.len() as f64 / files, model.taken as f64 / taken);
        assert!((0.95..=1.001).contains(&now.0), "files {now:?}");
        // The tolerance is one file of the largest size.
        assert!(now.1 > 0.90 && model.taken as f64 <= taken + (16 * MIB) as f64, "bytes {now:?}");
    }
    let turned = (model.written - written) as f64 / bytes as f64;
    assert!((2.0..2.03).contains(&turned), "{turned}");
    assert!((model.cycles - turned).abs() < 1e-6, "{}", model.cycles);
    let done: Vec<u64> = before.each().iter().zip(model.done.each()).map(|(a, b)| b - a).collect();
    let [made_dirs, rest @ .., cuts] = &done[..] else { unreachable!() };
    assert!(*made_dirs == 0 && *cuts <= 64, "{done:?}");
    assert!(rest.iter().all(|count| *count > 300), "{done:?}");
}

/// The contents of a file system after these operations; panics if one is not possible.
fn done(acts: &[Act]) -> (HashSet<(Name, u64)>, u64) {
    let mut files = std::collections::HashMap::new();
    let mut dirs = 1_u64;
    for act in acts {
        match *act {
            Act::MakeDir(dir) => {
                assert_eq!(u64::from(dir), dirs, "directories come in order");
                dirs += 1;
            }
            Act::Create { name, bytes, .. } => assert_eq!(files.insert(name, bytes), None, "{act:?}"),
            Act::Delete(name) => assert!(files.remove(&name).is_some(), "{act:?}"),
            Act::Append { name, from, bytes, .. } => {
                let file = files.get_mut(&name).unwrap();
                assert_eq!(*file, from, "{act:?}");
                *file += bytes;
            }
            Act::Overwrite { name, from, bytes, .. } => assert!(from + bytes <= files[&name], "{act:?}"),
            Act::Rewrite { name, bytes, .. } => assert_eq!(files[&name], bytes, "{act:?}"),
            Act::Rename { from, to } => {
                let bytes = files.remove(&from).unwrap();
                assert_eq!(files.insert(to, bytes), None, "{act:?}");
            }
            Act::Cut { name, to } => {
                let file = files.get_mut(&name).unwrap();
                assert!(to <= *file, "{act:?}");
                *file = to;
            }
        }
        if let Act::Create { name, .. } | Act::Rename { to: name, .. } = act {
            assert!(u64::from(name.dir) < dirs, "{act:?}");
        }
    }
    (files.into_iter().collect(), dirs)
}

const LEGS: [Leg; 5] = [
    Leg::Fill,
    Leg::Adjust { files: 5, bytes: Some(40 * BLOCK as i64) },
    Leg::Churn { cycles: 0.7 },
    Leg::Adjust { files: -12, bytes: Some(-3_000_000) },
    Leg::Adjust { files: 0, bytes: Some(2_000_000) },
];

#[test]
fn the_model_holds_what_its_operations_leave_and_no_operation_is_impossible() {
    let mut model = model(700, 60_000.0, 11);
    let acts: Vec<Act> = LEGS.iter().flat_map(|leg| whole(&mut model, *leg)).collect();
    let (files, dirs) = done(&acts);
    let of_model: HashSet<(Name, u64)> =
        model.files.iter().map(|LiveFile { name, bytes }| (*name, *bytes)).collect();
    assert_eq!(files, of_model);
    assert_eq!(dirs, model.tree.count());
    assert_eq!(model.bytes, files.iter().map(|(_, bytes)| bytes).sum::<u64>());
    assert_eq!(model.taken, files.iter().map(|(_, bytes)| taken(*bytes, BLOCK)).sum::<u64>());
    assert_eq!(model.written, acts.iter().map(Act::written).sum::<u64>());
}

#[test]
fn the_same_beginning_gives_the_same_operations_and_another_seed_gives_others() {
    let acts = |seed| {
        let mut model = model(700, 60_000.0, seed);
        LEGS.iter().flat_map(|leg| whole(&mut model, *leg)).collect::<Vec<_>>()
    };
    assert_eq!(acts(3), acts(3));
    assert_ne!(acts(3), acts(4));
}

#[test]
fn a_sequence_is_taken_up_at_every_operation_as_if_it_had_not_been_stopped() {
    let state = AgeingState { legs: LEGS.to_vec(), ..AgeingState::default() };
    let mut straight = model(700, 60_000.0, 11);
    let acts: Vec<Act> = LEGS.iter().flat_map(|leg| whole(&mut straight, *leg)).collect();
    let ends = [0, 1, 770, 771, acts.len() - 1, acts.len()];
    for stop in ends.into_iter().chain((0..acts.len()).step_by(97)) {
        let mut model = model(700, 60_000.0, 11);
        let mut leg = 0;
        assert_eq!(replay(&mut model, &state, stop as u64, &mut leg), Ok(stop as u64));
        let rest: Vec<Act> = std::iter::from_fn(|| next_of_all(&mut model, &state, &mut leg)).collect();
        assert_eq!(rest, acts[stop..], "stopped at {stop}");
        assert_eq!(model.files, straight.files);
    }
    let beyond = acts.len() as u64 + 1;
    assert!(replay(&mut model(700, 60_000.0, 11), &state, beyond, &mut 0).is_err());
}

proptest! {
    #[test]
    fn an_adjustment_ends_within_a_block_of_what_was_asked_for(
        seed: u64, files in -200_i64..200, bytes in -20_000_000_i64..20_000_000,
    ) {
        let mut model = model(700, 60_000.0, seed);
        whole(&mut model, Leg::Fill);
        let (had, held) = (model.files.len() as i64, model.taken as i64);
        whole(&mut model, Leg::Adjust { files, bytes: Some(bytes) });
        prop_assert_eq!(model.files.len() as i64 - had, files);
        let left = bytes - (model.taken as i64 - held);
        prop_assert!(left.unsigned_abs() < BLOCK || model.taken == 0, "{} are left", left);
    }

    #[test]
    fn a_leg_and_a_goal_come_back_bit_by_bit(cycles in 0.0_f64..1e6, share in 0.0_f64..1.0) {
        let leg = Leg::Churn { cycles };
        let text = serde_json::to_string(&leg).unwrap();
        prop_assert_eq!(serde_json::from_str::<Leg>(&text).unwrap(), leg);
        let goal = AgeingGoal { cycles, ceiling: share, ..goal(Some(share / 3.0), Some(share / 7.0)) };
        let text = serde_json::to_string(&goal).unwrap();
        prop_assert_eq!(serde_json::from_str::<AgeingGoal>(&text).unwrap(), goal);
    }

    #[test]
    fn the_parts_of_all_ranks_are_the_whole(amount in -1_000_000_i64..1_000_000, ranks in 1_u64..100) {
        let parts: Vec<i64> = (0..ranks).map(|rank| part(amount, ranks, rank)).collect();
        prop_assert_eq!(parts.iter().sum::<i64>(), amount);
        prop_assert!(parts.iter().max().unwrap() - parts.iter().min().unwrap() <= 1);
    }
}

#[test]
fn a_tree_is_no_deeper_than_it_may_be_and_a_few_directories_hold_many() {
    let mut shape = profile().tree;
    let mut dice = Dice::new(seed_of(&[1]));
    let mut tree = DirectoryTree::new(shape);
    (1..5000).for_each(|number| assert_eq!(tree.grow(&mut dice), number));
    let depths: Vec<u32> = (0..5000).map(|dir| tree.depth(dir)).collect();
    let mean = f64::from(depths.iter().sum::<u32>()) / 5000.0;
    assert!((4.0..12.0).contains(&mean), "mean depth {mean}");
    let mut children = vec![0_u32; 5000];
    (1..5000).for_each(|dir| children[tree.parent(dir).unwrap() as usize] += 1);
    let leaves = children.iter().filter(|count| **count == 0).count();
    assert!((2000..3600).contains(&leaves), "{leaves} leaves");
    assert!(*children.iter().max().unwrap() > 20, "some are wide");

    shape.depth_max = 3;
    let mut flat = DirectoryTree::new(shape);
    (1..2000).for_each(|number| assert_eq!(flat.grow(&mut dice), number));
    assert_eq!((0..2000).map(|dir| flat.depth(dir)).max(), Some(3));
}

#[test]
fn a_file_takes_sixteen_bytes_of_memory() {
    assert_eq!(size_of::<LiveFile>(), 16);
}

/// A change of this number changes the sequence. Directories of earlier versions can then neither be resumed
/// nor removed, unless [`SEQUENCE`] distinguishes them.
#[test]
fn the_sequence_of_a_seed_has_the_recorded_number() {
    let mut model = model(700, 60_000.0, 11);
    let acts: Vec<Act> = LEGS.iter().flat_map(|leg| whole(&mut model, *leg)).collect();
    let sum = results::folder::sha256(format!("{acts:?}").as_bytes());
    assert_eq!((SEQUENCE, &sum[..16]), (1, "7fa0ac7ba47d68ad"), "count SEQUENCE up and put the new sum here");
}
