//! The stages before, after and of the report: each lint fires on its defect, and not on what is right.

use campaign::lint;
use campaign::lint::Finding;
use campaign::lint::Level;
use campaign::lint::after;
use campaign::lint::after::AfterSubject;
use campaign::lint::after::Part;
use campaign::lint::before;
use campaign::lint::before::BeforeSubject;
use campaign::lint::table::Check;
use plan::Plan;
use results::folder::{Build, Campaign, CampaignInfo, FileSystem, Job, JobEnd, JobInfo, Machine};
use results::record::{Balance, Counts, Phase, Record, Spans, Stonewall};

use crate::{finding, with_check};

pub(crate) fn told(findings: &[Finding]) -> Vec<&'static str> {
    findings.iter().map(|finding| finding.lint).collect()
}

/// A machine whose file system `s` is so full, in percent of blocks and inodes.
fn machine(blocks: u64, inodes: u64) -> Machine {
    let fs = FileSystem {
        name: "s".into(),
        bytes: 1000,
        bytes_used: blocks * 10,
        bytes_free: 1000 - blocks * 10,
        inodes: 100,
        inodes_free: 100 - inodes,
        ..Default::default()
    };
    Machine { file_systems: vec![fs], ..Default::default() }
}

fn before(machine: &Machine) -> BeforeSubject<'_> {
    BeforeSubject { fs: "s".into(), machine: Some(machine), ..Default::default() }
}

#[test]
fn every_lint_before_fires_on_its_defect_and_on_nothing_else() {
    let (full, unknown) = (machine(80, 20), Machine::default());
    assert_eq!(told(&before::findings(&before(&full))), [""; 0]);
    let twins = vec![("t".to_owned(), "ext4 of /dev/a, mounted on /".to_owned())];
    let wrong =
        [("fill-recorded", before(&unknown)), ("one-fs-twice", BeforeSubject { twins, ..before(&full) })];
    for (lint, subject) in &wrong {
        assert_eq!(told(&before::findings(subject)), [*lint]);
    }
    for id in with_check(|check| matches!(check, Check::Before(_))) {
        assert!(wrong.iter().any(|(lint, _)| *lint == id), "{id} has no case here");
    }
}

/// A stonewalled write of 4 ranks, of which the slowest moved so many bytes of 100, in so many seconds.
fn stopped(slowest: u64, seconds: f64) -> Phase {
    Phase {
        phase: "write".into(),
        ranks: 4,
        bytes: 400,
        ops: 4,
        spans: Spans { transfer_s: seconds, total_s: seconds, ..Default::default() },
        balance: Balance { bytes_min: slowest, bytes_max: 120, ..Default::default() },
        stonewall: Some(Stonewall { deadline_s: 30.0, wear_out: true, ..Default::default() }),
        ..Default::default()
    }
}

fn after(phases: &[Phase]) -> AfterSubject<'_> {
    let phases: Vec<&Phase> = phases.iter().collect();
    AfterSubject { id: "T".into(), values: values(&phases), phases, ..Default::default() }
}

fn values(phases: &[&Phase]) -> Vec<f64> {
    phases.iter().map(|phase| phase.bytes as f64 / phase.spans.total_s).collect()
}

fn part(name: &str, begin: f64, end: f64) -> Part {
    Part { name: name.into(), span_s: (begin, end) }
}

// tidy: long because the cases are read as one table.
#[test]
fn every_lint_after_fires_on_its_defect_and_on_nothing_else() {
    let good = [stopped(95, 40.0), stopped(96, 41.0)];
    let right = AfterSubject {
        sustained_s: Some(30.0),
        more: Some((1024, vec![10.2])),
        most: Some(100.0),
        sequential: Some(50.0),
        steady: Some((true, 60.0)),
        parts: vec![part("app", 0.0, 100.0), part("ior", 5.0, 110.0)],
        shares: vec![("gscratch3".into(), 100), ("gscratch4".into(), 104)],
        walked: Some(101_000),
        overlap: 0.9,
        ..after(&good)
    };
    assert_eq!(told(&after::findings(&right)), [""; 0]);
    let with = |phases: Vec<_>| AfterSubject { values: values(&phases), phases, ..right.clone() };
    let (lame, brief, long) = ([stopped(46, 40.0)], [stopped(95, 18.0)], [stopped(95, 61.0)]);
    let short = [stopped(95, 0.18)];
    let far = [stopped(95, 40.0), stopped(95, 50.0)];
    let fixed = [40.0, 60.0].map(|seconds| Phase { stonewall: None, ..stopped(95, seconds) });
    let names = [Phase { counts: Counts::Operations, ops: 5000, ..stopped(95, 40.0) }];
    let twice = |phase| vec![phase, phase];
    let wrong = [
        ("straggler", with(twice(&lame[0]))),
        (
            "sustained-not-met",
            AfterSubject { most: None, sequential: None, more: None, ..with(twice(&brief[0])) },
        ),
        ("wearout-tail", AfterSubject { more: None, ..with(twice(&long[0])) }),
        ("cov-missing", with(vec![&good[0]])),
        ("cov-high", AfterSubject { more: None, ..with(vec![&far[0], &far[1], &far[1], &far[0]]) }),
        ("harmonic", AfterSubject { more: None, ..with(vec![&fixed[0], &fixed[0], &fixed[1], &fixed[1]]) }),
        ("client-limited", AfterSubject { more: Some((1024, vec![33.0])), ..right.clone() }),
        ("above-physics", AfterSubject { most: Some(5.0), ..right.clone() }),
        ("above-physics", AfterSubject { sequential: Some(9.0), ..right.clone() }),
        ("no-steady-state", AfterSubject { steady: Some((false, 300.0)), ..right.clone() }),
        (
            "overlap",
            AfterSubject { parts: vec![part("app", 0.0, 100.0), part("ior", 50.0, 150.0)], ..right.clone() },
        ),
        (
            "two-fs-balance",
            AfterSubject { shares: vec![("3".into(), 100), ("4".into(), 150)], ..right.clone() },
        ),
        ("one-fs-twice", AfterSubject { twins: vec![["3", "4", "one"].map(String::from)], ..right.clone() }),
        ("ls-walk", AfterSubject { walked: Some(5000), ..right.clone() }),
        (
            "rate-too-short",
            AfterSubject {
                sustained_s: None,
                most: None,
                sequential: None,
                more: None,
                ..with(twice(&short[0]))
            },
        ),
        ("md-too-short", AfterSubject { more: None, ..with(twice(&names[0])) }),
    ];
    for (lint, subject) in &wrong {
        let found = told(&after::findings(subject));
        assert!(found.contains(lint), "{lint}: {found:?}");
        let others: Vec<_> = found.iter().filter(|found| *found != lint && **found != "cov-high").collect();
        assert!(others.is_empty(), "{lint}: {others:?}");
    }
    for id in with_check(|check| matches!(check, Check::After(_))) {
        assert!(wrong.iter().any(|(lint, _)| *lint == id), "{id} has no case here");
    }
}

#[test]
fn scatter_has_to_be_explained_and_is_no_error_for_the_bound_of_the_mean_has_it() {
    let phases = [stopped(95, 40.0), stopped(95, 80.0)];
    assert_eq!(finding(&after::findings(&after(&phases)), "cov-high").level, Level::Waiver);
}

#[test]
fn a_phase_of_an_instant_is_told_with_what_would_do_and_less_gravely_at_a_scale_that_was_chosen() {
    let of = |seconds: f64, scaled: bool| {
        let phases = [stopped(95, seconds), stopped(95, 1.2)];
        let findings = after::findings(&AfterSubject { scaled, ..after(&phases) });
        findings.into_iter().find(|finding| finding.lint == "rate-too-short")
    };
    let short = of(0.18, false).unwrap();
    assert_eq!((short.level, short.what.as_str()), (Level::Info, "write: 400 B in 180 ms"));
    assert!(short.remedy.starts_with("move 6 times as much, so that"), "{short:#?}");
    let level = |seconds, scaled| of(seconds, scaled).map(|finding| finding.level);
    assert_eq!(level(0.03, false), Some(Level::Waiver));
    assert_eq!(level(0.03, true), Some(Level::Info));
    assert_eq!(level(1.0, false), None);
}

#[test]
fn scatter_is_that_of_the_values_that_are_judged_and_of_none_where_none_are() {
    let phases = [stopped(95, 40.0), stopped(95, 80.0)];
    let judged = |values: Vec<f64>| told(&after::findings(&AfterSubject { values, ..after(&phases) }));
    assert!(!judged(vec![10.0, 10.5]).contains(&"cov-high"), "the rates of whole phases scatter by half");
    assert!(judged(vec![10.0, 13.0]).contains(&"cov-high"));
    let fixed = phases.each_ref().map(|phase| Phase { stonewall: None, ..phase.clone() });
    let of = |values: Vec<f64>| told(&after::findings(&AfterSubject { values, ..after(&fixed) }));
    assert!(of(vec![10.0, 5.0]).contains(&"harmonic"));
    assert_eq!(of(Vec::new()), [""; 0], "what is INVALID has no mean to explain");
}

#[test]
fn more_clients_are_told_from_noise() {
    let phases = [stopped(95, 40.0), stopped(95, 44.0), stopped(95, 36.0)];
    let limited = |more: Vec<f64>| {
        let more = Some((8, more));
        told(&after::findings(&AfterSubject { more, ..after(&phases) })).contains(&"client-limited")
    };
    assert!(!limited(vec![9.0, 10.9, 13.0]), "9 % more, and both scatter by 10 and 18 %");
    assert!(limited(vec![14.0, 15.0, 16.0]));
}

#[test]
fn a_campaign_without_what_an_auditor_asks_for_is_found() {
    let info = CampaignInfo {
        plan_sha256: "p".into(),
        tool_sha256: "t".into(),
        build: Build { commit: "c".into(), rustc: "r".into(), ..Default::default() },
        ..Default::default()
    };
    let machine = Some(Machine::default());
    let whole = Campaign { info, before: machine.clone(), after: machine, ..Default::default() };
    let found = |campaign: &Campaign| {
        let findings = lint::reported(campaign).into_iter();
        findings.map(|finding| (finding.lint, finding.level, finding.what)).collect::<Vec<_>>()
    };
    assert_eq!(found(&whole), []);
    let mut silent = whole.clone();
    silent.jobs = vec![job("T", Phase::default())];
    let what = "missing: what its jobs printed".to_owned();
    assert_eq!(found(&silent), [("audit-gap", Level::Error, what)]);
    let mut unbuilt = whole.clone();
    unbuilt.info.build.commit.clear();
    let what = "missing: the commit that the program is of".to_owned();
    assert_eq!(found(&unbuilt), [("audit-gap", Level::Info, what)]);
    let begun = Campaign { after: None, ..silent };
    assert_eq!(found(&begun), [], "a campaign that goes on may still record it");
    assert_eq!(with_check(|check| matches!(check, Check::Report(_))), ["audit-gap"]);
}

fn job(test: &str, phase: Phase) -> Job {
    let info = JobInfo { test: test.into(), end: JobEnd::Exit(0), ..Default::default() };
    Job { info, records: vec![Record::Phase(Box::new(phase))], ..Default::default() }
}

#[test]
fn a_campaign_is_looked_at_with_the_waivers_of_its_plan() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                launch = { kind = \"mpirun\" }\n\
                [[series]]\nid = \"S\"\nover = \"nodes\"\nsteps = [\"2\", \"4\"]\nrepetitions = 2\n\
                [[series.phases]]\nid = \"w\"\nior = \"-w -W -e -F -D 30\"\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n\
                waive = [{ lint = \"straggler\", why = \"a slow drive\", by = \"lead\" }]\n";
    let plan = Plan::parse(text, "p.toml").unwrap();
    let jobs = |slowest: u64, factor: u64| {
        let of = |test, factor: u64| {
            let phase = Phase { bytes: 400 * factor, ..stopped(slowest * factor, 40.0) };
            [job(test, phase.clone()), job(test, phase)]
        };
        [of("S.n2.w", 1), of("S.n4.w", factor)].concat()
    };
    let found = |slowest, factor, machine: Machine| {
        let campaign = Campaign { jobs: jobs(slowest, factor), before: Some(machine), ..Default::default() };
        lint::measured(&plan, &campaign)
    };
    assert_eq!(told(&found(95, 1, machine(50, 50))), [""; 0]);
    assert_eq!(told(&found(95, 1, Machine::default())), ["fill-recorded"]);
    let findings = found(95, 3, machine(50, 50));
    assert_eq!(told(&findings), ["client-limited"]);
    assert_eq!((findings[0].about.as_str(), findings[0].level), ("S.n2.w", Level::Info));
    let local = Plan::parse(&text.replace("mpirun", "local"), "p.toml").unwrap();
    let alone = Campaign { jobs: jobs(95, 3), before: Some(machine(50, 50)), ..Default::default() };
    assert_eq!(told(&lint::measured(&local, &alone)), [""; 0], "one node is no more clients");
    let findings = found(40, 1, machine(50, 50));
    assert_eq!(told(&findings), ["straggler", "straggler"]);
    assert!(findings.iter().all(|finding| !finding.stands()), "signed: {findings:#?}");
}
