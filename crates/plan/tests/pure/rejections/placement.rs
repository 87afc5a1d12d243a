//! Ranks, nodes and parameters: their values, and the rejected ones.

use plan::Choice;
use plan::Placement;
use plan::Plan;

use super::{HEAD, rejection, test_with};

fn placements(rest: &str) -> Vec<(String, Placement)> {
    let plan = Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect(rest);
    plan.tests.into_iter().map(|test| (test.id, test.placement)).collect()
}

fn reported(keys: &str) -> String {
    test_with(&format!("ior = \"-w -k\"\nrole = \"reported\"\n{keys}"))
}

#[test]
fn shares_of_the_delivered_nodes_become_whole_nodes_with_their_rule() {
    for (delivered, nodes, wanted) in
        [(1536, "90%", 1382), (1536, "15 %", 230), (22_600, "100%", 22_600), (3, "10%", 1)]
    {
        let plan = format!(
            "[clients]\ndelivered = {delivered}\n{}",
            reported(&format!("nodes = \"{nodes}\"\nppn = 4"))
        );
        let (_, placement) = placements(&plan).remove(0);
        assert_eq!((placement.nodes, placement.ppn, placement.ranks), (Some(wanted), Some(4), 4 * wanted));
        assert_eq!(placement.rule.unwrap(), format!("{nodes} of {delivered} nodes = {wanted}"));
    }
}

#[test]
fn nodes_follow_from_ranks_and_ranks_from_nodes() {
    for (keys, ranks, nodes) in [
        ("ranks = 4", 4, None),
        ("ranks = 4\nppn = 2", 4, Some(2)),
        ("ppn = 1", 1, Some(1)),
        ("ranks = 6\nppn = 2", 6, Some(3)),
        ("nodes = 3", 3, Some(3)),
        ("nodes = \"3\"\nppn = \"2\"\nranks = 6", 6, Some(3)),
    ] {
        let (_, placement) = placements(&reported(keys)).remove(0);
        assert_eq!((placement.ranks, placement.nodes), (ranks, nodes), "{keys}");
    }
}

#[test]
fn a_test_with_steps_becomes_one_per_step_and_its_readers_use_the_same_step() {
    let plan = format!(
        "[clients]\ndelivered = 8\n[defaults]\nppn = 2\n{}{}",
        reported("nodes = { steps = [\"25%\", 4, \"8\"] }"),
        "[[test]]\nid = \"R\"\nior = \"-r -k\"\nuses = \"T\"\nrole = \"reported\"\n\
             nodes = { steps = [2, 4] }\n",
    );
    let plan = Plan::parse(&format!("{HEAD}{plan}"), "p.toml").unwrap();
    let ids: Vec<(&str, u32)> =
        plan.tests.iter().map(|test| (test.id.as_str(), test.placement.ranks)).collect();
    assert_eq!(ids, [("T.n2", 4), ("T.n4", 8), ("T.n8", 16), ("R.n2", 4), ("R.n4", 8)]);
    assert_eq!(plan.tests[4].uses.as_ref().unwrap().maker(&plan), "T.n4");
}

#[test]
fn contradicting_and_invalid_numbers_are_rejected() {
    let launch = "[launch]\nkind = \"mpirun\"\n\
             argv = [\"srun\", \"-N\", \"{nodes}\", \"-n\", \"{ranks}\", \"{cmd}\"]\n";
    for (plan, error) in [
        (
            reported("nodes = 3\nppn = 2\nranks = 5"),
            "p.toml:10:9: test T: ranks is 5, but 3 nodes of 2 ranks are 6. Remove ranks.",
        ),
        (
            reported("ppn = 4"),
            "p.toml:8:7: test T: ppn is 4, but neither nodes nor ranks are given. Give nodes.",
        ),
        (
            reported("ppn = 3\nranks = 4"),
            "p.toml:9:9: test T: 4 ranks do not fill whole nodes of 3 (ppn). Give nodes, not ranks.",
        ),
        (
            format!("[defaults]\nppn = 4\n{}", reported("")),
            "p.toml:7:6: test T: ppn is 4, but neither nodes nor ranks are given. Give nodes.",
        ),
        (
            format!("[defaults]\nppn = 3\nranks = 4\n{}", reported("ppn = 2"))
                + "[[test]]\nid = \"U\"\n\
             ior = \"-w\"\nrole = \"reported\"\n",
            "p.toml:13:6: test U: 4 ranks do not fill whole nodes of 3 (ppn). Give nodes, not ranks.",
        ),
        (
            reported("nodes = \"90%\""),
            "p.toml:8:9: test T: nodes: `90%` needs the total number of nodes. Set `delivered` in \
             [clients].",
        ),
        (reported("nodes = 0"), "p.toml:8:9: test T: nodes: it must be at least 1"),
        (
            reported("nodes = \"many\""),
            "p.toml:8:9: test T: nodes: `many` is not a number of nodes. Write `12` or `\"90%\"`.",
        ),
        (
            reported("nodes = \"5 s\""),
            "p.toml:8:9: test T: nodes: `5 s` is not a number of nodes. Write `12` or `\"90%\"`.",
        ),
        (reported("nodes = { steps = [] }"), "p.toml:8:9: test T: nodes has no steps. Give at least one."),
        (
            format!("[clients]\ndelivered = 4\n{}", reported("nodes = 5")),
            "p.toml:10:9: test T: nodes: 5 is more than clients.delivered, which is 4",
        ),
        (
            format!("{launch}{}", reported("ranks = 5")),
            "p.toml:8:6: test T: launch.argv uses {nodes}. Give `nodes`, or `ppn` with `ranks`.",
        ),
        (
            format!("[clients]\nmemory = \"many\"\n{}", reported("")),
            "p.toml:5:10: clients.memory: `many` is not a number with a unit, such as `3.0 GB/s`, \
             `25000/s` or `30 s`",
        ),
    ] {
        assert_eq!(rejection(&plan), error);
    }
}

#[test]
fn parameters_replace_words_and_numbers_and_positions_are_those_of_the_file() {
    let text = format!(
        "{HEAD}[parameters]\nblock = \"1073741824\"\nnodes = \"8\"\n[scale.small]\nblock = \"1m\"\n\
         nodes = \"2\"\n[[test]]\nid = \"T\"\nior = \"-w -b ${{block}}\"\nnodes = \"${{nodes}}\"\n\
         role = \"reported\"\n"
    );
    let choice = |scale: &str| Choice { scale: Some(scale.to_owned()), ..Choice::default() };
    let small = Plan::parse_with(&text, "p.toml", &choice("small")).unwrap();
    assert_eq!((small.tests[0].placement.ranks, small.tests[0].line.bytes(2).0), (2, 2 << 20));
    assert_eq!(small.text, text, "the plan in the folder is the unmodified file");
    assert_eq!(small.parameters["block"], "1m");
    let whole = Plan::parse(&text, "p.toml").unwrap();
    assert_eq!((whole.tests[0].placement.ranks, whole.tests[0].line.bytes(8).0), (8, 8 << 30));
    let criterion = "criterion = { metric = \"${block}\", stat = \"meen\" }";
    let wrong = text.replace("role = \"reported\"", criterion);
    let wrong = Plan::parse(&wrong, "p.toml").unwrap_err().0;
    assert!(wrong.starts_with("p.toml:14:43: unknown word `meen`. Did you mean `mean`?"), "{wrong}");
}

#[test]
fn zero_nodes_and_more_nodes_than_delivered_are_rejected() {
    let eight = "[clients]\ndelivered = 8\n";
    for (rest, error) in [
        (
            format!("{eight}{}", reported("nodes = \"0%\"")),
            "10:9: test T: nodes: `0%` is not a number of nodes. Write `12` or `\"90%\"`.",
        ),
        (
            format!("{eight}{}", reported("ranks = 100\nppn = 1")),
            "7:6: test T: 100 ranks with 1 per node need 100 nodes, but clients.delivered is 8",
        ),
        (
            format!("{eight}[defaults]\nnodes = {{ steps = [2, 4] }}\n{}", reported("")),
            "7:9: give one number as `nodes` of [defaults]. Steps and a search belong to a test.",
        ),
    ] {
        assert_eq!(rejection(&rest), format!("p.toml:{error}"));
    }
    assert_eq!(placements(&format!("{eight}{}", reported("ranks = 16\nppn = 2")))[0].1.nodes, Some(8));
}
