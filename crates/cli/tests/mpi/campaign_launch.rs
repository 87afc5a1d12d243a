//! Campaigns under named launchers: their arguments for nodes, and jobs that ran on other nodes or not at
//! all.

use std::fs;

use crate::common::campaign::{Place, codes_of, json, may_mount_alone, skipped, there};
use crate::common::{self, OPEN_MPI_AS_ROOT, wheel};

const TEST: &str = "[[test]]\nid = \"W\"\nior = \"-w -e -t 64k -b 128k\"\n\
                    criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";

/// Writes the plan `p.toml` with these tables before its test, which ends with `keys`.
fn plan(place: &Place, tables: &str, keys: &str) {
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                defaults.timeout = \"60 s\"\n";
    fs::write(place.path("p.toml"), format!("{head}{tables}{TEST}{keys}\n")).unwrap();
}

/// The arguments of the job's launcher.
fn argv(place: &Place) -> String {
    let words = json(&place.folder().join("jobs/0001-W-r1/job.json"))["argv"].clone();
    let words: Vec<String> = serde_json::from_value(words).unwrap();
    words[1..words.iter().position(|word| word.ends_with("assay")).unwrap()].join(" ")
}

fn reason(place: &Place) -> (String, serde_json::Value) {
    let (_, outcome, reason) = place.verdicts().remove(0);
    (outcome, reason)
}

#[test]
fn mpich_runs_on_the_nodes_of_the_hostfile_without_excluded_ones() {
    let Some(mpiexec) = wheel().map(|wheel| wheel.join("bin/mpiexec")) else { return };
    let place = Place::new();
    fs::write(place.path("hosts.txt"), "# three nodes\nn1:8\nn2:8\nn3:8\n").unwrap();
    let clients = "[clients]\nhostfile = \"hosts.txt\"\nexclude = [\"n2\"]\nsimulated = true\n";
    // The launcher starts local processes for all nodes, so any name of a node works.
    let launch =
        format!("[launch]\nkind = \"mpich\"\nprogram = {mpiexec:?}\noptions = [\"-launcher\", \"fork\"]\n");
    plan(&place, &format!("{clients}{launch}"), "nodes = 2\nppn = 2");
    place.campaign().ok();
    assert_eq!(argv(&place), "-n 4 -ppn 2 -hosts n1,n3 -launcher fork");
    assert_eq!(place.outcomes(), ["W PASS"]);
    let campaign = json(&place.folder().join("campaign.json"));
    assert_eq!((&campaign["hosts"][1], &campaign["exclude"][0]), (&"n2".into(), &"n2".into()));

    let three = Place::new();
    fs::copy(place.path("hosts.txt"), three.path("hosts.txt")).unwrap();
    plan(&three, &format!("{clients}{launch}"), "nodes = 3");
    let ran = three.campaign();
    let line = "assay: W needs 3 nodes, but clients.hostfile hosts.txt has 2 (without the 1 node in \
                clients.exclude). Request more nodes, or select other tests with --only.\n";
    assert_eq!((ran.status, ran.err.as_str()), (Some(2), line), "{ran:#?}");
    fs::remove_file(three.path("hosts.txt")).unwrap();
    let ran = three.campaign();
    assert!(
        ran.status == Some(2) && ran.err.starts_with("assay: clients.hostfile hosts.txt: No such"),
        "{ran:#?}"
    );
}

#[test]
fn invented_names_of_nodes_are_not_nodes_even_with_host_names_of_their_own() {
    let Some(mpiexec) = wheel().map(|wheel| wheel.join("bin/mpiexec")) else { return };
    let fork = format!("program = {mpiexec:?}\noptions = [\"-launcher\", \"fork\"]\n");
    let named = |host: &str, before: &str| {
        let place = Place::new();
        fs::write(place.path("hosts.txt"), "n1:8\nn2:8\n").unwrap();
        let clients = format!("[clients]\nhostfile = \"hosts.txt\"\n{host}");
        plan(&place, &format!("{clients}[launch]\nkind = \"mpich\"\n{fork}{before}"), "nodes = 2");
        let ran = place.assay("run p.toml --dir dir --no-probe");
        (place, ran)
    };
    let (place, ran) = named("", "");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let (outcome, why) = reason(&place);
    assert_eq!((outcome.as_str(), &why["code"]), ("INVALID", &"shared-kernel".into()), "{why}");
    assert_eq!((&why["data"]["nodes"], &why["data"]["kernels"]), (&2.into(), &1.into()), "{why}");

    // A plan that simulates nodes passes, and its first page says so.
    let (place, ran) = named("simulated = true\n", "");
    let page = ran.ok().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("they had 1 kernel (clients.simulated)"), "{page}");
    assert_eq!(place.outcomes(), ["W PASS"]);
    let summary = json(&place.folder().join("summary.json"));
    assert!(codes_of(&summary["findings"]).contains(&"simulated-nodes"), "{summary:#}");

    if !may_mount_alone(&place.dir()) {
        return;
    }
    // Each rank also has a host name of its own.
    let script = place.path("uts.sh");
    fs::write(
        &script,
        "program=$1; shift\nexec unshare --uts sh -c 'hostname \"fake$$\"; exec \"$@\"' sh \\\n  \
                        \"$program\" \"$@\"\n",
    )
    .unwrap();
    let uts = Place::new();
    fs::write(uts.path("hosts.txt"), "n1:8\nn2:8\n").unwrap();
    let launch = format!(
        "[clients]\nhostfile = \"hosts.txt\"\n[launch]\nkind = \"mpirun\"\nargv = [{mpiexec:?}, \
         \"-launcher\", \"fork\", \"-hosts\", \"{{hosts}}\", \"-n\", \"{{ranks}}\", \"sh\", {script:?}, \
         \"{{cmd}}\"]\n"
    );
    plan(&uts, &launch, "nodes = 2");
    uts.campaign();
    let (outcome, why) = reason(&uts);
    assert_eq!((outcome.as_str(), &why["code"]), ("INVALID", &"shared-kernel".into()), "{why}");
}

#[test]
fn a_job_on_one_node_instead_of_two_is_invalid() {
    if !there("mpirun.openmpi") {
        return;
    }
    let place = Place::new();
    let launch = "[launch]\nkind = \"mpirun\"\n\
                  argv = [\"mpirun.openmpi\", \"--allow-run-as-root\", \"--oversubscribe\", \"-n\", \
                  \"{ranks}\", \"{cmd}\"]\n";
    plan(&place, launch, "nodes = 2");
    let ran = place.assay("run p.toml --dir dir --no-probe");
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let (outcome, reason) = reason(&place);
    assert_eq!((outcome.as_str(), &reason["code"]), ("INVALID", &"nodes-differ".into()), "{reason}");
    assert_eq!((&reason["data"]["nodes"], &reason["data"]["planned"]), (&1.into(), &2.into()), "{reason}");
}

#[test]
fn open_mpi_starts_the_given_number_of_ranks_per_node() {
    if !there("mpirun.openmpi") {
        return;
    }
    let place = Place::new();
    let launch = "[launch]\nkind = \"openmpi\"\nprogram = \"mpirun.openmpi\"\n\
                  options = [\"--allow-run-as-root\", \"--oversubscribe\"]\n";
    plan(&place, launch, "nodes = 1\nppn = 3");
    place.campaign().ok();
    assert_eq!(argv(&place), "-n 3 --map-by ppr:3:node --allow-run-as-root --oversubscribe");
    assert_eq!(place.outcomes(), ["W PASS"]);
}

/// Runs the campaign without the variables that change how Open MPI starts, but with these ones. Its only
/// verdict is INVALID for this rejection, and `advice` is part of the printed sentence.
fn rejected_launch(place: &Place, variables: &[(&str, &str)], rejection: &str, advice: &str) {
    let mut command = place.command("run p.toml --dir dir --no-probe");
    for (name, _) in OPEN_MPI_AS_ROOT.iter().chain(&OVERSUBSCRIBE) {
        command.env_remove(name);
    }
    let ran = common::run(command.envs(variables.iter().copied()));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let (outcome, reason) = reason(place);
    assert_eq!((outcome.as_str(), &reason["code"]), ("INVALID", &"job-failed".into()), "{reason}");
    assert_eq!(reason["data"]["launch_rejected"], rejection, "{reason}");
    assert!(ran.out.split_whitespace().collect::<Vec<_>>().join(" ").contains(advice), "{ran:#?}");
}

/// The variables with which Open MPI starts more ranks than it has slots: up to release 4, and from 5 on.
const OVERSUBSCRIBE: [(&str, &str); 2] =
    [("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe")];

const OPEN_MPI: &str = "[launch]\nkind = \"openmpi\"\nprogram = \"mpirun.openmpi\"\n";

#[test]
fn more_ranks_than_slots_of_open_mpi_are_reported_with_the_variable_that_permits_them() {
    if !there("mpirun.openmpi") {
        return;
    }
    let place = Place::new();
    plan(&place, OPEN_MPI, "ranks = 4096");
    let advice = "Open MPI has fewer slots than ranks. Set OMPI_MCA_rmaps_base_oversubscribe=1";
    rejected_launch(&place, &OPEN_MPI_AS_ROOT, "slots", advice);

    let cores = std::thread::available_parallelism().unwrap();
    let place = Place::new();
    plan(&place, OPEN_MPI, &format!("ranks = {}", cores.get() + 1));
    let mut command = place.command("run p.toml --dir dir");
    common::run(command.envs(OPEN_MPI_AS_ROOT).envs(OVERSUBSCRIBE)).ok();
    assert_eq!(place.outcomes(), ["W PASS"]);
}

#[test]
fn root_without_the_variables_of_open_mpi_is_reported_with_them() {
    if !there("mpirun.openmpi") {
        return;
    }
    if !rustix::process::geteuid().is_root() {
        skipped("Open MPI rejects root only");
        return;
    }
    let place = Place::new();
    plan(&place, OPEN_MPI, "ranks = 1");
    rejected_launch(&place, &[], "root", "Open MPI does not start as root. Set OMPI_ALLOW_RUN_AS_ROOT=1");
}

#[test]
fn a_missing_launcher_is_reported_before_any_file_is_created() {
    let place = Place::new();
    plan(&place, "[launch]\nkind = \"flux\"\nprogram = \"no-such-flux\"\n", "ranks = 2");
    let ran = place.campaign();
    assert_eq!(
        (ran.status, ran.err.as_str()),
        (
            Some(2),
            "assay: launch.kind `flux` starts jobs with `no-such-flux`, but there is no such program on the \
             PATH. Load its module, or give its path in the plan.\n"
        ),
        "{ran:#?}"
    );
    assert!(common::campaign::names(&place.dir()).is_empty(), "no file is created");
}

#[test]
fn submit_needs_a_known_batch_system() {
    let place = Place::new();
    plan(&place, "", "ranks = 2");
    let rejected = |words: &str, line: &str| {
        let ran = common::run(place.command(words).env("PATH", "/nonexistent"));
        assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
        assert!(ran.err.starts_with(line), "{ran:#?}");
    };
    let run = "run p.toml --dir dir";
    rejected(&format!("{run} --submit"), "assay: launch.kind `local` does not decide the batch system. Give");
    rejected(&format!("{run} --submit=lsf"), "assay: unknown batch system `lsf`. Known: flux, pbs, slurm.");
    rejected(
        &format!("{run} --submit=slurm"),
        "assay: sbatch: No such file or directory (os error 2). Submit on a node with Slurm",
    );
    rejected("run --wait dir", "assay: dir was not submitted, so it has no batch job to wait for");
    let alone = place.assay(&format!("{run} --batch -A"));
    assert_eq!(alone.status, Some(2), "{alone:#?}");
    assert!(alone.err.contains("--submit[=<SYSTEM>]"), "{alone:#?}");
}
