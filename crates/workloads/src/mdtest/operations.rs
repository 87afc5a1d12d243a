//! How each operation is done.

pub(super) use command::mdtest::{ItemOperation, OPERATIONS, When};

use command::mdtest::OperationKind;
use ranks::Halt;

use super::run::MdtestRun;
use super::{directories, extras, files, tree};

/// Does an operation on all ranks. Collective.
pub(super) fn perform(run: &mut MdtestRun<'_>, row: &'static ItemOperation) -> Result<(), Halt> {
    use OperationKind::*;
    let perform = match row.kind {
        TreeCreation | TreeRemoval => tree::each_directory,
        DirectoryCreation => directories::create,
        DirectoryStat => directories::stat,
        DirectoryRename => directories::rename,
        FileCreation => files::create,
        FileStat => files::stat,
        FileStatx => extras::statx,
        FileRead => files::read,
        DirectoryListing => extras::list,
        FileRenameAcross => extras::rename_across,
        FileLink => extras::link,
        FileSymlink => extras::symlink,
        FileChmod => extras::chmod,
        FileXattrSet => extras::set_attribute,
        FileXattrGet => extras::get_attribute,
        FileTruncate => extras::truncate,
        SharedOpen => extras::shared_open,
        DirectoryRemoval => directories::remove,
        FileRemoval => files::remove,
    };
    perform(run, row)
}
