//! What MPI owes of files beside moving data: opening, sizes, pointers, views, representations, atomic mode,
//! hints, errors.

mod atomic;
mod classes;
mod consistency;
mod datarep;
mod end;
mod errors;
mod external32;
mod groups;
mod hints;
mod large;
mod open;
mod partial;
mod pointers;
mod requests;
mod size;
mod together;
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
        external32::cases(),
        consistency::cases(),
        atomic::cases(),
        hints::cases(),
        errors::cases(),
        classes::cases(),
        end::cases(),
        partial::cases(),
        requests::cases(),
        together::cases(),
        groups::cases(),
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

/// Trouble unless a call is refused, as MPI promises, with one of these classes; no classes: with any.
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

/// Of a call that MPI calls erroneous without asking anybody to notice: unsupported where it goes through; an
/// error of any class is as good as another.
fn noticed<T>(what: &str, result: Result<T, MpiError>) -> Result<(), Trouble> {
    match result {
        Ok(_) => {
            let why = "the library does not notice it; MPI calls it erroneous and asks nobody to";
            Err(Trouble::Unsupported(format!("{what}: {why}")))
        }
        Err(error) => refused::<()>(what, Err(error), &[]),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_mpi_asks_nobody_to_notice_is_no_failure_where_nobody_does() {
        let error =
            |words: &str| Err::<(), _>(MpiError { class: Class::Io, code: 1, words: words.to_owned() });
        assert!(matches!(noticed("a call", Ok(())), Err(Trouble::Unsupported(_))));
        assert!(noticed("a call", error("no")).is_ok());
        assert!(matches!(noticed("a call", error("")), Err(Trouble::Fail(_))), "an error has words");
        assert!(matches!(refused("a call", Ok(()), &[]), Err(Trouble::Fail(_))));
        assert!(matches!(refused("a call", error("no"), &[Class::Amode]), Err(Trouble::Fail(_))));
    }

    #[test]
    fn what_is_to_be_refused_may_not_go_well_nor_be_refused_as_something_else_nor_without_words() {
        let error = |class, words: &str| Err::<(), _>(MpiError { class, code: 1, words: words.to_owned() });
        let no_space = [Class::NoSpace, Class::Quota];
        assert_eq!(refused("a write", error(Class::Quota, "quota"), &no_space), Ok(()));
        assert_eq!(refused("a write", error(Class::Io, "any will do"), &[]), Ok(()));
        for (result, wanted, told) in [
            (Ok(()), &no_space[..], "success"),
            (Ok(()), &[], "success"),
            (error(Class::Io, "it broke"), &no_space, "Io: it broke"),
            (error(Class::Quota, ""), &no_space, "Quota without words"),
        ] {
            let Err(Trouble::Fail(seen)) = refused("a write", result, wanted) else {
                panic!("{told}: refused")
            };
            assert_eq!((seen.found.as_str(), seen.what.as_str()), (told, "a write"));
        }
    }
}
