//! Ranks as MPI processes: the shared scenario under every installed MPI, and rejected launches.
//!
//! The program under test is the example `comm_scenario`, which `cargo test` builds. MPICH 5 is from the venv
//! that `ASSAY_TEST_MPICH_VENV` names, or from `target/mpich-venv`. Every job has a time limit. A job that
//! exceeds it is killed with all its ranks and fails the test.
#![allow(clippy::print_stdout)]

mod launch;

use std::collections::BTreeMap;
use std::time::Duration;

use launch::{Job, Mpi, debian_mpich, debian_open_mpi, skipped, wheel, wheel_standard};
use testkit::complete::by_set;

fn scenario_holds(mpi: Option<Mpi>, version: &str) {
    let Some(mpi) = mpi else { return };
    for ranks in by_set(&[4][..], &[1, 2, 4]) {
        let done = Job::new(&mpi, *ranks, "all").run();
        done.assert_success();
        let wanted = format!("ok: {ranks} ranks of {version}");
        assert!(done.output.contains(&wanted), "wanted `{wanted}`, got:\n{}", done.output);
    }
}

#[test]
fn the_scenario_holds_under_open_mpi() {
    scenario_holds(debian_open_mpi(), "Open MPI");
}

#[test]
fn the_scenario_holds_under_debians_mpich() {
    scenario_holds(debian_mpich(), "MPICH Version: 4.0");
}

#[test]
fn the_scenario_holds_under_mpich_5() {
    scenario_holds(wheel(), "MPICH Version: 5");
}

#[test]
fn the_scenario_holds_under_the_standard_interface() {
    scenario_holds(wheel_standard(), "MPICH Version: 5");
}

#[test]
fn the_library_is_found_next_to_its_launcher() {
    let table = [
        (debian_open_mpi(), "/libmpi.so.40"),
        (debian_mpich(), "/libmpich.so.12"),
        (wheel(), "/lib/libmpi.so.12"),
        (wheel_standard(), "/lib/libmpi_abi.so.1"),
    ];
    for (mpi, library) in table {
        let Some(mpi) = mpi else { continue };
        let done = Job::new(&mpi, 2, "barriers").run();
        done.assert_success();
        let line = done.output.lines().find(|line| line.starts_with("ok: 2 ranks")).unwrap_or_default();
        assert!(line.ends_with(library), "{}: {line}", mpi.name);
    }
}

/// Calls of MPI by function and size of the communicator.
type MpiCalls = BTreeMap<String, u64>;

/// The calls that the first and the last rank make for one `collective`. Six ranks are on two nodes.
fn calls_of_one(mpi: &Mpi, collective: &str) -> [MpiCalls; 2] {
    let shim = std::env::current_exe().unwrap().with_file_name("libassay_shim.so");
    let counts = |times: u64| -> [MpiCalls; 2] {
        let folder = tempfile::tempdir().unwrap();
        let counts = folder.path().join("rank");
        Job::new(mpi, 6, collective)
            .with("MPIR_CVAR_NUM_CLIQUES", "2")
            .with("LD_PRELOAD", &shim.display().to_string())
            .with("ASSAY_SHIM_COUNT", &counts.display().to_string())
            .with("ASSAY_TEST_TIMES", &times.to_string())
            .run()
            .assert_success();
        let row = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            (format!("{} {}", words[0], words[1]), words[2].parse::<u64>().unwrap())
        };
        ["0", "5"].map(|rank| {
            let text = std::fs::read_to_string(counts.with_extension(rank)).unwrap();
            text.lines().map(row).collect()
        })
    };
    let (few, many) = (counts(1), counts(4));
    [0, 1].map(|rank| {
        let more = many[rank].iter().map(|(call, count)| {
            let more = count - few[rank].get(call).unwrap_or(&0);
            assert_eq!(more % 3, 0, "{collective}: {call}");
            (call.clone(), more / 3)
        });
        more.filter(|(_, count)| *count > 0).collect()
    })
}

#[test]
fn a_rank_ends_if_mpi_fails_and_may_still_use_its_memory() {
    let shim = std::env::current_exe().unwrap().with_file_name("libassay_shim.so");
    for mpi in [debian_open_mpi(), debian_mpich()].into_iter().flatten() {
        let done = Job::new(&mpi, 2, "barriers")
            .with("LD_PRELOAD", &shim.display().to_string())
            .with("ASSAY_SHIM_FAULT", "mpi_test")
            .with("ASSAY_SHIM_UNDER", "/")
            .run();
        let why = "MPI may still use memory of this rank, so the rank ends.";
        assert!(done.code != Some(0) && done.output.contains(why), "{}: {}", mpi.name, done.output);
    }
}

#[test]
fn mpi_does_not_end_while_something_uses_it() {
    let Some(mpi) = debian_mpich() else { return };
    let done = Job::new(&mpi, 2, "in_use").run();
    let why = "files or communicators of MPI are still open";
    assert!(done.code != Some(0) && done.output.contains(why), "{}", done.output);
}

#[test]
fn a_collective_of_few_bytes_is_one_collective_of_mpi() {
    let Some(mpi) = debian_mpich() else { return };
    for (collective, first, last) in [
        ("barrier", &["MPI_Ibarrier 6"][..], &["MPI_Ibarrier 6"][..]),
        ("broadcast", &["MPI_Ibcast 6"], &["MPI_Ibcast 6"]),
        ("gather", &["MPI_Igather 2", "MPI_Igather 3"], &["MPI_Igather 3"]),
        ("reduce", &["MPI_Ireduce 6"], &["MPI_Ireduce 6"]),
        ("all_reduce", &["MPI_Iallreduce 6"], &["MPI_Iallreduce 6"]),
        ("agree", &["MPI_Iallreduce 6"], &["MPI_Iallreduce 6"]),
    ] {
        let wanted = [first, last].map(|calls| calls.iter().map(|call| ((*call).to_owned(), 1)).collect());
        assert_eq!(calls_of_one(&mpi, collective), wanted, "{collective}");
    }
}

/// The MPICHs whose nodes are checked. In the default set, that is one of the two.
fn mpichs() -> Vec<Mpi> {
    [debian_mpich(), wheel()].into_iter().flatten().take(by_set(1, 2)).collect()
}

#[test]
fn virtual_nodes_of_mpich_are_detected() {
    for mpi in mpichs() {
        for (variable, value, nodes) in [("MPIR_CVAR_NOLOCAL", "1", "4"), ("MPIR_CVAR_NUM_CLIQUES", "2", "2")]
        {
            let job = Job::new(&mpi, 4, "all").with(variable, value).with("ASSAY_TEST_NODES", nodes);
            job.run().assert_success();
        }
    }
}

#[test]
fn the_scenario_holds_on_more_nodes_than_rank_0_has_neighbors() {
    let Some(mpi) = debian_mpich() else { return };
    let job = Job::new(&mpi, 10, "all").with("MPIR_CVAR_NOLOCAL", "1").with("ASSAY_TEST_NODES", "10");
    job.run().assert_success();
}

#[test]
fn hosts_of_the_launcher_are_nodes_though_they_are_one_machine() {
    for mpi in mpichs() {
        Job::on_two_hosts(&mpi, "all").with("ASSAY_TEST_NODES", "2").run().assert_success();
    }
}

#[test]
fn clocks_of_ranks_on_one_node_without_a_shared_clock_are_compared() {
    for mpi in mpichs() {
        let Some(job) = Job::on_two_clocks(&mpi, "all") else { continue };
        job.with("ASSAY_TEST_NODES", "1").run().assert_success();
    }
}

#[test]
fn the_scenario_holds_on_nodes_with_unequal_numbers_of_ranks() {
    for mpi in mpichs() {
        // Two nodes of three and two ranks: with two processors only one node is oversubscribed.
        let job = Job::new(&mpi, 5, "all").with("MPIR_CVAR_NUM_CLIQUES", "2").with("ASSAY_TEST_NODES", "2");
        job.run().assert_success();
    }
}

#[test]
fn a_library_that_is_not_the_launchers_is_rejected_in_one_line() {
    if let (Some(mpich), Some(_)) = (debian_mpich(), debian_open_mpi()) {
        let done = Job::new(&mpich, 2, "all").with("ASSAY_MPI_LIBRARY", "libmpi.so.40").run();
        let wanted =
            "hydra (MPICH) started 2 ranks, but there is only 1 in the world of libmpi.so.40 (Open MPI v";
        done.assert_rejection(wanted);
    }
    if let (Some(open_mpi), Some(_)) = (debian_open_mpi(), debian_mpich()) {
        let done = Job::new(&open_mpi, 2, "all").with("ASSAY_MPI_LIBRARY", "libmpich.so.12").run();
        done.assert_rejection(
            "Open MPI's mpirun started 2 ranks, but there is only 1 in the world of libmpich.so.12",
        );
    }
}

#[test]
fn a_missing_library_is_rejected_with_the_names_that_were_searched() {
    let empty = std::env::temp_dir().join(format!("assay-test-empty-{}", std::process::id()));
    std::fs::create_dir_all(&empty).expect("the test creates its directory");
    for mpi in [debian_open_mpi(), debian_mpich(), wheel()].into_iter().flatten() {
        let done = Job::new(&mpi, 2, "all").with("ASSAY_MPI_LIBRARY", &empty.display().to_string()).run();
        done.assert_rejection(" started 2 ranks, but no MPI library was found: searched for libmpi");
        assert!(done.output.contains(&empty.display().to_string()), "{}", done.output);
    }
    std::fs::remove_dir(&empty).expect("it is still empty");
}

#[test]
fn a_killed_rank_ends_the_job_within_seconds() {
    for mpi in [debian_open_mpi(), debian_mpich(), wheel()].into_iter().flatten() {
        let done = Job::new(&mpi, 3, "die").run();
        assert_ne!(done.code, Some(0), "{}: a job that lost a rank must fail:\n{}", mpi.name, done.output);
        // Enough time for a busy machine; a job that waits for the lost rank does not end at all.
        assert!(done.took < Duration::from_secs(60), "{}: took {:?}", mpi.name, done.took);
        assert!(!done.output.contains("ok: "), "{}", done.output);
        done.sweep_shared_memory();
    }
}

#[test]
fn one_rank_needs_no_launcher() {
    let libraries = [debian_open_mpi(), debian_mpich()].map(|mpi| mpi.map(|mpi| mpi.library));
    let wheels = [wheel(), wheel_standard()].map(|mpi| mpi.map(|mpi| mpi.library));
    for library in libraries.into_iter().chain(wheels).flatten() {
        let done = Job::alone("all").with("ASSAY_MPI_LIBRARY", &library).run();
        done.assert_success();
        assert!(done.output.contains("ok: 1 ranks"), "{library}: {}", done.output);
    }
}

#[test]
fn a_launcher_of_another_mpich_may_start_the_ranks() {
    match (debian_mpich(), wheel()) {
        (Some(debian), Some(wheel)) => {
            let job = Job::new(&wheel, 2, "all").with("ASSAY_MPI_LIBRARY", &debian.library);
            job.run().assert_success();
        }
        _ => skipped("two MPICHs are needed"),
    }
}
