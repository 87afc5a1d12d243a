//! Published defect 14: a rank that moved less than half of the mean is found in the records.

use judge::evaluate;
use plan::Plan;
use results::folder::{Campaign, Job, JobEnd, JobInfo};
use results::reason::{Code, row};
use results::record::{Balance, Phase, Record, Spans, Stonewall};

#[test]
fn a_rank_that_moved_less_than_half_of_the_mean_is_a_straggler() {
    let plan = include_str!("../../../lint/tests/plans/seeds-literal.toml");
    let plan = Plan::parse(plan, "seeds-literal.toml").unwrap();
    let phase = Phase {
        phase: "write".into(),
        ranks: 4320,
        bytes: 29_800_000_000 * 4320,
        spans: Spans { transfer_s: 180.0, total_s: 180.0, ..Default::default() },
        balance: Balance { bytes_min: 14_763_950_080, bytes_max: 35_000_000_000, ..Default::default() },
        stonewall: Some(Stonewall { deadline_s: 180.0, ..Default::default() }),
        ..Default::default()
    };
    let info = JobInfo { test: "BW-IOR1".into(), end: JobEnd::Exit(0), ..Default::default() };
    let job = Job { info, records: vec![Record::Phase(Box::new(phase))], ..Default::default() };
    let summary = evaluate(&plan, &Campaign { jobs: vec![job], ..Default::default() }).summary;
    let found = summary.findings.iter().find(|one| one.code() == Code::Straggler && one.about == "BW-IOR1");
    let reason = &found.expect("a straggler").reason;
    assert_eq!(reason.get(row::Straggler::bytes), Some(14_763_950_080.0), "{reason:?}");
    assert!((reason.get(row::Straggler::share).unwrap() - 0.495).abs() < 0.01, "{reason:?}");
}
