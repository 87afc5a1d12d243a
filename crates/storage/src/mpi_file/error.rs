//! The error of a rejected MPI call: its class in the standard, and the library's message.

use std::ffi::c_int;
use std::fmt;
use std::io;

use ffi::mpi::{ErrorClasses, MpiLibrary};
use rustix::io::Errno;

use crate::call_error;

/// Space for a message: more than any library's `MPI_MAX_ERROR_STRING` (at most 512).
const MESSAGE_BYTES_MAX: usize = 1024;

macro_rules! classes {
    ($($class:ident = $field:ident: $name:literal;)*) => {
        /// The error classes of files, with their names in the standard.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Class {
            $(#[doc = concat!("`", $name, "`")]
            $class,)*
            /// Any other class, by the library's number.
            Other(i32),
            /// Not from MPI: the library has no such call, or the arguments never reached it.
            NoCall,
        }

        impl Class {
            fn of(number: c_int, errors: &ErrorClasses) -> Self {
                match number {
                    $(n if n == errors.$field => Self::$class,)*
                    n => Self::Other(n),
                }
            }

            /// The library's number; 0 where it has none.
            pub(super) fn number(self, errors: &ErrorClasses) -> c_int {
                match self {
                    $(Self::$class => errors.$field,)*
                    Self::Other(n) => n,
                    Self::NoCall => 0,
                }
            }
        }
    };
}

classes! {
    Access = access: "MPI_ERR_ACCESS";
    Amode = amode: "MPI_ERR_AMODE";
    Arg = arg: "MPI_ERR_ARG";
    BadFile = bad_file: "MPI_ERR_BAD_FILE";
    Conversion = conversion: "MPI_ERR_CONVERSION";
    DupDatarep = dup_datarep: "MPI_ERR_DUP_DATAREP";
    File = file: "MPI_ERR_FILE";
    FileExists = file_exists: "MPI_ERR_FILE_EXISTS";
    FileInUse = file_in_use: "MPI_ERR_FILE_IN_USE";
    Io = io: "MPI_ERR_IO";
    NoSpace = no_space: "MPI_ERR_NO_SPACE";
    NoSuchFile = no_such_file: "MPI_ERR_NO_SUCH_FILE";
    NotSame = not_same: "MPI_ERR_NOT_SAME";
    Quota = quota: "MPI_ERR_QUOTA";
    ReadOnly = read_only: "MPI_ERR_READ_ONLY";
    Type = kind: "MPI_ERR_TYPE";
    UnsupportedDatarep = unsupported_datarep: "MPI_ERR_UNSUPPORTED_DATAREP";
    UnsupportedOperation = unsupported_operation: "MPI_ERR_UNSUPPORTED_OPERATION";
}

/// An error of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MpiError {
    /// Its class.
    pub class: Class,
    /// The code that the call returned; 0 where no call was made.
    pub code: i32,
    /// The library's message, on one line.
    pub words: String,
}

impl MpiError {
    /// An error without a call of the library.
    pub(super) fn no_call(words: impl Into<String>) -> Self {
        Self { class: Class::NoCall, code: 0, words: words.into() }
    }

    #[cold]
    fn of(library: &MpiLibrary, code: c_int) -> Self {
        let mut text = [0_u8; MESSAGE_BYTES_MAX];
        let (mut length, mut class): (c_int, c_int) = (0, 0);
        // SAFETY: there is space for the longest message of any library.
        unsafe { (library.functions.error_string)(code, text.as_mut_ptr().cast(), &raw mut length) };
        // SAFETY: a plain query of an error code.
        unsafe { (library.functions.error_class)(code, &raw mut class) };
        let words = String::from_utf8_lossy(&text[..length.clamp(0, MESSAGE_BYTES_MAX as c_int) as usize]);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Self { class: Class::of(class, &library.constants.errors), code, words }
    }
}

impl fmt::Display for MpiError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

impl std::error::Error for MpiError {}

impl From<MpiError> for io::Error {
    fn from(error: MpiError) -> Self {
        error.numbered(|| None)
    }
}

impl MpiError {
    /// The error with the number of its class. Without one it is the system's own error, if `repeated` finds
    /// one.
    ///
    /// `MPI_ERR_IO` has no number, because MPICH returns it for all errors without a class of their own. Some
    /// of these concern the request, such as EINVAL for O_DIRECT.
    pub(crate) fn numbered(self, repeated: impl FnOnce() -> Option<Errno>) -> io::Error {
        let errno = match self.class {
            Class::Access => Some(Errno::ACCESS),
            Class::FileExists => Some(Errno::EXIST),
            Class::FileInUse => Some(Errno::BUSY),
            Class::NoSpace => Some(Errno::NOSPC),
            Class::NoSuchFile => Some(Errno::NOENT),
            Class::Quota => Some(Errno::DQUOT),
            Class::ReadOnly => Some(Errno::ROFS),
            Class::NoCall => Some(Errno::INVAL),
            _ => match repeated() {
                Some(errno) => return errno.into(),
                None => None,
            },
        };
        call_error::numbered(errno.map(Errno::raw_os_error), self.words)
    }
}

/// Converts MPI's return code to a result.
#[inline]
pub(super) fn check(library: &MpiLibrary, code: c_int) -> Result<(), MpiError> {
    if code == 0 { Ok(()) } else { Err(MpiError::of(library, code)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_without_a_class_of_its_own_has_the_number_that_the_system_gives() {
        let error = |class| MpiError { class, code: 1, words: "words".to_owned() };
        for (class, repeated, errno) in [
            (Class::Io, None, None),
            (Class::Io, Some(Errno::IO), Some(Errno::IO)),
            (Class::Io, Some(Errno::INVAL), Some(Errno::INVAL)),
            (Class::Other(16), Some(Errno::STALE), Some(Errno::STALE)),
            (Class::NoSpace, Some(Errno::IO), Some(Errno::NOSPC)),
        ] {
            let found = error(class).numbered(|| repeated);
            assert_eq!(call_error::errno(&found), errno.map(Errno::raw_os_error), "{class:?}");
            let is_repeated = errno.is_some() && errno == repeated;
            assert_eq!(found.to_string() == "words", !is_repeated, "{found}");
        }
        assert_eq!(call_error::errno(&error(Class::Io).into()), None);
    }
}
