//! How much a file system holds, in the words of the classic headers.

use std::path::Path;

use storage::Space;

/// Size, share used, inodes, share of these used.
pub(crate) fn space_words(space: Space) -> [String; 4] {
    let share = |total: u64, free: u64| {
        if total == 0 { 0.0 } else { total.saturating_sub(free) as f64 / total as f64 * 100.0 }
    };
    let gib = space.bytes as f64 / units::GIB as f64;
    let size = if gib > 1024.0 { format!("{:.1} TiB", gib / 1024.0) } else { format!("{gib:.1} GiB") };
    [
        size,
        format!("{:2.1}%", share(space.bytes, space.bytes_free)),
        format!("{:.1} Mi", space.inodes as f64 / units::MIB as f64),
        format!("{:2.1}%", share(space.inodes, space.inodes_free)),
    ]
}

/// The directory whose file system the header shows: the path's text before its last `/`.
pub(crate) fn header_dir(path: &str) -> &Path {
    match path.rfind('/') {
        None => Path::new("."),
        Some(0) => Path::new("/"),
        Some(at) => Path::new(&path[..at]),
    }
}
