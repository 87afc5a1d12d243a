//! A transfer of more than 2 GiB by the backend `mpiio`, on MPI ranks: `mpirun -n 1 mpiio_huge FILE`.
//!
//! Writes the data, checks marked positions with plain reads, and reads it back. The test
//! `tests/mpi/mpiio.rs` starts it.
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::ExitCode;

use command::Settings;
use ranks::mpi::MpiWorld;
use ranks::{Comm, launcher};
use storage::{Mode, Open, Parts, Storage};

/// More than a C `int` counts, and more than Linux moves in one call.
const BYTES: usize = (1 << 31) + 4096;
/// Positions that are written with bytes other than zero.
const PLACES: [usize; 5] = [0, 0x7fff_efff, 0x7fff_f000, 1 << 31, BYTES - 1];

fn main() -> ExitCode {
    let lookup = |name: &str| std::env::var(name).ok();
    let path = std::env::args().nth(1).expect("the first argument is a path");
    let world =
        MpiWorld::start(launcher::detect(&lookup).as_ref(), &lookup).expect("an MPI library is installed");
    let backend = storage::driver("mpiio").expect("the backend exists");
    moves(world.comm(), &*(backend.open)(&Settings::default()).expect("it opens"), Path::new(&path));
    println!("ok");
    world.finish().expect("MPI ends");
    ExitCode::SUCCESS
}

fn moves(comm: &dyn Comm, storage: &dyn Storage, path: &Path) {
    let bytes = BYTES as u64;
    let parts = Parts { segment: bytes, block: bytes, transfer: bytes, owner: Some(0) };
    let how = Open { mode: Mode::Write, shared: true, collective: true, bytes, parts };
    let mut file = storage.open(comm, path, how).expect("it opens");
    // Zero pages that are never accessed occupy no memory.
    let mut data = vec![0; BYTES];
    PLACES.iter().zip(1..).for_each(|(place, mark)| data[*place] = mark);
    assert_eq!(file.write_at(&data, 0).expect("it writes"), BYTES);
    file.close().expect("it closes");
    let plain = File::open(path).expect("the file exists");
    assert_eq!(plain.metadata().expect("the file exists").len(), bytes);
    for (place, mark) in PLACES.iter().zip(1_u8..) {
        let mut found = [0];
        plain.read_exact_at(&mut found, *place as u64).expect("it reads");
        assert_eq!(found[0], mark, "at {place}");
        data[*place] = 0;
    }
    let mut file = storage.open(comm, path, Open { mode: Mode::Read, ..how }).expect("it opens");
    assert_eq!(file.read_at(&mut data, 0).expect("it reads"), BYTES);
    file.close().expect("it closes");
    assert!(PLACES.iter().zip(1..).all(|(place, mark)| data[*place] == mark), "all marks were read back");
}
