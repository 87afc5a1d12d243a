//! Campaigns whose ranks are started by ssh on two nodes: what they record, hosts that do not answer or
//! differ, and jobs that are killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use results::record::{Phase, phases};

use crate::common::campaign::{json, names, signal, until};
use crate::common::mounted::ssh_nodes::{GONE, NODES, SshNodes};
use crate::common::{Ran, Running, program, run, run_for};

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                    defaults = { timeout = \"120 s\", nodes = 2, ppn = 2 }\n";
const BOTH: &str = "[\"node-a:2\", \"node-b\"]";
const WRITES: &str = "[[test]]\nid = \"W\"\nior = \"-w -r -F -C -e -t 64k -b 512k\"\n\
                      criterion = { metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }\n";

/// Writes the plan `p.toml` and runs it.
fn campaign(nodes: &SshNodes, launch: &str, tests: &str) -> Ran {
    fs::write(nodes.path("p.toml"), format!("{HEAD}{launch}{tests}")).unwrap();
    run(&mut nodes.assay("run p.toml --dir fs --folder evidence --plain"))
}

fn records(nodes: &SshNodes, folder: &str) -> Vec<results::Record> {
    results::records::load(&nodes.path(folder).join("jobs/0001-W-r1/records.jsonl")).unwrap()
}

/// Asserts that no process is left on any node.
fn has_none(nodes: &SshNodes) {
    let left = || -> Vec<String> { [0, 1].into_iter().flat_map(|node| nodes.processes(node)).collect() };
    until("the end of all processes", || left().is_empty());
}

#[test]
fn a_bundled_plan_runs_by_ssh_and_its_evidence_has_the_facts_of_both_hosts() {
    let Some(nodes) = SshNodes::start() else { return };
    let text = run(&mut nodes.assay("plan show datawarp-phase1")).ok();
    let launch = "kind = \"${launch}\"\nprogram = \"${program}\"\n";
    let own = nodes.launch("\"node-{a..b}\"", "");
    assert!(text.contains(launch));
    let own = own.replace("\"node-{a..b}\"", BOTH);
    let (clients, own) = own.split_once("[launch]\n").unwrap();
    let text = text.replace("[clients]\n", clients).replace(launch, own);
    fs::write(nodes.path("p.toml"), text).unwrap();
    let words = "run p.toml --scale small --set nodes=2 --set own=-C --dir fs --folder evidence --plain";
    let ran = run_for(&mut nodes.assay(words), Duration::from_secs(600));
    assert!(ran.passed(), "{ran:#?}");
    let hosts = &json(&nodes.path("evidence/machine-before.json"))["hosts"];
    for (at, node) in NODES.iter().enumerate() {
        let facts = &hosts[at];
        assert_eq!((&facts["name"], &facts["host"]), (&(*node).into(), &(*node).into()), "{facts:#}");
        assert_eq!(facts["program"]["sha256"], json(&nodes.path("evidence/campaign.json"))["tool_sha256"]);
        assert!(facts["mpi"].as_str().unwrap().starts_with("MPICH"), "{facts:#}");
        assert_eq!(facts["libraries"], hosts[0]["libraries"], "{facts:#}");
    }
    run(&mut nodes.assay("verify evidence")).ok();
    has_none(&nodes);
}

/// The rate of a phase, and what may not depend on the launcher.
fn measured(phase: &Phase) -> (f64, (&str, u32, u64, u64)) {
    (phase.bytes as f64 / phase.spans.total_s, (&phase.phase, phase.ranks, phase.bytes, phase.ops))
}

#[test]
fn the_same_line_moves_the_same_bytes_with_as_many_ranks_by_ssh_and_by_mpiexec() {
    let Some(nodes) = SshNodes::start() else { return };
    let tests = WRITES.replace("-b 512k", "-b 8m");
    campaign(&nodes, &nodes.launch(BOTH, ""), &tests).ok();
    fs::rename(nodes.path("evidence"), nodes.path("by-ssh")).unwrap();
    let mpiexec = "[clients]\nsimulated = true\n[launch]\nkind = \"mpich\"\n";
    campaign(&nodes, mpiexec, &tests.replace("id = ", "nodes = 1\nppn = 4\nid = ")).ok();
    let (by_ssh, by_mpiexec) = (records(&nodes, "by-ssh"), records(&nodes, "evidence"));
    let pairs = phases(&by_ssh).zip(phases(&by_mpiexec));
    let mut compared = 0;
    for (one, other) in pairs {
        let ((rate, facts), (other_rate, other_facts)) = (measured(one), measured(other));
        assert_eq!(facts, other_facts);
        println!("{}: ssh / mpiexec = {:.3}", one.phase, rate / other_rate);
        compared += 1;
    }
    assert_eq!(compared, 2);
}

#[test]
fn hosts_that_do_not_answer_or_differ_have_a_line_each_and_nothing_is_started() {
    let Some(nodes) = SshNodes::start() else { return };
    let hosts = format!("[\"node-a\", \"{GONE}\", \"node-b\"]");
    let ran = campaign(&nodes, &nodes.launch(&hosts, ""), WRITES);
    let begin = format!("assay: {GONE}: ssh does not connect: ");
    assert_eq!((ran.status, ran.err.lines().count()), (Some(2), 1), "{ran:#?}");
    assert!(ran.err.starts_with(&begin) && ran.err.contains("clients.exclude"), "{ran:#?}");

    // Another program of the same version, and one that is missing.
    let other = nodes.path("other");
    fs::copy(program(), &other).unwrap();
    let mut bytes = fs::read(&other).unwrap();
    bytes.push(0);
    fs::write(&other, bytes).unwrap();
    let place = program();
    run(&mut nodes.on(1, &format!("mount --bind {} {}", other.display(), place.display()))).ok();
    let ran = campaign(&nodes, &nodes.launch(&hosts, ""), WRITES);
    let lines: Vec<&str> = ran.err.lines().collect();
    let differs = format!("assay: node-b: {} is assay ", place.display());
    assert!(ran.status == Some(2) && lines.len() == 2 && lines[0].starts_with(&begin), "{ran:#?}");
    assert!(lines[1].starts_with(&differs) && lines[1].ends_with("or set launch.copy."), "{ran:#?}");
    run(&mut nodes.on(1, &format!("mount --bind /etc/hostname {}", place.display()))).ok();
    let ran = campaign(&nodes, &nodes.launch(BOTH, ""), WRITES);
    assert!(ran.status == Some(2) && ran.err.ends_with("or set launch.copy.\n"), "{ran:#?}");

    // A directory under test that is another one there.
    run(&mut nodes.on(1, &format!("umount -l {0}; umount -l {0}", place.display()))).ok();
    run(&mut nodes.on(1, "mount -t tmpfs none fs")).ok();
    let ran = campaign(&nodes, &nodes.launch(BOTH, ""), WRITES);
    assert!(ran.status == Some(2) && ran.err.contains(" is on tmpfs, but on "), "{ran:#?}");
    assert_eq!(names(&nodes.path("fs")), [""; 0]);
    assert!(!nodes.path("evidence/campaign.json").exists());
    has_none(&nodes);
}

/// The names in `local` on each node.
fn local(nodes: &SshNodes) -> [String; 2] {
    [0, 1].map(|node| run(&mut nodes.on(node, "ls -A local")).ok())
}

#[test]
fn a_copy_is_checked_used_and_removed_and_the_folder_of_others_stays() {
    let Some(nodes) = SshNodes::start() else { return };
    let copy = format!("copy = {:?}", nodes.path("local"));
    // The second node has another program at the path of this one, which is not used.
    run(&mut nodes.on(1, &format!("mount --bind /etc/hostname {}", program().display()))).ok();
    run(&mut nodes.on(1, "mkdir local/assay-of-others && echo x > local/assay-of-others/f")).ok();
    let keys = format!("{copy}\noptions = [\"-iface\", \"eth0\"]");
    campaign(&nodes, &nodes.launch(BOTH, &keys), WRITES).ok();
    let own: Vec<String> =
        serde_json::from_value(json(&nodes.path("evidence/jobs/0001-W-r1/job.json"))["argv"].clone())
            .unwrap();
    let folder = Path::new(&own[0]).parent().and_then(Path::parent).map(PathBuf::from).unwrap();
    assert!(folder.starts_with(nodes.path("local")), "{own:?}");
    let hosts = &json(&nodes.path("evidence/machine-before.json"))["hosts"];
    let library = hosts[1]["libraries"][0]["path"].as_str().unwrap();
    assert!(Path::new(library).starts_with(folder.join("lib")), "{hosts:#}");
    let copied = |at: usize| hosts[at]["copied"].as_str().unwrap().to_owned();
    assert_eq!((copied(0).len(), copied(0)), (64, copied(1)), "{hosts:#}");
    assert_eq!(local(&nodes), ["", "assay-of-others\n"]);

    // There is no such directory on the second node.
    run(&mut nodes.on(0, "mkdir local/deep")).ok();
    fs::remove_dir_all(nodes.path("evidence")).unwrap();
    let ran = campaign(&nodes, &nodes.launch(BOTH, &copy.replace("local", "local/deep")), WRITES);
    assert!(ran.status == Some(2) && ran.err.starts_with("assay: node-b: launch.copy "), "{ran:#?}");
    assert_eq!(run(&mut nodes.on(0, "ls -A local/deep")).ok(), "");
    has_none(&nodes);
}

#[test]
fn a_job_after_its_time_limit_leaves_no_process_on_any_host() {
    let Some(nodes) = SshNodes::start() else { return };
    let tests = "[[test]]\nid = \"W\"\nior = \"-w -F -t 64k -b 1g --rate=1MiB/s\"\nrole = \"reported\"\n\
                 timeout = \"4 s\"\n[[test]]\nid = \"D\"\nrole = \"reported\"\ntimeout = \"4 s\"\n\
                 app = { argv = [\"sh\", \"-c\", \"setsid sleep 600 & sleep 600\"], parse = \"ior\" }\n";
    let ran = campaign(&nodes, &nodes.launch(BOTH, "probe = false"), tests);
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    for job in ["0001-W-r1", "0002-D-r1"] {
        let info = json(&nodes.path("evidence/jobs").join(job).join("job.json"));
        assert_eq!(info["end"], "timed_out", "{info:#}");
    }
    // No wait: the campaign itself has seen their end, also of the process that left its session.
    let left: Vec<String> = [0, 1].into_iter().flat_map(|node| nodes.processes(node)).collect();
    let names = left.iter().map(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default());
    let names: Vec<String> =
        names.filter(|name| name.starts_with("sleep") || name.starts_with("assay")).collect();
    assert_eq!(names, [""; 0]);
    has_none(&nodes);
}

/// Starts a campaign with these keys of `[launch]`, whose only job has this time limit and takes minutes.
/// Returns when its ranks run on the second node.
fn endless(nodes: &SshNodes, keys: &str, timeout: &str) -> Running {
    let test = "[[test]]\nid = \"W\"\nior = \"-w -F -t 64k -b 1g --rate=1MiB/s\"\nrole = \"reported\"\n";
    let launch = nodes.launch(BOTH, &format!("{keys}\nprobe = false"));
    let plan = format!("{HEAD}{launch}{test}timeout = \"{timeout}\"\n");
    fs::write(nodes.path("p.toml"), plan).unwrap();
    let child = Running::piped(&mut nodes.assay("run p.toml --dir fs --folder evidence --plain"));
    // Before the job, the same program runs there to give the facts of the host.
    let is_rank = |pid: &String| {
        let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let words: Vec<&str> = line.split('\0').collect();
        words[0].ends_with("assay") && words.get(1) == Some(&"ior")
    };
    until("the ranks of the second node", || {
        nodes.processes(1).iter().filter(|pid| is_rank(pid)).count() == 2
    });
    child
}

#[test]
fn a_campaign_that_is_interrupted_leaves_no_process_and_no_copy() {
    let Some(nodes) = SshNodes::start() else { return };
    let child = endless(&nodes, &format!("copy = {:?}", nodes.path("local")), "5 min");
    assert!(signal("-TERM", child.id()));
    let ran = child.end(Duration::from_secs(60));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    has_none(&nodes);
    assert_eq!(local(&nodes), ["", ""]);
}

#[test]
fn a_job_ends_within_its_time_limit_if_the_network_of_a_host_is_cut_and_the_host_is_named() {
    let Some(nodes) = SshNodes::start() else { return };
    let child = endless(&nodes, "", "20 s");
    nodes.link_second("down");
    let ran = child.end(Duration::from_secs(200));
    assert_eq!(ran.status, Some(3), "{ran:#?}");
    let job = nodes.path("evidence/jobs/0001-W-r1");
    // Hydra reports it first if `ssh` notices it first.
    let end = &json(&job.join("job.json"))["end"];
    assert!(end == "timed_out" || end["exit"] == 255, "{end}");
    for text in [fs::read_to_string(job.join("stderr.txt")).unwrap(), ran.err] {
        assert!(text.contains("node-b: ") && text.contains("`ssh node-b true`"), "{text}");
    }
}
