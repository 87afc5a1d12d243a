//! `age --resume` after a crash of a node, another run, or changes by another user.

use std::fs;
use std::path::Path;

use crate::common::age::{Mounted, SMALL, TARGETS, assert_rejected};

/// Lowers the count of an odometer by this number of operations, as after a crash of its node.
fn put_back(odometer: &Path, operations: u64) {
    let bytes = fs::read(odometer).unwrap();
    let done = u64::from_le_bytes(bytes[..8].try_into().unwrap()).saturating_sub(operations);
    fs::write(odometer, [done.to_le_bytes(), (!done).to_le_bytes()].concat()).unwrap();
}

#[test]
fn a_run_with_low_odometers_after_a_crash_has_the_result_of_an_uninterrupted_run() {
    let words = format!("{TARGETS} --cycles 1.5 --seed 3");
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
        assert!(out.contains("restored by --resume"), "{when}: {out}");
        assert_eq!(crashed.lengths(), lengths, "{when}");
        crashed.age(2, "--remove").ok();
        assert_eq!(fs::read_dir(crashed.aged()).unwrap().count(), 0, "{when}");
    }
}

#[test]
fn a_resume_that_is_rejected_changes_nothing() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    mounted.age(2, &format!("{TARGETS} --cycles 0.5")).ok();
    let marker = mounted.aged().join(".assay-age.json");
    let before = fs::read(&marker).unwrap();
    let other = fs::File::open(mounted.aged().join("rank.1/odometer")).unwrap();
    other.lock().unwrap();
    let ran = mounted.age(2, "--resume --cycles 2 --ceiling 95%");
    assert_rejected(&ran, 4, "rank.1/odometer: another run is at work here");
    assert_eq!(fs::read(&marker).unwrap(), before);
    other.unlock().unwrap();
    mounted.age(2, "--resume --cycles 0.6 --ceiling 95%").ok();
    assert_ne!(fs::read(&marker).unwrap(), before);
}

#[test]
fn directories_left_before_the_marker_was_written_are_accepted() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    for rank in [0, 1, 5] {
        fs::create_dir_all(mounted.aged().join(format!("rank.{rank}/tree"))).unwrap();
        fs::write(mounted.aged().join(format!("rank.{rank}/odometer")), "").unwrap();
    }
    let theirs = mounted.aged().join("rank.5/tree/theirs");
    fs::write(&theirs, "").unwrap();
    let rejected = mounted.age(2, &format!("{TARGETS} --cycles 0"));
    assert_rejected(&rejected, 2, "aged is not empty (rank.5); name a directory that is empty");
    fs::remove_file(theirs).unwrap();
    mounted.age(2, &format!("{TARGETS} --cycles 0")).ok();
    mounted.age(3, "--remove").ok();
    assert_eq!(fs::read_dir(mounted.aged()).unwrap().count(), 0);
}

#[test]
fn a_directory_that_became_a_link_is_not_entered() {
    let Some(mounted) = Mounted::in_memory(SMALL) else { return };
    mounted.age(1, &format!("{TARGETS} --cycles 0")).ok();
    // A directory of another user with the names of one of the run.
    let (ours, theirs) = (mounted.aged().join("rank.0/tree/d1"), mounted.root.join("theirs"));
    let moved = mounted.root.join("moved");
    fs::rename(&ours, &moved).unwrap();
    fs::create_dir(&theirs).unwrap();
    for entry in fs::read_dir(&moved).unwrap() {
        let name = entry.unwrap().file_name();
        fs::write(theirs.join(name), "theirs").unwrap();
    }
    fs::write(theirs.join("f4000000000"), "theirs").unwrap();
    let names = || fs::read_dir(&theirs).unwrap().count();
    let before = names();
    assert!(before > 1, "there is something in it");
    std::os::unix::fs::symlink("../../../theirs", &ours).unwrap();
    let wanted = "rank.0/tree/d1: is no directory any more; move it away, and --resume again";
    assert_rejected(&mounted.age(1, "--resume"), 4, wanted);
    assert_eq!(names(), before);
    let wanted = "rank.0/tree/d1: not created by this program. It remains.";
    assert_rejected(&mounted.age(1, "--remove"), 4, wanted);
    assert_eq!(names(), before);
    assert!(fs::read(theirs.join("f4000000000")).unwrap() == b"theirs" && ours.is_symlink());
    fs::remove_file(&ours).unwrap();
    mounted.age(1, "--remove").ok();
    assert_eq!((fs::read_dir(mounted.aged()).unwrap().count(), names()), (0, before));
}
