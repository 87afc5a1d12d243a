//! The command line of every launcher, and what each rejects.

use std::collections::BTreeMap;

use plan::launcher::{Allocation, Launch, LaunchKind, LauncherJob, NAMED, Named, Nodes};

use super::*;
use plan::schedule::{self, PlannedJob};
use plan::{ClientNodes, Placement, Plan};

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

fn placed(ranks: u32, nodes: Option<u32>, ppn: Option<u32>) -> Placement {
    Placement { ranks, nodes, ppn, rule: None }
}

fn job(placement: Placement, nodes: Nodes) -> LauncherJob {
    LauncherJob {
        program: "/bin/assay".into(),
        placement,
        nodes,
        words: words("ior -w -o /d/f --record r"),
        starts_ranks: false,
        external: false,
    }
}

fn named(name: &str, options: &str) -> LaunchKind {
    LaunchKind::Named { by: Named::of(name).unwrap(), program: None, options: words(options) }
}

fn hosts(names: &str) -> Nodes {
    Nodes { hosts: words(names), ..Nodes::default() }
}

fn exclude(names: &str) -> Nodes {
    Nodes { exclude: words(names), ..Nodes::default() }
}

/// The command line of a job without its own command.
fn line(kind: &LaunchKind, placement: Placement, nodes: Nodes) -> String {
    let line = kind.command(&job(placement, nodes)).join(" ");
    line.strip_suffix(" /bin/assay ior -w -o /d/f --record r").expect(&line).to_owned()
}

/// Options, and four command lines: 4 ranks; 4 ranks on 2 nodes; the same on the first two of three named
/// nodes; the same without n7.
const LINES: &[(&str, &str, [&str; 4])] = &[
    (
        "aprun",
        "-cc cpu",
        [
            "aprun -n 4 -cc cpu",
            "aprun -n 4 -N 2 -cc cpu",
            "aprun -n 4 -N 2 -L n1,n2 -cc cpu",
            "aprun -n 4 -N 2 -E n7 -cc cpu",
        ],
    ),
    (
        "flux",
        "--exclusive",
        [
            "flux run -n 4 --exclusive",
            "flux run -N 2 -n 4 --exclusive",
            "flux run -N 2 -n 4 --requires=host:n1,n2 --exclusive",
            "flux run -N 2 -n 4 --requires=-host:n7 --exclusive",
        ],
    ),
    (
        "jsrun",
        "",
        [
            "jsrun --np 4",
            "jsrun --nrs 2 --rs_per_host 1 --tasks_per_rs 2 --cpu_per_rs ALL_CPUS",
            "",
            "jsrun --nrs 2 --rs_per_host 1 --tasks_per_rs 2 --cpu_per_rs ALL_CPUS --exclude_hosts n7",
        ],
    ),
    (
        "mpich",
        "-launcher fork",
        [
            "mpiexec -n 4 -launcher fork",
            "mpiexec -n 4 -ppn 2 -launcher fork",
            "mpiexec -n 4 -ppn 2 -hosts n1,n2 -launcher fork",
            "",
        ],
    ),
    (
        "openmpi",
        "--oversubscribe",
        [
            "mpirun -n 4 --oversubscribe",
            "mpirun -n 4 --map-by ppr:2:node --oversubscribe",
            "mpirun -n 4 --map-by ppr:2:node --host n1:2,n2:2 --oversubscribe",
            "",
        ],
    ),
    ("pals", "", ["mpiexec -n 4", "mpiexec -n 4 --ppn 2", "mpiexec -n 4 --ppn 2 --hosts n1,n2", ""]),
    (
        "srun",
        "--mpi=pmix",
        [
            "srun --kill-on-bad-exit=1 -n 4 --mpi=pmix",
            "srun --kill-on-bad-exit=1 -N 2 -n 4 --ntasks-per-node=2 --mpi=pmix",
            "srun --kill-on-bad-exit=1 -N 2 -n 4 --ntasks-per-node=2 --nodelist=n1,n2 --mpi=pmix",
            "srun --kill-on-bad-exit=1 -N 2 -n 4 --ntasks-per-node=2 --exclude=n7 --mpi=pmix",
        ],
    ),
    (
        "ssh",
        "-iface eth0",
        [
            "mpiexec.hydra -launcher ssh -n 4 -iface eth0",
            "mpiexec.hydra -launcher ssh -n 4 -ppn 2 -iface eth0",
            "mpiexec.hydra -launcher ssh -n 4 -ppn 2 -hosts n1,n2 -iface eth0",
            "",
        ],
    ),
];

#[test]
fn every_launcher_gets_ranks_and_nodes_in_its_own_options() {
    assert!(NAMED.iter().map(|named| named.name).is_sorted(), "keep the table in order");
    assert!(NAMED.iter().map(|named| named.name).eq(LINES.iter().map(|(name, ..)| *name)), "all are tested");
    for (name, options, [free, many, those, without]) in LINES {
        let kind = named(name, options);
        let by = Named::of(name).unwrap();
        let two = || placed(4, Some(2), Some(2));
        assert_eq!(line(&kind, placed(4, None, None), Nodes::default()), *free);
        assert_eq!(line(&kind, two(), Nodes::default()), *many);
        assert_eq!(by.takes_hosts(), !those.is_empty(), "{name}");
        assert_eq!(by.takes_exclude(), !without.is_empty(), "{name}");
        if by.takes_hosts() {
            assert_eq!(line(&kind, two(), hosts("n1 n2 n3")), *those);
        }
        if by.takes_exclude() {
            assert_eq!(line(&kind, two(), exclude("n7")), *without);
        }
    }
}

#[test]
fn a_program_of_the_plan_replaces_the_usual_launcher_program() {
    let by = Named::of("mpich").unwrap();
    let kind = LaunchKind::Named { by, program: Some("/opt/mpi/bin/mpiexec".into()), options: vec![] };
    assert_eq!(line(&kind, placed(4, None, None), Nodes::default()), "/opt/mpi/bin/mpiexec -n 4");
}

#[test]
fn only_jsrun_rejects_fewer_ranks_on_the_last_node() {
    let uneven = placed(7, Some(2), Some(4));
    assert_eq!(
        named("jsrun", "").rejects_placement(&uneven).unwrap(),
        "jsrun needs equally many ranks on each node, but 7 is not 2 times 4"
    );
    assert_eq!(named("srun", "").rejects_placement(&uneven), None);
    assert_eq!(named("jsrun", "").rejects_placement(&placed(8, Some(2), Some(4))), None);
}

#[test]
fn a_launch_command_line_of_the_plan_is_expanded_to_these_arguments() {
    let two = || placed(4, Some(2), Some(2));
    for (template, argv) in [
        ("mpirun -n {ranks} {cmd}", "mpirun -n 4 /bin/assay ior -w -o /d/f --record r"),
        (
            "srun -N {nodes} --ntasks-per-node={ppn} {cmd}",
            "srun -N 2 --ntasks-per-node=2 /bin/assay ior -w -o /d/f --record r",
        ),
        (
            "mpiexec -n {ranks} -hosts {hosts} {cmd}",
            "mpiexec -n 4 -hosts n1,n2 /bin/assay ior -w -o /d/f --record r",
        ),
        ("sh -c {cmd} --tail {ranks}", "sh -c /bin/assay ior -w -o /d/f --record r --tail 4"),
    ] {
        let kind = LaunchKind::mpirun(words(template)).unwrap();
        assert_eq!(kind.command(&job(two(), hosts("n1 n2 n3"))).join(" "), argv);
    }
    let local = LaunchKind::Local.command(&job(two(), Nodes::default()));
    assert_eq!(local.join(" "), "/bin/assay -n 4 ior -w -o /d/f --record r");
}

#[test]
fn a_workload_that_starts_its_ranks_itself_gets_the_launcher_as_an_argument() {
    let mut job = job(placed(4, Some(2), Some(2)), Nodes::default());
    (job.words, job.starts_ranks) = (words("mpi-io /d --record r"), true);
    let kind = LaunchKind::Mpirun(words("mpirun --oversubscribe -n {ranks} {cmd}"));
    assert_eq!(kind.rejects_workloads(), None);
    let argv = ["/bin/assay", "mpi-io", "/d", "--record", "r", "--launch", "mpirun --oversubscribe -n 4"];
    assert_eq!(kind.command(&job), argv);
    assert_eq!(named("pals", "").command(&job).last().unwrap(), "mpiexec -n 4 --ppn 2");
    assert_eq!(LaunchKind::Local.command(&job).join(" "), "/bin/assay -n 4 mpi-io /d --record r");
    for (line, why) in [
        (vec!["sh", "-c", "{cmd}", "{ranks}"], "Let launch.argv end with `{cmd}`"),
        (vec!["mpirun", "-n {ranks}", "{cmd}"], "but the argument `-n {ranks}` contains a space"),
    ] {
        let kind = LaunchKind::Mpirun(line.into_iter().map(str::to_owned).collect());
        assert!(kind.rejects_workloads().unwrap().contains(why), "{why}");
    }
}

#[test]
fn a_launch_command_line_that_cannot_start_the_job_is_rejected() {
    assert!(LaunchKind::mpirun(words("mpirun -n {ranks} {cmd}")).is_ok());
    let program = "the launch command line needs a program first and `{cmd}` once, as an argument of its \
                   own";
    for (line, error) in [
        ("mpirun -n {ranks}", program),
        ("{cmd} -n {ranks}", program),
        (
            "mpirun {cmd}",
            "the launch command line has no `{ranks}`, so all jobs would start the same \
                          number of ranks. Add it.",
        ),
        (
            "srun -N {node} -n {ranks} {cmd}",
            "unknown placeholder in `{node}`. Known: `{ranks}`, `{nodes}`, `{ppn}`, `{hosts}` and `{cmd}`.",
        ),
    ] {
        assert_eq!(LaunchKind::mpirun(words(line)).unwrap_err().0, error);
    }
    let kind = LaunchKind::mpirun(words("mpiexec -n {ranks} -hosts {hosts} {cmd}")).unwrap();
    assert_eq!(
        kind.rejects_placement(&placed(4, None, None)).unwrap(),
        "launch.argv uses {hosts}. Give `nodes`, or `ppn` with `ranks`."
    );
}

fn jobs_on(nodes: &[Option<u32>]) -> Vec<PlannedJob> {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/d\" }\n";
    let mut plan = text.to_owned();
    for (index, nodes) in nodes.iter().enumerate() {
        let nodes = nodes.map_or_else(|| "ranks = 1".to_owned(), |nodes| format!("nodes = {nodes}"));
        plan += &format!("[[test]]\nid = \"T{index}\"\nior = \"-w -e\"\nrole = \"reported\"\n{nodes}\n");
    }
    schedule::jobs(&Plan::parse(&plan, "p.toml").unwrap(), &[]).unwrap()
}

fn allocation(nodes: Option<u32>, hosts: &str) -> Option<Allocation> {
    Some(Allocation { system: "Slurm", job: "7".into(), nodes, hosts: words(hosts) })
}

/// The result as `hosts | exclude`, or why it is rejected.
fn nodes(kind: LaunchKind, left_out: &str, hostfile: Option<&str>, around: Option<Allocation>) -> String {
    let launch = Launch { kind, env: BTreeMap::new(), attempts: 0, probe: false, ssh: None };
    let clients = ClientNodes {
        exclude: words(left_out),
        hostfile: hostfile.map(|_| "hosts.txt".to_owned()),
        ..ClientNodes::default()
    };
    let hostfile = hostfile.map(plan::launcher::allocation::hosts_in);
    let around =
        Surroundings { here: "login".into(), allocation: around, hostfile, ..Surroundings::default() };
    match for_jobs(&launch, &clients, &around, &jobs_on(&[None, Some(3), Some(2), Some(3)])) {
        Ok(nodes) => format!("{} | {}", nodes.hosts.join(" "), nodes.exclude.join(" ")),
        Err(rejected) => rejected.0,
    }
}

#[test]
fn nodes_are_those_of_the_hostfile_or_the_allocation_without_those_left_out() {
    let srun = || named("srun", "");
    let four = || allocation(Some(4), "n1 n2 n3 n4");
    let file = Some("n1 slots=8 # first\n\nn2:8\nn2\nn3\nn4\n");
    assert_eq!(nodes(srun(), "", None, four()), " | ", "the launcher knows them");
    assert_eq!(nodes(srun(), "n2 n9", None, four()), " | n2", "n9 is not there");
    assert_eq!(nodes(srun(), "n2 n9", None, None), " | n2 n9");
    assert_eq!(nodes(srun(), "n2", file, four()), "n1 n3 n4 | ");
    assert_eq!(nodes(named("openmpi", ""), "n2", None, four()), "n1 n3 n4 | ");
    assert_eq!(nodes(named("openmpi", ""), "", None, None), " | ");
    let own = LaunchKind::mpirun(words("mpiexec -n {ranks} -hosts {hosts} {cmd}")).unwrap();
    assert_eq!(nodes(own.clone(), "", None, four()), "n1 n2 n3 n4 | ");
    assert_eq!(nodes(LaunchKind::Local, "n2", file, None), " | ", "one node is all there is");
    for kind in [own, named("pals", "")] {
        let rejected = nodes(kind.clone(), "n2", None, None);
        assert!(rejected.starts_with(&format!("launch.kind `{}` needs the names of the nodes", kind.name())));
    }
    let rejected = nodes(LaunchKind::Local, "login", None, None);
    assert!(rejected.starts_with("clients.exclude contains this node, login,"), "{rejected}");
}

#[test]
fn tests_that_run_at_the_same_time_have_separate_nodes_and_need_their_sum() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/d\" }\n[[group]]\n\
                id = \"G\"\n[[group.parts]]\nid = \"a\"\nnodes = 2\nior = \"-w\"\nrole = \"reported\"\n\
                [[group.parts]]\nid = \"b\"\nnodes = 1\nior = \"-w\"\nrole = \"reported\"\n[[test]]\n\
                id = \"T\"\nnodes = 2\nior = \"-w\"\nrole = \"reported\"\n";
    let plan = Plan::parse(text, "p.toml").unwrap();
    let jobs = schedule::jobs(&plan, &[]).unwrap();
    let launch =
        Launch { kind: named("pals", ""), env: BTreeMap::new(), attempts: 0, probe: false, ssh: None };
    let clients = ClientNodes { hostfile: Some("h".into()), ..ClientNodes::default() };
    let around = |hosts: &str| Surroundings { hostfile: Some(words(hosts)), ..Surroundings::default() };
    let nodes = for_jobs(&launch, &clients, &around("n1 n2 n3"), &jobs).unwrap();
    let hosts = |id: &str| {
        let job = jobs.iter().find(|job| job.test == id).unwrap();
        nodes.of(job.number).first(job.placement.nodes).join(" ")
    };
    assert_eq!([hosts("G.a"), hosts("G.b"), hosts("T")], ["n1 n2", "n3", "n1 n2"]);
    let rejected = for_jobs(&launch, &clients, &around("n1 n2"), &jobs).unwrap_err().0;
    assert!(rejected.starts_with("G.b needs 3 nodes, but clients.hostfile h has 2"), "{rejected}");
}

#[test]
fn hosts_of_ssh_are_those_of_the_plan_and_have_no_more_ranks_than_it_says() {
    let launch =
        Launch { kind: named("ssh", ""), env: BTreeMap::new(), attempts: 0, probe: false, ssh: None };
    let clients = ClientNodes { exclude: words("n2"), ..ClientNodes::default() };
    let around = |slots| Surroundings {
        hostfile: Some(words("n1 n2 n3")),
        slots: BTreeMap::from([("n2".to_owned(), 1), ("n3".to_owned(), slots)]),
        ..Surroundings::default()
    };
    let mut jobs = jobs_on(&[Some(2)]);
    jobs[0].placement.ppn = Some(4);
    let names = |nodes: Nodes| nodes.hosts.join(" ");
    assert_eq!(for_jobs(&launch, &clients, &around(4), &jobs).map(names), Ok("n1 n3".to_owned()));
    let rejected = for_jobs(&launch, &clients, &around(3), &jobs).unwrap_err().0;
    let line = "T0 starts 4 ranks on each node, but launch.hosts gives n3 3. Lower `ppn`, or raise the \
                number after `n3:`.";
    assert_eq!(rejected, line);
    let rejected = for_jobs(&launch, &clients, &around(4), &jobs_on(&[Some(3)])).unwrap_err().0;
    let few = "T0 needs 3 nodes, but launch.hosts has 2 (without the 1 node in clients.exclude). Request \
               more nodes, or select other tests with --only.";
    assert_eq!(rejected, few);
}

#[test]
fn a_plan_that_needs_too_many_nodes_is_rejected_with_the_first_test_that_does() {
    let srun = || named("srun", "");
    let last = ". Request more nodes, or select other tests with --only.";
    for (left_out, hostfile, around, what) in [
        ("", None, allocation(Some(2), "n1 n2"), "Slurm job 7 has 2"),
        (
            "n2",
            None,
            allocation(Some(3), "n1 n2 n3"),
            "Slurm job 7 has 2 (without the 1 node in clients.exclude)",
        ),
        ("", Some("n1\nn2\n"), None, "clients.hostfile hosts.txt has 2"),
    ] {
        let rejected = nodes(srun(), left_out, hostfile, around);
        assert_eq!(rejected, format!("T1 needs 3 nodes, but {what}{last}"));
    }
    assert_eq!(
        nodes(srun(), "", None, allocation(None, "")),
        " | ",
        "the number is not known, so nothing is rejected"
    );
    assert_eq!(nodes(LaunchKind::Local, "", None, allocation(Some(1), "n1")), " | ");
    let empty = nodes(srun(), "n1", Some("n1\n"), None);
    assert_eq!(empty, "clients.hostfile hosts.txt has no usable node. Write one node per line.");
}
