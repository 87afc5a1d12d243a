//! Files that a command writes where the user says: never into a campaign folder.

use std::path::Path;

use units::Usage;

/// The directory of a file; `.` for a plain name.
pub(super) fn directory(file: &Path) -> &Path {
    file.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
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
