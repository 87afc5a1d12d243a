//! The script of every batch system, and the states that each reports.

use super::*;
use plan::schedule;

fn request(nodes: Option<u32>, exclude: &[&str]) -> Request {
    Request {
        name: "assay-acme-phase1".into(),
        nodes,
        ranks: 4,
        exclude: exclude.iter().map(|name| (*name).to_owned()).collect(),
        seconds: 3661,
        out: "/w/c.batch/out.txt".into(),
        cwd: "/home/o'hara".into(),
        command: ["/bin/assay", "run", "my plan.toml"].map(str::to_owned).to_vec(),
    }
}

const END: &str = "cd '/home/o'\\''hara' || exit 2\nexec /bin/assay run 'my plan.toml'\n";

#[test]
fn every_batch_system_gets_its_script() {
    assert!(SYSTEMS.iter().map(|system| system.name).is_sorted(), "keep the table in order");
    for (word, nodes, exclude, lines) in [
        (
            "slurm",
            Some(3),
            &["n7", "n9"][..],
            "#SBATCH --job-name=assay-acme-phase1\n#SBATCH --output=/w/c.batch/out.txt\n#SBATCH \
             --open-mode=append\n\
             #SBATCH --nodes=3\n#SBATCH --ntasks-per-node=4\n#SBATCH --exclusive\n#SBATCH --exclude=n7,n9\n\
             #SBATCH --time=62\n#SBATCH --signal=B:TERM@120\n#SBATCH --no-kill\n#SBATCH --requeue\n",
        ),
        (
            "slurm",
            None,
            &[],
            "#SBATCH --job-name=assay-acme-phase1\n#SBATCH --output=/w/c.batch/out.txt\n#SBATCH \
             --open-mode=append\n\
             #SBATCH --ntasks=4\n#SBATCH --time=62\n#SBATCH --signal=B:TERM@120\n#SBATCH --no-kill\n\
             #SBATCH --requeue\n",
        ),
        (
            "pbs",
            Some(3),
            &["n7"],
            "#PBS -N assay-acme-phas\n#PBS -o /w/c.batch/out.txt\n#PBS -j oe\n#PBS -l select=4:mpiprocs=4\n\
             #PBS -l place=scatter:excl\n#PBS -l walltime=01:02:00\n#PBS -r y\n#PBS -V\n",
        ),
        (
            "pbs",
            None,
            &[],
            "#PBS -N assay-acme-phas\n#PBS -o /w/c.batch/out.txt\n#PBS -j oe\n#PBS -l select=4:mpiprocs=1\n\
             #PBS -l place=free\n#PBS -l walltime=01:02:00\n#PBS -r y\n#PBS -V\n",
        ),
        (
            "flux",
            Some(3),
            &["n7"],
            "#flux: --job-name=assay-acme-phase1\n#flux: --output=/w/c.batch/out.txt\n#flux: --nodes=3\n\
             #flux: --exclusive\n#flux: --requires=-host:n7\n#flux: --time-limit=62m\n#flux: \
             --signal=TERM@120\n",
        ),
        (
            "flux",
            None,
            &[],
            "#flux: --job-name=assay-acme-phase1\n#flux: --output=/w/c.batch/out.txt\n#flux: --nslots=4\n\
             #flux: --time-limit=62m\n#flux: --signal=TERM@120\n",
        ),
    ] {
        let script = BatchSystem::of(word).unwrap().script(&request(nodes, exclude)).unwrap();
        assert_eq!(script, format!("#!/bin/sh\n{lines}{END}"), "{word}");
    }
}

#[test]
fn no_name_adds_a_line_to_a_script() {
    let name = "c\ntouch /tmp/executed\n";
    for system in SYSTEMS {
        for part in ["folder", "directory", "command", "plan", "host"] {
            let mut request = request(Some(3), &[]);
            match part {
                "folder" => request.out = format!("/w/{name}.batch/out.txt"),
                "directory" => request.cwd = format!("/w/{name}"),
                "command" => request.command.push(name.to_owned()),
                "plan" => request.name = format!("assay-{name}"),
                _ => request.exclude.push(name.to_owned()),
            }
            match system.script(&request) {
                Err(Usage(why)) => assert!(why.contains("c\\ntouch"), "{part}: {why}"),
                // PBS has no lines with names of hosts.
                Ok(script) => assert!(part == "host" && !script.contains("touch"), "{part}: {script}"),
            }
        }
    }
}

#[test]
fn the_states_of_every_batch_system_are_known() {
    for (word, answer, wanted) in [
        ("slurm", "PENDING\n", Some((BatchJobState::Waits, "PENDING"))),
        ("slurm", "RUNNING\n", Some((BatchJobState::Runs, "RUNNING"))),
        ("slurm", "CANCELLED by 0\n", Some((BatchJobState::Ended, "CANCELLED"))),
        ("slurm", "", None),
        ("pbs", "Job Id: 7.srv\n    Job_Name = x\n    job_state = R\n", Some((BatchJobState::Runs, "R"))),
        ("pbs", "Job Id: 7.srv\n    job_state = F\n    Exit_status = 0\n", Some((BatchJobState::Ended, "F"))),
        ("pbs", "qstat: Unknown Job Id 7.srv\n", None),
        ("flux", "SCHED\n", Some((BatchJobState::Waits, "SCHED"))),
        ("flux", "INACTIVE\n", Some((BatchJobState::Ended, "INACTIVE"))),
    ] {
        let state = BatchSystem::of(word).unwrap().state(answer);
        assert_eq!(state, wanted.map(|(state, word)| (state, word.to_owned())), "{word}: {answer}");
    }
    let unknown = BatchSystem::of("lsf").unwrap_err().0;
    assert_eq!(unknown, "unknown batch system `lsf`. Known: flux, pbs, slurm.");
}

#[test]
fn a_job_is_unknown_only_if_the_batch_system_reports_that() {
    for unknown in [
        "slurm_load_jobs error: Invalid job id specified",
        "qstat: Unknown Job Id 7.srv",
        "qstat: 7.srv unknown job id",
        "flux-jobs: ERROR: JobID f7 unknown",
    ] {
        assert!(BatchSystem::is_unknown_job(false, "", unknown), "{unknown}");
    }
    assert!(BatchSystem::is_unknown_job(true, "\n", ""), "an empty answer");
    for other in [
        "",
        "slurm_load_jobs error: Socket timed out on send/recv operation",
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
        "slurm_load_jobs error: Zero Bytes were transmitted or received",
        "Cannot connect to default server host 'srv'",
        "flux-jobs: ERROR: broker: Connection reset by peer",
    ] {
        assert!(!BatchSystem::is_unknown_job(false, "", other), "{other}");
    }
    assert!(!BatchSystem::is_unknown_job(true, "", "squeue: error: it is late"));
}

#[test]
fn a_script_is_submitted_with_the_users_options_and_the_job_number_is_read() {
    let words = ["-A", "acc"].map(str::to_owned);
    let slurm = BatchSystem::of("slurm").unwrap();
    assert_eq!(slurm.submitting(&words, "s.sh"), ["sbatch", "--parsable", "-A", "acc", "s.sh"]);
    assert_eq!(slurm.submitted("123;big\n").unwrap(), "123");
    assert_eq!(slurm.submitted("sbatch: error: no\n"), None);
    assert_eq!(BatchSystem::of("pbs").unwrap().submitted("9.srv\n").unwrap(), "9.srv");
    let asked = slurm.asking("123");
    assert_eq!(asked[0].join(" "), "squeue -h -t all -j 123 -o %T");
    let flux = BatchSystem::of("flux").unwrap().asking("f7");
    assert_eq!(flux, [["flux", "jobs", "-n", "-o", "{state}", "f7"]]);
}

#[test]
fn a_request_has_space_for_every_job_and_the_sum_of_their_time_limits() {
    let size = |kind: &str, tests: &str| {
        let text = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/d\" }}\nlaunch.kind \
             = \"{kind}\"\n\
             defaults.timeout = \"10 min\"\n{tests}"
        );
        let plan = Plan::parse(&text, "p.toml").unwrap();
        let request = Request::of(&plan, &schedule::jobs(&plan, &[]).unwrap());
        (request.nodes, request.ranks, request.seconds, request.description())
    };
    let test = |id: &str, keys: &str| {
        format!("[[test]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n")
    };
    let steps = test("A", "nodes = { steps = [1, 2, 4] }\nppn = 3") + &test("B", "ranks = 17");
    assert_eq!(size("srun", &steps), (Some(4), 5, 4 * 600 + 300, "4 nodes for at most 45 min".to_owned()));
    assert_eq!(size("local", &steps).0, Some(1));
    assert_eq!(size("local", &steps).1, 1, "the ranks are threads of one process");
    let free = size("openmpi", &test("B", "ranks = 17"));
    assert_eq!((free.0, free.1, free.3), (None, 17, "17 ranks for at most 15 min".to_owned()));
    let group = |ranks: [&str; 3]| {
        let part = |(at, keys): (usize, &str)| {
            format!("[[group.parts]]\nid = \"p{at}\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n")
        };
        let parts: String = ranks.into_iter().enumerate().map(part).collect();
        let asked = size("openmpi", &format!("[[group]]\nid = \"G\"\n{parts}"));
        (asked.0, asked.1)
    };
    assert_eq!(group(["ranks = 17", "ranks = 4", "ranks = 2"]), (None, 23), "all of them run at once");
    let by_nodes = ["ranks = 3", "nodes = 2\nppn = 4", "nodes = 1\nppn = 2"];
    for turn in 0..3 {
        let mut parts = by_nodes;
        parts.rotate_left(turn);
        assert_eq!(group(parts), (Some(4), 4), "{parts:?}");
    }
}
