//! The Debian packages of the full test, with the reason for each, and their installation.
//!
//! The list has only what tests need at run time. The program itself needs none of them.
//!
//! Invariant: packages are installed only if some are missing and the user is root.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::step::{Outcome, logged};

struct Package {
    name: &'static str,
    reason: &'static str,
}

/// Sorted by name. Tests call `mpirun.mpich` and `mpirun.openmpi`, because plain `mpirun` is the one that was
/// installed last.
const PACKAGES: &[Package] = &[
    Package {
        name: "glusterfs-client",
        reason: "mounts the parallel file system of the tests with known server speeds",
    },
    Package {
        name: "glusterfs-server",
        reason: "the servers of that file system, which tests start themselves",
    },
    Package { name: "hdf5-tools", reason: "h5dump reads the HDF5 files of ior and flash-io" },
    Package { name: "libhdf5-mpich-103-1", reason: "HDF5 on MPICH" },
    Package { name: "libhdf5-openmpi-103-1", reason: "HDF5 on Open MPI" },
    Package { name: "libpnetcdf0d", reason: "PnetCDF, which Debian builds on Open MPI" },
    Package { name: "mpich", reason: "runs ranks under mpirun.mpich" },
    Package { name: "munge", reason: "lets the parts of Slurm trust each other" },
    Package { name: "openmpi-bin", reason: "runs ranks under mpirun.openmpi" },
    Package {
        name: "openssh-server",
        reason: "serves the hosts on which ranks are started by ssh, and sshfs",
    },
    Package { name: "pnetcdf-bin", reason: "ncmpidump reads the PnetCDF files of ior and flash-io" },
    Package { name: "postgresql", reason: "the server of the tests with a history in a database" },
    Package { name: "python3-venv", reason: "holds the MPICH 5 wheel, for the standard MPI interface" },
    Package { name: "slurm-client", reason: "srun and sbatch start campaigns" },
    Package { name: "slurmctld", reason: "controls a cluster of several nodes on this machine" },
    Package { name: "slurmd", reason: "runs each node of that cluster" },
    Package { name: "strace", reason: "shows the system calls of each ior option" },
    Package { name: "xfsprogs", reason: "creates the XFS file system for the ageing tests" },
];

/// Packages that only the slow tests need. Sorted by name.
const PACKAGES_OF_ALL: &[Package] = &[
    Package {
        name: "btrfs-progs",
        reason: "creates btrfs, one of the file systems on which everything runs",
    },
    Package { name: "busybox-static", reason: "the shell of the virtual machine with quotas" },
    Package { name: "ceph-fuse", reason: "mounts CephFS" },
    Package { name: "ceph-mds", reason: "holds its names" },
    Package { name: "ceph-mgr", reason: "watches its servers" },
    Package { name: "ceph-mon", reason: "knows its servers" },
    Package { name: "ceph-osd", reason: "holds its data" },
    Package { name: "chromium", reason: "opens the reports and pages, and prints them" },
    Package { name: "environment-modules", reason: "loads the module file of the packages" },
    Package { name: "libcephfs2", reason: "the backend CEPHFS loads it" },
    Package { name: "linux-image-cloud-amd64", reason: "the kernel of that machine, which has quotas" },
    Package { name: "man-db", reason: "finds the manual pages of the packages" },
    Package { name: "mergerfs", reason: "another one, over several directories" },
    Package { name: "mmdebstrap", reason: "creates the clean system in which packages are installed" },
    Package { name: "moosefs-chunkserver", reason: "holds the data of MooseFS" },
    Package { name: "moosefs-client", reason: "mounts it" },
    Package { name: "moosefs-master", reason: "holds its names" },
    Package { name: "nfs-ganesha", reason: "serves NFS" },
    Package { name: "nfs-ganesha-vfs", reason: "lets it serve a directory" },
    Package { name: "poppler-utils", reason: "pdfinfo counts the pages of a printed report" },
    Package { name: "qemu-system-x86", reason: "runs that machine" },
    Package { name: "quota", reason: "sets the limits in it" },
    Package { name: "rpcbind", reason: "knows its ports" },
    Package { name: "rpm", reason: "installs the RPM package" },
    Package { name: "sshfs", reason: "mounts it" },
];

/// Installs the missing packages, with `all` also those of the slow tests. Without root, returns the command
/// to run.
pub(crate) fn provide(root: &Path, all: bool) -> Result<Outcome> {
    let packages: Vec<&Package> = PACKAGES.iter().chain(PACKAGES_OF_ALL.iter().filter(|_| all)).collect();
    let names: Vec<&str> = packages.iter().map(|package| package.name).collect();
    let Some(answer) = ask_dpkg(&names) else {
        return Ok(Outcome::Without(format!("not a Debian system; the tests use {}", names.join(", "))));
    };
    let missing = missing(&packages, &answer);
    if missing.is_empty() {
        return Ok(Outcome::Done(format!("{} installed", names.len())));
    }
    let missing_names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    if std::fs::metadata("/proc/self")?.uid() != 0 {
        return Ok(Outcome::Without(advice(&missing)));
    }
    let _quiet = Quiet::begin(Path::new("/usr/sbin/policy-rc.d"))?;
    match logged(root, "apt", vec![apt(&["update"]), apt(&install(&missing_names))])? {
        Outcome::Done(_) => Ok(Outcome::Done(format!("installed {}", missing_names.join(" ")))),
        other => Ok(other),
    }
}

/// Prevents packages from starting their daemons until dropped: the tests start their own.
///
/// Debian's packages ask the program at this path for permission. An existing program stays in place.
struct Quiet<'p>(Option<&'p Path>);

impl<'p> Quiet<'p> {
    fn begin(policy: &'p Path) -> Result<Self> {
        if policy.exists() {
            return Ok(Self(None));
        }
        std::fs::write(policy, "#!/bin/sh\nexit 101\n")?;
        std::fs::set_permissions(policy, std::fs::Permissions::from_mode(0o755))?;
        Ok(Self(Some(policy)))
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        if let Some(policy) = self.0 {
            let _ = std::fs::remove_file(policy);
        }
    }
}

/// The state of these packages, one line each; `None` without dpkg.
fn ask_dpkg(names: &[&str]) -> Option<String> {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f", "${Package} ${db:Status-Status}\n"]).args(names).stdin(Stdio::null());
    Some(String::from_utf8_lossy(&query.output().ok()?.stdout).into_owned())
}

/// Those of the packages that are not installed by this answer.
fn missing<'p>(packages: &[&'p Package], answer: &str) -> Vec<&'p Package> {
    let there =
        |package: &&&Package| answer.lines().any(|line| line == format!("{} installed", package.name));
    packages.iter().filter(|package| !there(package)).copied().collect()
}

fn install<'a>(names: &[&'a str]) -> Vec<&'a str> {
    [&["install", "-y", "--no-install-recommends"], names].concat()
}

fn apt(words: &[&str]) -> Command {
    let mut apt = Command::new("apt-get");
    apt.args(words).env("DEBIAN_FRONTEND", "noninteractive");
    apt
}

fn advice(missing: &[&Package]) -> String {
    let names: Vec<&str> = missing.iter().map(|package| package.name).collect();
    let mut text = format!("run: sudo apt-get {}", install(&names).join(" "));
    for package in missing {
        text.push_str(&format!("\n{:27} {}: {}", "", package.name, package.reason));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_sorted_and_each_has_a_reason() {
        for packages in [PACKAGES, PACKAGES_OF_ALL] {
            assert!(packages.iter().map(|package| package.name).is_sorted());
            assert!(packages.iter().all(|one| !one.reason.is_empty() && !one.reason.ends_with('.')));
        }
    }

    #[test]
    fn a_removed_package_with_remaining_settings_is_missing() {
        let answer: String = PACKAGES
            .iter()
            .map(|package| match package.name {
                "mpich" => "mpich config-files\n".to_owned(),
                name => format!("{name} installed\n"),
            })
            .collect();
        let all: Vec<&Package> = PACKAGES.iter().collect();
        let names: Vec<&str> = missing(&all, &answer).iter().map(|package| package.name).collect();
        assert_eq!(names, ["mpich"]);
        assert_eq!(missing(&all, "").len(), PACKAGES.len());
    }

    #[test]
    fn no_daemon_starts_during_installation_and_an_existing_policy_remains() {
        let root = tempfile::tempdir().unwrap();
        let policy = root.path().join("policy-rc.d");
        let quiet = Quiet::begin(&policy).unwrap();
        let mode = std::fs::metadata(&policy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "Debian's packages run it");
        // Started by the shell: a child process of another thread may still have the file open for writing.
        let asked = Command::new("sh").arg(&policy).args(["slurmd", "start"]).status().unwrap();
        assert_eq!(asked.code(), Some(101), "101 means no in Debian's policy");
        drop(Quiet::begin(&policy).unwrap());
        assert!(policy.exists(), "it existed before");
        drop(quiet);
        assert!(!policy.exists());
    }

    #[test]
    fn without_root_the_advice_is_one_command_and_the_reasons() {
        let text = advice(&[&PACKAGES[0], &PACKAGES[1]]);
        let mut lines = text.lines();
        let run = "run: sudo apt-get install -y --no-install-recommends glusterfs-client glusterfs-server";
        assert_eq!(lines.next(), Some(run));
        assert_eq!(
            lines.next().map(str::trim),
            Some("glusterfs-client: mounts the parallel file system of the tests with known server speeds")
        );
    }
}
