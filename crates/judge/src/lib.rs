//! Evaluates the records of a campaign against the criteria of its plan.
//!
//! The questions, in this order: was anything measured, can it be used, is the criterion met literally, do
//! the repetitions support that. Other facts that a reader of the number should know become warnings and
//! notes.
//!
//! Modules import only modules before them in this list: `index`, `case`, `parameters`, `validity` (whether a
//! measurement can be used), `findings` (what is wrong with the records), `decision`, `clients`,
//! `attribution`, `remarks`, `verdicts`, `summary`, `waivers`, `comparison`. No module imports `answers`.
//!
//! `projection` and `stragglers` are arithmetic, and `power` states how probable a PASS is before a run: they
//! import none of the others.
//!
//! Invariant: pure. The same plan and folder always give the same verdicts.
//! Never here: other advice before a run, running, reading files, printing, English.
#![forbid(unsafe_code)]

mod answers;
mod attribution;
mod best;
mod case;
mod clients;
mod comparison;
pub mod crosscheck;
mod decision;
mod findings;
mod index;
mod parameters;
mod power;
pub mod projection;
mod remarks;
pub mod stragglers;
mod summary;
mod validity;
mod verdicts;
mod waivers;

use crosscheck::Contradiction;
use plan::Plan;
use results::Verdict;
use results::answers::AnswerSheet;
use results::folder::Campaign;
use results::summary::Summary;

pub use comparison::{
    COMPARISON_CONFIDENCE, CampaignToCompare, ComparisonRules, EntryNames, compare, history_entry,
    series_place,
};
pub use power::{ClausePower, MARGINS, PlanPower, SAMPLES, WANTED, power};
pub use waivers::WAIVABLE;

/// The result of a campaign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// One for each criterion, in the order of the plan; sums of groups follow their last part. With clauses
    /// of a contract they are in the order of these, and one without a criterion is NOT RUN.
    pub verdicts: Vec<Verdict>,
    /// The results that are not verdicts.
    pub summary: Summary,
    /// The jobs whose facts contradict each other, or those of another job.
    pub contradictions: Vec<Contradiction>,
}

/// Evaluates `campaign` against `plan`.
pub fn evaluate(plan: &Plan, campaign: &Campaign) -> Evaluation {
    let index = index::Index::of(plan, campaign);
    let findings = findings::all(&index);
    let findings = waivers::with_waivers(&index, findings);
    let (verdicts, summary) = (verdicts::all(&index, &findings), summary::of(&index, &findings));
    Evaluation { verdicts, summary, contradictions: index.contradictions() }
}

/// The answer sheets of `plan`, filled with the values of `campaign` by the rules of [`evaluate`].
pub fn answers(plan: &Plan, campaign: &Campaign) -> Vec<AnswerSheet> {
    let index = index::Index::of(plan, campaign);
    let findings = waivers::with_waivers(&index, findings::all(&index));
    answers::all(&index, &findings)
}
