//! A failure of `ior` under launchers of MPI ends all ranks together, with one line of error.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::common::campaign::signal;
use crate::common::processes::ranks_below;
use crate::common::tmpfs::Tmpfs;
use crate::common::{self, Mpi, Running, complaint, ior, mpis, run};

#[test]
fn a_full_file_system_is_an_error_under_mpi_io_too() {
    let Some(small) = Tmpfs::new("size=6m") else { return };
    for (mpi, how) in [(Mpi::Open, "-c"), (Mpi::Open, ""), (Mpi::Mpich, "-c"), (Mpi::Mpich, "-Y")] {
        let words = format!("-a MPIIO {how} -w -b 4m -t 64k -o {}/f", small.path().display());
        let Some(ran) = mpi.ior(small.path(), 2, &words) else { continue };
        assert!(ran.status.is_some_and(|status| status != 0), "{mpi:?} {how}: {ran:#?}");
        assert_eq!(ran.complaints().len(), 1, "{mpi:?} {how}: {ran:#?}");
        assert!(
            small.path().read_dir().unwrap().next().is_none(),
            "{mpi:?} {how}: partial files are removed"
        );
    }
}

#[test]
fn a_missing_directory_ends_all_ranks_with_one_message() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-w -o no/such/f", "-w -F -o no/such/f"] {
        let line = complaint(&ior(dir.path(), 4, words), 4);
        assert!(line.starts_with("ior: write: rank ") && line.contains(" (node "), "{line}");
        assert!(
            line.contains("cannot create no/such/f") && line.ends_with("No such file or directory"),
            "{line}"
        );
        for &mpi in mpis() {
            let Some(ran) = mpi.ior(dir.path(), 2, words) else { continue };
            assert!(ran.status.is_some_and(|status| status != 0), "{mpi:?} {ran:#?}");
            assert_eq!(ran.complaints().len(), 1, "{mpi:?} {ran:#?}");
        }
    }
}

/// The files of shared memory that these processes map.
fn shared_memory_of(ranks: &[u32]) -> std::collections::BTreeSet<String> {
    let maps = ranks.iter().filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/maps")).ok());
    let paths = |maps: String| -> Vec<String> {
        let path =
            |line: &str| Some(line[line.find("/dev/shm/")?..].trim_end_matches(" (deleted)").to_owned());
        maps.lines().filter_map(path).collect()
    };
    maps.flat_map(paths).collect()
}

#[test]
fn a_killed_rank_ends_the_job_in_seconds() {
    for mpi in [Mpi::Open, Mpi::Mpich, Mpi::Wheel] {
        let dir = tempfile::tempdir().unwrap();
        let words = "ior -w -a DUMMY -b 4g -t 8 -s 1000 -o f --record r.jsonl";
        let Some(mut command) = mpi.command(dir.path(), 3, words) else { continue };
        let job = Running::piped(&mut command);
        let begin = Instant::now();
        let begun = || std::fs::read_to_string(dir.path().join("r.jsonl")).is_ok_and(|text| !text.is_empty());
        while ranks_below(job.id()).len() < 3 || !begun() {
            assert!(begin.elapsed() < common::PATIENCE, "{mpi:?}: three ranks start");
            std::thread::sleep(Duration::from_millis(20));
        }
        std::thread::sleep(Duration::from_millis(300));
        let ranks = ranks_below(job.id());
        let shared = shared_memory_of(&ranks);
        let victim = ranks.into_iter().max().unwrap();
        assert!(signal("-KILL", victim));
        let ended = job.end(Duration::from_secs(30));
        // The library of a killed rank cannot remove its shared memory.
        shared.iter().for_each(|path| drop(std::fs::remove_file(path)));
        assert_ne!(ended.status, Some(0), "{mpi:?}: {ended:#?}");
        let records = std::fs::read_to_string(dir.path().join("r.jsonl")).unwrap();
        assert!(
            records.contains("\"record\":\"run\"") && !records.contains("\"record\":\"end\""),
            "{records}"
        );
    }
}

#[test]
fn a_world_of_one_rank_under_a_launcher_of_two_is_rejected() {
    let Some(mut command) = Mpi::Mpich.command(Path::new("/tmp"), 2, "ior -w -a DUMMY") else { return };
    if Mpi::Open.command(Path::new("/tmp"), 1, "").is_none() {
        return;
    }
    // The library of Open MPI under the launcher of MPICH makes two worlds of one rank.
    let ran = run(command.env("ASSAY_MPI_LIBRARY", "libmpi.so.40"));
    assert!(ran.status.is_some_and(|status| status != 0), "{ran:#?}");
    let complaints = ran.complaints();
    assert!(
        complaints.iter().all(|line| line.contains("started 2 ranks, but there is only 1 in the world")),
        "{ran:#?}"
    );
    assert!(!complaints.is_empty() && !ran.out.contains("Results"), "{ran:#?}");
}
