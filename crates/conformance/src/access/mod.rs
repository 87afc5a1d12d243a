//! Data access: every data access routine of MPI over views, kinds of memory, amounts and groups of ranks.

mod check;
mod memory;
mod routine;
mod shared_pointer;
mod view;

pub(super) use check::HintPairs;
use check::{AccessAmount, AccessCase, AccessGroup, RankAccess, SMALL_BUFFERS};
pub(super) use memory::GAP_BYTE;
pub(super) use routine::{Positioning, ROUTINES, Routine, Transfer};

use ranks::Comm;
use storage::mpi_file::{ElementCalls, Opener};

use super::case::ConformanceCase;
use super::context::CaseContext;
use super::mpi_files::mpi_part;
use super::problem::CaseResult;
use memory::{MemoryKind, PLAIN_MEMORY};
use view::{RankInGroup, ViewKind};

/// The cases of this group. Each varies one parameter of the basic case.
pub(super) fn cases() -> Vec<ConformanceCase> {
    ROUTINES.iter().flat_map(cases_of).collect()
}

/// Runs the case.
fn check_access(cx: &CaseContext<'_>, case: &AccessCase) -> CaseResult {
    let world = cx.mpi()?;
    let group_comm: Option<Box<dyn Comm>> = match case.group {
        AccessGroup::World | AccessGroup::Alone => None,
        AccessGroup::Reversed => Some(Box::new(world.reversed()?)),
        AccessGroup::Subset => Some(world.split(u32::from(cx.rank() == 0))?),
    };
    let comm = group_comm.as_ref().map_or(world, |comm| mpi_part(&**comm));
    let alone = case.group == AccessGroup::Alone;
    let whose = if alone { Opener::Alone(comm) } else { Opener::All(comm) };
    let member = if alone {
        RankInGroup { rank: 0, size: 1 }
    } else {
        RankInGroup { rank: comm.rank(), size: comm.size() }
    };
    let name = match case.group {
        AccessGroup::Alone => format!("file.{}", cx.rank()),
        AccessGroup::Subset if cx.rank() == 0 => "file.0".to_owned(),
        _ => "file".to_owned(),
    };
    let checks_file = alone || member.rank == 0;
    let part = RankAccess { case, comm, member, whose, path: cx.path(&name), checks_file };
    if case.routine.positioning == Positioning::SharedPointer {
        shared_pointer::check(cx, &part)
    } else {
        part.check(cx)
    }
}

fn base(routine: &'static Routine) -> AccessCase {
    // Routines with the shared file pointer need the same view on all ranks.
    let view = if routine.positioning == Positioning::SharedPointer { "byte" } else { "vector" };
    AccessCase {
        routine,
        view: ViewKind::named(view),
        memory: MemoryKind::named(PLAIN_MEMORY),
        amount: AccessAmount::Tiles,
        group: AccessGroup::World,
        hints: &[],
        atomic: false,
        calls: ElementCalls::Plain,
        base_offset: 0,
    }
}

fn cases_of(routine: &'static Routine) -> Vec<ConformanceCase> {
    let parameters = base(routine);
    let mut cases = Vec::new();
    let mut add = |what: &str, promise: String, parameters: AccessCase| {
        cases.push(case(format!("access.{}.{what}", routine.name), promise, parameters));
    };
    let fits = |view: &&ViewKind| view.is_common || routine.positioning != Positioning::SharedPointer;
    for view in view::VIEWS.iter().filter(fits) {
        let promise = format!(
            "{} and its twin move what the view `{}` shows, and no other byte",
            routine.name, view.name
        );
        add(&format!("{}-view", view.name), promise, AccessCase { view, ..parameters });
    }
    for memory in memory::KINDS.iter().filter(|kind| kind.name != PLAIN_MEMORY) {
        let promise =
            format!("{} and its twin take and leave memory as `{}` says", routine.name, memory.name);
        add(&format!("{}-memory", memory.name), promise, AccessCase { memory, ..parameters });
    }
    let memory = MemoryKind::named("vector");
    let promise =
        format!("{} and its twin take memory by absolute addresses from MPI_BOTTOM on", routine.name);
    add("absolute-memory", promise, AccessCase { memory, calls: ElementCalls::Absolute, ..parameters });
    let promise = format!("{}_c and its twin, with a large count, move the same", routine.name);
    let large = AccessCase { calls: ElementCalls::Large, ..parameters };
    add("large-count", promise, large);
    for (name, amount) in [
        ("nothing", AccessAmount::Nothing),
        ("nothing-on-some", AccessAmount::NothingOnOddRanks),
        ("one", AccessAmount::OneInteger),
        ("much", AccessAmount::BeyondBuffers),
    ] {
        let promise = format!("{} and its twin move {}", routine.name, amount_in_words(amount));
        let hints = if amount == AccessAmount::BeyondBuffers { SMALL_BUFFERS } else { &[] };
        add(name, promise, AccessCase { amount, hints, ..parameters });
    }
    for (name, group) in
        [("self", AccessGroup::Alone), ("reversed", AccessGroup::Reversed), ("subset", AccessGroup::Subset)]
    {
        let promise = format!("{} and its twin work in files of other groups of ranks: {name}", routine.name);
        add(name, promise, AccessCase { group, ..parameters });
    }
    let promise = format!("{} and its twin reach places beyond 2^40 bytes, in a sparse file", routine.name);
    if routine.positioning != Positioning::SharedPointer {
        add("beyond-2-40", promise, AccessCase { base_offset: (1 << 40) + 4096, ..parameters });
    }
    cases
}

fn amount_in_words(amount: AccessAmount) -> &'static str {
    match amount {
        AccessAmount::Tiles => "some tiles of the view",
        AccessAmount::Nothing => "nothing where nothing is asked for",
        AccessAmount::NothingOnOddRanks => "data of even ranks while odd ranks move nothing",
        AccessAmount::OneInteger => "a single number",
        AccessAmount::BeyondBuffers => "more than buffers of libraries hold",
    }
}

fn case(name: String, promise: String, parameters: AccessCase) -> ConformanceCase {
    ConformanceCase::new(name, parameters.routine.document, promise, move |cx| check_access(cx, &parameters))
        .mpi()
}

/// The basic case of a routine, with hints or in atomic mode: neither may change the data.
pub(super) fn case_with(
    name: String,
    promise: String,
    routine: &str,
    hints: HintPairs,
    atomic: bool,
) -> ConformanceCase {
    case(name, promise, AccessCase { hints, atomic, ..base(Routine::named(routine)) })
}
