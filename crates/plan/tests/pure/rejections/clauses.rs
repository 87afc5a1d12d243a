//! Clauses of a contract, rules of single criteria, and shares of the own group.

use plan::{Goal, Plan};

use super::{HEAD, rejection};

const CLAUSES: &str = "[[clause]]\nid = \"4.2\"\ntext = \"write and read\"\nsource = \"page 12\"\n\
                       [[clause]]\nid = \"§ 5 (a)\"\ntext = \"no error\"\n";

fn plan(rest: &str) -> Plan {
    Plan::parse(&format!("{HEAD}{rest}"), "p.toml").unwrap_or_else(|error| panic!("{error}\n{rest}"))
}

fn test(id: &str, keys: &str, criterion: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nior = \"-w -W -F\"\n{keys}criterion = {{ metric = \"write.bw\", op = \
         \">=\", value = \"1 B/s\"{criterion} }}\n"
    )
}

#[test]
fn a_clause_has_criteria_of_several_tests_groups_and_scores() {
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nior = \"-w\"\ncriterion = {{ metric = \"write.bw\", op = \
             \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let group = format!(
        "[[group]]\nid = \"G\"\nclause = \"4.2\"\ncriterion = {{ metric = \"write.bw\", op = \">=\", value = \
         \"1 B/s\", clause = \"§ 5 (a)\" }}\n{}{}",
        part("a"),
        part("b")
    );
    let score = "[[score]]\nid = \"S\"\nclause = \"4.2\"\nof = [\"A.write.bw\", \"B.write.bw\"]\n\
                 criterion = { op = \">=\", value = \"1 B/s\", label = \"both\" }\n";
    let plan = plan(&format!(
        "{CLAUSES}{}{}{group}{score}",
        test("A", "clause = \"4.2\"\n", ", label = \"alone\""),
        test("B", "clause = \"4.2\"\n", ", clause = \"§ 5 (a)\""),
    ));
    assert_eq!(plan.clauses[0].source, "page 12");
    let terms = |test: usize| &plan.tests[test].criteria[0].terms;
    let of_tests: Vec<Option<usize>> = (0..4).map(|test| terms(test).clause).collect();
    assert_eq!(of_tests, [Some(0), Some(1), Some(0), Some(0)], "a criterion, its test, its group");
    assert_eq!((terms(0).label.as_str(), terms(1).requirement.as_str()), ("alone", "no error"));
    assert_eq!(plan.groups[0].criteria[0].terms.clause, Some(1));
    let score = &plan.scores[0].criterion.as_ref().unwrap().terms;
    assert_eq!((score.clause, score.label.as_str()), (Some(0), "both"));
}

#[test]
fn without_clauses_of_a_contract_the_key_is_the_requirement_text() {
    let plan = plan(&(test("A", "clause = \"4.2\"\n", "") + &test("B", "", ", clause = \"its own\"")));
    let terms = |test: usize| (&plan.tests[test].criteria[0].terms, plan.tests[test].clause.as_str());
    assert_eq!((terms(0).0.clause, terms(0).0.requirement.as_str(), terms(0).1), (None, "4.2", "4.2"));
    assert_eq!((terms(1).0.requirement.as_str(), terms(1).1), ("its own", "B"));
}

/// A group whose parts have clauses of their own.
fn group(keys: &str) -> String {
    let part = |id: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\nclause = \"4.2\"\nior = \"-w\"\ncriterion = {{ metric = \
             \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    format!("[[group]]\nid = \"G\"\n{keys}{}{}", part("a"), part("b"))
}

/// A score without a criterion.
const SCORE: &str = "[[score]]\nid = \"S\"\nof = [\"A.write.bw\", \"A.write.bw\"]\n";

#[test]
fn a_test_without_the_key_clause_belongs_to_none_also_if_a_clause_has_its_id() {
    let plan = plan(&format!("{CLAUSES}{}", test("4.2", "", ", clause = \"§ 5 (a)\"")));
    let of_test = &plan.tests[0];
    let terms = &of_test.criteria[0].terms;
    assert_eq!(
        (of_test.clause.as_str(), terms.requirement.as_str(), terms.clause),
        ("4.2", "no error", Some(1))
    );
}

#[test]
fn a_criterion_of_no_clause_and_an_unknown_or_repeated_clause_are_rejected() {
    for (rest, wanted) in [
        (format!("{CLAUSES}{}", test("A", "", "")), "test A: this criterion belongs to no [[clause]]"),
        (
            format!("{CLAUSES}{}", test("A", "clause = \"4.3\"\n", "")),
            "test A: `4.3` is not the id of a [[clause]]. Did you mean `4.2`?",
        ),
        (
            format!("{CLAUSES}{}", test("A", "clause = \"4.2\"\n", ", clause = \"9\"")),
            "test A: `9` is not the id of a [[clause]]. Known: 4.2, § 5 (a).",
        ),
        (format!("{CLAUSES}{CLAUSES}"), "clause 4.2: another clause already has this id"),
        ("[[clause]]\nid = \"1\"\ntext = \" \"\n".to_owned(), "the requirement text is empty"),
        ("[[clause]]\nid = \"a\\nb\"\ntext = \"c\"\n".to_owned(), "a clause's id must be a text in one line"),
        ("[[clause]]\nid = \" 1\"\ntext = \"c\"\n".to_owned(), "without blanks at its ends"),
        ("[[clause]]\nid = \"1\u{a0}\"\ntext = \"c\"\n".to_owned(), "without blanks at its ends"),
        (
            format!("{CLAUSES}[[test]]\nid = \"A\"\nior = \"-w\"\nrole = \"reported\"\nclause = \"4.22\"\n"),
            "test A: `4.22` is not the id of a [[clause]]. Did you mean `4.2`?",
        ),
        (
            format!("{CLAUSES}{}", test("A", "clause = \"4.22\"\n", ", clause = \"4.2\"")),
            "test A: `4.22` is not the id of a [[clause]]",
        ),
        (
            format!("{CLAUSES}{}", group("clause = \"4.22\"\n")),
            "group G: `4.22` is not the id of a [[clause]]",
        ),
        (
            format!("{CLAUSES}{}{SCORE}clause = \"4.22\"\n", test("A", "clause = \"4.2\"\n", "")),
            "score S: `4.22` is not the id of a [[clause]]",
        ),
    ] {
        let found = rejection(&rest);
        assert!(found.contains(wanted), "{rest}\n{found}");
    }
    let spoiled = "[[clause]]\nid = \"1\"\ntext = 5\n".to_owned() + &test("A", "clause = \"1\"\n", "");
    let errors = Plan::check(&format!("{HEAD}{spoiled}"), "p.toml", &plan::Choice::default()).unwrap_err();
    assert_eq!(errors.all().len(), 1, "{errors}");
}

#[test]
fn only_a_group_compares_parts_and_only_parts_with_the_phase() {
    let part = |id: &str, line: &str, metric: &str| {
        format!(
            "[[group.parts]]\nid = \"{id}\"\n{line}\ncriterion = {{ metric = \"{metric}\", op = \">=\", \
             value = \"1/s\" }}\n"
        )
    };
    let ior = "ior = \"-w\"";
    let group = |metric: &str, first: &str, second: &str| {
        format!(
            "[[group]]\nid = \"G\"\ncriterion = {{ metric = \"{metric}\", op = \"<=\", value = \"10 %\" }}\n\
             {first}{second}"
        )
    };
    let writers = [part("a", ior, "write.iops"), part("b", ior, "write.iops")];
    let of_group = plan(&group("write.part.spread", &writers[0], &writers[1])).groups.remove(0);
    assert_eq!(of_group.criteria[0].dimension, units::Dimension::Fraction);
    let creates = part("b", "mdtest = \"-n 5\"", "file_creation.rate");
    let compared = part("b", ior, "write.part.min");
    for (rest, wanted) in [
        (
            group("write.part.spread", &writers[0], &creates),
            "group G: `write.part.spread` compares parts, and only one has this phase",
        ),
        (group("read.part.spread", &writers[0], &writers[1]), "group G: no part yields `read.part.spread`"),
        (
            group("write.part.spread", &writers[0], &compared),
            "test G.b: `write.part.min` compares the parts of a [[group]]. Put it into its `criterion`.",
        ),
    ] {
        let found = rejection(&rest);
        assert!(found.contains(wanted), "{rest}\n{found}");
    }
}

/// A write test, a read test on its files, and a test on other files.
fn linked(write: &str, read: &str, criterion: &str) -> String {
    format!(
        "[[test]]\nid = \"W\"\nrepetitions = 3\nior = \"-w -k\"\n{write}\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", {criterion} }}\n\
             [[test]]\nid = \"R\"\nrepetitions = 3\nior = \"-r -k\"\nuses = \"W\"\n{read}\n\
             criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }}\n\
             [[test]]\nid = \"X\"\nrepetitions = 2\nior = \"-w -k\"\nrole = \"reported\"\n"
    )
}

#[test]
fn the_best_repetition_is_chosen_by_a_rate_of_the_test_or_of_one_on_the_same_files() {
    let value = "value = \"1 B/s\"";
    let plan = plan(&linked("best_of = \"R.read.bw\"", "best_of = \"read.bw\"", value));
    let best = |at: usize| plan.tests[at].best_of.as_ref().map(|best| (best.test, best.metric.as_str()));
    assert_eq!([best(0), best(1), best(2)], [Some((1, "read.bw")), Some((1, "read.bw")), None]);
    let stats = [0, 1].map(|at| &plan.tests[at].criteria[0]).map(|one| (one.stat, one.terms.as_written));
    assert_eq!(stats, [(plan::Stat::Best, true), (plan::Stat::Max, true)]);
    let best = |word: &str| format!("best_of = \"{word}\"");
    for (rest, wanted) in [
        (linked(&best("bw"), "", value), "test W: best_of: metric `bw` has no phase"),
        (
            linked(&best("write.errors"), "", value),
            "test W: best_of: `write.errors` is not a rate of all ranks",
        ),
        (
            linked(&best("X.write.bw"), "", value),
            "test W: best_of: neither of W and X `uses` the files of the other",
        ),
        (
            linked(&best("write.bw"), "", "value = \"1 B/s\", stat = \"mean\""),
            "write.bw: `best_of` of the test chooses one repetition. Remove `stat`, or `best_of`.",
        ),
        (
            linked(&best("write.bw"), "", "value = \"90% of accepted\""),
            "write.bw: its test has `best_of`. Compare it with a value, or a share of known.NAME.",
        ),
        (linked("", "", "value = \"1 B/s\", stat = \"best\""), "`best` needs a test with `best_of`"),
        (
            linked(&(best("write.bw") + "\ndecide = { rule = \"mean\", looks = 2 }"), "", value),
            "test W: best_of: one repetition has no confidence that `looks` could share.",
        ),
    ] {
        let found = rejection(&rest);
        assert!(found.contains(wanted), "{rest}\n{found}");
    }
}

#[test]
fn scores_have_weights_for_each_part_and_parts_of_one_kind() {
    let value = "value = \"1 B/s\"";
    for (rest, wanted) in [
        (
            linked("", "", value)
                + "[[score]]\nid = \"S\"\nof = [\"W.write.bw\", \"R.read.bw\"]\n\
                   criterion = { op = \">=\", stat = \"best\", value = \"1 B/s\" }\n",
            "score S: `best` needs tests with `best_of`",
        ),
        (
            linked("best_of = \"write.bw\"", "", value)
                + "[[score]]\nid = \"S\"\nof = [\"W.write.bw\", \"R.read.bw\"]\n",
            "score S: one of W and R has `best_of`.",
        ),
        (
            linked("", "", value)
                + "[[score]]\nid = \"S\"\nweights = [1]\nof = [\"W.write.bw\", \"R.read.bw\"]\n",
            "score S: weights has 1 numbers for 2 parts. Write one for each part.",
        ),
        (
            linked("", "", value)
                + "[[score]]\nid = \"S\"\nweights = [1, 0]\nof = [\"W.write.bw\", \"R.read.bw\"]\n",
            "score S: a weight is a number above 0",
        ),
        (
            linked("", "", value)
                + "[[score]]\nid = \"S\"\nof = [\"W.write.bw\", \"R.read.bw\"]\n\
                   [[score]]\nid = \"T\"\nformula = \"sum\"\nof = [\"S\", \"R.read.bw\"]\n",
            "score T: S has another formula",
        ),
    ] {
        let found = rejection(&rest);
        assert!(found.contains(wanted), "{rest}\n{found}");
    }
}

#[test]
fn requirements_of_a_measurement_are_read_and_checked() {
    let with = |require: &str| {
        format!(
            "[[test]]\nid = \"W\"\nior = \"-w -k\"\nrole = \"reported\"\n[[test]]\nid = \"R\"\n\
             ior = \"-r -k\"\nuses = \"W\"\nrole = \"reported\"\nrequire = {{ {require} }}\n"
        )
    };
    let required = |require: &str| plan(&with(require)).tests[1].required.clone();
    let bytes = |text: &str| required(&format!("bytes_per_node = \"{text}\"")).bytes_per_node;
    assert_eq!(bytes("128 GiB"), Some(plan::BytesPerNode::Bytes(128.0 * f64::from(1 << 30))));
    assert_eq!(bytes("150 % of memory"), Some(plan::BytesPerNode::OfMemory(1.5)));
    let all = required(
        "job_time = \"1 min\", gap = \"30 s\", phase_gap = \"5 s\", consecutive = true, nodes = 10, \
         own_files = true, cores = \"80 %\", ranks = \"power of two\", persistent = true",
    );
    let wanted = plan::Requirements {
        job_s: Some(60.0),
        gap_s: Some(30.0),
        phase_gap_s: Some(5.0),
        consecutive: true,
        nodes: Some(10),
        cores: Some(0.8),
        power_of_two: true,
        persistent: true,
        bytes_per_node: None,
    };
    assert_eq!(all, wanted);
    for (require, wanted) in [
        ("bytes_per_node = \"128\"", "test R: require: bytes_per_node: `128` has no unit"),
        ("bytes_per_node = \"5 s of memory\"", "test R: require: bytes_per_node: `5 s` does not fit"),
        ("ranks = \"power of 3\"", "unknown word `power of 3`"),
    ] {
        let found = rejection(&with(require));
        assert!(found.contains(wanted), "{require}\n{found}");
    }
    for (line, require, key) in [
        ("mdtest = \"-n 5\"", "bytes_per_node = \"1 B\"", "bytes_per_node"),
        ("mdtest = \"-n 5\"", "persistent = true", "persistent"),
        ("app = { argv = [\"a\"], parse = \"ior\" }", "cores = \"1 %\"", "cores"),
    ] {
        let text = format!("[[test]]\nid = \"T\"\n{line}\nrole = \"reported\"\nrequire = {{ {require} }}\n");
        let found = rejection(&text);
        let wanted = format!("test T: require.{key}: the records of this workload cannot show it");
        assert!(found.contains(&wanted), "{text}\n{found}");
    }
    let found = rejection(&with("own_files = true").replace("uses =", "setup = [\"cp /x {dir}\"]\nuses ="));
    assert!(found.contains("test R: require.own_files: leave out `setup`"), "{found}");
    let found =
        rejection(&with("own_files = true").replace("ior = \"-w -k\"", "ior = \"-w -k\"\nsetup = [\"x\"]"));
    assert!(found.contains("test R: require.own_files: leave out `setup`"), "the maker has it: {found}");
    let steps = "order = \"random\"\nnodes = { steps = [\"50%\", \"100%\"] }\n";
    let found = rejection(&format!(
        "[clients]\ndelivered = 4\n[[test]]\nid = \"T\"\nior = \"-w\"\nrole = \"reported\"\n{steps}\
         require = {{ consecutive = true }}\n"
    ));
    assert!(found.contains(": require.consecutive: with this `order`"), "{found}");
    let found = rejection(&with("gap = \"1 s\"").replace("uses = \"W\"\n", "").replace("-r -k", "-w"));
    assert!(found.contains("require.gap is the time since the test whose files it `uses`"), "{found}");
}

#[test]
fn a_criterion_has_its_own_rule_and_its_own_limit_of_variability() {
    let defaults = "[defaults]\ncov_max = \"20 %\"\n";
    let rule = "decide = { rule = \"as-written\" }\n";
    for (keys, criterion, wanted) in [
        ("", "", (false, Some(0.2))),
        ("", ", cov_max = \"30 %\"", (false, Some(0.3))),
        ("", ", cov_max = \"\"", (false, None)),
        ("", ", rule = \"as-written\"", (true, None)),
        ("", ", rule = \"as-written\", cov_max = \"5 %\"", (true, Some(0.05))),
        (rule, "", (true, None)),
    ] {
        let plan = plan(&format!("{defaults}{}", test("A", keys, criterion)));
        let terms = &plan.tests[0].criteria[0].terms;
        assert_eq!((terms.as_written, terms.cov_max), wanted, "{keys}{criterion}");
    }
    let found = rejection(&test("A", "", ", rule = \"median\""));
    assert!(found.contains("unknown word `median`"), "{found}");
    let looks = |rule: &str| format!("decide = {{ rule = \"{rule}\", looks = 3 }}\n");
    let found = rejection(&test("A", &looks("as-written"), ""));
    assert!(found.contains("as-written: there is no confidence that 3 looks could share"), "{found}");
    assert_eq!(plan(&test("A", &looks("mean"), ", rule = \"as-written\"")).tests[0].decide.looks, 3);
}

/// A group whose part `a` is compared with this share, and whose part `n` follows it.
fn compared(share: &str) -> String {
    format!(
        "[[group]]\nid = \"G\"\n[[group.parts]]\nid = \"a\"\nior = \"-w\"\ncriterion = {{ metric = \
         \"write.bw\", op = \">=\", value = \"{share}\" }}\n[[group.parts]]\nid = \"n\"\nior = \"-w\"\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", value = \"50% of a.write.bw\" }}\n"
    )
}

#[test]
fn a_part_of_a_group_is_compared_with_any_other_part_by_its_name_in_the_group() {
    for share in ["80% of n.write.bw", "80% of G.n.write.bw"] {
        let plan = plan(&compared(share));
        let goals = plan.tests.iter().map(|test| match &test.criteria[0].goal {
            Goal::Share { test, metric, .. } => (*test, metric.as_str()),
            goal => panic!("{goal:?}"),
        });
        assert_eq!(goals.collect::<Vec<_>>(), [(1, "write.bw"), (0, "write.bw")], "{share}");
        assert_eq!(plan::schedule::jobs(&plan, &["G.a".to_owned()]).unwrap().len(), 2);
    }
    for (rest, wanted) in [
        (compared("80% of a.write.bw"), "`a.write.bw` does not name a test"),
        (compared("80% of G.a.write.bw"), "`G.a.write.bw` does not name a test"),
        (
            "[[test]]\nid = \"n\"\nior = \"-w\"\nrole = \"reported\"\n".to_owned()
                + &compared("80% of n.write.bw"),
            "`n` is a test, and a part of this group. Write `G.n` for the part.",
        ),
    ] {
        let found = rejection(&rest);
        assert!(found.contains(wanted), "{found}");
    }
}
