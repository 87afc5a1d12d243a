//! Findings about the phases of a test, the recorded state of the file systems, and the evidence. Each defect
//! has its finding, and a correct campaign has none.

use plan::Plan;
use results::finding::{Finding, Severity};
use results::folder::{Build, Campaign, CampaignInfo, FileSystemFacts, Job, Machine};
use results::reason::{Code, row};
use results::record::{Balance, Column, Counts, EachRank, Phase, Record, Run, Spans, Stonewall};

use super::{codes, summary, texts};

/// A machine whose file system `s` has this utilization, in percent of blocks and inodes.
fn machine(blocks: u64, inodes: u64) -> Machine {
    let fs = FileSystemFacts {
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

/// A stonewalled write of 4 ranks. The slowest moved this many bytes of 100 in this time.
fn stopped(slowest: u64, seconds: f64) -> Phase {
    Phase {
        phase: "write".into(),
        ranks: 4,
        bytes: 400,
        expected_bytes: 400,
        ops: 4,
        spans: Spans { transfer_s: seconds, total_s: seconds, ..Default::default() },
        balance: Balance { bytes_min: slowest, bytes_max: 120, ..Default::default() },
        stonewall: Some(Stonewall { deadline_s: 30.0, wear_out: true, ..Default::default() }),
        persisted: true,
        ..Default::default()
    }
}

fn job(test: &str, repetition: u32, phase: Phase) -> Job {
    let mut job = super::job(test, repetition, phase);
    job.records[0] = Record::Run(Run { nodes: 1, ranks: 4, host: "n1".into(), ..Run::default() });
    job
}

/// A campaign with complete evidence.
fn whole(jobs: Vec<Job>) -> Campaign {
    let build = Build { commit: "c".into(), rustc: "r".into(), ..Default::default() };
    let info =
        CampaignInfo { plan_sha256: "p".into(), tool_sha256: "t".into(), build, ..CampaignInfo::default() };
    let before = Some(machine(80, 20));
    Campaign { info, jobs, after: before.clone(), before, ..Campaign::default() }
}

const WRITE: &str = "ior = \"-w -e -F -D 30\"\n\
                     criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }";
const NAMES: &str = "mdtest = \"-F -C -n 5\"\n\
                     criterion = { metric = \"file_creation.rate\", op = \">=\", value = \"1/s\" }";
const WALK: &str = "ls_lr = \"--make --walk\"\ncache = \"warm\"\n\
                    criterion = { metric = \"list.rate\", op = \">=\", value = \"1/s\" }";

/// A plan with one test of this many repetitions.
fn plan(line: &str, repetitions: usize) -> Plan {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
         clients.delivered = 1\n\
         [[test]]\nid = \"T\"\nranks = 4\nrepetitions = {repetitions}\n{line}\n"
    );
    Plan::parse(&text, "p.toml").unwrap_or_else(|rejected| panic!("{rejected}\n{text}"))
}

fn found(line: &str, phases: &[Phase], otherwise: impl Fn(&mut Campaign)) -> Vec<Finding> {
    let jobs = (1..).zip(phases).map(|(repetition, phase)| job("T", repetition, phase.clone()));
    let mut campaign = whole(jobs.collect());
    otherwise(&mut campaign);
    summary(&plan(line, phases.len()), &campaign).findings
}

// tidy: long because the cases are read as one table.
#[test]
fn every_finding_about_a_phase_is_found_in_its_defect_and_nothing_else_is() {
    let right = |_: &mut Campaign| {};
    let good = [stopped(95, 40.0), stopped(96, 41.0)];
    assert_eq!(found(WRITE, &good, right), []);
    let fixed = [40.0, 40.0, 60.0, 60.0].map(|seconds| Phase { stonewall: None, ..stopped(95, seconds) });
    let names = |ops: u64, seconds| Phase {
        phase: "file_creation".into(),
        counts: Counts::Operations,
        ops,
        stonewall: None,
        bytes: 0,
        expected_bytes: 0,
        ..stopped(0, seconds)
    };
    let walk = |entries: u64| {
        let moved: Column<u64> = vec![entries; 4].into();
        let each = EachRank { ranks: 4, moved, ..EachRank::default() };
        Phase { phase: "list".into(), each_rank: Some(each), ..names(5_000_000, 40.0) }
    };
    assert_eq!(found(NAMES, &[names(5_000_000, 40.0), names(5_000_000, 41.0)], right), []);
    assert_eq!(found(WALK, &[walk(101_000), walk(101_000)], right), []);
    let waiver = Severity::NeedsWaiver;
    let wrong: [(Code, Severity, &str, Vec<Phase>); 9] = [
        (Code::Straggler, waiver, WRITE, vec![stopped(46, 40.0); 2]),
        (Code::WearoutTail, waiver, WRITE, vec![stopped(95, 61.0); 2]),
        (Code::CovMissing, waiver, WRITE, vec![stopped(95, 40.0)]),
        (Code::CovHigh, waiver, WRITE, [40.0, 50.0, 50.0, 40.0].map(|s| stopped(95, s)).to_vec()),
        (Code::Harmonic, Severity::Info, WRITE, fixed.to_vec()),
        (Code::RateTooShort, Severity::Info, WRITE, vec![stopped(95, 0.18); 2]),
        (Code::RateTooShort, waiver, WRITE, vec![stopped(95, 0.03); 2]),
        (Code::MdTooShort, waiver, NAMES, vec![names(5000, 40.0); 2]),
        (Code::LsWalk, waiver, WALK, vec![walk(5000); 2]),
    ];
    for (code, severity, line, phases) in wrong {
        let findings = found(line, &phases, right);
        let one =
            findings.iter().find(|one| one.code() == code).unwrap_or_else(|| panic!("{code}: {findings:#?}"));
        assert_eq!((one.severity, one.about.as_str()), (severity, "T"), "{code}");
        let others: Vec<Code> =
            codes(&findings).into_iter().filter(|one| *one != code && *one != Code::CovHigh).collect();
        assert_eq!(others, [], "{code}");
    }
}

#[test]
fn a_phase_of_an_instant_is_found_with_what_would_do_and_less_gravely_at_a_scale_that_was_chosen() {
    let level = |seconds: f64, scale: Option<&str>| {
        let phases = [stopped(95, seconds), stopped(95, 1.2)];
        let findings = found(WRITE, &phases, |campaign| campaign.info.scale = scale.map(str::to_owned));
        let short = findings.into_iter().find(|finding| finding.code() == Code::RateTooShort)?;
        Some((short.severity, short.reason.get(row::RateTooShort::times)))
    };
    assert_eq!(level(0.18, None), Some((Severity::Info, Some(6.0))));
    assert_eq!(level(0.03, None), Some((Severity::NeedsWaiver, Some(34.0))));
    assert_eq!(level(0.03, Some("small")), Some((Severity::Info, Some(34.0))));
    assert_eq!(level(1.0, None), None);
}

#[test]
fn a_file_system_whose_utilization_is_not_known_and_two_that_are_the_same_are_found() {
    let phases = [stopped(95, 40.0), stopped(96, 41.0)];
    let unknown = found(WRITE, &phases, |campaign| campaign.before = Some(Machine::default()));
    let fill = unknown.iter().find(|finding| finding.code() == Code::FillRecorded).unwrap();
    assert_eq!((fill.severity, fill.about.as_str()), (Severity::Error, "fs.s"));
    let text = plan(WRITE, 2)
        .text
        .replace("fs.s = { dir = \"/s\" }", "fs.s = { dir = \"/s\" }\nfs.t = { dir = \"/t\" }");
    let other = text.split("[[test]]").nth(1).unwrap().replace("id = \"T\"", "id = \"U\"\nfs = \"t\"");
    let text = text.replace("id = \"T\"", "id = \"T\"\nfs = \"s\"") + "[[test]]" + &other;
    let two = Plan::parse(&text, "p.toml").unwrap_or_else(|rejected| panic!("{rejected}\n{text}"));
    let same = |scale: Option<&str>| {
        let jobs = ["T", "U"].map(|id| [1, 2].map(|repetition| job(id, repetition, stopped(95, 40.0))));
        let mut campaign = whole(jobs.concat());
        campaign.info.scale = scale.map(str::to_owned);
        let mounts = vec!["40 22 8:1 / / rw - ext4 /dev/sda1 rw".to_owned()];
        let fs = |name: &str| FileSystemFacts {
            name: name.into(),
            dir: format!("/{name}"),
            mounts: mounts.clone(),
            bytes: 1000,
            ..FileSystemFacts::default()
        };
        campaign.before = Some(Machine { file_systems: vec![fs("s"), fs("t")], ..Machine::default() });
        let findings = summary(&two, &campaign).findings;
        findings.into_iter().find(|finding| finding.code() == Code::OneFsTwice)
    };
    let twice = same(None).unwrap();
    assert_eq!((twice.severity, twice.about.as_str()), (Severity::NeedsWaiver, "fs.s"));
    assert_eq!(twice.reason.get(row::OneFsTwice::other), Some("t"));
    assert_eq!(same(Some("small")).map(|finding| finding.severity), Some(Severity::Info));
}

#[test]
fn a_campaign_without_what_an_auditor_asks_for_is_found() {
    let phases = [stopped(95, 40.0), stopped(96, 41.0)];
    let found = |otherwise: &dyn Fn(&mut Campaign)| {
        let findings = found(WRITE, &phases, otherwise);
        let of = |finding: &Finding| {
            let missing: Vec<String> =
                texts(&finding.reason, "missing").into_iter().map(str::to_owned).collect();
            (finding.code(), finding.severity, finding.about.clone(), missing)
        };
        findings.iter().map(of).collect::<Vec<_>>()
    };
    let gap = |severity, about: &str, missing: &str| {
        vec![(Code::AuditGap, severity, about.to_owned(), vec![missing.to_owned()])]
    };
    let silent = |campaign: &mut Campaign| campaign.jobs[0].info.sha256.clear();
    assert_eq!(found(&silent), gap(Severity::Error, "T", "job output"));
    let unbuilt = |campaign: &mut Campaign| campaign.info.build.commit.clear();
    assert_eq!(found(&unbuilt), gap(Severity::Info, "", "commit"));
    let begun = |campaign: &mut Campaign| {
        silent(campaign);
        campaign.after = None;
    };
    assert_eq!(found(&begun), [], "a campaign that resumes may still record it");
}

#[test]
fn findings_have_the_waivers_of_the_plan() {
    let waive = "\nwaive = [{ lint = \"straggler\", why = \"a slow drive\", approved_by = \"lead\" }]";
    let phases = [stopped(40, 40.0), stopped(41, 40.0)];
    let findings = found(&format!("{WRITE}{waive}"), &phases, |_| {});
    assert_eq!(codes(&findings), [Code::Straggler]);
    assert!(!findings[0].is_open(), "approved: {findings:#?}");
    assert_eq!(findings[0].waived.as_ref().map(|by| by.approved_by.as_str()), Some("lead"));
    let mut ended = stopped(95, 40.0);
    ended.stonewall = None;
    let idle = found(&format!("{WRITE}{waive}"), &[ended.clone(), ended], |_| {});
    assert_eq!(codes(&idle), [Code::Waiver]);
    assert_eq!(idle[0].reason.get(row::Waiver::waived), Some("straggler"));
}
