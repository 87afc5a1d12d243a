//! Lints about whole plans, and waivers.

use campaign::lint;
use campaign::lint::Finding;
use campaign::lint::Level;
use campaign::lint::Place;
use campaign::lint::Stage;
use campaign::lint::subject::PlanSubject;
use campaign::lint::subject::Series;
use campaign::lint::subject::Step;
use campaign::lint::table::Check;
use campaign::lint::waiver::settle;
use plan::Plan;
use plan::Waiver;

use crate::{finding, with_check};

const HEAD: &str = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"{dir}\" }\n\
                    launch = { kind = \"mpirun\" }\n\
                    defaults = { ranks = 8, decide = { rule = \"mean\" } }\n";

fn plan(tests: &str) -> Vec<Finding> {
    lint::plan(&Plan::parse(&format!("{HEAD}{tests}"), "p.toml").unwrap())
}

fn told(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.about.as_str(), finding.lint)).collect()
}

const WRITE: &str = "[[test]]\nid = \"W\"\nior = \"-w -e -k -F -b 1g\"\n\
                     criterion = { metric = \"write.bw\", op = \">=\", value = \"1 GB/s\" }\n";
const CHECK: &str = "[[test]]\nid = \"R\"\nuses = \"W\"\nior = \"-R -C -k -F -b 1g\"\n\
                     criterion = { metric = \"read_check.errors\", op = \"==\", value = \"0 errors\" }\n";

/// A test of mdtest that makes names; `-u` is in `options` or not.
fn names(id: &str, clause: &str, options: &str) -> String {
    format!(
        "[[test]]\nid = \"{id}\"\nclause = \"{clause}\"\nstates = [\"full\"]\n\
         mdtest = \"-C -n 1000000 {options}\"\n\
         criterion = {{ metric = \"file_creation.rate\", op = \">\", value = \"25000/s\" }}\n"
    )
}

const STATE: &str = "[state.full]\npreload = 1000000\n";

#[test]
fn data_that_nobody_reads_again_is_found_and_where_it_stands() {
    let findings = plan(WRITE);
    assert_eq!(told(&findings), [("W", "unchecked-data")]);
    assert_eq!(findings[0].place, Some(Place::Plan(8, 7)));
    assert_eq!(told(&plan(&format!("{WRITE}{CHECK}"))), []);
    let own = WRITE.replace("-w -e", "-w -e -W");
    assert_eq!(told(&plan(&own)), [], "its own phase compares");
    let after = WRITE.replace("id =", "verify = \"after\"\nid =");
    assert_eq!(told(&plan(&after)), [], "verify adds such a phase");
}

#[test]
fn one_directory_and_many_are_two_tests() {
    let (shared, unique) = (names("S", "", ""), names("U", "", "-u"));
    assert_eq!(told(&plan(&format!("{STATE}{unique}"))), [("U", "shared-unique-pair")]);
    assert_eq!(told(&plan(&format!("{STATE}{shared}{unique}"))), []);
    let wrong = names("S", "all files in a single directory", "-u");
    assert_eq!(told(&plan(&format!("{STATE}{wrong}"))), [("S", "shared-unique-pair")]);
    let wrong = names("V", "every file in a separate directory", "");
    let findings = plan(&format!("{STATE}{wrong}{unique}"));
    assert_eq!(finding(&findings, "shared-unique-pair").level, Level::Error);
}

#[test]
fn filling_is_no_ageing() {
    let aged = |words: &str| {
        let state = format!("[state.full]\nage = \"{words}\"\n");
        plan(&format!("{state}{}{}", names("S", "", ""), names("U", "", "-u")))
    };
    let findings = aged("--blocks 80% --inodes 20% --turnovers 0");
    assert_eq!(told(&findings), [("state.full", "fill-is-not-age")]);
    for words in ["--blocks 80%", "--blocks 80% --turnovers 1", "--turnovers 0.5 --blocks 80%"] {
        assert_eq!(told(&aged(words)), [], "{words}");
    }
}

#[test]
fn a_plan_with_both_families_of_units_needs_a_signature() {
    let read = CHECK
        .replace("read_check.errors", "read.bw")
        .replace("-R", "-r")
        .replace("==", ">=")
        .replace("0 errors", "2 GiB/s")
        .replace("id = \"R\"", "id = \"B\"");
    let findings = plan(&format!("{WRITE}{CHECK}{read}"));
    assert_eq!(told(&findings), [("B", "units")]);
    assert_eq!(findings[0].level, Level::Waiver);
    assert_eq!(told(&plan(&format!("{WRITE}{CHECK}{}", read.replace("GiB", "GB")))), []);
}

#[test]
fn a_statistic_may_be_named_by_the_criterion_the_test_or_the_defaults() {
    let found = |text: &str| {
        let text = format!("{}{text}{CHECK}", HEAD.replace(", decide = { rule = \"mean\" }", ""));
        let plan = Plan::parse(&text, "p.toml").unwrap();
        told(&lint::plan(&plan)).contains(&("W", "stat-unnamed"))
    };
    assert!(found(WRITE));
    assert!(!found(&WRITE.replace("op =", "stat = \"mean\", op =")));
    assert!(!found(&WRITE.replace("id =", "decide = { rule = \"median\" }\nid =")));
}

#[test]
fn a_statistic_is_found_where_ids_hold_dots_and_in_parts_of_a_group() {
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
        let unnamed = all.filter(|finding| finding.lint == "stat-unnamed");
        unnamed.map(|finding| finding.about).collect::<Vec<_>>()
    };
    let series = "over = \"transfer\"\nsteps = [\"64k\", \"1m\"]\n";
    let named = "stat = \"mean\", ";
    assert_eq!(found("series", series, "phases", named), ["S.t64k.w", "S.t1m.w"]);
    assert_eq!(found("series", series, "phases", ""), ["S.t64k.w", "S.t64k.b.w", "S.t1m.w", "S.t1m.b.w"]);
    assert_eq!(found("group", "", "parts", named), ["S.w"]);
}

#[test]
fn a_series_begins_with_one_server_counts_and_gives_each_as_many_clients() {
    let step = |label: &str, servers, nodes| Step {
        label: label.into(),
        servers: Some(servers),
        nodes: Some(nodes),
    };
    let right = Series {
        id: "S".into(),
        servers: Some(6),
        counted: true,
        steps: vec![step("one", 1, 10), step("1/3", 2, 20), step("3/3", 6, 60)],
        ..Series::default()
    };
    let of = |series: Series| {
        let found = lint::whole(&PlanSubject { series: vec![series], ..Default::default() });
        found.into_iter().map(|finding| finding.what).collect::<Vec<_>>()
    };
    assert_eq!(of(right.clone()), [""; 0]);
    let found = of(Series { steps: right.steps[1..].to_vec(), ..right.clone() });
    assert_eq!(found, ["its first step is no single server, so what one server does is not known"]);
    let found = of(Series { counted: false, ..right.clone() });
    assert_eq!(found, ["how many servers are at work is asked for, and not counted"]);
    let thin = vec![step("one", 1, 10), step("3/3", 6, 30)];
    let found = of(Series { steps: thin, ..right });
    assert!(found[0].starts_with("step 3/3 has 5.00 client nodes for each server"), "{found:?}");
}

#[test]
fn a_series_of_a_plan_is_held_against_its_servers_and_nodes() {
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
        let found = lint::plan(&plan).into_iter().filter(|finding| finding.lint == "linearity-base");
        found.map(|finding| finding.what).collect::<Vec<_>>()
    };
    let steps = "[\"1\", \"1/3\", \"3/3\"]";
    assert_eq!(of(steps, "{ steps = [\"2\", \"4\", \"12\"] }"), [""; 0]);
    let found = of(steps, "12");
    assert!(
        found[0].starts_with("step 1/3 has 6.00 client nodes for each server, and step 1 has 12.00"),
        "{found:?}"
    );
    let found = of("[\"1/3\", \"3/3\"]", "{ steps = [\"4\", \"12\"] }");
    assert_eq!(found, ["its first step is no single server, so what one server does is not known"]);
}

#[test]
fn a_table_is_spoken_of_by_a_label_that_it_has() {
    let subject = |text: &str| PlanSubject {
        texts: vec![("T".into(), text.into())],
        tables: &["Table 2", "Table 3"],
        ..Default::default()
    };
    assert_eq!(told(&lint::whole(&subject("recorded in Table 4 under"))), [("T", "table-label")]);
    assert_eq!(told(&lint::whole(&subject("recorded in Table 3 under"))), []);
}

#[test]
fn every_lint_about_a_plan_has_its_test_here() {
    let here =
        ["fill-is-not-age", "shared-unique-pair", "linearity-base", "table-label", "unchecked-data", "units"];
    let mut all = with_check(|check| matches!(check, Check::Plan(_)));
    all.sort_unstable();
    let mut known = here.to_vec();
    known.sort_unstable();
    assert_eq!(all, known);
}

fn waiver(about: &str, lint: &str, why: &str) -> Waiver {
    let (about, lint, why) = (about.into(), lint.into(), why.into());
    Waiver { about, lint, why, by: "lead".into(), signed_by: "--set signed=NAME".into(), at: (3, 4) }
}

#[test]
fn a_waived_finding_stays_listed_with_the_name_under_it() {
    let findings = settle(plan(WRITE), &[waiver("W", "unchecked-data", "checked elsewhere")]);
    assert_eq!(findings.len(), 1);
    let signed = findings[0].waived.as_ref().unwrap();
    assert_eq!((signed.why.as_str(), signed.by.as_str()), ("checked elsewhere", "lead"));
    assert!(!findings[0].stands());
}

#[test]
fn a_waiver_that_waives_nothing_is_told() {
    for (given, level, what) in [
        (waiver("W", "no-such", "x"), Level::Error, "the waiver of `no-such` names no lint"),
        (
            waiver("W", "compressible", "x"),
            Level::Info,
            "the waiver of `compressible` waives nothing: the lint found nothing",
        ),
        (
            waiver("V", "unchecked-data", "x"),
            Level::Info,
            "the waiver of `unchecked-data` waives nothing: the lint found nothing",
        ),
    ] {
        let findings = settle(plan(WRITE), &[given]);
        let told = finding(&findings, "waiver");
        assert_eq!((told.level, told.what.as_str()), (level, what));
        assert_eq!(told.place, Some(Place::Plan(3, 4)));
        assert!(finding(&findings, "unchecked-data").stands(), "{what}");
    }
}

#[test]
fn a_waiver_that_nobody_has_signed_waives_nothing_and_the_finding_says_so() {
    let unsigned = Waiver { by: String::new(), ..waiver("W", "unchecked-data", "checked elsewhere") };
    let findings = settle(plan(WRITE), std::slice::from_ref(&unsigned));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert!(findings[0].stands() && !findings[0].invalidates(), "{findings:#?}");
    let said = "; its waiver says why, and nobody has signed it: --set signed=NAME";
    assert!(findings[0].remedy.ends_with(said), "{}", findings[0].remedy);
    let findings = settle(plan(WRITE), &[Waiver { about: "V".into(), ..unsigned }]);
    assert!(finding(&findings, "waiver").what.ends_with("waives nothing: the lint found nothing"));
}

#[test]
fn a_criterion_that_is_turned_round_is_to_be_signed() {
    let said = |test: &str, criterion: &str| {
        let mut found = plan(&format!("{test}criterion = {{ {criterion} }}\n")).into_iter();
        let found = found.find(|finding| finding.lint == "dead-criterion");
        found.map(|finding| (finding.level, finding.remedy))
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
        let meant = meant.map(|op| (Level::Waiver, format!("is {op} meant?")));
        assert_eq!(said(test, &criterion), meant, "{criterion}");
    }
    let part = |id: &str| format!("[[group.parts]]\nid = \"{id}\"\nior = \"-w -e\"\nrole = \"reported\"\n");
    let sum = "criterion = { metric = \"write.bw\", op = \"<=\", value = \"3 GB/s\" }\n";
    let findings = plan(&format!("[[group]]\nid = \"G\"\n{sum}{}{}", part("a"), part("b")));
    assert_eq!(told(&findings), [("G", "dead-criterion")], "the sum of a group is looked at too");
}

#[test]
fn a_waiver_of_what_is_only_measured_later_is_not_idle() {
    let findings = settle(plan(WRITE), &[waiver("W", "straggler", "a slow drive")]);
    assert_eq!(told(&findings), [("W", "unchecked-data")]);
}

#[test]
fn an_error_cannot_be_waived() {
    let findings = plan(&WRITE.replace("-w -e", "-w"));
    let findings = settle(findings, &[waiver("W", "missing-persist", "we are in a hurry")]);
    assert!(finding(&findings, "missing-persist").stands());
    assert!(
        finding(&findings, "waiver")
            .what
            .starts_with("missing-persist cannot be waived here, it is an error")
    );
}

/// Every check about a command or a plan finds something in a plan, or a plan with its defect is refused.
#[test]
fn every_lint_of_the_plan_stage_is_found_in_a_plan_or_refused_there() {
    let texts = [include_str!("../plans/seeds-literal.toml"), include_str!("../plans/more-defects.toml")];
    let of = |text| lint::plan(&Plan::parse(text, "p.toml").unwrap());
    let found: Vec<&str> = texts.into_iter().flat_map(of).map(|finding| finding.lint).collect();
    let looked_for = with_check(|check| check.stage() == Stage::Plan);
    let refused = |id: &str| {
        let lint = lint::named(id).expect("of the table");
        lint.checks
            .iter()
            .any(|check| matches!(check, Check::Told(Stage::Plan, how) if how.starts_with("refused")))
    };
    let missing: Vec<&str> =
        looked_for.into_iter().filter(|id| !found.contains(id) && !refused(id)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_sum_of_a_group_is_held_against_its_clause_and_is_of_names_only_where_a_part_is() {
    let part =
        |id: &str, line: &str| format!("[[group.parts]]\nid = \"{id}\"\n{line}\nrole = \"reported\"\n");
    let group = |clause: &str, criterion: &str, parts: [&str; 2]| {
        let [a, b] = parts;
        let head = format!("[[group]]\nid = \"G\"\nclause = \"{clause}\"\ncriterion = {{ {criterion} }}\n");
        let findings = plan(&format!("{STATE}{head}{}{}", part("a", a), part("b", b)));
        let of_sum = findings.iter().filter(|finding| finding.about == "G");
        of_sum.map(|finding| finding.lint).collect::<Vec<_>>()
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
