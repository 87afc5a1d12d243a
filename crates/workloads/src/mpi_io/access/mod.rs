//! Data access: every way to move data, over views, memory types, amounts and groups of ranks.

mod cell;
mod engine;
mod memory;
mod shared;
mod view;

pub(super) use cell::{By, CELLS, Cell, Load};
pub(super) use engine::Hints;
use engine::{Amount, Group, Plan, SMALL, play};
pub(super) use memory::GAP;

use storage::mpi_file::Calls;

use super::case::Case;

/// The cases of this group: one dimension is varied at a time.
pub(super) fn cases() -> Vec<Case> {
    CELLS.iter().flat_map(of_cell).collect()
}

fn base(cell: &'static Cell) -> Plan {
    // What all ranks see at the shared pointer has to be the same.
    let view = if cell.by == By::Shared { "byte" } else { "vector" };
    Plan {
        cell,
        view: view_of(view),
        memory: &memory::KINDS[0],
        amount: Amount::Usual,
        group: Group::World,
        hints: &[],
        atomic: false,
        calls: Calls::Plain,
        far: 0,
    }
}

fn view_of(name: &str) -> &'static view::Kind {
    view::VIEWS.iter().find(|view| view.name == name).unwrap_or(&view::VIEWS[0])
}

fn of_cell(cell: &'static Cell) -> Vec<Case> {
    let plan = base(cell);
    let mut cases = Vec::new();
    let fits = |view: &&view::Kind| view.is_common || cell.by != By::Shared;
    for view in view::VIEWS.iter().filter(fits) {
        let promise =
            format!("{} and its twin move what the view `{}` shows, and no other byte", cell.name, view.name);
        cases.push(case(&format!("{}-view", view.name), promise, Plan { view, ..plan }));
    }
    for memory in &memory::KINDS[1..] {
        let promise = format!("{} and its twin take and leave memory as `{}` says", cell.name, memory.name);
        cases.push(case(&format!("{}-memory", memory.name), promise, Plan { memory, ..plan }));
    }
    let memory = &memory::KINDS[1];
    let promise = format!("{} and its twin take memory by absolute addresses from MPI_BOTTOM on", cell.name);
    cases.push(case("absolute-memory", promise, Plan { memory, calls: Calls::Absolute, ..plan }));
    let promise = format!("{}_c and its twin, with a large count, move the same", cell.name);
    let large = Plan { calls: Calls::Large, ..plan };
    cases.push(case("large-count", promise, large));
    for (name, amount) in [
        ("nothing", Amount::Nothing),
        ("nothing-on-some", Amount::SomeNothing),
        ("one", Amount::One),
        ("much", Amount::Much),
    ] {
        let promise = format!("{} and its twin move {}", cell.name, words(amount));
        let hints = if amount == Amount::Much { SMALL } else { &[] };
        cases.push(case(name, promise, Plan { amount, hints, ..plan }));
    }
    for (name, group) in [("self", Group::Alone), ("reversed", Group::Reversed), ("subset", Group::Subset)] {
        let promise = format!("{} and its twin work in files of other groups of ranks: {name}", cell.name);
        cases.push(case(name, promise, Plan { group, ..plan }));
    }
    let promise = format!("{} and its twin reach places beyond 2^40 bytes, in a sparse file", cell.name);
    if cell.by != By::Shared {
        cases.push(case("beyond-2-40", promise, Plan { far: (1 << 40) + 4096, ..plan }));
    }
    cases
}

fn words(amount: Amount) -> &'static str {
    match amount {
        Amount::Usual => "some tiles of the view",
        Amount::Nothing => "nothing where nothing is asked for",
        Amount::SomeNothing => "data of even ranks while odd ranks move nothing",
        Amount::One => "a single number",
        Amount::Much => "more than buffers of libraries hold",
    }
}

fn case(what: &str, promise: String, plan: Plan) -> Case {
    let name = format!("access.{}.{what}", plan.cell.name);
    Case::new(name, plan.cell.document, promise, move |scene| play(scene, &plan)).mpi()
}

/// A case of one way with hints, or in atomic mode: what is moved has to be the same.
pub(super) fn with(name: String, promise: String, cell: &str, hints: Hints, atomic: bool) -> Case {
    let cell = CELLS.iter().find(|known| known.name == cell).unwrap_or(&CELLS[0]);
    let plan = Plan { hints, atomic, ..base(cell) };
    Case::new(name, cell.document, promise, move |scene| play(scene, &plan)).mpi()
}
