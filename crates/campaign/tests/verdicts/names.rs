//! Tests of names and of states, judged by records by hand.

use plan::Plan;
use results::folder::JobEnd;
use results::record::{Counts, Failed, FailedOperation, Notice, Phase, Record, Run, State};
use results::{Outcome, Verdict};

use super::{WRITE, campaign, job, one, phase, plan, rates};

#[test]
fn operations_on_names_in_memory_are_told_to_be_of_memory() {
    let made = plan(
        "mdtest = \"-F -C -n 5\"\n\
         criterion = { metric = \"file_creation.rate\", op = \">\", value = \"1/s\" }",
    );
    for (kind, told) in [("tmpfs", true), ("lustre", false)] {
        let jobs = (1..=3).map(|repetition| {
            job("T", repetition, Phase { ops: 5, counts: Counts::Operations, ..phase("file_creation", 0) })
        });
        let mut campaign = campaign(jobs.collect());
        campaign.before.as_mut().unwrap().file_systems[0].kind = kind.into();
        let verdict = one(&made, &campaign);
        assert_eq!(verdict.outcome, Outcome::Pass);
        let warning = "file_creation: tmpfs is memory, so no storage took part".to_owned();
        assert_eq!(verdict.warnings.contains(&warning), told, "{kind}: {:?}", verdict.warnings);
    }
}

#[test]
fn names_that_may_have_come_from_memory_invalidate_what_looked_at_them_unless_the_plan_allows_it() {
    let judged = |line: &str, metric: &str, id: &str, more: &str| {
        let op = if metric.ends_with("failures") { "==\", value = \"0 errors" } else { ">\", value = \"1/s" };
        let plan = plan(&format!("{line}\n{more}\ncriterion = {{ metric = \"{metric}\", op = \"{op}\" }}"));
        let name = metric.split('.').next().unwrap_or_default();
        let jobs = (1..=3).map(|repetition| {
            let mut job =
                job("T", repetition, Phase { ops: 50, counts: Counts::Operations, ..phase(name, 0) });
            let text = "the node's memory may have answered".to_owned();
            let notice = Notice { id: id.to_owned(), text, ..Notice::default() };
            job.records.insert(1, Record::Notice(notice));
            job
        });
        one(&plan, &campaign(jobs.collect()))
    };
    let (mdtest, walk) = ("mdtest = \"-F -n 5\"", "ls_lr = \"--make --walk\"");
    for (line, metric, id) in [
        (mdtest, "file_stat.rate", "warm-names"),
        (mdtest, "file_read.iops", "warm-names"),
        (walk, "list.rate", "warm"),
        (walk, "directories.rate", "caches-not-dropped"),
    ] {
        let verdict = judged(line, metric, id, "");
        let reason = "repetition 1: the node's memory may have answered; where that is meant, allow it with \
                      `cache = \"warm\"`";
        assert_eq!((verdict.outcome, verdict.reason.as_str()), (Outcome::Invalid, reason), "{metric}");
        assert_eq!(verdict.warnings, Vec::<String>::new(), "the reason is no warning besides");
        let warm = judged(line, metric, id, "cache = \"warm\"");
        assert_eq!(warm.outcome, Outcome::Pass, "{metric}");
        assert!(warm.warnings.contains(&"the node's memory may have answered".to_owned()), "{warm:?}");
        assert_eq!(judged(line, metric, "small-tree", "").outcome, Outcome::Pass, "another notice");
    }
    for metric in ["file_creation.rate", "file_removal.rate", "file_stat.failures"] {
        assert_eq!(judged(mdtest, metric, "warm-names", "").outcome, Outcome::Pass, "{metric}");
    }
}

#[test]
fn a_rate_of_trees_tells_how_many_of_them_mdtest_would_count() {
    let told = |line: &str, metric: &str, ranks: u32| {
        let plan = plan(&format!(
            "mdtest = \"{line}\"\ncriterion = {{ metric = \"{metric}\", op = \">\", value = \"1/s\" }}"
        ));
        let name = metric.split('.').next().unwrap_or_default();
        let jobs = (1..=3).map(|repetition| {
            let counts = Counts::Operations;
            job("T", repetition, Phase { ops: 50, ranks, counts, ..phase(name, 0) })
        });
        let notes = one(&plan, &campaign(jobs.collect())).notes;
        notes.into_iter().find(|note| note.contains("trees"))
    };
    assert_eq!(
        told("-F -n 5 -u", "tree_creation.rate", 4).as_deref(),
        Some(
            "tree_creation: the trees of all 4 ranks are counted; the row of mdtest's own table counts one \
             of them (-u), and is about 4 times lower"
        )
    );
    assert!(told("-F -n 5 -u", "tree_removal.rate", 2).is_some());
    for (line, metric, ranks) in [
        ("-F -n 5", "tree_creation.rate", 4),
        ("-F -n 5 -u", "tree_creation.rate", 1),
        ("-F -n 5 -u", "file_creation.rate", 4),
    ] {
        assert_eq!(told(line, metric, ranks), None, "{line} {metric} {ranks}");
    }
}

/// The verdict on names that a test T looked at after a test M had made them, each on so many nodes of
/// which the first is named. M made a set for each repetition of T, unless it says how many.
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
    let told = "the names had been made on the same node (n1) in jobs/0001-M-r1, so that its cache may have \
                answered instead of the file system";
    let reason = format!(
        "repetition 1: {told}; look from other nodes (-N 1), drop caches in between by \
         --run-cmd-before-phase, or allow it with `cache = \"warm\"`"
    );
    assert_eq!((verdict.outcome, verdict.reason), (Outcome::Invalid, reason));
    let warm = of_names_made(("n1", 1), ("n1", 1), MADE, &(stats("") + "\ncache = \"warm\""));
    assert_eq!(warm.outcome, Outcome::Pass);
    assert!(warm.warnings.contains(&format!("repetition 1: {told}")), "{warm:?}");
    let walks = of_names_made(("n1", 1), ("n1", 1), "ls_lr = \"--make\"", "ls_lr = \"--walk\"");
    assert!(walks.reason.contains("; drop caches with --cold, "), "{walks:?}");
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
    let twice = "repetition 2: the names had been looked at on the same node (n1) in jobs/0001-T-r1";
    assert!(seen_twice.reason.starts_with(twice), "{seen_twice:?}");
}

#[test]
fn names_from_another_node_are_judged_and_what_cannot_be_known_is_told() {
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
        let told = "repetition 1: whether names were looked at on a node that had made them in \
                    jobs/0001-M-r1 is not known: rank 0 was on n1 then and on n2 now";
        assert_eq!(verdict.warnings.iter().any(|warning| warning == told), warned, "{verdict:?}");
    }
    let commanded = of_names_made(("n1", 1), ("n1", 1), MADE, &stats("--run-cmd-before-phase=/d"));
    assert_eq!(commanded.outcome, Outcome::Pass);
    let told = "; whether the command of a line dropped it is not recorded";
    assert!(commanded.warnings.iter().any(|warning| warning.ends_with(told)), "{commanded:?}");
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
    assert_eq!(
        (verdict.outcome, verdict.reason.as_str()),
        (Outcome::Invalid, "2 operations failed (jobs/0002-T-r2, first stat /s/f: Permission denied)")
    );
    let none = mdtest("failures", "==", "0 errors");
    assert_eq!(one(&none, &stats([0, 0, 0])).outcome, Outcome::Pass);
    let verdict = one(&none, &stats([0, 2, 1]));
    assert_eq!((verdict.outcome, verdict.value), (Outcome::Fail, Some(2.0)));
}

#[test]
fn a_test_is_invalid_where_the_state_it_needs_was_not_reached() {
    let aged = |blocks: f64, turnovers: f64| {
        let state = State {
            kind: "age".into(),
            blocks_target: Some(0.8),
            blocks,
            inodes_target: Some(0.2),
            inodes: 0.195,
            turnovers_target: 1.0,
            turnovers,
            ..State::default()
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
    let told = "state.s: 80.7 % of the blocks and 19.5 % of the inodes in use, 1.00 turnovers";
    assert!(verdict.notes.iter().any(|note| note == told), "{:?}", verdict.notes);
    for (campaign, reason) in [
        (aged(0.74, 1.0), "state.s: 74.0 % of the blocks were in use, and 80.0 % were asked for"),
        (aged(0.8, 0.5), "state.s: 0.50 turnovers of the 1 asked for"),
        (rates("write", [120, 121, 122]), "state.s recorded no state"),
    ] {
        let verdict = one(&plan, &campaign);
        assert_eq!((verdict.outcome, verdict.reason.as_str()), (Outcome::Invalid, reason));
    }
    let stats = "mdtest = \"-F -n 5\"\n\
                 criterion = { metric = \"file_stat.rate\", op = \">\", value = \"1/s\" }";
    let plan = text("preload = 1000", stats);
    let preloaded = |files: Option<u64>| {
        let jobs = (1..=3).map(|repetition| {
            let phase = Phase { ops: 50, counts: Counts::Operations, ..phase("file_stat", 0) };
            let mut job = job("T", repetition, phase);
            let state = |files| State { kind: "preload".into(), files, directories: 2, ..State::default() };
            job.records.extend(files.map(|files| Record::State(Box::new(state(files)))));
            job
        });
        one(&plan, &campaign(jobs.collect()))
    };
    assert_eq!(preloaded(Some(2000)).outcome, Outcome::Pass);
    assert_eq!(
        preloaded(Some(1999)).reason,
        "state.s: repetition 1 counted 1999 files in 2 directories of 1000 each"
    );
    let one_directory = preloaded(Some(1)).reason;
    assert!(one_directory.ends_with("counted 1 file in 2 directories of 1000 each"), "{one_directory}");
    assert_eq!(preloaded(None).reason, "state.s: repetition 1 counted no files");
    let mut killed = job("T", 1, phase("file_stat", 0));
    (killed.info.end, killed.records) = (JobEnd::TimedOut, vec![Record::Run(Run::default())]);
    let reason = "repetition 1 did not end in time and was killed after 60.0 s";
    assert_eq!(one(&plan, &campaign(vec![killed])).reason, reason, "what was first is told");
}
