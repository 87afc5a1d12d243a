//! The facts in which campaigns differ, as tables.

use results::comparison::{ComparedFact, FactArea, FactDifference};
use results::reason::Datum;

use super::SHOWN_MAX;
use crate::document::words::{hash_cell, or_none};
use crate::document::{Cell, Table};
use crate::sentences;

const AREAS: [(FactArea, &str); 4] = [
    (FactArea::Plan, "Plan"),
    (FactArea::Program, "Program"),
    (FactArea::Machine, "Machine"),
    (FactArea::FileSystem, "File systems and layout"),
];

/// A table for each part of the campaigns. A part without a difference says so.
pub(super) fn tables(differences: &[FactDifference], letters: &[String]) -> Vec<Table> {
    let of_area = |(area, title): (FactArea, &str)| {
        let own: Vec<&FactDifference> = differences.iter().filter(|one| one.fact.area() == area).collect();
        let mut table = Table::new(title, &format!("Fact | Of | ~{}", letters.join(" | ~")));
        for one in own.iter().take(SHOWN_MAX) {
            let values = one.values.iter().map(|value| value_cell(one.fact, value.as_ref()));
            let label = Cell::new(label(one.fact));
            table.row([label, Cell::literal(or_none(&one.about))].into_iter().chain(values));
        }
        table.note = match own.len() {
            0 => "No difference was recorded.".to_owned(),
            count if count > SHOWN_MAX => {
                format!("{} more differences are not shown. The CSV has all of them.", count - SHOWN_MAX)
            }
            _ => String::new(),
        };
        table
    };
    AREAS.map(of_area).into()
}

fn value_cell(fact: ComparedFact, value: Option<&Datum>) -> Cell {
    let Some(value) = value else {
        return Cell::new(if fact == ComparedFact::TestPlanned { "no" } else { "–" });
    };
    match (fact, value) {
        (ComparedFact::PlanHash | ComparedFact::ProgramHash, Datum::Text(hash)) => hash_cell(hash),
        (ComparedFact::TestPlanned, _) => Cell::new("yes"),
        (ComparedFact::StripeCount, Datum::Count(-1)) => Cell::new("all"),
        (ComparedFact::Fill, Datum::List(ends)) => match &ends[..] {
            [Datum::Quantity { value: low, .. }, Datum::Quantity { value: high, .. }] => {
                Cell::new(super::range(*low, *high))
            }
            _ => Cell::new(sentences::datum(value)),
        },
        _ => Cell::literal(sentences::datum(value)),
    }
}

/// The words for a fact.
pub fn label(fact: ComparedFact) -> &'static str {
    use ComparedFact as F;
    match fact {
        F::PlanId => "Plan",
        F::PlanHash => "SHA-256 of the plan",
        F::Scale => "Scale",
        F::Parameter => "Value",
        F::Selected => "Selected tests",
        F::TestPlanned => "Test in the plan",
        F::Criteria => "Criteria",
        F::Repetitions => "Repetitions",
        F::Command => "Command line",
        F::Setup => "Commands before the job",
        F::Source => "Files that are read",
        F::State => "State",
        F::Course => "Other requirements",
        F::Waived => "Approved waivers",
        F::Nonce => "Nonce",
        F::ProgramVersion => "Program",
        F::ProgramHash => "SHA-256 of the program",
        F::ProgramCommit => "Commit",
        F::ProgramProfile => "Build profile",
        F::Host => "Host",
        F::Kernel => "Kernel",
        F::Os => "Distribution",
        F::Cpu => "Processor",
        F::Cores => "Usable cores",
        F::Memory => "Memory",
        F::Governor => "Scaling governor",
        F::Launcher => "Launcher",
        F::Mpi => "MPI library",
        F::Libraries => "Loaded libraries",
        F::Nodes => "Nodes",
        F::Ranks => "Ranks",
        F::NodeNames => "Nodes that took part",
        F::Directory => "Directory under test",
        F::FsKind => "File system type",
        F::FsDevice => "Device",
        F::FsOptions => "Mount options",
        F::FsBytes => "Size",
        F::FsTargets => "Storage targets",
        F::FsBacking => "Lies on",
        F::StripeCount => "Stripe count",
        F::StripeBytes => "Stripe size",
        F::Pool => "Pool",
        F::Fill => "Utilization before jobs",
        F::Parameters => "Recorded parameter",
    }
}
