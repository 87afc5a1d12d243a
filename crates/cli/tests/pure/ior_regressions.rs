//! Regression tests: each name states the corrected behaviour.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::common::{self, assay, ior, run};

#[test]
fn a_limit_of_transfers_above_the_file_size_ends_at_the_end_of_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-w -b 64k -t 16k -o f -O stoneWallingWearOutIterations=10").ok();
    assert!(!text.contains("Using actual aggregate bytes moved"), "{text}");
    let text = ior(dir.path(), 2, "-w -b 64k -t 16k -o f -O stoneWallingWearOutIterations=3").ok();
    assert!(text.contains("Using actual aggregate bytes moved = 98304\n"), "{text}");
}

#[test]
fn every_read_without_data_is_wrong_not_every_second_one() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 1, "-a dummy -w -R -G 1 -b 1m -t 4k");
    assert_eq!(ran.status, Some(4));
    assert!(ran.out.contains("(256 errors found)"), "{}", ran.out);
}

#[test]
fn page_cache_residency_is_that_of_the_read_part_not_of_the_whole_file() {
    // In memory all files are cached, so use the file system of the build.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    ior(dir.path(), 1, "-w -e -k -b 64m -t 1m -o f").ok();
    ior(dir.path(), 1, "-r -k -b 256k -t 64k -o f --drop-caches").ok();
    let text = ior(dir.path(), 1, "-r -k -b 256k -t 64k -o f").ok();
    assert!(text.contains("rd: 100 % of the data was in this client's page cache"), "{text}");
}

#[test]
fn page_cache_residency_of_a_file_of_another_user_is_unknown() {
    if std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) != 0 {
        println!("SKIPPED: only root can create a file of another user");
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
    assert!(!text.contains("page cache before the phase"), "{text}");
    let unknown = "assay: warning: rd: it is unknown whether the data was in this client's page cache";
    assert!(text.contains(unknown), "{text}");
    assert!(!ior(dir.path(), 1, "-r -a DUMMY").ok().contains("page cache"), "DUMMY has no data in a cache");
}

#[test]
fn only_regular_files_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    assert!(Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
    let ran = ior(dir.path(), 1, "-w -o pipe");
    assert_eq!(ran.status, Some(4), "{ran:#?}");
    assert!(
        ran.complaints()[0].ends_with("is not a regular file and is not removed. Write into it with -E -k")
    );
    assert!(dir.path().join("pipe").exists());
    std::fs::create_dir(dir.path().join("d")).unwrap();
    let ran = ior(dir.path(), 1, "-w -o d");
    assert!(ran.complaints()[0].ends_with("d: is a directory and is not removed. Name a file"), "{ran:#?}");
}

#[test]
fn only_announced_files_are_deleted() {
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
fn the_option_to_keep_files_with_wrong_data_ends_the_repetitions() {
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
fn a_full_standard_output_is_an_error_but_not_for_help() {
    let dir = tempfile::tempdir().unwrap();
    let full = || Stdio::from(File::options().write(true).open("/dev/full").unwrap());
    for (words, status) in [("ior -a dummy -w -b 64k -t 64k", 4), ("ior -h", 0), ("backends", 4)] {
        let mut command = assay(dir.path(), words);
        let ran = command.stdout(full()).stderr(Stdio::piped()).stdin(Stdio::null()).output().unwrap();
        let message = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(status), "{words}: {message}");
        assert!(!message.contains("panicked"), "{words}: {message}");
    }
    let mut command = assay(dir.path(), "ior -w -o no/such/f --record r");
    let status = command.stdout(Stdio::null()).stderr(full()).stdin(Stdio::null()).status().unwrap();
    assert_eq!(status.code(), Some(4));
    assert!(std::fs::read_to_string(dir.path().join("r")).unwrap().contains("\"record\":\"end\""));
}

#[test]
fn a_transfer_larger_than_memory_is_rejected_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 1, "-a dummy -w -t 1p -b 1p");
    assert_eq!((ran.status, ran.complaints().len()), (Some(4), 1), "{ran:#?}");
    assert!(ran.complaints()[0].contains("no memory for 1125899906842624 bytes"), "{ran:#?}");
}

#[test]
fn a_request_for_more_ranks_than_exist_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-a dummy -w -N 5");
    let words =
        "WARNING: More tasks requested (5) than available (2),\nWARNING:          running with 2 tasks.\n\n";
    assert!(ran.out.starts_with(&format!("{words}IOR-4.1.0+dev: ")) && ran.err.is_empty(), "{ran:#?}");
    let both = ior(dir.path(), 2, "-a dummy -w -N 5 -i 0").ok();
    let few = "WARNING: too few test repetitions. Using value of 1.\n";
    assert!(both.starts_with(&format!("{words}{few}IOR-4.1.0+dev: ")), "{both}");
    let json = ior(dir.path(), 2, "-a dummy -w -N 5 -O summaryFormat=JSON");
    let message = "WARNING: More tasks requested (5) than available (2),";
    assert!(json.out.contains(message) && json.err.is_empty(), "{json:#?}");
    let dry = ior(dir.path(), 2, "-a dummy -w -N 5 --dryRun");
    assert!(
        dry.out.starts_with("Dry run") && dry.err.starts_with("assay: note: More tasks requested (5)"),
        "{dry:#?}"
    );
}

#[test]
fn data_that_cannot_be_compared_is_not_reported_as_wrong() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 2, "-R -z -z -G 1 --random-offset-seed=3 -o f");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.complaints()[0].contains("-R cannot compare"), "{ran:#?}");
}

#[test]
fn a_single_v_prints_the_version_and_transfers_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for words in ["-V", "--version"] {
        let text = ior(dir.path(), 2, words).ok();
        assert!(text.starts_with("IOR-4.1.0+dev (assay ") && text.lines().count() == 1, "{words}: {text}");
        assert_eq!(dir.path().read_dir().unwrap().count(), 0, "{words}");
    }
}

#[test]
fn letters_joined_by_a_dash_are_read_as_by_ior() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-w -z-k -t 100k -b 200k -o f").ok();
    assert!(text.contains("ordering in a file  : random\n"), "{text}");
    assert_eq!(dir.path().join("f").metadata().unwrap().len(), 400 << 10);
}

#[test]
fn segments_of_one_transfer_are_shuffled_and_every_byte_is_right() {
    let dir = tempfile::tempdir().unwrap();
    for more in ["", "-F"] {
        let words = format!("-w -r -R -G 5 -z -t 4k -b 4k -s 64 -l o -o f {more}");
        let ran = ior(dir.path(), 2, &words);
        assert_eq!(ran.status, Some(0), "{ran:#?}");
        assert!(ran.err.contains("assay: note: -z shuffles the transfers of all segments"), "{ran:#?}");
    }
    let ran = ior(dir.path(), 2, "-w -z -t 4k -b 4k -s 64 --random-order=ior");
    assert_eq!(ran.status, Some(2), "{ran:#?}");
    assert!(ran.err.contains("leave out --random-order=ior to shuffle the segments"), "{ran:#?}");
}
