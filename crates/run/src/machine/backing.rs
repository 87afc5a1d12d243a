//! What a file system lies on, if this is not a device or a server. It may be the file of a loop device,
//! directories of an overlay, or memory. All layers are followed down to the lowest one.
//!
//! Never here: what follows from it, and servers of network file systems.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use results::folder::{BackingLayer, LayerKind};
use results::mounts::{Mount, mount_of};
use rustix::fs::{major, minor};

use super::answer;

/// What follows the path of a file that another file hides, as ` (deleted)` follows that of a removed one.
const COVERED: &str = " (covered)";
/// More layers are not looked up.
const LAYERS_MAX: usize = 8;

/// The layers below `mount`, the highest first. An overlay has one for each of its directories.
pub(super) fn of(mountinfo: &str, mount: &Mount) -> Vec<BackingLayer> {
    let (mut layers, mut open) = (Vec::new(), vec![mount.clone()]);
    while let Some(mount) = open.pop().filter(|_| layers.len() < LAYERS_MAX) {
        let mut below: Vec<BackingLayer> = match mount.kind.as_str() {
            "overlay" => overlaid(&mount.options).iter().map(|dir| layer(LayerKind::Overlay, dir)).collect(),
            _ => device(&mount).into_iter().flat_map(|device| on_device(&device, LAYERS_MAX)).collect(),
        };
        for layer in &mut below {
            // A path of another mount namespace, or of a removed file, is not here. A relative one was
            // relative to a directory that is not known. Another file can have the name of a removed or
            // covered one.
            let path = Path::new(&layer.place);
            let is_known =
                path.is_absolute() && !layer.place.ends_with(" (deleted)") && !layer.place.ends_with(COVERED);
            let place = path.canonicalize().ok().filter(|_| is_known && layer.kind != LayerKind::Memory);
            let Some(place) = place else { continue };
            let lower = mount_of(mountinfo, &place);
            (layer.fs, layer.device) = (lower.kind.clone(), lower.device.clone());
            open.push(lower);
        }
        layers.extend(below);
    }
    layers.truncate(LAYERS_MAX);
    layers
}

fn layer(kind: LayerKind, place: &str) -> BackingLayer {
    BackingLayer { kind, place: place.to_owned(), ..BackingLayer::default() }
}

/// The directories of an overlay: the one that takes new data, then those below it.
fn overlaid(options: &str) -> Vec<String> {
    let option = |name: &str| {
        let mut all = options.split([',', ';']);
        all.find_map(|option| option.strip_prefix(name)).unwrap_or_default().to_owned()
    };
    let (upper, lower) = (option("upperdir="), option("lowerdir="));
    let lower = lower.split(':').filter(|dir| !dir.is_empty()).map(str::to_owned);
    Some(upper).filter(|dir| !dir.is_empty()).into_iter().chain(lower).collect()
}

/// The block device of a mount, in `/sys`.
fn device(mount: &Mount) -> Option<PathBuf> {
    // Some file systems have a number that is not that of their device.
    let name = Path::new(&mount.device).canonicalize().ok();
    let by_name = name.as_ref().and_then(|path| path.strip_prefix("/dev").ok());
    let by_name = by_name.map(|name| Path::new("/sys/class/block").join(name));
    let by_number = Path::new("/sys/dev/block").join(&mount.number);
    [Some(by_number), by_name].into_iter().flatten().find_map(|path| path.canonicalize().ok())
}

/// The files of a loop device, or that a device has memory; also below partitions and mapped devices.
fn on_device(device: &Path, depth: usize) -> Vec<BackingLayer> {
    let whole = [Some(device), device.parent()].into_iter().flatten();
    for device in whole {
        if let Ok(file) = fs::read_to_string(device.join("loop/backing_file")) {
            let direct = fs::read_to_string(device.join("loop/dio")).is_ok_and(|text| text.trim() == "1");
            let mut file = file.trim_end().to_owned();
            if is_other(device, Path::new(&file)) {
                file.push_str(COVERED);
            }
            return vec![BackingLayer { direct, ..layer(LayerKind::Loop, &file) }];
        }
    }
    let name = device.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let number = name.strip_prefix("ram").or_else(|| name.strip_prefix("zram")).unwrap_or_default();
    if !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()) {
        return vec![layer(LayerKind::Memory, &format!("/dev/{name}"))];
    }
    let lower = fs::read_dir(device.join("slaves")).into_iter().flatten().flatten();
    let lower = lower.filter(|_| depth > 0).filter_map(|entry| entry.path().canonicalize().ok());
    lower.flat_map(|lower| on_device(&lower, depth - 1)).collect()
}

/// Whether the file with this path is not the one of the loop device. Only root may ask for that one.
fn is_other(device: &Path, file: &Path) -> bool {
    let name = device.file_name().unwrap_or_default().to_string_lossy();
    let of_device = ["--list", "--noheadings", "-O", "BACK-MAJ:MIN,BACK-INO", &format!("/dev/{name}")];
    let known = answer("losetup", &of_device).unwrap_or_default();
    let [Some(number), Some(inode)] = [0, 1].map(|at| known.split_whitespace().nth(at)) else { return false };
    let there = file.metadata().map(|file| {
        let device = file.dev();
        (format!("{}:{}", major(device), minor(device)), file.ino().to_string())
    });
    there.is_ok_and(|there| there != (number.to_owned(), inode.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_directories_of_an_overlay_lie_on_their_own_file_systems() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for name in ["upper", "lower"] {
            fs::create_dir(root.join(name)).unwrap();
        }
        let path = |name: &str| root.join(name).display().to_string();
        let table = format!(
            "22 1 259:999 / / rw - ext4 /dev/none rw\n23 22 0:40 / {} rw - tmpfs none rw\n",
            path("upper")
        );
        let options =
            format!("rw;rw,lowerdir={}:/no/such,upperdir={},workdir=/w", path("lower"), path("upper"));
        let overlay = Mount { kind: "overlay".into(), options, ..Mount::default() };
        let found = of(&table, &overlay);
        let shown: Vec<_> = found.iter().map(|one| (one.place.as_str(), one.fs.as_str())).collect();
        assert_eq!(shown, [(&*path("upper"), "tmpfs"), (&*path("lower"), "ext4"), ("/no/such", "")]);
        assert!(found.iter().all(|layer| layer.kind == LayerKind::Overlay));
        let removed = path("upper (deleted)");
        fs::create_dir(&removed).unwrap();
        for upper in ["src", removed.as_str()] {
            let overlay = Mount { options: format!("rw,upperdir={upper}"), ..overlay.clone() };
            let found = of(&table, &overlay);
            assert_eq!((found[0].place.as_str(), found[0].is_resolved()), (upper, false));
        }
        assert_eq!(of(&table, &Mount { kind: "nfs4".into(), device: "a:/s".into(), ..Mount::default() }), []);
    }

    #[test]
    fn loop_devices_partitions_mapped_devices_and_devices_in_memory_are_followed() {
        let sys = tempfile::tempdir().unwrap();
        let device = |name: &str| {
            let path = sys.path().join(name);
            fs::create_dir_all(&path).unwrap();
            path.canonicalize().unwrap()
        };
        let (disk, part) = (device("loop7"), device("loop7/loop7p1"));
        fs::create_dir(disk.join("loop")).unwrap();
        fs::write(disk.join("loop/backing_file"), "/srv/my image\n").unwrap();
        fs::write(disk.join("loop/dio"), "1\n").unwrap();
        let (mapped, memory) = (device("dm-0"), device("zram0"));
        fs::create_dir(mapped.join("slaves")).unwrap();
        std::os::unix::fs::symlink(&part, mapped.join("slaves/loop7p1")).unwrap();
        let file = BackingLayer { direct: true, ..layer(LayerKind::Loop, "/srv/my image") };
        for device in [&disk, &part, &mapped] {
            assert_eq!(on_device(device, 3), std::slice::from_ref(&file));
        }
        assert_eq!(on_device(&memory, 3), [layer(LayerKind::Memory, "/dev/zram0")]);
        assert_eq!(on_device(&device("sda"), 3), []);
    }
}
