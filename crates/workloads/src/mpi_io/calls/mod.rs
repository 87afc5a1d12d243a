//! What MPI owes of files beside moving data: opening, sizes, pointers, views, representations, atomic mode,
//! hints, errors.

mod atomic;
mod consistency;
mod datarep;
mod end;
mod errors;
mod hints;
mod large;
mod open;
mod pointers;
mod requests;
mod size;
mod views;

use storage::mpi_file::{Class, Datatype, MpiError, Named};

use super::case::Case;
use super::scene::Scene;
use super::stop::{Stop, Trouble, Verdict};

/// The cases of these groups.
pub(super) fn cases() -> Vec<Case> {
    let groups = [
        open::cases(),
        size::cases(),
        pointers::cases(),
        views::cases(),
        datarep::cases(),
        consistency::cases(),
        atomic::cases(),
        hints::cases(),
        errors::cases(),
        end::cases(),
        requests::cases(),
        large::cases(),
    ];
    groups.into_iter().flatten().collect()
}

/// A row of a table: name, document, promise, body.
type Row = (&'static str, &'static str, &'static str, fn(&mut Scene<'_>) -> Verdict);

fn of_rows(rows: &[Row]) -> Vec<Case> {
    rows.iter()
        .map(|(name, document, promise, body)| Case::new(*name, document, *promise, *body).mpi())
        .collect()
}

/// Trouble unless a call is refused with one of these classes; no classes: with any.
fn refused<T>(what: &str, result: Result<T, MpiError>, classes: &[Class]) -> Result<(), Trouble> {
    let wanted = format!("an error of {classes:?}");
    let told = |found: String| {
        Err(Trouble::seen(results::record::Evidence {
            expected: if classes.is_empty() { "an error".to_owned() } else { wanted },
            found,
            what: what.to_owned(),
            ..Default::default()
        }))
    };
    match result {
        Ok(_) => told("success".to_owned()),
        Err(error) if classes.is_empty() || classes.contains(&error.class) => {
            if error.words.is_empty() {
                return told(format!("{:?} without words", error.class));
            }
            Ok(())
        }
        Err(error) => told(format!("{:?}: {}", error.class, error.words)),
    }
}

/// MPI's four-byte number.
fn int(scene: &Scene<'_>) -> Result<Datatype, Stop> {
    Ok(Datatype::named(scene.mpi()?, Named::Int32))
}

/// MPI's byte.
fn byte(scene: &Scene<'_>) -> Result<Datatype, Stop> {
    Ok(Datatype::named(scene.mpi()?, Named::Byte))
}
