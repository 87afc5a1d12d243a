//! Files that a command writes where the user says: never into a campaign folder.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use units::Usage;

/// How far from its start an existing file is searched for the marker of a page, bytes.
const MARKER_WITHIN: u64 = 4096;

/// The directory of a file; `.` for a plain name.
pub(super) fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Whether `file` is a file, and not a link, with `marker` near its start.
pub(super) fn has_marker(file: &Path, marker: &str) -> bool {
    let mut start = Vec::new();
    file.symlink_metadata().is_ok_and(|facts| facts.is_file())
        && File::open(file).and_then(|file| file.take(MARKER_WITHIN).read_to_end(&mut start)).is_ok()
        && String::from_utf8_lossy(&start).contains(marker)
}

/// Rejects a file inside one of these campaign folders, also if a link leads there.
pub(super) fn rejected_inside(option: &str, file: &Path, folders: &[impl AsRef<Path>]) -> Result<(), Usage> {
    // A file that does not exist yet will be in its directory.
    let places = [file, directory(file)].map(Path::canonicalize);
    for folder in folders.iter().filter_map(|folder| folder.as_ref().canonicalize().ok()) {
        if places.iter().flatten().any(|place| place.starts_with(&folder)) {
            return Err(Usage(format!(
                "{option} {} is inside the campaign folder {}. Give another file.",
                file.display(),
                folder.display()
            )));
        }
    }
    Ok(())
}
