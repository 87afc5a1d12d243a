//! The linter: advice on a command, a plan and a machine, before a run.
//!
//! A [`Lint`] is a row of one table: its code, severity, source and reason. Its checks are pure functions
//! from a subject (one command, a plan, a machine) to findings. An unknown fact gives no finding.
//!
//! Invariant: the same subject gives the same findings, in the order of the table. Prose gives only info.
//! Never here: records and their evaluation, files, starting programs, sentences about findings.
#![forbid(unsafe_code)]

mod checks;
mod chosen;
mod examples;
mod from_plan;
mod machine;
mod subject;
mod table;
mod waivers;

use command::{WorkloadLine, WorkloadName};
use plan::{Choice, Plan};
use results::finding::{Finding, SourcePosition};
use results::folder::Machine;

pub use chosen::{complete, errors, findings_of};
pub use command::classic::size;
pub use examples::LintExample;
pub use machine::MachineSubject;
pub use subject::{
    CriterionFacts, Drift, DriftKind, FsFacts, LineRejection, LineRole, LineSubject, MakerFacts, PlanSubject,
    SeriesFacts, StepFacts,
};
pub use table::{LINTS, Lint, LintCheck, LintStage, named, of_code};
pub use waivers::settle;

/// The findings about one command, the most severe first.
pub fn line(subject: &LineSubject) -> Vec<Finding> {
    let mut findings = table::all_found(|check| match check {
        LintCheck::Line(check) => check(subject).into_iter().collect(),
        LintCheck::Lines(check) => check(subject),
        _ => Vec::new(),
    });
    for finding in &mut findings {
        finding.about.clone_from(&subject.id);
        finding.place = match (subject.at, finding.place.take()) {
            (Some((line, column)), _) => Some(SourcePosition::Plan(line, column)),
            (None, Some(SourcePosition::Word(number, word))) => {
                Some(SourcePosition::Word(number + subject.offset, word))
            }
            (None, place) => place,
        };
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings
}

/// The findings about a plan as facts: of its command lines and of the whole, in the order of its tests.
pub fn whole(subject: &PlanSubject) -> Vec<Finding> {
    let mut findings: Vec<Finding> = subject.lines.iter().flat_map(line).collect();
    findings.extend(table::all_found(|check| match check {
        LintCheck::Plan(check) => check(subject),
        _ => Vec::new(),
    }));
    let order = |about: &str| subject.lines.iter().position(|line| line.id == about).unwrap_or(usize::MAX);
    findings.sort_by_key(|finding| order(&finding.about));
    findings
}

/// The findings about a checked plan, with its waivers settled.
pub fn plan(plan: &Plan) -> Vec<Finding> {
    plan_with(plan, |_, _| Vec::new())
}

/// The options in the arguments of a workload that differ from an earlier version.
pub type Drifted = fn(WorkloadName, &[String]) -> Vec<Drift>;

/// The same, with the drift of options.
pub fn plan_with(plan: &Plan, drifted: Drifted) -> Vec<Finding> {
    let mut findings = settled(plan, drifted);
    if plan.choice.scale.is_some() && findings.iter().any(waivers::is_idle) {
        // A waiver that the scale of the contract needs is not idle at another scale.
        let choice = Choice { scale: None, ..plan.choice.clone() };
        if let Ok(of_contract) = Plan::recorded(&plan.text, &plan.id, &choice) {
            let there = settled(&of_contract, drifted);
            findings.retain(|finding| !waivers::is_idle(finding) || there.contains(finding));
        }
    }
    findings
}

fn settled(plan: &Plan, drifted: Drifted) -> Vec<Finding> {
    let mut subject = from_plan::subjects(plan);
    for line in &mut subject.lines {
        line.drift = match &line.line {
            Some(WorkloadLine::Ior(read)) => drifted(WorkloadName::Ior, &read.words),
            Some(WorkloadLine::Mdtest(read)) => drifted(WorkloadName::Mdtest, &read.words),
            _ => Vec::new(),
        };
    }
    waivers::settle_plan(plan, whole(&subject))
}

/// The findings about a plan on the machine that will run it, before the first job. `scaled` is whether it
/// runs at a scale chosen for a smaller system than that of the contract.
pub fn machine(plan: &Plan, machine: &Machine, scaled: bool) -> Vec<Finding> {
    let subject = MachineSubject { plan, machine, scaled };
    let mut findings = table::all_found(|check| match check {
        LintCheck::Machine(check) => check(&subject),
        _ => Vec::new(),
    });
    waivers::approve_all(plan, &mut findings);
    findings
}
