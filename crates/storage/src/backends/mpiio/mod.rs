//! Files by MPI-IO. Each transfer is at an explicit offset (`MPI_File_write_at`, `MPI_File_read_at`), or goes
//! through a view with the individual file pointer (`MPI_File_write`, `MPI_File_read`). Both have collective
//! forms. The ranks must be MPI ranks.
//!
//! A shared file is opened on the communicator of the test; with a file per process each rank opens its own.
//! MPI has no truncation at open: an existing file keeps its length, except in `Mode::Truncate`.
//!
//! Options: `hintsFileName` and the environment give hints (see `hints`). `showHints` reports which hints
//! were passed and which the library returned. `preallocate` asks for the file's space when it is opened for
//! writing. `useFileView` sets a view at open in which a rank sees its blocks end to end.
//! `useStridedDatatype` with it sets a view of the same transfer of all segments, so that one call moves
//! these.

mod moves;

use std::io;
use std::path::Path;
use std::sync::Arc;

use ranks::Comm;
use ranks::mpi::MpiComm;
use units::Usage;

use crate::backends::Driver;
use crate::inside::Inside;
use crate::mpi_file::{Flag, Info, MpiError, MpiFile, Opener, Participation};
use crate::shared::{asked, files_by_library, given, plain, together};
use crate::{File, Mode, Open, Storage, StorageLibrary, hints};
use command::Settings;
use moves::{Blocks, MpiFileTransfers, Pairs};

pub(super) const DRIVER: Driver = Driver { name: "mpiio", library: None, open };

struct MpiIo {
    inside: Arc<Inside>,
    hints: hints::RequestedHints,
    preallocates: bool,
    views: bool,
    strides: bool,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let views = settings.flag("mpiio.useFileView");
    Ok(Box::new(MpiIo {
        inside: Arc::default(),
        hints: hints::asked("mpiio", settings)?,
        preallocates: settings.flag("mpiio.preallocate"),
        views,
        strides: views && settings.flag("mpiio.useStridedDatatype"),
    }))
}

impl MpiIo {
    fn moves(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<MpiFileTransfers> {
        let mpi = comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI ranks"))?;
        let flags: &[Flag] = match how.mode {
            Mode::Write => &[Flag::Create, Flag::ReadWrite],
            Mode::Update => &[Flag::WriteOnly],
            Mode::Truncate => &[Flag::Create, Flag::WriteOnly],
            Mode::Read => &[Flag::ReadOnly],
        };
        let whose = if how.shared { Opener::All(mpi) } else { Opener::Alone(mpi) };
        // A rank that cannot make the hints must not leave the others waiting in the open.
        let (info, passed) = together(comm, how.shared, "hints", self.info(mpi))?;
        let file = MpiFile::open(whose, &given(path, true), flags, &info)
            .map_err(|error| asked(plain(path), how.mode != Mode::Read, error));
        let file = self.inside.opened(comm, how.shared, file)?;
        let way =
            if how.shared && how.collective { Participation::Collective } else { Participation::Independent };
        let mut moves = MpiFileTransfers::new(mpi, file, plain(path).to_owned(), way, passed);
        let ready = self.ready(&mut moves, comm, how);
        if let Err(error) = ready {
            // All ranks have opened the file, and all close it; the reason of the failure is already known.
            let _ = Box::new(moves).close();
            return Err(error);
        }
        Ok(moves)
    }

    /// The hints, and those that are to be shown.
    fn info(&self, mpi: &MpiComm) -> Result<(Info, Option<Pairs>), MpiError> {
        let info = Info::of(mpi, self.hints.pairs())?;
        let passed = if self.hints.are_shown() { Some(info.pairs()?) } else { None };
        Ok((info, passed))
    }

    /// Prepares an open file before its first transfer. On the ranks of a shared file this succeeds
    /// everywhere or fails everywhere.
    fn ready(&self, moves: &mut MpiFileTransfers, comm: &dyn Comm, how: Open) -> io::Result<()> {
        if how.mode == Mode::Truncate {
            together(comm, how.shared, "truncate", moves.file().set_size(0).map_err(io::Error::from))?;
        }
        if self.preallocates && how.mode == Mode::Write && how.bytes > 0 {
            let size = moves::offset(how.bytes)?;
            // MPI lets one rank alone ask for the space and fail: the others must learn of it.
            let mine = moves.file().preallocate(size).map_err(|error| {
                let words = format!("cannot preallocate {size} bytes: {error}");
                io::Error::new(io::Error::from(error).kind(), words)
            });
            together(comm, how.shared, "preallocate", mine)?;
        }
        let Some(blocks) = Blocks::of(how) else { return Ok(()) };
        let segments = if self.strides { blocks.segments } else { 1 };
        let bytes = blocks.transfer.saturating_mul(segments);
        let prepared = moves.prepare(bytes);
        if self.views {
            let view = prepared.and_then(|()| moves.view(blocks, self.strides));
            let view = together(comm, how.shared, "view", view)?;
            let mine = moves.see(view);
            return together(comm, how.shared, "view", mine);
        }
        // Where nothing is created, nothing can have failed.
        let makes = i32::try_from(bytes).is_err();
        together(comm, how.shared && makes, "datatype", prepared)
    }
}

impl StorageLibrary for MpiIo {
    fn has_abandoned(&self) -> bool {
        self.inside.has_left()
    }

    fn inside(&self) -> Option<(u64, &'static str)> {
        self.inside.call()
    }
}

impl Storage for MpiIo {
    files_by_library!();

    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let _during = self.inside.opening(how);
        let moves = self.moves(comm, path, how)?;
        Ok(self.inside.noted(how, how.collective || self.strides, moves))
    }

    fn system_path<'p>(&self, path: &'p Path) -> &'p Path {
        plain(path)
    }

    fn moves_all_segments(&self) -> bool {
        self.strides
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strided_datatype_takes_effect_only_with_a_file_view_as_in_ior() {
        for (names, strides) in [
            (&["mpiio.useStridedDatatype"][..], false),
            (&["mpiio.useFileView"], false),
            (&["mpiio.useFileView", "mpiio.useStridedDatatype"], true),
        ] {
            let mut settings = Settings::default();
            names.iter().for_each(|name| settings.set(name, "1"));
            assert_eq!(open(&settings).unwrap().moves_all_segments(), strides, "{names:?}");
        }
    }
}
