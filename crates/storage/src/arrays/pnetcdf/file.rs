//! An open file: its definition, and its properties.
#![allow(unsafe_code)]

use std::ffi::{CString, c_int};
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ffi::mpi;
use ffi::netcdf::{self, Functions, NO_ERROR, PnetcdfLibrary};
use ranks::Comm;

use super::super::{
    Access, ArrayFile, ArrayValues, Attribute, Attributes, Deferred, DimensionNumber, Element, Number, Slab,
    Variable, absent, check_lengths, wrong,
};
use crate::files;
use crate::mpi_file::Info;
use crate::shared::{asked, given};

/// The most dimensions that an array can have here.
pub(super) const DIMENSIONS_MAX: usize = 8;

/// How a file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NetcdfOpenMode {
    /// Created, or replaced if it exists; then it can be defined.
    pub(crate) new: bool,
    /// Opened for writing too.
    pub(crate) writes: bool,
    /// By all ranks together.
    pub(crate) shared: bool,
}

impl NetcdfOpenMode {
    /// An existing file that all ranks read.
    pub(crate) const SHARED: Self = Self { new: false, writes: false, shared: true };
}

/// A request, and the values that the library reads until the wait; no values where the library has a copy.
pub(super) struct DeferredRequest {
    pub(super) request: c_int,
    pub(super) values: Option<ArrayValues>,
}

/// An open file. The libraries outlive it: they are never unloaded.
pub(crate) struct NcFile {
    pub(super) library: &'static PnetcdfLibrary,
    mpi: &'static mpi::MpiLibrary,
    pub(super) id: c_int,
    pub(super) access: Access,
    dimensions: Vec<c_int>,
    pub(super) arrays: Vec<KnownArray>,
    /// Requests that were accepted and not yet waited for.
    pub(super) taken: Vec<DeferredRequest>,
}

/// What is known of an array.
#[derive(Clone, Copy)]
pub(super) struct KnownArray {
    pub(super) id: c_int,
    pub(super) element: Element,
    pub(super) dimensions: usize,
}

impl NcFile {
    /// Makes or opens the file at `path`; where it is shared all ranks of `comm` call this together.
    pub(crate) fn open<'h>(
        library: &'static PnetcdfLibrary,
        comm: &dyn Comm,
        path: &Path,
        how: NetcdfOpenMode,
        hints: impl IntoIterator<Item = (&'h str, &'h str)>,
    ) -> io::Result<Self> {
        let ranks = comm.mpi().ok_or_else(|| io::Error::other("the ranks are not MPI ranks"))?;
        let mpi = ranks.library();
        let info = Info::of(ranks, hints)?;
        let whose = if how.shared { ranks.handle() } else { mpi.constants.comm_self };
        let name = CString::new(given(path, true).as_os_str().as_bytes())?;
        let (functions, mut id) = (&library.functions, 0);
        let (call, mode) = match how {
            NetcdfOpenMode { new: true, .. } => (functions.create, netcdf::CLOBBER | netcdf::CDF5),
            NetcdfOpenMode { writes: true, .. } => (functions.open, netcdf::WRITE),
            _ => (functions.open, netcdf::READ_ONLY),
        };
        // SAFETY: MPI runs while `comm` lives, the name ends in a zero byte, and `id` is a local variable.
        let opened = check(library, unsafe { call(whose, name.as_ptr(), mode, info.handle(), &raw mut id) });
        opened.map_err(|error| match files::size(path) {
            Ok(Some(0)) if !how.new && !files::is_device(path) => {
                io::Error::new(io::ErrorKind::InvalidData, "it is empty and therefore not a PnetCDF file")
            }
            _ => asked(path, how.new || how.writes, error),
        })?;
        let access = Access::Collective;
        Ok(Self { library, mpi, id, access, dimensions: Vec::new(), arrays: Vec::new(), taken: Vec::new() })
    }

    pub(super) fn functions(&self) -> &'static Functions {
        &self.library.functions
    }

    pub(super) fn check(&self, code: c_int) -> io::Result<()> {
        check(self.library, code)
    }

    /// Defines a dimension of this length; `None` defines the unlimited dimension.
    pub(crate) fn define(&mut self, name: &str, length: Option<u64>) -> io::Result<DimensionNumber> {
        // PnetCDF reads a length of 0 as the unlimited dimension.
        let length = match length {
            None => netcdf::UNLIMITED,
            Some(0) => return Err(wrong(format!("dimension {name} has no length"))),
            Some(length) => {
                i64::try_from(length).map_err(|_| wrong(format!("dimension {name} is too long")))?
            }
        };
        let (name, mut id) = (CString::new(name)?, 0);
        // SAFETY: the file is open, the name ends in a zero byte, and `id` is a local variable.
        self.check(unsafe { (self.functions().def_dim)(self.id, name.as_ptr(), length, &raw mut id) })?;
        self.dimensions.push(id);
        Ok(DimensionNumber(self.dimensions.len() - 1))
    }

    /// The lengths of the array, the slowest first; the unlimited dimension has its current length.
    pub(crate) fn lengths(&self, variable: Variable) -> io::Result<Vec<u64>> {
        let KnownArray { id, dimensions, .. } = self.arrays[variable.0];
        let mut ids = vec![0; dimensions];
        let functions = self.functions();
        // SAFETY: the library reported this number of dimensions.
        self.check(unsafe { (functions.inq_vardimid)(self.id, id, ids.as_mut_ptr()) })?;
        let mut lengths = Vec::new();
        for dimension in ids {
            let mut length = 0;
            // SAFETY: the file is open, and the length is a local variable.
            self.check(unsafe { (functions.inq_dimlen)(self.id, dimension, &raw mut length) })?;
            lengths.push(u64::try_from(length).unwrap_or(0));
        }
        Ok(lengths)
    }

    /// The array of that name and those elements, of any lengths.
    pub(crate) fn known(&mut self, name: &str, element: Element) -> io::Result<Variable> {
        let functions = self.functions();
        let text = CString::new(name)?;
        let (mut id, mut kind, mut dimensions) = (0, 0, 0);
        // SAFETY: the file is open, the name ends in a zero byte, and `id` is a local variable.
        match unsafe { (functions.inq_varid)(self.id, text.as_ptr(), &raw mut id) } {
            netcdf::ERROR_NO_VARIABLE => return Err(absent(name)),
            code => self.check(code)?,
        }
        // SAFETY: the variable exists; both numbers are local variables.
        self.check(unsafe { (functions.inq_vartype)(self.id, id, &raw mut kind) })?;
        // SAFETY: as above.
        self.check(unsafe { (functions.inq_varndims)(self.id, id, &raw mut dimensions) })?;
        let dimensions = usize::try_from(dimensions).unwrap_or(0);
        if kind != type_of(element) || dimensions > DIMENSIONS_MAX {
            let what = format!("its variable {name} is of type {kind}, not {}", type_of(element));
            return Err(wrong(what));
        }
        self.arrays.push(KnownArray { id, element, dimensions });
        Ok(Variable(self.arrays.len() - 1))
    }

    /// Flushes to storage what was written. Collective.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().sync)(self.id) })
    }
}

impl ArrayFile for NcFile {
    fn dimension(&mut self, name: &str, length: u64) -> io::Result<DimensionNumber> {
        self.define(name, Some(length))
    }

    fn variable(
        &mut self,
        name: &str,
        element: Element,
        dimensions: &[DimensionNumber],
    ) -> io::Result<Variable> {
        if dimensions.len() > DIMENSIONS_MAX {
            return Err(wrong(format!("variable {name} has more than {DIMENSIONS_MAX} dimensions")));
        }
        let ids: Vec<c_int> = dimensions.iter().map(|dimension| self.dimensions[dimension.0]).collect();
        let (text, mut id) = (CString::new(name)?, 0);
        let (define, count) = (self.functions().def_var, ids.len() as c_int);
        // SAFETY: the file is open, the name ends in a zero byte, and `count` is the number of dimensions.
        let code =
            unsafe { define(self.id, text.as_ptr(), type_of(element), count, ids.as_ptr(), &raw mut id) };
        self.check(code)?;
        self.arrays.push(KnownArray { id, element, dimensions: ids.len() });
        Ok(Variable(self.arrays.len() - 1))
    }

    fn attributes(&mut self) -> Option<&mut dyn Attributes> {
        Some(self)
    }

    fn end_definition(&mut self) -> io::Result<()> {
        // SAFETY: the file is open.
        self.check(unsafe { (self.functions().enddef)(self.id) })
    }

    fn access(&mut self, access: Access) -> io::Result<()> {
        if access == self.access {
            return Ok(());
        }
        let functions = self.functions();
        let change =
            if access == Access::Independent { functions.begin_indep_data } else { functions.end_indep_data };
        self.access = access;
        // SAFETY: the file is open.
        self.check(unsafe { change(self.id) })
    }

    fn find(&mut self, name: &str, element: Element, lengths: &[u64]) -> io::Result<Variable> {
        let variable = self.known(name, element)?;
        let found = self.lengths(variable)?;
        check_lengths(name, &found, lengths)?;
        Ok(variable)
    }

    fn place(&self, variable: Variable) -> io::Result<Option<u64>> {
        let mut place = 0;
        let array = self.arrays[variable.0];
        // SAFETY: the file is open, and the number is a local variable.
        self.check(unsafe { (self.functions().inq_varoffset)(self.id, array.id, &raw mut place) })?;
        Ok(u64::try_from(place).ok())
    }

    fn put(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        self.put_values(variable, slab, values)
    }

    fn get(&mut self, variable: Variable, slab: Slab<'_>, values: &mut ArrayValues) -> io::Result<()> {
        self.get_values(variable, slab, values)
    }

    fn deferred(&mut self) -> Option<&mut dyn Deferred> {
        Some(self)
    }

    fn amount_written(&mut self) -> io::Result<Option<u64>> {
        let mut bytes = 0;
        // SAFETY: the file is open, and the number is a local variable.
        self.check(unsafe { (self.functions().inq_put_size)(self.id, &raw mut bytes) })?;
        Ok(u64::try_from(bytes).ok())
    }

    fn hints(&self) -> io::Result<Vec<(String, String)>> {
        let mut handle = 0;
        // SAFETY: the file is open; the new handle is owned here.
        self.check(unsafe { (self.functions().inq_file_info)(self.id, &raw mut handle) })?;
        Ok(Info::own(self.mpi, handle).pairs()?)
    }

    fn close(self: Box<Self>) -> io::Result<()> {
        // SAFETY: the file is open and not used afterwards.
        self.check(unsafe { (self.functions().close)(self.id) })
    }
}

impl Attributes for NcFile {
    fn attribute(&mut self, name: &str, value: Attribute<'_>) -> io::Result<()> {
        let (functions, id, name) = (self.functions(), self.id, CString::new(name)?);
        let (whose, name) = (netcdf::GLOBAL, name.as_ptr());
        // SAFETY: the file is open, the name ends in a zero byte, and each value has the given length.
        let code = unsafe {
            match value {
                Attribute::Text(text) => {
                    (functions.put_att_text)(id, whose, name, text.len() as i64, text.as_ptr().cast())
                }
                Attribute::Number(Number::Int(value)) => {
                    (functions.put_att_int)(id, whose, name, netcdf::INT, 1, &raw const value)
                }
                Attribute::Number(Number::Float(value)) => {
                    let value = f64::from(value);
                    (functions.put_att_double)(id, whose, name, netcdf::FLOAT, 1, &raw const value)
                }
                Attribute::Number(Number::Double(value)) => {
                    (functions.put_att_double)(id, whose, name, netcdf::DOUBLE, 1, &raw const value)
                }
            }
        };
        self.check(code)
    }
}

pub(super) fn type_of(element: Element) -> c_int {
    match element {
        Element::Byte => netcdf::BYTE,
        Element::Int => netcdf::INT,
        Element::Float => netcdf::FLOAT,
        Element::Double => netcdf::DOUBLE,
    }
}

/// Converts the library's return code to a result.
fn check(library: &PnetcdfLibrary, code: c_int) -> io::Result<()> {
    if code == NO_ERROR {
        return Ok(());
    }
    if code > 0 {
        return Err(io::Error::from_raw_os_error(code));
    }
    let kind = match code {
        netcdf::ERROR_NO_FILE => ErrorKind::NotFound,
        netcdf::ERROR_NO_SPACE => ErrorKind::StorageFull,
        netcdf::ERROR_ACCESS => ErrorKind::PermissionDenied,
        _ => ErrorKind::Other,
    };
    Err(io::Error::new(kind, library.error_text(code).replace('\n', " ")))
}
