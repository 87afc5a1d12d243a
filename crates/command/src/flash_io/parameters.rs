//! The settings of a run, and the rules that reject some of them.

use units::Usage;

/// Number of unknowns of a zone: 11 of hydrodynamics and 13 fluids.
pub const UNKNOWNS: u64 = 24;

/// Maximum length of the prefix of the names, bytes. The original cuts longer prefixes.
const PREFIX_BYTES: usize = 128;

/// The benchmark whose files are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The benchmark that is distributed with PnetCDF.
    #[default]
    Pnetcdf,
    /// The first benchmark, which uses HDF5.
    Hdf5,
}

impl Form {
    /// The backend of the same library.
    pub fn backend(self) -> &'static str {
        match self {
            Self::Pnetcdf => "ncmpi",
            Self::Hdf5 => "hdf5",
        }
    }
}

/// The settings of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlashIoParameters {
    /// The prefix of the files' names.
    pub prefix: String,
    /// The benchmark whose files are written.
    pub form: Form,
    /// Hints for MPI-IO and the library, by key, in addition to those of the original.
    pub hints: Vec<(String, String)>,
    /// Nonblocking calls pass the data to the library, and one call waits for all of it. Otherwise each call
    /// moves its own data.
    pub nonblocking: bool,
    /// Each rank writes independently; otherwise the calls are collective.
    pub independent: bool,
    /// Zones of a block in each of the three directions, without guard cells.
    pub zones: u64,
    /// Layers of guard cells around a block.
    pub guards: u64,
    /// Maximum number of blocks of one rank.
    pub blocks_max: u64,
    /// Number of repetitions of all files.
    pub repetitions: u32,
    /// Write the files.
    pub write: bool,
    /// Read the files again and compare.
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
    /// Minimum number of blocks of a rank: four fifths of the maximum.
    pub fn blocks(&self) -> u64 {
        // In single precision, as the original computes it.
        (0.8_f32 * self.blocks_max as f32) as u64
    }

    /// The blocks of a rank. One rank of three has one more, another has two more.
    pub fn blocks_of(&self, rank: u32) -> u64 {
        self.blocks() + u64::from(rank % 3)
    }

    /// The blocks of all ranks.
    pub fn blocks_total(&self, ranks: u32) -> u64 {
        let (ranks, rest) = (u64::from(ranks), u64::from(ranks % 3));
        // Each group of three ranks has three more blocks. Of the remaining ranks the second has one.
        self.blocks() * ranks + ranks / 3 * 3 + rest / 2
    }

    /// Bytes of the three files that one rank writes, at most, without their headers.
    pub(super) fn bytes_of_rank(&self) -> u64 {
        let cube = |side: u64| side.saturating_pow(3);
        let checkpoint = cube(self.zones).saturating_mul(UNKNOWNS * 8).saturating_add(164);
        let plots = cube(self.zones).saturating_add(cube(self.zones.saturating_add(1))).saturating_mul(16);
        let most = self.blocks().saturating_add(2);
        most.saturating_mul(checkpoint.saturating_add(plots).saturating_add(2 * 116))
    }

    /// Bytes of memory that one rank needs.
    pub fn memory(&self) -> Option<u64> {
        let cells = |side: u64| side.checked_pow(3)?.checked_mul(self.blocks_max);
        let mesh = cells(self.zones.checked_add(self.guards.checked_mul(2)?)?)?.checked_mul(UNKNOWNS * 8)?;
        let packed = cells(self.zones)?.checked_mul(UNKNOWNS * 8)?;
        // Plot files come after the checkpoint: four variables, and memory for the library's copies.
        let plots = cells(self.zones.checked_add(1)?)?.checked_mul(4 * 4 * 3)?;
        mesh.checked_add(packed.max(plots))
    }

    /// Rejects, in one line, settings that cannot run on `ranks` ranks.
    pub fn check(&self, ranks: u32) -> Result<(), Usage> {
        let most = self.blocks() + u64::from(ranks.saturating_sub(1).min(2));
        let rules = [
            (
                self.prefix.trim().is_empty(),
                "-f: no prefix for the names of the files. Use one such as -f /scratch/you/flash_",
            ),
            (self.prefix.len() > PREFIX_BYTES, "-f: a prefix has at most 128 bytes. Use a shorter one"),
            (
                self.form == Form::Hdf5 && self.nonblocking,
                "--hdf5: HDF5 has no nonblocking calls. Use blocking ones",
            ),
            (self.zones == 0, "--size 0: a block has at least one zone"),
            (self.guards == 0, "--guards 0: the means at corners need guard cells. Use at least 1"),
            (self.repetitions == 0, "--repetitions 0: nothing would be written. Use at least 1"),
            (self.blocks() == 0, "--blocks: ranks use four fifths of it, which is 0. Use at least 2"),
        ];
        if let Some((_, why)) = rules.into_iter().find(|(broken, _)| *broken) {
            return Err(Usage::new(why));
        }
        if most > self.blocks_max {
            return Err(Usage(format!(
                "--blocks {}: some of {ranks} ranks need {most}, which is more. Use at least 6",
                self.blocks_max
            )));
        }
        if self.memory().is_none() || i32::try_from(self.blocks_total(ranks)).is_err() {
            let why = "the amount of data is too large. Choose a smaller --size or --blocks";
            return Err(Usage(format!("--size {} --blocks {}: {why}", self.zones, self.blocks_max)));
        }
        Ok(())
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
            ((|p| p.prefix = " ".into()) as fn(&mut FlashIoParameters), 1, "no prefix"),
            (|p| p.prefix = "x".repeat(129), 1, "at most 128 bytes"),
            (|p| p.form = Form::Hdf5, 1, "Use blocking ones"),
            (|p| p.zones = 0, 1, "at least one zone"),
            (|p| p.guards = 0, 1, "Use at least 1"),
            (|p| p.repetitions = 0, 1, "Use at least 1"),
            (|p| p.blocks_max = 1, 1, "Use at least 2"),
            (|p| p.blocks_max = 5, 3, "some of 3 ranks need 6, which is more"),
            (|p| p.zones = 1 << 40, 1, "Choose a smaller --size or --blocks"),
            (|p| p.blocks_max = 40_000_000, 100, "Choose a smaller --size or --blocks"),
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
