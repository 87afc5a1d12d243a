//! Series, groups and searches that cannot work, and ids that are used twice.

use plan::{Choice, Plan};

use super::{HEAD, rejection, test_with};

fn reported(id: &str) -> String {
    test_with("ior = \"-w\"\nrole = \"reported\"").replace("\"T\"", &format!("\"{id}\""))
}

fn group(id: &str, keys: &str) -> String {
    let part = |id: &str| format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n");
    format!("[[group]]\nid = \"{id}\"\n{keys}{}{}", part("a"), part("b"))
}

fn series(id: &str, phase: &str) -> String {
    format!(
        "[[series]]\nid = \"{id}\"\nover = \"transfer\"\nsteps = [\"64k\", \"1m\"]\n[[series.phases]]\n\
         id = \"{phase}\"\nior = \"-w -t {{step}}\"\nrole = \"reported\"\n"
    )
}

#[test]
fn an_id_is_used_only_once() {
    let made = "[dataset.big]\nior = \"-w -k\"\n[state.full]\npreload = 5\n";
    for (rest, error) in [
        (
            made.to_owned() + &reported("dataset.big"),
            "test dataset.big: dataset.big already has this id. \
                                                      Change one.",
        ),
        (
            made.to_owned() + &reported("state.full"),
            "test state.full: state.full already has this id. \
                                                     Change one.",
        ),
        (group("G", "") + &group("G", ""), "group G: group G already has this id. Change one."),
        (group("G", "") + &reported("G"), "test G: group G already has this id. Change one."),
        (reported("G") + &group("G", ""), "group G: test G already has this id. Change one."),
        (group("G", "") + &reported("G.a"), "test G.a: test G.a already has this id. Change one."),
        (series("S", "w") + &series("S", "x"), "series S: series S already has this id. Change one."),
        (
            reported("S.t1m.w") + &series("S", "w"),
            "test S.t1m.w: test S.t1m.w already has this id. Change \
                                                   one.",
        ),
        (
            group("S.t1m.w", "") + &series("S", "w"),
            "test S.t1m.w: group S.t1m.w already has this id. \
                                                    Change one.",
        ),
    ] {
        let said = rejection(&rest);
        assert!(said.ends_with(&format!(": {error}")), "{said}");
    }
    let apart = made.to_owned() + &reported("big") + &group("full", "") + &series("S", "w");
    assert_eq!(Plan::parse(&format!("{HEAD}{apart}"), "p.toml").unwrap().tests.len(), 5);
}

/// Two file systems, one with counted servers, and several nodes.
const SERVED: &str = "[fs.a]\ndir = \"/a\"\nservers = 2\nset_servers = \"on {servers}\"\n\
                      count_servers = \"c\"\n[clients]\ndelivered = 4\n[launch]\nkind = \"mpirun\"\n";

/// A series with these keys, and a phase with those.
fn with(keys: &str, phase: &str) -> String {
    format!(
        "{SERVED}[[series]]\nid = \"S\"\n{keys}\n[[series.phases]]\nid = \"w\"\nior = \"-w\"\nrole \
            = \"reported\"\n{phase}"
    )
}

#[test]
fn the_ranks_and_the_file_system_of_a_series_apply_to_its_phases() {
    let plan =
        |keys: &str, phase: &str| Plan::parse(&format!("{HEAD}{}", with(keys, phase)), "p.toml").unwrap();
    let all = |plan: &Plan| -> Vec<(String, u32)> {
        plan.tests.iter().map(|test| (test.fs.clone(), test.placement.ranks)).collect()
    };
    let transfer = "over = \"transfer\"\nsteps = [\"64k\", \"1m\"]\nppn = 4\nfs = \"a\"";
    assert_eq!(all(&plan(transfer, "nodes = \"50%\"")), vec![("a".into(), 8); 2]);
    assert_eq!(all(&plan(transfer, "nodes = 1\nppn = 2\nfs = \"scratch\"")), vec![("scratch".into(), 2); 2]);
    let servers = plan("over = \"servers\"\nsteps = [\"1\", \"2\"]\nnodes = 2\nppn = 3\nfs = \"a\"", "");
    assert_eq!(all(&servers), vec![("a".into(), 6); 2]);
    assert_eq!(servers.tests[0].step.as_ref().and_then(|step| step.servers), Some(1));
}

#[test]
fn a_phase_cannot_set_what_the_step_decides() {
    for (keys, phase, error) in [
        (
            "over = \"servers\"\nsteps = [\"1\", \"2\"]\nfs = \"a\"",
            "fs = \"scratch\"",
            "series S, phase w: the servers of the steps are those of fs.a. Remove `fs`, or give the \
             series the same `fs`.",
        ),
        (
            "over = \"nodes\"\nsteps = [\"1\", \"2\"]\nfs = \"a\"",
            "nodes = 4",
            "series S, phase w: the series sets the nodes of its phases. Remove `nodes`.",
        ),
        (
            "over = \"transfer\"\nsteps = [\"64k\", \"1m\"]\nfs = \"a\"\nnodes = 2",
            "nodes = 4",
            "series S, phase w: the series sets the nodes of its phases. Remove `nodes`.",
        ),
        (
            "over = \"nodes\"\nsteps = [\"1\", \"2\"]\nfs = \"a\"\nnodes = 2",
            "",
            "series S: its steps are the nodes. Remove `nodes`.",
        ),
    ] {
        let said = rejection(&with(keys, phase));
        assert!(said.ends_with(&format!(": {error}")), "{said}");
    }
}

/// A series over transfers whose two phase ids differ before a dot.
fn dotted(first: &str, second: &str) -> String {
    let phase = |id: &str| {
        format!(
            "[[series.phases]]\nid = \"{id}\"\nior = \"-w -t {{step}}\"\n\
             criterion = {{ metric = \"write.bw\", linear_within = \"10%\" }}\n"
        )
    };
    let head = "[[series]]\nid = \"S\"\nover = \"transfer\"\nsteps = [\"64k\", \"1m\"]\n";
    format!("{head}{}{}", phase(first), phase(second))
}

/// A projection from this phase of a series over nodes.
fn asked(from: &str) -> String {
    format!(
        "{}[[projection]]\nof = \"S.n24.w.write.bw\"\nfrom = \"{from}\"\nto = 32\nsystem = \"A\"\n\
             simulated = true\n\
             [system.A]\nprocessor = \"p\"\nclock = \"1 GHz\"\ninterconnect = \"i\"\ncores = 1\n",
        dotted("w", "b.w").replace("transfer", "nodes").replace("\"64k\", \"1m\"", "\"8\", \"16\", \"24\"")
    )
}

#[test]
fn a_projection_from_simulated_nodes_or_too_far_is_rejected_when_the_plan_is_checked() {
    let unmarked = asked("S.w").replace("simulated = true\n", "");
    assert!(
        rejection(&unmarked).contains("the nodes of its steps are simulated"),
        "{}",
        rejection(&unmarked)
    );
    let real = format!("[launch]\nkind = \"srun\"\n{unmarked}");
    assert!(Plan::parse(&format!("{HEAD}{real}"), "p.toml").is_ok(), "the launcher has real nodes");
    let marked = format!("[clients]\nsimulated = true\n{real}");
    assert!(
        rejection(&marked).contains("mark the projection with `simulated = true`"),
        "{}",
        rejection(&marked)
    );
    let far = asked("S.w").replace("to = 32", "to = 73");
    assert!(
        rejection(&far).ends_with(
            "73 is 3.04 times the largest step, 24, but at most 3 times can be projected. Measure larger \
             steps, or \
             project to at most 72."
        ),
        "{}",
        rejection(&far)
    );
    let recorded = Plan::recorded(&format!("{HEAD}{far}"), "p.toml", &Choice::default()).unwrap();
    assert!(recorded.projections[0].is_simulated, "a recorded campaign is still evaluated");
}

#[test]
fn phases_are_distinguished_also_if_their_ids_contain_dots() {
    for (first, second) in [("w", "b.w"), ("b.w", "w")] {
        let plan = Plan::parse(&format!("{HEAD}{}", dotted(first, second)), "p.toml").unwrap();
        for test in &plan.tests[2..] {
            let base = format!("S.t64k.{}", test.name);
            assert!(
                test.criteria[0].written.contains(&format!("linear from {base} (")),
                "{:?}",
                test.criteria
            );
        }
    }
    for (from, steps) in [("S.w", [0, 2, 4]), ("S.b.w", [1, 3, 5])] {
        let plan = Plan::parse(&format!("{HEAD}{}", asked(from)), "p.toml").unwrap();
        assert_eq!(plan.projections[0].steps, steps, "{from}");
    }
    assert!(
        rejection(&asked("S.c")).contains("`S.c` is not a phase of a series"),
        "{}",
        rejection(&asked("S.c"))
    );
    let of = "projection of S.n24.w.write.bw: ";
    for (was, is, error) in [
        (
            "\"8\", \"16\", \"24\"",
            "\"8\", \"24\"",
            format!("{of}a projection needs 3 different steps, but there are only 2"),
        ),
        (
            "to = 32",
            "to = 24",
            format!("{of}24 is not above 24, the largest step. Project to a larger number."),
        ),
        (
            "S.n24.w.write.bw",
            "S.n24.w",
            "projection of S.n24.w: `S.n24.w` is a test. Add one of its metrics, as in `S.n24.w.write.bw`. \
             `of` names the test whose rate is projected, with its metric."
                .into(),
        ),
    ] {
        let said = rejection(&asked("S.w").replace(was, is));
        assert!(said.ends_with(&error), "{said}");
    }
    let of_transfers =
        asked("S.w").replace("nodes", "transfer").replace("\"8\", \"16\", \"24\"", "\"1k\", \"2k\", \"3k\"");
    let said = rejection(&of_transfers.replace("S.n24", "S.t3k"));
    assert!(
        said.ends_with("steps of transfers cannot be extrapolated. Take a series over servers or nodes."),
        "{said}"
    );
}

/// A series over transfers with these keys in its phase.
fn phased(keys: &str) -> String {
    format!(
        "[[series]]\nid = \"S\"\nover = \"transfer\"\nsteps = [\"64k\", \"1m\"]\n[[series.phases]]\n\
         id = \"w\"\nrole = \"reported\"\n{keys}\n"
    )
}

#[test]
fn the_step_is_inserted_in_all_commands_of_a_phase() {
    let app = "app = { argv = [\"./p\", \"-t\", \"{step}\"], parse = \"ior\" }";
    let plan = |keys: &str| Plan::parse(&format!("{HEAD}{}", phased(keys)), "p.toml").unwrap();
    let made = plan("ior = \"-w -t {step}\"\nsetup = [\"echo {step} {dir}\"]");
    assert_eq!(made.tests[1].setup, ["echo 1m {dir}"]);
    assert!(made.tests[1].line.words().contains(&"1m".to_owned()));
    assert_eq!(plan(app).tests[0].line.words(), ["./p", "-t", "64k"]);
}

#[test]
fn placeholders_that_nothing_replaces_are_rejected() {
    let outside = |keys: &str| test_with(&format!("role = \"reported\"\n{keys}"));
    let step = "which is allowed only in command lines, `setup` and `app.argv` of a phase of a series";
    let exported = "A test's export is allowed only in command lines of workloads, and a name of \
                    [parameters] ends with `}`.";
    let exports = "exports = { S = \"min(file.size)\" }\n";
    for (rest, error) in [
        (
            outside("ior = \"-w -t 1m\"\nsetup = [\"echo {step}\"]"),
            format!("8:10: `setup` has `{{step}}`, {step}"),
        ),
        (
            outside("app = { argv = [\"./p\", \"{step}\"], parse = \"ior\" }"),
            format!("7:24: `argv` has `{{step}}`, {step}"),
        ),
        (phased("ior = \"-w\"\nclause = \"at {step}\""), format!("12:10: `clause` has `{{step}}`, {step}")),
        (
            outside(&format!("ior = \"-w -F -k\"\n{exports}setup = [\"echo ${{S}}\"]")),
            format!("9:10: `setup` has `${{`. {exported}"),
        ),
        (outside("ior = \"-w\"\nsetup = [\"echo ${S\"]"), format!("8:10: `setup` has `${{`. {exported}")),
    ] {
        assert_eq!(rejection(&rest), format!("p.toml:{error}"));
    }
}

#[test]
fn the_files_of_a_search_cannot_be_used() {
    let made = "launch.kind = \"mpirun\"\n[[test]]\nid = \"W\"\nior = \"-w -F -k\"\n\
                nodes = { search = [2, 4], gain = \"3 %\" }\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }\n";
    let reader = |uses: &str| {
        test_with(&format!("uses = \"{uses}\"\nior = \"-r -F -k\"\nnodes = 2\nrole = \"reported\""))
    };
    assert_eq!(
        rejection(&format!("{made}{}", reader("W"))),
        "p.toml:12:8: test T: uses `W`, but a search decides its number of nodes, so its number of files \
         is unknown. Use a test with one number of nodes."
    );
    Plan::parse(&format!("{HEAD}{made}{}", reader("W.n2")), "p.toml").unwrap();
}

#[test]
fn parts_overlap_by_at_most_100_percent() {
    let said = rejection(&group("G", "overlap = \"150 %\"\n"));
    assert_eq!(said, "p.toml:6:11: group G: overlap is a share of the shorter part, at most `100%`");
    Plan::parse(&format!("{HEAD}{}", group("G", "overlap = \"100 %\"\n")), "p.toml").unwrap();
}

#[test]
fn parts_of_a_group_share_the_state_of_their_file_system() {
    let part = |id: &str, keys: &str| {
        format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n{keys}\n")
    };
    let aged = "fs = \"scratch\"\nstates = [\"aged\"]";
    let head = "fs.home = { dir = \"/home\" }\n[state.aged]\nage = \"--blocks 80%\"\nfs = \"scratch\"\n\
                [[group]]\nid = \"G\"\n";
    let on = |first: &str, second: &str| format!("{head}{}{}", part("a", first), part("b", second));
    for rest in [on(aged, "fs = \"scratch\""), on("fs = \"scratch\"", aged)] {
        let said = rejection(&rest);
        assert!(
            said.ends_with(
                "test G.b: state.aged affects all of fs.scratch, and test G.a runs there at the same \
                 time. Give both the same `states`."
            ),
            "{said}"
        );
    }
    for rest in [on(aged, aged), on(aged, "fs = \"home\""), on("fs = \"home\"", aged)] {
        Plan::parse(&format!("{HEAD}{rest}"), "p.toml").expect(&rest);
    }
}

#[test]
fn the_worst_repetition_is_the_largest_where_less_is_better() {
    let criterion = |metric: &str, op: &str, value: &str| {
        format!("{{ metric = \"write.{metric}\", op = \"{op}\", value = \"{value}\" }}")
    };
    let (most, least) = (criterion("latency.p99", "<=", "1 ms"), criterion("bw", ">=", "1 GB/s"));
    let test = test_with(&format!("ior = \"-w\"\ndecide.rule = \"min\"\ncriterion = [{most}, {least}]"));
    let plan = Plan::parse(&format!("{HEAD}{test}"), "p.toml").unwrap();
    let shown: Vec<String> = plan.tests[0].criteria.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["max <= 1 ms", "min >= 1 GB/s"]);
}
