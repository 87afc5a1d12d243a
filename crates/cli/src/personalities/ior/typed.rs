//! What was typed on an `ior` command line, and what it means.

use units::Usage;
use workloads::ior::{Offsets, Parameters, Reorder};

use super::output::Look;

/// How often each counted flag was given, and everything else that was typed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Typed {
    /// What goes to the workload as it is.
    pub(crate) parameters: Parameters,
    /// `-C`, counted.
    pub(crate) constant: u64,
    /// `-Z`, counted.
    pub(crate) random_ranks: u64,
    /// `-z`, counted.
    pub(crate) random_offsets: u64,
    /// `--random-order=ior`
    pub(crate) iors_order: bool,
    /// How the results are shown.
    pub(crate) look: Look,
    /// `--record FILE`
    pub(crate) record: Option<String>,
    /// `-h`
    pub(crate) help: bool,
    /// What the user is told about translated options.
    pub(crate) notes: Vec<String>,
}

/// A test, ready to be checked and run.
#[derive(Clone, Debug)]
pub(crate) struct Meant {
    pub(crate) parameters: Parameters,
    pub(crate) look: Look,
    pub(crate) record: Option<String>,
    pub(crate) notes: Vec<String>,
    /// `-C` as counted, for the columns and lines that show it.
    pub(crate) constant: u64,
    /// `-Z` as counted.
    pub(crate) random_ranks: u64,
}

impl Typed {
    /// What the line means: counted flags become choices, and no phase means both.
    pub(crate) fn meant(self) -> Result<Meant, Usage> {
        let Self { mut parameters, constant, random_ranks, random_offsets, mut notes, .. } = self;
        parameters.reorder = match (constant, random_ranks) {
            (0, 0) => Reorder::Own,
            (_, 0) => Reorder::Constant,
            (0, 1) => Reorder::Random,
            (0, _) => Reorder::Permutation,
            _ => return Err(Usage::new("-C and -Z: choose one way to reorder the ranks")),
        };
        parameters.offsets = match (random_offsets, self.iors_order) {
            (0, _) => Offsets::Sequential,
            (1, false) => Offsets::Shuffled,
            (1, true) => Offsets::IorShuffled,
            _ => Offsets::RandomBlocks,
        };
        if !(parameters.write || parameters.read || parameters.write_check || parameters.read_check) {
            (parameters.write, parameters.read) = (true, true);
        }
        if parameters.repetitions == 0 {
            notes.push("-i 0: too few test repetitions; using 1".into());
            parameters.repetitions = 1;
        }
        Ok(Meant { parameters, look: self.look, record: self.record, notes, constant, random_ranks })
    }
}
