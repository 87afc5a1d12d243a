//! Whether two file systems of a plan are the same, by the kernel's number or by the server's name.
//!
//! Never here: the consequences.

use std::collections::BTreeSet;
use std::path::Path;

use crate::folder::{FileSystemFacts, Machine};
use crate::mounts::{Mount, mount_of};
use crate::reason::{Reason, reason};

/// The reason that two file systems of the plan are the same on the machine of the campaign; `None` if they
/// differ, or if one of them is unknown.
fn same(machine: Option<&Machine>, one: &str, other: &str) -> Option<Reason> {
    let known = |name| machine?.file_system(name).filter(|fs| !fs.mounts.is_empty());
    let mount = |fs: &FileSystemFacts| mount_of(&fs.mounts.join("\n"), Path::new(&fs.dir));
    let (of_one, of_other) = (mount(known(one)?), mount(known(other)?));
    // The kernel gives each mount of a server's export its own number.
    let exported = export(&of_one) == export(&of_other) && of_one.device.contains(':');
    let alike = exported || !of_one.number.is_empty() && of_one.number == of_other.number;
    let other_mount = (of_one.point != of_other.point).then_some(of_other.point);
    alike.then(|| {
        let (kind, device, mount) = (of_one.kind, of_one.device, of_one.point);
        reason!(OneFsTwice { fs: one, other, kind, device, mount, other_mount })
    })
}

/// The pairs of these file systems that are the same.
pub fn pairs(machine: Option<&Machine>, names: &BTreeSet<&str>) -> Vec<Reason> {
    let later = |one| names.iter().filter(move |other| *other > one);
    names.iter().flat_map(|one| later(one).filter_map(move |other| same(machine, one, other))).collect()
}

/// What identifies a server's export in a mount. All file systems of a Ceph cluster have the same monitors,
/// and only an option distinguishes them (mount.ceph(8): `fs`, formerly `mds_namespace`).
fn export(mount: &Mount) -> (&str, &str, Option<&str>) {
    let named = |option| ["fs=", "mds_namespace="].iter().find_map(|key| str::strip_prefix(option, key));
    let one = mount.options.split([',', ';']).find_map(named).filter(|_| mount.kind.contains("ceph"));
    (&mount.kind, &mount.device, one)
}

#[cfg(test)]
mod tests {
    use crate::reason::row;

    use super::*;

    fn machine(mounts: [(&str, &str, &str, &str); 2]) -> Machine {
        let fs = |(name, (number, point, kind, device)): (&str, (&str, &str, &str, &str))| FileSystemFacts {
            name: name.into(),
            dir: format!("{point}/work"),
            mounts: vec![
                "22 1 254:0 / / rw - ext4 /dev/vda rw".into(),
                format!("40 22 {number} / {point} rw - {kind} {device} rw"),
            ],
            ..FileSystemFacts::default()
        };
        Machine { file_systems: ["a", "b"].into_iter().zip(mounts).map(fs).collect(), ..Machine::default() }
    }

    #[test]
    fn equal_numbers_or_exports_are_the_same_file_system_and_equal_device_names_are_not() {
        let of = |one, other| same(Some(&machine([one, other])), "a", "b");
        let disk = ("8:1", "/a", "ext4", "/dev/sda1");
        let alike = of(disk, disk).unwrap();
        assert_eq!(
            (alike.get(row::OneFsTwice::mount), alike.get(row::OneFsTwice::other_mount)),
            (Some("/a"), None)
        );
        let bound = of(disk, ("8:1", "/b", "ext4", "/dev/sda1")).unwrap();
        assert_eq!(
            (bound.get(row::OneFsTwice::device), bound.get(row::OneFsTwice::other_mount)),
            (Some("/dev/sda1"), Some("/b"))
        );
        let lustre = |number, point, device| (number, point, "lustre", device);
        assert!(of(lustre("0:35", "/a", "mgs@o2ib:/fs"), lustre("0:36", "/b", "mgs@o2ib:/fs")).is_some());
        assert_eq!(of(lustre("0:35", "/a", "mgs@o2ib:/fs1"), lustre("0:36", "/b", "mgs@o2ib:/fs2")), None);
        let ceph = |number, point, option| (number, point, "ceph", option);
        let [one, other] = ["mon1,mon2:/ rw,mds_namespace=a", "mon1,mon2:/ rw,mds_namespace=b"];
        assert!(of(ceph("0:35", "/a", one), ceph("0:36", "/b", one)).is_some());
        assert_eq!(of(ceph("0:35", "/a", one), ceph("0:36", "/b", other)), None);
        let memory = |number, point| (number, point, "tmpfs", "tmpfs");
        assert_eq!(of(memory("0:40", "/a"), memory("0:41", "/b")), None);
        assert_eq!(same(Some(&Machine::default()), "a", "b"), None);
        assert_eq!(same(None, "a", "b"), None);
    }
}
