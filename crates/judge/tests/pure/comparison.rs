//! Campaigns that are compared: conclusions, obstacles, verdicts, and the facts that differ.

use judge::{CampaignToCompare, ComparisonRules, compare};
use plan::Plan;
use results::comparison::{CampaignComparison, ComparedFact, Conclusion};
use results::folder::{Campaign, Fill, Layout};
use results::reason::{Code, Datum, any, reason, row};
use results::record::Record;
use results::{Outcome, record};

use crate::{Parsed, WRITE, evaluated, job, phase, plan, rates};

/// A campaign of test T with these bytes per second.
fn writes(values: &[u64]) -> Campaign {
    let jobs = (1..).zip(values).map(|(repetition, rate)| job("T", repetition, phase("write", *rate)));
    crate::campaign(jobs.collect())
}

/// The comparison of campaigns of their plans, by these rules. All evidence is intact.
pub(crate) fn compared(all: &[(&Plan, &Campaign)], rules: ComparisonRules) -> CampaignComparison {
    let judged: Vec<Campaign> = all.iter().map(|(plan, campaign)| judged(plan, campaign)).collect();
    let intact = reason!(EvidenceIntact);
    let to_compare = |((plan, _), campaign)| CampaignToCompare {
        name: "c",
        plan,
        campaign,
        head: None,
        evidence: &intact,
        is_usable: true,
    };
    let campaigns: Vec<CampaignToCompare<'_>> = all.iter().copied().zip(&judged).map(to_compare).collect();
    let comparison = compare(&campaigns, rules);
    let reasons = comparison.rows.iter().flat_map(|row| &row.against);
    for reason in reasons.flat_map(|one| std::iter::once(&one.reason).chain(&one.caution)) {
        assert!(crate::is_known(reason), "{reason}");
    }
    comparison
}

fn judged(plan: &Plan, campaign: &Campaign) -> Campaign {
    let evaluation = evaluated(plan, campaign);
    Campaign { verdicts: evaluation.verdicts, summary: evaluation.summary, ..campaign.clone() }
}

/// The comparison of two campaigns of one plan.
fn of_two(plan: &Plan, one: &Campaign, other: &Campaign) -> CampaignComparison {
    compared(&[(plan, one), (plan, other)], ComparisonRules::default())
}

/// The conclusion about the first row, and the code of its reason.
fn first(comparison: &CampaignComparison) -> (Conclusion, Code) {
    let one = &comparison.rows[0].against[0];
    (one.conclusion, one.reason.code)
}

const BASE: [u64; 5] = [1000, 1010, 990, 1005, 995];

#[test]
fn a_rate_that_is_half_is_slower_and_its_interval_contains_one_half() {
    let half = writes(&BASE.map(|rate| rate / 2 + 1));
    let comparison = of_two(&five(), &writes(&BASE), &half);
    let one = &comparison.rows[0].against[0];
    assert_eq!(first(&comparison), (Conclusion::Slower, Code::ComparedSlower));
    let interval = one.together.unwrap();
    assert!(interval.low < 0.5 && 0.5 < interval.high && interval.high < 0.52, "{interval:?}");
    assert!(comparison.rows[0].is_shown_below(0.95) && !comparison.rows[0].is_shown_below(0.4));
    let back = of_two(&five(), &half, &writes(&BASE));
    assert_eq!(first(&back), (Conclusion::Faster, Code::ComparedFaster));
}

/// The plan with five repetitions.
fn five() -> Plan {
    plan_of(WRITE, 5)
}

fn plan_of(keys: &str, repetitions: u32) -> Plan {
    let text = plan(keys).text.replace("repetitions = 3", &format!("repetitions = {repetitions}"));
    text.parsed()
}

#[test]
fn equal_systems_show_no_difference_and_say_when_a_row_alone_would() {
    let other = writes(&[1002, 1008, 992, 1003, 996]);
    assert_eq!(
        first(&of_two(&five(), &writes(&BASE), &other)),
        (Conclusion::NoDifferenceShown, Code::NoDifferenceShown)
    );
    // Alone, this ratio is above 1; among many others it is not.
    let near = writes(&[1009, 1019, 1003, 1012, 1013]);
    let all: Vec<Campaign> = std::iter::once(writes(&BASE)).chain((0..8).map(|_| near.clone())).collect();
    let plan = five();
    let pairs: Vec<(&Plan, &Campaign)> = all.iter().map(|campaign| (&plan, campaign)).collect();
    let alone = compared(&pairs[..2], ComparisonRules::default());
    assert_eq!(first(&alone).0, Conclusion::Faster);
    let many = compared(&pairs, ComparisonRules::default());
    let one = &many.rows[0].against[0];
    assert_eq!((one.conclusion, many.ratios), (Conclusion::NoDifferenceShown, 8));
    assert_eq!(
        one.reason.get(row::NoDifferenceShown::alone_low),
        alone.rows[0].against[0].together.map(|one| one.low)
    );
}

/// A campaign whose phases take this many seconds.
fn lasting(campaign: &Campaign, seconds: impl Fn(usize) -> f64) -> Campaign {
    let mut campaign = campaign.clone();
    for (at, job) in campaign.jobs.iter_mut().enumerate() {
        for record in &mut job.records {
            if let Record::Phase(phase) = record {
                phase.spans.transfer_s = seconds(at);
                phase.spans.total_s = seconds(at);
            }
        }
    }
    campaign
}

#[test]
fn a_shorter_time_is_faster_and_only_a_longer_one_is_below_a_share() {
    let keys = "ior = \"-w -e\"\ncriterion = { metric = \"write.seconds\", op = \"<=\", value = \"9 s\" }";
    let plan = plan_of(keys, 5);
    let at = |scale: f64| lasting(&writes(&BASE), move |at| scale * (1.0 + 0.001 * at as f64));
    let faster = of_two(&plan, &at(2.0), &at(1.0));
    assert_eq!((first(&faster).0, faster.rows[0].metric.as_str()), (Conclusion::Faster, "write.seconds"));
    assert!(!faster.rows[0].is_shown_below(0.95));
    let slower = of_two(&plan, &at(1.0), &at(2.0));
    assert_eq!(first(&slower).0, Conclusion::Slower);
    assert!(slower.rows[0].is_shown_below(0.95));
}

#[test]
fn counts_are_compared_exactly() {
    let plan = plan(crate::CHECK);
    let checked = |bad| {
        let mut campaign = rates("read_check", [100, 100, 100]);
        for record in campaign.jobs.iter_mut().flat_map(|job| &mut job.records) {
            if let Record::Phase(phase) = record {
                phase.check = Some(record::Check { bad_transfers: bad, ..Default::default() });
            }
        }
        campaign
    };
    let conclusion = |one, other| {
        let comparison = of_two(&plan, &checked(one), &checked(other));
        (comparison.rows[0].against[0].conclusion, comparison.ratios)
    };
    assert_eq!(conclusion(0, 0), (Conclusion::SameCount, 0));
    assert_eq!(conclusion(0, 2), (Conclusion::MoreCounted, 0));
    assert_eq!(conclusion(2, 1), (Conclusion::FewerCounted, 0));
}

#[test]
fn values_that_cannot_be_compared_have_their_reason() {
    let one_each = plan_of(WRITE, 1);
    let found = of_two(&one_each, &writes(&[1000]), &writes(&[500]));
    assert_eq!(first(&found), (Conclusion::NotComparable, Code::TooFewToCompare));
    assert_eq!(found.rows[0].against[0].ratio, None, "one repetition has no ratio");
    let same = of_two(&five(), &writes(&[1000; 5]), &writes(&[500; 5]));
    assert_eq!(first(&same), (Conclusion::NotComparable, Code::NoVariabilityToCompare));
    let missing = of_two(&five(), &writes(&BASE), &writes(&BASE[..3]));
    assert_eq!(first(&missing), (Conclusion::NotComparable, Code::UnusableInCampaign));
    let reason = &missing.rows[0].against[0].reason;
    assert_eq!(
        (reason.get(row::UnusableInCampaign::campaign), reason.get(any::cause).unwrap().code),
        (Some("B"), Code::RepetitionsMissing)
    );
    assert_eq!(missing.clauses[0].verdicts[1].as_ref().unwrap().outcome, Outcome::Invalid);
    assert!(missing.clauses[0].is_changed());
}

#[test]
fn a_test_that_one_plan_lacks_is_named_and_has_no_ratio() {
    let text = five().text;
    let more = format!("{text}\n[[test]]\nid = \"U\"\nrepetitions = 3\n{WRITE}\n").parsed();
    let both = {
        let mut campaign = writes(&BASE);
        campaign.jobs.extend(
            (1..4).map(|repetition| job("U", repetition, phase("write", 300 + u64::from(repetition)))),
        );
        campaign
    };
    let found = compared(&[(&five(), &writes(&BASE)), (&more, &both)], ComparisonRules::default());
    let tests: Vec<&str> = found.rows.iter().map(|row| row.test.as_str()).collect();
    assert_eq!(tests, ["T", "U"]);
    let one = &found.rows[1].against[0];
    assert_eq!((one.conclusion, one.reason.code), (Conclusion::NotComparable, Code::NotInCampaign));
    assert_eq!(one.reason.get(row::NotInCampaign::campaign), Some("A"));
    let lacks = found.differences.iter().find(|one| one.fact == ComparedFact::TestPlanned).unwrap();
    assert_eq!((lacks.about.as_str(), &lacks.values[..]), ("U", &[None, Some(Datum::Flag(true))][..]));
    assert!(found.differences.iter().all(|one| one.fact != ComparedFact::Command), "the plan lacks the test");
    assert_eq!(found.clauses[1].verdicts[0], None);
}

#[test]
fn other_parameters_are_compared_only_if_the_user_asks() {
    let larger = plan_of(&WRITE.replace("-w -e", "-w -e -t 1m"), 5);
    let half = writes(&BASE.map(|rate| rate / 2));
    let (base, five) = (writes(&BASE), five());
    let pairs = [(&five, &base), (&larger, &half)];
    let strict = compared(&pairs, ComparisonRules::default());
    assert_eq!(first(&strict), (Conclusion::NotComparable, Code::TestsDiffer));
    assert!(strict.rows[0].samples.iter().all(|sample| sample.mean.is_some()), "the means are shown");
    let rules = ComparisonRules { other_parameters: true, ..ComparisonRules::default() };
    let asked = compared(&pairs, rules);
    assert_eq!(first(&asked).0, Conclusion::Slower);
    let caution = asked.rows[0].against[0].caution.as_ref().unwrap();
    assert_eq!((caution.code, caution.flag(row::TestsDiffer::compared)), (Code::TestsDiffer, true));
    let facts: Vec<ComparedFact> = asked.differences.iter().map(|one| one.fact).collect();
    assert!(facts.contains(&ComparedFact::Command), "{facts:?}");
}

#[test]
fn other_ranks_and_recorded_parameters_are_other_parameters() {
    let changed = |change: &dyn Fn(&mut Record)| {
        let mut campaign = writes(&BASE);
        campaign.jobs.iter_mut().flat_map(|job| &mut job.records).for_each(change);
        of_two(&five(), &writes(&BASE), &campaign)
    };
    let what =
        |comparison: &CampaignComparison| comparison.rows[0].against[0].reason.data.get("what").cloned();
    let ranks = changed(&|record| match record {
        Record::Run(run) => run.nodes = 2,
        Record::Phase(_) | Record::State(_) | Record::Case(_) => {}
        _ => {}
    });
    assert_eq!(what(&ranks), Some(vec!["nodes"].into()));
    let queue = changed(&|record| {
        if let Record::Phase(phase) = record {
            phase.depth = 8;
        }
    });
    assert_eq!(what(&queue), Some(vec!["parameters"].into()));
    let fact = queue.differences.iter().find(|one| one.fact == ComparedFact::Parameters).unwrap();
    assert_eq!((fact.about.as_str(), &fact.values[1]), ("T depth", &Some(Datum::Count(8))));
}

#[test]
fn a_campaign_whose_evidence_is_rejected_has_no_values_and_no_verdict_but_invalid() {
    let (plan, base) = (five(), judged(&five(), &writes(&BASE)));
    let one = |evidence, is_usable| CampaignToCompare {
        name: "c",
        plan: &plan,
        campaign: &base,
        head: None,
        evidence,
        is_usable,
    };
    let found = compare(
        &[
            one(&reason!(EvidenceIntact), true),
            one(&reason!(EvidenceRejected { faults: 1_u32, fault: "plan.toml was modified" }), false),
        ],
        ComparisonRules::default(),
    );
    assert_eq!(first(&found), (Conclusion::NotComparable, Code::UnusableInCampaign));
    assert!(found.rows[0].samples[1].values.is_empty());
    let reason = &found.rows[0].against[0].reason;
    assert_eq!(reason.get(any::cause).map(|cause| cause.code), Some(Code::EvidenceRejected));
    assert_eq!(found.clauses[0].verdicts[1].as_ref().unwrap().outcome, Outcome::Invalid);
    assert_eq!((found.campaigns[1].overall, found.ratios), (Outcome::Invalid, 0));
}

#[test]
fn what_differs_is_found_in_plan_program_machine_and_layout() {
    let (base, mut other) = (writes(&BASE), writes(&BASE));
    other.info.tool = "assay 9".into();
    other.info.tool_sha256 = "1".repeat(64);
    let before = other.before.as_mut().unwrap();
    before.kernel = "Linux 9".into();
    before.file_systems[0].options = "rw,flock".into();
    for job in &mut other.jobs {
        job.info.layout = Some(Layout { stripe_count: 4, stripe_bytes: 1 << 20, pool: String::new() });
        job.info.fill_before = Some(Fill { bytes_used: 70, bytes_free: 30, ..Fill::default() });
        for record in &mut job.records {
            if let Record::Run(run) = record {
                run.mpi = Some("MPICH 5".into());
            }
        }
    }
    let found = of_two(&five(), &base, &other);
    use ComparedFact::{
        Fill as Filled, FsOptions, Kernel, Mpi, ProgramHash, ProgramVersion, StripeBytes, StripeCount,
    };
    let facts: Vec<ComparedFact> = found.differences.iter().map(|one| one.fact).collect();
    assert_eq!(
        facts,
        [ProgramVersion, ProgramHash, Kernel, Mpi, FsOptions, StripeCount, StripeBytes, Filled]
    );
    assert!(of_two(&five(), &base, &base).differences.is_empty(), "a campaign does not differ from itself");
    let filled = |used: u64| {
        let mut campaign = other.clone();
        for job in &mut campaign.jobs {
            job.info.fill_before =
                Some(Fill { bytes_used: used, bytes_free: 1000 - used, ..Fill::default() });
        }
        campaign
    };
    assert!(of_two(&five(), &filled(700), &filled(705)).differences.is_empty(), "less than one percent");
    assert_eq!(of_two(&five(), &filled(700), &filled(715)).differences.len(), 1);
}

#[test]
fn several_criteria_of_one_metric_are_compared_in_their_order_with_other_thresholds() {
    let two = |low: u32, high: u32| {
        let of = |value: u32| format!("{{ metric = \"write.bw\", op = \">=\", value = \"{value} B/s\" }}");
        plan_of(&format!("ior = \"-w -e\"\ncriterion = [{}, {}]", of(low), of(high)), 5)
    };
    let (one, other, base) = (two(100, 5000), two(100, 900), writes(&BASE));
    let found = compared(&[(&one, &base), (&other, &base)], ComparisonRules::default());
    assert_eq!((found.rows.len(), found.clauses.len()), (1, 2));
    assert!(!found.clauses[0].is_changed() && found.clauses[1].is_changed());
    assert!(found.differences.iter().any(|one| one.fact == ComparedFact::Criteria));
    assert_eq!(first(&found).0, Conclusion::NoDifferenceShown);
}
