//! The text of `mdtest`, which equals that of each version of the original, and the lines below it.

use std::path::Path;

use crate::common::mdtest::{assert_golden, mask, mdtest};
use crate::common::{self, only_in_all, run};

macro_rules! golden {
    ($($test:ident: $file:literal,)*) => {
        $(
            #[test]
            fn $test() {
                let dir = in_memory();
                assert_golden(include_str!(concat!("../golden/mdtest-", $file, ".txt")), dir.path());
            }
        )*
    };
}

golden! {
    a_plain_run_reads_as_in_4_1: "default",
    a_verified_run_with_shifted_names_and_both_tables_reads_as_in_4_1: "hard",
    a_stonewalled_creation_reads_as_in_4_1: "stonewall",
    a_removal_by_the_status_file_reads_as_in_4_1: "status-file",
    rank_statistics_and_each_ranks_numbers_read_as_in_4_1: "rank-statistics",
    compat_3_3_reads_as_3_3: "3.3",
    compat_1_9_reads_as_1_9: "1.9",
    compat_1_9_with_v_reads_as_1_9: "1.9-v",
}

#[test]
fn the_first_acceptance_line_runs_as_written_and_reads_as_in_4_1() {
    if only_in_all("it creates hundreds of thousands of files") {
        assert_golden(include_str!("../golden/mdtest-acceptance-v.txt"), in_memory().path());
    }
}

/// A directory in memory if possible: the acceptance command lines create hundreds of thousands of files.
fn in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory).unwrap() } else { tempfile::tempdir().unwrap() }
}

#[test]
fn the_second_acceptance_command_line_runs_as_written_and_leaves_no_files() {
    let dir = in_memory();
    let text = mdtest(dir.path(), 2, "-i 20 -v -u -n 1041").ok();
    assert_eq!(text.matches("main: * iteration ").count(), 20);
    assert!(text.contains("\n2 tasks, 2082 files/directories\n"), "{text}");
    assert!(text.contains("\nSUMMARY rate (in ops/sec): (of 20 iterations)\n"), "{text}");
    assert_eq!(dir.path().read_dir().unwrap().count(), 0, "./out was created and removed");
}

/// Files of `-k` have mode 0400. The original opens them for writing too, which only root may do.
#[test]
fn the_acceptance_command_lines_run_for_an_ordinary_user() {
    let dir = in_memory();
    let root =
        std::fs::metadata("/proc/self").map(|meta| std::os::unix::fs::MetadataExt::uid(&meta)).unwrap() == 0;
    for words in ["-b 3 -v -z 3 -u -I 9 -k -i 4 -d here/acc", "-i 20 -v -u -n 41 -k"] {
        let mut command = common::mdtest::command(dir.path(), 2, words);
        if root {
            use std::os::unix::fs::PermissionsExt;
            // The program may be in a directory that only root can access.
            let program = dir.path().join("assay");
            common::copy_of_program(&program);
            std::fs::create_dir_all(dir.path().join("here")).unwrap();
            for path in [dir.path(), &dir.path().join("here"), &program] {
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
            }
            let mut other = std::process::Command::new("setpriv");
            other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
            other.args(["-n", "2", "mdtest"]).args(words.split(' ')).current_dir(dir.path());
            command = other;
        } else {
            std::fs::create_dir_all(dir.path().join("here")).unwrap();
        }
        let text = run(&mut command).ok();
        assert!(text.contains("   File read  "), "{text}");
    }
}

#[test]
fn a_table_of_times_has_the_caption_of_times() {
    let dir = in_memory();
    let text = mdtest(dir.path(), 2, "-n 10 -Z").ok();
    assert!(text.contains("\nSUMMARY time (in seconds): (of 1 iterations)\n"), "{text}");
    assert!(!text.contains("SUMMARY rate"), "{text}");
}

#[test]
fn several_numbers_of_ranks_print_several_tables() {
    let dir = in_memory();
    let text = mdtest(dir.path(), 3, "-n 4 -F -f 1 -l 3 -s 2").ok();
    assert!(
        text.contains("\n1 tasks, 4 files\n\nSUMMARY ") && text.contains("\n3 tasks, 12 files\n\nSUMMARY ")
    );
    assert_eq!(text.matches("-- finished at ").count(), 1);
}

#[test]
fn with_v_percentiles_follow_and_extra_operations_have_rows_after_the_classic_ones() {
    let dir = in_memory();
    let text = mdtest(dir.path(), 2, "-n 20 -F -v --operations list,link,xattr-set --preload 5").ok();
    let (table, below) = text.split_once("-- finished at ").expect("the last line of the table");
    let (_, table) = table.split_once("SUMMARY ").expect("a table");
    let labels: Vec<&str> =
        table.lines().skip(3).filter_map(|line| line.get(3..21)).map(str::trim_end).collect();
    assert_eq!(
        labels[..6],
        ["File creation", "File stat", "File read", "File removal", "Tree creation", "Tree removal"]
    );
    for label in ["Directory listing", "File link", "File xattr set"] {
        assert!(labels[6..].contains(&label), "{labels:?}");
    }
    for name in ["listing-dir", "link-file", "xattr-set-file", "mk-file", "rd-file"] {
        assert!(below.contains(&format!("\nassay: {name:<14} ")), "{below}");
    }
    assert!(below.contains("p99.9") && below.contains("slowest rank"), "{below}");
    assert!(text.contains("assay: preloaded 1 directories with 5 files each, counted"), "{text}");
}

#[test]
fn paths_are_printed_at_vv_and_above() {
    let dir = in_memory();
    let text = mdtest(dir.path(), 2, "-n 2 -F -vvv -d x").ok();
    for line in [
        "V-2: Rank   0 Line  1995 Making directory 'x/test-dir.0-0/mdtest_tree.0/'\n",
        "V-2: Rank   0 Line  2013 Remove directory 'x/test-dir.0-0/mdtest_tree.0/'\n",
        "V-3: Rank   0 Line   380 create_remove_items_helper (non-dirs create): curr_item is 'x/",
        "V-3: Rank   0 Line   651 mdtest_stat file: x/test-dir.0-0/mdtest_tree.0/file.mdtest.0.1\n",
        "V-3: Rank   0 Line   738 mdtest_read file: x/",
        "V-3: Rank   0 Line   363 create_remove_items_helper (non-dirs remove): curr_item is 'x/",
    ] {
        assert!(text.contains(&format!("\n{line}")), "{line}: {text}");
    }
    assert!(!mdtest(dir.path(), 2, "-n 2 -F -v -d x").ok().contains("V-2"));
}

#[test]
fn the_program_under_the_name_mdtest_is_mdtest() {
    let dir = in_memory();
    let link = dir.path().join("mdtest");
    std::os::unix::fs::symlink(common::program(), &link).unwrap();
    let mut command = std::process::Command::new(&link);
    command.current_dir(dir.path()).args(["-n", "2"]);
    let text = run(&mut command).ok();
    assert!(text.contains("\nmdtest-4.1.0+dev was launched with 1 total task(s) on 1 node(s)\n"), "{text}");
    assert!(text.contains(" '-n' '2'\n"), "{text}");
}

#[test]
fn a_masked_number_keeps_its_columns() {
    assert_eq!(mask("   File stat             294130.715     269210.783"), "   File stat         {14} {14}");
    assert_eq!(mask("-- started at 11/21/2026 08:33:14 --"), "-- started at DATE --");
    assert_eq!(mask("mdtest-4.1.0+dev was launched"), "mdtest-4.1.0+dev was launched");
}
