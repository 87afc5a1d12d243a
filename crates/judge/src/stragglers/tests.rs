//! Attributions of ranks with known rates.

mod simple;

use measure::statistics::Dice;

use super::*;
use results::record::{Spans, Stonewall};

/// A phase in which rank `r` moved a gibibyte at `rate(r)` per second. Adjacent ranks share nodes of
/// `per_node` ranks. The file of a rank is on target `target(r)`.
fn phase(ranks: u32, per_node: u32, rate: impl Fn(u32) -> f64, target: impl Fn(u32) -> u32) -> Phase {
    const GIB: u64 = 1 << 30;
    let all = || 0..ranks;
    let seconds: Vec<f64> = all().map(|rank| GIB as f64 / rate(rank)).collect();
    let name = |kind: &str, count: u32| (0..count).map(|n| format!("{kind}{n}")).collect::<Vec<_>>();
    let targets = all().map(&target).max().map_or(0, |most| most + 1);
    let each = EachRank {
        ranks,
        moved: vec![GIB; ranks as usize].into(),
        ended_s: seconds.clone().into(),
        seconds: seconds.into(),
        node: all().map(|rank| rank / per_node).collect::<Vec<_>>().into(),
        nodes: name("n", ranks.div_ceil(per_node)),
        layout: all().map(&target).collect::<Vec<_>>().into(),
        layouts: (0..targets).map(|target| vec![target]).collect(),
        targets: name("t", targets),
        ..EachRank::default()
    };
    Phase { ranks, each_rank: Some(each), ..Phase::default() }
}

/// The names of slow and overloaded groups, with the finding.
fn found(phases: &[Phase]) -> Vec<(String, GroupSpeed)> {
    let attribution = Attribution::of(&phases.iter().collect::<Vec<_>>());
    attribution.found().map(|(_, group)| (group.name.clone(), group.finding)).collect()
}

fn slow(name: &str) -> (String, GroupSpeed) {
    (name.to_owned(), GroupSpeed::Slow)
}

#[test]
fn a_slow_target_is_found_by_the_ranks_with_files_on_it() {
    // Four targets with two ranks each. One target is at 31 %, in one repetition and in repetitions in which
    // files move.
    let once =
        phase(8, 8, |rank| if rank % 4 == 2 { 31.0 } else { 100.0 + f64::from(rank) }, |rank| rank % 4);
    let attribution = Attribution::of(&[&once]);
    let group = attribution.found().next().expect("one is found").1;
    assert_eq!(
        (group.name.as_str(), group.ranks.as_slice(), group.finding),
        ("t2", &[2, 6][..], GroupSpeed::Slow)
    );
    assert!((group.share.unwrap() - 0.30).abs() < 0.01 && group.held == 2.0, "{group:?}");
    assert!(attribution.stragglers.is_empty(), "the target explains them");
    let moving: Vec<Phase> = (0..3)
        .map(|shift| {
            let on = move |rank: u32| (rank + shift) % 4;
            phase(8, 8, move |rank| if on(rank) == 1 { 50.0 } else { 100.0 + f64::from(rank) }, on)
        })
        .collect();
    assert_eq!(found(&moving), [slow("t1")]);
}

#[test]
fn a_target_with_more_files_than_others_is_overloaded_and_not_slow() {
    // Each target gives 100 to all its files together. The first target holds four of ten files.
    let files = [4.0, 2.0, 2.0, 2.0];
    let target = |rank: u32| [0, 0, 0, 0, 1, 1, 2, 2, 3, 3][rank as usize];
    let rate = move |slow: f64| {
        move |rank: u32| {
            let on = target(rank) as usize;
            (if on == 0 { slow } else { 100.0 }) / files[on] + f64::from(rank) * 0.01
        }
    };
    assert_eq!(found(&[phase(10, 10, rate(100.0), target)]), [("t0".to_owned(), GroupSpeed::Overloaded)]);
    assert_eq!(found(&[phase(10, 10, rate(40.0), target)]), [slow("t0")], "this one is also slow");
}

#[test]
fn a_target_that_was_overloaded_in_one_repetition_is_not_slow() {
    // Each target gives 100 to all its files together. The last target holds five of twelve files, once.
    let filled = |on: [u32; 12]| {
        let files = move |target: u32| on.iter().filter(|one| **one == target).count() as f64;
        let target = move |rank: u32| on[rank as usize];
        phase(12, 12, move |rank| 100.0 / files(target(rank)) + f64::from(rank) * 0.01, target)
    };
    let once = filled([5, 5, 5, 5, 5, 0, 0, 1, 1, 2, 3, 4]);
    let almost_evenly = || filled([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 0]);
    let phases = [once, almost_evenly(), almost_evenly()];
    assert_eq!(found(&phases), [("t5".to_owned(), GroupSpeed::Overloaded)]);
}

#[test]
fn a_slow_node_is_distinguished_from_a_slow_target_or_both_are_reported() {
    // 8 nodes of 4 ranks. Files are distributed over 4 targets in turn, so that every node uses all targets.
    let rates =
        |slow: fn(u32) -> bool| move |rank: u32| if slow(rank) { 60.0 } else { 100.0 + f64::from(rank % 7) };
    let spread = |rank: u32| rank % 4;
    assert_eq!(found(&[phase(32, 4, rates(|rank| rank / 4 == 5), spread)]), [slow("n5")]);
    assert_eq!(found(&[phase(32, 4, rates(|rank| rank % 4 == 3), spread)]), [slow("t3")]);
    let both = phase(32, 4, rates(|rank| rank / 4 == 5 || rank % 4 == 3), spread);
    assert_eq!(found(&[both]), [slow("n5"), slow("t3")]);
    // Each node has its own target, so the cause cannot be known.
    let tied = phase(32, 4, rates(|rank| rank / 4 == 5), |rank| rank / 4);
    let attribution = Attribution::of(&[&tied]);
    let names: Vec<&str> = attribution.found().map(|(_, group)| group.name.as_str()).collect();
    assert_eq!((names, attribution.either.len()), (vec!["n5", "t5"], 1));
}

#[test]
fn a_single_slow_rank_is_reported_with_its_node() {
    let one =
        phase(32, 4, |rank| if rank == 17 { 30.0 } else { 100.0 + f64::from(rank % 7) }, |rank| rank % 4);
    let attribution = Attribution::of(&[&one]);
    assert_eq!(attribution.found().count(), 0);
    let straggler = &attribution.stragglers[..];
    assert!(matches!(straggler, [one] if one.rank == 17 && one.node == "n4"), "{straggler:?}");
    assert!((straggler[0].share - 0.29).abs() < 0.01 && straggler[0].deviations > 10.0);
}

#[test]
fn a_file_over_several_targets_counts_for_each_of_them() {
    let mut wide =
        phase(24, 24, |rank| if rank % 6 < 2 { 50.0 } else { 100.0 + f64::from(rank) }, |rank| rank % 6);
    let each = wide.each_rank.as_mut().expect("made above");
    // Files are on targets 0 and 1, 1 and 2, ... 5 and 0. Files with a part on target 1 are slow.
    each.layouts = (0..6).map(|first| vec![first, (first + 1) % 6]).collect();
    assert_eq!(found(&[wide]), [slow("t1")]);
}

#[test]
fn equal_ranks_give_almost_no_findings() {
    let mut dice = Dice::new(11);
    for (ranks, per_node, targets) in [(8, 8, 4), (8, 2, 4), (16, 1, 8), (32, 4, 6), (3, 1, 3), (64, 16, 32)]
    {
        let mut wrong = 0;
        for _ in 0..200 {
            let rates: Vec<f64> = (0..ranks).map(|_| 100.0 * (0.1 * dice.normal()).exp()).collect();
            let all = phase(ranks, per_node, |rank| rates[rank as usize], |rank| rank % targets);
            wrong += usize::from(!found(&[all]).is_empty());
        }
        assert!(wrong <= 20, "{ranks} ranks, {per_node} a node, {targets} targets: {wrong} of 200");
    }
}

/// The numbers of 200 campaigns that call the first of four targets slow, and that call another target slow.
/// Targets give a rate to all their files together. The first target has the share `first` of the others'
/// rate. An event on a whole target in one repetition multiplies its rate. The logarithm of this factor is
/// normal with this deviation. 16 files are placed by a hash, differently in each repetition.
fn campaigns_that_call_slow(deviation: f64, repetitions: u32, first: f64) -> [usize; 2] {
    let mut dice = Dice::new(21);
    let mut repetition = || {
        let on: Vec<u32> = (0..16).map(|_| dice.below(4) as u32).collect();
        let burst: Vec<f64> = (0..4).map(|_| (deviation * dice.normal()).exp()).collect();
        let own: Vec<f64> = (0..16).map(|_| (0.05 * dice.normal()).exp()).collect();
        let rate = |rank: u32| {
            let target = on[rank as usize];
            let files = on.iter().filter(|one| **one == target).count() as f64;
            let share = if target == 0 { first } else { 1.0 };
            100.0 * share * burst[target as usize] / files * own[rank as usize]
        };
        phase(16, 16, rate, |rank| on[rank as usize])
    };
    let mut called = [0; 2];
    for _ in 0..200 {
        let phases: Vec<Phase> = (0..repetitions).map(|_| repetition()).collect();
        let found = found(&phases);
        let (own, others): (Vec<_>, Vec<_>) =
            found.iter().filter(|one| one.1 == GroupSpeed::Slow).partition(|one| one.0 == "t0");
        called[0] += usize::from(!own.is_empty());
        called[1] += usize::from(!others.is_empty());
    }
    called
}

#[test]
fn a_target_that_is_slow_in_one_repetition_is_seldom_called_slow() {
    for deviation in [0.1, 0.25] {
        for repetitions in [1, 2, 3, 5, 10] {
            let [first, others] = campaigns_that_call_slow(deviation, repetitions, 1.0);
            // 5 % of 200 are 10, with a standard deviation of 3.
            assert!(first + others <= 19, "{deviation}, {repetitions}: {first} + {others} of 200");
        }
    }
}

#[test]
fn a_slow_target_is_found_among_bursts_with_enough_repetitions() {
    // The counts of docs/validation/stragglers.md minus three standard deviations.
    let called = [
        (0.1, 2, 0.5, 122),
        (0.1, 5, 0.5, 165),
        (0.1, 2, 0.3, 161),
        (0.25, 2, 0.3, 147),
        (0.25, 5, 0.5, 150),
        (0.25, 5, 0.3, 186),
        (0.25, 10, 0.5, 179),
    ];
    for (deviation, repetitions, share, at_least) in called {
        let [first, others] = campaigns_that_call_slow(deviation, repetitions, share);
        assert!(first >= at_least && others <= 19, "{deviation}, {repetitions}, {share}: {first} {others}");
    }
}

/// Repetitions of a phase with random ranks, nodes, layouts, rates and slow groups.
fn random_phases(dice: &mut Dice) -> Vec<Phase> {
    let mut one_of = |all: &[usize]| all[dice.below(all.len())];
    let (ranks_max, targets_max) = (one_of(&[60, 60, 60, 300]), one_of(&[8, 8, 90]));
    let [of_node, of_target] = [(); 2].map(|()| [1.0, 0.3, 0.6, 0.85][dice.below(4)]);
    let ranks = 2 + dice.below(ranks_max) as u32;
    let per_node = 1 + dice.below(5) as u32;
    let targets = 1 + dice.below(targets_max) as u32;
    let (slow_node, slow_target) = (dice.below(12) as u32, dice.below(8) as u32);
    let (parts, moves) = (1 + dice.below(3) as u32, dice.below(2) as u32);
    let scatter = [0.0, 0.02, 0.1, 0.4][dice.below(4)];
    let coarse = dice.below(3) == 0;
    let mut repetition = |number: u32| {
        let on: Vec<u32> = (0..ranks)
            .map(
                |rank| {
                    if moves == 1 { dice.below(targets as usize) as u32 } else { (rank + number) % targets }
                },
            )
            .collect();
        let rates: Vec<f64> = (0..ranks)
            .map(|rank| {
                let node = if rank / per_node == slow_node { of_node } else { 1.0 };
                let target = if on[rank as usize] == slow_target { of_target } else { 1.0 };
                let rate = 100.0 * node * target * (scatter * dice.normal()).exp();
                // Equal rates show how ties are counted.
                if coarse { (rate / 10.0).ceil() * 10.0 } else { rate }
            })
            .collect();
        let mut one = phase(ranks, per_node, |rank| rates[rank as usize], |rank| on[rank as usize]);
        let each = one.each_rank.as_mut().expect("made above");
        let layout = |first: u32| (0..parts).map(|part| (first + part * part) % targets).collect();
        each.layouts = (0..targets).map(layout).collect();
        if dice.below(4) == 0 {
            each.moved = (0..ranks).map(|rank| u64::from(rank % 7) << 28).collect::<Vec<_>>().into();
            one.ramp_s = 1.0;
        }
        one
    };
    (0..1 + moves + ranks % 3).map(&mut repetition).collect()
}

#[test]
fn the_attribution_is_that_of_the_simple_method() {
    let (mut found, mut either, mut single) = (0, 0, 0);
    for seed in 0..400 {
        let phases = random_phases(&mut Dice::new(seed));
        let phases: Vec<&Phase> = phases.iter().collect();
        let attribution = Attribution::of(&phases);
        assert_eq!(attribution, simple::attribution(&phases), "seed {seed}");
        found += attribution.found().count();
        either += attribution.either.len();
        single += attribution.stragglers.len();
    }
    assert!(found > 100 && either > 0 && single > 100, "{found} {either} {single}: too few to compare");
}

#[test]
fn phases_without_data_of_ranks_or_with_one_rank_give_no_findings() {
    assert_eq!(Attribution::of(&[&Phase::default()]), Attribution::default());
    let one = phase(1, 1, |_| 1.0, |_| 0);
    assert_eq!((Attribution::of(&[&one]), Spread::of(&one)), (Attribution::default(), None));
}

#[test]
fn the_load_imbalance_is_that_of_the_published_example() {
    // The smallest file has 13.75 GiB, and the mean is 29.8 (Blue Waters IO-2017).
    let mut time_bound = phase(200, 1, |rank| if rank == 7 { 0.5e9 } else { 1e9 }, |_| 0);
    let each = time_bound.each_rank.as_mut().expect("made above");
    each.moved = (0..200).map(|rank| if rank == 7 { 1375 } else { 2988 }).collect::<Vec<_>>().into();
    let gib = (1_u64 << 30) as f64 / 1e9;
    time_bound.spans = Spans { transfer_s: 2.0 * gib, ..Spans::default() };
    let spread = Spread::of(&time_bound).unwrap();
    assert!((spread.least_share - 0.4613).abs() < 1e-3 && spread.least_rank == 7, "{spread:?}");
    assert_eq!((spread.slowest, spread.wear_out), (2, None));
    assert!((spread.lost - 0.5).abs() < 1e-9 && (spread.late - 1.0).abs() < 1e-9, "{spread:?}");
    let each = time_bound.each_rank.as_mut().expect("made above");
    each.wear_out_s = (0..200).map(|rank| f64::from(rank % 4)).collect::<Vec<_>>().into();
    time_bound.stonewall = Some(Stonewall { deadline_s: 30.0, ..Stonewall::default() });
    assert_eq!(Spread::of(&time_bound).unwrap().wear_out, Some(0.1));
}
