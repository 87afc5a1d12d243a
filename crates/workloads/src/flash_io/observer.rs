//! What a run tells while it goes on, on rank 0, for those who print it.

use results::record::Phase;
use storage::arrays::LibraryMemory;

use super::files::FlashFile;
use crate::kit::observer::EventObserver;

/// How long the ranks took for a file, each number the longest of any rank; seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds {
    /// Making and defining the file, and giving it what is known of blocks.
    pub header: f64,
    /// Packing and writing the unknowns.
    pub unknown: f64,
    /// Closing.
    pub close: f64,
    /// All of it.
    pub total: f64,
}

/// One thing that happened.
#[derive(Debug)]
pub enum FlashIoEvent<'a> {
    /// A file was written by all ranks.
    Wrote {
        /// Which.
        file: FlashFile,
        /// How long it took.
        seconds: Seconds,
        /// Bytes that the library wrote for all ranks, its header included; those of the data where it does
        /// not count.
        amount: u64,
        /// The hints in effect, of the checkpoint.
        hints: &'a [(String, String)],
        /// What is recorded of it.
        phase: &'a Phase,
    },
    /// All files of a repetition were written.
    Repetition {
        /// Which, from 0.
        number: u32,
        /// Memory that the library held in all ranks, where it tells.
        held: Option<LibraryMemory>,
    },
    /// A file was read again and compared.
    Checked {
        /// Which.
        file: FlashFile,
        /// What is recorded of it.
        phase: &'a Phase,
    },
    /// Something that the reader of the numbers has to know.
    Notice(&'a str),
}

/// What is told the events of a run.
pub type FlashIoListener<'o> = dyn for<'e> EventObserver<FlashIoEvent<'e>> + 'o;
