//! `age --resume` after what a crash of a node, another run or another person did to the directory.
#![allow(clippy::print_stdout)]

mod common;
#[path = "age/mounted.rs"]
mod mounted;

use std::fs;
use std::path::Path;

use common::Ran;
use mounted::Mounted;

/// A file system in memory that is filled within a second or two.
const SMALL: &str = "size=48m,nr_inodes=4000";
const TARGETS: &str = "--blocks 80% --inodes 20%";

/// One line of complaint, which says this, and this exit status.
fn assert_refused(ran: &Ran, status: i32, says: &str) {
    let lines: Vec<_> = ran.err.lines().filter(|line| line.starts_with("age: ")).collect();
    assert!(ran.status == Some(status) && lines.len() == 1 && lines[0].contains(says), "{says}: {ran:#?}");
}

/// Has an odometer say less by so many operations, as after a crash of its node.
fn put_back(odometer: &Path, operations: u64) {
    let bytes = fs::read(odometer).unwrap();
    let done = u64::from_le_bytes(bytes[..8].try_into().unwrap()).saturating_sub(operations);
    fs::write(odometer, [done.to_le_bytes(), (!done).to_le_bytes()].concat()).unwrap();
}

#[test]
fn a_run_whose_odometers_are_behind_after_a_crash_ends_as_if_it_had_not_been_stopped() {
    let words = format!("{TARGETS} --turnovers 1.5 --seed 3");
    let Some(straight) = Mounted::in_memory(SMALL) else { return };
    straight.age(2, &words).ok();
    let lengths = straight.lengths();
    drop(straight);
    for (when, stop_at, behind) in [("mid-fill", 300, 150), ("mid-churn", 900, 250)] {
        let crashed = Mounted::in_memory(SMALL).unwrap();
        assert!(crashed.killed_at(2, &words, stop_at), "{when}");
        for rank in 0..2 {
            put_back(&crashed.aged().join(format!("rank.{rank}/odometer")), behind);
        }
        let out = crashed.age(2, "--resume").ok();
        assert!(out.contains("put right when resumed"), "{when}: {out}");
        assert_eq!(crashed.lengths(), lengths, "{when}");
        crashed.age(2, "--remove").ok();
        assert_eq!(fs::read_dir(crashed.aged()).unwrap().count(), 0, "{when}");
    }
}
