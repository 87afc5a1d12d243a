//! Whether a test ran in the states that it requires.
//!
//! Never here: what was measured in them.

use plan::StateKind;
use results::folder::Job;
use results::reason::{Reason, any, reason};
use results::record::{ReachedState, states};

use crate::case::TestCriterion;

/// The maximum difference of a share of blocks or inodes from the required share.
const SHARE: f64 = 0.01;

/// Why a required state was not reached.
pub(super) fn reached(case: &TestCriterion<'_>) -> Result<(), Reason> {
    for at in &case.test.states {
        let state = &case.index.plan.states[*at];
        let name = state.job();
        let reached = match state.kind {
            StateKind::Age(_) => match case.index.jobs(&name) {
                [] => aged(None),
                jobs => jobs.iter().try_for_each(|job| aged(states(&job.records).last())),
            },
            StateKind::Preload(wanted) => case.jobs().iter().try_for_each(|job| preloaded(wanted, job)),
            // A finding states whether anything was offline.
            StateKind::Degrade { .. } => Ok(()),
        };
        reached.map_err(|reason| reason!(StateNotReached { state: name, ..reason }))?;
    }
    Ok(())
}

/// The last record of the job of a state.
pub(crate) fn last<'a>(case: &TestCriterion<'a>, name: &str) -> Option<&'a ReachedState> {
    case.index.jobs(name).iter().flat_map(|job| states(&job.records)).last()
}

fn aged(state: Option<&ReachedState>) -> Result<(), Reason> {
    let state = state.ok_or_else(|| reason!(StateNotRecorded { .. }))?;
    let is_off = |target: f64, found: f64| (target - found).abs() > SHARE;
    if let Some(target) = state.blocks_target.filter(|target| is_off(*target, state.blocks)) {
        return Err(reason!(StateNotReached { blocks: state.blocks, target, .. }));
    }
    if let Some(target) = state.inodes_target.filter(|target| is_off(*target, state.inodes)) {
        return Err(reason!(StateNotReached { inodes: state.inodes, target, .. }));
    }
    if state.cycles < state.cycles_target * (1.0 - SHARE) {
        return Err(reason!(StateNotReached { cycles: state.cycles, target: state.cycles_target, .. }));
    }
    Ok(())
}

/// Whether the test's own directories have the required number of files, as counted before the test.
fn preloaded(wanted: u64, job: &Job) -> Result<(), Reason> {
    let of = |reason: Reason| Err(reason.with(any::repetition, job.info.repetition));
    let mut counted = states(&job.records).filter(|state| state.kind == "preload").peekable();
    if counted.peek().is_none() {
        return of(reason!(PreloadUncounted { .. }));
    }
    match counted.find(|state| state.files != wanted.saturating_mul(state.directories)) {
        None => Ok(()),
        Some(state) => of(reason!(PreloadCount {
            files: state.files,
            directories: state.directories,
            planned: wanted,
            ..
        })),
    }
}
