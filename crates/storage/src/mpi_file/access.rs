//! Calls that move data and wait for it.

use super::done::CallStatus;
use super::error::MpiError;
use super::file::MpiFile;
use super::memory::{Elements, by_count};

/// Where a call begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// At this offset, in elements of the view.
    Offset(i64),
    /// At the rank's individual file pointer.
    Individual,
    /// At the shared file pointer; collective calls move the ranks' data in rank order (`_ordered`).
    Shared,
}

/// Which ranks make a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participation {
    /// This rank alone.
    Independent,
    /// All ranks together.
    Collective,
}

use At::{Individual, Offset, Shared};
use Participation::{Collective, Independent};

impl MpiFile {
    /// `MPI_File_write` in its six forms: writes these elements of `data`.
    #[inline]
    pub fn write(
        &self,
        at: At,
        way: Participation,
        data: &[u8],
        elements: Elements<'_>,
    ) -> Result<CallStatus, MpiError> {
        let file = self.handle;
        let described = elements.within(data.as_ptr().cast_mut(), data.len())?;
        let (from, kind) = (described.place.cast_const(), described.kind);
        let mut done = self.status();
        let status = &raw mut done;
        // SAFETY: the file is open and the datatype lives. `within` checked that the data holds the elements,
        // and MPI only reads them.
        let code = by_count!(self, described, |f, count| unsafe {
            match (at, way) {
                (Offset(at), Independent) => (f.file_write_at)(file, at, from, count, kind, status),
                (Offset(at), Collective) => (f.file_write_at_all)(file, at, from, count, kind, status),
                (Individual, Independent) => (f.file_write)(file, from, count, kind, status),
                (Individual, Collective) => (f.file_write_all)(file, from, count, kind, status),
                (Shared, Independent) => (f.file_write_shared)(file, from, count, kind, status),
                (Shared, Collective) => (f.file_write_ordered)(file, from, count, kind, status),
            }
        });
        self.check(code)?;
        Ok(CallStatus::new(self.library, done))
    }

    /// `MPI_File_read` in its six forms: reads into these elements of `data`.
    #[inline]
    pub fn read(
        &self,
        at: At,
        way: Participation,
        data: &mut [u8],
        elements: Elements<'_>,
    ) -> Result<CallStatus, MpiError> {
        let file = self.handle;
        let described = elements.within(data.as_mut_ptr(), data.len())?;
        let (into, kind) = (described.place, described.kind);
        let mut done = self.status();
        let status = &raw mut done;
        // SAFETY: as for a write; the data is borrowed while the call lasts.
        let code = by_count!(self, described, |f, count| unsafe {
            match (at, way) {
                (Offset(at), Independent) => (f.file_read_at)(file, at, into, count, kind, status),
                (Offset(at), Collective) => (f.file_read_at_all)(file, at, into, count, kind, status),
                (Individual, Independent) => (f.file_read)(file, into, count, kind, status),
                (Individual, Collective) => (f.file_read_all)(file, into, count, kind, status),
                (Shared, Independent) => (f.file_read_shared)(file, into, count, kind, status),
                (Shared, Collective) => (f.file_read_ordered)(file, into, count, kind, status),
            }
        });
        self.check(code)?;
        Ok(CallStatus::new(self.library, done))
    }
}
