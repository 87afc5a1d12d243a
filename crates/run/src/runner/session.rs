//! A directory of its own for the session files of each launcher of Open MPI.
//!
//! Up to release 4, all `mpirun` of a user on a node share one session directory, which each of them creates
//! and removes. If two of them do so at the same moment, one fails ("A call to mkdir was unable to create the
//! desired directory: File exists").
//!
//! Only jobs that run at the same time get one: on other nodes Open MPI creates the directory too, and leaves
//! it there empty.
//!
//! A killed campaign leaves its directories. The next campaign of the same user on this node removes them.
//! The name of a directory says which process made it, so those of other campaigns stay.
//!
//! Invariant: TMPDIR of the ranks stays as it is. No directory of a living process is removed.
//! Never here: launchers of other libraries, which ignore the variable.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use plan::launcher::LaunchKind;

use crate::process;

/// The variable that sets the directory. That for the node of `mpirun` alone cannot be used, because ranks
/// get this one from `mpirun`, and MPI_Init rejects both together.
const BASE: &str = "OMPI_MCA_orte_tmpdir_base";
/// The end of the names of all settings of that directory. Open MPI rejects two of them together.
const ANY_BASE: &str = "tmpdir_base";
/// Files in which a site or a user may set it.
const SETTINGS: [&str; 2] = ["/etc/openmpi/openmpi-mca-params.conf", ".openmpi/mca-params.conf"];
/// The longest path of a base. Open MPI puts sockets below it, whose paths are limited to 107 bytes.
const BASE_BYTES_MAX: usize = 24;
/// The base without TMPDIR.
const USUAL: &str = "/tmp";
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
        let own = own_base(environment.get("TMPDIR").map(String::as_str));
        own.into_iter().chain([USUAL]).find_map(|base| created(Path::new(base)))
    }

    /// The variable that names it.
    pub(super) fn variable(&self) -> (&'static str, &Path) {
        (BASE, &self.0)
    }
}

/// The directory for temporary files of the user, if a base may be in it.
fn own_base(tmpdir: Option<&str>) -> Option<&str> {
    tmpdir.filter(|dir| !dir.is_empty() && dir.len() <= BASE_BYTES_MAX)
}

/// A new directory in `base` that only this user can enter.
fn created(base: &Path) -> Option<SessionDirectory> {
    let maker = SessionMaker::this_process();
    (0..NAMES).find_map(|_| {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = base.join(maker.name(number));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => Some(Some(SessionDirectory(path))),
            // Left by another process with this name.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => None,
            Err(_) => Some(None),
        }
    })?
}

/// The process that made a directory, as the name of the directory states it.
#[derive(Debug, PartialEq)]
struct SessionMaker {
    pid: u32,
    /// Clock ticks after the boot. A later process may get the same number, but not the same start.
    started: u64,
    /// Where its number is valid. Containers and nodes may share a directory.
    place: String,
}

impl SessionMaker {
    fn this_process() -> Self {
        let pid = std::process::id();
        let (started, place) = (process::started(pid), process::place());
        Self { pid, started: started.unwrap_or_default(), place: place.unwrap_or_else(|| "0".to_owned()) }
    }

    fn name(&self, number: u32) -> String {
        let Self { pid, started, place } = self;
        format!("assay-{pid}-{started:x}-{place}-{number}")
    }

    /// The process in the name of a directory; `None` if the name has another form.
    fn of(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.strip_prefix("assay-")?.split('-').collect();
        let [pid, started, place, number] = parts[..] else { return None };
        let started = u64::from_str_radix(started, 16).ok()?;
        let maker = Self { pid: pid.parse().ok()?, started, place: place.to_owned() };
        // Only the form that `name` writes, so nothing that merely looks alike.
        (maker.name(number.parse().ok()?) == name).then_some(maker)
    }

    /// Whether the process was on this node and is gone.
    fn is_gone(&self) -> bool {
        process::place().is_some_and(|place| place == self.place)
            && process::started(self.pid) != Some(self.started)
    }
}

/// Removes the directories that killed campaigns of this user left on this node. `tmpdir` is the value of the
/// variable TMPDIR.
pub(super) fn remove_left(tmpdir: Option<&str>) {
    own_base(tmpdir).into_iter().chain([USUAL]).for_each(|base| remove_left_in(Path::new(base)));
}

fn remove_left_in(base: &Path) {
    let user = rustix::process::getuid().as_raw();
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_gone = name.to_str().and_then(SessionMaker::of).is_some_and(|maker| maker.is_gone());
        let is_own = || entry.metadata().is_ok_and(|facts| facts.is_dir() && facts.uid() == user);
        if is_gone && is_own() && !is_in_use(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether a process works with the directory: a launcher may outlive its killed campaign.
fn is_in_use(path: &Path) -> bool {
    let variable = [BASE.as_bytes(), b"=", path.as_os_str().as_encoded_bytes()].concat();
    fs::read_dir("/proc").into_iter().flatten().flatten().any(|process| {
        let environment = fs::read(process.path().join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == variable)
    })
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
            assert!(path.is_dir() && path.starts_with("/tmp") && path.as_os_str().len() <= 64);
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

    /// A process that has ended, as it was named while it lived.
    fn ended() -> SessionMaker {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let maker = SessionMaker {
            pid: child.id(),
            started: process::started(child.id()).unwrap_or(1),
            ..SessionMaker::this_process()
        };
        child.wait().unwrap();
        maker
    }

    #[test]
    fn what_a_killed_campaign_left_is_removed_and_nothing_else() {
        let base = tempfile::tempdir().unwrap();
        let (gone, own) = (ended(), SessionMaker::this_process());
        assert!(process::place().is_some(), "a kernel has an identity");
        let later = SessionMaker { started: own.started + 1, ..SessionMaker::this_process() };
        let elsewhere = SessionMaker { place: "01234567".into(), ..ended() };
        let left = [gone.name(0), gone.name(12), later.name(0)];
        let others = [
            own.name(0),
            elsewhere.name(0),
            format!("assay-{}-0", gone.pid),
            format!("{}.txt", gone.name(0)),
            gone.name(1).replacen("assay-", "assay-0", 1),
        ];
        for name in left.iter().chain(&others) {
            fs::create_dir_all(base.path().join(name).join("ompi.host.0/pid.1")).unwrap();
        }
        fs::write(base.path().join(gone.name(2)), "a file").unwrap();
        std::os::unix::fs::symlink(base.path().join(own.name(0)), base.path().join(gone.name(3))).unwrap();
        remove_left_in(base.path());
        let stays = |name: &String| base.path().join(name).join("ompi.host.0/pid.1").exists();
        assert!(!left.iter().any(|name| base.path().join(name).exists()), "{left:?}");
        assert!(others.iter().all(stays), "{others:?}");
        assert!([2, 3].iter().all(|number| base.path().join(gone.name(*number)).symlink_metadata().is_ok()));
    }

    #[test]
    fn a_directory_that_a_launcher_still_uses_is_kept() {
        let base = tempfile::tempdir().unwrap();
        let dir = base.path().join(ended().name(0));
        fs::create_dir(&dir).unwrap();
        let mut launcher = std::process::Command::new("sleep").arg("600").env(BASE, &dir).spawn().unwrap();
        // The environment is visible shortly after the program has started.
        let environment = format!("/proc/{}/environ", launcher.id());
        while fs::read(&environment).unwrap().is_empty() {
            std::thread::yield_now();
        }
        remove_left_in(base.path());
        let was_kept = dir.exists();
        launcher.kill().unwrap();
        launcher.wait().unwrap();
        remove_left_in(base.path());
        assert!(was_kept && !dir.exists());
    }
}
