//! The search for the MPI library that belongs to the launcher that started this program.
//!
//! With a wrong library under a launcher, every rank is alone in its own world of one rank. So the search
//! begins next to the launcher itself, which is among the parent processes, and only then uses the system's
//! search path.
//!
//! Never here: the check whether a found library is the right one; this shows when its world is opened.

use std::fs;
use std::path::{Path, PathBuf};

use ffi::mpi::{LoadError, MpiLibrary};
use units::Usage;

use super::calls::Mpi;
use crate::launcher::{LibraryFamily, RankLaunch};

/// The variable that names the MPI library or its directory; if it is set, the search ends there.
pub const LIBRARY_VARIABLE: &str = "ASSAY_MPI_LIBRARY";

/// File names of libraries of the MPICH family: of Debian, of most other builds, of Cray, and of the MPI 5
/// standard.
const MPICH: [&str; 6] = [
    "libmpich.so.12",
    "libmpi.so.12",
    "libmpi_cray.so.12",
    "libmpi_gnu.so.12",
    "libmpi_abi.so.1",
    "libmpi_abi.so.0",
];

/// File names of Open MPI and its descendants.
const OPEN_MPI: [&str; 5] =
    ["libmpi.so.40", "libmpi_ibm.so.3", "libmpi_abi.so.1", "libmpi_abi.so.0", "libmpi.so.20"];

/// Programs that start MPI ranks and are installed with their library.
const LAUNCHERS: [&str; 14] = [
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "mpiexec.gforker",
    "mpiexec.mpich",
    "mpiexec.openmpi",
    "hydra_pmi_proxy",
    "hydra_bstrap_proxy",
    "orterun",
    "orted",
    "prterun",
    "prted",
    "prte",
    "mpispawn",
];

/// Variables by which sites and module files name the installation directory of an MPI.
pub const HOMES: [&str; 7] =
    ["I_MPI_ROOT", "CRAY_MPICH_DIR", "MPICH_DIR", "MPI_HOME", "MPI_ROOT", "OPAL_PREFIX", "MVAPICH_HOME"];

/// Where libraries are, relative to the installation directory of an MPI.
const FOLDERS: [&str; 5] = ["lib", "lib64", "lib/release", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"];

/// How many levels of parent processes are checked.
const ANCESTORS_MAX: usize = 32;

/// Loads the MPI library that fits `launch`, or reports in one line what was searched for.
pub fn find(
    launch: Option<&RankLaunch>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<&'static MpiLibrary, Usage> {
    let family = launch.map_or(LibraryFamily::Mpich, |launch| launch.family);
    let search = match lookup(LIBRARY_VARIABLE).filter(|path| !path.is_empty()) {
        Some(path) => LibrarySearch::only(Path::new(&path), family),
        None => LibrarySearch::everywhere(family, lookup, &ancestors()),
    };
    let started = match launch {
        Some(RankLaunch { name, size: Some(size), .. }) => format!("{name} started {size} ranks, but "),
        Some(RankLaunch { name, .. }) => format!("{name} started this rank, but "),
        None => String::new(),
    };
    search.run().map_err(|why| Usage::new(format!("{started}no MPI library was found: {why}")))
}

/// The library's version in short form; MPI does not need to run.
pub fn version(library: &'static MpiLibrary) -> String {
    let said = Mpi::new(library).version();
    said.split(',').next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What to search for, and where.
#[derive(Debug)]
struct LibrarySearch {
    folders: Vec<PathBuf>,
    names: Vec<&'static str>,
    /// Whether the system's search path is used last.
    system: bool,
    /// A library that the user named, which is loaded without a search.
    named: Option<PathBuf>,
}

impl LibrarySearch {
    /// The library `path`, or those in the directory `path`, and no other.
    fn only(path: &Path, family: LibraryFamily) -> Self {
        let (folders, named) =
            if path.is_dir() { (vec![path.to_owned()], None) } else { (vec![], Some(path.to_owned())) };
        Self { folders, names: names(family), system: false, named }
    }

    /// Next to the launchers among `ancestors`, where variables point, and in the system's search path.
    fn everywhere(
        family: LibraryFamily,
        lookup: &dyn Fn(&str) -> Option<String>,
        ancestors: &[PathBuf],
    ) -> Self {
        let launchers = ancestors.iter().filter(|program| is_launcher(program));
        let beside = launchers.filter_map(|program| program.parent());
        let homes = HOMES.iter().filter_map(|name| lookup(name)).filter(|home| !home.is_empty());
        let mut folders = Vec::new();
        for bin in beside {
            folders.extend(bin.parent().into_iter().flat_map(library_folders));
            folders.push(bin.to_owned());
        }
        folders.extend(homes.flat_map(|home| library_folders(Path::new(&home))));
        Self { folders: unique(folders), names: names(family), system: true, named: None }
    }

    fn run(&self) -> Result<&'static MpiLibrary, String> {
        let mut failed = Vec::new();
        for candidate in self.candidates() {
            match MpiLibrary::load(&candidate) {
                Ok(library) => return Ok(library),
                Err(error) if is_absent(&error) && self.named.is_none() => {}
                Err(error) => failed.push(error.to_string()),
            }
        }
        Err(self.rejection(&failed))
    }

    fn candidates(&self) -> Vec<PathBuf> {
        let in_folder = |folder: &PathBuf| self.names.iter().map(|name| folder.join(name)).collect();
        let there = self.folders.iter().flat_map(|folder| -> Vec<PathBuf> { in_folder(folder) });
        let there = there.filter(|path| path.exists());
        let by_name = self.names.iter().filter(|_| self.system).map(PathBuf::from);
        self.named.iter().cloned().chain(there).chain(by_name).collect()
    }

    /// What was searched for and why it failed, in one line.
    fn rejection(&self, failed: &[String]) -> String {
        let advice = match (self.named.is_some(), self.system) {
            (false, true) => format!(". Set {LIBRARY_VARIABLE} to the library or its directory"),
            _ => format!(" (from {LIBRARY_VARIABLE})"),
        };
        if self.named.is_some() {
            return format!("{}{advice}", failed.join(", "));
        }
        let folders = self.folders.iter().map(|folder| folder.display().to_string());
        let system = self.system.then(|| "the system's search path".to_owned());
        let places: Vec<_> = folders.chain(system).collect();
        let failed = failed.iter().map(|why| format!("; {why}")).collect::<String>();
        format!("searched for {} in {}{failed}{advice}", self.names.join(", "), places.join(", "))
    }
}

/// All names, those of the launcher's family first.
fn names(family: LibraryFamily) -> Vec<&'static str> {
    let both: [&[&str]; 2] = match family {
        LibraryFamily::OpenMpi => [&OPEN_MPI, &MPICH],
        LibraryFamily::Mpich => [&MPICH, &OPEN_MPI],
    };
    unique(both.concat())
}

fn library_folders(home: &Path) -> Vec<PathBuf> {
    FOLDERS.iter().map(|folder| home.join(folder)).filter(|folder| folder.is_dir()).collect()
}

/// Removes duplicates; the first of each stays.
fn unique<T: PartialEq>(all: Vec<T>) -> Vec<T> {
    let mut seen = Vec::new();
    for one in all {
        if !seen.contains(&one) {
            seen.push(one);
        }
    }
    seen
}

fn is_launcher(program: &Path) -> bool {
    program.file_name().is_some_and(|name| LAUNCHERS.iter().any(|known| name == *known))
}

/// Whether the library itself is missing, rather than one that it needs.
fn is_absent(error: &LoadError) -> bool {
    let itself = format!("{}: cannot open shared object file: No such file", error.library.display());
    error.why.starts_with(&itself)
}

/// The programs of the parents of this process, nearest first, as far as they are readable.
fn ancestors() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut process = std::process::id();
    for _ in 0..ANCESTORS_MAX {
        let Some(parent) = parent_of(process).filter(|parent| *parent > 1) else { break };
        found.extend(fs::read_link(format!("/proc/{parent}/exe")));
        process = parent;
    }
    found
}

/// The parent's number from `/proc/PID/stat`, in which the program's name is in brackets and may contain
/// brackets.
fn parent_of(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn names_of_the_launchers_family_come_first_and_each_name_once() {
        for (family, first) in
            [(LibraryFamily::OpenMpi, "libmpi.so.40"), (LibraryFamily::Mpich, "libmpich.so.12")]
        {
            let all = names(family);
            assert_eq!(all[0], first);
            assert!(all.iter().all(|name| all.iter().filter(|other| *other == name).count() == 1));
        }
    }

    #[test]
    fn the_search_begins_next_to_the_launcher() {
        let parents = ["/bin/bash".into(), "/usr/bin/hydra_pmi_proxy".into(), "/usr/bin/mpirun".into()];
        let search = LibrarySearch::everywhere(LibraryFamily::Mpich, &nothing, &parents);
        assert_eq!(search.folders.first(), Some(&PathBuf::from("/usr/lib")));
        assert_eq!(search.folders.last(), Some(&PathBuf::from("/usr/bin")), "{search:?}");
        let search = LibrarySearch::everywhere(LibraryFamily::Mpich, &nothing, &parents[..1]);
        assert!(search.folders.is_empty(), "a shell is not a launcher: {search:?}");
        assert_eq!(search.candidates().first(), Some(&PathBuf::from("libmpich.so.12")));
    }

    #[test]
    fn a_home_from_the_environment_is_searched() {
        let lookup = |name: &str| (name == "MPI_HOME").then(|| "/usr".to_owned());
        let search = LibrarySearch::everywhere(LibraryFamily::OpenMpi, &lookup, &[]);
        assert_eq!(search.folders.first(), Some(&PathBuf::from("/usr/lib")));
    }

    #[test]
    fn an_empty_directory_is_rejected_in_one_line_that_names_the_libraries() {
        let empty = std::env::temp_dir().join(format!("assay-no-mpi-{}", std::process::id()));
        fs::create_dir_all(&empty).expect("the test creates its directory");
        let lookup = |name: &str| (name == LIBRARY_VARIABLE).then(|| empty.display().to_string());
        let launch = RankLaunch {
            name: "srun",
            family: LibraryFamily::Mpich,
            size: Some(4),
            rank: 0,
            ranks_on_node: None,
        };
        let why = find(Some(&launch), &lookup).expect_err("the directory is empty").to_string();
        fs::remove_dir(&empty).expect("it is still empty");
        assert!(
            why.starts_with(
                "srun started 4 ranks, but no MPI library was found: searched for libmpich.so.12, "
            ),
            "{why}"
        );
        assert!(why.contains(&format!(" in {} (from ASSAY_MPI_LIBRARY", empty.display())), "{why}");
        assert_eq!(why.lines().count(), 1);
    }

    #[test]
    fn a_library_named_by_the_user_is_not_replaced_by_another() {
        let lookup = |name: &str| (name == LIBRARY_VARIABLE).then(|| "/nowhere/libmpi.so".to_owned());
        let why = find(None, &lookup).expect_err("the file does not exist").to_string();
        assert!(why.starts_with("no MPI library was found: /nowhere/libmpi.so: "), "{why}");
        let lookup = |name: &str| (name == LIBRARY_VARIABLE).then(|| "libc.so.6".to_owned());
        let why = find(None, &lookup).expect_err("libc is not an MPI library").to_string();
        assert!(why.contains("libc.so.6: has no symbol MPI_Init_thread"), "{why}");
    }

    #[test]
    fn the_parents_of_this_process_are_found() {
        let parent = parent_of(std::process::id()).expect("a test has a parent");
        assert_eq!(parent, std::os::unix::process::parent_id());
        assert!(!ancestors().is_empty());
    }
}
