//! One phase of a run on all ranks: the commands before and after it, its deadline, its record, and its
//! report.

use ranks::FailureCause;
use std::path::PathBuf;
use std::process::Command;

use command::mdtest::{ItemOperation, Request, When};
use measure::{Clock, Tick};
use ranks::Halt;
use results::record::Phase;

use super::observer::{EndedPhase, MdtestEvent, MdtestListener, RankTimes};
use super::state::MdtestRun;
use crate::kit::drive::Stop;
use crate::kit::failed_call::{path_and_words, words};
use crate::kit::layout::DataLayout;
use crate::kit::operations::{Operating, Operation, OperationSetting, OperationsDone};
use crate::kit::order::TransferOrder;
use crate::kit::pace::Ending;
use crate::kit::parts::ReductionParts;
use crate::kit::permutation::seed_of;
use crate::kit::reduce::{self, DeadlinePlaces, DoneAtDeadline};
use crate::kit::transfer_log::TransferLog;

/// The verbosity at which the paths of trees are reported, and the one for items.
pub(super) const TREES_AT: u32 = 2;
const ITEMS_AT: u32 = 3;
/// Number of steps between two checks whether another rank has failed.
const ALARM_CHECK_STEPS: u64 = 256;

/// The fixed properties of a phase.
pub(super) struct PhasePlan {
    pub(super) row: &'static ItemOperation,
    /// Operations of this rank.
    pub(super) count: u64,
    /// Operations of a rank, as reported.
    pub(super) announced: u64,
    /// Bytes that each operation moves.
    pub(super) bytes_each: u64,
    /// Whether each operation flushes its data to storage (fsync).
    pub(super) persisted: bool,
    /// Whether the items are visited in the order of `-R`.
    pub(super) shuffled: bool,
    /// Whether `-W` ends it.
    pub(super) deadline: bool,
    /// Bytes of each operation in the log of `--savePerOpDataCSV`; `None` if the phase has no log.
    pub(super) logged: Option<u64>,
    /// The verbosity at which its paths are reported.
    pub(super) names_at: u32,
}

impl PhasePlan {
    /// A phase of `count` operations on this rank. Usually each rank has as many as there are items.
    pub(super) fn new(run: &MdtestRun<'_>, row: &'static ItemOperation, count: u64) -> Self {
        Self {
            row,
            count,
            announced: run.items,
            bytes_each: 0,
            persisted: false,
            shuffled: false,
            deadline: false,
            logged: None,
            names_at: ITEMS_AT,
        }
    }
}

/// Work in the time of a phase that is not one of its operations, and how often it is done.
pub(super) type SideOperation<'o> = Option<(&'o mut dyn Operation, u64)>;

/// Does a phase and returns the result. [`conclude`] must follow. The `bytes` at a deadline are still
/// operations. Collective.
pub(super) fn perform(
    run: &mut MdtestRun<'_>,
    plan: &PhasePlan,
    operation: &mut dyn Operation,
    aside: SideOperation<'_>,
) -> Result<OperationsDone, Halt> {
    let parameters = run.parameters;
    // mdtest does not treat the tree as a phase, so nothing is added to its time.
    let commanded = !matches!(plan.row.when, When::Begin | When::End);
    if let Some(command) = parameters.before_phase.as_deref().filter(|_| commanded) {
        run.rank.comm.agree("before phase", shell(command))?;
    }
    let setting = setting(run, plan);
    let log = run.rank.comm.agree(plan.row.label, log(run, plan))?;
    let mut order = order(run, plan);
    run.observer.event(&MdtestEvent::Begins { phase: plan.row.phase, items: plan.announced });
    let rank = &mut run.rank;
    let mut announced = AnnouncedOperation { inner: operation, observer: &mut *run.observer };
    let announces = rank.comm.rank() == 0 && parameters.verbose >= plan.names_at;
    let mut doing = Operating::begin(rank, setting, log)?;
    if parameters.time_unique_dir && parameters.unique_dir && makes_items(plan.row) {
        rank.comm.barrier()?;
    }
    let operation: &mut dyn Operation = if announces { &mut announced } else { &mut *announced.inner };
    let deadline = match plan.deadline {
        true => {
            let ticks = rank.clock.scale().ticks(u64::from(parameters.deadline) * 1_000_000_000);
            Tick(doing.begun().0 + ticks)
        }
        false => Stop::NEVER,
    };
    let stop = Stop { transfers: plan.count, deadline };
    let (reached, ending) = doing.run(rank, operation, &mut order, 0, stop);
    let mut wall = None;
    if plan.deadline {
        // The bytes are known only at the end of the phase.
        let mine = DoneAtDeadline {
            transfers: reached,
            bytes: reached,
            elapsed_ns: rank.clock.scale().ns(rank.clock.now().0 - doing.begun().0),
            ran_dry: ending == Ending::Complete,
        };
        let mut parts = ReductionParts::default();
        let places = DeadlinePlaces::add(&mut parts, mine);
        let (met, _) = places.stonewall(&parts.reduce(rank.comm)?, parameters.deadline, true);
        doing.run(rank, operation, &mut order, reached, Stop::after(met.transfers_max));
        wall = Some(met);
    }
    if let Some((other, count)) = aside {
        rank.comm.barrier()?;
        doing.run_outside(rank, other, count);
    }
    let mut done = doing.end(rank, || if commanded { Ok(after_phase(parameters)?) } else { Ok(()) })?;
    done.phase.stonewall = wall;
    Ok(done)
}

/// Takes over the number of items after a deadline. Returns the event to report if the deadline stopped any
/// rank.
pub(super) fn stonewalled(
    run: &mut MdtestRun<'_>,
    plan: &mut PhasePlan,
    done: &mut OperationsDone,
) -> Option<MdtestEvent<'static>> {
    let wall = done.phase.stonewall.as_mut()?;
    let (least, most, ranks) = (wall.transfers_min, wall.transfers_max, run.ranks());
    run.items = most;
    plan.announced = most;
    let mean = wall.bytes as f64 / f64::from(ranks);
    wall.bytes *= plan.bytes_each;
    (wall.ran_dry < ranks).then_some(MdtestEvent::Stonewall { least, most, mean })
}

/// Records and reports a phase. Collective.
pub(super) fn conclude(run: &mut MdtestRun<'_>, plan: &PhasePlan, done: OperationsDone) -> Result<(), Halt> {
    run.summary.failed += done.phase.failed.as_ref().map_or(0, |failed| failed.operations);
    let own = RankTimes { operations: done.operations, own_s: done.own_seconds, seconds: done.seconds };
    let ranks = if run.parameters.rank_times { gather(run, own)? } else { Vec::new() };
    let stall = done.phase.stall_reason(plan.row.label).filter(|_| run.rank.comm.rank() == 0);
    run.rank.record_phase_and_stall(&done.phase, stall.as_ref())?;
    if let Some(reason) = &stall {
        run.observer.event(&MdtestEvent::Notice(reason));
    }
    let (phase, label) = (&done.phase, plan.row.label);
    let ended = EndedPhase { phase, label, items: plan.announced, rank_0: own, ranks: &ranks };
    run.observer.event(&MdtestEvent::Ended(ended));
    Ok(())
}

/// Calls `what` `count` times on this rank, outside of any clock. All ranks halt if one call fails.
/// Collective.
pub(super) fn untimed(
    run: &MdtestRun<'_>,
    step: &str,
    count: u64,
    mut what: impl FnMut(u64) -> Result<(), FailureCause>,
) -> Result<(), Halt> {
    let comm = run.rank.comm;
    let mut done = Ok(());
    for number in 0..count {
        if number.is_multiple_of(ALARM_CHECK_STEPS) && comm.alarm_raised() {
            break;
        }
        done = what(number);
        if done.is_err() {
            comm.raise_alarm();
            break;
        }
    }
    comm.agree(step, done)
}

/// Whether a phase creates the items. With `-t` its time includes one more barrier.
fn makes_items(row: &ItemOperation) -> bool {
    matches!(row.phase, "directory_creation" | "file_creation")
}

fn setting(run: &MdtestRun<'_>, plan: &PhasePlan) -> OperationSetting {
    let parameters = run.parameters;
    let known = Phase {
        test: run.test,
        repetition: run.iteration,
        phase: plan.row.phase.to_owned(),
        backend: parameters.backend.to_lowercase(),
        file_per_rank: parameters.unique_dir,
        path: super::names::test_dir(parameters, 0, run.iteration, 0),
        transfer_bytes: plan.bytes_each,
        persisted: plan.persisted,
        direct: plan.bytes_each > 0 && run.storage.direct(),
        data_key: run.key.map(|key| key.facts().clone()).filter(|_| plan.bytes_each > 0),
        ..Phase::default()
    };
    // A removal does what it can, so that little is left to the user.
    OperationSetting { known, keep_going: parameters.keep_going || plan.row.removes() }
}

/// The log file for the single operations of this rank. As in the classic program, `PREFIX-LABEL-RANK.csv` is
/// that of the last iteration. The log of an earlier one is not overwritten but renamed to
/// `PREFIX.ITERATION-LABEL-RANK.csv`, so that `PREFIX-*` are the files of one iteration. From the second
/// number of ranks on, its name has the number of the run too.
fn log(run: &MdtestRun<'_>, plan: &PhasePlan) -> Result<Option<TransferLog>, String> {
    let (Some(prefix), Some(bytes)) = (&run.parameters.operation_csv, plan.logged) else { return Ok(None) };
    let rest = format!("-{}-{:05}.csv", plan.row.label, run.rank.comm.rank());
    let last = PathBuf::from(format!("{prefix}{rest}"));
    if let Some((test, iteration)) = iteration_before(run) {
        let number = if test > 0 { format!("{test}-{iteration}") } else { iteration.to_string() };
        let kept = format!("{prefix}.{number}{rest}");
        std::fs::rename(&last, kept).map_err(|error| path_and_words(&last, &error))?;
    }
    TransferLog::create(&last, bytes.max(1), plan.count, false).map(Some)
}

/// The iteration that this rank did before the current one, and the run on a number of ranks that it was in.
fn iteration_before(run: &MdtestRun<'_>) -> Option<(u32, u32)> {
    if run.iteration > 0 {
        return Some((run.test, run.iteration - 1));
    }
    let test = run.test.checked_sub(1)?;
    let ranks = run.parameters.numbers_of_ranks(run.ranks()).into_iter().nth(test as usize)?;
    (run.rank.comm.rank() < ranks).then(|| (test, run.parameters.iterations - 1))
}

fn order(run: &MdtestRun<'_>, plan: &PhasePlan) -> TransferOrder {
    match run.order_seed.filter(|_| plan.shuffled) {
        None => TransferOrder::items(plan.count),
        Some(seed) => TransferOrder::shuffled(DataLayout::items(plan.count), 0, seed_of(&[seed])),
    }
}

/// The work that `-Y` and `--run-cmd-after-phase` add to a phase's time.
fn after_phase(parameters: &Request) -> Result<(), String> {
    if parameters.call_sync {
        shell("sync")?;
    }
    parameters.after_phase.as_deref().map_or(Ok(()), shell)
}

/// Runs a command in the shell.
fn shell(command: &str) -> Result<(), String> {
    match Command::new("sh").args(["-c", command]).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("`{command}`: {status}")),
        Err(error) => Err(format!("`{command}`: {}", words(&error))),
    }
}

/// The numbers of every rank, on rank 0; empty on the others. Collective.
fn gather(run: &MdtestRun<'_>, own: RankTimes) -> Result<Vec<RankTimes>, Halt> {
    let mine = [own.operations, own.own_s.to_bits(), own.seconds.to_bits()];
    let all = reduce::gather(run.rank.comm, mine)?.unwrap_or_default();
    let row = |[operations, own_s, seconds]: [u64; 3]| RankTimes {
        operations,
        own_s: f64::from_bits(own_s),
        seconds: f64::from_bits(seconds),
    };
    Ok(all.into_iter().map(row).collect())
}

/// An operation that reports every path before the call on it.
struct AnnouncedOperation<'o> {
    inner: &'o mut dyn Operation,
    observer: &'o mut MdtestListener<'o>,
}

impl Operation for AnnouncedOperation<'_> {
    fn before(&mut self, item: u64) {
        self.inner.before(item);
        let (what, path) = self.inner.failed();
        self.observer.event(&MdtestEvent::Name { what, path: &path.to_string_lossy() });
    }

    fn operate(&mut self, item: u64) -> std::io::Result<()> {
        self.inner.operate(item)
    }

    fn after(&mut self, item: u64) {
        self.inner.after(item);
    }

    fn failed(&self) -> (&'static str, &std::path::Path) {
        self.inner.failed()
    }

    fn direct_bytes(&self) -> Option<u64> {
        self.inner.direct_bytes()
    }
}
