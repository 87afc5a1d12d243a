//! MPI files in a case: all ranks open them together, and close them together also after a failure.

use std::ops::Deref;
use std::path::Path;

use ranks::Comm;
use ranks::mpi::MpiComm;
use storage::mpi_file::{
    At, Class, Datatype, Elements, Flag, Info, MpiError, MpiFile, NamedDatatype, Opener, Participation,
    RejectedCall, ViewStart,
};

use super::context::CaseContext;
use super::problem::{CaseProblem, CaseResult, EarlyEnd, ProblemContext, check_bytes};

impl From<MpiError> for CaseProblem {
    fn from(error: MpiError) -> Self {
        match error.class {
            Class::UnsupportedOperation | Class::UnsupportedDatarep => Self::Unsupported(error.words),
            class => Self::fail(format!("{} ({class:?})", error.words)),
        }
    }
}

impl From<RejectedCall> for CaseProblem {
    fn from(rejected: RejectedCall) -> Self {
        rejected.error.into()
    }
}

/// The access mode that most cases open with.
pub(super) const CREATE_READ_WRITE: [Flag; 2] = [Flag::Create, Flag::ReadWrite];

/// A file that all ranks of a communicator have open. Dropping it closes it, which is collective; that is
/// safe because all ranks leave a case together.
pub(super) struct OpenFile {
    file: Option<MpiFile>,
    byte: Datatype,
}

impl OpenFile {
    /// Closes the file. Collective.
    pub(super) fn close(mut self) -> Result<(), MpiError> {
        self.file.take().map_or(Ok(()), MpiFile::close)
    }

    /// `count` bytes, for a call.
    pub(super) fn bytes(&self, count: usize) -> Elements<'_> {
        Elements::new(&self.byte, i32::try_from(count).expect("cases that move more make a datatype"))
    }

    /// Fails unless this rank, alone, reads these bytes at `offset` of the default view.
    pub(super) fn check_at(
        &self,
        what: &str,
        path: &Path,
        offset: u64,
        wanted: &[u8],
    ) -> Result<(), CaseProblem> {
        let mut found = vec![0; wanted.len()];
        let at = At::Offset(offset as i64);
        self.read(at, Participation::Independent, &mut found, self.bytes(wanted.len())).context("read_at")?;
        check_bytes(what, path, offset, wanted, &found)
    }
}

impl Deref for OpenFile {
    type Target = MpiFile;

    fn deref(&self) -> &MpiFile {
        self.file.as_ref().expect("it is open until it is closed")
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            // The case has already failed; an error of this close adds nothing.
            let _ = file.close();
        }
    }
}

/// The MPI communicator of a part of MPI ranks.
///
/// Panics if it has none, which cannot be: a case must not test other ranks, or nothing, instead.
pub(super) fn mpi_part(part: &dyn Comm) -> &MpiComm {
    part.mpi().expect("a part of MPI ranks has an MPI communicator")
}

impl CaseContext<'_> {
    /// The MPI communicator of all ranks.
    pub(super) fn mpi(&self) -> Result<&MpiComm, EarlyEnd> {
        let none = || CaseProblem::Skipped("needs MPI's ranks".to_owned());
        self.comm.mpi().ok_or_else(|| EarlyEnd::Case { problem: none(), ranks: self.size() })
    }

    /// Opens a file on all ranks. Collective.
    pub(super) fn open(&self, path: &Path, how: &[Flag]) -> Result<OpenFile, EarlyEnd> {
        self.open_as(Opener::All(self.mpi()?), path, how, &Info::none(self.mpi()?))
    }

    /// Opens a file on all ranks and closes it; gives the first error of this rank. Collective.
    pub(super) fn open_and_close(&self, path: &Path, how: &[Flag]) -> Result<Result<(), MpiError>, EarlyEnd> {
        let comm = self.mpi()?;
        Ok(MpiFile::open(Opener::All(comm), path, how, &Info::none(comm)).and_then(MpiFile::close))
    }

    /// Opens a file on the ranks of `whose`, with hints. Every rank of the case calls it. Collective.
    pub(super) fn open_as(
        &self,
        whose: Opener<'_>,
        path: &Path,
        how: &[Flag],
        info: &Info,
    ) -> Result<OpenFile, EarlyEnd> {
        // If one rank failed, the others do not close theirs: closing is collective over all of them.
        let opened = MpiFile::open(whose, path, how, info).map(|mut file| {
            file.mark_statuses();
            file
        });
        let file = self.agree("MPI_File_open", opened.context("open"))?;
        let (Opener::All(comm) | Opener::Alone(comm)) = whose;
        Ok(OpenFile { file: Some(file), byte: Datatype::named(comm, NamedDatatype::Byte) })
    }

    /// Makes hints on all ranks. Collective.
    pub(super) fn hints<'h>(
        &self,
        hints: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> Result<Info, EarlyEnd> {
        self.agree("make hints", Info::new(self.mpi()?, hints))
    }

    /// Sets a view of the file as it lies, from a byte on. Collective.
    pub(super) fn set_view(
        &self,
        file: &OpenFile,
        start: i64,
        etype: &Datatype,
        filetype: &Datatype,
    ) -> CaseResult {
        let set = file.set_view(ViewStart::Byte(start), etype, filetype, "native", &Info::none(self.mpi()?));
        self.agree("MPI_File_set_view", set)
    }

    /// Makes writes and size changes of each rank visible to all: sync, barrier, sync. Collective.
    pub(super) fn sync(&self, file: &OpenFile) -> Result<(), EarlyEnd> {
        self.agree("MPI_File_sync", file.sync())?;
        self.comm.barrier()?;
        self.agree("MPI_File_sync again", file.sync())
    }

    /// Closes the file on all ranks. Collective.
    pub(super) fn close(&self, file: OpenFile) -> Result<(), EarlyEnd> {
        self.agree("MPI_File_close", file.close())
    }
}
