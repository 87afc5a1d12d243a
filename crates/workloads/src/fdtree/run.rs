//! Every rank's body: the phases one after the other, all ranks in step, each in its own tree.

use ranks::{Halt, Reduce};
use results::record::Phase;
use storage::{Names, Storage};
use units::Usage;

use super::find::{has_shape, is_bare};
use super::operations::{MakeFiles, NameCall, RemoveDirs};
use super::shape::FdtreeShape;
use crate::kit::drive::{Stop, words};
use crate::kit::few;
use crate::kit::observer::EventObserver;
use crate::kit::operations::{Operating, Operation, OperationSetting};
use crate::kit::order::TransferOrder;
use crate::kit::rank::Rank;

/// Everything about one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FdtreeParameters {
    /// What one tree is.
    pub shape: FdtreeShape,
    /// The base of the tree, without a slash behind it; with several ranks a dot and the rank's number
    /// follow.
    pub base: String,
    /// The tree is made.
    pub create: bool,
    /// The tree is removed.
    pub remove: bool,
    /// A failed operation is counted and the run continues, but it fails at the end.
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

    /// Says no to what cannot be done, before any rank starts.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        self.shape.check(ranks, self.tree(ranks.saturating_sub(1), ranks).len())
    }
}

/// A phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FdtreePhase {
    /// `mkdir` of the base and all below.
    CreateDirectories,
    /// Files written.
    CreateFiles,
    /// Files removed.
    RemoveFiles,
    /// Directories removed, the base last.
    RemoveDirectories,
}

impl FdtreePhase {
    /// All, in their order.
    pub const ALL: [Self; 4] =
        [Self::CreateDirectories, Self::CreateFiles, Self::RemoveFiles, Self::RemoveDirectories];

    /// As records name it.
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

    /// How many names of one tree it goes through.
    pub fn items(self, shape: FdtreeShape) -> u64 {
        match self {
            Self::CreateDirectories | Self::RemoveDirectories => shape.directories(),
            Self::CreateFiles | Self::RemoveFiles => shape.files_total(),
        }
    }
}

/// One thing that happened.
#[derive(Debug)]
pub enum FdtreeEvent<'a> {
    /// The ranks have found each other; [`Phase::began_s`] counts from here.
    Started,
    /// A phase is about to begin.
    Begins(FdtreePhase),
    /// A phase has ended on all ranks.
    Ended {
        /// Which.
        step: FdtreePhase,
        /// What is recorded of it.
        phase: &'a Phase,
    },
    /// Something that is not of the tree was found in a directory that was to be removed, and left.
    Foreign {
        /// The rank whose tree it is in.
        rank: u32,
        /// Its name.
        path: &'a str,
    },
    /// Something that the reader of the numbers has to know.
    Notice(&'a str),
}

/// The listener for events of a run.
pub type FdtreeListener<'o> = dyn for<'e> EventObserver<FdtreeEvent<'e>> + 'o;

/// Makes and removes the trees as asked; returns how many operations of all ranks failed. Collective.
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
    // Of a base alone no name is missing: the rest was removed before.
    let bare = !parameters.create && is_bare(names, &base);
    let bare = comm.reduce_one(bare.into(), Reduce::Min)? > 0;
    let shape = if bare { FdtreeShape { levels: 0, files: 0, ..parameters.shape } } else { parameters.shape };
    let parameters = &FdtreeParameters { shape, ..parameters.clone() };
    let mut tree = RankTree { parameters, storage, names, base, rank, observer };
    let mut failed = 0;
    for step in parameters.steps() {
        failed += tree.step(step)?;
    }
    for text in tree.rank.node_notices() {
        tree.observer.event(&FdtreeEvent::Notice(&text));
    }
    Ok(failed)
}

/// One rank's tree in a run.
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

    /// Goes through the names of the phase on all ranks together.
    fn phase(&mut self, step: FdtreePhase, operation: &mut dyn Operation) -> Result<Phase, Halt> {
        let rank = &mut *self.rank;
        let creates_files = step == FdtreePhase::CreateFiles;
        let known = Phase {
            phase: step.name().to_owned(),
            backend: "posix".to_owned(),
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
            // An existing file with the name of the base is not used.
            reached = doing.run_until_failure(rank, operation, &mut order, Stop::after(1));
        }
        doing.run(rank, operation, &mut order, reached, Stop::after(items));
        doing.end(rank, || Ok(())).map(|done| done.phase)
    }

    /// Reports foreign entries that were found in the trees. Collective.
    fn tell(&mut self, foreign: Option<String>) -> Result<(), Halt> {
        let heard = few::collect(self.rank.comm, foreign.as_deref())?;
        for (rank, path) in heard.parcels {
            self.observer.event(&FdtreeEvent::Foreign { rank, path: &path });
        }
        Ok(())
    }
}
