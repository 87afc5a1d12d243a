//! The MPIs that Debian builds HDF5 on, and runs with limited file sizes.

use std::path::Path;
use std::process::Command;

use super::{Mpi, program};

/// Both MPIs, each with its HDF5 library.
pub const BOTH: [(Mpi, &str); 2] =
    [(Mpi::Open, "libhdf5_openmpi.so.103"), (Mpi::Mpich, "libhdf5_mpich.so.103")];

/// Whether `name` is an installed library or a program on the PATH. If not, prints that the test is skipped.
pub fn is_here(name: &str) -> bool {
    let libraries = Path::new("/usr/lib/x86_64-linux-gnu").join(name).exists();
    let program =
        || std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|dir| dir.join(name).exists());
    let here = libraries || program();
    if !here {
        println!("SKIPPED: {name} is missing; `cargo xtask setup` installs it");
    }
    here
}

/// The MPIs that can be tested: the library and `h5dump` are installed.
pub fn able() -> impl Iterator<Item = Mpi> {
    let tools = is_here("h5dump");
    BOTH.into_iter().filter(move |(_, library)| tools && is_here(library)).map(|(mpi, _)| mpi)
}

/// Whether the launcher's status is that of ranks of which one ended all with status 4.
///
/// Hydra kills ranks that are inside the library. Depending on what it notices first it reports the status
/// of the failed rank, the signal 9, or 1 for a rank whose connection closed.
pub fn is_status_of_failure(mpi: Mpi, status: Option<i32>) -> bool {
    status == Some(4) || mpi == Mpi::Mpich && matches!(status, Some(1 | 9))
}

/// The same command, but each rank may only write files of up to `blocks` times 512 bytes.
pub fn limited(command: &Command, dir: &Path, blocks: u32) -> Command {
    let limit = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"\n");
    std::fs::write(dir.join("limit"), limit).unwrap();
    let mut limited = Command::new(command.get_program());
    limited.current_dir(dir);
    command.get_envs().for_each(|(key, value)| {
        limited.env(key, value.unwrap_or_default());
    });
    for word in command.get_args() {
        if Path::new(word) == program() {
            limited.args(["sh", "limit"]);
        }
        limited.arg(word);
    }
    limited
}
