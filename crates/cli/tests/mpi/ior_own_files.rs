//! Results do not overwrite data that ranks of a launcher access by other names.

use std::fs;

use crate::common::{Mpi, ior};

#[test]
fn a_file_is_the_same_under_another_name_and_for_ranks_of_a_launcher() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().canonicalize().unwrap();
    fs::create_dir(place.join("d")).unwrap();
    fs::write(place.join("f"), "kept").unwrap();
    std::os::unix::fs::symlink("f", place.join("soft")).unwrap();
    fs::hard_link(place.join("f"), place.join("hard")).unwrap();
    let whole = place.join("f").display().to_string();
    for name in ["./f", "d/../f", "soft", "hard", &whole] {
        let ran = ior(&place, 2, &format!("-w -b 64k -t 16k -o f -O summaryFile={name}"));
        assert_eq!((ran.status, ran.complaints().len()), (Some(2), 1), "{name}: {ran:#?}");
    }
    fs::write(place.join("s"), "IOR START\nblockSize=64k\ntransferSize=16k\ntestFile=f\nRUN\nIOR STOP\n")
        .unwrap();
    let script = ior(&place, 2, "-w -f s -O summaryFile=s");
    assert!(script.err.starts_with("ior: -f and -O summaryFile name the same file, s. "), "{script:#?}");
    if let Some(ran) = Mpi::Mpich.ior(&place, 2, "-w -b 64k -t 16k -o f -O summaryFile=f") {
        assert_eq!(ran.complaints().len(), 1, "{ran:#?}");
        assert!(ran.status != Some(0), "{ran:#?}");
    }
    let hints = "-a MPIIO -w --mpiio.hintsFileName=f -O summaryFile=f -o g";
    if let Some(ran) = Mpi::Mpich.ior(&place, 2, hints) {
        assert!(ran.err.contains("--mpiio.hintsFileName name the same file"), "{ran:#?}");
    }
    // The name of a driver of MPI-IO is not part of the file name.
    if let Some(ran) = Mpi::Mpich.ior(&place, 2, "-a MPIIO -w -b 64k -t 16k -o ufs:f -O summaryFile=f") {
        assert!(ran.err.contains("-o and -O summaryFile name the same file, f. "), "{ran:#?}");
        assert!(ran.status != Some(0), "{ran:#?}");
    }
    assert_eq!(fs::read_to_string(place.join("f")).unwrap(), "kept");
    assert!(fs::read_to_string(place.join("s")).unwrap().starts_with("IOR START"));
}
