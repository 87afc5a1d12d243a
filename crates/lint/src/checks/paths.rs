//! Whether the paths of a command line are on the file system under test, by their text.
//!
//! Never here: asking the operating system.

use command::WorkloadLine;
use results::finding::Severity::{Error, Info};
use results::finding::{Finding, SourcePosition};
use results::reason;

use crate::subject::LineSubject;

/// The paths of a command line, each with its place.
fn paths(subject: &LineSubject) -> Vec<(String, Option<SourcePosition>)> {
    let place = match &subject.line {
        Some(WorkloadLine::Ior(line)) => {
            line.word('o').map(|(number, word)| SourcePosition::Word(number, word))
        }
        _ => None,
    };
    let text = subject.line.as_ref().and_then(|line| line.dir());
    let each = text.into_iter().flat_map(|text| text.split('@'));
    each.map(|one| (one.to_owned(), place.clone())).collect()
}

/// path-on-wrong-fs
pub(crate) fn place(subject: &LineSubject) -> Vec<Finding> {
    let mount = subject.fs.mount.as_deref();
    let mut found = Vec::new();
    let paths = paths(subject);
    for (path, place) in &paths {
        if subject.ior().is_some() && is_directory(path, mount) {
            let example = format!("{}/data", path.trim_end_matches('/'));
            found.push(
                Finding::new(Error, reason!(PathOnWrongFs { directory: path, example })).at(place.clone()),
            );
        }
        let Some(mount) = mount else { continue };
        match location(path, mount) {
            PathLocation::Below | PathLocation::Unknown => {}
            PathLocation::Elsewhere => {
                found.push(Finding::new(Error, reason!(PathOnWrongFs { mount, path })).at(place.clone()));
            }
            PathLocation::Relative => {
                found.push(
                    Finding::new(Info, reason!(PathOnWrongFs { mount, relative: path })).at(place.clone()),
                );
            }
        }
    }
    if let (true, Some(mount), Some(_)) = (paths.is_empty(), mount, subject.ior()) {
        found.push(Finding::new(Info, reason!(PathOnWrongFs { mount })));
    }
    found.extend(spelled(subject));
    found
}

/// The file of a dataset and the file of its reader, where they differ in spelling or location.
fn spelled(subject: &LineSubject) -> Option<Finding> {
    let (line, source) = (subject.ior()?, subject.source.as_ref()?);
    let (here, there) = (line.file()?, source.line.file()?);
    let severity = if plain(here) == plain(there) { Info } else { Error };
    (here != there).then(|| {
        Finding::new(severity, reason!(PathOnWrongFs { path: here, maker: &source.name, maker_path: there }))
            .at(subject.word('o'))
    })
}

/// The location of a path relative to the mount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathLocation {
    /// Below the mount.
    Below,
    /// Outside the mount.
    Elsewhere,
    /// In the directory in which the job starts.
    Relative,
    /// Parts of it are filled in later.
    Unknown,
}

/// The location of `path` relative to `mount`.
fn location(path: &str, mount: &str) -> PathLocation {
    if is_unfilled(path) {
        return PathLocation::Unknown;
    }
    if !path.starts_with('/') {
        return PathLocation::Relative;
    }
    let (path, mount) = (plain(path), plain(mount));
    let below = path.strip_prefix(&mount).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if below || mount == "/" { PathLocation::Below } else { PathLocation::Elsewhere }
}

/// Whether a shell, a plan or a person completes the text: `$SCRATCH/f`, `{dir}/f`, `[directory_path]/f`.
fn is_unfilled(path: &str) -> bool {
    path.contains(['$', '{', '[', '<'])
}

/// Whether it names a directory: it ends in a slash, or is the mount itself.
fn is_directory(path: &str, mount: Option<&str>) -> bool {
    path.ends_with('/') || mount.is_some_and(|mount| plain(path) == plain(mount))
}

/// The path with single slashes, without `.` and `..`, and without a trailing slash.
fn plain(path: &str) -> String {
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
    fn path_components_decide_whether_a_path_is_below_a_mount() {
        for (path, mount, expected) in [
            ("/pscratch/a/f", "/pscratch", PathLocation::Below),
            ("/pscratch//f", "/pscratch/", PathLocation::Below),
            ("/pscratchy/f", "/pscratch", PathLocation::Elsewhere),
            ("/pscratch/../home/f", "/pscratch", PathLocation::Elsewhere),
            ("/any/f", "/", PathLocation::Below),
            ("f", "/pscratch", PathLocation::Relative),
            ("$SCRATCH/f", "/pscratch", PathLocation::Unknown),
        ] {
            assert_eq!(location(path, mount), expected, "{path} {mount}");
        }
    }

    #[test]
    fn a_directory_is_a_path_with_a_trailing_slash_or_the_mount() {
        assert!(is_directory("/pscratch/", None) && is_directory("/pscratch", Some("/pscratch/")));
        assert!(!is_directory("/pscratch/f", Some("/pscratch")));
    }
}
