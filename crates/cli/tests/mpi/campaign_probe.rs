//! Probes of the launcher before the first job: a mistake of the launch costs one probe and one sentence.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::campaign::{Place, json, names, skipped, there};
use crate::common::{self, OPEN_MPI_AS_ROOT, Ran};

const OPEN_MPI: &str = "kind = \"openmpi\"\nprogram = \"mpirun.openmpi\"\noptions = [\"--oversubscribe\"]\n";
const MPICH: &str = "kind = \"mpich\"\nprogram = \"mpirun.mpich\"\n";

/// Writes a plan with two tests of two ranks and one of three ranks, and this launch table.
fn plan(place: &Place, launch: &str) {
    let test = |id: &str, ranks: u32| {
        format!(
            "[[test]]\nid = \"{id}\"\nranks = {ranks}\nior = \"-w -e -F -t 64k -b 64k\"\n\
             repetitions = 2\n\
             criterion = {{ metric = \"write.bw\", stat = \"max\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let tests = [test("A", 2), test("B", 2), test("C", 3)].concat();
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                defaults.timeout = \"60 s\"\n";
    fs::write(place.path("p.toml"), format!("{head}[launch]\n{launch}{tests}")).unwrap();
}

/// Runs the command without the variables that change how Open MPI starts, except these.
fn run_with(mut command: Command, variables: &[(&str, &str)]) -> Ran {
    for (name, _) in &OPEN_MPI_AS_ROOT {
        command.env_remove(name);
    }
    command.env_remove("OMPI_MCA_rmaps_base_oversubscribe");
    common::run(command.envs(variables.iter().copied()))
}

fn campaign(place: &Place, variables: &[(&str, &str)]) -> Ran {
    run_with(place.command("run p.toml --dir dir --campaigns ."), variables)
}

/// The folder of the only campaign.
fn folder(place: &Place) -> std::path::PathBuf {
    let folders: Vec<String> =
        names(&place.path("")).into_iter().filter(|n| n.starts_with("assay-p-")).collect();
    assert_eq!(folders.len(), 1, "{folders:?}");
    place.path(&folders[0])
}

fn jobs(folder: &Path) -> Vec<String> {
    names(&folder.join("jobs"))
}

/// Asserts that the campaign ended with one probe and no job, with this exit status and these words.
fn ends_with_the_probe(place: &Place, ran: &Ran, status: i32, words: &[&str]) {
    assert_eq!(ran.status, Some(status), "{ran:#?}");
    let shown = ran.err.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(shown.contains(word), "{word}: {ran:#?}");
    }
    assert!(ran.out.is_empty(), "{ran:#?}");
    assert_eq!(jobs(&folder(place)), ["probe-1"], "{ran:#?}");
    let verified = place.assay(&format!("verify {}", folder(place).display()));
    assert_eq!(verified.status, Some(0), "{verified:#?}");
}

#[test]
fn a_rejection_of_root_costs_one_probe_and_the_folder_resumes_after_the_correction() {
    if !there("mpirun.openmpi") {
        return;
    }
    if !common::is_root() {
        skipped("Open MPI rejects root only");
        return;
    }
    let place = Place::new();
    plan(&place, OPEN_MPI);
    let ran = campaign(&place, &[]);
    let words = [
        "Open MPI does not start as root. Set OMPI_ALLOW_RUN_AS_ROOT=1",
        "assay: correct what is outside the plan, such as environment variables, modules, nodes or the \
         allocation. Then resume with: assay run --resume",
        "A changed plan, also its [launch], needs a new campaign",
    ];
    ends_with_the_probe(&place, &ran, 2, &words);

    let at = folder(&place);
    run_with(place.command(&format!("run --resume {}", at.display())), &OPEN_MPI_AS_ROOT).ok();
    // Two and three ranks are two ways to start ranks. The failed probe stays in the evidence.
    let probes: Vec<String> = jobs(&at).into_iter().filter(|job| job.starts_with("probe-")).collect();
    assert_eq!(probes, ["probe-1", "probe-2", "probe-3"]);
    let of_plan = jobs(&at).len() - probes.len();
    assert_eq!((of_plan, place.whole_jobs(&at)), (6, 6), "a probe is not a job of the plan");
    let verdicts = json(&at.join("verdicts.json"));
    assert!(verdicts.as_array().unwrap().iter().all(|one| one["outcome"] == "PASS"), "{verdicts:#}");
    let summary = fs::read_to_string(at.join("summary.json")).unwrap_or_default();
    assert!(!summary.contains("probe-"), "not a killed attempt: {summary}");
    let page = fs::read_to_string(at.join("report.html")).unwrap();
    assert!(page.contains("Probes of the launcher") && page.contains("probe-2&#x2f;job.json"));
    assert!(names(&place.dir()).is_empty(), "nothing is left in the directory under test");
}

#[test]
fn too_few_slots_an_unknown_option_and_a_missing_program_of_open_mpi_are_one_sentence_each() {
    if !there("mpirun.openmpi") {
        return;
    }
    let without = "kind = \"openmpi\"\nprogram = \"mpirun.openmpi\"\n";
    let place = Place::new();
    plan(&place, without);
    let text = fs::read_to_string(place.path("p.toml")).unwrap().replace("ranks = 2", "ranks = 4096");
    fs::write(place.path("p.toml"), text).unwrap();
    let ran = campaign(&place, &OPEN_MPI_AS_ROOT);
    ends_with_the_probe(&place, &ran, 2, &["Open MPI has fewer slots than ranks."]);

    let option = Place::new();
    plan(&option, &OPEN_MPI.replace("--oversubscribe", "--oversubscribed"));
    let words = [
        "The launcher does not know an option. Correct `options`",
        "unknown option \"--oversubscribed\"",
        "assay: correct the plan, also its [launch], only in a new campaign. If the plan is right, correct \
         what is outside the plan",
    ];
    ends_with_the_probe(&option, &campaign(&option, &OPEN_MPI_AS_ROOT), 2, &words);

    let program = Place::new();
    plan(
        &program,
        "kind = \"mpirun\"\nargv = [\"mpirun.openmpi\", \"-n\", \"{ranks}\", \"--oversubscribe\", \
         \"/no/such/wrapper\", \"{cmd}\"]\n",
    );
    let words = ["The launcher does not find a program."];
    ends_with_the_probe(&program, &campaign(&program, &OPEN_MPI_AS_ROOT), 2, &words);
}

#[test]
fn mistakes_under_mpich_are_one_sentence_each() {
    if !there("mpirun.mpich") {
        return;
    }
    for (launch, variables, words) in [
        (format!("{MPICH}options = [\"-bogus\"]\n"), vec![], "The launcher does not know an option."),
        (
            "kind = \"mpirun\"\nargv = [\"mpirun.mpich\", \"-n\", \"{ranks}\", \"/no/such/wrapper\", \
             \"{cmd}\"]\n"
                .to_owned(),
            vec![],
            "The launcher does not find a program.",
        ),
        (
            MPICH.to_owned(),
            vec![("ASSAY_MPI_LIBRARY", "/no/such/library")],
            "The ranks do not find the MPI library of their launcher.",
        ),
    ] {
        let place = Place::new();
        plan(&place, &launch);
        ends_with_the_probe(&place, &campaign(&place, &variables), 2, &[words]);
    }
}

#[test]
fn ranks_on_another_number_of_nodes_are_found_by_the_probe() {
    if !there("mpirun.mpich") {
        return;
    }
    let place = Place::new();
    plan(&place, "kind = \"mpirun\"\nargv = [\"mpirun.mpich\", \"-n\", \"{ranks}\", \"{cmd}\"]\n");
    let text =
        fs::read_to_string(place.path("p.toml")).unwrap().replace("ranks = 2\n", "ranks = 2\nnodes = 2\n");
    fs::write(place.path("p.toml"), text).unwrap();
    let words = ["The probe of 2 ranks ran on 1 node instead of 2."];
    ends_with_the_probe(&place, &campaign(&place, &[]), 2, &words);
}

#[test]
fn a_probe_can_be_left_out_by_the_plan_or_the_user() {
    if !there("mpirun.mpich") {
        return;
    }
    let place = Place::new();
    plan(&place, MPICH);
    campaign(&place, &[]).ok();
    assert_eq!(jobs(&folder(&place)).len(), 6 + 2, "one probe of two ranks and one of three");

    let by_user = Place::new();
    plan(&by_user, MPICH);
    run_with(by_user.command("run p.toml --dir dir --campaigns . --no-probe"), &[]).ok();
    assert_eq!(jobs(&folder(&by_user)).len(), 6);

    let by_plan = Place::new();
    plan(&by_plan, &format!("{MPICH}probe = false\n"));
    campaign(&by_plan, &[]).ok();
    assert_eq!(jobs(&folder(&by_plan)).len(), 6);
}

#[test]
fn a_resumed_campaign_probes_only_what_its_open_jobs_need() {
    if !there("mpirun.mpich") {
        return;
    }
    let place = Place::new();
    // The launcher fails while a file exists and three ranks are asked for.
    let script = place.path("launch.sh");
    let text = "ranks=$1; shift\nif [ -e \"$BROKEN\" ] && [ $ranks = 3 ]; then\n\
                echo 'no way' >&2; exit 7\nfi\n\
                exec mpirun.mpich -n \"$ranks\" \"$@\"\n";
    fs::write(&script, text).unwrap();
    let broken = place.path("broken");
    plan(
        &place,
        &format!(
            "kind = \"mpirun\"\nargv = [\"sh\", {script:?}, \"{{ranks}}\", \"{{cmd}}\"]\nenv = {{ BROKEN = \
             {broken:?} }}\n"
        ),
    );
    fs::write(&broken, "").unwrap();
    let ran = campaign(&place, &[]);
    // An unknown mistake is not known to be the user's.
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(ran.err.contains("The probe of 3 ranks ended with status 7. Error output: no way"), "{ran:#?}");
    let at = folder(&place);
    assert_eq!(jobs(&at), ["probe-1", "probe-2"]);
    fs::remove_file(&broken).unwrap();
    run_with(place.command(&format!("run --resume {}", at.display())), &[]).ok();
    assert_eq!(jobs(&at).iter().filter(|job| job.starts_with("probe-")).count(), 4);
}
