//! The stage before the first job: what the machine and its file systems say, against what the tests need.
//!
//! Never here: asking them; `crate::machine` and the probes do.

use results::folder::{FileSystem, Machine};

use super::table::{Check, all_found};
use super::{Finding, Found, Level};

/// A file system before its tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeforeSubject<'a> {
    /// The name of the file system in the plan.
    pub fs: String,
    /// The machine; `None` where it was not recorded.
    pub machine: Option<&'a Machine>,
    /// Other file systems of the plan that are this one, with what they are; but for those of one group.
    pub twins: Vec<(String, String)>,
    /// Whether the plan was run at a scale that was chosen for a smaller system than the contract's.
    pub scaled: bool,
}

impl BeforeSubject<'_> {
    fn file_system(&self) -> Option<&FileSystem> {
        self.machine?.file_system(&self.fs)
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

/// one-fs-twice, of tests that do not run at once
pub(super) fn twice(subject: &BeforeSubject<'_>) -> Vec<Found> {
    let level = if subject.scaled { Level::Info } else { Level::Waiver };
    let found = |(other, what): &(String, String)| {
        Found::new(format!("fs.{} and fs.{other} are one file system: {what}", subject.fs), APART)
            .level(level)
    };
    subject.twins.iter().map(found).collect()
}

/// What makes two of one.
pub(super) const APART: &str = "give a directory on each of two file systems, or describe one only";
