//! Verdicts name who was slow: a node, a target, a rank; and nobody where placement alone explains it.

use results::record::{EachRank, Phase, Stonewall};

use super::{WRITE, campaign, job, one, phase, plan};

/// The warnings of three repetitions of a write whose ranks ran at `rate`, on nodes of `per_node`, with files
/// on `target`.
fn warnings(
    ranks: u32,
    per_node: u32,
    rate: impl Fn(u32) -> f64,
    target: impl Fn(u32) -> u32,
) -> Vec<String> {
    let all = || 0..ranks;
    let each = EachRank {
        ranks,
        moved: vec![1000; ranks as usize].into(),
        seconds: all().map(|rank| 1000.0 / rate(rank)).collect::<Vec<_>>().into(),
        node: all().map(|rank| rank / per_node).collect::<Vec<_>>().into(),
        nodes: all().map(|node| format!("n{node}")).take(ranks.div_ceil(per_node) as usize).collect(),
        layout: all().map(&target).collect::<Vec<_>>().into(),
        layouts: (0..4).map(|target| vec![target]).collect(),
        targets: (1..5).map(|brick| format!("127.0.0.1:/b{brick}")).collect(),
        ..EachRank::default()
    };
    told(|| Phase {
        ranks,
        path: "/m/d/data.00000000".into(),
        each_rank: Some(each.clone()),
        ..phase("write", 120)
    })
}

/// What is told of three repetitions of a phase, without what every such small campaign is told.
fn told(phase: impl Fn() -> Phase) -> Vec<String> {
    let verdict = one(&plan(WRITE), &campaign((1..4).map(|n| job("T", n, phase())).collect()));
    verdict.warnings.into_iter().filter(|text| !text.starts_with("measured from one client node")).collect()
}

#[test]
fn a_slow_brick_is_named_with_its_ranks_and_files() {
    let on = |rank: u32| rank % 4;
    let rate = |rank: u32| if on(rank) == 2 { 31.0 } else { 100.0 };
    assert_eq!(
        warnings(8, 8, rate, on),
        ["writing to brick 127.0.0.1:/b3 ran at 31 % of the others' rate (ranks 2, 6; files data.00000002, \
         data.00000006)"]
    );
    assert_eq!(warnings(8, 8, |_| 100.0, on), [""; 0]);
}

#[test]
fn a_brick_with_more_files_than_others_is_not_called_slow() {
    let on = |rank: u32| [0, 0, 0, 0, 1, 1, 2, 2, 3, 3][rank as usize];
    let rate = |rank: u32| if on(rank) == 0 { 25.0 } else { 50.0 };
    assert_eq!(
        warnings(10, 10, rate, on),
        ["writing to brick 127.0.0.1:/b1 ran at 50 % of the others' rate (ranks 0, 1, 2, 3; files \
         data.00000000, data.00000001, data.00000002, …), but all of these together were as fast as any \
         others: it held 4 files, others 2, so this is uneven placement and no slow brick"]
    );
}

#[test]
fn where_node_and_brick_are_one_both_are_named_and_a_rank_alone_is_named_alone() {
    let own = |rank: u32| rank / 4;
    let tied = warnings(16, 4, |rank| if own(rank) == 1 { 60.0 } else { 100.0 + f64::from(rank) * 0.1 }, own);
    assert_eq!(
        tied,
        [
            "writing from node n1 ran at 59 % of the others' rate (ranks 4, 5, 6, 7); the same ranks are \
             those of brick 127.0.0.1:/b2, and either may be the reason",
            "writing to brick 127.0.0.1:/b2 ran at 59 % of the others' rate (ranks 4, 5, 6, 7; files \
         data.00000004, data.00000005, data.00000006, …); the same ranks are those of node n1, and either \
         may be the reason"
        ]
    );
    let alone =
        warnings(16, 4, |rank| if rank == 9 { 50.0 } else { 100.0 + f64::from(rank) * 0.1 }, |rank| rank % 4);
    assert_eq!(alone, ["write: rank 9 on n2 ran at 50 % of the median rank"]);
}

#[test]
fn files_of_unequal_size_lost_time_and_wear_out_are_told_of_phases_that_last() {
    let each = EachRank {
        ranks: 4,
        moved: vec![100; 4].into(),
        seconds: vec![40.0; 4].into(),
        ended_s: vec![34.0, 33.0, 34.0, 41.0].into(),
        moved_at_deadline: vec![46, 118, 118, 118].into(),
        wear_out_s: vec![10.5, 3.0, 4.0, 4.0].into(),
        ..EachRank::default()
    };
    let all = told(|| {
        let mut phase = phase("write", 120);
        phase.ranks = 4;
        phase.spans.transfer_s = 40.0;
        phase.spans.total_s = 1.0;
        phase.stonewall = Some(Stonewall { deadline_s: 30.0, wear_out: true, ..Stonewall::default() });
        Phase { each_rank: Some(each.clone()), ..phase }
    });
    assert_eq!(
        all,
        [
            "write: rank 0 had moved 46 % of what the mean rank had by the deadline",
            "write: 18 % of the time only 1 of 4 ranks still worked",
            "write: the wear-out took 10.5 s, 35 % of the deadline of 30.0 s",
        ]
    );
}
