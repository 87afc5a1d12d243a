//! Findings about nodes, from what the nodes of jobs report. Each defect has its finding, and a correct
//! campaign has none. A finding is about a test, its datasets and states. Its severity depends on whether
//! other tests ran at the same time.

use plan::Plan;
use results::Outcome;
use results::finding::{Finding, Severity};
use results::folder::{Campaign, FileSystemFacts, Job, JobEnd, JobInfo, Machine};
use results::reason::{Code, any, row};
use results::record::{
    Clients, ClockDifference, DifferingNodes, End, KernelCount, MappedObject, Moments, Mounted, NodeIdentity,
    OpenedFiles, Phase, Record, Run, Spans,
};

use super::{numbers, summary, texts, verdicts_of};

/// The directory of a node on a file system, given by its type and device.
fn mounted(words: &str) -> Mounted {
    let (kind, device) = words.split_once(' ').unwrap();
    Mounted { dir: "/s/d".into(), kind: kind.into(), device: device.into() }
}

/// Clients on Lustre: the node of rank 0, and one other node whose wall clock is `ahead_s` seconds ahead.
fn clients(ahead_s: f64) -> Clients {
    let skew_ns = (ahead_s * 1e9) as i64;
    Clients {
        mounted: vec![mounted("lustre m:/l")],
        farthest: Some(ClockDifference { node: "n2".into(), skew_ns, uncertainty_ns: 3_000 }),
        ..Clients::default()
    }
}

/// A second node on another file system.
fn others(words: &str) -> DifferingNodes {
    let mut others = DifferingNodes::default();
    others.add("n2", &mounted(words));
    others
}

/// The findings about nodes.
fn nodes(plan: &Plan, jobs: Vec<Job>) -> Vec<Finding> {
    let meant = |finding: &Finding| matches!(finding.code(), Code::ClockSkew | Code::PathOnWrongFs);
    summary(plan, &campaign(jobs)).findings.into_iter().filter(meant).collect()
}

#[test]
fn each_defect_of_nodes_has_exactly_its_finding() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let found = |test: &str, clients: Clients, ahead_s: i64| {
        let mut all = nodes(&plan, vec![job(test, "write", clients, ahead_s)]);
        assert!(all.len() < 2, "{all:#?}");
        all.pop()
    };
    let (sound, skewed) = (clients(0.4), clients(-1.5));
    let lost = Clients { elsewhere: others("overlay overlay"), ..sound.clone() };
    let served = Clients { other_server: others("lustre n:/l"), ..sound.clone() };
    let other = Clients { mounted: vec![mounted("gpfs g")], ..sound.clone() };
    let (fs, clock) = (Code::PathOnWrongFs, Code::ClockSkew);
    for test in ["W", "G.one"] {
        assert_eq!(found(test, sound.clone(), 0), None);
    }
    for (test, clients, ahead_s, code, severity, flag) in [
        ("G.one", &lost, 0, fs, Severity::Error, Some(row::PathOnWrongFs::elsewhere)),
        ("G.one", &served, 0, fs, Severity::NeedsWaiver, Some(row::PathOnWrongFs::other_server)),
        ("W", &other, 0, fs, Severity::Error, None),
        ("G.one", &skewed, 0, clock, Severity::Error, None),
        ("W", &skewed, 0, clock, Severity::Info, None),
        ("G.one", &sound, 4, clock, Severity::Error, None),
        ("G.one", &sound, -4, clock, Severity::Error, None),
        ("W", &sound, -4, clock, Severity::Info, None),
    ] {
        let finding = found(test, clients.clone(), ahead_s).unwrap();
        assert_eq!((finding.code(), finding.severity, finding.about.as_str()), (code, severity, test));
        assert!(flag.is_none_or(|flag| finding.reason.flag(flag)), "{finding:#?}");
        assert_eq!(finding.reason.get(any::repetition), Some(1.0));
    }
    let elsewhere = found("W", lost, 0).unwrap().reason;
    assert_eq!(
        (numbers(&elsewhere, ["nodes", "of"]), elsewhere.get(row::ClockSkew::host)),
        ([Some(1.0), Some(2.0)], Some("n1"))
    );
    assert_eq!(texts(&elsewhere, "there"), ["n2 (overlay overlay)"]);
    let planned = found("W", other, 0).unwrap().reason;
    assert_eq!(
        (planned.get(row::PathOnWrongFs::planned), planned.get(row::PathOnWrongFs::found)),
        (Some("lustre"), Some("gpfs g"))
    );
    let behind = found("W", skewed, 0).unwrap().reason;
    assert_eq!((behind.get(row::ClockSkew::node), numbers(&behind, ["skew"])), (Some("n2"), [Some(-1.5)]));
    let late = found("W", sound, 4).unwrap().reason;
    assert_eq!(
        (late.get(row::ClockSkew::phases_to), numbers(&late, ["off"])),
        (Some("2023-11-14T22:13:33.000Z"), [Some(3.0)])
    );
}

/// Clients of two nodes with these kernels. `change` changes the second node.
fn of_kernels(ids: [&str; 2], change: impl Fn(&mut NodeIdentity)) -> Clients {
    let node = |(number, id): (usize, &str)| NodeIdentity {
        name: format!("n{}", number + 1),
        boot_id: id.into(),
        ..NodeIdentity::default()
    };
    let mut nodes: Vec<NodeIdentity> = ids.into_iter().enumerate().map(node).collect();
    change(&mut nodes[1]);
    Clients { nodes, ..clients(0.0) }
}

#[test]
fn nodes_with_one_kernel_are_one_node_unless_the_plan_simulates_nodes() {
    let real = Plan::parse(PLAN, "p.toml").unwrap();
    let simulated = PLAN.replace("[dataset.d]", "clients.simulated = true\n[dataset.d]");
    let simulated = Plan::parse(&simulated, "p.toml").unwrap();
    let found = |plan: &Plan, ids| {
        let clients = of_kernels(ids, |_| ());
        let all = summary(plan, &campaign(vec![job("W", "write", clients, 0)])).findings;
        let mut own = all.into_iter().filter(|one| one.reason.get(row::SharedKernel::kernels).is_some());
        own.next().map(|one| (one.code(), one.severity, one.reason.get(row::SharedKernel::kernels)))
    };
    for plan in [&real, &simulated] {
        assert_eq!(found(plan, ["a", "b"]), None);
    }
    for ids in [["a", "a"], ["a", ""]] {
        assert_eq!(found(&real, ids), Some((Code::SharedKernel, Severity::Error, Some(1.0))));
        assert_eq!(found(&simulated, ids), Some((Code::SimulatedNodes, Severity::Info, Some(1.0))));
    }
    assert_eq!(found(&real, ["", ""]), Some((Code::SharedKernel, Severity::Error, Some(0.0))));
}

#[test]
fn another_program_a_tracer_a_filter_and_a_preloaded_library_need_waivers() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let object = |path: &str| MappedObject { path: path.into(), sha256: "5e".into() };
    let found = |change: &dyn Fn(&mut NodeIdentity)| {
        let clients = of_kernels(["a", "b"], change);
        let all = summary(&plan, &campaign(vec![job("W", "write", clients, 0)])).findings;
        let mut all = all.into_iter().filter(|one| one.reason.get(row::RecordedFailure::node) == Some("n2"));
        let finding = all.next().unwrap();
        assert!(all.next().is_none());
        assert_eq!((finding.severity, finding.about.as_str()), (Severity::NeedsWaiver, "W"));
        assert_eq!(numbers(&finding.reason, ["nodes", "of"]), [Some(1.0), Some(2.0)]);
        finding.reason
    };
    let traced = found(&|node| (node.tracer_pid, node.tracer) = (7, "strace".into()));
    assert_eq!((traced.code, traced.get(row::TracedProcess::tracer)), (Code::TracedProcess, Some("strace")));
    assert_eq!(found(&|node| node.seccomp = 2).code, Code::SystemCallFilter);
    let mapped = found(&|node| node.objects = vec![object("/x.so"), object("/y.so")]);
    assert_eq!(
        (mapped.code, mapped.get(row::MappedObject::path), mapped.get(row::MappedObject::sha256)),
        (Code::MappedObject, Some("/x.so"), Some("5e"))
    );
    assert_eq!(texts(&mapped, "others"), ["/y.so"]);
    let program = found(&|node| node.programs = vec![String::new(), "ab".into()]);
    assert_eq!((program.code, program.get(row::OtherProgram::sha256)), (Code::OtherProgram, Some("ab")));
}

#[test]
fn a_tracer_or_a_filter_that_came_after_the_start_is_found_at_the_phases() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let found = |kernel: KernelCount, at_start: &dyn Fn(&mut NodeIdentity)| {
        let mut job = job("W", "write", of_kernels(["a", "b"], at_start), 0);
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        phase.kernel = Some(kernel);
        let all = summary(&plan, &campaign(vec![job])).findings.into_iter();
        let own = all.filter(|one| matches!(one.code(), Code::TracedProcess | Code::SystemCallFilter));
        own.map(|one| (one.code(), one.severity, one.reason.get(any::phase).map(str::to_owned)))
            .collect::<Vec<_>>()
    };
    let needs = |code| (code, Severity::NeedsWaiver, Some("write".to_owned()));
    let (traced, filtered) = (
        KernelCount { traced: 1, ..KernelCount::default() },
        KernelCount { seccomp: 2, ..KernelCount::default() },
    );
    assert_eq!(found(KernelCount::default(), &|_| ()), []);
    assert_eq!(found(traced.clone(), &|_| ()), [needs(Code::TracedProcess)]);
    assert_eq!(found(filtered, &|_| ()), [needs(Code::SystemCallFilter)]);
    let once = found(traced, &|node| node.tracer_pid = 7);
    assert_eq!(once, [(Code::TracedProcess, Severity::NeedsWaiver, None)], "it is named once");
}

#[test]
fn a_process_without_a_count_is_found_on_a_device_and_a_place_that_is_not_stated_as_unknown() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let found = |kind: &str, uncounted: u32, mounted: Vec<Mounted>, backend: &str| {
        let clients = Clients { mounted, ..of_kernels(["a", "b"], |_: &mut NodeIdentity| ()) };
        let mut job = job("W", "write", clients, 0);
        let Record::Phase(phase) = &mut job.records[1] else { panic!() };
        phase.backend = backend.into();
        phase.kernel = Some(KernelCount { uncounted, ..KernelCount::default() });
        phase.opened = Some(OpenedFiles { kind: kind.into(), ..OpenedFiles::default() });
        let all = summary(&plan, &campaign(vec![job])).findings.into_iter();
        let own = all.filter(|one| matches!(one.code(), Code::PathOnWrongFs | Code::UncountedProcess));
        own.map(|one| (one.code(), one.severity)).collect::<Vec<_>>()
    };
    let there = || vec![mounted("lustre m:/l")];
    let needs = |code| [(code, Severity::NeedsWaiver)];
    assert_eq!(found("ext4", 2, there(), "posix"), needs(Code::UncountedProcess));
    for (kind, uncounted) in [("ext4", 0), ("lustre", 2)] {
        assert_eq!(found(kind, uncounted, there(), "posix"), [], "{kind} {uncounted}");
    }
    assert_eq!(found("", 0, Vec::new(), "posix"), needs(Code::PathOnWrongFs));
    for (kind, backend) in [("", "dummy"), ("", "cephfs"), ("lustre", "posix")] {
        assert_eq!(found(kind, 0, Vec::new(), backend), [], "{kind} {backend}");
    }
}

#[test]
fn a_clock_difference_within_its_uncertainty_or_of_unknown_nodes_is_no_finding() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let mut uncertain = job("G.one", "write", clients(0.0), 4);
    let Record::Phase(phase) = &mut uncertain.records[1] else { panic!() };
    phase.moments.as_mut().unwrap().uncertainty_ns = 2_500_000_000;
    assert_eq!(nodes(&plan, vec![uncertain]), []);
    let mut silent = job("G.one", "write", clients(9.0), 0);
    let Record::Run(run) = &mut silent.records[0] else { panic!() };
    run.clients = None;
    assert_eq!(nodes(&plan, vec![silent]), []);
}

const PLAN: &str = r#"
schema = 1
plan = { id = "p", title = "t" }
fs.s = { dir = "{dir}/s", kind = "lustre" }
defaults = { ranks = 2, timeout = "90 s" }
[dataset.d]
fs = "s"
ior = "-w -F -t 64k -b 128k -k"
[[test]]
id = "W"
fs = "s"
ior = "-w -e -F -t 64k -b 128k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[test]]
id = "R"
fs = "s"
cache = "warm"
uses = "dataset.d"
ior = "-r -F -k -C -t 64k -b 128k"
criterion = { metric = "read.bw", op = ">=", value = "1 B/s" }
[[group]]
id = "G"
overlap = "50 %"
[[group.parts]]
id = "one"
fs = "s"
ior = "-w -e -F -t 64k -b 128k"
criterion = { metric = "write.bw", op = ">=", value = "1 B/s" }
[[group.parts]]
id = "two"
fs = "s"
ior = "-w -e -F -t 64k -b 128k"
role = "reported"
"#;

/// A job of ten seconds on these nodes. Its phase lasts from the first to the ninth second, by a wall clock
/// that is `ahead_s` seconds ahead.
fn job(test: &str, phase: &str, clients: Clients, ahead_s: i64) -> Job {
    let run =
        Run { host: "n1".into(), ranks: 2, nodes: 2, clients: Some(Box::new(clients)), ..Run::default() };
    let at = |seconds: u64| (1_700_000_000 + seconds).saturating_add_signed(ahead_s) * 1_000_000_000;
    let moments = Moments {
        first_start_unix_ns: at(1),
        last_end_unix_ns: at(9),
        timeline_unix_ns: at(1),
        uncertainty_ns: 5_000,
    };
    let phase = Phase {
        phase: phase.into(),
        ranks: 2,
        bytes: 262_144,
        expected_bytes: 262_144,
        spans: Spans { transfer_s: 8.0, total_s: 8.0, ..Spans::default() },
        persisted: true,
        moments: Some(moments),
        ..Phase::default()
    };
    let info = JobInfo {
        test: test.into(),
        repetition: 1,
        started: "2023-11-14T22:13:20.000+00:00".into(),
        seconds: 10.0,
        end: JobEnd::Exit(0),
        ..JobInfo::default()
    };
    let records = vec![Record::Run(run), Record::Phase(Box::new(phase)), Record::End(End::default())];
    Job { info, records, ..Job::default() }
}

/// A campaign of these jobs.
fn campaign(jobs: Vec<Job>) -> Campaign {
    let fs = FileSystemFacts {
        name: "s".into(),
        bytes: 1 << 40,
        bytes_free: 1 << 40,
        ..FileSystemFacts::default()
    };
    let before = Machine { file_systems: vec![fs], ..Machine::default() };
    Campaign { jobs, before: Some(before), ..Campaign::default() }
}

/// The findings about nodes: test, code and severity.
fn of_nodes(jobs: Vec<Job>) -> Vec<(String, Code, Severity)> {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let own = nodes(&plan, jobs).into_iter();
    own.map(|finding| (finding.about.clone(), finding.code(), finding.severity)).collect()
}

#[test]
fn clock_skew_is_an_error_only_for_tests_that_run_at_the_same_time() {
    let sound = || clients(0.0);
    let right = ["W", "dataset.d", "R", "G.one", "G.two"].map(|id| job(id, "write", sound(), 0));
    assert_eq!(of_nodes(right.into()), []);
    let lost = Clients { elsewhere: others("tmpfs none"), ..sound() };
    let found = of_nodes(vec![job("dataset.d", "write", lost, 0), job("W", "write", clients(7.0), 0)]);
    assert_eq!(
        found,
        [
            ("W".to_owned(), Code::ClockSkew, Severity::Info),
            ("dataset.d".to_owned(), Code::PathOnWrongFs, Severity::Error)
        ]
    );
    let found = of_nodes(vec![job("G.one", "write", clients(7.0), 0), job("G.two", "write", sound(), 20)]);
    assert_eq!(
        found,
        [
            ("G.one".to_owned(), Code::ClockSkew, Severity::Error),
            ("G.two".to_owned(), Code::ClockSkew, Severity::Error)
        ]
    );
}

#[test]
fn every_directory_of_a_command_line_is_compared_with_the_type_in_the_plan() {
    let found = |words: &[&str]| {
        let mounted = words.iter().map(|words| mounted(words)).collect();
        of_nodes(vec![job("W", "write", Clients { mounted, ..clients(0.0) }, 0)]).len()
    };
    assert_eq!(found(&["lustre m:/l", "lustre m:/other"]), 0);
    assert_eq!(found(&["lustre m:/l", "nfs4 a:/o"]), 1);
}

#[test]
fn verdicts_on_another_file_system_or_on_skewed_clocks_of_a_group_are_invalid() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let lost = Clients { elsewhere: others("tmpfs none"), ..clients(0.0) };
    let jobs = vec![
        job("W", "write", clients(7.0), 0),
        job("dataset.d", "write", lost, 0),
        job("R", "read", clients(0.0), 0),
        job("G.one", "write", clients(0.0), 0),
        job("G.two", "write", clients(0.0), 0),
    ];
    let verdicts = |jobs: &[Job]| {
        let all = verdicts_of(&plan, &campaign(jobs.to_vec()));
        all.into_iter().map(|verdict| (verdict.test, verdict.outcome, verdict.reason)).collect::<Vec<_>>()
    };
    let found = verdicts(&jobs);
    let outcomes: Vec<_> = found.iter().map(|(test, outcome, _)| (test.as_str(), *outcome)).collect();
    assert_eq!(outcomes[1], ("R", Outcome::Invalid), "{found:#?}");
    assert_eq!(found[1].2.code, Code::PathOnWrongFs);
    assert_eq!(texts(&found[1].2, "there"), ["n2 (tmpfs none)"]);
    assert!(found.iter().all(|(test, outcome, _)| test == "R" || *outcome != Outcome::Invalid), "{found:#?}");
    let mut late = jobs;
    late[3] = job("G.one", "write", clients(0.0), 20);
    late[4] = job("G.two", "write", clients(0.0), 20);
    let found = verdicts(&late);
    let (_, outcome, reason) = found.iter().find(|(test, ..)| test == "G.one").unwrap();
    assert_eq!(*outcome, Outcome::Invalid, "{found:#?}");
    assert_eq!(
        (reason.code, reason.get(row::ClockSkew::phases_from)),
        (Code::ClockSkew, Some("2023-11-14T22:13:41.000Z"))
    );
}

#[test]
fn other_nodes_than_those_of_the_first_repetition_are_named_and_need_a_waiver_after_a_resumption() {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let found = |second: &[&str], resumed: u32| {
        let clients_named = |names: &[&str]| {
            let node = |name: &&str| NodeIdentity { name: (*name).to_owned(), ..Default::default() };
            Clients { nodes: names.iter().map(node).collect(), ..clients(0.0) }
        };
        let mut jobs = [&["n1", "n2"][..], second].map(|names| job("W", "write", clients_named(names), 0));
        jobs[1].info.repetition = 2;
        let mut campaign = campaign(jobs.to_vec());
        campaign.course.resumed = resumed;
        let mut all = summary(&plan, &campaign).findings.into_iter();
        let one = all.find(|one| one.code() == Code::OtherNodes)?;
        let [repetition, first, new] = numbers(&one.reason, ["repetition", "first", "new"]);
        assert_eq!((one.about.as_str(), repetition, first), ("W", Some(2.0), Some(1.0)));
        Some((one.severity, one.reason.get(row::OtherNodes::node).unwrap().to_owned(), new.unwrap()))
    };
    assert_eq!(found(&["n2", "n1"], 1), None);
    assert_eq!(found(&["n1"], 1), None, "fewer nodes are no others");
    assert_eq!(found(&["n1", "n4", "n3"], 0), Some((Severity::Info, "n3".to_owned(), 2.0)));
    assert_eq!(found(&["n3", "n4"], 1), Some((Severity::NeedsWaiver, "n3".to_owned(), 2.0)));
}
