//! The MPIs that Debian builds HDF5 on, and running where a file may not grow.

use std::path::Path;
use std::process::Command;

use super::{Mpi, program};

/// Both, with the library on each.
pub const BOTH: [(Mpi, &str); 2] =
    [(Mpi::Open, "libhdf5_openmpi.so.103"), (Mpi::Mpich, "libhdf5_mpich.so.103")];

/// Whether `name` is among the loader's libraries, or on the PATH; told where not.
pub fn is_here(name: &str) -> bool {
    let libraries = Path::new("/usr/lib/x86_64-linux-gnu").join(name).exists();
    let program =
        || std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|dir| dir.join(name).exists());
    let here = libraries || program();
    if !here {
        println!("SKIPPED: no {name} here; `cargo xtask setup` installs it");
    }
    here
}

/// Those that can be tested: library and `h5dump` are here.
pub fn able() -> impl Iterator<Item = Mpi> {
    let tools = is_here("h5dump");
    BOTH.into_iter().filter(move |(_, library)| tools && is_here(library)).map(|(mpi, _)| mpi)
}

/// The same command, of which each rank may write files of so many times 512 bytes only.
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
