//! Files by HDF5: known by name and options, so that their lines are checked, and refused with the reason.

use units::Usage;

use crate::backends::{Backend, BackendOption, Takes};
use crate::libraries;

/// The parallel library, by the names that Debian and others build it under.
const NAMES: &[&str] =
    &["libhdf5.so.310", "libhdf5.so.200", "libhdf5.so.103", "libhdf5_openmpi.so.103", "libhdf5_mpich.so.103"];

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
    open: |_| Err(Usage(libraries::not_used_yet("HDF5", "a parallel HDF5 library", NAMES))),
};
