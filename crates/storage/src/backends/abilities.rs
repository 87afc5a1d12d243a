//! What a backend can do, whatever its settings: what is asked before any file is opened.
//!
//! A workload refuses what a backend cannot do by these fields, never by the backend's name.
//!
//! Invariant: this is what [`Storage`](crate::Storage) offers; `tests/pure/abilities.rs` compares the two.

/// What one backend can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// A transfer is a call that blocks, so that a rank has one outstanding.
    pub blocking: bool,
    /// Transfers may go to any offset in any order.
    pub random_access: bool,
    /// Each rank can have a file of its own.
    pub file_per_rank: bool,
    /// Transfers of a shared file can be calls that all ranks have to make together.
    pub collective: bool,
    /// Transfers can go through a file view, which has an order of its own.
    pub file_views: bool,
    /// There are directories, and files can be made, looked at and removed by name.
    pub names: bool,
    /// Files can be opened for writing only, and made empty as they are opened.
    pub write_only: bool,
    /// What was written can be read back.
    pub keeps_data: bool,
    /// What a file consists of.
    pub form: FileForm,
    /// Bytes of the unit in which data is synced; 1 where any bytes can be.
    pub sync_bytes: u64,
}

impl Abilities {
    /// Those of a file of a mounted file system that is moved by calls that block.
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
    };
}

/// What a file of a backend consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileForm {
    /// Bytes, and nothing else.
    Bytes,
    /// Datasets of elements, one for each segment, which may lie in chunks.
    Datasets {
        /// Bytes of an element.
        element_bytes: u64,
        /// Most bytes of a chunk.
        chunk_bytes_max: u64,
    },
    /// One variable with a record for each block.
    Variable,
}
