//! Several requests that one call completes: all of them, any one, or some.

use std::ffi::c_int;

use ffi::mpi::{Abi, Handle, MpiLibrary, Status};

use super::done::CallStatus;
use super::error::{MpiError, check};
use super::request::MpiRequest;

/// How many requests one call completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Many {
    /// All or none (`MPI_Waitall`, `MPI_Testall`).
    All,
    /// One (`MPI_Waitany`, `MPI_Testany`).
    Any,
    /// As many as have ended (`MPI_Waitsome`, `MPI_Testsome`).
    Some,
}

/// A request that has ended.
#[derive(Debug)]
pub struct EndedRequest {
    /// Its index in the list that was given.
    pub number: usize,
    /// What it moved.
    pub done: CallStatus,
    /// Its buffer.
    pub buffer: Vec<u8>,
}

/// Requests of one file. Dropped requests continue, and their buffers are never freed.
#[derive(Debug)]
#[must_use = "requests that are dropped keep their buffers forever"]
pub struct Requests<'f>(Vec<Option<MpiRequest<'f>>>);

impl<'f> FromIterator<MpiRequest<'f>> for Requests<'f> {
    fn from_iter<T: IntoIterator<Item = MpiRequest<'f>>>(requests: T) -> Self {
        Self(requests.into_iter().map(Some).collect())
    }
}

impl Requests<'_> {
    /// Whether all have ended.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Completes requests, or with `waits` false tests which have ended (possibly none). After an error the
    /// remaining requests are not returned.
    pub fn end(&mut self, many: Many, waits: bool) -> Result<Vec<EndedRequest>, MpiError> {
        let Some(file) = self.0.iter().flatten().next().map(|request| request.file) else {
            return Ok(Vec::new());
        };
        let library = file.library;
        let going: Vec<usize> = (0..self.0.len()).filter(|number| self.0[*number].is_some()).collect();
        let mut row = HandleRow::of(library, self.0.iter().flatten().map(|request| request.handle));
        let mut statuses = vec![file.status(); going.len()];
        let places = row.call(many, waits, &mut statuses)?;
        let ended = places.into_iter().enumerate().map(|(turn, place)| {
            let status = match many {
                Many::All => Status::of_row(&statuses, library.abi, place),
                Many::Any => statuses[0].clone(),
                Many::Some => Status::of_row(&statuses, library.abi, turn),
            };
            let outside = || MpiError::no_call(format!("the library ended an unknown request {place}"));
            let number = *going.get(place).ok_or_else(outside)?;
            let mut request = self.0[number].take().ok_or_else(outside)?;
            request.handle = row.handle(place);
            let (done, buffer) = request.ended(0, status, true);
            Ok(EndedRequest { number, done: done?, buffer })
        });
        ended.collect()
    }
}

/// An array of handles, each as wide as the library's own.
struct HandleRow {
    library: &'static MpiLibrary,
    wide: Vec<Handle>,
    /// Handles of the MPICH family are 32-bit integers.
    packed: Vec<u32>,
}

impl HandleRow {
    fn of(library: &'static MpiLibrary, handles: impl Iterator<Item = Handle>) -> Self {
        let wide: Vec<Handle> = handles.collect();
        let packed = wide.iter().map(|handle| *handle as u32).collect();
        Self { library, wide, packed }
    }

    fn handle(&self, place: usize) -> Handle {
        if self.library.abi == Abi::Mpich { self.packed[place] as Handle } else { self.wide[place] }
    }

    /// Makes the call; returns the indices of the ended requests, in the order of their statuses.
    fn call(&mut self, many: Many, waits: bool, statuses: &mut [Status]) -> Result<Vec<usize>, MpiError> {
        let f = &self.library.functions;
        let all = c_int::try_from(self.wide.len()).expect("as many as MPI can count");
        let row = match self.library.abi {
            Abi::Mpich => self.packed.as_mut_ptr().cast(),
            _ => self.wide.as_mut_ptr(),
        };
        let mut numbers: Vec<c_int> = vec![-1; self.wide.len()];
        let (mut ended, mut flag): (c_int, c_int) = (0, 1);
        let (index, status) = (numbers.as_mut_ptr(), statuses.as_mut_ptr());
        let (count, done) = (&raw mut ended, &raw mut flag);
        // SAFETY: the requests are live, and there is space for all statuses and numbers. The buffers of the
        // requests are held until they have ended.
        let code = unsafe {
            match (many, waits) {
                (Many::All, true) => (f.waitall)(all, row, status),
                (Many::All, false) => (f.testall)(all, row, done, status),
                (Many::Any, true) => (f.waitany)(all, row, index, status),
                (Many::Any, false) => (f.testany)(all, row, index, done, status),
                (Many::Some, true) => (f.waitsome)(all, row, count, index, status),
                (Many::Some, false) => (f.testsome)(all, row, count, index, status),
            }
        };
        check(self.library, code)?;
        let place = |number: &c_int| usize::try_from(*number).unwrap_or(usize::MAX);
        Ok(match many {
            _ if flag == 0 => Vec::new(),
            Many::All => (0..self.wide.len()).collect(),
            Many::Any => vec![place(&numbers[0])],
            Many::Some => numbers.iter().take(usize::try_from(ended).unwrap_or(0)).map(place).collect(),
        })
    }
}
