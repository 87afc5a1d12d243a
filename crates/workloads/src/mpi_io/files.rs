//! MPI's files within a case: opened by all ranks together, and closed with them whatever happens.

use std::ops::Deref;
use std::path::Path;

use ranks::mpi::MpiComm;
use storage::mpi_file::{Class, Flag, Info, MpiError, MpiFile, Whose};

use super::scene::Scene;
use super::stop::{Stop, Trouble};

impl From<MpiError> for Trouble {
    fn from(error: MpiError) -> Self {
        match error.class {
            Class::UnsupportedOperation | Class::UnsupportedDatarep => Self::Unsupported(error.words),
            class => Self::fail(format!("{} ({class:?})", error.words)),
        }
    }
}

/// How most cases open.
pub(super) const MADE: [Flag; 2] = [Flag::Create, Flag::ReadWrite];

/// A file that all ranks of a communicator have open. Dropped, it is closed, which is collective: the ranks
/// leave a case together.
pub(super) struct Opened(Option<MpiFile>);

impl Opened {
    /// Closes, and says how it went. Collective.
    pub(super) fn close(mut self) -> Result<(), MpiError> {
        self.0.take().map_or(Ok(()), MpiFile::close)
    }
}

impl Deref for Opened {
    type Target = MpiFile;

    fn deref(&self) -> &MpiFile {
        self.0.as_ref().expect("it is open until it is closed")
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            // What came before has failed; a close that fails too says nothing more.
            let _ = file.close();
        }
    }
}

impl Scene<'_> {
    /// MPI's side of the communicator of all ranks.
    pub(super) fn mpi(&self) -> Result<&MpiComm, Stop> {
        let none = || Trouble::Skipped("needs MPI's ranks".to_owned());
        self.comm.mpi().ok_or_else(|| Stop::Case { trouble: none(), ranks: self.size() })
    }

    /// Opens by all ranks. Collective.
    pub(super) fn open(&self, path: &Path, how: &[Flag]) -> Result<Opened, Stop> {
        self.open_as(Whose::All(self.mpi()?), path, how, &Info::none(self.mpi()?))
    }

    /// Opens by those of `whose`, among whom all ranks of the case are, with hints. Collective.
    pub(super) fn open_as(
        &self,
        whose: Whose<'_>,
        path: &Path,
        how: &[Flag],
        info: &Info,
    ) -> Result<Opened, Stop> {
        // Only what all have open is closed together: where one rank failed, the others keep theirs.
        let opened = MpiFile::open(whose, path, how, info).map(|mut file| {
            file.mark_statuses();
            file
        });
        let file = self.agree("MPI_File_open", opened.map_err(|error| Trouble::from(error).of("open")))?;
        Ok(Opened(Some(file)))
    }

    /// Has all ranks see what each wrote, and what size it gave the file: sync, barrier, sync. Collective.
    pub(super) fn sync(&self, file: &Opened) -> Result<(), Stop> {
        self.agree("MPI_File_sync", file.sync())?;
        self.comm.barrier()?;
        self.agree("MPI_File_sync again", file.sync())
    }

    /// Closes. Collective.
    pub(super) fn close(&self, file: Opened) -> Result<(), Stop> {
        self.agree("MPI_File_close", file.close())
    }
}
