//! Tests of the MPI-IO backend on MPI ranks: `mpirun -n 2 mpiio_scenario FILE HINTS`.
//!
//! Opens FILE with the hints of the file HINTS, preallocates its space, writes and reads it, and prints the
//! hints that were passed and returned. The test `tests/mpi/mpiio.rs` starts it.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::Path;
use std::process::ExitCode;

use command::Settings;
use ranks::mpi::MpiWorld;
use ranks::{Comm, launcher};
use storage::{Mode, Open, Parts, Storage};

/// Bytes that each rank writes.
const BLOCK: usize = 65536;

fn main() -> ExitCode {
    let lookup = |name: &str| std::env::var(name).ok();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut settings = Settings::default();
    settings.set("mpiio.hintsFileName", &*words[1]);
    settings.set("mpiio.showHints", "1");
    settings.set("mpiio.preallocate", "1");
    settings.set("hint.cb_nodes", "77");
    settings.set("hint.cb_buffer_size", "65536");
    let storage = match (storage::driver("mpiio").expect("the backend exists").open)(&settings) {
        Ok(storage) => storage,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    let world =
        MpiWorld::start(launcher::detect(&lookup).as_ref(), &lookup).expect("an MPI library is installed");
    moves(world.comm(), &*storage, Path::new(&words[0]));
    if world.comm().rank() == 0 {
        println!("ok");
    }
    world.finish().expect("MPI ends");
    ExitCode::SUCCESS
}

fn moves(comm: &dyn Comm, storage: &dyn Storage, path: &Path) {
    let bytes = 4 * BLOCK as u64 * u64::from(comm.size());
    let how = Open { mode: Mode::Write, shared: true, collective: false, bytes, parts: Parts::NONE };
    let mut file = storage.open(comm, path, how).expect("it opens");
    let hints = file.hints().expect("the library reports hints").expect("the settings ask for hints");
    if comm.rank() == 0 {
        print!("{hints}");
    }
    let data = vec![comm.rank() as u8 + 1; BLOCK];
    let offset = u64::from(comm.rank()) * BLOCK as u64;
    assert_eq!(file.write_at(&data, offset).expect("it writes"), BLOCK);
    file.close().expect("it closes");
    assert_eq!(storage.size(path).expect("the file exists"), Some(bytes), "the space was preallocated");

    let how = Open { mode: Mode::Read, ..how };
    let mut file = storage.open(comm, path, how).expect("it opens");
    let mut found = vec![0; BLOCK];
    assert_eq!(file.read_at(&mut found, offset).expect("it reads"), BLOCK);
    assert_eq!(found, data);
    file.close().expect("it closes");

    let nowhere = Path::new("/nowhere/f");
    assert!(storage.open(comm, nowhere, Open { mode: Mode::Write, ..how }).is_err(), "on all ranks");
}
