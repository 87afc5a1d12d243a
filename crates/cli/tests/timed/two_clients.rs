//! Which promises file systems keep between the clients of two nodes.
//!
//! docs/validation/file-systems.md has the same cases in its table.

use std::path::Path;
use std::process::Command;
use std::sync::PoisonError;

use super::file_systems::{CASES, ONE_AT_A_TIME};
use crate::common::known_cases::{KnownCases, OpenCases, SPARSE};
use crate::common::mounted::FileSystem;
use crate::common::mounted::two_nodes::TwoNodes;
use crate::common::{only_in_all, program, run};

/// Cases, and the names of their promises in a program that checks them without assay.
const INDEPENDENT: [(&str, &str); 10] = [
    ("posix.append.records", "append"),
    ("posix.link.count", "links"),
    ("posix.locks.conflict", "lock"),
    ("posix.locks.fresh", "under_lock"),
    ("posix.mmap.msync", "mapped"),
    ("posix.times.mtime", "mtime"),
    ("posix.unlink.while_open", "unlinked"),
    ("posix.visible.after_fsync", "after_fsync"),
    ("posix.visible.close_to_open", "close_to_open"),
    ("posix.visible.truncate", "length"),
];
/// How often that program runs at most.
const RUNS_MAX: usize = 5;

/// Runs the cases on two nodes, and compares those that fail with what is known.
fn examine(which: FileSystem, known: &KnownCases) {
    if !only_in_all("the cases on two nodes take a minute for each file system") {
        return;
    }
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(nodes) = TwoNodes::start(which) else { return };
    known.assert_are(&cases(&nodes));
    for (case, promise) in INDEPENDENT {
        let is_broken = known.broken.contains(&case);
        if known.may_fail(case) || known.not_shown.contains(&case) {
            continue;
        }
        let found = (0..RUNS_MAX).any(|_| is_broken_without_assay(&nodes, promise));
        assert_eq!(found, is_broken, "{case}");
    }
}

/// Whether a program of Python finds a promise broken.
fn is_broken_without_assay(nodes: &TwoNodes, promise: &str) -> bool {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/timed/independent/two_clients.py");
    let ran = run(Command::new("python3").arg(path).arg(promise).args(nodes.clients()));
    let outcome = ran.out.trim().strip_prefix(promise);
    assert!(matches!(outcome, Some(": holds" | ": broken")), "{ran:#?}");
    outcome == Some(": broken")
}

/// The cases that do not pass on two ranks of each node.
fn cases(nodes: &TwoNodes) -> OpenCases {
    let only: String = CASES.iter().map(|pattern| format!("--only '{pattern}' ")).collect();
    let assay = program().display().to_string();
    let line = format!("{assay} mpi-io --record cases --timeout 60 --launch 'MPI' {only} DIR");
    let ran = run(&mut nodes.on_first(&line));
    assert!(ran.out.contains("4 ranks on 2 nodes"), "{ran:#?}");
    OpenCases::of(&ran, &nodes.path("cases"))
}

/// Atomic mode needs locks and no stale data.
const READERS: &str = "atomic.readers*";
const WRITERS: &str = "atomic.write*";

#[test]
fn two_clients_of_sshfs_have_no_common_locks_and_see_only_what_was_closed() {
    let known = KnownCases {
        broken: &[
            "access.write_at.much",
            "atomic.at_once",
            "flock.close",
            "flock.conflict",
            "flock.exclusion",
            "posix.create.exclusive",
            "posix.link.count",
            "posix.locks.close",
            "posix.locks.conflict",
            "posix.locks.descriptions",
            "posix.locks.exclusion",
            "posix.mmap.msync",
            "posix.mmap.shared",
            "posix.mmap.write",
            "posix.rename.atomic",
            "posix.times.mtime",
            "posix.unlink.while_open",
            "posix.visible.after_fsync",
            "posix.visible.after_write",
            "posix.visible.truncate",
        ],
        sometimes: &[
            "posix.append.records",
            "posix.random.pieces",
            "posix.rename.over_open",
            READERS,
            WRITERS,
        ],
        slow: &[],
        // It has no links that fail if the name is there. Without locks, the cases of data under a lock are
        // skipped.
        not_shown: &[
            "flock.fresh",
            "flock.killed",
            "posix.link.exclusive",
            "posix.locks.descriptions_fresh",
            "posix.locks.descriptions_killed",
            "posix.locks.fresh",
            "posix.locks.killed",
            SPARSE,
        ],
    };
    examine(FileSystem::Sshfs, &known);
}

#[test]
fn two_clients_of_glusterfs_have_common_locks_and_read_old_data() {
    let known = KnownCases {
        broken: &[
            "access.write_at.much",
            "atomic.at_once",
            "flock.fresh",
            "posix.append.records",
            "posix.link.count",
            "posix.locks.descriptions_fresh",
            "posix.locks.fresh",
            "posix.mmap.msync",
            "posix.mmap.shared",
            "posix.mmap.write",
            "posix.random.pieces",
            "posix.times.mtime",
            "posix.unlink.while_open",
            "posix.visible.after_fsync",
            "posix.visible.after_write",
            "posix.visible.close_to_open",
            "posix.visible.side_by_side",
        ],
        sometimes: &[
            "posix.link.exclusive",
            "posix.mkdir.exclusive",
            "posix.rename.atomic",
            "posix.visible.truncate",
            READERS,
            WRITERS,
        ],
        slow: &[],
        not_shown: &[SPARSE],
    };
    examine(FileSystem::GlusterDistribute, &known);
}

#[test]
fn two_clients_of_cephfs_have_common_locks_and_read_old_data_from_the_page_cache() {
    let known = KnownCases {
        broken: &[
            "access.write_at.much",
            "atomic.at_once",
            "flock.fresh",
            "posix.append.records",
            "posix.locks.descriptions_fresh",
            "posix.locks.fresh",
            "posix.mmap.msync",
            "posix.mmap.shared",
            "posix.mmap.write",
            "posix.random.pieces",
            "posix.visible.after_fsync",
            "posix.visible.after_write",
            "posix.visible.close_to_open",
        ],
        sometimes: &["posix.locks.close", "posix.unlink.while_open", READERS, WRITERS],
        slow: &["posix.link.exclusive", "posix.rename.atomic"],
        not_shown: &[SPARSE],
    };
    examine(FileSystem::Cephfs, &known);
}

#[test]
fn two_clients_of_moosefs_have_common_locks_and_find_what_was_closed() {
    let known = KnownCases {
        broken: &["posix.random.pieces", "posix.times.mtime", "posix.unlink.while_open"],
        sometimes: &[
            "atomic.at_once",
            "flock.fresh",
            "posix.append.records",
            "posix.locks.descriptions_fresh",
            "posix.locks.fresh",
            "posix.mmap.*",
            "posix.visible.after_fsync",
            "posix.visible.after_write",
            "posix.visible.truncate",
            READERS,
            WRITERS,
        ],
        slow: &[],
        not_shown: &[SPARSE],
    };
    examine(FileSystem::Moosefs, &known);
}
