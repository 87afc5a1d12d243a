//! What a run is asked to do, and what of that cannot be.

use ranks::Halt;
use storage::NodeMemory;
use units::Usage;

use super::files::{FlashFile, Form};
use crate::kit::rank::Rank;

/// How many unknowns a zone has: 11 of hydrodynamics and 13 fluids.
pub(super) const UNKNOWNS: u64 = 24;

/// Bytes that the prefix of the names may have: the original cuts longer ones.
const PREFIX_BYTES: usize = 128;

/// Everything about one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlashIoParameters {
    /// What the names of the files begin with.
    pub prefix: String,
    /// Whose files these are.
    pub form: Form,
    /// Hints for MPI-IO and the library beside those of the original, by key.
    pub hints: Vec<(String, String)>,
    /// Calls that only take the data, and one that waits for all of it; else each call moves its own.
    pub nonblocking: bool,
    /// Each rank writes on its own; else all together.
    pub independent: bool,
    /// Zones of a block in each of the three directions, without guard cells.
    pub zones: u64,
    /// Layers of guard cells around a block.
    pub guards: u64,
    /// The most blocks of one rank.
    pub blocks_max: u64,
    /// How many times all files are written.
    pub repetitions: u32,
    /// The files are written.
    pub write: bool,
    /// The files are read again and compared.
    pub verify: bool,
}

impl Default for FlashIoParameters {
    fn default() -> Self {
        Self {
            prefix: String::new(),
            form: Form::Pnetcdf,
            hints: Vec::new(),
            nonblocking: true,
            independent: false,
            zones: 8,
            guards: 4,
            blocks_max: 100,
            repetitions: 1,
            write: true,
            verify: false,
        }
    }
}

impl FlashIoParameters {
    /// How many blocks every rank has at least: four fifths of the most.
    pub fn blocks(&self) -> u64 {
        // In single precision, as the original reckons.
        (0.8_f32 * self.blocks_max as f32) as u64
    }

    /// The blocks of a rank: every third has one more, every third two.
    pub fn blocks_of(&self, rank: u32) -> u64 {
        self.blocks() + u64::from(rank % 3)
    }

    /// The blocks of all ranks.
    pub fn blocks_total(&self, ranks: u32) -> u64 {
        let (ranks, rest) = (u64::from(ranks), u64::from(ranks % 3));
        // Three ranks have three more together; of those left over the second has one.
        self.blocks() * ranks + ranks / 3 * 3 + rest / 2
    }

    /// Bytes of memory that one rank takes.
    pub fn memory(&self) -> Option<u64> {
        let cells = |side: u64| side.checked_pow(3)?.checked_mul(self.blocks_max);
        let mesh = cells(self.zones.checked_add(self.guards.checked_mul(2)?)?)?.checked_mul(UNKNOWNS * 8)?;
        let packed = cells(self.zones)?.checked_mul(UNKNOWNS * 8)?;
        // Plot files come after the checkpoint: four variables, and room for copies in the library.
        let plots = cells(self.zones.checked_add(1)?)?.checked_mul(4 * 4 * 3)?;
        mesh.checked_add(packed.max(plots))
    }

    /// Bytes that the library has to keep of the plot files until they are waited for, as the original asks.
    pub(super) fn copies(&self) -> u64 {
        let variables = FlashFile::PlotCentered.unknowns().len() as u64;
        ((self.zones + 1).pow(3) + self.zones.pow(3)) * self.blocks_max * variables * 4
    }

    /// Says no, in one line, to what cannot be run on `ranks` ranks.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        let most = self.blocks() + u64::from(ranks.saturating_sub(1).min(2));
        let rules = [
            (
                self.prefix.trim().is_empty(),
                "-f names the files: give a prefix, such as -f /scratch/you/flash_",
            ),
            (self.prefix.len() > PREFIX_BYTES, "-f: a prefix has at most 128 bytes; give a shorter one"),
            (
                self.form == Form::Hdf5 && self.nonblocking,
                "--hdf5: HDF5 has no calls that only take data; write with blocking ones",
            ),
            (self.zones == 0, "--size 0: a block has at least one zone"),
            (self.guards == 0, "--guards 0: corners are means over guard cells too; give at least 1"),
            (self.repetitions == 0, "--repetitions 0: nothing would be written; give at least 1"),
            (self.blocks() == 0, "--blocks: four fifths of it are used, which is nothing; give at least 2"),
        ];
        if let Some((_, why)) = rules.into_iter().find(|(broken, _)| *broken) {
            return Err(Usage::new(why));
        }
        if most > self.blocks_max {
            return Err(Usage(format!(
                "--blocks {}: some of {ranks} ranks have {most}, which is more; give at least 6",
                self.blocks_max
            )));
        }
        if self.memory().is_none() || i32::try_from(self.blocks_total(ranks)).is_err() {
            let why = "beyond what a program can count; choose --size or --blocks smaller";
            return Err(Usage(format!("--size {} --blocks {}: {why}", self.zones, self.blocks_max)));
        }
        Ok(())
    }

    /// Says no where a node has not the memory for its ranks; before any of it is taken. Collective.
    pub(super) fn check_memory(&self, rank: &Rank<'_>) -> Result<(), Halt> {
        let ranks = u64::from(rank.node.ranks.size());
        let each = self.memory().unwrap_or(u64::MAX);
        let fits = match NodeMemory::of_this_node() {
            Some(memory) if each.saturating_mul(ranks) > memory.available => Err(format!(
                "{ranks} ranks of this node need {each} bytes each, and only {} of its {} are available; \
                 choose --size or --blocks smaller, or fewer ranks on a node",
                memory.available, memory.total
            )),
            _ => Ok(()),
        };
        rank.comm.agree("memory", fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(change: fn(&mut FlashIoParameters)) -> FlashIoParameters {
        let mut parameters = FlashIoParameters { prefix: "f_".into(), ..FlashIoParameters::default() };
        change(&mut parameters);
        parameters
    }

    #[test]
    fn ranks_have_80_81_and_82_blocks_in_turn() {
        let parameters = FlashIoParameters::default();
        assert_eq!([0, 1, 2, 3].map(|rank| parameters.blocks_of(rank)), [80, 81, 82, 80]);
        let totals = [1, 2, 3, 4, 64, 512].map(|ranks| parameters.blocks_total(ranks));
        assert_eq!(totals, [80, 161, 243, 323, 5183, 41471]);
        for ranks in 0..40 {
            let sum: u64 = (0..ranks).map(|rank| parameters.blocks_of(rank)).sum();
            assert_eq!(parameters.blocks_total(ranks), sum, "{ranks} ranks");
        }
    }

    #[test]
    fn memory_is_that_of_the_mesh_and_of_what_is_written_at_once() {
        let bytes = |zones: u64| 24 * (zones + 8).pow(3) * 100 * 8 + 24 * zones.pow(3) * 100 * 8;
        assert_eq!(FlashIoParameters::default().memory(), Some(bytes(8)));
        assert_eq!(given(|p| p.zones = 16).memory(), Some(bytes(16)));
        assert_eq!(given(|p| p.zones = 1 << 60).memory(), None);
    }

    #[test]
    fn what_cannot_be_run_is_rejected_with_a_remedy() {
        for (change, ranks, why) in [
            ((|p| p.prefix = " ".into()) as fn(&mut FlashIoParameters), 1, "give a prefix"),
            (|p| p.prefix = "x".repeat(129), 1, "at most 128 bytes"),
            (|p| p.form = Form::Hdf5, 1, "write with blocking ones"),
            (|p| p.zones = 0, 1, "at least one zone"),
            (|p| p.guards = 0, 1, "give at least 1"),
            (|p| p.repetitions = 0, 1, "give at least 1"),
            (|p| p.blocks_max = 1, 1, "give at least 2"),
            (|p| p.blocks_max = 5, 3, "some of 3 ranks have 6, which is more"),
            (|p| p.zones = 1 << 40, 1, "choose --size or --blocks smaller"),
            (|p| p.blocks_max = 40_000_000, 100, "choose --size or --blocks smaller"),
        ] {
            let error = given(change).check(ranks).expect_err(why).0;
            assert!(error.contains(why), "{error}");
        }
        for (blocks, ranks) in [(2, 1), (2, 2), (6, 3), (6, 64), (100, 512)] {
            let parameters = FlashIoParameters { blocks_max: blocks, ..given(|_| {}) };
            assert!(parameters.check(ranks).is_ok(), "{blocks} on {ranks}");
        }
    }
}
