//! Campaigns with external programs under launchers of MPI.

use std::fs;

use crate::common::campaign::{Place, json, there};
use crate::common::{self, OPEN_MPI_AS_ROOT, by_set};

/// A launch table of each kind whose launcher is installed.
fn launchers() -> Vec<(&'static str, String)> {
    let open = "options = [\"--allow-run-as-root\", \"--oversubscribe\"]";
    let all = [
        ("mpirun.openmpi", format!("kind = \"openmpi\"\nprogram = \"mpirun.openmpi\"\n{open}\n")),
        (
            "mpirun.openmpi",
            "kind = \"mpirun\"\nargv = [\"mpirun.openmpi\", \"--allow-run-as-root\", \"--oversubscribe\", \
             \"-n\", \"{ranks}\", \"{cmd}\"]\n"
                .to_owned(),
        ),
        ("mpirun.mpich", "kind = \"mpich\"\nprogram = \"mpirun.mpich\"\n".to_owned()),
        (
            "mpirun.mpich",
            "kind = \"mpirun\"\nargv = [\"mpirun.mpich\", \"-n\", \"{ranks}\", \"{cmd}\"]\n".to_owned(),
        ),
    ];
    // The default set has one kind of each launcher.
    all.into_iter().step_by(by_set(3, 1)).filter(|(program, _)| there(program)).collect()
}

/// Runs a plan with this launch table, these defaults and these tests.
fn campaign(launch: &str, defaults: &str, tests: &str) -> Place {
    campaign_without(None, launch, defaults, tests)
}

/// The same without a variable of this process.
fn campaign_without(variable: Option<&str>, launch: &str, defaults: &str, tests: &str) -> Place {
    let place = Place::new();
    let plan = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\" }}\n\
         parameters.seconds = \"0.3\"\n[clients]\nsimulated = true\n[defaults]\ntimeout = \"60 s\"\n\
         {defaults}[launch]\n{launch}{tests}"
    );
    fs::write(place.path("p.toml"), plan).unwrap();
    let mut command = place.command("run p.toml --dir dir");
    variable.into_iter().for_each(|name| {
        command.env_remove(name);
    });
    let ran = common::run(command.envs(OPEN_MPI_AS_ROOT));
    assert!(ran.passed(), "{launch}{defaults}{tests}{ran:#?}");
    place
}

/// An external program that prints a rate on each of its ranks.
const APP: &str = "app = { argv = [\"sh\", \"-c\", \"sleep ${seconds}; echo rate 2\"], \
                   metrics = { \"step.bw\" = { line = \"^rate ([0-9.]+)\", unit = \"GB/s\", \
                   pick = \"min\" } } }\n\
                   criterion = { metric = \"step.bw\", op = \">=\", value = \"1 GB/s\" }\n";

#[test]
fn an_external_program_with_nodes_or_ranks_passes_under_every_launcher() {
    for (program, launch) in launchers() {
        let tests: String = ["nodes = 1", "nodes = 1\nppn = 2", "ranks = 2", "ranks = 2\nppn = 2"]
            .iter()
            .enumerate()
            .map(|(at, keys)| format!("[[test]]\nid = \"T{at}\"\n{keys}\n{APP}"))
            .collect();
        let place = campaign(&launch, "", &tests);
        assert_eq!(place.outcomes(), ["T0 PASS", "T1 PASS", "T2 PASS", "T3 PASS"], "{program}");
    }
}

#[test]
fn the_ranks_of_a_probe_do_not_end_before_hydra_has_passed_on_the_end_of_its_input() {
    if !there("mpirun.mpich") || !there("strace") {
        return;
    }
    // Hydra acts 0.3 s after each event, as on a busy machine.
    let late = "kind = \"mpirun\"\nargv = [\"strace\", \"-o\", \"/dev/null\", \"-e\", \"trace=poll\", \
                \"-e\", \"inject=poll:delay_enter=300000\", \
                \"mpirun.mpich\", \"-n\", \"{ranks}\", \"{cmd}\"]\n";
    let test = format!("[[test]]\nid = \"T\"\nranks = 1\n{}", APP.replace("${seconds}", "1"));
    assert_eq!(campaign(late, "", &test).outcomes(), ["T PASS"]);
}

#[test]
fn the_process_whose_end_is_reported_first_is_a_fact_of_a_job_under_hydra() {
    if !there("mpirun.mpich") {
        return;
    }
    let place = Place::new();
    // Hydra reports no process that ends while it still starts the others. So rank 1 waits for rank 0, then
    // for Hydra.
    let begun = place.path("begun").display().to_string();
    let waits = format!("until [ -e {begun} ]; do sleep 0.1; done; sleep 0.5");
    let act = format!("if [ $PMI_RANK = 0 ]; then : > {begun}; else {waits}; kill -9 $$; fi; sleep 5");
    let dies = APP.replace("sleep ${seconds}", &act);
    fs::write(
        place.path("p.toml"),
        format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"{{dir}}\" }}\n\
             [clients]\nsimulated = true\n[launch]\nkind = \"mpich\"\nprogram = \"mpirun.mpich\"\nprobe = \
             false\n[[test]]\nid = \"T\"\nranks = 2\ntimeout = \"60 s\"\n{dies}"
        ),
    )
    .unwrap();
    let ran = place.campaign();
    let jobs = place.folder().join("jobs");
    let job = json(&fs::read_dir(jobs).unwrap().next().unwrap().unwrap().path().join("job.json"));
    let dead = &job["dead_process"];
    assert!(dead["signal"] == 9 && dead["pid"].as_u64() > Some(1), "{job:#}");
    assert!(!dead["node"].as_str().unwrap().is_empty(), "{job:#}");
    // The report may break a sentence anywhere.
    let words = ran.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let first = format!("The launcher first reported the end of process {} on ", dead["pid"]);
    assert!(words.contains(&first) && words.contains("Signal 9 ended it."), "{ran:#?}");
}

#[test]
fn an_external_program_starts_as_one_process_also_if_the_defaults_have_ranks_per_node() {
    for (program, launch) in launchers() {
        let tests: String = ["ranks = 1", "nodes = 1\nppn = 1", "ranks = 1\nppn = 1", "nodes = 1"]
            .iter()
            .enumerate()
            .map(|(at, keys)| format!("[[test]]\nid = \"T{at}\"\n{keys}\n{APP}"))
            .collect();
        let place = campaign(&launch, "ppn = 2\n", &tests);
        assert_eq!(place.outcomes(), ["T0 PASS", "T1 PASS", "T2 PASS", "T3 PASS"], "{program}");
        let printed = |test: &str, number: u32| {
            let path = place.folder().join(format!("jobs/000{number}-{test}-r1/stdout.txt"));
            fs::read_to_string(path).unwrap().lines().count()
        };
        assert_eq!([printed("T0", 1), printed("T1", 2), printed("T2", 3), printed("T3", 4)], [1, 1, 1, 2]);
    }
}

#[test]
fn an_external_program_and_ior_run_at_the_same_time_on_their_nodes() {
    for (program, launch) in launchers() {
        let tests = format!(
            "[[group]]\nid = \"LOAD\"\noverlap = \"1%\"\n[[group.parts]]\nid = \"app\"\nnodes = 1\n{APP}\
             [[group.parts]]\nid = \"ior\"\nnodes = 1\nppn = 2\nrole = \"reported\"\n\
             ior = \"-w -Y -F -t 64k -b 1m -O minTimeDuration=3\"\n"
        )
        .replace("${seconds}", "4");
        // A directory that the user chose would be used instead.
        let place = campaign_without(Some("OMPI_MCA_orte_tmpdir_base"), &launch, "", &tests);
        assert_eq!(place.outcomes(), ["LOAD.app PASS"], "{program}");
    }
}

#[test]
fn concurrent_jobs_of_open_mpi_have_session_directories_of_their_own_which_disappear() {
    if !there("mpirun.openmpi") {
        return;
    }
    let show = "echo rate 2; echo base=$OMPI_MCA_orte_tmpdir_base tmp=$TMPDIR; \
                ls -d $OMPI_MCA_orte_tmpdir_base/ompi*; sleep 2";
    let app = APP.replace("sleep ${seconds}; echo rate 2", show);
    let part = |id: &str| format!("[[group.parts]]\nid = \"{id}\"\nranks = 1\n{app}");
    let tests = format!("[[group]]\nid = \"G\"\noverlap = \"1%\"\n{}{}", part("a"), part("b"));
    let launch = "kind = \"openmpi\"\nprogram = \"mpirun.openmpi\"\n\
                  options = [\"--oversubscribe\"]\nenv = { TMPDIR = \"/tmp\" }\n";
    // A directory that the user chose would be used instead.
    let place = campaign_without(Some("OMPI_MCA_orte_tmpdir_base"), launch, "", &tests);
    let printed = ["0001-G.a-r1", "0002-G.b-r1"].map(|job| {
        let text = fs::read_to_string(place.folder().join("jobs").join(job).join("stdout.txt")).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("base=")).map(str::to_owned);
        let (base, tmp) = line.as_deref().unwrap().split_once(" tmp=").unwrap();
        assert_eq!(tmp, "/tmp", "the ranks keep TMPDIR");
        assert!(text.contains(&format!("{base}/ompi.")), "the session is there: {text}");
        base.to_owned()
    });
    assert_ne!(printed[0], printed[1]);
    for base in &printed {
        assert!(base.starts_with("/tmp/assay-") && !fs::exists(base).unwrap(), "{base}");
    }
}

#[test]
fn a_rate_that_a_program_prints_to_standard_error_is_read_and_verified() {
    for (program, launch) in launchers() {
        let app = APP
            .replace("; echo rate 2", "; echo rate 2 >&2")
            .replace("pick =", "stream = \"stderr\", pick =");
        let place = campaign(&launch, "", &format!("[[test]]\nid = \"T\"\nranks = 1\n{app}"));
        assert_eq!(place.outcomes(), ["T PASS"], "{program}");
        let folder = place.folder();
        let file = folder.join("jobs/0001-T-r1/records.jsonl");
        let records = fs::read_to_string(&file).unwrap().replace("2000000000", "3000000000");
        fs::write(&file, records).unwrap();
        let judged = place.assay(&format!("judge {}", folder.display()));
        assert_ne!(judged.status, Some(0), "{judged:#?}");
    }
}

#[test]
fn a_program_without_mpi_is_started_locally_in_a_plan_with_a_launcher() {
    for (program, launch) in launchers() {
        let tests = format!(
            "[[test]]\nid = \"L\"\nranks = 1\nlaunch = {{ kind = \"local\", env = {{ OWN = \"5\" }} }}\n{}\
             [[test]]\nid = \"M\"\nranks = 2\n{APP}",
            APP.replace("echo rate 2", "echo rate $OWN"),
        );
        let place = campaign(&launch, "ppn = 2\n", &tests);
        assert_eq!(place.outcomes(), ["L PASS", "M PASS"], "{program}");
        let argv = |job: &str| json(&place.folder().join("jobs").join(job).join("job.json"))["argv"].clone();
        assert_eq!(argv("0001-L-r1")[0], "sh", "{program}");
        assert!(argv("0002-M-r1")[0].as_str().unwrap().contains("mpirun"), "{program}");
        let judged = place.assay(&format!("judge {}", place.folder().display()));
        assert!(judged.passed(), "{judged:#?}");
    }
}
