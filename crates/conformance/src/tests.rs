//! Tests of the table of cases, and of running cases on local ranks.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ranks::local;
use results::record::{Case as CaseRecord, CaseOutcome};
use storage::locks::{self, Lock, Owner, Range};

use super::problem::{ProblemContext as _, check_bytes, check_equal};
use super::*;

struct NoWatch(Instant);

impl CaseWatch for NoWatch {
    fn begin(&self, _case: &ConformanceCase) {}
    fn end(&self) -> Duration {
        Duration::ZERO
    }
}

impl StepWatch for NoWatch {
    fn step(&self, _step: &'static str, _waits: bool) {}
    fn now_ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}

/// The variable with the owner of a lock, and that with the file.
const HOLDER: [&str; 2] = ["ASSAY_TEST_LOCK_OWNER", "ASSAY_TEST_LOCK_FILE"];

/// This program again, as the process that holds a lock.
fn holder(owner: Owner, path: &Path) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--exact", "tests::a_lock_is_held_until_the_input_ends", "--nocapture"]);
    command.env(HOLDER[0], owner.word()).env(HOLDER[1], path);
    Ok(command)
}

#[test]
fn a_lock_is_held_until_the_input_ends() {
    if let [Some(owner), Some(path)] = HOLDER.map(std::env::var_os) {
        let owner = Owner::ALL.into_iter().find(|known| owner == known.word()).unwrap();
        return hold_lock(owner, Path::new(&path), &mut io::stdout(), &mut io::stdin()).unwrap();
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    for owner in Owner::ALL {
        let mut process = holder(owner, file.path()).unwrap();
        let mut process = process.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().ends_with("holds the lock")), "{owner:?}");
        let lock = || locks::set(file.as_fd(), owner, Lock::Read, Range::WHOLE, false);
        assert_eq!(lock().unwrap_err().kind(), io::ErrorKind::WouldBlock, "{owner:?}");
        drop(process.stdin.take());
        assert!(process.wait().unwrap().success());
        lock().unwrap();
        locks::set(file.as_fd(), owner, Lock::None, Range::WHOLE, false).unwrap();
    }
}

/// Runs the cases on local ranks; gives their records, and the number of entries left in the directory.
fn run_locally(ranks: u32, cases: &[ConformanceCase], keep_failed: bool) -> (Vec<CaseRecord>, usize) {
    let dir = tempfile::tempdir().unwrap();
    let records = Mutex::new(Vec::new());
    let library = RankLibrary::default();
    let suite = Suite {
        dir: dir.path(),
        run_name: "own",
        library: &library,
        seed: 0,
        hints_file: None,
        lock_release: LockRelease { within: Duration::from_secs(60), holder },
        large: false,
        keep_failed,
        runs_fatal: true,
    };
    let watch = NoWatch(Instant::now());
    let done = local::run(ranks, |comm| {
        let mut report = |event: ConformanceEvent<'_>| {
            if let ConformanceEvent::End(case) = event {
                records.lock().unwrap().push(*case);
            }
            Ok(())
        };
        run(&suite, cases, comm, &watch, &mut report)
    });
    done.into_iter().for_each(|rank| rank.unwrap().unwrap());
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    (records.into_inner().unwrap(), left)
}

#[test]
fn every_case_has_a_name_of_its_own_a_promise_and_a_document() {
    let cases = cases();
    let mut names: Vec<&str> = cases.iter().map(|case| &*case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "two cases of one name");
    for case in &cases {
        let letters = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
        assert!(case.name.chars().all(letters) && case.name.contains('.'), "{case:?}");
        assert!(!case.promise.is_empty() && !case.promise.ends_with('.'), "{case:?}");
        assert!(
            ["POSIX", "Linux flock(2)", "MPI "].iter().any(|start| case.document.starts_with(start)),
            "{case:?}"
        );
    }
}

#[test]
fn a_case_that_is_named_after_a_routine_tests_that_routine() {
    let mut counted = 0;
    for case in cases() {
        let parts: Vec<&str> = case.name.split('.').collect();
        let routine = match parts[..] {
            ["access", routine, _] | ["hints", _, routine] => routine,
            ["atomic", routine] if routine.starts_with("write_") => routine,
            _ => continue,
        };
        counted += 1;
        assert_eq!(case.document, access::Routine::named(routine).document, "{case:?}");
    }
    assert!(counted > 450, "only {counted} cases");
}

#[test]
fn posix_keeps_its_promises_to_one_rank_and_to_many_on_this_machine() {
    for ranks in [1, 4, 40] {
        let has_no_mpi = |case: &ConformanceCase| ["posix", "flock"].contains(&case.group());
        let posix: Vec<ConformanceCase> = cases().into_iter().filter(has_no_mpi).collect();
        let (records, left) = run_locally(ranks, &posix, false);
        assert_eq!(records.len(), posix.len());
        for case in records {
            let is_killed = case.name.ends_with("killed");
            assert_eq!(is_killed, case.why.starts_with("free "), "{case:#?}");
            assert!(
                matches!(case.outcome, CaseOutcome::Pass | CaseOutcome::Skipped),
                "{ranks} ranks: {case:#?}"
            );
        }
        assert_eq!(left, 0, "everything is removed");
    }
}

#[test]
fn the_lowest_failed_rank_gives_the_evidence_and_the_ranks_continue_together() {
    let fails = |cx: &mut CaseContext<'_>| {
        let (rank, path) = (cx.rank(), cx.path("f"));
        cx.all("compare", || match rank {
            0 => Ok(()),
            1 => Err(CaseProblem::Skipped("not so grave".into())),
            rank => check_bytes("bytes", &path, 100, &[1, 2, 3], &[1, rank as u8 + 7, 3]),
        })
    };
    let cases = [
        ConformanceCase::new("a.fails", "POSIX", "fails", fails),
        ConformanceCase::new("a.passes", "POSIX", "passes", |_: &mut CaseContext<'_>| Ok(())),
        ConformanceCase::new("a.many", "POSIX", "wants many", |_: &mut CaseContext<'_>| Ok(())).ranks(9),
        ConformanceCase::new("a.rejected", "POSIX", "is rejected", |cx: &mut CaseContext<'_>| {
            cx.agree("call", Err(std::io::Error::from_raw_os_error(95)).context("call"))
        }),
    ];
    let (records, left) = run_locally(4, &cases, true);
    let outcomes: BTreeMap<&str, CaseOutcome> =
        records.iter().map(|case| (case.name.as_str(), case.outcome)).collect();
    let wanted = [CaseOutcome::Fail, CaseOutcome::Skipped, CaseOutcome::Pass, CaseOutcome::Unsupported];
    assert_eq!(outcomes.values().copied().collect::<Vec<_>>(), wanted, "in order of name: {outcomes:?}");
    let seen = records[0].evidence.clone().expect("a failure has evidence");
    assert_eq!((seen.rank, seen.offset, records[0].failed_ranks), (2, Some(101), 2));
    assert_eq!(
        (seen.expected.as_str(), seen.found.as_str(), seen.step.as_str()),
        ("0x0203", "0x0903", "compare")
    );
    assert_eq!(left, 1, "what failed is kept where that is asked for");
}

#[test]
fn both_values_of_a_difference_are_in_the_evidence() {
    let Err(CaseProblem::Fail(seen)) = check_equal("links", &2, &3) else { panic!("they differ") };
    assert_eq!((seen.expected.as_str(), seen.found.as_str(), seen.what.as_str()), ("2", "3", "links"));
}

#[test]
fn an_unsupported_operation_is_not_a_failure() {
    let rejected = std::io::Error::from_raw_os_error;
    assert!(matches!(posix::link_problem(rejected(1)), CaseProblem::Unsupported(_)), "EPERM");
    assert!(matches!(posix::link_problem(rejected(28)), CaseProblem::Fail(_)), "ENOSPC");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "").unwrap();
    // No file can be longer than the largest offset.
    let ends = system_file::skipped_if_too_long(&path, u64::MAX / 2, CaseProblem::fail("File too large"));
    assert!(matches!(ends, CaseProblem::Skipped(_)), "{ends:?}");
    assert!(matches!(
        system_file::skipped_if_too_long(&path, 1 << 20, CaseProblem::fail("lost")),
        CaseProblem::Fail(_)
    ));
    assert!(matches!(system_file::create_for_length(&path, u64::MAX / 2), Err(CaseProblem::Skipped(_))));
    system_file::create_for_length(&path, 1 << 20).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
}
