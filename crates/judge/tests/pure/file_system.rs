//! Findings about the file system during tests. Each defect has its finding, and a correct campaign has none.

use plan::Plan;
use results::finding::{Finding, Severity};
use results::folder::{
    BackingLayer, Campaign, CampaignInfo, FileSystemFacts, Fill, Job, JobEnd, JobInfo, LayerKind, Layout,
    Machine, Target,
};
use results::reason::{Code, row};
use results::record::{EachRank, End, Phase, Record, Run};
use results::{Outcome, Verdict};

use super::{codes, numbers, of, outcome, summary, texts, verdicts_of};

/// The codes of findings about a file system in use.
const MEANT: [Code; 7] = [
    Code::Degraded,
    Code::Exclusive,
    Code::FillRecorded,
    Code::HealthUnknown,
    Code::LayoutUndeclared,
    Code::NotDegraded,
    Code::TrafficUnknown,
];

/// A job on a correct file system.
fn sound() -> Job {
    let mut job = job("T", &[&[0], &[1]]);
    job.info.fill_after.clone_from(&job.info.fill_before);
    job.info.down_after = Some(Vec::new());
    job.info.traffic_bytes = Some(1005);
    job
}

#[test]
fn every_finding_about_a_file_system_in_use_is_found_in_its_defect_and_nothing_else_is() {
    let keys = |stripes: &str| plan(", fill = [\"60%\", \"70%\"]", &[("T", stripes)], "");
    let found = |stripes: &str, otherwise: &dyn Fn(&mut Job)| {
        let mut job = sound();
        otherwise(&mut job);
        of_state(&keys(stripes), &campaign(vec![job]), "T")
    };
    let one = "stripes = 1";
    assert_eq!(found(one, &|_| {}), []);
    assert_eq!(found(one, &|job| job.info.traffic_bytes = Some(10)), [], "clients cached the rest");
    let down = |job: &mut Job| job.info.down_after = Some(vec!["OST2 is down".into()]);
    let missing = |job: &mut Job| drop(job.info.fill_before.as_mut().unwrap().targets.pop());
    let full = |job: &mut Job| job.info.fill_before.as_mut().unwrap().bytes_used = 805;
    let lain =
        |job: &mut Job, count| job.info.layout = Some(Layout { stripe_count: count, ..Layout::default() });
    let waiver = Severity::NeedsWaiver;
    type Otherwise<'a> = &'a dyn Fn(&mut Job);
    let wrong: [(Code, Severity, &str, Otherwise<'_>); 10] = [
        (Code::Degraded, Severity::Error, one, &down),
        (Code::Degraded, Severity::Error, one, &missing),
        (Code::HealthUnknown, Severity::Error, one, &|job| job.info.unasked = Some("no answer".into())),
        (Code::Exclusive, waiver, one, &|job| job.info.traffic_bytes = Some(1020)),
        (Code::TrafficUnknown, Severity::Info, one, &|job| job.info.traffic_bytes = Some(-5)),
        (Code::FillRecorded, waiver, one, &full),
        (Code::LayoutUndeclared, waiver, one, &|job| lain(job, 3)),
        (Code::LayoutUndeclared, waiver, "stripes = 2", &|job| lain(job, -1)),
        (Code::LayoutUndeclared, waiver, "stripes = \"all\"", &|job| lain(job, 2)),
        (Code::LayoutUndeclared, Severity::Info, one, &|job| {
            let Record::Phase(phase) = &mut job.records[1] else { panic!() };
            phase.each_rank = None;
        }),
    ];
    for (code, severity, stripes, otherwise) in wrong {
        let findings = found(stripes, otherwise);
        assert_eq!(codes(&findings), [code], "{findings:#?}");
        assert_eq!((findings[0].severity, findings[0].about.as_str()), (severity, "T"));
    }
    let lost = found(one, &missing).remove(0).reason;
    assert_eq!((texts(&lost, "missing"), lost.get(row::FillRecorded::when)), (vec!["b3"], Some("before")));
    assert_eq!(numbers(&lost, ["targets", "repetition"]), [Some(3.0), Some(1.0)]);
    for (stripes, count) in [("stripes = \"all\"", 3), ("stripes = \"all\"", -1), ("stripes = 3", -1)] {
        assert_eq!(found(stripes, &|job| lain(job, count)), [], "{stripes}");
    }
}

#[test]
fn a_utilization_is_computed_of_any_recorded_numbers() {
    let mut job = sound();
    let fill = Fill { bytes_used: u64::MAX, bytes_free: u64::MAX, ..Fill::default() };
    (job.info.fill_before, job.info.fill_after) = (Some(fill.clone()), Some(fill));
    let mut campaign = campaign(vec![job]);
    campaign.before.as_mut().unwrap().file_systems[0].bytes = 0;
    let found = of_state(&plan(", fill = [\"60%\", \"70%\"]", &[("T", "stripes = 1")], ""), &campaign, "T");
    let fill = found.iter().find(|finding| finding.reason.code == Code::FillRecorded).unwrap();
    assert_eq!(numbers(&fill.reason, ["fill"]), [Some(0.5)]);
}

#[test]
fn all_targets_are_those_that_the_plan_names() {
    let found = |count: i64| {
        let mut job = sound();
        job.info.layout = Some(Layout { stripe_count: count, ..Layout::default() });
        let plan = plan(", targets = 4", &[("T", "stripes = \"all\"")], "");
        let findings = of_state(&plan, &campaign(vec![job]), "T");
        findings.first().map(|finding| numbers(&finding.reason, ["found", "targets"]))
    };
    assert_eq!(found(4), None);
    assert_eq!(found(3), Some([Some(3.0), Some(4.0)]));
    assert_eq!(found(5), Some([Some(5.0), Some(4.0)]));
    assert_eq!(found(-1), Some([Some(3.0), Some(4.0)]), "all that were there");
}

#[test]
fn what_nothing_tells_is_not_degraded() {
    let state = "[state.lost]\ndegrade = \"off\"\nrestore = \"on\"\n";
    let made = plan(", health = \"h\"", &[("T", "states = [\"lost\"]")], state);
    let mut blind = sound();
    (blind.info.down_before, blind.info.down_after) = (None, None);
    (blind.info.fill_before, blind.info.fill_after) = (None, None);
    let findings = of_state(&made, &campaign(vec![blind]), "T");
    assert_eq!(codes(&findings), [Code::NotDegraded]);
    assert!(findings[0].reason.flag(row::NotDegraded::unknown), "{findings:#?}");
}

/// A job that moved 1000 bytes and succeeded, with the files of four ranks on these targets.
fn job(test: &str, layouts: &[&[u32]]) -> Job {
    let each = EachRank {
        ranks: layouts.len() as u32,
        layout: (0..layouts.len() as u32).collect::<Vec<_>>().into(),
        layouts: layouts.iter().map(|layout| layout.to_vec()).collect(),
        targets: vec!["b1".into(), "b2".into(), "b3".into()],
        ..Default::default()
    };
    let phase = Phase {
        phase: "write".into(),
        ranks: 1,
        bytes: 1000,
        ops: 1,
        spans: results::record::Spans { transfer_s: 1.0, total_s: 1.0, ..Default::default() },
        each_rank: Some(each),
        persisted: true,
        ..Default::default()
    };
    let records = vec![
        Record::Run(Run { ranks: 1, nodes: 1, ..Default::default() }),
        Record::Phase(Box::new(phase)),
        Record::End(End::default()),
    ];
    let fill = |names: &[&str]| Fill {
        bytes_used: 650,
        bytes_free: 350,
        targets: names.iter().map(|name| Target { name: (*name).into(), ..Default::default() }).collect(),
        ..Default::default()
    };
    let info = JobInfo {
        sha256: [("stdout.txt".into(), "s".into())].into(),
        test: test.into(),
        repetition: 1,
        end: JobEnd::Exit(0),
        fill_before: Some(fill(&["b1", "b2", "b3"])),
        fill_after: Some(fill(&["b1", "b3"])),
        down_before: Some(vec![]),
        down_after: Some(vec!["b2 is down".into()]),
        traffic_bytes: Some(2000),
        ..Default::default()
    };
    Job { info, records, ..Default::default() }
}

/// A plan with tests, each with additional keys.
fn plan(fs: &str, tests: &[(&str, &str)], behind: &str) -> Plan {
    let test = |(id, keys): &(&str, &str)| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-w -e -F\"\n{keys}\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let tests: String = tests.iter().map(test).collect();
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\n\
         fs.s = {{ dir = \"{{dir}}\"{fs} }}\n{tests}{behind}"
    );
    Plan::parse(&text, "p.toml").unwrap_or_else(|rejected| panic!("{rejected}\n{text}"))
}

fn campaign(jobs: Vec<Job>) -> Campaign {
    let targets = ["b1", "b2", "b3"].map(|name| Target { name: name.into(), ..Default::default() });
    let targets = targets.to_vec();
    let fs =
        FileSystemFacts { name: "s".into(), bytes: 1000, bytes_used: 650, targets, ..Default::default() };
    let machine = Machine { file_systems: vec![fs], ..Default::default() };
    let info = CampaignInfo { plan_sha256: "p".into(), tool_sha256: "t".into(), ..CampaignInfo::default() };
    Campaign { info, jobs, before: Some(machine.clone()), after: Some(machine), ..Default::default() }
}

/// The findings about a test, without those that are not about its file system.
fn of_state(plan: &Plan, campaign: &Campaign, id: &str) -> Vec<Finding> {
    let all = summary(plan, campaign).findings.into_iter();
    all.filter(|finding| finding.about == id && MEANT.contains(&finding.code())).collect()
}

#[test]
fn a_server_that_is_lost_makes_the_clause_invalid_unless_the_test_bears_it() {
    let made = plan("", &[("T", ""), ("D", "degraded = true")], "");
    let found = campaign(vec![job("T", &[]), job("D", &[])]);
    let verdicts: Vec<Verdict> = verdicts_of(&made, &found);
    let [strict, bears] = &verdicts[..] else { panic!("{verdicts:#?}") };
    assert_eq!((strict.outcome, bears.outcome), (Outcome::Invalid, Outcome::Pass), "{verdicts:#?}");
    assert_eq!((strict.reason.code, texts(&strict.reason, "missing")), (Code::Degraded, vec!["b2"]));
    let borne: Vec<_> = bears.warnings.iter().filter(|one| one.code() == Code::Degraded).collect();
    let [gone, down] = &borne[..] else { panic!("{:#?}", bears.warnings) };
    assert_eq!(
        (texts(&gone.reason, "missing"), gone.reason.get(row::Degraded::targets)),
        (vec!["b2"], Some(3.0))
    );
    assert_eq!((down.reason.get(row::Degraded::health), down.severity), (Some("b2 is down"), Severity::Info));
    let info =
        strict.warnings.iter().any(|one| one.code() == Code::Degraded && one.severity < Severity::Error);
    assert!(!info, "its reason says so: {:#?}", strict.warnings);
}

#[test]
fn a_state_in_which_nothing_is_down_makes_its_tests_invalid() {
    let state = "[state.lost]\ndegrade = \"off\"\nrestore = \"on\"\n";
    let made = plan("", &[("T", "states = [\"lost\"]")], state);
    let mut lost = job("T", &[]);
    let verdict_of = |job: &Job| verdicts_of(&made, &campaign(vec![job.clone()])).remove(0);
    let invalid = verdict_of(&lost);
    assert_eq!(outcome(&invalid), (Outcome::Invalid, Code::NotDegraded));
    assert_eq!(
        (invalid.reason.flag(row::NotDegraded::known), invalid.reason.get(row::NotDegraded::when)),
        (true, Some("before"))
    );
    lost.info.down_before = Some(vec!["b2 is down".into()]);
    assert_eq!(verdict_of(&lost).outcome, Outcome::Pass);
}

#[test]
fn what_servers_moved_is_compared_with_all_that_ran_at_once() {
    let part = |id: &str| format!("{{ id = \"{id}\", ior = \"-w -e -F\", role = \"reported\" }}");
    let sum = "{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }";
    let group = format!("[[group]]\nid = \"G\"\nparts = [{}, {}]\ncriterion = {sum}\n", part("a"), part("b"));
    let both = ["G.a", "G.b"].map(|id| job(id, &[]));
    let alone = job("T", &[]);
    let made = plan("", &[("T", "degraded = true")], &group);
    let found = campaign([&both[..], &[alone]].concat());
    let share = |id: &str| {
        let findings = of_state(&made, &found, id);
        of(&findings, Code::Exclusive).and_then(|reason| reason.get(row::Exclusive::share))
    };
    assert_eq!((share("T"), share("G.a"), share("G.b")), (Some(0.5), None, None));
}

#[test]
fn a_layout_that_is_read_back_is_compared_with_the_one_that_was_asked_for() {
    let dataset = "[dataset.d]\nior = \"-w -F -k\"\nstripes = 1\n";
    let made = plan(
        ", fill = [\"10%\", \"20%\"]",
        &[("T", "degraded = true\nstripes = 1"), ("A", "degraded = true\nstripes = \"all\"")],
        &format!(
            "{dataset}[[test]]\nid = \"R\"\nior = \"-r -F -k\"\nuses = \"dataset.d\"\ndegraded = true\n\
             criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }}\n\
             waive = [{{ lint = \"layout-undeclared\", why = \"w\", approved_by = \"buyer\" }}]\n"
        ),
    );
    let spread: [&[u32]; 2] = [&[0], &[0, 1, 2]];
    let mut of_lustre = job("A", &spread);
    of_lustre.info.layout = Some(Layout { stripe_count: 2, ..Default::default() });
    let found = campaign(vec![job("T", &spread), of_lustre, job("R", &[&[1], &[2, 0]])]);
    let layout = ["asked", "found", "targets"];
    for (id, code, names, wanted) in [
        ("T", Code::LayoutUndeclared, layout, [Some(1.0), Some(3.0), Some(3.0)]),
        ("A", Code::LayoutUndeclared, layout, [None, Some(2.0), Some(3.0)]),
        ("R", Code::LayoutUndeclared, layout, [Some(1.0), Some(2.0), Some(3.0)]),
        ("T", Code::FillRecorded, ["fill", "low", "high"], [Some(0.65), Some(0.1), Some(0.2)]),
    ] {
        let findings = of_state(&made, &found, id);
        let finding = findings.iter().find(|finding| finding.code() == code).unwrap();
        assert_eq!((numbers(&finding.reason, names), finding.severity), (wanted, Severity::NeedsWaiver));
        assert_eq!(finding.waived.is_some(), id == "R");
    }
}

#[test]
fn a_target_of_names_that_is_lost_is_missed_and_holds_no_files() {
    let made = plan("", &[("T", "stripes = \"all\"")], "");
    let all = ["s-MDT0000", "s-OST0000"].map(|name| Target { name: name.into(), ..Default::default() });
    let mut lost = job("T", &[]);
    lost.info.layout = Some(Layout { stripe_count: 1, ..Default::default() });
    let mut of_lustre = |after: &[Target]| {
        for (fill, there) in [(&mut lost.info.fill_before, &all[..]), (&mut lost.info.fill_after, after)] {
            fill.as_mut().unwrap().targets = there.to_vec();
        }
        lost.info.down_after = Some(Vec::new());
        let mut campaign = campaign(vec![lost.clone()]);
        campaign.before.as_mut().unwrap().file_systems[0].targets = all.to_vec();
        let of_targets = of_state(&made, &campaign, "T").into_iter();
        of_targets.filter(|finding| finding.code() != Code::Exclusive).collect::<Vec<_>>()
    };
    assert_eq!(of_lustre(&all), [], "one target of data is all there are");
    let gone = of_lustre(&all[1..]);
    assert_eq!(codes(&gone), [Code::Degraded]);
    assert_eq!(texts(&gone[0].reason, "missing"), ["s-MDT0000"]);
}

#[test]
fn a_file_system_on_a_loop_device_or_in_memory_needs_a_waiver_and_an_overlay_is_named() {
    let layer = |kind, fs: &str| BackingLayer {
        kind,
        place: "/srv/image".into(),
        fs: fs.into(),
        ..BackingLayer::default()
    };
    let found = |backing: Vec<BackingLayer>, keys: &str| {
        let text = PLAIN.replace("{dir}\"", &format!("{{dir}}\"{keys}"));
        let plan = Plan::parse(&text, "p.toml").unwrap();
        let facts = FileSystemFacts { name: "s".into(), bytes: 1000, backing, ..Default::default() };
        let machine = Machine { file_systems: vec![facts], ..Machine::default() };
        let campaign = Campaign { before: Some(machine), ..Campaign::default() };
        let mut all = summary(&plan, &campaign).findings.into_iter();
        let one = all.find(|one| one.code() == Code::BackingStore)?;
        assert_eq!(one.about, "fs.s");
        Some((one.severity, one.reason.get(row::BackingStore::how).unwrap().to_owned()))
    };
    let (asks, info) = (Severity::NeedsWaiver, Severity::Info);
    let some = |severity, how: &str| Some((severity, how.to_owned()));
    let named = ", backing = \"loop\"";
    assert_eq!(found(vec![], ""), None);
    assert_eq!(found(vec![layer(LayerKind::Loop, "ext4")], ""), some(asks, "loop"));
    assert_eq!(found(vec![layer(LayerKind::Loop, "ext4")], named), some(info, "loop"));
    assert_eq!(found(vec![layer(LayerKind::Loop, "tmpfs")], named), some(asks, "memory"));
    assert_eq!(found(vec![layer(LayerKind::Overlay, "xfs")], ""), some(info, "overlay"));
    let both = vec![layer(LayerKind::Overlay, "xfs"), layer(LayerKind::Overlay, "tmpfs")];
    assert_eq!(found(both, ""), some(asks, "memory"));
    assert_eq!(found(vec![layer(LayerKind::Memory, "")], ""), some(asks, "memory"));
    // A removed file, or a path that is not here, can be in memory.
    assert_eq!(found(vec![layer(LayerKind::Loop, "")], named), some(asks, "loop"));
    assert_eq!(found(vec![layer(LayerKind::Overlay, "")], ""), some(asks, "overlay"));
    for memory in ["devtmpfs", "hugetlbfs"] {
        assert_eq!(found(vec![layer(LayerKind::Loop, memory)], named), some(asks, "memory"));
    }
}

const PLAIN: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.s = { dir = "{dir}" }
[[test]]
id = "W"
ranks = 1
role = "reported"
ior = "-w -e -t 64k -b 128k"
"#;
