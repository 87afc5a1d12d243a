//! Directories of CephFS, which jobs reach by its library without a mount. This machine has it mounted, and
//! keeps the marks of a campaign there.
//!
//! If the library reaches another cluster than the mount, a job does not find the directory of its files.

use std::fs;
use std::path::{Path, PathBuf};

use plan::CEPHFS;
use results::mounts::{self, Mount, mount_of};
use units::Usage;

/// Where this machine has a directory that a user gives: a path, or `cephfs:/dir` on a mount.
pub fn local(dir: &str) -> Result<PathBuf, Usage> {
    let Some((_, path)) = plan::unmounted(dir) else { return Ok(PathBuf::from(dir)) };
    place_in(&table(), Path::new(path)).find(|place| place.is_dir()).ok_or_else(|| {
        Usage(format!(
            "{dir}: no CephFS that is mounted on this machine has this directory. Jobs need no mount, but \
             the campaign keeps its marks there. Mount it, or create the directory."
        ))
    })
}

/// An argument with a directory in place of `{dir}`. After `cephfs:` it is the path in CephFS; `None` if the
/// directory is on another file system.
pub(crate) fn placed(word: &str, dir: &Path) -> Option<String> {
    let shown = dir.to_string_lossy();
    let place = format!("{CEPHFS}{{dir}}");
    if !word.contains(&place) {
        return Some(word.replace("{dir}", &shown));
    }
    let inner = path_in(&table(), dir)?;
    Some(word.replace(&place, &format!("{CEPHFS}{inner}")).replace("{dir}", &shown))
}

fn table() -> String {
    fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()
}

fn place_in(table: &str, path: &Path) -> impl Iterator<Item = PathBuf> {
    mounts::all(table).filter_map(move |mount| {
        let rest = path.strip_prefix(tree(&mount)?).ok()?;
        Some(Path::new(&mount.point).join(rest))
    })
}

fn path_in(table: &str, dir: &Path) -> Option<String> {
    let mount = mount_of(table, dir);
    let rest = dir.strip_prefix(&mount.point).ok()?;
    Some(tree(&mount)?.join(rest).to_string_lossy().trim_end_matches('/').to_owned())
}

/// The directory of CephFS that a mount shows. The kernel has it after the monitors, as `mon:/dir` or
/// `user@id.fs=/dir`; the FUSE client shows the root, unless it was given another one.
fn tree(mount: &Mount) -> Option<PathBuf> {
    let tree = match mount.kind.as_str() {
        "fuse.ceph-fuse" => "/",
        "ceph" => {
            let end = [":/", "=/"].iter().filter_map(|end| mount.device.rfind(end)).max()?;
            &mount.device[end + 1..]
        }
        _ => return None,
    };
    Some(Path::new(tree).join(mount.root.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_cephfs_leads_to_its_place_on_a_mount_and_back() {
        let table = "22 1 259:2 / / rw - ext4 /dev/a rw\n\
                     40 22 0:35 / /mnt/all rw - fuse.ceph-fuse ceph-fuse rw\n\
                     41 22 0:36 / /mnt/vol rw - ceph 10.0.0.1:6789,10.0.0.2:6789:/vol rw\n\
                     42 22 0:37 /in /mnt/bound rw - ceph me@fsid.fs=/vol rw\n";
        let place = |path: &str| -> Vec<PathBuf> { place_in(table, Path::new(path)).collect() };
        let places = ["/mnt/all/vol/in/f", "/mnt/vol/in/f", "/mnt/bound/f"].map(PathBuf::from);
        assert_eq!(place("/vol/in/f"), places);
        assert_eq!(place("/other"), [PathBuf::from("/mnt/all/other")]);
        for dir in places {
            assert_eq!(path_in(table, &dir).as_deref(), Some("/vol/in/f"));
        }
        assert_eq!(path_in(table, Path::new("/home")), None, "another file system");
        assert_eq!(path_in(table, Path::new("/mnt/all")).as_deref(), Some(""), "the root");
    }
}
