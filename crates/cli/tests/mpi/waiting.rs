//! Rank 0 of a launcher that waits for a rank which does not come.

use std::fs;

use crate::common::campaign::{signal, until};
use crate::common::{Mpi, PATIENCE, Running, mpis, processes};

/// Words of a run of some seconds.
const SLOW: &str = "ior -w -F -k -b 1m -t 64k --rate=1MiB/s";
const FEW_BYTES: u64 = 128 << 10;

#[test]
fn rank_0_reports_that_it_waits_for_a_stopped_rank_meanwhile_and_when_it_is_terminated() {
    for &mpi in mpis() {
        // Open MPI continues the stopped rank before it terminates all of them.
        let endings = if mpi == Mpi::Open { &[false][..] } else { &[false, true] };
        for is_terminated in endings.iter().copied() {
            let dir = tempfile::tempdir().unwrap();
            let here = dir.path().canonicalize().unwrap();
            let words = format!("{SLOW} -o {}/f", here.display());
            let Some(mut command) = mpi.command(&here, 2, &words) else { continue };
            command.env("ASSAY_WAIT_REPORT", "2").env("OMPI_MCA_odls_base_sigkill_timeout", "1");
            let stream = |name: &str| fs::File::create(here.join(name)).unwrap();
            let launcher = Running::start(command.stdout(stream("out")).stderr(stream("err")));
            let err = || fs::read_to_string(here.join("err")).unwrap();
            let second = here.join("f.00000001");
            until("written data", || fs::metadata(&second).is_ok_and(|facts| facts.len() > FEW_BYTES));
            let ranks = processes::of_directory(&here, "assay");
            let is_second = |pid: &&String| {
                let variables = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                let mut variables = variables.split(|byte| *byte == 0);
                variables.any(|one| [&b"PMI_RANK=1"[..], b"OMPI_COMM_WORLD_RANK=1"].contains(&one))
            };
            let stopped: u32 = ranks.iter().find(is_second).expect("rank 1").parse().unwrap();
            signal("-STOP", stopped);
            until("a report", || err().contains("assay: rank 0 has been waiting for other ranks for "));
            if is_terminated {
                signal("-TERM", launcher.id());
                until("the last report", || err().contains("assay: rank 0 was waiting for other ranks"));
            }
            signal("-CONT", stopped);
            let status = launcher.end(PATIENCE).status;
            assert!(status == Some(0) || is_terminated, "{mpi:?}: {status:?}: {}", err());
            let lines: Vec<String> = err().lines().map(str::to_owned).collect();
            let mut reports = lines.iter().filter(|line| line.contains("waiting for other ranks"));
            assert!(reports.all(|line| line.ends_with(", in phase write")), "{mpi:?}: {lines:?}");
        }
    }
}
