//! The answers of this program about a corpus of command lines stay equal while the code moves.
//!
//! The corpus has the lines of documents, plans, tests and golden files, then random ones of the option
//! tables. A line is a workload and its words, separated by tabs.

use std::fmt::Write as _;

use command::classic::{self, ClassicLine};
use command::{TypedCommand, WorkloadName, ior, mdtest};
use lint::LineSubject;
use plan::line::Line;
use plan::{Plan, schedule};
use results::finding::Finding;

use super::{check, drifted, rejections};
use crate::corpus::Corpus;
use crate::session::RankStart;

/// Without the slow tests, one of this many groups of random lines is compared.
const SAMPLED: usize = 25;
/// Groups that are always compared: those of lines that a person wrote.
const WRITTEN: usize = 41;

/// All answers about one line, a text each.
fn answers(line: &str) -> String {
    let mut words = line.split('\t').map(str::to_owned);
    let command = words.next().unwrap_or_default();
    let words: Vec<String> = words.collect();
    let workload = WorkloadName::named(&command).expect("a workload");
    let mut text = format!("{line}\n");
    for launched in [1, 8] {
        let start = RankStart { launched: Some(launched), local: None };
        let _ = writeln!(text, "check {launched}: {:?}", check(workload, &words, start).map_err(|why| why.0));
    }
    for rejection in rejections(workload, &words, None) {
        let _ = writeln!(text, "rejection: {:?} {}", rejection.place, rejection.why);
    }
    let _ = writeln!(text, "drift: {:?}", drifted(workload, &words));
    text += &parameters(workload, &words);
    text += &linted(&command, &words);
    text += &planned(&command.replace('-', "_"), &words);
    text
}

/// What the engine would run.
fn parameters(workload: WorkloadName, words: &[String]) -> String {
    match workload {
        WorkloadName::Ior => {
            let run =
                classic::parse::<ior::Parsed>(words).and_then(|mut run| run.finish().map(|()| run.request));
            format!("run: {:?}\n", run.map_err(|why| why.0))
        }
        WorkloadName::Mdtest => {
            format!("run: {:?}\n", request::<mdtest::Parsed>(words))
        }
        _ => String::new(),
    }
}

fn request<T: ClassicLine<Request: Clone>>(words: &[String]) -> Result<T::Request, String> {
    let run = classic::parse::<T>(words).and_then(T::finished);
    run.map(|run| run.request().clone()).map_err(|why| why.0)
}

fn listed(what: &str, findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let json = serde_json::to_string(finding).expect("a finding");
        format!("{what}: {json}\n")
    };
    findings.iter().map(line).collect()
}

/// What the linter says about the line under a launcher.
fn linted(command: &str, words: &[String]) -> String {
    let launcher = ["srun", "-N", "2", "-n", "8", command].map(str::to_owned);
    let command = match TypedCommand::read(&[&launcher[..], words].concat()) {
        Ok(command) => command,
        Err(why) => return format!("lint: {why}\n"),
    };
    let start = RankStart { launched: Some(8), local: None };
    let subject = LineSubject {
        drift: drifted(command.workload, &command.words),
        rejections: rejections(command.workload, &command.words, Some(start)),
        ..LineSubject::of(&command)
    };
    listed("lint", &lint::line(&subject))
}

/// What a plan, its jobs and its lints make of the line, and what a verdict compares.
fn planned(key: &str, words: &[String]) -> String {
    let words = words.join(" ");
    let line = match Line::parse(key, &words) {
        Ok(line) => line,
        Err(why) => return format!("plan: {why}\n"),
    };
    let mut text = facts(&line) + &facts(&line.clone().verified());
    let head = "schema = 1\nplan = { id = \"p\", title = \"P\" }\nfs.s = { dir = \"{dir}\" }\n\
                defaults = { ranks = 8, ppn = 4, repetitions = 2 }\n[launch]\nkind = \"mpirun\"\n";
    let phase = line.phases().first().cloned().unwrap_or_default();
    let metric = ["bw", "rate", "errors"].into_iter().find(|metric| line.yields(metric)).unwrap_or("errors");
    let value = serde_json::to_string(&words).expect("a text");
    let plan = format!(
        "{head}[[test]]\nid = \"T\"\n{key} = {value}\n\
         criterion = {{ metric = \"{phase}.{metric}\", op = \">=\", value = \"1\" }}\n"
    );
    let plan = match Plan::parse(&plan, "p.toml") {
        Ok(plan) => plan,
        Err(why) => return text + &format!("plan: {why}\n"),
    };
    for job in schedule::jobs(&plan, &[]).unwrap_or_default() {
        let _ = writeln!(text, "job: {:?} {} {:?}", job.words, job.timeout_s, job.placement);
    }
    text + &listed("plan lint", &lint::plan_with(&plan, drifted))
}

/// The answers of a line of a plan.
fn facts(line: &Line) -> String {
    let phases = line.phases();
    let compared: Vec<bool> = phases.iter().map(|phase| line.compares(phase)).collect();
    let known: Vec<bool> = phases.iter().map(|phase| line.knows_failures(phase)).collect();
    let yields = ["bw", "iops", "rate", "errors", "cases"].map(|metric| line.yields(metric));
    let mut text = format!("words: {} {:?} {:?}\n", line.workload(), line.words(), line.place());
    let _ = writeln!(text, "phases: {phases:?} {compared:?} {known:?} {yields:?}");
    let does = [line.only_reads(), line.writes(), line.keeps(), line.preloads(), line.has_own_trees()];
    let starts = [line.starts_ranks(), line.drops_caches(), line.takes_fewer_ranks()];
    let _ = writeln!(text, "does: {does:?} {starts:?} {} {}", line.deadline_s(), line.repetitions());
    for ranks in [1, 8] {
        let names = [0, 5].map(|preload| line.holds_names(ranks, preload));
        let _ = writeln!(text, "of {ranks}: {:?} {} {names:?}", line.bytes(ranks), line.holds_bytes(ranks));
    }
    if let Some(line) = line.as_ior() {
        let (backend, direct) = (&line.backend, line.is_direct());
        let sizes = (line.block_bytes(), line.transfer_bytes(), line.segment_count());
        let _ = writeln!(text, "transfers: {backend} {sizes:?} {} {}", line.file_per_rank, line.is_flushed());
        let style = [line.is_random(), line.is_rate_limited(), line.file_per_rank, line.collective];
        let _ = writeln!(text, "style: {style:?} {:?}", [line.sync, line.sync_each, direct]);
    }
    text
}

#[test]
fn the_answers_about_command_lines_are_those_of_the_corpus() {
    Corpus { name: "lines", separator: '\n', written: WRITTEN, sampled: SAMPLED }.compare(&answers);
}
