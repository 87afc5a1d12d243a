//! The calls of MPI files other than data access: opening, sizes, pointers, views, representations, atomic
//! mode, hints, errors and requests.

mod atomic;
mod consistency;
mod datarep;
mod end;
mod error_classes;
mod error_handling;
mod external32;
mod groups;
mod hints;
mod large;
mod open;
mod partial;
mod pointers;
mod request_sets;
mod requests;
mod size;
mod views;

use storage::mpi_file::{Class, Datatype, MpiError, NamedDatatype};

use super::case::ConformanceCase;
use super::context::CaseContext;
use super::problem::{CaseProblem, CaseResult, EarlyEnd};

/// The cases of these groups.
pub(super) fn cases() -> Vec<ConformanceCase> {
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
        error_handling::cases(),
        error_classes::cases(),
        end::cases(),
        partial::cases(),
        requests::cases(),
        request_sets::cases(),
        groups::cases(),
        large::cases(),
    ];
    groups.into_iter().flatten().collect()
}

/// A row of a table: name, document, promise, body.
type CaseRow = (&'static str, &'static str, &'static str, fn(&mut CaseContext<'_>) -> CaseResult);

fn mpi_cases(rows: &[CaseRow]) -> Vec<ConformanceCase> {
    rows.iter()
        .map(|(name, document, promise, body)| ConformanceCase::new(*name, document, *promise, *body).mpi())
        .collect()
}

/// Fails unless a call gives an error of one of these classes, as the standard requires. Without classes, any
/// error will do.
fn check_rejected<T>(what: &str, result: Result<T, MpiError>, classes: &[Class]) -> Result<(), CaseProblem> {
    let wanted = format!("an error of {classes:?}");
    let rejected_wrongly = |found: String| {
        Err(CaseProblem::with_evidence(results::record::Evidence {
            expected: if classes.is_empty() { "an error".to_owned() } else { wanted },
            found,
            what: what.to_owned(),
            ..Default::default()
        }))
    };
    match result {
        Ok(_) => rejected_wrongly("success".to_owned()),
        Err(error) if classes.is_empty() || classes.contains(&error.class) => {
            if error.words.is_empty() {
                return rejected_wrongly(format!("{:?} without words", error.class));
            }
            Ok(())
        }
        Err(error) => rejected_wrongly(format!("{:?}: {}", error.class, error.words)),
    }
}

/// For an erroneous call that the standard does not require a library to detect. An error of any class
/// passes; success is `Unsupported`.
fn check_detected<T>(what: &str, result: Result<T, MpiError>) -> Result<(), CaseProblem> {
    match result {
        Ok(_) => {
            let why = "the library does not detect it. MPI calls it erroneous, and requires no detection";
            Err(CaseProblem::Unsupported(format!("{what}: {why}")))
        }
        Err(error) => check_rejected::<()>(what, Err(error), &[]),
    }
}

/// MPI's datatype for a four-byte integer.
fn int(cx: &CaseContext<'_>) -> Result<Datatype, EarlyEnd> {
    Ok(Datatype::named(cx.mpi()?, NamedDatatype::Int32))
}

/// MPI's datatype for a byte.
fn byte(cx: &CaseContext<'_>) -> Result<Datatype, EarlyEnd> {
    Ok(Datatype::named(cx.mpi()?, NamedDatatype::Byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_erroneous_call_that_succeeds_is_unsupported_and_not_a_failure() {
        let error =
            |words: &str| Err::<(), _>(MpiError { class: Class::Io, code: 1, words: words.to_owned() });
        assert!(matches!(check_detected("a call", Ok(())), Err(CaseProblem::Unsupported(_))));
        assert!(check_detected("a call", error("no")).is_ok());
        assert!(
            matches!(check_detected("a call", error("")), Err(CaseProblem::Fail(_))),
            "an error has words"
        );
        assert!(matches!(check_rejected("a call", Ok(()), &[]), Err(CaseProblem::Fail(_))));
        assert!(matches!(check_rejected("a call", error("no"), &[Class::Amode]), Err(CaseProblem::Fail(_))));
    }

    #[test]
    fn a_call_that_must_fail_needs_the_right_error_class_and_a_message() {
        let error = |class, words: &str| Err::<(), _>(MpiError { class, code: 1, words: words.to_owned() });
        let no_space = [Class::NoSpace, Class::Quota];
        assert_eq!(check_rejected("a write", error(Class::Quota, "quota"), &no_space), Ok(()));
        assert_eq!(check_rejected("a write", error(Class::Io, "any will do"), &[]), Ok(()));
        for (result, wanted, found) in [
            (Ok(()), &no_space[..], "success"),
            (Ok(()), &[], "success"),
            (error(Class::Io, "it broke"), &no_space, "Io: it broke"),
            (error(Class::Quota, ""), &no_space, "Quota without words"),
        ] {
            let Err(CaseProblem::Fail(seen)) = check_rejected("a write", result, wanted) else {
                panic!("{found}: rejected")
            };
            assert_eq!((seen.found.as_str(), seen.what.as_str()), (found, "a write"));
        }
    }
}
