//! The suite under each library: only known failures of the library fail.
//!
//! The default tests run the whole suite on 2 ranks of each library. On 1 and 4 ranks they run the cases that
//! depend on the number of ranks. Cases that are known to hang take their time limit. Collective calls of
//! MPICH on more ranks than processors are slow, because they wait without yielding. So these cases, and the
//! whole suite on 1 and 4 ranks, run only in `cargo xtask test --all`.

use conformance::{Effect, KNOWN_FAILURES, KnownFailure, TIMEOUT, matches};
use results::record::{Case, CaseOutcome};

use super::common::only_in_all;
use super::{Library, suite};

/// Time limit of a case in seconds. A case that is known to hang has a sixth of it.
const LIMIT: &str = "24";

/// Cases that depend on the number of ranks: process grids, subsets and order of ranks, races, turns, and
/// operations of one rank for all.
const BY_RANKS: &[&str] = &[
    "posix.*",
    "flock.*",
    "access.write_at_all.darray_2d_mixed-view",
    "access.write_at.darray_2d_fortran-view",
    "access.write.darray_3d_block-view",
    "access.write_all.different-view",
    "access.write_at_all.subset",
    "access.write_at_all.nothing-on-some",
    "access.write_all.reversed",
    "access.write_shared.byte-view",
    "access.write_ordered.subset",
    "access.write_ordered.nothing-on-some",
    "atomic.at_once",
    "atomic.readers",
    "atomic.writers",
    "atomic.writers_together",
    "consistency.*",
    "groups.iwrite_at_all",
    "hints.one_aggregator.write_at_all",
    "open.comm_freed",
    "open.exclusive",
    "open.different_modes",
    "open.group",
    "pointers.apart",
    "pointers.shared_in_turn",
    "size.set",
    "views.changing",
    "views.current",
    "views.empty_on_some",
];

/// Cases that make every kind of call once, for the interface of the MPI 5 standard, which has other
/// functions and constants.
const EVERY_CALL: &[&str] = &[
    "access.*.vector-view",
    "access.*.byte-view",
    "atomic.default",
    "atomic.write*",
    "consistency.*",
    "datarep.registered",
    "datarep.extent",
    "delete.*",
    "errors.*",
    "hints.round_trip",
    "open.*",
    "pointers.*",
    "requests.*",
    "size.*",
    "views.*",
];

/// The cases of a run.
#[derive(Clone, Copy)]
enum Cases {
    All,
    /// All except those that are known to hang.
    NotHanging,
    /// [`BY_RANKS`] except those that need a restart of the ranks afterwards. The runs on 2 ranks include
    /// them.
    ByRanks,
    /// [`EVERY_CALL`].
    EveryCall,
}

impl Cases {
    /// The options that select these cases.
    fn options(self, library: Library) -> Vec<(&'static str, &'static str)> {
        let only = |pattern: &&'static str| ("--only", *pattern);
        let skip = |known: &'static KnownFailure| ("--skip", known.case);
        match self {
            Self::All => Vec::new(),
            Self::NotHanging => hanging(library).map(skip).collect(),
            Self::ByRanks => {
                let fatal = known_failures(library).filter(|known| known.is_fatal()).map(skip);
                fatal.chain(BY_RANKS.iter().map(only)).collect()
            }
            Self::EveryCall => EVERY_CALL.iter().map(only).collect(),
        }
    }
}

/// The known failures of all releases of this library.
fn known_failures(library: Library) -> impl Iterator<Item = &'static KnownFailure> {
    let (name, component) = library.name_and_component();
    KNOWN_FAILURES.iter().filter(move |known| known.library == name && known.io_component == component)
}

fn hanging(library: Library) -> impl Iterator<Item = &'static KnownFailure> {
    known_failures(library).filter(|known| known.effect == Effect::HangsJob)
}

fn is_timeout(case: &Case) -> bool {
    case.evidence.as_ref().is_some_and(|evidence| evidence.step == TIMEOUT)
}

/// Runs cases and asserts that only known failures fail.
fn check(library: Library, ranks: u32, cases: Cases, pass_at_least: usize) {
    let mut words = vec!["--timeout", LIMIT];
    cases.options(library).into_iter().for_each(|(option, pattern)| words.extend([option, pattern]));
    let Some(result) = suite(library, ranks, &words, &[]) else { return };
    assert!(result.failed().is_empty(), "{library:?}, {ranks} ranks: {:#?}", result.failed());
    assert_eq!(result.ran.status, Some(0), "{library:?}, {ranks} ranks: {}", result.ran.err);
    let passed = result.cases.values().filter(|case| case.outcome == CaseOutcome::Pass).count();
    assert!(passed >= pass_at_least, "{library:?}, {ranks} ranks: only {passed} passed");
    for case in result.cases.values().filter(|case| case.outcome == CaseOutcome::Library) {
        assert!(
            case.why.contains(": "),
            "{library:?}: a known failure has the name of its library: {case:#?}"
        );
        // A case that hangs but is not listed would take its time limit in the default set.
        let may_hang = hanging(library).any(|known| matches(known.case, &case.name));
        assert!(may_hang || !is_timeout(case), "{library:?}: not listed as hanging: {case:#?}");
    }
}

#[test]
fn only_known_failures_on_ompio_of_open_mpi() {
    check(Library::Ompio, 2, Cases::NotHanging, 600);
}

#[test]
fn only_known_failures_on_romio_of_open_mpi() {
    if !only_in_all("the default set has OMPIO, and ROMIO of MPICH") {
        return;
    }
    check(Library::Romio, 2, Cases::NotHanging, 480);
}

#[test]
fn only_known_failures_on_mpich() {
    check(Library::Mpich, 2, Cases::NotHanging, 650);
}

#[test]
fn only_known_failures_on_mpich_5_with_both_interfaces() {
    if !only_in_all("the default set has MPICH 4 and Open MPI") {
        return;
    }
    check(Library::Mpich5, 2, Cases::NotHanging, 660);
    check(Library::Mpich5Abi, 2, Cases::EveryCall, 90);
}

#[test]
fn cases_that_depend_on_the_number_of_ranks_pass_on_1_and_4() {
    if !only_in_all("the default set has them on the usual number of ranks") {
        return;
    }
    for library in [Library::Ompio, Library::Romio, Library::Mpich, Library::Mpich5] {
        check(library, 1, Cases::ByRanks, 36);
        check(library, 4, Cases::ByRanks, 50);
    }
}

const ALL_ON_1_AND_4: &str = "the whole suite on 1 and 4 ranks takes minutes; 2 ranks have run it";

#[test]
fn only_known_failures_on_1_and_4_ranks_of_ompio_of_open_mpi() {
    if only_in_all(ALL_ON_1_AND_4) {
        check(Library::Ompio, 1, Cases::All, 600);
        check(Library::Ompio, 4, Cases::All, 600);
    }
}

#[test]
fn only_known_failures_on_1_and_4_ranks_of_romio_of_open_mpi() {
    if only_in_all(ALL_ON_1_AND_4) {
        check(Library::Romio, 1, Cases::All, 480);
        check(Library::Romio, 4, Cases::All, 480);
    }
}

#[test]
fn only_known_failures_on_1_and_4_ranks_of_mpich() {
    if only_in_all(ALL_ON_1_AND_4) {
        check(Library::Mpich, 1, Cases::All, 640);
        check(Library::Mpich, 4, Cases::All, 650);
    }
}

#[test]
fn only_known_failures_on_1_and_4_ranks_of_mpich_5() {
    if only_in_all(ALL_ON_1_AND_4) {
        check(Library::Mpich5, 1, Cases::All, 650);
        check(Library::Mpich5, 4, Cases::All, 660);
    }
}

#[test]
fn every_case_that_is_known_to_hang_ends_at_its_time_limit_as_a_known_failure() {
    if !only_in_all("each case that hangs takes its time limit") {
        return;
    }
    for library in [Library::Ompio, Library::Romio] {
        let words: Vec<&str> = hanging(library).flat_map(|known| ["--only", known.case]).collect();
        let Some(result) = suite(library, 2, &[&["--timeout", LIMIT][..], &words].concat(), &[]) else {
            continue;
        };
        assert!(result.failed().is_empty(), "{library:?}: {:#?}", result.failed());
        for known in hanging(library) {
            let hung = result.cases.values().any(|case| matches(known.case, &case.name) && is_timeout(case));
            assert!(hung, "{library:?}: no case of {} hangs: {:#?}", known.case, result.cases);
        }
    }
}
