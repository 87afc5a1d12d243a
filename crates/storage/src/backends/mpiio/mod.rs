//! Files by MPI-IO: each transfer at an explicit offset (`MPI_File_write_at`, `MPI_File_read_at`), or through
//! a view by the rank's own pointer (`MPI_File_write`, `MPI_File_read`); or their collective forms. The
//! ranks have to be MPI's.
//!
//! A shared file is opened on the communicator of the test, a file per rank on the rank alone.
//! MPI has no truncation at open: a file that exists keeps its length, but for `Mode::Truncate`.
//!
//! Options: `hintsFileName` and the environment give hints (see `hints`), `showHints` has the file tell which
//! were passed and which came back, `preallocate` asks for the file's space when it is opened for writing.
//! `useFileView` sets a view at open in which a rank sees its blocks end to end; `useStridedDatatype` with it
//! one in which it sees the same transfer of all segments, so that a call moves these.

mod moves;

use std::io;
use std::path::Path;
use std::sync::Arc;

use ranks::Comm;
use units::Usage;

use crate::backends::{Backend, BackendOption, Settings, Takes};
use crate::inside::Inside;
use crate::mpi_file::{Flag, Info, MpiFile, Way, Whose};
use crate::shared::{given, plain};
use crate::{File, Mode, Open, PageCache, Space, Storage};
use crate::{files, hints, residency};
use moves::{Blocks, Moves, together};

pub(super) const BACKEND: Backend = Backend {
    name: "mpiio",
    about: "files by MPI-IO, independent or collective (-c)",
    options: &[
        BackendOption { name: "hintsFileName", takes: Takes::Text, about: "file of hints for MPI_File_open" },
        BackendOption {
            name: "preallocate",
            takes: Takes::Flag,
            about: "ask for the file's space when it is opened for writing",
        },
        BackendOption { name: "showHints", takes: Takes::Flag, about: "show the hints of each file" },
        BackendOption { name: "useFileView", takes: Takes::Flag, about: "transfers through a file view" },
        BackendOption {
            name: "useStridedDatatype",
            takes: Takes::Flag,
            about: "with useFileView: the same transfer of all segments in one call",
        },
    ],
    needs_mpi: true,
    open,
};

struct MpiIo {
    inside: Arc<Inside>,
    hints: hints::Asked,
    shows_hints: bool,
    preallocates: bool,
    views: bool,
    strides: bool,
}

fn open(settings: &Settings) -> Result<Box<dyn Storage>, Usage> {
    let views = settings.flag("mpiio.useFileView");
    Ok(Box::new(MpiIo {
        inside: Arc::default(),
        hints: hints::asked("mpiio", settings)?,
        shows_hints: settings.flag("mpiio.showHints"),
        preallocates: settings.flag("mpiio.preallocate"),
        views,
        strides: views && settings.flag("mpiio.useStridedDatatype"),
    }))
}

impl MpiIo {
    fn moves(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Moves> {
        let mpi = comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI's"))?;
        let flags: &[Flag] = match how.mode {
            Mode::Write => &[Flag::Create, Flag::ReadWrite],
            Mode::Update => &[Flag::WriteOnly],
            Mode::Truncate => &[Flag::Create, Flag::WriteOnly],
            Mode::Read => &[Flag::ReadOnly],
        };
        let whose = if how.shared { Whose::All(mpi) } else { Whose::Alone(mpi) };
        let info = match self.hints.is_empty() {
            true => Info::none(mpi),
            false => {
                let pairs = self.hints.iter().map(|(key, value)| (&**key, &**value));
                let mine = Info::new(mpi, pairs).map_err(io::Error::from);
                // A rank that cannot make them may not leave the others in the open.
                together(comm, how.shared, "hints", mine)?
            }
        };
        let passed = if self.shows_hints { Some(info.pairs()?) } else { None };
        let file = MpiFile::open(whose, &given(path, true), flags, &info)?;
        let way = if how.shared && how.collective { Way::Collective } else { Way::Independent };
        let mut moves = Moves::new(mpi, file, way, passed);
        let ready = self.ready(&mut moves, comm, how);
        if let Err(error) = ready {
            Box::new(moves).close()?;
            return Err(error);
        }
        Ok(moves)
    }

    /// What is done with an open file before its first transfer; on all ranks of a shared file it goes well,
    /// or on none.
    fn ready(&self, moves: &mut Moves, comm: &dyn Comm, how: Open) -> io::Result<()> {
        if how.mode == Mode::Truncate {
            together(comm, how.shared, "truncate", moves.file().set_size(0).map_err(io::Error::from))?;
        }
        if self.preallocates && how.mode == Mode::Write && how.bytes > 0 {
            let size = moves::offset(how.bytes)?;
            // MPI lets one rank ask for the space, and fail, alone: the others have to hear of it.
            let mine = moves.file().preallocate(size).map_err(|error| {
                let words = format!("cannot preallocate {size} bytes: {error}");
                io::Error::new(io::Error::from(error).kind(), words)
            });
            together(comm, how.shared, "preallocate", mine)?;
        }
        let Some(blocks) = Blocks::of(how) else { return Ok(()) };
        let segments = if self.strides { blocks.segments } else { 1 };
        moves.prepare(blocks.transfer.saturating_mul(segments))?;
        if self.views {
            let view = together(comm, how.shared, "view", moves.view(blocks, self.strides))?;
            let mine = moves.see(view);
            together(comm, how.shared, "view", mine)?;
        }
        Ok(())
    }
}

impl Storage for MpiIo {
    fn open(&self, comm: &dyn Comm, path: &Path, how: Open) -> io::Result<Box<dyn File>> {
        let _during = self.inside.opening(how);
        let moves = self.moves(comm, path, how)?;
        Ok(self.inside.noted(how, how.collective || self.strides, moves))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        files::remove(plain(path))
    }

    fn size(&self, path: &Path) -> io::Result<Option<u64>> {
        files::size(plain(path))
    }

    fn system_path<'p>(&self, path: &'p Path) -> &'p Path {
        plain(path)
    }

    fn readable(&self, path: &Path) -> io::Result<()> {
        files::readable(plain(path))
    }

    fn space(&self, path: &Path) -> io::Result<Option<Space>> {
        files::space(plain(path))
    }

    fn hole(&self, path: &Path) -> io::Result<Option<u64>> {
        files::hole(plain(path))
    }

    fn is_device(&self, path: &Path) -> bool {
        files::is_device(plain(path))
    }

    fn page_cache(&self, path: &Path) -> io::Result<Option<Box<dyn PageCache>>> {
        residency::of(plain(path))
    }

    fn is_collective(&self) -> bool {
        true
    }

    fn inside(&self) -> Option<(u64, &'static str)> {
        self.inside.call()
    }

    fn moves_all_segments(&self) -> bool {
        self.strides
    }

    fn keeps_data(&self) -> bool {
        true
    }

    fn direct(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strides_are_taken_only_with_a_view_as_ior_does() {
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
