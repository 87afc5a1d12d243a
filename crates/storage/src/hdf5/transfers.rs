//! How transfers are made: by each rank on its own, or by all together; and whether they were.
#![allow(unsafe_code)]

use std::io;

use ffi::hdf5::{
    CHUNK_COLLECTIVE, COLLECTIVE, CONTIGUOUS_COLLECTIVE, Hdf5Library, INDEPENDENT, Id, NO_COLLECTIVE,
};

use super::calls::{HeldIdentifier, check};

/// `H5D_MPIO_CHUNK_COLLECTIVE` and `H5D_MPIO_CONTIGUOUS_COLLECTIVE`: moved by all ranks together.
const TOGETHER: [i32; 2] = [CHUNK_COLLECTIVE, CONTIGUOUS_COLLECTIVE];

/// The list that each transfer is made with.
pub(crate) struct Transfers {
    library: &'static Hdf5Library,
    list: HeldIdentifier,
    collective: bool,
}

impl Transfers {
    /// Made once.
    pub(crate) fn new(library: &'static Hdf5Library, collective: bool) -> io::Result<Self> {
        let list = HeldIdentifier::list(library, library.constants.dataset_transfer)?;
        let mut transfers = Self { library, list, collective: false };
        transfers.become_collective(collective)?;
        Ok(transfers)
    }

    /// From here on they are made so.
    pub(crate) fn become_collective(&mut self, collective: bool) -> io::Result<()> {
        let mode = if collective { COLLECTIVE } else { INDEPENDENT };
        let (library, list) = (self.library, self.list.id());
        // SAFETY: the list is live.
        check(library, unsafe { (library.functions.pset_dxpl_mpio)(list, mode) })?;
        self.collective = collective;
        Ok(())
    }

    /// For calls of HDF5.
    pub(crate) fn id(&self) -> Id {
        self.list.id()
    }

    /// Whether the transfer just made was collective, where that was asked for.
    pub(crate) fn was_collective(&self) -> io::Result<bool> {
        if !self.collective {
            return Ok(true);
        }
        let mut mode = NO_COLLECTIVE;
        let ask = self.library.functions.pget_mpio_actual_io_mode;
        // SAFETY: the list is the one that the transfer was made with.
        check(self.library, unsafe { ask(self.list.id(), &raw mut mode) })?;
        Ok(TOGETHER.contains(&mode))
    }
}
