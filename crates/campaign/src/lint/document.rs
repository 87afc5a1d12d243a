//! The stage of the report: whether there is what an auditor asks for.
//!
//! Never here: rendering, and where the facts come from.

use super::table::{Check, all_found};
use super::{Finding, Found, Level};

/// What a report rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportSubject {
    /// What an auditor asks for, each with whether it is there: hashes of plan and program, the machine, what
    /// jobs printed.
    pub audit: Vec<(&'static str, bool)>,
    /// The same of how the program was built, which only whoever builds it can say.
    pub build: Vec<(&'static str, bool)>,
}

/// The findings of this stage, in the order of the table.
pub fn findings(subject: &ReportSubject) -> Vec<Finding> {
    all_found(|check| match check {
        Check::Report(check) => check(subject),
        _ => Vec::new(),
    })
}

/// audit-gap
pub(super) fn audit(subject: &ReportSubject) -> Vec<Found> {
    let missing = |all: &[(&'static str, bool)]| {
        let missing: Vec<&str> = all.iter().filter(|(_, there)| !there).map(|(what, _)| *what).collect();
        (!missing.is_empty()).then(|| format!("missing: {}", missing.join(", ")))
    };
    let evidence = missing(&subject.audit)
        .map(|what| Found::new(what, "measure again, by a program that records it; nothing can be added"));
    let build = missing(&subject.build).map(|what| {
        let remedy = "build the program with ASSAY_COMMIT and ASSAY_RUSTC set";
        Found::new(what, remedy).level(Level::Info)
    });
    evidence.into_iter().chain(build).collect()
}
