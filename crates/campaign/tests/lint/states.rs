//! What a file system was while tests ran on it: each lint fires on its defect, and not on what is right.

use campaign::lint;
use campaign::lint::Finding;
use campaign::lint::Level;
use campaign::lint::state;
use campaign::lint::state::Degraded;
use campaign::lint::state::Moment;
use campaign::lint::state::StateSubject;
use campaign::lint::state::Traffic;
use campaign::lint::table::Check;
use plan::Plan;
use plan::Stripes;
use results::folder::{
    Campaign, CampaignInfo, FileSystem, Fill, Job, JobEnd, JobInfo, Layout, Machine, Target,
};
use results::record::{EachRank, End, Phase, Record, Run};
use results::{Outcome, Verdict};

use crate::stages::told;
use crate::with_check;

fn moment(when: &'static str, down: &[&str]) -> Moment {
    let down = Some(down.iter().map(|line| (*line).to_owned()).collect());
    Moment { repetition: 1, when, down, missing: Some(Vec::new()), targets: 3, fill: Some(0.65) }
}

fn subject(before: Moment, after: Moment) -> StateSubject {
    StateSubject { id: "T".into(), fs: "s".into(), moments: vec![before, after], ..Default::default() }
}

// tidy: long because the cases are read as one table.
#[test]
fn every_lint_of_a_file_system_in_use_fires_on_its_defect_and_on_nothing_else() {
    let well = || moment("before", &[]);
    let right = StateSubject {
        band: Some((0.6, 0.7)),
        traffic: vec![Traffic { repetition: 1, servers: 1005, own: 1000 }],
        stripes: Some(Stripes::Count(1)),
        found_stripes: vec![1],
        targets: Some(3),
        ..subject(well(), moment("after", &[]))
    };
    assert_eq!(told(&state::findings(&right)), [""; 0]);
    let cached = vec![Traffic { repetition: 1, servers: 10, own: 1000 }];
    assert_eq!(told(&state::findings(&StateSubject { traffic: cached, ..right.clone() })), [""; 0]);
    let down = |down: Moment| StateSubject { moments: vec![well(), down], ..right.clone() };
    let traffic = |servers| StateSubject {
        traffic: vec![Traffic { repetition: 1, servers, own: 1000 }],
        ..right.clone()
    };
    let lain = |asked, found: &[i64]| StateSubject {
        stripes: Some(asked),
        found_stripes: found.to_vec(),
        ..right.clone()
    };
    let of_four = |found: &[i64]| StateSubject { all_targets: Some(4), ..lain(Stripes::All, found) };
    let missing = Moment { missing: Some(vec!["OST0002".into()]), ..well() };
    let unasked = vec![(1, "no answer".to_owned())];
    let wrong = [
        ("degraded", "fs.s: OST2 is down, after repetition 1", down(moment("after", &["OST2 is down"]))),
        (
            "degraded",
            "fs.s: OST0002 was missing before repetition 1, of 3 storage targets",
            down(missing.clone()),
        ),
        ("degraded", "is not known: no answer", StateSubject { unasked, ..right.clone() }),
        (
            "degraded",
            "fs.s was to be degraded, and nothing is down before repetition 1",
            StateSubject { degraded: Degraded::Must, ..right.clone() },
        ),
        ("exclusive", "2.0 % of what its servers moved during repetition 1", traffic(1020)),
        ("exclusive", "began anew during repetition 1", traffic(-5)),
        (
            "fill-recorded",
            "fs.s was 80.5 % full before repetition 1, and results of 60 to 70 % compare",
            down(Moment { fill: Some(0.805), ..well() }),
        ),
        ("layout-undeclared", "on 1 target each, and some lie on 3 of 3", lain(Stripes::Count(1), &[1, 3])),
        ("layout-undeclared", "on 2 targets each, and some lie on all of 3", lain(Stripes::Count(2), &[-1])),
        ("layout-undeclared", "on all targets each, and some lie on 2 of 3", lain(Stripes::All, &[2])),
        ("layout-undeclared", "on all targets each, and some lie on 3 of 4", of_four(&[4, 3])),
        ("layout-undeclared", "and some lie on 5, and fs.s is said to have 4", of_four(&[5])),
        ("layout-undeclared", "on all targets each, and some lie on 3 of 4", of_four(&[-1])),
        ("layout-undeclared", "and fs.s does not tell", lain(Stripes::All, &[])),
    ];
    for (lint, what, subject) in &wrong {
        let found = state::findings(subject);
        assert_eq!(told(&found), [*lint], "{what}");
        assert!(found[0].what.contains(what) && found[0].about == "T", "{what}: {found:#?}");
    }
    for id in with_check(|check| matches!(check, Check::State(_))) {
        assert!(wrong.iter().any(|(lint, ..)| *lint == id), "{id} has no case here");
    }
    for (asked, found) in [(Stripes::All, 3), (Stripes::All, -1), (Stripes::Count(3), -1)] {
        assert_eq!(told(&state::findings(&lain(asked, &[found]))), [""; 0], "{asked:?}");
    }
    let meant = StateSubject { degraded: Degraded::Maybe, ..down(missing.clone()) };
    assert_eq!(told(&state::findings(&meant)), [""; 0], "it may be so");
    let after = Moment { when: "after", ..missing.clone() };
    let lost = StateSubject { degraded: Degraded::Must, moments: vec![missing, after], ..right };
    assert_eq!(told(&state::findings(&lost)), [""; 0], "it is to be so");
}

#[test]
fn what_nothing_tells_is_not_degraded() {
    let blind = |when| Moment { down: None, missing: None, ..moment(when, &[]) };
    let subject = StateSubject { degraded: Degraded::Must, ..subject(blind("before"), blind("after")) };
    let found = state::findings(&subject);
    assert_eq!(told(&found), ["degraded"]);
    assert!(found[0].what.ends_with("down before repetition 1 is not known"), "{found:#?}");
}

/// A job that moved 1000 bytes and ended well, with four ranks' files on these targets.
fn job(test: &str, layouts: &[&[u32]]) -> Job {
    let each = EachRank {
        ranks: layouts.len() as u32,
        layout: (0..layouts.len() as u32).collect::<Vec<_>>().into(),
        layouts: layouts.iter().map(|layout| layout.to_vec()).collect(),
        targets: vec!["b1".into(), "b2".into(), "b3".into()],
        ..Default::default()
    };
    let phase = Phase {
        phase: "write".into(),
        ranks: 1,
        bytes: 1000,
        ops: 1,
        spans: results::record::Spans { transfer_s: 1.0, total_s: 1.0, ..Default::default() },
        each_rank: Some(each),
        persisted: true,
        ..Default::default()
    };
    let records = vec![
        Record::Run(Run { ranks: 1, nodes: 1, ..Default::default() }),
        Record::Phase(Box::new(phase)),
        Record::End(End::default()),
    ];
    let fill = |names: &[&str]| Fill {
        bytes_used: 650,
        bytes_free: 350,
        targets: names.iter().map(|name| Target { name: (*name).into(), ..Default::default() }).collect(),
        ..Default::default()
    };
    let info = JobInfo {
        sha256: [("stdout.txt".into(), "s".into())].into(),
        test: test.into(),
        repetition: 1,
        end: JobEnd::Exit(0),
        fill_before: Some(fill(&["b1", "b2", "b3"])),
        fill_after: Some(fill(&["b1", "b3"])),
        down_before: Some(vec![]),
        down_after: Some(vec!["b2 is down".into()]),
        traffic_bytes: Some(2000),
        ..Default::default()
    };
    Job { info, records, ..Default::default() }
}

/// A plan with tests, each with keys of its own.
fn plan(fs: &str, tests: &[(&str, &str)], behind: &str) -> Plan {
    let test = |(id, keys): &(&str, &str)| {
        format!(
            "[[test]]\nid = \"{id}\"\nior = \"-w -e -F\"\n{keys}\n\
             criterion = {{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }}\n"
        )
    };
    let tests: String = tests.iter().map(test).collect();
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\n\
         fs.s = {{ dir = \"{{dir}}\"{fs} }}\n{tests}{behind}"
    );
    Plan::parse(&text, "p.toml").unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

fn campaign(jobs: Vec<Job>) -> Campaign {
    let targets = ["b1", "b2", "b3"].map(|name| Target { name: name.into(), ..Default::default() });
    let targets = targets.to_vec();
    let fs = FileSystem { name: "s".into(), bytes: 1000, bytes_used: 650, targets, ..Default::default() };
    let machine = Machine { file_systems: vec![fs], ..Default::default() };
    let info = CampaignInfo { plan_sha256: "p".into(), tool_sha256: "t".into(), ..CampaignInfo::default() };
    Campaign { info, jobs, before: Some(machine.clone()), after: Some(machine), ..Default::default() }
}

/// The findings about a test but for those that are not of its file system.
fn of_state(plan: &Plan, campaign: &Campaign, id: &str) -> Vec<Finding> {
    let ours = with_check(|check| matches!(check, Check::State(_)));
    let all = lint::measured(plan, campaign).into_iter();
    all.filter(|finding| finding.about == id && ours.contains(&finding.lint)).collect()
}

#[test]
fn a_server_that_is_lost_makes_the_clause_invalid_unless_the_test_bears_it() {
    let made = plan("", &[("T", ""), ("D", "degraded = true")], "");
    let found = campaign(vec![job("T", &[]), job("D", &[])]);
    let verdicts: Vec<Verdict> = campaign::judge::judge(&made, &found);
    let [strict, bears] = &verdicts[..] else { panic!("{verdicts:#?}") };
    assert_eq!((strict.outcome, bears.outcome), (Outcome::Invalid, Outcome::Pass), "{verdicts:#?}");
    let gone = "b2 was missing after repetition 1, of 3 storage targets";
    assert!(strict.reason.starts_with(&format!("fs.s: {gone} (degraded); repair it")), "{}", strict.reason);
    for told in [format!("degraded: {gone}"), "degraded: b2 is down, after repetition 1".into()] {
        assert!(bears.warnings.contains(&told), "{:#?}", bears.warnings);
        assert!(!strict.warnings.contains(&told), "its reason says so: {:#?}", strict.warnings);
    }
}

#[test]
fn a_state_in_which_nothing_is_down_makes_its_tests_invalid() {
    let state = "[state.lost]\ndegrade = \"off\"\nmend = \"on\"\n";
    let made = plan("", &[("T", "states = [\"lost\"]")], state);
    let mut lost = job("T", &[]);
    let outcome = |job: &Job| {
        let verdict = campaign::judge::judge(&made, &campaign(vec![job.clone()])).remove(0);
        (verdict.outcome, verdict.reason)
    };
    let (invalid, why) = outcome(&lost);
    assert_eq!(invalid, Outcome::Invalid);
    assert!(why.starts_with("fs.s was to be degraded, and nothing is down before repetition 1"), "{why}");
    lost.info.down_before = Some(vec!["b2 is down".into()]);
    assert_eq!(outcome(&lost).0, Outcome::Pass);
}

#[test]
fn what_servers_moved_is_compared_with_all_that_ran_at_once() {
    let part = |id: &str| format!("{{ id = \"{id}\", ior = \"-w -e -F\", role = \"reported\" }}");
    let sum = "{ metric = \"write.bw\", op = \">=\", value = \"1 B/s\" }";
    let group = format!("[[group]]\nid = \"G\"\nparts = [{}, {}]\ncriterion = {sum}\n", part("a"), part("b"));
    let both = ["G.a", "G.b"].map(|id| job(id, &[]));
    let alone = job("T", &[]);
    let made = plan("", &[("T", "degraded = true")], &group);
    let found = campaign([&both[..], &[alone]].concat());
    let of = |id: &str| {
        let all = of_state(&made, &found, id).into_iter();
        all.filter(|finding| finding.lint == "exclusive").map(|finding| finding.what).collect::<Vec<_>>()
    };
    assert_eq!(of("T"), ["fs.s: 50.0 % of what its servers moved during repetition 1 was not the test's"]);
    assert_eq!((of("G.a"), of("G.b")), (vec![], vec![]));
}

#[test]
fn a_layout_that_is_read_back_is_compared_with_the_one_that_was_asked_for() {
    let dataset = "[dataset.d]\nior = \"-w -F -k\"\nstripes = 1\n";
    let made = plan(
        ", fill = [\"10%\", \"20%\"]",
        &[("T", "degraded = true\nstripes = 1"), ("A", "degraded = true\nstripes = \"all\"")],
        &format!(
            "{dataset}[[test]]\nid = \"R\"\nior = \"-r -F -k\"\nuses = \"dataset.d\"\ndegraded = true\n\
             criterion = {{ metric = \"read.bw\", op = \">=\", value = \"1 B/s\" }}\n\
             waive = [{{ lint = \"layout-undeclared\", why = \"w\", by = \"b\" }}]\n"
        ),
    );
    let spread: [&[u32]; 2] = [&[0], &[0, 1, 2]];
    let mut of_lustre = job("A", &spread);
    of_lustre.info.layout = Some(Layout { stripe_count: 2, ..Default::default() });
    let found = campaign(vec![job("T", &spread), of_lustre, job("R", &[&[1], &[2, 0]])]);
    for (id, lint, what) in [
        ("T", "layout-undeclared", "files were to lie on 1 target each, and some lie on 3 of 3"),
        ("A", "layout-undeclared", "files were to lie on all targets each, and some lie on 2 of 3"),
        ("R", "layout-undeclared", "files were to lie on 1 target each, and some lie on 2 of 3"),
        ("T", "fill-recorded", "fs.s was 65.0 % full before repetition 1, and results of 10 to 20 % compare"),
    ] {
        let findings = of_state(&made, &found, id);
        let finding = findings.iter().find(|finding| finding.lint == lint).unwrap();
        assert_eq!((finding.what.as_str(), finding.level), (what, Level::Waiver));
        assert_eq!(finding.waived.is_some(), id == "R");
    }
}

#[test]
fn a_layout_that_is_to_be_read_back_is_declared() {
    let undeclared = |keys: &str, line: &str| {
        let text = plan(", kind = \"lustre\"", &[("T", keys)], "").text.replace("-w -e -F", line);
        let findings = lint::plan(&Plan::parse(&text, "p.toml").unwrap()).into_iter();
        let found = findings.filter(|finding| finding.lint == "layout-undeclared");
        found.map(|finding| finding.what).collect::<Vec<_>>()
    };
    assert_eq!(undeclared("", "-w -e -F").len(), 1);
    assert_eq!(undeclared("stripes = 1", "-w -e -F"), [""; 0]);
    assert_eq!(undeclared("stripes = \"all\"", "-w -e"), [""; 0]);
    assert_eq!(undeclared("stripes = \"all\"", "-w -e -F"), ["a file for each rank, over all targets each"]);
}

#[test]
fn files_on_one_target_each_that_are_fewer_than_the_targets_are_found() {
    let found = |targets: &str, keys: &str| {
        let text = plan(&format!(", targets = {targets}"), &[("T", keys)], "").text;
        let findings = lint::plan(&Plan::parse(&text, "p.toml").unwrap()).into_iter();
        let found = findings.filter(|finding| finding.lint == "layout-undeclared");
        found.map(|finding| finding.what).collect::<Vec<_>>()
    };
    let told = "4 files on one target each cannot reach the 5 targets that there are";
    assert_eq!(found("5", "ranks = 4\nstripes = 1"), [told]);
    for (targets, keys) in [
        ("4", "ranks = 4\nstripes = 1"),
        ("\"\"", "ranks = 4\nstripes = 1"),
        ("5", "ranks = 4\nstripes = 2"),
        ("5", "ranks = 4"),
    ] {
        assert_eq!(found(targets, keys), [""; 0], "{targets} {keys}");
    }
}

#[test]
fn a_target_of_names_that_is_lost_is_missed_and_holds_no_files() {
    let made = plan("", &[("T", "stripes = \"all\"")], "");
    let all = ["s-MDT0000", "s-OST0000"].map(|name| Target { name: name.into(), ..Default::default() });
    let mut lost = job("T", &[]);
    lost.info.layout = Some(Layout { stripe_count: 1, ..Default::default() });
    let mut of_lustre = |after: &[Target]| {
        for (fill, there) in [(&mut lost.info.fill_before, &all[..]), (&mut lost.info.fill_after, after)] {
            fill.as_mut().unwrap().targets = there.to_vec();
        }
        lost.info.down_after = Some(Vec::new());
        let mut campaign = campaign(vec![lost.clone()]);
        campaign.before.as_mut().unwrap().file_systems[0].targets = all.to_vec();
        let of_targets = of_state(&made, &campaign, "T").into_iter();
        let of_targets = of_targets.filter(|finding| finding.lint != "exclusive");
        of_targets.map(|finding| finding.what).collect::<Vec<_>>()
    };
    assert_eq!(of_lustre(&all), [""; 0], "one target of data is all there are");
    let gone = "fs.s: s-MDT0000 was missing after repetition 1, of 2 storage targets";
    assert_eq!(of_lustre(&all[1..]), [gone]);
}
