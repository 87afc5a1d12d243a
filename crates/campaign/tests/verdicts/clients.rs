//! Whether more clients would have had more.

use results::record::Record;
use results::{Outcome, Verdict};

use super::{Parsed, job, one, phase, rates};

/// The verdict on test T of 4 nodes that measured `own`, where 8 nodes measured `more`.
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
fn where_more_clients_have_more_a_miss_is_inconclusive_and_a_pass_is_a_lower_bound() {
    let limited = "client-limited: 8 nodes reach 1.50 times as much, so the value is a lower bound";
    let missed = at_more_nodes(80, Some(120));
    assert_eq!(missed.outcome, Outcome::Inconclusive);
    assert_eq!(missed.reason, format!("mean 80.0 B/s misses >= 100 B/s, but {limited}"));
    let met = at_more_nodes(120, Some(180));
    assert_eq!((met.outcome, met.warnings[0].as_str()), (Outcome::Pass, limited));
    let full = at_more_nodes(80, Some(82));
    assert_eq!(full.outcome, Outcome::Fail);
    assert_eq!(full.notes[0], "8 nodes changed it by +2.5 %, so the clients are not what limits it");
    let unknown = at_more_nodes(80, None);
    assert_eq!(unknown.outcome, Outcome::Fail);
    assert!(
        unknown.warnings[0].starts_with("whether the clients limit it is not known: T.n8: "),
        "{:#?}",
        unknown.warnings
    );
}

#[test]
fn clients_limit_what_their_mean_falls_short_of_whatever_statistic_is_judged() {
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
fn an_optimum_that_was_found_is_a_note_and_one_beyond_what_was_tried_a_warning() {
    let text = "schema = 1\nplan = { id = \"p\", title = \"t\" }\nfs.s = { dir = \"/s\" }\n\
                launch = { kind = \"mpirun\" }\n[[test]]\nid = \"T\"\nrepetitions = 3\nior = \"-w -e\"\n\
                nodes = { search = [2, 4], gain = \"3 %\" }\n\
                criterion = { metric = \"write.bw\", op = \">=\", value = \"100 B/s\" }\n";
    let judged = |at_four: u64| {
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
        let about = |said: &String| ["optimum", "still gained"].iter().any(|word| said.contains(word));
        let of = |said: Vec<String>| said.into_iter().filter(about).collect::<Vec<_>>();
        (of(warnings), of(notes))
    };
    let found = "the optimum is 2 nodes: 4 nodes changed write.bw by +1.0 %, and 3.0 % are asked for";
    assert_eq!(judged(101), (vec![], vec![found.to_owned()]));
    let open = "the rate still gained at 4 nodes, the most that were tried";
    assert_eq!(judged(190), (vec![open.to_owned()], vec![]));
}
