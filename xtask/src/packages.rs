//! The Debian packages of the full test: which, why, and how they come onto the machine.
//!
//! Only what tests need at run time. The program itself needs none of them.
//!
//! Invariant: nothing is installed unless something is missing and the user is root.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Result;

use crate::step::{Outcome, logged};

struct Package {
    name: &'static str,
    reason: &'static str,
}

/// In order of name. Tests call `mpirun.mpich` and `mpirun.openmpi`: the bare `mpirun` is whichever
/// of the two was installed last.
const PACKAGES: &[Package] = &[
    Package {
        name: "glusterfs-client",
        reason: "mounts the parallel file system whose servers have known speeds",
    },
    Package { name: "glusterfs-server", reason: "its servers, which tests start themselves" },
    Package { name: "hdf5-tools", reason: "h5dump reads what ior and flash-io wrote by HDF5" },
    Package { name: "libhdf5-mpich-103-1", reason: "HDF5 on MPICH" },
    Package { name: "libhdf5-openmpi-103-1", reason: "HDF5 on Open MPI" },
    Package { name: "libpnetcdf0d", reason: "PnetCDF, which Debian builds on Open MPI" },
    Package { name: "mpich", reason: "runs ranks under mpirun.mpich" },
    Package { name: "munge", reason: "lets the parts of Slurm trust each other" },
    Package { name: "openmpi-bin", reason: "runs ranks under mpirun.openmpi" },
    Package { name: "pnetcdf-bin", reason: "ncmpidump reads what ior and flash-io wrote by PnetCDF" },
    Package { name: "python3-venv", reason: "holds the MPICH 5 wheel, for the standard MPI interface" },
    Package { name: "slurm-client", reason: "srun and sbatch start campaigns" },
    Package { name: "slurmctld", reason: "controls a cluster of several nodes on this machine" },
    Package { name: "slurmd", reason: "is a node of it" },
    Package { name: "strace", reason: "shows the system calls of each option of ior" },
    Package { name: "xfsprogs", reason: "makes the XFS that is aged" },
];

/// Installs what is missing; without root, says what to run.
pub(crate) fn provide(root: &Path) -> Result<Outcome> {
    let names: Vec<&str> = PACKAGES.iter().map(|package| package.name).collect();
    let Some(answer) = ask_dpkg(&names) else {
        return Ok(Outcome::Without(format!("this is no Debian; the tests use {}", names.join(", "))));
    };
    let missing = missing(&answer);
    if missing.is_empty() {
        return Ok(Outcome::Done(format!("{} there", names.len())));
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

/// Keeps packages from starting the daemons that they bring, until dropped: the tests start their own.
/// Debian's packages ask the program of this name whether they may; where there is one already, it decides.
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

/// What dpkg knows of these packages, a line each; nothing where there is no dpkg.
fn ask_dpkg(names: &[&str]) -> Option<String> {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f", "${Package} ${db:Status-Status}\n"]).args(names).stdin(Stdio::null());
    Some(String::from_utf8_lossy(&query.output().ok()?.stdout).into_owned())
}

fn missing(answer: &str) -> Vec<&'static Package> {
    let there = |package: &&Package| answer.lines().any(|line| line == format!("{} installed", package.name));
    PACKAGES.iter().filter(|package| !there(package)).collect()
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
    fn the_table_is_in_order_and_every_package_has_its_reason() {
        assert!(PACKAGES.iter().map(|package| package.name).is_sorted());
        assert!(PACKAGES.iter().all(|package| !package.reason.is_empty() && !package.reason.ends_with('.')));
    }

    #[test]
    fn a_package_that_was_removed_but_left_its_settings_is_missing() {
        let answer: String = PACKAGES
            .iter()
            .map(|package| match package.name {
                "mpich" => "mpich config-files\n".to_owned(),
                name => format!("{name} installed\n"),
            })
            .collect();
        let names: Vec<&str> = missing(&answer).iter().map(|package| package.name).collect();
        assert_eq!(names, ["mpich"]);
        assert_eq!(missing("").len(), PACKAGES.len());
    }

    #[test]
    fn no_daemon_starts_while_packages_are_installed_and_a_policy_that_is_there_stays() {
        let root = tempfile::tempdir().unwrap();
        let policy = root.path().join("policy-rc.d");
        let quiet = Quiet::begin(&policy).unwrap();
        let mode = std::fs::metadata(&policy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755, "Debian's packages run it");
        // By the shell, because a child that another thread just starts may have it open to write.
        let asked = Command::new("sh").arg(&policy).args(["slurmd", "start"]).status().unwrap();
        assert_eq!(asked.code(), Some(101), "101 is no, as Debian's policy has it");
        drop(Quiet::begin(&policy).unwrap());
        assert!(policy.exists(), "it was there before");
        drop(quiet);
        assert!(!policy.exists());
    }

    #[test]
    fn without_root_the_advice_is_one_line_to_run_and_the_reasons() {
        let text = advice(&missing("")[..2]);
        let mut lines = text.lines();
        let run = "run: sudo apt-get install -y --no-install-recommends glusterfs-client glusterfs-server";
        assert_eq!(lines.next(), Some(run));
        assert_eq!(
            lines.next().map(str::trim),
            Some("glusterfs-client: mounts the parallel file system whose servers have known speeds")
        );
    }
}
