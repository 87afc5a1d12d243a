//! A run: creation, iterations of the benchmark, removal (md-workbench 4.1).
//!
//! The phases begin together. So at the begin of an iteration all objects of the working set exist. An
//! iteration of at most as many objects as there are in a data set never needs one that is created in it.

use results::reason::{Reason, reason};
use std::io;
use std::path::Path;

use command::md_workbench::Request;
use measure::{Clock, CycleClock, Tick};
use ranks::{Comm, Halt, Reduce};
use results::record::{Failed, Phase};
use results::records::Sink;
use storage::{Names, Storage};

use super::kinds::{RankTotals, all_failed};
use super::latency_files;
use super::objects::{ObjectSteps, PERMISSIONS};
use super::result::{self, ObjectCall, WorkbenchPhase, WorkbenchStep, quantiles};
use super::warm;
use crate::kit::drive::Stop;
use crate::kit::failed_call::call_failed;
use crate::kit::observer::EventObserver;
use crate::kit::operations::failures::Failures;
use crate::kit::operations::{Operating, OperationSetting, OperationsDone};
use crate::kit::order::TransferOrder;
use crate::kit::path::c_path;
use crate::kit::rank::Rank;
use crate::kit::{clients, few, reduce, status};

/// The second waiting factor of `-T`. The first one is 0, and each later one is twice the one before.
const FIRST_WAIT: f64 = 0.0625;

/// The result of a run that did not halt; the same on every rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkbenchSummary {
    /// Operations that failed while the run continued, and objects with wrong data. Without
    /// [`Request::precreate`], no missing objects: another run left the data sets as they are.
    pub errors: u64,
}

/// What happens in a run, on rank 0.
#[derive(Debug)]
pub enum WorkbenchEvent<'e> {
    /// The ranks have met. For each rank: whether it is on the node of rank 0.
    Started(&'e [bool]),
    /// The directory of `-o` could not be created.
    DirExists(&'e str),
    /// After the deadline, which came after these seconds, all ranks continue to this number of objects.
    WearOut(f64, u64),
    /// A phase has ended.
    Ended(&'e WorkbenchPhase),
    /// A directory is not empty and stays.
    Kept(&'e str),
    /// A notice for the reader of the numbers.
    Notice(&'e Reason),
    /// The run is complete.
    Over,
}

/// Receives the events of a run.
pub type WorkbenchListener<'o> = dyn for<'e> EventObserver<WorkbenchEvent<'e>> + 'o;

struct Workbench<'r> {
    parameters: &'r Request,
    storage: &'r dyn Storage,
    names: &'r dyn Names,
    rank: Rank<'r>,
    observer: &'r mut WorkbenchListener<'r>,
    signature: i32,
    /// The number of the oldest object.
    position: u64,
    iteration: u32,
    waiting: f64,
    errors: u64,
    /// Whether this run has created something that is not removed yet.
    made: bool,
}

/// Runs settings that passed [`Request::check`]. Only rank 0's records, observer and seed are
/// used. Collective.
pub fn run(
    parameters: &Request,
    storage: &dyn Storage,
    comm: &dyn Comm,
    clock: &mut CycleClock,
    records: &mut dyn Sink,
    observer: &mut WorkbenchListener<'_>,
    seed: u64,
) -> Result<WorkbenchSummary, Halt> {
    let none = || format!("{} has no directories. Use -a POSIX", parameters.backend);
    let names = comm.agree("names", storage.names().ok_or_else(none))?;
    let rank = Rank::begin(comm, clock, records, None, &clients::dirs(storage, [&parameters.dir]))?;
    let seed = rank.same_seed(seed)?;
    let signature = parameters.signature.unwrap_or(seed as i32);
    let mut bench = Workbench {
        parameters,
        storage,
        names,
        rank,
        observer,
        signature,
        position: 0,
        iteration: 0,
        waiting: parameters.waiting,
        errors: 0,
        made: false,
    };
    bench.begin()?;
    bench.phases().map_err(|halt| bench.with_remaining_dir(halt))?;
    Ok(WorkbenchSummary { errors: bench.errors })
}

impl<'r> Workbench<'r> {
    /// Reports the ranks, and finds the position. Collective.
    fn begin(&mut self) -> Result<(), Halt> {
        let (parameters, comm) = (self.parameters, self.rank.comm);
        let on_node_0: Vec<bool> = match &self.rank.node.table {
            Some(table) => (0..comm.size()).map(|rank| table.number(rank) == 0).collect(),
            None => Vec::new(),
        };
        if (parameters.benchmark || parameters.cleanup) && !parameters.precreate {
            let path = &parameters.run_info;
            let text = status::read(comm, path)?;
            let position = text.strip_prefix("pos: ").and_then(|number| number.trim().parse().ok());
            let why = || format!("{path}: it has no position of a run with -1. Run with -1 first, or add -1");
            self.position = comm.agree("run info file", position.ok_or_else(why))?;
        }
        self.observer.event(&WorkbenchEvent::Started(&on_node_0));
        for reason in self.rank.node_notices() {
            self.observer.event(&WorkbenchEvent::Notice(&reason));
        }
        if parameters.start_item > 0 {
            self.position = parameters.start_item;
        }
        self.report_warm_names()
    }

    /// Reports that nodes use what they have just created. Only rank 0 knows the nodes of all ranks.
    /// Collective.
    fn report_warm_names(&mut self) -> Result<(), Halt> {
        let (parameters, comm) = (self.parameters, self.rank.comm);
        let table = self.rank.node.table.as_ref().filter(|_| parameters.benchmark);
        let is_warm = table.is_some_and(|table| warm::uses_own_objects(parameters, table, comm.size()));
        if comm.reduce_one(is_warm.into(), Reduce::Max)? == 0 {
            return Ok(());
        }
        let reason = reason!(WarmNames);
        self.observer.event(&WorkbenchEvent::Notice(&reason));
        // The notice is about the phases of single kinds of operations, too.
        self.rank.notice(0, "", &reason)
    }

    fn phases(&mut self) -> Result<(), Halt> {
        let parameters = self.parameters;
        if parameters.precreate {
            self.make_dir()?;
            self.made = true;
            self.phase(WorkbenchStep::Precreate)?;
        }
        if parameters.benchmark {
            for iteration in 0..parameters.iterations {
                self.iteration = iteration;
                if parameters.adaptive {
                    self.waiting = 0.0;
                }
                self.phase(WorkbenchStep::Benchmark)?;
                for number in 1..parameters.benchmarks_each() {
                    self.waiting = FIRST_WAIT * f64::from(1_u32 << (number - 1));
                    self.phase(WorkbenchStep::Benchmark)?;
                }
            }
            self.iteration = parameters.iterations;
        }
        if parameters.cleanup {
            self.phase(WorkbenchStep::Cleanup)?;
            self.remove_dir()?;
        } else {
            status::write(self.rank.comm, &parameters.run_info, &format!("pos: {}\n", self.position))?;
        }
        self.observer.event(&WorkbenchEvent::Over);
        Ok(())
    }

    /// Rank 0 creates the directory of all data sets. Collective.
    fn make_dir(&mut self) -> Result<(), Halt> {
        let (dir, comm) = (Path::new(&self.parameters.dir), self.rank.comm);
        let mut exists = false;
        let made = match comm.rank() {
            0 => match self.names.make_dir(&c_path(dir), PERMISSIONS) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    exists = true;
                    Ok(())
                }
                made => made.map_err(|error| call_failed("mkdir", dir, &error)),
            },
            _ => Ok(()),
        };
        comm.agree("directory", made)?;
        if exists {
            self.observer.event(&WorkbenchEvent::DirExists(&self.parameters.dir));
        }
        Ok(())
    }

    /// Rank 0 removes it, if it is empty. Collective.
    fn remove_dir(&mut self) -> Result<(), Halt> {
        let dir = Path::new(&self.parameters.dir);
        if self.rank.comm.rank() == 0 && self.names.remove_dir(&c_path(dir)).is_err() {
            self.observer.event(&WorkbenchEvent::Kept(&self.parameters.dir));
        }
        self.made = false;
        self.rank.comm.barrier()
    }

    /// Does a phase, records it and reports it. Collective.
    fn phase(&mut self, step: WorkbenchStep) -> Result<(), Halt> {
        let (parameters, comm) = (self.parameters, self.rank.comm);
        let steps = ObjectSteps::new(
            parameters,
            (self.storage, self.names),
            (comm, &*self.rank.clock),
            self.signature,
            (step, self.position, self.waiting),
        );
        let mut steps = comm.agree(step.name(), steps)?;
        let known = Phase {
            repetition: self.iteration,
            phase: step.name().to_owned(),
            backend: parameters.backend.to_lowercase(),
            file_per_rank: true,
            direct: step != WorkbenchStep::Cleanup && self.storage.direct(),
            path: parameters.dir.clone(),
            smallest_file_bytes: (step == WorkbenchStep::Precreate).then_some(parameters.object_bytes),
            ..Phase::default()
        };
        let mut doing =
            Operating::begin(&mut self.rank, OperationSetting { known, keep_going: false }, None)?;
        steps.begun = doing.begun();
        let count = steps.count();
        let mut order = TransferOrder::items(count);
        let mut stonewall = 0;
        let mut objects = parameters.objects;
        if step == WorkbenchStep::Benchmark && parameters.deadline > 0 {
            (objects, stonewall) = self.until_deadline(&mut doing, &mut steps, &mut order)?;
        } else {
            doing.run(&self.rank, &mut steps, &mut order, 0, Stop::after(count));
        }
        let done = doing.end(&mut self.rank, || Ok(()))?;
        if step == WorkbenchStep::Benchmark && !parameters.read_only {
            self.position += objects;
        }
        self.conclude(steps, done, stonewall)
    }

    /// The benchmark until the deadline. Returns the objects of a data set that this rank reached, and the
    /// number that is reported. Collective.
    fn until_deadline(
        &mut self,
        doing: &mut Operating,
        steps: &mut ObjectSteps<'_>,
        order: &mut TransferOrder,
    ) -> Result<(u64, u64), Halt> {
        let parameters = self.parameters;
        let each = parameters.sets * steps.calls_each();
        let scale = self.rank.clock.scale();
        let end = Tick(doing.begun().0 + scale.ticks(u64::from(parameters.deadline) * 1_000_000_000));
        let mut reached = 0;
        let mut passed = false;
        while reached < parameters.objects && !passed && !doing.has_failed() && !self.rank.comm.alarm_raised()
        {
            doing.run(&self.rank, steps, order, reached * each, Stop::after((reached + 1) * each));
            reached += 1;
            passed = self.rank.clock.now() >= end;
        }
        let at = scale.ns(self.rank.clock.now().0 - doing.begun().0) as f64 * 1e-9;
        let most = self.rank.comm.reduce_one(reached, Reduce::Max)?;
        if !parameters.wear_out {
            // A rank that reached all objects was not stopped.
            let stopped = if passed && reached < parameters.objects { reached } else { 0 };
            return Ok((reached, self.rank.comm.reduce_one(stopped, Reduce::Max)?));
        }
        if passed {
            self.observer.event(&WorkbenchEvent::WearOut(at, most));
        }
        doing.run(&self.rank, steps, order, reached * each, Stop::after(most * each));
        Ok((most, most))
    }

    /// Records and reports a phase. Collective.
    fn conclude(
        &mut self,
        mut steps: ObjectSteps<'_>,
        done: OperationsDone,
        stonewall: u64,
    ) -> Result<(), Halt> {
        let (parameters, comm, step) = (self.parameters, self.rank.comm, steps.step);
        let (wrong, kept) = (steps.compared.first(), steps.kept.take());
        let mine = steps.result(done.own_seconds);
        let texts = [wrong.is_some(), kept.is_some()];
        let failed = steps.failures.each_ref().map(Failures::count);
        let totals = RankTotals::reduce(comm, &mine, &mut steps.histograms, failed, texts)?;
        let failures = totals.failures(comm, steps.failures)?;
        let whole = Phase { failed: all_failed(&failures), ..done.phase };
        self.rank.record_phase(&whole)?;
        let has_compared = parameters.verify && totals.has(ObjectCall::Read);
        let check = if has_compared { Some(steps.compared.over_ranks(comm)?) } else { None };
        let merged = std::array::from_fn(|call| quantiles(&steps.histograms[call]));
        let (all, ranks) = result::over_ranks(comm, &mine, merged)?;
        for call in ObjectCall::ALL.into_iter().filter(|call| totals.tried(*call)) {
            // Other phases have one kind of operation on objects only, so they are recorded as a whole.
            if step == WorkbenchStep::Benchmark {
                let latency = reduce::latency_on_rank_0(comm, &steps.histograms[call as usize]);
                let of_ranks = (&ranks[..], &*self.rank.node);
                let phase = Phase {
                    failed: failures[call as usize].clone(),
                    check: check.clone().filter(|_| call == ObjectCall::Read),
                    ..totals.record(&whole, call, parameters.object_bytes, latency, of_ranks)
                };
                self.rank.record_phase(&phase)?;
            }
            if call.is_of_object() && totals.has(call) {
                let at = (self.waiting, self.iteration);
                latency_files::write(parameters, comm, (step, call), at, &steps.logged[call as usize])?;
            }
        }
        let missing = failures[ObjectCall::Stat as usize].as_ref();
        let excused = missing.filter(|_| !parameters.precreate).map_or(0, |missing| missing.operations);
        self.errors += totals.errors - excused;
        let tried = all.count(ObjectCall::Stat).done + all.count(ObjectCall::Stat).errors;
        let phase = WorkbenchPhase { step, waiting: self.waiting, all, ranks, stonewall };
        self.observer.event(&WorkbenchEvent::Ended(&phase));
        self.report_missing_objects(missing, tried);
        self.report_wrong_data(totals.wrong, wrong)?;
        for (_, path) in few::collect_known(comm, totals.kept, kept.as_deref(), few::BYTES)?.parcels {
            self.observer.event(&WorkbenchEvent::Kept(&path));
        }
        Ok(())
    }

    /// Names the first missing object of the `tried` ones. The records have more of them.
    fn report_missing_objects(&mut self, missing: Option<&Failed>, tried: u64) {
        let Some(missing) = missing else { return };
        let first = missing.first.first();
        let reason = reason!(MissingObjects {
            iteration: self.iteration,
            missing: missing.operations,
            of: tried,
            rank: first.map(|first| first.rank),
            path: first.map(|first| &first.path),
        });
        self.observer.event(&WorkbenchEvent::Notice(&reason));
    }

    /// Names the first object of each of the `total` ranks that found wrong data. Collective.
    fn report_wrong_data(&mut self, total: u64, wrong: Option<&str>) -> Result<(), Halt> {
        let found = few::collect_known(self.rank.comm, total, wrong, few::BYTES)?.parcels;
        if total == 0 {
            return Ok(());
        }
        let objects: Vec<String> =
            found.into_iter().map(|(rank, path)| format!("rank {rank}: {path}")).collect();
        let reason = reason!(WrongObjects { iteration: self.iteration, objects });
        self.observer.event(&WorkbenchEvent::Notice(&reason));
        self.rank.notice(self.iteration, "", &reason)
    }

    /// Adds the directory to a halt. Nothing is removed after a halt, so that the user can find the reason.
    fn with_remaining_dir(&self, mut halt: Halt) -> Halt {
        if self.made {
            halt.why.push_str(&format!(" (this run's data sets are not removed: {})", self.parameters.dir));
        }
        halt
    }
}
