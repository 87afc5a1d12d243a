//! Launchers that are killed by SIGKILL, so that they end no rank. The ranks end by themselves, and what they
//! measured before is kept.

use std::fs;
use std::path::Path;
use std::process::Command;

use results::{Record, record, records};

use crate::common::campaign::{signal, until};
use crate::common::{Mpi, PATIENCE, Running, mpis, processes, script};

const RANKS: u32 = 4;

/// Starts in place of ssh what Open MPI runs on another node.
const AGENT: &str = "#!/bin/sh\nshift\neval \"$*\"\n";

fn numbers(processes: Vec<String>) -> Vec<u32> {
    processes.iter().map(|pid| pid.parse().unwrap()).collect()
}

/// Files that ranks read in two repetitions. Rank 1 never ends the opening of its second file.
fn files(dir: &Path) {
    for (rank, repetition) in (0..RANKS).flat_map(|rank| [(rank, 0), (rank, 1)]) {
        let file = dir.join(format!("f.{rank:08}.{repetition}"));
        if (rank, repetition) == (1, 1) {
            // The opening of a pipe lasts until another process opens its other end.
            assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
        } else {
            fs::write(file, [0; 4096]).unwrap();
        }
    }
}

/// Kills a process of a run in its second repetition: `victim` finds it among those of the launcher. Asserts
/// that all ranks end, and that the records have the first repetition only.
fn ranks_end(mpi: Mpi, options: &[&str], victim: impl Fn(u32, &Path) -> Vec<u32>) {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path().canonicalize().unwrap();
    files(&here);
    script(&here.join("agent"), AGENT);
    let words = format!("ior -r -k -F -m -i 2 -b 4k -t 4k --record records -o {}/f", here.display());
    let Some(plain) = mpi.command(&here, RANKS, &words) else { return };
    let mut command = Command::new(plain.get_program());
    let variables = plain.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.current_dir(&here).envs(variables).env("ASSAY_WAIT_REPORT", "1");
    let options = options.iter().map(|option| option.replace("HERE", &here.display().to_string()));
    command.args(options).args(plain.get_args());
    let err = fs::File::create(here.join("err")).unwrap();
    let mut launcher = Running::start(command.stdout(err.try_clone().unwrap()).stderr(err));
    let said = || fs::read_to_string(here.join("err")).unwrap();
    let stuck = format!("assay: rank 1 has been in open of {}/f.00000001.1 for ", here.display());
    until("the second repetition", || said().contains(&stuck) || launcher.has_ended());
    assert_eq!(processes::of_directory(&here, "assay").len(), RANKS as usize, "{mpi:?}: {}", said());
    let victims = victim(launcher.id(), &here);
    assert!(!victims.is_empty(), "{mpi:?}: {}", said());
    victims.into_iter().for_each(|pid| _ = signal("-KILL", pid));
    until("the end of all ranks", || processes::of_directory(&here, "assay").is_empty());
    assert_ne!(launcher.end(PATIENCE).status, Some(0), "{mpi:?}: {}", said());
    let all = records::load(&here.join("records")).unwrap();
    let phases: Vec<_> = record::phases(&all).map(|phase| (&*phase.phase, phase.repetition)).collect();
    assert_eq!(phases, [("read", 0)], "{mpi:?}: {}", said());
    assert!(!all.iter().any(|one| matches!(one, Record::End(_))), "{mpi:?}: {all:#?}");
}

#[test]
fn ranks_whose_launcher_is_killed_end_by_themselves_and_keep_what_was_measured() {
    for &mpi in mpis() {
        ranks_end(mpi, &[], |launcher, _| vec![launcher]);
    }
}

#[test]
fn ranks_whose_daemon_of_open_mpi_is_killed_end_by_themselves_and_keep_what_was_measured() {
    let options = ["--mca", "plm_rsh_agent", "HERE/agent", "--host", "assay-other-node:4"];
    ranks_end(Mpi::Open, &options, |_, here| numbers(processes::of_directory(here, "orted")));
}

/// No other process of Hydra ends these ranks, and the library waits on. Only their own watch ends them.
#[test]
fn ranks_whose_process_of_hydra_is_killed_end_by_themselves_and_keep_what_was_measured() {
    for mpi in [Mpi::Mpich, Mpi::Wheel] {
        ranks_end(mpi, &[], |launcher, _| numbers(processes::children(&launcher.to_string())));
    }
}
