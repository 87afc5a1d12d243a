//! Tests of names and of states, judged by records by hand.

use plan::Plan;
use results::folder::JobEnd;
use results::reason::{Code, Reason, any, reason, row};
use results::record::{Counts, Failed, FailedOperation, Notice, Phase, ReachedState, Record, Run};
use results::{Outcome, Verdict};

use super::{WRITE, campaign, job, numbers, of, one, outcome, phase, plan, rates};

#[test]
fn operations_on_cached_entries_are_reported_as_cached() {
    let made = plan(
        "mdtest = \"-F -C -n 5\"\n\
         criterion = { metric = \"file_creation.rate\", op = \">\", value = \"1/s\" }",
    );
    for (kind, warns) in [("tmpfs", true), ("lustre", false)] {
        let jobs = (1..=3).map(|repetition| {
            job("T", repetition, Phase { ops: 5, counts: Counts::Operations, ..phase("file_creation", 0) })
        });
        let mut campaign = campaign(jobs.collect());
        campaign.before.as_mut().unwrap().file_systems[0].kind = kind.into();
        let verdict = one(&made, &campaign);
        assert_eq!(verdict.outcome, Outcome::Pass);
        let warned = of(&verdict.warnings, Code::MemoryFileSystem);
        assert_eq!(warned.is_some(), warns, "{kind}: {:?}", verdict.warnings);
    }
}

#[test]
fn files_that_may_be_cached_make_the_clause_invalid_unless_the_plan_allows_it() {
    let verdict_of = |line: &str, metric: &str, reason: &Reason, more: &str| {
        let op = match metric {
            _ if metric.ends_with("failures") => "==\", value = \"0 errors",
            _ if metric.contains("latency") => "<\", value = \"1 h",
            _ => ">\", value = \"1/s",
        };
        let plan = plan(&format!("{line}\n{more}\ncriterion = {{ metric = \"{metric}\", op = \"{op}\" }}"));
        let name = metric.split('.').next().unwrap_or_default();
        let jobs = (1..=3).map(|repetition| {
            let mut job =
                job("T", repetition, Phase { ops: 50, counts: Counts::Operations, ..phase(name, 0) });
            // All workloads record these notices without a phase, because they are about several.
            let notice = Notice { reason: reason.clone(), ..Notice::default() };
            job.records.insert(1, Record::Notice(notice));
            job
        });
        one(&plan, &campaign(jobs.collect()))
    };
    let (mdtest, walk) = ("mdtest = \"-F -n 5\"", "ls_lr = \"--make --walk\"");
    let workbench = "md_workbench = \"-P 5\"";
    let read_only = "md_workbench = \"-P 5 --read-only\"";
    for (line, metric, reason) in [
        (mdtest, "file_stat.rate", reason!(WarmNames)),
        (mdtest, "file_read.iops", reason!(WarmNames)),
        (workbench, "benchmark_stat.rate", reason!(WarmNames)),
        (workbench, "benchmark_read.rate", reason!(WarmNames)),
        (read_only, "benchmark.rate", reason!(WarmNames)),
        (read_only, "benchmark.iops", reason!(WarmNames)),
        (walk, "list.rate", reason!(Warm)),
        (walk, "directories.rate", reason!(CachesNotDropped { why: "EPERM" })),
    ] {
        let verdict = verdict_of(line, metric, &reason, "");
        assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NamesCached), "{metric}");
        assert_eq!(verdict.reason.get(any::cause), Some(&reason));
        assert_eq!(of(&verdict.warnings, reason.code), None, "the reason is not also a warning");
        let warm = verdict_of(line, metric, &reason, "cache = \"warm\"");
        assert_eq!(warm.outcome, Outcome::Pass, "{metric}");
        assert!(of(&warm.warnings, reason.code).is_some(), "{warm:?}");
        assert_eq!(
            verdict_of(line, metric, &reason!(SmallTree { entries: 5_u32, entries_min: 9_u32 }), "").outcome,
            Outcome::Pass,
            "another notice"
        );
    }
    // Half of its operations read metadata, and decide its latencies.
    let latency = verdict_of(workbench, "benchmark.latency.p50", &reason!(WarmNames), "");
    assert_eq!(outcome(&latency), (Outcome::Invalid, Code::NamesCached));
    for metric in ["file_creation.rate", "file_removal.rate", "file_stat.failures"] {
        assert_eq!(verdict_of(mdtest, metric, &reason!(WarmNames), "").outcome, Outcome::Pass, "{metric}");
    }
    for metric in ["benchmark.rate", "benchmark_create.rate", "precreate.rate"] {
        assert_eq!(verdict_of(workbench, metric, &reason!(WarmNames), "").outcome, Outcome::Pass, "{metric}");
    }
}

#[test]
fn repetitions_within_a_job_are_noted_for_the_phases_that_are_repeated() {
    let noted = |metric: &str, records: usize| {
        let plan = plan(&format!(
            "md_workbench = \"-P 5 -R 3\"\n\
             criterion = {{ metric = \"{metric}\", op = \">\", value = \"1/s\" }}"
        ));
        let jobs = (1..=3).map(|repetition| {
            let name = metric.split('.').next().unwrap_or_default();
            let phase = Phase { ops: 50, counts: Counts::Operations, ..phase(name, 0) };
            let mut job = job("T", repetition, phase.clone());
            let more = (1..records).map(|_| Record::Phase(Box::new(phase.clone())));
            job.records.splice(1..1, more);
            job
        });
        let notes = one(&plan, &campaign(jobs.collect())).notes;
        of(&notes, Code::InnerRepetitions).and_then(|reason| reason.get(row::InnerRepetitions::inner))
    };
    assert_eq!(noted("benchmark.rate", 3), Some(3.0));
    for once in ["precreate.rate", "cleanup.rate"] {
        assert_eq!(noted(once, 1), None, "{once}");
    }
}

#[test]
fn a_rate_of_trees_tells_how_many_of_them_mdtest_would_count() {
    let value = |line: &str, metric: &str, ranks: u32| {
        let plan = plan(&format!(
            "mdtest = \"{line}\"\ncriterion = {{ metric = \"{metric}\", op = \">\", value = \"1/s\" }}"
        ));
        let name = metric.split('.').next().unwrap_or_default();
        let jobs = (1..=3).map(|repetition| {
            let counts = Counts::Operations;
            job("T", repetition, Phase { ops: 50, ranks, counts, ..phase(name, 0) })
        });
        let notes = one(&plan, &campaign(jobs.collect())).notes;
        of(&notes, Code::AllTrees).and_then(|reason| reason.get(row::AllTrees::ranks))
    };
    assert_eq!(value("-F -n 5 -u", "tree_creation.rate", 4), Some(4.0));
    assert!(value("-F -n 5 -u", "tree_removal.rate", 2).is_some());
    for (line, metric, ranks) in [
        ("-F -n 5", "tree_creation.rate", 4),
        ("-F -n 5 -u", "tree_creation.rate", 1),
        ("-F -n 5 -u", "file_creation.rate", 4),
    ] {
        assert_eq!(value(line, metric, ranks), None, "{line} {metric} {ranks}");
    }
}

/// The verdict on files of a test M that a test T accessed later. Each test ran on this number of nodes, with
/// the given first node. M created one set for each repetition of T, unless a number is given.
fn of_names_made(by: (&str, u32), looker: (&str, u32), made: &str, looks: &str) -> Verdict {
    let metric = match looks {
        _ if looks.contains("ls_lr") => "list",
        _ if looks.contains("-E") => "file_read",
        _ => "file_stat",
    };
    let sets = if made.contains("repetitions") { "" } else { "repetitions = 3" };
    let head = plan(WRITE).text;
    let head = head.split("[[test]]").next().unwrap_or_default();
    let text = format!(
        "{head}[[test]]\nid = \"M\"\n{made}\n{sets}\nrole = \"reported\"\n\
         [[test]]\nid = \"T\"\nrepetitions = 3\nuses = \"M\"\n{looks}\n\
         criterion = {{ metric = \"{metric}.rate\", op = \">\", value = \"1/s\" }}\n"
    );
    let jobs = [("M", by), ("T", looker)].into_iter().flat_map(|(test, (host, nodes))| {
        (1..=3).map(move |repetition| {
            let phase = Phase { ops: 50, counts: Counts::Operations, ..phase(metric, 0) };
            let mut job = job(test, repetition, phase);
            job.records[0] = Record::Run(Run { host: host.into(), nodes, ranks: 1, ..Run::default() });
            job
        })
    });
    one(&Plan::parse(&text, "p.toml").unwrap(), &campaign(jobs.collect()))
}

const MADE: &str = "mdtest = \"-C -F -n 5\"";

#[test]
fn names_that_an_earlier_job_made_on_the_same_node_are_no_measure_of_the_file_system() {
    let stats = |more: &str| format!("mdtest = \"-T -F -n 5 {more}\"");
    let verdict = of_names_made(("n1", 1), ("n1", 1), MADE, &stats(""));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::NamesOnOwnNode));
    let place = (verdict.reason.get(row::NamesOnOwnNode::host), verdict.reason.get(any::folder));
    assert_eq!(place, (Some("n1"), Some("jobs/0001-M-r1")));
    assert!(
        [row::NamesOnOwnNode::made, row::NamesOnOwnNode::operations]
            .into_iter()
            .all(|field| verdict.reason.flag(field)),
        "{verdict:?}"
    );
    let warm = of_names_made(("n1", 1), ("n1", 1), MADE, &(stats("") + "\ncache = \"warm\""));
    assert_eq!(warm.outcome, Outcome::Pass);
    assert!(of(&warm.warnings, Code::NamesOnOwnNode).is_some(), "{warm:?}");
    let walks = of_names_made(("n1", 1), ("n1", 1), "ls_lr = \"--make\"", "ls_lr = \"--walk\"");
    assert!(
        walks.reason.code == Code::NamesOnOwnNode && walks.reason.flag(row::NamesOnOwnNode::walk),
        "{walks:?}"
    );
    let cold = of_names_made(("n1", 1), ("n1", 1), "ls_lr = \"--make\"", "ls_lr = \"--cold\"");
    assert_eq!(cold.outcome, Outcome::Pass, "the walk says itself where it could not: {cold:?}");
}

#[test]
fn names_are_at_home_wherever_rank_0_is_back_on_its_node_and_looks_at_what_was_there() {
    let stats = |more: &str| format!("mdtest = \"-T -F -n 5 {more}\"");
    let outcome = |by, looker, made: &str, looks: &str| of_names_made(by, looker, made, looks).outcome;
    let (one, two, three) = (("n1", 1), ("n1", 2), ("n1", 3));
    for (by, looker, looks) in [
        (one, one, stats("-N 1")),
        (one, three, stats("-N 1")),
        (three, one, stats("-N 1")),
        (three, three, stats("")),
        (two, two, "mdtest = \"-E -F -n 5 -N 1\"".to_owned()),
    ] {
        assert_eq!(outcome(by, looker, MADE, &looks), Outcome::Invalid, "{by:?} {looker:?} {looks}");
    }
    let shared = MADE.replace("-C", "-C -S");
    assert_eq!(outcome(three, three, &shared, &stats("-S -N 1")), Outcome::Invalid, "all had them all");
    let once = format!("repetitions = 1\n{MADE}");
    let seen_twice = of_names_made(three, three, &once, &stats("-N 1"));
    let reason = &seen_twice.reason;
    assert_eq!((reason.code, reason.get(any::repetition)), (Code::NamesOnOwnNode, Some(2.0)));
    assert_eq!(
        (reason.flag(row::NamesOnOwnNode::seen), reason.get(any::folder)),
        (true, Some("jobs/0001-T-r1"))
    );
}

#[test]
fn files_of_another_node_are_evaluated_and_unknown_origins_are_reported() {
    let stats = |more: &str| format!("mdtest = \"-T -F -n 5 {more}\"");
    for (by, looker, looks, warned) in [
        (("n1", 1), ("n2", 1), stats(""), false),
        (("n1", 3), ("n1", 3), stats("-N 1"), false),
        (("n1", 2), ("n1", 2), stats("-N 1"), false),
        (("n1", 2), ("n2", 2), stats(""), true),
        (("n1", 1), ("n2", 2), stats(""), true),
    ] {
        let verdict = of_names_made(by, looker, MADE, &looks);
        assert_eq!(verdict.outcome, Outcome::Pass, "{by:?} {looker:?} {looks}: {verdict:?}");
        let unknown = of(&verdict.warnings, Code::NamesOriginUnknown);
        let hosts = unknown.map(|reason| {
            (reason.get(row::NamesOriginUnknown::host_before), reason.get(row::NamesOriginUnknown::host))
        });
        assert_eq!(hosts, warned.then_some((Some("n1"), Some("n2"))), "{verdict:?}");
    }
    let commanded = of_names_made(("n1", 1), ("n1", 1), MADE, &stats("--run-cmd-before-phase=/d"));
    assert_eq!(commanded.outcome, Outcome::Pass);
    assert!(of(&commanded.warnings, Code::NamesMaybeDropped).is_some(), "{commanded:?}");
}

#[test]
fn failed_operations_answer_a_criterion_about_them_and_invalidate_every_other() {
    let mdtest = |metric: &str, op: &str, value: &str| {
        plan(&format!(
            "mdtest = \"-F -n 5\"\ncriterion = {{ metric = \"file_stat.{metric}\", op = \"{op}\", \
             value = \"{value}\" }}"
        ))
    };
    let stats = |failures: [u64; 3]| {
        let jobs = (1..).zip(failures).map(|(repetition, operations)| {
            let first = FailedOperation {
                operation: "stat".into(),
                path: "/s/f".into(),
                why: "Permission denied".into(),
                ..Default::default()
            };
            let failed =
                (operations > 0).then(|| Failed { operations, reasons: Vec::new(), first: vec![first] });
            let phase = Phase { ops: 50, counts: Counts::Operations, failed, ..phase("file_stat", 0) };
            let mut job = job("T", repetition, phase);
            job.info.end = JobEnd::Exit(i32::from(operations > 0));
            job
        });
        campaign(jobs.collect())
    };
    let verdict = one(&mdtest("rate", ">=", "40/s"), &stats([0, 0, 0]));
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Pass, Some(50.0)));
    let verdict = one(&mdtest("rate", ">=", "40/s"), &stats([0, 2, 0]));
    assert_eq!(outcome(&verdict), (Outcome::Invalid, Code::OperationsFailed));
    let reason = &verdict.reason;
    assert_eq!(
        (reason.get(row::OperationsFailed::operations), reason.get(any::folder)),
        (Some(2.0), Some("jobs/0002-T-r2"))
    );
    assert_eq!(
        (reason.get(row::OperationsFailed::operation), reason.get(row::OperationsFailed::error)),
        (Some("stat"), Some("Permission denied"))
    );
    let none = mdtest("failures", "==", "0 errors");
    assert_eq!(one(&none, &stats([0, 0, 0])).outcome, Outcome::Pass);
    let verdict = one(&none, &stats([0, 2, 1]));
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Fail, Some(2.0)));
}

#[test]
fn a_test_is_invalid_where_the_state_it_needs_was_not_reached() {
    let aged = |blocks: f64, cycles: f64| {
        let state = ReachedState {
            kind: "age".into(),
            blocks_target: Some(0.8),
            blocks,
            inodes_target: Some(0.2),
            inodes: 0.195,
            cycles_target: 1.0,
            cycles,
            ..ReachedState::default()
        };
        let mut made = job("state.s", 1, phase("fill", 1));
        made.records.insert(1, Record::State(Box::new(state)));
        let mut campaign = rates("write", [120, 121, 122]);
        campaign.jobs.push(made);
        campaign
    };
    let text = |state: &str, line: &str| plan(&format!("{line}\nstates = [\"s\"]\n[state.s]\n{state}"));
    let plan = text("age = \"--blocks 80% --inodes 20%\"", WRITE);
    let verdict = one(&plan, &aged(0.807, 1.0));
    assert_eq!(verdict.outcome, Outcome::Pass);
    let reached = of(&verdict.notes, Code::StateReached).unwrap();
    assert_eq!(numbers(reached, ["blocks", "inodes", "cycles"]), [Some(0.807), Some(0.195), Some(1.0)]);
    for (campaign, code, data) in [
        (aged(0.74, 1.0), Code::StateNotReached, [Some(0.74), None, Some(0.8)]),
        (aged(0.8, 0.5), Code::StateNotReached, [None, Some(0.5), Some(1.0)]),
        (rates("write", [120, 121, 122]), Code::StateNotRecorded, [None; 3]),
    ] {
        let verdict = one(&plan, &campaign);
        assert_eq!(outcome(&verdict), (Outcome::Invalid, code));
        assert_eq!(numbers(&verdict.reason, ["blocks", "cycles", "target"]), data);
        assert_eq!(verdict.reason.get(row::StateNotRecorded::state), Some("state.s"));
    }
    let stats = "mdtest = \"-F -n 5\"\n\
                 criterion = { metric = \"file_stat.rate\", op = \">\", value = \"1/s\" }";
    let plan = text("preload = 1000", stats);
    let preloaded = |files: Option<u64>| {
        let jobs = (1..=3).map(|repetition| {
            let phase = Phase { ops: 50, counts: Counts::Operations, ..phase("file_stat", 0) };
            let mut job = job("T", repetition, phase);
            let state = |files| ReachedState {
                kind: "preload".into(),
                files,
                directories: 2,
                ..ReachedState::default()
            };
            job.records.extend(files.map(|files| Record::State(Box::new(state(files)))));
            job
        });
        one(&plan, &campaign(jobs.collect()))
    };
    assert_eq!(preloaded(Some(2000)).outcome, Outcome::Pass);
    let fewer = preloaded(Some(1999)).reason;
    let counted = ["files", "directories", "planned"].map(|name| crate::data::number(&fewer, name));
    assert_eq!((fewer.code, counted), (Code::PreloadCount, [Some(1999.0), Some(2.0), Some(1000.0)]));
    assert_eq!(preloaded(None).reason.code, Code::PreloadUncounted);
    let mut killed = job("T", 1, phase("file_stat", 0));
    (killed.info.end, killed.records) = (JobEnd::TimedOut, vec![Record::Run(Run::default())]);
    let reason = one(&plan, &campaign(vec![killed])).reason;
    assert_eq!((reason.code, numbers(&reason, ["timeout"])), (Code::JobFailed, [Some(60.0)]));
}
