//! A complete run, from the first check to the last count.

use measure::{Clock, CycleClock};
use ranks::{Comm, Halt, Reduce};
use results::Record;
use results::folder::sha256;
use results::record::{ReachedState, StateExtents};
use storage::Storage;

use super::act::Operations;
use super::audit::{Audit, audit};
use super::begin::{AgeingRequest, begin, mark, take_place};
use super::guard::{Guard, NodeTurn};
use super::model::{AgeingModel, Leg};
use super::part::AgeingPart;
use super::plan::AgeingGoal;
use super::settle::{AllRanks, CLOSE_ENOUGH, ROUNDS, ROUNDS_BEFORE, is_close, unsettled};
use super::state::{self, AgeingMarker, AgeingState, Odometer, StatePlaces};
use super::watch::{AgeingProgress, ProgressWatch};
use super::worker::{FileWorker, Past};
use crate::kit::observer::EventObserver;
use crate::kit::rank::Rank;

/// Overwrite cycles below this number count as none.
const NO_CYCLES: f64 = 1e-9;
/// Overwrite cycles are summed over the ranks as multiples of this part.
const CYCLES_UNIT: f64 = 1e9;

/// The result of a run, the same on all ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct AgeingOutcome {
    /// The reached state in the form of a record.
    pub reached: ReachedState,
    /// The number of operations of each kind, over all ranks.
    pub operations: Operations,
    /// The factor for the sizes of the profile.
    pub size_factor: f64,
    /// Whether the run was resumed.
    pub resumed: bool,
}

/// Brings the file system to its goal. Collective; `observer` is used on rank 0.
pub fn run(
    rank: &mut Rank<'_>,
    storage: &dyn Storage,
    request: &AgeingRequest,
    observer: Option<&mut dyn EventObserver<AgeingProgress>>,
) -> Result<AgeingOutcome, Halt> {
    let (comm, clock) = (rank.comm, rank.clock.clone());
    let began_ns = clock.ns();
    let all = AllRanks { comm, leads_node: rank.node.leads() };
    let (marker, model) = begin(comm, storage, request)?;
    let (goal, before) = (marker.goal.clone(), marker.before);
    let sha = sha256(marker.profile.as_bytes());
    let observer = observer.map(|observer| observer as &mut dyn EventObserver<AgeingProgress>);
    let turn = NodeTurn { rank: rank.node.ranks.rank(), ranks: rank.node.ranks.size() };
    let mut me = all_make(comm, storage, request, (&clock, turn), (marker, model), observer)?;
    let audit = take_up(&all, &mut me, request)?;
    work(&all, &mut me, &goal)?;
    let after = all.settle(&mut me, &goal, ROUNDS)?;
    if !is_close(&goal, &after, CLOSE_ENOUGH) {
        comm.agree("settle", Err::<(), _>(unsettled(&after)))?;
    }
    let last = comm.agree("count extents", me.extents())?;
    let mut reached = ReachedState {
        kind: "age".to_owned(),
        dir: request.dir.display().to_string(),
        blocks_target: goal.blocks,
        inodes_target: goal.inodes,
        blocks_before: before.blocks(),
        inodes_before: before.inodes(),
        blocks: after.blocks(),
        inodes: after.inodes(),
        fs_bytes: after.bytes,
        fs_inodes: after.inodes,
        ceiling: goal.ceiling,
        cycles_target: goal.cycles,
        seed: goal.seed,
        profile_sha256: sha,
        made_anew: audit.missing,
        left_over: audit.left_over,
        ..ReachedState::default()
    };
    let operations = sums(comm, &me.model, &mut reached)?;
    reached.extents_first = reduce_extents(comm, me.state.first)?;
    reached.extents = reduce_extents(comm, last)?;
    reached.seconds = (clock.ns() - began_ns) as f64 * 1e-9;
    rank.record(&Record::State(Box::new(reached.clone())))?;
    let (size_factor, resumed) = (me.model.size_factor(), request.resume);
    Ok(AgeingOutcome { reached, operations, size_factor, resumed })
}

/// Adds the results of all ranks' models and the counters to `reached`. Returns the number of operations.
/// Collective.
fn sums(comm: &dyn Comm, model: &AgeingModel, reached: &mut ReachedState) -> Result<Operations, Halt> {
    let cycles = (model.cycles * CYCLES_UNIT) as u64;
    let there = [model.files.len() as u64, model.tree.count(), model.bytes, model.written, cycles];
    let mut sums = [0; 12];
    sums[..5].copy_from_slice(&there);
    sums[5..].copy_from_slice(&model.done.each());
    comm.all_reduce(&mut sums, Reduce::Sum)?;
    let [files, directories, bytes, written, cycles, operations @ ..] = sums;
    (reached.files, reached.directories) = (files, directories);
    (reached.bytes, reached.written_bytes) = (bytes, written);
    reached.cycles = cycles as f64 / CYCLES_UNIT / f64::from(comm.size());
    reached.operations = operations.iter().sum();
    Ok(Operations::from_each(operations))
}

/// Each rank's own directory. Collective.
fn all_make<'a>(
    comm: &'a dyn Comm,
    storage: &'a dyn Storage,
    request: &'a AgeingRequest,
    (clock, turn): (&'a CycleClock, NodeTurn),
    (marker, model): (AgeingMarker, AgeingModel),
    observer: Option<&'a mut dyn EventObserver<AgeingProgress>>,
) -> Result<AgeingPart<'a>, Halt> {
    let rank = u64::from(comm.rank());
    let places = StatePlaces::of(&request.dir, rank);
    let odometer = take_place(comm, request, &places)?;
    mark(comm, request, &marker)?;
    let found = || {
        let state = state::load(&places.state)?.unwrap_or_default();
        Ok::<_, String>((state, Odometer::read(&places.odometer)?))
    };
    let (mut state, done) = comm.agree("begin", found())?;
    share_legs(comm, &mut state)?;
    let names = comm.agree("begin", storage.names().ok_or("this backend has no directories"))?;
    let watch = ProgressWatch::new(observer, &model, marker.goal.cycles);
    let limits = (marker.goal.ceiling, request.timeout_s);
    let mut me = AgeingPart {
        storage,
        names,
        clock,
        hands: FileWorker::new(storage, names, comm, (rank, marker.goal.seed), &places.tree),
        past: if request.resume { Past::Resumed } else { Past::Known },
        guard: Guard::new(storage, comm, clock, &request.dir, limits, turn),
        watch,
        places,
        model,
        state,
        odometer,
        number: 0,
        leg: 0,
    };
    let replayed = me.save().and_then(|()| me.replay(done));
    comm.agree("resume", replayed)?;
    Ok(me)
}

/// All ranks get the legs of the rank with the most: the others stopped just before they knew them.
/// Collective.
fn share_legs(comm: &dyn Comm, state: &mut AgeingState) -> Result<(), Halt> {
    let known = state.legs.len() as u64;
    let most = comm.reduce_one(known, Reduce::Max)?;
    let rank = if known == most { comm.rank() } else { comm.size() };
    let first = comm.reduce_one(rank.into(), Reduce::Min)? as u32;
    let mut text = serde_json::to_vec(&state.legs).unwrap_or_default();
    comm.broadcast(first, &mut text)?;
    let legs = match serde_json::from_slice::<Vec<Leg>>(&text) {
        Ok(legs) if legs.starts_with(&state.legs) => Ok(legs),
        _ => Err("its state is of another run than that of other ranks"),
    };
    state.legs = comm.agree("begin", legs)?;
    Ok(())
}

/// Completes the work that was unfinished when the run stopped. Collective.
fn take_up(all: &AllRanks<'_>, me: &mut AgeingPart<'_>, request: &AgeingRequest) -> Result<Audit, Halt> {
    let mut found = Audit::default();
    me.watch.begin(me.clock.ns(), &me.model);
    if !request.resume {
        return Ok(found);
    }
    let mut restore = || {
        me.redo()?;
        found = audit(me)?;
        me.watch.begin(me.clock.ns(), &me.model);
        me.catch_up()
    };
    let done = restore();
    all.work("resume", done)?;
    let mut sums = [found.missing, found.left_over];
    all.comm.all_reduce(&mut sums, Reduce::Sum)?;
    Ok(Audit { missing: sums[0], left_over: sums[1] })
}

/// The fill, the first count of extents, and the churn, unless they are done. Collective.
fn work(all: &AllRanks<'_>, me: &mut AgeingPart<'_>, goal: &AgeingGoal) -> Result<(), Halt> {
    let filled = !me.state.legs.is_empty();
    all.work("fill", if filled { Ok(()) } else { me.do_leg(Leg::Fill) })?;
    // The first churn starts after the correction of the fill.
    if !me.state.has_churned() {
        all.settle(me, goal, ROUNDS_BEFORE)?;
        let first = all.comm.agree("count extents", me.extents())?;
        me.state.first = first;
        all.comm.agree("count extents", me.save())?;
    }
    let cycles = goal.cycles - me.state.cycles();
    let due = cycles > NO_CYCLES;
    all.work("churn", if due { me.do_leg(Leg::Churn { cycles }) } else { Ok(()) })
}

/// Extents of all ranks; `None` if the file system of one rank does not report them. Collective.
fn reduce_extents(comm: &dyn Comm, mine: Option<StateExtents>) -> Result<Option<StateExtents>, Halt> {
    let known = comm.reduce_one(mine.is_some().into(), Reduce::Min)? > 0;
    let found = mine.unwrap_or_default();
    let mut sums = [found.files, found.extents, found.fragmented, found.bytes];
    comm.all_reduce(&mut sums, Reduce::Sum)?;
    let most = comm.reduce_one(found.most, Reduce::Max)?;
    let [files, extents, fragmented, bytes] = sums;
    Ok(known.then_some(StateExtents { files, extents, fragmented, bytes, most }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ranks::local;

    const FILL: Leg = Leg::Fill;
    const ADJUST: Leg = Leg::Adjust { files: 3, bytes: None };

    fn shared(of: [&'static [Leg]; 3]) -> Vec<Result<Vec<Leg>, Halt>> {
        let all = local::run(3, |comm| {
            let legs = of[comm.rank() as usize].to_vec();
            let mut state = AgeingState { legs, ..AgeingState::default() };
            share_legs(comm, &mut state).map(|()| state.legs)
        });
        all.into_iter().map(|one| one.and_then(|legs| legs)).collect()
    }

    #[test]
    fn a_rank_that_was_stopped_before_it_knew_a_leg_gets_it_from_the_others() {
        let all = shared([&[FILL], &[FILL, ADJUST], &[]]);
        assert!(all.iter().all(|legs| legs.as_deref() == Ok(&[FILL, ADJUST])), "{all:?}");
        let all = shared([&[FILL], &[FILL, ADJUST], &[ADJUST]]);
        let why = "begin: rank 2 (node ";
        assert!(all.iter().all(|one| one.as_ref().is_err_and(|halt| halt.to_string().starts_with(why))));
    }
}
