//! Scores: geometric means over several tests.

use judge::ComparisonRules;
use plan::Plan;
use results::Outcome;
use results::comparison::{ComparedRow, Conclusion};
use results::finding::{Finding, Severity};
use results::folder::Campaign;
use results::reason::{Code, reason, row};

use super::comparison::compared;
use super::{Parsed, campaign, job, outcome, phase, summary, verdicts_of};

/// Tests A, B and C with two repetitions each, and scores over them.
fn scores(text: &str) -> Plan {
    let tests: String = ["A", "B", "C"]
        .map(|id| format!("[[test]]\nid = \"{id}\"\nrepetitions = 2\nior = \"-w -e\"\nrole = \"reported\"\n"))
        .concat();
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n";
    format!("{head}{tests}{text}").parsed()
}

/// The rates of A, B and C in both repetitions.
fn measured(rates: [[u64; 2]; 3]) -> Campaign {
    let all = ["A", "B", "C"].into_iter().zip(rates);
    let jobs = all.flat_map(|(id, rates)| {
        (1..).zip(rates).map(move |(repetition, rate)| job(id, repetition, phase("write", rate)))
    });
    campaign(jobs.collect())
}

const ALL: &str = "[[score]]\nid = \"S\"\nclause = \"the score\"\n\
                   of = [\"A.write.bw\", \"B.write.bw\", \"C.write.bw\"]\n";

#[test]
fn each_repetition_gives_one_score_and_their_mean_is_compared() {
    let text = format!("{ALL}criterion = {{ op = \">=\", value = \"30 B/s\" }}\n");
    let (plan, campaign) = (scores(&text), measured([[10, 80], [100, 10], [1000, 10]]));
    let verdicts = verdicts_of(&plan, &campaign);
    assert_eq!(verdicts.len(), 1);
    let verdict = &verdicts[0];
    assert_eq!((verdict.test.as_str(), verdict.clause.as_str()), ("S", "the score"));
    assert_eq!(verdict.criterion, "geometric mean of 3: mean >= 30 B/s");
    // The cube roots of 10 · 100 · 1000 and of 80 · 10 · 10 are 100 and 20.
    let statistics = verdict.statistics.as_ref().unwrap();
    assert!((statistics.min - 20.0).abs() < 1e-9 && (statistics.max - 100.0).abs() < 1e-9);
    assert!((verdict.value.unwrap() - 60.0).abs() < 1e-9);
    assert_eq!(
        outcome(verdict),
        (Outcome::Inconclusive, Code::LimitContradictsMet),
        "two scores differ much"
    );
    let close = measured([[10, 10], [100, 100], [1000, 1001]]);
    assert_eq!(outcome(&verdicts_of(&plan, &close)[0]), (Outcome::Pass, Code::ThresholdMet));
    let known = "[known.old]\nvalue = \"100 B/s\"\nsource = \"a report\"\n".to_owned();
    let share = scores(&(known + &text.replace("30 B/s", "30% of known.old")));
    assert_eq!(outcome(&verdicts_of(&share, &close)[0]), (Outcome::Pass, Code::ThresholdMet));
    let low = measured([[10, 10], [10, 10], [100, 101]]);
    assert_eq!(outcome(&verdicts_of(&plan, &low)[0]), (Outcome::Fail, Code::ThresholdNotMet));
    let names: Vec<&str> = verdict.jobs.iter().map(String::as_str).collect();
    assert_eq!(names.len(), 6, "all jobs of all parts: {names:?}");
}

#[test]
fn a_score_of_scores_weighs_its_parts_and_counts_each_in_its_unit() {
    let text = "[[score]]\nid = \"AB\"\nof = [\"A.write.bw\", \"B.write.bw\"]\n\
                [[score]]\nid = \"ALL\"\nof = [\"AB\", \"C.write.iops\"]\npoints = [\"kB/s\", \"k/s\"]\n";
    let plan = scores(text);
    let [ab, all] = &plan.scores[..] else { panic!("{plan:#?}") };
    assert_eq!(ab.parts.iter().map(|part| part.weight).collect::<Vec<_>>(), [0.5, 0.5]);
    assert_eq!(all.parts.iter().map(|part| part.weight).collect::<Vec<_>>(), [0.25, 0.25, 0.5]);
    let campaign = measured([[4000, 4000], [9000, 9000], [100, 100]]);
    let rates = summary(&plan, &campaign).rates;
    let of = |id: &str| rates.iter().find(|rate| rate.test == id).unwrap();
    assert_eq!((of("AB").unit.as_str(), of("ALL").unit.as_str()), ("B/s", "points"));
    assert!((of("AB").mean.unwrap() - 6000.0).abs() < 1e-9);
    // What a job of C wrote in transfers per second, from its own rate: the score is the square root of
    // 6 kB/s times that.
    let job = campaign.jobs.iter().find(|job| job.info.test == "C").unwrap();
    let phase = results::record::phases(&job.records).next().unwrap();
    let iops = phase.ops as f64 / phase.spans.transfer_s;
    assert!((of("ALL").mean.unwrap() - (6.0 * iops / 1000.0).sqrt()).abs() < 1e-9, "{:?}", of("ALL"));
    assert!(verdicts_of(&plan, &campaign).is_empty(), "without a criterion it is only reported");
}

#[test]
fn a_part_that_cannot_be_used_leaves_no_score() {
    let text = format!("{ALL}criterion = {{ op = \">=\", value = \"1 B/s\" }}\n");
    let plan = scores(&text);
    let mut campaign = measured([[10, 10], [100, 100], [1000, 1000]]);
    campaign.jobs.retain(|job| job.info.test != "B");
    let verdict = &verdicts_of(&plan, &campaign)[0];
    assert_eq!(outcome(verdict), (Outcome::NotRun, Code::PartUnusable));
    assert_eq!(verdict.reason.get(row::PartUnusable::part), Some("B"));
    let rates = summary(&plan, &campaign).rates;
    let score = rates.iter().find(|rate| rate.test == "S").unwrap();
    assert!(score.mean.is_none() && score.why.is_some(), "{score:?}");
}

#[test]
fn a_lint_error_about_a_score_makes_the_score_invalid_and_not_its_parts() {
    let judged = "repetitions = 2\nior = \"-w -e\"\nrole = \"reported\"\n";
    let own = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";
    let text = format!("{ALL}criterion = {{ op = \">=\", value = \"30 B/s\" }}\n");
    let part = format!("[[test]]\nid = \"D\"\n{}{own}", judged.replace("role = \"reported\"\n", ""));
    let plan = scores(&format!("{part}{text}"));
    let mut campaign = measured([[100, 100], [100, 100], [100, 101]]);
    campaign.jobs.extend([1, 2].map(|repetition| job("D", repetition, phase("write", 100))));
    let of = |campaign: &Campaign| {
        let outcome = |verdict: &results::Verdict| (verdict.test.clone(), verdict.outcome);
        verdicts_of(&plan, campaign).iter().map(outcome).collect::<Vec<_>>()
    };
    assert_eq!(of(&campaign), [("D".into(), Outcome::Pass), ("S".into(), Outcome::Pass)]);
    campaign.info.findings =
        vec![Finding::new(Severity::Error, reason!(DeadCriterion { metric: "score", .. })).about("S")];
    assert_eq!(of(&campaign), [("D".into(), Outcome::Pass), ("S".into(), Outcome::Invalid)]);
    assert_eq!(verdicts_of(&plan, &campaign)[1].reason.code, Code::LintError);
}

/// The row of score S in a comparison of two campaigns.
fn compared_score(one: (&Plan, &Campaign), other: (&Plan, &Campaign)) -> ComparedRow {
    let comparison = compared(&[one, other], ComparisonRules::default());
    assert_eq!(comparison.rows.len(), 4, "three tests, and the score behind them");
    comparison.rows.into_iter().find(|row| row.metric == "score").expect("a row of the score")
}

#[test]
fn a_score_is_compared_by_the_scores_of_its_repetitions() {
    let plan = scores(ALL);
    let base = measured([[1000, 1010], [2000, 2002], [4000, 4010]]);
    // The cube root of 2 · 2 · 2 is 2, and that of 8 · 1 · 1 too.
    for twice in [
        measured([[2000, 2020], [4000, 4004], [8000, 8020]]),
        measured([[8000, 8080], [2000, 2002], [4000, 4010]]),
    ] {
        let row = compared_score((&plan, &base), (&plan, &twice));
        assert_eq!((row.test.as_str(), row.clause.as_str(), row.unit.as_str()), ("S", "the score", "B/s"));
        let mean = |at: usize| row.samples[at].mean.expect("a mean");
        assert!((mean(0) - 2005.0).abs() < 1.0 && (mean(1) - 4010.0).abs() < 2.0, "{row:?}");
        let one = &row.against[0];
        assert_eq!(one.conclusion, Conclusion::Faster, "{row:?}");
        let interval = one.together.expect("an interval");
        assert!((one.ratio.unwrap() - 2.0).abs() < 1e-9 && interval.low < 2.0 && 2.0 < interval.high);
        assert!(
            !row.is_shown_below(0.95) && compared_score((&plan, &twice), (&plan, &base)).is_shown_below(0.95)
        );
    }
}

#[test]
fn scores_of_single_repetitions_or_in_other_units_are_not_compared() {
    let plan = scores(ALL);
    let base = measured([[1000, 1010], [2000, 2002], [4000, 4010]]);
    let same = compared_score(
        (&plan, &base),
        (&scores(&format!("{ALL}points = [\"kB/s\", \"B/s\", \"B/s\"]\n")), &base),
    );
    assert_eq!(same.against[0].conclusion, Conclusion::NotComparable);
    assert_eq!(same.against[0].reason.code, Code::UnitsDiffer);
    let points = |unit: &str| scores(&format!("{ALL}points = [\"{unit}\", \"B/s\", \"B/s\"]\n"));
    let other = compared_score((&points("kB/s"), &base), (&points("MB/s"), &base));
    assert_eq!(
        (other.against[0].conclusion, other.against[0].reason.code),
        (Conclusion::NotComparable, Code::TestsDiffer)
    );
    let mut once = base.clone();
    once.jobs.retain(|job| job.info.repetition == 1);
    let text = |plan: &Plan| Plan {
        tests: plan.tests.iter().cloned().map(|test| plan::Test { repetitions: 1, ..test }).collect(),
        ..plan.clone()
    };
    let single = text(&plan);
    let row = compared_score((&single, &once), (&single, &once));
    assert_eq!((row.against[0].ratio, row.against[0].reason.code), (None, Code::TooFewToCompare));
    assert!(row.samples[0].mean.is_some(), "the scores are shown");
    let mut lost = base.clone();
    lost.jobs.retain(|job| job.info.test != "B");
    let row = compared_score((&plan, &base), (&plan, &lost));
    assert_eq!(row.against[0].reason.code, Code::UnusableInCampaign);
}
