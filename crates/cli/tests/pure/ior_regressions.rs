//! Faults that were found once, each as the sentence that now holds.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::common::{self, assay, ior, run};

#[test]
fn a_limit_of_transfers_ends_at_the_end_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-w -b 64k -t 16k -o f -O stoneWallingWearOutIterations=10").ok();
    assert!(!text.contains("Using actual aggregate bytes moved"), "{text}");
    let text = ior(dir.path(), 2, "-w -b 64k -t 16k -o f -O stoneWallingWearOutIterations=3").ok();
    assert!(text.contains("Using actual aggregate bytes moved = 98304\n"), "{text}");
}

#[test]
fn every_read_that_brings_nothing_is_wrong_not_every_other_one() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 1, "-a dummy -w -R -G 1 -b 1m -t 4k");
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("(256 errors found)"), "{}", ran.out);
}

#[test]
fn what_is_cached_is_told_of_the_part_that_is_read_not_of_the_whole_file() {
    // On a file system of memory everything is cached: use the build's own.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    ior(dir.path(), 1, "-w -e -k -b 64m -t 1m -o f").ok();
    ior(dir.path(), 1, "-r -k -b 256k -t 64k -o f --drop-caches").ok();
    let text = ior(dir.path(), 1, "-r -k -b 256k -t 64k -o f").ok();
    assert!(text.contains("read: 100 % of the data was in this client's page cache"), "{text}");
}

#[test]
fn the_cache_of_somebody_elses_file_is_not_guessed() {
    if std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) != 0 {
        println!("SKIPPED: only root can make a file that is somebody else's");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    ior(dir.path(), 1, "-w -k -b 1m -t 64k -o f").ok();
    let program = dir.path().join("assay");
    common::copy_of_program(&program);
    let mut command = Command::new(&program);
    command.current_dir(dir.path()).args("ior -r -k -b 1m -t 64k -o f".split(' ')).uid(65534).gid(65534);
    let text = run(&mut command).ok();
    assert!(!text.contains("page cache before it was read"), "{text}");
    let unseen =
        "assay: warning: read: it could not be seen whether the data was in this client's page cache";
    assert!(text.contains(unseen), "{text}");
    assert!(!ior(dir.path(), 1, "-r -a DUMMY").ok().contains("page cache"), "there is no data to be cached");
}

#[test]
fn what_is_not_a_regular_file_is_never_removed() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
    let ran = ior(dir.path(), 1, "-w -o pipe");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(
        ran.complaints()[0].ends_with("is not a regular file and is not removed; write into it with -E -k")
    );
    assert!(dir.path().join("pipe").exists());
    std::fs::create_dir(dir.path().join("d")).unwrap();
    let ran = ior(dir.path(), 1, "-w -o d");
    assert!(ran.complaints()[0].ends_with("d: is a directory and is not removed; name a file"), "{ran:#?}");
}

#[test]
fn the_files_that_are_deleted_are_those_that_are_announced() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["f", "f.1"] {
        File::create(dir.path().join(name)).unwrap();
    }
    let text = ior(dir.path(), 2, "-w -m -i 2 -b 64k -t 64k -o f").ok();
    assert!(text.contains("WARNING: The file \"f.1\" exists already and will be deleted\n"), "{text}");
    assert!(!text.contains("\"f\" exists"), "{text}");
    assert!(dir.path().join("f").exists() && !dir.path().join("f.1").exists());
}

#[test]
fn files_with_wrong_data_are_kept_when_asked_also_when_repetitions_were_to_come() {
    let dir = tempfile::tempdir().unwrap();
    ior(dir.path(), 1, "-w -k -b 64k -t 64k -o f -G 1").ok();
    let ran = ior(dir.path(), 1, "-R -K -i 2 -b 64k -t 64k -o f -G 2");
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("-K: stopped after 1 repetitions"), "{}", ran.out);
    assert!(dir.path().join("f").exists());
}

#[test]
fn a_rank_without_transfers_survives_the_wear_out() {
    let dir = tempfile::tempdir().unwrap();
    let words = "-a dummy -w -b 32 -t 16 -z --random-order=ior --random-offset-seed=7 -D 1 \
                 -O stoneWallingWearOut=1";
    ior(dir.path(), 4, words).ok();
}

#[test]
fn results_that_cannot_be_written_are_a_failure_and_help_is_no_panic() {
    let dir = tempfile::tempdir().unwrap();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for (words, status) in [("ior -a dummy -w -b 64k -t 64k", 4), ("ior -h", 0), ("backends", 4)] {
        let mut command = assay(dir.path(), words);
        let ran = command.stdout(full()).stderr(Stdio::piped()).stdin(Stdio::null()).output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{words}: {told}");
        assert!(!told.contains("panicked"), "{words}: {told}");
    }
    let mut command = assay(dir.path(), "ior -w -o no/such/f --record r");
    let status = command.stdout(Stdio::null()).stderr(full()).stdin(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(4));
    assert!(std::fs::read_to_string(dir.path().join("r")).unwrap().contains("\"record\":\"end\""));
}

#[test]
fn a_transfer_larger_than_memory_is_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 1, "-a dummy -w -t 1p -b 1p");
    assert_eq!((ran.status, ran.complaints().len()), (Some(4), 1), "{ran:#?}");
    assert!(ran.complaints()[0].contains("no memory for 1125899906842624 bytes"), "{ran:#?}");
}

#[test]
fn more_ranks_than_there_are_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-a dummy -w -N 5");
    let words =
        "WARNING: More tasks requested (5) than available (2),\nWARNING:          running with 2 tasks.\n\n";
    assert!(ran.out.starts_with(&format!("{words}IOR-4.1.0+dev: ")) && ran.err.is_empty(), "{ran:#?}");
    let both = ior(dir.path(), 2, "-a dummy -w -N 5 -i 0").ok();
    let few = "WARNING: too few test repetitions. Using value of 1.\n";
    assert!(both.starts_with(&format!("{words}{few}IOR-4.1.0+dev: ")), "{both}");
    let json = ior(dir.path(), 2, "-a dummy -w -N 5 -O summaryFormat=JSON");
    assert!(json.out.starts_with('{') && json.err.starts_with(words), "{json:#?}");
    let dry = ior(dir.path(), 2, "-a dummy -w -N 5 --dryRun");
    assert!(
        dry.out.starts_with("Dry run") && dry.err.starts_with("ior: note: More tasks requested (5)"),
        "{dry:#?}"
    );
}

#[test]
fn sound_data_is_not_called_wrong_where_it_cannot_be_compared() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-R -z -z -G 1 --random-offset-seed=3 -o f");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.complaints()[0].contains("-R cannot compare"), "{ran:#?}");
}
