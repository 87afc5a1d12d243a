//! The names of the files (IOR 4.1).

use std::path::{Path, PathBuf};

use storage::Storage;

use super::parameters::IorParameters;
use super::socket;
use crate::kit::clients;

/// The file of `owner` (a rank number) in `repetition`.
pub(super) fn file(parameters: &IorParameters, owner: u32, repetition: u32) -> PathBuf {
    let mut name = without_repetition(parameters, owner);
    if parameters.multi_file {
        name.push_str(&format!(".{repetition}"));
    }
    PathBuf::from(name)
}

/// The same without the suffix of `-m`, as the header shows it; with `-y` for the socket of the caller.
pub fn without_repetition(parameters: &IorParameters, owner: u32) -> String {
    let parameters = &*socket::mounted(parameters);
    let files = parameters.files();
    if !parameters.file_per_rank {
        return files[0].to_owned();
    }
    let base = files[owner as usize % files.len()];
    let name = match unique_dir(parameters, owner) {
        Some(dir) => dir.join(split(base).1).display().to_string(),
        None => base.to_owned(),
    };
    format!("{name}.{owner:08}")
}

/// With `-u`, the directory of `owner`'s file, which is made when it is not there.
pub(super) fn unique_dir(parameters: &IorParameters, owner: u32) -> Option<PathBuf> {
    if !(parameters.unique_dir && parameters.file_per_rank) {
        return None;
    }
    Some(Path::new(split(parameters.files()[0]).0).join(owner.to_string()))
}

/// The directories that the files of all ranks lie in, or below; with `-y`, where each socket has its own,
/// none.
pub(super) fn dirs(parameters: &IorParameters, storage: &dyn Storage) -> Vec<PathBuf> {
    let files = if parameters.dual_mount { Vec::new() } else { parameters.files() };
    let used = if parameters.file_per_rank { files.len() } else { 1 };
    clients::dirs(storage, files.into_iter().take(used).map(|file| split(file).0))
}

/// A path's text up to and with its last `/`, and what stands behind it.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |at| at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(change: impl Fn(&mut IorParameters), owner: u32) -> String {
        let mut parameters = IorParameters { test_file: "/d/f".into(), ..IorParameters::default() };
        change(&mut parameters);
        file(&parameters, owner, 2).display().to_string()
    }

    #[test]
    fn names_follow_the_table() {
        assert_eq!(name(|_| (), 3), "/d/f");
        assert_eq!(name(|p| p.file_per_rank = true, 3), "/d/f.00000003");
        assert_eq!(name(|p| p.multi_file = true, 3), "/d/f.2");
        assert_eq!(name(|p| (p.multi_file, p.file_per_rank) = (true, true), 3), "/d/f.00000003.2");
        assert_eq!(name(|p| (p.unique_dir, p.file_per_rank) = (true, true), 3), "/d/3/f.00000003");
        let folder = |p: &mut IorParameters| {
            (p.test_file, p.unique_dir, p.file_per_rank) = ("/d/t/".into(), true, true);
        };
        assert_eq!(name(folder, 0), "/d/t/0/.00000000");
        let two = |p: &mut IorParameters| (p.test_file, p.file_per_rank) = ("a@b".into(), true);
        assert_eq!((name(two, 0), name(two, 1)), ("a.00000000".into(), "b.00000001".into()));
        let relative = |p: &mut IorParameters| {
            (p.test_file, p.unique_dir, p.file_per_rank) = ("rel".into(), true, true);
        };
        assert_eq!(name(relative, 0), "0/rel.00000000");
    }
}
