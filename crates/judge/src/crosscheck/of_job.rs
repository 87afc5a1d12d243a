//! Whether the parts of a job agree: phases, command line, files, and times in records, job.json and chain.
//!
//! Never here: the numbers within a phase.

use std::collections::BTreeSet;

use super::{contradiction as differs, is_longer, is_unmounted, shown_s, shown_unix};
use command::WorkloadName;
use results::folder::{Campaign, ChainedJob, Job, NODE_CLOCK_S, unix_s};
use results::reason::Reason;
use results::record::{self, APP, Phase, Record, Run, phases};

use super::of_phase::known_moments;

/// The most by which the clock of the campaign's node may be set back during a job, seconds.
const CLOCK_STEP_S: f64 = 60.0;
/// The time between the end of a phase and the end of the next call of a rank, seconds.
const NEXT_PHASE_S: f64 = 0.05;
/// The most by which the end of a phase may be later than the end of its job, seconds. Times of jobs are
/// compared to the second.
const JOB_END_S: f64 = 1.0;
/// The directory of datasets that are kept for later campaigns.
const DATASETS: &str = "/assay-datasets/";

/// The first contradiction among the parts of a job, if any.
pub(super) fn contradiction(campaign: &Campaign, job: &Job) -> Option<Reason> {
    let of_this_campaign = || {
        of_command(job)
            .or_else(|| of_nodes(job))
            .or_else(|| of_files(campaign, job))
            .or_else(|| of_duration(job))
            .or_else(|| of_wall_clock(campaign, job))
    };
    repeated_phase(job)
        .or_else(|| overlapping_phases(job))
        .or_else(|| if is_reused(job) { None } else { of_this_campaign() })
        .or_else(|| job.chained.as_ref().and_then(|chained| of_chain(campaign, job, chained)))
}

/// Whether the job is a dataset of an earlier campaign. It has the records and the command line of that time.
pub(super) fn is_reused(job: &Job) -> bool {
    let made = job.dataset.as_ref().filter(|_| job.info.test.starts_with("dataset."));
    made.is_some_and(|made| made.reused.is_some())
}

fn repeated_phase(job: &Job) -> Option<Reason> {
    let key = |phase: &Phase| (phase.test, phase.repetition, phase.phase.clone());
    let mut seen = BTreeSet::new();
    let again = phases(&job.records).find(|phase| !seen.insert(key(phase)))?;
    let number = format!("{} of repetition {}", again.phase, again.repetition);
    Some(differs(job, ("phase", number.clone()), ("an earlier phase", number)))
}

/// A phase that began before the one before it had ended.
fn overlapping_phases(job: &Job) -> Option<Reason> {
    let all: Vec<&Phase> = phases(&job.records).collect();
    all.windows(2).find_map(|pair| {
        let [before, next] = pair else { return None };
        // The two halves of a mixed phase have the same time, and so have the two phases of a walk.
        if (before.began_s - next.began_s).abs() < f64::EPSILON {
            return None;
        }
        let ended = before.began_s + before.spans.total_s;
        let uncertain =
            |phase: &Phase| phase.moments.map_or(0, |moments| moments.uncertainty_ns) as f64 * 1e-9;
        is_longer(ended, next.began_s, NEXT_PHASE_S + uncertain(before) + uncertain(next)).then(|| {
            let end = (&*format!("end of {}", before.phase), shown_s(ended));
            differs(job, end, (&format!("begin of {}", next.phase), shown_s(next.began_s)))
        })
    })
}

/// The run record of a workload of this program.
pub(super) fn run_of(job: &Job) -> Option<&Run> {
    record::runs(&job.records).find(|run| run.workload != APP)
}

fn words(words: &[String]) -> String {
    words.join(" ")
}

/// A program that received other arguments than it was started with, or another program.
fn of_command(job: &Job) -> Option<Reason> {
    let started = ("argv in job.json", words(&job.info.argv));
    let Some(run) = run_of(job) else {
        // The campaign writes the records of an external program.
        let argv = record::runs(&job.records).map(|run| &run.argv).find(|argv| !argv.is_empty());
        let argv = argv.filter(|argv| **argv != job.info.argv)?;
        return Some(differs(job, ("argv of the run record", words(argv)), started));
    };
    // The launcher gives the program its number of local ranks.
    let own = match run.argv.get(1..).unwrap_or_default() {
        [option, _, rest @ ..] if option == "-n" => rest,
        all => all,
    };
    if !own.is_empty() && !job.info.argv.windows(own.len()).any(|part| part == own) {
        return Some(differs(job, ("argv of the run record", words(own)), started));
    }
    let file_name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let program = run.argv.first().map(|program| file_name(program))?;
    let is_there = job.info.argv.iter().any(|word| file_name(word) == program);
    (!is_there).then(|| differs(job, ("program of the run record", program), started))
}

/// Ranks on other nodes than those of the run. A phase of fewer ranks may have fewer nodes.
fn of_nodes(job: &Job) -> Option<Reason> {
    let run = run_of(job)?;
    let clients = run.clients.as_ref().filter(|clients| !clients.nodes.is_empty())?;
    let of_run: BTreeSet<&str> = clients.nodes.iter().map(|node| node.name.as_str()).collect();
    let whole = phases(&job.records).filter(|phase| phase.ranks == run.ranks);
    whole.filter_map(|phase| Some((phase, phase.each_rank.as_ref()?))).find_map(|(phase, each)| {
        let used: BTreeSet<&str> = (0..each.ranks).filter_map(|rank| each.node_of(rank)).collect();
        (!used.is_empty() && used != of_run).then(|| {
            let shown = |names: &BTreeSet<&str>| names.iter().copied().collect::<Vec<_>>().join(" ");
            let of_phase = (&*format!("nodes in each_rank of {}", phase.phase), shown(&used));
            differs(job, of_phase, ("nodes of the run record", shown(&of_run)))
        })
    })
}

/// The parts of arguments that can be paths: `-o a@b` and `-O name=a,name=b` have two each.
pub(super) fn parts(argv: &[String]) -> impl Iterator<Item = &str> {
    argv.iter().flat_map(|word| word.split(['@', ',', '=']))
}

/// The directory in a word such as `ufs:/s/f`, if it has an absolute path.
fn absolute(word: &str) -> Option<&str> {
    let at = word.find('/')?;
    let begins = at == 0 || word[..at].ends_with(':');
    Some(word[at..].trim_end_matches('/')).filter(|path| begins && !path.is_empty())
}

/// A path without the directory of a rank above its file, which `ior -u` adds: `/s/0/f` is `/s/f`.
fn without_rank(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    if let [.., rank, _] = parts[..]
        && rank.parse::<u32>().is_ok()
    {
        parts.remove(parts.len() - 2);
    }
    parts.join("/")
}

/// Files that the command line does not name, or that are in no directory of this campaign.
fn of_files(campaign: &Campaign, job: &Job) -> Option<Reason> {
    run_of(job)?;
    let argv = &job.info.argv;
    let below = |path: &str, dir: &str| path.starts_with(dir.trim_end_matches('/'));
    let named = |path: &str| parts(argv).any(|word| absolute(word).is_some_and(|dir| below(path, dir)));
    let info = &campaign.info;
    // A plan may also name a directory of its own.
    let chosen = || {
        let texts = std::iter::once(campaign.plan.as_str()).chain(info.set.values().map(String::as_str));
        let parts = texts.flat_map(|text| text.split([' ', '\t', '\n', '"', '\'', '@', ',', '=', '{', '}']));
        parts.filter_map(absolute)
    };
    let own = |path: &str| {
        info.data.is_empty()
            || info.data.values().any(|dir| below(path, dir))
            || path.contains(DATASETS)
            || chosen().any(|dir| below(path, dir))
    };
    let unmounted = |phase: &Phase| info.data.values().any(|dir| is_unmounted(&phase.path, dir));
    // The lines of a script name their own files.
    let is_ior = run_of(job)?.workload == WorkloadName::Ior.command();
    let is_script = is_ior && argv.iter().any(|word| word.starts_with("-f"));
    let mut paths = phases(&job.records).filter_map(|phase| Some((phase, absolute(&phase.path)?)));
    paths.find_map(|(phase, path)| {
        let fact = |what, value| Some(differs(job, ("path", path.to_owned()), (what, value)));
        match () {
            () if !is_script && !named(path) && !named(&without_rank(path)) => {
                fact("argv in job.json", words(argv))
            }
            () if !is_script && !own(path) && !unmounted(phase) => {
                let dirs: Vec<&str> = info.data.values().map(String::as_str).collect();
                fact("data in campaign.json", dirs.join(" "))
            }
            () => None,
        }
    })
}

/// Phases that ended after the job had ended. A job without a start has no times.
fn of_duration(job: &Job) -> Option<Reason> {
    unix_s(&job.info.started)?;
    phases(&job.records).find_map(|phase| {
        let end = phase.began_s + phase.spans.total_s;
        let uncertainty_s = known_moments(phase).map_or(0.0, |moments| moments.uncertainty_ns as f64 * 1e-9);
        is_longer(end, job.info.seconds, JOB_END_S + uncertainty_s).then(|| {
            let ended = (&*format!("end of {}", phase.phase), shown_s(end));
            differs(job, ended, ("seconds in job.json", shown_s(job.info.seconds)))
        })
    })
}

/// A moment in the records: what, in words, and seconds since 1970.
type TimeInRecords = (String, String, f64);

/// All times by the wall clock in the records of a job.
fn stamps(job: &Job) -> Vec<TimeInRecords> {
    let text = |what: &str, time: &str| Some((what.to_owned(), time.to_owned(), unix_s(time)?));
    let at = |what: String, ns: u64| (what, shown_unix(ns), ns as f64 * 1e-9);
    let of = |record: &Record| match record {
        Record::Run(run) => text("start of the run record", &run.started).into_iter().collect(),
        Record::End(end) => text("end of the end record", &end.finished).into_iter().collect(),
        Record::Phase(phase) => known_moments(phase).map_or(Vec::new(), |moments| {
            let (first, last) = (moments.first_start_unix_ns, moments.last_end_unix_ns);
            vec![at(format!("start of {}", phase.phase), first), at(format!("end of {}", phase.phase), last)]
        }),
        _ => Vec::new(),
    };
    job.records.iter().flat_map(of).collect()
}

/// Times in the records that lie outside of the job.
fn of_wall_clock(campaign: &Campaign, job: &Job) -> Option<Reason> {
    let began = unix_s(&job.info.started)?;
    let campaign_host = campaign.before.as_ref().map(|machine| &machine.host);
    // Rank 0 on the campaign's node has the same clock.
    let is_same_node = run_of(job).is_some_and(|run| campaign_host == Some(&run.host));
    let tolerance = if is_same_node { CLOCK_STEP_S } else { NODE_CLOCK_S };
    let (from, to) = (began - tolerance, began + job.info.seconds + tolerance);
    let outside = stamps(job).into_iter().find(|(_, _, time)| !(from..=to).contains(time))?;
    let times = format!("{} and {}", job.info.started, shown_s(job.info.seconds));
    Some(differs(job, (&outside.0, outside.1), ("start and seconds in job.json", times)))
}

/// A job whose hashes or times differ from those in the hash chain, or that began before its campaign.
fn of_chain(campaign: &Campaign, job: &Job, chained: &ChainedJob) -> Option<Reason> {
    let differing = chained.differing.as_ref().map(|one| {
        differs(job, (&one.file, one.in_job.clone()), ("its hash in the chain", one.in_chain.clone()))
    });
    differing.or_else(|| of_chain_times(campaign, job, chained))
}

fn of_chain_times(campaign: &Campaign, job: &Job, chained: &ChainedJob) -> Option<Reason> {
    let (begun, ended) = (unix_s(&chained.begun)?, unix_s(&chained.ended)?);
    let begin = || ("begin in the hash chain", chained.begun.clone());
    let Some(started) = unix_s(&job.info.started) else {
        return Some(differs(job, ("started in job.json", job.info.started.clone()), begin()));
    };
    if started < begun - CLOCK_STEP_S || started + job.info.seconds > ended + CLOCK_STEP_S {
        let times = format!("{} and {}", job.info.started, shown_s(job.info.seconds));
        let chain = format!("{} to {}", chained.begun, chained.ended);
        return Some(differs(
            job,
            ("start and seconds in job.json", times),
            ("times in the hash chain", chain),
        ));
    }
    // Another node may have resumed the campaign.
    let of_campaign = &campaign.info.started;
    (begun < unix_s(of_campaign)? - NODE_CLOCK_S)
        .then(|| differs(job, begin(), ("started in campaign.json", of_campaign.clone())))
}
