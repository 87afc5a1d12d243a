//! The body of every rank: the phases one after the other. All ranks start each phase together, each in its
//! own tree.

use command::fdtree::FdtreeShape;
use ranks::{Halt, Reduce};
use results::reason::Reason;
use results::record::Phase;
use storage::{Names, Storage};
use units::Usage;

use super::find::{has_shape, is_bare};
use super::operations::{MakeFiles, NameCall, RemoveDirs};
use crate::kit::drive::Stop;
use crate::kit::failed_call::words;
use crate::kit::few;
use crate::kit::observer::EventObserver;
use crate::kit::operations::{Operating, Operation, OperationSetting};
use crate::kit::order::TransferOrder;
use crate::kit::rank::Rank;

/// The settings of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FdtreeParameters {
    /// The shape of each tree.
    pub shape: FdtreeShape,
    /// The base of the tree, without a final slash. If there are several ranks, a dot and the number of the
    /// rank follow.
    pub base: String,
    /// Create the trees.
    pub create: bool,
    /// Remove the trees.
    pub remove: bool,
    /// A failed operation is counted and the run continues. The run still fails at the end.
    pub keep_going: bool,
}

impl FdtreeParameters {
    /// The base of the tree of `rank` of `ranks`.
    pub fn tree(&self, rank: u32, ranks: u32) -> String {
        if ranks == 1 { self.base.clone() } else { format!("{}.{rank}", self.base) }
    }

    /// The phases of this run, in their order.
    pub fn steps(&self) -> impl Iterator<Item = FdtreePhase> {
        let (create, remove) = (self.create, self.remove);
        FdtreePhase::ALL.into_iter().filter(move |step| if step.creates() { create } else { remove })
    }

    /// Rejects settings that cannot run, before any rank starts.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        self.shape.check(ranks, self.tree(ranks.saturating_sub(1), ranks).len())
    }
}

/// A phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FdtreePhase {
    /// `mkdir` of the base and of all directories below it.
    CreateDirectories,
    /// Files are written.
    CreateFiles,
    /// Files are removed.
    RemoveFiles,
    /// Directories are removed, the base last.
    RemoveDirectories,
}

impl FdtreePhase {
    /// All phases, in their order.
    pub const ALL: [Self; 4] =
        [Self::CreateDirectories, Self::CreateFiles, Self::RemoveFiles, Self::RemoveDirectories];

    /// The name of the phase in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateDirectories => "directory_creation",
            Self::CreateFiles => "file_creation",
            Self::RemoveFiles => "file_removal",
            Self::RemoveDirectories => "directory_removal",
        }
    }

    fn creates(self) -> bool {
        matches!(self, Self::CreateDirectories | Self::CreateFiles)
    }

    /// Number of names of one tree that the phase visits.
    pub fn items(self, shape: FdtreeShape) -> u64 {
        match self {
            Self::CreateDirectories | Self::RemoveDirectories => shape.directories(),
            Self::CreateFiles | Self::RemoveFiles => shape.files_total(),
        }
    }
}

/// One event.
#[derive(Debug)]
pub enum FdtreeEvent<'a> {
    /// The ranks have met; [`Phase::began_s`] counts from here.
    Started,
    /// A phase begins.
    Begins(FdtreePhase),
    /// A phase has ended on all ranks.
    Ended {
        /// The phase.
        step: FdtreePhase,
        /// The record of the phase.
        phase: &'a Phase,
    },
    /// A directory that was to be removed holds an entry that does not belong to the tree. The entry was not
    /// removed.
    Foreign {
        /// The rank of the tree.
        rank: u32,
        /// The name of the entry.
        path: &'a str,
    },
    /// A notice for the reader of the numbers.
    Notice(&'a Reason),
}

/// Receives the events of a run.
pub type FdtreeListener<'o> = dyn for<'e> EventObserver<FdtreeEvent<'e>> + 'o;

/// Creates and removes the trees as requested. Returns the number of failed operations of all ranks.
/// Collective.
pub fn run(
    parameters: &FdtreeParameters,
    storage: &dyn Storage,
    rank: &mut Rank<'_>,
    observer: &mut FdtreeListener<'_>,
) -> Result<u64, Halt> {
    let comm = rank.comm;
    if comm.rank() == 0 {
        observer.event(&FdtreeEvent::Started);
    }
    let names = comm.agree("names", storage.names().ok_or("this backend has no directories"))?;
    let base = parameters.tree(comm.rank(), comm.size());
    if !parameters.create && !parameters.keep_going {
        comm.agree("tree", has_shape(names, &base, parameters.shape))?;
    }
    // If only the base is left, no name counts as missing: an earlier run removed the rest.
    let bare = !parameters.create && is_bare(names, &base);
    let bare = comm.reduce_one(bare.into(), Reduce::Min)? > 0;
    let shape = if bare { FdtreeShape { levels: 0, files: 0, ..parameters.shape } } else { parameters.shape };
    let parameters = &FdtreeParameters { shape, ..parameters.clone() };
    let mut tree = RankTree { parameters, storage, names, base, rank, observer };
    let mut failed = 0;
    for step in parameters.steps() {
        failed += tree.step(step)?;
    }
    for reason in tree.rank.node_notices() {
        tree.observer.event(&FdtreeEvent::Notice(&reason));
    }
    Ok(failed)
}

/// The tree of one rank in a run.
struct RankTree<'a, 'r> {
    parameters: &'a FdtreeParameters,
    storage: &'a dyn Storage,
    names: &'a dyn Names,
    base: String,
    rank: &'a mut Rank<'r>,
    observer: &'a mut FdtreeListener<'a>,
}

impl RankTree<'_, '_> {
    fn step(&mut self, step: FdtreePhase) -> Result<u64, Halt> {
        let first = self.rank.comm.rank() == 0;
        if first {
            self.observer.event(&FdtreeEvent::Begins(step));
        }
        let (shape, names, comm) = (self.parameters.shape, self.names, self.rank.comm);
        let mut foreign = None;
        let phase = match step {
            FdtreePhase::CreateDirectories => {
                self.phase(step, &mut NameCall::make_dirs(names, shape, &self.base))
            }
            FdtreePhase::CreateFiles => {
                let made = MakeFiles::new(self.storage, comm, shape, &self.base);
                let mut files = comm.agree("memory", made.map_err(|error| words(&error)))?;
                self.phase(step, &mut files)
            }
            FdtreePhase::RemoveFiles => {
                self.phase(step, &mut NameCall::remove_files(names, shape, &self.base))
            }
            FdtreePhase::RemoveDirectories => {
                let mut dirs = RemoveDirs::new(names, shape, &self.base, self.parameters.keep_going);
                let phase = self.phase(step, &mut dirs);
                foreign = dirs.foreign;
                phase
            }
        }?;
        self.rank.record_phase(&phase)?;
        if first {
            self.observer.event(&FdtreeEvent::Ended { step, phase: &phase });
        }
        if step == FdtreePhase::RemoveDirectories {
            self.tell(foreign)?;
        }
        Ok(phase.failed.map_or(0, |failed| failed.operations))
    }

    /// Visits the names of the phase on all ranks together.
    fn phase(&mut self, step: FdtreePhase, operation: &mut dyn Operation) -> Result<Phase, Halt> {
        let rank = &mut *self.rank;
        let creates_files = step == FdtreePhase::CreateFiles;
        let known = Phase {
            phase: step.name().to_owned(),
            backend: command::POSIX.to_owned(),
            file_per_rank: true,
            path: self.parameters.tree(0, rank.comm.size()),
            transfer_bytes: if creates_files { self.parameters.shape.file_bytes() } else { 0 },
            ..Phase::default()
        };
        let setting = OperationSetting { known, keep_going: self.parameters.keep_going };
        let items = step.items(self.parameters.shape);
        let mut order = TransferOrder::items(items);
        let mut doing = Operating::begin(rank, setting, None)?;
        let mut reached = 0;
        if step == FdtreePhase::CreateDirectories {
            // If the base exists as a file, it is not used.
            reached = doing.run_until_failure(rank, operation, &mut order, Stop::after(1));
        }
        doing.run(rank, operation, &mut order, reached, Stop::after(items));
        doing.end(rank, || Ok(())).map(|done| done.phase)
    }

    /// Reports entries that do not belong to the trees. Collective.
    fn tell(&mut self, foreign: Option<String>) -> Result<(), Halt> {
        let collected = few::collect(self.rank.comm, foreign.as_deref())?;
        for (rank, path) in collected.parcels {
            self.observer.event(&FdtreeEvent::Foreign { rank, path: &path });
        }
        Ok(())
    }
}
