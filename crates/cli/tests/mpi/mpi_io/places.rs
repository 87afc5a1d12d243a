//! Cases that need a special file system or environment: a file system to fill, a file of hints.

use std::path::Path;
use std::process::Command;

use results::record::CaseOutcome;

use super::{Library, suite, suite_in};
use crate::common::only_in_all;

/// Mounts a small file system in memory at `root` and unmounts it at the end. `None`, with the reason
/// printed, if that is not allowed.
#[allow(clippy::print_stdout)]
fn small(root: &Path) -> Option<Unmounts> {
    let mut mount = Command::new("mount");
    let mounted = mount.args(["-t", "tmpfs", "-o", "size=6m", "none"]).arg(root).output();
    if mounted.as_ref().is_ok_and(|done| done.status.success()) {
        return Some(Unmounts(root.to_owned()));
    }
    println!("SKIPPED: cannot mount a file system: {mounted:?}");
    None
}

struct Unmounts(std::path::PathBuf);

impl Drop for Unmounts {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn every_library_reports_a_full_small_file_system_and_a_large_one_is_not_filled() {
    if !only_in_all("a full file system under each library takes half a minute") {
        return;
    }
    for mpi in [Library::Ompio, Library::Romio, Library::Mpich, Library::Mpich5] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("d");
        std::fs::create_dir(&root).unwrap();
        let Some(_mounted) = small(&root) else { return };
        let Some(result) = suite_in(&dir, mpi, 2, &["--only", "errors.no_space"], &[]) else { continue };
        let case = &result.cases["errors.no_space"];
        assert!(matches!(case.outcome, CaseOutcome::Pass | CaseOutcome::Library), "{mpi:?}: {case:#?}");
    }
    let Some(result) = suite(Library::Ompio, 1, &["--only", "errors.no_space"], &[]) else { return };
    assert_eq!(result.outcome("errors.no_space"), CaseOutcome::Skipped);
    assert!(result.cases["errors.no_space"].why.contains("MiB are free"), "{:#?}", result.cases);
}

#[test]
fn the_file_of_hints_for_romio_is_in_effect_and_the_data_is_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hints").display().to_string();
    let names = ["hints.environment", "hints.round_trip", "access.write_at_all.vector-view"];
    let words: Vec<&str> = names.iter().flat_map(|name| ["--only", name]).collect();
    for (mpi, hints, wanted) in [
        (Library::Mpich, "# buffers\ncb_buffer_size 65536\nromio_ds_write disable\n", CaseOutcome::Pass),
        // No library accepts this value, so the case must fail.
        (Library::Mpich, "cb_nodes 1000\n", CaseOutcome::Fail),
        (Library::Ompio, "cb_buffer_size 65536\n", CaseOutcome::Unsupported),
    ] {
        std::fs::write(&path, hints).unwrap();
        let Some(result) = suite(mpi, 2, &words, &[("ROMIO_HINTS", &path)]) else { continue };
        let case = &result.cases["hints.environment"];
        assert_eq!(case.outcome, wanted, "{mpi:?}, {hints}: {case:#?}");
        assert_eq!(result.outcome("access.write_at_all.vector-view"), CaseOutcome::Pass, "{mpi:?}, {hints}");
    }
}
