//! The stage before the first job: what the machine and its file systems say, against what the tests need.
//!
//! Never here: asking them; `crate::machine` and the probes do.

use results::folder::{FileSystem, Machine};
use units::duration;

use super::table::{Check, all_found};
use super::{Finding, Found};

/// How far clocks of clients may be apart for windows over several launches, seconds.
const SKEW_S: f64 = 1.0;

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

/// A file system before its tests.
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
}

impl BeforeSubject<'_> {
    fn file_system(&self) -> Option<&FileSystem> {
        self.machine?.file_systems.iter().find(|fs| fs.name == self.fs)
    }
}

/// The findings of this stage, in the order of the table.
pub fn findings(subject: &BeforeSubject<'_>) -> Vec<Finding> {
    let mut findings = all_found(|check| match check {
        Check::Before(check) => check(subject),
        _ => Vec::new(),
    });
    for finding in &mut findings {
        finding.about = format!("fs.{}", subject.fs);
    }
    findings
}

/// fill-recorded, where it was not
pub(super) fn fill_recorded(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let fs = &subject.fs;
    if subject.file_system().is_some_and(|fs| fs.bytes > 0) {
        return Vec::new();
    }
    let what = format!("how full fs.{fs} is was not recorded");
    vec![Found::new(what, "let it be asked with statfs before and after")]
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
