//! Recovery after a node failure: the odometer is behind the files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use command::Settings;
use measure::CycleClock;
use ranks::{Comm, local};
use storage::Storage;

use super::audit::audit;
use super::guard::Guard;
use super::model::{AgeingModel, Leg};
use super::part::{AgeingPart, make_places};
use super::plan::RankShare;
use super::profile::Profile;
use super::sizes::SizeFit;
use super::state::{self, Odometer, StatePlaces};
use super::watch::ProgressWatch;
use super::worker::{FileWorker, Past};

const SEED: u64 = 4;

fn posix() -> Box<dyn Storage> {
    (storage::driver("posix").unwrap().open)(&Settings::default()).unwrap()
}

/// Rank 0's part in `dir`, as far as the odometer shows.
fn with_part<T>(dir: &Path, past: Past, body: impl FnOnce(&mut AgeingPart<'_>) -> T) -> T {
    let (storage, clock, comm) = (posix(), CycleClock::new(), local::alone());
    let comm: &dyn Comm = &comm;
    let places = StatePlaces::of(dir, 0);
    make_places(&places).unwrap();
    let odometer = Odometer::open(&places.odometer).unwrap();
    let done = Odometer::read(&places.odometer).unwrap();
    let state = state::load(&places.state).unwrap().unwrap_or_default();
    let fit = SizeFit { files: 60, block: 4096, largest: 40_000, mean: Some(9000.0) };
    let profile = Profile::read("").unwrap();
    let share = RankShare { fit, dirs: 8 };
    let model = AgeingModel::new(SEED, (0, 1), &profile, share).unwrap();
    let names = storage.names().unwrap();
    let mut part = AgeingPart {
        storage: &*storage,
        names,
        clock: &clock,
        hands: FileWorker::new(&*storage, names, comm, (0, SEED), &places.tree),
        past,
        guard: Guard::new(&*storage, comm, &clock, dir, (1.0, None), super::guard::NodeTurn::ALONE),
        watch: ProgressWatch::new(None, &model, 0.0),
        places,
        model,
        state,
        odometer,
        number: 0,
        leg: 0,
    };
    part.replay(done).unwrap();
    body(&mut part)
}

/// Names below `dir` with their lengths; directories have none.
fn below(dir: &Path) -> BTreeMap<String, Option<u64>> {
    let mut found = BTreeMap::new();
    let mut dirs = vec![dir.to_owned()];
    while let Some(at) = dirs.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let length = if path.is_dir() { None } else { Some(path.metadata().unwrap().len()) };
            if length.is_none() {
                dirs.push(path.clone());
            }
            found.insert(path.strip_prefix(dir).unwrap().display().to_string(), length);
        }
    }
    found
}

fn complete_legs(part: &mut AgeingPart<'_>) -> Result<(), String> {
    part.redo()?;
    audit(part)?;
    part.catch_up()
}

#[test]
fn an_odometer_that_is_behind_by_any_number_of_operations_leads_to_the_same_tree() {
    let dir = tempfile::tempdir().unwrap();
    let operations = with_part(dir.path(), Past::Known, |part| {
        part.do_leg(Leg::Fill).unwrap();
        part.do_leg(Leg::Churn { cycles: 2.0 }).unwrap();
        let done = part.model.done;
        assert!(done.each().iter().all(|count| *count > 0), "all kinds of operations: {done:?}");
        part.number
    });
    let tree = dir.path().join("rank.0/tree");
    let wanted = below(&tree);
    assert!(operations > 200, "{operations}");
    for behind in (0..operations).step_by(11) {
        let places = StatePlaces::of(dir.path(), 0);
        Odometer::open(&places.odometer).unwrap().set(behind).unwrap();
        with_part(dir.path(), Past::Resumed, complete_legs)
            .unwrap_or_else(|why| panic!("{behind} of {operations}: {why}"));
        assert!(below(&tree) == wanted, "{behind} of {operations}");
    }
}

#[test]
fn what_is_no_directory_is_not_taken_for_one() {
    let dir = tempfile::tempdir().unwrap();
    with_part(dir.path(), Past::Known, |part| part.do_leg(Leg::Fill).unwrap());
    let first = dir.path().join("rank.0/tree/d1");
    fs::remove_dir_all(&first).unwrap();
    std::os::unix::fs::symlink(dir.path(), &first).unwrap();
    let places = StatePlaces::of(dir.path(), 0);
    Odometer::open(&places.odometer).unwrap().set(0).unwrap();
    let why = with_part(dir.path(), Past::Resumed, complete_legs).unwrap_err();
    assert!(why.starts_with("mkdir ") && why.contains("/d1: File exists"), "{why}");
}
