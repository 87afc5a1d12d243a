//! What the linter's errors do to verdicts, and what the records disprove.

use campaign::judge;
use plan::Plan;
use results::folder::{Campaign, JobEnd};
use results::record::{Check, Moments, Phase, Record, Spans, Stonewall, Timeline};
use results::{Outcome, Verdict};

use super::{campaign, job, phase};

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
fn judged(text: &str, jobs: &[(&str, Phase)]) -> Vec<Verdict> {
    let jobs = jobs.iter().map(|(id, phase)| job(id, 1, phase.clone()));
    judge::judge(&plan(text), &campaign(jobs.collect()))
}

fn outcomes(verdicts: &[Verdict]) -> Vec<(&str, Outcome)> {
    verdicts.iter().map(|verdict| (verdict.test.as_str(), verdict.outcome)).collect()
}

#[test]
fn data_that_was_not_made_durable_has_no_rate_of_writing_and_reading_it_has_one() {
    let text = "[[test]]\nid = \"T\"\ncache = \"warm\"\nior = \"-w -r\"\ncriterion = [\n\
                { metric = \"write.bw\", op = \">=\", value = \"10 B/s\" },\n\
                { metric = \"read.bw\", op = \">=\", value = \"10 B/s\" },\n]\n";
    let mut both = job("T", 1, Phase { persisted: false, ..phase("write", 100) });
    both.records.insert(2, Record::Phase(Box::new(phase("read", 100))));
    let verdicts = judge::judge(&plan(text), &campaign(vec![both]));
    assert_eq!(outcomes(&verdicts), [("T", Outcome::Invalid), ("T", Outcome::Pass)], "{verdicts:#?}");
    assert!(verdicts[0].reason.contains("(missing-persist); add -e. What was measured: mean 100 B/s meets"));
}

#[test]
fn ranks_that_may_run_dry_are_judged_by_whether_they_did() {
    let text = test("T", "", "-w -e -b 1k -D 30", "write.bw").replace("10 B/s", "1 MB/s");
    let ran = |ran_dry| {
        let wall = Stonewall { deadline_s: 30.0, ran_dry, ..Stonewall::default() };
        let phase = Phase { stonewall: Some(wall), ..phase("write", 2_000_000) };
        judged(&text, &[("T", phase)]).remove(0)
    };
    assert_eq!(ran(0).outcome, Outcome::Pass, "{:#?}", ran(0));
    assert_eq!(ran(1).outcome, Outcome::Invalid);
    assert!(ran(1).reason.contains(" (runs-dry); "), "{:#?}", ran(1));
}

#[test]
fn an_error_that_did_not_come_true_is_no_error_of_the_campaign_any_more() {
    let text = test("T", "", "-w -e -b 1k -D 30", "write.bw").replace("10 B/s", "1 MB/s");
    let told = |ran_dry, end: JobEnd| {
        let wall = Stonewall { deadline_s: 30.0, ran_dry, ..Stonewall::default() };
        let mut job = job("T", 1, Phase { stonewall: Some(wall), ..phase("write", 2_000_000) });
        job.info.end = end;
        let findings = campaign::summary(&plan(&text), &campaign(vec![job])).findings;
        let of = |lint: &str| findings.iter().find(|one| one.lint == lint).cloned().unwrap();
        of("runs-dry")
    };
    let shown = told(0, JobEnd::Exit(0));
    assert_eq!(shown.level, "info");
    assert!(shown.found.ends_with("; by what was recorded it counts for nothing"), "{shown:#?}");
    assert_eq!(told(1, JobEnd::Exit(0)).level, "error", "one ran dry");
    assert_eq!(told(0, JobEnd::Signal(9)).level, "error", "nothing was shown");
}

#[test]
fn an_average_of_more_repetitions_than_are_planned_is_none() {
    let keys = "clause = \"on average of 10 repetitions\"\nrepetitions = 1";
    let verdict = judged(&test("T", keys, "-w -e", "write.bw"), &[("T", phase("write", 100))]).remove(0);
    assert_eq!(verdict.outcome, Outcome::Invalid, "{verdict:#?}");
    assert!(verdict.reason.contains(" (reps-short); "), "{}", verdict.reason);
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
    let good = judged(&series("\"1\", \"2\", \"4\""), &ran);
    assert_eq!(outcomes(&good), [("S.s2.w", Outcome::Pass), ("S.s4.w", Outcome::Pass)], "{good:#?}");
    let bad = judged(&series("\"2\", \"4\""), &ran);
    assert_eq!(outcomes(&bad), [("S.s4.w", Outcome::Invalid)]);
    assert!(bad[0].reason.contains(" (linearity-base); "), "{}", bad[0].reason);
}

#[test]
fn what_the_campaign_as_a_whole_lacks_undermines_each_of_its_verdicts_and_a_silent_job_those_of_its_test() {
    let text = test("A", "", "-w -e", "write.bw") + &test("B", "", "-w -e", "write.bw");
    let whole = || campaign(["A", "B"].map(|id| job(id, 1, phase("write", 100))).into());
    let judged = |campaign: &Campaign| {
        let verdicts = judge::judge(&plan(&text), campaign);
        let audit = |verdict: &Verdict| verdict.reason.starts_with("missing: ");
        let invalid = |verdict: Verdict| (verdict.outcome == Outcome::Invalid, audit(&verdict));
        verdicts.into_iter().map(invalid).collect::<Vec<_>>()
    };
    assert_eq!(judged(&whole()), [(false, false); 2]);
    let mut unhashed = whole();
    unhashed.info.tool_sha256.clear();
    assert_eq!(judged(&unhashed), [(true, true); 2]);
    let mut silent = whole();
    silent.jobs[1].info.sha256.clear();
    assert_eq!(judged(&silent), [(false, false), (true, true)]);
}

#[test]
fn nobody_has_to_explain_the_scatter_of_what_is_invalid() {
    let text = "[[test]]\nid = \"T\"\nior = \"-w -e -b 1g\"\nrepetitions = 3\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"10 B/s\" }\n";
    let asked = |degraded: bool, ended: JobEnd| {
        let jobs = (1..).zip([100, 200, 400]).map(|(n, bytes)| job("T", n, phase("write", bytes)));
        let mut campaign = campaign(jobs.collect());
        campaign.jobs[1].info.down_after = degraded.then(|| vec!["OST2 is down".into()]);
        campaign.jobs[2].info.end = ended;
        let findings = campaign::summary(&plan(text), &campaign).findings;
        findings.into_iter().any(|finding| finding.lint == "cov-high")
    };
    assert!(asked(false, JobEnd::Exit(0)));
    assert!(!asked(true, JobEnd::Exit(0)), "INVALID by the linter");
    assert!(!asked(false, JobEnd::Signal(9)), "INVALID by a job that died");
}

/// A test T of three repetitions with these keys, and what its write moved in each.
fn thrice(keys: &str, bytes: [u64; 3]) -> (String, Campaign) {
    let text = format!("[[test]]\nid = \"T\"\nior = \"-w -e -b 1g\"\nrepetitions = 3\n{keys}\n");
    let jobs = (1..).zip(bytes).map(|(n, bytes)| job("T", n, phase("write", bytes)));
    (text, campaign(jobs.collect()))
}

#[test]
fn the_scatter_of_each_rate_that_is_judged_of_a_phase_has_to_be_explained_the_largest_first() {
    let one = |metric: &str| format!("{{ metric = \"{metric}\", op = \">=\", value = \"10 B/s\" }}");
    let said = |metrics: [&str; 2], bytes: [[u64; 4]; 3]| {
        let keys = format!("sustained = \"1 s\"\ncriterion = [{}]", metrics.map(one).join(", "));
        let (text, mut campaign) = thrice(&keys, bytes.map(|bytes| bytes.iter().sum()));
        for (job, bytes) in campaign.jobs.iter_mut().zip(bytes) {
            let Record::Phase(phase) = &mut job.records[1] else { panic!() };
            let spans = Spans { transfer_s: 4.0, total_s: 4.0, ..Spans::default() };
            let timeline = Timeline { interval_ns: 1_000_000_000, bytes: bytes.into() };
            let moments = Moments { last_end_unix_ns: 4_000_000_000, ..Moments::default() };
            (phase.spans, phase.timeline, phase.moments) = (spans, Some(timeline), Some(moments));
        }
        let findings = campaign::summary(&plan(&text), &campaign).findings;
        let found = findings.into_iter().filter(|one| one.lint == "cov-high").map(|one| one.found);
        found.collect::<Vec<_>>()
    };
    // The means are even, and the worst seconds are not.
    let uneven = [[100, 100, 100, 100], [60, 140, 100, 100], [20, 180, 100, 100]];
    let wild = [[100; 4], [200; 4], [400; 4]];
    for metrics in [["write.bw", "write.sustained"], ["write.sustained", "write.bw"]] {
        assert_eq!(said(metrics, uneven), ["3 repetitions scatter by 66.7 % (n−1)"], "{metrics:?}");
        assert_eq!(said(metrics, wild), ["3 repetitions scatter by 65.5 % (n−1)"], "{metrics:?}");
    }
}

#[test]
fn scatter_is_asked_about_also_where_another_criterion_on_the_phase_has_no_value() {
    let keys = "criterion = [\n{ metric = \"write.sustained\", op = \">=\", value = \"1 B/s\" },\n\
                { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" },\n]\nsustained = \"1 s\"";
    let (text, campaign) = thrice(keys, [100, 200, 400]);
    let findings = campaign::summary(&plan(&text), &campaign).findings;
    assert!(findings.iter().any(|one| one.lint == "cov-high"), "no timeline: {findings:#?}");
}

#[test]
fn a_waiver_is_said_to_waive_nothing_only_where_all_was_looked_at_that_it_could_be_about() {
    let keys = "criterion = { metric = \"write.bw\", op = \">=\", value = \"10 B/s\" }\n\
                waive = [{ lint = \"cov-high\", why = \"so\", by = \"lead\" }]";
    let idle = |bytes: [u64; 3], more: &str, otherwise: &dyn Fn(&mut Campaign)| {
        let (text, mut campaign) = thrice(keys, bytes);
        otherwise(&mut campaign);
        let findings = campaign::summary(&plan(&format!("{more}{text}")), &campaign).findings;
        findings.into_iter().any(|one| one.lint == "waiver")
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
    assert!(!idle(wild, "", &degraded), "found, and of what is INVALID nobody has to sign it");
    let small = "parameters = { n = \"1\" }\nscale = { small = { n = \"2\" } }\n";
    assert!(!idle(even, small, &|_| {}), "another scale may need it");
}

#[test]
fn nothing_rests_on_a_number_that_the_linter_made_invalid() {
    let wear_out = "-w -e -D 30 -O stoneWallingWearOut=1";
    let text = test("BASE", "sustained = \"1 s\"", wear_out, "write.bw")
        + &test("T", "", "-w -e", "write.bw").replace("10 B/s", "50% of BASE.write.bw");
    let jobs = [("BASE", phase("write", 100)), ("T", phase("write", 100))];
    let verdicts = judged(&text, &jobs);
    assert_eq!(outcomes(&verdicts), [("BASE", Outcome::Invalid), ("T", Outcome::Invalid)], "{verdicts:#?}");
    assert!(verdicts[1].reason.starts_with("write.bw of BASE is what it is compared with, and "));
    let jobs = jobs.iter().map(|(id, phase)| job(id, 1, phase.clone())).collect();
    let rates = campaign::summary(&plan(&text), &campaign(jobs)).rates;
    assert_eq!((rates[0].mean, rates[1].mean), (None, Some(100.0)));
    assert!(rates[0].why.contains(" (wearout-on-measured); "), "{}", rates[0].why);
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
        judge::judge(&plan(&text), &campaign(vec![job("S", 1, phase("write", 100)), random]))
    };
    let alike = of("-w -e -t 1m", "");
    let wanted = [("S", Outcome::Pass), ("R", Outcome::Invalid), ("R", Outcome::Pass)];
    assert_eq!(outcomes(&alike), wanted, "{alike:#?}");
    assert!(alike[1].reason.contains(" (above-physics); "), "{}", alike[1].reason);
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
        judge::judge(&plan, &campaign(vec![job("T", 1, phase("write", 100))])).remove(0)
    };
    assert_eq!(of("101 B/s").outcome, Outcome::Pass);
    let above = of("99 B/s");
    assert_eq!(above.outcome, Outcome::Invalid);
    assert!(
        above.reason.starts_with("100 B/s is more than the 99.0 B/s it is said to do (above-physics); "),
        "{above:#?}"
    );
}

#[test]
fn what_was_in_the_cache_is_no_measure_in_whatever_phase_it_was_read() {
    for (line, name) in [("-w -e -W", "write_check"), ("-w -e --rwmix=50", "mixed_read")] {
        let cached = Phase { cached_before: Some(1.0), ..phase(name, 100) };
        let text = |keys: &str| test("T", keys, line, &format!("{name}.bw"));
        let cold = judged(&text(""), &[("T", cached.clone())]).remove(0);
        assert_eq!(cold.outcome, Outcome::Invalid, "{cold:#?}");
        assert!(
            cold.reason.starts_with("100 % of the data was in this client's page cache"),
            "{}",
            cold.reason
        );
        let warm = judged(&text("cache = \"warm\""), &[("T", cached)]).remove(0);
        assert_eq!(warm.outcome, Outcome::Pass, "{warm:#?}");
        let told = format!("{name}: 100 % of the data was in this client's page cache beforehand");
        assert!(warm.warnings.contains(&told), "{:#?}", warm.warnings);
    }
}

#[test]
fn what_a_mix_a_ramp_or_a_least_time_explains_is_neither_missing_nor_too_much() {
    let ramp = Phase { ramp_s: 1.0, expected_bytes: 200, ..phase("write", 100) };
    let mixed = Phase { expected_bytes: 200, ..phase("mixed_write", 100) };
    let short = Phase { expected_bytes: 200, ..phase("write", 100) };
    let again = Phase { expected_bytes: 50, ..phase("write", 100) };
    let timed = "-w -e -O minTimeDuration=3";
    for (line, phase, told) in [
        ("-w -e --ramp=1", ramp, false),
        ("-w -e --rwmix=50", mixed, false),
        ("-w -e", short.clone(), true),
        (timed, short, true),
        (timed, again.clone(), false),
        ("-w -e", again, true),
    ] {
        let metric = format!("{}.bw", phase.phase);
        let verdict = judged(&test("T", "", line, &metric), &[("T", phase)]).remove(0);
        let asked = verdict.warnings.iter().any(|warning| warning.contains("the line asks for"));
        assert_eq!(asked, told, "{line}: {verdict:#?}");
    }
}
