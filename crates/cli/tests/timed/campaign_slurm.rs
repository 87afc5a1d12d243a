//! Campaigns under a real Slurm: in an allocation, in a batch job, with nodes that fail or are excluded.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::campaign::{Place, json, until};
use crate::common::slurm::Slurm;
use crate::common::{self, Ran, run};

/// A launch table that starts the ranks with srun.
const SRUN: &str = "[launch]\nkind = \"srun\"\noptions = [\"--mpi=pmi2\"]\n";

/// A test with one repetition.
fn test(id: &str, keys: &str, ior: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\n{keys}\nior = \"-w -e -t 64k -b 128k {ior}\"\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
    )
}

/// Writes the plan `p.toml` with this number of delivered nodes.
fn plan(place: &Place, delivered: u32, rest: &str) {
    let head = "schema = 1\nplan = { id = \"p\", title = \"A plan of the tests\" }\n\
                fs.s = { dir = \"{dir}\" }\ndefaults = { timeout = \"60 s\" }\n";
    fs::write(
        place.path("p.toml"),
        format!("{head}clients.delivered = {delivered}\nclients.simulated = true\n{rest}"),
    )
    .unwrap();
}

/// Runs `assay WORDS` with the cluster, inside an allocation of `nodes` nodes if they are given.
fn assay(slurm: &Slurm, place: &Place, nodes: Option<u32>, words: &str) -> Ran {
    let mut command = match nodes {
        None => place.command(words),
        Some(nodes) => {
            let mut salloc = Command::new("salloc");
            salloc.args(["--quiet", "--exclusive", "-N", &nodes.to_string()]).current_dir(place.path(""));
            salloc.arg(common::program()).args(words.split_whitespace());
            salloc
        }
    };
    run(slurm.around(&mut command))
}

/// The folder of the only submitted campaign.
fn submitted(ran: &Ran) -> String {
    let line = ran
        .out
        .lines()
        .find(|line| line.starts_with("Result: "))
        .expect("a line with the folder of the result");
    line.split_whitespace().nth(4).unwrap().to_owned()
}

/// The number of the Slurm job in a text.
fn number(text: &str) -> u32 {
    let (_, rest) = text.split_once("Slurm job ").expect("a job of Slurm");
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

/// The text with that number replaced by `N`.
fn numbered(text: &str) -> String {
    text.replace(&number(text).to_string(), "N")
}

/// The arguments of a job's launcher.
fn argv(place: &Place, job: &str) -> String {
    let words = json(&place.folder().join("jobs").join(job).join("job.json"))["argv"].clone();
    let words: Vec<String> = serde_json::from_value(words).unwrap();
    words[..words.iter().position(|word| word.ends_with("assay")).unwrap()].join(" ")
}

#[test]
fn srun_starts_a_campaign_on_one_two_and_four_nodes_of_its_allocation() {
    let Some(slurm) = Slurm::start(4) else { return };
    let place = Place::new();
    // Not more than four ranks. The start of eight in MPICH 5.0.2 sometimes hangs on a machine with load.
    let tests = test("W", "nodes = { steps = [1, \"50%\"] }\nppn = 2", "-F")
        + &test("A", "nodes = \"100%\"\nppn = 1", "-F");
    plan(&place, 4, &format!("{SRUN}{tests}"));
    let ran = assay(&slurm, &place, Some(4), "run p.toml --dir dir");
    assert!(ran.passed(), "{ran:#?}");
    assert_eq!(place.outcomes(), ["W.n1 PASS", "W.n2 PASS", "A PASS"]);
    for (job, nodes, ppn) in [("0001-W.n1-r1", 1, 2), ("0002-W.n2-r1", 2, 2), ("0003-A-r1", 4, 1)] {
        let ranks = nodes * ppn;
        let count = format!("-N {nodes} -n {ranks} --ntasks-per-node={ppn}");
        let line = format!("srun --kill-on-bad-exit=1 --immediate=60 {count} --mpi=pmi2");
        assert_eq!(argv(&place, job), line);
        let records =
            fs::read_to_string(place.folder().join("jobs").join(job).join("records.jsonl")).unwrap();
        assert!(records.contains(&format!("\"ranks\":{ranks},\"nodes\":{nodes},")), "{records}");
    }
}

#[test]
fn a_plan_that_needs_more_nodes_than_its_allocation_is_rejected_before_the_start() {
    let Some(slurm) = Slurm::start(3) else { return };
    let place = Place::new();
    let tests = test("A", "nodes = 1", "") + &test("B", "nodes = 3", "");
    plan(&place, 3, &format!("{SRUN}{tests}"));
    let ran = assay(&slurm, &place, Some(2), "run p.toml --dir dir");
    let line = "assay: B needs 3 nodes, but Slurm job N has 2. Request more nodes, or select other tests \
         with --only.\n";
    assert_eq!((ran.status, numbered(&ran.err).as_str()), (Some(2), line), "{ran:#?}");
    assert_eq!(fs::read_dir(place.dir()).unwrap().count(), 0, "no file was created");
    let only = assay(&slurm, &place, Some(2), "run p.toml --dir dir --only A");
    assert!(only.err.contains("A"), "{only:#?}");
    assert_eq!(place.outcomes(), ["A PASS", "B NOT_RUN"]);
}

#[test]
fn an_excluded_node_runs_no_rank() {
    let Some(slurm) = Slurm::start(4) else { return };
    let place = Place::new();
    let clients = "clients.exclude = [\"node2\"]\n";
    let tests = test("A", "nodes = 3", "-Y -O minTimeDuration=3");
    plan(&place, 4, &format!("{clients}{SRUN}{tests}"));
    let check = assay(&slurm, &place, None, "plan check p.toml").ok();
    assert!(check.contains("by srun on at most 3 nodes, without node2\n"), "{check}");
    let mut command = Command::new("salloc");
    command.args(["--quiet", "--exclusive", "-N", "4"]).current_dir(place.path(""));
    command.arg(common::program()).args(["run", "p.toml", "--dir", "dir", "--campaigns", "dir"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = slurm.around(&mut command).spawn().unwrap();
    until("ranks on three nodes", || slurm.busy().len() == 3);
    assert_eq!(slurm.busy(), ["node1", "node3", "node4"]);
    // Findings of the small campaign stay open.
    assert!(matches!(child.wait().unwrap().code(), Some(0 | 3)));
    assert_eq!(place.outcomes(), ["A PASS"]);
    assert!(argv(&place, "0001-A-r1").contains("--exclude=node2"));
    assert_eq!(json(&place.folder().join("campaign.json"))["exclude"], serde_json::json!(["node2"]));
    let four = test("A", "nodes = 4", "");
    plan(&place, 4, &format!("{clients}{SRUN}{four}"));
    let ran = assay(&slurm, &place, Some(4), "run p.toml --dir dir");
    assert!(ran.err.contains("has 3 (without the 1 node in clients.exclude)"), "{ran:#?}");
}

#[test]
fn a_submitted_campaign_is_queued_runs_and_its_result_is_fetched() {
    let Some(slurm) = Slurm::start(2) else { return };
    let place = Place::new();
    plan(&place, 2, &format!("{SRUN}{}", test("A", "nodes = 2", "")));
    let ran = assay(&slurm, &place, None, "run --submit p.toml --dir dir --batch --hold");
    let begins = "Submitted as Slurm job N: 2 nodes for at most 6 min\n";
    assert!(numbered(&ran.out).starts_with(begins), "{ran:#?}");
    let job = number(&ran.out);
    let folder = submitted(&ran);
    let still = assay(&slurm, &place, None, &format!("run --resume {folder}"));
    let line = format!("assay: still queued as Slurm job {job} (PENDING)\n");
    assert_eq!((still.status, &still.err), (Some(3), &line), "{still:#?}");
    let twice = assay(&slurm, &place, None, &format!("run --submit --resume {folder}"));
    assert!(
        twice.status == Some(2) && twice.err.contains(&format!("is already in Slurm job {job}")),
        "{twice:#?}"
    );
    // A later change of the plan file has no effect.
    fs::write(place.path("p.toml"), "").unwrap();
    slurm.ask(&format!("scontrol release {job}"));
    let ended = assay(&slurm, &place, None, &format!("run --wait {folder}"));
    assert!(ended.passed(), "{ended:#?}");
    assert!(ended.out.contains("PASS"), "{ended:#?}");
    let again = assay(&slurm, &place, None, &format!("run --resume {folder}"));
    assert_eq!((again.status, &again.out), (ended.status, &ended.out), "{again:#?}");
    let script = json(&std::path::Path::new(&folder).join("campaign.json"))["batch_script"].clone();
    assert!(
        script.as_str().unwrap().contains("#SBATCH --nodes=2\n"),
        "the batch script is evidence: {script}"
    );
    assay(&slurm, &place, None, &format!("verify {folder}")).ok();
}

#[test]
fn a_node_that_fails_makes_one_attempt_invalid_and_no_other() {
    let Some(mut slurm) = Slurm::start(4) else { return };
    let place = Place::new();
    let tests = test("A", "nodes = 4", "")
        + &test("B", "nodes = 4", "-Y -O minTimeDuration=40")
        + &test("C", "nodes = 2", "");
    plan(&place, 4, &format!("{SRUN}{tests}"));
    let folder = submitted(&assay(&slurm, &place, None, "run --submit p.toml --dir dir"));
    let jobs = std::path::Path::new(&folder).join("jobs");
    until("the first job's end", || jobs.join("0001-A-r1").exists());
    // A node that dies during MPI_Init leaves the other ranks waiting in it, until the timeout of the job.
    let data = std::path::PathBuf::from(format!("{folder}.data/tests/B-r1/data"));
    until("the data of four ranks", || data.metadata().is_ok_and(|file| file.len() == 4 * (128 << 10)));
    assert_eq!(slurm.busy().len(), 4);
    slurm.kill_node(3);
    let ended = assay(&slurm, &place, None, &format!("run --wait {folder}"));
    assert_eq!(ended.status, Some(3), "{ended:#?}");
    let verdicts = json(&std::path::Path::new(&folder).join("verdicts.json"));
    let of = |index: usize, key: &str| verdicts[index][key].as_str().unwrap().to_owned();
    assert_eq!([of(0, "outcome"), of(1, "outcome"), of(2, "outcome")], ["PASS", "INVALID", "PASS"]);
    let reason = &verdicts[1]["reason"];
    assert_eq!((&reason["code"], &reason["data"]["status"]), (&"job-failed".into(), &137.into()), "{reason}");
    assert_eq!(reason["data"]["launcher"], "node-died", "{reason}");
    assert!(reason["data"]["output"].as_str().unwrap().contains("srun: "), "{reason}");
    // The verdict quotes the first lines; their order depends on srun.
    let stderr = std::fs::read_to_string(jobs.join("0002-B-r1/stderr.txt")).unwrap();
    assert!(stderr.contains("srun: error: Node failure on node3\n"), "{stderr}");
}

#[test]
fn the_campaign_of_a_cancelled_batch_job_resumes_in_another() {
    let Some(slurm) = Slurm::start(2) else { return };
    let place = Place::new();
    let tests = test("A", "nodes = 1", "") + &test("B", "nodes = 2", "-Y -O minTimeDuration=6");
    plan(&place, 2, &format!("{SRUN}{tests}"));
    let ran = assay(&slurm, &place, None, "run --submit p.toml --dir dir");
    let (folder, job) = (submitted(&ran), number(&ran.out));
    // The probes, which also run on two nodes, are over when the first job has ended.
    let ended = Path::new(&folder).join("jobs/0001-A-r1");
    until("ranks on two nodes", || ended.exists() && slurm.busy().len() == 2);
    slurm.ask(&format!("scancel {job}"));
    let died = assay(&slurm, &place, None, &format!("run --wait {folder}"));
    assert_eq!(died.status, Some(3), "{died:#?}");
    let begins = format!("assay: Slurm job {job} ended (CANCELLED) before the campaign, 1 job done");
    assert!(died.err.starts_with(&begins) && died.err.lines().count() == 1, "{died:#?}");
    assert!(died.err.contains(&format!("Resume with: assay run --submit --resume {folder}")), "{died:#?}");
    let again = assay(&slurm, &place, None, &format!("run --submit --resume {folder}")).ok();
    assert!(again.starts_with(&format!("Submitted as Slurm job {} again\n", job + 1)), "{again}");
    let ended = assay(&slurm, &place, None, &format!("run --wait {folder}"));
    assert!(ended.passed(), "{ended:#?}");
    let jobs = common::campaign::names(&Path::new(&folder).join("jobs"));
    let (probes, jobs): (Vec<String>, Vec<String>) =
        jobs.into_iter().partition(|name| name.starts_with("probe-"));
    assert_eq!(jobs.iter().filter(|name| !name.starts_with('.')).count(), 3, "{jobs:?}");
    assert_eq!(probes.len(), 3, "one and two nodes, and two again: {probes:?}");
    assay(&slurm, &place, None, &format!("verify {folder}")).ok();
}
