//! What an fdtree run tells while it goes on, on rank 0, for those who print it.

use results::record::Phase;

use super::run::FdtreePhase;
use crate::kit::observer::EventObserver;

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

/// What is told the events of a run.
pub type FdtreeListener<'o> = dyn for<'e> EventObserver<FdtreeEvent<'e>> + 'o;
