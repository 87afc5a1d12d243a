//! Files by HDF5: known by name and options, so that their lines are checked, and refused with the reason.

use units::Usage;

use crate::backends::{Backend, BackendOption, Takes};
use crate::libraries::Kind;

/// The parallel library, by the names that Debian and others build it under.
pub(super) const KIND: Kind = Kind {
    name: "HDF5",
    variable: "ASSAY_HDF5_LIBRARY",
    homes: &["HDF5_DIR", "HDF5_ROOT", "HDF5_HOME"],
    names: &[
        "libhdf5_openmpi.so.103",
        "libhdf5_mpich.so.103",
        "libhdf5.so.320",
        "libhdf5.so.310",
        "libhdf5.so.200",
        "libhdf5.so.103",
    ],
    parallel: "H5Pset_fapl_mpio",
    advice: "Debian: apt-get install libhdf5-openmpi-103-1 or libhdf5-mpich-103-1",
};

pub(super) const BACKEND: Backend = Backend {
    name: "hdf5",
    about: "a dataset of a file, by parallel HDF5 (not used by this program yet)",
    options: &[
        BackendOption {
            name: "chunkSize",
            takes: Takes::Number,
            about: "chunks of the dataset, elements of 8 bytes",
        },
        BackendOption {
            name: "collectiveMetadata",
            takes: Takes::Flag,
            about: "all ranks read and write metadata together",
        },
        BackendOption { name: "hintsFileName", takes: Takes::Text, about: "file of hints for MPI-IO" },
        BackendOption {
            name: "individualDataSets",
            takes: Takes::Flag,
            about: "a dataset per rank (never worked in IOR either)",
        },
        BackendOption {
            name: "noFill",
            takes: Takes::Flag,
            about: "write no fill values into a new dataset",
        },
        BackendOption { name: "setAlignment", takes: Takes::Size, about: "alignment of objects in the file" },
        BackendOption { name: "showHints", takes: Takes::Flag, about: "show the hints of each file" },
    ],
    needs_mpi: true,
    open: |_| Err(Usage(KIND.not_used_yet())),
};
