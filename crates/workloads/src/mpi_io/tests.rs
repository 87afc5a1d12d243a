//! The table of cases, and the engine on local ranks.

use std::collections::BTreeMap;
use std::sync::Mutex;

use measure::CycleClock;
use ranks::local;
use results::record::{Case as Told, Outcome};

use super::stop::{Told as _, same, same_bytes};
use super::*;

struct Nobody;

impl Watch for Nobody {
    fn begin(&self, _case: &Case) {}
    fn step(&self, _step: &'static str, _waits: bool) {}
    fn end(&self) {}
}

/// What came of the cases on so many local ranks, and what was left in the directory.
fn ran(ranks: u32, cases: &[Case], keep_failed: bool) -> (Vec<Told>, usize) {
    let dir = tempfile::tempdir().unwrap();
    let told = Mutex::new(Vec::new());
    let library = Library::default();
    let suite = Suite {
        dir: dir.path(),
        own: "own",
        library: &library,
        seed: 0,
        hints_file: None,
        large: false,
        keep_failed,
        tries_fatal: true,
    };
    let done = local::run(ranks, |comm| {
        let mut tell = |event: Event<'_>| {
            if let Event::End(case) = event {
                told.lock().unwrap().push(*case);
            }
            Ok(())
        };
        run(&suite, cases, comm, &CycleClock::new(), &Nobody, &mut tell)
    });
    done.into_iter().for_each(|rank| rank.unwrap().unwrap());
    let left = std::fs::read_dir(dir.path()).unwrap().count();
    (told.into_inner().unwrap(), left)
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
        assert!(["POSIX", "MPI "].iter().any(|start| case.document.starts_with(start)), "{case:?}");
    }
}

#[test]
fn posix_keeps_its_promises_to_one_rank_and_to_many_on_this_machine() {
    for ranks in [1, 4, 40] {
        let posix: Vec<Case> = cases().into_iter().filter(|case| case.group() == "posix").collect();
        let (told, left) = ran(ranks, &posix, false);
        assert_eq!(told.len(), posix.len());
        for case in told {
            assert!(matches!(case.outcome, Outcome::Pass | Outcome::Skipped), "{ranks} ranks: {case:#?}");
        }
        assert_eq!(left, 0, "everything is removed");
    }
}

#[test]
fn the_lowest_rank_that_failed_tells_why_and_the_ranks_go_on_together() {
    let fails = |scene: &mut Scene<'_>| {
        let (rank, path) = (scene.rank(), scene.path("f"));
        scene.all("compare", || match rank {
            0 => Ok(()),
            1 => Err(Trouble::Skipped("not so grave".into())),
            rank => same_bytes("bytes", &path, 100, &[1, 2, 3], &[1, rank as u8 + 7, 3]),
        })
    };
    let cases = [
        Case::new("a.fails", "POSIX", "fails", fails),
        Case::new("a.passes", "POSIX", "passes", |_: &mut Scene<'_>| Ok(())),
        Case::new("a.many", "POSIX", "wants many", |_: &mut Scene<'_>| Ok(())).ranks(9),
        Case::new("a.refused", "POSIX", "is refused", |scene: &mut Scene<'_>| {
            scene.all("call", || Err(std::io::Error::from_raw_os_error(95)).told("call"))
        }),
    ];
    let (told, left) = ran(4, &cases, true);
    let outcomes: BTreeMap<&str, Outcome> =
        told.iter().map(|case| (case.name.as_str(), case.outcome)).collect();
    let wanted = [Outcome::Fail, Outcome::Skipped, Outcome::Pass, Outcome::Unsupported];
    assert_eq!(outcomes.values().copied().collect::<Vec<_>>(), wanted, "in order of name: {outcomes:?}");
    let seen = told[0].evidence.clone().expect("a failure has evidence");
    assert_eq!((seen.rank, seen.offset, told[0].failed_ranks), (2, Some(101), 2));
    assert_eq!(
        (seen.expected.as_str(), seen.found.as_str(), seen.step.as_str()),
        ("0x0203", "0x0903", "compare")
    );
    assert_eq!(left, 1, "what failed is kept where that is asked for");
}

#[test]
fn values_that_differ_are_both_told() {
    let Err(Trouble::Fail(seen)) = same("links", &2, &3) else { panic!("they differ") };
    assert_eq!((seen.expected.as_str(), seen.found.as_str(), seen.what.as_str()), ("2", "3", "links"));
}

#[test]
fn what_a_file_system_says_it_cannot_do_is_no_failure() {
    let refused = std::io::Error::from_raw_os_error;
    assert!(matches!(posix::no_links(refused(1)), Trouble::Unsupported(_)), "EPERM");
    assert!(matches!(posix::no_links(refused(28)), Trouble::Fail(_)), "ENOSPC");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("file");
    std::fs::write(&path, "").unwrap();
    // No file is longer than what an offset counts.
    let ends = look::too_long(&path, u64::MAX / 2, Trouble::fail("File too large"));
    assert!(matches!(ends, Trouble::Skipped(_)), "{ends:?}");
    assert!(matches!(look::too_long(&path, 1 << 20, Trouble::fail("lost")), Trouble::Fail(_)));
    assert!(matches!(look::make_for(&path, u64::MAX / 2), Err(Trouble::Skipped(_))));
    look::make_for(&path, 1 << 20).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
}
