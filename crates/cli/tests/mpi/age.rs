//! `age` under launchers of MPI.

use std::fs;

use crate::common::age::{Mounted, SMALL, TARGETS, assert_rejected};
use crate::common::{Mpi, run};

#[test]
fn ranks_of_a_launcher_create_the_same_files_as_local_ranks() {
    let words = format!("{TARGETS} --cycles 0.5 --seed 8");
    let Some(local) = Mounted::in_memory(SMALL) else { return };
    local.age(3, &words).ok();
    let wanted = local.files();
    for mpi in [Mpi::Open, Mpi::Mpich] {
        let mounted = Mounted::in_memory(SMALL).unwrap();
        let Some(mut command) = mpi.command(&mounted.root, 3, &format!("age aged {words}")) else { continue };
        run(&mut command).ok();
        assert!(mounted.files() == wanted, "{mpi:?}");
        let mut command = mpi.command(&mounted.root, 2, "age --remove aged").unwrap();
        run(&mut command).ok();
        assert_eq!(fs::read_dir(mounted.aged()).unwrap().count(), 0, "{mpi:?}");
        let mut command = mpi.command(&mounted.root, 2, "age aged --blocks 95%").unwrap();
        assert_rejected(&run(&mut command), 2, "is not below the ceiling of 90.0 %");
    }
}
