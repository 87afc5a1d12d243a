//! What `ior`, `mdtest` and partly `md-workbench` share: the help about backends, the live view, and the
//! description of a file system.
//!
//! Never here: options and their effect, which are in `command`.

pub(crate) mod data_key;
pub(crate) mod drift;
pub(crate) mod environment;
pub(crate) mod interrupt;
pub(crate) mod live;
pub(crate) mod preloaded;
mod progress;
mod text;

use std::hash::{BuildHasher, RandomState};

use command::classic::OptionNote;
use storage::Storage;

pub(crate) use data_key::data_key;
pub(crate) use text::{
    header_dir, help_of_backends, help_of_variables, space_line, space_words, whole_header_dir,
};

/// The notes on what this machine changes of a run: preloaded libraries, and options without effect.
pub(crate) fn notes_on_machine(backend: &str, storage: &dyn Storage) -> Vec<OptionNote> {
    let mut notes = preloaded::notes(Some(backend));
    notes.extend(storage.note().map(|text| OptionNote::idle("", text)));
    notes
}

/// The seed of a run whose command line gives none: from 1 to below 2^31, which `-G` accepts.
///
/// The classic programs use the second of the start. So runs in one second write the same data, and a server
/// may store one copy.
pub(crate) fn random_seed() -> u64 {
    RandomState::new().hash_one(std::process::id()) % ((1 << 31) - 1) + 1
}
