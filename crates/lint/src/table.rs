//! The table of lints: the checks of each lint. The row of its reason in `results::reason` has the rest.
//!
//! Invariant: codes are unique and never change. No finding of a check is more severe than its lint.
//! Never here: sentences about findings, and what the row of a reason has.

use std::ops::Deref;

use results::finding::Finding;
use results::reason::{Code, LintRow};

use crate::checks::{cache, criteria, names, paths, prose, required, series, shape, stonewall, terms};
use crate::machine::{self, MachineSubject};
use crate::subject::{LineSubject, PlanSubject};

/// One check for a lint.
#[derive(Clone, Copy)]
pub enum LintCheck {
    /// On one command line, with at most one finding.
    Line(fn(&LineSubject) -> Option<Finding>),
    /// On one command line.
    Lines(fn(&LineSubject) -> Vec<Finding>),
    /// On a whole plan.
    Plan(fn(&PlanSubject) -> Vec<Finding>),
    /// On the machine, before the first job.
    Machine(for<'a, 'b> fn(&'a MachineSubject<'b>) -> Vec<Finding>),
}

/// The time at which a lint is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LintStage {
    /// Before any job is started, from the text alone.
    Plan,
    /// On the machine, before the first job.
    Machine,
}

impl std::fmt::Display for LintStage {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.pad(match self {
            Self::Plan => "plan",
            Self::Machine => "machine",
        })
    }
}

/// A rule about good storage tests. It reads like the row of its reason.
pub struct Lint {
    /// Its code, which its findings carry.
    pub code: Code,
    /// Its checks; empty for what is found when waivers are settled.
    pub checks: &'static [LintCheck],
    row: &'static LintRow,
}

/// A lint. A code whose row is not that of a lint does not compile.
const fn lint(code: Code, checks: &'static [LintCheck]) -> Lint {
    Lint { code, checks, row: code.row().lint.as_ref().expect("a row of a lint") }
}

impl Deref for Lint {
    type Target = LintRow;

    fn deref(&self) -> &LintRow {
        self.row
    }
}

impl Lint {
    /// Its id in plans and files.
    pub fn id(&self) -> &'static str {
        self.code.id()
    }

    /// The time at which it is checked.
    pub fn stage(&self) -> LintStage {
        match self.checks {
            [LintCheck::Machine(_), ..] => LintStage::Machine,
            _ => LintStage::Plan,
        }
    }
}

/// The lint with this id.
pub fn named(id: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.id() == id)
}

/// The lint with this code.
pub fn of_code(code: Code) -> Option<&'static Lint> {
    LINTS.iter().find(|lint| lint.code == code)
}

/// The findings of `look` for each check, in the order of the table.
pub(crate) fn all_found(look: impl Fn(&LintCheck) -> Vec<Finding>) -> Vec<Finding> {
    LINTS.iter().flat_map(|lint| lint.checks).flat_map(look).collect()
}

use LintCheck::{Line, Lines, Machine, Plan};

/// All lints, in the order in which findings are reported.
pub const LINTS: &[Lint] = &[
    lint(Code::WriteIopsBuffered, &[Line(cache::write_iops)]),
    lint(Code::ClientCacheFit, &[Lines(cache::cache_fit)]),
    lint(Code::MissingPersist, &[Line(cache::persist)]),
    lint(Code::WrSameLaunch, &[Line(cache::same_launch)]),
    lint(Code::ReaderIsWriter, &[Line(cache::reader_is_writer)]),
    lint(Code::ReorderOwnNode, &[Line(cache::reorder_own_node)]),
    lint(Code::ReadBeyondWritten, &[Line(stonewall::beyond)]),
    lint(Code::SparseRandomWrite, &[Line(cache::sparse)]),
    lint(Code::WearoutOnMeasured, &[Line(stonewall::wear_out)]),
    lint(Code::NoWearoutOnDataset, &[Line(stonewall::no_wear_out)]),
    lint(Code::SustainedNotMet, &[Line(stonewall::sustained)]),
    lint(Code::RequirementNotMet, &[Line(required::met)]),
    lint(Code::OutOfData, &[Line(stonewall::out_of_data)]),
    lint(Code::DatasetTooSmall, &[Lines(stonewall::too_small)]),
    lint(Code::HeroAsContract, &[Line(shape::hero)]),
    lint(Code::Geometry, &[Lines(shape::geometry)]),
    lint(Code::RoleMismatch, &[Line(shape::role), Line(prose::verb)]),
    lint(Code::PathOnWrongFs, &[Lines(paths::place)]),
    lint(Code::LineRejected, &[Lines(shape::rejected)]),
    lint(Code::OptionDrift, &[Line(shape::changed), Lines(shape::drift)]),
    lint(Code::OptionsInFile, &[Line(shape::hidden)]),
    lint(Code::LayoutUndeclared, &[Line(shape::layout), Line(shape::few_files)]),
    lint(Code::CbStateUnset, &[Line(cache::collective)]),
    lint(Code::FillRecorded, &[Machine(machine::fill_recorded)]),
    lint(Code::NotAged, &[Line(names::aged)]),
    lint(Code::FillIsNotAge, &[Plan(names::only_filled)]),
    lint(Code::SharedUniquePair, &[Plan(names::pair), Line(prose::pair)]),
    lint(Code::MdSameNode, &[Line(names::same_node)]),
    lint(Code::MdTooShort, &[Line(names::too_few)]),
    lint(Code::RateTooShort, &[Line(shape::instant)]),
    lint(Code::StatUnnamed, &[Lines(criteria::stat), Lines(prose::average)]),
    lint(Code::RepsShort, &[Line(criteria::one_job), Line(prose::short)]),
    lint(Code::LinearityBase, &[Plan(series::base)]),
    lint(Code::OptimalUndefined, &[Lines(prose::optimal)]),
    lint(Code::ThresholdMissing, &[Line(prose::threshold)]),
    lint(Code::ClauseNumber, &[Lines(terms::number)]),
    lint(Code::LowConfidence, &[Line(terms::confidence)]),
    lint(Code::HighCovMax, &[Line(terms::cov_max)]),
    lint(Code::AsWritten, &[Line(terms::as_written)]),
    lint(Code::ClauseUntested, &[Plan(terms::untested)]),
    lint(Code::TableLabel, &[Plan(prose::tables)]),
    lint(Code::UncheckedData, &[Line(criteria::check_in_time), Plan(criteria::unchecked)]),
    lint(Code::Compressible, &[Line(cache::compressible)]),
    lint(Code::OneFsTwice, &[Machine(machine::one_twice)]),
    lint(Code::LsWalk, &[Lines(names::walk)]),
    lint(Code::NotPacked, &[Line(cache::packed)]),
    lint(Code::DeadCriterion, &[Lines(criteria::dead)]),
    lint(Code::Units, &[Lines(prose::units), Plan(criteria::mixed_units)]),
    lint(Code::Waiver, &[]),
];
