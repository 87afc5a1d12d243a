//! The effect of findings on verdicts: errors of the linter before a campaign, defects of the records, and
//! waivers.

use plan::Plan;
use results::finding::Finding;
use results::folder::{Campaign, JobEnd};
use results::reason::{Code, any, reason, row};
use results::record::{Check, Moments, Phase, Record, Spans, Stonewall, Timeline};
use results::{Outcome, Verdict};

use super::{campaign, codes, job, lint_error, numbers, of, outcome, phase, summary, verdicts_of};

fn plan(text: &str) -> Plan {
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\", servers = 4, \
                set_servers = \"s {servers}\", count_servers = \"c\" }\nclients.delivered = 1\n";
    Plan::parse(&format!("{head}{text}"), "p.toml").unwrap()
}

/// A test of one repetition with a floor.
fn test(id: &str, keys: &str, line: &str, metric: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\n{keys}\nior = \"{line}\"\n\
         criterion = {{ metric = \"{metric}\", op = \">=\", value = \"10 B/s\" }}\n"
    )
}

/// The verdicts on a plan where each test's phase of this name moved 100 bytes in a second.
fn verdict_of(text: &str, jobs: &[(&str, Phase)]) -> Vec<Verdict> {
    let jobs = jobs.iter().map(|(id, phase)| job(id, 1, phase.clone()));
    verdicts_of(&plan(text), &campaign(jobs.collect()))
}

/// The same if the linter found this before the run.
fn judged_in_spite_of(text: &str, jobs: &[(&str, Phase)], found: Finding) -> Vec<Verdict> {
    let jobs = jobs.iter().map(|(id, phase)| job(id, 1, phase.clone()));
    let mut campaign = campaign(jobs.collect());
    campaign.info.findings = vec![found];
    verdicts_of(&plan(text), &campaign)
}

fn outcomes(verdicts: &[Verdict]) -> Vec<(&str, Outcome)> {
    verdicts.iter().map(|verdict| (verdict.test.as_str(), verdict.outcome)).collect()
}

#[test]
fn an_error_about_a_phase_leaves_the_other_phases_of_its_test_alone() {
    let text = "[[test]]\nid = \"T\"\ncache = \"warm\"\nior = \"-w -r\"\ncriterion = [\n\
                { metric = \"write.bw\", op = \">=\", value = \"10 B/s\" },\n\
                { metric = \"read.bw\", op = \">=\", value = \"10 B/s\" },\n]\n";
    let mut both = job("T", 1, Phase { persisted: false, ..phase("write", 100) });
    both.records.insert(2, Record::Phase(Box::new(phase("read", 100))));
    let mut campaign = campaign(vec![both]);
    campaign.info.findings = vec![lint_error("T", reason!(MissingPersist)).of_phase("write")];
    let verdicts = verdicts_of(&plan(text), &campaign);
    assert_eq!(outcomes(&verdicts), [("T", Outcome::Invalid), ("T", Outcome::Pass)], "{verdicts:#?}");
    assert_eq!(verdicts[0].reason.code, Code::LintError);
    assert!(of(&verdicts[0].warnings, Code::NotFlushed).is_some());
}

#[test]
fn ranks_that_ran_out_of_data_are_warned_of() {
    let text = test("T", "", "-w -e -b 1k -D 30", "write.bw").replace("10 B/s", "1 MB/s");
    let ran = |ran_dry| {
        let wall = Stonewall { deadline_s: 30.0, ran_dry, ..Stonewall::default() };
        let phase = Phase { stonewall: Some(wall), ..phase("write", 2_000_000) };
        verdict_of(&text, &[("T", phase)]).remove(0)
    };
    assert_eq!(of(&ran(0).warnings, Code::OutOfData), None, "{:#?}", ran(0));
    let dry = ran(1);
    assert_eq!(dry.outcome, Outcome::Pass);
    assert_eq!(numbers(of(&dry.warnings, Code::OutOfData).unwrap(), ["ranks", "of"]), [Some(1.0); 2]);
}

#[test]
fn an_error_about_a_series_counts_for_its_tests() {
    let series = |steps: &str| {
        format!(
            "[[series]]\nid = \"S\"\nover = \"servers\"\nsteps = [{steps}]\n[[series.phases]]\nid = \"w\"\n\
             ior = \"-w -e\"\ncriterion = {{ metric = \"write.bw\", linear_within = \"10%\" }}\n"
        )
    };
    let ran = [1, 2, 4].map(|servers| (format!("S.s{servers}.w"), phase("write", servers * 100)));
    let ran = ran.each_ref().map(|(id, phase)| (id.as_str(), phase.clone()));
    let good = verdict_of(&series("\"1\", \"2\", \"4\""), &ran);
    let open = Outcome::Inconclusive;
    assert_eq!(outcomes(&good), [("S.s2.w", open), ("S.s4.w", open)], "single repetitions: {good:#?}");
    let found = lint_error("S", reason!(MissingPersist));
    let bad = judged_in_spite_of(&series("\"2\", \"4\""), &ran, found);
    assert_eq!(outcomes(&bad), [("S.s4.w", Outcome::Invalid)]);
    assert_eq!(bad[0].reason.code, Code::ReferenceUnusable, "the base is as little usable");
}

#[test]
fn what_the_campaign_as_a_whole_lacks_undermines_each_of_its_verdicts_and_a_silent_job_those_of_its_test() {
    let text = test("A", "", "-w -e", "write.bw") + &test("B", "", "-w -e", "write.bw");
    let whole = || campaign(["A", "B"].map(|id| job(id, 1, phase("write", 100))).into());
    let verdict_of = |campaign: &Campaign| {
        let verdicts = verdicts_of(&plan(&text), campaign);
        let audit = |verdict: &Verdict| verdict.reason.code == Code::AuditGap;
        let invalid = |verdict: Verdict| (verdict.outcome == Outcome::Invalid, audit(&verdict));
        verdicts.into_iter().map(invalid).collect::<Vec<_>>()
    };
    assert_eq!(verdict_of(&whole()), [(false, false); 2]);
    let mut unhashed = whole();
    unhashed.info.tool_sha256.clear();
    assert_eq!(verdict_of(&unhashed), [(true, true); 2]);
    let mut silent = whole();
    silent.jobs[1].info.sha256.clear();
    assert_eq!(verdict_of(&silent), [(false, false), (true, true)]);
}

#[test]
fn the_variability_of_an_invalid_clause_needs_no_waiver() {
    let text = "[[test]]\nid = \"T\"\nior = \"-w -e -b 1g\"\nrepetitions = 3\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"10 B/s\" }\n";
    let asked = |degraded: bool, ended: JobEnd| {
        let jobs = (1..).zip([100, 200, 400]).map(|(n, bytes)| job("T", n, phase("write", bytes)));
        let mut campaign = campaign(jobs.collect());
        campaign.jobs[1].info.down_after = degraded.then(|| vec!["OST2 is down".into()]);
        campaign.jobs[2].info.end = ended;
        let findings = summary(&plan(text), &campaign).findings;
        codes(&findings).contains(&Code::CovHigh)
    };
    assert!(asked(false, JobEnd::Exit(0)));
    assert!(!asked(true, JobEnd::Exit(0)), "INVALID by a finding");
    assert!(!asked(false, JobEnd::Signal(9)), "INVALID by a job that died");
}

/// A test T of three repetitions with these keys, and the bytes that each write moved.
fn thrice(keys: &str, bytes: [u64; 3]) -> (String, Campaign) {
    let text = format!("[[test]]\nid = \"T\"\nior = \"-w -e -b 1g\"\nrepetitions = 3\n{keys}\n");
    let jobs = (1..).zip(bytes).map(|(n, bytes)| job("T", n, phase("write", bytes)));
    (text, campaign(jobs.collect()))
}

#[test]
fn the_largest_variability_of_the_evaluated_rates_of_a_phase_is_a_finding() {
    let one = |metric: &str| format!("{{ metric = \"{metric}\", op = \">=\", value = \"10 B/s\" }}");
    let evaluated = |metrics: [&str; 2], bytes: [[u64; 4]; 3]| {
        let keys = format!("sustained = \"1 s\"\ncriterion = [{}]", metrics.map(one).join(", "));
        let (text, mut campaign) = thrice(&keys, bytes.map(|bytes| bytes.iter().sum()));
        for (job, bytes) in campaign.jobs.iter_mut().zip(bytes) {
            let Record::Phase(phase) = &mut job.records[1] else { panic!() };
            let spans = Spans { transfer_s: 4.0, total_s: 4.0, ..Spans::default() };
            let timeline = Timeline { interval_ns: 1_000_000_000, bytes: bytes.into() };
            let moments = Moments { last_end_unix_ns: 4_000_000_000, ..Moments::default() };
            (phase.spans, phase.timeline, phase.moments) = (spans, Some(timeline), Some(moments));
        }
        let findings = summary(&plan(&text), &campaign).findings;
        let found = findings.iter().filter(|one| one.code() == Code::CovHigh);
        found.map(|one| numbers(&one.reason, ["n", "cov"])).collect::<Vec<_>>()
    };
    // The means are equal, and the slowest seconds are not.
    let uneven = [[100, 100, 100, 100], [60, 140, 100, 100], [20, 180, 100, 100]];
    let wild = [[100; 4], [200; 4], [400; 4]];
    for metrics in [["write.bw", "write.sustained"], ["write.sustained", "write.bw"]] {
        assert_eq!(evaluated(metrics, uneven), [[Some(3.0), Some(0.667)]], "{metrics:?}");
        assert_eq!(evaluated(metrics, wild), [[Some(3.0), Some(0.655)]], "{metrics:?}");
    }
}

#[test]
fn variability_is_a_finding_also_if_another_criterion_on_the_phase_has_no_value() {
    let keys = "criterion = [\n{ metric = \"write.sustained\", op = \">=\", value = \"1 B/s\" },\n\
                { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" },\n]\nsustained = \"1 s\"";
    let (text, campaign) = thrice(keys, [100, 200, 400]);
    let findings = summary(&plan(&text), &campaign).findings;
    assert!(of(&findings, Code::CovHigh).is_some(), "no timeline: {findings:#?}");
}

#[test]
fn the_plan_states_the_maximum_variability() {
    let criterion = "criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }";
    let found = |cov_max: &str| {
        let (text, campaign) = thrice(&format!("{cov_max}\n{criterion}"), [80, 100, 120]);
        let findings = summary(&plan(&text), &campaign).findings;
        of(&findings, Code::CovHigh).map(|reason| numbers(reason, ["cov", "cov_max"]))
    };
    assert_eq!(found(""), Some([Some(0.2), Some(0.1)]));
    assert_eq!(found("cov_max = \"30 %\""), None);
    assert_eq!(found("cov_max = \"15 %\""), Some([Some(0.2), Some(0.15)]));
}

#[test]
fn a_waiver_is_unused_only_if_everything_it_could_concern_was_checked() {
    let keys = "criterion = { metric = \"write.bw\", op = \">=\", value = \"10 B/s\" }\n\
                waive = [{ lint = \"cov-high\", why = \"so\", approved_by = \"lead\" }]";
    let idle = |bytes: [u64; 3], more: &str, otherwise: &dyn Fn(&mut Campaign)| {
        let (text, mut campaign) = thrice(keys, bytes);
        otherwise(&mut campaign);
        let findings = summary(&plan(&format!("{more}{text}")), &campaign).findings;
        codes(&findings).contains(&Code::Waiver)
    };
    let (even, wild) = ([100, 101, 102], [100, 200, 400]);
    assert!(idle(even, "", &|_| {}));
    assert!(!idle(wild, "", &|_| {}), "it was needed");
    type Otherwise<'a> = &'a dyn Fn(&mut Campaign);
    let unknown: [(Otherwise<'_>, &str); 3] = [
        (&|campaign| campaign.jobs[2].info.end = JobEnd::Signal(9), "one died"),
        (&|campaign| drop(campaign.jobs.pop()), "one was left out"),
        (&|campaign| campaign.jobs.clear(), "the test was"),
    ];
    for (otherwise, why) in unknown {
        assert!(!idle(even, "", otherwise), "{why}");
    }
    let degraded = |campaign: &mut Campaign| campaign.jobs[1].info.down_after = Some(vec!["OST2".into()]);
    assert!(!idle(wild, "", &degraded), "found, but an INVALID clause needs no waiver");
    let small = "parameters = { n = \"1\" }\nscale = { small = { n = \"2\" } }\n";
    assert!(!idle(even, small, &|_| {}), "another scale may need it");
}

#[test]
fn nothing_rests_on_a_number_that_a_finding_made_invalid() {
    let text = test("BASE", "", "-w -e", "write.bw")
        + &test("T", "", "-w -e", "write.bw").replace("10 B/s", "50% of BASE.write.bw");
    let jobs = [("BASE", phase("write", 100)), ("T", phase("write", 100))];
    let found = || lint_error("BASE", reason!(MissingPersist));
    let verdicts = judged_in_spite_of(&text, &jobs, found());
    assert_eq!(outcomes(&verdicts), [("BASE", Outcome::Invalid), ("T", Outcome::Invalid)], "{verdicts:#?}");
    assert_eq!(verdicts[1].reason.code, Code::ReferenceUnusable);
    let mut campaign = campaign(jobs.iter().map(|(id, phase)| job(id, 1, phase.clone())).collect());
    campaign.info.findings = vec![found()];
    let rates = summary(&plan(&text), &campaign).rates;
    assert_eq!((rates[0].mean, rates[1].mean), (None, Some(100.0)));
    assert_eq!(rates[0].why.as_ref().map(|reason| reason.code), Some(Code::LintError));
}

#[test]
fn random_writes_are_held_against_alike_ones_in_order_and_only_in_their_own_phase() {
    let of = |order: &str, phases: &str| {
        let small = format!(
            "[[test]]\nid = \"R\"\nior = \"-w -e -W -t 4k -z {phases}\"\ncriterion = [\n\
             {{ metric = \"write.bw\", op = \">=\", value = \"10 B/s\" }},\n\
             {{ metric = \"write_check.errors\", op = \"==\", value = \"0 errors\" }},\n]\n"
        );
        let text = test("S", "", order, "write.bw") + &small;
        let mut random = job("R", 1, phase("write", 101));
        let check = Phase { check: Some(Check::default()), ..phase("write_check", 101) };
        random.records.insert(2, Record::Phase(Box::new(check)));
        verdicts_of(&plan(&text), &campaign(vec![job("S", 1, phase("write", 100)), random]))
    };
    let alike = of("-w -e -t 1m", "");
    let wanted = [("S", Outcome::Pass), ("R", Outcome::Invalid), ("R", Outcome::Pass)];
    assert_eq!(outcomes(&alike), wanted, "{alike:#?}");
    assert_eq!(alike[1].reason.code, Code::AbovePhysics);
    assert_eq!(numbers(&alike[1].reason, ["rate", "sequential"]), [Some(101.0), Some(100.0)]);
    for (order, phases) in
        [("-w -e -t 1m --rate 20/s", ""), ("-w -e -t 1m -a MPIIO", ""), ("-w -Y -t 1m", "")]
    {
        let other = of(order, phases);
        assert_eq!(other[1].outcome, Outcome::Pass, "{order}: {other:#?}");
    }
}

#[test]
fn more_than_a_file_system_can_do_came_from_a_cache() {
    let of = |rate: &str| {
        let text = plan(&test("T", "", "-w -e", "write.bw")).text;
        let text = text.replace("servers = 4", &format!("servers = 4, rate = \"{rate}\""));
        let plan = Plan::parse(&text, "p.toml").unwrap();
        verdicts_of(&plan, &campaign(vec![job("T", 1, phase("write", 100))])).remove(0)
    };
    assert_eq!(of("101 B/s").outcome, Outcome::Pass);
    let above = of("99 B/s");
    assert_eq!(outcome(&above), (Outcome::Invalid, Code::AbovePhysics));
    assert_eq!(numbers(&above.reason, ["rate", "rate_max"]), [Some(100.0), Some(99.0)]);
}

#[test]
fn cached_reads_are_invalid_in_every_phase() {
    for (line, name) in [("-w -e -W", "write_check"), ("-w -e --rwmix=50", "mixed_read")] {
        let cached = Phase { cached_before: Some(1.0), ..phase(name, 100) };
        let text = |keys: &str| test("T", keys, line, &format!("{name}.bw"));
        let cold = verdict_of(&text(""), &[("T", cached.clone())]).remove(0);
        assert_eq!(outcome(&cold), (Outcome::Invalid, Code::CachedRead), "{cold:#?}");
        assert_eq!(cold.reason.get(row::CachedRead::share), Some(1.0));
        let warm = verdict_of(&text("cache = \"warm\""), &[("T", cached)]).remove(0);
        assert_eq!(warm.outcome, Outcome::Pass, "{warm:#?}");
        let cached = of(&warm.warnings, Code::CachedRead).unwrap();
        assert_eq!(cached.get(any::phase), Some(name), "{:#?}", warm.warnings);
    }
}

#[test]
fn what_a_mix_a_ramp_or_a_least_time_explains_is_neither_missing_nor_too_much() {
    let ramp = Phase { ramp_s: 1.0, expected_bytes: 200, ..phase("write", 100) };
    let mixed = Phase { expected_bytes: 200, ..phase("mixed_write", 100) };
    let short = Phase { expected_bytes: 200, ..phase("write", 100) };
    let again = Phase { expected_bytes: 50, ..phase("write", 100) };
    let timed = "-w -e -O minTimeDuration=3";
    for (line, phase, found) in [
        ("-w -e --ramp=1", ramp, false),
        ("-w -e --rwmix=50", mixed, false),
        ("-w -e", short.clone(), true),
        (timed, short, true),
        (timed, again.clone(), false),
        ("-w -e", again, true),
    ] {
        let metric = format!("{}.bw", phase.phase);
        let verdict = verdict_of(&test("T", "", line, &metric), &[("T", phase)]).remove(0);
        let other = of(&verdict.warnings, Code::MovedOtherAmount);
        assert_eq!(other.is_some(), found, "{line}: {verdict:#?}");
    }
}

#[test]
fn an_error_about_the_whole_campaign_counts_for_each_clause_and_one_about_a_group_for_its_sum() {
    let text = test("A", "", "-w -e", "write.bw") + &test("B", "", "-w -e", "write.bw");
    let jobs = ["A", "B"].map(|id| (id, phase("write", 100)));
    let whole = judged_in_spite_of(&text, &jobs, lint_error("", reason!(MissingPersist)));
    assert_eq!(outcomes(&whole), [("A", Outcome::Invalid), ("B", Outcome::Invalid)]);
    let one = judged_in_spite_of(&text, &jobs, lint_error("fs.s", reason!(MissingPersist)));
    assert_eq!(outcomes(&one), [("A", Outcome::Invalid), ("B", Outcome::Invalid)], "on that file system");
    let mut mild = lint_error("A", reason!(MissingPersist));
    mild.severity = results::Severity::NeedsWaiver;
    assert_eq!(
        outcomes(&judged_in_spite_of(&text, &jobs, mild)),
        [("A", Outcome::Pass), ("B", Outcome::Pass)]
    );
}
