//! File views: the part of a file that a rank sees.

use std::ffi::{CStr, CString, c_int};

use ffi::mpi::Offset;

use super::datatype::Datatype;
use super::error::MpiError;
use super::file::MpiFile;
use super::info::Info;

/// Space for the name of a data representation: no library's `MPI_MAX_DATAREP_STRING` is above 128.
const NAME_BYTES_MAX: usize = 1024;

/// Where a view begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewStart {
    /// At a byte of the file.
    Byte(i64),
    /// At the shared pointer of a sequential file (`MPI_DISPLACEMENT_CURRENT`).
    Current,
}

/// The known properties of a datatype that MPI returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeShape {
    /// Bytes of data.
    pub size: u64,
    /// Bytes from one element to the next.
    pub extent: i64,
    /// Whether it is a predefined datatype.
    pub is_named: bool,
}

/// A view as MPI reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The byte of the file where it begins.
    pub displacement: i64,
    /// Its unit (etype).
    pub etype: TypeShape,
    /// The visible part of the file (filetype).
    pub filetype: TypeShape,
    /// The name of the data representation.
    pub datarep: String,
}

impl MpiFile {
    /// Sets the view, and moves both pointers to its beginning. Collective; displacement, filetype and hints
    /// may differ between ranks.
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

    /// Reads the view.
    pub fn view(&self) -> Result<View, MpiError> {
        let mut displacement: Offset = 0;
        let (mut etype, mut filetype, mut name) = (0, 0, [0_u8; NAME_BYTES_MAX]);
        let (get, name_at) = (self.functions().file_get_view, name.as_mut_ptr().cast());
        let (kind, view) = (&raw mut etype, &raw mut filetype);
        // SAFETY: the file is open; there is space for any name, and `shape` frees the new handles.
        self.check(unsafe { get(self.handle, &raw mut displacement, kind, view, name_at) })?;
        let (etype, filetype) = (self.shape(etype), self.shape(filetype));
        let datarep = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned();
        Ok(View { displacement, etype: etype?, filetype: filetype?, datarep })
    }

    /// The shape of a datatype that MPI returned; frees the datatype if it is not predefined.
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
