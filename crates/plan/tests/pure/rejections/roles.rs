//! The role of a test, its goals, and the waivers of its findings.

use plan::Plan;
use plan::Role;

use super::{HEAD, rejection, test_with};

const CONTRACT: &str = "[[test]]\nid = \"C\"\nior = \"-w\"\n\
                        criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }\n";

#[test]
fn a_command_line_without_phases_is_rejected() {
    let idle = test_with("mdtest = \"-D -E -n 10\"\nrole = \"reported\"");
    let error = "p.toml:6:10: test T: the flags of this command line leave no phase. Remove one.";
    assert_eq!(rejection(&idle), error);
}

#[test]
fn a_hero_run_names_a_contract_test_and_has_no_criterion() {
    let hero = test_with("ior = \"-w -t 64m\"\nrole = \"hero\"\ncompare_to = \"C\"");
    let plan = Plan::parse(&format!("{HEAD}{CONTRACT}{hero}"), "p.toml").unwrap();
    assert_eq!(plan.tests[1].role, Role::Hero(0));
    for (keys, error) in [
        (
            "role = \"hero\"",
            "p.toml:9:6: test T is a hero run. Name the contract test that it is compared with, as \
             `compare_to`.",
        ),
        (
            "role = \"hero\"\ncompare_to = \"D\"",
            "p.toml:12:14: test T: `D` is not a test above this one. Did you mean `C`?",
        ),
        (
            "role = \"reported\"\ncompare_to = \"C\"",
            "p.toml:12:14: test T: `compare_to` is only for `role = \"hero\"`. Remove it.",
        ),
        (
            "role = \"hero\"\ncompare_to = \"C\"\ncriterion = { metric = \"write.bw\", op = \">=\", \
             value = \"1 GB/s\" }",
            "p.toml:9:6: test T is a hero run, which satisfies no clause, but has a criterion. Remove one \
             of them.",
        ),
    ] {
        let test = test_with(&format!("ior = \"-w\"\n{keys}"));
        assert_eq!(rejection(&format!("{CONTRACT}{test}")), error);
    }
}

#[test]
fn goals_that_refer_to_an_unknown_or_unsuitable_number_are_rejected() {
    let test = |value: &str| {
        test_with(&format!(
            "ior = \"-w\"\ncriterion = {{ metric = \"write.bw\", op = \">=\", value = \"{value}\" }}"
        ))
    };
    for (value, error) in [
        ("50% of D.write.bw", "`D.write.bw` does not name a test above this one. Did you mean `C`?"),
        ("50% of C.write.iops", "`C.write.iops` has a unit of another kind, such as 25000/s"),
        ("50% of C.read.bw", "the command line does not yield `read.bw`. Its phases are write."),
        ("50 of C.write.bw", "`50` has no unit. Write for example `50 MB/s`, `50/s` or `50 s`."),
        ("50 s of C.write.bw", "`50 s of C.write.bw`: write a share as in `50% of ID.write.bw`"),
        ("50% of known.x", "no [known.x]. There is none."),
    ] {
        let said = rejection(&format!("{CONTRACT}{}", test(value)));
        assert_eq!(said, format!("p.toml:11:55: test T: write.bw: {error}"));
    }
    let known = "[known.x]\nvalue = \"5 s\"\nsource = \"a page\"\n";
    let said = rejection(&format!("{known}{}", test("50% of known.x")));
    assert!(said.ends_with("known.x has a unit of another kind: it is 5.00 s"), "{said}");
    let said = rejection(&known.replace("5 s", "-5 s"));
    assert!(said.ends_with("known.x: `-5 s` is below zero"), "{said}");
    let said = rejection(&format!("[known.x]\nvalue = \"5 s\"\nsource = \"\"\n{}", test("50% of known.x")));
    assert!(
        said.ends_with("known.x: the source of the number is missing. Write `source = \"…\"`."),
        "{said}"
    );
}

#[test]
fn the_variability_is_compared_with_a_share_and_less_is_better() {
    let test = |metric: &str, op: &str, value: &str| {
        test_with(&format!(
            "ior = \"-w -W\"\ncriterion = {{ metric = \"{metric}\", op = \"{op}\", value = \"{value}\", \
             stat = \"cov\" }}"
        ))
    };
    let plan = Plan::parse(&format!("{HEAD}{}", test("write.bw", "<=", "5 %")), "p.toml").unwrap();
    assert_eq!(plan.tests[0].criteria[0].to_string(), "cov <= 5 %");
    for (metric, op, value, end) in [
        ("write.bw", ">=", "5 %", "write.bw: less variability is better. Compare it with `<=` or `<`."),
        ("write.bw", "<=", "1 GB/s", "`1 GB/s` has a unit of another kind. Write for example `10 %`."),
        ("write_check.errors", "<=", "5 %", "counts have no variability. Compare the count itself."),
    ] {
        let said = rejection(&test(metric, op, value));
        assert!(said.ends_with(end), "{said}");
    }
}

#[test]
fn a_waiver_names_a_lint_a_reason_and_a_person() {
    let waived = |why: &str| {
        test_with(&format!(
            "ior = \"-w\"\nrole = \"reported\"\n\
             waive = [{{ lint = \"cov-high\", why = \"{why}\", approved_by = \"lead\" }}]"
        ))
    };
    let plan = Plan::parse(&format!("{HEAD}{}", waived("a known noise")), "p.toml").unwrap();
    let waiver = &plan.tests[0].waivers[0];
    assert_eq!((waiver.lint.as_str(), waiver.approved_by.as_str(), waiver.at), ("cov-high", "lead", (8, 19)));
    for (by, named, approve_with) in [
        ("", "", "write the name as `approved_by`"),
        ("${approved_by}", "", "--set approved_by=NAME"),
        ("${lead}", "A. Person", "--set lead=NAME"),
        ("the ${lead}", "the A. Person", "write the name as `approved_by`"),
    ] {
        let text = waived("a known noise").replace("\"lead\"", &format!("\"{by}\""));
        let text = format!("{HEAD}{text}[parameters]\napproved_by = \"\"\nlead = \"A. Person\"\n");
        let waiver = Plan::parse(&text, "p.toml").unwrap().tests.remove(0).waivers.remove(0);
        assert_eq!(
            (waiver.approved_by.as_str(), waiver.approve_with.as_str()),
            (named, approve_with),
            "{by}"
        );
    }
    assert_eq!(rejection(&waived("")), "p.toml:8:19: test T: a waiver needs a reason. Write it as `why`.");
}

#[test]
fn a_verified_test_compares_its_data_outside_of_the_measured_time() {
    let plan = |line: &str| {
        let test = test_with(&format!("ior = \"{line}\"\nrole = \"reported\"\nverify = \"after\""));
        let plan = Plan::parse(&format!("{HEAD}{test}"), "p.toml").unwrap();
        plan.tests[0].line.words().join(" ")
    };
    assert_eq!(plan("-w -F"), "-w -F -l stamped -W --drop-caches");
    assert_eq!(plan("-w -W -l i"), "-w -W -l i");
    assert_eq!(plan("-w -a MPIIO"), "-w -a MPIIO -l stamped -W");
    assert_eq!(plan("-w --rwmix 50"), "-w --rwmix 50 -l stamped -W -R --drop-caches");
}

#[test]
fn a_hero_run_is_compared_only_with_a_contract_test() {
    let other = test_with("ior = \"-w\"\nrole = \"reported\"").replace("\"T\"", "\"R\"");
    let hero = test_with("ior = \"-w -t 64m\"\nrole = \"hero\"\ncompare_to = \"R\"");
    let said = rejection(&format!("{CONTRACT}{other}{hero}"));
    assert!(said.ends_with("test T: `R` is not a contract test. Did you mean `C`?"), "{said}");
}

#[test]
fn every_subject_of_a_finding_can_have_a_waiver() {
    let waive = "waive = [{ lint = \"layout-undeclared\", why = \"one target\", approved_by = \"lead\" }]\n";
    let part = |kind: &str, id: &str| {
        format!("[[{kind}]]\nid = \"{id}\"\nior = \"-w\"\nrole = \"reported\"\n{waive}")
    };
    let rest = format!(
        "[fs.scratch]\ndir = \"{{dir}}\"\n{waive}[dataset.d]\nior = \"-w -k\"\n{waive}[state.s]\n\
         age = \"--blocks 50%\"\n{waive}[[series]]\nid = \"S\"\nover = \"transfer\"\n\
         steps = [\"64k\", \"1m\"]\n{waive}{}[[group]]\nid = \"G\"\n{waive}{}{}",
        part("series.phases", "w"),
        part("group.parts", "a"),
        part("group.parts", "b"),
    );
    let head = "schema = 1\nplan = { id = \"p\", title = \"t\" }\n";
    let plan = Plan::parse(&format!("{head}{rest}"), "p.toml").unwrap();
    let about: Vec<&str> = plan.all_waivers().map(|waiver| waiver.about.as_str()).collect();
    assert_eq!(about, ["fs.scratch", "dataset.d", "state.s", "S", "G", "S.t64k.w", "S.t1m.w", "G.a", "G.b"]);
    let said = rejection(&format!("[dataset.d]\nior = \"-w -k\"\n{}", waive.replace("one target", " ")));
    assert_eq!(said, "p.toml:6:19: dataset.d: a waiver needs a reason. Write it as `why`.");
}
