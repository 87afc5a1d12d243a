//! Whether more client nodes would have been faster.

use results::reason::Code;
use results::record::Record;
use results::{Outcome, Verdict};

use super::{Parsed, job, numbers, of, one, outcome, phase, rates};

/// The verdict on test T: 4 nodes measured `own`, and 8 nodes measured `more`.
fn at_more_nodes(own: u64, more: Option<u64>) -> Verdict {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                launch = { kind = \"mpirun\" }\n[[test]]\nid = \"T\"\nrepetitions = 3\nnodes = 4\n\
                ior = \"-w -e\"\nclient_limit = { nodes = [8], gain = \"5 %\" }\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"100 B/s\" }\n";
    let plan = text.to_owned().parsed();
    let ids: Vec<&str> = plan.tests.iter().map(|test| test.id.as_str()).collect();
    assert_eq!((ids, plan.tests[1].repetitions), (vec!["T", "T.n8"], 1));
    let mut campaign = rates("write", [own; 3]);
    campaign.jobs.extend(more.map(|rate| job("T.n8", 1, phase("write", rate))));
    for job in &mut campaign.jobs {
        let Record::Run(run) = &mut job.records[0] else { panic!() };
        (run.nodes, run.ranks) = if job.info.test == "T" { (4, 4) } else { (8, 8) };
    }
    one(&plan, &campaign)
}

#[test]
fn if_more_clients_are_faster_a_fail_is_inconclusive_and_a_pass_has_a_warning() {
    let missed = at_more_nodes(80, Some(120));
    assert_eq!(outcome(&missed), (Outcome::Inconclusive, Code::ClientLimited));
    assert_eq!(numbers(&missed.reason, ["nodes", "times"]), [Some(8.0), Some(1.5)]);
    assert_eq!(missed.reason.reason("measured").map(|reason| reason.code), Some(Code::ThresholdNotMet));
    let met = at_more_nodes(120, Some(180));
    assert_eq!((met.outcome, met.warnings[0].code()), (Outcome::Pass, Code::ClientLimited));
    let full = at_more_nodes(80, Some(82));
    assert_eq!((full.outcome, full.notes[0].code()), (Outcome::Fail, Code::ClientsSufficient));
    assert_eq!(numbers(&full.notes[0].reason, ["nodes", "gain"]), [Some(8.0), Some(0.025)]);
    let unknown = at_more_nodes(80, None);
    let warning = &unknown.warnings[0].reason;
    assert_eq!((unknown.outcome, warning.code), (Outcome::Fail, Code::ClientLimitUnknown));
    assert_eq!(warning.text("test"), Some("T.n8"));
}

#[test]
fn the_client_limit_compares_means_for_every_statistic() {
    for stat in ["min", "mean", "max"] {
        let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                    launch = { kind = \"mpirun\" }\n[[test]]\nid = \"T\"\nrepetitions = 3\nnodes = 4\n\
                    ior = \"-w -e\"\nclient_limit = { nodes = [8], gain = \"5 %\" }\n\
                    criterion = { metric = \"write.bw\", op = \">=\", value = \"500 B/s\", stat = \"S\" }\n";
        let mut campaign = rates("write", [60, 100, 140]);
        campaign.jobs.push(job("T.n8", 1, phase("write", 102)));
        for job in &mut campaign.jobs {
            let Record::Run(run) = &mut job.records[0] else { panic!() };
            (run.nodes, run.ranks) = if job.info.test == "T" { (4, 4) } else { (8, 8) };
        }
        let verdict = one(&text.replace("\"S\"", &format!("{stat:?}")).parsed(), &campaign);
        assert_eq!(verdict.outcome, Outcome::Fail, "{stat}: {verdict:#?}");
    }
}

#[test]
fn a_found_optimum_is_a_note_and_an_optimum_at_the_end_of_the_search_a_warning() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                launch = { kind = \"mpirun\" }\n[[test]]\nid = \"T\"\nrepetitions = 3\nior = \"-w -e\"\n\
                nodes = { search = [2, 4], gain = \"3 %\" }\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"100 B/s\" }\n";
    let findings = |at_four: u64| {
        let mut campaign = rates("write", [120; 3]);
        campaign.jobs.insert(0, job("T.n2", 1, phase("write", 100)));
        campaign.jobs.insert(1, job("T.n4", 1, phase("write", at_four)));
        let best = if at_four > 103 { 4 } else { 2 };
        for job in &mut campaign.jobs {
            let Record::Run(run) = &mut job.records[0] else { panic!() };
            let nodes = if job.info.test == "T" { best } else { job.info.test[3..].parse().unwrap() };
            (run.nodes, run.ranks) = (nodes, nodes);
        }
        let Verdict { outcome, warnings, notes, .. } = one(&text.to_owned().parsed(), &campaign);
        assert_eq!(outcome, Outcome::Pass);
        let found = |all: &[_]| {
            let reason = of(all, Code::SearchOptimum).or_else(|| of(all, Code::SearchOpen))?;
            Some((reason.code, numbers(reason, ["nodes", "more_nodes", "gain"])))
        };
        (found(&warnings), found(&notes))
    };
    let found = (Code::SearchOptimum, [Some(2.0), Some(4.0), Some(0.01)]);
    assert_eq!(findings(101), (None, Some(found)));
    assert_eq!(findings(190), (Some((Code::SearchOpen, [Some(4.0), None, None])), None));
}
