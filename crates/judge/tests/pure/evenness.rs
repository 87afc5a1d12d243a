//! Criteria on single nodes and ranks.

use results::reason::{Code, row};
use results::record::{Balance, EachRank, Phase, Spans};
use results::{Outcome, Verdict};

use super::{Parsed, campaign, job, one, outcome, phase, plan, verdicts_of};

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

/// The verdict on the share of data that ranks read on the node that wrote it. Both tests have four ranks,
/// each with its own file: the writers are on these nodes, the readers on two nodes of two ranks. Rank 3
/// reads 400 bytes, and the others 200.
fn own_node_share(writers: [u32; 4], data_of: [u32; 4], write: fn(&mut Phase)) -> Verdict {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                [[test]]\nid = \"W\"\nior = \"-w -e -k -F\"\nrole = \"reported\"\n\
                [[test]]\nid = \"R\"\nior = \"-r -k -F -C\"\nuses = \"W\"\n\
                criterion = { metric = \"read.own_node_share\", op = \"<=\", value = \"0 %\" }\n";
    let ranks = |name: &str, nodes: [u32; 4]| {
        let moved = if name == "read" { [200, 200, 200, 400] } else { [200; 4] };
        let each = EachRank {
            ranks: 4,
            moved: moved.to_vec().into(),
            seconds: vec![1.0].into(),
            ended_s: vec![1.0].into(),
            node: nodes.to_vec().into(),
            nodes: ["n0", "n1"].map(str::to_owned).into(),
            data_of: if name == "read" { data_of.to_vec().into() } else { Vec::new().into() },
            ..EachRank::default()
        };
        let balance = Balance {
            bytes_min: 200,
            bytes_max: moved[3],
            seconds_min: 1.0,
            seconds_max: 1.0,
            slowest_rate: 200.0,
            ..Balance::default()
        };
        let (file_per_rank, each_rank) = (true, Some(each));
        let bytes = moved.iter().sum();
        Phase { ranks: 4, file_per_rank, each_rank, balance, ..phase(name, bytes) }
    };
    let mut written = ranks("write", writers);
    write(&mut written);
    let jobs = vec![job("W", 1, written), job("R", 1, ranks("read", [0, 0, 1, 1]))];
    verdicts_of(&text.to_owned().parsed(), &campaign(jobs)).remove(0)
}

#[test]
fn reads_on_the_node_that_wrote_the_data_are_counted_by_the_nodes_of_both_jobs() {
    for (writers, data_of, share) in [
        ([0, 0, 1, 1], [2, 3, 0, 1], 0.0),
        // 400 of 1000 bytes, those of rank 3.
        ([0, 0, 1, 1], [2, 3, 0, 2], 0.4),
        ([0, 0, 1, 1], [0, 1, 2, 3], 1.0),
        // The same ranks ran on other nodes.
        ([1, 1, 0, 0], [2, 3, 0, 1], 1.0),
        ([0, 1, 0, 1], [1, 3, 0, 2], 0.0),
    ] {
        let verdict = own_node_share(writers, data_of, |_| ());
        assert_eq!(verdict.value, Some(share), "{writers:?} {data_of:?} {:?}", verdict.reason);
        assert_eq!(verdict.outcome, if share == 0.0 { Outcome::Pass } else { Outcome::Fail });
    }
    for other in [(|phase| phase.block_bytes = 7) as fn(&mut Phase), |phase| {
        phase.each_rank.as_mut().unwrap().node = Vec::new().into()
    }] {
        let verdict = own_node_share([0, 0, 1, 1], [2, 3, 0, 1], other);
        assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::MetricMissing), "{:?}", verdict.reason);
    }
}
