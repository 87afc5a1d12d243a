//! The stage before the first job: what the machine and its file systems say, against what the tests need.
//!
//! Never here: asking them; `crate::machine` and the probes do.

use results::folder::{FileSystem, Machine};
use units::{bytes_binary, count, duration};

use super::table::{Check, LINTS};
use super::{Finding, Found, Level};

/// Share by which there has to be more room than is needed.
const ROOM: f64 = 1.1;
/// Shares of blocks and inodes in use of a file system that counts as aged (Purple).
const BLOCKS: f64 = 0.8;
const INODES: f64 = 0.2;
/// How far clocks of clients may be apart for windows over several launches, seconds.
const SKEW_S: f64 = 1.0;
/// Share of a server's traffic that others may have.
const FOREIGN: f64 = 0.01;

/// What one client says of the file system under test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientFacts {
    /// Its name.
    pub host: String,
    /// The device that is mounted where the files go.
    pub device: String,
    /// Its type.
    pub kind: String,
    /// Its clock against the first one's, seconds.
    pub skew_s: Option<f64>,
}

/// A file system before (or after) its tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeSubject<'a> {
    /// The name of the file system in the plan.
    pub fs: String,
    /// The machine; `None` where it was not recorded.
    pub machine: Option<&'a Machine>,
    /// The clients, the first one first.
    pub clients: Vec<ClientFacts>,
    /// The type that the plan says.
    pub kind: Option<String>,
    /// Bytes and names that lie there at a time, at most.
    pub needs: Option<(u64, u64)>,
    /// Whether rates of names are judged on it as on an aged file system.
    pub aged: bool,
    /// Shares of blocks between which results may be compared.
    pub band: Option<(f64, f64)>,
    /// Share of the servers' traffic that is not the tests'.
    pub foreign: Option<f64>,
    /// What is down or rebuilding, in words.
    pub down: Vec<String>,
    /// Whether the tests are of a degraded system.
    pub degraded: bool,
    /// Stripes that files were to have, and have.
    pub stripes: Option<(i64, i64)>,
    /// Space and inodes that a quota leaves, where there is one.
    pub quota: Option<(u64, u64)>,
}

impl BeforeSubject<'_> {
    fn file_system(&self) -> Option<&FileSystem> {
        self.machine?.file_systems.iter().find(|fs| fs.name == self.fs)
    }
}

/// Shares of blocks and of inodes in use; of inodes `None` where they are not counted.
fn fill(fs: &FileSystem) -> Option<(f64, Option<f64>)> {
    let inodes = (fs.inodes > 0).then(|| fs.inodes.saturating_sub(fs.inodes_free) as f64 / fs.inodes as f64);
    (fs.bytes > 0).then(|| (fs.bytes_used as f64 / fs.bytes as f64, inodes))
}

/// The findings of this stage, in the order of the table.
pub fn findings(subject: &BeforeSubject<'_>) -> Vec<Finding> {
    let all = LINTS.iter().flat_map(|lint| lint.checks.iter().map(move |check| (lint, check)));
    let found = all.flat_map(|(lint, check)| match check {
        Check::Before(check) => check(subject).into_iter().map(|found| found.of(lint)).collect(),
        _ => Vec::new(),
    });
    let mut findings: Vec<Finding> = found.collect();
    for finding in &mut findings {
        finding.about = format!("fs.{}", subject.fs);
    }
    findings
}

/// fill-recorded
pub(super) fn fill_recorded(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let fs = &subject.fs;
    let Some((blocks, _)) = subject.file_system().and_then(fill) else {
        let what = format!("how full fs.{fs} is was not recorded");
        return vec![Found::new(what, "let it be asked with statfs before and after")];
    };
    match subject.band {
        Some((low, high)) if !(low..=high).contains(&blocks) => {
            let [blocks, low, high] = [blocks, low, high].map(|share| share * 100.0);
            let what =
                format!("fs.{fs} is {blocks:.0} % full, and results of {low:.0} to {high:.0} % compare");
            vec![Found::new(what, "bring it to that fill, or start a new series").level(Level::Waiver)]
        }
        _ => Vec::new(),
    }
}

/// not-aged
pub(super) fn not_aged(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let Some((blocks, inodes)) = subject.file_system().and_then(fill).filter(|_| subject.aged) else {
        return Vec::new();
    };
    let few = inodes.is_some_and(|inodes| inodes < INODES);
    if blocks >= BLOCKS && !few {
        return Vec::new();
    }
    let told = inodes
        .map_or("inodes not counted".to_owned(), |inodes| format!("{:.0} % of the inodes", inodes * 100.0));
    let what = format!("fs.{}: {:.0} % of the blocks in use, {told}", subject.fs, blocks * 100.0);
    vec![Found::new(what, "age it: `age = \"--blocks 80% --inodes 20%\"`")]
}

/// no-room
pub(super) fn no_room(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let (Some((bytes, names)), Some(fs)) = (subject.needs, subject.file_system()) else { return Vec::new() };
    let (quota_bytes, quota_names) = subject.quota.unwrap_or((u64::MAX, u64::MAX));
    let (free, inodes) = (fs.bytes_free.min(quota_bytes), fs.inodes_free.min(quota_names));
    let lacks = |need: u64, free: u64| need as f64 * ROOM > free as f64;
    let mut found = Vec::new();
    if lacks(bytes, free) {
        let what = format!(
            "{} lie there at a time, with 10 % to spare, and {} are free",
            bytes_binary(bytes as f64 * ROOM),
            bytes_binary(free as f64)
        );
        found.push(Found::new(what, "make room, or move less"));
    }
    if (fs.inodes > 0 || subject.quota.is_some()) && lacks(names, inodes) {
        let what =
            format!("{} names at a time, and {} inodes are free", count(names as f64), count(inodes as f64));
        found.push(Found::new(what, "make room, or make fewer names"));
    }
    found
}

/// path-on-wrong-fs, on every client
pub(super) fn mounts(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let Some(first) = subject.clients.first() else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(kind) = subject.kind.as_ref().filter(|kind| **kind != first.kind) {
        let what = format!(
            "the directory of fs.{} lies on {} on {}, not on {kind}",
            subject.fs, first.kind, first.host
        );
        found.push(Found::new(what, "mount it there, or give another directory"));
    }
    let others = subject
        .clients
        .iter()
        .filter(|client| (&client.device, &client.kind) != (&first.device, &first.kind));
    let named: Vec<&str> = others.map(|client| client.host.as_str()).collect();
    if !named.is_empty() {
        let what = format!(
            "{} of {} clients have another file system there than {}: {}",
            named.len(),
            subject.clients.len(),
            first.host,
            named.iter().take(5).copied().collect::<Vec<_>>().join(", ")
        );
        found.push(Found::new(what, "mount it on them, or leave them out"));
    }
    found
}

/// clock-skew
pub(super) fn skew(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let far = subject.clients.iter().filter_map(|client| Some((client, client.skew_s?.abs())));
    let Some((client, skew)) = far.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, skew)| *skew > SKEW_S)
    else {
        return Vec::new();
    };
    let what = format!("the clock of {} is {} from that of the first client", client.host, duration(skew));
    vec![Found::new(what, "let all clients keep time by NTP or chrony")]
}

/// exclusive
pub(super) fn exclusive(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let Some(share) = subject.foreign.filter(|share| *share > FOREIGN) else { return Vec::new() };
    let what = format!("{:.1} % of the servers' traffic is not the test's", share * 100.0);
    vec![Found::new(what, "measure while nobody else is there")]
}

/// degraded
pub(super) fn degraded(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let found = subject.down.iter().filter(|_| !subject.degraded).map(|down| {
        Found::new(
            format!("fs.{}: {down}", subject.fs),
            "repair it, or say that the test is of a degraded system",
        )
    });
    found.collect()
}

/// layout-undeclared, where it is read back
pub(super) fn layout(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let Some((asked, there)) = subject.stripes.filter(|(asked, there)| asked != there) else {
        return Vec::new();
    };
    let what = format!("files were to have {asked} stripes and have {there}");
    vec![Found::new(what, "set the layout of the directory before its files are made")]
}
