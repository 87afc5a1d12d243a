//! The stage after, of what every job says when it begins: where its files lie on each node, and what time it
//! is there.
//!
//! Never here: rates.

use jiff::Timestamp;
use results::record::{Clients, Mounted, SKEW_S};
use units::duration;

use super::table::{Check, all_found};
use super::{Finding, Found, Level};

/// One job of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunFacts<'a> {
    /// Which, such as `repetition 2`.
    pub which: String,
    /// Its folder, relative to the campaign's.
    pub folder: &'a str,
    /// The node of rank 0.
    pub host: &'a str,
    /// How many nodes it ran on.
    pub nodes: u32,
    /// What they said; `None` where they were not asked.
    pub clients: Option<&'a Clients>,
    /// The name of the file system in the plan, and the type that it is to have, where the plan says it.
    pub meant: Option<(String, String)>,
    /// When its phases worked, by the calendar of the node of rank 0; seconds since 1970.
    pub phases: Option<(f64, f64)>,
    /// How far that may be off, seconds.
    pub uncertainty_s: f64,
    /// When it was started and had ended, by the campaign's clock.
    pub job: Option<(f64, f64)>,
}

/// All jobs of a test, and of the states that it needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunsSubject<'a> {
    /// The test, or dataset.
    pub id: String,
    /// Whether other tests run at the same time, so that calendars tell what they had in common.
    pub at_once: bool,
    /// Its jobs.
    pub runs: Vec<RunFacts<'a>>,
}

/// The findings about these, in the order of the table.
pub fn findings(subject: &RunsSubject<'_>) -> Vec<Finding> {
    let mut findings = all_found(|check| match check {
        Check::Run(check) => check(subject),
        _ => Vec::new(),
    });
    for finding in &mut findings {
        finding.about.clone_from(&subject.id);
    }
    findings
}

/// path-on-wrong-fs, on every node
pub(super) fn mounts(subject: &RunsSubject<'_>) -> Vec<Found> {
    type Look = fn(&RunFacts<'_>, &Clients) -> Option<Found>;
    let looks: [Look; 3] = [other_kind, elsewhere, other_server];
    let found = |look: &Look| {
        let mut of = subject.runs.iter().filter_map(|run| Some((run, look(run, run.clients?)?)));
        let (run, first) = of.next()?;
        let others = of.map(|(run, _)| run.folder.to_owned());
        Some(Found { jobs: std::iter::once(run.folder.to_owned()).chain(others).collect(), ..first })
    };
    looks.iter().filter_map(found).collect()
}

/// A directory on a file system of another type than the plan says.
fn other_kind(run: &RunFacts<'_>, clients: &Clients) -> Option<Found> {
    let (fs, kind) = run.meant.as_ref()?;
    let there = clients.mounted.iter().find(|there| there.kind != *kind)?;
    let what = format!(
        "{}: on {} {} lies on {}, and fs.{fs} is of type {kind}",
        run.which,
        run.host,
        there.dir,
        there.words()
    );
    Some(Found::new(what, "mount it there, or give another directory"))
}

/// Nodes that have another file system there.
fn elsewhere(run: &RunFacts<'_>, clients: &Clients) -> Option<Found> {
    (clients.elsewhere.nodes > 0).then(|| {
        let what = format!(
            "{}: on {} of {} nodes the files lie on another file system than on {} ({}): {}",
            run.which,
            clients.elsewhere.nodes,
            run.nodes,
            run.host,
            here(clients),
            clients.elsewhere.words()
        );
        Found::new(what, "mount it on them, or leave them out")
    })
}

/// Nodes that have what may be the same from another server.
fn other_server(run: &RunFacts<'_>, clients: &Clients) -> Option<Found> {
    (clients.other_server.nodes > 0).then(|| {
        let what = format!(
            "{}: {} of {} nodes have the file system from another server than {} ({}): {}",
            run.which,
            clients.other_server.nodes,
            run.nodes,
            run.host,
            here(clients),
            clients.other_server.words()
        );
        Found::new(what, "say why it is the same one").level(Level::Waiver)
    })
}

fn here(clients: &Clients) -> String {
    clients.mounted.iter().map(Mounted::words).collect::<Vec<_>>().join(", ")
}

/// clock-skew
pub(super) fn skew(subject: &RunsSubject<'_>) -> Vec<Found> {
    // A single launch has clocks of its own, which its ranks compare: there a calendar only dates.
    let level = if subject.at_once { Level::Error } else { Level::Info };
    let apart = subject.runs.iter().filter_map(|run| Some((run, run.clients?.farthest.as_ref()?)));
    let worst = apart.max_by(|a, b| a.1.least_s().total_cmp(&b.1.least_s()));
    let between = worst.filter(|(_, apart)| apart.least_s() > SKEW_S);
    let between = between.map(|(run, apart)| format!("{}: {}", run.which, apart.words(run.host)));
    let found = between.into_iter().chain(subject.runs.iter().find_map(outside));
    found.map(|what| Found::new(what, "let all nodes keep time by NTP or chrony").level(level)).collect()
}

/// Phases that were, by their node's calendar, when the job was not, by the campaign's clock.
fn outside(run: &RunFacts<'_>) -> Option<String> {
    let ((from, to), (started, ended)) = (run.phases?, run.job?);
    let off = (started - from).max(to - ended) - run.uncertainty_s;
    (off > SKEW_S).then(|| {
        let [from, to, started, ended] = [from, to, started, ended].map(date);
        format!(
            "{}: its phases were from {from} to {to} by the calendar of {}, and the job from {started} to \
             {ended} by the campaign's: one of both is {} off or more",
            run.which,
            run.host,
            duration(off)
        )
    })
}

/// A moment as people and job.json have it, to the millisecond.
fn date(unix_s: f64) -> String {
    let millis = Timestamp::from_millisecond((unix_s * 1e3).round() as i64);
    millis.map_or("?".to_owned(), |moment| moment.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string())
}
