//! The single table of operations: their order, the options that request them, and the functions that do
//! them.
//!
//! An operation that the table adds to those of mdtest 4.1 restores every name that it found. So the removal
//! finds exactly the names that mdtest made. `chmod` leaves another mode, and `truncate` another length.
//!
//! Never here: how an operation is done.

use ranks::Halt;

use super::parameters::MdtestParameters;
use super::run::MdtestRun;
use super::{directories, extras, files, tree};

/// The part of an iteration in which an operation is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// One operation.
pub struct ItemOperation {
    /// Its name for `--operations`; `None` if one of mdtest's own options requests it.
    pub name: Option<&'static str>,
    /// Its label in tables.
    pub label: &'static str,
    /// Its phase in records.
    pub phase: &'static str,
    /// The part of an iteration in which it is done.
    pub when: When,
    /// Whether the parameters request it.
    pub(super) wanted: fn(&MdtestParameters) -> bool,
    /// Does it on all ranks. Collective.
    pub(super) perform: fn(&mut MdtestRun<'_>, &'static ItemOperation) -> Result<(), Halt>,
}

impl ItemOperation {
    /// Whether it removes what the run made.
    pub fn removes(&self) -> bool {
        self.phase.ends_with("_removal")
    }
}

macro_rules! classic {
    ($label:literal, $phase:literal, $when:ident, $wanted:expr, $perform:path) => {
        ItemOperation {
            name: None,
            label: $label,
            phase: $phase,
            when: When::$when,
            wanted: $wanted,
            perform: $perform,
        }
    };
}

macro_rules! extra {
    ($name:literal, $label:literal, $phase:literal, $when:ident, $perform:path) => {
        ItemOperation {
            name: Some($name),
            label: $label,
            phase: $phase,
            when: When::$when,
            wanted: |parameters| parameters.extra.iter().any(|name| name == $name),
            perform: $perform,
        }
    };
}

/// All operations, in the order in which they are done.
#[rustfmt::skip]
pub const OPERATIONS: &[ItemOperation] = &[
    classic!("Tree creation", "tree_creation", Begin, |p| p.create, tree::each_directory),
    classic!("Directory creation", "directory_creation", Directories, |p| p.create, directories::create),
    classic!("Directory stat", "directory_stat", Directories, |p| p.stat, directories::stat),
    classic!("Directory rename", "directory_rename", Directories, |p| p.rename, directories::rename),
    classic!("File creation", "file_creation", Files, |p| p.create, files::create),
    classic!("File stat", "file_stat", Files, |p| p.stat, files::stat),
    extra!("statx", "File statx", "file_statx", Files, extras::statx),
    classic!("File read", "file_read", Files, |p| p.read, files::read),
    extra!("list", "Directory listing", "directory_listing", Items, extras::list),
    extra!("rename-across", "File rename across", "file_rename_across", Files, extras::rename_across),
    extra!("link", "File link", "file_link", Files, extras::link),
    extra!("symlink", "File symlink", "file_symlink", Files, extras::symlink),
    extra!("chmod", "File chmod", "file_chmod", Files, extras::chmod),
    extra!("xattr-set", "File xattr set", "file_xattr_set", Files, extras::set_attribute),
    extra!("xattr-get", "File xattr get", "file_xattr_get", Files, extras::get_attribute),
    extra!("truncate", "File truncate", "file_truncate", Files, extras::truncate),
    extra!("shared-open", "Shared open", "shared_open", Files, extras::shared_open),
    classic!("Directory removal", "directory_removal", Directories, |p| p.remove, directories::remove),
    classic!("File removal", "file_removal", Files, |p| p.remove, files::remove),
    classic!("Tree removal", "tree_removal", End, |p| p.remove, tree::each_directory),
];

/// The names that `--operations` accepts, in their order.
pub fn names() -> impl Iterator<Item = &'static str> {
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
        assert_eq!(names().count(), 10);
    }

    #[test]
    fn requested_operations_are_done() {
        let wanted = |parameters: &MdtestParameters| -> Vec<&str> {
            OPERATIONS.iter().filter(|row| (row.wanted)(parameters)).map(|row| row.phase).collect()
        };
        assert_eq!(wanted(&MdtestParameters::default()).len(), 10, "the operations of mdtest");
        let none = MdtestParameters {
            create: false,
            stat: false,
            read: false,
            rename: false,
            remove: false,
            extra: vec!["link".into(), "list".into()],
            ..MdtestParameters::default()
        };
        assert_eq!(wanted(&none), ["directory_listing", "file_link"]);
    }
}
