//! Whether a test ran on the state that it needs.
//!
//! Never here: what was measured then.

use results::folder::Job;
use results::record::{Record, State};
use units::several;

use super::Case;
use plan::StateKind;

/// How far a share of the blocks or inodes may be from what was asked for.
const SHARE: f64 = 0.01;

/// Why a state that the test needs was not there.
pub(super) fn reached(case: &Case<'_>, jobs: &[&Job]) -> Result<(), String> {
    for index in &case.test.states {
        let state = &case.plan.states[*index];
        let name = state.job();
        match state.kind {
            StateKind::Age(_) => {
                let makers = case.campaign.jobs.iter().filter(|job| job.info.test == name);
                aged(&name, makers.flat_map(states).last())?;
            }
            StateKind::Preload(wanted) => {
                for job in jobs {
                    preloaded(&name, wanted, job)?;
                }
            }
            // The linter looks at what was down.
            StateKind::Degrade { .. } => {}
        }
    }
    Ok(())
}

/// What the states were on which the test ran, a sentence each.
pub(super) fn told(case: &Case<'_>) -> Vec<String> {
    let made = case.test.states.iter().map(|index| case.plan.states[*index].job());
    let told = made.filter_map(|name| {
        let state = case.campaign.jobs.iter().filter(|job| job.info.test == name).flat_map(states).last()?;
        let [blocks, inodes] = [state.blocks, state.inodes].map(|share| share * 100.0);
        let mut text = format!(
            "{name}: {blocks:.1} % of the blocks and {inodes:.1} % of the inodes in use, {:.2} turnovers",
            state.turnovers
        );
        if let Some(extents) = state.extents.as_ref().filter(|extents| extents.files > 0) {
            let share = extents.share_fragmented() * 100.0;
            text.push_str(&format!(", {share:.1} % of the files in several pieces"));
        }
        Some(text)
    });
    told.collect()
}

fn states(job: &Job) -> impl Iterator<Item = &State> {
    job.records.iter().filter_map(|record| match record {
        Record::State(state) => Some(&**state),
        _ => None,
    })
}

fn aged(name: &str, state: Option<&State>) -> Result<(), String> {
    let Some(state) = state else { return Err(format!("{name} recorded no state")) };
    let shares =
        [("blocks", state.blocks_target, state.blocks), ("inodes", state.inodes_target, state.inodes)];
    for (what, target, found) in shares {
        if let Some(target) = target.filter(|target| (target - found).abs() > SHARE) {
            let [target, found] = [target, found].map(|share| share * 100.0);
            return Err(format!(
                "{name}: {found:.1} % of the {what} were in use, and {target:.1} % were asked for"
            ));
        }
    }
    if state.turnovers < state.turnovers_target * (1.0 - SHARE) {
        let State { turnovers, turnovers_target, .. } = state;
        return Err(format!("{name}: {turnovers:.2} turnovers of the {turnovers_target} asked for"));
    }
    Ok(())
}

/// Counted in the test's own directories before anything else; never assumed.
fn preloaded(name: &str, wanted: u64, job: &Job) -> Result<(), String> {
    let repetition = job.info.repetition;
    let mut counted = states(job).filter(|state| state.kind == "preload").peekable();
    if counted.peek().is_none() {
        return Err(format!("{name}: repetition {repetition} counted no files"));
    }
    match counted.find(|state| state.files != wanted.saturating_mul(state.directories)) {
        None => Ok(()),
        Some(state) => Err(format!(
            "{name}: repetition {repetition} counted {} in {} of {wanted} each",
            several(state.files, "file"),
            // The plural is its own.
            match state.directories {
                1 => "1 directory".to_owned(),
                number => format!("{number} directories"),
            }
        )),
    }
}
