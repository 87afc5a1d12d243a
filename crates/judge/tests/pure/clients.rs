//! Whether more client nodes would have been faster.

use results::reason::{Code, any, row};
use results::record::Record;
use results::{Outcome, Verdict};

use super::{Parsed, job, numbers, of, one, outcome, phase, rates};

/// The verdict on test T: 4 nodes measured `own`, and 8 nodes measured `more`, three times each.
fn compared(own: [u64; 3], more: Option<[u64; 3]>, criterion: &str) -> Verdict {
    let text = format!(
        "schema = 1\nplan = {{ id = \"p\", title = \"t\" }}\nfs.s = {{ dir = \"/s\" }}\n\
         launch = {{ kind = \"mpirun\" }}\n[[test]]\nid = \"T\"\nrepetitions = 3\nnodes = 4\n\
         ior = \"-w -e\"\nclient_limit = {{ nodes = [8], gain = \"5 %\" }}\n\
         criterion = {{ metric = \"write.bw\", op = \">=\", {criterion} }}\n"
    );
    let plan = text.parsed();
    let ids: Vec<&str> = plan.tests.iter().map(|test| test.id.as_str()).collect();
    assert_eq!((ids, plan.tests[1].repetitions), (vec!["T", "T.n8"], 3));
    let mut campaign = rates("write", own);
    let probes = more.into_iter().flat_map(|rates| (1..).zip(rates));
    campaign.jobs.extend(probes.map(|(at, rate)| job("T.n8", at, phase("write", rate))));
    for job in &mut campaign.jobs {
        let Record::Run(run) = &mut job.records[0] else { panic!() };
        (run.nodes, run.ranks) = if job.info.test == "T" { (4, 4) } else { (8, 8) };
    }
    one(&plan, &campaign)
}

fn at_more_nodes(own: u64, more: Option<u64>) -> Verdict {
    compared([own; 3], more.map(|more| [more; 3]), "value = \"100 B/s\"")
}

#[test]
fn if_more_clients_are_faster_a_fail_is_inconclusive_and_a_pass_has_a_warning() {
    let missed = at_more_nodes(80, Some(120));
    assert_eq!(outcome(&missed), (Outcome::Inconclusive, Code::ClientLimited));
    assert_eq!(numbers(&missed.reason, ["nodes", "times", "ratio_low"]), [Some(8.0), Some(1.5), Some(1.5)]);
    assert_eq!(missed.reason.get(any::measured).map(|reason| reason.code), Some(Code::ThresholdNotMet));
    let met = at_more_nodes(120, Some(180));
    assert_eq!((met.outcome, met.warnings[0].code()), (Outcome::Pass, Code::ClientLimited));
    let full = at_more_nodes(80, Some(82));
    assert_eq!((full.outcome, full.notes[0].code()), (Outcome::Fail, Code::ClientsSufficient));
    assert_eq!(numbers(&full.notes[0].reason, ["nodes", "gain"]), [Some(8.0), Some(0.025)]);
    let unknown = at_more_nodes(80, None);
    let warning = &unknown.warnings[0].reason;
    assert_eq!((unknown.outcome, warning.code), (Outcome::Fail, Code::ClientLimitUnknown));
    assert_eq!(warning.get(row::ClientLimitUnknown::test), Some("T.n8"));
}

#[test]
fn a_gain_within_the_noise_excuses_a_fail_only_if_more_clients_may_meet_the_threshold() {
    let at = |own, more| compared(own, Some(more), "value = \"100 B/s\"");
    let excused = at([92, 93, 94], [90, 98, 106]);
    assert_eq!(outcome(&excused), (Outcome::Inconclusive, Code::ClientLimitUnclear), "{}", excused.reason);
    let [low, high] = numbers(&excused.reason, ["ratio_low", "ratio_high"]);
    assert!(low < Some(1.05) && high > Some(1.05), "{low:?} {high:?}");
    assert_eq!(excused.reason.get(any::measured).map(|reason| reason.code), Some(Code::ThresholdNotMet));
    let fails_too = at([78, 80, 82], [79, 84, 89]);
    assert_eq!((fails_too.outcome, fails_too.warnings[0].code()), (Outcome::Fail, Code::ClientLimitUnclear));
    let met = at([118, 120, 122], [115, 125, 135]);
    assert_eq!((met.outcome, met.warnings[0].code()), (Outcome::Pass, Code::ClientLimitUnclear));
}

#[test]
fn a_value_that_decides_as_written_fails_also_if_other_numbers_of_nodes_are_faster() {
    let at = |own, more| compared([own; 3], Some([more; 3]), "value = \"100 B/s\", rule = \"as-written\"");
    let missed = at(80, 120);
    assert_eq!(
        (outcome(&missed), missed.warnings[0].code()),
        ((Outcome::Fail, Code::ThresholdNotMet), Code::ClientLimited)
    );
    let searched = after_search([90, 100, 113], [95, 100, 105], [90, 91, 92], ", rule = \"as-written\"");
    assert_eq!(outcome(&searched), (Outcome::Fail, Code::ThresholdNotMet));
    assert!(of(&searched.warnings, Code::SearchUnclear).is_some(), "{:#?}", searched.warnings);
}

#[test]
fn the_client_limit_compares_means_for_every_statistic() {
    for stat in ["min", "mean", "max"] {
        let criterion = format!("value = \"500 B/s\", stat = \"{stat}\"");
        let verdict = compared([60, 100, 140], Some([62, 102, 142]), &criterion);
        assert_eq!(verdict.outcome, Outcome::Fail, "{stat}: {verdict:#?}");
    }
}

/// A search over 2 and 4 nodes with three repetitions each, for at least 100 B/s. The test ran on the better
/// one and measured `own`.
fn after_search(two: [u64; 3], four: [u64; 3], own: [u64; 3], keys: &str) -> Verdict {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                launch = { kind = \"mpirun\" }\n[[test]]\nid = \"T\"\nrepetitions = 3\nior = \"-w -e\"\n\
                nodes = { search = [2, 4], gain = \"3 %\" }\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"100 B/s\"KEYS }\n";
    let step = |id: &'static str, rates: [u64; 3]| {
        (1..).zip(rates).map(move |(at, rate)| job(id, at, phase("write", rate)))
    };
    let mut campaign = rates("write", own);
    campaign.jobs.splice(0..0, step("T.n2", two).chain(step("T.n4", four)));
    let sum = |rates: [u64; 3]| rates.iter().sum::<u64>();
    let best = if sum(four) > sum(two) { 4 } else { 2 };
    for job in &mut campaign.jobs {
        let Record::Run(run) = &mut job.records[0] else { panic!() };
        let nodes = if job.info.test == "T" { best } else { job.info.test[3..].parse().unwrap() };
        (run.nodes, run.ranks) = (nodes, nodes);
    }
    one(&text.replace("KEYS", keys).parsed(), &campaign)
}

#[test]
fn a_fail_after_a_search_that_did_not_decide_stays_only_if_all_steps_fail() {
    let open = after_search([90, 100, 113], [95, 100, 105], [90, 91, 92], "");
    assert_eq!(outcome(&open), (Outcome::Inconclusive, Code::SearchUnclear), "{}", open.reason);
    assert!(of(&open.warnings, Code::SearchUnclear).is_some(), "{:#?}", open.warnings);
    let all = after_search([70, 80, 90], [75, 80, 84], [78, 79, 80], "");
    assert_eq!(outcome(&all), (Outcome::Fail, Code::ThresholdNotMet), "every number of nodes fails");
    let met = after_search([110, 120, 130], [115, 120, 124], [119, 120, 121], "");
    assert_eq!(met.outcome, Outcome::Pass, "a number of nodes that meets the threshold is enough");
}

#[test]
fn a_found_optimum_is_a_note_and_an_optimum_at_the_end_of_the_search_a_warning() {
    let findings = |at_four: u64| {
        let Verdict { outcome, warnings, notes, .. } = after_search([100; 3], [at_four; 3], [120; 3], "");
        assert_eq!(outcome, Outcome::Pass);
        let found = |all: &[_]| {
            let reason = of(all, Code::SearchOptimum).or_else(|| of(all, Code::SearchOpen))?;
            Some((reason.code, numbers(reason, ["nodes", "more_nodes", "gain"])))
        };
        (found(&warnings), found(&notes))
    };
    let found = (Code::SearchOptimum, [Some(2.0), Some(4.0), Some(-0.01)]);
    assert_eq!(findings(99), (None, Some(found)));
    assert_eq!(findings(190), (Some((Code::SearchOpen, [Some(4.0), None, None])), None));
}
