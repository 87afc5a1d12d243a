//! The files that stay behind when `ior` is stopped by a signal.

use std::path::PathBuf;

use workloads::ior::{IorParameters, first_path};

use super::flow::ReadyTest;
use crate::personalities::classic::interrupt;

/// From now on tells at Ctrl-C and the like what the writing tests leave.
pub(crate) fn watch(tests: &[ReadyTest]) {
    interrupt::watch("ior", files(tests.iter().map(|test| (&test.meant.parameters, test.ranks))), "");
}

/// Those of the tests that write, on so many ranks.
fn files<'a>(tests: impl Iterator<Item = (&'a IorParameters, u32)>) -> impl Iterator<Item = PathBuf> {
    tests.filter(|(test, _)| test.write).flat_map(|(test, ranks)| {
        let repetitions = if test.multi_file { test.repetitions } else { 1 };
        let ranks = if test.file_per_rank { ranks } else { 1 };
        let of_repetition = move |number| (0..ranks).map(move |rank| path(test, rank, number));
        (0..repetitions).flat_map(of_repetition)
    })
}

/// The file of a rank in a repetition.
fn path(test: &IorParameters, rank: u32, repetition: u32) -> PathBuf {
    let name = first_path(test, rank);
    PathBuf::from(if test.multi_file { format!("{name}.{repetition}") } else { name })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::personalities::classic::interrupt::LeftBehind;

    #[test]
    fn only_files_that_are_there_are_named_and_counted() {
        let dir = tempfile::tempdir().unwrap();
        let test_file = dir.path().join("f").display().to_string();
        let test = IorParameters {
            write: true,
            multi_file: true,
            file_per_rank: true,
            repetitions: 3,
            test_file,
            ..IorParameters::default()
        };
        let line = |ranks| {
            LeftBehind::of(files([(&test, ranks), (&test, ranks)].into_iter()))
                .there()
                .line("ior", "interrupted")
        };
        assert_eq!(LeftBehind::of(files([(&test, 2)].into_iter())).paths.len(), 6);
        assert_eq!(line(2), "ior: interrupted");
        fs::write(dir.path().join("f.00000001.1"), "x").unwrap();
        assert!(line(2).ends_with("/f.00000001.1"), "{}", line(2));
        fs::write(dir.path().join("f.00000000.2"), "x").unwrap();
        assert!(line(2).ends_with("/f.00000001.1 and 1 more"), "{}", line(2));
        for (rank, others) in [(0, "maybe more"), (7, "at least 1 more")] {
            fs::write(dir.path().join(format!("f.0000000{rank}.0")), "x").unwrap();
            assert!(line(2000).ends_with(&format!("/f.00000000.0 and {others}")), "{}", line(2000));
        }
    }
}
