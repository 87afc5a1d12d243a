//! What the records of a campaign say to each criterion of its plan.
//!
//! In this order: was anything measured; may it be used; does the criterion hold literally; do the
//! repetitions support that. What a reader of the number has to know besides becomes warnings and notes.
//!
//! Modules import only those above them in this list: `index`, `case`, `validity` (may a measurement be
//! used), `findings` (what is wrong with the records), `decision`, `clients`, `attribution`, `remarks`,
//! `verdicts`, `summary`, `waivers`.
//!
//! Invariant: pure. The same plan and folder give the same verdicts, today and in ten years.
//! Never here: advice before a run, running, reading files, printing, English.
#![forbid(unsafe_code)]

mod attribution;
mod case;
mod clients;
mod decision;
mod findings;
mod index;
mod remarks;
mod summary;
mod validity;
mod verdicts;
mod waivers;

use plan::Plan;
use results::Verdict;
use results::folder::Campaign;
use results::summary::Summary;

pub use waivers::WAIVABLE;

/// What a campaign comes to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// One for each criterion, in the order of the plan; sums of groups follow their last part.
    pub verdicts: Vec<Verdict>,
    /// What it comes to besides.
    pub summary: Summary,
}

/// Evaluates what `campaign` holds by `plan`.
pub fn evaluate(plan: &Plan, campaign: &Campaign) -> Evaluation {
    let index = index::Index::of(plan, campaign);
    let findings = findings::all(&index);
    let findings = waivers::settled(&index, findings);
    Evaluation { verdicts: verdicts::all(&index, &findings), summary: summary::of(&index, &findings) }
}
