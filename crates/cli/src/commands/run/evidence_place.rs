//! Whether the evidence of a campaign is written to a file system that it tests.
//!
//! Never here: choosing the place.

use std::collections::BTreeSet;
use std::path::Path;

use plan::Plan;
use report::sentences;
use results::finding::{Finding, Severity};
use results::reason::{Code, reason};
use results::same_fs;
use run::CampaignRequest;
use run::machine::file_system;

use crate::commands::output_file::directory;

/// The name of the evidence's file system. No file system of a plan contains a space.
const EVIDENCE: &str = "the evidence";

/// A finding for each file system of the plan on which `folder` will be created. `dir` is the value of
/// `{dir}` in the plan.
pub(super) fn on_tested(plan: &Plan, dir: Option<&Path>, folder: &Path) -> Vec<Finding> {
    let place = directory(folder);
    let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
    // The campaign itself reports a directory that cannot be used.
    let (Ok(mut machine), Ok(evidence)) = (run::examine(plan, dir), file_system(EVIDENCE, &place)) else {
        return Vec::new();
    };
    machine.file_systems.push(evidence);
    let tested = plan.file_systems.keys().map(String::as_str);
    let same = |name: &&str| !same_fs::pairs(Some(&machine), &BTreeSet::from([*name, EVIDENCE])).is_empty();
    let finding = |name: &str| {
        let reason = reason!(EvidenceOnTested { fs: name, place: place.to_string_lossy().into_owned() });
        Finding::new(Severity::Info, reason).about(format!("fs.{name}"))
    };
    tested.filter(same).map(finding).collect()
}

/// The note about it when the campaign begins, in one line; `None` if the evidence is elsewhere.
pub(super) fn note(request: &CampaignRequest) -> Option<String> {
    let found = request.findings.iter().find(|finding| finding.code() == Code::EvidenceOnTested)?;
    Some(format!("note: {}", sentences::explained(&found.reason)))
}
