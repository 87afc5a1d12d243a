//! Thresholds that are a share of another value, and sustained rates.

use judge::Evaluation;
use results::Outcome;
use results::finding::Finding;
use results::folder::Extension;
use results::reason::{Code, any, reason, row};

use plan::{Choice, Plan};

use super::{
    Parsed, campaign, evaluated, job, lint_error, numbers, outcome, phase, plan, summary, verdicts_of,
};

/// Two tests of three repetitions each. The second must reach half of the first.
fn half(first: [u64; 3], second: [u64; 3]) -> results::Verdict {
    let keys = "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nrepetitions = 3\n\
                ior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"50% of T.write.bw\" }";
    let jobs = (1..).zip(first).map(|(repetition, rate)| job("T", repetition, phase("write", rate)));
    let others = (1..).zip(second).map(|(repetition, rate)| job("U", repetition, phase("write", rate)));
    let verdicts = verdicts_of(&plan(keys), &campaign(jobs.chain(others).collect()));
    assert_eq!(verdicts.len(), 1, "a test that is only reported has no verdict");
    verdicts.into_iter().next().unwrap()
}

#[test]
fn a_threshold_can_be_a_share_of_the_value_of_another_test() {
    let verdict = half([200, 200, 200], [120, 121, 122]);
    assert_eq!((verdict.outcome, verdict.threshold), (Outcome::Pass, Some(100.0)), "{verdict:#?}");
    assert_eq!(verdict.criterion, "mean >= 50% of T.write.bw");
    assert_eq!(
        (verdict.reason.code, verdict.reason.get(row::ThresholdMet::reference)),
        (Code::ThresholdMet, Some("50% of T.write.bw"))
    );
    let ratio = numbers(&verdict.reason, ["value", "threshold", "ratio_low", "ratio_high"]);
    assert_eq!(ratio, [Some(121.0), Some(100.0), Some(1.19), Some(1.23)]);
    assert_eq!(half([200, 200, 200], [90, 90, 90]).outcome, Outcome::Fail);
    let near = half([180, 200, 220], [95, 105, 110]);
    assert_eq!(outcome(&near), (Outcome::Inconclusive, Code::RatioUndecided));
    let known = numbers(&near.reason, ["ratio_low", "ratio_high", "cov", "cov_reference", "repetitions"]);
    let wanted = [Some(0.888), Some(1.22), Some(0.0739), Some(0.1), Some(94.0)];
    assert_eq!(known, wanted, "the uncertainty of the other test counts too");
    let far = half([20, 200, 500], [118, 120, 122]).reason;
    assert_eq!(numbers(&far, ["ratio_low", "ratio_high"]), [Some(0.37), None], "no upper limit: {far}");
}

/// Tests B and O, extended one after another by five repetitions of a test. O must reach half of B.
fn extended(criterion: &str, more: &str, rates: [&[u64]; 2], extensions: &[&str]) -> Evaluation {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
         defaults.repetitions = 5\n[[test]]\nid = \"B\"\nior = \"-w -e\"\nrole = \"reported\"\n\
         [[test]]\nid = \"O\"\nior = \"-w -e\"\n{criterion}\n{more}"
    );
    let extension =
        |id: &&str| Extension { repetitions: 5, only: vec![(*id).to_owned()], ..Extension::default() };
    let choice = Choice { extensions: extensions.iter().map(extension).collect(), ..Choice::default() };
    let plan = Plan::parse_with(&text, "p.toml", &choice).unwrap();
    let jobs = ["B", "O"]
        .into_iter()
        .zip(rates)
        .flat_map(|(id, rates)| (1..).zip(rates).map(move |(at, rate)| job(id, at, phase("write", *rate))));
    evaluated(&plan, &campaign(jobs.collect()))
}

/// The test, the number of looks and the confidence level of each finding about unplanned looks.
fn unplanned(evaluation: &Evaluation) -> Vec<(&str, u64, f64)> {
    let all = evaluation.summary.findings.iter().filter(|one| one.code() == Code::UnplannedLooks);
    let row = |one: &'_ Finding| {
        let [looks, confidence] = numbers(&one.reason, ["looks", "confidence"]).map(Option::unwrap);
        (looks as u64, confidence)
    };
    all.map(|one| (one.about.as_str(), row(one).0, row(one).1)).collect()
}

#[test]
fn each_extension_of_a_test_that_a_criterion_uses_is_a_look_at_it() {
    let share = "criterion = { metric = \"write.bw\", op = \">=\", value = \"50% of B.write.bw\" }";
    let rates: [&[u64]; 2] = [
        &[2100, 1900, 2000, 2200, 1800, 2000, 1950, 2050, 1980, 2020],
        &[1020, 1080, 1000, 1060, 1040, 1020, 1080, 1000, 1060, 1040],
    ];
    let after = |extensions: &[&str]| {
        let counted = |id: &str| 5 + 5 * extensions.iter().filter(|one| **one == id).count();
        extended(share, "", [&rates[0][..counted("B")], &rates[1][..counted("O")]], extensions)
    };
    let found = after(&["B"]);
    assert_eq!(unplanned(&found), [("O", 2, 0.975)]);
    assert_eq!(outcome(&found.verdicts[0]), (Outcome::Inconclusive, Code::RatioUndecided));
    assert_eq!(numbers(&found.verdicts[0].reason, ["confidence"]), [Some(0.975)]);
    assert_eq!(unplanned(&after(&[])), []);
    assert_eq!(unplanned(&after(&["O"])), [("O", 2, 0.975)]);
    assert_eq!(unplanned(&after(&["B", "O"])), [("O", 3, 0.988)]);
    // Their values do not depend on each other.
    let alone = "criterion = { metric = \"write.bw\", op = \">=\", value = \"900 B/s\" }";
    assert_eq!(unplanned(&extended(alone, "", [rates[0], &rates[1][..5]], &["B"])), []);
    let score = |of: &str| {
        format!("[[score]]\nid = \"S\"\nof = [{of}]\ncriterion = {{ op = \">=\", value = \"1 B/s\" }}\n")
    };
    for parts in ["\"B.write.bw\", \"O.write.bw\"", "\"O.write.bw\", \"B.write.bw\""] {
        let found = extended("role = \"reported\"", &score(parts), [rates[0], &rates[1][..5]], &["B"]);
        assert_eq!(unplanned(&found), [("S", 2, 0.975)], "{parts}");
    }
}

#[test]
fn an_extension_of_the_first_step_is_a_look_at_the_linearity_of_the_others() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                [[series]]\nid = \"L\"\nover = \"ranks\"\nsteps = [\"1\", \"2\"]\nrepetitions = 3\n\
                phases = [{ id = \"w\", ior = \"-w -e\", criterion = { metric = \"write.bw\", \
                linear_within = \"10 %\" } }]\n";
    let extension = Extension { repetitions: 2, only: vec!["L.r1.w".to_owned()], ..Extension::default() };
    let choice = Choice { extensions: vec![extension], ..Choice::default() };
    let plan = Plan::parse_with(text, "p.toml", &choice).unwrap();
    assert_eq!((plan.tests[1].id.as_str(), plan.tests[1].criteria[0].looks()), ("L.r2.w", 2));
}

/// Test U, compared by `stat` with all of what test T reached.
fn compared(stat: &str, op: &str, reference: &[u64], own: &[u64]) -> results::Verdict {
    let keys = format!(
        "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nrepetitions = {}\nior = \"-w -e\"\n\
         criterion = {{ metric = \"write.bw\", op = \"{op}\", value = \"100% of T.write.bw\", \
         stat = \"{stat}\" }}",
        own.len()
    );
    let text = plan(&keys).text.replacen("repetitions = 3", &format!("repetitions = {}", reference.len()), 1);
    let of = |id: &str, rates: &[u64]| {
        (1..).zip(rates).map(|(at, rate)| job(id, at, phase("write", *rate))).collect::<Vec<_>>()
    };
    verdicts_of(&text.parsed(), &campaign([of("T", reference), of("U", own)].concat())).remove(0)
}

#[test]
fn a_reference_of_one_repetition_decides_nothing() {
    for stat in ["mean", "median", "min", "max"] {
        for (op, own) in [(">=", [200, 201, 202]), (">=", [50, 51, 52]), ("<=", [50, 51, 52])] {
            let verdict = compared(stat, op, &[100], &own);
            assert_eq!(outcome(&verdict), (Outcome::Inconclusive, Code::RatioNoLimit), "{stat} {op} {own:?}");
            assert_eq!(numbers(&verdict.reason, ["n", "n_reference"]), [Some(3.0), Some(1.0)]);
        }
    }
    let once = compared("mean", ">=", &[99, 100, 101], &[200]);
    assert_eq!(outcome(&once), (Outcome::Inconclusive, Code::RatioNoLimit));
    assert_eq!(numbers(&once.reason, ["n", "n_reference", "n_min"]), [Some(1.0), Some(3.0), Some(2.0)]);
}

#[test]
fn a_median_is_compared_with_the_median_of_the_reference_and_both_have_limits() {
    let reference = [100, 99, 10, 101, 98, 102];
    let of = |own: &[u64]| compared("median", ">=", &reference, own);
    let met = of(&[110, 113, 111, 114, 112, 115]);
    assert_eq!((outcome(&met), met.threshold), ((Outcome::Pass, Code::ThresholdMet), Some(99.5)));
    assert_eq!(numbers(&met.reason, ["ratio_low", "ratio_high"]), [Some(1.08), Some(11.5)]);
    let near = of(&[111, 113, 100, 114, 112, 115]);
    assert_eq!(outcome(&near), (Outcome::Inconclusive, Code::RatioUndecided));
    assert_eq!(of(&[5, 8, 6, 9, 7, 9]).outcome, Outcome::Fail);
    let few = of(&[110, 113, 111, 114, 112]);
    assert_eq!(outcome(&few), (Outcome::Inconclusive, Code::RatioNoLimit));
    assert_eq!(few.reason.get(row::RatioNoLimit::n_min), Some(6.0));
}

#[test]
fn a_smallest_or_largest_value_is_compared_with_the_limit_of_the_reference() {
    let reference = [90, 100, 110];
    for (stat, op, own, wanted) in [
        ("min", ">=", [120, 130, 140], Outcome::Pass),
        ("min", ">=", [101, 130, 140], Outcome::Inconclusive),
        ("min", ">=", [95, 130, 140], Outcome::Inconclusive),
        ("min", ">=", [80, 130, 140], Outcome::Fail),
        ("max", "<=", [60, 70, 80], Outcome::Pass),
        ("max", "<=", [60, 70, 99], Outcome::Inconclusive),
        ("max", "<=", [60, 70, 120], Outcome::Fail),
    ] {
        assert_eq!(compared(stat, op, &reference, &own).outcome, wanted, "{stat} {op} {own:?}");
    }
}

#[test]
fn a_maximum_can_be_a_share_of_the_value_of_another_test() {
    let keys = "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nrepetitions = 3\n\
                ior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \"<=\", value = \"100% of T.write.bw\" }";
    let of = |id: &str, rates: [u64; 3]| {
        (1..).zip(rates).map(|(at, rate)| job(id, at, phase("write", rate))).collect::<Vec<_>>()
    };
    let jobs = [of("T", [99, 100, 101]), of("U", [198, 200, 202])].concat();
    let verdict = verdicts_of(&plan(keys), &campaign(jobs)).remove(0);
    assert_eq!(verdict.outcome, Outcome::Fail);
    assert_eq!(numbers(&verdict.reason, ["ratio_low", "ratio_high"]), [Some(1.97), Some(2.04)]);
}

#[test]
fn an_inconclusive_step_of_a_series_shows_limits_around_its_threshold() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\", servers = 8, \
                set_servers = \"s {servers}\", count_servers = \"c\" }\n[[series]]\nid = \"S\"\n\
                over = \"servers\"\nsteps = [\"1\", \"2\", \"4\", \"8\"]\nrepetitions = 4\n\
                [[series.phases]]\nid = \"w\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", linear_within = \"10%\" }\n";
    let of = |servers: u64, rates: [u64; 4]| {
        let id = format!("S.s{servers}.w");
        (1..).zip(rates).map(|(at, rate)| job(&id, at, phase("write", rate))).collect::<Vec<_>>()
    };
    let good = [4, 8].map(|servers| of(servers, [990, 1000, 1000, 1010].map(|rate| rate * servers))).concat();
    let verdict = |two: [u64; 4]| {
        let jobs = [of(1, [990, 1000, 1000, 1010]), of(2, two), good.clone()].concat();
        verdicts_of(&text.to_owned().parsed(), &campaign(jobs)).remove(0)
    };
    let near = verdict([1625, 1705, 1745, 1745]);
    assert_eq!(near.outcome, Outcome::Inconclusive, "{near:#?}");
    assert_eq!(numbers(&near.reason, ["ratio_low", "ratio_high"]), [Some(0.891), Some(1.0)]);
    assert!(near.reason.get(row::ThresholdMet::ratio_high) > Some(1.0), "{}", near.reason);
    let missed = verdict([1618, 1698, 1738, 1738]);
    assert_eq!(missed.outcome, Outcome::Fail, "{missed:#?}");
    assert_eq!(numbers(&missed.reason, ["ratio_low", "ratio_high"]), [Some(0.887), Some(1.0)]);
    assert!(missed.reason.get(row::ThresholdMet::ratio_high) < Some(1.0), "{}", missed.reason);
    assert!(
        missed.reason.get(row::ThresholdMet::confidence) > Some(0.98),
        "one of three steps: {}",
        missed.reason
    );
}

#[test]
fn a_share_of_an_invalid_value_is_invalid() {
    let keys = "ior = \"-w -e\"\nrole = \"reported\"\n[[test]]\nid = \"U\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"50% of T.write.bw\" }";
    let campaign = campaign(vec![job("T", 1, phase("write", 100)), job("U", 1, phase("write", 100))]);
    let verdict = verdicts_of(&plan(keys), &campaign).remove(0);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::ReferenceUnusable));
    assert_eq!(
        (
            verdict.reason.get(row::ReferenceUnusable::metric),
            verdict.reason.get(row::ReferenceUnusable::test)
        ),
        (Some("write.bw"), Some("T"))
    );
    assert_eq!(verdict.reason.get(any::cause).map(|reason| reason.code), Some(Code::RepetitionsMissing));
}

#[test]
fn a_threshold_can_be_a_share_of_a_known_value_with_its_source() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                [known.before]\nvalue = \"1000 B/s\"\nsource = \"the report of 2015\"\n\
                [[test]]\nid = \"T\"\nior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"66% of known.before\" }";
    let plan = Plan::parse(text, "p.toml").unwrap();
    let verdict = verdicts_of(&plan, &campaign(vec![job("T", 1, phase("write", 661))])).remove(0);
    assert_eq!((verdict.outcome, verdict.threshold), (Outcome::Pass, Some(660.0)));
    assert_eq!(verdict.criterion, "mean >= 66% of known.before (1000 B/s) = 660.0 B/s");
}

#[test]
fn a_sustained_rate_needs_phases_of_that_length_with_every_rank_at_work() {
    let sustained = |seconds: f64, first: f64| {
        let keys = "sustained = \"30 s\"\nior = \"-w -e\"\n\
                    criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }";
        let jobs = (1..=3).map(|repetition| {
            let mut phase = phase("write", 1000);
            phase.spans.transfer_s = if repetition == 2 { seconds } else { 40.0 };
            phase.spans.total_s = phase.spans.transfer_s;
            phase.balance.seconds_min = if repetition == 2 { first } else { 40.0 };
            job("T", repetition, phase)
        });
        verdicts_of(&plan(keys), &campaign(jobs.collect())).remove(0)
    };
    assert_eq!(sustained(31.0, 30.5).outcome, Outcome::Pass);
    let short = sustained(12.0, 12.0);
    assert_eq!(outcome(&short), (Outcome::Invalid, Code::SustainedNotMet));
    let found = numbers(&short.reason, ["repetition", "lasted", "needed"]);
    assert_eq!(found, [Some(2.0), Some(12.0), Some(30.0)]);
    let dry = sustained(45.0, 3.0);
    assert_eq!(outcome(&dry), (Outcome::Invalid, Code::SustainedNotMet));
    assert_eq!(numbers(&dry.reason, ["repetition", "first_rank"]), [Some(2.0), Some(3.0)]);
}

#[test]
fn an_allowed_lint_error_makes_the_verdict_invalid() {
    let plan = plan(
        "ior = \"-w -e\"\ndecide = { rule = \"mean\" }\n\
                     criterion = { metric = \"write.bw\", op = \">=\", value = \"50 B/s\" }",
    );
    let jobs = || (1..=3).map(|repetition| job("T", repetition, phase("write", 100))).collect();
    let clear = verdicts_of(&plan, &campaign(jobs())).remove(0);
    assert_eq!(clear.outcome, Outcome::Pass, "{clear:#?}");
    let mut with_error = campaign(jobs());
    with_error.info.findings = vec![lint_error("T", reason!(MissingPersist))];
    let invalid = verdicts_of(&plan, &with_error).remove(0);
    assert_eq!(outcome(&invalid), (Outcome::Invalid, Code::LintError));
    assert_eq!(invalid.reason.get(any::cause), Some(&reason!(MissingPersist)));
    assert_eq!(invalid.reason.get(any::measured).map(|reason| reason.code), Some(Code::ThresholdMet));
    let listed = summary(&plan, &with_error).findings;
    assert!(listed.contains(&with_error.info.findings[0]), "{listed:#?}");
}

#[test]
fn an_error_about_one_criterion_does_not_affect_the_others_of_its_test() {
    let keys = "ior = \"-w -e\"\ndecide = { rule = \"mean\" }\n\
                criterion = [\n  { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" },\n\
                { metric = \"write.seconds\", op = \"<=\", value = \"2 s\" },\n]";
    let jobs = (1..=3).map(|repetition| job("T", repetition, phase("write", 100))).collect();
    let mut campaign = campaign(jobs);
    campaign.info.findings = vec![lint_error("T", reason!(MissingPersist).with(any::metric, "write.bw"))];
    let outcomes: Vec<Outcome> =
        verdicts_of(&plan(keys), &campaign).iter().map(|verdict| verdict.outcome).collect();
    assert_eq!(outcomes, [Outcome::Invalid, Outcome::Pass]);
}

/// A criterion with a share of the accepted values, and a campaign with these rates and accepted values.
fn since_acceptance(rates: [u64; 3], accepted: [f64; 3]) -> (Plan, results::folder::Campaign) {
    let keys = "ior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"95% of accepted\" }";
    let plan = plan(keys);
    let jobs = (1..).zip(rates).map(|(at, rate)| job("T", at, phase("write", rate))).collect();
    let mut campaign = campaign(jobs);
    let head = results::folder::Head { hash: "ab".repeat(32), entry: 9 };
    let compared = judge::CampaignToCompare {
        name: "a",
        plan: &plan,
        campaign: &campaign,
        evidence: &reason!(EvidenceIntact),
        is_usable: true,
        head: Some(&head),
    };
    let entry = judge::history_entry(&compared, 17.0, judge::EntryNames::default()).unwrap();
    let point = entry.points.iter().find(|point| point.series.metric == "write.bw").unwrap();
    campaign.info.accepted = vec![results::folder::AcceptedValues {
        test: "T".into(),
        metric: "write.bw".into(),
        values: accepted.to_vec(),
        unit: point.series.unit.clone(),
        setup: point.setup.clone(),
        hash: entry.hash.clone(),
        location: "/e/one".into(),
        started_s: 17.0,
    }];
    (plan, campaign)
}

#[test]
fn a_threshold_can_be_a_share_of_what_the_accepted_campaign_measured() {
    let of = |rates, accepted| {
        let (plan, campaign) = since_acceptance(rates, accepted);
        verdicts_of(&plan, &campaign).remove(0)
    };
    let met = of([199, 200, 201], [198.0, 200.0, 202.0]);
    assert_eq!((met.outcome, met.threshold), (Outcome::Pass, Some(190.0)), "{met:#?}");
    assert_eq!(
        (met.criterion.as_str(), met.reason.get(row::ThresholdMet::reference)),
        ("mean >= 95% of accepted", Some("95% of accepted"))
    );
    let ratio = numbers(&met.reason, ["ratio_low", "ratio_high"]);
    assert!(ratio[0] > Some(1.02) && ratio[1] < Some(1.08), "{ratio:?}");
    assert_eq!(of([159, 160, 161], [198.0, 200.0, 202.0]).outcome, Outcome::Fail);
    let near = of([180, 190, 200], [190.0, 200.0, 210.0]);
    assert_eq!(outcome(&near), (Outcome::Inconclusive, Code::RatioUndecided));
    assert_eq!(
        near.reason.get(row::RatioUndecided::repetitions),
        None,
        "the accepted campaign is not repeated"
    );
}

#[test]
fn without_accepted_values_or_with_others_a_clause_is_invalid() {
    let (plan, accepted) = since_acceptance([199, 200, 201], [198.0, 200.0, 202.0]);
    let why = |change: fn(&mut results::folder::Campaign)| {
        let mut campaign = accepted.clone();
        change(&mut campaign);
        let verdict = verdicts_of(&plan, &campaign).remove(0);
        (
            verdict.outcome,
            verdict.reason.code,
            verdict.reason.get(row::AcceptedDiffers::what).map(str::to_owned),
        )
    };
    let none = why(|campaign| campaign.info.accepted.clear());
    assert_eq!(none, (Outcome::Invalid, Code::AcceptedMissing, None));
    let unit = why(|campaign| campaign.info.accepted[0].unit = "/s".into());
    assert_eq!(unit, (Outcome::Invalid, Code::AcceptedMissing, None));
    let ranks = why(|campaign| {
        campaign.info.accepted[0].setup.insert("ranks".into(), "7".into());
    });
    assert_eq!(ranks, (Outcome::Invalid, Code::AcceptedDiffers, Some("ranks".to_owned())));
    let empty = why(|campaign| campaign.info.accepted[0].values.clear());
    assert_eq!(empty, (Outcome::Invalid, Code::NoValues, None));
    let unmeasured = why(|campaign| campaign.jobs.clear());
    assert_eq!((unmeasured.0, unmeasured.1), (Outcome::NotRun, Code::NoneRan));
}
