//! Criteria on single nodes and ranks.

use results::reason::{Code, row};
use results::record::{Balance, EachRank, Phase, Spans};
use results::{Outcome, Verdict};

use super::{campaign, job, one, outcome, phase, plan};

/// Three repetitions of a write by six ranks on these nodes. Ranks 2 and 3 move 70 bytes in a
/// second, the others 100. Odd ranks begin a second after the even ones.
fn verdict(nodes: [u32; 6], criterion: &str) -> Verdict {
    let each = EachRank {
        ranks: 6,
        moved: vec![100, 100, 70, 70, 100, 100].into(),
        seconds: vec![1.0].into(),
        ended_s: vec![1.0, 2.0, 1.0, 2.0, 1.0, 2.0].into(),
        open_s: vec![0.0].into(),
        close_s: vec![0.0].into(),
        p95_ns: [1, 1, 1, 5, 1, 1].map(|ms| ms * 1_000_000).to_vec().into(),
        p99_ns: [2, 2, 2, 2, 9, 2].map(|ms| ms * 1_000_000).to_vec().into(),
        node: nodes.to_vec().into(),
        nodes: ["n0", "n1", "n2"].map(str::to_owned).into(),
        ..EachRank::default()
    };
    let balance = Balance {
        bytes_min: 70,
        bytes_max: 100,
        seconds_min: 1.0,
        seconds_max: 1.0,
        slowest_rank: 2,
        slowest_node: "n1".into(),
        slowest_rate: 70.0,
        median_rate: 100.0,
    };
    let spans = Spans { transfer_s: 2.0, total_s: 2.0, ..Spans::default() };
    let write = || Phase {
        ranks: 6,
        each_rank: Some(each.clone()),
        balance: balance.clone(),
        spans,
        ..phase("write", 540)
    };
    let text = format!("ior = \"-w -e\"\ncriterion = {{ {criterion} }}");
    one(&plan(&text), &campaign((1..4).map(|n| job("T", n, write())).collect()))
}

#[test]
fn a_slow_node_fails_its_floor_and_is_named() {
    for (metric, op, met, missed) in [
        // 140 bytes in 2 s
        ("node.min", ">=", "70 B/s", "70.1 B/s"),
        // 70 / 90
        ("node.min_of_mean", ">=", "77.7 %", "80 %"),
        // (100 - 70) / 90
        ("node.spread", "<=", "33.4 %", "33.3 %"),
        // 100 / 70
        ("node.max_over_min", "<=", "142.9 %", "142.8 %"),
        // 270² / (3 · 24,900)
        ("node.jain", ">=", "97.5 %", "97.6 %"),
        ("rank.min", ">=", "70 B/s", "70.1 B/s"),
        // 540² / (6 · 49,800)
        ("rank.jain", ">=", "97.5 %", "97.6 %"),
        ("rank.max_over_min", "<=", "142.9 %", "142.8 %"),
        ("duration.rank_max", "<=", "1 s", "0.9 s"),
        ("latency.p95.rank_max", "<=", "5 ms", "4 ms"),
        ("latency.p99.rank_max", "<=", "9 ms", "8 ms"),
    ] {
        let against = |value: &str| {
            verdict(
                [0, 0, 1, 1, 2, 2],
                &format!("metric = \"write.{metric}\", op = \"{op}\", value = \"{value}\""),
            )
        };
        assert_eq!(outcome(&against(met)), (Outcome::Pass, Code::ThresholdMet), "{metric}");
        let failed = against(missed);
        assert_eq!(outcome(&failed), (Outcome::Fail, Code::ThresholdNotMet), "{metric}");
        let named = failed.notes.iter().find(|note| note.code() == Code::SlowestPart);
        let named = named.and_then(|note| note.reason.get(row::SlowestPart::part));
        let wanted = match metric {
            "duration.rank_max" => "rank 0 (n0)",
            "latency.p95.rank_max" => "rank 3 (n1)",
            "latency.p99.rank_max" => "rank 4 (n2)",
            _ if metric.starts_with("node.") => "node n1",
            _ => "rank 2 (n1)",
        };
        assert_eq!(named, Some(wanted), "{metric}");
    }
}

#[test]
fn one_node_is_not_even() {
    let found = verdict([0; 6], "metric = \"write.node.spread\", op = \"<=\", value = \"99 %\"");
    assert_eq!(outcome(&found), (Outcome::Invalid, Code::MetricMissing));
}
