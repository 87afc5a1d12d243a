//! Verdicts on campaigns whose records are made by hand.

mod answers;
mod at_once;
mod best_of;
mod cases;
mod clauses;
mod clients;
mod comparison;
mod comparison_rates;
mod course;
mod data;
mod evenness;
mod faults;
mod file_system;
mod findings;
mod goals;
mod history;
mod hooks;
mod kernel;
mod launched;
mod names;
mod nodes;
mod power;
mod rates;
mod reported;
mod required;
mod running;
mod score;
mod series;
mod stage;
mod stragglers;
mod uneven_amounts;
mod verdict_rates;
mod wrong;

use command::ior;
use data::{number, numbers, texts};
use judge::{Evaluation, evaluate};
use plan::Plan;
use report::sentences::template_for;
use results::finding::{Finding, Severity};
use results::folder::{Campaign, CampaignInfo, FileSystemFacts, Job, JobEnd, JobInfo, Machine};
use results::reason::{Code, Datum, Reason, any, reason, row};
use results::record::{
    Balance, Check, Counts, End, Failed, FailedOperation, Failure, Phase, Record, Run, Spans, Stonewall,
};
use results::statistics::Dice;
use results::summary::Summary;
use results::{Outcome, Verdict};

fn plan(keys: &str) -> Plan {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" \
         }}\nclients.delivered = 1\n\
         [dataset.d]\nior = \"-w -k\"\n[[test]]\nid = \"T\"\nrepetitions = 3\n{keys}\n"
    );
    Plan::parse(&text, "p.toml").unwrap()
}

/// Parses the text of a plan.
trait Parsed {
    fn parsed(&self) -> Plan;
}

impl Parsed for String {
    fn parsed(&self) -> Plan {
        Plan::parse(self, "p.toml").unwrap()
    }
}

const WRITE: &str =
    "ior = \"-w -e\"\ncriterion = { metric = \"write.bw\", op = \">=\", value = \"100 B/s\" }";
const READ: &str = "uses = \"dataset.d\"\nior = \"-r -k\"\n\
                    criterion = { metric = \"read.bw\", op = \">=\", value = \"100 B/s\" }";
const CHECK: &str = "uses = \"dataset.d\"\nior = \"-R -k\"\n\
                     criterion = { metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }";

/// A phase that moved `bytes` in one second.
fn phase(name: &str, bytes: u64) -> Phase {
    let spans = Spans { transfer_s: 1.0, total_s: 1.0, ..Default::default() };
    Phase {
        phase: name.into(),
        bytes,
        expected_bytes: bytes,
        ops: 1,
        ranks: 1,
        spans,
        persisted: true,
        cached_before: name.starts_with("read").then_some(0.0),
        ..Default::default()
    }
}

fn job(test: &str, repetition: u32, phase: Phase) -> Job {
    let run = Run { nodes: 1, ranks: 1, host: "n1".into(), ..Default::default() };
    let info = JobInfo {
        test: test.into(),
        repetition,
        end: JobEnd::Exit(0),
        timeout_s: 60.0,
        sha256: [("stdout.txt".to_owned(), "0".repeat(64))].into(),
        ..Default::default()
    };
    let records = vec![Record::Run(run), Record::Phase(Box::new(phase)), Record::End(End::default())];
    Job { folder: format!("jobs/000{repetition}-{test}-r{repetition}"), info, records, ..Job::default() }
}

fn campaign(jobs: Vec<Job>) -> Campaign {
    let fs =
        ["s", "t"].map(|name| FileSystemFacts { name: name.into(), bytes: 1 << 40, ..Default::default() });
    let before = Some(Machine { memory_bytes: 10, file_systems: fs.into(), ..Default::default() });
    let sha256 = || "0".repeat(64);
    let info = CampaignInfo { plan_sha256: sha256(), tool_sha256: sha256(), ..Default::default() };
    Campaign { info, jobs, before, after: Some(Machine::default()), ..Default::default() }
}

/// A campaign of three repetitions of test T with these bytes per second.
fn rates(phase_name: &str, rates: [u64; 3]) -> Campaign {
    campaign(
        (1..).zip(rates).map(|(repetition, rate)| job("T", repetition, phase(phase_name, rate))).collect(),
    )
}

fn verdicts_of(plan: &Plan, campaign: &Campaign) -> Vec<Verdict> {
    evaluated(plan, campaign).verdicts
}

/// Whether there is a sentence for a reason and for the reasons inside it.
fn is_known(reason: &Reason) -> bool {
    let inner = |datum: &Datum| match datum {
        // The reason inside a lint error is from the linter, which tests its own sentences.
        Datum::Reason(inner) => reason.code == Code::LintError || is_known(inner),
        _ => true,
    };
    template_for(reason).is_some() && reason.data.values().all(inner)
}

/// The campaign with the arguments and parameters that the program records, which test programs leave out.
fn with_arguments(campaign: &Campaign) -> Campaign {
    let mut campaign = campaign.clone();
    for job in &mut campaign.jobs {
        let argv = job.info.argv.clone();
        let line = argv.iter().position(|word| word == "ior").map(|at| &argv[at + 1..]);
        let known = ior::Line::read(line.unwrap_or_default());
        for record in &mut job.records {
            match record {
                Record::Run(run) if run.argv.is_empty() => {
                    let workload =
                        argv.iter().find(|word| ["ior", "mdtest", "md-workbench"].contains(&&***word));
                    (run.argv, run.workload) = (argv.clone(), workload.cloned().unwrap_or_default());
                }
                Record::Phase(phase) => {
                    phase.backend = known.backend.to_lowercase();
                    (phase.block_bytes, phase.transfer_bytes) = (known.block, known.transfer);
                    (phase.segments, phase.file_per_rank) = (known.segments, known.file_per_rank);
                    phase.persisted = known.is_flushed() && phase.phase == "write";
                }
                _ => {}
            }
        }
    }
    campaign
}

/// The evaluation of a campaign. Each reason in it must have a sentence.
fn evaluated(plan: &Plan, campaign: &Campaign) -> Evaluation {
    // Only a campaign that ran has made directories.
    let evaluation = match campaign.info.data.is_empty() {
        true => evaluate(plan, campaign),
        false => evaluate(plan, &with_arguments(campaign)),
    };
    let Evaluation { verdicts, summary, .. } = &evaluation;
    let of_verdict = |verdict: &Verdict| {
        let remarks = verdict.warnings.iter().chain(&verdict.notes).map(|one| one.reason.clone());
        remarks.chain([verdict.reason.clone()]).collect::<Vec<_>>()
    };
    let of_records = |finding: &&Finding| !campaign.info.findings.contains(finding);
    let findings = summary.findings.iter().filter(of_records).map(|finding| finding.reason.clone());
    let projections = summary.projections.iter().filter_map(|one| one.rejection.clone());
    let all = verdicts.iter().flat_map(of_verdict).chain(findings).chain(projections);
    for reason in all {
        assert!(is_known(&reason), "{reason}");
    }
    evaluation
}

fn summary(plan: &Plan, campaign: &Campaign) -> Summary {
    evaluated(plan, campaign).summary
}

/// The codes of findings, in order.
fn codes(findings: &[Finding]) -> Vec<Code> {
    findings.iter().map(Finding::code).collect()
}

/// The first reason with this code.
fn of(findings: &[Finding], code: Code) -> Option<&Reason> {
    findings.iter().map(|finding| &finding.reason).find(|reason| reason.code == code)
}

/// The outcome, and the code of its reason.
fn outcome(verdict: &Verdict) -> (Outcome, Code) {
    (verdict.outcome, verdict.reason.code)
}

/// A finding of the linter before the run.
fn lint_error(about: &str, reason: Reason) -> Finding {
    Finding::new(Severity::Error, reason).about(about)
}

fn one(plan: &Plan, campaign: &Campaign) -> Verdict {
    let mut verdicts = verdicts_of(plan, campaign);
    assert_eq!(verdicts.len(), 1);
    verdicts.remove(0)
}

#[test]
fn the_confidence_limit_must_support_a_pass_or_a_fail_and_otherwise_it_is_inconclusive() {
    let (met, missed) = (Code::LimitContradictsMet, Code::LimitContradictsMiss);
    for (values, wanted, mean, limit, repetitions) in [
        ([120, 121, 122], (Outcome::Pass, Code::ThresholdMet), 121.0, 119.0, None),
        ([80, 81, 82], (Outcome::Fail, Code::ThresholdNotMet), 81.0, 82.7, None),
        ([90, 105, 120], (Outcome::Inconclusive, met), 105.0, 79.7, Some(59.0)),
        ([20, 500, 1000], (Outcome::Inconclusive, met), 507.0, 0.0, Some(12.0)),
        ([80, 95, 110], (Outcome::Inconclusive, missed), 95.0, 120.0, Some(59.0)),
    ] {
        let verdict = one(&plan(WRITE), &rates("write", values));
        assert_eq!(outcome(&verdict), wanted);
        let names = ["value", "limit", "repetitions", "threshold", "confidence", "n"];
        let found = numbers(&verdict.reason, names);
        assert_eq!(found, [Some(mean), Some(limit), repetitions, Some(100.0), Some(0.95), Some(3.0)]);
        assert_eq!(
            (verdict.statistic.as_str(), verdict.reason.get(row::ThresholdNotMet::comparison)),
            ("mean", Some(">="))
        );
        assert_eq!(verdict.jobs, ["jobs/0001-T-r1", "jobs/0002-T-r2", "jobs/0003-T-r3"]);
        assert_eq!((verdict.threshold, verdict.unit.as_str()), (Some(100.0), "B/s"));
    }
}

#[test]
fn a_maximum_is_compared_with_the_upper_confidence_limit() {
    let keys = "ior = \"-w -e\"\ncriterion = { metric = \"write.seconds\", op = \"<=\", value = \"1.1 s\" }";
    let timed = |seconds: [f64; 3]| {
        let jobs = (1..).zip(seconds).map(|(repetition, seconds)| {
            let spans = Spans { transfer_s: seconds, total_s: seconds, ..Default::default() };
            job("T", repetition, Phase { spans, ..phase("write", 100) })
        });
        one(&plan(keys), &campaign(jobs.collect())).outcome
    };
    assert_eq!(timed([1.0, 1.01, 1.02]), Outcome::Pass);
    assert_eq!(timed([0.8, 1.0, 1.2]), Outcome::Inconclusive);
    assert_eq!(timed([1.2, 1.21, 1.22]), Outcome::Fail);
}

#[test]
fn variability_above_the_maximum_prevents_a_pass_but_not_a_fail() {
    let strict = plan(&format!("cov_max = \"5 %\"\n{WRITE}"));
    let verdict = one(&strict, &rates("write", [900, 1000, 1100]));
    assert_eq!(outcome(&verdict), (Outcome::Inconclusive, Code::VariabilityAboveMax));
    assert_eq!(numbers(&verdict.reason, ["cov", "cov_max"]), [Some(0.1), Some(0.05)]);
    assert_eq!(verdict.reason.get(any::measured).map(|reason| reason.code), Some(Code::ThresholdMet));
    assert_eq!(one(&strict, &rates("write", [9, 10, 11])).outcome, Outcome::Fail);
}

/// The verdict by this statistic on the first of these rates, with further keys of the test.
fn by_statistic(criterion: &str, stat: &str, keys: &str, rates: &[u64]) -> Verdict {
    let criterion = criterion.replace("value = ", &format!("stat = \"{stat}\", value = "));
    let text = plan(&format!("{criterion}\n{keys}")).text;
    let plan = text.replace("repetitions = 3", &format!("repetitions = {}", rates.len())).parsed();
    let jobs = (1..).zip(rates).map(|(repetition, rate)| job("T", repetition, phase("write", *rate)));
    one(&plan, &campaign(jobs.collect()))
}

#[test]
fn a_median_of_two_to_four_repetitions_has_no_limit_and_decides_nothing() {
    for (values, wanted) in [
        (&[90, 120][..], (Outcome::Inconclusive, Code::NoLimit)),
        (&[50, 120, 121], (Outcome::Inconclusive, Code::NoLimit)),
        (&[120, 121, 122, 123], (Outcome::Inconclusive, Code::NoLimit)),
        (&[50, 51, 52, 53], (Outcome::Inconclusive, Code::NoLimit)),
        (&[120, 123, 121, 124, 122], (Outcome::Pass, Code::ThresholdMet)),
        (&[121, 123, 50, 124, 122], (Outcome::Inconclusive, Code::LimitContradictsMet)),
        (&[120], (Outcome::Pass, Code::ThresholdMet)),
    ] {
        let verdict = by_statistic(WRITE, "median", "", values);
        assert_eq!(outcome(&verdict), wanted, "{values:?}");
        let least = verdict.reason.get(row::NoLimit::n_min);
        assert_eq!(least, (wanted.1 == Code::NoLimit).then_some(5.0), "{values:?}");
    }
}

#[test]
fn a_95th_percentile_below_a_ceiling_needs_59_repetitions_and_is_seldom_wrong() {
    let ceiling = WRITE.replace(">=", "<=").replace("100 B/s", "100 MB/s");
    let of = |rates: &[u64]| by_statistic(&ceiling, "p95", "", rates);
    let mut dice = Dice::new(34);
    // The 95th percentile of the system is the threshold.
    let mut rates = |n: usize| -> Vec<u64> {
        (0..n).map(|_| (1e6 * (100.0 + (dice.normal() - 1.644_854) * 5.0)) as u64).collect()
    };
    let few = of(&rates(58).iter().map(|rate| rate / 2).collect::<Vec<_>>());
    assert_eq!(
        (outcome(&few), few.reason.get(row::NoLimit::n_min)),
        ((Outcome::Inconclusive, Code::NoLimit), Some(59.0))
    );
    let passes = (0..1000).filter(|_| of(&rates(59)).outcome == Outcome::Pass).count();
    // 4.85 % by the binomial distribution, less what looks dependent, within four standard errors.
    assert!((20..=74).contains(&passes), "{passes}");
}

#[test]
fn a_rule_by_the_limit_decides_by_no_statistic_without_one() {
    let by_limit = "decide = { rule = \"lower_bound\" }";
    for (stat, least) in [("mean", Some(2.0)), ("median", Some(5.0)), ("min", None), ("max", None)] {
        let verdict = by_statistic(WRITE, stat, by_limit, &[150]);
        assert_eq!(outcome(&verdict), (Outcome::Inconclusive, Code::NoLimit), "{stat}");
        assert_eq!(verdict.reason.get(row::NoLimit::n_min), least);
    }
    assert_eq!(by_statistic(WRITE, "median", by_limit, &[150, 153, 151, 154, 152]).outcome, Outcome::Pass);
}

#[test]
fn the_variability_of_a_single_repetition_is_not_known_to_be_below_the_maximum() {
    let verdict = by_statistic(WRITE, "mean", "cov_max = \"5 %\"", &[150]);
    assert_eq!(outcome(&verdict), (Outcome::Inconclusive, Code::VariabilityUnknown));
    assert_eq!(verdict.reason.get(row::VariabilityUnknown::cov_max), Some(0.05));
    assert_eq!(verdict.reason.get(any::measured).map(|reason| reason.code), Some(Code::ThresholdMet));
    assert_eq!(by_statistic(WRITE, "mean", "cov_max = \"5 %\"", &[50]).outcome, Outcome::Fail);
    assert_eq!(by_statistic(WRITE, "mean", "cov_max = \"5 %\"", &[150, 150]).outcome, Outcome::Pass);
}

#[test]
fn a_criterion_on_the_variability_passes_and_fails_by_its_confidence_limits() {
    let keys = "ior = \"-w -e\"\n\
                criterion = { metric = \"write.bw\", op = \"<=\", value = \"5 %\", stat = \"cov\" }";
    let of = |rates: &[u64]| {
        let text = plan(keys).text.replace("repetitions = 3", &format!("repetitions = {}", rates.len()));
        let jobs = (1..).zip(rates).map(|(repetition, rate)| job("T", repetition, phase("write", *rate)));
        one(&text.parsed(), &campaign(jobs.collect()))
    };
    let even = of(&[1000, 1001, 999, 1000]);
    assert_eq!(outcome(&even), (Outcome::Pass, Code::ThresholdMet), "{}", even.reason);
    assert_eq!((even.unit.as_str(), even.threshold), ("1", Some(0.05)));
    let statistics = even.statistics.unwrap();
    assert_eq!((statistics.unit.as_str(), statistics.mean, statistics.bound), ("B/s", 1000.0, None));
    let wild = of(&[500, 1500, 600, 1400]);
    assert_eq!(outcome(&wild), (Outcome::Fail, Code::ThresholdNotMet));
    assert_eq!(numbers(&wild.reason, ["value", "threshold"]), [Some(0.523), Some(0.05)]);
    assert!(wild.reason.get(row::ThresholdNotMet::limit) > Some(0.25), "{}", wild.reason);
    assert_eq!(outcome(&of(&[960, 1000, 1040])), (Outcome::Inconclusive, Code::LimitContradictsMet));
    assert_eq!(outcome(&of(&[930, 1000, 1070])), (Outcome::Inconclusive, Code::LimitContradictsMiss));
    // Neighbours that are alike show less variability than there is.
    let alike = [1000, 1001, 1002, 1003, 1004, 1005];
    assert_eq!(outcome(&of(&alike)), (Outcome::Inconclusive, Code::DependentRepetitions));
    assert_eq!(outcome(&of(&[1000, 1004, 1001, 1005, 1002, 1003])), (Outcome::Pass, Code::ThresholdMet));
    let rising = [100, 300, 500, 700, 900, 1100];
    assert_eq!(outcome(&of(&rising)), (Outcome::Fail, Code::ThresholdNotMet));
    let alone = of(&[1000]);
    assert_eq!(outcome(&alone), (Outcome::Inconclusive, Code::VariabilityUnknown));
    assert_eq!((alone.value, alone.reason.get(row::VariabilityUnknown::cov_max)), (None, Some(0.05)));
}

#[test]
fn a_single_repetition_decides_by_its_value_unless_the_plan_decides_by_the_limit() {
    let once = WRITE.to_owned() + "\n";
    let single = |decide: &str| {
        let text = plan(&format!("{once}{decide}")).text.replace("repetitions = 3", "repetitions = 1");
        one(&Plan::parse(&text, "p").unwrap(), &campaign(vec![job("T", 1, phase("write", 150))]))
    };
    let literal = single("");
    assert_eq!(literal.outcome, Outcome::Pass);
    assert_eq!(codes(&literal.warnings), [Code::CovMissing]);
    let by_limit = single("decide = { rule = \"lower_bound\" }");
    assert_eq!(outcome(&by_limit), (Outcome::Inconclusive, Code::NoLimit));
}

#[test]
fn ten_equal_values_exactly_at_the_threshold_meet_it() {
    let keys = "ior = \"-w -e\"\ncriterion = { metric = \"write.iops\", op = \">=\", value = \"0.1/s\" }";
    let text = plan(keys).text.replace("repetitions = 3", "repetitions = 10");
    let spans = Spans { transfer_s: 10.0, total_s: 10.0, ..Default::default() };
    let jobs = (1..=10).map(|at| job("T", at, Phase { ops: 1, spans, ..phase("write", 1) }));
    let verdict = one(&text.parsed(), &campaign(jobs.collect()));
    assert_eq!(outcome(&verdict), (Outcome::Pass, Code::ThresholdMet), "{}", verdict.reason);
}

#[test]
fn a_value_that_is_not_finite_is_invalid_and_named() {
    let [transfer_s, total_s] = [f64::MIN_POSITIVE; 2];
    let spans = Spans { transfer_s, total_s, ..Default::default() };
    let mut campaign = rates("write", [120, 121, 122]);
    campaign.jobs[1] = job("T", 2, Phase { spans, ..phase("write", u64::MAX) });
    let verdict = one(&plan(WRITE), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::ValueNotFinite));
    assert_eq!(
        (verdict.reason.get(any::repetition), verdict.reason.get(row::ValueNotFinite::found)),
        (Some(2.0), Some("inf"))
    );
}

#[test]
fn failed_jobs_make_the_clause_invalid() {
    let good = || rates("write", [120, 121, 122]);
    type Break<'a> = &'a dyn Fn(&mut Campaign);
    let of = |code| reason!(ValueNotFinite { repetition: 2_u32, ..Reason::new(code) });
    let broken: [(Break<'_>, Reason); 7] = [
        (
            &|c| c.jobs[1].info.end = JobEnd::TimedOut,
            reason!(JobFailed { timed_out: true, timeout: 60.0, ..of(Code::JobFailed) }),
        ),
        (
            &|c| c.jobs[1].info.end = JobEnd::Signal(9),
            reason!(JobFailed { signal: 9_u32, ..of(Code::JobFailed) }),
        ),
        (&|c| c.jobs[1].info.end = JobEnd::NotStarted, of(Code::JobNotStarted)),
        (&|c| drop(c.jobs[1].records.pop()), of(Code::NoEndRecord)),
        (&|c| c.jobs[1].records.clear(), of(Code::NothingRecorded)),
        (
            &|c| drop(c.jobs[0].records.remove(1)),
            reason!(MetricMissing { repetition: 1_u32, metric: "write.bw", ..of(Code::MetricMissing) }),
        ),
        (
            &|c| drop(c.jobs.pop()),
            reason!(RepetitionsMissing { ran: 2_u32, planned: 3_u32, cause: reason!(NoneRan) }),
        ),
    ];
    for (break_it, reason) in broken {
        let mut campaign = good();
        break_it(&mut campaign);
        let verdict = one(&plan(WRITE), &campaign);
        assert_eq!((verdict.outcome, verdict.reason), (Outcome::Invalid, reason));
        assert_eq!(verdict.value, None, "an INVALID verdict has no value");
    }
    let mut failed = good();
    failed.jobs[2].info.end = JobEnd::Exit(1);
    let why = Failure {
        step: "write".into(),
        rank: 2,
        node: "n1".into(),
        why: "/s/f: No space left on device".into(),
        ..Failure::default()
    };
    failed.jobs[2].records.insert(1, Record::Failure(why));
    let reason = one(&plan(WRITE), &failed).reason;
    assert_eq!((reason.code, reason.get(row::JobFailed::status)), (Code::JobFailed, Some(1.0)));
    let failure = reason.get(row::JobFailed::failure).unwrap();
    assert_eq!((failure.code, failure.get(row::RecordedFailure::rank)), (Code::RecordedFailure, Some(2.0)));
    assert_eq!(failure.get(row::RecordedFailure::error), Some("/s/f: No space left on device"));
}

#[test]
fn zero_errors_are_reported_with_the_compared_bytes_and_the_limit_of_the_error_rate() {
    let right = |repetition| {
        let check = Some(Check { bytes: 1 << 30, ..Check::default() });
        job("T", repetition, Phase { check, ops: 1024, ..phase("read_check", 1 << 30) })
    };
    let verdict = one(&plan(CHECK), &campaign([1, 2, 3].map(right).to_vec()));
    assert_eq!(outcome(&verdict), (Outcome::Pass, Code::ThresholdMet));
    assert_eq!(verdict.statistic, "max");
    let compared = ["compared", "transfers", "error_rate_max"].map(|name| number(&verdict.reason, name));
    assert_eq!(compared, [Some(3.0 * f64::from(1 << 30)), Some(3072.0), Some(1.0 / 1024.0)]);
    assert_eq!(
        verdict.statistics.and_then(|statistics| statistics.bound),
        None,
        "a count has no confidence limit"
    );
}

#[test]
fn a_read_from_the_cache_is_invalid_and_if_the_plan_allows_it_a_warning() {
    let mut campaign = rates("read", [120, 121, 122]);
    let Record::Phase(cached) = &mut campaign.jobs[1].records[1] else { panic!() };
    cached.cached_before = Some(0.43);
    let verdict = one(&plan(READ), &campaign);
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::CachedRead));
    assert_eq!(verdict.reason.get(row::CachedRead::share), Some(0.43));
    let verdict = one(&plan(&format!("cache = \"warm\"\n{READ}")), &campaign);
    assert_eq!(verdict.outcome, Outcome::Pass);
    let cached = &verdict.warnings[0].reason;
    assert_eq!((cached.code, cached.get(row::CachedRead::share)), (Code::CachedRead, Some(0.43)));
}

#[test]
fn a_test_that_was_not_run_has_the_reason() {
    let verdict = one(&plan(READ), &campaign(vec![]));
    assert_eq!(outcome(&verdict), (Outcome::NotRun, Code::NoneRan));
    let reason = |killed: &[&str]| {
        let killed = killed.iter().map(|folder| (*folder).to_owned()).collect();
        one(&plan(READ), &Campaign { killed, ..Default::default() }).reason
    };
    assert_eq!(reason(&["jobs/0001-X-r1.killed-1"]), reason!(NotYetRun));
    assert_eq!(
        reason(&["jobs/0001-T-r1.killed-1", "jobs/.0001-T-r1"]),
        reason!(AttemptOpen { folder: "jobs/.0001-T-r1" })
    );
    let unfinished = Campaign { after: None, ..campaign(vec![job("T", 1, phase("read", 1))]) };
    let verdict = one(&plan(READ), &unfinished);
    assert_eq!(verdict.outcome, Outcome::Inconclusive, "the missing repetitions may decide");
    assert_eq!(verdict.reason.code, Code::RepetitionsMissing);
    assert_eq!(verdict.reason.get(any::cause), Some(&reason!(NotYetRun)));
    let only = CampaignInfo { only: vec!["X".into()], ..Default::default() };
    let left_out = Campaign { info: only, ..Default::default() };
    let reason = one(&plan(READ), &left_out).reason;
    assert_eq!((reason.code, texts(&reason, "chosen")), (Code::NotChosen, vec!["X"]));
    let mut dataset = job("dataset.d", 1, phase("write", 1));
    dataset.info.end = JobEnd::Exit(1);
    let verdict = one(&plan(READ), &campaign(vec![dataset]));
    assert_eq!(verdict.outcome, Outcome::Invalid, "the dataset was tried, so it is not NOT RUN");
    assert_eq!((verdict.reason.code, verdict.reason.get(any::job)), (Code::JobFailed, Some("dataset.d")));
}

#[test]
fn each_kind_of_warning_is_reported_once_with_the_worst_repetition() {
    let mut jobs = rates("write", [1000, 1400, 1800]).jobs;
    for (job, dry) in jobs.iter_mut().zip([1, 3, 2]) {
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        phase.persisted = false;
        phase.ranks = 4;
        phase.stonewall = Some(Stonewall { deadline_s: 30.0, ran_dry: dry, ..Default::default() });
        let (slowest_rate, median_rate) = (450.0 + f64::from(dry), 1000.0);
        phase.balance = Balance {
            slowest_rank: 3,
            slowest_node: "n7".into(),
            slowest_rate,
            median_rate,
            ..Default::default()
        };
    }
    let mut campaign = campaign(jobs);
    campaign.before = Some(Machine { memory_bytes: 1 << 30, ..Default::default() });
    let killed = ["jobs/.0004-T-r4", "jobs/0002-T-r2.killed-1", "jobs/0009-other-r1.killed-1"];
    campaign.killed = killed.map(String::from).to_vec();
    let text = plan(WRITE).text.replace("delivered = 1", "delivered = 1536");
    let verdict = one(&Plan::parse(&text, "p").unwrap(), &campaign);
    let warned = |code| of(&verdict.warnings, code).unwrap();
    let wanted = [
        Code::OutOfData,
        Code::NotFlushed,
        Code::FitsMemory,
        Code::SlowRank,
        Code::CovHigh,
        Code::SingleClient,
        Code::AttemptsRepeated,
        Code::AttemptsOpen,
        Code::FillRecorded,
    ];
    assert_eq!(codes(&verdict.warnings), wanted[..codes(&verdict.warnings).len()]);
    assert_eq!(
        numbers(warned(Code::OutOfData), ["ranks", "of", "deadline"]),
        [Some(3.0), Some(4.0), Some(30.0)]
    );
    assert!(warned(Code::NotFlushed).flag(row::NotFlushed::ior));
    assert_eq!(warned(Code::FitsMemory).get(row::FitsMemory::per_node), Some(1000.0));
    let slow = warned(Code::SlowRank);
    assert_eq!(
        (slow.get(row::SlowRank::node), numbers(slow, ["rank", "share"])),
        (Some("n7"), [Some(3.0), Some(0.451)])
    );
    assert_eq!(numbers(warned(Code::CovHigh), ["cov", "n"]), [Some(0.286), Some(3.0)]);
    assert_eq!(warned(Code::SingleClient).get(row::SingleClient::delivered), Some(1536.0));
    assert_eq!(texts(warned(Code::AttemptsRepeated), "folders"), ["jobs/0002-T-r2.killed-1"]);
    assert_eq!(texts(warned(Code::AttemptsOpen), "folders"), ["jobs/.0004-T-r4"]);
}

#[test]
fn a_write_to_a_memory_file_system_has_a_warning() {
    let mut campaign = rates("write", [1000, 1000, 1000]);
    for (kind, is_warned) in [("tmpfs", true), ("ext4", false)] {
        let fs = FileSystemFacts { name: "s".into(), kind: kind.into(), ..Default::default() };
        campaign.before = Some(Machine { memory_bytes: 10, file_systems: vec![fs], ..Default::default() });
        let warnings = one(&plan(WRITE), &campaign).warnings;
        assert_eq!(of(&warnings, Code::MemoryFileSystem).is_some(), is_warned, "{kind}: {warnings:?}");
    }
}

#[test]
fn a_checkpoint_of_flash_io_has_the_warnings_of_a_write() {
    let made = plan(
        "flash_io = \"--verify\"\n\
         criterion = { metric = \"checkpoint.bw\", op = \">\", value = \"1 B/s\" }",
    );
    let jobs = (1..=3)
        .map(|repetition| job("T", repetition, Phase { persisted: false, ..phase("checkpoint", 1000) }));
    let mut campaign = campaign(jobs.collect());
    let fs = FileSystemFacts { name: "s".into(), kind: "tmpfs".into(), ..Default::default() };
    campaign.before = Some(Machine { memory_bytes: 10, file_systems: vec![fs], ..Default::default() });
    let warnings = one(&made, &campaign).warnings;
    for code in [Code::NotFlushed, Code::MemoryFileSystem] {
        let reason = of(&warnings, code).unwrap();
        assert_eq!((reason.get(any::phase), reason.flag(row::NotFlushed::ior)), (Some("checkpoint"), false));
    }
}
