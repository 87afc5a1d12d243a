//! The single table of the operations of `mdtest`: their order, and the options that request them.
//!
//! An operation that the table adds to those of mdtest 4.1 restores every name that it found. So the removal
//! finds exactly the names that mdtest made. `chmod` leaves another mode, and `truncate` another length.
//!
//! Never here: doing an operation.

use super::request::Request;

/// The part of an iteration in which an operation is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// Before all items.
    Begin,
    /// While the items are directories.
    Directories,
    /// While the items are files.
    Files,
    /// While there are items, the files if there are any.
    Items,
    /// After all items.
    End,
}

/// Which operation it is.
#[allow(missing_docs, reason = "the table has the labels")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperationKind {
    TreeCreation,
    DirectoryCreation,
    DirectoryStat,
    DirectoryRename,
    FileCreation,
    FileStat,
    FileStatx,
    FileRead,
    DirectoryListing,
    FileRenameAcross,
    FileLink,
    FileSymlink,
    FileChmod,
    FileXattrSet,
    FileXattrGet,
    FileTruncate,
    SharedOpen,
    DirectoryRemoval,
    FileRemoval,
    TreeRemoval,
}

/// One operation.
pub struct ItemOperation {
    /// Which one it is.
    pub kind: OperationKind,
    /// Its name for `--operations`; `None` if one of mdtest's own options requests it.
    pub name: Option<&'static str>,
    /// Its label in tables.
    pub label: &'static str,
    /// Its phase in records.
    pub phase: &'static str,
    /// The part of an iteration in which it is done.
    pub when: When,
    /// Whether a request names it.
    wanted: fn(&Request) -> bool,
}

impl ItemOperation {
    /// Whether a request names it.
    pub fn is_wanted(&self, request: &Request) -> bool {
        (self.wanted)(request)
    }

    /// Whether it is done: it is named, and the items that it works on are there.
    pub(super) fn is_done(&self, request: &Request) -> bool {
        let has_items = match self.when {
            When::Begin | When::End => true,
            When::Directories => request.directories,
            When::Files => request.files,
            When::Items => request.files || request.directories,
        };
        has_items && self.is_wanted(request)
    }

    /// Whether it removes what the run made.
    pub fn removes(&self) -> bool {
        self.phase.ends_with("_removal")
    }
}

macro_rules! classic {
    ($kind:ident, $label:literal, $phase:literal, $when:ident, $wanted:expr) => {
        ItemOperation {
            kind: OperationKind::$kind,
            name: None,
            label: $label,
            phase: $phase,
            when: When::$when,
            wanted: $wanted,
        }
    };
}

macro_rules! extra {
    ($kind:ident, $name:literal, $label:literal, $phase:literal, $when:ident) => {
        ItemOperation {
            kind: OperationKind::$kind,
            name: Some($name),
            label: $label,
            phase: $phase,
            when: When::$when,
            wanted: |request| request.extra.iter().any(|name| name == $name),
        }
    };
}

/// All operations, in the order in which they are done.
#[rustfmt::skip]
pub const OPERATIONS: &[ItemOperation] = &[
    classic!(TreeCreation, "Tree creation", "tree_creation", Begin, |p| p.create),
    classic!(DirectoryCreation, "Directory creation", "directory_creation", Directories, |p| p.create),
    classic!(DirectoryStat, "Directory stat", "directory_stat", Directories, |p| p.stat),
    classic!(DirectoryRename, "Directory rename", "directory_rename", Directories, |p| p.rename),
    classic!(FileCreation, "File creation", "file_creation", Files, |p| p.create),
    classic!(FileStat, "File stat", "file_stat", Files, |p| p.stat),
    extra!(FileStatx, "statx", "File statx", "file_statx", Files),
    classic!(FileRead, "File read", "file_read", Files, |p| p.read),
    extra!(DirectoryListing, "list", "Directory listing", "directory_listing", Items),
    extra!(FileRenameAcross, "rename-across", "File rename across", "file_rename_across", Files),
    extra!(FileLink, "link", "File link", "file_link", Files),
    extra!(FileSymlink, "symlink", "File symlink", "file_symlink", Files),
    extra!(FileChmod, "chmod", "File chmod", "file_chmod", Files),
    extra!(FileXattrSet, "xattr-set", "File xattr set", "file_xattr_set", Files),
    extra!(FileXattrGet, "xattr-get", "File xattr get", "file_xattr_get", Files),
    extra!(FileTruncate, "truncate", "File truncate", "file_truncate", Files),
    extra!(SharedOpen, "shared-open", "Shared open", "shared_open", Files),
    classic!(DirectoryRemoval, "Directory removal", "directory_removal", Directories, |p| p.remove),
    classic!(FileRemoval, "File removal", "file_removal", Files, |p| p.remove),
    classic!(TreeRemoval, "Tree removal", "tree_removal", End, |p| p.remove),
];

/// The names that `--operations` accepts, in their order.
pub fn operation_names() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().filter_map(|row| row.name)
}

/// The names of the operations that work only on files.
pub(super) fn names_of_files() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().filter(|row| row.when == When::Files).filter_map(|row| row.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_consistent() {
        for (index, row) in OPERATIONS.iter().enumerate() {
            let words = row.label.to_lowercase().replace(' ', "_");
            assert_eq!(words, row.phase, "a label and its phase agree");
            let before = &OPERATIONS[..index];
            assert!(before.iter().all(|other| other.phase != row.phase && other.label != row.label));
            assert!(row.name.is_none() || before.iter().all(|other| other.name != row.name));
        }
        assert_eq!(operation_names().count(), 10);
    }

    #[test]
    fn requested_operations_are_done() {
        let wanted = |parameters: &Request| -> Vec<&str> {
            OPERATIONS.iter().filter(|row| row.is_wanted(parameters)).map(|row| row.phase).collect()
        };
        assert_eq!(wanted(&Request::default()).len(), 10, "the operations of mdtest");
        let none = Request {
            create: false,
            stat: false,
            read: false,
            rename: false,
            remove: false,
            extra: vec!["link".into(), "list".into()],
            ..Request::default()
        };
        assert_eq!(wanted(&none), ["directory_listing", "file_link"]);
    }
}
