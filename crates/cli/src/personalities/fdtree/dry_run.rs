//! `--dryRun`: what would be done, from the options alone and a look at the room.
//!
//! Invariant: nothing is made or removed.

use std::path::Path;

use storage::Storage;
use units::bytes_binary;
use workloads::fdtree::FdtreePhase;

use super::text::FdtreeLook;

/// The whole text.
pub(super) fn text(look: &FdtreeLook, storage: &dyn Storage) -> String {
    let mut text = String::from("Dry run: nothing is made or removed.\n");
    text.push_str(&look.header());
    let (parameters, ranks) = (&look.parameters, u64::from(look.ranks));
    for step in parameters.steps() {
        let count = step.items(parameters.shape) * ranks;
        text.push_str(&match step {
            FdtreePhase::CreateDirectories => format!("\tassay: would make {count} directories\n"),
            FdtreePhase::CreateFiles => format!("\tassay: would make {count} files\n"),
            FdtreePhase::RemoveFiles => format!("\tassay: would REMOVE {count} files\n"),
            FdtreePhase::RemoveDirectories => format!("\tassay: would REMOVE {count} directories\n"),
        });
    }
    if parameters.create {
        text.push_str(&room(look, storage).0);
    }
    text
}

/// The same in one line, where the trees do not fit.
pub(super) fn lack(look: &FdtreeLook, storage: &dyn Storage) -> Option<String> {
    let (text, fits) = room(look, storage);
    (fits == Some(false)).then(|| text.replacen("assay: ", "assay: warning: ", 1))
}

/// What the trees need against what the file system has, and whether they fit, where that is known.
fn room(look: &FdtreeLook, storage: &dyn Storage) -> (String, Option<bool>) {
    let (shape, ranks) = (look.parameters.shape, u64::from(look.ranks));
    let bytes = shape.files_total() * shape.file_bytes() * ranks;
    let inodes = (shape.files_total() + shape.directories()) * ranks;
    let needed = format!("needs {} and {inodes} inodes", bytes_binary(bytes as f64));
    let dir = Path::new(&look.parameters.base).parent().unwrap_or(Path::new("."));
    match storage.space(dir) {
        Ok(Some(space)) => {
            let counts = space.inodes > 0;
            let fits = space.bytes_available >= bytes && (!counts || space.inodes_free >= inodes);
            let free = bytes_binary(space.bytes_available as f64);
            let inodes = if counts { format!(" and {} inodes", space.inodes_free) } else { String::new() };
            let verdict = if fits { "fits" } else { "DOES NOT FIT" };
            (format!("\tassay: {needed}; {free}{inodes} are free: {verdict}\n"), Some(fits))
        }
        Ok(None) => (format!("\tassay: {needed}; what is free is not told\n"), None),
        Err(error) => (format!("\tassay: {needed}; what is free is not known: {error}\n"), None),
    }
}
