//! What an fdtree run tells while it goes on, on rank 0, for those who print it.

use results::record::Phase;

use super::run::Step;

/// One thing that happened.
#[derive(Debug)]
pub enum Event<'a> {
    /// The ranks have found each other; [`Phase::began_s`] counts from here.
    Started,
    /// A phase is about to begin.
    Begins(Step),
    /// A phase has ended on all ranks.
    Ended {
        /// Which.
        step: Step,
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

/// Hears what happens.
pub trait Observer {
    /// One thing happened.
    fn event(&mut self, event: &Event<'_>);
}

/// Hears nothing.
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _event: &Event<'_>) {}
}
