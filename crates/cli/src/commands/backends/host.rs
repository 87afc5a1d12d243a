//! `assay backends --host-facts`: what a campaign wants to know of each host that starts ranks by ssh.

use std::path::{Path, PathBuf};

use anyhow::Result;
use ranks::mpi;
use results::folder::{HostFacts, LoadedLibrary, Program, sha256_of};
use run::hosts::{proxy_of, tree_sha256};
use run::machine::{file_system, machine};

use crate::personalities::parallel_libraries;

/// The facts of this host. Its MPI library is searched as ranks search it that this launcher starts.
pub(super) fn facts(launcher: &Path, copied: Option<&Path>, dirs: &[PathBuf]) -> Result<HostFacts> {
    let home = launcher.parent().and_then(Path::parent).map(|home| home.to_string_lossy().into_owned());
    let lookup = |name: &str| match name == mpi::HOMES[0] {
        true => home.clone(),
        false => std::env::var(name).ok(),
    };
    let program = |file: PathBuf, version: &str| Program {
        sha256: sha256_of(&file).unwrap_or_default(),
        version: version.to_owned(),
        path: file.to_string_lossy().into_owned(),
    };
    let own = machine(&[]);
    let library = mpi::find(None, &lookup);
    let dirs = dirs.iter().map(|dir| {
        let is_dir = dir.is_dir();
        let kind = file_system("", dir).ok().filter(|_| is_dir).map(|found| found.kind);
        (dir.to_string_lossy().into_owned(), kind.unwrap_or_default())
    });
    Ok(HostFacts {
        name: String::new(),
        host: own.host,
        arch: std::env::consts::ARCH.to_owned(),
        kernel: own.kernel,
        program: program(std::env::current_exe()?, evidence::TOOL),
        proxy: program(proxy_of(launcher), ""),
        mpi: library.as_ref().map(|library| mpi::version(library)).unwrap_or_default(),
        libraries: library.map_or_else(|_| Vec::new(), |library| libraries(&library.path)),
        dirs: dirs.collect(),
        copied: copied.map(tree_sha256).unwrap_or_default(),
    })
}

/// The loaded parallel libraries. The MPI library comes first.
fn libraries(mpi: &Path) -> Vec<LoadedLibrary> {
    let mut paths: Vec<PathBuf> = parallel_libraries().into_iter().map(PathBuf::from).collect();
    // One that the system found has no path, and its file name may end with more numbers.
    let name = mpi.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_mpi = |path: &PathBuf| {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        mpi.canonicalize().is_ok_and(|mpi| mpi == *path) || file.starts_with(&name)
    };
    paths.sort_by_key(|path| !is_mpi(path));
    let library = |path: PathBuf| LoadedLibrary {
        sha256: sha256_of(&path).unwrap_or_default(),
        path: path.to_string_lossy().into_owned(),
    };
    paths.into_iter().map(library).collect()
}
