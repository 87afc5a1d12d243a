//! Processes of this machine, by number. One that ends meanwhile is left out.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Those with a path below this directory in their command lines, except this one. With a name, only those of
/// this program.
pub fn of_directory(dir: &Path, name: &str) -> Vec<String> {
    // With the end of the name, so that number 1 is not also 10.
    let dir = [dir.as_os_str().as_bytes(), b"/"].concat();
    let of = |entry: fs::DirEntry| {
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let comm = fs::read_to_string(entry.path().join("comm")).ok()?;
        let pid = entry.file_name().to_string_lossy().into_owned();
        let is_other = pid != std::process::id().to_string();
        let is_meant = line.windows(dir.len()).any(|part| part == dir.as_slice())
            && (name.is_empty() || comm.trim_end() == name);
        (is_meant && is_other).then_some(pid)
    };
    fs::read_dir("/proc").unwrap().flatten().filter_map(of).collect()
}

/// The children of a process, in the order of their start.
pub fn children(pid: &str) -> Vec<String> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children"));
    let texts = threads.filter_map(|thread| of_thread(thread).ok());
    texts.flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
}
