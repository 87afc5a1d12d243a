//! What a rank sees of a file.

use std::ffi::{CStr, CString, c_int};

use ffi::mpi::Offset;

use super::datatype::Datatype;
use super::error::MpiError;
use super::file::MpiFile;
use super::info::Info;

/// Room for the name of a data representation: no library's `MPI_MAX_DATAREP_STRING` is above 128.
const NAME_ROOM: usize = 1024;

/// Where a view begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewStart {
    /// At a byte of the file.
    Byte(i64),
    /// Where the shared pointer of a sequential file stands (`MPI_DISPLACEMENT_CURRENT`).
    Current,
}

/// What can be told of a datatype that MPI gave back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeShape {
    /// Bytes of data.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// Whether MPI has it by name.
    pub is_named: bool,
}

/// A view as MPI tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The byte of the file where it begins.
    pub displacement: i64,
    /// Its unit.
    pub etype: TypeShape,
    /// What of the file is seen.
    pub filetype: TypeShape,
    /// The name of the data representation.
    pub datarep: String,
}

impl MpiFile {
    /// Sets the view, and both pointers to its beginning. Collective; displacement, filetype and hints may
    /// differ between ranks.
    pub fn set_view(
        &self,
        start: ViewStart,
        etype: &Datatype,
        filetype: &Datatype,
        datarep: &str,
        info: &Info,
    ) -> Result<(), MpiError> {
        let start = match start {
            ViewStart::Byte(byte) => byte,
            ViewStart::Current => self.library.constants.displacement_current,
        };
        let name = CString::new(datarep).map_err(|_| MpiError::no_call("a zero byte in a name"))?;
        let (set, info) = (self.functions().file_set_view, info.handle());
        // SAFETY: the file is open, the datatypes and hints live, the name ends in a zero byte.
        self.check(unsafe { set(self.handle, start, etype.handle, filetype.handle, name.as_ptr(), info) })
    }

    /// The view.
    pub fn view(&self) -> Result<View, MpiError> {
        let mut displacement: Offset = 0;
        let (mut etype, mut filetype, mut name) = (0, 0, [0_u8; NAME_ROOM]);
        let (get, name_at) = (self.functions().file_get_view, name.as_mut_ptr().cast());
        let (kind, view) = (&raw mut etype, &raw mut filetype);
        // SAFETY: the file is open; there is room for any name, and the new handles are freed by `shape`.
        self.check(unsafe { get(self.handle, &raw mut displacement, kind, view, name_at) })?;
        let (etype, filetype) = (self.shape(etype), self.shape(filetype));
        let datarep = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
        Ok(View { displacement, etype: etype?, filetype: filetype?, datarep })
    }

    /// The shape of a datatype that MPI has made for us; frees it where it has to be.
    fn shape(&self, handle: usize) -> Result<TypeShape, MpiError> {
        let (mut integers, mut addresses, mut kinds, mut combiner): (c_int, c_int, c_int, c_int);
        (integers, addresses, kinds, combiner) = (0, 0, 0, 0);
        let numbers = (&raw mut integers, &raw mut addresses, &raw mut kinds, &raw mut combiner);
        let get = self.functions().type_get_envelope;
        // SAFETY: the datatype lives; MPI writes four numbers.
        self.check(unsafe { get(handle, numbers.0, numbers.1, numbers.2, numbers.3) })?;
        let is_named = combiner == self.library.constants.combiner_named;
        let kind = Datatype::own(self.library, handle, !is_named)?;
        Ok(TypeShape { size: kind.size(), extent: kind.extent(), is_named })
    }
}
