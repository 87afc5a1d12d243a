//! One rank's part: its sequence, its tree and its state.
//!
//! Invariant: a leg is in the state before its first operation starts. The odometer has the number of the
//! current operation.
//! Never here: collectives.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use measure::{Clock, CycleClock};
use results::record::StateExtents;
use storage::{Names, Storage};

use super::act::Act;
use super::guard::Guard;
use super::model::{AgeingModel, Leg};
use super::state::{self, AgeingState, Odometer, StatePlaces, at};
use super::watch::ProgressWatch;
use super::worker::{FileWorker, Past};

/// The largest number of files of a rank whose extents are counted.
const LOOKED_AT_MAX: usize = 20_000;

/// One rank's part.
pub(super) struct AgeingPart<'a> {
    pub(super) storage: &'a dyn Storage,
    pub(super) names: &'a dyn Names,
    pub(super) clock: &'a CycleClock,
    pub(super) places: StatePlaces,
    pub(super) model: AgeingModel,
    pub(super) state: AgeingState,
    pub(super) hands: FileWorker<'a>,
    /// Ignores the error if an operation was already done.
    pub(super) past: Past,
    pub(super) guard: Guard<'a>,
    pub(super) odometer: Odometer,
    pub(super) watch: ProgressWatch<'a>,
    /// Operations done.
    pub(super) number: u64,
    /// The current leg, or the last one that ended.
    pub(super) leg: usize,
}

/// Creates a directory, unless it exists.
pub(super) fn make_dir(path: &Path) -> Result<(), String> {
    match fs::create_dir(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(|error| at(path, &error)),
    }
}

/// Creates the files that a rank needs in addition to its tree, or finds them.
pub(super) fn make_places(places: &StatePlaces) -> Result<(), String> {
    make_dir(&places.rank_dir)?;
    make_dir(&places.tree)
}

impl AgeingPart<'_> {
    /// Starts a leg and does all of it.
    pub(super) fn do_leg(&mut self, leg: Leg) -> Result<(), String> {
        self.state.legs.push(leg);
        self.save()?;
        self.leg = self.state.legs.len() - 1;
        self.model.begin(leg);
        self.complete_legs()
    }

    /// Does the rest of the leg.
    pub(super) fn complete_legs(&mut self) -> Result<(), String> {
        while let Some(act) = self.model.next() {
            self.count()?;
            self.hands.perform(&act, &self.model.tree, &mut self.guard, self.number, self.past)?;
            self.number += 1;
            self.watch.tell(self.clock.ns(), self.state.legs[self.leg], &self.model);
        }
        self.count()
    }

    fn count(&self) -> Result<(), String> {
        self.odometer.set(self.number).map_err(|error| at(&self.places.odometer, &error))
    }

    pub(super) fn save(&self) -> Result<(), String> {
        state::save(&self.places.state, &self.state)
    }

    /// Replays the sequence in memory, up to the unfinished operation.
    pub(super) fn replay(&mut self, done: u64) -> Result<(), String> {
        self.number = replay(&mut self.model, &self.state, done, &mut self.leg)
            .map_err(|why| format!("{}: {why}", self.places.odometer.display()))?;
        Ok(())
    }

    /// Repeats the unfinished operation, if there is one.
    pub(super) fn redo(&mut self) -> Result<(), String> {
        let next = next_of_all(&mut self.model, &self.state, &mut self.leg);
        let Some(act) = next else { return Ok(()) };
        self.hands.perform(&act, &self.model.tree, &mut self.guard, self.number, Past::Uncounted)?;
        self.number += 1;
        self.count()
    }

    /// Does the rest of the unfinished leg, and the legs after it.
    pub(super) fn catch_up(&mut self) -> Result<(), String> {
        if self.state.legs.is_empty() {
            return Ok(());
        }
        self.complete_legs()?;
        while self.leg + 1 < self.state.legs.len() {
            self.leg += 1;
            self.model.begin(self.state.legs[self.leg]);
            self.complete_legs()?;
        }
        Ok(())
    }

    /// The number of extents of this rank's files. Of many files, only a sample is read. `None` if the file
    /// system does not report extents.
    pub(super) fn extents(&mut self) -> Result<Option<StateExtents>, String> {
        let mut found = StateExtents::default();
        let step = self.model.files.len().div_ceil(LOOKED_AT_MAX).max(1);
        for file in self.model.files.iter().step_by(step).filter(|file| file.bytes > 0) {
            self.hands.file(&self.model.tree, file.name);
            let path = self.hands.path();
            match self.storage.extents(&path) {
                Ok(None) => return Ok(None),
                Ok(Some(extents)) => found.add(extents, file.bytes),
                Err(error) => return Err(format!("extents of {}", at(&path, &error))),
            }
        }
        Ok(Some(found))
    }
}

/// The next operation of leg `leg`, or of the legs after it.
pub(super) fn next_of_all(model: &mut AgeingModel, state: &AgeingState, leg: &mut usize) -> Option<Act> {
    loop {
        if let Some(act) = model.next() {
            return Some(act);
        }
        model.begin(*state.legs.get(*leg + 1)?);
        *leg += 1;
    }
}

/// Replays the first `done` operations in the model. `leg` is then the leg in which they end.
pub(super) fn replay(
    model: &mut AgeingModel,
    state: &AgeingState,
    done: u64,
    leg: &mut usize,
) -> Result<u64, String> {
    let mut number = 0;
    for (at, next) in state.legs.iter().enumerate() {
        *leg = at;
        model.begin(*next);
        loop {
            if number == done {
                return Ok(number);
            }
            if model.next().is_none() {
                break;
            }
            number += 1;
        }
    }
    if number == done { Ok(number) } else { Err(format!("counts {done} operations, but there are {number}")) }
}
