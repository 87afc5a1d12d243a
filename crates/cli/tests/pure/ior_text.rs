//! The text of `ior`, which equals that of the original, and published command lines.

use crate::common::{self, ior, run};

#[test]
fn a_stonewalled_run_with_wear_out_prints_all_lines_and_columns() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-a DUMMY -w -D 1 -O stoneWallingWearOut=1 -b 4g -t 8 -s 100000 -v").ok();
    assert!(text.contains("stonewallingTime    : 1\nstoneWallingWearOut : 1\n"), "{text}");
    assert!(
        text.contains("\n0: stonewalling pairs accessed: ") && text.contains("\n1: stonewalling pairs"),
        "{text}"
    );
    assert!(text.contains("\nstonewalling pairs accessed min: "), "{text}");
    assert!(text.contains("\nPairs deadlineForStonewallingaccessed: "), "{text}");
    let row = text.lines().rfind(|line| line.starts_with("write ")).unwrap();
    let columns: Vec<_> = row.split_whitespace().collect();
    assert_eq!(columns.len(), 27, "{row}");
    let (seconds, per_rank): (f64, f64) = (columns[10].parse().unwrap(), columns[11].parse().unwrap());
    assert!(seconds >= 1.0 && per_rank > 0.0, "{row}");
}

#[test]
fn every_summary_row_has_27_tokens_and_max_lines_are_always_printed() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 1, "-b 64k -t 16k -o f").ok();
    assert!(text.contains("\nMax Write: ") && text.contains("\nMax Read:  "), "{text}");
    let summary = text.split("Summary of all tests:\n").nth(1).unwrap();
    let rows: Vec<_> = summary.lines().skip(1).take(2).collect();
    for row in rows {
        assert_eq!(row.split_whitespace().count(), 27, "{row}");
    }
}

#[test]
fn percentiles_stragglers_and_page_cache_follow_the_classic_text() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 2, "-b 1m -t 64k -o f -F").ok();
    let (_, beyond) = text.split_once("\nassay: latency of single transfers").expect("a table of latencies");
    assert!(beyond.contains("p99.9") && beyond.contains("\nassay: wr          0 "), "{beyond}");
    assert!(beyond.contains("page cache before the phase. The rate is the speed of memory"), "{beyond}");
}

#[test]
fn a_shift_without_effect_is_reported() {
    let dir = tempfile::tempdir().unwrap();
    let is_reported = |words: &str| ior(dir.path(), 2, words).ok().contains("-C has no effect here");
    assert!(is_reported("-b 64k -t 64k -o f -F -C"));
    assert!(!is_reported("-b 64k -t 64k -o f -F -C -O numTasksOnNode0=1"));
    assert!(!is_reported("-b 64k -t 64k -o f -F"));
}

#[test]
fn a_dropped_cache_is_not_reported_as_cached() {
    // In memory the cache cannot be dropped, so use the file system of the build.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let text = ior(dir.path(), 2, "-b 1m -t 64k -o f -F -e --drop-caches").ok();
    assert!(!text.contains("page cache before the phase"), "{text}");
}

#[test]
fn the_program_under_the_name_ior_is_ior() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["ior", "IOR"] {
        let link = dir.path().join(name);
        std::os::unix::fs::symlink(common::program(), &link).unwrap();
        let mut command = std::process::Command::new(&link);
        command.current_dir(dir.path()).args("-b 64k -t 64k -o f".split(' '));
        assert!(run(&mut command).ok().starts_with("IOR-4.1.0+dev: MPI Coordinated Test of Parallel I/O\n"));
    }
}

#[test]
fn the_status_file_carries_the_count_from_the_write_to_the_read() {
    let dir = tempfile::tempdir().unwrap();
    let status = "-O stoneWallingStatusFile=st -k -F -t 4k -b 1g -s 4 -o f";
    ior(dir.path(), 2, &format!("-w -D 1 -O stoneWallingWearOut=1 {status}")).ok();
    let count: u64 = std::fs::read_to_string(dir.path().join("st")).unwrap().parse().unwrap();
    let sizes: Vec<u64> =
        (0..2).map(|rank| dir.path().join(format!("f.{rank:08}")).metadata().unwrap().len()).collect();
    assert_eq!(sizes, [count * 4096; 2], "wear-out leaves equal files");
    let text = ior(dir.path(), 2, &format!("-r {status}")).ok();
    assert!(!text.contains("Could not read back"), "{text}");
    assert_eq!(std::fs::read_to_string(dir.path().join("st")).unwrap(), count.to_string(), "a read keeps it");
    std::fs::write(dir.path().join("st"), "").unwrap();
    let ran = ior(dir.path(), 2, "-r -O stoneWallingStatusFile=st -k -F -t 4k -b 4k -o f");
    assert_eq!(ran.status, Some(0));
    assert!(
        ran.out.contains("WARNING: Could not read back the stonewalling status from the file!"),
        "{}",
        ran.out
    );
}

#[test]
fn a_subset_of_the_ranks_may_take_part() {
    let dir = tempfile::tempdir().unwrap();
    let text = ior(dir.path(), 4, "-w -k -N 3 -F -b 64k -t 64k -o f").ok();
    assert!(text.contains("tasks               : 3\n"), "{text}");
    assert_eq!(dir.path().read_dir().unwrap().count(), 3);
}

#[test]
fn help_lists_the_table_of_options_and_ends_with_status_0() {
    let dir = tempfile::tempdir().unwrap();
    let ran = ior(dir.path(), 1, "-h");
    assert_eq!(ran.status, Some(0));
    assert!(ran.out.starts_with("Synopsis ior\n\nFlags\n  -c, --collective"), "{}", ran.out);
    assert!(ran.out.contains("Module POSIX") && ran.out.contains("--posix.odirect"), "{}", ran.out);
}
