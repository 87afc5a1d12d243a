//! What records by hand are judged to be.

mod cases;
mod clients;
mod course;
mod goals;
mod launched;
mod lints;
mod names;
mod stragglers;
mod wrong;

use campaign::judge;
use plan::Plan;
use results::folder::{Campaign, CampaignInfo, FileSystem, Job, JobEnd, JobInfo, Machine};
use results::record::{Balance, Check, End, Failure, Phase, Record, Run, Spans, Stonewall};
use results::{Outcome, Verdict};

fn plan(keys: &str) -> Plan {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" \
         }}\nclients.delivered = 1\n\
         [dataset.d]\nior = \"-w -k\"\n[[test]]\nid = \"T\"\nrepetitions = 3\n{keys}\n"
    );
    Plan::parse(&text, "p.toml").unwrap()
}

/// A plan's text, read again.
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
    let fs = ["s", "t"].map(|name| FileSystem { name: name.into(), bytes: 1 << 40, ..Default::default() });
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

fn one(plan: &Plan, campaign: &Campaign) -> Verdict {
    let mut verdicts = judge::judge(plan, campaign);
    assert_eq!(verdicts.len(), 1);
    verdicts.remove(0)
}

#[test]
fn a_supported_mean_passes_a_supported_miss_fails_and_between_them_nothing_is_concluded() {
    for (values, outcome, reason) in [
        ([120, 121, 122], Outcome::Pass, "mean 121 B/s meets >= 100 B/s; 95 % bound 119 B/s"),
        ([80, 81, 82], Outcome::Fail, "mean 81.0 B/s misses >= 100 B/s"),
        (
            [90, 105, 120],
            Outcome::Inconclusive,
            "mean 105 B/s meets >= 100 B/s, but after 3 repetitions the truth may be as low as 79.7 B/s; \
             about 27 repetitions would decide",
        ),
        (
            [20, 500, 1000],
            Outcome::Inconclusive,
            "mean 507 B/s meets >= 100 B/s, but after 3 repetitions the truth may be as low as 0 B/s; \
             about 6 repetitions would decide",
        ),
        (
            [80, 95, 110],
            Outcome::Inconclusive,
            "mean 95.0 B/s misses >= 100 B/s, but after 3 repetitions the truth may be as high as 120 B/s; \
             about 27 repetitions would decide",
        ),
    ] {
        let verdict = one(&plan(WRITE), &rates("write", values));
        assert_eq!((verdict.outcome, verdict.reason.as_str()), (outcome, reason));
        assert_eq!(verdict.jobs, ["jobs/0001-T-r1", "jobs/0002-T-r2", "jobs/0003-T-r3"]);
        assert_eq!((verdict.threshold, verdict.unit.as_str()), (Some(100.0), "B/s"));
    }
}

#[test]
fn at_most_is_judged_by_the_upper_bound() {
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
fn scatter_above_the_allowed_takes_a_pass_away_but_excuses_no_miss() {
    let strict = plan(&format!("cov_max = \"5 %\"\n{WRITE}"));
    let verdict = one(&strict, &rates("write", [900, 1000, 1100]));
    assert_eq!(verdict.outcome, Outcome::Inconclusive);
    assert!(
        verdict.reason.ends_with("but the repetitions scatter by 10.0 % and 5 % is allowed"),
        "{}",
        verdict.reason
    );
    assert_eq!(one(&strict, &rates("write", [9, 10, 11])).outcome, Outcome::Fail);
}

#[test]
fn a_single_repetition_is_taken_literally_unless_the_plan_decides_by_the_bound() {
    let once = WRITE.to_owned() + "\n";
    let single = |decide: &str| {
        let text = plan(&format!("{once}{decide}")).text.replace("repetitions = 3", "repetitions = 1");
        one(&Plan::parse(&text, "p").unwrap(), &campaign(vec![job("T", 1, phase("write", 150))]))
    };
    let literal = single("");
    assert_eq!(literal.outcome, Outcome::Pass);
    assert_eq!(literal.warnings, ["one repetition says nothing about scatter"]);
    assert_eq!(single("decide = { rule = \"lower_bound\" }").outcome, Outcome::Inconclusive);
}

#[test]
fn jobs_that_did_not_end_well_make_the_clause_invalid() {
    let good = || rates("write", [120, 121, 122]);
    type Break<'a> = &'a dyn Fn(&mut Campaign);
    let broken: [(Break<'_>, &str); 7] = [
        (
            &|c| c.jobs[1].info.end = JobEnd::TimedOut,
            "repetition 2 did not end in time and was killed after 60.0 s",
        ),
        (&|c| c.jobs[1].info.end = JobEnd::Signal(9), "repetition 2 was ended by signal 9"),
        (&|c| c.jobs[1].info.end = JobEnd::NotStarted, "repetition 2 could not be started"),
        (&|c| drop(c.jobs[1].records.pop()), "repetition 2 has no end in its records"),
        (&|c| c.jobs[1].records.clear(), "repetition 2 recorded nothing"),
        (&|c| drop(c.jobs[0].records.remove(1)), "repetition 1 recorded no write.bw"),
        (&|c| drop(c.jobs.pop()), "2 of 3 repetitions were run: the campaign ended before its turn"),
    ];
    for (break_it, reason) in broken {
        let mut campaign = good();
        break_it(&mut campaign);
        let verdict = one(&plan(WRITE), &campaign);
        assert_eq!((verdict.outcome, verdict.reason.as_str()), (Outcome::Invalid, reason));
        assert_eq!(verdict.value, None, "what is invalid has no value");
    }
    let mut failed = good();
    failed.jobs[2].info.end = JobEnd::Exit(1);
    let why = Failure {
        step: "write".into(),
        rank: 2,
        node: "n1".into(),
        why: "/s/f: No space left on device".into(),
    };
    failed.jobs[2].records.insert(1, Record::Failure(why));
    assert_eq!(
        one(&plan(WRITE), &failed).reason,
        "repetition 3 ended with status 1: write: rank 2 (node n1): /s/f: No space left on device"
    );
}

#[test]
fn no_error_is_told_with_what_was_compared_and_how_often_there_may_be_one() {
    let right = |repetition| {
        let check = Some(Check { bytes: 1 << 30, ..Check::default() });
        job("T", repetition, Phase { check, ops: 1024, ..phase("read_check", 1 << 30) })
    };
    let verdict = one(&plan(CHECK), &campaign([1, 2, 3].map(right).to_vec()));
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(
        verdict.reason,
        "max 0 meets == 0 errors; 3.00 GiB in 3072 transfers were compared, so with 95 % confidence no more \
         than 1 in 1024 is wrong (3/n)"
    );
    assert_eq!(verdict.statistics.and_then(|statistics| statistics.bound), None, "a count has no bound");
}

#[test]
fn a_read_from_the_cache_is_invalid_unless_the_plan_allows_it_and_then_it_is_told() {
    let mut campaign = rates("read", [120, 121, 122]);
    let Record::Phase(cached) = &mut campaign.jobs[1].records[1] else { panic!() };
    cached.cached_before = Some(0.43);
    let verdict = one(&plan(READ), &campaign);
    assert_eq!(verdict.outcome, Outcome::Invalid);
    assert!(
        verdict.reason.starts_with("43 % of the data was in this client's page cache"),
        "{}",
        verdict.reason
    );
    let verdict = one(&plan(&format!("cache = \"warm\"\n{READ}")), &campaign);
    assert_eq!(verdict.outcome, Outcome::Pass);
    assert_eq!(verdict.warnings[0], "read: 43 % of the data was in this client's page cache beforehand");
}

#[test]
fn what_was_not_run_says_why() {
    let verdict = one(&plan(READ), &campaign(vec![]));
    assert_eq!(
        (verdict.outcome, verdict.reason.as_str()),
        (Outcome::NotRun, "the campaign ended before its turn")
    );
    let reason = |killed: &[&str]| {
        let killed = killed.iter().map(|folder| (*folder).to_owned()).collect();
        one(&plan(READ), &Campaign { killed, ..Default::default() }).reason
    };
    assert_eq!(reason(&["jobs/0001-X-r1.killed-1"]), "the campaign has not come to it yet");
    assert_eq!(
        reason(&["jobs/0001-T-r1.killed-1", "jobs/.0001-T-r1"]),
        "the campaign has not ended; an attempt ended with it or still runs (jobs/.0001-T-r1)"
    );
    let begun = Campaign { after: None, ..campaign(vec![job("T", 1, phase("read", 1))]) };
    let verdict = one(&plan(READ), &begun);
    assert_eq!(verdict.outcome, Outcome::Inconclusive, "the repetitions to come may decide");
    assert_eq!(verdict.reason, "1 of 3 repetitions were run: the campaign has not come to it yet");
    let only = CampaignInfo { only: vec!["X".into()], ..Default::default() };
    let left_out = Campaign { info: only, ..Default::default() };
    assert_eq!(one(&plan(READ), &left_out).reason, "left out: only X was asked for");
    let mut dataset = job("dataset.d", 1, phase("write", 1));
    dataset.info.end = JobEnd::Exit(1);
    let verdict = one(&plan(READ), &campaign(vec![dataset]));
    assert_eq!(verdict.outcome, Outcome::Invalid, "it was tried, and there is evidence of it");
    assert_eq!(verdict.reason, "dataset.d, whose files it reads, ended with status 1");
}

#[test]
fn each_kind_of_warning_is_told_once_with_the_worst_of_the_repetitions() {
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
    assert_eq!(
        verdict.warnings,
        [
            "write: 3 of 4 ranks ran dry before the deadline of 30.0 s",
            "write: the data was not made durable within the time measured (no -e, -Y, O_DIRECT)",
            "write: 1000 B per node fits a client's memory of 1.00 GiB",
            "write: rank 3 on n7 ran at 45 % of the median rank",
            "the 3 repetitions scatter by 28.6 % (COV)",
            "measured from one client node of 1536 (n1), whose own limit may be what was found",
            "attempts that ended with the campaign were run again: jobs/0002-T-r2.killed-1",
            "attempts that ended with the campaign, or still run, and were not run again yet: \
             jobs/.0004-T-r4",
        ]
    );
}

#[test]
fn a_write_into_memory_is_told_not_to_be_durable() {
    let mut campaign = rates("write", [1000, 1000, 1000]);
    for (kind, told) in [("tmpfs", true), ("ext4", false)] {
        let fs = FileSystem { name: "s".into(), kind: kind.into(), ..Default::default() };
        campaign.before = Some(Machine { memory_bytes: 10, file_systems: vec![fs], ..Default::default() });
        let warnings = one(&plan(WRITE), &campaign).warnings;
        let warning = "write: tmpfs is memory, so nothing was made durable".to_owned();
        assert_eq!(warnings.contains(&warning), told, "{kind}: {warnings:?}");
    }
}

#[test]
fn a_checkpoint_of_flash_io_is_warned_of_as_a_write_is() {
    let made = plan(
        "flash_io = \"--verify\"\n\
         criterion = { metric = \"checkpoint.bw\", op = \">\", value = \"1 B/s\" }",
    );
    let jobs = (1..=3)
        .map(|repetition| job("T", repetition, Phase { persisted: false, ..phase("checkpoint", 1000) }));
    let mut campaign = campaign(jobs.collect());
    let fs = FileSystem { name: "s".into(), kind: "tmpfs".into(), ..Default::default() };
    campaign.before = Some(Machine { memory_bytes: 10, file_systems: vec![fs], ..Default::default() });
    let warnings = one(&made, &campaign).warnings;
    for warning in [
        "checkpoint: the data was not made durable within the time measured",
        "checkpoint: tmpfs is memory, so nothing was made durable",
    ] {
        assert!(warnings.contains(&warning.to_owned()), "{warnings:?}");
    }
}
