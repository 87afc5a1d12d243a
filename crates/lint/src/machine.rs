//! What the machine shows before the first job: the mounted file systems of the plan.
//!
//! Invariant: the kernel's device number or the server's name decides whether two file systems are the same.
//! A directory name never does.
//! Never here: asking the machine, which `run` does.

use plan::{Plan, file_systems_of};
use results::finding::Finding;
use results::finding::Severity::{Error, Info, NeedsWaiver};
use results::folder::{FileSystemFacts, Machine};
use results::reason::{reason, row};
use results::same_fs;

/// A plan on a machine.
#[derive(Clone, Copy, Debug)]
pub struct MachineSubject<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The machine before the first job.
    pub machine: &'a Machine,
    /// Whether the plan runs at a scale chosen for a smaller system than that of the contract.
    pub scaled: bool,
}

/// fill-recorded, where the utilization is unknown
pub(crate) fn fill_recorded(subject: &MachineSubject<'_>) -> Vec<Finding> {
    let is_known = |fs: &FileSystemFacts| fs.bytes > 0;
    let used = file_systems_of(&subject.plan.tests).into_iter();
    let unknown = used.filter(|fs| !subject.machine.file_system(fs).is_some_and(is_known));
    let found = unknown.map(|fs| {
        Finding::new(Error, reason!(FillRecorded { fs_without_size: fs })).about(format!("fs.{fs}"))
    });
    found.collect()
}

/// one-fs-twice; an error for parts that run at the same time, because their sum is that of one file system
pub(crate) fn one_twice(subject: &MachineSubject<'_>) -> Vec<Finding> {
    let MachineSubject { plan, machine, scaled } = *subject;
    let mut found = Vec::new();
    for reason in same_fs::pairs(Some(machine), &file_systems_of(&plan.tests)) {
        let pair = [reason.get(row::OneFsTwice::fs), reason.get(row::OneFsTwice::other)];
        let pair = pair.map(Option::unwrap_or_default);
        let at_once = plan.groups.iter().filter(|group| {
            let of_parts = file_systems_of(plan.parts(group));
            pair.iter().all(|fs| of_parts.contains(fs))
        });
        let in_groups: Vec<Finding> = at_once
            .map(|group| {
                let severity = if scaled { NeedsWaiver } else { Error };
                Finding::new(severity, reason!(OneFsTwice { group: &group.id, ..reason.clone() }))
                    .about(&group.id)
            })
            .collect();
        if in_groups.is_empty() {
            let severity = if scaled { Info } else { NeedsWaiver };
            let about = format!("fs.{}", pair[0]);
            found.push(Finding::new(severity, reason).about(about));
        }
        found.extend(in_groups);
    }
    found
}
