//! Mount points, from the kernel's mount table (`/proc/self/mountinfo`).
//!
//! Invariant: pure. The caller provides the table.
//! Never here: reading the table, and facts of file systems.

use std::path::Path;

/// One mount.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mount {
    /// The kernel's number of the file system, `MAJOR:MINOR`. Two mounts with the same number are the same
    /// file system.
    pub number: String,
    /// The path within the file system that is mounted; `/` for all of it.
    pub root: String,
    /// The mount point.
    pub point: String,
    /// The mounted device: a device file, a server with its export, or any other text.
    pub device: String,
    /// The type of its file system.
    pub kind: String,
    /// The mount options, a semicolon, and the options of the file system.
    pub options: String,
}

/// The mount of `dir` in `/proc/self/mountinfo`: the longest mount point above it. If several are mounted on
/// the same directory, it is the last one.
pub fn mount_of(mountinfo: &str, dir: &Path) -> Mount {
    let above = all(mountinfo).filter(|mount| dir.starts_with(&mount.point));
    above.max_by_key(|mount| mount.point.len()).unwrap_or_default()
}

/// All mounts, in the order of the table.
pub fn all(mountinfo: &str) -> impl Iterator<Item = Mount> {
    mountinfo.lines().filter_map(|line| {
        let (left, right) = line.split_once(" - ")?;
        let left: Vec<&str> = left.split(' ').collect();
        let right: Vec<&str> = right.split(' ').collect();
        let [_, _, number, root, point, rest @ ..] = &left[..] else { return None };
        let [kind, device, wide @ ..] = &right[..] else { return None };
        let options = [rest.first().copied(), wide.first().copied()];
        Some(Mount {
            number: (*number).to_owned(),
            root: unescaped(root),
            point: unescaped(point),
            device: unescaped(device),
            kind: (*kind).to_owned(),
            options: options.into_iter().flatten().collect::<Vec<_>>().join(";"),
        })
    })
}

/// mountinfo has blanks and backslashes as octal escapes.
fn unescaped(text: &str) -> String {
    text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")
}

/// The lines of the table for all mounts above and below `dir`, in the order of the table.
pub fn concerning(mountinfo: &str, dir: &Path) -> Vec<String> {
    let concerns = |line: &&str| {
        line.split(' ')
            .nth(4)
            .map(unescaped)
            .is_some_and(|point| dir.starts_with(&point) || Path::new(&point).starts_with(dir))
    };
    mountinfo.lines().filter(concerns).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mount_is_the_nearest_one_above() {
        let table = "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro\n\
                     40 22 0:35 / /scratch rw shared:9 - lustre 10.0.0.1@o2ib:/fs rw,flock\n\
                     41 40 0:36 / /scratch/my\\040dir rw - tmpfs tmpfs rw,size=1g\n";
        let found = |dir: &str| mount_of(table, Path::new(dir));
        assert_eq!((found("/home/me").kind.as_str(), found("/home/me").number.as_str()), ("ext4", "259:2"));
        assert_eq!(
            found("/scratchy").point,
            "/",
            "a longer name with the same beginning is another directory"
        );
        let lustre = found("/scratch/a/b");
        assert_eq!((lustre.device.as_str(), lustre.options.as_str()), ("10.0.0.1@o2ib:/fs", "rw;rw,flock"));
        assert_eq!(found("/scratch/my dir/x").point, "/scratch/my dir");
    }

    #[test]
    fn mounts_above_and_below_a_directory_are_selected() {
        let table = "22 1 259:2 / / rw - ext4 /dev/a rw\n\
                     40 22 0:35 / /scratch rw - lustre s:/fs rw\n\
                     41 40 0:36 / /scratch/d/e rw - tmpfs tmpfs rw\n\
                     42 40 0:37 / /scratchy rw - tmpfs tmpfs rw\n";
        let found = concerning(table, Path::new("/scratch/d"));
        assert_eq!(found.iter().map(|line| &line[..2]).collect::<Vec<_>>(), ["22", "40", "41"]);
    }
}
