//! Processes of this machine, by number. One that ends meanwhile is left out.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::program;

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

/// All processes below one, at any depth. Those nearer to it come first.
pub fn below(pid: &str) -> Vec<String> {
    let mut found = children(pid);
    let mut next = 0;
    while next < found.len() {
        found.extend(children(&found[next]));
        next += 1;
    }
    found
}

/// Those below a launcher that run the program under test.
pub fn ranks_below(launcher: u32) -> Vec<u32> {
    let runs_it = |pid: &String| fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == program());
    let ranks = below(&launcher.to_string()).into_iter().filter(runs_it);
    ranks.map(|pid| pid.parse().expect("a process number")).collect()
}
