//! `[launch]` and the nodes of `[clients]`: what goes with what.

use plan::Plan;

use super::{HEAD, rejection, test_with};

const LAST: &str = "ior = \"-w\"\nrole = \"reported\"\nnodes = 2\n";

#[test]
fn words_that_a_launcher_has_no_use_for_are_rejected_with_what_would_do() {
    for (table, error) in [
        (
            "kind = \"srun\"\nargv = [\"srun\", \"-n\", \"{ranks}\", \"{cmd}\"]",
            "p.toml:6:8: launch.kind `srun` makes its own words and takes no `argv`; add yours as `options`, \
             or use kind = \"mpirun\"",
        ),
        (
            "kind = \"srun\"\noptions = [\"-w\", \"{hosts}\"]",
            "p.toml:6:11: `{hosts}`: options of srun have no placeholders; use kind = \"mpirun\" with `argv`",
        ),
        (
            "kind = \"local\"\noptions = [\"-v\"]",
            "p.toml:6:11: launch.kind `local` starts threads of one process and takes no `options`; leave \
             them out",
        ),
        (
            "kind = \"mpirun\"\nprogram = \"mpirun.mpich\"",
            "p.toml:6:11: launch.kind `mpirun` has all its words in `argv` and takes no `program`; \
             leave it out",
        ),
        (
            "kind = \"mpich\"\nprogram = \" \"",
            "p.toml:6:11: launch.program is empty; leave it out for the usual one",
        ),
        (
            "kind = \"mpirun\"\n[clients]\nexclude = [\"n7\"]",
            "p.toml:7:12: launch.kind `mpirun` cannot be told to leave nodes out; say {hosts} in \
             launch.argv, which then names the others",
        ),
        (
            "kind = \"mpirun\"\n[clients]\nhostfile = \"h\"",
            "p.toml:7:12: launch.kind `mpirun` is not told these nodes; say {hosts} in launch.argv",
        ),
        (
            "kind = \"jsrun\"\n[clients]\nhostfile = \"h\"",
            "p.toml:7:12: launch.kind `jsrun` is not told these nodes; it takes those of its allocation; \
             leave clients.hostfile out",
        ),
        (
            "kind = \"srun\"\n[clients]\nexclude = [\"n 7\"]",
            "p.toml:7:12: clients.exclude: `n 7` names no node; write `n017` or `n[017-019]`",
        ),
    ] {
        assert_eq!(rejection(&format!("[launch]\n{table}\n{}", test_with(LAST))), error);
    }
}

#[test]
fn with_nodes_by_name_every_job_has_a_number_of_them() {
    let launch = "[launch]\nkind = \"mpich\"\n[clients]\nhostfile = \"h\"\n";
    let free = test_with("ior = \"-w\"\nrole = \"reported\"\nranks = 2\n");
    assert_eq!(
        rejection(&format!("{launch}{free}")),
        "p.toml:9:6: test T: clients.hostfile names nodes, of which this job has to have a number; give \
         `nodes`, or `ppn` beside `ranks`"
    );
    let local = "[launch]\nkind = \"local\"\n[clients]\nhostfile = \"h\"\nexclude = [\"n1\"]\n";
    for head in [launch, local] {
        Plan::parse(&format!("{HEAD}{head}{}", test_with(LAST)), "p.toml").expect(head);
    }
}

#[test]
fn nodes_that_are_left_out_may_be_given_as_a_range() {
    let plan = format!(
        "{HEAD}[launch]\nkind = \"openmpi\"\n[clients]\nexclude = [\"n[017-019]\", \"n018\", \"gw\"]\n{}",
        test_with(LAST)
    );
    let plan = Plan::parse(&plan, "p.toml").unwrap();
    assert_eq!(plan.clients.exclude, ["gw", "n017", "n018", "n019"]);
    assert_eq!(plan.launch.kind.name(), "openmpi");
}

#[test]
fn a_memory_of_spaces_only_is_no_memory_that_is_left_out() {
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
