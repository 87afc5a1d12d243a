//! The table of backends, the storage systems under test: their names, options, abilities and needs.
//!
//! Invariant: the abilities are what the storage of a backend offers; `storage/tests/pure/abilities.rs`
//! compares the two.
//! Never here: opening files, which `storage` does.

use units::Usage;

use crate::kind::OptionKind;

/// One option of a backend, set on the command line as `--<backend>.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackendOption {
    /// Its name without the backend's name and the dot.
    pub name: &'static str,
    /// The kind of value it takes.
    pub kind: OptionKind,
    /// One line of help.
    pub about: &'static str,
    /// Why the option is accepted without effect; empty for one that has an effect.
    pub idle: &'static str,
}

/// An option of other file systems that command lines for the classic programs contain.
const fn idle(name: &'static str, kind: OptionKind, idle: &'static str) -> BackendOption {
    BackendOption { name, kind, about: "accept it, without effect", idle }
}

/// A row of an option table.
const fn option(name: &'static str, kind: OptionKind, about: &'static str) -> BackendOption {
    BackendOption { name, kind, about, idle: "" }
}

/// What one backend can do with any settings; the program asks this before it opens a file. A workload
/// rejects what a backend cannot do by these fields, never by the backend's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// A transfer is a blocking call, so a rank has one transfer outstanding.
    pub blocking: bool,
    /// Transfers may go to any offset in any order.
    pub random_access: bool,
    /// Each rank can have its own file.
    pub file_per_rank: bool,
    /// Transfers of a shared file can be collective calls.
    pub collective: bool,
    /// Transfers can use a file view, which has its own order.
    pub file_views: bool,
    /// There are directories, and files can be created, stat'ed and removed by name.
    pub names: bool,
    /// Files can be opened for writing only, and truncated at open.
    pub write_only: bool,
    /// Written data can be read back.
    pub keeps_data: bool,
    /// The contents of a file.
    pub form: FileForm,
    /// The unit in which data is synced, bytes; 1 where any bytes can be synced.
    pub sync_bytes: u64,
    /// Transfers, if any, are calls of functions of the C library or of another one. Only such transfers are
    /// seen by a preloaded library.
    pub transfers_by_library: bool,
    /// The beginning of the paths of its file system, which needs no mount.
    pub scheme: Option<&'static str>,
}

impl Abilities {
    /// The abilities of files of a mounted file system with blocking transfers.
    pub const PLAIN: Self = Self {
        blocking: true,
        random_access: true,
        file_per_rank: true,
        collective: false,
        file_views: false,
        names: true,
        write_only: true,
        keeps_data: true,
        form: FileForm::Bytes,
        sync_bytes: 1,
        transfers_by_library: true,
        scheme: None,
    };
}

/// The contents of a file of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// Bytes only.
    Bytes,
    /// Datasets of elements, one for each segment; a dataset may have chunks.
    Datasets {
        /// Bytes of an element.
        element_bytes: u64,
        /// The most bytes in a chunk.
        chunk_bytes_max: u64,
    },
    /// One variable with a record for each block.
    Variable,
}

/// What a backend needs in addition to this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// A library.
    Library,
    /// Ranks of MPI.
    Mpi,
    /// A library, and ranks of MPI.
    LibraryOnMpi,
}

/// One storage system that can be tested.
#[derive(Debug)]
pub struct Backend {
    /// Its name in lower case; `-a` takes it in any case.
    pub name: &'static str,
    /// One line of help.
    pub about: &'static str,
    /// Its options. With another backend they have no effect, and a note says so, unless that backend takes
    /// them or its driver rejects them.
    pub options: &'static [BackendOption],
    /// Options of other backends that it takes as its own, as `<backend>.<option>`.
    pub also_takes: &'static [&'static str],
    /// What it can do.
    pub abilities: Abilities,
    /// What it needs.
    pub needs: Needs,
}

impl Backend {
    /// Whether each rank opens plain files of a mounted file system, whose pages its client can drop.
    pub fn has_plain_files(&self) -> bool {
        self.needs == Needs::Nothing && self.abilities.names && self.abilities.keeps_data
    }

    /// The beginning of `{dir}` in a command line: the scheme of a file system without a mount.
    pub fn place(&self, word: &str) -> String {
        // Options of the backend name files of this machine, such as its configuration.
        let own = format!("--{}.", self.name);
        let scheme = self.abilities.scheme.filter(|_| !word.starts_with(&own));
        let Some(scheme) = scheme else { return word.to_owned() };
        let with = format!("{scheme}{{dir}}");
        word.replace(&with, "{dir}").replace("{dir}", &with)
    }

    /// Whether its ranks must be MPI ranks.
    pub fn needs_mpi(&self) -> bool {
        matches!(self.needs, Needs::Mpi | Needs::LibraryOnMpi)
    }
}

/// Bytes of an element of a dataset of HDF5, as in IOR.
pub const ELEMENT_BYTES: u64 = 8;
/// The most bytes in a chunk of HDF5.
const CHUNK_BYTES_MAX: u64 = u32::MAX as u64;
/// The unit in which a mapping is synced: a page, as in IOR.
const PAGE_BYTES: u64 = 4096;

/// The beginning of a path of CephFS.
pub const CEPHFS: &str = "cephfs:";

/// The option of every backend that can bypass the page cache.
pub(crate) const ODIRECT: BackendOption =
    option("odirect", OptionKind::Flag, "open with O_DIRECT: transfers bypass this client's page cache");

/// Why an option for GPFS has no effect.
const NO_CREATE_SHARING: &str = "this program gives GPFS no hint on directories";

/// Why the options for BeeGFS have no effect.
const NO_BEEGFS: &str = "files get the layout of their directory. Set it there with beegfs-ctl.";

/// The backend of workloads that have no option for another one.
pub const POSIX: &str = "posix";

/// All backends, by name.
pub const BACKENDS: &[Backend] = &[
    Backend {
        name: "aio",
        about: "files of a mounted file system, by Linux's native asynchronous I/O",
        options: &[
            option(
                "granularity",
                OptionKind::Number,
                "transfers sent together, and waited for when all are outstanding; default 16",
            ),
            option(
                "max-pending",
                OptionKind::Number,
                "outstanding transfers (queue depth), at least 8; default 128",
            ),
            ODIRECT,
        ],
        also_takes: &["posix.odirect"],
        abilities: Abilities { blocking: false, transfers_by_library: false, ..Abilities::PLAIN },
        needs: Needs::Nothing,
    },
    Backend {
        name: "cephfs",
        about: "files of CephFS, by libcephfs without a mount; their paths may begin with cephfs:",
        options: &[
            option("conf", OptionKind::Text, "configuration file of the cluster; default: that of Ceph"),
            option("olazy", OptionKind::Flag, "lazy I/O: clients do not keep each other's caches coherent"),
            option("prefix", OptionKind::Text, "the beginning of paths that CephFS does not have"),
            option("remote_prefix", OptionKind::Text, "the directory of CephFS that is mounted; default /"),
            option("user", OptionKind::Text, "the client's name in the cluster; default admin"),
        ],
        also_takes: &[],
        abilities: Abilities { scheme: Some(CEPHFS), ..Abilities::PLAIN },
        needs: Needs::Library,
    },
    Backend {
        name: "dummy",
        about: "moves no data; measures the cost of the program itself",
        options: &[
            option("delay-close", OptionKind::Number, "sleep that many microseconds in each close"),
            option(
                "delay-create",
                OptionKind::Number,
                "sleep that many microseconds in each open for writing",
            ),
            option("delay-only-rank0", OptionKind::Flag, "sleep on rank 0 only"),
            option("delay-sync", OptionKind::Number, "sleep that many microseconds in each sync"),
            option("delay-xfer", OptionKind::Number, "sleep that many microseconds in each transfer"),
        ],
        also_takes: &[],
        abilities: Abilities { blocking: false, keeps_data: false, ..Abilities::PLAIN },
        needs: Needs::Nothing,
    },
    Backend {
        name: "hdf5",
        about: "datasets of a file, by parallel HDF5, independent or collective (-c)",
        options: &[
            option(
                "chunkSize",
                OptionKind::Number,
                "chunks of the datasets, elements of 8 bytes; 0 for none",
            ),
            option("collectiveMetadata", OptionKind::Flag, "all ranks read and write metadata together"),
            option("hintsFileName", OptionKind::Text, "file of hints for MPI-IO"),
            option(
                "individualDataSets",
                OptionKind::Flag,
                "a dataset for each block of a rank, not for each segment",
            ),
            option("noFill", OptionKind::Flag, "write no fill values into a new dataset"),
            option("setAlignment", OptionKind::Size, "alignment of objects in the file"),
            option("showHints", OptionKind::Flag, "show the hints of each file"),
        ],
        also_takes: &[],
        abilities: Abilities {
            random_access: false,
            collective: true,
            names: false,
            form: FileForm::Datasets { element_bytes: ELEMENT_BYTES, chunk_bytes_max: CHUNK_BYTES_MAX },
            ..Abilities::PLAIN
        },
        needs: Needs::LibraryOnMpi,
    },
    Backend {
        name: "mmap",
        about: "files of a mounted file system, by copies to and from a shared mapping",
        options: &[
            option(
                "madv_dont_need",
                OptionKind::Flag,
                "remove the pages from the mapping after each sync (MADV_DONTNEED)",
            ),
            option(
                "madv_pattern",
                OptionKind::Flag,
                "advise access in order (MADV_SEQUENTIAL); =2: at random (MADV_RANDOM)",
            ),
        ],
        also_takes: &[],
        abilities: Abilities {
            write_only: false,
            sync_bytes: PAGE_BYTES,
            transfers_by_library: false,
            ..Abilities::PLAIN
        },
        needs: Needs::Nothing,
    },
    Backend {
        name: "mpiio",
        about: "files by MPI-IO, independent or collective (-c)",
        options: &[
            option("hintsFileName", OptionKind::Text, "file of hints for MPI_File_open"),
            option("preallocate", OptionKind::Flag, "ask for the file's space when it is opened for writing"),
            option("showHints", OptionKind::Flag, "show the hints of each file"),
            option("useFileView", OptionKind::Flag, "transfers through a file view"),
            option(
                "useStridedDatatype",
                OptionKind::Flag,
                "with useFileView: the same transfer of all segments in one call",
            ),
        ],
        also_takes: &[],
        abilities: Abilities { collective: true, file_views: true, names: false, ..Abilities::PLAIN },
        needs: Needs::Mpi,
    },
    Backend {
        name: "ncmpi",
        about: "a variable of one file for all ranks, by PnetCDF, independent or collective (-c)",
        options: &[
            option("hintsFileName", OptionKind::Text, "file of hints for MPI-IO"),
            option(
                "preallocate",
                OptionKind::Flag,
                "accepted as in IOR 4.1, without effect: the library has no such call",
            ),
            option("showHints", OptionKind::Flag, "show the hints of each file"),
            option(
                "useFileView",
                OptionKind::Flag,
                "accepted as in IOR 4.1, without effect: the library makes its own views",
            ),
            option("useStridedDatatype", OptionKind::Flag, "accepted as in IOR 4.1, without effect"),
        ],
        also_takes: &[],
        abilities: Abilities {
            random_access: false,
            file_per_rank: false,
            collective: true,
            names: false,
            form: FileForm::Variable,
            ..Abilities::PLAIN
        },
        needs: Needs::LibraryOnMpi,
    },
    Backend {
        name: POSIX,
        about: "files of a mounted file system, by pread and pwrite",
        options: &[
            idle("beegfs.ChunkSize", OptionKind::Size, NO_BEEGFS),
            idle("beegfs.NumTargets", OptionKind::Number, NO_BEEGFS),
            idle("gpfs.createsharing", OptionKind::Flag, NO_CREATE_SHARING),
            option(
                "gpfs.finegrainreadsharing",
                OptionKind::Flag,
                "GPFS: hint that many nodes read small pieces of a file",
            ),
            option(
                "gpfs.finegrainwritesharing",
                OptionKind::Flag,
                "GPFS: hint that many nodes write small pieces of a file",
            ),
            option("gpfs.hintaccess", OptionKind::Flag, "GPFS: hint on the range of each transfer"),
            option("gpfs.releasetoken", OptionKind::Flag, "GPFS: give back the locks of a file after open"),
            option("lustre.ignorelocks", OptionKind::Flag, "Lustre: no range locks on the file"),
            option("lustre.pool", OptionKind::Text, "Lustre: OST pool of new files"),
            option(
                "lustre.startost",
                OptionKind::Number,
                "Lustre: first OST of new files; -1 lets the system choose",
            ),
            option(
                "lustre.stripecount",
                OptionKind::Number,
                "Lustre: OSTs per new file; 0 for the directory's default, -1 for all",
            ),
            option(
                "lustre.stripesize",
                OptionKind::Size,
                "Lustre: stripe size of new files, a multiple of 64k; 0 for the directory's default",
            ),
            ODIRECT,
            option("rangelocks", OptionKind::Flag, "hold a lock of its range around each transfer"),
        ],
        also_takes: &[],
        abilities: Abilities::PLAIN,
        needs: Needs::Nothing,
    },
    Backend {
        name: "uring",
        about: "files of a mounted file system, by io_uring with registered buffers and files",
        options: &[
            ODIRECT,
            option(
                "plain-buffers",
                OptionKind::Flag,
                "do not register the buffers: slower, and no memory is locked",
            ),
        ],
        also_takes: &["posix.odirect"],
        abilities: Abilities { blocking: false, transfers_by_library: false, ..Abilities::PLAIN },
        needs: Needs::Nothing,
    },
];

/// The backend of that name, in any case.
pub fn backend(name: &str) -> Result<&'static Backend, Usage> {
    BACKENDS.iter().find(|backend| backend.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
        let known: Vec<_> = BACKENDS.iter().map(|backend| backend.name.to_uppercase()).collect();
        Usage(format!("unknown backend `{name}`. Choose one of {}", known.join(", ")))
    })
}

/// A place without a mount: its scheme, and its path in the file system. `None` for other paths.
pub fn unmounted(place: &str) -> Option<(&'static str, &str)> {
    let schemes = BACKENDS.iter().filter_map(|backend| backend.abilities.scheme);
    schemes.into_iter().find_map(|scheme| Some((scheme, place.strip_prefix(scheme)?)))
}

/// Whether the backend of this name keeps no data. It is false for a name that is not in the table, such as
/// that of a program of others.
pub fn discards_data(name: &str) -> bool {
    backend(name).is_ok_and(|backend| !backend.abilities.keeps_data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sound() {
        assert!(BACKENDS.iter().map(|backend| backend.name).is_sorted(), "keep the table in order");
        for backend in BACKENDS {
            assert!(!backend.about.is_empty() && !backend.about.ends_with('.'), "{}", backend.name);
            assert!(backend.options.iter().map(|option| option.name).is_sorted(), "{}", backend.name);
        }
    }

    #[test]
    fn a_backend_is_found_in_any_case_and_an_unknown_one_is_rejected_with_the_list() {
        assert_eq!(backend("PoSiX").unwrap().name, "posix");
        let error = backend("lustre").err().unwrap();
        assert_eq!(
            error.0,
            "unknown backend `lustre`. \
             Choose one of AIO, CEPHFS, DUMMY, HDF5, MMAP, MPIIO, NCMPI, POSIX, URING"
        );
    }
}
