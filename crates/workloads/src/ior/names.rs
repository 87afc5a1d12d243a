//! The names of the files (IOR 4.1).

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use command::ior::Request;
use storage::Storage;

use crate::kit::clients;

/// The file of `owner` (a rank number) in `repetition`.
pub(super) fn file(parameters: &Request, owner: u32, repetition: u32) -> PathBuf {
    let mut name = without_repetition(parameters, owner);
    if parameters.multi_file {
        name.push_str(&format!(".{repetition}"));
    }
    PathBuf::from(name)
}

/// The same without the suffix of `-m`, as the header shows it. With `-y` it is the file for the caller's
/// socket.
pub fn without_repetition(parameters: &Request, owner: u32) -> String {
    let parameters = &*mounted(parameters);
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

/// With `-u`, the directory of `owner`'s file. It is created if it is missing.
pub(super) fn unique_dir(parameters: &Request, owner: u32) -> Option<PathBuf> {
    if !(parameters.unique_dir && parameters.file_per_rank) {
        return None;
    }
    Some(Path::new(split(parameters.files()[0]).0).join(owner.to_string()))
}

/// The directories in which, or below which, the files of all ranks lie. With `-y` each socket has its own
/// directories, and this returns none.
pub(super) fn dirs(parameters: &Request, storage: &dyn Storage) -> Vec<PathBuf> {
    let files = if parameters.dual_mount { Vec::new() } else { parameters.files() };
    let used = if parameters.file_per_rank { files.len() } else { 1 };
    clients::dirs(storage, files.into_iter().take(used).map(|file| split(file).0))
}

/// The text of a path up to and including its last `/`, and the text after it.
fn split(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |at| at + 1))
}

/// The parameters for this rank. With `-y` there is a file system for each processor socket of a node. The
/// files are then `<o><socket>/data.<rank>`, by the socket on which the rank runs now. A rank that is moved
/// later keeps its files.
pub(super) fn mounted(parameters: &Request) -> Cow<'_, Request> {
    if !parameters.dual_mount {
        return Cow::Borrowed(parameters);
    }
    Cow::Owned(on_socket(parameters, socket().unwrap_or(0)))
}

/// The same for a rank on `socket`.
fn on_socket(parameters: &Request, socket: u32) -> Request {
    let base = |name: &str| format!("{name}{socket}/data");
    let test_file = parameters.files().into_iter().map(base).collect::<Vec<_>>().join("@");
    Request { test_file, dual_mount: false, ..parameters.clone() }
}

/// The socket (physical package) of the processor that this thread runs on.
fn socket() -> Option<u32> {
    let processor = processor(&std::fs::read_to_string("/proc/thread-self/stat").ok()?)?;
    let path = format!("/sys/devices/system/cpu/cpu{processor}/topology/physical_package_id");
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The processor in `/proc/…/stat`, which is field 39. Field 2, the program's name, may hold anything up to
/// its last `)`.
fn processor(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(change: impl Fn(&mut Request), owner: u32) -> String {
        let mut parameters = Request { test_file: "/d/f".into(), ..Request::default() };
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
        let folder = |p: &mut Request| {
            (p.test_file, p.unique_dir, p.file_per_rank) = ("/d/t/".into(), true, true);
        };
        assert_eq!(name(folder, 0), "/d/t/0/.00000000");
        let two = |p: &mut Request| (p.test_file, p.file_per_rank) = ("a@b".into(), true);
        assert_eq!((name(two, 0), name(two, 1)), ("a.00000000".into(), "b.00000001".into()));
        let relative = |p: &mut Request| {
            (p.test_file, p.unique_dir, p.file_per_rank) = ("rel".into(), true, true);
        };
        assert_eq!(name(relative, 0), "0/rel.00000000");
    }

    #[test]
    fn each_socket_has_its_own_directory() {
        let parameters = Request {
            test_file: "/mnt/fs".into(),
            file_per_rank: true,
            dual_mount: true,
            ..Request::default()
        };
        let file = |socket| super::file(&on_socket(&parameters, socket), 3, 0).display().to_string();
        assert_eq!((file(0), file(1)), ("/mnt/fs0/data.00000003".into(), "/mnt/fs1/data.00000003".into()));
        let twice = Request { test_file: "a@b".into(), ..parameters };
        assert_eq!(super::file(&on_socket(&twice, 1), 1, 0).display().to_string(), "b1/data.00000001");
    }

    #[test]
    fn the_processor_is_found_after_an_unusual_program_name() {
        let rest: Vec<String> = (3..=52).map(|field| field.to_string()).collect();
        assert_eq!(processor(&format!("12 (a) b (c) {}", rest.join(" "))), Some(39));
        assert_eq!(processor("nothing"), None);
    }

    #[test]
    fn a_machine_that_does_not_report_its_socket_counts_as_socket_0() {
        let parameters = Request { dual_mount: true, ..Request::default() };
        let file = &mounted(&parameters).test_file;
        let socket: u32 = file.trim_start_matches("testFile").trim_end_matches("/data").parse().unwrap();
        assert_eq!(*file, format!("testFile{socket}/data"));
    }
}
