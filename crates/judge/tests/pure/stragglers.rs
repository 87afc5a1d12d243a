//! Warnings about stragglers: a node, a target or a rank. Uneven placement is reported as such.

use results::finding::Finding;
use results::reason::{Code, Reason, row};
use results::record::{EachRank, Phase, Stonewall};

use super::{WRITE, campaign, job, numbers, one, phase, plan, texts, verdicts_of};

/// The warnings of three repetitions of a write. Its ranks ran at `rate`, on nodes of `per_node` ranks, with
/// files on `target`.
fn warnings(
    ranks: u32,
    per_node: u32,
    rate: impl Fn(u32) -> f64,
    target: impl Fn(u32) -> u32,
) -> Vec<Reason> {
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
    warnings_of(|| Phase {
        ranks,
        path: "/m/d/data.00000000".into(),
        each_rank: Some(each.clone()),
        ..phase("write", 120)
    })
}

/// The warnings of three repetitions of a phase, except the warning about a single client.
fn warnings_of(phase: impl Fn() -> Phase) -> Vec<Reason> {
    let verdict = one(&plan(WRITE), &campaign((1..4).map(|n| job("T", n, phase())).collect()));
    let meant = |finding: &Finding| finding.code() != Code::SingleClient;
    verdict.warnings.into_iter().filter(meant).map(|finding| finding.reason).collect()
}

/// Kind, name and share in percent of a slow or overloaded group.
fn group(reason: &Reason) -> (Code, Option<&str>, Option<&str>, Option<f64>) {
    let percent = reason.get(row::Overlap::share).map(|share| (share * 100.0).round());
    (reason.code, reason.get(row::OneFsTwice::kind), reason.get(row::ImportMissing::name), percent)
}

#[test]
fn a_slow_brick_is_reported_with_its_ranks_and_files() {
    let on = |rank: u32| rank % 4;
    let rate = |rank: u32| if on(rank) == 2 { 31.0 } else { 100.0 };
    let slow = warnings(8, 8, rate, on);
    assert_eq!(slow.len(), 1, "{slow:#?}");
    assert_eq!(group(&slow[0]), (Code::SlowGroup, Some("brick"), Some("127.0.0.1:/b3"), Some(31.0)));
    assert_eq!(slow[0].data.get("ranks"), Some(&vec![2_u32, 6].into()));
    assert_eq!(texts(&slow[0], "files"), ["data.00000002", "data.00000006"]);
    assert_eq!(warnings(8, 8, |_| 100.0, on), []);
}

#[test]
fn a_brick_with_more_files_is_overloaded_by_placement_and_not_slow() {
    let on = |rank: u32| [0, 0, 0, 0, 1, 1, 2, 2, 3, 3][rank as usize];
    let rate = |rank: u32| if on(rank) == 0 { 25.0 } else { 50.0 };
    let uneven = warnings(10, 10, rate, on);
    assert_eq!(uneven.len(), 1, "{uneven:#?}");
    assert_eq!(group(&uneven[0]), (Code::UnevenPlacement, Some("brick"), Some("127.0.0.1:/b1"), Some(50.0)));
    assert_eq!(uneven[0].data.get("ranks"), Some(&vec![0_u32, 1, 2, 3].into()));
    assert_eq!(texts(&uneven[0], "files"), ["data.00000000", "data.00000001", "data.00000002"]);
    assert_eq!(numbers(&uneven[0], ["files_held", "others_held"]), [Some(4.0), Some(2.0)]);
}

#[test]
fn a_slow_node_and_brick_with_the_same_ranks_are_both_reported_and_a_single_rank_alone() {
    let own = |rank: u32| rank / 4;
    let tied = warnings(16, 4, |rank| if own(rank) == 1 { 60.0 } else { 100.0 + f64::from(rank) * 0.1 }, own);
    let [node, brick] = &tied[..] else { panic!("{tied:#?}") };
    assert_eq!(group(node), (Code::SlowGroup, Some("node"), Some("n1"), Some(59.0)));
    assert_eq!(group(brick), (Code::SlowGroup, Some("brick"), Some("127.0.0.1:/b2"), Some(59.0)));
    let same = [node, brick].map(|reason| reason.get(row::SlowGroup::same_ranks_as));
    assert_eq!(same, [Some("127.0.0.1:/b2"), Some("n1")]);
    let alone =
        warnings(16, 4, |rank| if rank == 9 { 50.0 } else { 100.0 + f64::from(rank) * 0.1 }, |rank| rank % 4);
    let [alone] = &alone[..] else { panic!("{alone:#?}") };
    assert_eq!((alone.code, alone.get(row::SlowRank::node)), (Code::SlowRank, Some("n2")));
    assert_eq!(alone.get(row::SlowRank::rank), Some(9.0));
    assert!((alone.get(row::SlowRank::share).unwrap() - 0.5).abs() < 0.01);
}

#[test]
fn load_imbalance_lost_time_and_wear_out_are_reported() {
    let each = EachRank {
        ranks: 4,
        moved: vec![100; 4].into(),
        seconds: vec![40.0; 4].into(),
        ended_s: vec![34.0, 33.0, 34.0, 41.0].into(),
        moved_at_deadline: vec![46, 118, 118, 118].into(),
        wear_out_s: vec![10.5, 3.0, 4.0, 4.0].into(),
        ..EachRank::default()
    };
    let all = warnings_of(|| {
        let mut phase = phase("write", 120);
        phase.ranks = 4;
        phase.spans.transfer_s = 40.0;
        phase.spans.total_s = 1.0;
        phase.stonewall = Some(Stonewall { deadline_s: 30.0, wear_out: true, ..Stonewall::default() });
        Phase { each_rank: Some(each.clone()), ..phase }
    });
    let [least, lost, wear_out] = &all[..] else { panic!("{all:#?}") };
    assert_eq!((least.code, least.flag(row::LoadImbalance::by_deadline)), (Code::LoadImbalance, true));
    assert_eq!(numbers(least, ["rank", "share"]), [Some(0.0), Some(0.46)]);
    assert_eq!((lost.code, numbers(lost, ["slowest", "ranks"])), (Code::TimeLost, [Some(1.0), Some(4.0)]));
    assert!((lost.get(row::WearOutTime::share).unwrap() - 0.18).abs() < 0.01);
    assert_eq!(wear_out.code, Code::WearOutTime);
    let numbers = numbers(wear_out, ["wear_out", "share", "deadline"]);
    assert_eq!(numbers, [Some(10.5), Some(0.35), Some(30.0)]);
}

#[test]
fn each_criterion_of_a_phase_has_the_warnings_about_its_slow_ranks() {
    let keys = "ior = \"-w -r -e\"\ncriterion = [\
                { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" },\
                { metric = \"write.iops\", op = \">=\", value = \"0.001 /s\" },\
                { metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }]";
    let each = EachRank {
        ranks: 8,
        moved: vec![1000; 8].into(),
        seconds: vec![10.0, 10.1, 30.0, 10.2, 10.1, 10.3, 10.0, 10.2].into(),
        node: vec![0].into(),
        nodes: vec!["n0".into()],
        ..EachRank::default()
    };
    let write = Phase { ranks: 8, each_rank: Some(each), ..phase("write", 120) };
    let both = |repetition| {
        let mut one = job("T", repetition, write.clone());
        let read = job("T", repetition, phase("read", 120)).records;
        one.records.extend(read.into_iter().filter(|record| matches!(record, results::Record::Phase(_))));
        one
    };
    let verdicts = verdicts_of(&plan(keys), &campaign((1..4).map(both).collect()));
    let slow = verdicts.iter().map(|verdict| {
        let codes = verdict.warnings.iter().map(Finding::code);
        (verdict.metric.as_str(), codes.filter(|code| *code == Code::SlowRank).count())
    });
    assert_eq!(slow.collect::<Vec<_>>(), [("write.bw", 1), ("write.iops", 1), ("read.bw", 0)]);
}
