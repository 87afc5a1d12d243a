//! Files by PnetCDF: known by name and options, so that their lines are checked, and refused with the reason.

use units::Usage;

use crate::backends::{Backend, BackendOption, Takes};
use crate::libraries::Kind;

/// The library, by the names that its releases have.
pub(super) const KIND: Kind = Kind {
    name: "PnetCDF",
    variable: "ASSAY_PNETCDF_LIBRARY",
    homes: &["PNETCDF_DIR", "PNETCDF_ROOT", "PARALLEL_NETCDF_DIR"],
    names: &["libpnetcdf.so.6", "libpnetcdf.so.4", "libpnetcdf.so.3"],
    version: |path| ffi::probe::text(path, "ncmpi_inq_libvers").map_err(|error| error.why),
    advice: "Debian: apt-get install libpnetcdf0d, which needs Open MPI",
};

pub(super) const BACKEND: Backend = Backend {
    name: "ncmpi",
    about: "a variable of a file, by PnetCDF (not used by this program yet)",
    options: &[
        BackendOption { name: "hintsFileName", takes: Takes::Text, about: "file of hints for MPI-IO" },
        BackendOption { name: "preallocate", takes: Takes::Flag, about: "ask for the file's space at once" },
        BackendOption { name: "showHints", takes: Takes::Flag, about: "show the hints of each file" },
        BackendOption { name: "useFileView", takes: Takes::Flag, about: "transfers through a file view" },
        BackendOption {
            name: "useStridedDatatype",
            takes: Takes::Flag,
            about: "all segments of a rank in one call",
        },
    ],
    needs_mpi: true,
    open: |_| Err(Usage(KIND.not_used_yet())),
};
