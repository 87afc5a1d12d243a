//! `[launch]` and the nodes of `[clients]`: which keys go together.

use plan::Plan;
use plan::launcher::LaunchKind;

use super::{HEAD, rejection, test_with};

const LAST: &str = "ior = \"-w\"\nrole = \"reported\"\nnodes = 2\n";

#[test]
fn keys_that_a_launcher_does_not_use_are_rejected_with_a_remedy() {
    for (table, error) in [
        (
            "kind = \"srun\"\nargv = [\"srun\", \"-n\", \"{ranks}\", \"{cmd}\"]",
            "p.toml:6:8: launch.kind `srun` builds its own command line and has no `argv`. Add your \
             options as `options`, or write kind = \"mpirun\".",
        ),
        (
            "kind = \"srun\"\noptions = [\"-w\", \"{hosts}\"]",
            "p.toml:6:11: `{hosts}`: options of srun have no placeholders. Write kind = \"mpirun\" with \
             `argv`.",
        ),
        (
            "kind = \"local\"\noptions = [\"-v\"]",
            "p.toml:6:11: launch.kind `local` starts threads of one process and has no `options`. Remove \
             them.",
        ),
        (
            "kind = \"mpirun\"\nprogram = \"mpirun.mpich\"",
            "p.toml:6:11: launch.kind `mpirun` takes its command line from `argv` and has no `program`. \
             Remove it.",
        ),
        (
            "kind = \"mpich\"\nprogram = \" \"",
            "p.toml:6:11: launch.program is empty. Remove it for the usual program.",
        ),
        (
            "kind = \"mpirun\"\n[clients]\nexclude = [\"n7\"]",
            "p.toml:7:12: launch.kind `mpirun` cannot exclude nodes. Add {hosts} to launch.argv, which \
             then names the other nodes.",
        ),
        (
            "kind = \"mpirun\"\n[clients]\nhostfile = \"h\"",
            "p.toml:7:12: launch.kind `mpirun` does not get these nodes. Add {hosts} to launch.argv.",
        ),
        (
            "kind = \"jsrun\"\n[clients]\nhostfile = \"h\"",
            "p.toml:7:12: launch.kind `jsrun` does not get these nodes. It takes the nodes of its \
             allocation. Remove clients.hostfile.",
        ),
        (
            "kind = \"srun\"\n[clients]\nexclude = [\"n 7\"]",
            "p.toml:7:12: clients.exclude: `n 7` does not name nodes. Write `n017` or `n[017-019]`.",
        ),
    ] {
        assert_eq!(rejection(&format!("[launch]\n{table}\n{}", test_with(LAST))), error);
    }
}

#[test]
fn hosts_belong_to_ssh_and_ssh_needs_hosts() {
    for (table, error) in [
        ("kind = \"ssh\"", "p.toml:4:1: launch.kind `ssh` needs `hosts`, such as hosts = [\"n1\", \"n2\"]"),
        (
            "kind = \"ssh\"\nhosts = [\"n1\", \"n[1-2]\"]",
            "p.toml:6:9: launch.hosts: n1 is listed twice. List each host once.",
        ),
        ("kind = \"ssh\"\nhosts = []", "p.toml:6:9: launch.hosts: has no host. List the hosts."),
        (
            "kind = \"ssh\"\nhosts = [\"n1\"]\ncopy = \"tmp\"",
            "p.toml:7:8: launch.copy is not an absolute path. Give one, such as `/tmp`.",
        ),
        (
            "kind = \"mpich\"\nhosts = [\"n1\"]",
            "p.toml:6:9: launch.kind `mpich` has no `hosts`. Remove it, or write kind = \"ssh\".",
        ),
        (
            "kind = \"ssh\"\nhosts = [\"n1\"]\n[clients]\nhostfile = \"h\"",
            "p.toml:8:12: launch.kind `ssh` takes its nodes from launch.hosts. Remove clients.hostfile.",
        ),
    ] {
        assert_eq!(rejection(&format!("[launch]\n{table}\n{}", test_with(LAST))), error);
    }
    let own = format!("{LAST}launch = {{ kind = \"ssh\", hosts = \"h\" }}\n");
    let what = rejection(&format!("[launch]\nkind = \"ssh\"\nhosts = \"h\"\n{}", test_with(&own)));
    assert!(what.ends_with("test T: launch: `hosts` is for all tests. Set it in [launch]."), "{what}");
}

#[test]
fn with_nodes_by_name_every_job_needs_a_number_of_nodes() {
    let launch = "[launch]\nkind = \"mpich\"\n[clients]\nhostfile = \"h\"\n";
    let free = test_with("ior = \"-w\"\nrole = \"reported\"\nranks = 2\n");
    assert_eq!(
        rejection(&format!("{launch}{free}")),
        "p.toml:9:6: test T: clients.hostfile names nodes, so this job needs a number of nodes. Give \
         `nodes`, or `ppn` with `ranks`."
    );
    let ssh = "[launch]\nkind = \"ssh\"\nhosts = \"h\"\n";
    assert_eq!(
        rejection(&format!("{ssh}{free}")),
        "p.toml:8:6: test T: launch.hosts names nodes, so this job needs a number of nodes. Give `nodes`, or \
         `ppn` with `ranks`."
    );
    let local = "[launch]\nkind = \"local\"\n[clients]\nhostfile = \"h\"\nexclude = [\"n1\"]\n";
    for head in [launch, local] {
        Plan::parse(&format!("{HEAD}{head}{}", test_with(LAST)), "p.toml").expect(head);
    }
}

#[test]
fn excluded_nodes_may_be_given_as_a_range() {
    let plan = format!(
        "{HEAD}[launch]\nkind = \"openmpi\"\n[clients]\nexclude = [\"n[017-019]\", \"n018\", \"gw\"]\n{}",
        test_with(LAST)
    );
    let plan = Plan::parse(&plan, "p.toml").unwrap();
    assert_eq!(plan.clients.exclude, ["gw", "n017", "n018", "n019"]);
    assert_eq!(plan.launch.kind.name(), "openmpi");
}

#[test]
fn a_memory_of_only_spaces_is_rejected_but_an_empty_one_is_unknown() {
    const NO_NODES: &str = "ior = \"-w\"\nrole = \"reported\"\n";
    let plan = |memory: &str| {
        Plan::parse(&format!("{HEAD}[clients]\nmemory = \"{memory}\"\n{}", test_with(NO_NODES)), "p.toml")
    };
    assert_eq!(plan("").unwrap().clients.memory_bytes, None);
    for spaces in [" ", "\\t"] {
        let rejection = plan(spaces).unwrap_err().0;
        assert!(rejection.starts_with("p.toml:5:10: "), "{rejection}");
    }
}

#[test]
fn a_test_is_started_locally_or_by_the_launcher_of_the_plan_with_other_options() {
    let plan = |own: &str| {
        format!(
            "[launch]\nkind = \"srun\"\noptions = [\"-v\"]\nenv = {{ A = \"1\", B = \"2\" }}\n\
             [[test]]\nid = \"T\"\n\
             app = {{ argv = [\"./a\"], parse = \"ior\" }}\nranks = 1\nrole = \"reported\"\nlaunch = {own}\n"
        )
    };
    let launched = |own: &str| {
        let plan = Plan::parse(&format!("{HEAD}{}", plan(own)), "p.toml").unwrap();
        let jobs = plan::schedule::jobs(&plan, &[]).unwrap();
        plan.launch_for(&jobs[0]).clone()
    };
    let local = launched("{ kind = \"local\", env = { B = \"3\" } }");
    let env: Vec<(&str, &str)> =
        local.env.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    assert_eq!((local.kind, &env[..]), (LaunchKind::Local, &[("A", "1"), ("B", "3")][..]));
    let other = launched("{ kind = \"srun\", options = [\"--overcommit\"] }");
    assert!(matches!(&other.kind, LaunchKind::Named { options, .. } if options == &["--overcommit"]));
    let said = rejection(&plan("{ kind = \"flux\" }"));
    assert!(said.starts_with("p.toml:13:10: test T: launch: a test is started with"), "{said}");
    let said = rejection(&plan("{ kind = \"srun\", program = \"mysrun\" }"));
    assert!(said.contains("with the launcher and the program of [launch]"), "{said}");
    let said = rejection(&plan("{ kind = \"local\" }").replace("ranks = 1", "ranks = 2"));
    assert!(said.contains("starts external programs as one process"), "{said}");
}
