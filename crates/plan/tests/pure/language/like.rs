//! A test that is like another one, and a scale that is like another one.

use plan::{Choice, Plan, Role, Test};

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.scratch = { dir = \"{dir}\" }\n\
                    clients.delivered = 8\n";

/// A test with many keys.
const BASE: &str = r#"
[state.full70]
age = "--blocks 70% --inodes 20%"
[[test]]
id = "C.1w"
clause = "it writes at 3 GB/s"
ior = "-w -F -e -g -t 1m -b 4g"
nodes = 4
ppn = 2
repetitions = 5
timeout = "3 min"
cov_max = "20 %"
sustained = "5 s"
setup = ["lfs setstripe -c 1 {dir}"]
stripes = 1
waive = [{ lint = "write-iops-buffered", why = "meant", approved_by = "A. Person" }]
criterion = { metric = "write.bw", op = ">=", value = "3 GB/s" }
"#;

fn plan(rest: &str) -> Plan {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").unwrap_or_else(|error| panic!("{error}\n{rest}"))
}

/// The test with this id, without its place in the file.
fn test(plan: &Plan, id: &str) -> Test {
    let found = plan.test(id).unwrap_or_else(|| panic!("no {id}"));
    Test { at: (0, 0), ..found.clone() }
}

fn errors(rest: &str) -> Vec<String> {
    let text = format!("{HEAD}{rest}");
    let errors = Plan::check(&text, "p.toml", &Choice::default()).expect_err(&text);
    errors.all().iter().map(|error| error.0.clone()).collect()
}

#[test]
fn a_test_like_another_one_is_the_same_as_one_with_all_keys_written() {
    let short = format!("{BASE}[[test]]\nid = \"C.1w70\"\nlike = \"C.1w\"\nstates = [\"full70\"]\n");
    let own = BASE.split("[[test]]").nth(1).unwrap();
    let own = own.replace("C.1w", "C.1w70").replace("clause = \"it writes at 3 GB/s\"\n", "");
    let own: String =
        own.lines().filter(|line| !line.starts_with("waive")).map(|line| format!("{line}\n")).collect();
    let long = format!("{BASE}[[test]]\n{own}states = [\"full70\"]\n");
    let (short, long) = (test(&plan(&short), "C.1w70"), test(&plan(&long), "C.1w70"));
    assert_eq!(short, long);
    assert_eq!((short.criteria[0].to_string().as_str(), short.placement.ranks), ("mean >= 3 GB/s", 8));
}

#[test]
fn id_requirement_text_waivers_and_exports_are_those_of_one_test_only() {
    let base = BASE
        .replace("setup", "exports = { SMALLEST = \"min(file.size)\" }\nsetup")
        .replace("-b 4g", "-b 4g -k");
    let plan = plan(&format!("{base}[[test]]\nid = \"X\"\nlike = \"C.1w\"\n"));
    let [own, other] = ["C.1w", "X"].map(|id| test(&plan, id));
    assert_eq!((own.waivers.len(), own.exports.len(), own.clause.as_str()), (1, 1, "it writes at 3 GB/s"));
    assert_eq!((other.waivers.len(), other.exports.len(), other.clause.as_str()), (0, 0, "X"));
    assert_eq!(own.line, other.line);
}

#[test]
fn a_key_that_is_given_replaces_the_value_and_its_alternatives() {
    let like =
        |keys: &str| test(&plan(&format!("{BASE}[[test]]\nid = \"X\"\nlike = \"C.1w\"\n{keys}\n")), "X");
    let other = like(
        "mdtest = \"-F -C -n 10\"\nsustained = \"1 s\"\n\
         criterion = { metric = \"file_creation.rate\", op = \">=\", value = \"1 /s\" }",
    );
    assert_eq!((other.line.workload(), other.repetitions), ("mdtest", 5));
    let ranks = like("ranks = 6");
    assert_eq!((ranks.placement.ranks, ranks.placement.nodes, ranks.placement.ppn), (6, Some(3), Some(2)));
    let nodes = like("nodes = 2");
    assert_eq!((nodes.placement.ranks, nodes.placement.ppn), (4, Some(2)));
    let reported = like("role = \"reported\"");
    assert_eq!((reported.role, reported.criteria.len()), (Role::Reported, 0));
    let hero = like("role = \"hero\"\ncompare_to = \"C.1w\"");
    assert_eq!((hero.role, hero.criteria.len()), (Role::Hero(0), 0));
    let chain = format!(
        "{BASE}[[test]]\nid = \"X\"\nlike = \"Y\"\nppn = 1\n[[test]]\nid = \"Y\"\nlike = \"C.1w\"\n\
         repetitions = 2\n"
    );
    let last = test(&plan(&chain), "X");
    assert_eq!((last.repetitions, last.placement.ranks, last.criteria.len()), (2, 4, 1));
}

#[test]
fn phases_of_a_series_and_parts_of_a_group_can_be_like_a_test() {
    let plan = plan(&format!(
        "{BASE}[[series]]\nid = \"S\"\nover = \"nodes\"\nsteps = [\"1\", \"2\"]\n\
         [[series.phases]]\nid = \"w\"\nlike = \"C.1w\"\nppn = 4\n\
         [[group]]\nid = \"G\"\nrepetitions = 2\n[[group.parts]]\nid = \"a\"\nlike = \"C.1w\"\n\
         [[group.parts]]\nid = \"b\"\nlike = \"C.1w\"\nnodes = 2\n",
    ));
    assert_eq!(["S.n1.w", "S.n2.w"].map(|id| test(&plan, id).placement.ranks), [4, 8]);
    let [a, b] = ["G.a", "G.b"].map(|id| test(&plan, id));
    assert_eq!((a.repetitions, a.placement.ranks, b.placement.ranks), (2, 8, 4));
    assert_eq!(a.criteria.len(), 1);
}

#[test]
fn a_test_like_an_unknown_or_circular_one_is_rejected_once() {
    let like = |id: &str, other: &str| format!("[[test]]\nid = \"{id}\"\nlike = \"{other}\"\n");
    let begin = "p.toml:7:8: test X: like: `C.1w` is not the id of a [[test]]";
    let found = errors(&[like("X", "C.1w"), like("Y", "X")].concat());
    assert!(found.len() == 1 && found[0].starts_with(begin), "{found:#?}");
    let found = errors(&[like("X", "Y"), like("Y", "Z"), like("Z", "X")].concat());
    assert_eq!(
        found,
        ["p.toml:13:8: test Z: like: `X` has its keys from this test. Write the keys in one of them."]
    );
    let found = errors(&like("X", "X"));
    assert!(found.len() == 1 && found[0].contains("`X` has its keys from this test"), "{found:#?}");
    // An error of a test is not repeated for the tests that are like it.
    let base = "[[test]]\nid = \"A\"\nior = \"-w\"\nrole = \"reported\"\n";
    for (wrong, place) in [("timeout = \"1\"\n", "p.toml:9:11"), ("tmeout = \"1 s\"\n", "p.toml:9:1")] {
        let found = errors(&format!("{base}{wrong}{}", like("B", "A")));
        assert!(found.len() == 1 && found[0].starts_with(place), "{found:#?}");
    }
    let found = errors(&format!("{base}{}ior = \"-r -k\"\n", like("B", "A")));
    assert!(found.len() == 1 && found[0].starts_with("p.toml:12:7: test B: no test wrote"), "{found:#?}");
}

#[test]
fn a_scale_like_another_one_has_its_values_except_its_own() {
    let text = format!(
        "{HEAD}[parameters]\nblock = \"8g\"\nranks = \"16\"\nn = \"5\"\n[scale.small]\nblock = \"1g\"\n\
         ranks = \"4\"\n\
         [scale.tiny]\nlike = \"small\"\nblock = \"1m\"\n[scale.least]\nlike = \"tiny\"\nn = \"1\"\n\
         [[test]]\nid = \"T\"\nior = \"-w -b ${{block}}\"\nranks = \"${{ranks}}\"\nrepetitions = \"${{n}}\"\n\
         role = \"reported\"\n"
    );
    let at = |scale: Option<&str>| {
        let choice = Choice { scale: scale.map(str::to_owned), ..Choice::default() };
        let plan = Plan::parse_with(&text, "p.toml", &choice).unwrap();
        let test = &plan.tests[0];
        (test.line.words()[2].clone(), test.placement.ranks, test.repetitions)
    };
    assert_eq!(at(None), ("8g".to_owned(), 16, 5));
    assert_eq!(at(Some("small")), ("1g".to_owned(), 4, 5));
    assert_eq!(at(Some("tiny")), ("1m".to_owned(), 4, 5));
    assert_eq!(at(Some("least")), ("1m".to_owned(), 4, 1));
    let rejected = |from: &str, to: &str| Plan::parse(&text.replace(from, to), "p.toml").unwrap_err().0;
    assert_eq!(
        rejected("like = \"small\"", "like = \"smal\""),
        "p.toml:13:8: no [scale.smal]. Did you mean `small`?"
    );
    let circle = rejected("like = \"small\"", "like = \"least\"");
    assert!(circle.contains("has its values from this scale"), "{circle}");
    let parameter = rejected("n = \"5\"", "n = \"5\"\nlike = \"x\"");
    assert!(parameter.starts_with("p.toml:9:8: a parameter cannot be called `like`"), "{parameter}");
}

#[test]
fn a_series_over_ranks_has_its_ranks_at_each_step() {
    let series = |keys: &str, phase: &str| {
        format!(
            "[[series]]\nid = \"S\"\nover = \"ranks\"\nsteps = [\"2\", \"4\", \"8\"]\n{keys}\n\
             [[series.phases]]\nid = \"w\"\nior = \"-w -F -b 1m\"\n{phase}\n\
             criterion = {{ metric = \"write.bw\", linear_within = \"10%\" }}\n"
        )
    };
    let placed = |keys: &str, phase: &str| {
        let plan = plan(&series(keys, phase));
        assert_eq!(plan.series[0].over, "ranks");
        ["S.r2.w", "S.r4.w", "S.r8.w"].map(|id| {
            let placement = test(&plan, id).placement;
            (placement.ranks, placement.nodes, placement.ppn)
        })
    };
    assert_eq!(placed("", ""), [(2, None, None), (4, None, None), (8, None, None)]);
    assert_eq!(placed("ppn = 2", ""), [(2, Some(1), Some(2)), (4, Some(2), Some(2)), (8, Some(4), Some(2))]);
    assert_eq!(
        placed("nodes = 2", ""),
        [(2, Some(2), Some(1)), (4, Some(2), Some(2)), (8, Some(2), Some(4))]
    );
    assert_eq!(plan(&series("", "")).tests[1].criteria.len(), 1);
    for (keys, phase, error) in [
        (
            "nodes = 3",
            "",
            "p.toml:8:9: series S, phase w: 2 ranks do not fill 3 nodes evenly. Change the steps.",
        ),
        (
            "nodes = 2",
            "ppn = 2",
            "p.toml:13:7: series S, phase w: the nodes and the ranks of a step give the ranks per node. \
             Remove `ppn`.",
        ),
        (
            "",
            "ranks = 2",
            "p.toml:13:9: series S, phase w: the steps are the ranks of its phases. Remove `ranks`.",
        ),
        (
            "",
            "nodes = 2",
            "p.toml:13:9: series S, phase w: the series sets the nodes of its phases. Remove `nodes`.",
        ),
    ] {
        assert_eq!(errors(&series(keys, phase)), [error]);
    }
    let none = series("", "").replace("\"2\", \"4\"", "\"0\", \"4\"");
    assert_eq!(
        errors(&none),
        ["p.toml:8:9: series S: `0` is not a number of ranks. Write for example `64`."]
    );
}
