//! What the nodes of jobs said: each lint fires on its defect, and not on what is right; in a campaign it is
//! a matter of the test, its datasets and states, and of whether others ran at the same time.

use campaign::judge;
use campaign::lint;
use campaign::lint::Finding;
use campaign::lint::Level;
use campaign::lint::runs;
use campaign::lint::runs::RunFacts;
use campaign::lint::runs::RunsSubject;
use campaign::lint::table::Check;
use plan::Plan;
use results::Outcome;
use results::folder::{Campaign, FileSystem, Job, JobEnd, JobInfo, Machine};
use results::record::{Apart, Clients, End, Moments, Mounted, Others, Phase, Record, Run, Spans};

use crate::with_check;

/// The directory of a node on the file system of these two words.
fn mounted(words: &str) -> Mounted {
    let (kind, device) = words.split_once(' ').unwrap();
    Mounted { dir: "/s/d".into(), kind: kind.into(), device: device.into() }
}

/// Rank 0's node on Lustre, and one other node whose calendar is so many seconds ahead.
fn clients(ahead_s: f64) -> Clients {
    let skew_ns = (ahead_s * 1e9) as i64;
    Clients {
        mounted: vec![mounted("lustre m:/l")],
        farthest: Some(Apart { node: "n2".into(), skew_ns, uncertainty_ns: 3_000 }),
        ..Clients::default()
    }
}

/// The second node elsewhere.
fn others(words: &str) -> Others {
    let mut others = Others::default();
    others.add("n2", &mounted(words));
    others
}

fn told(findings: &[Finding]) -> Vec<(&'static str, Level)> {
    findings.iter().map(|finding| (finding.lint, finding.level)).collect()
}

/// The second repetition of a job of eleven seconds on two nodes that are to have Lustre.
fn run(clients: &Clients) -> RunFacts<'_> {
    RunFacts {
        which: "repetition 2".into(),
        folder: "jobs/0002-T-r2",
        host: "n1",
        nodes: 2,
        clients: Some(clients),
        meant: Some(("scratch".into(), "lustre".into())),
        phases: Some((1000.5, 1010.0)),
        uncertainty_s: 1e-5,
        job: Some((1000.0, 1011.0)),
    }
}

#[test]
fn every_lint_about_nodes_fires_on_its_defect_and_on_nothing_else() {
    let (sound, apart) = (clients(0.4), clients(-1.5));
    let lost = Clients { elsewhere: others("overlay overlay"), ..sound.clone() };
    let served = Clients { other_server: others("lustre n:/l"), ..sound.clone() };
    let subject = |run, at_once| RunsSubject { id: "T".into(), at_once, runs: vec![run] };
    for at_once in [false, true] {
        assert_eq!(told(&runs::findings(&subject(run(&sound), at_once))), []);
        let unknown = RunFacts { clients: None, phases: None, ..run(&sound) };
        assert_eq!(told(&runs::findings(&subject(unknown, at_once))), [], "who said nothing is not blamed");
    }
    let meant = |kind: &str| Some(("scratch".to_owned(), kind.to_owned()));
    let late = RunFacts { phases: Some((1003.0, 1012.5)), ..run(&sound) };
    let early = RunFacts { phases: Some((998.0, 1001.0)), ..run(&sound) };
    let (fs, clock) = ("path-on-wrong-fs", "clock-skew");
    let wrong = [
        (
            run(&lost),
            true,
            fs,
            Level::Error,
            "on 1 of 2 nodes the files lie on another file system than on n1",
        ),
        (
            run(&served),
            true,
            fs,
            Level::Waiver,
            "from another server than n1 (lustre m:/l): n2 (lustre n:/l)",
        ),
        (
            RunFacts { meant: meant("gpfs"), ..run(&sound) },
            false,
            fs,
            Level::Error,
            "fs.scratch is of type gpfs",
        ),
        (run(&apart), true, clock, Level::Error, "the calendar of n2 is 1.50 s behind that of n1"),
        (run(&apart), false, clock, Level::Info, "the calendar of n2 is 1.50 s behind that of n1"),
        (late, true, clock, Level::Error, "to 1970-01-01T00:16:52.500Z by the calendar of n1"),
        (early.clone(), true, clock, Level::Error, "the job from 1970-01-01T00:16:40.000Z"),
        (early, false, clock, Level::Info, "one of both is 2.00 s off or more"),
    ];
    for (run, at_once, lint, level, words) in &wrong {
        let found = runs::findings(&subject(run.clone(), *at_once));
        assert_eq!(told(&found), [(*lint, *level)], "{words}");
        assert!(found[0].what.starts_with("repetition 2: ") && found[0].what.contains(words), "{found:#?}");
        assert_eq!(found[0].about, "T");
    }
    for id in with_check(|check| matches!(check, Check::Run(_))) {
        assert!(wrong.iter().any(|(_, _, lint, ..)| *lint == id), "{id} has no case here");
    }
    let unsure = RunFacts { phases: Some((998.0, 1001.0)), uncertainty_s: 1.5, ..run(&sound) };
    assert_eq!(told(&runs::findings(&subject(unsure, true))), [], "what is uncertain by more is no finding");
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

/// A job of ten seconds on these nodes, whose one phase is from its first to its ninth second by a calendar
/// that is so many seconds ahead.
fn job(test: &str, phase: &str, clients: Clients, ahead_s: u64) -> Job {
    let run =
        Run { host: "n1".into(), ranks: 2, nodes: 2, clients: Some(Box::new(clients)), ..Run::default() };
    let at = |seconds: u64| (1_700_000_000 + seconds + ahead_s) * 1_000_000_000;
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

/// The campaign of these jobs.
fn campaign(jobs: Vec<Job>) -> Campaign {
    let fs = FileSystem { name: "s".into(), bytes: 1 << 40, bytes_free: 1 << 40, ..FileSystem::default() };
    let before = Machine { file_systems: vec![fs], ..Machine::default() };
    Campaign { jobs, before: Some(before), ..Campaign::default() }
}

/// What the lints about nodes say: test, lint and level.
fn of_nodes(jobs: Vec<Job>) -> Vec<(String, &'static str, Level)> {
    let plan = Plan::parse(PLAN, "p.toml").unwrap();
    let found = lint::measured(&plan, &campaign(jobs));
    let ids = with_check(|check| matches!(check, Check::Run(_)));
    let own = found.into_iter().filter(|finding| ids.contains(&finding.lint));
    own.map(|finding| (finding.about, finding.lint, finding.level)).collect()
}

#[test]
fn a_campaign_tells_of_nodes_by_test_and_of_calendars_gravely_where_tests_run_at_once() {
    let sound = || clients(0.0);
    let right = ["W", "dataset.d", "R", "G.one", "G.two"].map(|id| job(id, "write", sound(), 0));
    assert_eq!(of_nodes(right.into()), []);
    let lost = Clients { elsewhere: others("tmpfs none"), ..sound() };
    let found = of_nodes(vec![job("dataset.d", "write", lost, 0), job("W", "write", clients(7.0), 0)]);
    assert_eq!(
        found,
        [
            ("W".to_owned(), "clock-skew", Level::Info),
            ("dataset.d".to_owned(), "path-on-wrong-fs", Level::Error)
        ]
    );
    let found = of_nodes(vec![job("G.one", "write", clients(7.0), 0), job("G.two", "write", sound(), 20)]);
    assert_eq!(
        found,
        [("G.one".to_owned(), "clock-skew", Level::Error), ("G.two".to_owned(), "clock-skew", Level::Error)]
    );
}

#[test]
fn every_directory_of_a_line_is_held_against_the_type_that_the_plan_says() {
    let found = |words: &[&str]| {
        let mounted = words.iter().map(|words| mounted(words)).collect();
        of_nodes(vec![job("W", "write", Clients { mounted, ..clients(0.0) }, 0)]).len()
    };
    assert_eq!(found(&["lustre m:/l", "lustre m:/other"]), 0);
    assert_eq!(found(&["lustre m:/l", "nfs4 a:/o"]), 1);
}

#[test]
fn verdicts_on_what_nodes_did_together_elsewhere_or_at_another_time_are_invalid() {
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
        let all = judge::judge(&plan, &campaign(jobs.to_vec()));
        all.into_iter().map(|verdict| (verdict.test, verdict.outcome, verdict.reason)).collect::<Vec<_>>()
    };
    let found = verdicts(&jobs);
    let outcomes: Vec<_> = found.iter().map(|(test, outcome, _)| (test.as_str(), *outcome)).collect();
    assert_eq!(outcomes[1], ("R", Outcome::Invalid), "{found:#?}");
    assert!(found[1].2.contains("n2 (tmpfs none) (path-on-wrong-fs)"), "{found:#?}");
    assert!(found.iter().all(|(test, outcome, _)| test == "R" || *outcome != Outcome::Invalid), "{found:#?}");
    let mut late = jobs;
    late[3] = job("G.one", "write", clients(0.0), 20);
    late[4] = job("G.two", "write", clients(0.0), 20);
    let found = verdicts(&late);
    let (_, outcome, reason) = found.iter().find(|(test, ..)| test == "G.one").unwrap();
    assert_eq!(*outcome, Outcome::Invalid, "{found:#?}");
    assert!(reason.contains("from 2023-11-14T22:13:41.000Z") && reason.contains("(clock-skew)"), "{reason}");
}
