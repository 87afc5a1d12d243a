//! The bundled plans: each is valid at the scale of its contract and at the small scale, and runs to its
//! verdicts at the small scale.
//!
//! The small scales are rate-limited and any machine meets their thresholds, so every clause passes for the
//! right reason.
//! Never here: the speed of a machine.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::common;
use crate::common::campaign::{Place, SmallFs, codes_of, json, listed_plan, names, there};
use crate::common::slurm::Slurm;
use crate::common::{Mpi, hdf5, only_in_all};

/// The longest wait for one plan, on a machine with other load.
const PATIENCE: Duration = Duration::from_secs(900);

/// Expected lint findings on plans at the small scale: the plan is too small.
const SMALL_ON_PURPOSE: &[(&str, &str)] = &[("purple-metadata", "ls-walk")];

/// The names of the bundled plans.
fn all(place: &Place) -> Vec<String> {
    let list = place.assay("plan list").ok();
    list.lines().filter_map(listed_plan).map(str::to_owned).collect()
}

/// Runs a bundled plan at its small scale, and gives the outcomes of its clauses. A burst of the disk can
/// keep the parts of a group apart. Then the plan runs again, up to three times; after a FAIL it does not.
fn outcomes(place: &Place, words: &str) -> Vec<String> {
    outcomes_around(place, words, |_| ())
}

/// The same, with a change of the command.
fn outcomes_around(place: &Place, words: &str, around: impl Fn(&mut Command)) -> Vec<String> {
    let before = names(&place.dir()).len();
    let run = || {
        let mut command = place.command(&format!("run {words} --scale small --dir dir"));
        around(&mut command);
        let ran = common::run_for(&mut command, PATIENCE);
        (ran, place.outcomes())
    };
    let having = |outcomes: &[String], word: &str| outcomes.iter().filter(|one| one.ends_with(word)).count();
    let (mut ran, mut outcomes) = run();
    for _ in 0..2 {
        if having(&outcomes, " PASS") == outcomes.len() || having(&outcomes, " FAIL") > 0 {
            break;
        }
        println!("{words} runs again after {outcomes:?}");
        fs::remove_dir_all(place.folder()).unwrap();
        (ran, outcomes) = run();
    }
    let passed = having(&outcomes, " PASS") == outcomes.len();
    assert!(passed && ran.passed(), "{outcomes:#?} {ran:#?}");
    for file in ["campaign.json", "summary.json"] {
        let findings = &json(&place.folder().join(file))["findings"];
        assert!(!codes_of(findings).contains(&"waiver"), "the small scale needs each waiver: {findings:#}");
    }
    assert_eq!(names(&place.dir()).len(), before + 1, "only the evidence remains: {:?}", names(&place.dir()));
    place.assay(&format!("verify {}", place.folder().display())).ok();
    outcomes
}

/// Asserts that all clauses pass and are those of these tests, in order.
fn passes(words: &str, tests: &[&str]) {
    passes_in(&Place::new(), words, tests);
}

fn passes_in(place: &Place, words: &str, tests: &[&str]) {
    let outcomes = outcomes(place, words);
    let found: Vec<&str> = outcomes.iter().filter_map(|outcome| outcome.split(' ').next()).collect();
    assert_eq!(found, tests);
}

#[test]
fn an_approved_bundled_plan_has_no_unwaived_lint_finding_at_either_scale() {
    let place = Place::new();
    let plans = all(&place);
    assert!(plans.len() >= 15, "{plans:?}");
    for plan in &plans {
        let has_scale = plan != "try";
        for scale in ["", " --scale small"].into_iter().take(1 + usize::from(has_scale)) {
            let has_waivers = place.assay(&format!("plan show {plan}")).ok().contains("\napproved_by = \"\"");
            let approved = if has_waivers { " --set approved_by=lead" } else { "" };
            let summary = place.assay(&format!("plan check {plan}{scale}{approved}")).ok();
            let is_expected = |line: &&str| {
                let small = |(name, lint): &(&str, &str)| name == plan && line.contains(lint);
                !(scale.is_empty()) && SMALL_ON_PURPOSE.iter().any(small)
            };
            let unwaived = summary.lines().filter(|line| line.starts_with("lint: ") && line.contains(": "));
            let unwaived: Vec<&str> = unwaived
                .filter(|line| line.contains(": error ") || line.contains(": needs-waiver "))
                .filter(|line| !line.contains("(waived by ") && !is_expected(line))
                .collect();
            assert!(unwaived.is_empty(), "{plan}{scale}: {unwaived:#?}");
            let idle: Vec<&str> = summary.lines().filter(|line| line.contains(" waiver: ")).collect();
            assert!(idle.is_empty(), "{plan}{scale}: {idle:#?}");
        }
        let text = place.assay(&format!("plan show {plan}")).ok();
        assert!(text.contains("\nsource = \""), "{plan} has no source");
        for part in ["\n[parameters]\n", "\n[scale.small]\n"] {
            assert!(text.contains(part) == has_scale, "{plan}: {part:?}");
        }
        assert!(!text.contains("/work"), "{plan}");
    }
}

#[test]
fn a_bundled_plan_without_approval_reports_each_finding_that_it_would_waive() {
    let place = Place::new();
    let count = |words: &str, what: &str| {
        let summary = place.assay(&format!("plan check cori-phase2{words}")).ok();
        summary.lines().filter(|line| line.starts_with("lint: ") && line.contains(what)).count()
    };
    let unapproved = "To approve its waiver: --set approved_by=NAME.";
    let approved = count(" --set approved_by=lead", "(waived by lead: ");
    assert!(approved > 0);
    assert_eq!((count("", unapproved), count("", "waived by ")), (approved, 0));
    assert_eq!(count(" --set approved_by=lead", unapproved), 0);
}

#[test]
fn percentages_of_the_delivered_nodes_give_the_published_numbers() {
    let place = Place::new();
    let summary = place.assay("plan check perlmutter-phase1").ok();
    for line in [
        "test PM-BW-W: 90% of 1536 nodes = 1382, 5528 ranks",
        "test PM-IOPS-R: 15% of 1536 nodes = 230, 7360 ranks",
    ] {
        assert!(summary.contains(line), "{summary}");
    }
    let summary = place.assay("plan check bluewaters-io2017").ok();
    assert!(summary.contains("test IOR-3.n22600: 100% of 22600 nodes = 22600, 22600 ranks"), "{summary}");
}

#[test]
fn perlmutter_is_evaluated_without_clauses_for_hero_run_and_cached_writes() {
    let place = Place::new();
    let outcomes = outcomes(&place, "perlmutter-phase1");
    assert_eq!(outcomes, ["PM-BW-W PASS", "PM-BW-R PASS", "PM-IOPS-R PASS"]);
    let jobs = names(&place.folder().join("jobs"));
    for job in ["PM-IOPS-W-r1", "PM-BW-W-hero-r1", "dataset.strided-r1", "dataset.random-r1"] {
        assert!(jobs.iter().any(|name| name.ends_with(job)), "{job}: {jobs:?}");
    }
}

#[test]
fn the_nightly_probe_measures_for_a_history_and_compares_data() {
    let place = Place::new();
    passes_in(&place, "nightly", &["DATA"]);
    let folder = place.folder().display().to_string();
    place.assay(&format!("track add --store h.sqlite {folder}")).ok();
    let list = place.assay("track list --store h.sqlite").ok();
    for rate in [
        "WRITE / write.bw",
        "READ / read.bw",
        "RANDOM-R / read.bw",
        "FILES-SHARED / file_creation.rate",
        "FILES-OWN / file_removal.rate",
        "OBJECTS / benchmark.rate",
    ] {
        assert!(list.contains(&format!(" / nightly / small / {rate} ")), "{rate}: {list}");
    }
}

#[test]
fn the_phases_of_io500_give_three_scores() {
    let place = Place::new();
    let words = "io500 --set approved_by=lead --set repetitions=2";
    passes_in(
        &place,
        words,
        &["ior-easy-data", "ior-hard-data", "mdtest-hard-read", "BANDWIDTH", "METADATA", "TOTAL"],
    );
    // The score of the repetitions again, from the rates of the parts in the report.
    let csv = place.assay(&format!("report {} --csv", place.folder().display())).ok();
    let mean = |test: &str, metric: &str| -> f64 {
        let mark = format!(",{metric},,benchmarked,mean,");
        let line = csv.lines().find(|line| line.starts_with(&format!("{test},")) && line.contains(&mark));
        let (_, rest) =
            line.and_then(|line| line.split_once(&mark)).unwrap_or_else(|| panic!("{test}: {csv}"));
        rest.split(',').next().unwrap().parse().unwrap()
    };
    let bandwidth = [
        ("ior-easy-write", "write.bw"),
        ("ior-hard-write", "write.bw"),
        ("ior-easy-read", "read.bw"),
        ("ior-hard-read", "read.bw"),
    ];
    let product: f64 = bandwidth.iter().map(|(test, metric)| mean(test, metric)).product();
    // A mean of geometric means is not the geometric mean of means, but rate-limited repetitions are close.
    let (score, near) = (mean("BANDWIDTH", "score"), product.powf(0.25));
    assert!((score / near - 1.0).abs() < 0.1, "{score} {near}");
}

/// The plans of benchmark decks, with the number of their criteria and what approves their waivers.
const DECKS: &[(&str, usize, &str)] = &[
    ("ats5", 60, "--set approved_by=lead"),
    ("esif-hpc4", 53, "--set approved_by=lead"),
    ("jubench", 1, ""),
    ("nersc10", 56, "--set approved_by=lead"),
    ("uknnss", 2, "--set approved_by=lead"),
];

/// The parameters with which a bundled plan starts ranks of Open MPI, also as root.
fn open_mpi(place: &Place) -> Option<String> {
    let launch = place.path("open-mpi.sh");
    let script = "#!/bin/sh\nexec mpirun.openmpi --allow-run-as-root --oversubscribe \"$@\"\n";
    there("mpirun.openmpi").then(|| {
        common::script(&launch, script);
        format!("--set launch=openmpi --set program={}", launch.display())
    })
}

/// Runs a plan of a deck with these words, and asserts that all its criteria pass.
fn deck_passes(place: &Place, name: &str, words: &str, around: impl Fn(&mut Command)) {
    let (_, criteria, approved) = DECKS.iter().find(|(deck, ..)| *deck == name).expect(name);
    let outcomes = outcomes_around(place, &format!("{name} {approved} {words}"), around);
    assert_eq!(outcomes.len(), *criteria, "{name}: {outcomes:?}");
}

#[test]
fn the_shared_file_of_uk_nnss_is_evaluated_in_one_run() {
    let place = Place::new();
    let Some(words) = open_mpi(&place) else { return };
    deck_passes(&place, "uknnss", &words, |_| ());
    let verdicts = json(&place.folder().join("verdicts.json"));
    let chosen = [0, 1].map(|at: usize| verdicts[at]["statistic"].clone());
    assert_eq!(chosen, ["max", "best"], "{verdicts:#}");
}

#[test]
fn one_test_of_each_other_deck_is_evaluated() {
    for (name, only, clauses) in [
        ("ats5", "L2.posix-shared.node", 2),
        ("esif-hpc4", "B.node", 3),
        ("jubench", "SUM", 1),
        ("nersc10", "L3.b", 2),
    ] {
        let place = Place::new();
        let Some(words) = open_mpi(&place) else { return };
        let ran = place.assay(&format!("run {name} {words} --scale small --only {only} --dir dir"));
        let mut outcomes = place.outcomes();
        outcomes.retain(|outcome| !outcome.ends_with(" NOT_RUN"));
        assert_eq!(outcomes, vec![format!("{only} PASS"); clauses], "{name}: {ran:#?}");
    }
}

#[test]
fn the_decks_of_benchmarks_are_evaluated_under_open_mpi() {
    if only_in_all("five campaigns take three minutes") {
        for (name, ..) in DECKS.iter().filter(|(name, ..)| can_run(name, Mpi::Open)) {
            let place = Place::new();
            let Some(words) = open_mpi(&place) else { return };
            deck_passes(&place, name, &words, |_| ());
        }
    }
}

#[test]
fn the_decks_of_benchmarks_are_evaluated_under_mpich() {
    if only_in_all("five campaigns take three minutes") && there("mpiexec.mpich") {
        for (name, ..) in DECKS.iter().filter(|(name, ..)| can_run(name, Mpi::Mpich)) {
            let words = "--set launch=mpich --set program=mpiexec.mpich";
            deck_passes(&Place::new(), name, words, |_| ());
        }
    }
}

#[test]
fn the_decks_of_benchmarks_are_evaluated_under_slurm() {
    if !only_in_all("campaigns under Slurm take three minutes") {
        return;
    }
    let Some(slurm) = Slurm::start(1) else { return };
    let words = "--set launch=srun --set program=srun --set option=--mpi=pmi2";
    for (name, ..) in DECKS {
        // The MPI of the cluster has no HDF5.
        let hdf5 = if *name == "esif-hpc4" { "--set hdf5=-aMPIIO" } else { "" };
        deck_passes(&Place::new(), name, &format!("{words} {hdf5}"), |command| {
            slurm.around(command);
        });
    }
}

/// Whether the libraries that this plan needs are installed for this MPI.
fn can_run(name: &str, mpi: Mpi) -> bool {
    name != "esif-hpc4" || hdf5::able().any(|able| able == mpi)
}

/// The options that start MPI ranks at a small scale.
const MPICH: &str = "--set launch=mpich --set program=mpiexec.mpich";

#[test]
fn the_sizes_of_superpod_are_evaluated_with_a_floor_for_each_node() {
    if !there("mpiexec.mpich") {
        return;
    }
    let two = ["SU1-W", "SU1-R", "SU4-W", "SU4-R"].map(|test| [test; 2]);
    let one_machine = "--set su1_nodes=1 --set su4_nodes=1 --set repetitions=1";
    let tests = [&["ONE-W", "ONE-R"], two.as_flattened()].concat();
    passes(&format!("superpod {MPICH} {one_machine}"), &tests);
    // The sum meets its threshold, and a node of two does not meet its own.
    let place = Place::new();
    let ran = place.assay("run superpod --scale small --only SU1-W --set node_write=900PB/s --dir dir");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(decided(&place), ["SU1-W PASS", "SU1-W FAIL"], "{ran:#?}");
}

#[test]
fn the_file_sizes_of_orion_are_evaluated() {
    if there("mpiexec.mpich") {
        let tests = ["SMALL", "SMALL", "MEDIUM", "MEDIUM", "LARGE-W", "LARGE-R"];
        passes(&format!("orion {MPICH} --set approved_by=lead --set repetitions=1"), &tests);
    }
}

#[test]
fn a_later_campaign_of_a_eurohpc_system_is_compared_with_its_acceptance() {
    if !there("mpiexec.mpich") {
        return;
    }
    let place = Place::new();
    let run = |words: &str, more: &[&str]| {
        let line = format!(
            "run eurohpc --scale small {MPICH} --set repetitions=1 --set approved_by=lead --dir dir {words}"
        );
        let mut command = place.command(&line);
        common::run_for(command.args(more).env("ASSAY_STORE", place.path("h.sqlite")), PATIENCE)
    };
    let rates = "--set bandwidth=1MB/s --set iops=20IOPS --set metadata=20/s";
    let accepted = run(&format!("{rates} --folder accepted"), &[]);
    assert!(accepted.passed(), "{accepted:#?}");
    let later = run("--accepted accepted --folder later", &[]);
    assert!(later.passed() && later.out.contains("All 11 clauses are met."), "{later:#?}");
    let share = ["--set", "bandwidth=5000% of accepted"];
    let slower = run("--accepted accepted --folder slower --only OWN-W", &share);
    assert_eq!(slower.status, Some(1), "{slower:#?}");
}

/// Runs these tests of `ncp-hss`, with the test programs of `suite`.
fn ncp(place: &Place, suite: &Path, tests: &[&str], more: &[&str]) -> common::Ran {
    let only: String = tests.iter().map(|test| format!(" --only {test}")).collect();
    let line = format!("run ncp-hss --scale small {MPICH} --set approved_by=lead --dir dir{only}");
    let mut command =
        place.command(&format!("{line} --set repetitions=1 --set pjdfstest={}", suite.display()));
    common::run_for(command.args(more), PATIENCE)
}

/// The outcomes of the tests that ran.
fn decided(place: &Place) -> Vec<String> {
    place.outcomes().into_iter().filter(|outcome| !outcome.ends_with("NOT_RUN")).collect()
}

#[test]
fn the_rows_of_ncp_storage_are_evaluated_as_far_as_a_mount_shows_them() {
    if !there("mpiexec.mpich") || !there("prove") {
        return;
    }
    let place = Place::new();
    let suite = place.path("suite");
    fs::create_dir(&suite).unwrap();
    common::script(&suite.join("open.t"), "#!/bin/sh\necho 1..2\necho ok 1\necho ok 2\n");
    // No limit is set here, so QUOTA is left out.
    let rates = ["BW-W", "BW-R", "IOPS-R", "MANY-W"];
    let others = ["FILES.make", "FILES", "DIRECTORIES.make", "DIRECTORIES", "FLOCK", "VISIBLE", "ATTRIBUTES"];
    let ran = ncp(&place, &suite, &[&rates[..], &others, &["PJDFSTEST"]].concat(), &[]);
    assert!(decided(&place).iter().all(|outcome| outcome.ends_with(" PASS")), "{ran:#?}");
    assert!(ran.out.contains("All 8 clauses are met."), "{ran:#?}");
}

#[test]
fn the_rows_of_ncp_storage_fail_for_a_failed_program_and_for_a_limit_that_nothing_enforces() {
    if !there("mpiexec.mpich") || !there("prove") {
        return;
    }
    let place = Place::new();
    let suite = place.path("suite");
    let ran = ncp(&place, &suite, &["PJDFSTEST"], &[]);
    assert_eq!(ran.status, Some(3), "without the suite nothing is decided: {ran:#?}");
    fs::remove_dir_all(place.folder()).unwrap();

    fs::create_dir(&suite).unwrap();
    common::script(&suite.join("open.t"), "#!/bin/sh\necho 1..1\necho ok 1\n");
    common::script(&suite.join("rename.t"), "#!/bin/sh\necho 1..2\necho ok 1\necho not ok 2\n");
    let limit = ["--set", "quota_of=user", "--set", "quota_as=--limit 1536k --used 0B --only bytes"];
    let ran = ncp(&place, &suite, &["PJDFSTEST", "QUOTA"], &limit);
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(decided(&place), ["QUOTA FAIL", "QUOTA FAIL", "PJDFSTEST FAIL"], "{ran:#?}");
}

#[test]
fn the_read_patterns_of_training_are_evaluated() {
    passes("mlperf-storage", &["UNET3D", "RESNET50", "COSMOFLOW"]);
}

#[test]
fn a_threshold_that_no_machine_meets_is_fail() {
    let place = Place::new();
    let ran =
        place.assay("run perlmutter-phase1 --scale small --only PM-BW-W --set write_bw=900PB/s --dir dir");
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(place.outcomes(), ["PM-BW-W FAIL", "PM-BW-R NOT_RUN", "PM-IOPS-R NOT_RUN"], "{ran:#?}");
}

#[test]
fn the_first_phase_of_cori_is_evaluated() {
    if there("mpiexec.mpich") {
        passes(
            "cori-phase1 --set launch=mpich --set program=mpiexec.mpich",
            &["FPP-W", "FPP-R", "SSF-W", "SSF-R"],
        );
    }
}

#[test]
fn the_second_phase_of_cori_is_compared_with_the_first() {
    passes("cori-phase2", &["HASWELL-W", "HASWELL-R"]);
}

#[test]
fn the_phases_of_datawarp_are_evaluated() {
    if there("mpiexec.mpich") {
        for plan in ["datawarp-phase1", "datawarp-phase2"] {
            let tests = ["FPP-W", "FPP-R", "SSF-W", "SSF-R", "IOPS-W", "IOPS-R"];
            passes(&format!("{plan} --set launch=mpich --set program=mpiexec.mpich"), &tests);
        }
    }
}

#[test]
fn the_community_file_system_is_evaluated() {
    passes("cfs-phase1", &["IOPS-W", "IOPS-R", "BW-W", "BW-R"]);
}

#[test]
fn the_bandwidth_of_purple_is_evaluated_on_two_file_systems_and_with_an_application() {
    let two = ["TWO-FS-W.EVEN", "TWO-FS-W.ODD", "TWO-FS-W"];
    let tests = [&["SHARED-W", "SHARED-W", "FPP-W"], &two[..], &["LOAD.APP", "LOAD.IOR"]].concat();
    let place = Place::new();
    let dirs = ["gscratch3", "gscratch4"].map(|name| place.dir().join(name));
    dirs.iter().for_each(|dir| fs::create_dir(dir).unwrap());
    passes_in(&place, "purple-bandwidth", &tests);
    assert!(dirs.iter().all(|dir| names(dir).is_empty()), "files are left: {dirs:?}");
}

#[test]
fn the_metadata_of_purple_is_evaluated_on_an_aged_file_system() {
    let place = Place::new();
    let dir = place.dir();
    let Some(_mounted) = SmallFs::mount(&dir, "256m,nr_inodes=100k") else { return };
    assert_eq!(outcomes(&place, "purple-metadata"), ["FDTREE PASS", "LS PASS"]);
}

#[test]
fn ageing_is_rejected_on_a_file_system_of_another_type() {
    let place = Place::new();
    let ran = place.assay("run purple-metadata --dir dir");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains(", but the plan tests gpfs."), "{ran:#?}");
}

#[test]
fn blue_waters_is_evaluated_at_every_step_of_servers_and_nodes() {
    let series = ["s2.w", "s2.r", "s4.w", "s4.r", "s6.w", "s6.r"].map(|step| format!("IOR-2.{step}"));
    let steps = ["3", "6", "9", "12"].map(|nodes| format!(".n{nodes}"));
    let nodes = ["IOR-3", "IOR-4"].map(|test| steps.clone().map(|step| format!("{test}{step}")));
    let names = ["MD-SHARED", "MD-SEPARATE"].map(|test| [test; 3]);
    let tests: Vec<&str> = ["IOR-1"]
        .into_iter()
        .chain(series.iter().map(String::as_str))
        .chain(nodes.iter().flatten().map(String::as_str))
        .chain(names.into_iter().flatten())
        .collect();
    passes("bluewaters-io2017", &tests);
}

#[test]
fn servers_without_added_speed_do_not_scale_linearly() {
    let place = Place::new();
    let only = "--only IOR-2.s1.w --only IOR-2.s6.w";
    let words = "run bluewaters-io2017 --scale small --set server_pace=--rate=2MB/s --dir dir";
    let ran = place.assay(&format!("{words} {only}"));
    assert_eq!(ran.status, Some(1), "{ran:#?}");
    assert_eq!(decided(&place), ["IOR-2.s6.w FAIL"], "{ran:#?}");
    assert_eq!(names(&place.dir()).len(), 1, "all servers are restored: {:?}", names(&place.dir()));
}

#[test]
fn reads_from_a_file_system_in_memory_do_not_count_as_reads_from_storage() {
    let place = Place::new();
    let dir = place.dir();
    let Some(_mounted) = SmallFs::mount(&dir, "64m") else { return };
    let ran = place.assay("run cfs-phase1 --scale small --dir dir");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    assert_eq!(place.outcomes(), ["IOPS-W PASS", "IOPS-R INVALID", "BW-W PASS", "BW-R INVALID"], "{ran:#?}");
    for (test, outcome, reason) in place.verdicts() {
        let in_memory = reason["code"] == "cached-read" && reason["data"]["memory"] == "tmpfs";
        assert!(outcome != "INVALID" || in_memory, "{test}: {reason}");
    }
}

#[test]
fn flash_io_of_blue_waters_is_evaluated_by_the_data_that_it_reads_back() {
    let place = Place::new();
    if let Some(words) = open_mpi(&place) {
        assert_eq!(outcomes(&place, &format!("bluewaters-flash-io {words}")), ["FLASH PASS"; 3]);
    }
}
