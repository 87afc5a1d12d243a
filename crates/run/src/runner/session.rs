//! A directory of its own for the session files of each launcher of Open MPI.
//!
//! Up to release 4, all `mpirun` of a user on a node share one session directory, which each of them creates
//! and removes. If two of them do so at the same moment, one fails ("A call to mkdir was unable to create the
//! desired directory: File exists").
//!
//! Only jobs that run at the same time get one: on other nodes Open MPI creates the directory too, and leaves
//! it there empty.
//!
//! Invariant: TMPDIR of the ranks stays as it is.
//! Never here: launchers of other libraries, which ignore the variable.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use plan::launcher::LaunchKind;

/// The variable that sets the directory. That for the node of `mpirun` alone cannot be used, because ranks
/// get this one from `mpirun`, and MPI_Init rejects both together.
const BASE: &str = "OMPI_MCA_orte_tmpdir_base";
/// The end of the names of all settings of that directory. Open MPI rejects two of them together.
const ANY_BASE: &str = "tmpdir_base";
/// Files in which a site or a user may set it.
const SETTINGS: [&str; 2] = ["/etc/openmpi/openmpi-mca-params.conf", ".openmpi/mca-params.conf"];
/// The longest path of a base. Open MPI puts sockets below it, whose paths are limited to 107 bytes.
const BASE_BYTES_MAX: usize = 32;
/// How many names are tried.
const NAMES: u32 = 1000;

static NUMBER: AtomicU32 = AtomicU32::new(0);

/// The directory of one job. It is removed with everything in it when this value is dropped.
pub(super) struct SessionDirectory(PathBuf);

impl SessionDirectory {
    /// Creates the directory for a job with this launcher, command line and environment; `None` if it needs
    /// none, or if it cannot be created. The launcher then uses its own directory.
    pub(super) fn for_job(
        kind: &LaunchKind,
        argv: &[String],
        environment: &BTreeMap<String, String>,
    ) -> Option<Self> {
        let starts = match kind {
            LaunchKind::Local => false,
            LaunchKind::Mpirun(_) => true,
            LaunchKind::Named { by, .. } => by.name == "openmpi",
        };
        let is_set = argv.iter().chain(environment.keys()).any(|word| word.ends_with(ANY_BASE));
        let home = environment.get("HOME").map_or("", String::as_str);
        let sets = |file: &str| {
            fs::read_to_string(Path::new(home).join(file)).is_ok_and(|text| text.contains(ANY_BASE))
        };
        if !starts || is_set || SETTINGS.into_iter().any(sets) {
            return None;
        }
        let own = environment.get("TMPDIR").filter(|dir| !dir.is_empty() && dir.len() <= BASE_BYTES_MAX);
        [own.map(String::as_str), Some("/tmp")]
            .into_iter()
            .flatten()
            .find_map(|base| created(Path::new(base)))
    }

    /// The variable that names it.
    pub(super) fn variable(&self) -> (&'static str, &Path) {
        (BASE, &self.0)
    }
}

/// A new directory in `base` that only this user can enter.
fn created(base: &Path) -> Option<SessionDirectory> {
    (0..NAMES).find_map(|_| {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("assay-{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Some(Some(SessionDirectory(path))),
            // Left by another process with this id.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => None,
            Err(_) => Some(None),
        }
    })?
}

impl Drop for SessionDirectory {
    fn drop(&mut self) {
        // What cannot be removed costs a few files, but no verdict.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(words: &[&str]) -> LaunchKind {
        LaunchKind::mpirun(words.iter().map(ToString::to_string).collect()).unwrap()
    }

    fn environment(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn each_job_has_a_short_directory_of_its_own_that_disappears_with_it() {
        let mpirun = kind(&["mpirun", "-n", "{ranks}", "{cmd}"]);
        let none = environment(&[]);
        let [one, two] = [(); 2].map(|()| SessionDirectory::for_job(&mpirun, &[], &none).unwrap());
        let paths = [&one, &two].map(|one| one.variable().1.to_owned());
        assert_ne!(paths[0], paths[1]);
        for path in &paths {
            assert!(
                path.is_dir() && path.starts_with("/tmp") && path.as_os_str().len() <= 2 * BASE_BYTES_MAX
            );
        }
        fs::create_dir_all(paths[0].join("ompi.host.0/pid.1")).unwrap();
        drop((one, two));
        assert!(paths.iter().all(|path| !path.exists()));
    }

    #[test]
    fn a_directory_that_the_user_chose_is_kept_and_other_launchers_get_none() {
        let mpirun = kind(&["mpirun", "-n", "{ranks}", "{cmd}"]);
        let chosen = environment(&[("OMPI_MCA_orte_tmpdir_base", "/scratch")]);
        assert!(SessionDirectory::for_job(&mpirun, &[], &chosen).is_none());
        let words = ["mpirun", "--mca", "orte_tmpdir_base", "/x"].map(str::to_owned);
        assert!(SessionDirectory::for_job(&mpirun, &words, &environment(&[])).is_none());
        assert!(SessionDirectory::for_job(&LaunchKind::Local, &[], &environment(&[])).is_none());
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(".openmpi")).unwrap();
        fs::write(home.path().join(SETTINGS[1]), "orte_tmpdir_base = /scratch\n").unwrap();
        let home = environment(&[("HOME", home.path().to_str().unwrap())]);
        assert!(SessionDirectory::for_job(&mpirun, &[], &home).is_none());
    }

    #[test]
    fn a_long_tmpdir_is_not_used_because_sockets_are_below_it() {
        let mpirun = kind(&["mpirun", "-n", "{ranks}", "{cmd}"]);
        let base = tempfile::tempdir().unwrap();
        let long = base.path().join("x".repeat(BASE_BYTES_MAX));
        fs::create_dir(&long).unwrap();
        let own = environment(&[("TMPDIR", long.to_str().unwrap())]);
        let session = SessionDirectory::for_job(&mpirun, &[], &own).unwrap();
        assert_eq!(session.variable().1.parent(), Some(Path::new("/tmp")));
    }
}
