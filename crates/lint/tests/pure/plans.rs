//! Lints about whole plans, and waivers.

use lint::{LintCheck, LintStage, PlanSubject, SeriesFacts, StepFacts, settle};
use plan::{Choice, Plan, Waiver};
use results::finding::{Finding, Severity, SourcePosition};
use results::reason::row;

use crate::{data, finding, with_check};

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                    launch = { kind = \"mpirun\" }\n\
                    defaults = { ranks = 8, decide = { rule = \"mean\" } }\n";

fn plan(tests: &str) -> Vec<Finding> {
    lint::plan(&Plan::parse(&format!("{HEAD}{tests}"), "p.toml").unwrap())
}

fn codes(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.about.as_str(), finding.code().id())).collect()
}

const WRITE: &str = "[[test]]\nid = \"W\"\nior = \"-w -e -k -F -b 1g\"\n\
                     criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }\n";
const CHECK: &str = "[[test]]\nid = \"R\"\nuses = \"W\"\nior = \"-R -C -k -F -b 1g\"\n\
                     criterion = { metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }\n";

/// An mdtest test that creates files, with or without `-u` in `options`.
fn names(id: &str, clause: &str, options: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nclause = \"{clause}\"\nstates = [\"full\"]\n\
         mdtest = \"-C -n 1000000 {options}\"\n\
         criterion = {{ metric = \"file_creation.rate\", op = \">\", value = \"25000/s\" }}\n"
    )
}

const STATE: &str = "[state.full]\npreload = 1000000\n";

#[test]
fn data_that_is_never_read_back_is_found_with_its_test() {
    let findings = plan(WRITE);
    assert_eq!(codes(&findings), [("W", "unchecked-data")]);
    assert_eq!(findings[0].place, Some(SourcePosition::Plan(8, 7)));
    assert_eq!(codes(&plan(&format!("{WRITE}{CHECK}"))), []);
    let own = WRITE.replace("-w -e", "-w -e -W");
    assert_eq!(codes(&plan(&own)), [], "its own phase compares");
    let after = WRITE.replace("id =", "verify = \"after\"\nid =");
    assert_eq!(codes(&plan(&after)), [], "verify adds such a phase");
}

#[test]
fn a_mixed_phase_is_read_back_if_the_plan_says_so() {
    let mixed = |verify: &str, words: &str| {
        format!(
            "[dataset.d]\nior = \"-w -e -k -F -b 1g -G 3\"\nverify = \"after\"\n[[test]]\nid = \"M\"\n\
             uses = \"dataset.d\"\n{verify}ior = \"{words}\"\n\
             criterion = {{ metric = \"mixed_read.bw\", op = \">=\", value = \"1 GB/s\" }}\n"
        )
    };
    for words in
        ["--rwmix 70 -G 3 -e -F -b 1g -k", "--rwmix 70 -G 3 -e -F -b 1g -k -z -t 4k --random-offset-seed=3"]
    {
        let findings = plan(&mixed("", words));
        let unchecked = codes(&findings).iter().any(|(_, code)| *code == "unchecked-data");
        assert!(unchecked, "{words}");
        let checked = plan(&mixed("verify = \"after\"\n", words));
        assert!(codes(&checked).iter().all(|(_, code)| *code != "unchecked-data"), "{words}: {checked:?}");
    }
}

#[test]
fn a_shared_directory_and_separate_directories_are_two_tests() {
    let (shared, unique) = (names("S", "", ""), names("U", "", "-u"));
    assert_eq!(codes(&plan(&format!("{STATE}{unique}"))), [("U", "shared-unique-pair")]);
    assert_eq!(codes(&plan(&format!("{STATE}{shared}{unique}"))), []);
    let wrong = names("S", "all files in a single directory, at 25000/s", "-u");
    let findings = plan(&format!("{STATE}{wrong}"));
    assert_eq!(codes(&findings), [("S", "shared-unique-pair"), ("S", "shared-unique-pair")]);
    let severities: Vec<Severity> = findings.iter().map(|finding| finding.severity).collect();
    assert_eq!(
        severities,
        [Severity::Info, Severity::NeedsWaiver],
        "from the clause text, and from the only command line"
    );
    let wrong = names("V", "every file in a separate directory", "");
    let findings = plan(&format!("{STATE}{wrong}{unique}"));
    assert_eq!(finding(&findings, "shared-unique-pair").severity, Severity::Info);
}

#[test]
fn filling_is_not_ageing() {
    let aged = |words: &str| {
        let state = format!("[state.full]\nage = \"{words}\"\n");
        plan(&format!("{state}{}{}", names("S", "", ""), names("U", "", "-u")))
    };
    let findings = aged("--blocks 80% --inodes 20% --cycles 0");
    assert_eq!(codes(&findings), [("state.full", "fill-is-not-age")]);
    for words in ["--blocks 80%", "--blocks 80% --cycles 1", "--cycles 0.5 --blocks 80%"] {
        assert_eq!(codes(&aged(words)), [], "{words}");
    }
}

#[test]
fn a_plan_with_both_families_of_units_is_reported() {
    let read = CHECK
        .replace("read_check.errors", "read.bw")
        .replace("-R", "-r")
        .replace("==", ">=")
        .replace("0 errors", "2 GiB/s")
        .replace("id = \"R\"", "id = \"B\"");
    let findings = plan(&format!("{WRITE}{CHECK}{read}"));
    assert_eq!(codes(&findings), [("B", "units")]);
    assert_eq!(findings[0].severity, Severity::Info);
    assert_eq!(data(&findings[0]), ["binary=2 GiB/s", "decimal=1 GB/s", "metric=read.bw", "other=W"]);
    assert_eq!(codes(&plan(&format!("{WRITE}{CHECK}{}", read.replace("GiB", "GB")))), []);
}

#[test]
fn a_statistic_may_be_named_by_the_criterion_the_test_or_the_defaults() {
    let found = |text: &str| {
        let text = format!("{}{text}{CHECK}", HEAD.replace(", decide = { rule = \"mean\" }", ""));
        let plan = Plan::parse(&text, "p.toml").unwrap();
        codes(&lint::plan(&plan)).contains(&("W", "stat-unnamed"))
    };
    assert!(found(WRITE));
    assert!(!found(&WRITE.replace("op =", "stat = \"mean\", op =")));
    assert!(!found(&WRITE.replace("id =", "decide = { rule = \"median\" }\nid =")));
}

#[test]
fn a_statistic_is_found_with_dots_in_ids_and_in_parts_of_a_group() {
    let found = |kind: &str, keys: &str, several: &str, stat: &str| {
        let one = |id: &str, stat: &str| {
            format!(
                "[[{kind}.{several}]]\nid = \"{id}\"\nior = \"-w -e\"\n\
                 criterion = {{ metric = \"write.bw\", {stat}op = \">=\", value = \"1 B/s\" }}\n"
            )
        };
        let head = HEAD.replace(", decide = { rule = \"mean\" }", "");
        let text = format!("{head}[[{kind}]]\nid = \"S\"\n{keys}{}{}", one("w", ""), one("b.w", stat));
        let all = lint::plan(&Plan::parse(&text, "p.toml").unwrap()).into_iter();
        let unnamed = all.filter(|finding| finding.code().id() == "stat-unnamed");
        unnamed.map(|finding| finding.about).collect::<Vec<_>>()
    };
    let series = "over = \"transfer\"\nsteps = [\"64k\", \"1m\"]\n";
    let named = "stat = \"mean\", ";
    assert_eq!(found("series", series, "phases", named), ["S.t64k.w", "S.t1m.w"]);
    assert_eq!(found("series", series, "phases", ""), ["S.t64k.w", "S.t64k.b.w", "S.t1m.w", "S.t1m.b.w"]);
    assert_eq!(found("group", "", "parts", named), ["S.w"]);
}

#[test]
fn a_series_begins_with_one_server_counts_servers_and_scales_the_clients() {
    let step = |label: &str, servers, nodes| StepFacts {
        label: label.into(),
        servers: Some(servers),
        nodes: Some(nodes),
    };
    let right = SeriesFacts {
        id: "S".into(),
        servers: Some(6),
        counted: true,
        steps: vec![step("one", 1, 10), step("1/3", 2, 20), step("3/3", 6, 60)],
        ..SeriesFacts::default()
    };
    let of = |series: SeriesFacts| {
        let found = lint::whole(&PlanSubject { series: vec![series], ..Default::default() });
        found.iter().map(data).collect::<Vec<_>>()
    };
    assert!(of(right.clone()).is_empty());
    let found = of(SeriesFacts { steps: right.steps[1..].to_vec(), ..right.clone() });
    assert_eq!(found, [["first_step=1/3"]]);
    let found = of(SeriesFacts { counted: false, ..right.clone() });
    assert_eq!(found, [[""; 0]], "not counted");
    let thin = vec![step("one", 1, 10), step("3/3", 6, 30)];
    let found = of(SeriesFacts { steps: thin, ..right });
    let own = ["before=one", "nodes_per_server=5.00", "nodes_per_server_before=10.00", "step=3/3"];
    assert_eq!(found, [own]);
}

#[test]
fn a_series_of_a_plan_is_compared_with_its_servers_and_nodes() {
    let of = |steps: &str, nodes: &str| {
        let text = format!(
            "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nlaunch = {{ kind = \"mpirun\" }}\n\
             [fs.s]\ndir = \"{{dir}}\"\nservers = 6\nset_servers = \"on {{servers}}\"\n\
             count_servers = \"count\"\n\
             [[series]]\nid = \"S\"\nover = \"servers\"\nsteps = {steps}\nnodes = {nodes}\n\
             [[series.phases]]\nid = \"w\"\nior = \"-w -W -e -F\"\n\
             criterion = {{ metric = \"write.bw\", linear_within = \"10%\" }}\n"
        );
        let plan = Plan::parse(&text, "p.toml").unwrap();
        let found = lint::plan(&plan).into_iter().filter(|finding| finding.code().id() == "linearity-base");
        found.map(|finding| data(&finding)).collect::<Vec<_>>()
    };
    let steps = "[\"1\", \"1/3\", \"3/3\"]";
    assert_eq!(of(steps, "{ steps = [\"2\", \"4\", \"12\"] }"), [[""; 0]; 0]);
    let found = of(steps, "12");
    let own = ["before=1", "nodes_per_server=6.00", "nodes_per_server_before=12.00", "step=1/3"];
    assert_eq!(found[0], own);
    let found = of("[\"1/3\", \"3/3\"]", "{ steps = [\"4\", \"12\"] }");
    assert_eq!(found, [["first_step=1/3"]]);
}

#[test]
fn a_table_is_cited_by_a_label_of_the_report() {
    let subject = |text: &str| PlanSubject {
        texts: vec![("T".into(), text.into())],
        tables: &["Table 2", "Table 3"],
        ..Default::default()
    };
    assert_eq!(codes(&lint::whole(&subject("recorded in Table 4 under"))), [("T", "table-label")]);
    assert_eq!(codes(&lint::whole(&subject("recorded in Table 3 under"))), []);
}

#[test]
fn clauses_of_a_contract_are_compared_with_their_own_criteria_and_one_without_a_criterion_is_named() {
    let text = include_str!("../plans/contract.toml");
    let findings = lint::plan(&Plan::parse(text, "p.toml").unwrap());
    let of_lint = |lint: &str| {
        let own = findings.iter().filter(|finding| finding.code().id() == lint);
        own.map(|finding| (finding.about.as_str(), finding.severity, data(finding))).collect::<Vec<_>>()
    };
    let text = |text: &str| vec![text.to_owned()];
    assert_eq!(of_lint("clause-untested"), [("", Severity::Info, text("clause=3"))]);
    assert_eq!(of_lint("as-written"), [("W", Severity::Info, text("metrics=write.bw"))]);
    let number = of_lint("clause-number");
    assert_eq!((number.len(), number[0].0, number[0].1), (1, "R", Severity::NeedsWaiver), "{number:?}");
    assert_eq!(of_lint("low-confidence").len(), 1, "a value as written has no confidence");
    assert_eq!(of_lint("high-cov-max")[0].0, "R");
}

#[test]
fn every_lint_about_a_plan_has_its_test_here() {
    let here = [
        "clause-untested",
        "fill-is-not-age",
        "shared-unique-pair",
        "linearity-base",
        "table-label",
        "unchecked-data",
        "units",
    ];
    let mut all = with_check(|check| matches!(check, LintCheck::Plan(_)));
    all.sort_unstable();
    let mut known = here.to_vec();
    known.sort_unstable();
    assert_eq!(all, known);
}

fn waiver(about: &str, lint: &str, why: &str) -> Waiver {
    let (about, lint, why) = (about.into(), lint.into(), why.into());
    Waiver {
        about,
        lint,
        why,
        approved_by: "lead".into(),
        approve_with: "--set approved_by=NAME".into(),
        at: (3, 4),
    }
}

#[test]
fn a_waived_finding_stays_listed_with_its_approval() {
    let findings = settle(plan(WRITE), &[waiver("W", "unchecked-data", "checked elsewhere")]);
    assert_eq!(findings.len(), 1);
    let approval = findings[0].waived.as_ref().unwrap();
    assert_eq!((approval.why.as_str(), approval.approved_by.as_str()), ("checked elsewhere", "lead"));
    assert!(!findings[0].is_open());
}

#[test]
fn a_waiver_without_a_finding_is_a_finding() {
    for (given, severity, own) in [
        (waiver("W", "no-such", "x"), Severity::Error, "unknown=no-such"),
        (waiver("W", "compressible", "x"), Severity::Info, "idle=compressible"),
        (waiver("V", "unchecked-data", "x"), Severity::Info, "idle=unchecked-data"),
    ] {
        let findings = settle(plan(WRITE), &[given]);
        let found = finding(&findings, "waiver");
        assert_eq!((found.severity, data(found)), (severity, vec![own.to_owned()]));
        assert_eq!(found.place, Some(SourcePosition::Plan(3, 4)));
        assert!(finding(&findings, "unchecked-data").is_open(), "{own}");
    }
}

#[test]
fn a_waiver_without_approval_waives_nothing_and_the_finding_states_how_to_approve_it() {
    let unapproved =
        Waiver { approved_by: String::new(), ..waiver("W", "unchecked-data", "checked elsewhere") };
    let findings = settle(plan(WRITE), std::slice::from_ref(&unapproved));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert!(findings[0].is_open() && findings[0].severity == Severity::NeedsWaiver, "{findings:#?}");
    assert_eq!(data(&findings[0]), ["approve_with=--set approved_by=NAME"]);
    let findings = settle(plan(WRITE), &[Waiver { about: "V".into(), ..unapproved }]);
    assert_eq!(data(finding(&findings, "waiver")), ["idle=unchecked-data"]);
}

#[test]
fn a_reversed_criterion_needs_a_waiver() {
    let said = |test: &str, criterion: &str| {
        let mut found = plan(&format!("{test}criterion = {{ {criterion} }}\n")).into_iter();
        let found = found.find(|finding| finding.code().id() == "dead-criterion");
        found.map(|finding| {
            (finding.severity, finding.reason.get(row::DeadCriterion::meant).map(str::to_owned))
        })
    };
    let speed = "{ line = \"([0-9])\", unit = \"GB/s\" }";
    let app =
        &format!("[[test]]\nid = \"A\"\napp = {{ argv = [\"x\"], metrics = {{ \"a.speed\" = {speed} }} }}\n");
    let ior = "[[test]]\nid = \"W\"\nior = \"-w -e\"\n";
    for (test, metric, op, value, meant) in [
        (ior, "write.bw", "<=", "3 GB/s", Some(">=")),
        (ior, "write.iops", "<", "3 /s", Some(">")),
        (ior, "write.latency.p99", ">=", "3 ms", Some("<=")),
        (app, "a.speed", "<=", "3 GB/s", Some(">=")),
        (ior, "write.bw", ">=", "3 GB/s", None),
        (ior, "write.latency.p99", "<=", "3 ms", None),
        (ior, "write.bytes", "<=", "3 GB", None),
    ] {
        let criterion = format!("metric = \"{metric}\", op = \"{op}\", value = \"{value}\"");
        let meant = meant.map(|op: &str| (Severity::NeedsWaiver, Some(op.to_owned())));
        assert_eq!(said(test, &criterion), meant, "{criterion}");
    }
    let part = |id: &str| format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w -e\"\nrole = \"reported\"\n");
    let sum = "criterion = { metric = \"write.bw\", op = \"<=\", value = \"3 GB/s\" }\n";
    let findings = plan(&format!("[[group]]\nid = \"G\"\n{sum}{}{}", part("a"), part("b")));
    assert_eq!(codes(&findings), [("G", "dead-criterion")], "the sum of a group is checked too");
}

#[test]
fn a_waiver_of_a_finding_that_the_records_decide_is_not_idle_here() {
    let findings = settle(plan(WRITE), &[waiver("W", "none-ran", "x"), waiver("W", "ls-walk", "x")]);
    assert_eq!(codes(&findings), [("W", "unchecked-data")]);
}

#[test]
fn an_error_cannot_be_waived() {
    let findings = plan(&WRITE.replace("-w -e", "-w"));
    let findings = settle(findings, &[waiver("W", "missing-persist", "we are in a hurry")]);
    assert!(finding(&findings, "missing-persist").is_open());
    let found = finding(&findings, "waiver");
    assert_eq!((found.severity, data(found)), (Severity::Error, vec!["error=missing-persist".to_owned()]));
}

/// Every check about a command or a plan finds something in a plan, or a plan with its defect is rejected.
#[test]
fn every_lint_of_the_plan_stage_is_found_in_a_plan_or_rejected_there() {
    let found: Vec<&str> = crate::all_defects().iter().map(|finding| finding.code().id()).collect();
    let looked_for = lint::LINTS.iter().filter(|lint| lint.stage() == LintStage::Plan);
    let missing: Vec<&str> = looked_for
        .filter(|lint| !found.contains(&lint.id()) && lint.rejected.is_empty())
        .map(lint::Lint::id)
        .collect();
    assert_eq!(missing, [""; 0], "add a test with this defect to a plan in tests/plans");
}

#[test]
fn a_group_sum_is_compared_with_its_clause_and_needs_a_state_only_for_metadata_parts() {
    let part =
        |id: &str, line: &str| format!("[[group.parts]]\nid = \"{id}\"\n{line}\nrole = \"reported\"\n");
    let group = |clause: &str, criterion: &str, parts: [&str; 2]| {
        let [a, b] = parts;
        let head = format!("[[group]]\nid = \"G\"\nclause = \"{clause}\"\ncriterion = {{ {criterion} }}\n");
        let findings = plan(&format!("{STATE}{head}{}{}", part("a", a), part("b", b)));
        let of_sum = findings.iter().filter(|finding| finding.about == "G");
        of_sum.map(|finding| finding.code().id()).collect::<Vec<_>>()
    };
    let data = "ior = \"-w -e -W -b 1g\"";
    let (bare, stated) = ("mdtest = \"-C -n 9\"", "states = [\"full\"]\nmdtest = \"-C -n 9\"");
    let calls = "metric = \"write.iops\", op = \">\", value = \"1000/s\"";
    let names = "metric = \"file_creation.rate\", op = \">\", value = \"1000/s\"";
    assert_eq!(group("", calls, [data, data]), [""; 0]);
    assert_eq!(group("", names, [bare, stated]), ["not-aged"]);
    assert_eq!(group("", names, [stated, stated]), [""; 0]);
    let best = "metric = \"write.bw\", stat = \"max\", op = \">=\", value = \"1 GB/s\"";
    assert_eq!(group("an average of 1 GB/s", best, [data, data]), ["stat-unnamed"]);
}

/// The findings about a score of the data rates of two reported tests, with these keys.
fn of_score(head: &str, score: &str) -> Vec<Finding> {
    let part =
        |id: &str| format!("[[test]]\nid = \"{id}\"\nrole = \"reported\"\nior = \"-w -e -W -F -b 1g\"\n");
    let tests = [part("A"), part("B")].concat();
    let score = format!("[[score]]\nid = \"S\"\nof = [\"A.write.bw\", \"B.write.bw\"]\n{score}\n");
    lint::plan(&Plan::parse(&format!("{head}{tests}{score}"), "p.toml").unwrap())
}

#[test]
fn every_lint_about_a_criterion_is_about_the_criteria_of_scores_too() {
    let low = HEAD.replace("rule = \"mean\"", "rule = \"mean\", confidence = 0.5");
    let unnamed = HEAD.replace(", decide = { rule = \"mean\" }", "");
    let floor = "criterion = { op = \">=\", value = \"1 GB/s\" }";
    let clause = format!("clause = \"the score is at least 900 GB/s\"\n{floor}");
    let short =
        format!("clause = \"in five repetitions\"\n{}", floor.replace("op =", "stat = \"min\", op ="));
    for (head, score, lint, severity) in [
        (low.as_str(), floor, "low-confidence", Severity::NeedsWaiver),
        (&unnamed, floor, "stat-unnamed", Severity::Info),
        (HEAD, &floor.replace("1 GB/s", "0 GB/s"), "dead-criterion", Severity::Error),
        (HEAD, &clause, "clause-number", Severity::NeedsWaiver),
        (HEAD, &short, "reps-short", Severity::Info),
    ] {
        let findings = of_score(head, score);
        let found = finding(&findings, lint);
        assert_eq!((found.about.as_str(), found.severity), ("S", severity), "{lint}");
        let line = head.lines().count() + 10;
        assert_eq!(found.place, Some(SourcePosition::Plan(line, 6)), "{lint}");
    }
    assert_eq!(codes(&of_score(HEAD, floor)), []);
    assert_eq!(codes(&of_score(&low, "")), [], "a reported score has no criterion");
    let asked = "clause = \"the score is at least 900 GB/s\"";
    assert_eq!(codes(&of_score(HEAD, asked)), [("S", "threshold-missing")]);
}

#[test]
fn a_finding_about_a_score_is_waived_by_the_score() {
    let low = HEAD.replace("rule = \"mean\"", "rule = \"mean\", confidence = 0.5");
    let waived = |lint: &str| {
        let waiver = format!("[{{ lint = \"{lint}\", why = \"agreed\", approved_by = \"lead\" }}]");
        of_score(&low, &format!("criterion = {{ op = \">=\", value = \"1 GB/s\" }}\nwaive = {waiver}"))
    };
    assert!(finding(&waived("low-confidence"), "low-confidence").waived.is_some());
    let idle = waived("compressible");
    assert_eq!(data(finding(&idle, "waiver")), ["idle=compressible"]);
    assert_eq!(codes(&idle), [("S", "low-confidence"), ("S", "waiver")]);
}

#[test]
fn data_that_only_a_score_compares_is_unchecked_if_it_is_never_read_back() {
    let part = "[[test]]\nid = \"A\"\nrole = \"reported\"\nior = \"-w -e -F -b 1g\"\n";
    let score =
        "[[score]]\nid = \"S\"\nof = [\"A.write.bw\", \"A.write.iops\"]\npoints = [\"GB/s\", \"/s\"]\n";
    let floor = "criterion = { op = \">=\", value = \"1 points\" }\n";
    assert_eq!(codes(&plan(&format!("{part}{score}{floor}"))), [("A", "unchecked-data")]);
    assert_eq!(codes(&plan(&format!("{part}{score}"))), [], "no verdict depends on the data");
}

#[test]
fn a_waiver_that_the_scale_of_the_contract_needs_is_not_idle_at_a_smaller_one() {
    let text = |contract: &str, small: &str| {
        let scales =
            format!("parameters = {{ api = \"{contract}\" }}\nscale.small = {{ api = \"{small}\" }}\n");
        let waived = ["cb-state-unset", "compressible"]
            .map(|lint| format!("{{ lint = \"{lint}\", why = \"agreed\", approved_by = \"lead\" }}"));
        let test = "[[test]]\nid = \"W\"\nior = \"-w -e -W -b 1g ${api}\"\n\
                    criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }\n";
        format!("{HEAD}{scales}{test}waive = [{}]\n", waived.join(", "))
    };
    let idle = |text: &str, scale: Option<&str>| {
        let choice = Choice { scale: scale.map(str::to_owned), ..Choice::default() };
        let all = lint::plan(&Plan::parse_with(text, "p.toml", &choice).unwrap());
        all.iter().filter_map(|one| one.reason.get(row::Waiver::idle).map(str::to_owned)).collect::<Vec<_>>()
    };
    let collective = text("-a MPIIO -c", "-a POSIX");
    assert_eq!(idle(&collective, None), ["compressible"]);
    assert_eq!(idle(&collective, Some("small")), ["compressible"]);
    let never = text("-a POSIX", "-a POSIX");
    assert_eq!(idle(&never, Some("small")), ["cb-state-unset", "compressible"]);
}
