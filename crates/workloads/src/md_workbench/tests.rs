//! Runs on local ranks: the tree, the counts, errors, and what stays.

use std::path::Path;

use command::Settings;
use command::md_workbench::Request;
use judge::crosscheck::{self, Contradiction};
use measure::CycleClock;
use ranks::{Comm, Halt, local};
use results::Record;
use results::folder::{Campaign, Job};
use results::reason;
use results::record::{Check, Phase};

use super::ObjectCall::{Create, Delete, MakeSet, Read, RemoveSet, Stat};
use super::objects::ObjectSteps;
use super::{WorkbenchEvent, WorkbenchPhase, WorkbenchStep, WorkbenchSummary, run};
use crate::kit::observer::EventObserver;
use crate::kit::operations::Operation;
use crate::kit::payload::Packet;

/// Stores the phases, and every other event as text.
#[derive(Default)]
struct EventLog {
    phases: Vec<WorkbenchPhase>,
    others: Vec<String>,
}

impl EventObserver<WorkbenchEvent<'_>> for EventLog {
    fn event(&mut self, event: &WorkbenchEvent<'_>) {
        match event {
            WorkbenchEvent::Ended(phase) => self.phases.push((*phase).clone()),
            other => self.others.push(format!("{other:?}")),
        }
    }
}

struct RankRun {
    done: Result<WorkbenchSummary, Halt>,
    log: EventLog,
    records: Vec<Record>,
}

/// Runs in `dir` on `ranks` local ranks.
fn play(dir: &Path, ranks: u32, parameters: &Request) -> Vec<RankRun> {
    let at = |name: &str| dir.join(name).display().to_string();
    let parameters = Request {
        dir: at(&parameters.dir),
        run_info: at("info"),
        latency: parameters.latency.as_deref().map(at),
        ..parameters.clone()
    };
    parameters.check().expect("sound parameters");
    let storage = (storage::driver(&parameters.backend).unwrap().open)(&Settings::default()).unwrap();
    let clock = CycleClock::new();
    let body = |comm: &dyn Comm| {
        let (mut clock, mut records, mut log) = (clock.clone(), Vec::new(), EventLog::default());
        let done = run(&parameters, &*storage, comm, &mut clock, &mut records, &mut log, 7);
        RankRun { done, log, records }
    };
    local::run(ranks, body).into_iter().map(|rank| rank.expect("no rank panics")).collect()
}

/// A small run in `out`.
fn small() -> Request {
    Request {
        dir: "out".into(),
        per_set: 5,
        objects: 3,
        sets: 2,
        iterations: 2,
        object_bytes: 100,
        ..Request::default()
    }
}

fn only(parameters: Request, [precreate, benchmark, cleanup]: [bool; 3]) -> Request {
    Request { precreate, benchmark, cleanup, ..parameters }
}

fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for set in std::fs::read_dir(dir.join("out")).into_iter().flatten().flatten() {
        for file in std::fs::read_dir(set.path()).unwrap().flatten() {
            found.push(format!("{}/{}", set.file_name().display(), file.file_name().display()));
        }
    }
    found.sort();
    found
}

/// The records of phases.
fn recorded(left: &[RankRun]) -> Vec<&Phase> {
    let phases = left[0].records.iter().filter_map(|record| match record {
        Record::Phase(phase) => Some(&**phase),
        _ => None,
    });
    phases.collect()
}

/// The phases with failed operations, and how many.
fn failures(left: &[RankRun]) -> Vec<(&str, u64)> {
    let failed = |phase: &&Phase| phase.failed.as_ref().map(|failed| failed.operations);
    recorded(left).iter().filter_map(|phase| Some((phase.phase.as_str(), failed(phase)?))).collect()
}

/// The contradictions between the records.
fn contradictions(left: &[RankRun]) -> Vec<Contradiction> {
    let job = Job { records: left[0].records.clone(), ..Job::default() };
    crosscheck::of_campaign(&Campaign { jobs: vec![job], ..Campaign::default() })
}

/// The notices in the records: their names and phases.
fn noticed(left: &[RankRun]) -> Vec<(&str, &str)> {
    let notices = left[0].records.iter().filter_map(|record| match record {
        Record::Notice(notice) => Some((notice.reason.code.id(), notice.phase.as_str())),
        _ => None,
    });
    notices.collect()
}

fn errors(left: &[RankRun]) -> u64 {
    let errors = left[0].done.as_ref().expect("it ends").errors;
    assert!(left.iter().all(|rank| rank.done.as_ref().map(|done| done.errors) == Ok(errors)));
    errors
}

#[test]
fn a_whole_run_counts_each_operation_verifies_all_data_and_leaves_nothing() {
    for packet in [Packet::Timestamp, Packet::Offset, Packet::Incompressible, Packet::Random] {
        for (ranks, offset) in [(1, 1), (2, 1), (3, 1), (3, 2), (5, 7), (2, 0)] {
            let dir = tempfile::tempdir().unwrap();
            let left = play(dir.path(), ranks, &Request { verify: true, packet, offset, ..small() });
            assert_eq!(errors(&left), 0, "{packet:?} {ranks} {offset}: {:?}", left[0].log.others);
            assert!(!dir.path().join("out").exists());
            let [precreate, first, second, cleanup] = &left[0].log.phases[..] else { panic!("4 phases") };
            let all = u64::from(ranks);
            let done = |phase: &WorkbenchPhase| {
                [MakeSet, RemoveSet, Create, Read, Stat, Delete].map(|call| phase.all.count(call).done)
            };
            assert_eq!(done(precreate), [2, 0, 10, 0, 0, 0].map(|count| count * all));
            for phase in [first, second] {
                assert_eq!(done(phase), [0, 0, 6, 6, 6, 6].map(|count| count * all));
            }
            assert_eq!(done(cleanup), [0, 2, 0, 0, 0, 10].map(|count| count * all));
            assert_eq!(first.ranks.len(), ranks as usize);
        }
    }
}

#[test]
fn the_benchmark_reads_what_an_earlier_run_left_and_moves_the_working_set() {
    let dir = tempfile::tempdir().unwrap();
    let parts = Request { signature: Some(9), verify: true, packet: Packet::Random, ..small() };
    play(dir.path(), 2, &only(parts.clone(), [true, false, false]));
    let expected = |first: u64| -> Vec<String> {
        let sets = ["0_0", "0_1", "1_0", "1_1"];
        let mut all: Vec<String> =
            sets.iter().flat_map(|set| (first..first + 5).map(move |i| format!("{set}/file-{i}"))).collect();
        all.sort();
        all
    };
    assert_eq!(files(dir.path()), expected(0));
    assert_eq!(std::fs::read_to_string(dir.path().join("info")).unwrap(), "pos: 0\n");
    let read_only = Request { read_only: true, ..only(parts.clone(), [false, true, false]) };
    let left = play(dir.path(), 2, &read_only);
    assert_eq!((errors(&left), left[0].log.phases[0].all.count(Create).done), (0, 0));
    assert_eq!(files(dir.path()), expected(0), "reading changes nothing");
    assert_eq!(errors(&play(dir.path(), 2, &only(parts.clone(), [false, true, false]))), 0);
    assert_eq!(files(dir.path()), expected(6), "two iterations of three objects");
    assert_eq!(std::fs::read_to_string(dir.path().join("info")).unwrap(), "pos: 6\n");
    assert_eq!(errors(&play(dir.path(), 2, &only(parts, [false, false, true]))), 0);
    assert!(!dir.path().join("out").exists());
}

#[test]
fn wrong_data_is_counted_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let parts = Request { signature: Some(9), verify: true, ..small() };
    play(dir.path(), 2, &only(parts.clone(), [true, false, false]));
    let file = dir.path().join("out/1_0/file-1");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[99] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let left = play(dir.path(), 2, &only(parts, [false, true, false]));
    assert_eq!(errors(&left), 1);
    assert_eq!(left[0].log.phases[0].all.count(Read).errors, 1);
    let named = left[0].log.others.join("\n");
    assert!(named.contains(&format!("\"rank 0: {}", file.display())), "{named}");
    assert!(noticed(&left).contains(&("wrong-objects", "")), "{:?}", noticed(&left));
    let checks: Vec<&Check> = recorded(&left).iter().filter_map(|phase| phase.check.as_ref()).collect();
    let compared: Vec<_> = checks.iter().map(|check| (check.bytes, check.bad_transfers)).collect();
    assert_eq!(compared, [(1200, 1), (1200, 0)], "of the reads of both iterations only");
    assert_eq!(recorded(&left)[1..3].iter().filter(|phase| phase.check.is_some()).count(), 1);
    let bad = &checks[0].bad[0];
    assert_eq!(
        (bad.path.as_str(), bad.rank, bad.offset, bad.length),
        (&*file.display().to_string(), 0, 96, 4)
    );
    assert_eq!(contradictions(&left), []);
}

#[test]
fn a_notice_about_warm_objects_is_about_all_phases() {
    let dir = tempfile::tempdir().unwrap();
    let left = play(dir.path(), 2, &small());
    assert_eq!(noticed(&left), [("warm-names", "")], "criteria on single kinds of operations show it, too");
}

#[test]
fn an_object_that_this_run_should_have_created_ends_all_ranks_if_it_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let set = dir.path().join("out/2_1");
    std::fs::create_dir_all(&set).unwrap();
    // Neither a creation nor a lookup can follow it.
    std::os::unix::fs::symlink("nowhere/object", set.join("file-2")).unwrap();
    let ignoring = Request { ignore_errors: true, ..small() };
    let left = play(dir.path(), 3, &only(ignoring, [true, true, false]));
    let halt = left[0].done.clone().expect_err("it halts");
    assert!(left.iter().all(|rank| rank.done.as_ref().err() == Some(&halt)));
    assert_eq!(halt.step, "benchmark");
    let file = set.join("file-2").display().to_string();
    assert!(halt.why.starts_with(&format!("{file}: stat: No such file or directory")), "{halt:?}");
}

#[test]
fn missing_objects_of_an_earlier_run_are_recorded_and_named_but_no_error_of_the_run() {
    let dir = tempfile::tempdir().unwrap();
    play(dir.path(), 3, &only(small(), [true, false, false]));
    let file = dir.path().join("out/2_1/file-2");
    std::fs::remove_file(&file).unwrap();
    let left = play(dir.path(), 3, &only(small(), [false, true, false]));
    assert_eq!(errors(&left), 0);
    assert_eq!(left[0].log.phases[0].all.count(Stat).errors, 1);
    assert_eq!(failures(&left)[..2], [("benchmark", 1), ("benchmark_stat", 1)]);
    let first = &recorded(&left)[0].failed.as_ref().unwrap().first[0];
    assert_eq!(
        (first.path.as_str(), first.why.as_str()),
        (&*file.display().to_string(), "No such file or directory")
    );
    let named = left[0].log.others.join("\n");
    let wanted = reason!(MissingObjects {
        iteration: 0_u32,
        missing: 1_u32,
        of: 18_u32,
        rank: first.rank,
        path: &first.path
    });
    assert!(named.contains(&format!("{wanted:?}")), "{named}");
    assert_eq!(contradictions(&left), []);
}

#[test]
fn more_objects_than_exist_are_counted_as_errors() {
    let dir = tempfile::tempdir().unwrap();
    // One rank that skips its own objects: data set 0 of rank 0 is filled by itself.
    let too_many = Request { objects: 7, sets: 1, iterations: 1, read_only: true, ..small() };
    let left = play(dir.path(), 1, &too_many);
    assert_eq!(errors(&left), 2);
    assert_eq!(left[0].log.phases[1].all.count(Stat).errors, 2);
    assert!(!dir.path().join("out").exists());
    let failed: Vec<(&str, u64)> = failures(&left);
    assert_eq!(failed, [("benchmark", 2), ("benchmark_stat", 2)]);
    let first = &recorded(&left)[1].failed.as_ref().unwrap().first[0];
    assert_eq!((first.rank, first.operation.as_str()), (0, "stat"));
    assert!(first.path.ends_with("out/0_0/file-5"), "{first:?}");
    assert_eq!(contradictions(&left), []);
}

#[test]
fn a_kind_of_operation_that_always_failed_is_recorded_with_its_failures() {
    let dir = tempfile::tempdir().unwrap();
    play(dir.path(), 2, &only(small(), [true, false, false]));
    for file in files(dir.path()) {
        std::fs::remove_file(dir.path().join("out").join(file)).unwrap();
    }
    let too_many = Request { objects: 6, iterations: 1, ..small() };
    let left = play(dir.path(), 2, &only(too_many, [false, true, false]));
    assert_eq!(failures(&left), [("benchmark", 24), ("benchmark_stat", 24)]);
    assert_eq!(contradictions(&left), []);
}

#[test]
fn a_foreign_file_stays_and_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    play(dir.path(), 2, &only(small(), [true, false, false]));
    std::fs::write(dir.path().join("out/1_0/notes"), "").unwrap();
    let left = play(dir.path(), 2, &only(small(), [false, false, true]));
    assert_eq!(errors(&left), 0);
    assert_eq!(files(dir.path()), ["1_0/notes"]);
    let kept = left[0].log.others.join("\n");
    assert!(kept.contains("out/1_0") && kept.contains("Kept"), "{kept}");
}

#[test]
fn a_data_set_that_should_be_empty_and_is_not_is_a_failure_in_the_records() {
    let dir = tempfile::tempdir().unwrap();
    let left = std::thread::scope(|scope| {
        let run = scope.spawn(|| play(dir.path(), 2, &Request { waiting: 50.0, ..small() }));
        // The file comes while the data sets exist.
        let set = dir.path().join("out/1_0");
        while !run.is_finished() && std::fs::write(set.join("notes"), "").is_err() {
            std::thread::yield_now();
        }
        run.join().unwrap()
    });
    assert_eq!(errors(&left), 0, "the text has the numbers of the original");
    assert_eq!(files(dir.path()), ["1_0/notes"]);
    assert_eq!(failures(&left), [("cleanup", 1)]);
    assert_eq!(contradictions(&left), []);
}

#[test]
fn a_cleanup_knows_its_objects_unless_ranks_may_stop_at_different_ones() {
    let known = Request { objects: 6, ..small() };
    assert!(known.may_miss_objects() && !known.may_have_other_objects(), "-I above -P");
    let uneven = Request { deadline: 1, ..small() };
    assert!(uneven.may_have_other_objects(), "-w without -W");
    assert!(!Request { wear_out: true, ..uneven }.may_have_other_objects());
}

#[test]
fn a_deadline_stops_all_ranks_at_the_same_object_with_wear_out() {
    for wear_out in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let long = Request {
            deadline: 1,
            wear_out,
            objects: 100_000,
            per_set: 100_000,
            iterations: 1,
            backend: "DUMMY".into(),
            waiting: 0.0,
            sets: 1000,
            ..small()
        };
        let left = play(dir.path(), 2, &only(Request { start_item: 99_999, ..long }, [true, true, false]));
        assert_eq!(errors(&left), 0);
        let bench = &left[0].log.phases[1];
        assert!(bench.stonewall > 0 && bench.stonewall < 100_000, "{}", bench.stonewall);
        let reads: Vec<u64> = bench.ranks.iter().map(|rank| rank.count(Read).done).collect();
        assert_eq!(reads.iter().max(), Some(&(bench.stonewall * 1000)));
        assert!(!wear_out || reads[0] == reads[1], "{reads:?}");
    }
}

#[test]
fn adaptive_waiting_repeats_each_iteration_with_eight_factors() {
    let dir = tempfile::tempdir().unwrap();
    let left = play(dir.path(), 1, &Request { adaptive: true, objects: 1, iterations: 1, ..small() });
    let waits: Vec<f64> = left[0].log.phases[1..9].iter().map(|phase| phase.waiting).collect();
    assert_eq!(waits, [0.0, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0]);
    assert_eq!((errors(&left), left[0].log.phases.len()), (0, 10));
}

#[test]
fn latency_files_have_a_row_for_each_operation() {
    for (latency_all, name, rows) in [(false, "read", 6), (true, "read-all", 12)] {
        let dir = tempfile::tempdir().unwrap();
        play(dir.path(), 2, &Request { latency: Some("l".into()), latency_all, ..small() });
        let text = std::fs::read_to_string(dir.path().join(format!("l-0.00-1-{name}.csv"))).unwrap();
        assert_eq!((text.lines().next(), text.lines().count()), (Some("time,runtime"), 1 + rows));
        let all = dir.path().read_dir().unwrap().flatten().count();
        // Two iterations of four kinds, and one kind in each other phase.
        assert_eq!(all, 2 * 4 + 2);
    }
}

#[test]
fn records_have_each_phase_and_each_kind_of_operation_of_the_benchmark() {
    let dir = tempfile::tempdir().unwrap();
    let left = play(dir.path(), 2, &Request { iterations: 1, ..small() });
    let phases = recorded(&left);
    let ops: Vec<(&str, u64, u64)> =
        phases.iter().map(|phase| (phase.phase.as_str(), phase.ops, phase.bytes)).collect();
    assert_eq!(
        ops,
        [
            ("precreate", 24, 0),
            ("benchmark", 48, 0),
            ("benchmark_create", 12, 1200),
            ("benchmark_read", 12, 1200),
            ("benchmark_stat", 12, 0),
            ("benchmark_delete", 12, 0),
            ("cleanup", 24, 0),
        ]
    );
    assert!(phases.iter().all(|phase| phase.latency.as_ref().is_some_and(|l| l.count == phase.ops)));
}

#[test]
fn a_short_object_fails_the_benchmark_where_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let made = play(dir.path(), 1, &only(Request { iterations: 1, ..small() }, [true, false, false]));
    assert_eq!(recorded(&made)[0].smallest_file_bytes, Some(100));
    let longer = Request { object_bytes: 300, iterations: 1, ..small() };
    let left = play(dir.path(), 1, &only(longer, [false, true, false]));
    let call = left[0].done.clone().expect_err("it halts").call.expect("it is a call");
    assert_eq!((&call.call[..], call.offset, call.is_short), ("read", Some(100), true));
}

#[test]
fn ranks_without_an_operation_of_a_kind_record_and_write_the_same_files_as_the_others() {
    let few = Request { sets: 1, iterations: 1, latency: Some("l".into()), ..small() };
    let names = |dir: &Path| dir.read_dir().unwrap().flatten().filter(|file| file.path().is_file()).count();
    for idle in [0, 1] {
        let dir = tempfile::tempdir().unwrap();
        // The rank finds the places of its objects taken.
        for number in 0..few.per_set {
            std::fs::create_dir_all(dir.path().join(format!("out/{idle}_0/file-{number}"))).unwrap();
        }
        let ignoring = Request { ignore_errors: true, ..few.clone() };
        let left = play(dir.path(), 2, &only(ignoring, [true, false, false]));
        assert_eq!((errors(&left), left[0].log.phases[0].all.count(Create).done), (1 + 5, 5));
        assert_eq!(failures(&left), [("precreate", 6)]);
        assert_eq!(names(dir.path()), 1 + 1, "the run info and the latencies of the creation");

        // The other rank finds no object to use. This one also uses one that it has created itself.
        let dir = tempfile::tempdir().unwrap();
        play(dir.path(), 2, &only(few.clone(), [true, false, false]));
        for number in 0..few.per_set {
            std::fs::remove_file(dir.path().join(format!("out/{idle}_0/file-{number}"))).unwrap();
        }
        let too_many = Request { objects: few.per_set + 1, latency_all: true, ..few.clone() };
        let left = play(dir.path(), 2, &only(too_many, [false, true, false]));
        let bench = &left[0].log.phases[0];
        assert_eq!(bench.ranks.iter().map(|rank| rank.count(Stat).done).max(), Some(6));
        assert_eq!(bench.ranks[1 - idle].count(Stat).done, 0);
        assert_eq!(names(dir.path()), 1 + 1 + 4, "each kind has its file");
        let kinds: Vec<u64> = recorded(&left).iter().skip(1).map(|phase| phase.ops).collect();
        assert_eq!(kinds, [6; 4]);
    }
}

#[test]
fn records_do_not_contradict_each_other_and_a_kind_has_its_own_balance() {
    let dir = tempfile::tempdir().unwrap();
    let left = play(dir.path(), 3, &small());
    let phases = recorded(&left);
    assert_eq!(phases.len(), 2 + 2 * 5);
    assert_eq!(contradictions(&left), []);
    for phase in phases.iter().filter(|phase| phase.phase.starts_with("benchmark_")) {
        let balance = &phase.balance;
        assert_eq!((balance.bytes_min, balance.bytes_max), (6, 6), "{}", phase.phase);
        // The rate of the slowest rank is that of this kind, too.
        let rate = 6.0 / balance.seconds_max;
        assert!((balance.slowest_rate - rate).abs() <= 1.0 + rate * 1e-3, "{}: {balance:?}", phase.phase);
        assert!(!balance.slowest_node.is_empty() && phase.kernel.is_none());
    }
}

#[test]
fn data_is_compared_and_the_operation_is_counted_and_logged_after_its_latency() {
    let dir = tempfile::tempdir().unwrap();
    let parts = Request { signature: Some(9), verify: true, ..small() };
    play(dir.path(), 2, &only(parts.clone(), [true, false, false]));
    std::fs::write(dir.path().join("out/1_0/file-0"), [1; 100]).unwrap();
    let out = dir.path().join("out").display().to_string();
    for latency_all in [false, true] {
        let latency = Some("l".to_owned());
        let parameters = Request { dir: out.clone(), latency, latency_all, ..parts.clone() };
        let storage = (storage::driver("POSIX").unwrap().open)(&Settings::default()).unwrap();
        local::run(2, |comm: &dyn Comm| {
            let (clock, names) = (CycleClock::new(), storage.names().unwrap());
            let phase = (WorkbenchStep::Benchmark, 0, 0.0);
            let mut steps =
                ObjectSteps::new(&parameters, (&*storage, names), (comm, &clock), 9, phase).unwrap();
            // The second operation reads the first object of the other rank.
            let found = |steps: &ObjectSteps<'_>| {
                let count = steps.result(1.0).count(Read);
                (count.done + count.errors, count.timed, steps.logged[Read as usize].len())
            };
            steps.before(1);
            steps.operate(1).unwrap();
            assert_eq!((found(&steps), steps.compared.first()), ((0, 0, 0), None));
            steps.after(1);
            let logged = usize::from(latency_all || comm.rank() == 0);
            assert_eq!((found(&steps), steps.compared.first().is_some()), ((1, 1, logged), comm.rank() == 0));
        })
        .into_iter()
        .for_each(|rank| rank.expect("no rank panics"));
    }
}
