//! Where a path of a line lies, as far as its text tells.
//!
//! Never here: asking the system.

/// Where a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lies {
    /// Below the mount.
    Below,
    /// Not there.
    Elsewhere,
    /// Where the job is started.
    Relative,
    /// It has something in it that is filled in later.
    Unknown,
}

/// Where `path` lies against `mount`.
pub(super) fn lies(path: &str, mount: &str) -> Lies {
    if is_unfilled(path) {
        return Lies::Unknown;
    }
    if !path.starts_with('/') {
        return Lies::Relative;
    }
    let (path, mount) = (plain(path), plain(mount));
    let below = path.strip_prefix(&mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if below || mount == "/" { Lies::Below } else { Lies::Elsewhere }
}

/// Whether a text is filled in by a shell, a plan or a person: `$SCRATCH/f`, `{dir}/f`, `[directory_path]/f`.
fn is_unfilled(path: &str) -> bool {
    path.contains(['$', '{', '[', '<'])
}

/// Whether it names a directory: by its end, or as the mount itself.
pub(super) fn is_directory(path: &str, mount: Option<&str>) -> bool {
    path.ends_with('/') || mount.is_some_and(|mount| plain(path) == plain(mount))
}

/// The path with single slashes, without `.` and `..`, and without one at its end.
pub(super) fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_lies_below_a_mount_by_its_parts() {
        for (path, mount, lies_there) in [
            ("/pscratch/a/f", "/pscratch", Lies::Below),
            ("/pscratch//f", "/pscratch/", Lies::Below),
            ("/pscratchy/f", "/pscratch", Lies::Elsewhere),
            ("/pscratch/../home/f", "/pscratch", Lies::Elsewhere),
            ("/any/f", "/", Lies::Below),
            ("f", "/pscratch", Lies::Relative),
            ("$SCRATCH/f", "/pscratch", Lies::Unknown),
        ] {
            assert_eq!(lies(path, mount), lies_there, "{path} {mount}");
        }
    }

    #[test]
    fn a_directory_is_told_by_its_end_or_as_the_mount() {
        assert!(is_directory("/pscratch/", None) && is_directory("/pscratch", Some("/pscratch/")));
        assert!(!is_directory("/pscratch/f", Some("/pscratch")));
    }
}
