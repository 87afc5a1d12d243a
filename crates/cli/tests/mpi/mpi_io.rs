//! `assay mpi-io` under each installed MPI: the cases pass, or are known failures of the library. A case that
//! hangs is ended, and the others run.

mod libraries;
mod places;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::common::{self, Mpi, OPEN_MPI_AS_ROOT, Ran, assay, run, run_for};
use results::Record;
use results::record::{Case, CaseOutcome};

/// Jobs with ranks do not run at the same time, so that only a hang exceeds a time limit.
static ONE_JOB: Mutex<()> = Mutex::new(());

/// The longest wait for one run of the suite.
const PATIENCE: Duration = Duration::from_secs(1500);

/// An MPI library with its MPI-IO component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Library {
    /// Open MPI with OMPIO.
    Ompio,
    /// Open MPI with ROMIO.
    Romio,
    /// Debian's MPICH.
    Mpich,
    /// The wheel of MPICH 5.
    Mpich5,
    /// The same with the interface of the MPI 5 standard.
    Mpich5Abi,
}

impl Library {
    fn mpi(self) -> Mpi {
        match self {
            Self::Ompio | Self::Romio => Mpi::Open,
            Self::Mpich => Mpi::Mpich,
            Self::Mpich5 => Mpi::Wheel,
            Self::Mpich5Abi => Mpi::WheelAbi,
        }
    }

    /// The names of library and component in the table of known failures.
    fn name_and_component(self) -> (&'static str, &'static str) {
        match self {
            Self::Ompio => ("Open MPI", "ompio"),
            Self::Romio => ("Open MPI", "romio"),
            Self::Mpich | Self::Mpich5 | Self::Mpich5Abi => ("MPICH", "romio"),
        }
    }

    /// The launcher with its arguments before the number of ranks. `None`, with the reason printed, if it is
    /// not installed.
    fn launcher(self) -> Option<String> {
        let command = self.mpi().command(Path::new("."), 1, "")?;
        let words = [command.get_program()].into_iter().chain(command.get_args());
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        let before = words.iter().position(|word| word == "-n").expect("an option with the number of ranks");
        let romio = if self == Self::Romio { " --mca io romio321" } else { "" };
        Some(words[..before].join(" ") + romio)
    }
}

/// The result of a run: its end, and its cases by name.
struct SuiteResult {
    ran: Ran,
    cases: BTreeMap<String, Case>,
}

impl SuiteResult {
    fn outcome(&self, name: &str) -> CaseOutcome {
        self.cases.get(name).unwrap_or_else(|| panic!("no {name}: {:#?}", self.ran)).outcome
    }

    fn failed(&self) -> Vec<&Case> {
        self.cases.values().filter(|case| case.outcome == CaseOutcome::Fail).collect()
    }
}

/// Runs `assay mpi-io --launch` with `words` on this number of ranks in a new directory, with these
/// environment variables. `{dir}` in a value is that directory.
fn suite(mpi: Library, ranks: u32, words: &[&str], variables: &[(&str, &str)]) -> Option<SuiteResult> {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    suite_in(&dir, mpi, ranks, words, variables)
}

/// The same in the subdirectory `d` of this directory.
fn suite_in(
    dir: &tempfile::TempDir,
    mpi: Library,
    ranks: u32,
    words: &[&str],
    variables: &[(&str, &str)],
) -> Option<SuiteResult> {
    let _alone = ONE_JOB.lock().unwrap_or_else(PoisonError::into_inner);
    with_other_jobs(dir, mpi, ranks, words, variables)
}

/// The same, at the same time as other jobs.
fn with_other_jobs(
    dir: &tempfile::TempDir,
    mpi: Library,
    ranks: u32,
    words: &[&str],
    variables: &[(&str, &str)],
) -> Option<SuiteResult> {
    let launch = format!("{} -n {ranks}", mpi.launcher()?);
    let mut command = assay(dir.path(), "mpi-io --record records");
    command.args(["--launch", &launch]).args(words).arg("d");
    command.envs(OPEN_MPI_AS_ROOT);
    if mpi == Library::Mpich5Abi {
        let library = mpi.mpi().command(dir.path(), 1, "")?;
        command.envs(library.get_envs().filter_map(|(name, value)| Some((name, value?))));
    }
    let here = dir.path().canonicalize().unwrap().display().to_string();
    variables.iter().for_each(|(name, value)| {
        command.env(name, value.replace("{dir}", &here));
    });
    let ran = run_for(&mut command, PATIENCE);
    let records = results::records::load(&dir.path().join("records")).unwrap_or_default();
    assert!(matches!(records.last(), Some(Record::End(_))), "{mpi:?}: no end: {ran:#?}");
    let cases = records.into_iter().filter_map(|record| match record {
        Record::Case(case) => Some((case.name.clone(), *case)),
        _ => None,
    });
    let cases: BTreeMap<String, Case> = cases.collect();
    let left: Vec<_> = std::fs::read_dir(dir.path().join("d")).unwrap().collect();
    assert!(left.is_empty(), "{mpi:?}: {left:?} left: {ran:#?}");
    Some(SuiteResult { ran, cases })
}

/// Runs some cases on a file system with a fault on rank 1, or on all ranks.
fn broken(mpi: Library, fault: &str, on_all: bool, only: &[&str]) -> Option<SuiteResult> {
    let mut words = vec!["--timeout", "20"];
    only.iter().for_each(|name| words.extend(["--only", *name]));
    let shim = common::shim().display().to_string();
    let mut variables =
        vec![("LD_PRELOAD", shim.as_str()), ("ASSAY_SHIM_FAULT", fault), ("ASSAY_SHIM_UNDER", "{dir}/d")];
    if !on_all {
        variables.push(("ASSAY_SHIM_RANK", "1"));
    }
    suite(mpi, 2, &words, &variables)
}

/// Asserts that the cases `failing` fail with rank and offset as evidence, and the cases `passing` pass.
fn fails(mpi: Library, fault: &str, on_all: bool, failing: &[&str], passing: &[&str]) {
    let Some(result) = broken(mpi, fault, on_all, &[failing, passing].concat()) else { return };
    for name in failing {
        assert_eq!(
            result.outcome(name),
            CaseOutcome::Fail,
            "{mpi:?}: {name} does not see {fault}: {:#?}",
            result.cases
        );
        let seen = result.cases[*name].evidence.as_ref().expect("a failure has evidence");
        assert!(
            !seen.what.is_empty() && !seen.step.is_empty() && !seen.node.is_empty(),
            "{mpi:?}: {seen:#?}"
        );
    }
    for name in passing {
        assert_eq!(result.outcome(name), CaseOutcome::Pass, "{mpi:?}: {fault}: {:#?}", result.cases[*name]);
    }
    assert_eq!(result.ran.status, Some(1), "{mpi:?}: {fault}");
}

const WRITING: &[&str] = &[
    "posix.append.records",
    "posix.unlink.while_open",
    "posix.visible.after_write",
    "posix.visible.after_fsync",
    "posix.visible.close_to_open",
    "posix.visible.side_by_side",
    "posix.sparse.holes",
    "access.write_at.byte-view",
    "access.write.vector-view",
    "access.write_shared.byte-view",
    "consistency.close_open",
    "consistency.sync_barrier_sync",
    "access.write_at.absolute-memory",
    "access.write_shared.resized_lower-view",
    "access.write_at.darray_3d_block-view",
];

const WITHOUT_DATA: &[&str] =
    &["posix.create.exclusive", "posix.directory.entries", "open.create", "size.set"];

#[test]
fn a_dropped_or_torn_write_fails_every_case_that_compares_its_data() {
    for mpi in [Library::Ompio, Library::Mpich] {
        fails(mpi, "drop:1", false, WRITING, WITHOUT_DATA);
        fails(mpi, "tear:1", false, WRITING, WITHOUT_DATA);
    }
}

#[test]
fn a_dropped_write_fails_the_cases_of_large_counts_and_of_request_sets() {
    let requests = [
        "requests.reused",
        "requests.type_freed",
        "requests.wait_all",
        "requests.wait_any",
        "requests.test_some",
    ];
    for mpi in [Library::Ompio, Library::Mpich] {
        fails(mpi, "drop:1", false, &requests, &["open.create"]);
    }
    let large = ["access.write_at.large-count", "access.iwrite.large-count"];
    fails(Library::Mpich, "drop:1", false, &large, &["open.create"]);
}

#[test]
fn wrong_data_is_reported_with_rank_offset_and_both_values() {
    let Some(result) = broken(Library::Ompio, "drop:1", false, &["posix.visible.close_to_open"]) else {
        return;
    };
    let case = &result.cases["posix.visible.close_to_open"];
    let seen = case.evidence.as_ref().unwrap();
    assert_eq!((seen.rank, seen.offset, case.failed_ranks), (0, Some(5000), 2), "{seen:#?}");
    assert_eq!(seen.found, "0xa5a5a5a5a5a5a5a5", "the earlier value");
    let wanted = format!("offset 5000: expected {}, found 0xa5a5a5a5a5a5a5a5", seen.expected);
    assert!(result.ran.out.contains(&wanted), "{}", result.ran.out);
    assert!(result.ran.out.contains("promised by POSIX.1-2017 close, open"), "{}", result.ran.out);
}

#[test]
fn delayed_visibility_fails_only_the_cases_that_need_it_at_once() {
    for mpi in [Library::Ompio, Library::Mpich] {
        let at_once = ["posix.visible.after_write", "atomic.at_once"];
        let later = ["posix.visible.after_fsync", "posix.visible.close_to_open", "consistency.close_open"];
        fails(mpi, "delay", false, &at_once, &later);
        let synced =
            ["posix.visible.after_write", "posix.visible.after_fsync", "consistency.sync_barrier_sync"];
        fails(mpi, "lie", false, &synced, &later[1..]);
    }
}

#[test]
fn invisible_or_dropped_writes_fail_the_cases_of_atomic_mode() {
    let readers = ["atomic.readers", "atomic.readers_view"];
    let unseen = [&readers[..], &["atomic.writers"]].concat();
    for mpi in [Library::Ompio, Library::Mpich] {
        fails(mpi, "lie", true, &unseen, &["posix.visible.close_to_open"]);
    }
    // The concurrent reads, a known failure of OMPIO, follow the dropped write.
    fails(Library::Mpich, "drop:7", true, &readers, &["atomic.writers"]);
}

#[test]
fn stale_data_under_a_lock_that_holds_is_called_stale_and_exclusion_passes() {
    let locks = ["posix.locks.*", "flock.*"];
    let Some(result) = broken(Library::Mpich, "delay", true, &locks) else { return };
    for name in ["posix.locks.fresh", "posix.locks.descriptions_fresh", "flock.fresh"] {
        let case = &result.cases[name];
        assert_eq!(case.outcome, CaseOutcome::Fail, "{case:#?}");
        let seen = case.evidence.as_ref().unwrap();
        assert!(seen.what.starts_with("stale data: rank ") && seen.offset == Some(64), "{seen:#?}");
    }
    for name in
        ["posix.locks.exclusion", "posix.locks.descriptions", "posix.locks.conflict", "flock.exclusion"]
    {
        assert_eq!(result.outcome(name), CaseOutcome::Pass, "{:#?}", result.cases[name]);
    }
}

#[test]
fn locks_without_effect_fail_the_cases_of_locks() {
    let locks = ["posix.locks.exclusion", "posix.locks.conflict", "posix.locks.shared", "posix.locks.close"];
    let flock = ["flock.exclusion", "flock.conflict", "flock.shared", "flock.close"];
    let all = [&locks[..], &["posix.locks.descriptions"], &flock].concat();
    for mpi in [Library::Ompio, Library::Mpich] {
        fails(mpi, "locks", true, &all, &["posix.visible.close_to_open", "access.write_at.byte-view"]);
    }
}

const KILLED: [&str; 3] = ["posix.locks.killed", "posix.locks.descriptions_killed", "flock.killed"];

/// The cases of killed lock holders on 2 ranks, with this time for the release and a fault on all ranks.
fn killed(mpi: Library, release: &str, fault: &str) -> Option<SuiteResult> {
    let shim = common::shim().display().to_string();
    let words: Vec<&str> = KILLED.iter().flat_map(|name| ["--only", *name]).collect();
    let variables =
        [("LD_PRELOAD", shim.as_str()), ("ASSAY_SHIM_FAULT", fault), ("ASSAY_SHIM_UNDER", "{dir}/d")];
    suite(mpi, 2, &[&["--lock-release", release][..], &words].concat(), &variables)
}

#[test]
fn the_lock_of_a_killed_process_that_stays_too_long_fails_its_case_on_all_ranks() {
    for mpi in [Library::Ompio, Library::Mpich] {
        let Some(result) = killed(mpi, "1", "stays:5") else { continue };
        for name in KILLED {
            let case = &result.cases[name];
            assert_eq!((case.outcome, case.failed_ranks), (CaseOutcome::Fail, 2), "{mpi:?}: {case:#?}");
            let seen = case.evidence.as_ref().unwrap();
            let wanted = ("free after at most 1 s", "still locked", "the lock of a killed process");
            assert_eq!((&*seen.expected, &*seen.found, &*seen.what), wanted, "{mpi:?}: {seen:#?}");
        }
        assert_eq!(result.ran.status, Some(1), "{mpi:?}");
    }
}

#[test]
fn a_lock_that_is_free_in_time_passes_with_the_time_and_one_that_excludes_nobody_is_skipped() {
    for mpi in [Library::Ompio, Library::Mpich] {
        let Some(late) = killed(mpi, "30", "stays:1") else { continue };
        let Some(open) = killed(mpi, "30", "locks") else { continue };
        for name in KILLED {
            let case = &late.cases[name];
            assert_eq!(case.outcome, CaseOutcome::Pass, "{mpi:?}: {case:#?}");
            let time = case.why.strip_prefix("free ").and_then(|rest| rest.split_once(" s after the kill"));
            let seconds: f64 = time.expect("the time is reported").0.parse().unwrap();
            assert!(seconds >= 1.0, "{mpi:?}: it stayed for a second: {case:#?}");
            assert_eq!(open.outcome(name), CaseOutcome::Skipped, "{mpi:?}: {:#?}", open.cases[name]);
        }
        assert!(late.ran.out.contains(" s after the kill on the same node\n"), "{mpi:?}: {:#?}", late.ran);
    }
}

#[test]
fn a_case_that_hangs_is_ended_with_its_ranks_and_the_others_run() {
    // These jobs only wait for their time limit, so they run at the same time as each other and other jobs.
    std::thread::scope(|scope| {
        for mpi in [Library::Ompio, Library::Mpich] {
            scope.spawn(move || a_hang_is_ended(mpi));
        }
    });
}

fn a_hang_is_ended(mpi: Library) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("d")).unwrap();
    let shim = common::shim().display().to_string();
    let names =
        ["posix.create.exclusive", "posix.visible.close_to_open", "posix.visible.truncate", "open.create"];
    let mut words = vec!["--timeout", "10"];
    names.iter().for_each(|name| words.extend(["--only", *name]));
    let variables = [
        ("LD_PRELOAD", shim.as_str()),
        ("ASSAY_SHIM_FAULT", "block:1"),
        ("ASSAY_SHIM_UNDER", "{dir}/d"),
        ("ASSAY_SHIM_RANK", "1"),
    ];
    let Some(result) = with_other_jobs(&dir, mpi, 2, &words, &variables) else { return };
    let hung = &result.cases["posix.visible.close_to_open"];
    let why =
        "timeout after 10 s: it hangs: no rank did anything in the last 5 s, though the directory answers.";
    assert_eq!((hung.outcome, hung.why.as_str()), (CaseOutcome::Fail, why), "{mpi:?}");
    let seen = hung.evidence.as_ref().unwrap();
    assert_eq!(seen.rank, 1, "{mpi:?}: {seen:#?}");
    assert!(
        seen.what.starts_with("rank 1 is still in it, after `read what was there`"),
        "{mpi:?}: {seen:#?}"
    );
    for name in ["posix.create.exclusive", "posix.visible.truncate", "open.create"] {
        assert_eq!(result.outcome(name), CaseOutcome::Pass, "{mpi:?}: {name}");
    }
    assert_eq!(result.ran.status, Some(1), "{mpi:?}");
}

#[test]
fn a_case_that_is_slow_is_undecided_with_its_progress_and_does_not_fail() {
    let words = ["--timeout", "5", "--only", "posix.locks.fresh", "--only", "posix.create.exclusive"];
    let shim = common::shim().display().to_string();
    let variables = [
        ("LD_PRELOAD", shim.as_str()),
        ("ASSAY_SHIM_FAULT", "slow:400"),
        ("ASSAY_SHIM_UNDER", "{dir}/d"),
        // Rank 0 measures the speed of the directory, so its limit is not longer.
        ("ASSAY_SHIM_RANK", "1"),
    ];
    let Some(result) = suite(Library::Mpich, 2, &words, &variables) else { return };
    let slow = &result.cases["posix.locks.fresh"];
    assert_eq!(slow.outcome, CaseOutcome::Undecided, "{slow:#?}");
    assert!(slow.why.starts_with("timeout after 5 s: slow, but not stuck: rank "), "{}", slow.why);
    assert!(slow.why.ends_with("Run it again with --timeout 20."), "{}", slow.why);
    assert_eq!(result.outcome("posix.create.exclusive"), CaseOutcome::Pass);
    assert_eq!(result.ran.status, Some(3), "{:#?}", result.ran);
}

#[test]
fn a_slow_directory_gives_cases_more_time() {
    let words = ["--timeout", "3", "--only", "posix.visible.close_to_open"];
    let shim = common::shim().display().to_string();
    let variables =
        [("LD_PRELOAD", shim.as_str()), ("ASSAY_SHIM_FAULT", "slow:1100"), ("ASSAY_SHIM_UNDER", "{dir}/d")];
    let Some(result) = suite(Library::Mpich, 2, &words, &variables) else { return };
    assert_eq!(result.outcome("posix.visible.close_to_open"), CaseOutcome::Pass, "{:#?}", result.cases);
    let out = &result.ran.out;
    assert!(out.contains(" ms here, so cases have 30 s\n"), "{out}");
    assert!(result.cases["posix.visible.close_to_open"].seconds > 3.0, "the case takes longer: {out}");
}

#[test]
fn without_the_driver_a_hang_ends_the_job_and_lists_the_cases_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let words = "mpi-io --timeout 6 --record r --only posix.visible.* .";
    let Some(mut command) = Mpi::Open.command(dir.path(), 2, words) else { return };
    command.env("LD_PRELOAD", common::shim()).env("ASSAY_SHIM_FAULT", "block:1").env("ASSAY_SHIM_RANK", "1");
    command.env("ASSAY_SHIM_UNDER", dir.path().canonicalize().unwrap());
    let ran = run(&mut command);
    assert!(ran.status.is_none_or(|status| status != 0), "{ran:#?}");
    assert!(ran.out.contains("FAIL         posix.visible.after_write"), "{ran:#?}");
    assert!(ran.out.contains("timeout after 6 s: it hangs"), "{ran:#?}");
    assert!(ran.out.contains("not run: 4 cases, from posix.visible.after_fsync on"), "{ran:#?}");
    assert!(ran.err.contains("--launch"), "{ran:#?}");
    let records = results::records::load(&dir.path().join("r")).unwrap();
    assert!(
        records
            .iter()
            .any(|record| matches!(record, Record::Case(case) if case.outcome == CaseOutcome::Fail))
    );
}

#[test]
fn local_ranks_run_the_cases_without_mpi_and_skip_the_others_with_a_reason() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run(&mut assay(dir.path(), "-n 3 mpi-io --only posix.visible.* --only open.create ."));
    let out = ran.ok();
    assert!(out.contains("3 ranks on 1 node: local ranks"), "{out}");
    assert!(out.contains("PASS         posix.visible.after_write"), "{out}");
    assert!(out.contains("SKIPPED      open.create\n             needs MPI's ranks"), "{out}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "all files are removed");
}

#[test]
fn keep_failed_keeps_the_files_of_failed_cases() {
    let dir = tempfile::tempdir().unwrap();
    let words =
        "-n 2 mpi-io --keep-failed --only posix.visible.close_to_open --only posix.create.exclusive .";
    let mut command = assay(dir.path(), words);
    command.env("LD_PRELOAD", common::shim()).env("ASSAY_SHIM_FAULT", "drop:2");
    command.env("ASSAY_SHIM_UNDER", dir.path().canonicalize().unwrap());
    let ran = run(&mut command);
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert!(ran.out.contains("close_to_open stays: kept: the case failed"), "{ran:#?}");
    let suite_dir = std::fs::read_dir(dir.path()).unwrap().next().unwrap().unwrap().path();
    assert!(suite_dir.join("posix.visible.close_to_open/file").is_file());
    assert!(!suite_dir.join("posix.create.exclusive").exists(), "files of passed cases are removed");
}

#[test]
fn the_list_has_every_case_with_ranks_and_promise() {
    let dir = tempfile::tempdir().unwrap();
    let out = run(&mut assay(dir.path(), "mpi-io --list")).ok();
    assert!(out.lines().count() > 500);
    let row = out.lines().find(|line| line.starts_with("posix.rename.atomic ")).expect("the case is listed");
    assert!(row.contains(" 2+  POSIX.1-2017 rename: while files are renamed"), "{row}");
    assert!(
        out.lines().any(|line| line.starts_with("posix.sparse.10tb") && line.ends_with("(with --large)"))
    );
}

#[test]
fn wrong_usage_is_rejected_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    for (words, result) in [
        (vec!["nowhere"], "nowhere: not a directory"),
        (vec!["--only", "posix.nothing", "."], "--only posix.nothing: no case matches"),
        (vec!["--skip", "*", "."], "leave no case"),
        (vec!["--timeout", "0", "."], "--timeout 0: too short. Give at least 1 second."),
        (vec!["--lock-release", "0", "."], "--lock-release 0: too short. Give at least 1 second."),
        (vec!["--launch", " ", "."], "Give a command that starts ranks"),
        (vec!["--launch", "no-such-launcher -n 2", "."], "--launch no-such-launcher: "),
    ] {
        let mut command = assay(dir.path(), "mpi-io");
        let ran = run(command.args(&words));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{words:?}: {ran:#?}");
        assert!(ran.err.contains(result), "{words:?}: {ran:#?}");
    }
    let ran = run(assay(dir.path(), "-n 2 mpi-io").args(["--launch", "mpirun -n 2", "."]));
    assert!(ran.status == Some(2) && ran.err.contains("--launch starts the ranks itself"), "{ran:#?}");
}

#[test]
fn a_launcher_that_starts_no_ranks_is_reported_without_a_hang() {
    let dir = tempfile::tempdir().unwrap();
    let ran = run(assay(dir.path(), "mpi-io --only posix.create.*").args(["--launch", "false", "."]));
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(
        ran.err.contains("the launched job ended with exit status: 1 before it began a case"),
        "{ran:#?}"
    );
    assert!(ran.out.contains("not run: 1 case,"), "{ran:#?}");
}
