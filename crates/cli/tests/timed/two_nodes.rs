//! Two nodes with a client each: what runs report of the nodes, what one reads of the other's data, clocks
//! that differ, and processes that are killed.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use results::Record;
use results::record::{Clients, Phase};

use crate::common::campaign::until;
use crate::common::mounted::FileSystem;
use crate::common::mounted::two_nodes::{NODES, TwoNodes};
use crate::common::{Ran, Running, run};

/// Words of a run that would take minutes.
const ENDLESS: &str = "-b 1g --rate=4MiB/s";
/// How much a rank writes before a signal comes.
const SOME_BYTES: u64 = 256 << 10;
/// The longest time from a signal to the end of the run.
const END_WITHIN: Duration = Duration::from_secs(60);
/// How long a rank is stopped. The run would last 8 s.
const STOPPED: Duration = Duration::from_secs(10);
/// Seconds by which clocks differ: a day, and five minutes.
const EARLIER: u32 = 86_400;
const AHEAD: i64 = 300;

fn start() -> Option<TwoNodes> {
    TwoNodes::start(FileSystem::GlusterDistribute)
}

/// The records of the run that just ended.
fn recorded(nodes: &TwoNodes) -> Vec<Record> {
    let path = nodes.path("records");
    let all = results::records::load(&path).unwrap();
    fs::remove_file(path).unwrap();
    all
}

fn phase<'r>(records: &'r [Record], name: &str) -> &'r Phase {
    let found = results::record::phases(records).find(|phase| phase.phase == name);
    found.unwrap_or_else(|| panic!("no {name} in {records:#?}"))
}

fn clients(records: &[Record]) -> &Clients {
    match &records[0] {
        Record::Run(run) => run.clients.as_deref().expect("a record of the nodes"),
        other => panic!("{other:?}"),
    }
}

/// Asserts that a record names both nodes, with two ranks on each.
fn has_two_nodes(records: &[Record]) {
    let Record::Run(run) = &records[0] else { panic!("{records:?}") };
    assert_eq!((run.ranks, run.nodes, run.host.as_str()), (4, 2, NODES[0]));
    let all = clients(records);
    assert!(all.nodes.iter().map(|node| node.name.as_str()).eq(NODES), "{all:?}");
    assert_eq!((all.elsewhere.nodes, all.mounted.len(), &*all.mounted[0].kind), (0, 1, "fuse.glusterfs"));
    for phase in results::record::phases(records) {
        let each = phase.each_rank.as_ref().expect("the work of each rank");
        let node = |rank| each.node.of(rank).map(|node| each.nodes[node as usize].as_str());
        let both: Vec<_> = (0..4).filter_map(node).collect();
        // All ranks of a phase that only rank 0 does are on its node.
        assert!(both == [NODES[0], NODES[0], NODES[1], NODES[1]] || each.ranks == 1, "{each:?}");
    }
}

#[test]
fn ior_reports_two_nodes_and_reads_what_the_other_one_wrote() {
    let Some(nodes) = start() else { return };
    let words = "ior -v -w -r -F -k -e -b 512k -t 64k --record records";
    let own = run(&mut nodes.command(&format!("{words} -o DIR/own"))).ok();
    let records = recorded(&nodes);
    has_two_nodes(&records);
    let read = phase(&records, "read");
    assert_eq!((read.cached_before, own.contains("in this client's page cache")), (Some(1.0), true), "{own}");

    let other = run(&mut nodes.command(&format!("{words} -C -o DIR/other"))).ok();
    for line in ["nodes               : 2", "tasks               : 4", "clients per node    : 2"] {
        assert!(other.contains(line), "{line}: {other}");
    }
    let records = recorded(&nodes);
    has_two_nodes(&records);
    let read = phase(&records, "read");
    assert_eq!((read.cached_before, other.contains("in this client's page cache")), (Some(0.0), false));
    // Twice around two nodes is back at the writer.
    let twice = run(&mut nodes.command(&format!("{words} -C -Q 2 -o DIR/twice"))).ok();
    assert!(twice.contains("warning: -C has no effect here"), "{twice}");
    assert_eq!(phase(&recorded(&nodes), "read").cached_before, Some(1.0));
}

#[test]
fn mdtest_reports_two_nodes_and_looks_up_what_the_other_one_created() {
    let Some(nodes) = start() else { return };
    let out = run(&mut nodes.command("mdtest -F -C -T -N 1 -n 20 -d DIR/md --record records")).ok();
    assert!(out.contains("launched with 4 total task(s) on 2 node(s)"), "{out}");
    assert!(out.contains("Nodemap: 1100") && out.contains("Shifting ranks by 2 for each phase"), "{out}");
    assert!(!out.contains("the node that has just created the items also looks them up"), "{out}");
    has_two_nodes(&recorded(&nodes));
}

#[test]
fn data_of_the_other_node_is_read_after_its_close_by_a_later_run() {
    let Some(nodes) = start() else { return };
    for file in ["-F", ""] {
        let words = format!("{file} -k -G 7 -b 256k -t 64k -o DIR/f{file} --record records");
        run(&mut nodes.command(&format!("ior -w {words}"))).ok();
        recorded(&nodes);
        for order in ["-C", "-Z -X 5"] {
            let out = run(&mut nodes.command(&format!("ior -r -R {order} {words}"))).ok();
            assert!(out.contains("1.00 Mi bytes compared, all as written"), "{order}: {out}");
            recorded(&nodes);
        }
    }
}

/// GlusterFS keeps pages of a file that another client has written again with the same length.
#[test]
fn old_data_from_the_cache_of_a_node_is_reported_as_wrong() {
    let Some(nodes) = start() else { return };
    let words = "-F -k -b 256k -t 64k -o DIR/f --record records";
    for (generation, action) in [(7, "-w -E"), (7, "-R -C"), (8, "-w -E")] {
        run(&mut nodes.command(&format!("ior {action} -G {generation} {words}"))).ok();
        recorded(&nodes);
    }
    let ran = run(&mut nodes.command(&format!("ior -R -C -G 8 {words}")));
    let check = phase(&recorded(&nodes), "read_check").check.clone().expect("data was compared");
    assert!(ran.status != Some(0) && ran.out.contains("16 transfers WRONG"), "{ran:#?}");
    assert_eq!((check.bad_transfers, check.bad_ranks), (16, 4), "{check:?}");
}

fn unix_ns() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_nanos() as u64
}

/// Asserts that all times of a run are between its start and its end by the clock of this test.
fn is_within(records: &[Record], begin: u64, end: u64) {
    let elapsed = (end - begin) as f64 * 1e-9;
    for phase in results::record::phases(records) {
        let Phase { spans, balance, .. } = phase;
        let mut seconds = vec![phase.began_s, spans.open_s, spans.transfer_s, spans.close_s, spans.total_s];
        seconds.extend([balance.seconds_min, balance.seconds_max, phase.began_s + spans.total_s]);
        let each = phase.each_rank.as_ref().expect("the work of each rank");
        for rank in 0..4 {
            let (lasted, ended) = (each.seconds.of(rank).unwrap(), each.ended_s.of(rank).unwrap());
            seconds.extend([lasted, ended, ended - lasted, ended - phase.began_s]);
        }
        seconds.extend(phase.latency.iter().map(|latency| latency.max_ns as f64 * 1e-9));
        assert!(seconds.iter().all(|one| (0.0..elapsed).contains(one)), "{elapsed} s: {phase:#?}");
        if let Some(moments) = phase.moments {
            let all = [moments.first_start_unix_ns, moments.last_end_unix_ns, moments.timeline_unix_ns];
            assert!(all.iter().all(|one| (begin..end).contains(one)), "{begin} to {end}: {moments:?}");
        }
    }
}

/// The lines of two runs with clocks that differ.
const RUNS: [&str; 2] = [
    "ior -w -r -C -F -e -b 512k -t 64k -o DIR/f --record records",
    "mdtest -n 10 -w 100 -e 100 -d DIR/md --record records",
];

#[test]
fn a_node_that_started_a_day_earlier_changes_no_time_of_a_run() {
    let Some(nodes) = start() else { return };
    if !nodes.start_second_earlier(EARLIER) {
        return;
    }
    let uptime = run(&mut nodes.on_first("MPI cat /proc/uptime")).ok();
    let seconds = uptime.lines().map(|line| line.split('.').next().unwrap().parse::<u64>().unwrap());
    let (least, most) = (seconds.clone().min().unwrap(), seconds.max().unwrap());
    assert!((most - least).abs_diff(EARLIER.into()) < 60, "{uptime}");
    for words in RUNS {
        let begin = unix_ns();
        let out = run(&mut nodes.command(words)).ok();
        let records = recorded(&nodes);
        is_within(&records, begin, unix_ns());
        assert!(!out.contains("wall clock"), "{out}");
    }
    // A rank that stops for longer than the run would last is the slowest one, also there. Without a stop it
    // would be rank 3, whose turn is the last one.
    let begin = unix_ns();
    let (child, [_, third, _]) = writing(&nodes, "-b 2m --rate=1MiB/s");
    signal("-STOP", &third);
    std::thread::sleep(STOPPED);
    signal("-CONT", &third);
    child.end(END_WITHIN).ok();
    let records = recorded(&nodes);
    is_within(&records, begin, unix_ns());
    let balance = &phase(&records, "write").balance;
    assert_eq!((balance.slowest_rank, balance.slowest_node.as_str()), (2, NODES[1]), "{balance:?}");
    assert!(balance.seconds_max >= STOPPED.as_secs_f64(), "{balance:?}");
}

#[test]
fn a_node_with_a_wrong_wall_clock_changes_no_time_of_a_run_and_is_reported() {
    let Some(nodes) = start() else { return };
    nodes.start_second_earlier(EARLIER);
    nodes.set_second_ahead(AHEAD);
    for words in RUNS {
        let begin = unix_ns();
        let out = run(&mut nodes.command(words)).ok();
        let records = recorded(&nodes);
        is_within(&records, begin, unix_ns());
        let wanted = format!("the wall clock of {} is 5.0 min ahead of that of {}", NODES[1], NODES[0]);
        assert!(out.contains(&wanted), "{wanted}: {out}");
        let apart = clients(&records).farthest.as_ref().expect("there are two nodes");
        let off_ns = apart.skew_ns.abs_diff(AHEAD * 1_000_000_000);
        assert!(off_ns <= apart.uncertainty_ns + 100_000, "{apart:?}");
    }
}

/// Starts a slow `ior -w` with `words` on two nodes. Gives the launcher's process and the two ranks of the
/// second node, as soon as these have written something.
fn writing(nodes: &TwoNodes, words: &str) -> (Running, [String; 3]) {
    let mut command = nodes.command(&format!("ior -w -F -k -t 64k {words} -o DIR/slow --record records"));
    let child = Running::piped(&mut command);
    let processes = nodes.processes_of_second();
    for file in ["slow.00000002", "slow.00000003"] {
        let file = nodes.clients()[1].join(file);
        until("written data", || fs::metadata(&file).is_ok_and(|facts| facts.len() > SOME_BYTES));
    }
    (child, processes)
}

fn signal(signal: &str, process: &str) {
    assert!(Command::new("kill").args([signal, process]).status().unwrap().success());
}

/// Asserts that a run failed without a result, and that none of its processes is left.
fn has_ended(nodes: &TwoNodes, ran: &Ran) {
    assert!(ran.status.is_some_and(|status| status != 0), "{ran:#?}");
    let records = recorded(nodes);
    assert!(!records.iter().any(|one| matches!(one, Record::End(_) | Record::Phase(_))), "{records:#?}");
    until("the end of all processes", || !nodes.has_processes());
}

#[test]
fn a_rank_that_is_killed_ends_the_run_on_both_nodes_and_is_reported() {
    let Some(nodes) = start() else { return };
    let (child, [_, rank, _]) = writing(&nodes, ENDLESS);
    signal("-KILL", &rank);
    let ran = child.end(END_WITHIN);
    has_ended(&nodes, &ran);
    assert!(ran.out.contains(&format!("PID {rank} RUNNING AT {}", NODES[1])), "{ran:#?}");
}

#[test]
fn a_network_that_is_cut_for_a_while_is_reported_and_the_run_continues_afterwards() {
    let Some(nodes) = start() else { return };
    let words = "ior -w -F -k -t 64k -b 1m --rate=1MiB/s -o DIR/slow --record records";
    let mut command = nodes.command(words);
    let err = fs::File::create(nodes.path("err")).unwrap();
    let child = Running::start(command.env("ASSAY_WAIT_REPORT", "2").stdout(Stdio::null()).stderr(err));
    let file = nodes.clients()[1].join("slow.00000003");
    until("written data", || fs::metadata(&file).is_ok_and(|facts| facts.len() > SOME_BYTES / 2));
    nodes.link_second("down");
    let said = || fs::read_to_string(nodes.path("err")).unwrap();
    let report = "assay: rank 0 has been waiting for other ranks for 2 s, in phase write\n";
    until("a report", || said().contains(report));
    nodes.link_second("up");
    let ran = child.end(END_WITHIN);
    assert_eq!(ran.status, Some(0), "{}", said());
    assert_eq!(phase(&recorded(&nodes), "write").each_rank.as_ref().unwrap().ranks, 4);
}

#[test]
fn a_launcher_that_is_killed_on_one_node_ends_the_run_on_both_nodes() {
    let Some(nodes) = start() else { return };
    let (child, [launcher, ..]) = writing(&nodes, ENDLESS);
    signal("-KILL", &launcher);
    let ran = child.end(END_WITHIN);
    has_ended(&nodes, &ran);
}
