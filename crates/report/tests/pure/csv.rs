//! Results and verdicts as comma-separated values.

use report::document::csv;
use results::folder::Campaign;
use results::reason;
use results::summary::{Rate, SystemProjection};
use results::{Outcome, Statistics, Verdict};

#[test]
fn every_criterion_and_every_sum_has_a_line_with_its_value_and_outcome() {
    let verdict = |test: &str, statistic: &str, criterion: &str| Verdict {
        test: test.into(),
        clause: "at least, and \"more\"".into(),
        metric: "write.bw".into(),
        criterion: criterion.into(),
        outcome: Outcome::Fail,
        reason: reason!(NoValues),
        statistic: statistic.into(),
        value: Some(2e9),
        threshold: Some(3e9),
        unit: "B/s".into(),
        statistics: Some(Statistics { values: vec![2e9, 4e9], cov: Some(0.5), ..Statistics::default() }),
        jobs: vec!["jobs/1".into(), "jobs/2".into()],
        ..Verdict::default()
    };
    let verdicts =
        vec![verdict("A", "min", "min >= 3 GB/s"), verdict("G", "mean", "sum of 2: mean >= 3 GB/s")];
    let rate = Rate { test: "A".into(), mean: Some(3e9), values: vec![2e9, 4e9], ..Rate::default() };
    let mut campaign = Campaign { verdicts, ..Campaign::default() };
    campaign.summary.rates.push(rate);
    campaign.summary.measured_on = "B".into();
    let text = csv(&campaign);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert_eq!(lines[1], "A,,,,B,benchmarked,mean,3000000000,,,2,,,,,,,,,,,,");
    let judged = |test: &str, stat: &str, criterion: &str| {
        format!(
            "{test},\"at least, and \
             \"\"more\"\"\",contract,write.bw,B,judged,{stat},2000000000,B/s,0.5,2,,,,,\
             {criterion},3000000000,FAIL,No repetition has a value.,jobs/1 jobs/2,-0.3333333333333333,,"
        )
    };
    assert_eq!(lines[2], judged("A", "min", "min >= 3 GB/s"));
    assert_eq!(lines[3], judged("G", "mean", "sum of 2: mean >= 3 GB/s"));
}

#[test]
fn if_files_are_not_intact_no_line_passes_and_each_line_states_it() {
    let verdict = Verdict { outcome: Outcome::Pass, ..Verdict::default() };
    let faults = vec!["a was changed".to_owned(), "b is missing".to_owned()];
    let mut campaign = Campaign { verdicts: vec![verdict], faults, ..Campaign::default() };
    campaign.summary.rates.push(Rate::default());
    campaign.summary.projections.push(SystemProjection::default());
    let text = csv(&campaign);
    let ends = text.lines().skip(1).map(|line| line.splitn(18, ',').last().unwrap_or_default());
    let remark = "Files of the campaign are not intact: a was changed";
    let wanted = [format!(",{remark},,,,"), format!("INVALID,{remark},,,,"), format!(",{remark},,,0 ,0")];
    assert_eq!(ends.collect::<Vec<_>>(), wanted);
}
